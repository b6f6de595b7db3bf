/* buffer.h - MTA's prefetch cache beside the L1D: a demand load that finds its sector there does
 * not look up the L1D. Stores go to the L1D alone and drop their sector here. */
#ifndef WW_MECH_MTA_BUFFER_H
#define WW_MECH_MTA_BUFFER_H

#include "mech/lib/prefetch.h"

typedef struct mta_buffer {
    ww_sm *sm;
    ww_cache *tags;            /* NULL: prefetches go into the L1D, or are there at once */
    uint32_t latency, forward; /* of a hit, as the L1D's; from arrival to a load that waits */
    bool looks_up_l1d;         /* prefetches do, before they are sent */
} mta_buffer;

/** @error ENOMEM, ERANGE where the size has no such geometry */
WW_NODISCARD ww_status mta_buffer_init(mta_buffer *b, ww_sm *sm, const ww_arch *arch,
                                       ww_error *err);
void mta_buffer_fini(mta_buffer *b);
void mta_buffer_clear(mta_buffer *b);

/** Sends the oldest request of the queue, unless its line is here or in the L1D; at most one
 * look-up a cycle. mech: the mechanism's place in the SM's list. */
void mta_buffer_tick(mta_buffer *b, ww_prefetcher *p, uint32_t mech, uint64_t now);
/** A reply is there. */
void mta_buffer_arrived(mta_buffer *b, ww_prefetcher *p, uint64_t address, uint64_t now);
/** A load is about to look up the L1D: whether its sector is here, its data at *ready; on its way,
 * it waits for it (UINT64_MAX). */
bool mta_buffer_serves(mta_buffer *b, ww_prefetcher *p, const ww_mech_access *access, uint64_t now,
                       uint64_t *ready);
/** An access looked up the L1D. */
void mta_buffer_missed(mta_buffer *b, ww_prefetcher *p, const ww_mech_access *access, uint64_t now);

#endif
