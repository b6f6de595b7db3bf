/* fu.h - energy, leakage and area of functional units, anchored on published measurements and
 * scaled between nodes. The anchors live in configs/tech/fu.xml, each with its source. Depends on:
 * tech/node.h. */
#ifndef WW_TECH_FU_H
#define WW_TECH_FU_H

#include <stddef.h>

#include "base/status.h"
#include "tech/node.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(ENUMERATOR, "name in XML", "meaning"): one scalar operation, one lane. */
#define WW_FU_OPS(X)                                                                               \
    X(WW_FU_INT_LOGIC, "int-logic", "32-bit and, or, xor, shift, select, move")                    \
    X(WW_FU_INT_ADD, "int-add", "32-bit integer add, subtract, compare, min, max")                 \
    X(WW_FU_INT_MUL, "int-mul", "32-bit integer multiply or multiply-add")                         \
    X(WW_FU_FP16_ADD, "fp16-add", "half-precision add")                                            \
    X(WW_FU_FP16_MUL, "fp16-mul", "half-precision multiply")                                       \
    X(WW_FU_FP16_FMA, "fp16-fma", "half-precision fused multiply-add")                             \
    X(WW_FU_FP32_ADD, "fp32-add", "single-precision add, compare, min, max")                       \
    X(WW_FU_FP32_MUL, "fp32-mul", "single-precision multiply")                                     \
    X(WW_FU_FP32_FMA, "fp32-fma", "single-precision fused multiply-add")                           \
    X(WW_FU_FP64_ADD, "fp64-add", "double-precision add, compare, min, max")                       \
    X(WW_FU_FP64_MUL, "fp64-mul", "double-precision multiply")                                     \
    X(WW_FU_FP64_FMA, "fp64-fma", "double-precision fused multiply-add")                           \
    X(WW_FU_CVT, "cvt", "conversion between formats")                                              \
    X(WW_FU_SFU, "sfu", "reciprocal, root, sine, cosine, exp2, log2 by quadratic interpolation")   \
    X(WW_FU_TENSOR_FP16, "tensor-fp16", "one multiply-add of a half-precision matrix unit")        \
    X(WW_FU_TENSOR_BF16, "tensor-bf16", "the same, BF16")                                          \
    X(WW_FU_TENSOR_TF32, "tensor-tf32", "the same, TF32")                                          \
    X(WW_FU_TENSOR_FP8, "tensor-fp8", "the same, FP8")                                             \
    X(WW_FU_TENSOR_FP64, "tensor-fp64", "the same, FP64")                                          \
    X(WW_FU_TENSOR_INT8, "tensor-int8", "the same, 8-bit integer")                                 \
    X(WW_FU_TENSOR_INT4, "tensor-int4", "the same, 4-bit integer")                                 \
    X(WW_FU_TENSOR_BIT, "tensor-bit", "the same, single-bit")

typedef enum ww_fu_op {
#define X(id, name, doc) id,
    WW_FU_OPS(X)
#undef X
        WW_FU_OP_COUNT
} ww_fu_op;

/* What an energy includes. */
typedef enum ww_fu_scope {
    WW_FU_DATAPATH, /* the arithmetic alone (synthesis and test-chip figures) */
    WW_FU_LANE, /* what a GPU's power rises by per lane operation: datapath, its pipeline registers,
                   bypass and clock */
    WW_FU_SCOPES
} ww_fu_scope;

typedef struct ww_fu_cost {
    double energy_j;    /* one scalar operation */
    double leak_w;      /* one lane's unit */
    double area_m2;     /* one lane's unit */
    const char *source; /* of the anchor; borrowed from the table */
} ww_fu_cost;

typedef struct ww_fu_table ww_fu_table;

/** Loads configs/tech/fu.xml from the folder. ENOTFOUND, EIO, EPARSE, ESCHEMA. */
WW_NODISCARD ww_status ww_fu_load(const char *dir, ww_fu_table **out, ww_error *err);
/** Releases a table; NULL allowed. */
void ww_fu_destroy(ww_fu_table *table);

/**
 * Cost of one operation at a node. Energy: the anchor nearest in feature size (by their ratio),
 * times the squared ratio of the supplies and the ratio of what a typical gate switches, wires
 * included, at both nodes. Area and leakage: of what the unit is made of (adders, multipliers,
 * shifters, gates), sized for this node; no anchor has a part in them, and `scope` neither.
 */
ww_fu_cost ww_fu_at(const ww_fu_table *table, const ww_node *node, ww_fu_op op, ww_fu_scope scope);

/** "int-add", ... */
const char *ww_fu_op_name(ww_fu_op op);

#ifdef __cplusplus
}
#endif
#endif
