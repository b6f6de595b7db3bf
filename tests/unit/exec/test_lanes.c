/* Do all instruction-set variants of the lane functions give the same bits, and does a masked step
 * leave other lanes alone? */
#include "perf/exec/lanes/lanes.h"
#include "values.h"

static const uint32_t mod_sets[] = {
    0,           WW_MOD_FTZ, WW_MOD_SAT,      WW_MOD_FTZ | WW_MOD_SAT,
    WW_MOD_WRAP, WW_MOD_NAN, WW_MOD_SHIFTAMT, WW_MOD_RELU};

typedef struct inputs {
    uint32_t plane[4][64];
} inputs;

/* Planes 0 and 1 of an operand also make sense as a double. */
static void fill(inputs *in, uint64_t *seed)
{
    for (unsigned k = 0; k < 4; k++) {
        for (unsigned i = 0; i < 32; i++) {
            uint64_t wide = any64(seed);
            bool narrow = (rnd(seed) & 1) != 0;
            in->plane[k][i] = narrow ? any32(seed) : (uint32_t)wide;
            in->plane[k][i + 32] = (uint32_t)(wide >> 32);
            if (k >= 1 && rnd(seed) % 3 == 0) { /* small shift amounts and lengths */
                in->plane[k][i] &= 63;
            }
        }
    }
}

static unsigned compare(const ww_lane_set *const *sets, unsigned count, const ww_inst *inst,
                        const inputs *in, uint32_t x)
{
    uint32_t want[64] = {0};
    uint32_t want_mask = 0;
    const uint32_t *s[4] = {in->plane[0], in->plane[1], in->plane[2], in->plane[3]};
    for (unsigned v = 0; v < count; v++) {
        uint32_t got[64] = {0};
        ww_lane_op op = sets[v]->find(inst);
        if (op.fn == NULL) {
            assert_int_equal(v, 0);
            return 0;
        }
        uint32_t mask = op.fn(got, s, op.pred_source ? x : op.x);
        if (v == 0) {
            memcpy(want, got, sizeof want);
            want_mask = mask;
            continue;
        }
        for (unsigned i = 0; i < 64; i++) {
            if (got[i] != want[i] || mask != want_mask) {
                fail_msg("%s.%s.%s sub %u mods %x round %u cmp %u lane %u: %s gives %08x, generic "
                         "%08x (mask %08x, %08x)",
                         ww_op_name((ww_op)inst->op), ww_type_name((ww_type)inst->type),
                         ww_type_name((ww_type)inst->type2), inst->sub, inst->mods, inst->round,
                         inst->cmp, i, sets[v]->name, got[i], want[i], mask, want_mask);
            }
        }
    }
    return 1;
}

static unsigned each_variant(const ww_lane_set *const *sets, unsigned count, ww_inst *inst,
                             uint64_t *seed)
{
    unsigned forms = 0;
    inputs in;
    for (unsigned m = 0; m < WW_ARRAY_LEN(mod_sets); m++) {
        bool rounds = ww_type_is_float((ww_type)inst->type) || inst->op == WW_OP_CVT;
        for (unsigned round = 0; round <= (rounds ? WW_ROUND_RPI : 0u); round++) {
            inst->mods = mod_sets[m];
            inst->round = (uint8_t)round;
            fill(&in, seed);
            forms += compare(sets, count, inst, &in, (uint32_t)rnd(seed));
        }
    }
    return forms;
}

static bool is_video(ww_op op)
{
    return op == WW_OP_VIDEO || op == WW_OP_VMAD;
}

static bool is_word(ww_type type)
{
    return type == WW_T_U32 || type == WW_T_S32;
}

static bool has_two_types(ww_op op)
{
    return op == WW_OP_CVT || op == WW_OP_SET || op == WW_OP_SLCT || op == WW_OP_DP4A ||
           op == WW_OP_DP2A || op == WW_OP_CVT_PACK || is_video(op);
}

/* Whether the form's sub changes nothing: it has the function and the constant of none. */
static bool same_without_sub(const ww_lane_set *set, const ww_inst *inst)
{
    ww_inst without = *inst;
    without.sub = WW_SUB_NONE;
    ww_lane_op a = set->find(inst), b = set->find(&without);
    return inst->sub != WW_SUB_NONE && a.fn == b.fn && a.x == b.x;
}

/* All variants of an operation with these types; of video instructions, all numbers of parts and
 * signs of the second operand. */
static unsigned each_sub(const ww_lane_set *const *sets, unsigned count, ww_inst *inst,
                         uint64_t *seed)
{
    unsigned forms = 0;
    bool compares = inst->op == WW_OP_SETP || inst->op == WW_OP_SET;
    unsigned subs = compares || inst->op == WW_OP_CVT ? 1 : WW_SUB_COUNT;
    for (unsigned k = 0; k < subs; k++) {
        inst->sub = (uint8_t)k;
        inst->space = k % 2 == 0 ? WW_SPACE_SHARED : WW_SPACE_LOCAL;
        for (unsigned v = 0; v < (is_video((ww_op)inst->op) ? 6u : 1u); v++) {
            inst->vec = (uint8_t)(1u << v % 3);
            inst->type_b = v < 3 ? WW_T_U32 : WW_T_S32;
            inst->mods = 0;
            inst->round = WW_ROUND_DEFAULT;
            forms += same_without_sub(sets[0], inst) ? 0 : each_variant(sets, count, inst, seed);
        }
    }
    return forms;
}

static unsigned each_type(const ww_lane_set *const *sets, unsigned count, ww_op op, uint64_t *seed)
{
    unsigned forms = 0;
    ww_operand dst[2] = {RR(0)}, src[4] = {RR(2), RR(4), RR(6), I(0xe8)};
    bool two = has_two_types(op), compares = op == WW_OP_SETP || op == WW_OP_SET;
    for (unsigned t = WW_T_B16; t < WW_TYPE_COUNT; t++) {
        ww_inst inst = {.op = (uint16_t)op,
                        .type = (uint8_t)t,
                        .dst_count = 1,
                        .src_count = 2,
                        .dst = dst,
                        .src = src};
        dst[0].words = ww_type_bytes((ww_type)t) == 8 ? 2 : 1;
        for (unsigned t2 = two ? WW_T_B8 : 0; t2 < (two ? WW_TYPE_COUNT : 1); t2++) {
            if (is_video(op) && !(is_word((ww_type)t) && is_word((ww_type)t2))) {
                continue;
            }
            inst.type2 = (uint8_t)t2;
            for (unsigned c = 0; c < (compares ? WW_CMP_COUNT : 1u); c++) {
                inst.cmp = (uint8_t)c;
                forms += each_sub(sets, count, &inst, seed);
            }
        }
    }
    return forms;
}

static void variants_agree(void **state)
{
    (void)state;
    const ww_lane_set *sets[3];
    unsigned count = ww__lanes_all(sets);
    uint64_t seed = 5;
    unsigned forms = 0, video = 0;
    for (unsigned op = 0; op < WW_OP_COUNT; op++) {
        unsigned n = each_type(sets, count, (ww_op)op, &seed);
        forms += n;
        video += is_video((ww_op)op) ? n : 0;
    }
    print_message("%u variants, %u forms compared\n", count, forms);
    assert_true(forms > 10000);
    assert_true(video > 1000);
}

static void helpers_agree(void **state)
{
    (void)state;
    const ww_lane_set *sets[3];
    unsigned count = ww__lanes_all(sets);
    uint64_t seed = 6;
    for (unsigned n = 0; n < 2000; n++) {
        inputs in;
        fill(&in, &seed);
        uint32_t mask = (uint32_t)rnd(&seed) | 1u << n % 32;
        uint64_t address[2][32];
        ww_address_summary sum[2];
        uint32_t blended[2][64], modified[2][64];
        ww_type type = (ww_type)(WW_T_B16 + rnd(&seed) % (WW_TYPE_COUNT - WW_T_B16));
        for (unsigned v = 0; v < count; v++) {
            unsigned w = v > 0;
            memcpy(blended[w], in.plane[1], sizeof blended[w]);
            memset(modified[w], 0, sizeof modified[w]);
            sets[v]->blend(blended[w], in.plane[0], 2, mask);
            sets[v]->modify(modified[w], in.plane[2], type,
                            (unsigned)(rnd(&(uint64_t){n + 1}) & 7));
            memset(&sum[w], 0, sizeof sum[w]);
            sets[v]->addresses(&sum[w], address[w], in.plane[3], n % 2 + 1, n * 4 - 100, mask, 4);
            if (v > 0) {
                assert_memory_equal(blended[0], blended[1], sizeof blended[0]);
                assert_memory_equal(modified[0], modified[1], sizeof modified[0]);
                assert_memory_equal(address[0], address[1], sizeof address[0]);
                assert_true(sum[0].lowest == sum[1].lowest && sum[0].highest == sum[1].highest &&
                            sum[0].bits == sum[1].bits && sum[0].same == sum[1].same &&
                            sum[0].consecutive == sum[1].consecutive);
            }
        }
        for (unsigned i = 0; i < 64; i++) {
            assert_int_equal(blended[0][i], in.plane[mask >> i % 32 & 1 ? 0 : 1][i]);
        }
    }
}

static void expect_summary(const ww_lane_set *set, const uint32_t *base, unsigned words,
                           uint64_t offset, uint32_t mask)
{
    uint64_t address[32];
    ww_address_summary sum;
    set->addresses(&sum, address, base, words, offset, mask, 4);
    uint64_t lowest = UINT64_MAX, highest = 0, bits = 0;
    bool consecutive = mask == UINT32_MAX;
    for (unsigned i = 0; i < 32; i++) {
        uint64_t a = words == 2 ? ((uint64_t)base[i + 32] << 32 | base[i]) + offset
                                : base[i] + (uint32_t)offset;
        assert_true(address[i] == a);
        consecutive = consecutive && (i == 0 || a == address[i - 1] + 4);
        if ((mask >> i & 1) != 0) {
            lowest = a < lowest ? a : lowest;
            highest = a > highest ? a : highest;
            bits |= a;
        }
    }
    assert_true(sum.lowest == lowest && sum.highest == highest);
    assert_true(sum.same == (lowest == highest) && sum.consecutive == consecutive);
    assert_true((sum.bits & 15) == (bits & 15));
}

/* Neighbours, one address for all, strides, wrapping around, a carry into the upper words. */
static void address_patterns(void **state)
{
    static const uint32_t first[] = {0, 4096, 0xffffffc0u, 0xfffffffcu, 3};
    static const uint32_t step[] = {0, 4, 8, 1, 0xfffffffcu};
    static const uint32_t masks[] = {UINT32_MAX, 0x80000001u, 1};
    const ww_lane_set *sets[3];
    unsigned count = ww__lanes_all(sets);
    (void)state;
    for (unsigned k = 0; k < 5 * 5 * 3; k++) {
        uint32_t base[64];
        for (unsigned i = 0; i < 32; i++) {
            uint64_t a = (0x7f00000000ull | first[k % 5]) + (uint64_t)i * step[k / 5 % 5];
            base[i] = (uint32_t)a;
            base[i + 32] = (uint32_t)(a >> 32);
        }
        for (unsigned v = 0; v < count; v++) {
            for (unsigned n = 0; n < 4; n++) {
                expect_summary(sets[v], base, n % 2 + 1, n < 2 ? 0 : 64, masks[k / 25]);
            }
        }
    }
}

/* Guarded and partially active steps against unmasked ones, lane by lane, destination overlapping
 * sources. */
static void masked_steps(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (unsigned n = 0; n < 500; n++) {
        machine m;
        inputs in;
        uint32_t full[2][32], before[2][32];
        fill(&in, &seed);
        ww_operand d = RR(10 + (uint32_t)(rnd(&seed) % 4));
        ww_op op = n % 3 == 0 ? WW_OP_ADD : n % 3 == 1 ? WW_OP_MUL : WW_OP_MIN;
        uint32_t active = (uint32_t)rnd(&seed) | 1, guard = (uint32_t)rnd(&seed);
        for (unsigned pass = 0; pass < 2; pass++) {
            m_init(&m);
            m_add(&m, op, WW_T_S64, 1, 2, d, RR(10), RR(12))->guard = P(2);
            m_start(&m);
            for (unsigned i = 0; i < 32; i++) {
                for (unsigned r = 0; r < 8; r++) {
                    m_reg(&m, 0, 10 + r)[i] = in.plane[r / 2][i + r % 2 * 32];
                }
            }
            memcpy(before, m_reg(&m, 0, d.reg), sizeof before);
            m.cta.warp[0].preds[2] = pass == 0 ? UINT32_MAX : guard;
            m.cta.warp[0].stack[0].mask = pass == 0 ? UINT32_MAX : active;
            assert_int_equal(m_step(&m, 0), WW_OK);
            if (pass == 0) {
                memcpy(full, m_reg(&m, 0, d.reg), sizeof full);
            } else {
                assert_int_equal(m.step.exec, active & guard);
                for (unsigned i = 0; i < 64; i++) {
                    bool on = (active & guard) >> i % 32 & 1;
                    assert_int_equal(m_reg(&m, 0, d.reg)[i],
                                     on ? full[i / 32][i % 32] : before[i / 32][i % 32]);
                }
            }
            m_fini(&m);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variants_agree),
        cmocka_unit_test(helpers_agree),
        cmocka_unit_test(address_patterns),
        cmocka_unit_test(masked_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
