/* breakdown.h - the tables that tell where the energy went. */
#ifndef WW_CLI_BREAKDOWN_H
#define WW_CLI_BREAKDOWN_H

#include <stdbool.h>

#include "analysis/export.h"
#include "analysis/line_fold.h"
#include "analysis/table.h"
#include "base/status.h"

/** Prints kernels (launches of one kernel summed) with time, power and energy, then the components
 * of all of them together. */
WW_NODISCARD ww_status ww_print_breakdown(const ww_result_set *set, bool json, ww_error *err);
/** What it would fail of, for who wants no tables. */
WW_NODISCARD ww_status ww_check_breakdown(const ww_result_set *set, ww_error *err);
/** As ww_print_breakdown; as JSON, the table is part of the document. */
WW_NODISCARD ww_status ww_print_breakdown_and(const ww_result_set *set, const ww_table *more,
                                              bool json, ww_error *err);
/** The same of result folders, with the energies that stand in them. @error ENOTFOUND, EPARSE */
WW_NODISCARD ww_status ww_print_breakdown_of(const char *const *dirs, size_t count, bool json,
                                             ww_error *err);
/** Prints the nine metrics of every kernel of each set, launches summed (which weights by cycles).
 */
WW_NODISCARD ww_status ww_print_metrics(const ww_result_set *sets, size_t count, bool json,
                                        ww_error *err);
/** Prints where the issue slots of every kernel of each set went, in percent: issued, or lost for
 * one reason (docs/models/timing.md). */
WW_NODISCARD ww_status ww_print_stalls(const ww_result_set *sets, size_t count, bool json,
                                       ww_error *err);

/* What of the lines of a result is shown. */
typedef struct ww_listing {
    size_t top; /* of each kernel; 0: all */
    ww_line_fold by;
    ww_line_sort sort;
    bool json;
    const char *speedscope; /* a file that is written instead; NULL: none */
} ww_listing;

/** Prints, for every kernel of a result folder with a profile, its `top` heaviest lines. @error
 * ENOTFOUND without a profile; ESCHEMA where joules are asked for and there are none */
WW_NODISCARD ww_status ww_print_stall_lines(const char *dir, const ww_listing *how, ww_error *err);

#endif
