/* graph.c - a pass as a list of operators: building it, writing it, its sums. */
#include "inference/graph.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"

void ww_graph_fini(ww_graph *graph)
{
    ww_free(graph->operators);
    *graph = (ww_graph){0};
}

ww_status ww_graph_add(ww_graph *graph, const ww_operator *op, ww_error *err)
{
    for (size_t i = 0; i < graph->count; i++) {
        if (ww_operator_same(&graph->operators[i], op)) {
            graph->operators[i].count += op->count;
            graph->operators[i].extra += op->extra;
            return ww_operator_check(&graph->operators[i], err);
        }
    }
    WW_TRY(ww_operator_check(op, err));
    if (graph->count == graph->capacity) {
        size_t capacity = graph->capacity == 0 ? 32 : 2 * graph->capacity;
        ww_operator *grown = ww_realloc_array(graph->operators, capacity, sizeof *grown);
        if (grown == NULL) {
            return ww_no_memory(err);
        }
        graph->operators = grown;
        graph->capacity = capacity;
    }
    graph->operators[graph->count++] = *op;
    return WW_OK;
}

/* ---- writing ---- */

static void put_size(uint64_t value, ww_str *out)
{
    if (value != 0) {
        ww_str_addf(out, "%" PRIu64, value);
    }
    ww_str_add_char(out, ',');
}

static void put_precisions(const ww_operator *op, ww_str *out)
{
    const char *name = ww_number_name(op->number);
    if (op->kind == WW_OPERATOR_GEMM || op->kind == WW_OPERATOR_CONV2D ||
        op->kind == WW_OPERATOR_ATTENTION) {
        ww_str_addf(out, "%s%s_%s", op->tensor ? "tc/" : "", name, name);
    } else if (op->kind != WW_OPERATOR_ELEMENTWISE) {
        ww_str_add(out, name);
    }
}

/* A field of JSON, whose quotes CSV doubles. */
static void put_other(const ww_operator *op, ww_str *out)
{
    const ww_conv_shape *c = &op->conv;
    switch (op->kind) {
    case WW_OPERATOR_CONV2D:
        ww_str_addf(out,
                    "\"{\"\"b\"\": %" PRIu64 ", \"\"c\"\": %" PRIu64 ", \"\"hw\"\": %" PRIu64
                    ", \"\"m\"\": %" PRIu64 ", \"\"padding\"\": %" PRIu64 ", \"\"rs\"\": %" PRIu64
                    ", \"\"stride\"\": %" PRIu64 "}\"",
                    c->b, c->c, c->hw, c->m, c->padding, c->rs, c->stride);
        break;
    case WW_OPERATOR_ELEMENTWISE:
        ww_str_addf(out, "\"{\"\"prec\"\": \"\"%s\"\"}\"", ww_number_name(op->number));
        break;
    case WW_OPERATOR_ATTENTION:
        ww_str_addf(
            out,
            "\"{\"\"heads\"\": %" PRIu64 ", \"\"kv_heads\"\": %" PRIu64 ", \"\"causal\"\": %s}\"",
            op->attention.heads, op->attention.kv_heads, op->attention.causal ? "true" : "false");
        break;
    default:
        break;
    }
}

void ww_graph_write_row(const ww_operator *op, ww_str *out)
{
    ww_str_addf(out, "%s,%s,", ww_operator_kind_name(op->kind),
                op->kind == WW_OPERATOR_ELEMENTWISE ? ww_pointwise_name(op->pointwise) : "");
    put_precisions(op, out);
    ww_str_add_char(out, ',');
    put_size(op->batch, out);
    put_size(op->m, out);
    put_size(op->n, out);
    put_size(op->k, out);
    put_other(op, out);
    ww_str_addf(out, ",%" PRIu64, op->count);
}

void ww_graph_write(const ww_graph *graph, ww_str *out)
{
    ww_str_add(out, WW_GRAPH_COLUMNS "\n");
    for (size_t i = 0; i < graph->count; i++) {
        ww_graph_write_row(&graph->operators[i], out);
        ww_str_add_char(out, '\n');
    }
}

/* ---- sums ---- */

double ww_graph_flops(const ww_graph *graph)
{
    double sum = 0;
    for (size_t i = 0; i < graph->count; i++) {
        sum += (double)graph->operators[i].count * ww_operator_flops(&graph->operators[i]);
    }
    return sum;
}

double ww_graph_bytes(const ww_graph *graph)
{
    double sum = 0;
    for (size_t i = 0; i < graph->count; i++) {
        sum += (double)graph->operators[i].count * ww_operator_bytes(&graph->operators[i]);
    }
    return sum;
}

uint64_t ww_graph_launches(const ww_graph *graph)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < graph->count; i++) {
        sum += graph->operators[i].count;
    }
    return sum;
}

uint64_t ww_graph_intervals(const ww_graph *graph)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < graph->count; i++) {
        sum += graph->operators[i].count - graph->operators[i].extra;
    }
    return sum;
}

uint64_t ww_graph_weight_bytes(const ww_graph *graph)
{
    double sum = 0;
    if (graph->weight_bytes > 0) {
        return graph->weight_bytes;
    }
    for (size_t i = 0; i < graph->count; i++) {
        const ww_operator *op = &graph->operators[i];
        bool weighs =
            op->kind == WW_OPERATOR_CONV2D || (op->kind == WW_OPERATOR_GEMM && op->batch == 1);
        double bytes = (double)op->n * (double)op->k * ww_number_bytes(op->number);
        sum += weighs ? (double)op->count * bytes : 0;
    }
    return sum < 0x1p63 ? (uint64_t)sum : UINT64_MAX;
}

uint64_t ww_graph_live_bytes(const ww_graph *graph)
{
    double most = 0;
    for (size_t i = 0; i < graph->count; i++) {
        double bytes = ww_operator_bytes(&graph->operators[i]);
        most = bytes > most ? bytes : most;
    }
    return (uint64_t)most;
}
