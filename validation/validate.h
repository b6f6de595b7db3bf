/* validate.h - our numbers beside published, measured and other tools' ones. Each comparison is a
 * description of its own (memory.c, cycles.c, …) on rows, references, bars and the printer. All
 * print what they find; EVERIFY when something is missed or there is nothing to compare. */
#ifndef WW_VALIDATION_VALIDATE_H
#define WW_VALIDATION_VALIDATE_H

#include <signal.h>

#include "run/run.h"
#include "validation/output.h"

/* Hands the launches of a program over; they are the caller's when it returns. */
typedef ww_status (*ww_take_run)(void *user, const ww_run *run, ww_error *err);

/* What is asked of a comparison. Strings may be NULL: not given. */
typedef struct ww_validation {
    const char *name;                     /* of a paper */
    const char *reference;                /* another table than the shipped one */
    const char *programs, *results, *out; /* folders */
    const char *numbers;                  /* file for a study's numbers of runs */
    const char *passes;                   /* names of passes, a pattern of the shell */
    const char *cache;                    /* folder of operators simulated before; NULL: none */
    bool every_row;
    bool may_draw; /* progress, to `output.notes` */
    ww_output output;
    const volatile sig_atomic_t *stop; /* as in ww_device_options */
    /* Runs an unmodified CUDA program and hands its launches to `take`. */
    ww_status (*run_program)(const ww_run_request *request, const char *const *words, size_t count,
                             ww_take_run take, void *user, ww_error *err);
} ww_validation;

/** Memory arrays beside CACTI 7.0 and CACTI-P. */
WW_NODISCARD ww_status ww_validate_arrays(const ww_validation *asked, ww_error *err);
/** Cycles and event counts beside GPGPU-Sim's, of PTX programs. */
WW_NODISCARD ww_status ww_validate_cycles(const ww_validation *asked, ww_error *err);
/** Cycles of public programs beside a GPU's own, and two peers' on the same rows. */
WW_NODISCARD ww_status ww_validate_hardware(const ww_validation *asked, ww_error *err);
/** Latencies and bandwidths of the shipped GPUs beside measured ones. */
WW_NODISCARD ww_status ww_validate_memory(const ww_validation *asked, ww_error *err);
/** Latencies and rates of Hopper's asynchronous engines beside published ones. */
WW_NODISCARD ww_status ww_validate_async(const ww_validation *asked, ww_error *err);
/** What values of reads cost beside what they do on a card, random and in runs of equal words. */
WW_NODISCARD ww_status ww_validate_toggles(const ww_validation *asked, ww_error *err);
/** What values of a matrix product's factors cost beside what they do on cards, by pattern. */
WW_NODISCARD ww_status ww_validate_products(const ww_validation *asked, ww_error *err);
/** Rates of public benchmarks on GPUs beside those of the same kernels here; without bars. */
WW_NODISCARD ww_status ww_validate_rates(const ww_validation *asked, ww_error *err);

/** Tables that published mechanisms add, beside their papers; without bars. */
WW_NODISCARD ww_status ww_validate_structures(const ww_validation *asked, ww_error *err);
/** Die and SM areas, static powers and mechanisms' overheads beside published ones; without bars.
 */
WW_NODISCARD ww_status ww_validate_area(const ww_validation *asked, ww_error *err);
/** Powers and energies beside those measured on GPUs; a board's limit is a bar. */
WW_NODISCARD ww_status ww_validate_measured(const ww_validation *asked, ww_error *err);
/** Metrics and component powers beside LPGPU D5.5.3's; runs what `out` lacks. */
WW_NODISCARD ww_status ww_validate_power(const ww_validation *asked, ww_error *err);
/** Time, energy and power of models' passes beside measured ones, of results of `infer`; runs what
 * `out` lacks. */
WW_NODISCARD ww_status ww_validate_inference(const ww_validation *asked, ww_error *err);
/** Whether passes on such a card are in the shipped table of measured ones. @error as
 * ww_validation_file, and of a table that cannot be read */
WW_NODISCARD ww_status ww_passes_measured(const ww_arch *arch, bool *measured, ww_error *err);
/** Motion compensation beside D5.5.3's: which way things go. */
WW_NODISCARD ww_status ww_validate_h264(const ww_validation *asked, ww_error *err);

/** Every number of a published study beside ours, of the sweep that repeats it. */
WW_NODISCARD ww_status ww_validate_paper(const ww_validation *asked, ww_error *err);

/** A shipped table: in the source tree that this was built from, in ../share/warpwatt/validation
 * beside the program, or in the installation's data directory. @error ENOTFOUND, ENOMEM */
WW_NODISCARD ww_status ww_validation_file(ww_arena *arena, const char *name, const char **out,
                                          ww_error *err);
/** Loads a shipped file of PTX. @error as the one above, and as ww_read_file and
 * ww_device_load_ptx */
WW_NODISCARD ww_status ww_validation_kernels(ww_arena *arena, const char *name, ww_device *device,
                                             ww_module **out, ww_error *err);

#endif
