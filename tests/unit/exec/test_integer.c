/* Do integer, logic and comparison instructions compute what the PTX manual says? Expectations are
 * written out bit by bit or in 128-bit arithmetic, apart from the implementation. */
#include "isa/evaluate.h"
#include "perf/exec/lanes/lanes.h"
#include "values.h"

__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;

static ww_operand dst_ops[2], src_ops[4];

/* Result of a lane function in every lane for the same operands; carry and predicate results
 * through *mask. */
static uint64_t run(ww_op op, ww_type type, ww_type type2, ww_sub sub, uint32_t mods,
                    const uint64_t v[4], uint32_t x, unsigned dsts, uint32_t *mask)
{
    ww_inst inst = {.op = (uint16_t)op,
                    .type = (uint8_t)type,
                    .type2 = (uint8_t)type2,
                    .sub = (uint8_t)sub,
                    .mods = mods,
                    .dst_count = (uint8_t)dsts,
                    .src_count = 4,
                    .dst = dst_ops,
                    .src = src_ops};
    uint32_t plane[4][64], d[64] = {0};
    const uint32_t *s[4];
    bool wide = ww_type_bytes(type) == 8 && op != WW_OP_SET;
    dst_ops[0] = wide ? RR(0) : R(0);
    for (unsigned k = 0; k < 4; k++) {
        for (unsigned i = 0; i < 32; i++) {
            plane[k][i] = (uint32_t)v[k];
            plane[k][i + 32] = (uint32_t)(v[k] >> 32);
        }
        src_ops[k] = I(v[k]);
        s[k] = plane[k];
    }
    ww_lane_op lane = ww__lanes_select()->find(&inst);
    if (lane.fn == NULL) {
        fail_msg("no lane function for %s.%s", ww_op_name(op), ww_type_name(type));
    }
    uint32_t m = lane.fn(d, s, lane.pred_source ? x : lane.x);
    assert_true(d[0] == d[31]);
    if (mask != NULL) {
        *mask = m;
    }
    return lane.out_words == 2 ? (uint64_t)d[32] << 32 | d[0] : d[0];
}

static uint64_t run2(ww_op op, ww_type type, ww_sub sub, uint64_t a, uint64_t b, uint64_t c)
{
    return run(op, type, WW_T_NONE, sub, 0, (uint64_t[4]){a, b, c, 0}, 0, 1, NULL);
}

static const ww_type int_types[] = {WW_T_U16, WW_T_S16, WW_T_U32, WW_T_S32, WW_T_U64, WW_T_S64};

/* A value of the type, as a mathematical integer. */
static s128 value(ww_type t, uint64_t bits)
{
    unsigned w = ww_type_bytes(t) * 8;
    uint64_t low = w == 64 ? bits : bits & ((1ull << w) - 1);
    return ww_type_is_signed(t) && (low >> (w - 1) & 1) ? (s128)low - ((s128)1 << w) : (s128)low;
}
static uint64_t cut(ww_type t, s128 v)
{
    unsigned w = ww_type_bytes(t) * 8;
    return w == 64 ? (uint64_t)v : (uint64_t)v & ((1ull << w) - 1);
}

#define CHECK(what, got, want)                                                                     \
    do {                                                                                           \
        uint64_t got_ = (got), want_ = (want);                                                     \
        if (got_ != want_) {                                                                       \
            fail_msg("%s.%s of %llx, %llx, %llx: %llx, expected %llx", what, ww_type_name(t),      \
                     (unsigned long long)a, (unsigned long long)b, (unsigned long long)c,          \
                     (unsigned long long)got_, (unsigned long long)want_);                         \
        }                                                                                          \
    } while (0)

static void arithmetic(void **state)
{
    (void)state;
    uint64_t seed = 11;
    for (unsigned n = 0; n < 6000; n++) {
        ww_type t = int_types[n % 6];
        unsigned w = ww_type_bytes(t) * 8;
        uint64_t a = any64(&seed), b = any64(&seed), c = any64(&seed);
        b = n % 4 == 0 ? (uint64_t)((int64_t)(b % 7) - 3) : b;
        s128 x = value(t, a), y = value(t, b), z = value(t, c);
        CHECK("add", run2(WW_OP_ADD, t, WW_SUB_NONE, a, b, c), cut(t, x + y));
        CHECK("sub", run2(WW_OP_SUB, t, WW_SUB_NONE, a, b, c), cut(t, x - y));
        CHECK("mul.lo", run2(WW_OP_MUL, t, WW_SUB_LO, a, b, c), cut(t, (s128)((u128)x * (u128)y)));
        CHECK("mad.lo", run2(WW_OP_MAD, t, WW_SUB_LO, a, b, c),
              cut(t, (s128)((u128)x * (u128)y + (u128)z)));
        s128 high = ww_type_is_signed(t) ? (x * y) >> w : (s128)(((u128)x * (u128)y) >> w);
        CHECK("mul.hi", run2(WW_OP_MUL, t, WW_SUB_HI, a, b, c), cut(t, high));
        CHECK("mad.hi", run2(WW_OP_MAD, t, WW_SUB_HI, a, b, c), cut(t, high + z));
        CHECK("min", run2(WW_OP_MIN, t, WW_SUB_NONE, a, b, c), cut(t, x < y ? x : y));
        CHECK("max", run2(WW_OP_MAX, t, WW_SUB_NONE, a, b, c), cut(t, x > y ? x : y));
        CHECK("sad", run2(WW_OP_SAD, t, WW_SUB_NONE, a, b, c), cut(t, z + (x < y ? y - x : x - y)));
        CHECK("neg", run2(WW_OP_NEG, t, WW_SUB_NONE, a, b, c), cut(t, -x));
        CHECK("div", run2(WW_OP_DIV, t, WW_SUB_NONE, a, b, c), cut(t, y == 0 ? -1 : x / y));
        CHECK("rem", run2(WW_OP_REM, t, WW_SUB_NONE, a, b, c), cut(t, y == 0 ? x : x % y));
        if (ww_type_is_signed(t)) {
            CHECK("abs", run2(WW_OP_ABS, t, WW_SUB_NONE, a, b, c), cut(t, x < 0 ? -x : x));
        }
        if (w < 64) {
            ww_type d = (ww_type)(t + 1);
            s128 wide_c = value(d, c);
            CHECK("mul.wide", run2(WW_OP_MUL, t, WW_SUB_WIDE, a, b, c), cut(d, x * y));
            CHECK("mad.wide", run2(WW_OP_MAD, t, WW_SUB_WIDE, a, b, c), cut(d, x * y + wide_c));
        }
    }
}

static void saturation_and_24_bits(void **state)
{
    (void)state;
    uint64_t seed = 12;
    for (unsigned n = 0; n < 3000; n++) {
        ww_type t = WW_T_S32;
        uint64_t a = any32(&seed), b = any32(&seed), c = any32(&seed);
        int64_t x = (int32_t)a, y = (int32_t)b, z = (int32_t)c;
        const uint64_t v[4] = {a, b, c, 0};
        int64_t sum = x + y, diff = x - y, mad = (x * y >> 32) + z;
#define CLAMP(s) ((uint32_t)((s) > INT32_MAX ? INT32_MAX : (s) < INT32_MIN ? INT32_MIN : (s)))
        CHECK("add.sat", run(WW_OP_ADD, t, WW_T_NONE, WW_SUB_NONE, WW_MOD_SAT, v, 0, 1, NULL),
              CLAMP(sum));
        CHECK("sub.sat", run(WW_OP_SUB, t, WW_T_NONE, WW_SUB_NONE, WW_MOD_SAT, v, 0, 1, NULL),
              CLAMP(diff));
        CHECK("mad.hi.sat", run(WW_OP_MAD, t, WW_T_NONE, WW_SUB_HI, WW_MOD_SAT, v, 0, 1, NULL),
              CLAMP(mad));
        int64_t sx = (int32_t)(a << 8) >> 8, sy = (int32_t)(b << 8) >> 8;
        uint64_t ux = a & 0xffffff, uy = b & 0xffffff;
        CHECK("mul24.lo.s32", run2(WW_OP_MUL24, t, WW_SUB_LO, a, b, c), (uint32_t)(sx * sy));
        CHECK("mul24.hi.s32", run2(WW_OP_MUL24, t, WW_SUB_HI, a, b, c), (uint32_t)(sx * sy >> 16));
        CHECK("mad24.hi.u32", run2(WW_OP_MAD24, WW_T_U32, WW_SUB_HI, a, b, c),
              (uint32_t)((ux * uy >> 16) + c));
    }
}

/* Two unsigned operands, of 32 and 64 bits in turn. */
typedef struct operands {
    ww_type type;
    unsigned bits;
    uint64_t a, b;
} operands;

static operands draw(unsigned n, uint64_t *seed)
{
    operands o = {.type = n & 1 ? WW_T_U64 : WW_T_U32, .bits = n & 1 ? 64 : 32};
    o.a = cut(o.type, (s128)any64(seed));
    o.b = cut(o.type, (s128)any64(seed));
    return o;
}

static void carries(void **state)
{
    (void)state;
    uint64_t seed = 13;
    for (unsigned n = 0; n < 4000; n++) {
        const operands o = draw(n, &seed);
        const ww_type t = o.type;
        const uint64_t a = o.a, b = o.b, c = cut(t, (s128)any64(&seed));
        uint32_t in = n & 2 ? UINT32_MAX : 0, mask;
        u128 sum = (u128)a + b + (in & 1), diff = (u128)a - b - (in & 1);
        const uint64_t v[4] = {a, b, c, 0};
        CHECK("addc", run(WW_OP_ADDC, t, WW_T_NONE, WW_SUB_NONE, 0, v, in, 2, &mask),
              cut(t, (s128)sum));
        assert_int_equal(mask, sum >> o.bits & 1 ? UINT32_MAX : 0);
        CHECK("subc", run(WW_OP_SUBC, t, WW_T_NONE, WW_SUB_NONE, 0, v, in, 2, &mask),
              cut(t, (s128)diff));
        assert_int_equal(mask, diff >> o.bits & 1 ? UINT32_MAX : 0);
        u128 product = (u128)a * b, low = (u128)cut(t, (s128)product) + c + (in & 1);
        CHECK("madc.lo", run(WW_OP_MADC, t, WW_T_NONE, WW_SUB_LO, 0, v, in, 2, &mask),
              cut(t, (s128)low));
        assert_int_equal(mask, low >> o.bits & 1 ? UINT32_MAX : 0);
        u128 high = (product >> o.bits) + c + (in & 1);
        CHECK("madc.hi", run(WW_OP_MADC, t, WW_T_NONE, WW_SUB_HI, 0, v, in, 2, &mask),
              cut(t, (s128)high));
        assert_int_equal(mask, high >> o.bits & 1 ? UINT32_MAX : 0);
    }
}

/* Pseudo-code of the manual, bit by bit. */
static uint64_t ref_bfe(uint64_t a, uint32_t b, uint32_t c, unsigned w, bool sgn)
{
    unsigned pos = b & 255, len = c & 255, msb = w - 1;
    unsigned top = pos + len - 1 < msb ? pos + len - 1 : msb;
    bool sbit = sgn && len != 0 && (a >> top & 1);
    uint64_t d = 0;
    for (unsigned i = 0; i <= msb; i++) {
        bool bit = i < len && pos + i <= msb ? a >> (pos + i) & 1 : sbit;
        d |= (uint64_t)bit << i;
    }
    return d;
}
static uint64_t ref_bfi(uint64_t a, uint64_t f, uint32_t c, uint32_t d, unsigned w)
{
    unsigned pos = c & 255, len = d & 255;
    for (unsigned i = 0; i < len && pos + i < w; i++) {
        f = (f & ~(1ull << (pos + i))) | (a >> i & 1) << (pos + i);
    }
    return f;
}
static uint32_t ref_fns(uint32_t mask, uint32_t base, int32_t offset)
{
    if (offset == 0) {
        return mask >> base & 1 ? base : UINT32_MAX;
    }
    int32_t pos = (int32_t)base, count = offset < 0 ? -offset : offset, inc = offset < 0 ? -1 : 1;
    while (pos >= 0 && pos < 32) {
        if (mask >> pos & 1 && --count == 0) {
            return (uint32_t)pos;
        }
        pos += inc;
    }
    return UINT32_MAX;
}

static void bit_fields(void **state)
{
    (void)state;
    uint64_t seed = 14;
    for (unsigned n = 0; n < 20000; n++) {
        const operands o = draw(n, &seed);
        const ww_type t = o.type;
        const uint64_t a = o.a, b = o.b, c = rnd(&seed) % 80, l = rnd(&seed) % 80;
        const uint64_t v[4] = {a, b, c, l}, f[4] = {a, c, l, 0};
        CHECK("bfi",
              run(WW_OP_BFI, o.bits == 64 ? WW_T_B64 : WW_T_B32, WW_T_NONE, WW_SUB_NONE, 0, v, 0, 1,
                  NULL),
              ref_bfi(a, b, (uint32_t)c, (uint32_t)l, o.bits));
        CHECK("bfe.u", run(WW_OP_BFE, t, WW_T_NONE, WW_SUB_NONE, 0, f, 0, 1, NULL),
              ref_bfe(a, (uint32_t)c, (uint32_t)l, o.bits, false));
        CHECK("bfe.s",
              run(WW_OP_BFE, o.bits == 64 ? WW_T_S64 : WW_T_S32, WW_T_NONE, WW_SUB_NONE, 0, f, 0, 1,
                  NULL),
              ref_bfe(a, (uint32_t)c, (uint32_t)l, o.bits, true));
        uint32_t base = (uint32_t)(rnd(&seed) % 32);
        int32_t offset = (int32_t)(rnd(&seed) % 40) - 20;
        const uint64_t g[4] = {a, base, (uint32_t)offset, 0};
        CHECK("fns", run(WW_OP_FNS, WW_T_B32, WW_T_NONE, WW_SUB_NONE, 0, g, 0, 1, NULL),
              ref_fns((uint32_t)a, base, offset));
    }
}

static void shifts_and_counts(void **state)
{
    (void)state;
    uint64_t seed = 15;
    for (unsigned n = 0; n < 20000; n++) {
        ww_type t = int_types[n % 6];
        unsigned w = ww_type_bytes(t) * 8;
        uint64_t a = any64(&seed), b = n % 5 == 0 ? any32(&seed) : rnd(&seed) % 70,
                 c = any32(&seed);
        s128 x = value(t, a);
        CHECK("shl", run2(WW_OP_SHL, t, WW_SUB_NONE, a, b, c),
              b >= w ? 0 : cut(t, (s128)((u128)x << b)));
        CHECK("shr", run2(WW_OP_SHR, t, WW_SUB_NONE, a, b, c), cut(t, x >> (b > 127 ? 127 : b)));
        if (w >= 32) {
            uint64_t u = cut(t, x), mirrored = 0;
            unsigned ones = 0, lead = 0;
            for (unsigned i = 0; i < w; i++) {
                ones += (unsigned)(u >> i & 1);
                mirrored |= (u >> i & 1) << (w - 1 - i);
            }
            while (lead < w && (u >> (w - 1 - lead) & 1) == 0) {
                lead++;
            }
            CHECK("popc", run2(WW_OP_POPC, t, WW_SUB_NONE, a, b, c), ones);
            CHECK("clz", run2(WW_OP_CLZ, t, WW_SUB_NONE, a, b, c), lead);
            CHECK("brev", run2(WW_OP_BREV, t, WW_SUB_NONE, a, b, c), mirrored);
            uint64_t magnitude = cut(t, ww_type_is_signed(t) && x < 0 ? ~x : x);
            unsigned bit = w;
            while (bit > 0 && (magnitude >> (bit - 1) & 1) == 0) {
                bit--;
            }
            const uint64_t v[4] = {a, 0, 0, 0};
            CHECK("bfind", run2(WW_OP_BFIND, t, WW_SUB_NONE, a, b, c), (uint32_t)(bit - 1));
            CHECK("bfind.shiftamt",
                  run(WW_OP_BFIND, t, WW_T_NONE, WW_SUB_NONE, WW_MOD_SHIFTAMT, v, 0, 1, NULL),
                  bit == 0 ? UINT32_MAX : w - bit);
        }
        uint32_t lo = (uint32_t)a, hi = (uint32_t)c, clamp = b > 32 ? 32 : (uint32_t)b,
                 wrap = (uint32_t)b & 31;
        uint64_t pair = (uint64_t)hi << 32 | lo;
        const uint64_t v[4] = {lo, hi, b, 0};
        t = WW_T_B32;
        CHECK("shf.l.clamp", run(WW_OP_SHF, t, WW_T_NONE, WW_SUB_LEFT, 0, v, 0, 1, NULL),
              (uint32_t)(pair << clamp >> 32));
        CHECK("shf.r.clamp", run(WW_OP_SHF, t, WW_T_NONE, WW_SUB_RIGHT, 0, v, 0, 1, NULL),
              (uint32_t)(pair >> clamp));
        CHECK("shf.l.wrap", run(WW_OP_SHF, t, WW_T_NONE, WW_SUB_LEFT, WW_MOD_WRAP, v, 0, 1, NULL),
              (uint32_t)(pair << wrap >> 32));
        CHECK("shf.r.wrap", run(WW_OP_SHF, t, WW_T_NONE, WW_SUB_RIGHT, WW_MOD_WRAP, v, 0, 1, NULL),
              (uint32_t)(pair >> wrap));
    }
}

/* Worked examples: byte permutation, masks, dot products, three-input logic. */
static void examples(void **state)
{
    (void)state;
    const uint64_t ab[4] = {0x33221100, 0x77665544, 0, 0};
    const struct {
        ww_sub mode;
        uint32_t c, want;
    } prmt[] = {
        {WW_SUB_NONE, 0x3210, 0x33221100}, {WW_SUB_NONE, 0x7654, 0x77665544},
        {WW_SUB_NONE, 0x0706, 0x00770066}, {WW_SUB_F4E, 0, 0x33221100},
        {WW_SUB_F4E, 1, 0x44332211},       {WW_SUB_F4E, 3, 0x66554433},
        {WW_SUB_B4E, 0, 0x55667700},       {WW_SUB_B4E, 3, 0x00112233},
        {WW_SUB_RC8, 2, 0x22222222},       {WW_SUB_ECL, 1, 0x33221111},
        {WW_SUB_ECL, 2, 0x33222222},       {WW_SUB_ECR, 1, 0x11111100},
        {WW_SUB_ECR, 2, 0x22221100},       {WW_SUB_RC16, 0, 0x11001100},
        {WW_SUB_RC16, 1, 0x33223322},
    };
    for (unsigned k = 0; k < sizeof prmt / sizeof prmt[0]; k++) {
        const uint64_t v[4] = {ab[0], ab[1], prmt[k].c, 0};
        assert_int_equal(run(WW_OP_PRMT, WW_T_B32, WW_T_NONE, prmt[k].mode, 0, v, 0, 1, NULL),
                         prmt[k].want);
    }
    const uint64_t sign[4] = {0x80007f00, 0, 0xbbb9,
                              0}; /* replicate signs of bytes 3, 3, 3 and 1 */
    assert_int_equal(run(WW_OP_PRMT, WW_T_B32, WW_T_NONE, WW_SUB_NONE, 0, sign, 0, 1, NULL),
                     0xffffff00);
    const uint64_t dot[4] = {0x01ff02fe, 0x0102807f, 100, 0};
    /* signed: 1*1 + (-1)*2 + 2*(-128) + (-2)*127; unsigned: 1*1 + 255*2 + 2*128 + 254*127 */
    assert_int_equal((int32_t)run(WW_OP_DP4A, WW_T_S32, WW_T_S32, WW_SUB_NONE, 0, dot, 0, 1, NULL),
                     100 + 1 - 2 - 256 - 254);
    assert_int_equal(run(WW_OP_DP4A, WW_T_U32, WW_T_U32, WW_SUB_NONE, 0, dot, 0, 1, NULL),
                     100 + 1 + 510 + 256 + 32258);
    /* halves of a: 0x02fe = 766 low, 0x01ff = 511 high */
    assert_int_equal((int32_t)run(WW_OP_DP2A, WW_T_S32, WW_T_S32, WW_SUB_LO, 0, dot, 0, 1, NULL),
                     100 + 766 * 127 + 511 * -128);
    assert_int_equal((int32_t)run(WW_OP_DP2A, WW_T_S32, WW_T_S32, WW_SUB_HI, 0, dot, 0, 1, NULL),
                     100 + 766 * 2 + 511);
    const uint64_t abc[4] = {0xf0f0f0f0, 0xcccccccc, 0xaaaaaaaa, 0x96};
    assert_int_equal(run(WW_OP_LOP3, WW_T_B32, WW_T_NONE, WW_SUB_NONE, 0, abc, 0, 1, NULL),
                     0x96969696);
    assert_int_equal(run2(WW_OP_BMSK, WW_T_B32, WW_SUB_NONE, 4, 8, 0), 0xff0);
    assert_int_equal(run2(WW_OP_BMSK, WW_T_B32, WW_SUB_NONE, 40, 8, 0), 0);
    assert_int_equal(run2(WW_OP_BMSK, WW_T_B32, WW_SUB_NONE, 0, 99, 0), UINT32_MAX);
    assert_int_equal(run2(WW_OP_SZEXT, WW_T_S32, WW_SUB_NONE, 0x1ff, 8, 0), UINT32_MAX);
    assert_int_equal(run2(WW_OP_SZEXT, WW_T_U32, WW_SUB_NONE, 0x1ff, 8, 0), 0xff);
    assert_int_equal(run2(WW_OP_SZEXT, WW_T_S32, WW_SUB_NONE, 0x1ff, 0, 0), 0);
    assert_int_equal(run2(WW_OP_SZEXT, WW_T_S32, WW_SUB_NONE, 0x800001ff, 32, 0), 0x800001ff);
    assert_int_equal(run2(WW_OP_CNOT, WW_T_B32, WW_SUB_NONE, 0, 0, 0), 1);
    assert_int_equal(run2(WW_OP_CNOT, WW_T_B16, WW_SUB_NONE, 0x10000, 0, 0), 1);
    src_ops[2] = I(3);
    assert_int_equal(run(WW_OP_SCADD, WW_T_U32, WW_T_NONE, WW_SUB_NONE, 0,
                         (uint64_t[4]){5, 100, 3, 0}, 0, 1, NULL),
                     140);
    assert_int_equal(run2(WW_OP_COPYSIGN, WW_T_F32, WW_SUB_NONE, 0x80000000, 0x3f800000, 0),
                     0xbf800000);
}

static void integer_conversions(void **state)
{
    (void)state;
    static const ww_type types[] = {WW_T_U8,  WW_T_S8,  WW_T_U16, WW_T_S16,
                                    WW_T_U32, WW_T_S32, WW_T_U64, WW_T_S64};
    uint64_t seed = 16;
    for (unsigned n = 0; n < 30000; n++) {
        ww_type from = types[n % 8], t = types[n / 8 % 8];
        uint64_t a = n & 64 ? any64(&seed) : (uint64_t)(int64_t)(int16_t)rnd(&seed), b = 0, c = 0;
        s128 x = value(from, a);
        unsigned w = ww_type_bytes(t) * 8;
        s128 max = ww_type_is_signed(t) ? ((s128)1 << (w - 1)) - 1 : ((s128)1 << w) - 1;
        s128 min = ww_type_is_signed(t) ? -max - 1 : 0;
        s128 clamped = x > max ? max : x < min ? min : x;
        const uint64_t v[4] = {a, 0, 0, 0};
        /* narrow results are extended to the 32-bit register */
        ww_type reg = w == 64 ? t : ww_type_is_signed(t) ? WW_T_S32 : WW_T_U32;
        CHECK("cvt", run(WW_OP_CVT, t, from, WW_SUB_NONE, 0, v, 0, 1, NULL),
              cut(reg, value(t, cut(t, x))));
        CHECK("cvt.sat", run(WW_OP_CVT, t, from, WW_SUB_NONE, WW_MOD_SAT, v, 0, 1, NULL),
              cut(reg, clamped));
    }
}

static bool ref_compare(ww_cmp cmp, bool less, bool equal, bool unordered)
{
    switch (cmp) {
    case WW_CMP_EQ:
        return equal;
    case WW_CMP_NE:
        return !equal && !unordered;
    case WW_CMP_LT:
    case WW_CMP_LO:
        return less;
    case WW_CMP_LE:
    case WW_CMP_LS:
        return less || equal;
    case WW_CMP_GT:
    case WW_CMP_HI:
        return !less && !equal && !unordered;
    case WW_CMP_GE:
    case WW_CMP_HS:
        return !less && !unordered;
    case WW_CMP_EQU:
        return equal || unordered;
    case WW_CMP_NEU:
        return !equal;
    case WW_CMP_LTU:
        return less || unordered;
    case WW_CMP_LEU:
        return less || equal || unordered;
    case WW_CMP_GTU:
        return !less && !equal;
    case WW_CMP_GEU:
        return !less;
    case WW_CMP_NUM:
        return !unordered;
    default:
        return unordered;
    }
}

static uint32_t compare_mask(ww_type t, ww_cmp cmp, uint64_t a, uint64_t b)
{
    ww_inst inst = {.op = WW_OP_SETP,
                    .type = (uint8_t)t,
                    .cmp = (uint8_t)cmp,
                    .dst_count = 1,
                    .src_count = 2,
                    .dst = dst_ops,
                    .src = src_ops};
    uint32_t plane[2][64];
    for (unsigned i = 0; i < 32; i++) {
        plane[0][i] = (uint32_t)a;
        plane[0][i + 32] = (uint32_t)(a >> 32);
        plane[1][i] = (uint32_t)b;
        plane[1][i + 32] = (uint32_t)(b >> 32);
    }
    const uint32_t *s[2] = {plane[0], plane[1]};
    return ww__lanes_select()->find(&inst).fn(NULL, s, 0);
}

static void comparisons(void **state)
{
    (void)state;
    uint64_t seed = 17;
    for (unsigned n = 0; n < 20000; n++) {
        uint64_t a = any64(&seed), b = n % 4 == 0 ? a : any64(&seed);
        ww_type t = int_types[n % 6];
        for (unsigned c = WW_CMP_EQ; c <= WW_CMP_HS; c++) {
            ww_type as =
                c >= WW_CMP_LO && ww_type_is_signed(t) ? (ww_type)(t - (WW_T_S8 - WW_T_U8)) : t;
            bool want = ref_compare((ww_cmp)c, value(as, a) < value(as, b),
                                    value(as, a) == value(as, b), false);
            assert_int_equal(compare_mask(t, (ww_cmp)c, a, b), want ? UINT32_MAX : 0);
        }
        float fa = f32_of((uint32_t)a), fb = f32_of((uint32_t)b);
        double da = f64_of(a), db = f64_of(b);
        for (unsigned c = WW_CMP_EQ; c < WW_CMP_COUNT; c++) {
            if (c >= WW_CMP_LO && c <= WW_CMP_HS) {
                continue;
            }
            bool want = ref_compare((ww_cmp)c, isless(fa, fb), !isunordered(fa, fb) && fa == fb,
                                    isunordered(fa, fb));
            assert_int_equal(compare_mask(WW_T_F32, (ww_cmp)c, (uint32_t)a, (uint32_t)b),
                             want ? UINT32_MAX : 0);
            want = ref_compare((ww_cmp)c, isless(da, db), !isunordered(da, db) && da == db,
                               isunordered(da, db));
            assert_int_equal(compare_mask(WW_T_F64, (ww_cmp)c, a, b), want ? UINT32_MAX : 0);
        }
    }
}

/* What passes fold is what would have run. */
static void known_numbers_fold_as_they_run(void **state)
{
    (void)state;
    static const ww_op ops[] = {WW_OP_ADD, WW_OP_SUB, WW_OP_MUL, WW_OP_SHL,
                                WW_OP_AND, WW_OP_OR,  WW_OP_XOR};
    uint64_t seed = 77, folded = 0;
    for (unsigned n = 0; n < 4000; n++) {
        const ww_op op = ops[n % WW_ARRAY_LEN(ops)];
        const bool wide = n / WW_ARRAY_LEN(ops) % 2 != 0;
        const ww_sub sub = op == WW_OP_MUL ? WW_SUB_LO : WW_SUB_NONE;
        uint64_t v[4] = {any64(&seed), any64(&seed)}, got;
        v[0] = wide ? v[0] : (uint32_t)v[0];
        v[1] = op == WW_OP_SHL ? v[1] % 40 : wide ? v[1] : (uint32_t)v[1];
        if (!ww_op_evaluate(op, sub, wide ? 8 : 4, v[0], v[1], &got)) {
            assert_true(op == WW_OP_SHL && v[1] >= 32);
            continue;
        }
        const ww_type type = op == WW_OP_ADD || op == WW_OP_SUB || op == WW_OP_MUL
                                 ? (wide ? WW_T_U64 : WW_T_U32)
                                 : (wide ? WW_T_B64 : WW_T_B32);
        assert_true(got == run(op, type, WW_T_NONE, sub, 0, v, 0, 1, NULL));
        folded++;
    }
    assert_true(folded > 3500);
    uint64_t got;
    assert_false(ww_op_evaluate(WW_OP_MUL, WW_SUB_HI, 4, 3, 5, &got));
    assert_false(ww_op_evaluate(WW_OP_DIV, WW_SUB_NONE, 4, 6, 3, &got));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_numbers_fold_as_they_run),
        cmocka_unit_test(arithmetic),
        cmocka_unit_test(saturation_and_24_bits),
        cmocka_unit_test(carries),
        cmocka_unit_test(bit_fields),
        cmocka_unit_test(shifts_and_counts),
        cmocka_unit_test(examples),
        cmocka_unit_test(integer_conversions),
        cmocka_unit_test(comparisons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
