/* test_expansion.c - does the affine warp make the addresses and predicates that the paper's
 * examples say, with the operations and records that they count? */
#include "mech/dac/test_room.h"

/* ---- section 4.2: expansion of addresses ---- */

/* What a warp's queue must hold: for each of four warps `each` records, the first at `line` of the
 * array, the next ones and the next warps' `step` further, with these words. */
typedef struct records {
    uint32_t each, line, step, words, operations;
} records;

static void assert_records(const records *e)
{
    for (uint32_t w = 0, n = 0; n < 4 * e->each; n++) {
        w = n / e->each;
        const dac_record *r = &seen->queue[w].record[seen->queue[w].first + n % e->each];
        assert_int_equal(seen->queue[w].count, e->each);
        assert_int_equal(r->line, first_address() + e->line + n * e->step);
        assert_int_equal(r->words, e->words);
        assert_int_equal(r->last, n % e->each == e->each - 1);
    }
}

static void to_the_end(machine *m)
{
    run_out(m);
    assert_int_equal(get(m, WW_C_MECH_MISMATCH), 0);
    assert_int_equal(get(m, WW_C_DAC_LEFT_OVER), 0);
    assert_int_equal(get(m, WW_C_DAC_WRAPPED), 0);
}

/* One load of A + tid.x * x + tid.y * y + ctaid.x * 512 by a CTA: records and operations. */
static void expand(ww_dim3 block, uint32_t x, uint32_t y, uint32_t linear, records expected)
{
    code c = {0};
    ww_arch arch = dac_arch();
    machine m;
    ww_error err = {0};
    const uint64_t all = UINT64_C(4) * expected.each;
    op2(&c, WW_OP_MUL, 0, sreg(WW_SREG_CTAID_X), imm(512));
    op2(&c, WW_OP_MUL, 1, sreg(WW_SREG_TID_X), imm(x));
    op2(&c, WW_OP_MUL, 2, sreg(WW_SREG_TID_Y), imm(y));
    add3(&c, 3, 0, 1);
    add3(&c, 3, 3, 2);
    add(&c, 3, 3, first_address());
    load(&c, 4, 3);
    store(&c, 4, 4); /* at 0 + what was read: not decoupled, and never executed */
    c.inst[c.count - 1].guard = pred(1);
    open_dac(&m, &arch, &c, block, 1);
    assert_ok(ww_sm_launch_cta(m.sm, linear, m.now, &err), err);
    m.now++;
    until(&m, WW_C_DAC_PWAQ_WRITE, all); /* long before their data come */
    assert_records(&expected);
    to_the_end(&m);
    assert_int_equal(get(&m, WW_C_DAC_PWAQ_WRITE), all);
    assert_int_equal(get(&m, WW_C_DAC_AEU), expected.operations);
    assert_int_equal(get(&m, WW_C_DAC_REQUESTED), all);
    assert_int_equal(get(&m, WW_C_DAC_LOADS_AFFINE), all);
    assert_int_equal(get(&m, WW_C_DAC_LOCK), all);
    assert_int_equal(get(&m, WW_C_DAC_UNLOCK), all); /* each line of a warp by its own look-up */
    machine_close(&m);
}

/* {A, tx 4, bx 512}, CTA 3: from A + 0x600 a whole line for each of four warps, 1 + 4 operations.
 * Offset 8: two lines a warp, every second word. 16 x 4 threads in rows of 256 bytes: of two lines
 * a warp the first half. */
static void lines_of_an_affine_address(void **state)
{
    (void)state;
    expand((ww_dim3){128, 1, 1}, 4, 0, 3, (records){1, 0x600, 128, 0xffffffff, 1 + 4});
    expand((ww_dim3){128, 1, 1}, 8, 0, 3, (records){2, 0x600, 128, 0x55555555, 1 + 8});
    expand((ww_dim3){16, 8, 1}, 4, 256, 0, (records){2, 0, 256, 0x0000ffff, 1 + 8});
}

/* One way of each set may be locked. Each of four warps reads two lines of one set: the first one's
 * lock leaves the second line to the access itself, and every warp comes to its end. */
static void an_access_waits_for_no_second_lock_of_a_set(void **state)
{
    (void)state;
    code c = {0};
    ww_arch arch = dac_arch();
    machine m;
    const uint32_t set_span = arch.l1d.bytes / arch.l1d.ways;
    arch.dac.lock_ways = 1;
    op2(&c, WW_OP_MUL, 1, sreg(WW_SREG_TID_X), imm(4));
    op2(&c, WW_OP_MUL, 2, sreg(WW_SREG_TID_Y), imm(set_span));
    add3(&c, 3, 1, 2);
    add(&c, 3, 3, first_address());
    load(&c, 4, 3);
    open_dac(&m, &arch, &c, (ww_dim3){16, 8, 1}, 1);
    run_linear(&m, 0);
    assert_int_equal(get(&m, WW_C_DAC_DEQUEUED), 4);
    assert_int_equal(get(&m, WW_C_DAC_PWAQ_WRITE), 8);
    assert_int_equal(get(&m, WW_C_DAC_REQUESTED), 4);
    assert_int_equal(get(&m, WW_C_DAC_LOCK), 4);
    machine_close(&m);
}

/* Threads 32 bytes apart: eight lines for each of four warps, whose queues hold four. The access
 * issues when its queue is full, and the other records pass through. */
static void lines_beyond_the_queue_pass_through(void **state)
{
    (void)state;
    code c = {0};
    ww_arch arch = dac_arch();
    machine m;
    op2(&c, WW_OP_MUL, 1, sreg(WW_SREG_TID_X), imm(32));
    add(&c, 3, 1, first_address());
    load(&c, 4, 3);
    open_dac(&m, &arch, &c, (ww_dim3){128, 1, 1}, 1);
    assert_int_equal(seen->queue_size, 4);
    run_linear(&m, 0);
    assert_true(get(&m, WW_C_DAC_PWAQ_WRITE) >= 4 * 4);
    assert_int_equal(get(&m, WW_C_DAC_DEQUEUED), 4);
    assert_int_equal(get(&m, WW_C_DAC_GIVEN_UP), 0);
    machine_close(&m);
}

/* ---- section 4.3: expansion of predicates ---- */

/* Code that begins with r3, the address of the thread's own word. */
static code words_of_threads(void)
{
    code c = {0};
    op2(&c, WW_OP_MUL, 1, sreg(WW_SREG_TID_X), imm(4));
    add(&c, 3, 1, first_address());
    return c;
}

/* Ends it: threads without p0 load that word and store it. A CTA of `block` begins. */
static void load_but_under_p0(machine *m, const ww_arch *arch, code *c, ww_dim3 block)
{
    const uint32_t behind = c->count + 3;
    branch(c, 0, behind, behind);
    load(c, 4, 3);
    store(c, 3, 4);
    open_dac(m, arch, c, block, 1);
    start_cta(m);
}

/* tid < 70 in 128 threads: two comparisons for each of four warps, of which the third is mixed and
 * takes the lanes; the load under the branch is the first three warps', of the third in six lanes:
 * in the Warp Level Stack 11 11 10 00, and 0x3f beside it. */
static void predicate_of_figure_13(void **state)
{
    (void)state;
    code c = words_of_threads();
    ww_arch arch = dac_arch();
    machine m;
    mov(&c, 2, sreg(WW_SREG_TID_X));
    compare(&c, 0, WW_CMP_GE, reg(2), imm(70));
    load_but_under_p0(&m, &arch, &c, (ww_dim3){128, 1, 1});
    until(&m, WW_C_DAC_PWAQ_WRITE, 3); /* of the load; its data are on their way */
    for (uint32_t w = 0; w < 4; w++) {
        static const uint32_t words[] = {UINT32_MAX, UINT32_MAX, 0x3f, 0};
        const dac_queue *q = &seen->queue[w];
        assert_int_equal(q->count > 0 ? q->record[q->first].words : 0, words[w]);
    }
    to_the_end(&m);
    assert_int_equal(get(&m, WW_C_DAC_PEU), 8);
    assert_int_equal(get(&m, WW_C_DAC_LANE_COMPARE), 1);
    assert_int_equal(get(&m, WW_C_DAC_PRED_ENDS), 3);
    assert_int_equal(get(&m, WW_C_DAC_PRED_LANES), 1);
    assert_int_equal(get(&m, WW_C_DAC_PWPQ_WRITE), 4);
    assert_int_equal(get(&m, WW_C_DAC_PWAQ_WRITE), 2 * 3);
    machine_close(&m);
}

/* Whether two warps look for a number among 2 tid, or 200 - 2 tid, or for others, by their ends or
 * lane by lane. */
static void expect_equality_by(ww_cmp cmp, bool falls, uint32_t number, uint64_t ends,
                               uint64_t lanes)
{
    code c = words_of_threads();
    ww_arch arch = dac_arch();
    machine m;
    op2(&c, WW_OP_MUL, 2, sreg(WW_SREG_TID_X), imm(2));
    op2(&c, falls ? WW_OP_SUB : WW_OP_ADD, 2, imm(falls ? 200 : 0), reg(2));
    compare(&c, 0, cmp, reg(2), imm(number));
    load_but_under_p0(&m, &arch, &c, (ww_dim3){64, 1, 1});
    to_the_end(&m);
    assert_int_equal(get(&m, WW_C_DAC_PRED_ENDS), ends);
    assert_int_equal(get(&m, WW_C_DAC_PRED_LANES), lanes);
    assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
    machine_close(&m);
}

static void expect_equality(bool falls, uint32_t number, uint64_t ends, uint64_t lanes)
{
    expect_equality_by(WW_CMP_EQ, falls, number, ends, lanes);
    expect_equality_by(WW_CMP_NE, falls, number, ends, lanes);
}

/* No thread has an odd number. Where first and last thread have theirs on one side of it, none
 * between them can have it; where they have not, the ends do not tell, whichever way numbers go. */
static void ends_decide_an_equality_on_one_side(void **state)
{
    (void)state;
    expect_equality(false, 201, 2, 0); /* 0 to 62, 64 to 126 */
    expect_equality(false, 9, 1, 1);
    expect_equality(false, 65, 1, 1);
    expect_equality(true, 9, 2, 0); /* 200 to 138, 136 to 74 */
    expect_equality(true, 139, 1, 1);
    expect_equality(true, 75, 1, 1);
}

/* tid.x == 0 && tid.y == 0 as compilers write it, a comparison of tid.x | tid.y with 0: of 16 x 8
 * threads the first alone reads. */
static void a_comparison_of_an_or_with_zero(void **state)
{
    (void)state;
    code c = words_of_threads();
    ww_arch arch = dac_arch();
    machine m;
    op2(&c, WW_OP_OR, 2, sreg(WW_SREG_TID_X), sreg(WW_SREG_TID_Y))->type = WW_T_B32;
    compare(&c, 0, WW_CMP_NE, reg(2), imm(0));
    load_but_under_p0(&m, &arch, &c, (ww_dim3){16, 8, 1});
    until(&m, WW_C_DAC_PWAQ_WRITE, 1);
    assert_int_equal(seen->queue[0].record[seen->queue[0].first].words, 1);
    to_the_end(&m);
    assert_int_equal(get(&m, WW_C_DAC_PRED_ENDS), 3);
    assert_int_equal(get(&m, WW_C_DAC_PRED_LANES), 1);
    assert_int_equal(get(&m, WW_C_DAC_PWAQ_WRITE), 2);
    machine_close(&m);
}

/* tid.x >= 2 && tid.y >= 1 as compilers write it, by the sign of (tid.x - 2) | (tid.y - 1): of 16 x
 * 8 threads those of the columns from 2 on, and of the first warp only its second row, read. Asked
 * either way round, and of the or's operands in either order, the four warps' words are the same.
 */
static void a_comparison_of_an_or_with_its_sign(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 4; k++) {
        code c = words_of_threads();
        ww_arch arch = dac_arch();
        machine m;
        op2(&c, WW_OP_SUB, 5, sreg(WW_SREG_TID_X), imm(2));
        op2(&c, WW_OP_SUB, 6, sreg(WW_SREG_TID_Y), imm(1));
        op2(&c, WW_OP_OR, 2, reg(k & 1 ? 5 : 6), reg(k & 1 ? 6 : 5))->type = WW_T_B32;
        compare(&c, 0, k & 2 ? WW_CMP_LE : WW_CMP_LT, reg(2), imm(k & 2 ? UINT64_MAX : 0));
        c.inst[c.count - 1].type = WW_T_S32;
        load_but_under_p0(&m, &arch, &c, (ww_dim3){16, 8, 1});
        until(&m, WW_C_DAC_PWAQ_WRITE, 4);
        for (uint32_t w = 0; w < 4; w++) {
            assert_int_equal(seen->queue[w].record[seen->queue[w].first].words, 0xfffc);
        }
        to_the_end(&m);
        assert_int_equal(get(&m, WW_C_DAC_RETURNED), 0);
        assert_int_equal(get(&m, WW_C_DAC_GIVEN_UP), 0);
        machine_close(&m);
    }
}

/* ---- sections 4.4 and 4.6: words that are made in several ways ---- */

/* Ends code that has left a distance in r1: each thread reads the word so far into the array. A CTA
 * of `threads` begins. */
static void read_at_r1(machine *m, const ww_arch *arch, code *c, uint32_t threads)
{
    add(c, 3, 1, first_address());
    load(c, 4, 3);
    open_dac(m, arch, c, (ww_dim3){threads, 1, 1}, 1);
    start_cta(m);
}

/* Two tuples behind an if: threads below 70 read from tid * 4, the others from tid * 8. */
static void divergent_tuples(void **state)
{
    (void)state;
    code c = {0};
    ww_arch arch = dac_arch();
    machine m;
    mov(&c, 2, sreg(WW_SREG_TID_X));
    compare(&c, 0, WW_CMP_GE, reg(2), imm(70));
    op2(&c, WW_OP_MUL, 1, reg(2), imm(4));
    branch(&c, 0, 5, 6);
    put(&c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL)->target = 6;
    op2(&c, WW_OP_MUL, 1, reg(2), imm(8));
    read_at_r1(&m, &arch, &c, 128);
    to_the_end(&m);
    /* warps 0, 1: a line each; 2: 256..279 and 560..760 are lines 2, 4, 5; 3: 768..1016 two */
    assert_int_equal(get(&m, WW_C_DAC_PWAQ_WRITE), 1 + 1 + 3 + 2);
    assert_int_equal(get(&m, WW_C_DAC_DEQUEUED), 4 + 4);
    machine_close(&m);
}

/* max(70 - tid, 0), as compilers write it: threads below 70 read from A + (70 - tid) * 4, the
 * others from A; and ~(~tid) is tid again. */
static void a_word_masked_by_a_sign(void **state)
{
    (void)state;
    code c = {0};
    ww_arch arch = dac_arch();
    machine m;
    mov(&c, 2, sreg(WW_SREG_TID_X));
    ww_operand r2 = reg(2), r5 = reg(5);
    put(&c, WW_OP_NOT, WW_T_B32, 1, &r5, 1, &r2);
    put(&c, WW_OP_NOT, WW_T_B32, 1, &r2, 1, &r5);
    op2(&c, WW_OP_SUB, 5, reg(2), imm(70));
    op2(&c, WW_OP_SHR, 6, reg(5), imm(31))->type = WW_T_S32;
    op2(&c, WW_OP_SUB, 7, imm(70), reg(2));
    op2(&c, WW_OP_AND, 7, reg(6), reg(7))->type = WW_T_B32;
    op2(&c, WW_OP_MUL, 1, reg(7), imm(4));
    read_at_r1(&m, &arch, &c, 128);
    to_the_end(&m);
    /* bytes 280..156, 152..28, 24..0 and two warps at 0: lines 2 1; 1 0; 0; 0 */
    assert_int_equal(get(&m, WW_C_DAC_PWAQ_WRITE), 2 + 2 + 1 + 1);
    assert_int_equal(get(&m, WW_C_DAC_DEQUEUED), 4);
    machine_close(&m);
}

/* 5 + tid in the upper word and 0x40 in the lower one: in thread 3 the upper word is 8, raised by 4
 * bits 128, and what a shift of the whole by 4 spills into the lower one ends with 0x80000004. */
static void words_of_a_wide_tuple(void **state)
{
    (void)state;
    static const struct {
        dac_form form;
        uint64_t expected;
    } words[] = {{DAC_HIGH, 8}, {DAC_RAISED, 128}, {DAC_SPILL, 0x80000004}};
    code c = {0};
    ww_arch arch = dac_arch();
    machine m;
    mov(&c, 2, sreg(WW_SREG_TID_X));
    op2(&c, WW_OP_MUL, 1, reg(2), imm(4));
    read_at_r1(&m, &arch, &c, 32);
    until(&m, WW_C_DAC_PWAQ_WRITE, 1);
    for (size_t i = 0; i < WW_ARRAY_LEN(words); i++) {
        dac_word w = {.form = (uint8_t)words[i].form, .shift = 4};
        w.tuple = ww_tuple_scalar(UINT64_C(5) << 32 | 0x40, 64);
        w.tuple.offset[WW_INDEX_TX] = UINT64_C(1) << 32;
        assert_int_equal(dac_word_at(seen, &w, 0, 3) & UINT32_MAX, words[i].expected);
    }
    machine_close(&m);
}

/* tid rem 8 as lowering leaves it: a sequence that ends with a move under the comparison of the
 * divisor with 0. Four warps read the same eight words; a divisor of 0 leaves the dividend. */
static void a_lowered_remainder(void **state)
{
    (void)state;
    for (uint32_t divisor = 0; divisor <= 8; divisor += 8) {
        code c = {0};
        ww_arch arch = dac_arch();
        machine m;
        mov(&c, 2, sreg(WW_SREG_TID_X));
        mov(&c, 5, imm(divisor));
        op2(&c, WW_OP_AND, 3, reg(2), imm(7)); /* what the sequence computes: not affine */
        compare(&c, 0, WW_CMP_EQ, reg(5), imm(0));
        mov(&c, 3, reg(2));
        c.inst[c.count - 1].guard = pred(0);
        c.inst[c.count - 1].mods |= WW_MOD_REMAINDER;
        op2(&c, WW_OP_MUL, 1, reg(3), imm(4));
        read_at_r1(&m, &arch, &c, 128);
        until(&m, WW_C_DAC_PWAQ_WRITE, 4);
        for (uint32_t w = 0; w < 4; w++) {
            const dac_record *r = &seen->queue[w].record[seen->queue[w].first];
            assert_int_equal(r->line, first_address() + (divisor == 0 ? w * 128 : 0));
            assert_int_equal(r->words, divisor == 0 ? UINT32_MAX : 0xff);
        }
        to_the_end(&m);
        assert_int_equal(get(&m, WW_C_DAC_GIVEN_UP), 0);
        machine_close(&m);
    }
}

/* tid * 2^27 wraps, so that the affine warp cannot say what it is with zeros above: times 0, the
 * offset of an address. No line is asked for, and the kernel's warps make the address themselves.
 */
static void a_lost_address_asks_for_nothing(void **state)
{
    (void)state;
    code c = {0};
    ww_arch arch = dac_arch();
    machine m;
    op2(&c, WW_OP_MUL, 1, sreg(WW_SREG_TID_X), imm(1u << 27));
    const ww_operand wide = {.kind = WW_OPD_REG, .words = 2, .reg = 6};
    const ww_operand none[2] = {reg(1), imm(0)};
    put(&c, WW_OP_MUL, WW_T_U32, 1, &wide, 2, none)->sub = WW_SUB_WIDE;
    mov(&c, 1, reg(6));
    read_at_r1(&m, &arch, &c, 128);
    run_out(&m);
    assert_true(get(&m, WW_C_DAC_WRAPPED) > 0);
    assert_int_equal(get(&m, WW_C_DAC_PWAQ_WRITE), 4);
    assert_int_equal(get(&m, WW_C_DAC_DEQUEUED), 0);
    assert_int_equal(get(&m, WW_C_DAC_REQUESTED), 0);
    assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
    machine_close(&m);
}

/* A comparison under a branch, for the upper half of the lanes: what the lower half has in that
 * predicate, of data and set in all, is no matter of the mask that they take, which is known. */
static void a_mask_speaks_of_its_lanes_alone(void **state)
{
    (void)state;
    code c = words_of_threads();
    ww_arch arch = dac_arch();
    machine m;
    mov(&c, 2, sreg(WW_SREG_TID_X));
    load(&c, 4, 3);
    compare(&c, 0, WW_CMP_EQ, reg(4), imm(0));
    compare(&c, 1, WW_CMP_LT, reg(2), imm(16));
    branch(&c, 1, c.count + 4, c.count + 4);
    compare(&c, 0, WW_CMP_GE, reg(2), imm(24));
    branch(&c, 0, c.count + 2, c.count + 2);
    add(&c, 4, 4, 1);
    open_dac(&m, &arch, &c, (ww_dim3){32, 1, 1}, 1);
    memset(ww_devmem_at(m.mem, first_address(), 128), 0, 128);
    start_cta(&m);
    to_the_end(&m);
    assert_int_equal(get(&m, WW_C_DAC_PWPQ_WRITE), 2);
    assert_int_equal(get(&m, WW_C_DAC_DEQUEUED), 2 + 1); /* and the load's address */
    assert_int_equal(ww_mech_warp(m.sm, 0)->preds[0], 0xff00ffff);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_access_waits_for_no_second_lock_of_a_set),
        cmocka_unit_test(lines_of_an_affine_address),
        cmocka_unit_test(lines_beyond_the_queue_pass_through),
        cmocka_unit_test(predicate_of_figure_13),
        cmocka_unit_test(ends_decide_an_equality_on_one_side),
        cmocka_unit_test(a_comparison_of_an_or_with_zero),
        cmocka_unit_test(a_comparison_of_an_or_with_its_sign),
        cmocka_unit_test(divergent_tuples),
        cmocka_unit_test(a_word_masked_by_a_sign),
        cmocka_unit_test(words_of_a_wide_tuple),
        cmocka_unit_test(a_lowered_remainder),
        cmocka_unit_test(a_lost_address_asks_for_nothing),
        cmocka_unit_test(a_mask_speaks_of_its_lanes_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
