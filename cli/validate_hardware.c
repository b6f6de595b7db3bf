/* validate_hardware.c - `warpwatt validate cycles --hardware`: cycles of public CUDA programs
 * beside those that a GPU's profiler counted, and beside two peers' on the same rows. The programs
 * are run as they are (--programs DIR), or results kept by `warpwatt run --out DIR/NAME -- PROGRAM`
 * are read (--results DIR). */
#include <math.h>
#include <string.h>

#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>

#include "analysis/table.h"
#include "base/csv.h"
#include "base/str.h"
#include "cli/rerun.h"
#include "cli/validate.h"

#define TABLE "cycles/hardware.csv"

typedef struct row {
    const char *program, *bound;
    double theirs, ours;
    double peer[2]; /* cycles; NaN: not known */
    bool judged;    /* nothing of the description was fitted to it */
    bool led;       /* looking at it led to a change of the model's structure */
} row;

enum { PTX_PEER, TRACE_PEER };

typedef struct study {
    ww_arena arena;
    const char *table;
    const char *programs, *results; /* folders; NULL: none */
    row *row;
    size_t rows;
    ww_str missing;
} study;

/* ---- our cycles ---- */

static ww_status our_cycles(const study *s, const ww_rerun_row *rerun, double *cycles, bool *found,
                            ww_error *err)
{
    const ww_rerun from = {s->table, s->programs, s->results};
    ww_arena arena = {0};
    ww_rerun_launch *launch;
    size_t count;
    ww_status status = ww_rerun_launches(&from, rerun, &arena, &launch, &count, found, err);
    *cycles = 0;
    for (size_t i = 0; status == WW_OK && i < count; i++) {
        *cycles += launch[i].cycles;
    }
    ww_arena_fini(&arena);
    return status;
}

/* ---- the table ---- */

enum { GPU, PROGRAM, FILE_NAME, ARGUMENTS, CYCLES, PTX, TRACE, ROLE, SAMPLE, BOUND, COLUMNS };

static double optional(const ww_csv *csv, size_t i, size_t column)
{
    double value;
    bool empty = ww_csv_text(csv, i, column)[0] == '\0';
    return !empty && ww_csv_double(csv, i, column, &value, NULL) == WW_OK ? value : (double)NAN;
}

static ww_status take_row(study *s, const ww_csv *csv, size_t i, const size_t *column,
                          ww_error *err)
{
    const char *program = ww_csv_text(csv, i, column[PROGRAM]);
    const char *role = ww_csv_text(csv, i, column[ROLE]);
    const char *bound = ww_csv_text(csv, i, column[BOUND]);
    row r = {.program = ww_arena_strndup(&s->arena, program, strlen(program)),
             .bound = ww_arena_strndup(&s->arena, bound, strlen(bound)),
             .peer = {optional(csv, i, column[PTX]), optional(csv, i, column[TRACE])},
             .led = strcmp(role, "led") == 0};
    r.judged = r.led || strcmp(role, "judged") == 0;
    bool found;
    WW_TRY(ww_csv_double(csv, i, column[CYCLES], &r.theirs, err));
    const ww_rerun_row rerun = {.gpu = ww_csv_text(csv, i, column[GPU]),
                                .name = program,
                                .file = ww_csv_text(csv, i, column[FILE_NAME]),
                                .arguments = ww_csv_text(csv, i, column[ARGUMENTS]),
                                .sample = ww_csv_text(csv, i, column[SAMPLE])};
    WW_TRY(our_cycles(s, &rerun, &r.ours, &found, err));
    if (found) {
        s->row[s->rows++] = r;
    } else {
        ww_str_addf(&s->missing, "%s%s", s->missing.len > 0 ? ", " : "", program);
    }
    return WW_OK;
}

static ww_status take_rows(study *s, const ww_csv *csv, ww_error *err)
{
    static const char *const NAME[COLUMNS] = {"gpu",       "program",  "file",       "arguments",
                                              "hw_cycles", "ptx_peer", "trace_peer", "role",
                                              "sample",    "bound"};
    size_t column[COLUMNS];
    WW_TRY(ww_csv_find_all(csv, NAME, COLUMNS, column, err));
    s->row = WW_ARENA_NEW_ARRAY(&s->arena, row, ww_csv_rows(csv) + 1);
    if (s->row == NULL) {
        return ww_no_memory_for(err, "the comparison");
    }
    for (size_t i = 0; i < ww_csv_rows(csv); i++) {
        WW_TRY(take_row(s, csv, i, column, err));
    }
    return WW_OK;
}

/* ---- statistics: absolute errors of the judged rows on which both sides are known ---- */

typedef struct spread {
    double mean, median;
    size_t rows;
} spread;

static spread spread_of(double *error, size_t n)
{
    spread out = {.rows = n};
    gsl_sort(error, 1, n);
    for (size_t i = 0; i < n; i++) {
        out.mean += error[i] / (double)n;
    }
    out.median = n > 0 ? gsl_stats_median_from_sorted_data(error, 1, n) : 0;
    return out;
}

/* peer -1: ours, on the rows that the peer `among` has (ALL: on all; APART: on those that led to
 * no change) and that are bound by `bound` (NULL: by anything). */
enum { ALL = -1, APART = -2 };

static bool counts(const row *r, int among)
{
    return r->judged && (among != APART || !r->led) && (among < 0 || !isnan(r->peer[among]));
}

static spread errors(study *s, int peer, int among, const char *bound)
{
    double *error = WW_ARENA_NEW_ARRAY(&s->arena, double, s->rows + 1);
    size_t n = 0;
    for (size_t i = 0; error != NULL && i < s->rows; i++) {
        const row *r = &s->row[i];
        double value = peer < 0 ? r->ours : r->peer[peer];
        bool mine = bound == NULL || strcmp(r->bound, bound) == 0;
        if (!isnan(value) && counts(r, among) && mine) {
            error[n++] = fabs(value / r->theirs - 1);
        }
    }
    return error != NULL ? spread_of(error, n) : (spread){0};
}

/* ---- printing ---- */

static void add_error(ww_table *t, double cycles, double theirs)
{
    if (isnan(cycles)) {
        ww_table_text(t, "");
    } else {
        ww_table_number(t, 100 * (cycles / theirs - 1), 1);
    }
}

static ww_status print_rows(const study *s, bool json, ww_error *err)
{
    static const char *const HEAD[] = {"program",       "hardware",         "warpwatt",
                                       "error_percent", "ptx_peer_percent", "trace_peer_percent",
                                       "judged"};
    ww_table t;
    ww_table_init(&t, "hardware");
    ww_table_heads(&t, HEAD, WW_ARRAY_LEN(HEAD));
    for (size_t i = 0; i < s->rows; i++) {
        const row *r = &s->row[i];
        ww_table_text(&t, r->program);
        ww_table_number(&t, r->theirs, 0);
        ww_table_number(&t, r->ours, 0);
        add_error(&t, r->ours, r->theirs);
        add_error(&t, r->peer[PTX_PEER], r->theirs);
        add_error(&t, r->peer[TRACE_PEER], r->theirs);
        ww_table_text(&t, r->led ? "led to a change" : r->judged ? "yes" : "no");
    }
    ww_status status = ww_table_print(&t, json, stdout, err);
    ww_table_fini(&t);
    return status;
}

static void print_spread(const char *what, spread e)
{
    printf("%-44s mean %5.1f %%, median %5.1f %% over %zu programs\n", what, 100 * e.mean,
           100 * e.median, e.rows);
}

/* A line per class of programs: ours beside the trace-driven peer, which has most of the rows. */
static void print_classes(study *s)
{
    static const char *const CLASS[] = {"compute", "bandwidth", "shared", "latency"};
    for (size_t i = 0; i < WW_ARRAY_LEN(CLASS); i++) {
        spread ours = errors(s, -1, TRACE_PEER, CLASS[i]);
        if (ours.rows > 0) {
            printf("bound by %-9s: WarpWatt %5.1f %%, trace-driven peer %5.1f %% over %zu\n",
                   CLASS[i], 100 * ours.mean,
                   100 * errors(s, TRACE_PEER, TRACE_PEER, CLASS[i]).mean, ours.rows);
        }
    }
}

static void print_summary(study *s)
{
    printf("\nabsolute cycle errors:\n");
    print_spread("WarpWatt", errors(s, -1, ALL, NULL));
    print_spread("WarpWatt, rows that led to no change", errors(s, -1, APART, NULL));
    print_spread("WarpWatt, where the PTX-level peer is known", errors(s, -1, PTX_PEER, NULL));
    print_spread("PTX-level peer", errors(s, PTX_PEER, PTX_PEER, NULL));
    print_spread("WarpWatt, where the trace-driven peer is known", errors(s, -1, TRACE_PEER, NULL));
    print_spread("trace-driven peer", errors(s, TRACE_PEER, TRACE_PEER, NULL));
    print_classes(s);
    if (s->missing.len > 0) {
        printf("neither program nor results (--programs DIR, --results DIR): %s\n",
               ww_str_text(&s->missing));
    }
}

/* The bar: below the PTX-level peer on the same rows, in mean and median. */
static ww_status judge(study *s, ww_error *err)
{
    spread ours = errors(s, -1, PTX_PEER, NULL), theirs = errors(s, PTX_PEER, PTX_PEER, NULL);
    if (ours.rows > 0 && (ours.mean >= theirs.mean || ours.median >= theirs.median)) {
        return ww_fail(err, WW_EVERIFY, "mean or median error is not below the PTX-level peer's");
    }
    return WW_OK;
}

static ww_status study_all(study *s, const ww_args *args, ww_error *err)
{
    ww_csv *csv = NULL;
    const char *shipped;
    WW_TRY(ww_validation_file(&s->arena, TABLE, &shipped, err));
    s->table = ww_args_value(args, "reference");
    s->table = s->table != NULL ? s->table : shipped;
    s->programs = ww_args_value(args, "programs");
    s->results = ww_args_value(args, "results");
    WW_TRY(ww_csv_load(s->table, &csv, err));
    ww_status status = take_rows(s, csv, err);
    ww_csv_destroy(csv);
    WW_TRY(status);
    bool json = ww_args_has(args, "json");
    WW_TRY(print_rows(s, json, err));
    if (!json) {
        print_summary(s);
    }
    return judge(s, err);
}

ww_status ww_validate_hardware(const ww_args *args, ww_error *err)
{
    study s = {0};
    ww_status status = study_all(&s, args, err);
    ww_str_fini(&s.missing);
    ww_arena_fini(&s.arena);
    return status;
}
