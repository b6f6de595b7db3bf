/* joins.h - the request coalescer between the SMs of a cluster and the L2: a read of bytes that
 * another SM of the cluster has asked for, and whose answer has not left the L2, is not sent; one
 * answer crosses the network for all, and at its end each SM takes it through a link of its own.
 * Packets stay those of the pool; links between them are kept here. Pure. */
#ifndef WW_PERF_MEM_JOINS_H
#define WW_PERF_MEM_JOINS_H

#include "perf/mem/charges.h"
#include "perf/mem/icnt.h"

typedef struct ww_joins {
    uint32_t most;     /* reads of a cluster under way that others may join; 0: none */
    uint32_t mask;     /* of buckets */
    uint32_t *bucket;  /* first packet of each, WW_NO_PACKET: none */
    uint32_t *next;    /* [packet] in its bucket; of one that has joined: the one behind it */
    uint32_t *first;   /* [packet] that has joined it; WW_NO_PACKET: none */
    uint32_t *last;    /* [packet] the same, the latest */
    uint8_t *leads;    /* [packet] others may join it */
    uint32_t *leading; /* [cluster] packets that lead */
    uint64_t *shared;  /* [SM] blocks of 32 B */
    uint8_t *cluster;  /* [SM] */
    ww_pool *pool;
} ww_joins;

/** Of a machine; false when out of memory. */
bool ww__joins_init(ww_joins *joins, const ww_arch *arch, ww_pool *pool, ww_arena *arena);
/** A packet with its SM, kind, slice and bytes set is about to be sent. True: it has joined another
 * and comes with its answer. Else others may join it from now on, where there is room. */
bool ww__joins_enter(ww_joins *joins, uint32_t id);
/** The answer to a packet leaves the L2: what has joined it comes through its SM's own input of the
 * network (ww__net_beside), from the next cycle on. Nobody joins it any more. */
void ww__joins_share(ww_joins *joins, ww_net *reply, uint32_t id, uint64_t now,
                     const ww_charges *charges);
/** Blocks of 32 B that have come to an SM so since the last time. */
uint64_t ww__joins_shared(ww_joins *joins, uint32_t sm);

#endif
