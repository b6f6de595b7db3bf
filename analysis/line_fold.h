/* line_fold.h - lines put together by where they come from, and what they are sorted by. Depends
 * on: base, counters. */
#ifndef WW_ANALYSIS_LINE_FOLD_H
#define WW_ANALYSIS_LINE_FOLD_H

#include "counters/lines.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(id, name, meaning) */
#define WW_LINE_FOLDS(X)                                                                           \
    X(PTX, "ptx", "as they are")                                                                   \
    X(SOURCE, "source", "by line of the source and inlined function")                              \
    X(FUNCTION, "function", "by inlined function")                                                 \
    X(KERNEL, "kernel", "by kernel")

typedef enum ww_line_fold {
#define X(id, name, meaning) WW_FOLD_##id,
    WW_LINE_FOLDS(X)
#undef X
        WW_FOLD_COUNT
} ww_line_fold;

/* X(id, name, meaning) */
#define WW_LINE_SORTS(X)                                                                           \
    X(HEAT, "heat", "slots used, lost, or lost by others that waited")                             \
    X(ENERGY, "energy", "joules")                                                                  \
    X(LOST, "lost", "slots lost")                                                                  \
    X(MISSES, "misses", "misses in the L1 and in the L2, and bursts of DRAM")                      \
    X(INSTRUCTIONS, "instructions", "warp instructions")

typedef enum ww_line_sort {
#define X(id, name, meaning) WW_SORT_##id,
    WW_LINE_SORTS(X)
#undef X
        WW_SORT_COUNT
} ww_line_sort;

/** The one of that name. @error EUSAGE with the names there are */
WW_NODISCARD ww_status ww_line_fold_find(const char *name, ww_line_fold *out, ww_error *err);
WW_NODISCARD ww_status ww_line_sort_find(const char *name, ww_line_sort *out, ww_error *err);
/** What a line weighs. */
double ww_line_weight(const ww_line *line, ww_line_sort by);
/** Whether joules decide. */
bool ww_line_sort_needs_joules(ww_line_sort by);

/** Adds the lines to `out`, those of one place together.
 * @error ENOTFOUND (by source or function, and no line says where it comes from) */
WW_NODISCARD ww_status ww_lines_fold(const ww_lines *lines, ww_line_fold by, ww_lines *out,
                                     ww_error *err);

/* What all lines of a workload come to. */
typedef struct ww_lines_sum {
    double all_j;
    double idle_j; /* that no instruction causes and that time costs: static, standby, active SMs */
    uint64_t slots; /* of issue, by which idle_j can be shared out */
} ww_lines_sum;
ww_lines_sum ww_lines_sum_up(const ww_lines *lines, const char *workload);

#ifdef __cplusplus
}
#endif
#endif
