/* explain.h - the difference of two runs' joules, event by event: more events, a longer time, a
 * dearer event, and what comes of both together. Depends on: base. Pure but for the reading. */
#ifndef WW_ANALYSIS_EXPLAIN_H
#define WW_ANALYSIS_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/run_info.h"
#include "base/mem.h"
#include "base/status.h"
#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a row of energy_events.csv charges. */
typedef enum ww_explain_kind {
    WW_EXPLAIN_EVENT,      /* work: events x joules */
    WW_EXPLAIN_BACKGROUND, /* what stands ready: seconds x watts */
    WW_EXPLAIN_LEAKAGE     /* the same of leaking structures */
} ww_explain_kind;

/* One run's side of a row: joules = amount x price. */
typedef struct ww_explain_side {
    bool present;  /* the run's model has this event */
    double amount; /* events, or seconds: of all instances that were ready, added up */
    double price;  /* J an event, or W */
    double joules;
} ww_explain_side;

/* Joules by which the other run differs. They add up to other - base. */
typedef struct ww_explain_parts {
    double more;   /* more events, at the base's price (fewer: negative); what one run lacks */
    double longer; /* more seconds, at the base's power */
    double dearer; /* another price, for the base's events and seconds */
    double both;   /* another price for what is more: 0 where halves were asked for */
} ww_explain_parts;

typedef struct ww_explain_row {
    const char *component, *structure, *event;
    ww_explain_kind kind;
    ww_explain_side base, other;
    ww_explain_parts parts;
} ww_explain_row;

/* Rows of one name added up. */
typedef struct ww_explain_sum {
    const char *name;
    double base_j, other_j;
    ww_explain_parts parts;
} ww_explain_sum;

/* One side's launches. */
typedef struct ww_explain_run {
    ww_run_info info;
    const char *dir;
    size_t launches;
    double time_s, cycles;
} ww_explain_run;

typedef struct ww_explanation {
    ww_arena arena; /* owns everything below but what the runs' infos own */
    ww_explain_run base, other;
    ww_explain_row *row; /* in the order of the tables; what only the other run has comes last */
    size_t count;
    const char *difference; /* first launch in which the programs differ; NULL: they are the same */
} ww_explanation;

typedef struct ww_explain_options {
    const char *kernel; /* only this one, "kernel" or "workload/kernel"; NULL: all */
    bool symmetric;     /* half of `both` to either cause: base and other can change places */
    bool anyway;        /* programs may differ */
} ww_explain_options;

/** The parts of a row's difference. An event that one run's model lacks costs there what it costs
 * in the other: it is all `more`. Background without power in one run lasts as long there as in the
 * other: it is all `dearer`. */
ww_explain_parts ww_explain_split(ww_explain_kind kind, ww_explain_side base, ww_explain_side other,
                                  bool symmetric);

/**
 * Reads two results, each a result folder or a folder of some (one configuration of a sweep), and
 * explains the difference.
 * @param out  release with ww_explanation_fini
 * @error ENOTFOUND (a file; no such kernel), ESCHEMA (rows that do not add up to the power.csv
 * beside them; programs that differ, unless asked for), EPARSE with file and line, ENOMEM
 */
WW_NODISCARD ww_status ww_explain_load(const char *base, const char *other,
                                       const ww_explain_options *options, ww_explanation *out,
                                       ww_error *err);
/** Releases an explanation; idempotent; NULL allowed. */
void ww_explanation_fini(ww_explanation *e);

/** Joules that were added and what they come to, in parts. */
void ww_explain_add(ww_explain_sum *sum, const ww_explain_row *row);
/** What a part of all rows comes to; name of the sum is "total". */
ww_explain_sum ww_explain_total(const ww_explanation *e);
/** other - base. */
double ww_explain_difference(const ww_explain_sum *sum);
/** By how many seconds the other run takes longer. */
double ww_explain_longer_s(const ww_explanation *e);
/** Sums by component, in the order of the tables; in the arena. */
WW_NODISCARD ww_status ww_explain_components(ww_explanation *e, ww_explain_sum **out, size_t *count,
                                             ww_error *err);
/** Rows that differ, most first; equal ones in the order of the tables. In the arena. */
WW_NODISCARD ww_status ww_explain_ranked(ww_explanation *e, const ww_explain_row ***out,
                                         size_t *count, ww_error *err);

/* What the difference comes to as an architect asks for it. */
typedef struct ww_explain_causes {
    double work_j;      /* other counts of events outside of mechanisms' own structures */
    double mechanism_j; /* mechanisms' own structures: their events, standby and leakage */
    double structure_j; /* what else one of the machines lacks */
    double time_j;      /* background and leakage of all else, for another time */
    double price_j;     /* other energy per event, power, leakage; with what is both */
} ww_explain_causes;
/** They add up to the difference. */
ww_explain_causes ww_explain_by_cause(const ww_explanation *e);

enum { WW_EXPLAIN_CAUSES = 5 };
/* One of them, to be listed. */
typedef struct ww_explain_cause {
    const char *name;  /* "other time (background, leakage)" */
    const char *brief; /* "other time" */
    double joules;
} ww_explain_cause;
/** The causes by their size, whatever their sign, largest first; equal ones as above. */
void ww_explain_rank_causes(ww_explain_causes causes, ww_explain_cause out[WW_EXPLAIN_CAUSES]);

/* A parameter of the machines that is not the same. */
typedef struct ww_explain_change {
    const char *key, *unit;
    const char *base, *other; /* as written; "" where the run has no such parameter */
} ww_explain_change;
/** Parameters that differ, in the order of the descriptions; in the arena. */
WW_NODISCARD ww_status ww_explain_changes(ww_explanation *e, ww_explain_change **out, size_t *count,
                                          ww_error *err);

/** The unit in which that many joules have two to four digits before the point, "uJ", so that three
 * behind it tell what is far smaller, too; and what J are multiplied by. */
const char *ww_explain_unit_of(double most_j, double *scale);
/** The same of the first rows, of either run's joules. */
const char *ww_explain_unit_of_rows(const ww_explain_row *const *row, size_t count, double *scale);
/** The same of both runs as a whole. */
const char *ww_explain_unit_of_total(const ww_explanation *e, double *scale);
/** The unit in which the runs' energies are read best, with one to three digits before the point.
 */
const char *ww_explain_unit(const ww_explanation *e, double *scale);
/** explain.csv: every row, with amount, price and joules of both runs and the parts. */
WW_NODISCARD ww_status ww_explain_export(const ww_explanation *e, ww_str *out, ww_error *err);
/** "more events", "longer time", ...: what a row's largest part says; "" of a row that does not
 * differ. */
const char *ww_explain_reason(const ww_explain_row *row);
/** Writes a page: the waterfall by component, the causes, the rows that differ most; SVG and CSV
 * beside it. @error EIO, ENOMEM */
struct ww_explain_lines;
WW_NODISCARD ww_status ww_explain_page(ww_explanation *e, const struct ww_explain_lines *lines,
                                       const char *html_path, const char *version, ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
