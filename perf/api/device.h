/* device.h - the device API: one simulated GPU, its memory, modules and launches.
 * Shared by workloads/, runtime/ and users. A device is used by one thread at a time.
 *
 * perf/api owns what lives longer than a launch: memory, modules, textures, streams' order, records
 * of launches. Below it perf/gpu runs a launch in time, perf/exec without; above it nobody sees
 * either. */
#ifndef WW_PERF_API_DEVICE_H
#define WW_PERF_API_DEVICE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/spans.h"
#include "base/status.h"
#include "counters/governor.h"
#include "perf/types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ww_arch;
struct ww_counters;
struct ww_launch_record;
struct ww_lines;
struct ww_line_prices;

typedef struct ww_device ww_device; /* opaque */
typedef struct ww_module ww_module; /* a loaded PTX module; owned by its device */
/* Which instruction stream is executed. */
typedef enum ww_isa_mode {
    WW_ISA_LOWERED,   /* machine-like instructions on allocated 32-bit registers */
    WW_ISA_GT200,     /* the same with the operand forms of compute capability 1.3 */
    WW_ISA_PTX,       /* PTX as written, for comparison with PTX-level simulators */
    WW_ISA_DESCRIBED, /* what the GPU's description says: sm.isa */
} ww_isa_mode;

/** "lowered", "gt200", "ptx"; NULL for what the description says. */
const char *ww_isa_name(ww_isa_mode isa);
/** The stream of that name; false: there is none. */
bool ww_isa_named(const char *name, ww_isa_mode *out);
/** The description's where it is to say, else the same. */
ww_isa_mode ww_isa_resolve(const struct ww_arch *arch, ww_isa_mode isa);

/* Registers per thread of a kernel that count for occupancy. */
typedef struct ww_kernel_registers {
    const char *kernel;
    uint32_t registers;
} ww_kernel_registers;

/* The error that sampling aims at where none is asked for. */
#define WW_SAMPLE_ERROR 0.05

/* A kernel's part of an instruction budget. Where there are shares, only what they give is
 * simulated in time and reported: launches of other kernels, those of this one before `from`, and
 * all once its share is used up are executed without time, so that a budget reaches kernels that
 * come late. A launch which its share cuts short is executed once more, without time, for those
 * that follow. */
typedef struct ww_budget_share {
    const char *kernel;
    uint32_t from;         /* its launches before this one, from 0, take no time */
    uint64_t instructions; /* thread instructions of the program, > 0 */
} ww_budget_share;

typedef struct ww_device_options {
    ww_isa_mode isa;
    const ww_kernel_registers *registers; /* of kernels for which a machine's assembler is known to
                                             allocate another number; borrowed */
    size_t registers_count;
    bool functional_only;        /* no timing: cycles and timing counters stay 0 */
    uint64_t interval_cycles;    /* > 0: a counter snapshot every so many core cycles */
    const ww_governor *governor; /* asked for the core clock after each of those intervals, with
                                    time and without sampling; NULL: it stays; borrowed */
    uint64_t max_cycles;         /* > 0: a launch that takes longer is an error (WW_EDEADLOCK) */
    uint64_t max_instructions; /* > 0: thread instructions of the program (WW_C_INST_PROGRAM) after
                                  which the device ends what runs, at the edge of a window: the
                                  launch is reported, and it and all later ones fail with EBUDGET.
                                  Needs time, and no sampling */
    const ww_budget_share *shares; /* of a budget: theirs together, in place of the number above;
                                      borrowed. Not with memcheck */
    size_t share_count;
    unsigned threads;    /* that simulate SMs, 0 or 1: one; results are the same for any number */
    bool sample_ctas;    /* CTA sampling of launches of many CTAs */
    bool sample_time;    /* sampling in time of long launches of few CTAs */
    bool sample_kernels; /* kernel sampling of repeated launches */
    double sample_error; /* half-width of the 95 % interval of the cycles, relative to them, that
                            sampling aims at; 0: WW_SAMPLE_ERROR */
    /* Called after every launch (borrowed record); NULL: none. A status other than WW_OK stops the
     * run. */
    ww_status (*on_launch)(void *user, const struct ww_launch_record *record, ww_error *err);
    /* Called now and then during a launch for progress display; NULL: none. done: share of it
     * that is done, 0 until that is known. */
    void (*on_progress)(void *user, uint64_t cycles, uint64_t warp_instructions, double done);
    /* What runs ends soon after this becomes other than 0 (WW_EINTERRUPTED); NULL: nothing ends it.
     */
    const volatile sig_atomic_t *stop;
    void *user;
    /* What kernels print, after every launch, by CTA and warp; NULL: nothing is done with it. */
    void (*on_print)(void *user, const char *text, size_t n);
    uint64_t heap_bytes;   /* most that device-side malloc hands out; 0: 8 MiB, as in CUDA */
    bool memcheck;         /* look for uninitialized reads and shared-memory races; on one thread */
    bool profile;          /* count by line: ww_device_lines */
    bool toggles;          /* count bits that switch between successive values */
    bool timeline;         /* follow a CTA of each launch: ww_device_timeline */
    uint32_t timeline_cta; /* its linear number */
} ww_device_options;

/** Creates a device of the given architecture (borrowed: must outlive the device). */
WW_NODISCARD ww_status ww_device_create(const struct ww_arch *arch,
                                        const ww_device_options *options, ww_device **out,
                                        ww_error *err);
/** Releases the device, its modules and memory. NULL allowed. */
void ww_device_destroy(ww_device *device);

/* What a program asks a device for before it chooses a grid. */
typedef struct ww_device_shape {
    unsigned sms;
    size_t l2_bytes; /* of all slices */
} ww_device_shape;
ww_device_shape ww_device_shape_of(const ww_device *device);

/** Parses, checks and prepares PTX text; name is used in error messages (a path, usually). */
WW_NODISCARD ww_status ww_device_load_ptx(ww_device *device, const char *name, const char *text,
                                          size_t length, ww_module **out, ww_error *err);

/** The same for the texts of separately compiled units, linked with each other. */
WW_NODISCARD ww_status ww_device_load_units(ww_device *device, const char *name,
                                            const char *const *texts, const size_t *lengths,
                                            size_t count, ww_module **out, ww_error *err);

/** Allocates bytes > 0 of zeroed global memory, 256-byte aligned. */
WW_NODISCARD ww_status ww_device_malloc(ww_device *device, size_t bytes, ww_devptr *out,
                                        ww_error *err);
/** Frees an allocation; ENOTFOUND when p is not the start of one. */
WW_NODISCARD ww_status ww_device_free(ww_device *device, ww_devptr p, ww_error *err);
/** Host-to-device copy; the range must lie within one allocation or module variable. */
WW_NODISCARD ww_status ww_device_write(ww_device *device, ww_devptr dst, const void *src,
                                       size_t bytes, ww_error *err);
/** Device-to-host copy, like ww_device_write. */
WW_NODISCARD ww_status ww_device_read(ww_device *device, void *dst, ww_devptr src, size_t bytes,
                                      ww_error *err);
/** Sets a range to one byte value. */
WW_NODISCARD ww_status ww_device_memset(ww_device *device, ww_devptr dst, int value, size_t bytes,
                                        ww_error *err);
/** Address and size of a module-level .global or .const variable; usable with read and write. */
WW_NODISCARD ww_status ww_device_symbol(ww_device *device, ww_module *module, const char *name,
                                        ww_devptr *address, size_t *bytes, ww_error *err);

/** Messages name `blocks` in place of the allocation [first, end), which they share; borrowed, and
 * may change. NULL: no more. */
void ww_device_divide(ww_device *device, ww_devptr first, ww_devptr end, const ww_spans *blocks);
/** Bounds of the allocation or module variable that holds p; false when none does. */
bool ww_device_bounds(const ww_device *device, ww_devptr p, ww_devptr *first, size_t *bytes);
/** Host view of a range within one allocation or module variable, valid until it is freed; else
 * NULL. Where the host's address space allows, as it nearly always does, it has the same address as
 * p. */
void *ww_device_host(ww_device *device, ww_devptr p, size_t bytes);

/* Which way a copy goes. */
typedef enum ww_way { WW_FROM_HOST, WW_TO_HOST, WW_ON_DEVICE } ww_way;

/** Leaves the range in the L2 as a copy of that way, or a fill (on the device), leaves it:
 * mem.host_copies_fill_l2 and what goes with it. The calls above do so themselves; this is for who
 * moves bytes through host views. Takes no time. */
void ww_device_copied(ww_device *device, ww_devptr p, size_t bytes, ww_way way);

/** Leaves the range in the L2 as a kernel's loads would, or its stores: to be written back when
 * their place is needed. Between kernels; takes no time and counts nothing. */
void ww_device_left(ww_device *device, ww_devptr p, size_t bytes, bool stored);

/* ---- memory checking ---- */

/** Findings so far, in the order of first sight, valid until the next launch; NULL without
 * memcheck. *more: accesses at further places, which the list has no room for. */
const ww_finding *ww_device_findings(const ww_device *device, size_t *count, uint64_t *more);
/** Tells memcheck that the caller has written, or may write, to its host view of a range. */
void ww_device_written(ww_device *device, ww_devptr p, size_t bytes);

/* ---- profile ---- */

/**
 * Adds what was counted per PTX line of every kernel launched so far, kernels in the order of their
 * first launch, each one's lines in order. Nothing is added without the option.
 * @param workload  label of the lines
 * @param prices    of events: lines then have joules, and what no line is charged for is lines of
 * the workload; NULL, or a device without time: none
 */
WW_NODISCARD ww_status ww_device_lines(const ww_device *device, const char *workload,
                                       const struct ww_line_prices *prices, struct ww_lines *lines,
                                       ww_error *err);

/** What the CTA of the options has done in the launches so far; empty without the option, and of
 * kernels that use no asynchronous engines. */
const struct ww_timeline *ww_device_timeline(const ww_device *device);

/* ---- textures and surfaces ---- */

/** Handle, never 0, for kernels' texture and surface objects; the memory stays the caller's. ERANGE
 * for what no texture can be. */
WW_NODISCARD ww_status ww_device_texture_create(ww_device *device, const ww_texture *texture,
                                                uint64_t *handle, ww_error *err);
/** ENOTFOUND when there is no such texture or surface. */
WW_NODISCARD ww_status ww_device_texture_destroy(ww_device *device, uint64_t handle, ww_error *err);
/** Binds a texture or surface reference of a module (.texref, .surfref). ENOTFOUND when it has none
 * of that name. */
WW_NODISCARD ww_status ww_device_texture_bind(ww_device *device, ww_module *module,
                                              const char *name, const ww_texture *texture,
                                              ww_error *err);

/* What is known of a kernel before it runs. */
typedef struct ww_kernel_info {
    uint32_t param_count;
    uint32_t registers;    /* per thread, as the hardware would allocate */
    uint32_t shared_bytes; /* static, per CTA */
    uint32_t local_bytes;  /* per thread, spills included */
    uint32_t max_threads;  /* per CTA, from .maxntid and the registers it takes */
    uint32_t cluster[3];   /* CTAs of a cluster, from .reqnctapercluster; 0: the launch says */
} ww_kernel_info;

/** Builds the kernel when it has not been used before. ENOTFOUND, EUNSUP as for a launch. */
WW_NODISCARD ww_status ww_device_kernel_info(ww_device *device, ww_module *module,
                                             const char *kernel, ww_kernel_info *out,
                                             ww_error *err);
/** Registers per thread that count for occupancy from now on, where a machine's assembler is known
 * to allocate another number than the register allocator found. ENOTFOUND, EUNSUP as for a launch.
 */
WW_NODISCARD ww_status ww_device_set_registers(ww_device *device, ww_module *module,
                                               const char *kernel, uint32_t registers,
                                               ww_error *err);
/** Place of a parameter in the parameter block. ERANGE when there is no such parameter. */
WW_NODISCARD ww_status ww_device_kernel_param(ww_device *device, ww_module *module,
                                              const char *kernel, uint32_t index, size_t *offset,
                                              size_t *bytes, ww_error *err);
/** Whether PTX declares the parameter as a number in floating point (.f32, .f64); as .b32 or .b64
 * it may be either. ERANGE when there is no such parameter. */
WW_NODISCARD ww_status ww_device_kernel_param_floats(ww_device *device, ww_module *module,
                                                     const char *kernel, uint32_t index, bool *out,
                                                     ww_error *err);
/** What the kernel takes the memory behind a parameter for: bits of each element that its loads,
 * stores and atomics reach, 0 where it reaches none or elements of several lengths; floats: some
 * access says that they are numbers in floating point. @error ERANGE (no such parameter), ENOMEM */
WW_NODISCARD ww_status ww_device_kernel_param_elements(ww_device *device, ww_module *module,
                                                       const char *kernel, uint32_t index,
                                                       unsigned *bits, bool *floats, ww_error *err);
/** CTAs of that many threads and that much dynamic shared memory that one SM holds at a time; 0:
 * none fits. */
WW_NODISCARD ww_status ww_device_occupancy(ww_device *device, ww_module *module, const char *kernel,
                                           uint32_t threads, size_t dynamic_shared, uint32_t *ctas,
                                           ww_error *err);

/** Clusters of that many CTAs, each of that many threads and that much dynamic shared memory, that
 * the GPU holds at a time; 0: none fits. */
WW_NODISCARD ww_status ww_device_max_clusters(ww_device *device, ww_module *module,
                                              const char *kernel, uint32_t threads,
                                              size_t dynamic_shared, uint32_t size,
                                              uint32_t *clusters, ww_error *err);

/**
 * Runs a kernel to completion.
 * @param args            args[i] points at the i-th kernel parameter, whose size the PTX declares
 * @param arg_count       must equal the kernel's parameter count
 * @param dynamic_shared  bytes of dynamic shared memory per CTA
 * @error  ENOTFOUND (no such kernel), ERANGE (geometry or resources do not fit the GPU), EUNSUP
 * (instruction form), EFAULT (invalid access: names kernel, PTX line, CTA, thread), EDEADLOCK,
 * EKERNEL (trap), EASSERT, EVERIFY (a mechanism supplied what plain execution contradicts)
 */
WW_NODISCARD ww_status ww_device_launch(ww_device *device, ww_module *module, const char *kernel,
                                        ww_dim3 grid, ww_dim3 block, size_t dynamic_shared,
                                        const void *const *args, size_t arg_count, ww_error *err);

/* One of several launches that may run at the same time. */
typedef struct ww_launch_request {
    ww_module *module;
    const char *kernel;
    ww_dim3 grid, block;
    size_t dynamic_shared;
    const void *const *args; /* as for ww_device_launch */
    size_t arg_count;
    ww_dim3 cluster;       /* CTAs of a cluster; 0: what the kernel says, or none */
    const uint32_t *after; /* launches before it in the list that it waits for */
    uint32_t after_count;
    bool early;   /* it may begin when their CTAs have ended or let dependents begin
                     (griddepcontrol.launch_dependents) */
    uint64_t end; /* set: core cycles from the beginning of all to its end */
} ww_launch_request;

/** Runs a kernel to completion as a request says, whatever it waits for. @error as
 * ww_device_launch; ERANGE: clusters that the GPU has not, that do not divide the grid or do not
 * fit a GPC */
WW_NODISCARD ww_status ww_device_launch_request(ww_device *device, const ww_launch_request *q,
                                                ww_error *err);

/** What a launch would fail with before it begins; nothing runs. */
WW_NODISCARD ww_status ww_device_launch_check(ww_device *device, const ww_launch_request *q,
                                              ww_error *err);

/**
 * Runs kernels as streams allow: each begins when those before it that it names have ended, and
 * they share the machine, an SM taking CTAs of one kernel at a time. What they took is reported as
 * one launch of that many kernels, whose name is theirs joined. Without time, under memcheck, with
 * sampling, a mechanism or shares of a budget, or with a kernel that waits for its whole grid or
 * launches others, they run one after the other, in the order of the list.
 * @error  as ww_device_launch; ERANGE also when a launch waits for itself or a later one
 */
WW_NODISCARD ww_status ww_device_launch_concurrent(ww_device *device, ww_launch_request *list,
                                                   size_t count, ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
