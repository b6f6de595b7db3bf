/* hopper.c - tensor maps and numbers of 16 bits for the drivers of Hopper's kernels. */
#include "workloads/hopper.h"

#include <math.h>
#include <string.h>

ww_status ww__map_make(ww__bench *bench, const ww__tensor *tensor, ww__map *out)
{
    const uint64_t bytes = ww_tensor_type_bytes(tensor->type);
    const ww_tensor_map map = {
        .address = tensor->address,
        .dim = {tensor->dim[0], tensor->dim[1], tensor->dim[2]},
        .stride = {bytes, bytes * tensor->dim[0], bytes * tensor->dim[0] * tensor->dim[1]},
        .box = {WW__SPAN, tensor->rows, 1},
        .step = {1, 1, 1},
        .type = (uint8_t)tensor->type,
        .rank = 3,
        .swizzle = WW_SWIZZLE_128B,
        .promotion = 2}; /* 128 B: what a row of a box is */
    const char *problem = ww_tensor_map_problem(&map);
    if (problem != NULL) {
        return ww_fail(bench->err, WW_EINTERNAL, "%s: a tensor map: %s", bench->name, problem);
    }
    ww_tensor_map_encode(&map, out->bytes);
    return WW_OK;
}

/* Exact: the value is 0 or one that both types have. */
static uint16_t bits_of(ww_tensor_type type, float value)
{
    uint32_t single;
    memcpy(&single, &value, sizeof single);
    if (type == WW_TENSOR_BF16 || value == 0) {
        return (uint16_t)(single >> 16);
    }
    const uint32_t sign = single >> 16 & 0x8000, exponent = (single >> 23 & 0xff) - 127 + 15;
    return (uint16_t)(sign | exponent << 10 | (single >> 13 & 0x3ff));
}

ww_status ww__random_16bit(ww__bench *bench, ww_tensor_type type, size_t n, uint16_t **out)
{
    enum { GRID = 64 };
    uint16_t *array = NULL;
    WW_TRY(ww__host_array(bench, n, sizeof *array, &array));
    for (size_t i = 0; i < n; i++) {
        const int k = (int)ww__random_below(bench, 2 * GRID) - GRID;
        array[i] = bits_of(type, (float)k / GRID);
    }
    *out = array;
    return WW_OK;
}

double ww__16bit_value(ww_tensor_type type, uint16_t bits)
{
    if (type == WW_TENSOR_BF16) {
        const uint32_t single = (uint32_t)bits << 16;
        float value;
        memcpy(&value, &single, sizeof value);
        return (double)value;
    }
    const int exponent = bits >> 10 & 31, mantissa = bits & 0x3ff;
    const double sign = bits >> 15 != 0 ? -1 : 1;
    if (exponent == 31) {
        return mantissa != 0 ? (double)NAN : sign * (double)INFINITY;
    }
    return sign * (exponent == 0 ? ldexp(mantissa, -24) : ldexp(1024 + mantissa, exponent - 25));
}
