/* stages.h - what each stage of an SM keeps, one struct a stage, private to perf/sm. A file works
 * on the stage that it is named after; what it reads of others shows in its accesses. Sets come
 * before tables: those that a cycle asks for lie close together. Warps are bit positions: what is
 * true of a warp is a bit in a set of slots (slots.h), a word on most machines, so that "who can
 * issue" is a few operations. */
#ifndef WW_PERF_SM_STAGES_H
#define WW_PERF_SM_STAGES_H

#include "perf/sm/scheduler.h"
#include "perf/sm/seam.h"
#include "perf/sm/slots.h"
#include "perf/sm/sm.h"
#include "perf/sm/wheel.h"

enum {
    WW_SM_CTAS = 64, /* CTA slots */
    WW_SM_SCHEDULERS = 8,
    WW_SM_ISSUE = 2,       /* instructions of a scheduler in a cycle */
    WW_SM_PIPES = 16,      /* pipelines of one kind */
    WW_SM_COLLECTORS = 64, /* as many as a word has bits */
    WW_SEGMENTS = 64,      /* of one memory instruction */
    WW_SM_GROUPS = 32,     /* of a warp's copies that may be under way at a time */
    WW_MOST_REUSE = 64,    /* cycles until a result that a mechanism supplies */
    WW_BESIDE_SHIFT = 28,  /* of a mechanism's place in a token */
    WW_MOST_READS = 64,    /* registers that an instruction reads */
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
_Static_assert(WW_HOOK_COUNT <= 64, "a bit of ww_mech_stage.hooks for each hook");
#define WW_HOOK(hook) (UINT64_C(1) << WW_HOOK_AT_##hook)
#define WW_HOOK_ANY   WW_HOOK(ANY)   /* a mechanism is attached */
#define WW_HOOK_EXTRA WW_HOOK(EXTRA) /* extra warps have run in this launch */

typedef struct ww_core_ops ww_core_ops; /* core.h */
typedef struct ww_async ww_async;       /* async/async.h */
typedef struct ww_profile ww_profile;   /* profile.h */
typedef struct ww_values ww_values;     /* values.h */
typedef struct ww_kept ww_kept;         /* shadow_context.c */

/* An issued instruction until its results are written and its replies are in. */
typedef struct ww_flight {
    _Alignas(64) uint64_t ready_at; /* loads: when the data of hits is there */
    uint64_t write;                 /* banks of the current pass still to be written */
    uint32_t uop;                   /* instruction index */
    uint32_t exec;                  /* lanes */
    uint32_t mem;                   /* load/store-unit entry, WW_NONE: none */
    uint32_t next;                  /* free list, write-back queue */
    uint32_t later;                 /* in the wheel: the next one of the same cycle */
    uint16_t pieces;                /* replies outstanding */
    uint8_t level;                  /* write-back pass */
    uint8_t lanes;                  /* popcount(exec) */
    uint8_t warp;
    uint16_t shadow;                 /* shadow context that issued it; 0: none */
    uint32_t group;                  /* of a copy: the one that it belongs to */
    uint8_t port_cycles, port_words; /* of a copy: what its write to shared memory takes; of a
                                        folded operand, what its read takes */
    bool sent;                       /* the load/store unit is done with it */
    bool writing;                    /* in the write-back queue; of a copy: to shared memory */
    bool quiet;                      /* writes no registers */
    bool loose;                      /* has no registers reserved */
    bool copies;                     /* a copy of threads to shared memory (async/groups.c) */
    const ww_sm_op *op;              /* its description */
} ww_flight;

/* An operand collector: operands still to be read, as bank masks by pass. */
typedef struct ww_collector {
    const ww_sm_op *op;
    uint64_t need; /* in the present pass; those that follow are in ww_collect_stage.need */
    uint32_t flight;
    uint8_t reads;   /* operands outstanding */
    uint8_t top;     /* passes left */
    uint8_t lanes;   /* of the flight */
    bool folded;     /* reads a word of shared memory as well */
    uint32_t rounds; /* refill cycles to spend that are not in the ring of cycles yet */
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
    bool willing;     /* it has let dependent grids begin */
    bool extra;       /* of a mechanism's warp, not of the grid */
    uint64_t since;   /* cycle from which its warps' instructions are counted (warps.issued) */
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

/* Warp slots (cta.c, barrier.c). */
typedef struct ww_warp_stage {
    ww_slots taken;                /* belongs to a CTA */
    ww_slots live;                 /* has not finished */
    ww_slots at_barrier, at_fence; /* waits there */
    ww_slots held;                 /* may not issue before the window's edge (window.c) */
    ww_warp *at[WW_SM_WARPS];
    uint32_t mem_flights[WW_SM_WARPS]; /* memory instructions in flight */
    uint32_t
        issued[WW_SM_WARPS]; /* instructions since it started, or since warps last went ahead */
    uint8_t cta_of[WW_SM_WARPS];
} ww_warp_stage;

/* CTAs and their launch (cta.c). */
typedef struct ww_cta_stage {
    uint64_t touched;      /* a bit of each slot that has held a CTA of this launch */
    uint32_t limit;        /* of the launch */
    uint32_t newest_warps; /* of the CTA launched last */
    uint64_t next_launch;  /* earliest cycle of the next */
    ww_cluster *joins;     /* cluster of the next; NULL: none */
} ww_cta_stage;

/* Lines of code that were asked for behind one that missed, and that nobody has read yet. */
typedef struct ww_read_ahead {
    uint64_t next;  /* address of the first of them: the line that is expected to be read */
    uint64_t bytes; /* of them */
} ww_read_ahead;

/* Fetch (fetch.c), and what has been read and is on its way to decode (ibuffer.c). */
typedef struct ww_fetch_stage {
    ww_slots fetching;
    ww_slots fetchable; /* room in the instruction buffer and code left */
    ww_cache *l1i;
    uint64_t l1i_line; /* line read last: certainly present and most recent; UINT64_MAX: none */
    uint32_t next[8];  /* slot whose turn it is: of all, or of each group (sm.fetch_by_group) */
    ww_read_ahead ahead[8]; /* likewise */
    uint32_t most; /* entries of an instruction buffer in use beside which a group has room */
    uint32_t mask, first, count;
    ww_fetched *ring;           /* hits on their way to decode */
    uint8_t epoch[WW_SM_WARPS]; /* changes when the buffer is flushed: stale fetches are dropped */
} ww_fetch_stage;

/* Instruction buffers (ibuffer.c): `count` instructions of each warp, from `pc` on. */
typedef struct ww_ibuf_stage {
    ww_slots decoded; /* not empty */
    ww_slots astray;  /* took a branch, but its buffer holds or awaits what lies behind */
    ww_slots head[WW_PIPE_KINDS]; /* head's unit */
    uint32_t pc[WW_SM_WARPS];
    uint32_t redirect[WW_SM_WARPS]; /* of warps astray: where they go on */
    uint8_t count[WW_SM_WARPS];
    uint8_t unit[WW_SM_WARPS]; /* in whose `head` the warp is, if in any */
} ww_ibuf_stage;

/* Instructions taken out before fetch, for mechanisms (skip.c). */
typedef struct ww_skip_stage {
    ww_slots due;                /* head is to be skipped */
    uint64_t marks[WW_SM_WARPS]; /* of the instruction buffer: without an entry, from its pc on */
    uint8_t fetch_width[WW_SM_WARPS]; /* instructions that the fetch under way brings */
} ww_skip_stage;

/* Constant-bank operands of heads (constcache.c). */
typedef struct ww_constant_stage {
    ww_slots wait;  /* head's line is on its way */
    ww_slots retry; /* the cache could not take the miss, and will not before a fill */
    bool filled;    /* in this cycle */
    ww_cache *cache;
    uint64_t line; /* read last */
    uint8_t misses[WW_SM_WARPS];
    uint8_t done[WW_SM_WARPS];  /* lines of the head already looked up */
    uint8_t epoch[WW_SM_WARPS]; /* changes when a head goes without them */
} ww_constant_stage;

/* Those of 64 registers that have a result on its way, and whose result memory brings. */
typedef struct ww_awaited {
    uint64_t all, slow;
} ww_awaited;

/* Registers with a result on its way (scoreboard.c). */
typedef struct ww_board_stage {
    ww_slots ready; /* head has no hazard and nothing holds the warp */
    ww_slots raw_short, raw_long;
    ww_awaited *awaited; /* [warp][stride] */
    uint32_t stride;     /* words of a warp */
} ww_board_stage;

/* The schedulers (issue.c). */
typedef struct ww_issue_stage {
    const ww_sched_policy *policy;
    uint32_t schedulers;
    ww_exec_env env; /* where nothing but the kernel's own warps issues */
    ww_sched sched[WW_SM_SCHEDULERS];
} ww_issue_stage;

/* Operand collectors (collector.c). Those in use stand in order of age, the oldest first, with gaps
 * where some have left; sets of them are words of places. */
typedef struct ww_collect_stage {
    uint32_t capacity, count, ports; /* in all; occupied; entries left this cycle */
    uint32_t end;                    /* place behind the youngest */
    uint64_t used;                   /* places without the gaps */
    uint64_t reading, refilling;     /* operands outstanding; refill cycles to spend after those */
    uint64_t complete;               /* wait for a pipeline alone */
    uint64_t in_unit[WW_PIPE_KINDS];
    uint64_t refilled[WW_SM_COLLECTORS]; /* ring of cycles: those whose refills end there */
    ww_collector collector[WW_SM_COLLECTORS];
    uint64_t *need; /* [collector][need_stride] passes, the present one left out */
    uint32_t need_stride;
    uint32_t share[WW_PIPE_KINDS]; /* collectors that a unit's instructions may hold */
    uint32_t
        moved; /* passes of the operands that a mechanism has moved; 0: they are as they were */
    uint64_t moved_pass[WW_MOST_READS];
} ww_collect_stage;

/* Register banks (regfile.c). */
typedef struct ww_regfile_stage {
    uint32_t bank_count;
    uint64_t bank_mask;   /* its low bits */
    uint64_t busy;        /* banks used in this cycle */
    uint32_t first, last; /* write-back queue */
    uint8_t bank_shift[WW_SM_WARPS];
} ww_regfile_stage;

/* Results of a cycle (peer.result_slots); of those of another cycle there is nothing to know. */
typedef struct ww_results {
    uint64_t cycle;
    uint32_t count;
    uint16_t from[WW_PIPE_KINDS]; /* a bit for each pipeline */
} ww_results;

/* Pipelines (pipeline.c). */
typedef struct ww_unit_stage {
    ww_results *results; /* ring of cycles as long as the wheel; NULL: any number may come */
    uint32_t count[WW_PIPE_KINDS];
    uint64_t free[WW_PIPE_KINDS][WW_SM_PIPES]; /* first cycle each accepts */
} ww_unit_stage;

/* A partitioned core beside them (partition.c): pipelines by scheduler, cycles by which an
 * instruction may be issued before its pipeline accepts it, and the first cycle in which each
 * partition's dispatch ports, the first of them, and its address port accept. */
typedef struct ww_partition_stage {
    ww_pipe_range serves[WW_PIPE_KINDS][WW_SM_SCHEDULERS];
    uint32_t ahead[WW_PIPE_KINDS];
    uint64_t dispatch_free[WW_SM_SCHEDULERS][WW_SM_ISSUE], dispatch_from[WW_SM_SCHEDULERS],
        port_free[WW_SM_SCHEDULERS];
} ww_partition_stage;

/* Instructions in flight (flight.c), and when they end. */
typedef struct ww_flight_stage {
    ww_flight *at; /* each a line of the host's caches, in: */
    void *room;
    uint32_t capacity, free; /* free: first of the list */
    ww_wheel wheel;
} ww_flight_stage;

/* A flight's results appear at that cycle. */
static inline void ww_flight_ends(ww_flight_stage *flights, uint64_t when, uint32_t index)
{
    const uint32_t before = ww_wheel_add(&flights->wheel, when, index);
    flights->at[index].later = WW_NONE;
    if (before != WW_NONE) {
        flights->at[before].later = index;
    }
}

/* What can end the wait of an access that failed: until then it would fail again, and change
 * nothing by it. */
enum {
    WW_UNTIL_SENT = 1, /* a request has left */
    WW_UNTIL_FILL = 2, /* an L1 cache got data */
    WW_UNTIL_REPLY = 4,
    WW_UNTIL_ANY = WW_UNTIL_SENT | WW_UNTIL_FILL | WW_UNTIL_REPLY,
};

/* The load/store unit (ldst.c, ldst_global.c, shared.c). */
typedef struct ww_ldst_stage {
    ww_mem_inst *at; /* [capacity] in the collectors or in the queue */
    uint32_t capacity;
    uint32_t free;   /* first free entry: those given back, linked by next, then those from */
    uint32_t fresh;  /* on, which this launch has not taken */
    uint32_t *queue; /* ring of dispatched entries, in order; at most ldst.queue_entries */
    uint32_t mask, first, count;
    uint64_t busy_until;
    uint64_t port_until; /* the banks of shared memory serve folded operands, or an access */
    bool blocked;        /* head waits for a fill or a sent request, */
    uint8_t until;       /* WW_UNTIL_* of its last access that failed */
    uint64_t charged;    /* cycles before this one, blocked or not, are in the counters */
    ww_mem_inst *own;    /* at, where a mechanism's core holds more; else NULL */
    uint32_t writes_first,
        writes_last; /* copies of groups whose data wait for the port, in order */
    bool streams;    /* in this launch: some segments were made as addresses come */
    ww_cache *l1t;
} ww_ldst_stage;

/* The free entry that follows a free one; WW_NONE: there is none. */
static inline uint32_t ww_ldst_behind(const ww_ldst_stage *ldst, uint32_t index)
{
    if (index < ldst->fresh) {
        return ldst->at[index].next;
    }
    return index + 1 < ldst->capacity ? index + 1 : WW_NONE;
}

/* Takes the first free entry. */
static inline void ww_ldst_take(ww_ldst_stage *ldst)
{
    WW_ASSERT(ldst->free < ldst->capacity); /* who takes has seen to it */
    const uint32_t taken = ldst->free;
    ldst->free = ww_ldst_behind(ldst, taken);
    ldst->fresh += taken == ldst->fresh;
}

static inline void ww_ldst_give(ww_ldst_stage *ldst, uint32_t index)
{
    WW_ASSERT(index < ldst->capacity && index != ldst->free);
    ldst->at[index].next = ldst->free;
    ldst->free = index;
}

/* The L1 data cache and the accesses in its pipeline (ldst_global.c). */
typedef struct ww_l1d_stage {
    ww_cache *cache;
    ww_line_access *ring; /* before their look-up, in order */
    uint32_t mask, first, count;
    bool blocked;     /* its head waits for a fill or a sent request, */
    uint8_t until;    /* WW_UNTIL_* */
    uint64_t used;    /* cycle of the last look-up */
    uint64_t claimed; /* cycle in which it is a mechanism's */
} ww_l1d_stage;

/* Of a request: what is done with its reply. */
enum {
    WW_OUT_THROUGH_CACHE = 1, /* fills the cache that missed */
    WW_OUT_BESIDE = 2,        /* goes to a mechanism's own buffer, past the L1D */
    WW_OUT_ENGINE = 4,        /* is the copy engine's */
};

/* Groups of asynchronous copies (async/groups.c). Numbers go on for as long as a warp lives. */
typedef struct ww_group_stage {
    uint32_t open[WW_SM_WARPS];   /* the group that copies join */
    uint32_t oldest[WW_SM_WARPS]; /* all before it have arrived */
    uint32_t until[WW_SM_WARPS];  /* of a warp that waits: until that is the oldest */
    bool waits[WW_SM_WARPS];
    uint16_t left[WW_SM_WARPS][WW_SM_GROUPS]; /* copies of a group that have not arrived */
} ww_group_stage;

/* Towards the interconnect (outqueue.c); their number: pulse.outgoing. */
typedef struct ww_out_stage {
    ww_mem_req *ring;
    uint32_t mask, first;
} ww_out_stage;

/* Cycles in which the SM is not ticked, or a scheduler not asked (sm.c): what each counts. */
typedef struct ww_sleep {
    bool allowed;
    ww_slots changed;                  /* judged anew since their scheduler was asked */
    uint64_t until[WW_SM_SCHEDULERS];  /* first cycle in which it is asked though nothing changes */
    uint64_t first;                    /* the least of them, or less */
    uint64_t since[WW_SM_SCHEDULERS];  /* slots before that cycle are in the counters */
    uint64_t accounted;                /* all else of the cycles before this one is */
    uint8_t reason[WW_SM_SCHEDULERS];  /* ww_stall of each scheduler */
    bool select[WW_SM_SCHEDULERS];     /* arbitrates (in vain) */
    ww_counter held[WW_SM_SCHEDULERS]; /* why a warp is held */
    uint8_t most[WW_SM_SCHEDULERS];    /* ww_stall of most warps */
} ww_sleep;

/* Execution without time (fast_forward.c). */
typedef struct ww_forward {
    bool resting;               /* nothing is issued */
    bool stands;                /* home is known */
    uint32_t last;              /* warp that went ahead last */
    uint32_t home[WW_SM_WARPS]; /* where each stood when the SM came to rest; WW_NONE: nowhere */
    /* By age among the resident CTAs: what a warp has issued, and in how many cycles. */
    uint64_t issued[WW_SM_CTAS], cycles[WW_SM_CTAS];
} ww_forward;

/* ---- for mechanisms (hooks.h) ---- */

/* The mechanisms, and what they do to issue slots (hooks.c, services.c). */
typedef struct ww_mech_stage {
    uint64_t hooks; /* WW_HOOK bits; 0: none */
    uint32_t count;
    bool halves;                       /* some head has been halved */
    ww_slots told;                     /* their head's wait for a register has been told */
    ww_slots lifted;                   /* head needs no collector and no unit */
    ww_slots halved;                   /* of those: it takes half an issue slot */
    uint64_t owes[WW_SM_SCHEDULERS];   /* cycle of whose slot a half is taken already */
    uint32_t passes[WW_SM_SCHEDULERS]; /* that they want of the SP pipelines */
    const ww_mech *at[WW_MECH_MOST];
    void *state[WW_MECH_MOST];
} ww_mech_stage;

/* The core of a mechanism in place of the machine's (given_core.c). */
typedef struct ww_given_stage {
    const ww_mech_core *core; /* NULL: none */
    void *state;
    const ww_step *folded;           /* last instruction with a folded operand, as it is issued */
    ww_slots appear;                 /* warps with a flight in appearing[] */
    uint32_t appearing[WW_SM_WARPS]; /* flights of each warp whose first results are there and whose
                                        last are not, by ww_flight.next; WW_NONE: none */
} ww_given_stage;

/* Warps that a mechanism keeps waiting (services.c). */
typedef struct ww_hold_stage {
    ww_slots fetch, issue;
    ww_slots blamed;                   /* fetch is held, and lost slots are the hold's */
    ww_counter why[WW_SM_WARPS];       /* of issue */
    ww_counter fetch_why[WW_SM_WARPS]; /* of fetch, where blamed */
} ww_hold_stage;

/* Warps beyond the grid's (services.c). */
typedef struct ww_extra_stage {
    ww_slots warps;
    ww_slots driven;             /* of those: a mechanism decides their path */
    ww_slots background;         /* of all: issue and fetch where no other warp can */
    uint8_t driver[WW_SM_WARPS]; /* of driven ones: its place in the list */
} ww_extra_stage;

/* Shadow contexts (shadow_context.c). */
typedef struct ww_shadow_stage {
    ww_slots warps;           /* in one */
    ww_slots dropping;        /* of those: head is to be dropped */
    ww_kept *kept;            /* contexts that they go back to */
    uint16_t id[WW_SM_WARPS]; /* of the warp's present one; 0: in none */
    uint16_t last[WW_SM_WARPS];
} ww_shadow_stage;

_Static_assert(WW_SM_WARPS <= 256 && WW_SM_CTAS <= 64, "a bit of a mask for each slot");
_Static_assert(sizeof(ww_flight) == 64, "an instruction in flight fits a cache line");

#endif
