/* texture.c - the dotted names of texture and surface instructions (PTX ISA 8.x, "Texture
 * Instructions", "Surface Instructions"). Formatted surface stores and multi-sample
 * textures are not among them. */
#include <string.h>

#include "base/compiler.h"
#include "perf/ptx/form/form.h"

enum { MAX_TYPES = 2 };

typedef struct texture_words {
    bool level, gradient, bits; /* .level, .grad, .b */
    uint8_t geometry, query;    /* ww_sub */
    uint8_t vec;
    uint8_t types[MAX_TYPES];
    unsigned type_count;
    uint32_t mods;
    bool outside; /* .trap, .clamp or .zero was given */
} texture_words;

static bool is(const char *text, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(text, word, n) == 0;
}

/* The value of a word in a list; 0: not in it. */
typedef struct word_row {
    const char *word;
    uint32_t value;
} word_row;

static bool look_up(const word_row *rows, size_t count, const char *text, size_t n, uint32_t *out)
{
    for (size_t i = 0; i < count; i++) {
        if (is(text, n, rows[i].word)) {
            *out = rows[i].value;
            return true;
        }
    }
    return false;
}

static bool take_geometry(texture_words *w, const char *text, size_t n)
{
    static const word_row rows[] = {
        {"1d", WW_SUB_1D},   {"2d", WW_SUB_2D},     {"3d", WW_SUB_3D},      {"a1d", WW_SUB_A1D},
        {"a2d", WW_SUB_A2D}, {"cube", WW_SUB_CUBE}, {"acube", WW_SUB_ACUBE}};
    uint32_t v;
    if (w->geometry != WW_SUB_NONE || !look_up(rows, WW_ARRAY_LEN(rows), text, n, &v)) {
        return false;
    }
    w->geometry = (uint8_t)v;
    return true;
}

static bool take_query(texture_words *w, const char *text, size_t n)
{
    static const word_row rows[] = {
        {"width", WW_SUB_WIDTH}, {"height", WW_SUB_HEIGHT}, {"depth", WW_SUB_DEPTH}};
    uint32_t v;
    if (w->query != WW_SUB_NONE || !look_up(rows, WW_ARRAY_LEN(rows), text, n, &v)) {
        return false;
    }
    w->query = (uint8_t)v;
    return true;
}

static bool take_outside(texture_words *w, const char *text, size_t n)
{
    static const word_row rows[] = {
        {"trap", 0}, {"clamp", WW_MOD_OUTSIDE_CLAMP}, {"zero", WW_MOD_OUTSIDE_ZERO}};
    uint32_t v;
    if (w->outside || !look_up(rows, WW_ARRAY_LEN(rows), text, n, &v)) {
        return false;
    }
    w->outside = true;
    w->mods |= v;
    return true;
}

static bool take_cache(texture_words *w, const char *text, size_t n)
{
    static const word_row rows[] = {{"ca", 0},
                                    {"wb", 0},
                                    {"cg", WW_MOD_CACHE_CG},
                                    {"cs", WW_MOD_CACHE_CS},
                                    {"cv", WW_MOD_CACHE_CV},
                                    {"wt", WW_MOD_CACHE_WT}};
    uint32_t v;
    if (!look_up(rows, WW_ARRAY_LEN(rows), text, n, &v)) {
        return false;
    }
    w->mods |= v;
    return true;
}

static bool take_rest(texture_words *w, const char *text, size_t n)
{
    static const word_row rows[] = {{"v2", 2}, {"v4", 4}};
    uint32_t v;
    if (w->vec == 0 && look_up(rows, WW_ARRAY_LEN(rows), text, n, &v)) {
        w->vec = (uint8_t)v;
        return true;
    }
    bool *flag = is(text, n, "level")  ? &w->level
                 : is(text, n, "grad") ? &w->gradient
                 : is(text, n, "b")    ? &w->bits
                                       : NULL;
    if (flag != NULL) {
        bool again = *flag;
        *flag = true;
        return !again;
    }
    ww_type type = ww_type_find(text, (unsigned)n);
    if (type == WW_TYPE_COUNT || w->type_count == MAX_TYPES) {
        return false;
    }
    w->types[w->type_count++] = (uint8_t)type;
    return true;
}

static bool is_word(uint8_t type)
{
    return type == WW_T_F32 || type == WW_T_U32 || type == WW_T_S32;
}

static const char *finish_tex(const texture_words *w, ptx_form *f)
{
    f->op = WW_OP_TEX;
    f->shape = PTX_SHAPE_TEX;
    f->type = w->types[0];
    f->type2 = w->types[1];
    f->sub = w->geometry;
    bool integer = f->type2 == WW_T_S32;
    bool cube = w->geometry == WW_SUB_CUBE || w->geometry == WW_SUB_ACUBE;
    if (w->geometry == WW_SUB_NONE || w->type_count != 2 || w->vec != 4 || w->bits || w->outside ||
        w->query != WW_SUB_NONE || w->mods != 0 || (w->level && w->gradient)) {
        return "is not supported: a fetch of four elements needs a geometry and two types";
    }
    if (!is_word(f->type) || (f->type2 != WW_T_F32 && !integer) || (integer && cube)) {
        return "is not supported with these types";
    }
    return NULL;
}

static const char *finish_surface(const texture_words *w, bool load, ptx_form *f)
{
    f->op = load ? WW_OP_SULD : WW_OP_SUST;
    f->shape = load ? PTX_SHAPE_SURFACE_LOAD : PTX_SHAPE_SURFACE_STORE;
    f->type = w->types[0];
    f->sub = w->geometry;
    f->vec = w->vec != 0 ? w->vec : 1;
    bool typed =
        f->type == WW_T_B8 || f->type == WW_T_B16 || f->type == WW_T_B32 || f->type == WW_T_B64;
    bool cube = w->geometry == WW_SUB_CUBE || w->geometry == WW_SUB_ACUBE;
    if (w->geometry == WW_SUB_NONE || cube || w->type_count != 1 || !w->bits || !w->outside ||
        w->query != WW_SUB_NONE || w->level || w->gradient) {
        return "is not supported: it needs .b, a geometry, a type and what lies outside";
    }
    return typed && ww_type_bytes((ww_type)f->type) * f->vec <= 16
               ? NULL
               : "is not supported with this type";
}

/* sured.b.op.geometry.type.outside; layout of the form: the geometry */
static const char *finish_reduction(texture_words *w, uint8_t operation, ptx_form *f)
{
    uint8_t type = w->types[0];
    bool logic = operation == WW_SUB_AND || operation == WW_SUB_OR;
    bool legal = logic ? type == WW_T_B32
                       : type == WW_T_U32 || type == WW_T_S32 ||
                             (operation == WW_SUB_ADD ? type == WW_T_U64
                                                      : type == WW_T_U64 || type == WW_T_S64);
    w->types[0] = ww_type_bytes((ww_type)type) == 8 ? WW_T_B64 : WW_T_B32;
    uint32_t outside = WW_MOD_OUTSIDE_CLAMP | WW_MOD_OUTSIDE_ZERO;
    bool plain = (w->mods & ~outside) == 0 && w->vec == 0 && w->geometry != WW_SUB_A1D &&
                 w->geometry != WW_SUB_A2D;
    const char *problem = plain ? finish_surface(w, false, f) : "is not supported";
    f->op = WW_OP_SURED;
    f->layout = f->sub;
    f->sub = operation;
    f->type = type;
    return problem == NULL && !legal ? "is not supported with this type" : problem;
}

static const char *finish_query(const texture_words *w, bool texture, ptx_form *f)
{
    f->op = texture ? WW_OP_TXQ : WW_OP_SUQ;
    f->shape = PTX_SHAPE_TEXTURE_QUERY;
    f->type = WW_T_B32;
    f->sub = w->query;
    return w->query != WW_SUB_NONE && w->type_count == 1 && w->types[0] == WW_T_B32 &&
                   w->geometry == WW_SUB_NONE && w->vec == 0 && !w->bits && !w->level &&
                   !w->gradient && !w->outside
               ? NULL
               : "is not supported: width, height and depth can be asked for";
}

/* tld4.{r,g,b,a}.geometry.v4.type.f32; layout of the form: the channel */
static const char *finish_gather(const texture_words *w, uint32_t channel, ptx_form *f)
{
    const char *problem = finish_tex(w, f);
    bool plane = w->geometry == WW_SUB_2D || w->geometry == WW_SUB_A2D ||
                 w->geometry == WW_SUB_CUBE || w->geometry == WW_SUB_ACUBE;
    f->op = WW_OP_TLD4;
    f->layout = (uint8_t)channel;
    return problem != NULL                                             ? problem
           : !plane || f->type2 != WW_T_F32 || w->level || w->gradient ? "is not supported"
                                                                       : NULL;
}

const char *ww__form_decode_texture(ptx_words words, ptx_form *out)
{
    static const word_row channels[] = {{"r", 0}, {"g", 1}, {"b", 2}, {"a", 3}};
    texture_words w = {0};
    const char *text;
    size_t n;
    uint32_t channel = 0;
    bool gathers = out->text[1] == 'l';
    if (gathers && (!ww__form_next_word(&words, &text, &n) ||
                    !look_up(channels, WW_ARRAY_LEN(channels), text, n, &channel))) {
        return "is not supported: it needs a channel";
    }
    static const word_row operations[] = {{"add", WW_SUB_ADD},
                                          {"min", WW_SUB_MIN},
                                          {"max", WW_SUB_MAX},
                                          {"and", WW_SUB_AND},
                                          {"or", WW_SUB_OR}};
    bool reduces = out->text[0] == 's' && out->text[2] == 'r';
    uint32_t operation = WW_SUB_NONE;
    while (ww__form_next_word(&words, &text, &n)) {
        if (reduces && operation == WW_SUB_NONE &&
            look_up(operations, WW_ARRAY_LEN(operations), text, n, &operation)) {
            continue;
        }
        if (!take_geometry(&w, text, n) && !take_query(&w, text, n) && !take_outside(&w, text, n) &&
            !take_cache(&w, text, n) && !take_rest(&w, text, n)) {
            return "is not supported";
        }
    }
    out->mods |= w.mods;
    if (reduces) {
        return operation == WW_SUB_NONE ? "is not supported: it needs an operation"
                                        : finish_reduction(&w, (uint8_t)operation, out);
    }
    if (gathers) {
        return finish_gather(&w, channel, out);
    }
    switch (out->text[0] == 't' ? out->text[1] : out->text[2]) {
    case 'e':
        return finish_tex(&w, out);
    case 'x':
        return finish_query(&w, true, out);
    case 'q':
        return finish_query(&w, false, out);
    case 'l':
        return finish_surface(&w, true, out);
    default:
        return finish_surface(&w, false, out);
    }
}
