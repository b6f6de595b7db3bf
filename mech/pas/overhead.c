/* overhead.c - PAS's structures in an SM: the leading-warp marker, one bit for each warp, and the
 * selection of marked warps before the others (IPDPS 2018, section V-A). */
#include "mech/lib/overhead.h"

void ww__overhead_pas(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    uint32_t warps = arch->sm.max_warps;
    ww_cost bit = ww_logic_register(b->node, 1, 1);
    ww_cost select = ww_logic_mux(b->node, 2, warps);
    ww__structure(b, 2, "leading-warp marker", arch->sm.count, warps * bit.area_m2 + select.area_m2,
                  warps * bit.leak_w + select.leak_w,
                  "logic model: a bit for each of %u warps, selection of marked ones",
                  (unsigned)warps);
    ww__event(b, "mark", WW_C_PAS_LEAD, bit.energy_j + select.energy_j,
              "logic model: one bit written, selection changes");
}
