/* models.h - models known by name, and the operators of their passes made from their shapes.
 * Depends on: base. */
#ifndef WW_INFERENCE_MODELS_H
#define WW_INFERENCE_MODELS_H

#include "inference/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a family's layers are built: decides which operators a pass has. */
typedef enum ww_model_family {
    WW_MODEL_BERT,
    WW_MODEL_GPT2,
    WW_MODEL_OPT,
    WW_MODEL_VIT,
    WW_MODEL_RESNET,
    WW_MODEL_MOBILEVIT,
    WW_MODEL_LLAMA, /* mixtures of experts, too */
} ww_model_family;

typedef struct ww_model {
    const char *name;   /* "gpt2" */
    const char *listed; /* what the measured passes call it; NULL: there are none */
    ww_model_family family;
    uint32_t layers, hidden, heads, kv_heads, head, inner; /* widths; 0: the family has none */
    uint32_t vocabulary, positions;
    uint32_t experts, chosen; /* 0: no mixture */
    bool tied_head;
    uint64_t parameters, active; /* exact; active: without experts not chosen */
} ww_model;

/** All models, in the order of `warpwatt list models`. */
const ww_model *ww_models(size_t *count);
/** By either name; ENOTFOUND with a suggestion. */
WW_NODISCARD ww_status ww_model_find(const char *name, const ww_model **out, ww_error *err);
/** "bert", "decoder, llama class", … */
const char *ww_model_family_name(ww_model_family family);
/** Bytes of keys and values that one token of a sequence leaves; 0: it keeps none. */
uint64_t ww_model_cache_bytes(const ww_model *model, ww_number number);
/** Whether passes of it have a sequence of tokens: else it takes images. */
bool ww_model_has_sequence(const ww_model *model);

typedef enum ww_phase {
    WW_PHASE_PREFILL, /* all tokens of the sequence at once */
    WW_PHASE_DECODE,  /* one more token of each, behind `sequence` of them */
} ww_phase;

/** "prefill", "decode"; EUSAGE. */
WW_NODISCARD ww_status ww_phase_parse(const char *text, ww_phase *out, ww_error *err);

typedef struct ww_model_request {
    uint64_t batch, sequence; /* sequence 0: images */
    ww_number number;         /* WW_NUMBER_BF16, FP16 or FP32 */
    ww_phase phase;
    bool beyond; /* allow a sequence beyond the model's positions */
    bool extras; /* also what eager PyTorch runs and profilers' tables omit: copies of queries,
                    keys, values and the result of attention, GPT-2's scaling of scores, ResNet's
                    additions */
} ww_model_request;

/**
 * The operators of one forward pass. BERT, GPT-2, OPT, ViT, ResNet-101 and MobileViT come as a
 * profiler lists eager PyTorch (no residual additions, norms or pools of ResNet, no head of GPT-2
 * and OPT); Llama-class models with fused attention and the head.
 * @source operators of Lee et al., ISPASS 2026, artifact (tests/validation/inference)
 * @error ERANGE (batch or sequence 0, a sequence where there is none, beyond the positions), EUNSUP
 * (a phase or precision that the family has not)
 */
WW_NODISCARD ww_status ww_model_generate(const ww_model *model, const ww_model_request *request,
                                         ww_graph *out, ww_error *err);

/** In passes of MobileViT, whose depthwise convolutions profilers list as dense, gives those their
 * groups; nothing in others. */
void ww_model_mark_depthwise(const char *model, ww_operator *op);
/** Fills weight_bytes of a pass whose model is known. */
void ww_model_label(ww_graph *graph);

#ifdef __cplusplus
}
#endif
#endif
