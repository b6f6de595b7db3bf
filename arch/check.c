/* check.c - what must hold between parameters, beyond the range of each. */
#include <stdio.h>

#include "arch/config.h"

/* Fails, located where key was set, unless the condition holds. */
#define REQUIRE(condition, key, ...)                                                               \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            return ww__config_fail(arch, key, err, WW_ERANGE, __VA_ARGS__);                        \
        }                                                                                          \
    } while (0)

static bool is_power_of_two(uint32_t x)
{
    return x != 0 && (x & (x - 1)) == 0;
}

static ww_status check_sm(const ww_arch *arch, ww_error *err)
{
    const ww_sm_params *sm = &arch->sm;
    REQUIRE(sm->clusters <= sm->count, "sm.clusters", "more clusters than SMs (sm.count = %u)",
            sm->count);
    REQUIRE(sm->max_threads <= sm->max_warps * WW_WARP_SIZE, "sm.max_threads",
            "more threads than %u warps hold (sm.max_warps)", sm->max_warps);
    REQUIRE(sm->max_threads % WW_WARP_SIZE == 0, "sm.max_threads",
            "not a multiple of the warp size, %d", WW_WARP_SIZE);
    REQUIRE(sm->max_cta_threads <= sm->max_threads, "sm.max_cta_threads",
            "a CTA of that size never fits an SM (sm.max_threads = %u)", sm->max_threads);
    REQUIRE(sm->max_warps % sm->schedulers == 0, "sm.schedulers",
            "does not divide the warps evenly (sm.max_warps = %u)", sm->max_warps);
    REQUIRE(!sm->fetch_by_group || sm->fetch_warps % sm->schedulers == 0, "sm.fetch_by_group",
            "as many warps of each scheduler cannot be fetched from (sm.fetch_warps = %u)",
            sm->fetch_warps);
    REQUIRE(sm->two_level_active * sm->schedulers <= sm->max_warps, "sm.two_level_active",
            "more than the warps of one scheduler (%u)", sm->max_warps / sm->schedulers);
    REQUIRE(sm->shared_bytes % sm->shared_unit_bytes == 0, "sm.shared_unit_bytes",
            "does not divide sm.shared_bytes = %u", sm->shared_bytes);
    uint32_t warp_registers = WW_WARP_SIZE * arch->regfile.banks;
    REQUIRE(sm->registers % warp_registers == 0, "sm.registers",
            "not a multiple of %u, a warp register in each of the %u banks (regfile.banks)",
            warp_registers, arch->regfile.banks);
    REQUIRE(sm->registers >= WW_WARP_SIZE * sm->max_thread_registers, "sm.max_thread_registers",
            "one warp would need more than sm.registers = %u", sm->registers);
    REQUIRE(arch->regfile.collector_operands >= 3, "regfile.collector_operands",
            "a multiply-add has 3 source operands");
    bool partitions = sm->core == WW_CORE_PARTITIONED || sm->core == WW_CORE_TURNED;
    REQUIRE(sm->dependence == WW_DEPEND_SCOREBOARD || partitions, "sm.dependence",
            "control bits need a core of partitions (sm.core)");
    const ww_mech_id owner = ww__mech_that_sets("sm.core", "lanes");
    REQUIRE((sm->core == WW_CORE_LANES) == (arch->mechs >> owner & 1), "sm.core",
            "a core of lanes is the mechanism %s's (--mech %s), which has no other",
            ww_mech_name(owner), ww_mech_name(owner));
    REQUIRE(arch->peer.result_slots == 0 || sm->core == WW_CORE_SHARED, "peer.result_slots",
            "only a pool of collectors (sm.core) knows of results that come together");
    REQUIRE(!partitions || arch->regfile.banks % sm->schedulers == 0, "regfile.banks",
            "not divided evenly over %u partitions (sm.schedulers)", sm->schedulers);
    return WW_OK;
}

static ww_status check_units(const ww_arch *arch, ww_error *err)
{
    const ww_units_params *units = &arch->units;
    REQUIRE(units->dp_count == 0 || units->dp_lanes > 0, "units.dp_lanes",
            "FP64 pipelines without lanes (units.dp_count = %u)", units->dp_count);
    return WW_OK;
}

static ww_status check_cache(const ww_arch *arch, const char *group, const ww_cache_params *cache,
                             ww_error *err)
{
    char key[32];
#define CACHE_KEY(name) (snprintf(key, sizeof key, "%s.%s", group, name), key)
    REQUIRE(is_power_of_two(cache->line_bytes), CACHE_KEY("line_bytes"), "not a power of two");
    REQUIRE(is_power_of_two(cache->sector_bytes), CACHE_KEY("sector_bytes"), "not a power of two");
    REQUIRE(cache->sector_bytes <= cache->line_bytes, CACHE_KEY("sector_bytes"),
            "a sector larger than the line (%u B)", cache->line_bytes);
    if (cache->bytes == 0) {
        return WW_OK;
    }
    uint32_t way_row = cache->line_bytes * cache->ways;
    REQUIRE(cache->bytes % way_row == 0, CACHE_KEY("bytes"),
            "not a multiple of line_bytes * ways = %u", way_row);
    REQUIRE(is_power_of_two(cache->bytes / way_row) || cache->set_index == WW_INDEX_LINEAR,
            CACHE_KEY("bytes"),
            "gives %u sets, which is not a power of two: only linear indexing finds a set then",
            cache->bytes / way_row);
    REQUIRE(cache->data_port_bytes <= cache->line_bytes, CACHE_KEY("data_port_bytes"),
            "wider than the line (%u B)", cache->line_bytes);
#undef CACHE_KEY
    return WW_OK;
}

static ww_status check_ldst(const ww_arch *arch, ww_error *err)
{
    const ww_ldst_params *ldst = &arch->ldst;
    REQUIRE(is_power_of_two(ldst->shared_banks), "ldst.shared_banks", "not a power of two");
    REQUIRE(is_power_of_two(ldst->segment_bytes), "ldst.segment_bytes", "not a power of two");
    REQUIRE(is_power_of_two(ldst->min_segment_bytes), "ldst.min_segment_bytes",
            "not a power of two");
    REQUIRE(ldst->min_segment_bytes <= ldst->segment_bytes, "ldst.min_segment_bytes",
            "larger than ldst.segment_bytes = %u", ldst->segment_bytes);
    REQUIRE(!ldst->l1_caches_global || arch->l1d.bytes > 0, "ldst.l1_caches_global",
            "there is no L1 data cache (l1d.bytes = 0)");
    REQUIRE(arch->l2.bytes == 0 || ldst->segment_bytes <= arch->l2.line_bytes, "ldst.segment_bytes",
            "larger than an L2 line (l2.line_bytes = %u)", arch->l2.line_bytes);
    REQUIRE(ldst->l1_sectors == 1 ||
                ldst->l1_sectors * arch->l1d.sector_bytes <= arch->l1d.data_port_bytes,
            "ldst.l1_sectors", "more than l1d.data_port_bytes = %u deliver in a cycle",
            arch->l1d.data_port_bytes);
    if (ldst->unified_bytes > 0) {
        const ww_cache_params *l1d = &arch->l1d;
        uint32_t way = l1d->ways > 0 ? l1d->bytes / l1d->ways : 0;
        REQUIRE(l1d->bytes > 0 && l1d->bytes + arch->sm.shared_bytes <= ldst->unified_bytes,
                "ldst.unified_bytes",
                "smaller than sm.shared_bytes = %u and l1d.bytes = %u beside it",
                arch->sm.shared_bytes, l1d->bytes);
        REQUIRE(ldst->unified_bytes % way == 0, "ldst.unified_bytes",
                "not a multiple of a way of the L1D, %u B", way);
    }
    return WW_OK;
}

static ww_status check_mem(const ww_arch *arch, ww_error *err)
{
    const ww_mem_params *mem = &arch->mem;
    uint32_t burst = ww_arch_burst_bytes(arch);
    REQUIRE(mem->bus_bits % 8 == 0 && mem->bus_bits % mem->devices == 0, "mem.bus_bits",
            "not whole bytes shared evenly by %u devices (mem.devices)", mem->devices);
    REQUIRE(is_power_of_two(mem->interleave_bytes), "mem.interleave_bytes", "not a power of two");
    REQUIRE(mem->interleave_bytes >= arch->l2.line_bytes, "mem.interleave_bytes",
            "smaller than an L2 line (l2.line_bytes = %u)", arch->l2.line_bytes);
    REQUIRE(mem->l2_parts == 1 || (mem->channels % 2 == 0 && arch->sm.clusters > 1), "mem.l2_parts",
            "channels and clusters (mem.channels = %u, sm.clusters = %u) cannot be divided",
            mem->channels, arch->sm.clusters);
    REQUIRE(mem->row_bytes % burst == 0, "mem.row_bytes", "not a multiple of a burst of %u B",
            burst);
    REQUIRE(is_power_of_two(mem->row_bytes), "mem.row_bytes", "not a power of two");
    REQUIRE(mem->banks % mem->bank_groups == 0, "mem.bank_groups", "does not divide mem.banks = %u",
            mem->banks);
    REQUIRE(mem->banks % (mem->stack_ids * mem->bank_groups) == 0, "mem.stack_ids",
            "banks and their groups (mem.banks = %u, mem.bank_groups = %u) cannot be divided",
            mem->banks, mem->bank_groups);
    REQUIRE(mem->stack_ids == 1 || mem->scheduler != WW_DRAM_BANK_FRFCFS, "mem.stack_ids",
            "mem.scheduler = bank-fr-fcfs knows one alone");
    REQUIRE(mem->tccdl >= mem->tccd, "mem.tccdl",
            "shorter than between bank groups (mem.tccd = %u)", mem->tccd);
    REQUIRE(mem->tccdr == 0 || mem->tccdr >= mem->tccd, "mem.tccdr",
            "shorter than within a stack ID (mem.tccd = %u)", mem->tccd);
    REQUIRE(mem->trc >= mem->tras, "mem.trc", "shorter than mem.tras = %u", mem->tras);
    REQUIRE(mem->tras >= mem->trcd, "mem.tras", "shorter than mem.trcd = %u", mem->trcd);
    REQUIRE(mem->trefi == 0 || mem->trfc < mem->trefi, "mem.trfc",
            "a refresh longer than the interval (mem.trefi = %u)", mem->trefi);
    return WW_OK;
}

static ww_status check_network(const ww_arch *arch, ww_error *err)
{
    REQUIRE(arch->icnt.joined_reads == 0 ||
                (arch->icnt.topology == WW_ICNT_CROSSBAR && !arch->peer.sector_requests),
            "icnt.joined_reads",
            "requests are joined in a crossbar alone (icnt.topology), and "
            "whole (peer.sector_requests)");
    return WW_OK;
}

static ww_status check_power(const ww_arch *arch, ww_error *err)
{
    const ww_power_params *p = &arch->power;
    REQUIRE(p->static_w <= 0 || (p->constant_w <= 0 && p->sm_idle_w <= 0), "power.static_w",
            "power.static_w is all static power: power.constant_w and power.sm_idle_w must be 0");
    return WW_OK;
}

ww_status ww__arch_check(const ww_arch *arch, ww_error *err)
{
    static const struct {
        const char *group;
        size_t offset;
    } caches[] = {{"l1i", offsetof(ww_arch, l1i)},
                  {"l1d", offsetof(ww_arch, l1d)},
                  {"l1c", offsetof(ww_arch, l1c)},
                  {"l1t", offsetof(ww_arch, l1t)},
                  {"l2", offsetof(ww_arch, l2)}};
    static ww_status (*const before[])(const ww_arch *arch, ww_error *err) = {check_sm,
                                                                              check_units};
    static ww_status (*const behind[])(const ww_arch *arch, ww_error *err) = {
        check_ldst, check_power, check_mem, check_network, ww__clock_check};
    for (size_t i = 0; i < WW_ARRAY_LEN(before); i++) {
        ww_error fault = {0};
        WW_TRY(ww__config_note(arch, before[i](arch, &fault), &fault, err));
    }
    for (size_t i = 0; i < WW_ARRAY_LEN(caches); i++) {
        const void *cache = (const char *)arch + caches[i].offset;
        ww_error fault = {0};
        WW_TRY(
            ww__config_note(arch, check_cache(arch, caches[i].group, cache, &fault), &fault, err));
    }
    for (size_t i = 0; i < WW_ARRAY_LEN(behind); i++) {
        ww_error fault = {0};
        WW_TRY(ww__config_note(arch, behind[i](arch, &fault), &fault, err));
    }
    return WW_OK;
}
