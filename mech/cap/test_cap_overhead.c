/* test_cap_overhead.c - does CAP pay for each of its tables when it is used, and for no more than
 * its machine has? */
#include "tests/support/test.h"

#include <string.h>

#include "tests/unit/power/fixture.h"

static ww_arch cap_arch(void)
{
    ww_arch arch = fixture_arch();
    arch.mechs = UINT64_C(1) << WW_MECH_CAP;
    arch.cap = (ww_cap_params){.entries = 4, .strides = 4, .requests = 2, .base = WW_CAP_LINE};
    return arch;
}

static double area_of(const ww_arch *arch, const char *name)
{
    ww_power_model *model = fixture_model(arch);
    size_t n;
    const ww_power_structure *s = ww_power_structures(model, &n);
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += strstr(s[i].name, name) != NULL ? s[i].area_m2 : 0;
    }
    ww_power_model_destroy(model);
    return sum;
}

static void uses_cost_energy(void **state)
{
    (void)state;
    const ww_counter uses[] = {WW_C_CAP_LOOKUP,     WW_C_CAP_WALK,     WW_C_CAP_BASE_WRITE,
                               WW_C_CAP_DIST_WRITE, WW_C_PF_REQUESTED, WW_C_PF_ISSUED,
                               WW_C_CAP_WAKE};
    const ww_arch arch = cap_arch();
    for (size_t i = 0; i < WW_ARRAY_LEN(uses); i++) {
        assert_true(fixture_energy_of(&arch, uses[i]) > 0);
    }
}

/* A line's warp stands in each miss-status register of the L1: more of them are larger, and where
 * there is no L1 there is none. */
static void tags_are_of_the_l1(void **state)
{
    (void)state;
    ww_arch arch = cap_arch();
    const double some = area_of(&arch, "warp tags");
    assert_true(some > 0);
    arch.l1d.mshr_entries *= 2;
    assert_true(area_of(&arch, "warp tags") > some);
    arch.l1d = (ww_cache_params){0};
    assert_near(area_of(&arch, "warp tags"), 0, 0, 0);
    assert_near(fixture_energy_of(&arch, WW_C_CAP_WAKE), 0, 0, 0);
    assert_near(fixture_energy_of(&arch, WW_C_PF_ISSUED), 0, 0, 0);
    assert_true(fixture_energy_of(&arch, WW_C_CAP_LOOKUP) > 0);
}

/* Bytes have the lengths of their runs beside them. Every entry and request of a table takes room;
 * so do the marks of warps that were requested for. */
static void room_is_for_what_is_kept(void **state)
{
    (void)state;
    ww_arch line = cap_arch(), byte = line, wide = line, marked = line, more = line;
    byte.cap.base = WW_CAP_BYTE;
    wide.cap.requests = 4;
    more.cap.strides = 8;
    marked.cap.ahead_only = true;
    assert_near(area_of(&line, "run lengths"), 0, 0, 0);
    assert_true(area_of(&byte, "run lengths") > 0);
    assert_true(fixture_energy_of(&byte, WW_C_CAP_BASE_WRITE) >
                fixture_energy_of(&line, WW_C_CAP_BASE_WRITE));
    assert_true(area_of(&wide, "PerCTA table") > area_of(&line, "PerCTA table"));
    assert_true(area_of(&wide, "request generator") > area_of(&line, "request generator"));
    assert_true(area_of(&marked, "request generator") > area_of(&line, "request generator"));
    assert_true(area_of(&more, "DIST table") > area_of(&line, "DIST table"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uses_cost_energy),
        cmocka_unit_test(tags_are_of_the_l1),
        cmocka_unit_test(room_is_for_what_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
