/* arrays.h - memory arrays as CACTI 7.0 and CACTI-P answer them, and as we do. Private to
 * validation/. */
#ifndef WW_VALIDATION_ARRAYS_H
#define WW_VALIDATION_ARRAYS_H

#include "tech/array.h"
#include "validation/compare.h"
#include "validation/spread.h"

/* X(id, name, unit): what is compared. Bars: bars.csv, "NAME: median" and "NAME: 90th percentile".
 */
#define WW__ARRAY_QUANTITIES(X)                                                                    \
    X(WW__ARRAY_READ, "read", "nJ")                                                                \
    X(WW__ARRAY_WRITE, "write", "nJ")                                                              \
    X(WW__ARRAY_SEARCH, "search", "nJ")                                                            \
    X(WW__ARRAY_LEAK, "leakage", "mW")                                                             \
    X(WW__ARRAY_AREA, "area", "mm2")                                                               \
    X(WW__ARRAY_ACCESS, "access", "ns")

typedef enum ww__array_quantity {
#define X(id, name, unit) id,
    WW__ARRAY_QUANTITIES(X)
#undef X
        WW__QUANTITIES
} ww__array_quantity;

/* Sub-terms that arrays with a forced partition check one by one. */
#define WW__ARRAY_TERMS(X)                                                                         \
    X(WW__T_DECODE, "time decoder+wordline")                                                       \
    X(WW__T_BITLINE, "time bitline")                                                               \
    X(WW__T_SENSE, "time sense amplifier")                                                         \
    X(WW__E_HTREE_IN, "energy H-tree in")                                                          \
    X(WW__E_HTREE_OUT, "energy H-tree out")                                                        \
    X(WW__E_DECODER, "energy predecoder")                                                          \
    X(WW__E_WORDLINE, "energy wordline")                                                           \
    X(WW__E_MUX, "energy multiplexer decoders")                                                    \
    X(WW__E_PRECHARGE, "energy precharge")                                                         \
    X(WW__E_BITLINE, "energy bitline")                                                             \
    X(WW__E_SENSE, "energy sense amplifier")                                                       \
    X(WW__E_OUTPUT, "energy output driver")

typedef enum ww__array_term {
#define X(id, name) id,
    WW__ARRAY_TERMS(X)
#undef X
        WW__TERMS
} ww__array_term;

const char *ww__array_quantity_name(ww__array_quantity quantity);
const char *ww__array_quantity_unit(ww__array_quantity quantity);
const char *ww__array_term_name(ww__array_term term);

enum { WW__TOOLS = 2 /* CACTI 7.0, CACTI-P */, WW__STYLES = 3 /* ours, and following either */ };

/* One configuration of the table and the tools' answers, in the units above; NaN: not given. */
typedef struct ww__array {
    const char *id, *group, *desc, *kind;
    int nm;
    bool counted;       /* in the statistics: not one about wire types */
    bool fixed;         /* partition forced */
    ww_array_spec spec; /* without style */
    ww_node_point point;
    bool answered[WW__TOOLS];
    double tool[WW__TOOLS][WW__QUANTITIES];
    double term[WW__TOOLS][WW__TERMS];
} ww__array;

typedef struct ww__arrays {
    ww_refs *table;
    ww__array *array;
    size_t count;
} ww__arrays;

/** Reads a table with the columns of tests/validation/arrays.csv.
 * @error ENOTFOUND (file, column), EPARSE, ESCHEMA, ERANGE (file, line, column) */
WW_NODISCARD ww_status ww__arrays_load(const char *path, ww__arrays *out, ww_error *err);
void ww__arrays_fini(ww__arrays *arrays);

/* Our answers in one style. */
typedef struct ww__answers {
    ww_array_style style;
    /* [array][quantity]: low and high are what the tools that the style follows span, with its
     * margin; both NaN where they have no answer. Missing: we have none. */
    ww_rows rows;
    ww_rows terms;      /* [forced array][term] that both have, judged; subject: the array's id */
    size_t forced;      /* arrays with terms */
    ww_rows statistics; /* see ww__slice_row */
    double seconds;     /* to solve all */
} ww__answers;

/** Solves every array in a style. @param tech_dir  configs/tech */
WW_NODISCARD ww_status ww__arrays_solve(const ww__arrays *arrays, const char *tech_dir,
                                        const ww_bars *bars, ww_array_style style, ww__answers *out,
                                        ww_error *err);
void ww__answers_fini(ww__answers *answers);
/** The distance of our answer from what the tools span, over the bound that it passes. NaN: not
 * comparable, or undefined. */
double ww__array_error(const ww_row *row);
/** Whether the array of a row counts as one that a followed tool answers and we do not. */
bool ww__array_unanswered(const ww__answers *answers, const ww__array *array, size_t index);

/* Arrays that are summed up together. */
typedef struct ww__slice {
    char name[40];
    const char *scope; /* "all", "kind", "node", "kind+node", "group" */
    const char *kind, *group;
    int nm; /* NULL, 0: any */
} ww__slice;

/* Everything that validate arrays prints. */
typedef struct ww__array_study {
    const char *path;
    ww_bars *bars;
    ww__arrays arrays;
    ww__answers model[WW__STYLES];
    ww__slice *slice;
    size_t slices;
    size_t missed;
    double term_bar; /* of a sub-term */
} ww__array_study;

/** The statistic of a quantity over a slice: ours is the median, detail the 90th percentile and the
 * largest, `of` the arrays; bar: of the median. */
const ww_row *ww__slice_row(const ww__array_study *s, int model, size_t slice,
                            ww__array_quantity quantity);
/** The bars of a quantity. */
WW_NODISCARD ww_status ww__array_bars(const ww_bars *bars, ww__array_quantity quantity,
                                      const ww_bar **median, const ww_bar **p90, ww_error *err);
/** Name of a style in print, and what its errors are. */
const char *ww__array_model_name(int model);
const char *ww__array_model_title(int model);
/** Prints the study. */
WW_NODISCARD ww_status ww__arrays_print(const ww__array_study *s, const ww_validation *asked,
                                        ww_error *err);

#endif
