/* pass.c - marks of a kernel's instructions (section 4.2) and what else they mean to DARSIE. */
#include "mech/darsie/darsie.h"

#include "perf/ptx/analysis/redundancy.h"

static bool only_reads(const ww_inst *i)
{
    return (ww_inst_effects(i).writes & ~(uint32_t)(WW_AT_VALUES | WW_AT_ORDER)) == 0;
}

static uint8_t memory_kind(const ww_inst *i)
{
    const ww_effects e = ww_inst_effects(i);
    const bool image = ((e.reads | e.writes) & (WW_AT_TEXTURE | WW_AT_SURFACE)) != 0;
    const bool on_chip = !image && (i->space == WW_SPACE_SHARED || i->space == WW_SPACE_CONST ||
                                    i->space == WW_SPACE_PARAM || i->space == WW_SPACE_LOCAL);
    if (only_reads(i)) {
        return (uint8_t)(DS_LOAD | (on_chip ? 0 : DS_GLOBAL_LOAD));
    }
    if (i->op == WW_OP_ST) { /* local memory is the thread's own */
        return i->space == WW_SPACE_LOCAL ? 0 : DS_STORE;
    }
    const bool others = (e.meets & (WW_MEETS_CLUSTER | WW_MEETS_GRID)) != 0;
    return (uint8_t)(DS_STORE | (on_chip && !others ? 0 : DS_GLOBAL));
}

/* A barrier that names a number of threads is not one of the whole block. */
static bool is_meeting(const ww_inst *i)
{
    return i->op == WW_OP_BAR && i->sub != WW_SUB_ARRIVE && i->src_count < 2;
}

static uint8_t kind_of(const ww_inst *i)
{
    ww_form form = ww_isa_form((ww_op)i->op, (ww_type)i->type, (ww_type)i->type2, (ww_sub)i->sub);
    if (form.kind == WW_KIND_BRANCH) {
        return ww_inst_is_builtin(i) ? DS_STORE | DS_GLOBAL : DS_CONTROL;
    }
    if (form.kind == WW_KIND_MEMORY) {
        return memory_kind(i);
    }
    if (ww_inst_folded(i) != NULL) {
        return DS_LOAD; /* of shared memory */
    }
    const ww_effects e = ww_inst_effects(i);
    const uint32_t own = WW_AT_VALUES | WW_AT_SHARED | WW_AT_OBJECTS | WW_AT_GROUPS | WW_AT_ORDER;
    if ((e.writes & ~own) != 0) {
        return DS_STORE | DS_GLOBAL;
    }
    if ((e.writes & WW_AT_ORDER) != 0 &&
        ((e.meets & (WW_MEETS_CLUSTER | WW_MEETS_GRID)) != 0 ||
         ((e.meets & WW_MEETS_CTA) != 0 && (e.writes & WW_AT_OBJECTS) == 0))) {
        return DS_GLOBAL; /* a fence, or a barrier of more than the block */
    }
    return is_meeting(i) ? DS_MEETING : 0;
}

static uint32_t cells_of(const ww_inst *i)
{
    uint32_t n = 0;
    for (unsigned k = 0; k < i->dst_count; k++) {
        n += i->dst[k].kind == WW_OPD_PRED  ? 1u
             : i->dst[k].kind == WW_OPD_REG ? i->dst[k].words
                                            : 0;
    }
    return n;
}

/* Registers and predicates that are live before each instruction: cells of a view are registers
 * first, as ours. */
static ww_status write_live(const ww_view *view, ww_arena *scratch, ww_arena *arena,
                            ds_notes *notes, ww_error *err)
{
    ww_chains chains;
    WW_TRY(ww_chains_build(view, scratch, &chains, err));
    uint64_t *live =
        WW_ARENA_NEW_ARRAY(arena, uint64_t, ((size_t)view->inst_count + 1) * chains.words);
    if (live == NULL) {
        return ww_no_memory_for(err, "what is live");
    }
    for (uint32_t i = 0; i < view->inst_count; i++) {
        ww_live_before(view, &chains, i, live + (size_t)i * chains.words);
    }
    notes->live = live;
    notes->words = chains.words;
    return WW_OK;
}

static ww_status write_notes(const ww_kernel *k, const uint8_t *mark, ww_arena *arena,
                             ds_notes **out, ww_error *err)
{
    ds_notes *notes = WW_ARENA_NEW(arena, ds_notes);
    ds_note *note = WW_ARENA_NEW_ARRAY(arena, ds_note, (size_t)k->code_count + 1);
    uint32_t *controls = WW_ARENA_NEW_ARRAY(arena, uint32_t, (size_t)k->code_count + 1);
    if (notes == NULL || note == NULL || controls == NULL) {
        return ww_no_memory_for(err, "kernel %s", k->name);
    }
    for (uint32_t i = 0; i < k->code_count; i++) {
        const uint32_t cells = cells_of(&k->code[i]);
        const bool shares = cells > 0 && cells <= DS_CELLS;
        note[i] = (ds_note){shares ? mark[i] : (uint8_t)WW_MARK_V, kind_of(&k->code[i])};
        controls[i + 1] = controls[i] + ((note[i].kind & DS_CONTROL) != 0);
        notes->any[0] = notes->any[0] || note[i].mark == WW_MARK_DR;
        notes->any[1] = notes->any[1] || note[i].mark != WW_MARK_V;
    }
    notes->inst = note;
    notes->controls = controls;
    notes->count = k->code_count;
    *out = notes;
    return WW_OK;
}

ww_status ds_pass(const ww_mech_build *build, const ww_kernel **kernel, const void **notes,
                  ww_error *err)
{
    const ww_kernel *k = build->kernel;
    ww_arena scratch;
    ww_view view;
    uint8_t *mark = NULL;
    ds_notes *made = NULL;
    (void)kernel;
    if (k->shape != NULL) {
        return WW_OK; /* another pass has divided the kernel */
    }
    ww_arena_init(&scratch);
    ww_status st = ww_view_of_kernel(k, &scratch, &view, err);
    if (st == WW_OK) {
        st = ww_redundancy_build(&view, k->local_bytes > 0, &scratch, &mark, err);
    }
    if (st == WW_OK) {
        st = write_notes(k, mark, build->arena, &made, err);
    }
    if (st == WW_OK && build->arch->darsie.release == WW_DARSIE_RELEASE_DEAD) {
        st = write_live(&view, &scratch, build->arena, made, err);
    }
    ww_arena_fini(&scratch);
    if (st == WW_OK) {
        *notes = made;
    }
    return st;
}
