/* matrix.c - products of warp groups in time. Rates: NVIDIA H100 whitepaper, table of peak rates;
 * Luo et al., "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture", 2024: N / 2 cycles
 * for 64 x N of every type. Operands: A from shared memory is 2048 B and B 32 N B of every type,
 * and the port gives 128 B in a cycle, which explains that 64 x N x 16 reaches the peak from N = 64
 * on with A in shared memory, and from N = 32 on with A in registers. Reads of eight rows of 16 B
 * by any matrix descriptor lie in different banks, whatever its swizzle: they take no further
 * cycles. */
#include "perf/sm/async/matrix.h"

#include <string.h>

#include "base/arith.h"
#include "isa/fragment.h"
#include "isa/warpgroup.h"

/* Multiply-adds of a partition in a cycle are half of its FLOP. */
static uint32_t macs_of(const ww_async_params *p, ww_type type)
{
    switch (type) {
    case WW_T_TF32:
        return p->matrix_tf32 / 2;
    case WW_T_E4M3:
    case WW_T_E5M2:
        return p->matrix_f8 / 2;
    case WW_T_S8:
    case WW_T_U8:
        return p->matrix_s8 / 2;
    case WW_T_B1:
        return p->matrix_b1 / 2;
    default:
        return p->matrix_f16 / 2;
    }
}

static uint32_t bits_of(ww_type type)
{
    return type == WW_T_B1 ? 1 : type == WW_T_TF32 ? 32 : 8 * ww_type_bytes(type);
}

static uint32_t divided(uint32_t what, uint32_t by)
{
    return (uint32_t)ww_ceil_div(what, by);
}

ww_matrix_work ww_matrix_work_of(const ww_async_params *p, const ww_inst *inst)
{
    const ww_type type = (ww_type)inst->type2;
    const uint32_t n = ww_tile_n((ww_tile)inst->tile), k = ww_tile_k((ww_tile)inst->tile);
    const bool shared = (inst->layout & WW_LAYOUT_A_SHARED) != 0;
    const uint32_t a = shared ? WW_WARPGROUP_M * k * bits_of(type) / 8 : 0;
    const uint32_t b = n * k * bits_of(type) / 8;
    const uint32_t rate = divided(ww_tile_products((ww_tile)inst->tile), macs_of(p, type));
    return (ww_matrix_work){
        .cycles = ww_max_u32(rate, shared ? p->matrix_floor_shared : p->matrix_floor_registers),
        .rows = divided(a, WW_SMEM_ROW_BYTES) + divided(b, WW_SMEM_ROW_BYTES),
        .tail = shared ? p->matrix_tail_shared : p->matrix_tail_registers};
}

void ww_matrix_reset(ww_matrix *m, ww_smem_port *port, uint32_t queue)
{
    memset(m, 0, sizeof *m);
    m->port = port;
    m->queue = queue;
}

void ww_matrix_begin_team(ww_matrix *m, uint32_t team)
{
    memset(&m->team[team], 0, sizeof m->team[team]);
}

void ww_matrix_issue(ww_matrix *m, uint32_t team, uint32_t i, ww_matrix_work work)
{
    ww_matrix_team *t = &m->team[team];
    WW_ASSERT(team < WW_MATRIX_TEAMS && i < WW_MATRIX_WARPS &&
              t->issued[i] - t->begun < WW_MATRIX_OPS);
    uint32_t least = t->issued[0];
    m->asked += t->issued[i] == t->asked;
    t->asked += t->issued[i] == t->asked;
    t->work[t->issued[i]++ % WW_MATRIX_OPS] = work;
    for (uint32_t k = 0; k < WW_MATRIX_WARPS; k++) {
        least = k == 0 || t->issued[k] < least ? t->issued[k] : least;
    }
    for (; t->ready < least; t->ready++) {
        WW_ASSERT(m->count < sizeof m->ready);
        m->ready[(m->first + m->count++) % sizeof m->ready] = (uint8_t)team;
    }
}

void ww_matrix_commit(ww_matrix *m, uint32_t team, uint32_t i)
{
    ww_matrix_team *t = &m->team[team];
    WW_ASSERT(team < WW_MATRIX_TEAMS && i < WW_MATRIX_WARPS);
    t->ends[i][t->groups[i]++ % WW_MATRIX_GROUPS] = t->issued[i];
}

uint32_t ww_matrix_until(const ww_matrix *m, uint32_t team, uint32_t i, uint64_t left)
{
    const ww_matrix_team *t = &m->team[team];
    if (left >= t->groups[i] || left >= WW_MATRIX_GROUPS) {
        return 0;
    }
    return t->ends[i][(t->groups[i] - 1 - (uint32_t)left) % WW_MATRIX_GROUPS];
}

uint64_t ww_matrix_next(const ww_matrix *m)
{
    const uint64_t end = m->end_count > 0 ? m->end[m->end_first].at : UINT64_MAX;
    const bool may_begin = m->count > 0 && m->end_count < WW_ARRAY_LEN(m->end);
    return ww_min_u64(end, may_begin ? m->free_at : UINT64_MAX);
}

static void begin(ww_matrix *m, uint64_t now)
{
    const uint32_t team = m->ready[m->first];
    ww_matrix_team *t = &m->team[team];
    WW_ASSERT(m->count > 0 && t->begun < t->ready && m->end_count < WW_ARRAY_LEN(m->end));
    const ww_matrix_work *w = &t->work[t->begun++ % WW_MATRIX_OPS];
    const uint64_t read = ww_smem_port_spread(m->port, now, now, w->rows, w->cycles);
    m->first = (m->first + 1) % (uint32_t)sizeof m->ready;
    m->count--;
    m->free_at = ww_max_u64(now + w->cycles, read);
    m->busy += m->free_at - now;
    m->begun++;
    m->end[(m->end_first + m->end_count++) % WW_ARRAY_LEN(m->end)] =
        (ww_matrix_end){.at = m->free_at + w->tail, .team = team};
}

bool ww_matrix_act(ww_matrix *m, uint64_t now, uint32_t *team)
{
    *team = WW_MATRIX_NOBODY;
    if (m->end_count > 0 && m->end[m->end_first].at <= now) {
        *team = m->end[m->end_first].team;
        m->end_first = (m->end_first + 1) % (uint32_t)WW_ARRAY_LEN(m->end);
        m->end_count--;
        WW_ASSERT(m->team[*team].done < m->team[*team].begun);
        m->team[*team].done++;
        return true;
    }
    if (m->count > 0 && m->end_count < WW_ARRAY_LEN(m->end) && m->free_at <= now) {
        begin(m, now);
        return true;
    }
    return false;
}
