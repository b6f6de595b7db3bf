/* gt200.c - the passes of the gt200 stream: what the machines before Fermi executed, as far as it
 * decides how many instructions there are. PTXPlus, the form in which GPGPU-Sim 3 ran such code,
 * has the same operands. The passes that all machines share see compute capability 1.3; then
 * addresses lose their high words, what that machine lacks is taken apart, bases go to offset
 * registers, and loads of shared memory move into arithmetic. Folding comes before scheduling,
 * which would part loads from their readers. */
#include "perf/ptx/lower/lower.h"
#include "perf/ptx/lower/schedule.h"

enum { COMPUTE_CAPABILITY = 13 };

/* Addresses are known before loads are folded: their windows count displacements. */
static ww_status to_words(ww_function *f, ww_arena *arena, const ww_arch *old, ww_error *err)
{
    WW_TRY(ww__lower_loads_of_params(f, arena, old, err));
    WW_TRY(ww__lower_propagate(f, arena, err));
    WW_TRY(ww__lower_fuse_products(f, arena, old, err));
    WW_TRY(ww__lower_addresses(f, arena, old, err));
    WW_TRY(ww__remove_dead(f, arena, err));
    /* Twice: a division expands into 64-bit operations that expand in turn. */
    WW_TRY(ww__lower_rewrite(f, arena, old, ww__lower_expand, err));
    WW_TRY(ww__lower_rewrite(f, arena, old, ww__lower_expand, err));
    WW_TRY(ww__lower_propagate(f, arena, err));
    return ww__remove_dead(f, arena, err);
}

ww_status ww__lower_gt200(ww_function *f, ww_arena *arena, const ww_arch *arch, ww_error *err)
{
    ww_arch *old = WW_ARENA_NEW(arena, ww_arch);
    if (old == NULL) {
        return ww_no_memory_for(err, "lowering %s", f->name);
    }
    *old = *arch;
    old->chip.compute_capability = COMPUTE_CAPABILITY;
    WW_TRY(to_words(f, arena, old, err));
    WW_TRY(ww__narrow(f, arena, err));
    WW_TRY(ww__lower_propagate(f, arena, err));
    WW_TRY(ww__fold_constants(f, arena, err)); /* what is left of 64-bit sums of two constants */
    WW_TRY(ww__lower_propagate(f, arena, err));
    WW_TRY(ww__lower_rewrite(f, arena, old, ww__gt200_rule, err));
    WW_TRY(ww__lower_propagate(f, arena, err));
    WW_TRY(ww__lower_near_addresses(f, arena, err));
    WW_TRY(ww__remove_dead(f, arena, err));
    WW_TRY(ww__undo_displacements(f, arena, err));
    WW_TRY(ww__if_convert(f, arena, old, err));
    WW_TRY(ww__fold_operands(f, arena, arch->sm.fold_volatile, err));
    WW_TRY(ww__offset_registers(f, arena, err));
    WW_TRY(ww__lower_legalize(f, arena, old, err));
    WW_TRY(ww__remove_dead(f, arena, err));
    return ww__schedule(f, arena, old, err);
}
