/* tensor_map.c - tensor maps: their rules, their bytes, and changes of single fields. */
#include "isa/tensor_map.h"

#include <string.h>

#include "base/compiler.h"

/* ---- types and units ---- */

static const struct {
    uint8_t bytes;
    bool real;
} types[] = {
#define X(id, bytes, real) {bytes, real},
    WW_TENSOR_TYPE_MAP(X)
#undef X
};

unsigned ww_tensor_type_bytes(unsigned type)
{
    return type < WW_TENSOR_TYPE_COUNT ? types[type].bytes : 0;
}

bool ww_tensor_type_is_float(unsigned type)
{
    return type < WW_TENSOR_TYPE_COUNT && types[type].real;
}

unsigned ww_tensor_unit_bytes(const ww_tensor_map *map)
{
    return map->interleave == WW_INTERLEAVE_16B   ? 16
           : map->interleave == WW_INTERLEAVE_32B ? 32
                                                  : ww_tensor_type_bytes(map->type);
}

unsigned ww_swizzle_span(unsigned swizzle)
{
    return swizzle > WW_SWIZZLE_NONE && swizzle < WW_SWIZZLE_COUNT ? 16u << swizzle : 0;
}

/* ---- rules (cuda.h of CUDA 13.0, comments of the two encoders) ---- */

static const char *enumerators(const ww_tensor_map *m)
{
    if (m->type >= WW_TENSOR_TYPE_COUNT) {
        return "the data type is none that this GPU copies";
    }
    if (m->interleave >= WW_INTERLEAVE_COUNT || m->swizzle >= WW_SWIZZLE_COUNT ||
        m->promotion >= WW_PROMOTION_COUNT || m->fill > 1) {
        return "interleave, swizzle, L2 promotion or fill is out of range";
    }
    if (m->fill == 1 && !ww_tensor_type_is_float(m->type)) {
        return "NaN fills tensors of floating-point types only";
    }
    if (m->interleave == WW_INTERLEAVE_32B && m->swizzle != WW_SWIZZLE_32B) {
        return "interleave 32B demands swizzle 32B";
    }
    return NULL;
}

static const char *tensor(const ww_tensor_map *m)
{
    bool wide = m->interleave == WW_INTERLEAVE_32B;
    unsigned least = m->im2col || m->interleave != WW_INTERLEAVE_NONE ? 3 : 1;
    if (m->rank < least || m->rank > WW_TENSOR_RANK) {
        return least == 1 ? "the rank must be 1 to 5" : "the rank must be 3 to 5";
    }
    if (m->address % (wide ? 32 : 16) != 0) {
        return wide ? "the address must be a multiple of 32"
                    : "the address must be a multiple of 16";
    }
    for (unsigned i = 0; i < m->rank; i++) {
        if (m->dim[i] == 0 || m->dim[i] > 1ull << 32) {
            return "a dimension must be 1 to 2^32";
        }
        if (i > 0 && (m->stride[i] % (wide ? 32 : 16) != 0 || m->stride[i] >= 1ull << 40)) {
            return wide ? "a stride must be a multiple of 32 below 2^40"
                        : "a stride must be a multiple of 16 below 2^40";
        }
        bool ignored = i == 0 && m->interleave == WW_INTERLEAVE_NONE;
        if (!ignored && (m->step[i] == 0 || m->step[i] > 8)) {
            return "an element stride must be 1 to 8";
        }
    }
    return NULL;
}

/* The extent along dimension 0: box[0], or the channels of a pixel. */
static const char *inner(const ww_tensor_map *m)
{
    unsigned span = ww_swizzle_span(m->swizzle);
    uint32_t bytes = m->box[0] * ww_tensor_type_bytes(m->type);
    if (m->box[0] == 0 || m->box[0] > 256) {
        return "a box must have 1 to 256 elements in every dimension";
    }
    if (m->interleave != WW_INTERLEAVE_NONE) {
        return NULL;
    }
    if (bytes % 16 != 0) {
        return "the box's innermost dimension must be a multiple of 16 bytes";
    }
    return span != 0 && bytes > span ? "the box's innermost dimension is wider than the swizzle"
                                     : NULL;
}

static const char *tile(const ww_tensor_map *m)
{
    for (unsigned i = 1; i < m->rank; i++) {
        if (m->box[i] == 0 || m->box[i] > 256) {
            return "a box must have 1 to 256 elements in every dimension";
        }
    }
    return NULL;
}

static const char *column(const ww_tensor_map *m)
{
    static const int32_t most[] = {32767, 127, 15}; /* by rank - 3 */
    int32_t high = most[m->rank - 3];
    if (m->pixels == 0 || m->pixels > 1024) {
        return "a column must have 1 to 1024 pixels";
    }
    for (unsigned i = 0; i + 2 < m->rank; i++) {
        if (m->lower[i] < -high - 1 || m->lower[i] > high || m->upper[i] < -high - 1 ||
            m->upper[i] > high) {
            return "a corner of the pixel box is out of range";
        }
        if ((int64_t)m->dim[i + 1] + m->upper[i] - m->lower[i] <= 0) {
            return "the pixel box is empty";
        }
    }
    return NULL;
}

const char *ww_tensor_map_problem(const ww_tensor_map *map)
{
    const char *wrong = enumerators(map);
    wrong = wrong != NULL ? wrong : tensor(map);
    wrong = wrong != NULL ? wrong : inner(map);
    return wrong != NULL ? wrong : map->im2col ? column(map) : tile(map);
}

/* ---- bytes ---- */

/* As it lies in memory; the host is little-endian. Dimensions less one, so that 2^32 has room. The
 * second word is no part of the map: of small tensors' maps, CUTLASS clears bit 21 there, which
 * means something in the maps of drivers up to 13.1 (cute/atom/copy_traits_sm90_tma.hpp). */
typedef struct packed_map {
    uint32_t mark, check;
    uint64_t others;
    uint64_t address, stride[WW_TENSOR_RANK - 1];
    uint32_t dim[WW_TENSOR_RANK];
    uint16_t box[WW_TENSOR_RANK], pixels;
    int16_t lower[WW_TENSOR_SPATIAL], upper[WW_TENSOR_SPATIAL];
    uint8_t step[WW_TENSOR_RANK], type, rank, interleave, swizzle, promotion, fill, im2col;
    uint8_t unused[16];
} packed_map;

_Static_assert(sizeof(packed_map) == WW_TENSOR_MAP_BYTES, "a tensor map has 128 bytes");

enum { MARK = 0x504d5457, CHECKED_FROM = 16 };

/* FNV-1a, 32 bits: http://www.isthe.com/chongo/tech/comp/fnv. */
static uint32_t check_sum(const packed_map *p)
{
    const unsigned char *byte = (const unsigned char *)p;
    uint32_t sum = 2166136261u;
    for (unsigned i = CHECKED_FROM; i < sizeof *p; i++) {
        sum = (sum ^ byte[i]) * 16777619u;
    }
    return sum;
}

static uint32_t at_most(uint32_t value, uint32_t most)
{
    return value < most ? value : most;
}

static int16_t corner(int32_t v)
{
    return (int16_t)(v < INT16_MIN ? INT16_MIN : v > INT16_MAX ? INT16_MAX : v);
}

void ww_tensor_map_encode(const ww_tensor_map *map, unsigned char bytes[WW_TENSOR_MAP_BYTES])
{
    packed_map p = {.mark = MARK,
                    .address = map->address,
                    .pixels = (uint16_t)at_most(map->pixels, UINT16_MAX),
                    .type = map->type,
                    .rank = map->rank,
                    .interleave = map->interleave,
                    .swizzle = map->swizzle,
                    .promotion = map->promotion,
                    .fill = map->fill,
                    .im2col = map->im2col};
    for (unsigned i = 0; i < WW_TENSOR_RANK; i++) {
        p.dim[i] = (uint32_t)(map->dim[i] - 1);
        p.box[i] = (uint16_t)at_most(map->box[i], UINT16_MAX);
        p.step[i] = (uint8_t)at_most(map->step[i], UINT8_MAX);
    }
    memcpy(p.stride, map->stride + 1, sizeof p.stride);
    for (unsigned i = 0; i < WW_TENSOR_SPATIAL; i++) {
        p.lower[i] = corner(map->lower[i]);
        p.upper[i] = corner(map->upper[i]);
    }
    p.check = check_sum(&p);
    memcpy(bytes, &p, sizeof p);
}

bool ww_tensor_map_decode(const unsigned char bytes[WW_TENSOR_MAP_BYTES], ww_tensor_map *map)
{
    packed_map p;
    memcpy(&p, bytes, sizeof p);
    if (p.mark != MARK || p.check != check_sum(&p)) {
        return false;
    }
    *map = (ww_tensor_map){.address = p.address,
                           .pixels = p.pixels,
                           .type = p.type,
                           .rank = p.rank,
                           .interleave = p.interleave,
                           .swizzle = p.swizzle,
                           .promotion = p.promotion,
                           .fill = p.fill,
                           .im2col = p.im2col != 0};
    for (unsigned i = 0; i < WW_TENSOR_RANK; i++) {
        map->dim[i] = (uint64_t)p.dim[i] + 1;
        map->box[i] = p.box[i];
        map->step[i] = p.step[i];
    }
    map->stride[0] = ww_tensor_type_bytes(p.type);
    memcpy(map->stride + 1, p.stride, sizeof p.stride);
    for (unsigned i = 0; i < WW_TENSOR_SPATIAL; i++) {
        map->lower[i] = p.lower[i];
        map->upper[i] = p.upper[i];
    }
    return true;
}

/* ---- changes ---- */

/* PTX counts .f32.ftz, .f64 and .bf16 in another order than the driver (PTX ISA,
 * "tensormap.replace", table of .elemtype). */
static uint8_t type_of_ptx(uint64_t number)
{
    static const uint8_t order[] = {
        WW_TENSOR_U8,   WW_TENSOR_U16,  WW_TENSOR_U32,     WW_TENSOR_S32,     WW_TENSOR_U64,
        WW_TENSOR_S64,  WW_TENSOR_F16,  WW_TENSOR_F32,     WW_TENSOR_F32_FTZ, WW_TENSOR_F64,
        WW_TENSOR_BF16, WW_TENSOR_TF32, WW_TENSOR_TF32_FTZ};
    return number < WW_ARRAY_LEN(order) ? order[number] : UINT8_MAX;
}

static uint8_t small(uint64_t value)
{
    return (uint8_t)(value < UINT8_MAX ? value : UINT8_MAX);
}

bool ww_tensor_map_replace(ww_tensor_map *map, ww_tensor_field field, unsigned ordinal,
                           uint64_t value)
{
    static const uint8_t ordinals[] = {
#define X(id, text, ordinals) ordinals,
        WW_TENSOR_FIELD_MAP(X)
#undef X
    };
    if ((unsigned)field >= WW_TENSOR_FIELD_COUNT ||
        (ordinals[field] != 0 && ordinal >= ordinals[field])) {
        return false;
    }
    switch (field) {
    case WW_TENSOR_FIELD_GLOBAL_ADDRESS:
        map->address = value;
        break;
    case WW_TENSOR_FIELD_RANK:
        map->rank = small((value & UINT32_MAX) + 1);
        break;
    case WW_TENSOR_FIELD_BOX_DIM:
        map->box[ordinal] = (uint32_t)value;
        break;
    case WW_TENSOR_FIELD_GLOBAL_DIM:
        map->dim[ordinal] = (uint32_t)value != 0 ? (uint32_t)value : 1ull << 32;
        break;
    case WW_TENSOR_FIELD_GLOBAL_STRIDE:
        map->stride[ordinal + 1] = value;
        break;
    case WW_TENSOR_FIELD_ELEMENT_STRIDE:
        map->step[ordinal] = (uint32_t)value;
        break;
    case WW_TENSOR_FIELD_ELEMTYPE:
        map->type = type_of_ptx(value);
        map->stride[0] = ww_tensor_type_bytes(map->type);
        break;
    case WW_TENSOR_FIELD_INTERLEAVE:
        map->interleave = small(value);
        break;
    case WW_TENSOR_FIELD_SWIZZLE:
        map->swizzle = small(value);
        break;
    default:
        map->fill = small(value);
        break;
    }
    return true;
}
