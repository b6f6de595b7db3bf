/* overhead.c - see overhead.h. */
#include "mech/lib/overhead.h"

#include "base/arith.h"

static ww_array_spec searched(uint32_t entries, uint32_t bits)
{
    return (ww_array_spec){.kind = WW_ARRAY_CAM,
                           .bits = (uint64_t)entries * bits,
                           .word_bits = bits,
                           .rw_ports = 1,
                           .search_ports = 1};
}

uint32_t ww__number_bits(uint32_t count)
{
    return ww_max_u32(ww_log2_ceil(count), 1);
}

void ww__overhead_prefetch_queue(ww__builder *b, uint32_t entries)
{
    ww_array_spec spec = searched(entries, WW_LINE_ADDRESS_BITS);
    ww_array_result queue = ww__array(b, "prefetch queue", &spec);
    ww__structure(b, 2, "prefetch queue", b->arch->sm.count, queue.area_m2, queue.leak_w, "%s",
                  ww__array_text(b, &spec));
    ww__event(b, "enter", WW_C_PF_REQUESTED, queue.search_j + queue.write_j,
              "array model: search and entry");
    ww__event(b, "leave", WW_C_PF_LOOKUP, queue.read_j, "array model: one entry");
}

/* Who counts look-ups of the L1D. */
static uint64_t prefetchers(void)
{
    static const ww_mech_id table[] = {
#define WW_MECH_PREFETCHES(ID) WW_MECH_##ID,
#include "mech/rows.h"
    };
    uint64_t set = 0;
    for (size_t i = 0; i < WW_ARRAY_LEN(table); i++) {
        set |= UINT64_C(1) << table[i];
    }
    return set;
}

void ww__overhead_prefetch_l1d(ww__builder *b, ww_mech_id id)
{
    const ww_cache_params *l1 = &b->arch->l1d;
    uint64_t before = (UINT64_C(1) << id) - 1;
    if ((b->arch->mechs & prefetchers() & before) != 0) {
        return;
    }
    ww_array_result cache = ww__cache(b, "L1 data cache", l1);
    ww_array_spec mshr = searched(l1->bytes == 0 ? 0 : l1->mshr_entries, WW_LINE_ADDRESS_BITS);
    ww_array_result keys = ww__array(b, "miss-status registers", &mshr);
    ww__structure(b, 2, "L1 data cache", b->arch->sm.count, 0, 0,
                  "prefetches' use of it; the cache itself is in LDSTU");
    ww__event(b, "look up tags", WW_C_PF_LOOKUP, cache.tag.read_j + keys.search_j,
              "array model: tags and miss-status registers");
    ww__event(b, "miss", WW_C_PF_ISSUED, keys.write_j, "array model: miss-status register entered");
}

void ww__overhead_strides(ww__builder *b, const char *name, uint32_t entries, uint32_t key_bits,
                          ww_counter counter)
{
    enum { CONFIDENCE_BITS = 2 };
    uint32_t data_bits = 2 * WW_ADDRESS_BITS + CONFIDENCE_BITS;
    ww_array_spec key_spec = searched(entries, key_bits);
    ww_array_spec data_spec = ww_array_table(entries, data_bits, 1, 1);
    ww_array_result keys = ww__array(b, name, &key_spec);
    ww_array_result data = ww__array(b, name, &data_spec);
    ww_cost adder = ww_logic_adder(b->node, WW_ADDRESS_BITS);
    ww__structure(b, 2, name, b->arch->sm.count, keys.area_m2 + data.area_m2 + 2 * adder.area_m2,
                  keys.leak_w + data.leak_w + 2 * adder.leak_w,
                  "%u entries of %u bits key and %u bits of address, stride and confidence; two "
                  "adders of %d bits",
                  (unsigned)entries, (unsigned)key_bits, (unsigned)data_bits, WW_ADDRESS_BITS);
    ww__event(b, "learn", counter, keys.search_j + data.read_j + data.write_j + 2 * adder.energy_j,
              "array model: search, read and write of an entry; logic model: adders");
}
