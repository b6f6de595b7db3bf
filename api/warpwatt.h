/* warpwatt.h - the public interface of libwarpwatt: simulate kernels on a GPU and read cycles,
 * counters, joules. It needs nothing else of WarpWatt and stays compatible within a soname.
 *
 *     warpwatt_device *gpu;
 *     warpwatt_error err;
 *     if (warpwatt_open("gtx580", NULL, &gpu, &err) != WARPWATT_OK) { puts(err.message); … }
 *     … warpwatt_load, warpwatt_malloc, warpwatt_write, warpwatt_launch, warpwatt_read …
 *     warpwatt_result result;
 *     warpwatt_result_at(gpu, 0, &result, &err);      result.energy_j, result.time_s, …
 *     warpwatt_close(gpu);
 *
 * Every function that can fail returns a status and fills the caller's error, which may be NULL.
 * Nothing is printed, no signal handled, no process ended. A device is used by one thread at a
 * time; several devices are independent of each other. Strings that are handed out live as long as
 * the device, those of functions without a device for ever. Units are SI: J, W, s, m2, Hz. */
#ifndef WARPWATT_H
#define WARPWATT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined __GNUC__
#define WARPWATT_API    __attribute__((visibility("default")))
#define WARPWATT_STATUS WARPWATT_API __attribute__((warn_unused_result)) warpwatt_status
#else
#define WARPWATT_API
#define WARPWATT_STATUS warpwatt_status
#endif

/* ---- errors ---- */

typedef enum warpwatt_status {
    WARPWATT_OK = 0,
    WARPWATT_ENOMEM = 1,       /* out of memory */
    WARPWATT_EIO = 2,          /* a file could not be read or written */
    WARPWATT_EPARSE = 3,       /* input is not well formed */
    WARPWATT_ESCHEMA = 4,      /* input does not satisfy its schema */
    WARPWATT_ERANGE = 5,       /* a value outside its range */
    WARPWATT_ENOTFOUND = 6,    /* a named item does not exist */
    WARPWATT_EUNSUP = 7,       /* unsupported feature or instruction */
    WARPWATT_ENUMERIC = 8,     /* a number cannot be computed: a result without time, say */
    WARPWATT_EFAULT = 9,       /* a kernel accessed memory that is not its own */
    WARPWATT_EDEADLOCK = 10,   /* the simulated machine makes no progress */
    WARPWATT_EKERNEL = 11,     /* a kernel stopped with an error */
    WARPWATT_EVERIFY = 12,     /* a result differs from its reference */
    WARPWATT_EUSAGE = 13,      /* arguments do not go together */
    WARPWATT_EINTERNAL = 14,   /* WarpWatt is at fault */
    WARPWATT_EASSERT = 15,     /* an assertion in a kernel failed */
    WARPWATT_EBUDGET = 16,     /* the instruction budget is used up */
    WARPWATT_EINTERRUPTED = 17 /* ended from outside */
} warpwatt_status;

/* Where and why something failed; written only then. */
typedef struct warpwatt_error {
    warpwatt_status status;
    char message[4096]; /* "file:line:column: error: text [CODE]" */
} warpwatt_error;

/** "MAJOR.MINOR.PATCH", of the library that is loaded. */
WARPWATT_API const char *warpwatt_version(void);

/* ---- a GPU ---- */

typedef struct warpwatt_device warpwatt_device;
typedef struct warpwatt_module warpwatt_module; /* owned by its device */
typedef uint64_t warpwatt_ptr;                  /* device address; 0 is none */

/* What a governor is told of an interval of a launch; borrowed for the call. */
typedef struct warpwatt_interval {
    size_t size; /* of this structure, in the library that is loaded */
    uint64_t cycles, warp_instructions;
    double start_s, seconds; /* simulated: since the device was opened, and of the interval */
    double energy_j, power_w;
    const double *component_j; /* of each component, leakage included */
    double active_sms;         /* share of the cycles in which an SM held a CTA, over the SMs */
    double clock_hz, voltage_v, temperature_k; /* that it ran at */
    double lowest_hz, highest_hz, step_hz;     /* clocks of the card; step 0: any between */
} warpwatt_interval;

/* Zero-initialise; set what differs. */
typedef struct warpwatt_options {
    size_t size;                 /* sizeof(warpwatt_options): fields beyond it are taken as 0 */
    const char *const *settings; /* "sm.max_ctas=16", as --set takes them */
    size_t setting_count;
    const char *mechanisms; /* "nlp,uv", as --mech takes them; NULL: none */
    unsigned threads;       /* that simulate; 0: one. Results are the same for any number */
    int ptx_stream;         /* 1: execute PTX as written, not machine-like instructions; 2: those of
                               compute capability 1.3 */
    int functional;         /* 1: execute only: no cycles, no power */
    int memcheck;           /* 1: look for uninitialized reads and races in shared memory */
    uint64_t interval_cycles;  /* > 0: also counters per so many core cycles, for trace.csv */
    uint64_t max_cycles;       /* > 0: a launch that takes longer fails with EDEADLOCK */
    uint64_t max_instructions; /* > 0: thread instructions after which launches fail with EBUDGET */
    /* What kernels print, after each launch; NULL: nothing is done with it. */
    void (*print)(void *user, const char *text, size_t n);
    void *user;
    /* Called after every interval_cycles, and at the end of a launch: the core clock [Hz] from then
     * on, down to a step of the card; voltage, energies and idle power follow. A clock that the
     * card does not have, or NaN, ends the launch with ERANGE. NULL: the clock stays. */
    double (*governor)(void *user, const warpwatt_interval *interval);
    /* > 0: the die's temperature follows its power, from chip.temperature_k on; each interval
     * stands for so many like it. Above chip.limit_k the clock goes down. */
    double heat_times;
} warpwatt_options;

/**
 * Opens a GPU: machine, power model and an empty memory.
 * @param gpu      a name ("gtx580"; `warpwatt list gpus`) or a path of an XML file
 * @param options  NULL: none
 * @error ENOTFOUND (no such GPU, with a suggestion), EPARSE, ESCHEMA, ERANGE (with the setting or
 * the line of the file), ENOMEM
 */
WARPWATT_STATUS warpwatt_open(const char *gpu, const warpwatt_options *options,
                              warpwatt_device **out, warpwatt_error *err);
/** Releases the device, its memory, modules and results; NULL allowed. */
WARPWATT_API void warpwatt_close(warpwatt_device *device);
/** Value of a parameter as text in SI units ("sm.count"); NULL: there is no such parameter. */
WARPWATT_API const char *warpwatt_parameter(const warpwatt_device *device, const char *key);
/** Modelled area [m2] and static power [W] of the chip; either may be NULL. EUSAGE for a functional
 * device. */
WARPWATT_STATUS warpwatt_chip(const warpwatt_device *device, double *area_m2, double *static_w,
                              warpwatt_error *err);

/* ---- memory ---- */

/** bytes > 0 of zeroed memory, aligned to 256. */
WARPWATT_STATUS warpwatt_malloc(warpwatt_device *device, size_t bytes, warpwatt_ptr *out,
                                warpwatt_error *err);
/** ENOTFOUND when p does not begin an allocation. */
WARPWATT_STATUS warpwatt_free(warpwatt_device *device, warpwatt_ptr p, warpwatt_error *err);
/** To the device; the range lies within one allocation or module variable, else EFAULT. */
WARPWATT_STATUS warpwatt_write(warpwatt_device *device, warpwatt_ptr to, const void *from,
                               size_t bytes, warpwatt_error *err);
/** From the device. */
WARPWATT_STATUS warpwatt_read(warpwatt_device *device, void *to, warpwatt_ptr from, size_t bytes,
                              warpwatt_error *err);
WARPWATT_STATUS warpwatt_memset(warpwatt_device *device, warpwatt_ptr p, int value, size_t bytes,
                                warpwatt_error *err);

/* ---- modules and launches ---- */

/** Parses, checks and prepares PTX text; name is what errors call it. */
WARPWATT_STATUS warpwatt_load(warpwatt_device *device, const char *name, const char *text,
                              size_t length, warpwatt_module **out, warpwatt_error *err);
/** The same of a file. */
WARPWATT_STATUS warpwatt_load_file(warpwatt_device *device, const char *path, warpwatt_module **out,
                                   warpwatt_error *err);
/** Address and size of a .global or .const variable of a module. */
WARPWATT_STATUS warpwatt_symbol(warpwatt_device *device, warpwatt_module *module, const char *name,
                                warpwatt_ptr *address, size_t *bytes, warpwatt_error *err);

/* What is known of a kernel before it runs. */
typedef struct warpwatt_kernel {
    uint32_t param_count;
    uint32_t registers;    /* per thread */
    uint32_t shared_bytes; /* static, per CTA */
    uint32_t local_bytes;  /* per thread */
    uint32_t max_threads;  /* per CTA */
} warpwatt_kernel;

/** ENOTFOUND: the module has no such kernel. EUNSUP: it has an instruction that is not executed. */
WARPWATT_STATUS warpwatt_kernel_info(warpwatt_device *device, warpwatt_module *module,
                                     const char *kernel, warpwatt_kernel *out, warpwatt_error *err);
/** Bytes of a kernel's parameter. ERANGE when it has none of that index. */
WARPWATT_STATUS warpwatt_kernel_param(warpwatt_device *device, warpwatt_module *module,
                                      const char *kernel, uint32_t index, size_t *bytes,
                                      warpwatt_error *err);
/** 1 where PTX declares the parameter as a number in floating point (.f32, .f64), else 0: as .b32
 * or .b64 it may be either. ERANGE likewise. */
WARPWATT_STATUS warpwatt_kernel_param_floats(warpwatt_device *device, warpwatt_module *module,
                                             const char *kernel, uint32_t index, int *floats,
                                             warpwatt_error *err);
/** What the kernel takes the memory behind a pointer for: bits of each element that it loads,
 * stores or changes through the parameter, 0 where it touches none or elements of several lengths,
 * and in *floats whether some access says that they are numbers in floating point. Addresses are
 * followed through arithmetic, not through memory or calls. ERANGE likewise. */
WARPWATT_STATUS warpwatt_kernel_param_elements(warpwatt_device *device, warpwatt_module *module,
                                               const char *kernel, uint32_t index, uint32_t *bits,
                                               int *floats, warpwatt_error *err);
/**
 * Runs a kernel to its end; its results are the device's last.
 * @param grid, block     x, y, z
 * @param dynamic_shared  bytes of dynamic shared memory per CTA
 * @param args            args[i] points at the i-th parameter
 * @error ENOTFOUND, ERANGE (does not fit the GPU), EUNSUP, EFAULT (names kernel, line, CTA and
 * thread), EDEADLOCK, EKERNEL, EASSERT, EBUDGET, EVERIFY (a mechanism supplied what plain execution
 * contradicts), ENOMEM
 */
WARPWATT_STATUS warpwatt_launch(warpwatt_device *device, warpwatt_module *module,
                                const char *kernel, const uint32_t grid[3], const uint32_t block[3],
                                size_t dynamic_shared, const void *const *args, size_t arg_count,
                                warpwatt_error *err);
/** Ends the launch or workload under way in another thread soon, with EINTERRUPTED, and without
 * results; where none is, the next one. Safe in a signal handler. */
WARPWATT_API void warpwatt_interrupt(warpwatt_device *device);
/** Runs a workload that ships with WarpWatt, "bfs" or "bfs:small", in memory of its own, and checks
 * its results. */
WARPWATT_STATUS warpwatt_run_workload(warpwatt_device *device, const char *workload,
                                      warpwatt_error *err);

/* ---- results ---- */

/* Of one launch, or of all: see warpwatt_result_at. */
typedef struct warpwatt_result {
    size_t size;          /* set by the caller: sizeof(warpwatt_result) */
    const char *kernel;   /* "" for all */
    const char *workload; /* "" for launches of the caller */
    uint32_t grid[3], block[3];
    uint32_t registers;    /* per thread */
    uint32_t shared_bytes; /* per CTA */
    uint32_t ctas_per_sm;  /* that an SM can hold */
    uint64_t cycles;       /* core cycles; 0 on a functional device, with all that follows */
    uint64_t warp_instructions;
    double time_s;
    double energy_j; /* dynamic and static */
    double dynamic_w, static_w, total_w;
    double uncertainty_j; /* standard uncertainty of energy_j */
} warpwatt_result;

#define WARPWATT_ALL SIZE_MAX /* every launch since the device was opened or cleared */

/** Number of launches that have results. */
WARPWATT_API size_t warpwatt_result_count(const warpwatt_device *device);
/** Forgets them. */
WARPWATT_API void warpwatt_result_clear(warpwatt_device *device);
/** Results of the i-th launch, or of all. ERANGE: there is no such launch. */
WARPWATT_STATUS warpwatt_result_at(const warpwatt_device *device, size_t i, warpwatt_result *out,
                                   warpwatt_error *err);

/* A component's part: the rows of power.csv. */
typedef struct warpwatt_power {
    double event_j, background_j, leakage_j;
    double dynamic_w; /* event and background energy over time */
    double total_w;   /* with leakage */
    double share;     /* of the dynamic power of all components */
} warpwatt_power;

/** Number of components; names "RF", "EU", … and what they are, NULL beyond the last. */
WARPWATT_API size_t warpwatt_component_count(void);
WARPWATT_API const char *warpwatt_component_name(size_t component);
WARPWATT_API const char *warpwatt_component_meaning(size_t component);
/** What a component took in the i-th launch, or in all. */
WARPWATT_STATUS warpwatt_power_at(const warpwatt_device *device, size_t i, size_t component,
                                  warpwatt_power *out, warpwatt_error *err);

/** Number of activity counters; names "sm.rf.read", …, units and meanings, NULL beyond the last. */
WARPWATT_API size_t warpwatt_counter_count(void);
WARPWATT_API const char *warpwatt_counter_name(size_t counter);
WARPWATT_API const char *warpwatt_counter_unit(size_t counter);
WARPWATT_API const char *warpwatt_counter_meaning(size_t counter);
/** A counter's total over the GPU in the i-th launch, or in all. ENOTFOUND, ERANGE. */
WARPWATT_STATUS warpwatt_counter_at(const warpwatt_device *device, size_t i, const char *name,
                                    uint64_t *out, warpwatt_error *err);

/** Number of workload metrics; names "IPC", "TI", …, units and meanings, NULL beyond the last. */
WARPWATT_API size_t warpwatt_metric_count(void);
WARPWATT_API const char *warpwatt_metric_name(size_t metric);
WARPWATT_API const char *warpwatt_metric_unit(size_t metric);
WARPWATT_API const char *warpwatt_metric_meaning(size_t metric);
/** A metric of the i-th launch, or of all; NaN where it is undefined. */
WARPWATT_STATUS warpwatt_metric_at(const warpwatt_device *device, size_t i, size_t metric,
                                   double *out, warpwatt_error *err);

/** Writes the result files of `warpwatt run --out` into dir, for `warpwatt report` and `warpwatt
 * analyze`. A result that dir holds is replaced as a whole when replace is 1, else it is an error
 * (EIO). EUSAGE: nothing has run. */
WARPWATT_STATUS warpwatt_export(const warpwatt_device *device, const char *dir, int replace,
                                warpwatt_error *err);
/** Whether the files of a result folder belong together and are whole: as every reader of them
 * asks. ESCHEMA, located at the file; EUSAGE for a result whose run was interrupted; ENOTFOUND. */
WARPWATT_STATUS warpwatt_result_check(const char *dir, warpwatt_error *err);

#ifdef __cplusplus
}
#endif
#endif
