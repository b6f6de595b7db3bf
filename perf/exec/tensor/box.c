/* box.c - the walk over a box: tiles and im2col columns (PTX ISA 8.x, "Tiled mode", "im2col mode").
 * An interleaved tensor has slices of 16 or 32 bytes along dimension 0, which coordinates, box and
 * bounds of that dimension count there; PTX shows it for C8 and C16 of 16 bits alone. */
#include "perf/exec/tensor/box.h"

#include <stddef.h>

ww_tensor_box ww_tensor_box_at(const ww_tensor_map *map, const int32_t *coordinate,
                               const uint16_t *offset)
{
    ww_tensor_box box = {.map = map, .unit = ww_tensor_unit_bytes(map), .rows = 1};
    bool sliced = map->interleave != WW_INTERLEAVE_NONE;
    for (unsigned i = 0; i < map->rank; i++) {
        box.at[i] = coordinate[i];
        uint32_t step = i == 0 && !sliced ? 1 : map->step[i];
        box.extent[i] = i > 0 && map->im2col ? 1 : (map->box[i] + step - 1) / step;
        box.rows *= i > 0 ? box.extent[i] : 1;
    }
    for (unsigned i = 0; map->im2col && offset != NULL && i + 2u < map->rank; i++) {
        box.offset[i] = offset[i];
    }
    box.rows = map->im2col ? map->pixels : box.rows;
    box.row_bytes = box.extent[0] * box.unit;
    box.bytes = box.rows * box.row_bytes;
    return box;
}

/* Adds a place along a dimension to a row; false: it lies outside. */
static bool take(const ww_tensor_map *map, unsigned dimension, int64_t place, uint64_t *address)
{
    *address += (uint64_t)place * map->stride[dimension];
    return place >= 0 && (uint64_t)place < map->dim[dimension];
}

/* Where the rest of a row lies: units along dimension 0. */
static void along(const ww_tensor_box *box, bool inside, ww_tensor_row *row)
{
    const ww_tensor_map *map = box->map;
    bool sliced = map->interleave != WW_INTERLEAVE_NONE;
    int64_t step = sliced ? map->step[0] : 1;
    int64_t units = (int64_t)(map->dim[0] * ww_tensor_type_bytes(map->type) / box->unit);
    int64_t at = box->at[0];
    row->address += (uint64_t)at * box->unit;
    row->stride = (uint32_t)step * box->unit;
    int64_t first = at >= 0 ? 0 : (step - 1 - at) / step;
    int64_t last = at >= units ? 0 : (units - at + step - 1) / step;
    int64_t count = box->extent[0];
    row->first = (uint32_t)(first < count ? first : count);
    row->last = (uint32_t)(last < count ? last : count);
    if (!inside || row->first >= row->last) {
        row->first = row->last = 0;
    }
}

static bool tile_row(const ww_tensor_box *box, uint64_t number, uint64_t *address)
{
    const ww_tensor_map *map = box->map;
    bool inside = true;
    for (unsigned i = 1; i < map->rank; i++) {
        int64_t place = (int64_t)box->at[i] + (int64_t)(number % box->extent[i]) * map->step[i];
        number /= box->extent[i];
        inside &= take(map, i, place, address);
    }
    return inside;
}

static int64_t floor_divide(int64_t a, int64_t b)
{
    return a >= 0 ? a / b : -((b - 1 - a) / b);
}

/* The base that is `number` bases behind the coordinate's: along W, then H, then D, each from its
 * lower corner on in its element strides, then N. */
static bool column_row(const ww_tensor_box *box, uint64_t number, uint64_t *address)
{
    const ww_tensor_map *map = box->map;
    unsigned last = map->rank - 1u;
    int64_t carry = (int64_t)number;
    bool inside = true;
    for (unsigned i = 1; i < last; i++) {
        int64_t step = map->step[i];
        int64_t lower = map->lower[i - 1];
        int64_t bases = ((int64_t)map->dim[i] + map->upper[i - 1] - lower + step - 1) / step;
        int64_t index = floor_divide(box->at[i] - lower, step) + carry;
        int64_t moved = carry;
        carry = index >= bases ? index / bases : 0;
        int64_t base = carry == 0 ? box->at[i] + moved * step : lower + index % bases * step;
        inside &= take(map, i, base + box->offset[i - 1], address);
    }
    return take(map, last, box->at[last] + carry, address) && inside;
}

ww_tensor_row ww_tensor_box_row(const ww_tensor_box *box, uint64_t number)
{
    ww_tensor_row row = {.address = box->map->address};
    bool inside = box->map->im2col ? column_row(box, number, &row.address)
                                   : tile_row(box, number, &row.address);
    along(box, inside, &row);
    return row;
}

uint32_t ww_tensor_arriving(unsigned type, uint32_t bits)
{
    bool flushes = type == WW_TENSOR_F32_FTZ || type == WW_TENSOR_TF32_FTZ;
    bool rounds = type == WW_TENSOR_TF32 || type == WW_TENSOR_TF32_FTZ;
    uint32_t rest = bits & 0x7fffffffu;
    if (flushes && rest < 0x00800000u) {
        return bits & 0x80000000u;
    }
    /* To nearest, ties away from zero, as cvt.rna.tf32; infinities and NaN stay. */
    return rounds && rest < 0x7f800000u ? (bits + 0x1000u) & ~0x1fffu : bits;
}
