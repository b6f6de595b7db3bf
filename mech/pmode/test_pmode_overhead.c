/* test_pmode_overhead.c - does P-mode store as many bits as the paper says, and cost what its
 * parameters say? */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/power/fixture.h"

static ww_arch paper(void)
{
    ww_arch arch = fixture_arch();
    arch.sm.max_thread_registers = 63;
    arch.sm.max_warps = 48;
    arch.mechs = UINT64_C(1) << WW_MECH_PMODE;
    arch.pmode = (ww_pmode_params){.queue_entries = 8,
                                   .pool_registers = 128,
                                   .stack_entries = 8,
                                   .rename_energy = 2.94e-12,
                                   .queue_energy = 4.15e-12,
                                   .switch_energy = 100e-12};
    return arch;
}

/* Section 5.3: 768 + 126 + 334 + 1008 = 2236 bits per warp, and 128 bits: 13,432 bytes per SM. */
static void the_bits_are_the_papers(void **state)
{
    (void)state;
    ww_arch arch = paper();
    ww_power_model *model = fixture_model(&arch);
    size_t n;
    const ww_power_structure *s = ww_power_structures(model, &n);
    unsigned sum = 0, rows = 0, bits;
    for (size_t i = 0; i < n; i++) {
        if (s[i].component == WW_COMPONENT_MECH &&
            sscanf(s[i].source, "%u bits per SM", &bits) == 1) {
            sum += bits;
            rows++;
        }
    }
    assert_int_equal(rows, 7);
    assert_int_equal(sum, 2236 * 48 + 128);
    assert_int_equal(sum / 8, 13432);
    ww_power_model_destroy(model);
}

/* Without a P-queue, 334 bits less. */
static void no_queue_no_bits(void **state)
{
    (void)state;
    ww_arch arch = paper();
    ww_power_model *with = fixture_model(&arch);
    double area_m2 = ww_power_area(with, WW_COMPONENT_MECH);
    /* under half a square millimetre per SM: 2.3 % of the paper's 22 mm2 */
    assert_true(area_m2 / arch.sm.count < 0.5e-6);
    arch.pmode.queue_entries = 0;
    ww_power_model *without = fixture_model(&arch);
    assert_true(ww_power_area(without, WW_COMPONENT_MECH) < area_m2);
    ww_power_model_destroy(with);
    ww_power_model_destroy(without);
}

/* The energies of events are the paper's. */
static void energies_are_parameters(void **state)
{
    (void)state;
    ww_arch arch = paper();
    ww_power_model *model = fixture_model(&arch);
    size_t n;
    const ww_power_event *events = ww_power_events(model, &n);
    unsigned seen = 0;
    for (size_t i = 0; i < n; i++) {
        double pj = events[i].value * 1e12;
        switch (events[i].counter[0]) {
        case WW_C_PMODE_SWITCH:
            assert_near(pj, 100, 0, 1e-9);
            seen++;
            break;
        case WW_C_PMODE_RENAME_READ:
        case WW_C_PMODE_RENAME_WRITE:
            assert_near(pj, 2.94, 0, 1e-9);
            seen++;
            break;
        case WW_C_PMODE_QUEUE_READ:
        case WW_C_PMODE_QUEUE_WRITE:
        case WW_C_PMODE_READY:
            assert_near(pj, 4.15, 0, 1e-9);
            seen++;
            break;
        default:
            break;
        }
    }
    assert_int_equal(seen, 6);
    ww_power_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bits_are_the_papers),
        cmocka_unit_test(no_queue_no_bits),
        cmocka_unit_test(energies_are_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
