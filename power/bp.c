/* bp.c - BP, base power: what an SM spends for holding a CTA, whatever it does (clock distribution,
 * idle pipelines). */
#include "power/component.h"

void ww__build_bp(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    ww__component(b, WW_COMPONENT_BP, 1);
    ww__structure(b, 1, "SM activation", arch->sm.count, 0, 0, "no structure of its own");
    ww__background(b, "active SM", WW_C_SM_ACTIVE, WW_POWER_PER_COUNT,
                   arch->power.sm_activation_w / arch->clock.core_hz, 1,
                   "%.4g W at %.4g MHz, proportional to the clock; %s", arch->power.sm_activation_w,
                   arch->clock.core_hz / 1e6, ww__config_text(b, "power.sm_activation_w"));
}
