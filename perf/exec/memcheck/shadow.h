/* shadow.h - private to perf/exec: what is known of each byte of memory under --memcheck, and of
 * the order of accesses to shared memory.
 *
 * Order follows vector clocks (C. Flanagan, S. Freund, "FastTrack: Efficient and Precise Dynamic
 * Race Detection", PLDI 2009) with a clock per warp: a warp that arrives at a barrier hands over
 * what it has seen, one that leaves it takes it over. Two accesses of different warps to one byte,
 * one of them a write, race when the later warp has not seen the earlier access. */
#ifndef WW_PERF_EXEC_MEMCHECK_SHADOW_H
#define WW_PERF_EXEC_MEMCHECK_SHADOW_H

#include "perf/exec/code.h"
#include "perf/exec/memcheck/memcheck.h"

/* One access to a byte of shared memory. */
typedef struct ww_mark {
    uint32_t stamp; /* the warp's own clock; 0: there was none */
    uint32_t pc;
    uint8_t warp, lane;
    bool atomic;
    uint8_t issuer; /* the warp that asked for it, where `warp` is the copy engine */
} ww_mark;

typedef struct ww_cell {
    ww_mark write;
    ww_mark read[2]; /* the latest ones, of different warps: one of them is not the next writer's */
    uint32_t serial; /* of the store instruction that wrote last */
    uint8_t value;   /* that it wrote */
    uint32_t copy;   /* group of the cp.async that wrote last; 0: something else did */
} ww_cell;

/* Beside a CTA's memory. Clocks are rows of one number per warp. The engine of bulk copies counts
 * as a warp, the last one: it has seen what those saw that asked it for a copy, and hands its
 * writes over to an mbarrier. Copies by cp.async belong to groups of their thread, and reading or
 * writing what they write races with them until the thread has waited for the group. */
struct ww_shadow {
    uint32_t warps; /* the engine included */
    uint32_t shared_bytes, local_bytes;
    uint32_t serial;
    uint32_t *clock;   /* [warp] accesses of the others that each warp has seen, and its own time */
    uint32_t *fenced;  /* [warp] the same as of its last fence; 0: none */
    uint32_t *heard;   /* [warp] what its atomics have met since */
    uint32_t *barrier; /* [barrier] handed over by those that have arrived */
    uint32_t *passed;  /* handed over by a fence and an atomic behind it */
    uint32_t *object;  /* handed over by arrivals at mbarrier objects, all of them together */
    ww_cell *cell;     /* [byte of shared memory] */
    uint32_t *group;   /* [warp][lane]: of its cp.async, the one it adds to; from 1 */
    uint32_t *done;    /* [warp][lane]: groups below are */
    unsigned char *local; /* [warp][lane][byte]: 1 when written */
};

static inline uint32_t ww__shadow_engine(const struct ww_shadow *s)
{
    return s->warps - 1;
}

/* An access of one lane. */
typedef struct ww_touch {
    ww_space space;
    unsigned lane;
    uint64_t address; /* global address, or offset in its space */
    uint32_t bytes;
    bool atomic;
} ww_touch;

typedef enum ww_hazard { WW_HAZARD_NONE, WW_HAZARD_RAW, WW_HAZARD_WAR, WW_HAZARD_WAW } ww_hazard;

/* ---- shadow.c ---- */
/** Puts the checks around every instruction that touches memory or orders accesses to it. */
WW_NODISCARD ww_status ww__shadow_wrap(struct ww_exec_code *code, ww_error *err);
/** Readies the shadow of a CTA that starts. */
WW_NODISCARD ww_status ww__shadow_init(ww_cta *cta, const ww_launch *launch, ww_error *err);
void ww__shadow_fini(ww_cta *cta);

/* ---- order.c ---- */
void ww__shadow_order_init(struct ww_shadow *s);
/** A warp arrives at a barrier. */
void ww__shadow_arrive(struct ww_shadow *s, uint32_t warp, uint32_t barrier);
/** The barrier opens for the warps that wait; those that have ended count as arrived. */
void ww__shadow_open(ww_cta *cta, uint32_t barrier, uint64_t waiting);
void ww__shadow_fence(struct ww_shadow *s, uint32_t warp);
void ww__shadow_atomic(struct ww_shadow *s, uint32_t warp);
void ww__shadow_object_arrive(struct ww_shadow *s, uint32_t warp);
void ww__shadow_object_passed(struct ww_shadow *s, uint32_t warp);

/** A warp asks for a bulk copy. */
void ww__shadow_engine_start(struct ww_shadow *s, uint32_t warp);
/** The engine hands over what it has done, to mbarrier objects. */
void ww__shadow_engine_arrive(struct ww_shadow *s);
/** A warp has waited for the engine. */
void ww__shadow_engine_passed(struct ww_shadow *s, uint32_t warp);

/* ---- copy.c ---- */
ww_uop_run ww__checked_copy, ww__checked_bulk, ww__checked_copy_wait;
/** Is the byte still being written by a cp.async that was not waited for? */
bool ww__shadow_in_copy(const struct ww_shadow *s, const ww_cell *cell);

/* ---- shadow.c ---- */
/* What an instruction does to the bytes that it touches. */
typedef struct ww_touching {
    bool reads, writes, atomic;
    bool engine;               /* it is the engine that does it */
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

/* ---- race.c ---- */
/** Notes a read of a byte of shared memory; *other: the access it races with. */
ww_hazard ww__shadow_read(struct ww_shadow *s, uint32_t byte, const ww_mark *now, ww_mark *other);
/** Notes a write. value: what is written, negative when unknown; was: what the byte held. A store
 * of what is there already races with nothing. */
ww_hazard ww__shadow_write(struct ww_shadow *s, uint32_t byte, const ww_mark *now, int value,
                           int was, ww_mark *other);

/* ---- memcheck.c ---- */
/** Have all these bytes of global memory been written? */
bool ww__memcheck_is_written(const ww_memcheck *check, uint64_t address, uint32_t bytes);
void ww__memcheck_uninitialized(const ww_exec_ctx *x, const ww_uop *u, const ww_touch *touch);
void ww__memcheck_race(const ww_exec_ctx *x, const ww_uop *u, const ww_touch *touch,
                       ww_hazard hazard, const ww_mark *other);

/** An instruction that lanes do together names lanes that cannot come to it.
 * @param mask  as it is in the program */
void ww__memcheck_missing_lanes(const ww_exec_ctx *x, const ww_uop *u, uint32_t mask);

#endif
