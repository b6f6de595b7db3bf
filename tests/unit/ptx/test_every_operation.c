/* Does everyone who moves, drops, guards, joins or checks instructions keep to what the table says
 * of them? Every operation of it is put to every pass and analysis, in each state space, and so is
 * one that the table does not have, of which nothing may be assumed. */
#include "perf/ptx/analysis/analysis.h"
#include "perf/ptx/analysis/redundancy.h"
#include "perf/ptx/cfg.h"
#include "perf/ptx/lower/schedule.h"
#include "tests/unit/ptx/every_operation.h"

static void drop(body *b)
{
    ww_error err = {0};
    add_subject(b);
    add_exit(b);
    assert_ok(ww__remove_dead(&b->f, &b->arena, &err), err);
    ww_effects e = effects_of(b);
    bool noticed = (e.writes & ~(uint32_t)WW_AT_VALUES) != 0 || e.waits != 0 || e.completes != 0 ||
                   e.goes != WW_GOES_ON;
    if (noticed && b->f.inst_count < 2) {
        fail_msg("%s is dropped", name_of(b));
    }
    if (ww_effects_compute(&e)) {
        assert_int_equal(b->f.inst_count, 1);
    }
}

static void what_is_noticed_is_not_dropped(void **state)
{
    (void)state;
    of_each(drop);
}

static void guard(body *b)
{
    ww_error err = {0};
    ww_inst *branch = add(b, WW_OP_BRA, 0, 0);
    branch->guard = ww_opd_pred(FIRST_PREDICATE, false);
    branch->target = 2;
    add_subject(b);
    add_exit(b);
    assert_ok(ww__if_convert(&b->f, &b->arena, &b->arch, &err), err);
    ww_effects e = effects_of(b);
    bool meets = (e.meets & ~(unsigned)(WW_MEETS_CTA | WW_MEETS_CLUSTER | WW_MEETS_GRID)) != 0;
    bool turns = e.goes != WW_GOES_ON && e.goes != WW_GOES_BREAKS;
    if ((meets || turns || e.waits != 0) && b->f.inst[0].op != WW_OP_BRA) {
        fail_msg("%s is guarded", name_of(b));
    }
    if (ww_effects_compute(&e)) {
        assert_int_not_equal(b->f.inst[0].op, WW_OP_BRA);
    }
}

static void meetings_waits_and_turns_are_not_guarded(void **state)
{
    (void)state;
    of_each(guard);
}

static void join(body *b)
{
    ww_error err = {0};
    add_access(b, false, WW_SPACE_SHARED, 5, 64);
    add_subject(b);
    add_access(b, false, WW_SPACE_SHARED, 6, 68);
    add_exit(b);
    assert_ok(ww__widen_shared_loads(&b->f, &b->arena, &b->arch, &err), err);
    ww_effects e = effects_of(b);
    bool joined = b->f.inst[0].op == WW_OP_LD && b->f.inst[0].vec == 2;
    uint32_t order = WW_AT_SHARED | WW_AT_CLUSTER_SHARED | WW_AT_ORDER | WW_AT_OBJECTS;
    if (joined && ((e.writes & order) != 0 || e.waits != 0 || e.goes != WW_GOES_ON ||
                   (e.meets & ~(unsigned)WW_MEETS_WARP) != 0)) {
        fail_msg("loads are joined across %s", name_of(b));
    }
    assert_true(joined || !ww_effects_compute(&e));
}

static void loads_are_not_joined_across_what_may_change_them(void **state)
{
    (void)state;
    of_each(join);
}

static bool has_edge(const ww_dag *dag, uint32_t from, uint32_t to)
{
    for (uint32_t k = dag->head[from]; k != UINT32_MAX; k = dag->edge[k].next) {
        if (dag->edge[k].to == to) {
            return true;
        }
    }
    return false;
}

/* Behind a store and a load of each memory that an address can name. */
static void pass(body *b)
{
    static const struct {
        ww_space space;
        uint32_t place;
    } places[] = {{WW_SPACE_GLOBAL, WW_AT_GLOBAL},
                  {WW_SPACE_SHARED, WW_AT_SHARED},
                  {WW_SPACE_LOCAL, WW_AT_LOCAL}};
    enum { PLACES = sizeof places / sizeof *places };
    ww_error err = {0};
    ww_dag_builder dag;
    for (uint32_t k = 0; k < PLACES; k++) {
        add_access(b, true, places[k].space, 5, 0);
        add_access(b, false, places[k].space, 6 + k, 0);
    }
    const ww_inst *subject = add_subject(b);
    if (ww__ends_region(subject)) {
        return; /* nothing passes it */
    }
    assert_ok(ww__dag_builder_init(&dag, &b->f, &b->arch, &b->arena, &err), err);
    assert_ok(ww__dag_build(&dag, (ww_region){0, b->f.inst_count}, &err), err);
    ww_effects e = effects_of(b);
    bool held = e.waits != 0 || e.completes != 0 || (e.writes & WW_AT_ORDER) != 0;
    for (uint32_t k = 0; k < PLACES; k++) {
        bool reads = held || (e.reads & places[k].place) != 0;
        bool writes = held || (e.writes & places[k].place) != 0;
        if (((reads || writes) && !has_edge(&dag.dag, 2 * k, 2 * PLACES) &&
             !has_edge(&dag.dag, 2 * k + 1, 2 * PLACES)) ||
            (writes && !has_edge(&dag.dag, 2 * k + 1, 2 * PLACES))) {
            fail_msg("%s passes what it must meet in %s", name_of(b),
                     ww_space_name(places[k].space));
        }
    }
}

static void nothing_passes_what_it_touches(void **state)
{
    (void)state;
    of_each(pass);
}

static void turn(body *b)
{
    ww_effects e = effects_of(b);
    const ww_inst *subject = add_subject(b);
    bool on = e.goes == WW_GOES_ON || e.goes == WW_GOES_CALLS || e.goes == WW_GOES_BREAKS;
    assert_int_equal(ww__ends_block(subject), !on);
    if (e.goes != WW_GOES_ON && !ww__ends_region(subject)) {
        fail_msg("%s is inside a region", name_of(b));
    }
}

static void blocks_and_regions_end_where_control_turns(void **state)
{
    (void)state;
    of_each(turn);
}

/* A loop of four rounds around it. */
static void unroll(body *b)
{
    ww_error err = {0};
    bool changed = false;
    ww_operand counter = ww_opd_reg(5, 1), p = ww_opd_pred(FIRST_PREDICATE, false);
    ww_inst *start = add(b, WW_OP_MOV, 1, 1);
    start->dst[0] = counter;
    start->src[0] = ww_opd_imm(0);
    add_subject(b);
    ww_inst *step = add(b, WW_OP_ADD, 1, 2);
    step->dst[0] = step->src[0] = counter;
    step->src[1] = ww_opd_imm(1);
    ww_inst *test = add(b, WW_OP_SETP, 1, 2);
    test->cmp = WW_CMP_LO;
    test->dst[0] = p;
    test->src[0] = counter;
    test->src[1] = ww_opd_imm(4);
    ww_inst *back = add(b, WW_OP_BRA, 0, 0);
    back->guard = p;
    back->target = 1;
    add_exit(b);
    assert_ok(ww__unroll(&b->f, &b->arena, &b->arch, &changed, &err), err);
    ww_effects e = effects_of(b);
    if (changed && e.goes != WW_GOES_ON && e.goes != WW_GOES_BREAKS) {
        fail_msg("a loop with %s is laid out", name_of(b));
    }
    assert_true(changed || !ww_effects_compute(&e));
}

static void loops_that_may_be_left_are_not_laid_out(void **state)
{
    (void)state;
    of_each(unroll);
}

static void name_source(body *b)
{
    ww_effects e = effects_of(b);
    const ww_inst *subject = add_subject(b);
    uint32_t source = ww_value_source(subject);
    bool values = subject->dst_count > 0;
    bool others = (e.reads & (WW_AT_MEMORY | WW_AT_READ_ONLY)) != 0 || e.meets != 0;
    if (values && others && source == 0) {
        fail_msg("the value of %s comes from its operands alone", name_of(b));
    }
    assert_true(source == 0 || !ww_effects_compute(&e));
}

static void values_that_come_from_elsewhere_say_so(void **state)
{
    (void)state;
    of_each(name_source);
}

static void take_constants(body *b)
{
    ww_effects e = effects_of(b);
    const ww_inst *subject = add_subject(b);
    bool memory = (e.reads & (WW_AT_MEMORY | WW_AT_READ_ONLY)) != 0 ||
                  (e.writes & (WW_AT_MEMORY | WW_AT_READ_ONLY)) != 0;
    for (unsigned k = 0; k < SOURCES; k++) {
        bool immediate = ww__source_may_be(subject, k, ww_opd_imm(7));
        bool constant = ww__source_may_be(subject, k, ww_opd_const(0, 1));
        if ((immediate || constant) && (memory || b->op == WW_OP_COUNT) && b->op != WW_OP_CP_WAIT) {
            fail_msg("source %u of %s may be a constant", k, name_of(b));
        }
    }
}

static void addresses_and_data_are_registers(void **state)
{
    (void)state;
    of_each(take_constants);
}

/* Operands of the kernel are its first registers; they are the same for all threads. */
static void mark(body *b)
{
    ww_error err = {0};
    ww_view view;
    uint8_t *marks = NULL;
    ww_effects e = effects_of(b);
    for (unsigned r = 1; r <= SOURCES; r++) {
        ww_inst *same = add(b, WW_OP_MOV, 1, 1);
        same->dst[0] = ww_opd_reg(r, 1);
        same->src[0] = ww_opd_imm(r);
    }
    ww_inst *address = add(b, WW_OP_MOV, 1, 1);
    address->dst[0] = ww_opd_reg(FIRST_PAIR, 2);
    address->src[0] = ww_opd_imm(4096);
    const uint32_t at = b->f.inst_count;
    if (e.goes != WW_GOES_ON) {
        return;
    }
    const ww_kernel k = kernel_of(b);
    if (b->f.inst[at].dst_count > 0 && b->f.inst[at].dst[0].kind == WW_OPD_PRED) {
        b->f.inst[at].dst[0].reg = 1;
    }
    assert_ok(ww_view_of_kernel(&k, &b->arena, &view, &err), err);
    assert_ok(ww_redundancy_build(&view, true, &b->arena, &marks, &err), err);
    bool alone = e.meets == 0 && (e.reads & e.writes & WW_AT_MEMORY) == 0;
    if (!alone && marks[at] != WW_MARK_V) {
        fail_msg("the result of %s is taken to be that of others", name_of(b));
    }
    if (k.code[at].dst_count > 0 && marks[at] != WW_MARK_DR && ww_effects_compute(&e)) {
        fail_msg("the result of %s is taken to be its own", name_of(b));
    }
}

static void what_meets_others_is_not_redundant(void **state)
{
    (void)state;
    of_each(mark);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_noticed_is_not_dropped),
        cmocka_unit_test(meetings_waits_and_turns_are_not_guarded),
        cmocka_unit_test(loads_are_not_joined_across_what_may_change_them),
        cmocka_unit_test(nothing_passes_what_it_touches),
        cmocka_unit_test(blocks_and_regions_end_where_control_turns),
        cmocka_unit_test(loops_that_may_be_left_are_not_laid_out),
        cmocka_unit_test(values_that_come_from_elsewhere_say_so),
        cmocka_unit_test(addresses_and_data_are_registers),
        cmocka_unit_test(what_meets_others_is_not_redundant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
