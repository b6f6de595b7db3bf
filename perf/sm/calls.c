/* calls.c - what the rest of the program asks of an SM, and mechanisms of theirs: each call goes
 * through the table of the compilation that made the SM (ops.h). */
#include "perf/sm/ops.h"
#include "perf/sm/slots.h"

static const ww_sm_ops *ops_of(const ww_sm *sm)
{
    return ((const ww_sm_head *)(const void *)sm)->ops;
}

bool ww_sm_is_wide(const ww_arch *arch)
{
    return arch->sm.max_warps + arch->extra_warps > WW_SM_WARPS;
}

ww_status ww_sm_create(const ww_arch *arch, uint32_t id, ww_port *port, ww_counter_block *counters,
                       ww_arena *room, ww_sm **out, ww_error *err)
{
    const ww_sm_ops *ops = ww_sm_is_wide(arch) ? &ww_sm_wide : &ww_sm_one;
    return ops->create(ops, arch, id, port, counters, room, out, err);
}

void ww_sm_destroy(ww_sm *sm)
{
    if (sm != NULL) {
        ops_of(sm)->destroy(sm);
    }
}

ww_status ww_sm_run(ww_sm *sm, uint64_t from, uint64_t until, bool edge, const ww_sm_order *order,
                    uint32_t orders, uint64_t *stopped, ww_error *err)
{
    return ((const ww_sm_head *)(const void *)sm)
        ->run(sm, from, until, edge, order, orders, stopped, err);
}

#define GIVES(type, name, parameters, arguments)                                                   \
    type ww_sm_##name parameters                                                                   \
    {                                                                                              \
        return ops_of(sm)->name arguments;                                                         \
    }
#define DOES(name, parameters, arguments)                                                          \
    void ww_sm_##name parameters                                                                   \
    {                                                                                              \
        ops_of(sm)->name arguments;                                                                \
    }
WW_SM_CALLS(GIVES, DOES)
#undef GIVES
#undef DOES

#define GIVES(type, name, parameters, arguments)                                                   \
    type ww_mech_##name parameters                                                                 \
    {                                                                                              \
        return ops_of(sm)->services->name arguments;                                               \
    }
#define DOES(name, parameters, arguments)                                                          \
    void ww_mech_##name parameters                                                                 \
    {                                                                                              \
        ops_of(sm)->services->name arguments;                                                      \
    }
WW_MECH_SERVICES(GIVES, DOES)
