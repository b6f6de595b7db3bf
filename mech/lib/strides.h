/* strides.h - the table of strides of stride prefetchers: what a key (a load, or a load of a warp)
 * last accessed, by how much addresses move from one position to the next, and how many times in a
 * row they did (Baer, Chen, Supercomputing 1991). Least recently used entries give way. */
#ifndef WW_MECH_LIB_STRIDES_H
#define WW_MECH_LIB_STRIDES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/status.h"

enum { WW_STRIDE_SURE = 3 }; /* two bits of confidence */

typedef struct ww_stride {
    uint64_t key;     /* UINT64_MAX: free */
    uint64_t address; /* last */
    int64_t stride;   /* by position */
    uint64_t used;
    uint32_t position;
    uint8_t confidence; /* equal strides in a row, at most WW_STRIDE_SURE */
} ww_stride;

typedef struct ww_strides {
    ww_stride *entry;
    uint32_t entries;
    uint64_t clock;
} ww_strides;

/** @error ENOMEM */
WW_NODISCARD ww_status ww_strides_init(ww_strides *t, uint32_t entries, ww_error *err);
void ww_strides_fini(ww_strides *t);
void ww_strides_clear(ww_strides *t);

/** The entry of a key, without a change; NULL: none. */
ww_stride *ww_strides_find(ww_strides *t, uint64_t key);
/** The key's access at a position. A distance that is not a multiple of the positions between is no
 * stride: confidence starts anew, as it does with a stride that differs from the one before. */
ww_stride *ww_strides_observe(ww_strides *t, uint64_t key, uint32_t position, uint64_t address);
/** The key's next access, each one position behind the last. */
ww_stride *ww_strides_observe_next(ww_strides *t, uint64_t key, uint64_t address);
/** Frees the entries whose key, masked, is `key`. */
void ww_strides_drop(ww_strides *t, uint64_t mask, uint64_t key);

#endif
