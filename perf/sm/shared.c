/* shared.c - shared-memory accesses: the banks serve an instruction in as many cycles as its worst
 * bank has different words. */
#include "base/arith.h"
#include "perf/sm/sm_state.h"

#include "perf/sm/volta_tile.h"

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

/* What an access takes: cycles of the banks, those without conflicts, instructions of the machine,
 * words that lanes name and different ones. */
typedef struct shared_work {
    unsigned cycles, least, moves;
    uint32_t lane_words, words;
} shared_work;

static unsigned bank_cycles(const ww_sm *sm, const ww_step *step, const uint32_t *offset,
                            uint32_t lanes, unsigned bytes, uint32_t *words)
{
    const uint32_t banks = sm->arch->ldst.shared_banks;
    if (sm->arch->ldst.shared_pairs && !step->is_store) {
        return ww_shared_load_conflicts(offset, lanes, bytes, banks, words);
    }
    return ww_shared_conflicts(offset, lanes, bytes, banks, words);
}

/* Wide accesses take a cycle per half- or quarter-warp even without a conflict. */
static unsigned least_cycles(unsigned lanes, unsigned bytes)
{
    return bytes > 4 ? (lanes * bytes + 127) / 128 : 1;
}

/* A tile of two runs a row, moved as the machine does. */
static shared_work tile_work(const ww_sm *sm, const ww_inst *inst, const ww_step *step,
                             const uint32_t *run)
{
    const ww_tile_moves moves = ww__volta_tile_moves(sm->arch, inst);
    const uint32_t stride = run[2] - run[0], lane_words = (moves.bytes + 3u) / 4;
    shared_work work = {.moves = moves.count, .lane_words = moves.count * lane_words};
    for (unsigned i = 0; i < moves.count; i++) {
        uint32_t offset[WW_WARP_SIZE], words = 0;
        for (unsigned lane = 0; lane < WW_WARP_SIZE; lane++) {
            offset[lane] = run[0] + ww__volta_tile_offset(inst, lane, i, stride);
        }
        work.cycles += bank_cycles(sm, step, offset, UINT32_MAX, moves.bytes, &words);
        work.least += least_cycles(WW_WARP_SIZE, moves.bytes);
        work.words += words;
    }
    return work;
}

/* A test of an mbarrier leaves it as it is: lanes that test the same one read one word together, as
 * lanes of a load do, where those of an atomic follow each other. */
static bool tests_object(const ww_sm *sm, const ww_flight *f)
{
    const ww_inst *inst = &sm->launch->kernel->code[ww_program_inst(sm->program, f->uop)];
    return inst->op == WW_OP_MBARRIER &&
           (inst->sub == WW_SUB_TEST || inst->sub == WW_SUB_TEST_PARITY);
}

static bool on_object(const ww_sm *sm, const ww_flight *f)
{
    return sm->launch->kernel->code[ww_program_inst(sm->program, f->uop)].op == WW_OP_MBARRIER;
}

/* Lanes of an operation on mbarriers that go to the banks: the first of those at each object, which
 * brings what the others do as a count, or all. */
static uint32_t object_lanes(const ww_sm *sm, const uint32_t *offset, uint32_t lanes)
{
    uint32_t first = 0;
    if (!sm->arch->async.object_joins) {
        return lanes;
    }
    for (uint32_t m = lanes; m != 0;) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        first |= 1u << lane;
        for (uint32_t rest = m; rest != 0; rest &= rest - 1) {
            const unsigned other = (unsigned)__builtin_ctz(rest);
            m &= offset[other] == offset[lane] ? ~(1u << other) : UINT32_MAX;
        }
    }
    return first;
}

static bool sm_shared_access(ww_sm *sm, ww_mem_inst *m, uint64_t now)
{
    const ww_step *step = &m->step;
    ww_flight *f = &sm->flights.at[m->flight];
    uint32_t offset[WW_WARP_SIZE], exec = f->exec;
    uint64_t busy_until = 0;
    if (WW_UNLIKELY(ww_async_of(sm) != NULL)) {
        exec = sm_remote_access(sm, m, now);
        busy_until = exec != f->exec ? sm->ldst.busy_until : 0;
        if (exec == 0) {
            ww_count(sm, WW_C_SHARED_INST, 1);
            return true;
        }
    }
    bool tests = false;
    if (!step->in_lines) {
        ww_shared_offsets(step->address, exec, offset);
    }
    if (WW_UNLIKELY(ww_async_of(sm) != NULL) && on_object(sm, f)) {
        exec = object_lanes(sm, offset, exec);
        ww_charge(sm, f->uop, WW_C_OBJECT_OPS, (uint64_t)__builtin_popcount(exec));
        tests = tests_object(sm, f);
    }
    shared_work work = {.moves = 1,
                        .lane_words = (step->lane_bytes + 3) / 4,
                        .least = least_cycles(f->lanes, step->lane_bytes)};
    if (step->in_lines) {
        work.cycles =
            ww_shared_lines(step->line, step->line_step, sm->arch->ldst.shared_banks, &work.words);
    } else if ((f->op->flags & WW_SM_OP_TILE) != 0) {
        work = tile_work(sm, &sm->program->kernel->code[ww_program_inst(sm->program, f->uop)], step,
                         offset);
    } else if (step->is_atomic && !tests && !sm->arch->peer.shared_atomics_merge) {
        work.cycles = atomic_cycles(offset, exec, sm->arch->ldst.shared_banks, &work.words);
    } else {
        work.cycles = bank_cycles(sm, step, offset, exec, step->lane_bytes, &work.words);
    }
    const unsigned cycles = work.cycles;
    const uint64_t end = sm_port_take(sm, cycles, ww_max_u64(now, sm->ldst.port_until));
    sm->ldst.port_until = end;
    ww_charge(sm, f->uop, WW_C_SHARED_INST, work.moves);
    ww_charge(sm, f->uop, WW_C_SHARED_LANES, (uint64_t)f->lanes * work.lane_words);
    ww_charge(sm, f->uop, WW_C_SHARED_CYCLES, cycles);
    ww_count(sm, WW_C_SHARED_CONFLICT, cycles > work.least ? cycles - work.least : 0);
    if (!step->is_store || step->is_atomic) {
        ww_charge(sm, f->uop, WW_C_SHARED_READ_WORDS, work.words);
        f->ready_at = end + sm->arch->ldst.shared_latency - 1;
        f->ready_at += tests ? sm->arch->async.object_test : 0;
    }
    if ((step->is_store || step->is_atomic) && !tests) {
        ww_charge(sm, f->uop, WW_C_SHARED_WRITE_WORDS, work.words);
    }
    sm->ldst.busy_until = end > busy_until ? end : busy_until;
    return true;
}

/* A word of shared memory that the instruction reads as an operand, when it has executed: what its
 * lanes read, and the cycles of the banks for later. Energy is charged in either reading of its
 * time, but where the simulator that charges none is followed. Threads that a core of its own sends
 * one after the other read a word each; where the banks take time, it asks them, and counts. */
static void sm_folded_issued(ww_sm *sm, ww_flight *f, const ww_step *step)
{
    uint32_t offset[WW_WARP_SIZE] = {0}, words = 0;
    for (uint32_t m = f->exec; m != 0; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        offset[lane] = (uint32_t)step->address[lane];
    }
    f->port_cycles = (uint8_t)bank_cycles(sm, step, offset, f->exec, step->lane_bytes, &words);
    ww_count(sm, WW_C_FOLD_INST, 1);
    ww_count(sm, WW_C_FOLD_LANES, f->lanes);
    sm->given.folded = step;
    if (sm->given.core != NULL) {
        words = sm->arch->ldst.folded == WW_FOLDED_OPERAND ? 0 : f->lanes;
    }
    if (!sm->arch->peer.folded_free_energy) {
        ww_charge(sm, f->uop, WW_C_SHARED_READ_WORDS, words);
        ww_charge(sm, f->uop, WW_C_SHARED_LANES, f->lanes);
    }
}

static void sm_folded_pass(ww_sm *sm, const ww_flight *f)
{
    ww_charge(sm, f->uop, WW_C_SHARED_CYCLES, f->port_cycles);
    ww_count(sm, WW_C_SHARED_CONFLICT, f->port_cycles > 1 ? f->port_cycles - 1 : 0);
}

/* Cycles by which the banks delay an instruction whose registers have been read in this one: its
 * read begins in the next, or when the port is free. */
static uint32_t sm_folded_wait(ww_sm *sm, const ww_flight *f, uint64_t now)
{
    const uint64_t begin = ww_max_u64(now + 1, sm->ldst.port_until);
    const uint64_t end = sm_port_take(sm, f->port_cycles, begin);
    sm->ldst.port_until = end;
    sm_folded_pass(sm, f);
    return (uint32_t)(end - now - 2) + sm->arch->ldst.shared_latency;
}
