/* overhead.c - NLP's structures in an SM: the adder that makes the next line's address, and the
 * queue of prefetches. A prefetch also looks up the L1D's tags and, when it is sent, enters an
 * MSHR. */
#include "mech/lib/overhead.h"

void ww__overhead_nlp(ww__builder *b)
{
    ww_cost adder = ww_logic_adder(b->node, WW_LINE_ADDRESS_BITS);
    ww__structure(b, 2, "next-line adder", b->arch->sm.count, adder.area_m2, adder.leak_w,
                  "logic model: %d-bit adder", WW_LINE_ADDRESS_BITS);
    ww__event(b, "next line", WW_C_PF_REQUESTED, adder.energy_j, "logic model: %d-bit adder",
              WW_LINE_ADDRESS_BITS);
    ww__overhead_prefetch_queue(b, b->arch->nlp.queue_entries);
    ww__overhead_prefetch_l1d(b, WW_MECH_NLP);
}
