/* overhead.c - INTER's structures in an SM: the table of strides by load, and the queue. */
#include "mech/lib/overhead.h"

void ww__overhead_inter(ww__builder *b)
{
    ww__overhead_strides(b, "stride table", b->arch->inter.entries, WW_PC_BITS, WW_C_INTER_LOOKUP);
    ww__overhead_prefetch_queue(b, b->arch->inter.queue_entries);
    ww__overhead_prefetch_l1d(b, WW_MECH_INTER);
}
