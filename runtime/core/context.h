/* context.h - the one context of a process: device, modules, streams, errors, finished launches.
 * Every entry point enters it, which locks it, and leaves it with the code that it returns:
 *
 *     RT_CALL(c, malloc_device(c, out, bytes));
 *
 * Launches and copies run to completion where they are issued; that is one of the orders that
 * CUDA's streams and events allow. `run --concurrent` lets launches wait for each other
 * (deferred.c). Private to runtime/.
 *
 * runtime/ owns the libraries in which unmodified CUDA programs run: runtime and driver API,
 * graphs, memory shared between processes, NVRTC, and thin cuBLAS and cuRAND on kernels of ours.
 * Each call is answered, refused by CUDA's own code, or named once as missing. What a launch means
 * is perf/api's. Depends on: base, arch, counters, isa,
 * perf/api, run. */
#ifndef WW_RUNTIME_CORE_CONTEXT_H
#define WW_RUNTIME_CORE_CONTEXT_H

#include <stdbool.h>

#include "arch/arch.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/progress.h"
#include "counters/counters.h"
#include "counters/journal.h"
#include "perf/api/device.h"
#include "runtime/runtime_api/calls.h"
#include "runtime/core/pool.h"
#include "runtime/sharing/segment.h"

/* What the program registered as one; its PTX is loaded on first use. */
typedef struct rt_module {
    const void *const *images; /* fat binaries of the units that were linked; ends with NULL */
    const void *image[2];      /* a single one */
    char **text;               /* PTX instead of images, of a module that the program loads */
    size_t text_count;
    ww_module *module;
    bool tried;
    unsigned target; /* of the PTX that was loaded */
    cudaError_t failure;
    struct rt_module *next;
} rt_module;

/* A kernel and the host function that stands for it; a cudaKernel_t points at one. */
typedef struct cudaKernel {
    const void *host;
    const char *name;
    rt_module *module;
    cudaDim3 cluster;    /* that the program has set; 0: none */
    bool needs_cluster;  /* a launch must name one */
    bool large_clusters; /* of more than 8 CTAs are allowed */
    struct cudaKernel *next;
} rt_kernel;

/* A device variable and the host variable that stands for it. */
typedef struct rt_variable {
    const void *host;
    void *
        *managed; /* where the program keeps its pointer to a managed variable; NULL: not managed */
    const char *name;
    rt_module *module;
    struct rt_variable *next;
} rt_variable;

struct rt_capture;

/* The nodes that what comes next in a capture follows. */
typedef struct rt_frontier {
    struct rt_capture *capture; /* NULL: work runs */
    cudaGraphNode_t *nodes;
    size_t count;
} rt_frontier;

enum { RT_STREAM_ATTRIBUTES = 16 };

struct cudaStream {
    uint64_t id;
    unsigned flags;
    int priority;
    cudaLaunchAttributeValue attributes[RT_STREAM_ATTRIBUTES];
    rt_frontier frontier;
    uint64_t follows; /* deferred.c: what comes next in it follows these */
    struct cudaStream *next;
};

struct cudaEvent {
    bool recorded;
    bool no_timing;
    bool interprocess;    /* other processes may open it: it is complete when it is recorded */
    double time_s;        /* device time when it was recorded */
    rt_frontier frontier; /* when it was recorded in a capture */
    bool deferred; /* recorded among launches that wait to be run (deferred.c), behind these: */
    uint64_t follows;
    struct cudaEvent *next;
};

/* A host allocation that kernels see through a copy: cudaHostRegister. */
typedef struct rt_mirror {
    unsigned char *host;
    size_t bytes;
    ww_devptr device;
    struct rt_mirror *next;
} rt_mirror;

/* Device addresses over memory that has another owner (window.h). */
typedef struct rt_window {
    ww_devptr base;    /* of the device's allocation that gives the addresses */
    ww_devptr address; /* of the first page within */
    uint64_t bytes;    /* 0: there is none */
} rt_window;

/* A pool of memory that is allocated in the order of streams (mempool.c). */
struct cudaMemPool {
    bool imported, dying; /* destroyed, but not all of it freed */
    rt_segment segment;   /* none: its memory is the device's */
    rt_window window;     /* over all of the segment */
    ww_spans blocks;      /* of the window */
    int reuse[3];
    uint64_t threshold;
    struct cudaMemPool *next;
};

typedef struct rt_import rt_import;           /* ipc.c */
typedef struct rt_kept rt_kept;               /* managed.c */
typedef struct rt_physical rt_physical;       /* virtual_memory.c */
typedef struct rt_reservation rt_reservation; /* virtual_memory.c */
typedef struct rt_mapping rt_mapping;         /* virtual_memory.c */

/* A CUDA array: rows of elements in device memory, laid out as the texture units read them. */
struct cudaArray {
    ww_devptr address;
    cudaChannelFormatDesc desc;
    cudaExtent extent; /* as asked for: 0 where there is no such dimension; depth counts layers */
    unsigned flags;
    size_t element_bytes, pitch, slice;
    struct cudaArray *next;
};

/* A texture or surface object. */
typedef struct rt_texture {
    uint64_t handle;
    bool is_surface;
    cudaResourceDesc resource;
    cudaTextureDesc texture;
    struct rt_texture *next;
} rt_texture;

struct rt11_texture_reference;

/* A texture<> variable of the program (CUDA 11) and the reference that stands for it. */
typedef struct rt_texture_reference {
    const struct rt11_texture_reference *host;
    const char *name;
    bool normalized_read;
    rt_module *module;
    struct rt_texture_reference *next;
} rt_texture_reference;

typedef struct rt_context {
    bool opened, finished;
    int pid;             /* that opened it: a forked child reports nothing of its parent's */
    cudaError_t failure; /* sticky: opening failed, or a kernel faulted; every call returns it */
    ww_arch *arch;
    ww_device *device;
    ww_arena registers; /* counts that the device was given */
    rt_pool pool;       /* of its memory */
    bool unified;       /* device memory has the same addresses on the host */
    bool functional_only;
    struct rt_deferred *deferred; /* NULL: launches run where they are issued */
    double time_s;                /* device time */
    ww_progress progress;         /* of the launch that runs; off unless asked for */
    char progress_title[64];
    uint32_t launches_ended;
    uint64_t device_bytes; /* that a program may hold at a time */
    uint64_t allocated, allocated_most;
    bool short_of_memory; /* said so */
    uint64_t graph_bytes; /* by nodes of graphs, ever */

    rt_module *modules;
    rt_kernel *kernels;
    rt_variable *variables;
    cudaStream_t streams;
    cudaEvent_t events;
    cudaGraph_t graphs;
    cudaGraphExec_t executables;
    struct rt_graph_memory *graph_memory;
    rt_mirror *mirrors;
    struct cudaMemPool default_pool;
    cudaMemPool_t mem_pools, mem_pool; /* that cudaMallocAsync uses; NULL: the default one */
    rt_import *imports;
    rt_physical *physicals;
    rt_reservation *reservations;
    rt_mapping *mappings;
    rt_segment common; /* of memory that is mapped, but not shared */
    ww_spans common_blocks;
    cudaArray_t arrays;
    rt_kept *kept;
    cudaUserObject_t user_objects, dead_objects;
    rt_texture *textures;
    rt_texture_reference *references;
    uint64_t next_stream_id;
    uint32_t issuing; /* stream of what is carried out now; 0: the default one, or several */
    size_t limits[cudaLimitCount];
    cudaLaunchAttributeValue default_attributes[RT_STREAM_ATTRIBUTES];

    bool merges;                /* launches have intervals, which are merged as a whole: */
    ww_launch_record *launches; /* kept until the end; the others go to */
    ww_journal *journal;        /* as they happen (report.c) */
    size_t launch_count;
    uint64_t interval_bytes;
    unsigned images;    /* that this process ran before, and exec replaced */
    ww_map unsupported; /* entry points called in vain: name, times */
    ww_map faults;      /* messages of device errors, in order */
} rt_context;

/* Locks the context, opens the device when that has not been done, and runs the launches that wait.
 */
rt_context *rt_enter(void);
/* The same for calls that leave them waiting. */
rt_context *rt_enter_beside(void);
/* Unlocks and returns code, which becomes the thread's last error unless it is cudaSuccess. */
cudaError_t rt_leave(rt_context *c, cudaError_t code);
/* Locks without opening: registration runs before main and must not depend on the environment. */
rt_context *rt_lock(void);
void rt_unlock(void);

#define RT_CALL(c, expr)                                                                           \
    do {                                                                                           \
        rt_context *c = rt_enter();                                                                \
        return rt_leave(c, c->failure != cudaSuccess ? c->failure : (expr));                       \
    } while (0)

#define RT_CALL_BESIDE(c, expr)                                                                    \
    do {                                                                                           \
        rt_context *c = rt_enter_beside();                                                         \
        return rt_leave(c, c->failure != cudaSuccess ? c->failure : (expr));                       \
    } while (0)

/* ---- deferred.c: launches of streams wait for others to run at the same time ---- */
/** checks: for --memcheck. */
WW_NODISCARD ww_status rt_deferred_open(rt_context *c, bool checks, ww_error *err);
void rt_deferred_close(rt_context *c);
/* Runs what waits. A fault shows in c->failure. */
void rt_deferred_run(rt_context *c);

/* ---- texture.c ---- */
/* What the device needs to know of a texture; texture NULL: a surface. */
cudaError_t rt_describe_texture(rt_context *c, ww_texture *t, const cudaResourceDesc *resource,
                                const cudaTextureDesc *texture);

/* The thread's last error; cleared when reset. */
cudaError_t rt_last_error(bool reset);
/* Reports an entry point that does not exist here: once on stderr, always in the run's report. */
cudaError_t rt_unsupported(const char *name);
/* The CUDA code for what went wrong in WarpWatt; faults of kernels become sticky and are printed.
 */
cudaError_t rt_failed(rt_context *c, ww_status status, const ww_error *err);
/* Records, as rt_unsupported does, what an entry point lacks; for callers that hold the lock. */
cudaError_t rt_lacking(rt_context *c, const char *what);
/* Prints a line for the user on stderr. */
void rt_say(const char *fmt, ...) WW_PRINTF(1, 2);
/** Clears what is shown of a launch's progress, before the program goes on. */
void rt_progress_end(rt_context *c);
/** Says that something is missing, once for each name, and notes the name in the report; exported
 * for the thin libraries of runtime/math. */
WW_API void warpwatt_note_missing(const char *name, const char *text);
/* ---- report.c ---- */
/* Begins the report of this process in the folder that `warpwatt run` names. */
void rt_report_begin(rt_context *c);
/* Records a launch, in a way that outlives the process. */
WW_NODISCARD ww_status rt_report_launch(rt_context *c, const ww_launch_record *record,
                                        ww_error *err);
/* Writes what has been noted. */
void rt_report_notes(rt_context *c);
/* Writes all that there is by now, whatever comes. */
void rt_report(rt_context *c);
/* The same for the last time. */
void rt_report_end(rt_context *c);
/* Label of the program's launches: its name without folder. */
const char *rt_program_name(void);

/* ---- registration.c ---- */
/* The kernel that a host function or a cudaKernel_t stands for; NULL: none. */
rt_kernel *rt_find_kernel(rt_context *c, const void *host);
rt_variable *rt_find_variable(rt_context *c, const void *host);
/* Loads the PTX of a registered fat binary. */
cudaError_t rt_load(rt_context *c, rt_module *module);
/* Highest target among the PTX that the program's fat binaries offer this GPU; 0: none. */
unsigned rt_highest_target(const rt_context *c);

/* ---- host_memory.c ---- */
/* The registered memory that holds p; NULL: none. */
rt_mirror *rt_mirror_of(const rt_context *c, const void *p);
/* Copies registered host memory to its mirrors before a launch, and back behind it. A mirror that
 * the program freed is an error. */
WW_NODISCARD ww_status rt_mirrors_to_device(rt_context *c, ww_error *err);
WW_NODISCARD ww_status rt_mirrors_to_host(rt_context *c, ww_error *err);

/* ---- memory.c ---- */
/* Device memory within the limit of what a program may hold. */
cudaError_t rt_allocate(rt_context *c, void **out, size_t bytes);
cudaError_t rt_release(rt_context *c, void *p);
/* False: the device has not so much memory left; the first time it is said how to give it more. */
bool rt_has_room(rt_context *c, uint64_t bytes);
/* Counts memory that is allocated. */
void rt_count_allocated(rt_context *c, uint64_t bytes);

/* ---- managed.c ---- */
/* Keeps what kind of memory (cudaMemoryType) begins at p, until it is forgotten. */
cudaError_t rt_keep(rt_context *c, const void *p, size_t bytes, int type);
void rt_forget(rt_context *c, const void *p);
/* The kind of memory that holds p, which is some of the device's. */
int rt_memory_type(rt_context *c, const void *p);

/* ---- user_object.c ---- */
/* Calls the functions of objects without references; the context is not locked. */
void rt_user_objects_end(cudaUserObject_t dead);

/* ---- stream_attribute.c ---- */
bool rt_is_policy_window(rt_context *c, const cudaAccessPolicyWindow *window);

/* ---- mempool.c ---- */
/* Frees memory of a pool that is a segment; false: there is none that begins at p. */
bool rt_mempool_release(rt_context *c, const void *p);
/* The allocation of such a pool that holds p. */
bool rt_mempool_bounds(const rt_context *c, ww_devptr p, ww_devptr *first, size_t *bytes);

/* ---- graph.c ---- */
/* Memory of a graph stays until the graph goes, whatever its nodes and the program free. */
bool rt_is_graph_memory(const rt_context *c, const void *p);

/* ---- copy.c ---- */
/* One side of a copy. */
typedef struct rt_side {
    unsigned char *p;
    size_t pitch, plane; /* bytes from row to row, from slice to slice */
    bool on_device;      /* as the kind of copy says */
    bool anywhere;       /* cudaMemcpyDefault: the address tells */
} rt_side;

static inline rt_side rt_at(const void *p, size_t pitch, size_t plane)
{
    return (rt_side){.p = (unsigned char *)(uintptr_t)p, .pitch = pitch, .plane = plane};
}

/* Copies extent (width in bytes) from src to dst, in the order of the stream. */
cudaError_t rt_copy(rt_context *c, rt_side dst, rt_side src, cudaExtent e, int kind,
                    cudaStream_t stream);

/* Sets extent (width in bytes) to a value of 1, 2 or 4 bytes. */
cudaError_t rt_fill(rt_context *c, rt_side dst, unsigned value, unsigned element_bytes,
                    cudaExtent e, cudaStream_t stream);

/* ---- array.c ---- */
bool rt_is_array(const rt_context *c, cudaArray_t array);
/* An array from the element at pos on. */
rt_side rt_array_side(cudaArray_t array, cudaPos pos);

/* ---- device.c ---- */
/* Most bytes of an access policy window; 0: the GPU knows none. */
size_t rt_policy_window_bytes(const rt_context *c);
/* Does the GPU, or the target of the program's PTX, have clusters? */
bool rt_takes_clusters(const rt_context *c);
/* Can the GPU compress data in memory? */
bool rt_compresses(const rt_context *c);

/* ---- stream.c ---- */
enum { RT_EVENT_DISABLE_TIMING = 2, RT_EVENT_INTERPROCESS = 4 };

bool rt_is_stream(const rt_context *c, cudaStream_t stream);
bool rt_is_default_stream(cudaStream_t stream);
bool rt_is_event(const rt_context *c, cudaEvent_t event);

#endif
