/* overhead_nlp.c - NLP's structures in an SM: the adder that makes the next line's address, and the
 * queue of prefetches, searched so that none is queued twice. A prefetch also looks up the L1D's
 * tags and, when it is sent, enters an MSHR. */
#include "power/component.h"

enum { LINE_ADDRESS_BITS = 33 /* of 128-byte lines, as in the load/store unit */ };

void ww__overhead_nlp(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    const ww_cache_params *l1 = &arch->l1d;
    ww_cost adder = ww_logic_adder(b->node, LINE_ADDRESS_BITS);
    ww_array_spec spec = {.kind = WW_ARRAY_CAM,
                          .bits = (uint64_t)arch->nlp.queue_entries * LINE_ADDRESS_BITS,
                          .word_bits = LINE_ADDRESS_BITS,
                          .rw_ports = 1,
                          .search_ports = 1};
    ww_array_result queue = ww__array(b, "prefetch queue", &spec);
    ww__structure(b, 2, "next-line adder", arch->sm.count, adder.area_m2, adder.leak_w,
                  "logic model: %d-bit adder", LINE_ADDRESS_BITS);
    ww__event(b, "next line", WW_C_PF_REQUESTED, adder.energy_j, "logic model: %d-bit adder",
              LINE_ADDRESS_BITS);
    ww__structure(b, 2, "prefetch queue", arch->sm.count, queue.area_m2, queue.leak_w, "%s",
                  ww__array_text(b, &spec));
    ww__event(b, "enter", WW_C_PF_REQUESTED, queue.search_j + queue.write_j,
              "array model: search and entry");
    ww__event(b, "leave", WW_C_PF_LOOKUP, queue.read_j, "array model: one entry");

    ww_array_result cache = ww__cache(b, "L1 data cache", l1);
    ww_array_spec mshr = {.kind = WW_ARRAY_CAM,
                          .bits = (uint64_t)l1->mshr_entries * LINE_ADDRESS_BITS,
                          .word_bits = LINE_ADDRESS_BITS,
                          .rw_ports = 1,
                          .search_ports = 1};
    if (l1->bytes == 0) {
        mshr.bits = 0;
    }
    ww_array_result keys = ww__array(b, "miss-status registers", &mshr);
    ww__structure(b, 2, "L1 data cache", arch->sm.count, 0, 0,
                  "prefetches' use of it; the cache itself is in LDSTU");
    ww__event(b, "look up tags", WW_C_PF_LOOKUP, cache.tag.read_j + keys.search_j,
              "array model: tags and miss-status registers");
    ww__event(b, "miss", WW_C_PF_ISSUED, keys.write_j, "array model: miss-status register entered");
}
