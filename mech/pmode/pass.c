/* pass.c - what P-mode does with each instruction of a kernel, and the cells that it reads and
 * writes. */
#include "mech/pmode/pmode.h"

#include "perf/ptx/analysis/analysis.h"

/* ld.global.nc goes through the texture cache where there is one, as in the machine. */
static bool through_texture(const ww_inst *i, const ww_arch *arch)
{
    return i->op == WW_OP_TEX || i->op == WW_OP_TLD4 ||
           ((i->mods & WW_MOD_NC) != 0 && arch->l1t.bytes > 0 && !arch->peer.nc_in_l1d);
}

static pm_action local_action(const ww_arch *arch)
{
    switch (arch->pmode.local_loads) {
    case WW_PMODE_LOCAL_PRELOAD:
        return PM_PRELOAD;
    case WW_PMODE_LOCAL_EXECUTE:
        return PM_LOCAL_LOAD;
    case WW_PMODE_LOCAL_SKIP:
        break;
    }
    return PM_SKIP;
}

/* Volatile shared memory may be written by others at any time. */
static pm_action load_action(const ww_inst *i, const ww_arch *arch)
{
    if (through_texture(i, arch)) {
        return arch->pmode.preload_texture ? PM_PRELOAD : PM_SKIP;
    }
    switch (i->space) {
    case WW_SPACE_GLOBAL:
    case WW_SPACE_GENERIC:
        return PM_PRELOAD;
    case WW_SPACE_LOCAL:
        return local_action(arch);
    case WW_SPACE_SHARED:
        return (i->mods & WW_MOD_VOLATILE) != 0 ? PM_SKIP : PM_SHARED_LOAD;
    case WW_SPACE_CONST:
        return arch->pmode.constants ? PM_EXECUTE : PM_SKIP;
    case WW_SPACE_PARAM:
        return PM_EXECUTE;
    default:
        return PM_SKIP;
    }
}

/* What is known to leave nothing that others could see; all else ends the stream. */
static bool is_skippable(const ww_effects *e)
{
    const uint32_t fine = WW_AT_VALUES | WW_AT_GLOBAL | WW_AT_SHARED | WW_AT_CLUSTER_SHARED |
                          WW_AT_LOCAL | WW_AT_SURFACE | WW_AT_ORDER;
    return (e->writes & ~fine) == 0 && e->waits == 0 && !ww_effects_asynchronous(e) &&
           e->goes == WW_GOES_ON;
}

static pm_action memory_action(const ww_inst *i, const ww_effects *e, const ww_arch *arch)
{
    if (!is_skippable(e)) {
        return PM_HALT;
    }
    if ((e->writes & (WW_AT_SHARED | WW_AT_CLUSTER_SHARED)) != 0) {
        return PM_SHARED_STORE;
    }
    if (i->op == WW_OP_LD || i->op == WW_OP_TEX || i->op == WW_OP_TLD4) {
        return load_action(i, arch);
    }
    return i->op == WW_OP_LDMATRIX ? PM_SHARED_LOAD : PM_SKIP;
}

static pm_action control_action(const ww_inst *i, const ww_effects *e)
{
    if (i->op == WW_OP_BAR) {
        return PM_BARRIER;
    }
    if (e->goes == WW_GOES_JUMPS || (e->goes == WW_GOES_CALLS && !ww_inst_is_builtin(i))) {
        return PM_BRANCH;
    }
    if (ww_effects_compute(e)) {
        return PM_EXECUTE;
    }
    /* Lanes of a warp are together. Fences, waits, exit, return, trap: */
    return e->meets == WW_MEETS_LANES ? PM_SKIP : PM_HALT;
}

static pm_action action_of(const ww_inst *i, const ww_arch *arch, unsigned writes)
{
    ww_form form = ww_isa_form((ww_op)i->op, (ww_type)i->type, (ww_type)i->type2, (ww_sub)i->sub);
    const ww_effects e = ww_inst_effects(i);
    if (form.kind == WW_KIND_MEMORY) {
        pm_action a = memory_action(i, &e, arch);
        return (a == PM_SHARED_LOAD || a == PM_LOCAL_LOAD) && writes > PM_RESULTS ? PM_SKIP : a;
    }
    if (form.unit == WW_UNIT_CTRL) {
        return control_action(i, &e);
    }
    if ((e.reads & WW_AT_CLOCK) != 0 || !is_skippable(&e)) {
        return PM_HALT;
    }
    const bool reads_shared = ww_inst_folded(i) != NULL;
    return writes > PM_RESULTS ? PM_SKIP : reads_shared ? PM_SHARED_LOAD : PM_EXECUTE;
}

/* Whether consumers wait for memory off the chip: global, local, texture, generic, atomics. */
static bool is_off_chip(const ww_inst *i)
{
    ww_form form = ww_isa_form((ww_op)i->op, (ww_type)i->type, (ww_type)i->type2, (ww_sub)i->sub);
    return form.kind == WW_KIND_MEMORY && i->dst_count > 0 && i->space != WW_SPACE_SHARED &&
           i->space != WW_SPACE_CONST && i->space != WW_SPACE_PARAM;
}

static bool is_long(const ww_inst *i, const ww_arch *arch)
{
    switch (arch->pmode.long_loads) {
    case WW_PMODE_LONG_GLOBAL:
        return i->op == WW_OP_LD && !through_texture(i, arch) &&
               (i->space == WW_SPACE_GLOBAL || i->space == WW_SPACE_GENERIC);
    case WW_PMODE_LONG_OFF_CHIP:
        break;
    }
    return is_off_chip(i);
}

ww_status pm_pass(const ww_mech_build *build, const ww_kernel **kernel, const void **notes,
                  ww_error *err)
{
    (void)kernel;
    const ww_kernel *k = build->kernel;
    ww_view view;
    WW_TRY(ww_view_of_kernel(k, build->arena, &view, err));
    pm_notes *out = WW_ARENA_NEW(build->arena, pm_notes);
    pm_note *inst = WW_ARENA_NEW_ARRAY(build->arena, pm_note, k->code_count);
    uint16_t *cell = WW_ARENA_NEW_ARRAY(build->arena, uint16_t, view.access_count + 1);
    if (out == NULL || inst == NULL || cell == NULL) {
        return ww_no_memory_for(err, "kernel %s", k->name);
    }
    for (uint32_t a = 0; a < view.access_count; a++) {
        cell[a] = (uint16_t)view.access[a].cell;
    }
    for (uint32_t i = 0; i < k->code_count; i++) {
        const uint32_t writes = view.reads[i + 1] - view.writes[i];
        const bool local = (ww_inst_effects(&k->code[i]).writes & WW_AT_LOCAL) != 0;
        const bool own = local && k->code[i].op == WW_OP_ST && k->code[i].space == WW_SPACE_LOCAL;
        inst[i] = (pm_note){.pc = i,
                            .first = view.reads[i],
                            .reads = (uint8_t)(view.writes[i] - view.reads[i]),
                            .writes = (uint8_t)writes,
                            .action = (uint8_t)action_of(&k->code[i], build->arch, writes),
                            .loads = is_long(&k->code[i], build->arch),
                            .stores_own = own,
                            .stores_some = local && !own};
    }
    *out = (pm_notes){.inst = inst, .cell = cell};
    *notes = out;
    return WW_OK;
}
