/* hopper.h - what the drivers of kernels for Hopper's engines share: tensor maps and numbers of 16
 * bits. Private to workloads/. */
#ifndef WW_WORKLOADS_HOPPER_H
#define WW_WORKLOADS_HOPPER_H

#include "isa/tensor_map.h"
#include "workloads/support.h"

enum { WW__SPAN = 64 /* 16-bit numbers of a swizzled row of 128 B: a box's first dimension */ };

/* A kernel's parameter: tensor_map of hopper.cuh. */
typedef struct ww__map {
    unsigned char bytes[WW_TENSOR_MAP_BYTES];
} ww__map;

/* A dense tensor of 16-bit numbers, innermost dimension first, and what is copied of it at once. */
typedef struct ww__tensor {
    ww_devptr address;
    ww_tensor_type type; /* F16 or BF16 */
    uint64_t dim[3];
    uint32_t rows; /* of a box: WW__SPAN x rows x 1, its rows swizzled */
} ww__tensor;

/** Writes the map; beyond the tensor there are zeros. @error EINTERNAL: no such map may be made */
WW_NODISCARD ww_status ww__map_make(ww__bench *bench, const ww__tensor *tensor, ww__map *out);

/** *out = new host array of n random multiples of 1/64 in [-1, 1), which both types have. */
WW_NODISCARD ww_status ww__random_16bit(ww__bench *bench, ww_tensor_type type, size_t n,
                                        uint16_t **out);
/** The number that the bits of a type are. */
double ww__16bit_value(ww_tensor_type type, uint16_t bits);

#endif
