/* mechanisms.c - hooks by mechanism. */
#include "perf/mech/mechanisms.h"

const ww_mech *ww_mech_of(ww_mech_id id)
{
    static const ww_mech *const table[WW_MECH_COUNT] = {
#define X(id, member, name, FIELDS, type, doc) [WW_MECH_##id] = &ww_mech_##member,
        WW_MECHANISMS_OF(X)
#undef X
    };
    return table[id];
}
