/* test_floorplan.c - do tiles of every shipped machine cover its die without overlaps, have they
 * the areas of the structures, and do the joules of all of them sum to the launch's? */
#include "tests/support/shipped.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/mem.h"
#include "power/floorplan.h"
#include "tests/unit/power/fixture.h"

static double over(double a, double a_size, double b, double b_size)
{
    return fmin(a + a_size, b + b_size) - fmax(a, b);
}

/* Every pair, as the checker does not: it sorts. */
static void check_tiles(const char *gpu, const ww_floorplan *plan)
{
    double near_m = 1e-9 * plan->width_m, sum_m2 = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const ww_tile *a = &plan->tile[i];
        assert_true(a->width_m > 0 && a->height_m > 0);
        assert_true(a->x_m >= -near_m && a->x_m + a->width_m <= plan->width_m + near_m);
        assert_true(a->y_m >= -near_m && a->y_m + a->height_m <= plan->height_m + near_m);
        sum_m2 += a->width_m * a->height_m;
        for (size_t k = i + 1; k < plan->count; k++) {
            const ww_tile *b = &plan->tile[k];
            if (over(a->x_m, a->width_m, b->x_m, b->width_m) > near_m &&
                over(a->y_m, a->height_m, b->y_m, b->height_m) > near_m) {
                fail_msg("%s: %s lies over %s", gpu, a->name, b->name);
            }
        }
    }
    assert_near(sum_m2, plan->width_m * plan->height_m, 1e-9, 0);
}

static double area_of(const ww_floorplan *plan, ww_component component)
{
    double sum_m2 = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const ww_tile *t = &plan->tile[i];
        sum_m2 += t->sm != WW_TILE_CHIP && t->component == component ? t->width_m * t->height_m : 0;
    }
    return sum_m2;
}

static void check_gpu(const char *name)
{
    ww_error err = {0};
    ww_arch *arch;
    ww_power_model *model;
    ww_floorplan plan;
    size_t count;
    double in_sm_m2[WW_COMPONENT_COUNT] = {0};
    assert_ok(ww_arch_load(name, NULL, 0, &arch, &err), err);
    assert_ok(ww_power_model_create(arch, NULL, &model, &err), err);
    assert_ok(ww_floorplan_of(model, &plan, &err), err);
    assert_ok(ww_floorplan_check(&plan, NULL, &err), err);
    check_tiles(name, &plan);
    const ww_power_structure *s = ww_power_structures(model, &count);
    for (size_t i = 0; i < count; i++) {
        in_sm_m2[s[i].component] += s[i].in_sm ? s[i].area_m2 : 0;
    }
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        assert_near(area_of(&plan, (ww_component)c), in_sm_m2[c], 1e-9, 1e-15);
    }
    if (arch->sm.core != WW_CORE_LANES) {
        assert_near(plan.width_m * plan.height_m, arch->chip.die_m2, 1e-9, 0);
    }
    ww_floorplan_fini(&plan);
    ww_power_model_destroy(model);
    ww_arch_destroy(arch);
}

static void tiles_cover_every_shipped_die(void **state)
{
    (void)state;
    for_each_shipped(check_gpu);
}

/* A busy kernel on the fixture, one SM of which issued more than the others. */
typedef struct busy {
    ww_arch arch;
    ww_power_model *model;
    ww_counter_set counters;
    ww_launch_record launch;
    ww_floorplan plan;
    double *tile_j;
} busy;

static void set_up(busy *b)
{
    ww_error err = {0};
    *b = (busy){.arch = fixture_arch()};
    b->model = fixture_model(&b->arch);
    assert_ok(ww_counter_set_init(&b->counters, 16, 12, 6, &err), err);
    fixture_activity(&b->counters, 25, 50e9);
    b->launch = fixture_launch(&b->counters);
    assert_ok(ww_floorplan_of(b->model, &b->plan, &err), err);
    b->tile_j = calloc(b->plan.count, sizeof *b->tile_j);
    assert_non_null(b->tile_j);
}

static void tear_down(busy *b)
{
    free(b->tile_j);
    ww_floorplan_fini(&b->plan);
    ww_counter_set_fini(&b->counters);
    ww_power_model_destroy(b->model);
}

static double sum_of(const busy *b)
{
    double sum_j = 0;
    for (size_t i = 0; i < b->plan.count; i++) {
        sum_j += b->tile_j[i];
    }
    return sum_j;
}

static double joules_of(const busy *b, const char *name)
{
    for (size_t i = 0; i < b->plan.count; i++) {
        if (strcmp(b->plan.tile[i].name, name) == 0) {
            return b->tile_j[i];
        }
    }
    fail_msg("no tile '%s'", name);
    return 0;
}

static void tiles_and_what_lies_beside_sum_to_the_launch(void **state)
{
    (void)state;
    busy b;
    ww_error err = {0};
    ww_power_result all;
    double beside_j;
    set_up(&b);
    const ww_stretch whole = {.launch = &b.launch};
    assert_ok(ww_floorplan_energy(b.model, &b.plan, &whole, b.tile_j, &beside_j, &err), err);
    assert_ok(ww_power_evaluate(b.model, &b.counters, &b.launch, &all, &err), err);
    assert_near(sum_of(&b) + beside_j, all.total_j, 1e-12, 0);
    const ww_power_share *gm = &all.component[WW_COMPONENT_GM];
    assert_near(beside_j, gm->event_j + gm->background_j + gm->leakage_j, 1e-12, 0);
    tear_down(&b);
}

/* Half of an activity's instructions move from SM 3 to SM 5, and with them their joules. */
static void work_of_an_sm_heats_its_tiles(void **state)
{
    (void)state;
    busy b;
    ww_error err = {0};
    double beside_j, before_j, after_j;
    set_up(&b);
    const ww_stretch whole = {.launch = &b.launch};
    assert_ok(ww_floorplan_energy(b.model, &b.plan, &whole, b.tile_j, &beside_j, &err), err);
    before_j = sum_of(&b);
    double three_j = joules_of(&b, "sm3.eu"), seven_j = joules_of(&b, "sm7.eu");
    assert_near(three_j, seven_j, 1e-12, 0);
    uint64_t *from = &b.counters.block[WW_SCOPE_SM][3].v[WW_C_OP_FP32_FMA];
    uint64_t moved = *from / 2;
    *from -= moved;
    b.counters.block[WW_SCOPE_SM][5].v[WW_C_OP_FP32_FMA] += moved;
    assert_ok(ww_floorplan_energy(b.model, &b.plan, &whole, b.tile_j, &beside_j, &err), err);
    after_j = sum_of(&b);
    assert_near(after_j, before_j, 1e-12, 0);
    assert_true(joules_of(&b, "sm3.eu") < three_j);
    assert_near(joules_of(&b, "sm3.eu") + joules_of(&b, "sm5.eu"), 2 * three_j, 1e-12, 0);
    assert_near(joules_of(&b, "sm7.eu"), seven_j, 1e-12, 0);
    tear_down(&b);
}

/* An interval that kept sums alone is dealt out as the launch is. */
static void sums_are_dealt_out_by_the_launch(void **state)
{
    (void)state;
    busy b;
    ww_error err = {0};
    double beside_j;
    ww_interval all = {.last_cycle = FIXTURE_CYCLES};
    set_up(&b);
    b.counters.block[WW_SCOPE_SM][3].v[WW_C_OP_FP32_FMA] *= 2;
    assert_ok(ww_counter_set_init(&all.counters, 16, 12, 6, &err), err);
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        ww_scope scope = ww_counter_describe((ww_counter)c)->scope;
        all.counters.block[scope][0].v[c] = ww_counter_total(&b.counters, (ww_counter)c);
    }
    ww_stretch stretch = {.launch = &b.launch};
    assert_ok(ww_floorplan_energy(b.model, &b.plan, &stretch, b.tile_j, &beside_j, &err), err);
    double three_j = joules_of(&b, "sm3.eu"), four_j = joules_of(&b, "sm4.eu");
    stretch.interval = &all;
    stretch.totals = true;
    assert_ok(ww_floorplan_energy(b.model, &b.plan, &stretch, b.tile_j, &beside_j, &err), err);
    assert_near(joules_of(&b, "sm3.eu"), three_j, 1e-9, 0);
    assert_near(joules_of(&b, "sm4.eu"), four_j, 1e-9, 0);
    assert_true(three_j > four_j);
    ww_counter_set_fini(&all.counters);
    tear_down(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_cover_every_shipped_die),
        cmocka_unit_test(tiles_and_what_lies_beside_sum_to_the_launch),
        cmocka_unit_test(work_of_an_sm_heats_its_tiles),
        cmocka_unit_test(sums_are_dealt_out_by_the_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
