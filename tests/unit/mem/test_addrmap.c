/* test_addrmap.c - is the address map one-to-one, and does it spread what should be spread? */
#include <string.h>

#include "perf/mem/addrmap.h"
#include "tests/support/arch_fixture.h"
#include "tests/support/test.h"

static ww_addrmap map_of(const ww_arch *arch)
{
    ww_error err = {0};
    ww_addrmap map;
    assert_ok(ww__addrmap_init(&map, arch, &err), err);
    return map;
}

static void chunks_go_round_all_channels_first(void **state)
{
    (void)state;
    ww_arch arch = fixture_arch();
    ww_addrmap map = map_of(&arch);
    const uint32_t expected[] = {0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11, 0};
    for (uint64_t i = 0; i < 13; i++) {
        assert_int_equal(ww__addrmap_slice(&map, i * 256 + 255).slice, expected[i]);
    }
    assert_int_equal(ww__addrmap_slice(&map, 12 * 256 + 17).local, 256 + 17);
}

static void slice_addresses_are_invertible(void **state)
{
    (void)state;
    const uint32_t channels[] = {1, 2, 6, 11, 32};
    for (size_t c = 0; c < 5; c++) {
        for (int hash = 0; hash < 2; hash++) {
            ww_arch arch = fixture_arch();
            arch.mem.channels = channels[c];
            arch.mem.hash_channels = hash != 0;
            ww_addrmap map = map_of(&arch);
            uint64_t seed = 3;
            for (int i = 0; i < 2000; i++) {
                seed = seed * UINT64_C(6364136223846793005) + 1;
                uint64_t address = seed >> 28;
                ww_slice_address at = ww__addrmap_slice(&map, address);
                assert_true(at.slice < channels[c] * 2);
                assert_int_equal(ww__addrmap_global(&map, at.slice, at.local), address);
            }
        }
    }
}

static void hash_spreads_a_stride_that_hits_one_slice(void **state)
{
    (void)state;
    ww_arch arch = fixture_arch();
    for (int hash = 0; hash < 2; hash++) {
        arch.mem.channels = 8;
        arch.mem.hash_channels = hash != 0;
        ww_addrmap map = map_of(&arch);
        uint32_t used = 0;
        for (uint64_t i = 0; i < 64; i++) {
            used |= 1u << ww__addrmap_slice(&map, i * 256 * 16).slice;
        }
        int count = __builtin_popcount(used);
        assert_true(hash ? count >= 12 : count == 1);
    }
}

static void dram_coordinates_are_distinct_and_in_range(void **state)
{
    (void)state;
    ww_arch arch = fixture_arch();
    arch.mem.channels = 1;
    ww_addrmap map = map_of(&arch);
    enum { CHUNKS = 16 * 16 * 4 }; /* four rows of all banks */
    static unsigned char seen[4][16][16];
    memset(seen, 0, sizeof(seen));
    for (uint64_t i = 0; i < CHUNKS; i++) {
        ww_dram_address at = ww__addrmap_dram(&map, (uint32_t)(i % 2), i / 2 * 256);
        assert_true(at.row < 4 && at.bank < 16 && at.column < 4096);
        assert_int_equal(at.group, at.bank % 4);
        assert_int_equal(seen[at.row][at.bank][at.column / 256]++, 0);
    }
}

static void streams_alternate_bank_groups_and_equal_offsets_differ(void **state)
{
    (void)state;
    ww_arch arch = fixture_arch();
    arch.mem.channels = 1;
    arch.mem.slices = 1;
    ww_addrmap map = map_of(&arch);
    uint32_t groups = 0;
    for (uint64_t i = 0; i < 4; i++) {
        groups |= 1u << ww__addrmap_dram(&map, 0, i * 256).group;
    }
    assert_int_equal(groups, 0xf);
    uint32_t banks = 0;
    for (uint64_t i = 0; i < 16; i++) { /* same offset in consecutive rows */
        banks |= 1u << ww__addrmap_dram(&map, 0, i * 16 * 4096).bank;
    }
    assert_int_equal(banks, 0xffff);
}

static void unfit_interleave_is_an_error(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_addrmap map;
    ww_arch arch = fixture_arch();
    arch.mem.interleave_bytes = 64;
    assert_int_equal(ww__addrmap_init(&map, &arch, &err), WW_ERANGE);
    arch.mem.interleave_bytes = 384;
    assert_int_equal(ww__addrmap_init(&map, &arch, &err), WW_ERANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_go_round_all_channels_first),
        cmocka_unit_test(slice_addresses_are_invertible),
        cmocka_unit_test(hash_spreads_a_stride_that_hits_one_slice),
        cmocka_unit_test(dram_coordinates_are_distinct_and_in_range),
        cmocka_unit_test(streams_alternate_bank_groups_and_equal_offsets_differ),
        cmocka_unit_test(unfit_interleave_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
