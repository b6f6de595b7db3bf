/* hooks.c - scalarization (LPGPU D5.5.3, 2013, section 3.3.4): asks for kernels with scalar
 * registers apart (perf/ptx/analysis/scalar.c finds them); warps are given 32-bit slots for those,
 * and a core of lanes sends one thread where one suffices. On any core every scalar
 * register has the one slot that hardware would have, written in the order of execution, and every
 * read of it is compared with what each thread holds: a difference is a wrong result on hardware.
 */
#include "mech/mechanisms.h"

#include <string.h>

typedef struct scalar {
    ww_sm *sm;
    uint32_t warps;
    const ww_kernel *kernel;
    uint32_t count; /* scalar registers of the kernel; 0: none */
    uint32_t *slot; /* [warp][count] */
} scalar;

static bool scalarize(const ww_arch *arch, unsigned *varying)
{
    (void)arch;
    (void)varying; /* all of it counts */
    return true;
}

static ww_status create(ww_sm *sm, const ww_arch *arch, void **state, ww_error *err)
{
    scalar *s = WW_NEW(scalar);
    if (s == NULL) {
        return ww_no_memory(err);
    }
    *s = (scalar){.sm = sm, .warps = arch->sm.max_warps};
    *state = s;
    return WW_OK;
}

static void destroy(void *state)
{
    scalar *s = state;
    if (s != NULL) {
        ww_free(s->slot);
        ww_free(s);
    }
}

static ww_status begin(void *state, const ww_mech_launch *launch, ww_error *err)
{
    scalar *s = state;
    const ww_kernel *k = launch->kernel;
    s->kernel = k;
    s->count = k->scalar_base > 0 ? k->registers - k->scalar_base : 0;
    ww_free(s->slot);
    s->slot = WW_NEW_ARRAY(uint32_t, (size_t)s->warps * s->count + 1);
    return s->slot != NULL ? WW_OK : ww_no_memory(err);
}

/* Slots of the grid's own warps; NULL: of none. */
static uint32_t *slots_of(const scalar *s, uint32_t warp)
{
    bool extra = ww_mech_is_extra(s->sm, warp);
    return s->count > 0 && warp < s->warps && !extra ? s->slot + (size_t)warp * s->count : NULL;
}

/* Figures 10 and 11: a kernel that is built as it stands (calls, no scalars) saves nothing. */
static void count_slots(const scalar *s, ww_warps warps)
{
    const ww_kernel *k = s->kernel;
    uint64_t n = ww_warps_count(warps);
    uint64_t plain = k->plain_registers > 0 ? k->plain_registers : k->registers;
    uint64_t vectors = k->scalar_base > 0 ? k->vector_registers : k->registers;
    ww_mech_count(s->sm, WW_C_SCALAR_REGISTERS, n * s->count);
    ww_mech_count(s->sm, WW_C_SCALAR_ALLOCATED, n * (vectors + s->count));
    ww_mech_count(s->sm, WW_C_SCALAR_SLOTS, n * (vectors * WW_WARP_SIZE + s->count));
    ww_mech_count(s->sm, WW_C_SCALAR_PLAIN_SLOTS, n * plain * WW_WARP_SIZE);
}

static void cta_started(void *state, uint32_t cta, ww_warps warps, uint64_t now)
{
    scalar *s = state;
    (void)cta;
    (void)now;
    count_slots(s, warps);
    for (ww_warps_walk m = ww_warps_from(warps); ww_warps_next(&m);) {
        uint32_t *slot = slots_of(s, m.warp);
        if (slot != NULL) {
            memset(slot, 0, s->count * sizeof *slot);
        }
    }
}

/* Scalar words of an operand: the first one's slot, and how many. */
static uint32_t words_of(const scalar *s, ww_operand o, uint32_t *first)
{
    if (ww_operand_registers(&o) == 0 || o.reg < s->kernel->scalar_base) {
        return 0;
    }
    *first = o.reg - s->kernel->scalar_base;
    return o.words;
}

/* Whether every thread holds the value. */
static bool agree(const uint32_t *lane, uint32_t threads, uint32_t value)
{
    uint32_t different = 0;
    for (; threads != 0; threads &= threads - 1) {
        different |= lane[__builtin_ctz(threads)] ^ value;
    }
    return different == 0;
}

static ww_issue_verdict issue(void *state, uint32_t w, uint32_t pc, uint64_t now)
{
    scalar *s = state;
    (void)now;
    const ww_issue_verdict unit = {.kind = WW_ISSUE_UNIT};
    const uint32_t *slot = slots_of(s, w);
    if (slot == NULL) {
        return unit;
    }
    const ww_inst *inst = &s->kernel->code[pc];
    const ww_warp *warp = ww_mech_warp(s->sm, w);
    uint32_t threads = ww_mech_head_of(s->sm, w).threads, first = 0;
    for (uint32_t k = 0; k < inst->src_count && threads != 0; k++) {
        uint32_t words = words_of(s, inst->src[k], &first);
        for (uint32_t i = 0; i < words; i++) {
            const uint32_t *lane = warp->regs + (size_t)(inst->src[k].reg + i) * WW_WARP_SIZE;
            ww_mech_count(s->sm, WW_C_SCALAR_CHECK, 1);
            ww_mech_count(s->sm, WW_C_MECH_MISMATCH, !agree(lane, threads, slot[first + i]));
        }
    }
    return unit;
}

/* The threads write one after the other: the slot keeps what the last one, or, where one executes
 * for all, the first one computes. */
static void executed(void *state, uint32_t w, const ww_step *step, uint32_t flight, uint64_t now)
{
    scalar *s = state;
    (void)flight;
    (void)now;
    uint32_t *slot = slots_of(s, w);
    if (slot == NULL || step->exec == 0) {
        return;
    }
    const ww_inst *inst = &s->kernel->code[step->pc];
    const ww_warp *warp = ww_mech_warp(s->sm, w);
    bool once = (inst->mods & WW_MOD_ONCE) != 0;
    uint32_t thread = once ? (uint32_t)__builtin_ctz(step->exec)
                           : 31 - (uint32_t)__builtin_clz(step->exec),
             first = 0;
    for (uint32_t k = 0; k < inst->dst_count; k++) {
        uint32_t words = words_of(s, inst->dst[k], &first);
        for (uint32_t i = 0; i < words; i++) {
            slot[first + i] = warp->regs[(size_t)(inst->dst[k].reg + i) * WW_WARP_SIZE + thread];
        }
    }
    if (once) {
        ww_mech_count(s->sm, WW_C_SCALAR_INST, 1);
        ww_mech_count(s->sm, WW_C_SCALAR_SAVED, (uint64_t)__builtin_popcount(step->exec) - 1);
    }
}

const ww_mech ww_mech_scalar = {
    .name = "scalar",
    .scalarize = scalarize,
    .create = create,
    .destroy = destroy,
    .begin = begin,
    .cta_started = cta_started,
    .issue = issue,
    .executed = executed,
};
