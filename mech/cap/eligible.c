/* eligible.c - see eligible.h. The paper traces "the source registers of global loads backward": a
 * load is a target when they originate "from thread ids, block ids, and constant parameters"
 * (section V-B). Pointers that a loop moves on by such amounts stay targets; what a branch chooses
 * between is a target when each choice is one (the misprediction counter watches over it). */
#include "mech/cap/eligible.h"

#include "perf/ptx/analysis/analysis.h"

static uint64_t of_kind(ww_sreg_kind kind)
{
    uint64_t set = 0;
    for (unsigned s = 0; s < WW_SREG_COUNT; s++) {
        set |= (uint64_t)(ww_sreg_kind_of((ww_sreg)s) == kind) << s;
    }
    return set;
}

/* The same in all threads of a CTA. */
static uint64_t of_cta(void)
{
    return of_kind(WW_SREG_KIND_CTA) | of_kind(WW_SREG_KIND_DIMENSION);
}

static uint64_t of_thread(void)
{
    return of_kind(WW_SREG_KIND_THREAD) | UINT64_C(1) << WW_SREG_LANEID;
}

static bool comes_from(const ww_slice *slice, uint32_t sources, uint64_t sregs)
{
    return (slice->sources & ~sources) == 0 && (slice->sregs & ~sregs) == 0;
}

typedef struct tracer {
    ww_view view;
    ww_chains chains;
    ww_arena *arena;
} tracer;

static ww_status address_of(const tracer *t, uint32_t inst, ww_slice *slice, ww_error *err)
{
    return ww_slice_build(&t->view, &t->chains, inst, WW_ROLE_SRC, 0, 0, t->arena, slice, err);
}

enum { KNOWN = WW_FROM_IMMEDIATE | WW_FROM_PARAM | WW_FROM_SREG | WW_FROM_ENTRY };

/* Module constants count as parameters where all threads of a CTA read the same one. */
static ww_status constants_uniform(const tracer *t, const ww_slice *slice, bool *uniform,
                                   ww_error *err)
{
    *uniform = true;
    for (uint32_t i = 0; i < t->view.inst_count && *uniform; i++) {
        if (!ww_slice_has(slice, i) || ww_value_source(&t->view.inst[i]) != WW_FROM_CONST) {
            continue;
        }
        ww_slice of;
        WW_TRY(address_of(t, i, &of, err));
        *uniform = comes_from(&of, KNOWN, of_cta());
    }
    return WW_OK;
}

static ww_status is_direct(const tracer *t, uint32_t inst, bool *direct, ww_error *err)
{
    ww_slice slice;
    WW_TRY(address_of(t, inst, &slice, err));
    *direct = comes_from(&slice, KNOWN | WW_FROM_CONST, of_cta() | of_thread());
    if (*direct && (slice.sources & WW_FROM_CONST) != 0) {
        return constants_uniform(t, &slice, direct, err);
    }
    return WW_OK;
}

static bool is_target(const ww_inst *inst)
{
    return inst->op == WW_OP_LD &&
           (inst->space == WW_SPACE_GLOBAL || inst->space == WW_SPACE_GENERIC);
}

ww_status cap_pass(const ww_mech_build *build, const ww_kernel **kernel, const void **notes,
                   ww_error *err)
{
    (void)kernel;
    const ww_kernel *k = build->kernel;
    tracer t = {.arena = build->arena};
    cap_notes *n = WW_ARENA_NEW(build->arena, cap_notes);
    bool *direct = WW_ARENA_NEW_ARRAY(build->arena, bool, k->code_count);
    if (n == NULL || direct == NULL) {
        return ww_no_memory(err);
    }
    *n = (cap_notes){.count = k->code_count, .direct = direct};
    WW_TRY(ww_view_of_kernel(k, build->arena, &t.view, err));
    WW_TRY(ww_chains_build(&t.view, build->arena, &t.chains, err));
    for (uint32_t i = 0; i < k->code_count; i++) {
        if (is_target(&k->code[i])) {
            WW_TRY(is_direct(&t, i, &direct[i], err));
            n->eligible += direct[i];
        }
    }
    *notes = n;
    return WW_OK;
}
