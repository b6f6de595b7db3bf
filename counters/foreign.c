/* foreign.c - from what another program told to counters: maps of names, then estimates. */
#include "counters/foreign.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/suggest.h"
#include "counters/activity_read.h"
#include "counters/foreign_parts.h"

static const ww_foreign_row gpgpusim_rows[] = {
#define WW_FROM(id, expression, note) {WW_C_##id, expression, note},
#include "counters/from_gpgpusim.def"
};
static const ww_foreign_row accelsim_rows[] = {
#include "counters/from_accelsim.def"
#include "counters/from_gpgpusim.def"
};
static const ww_foreign_row ncu_rows[] = {
#include "counters/from_ncu.def"
};
static const ww_foreign_row estimates[] = {
#include "counters/estimates.def"
#undef WW_FROM
};

/* Seconds that a launch took, where a source tells. */
#define DURATION "gpu__time_duration.sum"

/* What must be told: no rule stands for it. */
static const struct {
    ww_counter counter;
    bool of_logs_alone; /* told at the end of each block: without it the file is cut */
} required[] = {{WW_C_CORE_CYCLES, false}, {WW_C_INST_ISSUED, false}, {WW_C_L2_READ_HIT, false},
                {WW_C_DRAM_RD, false},     {WW_C_DRAM_WR, false},     {WW_C_ICNT_REQ_FLITS, true}};

static const struct {
    const char *name, *meaning;
} sources[WW_FROM_COUNT] = {
#define X(id, name, meaning) [WW_FROM_##id] = {name, meaning},
    WW_FOREIGN_SOURCES(X)
#undef X
};

const char *ww_foreign_name(ww_foreign_source source)
{
    return sources[source].name;
}

const char *ww_foreign_meaning(ww_foreign_source source)
{
    return sources[source].meaning;
}

ww_status ww_foreign_find(const char *name, ww_foreign_source *out, ww_error *err)
{
    ww_suggest suggest;
    char hint[96];
    ww_suggest_init(&suggest, name);
    for (int s = 0; s < WW_FROM_COUNT; s++) {
        ww_suggest_offer(&suggest, sources[s].name);
        if (strcmp(sources[s].name, name) == 0) {
            *out = (ww_foreign_source)s;
            return WW_OK;
        }
    }
    return ww_fail(err, WW_ENOTFOUND, "nothing is known of activity from '%.64s'%s", name,
                   ww_suggest_text(&suggest, hint, sizeof hint));
}

const ww_foreign_row *ww_foreign_rows(ww_foreign_source source, size_t *count)
{
#define ROWS(rows) (*count = sizeof(rows) / sizeof *(rows), rows)
    switch (source) {
    case WW_FROM_GPGPUSIM:
        return ROWS(gpgpusim_rows);
    case WW_FROM_ACCELSIM:
        return ROWS(accelsim_rows);
    case WW_FROM_NCU:
        return ROWS(ncu_rows);
    default:
        return ROWS(estimates);
    }
#undef ROWS
}

/* ---- rules ---- */

typedef struct rule_set {
    const ww_foreign_row *row;
    const ww__rule **rule;
    size_t count;
} rule_set;

static ww_status parse_rules(ww_foreign_source source, ww_arena *arena, rule_set *out,
                             ww_error *err)
{
    out->row = ww_foreign_rows(source, &out->count);
    out->rule = WW_ARENA_NEW_ARRAY(arena, const ww__rule *, out->count);
    if (out->rule == NULL) {
        return ww_no_memory(err);
    }
    for (size_t i = 0; i < out->count; i++) {
        WW_TRY(ww__rule_parse(out->row[i].expression, arena, &out->rule[i], err));
    }
    return WW_OK;
}

static ww_status add_name(void *user, const char *name)
{
    ww_map *names = user;
    bool added;
    if (*name == '@') {
        return WW_OK;
    }
    ww_map_entry *entry = ww_map_add(names, name, &added);
    if (entry == NULL) {
        return WW_ENOMEM;
    }
    if (added) {
        entry->num = (int64_t)names->count - 1;
    }
    return WW_OK;
}

/* ---- one launch ---- */

typedef struct mapping {
    const ww_foreign_machine *machine;
    const ww__foreign_table *table;
    const ww__foreign_launch *told;
    double core_hz;
    uint64_t *value; /* [counter] */
    unsigned char *telling;
} mapping;

static double launched(const uint32_t extent[3])
{
    return (double)extent[0] * extent[1] * extent[2];
}

/* @name; false: the launch's geometry is not known. */
static bool machine_value(const mapping *m, const char *name, double *out)
{
    const ww_foreign_machine *machine = m->machine;
    double ctas = launched(m->told->grid), threads = launched(m->told->block);
    double schedulers = machine->schedulers, per_scheduler = 1 / schedulers;
    double sms = machine->sms, clusters = machine->clusters, channels = machine->channels;
    double warps = ctas * ceil(threads / 32);
    double busy_sms = ctas > 0 ? fmin(ctas, sms) : sms;
    /* One after the other; SM i belongs to cluster i x clusters / SMs, rounded down, as in run. */
    double clusters_per_sm = (floor((busy_sms - 1) * clusters / sms) + 1) / busy_sms;
    double dram_per_core = machine->dram_hz / m->core_hz;
    const double bursts_per_byte = machine->bursts_per_byte,
                 flits_per_byte = machine->flits_per_byte, refreshes = machine->refreshes,
                 bank_refreshes = machine->bank_refreshes, l1_keeps = machine->l1_keeps,
                 l1_requests_per_sector = machine->l1_requests_per_sector;
    const struct {
        const char *name;
        double value;
    } values[] = {
#define X(name, meaning) {#name, name},
        WW_FOREIGN_MACHINE(X)
#undef X
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        if (strcmp(name, values[i].name) == 0) {
            *out = values[i].value;
            bool of_launch = strcmp(name, "ctas") == 0 || strcmp(name, "warps") == 0;
            return !of_launch || warps > 0;
        }
    }
    return false;
}

static bool told_value(void *user, const char *name, double *out)
{
    const mapping *m = user;
    if (*name == '@') {
        return machine_value(m, name + 1, out);
    }
    const ww__told *told = ww__foreign_told(m->table, m->told, name, strlen(name));
    *out = told->value;
    return told->line != 0;
}

static bool own_value(void *user, const char *name, double *out)
{
    const mapping *m = user;
    if (*name == '@') {
        return machine_value(m, name + 1, out);
    }
    ww_counter c = ww_counter_find(name);
    *out = c < WW_COUNTER_COUNT ? (double)m->value[c] : 0;
    return c < WW_COUNTER_COUNT && m->telling[c] != WW_UNTOLD;
}

static ww_status apply(mapping *m, const rule_set *rules, ww__rule_value *value, ww_telling telling,
                       ww_error *err)
{
    for (size_t i = 0; i < rules->count; i++) {
        ww_counter c = rules->row[i].counter;
        double x;
        if (m->telling[c] != WW_UNTOLD || !ww__rule_evaluate(rules->rule[i], value, m, &x)) {
            continue;
        }
        if (!(x > -0.5) || x >= 0x1p63) {
            return ww_fail_at(err, WW_ERANGE, m->table->file, m->told->line, 0,
                              "%s of '%.100s' would be %.17g, by %s", ww_counter_describe(c)->name,
                              m->told->kernel, x, rules->row[i].expression);
        }
        m->value[c] = (uint64_t)(x + 0.5);
        m->telling[c] = (unsigned char)telling;
    }
    return WW_OK;
}

static ww_status check_required(const mapping *m, ww_foreign_source source, const rule_set *rules,
                                ww_error *err)
{
    for (size_t i = 0; i < sizeof required / sizeof *required; i++) {
        ww_counter c = required[i].counter;
        if (m->telling[c] == WW_TOLD || (required[i].of_logs_alone && source == WW_FROM_NCU)) {
            continue;
        }
        const char *wanted = "";
        for (size_t r = rules->count; r-- > 0;) {
            wanted = rules->row[r].counter == c ? rules->row[r].expression : wanted;
        }
        return ww_fail_at(err, WW_ESCHEMA, m->table->file, m->told->line, 0,
                          "kernel '%.100s' does not tell %s (%s), for which no estimate stands: is "
                          "the file cut? It is %s",
                          m->told->kernel, ww_counter_describe(c)->name,
                          ww_counter_describe(c)->meaning, wanted);
    }
    if (m->value[WW_C_CORE_CYCLES] == 0) {
        return ww_fail_at(err, WW_ERANGE, m->table->file, m->told->line, 0,
                          "kernel '%.100s' took no cycle", m->told->kernel);
    }
    return WW_OK;
}

/* ---- the activity ---- */

static ww_status to_record(const ww_foreign_machine *machine, const mapping *m, ww_arena *arena,
                           const char *source, uint32_t index, ww_launch_record *out, ww_error *err)
{
    ww_counter_set *set = WW_ARENA_NEW(arena, ww_counter_set);
    char *kernel = ww_arena_strndup(arena, m->told->kernel, strlen(m->told->kernel));
    if (set == NULL || kernel == NULL) {
        return ww_no_memory(err);
    }
    WW_TRY(ww_counter_set_init(set, machine->sms, machine->slices, machine->channels, err));
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        set->block[ww_counter_describe((ww_counter)c)->scope][0].v[c] = m->value[c];
    }
    *out = (ww_launch_record){.kernel = kernel,
                              .workload = source,
                              .launch_index = index,
                              .registers = m->told->registers,
                              .shared_bytes = m->told->shared_bytes,
                              .occupancy_limit = "unknown",
                              .core_hz = m->core_hz,
                              .icnt_hz = machine->icnt_hz,
                              .l2_hz = machine->l2_hz,
                              .dram_hz = machine->dram_hz,
                              .vdd_v = machine->vdd_v,
                              .temperature_k = machine->temperature_k,
                              .counters = set};
    memcpy(out->grid, m->told->grid, sizeof out->grid);
    memcpy(out->block, m->told->block, sizeof out->block);
    return WW_OK;
}

/* A card changes its clock: that of a launch follows from its duration where that is told. */
static void find_clock(mapping *m)
{
    const ww__told *seconds = ww__foreign_told(m->table, m->told, DURATION, strlen(DURATION));
    if (seconds != NULL && seconds->line != 0 && seconds->value > 0) {
        m->core_hz = (double)m->value[WW_C_CORE_CYCLES] / seconds->value;
    }
}

static ww_status map_launch(ww_foreign_source source, mapping *m, const rule_set *told,
                            const rule_set *estimated, ww_error *err)
{
    WW_TRY(apply(m, told, told_value, WW_TOLD, err));
    WW_TRY(check_required(m, source, told, err));
    find_clock(m);
    return apply(m, estimated, own_value, WW_ESTIMATED, err);
}

static ww_status map_all(ww_foreign_source source, const ww__foreign_table *table,
                         const ww_foreign_machine *machine, const rule_set *told,
                         const rule_set *estimated, ww_foreign_activity *out, ww_error *err)
{
    ww__activity_box *box = WW_NEW(ww__activity_box);
    if (box == NULL) {
        return ww_no_memory(err);
    }
    ww_activity *activity = out->activity = &box->pub;
    activity->config_hash = machine->config_hash;
    activity->gpu = ww_strdup(machine->gpu);
    activity->launches = WW_NEW_ARRAY(ww_launch_record, table->count);
    out->telling = ww_alloc_array(table->count, sizeof *out->telling);
    if (activity->gpu == NULL || activity->launches == NULL || out->telling == NULL) {
        return ww_no_memory(err);
    }
    for (size_t i = 0; i < table->count; i++) {
        uint64_t value[WW_COUNTER_COUNT] = {0};
        mapping m = {.machine = machine,
                     .table = table,
                     .told = &table->launches[i],
                     .core_hz = machine->core_hz,
                     .value = value,
                     .telling = out->telling[i]};
        WW_TRY(map_launch(source, &m, told, estimated, err));
        WW_TRY(to_record(machine, &m, &box->arena, ww_foreign_name(source), (uint32_t)i,
                         &activity->launches[i], err));
        activity->launch_count++;
    }
    return WW_OK;
}

/* What the first kernel tells, every kernel does: else the file is cut. */
static ww_status check_whole(const ww__foreign_table *table, ww_error *err)
{
    const ww__foreign_launch *first = &table->launches[0], *last = first + table->count - 1;
    for (size_t i = 0; i < table->names.count; i++) {
        const ww_map_entry *e = &table->names.entries[i];
        if (first->told[e->num].line != 0 && last->told[e->num].line == 0) {
            return ww_fail_at(err, WW_ESCHEMA, table->file, last->line, 0,
                              "kernel '%.100s' does not tell '%s', which the first one does: is "
                              "the file cut?",
                              last->kernel, e->key);
        }
    }
    return WW_OK;
}

static ww_status read_text(ww_foreign_source source, ww__foreign_table *table, const char *text,
                           size_t length, ww_error *err)
{
    if (strlen(text) != length) {
        return ww_fail_at(err, WW_EPARSE, table->file, 0, 0, "a zero byte in the text");
    }
    if (source == WW_FROM_NCU) {
        return ww__foreign_read_ncu(table, text, length, err);
    }
    WW_TRY(ww__foreign_read_log(table, text, err));
    return check_whole(table, err);
}

/* What a second file tells of the same kernels. */
static ww_status join(ww__foreign_table *to, const ww__foreign_table *from, ww_error *err)
{
    if (to->count != from->count) {
        return ww_fail_at(err, WW_ESCHEMA, from->file, 0, 0, "has %zu kernels, %s has %zu",
                          from->count, to->file, to->count);
    }
    for (size_t i = 0; i < to->count; i++) {
        ww__foreign_launch *a = &to->launches[i];
        const ww__foreign_launch *b = &from->launches[i];
        if (strcmp(a->kernel, b->kernel) != 0) {
            return ww_fail_at(err, WW_ESCHEMA, from->file, b->line, 0,
                              "kernel '%.100s' is '%.100s' in %s", b->kernel, a->kernel, to->file);
        }
        for (size_t n = 0; n < to->names.count; n++) {
            a->told[n] = a->told[n].line != 0 ? a->told[n] : b->told[n];
        }
        if (a->grid[0] == 0) {
            memcpy(a->grid, b->grid, sizeof a->grid);
            memcpy(a->block, b->block, sizeof a->block);
            a->registers = b->registers;
            a->shared_bytes = b->shared_bytes;
        }
    }
    return WW_OK;
}

typedef struct input {
    const char *name;
    char *text;
    size_t length;
} input;

/* The names that a source's rows use. */
static ww_status add_names(const rule_set *told, ww_map *names, ww_error *err)
{
    ww_status status = add_name(names, DURATION);
    for (size_t i = 0; status == WW_OK && i < told->count; i++) {
        status = ww__rule_names(told->rule[i], add_name, names);
    }
    return status == WW_OK ? WW_OK : ww_no_memory(err);
}

/* XML: what AccelWattch ran with, not what it printed. */
static bool is_model(const input *in)
{
    return in->text[strspn(in->text, " \t\r\n")] == '<';
}

static ww_status read_output(ww_foreign_source source, const input *in, const rule_set *told,
                             ww__foreign_table *table, ww_error *err)
{
    ww__foreign_table other = {.file = in->name};
    bool first = table->count == 0;
    ww__foreign_table *into = first ? table : &other;
    into->file = in->name;
    ww_status status = add_names(told, &into->names, err);
    status = status == WW_OK ? read_text(source, into, in->text, in->length, err) : status;
    status = status == WW_OK && !first ? join(table, &other, err) : status;
    ww__foreign_table_fini(&other);
    return status;
}

static ww_status read_inputs(ww_foreign_source source, const input *inputs, size_t count,
                             const rule_set *told, ww__foreign_table *table, ww_error *err)
{
    size_t outputs = 0;
    for (size_t i = 0; i < count; i++) {
        if (source != WW_FROM_ACCELSIM || !is_model(&inputs[i])) {
            outputs++;
            WW_TRY(read_output(source, &inputs[i], told, table, err));
        }
    }
    if (outputs == 0 || outputs > 2 || count - outputs > 1) {
        return ww_fail(err, WW_EUSAGE,
                       "activity from accelsim is in its output, AccelWattch's report and one XML "
                       "file of its model");
    }
    for (size_t i = 0; i < count; i++) {
        if (source == WW_FROM_ACCELSIM && is_model(&inputs[i])) {
            WW_TRY(ww__foreign_read_model(table, inputs[i].name, inputs[i].text, inputs[i].length,
                                          err));
        }
    }
    return WW_OK;
}

static ww_status convert(ww_foreign_source source, const input *inputs, size_t count,
                         const ww_foreign_machine *machine, ww_foreign_activity *out, ww_error *err)
{
    ww__foreign_table table = {0};
    ww_arena arena = {0};
    rule_set told, estimated;
    *out = (ww_foreign_activity){0};
    ww_status status = parse_rules(source, &arena, &told, err);
    status = status == WW_OK ? parse_rules(WW_FROM_COUNT, &arena, &estimated, err) : status;
    status = status == WW_OK ? read_inputs(source, inputs, count, &told, &table, err) : status;
    status =
        status == WW_OK ? map_all(source, &table, machine, &told, &estimated, out, err) : status;
    ww__foreign_table_fini(&table);
    ww_arena_fini(&arena);
    if (status != WW_OK) {
        ww_foreign_fini(out);
    }
    return status;
}

ww_status ww_foreign_parse(ww_foreign_source source, const char *name, const char *text,
                           size_t length, const ww_foreign_machine *machine,
                           ww_foreign_activity *out, ww_error *err)
{
    char *copy = ww_alloc_array(length + 1, 1);
    *out = (ww_foreign_activity){0};
    if (copy == NULL) {
        return ww_no_memory(err);
    }
    memcpy(copy, text, length);
    const input one = {name, copy, length};
    ww_status status = convert(source, &one, 1, machine, out, err);
    ww_free(copy);
    return status;
}

ww_status ww_foreign_load(ww_foreign_source source, const char *const *paths, size_t path_count,
                          const ww_foreign_machine *machine, ww_foreign_activity *out,
                          ww_error *err)
{
    input inputs[WW_FOREIGN_MOST_FILES] = {0};
    *out = (ww_foreign_activity){0};
    size_t most = source == WW_FROM_ACCELSIM ? WW_FOREIGN_MOST_FILES : 1;
    if (path_count == 0 || path_count > most) {
        return ww_fail(err, WW_EUSAGE, "activity from %s is in %s", ww_foreign_name(source),
                       source == WW_FROM_ACCELSIM ? "one to three files" : "one file");
    }
    ww_status status = WW_OK;
    for (size_t i = 0; status == WW_OK && i < path_count; i++) {
        inputs[i].name = paths[i];
        status =
            ww_read_file(paths[i], WW__FOREIGN_MOST_BYTES, &inputs[i].text, &inputs[i].length, err);
    }
    status = status == WW_OK ? convert(source, inputs, path_count, machine, out, err) : status;
    for (size_t i = 0; i < WW_FOREIGN_MOST_FILES; i++) {
        ww_free(inputs[i].text);
    }
    return status;
}

void ww_foreign_fini(ww_foreign_activity *foreign)
{
    ww_activity_destroy(foreign->activity);
    ww_free(foreign->telling);
    *foreign = (ww_foreign_activity){0};
}
