/* generate_decoder.c - passes of GPT-2 and OPT as profilers list them (composed attention, no
 * head), and of models of Llama's class, with fused attention and the head.
 *
 * Decoding is the same with one token of each sequence and the context's length in the attention.
 */
#include "inference/builder.h"

/* Tokens per sequence of a pass, and the positions that they see. */
typedef struct lengths {
    uint64_t queries, context;
} lengths;

static lengths lengths_of(const ww_model_request *r)
{
    return r->phase == WW_PHASE_DECODE ? (lengths){1, r->sequence + 1}
                                       : (lengths){r->sequence, r->sequence};
}

void ww__generate_gpt2(ww__pass_builder *b)
{
    const uint64_t L = b->model->layers, H = b->model->hidden, d = b->model->head;
    const uint64_t F = b->model->inner, bh = b->request->batch * b->model->heads;
    const lengths s = lengths_of(b->request);
    const uint64_t T = b->request->batch * s.queries, scores = bh * s.queries * s.context;
    ww__put_pointwise(b, WW_POINTWISE_ADD, T * H, 1 + 2 * L);
    ww__put_rows(b, WW_OPERATOR_LAYERNORM, b->request->number, T, H, 1 + 2 * L);
    ww__put_gemm(b, 1, T, 3 * H, H, L);
    ww__put_gemm(b, bh, s.queries, s.context, d, L);
    ww__put_pointwise(b, WW_POINTWISE_UNSPECIFIED_TENSOR, scores, L);
    ww__put_rows(b, WW_OPERATOR_SOFTMAX, b->request->number, bh * s.queries, s.context, L);
    ww__put_gemm(b, bh, s.queries, d, s.context, L);
    ww__put_gemm(b, 1, T, H, H, L);
    ww__put_gemm(b, 1, T, F, H, L);
    ww__put_pointwise(b, WW_POINTWISE_SCALAR_MUL, T * F, 4 * L);
    ww__put_pointwise(b, WW_POINTWISE_UNSPECIFIED_SCALAR, T * F, L);
    ww__put_pointwise(b, WW_POINTWISE_ADD, T * F, L);
    ww__put_pointwise(b, WW_POINTWISE_TANH, T * F, L);
    ww__put_pointwise(b, WW_POINTWISE_MUL, T * F, L);
    ww__put_gemm(b, 1, T, H, F, L);
    ww__put_copies(b, true, T * H, L);
    /* One listed operator stands for the mask and the division. */
    ww__put_inside(b, WW_POINTWISE_DIVIDE_TENSOR, scores, L);
}

void ww__generate_opt(ww__pass_builder *b)
{
    const uint64_t L = b->model->layers, H = b->model->hidden, d = b->model->head;
    const uint64_t F = b->model->inner, bh = b->request->batch * b->model->heads;
    const lengths s = lengths_of(b->request);
    const uint64_t T = b->request->batch * s.queries;
    const uint64_t mask = b->request->batch * s.queries * s.context,
                   scores = mask * b->model->heads;
    /* The mask is made in 32 bits, whatever the model is in. */
    ww__put_pointwise_in(b, WW_POINTWISE_ADD, WW_NUMBER_FP32, mask, 1);
    ww__put_pointwise_in(b, WW_POINTWISE_MUL, WW_NUMBER_FP32, T, 1);
    ww__put_pointwise(b, WW_POINTWISE_ADD, T * H, 1 + 2 * L);
    ww__put_rows(b, WW_OPERATOR_LAYERNORM, b->request->number, T, H, 1 + 2 * L);
    ww__put_gemm(b, 1, H, T, H, 4 * L);
    ww__put_pointwise(b, WW_POINTWISE_SCALAR_MUL, T * H, L);
    ww__put_gemm(b, bh, s.queries, s.context, d, L);
    ww__put_pointwise(b, WW_POINTWISE_ADD, scores, L);
    ww__put_wide_softmax(b, true, bh * s.queries, s.context, L);
    ww__put_gemm(b, bh, s.queries, d, s.context, L);
    ww__put_gemm(b, 1, F, T, H, L);
    ww__put_pointwise(b, WW_POINTWISE_RELU, T * F, L);
    ww__put_gemm(b, 1, H, T, F, L);
    ww__put_copies(b, false, T * H, L);
}

/* ---- Llama's class ---- */

/* Tokens that the experts share out: each token goes to the chosen ones. An expert that no token
 * chose is not read; with T tokens that choose at random E (1 - (1 - k/E)^T) experts are. */
static uint64_t experts_used(const ww_model *m, uint64_t tokens)
{
    double missed = 1;
    for (uint64_t t = 0; t < tokens && missed > 1e-9; t++) {
        missed *= 1 - (double)m->chosen / m->experts;
    }
    uint64_t used = (uint64_t)(m->experts * (1 - missed) + 0.5);
    return used < m->chosen ? m->chosen : used;
}

static void put_mlp(ww__pass_builder *b, uint64_t tokens, uint64_t count)
{
    const uint64_t H = b->model->hidden, F = b->model->inner;
    ww__put_gemm(b, 1, tokens, 2 * F, H, count);
    ww__put_pointwise(b, WW_POINTWISE_SILU_MUL, tokens * F, count);
    ww__put_gemm(b, 1, tokens, H, F, count);
}

/* Experts share the tokens evenly, the first ones taking those left over. */
static void put_experts(ww__pass_builder *b, uint64_t tokens, uint64_t count)
{
    const ww_model *m = b->model;
    const uint64_t used = experts_used(m, tokens), rows = tokens * m->chosen;
    ww__put_gemm(b, 1, tokens, m->experts, m->hidden, count);
    ww__put_rows(b, WW_OPERATOR_SOFTMAX, b->request->number, tokens, m->experts, count);
    put_mlp(b, rows / used + 1, count * (rows % used));
    if (rows / used > 0) {
        put_mlp(b, rows / used, count * (used - rows % used));
    }
    ww__put_pointwise(b, WW_POINTWISE_ADD, tokens * m->hidden, count * (m->chosen - 1));
}

void ww__generate_llama(ww__pass_builder *b)
{
    const ww_model *m = b->model;
    const uint64_t L = m->layers, H = m->hidden, d = m->head, sequences = b->request->batch;
    const lengths s = lengths_of(b->request);
    const uint64_t T = sequences * s.queries;
    ww__put_rows(b, WW_OPERATOR_EMBEDDING, b->request->number, T, H, 1);
    ww__put_rows(b, WW_OPERATOR_RMSNORM, b->request->number, T, H, 2 * L);
    ww__put_gemm(b, 1, T, (m->heads + UINT64_C(2) * m->kv_heads) * d, H, L);
    ww__put_rows(b, WW_OPERATOR_ROTARY, b->request->number, T * (m->heads + (uint64_t)m->kv_heads),
                 d, L);
    ww__put_attention(b, s.queries, s.context, L);
    ww__put_gemm(b, 1, T, H, m->heads * d, L);
    ww__put_pointwise(b, WW_POINTWISE_ADD, T * H, 2 * L);
    if (m->experts > 0) {
        put_experts(b, T, L);
    } else {
        put_mlp(b, T, L);
    }
    /* Only the last token of a sequence is asked for the next one. */
    ww__put_rows(b, WW_OPERATOR_RMSNORM, b->request->number, sequences, H, 1);
    ww__put_gemm(b, 1, sequences, m->vocabulary, H, 1);
}
