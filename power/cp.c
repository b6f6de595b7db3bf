/* cp.c - CP, cluster power: what a cluster of SMs spends while one of them holds a CTA. */
#include "power/component.h"

void ww__build_cp(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    ww__component(b, WW_COMPONENT_CP, 1);
    ww__structure(b, 1, "cluster activation", arch->sm.clusters, 0, 0, "no structure of its own");
    ww__background(b, "active cluster", WW_C_CLUSTER_ACTIVE, WW_POWER_PER_COUNT,
                   ww__activation_j(b, arch->power.cluster_activation_w), 1,
                   "%.4g W at %.4g MHz, with clock and voltage squared; %s",
                   arch->power.cluster_activation_w, ww__reference_hz(b) / 1e6,
                   ww__config_text(b, "power.cluster_activation_w"));
}
