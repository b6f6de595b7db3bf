/* hooks.c - DART (LPGPU D5.5.3, 2013, section 3.3) on one SM: it brings a core (lanes.c, shared.c)
 * and says which seed scalar registers have on it. */
#include "mech/dart/dart.h"

/* The report's own seed takes %tid.x alone to vary. */
static bool scalarize(const ww_arch *arch, unsigned *varying)
{
    if (arch->dart.seed == WW_DART_SEED_REPORT) {
        *varying = 0;
    }
    return false;
}

static ww_status create(ww_sm *sm, const ww_arch *arch, void **state, ww_error *err)
{
    const ww_units_params *u = &arch->units;
    uint32_t count = u->sp_count * u->sp_lanes;
    if (count > DART_LANES) {
        return ww_fail(err, WW_EUNSUP,
                       "%u lanes (units.sp_count x units.sp_lanes): a core of lanes has at most %d",
                       count, DART_LANES);
    }
    dart *d = WW_NEW(dart);
    if (d == NULL) {
        return ww_no_memory(err);
    }
    d->sm = sm;
    d->arch = arch;
    d->counts = ww_mech_counts(sm);
    d->count = count;
    for (uint32_t w = 0; w < WW_WARPS; w++) {
        ww_warps_add(&d->lane[dart_lane_of(d, w)].warps, w);
    }
    dart_clear(d);
    *state = d;
    return WW_OK;
}

static void destroy(void *state)
{
    ww_free(state);
}

static ww_status begin(void *state, const ww_mech_launch *launch, ww_error *err)
{
    (void)launch;
    (void)err;
    dart_clear(state);
    return WW_OK;
}

const ww_mech ww_mech_dart = {
    .name = "dart",
    .core = &dart_core,
    .scalarize = scalarize,
    .create = create,
    .destroy = destroy,
    .begin = begin,
};
