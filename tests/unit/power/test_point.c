/* test_point.c - does a launch whose clock, voltage or temperature changed cost what models built
 * for each of its points say of its parts? */
#include "tests/support/test.h"

#include "tests/unit/power/fixture.h"

static ww_error err;

enum { PARTS = 3 };

/* The described point, another clock and voltage, another temperature. */
static const ww_point points[PARTS] = {{822e6, 1.0, 350}, {600e6, 0.8, 350}, {600e6, 0.8, 330}};

typedef struct machine {
    ww_arch arch;
    ww_counter_set counters, part[PARTS];
    ww_interval interval[PARTS];
    ww_launch_record launch;
} machine;

static ww_arch arch_at(const ww_point *at)
{
    ww_arch arch = fixture_arch();
    arch.described_hz = arch.clock.core_hz;
    arch.power.constant_w = 40;
    arch.power.constant_leak = 0.3;
    arch.power.constant_clock = 0.17;
    arch.reference.temp_k = 350;
    arch.chip.temperature_k = at->temperature_k;
    if (at->core_hz != arch.described_hz) {
        arch.clock.core_hz = at->core_hz;
        arch.clock.core_v = at->vdd_v;
    }
    return arch;
}

static ww_counter_set *set_of(ww_counter_set *set)
{
    assert_ok(ww_counter_set_init(set, 16, 12, 6, &err), err);
    return set;
}

/* Three parts of one activity each. */
static void setup(machine *m)
{
    double seconds = 0;
    m->arch = arch_at(&points[0]);
    set_of(&m->counters);
    for (int i = 0; i < PARTS; i++) {
        fixture_activity(set_of(&m->part[i]), 20 + i, 80e9);
        assert_ok(ww_counter_set_add(&m->counters, &m->part[i], &err), err);
        m->interval[i] = (ww_interval){.first_cycle = (uint64_t)i * FIXTURE_CYCLES,
                                       .last_cycle = (uint64_t)(i + 1) * FIXTURE_CYCLES,
                                       .at = points[i],
                                       .counters = m->part[i]};
        seconds += FIXTURE_CYCLES / points[i].core_hz;
    }
    m->launch = fixture_launch(&m->counters);
    m->launch.intervals = m->interval;
    m->launch.interval_count = PARTS;
    m->launch.core_hz = PARTS * FIXTURE_CYCLES / seconds;
}

static void teardown(machine *m)
{
    ww_counter_set_fini(&m->counters);
    for (int i = 0; i < PARTS; i++) {
        ww_counter_set_fini(&m->part[i]);
    }
}

static void costs_what_models_of_its_points_say(void **state)
{
    (void)state;
    machine m;
    setup(&m);
    ww_power_model *model = fixture_model(&m.arch);
    double total_j = 0, time_s = 0;
    ww_power_result all;
    for (int i = 0; i < PARTS; i++) {
        ww_arch arch = arch_at(&points[i]);
        ww_power_model *own = fixture_model(&arch);
        ww_launch_record launch = fixture_launch(&m.part[i]);
        ww_power_result said, ours;
        launch.core_hz = points[i].core_hz;
        assert_ok(ww_power_evaluate(own, &m.part[i], &launch, &said, &err), err);
        assert_ok(ww_power_evaluate_interval(model, &m.launch, &m.interval[i], &ours, &err), err);
        for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
            const ww_power_share *a = &said.component[c], *b = &ours.component[c];
            assert_near(b->event_j, a->event_j, 1e-12, 1e-30);
            assert_near(b->background_j, a->background_j, 1e-12, 1e-30);
            assert_near(b->leakage_j, a->leakage_j, 1e-9, 1e-30);
        }
        assert_near(ww_power_static_at_w(model, &points[i]), ww_power_static_w(own), 1e-9, 0);
        total_j += said.total_j;
        time_s += said.time_s;
        ww_power_model_destroy(own);
    }
    assert_ok(ww_power_evaluate(model, &m.counters, &m.launch, &all, &err), err);
    assert_near(all.total_j, total_j, 1e-9, 0);
    assert_near(all.time_s, time_s, 1e-12, 0);
    assert_near(all.total_w, total_j / time_s, 1e-9, 0);
    ww_power_model_destroy(model);
    teardown(&m);
}

/* Tables of events and of uncertainty sum to the same. */
static void its_parts_sum_to_it(void **state)
{
    (void)state;
    machine m;
    setup(&m);
    ww_power_model *model = fixture_model(&m.arch);
    ww_power_result all;
    ww_power_groups groups = {0};
    size_t events, structures;
    const ww_power_event *event = ww_power_events(model, &events);
    const ww_power_structure *structure = ww_power_structures(model, &structures);
    double sum_j = 0, group_j = 0;
    assert_ok(ww_power_evaluate(model, &m.counters, &m.launch, &all, &err), err);
    for (size_t i = 0; i < events; i++) {
        sum_j += ww_power_event_j(&event[i], &m.counters, &m.launch);
    }
    for (size_t i = 0; i < structures; i++) {
        sum_j += ww_power_leakage_j(model, &structure[i], &m.launch);
    }
    ww_power_add_groups(model, &m.counters, &m.launch, &groups);
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        for (int g = 0; g < WW_GROUP_COUNT; g++) {
            group_j += groups.j[c][g];
        }
    }
    assert_near(sum_j, all.total_j, 1e-12, 0);
    assert_near(group_j, all.total_j, 1e-12, 0);
    ww_power_model_destroy(model);
    teardown(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_what_models_of_its_points_say),
        cmocka_unit_test(its_parts_sum_to_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
