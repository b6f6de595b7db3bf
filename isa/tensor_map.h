/* tensor_map.h - what a tensor map says about a tensor in global memory and the boxes that are
 * copied of it, and the 128 bytes that stand for it (PTX ISA 8.x, "Tensor"; CUDA driver API,
 * "Tensor Map Object Management"). NVIDIA keeps its encoding to itself; this one is our own, with a
 * check sum, so that bytes that are no tensor map are found out. */
#ifndef WW_ISA_TENSOR_MAP_H
#define WW_ISA_TENSOR_MAP_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    WW_TENSOR_RANK = 5,       /* dimensions, at most */
    WW_TENSOR_SPATIAL = 3,    /* of those, W, H and D of im2col */
    WW_TENSOR_MAP_BYTES = 128 /* CUtensorMap */
};

/* Types as the driver counts them. X(ID, bytes, float) */
#define WW_TENSOR_TYPE_MAP(X)                                                                      \
    X(U8, 1, 0)                                                                                    \
    X(U16, 2, 0)                                                                                   \
    X(U32, 4, 0)                                                                                   \
    X(S32, 4, 0)                                                                                   \
    X(U64, 8, 0)                                                                                   \
    X(S64, 8, 0)                                                                                   \
    X(F16, 2, 1)                                                                                   \
    X(F32, 4, 1)                                                                                   \
    X(F64, 8, 1)                                                                                   \
    X(BF16, 2, 1)                                                                                  \
    X(F32_FTZ, 4, 1)  /* subnormal elements arrive as zeros */                                     \
    X(TF32, 4, 1)     /* elements are rounded on the way */                                        \
    X(TF32_FTZ, 4, 1) /* both */

typedef enum ww_tensor_type {
#define X(id, bytes, real) WW_TENSOR_##id,
    WW_TENSOR_TYPE_MAP(X)
#undef X
        WW_TENSOR_TYPE_COUNT
} ww_tensor_type;

typedef enum ww_tensor_interleave {
    WW_INTERLEAVE_NONE,
    WW_INTERLEAVE_16B, /* dimension 0 comes in slices of 16 B, which box[0] counts */
    WW_INTERLEAVE_32B,
    WW_INTERLEAVE_COUNT
} ww_tensor_interleave;

typedef enum ww_tensor_swizzle {
    WW_SWIZZLE_NONE,
    WW_SWIZZLE_32B,
    WW_SWIZZLE_64B,
    WW_SWIZZLE_128B,
    WW_SWIZZLE_COUNT
} ww_tensor_swizzle;

enum { WW_PROMOTION_COUNT = 4 }; /* none, 64 B, 128 B, 256 B: what L2 fetches at a time */

typedef struct ww_tensor_map {
    uint64_t address;                 /* of element 0, in global memory */
    uint64_t dim[WW_TENSOR_RANK];     /* elements, 1 to 2^32, innermost first */
    uint64_t stride[WW_TENSOR_RANK];  /* bytes; [0] is the element's size */
    uint32_t box[WW_TENSOR_RANK];     /* tiles: elements that a copy spans; im2col: [0] alone */
    uint32_t step[WW_TENSOR_RANK];    /* every step-th element of them is copied */
    int32_t lower[WW_TENSOR_SPATIAL]; /* im2col: W, H, D where bases begin, */
    int32_t upper[WW_TENSOR_SPATIAL]; /* and beyond the last element, where they end */
    uint32_t pixels;                  /* im2col: per column */
    uint8_t type;                     /* ww_tensor_type */
    uint8_t rank;                     /* 1 to 5; im2col: 3 to 5 */
    uint8_t interleave, swizzle;      /* ww_tensor_interleave, ww_tensor_swizzle */
    uint8_t promotion, fill;          /* fill: 0 zeros, 1 NaN */
    bool im2col;
} ww_tensor_map;

/* What tensormap.replace may change (PTX ISA, "tensormap.replace"). X(ID, "ptx", ordinals) */
#define WW_TENSOR_FIELD_MAP(X)                                                                     \
    X(GLOBAL_ADDRESS, "global_address", 0)                                                         \
    X(RANK, "rank", 0) /* rank - 1 */                                                              \
    X(BOX_DIM, "box_dim", 5)                                                                       \
    X(GLOBAL_DIM, "global_dim", 5)                                                                 \
    X(GLOBAL_STRIDE, "global_stride", 4) /* of dimension ordinal + 1, bytes */                     \
    X(ELEMENT_STRIDE, "element_stride", 5)                                                         \
    X(ELEMTYPE, "elemtype", 0) /* types in PTX's order, which is not the driver's */               \
    X(INTERLEAVE, "interleave_layout", 0)                                                          \
    X(SWIZZLE, "swizzle_mode", 0)                                                                  \
    X(FILL, "fill_mode", 0)

typedef enum ww_tensor_field {
#define X(id, text, ordinals) WW_TENSOR_FIELD_##id,
    WW_TENSOR_FIELD_MAP(X)
#undef X
        WW_TENSOR_FIELD_COUNT
} ww_tensor_field;

/** Bytes of an element; 0 for no type. */
unsigned ww_tensor_type_bytes(unsigned type);
bool ww_tensor_type_is_float(unsigned type);
/** Bytes along dimension 0 that box[0] counts: an element, or a slice of interleaved ones. */
unsigned ww_tensor_unit_bytes(const ww_tensor_map *map);
/** Bytes of a swizzled span, 32, 64 or 128; 0: none. */
unsigned ww_swizzle_span(unsigned swizzle);
/** Where a byte of a swizzled layout lies: bits 4 and up of the absolute shared address, as many as
 * the span has groups of 16 B, are exclusive-or'd with bits 7 and up. */
static inline uint32_t ww_swizzled(uint32_t address, unsigned span)
{
    return span == 0 ? address : address ^ ((address >> 7 & (span / 16 - 1)) << 4);
}

/** What the driver refuses about a map, in words; NULL: nothing. The rules are those of
 * cuTensorMapEncodeTiled and, with map->im2col, cuTensorMapEncodeIm2col. */
const char *ww_tensor_map_problem(const ww_tensor_map *map);
/** Writes the 128 bytes. Values beyond what a field holds become ones that are wrong as well. */
void ww_tensor_map_encode(const ww_tensor_map *map, unsigned char bytes[WW_TENSOR_MAP_BYTES]);
/** Reads them; false: they are no tensor map. What it says may still be wrong. */
bool ww_tensor_map_decode(const unsigned char bytes[WW_TENSOR_MAP_BYTES], ww_tensor_map *map);
/** Changes a field; false: there is no such ordinal. Any value is taken; that it is wrong shows
 * when the map is used. */
bool ww_tensor_map_replace(ww_tensor_map *map, ww_tensor_field field, unsigned ordinal,
                           uint64_t value);

#ifdef __cplusplus
}
#endif
#endif
