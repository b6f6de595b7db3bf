/* bp.c - BP, base power: what an SM spends for holding a CTA, whatever it does (clock distribution,
 * idle pipelines), and the logic of an SM that belongs to no other component. */
#include "power/component.h"

#include <math.h>

/* McPAT (Li et al., TACO 10(1) 2013, "undifferentiated core"; released code, version 1.3): what an
 * in-order core holds beside its modelled parts, fitted to processors; area and leakage alone. It
 * falls with the depth of the pipeline and grows with the threads held, here warps. */
static void add_undifferentiated(ww__builder *b)
{
    enum { FIT_STAGES = 12 }; /* the deepest that the fit is meant for; an SM's pipe is deeper */
    const double macro_layout =
        1.1; /* McPAT's overhead of placing and routing macros, as released */
    const ww_arch *arch = b->arch;
    double mm2_90nm = 6.55 - 2.19 * log(FIT_STAGES);
    double threads = 1 + 0.0716 * log2(arch->sm.max_warps);
    double area_m2 = mm2_90nm * 1e-6 * threads * ww__logic_scaling(b->node) * macro_layout;
    ww__structure(
        b, 1, "undifferentiated logic", arch->sm.count, area_m2,
        ww__logic_leak_w(b->node, area_m2, 1),
        "McPAT's fit for an in-order core: %.3g mm2 at 90 nm for %d stages, times %.3g for "
        "%u warps",
        mm2_90nm, FIT_STAGES, threads, (unsigned)arch->sm.max_warps);
    ww__area_kind(b, WW_AREA_FIT);
}

void ww__build_bp(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    ww__component(b, WW_COMPONENT_BP, 1);
    ww__structure(b, 1, "SM activation", arch->sm.count, 0, 0, "no structure of its own");
    ww__background(b, "active SM", WW_C_SM_ACTIVE, WW_POWER_PER_COUNT,
                   ww__activation_j(b, arch->power.sm_activation_w), 1,
                   "%.4g W at %.4g MHz, with clock and voltage squared; %s",
                   arch->power.sm_activation_w, ww__reference_hz(b) / 1e6,
                   ww__config_text(b, "power.sm_activation_w"));
    add_undifferentiated(b);
    ww__placement(b);
}
