/* clusters.c - which cluster (GPC) an SM belongs to, and to which part of the L2 SMs and slices do.
 * Pairs of SMs, which share a TPC, are not divided. */
#include <stdlib.h>
#include <string.h>

#include "arch/config.h"

static ww_status fail(const ww_arch *arch, const char *why, ww_error *err)
{
    return ww__config_fail(arch, "sm.cluster_sms", err, WW_ERANGE, "%s", why);
}

ww_status ww__arch_list_clusters(ww_arch *arch, ww_error *err)
{
    const char *at = arch->sm.cluster_sms;
    unsigned long sum = 0;
    uint32_t count = 0;
    memset(arch->cluster_end, 0, sizeof arch->cluster_end);
    if (strcmp(at, "even") == 0) {
        return WW_OK;
    }
    for (;;) {
        char *end;
        unsigned long sms = strtoul(at, &end, 10);
        if (end == at) {
            break;
        }
        if (count == arch->sm.clusters || count == WW_ARCH_CLUSTERS || sms == 0 ||
            sms > arch->sm.count - sum) {
            return fail(arch, "not the SMs (sm.count) of the clusters (sm.clusters, 16 at most)",
                        err);
        }
        sum += sms;
        arch->cluster_end[count++] = (uint32_t)sum;
        at = end;
    }
    if (*at != '\0' || count != arch->sm.clusters || sum != arch->sm.count) {
        return fail(arch,
                    "not the SMs (sm.count) of each cluster (sm.clusters), as 18 16 16, or "
                    "even",
                    err);
    }
    return WW_OK;
}

uint32_t ww_arch_cluster_of(const ww_arch *arch, uint32_t sm)
{
    uint32_t count = arch->sm.count, clusters = arch->sm.clusters, c = 0;
    if (arch->cluster_end[0] == 0) {
        uint32_t unit = count % 2 == 0 && count / 2 >= clusters ? 2 : 1;
        return (uint32_t)((uint64_t)(sm / unit) * clusters / (count / unit));
    }
    while (sm >= arch->cluster_end[c]) {
        c++;
    }
    return c;
}

uint32_t ww_arch_sm_part(const ww_arch *arch, uint32_t sm)
{
    return arch->mem.l2_parts > 1 ? ww_arch_cluster_of(arch, sm) * 2 / arch->sm.clusters : 0;
}

uint32_t ww_arch_slice_part(const ww_arch *arch, uint32_t slice)
{
    return arch->mem.l2_parts > 1 && slice >= ww_arch_slices(arch) / 2 ? 1 : 0;
}
