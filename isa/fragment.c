/* fragment.c - matrix tiles and the shapes of their fragments. */
#include "isa/fragment.h"

#include "isa/warpgroup.h"

#include <string.h>

typedef struct tile_row {
    const char *name;
    uint16_t m, n, k;
} tile_row;

static const tile_row tiles[WW_TILE_COUNT] = {
#define X(id, text, m, n, k) [WW_TILE_##id] = {text, m, n, k},
    WW_TILE_MAP(X)
#undef X
};

static const tile_row *row_of(ww_tile tile)
{
    return &tiles[(unsigned)tile < WW_TILE_COUNT ? tile : WW_TILE_NONE];
}

unsigned ww_tile_m(ww_tile tile)
{
    return row_of(tile)->m;
}

unsigned ww_tile_n(ww_tile tile)
{
    return row_of(tile)->n;
}

unsigned ww_tile_k(ww_tile tile)
{
    return row_of(tile)->k;
}

unsigned ww_tile_products(ww_tile tile)
{
    const tile_row *t = row_of(tile);
    unsigned rows = t->m == WW_WARPGROUP_M ? WW_WARPGROUP_WARP_M : t->m;
    return rows * t->n * t->k;
}

const char *ww_tile_name(ww_tile tile)
{
    return row_of(tile)->name;
}

ww_tile ww_tile_find(const char *name, unsigned length)
{
    for (unsigned t = WW_TILE_NONE + 1; t < WW_TILE_COUNT; t++) {
        if (strlen(tiles[t].name) == length && memcmp(tiles[t].name, name, length) == 0) {
            return (ww_tile)t;
        }
    }
    return WW_TILE_NONE;
}

ww_fragment ww_isa_fragment(ww_tile tile, ww_sub matrix, ww_type type, bool wmma)
{
    const tile_row *t = row_of(tile);
    bool factor = matrix == WW_SUB_A || matrix == WW_SUB_B;
    bool nibble = type == WW_T_S4 || type == WW_T_U4;
    bool single = type == WW_T_B1 && factor;
    unsigned bits = nibble ? 4 : single ? 32 : 8 * ww_type_bytes(type);
    ww_fragment f = {.bits = (uint8_t)bits, .lines_first = matrix != WW_SUB_B};
    if (t->m == 0 || bits == 0) {
        return f;
    }
    f.lines = (uint8_t)(matrix == WW_SUB_B ? t->n : t->m);
    f.positions = (uint8_t)(single ? t->k / 32u : factor ? t->k : t->n);
    f.unit = (uint8_t)(!factor ? 2 : bits < 32 ? 32 / bits : 1);
    f.content = (uint8_t)(f.lines * f.positions / 32u);
    bool repeated = wmma && factor && type == WW_T_F16;
    f.registers = (uint8_t)(repeated ? 8 : bits < 32 ? f.content * bits / 32 : f.content);
    return f;
}
