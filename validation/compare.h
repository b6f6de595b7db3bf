/* compare.h - the course of a comparison with a table of references: read it, ask the description
 * for rows, print them, judge. Private to validation/. */
#ifndef WW_VALIDATION_COMPARE_H
#define WW_VALIDATION_COMPARE_H

#include "validation/judge.h"
#include "validation/output.h"
#include "validation/references.h"
#include "validation/validate.h"

/* A comparison at work. */
typedef struct ww__comparing {
    const ww_validation *asked;
    void *own; /* the description's */
    ww_arena arena;
    ww_refs *refs;
    ww_bars *bars;
    ww_rows rows;
    ww_rows statistics; /* sums of the rows, with bars */
} ww__comparing;

/* A description. */
typedef struct ww__comparison {
    const char *title; /* of the table, and name of the array in JSON */
    const char *table; /* "cycles/memory.csv": shipped; --reference names another */
    const ww_ref_column *reference;
    size_t references; /* columns */
    const ww_column *shown;
    size_t columns;
    bool partial; /* as ww_rows has it */
    /* Adds the judged rows of a line of the table, or leaves it out. */
    ww_status (*take)(ww__comparing *c, size_t line, ww_error *err);
    /* Adds judged statistics; NULL: there are none. */
    ww_status (*sum_up)(ww__comparing *c, ww_error *err);
    /* Writes what people read below the table; NULL: nothing. */
    ww_status (*tell)(ww__comparing *c, FILE *to, ww_error *err);
} ww__comparison;

/** The shipped bars. */
WW_NODISCARD ww_status ww__shipped_bars(ww_arena *arena, ww_bars **out, ww_error *err);

/** Goes through a comparison from its table to its verdict. @param own  for the description */
WW_NODISCARD ww_status ww__compare(const ww__comparison *description, const ww_validation *asked,
                                   void *own, ww_error *err);
/** Writes which rows have neither program nor results. */
WW_NODISCARD ww_status ww__tell_left_out(const ww__comparing *c, FILE *to);
/** A statistic with its bar of bars.csv, judged and added. */
WW_NODISCARD ww_status ww__add_statistic(ww__comparing *c, const char *comparison, const char *what,
                                         double value, size_t of, ww_error *err);

#endif
