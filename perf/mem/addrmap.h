/* addrmap.h - where an address lives: slice, channel, bank, row, column. One-to-one at every step.
 */
#ifndef WW_PERF_MEM_ADDRMAP_H
#define WW_PERF_MEM_ADDRMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "base/status.h"

typedef struct ww_divider {
    uint32_t by;
    uint32_t shift; /* when by is a power of two */
    bool pow2;
} ww_divider;

typedef struct ww_addrmap {
    ww_divider slices;         /* of the whole chip */
    ww_divider chunks_per_row; /* interleave chunks in one row */
    ww_divider round;          /* banks that consecutive chunks of a channel go round */
    ww_divider rounds;         /* banks / round */
    ww_divider groups;         /* of one stack ID */
    ww_divider
        stack_banks;      /* banks of one stack ID: the upper bits of a bank's number tell which */
    uint32_t chunk_shift; /* interleave_bytes = 1 << chunk_shift */
    uint32_t channels, slices_per_channel;
    uint32_t banks;
    bool hash, hash_banks;
} ww_addrmap;

typedef struct ww_slice_address {
    uint32_t slice; /* channel * slices per channel + slice in the channel */
    uint64_t local; /* dense address within the slice: what its cache indexes */
} ww_slice_address;

typedef struct ww_dram_address {
    uint32_t bank, group; /* groups of all stack IDs are numbered through */
    uint32_t row;
    uint32_t column; /* byte within the row */
} ww_dram_address;

/** ERANGE when the interleave does not suit the L2 lines, segments or rows. */
WW_NODISCARD ww_status ww__addrmap_init(ww_addrmap *map, const ww_arch *arch, ww_error *err);
ww_slice_address ww__addrmap_slice(const ww_addrmap *map, uint64_t address);
/** Inverse of ww__addrmap_slice. */
uint64_t ww__addrmap_global(const ww_addrmap *map, uint32_t slice, uint64_t local);
/** DRAM coordinates of a slice-local address. */
ww_dram_address ww__addrmap_dram(const ww_addrmap *map, uint32_t slice, uint64_t local);

#endif
