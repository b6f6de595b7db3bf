/* overhead.c - ORCH's structures in an SM: the number of the group in charge for each scheduler,
 * and the selection of the group's warps before the others. */
#include "mech/lib/overhead.h"

void ww__overhead_orch(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    uint32_t warps = arch->sm.max_warps / arch->sm.schedulers;
    uint32_t bits = ww__number_bits((warps + arch->orch.group - 1) / arch->orch.group);
    ww_cost group = ww_logic_register(b->node, bits, 1);
    ww_cost select = ww_logic_mux(b->node, 2, warps);
    ww__structure(b, 2, "group in charge", arch->sm.count * arch->sm.schedulers,
                  group.area_m2 + select.area_m2, group.leak_w + select.leak_w,
                  "logic model: %u-bit register, selection over %u warps", (unsigned)bits,
                  (unsigned)warps);
    ww__event(b, "change", WW_C_ORCH_TURN, group.energy_j + select.energy_j,
              "logic model: register and selection");
}
