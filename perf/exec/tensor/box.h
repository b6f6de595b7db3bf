/* box.h - the box of a tensor copy as rows: what each row reads or writes of global memory, and
 * where it lies in shared memory. A box is what cp.async.bulk.tensor moves, a tile's elements or
 * the pixels of an im2col column; a row is the part of it along the tensor's innermost dimension.
 * Both who moves the data and who times the copy walk it. Depends on: isa. */
#ifndef WW_PERF_EXEC_TENSOR_BOX_H
#define WW_PERF_EXEC_TENSOR_BOX_H

#include "isa/tensor_map.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ww_tensor_box {
    const ww_tensor_map *map; /* borrowed, without a problem */
    int32_t at[WW_TENSOR_RANK];
    uint16_t offset[WW_TENSOR_SPATIAL]; /* im2col: W, H, D added to every base */
    uint32_t
        extent[WW_TENSOR_RANK]; /* elements copied along each dimension; im2col: [0] channels */
    uint32_t unit;              /* bytes that extent[0] counts */
    uint32_t row_bytes;
    uint64_t rows;
    uint64_t bytes; /* of the whole box, as mbarriers count it: rows * row_bytes */
} ww_tensor_box;

typedef struct ww_tensor_row {
    uint64_t address;     /* of the row's first unit, which may lie outside the tensor */
    uint32_t first, last; /* units [first, last) of the row lie inside; first == last: none */
    uint32_t stride;      /* bytes from unit to unit in global memory */
} ww_tensor_row;

/**
 * The box at those coordinates.
 * @param map         without a problem (ww_tensor_map_problem)
 * @param coordinate  [map->rank], elements, innermost first
 * @param offset      im2col: [map->rank - 2], W first; NULL: none
 */
ww_tensor_box ww_tensor_box_at(const ww_tensor_map *map, const int32_t *coordinate,
                               const uint16_t *offset);
/** Row number `row` of box->rows, in the order in which they lie in shared memory. */
ww_tensor_row ww_tensor_box_row(const ww_tensor_box *box, uint64_t row);
/** Shared address of a byte of the box that lies at base: rows one after the other, swizzled. */
static inline uint32_t ww_tensor_box_shared(const ww_tensor_box *box, uint32_t base, uint32_t byte)
{
    return ww_swizzled(base + byte, ww_swizzle_span(box->map->swizzle));
}
/** What fills elements that lie outside: repeated every 8 bytes. A NaN is 0x7ff7 every 16 bits,
 * which is one of every type. */
static inline uint64_t ww_tensor_fill(const ww_tensor_map *map)
{
    return map->fill != 0 ? 0x7ff77ff77ff77ff7ull : 0;
}
/** An element of that type as it arrives in shared memory. */
uint32_t ww_tensor_arriving(unsigned type, uint32_t bits);

#ifdef __cplusplus
}
#endif
#endif
