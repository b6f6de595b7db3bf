/* test_scalar.c - does each scalar register behave as the one slot that hardware would have, and
 * does a core of lanes gain what the report says (LPGPU D5.5.3, section 3.3.4)? Machines by hand,
 * and kernels on the shipped gt200-dart. What the pass finds: tests/unit/ptx/test_scalar.c. */
#include "tests/support/test.h"

#include "mech/mechanisms.h"
#include "perf/api/device.h"
#include "tests/unit/sm/lanes_arch.h"

/* ---- by hand: register 20 and above hold one value per warp ---- */

enum { BASE = 20 };

static void open_scalars(machine *m, code *c, const ww_arch *arch, uint32_t threads)
{
    finish(c);
    (void)as_kernel(c, BASE + 4);
    c->kernel.scalar_base = BASE;
    c->kernel.vector_registers = 6;
    c->kernel.plain_registers = 10;
    static const ww_mech *const mechs[] = {&ww_mech_dart, &ww_mech_scalar};
    machine_open_mechs(m, arch, &c->kernel, (ww_dim3){threads, 1, 1}, mechs, 2);
    start_cta(m);
}

static void finish_cta(machine *m)
{
    for (unsigned i = 0; ww_sm_pulse_of(m->sm)->ctas > 0; i++) {
        assert_true(i < 10000);
        cycle(m);
    }
}

static ww_inst *once(ww_inst *inst)
{
    inst->mods |= WW_MOD_ONCE;
    return inst;
}

/* What every thread computes alike agrees at each read; what one thread would overwrite for the
 * others does not. */
static void the_slot_is_what_hardware_would_have(void **state)
{
    (void)state;
    ww_arch arch = lanes_arch();
    for (unsigned wrong = 0; wrong < 2; wrong++) {
        code c = {0};
        if (wrong) {
            mov(&c, BASE, sreg(WW_SREG_TID_X)); /* the last thread's stays */
        } else {
            once(mov(&c, BASE, imm(7)));
        }
        add(&c, 1, BASE, 1);
        add3(&c, 2, BASE, 1);
        machine m;
        open_scalars(&m, &c, &arch, 32);
        finish_cta(&m);
        assert_int_equal(get(&m, WW_C_SCALAR_CHECK), 2);
        assert_int_equal(get(&m, WW_C_MECH_MISMATCH), wrong ? 2 : 0);
        assert_int_equal(get(&m, WW_C_SCALAR_INST), wrong ? 0 : 1);
        assert_int_equal(get(&m, WW_C_SCALAR_SAVED), wrong ? 0 : 31);
        machine_close(&m);
    }
}

/* Written in the order of execution: the side of a branch that runs first, which is the one behind
 * it, leaves what it writes to the other side, whose threads hold another value. */
static void sides_run_one_after_the_other(void **state)
{
    (void)state;
    ww_arch arch = lanes_arch();
    for (unsigned writes_first = 0; writes_first < 2; writes_first++) {
        code c = {0};
        ww_operand p = pred(0), compare[2] = {reg(0), imm(16)};
        mov(&c, 0, sreg(WW_SREG_TID_X));
        once(mov(&c, BASE, imm(1)));
        put(&c, WW_OP_SETP, WW_T_U32, 1, &p, 2, compare)->cmp = WW_CMP_LT;
        ww_inst *branch = put(&c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL), *over = NULL;
        branch->guard = p;
        for (unsigned side = 0; side < 2; side++) {
            if (side == 1) {
                over = put(&c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL);
                branch->target = c.count;
            }
            if ((side == 0) == (writes_first == 1)) {
                once(mov(&c, BASE, imm(2)));
            }
            add(&c, 1, BASE, 1);
        }
        over->target = over->reconv = branch->reconv = c.count;
        machine m;
        open_scalars(&m, &c, &arch, 32);
        finish_cta(&m);
        assert_int_equal(get(&m, WW_C_SCALAR_CHECK), 2);
        assert_int_equal(get(&m, WW_C_MECH_MISMATCH), writes_first);
        machine_close(&m);
    }
}

/* One thread for all: the lane is free after a cycle; what reads the value starts with its
 * latency, and reads it once, beside 32 words of the other operand. */
static void one_thread_executes(void **state)
{
    (void)state;
    ww_arch arch = lanes_arch();
    code c = {0};
    once(mov(&c, BASE, imm(7)));
    once(mov(&c, BASE + 1, imm(9)));
    add3(&c, 1, 0, BASE);
    machine m;
    open_scalars(&m, &c, &arch, 32);
    uint64_t first = until(&m, WW_C_INST_ISSUED, 1);
    assert_int_equal(until(&m, WW_C_INST_ISSUED, 2) - first, 1);
    assert_int_equal(get(&m, WW_C_RF_READ_LANES), 0);
    assert_int_equal(until(&m, WW_C_INST_ISSUED, 3) - first, LATENCY);
    assert_int_equal(get(&m, WW_C_DART_THREAD), 1 + 1 + 32);
    assert_int_equal(get(&m, WW_C_RF_READ_LANES), 32 + 1);
    finish_cta(&m);
    assert_int_equal(get(&m, WW_C_RF_WRITE_LANES), 1 + 1 + 32);
    machine_close(&m);
}

/* 6 vectors and 4 scalars: 196 slots a warp, where 10 registers took 320. */
static void slots_of_warps(void **state)
{
    (void)state;
    ww_arch arch = lanes_arch();
    code c = {0};
    add(&c, 1, 0, 1);
    machine m;
    open_scalars(&m, &c, &arch, 100);
    finish_cta(&m);
    assert_int_equal(get(&m, WW_C_SCALAR_REGISTERS), 4 * 4);
    assert_int_equal(get(&m, WW_C_SCALAR_ALLOCATED), 4 * 10);
    assert_int_equal(get(&m, WW_C_SCALAR_SLOTS), 4 * 196);
    assert_int_equal(get(&m, WW_C_SCALAR_PLAIN_SLOTS), 4 * 320);
    machine_close(&m);
}

/* ---- kernels ---- */

/* %tid.y is one value per warp where rows have 32 threads: then, and with the report's seed
 * always, it is scalar. */
static const char rows[] =
    ".version 7.0\n.target sm_20\n.address_size 64\n"
    ".visible .entry rows(.param .u64 out)\n{\n"
    " .reg .u32 %x, %y, %n, %v, %w;\n .reg .u64 %a, %o;\n"
    " ld.param.u64 %a, [out];\n mov.u32 %x, %tid.x;\n mov.u32 %y, %tid.y;\n"
    " mov.u32 %n, %ntid.x;\n mul.lo.u32 %v, %y, %y;\n add.u32 %v, %v, 3;\n"
    " mad.lo.u32 %w, %y, %n, %x;\n mul.wide.u32 %o, %w, 4;\n add.u64 %a, %a, %o;\n"
    " st.global.u32 [%a], %v;\n ret;\n}\n";

typedef struct outcome {
    uint64_t counter[WW_COUNTER_COUNT];
    bool right;
} outcome;

static ww_status note(void *user, const ww_launch_record *r, ww_error *err)
{
    outcome *o = user;
    (void)err;
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        o->counter[c] = ww_counter_total(r->counters, (ww_counter)c);
    }
    return WW_OK;
}

static outcome run_rows(const char *seed, uint32_t x)
{
    const ww_setting settings[] = {{WW_MECH_KEY, "dart,scalar"}, {"dart.seed", seed}};
    enum { THREADS = 256 };
    uint32_t y = THREADS / x, values[THREADS];
    ww_arch *arch = NULL;
    ww_device *device = NULL;
    ww_module *module = NULL;
    ww_devptr out;
    ww_error err = {0};
    outcome o = {.right = true};
    const ww_device_options options = {.on_launch = note, .user = &o};
    const void *args[] = {&out};
    assert_ok(ww_arch_load("gt200-dart", settings, 2, &arch, &err), err);
    assert_ok(ww_device_create(arch, &options, &device, &err), err);
    assert_ok(ww_device_load_ptx(device, "rows.ptx", rows, sizeof rows - 1, &module, &err), err);
    assert_ok(ww_device_malloc(device, sizeof values, &out, &err), err);
    assert_ok(ww_device_launch(device, module, "rows", (ww_dim3){1, 1, 1}, (ww_dim3){x, y, 1}, 0,
                               args, 1, &err),
              err);
    assert_ok(ww_device_read(device, values, out, sizeof values, &err), err);
    for (uint32_t i = 0; i < THREADS; i++) {
        o.right &= values[i] == i / x * (i / x) + 3;
    }
    ww_device_destroy(device);
    ww_arch_destroy(arch);
    return o;
}

static void both_seeds(void **state)
{
    (void)state;
    outcome right = run_rows("correct", 16), report = run_rows("report", 16);
    assert_true(right.right && report.right); /* values come from execution */
    assert_true(right.counter[WW_C_SCALAR_CHECK] > 0);
    assert_int_equal(right.counter[WW_C_MECH_MISMATCH], 0);
    assert_true(report.counter[WW_C_MECH_MISMATCH] > 0);
    assert_true(report.counter[WW_C_SCALAR_REGISTERS] > right.counter[WW_C_SCALAR_REGISTERS]);
    outcome wide = run_rows("correct", 32), same = run_rows("report", 32);
    assert_int_equal(wide.counter[WW_C_MECH_MISMATCH], 0);
    assert_int_equal(same.counter[WW_C_MECH_MISMATCH], 0);
    assert_int_equal(wide.counter[WW_C_SCALAR_REGISTERS], same.counter[WW_C_SCALAR_REGISTERS]);
    assert_true(wide.counter[WW_C_SCALAR_SLOTS] < wide.counter[WW_C_SCALAR_PLAIN_SLOTS]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_slot_is_what_hardware_would_have),
        cmocka_unit_test(sides_run_one_after_the_other),
        cmocka_unit_test(one_thread_executes),
        cmocka_unit_test(slots_of_warps),
        cmocka_unit_test(both_seeds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
