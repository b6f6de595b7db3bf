/* validate_arrays.c - `warpwatt validate arrays`: our array estimates against CACTI 7.0 and
 * CACTI-P, summed up by kind, node and group, and the sub-terms of forced partitions. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "analysis/table.h"
#include "base/configs.h"
#include "base/json.h"
#include "cli/validate.h"
#include "tech/reference.h"

enum {
    MODELS = 3, /* ours, and following either tool */
    MAX_SLICES = 256,
    JUDGED_ROWS = 10 /* a smaller slice is printed, not judged */
};

#define TERM_BAR 0.10 /* of every sub-term of a forced partition, following one tool */

static const struct {
    const char *name, *title;
} MODEL[MODELS] = {
    [WW_STYLE_WARPWATT] = {"warpwatt", "distance outside the interval of both tools, widened by "
                                       "5 % (15 % around a single answer)"},
    [WW_STYLE_CACTI7] = {"as-cacti7", "faults of CACTI 7.0 included: distance from CACTI 7.0"},
    [WW_STYLE_CACTIP] = {"as-cactip", "faults of CACTI-P 6.5 included: distance from CACTI-P"},
};

/* Rows that are summed up together. */
typedef struct slice {
    char name[40];
    const char *scope; /* "all", "kind", "node", "kind+node", "group" */
    ww_ref_filter filter;
} slice;

typedef struct study {
    const char *path;
    ww_reference *ref[MODELS];
    double seconds[MODELS]; /* to solve every row */
    slice slice[MAX_SLICES];
    size_t slices;
    int missed;
} study;

/* How one statistic stands to its bars. */
typedef enum verdict {
    VERDICT_NONE, /* nothing to compare */
    VERDICT_MET,
    VERDICT_MISSED,
    VERDICT_FEW,     /* missed, but too few rows to be judged, or a slice without bars */
    VERDICT_DEPARTED /* missed by a departure on purpose */
} verdict;

static const char *const VERDICT_NAME[] = {"none", "met", "missed", "not judged", "departure D3"};
static const char *const VERDICT_MARK[] = {"", "", " MISSED", " *", " D3"};

static void add_slice(study *s, const char *scope, const ww_ref_filter *f)
{
    for (size_t i = 0; i < s->slices; i++) {
        const ww_ref_filter *g = &s->slice[i].filter;
        if (strcmp(s->slice[i].scope, scope) == 0 && f->tech_nm == g->tech_nm &&
            (f->kind == NULL || strcmp(f->kind, g->kind) == 0) &&
            (f->group == NULL || strcmp(f->group, g->group) == 0)) {
            return;
        }
    }
    if (s->slices < MAX_SLICES) {
        slice *new = &s->slice[s->slices++];
        *new = (slice){.scope = scope, .filter = *f};
        const char *text = f->group != NULL ? f->group : f->kind != NULL ? f->kind : "";
        snprintf(new->name, sizeof new->name, "%s",
                 f->tech_nm == 0 && *text == '\0' ? "all" : text);
        if (f->tech_nm != 0) {
            snprintf(new->name, sizeof new->name, "%s%s%d nm", text, *text != '\0' ? " " : "",
                     f->tech_nm);
        }
    }
}

/* The slices that the table has: all, kinds, nodes (largest first), both, groups. */
static void find_slices(study *s)
{
    const ww_reference *ref = s->ref[0];
    size_t rows = ww_reference_rows(ref);
    add_slice(s, "all", &(ww_ref_filter){0});
    for (size_t i = 0; i < rows; i++) {
        add_slice(s, "kind", &(ww_ref_filter){.kind = ww_reference_row(ref, i)->kind});
    }
    for (int below = 1000000, next = 1; next > 0; below = next) {
        next = 0;
        for (size_t i = 0; i < rows; i++) {
            int nm = ww_reference_row(ref, i)->tech_nm;
            next = nm < below && nm > next ? nm : next;
        }
        if (next > 0) {
            add_slice(s, "node", &(ww_ref_filter){.tech_nm = next});
        }
    }
    for (size_t i = 0; i < rows; i++) {
        const ww_ref_row *row = ww_reference_row(ref, i);
        add_slice(s, "kind+node", &(ww_ref_filter){.kind = row->kind, .tech_nm = row->tech_nm});
    }
    for (size_t i = 0; i < rows; i++) {
        add_slice(s, "group", &(ww_ref_filter){.group = ww_reference_row(ref, i)->group});
    }
}

/* D3: the 90 nm LOP leakage table of the tools has a misprint that is not repeated. */
static bool departs(const ww_ref_filter *f, ww_ref_quantity q)
{
    return q == WW_REF_LEAK && f->tech_nm == 90;
}

static verdict judge(const slice *s, int model, ww_ref_quantity q, const ww_ref_stat *stat)
{
    double median, p90;
    ww_ref_bars(q, &median, &p90);
    if (stat->count == 0) {
        return VERDICT_NONE;
    }
    if (stat->median <= median && stat->p90 <= p90) {
        return VERDICT_MET;
    }
    if (model != WW_STYLE_WARPWATT || stat->count < JUDGED_ROWS || s->filter.group != NULL) {
        return VERDICT_FEW;
    }
    return departs(&s->filter, q) ? VERDICT_DEPARTED : VERDICT_MISSED;
}

/* ---- forced partitions, rows without our answer ---- */
typedef struct forced {
    size_t rows, missed;
    double worst;
    const char *worst_id;
    double term[WW_REF_TERM_COUNT]; /* worst error of each sub-term */
} forced;

/* Worst errors of one row's sub-terms against the tool that the model follows. */
static void add_terms(forced *f, const ww_ref_row *row, int tool)
{
    for (int t = 0; t < WW_REF_TERM_COUNT; t++) {
        double theirs = row->tool_term[tool][t];
        if (isfinite(theirs) && theirs > 0) {
            f->term[t] = fmax(f->term[t], fabs(row->ours_term[t] / theirs - 1));
        }
    }
}

static forced forced_of(const ww_reference *ref, int model)
{
    forced f = {.worst_id = ""};
    for (size_t i = 0; i < ww_reference_rows(ref); i++) {
        const ww_ref_row *row = ww_reference_row(ref, i);
        if (!isfinite(row->term_error)) {
            continue;
        }
        f.rows++;
        add_terms(&f, row, model == WW_STYLE_CACTIP ? 1 : 0);
        f.missed += row->term_error > TERM_BAR;
        if (row->term_error >= f.worst) {
            f.worst = row->term_error;
            f.worst_id = row->id;
        }
    }
    return f;
}

/* A row that a followed tool answers and we do not. */
static bool unanswered(const ww_ref_row *row, int model)
{
    bool c7 = row->answered[0] && model != WW_STYLE_CACTIP;
    bool cp = row->answered[1] && model != WW_STYLE_CACTI7;
    return !row->solved && (c7 || cp);
}

static ww_status count_misses(study *s, ww_error *err)
{
    for (int m = 0; m < MODELS; m++) {
        s->missed += m != WW_STYLE_WARPWATT ? (int)forced_of(s->ref[m], m).missed : 0;
        for (size_t i = 0; i < s->slices; i++) {
            for (int q = 0; q < WW_REF_QUANTITY_COUNT; q++) {
                ww_ref_stat stat;
                WW_TRY(ww_reference_stat(s->ref[m], (ww_ref_quantity)q, &s->slice[i].filter, &stat,
                                         err));
                s->missed += judge(&s->slice[i], m, (ww_ref_quantity)q, &stat) == VERDICT_MISSED;
            }
        }
    }
    for (size_t i = 0; i < ww_reference_rows(s->ref[0]); i++) {
        s->missed += unanswered(ww_reference_row(s->ref[0], i), WW_STYLE_WARPWATT);
    }
    return WW_OK;
}

/* ---- for people ---- */
static ww_status print_slices(const study *s, int model, ww_error *err)
{
    ww_table t;
    ww_table_init(&t, "arrays");
    ww_table_head(&t, "slice");
    ww_table_head(&t, "rows");
    for (int q = 0; q < WW_REF_QUANTITY_COUNT; q++) {
        ww_table_head(&t, ww_ref_quantity_name((ww_ref_quantity)q));
    }
    ww_status status = WW_OK;
    for (size_t i = 0; status == WW_OK && i < s->slices; i++) {
        ww_ref_stat stat;
        status = ww_reference_stat(s->ref[model], WW_REF_AREA, &s->slice[i].filter, &stat, err);
        if (status != WW_OK || stat.count == 0) {
            continue;
        }
        ww_table_text(&t, s->slice[i].name);
        ww_table_count(&t, stat.count);
        for (int q = 0; status == WW_OK && q < WW_REF_QUANTITY_COUNT; q++) {
            char cell[64] = "          -";
            status = ww_reference_stat(s->ref[model], (ww_ref_quantity)q, &s->slice[i].filter,
                                       &stat, err);
            if (status == WW_OK && stat.count > 0) {
                verdict v = judge(&s->slice[i], model, (ww_ref_quantity)q, &stat);
                snprintf(cell, sizeof cell, "%5.1f %5.1f%s", stat.median * 100, stat.p90 * 100,
                         VERDICT_MARK[v]);
            }
            ww_table_text(&t, cell);
        }
    }
    status = status == WW_OK ? ww_table_print(&t, false, stdout, err) : status;
    ww_table_fini(&t);
    return status;
}

static ww_status print_model(const study *s, int model, ww_error *err)
{
    const ww_reference *ref = s->ref[model];
    printf("%s: %s\n", MODEL[model].name, MODEL[model].title);
    WW_TRY(print_slices(s, model, err));
    forced f = forced_of(ref, model);
    if (f.rows > 0) {
        printf("forced partitions: %zu rows, worst sub-term %.2f %% (%s), bar %.0f %%\n", f.rows,
               f.worst * 100, f.worst_id, TERM_BAR * 100);
        for (int t = 0; t < WW_REF_TERM_COUNT; t++) {
            printf("  %-28s %6.2f %%\n", ww_ref_term_name((ww_ref_term)t), f.term[t] * 100);
        }
    }
    for (size_t i = 0; i < ww_reference_rows(ref); i++) {
        const ww_ref_row *row = ww_reference_row(ref, i);
        if (unanswered(row, model)) {
            printf("no answer to %s %s: %s\n", row->id, row->desc, row->why);
        }
    }
    printf("%zu configurations, %.0f per second\n\n", ww_reference_rows(ref),
           (double)ww_reference_rows(ref) / s->seconds[model]);
    return WW_OK;
}

static ww_status print_rows(const study *s, ww_error *err)
{
    static const char *const HEAD[] = {"id",        "configuration", "quantity",  "unit",
                                       "cacti7",    "cactip",        "warpwatt",  "error_%",
                                       "as_cacti7", "error_%",       "as_cactip", "error_%"};
    static const char *const UNIT[] = {
#define X(id, name, unit, median, p90) unit,
        WW_REF_QUANTITIES(X)
#undef X
    };
    ww_table t;
    ww_table_init(&t, "rows");
    ww_table_heads(&t, HEAD, WW_ARRAY_LEN(HEAD));
    for (size_t i = 0; i < ww_reference_rows(s->ref[0]); i++) {
        for (int q = 0; q < WW_REF_QUANTITY_COUNT; q++) {
            const ww_ref_row *row = ww_reference_row(s->ref[0], i);
            if (!isfinite(row->error[q])) {
                continue;
            }
            ww_table_text(&t, row->id);
            ww_table_text(&t, row->desc);
            ww_table_text(&t, ww_ref_quantity_name((ww_ref_quantity)q));
            ww_table_text(&t, UNIT[q]);
            ww_table_number(&t, row->tool[0][q], 6);
            ww_table_number(&t, row->tool[1][q], 6);
            for (int m = 0; m < MODELS; m++) {
                row = ww_reference_row(s->ref[m], i);
                ww_table_number(&t, row->solved ? row->ours[q] : (double)NAN, 6);
                ww_table_number(&t, row->error[q] * 100, 1);
            }
        }
    }
    ww_status status = ww_table_print(&t, false, stdout, err);
    ww_table_fini(&t);
    putchar('\n');
    return status;
}

static ww_status print_plain(const study *s, bool rows, ww_error *err)
{
    printf("median and 90th percentile of the errors in %%; bars:");
    for (int q = 0; q < WW_REF_QUANTITY_COUNT; q++) {
        double median, p90;
        ww_ref_bars((ww_ref_quantity)q, &median, &p90);
        printf("%s %s %.0f / %.0f", q > 0 ? "," : "", ww_ref_quantity_name((ww_ref_quantity)q),
               median * 100, p90 * 100);
    }
    printf("\n* beyond a bar, not judged (fewer than %d rows, a group, or following a tool); "
           "D3: departure on purpose, see DEVIATIONS.md\nreference: %s\n\n",
           JUDGED_ROWS, s->path);
    if (rows) {
        WW_TRY(print_rows(s, err));
    }
    for (int m = 0; m < MODELS; m++) {
        WW_TRY(print_model(s, m, err));
    }
    printf("%d missed bars\n", s->missed);
    return WW_OK;
}

/* ---- for scripts ---- */
static ww_status json_slices(const study *s, int model, ww_json *j, ww_error *err)
{
    ww_json_array(j, "statistics");
    for (size_t i = 0; i < s->slices; i++) {
        for (int q = 0; q < WW_REF_QUANTITY_COUNT; q++) {
            ww_ref_quantity quantity = (ww_ref_quantity)q;
            ww_ref_stat stat;
            double median, p90;
            WW_TRY(ww_reference_stat(s->ref[model], quantity, &s->slice[i].filter, &stat, err));
            if (stat.count == 0) {
                continue;
            }
            ww_ref_bars(quantity, &median, &p90);
            ww_json_object(j, NULL);
            ww_json_text(j, "scope", s->slice[i].scope);
            ww_json_text(j, "slice", s->slice[i].name);
            ww_json_text(j, "quantity", ww_ref_quantity_name(quantity));
            ww_json_u64(j, "rows", stat.count);
            ww_json_double(j, "median", stat.median);
            ww_json_double(j, "p90", stat.p90);
            ww_json_double(j, "largest", stat.largest);
            ww_json_double(j, "bar_median", median);
            ww_json_double(j, "bar_p90", p90);
            ww_json_text(j, "verdict", VERDICT_NAME[judge(&s->slice[i], model, quantity, &stat)]);
            ww_json_end(j);
        }
    }
    ww_json_end(j);
    return WW_OK;
}

static void json_model_of_row(const ww_ref_row *row, int model, int q, ww_json *j)
{
    ww_json_object(j, MODEL[model].name);
    ww_json_double_or_null(j, "value", row->solved ? row->ours[q] : (double)NAN);
    ww_json_double_or_null(j, "error", row->error[q]);
    ww_json_end(j);
}

static void json_rows(const study *s, ww_json *j)
{
    ww_json_array(j, "rows");
    for (size_t i = 0; i < ww_reference_rows(s->ref[0]); i++) {
        const ww_ref_row *row = ww_reference_row(s->ref[0], i);
        ww_json_object(j, NULL);
        ww_json_text(j, "id", row->id);
        ww_json_text(j, "group", row->group);
        ww_json_text(j, "kind", row->kind);
        ww_json_text(j, "configuration", row->desc);
        ww_json_u64(j, "node_nm", (uint64_t)row->tech_nm);
        ww_json_bool(j, "counted", row->counted);
        for (int q = 0; q < WW_REF_QUANTITY_COUNT; q++) {
            ww_json_object(j, ww_ref_quantity_name((ww_ref_quantity)q));
            ww_json_double_or_null(j, "cacti7", row->tool[0][q]);
            ww_json_double_or_null(j, "cactip", row->tool[1][q]);
            for (int m = 0; m < MODELS; m++) {
                json_model_of_row(ww_reference_row(s->ref[m], i), m, q, j);
            }
            ww_json_end(j);
        }
        if (!row->solved) {
            ww_json_text(j, "why", row->why);
        }
        ww_json_end(j);
    }
    ww_json_end(j);
}

static ww_status print_json(const study *s, bool rows, ww_error *err)
{
    ww_str text = {0};
    ww_json j;
    ww_json_init(&j, &text, 2);
    ww_json_object(&j, NULL);
    ww_json_text(&j, "reference", s->path);
    ww_json_u64(&j, "missed_bars", (uint64_t)s->missed);
    ww_json_array(&j, "models");
    ww_status status = WW_OK;
    for (int m = 0; status == WW_OK && m < MODELS; m++) {
        forced f = forced_of(s->ref[m], m);
        ww_json_object(&j, NULL);
        ww_json_text(&j, "model", MODEL[m].name);
        ww_json_text(&j, "error", MODEL[m].title);
        status = json_slices(s, m, &j, err);
        ww_json_object(&j, "forced_partitions");
        ww_json_u64(&j, "rows", f.rows);
        ww_json_double(&j, "worst_term", f.worst);
        ww_json_double(&j, "bar", TERM_BAR);
        for (int t = 0; f.rows > 0 && t < WW_REF_TERM_COUNT; t++) {
            ww_json_double(&j, ww_ref_term_name((ww_ref_term)t), f.term[t]);
        }
        ww_json_end(&j);
        ww_json_end(&j);
    }
    ww_json_end(&j);
    if (rows) {
        json_rows(s, &j);
    }
    ww_json_end(&j);
    status = status == WW_OK ? ww_json_finish(&j, err) : status;
    if (status == WW_OK) {
        fputs(ww_str_text(&text), stdout);
    }
    ww_str_fini(&text);
    return status;
}

static ww_status solve(study *s, const char *tech_dir, ww_error *err)
{
    for (int m = 0; m < MODELS; m++) {
        WW_TRY(ww_reference_load(s->path, &s->ref[m], err));
        clock_t begin = clock();
        WW_TRY(ww_reference_solve(s->ref[m], tech_dir, (ww_array_style)m, err));
        s->seconds[m] = (double)(clock() - begin + 1) / CLOCKS_PER_SEC;
    }
    find_slices(s);
    return count_misses(s, err);
}

ww_status ww_validate_arrays(const ww_args *args, ww_error *err)
{
    ww_arena arena = {0};
    study s = {.path = ww_args_value(args, "reference")};
    const char *tech_dir = NULL;
    bool rows = ww_args_has(args, "rows");
    ww_status status = ww_configs_dir(&arena, "tech", &tech_dir, err);
    if (status == WW_OK && s.path == NULL) {
        status = ww_validation_file(&arena, "arrays.csv", &s.path, err);
    }
    status = status == WW_OK ? solve(&s, tech_dir, err) : status;
    if (status == WW_OK && !ww_args_has(args, "quiet")) {
        status = ww_args_has(args, "json") ? print_json(&s, rows, err) : print_plain(&s, rows, err);
    }
    if (status == WW_OK && s.missed > 0) {
        status = ww_fail(err, WW_EVERIFY, "%d bars of %s are missed", s.missed, s.path);
    }
    for (int m = 0; m < MODELS; m++) {
        ww_reference_destroy(s.ref[m]);
    }
    ww_arena_fini(&arena);
    return status;
}
