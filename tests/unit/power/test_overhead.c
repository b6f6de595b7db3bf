/* test_overhead.c - is a mechanism charged for its own structures, in MECH and nowhere else? */
#include "tests/support/test.h"

#include <math.h>

#include "power/component.h"
#include "tests/unit/power/fixture.h"

/* The overhead of tests/mech's helper warp: lock counters of the L1D's lines, and the queue of
 * warps whose loads are to be issued ahead. */
enum { JOBS = 64, JOB_BITS = 24, LOCK_BITS = 4 };

static ww_array_spec lock_spec(const ww_arch *arch)
{
    return ww_array_table(arch->l1d.bytes / arch->l1d.line_bytes, LOCK_BITS, 1, 1);
}

static void build_helper(ww__builder *b)
{
    ww_array_spec locks = lock_spec(b->arch), jobs = ww_array_table(JOBS, JOB_BITS, 1, 1);
    ww_array_result lock = ww__array(b, "line locks", &locks);
    ww_array_result job = ww__array(b, "job queue", &jobs);
    ww__structure(b, 2, "line locks", b->arch->sm.count, lock.area_m2, lock.leak_w, "%s",
                  ww__array_text(b, &locks));
    ww__event(b, "lock, unlock", WW_C_MECH_LOCKED, 2 * (lock.read_j + lock.write_j),
              "array model: a counter read and written, twice");
    ww__structure(b, 2, "job queue", b->arch->sm.count, job.area_m2, job.leak_w, "%s",
                  ww__array_text(b, &jobs));
    ww__event(b, "job", WW_C_MECH_EXTRA_WARPS, job.read_j + job.write_j,
              "array model: entered and taken");
}

static const ww_overhead helper = {"helper-warp", "loads ahead into locked lines", build_helper};

static ww_power_model *model_of(const ww_arch *arch, const ww_overhead *overhead)
{
    ww_power_model *model = NULL;
    ww_error err = {0};
    assert_ok(ww_power_model_create_with(arch, FIXTURE_TECH, overhead, &model, &err), err);
    return model;
}

static ww_power_result evaluate(const ww_power_model *model, const ww_counter_set *set)
{
    ww_power_result r;
    ww_error err = {0};
    ww_launch_record launch = fixture_launch(set);
    assert_ok(ww_power_evaluate(model, set, &launch, &r, &err), err);
    return r;
}

static void open_activity(ww_counter_set *set)
{
    ww_error err = {0};
    assert_ok(ww_counter_set_init(set, 16, 12, 6, &err), err);
    fixture_activity(set, 25, 100e9);
}

/* 1600 locks and 160 helper warps, at the energies of the two arrays. */
static void a_test_mechanism_is_charged(void **state)
{
    (void)state;
    ww_arch arch = fixture_arch();
    ww_counter_set set;
    open_activity(&set);
    fixture_put(&set, WW_C_MECH_LOCKED, 1600);
    fixture_put(&set, WW_C_MECH_EXTRA_WARPS, 160);
    ww_power_model *plain = model_of(&arch, NULL), *with = model_of(&arch, &helper);
    assert_false(ww_power_has(plain, WW_COMPONENT_MECH));
    assert_true(ww_power_has(with, WW_COMPONENT_MECH));
    ww_power_result a = evaluate(plain, &set), b = evaluate(with, &set);

    size_t n;
    const ww_power_event *events = ww_power_events(with, &n);
    double locks_j = 0, jobs_j = 0;
    for (size_t i = 0; i < n; i++) {
        if (events[i].component == WW_COMPONENT_MECH) {
            *(events[i].counter[0] == WW_C_MECH_LOCKED ? &locks_j : &jobs_j) += events[i].value;
        }
    }
    assert_true(locks_j > 1e-15 && locks_j < 1e-11 && jobs_j > 1e-15 && jobs_j < 1e-11);
    assert_near(b.component[WW_COMPONENT_MECH].event_j, 1600 * locks_j + 160 * jobs_j, 1e-12, 0);
    for (int c = 0; c < WW_COMPONENT_MECH; c++) { /* the others do as before */
        assert_near(a.component[c].event_j, b.component[c].event_j, 0, 0);
        assert_near(a.component[c].leakage_j, b.component[c].leakage_j, 0, 0);
    }
    assert_true(ww_power_area(with, WW_COMPONENT_MECH) > 0);
    assert_near(b.static_w - a.static_w, b.component[WW_COMPONENT_MECH].leakage_j / b.time_s, 1e-9,
                0);
    ww_power_model_destroy(plain);
    ww_power_model_destroy(with);
    ww_counter_set_fini(&set);
}

/* A chip's known static power is that without mechanisms: theirs comes on top. */
static void known_static_power_is_the_chips_alone(void **state)
{
    (void)state;
    ww_arch arch = fixture_arch();
    arch.power.static_w = 20;
    ww_power_model *plain = model_of(&arch, NULL), *with = model_of(&arch, &helper);
    assert_near(ww_power_static_w(plain), 20, 1e-12, 0);
    assert_true(ww_power_static_w(with) > 20 && ww_power_static_w(with) < 21);
    ww_power_model_destroy(plain);
    ww_power_model_destroy(with);
}

/* The papers' own machines, as far as their tables' sizes depend on them. */
static ww_arch printed_machine(ww_mech_id id)
{
    ww_arch a = fixture_arch();
    const bool pascal = id == WW_MECH_DARSIE;
    a.mechs = UINT64_C(1) << id;
    a.sm.max_thread_registers = 63;
    a.sm.max_warps = pascal ? 64 : 48;
    a.sm.max_ctas = pascal ? 32 : 8;
    a.cap = (ww_cap_params){.entries = 4, .strides = 4, .requests = 4};
    a.dac = (ww_dac_params){.atq = 24, .pwaq = 192, .pwpq = 192, .stack = 8, .conditions = 8};
    a.pmode = (ww_pmode_params){.queue_entries = 8, .pool_registers = 128, .stack_entries = 8};
    a.darsie = (ww_darsie_params){.entries = 8, .lookups = 2, .registers = 32};
    return a;
}

/* Whether the mechanism has a structure of that area on every SM, and an event of that energy. */
static bool has_area(const ww_power_model *model, double area_m2)
{
    size_t n;
    const ww_power_structure *s = ww_power_structures(model, &n);
    for (size_t i = 0; i < n; i++) {
        if (s[i].component == WW_COMPONENT_MECH && fabs(s[i].area_m2 / area_m2 - 1) < 1e-9) {
            return true;
        }
    }
    return false;
}

static bool has_energy(const ww_power_model *model, double energy_j)
{
    size_t n;
    const ww_power_event *e = ww_power_events(model, &n);
    for (size_t i = 0; i < n; i++) {
        if (e[i].component == WW_COMPONENT_MECH && fabs(e[i].value / energy_j - 1) < 1e-9) {
            return true;
        }
    }
    return false;
}

static double own_voltage(const ww_chip_params *chip)
{
    ww_error err = {0};
    ww_node_table *nodes = NULL;
    ww_node node;
    assert_ok(ww_node_load(FIXTURE_TECH, chip->feature_m, &nodes, &err), err);
    assert_ok(ww_node_at(nodes, WW_DEVICE_HP, 0, chip->temperature_k, &node, &err), err);
    ww_node_destroy(nodes);
    return node.vdd_v;
}

/* In the paper's process and at its sizes a room's tables are those that `validate structures`
 * prints: the same area, and the same energy where the room charges the array's. */
static void what_is_charged_is_what_is_validated(void **state)
{
    (void)state;
    static const struct {
        const char *group;
        ww_mech_id id;
        unsigned tables;
        bool charges_arrays; /* P-mode's energies are the printed ones */
    } ROOM[] = {{"caps", WW_MECH_CAP, 2, true},
                {"dac", WW_MECH_DAC, 7, true},
                {"pmode", WW_MECH_PMODE, 7, false},
                {"darsie", WW_MECH_DARSIE, 3, true}};
    ww_error err = {0};
    ww_structures *list = NULL;
    assert_ok(ww_structures_load(FIXTURE_TECH, &list, &err), err);
    for (size_t r = 0; r < WW_ARRAY_LEN(ROOM); r++) {
        unsigned tables = 0;
        for (size_t i = 0; i < ww_structures_count(list); i++) {
            const ww_structure *s = ww_structures_at(list, i);
            ww_structure_cost cost;
            if (strcmp(s->group, ROOM[r].group) != 0) {
                continue;
            }
            ww_arch arch = printed_machine(ROOM[r].id);
            arch.chip.feature_m = s->feature_m;
            arch.chip.temperature_k = s->temp_k;
            arch.chip.vdd_v = own_voltage(&arch.chip);
            ww_power_model *model = model_of(&arch, NULL);
            assert_ok(ww_structure_cost_own(s, FIXTURE_TECH, &cost, &err), err);
            assert_true(has_area(model, arch.sm.count * cost.area_m2));
            assert_true(!ROOM[r].charges_arrays || has_energy(model, cost.read_j) ||
                        has_energy(model, (cost.read_j + cost.write_j) / 2));
            ww_power_model_destroy(model);
            tables++;
        }
        assert_int_equal(tables, ROOM[r].tables);
    }
    ww_structures_destroy(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_test_mechanism_is_charged),
        cmocka_unit_test(known_static_power_is_the_chips_alone),
        cmocka_unit_test(what_is_charged_is_what_is_validated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
