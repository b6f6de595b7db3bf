/* paper.h - a published study run again: its sweep's results beside what the paper prints. A folder
 * of definition holds
 *   sweep.xml  machines, workloads, baselines, variants, measures, classes (run/sweep.h)
 *   bands.csv  a row per number: id, figure, what, over, mean, measure, unit, printed, low, high
 * See docs/papers.md. */
#ifndef WW_VALIDATION_PAPER_H
#define WW_VALIDATION_PAPER_H

#include "analysis/table.h"
#include "run/sweep.h"
#include "validation/row.h"

/* A number of the paper. */
typedef struct ww_band {
    const char *id, *figure, *what;
    const char *over;    /* workloads: words, separated by spaces */
    const char *mean;    /* over them: geo, arith, min, max, sum, pooled, rank */
    const char *measure; /* expression */
    const char *unit, *printed;
    ww_bar bar;  /* where it must lie */
    bool judged; /* it has a bound */
    /* Rows that say why it is missed, ids separated by spaces: what the mechanism's ceilings reach
     * of it, and other numbers that bear on it. */
    const char *ceiling, *beside;
} ww_band;

/** The band of that id, of so many characters; NULL: there is none. */
const ww_band *ww_band_find(const ww_band *band, size_t count, const char *id, size_t length);

typedef struct ww_paper ww_paper;

/** The folder of a definition: itself when it is a path, else the room of that name. @error
 * ENOTFOUND */
WW_NODISCARD ww_status ww_paper_folder(const char *name, ww_arena *arena, const char **out,
                                       ww_error *err);
/** Reads a definition, for results in a sweep's folder or in a file that ww_paper_keep has left;
 * without bands.csv it has no numbers.
 * @error as ww_sweep_load; ESCHEMA (bands.csv); what a run's results of another definition give */
WW_NODISCARD ww_status ww_paper_open(const char *folder, const char *results, const char *version,
                                     ww_paper **out, ww_error *err);
void ww_paper_close(ww_paper *paper);
/** Writes all numbers of runs that were asked for as a table (validation/numbers.h). */
WW_NODISCARD ww_status ww_paper_keep(const ww_paper *paper, const char *path, ww_error *err);
const ww_sweep *ww_paper_sweep(const ww_paper *paper);
/** The folder of its results; NULL: they are the numbers of a file. */
const char *ww_paper_results(const ww_paper *paper);
const ww_band *ww_paper_bands(const ww_paper *paper, size_t *count);
/** Whether there is anything to be computed from the runs, figures or numbers: else the definition
 * is machines and workloads, and how they compare is all there is to see. */
bool ww_paper_defines_results(const ww_paper *paper);
/** One number as a row: what it is, the paper's and ours, judged. Texts are the paper's. @error a
 * fault of the definition (an unknown name, an empty class); not: a band that is missed, results
 * that are missing */
WW_NODISCARD ww_status ww_paper_judge(ww_paper *paper, const ww_band *band, ww_row *out,
                                      ww_error *err);
/** Whether runs of a configuration, or of what a choice is made of, are of a machine with a
 * mechanism, by its description or by a parameter. */
bool ww_paper_has_mechanism(const ww_sweep *sweep, const char *configuration);
/** Whether the number judged last is of machines without a mechanism alone. */
bool ww_paper_judged_base(const ww_paper *paper);
/** An expression for one workload alone, without verdict; `self`: what "this" names, "" for none.
 */
WW_NODISCARD ww_status ww_paper_value(ww_paper *paper, const char *measure, const char *self,
                                      const ww_sweep_item *item, ww_row *out, ww_error *err);
/** An expression over several workloads, by a mean; `self`: what "this" names in it. The value is
 * NaN where it is undefined or a run is missing. */
WW_NODISCARD ww_status ww_paper_mean(ww_paper *paper, const char *measure, const char *self,
                                     const char *mean, const char *over, ww_row *out,
                                     ww_error *err);
/** Whether a workload belongs to any of the words, measured classes among them. */
WW_NODISCARD ww_status ww_paper_in(ww_paper *paper, const char *words, const ww_sweep_item *item,
                                   bool *in, ww_error *err);

/**
 * What bounds each program, from the definition's figure "ceilings": the paper's number, the bars,
 * of which the first is ours, and what binds, the machine without a mechanism that gains most.
 * @param out  to be released by ww_table_fini, also after an error
 * @param any  whether the definition has such a figure
 */
WW_NODISCARD ww_status ww_paper_ceilings(ww_paper *paper, ww_table *out, bool *any, ww_error *err);

/* How a band that is missed stands, by the rows that its definition names: the first of these that
 * holds. */
typedef enum ww_standing {
    WW_STANDS_OUT,      /* a ceiling is on the same side of the band: out of reach */
    WW_STANDS_BASELINE, /* a number of the paper's own baseline is not ours */
    WW_STANDS_IN,       /* a ceiling is in the band or beyond: in reach */
    WW_STANDS_NOT_RUN,  /* a row has no results */
    WW_STANDS_NO_BOUND, /* a ceiling is further from the band than ours: it bounds nothing */
    WW_STANDS_BESIDE,   /* rows say how else the number comes out */
    WW_STANDS_ALONE,    /* no row says why */
    WW_STANDINGS
} ww_standing;

/** "out of reach", "baseline differs", "in reach", "not run", "no bound", "beside", "no row says
 * why". */
const char *ww_standing_name(ww_standing standing);

/**
 * Why bands are missed: for each that is, the rows that its definition names, or one row that says
 * that it names none.
 * @param judged  the rows of all bands, in their order
 * @param out     subject: the band; group: the row's id; note: what it says
 * @param stands  a row per band that is missed; group: the row by which it stands; note: how
 * @param count   of bands that stand so
 */
WW_NODISCARD ww_status ww_paper_misses(ww_paper *paper, const ww_rows *judged, ww_rows *out,
                                       ww_rows *stands, size_t count[WW_STANDINGS], ww_error *err);

#endif
