/* explain.c - see explain.h: the split of a difference into its causes, and sums of it. */
#include "analysis/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/map.h"

static const char *const mechanisms = "MECH"; /* component of mechanisms' own structures */

/* ---- one row ---- */

/* What a side without this event, or without power in its time, is taken to have in common with the
 * other. */
static ww_explain_side completed(ww_explain_kind kind, ww_explain_side side, ww_explain_side from)
{
    if (!side.present) {
        side.price = from.price;
    } else if (kind != WW_EXPLAIN_EVENT && side.price == 0) {
        side.amount = from.amount;
    }
    return side;
}

ww_explain_parts ww_explain_split(ww_explain_kind kind, ww_explain_side base, ww_explain_side other,
                                  bool symmetric)
{
    ww_explain_side from = completed(kind, base, other), to = completed(kind, other, base);
    double amount = to.amount - from.amount, price = to.price - from.price;
    double both = amount * price;
    double more = amount * from.price + (symmetric ? both / 2 : 0);
    bool counted = kind == WW_EXPLAIN_EVENT || !base.present || !other.present;
    return (ww_explain_parts){
        .more = counted ? more : 0,
        .longer = counted ? 0 : more,
        .dearer = from.amount * price + (symmetric ? both / 2 : 0),
        .both = symmetric ? 0 : both,
    };
}

const char *ww_explain_reason(const ww_explain_row *row)
{
    static const struct {
        const char *up, *down;
    } words[] = {{"more events", "fewer events"},
                 {"longer time", "shorter time"},
                 {"dearer", "cheaper"},
                 {"both", "both"}};
    const double part[] = {row->parts.more, row->parts.longer, row->parts.dearer, row->parts.both};
    size_t most = 0;
    for (size_t i = 1; i < WW_ARRAY_LEN(part); i++) {
        most = fabs(part[i]) > fabs(part[most]) ? i : most;
    }
    if (part[most] == 0) {
        return "";
    }
    if (!row->base.present || !row->other.present) {
        return row->base.present ? "gone" : "added";
    }
    return part[most] > 0 ? words[most].up : words[most].down;
}

/* ---- sums ---- */

void ww_explain_add(ww_explain_sum *sum, const ww_explain_row *row)
{
    sum->base_j += row->base.joules;
    sum->other_j += row->other.joules;
    sum->parts.more += row->parts.more;
    sum->parts.longer += row->parts.longer;
    sum->parts.dearer += row->parts.dearer;
    sum->parts.both += row->parts.both;
}

double ww_explain_difference(const ww_explain_sum *sum)
{
    return sum->other_j - sum->base_j;
}

double ww_explain_longer_s(const ww_explanation *e)
{
    return e->other.time_s - e->base.time_s;
}

ww_explain_sum ww_explain_total(const ww_explanation *e)
{
    ww_explain_sum total = {.name = "total"};
    for (size_t i = 0; i < e->count; i++) {
        ww_explain_add(&total, &e->row[i]);
    }
    return total;
}

ww_status ww_explain_components(ww_explanation *e, ww_explain_sum **out, size_t *count,
                                ww_error *err)
{
    ww_map index = {0};
    *count = 0;
    *out = WW_ARENA_NEW_ARRAY(&e->arena, ww_explain_sum, e->count + 1);
    ww_status status = *out != NULL ? WW_OK : ww_no_memory(err);
    for (size_t i = 0; status == WW_OK && i < e->count; i++) {
        bool added;
        ww_map_entry *entry = ww_map_add(&index, e->row[i].component, &added);
        if (entry == NULL) {
            status = ww_no_memory(err);
            break;
        }
        if (added) {
            entry->num = (int64_t)(*count)++;
            (*out)[entry->num].name = e->row[i].component;
        }
        ww_explain_add(&(*out)[entry->num], &e->row[i]);
    }
    ww_map_fini(&index);
    return status;
}

static double difference_of(const ww_explain_row *row)
{
    return row->other.joules - row->base.joules;
}

static int compare_rows(const void *a, const void *b)
{
    const ww_explain_row *x = *(const ww_explain_row *const *)a;
    const ww_explain_row *y = *(const ww_explain_row *const *)b;
    double dx = fabs(difference_of(x)), dy = fabs(difference_of(y));
    return dx != dy ? (dx < dy ? 1 : -1) : (x > y) - (x < y);
}

ww_status ww_explain_ranked(ww_explanation *e, const ww_explain_row ***out, size_t *count,
                            ww_error *err)
{
    *count = 0;
    *out = WW_ARENA_NEW_ARRAY(&e->arena, const ww_explain_row *, e->count + 1);
    if (*out == NULL) {
        return ww_no_memory(err);
    }
    for (size_t i = 0; i < e->count; i++) {
        if (difference_of(&e->row[i]) != 0) {
            (*out)[(*count)++] = &e->row[i];
        }
    }
    qsort(*out, *count, sizeof **out, compare_rows);
    return WW_OK;
}

ww_explain_causes ww_explain_by_cause(const ww_explanation *e)
{
    ww_explain_causes causes = {0};
    for (size_t i = 0; i < e->count; i++) {
        const ww_explain_row *row = &e->row[i];
        if (strcmp(row->component, mechanisms) == 0) {
            causes.mechanism_j += difference_of(row);
            continue;
        }
        bool shared = row->base.present && row->other.present;
        causes.work_j += shared ? row->parts.more : 0;
        causes.structure_j += shared ? 0 : row->parts.more;
        causes.time_j += row->parts.longer;
        causes.price_j += row->parts.dearer + row->parts.both;
    }
    return causes;
}

void ww_explain_rank_causes(ww_explain_causes causes, ww_explain_cause out[WW_EXPLAIN_CAUSES])
{
    const ww_explain_cause listed[WW_EXPLAIN_CAUSES] = {
        {"other work", "other work", causes.work_j},
        {"mechanisms' own structures", "mechanisms' structures", causes.mechanism_j},
        {"structures that one machine lacks", "other structures", causes.structure_j},
        {"other time (background, leakage)", "other time", causes.time_j},
        {"other prices (energy per event, power)", "other prices", causes.price_j}};
    for (size_t i = 0; i < WW_EXPLAIN_CAUSES; i++) {
        size_t at = i;
        for (; at > 0 && fabs(out[at - 1].joules) < fabs(listed[i].joules); at--) {
            out[at] = out[at - 1];
        }
        out[at] = listed[i];
    }
}

/* ---- the machines ---- */

static ww_explain_change change_of(const ww_run_parameter *p, const char *base, const char *other)
{
    return (ww_explain_change){.key = p->key, .unit = p->unit, .base = base, .other = other};
}

ww_status ww_explain_changes(ww_explanation *e, ww_explain_change **out, size_t *count,
                             ww_error *err)
{
    const ww_run_info *base = &e->base.info, *other = &e->other.info;
    *count = 0;
    *out = WW_ARENA_NEW_ARRAY(&e->arena, ww_explain_change,
                              base->parameter_count + other->parameter_count + 1);
    if (*out == NULL) {
        return ww_no_memory(err);
    }
    for (size_t i = 0; i < base->parameter_count; i++) {
        const ww_run_parameter *p = &base->parameter[i];
        const char *value = ww_run_info_value(other, p->key);
        if (value == NULL || strcmp(value, p->value) != 0) {
            (*out)[(*count)++] = change_of(p, p->value, value != NULL ? value : "");
        }
    }
    for (size_t i = 0; i < other->parameter_count; i++) {
        const ww_run_parameter *p = &other->parameter[i];
        if (ww_run_info_value(base, p->key) == NULL) {
            (*out)[(*count)++] = change_of(p, "", p->value);
        }
    }
    return WW_OK;
}

/* ---- explain.csv ---- */

static void put_side(ww_csv_writer *csv, const ww_explain_row *row, const ww_explain_side *side)
{
    if (side->present) {
        ww_csv_put_double(csv, side->amount);
        ww_csv_put_double(csv, side->price * (row->kind == WW_EXPLAIN_EVENT ? 1e12 : 1));
    } else {
        ww_csv_put_text(csv, "");
        ww_csv_put_text(csv, "");
    }
}

ww_status ww_explain_export(const ww_explanation *e, ww_str *out, ww_error *err)
{
    static const char *const kind[] = {"event", "background", "leakage"};
    static const char *const names[] = {
        "component",  "structure",    "event",       "kind",     "reason",    "base_amount",
        "base_price", "other_amount", "other_price", "base [J]", "other [J]", "difference [J]",
        "more [J]",   "longer [J]",   "dearer [J]",  "both [J]"};
    ww_csv_writer csv;
    ww_csv_init(&csv, out);
    for (size_t i = 0; i < WW_ARRAY_LEN(names); i++) {
        ww_csv_put_header(&csv, names[i], NULL);
    }
    ww_csv_end_row(&csv);
    for (size_t i = 0; i < e->count; i++) {
        const ww_explain_row *row = &e->row[i];
        ww_csv_put_text(&csv, row->component);
        ww_csv_put_text(&csv, row->structure);
        ww_csv_put_text(&csv, row->event);
        ww_csv_put_text(&csv, kind[row->kind]);
        ww_csv_put_text(&csv, ww_explain_reason(row));
        put_side(&csv, row, &row->base);
        put_side(&csv, row, &row->other);
        WW_CSV_DOUBLES(&csv, row->base.joules, row->other.joules, difference_of(row),
                       row->parts.more, row->parts.longer, row->parts.dearer, row->parts.both);
        ww_csv_end_row(&csv);
    }
    return ww_csv_finish(&csv, err);
}
