/* validate_power.h - the study that `warpwatt validate power` compares: published rows and ours,
 * kernel by kernel, and what is asked of their agreement. */
#ifndef WW_CLI_VALIDATE_POWER_H
#define WW_CLI_VALIDATE_POWER_H

#include <stdbool.h>

#include "analysis/agreement.h"
#include "analysis/categories.h"
#include "analysis/correlate.h"
#include "analysis/study.h"
#include "base/mem.h"
#include "base/status.h"

#define WW__PAPER_GPU "gtx580-d553"

enum { WW__GPUS = 3 };

/* A row of kernel_map.csv. */
typedef struct ww__paper_kernel {
    const char *paper, *workload, *size, *kernel;
    bool counted; /* a public source exists; else our reconstruction of a described kernel */
} ww__paper_kernel;

/* Rows of the paper and ours, same kernels in the same order. */
typedef struct ww__pair {
    ww_study *reference, *ours;
} ww__pair;

/* One thing asked, and what came out. */
typedef struct ww__verdict {
    const char *what;
    double value, bar;
    bool at_least; /* else at most */
    bool met;
} ww__verdict;

typedef struct ww__die {
    const char *gpu;
    double published_m2, modelled_m2, static_w;
} ww__die;

typedef struct ww__power_study {
    ww_arena arena;
    ww__paper_kernel *kernel; /* of the map */
    size_t kernels;
    ww__pair counted, apart; /* public sources; reconstructions */
    size_t missing;          /* kernels of the map without a result */
    double peak_ipc;
    ww_correlation_matrix published_r, our_r; /* over the counted kernels */
    ww_csv *table8, *table10;
    ww_categories published_c, our_c;
    ww__verdict verdict[32];
    size_t verdicts, missed;
    ww__die die[WW__GPUS];
} ww__power_study;

/** Correlations, categories, verdicts; the pairs must be there. */
ww_status ww__power_judge(ww__power_study *s, ww_error *err);
/** Prints everything: as text, as Markdown for docs/generated, or as JSON. */
ww_status ww__power_print_text(const ww__power_study *s, bool markdown, ww_error *err);
ww_status ww__power_print_json(const ww__power_study *s, ww_error *err);

#endif
