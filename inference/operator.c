/* operator.c - names, checks and sizes of operators. */
#include "inference/operator.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/suggest.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static const char *const kind_names[] = {
#define X(id, name, sizes) name,
    WW_OPERATOR_KINDS(X)
#undef X
};

static const char *const pointwise_names[] = {
#define X(id, name, operands, flops) name,
    WW_POINTWISE_KINDS(X)
#undef X
};

static const char *const number_names[] = {
#define X(id, name, bytes) name,
    WW_NUMBERS(X)
#undef X
};

const char *ww_operator_kind_name(ww_operator_kind kind)
{
    return kind_names[kind];
}

const char *ww_pointwise_name(ww_pointwise pointwise)
{
    return pointwise_names[pointwise];
}

const char *ww_number_name(ww_number number)
{
    return number_names[number];
}

unsigned ww_number_bytes(ww_number number)
{
    static const unsigned char bytes[] = {
#define X(id, name, size) size,
        WW_NUMBERS(X)
#undef X
    };
    return bytes[number];
}

unsigned ww_pointwise_operands(ww_pointwise pointwise)
{
    static const unsigned char operands[] = {
#define X(id, name, n, flops) n,
        WW_POINTWISE_KINDS(X)
#undef X
    };
    return operands[pointwise];
}

static double pointwise_flops(ww_pointwise pointwise)
{
    static const unsigned char flops[] = {
#define X(id, name, operands, n) n,
        WW_POINTWISE_KINDS(X)
#undef X
    };
    return flops[pointwise];
}

ww_number ww_pointwise_result(const ww_operator *op)
{
    switch (op->pointwise) {
    case WW_POINTWISE_TO_FP32:
        return WW_NUMBER_FP32;
    case WW_POINTWISE_TO_BF16:
        return WW_NUMBER_BF16;
    default:
        return op->number;
    }
}

static ww_status find(const char *const *names, size_t count, const char *what, const char *name,
                      size_t *out, ww_error *err)
{
    char hint[128];
    ww_suggest suggest;
    ww_suggest_init(&suggest, name);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            *out = i;
            return WW_OK;
        }
        ww_suggest_offer(&suggest, names[i]);
    }
    return ww_fail(err, WW_ENOTFOUND, "there is no %s '%s'%s", what, name,
                   ww_suggest_text(&suggest, hint, sizeof hint));
}

ww_status ww_operator_kind_parse(const char *name, ww_operator_kind *out, ww_error *err)
{
    size_t i = 0;
    WW_TRY(find(kind_names, COUNT(kind_names), "operator", name, &i, err));
    *out = (ww_operator_kind)i;
    return WW_OK;
}

ww_status ww_pointwise_parse(const char *name, ww_pointwise *out, ww_error *err)
{
    size_t i = 0;
    WW_TRY(find(pointwise_names, COUNT(pointwise_names), "elementwise kind", name, &i, err));
    *out = (ww_pointwise)i;
    return WW_OK;
}

ww_status ww_number_parse(const char *name, ww_number *out, ww_error *err)
{
    size_t i = 0;
    WW_TRY(find(number_names, COUNT(number_names), "precision", name, &i, err));
    *out = (ww_number)i;
    return WW_OK;
}

uint64_t ww_conv_output(const ww_conv_shape *conv)
{
    uint64_t padded = conv->hw + 2 * conv->padding;
    return padded < conv->rs ? 0 : (padded - conv->rs) / conv->stride + 1;
}

/* ---- checks ---- */

/* Which of batch, m, n, k a kind has. */
static const bool has_size[WW_OPERATOR_KIND_COUNT][4] = {
    [WW_OPERATOR_GEMM] = {true, true, true, true},
    [WW_OPERATOR_CONV2D] = {true, true, true, true},
    [WW_OPERATOR_SOFTMAX] = {true, true, false, false},
    [WW_OPERATOR_LAYERNORM] = {true, true, false, false},
    [WW_OPERATOR_RMSNORM] = {true, true, false, false},
    [WW_OPERATOR_ELEMENTWISE] = {false, true, false, false},
    [WW_OPERATOR_ROTARY] = {true, true, false, false},
    [WW_OPERATOR_ATTENTION] = {true, true, true, true},
    [WW_OPERATOR_EMBEDDING] = {true, true, false, false},
};

static ww_status check_size(const char *name, uint64_t value, bool wanted, ww_error *err)
{
    if (wanted && value == 0) {
        return ww_fail(err, WW_ERANGE, "%s is missing or 0", name);
    }
    if (!wanted && value != 0) {
        return ww_fail(err, WW_ERANGE, "%s is given, but this operator has none", name);
    }
    if (value > WW_OPERATOR_MOST_SIZE) {
        return ww_fail(err, WW_ERANGE, "%s is %" PRIu64 ", more than 2^40", name, value);
    }
    return WW_OK;
}

static ww_status check_conv(const ww_operator *op, ww_error *err)
{
    const ww_conv_shape *c = &op->conv;
    const uint64_t most = 1u << 20;
    if (c->b == 0 || c->c == 0 || c->hw == 0 || c->m == 0 || c->rs == 0 || c->stride == 0 ||
        c->b > most || c->c > most || c->hw > most || c->m > most || c->rs > most ||
        c->stride > most || c->padding > most) {
        return ww_fail(err, WW_ERANGE,
                       "a convolution needs b, c, hw, m, rs and stride from 1 to 2^20");
    }
    if (c->groups == 0 || c->c % c->groups != 0 || c->m % c->groups != 0) {
        return ww_fail(err, WW_ERANGE, "%" PRIu64 " groups do not divide the channels", c->groups);
    }
    uint64_t out = ww_conv_output(c);
    if (out == 0) {
        return ww_fail(err, WW_ERANGE, "the window is larger than the padded input");
    }
    if (op->batch != 1 || op->m != c->b * out * out || op->n != c->m ||
        op->k != c->c * c->rs * c->rs) {
        return ww_fail(err, WW_ERANGE,
                       "sizes contradict the geometry: expected 1, %" PRIu64 ", %" PRIu64
                       ", %" PRIu64,
                       c->b * out * out, c->m, c->c * c->rs * c->rs);
    }
    return WW_OK;
}

static ww_status check_attention(const ww_operator *op, ww_error *err)
{
    const ww_attention_shape *a = &op->attention;
    if (a->heads == 0 || a->kv_heads == 0 || a->heads > 1u << 20 || a->heads % a->kv_heads != 0) {
        return ww_fail(err, WW_ERANGE, "attention needs heads, a multiple of kv_heads, up to 2^20");
    }
    return WW_OK;
}

ww_status ww_operator_check(const ww_operator *op, ww_error *err)
{
    const bool *has = has_size[op->kind];
    WW_TRY(check_size("batch_or_rows", op->batch, has[0], err));
    WW_TRY(check_size("m_or_dim", op->m, has[1], err));
    WW_TRY(check_size("n", op->n, has[2], err));
    WW_TRY(check_size("k", op->k, has[3], err));
    if (op->count == 0 || op->count > 1000000) {
        return ww_fail(err, WW_ERANGE, "count must be from 1 to 1000000");
    }
    if (op->kind == WW_OPERATOR_CONV2D) {
        WW_TRY(check_conv(op, err));
    }
    if (op->kind == WW_OPERATOR_ATTENTION) {
        WW_TRY(check_attention(op, err));
    }
    double work = ww_operator_flops(op) + ww_operator_bytes(op);
    if (work * (double)op->count > (double)WW_OPERATOR_MOST_WORK) {
        return ww_fail(err, WW_ERANGE, "more than 2^56 operations and bytes");
    }
    return WW_OK;
}

/* ---- sizes ---- */

double ww_operator_flops(const ww_operator *op)
{
    const double batch = (double)op->batch, m = (double)op->m, n = (double)op->n, k = (double)op->k;
    switch (op->kind) {
    case WW_OPERATOR_GEMM:
        return 2 * batch * m * n * k;
    case WW_OPERATOR_CONV2D:
        return 2 * m * n * k / (double)op->conv.groups;
    case WW_OPERATOR_SOFTMAX:
    case WW_OPERATOR_LAYERNORM:
        return 5 * batch * m;
    case WW_OPERATOR_RMSNORM:
        return 4 * batch * m;
    case WW_OPERATOR_ELEMENTWISE:
        return m * pointwise_flops(op->pointwise);
    case WW_OPERATOR_ROTARY:
        return 3 * batch * m;
    case WW_OPERATOR_ATTENTION: {
        /* The last of m queries sees n positions, the first n - m + 1. */
        double seen = op->attention.causal && n >= m ? n - (m - 1) / 2 : n;
        return 4 * batch * (double)op->attention.heads * m * seen * k;
    }
    case WW_OPERATOR_EMBEDDING:
    case WW_OPERATOR_KIND_COUNT:
        break;
    }
    return 0;
}

double ww_operator_bytes(const ww_operator *op)
{
    const double size = ww_number_bytes(op->number);
    const double batch = (double)op->batch, m = (double)op->m, n = (double)op->n, k = (double)op->k;
    const ww_conv_shape *c = &op->conv;
    switch (op->kind) {
    case WW_OPERATOR_GEMM:
        return size * batch * (m * k + k * n + m * n);
    case WW_OPERATOR_CONV2D:
        return size * ((double)c->b * (double)c->c * (double)c->hw * (double)c->hw +
                       n * k / (double)c->groups + m * n);
    case WW_OPERATOR_SOFTMAX:
    case WW_OPERATOR_RMSNORM:
        return 2 * size * batch * m;
    case WW_OPERATOR_LAYERNORM:
        return 2 * size * batch * m + 8 * batch; /* mean and scale of each row are kept */
    case WW_OPERATOR_ELEMENTWISE:
        return m * (size * ww_pointwise_operands(op->pointwise) +
                    ww_number_bytes(ww_pointwise_result(op)));
    case WW_OPERATOR_ROTARY:
    case WW_OPERATOR_EMBEDDING:
        return 2 * size * batch * m;
    case WW_OPERATOR_ATTENTION:
        return size * batch * k *
               (2 * (double)op->attention.heads * m + 2 * (double)op->attention.kv_heads * n);
    case WW_OPERATOR_KIND_COUNT:
        break;
    }
    return 0;
}

static bool same_conv(const ww_conv_shape *a, const ww_conv_shape *b)
{
    return a->b == b->b && a->c == b->c && a->hw == b->hw && a->m == b->m &&
           a->padding == b->padding && a->rs == b->rs && a->stride == b->stride &&
           a->groups == b->groups;
}

bool ww_operator_same(const ww_operator *a, const ww_operator *b)
{
    return a->kind == b->kind && a->pointwise == b->pointwise && a->number == b->number &&
           a->tensor == b->tensor && a->batch == b->batch && a->m == b->m && a->n == b->n &&
           a->k == b->k && same_conv(&a->conv, &b->conv) &&
           a->attention.heads == b->attention.heads &&
           a->attention.kv_heads == b->attention.kv_heads &&
           a->attention.causal == b->attention.causal;
}

void ww_operator_describe(const ww_operator *op, ww_str *out)
{
    ww_str_add(out, op->kind == WW_OPERATOR_ELEMENTWISE ? ww_pointwise_name(op->pointwise)
                                                        : ww_operator_kind_name(op->kind));
    const uint64_t sizes[] = {op->batch, op->m, op->n, op->k};
    const char *between = " ";
    for (size_t i = 0; i < COUNT(sizes); i++) {
        if (has_size[op->kind][i]) {
            ww_str_addf(out, "%s%" PRIu64, between, sizes[i]);
            between = "x";
        }
    }
    if (op->kind == WW_OPERATOR_CONV2D) {
        ww_str_addf(out, " %" PRIu64 "x%" PRIu64 "/%" PRIu64 "%s", op->conv.rs, op->conv.rs,
                    op->conv.stride, op->conv.groups > 1 ? " depthwise" : "");
    }
    ww_str_addf(out, " %s", ww_number_name(op->number));
}
