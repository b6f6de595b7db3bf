/* video.c - the dotted names of video instructions: scalar ones on words or parts of them,
 * SIMD ones on two halves or four bytes (PTX ISA 8.x, "Scalar Video Instructions", "SIMD Video
 * Instructions"), and additions, minima and maxima like theirs that have other names. Masks and
 * mixed selectors of the SIMD ones are not among them. */
#include <string.h>

#include "base/compiler.h"
#include "perf/ptx/form/form.h"

typedef struct video_row {
    const char *name;
    uint8_t sub;
    bool simd; /* has forms for two and four parts */
    bool scalar;
} video_row;

static const video_row rows[] = {
    {"vadd", WW_SUB_VADD, true, true},   {"vsub", WW_SUB_VSUB, true, true},
    {"vmin", WW_SUB_VMIN, true, true},   {"vmax", WW_SUB_VMAX, true, true},
    {"vset", WW_SUB_VSET, true, true},   {"vabsdiff", WW_SUB_VABSDIFF, true, true},
    {"vshl", WW_SUB_VSHL, false, true},  {"vshr", WW_SUB_VSHR, false, true},
    {"vavrg", WW_SUB_VAVRG, true, false}};

typedef struct video_words {
    bool one;       /* .po */
    unsigned shift; /* of vmad */
    ww_type types[3];
    unsigned type_count;
    bool sat, shift_mode;
    uint8_t combine, cmp;
    bool compares;
    uint32_t mods;
} video_words;

static bool is(const char *text, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(text, word, n) == 0;
}

static const video_row *find(const char *opcode, size_t n, unsigned *parts)
{
    for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
        size_t length = strlen(rows[i].name);
        if (n < length || memcmp(rows[i].name, opcode, length) != 0) {
            continue;
        }
        bool simd = n == length + 1 && (opcode[length] == '2' || opcode[length] == '4');
        if ((simd && rows[i].simd) || (n == length && rows[i].scalar)) {
            *parts = simd ? (unsigned)(opcode[length] - '0') : 1;
            return &rows[i];
        }
    }
    return NULL;
}

static bool take_type(video_words *w, const char *text, size_t n)
{
    ww_type type = ww_type_find(text, (unsigned)n);
    if ((type != WW_T_U32 && type != WW_T_S32) || w->type_count == WW_ARRAY_LEN(w->types)) {
        return false;
    }
    w->types[w->type_count++] = type;
    return true;
}

static bool take_compare(video_words *w, const char *text, size_t n)
{
    static const char *const names[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    static const uint8_t codes[] = {WW_CMP_EQ, WW_CMP_NE, WW_CMP_LT,
                                    WW_CMP_LE, WW_CMP_GT, WW_CMP_GE};
    for (size_t i = 0; i < WW_ARRAY_LEN(names); i++) {
        if (is(text, n, names[i]) && !w->compares) {
            w->compares = true;
            w->cmp = codes[i];
            return true;
        }
    }
    return false;
}

static bool take_sat(video_words *w, const char *text, size_t n)
{
    if (!is(text, n, "sat") || w->sat) {
        return false;
    }
    w->sat = true;
    w->mods |= WW_MOD_SAT;
    return true;
}

static bool take_flag(video_words *w, const char *text, size_t n)
{
    uint8_t combine = is(text, n, "add")   ? WW_BOOL_SUM
                      : is(text, n, "min") ? WW_BOOL_LEAST
                      : is(text, n, "max") ? WW_BOOL_MOST
                                           : WW_BOOL_NONE;
    if (combine != WW_BOOL_NONE && w->combine == WW_BOOL_NONE) {
        w->combine = combine;
        return true;
    }
    bool wrap = is(text, n, "wrap");
    if ((wrap || is(text, n, "clamp")) && !w->shift_mode) {
        w->shift_mode = true;
        w->mods |= wrap ? WW_MOD_WRAP : 0;
        return true;
    }
    return take_sat(w, text, n);
}

/* What vmad alone takes. */
static bool take_mad_flag(video_words *w, const char *text, size_t n)
{
    if (is(text, n, "po") && !w->one) {
        w->one = true;
        return true;
    }
    if ((is(text, n, "shr7") || is(text, n, "shr15")) && w->shift == 0) {
        w->shift = n == 4 ? 7 : 15;
        return true;
    }
    return take_sat(w, text, n);
}

static bool take_mad_word(video_words *w, const char *text, size_t n)
{
    return take_type(w, text, n) || take_mad_flag(w, text, n);
}

static bool take_word(video_words *w, const char *text, size_t n)
{
    return take_type(w, text, n) || take_compare(w, text, n) || take_flag(w, text, n);
}

static const char *finish_mad(const video_words *w, ptx_form *f)
{
    static const uint8_t subs[2][3] = {{WW_SUB_NONE, WW_SUB_SHR7, WW_SUB_SHR15},
                                       {WW_SUB_PO, WW_SUB_PO_SHR7, WW_SUB_PO_SHR15}};
    f->op = WW_OP_VMAD;
    f->shape = PTX_SHAPE_VIDEO;
    f->sub = subs[w->one][w->shift / 7];
    f->vec = 1;
    f->type = (uint8_t)w->types[0];
    f->type2 = (uint8_t)w->types[1];
    f->type_b = (uint8_t)w->types[2];
    f->mods |= w->mods;
    return w->type_count == 3 ? NULL : "is not supported: types are missing";
}

/* vset has no type of the result. */
static const char *finish(video_words *w, const video_row *row, unsigned parts, ptx_form *f)
{
    bool sets = row->sub == WW_SUB_VSET,
         shifts = row->sub == WW_SUB_VSHL || row->sub == WW_SUB_VSHR;
    if (sets && w->type_count == 2) {
        w->types[2] = w->types[1];
        w->types[1] = w->types[0];
        w->types[0] = WW_T_U32;
        w->type_count = 3;
    }
    if (w->type_count != 3 || sets != w->compares || shifts != w->shift_mode || (sets && w->sat) ||
        (shifts && w->types[2] != WW_T_U32)) {
        return "is not supported: types or mode are missing or do not fit";
    }
    if (parts > 1 && w->combine != WW_BOOL_NONE && (w->combine != WW_BOOL_SUM || w->sat)) {
        return "is not supported with this way to combine";
    }
    f->op = WW_OP_VIDEO;
    f->shape = PTX_SHAPE_VIDEO;
    f->sub = row->sub;
    f->vec = (uint8_t)parts;
    f->type = (uint8_t)w->types[0];
    f->type2 = (uint8_t)w->types[1];
    f->type_b = (uint8_t)w->types[2];
    f->bool_op = w->combine;
    f->cmp = w->cmp;
    f->mods |= w->mods;
    return NULL;
}

bool ww__form_decode_video(const char *opcode, size_t n, ptx_words words, ptx_form *out, char *buf,
                           size_t size)
{
    unsigned parts = 1;
    const bool mad = is(opcode, n, "vmad");
    const video_row *row = mad ? NULL : find(opcode, n, &parts);
    video_words w = {0};
    const char *text, *refused = NULL;
    size_t length, refused_length = 0;
    if (!mad && row == NULL) {
        return false;
    }
    while (refused == NULL && ww__form_next_word(&words, &text, &length)) {
        if (!(mad ? take_mad_word : take_word)(&w, text, length)) {
            refused = text;
            refused_length = length;
        }
    }
    out->problem = mad ? finish_mad(&w, out) : finish(&w, row, parts, out);
    if (refused != NULL) {
        ww__form_refuse_word(out, buf, size, refused, refused_length);
    }
    return true;
}

typedef struct halves_words {
    bool halves, is_signed, typed, relu;
} halves_words;

static bool take_halves_word(halves_words *w, const char *text, size_t n)
{
    static const struct {
        const char *name;
        bool halves, is_signed;
    } types[] = {{"u16x2", true, false}, {"s16x2", true, true}, {"s32", false, true}};
    if (is(text, n, "relu") && !w->relu) {
        w->relu = true;
        return true;
    }
    for (size_t i = 0; i < WW_ARRAY_LEN(types); i++) {
        if (is(text, n, types[i].name) && !w->typed) {
            w->typed = true;
            w->halves = types[i].halves;
            w->is_signed = types[i].is_signed;
            return true;
        }
    }
    return false;
}

/* PTX ISA 8.0, "Integer Arithmetic Instructions": add, min, max. */
bool ww__form_decode_halves(const char *opcode, size_t n, ptx_words words, ptx_form *out)
{
    bool adds = is(opcode, n, "add"), least = is(opcode, n, "min");
    if (!adds && !least && !is(opcode, n, "max")) {
        return false;
    }
    halves_words w = {0};
    const char *text;
    size_t length;
    while (ww__form_next_word(&words, &text, &length)) {
        if (!take_halves_word(&w, text, length)) {
            return false;
        }
    }
    bool legal = w.relu ? w.is_signed && !adds : w.halves;
    if (!w.typed || !legal) {
        return false;
    }
    /* Sums are the same, signed or not. */
    ww_type type = w.is_signed && !adds ? WW_T_S32 : WW_T_U32;
    out->op = WW_OP_VIDEO;
    out->shape = PTX_SHAPE_HALVES;
    out->sub = adds ? WW_SUB_VADD : least ? WW_SUB_VMIN : WW_SUB_VMAX;
    out->vec = w.halves ? 2 : 1;
    out->type = out->type2 = out->type_b = (uint8_t)type;
    out->mods |= w.relu ? WW_MOD_RELU : 0;
    return true;
}
