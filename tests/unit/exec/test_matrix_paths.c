/* Do products of matrices by vector code, with each extension of the host, give the bits that the
 * plain sums of multiply.c give? Every tile and type, numbers of middling size, of any size,
 * subnormal, infinite and NaN. */
#include "isa/fragment.h"
#include "perf/exec/matrix/matrix.h"
#include "values.h"

enum { PLANES = MACHINE_REGS * WW_LANES };

typedef struct product {
    bool wmma, saturates;
    ww_tile tile;
    ww_type a, b, c, d;
} product;

static ww_fragment fragment(const product *p, ww_sub matrix, ww_type type)
{
    return ww_isa_fragment(p->tile, matrix, type, p->wmma);
}

static unsigned words(ww_type type)
{
    return type == WW_T_F64 ? 2 : 1;
}

/* Registers of one matrix as operands; returns the next free register. */
static unsigned operands(machine *m, unsigned reg, unsigned count, ww_type type)
{
    for (unsigned k = 0; k < count; k++, reg += words(type)) {
        assert_true(reg + words(type) <= MACHINE_REGS && m->operand_count < OPERANDS_MAX);
        m->operands[m->operand_count++] = words(type) == 2 ? RR(reg) : R(reg);
    }
    return reg;
}

/* A kernel of that one product; false: it needs more registers than there are. */
static bool build(machine *m, const product *p)
{
    static const ww_sub matrix[4] = {WW_SUB_D, WW_SUB_A, WW_SUB_B, WW_SUB_C};
    const ww_type type[4] = {p->d, p->a, p->b, p->c};
    m_init(m);
    ww_inst *inst = m_add(m, p->wmma ? WW_OP_WMMA_MMA : WW_OP_MMA, p->d, 0, 0);
    inst->tile = (uint8_t)p->tile;
    inst->type2 = (uint8_t)p->a;
    inst->type_b = (uint8_t)p->b;
    inst->type_c = (uint8_t)p->c;
    inst->mods |= p->saturates ? WW_MOD_SAT : 0;
    unsigned reg = 0;
    for (unsigned k = 0; k < 4; k++) {
        unsigned count = fragment(p, matrix[k], type[k]).registers;
        unsigned size = count * words(type[k]);
        if (size > WW_FRAGMENT_WORDS || reg + size > MACHINE_REGS) {
            return false;
        }
        reg = operands(m, reg, count, type[k]);
        *(k == 0 ? &inst->dst_count : &inst->src_count) += (uint8_t)count;
        if (k == 0) {
            inst->src = inst->dst + count;
        }
    }
    m_add(m, WW_OP_EXIT, WW_T_NONE, 0, 0);
    return true;
}

/* ---- operands ---- */

/* Numbers of a case: how far their exponents may lie from that of 1, and how many are special. */
typedef struct spread {
    int exponents;
    unsigned zeros, specials; /* one in so many; 0: none */
    unsigned places;          /* of the fraction that may be set; 0: all */
} spread;

static bool now_and_then(uint64_t *seed, unsigned one_in)
{
    return one_in != 0 && rnd(seed) % one_in == 0;
}

/* A number of a format: its bits below the sign are exponent and fraction. */
static uint64_t any_number(uint64_t *seed, unsigned exponent_bits, unsigned fraction, spread s)
{
    uint64_t most = (1ull << exponent_bits) - 1;
    uint64_t sign = (rnd(seed) & 1) << (exponent_bits + fraction);
    uint64_t f = rnd(seed) & ((1ull << fraction) - 1);
    if (s.places != 0) {
        f &= ~0ull << (fraction - s.places);
    }
    if (now_and_then(seed, s.zeros)) {
        return sign;
    }
    if (now_and_then(seed, s.specials)) {
        uint64_t infinite = most << fraction;
        return sign | (rnd(seed) % 3 == 0 ? f : rnd(seed) % 3 == 0 ? infinite : infinite | f);
    }
    int64_t e = (int64_t)(most >> 1) + (int64_t)(rnd(seed) % (2u * (unsigned)s.exponents + 1)) -
                s.exponents;
    e = e < 0 ? 0 : e >= (int64_t)most ? (int64_t)most - 1 : e;
    return sign | (uint64_t)e << fraction | f;
}

/* A word of packed elements; of 64 bits one alone. */
static uint64_t any_word(uint64_t *seed, ww_type type, spread s)
{
    switch (type) {
    case WW_T_F16:
        return any_number(seed, 5, 10, s) << 16 | any_number(seed, 5, 10, s);
    case WW_T_BF16:
        return any_number(seed, 8, 7, s) << 16 | any_number(seed, 8, 7, s);
    case WW_T_F32:
    case WW_T_TF32:
        return any_number(seed, 8, 23, s);
    case WW_T_F64:
        return any_number(seed, 11, 52, s);
    default:
        return rnd(seed);
    }
}

static unsigned fill(uint64_t *seed, uint32_t *planes, unsigned reg, unsigned count, ww_type type,
                     spread s)
{
    for (unsigned k = 0; k < count; k++, reg += words(type)) {
        for (unsigned i = 0; i < WW_LANES; i++) {
            uint64_t v = any_word(seed, type, s);
            planes[reg * WW_LANES + i] = (uint32_t)v;
            if (words(type) == 2) {
                planes[(reg + 1) * WW_LANES + i] = (uint32_t)(v >> 32);
            }
        }
    }
    return reg;
}

static void any_planes(uint64_t *seed, const product *p, spread s, uint32_t *planes)
{
    const spread sums = {2 * s.exponents, s.zeros, s.specials, 2 * s.places};
    unsigned reg = fragment(p, WW_SUB_D, p->d).registers * words(p->d);
    reg = fill(seed, planes, reg, fragment(p, WW_SUB_A, p->a).registers, p->a, s);
    reg = fill(seed, planes, reg, fragment(p, WW_SUB_B, p->b).registers, p->b, s);
    (void)fill(seed, planes, reg, fragment(p, WW_SUB_C, p->c).registers, p->c, sums);
}

/* ---- comparison ---- */

static void run(machine *m, const ww_lane_set *set, const uint32_t *in, uint32_t *out)
{
    ww_cta_fini(&m->cta);
    ww_exec_release(&m->launch);
    m->cta = (ww_cta){0};
    m->launch.lanes = set;
    m_start(m);
    memcpy(m_reg(m, 0, 0), in, PLANES * sizeof *in);
    assert_ok(m_step(m, 0), m->err);
    memcpy(out, m_reg(m, 0, 0), PLANES * sizeof *out);
}

static void compare(machine *m, const product *p, spread s, uint64_t *seed)
{
    static uint32_t in[PLANES], want[PLANES], got[PLANES];
    const ww_lane_set *sets[3];
    unsigned count = ww__lanes_all(sets);
    ww_lane_set plain = *sets[0];
    plain.matrix = NULL;
    any_planes(seed, p, s, in);
    run(m, &plain, in, want);
    for (unsigned v = 0; v < count; v++) {
        run(m, sets[v], in, got);
        for (unsigned i = 0; i < PLANES; i++) {
            if (got[i] != want[i]) {
                fail_msg("%s: %s %s.%s.%s.%s, exponents to %d: register %u, lane %u: %08x instead "
                         "of %08x",
                         sets[v]->name, ww_tile_name(p->tile), ww_type_name(p->d),
                         ww_type_name(p->a), ww_type_name(p->b), ww_type_name(p->c), s.exponents,
                         i / WW_LANES, i % WW_LANES, got[i], want[i]);
            }
        }
    }
}

static void vector_code(void **state)
{
    (void)state;
    static const ww_type types[][4] = {
        /* a, b, c, d */
        {WW_T_F16, WW_T_F16, WW_T_F32, WW_T_F32},   {WW_T_F16, WW_T_F16, WW_T_F16, WW_T_F16},
        {WW_T_F16, WW_T_F16, WW_T_F16, WW_T_F32},   {WW_T_F16, WW_T_F16, WW_T_F32, WW_T_F16},
        {WW_T_BF16, WW_T_BF16, WW_T_F32, WW_T_F32}, {WW_T_TF32, WW_T_TF32, WW_T_F32, WW_T_F32},
        {WW_T_S8, WW_T_S8, WW_T_S32, WW_T_S32},     {WW_T_U8, WW_T_U8, WW_T_S32, WW_T_S32},
        {WW_T_S8, WW_T_U8, WW_T_S32, WW_T_S32},     {WW_T_U8, WW_T_S8, WW_T_S32, WW_T_S32},
        {WW_T_F64, WW_T_F64, WW_T_F64, WW_T_F64},
    };
    static const ww_tile tiles[] = {
        WW_TILE_M8N8K4,   WW_TILE_M8N8K16, WW_TILE_M16N16K16, WW_TILE_M32N8K16, WW_TILE_M8N32K16,
        WW_TILE_M16N16K8, WW_TILE_M16N8K4, WW_TILE_M16N8K8,   WW_TILE_M16N8K16, WW_TILE_M16N8K32};
    static const spread spreads[] = {
        {2, 0, 0, 0},    {10, 5, 0, 0},  {14, 2, 40, 0},    {30, 9, 0, 0},   {32, 0, 0, 0},
        {60, 100, 0, 0}, {127, 0, 0, 0}, {1023, 0, 100, 0}, {5, 50, 200, 0}, {14, 0, 1000, 0},
        {1, 3, 0, 1},    {2, 3, 0, 3},   {3, 9, 0, 3},      {3, 0, 0, 2},    {4, 20, 0, 1},
        {4, 9, 0, 1},    {1, 2, 500, 1}};
    uint64_t seed = 7;
    unsigned forms = 0;
    for (unsigned k = 0; k < WW_ARRAY_LEN(types) * WW_ARRAY_LEN(tiles) * 2; k++) {
        const ww_type *t = types[k / 2 % WW_ARRAY_LEN(types)];
        product p = {.wmma = k % 2 == 0,
                     .tile = tiles[k / 2 / WW_ARRAY_LEN(types)],
                     .a = t[0],
                     .b = t[1],
                     .c = t[2],
                     .d = t[3]};
        ww_fragment a = fragment(&p, WW_SUB_A, p.a);
        if (a.positions % (4 * a.unit) != 0) {
            continue; /* no whole block of registers */
        }
        machine m;
        if (build(&m, &p)) {
            forms++;
            for (unsigned n = 0; n < 68; n++) {
                p.saturates = !ww_type_is_float(p.a) && n % 2 != 0;
                m.code[0].mods = p.saturates ? WW_MOD_SAT : 0;
                compare(&m, &p, spreads[n % WW_ARRAY_LEN(spreads)], &seed);
            }
        }
        m_fini(&m);
    }
    assert_true(forms >= 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(vector_code)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
