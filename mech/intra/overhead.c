/* overhead.c - INTRA's structures in an SM: the table of strides by load and warp, and the queue.
 */
#include "mech/lib/overhead.h"

void ww__overhead_intra(ww__builder *b)
{
    uint32_t warp_bits = ww__number_bits(b->arch->sm.max_warps);
    ww__overhead_strides(b, "stride table", b->arch->intra.entries, WW_PC_BITS + warp_bits,
                         WW_C_INTRA_LOOKUP);
    ww__overhead_prefetch_queue(b, b->arch->intra.queue_entries);
    ww__overhead_prefetch_l1d(b, WW_MECH_INTRA);
}
