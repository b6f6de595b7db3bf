/* prefetching.h - small kernels for the tests of prefetchers: a load in a loop, a load in each
 * warp.
 */
#ifndef WW_TESTS_MECH_PREFETCHING_H
#define WW_TESTS_MECH_PREFETCHING_H

#include "tests/unit/sm/kernels.h"

/* The small machine with a Fermi's L1D. */
static inline ww_arch prefetching_arch(void)
{
    ww_arch arch = small_arch();
    arch.l1d = fixture_l1d();
    return arch;
}

/* Loads a line and waits for it, then goes `step` bytes on, so many times; not started. */
static inline void set_up_loop(machine *m, const ww_arch *arch, const ww_mech *mech,
                               unsigned iterations, uint32_t step, uint32_t threads)
{
    static code c; /* the machine refers to it */
    uint64_t address = first_address();
    memset(&c, 0, sizeof c);
    mov(&c, 2, imm(address & 0xffffffffu));
    mov(&c, 3, imm(address >> 32));
    mov(&c, 1, imm(0));
    uint32_t again = c.count;
    load_global(&c, 4, 2);
    add(&c, 5, 4, 1);
    add(&c, 2, 2, step);
    add(&c, 1, 1, 1);
    ww_operand p = pred(0), with[2] = {reg(1), imm(iterations)};
    put(&c, WW_OP_SETP, WW_T_U32, 1, &p, 2, with)->cmp = WW_CMP_LT;
    ww_inst *jump = put(&c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL);
    jump->guard = p;
    jump->target = again;
    jump->reconv = c.count;
    finish(&c);
    machine_open_with(m, arch, as_kernel(&c, 8), threads, mech);
    allocate(m, address);
}

static inline void run_loop(machine *m, const ww_arch *arch, const ww_mech *mech,
                            unsigned iterations, uint32_t step, uint32_t threads)
{
    set_up_loop(m, arch, mech, iterations, step, threads);
    run_cta(m);
}

/* Of so many lines of a loop those that no prefetcher can ask for are fetched by demand; at a
 * ceiling the others are there when they are read, with lines on their way or without. `oracle` is
 * arch's. */
static inline void check_ceilings(ww_arch *arch, ww_prefetch_oracle *oracle, const ww_mech *mech,
                                  unsigned lines, uint32_t step, unsigned unasked)
{
    static const ww_prefetch_oracle each[] = {WW_PREFETCH_ORACLE_NONE, WW_PREFETCH_ORACLE_AHEAD,
                                              WW_PREFETCH_ORACLE_PERFECT};
    uint64_t took[WW_ARRAY_LEN(each)], fills[WW_ARRAY_LEN(each)];
    for (unsigned k = 0; k < WW_ARRAY_LEN(each); k++) {
        machine m;
        *oracle = each[k];
        run_loop(&m, arch, mech, lines, step, 32);
        took[k] = m.now;
        fills[k] = get(&m, WW_C_L1D_FILL);
        if (each[k] != WW_PREFETCH_ORACLE_NONE) {
            assert_int_equal(get(&m, WW_C_PF_USED), lines - unasked);
            assert_int_equal(get(&m, WW_C_PF_ISSUED),
                             get(&m, WW_C_PF_REQUESTED) - get(&m, WW_C_PF_REDUNDANT));
        }
        machine_close(&m);
    }
    assert_true(took[1] < took[0]);
    assert_true(took[2] <= took[1]);
    assert_true(fills[1] > unasked); /* the last are on their way when the warp ends */
    assert_int_equal(fills[2], unasked);
}

/* Each warp loads the line at its index times `step` and waits for it; not started. */
static inline void set_up_warps(machine *m, const ww_arch *arch, const ww_mech *mech,
                                unsigned warps, uint32_t step_shift)
{
    static code c;
    uint64_t address = first_address();
    memset(&c, 0, sizeof c);
    mov(&c, 2, imm(address & 0xffffffffu));
    mov(&c, 3, imm(address >> 32));
    mov(&c, 1, sreg(WW_SREG_TID_X));
    ww_operand d = reg(1), by[2] = {reg(1), imm(5)}, scale[2] = {reg(1), imm(step_shift)};
    put(&c, WW_OP_SHR, WW_T_U32, 1, &d, 2, by);
    put(&c, WW_OP_SHL, WW_T_B32, 1, &d, 2, scale);
    add3(&c, 2, 2, 1);
    load_global(&c, 4, 2);
    add(&c, 5, 4, 1);
    finish(&c);
    machine_open_with(m, arch, as_kernel(&c, 8), 32 * warps, mech);
    allocate(m, address);
}

static inline void run_warps(machine *m, const ww_arch *arch, const ww_mech *mech, unsigned warps,
                             uint32_t step_shift)
{
    set_up_warps(m, arch, mech, warps, step_shift);
    run_cta(m);
}

#endif
