/* test_uv_overhead.c - do UV's structures cost what their parameters say? */
#include "tests/support/test.h"

#include "tests/unit/power/fixture.h"

/* Twice the entries: twice the cells, not the periphery. A search of twice the ways costs more. */
static void structures_follow_the_parameters(void **state)
{
    (void)state;
    ww_arch arch = fixture_arch();
    double area_m2[3], search_j[3];
    const ww_uv_params uv[3] = {{.entries = 256, .ways = 4, .latency = 2},
                                {.entries = 512, .ways = 4, .latency = 2},
                                {.entries = 256, .ways = 8, .latency = 2}};
    arch.sm.max_thread_registers = 63;
    arch.mechs = UINT64_C(1) << WW_MECH_UV;
    for (int k = 0; k < 3; k++) {
        arch.uv = uv[k];
        ww_power_model *model = fixture_model(&arch);
        size_t n;
        const ww_power_event *events = ww_power_events(model, &n);
        area_m2[k] = ww_power_area(model, WW_COMPONENT_MECH);
        search_j[k] = 0;
        for (size_t i = 0; i < n; i++) {
            search_j[k] += events[i].counter[0] == WW_C_UV_LOOKUP ? events[i].value : 0;
        }
        ww_power_model_destroy(model);
    }
    assert_true(area_m2[1] > 1.25 * area_m2[0] && area_m2[1] < 2 * area_m2[0]);
    assert_true(search_j[1] > search_j[0] && search_j[2] > 1.3 * search_j[0]);
}

/* What each event is charged for: a search per look-up of every way, an entry's write per result, a
 * row of the table per check and per mark. With eight ways a search is twice that of four, and a
 * write is not; nothing else is charged. */
static void each_event_pays_for_its_own(void **state)
{
    (void)state;
    static const ww_counter counter[] = {WW_C_UV_CHECK, WW_C_UV_MARK, WW_C_UV_LOOKUP,
                                         WW_C_UV_WRITE};
    enum { EVENTS = WW_ARRAY_LEN(counter) };
    double j[2][EVENTS] = {{0}};
    ww_arch arch = fixture_arch();
    arch.sm.max_thread_registers = 63;
    arch.mechs = UINT64_C(1) << WW_MECH_UV;
    for (int k = 0; k < 2; k++) { /* as many entries in a way */
        arch.uv =
            (ww_uv_params){.entries = k == 0 ? 256 : 512, .ways = k == 0 ? 4 : 8, .latency = 2};
        ww_power_model *model = fixture_model(&arch);
        size_t n, charged = 0;
        const ww_power_event *events = ww_power_events(model, &n);
        for (size_t i = 0; i < n; i++) {
            for (size_t e = 0; e < EVENTS; e++) {
                bool mine = events[i].counter[0] == counter[e];
                j[k][e] += mine ? events[i].value : 0;
                charged += mine;
            }
        }
        assert_int_equal(charged, EVENTS);
        ww_power_model_destroy(model);
    }
    for (size_t e = 0; e < EVENTS; e++) {
        assert_true(j[0][e] > 0);
        assert_near(j[1][e], counter[e] == WW_C_UV_LOOKUP ? 2 * j[0][e] : j[0][e], 1e-9, 0);
    }
    assert_true(j[0][2] > j[0][0]); /* four ways of 194 bits, one row of 70 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structures_follow_the_parameters),
        cmocka_unit_test(each_event_pays_for_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
