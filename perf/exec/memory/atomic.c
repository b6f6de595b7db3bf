/* atomic.c - atom and red: read, compute, write, lane after lane in ascending order. */
#include <string.h>

#include "perf/exec/memory/bulk.h"
#include "perf/exec/lanes/half.h"
#include "perf/exec/memory/pending.h"

static uint32_t flush32(uint32_t bits)
{
    return (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits;
}

/* PTX manual, "atom": add.f32 flushes subnormals in global memory and keeps them in shared memory.
 */
static uint32_t add_f32(uint32_t a, uint32_t b, bool flush)
{
    float r = ww__half_f32(flush ? flush32(a) : a) + ww__half_f32(flush ? flush32(b) : b);
    uint32_t bits = r != r ? 0x7fffffffu : ww__half_bits32(r);
    return flush ? flush32(bits) : bits;
}

static uint64_t add_f64(uint64_t a, uint64_t b)
{
    double x;
    double y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    x += y;
    memcpy(&a, &x, sizeof a);
    return x != x ? 0xfff8000000000000ull : a;
}

static uint16_t add_half(uint16_t a, uint16_t b, bool bf)
{
    if (bf) {
        double r = ww__add_to_odd((double)ww__bf16_to_f32(a), (double)ww__bf16_to_f32(b));
        return ww__bf16_from_f32(ww__narrow_to_odd(r));
    }
    return ww__f16_from_f32(
        ww__narrow_to_odd(ww__add_to_odd((double)ww__f16_to_f32(a), (double)ww__f16_to_f32(b))));
}

static uint64_t add(ww_type type, uint64_t a, uint64_t b, bool flush)
{
    bool bf = type == WW_T_BF16 || type == WW_T_BF16X2;
    switch (type) {
    case WW_T_F32:
        return add_f32((uint32_t)a, (uint32_t)b, flush);
    case WW_T_F64:
        return add_f64(a, b);
    case WW_T_F16:
    case WW_T_BF16:
        return add_half((uint16_t)a, (uint16_t)b, bf);
    case WW_T_F16X2:
    case WW_T_BF16X2:
        return add_half((uint16_t)a, (uint16_t)b, bf) |
               (uint64_t)add_half((uint16_t)(a >> 16), (uint16_t)(b >> 16), bf) << 16;
    default:
        return a + b;
    }
}

static bool less_than(ww_type type, uint64_t a, uint64_t b)
{
    switch (type) {
    case WW_T_S32:
        return (int32_t)a < (int32_t)b;
    case WW_T_S64:
        return (int64_t)a < (int64_t)b;
    default:
        return a < b;
    }
}

/* Halves as integers of the same order: -0 below +0. A NaN loses against a number: it is above all
 * where the least is sought, below all where the most is. */
static int32_t ordered(ww_type type, uint64_t bits, bool most)
{
    int32_t rest = (int32_t)(bits & 0x7fff);
    int32_t infinite = type == WW_T_F16 ? 0x7c00 : 0x7f80;
    if (rest > infinite) {
        return most ? INT32_MIN : INT32_MAX;
    }
    return (bits & 0x8000) != 0 ? -1 - rest : rest;
}

/* The smaller or the larger. */
static uint64_t pick(ww_type type, uint64_t old, uint64_t b, bool most)
{
    bool less, more;
    if (type == WW_T_F16 || type == WW_T_BF16) {
        int32_t x = ordered(type, old, most), y = ordered(type, b, most);
        less = y < x;
        more = y > x;
    } else {
        less = less_than(type, b, old);
        more = less_than(type, old, b);
    }
    return (most ? more : less) ? b : old;
}

static uint64_t compute(const ww_inst *inst, uint64_t old, uint64_t b, uint64_t c, bool flush)
{
    ww_type type = (ww_type)inst->type;
    switch ((ww_sub)inst->sub) {
    case WW_SUB_ADD:
        return add(type, old, b, flush);
    case WW_SUB_MIN:
        return pick(type, old, b, false);
    case WW_SUB_MAX:
        return pick(type, old, b, true);
    case WW_SUB_INC:
        return old >= b ? 0 : old + 1;
    case WW_SUB_DEC:
        return old == 0 || old > b ? b : old - 1;
    case WW_SUB_AND:
        return old & b;
    case WW_SUB_OR:
        return old | b;
    case WW_SUB_XOR:
        return old ^ b;
    case WW_SUB_CAS:
        return old == b ? c : old;
    default: /* exch */
        return b;
    }
}

static uint64_t value_of(const uint32_t *s, unsigned lane, unsigned bytes)
{
    uint64_t v = bytes == 8 ? (uint64_t)s[lane + WW_LANES] << 32 | s[lane] : s[lane];
    return bytes == 2 ? v & 0xffff : v;
}

/* What the lanes do, where, and with what operands. */
typedef struct lanes_work {
    const ww_uop *uop;
    uint32_t lanes;
    bool global; /* else shared or local memory */
    const uintptr_t *place;
    const uint32_t *b, *c;
} lanes_work;

static void perform(const lanes_work *work, ww_warp *warp, const ww_lane_set *set)
{
    const ww_uop *u = work->uop;
    unsigned bytes = u->element_bytes;
    uint32_t result[WW_PAIR_WORDS] = {0}; /* lanes out of the mask too are read, and blended away */
    for (uint32_t m = work->lanes; m != 0; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        void *p = (void *)work->place[i];
        uint64_t old = 0;
        memcpy(&old, p, bytes); /* the host is little-endian */
        uint64_t now = compute(u->inst, old, value_of(work->b, i, bytes),
                               value_of(work->c, i, bytes), work->global);
        memcpy(p, &now, bytes);
        result[i] = (uint32_t)old;
        result[i + WW_LANES] = (uint32_t)(old >> 32);
    }
    if (u->dst != WW_NO_REG) {
        set->blend(warp->regs + u->dst, result, u->out_words, work->lanes);
    }
}

static size_t operand_bytes(const ww_uop *u)
{
    return (u->element_bytes == 8 ? WW_PAIR_WORDS : WW_LANES) * sizeof(uint32_t);
}

/* Nothing reads the destination before the reply, long after the edge: the scoreboard sees to it.
 * Sources may be overwritten by then, so they are kept. */
static ww_status keep_back(const ww_exec_ctx *x, const lanes_work *work)
{
    size_t n = operand_bytes(work->uop);
    ww_effect *e = ww__pending_add(x->env->pending, WW_EFFECT_ATOMIC, x, x->out->address,
                                   work->lanes, work->uop->element_bytes, (uint32_t)(2 * n));
    if (e == NULL) {
        return ww__pending_no_memory(x);
    }
    unsigned char *data = ww__effect_data(e);
    memcpy(data, work->b, n);
    memcpy(data + n, work->c, n);
    return WW_OK;
}

void ww__atomic_commit(const struct ww_exec_code *code, ww_effect *e)
{
    const ww_uop *u = &code->uop[e->pc];
    const unsigned char *data = ww__effect_data(e);
    const uint64_t *address = ww__effect_addresses(e);
    uintptr_t place[WW_LANES];
    uint32_t operand[2][WW_PAIR_WORDS];
    memcpy(operand[0], data, operand_bytes(u));
    memcpy(operand[1], data + operand_bytes(u), operand_bytes(u));
    for (uint32_t m = e->lanes; m != 0; m &= m - 1) {
        place[__builtin_ctz(m)] = (uintptr_t)*address++ + code->bias;
    }
    const lanes_work work = {u, e->lanes, true, place, operand[0], operand[1]};
    perform(&work, e->warp, code->lanes);
}

ww_status ww__atomic_apply(ww_exec_ctx *x, const ww_uop *u, uint32_t lanes, bool global,
                           const uintptr_t place[WW_LANES], const uint32_t value[WW_PAIR_WORDS])
{
    const lanes_work work = {u, lanes, global, place, value, value};
    if (global && x->env->pending != NULL) {
        return keep_back(x, &work);
    }
    perform(&work, x->warp, x->code->lanes);
    return WW_OK;
}

ww_status ww__run_atom(ww_exec_ctx *x, const ww_uop *u)
{
    ww_access groups[WW_ACCESS_GROUPS];
    unsigned count;
    uint32_t scratch[2][WW_PAIR_WORDS];
    uintptr_t place[WW_LANES];
    const uint32_t *b = ww__src(x, &u->src[1], scratch[0]);
    const uint32_t *c = u->src_count > 2 ? ww__src(x, &u->src[2], scratch[1]) : b;
    x->out->is_atomic = true;
    WW_TRY(ww__access_resolve(x, u, u->element_bytes, groups, &count));
    if (WW_UNLIKELY(x->remote) && x->env->pending != NULL) {
        return ww__call_at_edge(x);
    }
    for (unsigned k = 0; k < count; k++) {
        const ww_access *g = &groups[k];
        bool global = g->base == x->code->bias;
        const lanes_work work = {u, g->mask, global, place, b, c};
        if (global && x->env->pending != NULL) {
            WW_TRY(keep_back(x, &work));
            continue;
        }
        for (uint32_t m = g->mask; m != 0; m &= m - 1) {
            unsigned i = (unsigned)__builtin_ctz(m);
            place[i] = g->base + x->out->address[i] + i * g->lane_stride;
        }
        perform(&work, x->warp, x->code->lanes);
    }
    return WW_OK;
}
