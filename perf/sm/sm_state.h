/* sm_state.h - the state of one SM, private to perf/sm, and what its stages offer each other.
 * Warps are bit positions: what is true of a warp is a bit in a set of slots (slots.h), a word on
 * most machines, so that "who can issue" is a few operations. */
#ifndef WW_PERF_SM_SM_STATE_H
#define WW_PERF_SM_SM_STATE_H

#include "perf/sm/seam.h"
#include "perf/sm/scheduler.h"
#include "perf/sm/slots.h"
#include "perf/sm/sm.h"
#include "perf/sm/wheel.h"

enum {
    WW_SM_CTAS = 64, /* CTA slots */
    WW_SM_SCHEDULERS = 8,
    WW_SM_ISSUE = 2,  /* instructions of a scheduler in a cycle */
    WW_SM_PIPES = 16, /* pipelines of one kind */
    WW_SM_COLLECTORS = 64,
    WW_SEGMENTS = 64,     /* of one memory instruction */
    WW_MOST_REUSE = 64,   /* cycles until a result that a mechanism supplies */
    WW_BESIDE_SHIFT = 28, /* of a mechanism's place in a token */
    WW_MOST_READS = 64,   /* registers that an instruction reads */
};

/* Which hooks some mechanism of the SM has: a bit each, and two more. */
enum {
#define WW_HOOK_ENTRY(type, hook, arguments, meaning) WW_HOOK_AT_##hook,
    WW_MECH_HOOKS(WW_HOOK_ENTRY)
#undef WW_HOOK_ENTRY
        WW_HOOK_AT_ANY,
    WW_HOOK_AT_EXTRA,
    WW_HOOK_COUNT
};
_Static_assert(WW_HOOK_COUNT <= 64, "a bit of ww_sm.hooks for each hook");
#define WW_HOOK(hook) (UINT64_C(1) << WW_HOOK_AT_##hook)
#define WW_HOOK_ANY   WW_HOOK(ANY)   /* a mechanism is attached */
#define WW_HOOK_EXTRA WW_HOOK(EXTRA) /* extra warps have run in this launch */

typedef struct ww_core_ops ww_core_ops; /* core.h */
typedef struct ww_lanes ww_lanes;       /* lanes.h */
typedef struct ww_profile ww_profile;   /* profile.h */
typedef struct ww_kept ww_kept;         /* shadow_context.c */

/* An issued instruction until its results are written and its replies are in. */
typedef struct ww_flight {
    uint64_t ready_at; /* loads: when the data of hits is there */
    uint64_t write;    /* banks of the current pass still to be written */
    uint32_t uop;      /* instruction index */
    uint32_t exec;     /* lanes */
    uint32_t mem;      /* load/store-unit entry, WW_NONE: none */
    uint32_t next;     /* free list, write-back queue */
    uint16_t pieces;   /* replies outstanding */
    uint8_t level;     /* write-back pass */
    uint8_t lanes;     /* popcount(exec) */
    uint8_t warp;
    uint16_t shadow; /* shadow context that issued it; 0: none */
    bool sent;       /* the load/store unit is done with it */
    bool writing;    /* in the write-back queue */
    bool quiet;      /* writes no registers */
    bool loose;      /* has no registers reserved */
} ww_flight;

/* An operand collector: operands still to be read, as bank masks by pass. */
typedef struct ww_collector {
    uint32_t flight;
    uint8_t unit;
    uint8_t reads;  /* operands outstanding */
    uint8_t top;    /* passes in need[] */
    uint8_t rounds; /* refill cycles still to spend */
} ww_collector;

/* What a memory instruction does in the load/store unit. */
typedef enum ww_mem_path {
    WW_PATH_NONE, /* a cross-lane operation that uses the unit's crossbar */
    WW_PATH_SHARED,
    WW_PATH_CONST,
    WW_PATH_LOAD,
    WW_PATH_STORE,
    WW_PATH_ATOMIC,
    WW_PATH_TEX,
} ww_mem_path;

/* A memory instruction from issue until its last access has been made. */
typedef struct ww_mem_inst {
    uint32_t flight;
    uint32_t next; /* free list */
    uint8_t path;  /* ww_mem_path */
    bool prepared; /* segments computed */
    bool cached;   /* looks up the L1D */
    bool local;
    uint32_t chunk;     /* local memory: 4-byte word of the element being accessed */
    uint32_t count, at; /* segments; the next one */
    uint32_t offset;    /* within segment `at`, when it goes sector by sector */
    ww_step step;       /* filled at issue */
    ww_segment segment[WW_SEGMENTS];
    uint64_t last_at;   /* cycle in which the last address is there, where segments are made as
                           addresses come; 0: elsewhere */
    uint32_t addresses; /* their number */
    uint8_t closed[WW_SEGMENTS]; /* addresses that make the segment complete */
} ww_mem_inst;

/* An access on its way to the L1D's tags (peer.l1_looks_up_last). */
typedef struct ww_line_access {
    uint64_t due, address;
    uint32_t mask, flight;
    uint16_t bytes;
    bool store, local;
} ww_line_access;

typedef struct ww_cta_slot {
    ww_cta cta;
    ww_slots warps;   /* slots taken; 0: free */
    uint32_t live;    /* warps not finished */
    uint32_t flights; /* instructions in flight */
    bool extra;       /* of a mechanism's warp, not of the grid */
} ww_cta_slot;

/* Pipelines [first, end). */
typedef struct ww_pipe_range {
    uint8_t first, end;
} ww_pipe_range;

typedef struct ww_fetched {
    uint64_t due;
    uint32_t pc;
    uint8_t warp, epoch, count;
} ww_fetched;

struct ww_sm {
    bool wide; /* which compilation it belongs to; width.c looks here */

    /* constant */
    const ww_arch *arch;
    uint32_t id, schedulers;
    uint64_t bank_mask; /* regfile.banks low bits */
    ww_port *port;
    ww_pending *effects; /* on global memory in this window */
    ww_counter_block *counters;
    const ww_sched_policy *policy;
    const ww_core_ops *core;

    /* of the launch */
    const ww_program *program;
    const ww_launch *launch;
    uint32_t cta_limit;
    double ns_per_cycle;

    ww_sm_pulse pulse;
    bool may_sleep, issued_any;
    bool plain;                             /* in this launch: no mechanism, profile, pace of issue,
                                               count of most warps' reasons, nor lanes */
    bool resting;                           /* nothing is issued */
    uint32_t fast_forward_last;             /* warp that went ahead last */
    uint32_t issued_of[WW_SM_WARPS];        /* instructions of each warp since it started, or since
                                               warps last went ahead */
    uint32_t launch_warps;                  /* of the CTA launched last */
    uint64_t accounted;                     /* cycles before this one are in the counters */
    uint64_t next_launch;                   /* earliest cycle of the next CTA launch */
    uint8_t sleep_reason[WW_SM_SCHEDULERS]; /* ww_stall of each scheduler while asleep */
    bool sleep_select[WW_SM_SCHEDULERS];    /* arbitrates (in vain) while asleep */
    ww_counter sleep_held[WW_SM_SCHEDULERS]; /* why a warp is held while asleep */
    uint8_t sleep_most[WW_SM_SCHEDULERS];    /* ww_stall of most warps while asleep */
    ww_profile *profile;                     /* NULL: off */

    /* what is true of each warp slot */
    ww_slots taken;   /* belongs to a CTA */
    ww_slots live;    /* has not finished */
    ww_slots decoded; /* instruction buffer not empty */
    ww_slots ready;   /* head has no hazard and nothing holds the warp */
    ww_slots raw_short, raw_long;
    ww_slots at_barrier, at_fence;
    ww_slots const_wait;  /* head's constant-bank line is on its way */
    ww_slots held;        /* may not issue before the window's edge */
    ww_slots const_retry; /* constant cache could not take the miss */
    ww_slots fetching;
    ww_slots fetchable;           /* room in the instruction buffer and code left */
    ww_slots head[WW_PIPE_KINDS]; /* head's unit */
    ww_slots astray; /* took a branch, but its buffer holds or awaits what lies behind */

    /* warps */
    ww_warp *warp[WW_SM_WARPS];
    uint64_t *pending, *pending_long; /* [warp][pending_words] scoreboard */
    uint32_t pending_stride;
    uint32_t ib_pc[WW_SM_WARPS]; /* instruction buffer: ib_count instructions from ib_pc */
    uint32_t mem_flights[WW_SM_WARPS];
    uint32_t redirect[WW_SM_WARPS]; /* of warps astray: where they go on */
    uint8_t ib_count[WW_SM_WARPS];
    uint8_t epoch[WW_SM_WARPS]; /* changes when the buffer is flushed: stale fetches are dropped */
    uint8_t bank_shift[WW_SM_WARPS];
    uint8_t const_misses[WW_SM_WARPS];
    uint8_t const_done[WW_SM_WARPS];  /* lines of the head already looked up */
    uint8_t const_epoch[WW_SM_WARPS]; /* changes when a head goes without them */
    uint8_t cta_of[WW_SM_WARPS];
    ww_cta_slot cta[WW_SM_CTAS];

    /* fetch */
    ww_cache *l1i;
    uint64_t l1i_line; /* line read last: certainly present and most recent; UINT64_MAX: none */
    uint32_t fetch_next;
    ww_fetched *fetched; /* ring of hits on their way to decode */
    uint32_t fetched_mask, fetched_first, fetched_count;

    ww_sched sched[WW_SM_SCHEDULERS];
    ww_lanes *lanes; /* NULL: another core */

    /* instructions in flight */
    ww_flight *flight;
    uint32_t flight_capacity, flight_free;
    ww_wheel wheel;
    uint32_t wb_first, wb_last; /* write-back queue */
    uint64_t banks_busy;        /* register banks used in this cycle */

    /* operand collectors */
    ww_collector collector[WW_SM_COLLECTORS];
    uint64_t *need; /* [collector][levels] */
    uint32_t need_stride;
    uint64_t collectors_free;
    uint8_t oc_order[WW_SM_COLLECTORS]; /* oldest first */
    uint32_t oc_count, oc_ports;        /* occupied; entries left this cycle */
    uint32_t oc_of_unit[WW_PIPE_KINDS];
    uint64_t pipe_free[WW_PIPE_KINDS][WW_SM_PIPES]; /* first cycle each accepts */
    uint32_t pipes[WW_PIPE_KINDS];
    /* partitioned core: pipelines by scheduler, and cycles by which an instruction may be issued
     * before its pipeline accepts it */
    ww_pipe_range serves[WW_PIPE_KINDS][WW_SM_SCHEDULERS];
    uint32_t ahead[WW_PIPE_KINDS];
    /* partitioned core: first cycle each partition's dispatch port, and its address port, accepts
     */
    uint64_t dispatch_free[WW_SM_SCHEDULERS][WW_SM_ISSUE], port_free[WW_SM_SCHEDULERS];

    /* load/store unit */
    ww_cache *l1d, *l1c, *l1t;
    uint64_t l1c_line;
    ww_mem_inst *mem; /* [mem_capacity] in the collectors or in the queue */
    uint32_t mem_capacity, mem_free;
    uint32_t *mem_queue; /* ring of dispatched entries, in order; at most ldst.queue_entries */
    uint32_t mem_mask, mem_first, mem_count;
    uint64_t mem_busy_until;
    bool mem_blocked;     /* head waits for a fill or a sent request */
    ww_line_access *line; /* ring of accesses before their look-up, in order */
    uint32_t line_mask, line_first, line_count;
    bool line_blocked; /* its head waits for a fill or a sent request */
    ww_mem_req *out;   /* ring towards the interconnect */
    uint32_t out_mask, out_first;

    ww_step scratch;

    /* mechanisms (hooks.h) */
    uint64_t hooks; /* WW_HOOK bits; 0: none */
    uint32_t mech_count;
    ww_slots held_fetch, held_issue;   /* warps that a mechanism keeps waiting */
    ww_slots extra;                    /* warps beyond the grid's */
    ww_slots driven;                   /* of those: a mechanism decides their path */
    uint8_t driver[WW_SM_WARPS];       /* its place in the list */
    uint64_t l1d_claimed;              /* cycle in which the L1D is a mechanism's */
    uint32_t passes[WW_SM_SCHEDULERS]; /* that mechanisms want of the SP pipelines */
    ww_slots told;                     /* their head's wait for a register has been told */
    ww_slots background;               /* issue and fetch where no other warp can */
    ww_slots lifted;                   /* head needs no collector and no unit */
    ww_slots halved;                   /* of those: it takes half an issue slot */
    bool halves;                       /* some head has */
    uint64_t owes[WW_SM_SCHEDULERS];   /* cycle of whose slot a half is taken already */
    ww_slots shadow;                   /* in their shadow context */
    ww_slots dropping;                 /* of those: head is to be dropped */
    ww_kept *kept;                     /* contexts that shadow warps go back to */
    uint16_t shadow_id[WW_SM_WARPS];   /* of the warp's present shadow context; 0: in none */
    uint16_t shadow_last[WW_SM_WARPS];
    ww_counter held_for[WW_SM_WARPS];
    ww_slots fetch_blamed; /* of those whose fetch is held: lost slots are the hold's */
    ww_counter fetch_held_for[WW_SM_WARPS];
    uint32_t
        moved; /* passes of the operands that a mechanism has moved; 0: they are as they were */
    uint64_t moved_pass[WW_MOST_READS];
    ww_slots skipping;          /* head is to be skipped */
    uint64_t skip[WW_SM_WARPS]; /* instruction buffer: marks without an entry, from ib_pc on */
    uint8_t fetch_width[WW_SM_WARPS]; /* instructions that the fetch under way brings */
    uint64_t l1d_used;                /* cycle in which the L1D was last looked up */
    const ww_mech *mech[WW_MECH_MOST];
    void *mech_state[WW_MECH_MOST];
};

_Static_assert(WW_SM_WARPS <= 256 && WW_SM_CTAS <= 64, "a bit of a mask for each slot");
_Static_assert(offsetof(ww_sm, wide) == 0, "width.c");
_Static_assert(sizeof(ww_flight) <= 64, "an instruction in flight fits a cache line");

/* Of a word that names collectors or lanes; a set of warps: ww_slot. */
static inline uint64_t ww_word_bit(uint32_t w)
{
    return 1ull << w;
}

static inline void ww_count(ww_sm *sm, ww_counter counter, uint64_t n)
{
    sm->counters->v[counter] += n;
}

/* Warps that give up their place in a two-level scheduler's active set. */
static inline ww_slots ww_sm_waiting(const ww_sm *sm)
{
    return sm->raw_long | sm->const_wait | sm->at_barrier | sm->at_fence;
}

/* Warps without an instruction because a mechanism keeps them from fetching one, and has a reason.
 */
static inline ww_slots ww_sm_kept_from_fetch(const ww_sm *sm)
{
    return sm->fetch_blamed & ~(sm->decoded | sm->skipping | sm->at_barrier | sm->at_fence);
}

/* ---- verify.c: builds with assertions ---- */
/* What does not hold of the SM between two cycles, or of its lists of free entries; NULL: all does.
 */
const char *ww_sm_verify(const ww_sm *sm);
const char *ww_sm_verify_lists(const ww_sm *sm);

/* ---- fetch.c, ibuffer.c ---- */
void ww_sm_fetch(ww_sm *sm, uint64_t now);
/* Instructions that one fetch from pc brings into a buffer with so many entries in use. */
uint32_t ww_sm_fetch_group(const ww_sm *sm, uint32_t pc, uint32_t used);
void ww_sm_fetch_filled(ww_sm *sm, const ww_mem_req *reply, uint64_t now);
/* Moves fetched instructions whose time has come into the buffers. */
void ww_sm_decode(ww_sm *sm, uint64_t now);
void ww_sm_decode_into(ww_sm *sm, uint32_t w, uint32_t pc, uint32_t count, uint64_t now);
/* Decoded instructions join the warp's buffer. */
void ww_sm_buffer(ww_sm *sm, uint32_t w, uint32_t pc, uint32_t count, uint64_t now);
/* The head has been issued; the warp goes on at next_pc. */
void ww_sm_advance(ww_sm *sm, uint32_t w, uint32_t next_pc, uint64_t now);
void ww_sm_flush(ww_sm *sm, uint32_t w, uint32_t next_pc);
void ww_sm_update_fetchable(ww_sm *sm, uint32_t w);
/* The schedulers meet instructions that a taken branch has made wrong: their warps fetch anew. */
void ww_sm_correct_astray(ww_sm *sm);

/* ---- scoreboard.c ---- */
/* Recomputes ready and raw masks of a warp whose state changed. */
void ww_sm_evaluate(ww_sm *sm, uint32_t w);
void ww_sm_reserve(ww_sm *sm, uint32_t w, const ww_sm_op *uop);
void ww_sm_release(ww_sm *sm, uint32_t w, const ww_sm_op *uop);

/* ---- constcache.c ---- */
/* Looks up the constant-bank lines of a new head. */
void ww_sm_constants(ww_sm *sm, uint32_t w, uint64_t now);
void ww_sm_constants_retry(ww_sm *sm, uint64_t now);
void ww_sm_const_filled(ww_sm *sm, const ww_mem_req *reply, uint64_t now);
/* The warp's head goes: it waits for no line any more. */
void ww_sm_constants_forget(ww_sm *sm, uint32_t w);

/* ---- window.c ---- */
/* The warp issues nothing more before the window's edge. */
void ww_sm_hold(ww_sm *sm, uint32_t w);

/* ---- issue.c, stall.c ---- */
ww_status ww_sm_issue(ww_sm *sm, uint64_t now, ww_error *err);
/* The same of an SM that is `plain`: nothing that it has not is asked for. */
ww_status ww_sm_issue_plain(ww_sm *sm, uint64_t now, ww_error *err);

typedef enum ww_stall {
    WW_STALL_LSU,
    WW_STALL_SP,
    WW_STALL_SFU,
    WW_STALL_RAW_SHORT,
    WW_STALL_RAW_LONG,
    WW_STALL_IBUF,
    WW_STALL_HELD,
    WW_STALL_BARRIER,
    WW_STALL_IDLE,
    WW_STALL_COUNT
} ww_stall;
ww_counter ww_stall_counter(ww_stall reason);
/* Why scheduler s issues nothing, from the masks alone; `chosen`: the warp it would take, WW_NONE
 * when none is ready. */
ww_stall ww_sm_stall_reason(const ww_sm *sm, uint32_t s, uint32_t chosen);
ww_stall ww_sm_warp_stall(const ww_sm *sm, uint32_t w);
/* What most live warps of scheduler s wait for, the reason nearest to issue where as many wait for
 * another; and its counter. */
ww_stall ww_sm_most_stall(const ww_sm *sm, uint32_t s);
ww_counter ww_most_counter(ww_stall reason);
/* The mechanism's reason why a warp of scheduler s is held; WW_COUNTER_COUNT: it gave none. */
ww_counter ww_sm_held_for(const ww_sm *sm, uint32_t s);
static inline void ww_sm_count_held(ww_sm *sm, ww_counter why, uint64_t n)
{
    if (why < WW_COUNTER_COUNT) {
        ww_count(sm, why, n);
    }
}
/* The instruction that a warp stands at. */
uint32_t ww_sm_place(const ww_sm *sm, uint32_t w);

/* ---- tally.c ---- */
/* Instructions started on pipelines of a kind; WW_COUNTER_COUNT for control. */
ww_counter ww_pipe_counter(unsigned pipe);

/* ---- collector.c, regfile.c, pipeline.c ---- */
/* Counts an instruction that enters its pipeline. */
void ww_sm_count_start(ww_sm *sm, const ww_sm_op *uop, uint32_t lanes);
void ww_sm_read_operands(ww_sm *sm);
void ww_sm_dispatch(ww_sm *sm, uint64_t now);
void ww_sm_collector_release(ww_sm *sm, uint32_t order_index);
/* Results of a flight are there: queues its register writes. */
void ww_sm_write_back(ww_sm *sm, uint32_t flight);
/* Writes what the banks allow this cycle; completed flights release their registers. */
void ww_sm_write_registers(ww_sm *sm, uint64_t now);
void ww_sm_expire(ww_sm *sm, uint64_t now);

/* ---- flight.c ---- */
ww_status ww_sm_flight_room(ww_sm *sm, ww_error *err);
uint32_t ww_sm_flight_take(ww_sm *sm, uint32_t w, uint32_t pc, uint32_t exec);
/* No writes and replies are left. */
void ww_sm_flight_done(ww_sm *sm, uint32_t flight, uint64_t now);
/* One reply less, or the unit is done with it; results go to write-back when that was the last. */
void ww_sm_flight_settle(ww_sm *sm, uint32_t flight, uint64_t now);

/* ---- ldst.c, ldst_global.c, shared.c, outqueue.c ---- */
void ww_sm_ldst(ww_sm *sm, uint64_t now);
void ww_sm_ldst_enqueue(ww_sm *sm, uint32_t mem);
/* Splits the instruction into segments of addresses that come one per cycle, the last at last_at;
 * when the first is complete. */
uint64_t ww_sm_coalesce_as_they_come(ww_sm *sm, uint32_t mem, uint64_t last_at, uint64_t now);
/* When the instruction's next segment is complete; 0: it has been. */
uint64_t ww_sm_segment_at(const ww_mem_inst *m);
/* What the instruction does, from the address space that the executor resolved. */
ww_mem_path ww_sm_mem_path(const ww_sm_op *uop, const ww_step *step);
/* One access of the head; true: the instruction has made its last one. */
bool ww_sm_global_access(ww_sm *sm, ww_mem_inst *m, uint64_t now);
bool ww_sm_const_access(ww_sm *sm, ww_mem_inst *m, uint64_t now);
bool ww_sm_shared_access(ww_sm *sm, ww_mem_inst *m, uint64_t now);
/* Looks up the access whose time in the L1D's pipeline has passed. */
void ww_sm_l1d_line(ww_sm *sm, uint64_t now);
void ww_sm_data_filled(ww_sm *sm, const ww_mem_req *reply, uint64_t now);
void ww_sm_texture_filled(ww_sm *sm, const ww_mem_req *reply, uint64_t now);
/* True when a data request may join the queue. */
static inline bool ww_sm_out_room(const ww_sm *sm)
{
    return sm->pulse.outgoing < sm->arch->l1d.miss_queue;
}
void ww_sm_send(ww_sm *sm, ww_req_kind kind, uint64_t address, uint16_t bytes, uint32_t token,
                bool through_cache, uint32_t byte_mask, uint32_t lanes);
/* Past the L1D, for a mechanism's own buffer. */
void ww_sm_send_beside(ww_sm *sm, uint64_t address, uint16_t bytes, uint32_t token);
/* Writes back a line that left the L1D where it is dirty. */
void ww_sm_left_l1d(ww_sm *sm, const ww_cache_eviction *evicted, uint64_t now);
/* Sectors of one line that are looked up together travel together: adds one to the request queued
 * last, when that ends where the sector starts; false: it needs a request of its own. */
bool ww_sm_send_along(ww_sm *sm, ww_req_kind kind, uint64_t address, uint32_t bytes, uint32_t token,
                      uint32_t mask);
void ww_sm_replies(ww_sm *sm, uint64_t now);

/* ---- cta.c, barrier.c ---- */
/* Wakes warps that the executor has released. */
void ww_sm_barrier_released(ww_sm *sm, ww_cta_slot *slot);
void ww_sm_start_warp(ww_sm *sm, uint32_t w, uint32_t slot_index, ww_warp *warp);
/* The warp has finished; `unused` decoded instructions are left in its buffer. */
void ww_sm_warp_exited(ww_sm *sm, uint32_t w, uint32_t unused);
/* Frees the CTA when its warps have finished and nothing of it is in flight. */
void ww_sm_cta_check(ww_sm *sm, ww_cta_slot *slot, uint64_t now);

#endif
