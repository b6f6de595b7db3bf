/* Do definitions, uses, liveness, dominance and slices come out right on code small enough to work
 * out by hand, over virtual registers and in built kernels? */
#include "perf/ptx/analysis/analysis.h"
#include "module.h"

typedef struct code {
    ww_ptx_module *module;
    ww_kernel *kernel; /* NULL: a function over virtual registers */
    ww_view view;
    ww_chains chains;
    ww_arena arena;
} code;

static code analyse(const char *text)
{
    code c = {.module = parse(text)};
    ww_error err = {0};
    assert_ok(ww_view_of_function(translate(c.module, "k"), &c.arena, &c.view, &err), err);
    assert_ok(ww_chains_build(&c.view, &c.arena, &c.chains, &err), err);
    return c;
}

static code analyse_kernel(const char *text)
{
    code c = {.module = parse(text)};
    ww_error err = {0};
    assert_ok(ww_ptx_build_kernel(c.module, "k", false, NULL, &c.kernel, &err), err);
    assert_ok(ww_view_of_kernel(c.kernel, &c.arena, &c.view, &err), err);
    assert_ok(ww_chains_build(&c.view, &c.arena, &c.chains, &err), err);
    return c;
}

static void drop(code *c)
{
    ww_arena_fini(&c->arena);
    ww_ptx_destroy(c->module);
}

/* The read of a source operand's word. */
static uint32_t read_of(const code *c, uint32_t inst, uint32_t index, uint32_t word)
{
    for (uint32_t a = c->view.reads[inst]; a < c->view.writes[inst]; a++) {
        const ww_access *x = &c->view.access[a];
        if (x->role == WW_ROLE_SRC && x->index == index && x->word == word) {
            return a;
        }
    }
    fail_msg("instruction %u reads no word %u of operand %u", inst, word, index);
    return 0;
}

/* Instructions that define word `word` of a source operand: a string like "1 4 entry". */
static void assert_defs_of_word(const code *c, uint32_t inst, uint32_t index, uint32_t word,
                                const char *expected)
{
    char text[256] = "";
    uint32_t count;
    const uint32_t *def = ww_chain(&c->chains, read_of(c, inst, index, word), &count);
    for (uint32_t k = 0; k < count; k++) {
        size_t at = strlen(text);
        if (def[k] == WW_DEF_ENTRY) {
            snprintf(text + at, sizeof text - at, "%sentry", at > 0 ? " " : "");
        } else {
            snprintf(text + at, sizeof text - at, "%s%u", at > 0 ? " " : "",
                     c->view.access[def[k]].inst);
        }
    }
    assert_string_equal(text, expected);
}

static void assert_defs(const code *c, uint32_t inst, uint32_t index, const char *expected)
{
    assert_defs_of_word(c, inst, index, 0, expected);
}

static uint32_t cell_of(const code *c, uint32_t inst, uint32_t dst)
{
    uint32_t count;
    return ww_view_cells(&c->view, c->view.inst[inst].dst[dst], &count);
}

static bool live_before(const code *c, uint32_t inst, uint32_t cell)
{
    uint64_t live[8];
    assert_true(c->chains.words <= WW_ARRAY_LEN(live));
    ww_live_before(&c->view, &c->chains, inst, live);
    return live[cell / 64] >> (cell % 64) & 1;
}

static ww_slice slice(code *c, uint32_t inst, uint32_t index, unsigned options)
{
    ww_slice s;
    ww_error err = {0};
    assert_ok(ww_slice_build(&c->view, &c->chains, inst, WW_ROLE_SRC, index, options, &c->arena, &s,
                             &err),
              err);
    return s;
}

/* 0 mov 1; 1 @p1 bra A; 2 mov 2; 3 bra J; A: 4 mov 3; J: 5 st */
#define DIAMOND                                                                                    \
    KERNEL("mov.u32 %r1, 1; @%p1 bra A; mov.u32 %r1, 2; bra J; A: mov.u32 %r2, 3; "                \
           "J: st.shared.u32 [0], %r1; ret;")

static void both_sides_of_a_diamond(void **state)
{
    (void)state;
    code c = analyse(DIAMOND);
    assert_defs(&c, 5, 1, "0 2");
    uint32_t r1 = cell_of(&c, 0, 0), r2 = cell_of(&c, 4, 0);
    assert_false(live_before(&c, 0, r1));
    assert_false(live_before(&c, 2, r1)); /* overwritten on that side */
    assert_true(live_before(&c, 4, r1) && live_before(&c, 5, r1));
    assert_false(live_before(&c, 5, r2)); /* dead code */
    drop(&c);
}

static void dominance_of_a_diamond(void **state)
{
    (void)state;
    code c = analyse(DIAMOND); /* blocks 0 head, 1 and 2 sides, 3 join */
    const ww_view *v = &c.view;
    assert_int_equal(v->dominance.idom[0], WW_NO_TARGET);
    assert_int_equal(v->dominance.idom[3], 0);
    assert_true(ww_dominates(v, 0, 3) && ww_dominates(v, 3, 3) && !ww_dominates(v, 1, 3));
    assert_true(ww_post_dominates(v, 3, 0) && !ww_post_dominates(v, 2, 0));
    uint64_t side = 0, region = 0;
    ww_branch_region(v, 0, &region);
    ww_branch_side(v, 0, 0, &side);
    assert_int_equal(region, 0x6);
    assert_int_equal(side, 0x2); /* falling through comes first */
    assert_int_equal(v->dominance.control_at[2] - v->dominance.control_at[1], 1);
    assert_int_equal(v->dominance.control[v->dominance.control_at[1]], 0);
    assert_int_equal(v->dominance.control_at[4] - v->dominance.control_at[3], 0);
    drop(&c);
}

/* 0 ld.param; 1 mov i 0; H: 2 setp; 3 @p bra X; 4 ld [rd1]; 5 add rd1 4; 6 add i; 7 bra H; X: 8 st;
 * 9 ret */
#define LOOP                                                                                       \
    KERNEL("ld.param.u64 %rd1, [out]; mov.u32 %r2, 0;\n"                                           \
           "H: setp.ge.u32 %p1, %r2, 9; @%p1 bra X;\n"                                             \
           "ld.global.u32 %r3, [%rd1]; add.u64 %rd1, %rd1, 4; add.u32 %r2, %r2, 1; bra H;\n"       \
           "X: st.global.u32 [%rd1], %r3; ret;")

static void loop_carried_pointer(void **state)
{
    (void)state;
    code c = analyse(LOOP);
    assert_defs(&c, 4, 0, "0 5");
    assert_defs_of_word(&c, 4, 0, 1, "0 5");
    assert_defs(&c, 2, 0, "1 6");
    assert_defs(&c, 8, 1, "4 entry"); /* no round, no value */
    ww_slice s = slice(&c, 4, 0, 0);
    assert_int_equal(s.sources, WW_FROM_PARAM | WW_FROM_IMMEDIATE);
    assert_int_equal(s.inst[0], 1 << 0 | 1 << 5);
    assert_true(s.cyclic);
    s = slice(&c, 4, 0, WW_SLICE_CONTROL); /* the counter decides how often 5 runs */
    assert_int_equal(s.inst[0], 1 << 0 | 1 << 1 | 1 << 2 | 1 << 5 | 1 << 6);
    /* of the branch's two ways, the staying one holds the branch itself */
    uint64_t stay = 0, leave = 0;
    ww_branch_side(&c.view, 1, 0, &stay);
    ww_branch_side(&c.view, 1, 1, &leave);
    assert_int_equal(stay, 0x6);
    assert_int_equal(leave, 0);
    drop(&c);
}

static void guarded_write_keeps_the_old_value(void **state)
{
    (void)state;
    code c = analyse(KERNEL("mov.u32 %r1, 1; @%p1 mov.u32 %r1, 2; add.u32 %r2, %r1, %r1; "
                            "st.shared.u32 [0], %r2; ret;"));
    assert_defs(&c, 2, 0, "0 1");
    uint32_t count;
    ww_chain(&c.chains, c.view.writes[0], &count);
    assert_int_equal(count, 2); /* both operands of 2 */
    assert_true(live_before(&c, 1, cell_of(&c, 0, 0)));
    drop(&c);
}

static void same_guard_sees_its_own_write(void **state)
{
    (void)state;
    code c = analyse(KERNEL("mov.u32 %r1, 1; @%p1 mov.u32 %r1, 2; @%p1 st.shared.u32 [0], %r1; "
                            "@!%p1 st.shared.u32 [4], %r1; setp.eq.u32 %p1, %r5, 0; "
                            "@%p1 st.shared.u32 [8], %r1; ret;"));
    assert_defs(&c, 2, 1, "1");
    assert_defs(&c, 3, 1, "0");
    assert_defs(&c, 5, 1, "0 1"); /* another predicate by then */
    drop(&c);
}

static void opposite_guards_end_the_old_value(void **state)
{
    (void)state;
    code c = analyse(KERNEL("mov.u32 %r1, 1; @%p2 bra A; A: @%p1 mov.u32 %r1, 2; "
                            "@!%p1 mov.u32 %r1, 3; st.shared.u32 [0], %r1; ret;"));
    assert_defs(&c, 4, 1, "2 3");
    assert_false(live_before(&c, 2, cell_of(&c, 0, 0)));
    drop(&c);
}

/* Each half of a pair is a cell of its own, whether named as a pair or as a register. */
static void words_of_a_pair(void **state)
{
    (void)state;
    code c = analyse(KERNEL("mov.u32 %r1, 1; mov.u32 %r2, 2; mov.b64 %rd1, {%r1, %r2}; "
                            "mov.b64 {%r3, %r4}, %rd1; st.shared.u32 [0], %r4; ret;"));
    assert_defs_of_word(&c, 3, 0, 0, "2");
    assert_defs_of_word(&c, 3, 0, 1, "2");
    ww_slice s = slice(&c, 4, 1, 0);
    assert_int_equal(s.inst[0], 0xf);
    drop(&c);

    /* the halves by hand: part 2 alone rewritten */
    ww_inst inst[3];
    ww_vreg vreg[] = {{.type = WW_T_B64, .words = 2}, {.type = WW_T_B32, .words = 1}};
    ww_arena arena = {0};
    ww_error err = {0};
    assert_true(ww__inst_init(&inst[0], &arena, WW_OP_MOV, WW_T_B64, 1, 1));
    assert_true(ww__inst_init(&inst[1], &arena, WW_OP_MOV, WW_T_B32, 1, 1));
    assert_true(ww__inst_init(&inst[2], &arena, WW_OP_ST, WW_T_B64, 0, 2));
    inst[0].dst[0] = ww_opd_reg(0, 2);
    inst[0].src[0] = ww_opd_imm(7);
    inst[1].dst[0] = (ww_operand){.kind = WW_OPD_REG, .words = 1, .part = 2, .reg = 0};
    inst[1].src[0] = ww_opd_imm(9);
    inst[2].src[1] = ww_opd_reg(0, 2);
    ww_function f = {.name = "k", .inst = inst, .inst_count = 3, .vreg = vreg, .vreg_count = 2};
    code hand = {0};
    assert_ok(ww_view_of_function(&f, &hand.arena, &hand.view, &err), err);
    assert_ok(ww_chains_build(&hand.view, &hand.arena, &hand.chains, &err), err);
    assert_int_equal(hand.view.cell_count, 3);
    assert_defs_of_word(&hand, 2, 1, 0, "0");
    assert_defs_of_word(&hand, 2, 1, 1, "1");
    ww_arena_fini(&hand.arena);
    ww_arena_fini(&arena);
}

static void sources_of_a_value(void **state)
{
    (void)state;
    code c = analyse(KERNEL("mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r3, %r2, 4, "
                            "%r1; ld.shared.u32 %r4, [%r3]; ld.param.u32 %r5, [n]; "
                            "setp.lt.u32 %p1, %r1, 3; @%p1 add.u32 %r4, %r4, %r5; "
                            "st.shared.u32 [0], %r4; ret;"));
    ww_slice s = slice(&c, 3, 0, 0);
    assert_int_equal(s.sources, WW_FROM_SREG | WW_FROM_IMMEDIATE);
    assert_int_equal(s.sregs, 1ull << WW_SREG_TID_X | 1ull << WW_SREG_CTAID_X);
    assert_false(s.cyclic);
    s = slice(&c, 7, 1, 0); /* ends at the load */
    assert_int_equal(s.sources, WW_FROM_SHARED | WW_FROM_PARAM);
    assert_int_equal(s.sregs, 0);
    s = slice(&c, 7, 1, WW_SLICE_GUARDS);
    assert_int_equal(s.sregs, 1ull << WW_SREG_TID_X);
    s = slice(&c, 7, 1, WW_SLICE_ADDRESSES);
    assert_int_equal(s.sregs, 1ull << WW_SREG_TID_X | 1ull << WW_SREG_CTAID_X);
    drop(&c);
}

/* Each instruction reads what the one before has written: nothing depends on itself. */
static void a_straight_line_is_no_cycle(void **state)
{
    (void)state;
    code c = analyse(KERNEL("mov.u32 %r1, %tid.x; add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 1; "
                            "xor.b32 %r4, %r3, 1; st.shared.u32 [0], %r4; ret;"));
    assert_false(slice(&c, 4, 1, 0).cyclic);
    drop(&c);
}

static void a_built_kernel(void **state)
{
    (void)state;
    code c = analyse_kernel(LOOP);
    assert_defs(&c, 4, 0, "0 5");
    assert_defs_of_word(&c, 4, 0, 1, "0 5");
    assert_true(slice(&c, 4, 0, 0).cyclic);
    drop(&c);
}

/* Values pass through a call into its callee and back behind that call only. */
static void calls_of_a_built_kernel(void **state)
{
    (void)state;
    code c = analyse_kernel(
        HEAD ".func (.reg .u32 v) f(.reg .u32 a) { add.u32 v, a, 1; ret; }\n"
             ".visible .entry k() { .reg .b32 %r<5>; mov.u32 %r1, %tid.x; mov.u32 %r2, 5;\n"
             "call (%r3), f, (%r1); st.shared.u32 [0], %r3; st.shared.u32 [4], %r2; ret; }");
    uint32_t store = 0;
    while (c.view.inst[store].op != WW_OP_ST) {
        store++;
    }
    ww_slice s = slice(&c, store, 1, 0);
    assert_int_equal(s.sources, WW_FROM_SREG | WW_FROM_IMMEDIATE);
    assert_int_equal(s.sregs, 1ull << WW_SREG_TID_X);
    s = slice(&c, store + 1, 1, 0);
    assert_int_equal(s.sources, WW_FROM_IMMEDIATE);
    drop(&c);
}

/* A callee with a loop ends its walk; what the loop adds up comes back behind the call. */
static void a_callee_may_loop(void **state)
{
    (void)state;
    code c =
        analyse_kernel(HEAD ".func (.reg .u32 v) f(.reg .u32 a) { .reg .pred p; mov.u32 v, a;\n"
                            "L: add.u32 v, v, %ctaid.x; setp.lt.u32 p, v, 9; @p bra L; ret; }\n"
                            ".visible .entry k() { .reg .b32 %r<5>; mov.u32 %r1, %tid.x;\n"
                            "call (%r3), f, (%r1); st.shared.u32 [0], %r3; ret; }");
    uint32_t store = 0;
    while (c.view.inst[store].op != WW_OP_ST) {
        store++;
    }
    ww_slice s = slice(&c, store, 1, 0);
    assert_int_equal(s.sregs, 1ull << WW_SREG_TID_X | 1ull << WW_SREG_CTAID_X);
    assert_true(s.cyclic);
    drop(&c);
}

static void unreachable_code_defines_nothing(void **state)
{
    (void)state;
    code c = analyse(KERNEL("mov.u32 %r1, 1; bra E; mov.u32 %r1, 2; E: st.shared.u32 [0], %r1; "
                            "ret;"));
    assert_defs(&c, 3, 1, "0");
    assert_int_equal(c.view.dominance.idom[1], WW_NO_TARGET);
    assert_false(ww_dominates(&c.view, 1, 2));
    drop(&c);
}

/* Thousands of instructions, and as many reads of guarded writes, in the time of a test. */
static void large_code(void **state)
{
    (void)state;
    enum { COPIES = 3000 };

    char *body = calloc(COPIES + 4, 96);
    assert_non_null(body);
    char *at = body + sprintf(body, HEAD ".visible .entry k() { .reg .pred %%p<3>; "
                                         ".reg .b32 %%r<3>;\n");
    for (int i = 0; i < COPIES; i++) {
        at += sprintf(
            at, "@%%p1 bra L%d; add.u32 %%r1, %%r1, 1; L%d: @%%p2 add.u32 %%r2, %%r2, %%r1;\n", i,
            i);
    }
    sprintf(at, "st.shared.u32 [0], %%r2; ret; }");
    code c = analyse(body);
    uint32_t count;
    ww_chain(&c.chains, read_of(&c, 3 * COPIES, 1, 0), &count);
    assert_int_equal(count, COPIES + 1);
    drop(&c);
    free(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sides_of_a_diamond),
        cmocka_unit_test(dominance_of_a_diamond),
        cmocka_unit_test(loop_carried_pointer),
        cmocka_unit_test(guarded_write_keeps_the_old_value),
        cmocka_unit_test(same_guard_sees_its_own_write),
        cmocka_unit_test(opposite_guards_end_the_old_value),
        cmocka_unit_test(words_of_a_pair),
        cmocka_unit_test(sources_of_a_value),
        cmocka_unit_test(a_straight_line_is_no_cycle),
        cmocka_unit_test(a_built_kernel),
        cmocka_unit_test(calls_of_a_built_kernel),
        cmocka_unit_test(a_callee_may_loop),
        cmocka_unit_test(unreachable_code_defines_nothing),
        cmocka_unit_test(large_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
