/* half.c - f16 and bf16 arithmetic, single and in pairs. */
#include "halves.h"
#include "lane.h"

typedef uint32_t operation(uint32_t a, uint32_t b, uint32_t c);

static uint32_t pairs(operation *op, lane_value a, lane_value b, lane_value c)
{
    uint32_t low = op(a.u16, b.u16, c.u16);
    return low | op(a.u32 >> 16, b.u32 >> 16, c.u32 >> 16) << 16;
}

static uint32_t add(uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return f16_from(f16_value(a) + f16_value(b)); /* exact in double */
}

static uint32_t flush(uint32_t h)
{
    return (h & 0x7c00) == 0 ? h & 0x8000 : h;
}

static uint32_t mul(uint32_t a, uint32_t b, uint32_t c)
{
    (void)c;
    return f16_from(f16_value(a) * f16_value(b)); /* exact in double */
}

static uint32_t fma_f16(uint32_t a, uint32_t b, uint32_t c)
{
    return f16_from(odd_fma(f16_value(a), f16_value(b), f16_value(c)));
}

static uint32_t fma_bf16(uint32_t a, uint32_t b, uint32_t c)
{
    return bf16_from(odd_fma(bf16_value(a), bf16_value(b), bf16_value(c)));
}

static uint32_t lesser(lane_value a, lane_value b)
{
    return f16_from(ieee_min(f16_value(a.u16), f16_value(b.u16)));
}

static bool either_nan(lane_value a, lane_value b)
{
    return isnan(f16_value(a.u16)) || isnan(f16_value(b.u16));
}

#define SIMPLE(X)                                                                                  \
    X(add_x2, "add.f16x2", "x=xx", pairs(add, a, b, c))                                            \
    X(mul_x2, "mul.f16x2", "x=xx", pairs(mul, a, b, c))                                            \
    X(fma_x2, "fma.rn.f16x2", "x=xxx", pairs(fma_f16, a, b, c))                                    \
    X(fma_bf, "fma.rn.bf16x2", "z=zzz", pairs(fma_bf16, a, b, c))                                  \
    X(add_1, "add.f16", "y=yy", add(a.u16, b.u16, 0))                                              \
    X(add_ftz, "add.ftz.f16", "y=yy", flush(add(flush(a.u16), flush(b.u16), 0)))                   \
    X(min_1, "min.f16", "y=yy", lesser(a, b))                                                      \
    X(min_nan, "min.NaN.f16", "y=yy", either_nan(a, b) ? 0x7fff : lesser(a, b))                    \
    X(max_1, "max.f16", "y=yy", f16_from(ieee_max(f16_value(a.u16), f16_value(b.u16))))

SIMPLE(LANE_WANTS)

static const lane_row rows[] = {SIMPLE(LANE_ROW)};

LANE_FAMILY(form_half, "half precision");
