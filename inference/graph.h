/* graph.h - a model's pass as a list of operators with their counts: read from a table or JSON, or
 * made by models.h. Depends on: base. */
#ifndef WW_INFERENCE_GRAPH_H
#define WW_INFERENCE_GRAPH_H

#include <stddef.h>

#include "inference/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

/* {0} is an empty graph. */
typedef struct ww_graph {
    char model[64], precision[16], phase[16]; /* "" where unknown */
    uint64_t batch, sequence;                 /* 0: unknown, or none */
    ww_operator *operators;                   /* owned; rows equal in everything are one */
    size_t count, capacity;
    uint64_t weight_bytes; /* of the model; 0: unknown */
    uint64_t cache_bytes;  /* of keys and values that a pass of decoding finds; 0: none */
} ww_graph;

/* Columns of a table, in the order in which they are written. */
#define WW_GRAPH_COLUMNS "operator,kind,precisions,batch_or_rows,m_or_dim,n,k,other,count"

void ww_graph_fini(ww_graph *graph);
/** Adds an operator, or its count to the row that is equal to it. */
WW_NODISCARD ww_status ww_graph_add(ww_graph *graph, const ww_operator *op, ww_error *err);

/**
 * Reads a pass: a JSON array of objects when the text begins with [ or {, else a table with a
 * header; both have the columns of WW_GRAPH_COLUMNS (JSON leaves out what is empty, and `other` is
 * an object there). Columns model, precision, batch and sequence may precede; they must be the same
 * in all rows.
 * @param name  for messages
 * @error EPARSE, ERANGE, ENOTFOUND with line and column; a pass without operators
 */
WW_NODISCARD ww_status ww_graph_parse(const char *name, const char *text, size_t length,
                                      ww_graph *out, ww_error *err);
/** The same from a file of at most 16 MiB. */
WW_NODISCARD ww_status ww_graph_load(const char *path, ww_graph *out, ww_error *err);

/** Appends one row as it stands in a table, without the end of the line. A depthwise convolution is
 * written as the dense one that profilers list. */
void ww_graph_write_row(const ww_operator *op, ww_str *out);
/** Appends header and rows. */
void ww_graph_write(const ww_graph *graph, ww_str *out);

/** Sums over the pass, each operator as often as it occurs. */
double ww_graph_flops(const ww_graph *graph);
double ww_graph_bytes(const ww_graph *graph);
/** Operators of the pass, each as often as it occurs. */
uint64_t ww_graph_launches(const ww_graph *graph);
/** Those of them that a host launches an interval apart: extra ones are launched inside others. */
uint64_t ww_graph_intervals(const ww_graph *graph);
/** Bytes of the model's weights; of a model that is not known those of its products of one matrix
 * and of its convolutions, each occurrence's its own: what a pass without them would not need. */
uint64_t ww_graph_weight_bytes(const ww_graph *graph);
/** Bytes of the largest operands and result that an operator of the pass has at a time. */
uint64_t ww_graph_live_bytes(const ww_graph *graph);

#ifdef __cplusplus
}
#endif
#endif
