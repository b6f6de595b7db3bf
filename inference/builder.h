/* builder.h - what the generators of passes share; private to inference/. */
#ifndef WW_INFERENCE_BUILDER_H
#define WW_INFERENCE_BUILDER_H

#include "inference/models.h"

/* A pass being made. The first failure stays; later additions do nothing. */
typedef struct ww__pass_builder {
    const ww_model *model;
    const ww_model_request *request;
    ww_graph *graph;
    ww_status status;
    ww_error *err;
} ww__pass_builder;

void ww__put_gemm(ww__pass_builder *b, uint64_t batch, uint64_t m, uint64_t n, uint64_t k,
                  uint64_t count);
void ww__put_rows(ww__pass_builder *b, ww_operator_kind kind, ww_number number, uint64_t rows,
                  uint64_t length, uint64_t count);
/* In the pass's precision. */
void ww__put_pointwise(ww__pass_builder *b, ww_pointwise kind, uint64_t elements, uint64_t count);
void ww__put_pointwise_in(ww__pass_builder *b, ww_pointwise kind, ww_number number,
                          uint64_t elements, uint64_t count);
/* What eager PyTorch launches beside the operators that profilers list, nothing without extras: by
 * calls of their own, such as norms behind convolutions, or inside the call of another. */
void ww__put_extra(ww__pass_builder *b, ww_pointwise kind, uint64_t elements, uint64_t count);
void ww__put_inside(ww__pass_builder *b, ww_pointwise kind, uint64_t elements, uint64_t count);
/* Square images and windows; m channels out. A depthwise one has as many groups as channels. */
void ww__put_conv(ww__pass_builder *b, uint64_t images, uint64_t channels, uint64_t hw, uint64_t m,
                  uint64_t padding, uint64_t rs, uint64_t stride);
/* Scores of s by s in fp32: cast, softmax, cast; in fp32 passes the softmax alone. */
void ww__put_wide_softmax(ww__pass_builder *b, bool casts_first, uint64_t rows, uint64_t length,
                          uint64_t count);
/* What composed attention copies: queries, keys, values and its result, once a layer each; keys
 * turned for the product, unless the model multiplies by them as they lie. Nothing without extras.
 */
void ww__put_copies(ww__pass_builder *b, bool keys_turned, uint64_t elements, uint64_t layers);
void ww__put_attention(ww__pass_builder *b, uint64_t queries, uint64_t context, uint64_t count);

/* ---- a file per kind of model ---- */
void ww__generate_bert(ww__pass_builder *b);
void ww__generate_gpt2(ww__pass_builder *b);
void ww__generate_opt(ww__pass_builder *b);
void ww__generate_vit(ww__pass_builder *b);
void ww__generate_resnet(ww__pass_builder *b);
void ww__generate_mobilevit(ww__pass_builder *b);
void ww__generate_llama(ww__pass_builder *b);

#endif
