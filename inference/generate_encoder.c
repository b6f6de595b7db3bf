/* generate_encoder.c - passes of BERT and ViT as profilers list them, with composed attention. */
#include "inference/builder.h"

void ww__generate_bert(ww__pass_builder *b)
{
    const uint64_t L = b->model->layers, H = b->model->hidden, h = b->model->heads;
    const uint64_t d = b->model->head, F = b->model->inner;
    const uint64_t s = b->request->sequence, T = b->request->batch * s, bh = b->request->batch * h;
    ww__put_pointwise(b, WW_POINTWISE_ADD, T * H, 1 + 2 * L);
    ww__put_rows(b, WW_OPERATOR_LAYERNORM, b->request->number, T, H, 1 + 2 * L);
    ww__put_pointwise(b, WW_POINTWISE_SCALAR_MUL, T, 1);
    ww__put_gemm(b, 1, H, T, H, 4 * L);
    ww__put_gemm(b, bh, s, s, d, L);
    ww__put_pointwise(b, WW_POINTWISE_UNSPECIFIED_SCALAR, bh * s * s, L);
    ww__put_pointwise(b, WW_POINTWISE_ADD, bh * s * s, L);
    ww__put_rows(b, WW_OPERATOR_SOFTMAX, b->request->number, bh * s, s, L);
    ww__put_gemm(b, bh, s, d, s, L);
    ww__put_gemm(b, 1, F, T, H, L);
    ww__put_pointwise(b, WW_POINTWISE_GELU, T * F, L);
    ww__put_gemm(b, 1, H, T, F, L);
    ww__put_gemm(b, 1, H, b->request->batch, H, 1);
    ww__put_pointwise(b, WW_POINTWISE_TANH, b->request->batch * H, 1);
    ww__put_copies(b, true, T * H, L);
}

void ww__generate_vit(ww__pass_builder *b)
{
    /* The pooler keeps the width of the base model, whatever the model's own. */
    enum { IMAGE = 224, PATCH = 16, TOKENS = 197, POOLER = 768 };
    const uint64_t L = b->model->layers, H = b->model->hidden, h = b->model->heads;
    const uint64_t d = b->model->head, F = b->model->inner, images = b->request->batch;
    const uint64_t s = TOKENS, T = images * s, bh = images * h;
    ww__put_conv(b, images, 3, IMAGE, H, 0, PATCH, PATCH);
    ww__put_pointwise(b, WW_POINTWISE_SCALAR_ADD, T * H, 1);
    ww__put_rows(b, WW_OPERATOR_LAYERNORM, b->request->number, T, H, 1 + 2 * L);
    ww__put_gemm(b, 1, H, T, H, 4 * L);
    ww__put_gemm(b, bh, s, s, d, L);
    ww__put_pointwise(b, WW_POINTWISE_SCALAR_MUL, bh * s * s, L);
    ww__put_wide_softmax(b, false, bh * s, s, L);
    ww__put_gemm(b, bh, s, d, s, L);
    ww__put_pointwise(b, WW_POINTWISE_ADD, T * H, 2 * L);
    ww__put_gemm(b, 1, F, T, H, L);
    ww__put_pointwise(b, WW_POINTWISE_GELU, T * F, L);
    ww__put_gemm(b, 1, H, T, F, L);
    ww__put_gemm(b, 1, POOLER, images, H, 1);
    ww__put_pointwise(b, WW_POINTWISE_TANH, images * POOLER, 1);
    ww__put_copies(b, true, T * H, L);
}
