/* engines.h - what instructions leave to asynchronous engines where there is time. Values move when
 * an instruction issues, whatever engine it is for; when that is seen, at an mbarrier or by a group
 * of copies, is the engine's business: it is told of each copy, and completes it when it has it.
 * Depends on: perf/exec. */
#ifndef WW_PERF_EXEC_ENGINES_H
#define WW_PERF_EXEC_ENGINES_H

#include "perf/exec/exec.h"
#include "perf/exec/tensor/box.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ww_copy_kind {
    WW_COPY_LOAD,
    WW_COPY_STORE,
    WW_COPY_REDUCE,
    WW_COPY_PREFETCH, /* to L2 */
    WW_COPY_SHARED,   /* from the CTA's shared memory to its own, or to that of another CTA */
} ww_copy_kind;

/* A copy that a lane has asked for: `bytes` at `address`, or a box of a tensor. */
typedef struct ww_copy_job {
    uint8_t kind; /* ww_copy_kind */
    bool tensor;
    bool multicast;
    bool reduces;   /* SHARED: what is there stays a part of it */
    uint16_t ranks; /* CTAs of the cluster whose shared memory receives it: bit per rank; 0: none */
    bool
        completes; /* tells the mbarrier at `object` of its bytes, in each CTA that receives them */
    uint32_t object; /* offset in the CTA's shared memory */
    uint32_t inside; /* STORE: the same of what is copied */
    uint32_t pc;
    uint64_t address, bytes;
    uint64_t map_address;
    ww_tensor_map map;
    ww_tensor_box box; /* its map: to be set to the one above by who keeps the job */
} ww_copy_job;

/* An operation on an mbarrier, on its way to the CTA that has it. */
typedef struct ww_object_op {
    uint8_t sub;  /* ww_sub: ARRIVE, …, COMPLETE_TX */
    uint8_t rank; /* of the CTA in its cluster */
    uint32_t object, pc;
    uint32_t number; /* of arrivals or bytes */
} ww_object_op;

/* Between an SM with engines and the executor. */
typedef struct ww_engines {
    ww_copy_job *job; /* made by the instruction that has just been issued */
    uint32_t jobs;
    size_t room;
    ww_object_op *op; /* on mbarriers of other CTAs, by that instruction */
    uint32_t ops;
    size_t op_room;
    uint32_t flips;  /* phases of mbarriers that it has ended */
    bool sleeps;     /* a try_wait that may be suspended: nothing was done */
    bool gives_up;   /* in: the next try_wait is to say what it finds */
    uint32_t object; /* of that try_wait */
} ww_engines;

void ww_engines_fini(ww_engines *engines);

/** The operation on the mbarrier in the CTA's shared memory. *flipped: its phase has ended. @error
 * EKERNEL (more arrivals or bytes than it may count) */
WW_NODISCARD ww_status ww_exec_object(const ww_launch *launch, ww_cta *cta, const ww_object_op *op,
                                      bool *flipped, ww_error *err);
/** The number of the phase, modulo 8, of the mbarrier at that offset. */
unsigned ww_exec_phase(const ww_cta *cta, uint32_t object);

#ifdef __cplusplus
}
#endif
#endif
