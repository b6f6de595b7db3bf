/* volta_tile.h - private to the SM: the instructions by which Volta moves a tile of wmma. */
#ifndef WW_PERF_SM_VOLTA_TILE_H
#define WW_PERF_SM_VOLTA_TILE_H

#include "arch/arch.h"
#include "perf/ptx/ir.h"

/* The instructions of a tile: how many, and the bytes that each moves per lane. */
typedef struct ww_tile_moves {
    uint8_t count, bytes;
} ww_tile_moves;

/** What the instruction is on the machine; count 0: one that moves no tile so. */
ww_tile_moves ww__volta_tile_moves(const ww_arch *arch, const ww_inst *inst);

/** Where a lane's bytes of move i begin, from the tile's first byte.
 * @param stride  bytes from one row of memory to the next */
uint32_t ww__volta_tile_offset(const ww_inst *inst, unsigned lane, unsigned i, uint32_t stride);

#endif
