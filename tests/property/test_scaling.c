/* Do energies scale as they must? Twice the grid on a full GPU: twice the dynamic energy; and
 * energy follows voltage and node. */
#include <string.h>

#include "perf/api/device.h"
#include "power/power.h"
#include "tests/support/test.h"

/* Each thread runs a chain of fused multiply-adds on its own element, with one load and one store.
 */
static const char *const ptx =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry work(.param .u64 data)\n{\n"
    ".reg .b64 %rd<5>;\n.reg .b32 %r<7>;\n.reg .f32 %f<4>;\n.reg .pred %p<2>;\n"
    "ld.param.u64 %rd1, [data];\ncvta.to.global.u64 %rd2, %rd1;\n"
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.s32 %r4, %r1, "
    "%r2, %r3;\n"
    "mul.wide.u32 %rd3, %r4, 4;\nadd.s64 %rd4, %rd2, %rd3;\nld.global.f32 %f1, [%rd4];\nmov.u32 "
    "%r5, 0;\n"
    "LOOP:\nfma.rn.f32 %f1, %f1, 0f3F000000, 0f3F800000;\nfma.rn.f32 %f1, %f1, 0f3F000000, "
    "0f3F800000;\n"
    "add.s32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 32;\n@%p1 bra LOOP;\nst.global.f32 [%rd4], "
    "%f1;\nret;\n}\n";

typedef struct outcome {
    const ww_power_model *model;
    ww_power_result power;
    uint64_t instructions;
} outcome;

static ww_status evaluate(void *user, const ww_launch_record *record, ww_error *err)
{
    outcome *o = user;
    o->instructions = ww_counter_total(record->counters, WW_C_INST_ISSUED);
    return ww_power_evaluate(o->model, record->counters, record, &o->power, err);
}

static ww_power_result simulate(const char *gpu, const ww_setting *settings, size_t setting_count,
                                uint32_t ctas, uint64_t *instructions)
{
    ww_error err = {0};
    ww_arch *arch = NULL;
    ww_power_model *model = NULL;
    ww_device *device = NULL;
    ww_module *module = NULL;
    ww_devptr data = 0;
    assert_ok(ww_arch_load(gpu, settings, setting_count, &arch, &err), err);
    assert_ok(ww_power_model_create(arch, NULL, &model, &err), err);
    outcome o = {.model = model};
    const ww_device_options options = {.on_launch = evaluate, .user = &o};
    assert_ok(ww_device_create(arch, &options, &device, &err), err);
    assert_ok(ww_device_load_ptx(device, "scaling.ptx", ptx, strlen(ptx), &module, &err), err);
    assert_ok(ww_device_malloc(device, (size_t)ctas * 256 * 4, &data, &err), err);
    const void *const args[] = {&data};
    assert_ok(ww_device_launch(device, module, "work", (ww_dim3){ctas, 1, 1}, (ww_dim3){256, 1, 1},
                               0, args, 1, &err),
              err);
    ww_device_destroy(device);
    ww_power_model_destroy(model);
    ww_arch_destroy(arch);
    *instructions = o.instructions;
    return o.power;
}

/* Dynamic energy but that of the L2's misses and what lies behind them, which jumps where the data
 * pass a cache's capacity: the smaller grid writes 2.9 MB, of which the GP102's 2.75 MiB of L2 keep
 * nearly all, the larger one's go to DRAM. */
static double without_memory(const ww_power_result *p)
{
    return p->event_j + p->background_j - p->component[WW_COMPONENT_LDSTU].event_j -
           p->component[WW_COMPONENT_MC].event_j - p->component[WW_COMPONENT_GM].event_j;
}

static void twice_the_grid_is_twice_the_energy(void **state)
{
    (void)state;
    static const char *const gpus[] = {"gtx480", "gtx580", "gtx1080ti", "gt240"};
    for (int i = 0; i < 4; i++) {
        uint64_t once, twice;
        ww_power_result a = simulate(gpus[i], NULL, 0, 2880, &once),
                        b = simulate(gpus[i], NULL, 0, 5760, &twice);
        assert_int_equal(twice, 2 * once);
        assert_near(without_memory(&b) / without_memory(&a), 2, 0.05, 0);
        if (strcmp(gpus[i], "gtx1080ti") != 0) { /* data of both are several times the L2 */
            assert_near((b.event_j + b.background_j) / (a.event_j + a.background_j), 2, 0.05, 0);
        }
        static const ww_component cores[] = {WW_COMPONENT_RF, WW_COMPONENT_EU, WW_COMPONENT_WCU};
        for (int k = 0; k < 3; k++) {
            assert_near(b.component[cores[k]].event_j / a.component[cores[k]].event_j, 2, 0.05, 0);
        }
    }
}

/* Event energy on the die goes with the square of the supply; leakage rises with temperature. */
static void energy_follows_voltage_and_temperature(void **state)
{
    (void)state;
    uint64_t n;
    const ww_setting low[] = {{"chip.vdd_v", "0.9 V"}}, high[] = {{"chip.vdd_v", "1.0 V"}},
                     hot[] = {{"chip.temperature_k", "380 K"}};
    ww_power_result a = simulate("gtx580", low, 1, 256, &n),
                    b = simulate("gtx580", high, 1, 256, &n);
    ww_power_result c = simulate("gtx580", hot, 1, 256, &n);
    double ratio = b.component[WW_COMPONENT_RF].event_j / a.component[WW_COMPONENT_RF].event_j;
    assert_true(ratio > 1.05 && ratio < 1.0 / 0.81 * 1.1);
    assert_true(c.static_w > b.static_w);
    assert_near(c.event_j, b.event_j, 1e-9, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twice_the_grid_is_twice_the_energy),
        cmocka_unit_test(energy_follows_voltage_and_temperature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
