/* warp.h - threads of a warp, the one number of a machine that no description changes. */
#ifndef WW_ARCH_WARP_H
#define WW_ARCH_WARP_H

#include <stdint.h>

enum { WW_WARP_SIZE = 32 }; /* threads of a warp */

/** Warps of a CTA with that many threads. */
static inline uint32_t ww_warps_of(uint32_t threads)
{
    return (threads + WW_WARP_SIZE - 1) / WW_WARP_SIZE;
}

#endif
