/* pack.c - the dotted names of cvt.pack: .sat.type.s32{.b32} (PTX ISA 8.x, "cvt.pack"). */
#include <string.h>

#include "perf/ptx/form/form.h"

static bool is(const char *text, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(text, word, n) == 0;
}

const char *ww__form_decode_pack(ptx_words words, ptx_form *out)
{
    static const char wrong[] =
        "is not supported: it needs .sat, the type to convert to, .s32 and, below 16 bits, .b32";
    const char *text;
    size_t n;
    if (!ww__form_next_word(&words, &text, &n) || !is(text, n, "sat") ||
        !ww__form_next_word(&words, &text, &n)) {
        return wrong;
    }
    ww_type type = ww_type_find(text, (unsigned)n);
    bool half = type == WW_T_U16 || type == WW_T_S16;
    if (!half && type != WW_T_U8 && type != WW_T_S8 && type != WW_T_U4 && type != WW_T_S4 &&
        type != WW_T_U2 && type != WW_T_S2) {
        return wrong;
    }
    if (!ww__form_next_word(&words, &text, &n) || !is(text, n, "s32")) {
        return wrong;
    }
    bool third = ww__form_next_word(&words, &text, &n);
    if ((third && !is(text, n, "b32")) || third == half || words.at != words.end) {
        return wrong;
    }
    out->op = WW_OP_CVT_PACK;
    out->shape = PTX_SHAPE_VIDEO;
    out->type = (uint8_t)type;
    out->type2 = WW_T_S32;
    out->type_b = WW_T_S32;
    out->bool_op = third ? WW_BOOL_SUM : WW_BOOL_NONE;
    return NULL;
}
