/* test_coverage.c - does every component read exactly the counters that the counter table says it
 * reads, and does its energy follow each of them? */
#include "tests/support/test.h"

#include "tests/mech/rooms.h"
#include "tests/unit/power/fixture.h"

static ww_power_model *model, *stacked; /* with graphics memory, with stacks */
static ww_error err;

static int set_up_with(ww_icnt_topology topology)
{
    ww_arch arch = fixture_arch();
    arch.icnt.topology = topology;
    arch.power.gm_background_w =
        0; /* background from the device's currents, so that open rows count */
    with_every_room(&arch);
    arch.chip.compute_capability = 90; /* asynchronous engines */
    arch.async.matrix_queue = 8;
    arch.async.matrix_f16 = 1024;
    arch.async.copy_queue = arch.async.copy_maps = 32;
    arch.mta.buffer_bytes = 16384; /* which only some comparisons give it */
    if (ww_power_model_create(&arch, FIXTURE_TECH, &model, &err) != WW_OK) {
        fprintf(stderr, "%s\n", err.what);
        return 1;
    }
    arch.mem.type = WW_DRAM_HBM2;
    arch.mem.device = "hbm2-measured-x64";
    if (ww_power_model_create(&arch, FIXTURE_TECH, &stacked, &err) != WW_OK) {
        fprintf(stderr, "%s\n", err.what);
        return 1;
    }
    return 0;
}

static int set_up(void **state)
{
    (void)state;
    return set_up_with(WW_ICNT_CROSSBAR);
}

static int set_up_mesh(void **state)
{
    (void)state;
    return set_up_with(WW_ICNT_MESH);
}

static int tear_down(void **state)
{
    (void)state;
    ww_power_model_destroy(model);
    ww_power_model_destroy(stacked);
    return 0;
}

static unsigned declared_consumers(const char *list)
{
    unsigned bits = 0;
    for (const char *p = list; *p != '\0';) {
        size_t n = strcspn(p, ",");
        for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
            const char *name = ww_component_name((ww_component)c);
            if (strlen(name) == n && strncmp(name, p, n) == 0) {
                bits |= 1u << c;
            }
        }
        p += n + (p[n] == ',');
    }
    return bits;
}

static void test_table_and_model_agree_on_consumers(void **state)
{
    (void)state;
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        const ww_counter_info *info = ww_counter_describe((ww_counter)c);
        unsigned declared = declared_consumers(info->consumers);
        unsigned actual =
            ww_power_consumers(model, (ww_counter)c) | ww_power_consumers(stacked, (ww_counter)c);
        for (int k = 0; k < WW_COMPONENT_COUNT; k++) {
            if (((declared ^ actual) >> k & 1) != 0) {
                fail_msg("%s: the table says '%s', but %s %s it", info->name, info->consumers,
                         ww_component_name((ww_component)k),
                         (actual >> k & 1) != 0 ? "reads" : "does not read");
            }
        }
    }
}

static void test_every_component_reads_a_counter(void **state)
{
    (void)state;
    unsigned seen = 0;
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        seen |= ww_power_consumers(model, (ww_counter)c);
    }
    assert_int_equal(seen, ((1u << WW_COMPONENT_COUNT) - 1) & ~(1u << WW_COMPONENT_REST));
}

/* Bits that were compared and did not switch cost less than what is assumed of them. */
static bool is_compared(ww_counter counter)
{
    static const char end[] = ".compared";
    const char *name = ww_counter_describe(counter)->name;
    const size_t n = strlen(name), m = strlen(end);
    return n > m && strcmp(name + n - m, end) == 0;
}

/* More of a counter means more energy in its consumers and the same in all others. */
static void test_each_counter_moves_its_consumers_alone(void **state)
{
    (void)state;
    ww_counter_set set;
    assert_ok(ww_counter_set_init(&set, 16, 12, 6, &err), err);
    fixture_activity(&set, 25, 100e9);
    ww_launch_record launch = fixture_launch(&set);
    ww_power_result before, after;
    assert_ok(ww_power_evaluate(model, &set, &launch, &before, &err), err);
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        ww_scope scope = ww_counter_describe((ww_counter)c)->scope;
        uint64_t *value = &set.block[scope][set.count[scope] - 1].v[c];
        *value += 10000000;
        assert_ok(ww_power_evaluate(model, &set, &launch, &after, &err), err);
        *value -= 10000000;
        for (int k = 0; k < WW_COMPONENT_COUNT; k++) {
            double e0 = before.component[k].event_j + before.component[k].background_j;
            double e1 = after.component[k].event_j + after.component[k].background_j;
            bool reads = (ww_power_consumers(model, (ww_counter)c) >> k & 1) != 0;
            if (reads ? !(is_compared((ww_counter)c) ? e1 < e0 : e1 > e0) : e1 < e0 || e1 > e0) {
                fail_msg("%s, %s: %.17g J before, %.17g J after",
                         ww_counter_describe((ww_counter)c)->name,
                         ww_component_name((ww_component)k), e0, e1);
            }
        }
    }
    ww_counter_set_fini(&set);
}

static void test_every_number_has_a_source(void **state)
{
    (void)state;
    size_t n;
    const ww_power_event *events = ww_power_events(model, &n);
    assert_true(n > 80);
    for (size_t i = 0; i < n; i++) {
        if (events[i].source[0] == '\0' || !(events[i].value >= 0) || events[i].terms == 0) {
            fail_msg("%s, event '%s' costs %g [%s]", ww_component_name(events[i].component),
                     events[i].name, events[i].value, events[i].source);
        }
        assert_near(events[i].model * events[i].factor, events[i].value, 1e-15, 0);
    }
    const ww_power_structure *structures = ww_power_structures(model, &n);
    for (size_t i = 0; i < n; i++) {
        assert_true(structures[i].source[0] != '\0');
        assert_true(structures[i].area_m2 >= 0 && structures[i].leakage_w >= 0);
        assert_true(strncmp(structures[i].path, ww_component_name(structures[i].component),
                            strlen(ww_component_name(structures[i].component))) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_and_model_agree_on_consumers),
        cmocka_unit_test(test_every_component_reads_a_counter),
        cmocka_unit_test(test_each_counter_moves_its_consumers_alone),
        cmocka_unit_test(test_every_number_has_a_source),
    };
    int failed = cmocka_run_group_tests(tests, set_up, tear_down);
    return failed + cmocka_run_group_tests_name("mesh", tests, set_up_mesh, tear_down);
}
