/* sweep.h - configurations x workloads, each pair one run in a folder of its own, safe to stop and
 * resume at any moment. File format: docs/sweeps.md, configs/schema/sweep.xsd.
 *
 * What a sweep leaves in its folder:
 *   CONFIGURATION/WORKLOAD-SIZE/  the result folder of one run; it appears when the run is complete
 *   logs/                         what runs said, a file each
 *   .work/                        locks, and results of runs under way
 * A run belongs to whoever holds its lock; the system releases the lock of a process that dies. */
#ifndef WW_RUN_SWEEP_H
#define WW_RUN_SWEEP_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/mem.h"
#include "base/status.h"
#include "base/str.h"
#include "workloads/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A parameter whose value is, for each workload, that of the configuration that a choice finds. */
typedef struct ww_sweep_chosen {
    const char *key;
    size_t choice; /* index */
} ww_sweep_chosen;

/* One machine: a GPU with parameters changed. */
typedef struct ww_sweep_set {
    const char *name;          /* of its folder */
    const char *configuration; /* the element's name: without what varies */
    const char *gpu;           /* name, or path of a file */
    const ww_setting *settings;
    size_t setting_count;
    const char *only; /* words of workloads that it runs; NULL: all */
    bool optional;    /* where its machine cannot be had, it is left out */
    const ww_sweep_chosen *chosen;
    size_t chosen_count;
    int line; /* of its element */
} ww_sweep_set;

enum { WW_SWEEP_SHARES = 16 }; /* most of a workload */

/* What part of its budget a workload spends in a kernel: see ww_budget_share. */
typedef struct ww_sweep_share {
    const char *kernel;
    double part; /* above 0, up to 1 */
    uint32_t from;
} ww_sweep_share;

/* A model's pass, in the words of inference/, which runs it. */
typedef struct ww_sweep_pass {
    const char *model, *file;      /* one of them; file: a table of operators */
    const char *precision, *phase; /* NULL: not given */
    uint64_t batch, sequence;      /* of a model; sequence 0: not given */
    uint64_t file_hash;            /* of the file's bytes */
    double launch_interval_s;      /* 0: not given */
    bool graphs, beyond, extras;
    int line; /* of its element */
} ww_sweep_pass;

typedef struct ww_sweep_item {
    const ww_workload *workload; /* or: */
    const ww_sweep_pass *pass;
    const char *name; /* of its folder in a configuration's: "hotspot-std" */
    ww_workload_size size;
    const char *label;   /* what a study calls it; the name of workload, model or file else */
    const char *classes; /* names of groups, separated by spaces; may be empty */
    const ww_setting *settings; /* parameters changed for this workload, over the configuration's */
    size_t setting_count;
    uint64_t max_instructions; /* 0: the sweep's */
    ww_sweep_share *share;
    size_t share_count;
} ww_sweep_item;

/* "Of the runs of a workload on a configuration that varies, the one of most program instructions
 * per cycle." */
typedef struct ww_sweep_choice {
    const char *name, *of; /* configuration */
} ww_sweep_choice;

/* What studies of the sweep compute from its results (validation/): expressions by name. */
typedef struct ww_sweep_measure {
    const char *name, *value, *unit; /* unit: "" where the file has none */
} ww_sweep_measure;

/* A group of workloads by a measured value: from <= value < below. */
typedef struct ww_sweep_class {
    const char *name, *value, *of; /* of: words of the workloads it is taken from; "all" */
    double from, below;
} ww_sweep_class;

/* A part of a stacked bar. */
typedef struct ww_sweep_part {
    const char *name, *value; /* expression */
} ww_sweep_part;

/* A drawing: bars for the workloads of `over`, one for each configuration of `of`, and means over
 * `means`. */
typedef struct ww_sweep_figure {
    const char *name, *title, *axis;
    const char *value; /* expression of which "this" is the bar's configuration; NULL: parts */
    const char *of, *over, *means, *mean; /* words, mean: geo, arith, pooled */
    bool against_one;
    ww_sweep_part *part;
    size_t part_count;
} ww_sweep_figure;

/* One simulation. */
typedef struct ww_sweep_run {
    const ww_sweep_set *set;
    const ww_sweep_item *item;
    const char *id;             /* "config1/h264-mc-default": its folder */
    const char *spec;           /* everything that determines its results, in text; NULL: waits for
                                   a choice (ww_sweep_resolve), or: */
    const char *left_out;       /* why there is no such machine, or what it lacks for the workload;
                                   NULL: it is run */
    const ww_setting *settings; /* of configuration, workload and choices */
    size_t setting_count;
    uint64_t config_hash;      /* where there is a spec */
    ww_isa_mode described_isa; /* the machine's own stream, likewise */
    unsigned capability;       /* the machine's, likewise */
    bool has_mechanism;        /* a mechanism of the machine's or by a setting; likewise */
} ww_sweep_run;

typedef struct ww_sweep {
    ww_arena arena; /* owns everything below */
    const char *name, *file;
    ww_isa_mode isa;
    uint64_t interval_cycles, max_cycles;          /* 0: none */
    uint64_t max_instructions;                     /* of each run; 0: none */
    bool sample_ctas, sample_time, sample_kernels; /* sampling */
    double sample_error;                           /* aimed at; 0: as ww_run_request has it */
    const char *sample_aim;                        /* the same as the file has it, ":5%"; "" */
    ww_sweep_set *set;
    size_t set_count;
    ww_sweep_item *item;
    size_t item_count;
    ww_sweep_choice *choice;
    size_t choice_count;
    ww_sweep_measure *measure;
    size_t measure_count;
    ww_sweep_class *class_;
    size_t class_count;
    ww_sweep_figure *figure;
    size_t figure_count;
    ww_sweep_run *run; /* configuration by configuration, those that wait for a choice last */
    size_t run_count;
    /* Runs a pass and leaves its result in a folder; NULL: passes are refused
     * (ww_infer_sweep_passes sets it). */
    ww_status (*run_pass)(const void *user, const struct ww_sweep *sweep, const ww_sweep_run *run,
                          const char *out, ww_error *err);
    const void *pass_user;
    /* Runs under way end soon after this becomes other than 0 (WW_EINTERRUPTED) and are to do
     * again; NULL: nothing ends them. */
    const volatile sig_atomic_t *stop;
} ww_sweep;

enum { WW_SWEEP_MAX_RUNS = 100000 };

/**
 * Reads a sweep file and resolves every configuration.
 * @param version  of WarpWatt: part of what determines results
 * @error ESCHEMA, EPARSE (file, line), ENOTFOUND (workload, GPU), ERANGE (too many runs); what
 * ww_arch_load says of a configuration
 */
WW_NODISCARD ww_status ww_sweep_load(const char *path, const char *version, ww_sweep **out,
                                     ww_error *err);
/** The same from memory; name is its path in messages, and GPU files are looked up beside it. */
WW_NODISCARD ww_status ww_sweep_parse(const char *name, const char *text, size_t length,
                                      const char *version, ww_sweep **out, ww_error *err);
void ww_sweep_destroy(ww_sweep *sweep);
/** Thread instructions that a run of the item ends after; 0: it runs to its end. */
uint64_t ww_sweep_budget(const ww_sweep *sweep, const ww_sweep_item *item);
/** The item's shares of that, [WW_SWEEP_SHARES]; how many there are. */
size_t ww_sweep_shares(const ww_sweep *sweep, const ww_sweep_item *item, ww_budget_share *out);
/** Whether a word names the item: "all", its label, its workload or one of its classes. */
bool ww_sweep_item_is(const ww_sweep_item *item, const char *word, size_t length);
/** The same for any of several words, separated by spaces or commas. */
bool ww_sweep_item_in(const ww_sweep_item *item, const char *words);

/* ---- what budgets reach (run/sweep_reach.c) ---- */

/* A launch of a whole run. */
typedef struct ww_reach_launch {
    const char *kernel;
    uint64_t instructions; /* thread instructions of the program */
} ww_reach_launch;

/* A kernel of a workload: thread instructions of the whole run, and those that are simulated; and
 * each of them the size of the launch that it is of, summed. */
typedef struct ww_reach {
    const char *kernel;
    uint32_t launches;
    uint64_t whole, timed;
    double whole_sizes, timed_sizes;
} ww_reach;

/**
 * Lays a budget, or its shares where there are any, over the launches of a whole run.
 * @param row  room for as many kernels as there are launches; the count is returned
 */
size_t ww_reach_of(const ww_reach_launch *launch, size_t count, uint64_t budget,
                   const ww_budget_share *share, size_t share_count, ww_reach *row);
/* What a kernel has of all instructions, and of those that were simulated in time. */
typedef struct ww_reach_part {
    double whole, timed; /* timed 0: nothing was */
} ww_reach_part;
ww_reach_part ww_reach_part_of(const ww_reach *row, size_t rows, size_t i);
/* Thread instructions of the launch in which one of the kernel is found, in the mean of all of them
 * and of those that were simulated in time. */
typedef struct ww_reach_launches {
    double whole, timed; /* timed 0: nothing was */
} ww_reach_launches;
ww_reach_launches ww_reach_launches_of(const ww_reach *row);
/** Whether kernel i has a tenth or more of the whole run's instructions, and of the simulated ones
 * less than half of that part, or launches less than half as large. */
bool ww_reach_falls_short(const ww_reach *row, size_t rows, size_t i);
/**
 * The same for a workload of a sweep, which runs once without time, on the first machine that runs
 * it.
 * @param out  kernels in the order of their first launches, in the sweep's arena
 * @error ENOTFOUND: a share names a kernel that is not launched; as ww_run_execute
 */
WW_NODISCARD ww_status ww_sweep_reach(ww_sweep *sweep, const ww_sweep_item *item, ww_reach **out,
                                      size_t *count, ww_error *err);

/* ---- choices (run/sweep_choice.c) ---- */

/**
 * The configuration that a choice finds for a workload by the results in a folder.
 * @param out  NULL: not all of its candidates have run
 */
WW_NODISCARD ww_status ww_sweep_choose(const ww_sweep *sweep, const char *dir,
                                       const ww_sweep_choice *choice, const ww_sweep_item *item,
                                       const ww_sweep_set **out, ww_error *err);
/** Completes the runs whose choices the results in the folder decide. */
WW_NODISCARD ww_status ww_sweep_resolve(ww_sweep *sweep, const char *dir, const char *version,
                                        ww_error *err);
/** Makes what determines a run's results: settings and spec. Private to run/sweep_*.c. */
WW_NODISCARD ww_status ww__sweep_define(ww_sweep *sweep, ww_sweep_run *run,
                                        const ww_setting *chosen, const char *version,
                                        ww_arch_family *family, ww_error *err);

/* ---- the folder (run/sweep_store.c) ---- */

typedef enum ww_sweep_state {
    WW_SWEEP_TODO,
    WW_SWEEP_RUNNING, /* somebody holds its lock */
    WW_SWEEP_FAILED,  /* its last attempt ended with an error; it will be tried again */
    WW_SWEEP_DONE,
    WW_SWEEP_STATES
} ww_sweep_state;

/** "to do", "running", "failed", "done". */
const char *ww_sweep_state_name(ww_sweep_state state);

/** Creates the folder's skeleton and writes a copy of the sweep file, and of its passes' tables,
 * into it. EIO. */
WW_NODISCARD ww_status ww_sweep_prepare(const ww_sweep *sweep, const char *dir, ww_error *err);
/**
 * Where a run stands.
 * @error ESCHEMA: its folder holds results of another definition of the run
 */
WW_NODISCARD ww_status ww_sweep_run_state(const char *dir, const ww_sweep_run *run,
                                          ww_sweep_state *out, ww_error *err);

/* A lock held on a run. */
typedef struct ww_sweep_claim {
    int lock;      /* file descriptor; -1: not held */
    char *partial; /* folder for its results until they are complete */
} ww_sweep_claim;

/** Takes the run's lock. claim->lock is -1 when somebody else has it or the run is done. EIO. */
WW_NODISCARD ww_status ww_sweep_claim_run(const char *dir, const ww_sweep_run *run,
                                          ww_sweep_claim *claim, ww_error *err);
/** Makes the results in claim->partial the run's, at once and for good. EIO. */
WW_NODISCARD ww_status ww_sweep_publish(const char *dir, const ww_sweep_run *run,
                                        const ww_sweep_claim *claim, ww_error *err);
/** Gives the lock back and deletes what was not published. */
void ww_sweep_release(ww_sweep_claim *claim);
/** Remembers why the run failed, until somebody claims it again. EIO. */
WW_NODISCARD ww_status ww_sweep_note_failure(const char *dir, const ww_sweep_run *run,
                                             const char *why, ww_error *err);
/** Path of the run's log. NULL when out of memory. */
char *ww_sweep_log(ww_arena *arena, const char *dir, const ww_sweep_run *run);

/* ---- running (run/sweep_run.c, run/sweep_pool.c) ---- */

/**
 * Simulates one run and publishes it. *ran is false when it was done already or is somebody else's.
 * @error whatever failed; the log has it too
 */
WW_NODISCARD ww_status ww_sweep_execute(const ww_sweep *sweep, const char *dir,
                                        const ww_sweep_run *run, const char *version, bool *ran,
                                        ww_error *err);

typedef struct ww_sweep_progress {
    size_t done, failed, running, total;
    double left_s; /* estimate; 0: none yet */
} ww_sweep_progress;

/**
 * Executes the runs of a sweep in processes of their own, so that a fault in one harms no other;
 * those that wait for a choice when its candidates have run.
 * @param jobs         processes at a time, >= 1
 * @param on_progress  called about ten times a second; NULL: none
 * @param out          counts at the end
 * @error EIO when processes cannot be made, EINTERRUPTED (sweep->stop: runs under way are ended and
 * to do again); failed runs are counted, not returned
 */
WW_NODISCARD ww_status ww_sweep_pool(ww_sweep *sweep, const char *dir, const char *version,
                                     unsigned jobs,
                                     void (*on_progress)(void *user,
                                                         const ww_sweep_progress *progress),
                                     void *user, ww_sweep_progress *out, ww_error *err);

/* ---- SLURM (run/sweep_slurm.c) ---- */

/**
 * The batch script of a job array whose task i executes the runs i, i + tasks, i + 2 tasks, ….
 * @param file     absolute path of the sweep file; dir, program: absolute too
 * @param options  lines for #SBATCH, e.g. "--partition=long"
 */
WW_NODISCARD ww_status ww_sweep_slurm_script(const ww_sweep *sweep, const char *file,
                                             const char *dir, const char *program, unsigned tasks,
                                             const char *const *options, size_t option_count,
                                             ww_str *out, ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
