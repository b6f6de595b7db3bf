/* mem.h - the memory system in time: coalescer, caches, interconnect, L2 slices, memory
 * controllers, DRAM. Carries addresses, sizes and kinds, never data: values live in perf/exec.
 * Depends on: base, arch, counters. */
#ifndef WW_PERF_MEM_MEM_H
#define WW_PERF_MEM_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/status.h"
#include "counters/counters.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a request is for; decides packet size and who receives the reply. */
typedef enum ww_req_kind {
    WW_REQ_READ,      /* data read of an L1D or bypassing load: reply with data */
    WW_REQ_WRITE,     /* store: reply is an acknowledgement */
    WW_REQ_ATOMIC,    /* read-modify-write at the L2: reply with data */
    WW_REQ_INST,      /* instruction-cache fill */
    WW_REQ_CONST,     /* constant-cache fill */
    WW_REQ_TEX,       /* texture-cache fill */
    WW_REQ_WRITEBACK, /* dirty L1 line: no reply */
    WW_REQ_PREFETCH,  /* like READ, low priority */
    WW_REQ_REDUCE,    /* atomic without result (RED): reply is an acknowledgement */
    WW_REQ_BRING,     /* prefetch into the L2: reply is an acknowledgement */
} ww_req_kind;

/* One transaction between an SM and a memory partition. Plain data, copied by value. */
typedef struct ww_mem_req {
    uint64_t address; /* aligned to its segment */
    uint16_t bytes;   /* segment size: 32..128; must not cross a multiple of mem.interleave_bytes */
    uint8_t kind;     /* ww_req_kind */
    uint8_t flags;    /* owner's use */
    uint32_t sm;      /* requesting SM */
    uint32_t token;   /* owner's tag (MSHR, LSU entry); returned in the reply */
    uint32_t byte_mask; /* writes: one bit per 4-byte word of the segment written; 0: all of them */
    uint32_t lanes;     /* atomics: lane operations in this request */
    uint32_t owner;     /* who is charged for it (charges.h); 0: nobody */
    uint64_t issued;    /* core cycle of injection, for latency statistics */
} ww_mem_req;

/* Who knows the bytes behind an address; NULL: no data of a kernel's, or not so many bytes. */
typedef struct ww_data {
    const void *(*at)(void *user, uint64_t address, uint32_t bytes);
    void *user;
} ww_data;

/* ---- coalescer (coalesce.c): pure ---- */
typedef struct ww_segment {
    uint64_t address;
    uint16_t bytes;
    uint32_t lanes;     /* lanes served */
    uint32_t byte_mask; /* words touched, bit i: 4-byte word i of the segment (8-byte word when it
                           has 256 bytes) */
} ww_segment;

/* Lanes, in their order, of which each one's bytes start where the lane's before it end or are the
 * same. */
typedef struct ww_address_run {
    uint64_t address; /* lowest byte */
    uint32_t bytes;
    uint32_t lanes;
} ww_address_run;

/** The runs of a warp's addresses. @param address [32], valid where lanes has a bit
 * @param out room for 32   @return number of runs, ascending by first lane */
unsigned ww_address_runs(const uint64_t *address, uint32_t lanes, uint32_t lane_bytes,
                         ww_address_run *out);

/**
 * Splits a warp's accesses into aligned segments: each lane's bytes fall in segments of max_bytes,
 * each segment then shrinks by halves down to min_bytes while all its words lie in one half
 * (compute capability 1.2/1.3 rule; with min = max: Fermi's 128 B lines). Compute capability 1.x
 * coalesces half-warps: call once per half with that half's lanes.
 * @param address [32], valid where lanes has a bit   @param out room for 32 * (lane_bytes / 32 + 1)
 * segments (max 64)
 * @return number of segments, ascending by first lane
 */
unsigned ww_coalesce(const uint64_t *address, uint32_t lanes, uint32_t lane_bytes,
                     uint32_t max_bytes, uint32_t min_bytes, ww_segment *out);

/** The same of a whole warp whose lanes' bytes, a power of two and at least 4, follow each other
 * from `first` on, a multiple of them; max_bytes is at most 128. */
unsigned ww_coalesce_neighbours(uint64_t first, uint32_t lane_bytes, uint32_t max_bytes,
                                uint32_t min_bytes, ww_segment *out);
/** The same of addresses that come one after the other: each joins the open segment or closes it.
 * A segment that has been closed is not opened again. closed[s]: addresses that have come when
 * segment s is complete; the last is with the last one. */
unsigned ww_coalesce_stream(const uint64_t *address, uint32_t lanes, uint32_t lane_bytes,
                            uint32_t max_bytes, uint32_t min_bytes, ww_segment *out,
                            uint8_t *closed);

/** Offsets in shared memory from a warp's addresses. @param offset [32], 0 of other lanes */
void ww_shared_offsets(const uint64_t *address, uint32_t lanes, uint32_t *offset);
/** Bank-access cycles of a shared-memory instruction: the largest number of different 4-byte words
 * in one bank; lanes with the same word are served together. 64- and 128-bit accesses go by half-
 * and quarter-warps. *words: bank words accessed in total. */
unsigned ww_shared_conflicts(const uint32_t *offset, uint32_t lanes, uint32_t lane_bytes,
                             uint32_t banks, uint32_t *words);
/** The same of a load where ldst.shared_pairs holds: when all active lanes i and i ^ 1, or all i
 * and i ^ 2, have the same address, 64-bit loads go by whole warps and 128-bit ones by half-warps.
 */
unsigned ww_shared_load_conflicts(const uint32_t *offset, uint32_t lanes, uint32_t lane_bytes,
                                  uint32_t banks, uint32_t *words);
/** ww_shared_conflicts of a whole warp that accesses words: lane i of each half-warp `step` bytes,
 * 0 or 4, after the one before, the first at line[half]. */
unsigned ww_shared_lines(const uint32_t line[2], uint32_t step, uint32_t banks, uint32_t *words);

/* ---- a cache's tags and MSHRs (cache.c) ---- */
typedef struct ww_cache ww_cache;

typedef enum ww_cache_result {
    WW_CACHE_HIT,
    WW_CACHE_MISS,       /* new miss: the caller must send `fill` towards the next level */
    WW_CACHE_MERGED,     /* pending in an MSHR; will be woken by the same fill */
    WW_CACHE_STALL,      /* no MSHR, no line, merge list full: retry */
    WW_CACHE_WRITE_NEXT, /* store must be sent to the next level (hit or miss by policy, see *hit)
                          */
    WW_CACHE_WRITE_DONE, /* store absorbed */
} ww_cache_result;

typedef struct ww_cache_eviction {
    bool dirty;
    bool gone;        /* a line left, dirty or not */
    uint64_t address; /* line address */
    uint32_t sectors; /* dirty sectors */
} ww_cache_eviction;

/** Who the accesses that follow are for: sectors that they make dirty are theirs, if they were
 * clean. */
void ww_cache_for(ww_cache *cache, uint32_t owner);
/** Who made a sector of the line evicted last dirty; 0: it is not known. Valid until the next
 * access. */
uint32_t ww_cache_dirtied_by(const ww_cache *cache, uint32_t sector);
/** The same of its first dirty sector. */
uint32_t ww_cache_dirtied(const ww_cache *cache, const ww_cache_eviction *evicted);

/** An empty cache. room: where its arrays lie, which must live as long; NULL: in memory of its own.
 */
WW_NODISCARD ww_status ww_cache_create(const ww_cache_params *params, ww_arena *room,
                                       ww_cache **out, ww_error *err);
void ww_cache_destroy(ww_cache *cache);
/** Remembers from now on who made each sector dirty; of caches that write back. @error ENOMEM */
WW_NODISCARD ww_status ww_cache_know_owners(ww_cache *cache, ww_error *err);
/** Drops every line and MSHR; dirty lines are forgotten. */
void ww_cache_invalidate(ww_cache *cache);
/** Empties the cache and uses that many of its ways from now on (a unified store gives the rest to
 * shared memory). */
void ww_cache_use_ways(ww_cache *cache, uint32_t ways);
/** Looks up one access within one sector (or line). byte_mask: 4-byte words touched, bit 0 is the
 * word at address. waiter: returned when the fill arrives. local: the access is to local memory
 * (write policy local-back). *hit tells whether the data was there; *evicted (dirty = false
 * otherwise) is filled when a dirty line had to leave. Stores: MISS and MERGED mean that the store
 * waits for a fetch it needs (write_allocate "fetch" and "forward"), like a read; a store to a
 * whole sector never fetches for "fetch". With "forward" the caller sends such a store to the next
 * level as well, and the fetched line is clean. A cache of 0 bytes answers MISS to reads and
 * WRITE_NEXT to stores, keeps nothing, merges nothing. */
ww_cache_result ww_cache_access(ww_cache *cache, uint64_t address, uint32_t byte_mask, bool write,
                                bool local, uint64_t now, uint32_t waiter, bool *hit,
                                ww_cache_eviction *evicted);
/** Whether a store with that answer left its data in the cache (a fetch that it waits for brings
 * them otherwise). */
bool ww_cache_keeps(const ww_cache *cache, ww_cache_result result, bool hit);
/** A fill arrived: marks the sector valid and returns the waiters merged on it (borrowed until the
 * next call). *evicted as above (allocate on fill). */
const uint32_t *ww_cache_fill(ww_cache *cache, uint64_t address, uint64_t now, size_t *waiter_count,
                              ww_cache_eviction *evicted);
/* Sectors of one line, as masks. */
typedef struct ww_cache_sectors {
    uint32_t hit, merged, missed; /* those in none of them have stalled and are to be tried again */
} ww_cache_sectors;

/** Looks up whole sectors (mask) of the line of an address, ascending, as so many calls of
 * ww_cache_access would, up to the first that stalls. merged, missed: as there. False, nothing
 * done: they have to be looked up one by one. The cache has more than 0 bytes. */
bool ww_cache_read_line(ww_cache *cache, uint64_t address, uint32_t sectors, uint32_t waiter,
                        ww_cache_sectors *out, ww_cache_eviction *evicted);
/** The same of stores to whole sectors, all WW_CACHE_WRITE_DONE; missed: stores that did not hit.
 */
bool ww_cache_write_line(ww_cache *cache, uint64_t address, uint32_t sectors, ww_cache_sectors *out,
                         ww_cache_eviction *evicted);
/** Fills of several sectors (mask) of the line of an address. Returns the waiters, those of the
 * lowest sector first (borrowed until the next call); waiters[k]: how many the k-th has. */
const uint32_t *ww_cache_fill_line(ww_cache *cache, uint64_t address, uint32_t sectors,
                                   uint32_t *waiters, ww_cache_eviction *evicted);
/** Marks words of a resident sector dirty (an atomic applied to data that a hit or a fill brought).
 */
void ww_cache_mark_dirty(ww_cache *cache, uint64_t address, uint32_t byte_mask);
/** What a read of the sector at address would meet, without changing anything: HIT, MERGED (being
 * fetched) or MISS. */
ww_cache_result ww_cache_probe(ww_cache *cache, uint64_t address);
/** Keeps the line of address, present or reserved for a fetch, from eviction until as many unlocks;
 * false when it is neither, or when `most` other lines of its set are locked. Invalidation unlocks.
 */
bool ww_cache_lock(ww_cache *cache, uint64_t address, uint32_t most);
/** Whether the line of an address could be locked once it is there. */
bool ww_cache_may_lock(ww_cache *cache, uint64_t address, uint32_t most);
void ww_cache_unlock(ww_cache *cache, uint64_t address);
/** Address and size that a miss on `address` must fetch. */
uint64_t ww_cache_fetch_address(const ww_cache *cache, uint64_t address, uint16_t *bytes);
/** Misses that can still be started before MSHRs run out (0 bytes: no limit). */
uint32_t ww_cache_free_mshrs(const ww_cache *cache);
/** True when nothing is pending. */
bool ww_cache_idle(const ww_cache *cache);

/* ---- everything between the SMs' ports and DRAM (memsys.c) ----
 * The owner's loop over core cycles, now ascending over the whole life of the memory system:
 *     for every SM: receive, work, inject(now)
 *     tick(now)
 *     next = min(next_event(now), what the SMs say); if (next > now + 1) skip(now, next); now =
 * next A skipped stretch gives exactly the state and counters that ticking through it gives. */
typedef struct ww_memsys ww_memsys;

/** Interconnect, L2 slices, memory controllers for arch; counts into set (borrowed). */
WW_NODISCARD ww_status ww_memsys_create(const ww_arch *arch, ww_counter_set *counters,
                                        ww_memsys **out, ww_error *err);
void ww_memsys_destroy(ww_memsys *ms);
/** Charges events from now on to the owners of requests (charges.h, borrowed; whoever runs the
 * memory system writes to it); NULL: to nobody. @error ENOMEM */
struct ww_charges;
WW_NODISCARD ww_status ww_memsys_charge(ww_memsys *ms, const struct ww_charges *charges,
                                        ww_error *err);
/** Counts bits that switch on the way of data from now on (values.h). @error ENOMEM */
WW_NODISCARD ww_status ww_memsys_count_values(ww_memsys *ms, const ww_arch *arch, ww_data data,
                                              ww_error *err);
/** True when SM `sm` may inject a request of that size now. */
bool ww_memsys_can_inject(const ww_memsys *ms, uint32_t sm, const ww_mem_req *req);
/** Injects at core cycle now; only after can_inject. */
void ww_memsys_inject(ww_memsys *ms, uint32_t sm, const ww_mem_req *req, uint64_t now);
/** Takes one reply for SM `sm` if one has arrived; false also when what has arrived is one part of
 * a reply (peer.sector_requests) whose other parts are missing. */
bool ww_memsys_receive(ww_memsys *ms, uint32_t sm, ww_mem_req *reply);
/** True when a reply for SM `sm` waits. */
bool ww_memsys_has_reply(const ww_memsys *ms, uint32_t sm);
/** The same for all SMs: bit sm % 64 of word sm / 64. Borrowed; changes with tick and receive. */
const uint64_t *ww_memsys_replies(const ww_memsys *ms);
/** Advances all domains through core cycle `now` (interconnect, L2 and DRAM clocks derived by exact
 * integer ratio accumulation). */
void ww_memsys_tick(ww_memsys *ms, uint64_t now);
/** Core cycle at which something can next happen without new injections (> now); UINT64_MAX when
 * idle. */
uint64_t ww_memsys_next_event(const ww_memsys *ms, uint64_t now);
/** Passes over the cycles in which nothing happens: after tick(now), the next tick is tick(then),
 * then <= next_event(now). */
void ww_memsys_skip(ww_memsys *ms, uint64_t now, uint64_t then);
bool ww_memsys_idle(const ww_memsys *ms);
/** The host has written [address, address + bytes): leaves it in the L2 where
 * mem.host_copies_fill_l2 says so. Between kernels; takes no time. */
void ww_memsys_host_copy(ww_memsys *ms, uint64_t address, uint64_t bytes);
/** A reply that is certain to arrive: `from`, the first core cycle in which the SM can take it
 * (receive). In the order in which the SM takes them; NULL: a part of a reply whose other parts are
 * still to come, which takes the SM's port for a cycle all the same. */
typedef void ww_reply_fn(void *user, uint32_t sm, const ww_mem_req *reply, uint64_t from);
/** Calls fn for every reply, at the end of the core cycle in which it becomes certain. */
void ww_memsys_on_reply(ww_memsys *ms, ww_reply_fn *fn, void *user);
/** Core cycles, at least 1, from the cycle in which a reply becomes certain to the first in which
 * it can be taken. */
uint32_t ww_memsys_lookahead(const ww_memsys *ms);
/** Most replies to one SM that are certain and not taken. */
uint32_t ww_memsys_most_replies(const ww_memsys *ms);
/** Requests for which the SM's port has room. */
uint32_t ww_memsys_room(const ww_memsys *ms, uint32_t sm);
/** An access that takes no time and counts nothing: leaves [address, address + bytes), within a
 * line, in the L2 as if it had been loaded or stored there. Sectors that are being fetched stay so.
 */
void ww_memsys_touch(ww_memsys *ms, uint64_t address, uint32_t bytes, bool write);
/** While idle: time goes on at core cycle now, be it that cycles beyond have been ticked or skipped
 * since it became idle. */
void ww_memsys_restart(ww_memsys *ms, uint64_t now);
/** Brings the counters that integrate over time (cycles, DRAM background, refresh, queue occupancy)
 * up to the last ticked or skipped cycle. Call before reading counters (end of a launch, interval
 * snapshot); it changes nothing else. */
void ww_memsys_sync(ww_memsys *ms);
/** From the core cycle that it stands before on, the core, and with it interconnect and L2, run at
 * another clock; DRAM does not. */
void ww_memsys_set_core_clock(ww_memsys *ms, double dram_hz, double core_hz);
/** Between kernels: L2 stays, statistics go on; dirty data stay. */
void ww_memsys_kernel_boundary(ww_memsys *ms);
/** Appends a description of what is in flight, for deadlock reports. Returns buf. */
char *ww_memsys_explain(const ww_memsys *ms, char *buf, size_t size);

#ifdef __cplusplus
}
#endif
#endif
