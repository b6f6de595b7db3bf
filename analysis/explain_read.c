/* explain_read.c - see explain.h: two results as rows that can be compared. */
#include <math.h>
#include <string.h>

#include "analysis/explain.h"
#include "analysis/result_folders.h"
#include "analysis/study.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/map.h"
#include "base/room.h"

/* Joules of two sums of the same numbers agree this well, whatever order they are added in. */
static const double sums_agree = 1e-9;

/* Within this, joules are amount x price: launches at several clocks have several prices. */
static const double rounding = 1e-12;

/* ---- launches: which program ran ---- */

enum { K_WORKLOAD, K_KERNEL, K_GRID, K_BLOCK, K_SIZE, K_CYCLES, K_TIME, K_COUNT };
static const char *const kernels_column[K_COUNT] = {"workload", "kernel", "grid", "block",
                                                    "size",     "cycles", "time"};

/* A launch as it must be in both runs. */
typedef struct launch_list {
    const char **text;
    size_t count, room;
} launch_list;

/* One side while it is read. */
typedef struct reading {
    ww_arena *arena;
    const ww_explain_options *options;
    ww_explain_run *run;
    launch_list launches;
    double total_j; /* by power.csv */
    bool base;
} reading;

static bool is_wanted(const ww_explain_options *options, ww_arena *arena, const char *workload,
                      const char *kernel)
{
    const char *label = ww_study_label(arena, workload, kernel);
    return options->kernel == NULL || strcmp(options->kernel, kernel) == 0 ||
           (label != NULL && strcmp(options->kernel, label) == 0);
}

static ww_status add_launch(reading *r, const char *text, ww_error *err)
{
    launch_list *list = &r->launches;
    const char **more =
        ww_arena_room(r->arena, list->text, list->count, &list->room, sizeof *list->text);
    if (more == NULL) {
        return ww_no_memory(err);
    }
    list->text = more;
    list->text[list->count++] = text;
    return text != NULL ? WW_OK : ww_no_memory(err);
}

static ww_status read_launches(reading *r, const char *dir, ww_error *err)
{
    ww_csv *csv = NULL;
    size_t at[K_COUNT];
    const char *path = ww_path_join(r->arena, dir, "kernels.csv");
    WW_TRY(path != NULL ? ww_csv_load(path, &csv, err) : ww_no_memory(err));
    ww_status status = ww_csv_find_all(csv, kernels_column, K_COUNT, at, err);
    for (size_t row = 0; status == WW_OK && row < ww_csv_rows(csv); row++) {
        const char *workload = ww_csv_text(csv, row, at[K_WORKLOAD]);
        const char *kernel = ww_csv_text(csv, row, at[K_KERNEL]);
        double time_s = 0, cycles = 0;
        if (!is_wanted(r->options, r->arena, workload, kernel)) {
            continue;
        }
        status = ww_csv_double(csv, row, at[K_TIME], &time_s, err);
        status = status == WW_OK ? ww_csv_double(csv, row, at[K_CYCLES], &cycles, err) : status;
        const char *size = ww_csv_text(csv, row, at[K_SIZE]);
        const char *text = ww_arena_printf(
            r->arena, "%s of %s blocks of %s threads%s%s",
            ww_study_label(r->arena, workload, kernel), ww_csv_text(csv, row, at[K_GRID]),
            ww_csv_text(csv, row, at[K_BLOCK]), *size != '\0' ? ", input " : "", size);
        status = status == WW_OK ? add_launch(r, text, err) : status;
        r->run->launches++;
        r->run->time_s += time_s;
        r->run->cycles += cycles;
    }
    ww_csv_destroy(csv);
    return status;
}

/* ---- joules ---- */

/* The sum that the rows of energy_events.csv are held against. */
static ww_status read_total(reading *r, const char *dir, ww_error *err)
{
    static const char *const names[] = {
        "workload", "kernel", "component", "event_energy", "background_energy", "leakage_energy"};
    ww_csv *csv = NULL;
    size_t at[WW_ARRAY_LEN(names)];
    const char *path = ww_path_join(r->arena, dir, "power.csv");
    ww_status status = path != NULL ? ww_csv_load(path, &csv, err) : ww_no_memory(err);
    if (status == WW_ENOTFOUND) {
        ww_error_prefix(err, "the run left no power (was it functional only?): ");
    }
    WW_TRY(status);
    status = ww_csv_find_all(csv, names, WW_ARRAY_LEN(names), at, err);
    for (size_t row = 0; status == WW_OK && row < ww_csv_rows(csv); row++) {
        if (strcmp(ww_csv_text(csv, row, at[2]), "TOTAL") != 0 ||
            !is_wanted(r->options, r->arena, ww_csv_text(csv, row, at[0]),
                       ww_csv_text(csv, row, at[1]))) {
            continue;
        }
        for (size_t part = 3; status == WW_OK && part < WW_ARRAY_LEN(names); part++) {
            double joules = 0;
            status = ww_csv_double(csv, row, at[part], &joules, err);
            r->total_j += joules;
        }
    }
    ww_csv_destroy(csv);
    return status;
}

enum {
    E_WORKLOAD,
    E_KERNEL,
    E_COMPONENT,
    E_STRUCTURE,
    E_EVENT,
    E_KIND,
    E_NUMBER,
    E_PJ,
    E_W,
    E_J,
    E_COUNT
};
static const char *const events_column[E_COUNT] = {
    "workload", "kernel", "component",        "structure", "event",
    "kind",     "count",  "energy_per_event", "power",     "energy"};

/* The rows of both runs, found by what they charge. */
typedef struct row_list {
    ww_explanation *e;
    ww_map index;
    size_t room;
} row_list;

static const char *copy_of(ww_arena *arena, const char *text)
{
    return ww_arena_strndup(arena, text, strlen(text));
}

static ww_status find_row(row_list *rows, const char *component, const char *structure,
                          const char *event, ww_explain_kind kind, ww_explain_row **out,
                          ww_error *err)
{
    ww_arena *arena = &rows->e->arena;
    const char *key = ww_arena_printf(arena, "%d\x1f%s\x1f%s", (int)kind, structure, event);
    bool added = false;
    ww_map_entry *entry = key != NULL ? ww_map_add(&rows->index, key, &added) : NULL;
    if (entry == NULL) {
        return ww_no_memory(err);
    }
    if (added) {
        ww_explain_row *more =
            ww_arena_room(arena, rows->e->row, rows->e->count, &rows->room, sizeof *rows->e->row);
        if (more == NULL) {
            return ww_no_memory(err);
        }
        rows->e->row = more;
        entry->num = (int64_t)rows->e->count++;
        rows->e->row[entry->num] = (ww_explain_row){.component = copy_of(arena, component),
                                                    .structure = copy_of(arena, structure),
                                                    .event = copy_of(arena, event),
                                                    .kind = kind};
    }
    *out = &rows->e->row[entry->num];
    return (*out)->component != NULL && (*out)->structure != NULL && (*out)->event != NULL
               ? WW_OK
               : ww_no_memory(err);
}

static ww_status kind_of(const ww_csv *csv, size_t row, size_t column, ww_explain_kind *out,
                         ww_error *err)
{
    static const char *const names[] = {"event", "background", "leakage"};
    const char *text = ww_csv_text(csv, row, column);
    for (size_t i = 0; i < WW_ARRAY_LEN(names); i++) {
        if (strcmp(text, names[i]) == 0) {
            *out = (ww_explain_kind)i;
            return WW_OK;
        }
    }
    return ww_csv_fail(csv, row, column, err, WW_ESCHEMA, "'%s' is no kind of event", text);
}

/* Adds one launch's row. Seconds are those in which the joules come from the watts: of all
 * instances that were ready. */
static ww_status add_row(reading *r, row_list *rows, const ww_csv *csv, size_t at_row,
                         const size_t at[E_COUNT], ww_error *err)
{
    ww_explain_kind kind = WW_EXPLAIN_EVENT;
    ww_explain_row *row = NULL;
    double number = 0, price = 0, joules = 0;
    WW_TRY(kind_of(csv, at_row, at[E_KIND], &kind, err));
    bool timed = *ww_csv_text(csv, at_row, at[E_PJ]) == '\0';
    if (timed && kind == WW_EXPLAIN_EVENT) {
        return ww_csv_fail(csv, at_row, at[E_PJ], err, WW_ESCHEMA, "an event without its energy");
    }
    WW_TRY(ww_csv_double(csv, at_row, at[E_NUMBER], &number, err));
    WW_TRY(ww_csv_double(csv, at_row, at[timed ? E_W : E_PJ], &price, err));
    WW_TRY(ww_csv_double(csv, at_row, at[E_J], &joules, err));
    WW_TRY(find_row(rows, ww_csv_text(csv, at_row, at[E_COMPONENT]),
                    ww_csv_text(csv, at_row, at[E_STRUCTURE]),
                    ww_csv_text(csv, at_row, at[E_EVENT]), kind, &row, err));
    price *= timed ? 1 : 1e-12;
    ww_explain_side *side = r->base ? &row->base : &row->other;
    side->amount += !timed ? number : price > 0 ? joules / price : 0;
    side->joules += joules;
    bool one_price = fabs(side->amount * price - side->joules) <= rounding * side->joules;
    side->price = one_price || !(side->amount > 0) ? price : side->joules / side->amount;
    side->present = true;
    return WW_OK;
}

static ww_status read_events(reading *r, row_list *rows, const char *dir, ww_error *err)
{
    ww_csv *csv = NULL;
    size_t at[E_COUNT];
    const char *path = ww_path_join(r->arena, dir, "energy_events.csv");
    WW_TRY(path != NULL ? ww_csv_load(path, &csv, err) : ww_no_memory(err));
    ww_status status = ww_csv_find_all(csv, events_column, E_COUNT, at, err);
    for (size_t i = 0; status == WW_OK && i < ww_csv_rows(csv); i++) {
        if (is_wanted(r->options, r->arena, ww_csv_text(csv, i, at[E_WORKLOAD]),
                      ww_csv_text(csv, i, at[E_KERNEL]))) {
            status = add_row(r, rows, csv, i, at, err);
        }
    }
    ww_csv_destroy(csv);
    return status;
}

static ww_status check_total(const reading *r, const ww_explanation *e, ww_error *err)
{
    double sum = 0;
    for (size_t i = 0; i < e->count; i++) {
        sum += r->base ? e->row[i].base.joules : e->row[i].other.joules;
    }
    if (!(fabs(sum - r->total_j) <= sums_agree * fabs(r->total_j))) {
        return ww_fail(err, WW_ESCHEMA,
                       "%s: the rows of energy_events.csv come to %.9g J, power.csv says %.9g J",
                       r->run->dir, sum, r->total_j);
    }
    return WW_OK;
}

static ww_status read_run(reading *r, row_list *rows, ww_error *err)
{
    const char **folder = NULL;
    size_t count = 0;
    WW_TRY(ww_run_info_load(r->run->dir, &r->run->info, err));
    WW_TRY(ww_result_folders(r->run->dir, r->arena, &folder, &count, err));
    for (size_t i = 0; i < count; i++) {
        WW_TRY(read_launches(r, folder[i], err));
        WW_TRY(read_total(r, folder[i], err));
        WW_TRY(read_events(r, rows, folder[i], err));
    }
    if (r->run->launches == 0) {
        return r->options->kernel != NULL
                   ? ww_fail(err, WW_ENOTFOUND, "%s has no launch of a kernel '%s'", r->run->dir,
                             r->options->kernel)
                   : ww_fail(err, WW_ESCHEMA, "%s: the run launched no kernel", r->run->dir);
    }
    return check_total(r, rows->e, err);
}

/* ---- both ---- */

static ww_status compare_launches(const launch_list *base, const launch_list *other,
                                  ww_explanation *e, ww_error *err)
{
    size_t both = base->count < other->count ? base->count : other->count;
    for (size_t i = 0; i < both; i++) {
        if (strcmp(base->text[i], other->text[i]) != 0) {
            e->difference = ww_arena_printf(&e->arena, "launch %zu is %s in one, %s in the other",
                                            i + 1, base->text[i], other->text[i]);
            return e->difference != NULL ? WW_OK : ww_no_memory(err);
        }
    }
    if (base->count != other->count) {
        e->difference = ww_arena_printf(&e->arena, "one has %zu launches, the other %zu",
                                        base->count, other->count);
        return e->difference != NULL ? WW_OK : ww_no_memory(err);
    }
    return WW_OK;
}

static ww_status load(ww_explanation *e, const ww_explain_options *options, ww_error *err)
{
    row_list rows = {.e = e};
    reading base = {.arena = &e->arena, .options = options, .run = &e->base, .base = true};
    reading other = {.arena = &e->arena, .options = options, .run = &e->other};
    ww_status status = read_run(&base, &rows, err);
    status = status == WW_OK ? read_run(&other, &rows, err) : status;
    status = status == WW_OK ? compare_launches(&base.launches, &other.launches, e, err) : status;
    ww_map_fini(&rows.index);
    WW_TRY(status);
    if (e->difference != NULL && !options->anyway) {
        return ww_fail(err, WW_ESCHEMA,
                       "the runs are of different programs: %s; --anyway explains "
                       "them all the same",
                       e->difference);
    }
    for (size_t i = 0; i < e->count; i++) {
        ww_explain_row *row = &e->row[i];
        double longer = row->other.amount - row->base.amount;
        if (row->kind != WW_EXPLAIN_EVENT && fabs(longer) <= rounding * row->base.amount) {
            row->other.amount =
                row->base.amount; /* seconds are quotients: one time, two roundings */
        }
        row->parts = ww_explain_split(row->kind, row->base, row->other, options->symmetric);
    }
    return WW_OK;
}

ww_status ww_explain_load(const char *base, const char *other, const ww_explain_options *options,
                          ww_explanation *out, ww_error *err)
{
    ww_explanation e = {.base.dir = base, .other.dir = other};
    ww_status status = load(&e, options, err);
    if (status != WW_OK) {
        ww_explanation_fini(&e);
        return status;
    }
    *out = e;
    return WW_OK;
}

void ww_explanation_fini(ww_explanation *e)
{
    if (e != NULL) {
        ww_run_info_fini(&e->base.info);
        ww_run_info_fini(&e->other.info);
        ww_arena_fini(&e->arena);
        *e = (ww_explanation){0};
    }
}
