/* warp_ops.c - operations across the lanes of a warp: vote, match, shfl, redux, elect, activemask,
 * movmatrix.
 * A lane takes part when it executes the instruction and, in the .sync forms, its bit is in the
 * member mask. */
#include <string.h>

#include "perf/exec/matrix/matrix.h"

/* Executing lanes that are members by source k, where it exists. The mask is uniform among them by
 * definition. */
static uint32_t members(const ww_exec_ctx *x, const ww_uop *u, unsigned k)
{
    return u->src_count > k ? x->exec & ww__src_uniform(x, &u->src[k]) : x->exec;
}

static void write_splat(const ww_exec_ctx *x, const ww_uop *u, uint32_t value)
{
    uint32_t planes[WW_LANES];
    for (unsigned i = 0; i < WW_LANES; i++) {
        planes[i] = value;
    }
    ww__dst_write(x, u->dst, planes, 1);
}

/* The predicate is in u->pred; u->src[0], if present, is the member mask. */
ww_status ww__run_vote(ww_exec_ctx *x, const ww_uop *u)
{
    uint32_t in = members(x, u, 0);
    uint32_t yes = ww__pred(x, u->pred) & in;
    bool result = false;
    switch ((ww_sub)u->inst->sub) {
    case WW_SUB_BALLOT:
        write_splat(x, u, yes);
        return WW_OK;
    case WW_SUB_ALL:
        result = yes == in;
        break;
    case WW_SUB_ANY:
        result = yes != 0;
        break;
    default: /* uni */
        result = yes == 0 || yes == in;
        break;
    }
    ww__pred_write(x, u->pred_dst, result ? UINT32_MAX : 0);
    return WW_OK;
}

ww_status ww__run_match(ww_exec_ctx *x, const ww_uop *u)
{
    uint32_t scratch[WW_PAIR_WORDS];
    uint32_t result[WW_LANES] = {0};
    const uint32_t *v = ww__src(x, &u->src[0], scratch);
    bool wide = ww_type_bytes((ww_type)u->inst->type) == 8;
    uint32_t in = members(x, u, 1);
    for (uint32_t m = in; m != 0; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        for (uint32_t n = in; n != 0; n &= n - 1) {
            unsigned j = (unsigned)__builtin_ctz(n);
            bool equal = v[i] == v[j] && (!wide || v[i + WW_LANES] == v[j + WW_LANES]);
            result[i] |= equal ? 1u << j : 0;
        }
    }
    if (u->inst->sub == WW_SUB_ALL) {
        bool all = in != 0 && result[__builtin_ctz(in)] == in;
        write_splat(x, u, all ? in : 0);
        ww__pred_write(x, u->pred_dst, all ? UINT32_MAX : 0);
        return WW_OK;
    }
    ww__dst_write(x, u->dst, result, 1);
    return WW_OK;
}

/* PTX manual, "shfl": c holds the clamp in bits 4..0 and the segment mask in bits 12..8. */
static uint32_t source_lane(ww_sub mode, uint32_t lane, uint32_t b, uint32_t c, bool *in_range)
{
    uint32_t segment = c >> 8 & 31;
    uint32_t clamp = c & 31;
    uint32_t shift = b & 31;
    uint32_t low = lane & segment;
    uint32_t high = low | (clamp & ~segment);
    int32_t j = 0;
    switch (mode) {
    case WW_SUB_UP:
        j = (int32_t)lane - (int32_t)shift;
        *in_range = j >= (int32_t)high;
        break;
    case WW_SUB_DOWN:
        j = (int32_t)(lane + shift);
        *in_range = j <= (int32_t)high;
        break;
    case WW_SUB_BFLY:
        j = (int32_t)(lane ^ shift);
        *in_range = j <= (int32_t)high;
        break;
    default: /* idx */
        j = (int32_t)(low | (shift & ~segment));
        *in_range = j <= (int32_t)high;
        break;
    }
    return *in_range ? (uint32_t)j : lane;
}

/* What a source lane gives that does not take part is open (PTX manual, "shfl"). Here it is 0,
 * which programs count on that add up the first lanes of a warp with the strides of a whole one. */
ww_status ww__run_shfl(ww_exec_ctx *x, const ww_uop *u)
{
    uint32_t scratch[3][WW_PAIR_WORDS];
    uint32_t result[WW_LANES];
    const uint32_t *v = ww__src(x, &u->src[0], scratch[0]);
    const uint32_t *b = ww__src(x, &u->src[1], scratch[1]);
    const uint32_t *c = ww__src(x, &u->src[2], scratch[2]);
    uint32_t valid = 0;
    for (uint32_t i = 0; i < WW_LANES; i++) {
        bool in_range;
        uint32_t from = source_lane((ww_sub)u->inst->sub, i, b[i], c[i], &in_range);
        result[i] = (x->exec >> from & 1) != 0 ? v[from] : 0;
        valid |= in_range ? 1u << i : 0;
    }
    ww__dst_write(x, u->dst, result, 1);
    ww__pred_write(x, u->pred_dst, valid);
    return WW_OK;
}

ww_status ww__run_activemask(ww_exec_ctx *x, const ww_uop *u)
{
    write_splat(x, u, x->exec);
    return WW_OK;
}

static uint32_t reduce(ww_sub op, bool is_signed, uint32_t a, uint32_t b)
{
    bool less = is_signed ? (int32_t)a < (int32_t)b : a < b;
    switch (op) {
    case WW_SUB_ADD:
        return a + b;
    case WW_SUB_MIN:
        return less ? a : b;
    case WW_SUB_MAX:
        return less ? b : a;
    case WW_SUB_AND:
        return a & b;
    case WW_SUB_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

ww_status ww__run_redux(ww_exec_ctx *x, const ww_uop *u)
{
    uint32_t scratch[WW_PAIR_WORDS];
    const uint32_t *v = ww__src(x, &u->src[0], scratch);
    uint32_t in = members(x, u, 1);
    bool is_signed = ww_type_is_signed((ww_type)u->inst->type);
    if (in == 0) {
        return WW_OK;
    }
    uint32_t result = v[__builtin_ctz(in)];
    for (uint32_t m = in & (in - 1); m != 0; m &= m - 1) {
        result = reduce((ww_sub)u->inst->sub, is_signed, result, v[__builtin_ctz(m)]);
    }
    write_splat(x, u, result);
    return WW_OK;
}

/* Which lane is chosen is left open by PTX; here it is the lowest. */
ww_status ww__run_elect(ww_exec_ctx *x, const ww_uop *u)
{
    uint32_t in = members(x, u, 0);
    uint32_t leader = in != 0 ? (uint32_t)__builtin_ctz(in) : 0;
    write_splat(x, u, leader);
    ww__pred_write(x, u->pred_dst, in != 0 ? 1u << leader : 0);
    return WW_OK;
}

/* Lane 4 r + c has elements 2 c and 2 c + 1 of row r; of the result, of column r. */
ww_status ww__run_movmatrix(ww_exec_ctx *x, const ww_uop *u)
{
    uint32_t scratch[WW_PAIR_WORDS];
    uint32_t result[WW_LANES];
    WW_TRY(ww__matrix_check_lanes(x, u));
    const uint32_t *v = ww__src(x, &u->src[0], scratch);
    for (unsigned lane = 0; lane < WW_LANES; lane++) {
        unsigned column = lane / 4;
        unsigned row = lane % 4 * 2;
        unsigned shift = 16 * (column % 2);
        uint32_t low = v[4 * row + column / 2] >> shift & 0xffff;
        uint32_t high = v[4 * (row + 1) + column / 2] >> shift & 0xffff;
        result[lane] = high << 16 | low;
    }
    ww__dst_write(x, u->dst, result, 1);
    return WW_OK;
}
