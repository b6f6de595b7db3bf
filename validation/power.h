/* power.h - the study that `warpwatt validate power` compares: published rows and ours,
 * kernel by kernel, and what is asked of their agreement. */
#ifndef WW_VALIDATION_POWER_H
#define WW_VALIDATION_POWER_H

#include "analysis/agreement.h"
#include "analysis/categories.h"
#include "analysis/correlate.h"
#include "analysis/study.h"
#include "base/csv.h"
#include "validation/compare.h"

#define WW__PAPER_GPU "gtx580-d553"

/* Columns of kernel_map.csv. */
enum { WW__PAPER, WW__WORKLOAD, WW__SIZE, WW__KERNEL, WW__SOURCE, WW__MAP_COLUMNS };

/* Rows of the paper and ours, same kernels in the same order. */
typedef struct ww__pair {
    ww_study *reference, *ours;
} ww__pair;

typedef struct ww__power_study {
    ww_arena arena;
    ww_refs *map; /* a line per kernel of the paper: with a public source, or our reconstruction */
    ww_bars *bars;
    ww__pair counted, apart; /* public sources; reconstructions */
    size_t missing;          /* kernels of the map without a result */
    double peak_ipc;
    ww_correlation_matrix published_r, our_r; /* over the counted kernels */
    ww_csv *table8, *table10;
    ww_categories published_c, our_c;
    ww_rows statistics; /* what is asked */
    ww_rows dies;       /* published and modelled [mm2]; detail: static power [W] */
} ww__power_study;

/** Correlations, categories, verdicts; the pairs must be there. */
WW_NODISCARD ww_status ww__power_judge(ww__power_study *s, ww_error *err);
/** Prints everything: as text, as Markdown for docs/generated, or as JSON. */
WW_NODISCARD ww_status ww__power_print(const ww__power_study *s, const ww_output *output,
                                       ww_error *err);

#endif
