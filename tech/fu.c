/* fu.c - functional units: energy from published anchors, leakage and area counted in gates. */
#include "tech/fu.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/xml.h"
#include "tech/std_cell.h"
#include "base/config_schema.h"

enum { MAX_ANCHORS = 256, MAX_SOURCE = 256 };

/* A published energy. */
typedef struct anchor {
    ww_fu_op op;
    ww_fu_scope scope;
    double energy_j, feature_m, vdd_v;
    double switched_f; /* of a typical gate at that node */
    char source[MAX_SOURCE];
} anchor;

struct ww_fu_table {
    size_t count;
    anchor list[MAX_ANCHORS];
};

static const char *const NAMES[] = {
#define X(id, name, doc) name,
    WW_FU_OPS(X)
#undef X
};

const char *ww_fu_op_name(ww_fu_op op)
{
    return op < WW_FU_OP_COUNT ? NAMES[op] : "?";
}

/* ---- loading ---- */
static ww_status read_number(const ww_xml *xml, const ww_xml_node *node, const char *name,
                             double *out, ww_error *err)
{
    const char *text = ww_xml_attr(node, name);
    if (text == NULL || ww_num_parse_double(text, out, NULL) != WW_OK || *out <= 0) {
        return ww_xml_fail(xml, node, err, WW_ESCHEMA, "<anchor> needs a positive number in '%s'",
                           name);
    }
    return WW_OK;
}

static ww_status read_anchor(const ww_xml *xml, const ww_xml_node *node, anchor *a, ww_error *err)
{
    const char *op = ww_xml_attr(node, "op"), *scope = ww_xml_attr(node, "scope");
    const char *source = ww_xml_attr(node, "source");
    if (op == NULL || scope == NULL || source == NULL) {
        return ww_xml_fail(xml, node, err, WW_ESCHEMA, "<anchor> needs op, scope and source");
    }
    int i = 0;
    while (i < WW_FU_OP_COUNT && strcmp(op, NAMES[i]) != 0) {
        i++;
    }
    if (i == WW_FU_OP_COUNT) {
        return ww_xml_fail(xml, node, err, WW_ESCHEMA, "no operation '%s'", op);
    }
    a->op = (ww_fu_op)i;
    if (strcmp(scope, "datapath") != 0 && strcmp(scope, "lane") != 0) {
        return ww_xml_fail(xml, node, err, WW_ESCHEMA, "scope must be datapath or lane");
    }
    a->scope = strcmp(scope, "lane") == 0 ? WW_FU_LANE : WW_FU_DATAPATH;
    double pj, nm;
    WW_TRY(read_number(xml, node, "energy_pj", &pj, err));
    WW_TRY(read_number(xml, node, "feature_nm", &nm, err));
    WW_TRY(read_number(xml, node, "vdd_v", &a->vdd_v, err));
    a->energy_j = pj * 1e-12;
    a->feature_m = nm * 1e-9;
    snprintf(a->source, sizeof a->source, "%s", source);
    return WW_OK;
}

/* Capacitance of a typical gate at an anchor's node, which an earlier anchor may know already. */
static ww_status find_switched(const char *dir, const ww_fu_table *t, anchor *a, ww_error *err)
{
    for (const anchor *b = t->list; b < a; b++) {
        if (fabs(b->feature_m - a->feature_m) < 1e-12) {
            a->switched_f = b->switched_f;
            return WW_OK;
        }
    }
    ww_node_table *table = NULL;
    ww_node n;
    WW_TRY(ww_node_load(dir, a->feature_m, &table, err));
    ww_status status = ww_node_at(table, WW_DEVICE_HP, 0, 350, &n, err);
    ww_node_destroy(table);
    if (status == WW_OK) {
        a->switched_f = ww__std_cell(&n).switched_f;
    }
    return status;
}

/* Every operation has an anchor of each scope. */
static ww_status check_complete(const ww_xml *xml, const ww_fu_table *t, ww_error *err)
{
    for (int op = 0; op < WW_FU_OP_COUNT; op++) {
        for (int scope = 0; scope < WW_FU_SCOPES; scope++) {
            size_t i = 0;
            while (i < t->count &&
                   (t->list[i].op != (ww_fu_op)op || t->list[i].scope != (ww_fu_scope)scope)) {
                i++;
            }
            if (i == t->count) {
                return ww_xml_fail(xml, ww_xml_root(xml), err, WW_ESCHEMA,
                                   "operation '%s' has no %s anchor", NAMES[op],
                                   scope == WW_FU_LANE ? "lane" : "datapath");
            }
        }
    }
    return WW_OK;
}

ww_status ww_fu_load(const char *dir, ww_fu_table **out, ww_error *err)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/fu.xml", dir);
    if (n < 0 || (size_t)n >= sizeof path) {
        return ww_fail(err, WW_ERANGE, "path of the technology files is too long");
    }
    ww_xml *xml = NULL;
    WW_TRY(ww_xml_load(path, &xml, err));
    ww_fu_table *t = WW_NEW(ww_fu_table);
    ww_status status = t == NULL ? ww_no_memory_for(err, "functional units") : WW_OK;
    for (const ww_xml_node *c = ww_xml_child(ww_xml_root(xml)); c != NULL && status == WW_OK;
         c = ww_xml_next(c)) {
        if (t->count == MAX_ANCHORS) {
            status = ww_xml_fail(xml, c, err, WW_ESCHEMA, "more than %d anchors", MAX_ANCHORS);
            break;
        }
        anchor *a = &t->list[t->count++];
        status = read_anchor(xml, c, a, err);
        status = status == WW_OK ? find_switched(dir, t, a, err) : status;
    }
    if (status == WW_OK) {
        status = check_complete(xml, t, err);
    }
    if (status == WW_OK) {
        status = ww_config_schema_check(xml, dir, "fu.xsd", err);
    }
    ww_xml_destroy(xml);
    if (status != WW_OK) {
        ww_free(t);
        return status;
    }
    *out = t;
    return WW_OK;
}

void ww_fu_destroy(ww_fu_table *table)
{
    ww_free(table);
}

/* ---- structure: what a unit is made of, for leakage and area ---- */
static ww_cost float_adder(const ww_node *n, uint32_t mantissa)
{
    ww_cost c = ww_logic_adder(n, mantissa + 4);
    c = ww_cost_add(c, ww_logic_shifter(n, mantissa + 4), 2); /* align, normalise */
    c = ww_cost_add(c, ww_logic_gates(n, 8.0 * mantissa, 0.25),
                    1);                              /* leading-zero count, rounding */
    return ww_cost_add(c, ww_logic_adder(n, 11), 2); /* exponents */
}

static ww_cost float_fma(const ww_node *n, uint32_t mantissa)
{
    ww_cost c = ww_logic_multiplier(n, mantissa, mantissa);
    return ww_cost_add(c, float_adder(n, 3 * mantissa), 1);
}

static ww_cost structure_of(const ww_node *n, ww_fu_op op)
{
    switch (op) {
    case WW_FU_INT_LOGIC:
        return ww_cost_add(ww_logic_shifter(n, 32), ww_logic_gates(n, 32 * 6, 0.25), 1);
    case WW_FU_INT_ADD:
        return ww_cost_add(ww_logic_adder(n, 32), ww_logic_mux(n, 4, 32), 1);
    case WW_FU_INT_MUL:
        return ww_cost_add(ww_logic_multiplier(n, 32, 32), ww_logic_adder(n, 64), 1);
    case WW_FU_FP16_ADD:
        return float_adder(n, 11);
    case WW_FU_FP16_MUL:
        return ww_logic_multiplier(n, 11, 11);
    case WW_FU_FP16_FMA:
    case WW_FU_TENSOR_FP16:
    case WW_FU_TENSOR_TF32:
        return float_fma(n, 11);
    case WW_FU_TENSOR_BF16:
        return float_fma(n, 8);
    case WW_FU_TENSOR_FP8:
        return float_fma(n, 4);
    case WW_FU_TENSOR_INT8:
        return ww_cost_add(ww_logic_multiplier(n, 8, 8), ww_logic_adder(n, 32), 1);
    case WW_FU_TENSOR_INT4:
        return ww_cost_add(ww_logic_multiplier(n, 4, 4), ww_logic_adder(n, 32), 1);
    case WW_FU_TENSOR_BIT: /* one of 32 into a sum */
        return ww_cost_add(ww_logic_gates(n, 8, 0.25), ww_logic_adder(n, 32), 1.0 / 32);
    case WW_FU_FP32_ADD:
        return float_adder(n, 24);
    case WW_FU_FP32_MUL:
        return ww_logic_multiplier(n, 24, 24);
    case WW_FU_FP32_FMA:
        return float_fma(n, 24);
    case WW_FU_FP64_ADD:
        return float_adder(n, 53);
    case WW_FU_FP64_MUL:
        return ww_logic_multiplier(n, 53, 53);
    case WW_FU_FP64_FMA:
    case WW_FU_TENSOR_FP64:
        return float_fma(n, 53);
    case WW_FU_CVT:
        return ww_cost_add(ww_logic_shifter(n, 64), ww_logic_adder(n, 32), 1);
    case WW_FU_SFU: {
        /* Quadratic interpolation: squarer, two multipliers, three-input sum, and a table for each
         * of six functions: 64 segments of coefficients of 26, 16 and 10 bits (Oberman & Siu, ARITH
         * 2005, table 1). Assumptions: a bit of a table takes a quarter of a gate, and a look-up
         * switches one in a hundred. */
        enum { FUNCTIONS = 6, SEGMENTS = 64, COEFFICIENTS = 26 + 16 + 10 };
        const double gates_per_bit = 0.25, looked_up = 0.01;
        ww_cost c = ww_logic_multiplier(n, 17, 17);
        c = ww_cost_add(c, ww_logic_multiplier(n, 17, 14), 1);
        c = ww_cost_add(c, ww_logic_multiplier(n, 14, 14), 0.5);
        c = ww_cost_add(c, ww_logic_adder(n, 45), 2);
        return ww_cost_add(
            c, ww_logic_gates(n, FUNCTIONS * SEGMENTS * COEFFICIENTS * gates_per_bit, looked_up),
            1);
    }
    case WW_FU_OP_COUNT:
    default:
        return (ww_cost){0};
    }
}

ww_fu_cost ww_fu_at(const ww_fu_table *t, const ww_node *n, ww_fu_op op, ww_fu_scope scope)
{
    const anchor *nearest = NULL;
    for (size_t i = 0; i < t->count; i++) {
        const anchor *a = &t->list[i];
        if (a->op == op && a->scope == scope &&
            (nearest == NULL || fabs(log(a->feature_m / n->feature_m)) <
                                    fabs(log(nearest->feature_m / n->feature_m)))) {
            nearest = a;
        }
    }
    ww_fu_cost cost = {.source = ""};
    if (nearest == NULL) {
        return cost;
    }
    WW_ASSERT(nearest->vdd_v > 0 && nearest->switched_f > 0);
    ww_cost unit = structure_of(n, op);
    double v = n->vdd_v / nearest->vdd_v;
    cost.energy_j = nearest->energy_j * v * v * ww__std_cell(n).switched_f / nearest->switched_f;
    cost.leak_w = unit.leak_w;
    cost.area_m2 = unit.area_m2;
    cost.source = nearest->source;
    return cost;
}
