/* test_repeated.c - is the power of a repeated kernel that without its launch overhead, and is what
 * its cycles are uncertain by in its uncertainty? */
#include "tests/support/test.h"

#include <math.h>

#include "tests/unit/power/fixture.h"

static ww_error err;

typedef struct machine {
    ww_arch arch;
    ww_power_model *model;
    ww_counter_set set;
    ww_launch_record launch;
} machine;

/* A launch of a million cycles. */
static void open_machine(machine *m, uint32_t overhead_cycles, bool work)
{
    m->arch = fixture_arch();
    m->arch.sm.kernel_launch_cycles = overhead_cycles;
    m->model = fixture_model(&m->arch);
    assert_ok(ww_counter_set_init(&m->set, 16, 12, 6, &err), err);
    if (work) {
        fixture_activity(&m->set, 25, 20e9);
    } else {
        fixture_put(&m->set, WW_C_CORE_CYCLES, FIXTURE_CYCLES);
    }
    m->launch = fixture_launch(&m->set);
}

static void close_machine(machine *m)
{
    ww_counter_set_fini(&m->set);
    ww_power_model_destroy(m->model);
}

static double total_w(const machine *m)
{
    ww_power_result r;
    assert_ok(ww_power_evaluate(m->model, &m->set, &m->launch, &r, &err), err);
    return r.total_w;
}

static bool repeat(const machine *m, size_t times, double *watts, double *sigma_w)
{
    ww_power_repeated sum = {0};
    for (size_t i = 0; i < times; i++) {
        assert_ok(ww_power_repeat(m->model, &m->arch, &m->launch, &sum, &err), err);
    }
    return ww_power_repeated_w(m->model, &m->arch, &sum, watts, sigma_w);
}

/* A quarter of the cycles is overhead, at idle power: what is left of the energy in three quarters
 * of the time. However often. */
static void overhead_takes_no_time(void **state)
{
    (void)state;
    machine m;
    double watts, sigma_w, again;
    open_machine(&m, FIXTURE_CYCLES / 4, true);
    double idle_w = ww_power_idle_w(m.model, m.launch.dram_hz);
    assert_true(repeat(&m, 1, &watts, &sigma_w));
    assert_near(watts, (total_w(&m) - 0.25 * idle_w) / 0.75, 1e-9, 0);
    assert_true(repeat(&m, 7, &again, &sigma_w));
    assert_near(again, watts, 1e-9, 0);
    close_machine(&m);
}

static void without_overhead_it_is_the_mean(void **state)
{
    (void)state;
    machine m;
    double watts, sigma_w;
    open_machine(&m, 0, true);
    assert_true(repeat(&m, 2, &watts, &sigma_w));
    assert_near(watts, total_w(&m), 1e-12, 0);
    close_machine(&m);
}

/* Cycles count for work alone: a launch that does nothing is as sure as its energies. */
static void cycles_count_for_work(void **state)
{
    (void)state;
    machine m;
    ww_power_groups groups = {0};
    double watts, sigma_w;
    open_machine(&m, 0, false);
    ww_power_add_groups(m.model, &m.set, &m.launch, &groups);
    double time_s = FIXTURE_CYCLES / 822e6;
    double energies_w = ww_power_sure_of(m.model, &groups, WW_COMPONENT_COUNT).sigma_j / time_s;
    assert_true(repeat(&m, 1, &watts, &sigma_w));
    assert_near(sigma_w, energies_w, 1e-9, 0);
    close_machine(&m);

    open_machine(&m, 0, true);
    groups = (ww_power_groups){0};
    ww_power_add_groups(m.model, &m.set, &m.launch, &groups);
    energies_w = ww_power_sure_of(m.model, &groups, WW_COMPONENT_COUNT).sigma_j / time_s;
    assert_true(repeat(&m, 1, &watts, &sigma_w));
    assert_true(sigma_w > energies_w && sigma_w < energies_w + 0.25 * watts);
    close_machine(&m);
}

static void nothing_but_overhead_has_no_power(void **state)
{
    (void)state;
    machine m;
    double watts, sigma_w;
    open_machine(&m, FIXTURE_CYCLES, true);
    assert_false(repeat(&m, 1, &watts, &sigma_w));
    assert_false(repeat(&m, 0, &watts, &sigma_w));
    close_machine(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overhead_takes_no_time),
        cmocka_unit_test(without_overhead_it_is_the_mean),
        cmocka_unit_test(cycles_count_for_work),
        cmocka_unit_test(nothing_but_overhead_has_no_power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
