/* run.h - one run from end to end: configure, simulate, collect launches; ready for export.
 * Shared by cli/ and runtime/.
 *
 * run/ is where a machine's description, a device, a power model and what is executed (a workload,
 * a launch file, a program) come together: one run here, many in sweep.h, the clock that a power
 * cap allows in cap.h. It prints nothing and writes results through analysis/. */
#ifndef WW_RUN_RUN_H
#define WW_RUN_RUN_H

#include <signal.h>

#include "analysis/export.h"
#include "arch/arch.h"
#include "base/status.h"
#include "counters/lines.h"
#include "counters/timeline.h"
#include "perf/api/device.h"
#include "run/cap.h"
#include "run/govern.h"
#include "workloads/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ww_run_item {
    const ww_workload *workload;
    ww_workload_size size;
} ww_run_item;

/* How a workload ended. */
typedef enum ww_run_end {
    WW_RUN_PASSED, /* its results match the CPU reference */
    WW_RUN_FAILED,
    WW_RUN_CUT, /* its instruction budget was used up; no results to check */
} ww_run_end;

/* How far a run is. */
typedef struct ww_run_progress {
    const char *label;          /* the workload, or the PTX file */
    size_t item, items;         /* which of how many, from 0 */
    uint32_t launch;            /* of the label, from 0 */
    double done;                /* share of the launch that is done; 0: not known yet */
    uint64_t warp_instructions; /* of the launch */
} ww_run_progress;

typedef struct ww_run_request {
    const char *gpu; /* name or file */
    const ww_setting *settings;
    size_t setting_count;
    const ww_run_item *items; /* workloads, in order; or */
    size_t item_count;
    const char *ptx_path;    /* a PTX file with */
    const char *launch_path; /* the launch file that tells how to run it */
    const char *dump_dir;    /* where its dumps go; NULL: nowhere */
    ww_isa_mode isa;
    const ww_kernel_registers *registers; /* see ww_device_options; borrowed */
    size_t registers_count;
    bool functional_only;
    uint64_t interval_cycles, max_cycles;
    bool governed; /* the core clock is set at every interval: */
    ww_govern_choice govern;
    const char *govern_name;   /* what tells it from others */
    uint64_t max_instructions; /* of each workload or file; 0: no budget; see ww_device_options */
    const ww_budget_share *shares; /* of a budget, in place of it; borrowed */
    size_t share_count;
    unsigned threads;                              /* 0 or 1: one */
    bool sample_ctas, sample_time, sample_kernels; /* sampling: see ww_device_options */
    double sample_error; /* aimed at; what would state a larger one runs again, in full */
    /* Called now and then while it simulates; NULL: none. */
    void (*on_progress)(void *user, const ww_run_progress *progress);
    /* Called when a workload has ended; NULL: none. */
    void (*on_workload)(void *user, const char *workload, ww_run_end end, double host_seconds);
    bool concurrent;       /* a program's kernels of different streams run at the same time */
    uint64_t device_bytes; /* of memory that a program finds; 0: the usual */
    bool memcheck; /* uninitialized reads and races are looked for, on one thread, and reported: */
    /* Called for each when a workload or file has run, also after an error; must be set then. Text
     * and accesses of a place; at last NULL with the accesses at further places, if there are any.
     */
    void (*on_finding)(void *user, const char *text, uint64_t accesses);
    /* What kernels print, after each launch; NULL: nothing is done with it. */
    void (*on_print)(void *user, const char *text, size_t n);
    void *user;
    bool profile;  /* count by line: ww_run.lines */
    bool toggles;  /* count bits that switch; see ww_device_options */
    bool timeline; /* of the CTA below, of each launch: ww_run.timeline */
    uint32_t timeline_cta;
    /* The run ends soon after this becomes other than 0, with the workloads that had finished;
     * NULL: nothing ends it. */
    const volatile sig_atomic_t *stop;
} ww_run_request;

/* The outcome; owns everything. */
typedef struct ww_run {
    ww_arch *arch;
    ww_power_model *model;      /* NULL for a functional run */
    ww_launch_record *launches; /* deep copies */
    size_t launch_count;
    uint64_t warp_instructions;
    double host_seconds;     /* spent in workloads: host code and simulation */
    ww_lines lines;          /* with a profile */
    ww_str timeline;         /* the table, with a timeline */
    size_t timeline_dropped; /* spans that it lacks */
    size_t finished;         /* workloads, or 1: the PTX file */
    bool interrupted;        /* the others are missing */
    ww_cap cap;              /* with power.cap_w; runs is 0 without */
} ww_run;

/** Whether a machine has what the workload uses. @error ERANGE: it has not; the message names the
 * shipped GPUs that have */
WW_NODISCARD ww_status ww_run_check_workload(const ww_workload *workload, const ww_arch *arch,
                                             ww_error *err);

/**
 * Runs what the request names on a fresh device per workload. Interrupted after the first workload,
 * it is OK and ww_run.interrupted set.
 * @error EINTERRUPTED (before one had finished); whatever failed first, prefixed by the workload:
 * EVERIFY when a result differs from the CPU reference, ERANGE for workloads that the GPU cannot
 * run
 */
WW_NODISCARD ww_status ww_run_execute(const ww_run_request *request, ww_run **out, ww_error *err);

/** Simulates at the clock and the voltage that the machine is given with, and keeps no cap: what
 * ww_run_execute tries clocks with. @param arch that the request names, which becomes the run's;
 * NULL: it is loaded */
WW_NODISCARD ww_status ww_run_once(const ww_run_request *request, ww_arch *arch, ww_run **out,
                                   ww_error *err);

/* What a search for the clock of a cap keeps: a run at each clock, by whoever runs. */
typedef struct ww_capped {
    /** Runs with these settings, which include the clock; *run is what the power is of. */
    ww_status (*run)(void *user, const ww_setting *settings, size_t count, const ww_run **run,
                     ww_error *err);
    /** The last run fits and is the best so far: it stays, the one kept before goes. */
    void (*keep)(void *user);
    void *user;
} ww_capped;
/**
 * Lowers the clock until the mean power of every workload is within the request's power.cap_w.
 * @error ERANGE: a cap below the idle power of the card at its lowest clock (the message gives both
 * ends), or not kept at any clock; EUSAGE: a run without time
 */
WW_NODISCARD ww_status ww_run_capped(const ww_run_request *request, const ww_capped *capped,
                                     ww_cap *out, ww_error *err);
/** Whether the request names a cap. */
WW_NODISCARD ww_status ww_run_has_cap(const ww_run_request *request, bool *out, ww_error *err);
/** Mean power of the workload whose launches draw most, repeated without launch overhead
 * (ww_power_repeated_w); of launches that are nothing else, with it. */
WW_NODISCARD ww_status ww_run_mean_w(const ww_run *run, double *out, ww_error *err);

/**
 * What tells a run from another: hash of the configuration, of the program and what it reads as far
 * as the request names it (workloads by name and size; PTX, launch file and the files that it
 * names; a program, its arguments, and what files among them hold), of the options that change
 * results, and of the version.
 * @param argv  words of a program, with its file in `program`; argc 0: none
 */
WW_NODISCARD ww_status ww_run_id(const ww_run_request *request, const ww_arch *arch,
                                 const char *version, const char *program, const char *const *argv,
                                 size_t argc, uint64_t *out, ww_error *err);
void ww_run_destroy(ww_run *run);

/** View of a run for the exporters. */
ww_result_set ww_run_results(const ww_run *run, const char *version, const char *command);

/** Deep copy of a launch record, with its counters and intervals; release with
 * ww_launch_record_fini. */
WW_NODISCARD ww_status ww_launch_record_copy(ww_launch_record *dst, const ww_launch_record *src,
                                             const char *workload, uint32_t index, ww_error *err);
void ww_launch_record_fini(ww_launch_record *record);
/** Appends a deep copy to an array of *count records (NULL and 0 at first), and merges intervals so
 * that all of them keep within WW_INTERVAL_BYTES; *interval_bytes (0 at first) is what they take.
 * Release with ww_launch_records_destroy. */
WW_NODISCARD ww_status ww_launch_records_append(ww_launch_record **records, size_t *count,
                                                uint64_t *interval_bytes,
                                                const ww_launch_record *record,
                                                const char *workload, uint32_t index,
                                                ww_error *err);
/** Merges neighbouring intervals of every launch, again and again until they take no more than
 * `most` bytes besides the first of each launch; returns what they take. */
uint64_t ww_launch_records_fit(ww_launch_record *records, size_t count, uint64_t most);
/** Core cycles of the longest interval of these launches; 0: there are none. */
uint64_t ww_launch_records_longest(const ww_launch_record *records, size_t count);
void ww_launch_records_destroy(ww_launch_record *records, size_t count);

/** Warp instructions in a second of the host; 0 where none was taken. */
double ww_run_host_rate(const ww_run *run);

#ifdef __cplusplus
}
#endif
#endif
