/* device_state.h - a device, its modules and built kernels. Private to perf/. */
#ifndef WW_PERF_API_DEVICE_STATE_H
#define WW_PERF_API_DEVICE_STATE_H

#include "perf/exec/memcheck/memcheck.h"
#include "perf/api/device.h"
#include "perf/gpu/gpu.h"
#include "perf/ptx/ptx.h"
#include "perf/sampling/kernels.h"

/* A kernel of a module, built on first use. */
typedef struct ww_built {
    struct ww_built *next;
    const ww_kernel *kernel;  /* in the module's arena, or as a mechanism's pass has left it */
    ww_arena arena;           /* of what passes make */
    const void *const *notes; /* [mechanism] */
    ww_program program;
    uint32_t registers;        /* per thread, as the hardware would allocate */
    bool registers_given;      /* by ww_device_set_registers */
    uint32_t threads;          /* of a CTA that the registers were cut for; 0: not cut */
    int varying;               /* scalarized for warps in which that varies; -1: not scalarized */
    bool waits_for_grid;       /* reads the address of the workspace of grid-wide barriers */
    ww_profile_count *profile; /* rows, of all launches; NULL: none */
    uint32_t first_launch;     /* its place in the order of first launches, with a profile */
} ww_built;

struct ww_module {
    ww_module *next;
    ww_ptx_module *ptx;
    ww_built *built;
    char *text;      /* PTX, kept for profiles; NULL: none, or of several units */
    uint64_t copied; /* host_bytes when it was loaded */
};

/* What a kernel has used of its share of a budget. */
typedef struct ww_share_state {
    uint64_t instructions;
    uint32_t launches; /* of the kernel so far */
} ww_share_state;

struct ww_device {
    const ww_arch *arch; /* borrowed */
    ww_device_options options;
    ww_devmem *mem;
    ww_textures *textures;
    ww_heap *heap;         /* device-side malloc */
    ww_output *output;     /* device-side printf */
    ww_children *children; /* launches by kernels */
    uint32_t generation;   /* of the running kernel: 0, its children 1, ... */
    ww_memcheck *memcheck; /* NULL: off */
    ww_gpu *gpu;           /* NULL when functional_only */
    ww_timeline timeline;  /* of the options' CTA */
    ww_module *modules;
    uint64_t grid_workspace; /* 0: not needed yet */
    uint64_t code_bytes;     /* instruction addresses handed out */
    uint64_t host_bytes;     /* copied from the host so far */
    uint64_t instructions;   /* WW_C_INST_PROGRAM so far */
    ww_share_state *shares;  /* [options.share_count] */
    uint32_t launches;
    uint32_t profiled;                /* kernels with a profile */
    uint32_t owners;                  /* of requests, given out to the rows of programs; from 1 */
    uint64_t *charged;                /* [charged_owners][WW_MEMORY_CHARGES] of all launches */
    uint32_t charged_owners;          /* 0: no launch was profiled */
    uint64_t total[WW_COUNTER_COUNT]; /* of profiled launches */
    ww_sampling sampling;
    ww_kernel_sampler *kernel_samplers; /* of kernel sampling */
    bool disturbed;                     /* not everything so far was simulated in time */
};

/* ---- device.c ---- */
/** The chip of a device, for tests. */
ww_gpu *ww_device_gpu(ww_device *device);

/* ---- mechanisms.c ---- */
/** Whether kernels are built with scalar registers; *varying: what the mechanisms take to differ
 * within warps, of what does. */
bool ww__scalarized(const ww_gpu *gpu, unsigned *varying);
/** Runs the passes of the chip's mechanisms over a kernel. */
WW_NODISCARD ww_status ww__run_passes(const ww_gpu *gpu, ww_built *built, ww_error *err);

/* ---- profile.c ---- */
/* Before a launch: the chip knows whom to charge. */
WW_NODISCARD ww_status ww_profile_prepare(ww_device *device, ww_error *err);
/* After it, of all its kernels together: what memory did, and for whom. share: as below. */
WW_NODISCARD ww_status ww_profile_launched(ww_device *device, double share, ww_error *err);
/* Adds a launch to the profile of its kernel.
 * launch: rows. counters: of the launch. share: of its warp
 * instructions, the part that sampling did not simulate, so that what was lost where is scaled to
 * the counters. */
WW_NODISCARD ww_status ww_kernel_profile_add(ww_device *device, ww_built *built,
                                             ww_profile_count *launch,
                                             const ww_counter_set *counters, double share,
                                             ww_error *err);
/* Adds a launch that was only executed. counters: of the launch, as predicted from others; NULL:
 * there is no time. */
WW_NODISCARD ww_status ww_kernel_profile_add_executed(ww_device *device, ww_built *built,
                                                      const ww_pc_count *pc,
                                                      const ww_counter_set *counters,
                                                      ww_error *err);

/* ---- children.c ---- */
/** Runs what a kernel of the module has launched, and what that launches, in the order of launches;
 * tail launches last. Forgets them when the kernel has failed with `parent`, which is returned. */
WW_NODISCARD ww_status ww_device_run_children(ww_device *device, ww_module *module,
                                              ww_status parent, ww_error *err);

/* ---- module.c ---- */
WW_NODISCARD ww_status ww_module_create(ww_device *device, const char *name,
                                        const char *const *texts, const size_t *lengths,
                                        size_t count, ww_module **out, ww_error *err);
void ww_module_destroy(ww_module *module, ww_devmem *mem);
WW_NODISCARD ww_status ww_module_kernel(ww_device *device, ww_module *module, const char *name,
                                        ww_built **out, ww_error *err);
/* The same for launches of CTAs of that shape: a compiler's registers for it would have left room
 * for them, so that where ours do not, the kernel is built again within those that are there.
 */
WW_NODISCARD ww_status ww_module_kernel_for(ww_device *device, ww_module *module, const char *name,
                                            ww_dim3 block, ww_built **out, ww_error *err);
/* 32-bit registers of a warp: scalars have one each where the core can hold them so. */
uint32_t ww_built_warp_words(const ww_arch *arch, const ww_built *built);
/* Whether a variable of some module holds address. */
bool ww_module_has(const ww_device *device, uint64_t address);
/* The module variable that starts at address, in any module; NULL: none. */
const ww_symbol *ww_module_variable_at(const ww_device *device, uint64_t address);

#endif
