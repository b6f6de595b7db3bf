/* volta_tile.c - how Volta moves a tile of 16 x 16 between memory and the registers that its matrix
 * units read (wmma.load, wmma.store). Its lanes hold each element of a factor twice and take it by
 * several instructions; which lane takes what was measured on a TITAN V by Raihan, Goli and Aamodt,
 * "Modeling Deep Learning Accelerator Enabled GPUs", ISPASS 2019, figure 7 and section III-B (the
 * same numbers in GPGPU-Sim 4: thread_group_offset). Later families hold an element once. */
#include "perf/sm/volta_tile.h"

enum { GROUP = 4 }; /* lanes of a group take neighbouring lines */

static bool is_factor(const ww_inst *inst)
{
    return inst->sub == WW_SUB_A || inst->sub == WW_SUB_B;
}

/* Rows of A, of a sum, or columns of B lie along memory. */
static bool along(const ww_inst *inst)
{
    const bool column_major = inst->layout != 0;
    return column_major == (inst->sub == WW_SUB_B);
}

ww_tile_moves ww__volta_tile_moves(const ww_arch *arch, const ww_inst *inst)
{
    static const ww_tile_moves none = {0, 0};
    if ((inst->op != WW_OP_WMMA_LOAD && inst->op != WW_OP_WMMA_STORE) ||
        arch->chip.compute_capability != 70 || inst->tile != WW_TILE_M16N16K16) {
        return none;
    }
    if (is_factor(inst)) {
        return along(inst) ? (ww_tile_moves){2, 16} : (ww_tile_moves){4, 8};
    }
    if (inst->type == WW_T_F32) {
        return along(inst) ? (ww_tile_moves){4, 8} : (ww_tile_moves){8, 4};
    }
    return along(inst) ? (ww_tile_moves){1, 16} : (ww_tile_moves){8, 2};
}

uint32_t ww__volta_tile_offset(const ww_inst *inst, unsigned lane, unsigned i, uint32_t stride)
{
    static const uint8_t lines[] = {0, 8, 0, 8, 4, 12, 4, 12}; /* the first of a group's four */
    static const uint8_t columns[] = {0, 0, 8, 8, 0, 0, 8, 8}; /* of a sum: of its eight */
    const unsigned line = lines[lane / GROUP], column = columns[lane / GROUP], next = lane % GROUP;
    const bool natural = along(inst);
    if (is_factor(inst)) {
        return natural ? (line + next) * stride + 8 * i * 2
                       : (next + GROUP * i) * stride + line * 2;
    }
    if (inst->type != WW_T_F32) {
        return natural ? (line + next) * stride + column * 2
                       : (column + i) * stride + (line + next) * 2;
    }
    if (natural) { /* pairs of a row, in two rows and four columns on */
        return (line + next % 2 + i % 2 * 2) * stride + (column + (next & 2) + i / 2 * 4) * 4;
    }
    return (column + (next & 2) + i % 2 + i / 4 * 4) * stride +
           (line + next % 2 + i / 2 % 2 * 2) * 4;
}
