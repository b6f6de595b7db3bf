/* builder.c - makes a pass from a model and a request: what the families share. */
#include "inference/builder.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void put(ww__pass_builder *b, const ww_operator *op)
{
    if (b->status == WW_OK && op->count > 0) {
        b->status = ww_graph_add(b->graph, op, b->err);
    }
}

void ww__put_gemm(ww__pass_builder *b, uint64_t batch, uint64_t m, uint64_t n, uint64_t k,
                  uint64_t count)
{
    /* PyTorch multiplies matrices of 32 bits without TF32 unless told to. */
    put(b, &(ww_operator){.kind = WW_OPERATOR_GEMM,
                          .number = b->request->number,
                          .tensor = b->request->number != WW_NUMBER_FP32,
                          .batch = batch,
                          .m = m,
                          .n = n,
                          .k = k,
                          .count = count});
}

void ww__put_rows(ww__pass_builder *b, ww_operator_kind kind, ww_number number, uint64_t rows,
                  uint64_t length, uint64_t count)
{
    put(b,
        &(ww_operator){.kind = kind, .number = number, .batch = rows, .m = length, .count = count});
}

/* extra: of the count, those inside another operator's call. */
static void put_elementwise(ww__pass_builder *b, ww_pointwise kind, ww_number number,
                            uint64_t elements, uint64_t count, uint64_t extra)
{
    put(b, &(ww_operator){.kind = WW_OPERATOR_ELEMENTWISE,
                          .pointwise = kind,
                          .number = number,
                          .m = elements,
                          .count = count,
                          .extra = extra});
}

void ww__put_pointwise_in(ww__pass_builder *b, ww_pointwise kind, ww_number number,
                          uint64_t elements, uint64_t count)
{
    put_elementwise(b, kind, number, elements, count, 0);
}

void ww__put_pointwise(ww__pass_builder *b, ww_pointwise kind, uint64_t elements, uint64_t count)
{
    ww__put_pointwise_in(b, kind, b->request->number, elements, count);
}

void ww__put_extra(ww__pass_builder *b, ww_pointwise kind, uint64_t elements, uint64_t count)
{
    if (b->request->extras) {
        ww__put_pointwise(b, kind, elements, count);
    }
}

void ww__put_inside(ww__pass_builder *b, ww_pointwise kind, uint64_t elements, uint64_t count)
{
    if (b->request->extras) {
        put_elementwise(b, kind, b->request->number, elements, count, count);
    }
}

void ww__put_conv(ww__pass_builder *b, uint64_t images, uint64_t channels, uint64_t hw, uint64_t m,
                  uint64_t padding, uint64_t rs, uint64_t stride)
{
    /* Convolutions of 32 bits: cuDNN takes TF32 unless told not to. */
    bool wide = b->request->number == WW_NUMBER_FP32;
    ww_operator op = {.kind = WW_OPERATOR_CONV2D,
                      .number = wide ? WW_NUMBER_TF32 : b->request->number,
                      .tensor = true,
                      .batch = 1,
                      .n = m,
                      .k = channels * rs * rs,
                      .conv = {images, channels, hw, m, padding, rs, stride, 1},
                      .count = 1};
    uint64_t out = ww_conv_output(&op.conv);
    op.m = images * out * out;
    ww_model_mark_depthwise(b->model->name, &op);
    put(b, &op);
}

void ww__put_wide_softmax(ww__pass_builder *b, bool casts_first, uint64_t rows, uint64_t length,
                          uint64_t count)
{
    const ww_number number = b->request->number;
    const uint64_t casts = number == WW_NUMBER_FP32 ? 0 : count;
    for (int turn = 0; turn < 2; turn++) {
        if ((turn == 0) == casts_first) {
            ww__put_pointwise_in(b, WW_POINTWISE_TO_FP32, number, rows * length, casts);
            ww__put_pointwise_in(b, WW_POINTWISE_TO_BF16, WW_NUMBER_FP32, rows * length, casts);
        } else {
            ww__put_rows(b, WW_OPERATOR_SOFTMAX, WW_NUMBER_FP32, rows, length, count);
        }
    }
}

void ww__put_copies(ww__pass_builder *b, bool keys_turned, uint64_t elements, uint64_t layers)
{
    const uint64_t turned = keys_turned ? layers : 0;
    ww__put_inside(b, WW_POINTWISE_TRANSPOSE, elements, 4 * layers - turned);
    ww__put_inside(b, WW_POINTWISE_TRANSPOSE_KEYS, elements, turned);
}

void ww__put_attention(ww__pass_builder *b, uint64_t queries, uint64_t context, uint64_t count)
{
    put(b, &(ww_operator){.kind = WW_OPERATOR_ATTENTION,
                          .number = b->request->number,
                          .tensor = b->request->number != WW_NUMBER_FP32,
                          .batch = b->request->batch,
                          .m = queries,
                          .n = context,
                          .k = b->model->head,
                          .attention = {b->model->heads, b->model->kv_heads, true},
                          .count = count});
}

/* ---- requests ---- */

static ww_status check_sequence(const ww_model *model, const ww_model_request *r, ww_error *err)
{
    if (!ww_model_has_sequence(model)) {
        return r->sequence == 0
                   ? WW_OK
                   : ww_fail(err, WW_ERANGE, "%s takes images: it has no sequence", model->name);
    }
    if (r->sequence == 0 || r->sequence > 1u << 24) {
        return ww_fail(err, WW_ERANGE, "%s needs a sequence from 1 to 2^24", model->name);
    }
    uint64_t last = r->sequence + (r->phase == WW_PHASE_DECODE);
    if (last > model->positions && !r->beyond) {
        return ww_fail(err, WW_ERANGE,
                       "%s has %" PRIu32 " positions, fewer than %" PRIu64
                       "; --long goes on regardless",
                       model->name, model->positions, last);
    }
    return WW_OK;
}

static ww_status check_request(const ww_model *model, const ww_model_request *r, ww_error *err)
{
    if (r->batch == 0 || r->batch > 1u << 20) {
        return ww_fail(err, WW_ERANGE, "the batch must be from 1 to 2^20");
    }
    if (r->number != WW_NUMBER_BF16 && r->number != WW_NUMBER_FP16 && r->number != WW_NUMBER_FP32) {
        return ww_fail(err, WW_EUNSUP, "passes are made in bf16, fp16 or fp32");
    }
    if (r->phase == WW_PHASE_DECODE &&
        (model->family == WW_MODEL_BERT || !ww_model_has_sequence(model))) {
        return ww_fail(err, WW_EUNSUP, "%s does not decode", model->name);
    }
    return check_sequence(model, r, err);
}

static void label(const ww_model *model, const ww_model_request *r, ww_graph *graph)
{
    snprintf(graph->model, sizeof graph->model, "%s",
             model->listed != NULL ? model->listed : model->name);
    snprintf(graph->precision, sizeof graph->precision, "%s", ww_number_name(r->number));
    snprintf(graph->phase, sizeof graph->phase, "%s",
             r->phase == WW_PHASE_DECODE ? "decode" : "prefill");
    graph->batch = r->batch;
    graph->sequence = r->sequence;
    ww_model_label(graph);
    if (r->phase == WW_PHASE_DECODE) {
        graph->cache_bytes = ww_model_cache_bytes(model, r->number) * r->batch * r->sequence;
    }
}

ww_status ww_model_generate(const ww_model *model, const ww_model_request *request, ww_graph *out,
                            ww_error *err)
{
    static void (*const generators[])(ww__pass_builder *) = {
        [WW_MODEL_BERT] = ww__generate_bert,     [WW_MODEL_GPT2] = ww__generate_gpt2,
        [WW_MODEL_OPT] = ww__generate_opt,       [WW_MODEL_VIT] = ww__generate_vit,
        [WW_MODEL_RESNET] = ww__generate_resnet, [WW_MODEL_MOBILEVIT] = ww__generate_mobilevit,
        [WW_MODEL_LLAMA] = ww__generate_llama,
    };
    WW_TRY(check_request(model, request, err));
    *out = (ww_graph){0};
    label(model, request, out);
    ww__pass_builder b = {.model = model, .request = request, .graph = out, .err = err};
    generators[model->family](&b);
    if (b.status != WW_OK) {
        ww_graph_fini(out);
        ww_error_prefix(err, "%s: ", model->name);
    }
    return b.status;
}
