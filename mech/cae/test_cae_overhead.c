/* test_cae_overhead.c - do CAE's structures follow the machine? */
#include "tests/support/test.h"

#include "tests/unit/power/fixture.h"

/* Half the registers: less area; a base and a stride cost more to read than a tag. */
static void structures_follow_the_machine(void **state)
{
    (void)state;
    double area_m2[2], read_j = 0, check_j = 0, op_j = 0;
    for (unsigned k = 0; k < 2; k++) {
        ww_arch arch = fixture_arch();
        ww_power_model *model = NULL;
        arch.sm.registers = k == 0 ? 32768 : 16384;
        arch.mechs = UINT64_C(1) << WW_MECH_CAE;
        model = fixture_model(&arch);
        area_m2[k] = ww_power_area(model, WW_COMPONENT_MECH);
        size_t n;
        const ww_power_event *events = ww_power_events(model, &n);
        for (size_t i = 0; i < n && k == 0; i++) {
            read_j += events[i].counter[0] == WW_C_CAE_READ ? events[i].value : 0;
            check_j += events[i].counter[0] == WW_C_CAE_CHECK ? events[i].value : 0;
            op_j += events[i].counter[0] == WW_C_CAE_OP ? events[i].value : 0;
        }
        ww_power_model_destroy(model);
    }
    assert_true(area_m2[1] < 0.8 * area_m2[0]);
    assert_true(check_j > 0 && read_j > check_j / 3 && op_j > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structures_follow_the_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
