/* test_room.h - the machine of the room's tests: one SM with the room on it, and instructions of
 * the paper's examples. */
#ifndef WW_MECH_DAC_TEST_ROOM_H
#define WW_MECH_DAC_TEST_ROOM_H

#include "tests/support/test.h"

#include "mech/dac/dac.h"
#include "tests/unit/sm/kernels.h"

static inline ww_arch dac_arch(void)
{
    ww_arch arch = small_arch();
    arch.l1d = fixture_l1d();
    arch.ldst.l1_caches_global = true;
    arch.ldst.segment_bytes = 128;
    arch.dac = (ww_dac_params){.atq = 24,
                               .pwaq = 192,
                               .pwpq = 192,
                               .stack = 8,
                               .conditions = 8,
                               .lock_ways = arch.l1d.ways - 1,
                               .port_share = 4,
                               .patience = 8,
                               .batch = WW_DAC_BATCH_UNCOVERED,
                               .order = WW_DAC_ORDER_CTA,
                               .data_branches = WW_DAC_BRANCHES_FOLLOW,
                               .shared = false,
                               .prefetch = true,
                               .divergence = true};
    return arch;
}

/* ---- instructions of the examples ---- */

static inline ww_inst *op2(code *c, ww_op op, uint32_t d, ww_operand a, ww_operand b)
{
    ww_operand dst = reg(d), src[2] = {a, b};
    ww_inst *i = put(c, op, WW_T_U32, 1, &dst, 2, src);
    i->sub = op == WW_OP_MUL ? WW_SUB_LO : WW_SUB_NONE;
    return i;
}

static inline ww_inst *load(code *c, uint32_t d, uint32_t address)
{
    ww_operand dst = reg(d), src = reg(address);
    ww_inst *i = put(c, WW_OP_LD, WW_T_U32, 1, &dst, 1, &src);
    i->space = WW_SPACE_GLOBAL;
    return i;
}

static inline ww_inst *store(code *c, uint32_t address, uint32_t v)
{
    ww_operand src[2] = {reg(address), reg(v)};
    ww_inst *i = put(c, WW_OP_ST, WW_T_U32, 0, NULL, 2, src);
    i->space = WW_SPACE_GLOBAL;
    return i;
}

static inline ww_inst *compare(code *c, uint32_t p, ww_cmp cmp, ww_operand a, ww_operand b)
{
    ww_operand dst = pred(p), src[2] = {a, b};
    ww_inst *i = put(c, WW_OP_SETP, WW_T_U32, 1, &dst, 2, src);
    i->cmp = (uint8_t)cmp;
    return i;
}

static inline ww_inst *branch(code *c, uint32_t p, uint32_t target, uint32_t reconv)
{
    ww_inst *i = put(c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL);
    i->guard = pred(p);
    i->target = target;
    i->reconv = reconv;
    return i;
}

/* The room, and the state of the last SM that it was attached to. */
static dac *seen;

WW_NODISCARD static inline ww_status create_seen(ww_sm *sm, const ww_arch *arch, void **state,
                                                 ww_error *err)
{
    ww_status st = ww_mech_dac.create(sm, arch, state, err);
    seen = *state;
    return st;
}

static inline void open_dac(machine *m, const ww_arch *arch, code *c, ww_dim3 block, uint32_t ctas)
{
    ww_error err = {0};
    uint64_t address;
    static ww_mech mech;
    mech = ww_mech_dac;
    mech.create = create_seen;
    finish(c);
    machine_open_with(m, arch, as_kernel(c, 16), block.x * block.y * block.z, &mech);
    /* the launch as the example has it, before anything runs */
    ww_sm_end(m->sm);
    ww_exec_release(&m->launch);
    m->launch.block = block;
    m->launch.grid = (ww_dim3){8, 1, 1};
    assert_ok(ww_exec_prepare(&m->launch, &err), err);
    assert_ok(ww_sm_begin(m->sm, &m->program, &m->launch, ctas, &err), err);
    assert_ok(ww_devmem_alloc(m->mem, 65536, 256, &address, &err), err);
}

static inline void run_linear(machine *m, uint32_t linear)
{
    ww_error err = {0};
    assert_ok(ww_sm_launch_cta(m->sm, linear, m->now, &err), err);
    m->now++;
    for (unsigned i = 0; i < 100000 && ww_sm_pulse_of(m->sm)->ctas > 0; i++) {
        cycle(m);
    }
    assert_int_equal(ww_sm_pulse_of(m->sm)->ctas, 0);
    assert_int_equal(get(m, WW_C_MECH_MISMATCH), 0);
    assert_int_equal(get(m, WW_C_DAC_LEFT_OVER), 0);
    assert_int_equal(get(m, WW_C_DAC_WRAPPED), 0);
}

#endif
