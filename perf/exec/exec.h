/* exec.h - what an instruction does: warps, CTAs, memory spaces and the execution of one warp
 * instruction. Knows nothing of time. The functional-only run and the timing model drive the same
 * ww_exec_step. Depends on: base, isa, arch, perf/ptx. */
#ifndef WW_PERF_EXEC_EXEC_H
#define WW_PERF_EXEC_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/warp.h"
#include "base/spans.h"
#include "base/status.h"
#include "base/threads.h"
#include "perf/types.h"
#include "perf/ptx/ir.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- device memory: global allocations and module variables (devmem.c) ---- */
typedef struct ww_devmem ww_devmem;

WW_NODISCARD ww_status ww_devmem_create(ww_devmem **out, ww_error *err);
void ww_devmem_destroy(ww_devmem *mem);
/** Zeroed allocation aligned to align (power of two, >= 256 for user memory). */
WW_NODISCARD ww_status ww_devmem_alloc(ww_devmem *mem, uint64_t bytes, uint64_t align,
                                       uint64_t *address, ww_error *err);
WW_NODISCARD ww_status ww_devmem_free(ww_devmem *mem, uint64_t address, ww_error *err);
/** Host pointer to [address, address+bytes) if it lies within one allocation, else NULL. */
void *ww_devmem_at(ww_devmem *mem, uint64_t address, uint64_t bytes);
/** Describes the nearest allocation for messages ("12 bytes after the 4096-byte allocation at
 * 0x…"). Returns buf. */
char *ww_devmem_explain(const ww_devmem *mem, uint64_t address, char *buf, size_t size);
/** Explanations name `blocks` in place of the allocation [first, end) that they share; kept, and
 * may change. NULL: no more. */
void ww_devmem_divide(ww_devmem *mem, uint64_t first, uint64_t end, const ww_spans *blocks);
/** Bounds of the allocation that holds address; false when none does. */
bool ww_devmem_bounds(const ww_devmem *mem, uint64_t address, uint64_t *first, uint64_t *end);
/** The first allocation that begins at address or later; false when there is none. */
bool ww_devmem_next(const ww_devmem *mem, uint64_t address, uint64_t *first, uint64_t *end);
/** Host address of device address 0 of mem: a valid device address plus this is its host address.
 */
uintptr_t ww_devmem_bias(const ww_devmem *mem);

/* ---- device-side malloc (heap.c) ---- */
typedef struct ww_heap ww_heap;

/** A heap that takes at most limit bytes from mem; it must be destroyed before mem. */
WW_NODISCARD ww_status ww_heap_create(ww_devmem *mem, uint64_t limit, ww_heap **out, ww_error *err);
void ww_heap_destroy(ww_heap *heap);
/** Address aligned to 16 bytes, of at least that many bytes; 0 when there is no room. Memory that
 * was in use before keeps its content. */
uint64_t ww_heap_alloc(ww_heap *heap, uint64_t bytes);
/** False when address is not a block in use. */
bool ww_heap_free(ww_heap *heap, uint64_t address);

/* ---- textures and surfaces (texture.c) ---- */
typedef struct ww_textures ww_textures;
WW_NODISCARD ww_status ww_textures_create(ww_textures **out, ww_error *err);
void ww_textures_destroy(ww_textures *textures);
/** New handle, never 0, of a copy of *texture; NULL: bound later. ERANGE for what no texture can
 * be. */
WW_NODISCARD ww_status ww_texture_add(ww_textures *textures, const ww_texture *texture,
                                      uint64_t *handle, ww_error *err);
/** Replaces what a handle stands for. */
WW_NODISCARD ww_status ww_texture_set(ww_textures *textures, uint64_t handle,
                                      const ww_texture *texture, ww_error *err);
WW_NODISCARD ww_status ww_texture_remove(ww_textures *textures, uint64_t handle, ww_error *err);
/** NULL when the handle stands for nothing. */
const ww_texture *ww_texture_get(const ww_textures *textures, uint64_t handle);

/* ---- device-side printf (output.c) ---- */
typedef struct ww_output ww_output;

WW_NODISCARD ww_status ww_output_create(ww_output **out, ww_error *err);
void ww_output_destroy(ww_output *output);
/** Adds text that a warp of a CTA printed. */
WW_NODISCARD ww_status ww_output_add(ww_output *output, uint32_t cta, uint32_t warp,
                                     const char *text, size_t n, ww_error *err);
typedef void ww_print_fn(void *user, const char *text, size_t n);
/** Delivers everything by CTA, then warp, then time, and forgets it: the order does not depend on
 * scheduling. */
void ww_output_flush(ww_output *output, ww_print_fn *print, void *user);

/* ---- launches that kernels make (children.c) ---- */
typedef struct ww_children ww_children;

enum { WW_CHILD_PARAM_BYTES = 4096 }; /* room for a child's parameters */

typedef struct ww_child {
    uint64_t kernel; /* what kernels see as its address */
    ww_dim3 grid, block;
    uint32_t shared; /* dynamic, bytes */
    uint64_t params; /* device address of WW_CHILD_PARAM_BYTES */
    bool tail;       /* after all that are not */
} ww_child;

/** To be destroyed before mem. */
WW_NODISCARD ww_status ww_children_create(ww_devmem *mem, ww_children **out, ww_error *err);
void ww_children_destroy(ww_children *children);
/** Takes the launches made so far out of *children, in their order; *out is the caller's to free
 * with ww_free. */
uint32_t ww_children_take(ww_children *children, ww_child **out);
/** Gives the parameters of a child back, once it has run. */
void ww_children_done(ww_children *children, const ww_child *child);

/* ---- effects on global memory, kept back (pending.c, commit.c) ----
 * What an SM stores to global memory within a window of cycles is seen by the others from the
 * window's edge on. Its own loads from there, and from where its atomics are to take place, wait
 * for the edge (ww_step.again). Atomics take place at the edge, in the order of their cycles; their
 * results are in the registers from then on. */
typedef struct ww_pending ww_pending;

WW_NODISCARD ww_status ww_pending_create(ww_pending **out, ww_error *err);
void ww_pending_destroy(ww_pending *pending);
bool ww_pending_empty(const ww_pending *pending);
/** Forgets everything. */
void ww_pending_clear(ww_pending *pending);
/** Makes the effects of n SMs happen, by cycle, then by place in the list, then in the order of
 * issue; empties them. @error those of the instructions, EFAULT (free of what malloc did not
 * return) */
WW_NODISCARD ww_status ww_pending_commit(ww_pending *const *list, uint32_t n, ww_error *err);

/* ---- SIMT reconvergence stack ---- */
typedef struct ww_stack_entry {
    uint32_t pc;      /* next instruction of this entry */
    uint32_t reconv;  /* popped when pc reaches it; WW_NO_TARGET: never (function level) */
    uint32_t mask;    /* lanes */
    uint32_t is_call; /* 1: entry made by a call; RET pops its lanes */
} ww_stack_entry;

/* ---- a CTA and its warps ---- */
typedef struct ww_barrier {
    uint32_t arrived_warps;  /* warps waiting or arrived in this phase */
    uint32_t expected_warps; /* 0: all live warps of the CTA */
    uint32_t red_popc;       /* bar.red accumulators of this phase */
    uint32_t red_and, red_or;
    uint64_t waiting; /* bit per warp of the CTA blocked here (CTA <= 64 warps) */
} ww_barrier;

struct ww_warp;
struct ww_shadow;
struct ww_memcheck;
struct ww_engines;
struct ww_cta;

enum {
    WW_CLUSTER_MOST = 16,       /* CTAs of a cluster */
    WW_CLUSTER_RANK_SHIFT = 24, /* shared::cluster addresses: rank + 1 above the CTA's own offset */
    WW_BARRIER_CLUSTER = 16,    /* barrier_id of warps that wait for their cluster */
    WW_BARRIER_PRODUCTS = 17,   /* and of those that wait for products of their warp group */
};

/* CTAs that share their shared memory and a barrier (cluster.c). In time they lie on several SMs;
 * what concerns more than one of them happens at edges of windows. */
typedef struct ww_cluster {
    uint32_t size;
    bool at_edges;                       /* who runs it opens its barrier (ww_cluster_meets) */
    uint64_t opens_at;                   /* cycle in which its barrier opens, or has opened last */
    uint32_t held;                       /* CTAs whose places are not free for others yet */
    struct ww_cta *cta[WW_CLUSTER_MOST]; /* by rank; NULL: not placed yet */
} ww_cluster;

/* An allocation of global memory. */
typedef struct ww_place {
    uint64_t first, end;
} ww_place;
enum { WW_CTA_PLACES = 16 };

typedef struct ww_cta {
    uint32_t id[3];  /* %ctaid */
    uint32_t linear; /* x + gx*(y + gy*z) */
    uint32_t warp_count;
    uint32_t live_warps;   /* not yet exited */
    struct ww_warp *warp;  /* [warp_count] */
    unsigned char *shared; /* static + dynamic shared memory */
    uint32_t shared_bytes;
    ww_barrier barrier[16];
    uint64_t recent_first, recent_end; /* global allocation last touched */
    ww_place place[WW_CTA_PLACES];     /* those that memory instructions last touched (direct.c) */
    void *storage;                     /* registers, local and shared memory, and the warps */
    size_t storage_bytes;              /* 0: none yet */
    struct ww_shadow *shadow;          /* of its memory, under --memcheck; else NULL */
    uint64_t executed;                 /* warp instructions, when it runs without time */
    ww_cluster *cluster;               /* NULL: it is alone */
    struct ww_engines *engines;        /* of its SM, in time (engines.h); NULL: none */
    uint32_t rank;                     /* in its cluster */
    uint32_t cluster_arrivals;         /* at the cluster's barrier, since it opened last */
    uint64_t cluster_arrived_at;       /* cycle of the latest of them */
} ww_cta;

typedef struct ww_warp {
    /* First what every instruction looks at, in one line of the host's caches. */
    _Alignas(32) uint32_t *regs; /* [kernel->registers][32], 64-byte aligned */
    uint32_t *preds;             /* [kernel->predicates] lane masks */
    ww_stack_entry *stack;       /* top is stack[depth-1]; depth 0: finished */
    uint32_t depth, capacity;
    ww_stack_entry *grown; /* the stack, where it has outgrown the CTA's storage; or NULL */
    unsigned char *local;  /* [32][local_bytes]; NULL when the kernel has none */
    ww_cta *cta;
    uint32_t index;      /* warp within the CTA */
    uint32_t live;       /* lanes that have not exited */
    uint32_t smid, slot; /* %smid, %warpid: set by who schedules */
    bool at_barrier;     /* blocked in a CTA barrier */
    uint32_t barrier_id;
    uint32_t barrier_pc;      /* of the bar instruction, whose result the release delivers */
    uint32_t barrier_lanes;   /* that executed it */
    uint64_t bulk_done;       /* bytes moved by a bulk copy in progress */
    uint64_t bulk_checked;    /* under --memcheck: of those, looked at, + 1 */
    bool gives_up;            /* its next try_wait says what it finds (engines.h) */
    uint32_t cluster_arrived; /* lanes that have arrived at the cluster's barrier */
    uint32_t product_groups;  /* groups of wgmma that it has closed */
    uint32_t failed_tests;    /* of mbarriers, without time, since one succeeded */
    uint32_t tested_pc;       /* of the last one that failed */
    uint32_t tested_object;   /* its mbarrier, an offset in the CTA's shared memory */
} ww_warp;

/* Sees the instructions that access memory, of what is executed without time. */
struct ww_step;
typedef struct ww_observer {
    void (*memory)(void *user, const struct ww_step *step);
    void *user;
} ww_observer;

/* ---- one kernel launch ---- */
typedef struct ww_launch {
    const ww_kernel *kernel;
    ww_dim3 grid, block;
    ww_dim3 cluster; /* CTAs of a cluster, which divide the grid; 0: no clusters */
    uint32_t dynamic_shared;
    const unsigned char *params; /* parameter block, kernel->param_bytes */
    ww_devmem *mem;
    uint64_t id;            /* %gridid */
    uint32_t sm_count;      /* %nsmid */
    uint32_t resident_ctas; /* that the machine holds at a time, and whose waiting for each other it
                               must therefore bear; 0: one */
    uint64_t grid_workspace;      /* of grid-wide barriers (%envreg1, %envreg2), zeroed; 0: none */
    bool taken_path_first;        /* of a divergent branch; else the path that goes straight on */
    ww_textures *textures;        /* NULL: every handle is invalid */
    ww_heap *heap;                /* NULL: device-side malloc always returns NULL */
    ww_output *output;            /* NULL: device-side printf prints nothing */
    ww_children *children;        /* NULL: launches by kernels fail */
    const ww_observer *observer;  /* of CTAs without time, which then run on one thread; or NULL */
    ww_team *team;                /* runs CTAs without time, those that do not depend on each other
                                     at the same time; NULL: the caller's thread alone */
    struct ww_memcheck *memcheck; /* NULL: memory is not checked beyond bounds and alignment */
    const struct ww_lane_set *lanes; /* NULL: the fastest that the host has */
    struct ww_exec_code *code;       /* predecoded by ww_exec_prepare */
} ww_launch;

/** Where a cp.async of a warp, at that place of the code, writes in shared memory: offsets by lane.
 */
void ww_exec_copy_targets(const ww_launch *launch, ww_warp *warp, uint32_t pc,
                          uint32_t to[WW_WARP_SIZE]);

/** Predecodes the launch's kernel (function pointers, operand layout) for its geometry and
 * parameters, which must not change until the release; EUNSUP names the form and line. ERANGE:
 * geometry that no machine takes. */
WW_NODISCARD ww_status ww_exec_prepare(ww_launch *launch, ww_error *err);
void ww_exec_release(ww_launch *launch);

/** Creates the linear-th CTA of the launch, its warps at pc 0; registers zeroed. *cta is either
 * zero or a CTA of an earlier init, whose memory is used again where it fits.
 * @param cluster  that it joins; NULL: none */
WW_NODISCARD ww_status ww_cta_init(ww_cta *cta, const ww_launch *launch, uint32_t linear,
                                   ww_cluster *cluster, ww_error *err);
void ww_cta_fini(ww_cta *cta);
/** Room for so many entries of the warp's stack; false: out of memory. */
WW_NODISCARD bool ww_warp_make_room(ww_warp *warp, uint32_t entries);

/* ---- clusters (cluster.c) ---- */
/** CTAs of a cluster along each dimension; 1 where the launch has none. */
static inline ww_dim3 ww_cluster_shape(const ww_launch *launch)
{
    return launch->cluster.x != 0 ? launch->cluster : (ww_dim3){1, 1, 1};
}
static inline uint32_t ww_cluster_size(const ww_launch *launch)
{
    ww_dim3 c = ww_cluster_shape(launch);
    return c.x * c.y * c.z;
}
/** The linear number of the CTA that comes at place `ordinal` when clusters follow each other, and
 * the ranks of a cluster. */
uint32_t ww_cluster_cta(const ww_launch *launch, uint64_t ordinal);
/** Whether every thread of the cluster that has not exited has arrived at its barrier, and some
 * have since it opened last. *last: the cycle of the latest arrival. The CTAs are then to be
 * opened.
 */
bool ww_cluster_meets(ww_cluster *cluster, uint64_t *last);
/** The barrier opens for one of the CTAs: warps that waited for it are no longer at_barrier. */
void ww_cluster_open(ww_cta *cta);
/** All warps of all its CTAs have exited. */
bool ww_cluster_ended(const ww_cluster *cluster);

/* What one step did, as the timing model needs it. */
typedef struct ww_step {
    uint32_t pc;            /* instruction executed */
    uint32_t active;        /* lanes of the stack top */
    uint32_t exec;          /* active lanes that passed the guard */
    bool divergent;         /* branch whose lanes went both ways */
    bool taken;             /* control left the fall-through path for some lane */
    uint8_t pushed, popped; /* stack entries */
    bool exited;            /* the warp has finished */
    bool wait;              /* the warp must not go on before the window's edge */
    bool again;             /* nothing was done: to be issued again after the edge (wait is set) */
    bool barrier;           /* the warp arrived at a CTA barrier (may be released at once) */
    bool is_memory;
    bool is_store, is_atomic;
    bool folded;     /* it has read a word of shared memory as an operand: address[] says where. Not
                        is_memory: it is no access of the load/store unit's */
    bool neighbours; /* of an access to global memory: every lane's bytes follow those of the one
                        before, in a full warp */
    bool same;       /* every lane of exec accesses the address of the lowest one; env->lines: the
                        others may be missing in address[] */
    bool in_lines; /* env->lines: nothing is in address[]. All lanes access words of shared memory;
                      lane i of each half-warp line_step bytes after the one before, the first at
                      line[half] */
    ww_space
        space; /* resolved: never GENERIC for a uniform access; mixed generic accesses: GENERIC */
    uint32_t lane_bytes;            /* bytes per lane (element size x vec) */
    uint32_t line_step, line[2];    /* of in_lines; the step is 0 or 4 */
    uint64_t address[WW_WARP_SIZE]; /* per exec lane: GLOBAL/CONST device address; SHARED, LOCAL,
                                       PARAM byte offset */
} ww_step;

/* Factors that a product of a warp group has read, a word an element; those of A that this warp
 * has. */
typedef struct ww_factors {
    uint32_t a_count, b_count;
    uint32_t a[16 * 32], b[32 * 256];
} ww_factors;

/* Simulated time since the clock last changed: `nanoseconds` had passed in cycle `from`. */
typedef struct ww_time {
    uint64_t from, nanoseconds;
    double per_cycle;
} ww_time;

/* At a cycle. (Conversion of signed numbers is one instruction.) */
static inline uint64_t ww_time_at(const ww_time *time, uint64_t cycle)
{
    const double cycles = (double)(int64_t)(cycle - time->from);
    return time->nanoseconds + (uint64_t)(int64_t)(cycles * time->per_cycle);
}

/* Clock and progress as %clock and friends see them; borrowed by ww_exec_step. */
typedef struct ww_exec_env {
    const ww_launch *launch;
    ww_pending *pending; /* takes effects on global memory; NULL: they happen at once */
    uint64_t cycle;      /* core cycle now */
    const ww_time *time; /* in nanoseconds; NULL: none has passed */
    bool at_edge;        /* an effect that was kept back happens now */
    bool lines;          /* whoever looks at steps knows those in lines */
    /* Without time, what the clocks are ahead of it: every reading of one adds to it, so that a
     * loop that waits for a clock ends soon. NULL: clocks show the time. */
    uint64_t *ahead;
    const ww_observer *observer; /* of ww_exec_straight_run; NULL: none */
    ww_factors *factors;         /* takes those of wgmma; NULL: nobody wants them */
} ww_exec_env;

/**
 * Executes the instruction at the top of the warp's stack and advances it (reconvergence included).
 * Not to be called for a finished warp or one that waits at a barrier.
 * @error EFAULT (out of bounds) and EALIGN (misaligned; kernel, PTX line, CTA, thread, address,
 * nearest allocation), EKERNEL (trap), EUNSUP
 */
WW_NODISCARD ww_status ww_exec_step(const ww_exec_env *env, ww_warp *warp, ww_step *out,
                                    ww_error *err);

/** Passes over the instruction at the top of the warp's stack as if no lane executed it. */
void ww_exec_pass(const ww_exec_env *env, ww_warp *warp, ww_step *out);

/** Instruction at the top of the stack, WW_NO_TARGET for a finished warp. */
static inline uint32_t ww_warp_pc(const ww_warp *warp)
{
    return warp->depth > 0 ? warp->stack[warp->depth - 1].pc : WW_NO_TARGET;
}
/** Active lanes at the top of the stack. */
static inline uint32_t ww_warp_active(const ww_warp *warp)
{
    return warp->depth > 0 ? warp->stack[warp->depth - 1].mask : 0;
}

/* How often one instruction was executed. */
typedef struct ww_pc_count {
    uint64_t issued; /* by a warp */
    uint64_t active; /* of those, with at least one lane */
    uint64_t lanes;
    uint64_t scheduled; /* lanes, guarded off or not */
} ww_pc_count;

/* What was executed without time. */
typedef struct ww_functional_stats {
    uint64_t warp_inst, thread_inst;
    uint64_t kind_lanes[WW_KIND_OTHER + 1]; /* active lanes by ww_kind, guarded off or not */
    uint64_t ctas, warps;
    uint64_t pushed, popped; /* stack entries */
    uint64_t divergent;      /* branches */
    uint64_t longest;        /* warp instructions of the CTA that executed most */
    ww_pc_count *pc;         /* [kernel->code_count], the caller's; NULL: not wanted */
} ww_functional_stats;

/** The line of the program's source that a PTX line comes from; false, with *file NULL and *line 0,
 * when the PTX does not say. *file is the kernel's. */
bool ww_source_of(const ww_kernel *kernel, uint32_t ptx_line, const char **file, uint32_t *line);

/** Executes up to `most` instructions of a warp, until it ends or waits at a barrier, one a cycle
 * of env->cycle; counts them in stats->pc alone. @error as ww_exec_step */
WW_NODISCARD ww_status ww_exec_straight_run(ww_exec_env *env, ww_warp *w, unsigned most,
                                            ww_functional_stats *stats, ww_error *err);
/** Runs the CTAs [first, end) of a prepared launch one after the other, warps round robin, or by
 * the launch's team, and adds what they did to *stats. cycle: what %clock starts from.
 * @error those of ww_exec_step; EDEADLOCK when every warp of a CTA waits at barriers that cannot
 * open */
WW_NODISCARD ww_status ww_exec_ctas(const ww_launch *launch, uint64_t first, uint64_t end,
                                    uint64_t cycle, ww_functional_stats *stats, ww_error *err);
/** Runs a whole launch without time; prepares it if need be. *stats may be NULL.
 * @error as ww_exec_ctas */
WW_NODISCARD ww_status ww_exec_functional(ww_launch *launch, ww_functional_stats *stats,
                                          ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
