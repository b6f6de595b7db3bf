/* categories.h - kernels by how much of the peak IPC they reach, and where each category spends its
 * power. Depends on: base. Pure. */
#ifndef WW_ANALYSIS_CATEGORIES_H
#define WW_ANALYSIS_CATEGORIES_H

#include <stddef.h>

#include "analysis/study.h"
#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(id, name, from): lower edge as a fraction of peak IPC; LPGPU D5.5.3 §3.2.6. */
#define WW_IPC_CATEGORIES(X)                                                                       \
    X(HIGH, "high", 0.6)                                                                           \
    X(MEDIUM, "medium", 0.4)                                                                       \
    X(LOW, "low", 0)

typedef enum ww_ipc_category {
#define X(id, name, from) WW_IPC_##id,
    WW_IPC_CATEGORIES(X)
#undef X
        WW_IPC_CATEGORY_COUNT
} ww_ipc_category;

/* What the kernels of one category have in common. */
typedef struct ww_category {
    const char *name;
    double from; /* fraction of peak IPC, inclusive */
    size_t kernels;
    double mean_ipc;       /* NaN when the category is empty, as all below */
    double mean_dynamic_w; /* TP */
    double *share; /* [component_count] mean power of the component over the sum of all components'
                      mean powers */
} ww_category;

typedef struct ww_categories {
    double peak_ipc;
    const ww_study *study; /* borrowed */
    ww_ipc_category *of;   /* [kernel_count] */
    ww_category category[WW_IPC_CATEGORY_COUNT];
    ww_arena arena;
} ww_categories;

/** Thread instructions per core cycle that the whole GPU can issue at most: one warp per scheduler.
 */
double ww_peak_ipc(unsigned sms, unsigned schedulers);
/** "high", "medium", "low". */
const char *ww_ipc_category_name(ww_ipc_category category);

/**
 * Sorts the kernels of a study into categories.
 * @param out  borrows from the study; release with ww_categories_fini
 * @error ENOTFOUND (no metric IPC, or a kernel without it), ERANGE (peak not positive; an IPC
 * beyond it)
 */
WW_NODISCARD ww_status ww_categorize(const ww_study *study, double peak_ipc, ww_categories *out,
                                     ww_error *err);
/** Releases categories; idempotent; NULL allowed. */
void ww_categories_fini(ww_categories *c);

#ifdef __cplusplus
}
#endif
#endif
