/* shared.c - shared-memory accesses: the banks serve an instruction in as many cycles as its worst
 * bank has different words. */
#include "perf/sm/sm_state.h"

/* Atomics on shared memory serialise over lanes of one word too: each lane is a read and a write of
 * its bank (Fermi implements them as lock, modify, unlock sequences; Gomez-Luna et al., IPDPS
 * 2013), unless the description says that they do not. */
static unsigned atomic_cycles(const uint32_t *offset, uint32_t lanes, uint32_t banks,
                              uint32_t *words)
{
    uint8_t load[64] = {0};
    unsigned worst = 0;
    *words = 0;
    for (uint32_t m = lanes; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint8_t *n = &load[offset[lane] / 4 % banks];
        *words += 1;
        if (++*n > worst) {
            worst = *n;
        }
    }
    return 2 * worst;
}

static bool sm_shared_access(ww_sm *sm, ww_mem_inst *m, uint64_t now)
{
    const ww_step *step = &m->step;
    ww_flight *f = &sm->flights.at[m->flight];
    uint32_t offset[WW_WARP_SIZE] = {0};
    uint32_t words = 0;
    for (uint32_t lanes = f->exec; lanes != 0; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        offset[lane] = (uint32_t)step->address[lane];
    }
    uint32_t banks = sm->arch->ldst.shared_banks;
    unsigned cycles;
    if (step->is_atomic && !sm->arch->peer.shared_atomics_merge) {
        cycles = atomic_cycles(offset, f->exec, banks, &words);
    } else if (sm->arch->ldst.shared_pairs && !step->is_store) {
        cycles = ww_shared_load_conflicts(offset, f->exec, step->lane_bytes, banks, &words);
    } else {
        cycles = ww_shared_conflicts(offset, f->exec, step->lane_bytes, banks, &words);
    }
    /* Wide accesses take a cycle per half- or quarter-warp even without a conflict. */
    unsigned least = step->lane_bytes > 4 ? (f->lanes * step->lane_bytes + 127) / 128 : 1;
    ww_count(sm, WW_C_SHARED_INST, 1);
    ww_count(sm, WW_C_SHARED_LANES, (uint64_t)f->lanes * ((step->lane_bytes + 3) / 4));
    ww_count(sm, WW_C_SHARED_CYCLES, cycles);
    ww_count(sm, WW_C_SHARED_CONFLICT, cycles > least ? cycles - least : 0);
    if (!step->is_store || step->is_atomic) {
        ww_count(sm, WW_C_SHARED_READ_WORDS, words);
        f->ready_at = now + sm->arch->ldst.shared_latency + cycles - 1;
    }
    if (step->is_store || step->is_atomic) {
        ww_count(sm, WW_C_SHARED_WRITE_WORDS, words);
    }
    sm->ldst.busy_until = now + cycles;
    return true;
}
