/* tensor_map.c - tensor maps as programs make them: the driver's checks, and the 128 bytes, which
 * are our own (isa/tensor_map.h). They never touch the device. */
#include <string.h>

#include "isa/tensor_map.h"
#include "runtime/core/context.h"
#include "runtime/driver_api/calls.h"

enum { MAP_ALIGNMENT = 64 };

/* Values that fit no field are of no enumeration either. */
static uint8_t small(unsigned value)
{
    return (uint8_t)(value < UINT8_MAX ? value : UINT8_MAX);
}

typedef struct request {
    CUtensorMap *out;
    unsigned type, rank;
    const void *address;
    const uint64_t *dim, *stride;
    const unsigned *step;
    unsigned interleave, swizzle, promotion, fill;
} request;

/* What all maps have; false: a pointer is missing or the rank leaves nothing to read. */
static bool take(const request *q, ww_tensor_map *map)
{
    if (q->out == NULL || (uintptr_t)q->out % MAP_ALIGNMENT != 0 || q->address == NULL ||
        q->dim == NULL || q->step == NULL || q->rank == 0 || q->rank > WW_TENSOR_RANK ||
        (q->stride == NULL && q->rank > 1)) {
        return false;
    }
    *map = (ww_tensor_map){.address = (uintptr_t)q->address,
                           .type = small(q->type),
                           .rank = (uint8_t)q->rank,
                           .interleave = small(q->interleave),
                           .swizzle = small(q->swizzle),
                           .promotion = small(q->promotion),
                           .fill = small(q->fill)};
    map->stride[0] = ww_tensor_type_bytes(q->type);
    for (unsigned i = 0; i < q->rank; i++) {
        map->dim[i] = q->dim[i];
        map->step[i] = q->step[i];
        if (i > 0) {
            map->stride[i] = q->stride[i - 1];
        }
    }
    return true;
}

static CUresult finish(const request *q, const ww_tensor_map *map)
{
    const char *problem = ww_tensor_map_problem(map);
    if (problem != NULL) {
        rt_say("a tensor map is refused: %s", problem);
        return cudaErrorInvalidValue;
    }
    ww_tensor_map_encode(map, (unsigned char *)q->out);
    return cudaSuccess;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *out, unsigned type, unsigned rank, void *address,
                                const uint64_t *dim, const uint64_t *stride, const unsigned *box,
                                const unsigned *step, unsigned interleave, unsigned swizzle,
                                unsigned promotion, unsigned fill)
{
    const request q = {out,  type,       rank,    address,   dim, stride,
                       step, interleave, swizzle, promotion, fill};
    ww_tensor_map map;
    if (!take(&q, &map) || box == NULL) {
        return cudaErrorInvalidValue;
    }
    for (unsigned i = 0; i < rank; i++) {
        map.box[i] = box[i];
    }
    return finish(&q, &map);
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *out, unsigned type, unsigned rank, void *address,
                                 const uint64_t *dim, const uint64_t *stride, const int *lower,
                                 const int *upper, unsigned channels, unsigned pixels,
                                 const unsigned *step, unsigned interleave, unsigned swizzle,
                                 unsigned promotion, unsigned fill)
{
    const request q = {out,  type,       rank,    address,   dim, stride,
                       step, interleave, swizzle, promotion, fill};
    ww_tensor_map map;
    if (!take(&q, &map) || lower == NULL || upper == NULL) {
        return cudaErrorInvalidValue;
    }
    map.im2col = true;
    map.box[0] = channels;
    map.pixels = pixels;
    for (unsigned i = 0; i + 2 < rank; i++) {
        map.lower[i] = lower[i];
        map.upper[i] = upper[i];
    }
    return finish(&q, &map);
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *out, void *address)
{
    ww_tensor_map map;
    if (out == NULL || address == NULL || (uintptr_t)out % MAP_ALIGNMENT != 0 ||
        !ww_tensor_map_decode((const unsigned char *)out, &map)) {
        return cudaErrorInvalidValue;
    }
    map.address = (uintptr_t)address;
    const request q = {.out = out};
    return finish(&q, &map);
}
