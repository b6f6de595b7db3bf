/* overhead.c - DirectPrefetch's structures in an SM: a table of strides per warp, searched by the
 * load's address, the adder that makes the next one, and the prefetch queue. A prefetch also looks
 * up the L1D's tags and enters an MSHR. */
#include "mech/lib/overhead.h"

static void add_table(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    const ww_directprefetch_params *p = &arch->directprefetch;
    const uint32_t entry_bits = WW_PC_BITS + 2 * WW_LINE_ADDRESS_BITS + p->confidence_bits + 1;
    ww_array_spec spec = ww_array_table(arch->sm.max_warps, p->entries * entry_bits, 1, 1);
    ww_array_result table = ww__array(b, "stride tables", &spec);
    ww_cost compare = ww_logic_comparator(b->node, WW_PC_BITS);
    ww_cost adder = ww_logic_adder(b->node, WW_LINE_ADDRESS_BITS);
    ww__structure(b, 2, "stride tables", arch->sm.count,
                  table.area_m2 + p->entries * compare.area_m2 + 2 * adder.area_m2,
                  table.leak_w + p->entries * compare.leak_w + 2 * adder.leak_w,
                  "%u entries of %u bits per warp, comparators and two adders; %s",
                  (unsigned)p->entries, (unsigned)entry_bits, ww__array_text(b, &spec));
    ww__event(b, "look up and learn", WW_C_DIRECTPREFETCH_LOAD,
              table.read_j + table.write_j + p->entries * compare.energy_j + 2 * adder.energy_j,
              "array model: a warp's row read and written; logic model: comparators, adders");
}

void ww__overhead_directprefetch(ww__builder *b)
{
    add_table(b);
    ww__overhead_prefetch_queue(b, b->arch->directprefetch.queue_entries);
    ww__overhead_prefetch_l1d(b, WW_MECH_DIRECTPREFETCH);
}
