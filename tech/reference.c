/* reference.c - solves the rows of a reference table and measures the distance to its tools. */
#include "tech/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/mem.h"
#include "base/num.h"

#define INTERVAL_MARGIN 0.05
#define SINGLE_MARGIN   0.15
/* Key of the fully associative rows where the table has no column tag_bits: the tools reproduce the
 * shipped rows with it, and only with it. */
#define ASSOC_TAG_BITS 32

struct ww_reference {
    size_t count;
    ww_array_style style;
    ww_ref_row *row;
};

/* ---- names ---- */
const char *ww_ref_quantity_name(ww_ref_quantity quantity)
{
    static const char *const NAMES[] = {
#define X(id, name, unit, median, p90) name,
        WW_REF_QUANTITIES(X)
#undef X
    };
    return quantity < WW_REF_QUANTITY_COUNT ? NAMES[quantity] : "?";
}

const char *ww_ref_term_name(ww_ref_term term)
{
    static const char *const NAMES[] = {
#define X(id, name) name,
        WW_REF_TERMS(X)
#undef X
    };
    return term < WW_REF_TERM_COUNT ? NAMES[term] : "?";
}

void ww_ref_bars(ww_ref_quantity quantity, double *median, double *p90)
{
    static const double BARS[][2] = {
#define X(id, name, unit, median_bar, p90_bar) {median_bar, p90_bar},
        WW_REF_QUANTITIES(X)
#undef X
    };
    *median = BARS[quantity][0];
    *p90 = BARS[quantity][1];
}

/* ---- reading ---- */
static const char *const QUANTITY_COLUMN[] = {"read_energy_nJ",   "write_energy_nJ",
                                              "search_energy_nJ", "leak_mW_per_bank",
                                              "area_mm2",         "access_time_ns"};
/* Columns of the sub-terms; the multiplexers' two columns are added. */
static const char *const TERM_COLUMN[] = {"d_t_decwl", "d_t_bl",  "d_t_sa", "d_e_htin",
                                          "d_e_htout", "d_e_dec", "d_e_wl", "d_e_blmux",
                                          "d_e_prech", "d_e_bl",  "d_e_sa", "d_e_out"};

/* A row of the file under its column names. */
typedef struct reader {
    const ww_csv *csv;
    size_t row;
    ww_error *err;
    ww_status status;
} reader;

static const char *text_of(reader *r, const char *column)
{
    size_t c;
    if (r->status == WW_OK) {
        r->status = ww_csv_find(r->csv, column, &c, r->err);
    }
    return r->status == WW_OK ? ww_csv_text(r->csv, r->row, c) : "";
}

static double number_of(reader *r, const char *column)
{
    const char *text = text_of(r, column);
    double value = (double)NAN;
    if (r->status == WW_OK && text[0] != '\0' && ww_num_parse_double(text, &value, NULL) != WW_OK) {
        r->status = ww_fail(r->err, WW_EPARSE, "row %zu: %s=\"%s\" is not a number", r->row + 2,
                            column, text);
    }
    return value;
}

static uint32_t count_of(reader *r, const char *column)
{
    double value = number_of(r, column);
    return value > 0 && value < 4e9 ? (uint32_t)value : 0;
}

/* A column that a table may leave out. */
static uint32_t count_if_given(reader *r, const char *column, uint32_t otherwise)
{
    size_t c;
    if (ww_csv_find(r->csv, column, &c, NULL) != WW_OK) {
        return otherwise;
    }
    uint32_t given = count_of(r, column);
    return given > 0 ? given : otherwise;
}

static ww_device_flavour flavour_of(const char *text)
{
    return strcmp(text, "itrs-lstp") == 0  ? WW_DEVICE_LSTP
           : strcmp(text, "itrs-lop") == 0 ? WW_DEVICE_LOP
                                           : WW_DEVICE_HP;
}

/* "ED", "ED^2", "W0:100:0:0:0" (delay, energy, leakage, cycle, area). */
static ww_array_objective objective_of(const char *text)
{
    ww_array_objective o = {.goal = WW_GOAL_ED2};
    if (strcmp(text, "ED") == 0) {
        o.goal = WW_GOAL_ED;
    } else if (text[0] == 'W') {
        double *weight[] = {&o.delay, &o.energy, &o.leakage, &o.cycle, &o.area};
        o.goal = WW_GOAL_WEIGHTED;
        const char *at = text + 1;
        for (size_t i = 0; i < WW_ARRAY_LEN(weight); i++) {
            if (!ww_num_scan(at, &at, weight[i])) {
                break;
            }
            at += *at == ':';
        }
    }
    return o;
}

static void read_spec(reader *r, ww_ref_row *row)
{
    ww_array_spec *s = &row->spec;
    const char *kind = text_of(r, "kind");
    s->kind = strcmp(kind, "sa_cache") == 0   ? WW_ARRAY_CACHE
              : strcmp(kind, "cam") == 0      ? WW_ARRAY_CAM
              : strcmp(kind, "fa_cache") == 0 ? WW_ARRAY_ASSOC
                                              : WW_ARRAY_RAM;
    s->bits = 8 * (uint64_t)count_of(r, "capacity_bytes");
    s->word_bits = count_of(r, "word_bits_out");
    if (s->word_bits == 0) {
        s->word_bits = count_of(r, "want_bits");
    }
    s->line_bits = 8 * count_of(r, "line_bytes");
    s->ways = count_of(r, "assoc");
    s->banks = count_of(r, "banks");
    s->rw_ports = count_of(r, "rw_ports");
    s->read_ports = count_of(r, "rd_ports");
    s->write_ports = count_of(r, "wr_ports");
    s->search_ports = count_of(r, "search_ports");
    s->tag_bits = s->kind == WW_ARRAY_ASSOC   ? count_if_given(r, "tag_bits", ASSOC_TAG_BITS)
                  : s->kind == WW_ARRAY_CACHE ? count_if_given(r, "tag_bits", 0)
                                              : 0;
    s->objective = objective_of(text_of(r, "opt"));
    const char *access = text_of(r, "access_mode"), *wire = text_of(r, "wire");
    s->access = strcmp(access, "sequential") == 0 ? WW_ACCESS_SEQUENTIAL
                : strcmp(access, "fast") == 0     ? WW_ACCESS_FAST
                                                  : WW_ACCESS_NORMAL;
    s->wire = strcmp(wire, "Global") == 0 ? WW_WIRES_FAST : WW_WIRES_30;
    row->counted = strcmp(wire, "Global_30") == 0;
    if (strcmp(text_of(r, "wire_outside"), "global") == 0) {
        s->outside_layer = WW_WIRE_GLOBAL;
    }
    s->ecc = strcmp(text_of(r, "ecc"), "true") == 0;
    row->point = (ww_node_point){.cell = flavour_of(text_of(r, "cell_type")),
                                 .peri = flavour_of(text_of(r, "peri_type")),
                                 .projection = strcmp(text_of(r, "proj"), "aggressive") == 0
                                                   ? WW_WIRE_AGGRESSIVE
                                                   : WW_WIRE_CONSERVATIVE,
                                 .temp_k = number_of(r, "temperature_K")};
}

/* Rows whose partition was forced carry it in the description: "... Ndwl2 Ndbl4 Nspd1 Ndcm1 Ns2/1".
 */
static void read_partition(ww_ref_row *row)
{
    const char *at = strstr(row->desc, "Ndwl");
    unsigned ndwl, ndbl, ndcm, ns1, ns2;
    double nspd;
    if (strncmp(row->group, "N_", 2) == 0 && at != NULL &&
        sscanf(at, "Ndwl%u Ndbl%u Nspd%lf Ndcm%u Ns%u/%u", &ndwl, &ndbl, &nspd, &ndcm, &ns1,
               &ns2) == 6) {
        row->fixed = true;
        row->spec.data_forced = (ww_array_partition){
            .ndwl = ndwl, .ndbl = ndbl, .nspd = nspd, .ndcm = ndcm, .nsam1 = ns1, .nsam2 = ns2};
    }
}

static void read_answers(reader *r, ww_ref_row *row, int tool)
{
    row->answered[tool] = strcmp(text_of(r, "status"), "ok") == 0;
    for (int q = 0; q < WW_REF_QUANTITY_COUNT; q++) {
        row->tool[tool][q] = row->answered[tool] ? number_of(r, QUANTITY_COLUMN[q]) : (double)NAN;
    }
    for (int t = 0; t < WW_REF_TERM_COUNT; t++) {
        row->tool_term[tool][t] = row->fixed ? number_of(r, TERM_COLUMN[t]) : (double)NAN;
    }
    if (row->fixed) {
        row->tool_term[tool][WW_REF_E_MUX] += number_of(r, "d_e_samux");
    }
}

static ww_status read_row(ww_reference *ref, reader *r)
{
    const char *id = text_of(r, "id"), *tool = text_of(r, "tool");
    int which = strcmp(tool, "CP") == 0 ? 1 : 0;
    ww_ref_row *row = ref->count > 0 ? &ref->row[ref->count - 1] : NULL;
    if (row == NULL || strcmp(row->id, id) != 0) {
        row = &ref->row[ref->count++];
        snprintf(row->id, sizeof row->id, "%s", id);
        snprintf(row->group, sizeof row->group, "%s", text_of(r, "group"));
        snprintf(row->desc, sizeof row->desc, "%s", text_of(r, "desc"));
        snprintf(row->kind, sizeof row->kind, "%s", text_of(r, "kind"));
        row->tech_nm = (int)count_of(r, "tech_nm");
        read_spec(r, row);
        read_partition(row);
    } else if (row->answered[which]) {
        return ww_fail(r->err, WW_EPARSE, "row %zu: tool '%s' answers '%s' twice", r->row + 2, tool,
                       id);
    }
    read_answers(r, row, which);
    return r->status;
}

ww_status ww_reference_load(const char *csv_path, ww_reference **out, ww_error *err)
{
    ww_csv *csv = NULL;
    WW_TRY(ww_csv_load(csv_path, &csv, err));
    ww_status status = WW_OK;
    ww_reference *ref = WW_NEW(ww_reference);
    if (ref != NULL) {
        ref->row = WW_NEW_ARRAY(ww_ref_row, ww_csv_rows(csv) + 1);
    }
    if (ref == NULL || ref->row == NULL) {
        status = ww_no_memory_for(err, "%zu reference rows", ww_csv_rows(csv));
    }
    for (size_t i = 0; status == WW_OK && i < ww_csv_rows(csv); i++) {
        reader r = {.csv = csv, .row = i, .err = err, .status = WW_OK};
        status = read_row(ref, &r);
    }
    ww_csv_destroy(csv);
    if (status != WW_OK) {
        ww_reference_destroy(ref);
        return status;
    }
    *out = ref;
    return WW_OK;
}

void ww_reference_destroy(ww_reference *ref)
{
    if (ref != NULL) {
        ww_free(ref->row);
        ww_free(ref);
    }
}

size_t ww_reference_rows(const ww_reference *ref)
{
    return ref->count;
}

const ww_ref_row *ww_reference_row(const ww_reference *ref, size_t index)
{
    return index < ref->count ? &ref->row[index] : NULL;
}

/* ---- solving ---- */
static void store(ww_ref_row *row, const ww_array_result *r)
{
    uint32_t banks = row->spec.banks == 0 ? 1 : row->spec.banks;
    row->ours[WW_REF_READ] = r->read_j * 1e9;
    row->ours[WW_REF_WRITE] = r->write_j * 1e9;
    row->ours[WW_REF_SEARCH] = r->search_j * 1e9;
    /* The tools print one bank and the whole tree between banks. */
    row->ours[WW_REF_LEAK] = ((r->leak_w - r->leak_between_w) / banks + r->leak_between_w) * 1e3;
    row->ours[WW_REF_AREA] = r->area_m2 * 1e6;
    row->ours[WW_REF_ACCESS] = r->access_s * 1e9;
    const ww_array_terms *e = &r->data.read, *t = &r->data.time;
    double *x = row->ours_term;
    x[WW_REF_T_DECODE] = (t->decoder + t->wordline) * 1e9;
    x[WW_REF_T_BITLINE] = t->bitline * 1e9;
    x[WW_REF_T_SENSE] = t->sense_amp * 1e9;
    x[WW_REF_E_HTREE_IN] = e->htree_in * 1e9;
    x[WW_REF_E_HTREE_OUT] = e->htree_out * 1e9;
    x[WW_REF_E_DECODER] = e->decoder * 1e9;
    x[WW_REF_E_WORDLINE] = e->wordline * 1e9;
    x[WW_REF_E_MUX] = e->mux * 1e9;
    x[WW_REF_E_PRECHARGE] = e->precharge * 1e9;
    x[WW_REF_E_BITLINE] = e->bitline * 1e9;
    x[WW_REF_E_SENSE] = e->sense_amp * 1e9;
    x[WW_REF_E_OUTPUT] = e->output * 1e9;
}

/* Distance outside [low, high], relative to the bound that is passed. */
static double outside(double value, double low, double high)
{
    return value < low ? (low - value) / low : value > high ? (value - high) / high : 0;
}

static double error_of(const ww_ref_row *row, ww_ref_quantity q, ww_array_style style)
{
    double low = (double)INFINITY, high = -(double)INFINITY;
    int answers = 0;
    for (int tool = 0; tool < WW_REF_TOOLS; tool++) {
        double v = row->tool[tool][q];
        bool asked = style == WW_STYLE_WARPWATT || (style == WW_STYLE_CACTIP) == (tool == 1);
        if (asked && row->answered[tool] && isfinite(v) && v > 0) {
            low = fmin(low, v);
            high = fmax(high, v);
            answers++;
        }
    }
    if (answers == 0 || !row->solved) {
        return (double)NAN;
    }
    double margin = style != WW_STYLE_WARPWATT ? 0 : answers > 1 ? INTERVAL_MARGIN : SINGLE_MARGIN;
    return outside(row->ours[q], low * (1 - margin), high * (1 + margin));
}

static double term_error_of(const ww_ref_row *row, ww_array_style style)
{
    int tool = style == WW_STYLE_CACTIP ? 1 : 0;
    if (!row->fixed || !row->answered[tool] || !row->solved || style == WW_STYLE_WARPWATT) {
        return (double)NAN;
    }
    double worst = 0;
    for (int t = 0; t < WW_REF_TERM_COUNT; t++) {
        double v = row->tool_term[tool][t];
        if (isfinite(v) && v > 0) {
            worst = fmax(worst, fabs(row->ours_term[t] / v - 1));
        }
    }
    return worst;
}

/* Tables already read. */
typedef struct node_cache {
    int nm[16];
    ww_node_table *table[16];
    int count;
} node_cache;

static ww_status table_of(node_cache *cache, const char *dir, int nm, const ww_node_table **out,
                          ww_error *err)
{
    for (int i = 0; i < cache->count; i++) {
        if (cache->nm[i] == nm) {
            *out = cache->table[i];
            return WW_OK;
        }
    }
    ww_node_table *table = NULL;
    WW_TRY(ww_node_load(dir, nm * 1e-9, &table, err));
    cache->nm[cache->count] = nm;
    cache->table[cache->count++] = table;
    *out = table;
    return WW_OK;
}

static ww_status solve_row(ww_ref_row *row, node_cache *cache, const char *dir,
                           ww_array_style style, ww_error *err)
{
    ww_error local = {0};
    const ww_node_table *table = NULL;
    ww_node node;
    ww_array_result r;
    WW_TRY(table_of(cache, dir, row->tech_nm, &table, err));
    row->spec.style = style;
    row->point.as_published = ww_array_style_as_published(style);
    WW_TRY(ww_node_at_point(table, &row->point, &node, err));
    row->solved = ww_array_solve(&row->spec, &node, &r, &local) == WW_OK;
    if (row->solved) {
        store(row, &r);
    } else {
        snprintf(row->why, sizeof row->why, "%.150s", local.what);
    }
    for (int q = 0; q < WW_REF_QUANTITY_COUNT; q++) {
        row->error[q] = error_of(row, (ww_ref_quantity)q, style);
    }
    row->term_error = term_error_of(row, style);
    return WW_OK;
}

ww_status ww_reference_solve(ww_reference *ref, const char *tech_dir, ww_array_style style,
                             ww_error *err)
{
    node_cache cache = {.count = 0};
    ww_status status = WW_OK;
    for (size_t i = 0; status == WW_OK && i < ref->count; i++) {
        status = solve_row(&ref->row[i], &cache, tech_dir, style, err);
        if (status != WW_OK) {
            ww_error_prefix(err, "reference row %s: ", ref->row[i].id);
        }
    }
    for (int i = 0; i < cache.count; i++) {
        ww_node_destroy(cache.table[i]);
    }
    ref->style = style;
    return status;
}

/* ---- statistics ---- */
static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

ww_status ww_reference_stat(const ww_reference *ref, ww_ref_quantity quantity,
                            const ww_ref_filter *f, ww_ref_stat *out, ww_error *err)
{
    double *errors = WW_NEW_ARRAY(double, ref->count + 1);
    if (errors == NULL) {
        return ww_no_memory_for(err, "%zu errors", ref->count);
    }
    size_t n = 0;
    for (size_t i = 0; i < ref->count; i++) {
        const ww_ref_row *row = &ref->row[i];
        if (row->counted && isfinite(row->error[quantity]) &&
            (f->kind == NULL || strcmp(f->kind, row->kind) == 0) &&
            (f->group == NULL || strcmp(f->group, row->group) == 0) &&
            (f->tech_nm == 0 || f->tech_nm == row->tech_nm)) {
            errors[n++] = row->error[quantity];
        }
    }
    qsort(errors, n, sizeof *errors, ascending);
    *out = (ww_ref_stat){.count = n};
    if (n > 0) {
        out->median = n % 2 == 1 ? errors[n / 2] : (errors[n / 2 - 1] + errors[n / 2]) / 2;
        out->p90 = errors[(size_t)(0.9 * (double)n) < n ? (size_t)(0.9 * (double)n) : n - 1];
        out->largest = errors[n - 1];
    }
    ww_free(errors);
    return WW_OK;
}
