/* Is the operation table free of contradictions, and does each form land on the unit, latency and
 * event it should? */
#include <string.h>

#include "counters/counters.h"
#include "isa/isa.h"
#include "isa/sreg.h"
#include "tests/support/test.h"

static void names_are_unique_and_explained(void **state)
{
    (void)state;
    for (unsigned a = 0; a < WW_OP_COUNT; a++) {
        assert_true(strlen(ww_op_name((ww_op)a)) > 0);
        assert_true(strlen(ww_op_meaning((ww_op)a)) > 0);
        for (unsigned b = a + 1; b < WW_OP_COUNT; b++) {
            assert_string_not_equal(ww_op_name((ww_op)a), ww_op_name((ww_op)b));
        }
    }
}

static void types_are_found_by_name(void **state)
{
    (void)state;
    for (unsigned t = WW_T_PRED; t < WW_TYPE_COUNT; t++) {
        const char *name = ww_type_name((ww_type)t);
        assert_int_equal(ww_type_find(name, (unsigned)strlen(name)), t);
    }
    assert_int_equal(ww_type_find("f3", 2), WW_TYPE_COUNT);
    assert_int_equal(ww_type_find("f322", 4), WW_TYPE_COUNT);
    assert_int_equal(ww_type_find("", 0), WW_TYPE_COUNT);
    assert_int_equal(ww_type_bytes(WW_T_F16X2), 4);
    assert_int_equal(ww_type_bytes(WW_T_PRED), 0);
    assert_true(ww_type_is_signed(WW_T_S8) && !ww_type_is_signed(WW_T_B64));
    assert_true(ww_type_is_float(WW_T_BF16) && !ww_type_is_float(WW_T_U32));
}

static void special_registers_are_found_by_name(void **state)
{
    (void)state;
    for (unsigned r = 0; r < WW_SREG_COUNT; r++) {
        const char *name = ww_sreg_name((ww_sreg)r);
        assert_int_equal(ww_sreg_find(name, strlen(name)), r);
    }
    assert_int_equal(ww_sreg_find("%tid.", 5), WW_SREG_COUNT);
    assert_string_equal(ww_sreg_name(WW_SREG_COUNT), "?");
    assert_int_equal(ww_sreg_kind_of(WW_SREG_TID_Z), WW_SREG_KIND_THREAD);
    assert_int_equal(ww_sreg_kind_of(WW_SREG_CTAID_X), WW_SREG_KIND_CTA);
    assert_int_equal(ww_sreg_kind_of(WW_SREG_NTID_Y), WW_SREG_KIND_DIMENSION);
    assert_int_equal(ww_sreg_kind_of(WW_SREG_NCTAID_Z), WW_SREG_KIND_DIMENSION);
    assert_int_equal(ww_sreg_kind_of(WW_SREG_CLOCK64), WW_SREG_KIND_TIME);
}

typedef struct expected {
    ww_op op;
    ww_type type;
    ww_sub sub;
    ww_unit unit;
    ww_latency latency;
    ww_counter event;
} expected;

static void forms_depend_on_their_type(void **state)
{
    static const expected rows[] = {
        {WW_OP_ADD, WW_T_S32, WW_SUB_NONE, WW_UNIT_SP, WW_LAT_INT, WW_C_OP_INT_ADD},
        {WW_OP_ADD, WW_T_F32, WW_SUB_NONE, WW_UNIT_SP, WW_LAT_FP32, WW_C_OP_FP32_ADD},
        {WW_OP_ADD, WW_T_F64, WW_SUB_NONE, WW_UNIT_DP, WW_LAT_FP64, WW_C_OP_FP64_ADD},
        {WW_OP_ADD, WW_T_F16X2, WW_SUB_NONE, WW_UNIT_SP, WW_LAT_FP32, WW_C_OP_FP16},
        {WW_OP_MUL, WW_T_S32, WW_SUB_LO, WW_UNIT_SP, WW_LAT_IMUL, WW_C_OP_INT_MUL},
        {WW_OP_MUL, WW_T_F32, WW_SUB_NONE, WW_UNIT_SP, WW_LAT_FP32, WW_C_OP_FP32_MUL},
        {WW_OP_MUL, WW_T_F64, WW_SUB_NONE, WW_UNIT_DP, WW_LAT_FP64, WW_C_OP_FP64_MUL},
        {WW_OP_FMA, WW_T_F32, WW_SUB_NONE, WW_UNIT_SP, WW_LAT_FP32, WW_C_OP_FP32_FMA},
        {WW_OP_FMA, WW_T_F64, WW_SUB_NONE, WW_UNIT_DP, WW_LAT_FP64, WW_C_OP_FP64_FMA},
        {WW_OP_SETP, WW_T_F64, WW_SUB_NONE, WW_UNIT_DP, WW_LAT_FP64, WW_C_OP_FP64_ADD},
        {WW_OP_SETP, WW_T_F32, WW_SUB_NONE, WW_UNIT_SP, WW_LAT_FP32, WW_C_OP_FP32_ADD},
        {WW_OP_MIN, WW_T_F32, WW_SUB_NONE, WW_UNIT_SP, WW_LAT_FP32, WW_C_OP_FP32_ADD},
        {WW_OP_NEG, WW_T_F64, WW_SUB_NONE, WW_UNIT_DP, WW_LAT_FP64, WW_C_OP_FP64_ADD},
        {WW_OP_AND, WW_T_B32, WW_SUB_NONE, WW_UNIT_SP, WW_LAT_INT, WW_C_OP_INT_LOGIC},
        {WW_OP_AND, WW_T_PRED, WW_SUB_NONE, WW_UNIT_SP, WW_LAT_INT, WW_C_OP_PRED},
        {WW_OP_SELP, WW_T_F64, WW_SUB_NONE, WW_UNIT_SP, WW_LAT_INT, WW_C_OP_INT_LOGIC},
        {WW_OP_DIV, WW_T_S32, WW_SUB_NONE, WW_UNIT_SP, WW_LAT_IDIV, WW_C_OP_IDIV},
        {WW_OP_DIV, WW_T_F32, WW_SUB_NONE, WW_UNIT_SFU, WW_LAT_FDIV, WW_C_OP_FDIV},
        {WW_OP_DIV, WW_T_F32, WW_SUB_APPROX, WW_UNIT_SFU, WW_LAT_SFU, WW_C_OP_SFU},
        {WW_OP_DIV, WW_T_F64, WW_SUB_NONE, WW_UNIT_DP, WW_LAT_DDIV, WW_C_OP_DDIV},
        {WW_OP_SQRT, WW_T_F64, WW_SUB_NONE, WW_UNIT_DP, WW_LAT_DDIV, WW_C_OP_DDIV},
        {WW_OP_EX2, WW_T_F32, WW_SUB_APPROX, WW_UNIT_SFU, WW_LAT_SFU, WW_C_OP_SFU},
        {WW_OP_CVT, WW_T_F64, WW_SUB_NONE, WW_UNIT_DP, WW_LAT_FP64, WW_C_OP_CVT},
        {WW_OP_CVT, WW_T_S32, WW_SUB_NONE, WW_UNIT_SP, WW_LAT_CVT, WW_C_OP_CVT},
        {WW_OP_MOV, WW_T_F64, WW_SUB_NONE, WW_UNIT_SP, WW_LAT_INT, WW_C_OP_MOVE},
        {WW_OP_LD, WW_T_F64, WW_SUB_NONE, WW_UNIT_LDST, WW_LAT_MEM, WW_COUNTER_COUNT},
        {WW_OP_BRA, WW_T_NONE, WW_SUB_NONE, WW_UNIT_CTRL, WW_LAT_CTRL, WW_COUNTER_COUNT},
    };
    (void)state;
    for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
        const expected *e = &rows[i];
        ww_form f = ww_isa_form(e->op, e->type, WW_T_NONE, e->sub);
        if (f.unit != e->unit || f.latency != e->latency || f.event != e->event) {
            fail_msg("%s.%s: unit %d, latency %d, event %d", ww_op_name(e->op),
                     ww_type_name(e->type), f.unit, f.latency, f.event);
        }
    }
}

/* A conversion is done where f64 is handled, on whichever side it is; a set where it compares. */
static void forms_of_two_types(void **state)
{
    static const struct {
        ww_op op;
        ww_type type, type2;
        ww_unit unit;
        ww_latency latency;
        ww_counter event;
    } rows[] = {
        {WW_OP_CVT, WW_T_F32, WW_T_F64, WW_UNIT_DP, WW_LAT_FP64, WW_C_OP_CVT},
        {WW_OP_CVT, WW_T_S32, WW_T_F64, WW_UNIT_DP, WW_LAT_FP64, WW_C_OP_CVT},
        {WW_OP_CVT, WW_T_F64, WW_T_F32, WW_UNIT_DP, WW_LAT_FP64, WW_C_OP_CVT},
        {WW_OP_CVT, WW_T_F32, WW_T_S32, WW_UNIT_SP, WW_LAT_CVT, WW_C_OP_CVT},
        {WW_OP_SET, WW_T_U32, WW_T_F64, WW_UNIT_DP, WW_LAT_FP64, WW_C_OP_FP64_ADD},
        {WW_OP_SET, WW_T_U32, WW_T_F32, WW_UNIT_SP, WW_LAT_FP32, WW_C_OP_FP32_ADD},
        {WW_OP_SET, WW_T_F32, WW_T_S32, WW_UNIT_SP, WW_LAT_INT, WW_C_OP_INT_ADD},
    };
    (void)state;
    for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
        ww_form f = ww_isa_form(rows[i].op, rows[i].type, rows[i].type2, WW_SUB_NONE);
        assert_int_equal(f.unit, rows[i].unit);
        assert_int_equal(f.latency, rows[i].latency);
        assert_int_equal(f.event, rows[i].event);
    }
}

/* The workload metrics count every instruction in exactly one class. */
static void kinds_follow_the_metrics(void **state)
{
    (void)state;
    assert_int_equal(ww_isa_form(WW_OP_SETP, WW_T_S32, WW_T_NONE, WW_SUB_NONE).kind, WW_KIND_ARITH);
    assert_int_equal(ww_isa_form(WW_OP_CVT, WW_T_S32, WW_T_NONE, WW_SUB_NONE).kind, WW_KIND_ARITH);
    assert_int_equal(ww_isa_form(WW_OP_MOV, WW_T_S32, WW_T_NONE, WW_SUB_NONE).kind, WW_KIND_MOVE);
    assert_int_equal(ww_isa_form(WW_OP_RET, WW_T_NONE, WW_T_NONE, WW_SUB_NONE).kind,
                     WW_KIND_BRANCH);
    assert_int_equal(ww_isa_form(WW_OP_ATOM, WW_T_U32, WW_T_NONE, WW_SUB_ADD).kind, WW_KIND_MEMORY);
    assert_int_equal(ww_isa_form(WW_OP_BAR, WW_T_NONE, WW_T_NONE, WW_SUB_SYNC).kind, WW_KIND_SYNC);
}

static void macros_are_what_machines_lack(void **state)
{
    (void)state;
    assert_true(ww_isa_is_macro(WW_OP_DIV, WW_T_S32, WW_T_NONE, WW_SUB_NONE));
    assert_true(ww_isa_is_macro(WW_OP_ADD, WW_T_S64, WW_T_NONE, WW_SUB_NONE));
    assert_false(ww_isa_is_macro(WW_OP_ADD, WW_T_F64, WW_T_NONE, WW_SUB_NONE));
    assert_false(ww_isa_is_macro(WW_OP_ADD, WW_T_S32, WW_T_NONE, WW_SUB_NONE));
    assert_true(ww_isa_is_macro(WW_OP_SELP, WW_T_F64, WW_T_NONE, WW_SUB_NONE));
    assert_false(ww_isa_is_macro(WW_OP_RCP, WW_T_F32, WW_T_NONE, WW_SUB_APPROX));
    assert_true(ww_isa_is_macro(WW_OP_RCP, WW_T_F32, WW_T_NONE, WW_SUB_NONE));
    assert_true(ww_isa_is_macro(WW_OP_CVT, WW_T_S64, WW_T_S32, WW_SUB_NONE));
    assert_false(ww_isa_is_macro(WW_OP_CVT, WW_T_F64, WW_T_S64, WW_SUB_NONE));
    assert_true(ww_isa_is_macro(WW_OP_CVTA, WW_T_U64, WW_T_NONE, WW_SUB_TO));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_unique_and_explained),
        cmocka_unit_test(types_are_found_by_name),
        cmocka_unit_test(special_registers_are_found_by_name),
        cmocka_unit_test(forms_depend_on_their_type),
        cmocka_unit_test(forms_of_two_types),
        cmocka_unit_test(kinds_follow_the_metrics),
        cmocka_unit_test(macros_are_what_machines_lack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
