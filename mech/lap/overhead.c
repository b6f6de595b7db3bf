/* overhead.c - LAP's structures in an SM: the table of macro blocks, searched by every load that
 * misses, and the queue. */
#include "mech/lib/overhead.h"

void ww__overhead_lap(ww__builder *b)
{
    const ww_lap_params *p = &b->arch->lap;
    uint32_t block_bits = WW_LINE_ADDRESS_BITS - ww__number_bits(p->lines),
             state_bits = p->lines + 1;
    ww_array_spec key_spec = {.kind = WW_ARRAY_CAM,
                              .bits = (uint64_t)p->entries * block_bits,
                              .word_bits = block_bits,
                              .rw_ports = 1,
                              .search_ports = 1};
    ww_array_spec map_spec = ww_array_table(p->entries, state_bits, 1, 1);
    ww_array_result keys = ww__array(b, "macro blocks", &key_spec);
    ww_array_result maps = ww__array(b, "macro blocks", &map_spec);
    ww__structure(b, 2, "macro blocks", b->arch->sm.count, keys.area_m2 + maps.area_m2,
                  keys.leak_w + maps.leak_w, "%u blocks: %u bits of address, %u of lines and state",
                  (unsigned)p->entries, (unsigned)block_bits, (unsigned)state_bits);
    ww__event(b, "note miss", WW_C_LAP_LOOKUP, keys.search_j + maps.read_j + maps.write_j,
              "array model: search, read and write of an entry");
    ww__overhead_prefetch_queue(b, p->queue_entries);
    ww__overhead_prefetch_l1d(b, WW_MECH_LAP);
}
