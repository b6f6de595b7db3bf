/* mechanisms.c - hooks by mechanism. */
#include "mech/mechanisms.h"

const ww_mech *ww_mech_of(ww_mech_id id)
{
    static const ww_mech *const table[WW_MECH_COUNT] = {
#define WW_MECH(ID, name, doc) [WW_MECH_##ID] = &ww_mech_##name,
#include "mech/rows.h"
    };
    return table[id];
}
