/* warpgroup.c - matrix descriptors and the shapes of wgmma. */
#include "isa/warpgroup.h"

#include <stddef.h>

enum { ADDRESS_BITS = 14, UNIT = 4 }; /* addresses and offsets come in units of 16 B */

/* Bits without a meaning for these matrices: PTX ISA, "Matrix Descriptor Format". */
#define RESERVED 0x3ff1c000c000c000ull

const char *ww_matrix_descriptor_decode(uint64_t bits, ww_matrix_descriptor *out)
{
    static const uint8_t span[] = {0, 128, 64, 32};
    const uint64_t mask = (1u << ADDRESS_BITS) - 1;
    *out = (ww_matrix_descriptor){.start = (uint32_t)(bits & mask) << UNIT,
                                  .leading = (uint32_t)(bits >> 16 & mask) << UNIT,
                                  .stride = (uint32_t)(bits >> 32 & mask) << UNIT,
                                  .base = (uint32_t)(bits >> 49 & 7),
                                  .span = span[bits >> 62]};
    return (bits & RESERVED) != 0 ? "has reserved bits set" : NULL;
}

uint32_t ww_matrix_descriptor_place(const ww_matrix_descriptor *d, unsigned line, unsigned k,
                                    unsigned bytes, bool transposed)
{
    unsigned span = d->span;
    if (!transposed) {
        unsigned along = k * bytes;
        return d->start + (span == 0 ? line % 8 * 16 + line / 8 * d->stride +
                                           along / 16 * d->leading + along % 16
                                     : line % 8 * span + line / 8 * d->stride + along);
    }
    unsigned along = line * bytes;
    return d->start +
           (span == 0
                ? along % 16 + along / 16 * d->stride + k % 8 * 16 + k / 8 * d->leading
                : along % span + along / span * d->leading + k % 8 * span + k / 8 * d->stride);
}

uint32_t ww_matrix_descriptor_address(const ww_matrix_descriptor *d, unsigned line, unsigned k,
                                      unsigned bytes, bool transposed)
{
    return ww_matrix_descriptor_swizzle(d,
                                        ww_matrix_descriptor_place(d, line, k, bytes, transposed));
}

unsigned ww_warpgroup_depth(ww_type type)
{
    switch (type) {
    case WW_T_F16:
    case WW_T_BF16:
        return 16;
    case WW_T_TF32:
        return 8;
    case WW_T_E4M3:
    case WW_T_E5M2:
    case WW_T_S8:
    case WW_T_U8:
        return 32;
    case WW_T_B1:
        return 256;
    default:
        return 0;
    }
}

bool ww_warpgroup_columns(ww_type type, unsigned n)
{
    bool integer = type == WW_T_S8 || type == WW_T_U8 || type == WW_T_B1;
    unsigned step = integer && n > 32 ? 16 : 8;
    return n > 0 && n <= WW_WARPGROUP_MOST_N && n % step == 0 && ww_warpgroup_depth(type) != 0;
}
