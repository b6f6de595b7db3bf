/* mechanisms.c - hooks by mechanism. */
#include "mech/mechanisms.h"

#include "perf/sm/sm.h"

const ww_mech *ww_mech_of(ww_mech_id id, const ww_arch *arch)
{
    static const ww_mech *const one[WW_MECH_COUNT] = {
#define WW_MECH(ID, name, doc) [WW_MECH_##ID] = &ww_mech_##name,
#include "mech/rows.h"
    };
    static const ww_mech *const wide[WW_MECH_COUNT] = {
#define WW_MECH(ID, name, doc) [WW_MECH_##ID] = &ww_mech_##name##_wide,
#include "mech/rows.h"
    };
    return ww_sm_is_wide(arch) ? wide[id] : one[id];
}
