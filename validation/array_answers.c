/* array_answers.c - our answers to a table of arrays, as rows. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "validation/arrays.h"

/* What the tools span is widened by so much: they differ from each other by more than that where
 * both answer; a single answer stands for an interval that is not known. */
static const double interval_margin = 0.05, single_margin = 0.15;

const char *ww__array_quantity_name(ww__array_quantity quantity)
{
    static const char *const names[] = {
#define X(id, name, unit) name,
        WW__ARRAY_QUANTITIES(X)
#undef X
    };
    return names[quantity];
}

const char *ww__array_quantity_unit(ww__array_quantity quantity)
{
    static const char *const units[] = {
#define X(id, name, unit) unit,
        WW__ARRAY_QUANTITIES(X)
#undef X
    };
    return units[quantity];
}

const char *ww__array_term_name(ww__array_term term)
{
    static const char *const names[] = {
#define X(id, name) name,
        WW__ARRAY_TERMS(X)
#undef X
    };
    return names[term];
}

/* ---- one array ---- */

static void quantities_of(const ww__array *a, const ww_array_result *r, double *out)
{
    uint32_t banks = a->spec.banks == 0 ? 1 : a->spec.banks;
    out[WW__ARRAY_READ] = r->read_j * 1e9;
    out[WW__ARRAY_WRITE] = r->write_j * 1e9;
    out[WW__ARRAY_SEARCH] = r->search_j * 1e9;
    /* The tools print one bank and the whole tree between banks. */
    out[WW__ARRAY_LEAK] = ((r->leak_w - r->leak_between_w) / banks + r->leak_between_w) * 1e3;
    out[WW__ARRAY_AREA] = r->area_m2 * 1e6;
    out[WW__ARRAY_ACCESS] = r->access_s * 1e9;
}

static void terms_of(const ww_array_result *r, double *x)
{
    const ww_array_terms *e = &r->data.read, *t = &r->data.time;
    x[WW__T_DECODE] = (t->decoder + t->wordline) * 1e9;
    x[WW__T_BITLINE] = t->bitline * 1e9;
    x[WW__T_SENSE] = t->sense_amp * 1e9;
    x[WW__E_HTREE_IN] = e->htree_in * 1e9;
    x[WW__E_HTREE_OUT] = e->htree_out * 1e9;
    x[WW__E_DECODER] = e->decoder * 1e9;
    x[WW__E_WORDLINE] = e->wordline * 1e9;
    x[WW__E_MUX] = e->mux * 1e9;
    x[WW__E_PRECHARGE] = e->precharge * 1e9;
    x[WW__E_BITLINE] = e->bitline * 1e9;
    x[WW__E_SENSE] = e->sense_amp * 1e9;
    x[WW__E_OUTPUT] = e->output * 1e9;
}

/* Whether a style follows that tool: ours both, each imitation its own. */
static bool follows(ww_array_style style, int tool)
{
    return style == WW_STYLE_WARPWATT || (style == WW_STYLE_CACTIP) == (tool == 1);
}

/* What the tools span, with the margin. */
static void set_interval(const ww__array *a, int q, ww_array_style style, ww_row *row)
{
    double low = (double)INFINITY, high = -(double)INFINITY;
    int answers = 0;
    for (int tool = 0; tool < WW__TOOLS; tool++) {
        double v = a->tool[tool][q];
        if (follows(style, tool) && a->answered[tool] && v > 0) {
            low = fmin(low, v);
            high = fmax(high, v);
            answers++;
        }
    }
    if (answers > 0) {
        double margin = style != WW_STYLE_WARPWATT ? 0
                        : answers > 1              ? interval_margin
                                                   : single_margin;
        row->low = low * (1 - margin);
        row->high = high * (1 + margin);
    }
}

double ww__array_error(const ww_row *row)
{
    double value = row->ours, low = row->low, high = row->high;
    if (row->missing != NULL || isnan(value) || isnan(low)) {
        return (double)NAN;
    }
    return value < low ? (low - value) / low : value > high ? (value - high) / high : 0;
}

static ww_status add_terms(ww__answers *out, const ww__array *a, const ww_array_result *r,
                           const ww_bar *bar, ww_error *err)
{
    int tool = out->style == WW_STYLE_CACTIP ? 1 : 0;
    double ours[WW__TERMS];
    if (!a->fixed || !a->answered[tool] || out->style == WW_STYLE_WARPWATT) {
        return WW_OK;
    }
    out->forced++;
    terms_of(r, ours);
    for (int t = 0; t < WW__TERMS; t++) {
        ww_row row = ww_row_of(a->id, ww__array_term_name((ww__array_term)t), "");
        row.reference = a->term[tool][t];
        row.ours = ours[t];
        if (row.reference > 0) {
            ww_judge(&row, bar, fabs(ww_row_error(&row)));
            WW_TRY(ww_rows_add(&out->terms, &row, err));
        }
    }
    return WW_OK;
}

static ww_status add_rows(ww__answers *out, const ww__array *a, const ww_array_result *r,
                          const char *why, ww_error *err)
{
    double ours[WW__QUANTITIES];
    if (why == NULL) {
        quantities_of(a, r, ours);
    }
    for (int q = 0; q < WW__QUANTITIES; q++) {
        ww__array_quantity quantity = (ww__array_quantity)q;
        ww_row row =
            ww_row_of(a->id, ww__array_quantity_name(quantity), ww__array_quantity_unit(quantity));
        row.group = a->group;
        row.missing = why;
        row.ours = why == NULL ? ours[q] : (double)NAN;
        set_interval(a, q, out->style, &row);
        WW_TRY(ww_rows_add(&out->rows, &row, err));
    }
    return WW_OK;
}

/* ---- all of them ---- */

/* The table of a node, read once. */
typedef struct node_tables {
    ww_node_table **table; /* [array]: where its node was met first */
    const ww__arrays *arrays;
    const char *dir;
} node_tables;

static ww_status table_of(node_tables *n, size_t index, const ww_node_table **out, ww_error *err)
{
    const ww__array *array = n->arrays->array;
    size_t first = 0;
    while (array[first].nm != array[index].nm) {
        first++;
    }
    if (n->table[first] == NULL) {
        WW_TRY(ww_node_load(n->dir, array[first].nm * 1e-9, &n->table[first], err));
    }
    *out = n->table[first];
    return WW_OK;
}

static ww_status solve_one(node_tables *n, size_t index, const ww_bar *bar, ww__answers *out,
                           ww_error *err)
{
    const ww__array *a = &n->arrays->array[index];
    ww_array_spec spec = a->spec;
    ww_node_point point = a->point;
    const ww_node_table *table;
    const char *why = NULL;
    ww_error local = {0};
    ww_array_result r = {0};
    ww_node node;
    spec.style = out->style;
    point.as_published = ww_array_style_as_published(out->style);
    WW_TRY(table_of(n, index, &table, err));
    WW_TRY(ww_node_at_point(table, &point, &node, err));
    if (ww_array_solve(&spec, &node, &r, &local) != WW_OK) {
        why = ww_arena_printf(&out->rows.arena, "%.150s", local.what);
        WW_TRY(why != NULL ? WW_OK : ww_no_memory(err));
    }
    WW_TRY(add_rows(out, a, &r, why, err));
    return why == NULL ? add_terms(out, a, &r, bar, err) : WW_OK;
}

static ww_status solve_all(node_tables *n, const ww_bar *bar, ww__answers *out, ww_error *err)
{
    for (size_t i = 0; i < n->arrays->count; i++) {
        ww_status status = solve_one(n, i, bar, out, err);
        if (status != WW_OK) {
            ww_error_prefix(err, "reference row %s: ", n->arrays->array[i].id);
            return status;
        }
    }
    return WW_OK;
}

ww_status ww__arrays_solve(const ww__arrays *arrays, const char *tech_dir, const ww_bars *bars,
                           ww_array_style style, ww__answers *out, ww_error *err)
{
    node_tables n = {WW_NEW_ARRAY(ww_node_table *, arrays->count + 1), arrays, tech_dir};
    const ww_bar *bar = NULL;
    clock_t begin = clock();
    *out = (ww__answers){.style = style};
    ww_status status = n.table != NULL ? WW_OK : ww_no_memory(err);
    status = status == WW_OK ? ww_bars_find(bars, "arrays", "sub-term", &bar, err) : status;
    status = status == WW_OK ? solve_all(&n, bar, out, err) : status;
    for (size_t i = 0; n.table != NULL && i < arrays->count; i++) {
        ww_node_destroy(n.table[i]);
    }
    ww_free(n.table);
    out->seconds = (double)(clock() - begin + 1) / CLOCKS_PER_SEC;
    return status;
}

void ww__answers_fini(ww__answers *answers)
{
    ww_rows_fini(&answers->rows);
    ww_rows_fini(&answers->terms);
    ww_rows_fini(&answers->statistics);
}

bool ww__array_unanswered(const ww__answers *answers, const ww__array *array, size_t index)
{
    bool asked = false;
    for (int tool = 0; tool < WW__TOOLS; tool++) {
        asked |= array->answered[tool] && follows(answers->style, tool);
    }
    return asked && answers->rows.row[index * WW__QUANTITIES].missing != NULL;
}
