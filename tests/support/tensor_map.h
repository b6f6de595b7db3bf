/* tensor_map.h - maps that the driver takes, for tests of their rules and of what they reach. */
#ifndef WW_TESTS_SUPPORT_TENSOR_MAP_H
#define WW_TESTS_SUPPORT_TENSOR_MAP_H

#include "isa/tensor_map.h"

/* Columns of twelve pixels, corners at -1, of two images of eight pixels and eight channels. */
static inline ww_tensor_map column_map(void)
{
    return (ww_tensor_map){.address = 0x10000100,
                           .dim = {8, 8, 2},
                           .stride = {2, 16, 128},
                           .box = {8},
                           .step = {1, 1, 1},
                           .lower = {-1},
                           .upper = {-1},
                           .pixels = 12,
                           .type = WW_TENSOR_F16,
                           .rank = 3,
                           .im2col = true};
}

#endif
