/* models.c - the table of models. */
#include "inference/models.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/suggest.h"

/* Shapes from the models' published configurations, parameters counted from them; MobileViT's with
 * a head of 1000 classes. */
static const ww_model models[] = {
    {"gpt2", "gpt2model_gpt2", WW_MODEL_GPT2, 12, 768, 12, 12, 64, 3072, 50257, 1024, 0, 0, true,
     UINT64_C(124439808), UINT64_C(124439808)},
    {"gpt2-medium", NULL, WW_MODEL_GPT2, 24, 1024, 16, 16, 64, 4096, 50257, 1024, 0, 0, true,
     UINT64_C(354823168), UINT64_C(354823168)},
    {"gpt2-large", NULL, WW_MODEL_GPT2, 36, 1280, 20, 20, 64, 5120, 50257, 1024, 0, 0, true,
     UINT64_C(774030080), UINT64_C(774030080)},
    {"gpt2-xl", NULL, WW_MODEL_GPT2, 48, 1600, 25, 25, 64, 6400, 50257, 1024, 0, 0, true,
     UINT64_C(1557611200), UINT64_C(1557611200)},
    {"opt-125m", NULL, WW_MODEL_OPT, 12, 768, 12, 12, 64, 3072, 50272, 2048, 0, 0, true,
     UINT64_C(125239296), UINT64_C(125239296)},
    {"opt-1.3b", "optmodel_opt-1p3b", WW_MODEL_OPT, 24, 2048, 32, 32, 64, 8192, 50272, 2048, 0, 0,
     true, UINT64_C(1315758080), UINT64_C(1315758080)},
    {"opt-6.7b", NULL, WW_MODEL_OPT, 32, 4096, 32, 32, 128, 16384, 50272, 2048, 0, 0, true,
     UINT64_C(6658473984), UINT64_C(6658473984)},
    {"bert-base", NULL, WW_MODEL_BERT, 12, 768, 12, 12, 64, 3072, 30522, 512, 0, 0, false,
     UINT64_C(109482240), UINT64_C(109482240)},
    {"bert-large", "bertmodel_large", WW_MODEL_BERT, 24, 1024, 16, 16, 64, 4096, 30522, 512, 0, 0,
     false, UINT64_C(335141888), UINT64_C(335141888)},
    {"vit-b-16", NULL, WW_MODEL_VIT, 12, 768, 12, 12, 64, 3072, 0, 197, 0, 0, false,
     UINT64_C(86389248), UINT64_C(86389248)},
    {"vit-l-16", "vitmodel_large", WW_MODEL_VIT, 24, 1024, 16, 16, 64, 4096, 0, 197, 0, 0, false,
     UINT64_C(304351232), UINT64_C(304351232)},
    {"resnet50", NULL, WW_MODEL_RESNET, 0, 0, 0, 0, 0, 0, 1000, 0, 0, 0, false, UINT64_C(25557032),
     UINT64_C(25557032)},
    {"resnet101", "resnet101", WW_MODEL_RESNET, 0, 0, 0, 0, 0, 0, 1000, 0, 0, 0, false,
     UINT64_C(44549160), UINT64_C(44549160)},
    {"mobilevit-s", "mobilevitmodel_small", WW_MODEL_MOBILEVIT, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false,
     UINT64_C(5578632), UINT64_C(5578632)},
    {"llama-2-7b", NULL, WW_MODEL_LLAMA, 32, 4096, 32, 32, 128, 11008, 32000, 4096, 0, 0, false,
     UINT64_C(6738415616), UINT64_C(6738415616)},
    {"llama-2-13b", NULL, WW_MODEL_LLAMA, 40, 5120, 40, 40, 128, 13824, 32000, 4096, 0, 0, false,
     UINT64_C(13015864320), UINT64_C(13015864320)},
    {"llama-2-70b", NULL, WW_MODEL_LLAMA, 80, 8192, 64, 8, 128, 28672, 32000, 4096, 0, 0, false,
     UINT64_C(68976648192), UINT64_C(68976648192)},
    {"llama-3-8b", NULL, WW_MODEL_LLAMA, 32, 4096, 32, 8, 128, 14336, 128256, 8192, 0, 0, false,
     UINT64_C(8030261248), UINT64_C(8030261248)},
    {"llama-3-70b", NULL, WW_MODEL_LLAMA, 80, 8192, 64, 8, 128, 28672, 128256, 8192, 0, 0, false,
     UINT64_C(70553706496), UINT64_C(70553706496)},
    {"llama-3.2-1b", NULL, WW_MODEL_LLAMA, 16, 2048, 32, 8, 64, 8192, 128256, 131072, 0, 0, true,
     UINT64_C(1235814400), UINT64_C(1235814400)},
    {"llama-3.2-3b", NULL, WW_MODEL_LLAMA, 28, 3072, 24, 8, 128, 8192, 128256, 131072, 0, 0, true,
     UINT64_C(3212749824), UINT64_C(3212749824)},
    {"mistral-7b", NULL, WW_MODEL_LLAMA, 32, 4096, 32, 8, 128, 14336, 32000, 32768, 0, 0, false,
     UINT64_C(7241732096), UINT64_C(7241732096)},
    {"tinyllama-1.1b", NULL, WW_MODEL_LLAMA, 22, 2048, 32, 4, 64, 5632, 32000, 2048, 0, 0, false,
     UINT64_C(1100048384), UINT64_C(1100048384)},
    {"mixtral-8x7b", NULL, WW_MODEL_LLAMA, 32, 4096, 32, 8, 128, 14336, 32000, 32768, 8, 2, false,
     UINT64_C(46702792704), UINT64_C(12879925248)},
    {"mixtral-8x22b", NULL, WW_MODEL_LLAMA, 56, 6144, 48, 8, 128, 16384, 32768, 65536, 8, 2, false,
     UINT64_C(140630071296), UINT64_C(39161468928)},
};

enum { MODELS = sizeof models / sizeof models[0] };

const ww_model *ww_models(size_t *count)
{
    *count = MODELS;
    return models;
}

ww_status ww_phase_parse(const char *text, ww_phase *out, ww_error *err)
{
    const bool decode = strcmp(text, "decode") == 0;
    *out = decode ? WW_PHASE_DECODE : WW_PHASE_PREFILL;
    return decode || strcmp(text, "prefill") == 0
               ? WW_OK
               : ww_fail(err, WW_EUSAGE, "a phase is prefill or decode, not '%s'", text);
}

/* Letters that a name begins with: "vit" of vit-l-16. */
static size_t family_letters(const char *name)
{
    size_t n = 0;
    while (isalpha((unsigned char)name[n])) {
        n++;
    }
    return n;
}

/* Of the models that begin as the word does the nearest, however far; NULL: none does. Sizes have
 * too many spellings to be told by letters alone, vit-large for vit-l-16. */
static const char *nearest_of_family(const char *word)
{
    const size_t letters = family_letters(word);
    const char *best = NULL;
    size_t least = 0;
    for (size_t i = 0; i < MODELS; i++) {
        const char *name = models[i].name;
        const size_t distance = ww_edit_distance(word, name);
        if (letters > 0 && family_letters(name) == letters &&
            strncasecmp(name, word, letters) == 0 && (best == NULL || distance < least)) {
            best = name;
            least = distance;
        }
    }
    return best;
}

ww_status ww_model_find(const char *name, const ww_model **out, ww_error *err)
{
    char hint[128];
    ww_suggest suggest;
    ww_suggest_init(&suggest, name);
    for (size_t i = 0; i < MODELS; i++) {
        if (strcmp(models[i].name, name) == 0 ||
            (models[i].listed != NULL && strcmp(models[i].listed, name) == 0)) {
            *out = &models[i];
            return WW_OK;
        }
        ww_suggest_offer(&suggest, models[i].name);
    }
    const char *relative = nearest_of_family(name);
    suggest.best = relative != NULL ? relative : suggest.best;
    return ww_fail(err, WW_ENOTFOUND, "there is no model '%s'%s", name,
                   ww_suggest_text(&suggest, hint, sizeof hint));
}

const char *ww_model_family_name(ww_model_family family)
{
    static const char *const names[] = {
        [WW_MODEL_BERT] = "encoder",
        [WW_MODEL_GPT2] = "decoder",
        [WW_MODEL_OPT] = "decoder",
        [WW_MODEL_VIT] = "image encoder",
        [WW_MODEL_RESNET] = "convolution",
        [WW_MODEL_MOBILEVIT] = "convolution and encoder",
        [WW_MODEL_LLAMA] = "decoder, Llama class",
    };
    return names[family];
}

bool ww_model_has_sequence(const ww_model *model)
{
    return model->positions > 0 && model->family != WW_MODEL_VIT;
}

uint64_t ww_model_cache_bytes(const ww_model *model, ww_number number)
{
    bool decodes = ww_model_has_sequence(model) && model->family != WW_MODEL_BERT;
    return decodes ? UINT64_C(2) * model->layers * model->kv_heads * model->head *
                         ww_number_bytes(number)
                   : 0;
}

void ww_model_label(ww_graph *graph)
{
    const ww_model *model = NULL;
    if (graph->model[0] != '\0' && ww_model_find(graph->model, &model, NULL) == WW_OK) {
        unsigned bytes = strcmp(graph->precision, "fp32") == 0 ? 4 : 2;
        graph->weight_bytes = model->parameters * bytes;
    }
}
