/* shadow.h - private to perf/exec: what is known of each byte of memory under --memcheck, and of
 * the order of accesses to shared memory.
 *
 * Order follows vector clocks (C. Flanagan, S. Freund, "FastTrack: Efficient and Precise Dynamic
 * Race Detection", PLDI 2009) with a clock per agent. Agents are the warps of a cluster's CTAs and
 * what works for them: the copies that end at one mbarrier object, a warp's bulk groups, a warp's
 * products of wgmma; and the grids before this one (grids.c). A warp that arrives at a barrier
 * hands over what it has seen, one that leaves it takes it over; what an engine has done is seen by
 * who waits for it. Two accesses of different agents to one byte, one of them a write, race when
 * the later one's warp has not seen the earlier access.
 *
 * Engines look at memory through a proxy of their own (PTX ISA, "Proxies"): a store by an
 * instruction is seen by them after fence.proxy.async. Every row of clocks is therefore two: what
 * has been seen, and what of it the engines see as well. */
#ifndef WW_PERF_EXEC_MEMCHECK_SHADOW_H
#define WW_PERF_EXEC_MEMCHECK_SHADOW_H

#include "perf/exec/code.h"
#include "perf/exec/memcheck/memcheck.h"

/* One access to a byte of shared memory. */
typedef struct ww_mark {
    uint32_t stamp; /* the agent's own clock; 0: there was none */
    uint32_t pc;
    uint16_t agent, issuer; /* issuer: the warp that asked for it, where the agent is an engine */
    uint8_t lane;
    bool atomic;
} ww_mark;

typedef struct ww_cell {
    ww_mark write;
    ww_mark
        read[2]; /* the latest ones, of different agents: one of them is not the next writer's */
    uint32_t serial; /* of the store instruction that wrote last */
    uint8_t value;   /* that it wrote */
    uint32_t copy;   /* group of the cp.async that wrote last; 0: something else did */
} ww_cell;

enum { WW_SHADOW_OBJECTS = 32 }; /* mbarriers of a CTA told apart; further ones share the last */

/* An mbarrier object: the copies that end at it are stamped with the phase under way, counted from
 * 1. */
typedef struct ww_shadow_object {
    uint32_t place; /* offset in shared memory + 1; 0: none yet */
    uint32_t phase;
} ww_shadow_object;

/* Beside a CTA's memory. Of the agents of a CTA the warps come first, then the products and the
 * bulk groups of each, then the objects; the CTAs of a cluster follow each other by rank. Copies by
 * cp.async belong to groups of their thread, and reading or writing what they write races with them
 * until the thread has waited for the group. */
struct ww_shadow {
    uint32_t warps;
    uint32_t agents; /* of all CTAs of the cluster, and the grids before: a row is two clocks of
                        each */
    uint32_t per;    /* of one CTA */
    uint32_t first;  /* of this one */
    uint32_t shared_bytes, local_bytes, registers;
    uint32_t serial;
    uint32_t *clock;   /* [warp] accesses of the others that each warp has seen, and its own time */
    uint32_t *fenced;  /* [warp] the same as of its last fence; 0: none */
    uint32_t *heard;   /* [warp] what its atomics have met since */
    uint32_t *barrier; /* [barrier] handed over by those that have arrived */
    uint32_t *opened;  /* what the cluster's barrier has handed on */
    uint32_t *passed;  /* handed over by a fence and an atomic behind it */
    uint32_t *arriving;       /* [object] handed over by arrivals of the phase under way */
    uint32_t *ended;          /* [object] and of those that have ended */
    ww_shadow_object *object; /* [WW_SHADOW_OBJECTS] */
    ww_cell *cell;            /* [byte of shared memory] */
    uint32_t *group;          /* [warp][lane]: of its cp.async, the one it adds to; from 1 */
    uint32_t *done;           /* [warp][lane]: groups below are */
    uint32_t *bulk;           /* [warp] waits for its bulk groups, from 1 */
    uint32_t *products;       /* [warp] groups of products, the one it adds to; from 1 */
    uint32_t *order;          /* [warp] wgmma.fences, from 1 */
    uint32_t *multiplied;     /* [warp] `order` when its last product was issued; 0: none was */
    uint32_t *in_flight;      /* [warp][register] group of products that has it in hand; 0: none */
    uint32_t *touched;    /* [warp][register] `order` when an instruction last used it; 0: never */
    unsigned char *local; /* [warp][lane][byte]: 1 when written */
};

/* Agents of a CTA. */
static inline uint32_t ww__shadow_products(const struct ww_shadow *s, uint32_t warp)
{
    return s->first + s->warps + warp;
}
static inline uint32_t ww__shadow_bulk(const struct ww_shadow *s, uint32_t warp)
{
    return s->first + 2 * s->warps + warp;
}
static inline uint32_t ww__shadow_object_agent(const struct ww_shadow *s, uint32_t object)
{
    return s->first + 3 * s->warps + object;
}
/* The grids before, of which a warp has seen all or nothing. */
static inline uint32_t ww__shadow_before(const struct ww_shadow *s)
{
    return s->agents - 1;
}
static inline bool ww__shadow_is_engine(const struct ww_shadow *s, uint32_t agent)
{
    return agent % s->per >= s->warps;
}

/* An access of one lane. */
typedef struct ww_touch {
    ww_space space;
    unsigned lane;
    uint64_t address; /* global address, or offset in its space */
    uint32_t bytes;
    bool atomic;
    ww_cta *cta; /* whose shared memory it is; NULL: the warp's own CTA's */
} ww_touch;

typedef enum ww_hazard {
    WW_HAZARD_NONE,
    WW_HAZARD_RAW,
    WW_HAZARD_WAR,
    WW_HAZARD_WAW,
    WW_HAZARD_PROXY,     /* a store that an engine does not see yet */
    WW_HAZARD_EXIT,      /* a CTA of the cluster has exited, or may have */
    WW_HAZARD_IN_FLIGHT, /* a register that products have in hand */
    WW_HAZARD_UNFENCED   /* a register of products without wgmma.fence */
} ww_hazard;

/* ---- shadow.c ---- */
/** Puts the checks around every instruction that touches memory or orders accesses to it. */
WW_NODISCARD ww_status ww__shadow_wrap(struct ww_exec_code *code, ww_error *err);
/** Readies the shadow of a CTA that starts. */
WW_NODISCARD ww_status ww__shadow_init(ww_cta *cta, const ww_launch *launch, ww_error *err);
void ww__shadow_fini(ww_cta *cta);

/* ---- order.c ---- */
void ww__shadow_order_init(struct ww_shadow *s);
/** What a warp has seen of an agent; engine: what the engines that work for it see. */
uint32_t ww__shadow_seen(const struct ww_shadow *s, uint32_t warp, uint32_t agent, bool engine);
/** A warp arrives at a barrier. */
void ww__shadow_arrive(struct ww_shadow *s, uint32_t warp, uint32_t barrier);
/** The barrier opens for the warps that wait; those that have ended count as arrived. */
void ww__shadow_open(ww_cta *cta, uint32_t barrier, uint64_t waiting);
/** Before the barrier of a cluster opens for each CTA: it hands on what all have handed over. */
void ww__shadow_cluster_opens(const ww_cluster *cluster);
/** A warp goes on behind the cluster's barrier, which had opened before. */
void ww__shadow_cluster_passed(struct ww_shadow *s, uint32_t warp);
void ww__shadow_fence(struct ww_shadow *s, uint32_t warp);
/** fence.proxy.async */
void ww__shadow_proxy_fence(struct ww_shadow *s, uint32_t warp);
void ww__shadow_atomic(ww_cta *cta, uint32_t warp);
/** The object at an offset, which is known from then on. */
uint32_t ww__shadow_object(struct ww_shadow *s, uint32_t offset);
/** A warp, of that CTA, arrives at an object of another or the same one. */
void ww__shadow_object_arrive(const ww_cta *from, uint32_t warp, ww_cta *to, uint32_t offset);
void ww__shadow_object_passed(struct ww_shadow *s, uint32_t warp, uint32_t offset);
/** The object's word has changed: it was initialized, or its phase has ended. */
void ww__shadow_object_init(struct ww_shadow *s, uint32_t offset);
void ww__shadow_object_ended(struct ww_shadow *s, uint32_t offset);
/** A warp has waited for its bulk groups. */
void ww__shadow_bulk_passed(struct ww_shadow *s, uint32_t warp);
/** A warp has waited for all its groups of products but the newest ones. */
void ww__shadow_products_passed(struct ww_shadow *s, uint32_t warp, uint32_t newest);

/** A warp knows that the grids before have ended; at_once: without a fence behind it. */
void ww__shadow_waited(struct ww_shadow *s, uint32_t warp, bool at_once);

/* ---- copy.c ---- */
WW_NODISCARD ww_uop_run ww__checked_copy, ww__checked_bulk, ww__checked_copy_wait,
    ww__checked_tensor;
/** Is the byte still being written by a cp.async that was not waited for? */
bool ww__shadow_in_copy(const struct ww_shadow *s, const ww_cell *cell);

/* ---- products.c ---- */
WW_NODISCARD ww_uop_run ww__checked_wgmma, ww__checked_products;
/** Around an instruction of a kernel that has products: the registers that it uses. */
WW_NODISCARD ww_uop_run ww__checked_registers;

/* ---- shadow.c ---- */
/* What an instruction does to the bytes that it touches. */
typedef struct ww_touching {
    bool reads, writes, atomic;
    bool engine;               /* an engine does it: */
    uint32_t agent, stamp;     /* this one */
    uint32_t copy;             /* group of a cp.async; 0: none */
    const ww_uop_src *element; /* of a store: what it writes, in parts of element_bytes */
    unsigned element_bytes;
} ww_touching;

/** Holds one lane's access against the shadow. */
void ww__shadow_touch(const ww_exec_ctx *x, const ww_uop *u, const ww_touch *t,
                      const ww_touching *how);
/** The lane's access at x->out->address. */
ww_touch ww__shadow_touch_of(const ww_exec_ctx *x, unsigned lane, uint32_t bytes);
/** The instruction without its check. */
WW_NODISCARD ww_status ww__shadow_run_inner(ww_exec_ctx *x, const ww_uop *u);
/** All warps of a CTA have exited: nobody else may still use its memory. */
void ww__shadow_cta_exited(const ww_exec_ctx *x);

/* ---- meeting.c ---- */
/** What lanes do together, as their masks say who they are. */
WW_NODISCARD ww_uop_run ww__checked_members;
/** Does the warp come to a CTA's barrier whole? */
void ww__shadow_check_barrier(const ww_exec_ctx *x, const ww_uop *u);

/* ---- race.c ---- */
/** Notes a read of a byte of the shared memory that s is the shadow of, by an access of a warp of
 * `by`; *other: the access it races with. */
ww_hazard ww__shadow_read(struct ww_shadow *s, const struct ww_shadow *by, uint32_t byte,
                          const ww_mark *now, ww_mark *other);
/** Notes a write. value: what is written, negative when unknown; was: what the byte held. A store
 * of what is there already races with nothing. */
ww_hazard ww__shadow_write(struct ww_shadow *s, const struct ww_shadow *by, uint32_t byte,
                           const ww_mark *now, int value, int was, ww_mark *other);

/* ---- grids.c ---- */
typedef struct ww_grids ww_grids;
typedef struct ww_shadow_grid {
    const ww_kernel *kernel;
    ww_dim3 grid, block;
    uint64_t id;
} ww_shadow_grid;

/** For that many launches; NULL: there is no memory for it, or they are too many. */
ww_grids *ww__grids_create(uint32_t count);
void ww__grids_destroy(ww_grids *g);
/** The launch of that number is next; before: ww_memcheck_grids_next. */
void ww__grids_next(ww_grids *g, uint32_t number, const uint32_t *before);
/** A launch is made ready. */
WW_NODISCARD ww_status ww__grids_launched(const ww_launch *launch, ww_error *err);
WW_NODISCARD ww_uop_run ww__checked_grid_control;
/** All warps of a CTA have exited. */
void ww__grids_cta_exited(const ww_exec_ctx *x);
/** Holds an access to global memory against those of the grids before. */
void ww__grids_touch(const ww_exec_ctx *x, const ww_uop *u, const ww_touch *t,
                     const ww_touching *how);

/* ---- memcheck.c ---- */
/** NULL: no launch may begin early. */
ww_grids *ww__memcheck_grids(const ww_memcheck *check);
/** An access races with that of a grid before, at pc by a thread of a CTA. */
void ww__memcheck_grid(const ww_exec_ctx *x, const ww_uop *u, const ww_touch *touch,
                       ww_hazard hazard, const ww_shadow_grid *grid, uint32_t pc, uint32_t cta,
                       uint32_t thread);
/** Have all these bytes of global memory been written? */
bool ww__memcheck_is_written(const ww_memcheck *check, uint64_t address, uint32_t bytes);
void ww__memcheck_uninitialized(const ww_exec_ctx *x, const ww_uop *u, const ww_touch *touch);
void ww__memcheck_race(const ww_exec_ctx *x, const ww_uop *u, const ww_touch *touch,
                       ww_hazard hazard, const ww_mark *other);
/** An instruction uses a register of a group of products that has not been waited for, or products
 * use one without wgmma.fence. */
void ww__memcheck_register(const ww_exec_ctx *x, const ww_uop *u, uint32_t reg, ww_hazard hazard);

/* What is wrong with who meets at an instruction that lanes do together. */
typedef enum ww_meeting {
    WW_MEETING_RIGHT,
    WW_MEETING_GONE,      /* its mask names lanes that have exited or that the CTA never had */
    WW_MEETING_ELSEWHERE, /* its mask names lanes that are on another path */
    WW_MEETING_UNNAMED,   /* executed by lanes that their own mask does not name */
    WW_MEETING_DIVERGED,  /* a CTA's barrier without lanes of the warp, which are on another path */
    WW_MEETING_COUNT      /* a CTA's barrier for a number of threads that is not of whole warps */
} ww_meeting;

/** Finds fault with who meets.
 * @param mask   as it is in the program; of a barrier's count, the count
 * @param lanes  that the fault is about */
void ww__memcheck_meeting(const ww_exec_ctx *x, const ww_uop *u, ww_meeting fault, uint32_t mask,
                          uint32_t lanes);

#endif
