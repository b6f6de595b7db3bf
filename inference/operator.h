/* operator.h - one operator of a model's pass: what it computes, over which shape, in which
 * numbers, how often. Depends on: base. */
#ifndef WW_INFERENCE_OPERATOR_H
#define WW_INFERENCE_OPERATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/str.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(id, name, sizes): kinds of operators and what their sizes batch, m, n, k are. */
#define WW_OPERATOR_KINDS(X)                                                                       \
    X(GEMM, "gemm", "batch products of m x k by k x n")                                            \
    X(CONV2D, "conv2d",                                                                            \
      "batch 1, m = images x output pixels, n = output channels, k = channels x window; the "      \
      "geometry stands in `other`")                                                                \
    X(SOFTMAX, "softmax", "batch = rows, m = length of a row")                                     \
    X(LAYERNORM, "layernorm", "batch = rows, m = length of a row")                                 \
    X(RMSNORM, "rmsnorm", "batch = rows, m = length of a row")                                     \
    X(ELEMENTWISE, "elementwise", "m = elements; the kind says which function")                    \
    X(ROTARY, "rotary", "batch = rows (tokens x heads), m = size of a head")                       \
    X(ATTENTION, "attention",                                                                      \
      "batch = sequences, m = query rows, n = context, k = size of a head; heads in `other`")      \
    X(EMBEDDING, "embedding", "batch = rows looked up, m = width")

typedef enum ww_operator_kind {
#define X(id, name, sizes) WW_OPERATOR_##id,
    WW_OPERATOR_KINDS(X)
#undef X
        WW_OPERATOR_KIND_COUNT
} ww_operator_kind;

/* X(id, name, operands, flops): elementwise functions: tensors read and operations counted per
 * element. The unspecified ones are kernels of which only their operands are known. */
#define WW_POINTWISE_KINDS(X)                                                                      \
    X(ADD, "pointwise_add", 2, 1)                                                                  \
    X(MUL, "pointwise_mul", 2, 1)                                                                  \
    X(SCALAR_ADD, "scalar_add", 1, 1)                                                              \
    X(SCALAR_MUL, "scalar_mul", 1, 1)                                                              \
    X(UNSPECIFIED_SCALAR, "unspecified_scalar", 1, 1)                                              \
    X(UNSPECIFIED_TENSOR, "unspecified_tensor", 2, 1)                                              \
    X(RELU, "relu", 1, 1)                                                                          \
    X(GELU, "gelu", 1, 1)                                                                          \
    X(SILU, "silu", 1, 1)                                                                          \
    X(TANH, "tanh", 1, 1)                                                                          \
    X(SILU_MUL, "silu_mul", 2, 2)                                                                  \
    X(DIVIDE_TENSOR, "divide_tensor", 1, 1)                                                        \
    X(TRANSPOSE, "transpose", 1, 0)                                                                \
    X(TRANSPOSE_KEYS, "transpose_keys", 1, 0)                                                      \
    X(TO_FP32, "typecast_to_fp32", 1, 0)                                                           \
    X(TO_BF16, "typecast_to_bf16", 1, 0)

typedef enum ww_pointwise {
#define X(id, name, operands, flops) WW_POINTWISE_##id,
    WW_POINTWISE_KINDS(X)
#undef X
        WW_POINTWISE_COUNT
} ww_pointwise;

/* X(id, name, bytes): numbers that operands are held in. TF32 is a way to multiply numbers of 32
 * bits. */
#define WW_NUMBERS(X)                                                                              \
    X(BF16, "bf16", 2)                                                                             \
    X(FP16, "fp16", 2)                                                                             \
    X(FP32, "fp32", 4)                                                                             \
    X(TF32, "tf32", 4)                                                                             \
    X(INT8, "int8", 1)                                                                             \
    X(FP8, "fp8", 1)

typedef enum ww_number {
#define X(id, name, bytes) WW_NUMBER_##id,
    WW_NUMBERS(X)
#undef X
        WW_NUMBER_COUNT
} ww_number;

/* Geometry of a convolution, as the key `other` of a table gives it: images, channels in, height
 * and width in, channels out, zeros at each side, height and width of the window, step. */
typedef struct ww_conv_shape {
    uint64_t b, c, hw, m, padding, rs, stride;
    uint64_t groups; /* 1; c: depthwise */
} ww_conv_shape;

typedef struct ww_attention_shape {
    uint64_t heads, kv_heads; /* of queries; of keys and values */
    bool causal;
} ww_attention_shape;

typedef struct ww_operator {
    ww_operator_kind kind;
    ww_pointwise pointwise;  /* of ELEMENTWISE */
    ww_number number;        /* of the operands; of a cast: before it */
    bool tensor;             /* on matrix units */
    uint64_t batch, m, n, k; /* see WW_OPERATOR_KINDS; sizes that a kind has not are 0 */
    ww_conv_shape conv;
    ww_attention_shape attention;
    uint64_t count; /* occurrences in the pass */
    uint64_t extra; /* of them: launched inside the call of an operator that profilers list */
    int line;       /* of the file it was read from; 0: none */
} ww_operator;

/* The largest size of an operator, and the largest product of its sizes: FLOPs and bytes of a pass
 * stay within 64 bits. */
#define WW_OPERATOR_MOST_SIZE (UINT64_C(1) << 40)
#define WW_OPERATOR_MOST_WORK (UINT64_C(1) << 56)

/** "gemm", "pointwise_add", "bf16". */
const char *ww_operator_kind_name(ww_operator_kind kind);
const char *ww_pointwise_name(ww_pointwise pointwise);
const char *ww_number_name(ww_number number);
/** Bytes of one number. */
unsigned ww_number_bytes(ww_number number);
/** Tensors that the function reads. */
unsigned ww_pointwise_operands(ww_pointwise pointwise);
/** Number that the function leaves: other than the operand's after a cast. */
ww_number ww_pointwise_result(const ww_operator *op);

/** Inverse of the names; ENOTFOUND with a suggestion. */
WW_NODISCARD ww_status ww_operator_kind_parse(const char *name, ww_operator_kind *out,
                                              ww_error *err);
WW_NODISCARD ww_status ww_pointwise_parse(const char *name, ww_pointwise *out, ww_error *err);
WW_NODISCARD ww_status ww_number_parse(const char *name, ww_number *out, ww_error *err);

/** Height and width of a convolution's output; 0: the window is larger than the padded input. */
uint64_t ww_conv_output(const ww_conv_shape *conv);

/**
 * Whether one occurrence is a computation that there is.
 * @error ERANGE: a size of 0, one that the kind has not, one above WW_OPERATOR_MOST_SIZE, work
 * above WW_OPERATOR_MOST_WORK, a count of 0, a geometry that contradicts the sizes
 */
WW_NODISCARD ww_status ww_operator_check(const ww_operator *op, ww_error *err);

/** Floating-point (or integer) operations of one occurrence: a multiply-add counts twice. A causal
 * attention counts the half that is needed. */
double ww_operator_flops(const ww_operator *op);
/** Bytes that one occurrence reads and writes when each operand moves once. */
double ww_operator_bytes(const ww_operator *op);
/** Whether two rows differ in nothing but their counts. */
bool ww_operator_same(const ww_operator *a, const ww_operator *b);
/** Appends a short description: "gemm 1x4096x2304x768 bf16". */
void ww_operator_describe(const ww_operator *op, ww_str *out);

#ifdef __cplusplus
}
#endif
#endif
