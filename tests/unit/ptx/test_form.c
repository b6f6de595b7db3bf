/* Are the words of an instruction form taken as they are meant, and other words refused? That the
 * forms of real programs are taken is tested where they run, in tests/ptx/forms. */
#include <string.h>

#include "perf/ptx/form/form.h"
#include "base/mem.h"
#include "tests/support/test.h"

static ptx_form decode(const char *text)
{
    static char problem[512];
    ptx_form form = {.text = text};
    ww__form_decode(text, strlen(text), &form, problem, sizeof problem);
    return form;
}

static void fields(void **state)
{
    (void)state;
    ptx_form f = decode("ld.volatile.global.v4.f32");
    assert_true(f.op == WW_OP_LD && f.space == WW_SPACE_GLOBAL && f.vec == 4 && f.type == WW_T_F32);
    assert_int_equal(f.mods, WW_MOD_VOLATILE);
    f = decode("ld.global.nc.u32");
    assert_int_equal(f.mods, WW_MOD_NC);
    f = decode("ld.acquire.gpu.u32"); /* seen by others: not from the L1 */
    assert_true(f.space == WW_SPACE_GENERIC && (f.mods & WW_MOD_CACHE_CG) != 0);
    f = decode("cvt.rzi.ftz.s32.f32");
    assert_true(f.type == WW_T_S32 && f.type2 == WW_T_F32 && f.round == WW_ROUND_RZI &&
                f.mods == WW_MOD_FTZ);
    f = decode("setp.lt.and.s32");
    assert_true(f.cmp == WW_CMP_LT && f.bool_op == WW_BOOL_AND && f.type == WW_T_S32);
    f = decode("setp.lo.u32");
    assert_int_equal(f.cmp, WW_CMP_LO);
    f = decode("mul.lo.u32");
    assert_int_equal(f.sub, WW_SUB_LO);
    f = decode("atom.global.and.b32");
    assert_true(f.sub == WW_SUB_AND && f.space == WW_SPACE_GLOBAL && f.bool_op == WW_BOOL_NONE);
    f = decode("bar.red.and.pred");
    assert_true(f.op == WW_OP_BAR && f.sub == WW_SUB_RED_AND);
    f = decode("barrier.sync");
    assert_true(f.op == WW_OP_BAR && f.sub == WW_SUB_SYNC);
    f = decode("bar.warp.sync");
    assert_int_equal(f.op, WW_OP_BAR_WARP);
    f = decode("mad.rn.f32"); /* sm_20 and later: fma */
    assert_int_equal(f.op, WW_OP_FMA);
    f = decode("madc.hi.cc.u32");
    assert_true(f.carry_in && f.carry_out && f.sub == WW_SUB_HI);
    f = decode("fence.acq_rel.gpu");
    assert_true(f.op == WW_OP_MEMBAR && f.sub == WW_SUB_GL);
    f = decode("cp.async.ca.shared.global.L2::128B");
    assert_true(f.problem == NULL && f.op == WW_OP_CP_ASYNC && f.mods == 0);
    f = decode("ldmatrix.sync.aligned.x4.trans.m8n8.shared.b16");
    assert_true(f.problem == NULL && f.vec == 4 && f.layout != 0);
    f = decode("div.full.f32");
    assert_int_equal(f.sub, WW_SUB_FULL);
}

static void wmma_of_the_first_versions(void **state)
{
    (void)state;
    ptx_form f = decode("wmma.load.a.sync.row.m16n16k16.f16");
    assert_true(f.problem == NULL && f.op == WW_OP_WMMA_LOAD);
}

static void both_orders_of_modifiers(void **state)
{
    (void)state;
    ptx_form a = decode("vote.sync.ballot.b32"), b = decode("vote.ballot.sync.b32"),
             c = decode("vote.ballot.b32");
    assert_true(a.problem == NULL && b.problem == NULL && c.problem == NULL);
    assert_true(a.sub == WW_SUB_BALLOT && b.sub == WW_SUB_BALLOT && a.mods == b.mods);
    assert_true((a.mods & WW_MOD_SYNC) != 0 && (c.mods & WW_MOD_SYNC) == 0);
}

/* Wrong results come from forms that are taken for others. */
static void refusals(void **state)
{
    static const char *const bad[] = {"add",
                                      "add.b32",
                                      "add.f32.f32",
                                      "mul.s32",
                                      "mul.wide.s64",
                                      "mul.lo.f32",
                                      "add.lo.s32",
                                      "setp.s32",
                                      "setp.lt.gt.s32",
                                      "div.f32",
                                      "sqrt.f64",
                                      "sin.approx.f64",
                                      "and.s32",
                                      "ld.global.v3.f32",
                                      "ld.global.pred",
                                      "st.const.u32",
                                      "atom.global.u32",
                                      "atom.add.local.u32",
                                      "red.exch.b32",
                                      "cvt.s32",
                                      "shl.s32",
                                      "foo.u32",
                                      "",
                                      "add.s32.",
                                      ".",
                                      "add..s32",
                                      "mov.b128",
                                      "vote.sync.b32",
                                      "popc.u32",
                                      "atom.min.f32",
                                      "add.sat.u32",
                                      "add.cc.f32",
                                      "isspacep.u64",
                                      "add.rn.rz.f32",
                                      "wmma.mma.sync.aligned.row.col.m16n16k16.f32",
                                      "wmma.mma.sync.aligned.row.col.m16n16k8.f32.f32",
                                      "wmma.mma.sync.aligned.row.col.m16n16k16.s32.u8.s8.s32",
                                      "wmma.load.a.sync.aligned.row.m16n16k16.f32",
                                      "wmma.load.d.sync.aligned.row.m16n16k16.f32",
                                      "wmma.load.a.row.m16n16k16.f16",
                                      "mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32",
                                      "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32",
                                      "tex.2d.f32.f32",
                                      "tex.2d.v4.f32",
                                      "tex.cube.v4.f32.s32",
                                      "tex.2dms.v4.f32.s32",
                                      "suld.b.2d.b32",
                                      "sust.p.2d.b32.trap",
                                      "suld.b.2d.v4.b64.trap",
                                      "txq.width.u32",
                                      "cp.async.shared.global",
                                      "cp.async.bulk.shared::cluster.global",
                                      "ldmatrix.sync.aligned.m8n8.x3.shared.b16",
                                      "vadd4.u32.u32.u32.sat.add",
                                      "vshr.u32.u32.s32.clamp",
                                      "cvt.pack.sat.u8.s32",
                                      "cvt.rn.e4m3x2.f32",
                                      "cvt.rz.f16x2.e5m2x2",
                                      "vset2.u32.u32.u32"};
    (void)state;
    for (size_t i = 0; i < WW_ARRAY_LEN(bad); i++) {
        if (decode(bad[i]).problem == NULL) {
            fail_msg("'%s' was accepted", bad[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields),
        cmocka_unit_test(wmma_of_the_first_versions),
        cmocka_unit_test(both_orders_of_modifiers),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
