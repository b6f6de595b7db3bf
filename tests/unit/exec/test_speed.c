/* How fast is functional execution, and a single step? Prints rates; fails only when they are
 * absurdly low. */
#include <time.h>

#include "machine.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A loop of 8 FMAs, add, setp, bra, run by 64 CTAs of 256 threads. */
static void fma_loop(void **state)
{
    (void)state;
    machine m;
    m_init(&m);
    m_add(&m, WW_OP_MOV, WW_T_U32, 1, 1, R(0), I(0));
    for (unsigned k = 0; k < 8; k++) {
        m_add(&m, WW_OP_FMA, WW_T_F32, 1, 3, R(2 + k), R(2 + k), I(0x3f7fff00), I(0x3f000000));
    }
    m_add(&m, WW_OP_ADD, WW_T_S32, 1, 2, R(0), R(0), I(1));
    m_add(&m, WW_OP_SETP, WW_T_S32, 1, 2, P(0), R(0), I(200))->cmp = WW_CMP_LT;
    ww_inst *bra = m_add(&m, WW_OP_BRA, WW_T_NONE, 0, 0);
    bra->guard = P(0);
    bra->target = 1;
    bra->reconv = m.kernel.code_count;
    m_add(&m, WW_OP_EXIT, WW_T_NONE, 0, 0);
    m.kernel.registers = 16;
    m.launch.grid.x = 64;
    m.launch.block.x = 256;
    ww_functional_stats stats;
    double start = now();
    assert_ok(ww_exec_functional(&m.launch, &stats, &m.err), m.err);
    double seconds = now() - start;
    print_message("fma loop: %.3g thread instructions/s, %.1f ns per warp instruction\n",
                  (double)stats.thread_inst / seconds, 1e9 * seconds / (double)stats.warp_inst);
    assert_true((double)stats.thread_inst / seconds > 1e6);
    m_fini(&m);
}

/* Steps warp 0 round its loop and prints what a step takes. */
static void time_steps(machine *m, const char *what)
{
    enum { STEPS = 300000 };
    const double start = now();
    for (unsigned k = 0; k < STEPS; k++) {
        assert_int_equal(m_step(m, 0), WW_OK);
    }
    print_message("%-16s %6.1f ns per step\n", what, 1e9 * (now() - start) / STEPS);
}

/* One instruction repeated, one warp. */
static void one_op(const char *what, ww_op op, ww_type type, ww_sub sub, unsigned words,
                   uint32_t lanes)
{
    machine m;
    m_init(&m);
    ww_operand d = words == 2 ? RR(0) : R(0);
    ww_operand a = words == 2 ? RR(2) : R(2);
    ww_operand b = words == 2 ? RR(4) : R(4);
    ww_operand c = words == 2 ? RR(6) : R(6);
    for (unsigned k = 0; k < 16; k++) {
        m_add(&m, op, type, 1, 3, d, a, b, c)->sub = (uint8_t)sub;
    }
    ww_inst *bra = m_add(&m, WW_OP_BRA, WW_T_NONE, 0, 0);
    bra->target = 0;
    m_start(&m);
    m.cta.warp[0].stack[0].mask = lanes;
    time_steps(&m, what);
    m_fini(&m);
}

static void load_op(const char *what, uint32_t stride)
{
    machine m;
    uint64_t buffer;
    m_init(&m);
    assert_ok(ww_devmem_alloc(m.mem, 4096, 256, &buffer, &m.err), m.err);
    for (unsigned k = 0; k < 16; k++) {
        m_add(&m, WW_OP_LD, WW_T_F32, 1, 1, R(0), RR(2))->space = WW_SPACE_GLOBAL;
    }
    m_add(&m, WW_OP_BRA, WW_T_NONE, 0, 0)->target = 0;
    m_start(&m);
    for (unsigned i = 0; i < 32; i++) {
        m_reg(&m, 0, 2)[i] = (uint32_t)buffer + stride * i;
        m_reg(&m, 0, 3)[i] = (uint32_t)(buffer >> 32);
    }
    time_steps(&m, what);
    m_fini(&m);
}

static void steps(void **state)
{
    (void)state;
    one_op("add.s32", WW_OP_ADD, WW_T_S32, WW_SUB_NONE, 1, UINT32_MAX);
    one_op("add.s32 masked", WW_OP_ADD, WW_T_S32, WW_SUB_NONE, 1, 0x0f0f0f0f);
    one_op("mad.lo.s32", WW_OP_MAD, WW_T_S32, WW_SUB_LO, 1, UINT32_MAX);
    one_op("mad.wide.s32", WW_OP_MUL, WW_T_S32, WW_SUB_HI, 1, UINT32_MAX);
    one_op("add.s64", WW_OP_ADD, WW_T_S64, WW_SUB_NONE, 2, UINT32_MAX);
    one_op("fma.f32", WW_OP_FMA, WW_T_F32, WW_SUB_NONE, 1, UINT32_MAX);
    one_op("fma.f64", WW_OP_FMA, WW_T_F64, WW_SUB_NONE, 2, UINT32_MAX);
    one_op("min.f32", WW_OP_MIN, WW_T_F32, WW_SUB_NONE, 1, UINT32_MAX);
    one_op("div.rn.f32", WW_OP_DIV, WW_T_F32, WW_SUB_NONE, 1, UINT32_MAX);
    one_op("sin.approx", WW_OP_SIN, WW_T_F32, WW_SUB_APPROX, 1, UINT32_MAX);
    one_op("ex2.approx", WW_OP_EX2, WW_T_F32, WW_SUB_APPROX, 1, UINT32_MAX);
    one_op("lg2.approx", WW_OP_LG2, WW_T_F32, WW_SUB_APPROX, 1, UINT32_MAX);
    one_op("rsqrt.approx", WW_OP_RSQRT, WW_T_F32, WW_SUB_APPROX, 1, UINT32_MAX);
    one_op("div.u32", WW_OP_DIV, WW_T_U32, WW_SUB_NONE, 1, UINT32_MAX);
    one_op("shl.b32", WW_OP_SHL, WW_T_B32, WW_SUB_NONE, 1, UINT32_MAX);
    one_op("prmt", WW_OP_PRMT, WW_T_B32, WW_SUB_NONE, 1, UINT32_MAX);
    one_op("add.f16x2", WW_OP_ADD, WW_T_F16X2, WW_SUB_NONE, 1, UINT32_MAX);
    load_op("ld consecutive", 4);
    load_op("ld strided", 64);
    load_op("ld same", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fma_loop),
        cmocka_unit_test(steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
