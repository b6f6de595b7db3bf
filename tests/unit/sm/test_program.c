/* test_program.c - do the static descriptors say what the instructions say? */
#include "tests/support/test.h"

#include "isa/isa.h"
#include "perf/sm/program.h"
#include "tests/unit/sm/kernels.h"

static ww_program describe(code *c, const ww_arch *arch, uint32_t registers)
{
    ww_program p;
    ww_error err = {0};
    assert_ok(ww_program_init(&p, as_kernel(c, registers), arch, 8192, &err), err);
    return p;
}

static void banks_go_in_passes(void **state)
{
    (void)state;
    code c = {0};
    ww_operand d = reg(3), src[3] = {reg(0), reg(16), reg(32)}, twice[3] = {reg(5), reg(5), reg(6)};
    put(&c, WW_OP_FMA, WW_T_F32, 1, &d, 3, src);
    put(&c, WW_OP_FMA, WW_T_F32, 1, &d, 3, twice);
    finish(&c);
    ww_arch arch = small_arch();
    ww_program p = describe(&c, &arch, 40);
    const ww_sm_op *all = &p.uop[0], *dup = &p.uop[1];
    assert_int_equal(all->src_words, 3);
    assert_int_equal(all->src_levels, 3); /* one bank, three passes */
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(p.banks[all->src_banks + i], 1);
    }
    assert_int_equal(dup->src_words, 2); /* a register named twice is read once */
    assert_int_equal(p.banks[dup->src_banks], 0x60);
    assert_int_equal(p.banks[dup->dst_banks], 0x08);
    assert_int_equal(p.code_base, WW_CODE_PHYSICAL + 8192);
    ww_program_fini(&p);
}

static void hazards_cover_predicates_and_guards(void **state)
{
    (void)state;
    code c = {0};
    add(&c, 65, 2, 1)->guard = pred(3);
    finish(&c);
    ww_arch arch = small_arch();
    ww_program p = describe(&c, &arch, 70);
    const ww_sm_op *op = &p.uop[0];
    const uint64_t guard = 1, source = 2, result = 4; /* in the order in which they are named */
    assert_int_equal(ww_program_predicate_bit(&p, 3), 0);
    assert_int_equal(ww_program_bit(&p, 2), 1);
    assert_int_equal(ww_program_bit(&p, 65), 2);
    assert_int_equal(op->hazard_word, 0);
    assert_int_equal(op->reserve_word, 0);
    assert_int_equal(op->hazard_mask, guard | source | result);
    assert_int_equal(op->reserve_mask, result);
    assert_int_equal(op->hazard_count, 1);
    assert_int_equal(ww_program_named(&p, op)->mask, guard | source | result);
    assert_int_equal(op->reserve_count, 1);
    assert_int_equal(ww_program_written(&p, op)->mask, result);
    ww_program_fini(&p);
}

static void each_register_has_a_bit(void **state)
{
    (void)state;
    enum { REGISTERS = 80 };
    code c = {0};
    add3(&c, 70, 1, 2);
    adds(&c, 3, 66); /* r0 is named by these */
    add3(&c, 1, 2, 68);
    finish(&c);
    ww_arch arch = small_arch();
    ww_program p = describe(&c, &arch, REGISTERS);
    uint64_t seen[2] = {0};
    for (uint32_t r = 0; r < REGISTERS; r++) {
        const uint32_t bit = ww_program_bit(&p, r);
        assert_true(bit < p.kernel->registers + p.kernel->predicates);
        assert_false(seen[bit / 64] >> (bit % 64) & 1);
        seen[bit / 64] |= UINT64_C(1) << (bit % 64);
    }
    const ww_sm_op *op = &p.uop[67];
    assert_int_equal(op->hazard_word, WW_MANY_WORDS); /* the last one named lies in another word */
    assert_int_equal(op->hazard_count, 2);
    assert_int_equal(op->reserve_word, 0); /* r1 was the first one named */
    assert_int_equal(op->reserve_mask, 1);
    assert_int_equal(ww_program_written(&p, op)->mask, 1);
    ww_program_fini(&p);
}

static void constant_operands_name_their_lines(void **state)
{
    (void)state;
    code c = {0};
    ww_operand d = reg(1), src[3] = {{.kind = WW_OPD_CONST, .words = 1, .imm = 0},
                                     {.kind = WW_OPD_CONST, .words = 1, .imm = 60},
                                     {.kind = WW_OPD_CONST, .words = 1, .imm = 64}};
    put(&c, WW_OP_MAD, WW_T_U32, 1, &d, 3, src)->sub = WW_SUB_LO;
    finish(&c);
    ww_arch arch = small_arch(); /* 64-byte constant lines */
    ww_program p = describe(&c, &arch, 4);
    assert_int_equal(p.uop[0].constant_count, 2);
    assert_int_equal(p.constants[p.uop[0].constants], WW_PARAM_PHYSICAL);
    assert_int_equal(p.constants[p.uop[0].constants + 1], WW_PARAM_PHYSICAL + 64);
    ww_program_fini(&p);
}

static void units_and_times_come_from_the_tables(void **state)
{
    (void)state;
    code c = {0};
    ww_operand d = reg(2), d2 = {.kind = WW_OPD_REG, .words = 2, .reg = 2}, x = reg(1);
    ww_operand fp64[2] = {d2, d2};
    add(&c, 1, 1, 1);
    put(&c, WW_OP_EX2, WW_T_F32, 1, &d, 1, &x)->sub = WW_SUB_APPROX;
    put(&c, WW_OP_ADD, WW_T_F64, 1, &d2, 2, fp64);
    load_shared(&c, 1, 2);
    bar(&c);
    finish(&c);
    ww_arch arch = small_arch();
    arch.units.dp_count = 0;
    arch.units.fp64_latency = 33;
    ww_program p = describe(&c, &arch, 8);
    assert_int_equal(p.uop[0].unit, WW_UNIT_SP);
    assert_int_equal(p.uop[0].latency, arch.units.int_latency);
    assert_int_equal(p.uop[1].unit, WW_UNIT_SFU);
    assert_int_equal(p.uop[1].interval, 8);
    assert_int_equal(p.uop[2].unit, WW_UNIT_SP); /* no FP64 pipelines */
    assert_int_equal(p.uop[2].latency, 33);
    assert_int_equal(p.uop[3].unit, WW_UNIT_LDST);
    assert_int_equal(p.uop[4].unit, WW_UNIT_CTRL);
    assert_int_equal(p.uop[5].thread_class, WW_C_THREAD_BRANCH);
    ww_program_fini(&p);
}

/* Shared memory and the constant bank answer from inside the SM; a generic address may be
 * anywhere. */
static void long_loads_are_those_from_off_chip(void **state)
{
    (void)state;
    static const struct {
        ww_space space;
        bool slow;
    } spaces[] = {{WW_SPACE_GLOBAL, true},  {WW_SPACE_LOCAL, true},  {WW_SPACE_GENERIC, true},
                  {WW_SPACE_SHARED, false}, {WW_SPACE_CONST, false}, {WW_SPACE_PARAM, false}};
    code c = {0};
    for (unsigned i = 0; i < WW_ARRAY_LEN(spaces); i++) {
        load_global(&c, 4, 2)->space = (uint8_t)spaces[i].space;
    }
    uint32_t stores = c.count;
    store_global(&c, 2, 4);
    finish(&c);
    ww_arch arch = small_arch();
    ww_program p = describe(&c, &arch, 8);
    for (unsigned i = 0; i < WW_ARRAY_LEN(spaces); i++) {
        assert_int_equal((p.uop[i].flags & WW_SM_OP_LONG) != 0, spaces[i].slow);
    }
    assert_int_equal(p.uop[stores].flags & WW_SM_OP_LONG, 0);
    ww_program_fini(&p);
}

/* ---- the assembler's choice between integer and multiply-add pipelines ---- */

static ww_arch two_pipes(void)
{
    ww_arch arch = small_arch();
    arch.units.int_count = 2;
    arch.units.imad_latency = 13;
    arch.units.imad_interval = 2;
    arch.units.fma_interval = 2;
    return arch;
}

static void fused(code *c, uint32_t d)
{
    ww_operand dst = reg(d), src[3] = {reg(0), reg(1), reg(2)};
    put(c, WW_OP_FMA, WW_T_F32, 1, &dst, 3, src);
}

static void logic(code *c, uint32_t d)
{
    ww_operand dst = reg(d), src[2] = {reg(0), reg(1)};
    put(c, WW_OP_XOR, WW_T_B32, 1, &dst, 2, src);
}

static unsigned on_pipe(const ww_program *p, unsigned pipe)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        n += p->uop[i].unit == pipe;
    }
    return n;
}

/* To 16 bits alone, and from FP32. */
static void narrow_conversions_run_as_logic_where_a_machine_has_that(void **state)
{
    (void)state;
    static const struct {
        ww_type to, from;
        bool logic;
    } rows[] = {{WW_T_F16X2, WW_T_F32, true}, {WW_T_BF16X2, WW_T_F32, true},
                {WW_T_F16, WW_T_F32, true},   {WW_T_F32, WW_T_F16, false},
                {WW_T_S32, WW_T_F32, false},  {WW_T_F16, WW_T_S32, false}};
    code c = {0};
    for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
        ww_operand dst = reg(3), src[2] = {reg(0), reg(1)};
        const bool pair = rows[i].to == WW_T_F16X2 || rows[i].to == WW_T_BF16X2;
        put(&c, WW_OP_CVT, rows[i].to, 1, &dst, pair ? 2 : 1, src)->type2 = (uint8_t)rows[i].from;
    }
    finish(&c);
    ww_arch arch = two_pipes();
    arch.units.cvt_on_sfu = true;
    for (int narrow = 0; narrow < 2; narrow++) {
        arch.units.narrow_on_int = narrow != 0;
        ww_program p = describe(&c, &arch, 8);
        for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
            const bool logic = narrow != 0 && rows[i].logic;
            assert_int_equal(p.uop[i].unit, logic ? WW_PIPE_INT : WW_UNIT_SFU);
            assert_int_equal(p.uop[i].interval,
                             logic ? arch.units.logic_interval : arch.units.cvt_interval);
        }
        ww_program_fini(&p);
    }
}

/* Additions, moves and shifts that leave both pipelines with as many instructions; how many of
 * each were there before does not matter but for what is left over. */
static void pipes_of_a_kernel_are_balanced(void **state)
{
    (void)state;
    static const struct {
        unsigned products, logic, either, multiply_adds;
    } kernels[] = {{0, 0, 10, 5}, {2, 6, 8, 6}, {12, 2, 6, 0}, {1, 20, 6, 6}, {5, 6, 9, 5}};
    for (unsigned k = 0; k < WW_ARRAY_LEN(kernels); k++) {
        code c = {0};
        for (unsigned i = 0; i < kernels[k].products; i++) {
            fused(&c, 3);
        }
        for (unsigned i = 0; i < kernels[k].logic; i++) {
            logic(&c, 3);
        }
        for (unsigned i = 0; i < kernels[k].either; i++) {
            if (i % 2 == 0) {
                add3(&c, 4, 0, 1);
            } else {
                mov(&c, 5, imm(7));
            }
        }
        finish(&c);
        ww_arch arch = two_pipes();
        ww_program p = describe(&c, &arch, 8);
        assert_int_equal(on_pipe(&p, WW_UNIT_SP), kernels[k].products + kernels[k].multiply_adds);
        assert_int_equal(on_pipe(&p, WW_PIPE_INT),
                         kernels[k].logic + kernels[k].either - kernels[k].multiply_adds);
        for (uint32_t i = kernels[k].products + kernels[k].logic; i < p.count - 1; i++) {
            bool multiply_add = p.uop[i].unit == WW_UNIT_SP;
            assert_int_equal(p.uop[i].latency, multiply_add ? 13 : arch.units.int_latency);
        }
        ww_program_fini(&p);
    }
}

/* An immediate summand, a carry and a comparison have no multiply-add that does the same. */
static void what_has_one_form_stays(void **state)
{
    (void)state;
    code c = {0};
    for (unsigned i = 0; i < 4; i++) {
        add(&c, 3, 0, 5);
    }
    ww_operand carried[2] = {reg(3), pred(0)}, words[2] = {reg(0), reg(1)};
    put(&c, WW_OP_ADD, WW_T_U32, 2, carried, 2, words);
    ww_operand p0 = pred(0), p1 = pred(1);
    put(&c, WW_OP_MOV, WW_T_PRED, 1, &p1, 1, &p0);
    finish(&c);
    ww_arch arch = two_pipes();
    ww_program p = describe(&c, &arch, 8);
    assert_int_equal(on_pipe(&p, WW_PIPE_INT), 6);
    ww_program_fini(&p);
}

/* Half of the FP32 lanes multiply integers; PTX as written is nobody's choice. */
static void integer_products_may_have_fewer_lanes(void **state)
{
    (void)state;
    code c = {0};
    ww_operand dst = reg(3), src[3] = {reg(0), reg(1), reg(2)};
    put(&c, WW_OP_MAD, WW_T_U32, 1, &dst, 3, src)->sub = WW_SUB_LO;
    fused(&c, 4);
    add3(&c, 5, 0, 1);
    add3(&c, 6, 0, 1);
    finish(&c);
    ww_arch arch = two_pipes();
    arch.units.fma_interval = 1;
    ww_program p = describe(&c, &arch, 8);
    assert_int_equal(p.uop[0].unit, WW_PIPE_IMUL);
    assert_int_equal(p.uop[1].unit, WW_UNIT_SP);
    assert_int_equal(on_pipe(&p, WW_PIPE_INT), 2);
    ww_program_fini(&p);
    c.kernel.lowered = false;
    ww_error err = {0};
    assert_ok(ww_program_init(&p, &c.kernel, &arch, 0, &err), err);
    assert_int_equal(on_pipe(&p, WW_PIPE_INT), 2);
    ww_program_fini(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(banks_go_in_passes),
        cmocka_unit_test(hazards_cover_predicates_and_guards),
        cmocka_unit_test(each_register_has_a_bit),
        cmocka_unit_test(constant_operands_name_their_lines),
        cmocka_unit_test(units_and_times_come_from_the_tables),
        cmocka_unit_test(long_loads_are_those_from_off_chip),
        cmocka_unit_test(narrow_conversions_run_as_logic_where_a_machine_has_that),
        cmocka_unit_test(pipes_of_a_kernel_are_balanced),
        cmocka_unit_test(what_has_one_form_stays),
        cmocka_unit_test(integer_products_may_have_fewer_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
