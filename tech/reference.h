/* reference.h - compares array estimates with a table of estimates by CACTI 7.0 and CACTI-P, and
 * sums the errors up. The table's columns are those of tests/validation/arrays.csv. Depends on:
 * tech/array.h, base CSV reader. */
#ifndef WW_TECH_REFERENCE_H
#define WW_TECH_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "tech/array.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(id, name, unit, bar on the median error, bar on the 90th percentile): what is compared. */
#define WW_REF_QUANTITIES(X)                                                                       \
    X(WW_REF_READ, "read", "nJ", 0.05, 0.30)                                                       \
    X(WW_REF_WRITE, "write", "nJ", 0.10, 0.40)                                                     \
    X(WW_REF_SEARCH, "search", "nJ", 0.05, 0.30)                                                   \
    X(WW_REF_LEAK, "leakage", "mW", 0.05, 0.30)                                                    \
    X(WW_REF_AREA, "area", "mm2", 0.05, 0.30)                                                      \
    X(WW_REF_ACCESS, "access", "ns", 0.10, 0.40)

typedef enum ww_ref_quantity {
#define X(id, name, unit, median, p90) id,
    WW_REF_QUANTITIES(X)
#undef X
        WW_REF_QUANTITY_COUNT
} ww_ref_quantity;

/* Sub-terms that rows with a forced partition check one by one. */
#define WW_REF_TERMS(X)                                                                            \
    X(WW_REF_T_DECODE, "time decoder+wordline")                                                    \
    X(WW_REF_T_BITLINE, "time bitline")                                                            \
    X(WW_REF_T_SENSE, "time sense amplifier")                                                      \
    X(WW_REF_E_HTREE_IN, "energy H-tree in")                                                       \
    X(WW_REF_E_HTREE_OUT, "energy H-tree out")                                                     \
    X(WW_REF_E_DECODER, "energy predecoder")                                                       \
    X(WW_REF_E_WORDLINE, "energy wordline")                                                        \
    X(WW_REF_E_MUX, "energy multiplexer decoders")                                                 \
    X(WW_REF_E_PRECHARGE, "energy precharge")                                                      \
    X(WW_REF_E_BITLINE, "energy bitline")                                                          \
    X(WW_REF_E_SENSE, "energy sense amplifier")                                                    \
    X(WW_REF_E_OUTPUT, "energy output driver")

typedef enum ww_ref_term {
#define X(id, name) id,
    WW_REF_TERMS(X)
#undef X
        WW_REF_TERM_COUNT
} ww_ref_term;

enum {
    WW_REF_TOOLS = 2 /* CACTI 7.0, CACTI-P */
};

/* One configuration of the table and our answer to it. Values are in the units above; NAN: not
 * given. */
typedef struct ww_ref_row {
    char id[16], group[24], desc[96], kind[16];
    int tech_nm;
    bool counted;       /* in the statistics: not a row about wire types */
    bool fixed;         /* partition forced */
    ww_array_spec spec; /* style as asked */
    ww_node_point point;
    bool answered[WW_REF_TOOLS]; /* by the tool */
    double tool[WW_REF_TOOLS][WW_REF_QUANTITY_COUNT];
    double tool_term[WW_REF_TOOLS][WW_REF_TERM_COUNT];
    bool solved; /* by us */
    double ours[WW_REF_QUANTITY_COUNT];
    double ours_term[WW_REF_TERM_COUNT];
    double error[WW_REF_QUANTITY_COUNT]; /* distance outside what the tools span, NAN: not
                                            comparable */
    double term_error; /* largest of the sub-terms, following one tool; NAN otherwise */
    char why[160];     /* not solved: the reason */
} ww_ref_row;

typedef struct ww_reference ww_reference;

/** Reads a table. ENOTFOUND (a column is missing), EPARSE (row, column). */
ww_status ww_reference_load(const char *csv_path, ww_reference **out, ww_error *err);
/** Releases a table; NULL allowed. */
void ww_reference_destroy(ww_reference *ref);

/**
 * Solves every row. Errors are the distance outside the interval that the tools' answers span,
 * widened by 5 %, or by 15 % when only one tool answered; following one tool, the plain distance
 * from that tool.
 * @param tech_dir  configs/tech
 */
ww_status ww_reference_solve(ww_reference *ref, const char *tech_dir, ww_array_style style,
                             ww_error *err);

size_t ww_reference_rows(const ww_reference *ref);
const ww_ref_row *ww_reference_row(const ww_reference *ref, size_t index);

/* Which rows to sum up: NULL or 0 means any. */
typedef struct ww_ref_filter {
    const char *kind;
    const char *group;
    int tech_nm;
} ww_ref_filter;

typedef struct ww_ref_stat {
    size_t count;
    double median, p90, largest;
} ww_ref_stat;

/** Statistics of one quantity's errors over the rows that pass; fixed seed of order, no
 * interpolation between ranks. */
ww_status ww_reference_stat(const ww_reference *ref, ww_ref_quantity quantity,
                            const ww_ref_filter *filter, ww_ref_stat *out, ww_error *err);

const char *ww_ref_quantity_name(ww_ref_quantity quantity);
const char *ww_ref_term_name(ww_ref_term term);
/** Bars of a quantity: median and 90th percentile. */
void ww_ref_bars(ww_ref_quantity quantity, double *median, double *p90);

#ifdef __cplusplus
}
#endif
#endif
