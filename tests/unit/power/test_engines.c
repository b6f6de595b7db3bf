/* test_engines.c - do the asynchronous engines cost what is written down for them, whatever the
 * factors of other circuits, and nothing on machines that have none? */
#include <math.h>
#include <string.h>

#include "tests/support/test.h"
#include "tests/unit/power/fixture.h"

static ww_power_model *make_with(ww_arch *arch, unsigned capability, double noc_factor)
{
    *arch = fixture_arch();
    arch->chip.compute_capability = capability;
    arch->chip.vdd_v = 0.85;
    arch->async.matrix_queue = 8;
    arch->async.matrix_f16 = 1024;
    arch->async.copy_queue = arch->async.copy_maps = 32;
    arch->power.ldst_factor = 6.13;
    arch->power.noc_factor = noc_factor;
    arch->power.matrix_factor = 1;
    return fixture_model(arch);
}

static ww_power_model *make(ww_arch *arch, unsigned capability)
{
    return make_with(arch, capability, 0.306);
}

/* J of one count of a counter, of all its events. */
static double energy_of(const ww_power_model *model, ww_counter counter)
{
    size_t count;
    double j = 0;
    const ww_power_event *event = ww_power_events(model, &count);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < event[i].terms; k++) {
            j += event[i].counter[k] == counter ? event[i].value * event[i].weight[k] : 0;
        }
    }
    return j;
}

static const struct {
    ww_counter counter;
    double pj;
} estimates[] = {{WW_C_WG_PRODUCTS, 60},       {WW_C_COPY_COMMANDS, 300},
                 {WW_C_COPY_REQUESTS, 30},     {WW_C_OBJECT_OPS, 20},
                 {WW_C_REMOTE_FLITS, 60},      {WW_C_MULTICAST_BLOCKS, 40},
                 {WW_C_CLUSTER_ARRIVALS, 200}, {WW_C_L2_CROSSED, 130}};

static void engines_cost_their_estimates(void **state)
{
    (void)state;
    ww_arch arch;
    ww_power_model *model = make(&arch, 90);
    for (size_t i = 0; i < WW_ARRAY_LEN(estimates); i++) {
        assert_near(energy_of(model, estimates[i].counter), estimates[i].pj * 1e-12, 1e-9, 0);
    }
    ww_power_model_destroy(model);
}

/* A network whose factor is 0 costs nothing, rather than a number that is none. */
static void a_factor_of_nothing_leaves_nothing(void **state)
{
    (void)state;
    ww_arch arch;
    ww_power_model *model = make_with(&arch, 90, 0);
    assert_true(energy_of(model, WW_C_REMOTE_FLITS) == 0);
    assert_true(energy_of(model, WW_C_L2_CROSSED) == 0);
    ww_power_model_destroy(model);
}

/* A row is what 32 banks read, and the crossbar, which a load's words take as well, is spared. */
static void operands_spare_the_crossbar(void **state)
{
    (void)state;
    ww_arch arch;
    ww_power_model *model = make(&arch, 90);
    double row = energy_of(model, WW_C_OPERAND_ROWS);
    double words = arch.ldst.shared_banks * energy_of(model, WW_C_SHARED_READ_WORDS);
    assert_true(row > 0 && row < words);
    ww_power_model_destroy(model);
}

/* Sums of half the width cost less, but no less than 0.6. */
static void narrow_sums_cost_less(void **state)
{
    (void)state;
    ww_arch arch;
    ww_power_model *model = make(&arch, 90);
    double share = energy_of(model, WW_C_MMA_F16_SUM16) / energy_of(model, WW_C_MMA_F16);
    assert_true(share > 0.6 && share < 1);
    ww_power_model_destroy(model);
}

/* Energies of a multiply-add by format: TF32 twice FP16, FP8 and INT8 half of it. On the board and
 * at the clock that the bounds were measured with: at its limit of 350 W an H800 ran at 1425 MHz.
 */
static void formats_cost_by_their_rates(void **state)
{
    (void)state;
    ww_arch *arch = NULL;
    ww_power_model *model;
    ww_error err = {0};
    const ww_setting limited = {"clock.set_hz", "1425 MHz"};
    assert_ok(ww_arch_load("h800-pcie", &limited, 1, &arch, &err), err);
    assert_ok(ww_power_model_create(arch, NULL, &model, &err), err);
    double f16 = energy_of(model, WW_C_MMA_F16);
    assert_near(energy_of(model, WW_C_MMA_BF16), f16, 0.05, 0);
    assert_near(energy_of(model, WW_C_MMA_TF32), 2 * f16, 0.05, 0);
    assert_near(energy_of(model, WW_C_MMA_F8), f16 / 2, 0.05, 0);
    assert_near(energy_of(model, WW_C_MMA_I8), f16 / 2, 0.05, 0);
    /* 0.27 to 0.55 pJ/FLOP: bounds of the whole board */
    assert_in_range(f16 / 2 * 1e15, 270, 550);
    ww_power_model_destroy(model);
    ww_arch_destroy(arch);
}

static void other_machines_have_none(void **state)
{
    (void)state;
    ww_arch arch;
    ww_power_model *model = make(&arch, 80);
    for (size_t i = 0; i < WW_ARRAY_LEN(estimates); i++) {
        assert_true(energy_of(model, estimates[i].counter) == 0);
    }
    assert_true(energy_of(model, WW_C_OPERAND_ROWS) == 0);
    ww_power_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(engines_cost_their_estimates),
        cmocka_unit_test(a_factor_of_nothing_leaves_nothing),
        cmocka_unit_test(operands_spare_the_crossbar),
        cmocka_unit_test(narrow_sums_cost_less),
        cmocka_unit_test(formats_cost_by_their_rates),
        cmocka_unit_test(other_machines_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
