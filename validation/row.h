/* row.h - what a comparison is made of: one number of a reference and ours beside it. Numbers,
 * programs, structures, figures of papers and statistics over them are all rows of this one type.
 */
#ifndef WW_VALIDATION_ROW_H
#define WW_VALIDATION_ROW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"
#include "base/status.h"
#include "base/str.h"

/* What a reference had to do with the model before it was compared. */
typedef enum ww_split {
    WW_SPLIT_NONE,
    WW_SPLIT_USED,      /* something was fitted to it */
    WW_SPLIT_LOOKED_AT, /* looking at it led to a change of the model's structure */
    WW_SPLIT_UNSEEN,    /* neither */
    WW_SPLITS
} ww_split;

typedef enum ww_verdict {
    WW_VERDICT_SHOWN, /* there is no bar */
    WW_VERDICT_MET,
    WW_VERDICT_MISSED,   /* beyond the bar, or undefined (NaN, infinite) */
    WW_VERDICT_MISSING,  /* there is nothing of ours */
    WW_VERDICT_FEW,      /* of too few rows to be judged */
    WW_VERDICT_DEPARTED, /* beyond the bar, and said why: a departure on purpose */
    WW_VERDICTS
} ww_verdict;

/* Where a value must lie. */
typedef struct ww_bar {
    const char *comparison, *what; /* key in bars.csv */
    double low, high;              /* infinite where open */
    bool above, below;             /* the low, the high bound itself is outside */
    size_t enough;                 /* rows of which the value must be to be judged; 0: any */
    const char *reason;
} ww_bar;

enum { WW_ROW_PEERS = 2, WW_ROW_DETAILS = 3 };

/* Texts are borrowed: from the table of references, or the arena of the rows. */
typedef struct ww_row {
    const char *subject; /* a GPU, a program, a kernel, a structure */
    const char *what;    /* of it */
    const char *unit;
    double reference;              /* NaN: none (of a statistic) */
    double low, high;              /* what the reference may be as well; NaN: not known */
    double ours;                   /* NaN: undefined */
    double sigma;                  /* standard uncertainty of ours, in its unit; NaN: not known */
    double peer[WW_ROW_PEERS];     /* what other models say; NaN: nothing */
    double detail[WW_ROW_DETAILS]; /* what else is shown beside; a description says what */
    ww_split split;
    const char *group; /* what is summed up together */
    const char *quality, *source, *note;
    const char *printed; /* the reference as its source has it; NULL: as a number */
    const char *missing; /* why there is nothing of ours; NULL: there is */
    int digits;          /* behind the point, in print */
    size_t of;           /* rows that a statistic is of */
    const ww_bar *bar;   /* NULL: shown, not judged */
    ww_verdict verdict;
} ww_row;

/* How many rows have which verdict. */
typedef struct ww_tally {
    size_t of[WW_VERDICTS];
} ww_tally;

/* A list that grows. Zero-initialise; ends with ww_rows_fini. */
typedef struct ww_rows {
    ww_arena arena; /* for texts of rows */
    ww_row *row;
    size_t count, room;
    bool partial; /* rows may be missing as long as there is another one: what users may not have */
    ww_str absent; /* names of what a partial comparison leaves out, with commas */
} ww_rows;

/** "", "used", "looked at", "unseen". */
const char *ww_split_name(ww_split split);
/** "shown", "met", "MISSED", "missing", "not judged", "departure". */
const char *ww_verdict_name(ww_verdict verdict);

/** A row whose numbers are all NaN. */
ww_row ww_row_of(const char *subject, const char *what, const char *unit);
/** ours / reference - 1: 0 when they are equal, infinite beside a reference of 0, NaN when one is.
 */
double ww_error_of(double ours, double reference);
double ww_row_error(const ww_row *row);

/** Appends a copy. @error ENOMEM */
WW_NODISCARD ww_status ww_rows_add(ww_rows *rows, const ww_row *row, ww_error *err);
/** Names something that has no row because nothing of ours is at hand. */
void ww_rows_leave_out(ww_rows *rows, const char *fmt, ...) WW_PRINTF(2, 3);
void ww_rows_fini(ww_rows *rows);
/** Counts verdicts. */
ww_tally ww_rows_tally(const ww_rows *rows);
/** Missed and missing ones: what fails a comparison. */
size_t ww_tally_failed(const ww_tally *tally);

#endif
