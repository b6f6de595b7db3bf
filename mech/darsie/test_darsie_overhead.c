/* test_darsie_overhead.c - do DARSIE's tables store as many bits as the paper says, and cost
 * something when they are used? */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/power/fixture.h"

static ww_arch paper(void)
{
    ww_arch arch = fixture_arch();
    arch.sm.max_warps = 64;
    arch.sm.max_ctas = 32;
    arch.mechs = UINT64_C(1) << WW_MECH_DARSIE;
    arch.darsie = (ww_darsie_params){.entries = 8, .lookups = 2, .registers = 32};
    return arch;
}

/* Section 6.3: 256 entries of 82 bits (printed 20092), 32 masks of 32, 32 x 32 entries of 21: 2624,
 * 128 and 2688 bytes, 5.31 KiB together. */
static void the_bytes_are_the_papers(void **state)
{
    (void)state;
    const unsigned expected[] = {2624, 128, 2688};
    const ww_arch arch = paper();
    ww_power_model *model = fixture_model(&arch);
    size_t n;
    const ww_power_structure *s = ww_power_structures(model, &n);
    unsigned rows = 0, sum = 0, bits;
    for (size_t i = 0; i < n; i++) {
        if (s[i].component == WW_COMPONENT_MECH && strstr(s[i].source, " bits per SM:") != NULL &&
            sscanf(s[i].source, "%u bits per SM", &bits) == 1) {
            assert_true(rows < 3);
            assert_int_equal(bits, 8 * expected[rows++]);
            sum += bits / 8;
        }
    }
    assert_int_equal(rows, 3);
    assert_int_equal(sum, 5440);
    assert_near(sum / 1024.0, 5.31, 0, 0.005);
    /* 2.1 % of a register file of 256 KiB */
    assert_near(sum / (256.0 * 1024), 0.021, 0, 0.0005);
    ww_power_model_destroy(model);
}

/* Every use has an energy; a larger table costs more. */
static void uses_cost_energy(void **state)
{
    (void)state;
    const ww_counter uses[] = {WW_C_DARSIE_LOOKUP,       WW_C_DARSIE_TABLE_WRITE,
                               WW_C_DARSIE_MASK_READ,    WW_C_DARSIE_MASK_WRITE,
                               WW_C_DARSIE_RENAME_READ,  WW_C_DARSIE_RENAME_WRITE,
                               WW_C_DARSIE_VERSION_READ, WW_C_DARSIE_VERSION_WRITE,
                               WW_C_DARSIE_FREELIST,     WW_C_DARSIE_ADD};
    ww_arch arch = paper();
    for (size_t i = 0; i < WW_ARRAY_LEN(uses); i++) {
        assert_true(fixture_energy_of(&arch, uses[i]) > 0);
    }
    const double small = fixture_energy_of(&arch, WW_C_DARSIE_TABLE_WRITE);
    arch.darsie.entries = 64;
    assert_true(fixture_energy_of(&arch, WW_C_DARSIE_TABLE_WRITE) > small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bytes_are_the_papers),
        cmocka_unit_test(uses_cost_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
