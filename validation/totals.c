/* totals.c - sums over the launches of a result folder, and their names. */
#include "validation/totals.h"

#include <math.h>
#include <string.h>

#include "analysis/export.h"
#include "base/csv.h"
#include "base/file.h"
#include "base/suggest.h"

/* ---- reading ---- */

static ww_status open_csv(const char *folder, const char *name, const char *const *columns,
                          size_t count, size_t *index, ww_csv **out, ww_error *err)
{
    ww_arena arena = {0};
    char *path = ww_path_join(&arena, folder, name);
    ww_status status = path != NULL ? ww_csv_load(path, out, err) : ww_no_memory(err);
    if (status == WW_OK) {
        status = ww_csv_find_all(*out, columns, count, index, err);
    }
    ww_arena_fini(&arena);
    return status;
}

static ww_status add_time(const ww_csv *csv, const size_t *column, ww_totals *t, ww_error *err)
{
    for (size_t row = 0; row < ww_csv_rows(csv); row++) {
        double cycles, time_s;
        WW_TRY(ww_csv_double(csv, row, column[0], &cycles, err));
        WW_TRY(ww_csv_double(csv, row, column[1], &time_s, err));
        t->cycles += cycles;
        t->time_s += time_s;
    }
    return WW_OK;
}

static ww_status read_time(const char *folder, ww_totals *t, ww_error *err)
{
    static const char *const names[] = {"cycles", "time"};
    ww_csv *csv = NULL;
    size_t column[2];
    ww_status status = open_csv(folder, "kernels.csv", names, 2, column, &csv, err);
    status = status == WW_OK ? add_time(csv, column, t, err) : status;
    ww_csv_destroy(csv);
    return status;
}

static ww_status add_counters(const ww_csv *csv, const size_t *column, ww_totals *t, ww_error *err)
{
    for (size_t row = 0; row < ww_csv_rows(csv); row++) {
        ww_counter c = ww_counter_find(ww_csv_text(csv, row, column[0]));
        uint64_t value;
        if (c == WW_COUNTER_COUNT) {
            return ww_csv_fail(csv, row, column[0], err, WW_ENOTFOUND, "there is no such counter");
        }
        WW_TRY(ww_csv_u64(csv, row, column[1], &value, err));
        t->counter[c] += value;
    }
    return WW_OK;
}

static ww_status read_counters(const char *folder, ww_totals *t, ww_error *err)
{
    static const char *const names[] = {"counter", "value"};
    ww_csv *csv = NULL;
    size_t column[2];
    ww_status status = open_csv(folder, "counters.csv", names, 2, column, &csv, err);
    status = status == WW_OK ? add_counters(csv, column, t, err) : status;
    ww_csv_destroy(csv);
    return status;
}

/* The place of a component, made when there is none. */
static ww_energy *place(ww_totals *t, const char *component)
{
    for (size_t i = 0; i < t->energies; i++) {
        if (strcmp(t->energy[i].component, component) == 0) {
            return &t->energy[i];
        }
    }
    if (t->energies == WW_TOTALS_COMPONENTS) {
        return NULL;
    }
    t->energy[t->energies] = (ww_energy){.component = component};
    return &t->energy[t->energies++];
}

static ww_status add_powers(const ww_csv *csv, const size_t *column, ww_arena *arena, ww_totals *t,
                            ww_error *err)
{
    for (size_t row = 0; row < ww_csv_rows(csv); row++) {
        const char *name = ww_csv_text(csv, row, column[0]);
        double joule[3];
        for (size_t c = 0; c < 3; c++) {
            WW_TRY(ww_csv_double(csv, row, column[1 + c], &joule[c], err));
        }
        ww_energy *e = place(t, name);
        if (e == NULL) {
            return ww_csv_fail(csv, row, column[0], err, WW_ERANGE, "more than %d components",
                               WW_TOTALS_COMPONENTS);
        }
        if (e->component == name) { /* new: the table's text goes with it */
            e->component = ww_arena_strndup(arena, name, strlen(name));
        }
        if (e->component == NULL) {
            return ww_no_memory(err);
        }
        e->event_j += joule[0];
        e->background_j += joule[1];
        e->leakage_j += joule[2];
    }
    return WW_OK;
}

static ww_status read_powers(const char *folder, ww_arena *arena, ww_totals *t, ww_error *err)
{
    static const char *const names[] = {"component", "event_energy", "background_energy",
                                        "leakage_energy"};
    ww_csv *csv = NULL;
    size_t column[4];
    ww_status status = open_csv(folder, "power.csv", names, 4, column, &csv, NULL);
    if (status == WW_ENOTFOUND) { /* a run without power */
        return WW_OK;
    }
    if (status != WW_OK) {
        return open_csv(folder, "power.csv", names, 4, column, &csv, err);
    }
    status = add_powers(csv, column, arena, t, err);
    ww_csv_destroy(csv);
    return status;
}

ww_status ww_totals_read(const char *folder, ww_arena *arena, ww_totals *out, ww_error *err)
{
    *out = (ww_totals){.folder = ww_arena_strndup(arena, folder, strlen(folder))};
    if (out->folder == NULL) {
        return ww_no_memory(err);
    }
    WW_TRY(read_time(folder, out, err));
    WW_TRY(read_counters(folder, out, err));
    return read_powers(folder, arena, out, err);
}

/* ---- names ---- */

typedef enum part { EVENT = 1, BACKGROUND = 2, LEAKAGE = 4 } part;

static double energy(const ww_totals *t, const char *component, unsigned parts)
{
    const char *wanted = component[0] != '\0' ? component : "TOTAL";
    for (size_t i = 0; i < t->energies; i++) {
        const ww_energy *e = &t->energy[i];
        if (strcmp(e->component, wanted) == 0) {
            return ((parts & EVENT) != 0 ? e->event_j : 0) +
                   ((parts & BACKGROUND) != 0 ? e->background_j : 0) +
                   ((parts & LEAKAGE) != 0 ? e->leakage_j : 0);
        }
    }
    return 0;
}

static ww_total count_of(double value)
{
    return (ww_total){.over = value, .under = (double)NAN};
}

static ww_total ratio(double over, double under)
{
    return (ww_total){.over = over, .under = under};
}

double ww_total_value(const ww_total *number)
{
    return isnan(number->under) ? number->over
           : number->under > 0  ? number->over / number->under
                                : (double)NAN;
}

void ww_total_add(ww_total *sum, const ww_total *one)
{
    sum->over += one->over;
    sum->under += one->under;
}

bool ww_total_is_of_machine(const char *name)
{
    return strcmp(name, "area") == 0 || strcmp(name, "leakage") == 0 ||
           strcmp(name, "event_pj") == 0;
}

static const struct {
    const char *name;
    unsigned parts;
} energies[] = {{"energy", EVENT | BACKGROUND | LEAKAGE},
                {"dynamic_energy", EVENT | BACKGROUND},
                {"event_energy", EVENT},
                {"static_energy", LEAKAGE}};

static const char *const plain[] = {"ipc", "cycles", "time", "instructions", "power"};

/* A mechanism's measure over these sums: as counters of one SM, one slice, one channel. */
static ww_status find_measure(const ww_totals *t, const char *name, bool *found, ww_total *out,
                              ww_error *err)
{
    ww_counter_set set;
    double over = 0, under = 0;
    WW_TRY(ww_counter_set_init(&set, 1, 1, 1, err));
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        ww_scope scope = ww_counter_describe((ww_counter)c)->scope;
        set.block[scope][0].v[c] = t->counter[c];
    }
    *found = ww_mechanism_measure(name, &set, &over, &under);
    *out = ratio(over, under);
    ww_counter_set_fini(&set);
    return WW_OK;
}

static bool find_plain(const ww_totals *t, const char *name, ww_total *out)
{
    const double instructions = (double)t->counter[WW_C_INST_PROGRAM];
    const ww_total all[] = {ratio(instructions, t->cycles), count_of(t->cycles),
                            count_of(t->time_s), count_of(instructions),
                            ratio(energy(t, "", EVENT | BACKGROUND | LEAKAGE), t->time_s)};
    for (size_t i = 0; i < WW_ARRAY_LEN(plain); i++) {
        if (strcmp(plain[i], name) == 0) {
            *out = all[i];
            return true;
        }
    }
    return false;
}

/* ---- tables of the folder: launches, structures ---- */

typedef struct rate {
    double instructions, cycles;
} rate;

static ww_status add_launches(const ww_csv *csv, const size_t *column, const char *which, rate *r,
                              ww_error *err)
{
    bool found = false;
    for (size_t row = 0; row < ww_csv_rows(csv); row++) {
        double instructions, cycles;
        if (strcmp(ww_csv_text(csv, row, column[0]), which) != 0 &&
            strcmp(ww_csv_text(csv, row, column[1]), which) != 0) {
            continue;
        }
        WW_TRY(ww_csv_double(csv, row, column[2], &instructions, err));
        WW_TRY(ww_csv_double(csv, row, column[3], &cycles, err));
        r->instructions += instructions;
        r->cycles += cycles;
        found = true;
    }
    return found ? WW_OK : ww_fail(err, WW_ENOTFOUND, "there is no launch or kernel '%s'", which);
}

/* Of a launch, by its index, or of a kernel's launches. */
static ww_status find_launches(const ww_totals *t, const char *name, const char *which,
                               ww_total *out, ww_error *err)
{
    static const char *const names[] = {"launch", "kernel", "program_instructions", "cycles"};
    ww_csv *csv = NULL;
    size_t column[4];
    rate r = {0, 0};
    ww_status status = open_csv(t->folder, "kernels.csv", names, 4, column, &csv, err);
    status = status == WW_OK ? add_launches(csv, column, which, &r, err) : status;
    ww_csv_destroy(csv);
    *out = name[0] == 'c'   ? count_of(r.cycles)
           : name[1] == 'p' ? ratio(r.instructions, r.cycles)
                            : count_of(r.instructions);
    return status;
}

static bool begins(const char *text, const char *with, size_t n)
{
    return strncmp(text, with, n) == 0 && (text[n] == '\0' || text[n] == '/');
}

static ww_status sum_area(const ww_totals *t, const char *path, const char *column_name,
                          double *value, ww_error *err)
{
    const char *const names[] = {"structure", column_name};
    ww_csv *csv = NULL;
    size_t column[2];
    ww_status status = open_csv(t->folder, "area.csv", names, 2, column, &csv, err);
    *value = 0;
    for (size_t row = 0; status == WW_OK && row < ww_csv_rows(csv); row++) {
        double one;
        status = ww_csv_double(csv, row, column[1], &one, err);
        if (status == WW_OK && begins(ww_csv_text(csv, row, column[0]), path, strlen(path))) {
            *value += one;
        }
    }
    ww_csv_destroy(csv);
    return status;
}

static ww_status find_event(const ww_totals *t, const char *path, double *value, ww_error *err)
{
    static const char *const names[] = {"structure", "event", "energy_per_event"};
    const char *colon = strrchr(path, ':');
    ww_csv *csv = NULL;
    size_t column[3], n = colon != NULL ? (size_t)(colon - path) : 0;
    if (colon == NULL) {
        return ww_fail(err, WW_EPARSE, "event_pj[%s]: expected STRUCTURE:EVENT", path);
    }
    ww_status status = open_csv(t->folder, "energy_events.csv", names, 3, column, &csv, err);
    *value = (double)NAN;
    for (size_t row = 0; status == WW_OK && row < ww_csv_rows(csv); row++) {
        const char *structure = ww_csv_text(csv, row, column[0]);
        if (strlen(structure) == n && strncmp(structure, path, n) == 0 &&
            strcmp(ww_csv_text(csv, row, column[1]), colon + 1) == 0) {
            status = ww_csv_double(csv, row, column[2], value, err);
            break;
        }
    }
    if (status == WW_OK && isnan(*value)) {
        status = ww_fail(err, WW_ENOTFOUND, "%s has no event '%s' in energy_events.csv", t->folder,
                         path);
    }
    ww_csv_destroy(csv);
    return status;
}

static ww_status unknown(const char *name, ww_error *err)
{
    char hint[96];
    ww_suggest near;
    ww_suggest_init(&near, name);
    for (size_t i = 0; i < WW_ARRAY_LEN(plain); i++) {
        ww_suggest_offer(&near, plain[i]);
    }
    for (size_t i = 0; i < WW_ARRAY_LEN(energies); i++) {
        ww_suggest_offer(&near, energies[i].name);
    }
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        ww_suggest_offer(&near, ww_counter_describe((ww_counter)c)->name);
    }
    return ww_fail(err, WW_ENOTFOUND, "results have no number '%s'%s", name,
                   ww_suggest_text(&near, hint, sizeof hint));
}

/* Of structures: what the tables of the folder say. */
static ww_status find_of_machine(const ww_totals *t, const char *name, const char *argument,
                                 ww_total *out, ww_error *err)
{
    double value;
    WW_TRY(strcmp(name, "event_pj") == 0 ? find_event(t, argument, &value, err)
                                         : sum_area(t, argument, name, &value, err));
    *out = count_of(value);
    return WW_OK;
}

ww_status ww_totals_find(const ww_totals *t, const char *name, const char *argument, ww_total *out,
                         ww_error *err)
{
    if (ww_total_is_of_machine(name)) {
        return find_of_machine(t, name, argument, out, err);
    }
    for (size_t i = 0; i < WW_ARRAY_LEN(energies); i++) {
        if (strcmp(energies[i].name, name) == 0) {
            *out = count_of(energy(t, argument, energies[i].parts));
            return WW_OK;
        }
    }
    bool by_launch = strcmp(name, "ipc") == 0 || strcmp(name, "cycles") == 0 ||
                     strcmp(name, "instructions") == 0;
    if (argument[0] != '\0' && by_launch) {
        return find_launches(t, name, argument, out, err);
    }
    if (argument[0] != '\0') {
        return ww_fail(err, WW_EPARSE, "'%s' takes nothing in brackets", name);
    }
    ww_counter c = ww_counter_find(name);
    if (c != WW_COUNTER_COUNT) {
        *out = count_of((double)t->counter[c]);
        return WW_OK;
    }
    bool found = find_plain(t, name, out);
    if (!found) {
        WW_TRY(find_measure(t, name, &found, out, err));
    }
    return found ? WW_OK : unknown(name, err);
}
