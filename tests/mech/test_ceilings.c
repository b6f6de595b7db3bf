/* test_ceilings.c - are lines that come behind their use told of those that other accesses have
 * brought, and are they no more than the room's lines ahead have place for, in every room that has
 * such a ceiling? What is told is noted in place of the list. */
#include "tests/support/test.h"

#include <string.h>

#include "mech/lib/behind.h"
#include "mech/mechanisms.h"
#include "tests/mech/prefetching.h"

enum { WARPS = 6, STEP_SHIFT = 8 };

static struct {
    uint32_t most; /* lines that may be behind */
    uint32_t count, bytes;
    uint64_t address[64];
} told;

void __wrap_ww_behind_came(ww_behind *b, uint64_t address, uint32_t bytes);
void __wrap_ww_behind_came(ww_behind *b, uint64_t address, uint32_t bytes)
{
    (void)b;
    assert_true(told.count < WW_ARRAY_LEN(told.address));
    told.address[told.count++] = address;
    told.bytes = bytes;
}

void __real_ww_behind_clear(ww_behind *b, uint32_t most);
void __wrap_ww_behind_clear(ww_behind *b, uint32_t most);
void __wrap_ww_behind_clear(ww_behind *b, uint32_t most)
{
    told.most = most;
    __real_ww_behind_clear(b, most);
}

static ww_arch ceiling_arch(void)
{
    ww_arch arch = prefetching_arch();
    arch.cap =
        (ww_cap_params){.entries = 4, .strides = 4, .requests = 4, .oracle = WW_CAP_ORACLE_AHEAD};
    arch.dac = (ww_dac_params){.atq = 24,
                               .pwaq = 192,
                               .pwpq = 192,
                               .stack = 8,
                               .lock_ways = 2,
                               .oracle = WW_DAC_ORACLE_AHEAD};
    arch.mta = (ww_mta_params){.warp_entries = 32,
                               .global_entries = 8,
                               .thread_entries = 8,
                               .agree = WARPS + 1, /* it asks for nothing itself */
                               .buffer_ways = 8,
                               .buffer_mshrs = 32,
                               .queue_entries = 32,
                               .oracle = WW_PREFETCH_ORACLE_AHEAD};
    arch.lap = (ww_lap_params){.lines = 4,
                               .misses = 2,
                               .entries = 64,
                               .queue_entries = 32,
                               .oracle = WW_PREFETCH_ORACLE_AHEAD};
    arch.nlp =
        (ww_nlp_params){.degree = 1, .queue_entries = 32, .oracle = WW_PREFETCH_ORACLE_AHEAD};
    arch.pmode = (ww_pmode_params){.pool_registers = 128,
                                   .stack_entries = 8,
                                   .reach_bytes = 512,
                                   .oracle = WW_PMODE_ORACLE_AHEAD};
    return arch;
}

static uint32_t lines_of(const ww_arch *arch)
{
    return arch->l1d.bytes / arch->l1d.sector_bytes;
}

/* Each warp's own load brings a line, and each line is told of once. */
static void all_lines_are_told(const ww_arch *arch, const ww_mech *mech, uint32_t room)
{
    machine m;
    memset(&told, 0, sizeof told);
    run_warps(&m, arch, mech, WARPS, STEP_SHIFT);
    assert_int_equal(told.most, room);
    assert_int_equal(get(&m, WW_C_L1D_FILL), WARPS);
    assert_int_equal(told.count, WARPS);
    assert_int_equal(told.bytes, arch->l1d.sector_bytes);
    for (uint32_t w = 0; w < WARPS; w++) {
        uint32_t times = 0;
        for (uint32_t i = 0; i < told.count; i++) {
            times += told.address[i] == first_address() + ((uint64_t)w << STEP_SHIFT);
        }
        assert_int_equal(times, 1);
    }
    machine_close(&m);
}

static void cap_tells_of_lines(void **state)
{
    const ww_arch arch = ceiling_arch();
    (void)state;
    all_lines_are_told(&arch, &ww_mech_cap, lines_of(&arch));
}

static void dac_tells_of_lines(void **state)
{
    const ww_arch arch = ceiling_arch();
    (void)state;
    /* two ways of each set, the others are for demands */
    all_lines_are_told(&arch, &ww_mech_dac, lines_of(&arch) / arch.l1d.ways * 2);
}

static void mta_tells_of_lines(void **state)
{
    (void)state;
    for (uint32_t buffer = 0; buffer < 2; buffer++) {
        ww_arch arch = ceiling_arch();
        arch.mta.buffer_bytes = buffer * 16384;
        all_lines_are_told(&arch, &ww_mech_mta,
                           buffer > 0 ? arch.mta.buffer_bytes / arch.l1d.line_bytes
                                      : lines_of(&arch));
    }
}

static void pmode_tells_of_lines(void **state)
{
    const ww_arch arch = ceiling_arch();
    (void)state;
    all_lines_are_told(&arch, &ww_mech_pmode, lines_of(&arch));
}

/* They ask for lines between those that are read. */
static void lap_and_nlp_tell_of_lines(void **state)
{
    const ww_arch arch = ceiling_arch();
    (void)state;
    all_lines_are_told(&arch, &ww_mech_lap, lines_of(&arch));
    all_lines_are_told(&arch, &ww_mech_nlp, lines_of(&arch));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cap_tells_of_lines),        cmocka_unit_test(dac_tells_of_lines),
        cmocka_unit_test(mta_tells_of_lines),        cmocka_unit_test(pmode_tells_of_lines),
        cmocka_unit_test(lap_and_nlp_tell_of_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
