/* atomic.c - atom and red: read, compute, write, lane after lane in ascending order. */
#include <string.h>

#include "perf/exec/code.h"
#include "perf/exec/half.h"

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

static uint64_t compute(const ww_inst *inst, uint64_t old, uint64_t b, uint64_t c, bool flush)
{
    ww_type type = (ww_type)inst->type;
    switch ((ww_sub)inst->sub) {
    case WW_SUB_ADD:
        return add(type, old, b, flush);
    case WW_SUB_MIN:
        return less_than(type, b, old) ? b : old;
    case WW_SUB_MAX:
        return less_than(type, old, b) ? b : old;
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

ww_status ww__run_atom(ww_exec_ctx *x, const ww_uop *u)
{
    ww_access groups[WW_ACCESS_GROUPS];
    unsigned count;
    uint32_t scratch[2][WW_PAIR_WORDS];
    uint32_t result[WW_PAIR_WORDS];
    unsigned bytes = u->element_bytes;
    const uint32_t *b = ww__src(x, &u->src[1], scratch[0]);
    const uint32_t *c = u->src_count > 2 ? ww__src(x, &u->src[2], scratch[1]) : b;
    x->out->is_atomic = true;
    WW_TRY(ww__access_resolve(x, u, bytes, groups, &count));
    for (uint32_t m = x->exec; m != 0; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        const ww_access *g = groups;
        while ((g->mask >> i & 1) == 0) {
            g++;
        }
        void *p = (void *)(g->base + x->out->address[i] + i * g->lane_stride);
        bool global = g->base == x->code->bias;
        uint64_t old = 0;
        memcpy(&old, p, bytes); /* the host is little-endian */
        uint64_t now = compute(u->inst, old, value_of(b, i, bytes), value_of(c, i, bytes), global);
        memcpy(p, &now, bytes);
        result[i] = (uint32_t)old;
        result[i + WW_LANES] = (uint32_t)(old >> 32);
    }
    ww__dst_write(x, u->dst, result, u->out_words);
    return WW_OK;
}
