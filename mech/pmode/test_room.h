/* test_room.h - a warp with P-mode on kernels.h's machine, and what the room's tests put into its
 * code. */
#ifndef WW_MECH_PMODE_TEST_ROOM_H
#define WW_MECH_PMODE_TEST_ROOM_H

#include "tests/support/test.h"

#include "mech/mechanisms.h"
#include "tests/unit/sm/kernels.h"

static const ww_pmode_params defaults = {.queue_entries = 8,
                                         .pool_registers = 128,
                                         .stack_entries = 8,
                                         .reach_bytes = 512,
                                         .switch_cycles = 1,
                                         .switch_cycles_per_entry = 1,
                                         .local_stores = 8,
                                         .on_destination = true,
                                         .strict_pool = true,
                                         .release_in_p_mode = true};

static inline void less(code *c, uint32_t p, uint32_t a, uint64_t bound)
{
    ww_operand dst = pred(p), src[2] = {reg(a), imm(bound)};
    put(c, WW_OP_SETP, WW_T_U32, 1, &dst, 2, src)->cmp = WW_CMP_LT;
}

static inline void branch_if(code *c, uint32_t p, uint32_t target)
{
    ww_inst *i = put(c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL);
    i->guard = pred(p);
    i->target = target;
    i->reconv = c->count;
}

static inline void store_shared(code *c, uint32_t address, uint32_t v)
{
    ww_operand src[2] = {reg(address), reg(v)};
    put(c, WW_OP_ST, WW_T_U32, 0, NULL, 2, src)->space = WW_SPACE_SHARED;
}

static inline void open_warps(machine *m, code *c, const ww_pmode_params *params, uint32_t warps)
{
    ww_arch arch = small_arch();
    arch.pmode = *params;
    finish(c);
    const ww_kernel *kernel = as_kernel(c, 24);
    c->kernel.local_bytes = 64;
    machine_open_with(m, &arch, kernel, warps * WW_WARP_SIZE, &ww_mech_pmode);
    allocate(m, first_address());
    start_cta(m);
}

static inline void open_pmode(machine *m, code *c, const ww_pmode_params *params)
{
    open_warps(m, c, params, 1);
}

static inline void finish_cta(machine *m)
{
    run_out(m);
    assert_int_equal(get(m, WW_C_MECH_MISMATCH), 0);
    assert_int_equal(get(m, WW_C_PMODE_ALIAS), 0);
    assert_int_equal(get(m, WW_C_PMODE_ORACLE), 0);
}

static inline uint32_t value(machine *m, uint32_t r)
{
    return ww_mech_warp(m->sm, 0)->regs[(size_t)r * WW_WARP_SIZE + 7];
}

static inline uint32_t *memory(machine *m, uint64_t offset)
{
    return ww_devmem_at(m->mem, first_address() + offset, 4);
}

#endif
