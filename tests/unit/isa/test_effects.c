/* Does the table say what each operation does so that those who ask can rely on it: no row that
 * contradicts itself, and the same for the forms of which the manual says it? */
#include "isa/effects.h"
#include "tests/support/test.h"

static const uint32_t memory = WW_AT_MEMORY;

static ww_effects plain(unsigned op)
{
    return ww_op_effects((ww_op)op, WW_SPACE_GENERIC, WW_SUB_NONE, 0);
}

/* What others would notice if it were left out. */
static bool is_noticed(const ww_effects *e)
{
    const uint32_t own = WW_AT_VALUES;
    return (e->writes & ~own) != 0 || e->goes != WW_GOES_ON || e->waits != 0 ||
           ww_effects_asynchronous(e);
}

static void what_is_noticed_is_not_dropped(void **state)
{
    (void)state;
    for (unsigned op = 0; op < WW_OP_COUNT; op++) {
        ww_effects e = plain(op);
        if (is_noticed(&e) && (e.may & WW_MAY_DROPPED) != 0) {
            fail_msg("%s may be dropped", ww_op_name((ww_op)op));
        }
    }
}

static void only_what_stands_for_itself_is_hoisted(void **state)
{
    (void)state;
    const uint32_t pinned = WW_AT_ORDER | WW_AT_OBJECTS | WW_AT_GROUPS | WW_AT_POOL |
                            WW_AT_DEPENDENTS | WW_AT_CLOCK | WW_AT_OUTSIDE;
    for (unsigned op = 0; op < WW_OP_COUNT; op++) {
        ww_effects e = plain(op);
        bool stays = ((e.reads | e.writes) & pinned) != 0 || e.waits != 0 || e.goes != WW_GOES_ON ||
                     ww_effects_asynchronous(&e) || (e.meets & ~(unsigned)WW_MEETS_WARP) != 0;
        if (stays && (e.may & WW_MAY_HOISTED) != 0) {
            fail_msg("%s may be hoisted", ww_op_name((ww_op)op));
        }
    }
}

static void what_changes_by_itself_is_not_repeated(void **state)
{
    (void)state;
    for (unsigned op = 0; op < WW_OP_COUNT; op++) {
        ww_effects e = plain(op);
        bool again = (e.reads & e.writes & ~(uint32_t)WW_AT_VALUES) == 0 && e.meets == 0 &&
                     e.waits == 0 && !ww_effects_asynchronous(&e) && e.goes == WW_GOES_ON;
        if (!again && (e.may & WW_MAY_REPEATED) != 0) {
            fail_msg("%s may be repeated", ww_op_name((ww_op)op));
        }
    }
}

/* A branch around a meeting decides who comes to it; a guard would bring those it skips. */
static void meetings_and_turns_are_not_guarded(void **state)
{
    (void)state;
    const unsigned met = WW_MEETS_LANES | WW_MEETS_WARP | WW_MEETS_WARP_GROUP;
    for (unsigned op = 0; op < WW_OP_COUNT; op++) {
        ww_effects e = plain(op);
        bool turns = e.goes != WW_GOES_ON && e.goes != WW_GOES_BREAKS;
        if (((e.meets & met) != 0 || turns || e.waits != 0) && (e.may & WW_MAY_GUARDED) != 0) {
            fail_msg("%s may be guarded", ww_op_name((ww_op)op));
        }
    }
}

/* What completes later says by what, and that is written when it issues. */
static void what_completes_later_has_something_to_complete_by(void **state)
{
    (void)state;
    for (unsigned op = 0; op < WW_OP_COUNT; op++) {
        ww_effects e = plain(op);
        const unsigned groups = WW_BY_COPY_GROUP | WW_BY_BULK_GROUP | WW_BY_MATRIX_GROUP;
        if ((e.completes & groups) != 0) {
            assert_true((e.writes & WW_AT_GROUPS) != 0);
        }
        if ((e.completes & WW_BY_OBJECT) != 0) {
            assert_true((e.writes & WW_AT_OBJECTS) != 0);
        }
        assert_int_equal(e.completes & ~(groups | WW_BY_OBJECT), 0);
    }
}

/* The class of the workload metrics and the effects are two columns about one operation. */
static void classes_agree_with_effects(void **state)
{
    (void)state;
    for (unsigned op = 0; op < WW_OP_COUNT; op++) {
        ww_effects e = plain(op);
        ww_kind kind = ww_isa_form((ww_op)op, WW_T_U32, WW_T_U32, WW_SUB_NONE).kind;
        uint32_t touched = (e.reads | e.writes) & (memory | WW_AT_READ_ONLY);
        if (kind == WW_KIND_MEMORY) {
            assert_int_not_equal(touched, 0);
        } else if (kind == WW_KIND_ARITH || kind == WW_KIND_MOVE) {
            assert_true(ww_effects_compute(&e) || e.meets == WW_MEETS_WARP ||
                        e.meets == WW_MEETS_WARP_GROUP);
        }
        assert_int_equal(ww_op_leaves((ww_op)op), e.goes != WW_GOES_ON);
        assert_true(kind != WW_KIND_BRANCH || e.goes != WW_GOES_ON);
    }
}

typedef struct expected {
    ww_op op;
    ww_space space;
    ww_sub sub;
    uint32_t mods;
    uint32_t reads, writes; /* besides registers and predicates */
    unsigned meets;
} expected;

/* PTX ISA 9.0, by instruction. */
static void forms_do_what_the_manual_says(void **state)
{
    (void)state;
    const uint32_t generic = WW_AT_GENERIC, elsewhere = WW_AT_EVERYTHING & ~(uint32_t)WW_AT_VALUES;
    const expected rows[] = {
        {WW_OP_LD, WW_SPACE_GLOBAL, WW_SUB_NONE, 0, WW_AT_GLOBAL, 0, 0},
        {WW_OP_LD, WW_SPACE_SHARED, WW_SUB_NONE, 0, WW_AT_SHARED, 0, 0},
        {WW_OP_LD, WW_SPACE_GENERIC, WW_SUB_NONE, 0, generic, 0, 0},
        {WW_OP_LD, WW_SPACE_GLOBAL, WW_SUB_NONE, WW_MOD_VOLATILE, WW_AT_GLOBAL, 0, WW_MEETS_GRID},
        {WW_OP_LD, WW_SPACE_SHARED, WW_SUB_NONE, WW_MOD_VOLATILE, WW_AT_SHARED, 0, WW_MEETS_CTA},
        {WW_OP_LD, WW_SPACE_LOCAL, WW_SUB_NONE, WW_MOD_VOLATILE, WW_AT_LOCAL, 0, 0},
        {WW_OP_LD, WW_SPACE_GLOBAL, WW_SUB_NONE, WW_MOD_ORDERED, WW_AT_GLOBAL, WW_AT_ORDER,
         WW_MEETS_GRID},
        {WW_OP_ST, WW_SPACE_LOCAL, WW_SUB_NONE, 0, 0, WW_AT_LOCAL, 0},
        {WW_OP_ATOM, WW_SPACE_SHARED, WW_SUB_ADD, 0, WW_AT_SHARED, WW_AT_SHARED, WW_MEETS_CTA},
        {WW_OP_RED, WW_SPACE_GLOBAL, WW_SUB_ADD, 0, WW_AT_GLOBAL, WW_AT_GLOBAL, WW_MEETS_GRID},
        {WW_OP_CP_ASYNC, WW_SPACE_GLOBAL, WW_SUB_NONE, 0, WW_AT_GLOBAL | WW_AT_GROUPS,
         WW_AT_SHARED | WW_AT_GROUPS, 0},
        {WW_OP_CP_BULK, WW_SPACE_GLOBAL, WW_SUB_NONE, 0, WW_AT_GLOBAL,
         WW_AT_SHARED | WW_AT_OBJECTS | WW_AT_GROUPS, 0},
        {WW_OP_CP_BULK, WW_SPACE_GLOBAL, WW_SUB_TO, 0, WW_AT_SHARED,
         WW_AT_GLOBAL | WW_AT_OBJECTS | WW_AT_GROUPS, 0},
        {WW_OP_CP_REDUCE, WW_SPACE_GLOBAL, WW_SUB_ADD, 0, WW_AT_SHARED | WW_AT_GLOBAL,
         WW_AT_GLOBAL | WW_AT_OBJECTS | WW_AT_GROUPS, WW_MEETS_GRID},
        {WW_OP_SURED, WW_SPACE_NONE, WW_SUB_ADD, 0, WW_AT_SURFACE, WW_AT_SURFACE, WW_MEETS_GRID},
        {WW_OP_MEMBAR, WW_SPACE_NONE, WW_SUB_CTA, 0, 0, WW_AT_ORDER, WW_MEETS_CTA},
        {WW_OP_MEMBAR, WW_SPACE_NONE, WW_SUB_GL, 0, 0, WW_AT_ORDER, WW_MEETS_GRID},
        {WW_OP_SHFL, WW_SPACE_NONE, WW_SUB_UP, 0, 0, 0, WW_MEETS_LANES},
        {WW_OP_MMA, WW_SPACE_NONE, WW_SUB_NONE, 0, 0, 0, WW_MEETS_WARP},
        {WW_OP_CALL, WW_SPACE_NONE, WW_SUB_NONE, 0, 0, 0, 0},
        {WW_OP_CALL, WW_SPACE_NONE, WW_SUB_MALLOC, 0, elsewhere, elsewhere, WW_MEETS_EVERYBODY},
        {WW_OP_ADD, WW_SPACE_NONE, WW_SUB_NONE, WW_MOD_SAT, 0, 0, 0},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const expected *row = &rows[i];
        ww_effects e = ww_op_effects(row->op, row->space, row->sub, row->mods);
        assert_int_equal(e.reads & ~(uint32_t)WW_AT_VALUES, row->reads);
        assert_int_equal(e.writes & ~(uint32_t)WW_AT_VALUES, row->writes);
        assert_int_equal(e.meets, row->meets);
    }
}

static void a_watched_access_stays_where_it_is(void **state)
{
    (void)state;
    const uint32_t mods[] = {WW_MOD_VOLATILE, WW_MOD_ORDERED};
    const ww_op ops[] = {WW_OP_LD, WW_OP_ST};
    for (unsigned i = 0; i < 4; i++) {
        ww_effects e = ww_op_effects(ops[i / 2], WW_SPACE_SHARED, WW_SUB_NONE, mods[i % 2]);
        assert_int_equal(e.may & (WW_MAY_HOISTED | WW_MAY_REPEATED | WW_MAY_DROPPED), 0);
    }
    ww_effects e = ww_op_effects(WW_OP_LD, WW_SPACE_GLOBAL, WW_SUB_NONE, WW_MOD_CACHE_CV);
    assert_int_equal(e.may & WW_MAY_REPEATED, 0);
}

/* Fail closed: what the table does not have. */
static void an_unknown_operation_may_nothing(void **state)
{
    (void)state;
    ww_effects e = ww_op_effects(WW_OP_COUNT, WW_SPACE_NONE, WW_SUB_NONE, 0);
    assert_int_equal(e.may, 0);
    assert_int_equal(e.reads, WW_AT_EVERYTHING);
    assert_int_equal(e.writes, WW_AT_EVERYTHING);
    assert_int_equal(e.meets, WW_MEETS_EVERYBODY);
    assert_int_not_equal(e.goes, WW_GOES_ON);
    assert_int_equal(ww_op_constants(WW_OP_COUNT), WW_CONSTANTS_NEVER);
    assert_false(ww_effects_compute(&e));
}

static void places_have_names(void **state)
{
    (void)state;
    for (unsigned p = 0; p < WW_PLACE_COUNT; p++) {
        assert_string_not_equal(ww_place_name(p), "?");
    }
    assert_string_equal(ww_place_name(WW_PLACE_COUNT), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_noticed_is_not_dropped),
        cmocka_unit_test(only_what_stands_for_itself_is_hoisted),
        cmocka_unit_test(what_changes_by_itself_is_not_repeated),
        cmocka_unit_test(meetings_and_turns_are_not_guarded),
        cmocka_unit_test(what_completes_later_has_something_to_complete_by),
        cmocka_unit_test(classes_agree_with_effects),
        cmocka_unit_test(forms_do_what_the_manual_says),
        cmocka_unit_test(a_watched_access_stays_where_it_is),
        cmocka_unit_test(an_unknown_operation_may_nothing),
        cmocka_unit_test(places_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
