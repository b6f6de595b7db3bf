/* tensor.c - the dotted names of tensor copies and of changes to tensor maps (PTX ISA 8.x,
 * "cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor", "cp.async.bulk.prefetch.tensor",
 * "tensormap.replace", "tensormap.cp_fenceproxy"). Gather and scatter and the wide im2col modes are
 * of later machines. */
#include <string.h>

#include "base/compiler.h"
#include "isa/tensor_map.h"
#include "perf/ptx/form/form.h"

static const char not_supported[] = "is not supported";

static bool is(const char *text, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(text, word, n) == 0;
}

/* Whether the next word is that one, which is taken. */
static bool accept(ptx_words *words, const char *word)
{
    ptx_words next = *words;
    const char *text;
    size_t n;
    if (!ww__form_next_word(&next, &text, &n) || !is(text, n, word)) {
        return false;
    }
    *words = next;
    return true;
}

static bool accept_either(ptx_words *words, const char *a, const char *b)
{
    return accept(words, a) || accept(words, b);
}

static uint8_t rank_of(ptx_words *words)
{
    static const char *const names[] = {"1d", "2d", "3d", "4d", "5d"};
    for (unsigned k = 0; k < WW_ARRAY_LEN(names); k++) {
        if (accept(words, names[k])) {
            return (uint8_t)(k + 1);
        }
    }
    return 0;
}

/* Tiles where nothing is said. */
static uint8_t mode_of(ptx_words *words, const char *columns)
{
    uint8_t mode = accept(words, columns) ? WW_TENSOR_COLUMNS : 0;
    return mode != 0 || !accept(words, "tile") ? mode : 0;
}

static const char *finish(ptx_words *words, ptx_form *out)
{
    out->policy = accept(words, "L2::cache_hint");
    bool columns = (out->layout & WW_TENSOR_COLUMNS) != 0;
    return words->at < words->end || (columns && out->vec < 3) ? not_supported : NULL;
}

/* After "tensor": dim.shared.global{.mode}.mbarrier::complete_tx::bytes{.multicast::cluster} */
static const char *decode_load(ptx_words *words, ptx_form *out)
{
    if (!accept(words, "global")) {
        return not_supported;
    }
    out->layout = mode_of(words, "im2col");
    if (!accept(words, "mbarrier::complete_tx::bytes")) {
        return not_supported;
    }
    out->layout |= accept(words, "multicast::cluster") ? WW_TENSOR_MULTICAST : 0;
    return finish(words, out);
}

static uint8_t reduction(ptx_words *words)
{
    static const struct {
        const char *word;
        uint8_t sub;
    } rows[] = {{"add", WW_SUB_ADD}, {"min", WW_SUB_MIN}, {"max", WW_SUB_MAX}, {"inc", WW_SUB_INC},
                {"dec", WW_SUB_DEC}, {"and", WW_SUB_AND}, {"or", WW_SUB_OR},   {"xor", WW_SUB_XOR}};
    for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
        if (accept(words, rows[i].word)) {
            return rows[i].sub;
        }
    }
    return WW_SUB_NONE;
}

/* After "tensor": dim.global.shared::cta{.operation}{.mode}.bulk_group */
static const char *decode_store(ptx_words *words, bool reduces, ptx_form *out)
{
    if (!accept(words, "shared::cta")) {
        return not_supported;
    }
    out->sub = reduces ? reduction(words) : WW_SUB_TO;
    out->layout = mode_of(words, "im2col_no_offs");
    return out->sub == WW_SUB_NONE || !accept(words, "bulk_group") ? not_supported
                                                                   : finish(words, out);
}

const char *ww__form_decode_tensor(ptx_words words, bool reduces, bool prefetches, ptx_form *out)
{
    out->op = reduces ? WW_OP_CP_TENSOR_REDUCE : WW_OP_CP_TENSOR;
    out->shape = PTX_SHAPE_TENSOR;
    out->space = WW_SPACE_GLOBAL;
    out->vec = rank_of(&words);
    if (out->vec == 0) {
        return not_supported;
    }
    if (prefetches) {
        out->sub = WW_SUB_PREFETCH;
        if (!accept(&words, "L2") || !accept(&words, "global")) {
            return not_supported;
        }
        out->layout = mode_of(&words, "im2col");
        return finish(&words, out);
    }
    if (accept_either(&words, "shared::cluster", "shared::cta")) {
        return reduces ? not_supported : decode_load(&words, out);
    }
    return accept(&words, "global") ? decode_store(&words, reduces, out) : not_supported;
}

/* tensormap.replace.tile.field{.space}.b1024.type */
static const char *decode_replace(ptx_words words, ptx_form *out)
{
    static const char *const fields[] = {
#define X(id, text, ordinals) text,
        WW_TENSOR_FIELD_MAP(X)
#undef X
    };
    unsigned field = 0;
    if (!accept(&words, "tile")) {
        return not_supported;
    }
    while (field < WW_TENSOR_FIELD_COUNT && !accept(&words, fields[field])) {
        field++;
    }
    out->op = WW_OP_TENSORMAP_REPLACE;
    out->shape = PTX_SHAPE_TENSORMAP;
    out->vec = (uint8_t)field;
    out->space = accept(&words, "global")                         ? WW_SPACE_GLOBAL
                 : accept_either(&words, "shared::cta", "shared") ? WW_SPACE_SHARED
                                                                  : WW_SPACE_GENERIC;
    bool wide = field == WW_TENSOR_FIELD_GLOBAL_ADDRESS || field == WW_TENSOR_FIELD_GLOBAL_STRIDE;
    out->type = wide ? WW_T_B64 : WW_T_B32;
    bool ends = field < WW_TENSOR_FIELD_COUNT && accept(&words, "b1024") &&
                accept(&words, wide ? "b64" : "b32");
    return ends && words.at == words.end ? NULL : not_supported;
}

/* tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned */
static const char *decode_copy(ptx_words words, ptx_form *out)
{
    static const char *const scopes[] = {"cta", "cluster", "gpu", "sys"};
    bool good = accept(&words, "global") && accept(&words, "shared::cta") &&
                accept(&words, "tensormap::generic") && accept(&words, "release");
    bool scoped = false;
    for (unsigned k = 0; k < WW_ARRAY_LEN(scopes) && !scoped; k++) {
        scoped = accept(&words, scopes[k]);
    }
    out->op = WW_OP_TENSORMAP_COPY;
    out->shape = PTX_SHAPE_TENSORMAP;
    out->space = WW_SPACE_GLOBAL;
    out->type = WW_T_B32;
    good = good && scoped && accept(&words, "sync") && accept(&words, "aligned");
    return good && words.at == words.end ? NULL : not_supported;
}

const char *ww__form_decode_tensormap(ptx_words words, ptx_form *out)
{
    return accept(&words, "replace")         ? decode_replace(words, out)
           : accept(&words, "cp_fenceproxy") ? decode_copy(words, out)
                                             : not_supported;
}
