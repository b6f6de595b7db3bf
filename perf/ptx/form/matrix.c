/* matrix.c - the dotted names of wmma and mma: words in nearly any order, checked against what
 * PTX defines (PTX ISA 8.x, "Matrix shape" and the tables of wmma and mma). Sparse matrices,
 * mma.m8n8k4 of f16, and wmma of types below a byte are not among them. */
#include <string.h>

#include "base/compiler.h"
#include "isa/fragment.h"
#include "perf/ptx/form/form.h"

enum { MAX_TYPES = 4 };

/* What the words said. */
typedef struct matrix_words {
    bool load, store, multiply, wmma;
    bool sync, aligned;
    uint8_t matrix;   /* ww_sub: of load and store */
    bool column[2];   /* row or col, as they came */
    unsigned layouts; /* their number */
    uint8_t types[MAX_TYPES];
    unsigned type_count;
    uint8_t tile, space;
    bool rounded, saturates;
    bool exclusive, both, counts; /* .xor.popc, .and.popc */
} matrix_words;

static bool is(const char *text, size_t n, const char *word)
{
    return strlen(word) == n && memcmp(text, word, n) == 0;
}

static bool take_flag(matrix_words *w, const char *text, size_t n)
{
    static const struct {
        const char *word;
        size_t at; /* of a bool in matrix_words */
    } flags[] = {
        {"load", offsetof(matrix_words, load)},
        {"store", offsetof(matrix_words, store)},
        {"mma", offsetof(matrix_words, multiply)},
        {"sync", offsetof(matrix_words, sync)},
        {"aligned", offsetof(matrix_words, aligned)},
        {"rn", offsetof(matrix_words, rounded)},
        {"satfinite", offsetof(matrix_words, saturates)},
        {"xor", offsetof(matrix_words, exclusive)},
        {"and", offsetof(matrix_words, both)},
        {"popc", offsetof(matrix_words, counts)},
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(flags); i++) {
        if (is(text, n, flags[i].word)) {
            bool *flag = (bool *)((char *)w + flags[i].at);
            bool again = *flag;
            *flag = true;
            return !again;
        }
    }
    return false;
}

static bool take_matrix(matrix_words *w, const char *text, size_t n)
{
    if (n != 1 || text[0] < 'a' || text[0] > 'd' || w->matrix != WW_SUB_NONE) {
        return false;
    }
    w->matrix = (uint8_t)(WW_SUB_A + (text[0] - 'a'));
    return true;
}

static bool take_layout(matrix_words *w, const char *text, size_t n)
{
    bool column = is(text, n, "col");
    if ((!column && !is(text, n, "row")) || w->layouts == WW_ARRAY_LEN(w->column)) {
        return false;
    }
    w->column[w->layouts++] = column;
    return true;
}

static bool take_space(matrix_words *w, const char *text, size_t n)
{
    bool shared = is(text, n, "shared") || is(text, n, "shared::cta");
    if ((!shared && !is(text, n, "global")) || w->space != WW_SPACE_GENERIC) {
        return false;
    }
    w->space = shared ? WW_SPACE_SHARED : WW_SPACE_GLOBAL;
    return true;
}

static bool take_tile(matrix_words *w, const char *text, size_t n)
{
    ww_tile tile = ww_tile_find(text, (unsigned)n);
    bool of_group = tile > WW_TILE_M16N8K256; /* wgmma's */
    if (tile == WW_TILE_NONE || of_group || w->tile != WW_TILE_NONE) {
        return false;
    }
    w->tile = (uint8_t)tile;
    return true;
}

static bool take_type(matrix_words *w, const char *text, size_t n)
{
    ww_type type = ww_type_find(text, (unsigned)n);
    if (type == WW_TYPE_COUNT || w->type_count == MAX_TYPES) {
        return false;
    }
    w->types[w->type_count++] = (uint8_t)type;
    return true;
}

/* ---- what goes together ---- */

#define TILE(id) (1u << WW_TILE_##id)
enum {
    WMMA_K16 = TILE(M16N16K16) | TILE(M32N8K16) | TILE(M8N32K16),
};

/* Tiles by type of A. */
static const struct {
    uint8_t a, wide_c, narrow_c; /* types of A; of C and D, at choice */
    uint32_t wmma, mma;
} rows[] = {
    {WW_T_F16, WW_T_F32, WW_T_F16, WMMA_K16, TILE(M16N8K8) | TILE(M16N8K16)},
    {WW_T_BF16, WW_T_F32, WW_T_F32, WMMA_K16, TILE(M16N8K8) | TILE(M16N8K16)},
    {WW_T_TF32, WW_T_F32, WW_T_F32, TILE(M16N16K8), TILE(M16N8K4) | TILE(M16N8K8)},
    {WW_T_S8, WW_T_S32, WW_T_S32, WMMA_K16, TILE(M8N8K16) | TILE(M16N8K16) | TILE(M16N8K32)},
    {WW_T_U8, WW_T_S32, WW_T_S32, WMMA_K16, TILE(M8N8K16) | TILE(M16N8K16) | TILE(M16N8K32)},
    {WW_T_S4, WW_T_S32, WW_T_S32, 0, TILE(M8N8K32) | TILE(M16N8K32) | TILE(M16N8K64)},
    {WW_T_U4, WW_T_S32, WW_T_S32, 0, TILE(M8N8K32) | TILE(M16N8K32) | TILE(M16N8K64)},
    {WW_T_B1, WW_T_S32, WW_T_S32, 0, TILE(M8N8K128) | TILE(M16N8K128) | TILE(M16N8K256)},
    {WW_T_E4M3, WW_T_F32, WW_T_F16, 0, TILE(M16N8K32)},
    {WW_T_E5M2, WW_T_F32, WW_T_F16, 0, TILE(M16N8K32)},
    {WW_T_F64, WW_T_F64, WW_T_F64, TILE(M8N8K4),
     TILE(M8N8K4) | TILE(M16N8K4) | TILE(M16N8K8) | TILE(M16N8K16)},
};

static bool legal_c(size_t row, uint8_t type)
{
    return type == rows[row].wide_c || type == rows[row].narrow_c;
}

/* A load or store: is there a product with such a matrix? */
static bool legal_matrix(const matrix_words *w)
{
    bool factor = w->matrix == WW_SUB_A || w->matrix == WW_SUB_B;
    for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
        bool type = factor ? rows[i].a == w->types[0] : legal_c(i, w->types[0]);
        if (type && (rows[i].wmma >> w->tile & 1) != 0) {
            return true;
        }
    }
    return false;
}

static bool is_byte(uint8_t type)
{
    return type == WW_T_S8 || type == WW_T_U8;
}

static bool is_nibble(uint8_t type)
{
    return type == WW_T_S4 || type == WW_T_U4;
}

static bool is_eight(uint8_t type)
{
    return type == WW_T_E4M3 || type == WW_T_E5M2;
}

static bool legal_product(const matrix_words *w, const ptx_form *f)
{
    bool same =
        f->type2 == f->type_b || (!w->wmma && ((is_byte(f->type2) && is_byte(f->type_b)) ||
                                               (is_nibble(f->type2) && is_nibble(f->type_b)) ||
                                               (is_eight(f->type2) && is_eight(f->type_b))));
    bool bits = f->type2 == WW_T_B1;
    if (bits != w->counts || w->exclusive + w->both != w->counts ||
        (is_eight(f->type2) && f->type != f->type_c)) {
        return false;
    }
    for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
        if (rows[i].a == f->type2) {
            uint32_t tiles = w->wmma ? rows[i].wmma : rows[i].mma;
            return same && (tiles >> w->tile & 1) != 0 && legal_c(i, f->type) &&
                   legal_c(i, f->type_c) &&
                   (!w->saturates || is_byte(f->type2) || is_nibble(f->type2)) &&
                   (!w->rounded || f->type == WW_T_F64);
        }
    }
    return false;
}

/* wmma of f16 names D and C only. */
static bool take_product_types(const matrix_words *w, ptx_form *f)
{
    const uint8_t *t = w->types;
    bool brief = w->wmma && w->type_count == 2;
    if (!brief && w->type_count != 4) {
        return false;
    }
    f->type = t[0];
    f->type2 = brief ? WW_T_F16 : t[1];
    f->type_b = brief ? WW_T_F16 : t[2];
    f->type_c = brief ? t[1] : t[3];
    return true;
}

static const char *finish_product(const matrix_words *w, ptx_form *f)
{
    f->op = w->wmma ? WW_OP_WMMA_MMA : WW_OP_MMA;
    f->shape = PTX_SHAPE_MATRIX_MULTIPLY;
    f->mods |= w->saturates ? WW_MOD_SAT : 0;
    f->bool_op = w->both ? WW_BOOL_AND : w->exclusive ? WW_BOOL_XOR : WW_BOOL_NONE;
    if (w->layouts != 2 || w->matrix != WW_SUB_NONE || w->space != WW_SPACE_GENERIC) {
        return "needs the layouts of A and B";
    }
    f->layout = (uint8_t)((w->column[0] ? WW_LAYOUT_A_COLUMN : 0) |
                          (w->column[1] ? WW_LAYOUT_B_COLUMN : 0));
    if (!w->wmma && f->layout != WW_LAYOUT_B_COLUMN) {
        return "is defined for .row.col only";
    }
    return take_product_types(w, f) && legal_product(w, f)
               ? NULL
               : "is not supported with these types and this tile";
}

static const char *finish_access(const matrix_words *w, ptx_form *f)
{
    f->op = w->load ? WW_OP_WMMA_LOAD : WW_OP_WMMA_STORE;
    f->shape = w->load ? PTX_SHAPE_MATRIX_LOAD : PTX_SHAPE_MATRIX_STORE;
    f->sub = w->matrix;
    f->type = w->types[0];
    f->space = w->space;
    bool stores = w->matrix == WW_SUB_D;
    if (w->matrix == WW_SUB_NONE || w->layouts != 1 || w->type_count != 1 || stores != w->store ||
        w->saturates || w->rounded || w->exclusive || w->both || w->counts) {
        return "is not supported: it needs a matrix, a layout and a type";
    }
    uint8_t bit = w->matrix == WW_SUB_A   ? WW_LAYOUT_A_COLUMN
                  : w->matrix == WW_SUB_B ? WW_LAYOUT_B_COLUMN
                                          : WW_LAYOUT_C_COLUMN;
    f->layout = w->column[0] ? bit : 0;
    return legal_matrix(w) ? NULL : "is not supported with this type and tile";
}

const char *ww__form_decode_matrix(ptx_words words, ptx_form *out)
{
    /* "mma" itself is the opcode; of wmma, the operation is the first word. */
    matrix_words w = {.space = WW_SPACE_GENERIC, .wmma = out->text[0] == 'w'};
    w.multiply = !w.wmma;
    const char *text;
    size_t n;
    while (ww__form_next_word(&words, &text, &n)) {
        if (!take_flag(&w, text, n) && !take_matrix(&w, text, n) && !take_layout(&w, text, n) &&
            !take_space(&w, text, n) && !take_tile(&w, text, n) && !take_type(&w, text, n)) {
            return "is not supported";
        }
    }
    /* Before PTX 6.3, .aligned was not written. */
    if ((unsigned)w.load + w.store + w.multiply != 1 || !w.sync || w.tile == WW_TILE_NONE) {
        return "is not supported: it needs an operation, .sync and a tile";
    }
    out->tile = w.tile;
    out->mods |= WW_MOD_SYNC | WW_MOD_ALIGNED;
    return w.multiply ? finish_product(&w, out) : finish_access(&w, out);
}
