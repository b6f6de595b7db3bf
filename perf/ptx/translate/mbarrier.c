/* mbarrier.c - mbarrier: src[0] is the object's address; src[1] a count, a state or a
 * parity. */
#include "perf/ptx/translate/translate.h"

/* operation [object]{, number}: init, expect_tx, complete_tx; inval has none. */
static ww_status translate_plain(ptx_translator *t, bool number)
{
    ww_inst *inst;
    WW_TRY(ww__translate_count(t, 1u + number, 1u + number));
    WW_TRY(ww__translate_emit_form(t, 0, 1u + number, &inst));
    if (number) {
        WW_TRY(ww__translate_source(t, &t->inst->operand[1], WW_T_U32, &inst->src[1]));
    }
    return ww__translate_set_address(t, &t->inst->operand[0], inst);
}

/* arrive state, [object]{, count}; without a count one arrives. */
static ww_status translate_arrive(ptx_translator *t)
{
    const ptx_operand *o = t->inst->operand;
    bool tx = t->inst->form->sub == WW_SUB_ARRIVE_EXPECT_TX;
    ww_inst *inst;
    WW_TRY(ww__translate_count(t, tx ? 3 : 2, 3));
    WW_TRY(ww__translate_emit_form(t, 1, 2, &inst));
    WW_TRY(ww__translate_destination(t, &o[0], WW_T_B64, &inst->dst[0]));
    inst->src[1] = ww_opd_imm(1);
    if (t->inst->operand_count > 2) {
        WW_TRY(ww__translate_source(t, &o[2], WW_T_U32, &inst->src[1]));
    }
    return ww__translate_set_address(t, &o[1], inst);
}

/* test_wait p, [object], state or parity; try_wait may name a time, which it need not take. */
static ww_status translate_test(ptx_translator *t)
{
    const ptx_operand *o = t->inst->operand;
    bool parity = t->inst->form->sub == WW_SUB_TEST_PARITY;
    ww_inst *inst;
    WW_TRY(ww__translate_count(t, 3, 4));
    WW_TRY(ww__translate_emit_form(t, 1, 2, &inst));
    inst->layout = t->inst->form->layout;
    WW_TRY(ww__translate_predicate_destination(t, &o[0], &inst->dst[0]));
    WW_TRY(ww__translate_source(t, &o[2], parity ? WW_T_U32 : WW_T_B64, &inst->src[1]));
    return ww__translate_set_address(t, &o[1], inst);
}

/* pending_count d, state: the low bits of a state (perf/exec/mbarrier.c). */
ww_status ww__translate_pending_count(ptx_translator *t)
{
    enum { COUNT_MASK = (1 << 20) - 1 };
    ww_inst *inst;
    WW_TRY(ww__translate_count(t, 2, 2));
    if (t->inst->operand[1].kind != PTX_OPD_REG ||
        ww_type_bytes((ww_type)t->inst->operand[1].type) != 8) {
        return ww__translate_malformed(t, &t->inst->operand[1], "'%.100s' needs a state",
                                       t->inst->form->text);
    }
    WW_TRY(ww__translate_emit(t, WW_OP_AND, WW_T_B32, 1, 2, &inst));
    WW_TRY(ww__translate_destination(t, &t->inst->operand[0], WW_T_U32, &inst->dst[0]));
    WW_TRY(ww__translate_source(t, &t->inst->operand[1], WW_T_B32, &inst->src[0]));
    inst->src[1] = ww_opd_imm(COUNT_MASK);
    return WW_OK;
}

ww_status ww__translate_mbarrier(ptx_translator *t)
{
    switch (t->inst->form->sub) {
    case WW_SUB_ARRIVE:
    case WW_SUB_ARRIVE_DROP:
    case WW_SUB_ARRIVE_EXPECT_TX:
        return translate_arrive(t);
    case WW_SUB_TEST:
    case WW_SUB_TEST_PARITY:
        return translate_test(t);
    default:
        return translate_plain(t, t->inst->form->sub != WW_SUB_INVAL);
    }
}

/* cp.async.mbarrier.arrive{.noinc} [object]: copies are done at once, so that it arrives here;
 * without .noinc it first adds an arrival of its own and changes nothing. */
ww_status ww__translate_copy_arrive(ptx_translator *t)
{
    const ptx_form *form = t->inst->form;
    ww_inst *inst;
    WW_TRY(ww__translate_count(t, 1, 1));
    WW_TRY(ww__translate_emit(t, WW_OP_CP_WAIT, WW_T_NONE, 0, 0, &inst));
    inst->sub = WW_SUB_HAND_OVER;
    if (form->op == WW_OP_NOP) {
        return WW_OK;
    }
    WW_TRY(ww__translate_emit_form(t, 0, 2, &inst));
    inst->src[1] = ww_opd_imm(1);
    return ww__translate_set_address(t, &t->inst->operand[0], inst);
}
