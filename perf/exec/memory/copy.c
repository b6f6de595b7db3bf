/* copy.c - cp.async, done at once, ldmatrix and stmatrix. */
#include <string.h>

#include "perf/exec/matrix/matrix.h"
#include "perf/exec/memory/pending.h"

enum { MOST_BYTES = 16 };

static ww_status beyond_shared(const ww_exec_ctx *x, const ww_uop *u, unsigned lane, uint32_t at)
{
    return ww__lane_fault(x, u, lane,
                          "cp.async of %u bytes to 0x%x of the CTA's %u bytes of shared memory, "
                          "out of bounds or misaligned",
                          u->element_bytes, at, x->warp->cta->shared_bytes);
}

/* Lanes that read nothing do not need a valid source. */
static uint32_t reading_lanes(const ww_exec_ctx *x, const uint32_t *used)
{
    uint32_t mask = 0;
    for (uint32_t m = x->exec; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        mask |= used[lane] != 0 ? 1u << lane : 0;
    }
    return mask;
}

/* Whether all 32 lanes copy as many bytes as the instruction has. */
static bool all_whole(const ww_exec_ctx *x, const uint32_t *used, uint32_t bytes)
{
    uint32_t fewer = 0;
    for (unsigned lane = 0; lane < WW_LANES; lane++) {
        fewer |= used[lane] < bytes ? 1u : 0u;
    }
    return x->exec == UINT32_MAX && fewer == 0;
}

/* Whether all lanes' places in shared memory are there and aligned. */
static bool all_in_shared(const ww_cta *cta, const uint32_t *to, uint32_t bytes)
{
    uint32_t last = cta->shared_bytes - bytes;
    uint32_t bad = cta->shared_bytes < bytes ? 1 : 0;
    for (unsigned lane = 0; lane < WW_LANES; lane++) {
        bad |= to[lane] > last || (to[lane] & (bytes - 1)) != 0 ? 1u : 0u;
    }
    return bad == 0;
}

static WW_ALWAYS_INLINE void copy_piece(void *to, const void *from, uint32_t bytes)
{
    if (bytes == MOST_BYTES) { /* nearly always: a move of its own */
        memcpy(to, from, MOST_BYTES);
    } else {
        memcpy(to, from, bytes);
    }
}

/* All lanes copy whole pieces to where they may: nothing to pad, nothing to report. */
static ww_status copy_whole(ww_exec_ctx *x, const ww_uop *u, const uint32_t *to)
{
    unsigned char data[WW_LANES][MOST_BYTES];
    uint32_t bytes = u->element_bytes;
    ww_access groups[WW_ACCESS_GROUPS];
    unsigned count;
    WW_TRY(ww__access_resolve(x, u, bytes, groups, &count));
    if (groups[0].base == x->code->bias &&
        ww__pending_meets(x->env->pending, x->out->address, groups[0].mask, bytes)) {
        return ww__again(x);
    }
    for (unsigned g = 0; g < count; g++) {
        for (uint32_t m = groups[g].mask; m != 0; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);
            uintptr_t p = groups[g].base + x->out->address[lane] + lane * groups[g].lane_stride;
            copy_piece(data[lane], (const void *)p, bytes);
        }
    }
    for (unsigned lane = 0; lane < WW_LANES; lane++) {
        copy_piece(x->warp->cta->shared + to[lane], data[lane], bytes);
    }
    return WW_OK;
}

ww_status ww__run_copy(ww_exec_ctx *x, const ww_uop *u)
{
    uint32_t scratch[2][WW_PAIR_WORDS];
    const uint32_t *to = ww__src(x, &u->src[1], scratch[0]);
    const uint32_t *used = ww__src(x, &u->src[2], scratch[1]);
    ww_cta *cta = x->warp->cta;
    if (all_whole(x, used, u->element_bytes) && all_in_shared(cta, to, u->element_bytes)) {
        return copy_whole(x, u, to);
    }
    unsigned char data[WW_LANES][MOST_BYTES] = {{0}};
    uint32_t all = x->exec;
    uint32_t bytes = u->element_bytes;
    ww_access groups[WW_ACCESS_GROUPS];
    unsigned count = 0;
    uint32_t reading = reading_lanes(x, used);
    x->exec = reading;
    ww_status status = reading != 0 ? ww__access_resolve(x, u, bytes, groups, &count) : WW_OK;
    x->exec = all;
    WW_TRY(status);
    if (count > 0 && groups[0].base == x->code->bias &&
        ww__pending_meets(x->env->pending, x->out->address, groups[0].mask, bytes)) {
        return ww__again(x);
    }
    for (unsigned g = 0; g < count; g++) {
        for (uint32_t m = groups[g].mask; m != 0; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);
            uintptr_t p = groups[g].base + x->out->address[lane] + lane * groups[g].lane_stride;
            memcpy(data[lane], (const void *)p, used[lane] < bytes ? used[lane] : bytes);
        }
    }
    for (uint32_t m = all; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint32_t at = to[lane];
        if (at % bytes != 0 || at > cta->shared_bytes || bytes > cta->shared_bytes - at) {
            return beyond_shared(x, u, lane, at);
        }
        memcpy(cta->shared + at, data[lane], bytes);
        if (reading != 0 && (reading >> lane & 1) == 0) { /* reported without a cost of its own */
            x->out->address[lane] = x->out->address[__builtin_ctz(reading)];
        }
    }
    return WW_OK;
}

void ww_exec_copy_targets(const ww_launch *launch, ww_warp *warp, uint32_t pc,
                          uint32_t to[WW_WARP_SIZE])
{
    const ww_exec_env env = {.launch = launch};
    const ww_exec_ctx x = {.env = &env, .code = launch->code, .warp = warp, .exec = UINT32_MAX};
    uint32_t scratch[WW_PAIR_WORDS];
    memcpy(to, ww__src(&x, &launch->code->uop[pc].src[1], scratch), WW_LANES * sizeof *to);
}

/* Rows of 8 elements of 16 bits: lane 8 i + r has the address of row r of matrix i. Register i of
 * lane l is elements 2 (l % 4) and the next of row l / 4; .trans: of column l / 4. */
ww_status ww__run_ldmatrix(ww_exec_ctx *x, const ww_uop *u)
{
    WW_TRY(ww__matrix_check_lanes(x, u));
    uint16_t row[WW_LANES][8];
    unsigned matrices = u->dst_count;
    ww_access groups[WW_ACCESS_GROUPS];
    unsigned count;
    x->exec = matrices == 4 ? UINT32_MAX : (1u << 8 * matrices) - 1;
    ww_status status = ww__access_resolve(x, u, MOST_BYTES, groups, &count);
    x->exec = UINT32_MAX;
    WW_TRY(status);
    for (unsigned g = 0; g < count; g++) {
        for (uint32_t m = groups[g].mask; m != 0; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);
            uintptr_t p = groups[g].base + x->out->address[lane] + lane * groups[g].lane_stride;
            memcpy(row[lane], (const void *)p, sizeof row[lane]);
        }
    }
    for (unsigned lane = 8 * matrices; lane < WW_LANES; lane++) {
        x->out->address[lane] = x->out->address[lane % (8 * matrices)];
    }
    bool transposed = u->inst->layout != 0;
    for (unsigned i = 0; i < matrices; i++) {
        uint32_t result[WW_LANES];
        for (unsigned l = 0; l < WW_LANES; l++) {
            unsigned line = l / 4;
            unsigned first = l % 4 * 2;
            uint32_t low = transposed ? row[8 * i + first][line] : row[8 * i + line][first];
            uint32_t high =
                transposed ? row[8 * i + first + 1][line] : row[8 * i + line][first + 1];
            result[l] = high << 16 | low;
        }
        ww__dst_write(x, u->dst_list[i], result, 1);
    }
    return WW_OK;
}

/* The rows of ldmatrix, written: a lane's registers are stored where ldmatrix would load them from.
 */
ww_status ww__run_stmatrix(ww_exec_ctx *x, const ww_uop *u)
{
    WW_TRY(ww__matrix_check_lanes(x, u));
    uint16_t row[WW_LANES][8];
    uint32_t scratch[WW_PAIR_WORDS];
    unsigned matrices = u->element_count;
    ww_access groups[WW_ACCESS_GROUPS];
    unsigned count;
    x->out->is_store = true;
    x->exec = matrices == 4 ? UINT32_MAX : (1u << 8 * matrices) - 1;
    ww_status status = ww__access_resolve(x, u, MOST_BYTES, groups, &count);
    x->exec = UINT32_MAX;
    WW_TRY(status);
    WW_TRY(ww__access_require_shared(x, u, groups, count));
    bool transposed = u->inst->layout != 0;
    for (unsigned i = 0; i < matrices; i++) {
        const uint32_t *value = ww__src(x, &u->element[i], scratch);
        for (unsigned l = 0; l < 2 * WW_LANES; l++) {
            unsigned line = l / 8;
            unsigned at = l % 8; /* element of the line, two in a lane */
            uint16_t v = (uint16_t)(value[l / 2] >> 16 * (at % 2));
            row[8 * i + (transposed ? at : line)][transposed ? line : at] = v;
        }
    }
    for (unsigned g = 0; g < count; g++) {
        for (uint32_t m = groups[g].mask; m != 0; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);
            uintptr_t p = groups[g].base + x->out->address[lane] + lane * groups[g].lane_stride;
            memcpy((void *)p, row[lane], sizeof row[lane]);
        }
    }
    for (unsigned lane = 8 * matrices; lane < WW_LANES; lane++) {
        x->out->address[lane] = x->out->address[lane % (8 * matrices)];
    }
    return WW_OK;
}

static ww_status decode_stmatrix(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u,
                                 ww_error *err)
{
    if ((inst->vec != 1 && inst->vec != 2 && inst->vec != 4) || inst->src_count != 1u + inst->vec) {
        return ww__decode_unsupported(code->launch->kernel, inst, err);
    }
    WW_TRY(ww__decode_address(code, inst, u, err));
    u->run = ww__run_stmatrix;
    u->element_bytes = MOST_BYTES;
    return ww__decode_elements(code, inst, 1, WW_T_B32, u, err);
}

ww_status ww__decode_copy(struct ww_exec_code *code, const ww_inst *inst, ww_uop *u, ww_error *err)
{
    if (inst->op == WW_OP_STMATRIX) {
        return decode_stmatrix(code, inst, u, err);
    }
    bool copy = inst->op == WW_OP_CP_ASYNC;
    unsigned count = copy ? inst->src_count : inst->dst_count;
    if ((inst->vec != 1 && inst->vec != 2 && inst->vec != 4) || inst->src_count < 1 ||
        count != (copy ? 3u : inst->vec) || inst->space == WW_SPACE_PARAM) {
        return ww__decode_unsupported(code->launch->kernel, inst, err);
    }
    WW_TRY(ww__decode_address(code, inst, u, err));
    u->run = copy ? ww__run_copy : ww__run_ldmatrix;
    u->element_bytes = (uint8_t)(copy ? 4 * inst->vec : MOST_BYTES);
    if (!copy) {
        return ww__decode_destinations(code, inst, 1, u, err);
    }
    for (unsigned k = 1; k < 3; k++) {
        WW_TRY(ww__operand_resolve(code, inst, &inst->src[k], WW_T_U32, &u->src[k], err));
    }
    u->src_count = 3;
    return WW_OK;
}
