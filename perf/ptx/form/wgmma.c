/* wgmma.c - the dotted names of wgmma (PTX ISA 8.x, "Asynchronous Warpgroup Level Matrix
 * Instructions"). Sparse matrices are not among them. */
#include <string.h>

#include "isa/fragment.h"
#include "isa/warpgroup.h"
#include "perf/ptx/form/form.h"

static const char not_supported[] = "is not supported";

static bool is(const char *text, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(text, word, n) == 0;
}

static bool next_is(ptx_words *words, const char *word)
{
    const char *text;
    size_t n;
    return ww__form_next_word(words, &text, &n) && is(text, n, word);
}

static bool next_type(ptx_words *words, uint8_t *out)
{
    const char *text;
    size_t n;
    if (!ww__form_next_word(words, &text, &n)) {
        return false;
    }
    *out = (uint8_t)ww_type_find(text, (unsigned)n);
    return *out != WW_TYPE_COUNT;
}

static bool is_byte(uint8_t type)
{
    return type == WW_T_S8 || type == WW_T_U8;
}

static bool is_narrow(uint8_t type)
{
    return type == WW_T_E4M3 || type == WW_T_E5M2;
}

/* Which D goes with which A and B. */
static bool legal_types(const ptx_form *f)
{
    switch ((ww_type)f->type2) {
    case WW_T_F16:
        return f->type_b == WW_T_F16 && (f->type == WW_T_F16 || f->type == WW_T_F32);
    case WW_T_BF16:
    case WW_T_TF32:
        return f->type_b == f->type2 && f->type == WW_T_F32;
    case WW_T_E4M3:
    case WW_T_E5M2:
        return is_narrow(f->type_b) && (f->type == WW_T_F16 || f->type == WW_T_F32);
    case WW_T_S8:
    case WW_T_U8:
        return is_byte(f->type_b) && f->type == WW_T_S32;
    case WW_T_B1:
        return f->type_b == WW_T_B1 && f->type == WW_T_S32;
    default:
        return false;
    }
}

static const char *decode_product(ptx_words words, ptx_form *out)
{
    const char *text;
    size_t n;
    if (!ww__form_next_word(&words, &text, &n)) {
        return not_supported;
    }
    if (is(text, n, "sp")) {
        return "is not supported: a sparse matrix";
    }
    if (!is(text, n, "sync") || !next_is(&words, "aligned") ||
        !ww__form_next_word(&words, &text, &n)) {
        return not_supported;
    }
    out->tile = (uint8_t)ww_tile_find(text, (unsigned)n);
    if (!next_type(&words, &out->type) || !next_type(&words, &out->type2) ||
        !next_type(&words, &out->type_b)) {
        return not_supported;
    }
    const ww_type a = (ww_type)out->type2;
    bool single = a == WW_T_B1;
    if (single && (!next_is(&words, "and") || !next_is(&words, "popc"))) {
        return not_supported;
    }
    if (words.at < words.end && is_byte(out->type2)) {
        out->mods |= next_is(&words, "satfinite") ? WW_MOD_SAT : 0;
        if ((out->mods & WW_MOD_SAT) == 0) {
            return not_supported;
        }
    }
    bool fits = ww_tile_m((ww_tile)out->tile) == WW_WARPGROUP_M &&
                ww_tile_k((ww_tile)out->tile) == ww_warpgroup_depth(a) &&
                ww_warpgroup_columns(a, ww_tile_n((ww_tile)out->tile));
    out->op = WW_OP_WGMMA;
    out->shape = PTX_SHAPE_WGMMA;
    out->bool_op = single ? WW_BOOL_AND : WW_BOOL_NONE;
    out->mods |= WW_MOD_SYNC | WW_MOD_ALIGNED;
    return words.at == words.end && fits && legal_types(out)
               ? NULL
               : "is not supported with these types and this tile";
}

const char *ww__form_decode_wgmma(ptx_words words, ptx_form *out)
{
    const char *text;
    size_t n;
    if (!ww__form_next_word(&words, &text, &n)) {
        return not_supported;
    }
    if (is(text, n, "mma_async")) {
        return decode_product(words, out);
    }
    out->op = WW_OP_WGMMA_WAIT;
    out->shape = PTX_SHAPE_WGMMA_WAIT;
    out->sub = is(text, n, "fence")          ? WW_SUB_FENCE
               : is(text, n, "commit_group") ? WW_SUB_COMMIT
               : is(text, n, "wait_group")   ? WW_SUB_WAIT_GROUP
                                             : WW_SUB_NONE;
    bool good = out->sub != WW_SUB_NONE && next_is(&words, "sync") && next_is(&words, "aligned");
    return good && words.at == words.end ? NULL : not_supported;
}
