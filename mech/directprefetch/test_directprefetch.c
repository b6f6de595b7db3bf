/* test_directprefetch.c - U6: which addresses are requested, and from which load on? */
#include "tests/support/test.h"

#include "mech/mechanisms.h"
#include "tests/unit/sm/kernels.h"

enum { LINE = 128 };

static ww_arch machine_arch(void)
{
    ww_arch arch = small_arch();
    arch.directprefetch = (ww_directprefetch_params){
        .entries = 8, .threshold = 2, .confidence_bits = 2, .queue_entries = 16};
    return arch;
}

/* One load, so many times: each round one stride further, and long enough apart that the L1D is
 * free in between. */
static void loads(machine *m, code *c, uint32_t rounds, uint32_t stride, const ww_arch *arch)
{
    enum { LOAD = 3 };
    uint64_t address = first_address();
    mov(c, 2, imm(address & 0xffffffffu));
    mov(c, 3, imm(address >> 32));
    mov(c, 6, imm(0));
    load_global(c, 4, 2);
    add(c, 5, 4, 1);
    add(c, 2, 2, stride);
    add(c, 6, 6, 1);
    ww_operand again = pred(0), src[2] = {reg(6), imm(rounds)};
    put(c, WW_OP_SETP, WW_T_U32, 1, &again, 2, src)->cmp = WW_CMP_LT;
    ww_inst *jump = put(c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL);
    jump->guard = again;
    jump->target = LOAD;
    jump->reconv = c->count;
    finish(c);
    machine_open_with(m, arch, as_kernel(c, 8), 32, &ww_mech_directprefetch);
    allocate(m, address);
    run_cta(m);
}

/* Lines 1, 2, 3, 4: strides 1, 1, 1, confidence 0, 0, 1, 2: the fourth load requests line 5. */
static void the_fourth_load_requests_the_fifth_line(void **state)
{
    (void)state;
    const ww_arch arch = machine_arch();
    for (uint32_t rounds = 3; rounds <= 6; rounds++) {
        code c = {0};
        machine m;
        loads(&m, &c, rounds, LINE, &arch);
        const uint64_t sure = rounds - 3;
        assert_int_equal(get(&m, WW_C_DIRECTPREFETCH_LOAD), rounds);
        assert_int_equal(get(&m, WW_C_DIRECTPREFETCH_SURE), sure);
        assert_int_equal(get(&m, WW_C_PF_ISSUED), sure);
        /* the fifth and sixth load find their lines requested */
        assert_int_equal(get(&m, WW_C_PF_USED) + get(&m, WW_C_PF_LATE), sure > 0 ? sure - 1 : 0);
        machine_close(&m);
    }
}

/* A load that stands still has stride 0, which is sure and brings nothing new. */
static void no_stride_no_traffic(void **state)
{
    (void)state;
    const ww_arch arch = machine_arch();
    code c = {0};
    machine m;
    loads(&m, &c, 6, 0, &arch);
    assert_int_equal(get(&m, WW_C_PF_ISSUED), 0);
    machine_close(&m);
}

/* With a threshold of 3 the fifth load is the first. */
static void the_threshold_is_a_parameter(void **state)
{
    (void)state;
    ww_arch arch = machine_arch();
    arch.directprefetch.threshold = 3;
    code c = {0};
    machine m;
    loads(&m, &c, 5, LINE, &arch);
    assert_int_equal(get(&m, WW_C_DIRECTPREFETCH_SURE), 1);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fourth_load_requests_the_fifth_line),
        cmocka_unit_test(no_stride_no_traffic),
        cmocka_unit_test(the_threshold_is_a_parameter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
