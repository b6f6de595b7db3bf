/* test_room.h - a machine with DARSIE, and what the room's tests put into their kernels. */
#ifndef WW_MECH_DARSIE_TEST_ROOM_H
#define WW_MECH_DARSIE_TEST_ROOM_H

#include "tests/support/test.h"

#include <string.h>

#include "mech/mechanisms.h"
#include "tests/unit/sm/kernels.h"

enum { CTAS = 8 };

static inline ww_arch darsie_arch(void)
{
    ww_arch a = small_arch();
    a.sm.max_ctas = CTAS;
    a.darsie =
        (ww_darsie_params){.variant = WW_DARSIE_PLAIN, .entries = 8, .lookups = 2, .registers = 32};
    return a;
}

static inline ww_inst *add_sreg(code *c, uint32_t d, uint32_t a, ww_sreg s)
{
    ww_operand dst = reg(d), src[2] = {reg(a), sreg(s)};
    return put(c, WW_OP_ADD, WW_T_U32, 1, &dst, 2, src);
}

/* p = a < v */
static inline void less(code *c, uint32_t p, uint32_t a, uint64_t v)
{
    ww_operand dst = pred(p), src[2] = {reg(a), imm(v)};
    put(c, WW_OP_SETP, WW_T_U32, 1, &dst, 2, src)->cmp = WW_CMP_LT;
}

static inline ww_inst *branch(code *c, uint32_t target, uint32_t reconv)
{
    ww_inst *i = put(c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL);
    i->target = target;
    i->reconv = reconv;
    return i;
}

/* Adds 0 to the word at the address in the register pair a, a+1. */
static inline void red_global(code *c, uint32_t a)
{
    ww_operand src[2] = {{.kind = WW_OPD_REG, .words = 2, .reg = a}, imm(0)};
    ww_inst *i = put(c, WW_OP_RED, WW_T_U32, 0, NULL, 2, src);
    i->sub = WW_SUB_ADD;
    i->space = WW_SPACE_GLOBAL;
}

/* A block of x by y threads runs the code, to which an exit is added. */
static inline void begin(machine *m, const ww_arch *arch, code *c, uint32_t x, uint32_t y)
{
    finish(c);
    machine_open_block(m, arch, as_kernel(c, 16), (ww_dim3){x, y, 1}, &ww_mech_darsie);
}

static inline void run(machine *m, const ww_arch *arch, code *c, uint32_t x, uint32_t y)
{
    begin(m, arch, c, x, y);
    run_cta(m);
}

static inline const uint32_t *lanes(machine *m, uint32_t warp, uint32_t r)
{
    return ww_mech_warp(m->sm, warp)->regs + (size_t)r * WW_WARP_SIZE;
}

#endif
