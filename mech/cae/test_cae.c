/* test_cae.c - are bases and strides those of plain execution, and what do half slots, rows shorter
 * than a warp and divergence make of them? */
#include "tests/support/test.h"

#include "mech/cae/tags.h"
#include "mech/mechanisms.h"
#include "perf/exec/lanes/lanes.h"
#include "tests/unit/sm/kernels.h"

/* ---- tags ---- */

static cae_tag tag(uint32_t base, uint32_t stride)
{
    return (cae_tag){.known = true, .base = base, .stride = stride};
}

static ww_inst inst_of(ww_op op, ww_type type, ww_sub sub, unsigned results)
{
    return (ww_inst){.op = (uint16_t)op,
                     .type = (uint8_t)type,
                     .type2 = (uint8_t)type,
                     .sub = (uint8_t)sub,
                     .dst_count = (uint8_t)results};
}

static uint32_t lane(const cae_tag *t, uint32_t l)
{
    return t->base + l * t->stride;
}

/* Figure 1: (0x100, 4) + (0x200, 0) = (0x300, 4); lane 31 has 0x37c. Equation 3: (b1, 0) x (b2, o2)
 * = (b1 b2, b1 o2). */
static void sums_and_products_of_the_paper(void **state)
{
    (void)state;
    cae_tag out, carry;
    ww_inst add = inst_of(WW_OP_ADD, WW_T_U32, WW_SUB_NONE, 1);
    ww_inst mul = inst_of(WW_OP_MUL, WW_T_U32, WW_SUB_LO, 1);
    const cae_tag figure_1[CAE_SOURCES] = {tag(0x100, 4), tag(0x200, 0)};
    assert_true(cae_result(&add, figure_1, &out, &carry));
    assert_int_equal(out.base, 0x300);
    assert_int_equal(out.stride, 4);
    assert_int_equal(lane(&out, 31), 0x37c);
    const cae_tag scaled[CAE_SOURCES] = {tag(3, 0), tag(7, 5)};
    assert_true(cae_result(&mul, scaled, &out, &carry));
    assert_int_equal(out.base, 21);
    assert_int_equal(out.stride, 15);
    const cae_tag both[CAE_SOURCES] = {tag(3, 1), tag(7, 5)};
    assert_false(cae_result(&mul, both, &out, &carry));
}

static bool carries_out(ww_op op)
{
    return op == WW_OP_ADD || op == WW_OP_ADDC || op == WW_OP_SUB || op == WW_OP_SUBC ||
           op == WW_OP_MAD || op == WW_OP_MADC;
}

/* What plain execution gives all lanes; their carries or borrows as a mask. */
static uint32_t plain(const ww_inst *i, const cae_tag source[CAE_SOURCES], uint32_t out[64])
{
    const cae_tag *in = &source[i->op == WW_OP_MADC ? 3 : 2]; /* a predicate */
    uint32_t plane[CAE_SOURCES][64] = {{0}};
    ww_operand operand[CAE_SOURCES];
    ww_inst whole = *i;
    whole.src = operand;
    whole.src_count = CAE_SOURCES;
    const uint32_t *at[CAE_SOURCES];
    for (unsigned k = 0; k < CAE_SOURCES; k++) {
        at[k] = plane[k];
        operand[k] = (ww_operand){.kind = WW_OPD_IMM, .imm = source[k].base};
        for (uint32_t l = 0; l < 32; l++) {
            plane[k][l] = lane(&source[k], l);
        }
    }
    const ww_lane_op op = ww__lanes_select()->find(&whole);
    assert_true(op.fn != NULL);
    return op.fn(out, at, op.pred_source ? (in->base != 0 ? UINT32_MAX : 0) : op.x);
}

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

/* Near the ends of the number range as often as in its middle. */
static cae_tag random_tag(uint64_t *seed)
{
    static const uint32_t ends[] = {0, 0x7fffff00u, 0x80000000u, 0xffffff00u};
    uint32_t base = ends[next_random(seed) % 4] + next_random(seed) % 512;
    uint32_t stride = next_random(seed) % 17 - 8;
    return tag(base, next_random(seed) % 3 == 0 ? 0 : stride);
}

/* Whatever a tag says holds for all 32 lanes; and often enough it says something. */
static void tags_hold_in_all_lanes(void **state)
{
    (void)state;
    static const struct {
        ww_op op;
        ww_sub sub;
        bool in, shift;
    } kinds[] = {{WW_OP_ADD, WW_SUB_NONE, false, false}, {WW_OP_ADDC, WW_SUB_NONE, true, false},
                 {WW_OP_SUB, WW_SUB_NONE, false, false}, {WW_OP_SUBC, WW_SUB_NONE, true, false},
                 {WW_OP_MUL, WW_SUB_LO, false, false},   {WW_OP_MUL, WW_SUB_HI, false, false},
                 {WW_OP_MAD, WW_SUB_LO, false, false},   {WW_OP_MADC, WW_SUB_HI, false, false},
                 {WW_OP_SHL, WW_SUB_NONE, false, true},  {WW_OP_SHR, WW_SUB_NONE, false, true},
                 {WW_OP_SCADD, WW_SUB_NONE, false, true}};
    uint64_t seed = 1;
    for (unsigned k = 0; k < WW_ARRAY_LEN(kinds); k++) {
        unsigned known = 0, carries = 0;
        for (unsigned n = 0; n < 4000; n++) {
            ww_inst i = inst_of(kinds[k].op, n % 2 == 0 ? WW_T_U32 : WW_T_S32, kinds[k].sub, 2);
            cae_tag source[CAE_SOURCES], out, carry;
            for (unsigned j = 0; j < CAE_SOURCES; j++) {
                source[j] = random_tag(&seed);
            }
            if (kinds[k].in || i.op == WW_OP_MADC) { /* a predicate */
                source[i.op == WW_OP_MADC ? 3 : 2] = tag(n % 3 == 0, 0);
            }
            if (kinds[k].shift) {
                source[i.op == WW_OP_SCADD ? 2 : 1] = tag(next_random(&seed) % 32, 0);
            }
            if (!cae_result(&i, source, &out, &carry)) {
                continue;
            }
            known++;
            carries += carry.known;
            uint32_t expected[64] = {0}, carried = plain(&i, source, expected);
            for (uint32_t l = 0; l < 32; l++) {
                assert_int_equal(lane(&out, l), expected[l]);
                assert_true(!carry.known || (carry.base != 0) == (carried >> l & 1));
            }
        }
        assert_true(known > 500);
        assert_true(carries_out(kinds[k].op) ? carries > 500 : carries == 0);
    }
}

/* ---- an SM ---- */

static ww_arch cae_arch(void)
{
    ww_arch arch = small_arch();
    arch.sm.fetch_warps = 2;
    arch.sm.schedulers = 1;
    arch.regfile.collector_ports = 1;
    return arch;
}

/* Cycles from the first issue to the last one of a CTA. */
static uint64_t run_code(machine *m, const ww_arch *arch, code *c, uint32_t threads,
                         const ww_mech *mech)
{
    finish(c);
    machine_open_with(m, arch, as_kernel(c, 32), threads, mech);
    start_cta(m);
    uint64_t first = until(m, WW_C_INST_ISSUED, 1);
    run_out(m);
    assert_int_equal(get(m, WW_C_MECH_MISMATCH), 0);
    return m->now - first;
}

/* 60 rounds of `uniform` movs and `vectors` adds; what counts the rounds is uniform, too, but for
 * the branch. */
static void rounds(code *c, unsigned uniform, unsigned vectors)
{
    ww_operand r = reg(1), square[2] = {sreg(WW_SREG_LANEID), sreg(WW_SREG_LANEID)};
    ww_operand p = pred(0), test[2] = {reg(2), imm(60)};
    put(c, WW_OP_MUL, WW_T_U32, 1, &r, 2, square)->sub = WW_SUB_LO;
    mov(c, 2, imm(0));
    uint32_t loop = c->count;
    add(c, 2, 2, 1);
    for (unsigned k = 0; k < uniform; k++) {
        mov(c, 3 + k, imm(k));
    }
    for (unsigned k = 0; k < vectors; k++) {
        add(c, 16 + k, 1, k);
    }
    put(c, WW_OP_SETP, WW_T_U32, 1, &p, 2, test)->cmp = WW_CMP_NE;
    ww_inst *bra = put(c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL);
    bra->guard = pred(0);
    bra->target = loop;
    bra->reconv = c->count;
}

/* Two uniform instructions share a slot; a vector one takes a whole one, of which the second half
 * may lie in the next one, a cycle or two later; vector instructions alone go no faster than
 * without. */
static void two_halves_make_a_slot(void **state)
{
    (void)state;
    static const struct {
        unsigned uniform, vectors;
    } mixes[] = {{10, 0}, {5, 5}, {9, 3}, {0, 10}};
    for (unsigned i = 0; i < 2 * WW_ARRAY_LEN(mixes); i++) {
        const unsigned k = i / 2, interval = 1 + i % 2; /* cycles of a slot */
        code with = {0}, without = {0};
        ww_arch arch = cae_arch();
        machine m, n;
        arch.sm.issue_interval = interval;
        rounds(&with, mixes[k].uniform, mixes[k].vectors);
        rounds(&without, mixes[k].uniform, mixes[k].vectors);
        uint64_t fast = run_code(&m, &arch, &with, 512, &ww_mech_cae);
        uint64_t slow = run_code(&n, &arch, &without, 512, NULL);
        uint64_t halves = UINT64_C(16) * (1 + 60 * (mixes[k].uniform + 2));
        uint64_t all = get(&m, WW_C_INST_ISSUED), ideal = all - halves / 2;
        assert_int_equal(get(&m, WW_C_CAE_INST), halves);
        assert_int_equal(get(&m, WW_C_CAE_UNIFORM), halves);
        assert_int_equal(all, get(&n, WW_C_INST_ISSUED));
        assert_int_equal(get(&n, WW_C_PIPE_SP) - get(&m, WW_C_PIPE_SP), halves);
        const uint64_t last = interval - 1; /* of the last slot one cycle counts */
        assert_true(fast + last >= interval * ideal && fast < interval * (ideal + ideal / 16));
        assert_true(slow + last >= interval * all && slow < interval * (all + all / 16));
        machine_close(&m);
        machine_close(&n);
    }
}

/* %tid.x in rows of 16 threads is a vector (section 5.4: HS and BP), %tid.y and the block's index
 * are computed with: in a row of 32 %tid.x is affine, %tid.y uniform. */
static void rows_shorter_than_a_warp_are_vectors(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        code c = {0};
        ww_arch arch = cae_arch();
        machine m;
        mov(&c, 1, sreg(WW_SREG_TID_X));
        add(&c, 2, 1, 5);
        mov(&c, 3, sreg(WW_SREG_CTAID_X));
        add(&c, 4, 3, 5);
        finish(&c);
        machine_open_with(&m, &arch, as_kernel(&c, 32), 32, &ww_mech_cae);
        m.launch.block = k == 0 ? (ww_dim3){32, 1, 1} : (ww_dim3){16, 2, 1};
        run_cta(&m);
        assert_int_equal(get(&m, WW_C_CAE_INST), k == 0 ? 4 : 2);
        assert_int_equal(get(&m, WW_C_CAE_UNIFORM), 2);
        assert_int_equal(get(&m, WW_C_CAE_OP), k == 0 ? 2 * 2 + 2 : 2);
        assert_int_equal(get(&m, WW_C_CAE_READ), k == 0 ? 2 : 1); /* of the additions */
        assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
        machine_close(&m);
    }
}

/* A predicate of the upper lanes. */
static void upper_half(code *c, uint32_t predicate)
{
    ww_operand p = pred(predicate), test[2] = {sreg(WW_SREG_LANEID), imm(16)};
    put(c, WW_OP_SETP, WW_T_U32, 1, &p, 2, test)->cmp = WW_CMP_GE;
}

/* Half the threads go on: the two registers that they read are expanded once each, what they write
 * under the branch is a vector, and nothing is affine there. */
static void diverged_warps_expand_what_they_read(void **state)
{
    (void)state;
    code c = {0};
    ww_arch arch = cae_arch();
    machine m;
    mov(&c, 1, imm(7));
    mov(&c, 2, sreg(WW_SREG_LANEID));
    upper_half(&c, 0);
    ww_inst *bra = put(&c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL);
    bra->guard = pred(0);
    bra->target = bra->reconv = 7;
    add3(&c, 3, 1, 2);
    add3(&c, 3, 1, 2);
    mov(&c, 4, imm(1));
    add(&c, 5, 1, 1); /* all threads again */
    mov(&c, 6, imm(1));
    run_code(&m, &arch, &c, 32, &ww_mech_cae);
    assert_int_equal(get(&m, WW_C_CAE_EXPANDED), 2);
    assert_int_equal(get(&m, WW_C_CAE_INST), 3); /* the first two and the last mov */
    machine_close(&m);
}

/* A register written where a predicate of the threads holds is expanded first. */
static void partial_writes_expand(void **state)
{
    (void)state;
    code c = {0};
    ww_arch arch = cae_arch();
    machine m;
    mov(&c, 1, imm(7));
    upper_half(&c, 0);
    mov(&c, 1, imm(8))->guard = pred(0);
    add(&c, 2, 1, 1);
    run_code(&m, &arch, &c, 32, &ww_mech_cae);
    assert_int_equal(get(&m, WW_C_CAE_EXPANDED), 1);
    assert_int_equal(get(&m, WW_C_CAE_INST), 1);
    machine_close(&m);
}

/* Predicates of the threads, the first and the last of four: the register before them, the last of
 * 32, stays a scalar. */
static void predicates_lie_behind_registers(void **state)
{
    (void)state;
    code c = {0};
    ww_arch arch = cae_arch();
    machine m;
    mov(&c, 31, imm(7));
    upper_half(&c, 0);
    upper_half(&c, 3);
    add(&c, 2, 31, 1);
    run_code(&m, &arch, &c, 32, &ww_mech_cae);
    assert_int_equal(get(&m, WW_C_CAE_INST), 2);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_products_of_the_paper),
        cmocka_unit_test(tags_hold_in_all_lanes),
        cmocka_unit_test(two_halves_make_a_slot),
        cmocka_unit_test(rows_shorter_than_a_warp_are_vectors),
        cmocka_unit_test(diverged_warps_expand_what_they_read),
        cmocka_unit_test(partial_writes_expand),
        cmocka_unit_test(predicates_lie_behind_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
