/* overhead.h - what several rooms' overhead models have in common. */
#ifndef WW_MECH_LIB_OVERHEAD_H
#define WW_MECH_LIB_OVERHEAD_H

#include "power/overhead.h"

enum {
    WW_LINE_ADDRESS_BITS = 33, /* of 128-byte lines, as in the load/store unit */
    WW_ADDRESS_BITS = 32,      /* of a base or stride, as IPDPS 2018, Table I, keeps them */
    WW_PC_BITS = 32
};

/** The queue of prefetches that wait for the L1D, searched so that none is queued twice; 0 entries:
 * none. */
void ww__overhead_prefetch_queue(ww__builder *b, uint32_t entries);
/** Prefetches' look-ups of the L1D's tags and miss-status registers. All prefetchers count them
 * together: the first active one of them, in the order of the registry, is charged. */
void ww__overhead_prefetch_l1d(ww__builder *b, ww_mech_id id);
/** A table of strides: searched by key, one entry read and written by each load that `counter`
 * counts. The adder makes the address. */
void ww__overhead_strides(ww__builder *b, const char *name, uint32_t entries, uint32_t key_bits,
                          ww_counter counter);
/** Bits that number `count` things. */
uint32_t ww__number_bits(uint32_t count);

#endif
