/* test_mta.c - which of its strides does many-thread aware prefetching follow, what does its own
 * buffer serve, and does feedback throttle it? */
#include "tests/support/test.h"

#include "mech/mechanisms.h"
#include "mech/mta/throttle.h"
#include "tests/mech/prefetching.h"

static ww_arch mta_arch(uint32_t buffer_bytes)
{
    ww_arch arch = prefetching_arch();
    arch.sm.schedulers = 1;
    arch.mta = (ww_mta_params){.warp_entries = 32,
                               .global_entries = 8,
                               .thread_entries = 8,
                               .agree = 3,
                               .early_high = 0.02,
                               .early_low = 0.01,
                               .merge = 0.15,
                               .buffer_bytes = buffer_bytes,
                               .buffer_ways = 8,
                               .buffer_mshrs = 32,
                               .looks_up_l1d = true,
                               .queue_entries = 32};
    return arch;
}

/* In a loop, as INTRA: from the third iteration on, the next one. */
static void a_loop_is_followed_within_the_warp(void **state)
{
    (void)state;
    ww_arch arch = mta_arch(0);
    machine m;
    run_loop(&m, &arch, &ww_mech_mta, 5, 256, 32);
    assert_int_equal(get(&m, WW_C_PF_REQUESTED), 3);
    assert_int_equal(get(&m, WW_C_PF_USED) + get(&m, WW_C_PF_LATE), 2);
    machine_close(&m);
}

/* An SM that skips the cycles in which its one warp waits sends what is queued as early as one that
 * does not. */
static void sleeping_changes_nothing(void **state)
{
    (void)state;
    ww_arch arch = mta_arch(0);
    uint64_t cycles[2], used[2];
    for (unsigned k = 0; k < 2; k++) {
        machine m;
        set_up_loop(&m, &arch, &ww_mech_mta, 8, 256, 32);
        ww_sm_allow_sleep(m.sm, k == 0);
        cycles[k] = run_cta(&m);
        used[k] = get(&m, WW_C_PF_USED);
        machine_close(&m);
    }
    assert_int_equal(cycles[0], cycles[1]);
    assert_int_equal(used[0], used[1]);
}

/* Without a loop, as INTER: three warps teach it, the third asks for the fourth. */
static void warps_are_followed_without_a_loop(void **state)
{
    (void)state;
    ww_arch arch = mta_arch(0);
    machine m;
    run_warps(&m, &arch, &ww_mech_mta, 3, 8);
    assert_int_equal(get(&m, WW_C_PF_REQUESTED), 1);
    machine_close(&m);
}

/* Lines of the buffer do not enter the L1D: two of five iterations are served beside it. */
static void the_buffer_serves_beside_the_l1d(void **state)
{
    (void)state;
    ww_arch arch = mta_arch(16384);
    machine m;
    run_loop(&m, &arch, &ww_mech_mta, 5, 256, 32);
    assert_int_equal(get(&m, WW_C_PF_ISSUED), 3);
    assert_int_equal(get(&m, WW_C_MTA_BUFFER_READ) + get(&m, WW_C_PF_LATE), 2);
    assert_int_equal(get(&m, WW_C_PF_USED), get(&m, WW_C_MTA_BUFFER_READ));
    assert_int_equal(get(&m, WW_C_L1D_READ_MISS), 3);
    assert_int_equal(get(&m, WW_C_L1D_FILL), get(&m, WW_C_L1D_READ_MISS));
    machine_close(&m);
}

/* Words of one line after another: the third word asks for the fourth, whose line is in the L1D;
 * the fourth for the next line, the fifth for a word of that. A prefetch that does not look there
 * brings the first line once more. */
static void what_the_l1d_has_is_not_brought(void **state)
{
    (void)state;
    for (unsigned blind = 0; blind < 2; blind++) {
        ww_arch arch = mta_arch(16384);
        arch.mta.looks_up_l1d = blind == 0;
        machine m;
        run_loop(&m, &arch, &ww_mech_mta, 5, 32, 32);
        assert_int_equal(get(&m, WW_C_PF_REQUESTED), 3);
        assert_int_equal(get(&m, WW_C_PF_ISSUED), 1 + blind);
        assert_int_equal(get(&m, WW_C_PF_REDUNDANT), 2 - blind);
        machine_close(&m);
    }
}

/* Cycles from the arrival of a load's line in the L1D to the end of its warp. */
static uint64_t cycles_behind_a_fill(const ww_arch *arch)
{
    machine m;
    set_up_warps(&m, arch, NULL, 1, 8);
    start_cta(&m);
    uint64_t filled = until(&m, WW_C_L1D_FILL, 1);
    run_out(&m);
    uint64_t ended = m.now;
    machine_close(&m);
    return ended - filled;
}

/* The third warp asks for the fourth's line, which looks it up a few cycles later: it goes on when
 * the line that is on its way arrives, as behind a fill of the L1D, and nothing is fetched twice.
 */
static void a_load_waits_for_what_is_on_its_way(void **state)
{
    (void)state;
    ww_arch arch = mta_arch(16384);
    arch.mta.looks_up_l1d = false; /* it would wait until the fourth has asked */
    uint64_t behind = cycles_behind_a_fill(&arch);
    machine m;
    set_up_warps(&m, &arch, &ww_mech_mta, 4, 8);
    start_cta(&m);
    uint64_t arrived = until(&m, WW_C_MTA_BUFFER_FILL, 1);
    assert_int_equal(get(&m, WW_C_PF_LATE), 1);
    assert_int_equal(get(&m, WW_C_L1D_FILL), 3); /* the other three are there before it */
    run_out(&m);
    assert_int_equal(m.now - arrived, behind);
    assert_int_equal(get(&m, WW_C_PF_ISSUED), 2); /* and the fourth for a fifth's */
    assert_int_equal(get(&m, WW_C_PF_USED), 0);
    assert_int_equal(get(&m, WW_C_L1D_READ_MISS), 3);
    assert_int_equal(get(&m, WW_C_L1D_FILL), 3);
    machine_close(&m);
}

/* Strides are known from the third iteration on; in a buffer of its own, too. */
static void ceilings_are_in_order(void **state)
{
    (void)state;
    for (unsigned buffer = 0; buffer < 2; buffer++) {
        ww_arch arch = mta_arch(buffer * 16384);
        check_ceilings(&arch, &arch.mta.oracle, &ww_mech_mta, 9, 256, 3);
    }
}

static ww_status nothing(void *state, const ww_arch *arch, ww_error *err)
{
    (void)state;
    (void)arch;
    (void)err;
    return WW_OK;
}

/* A buffer of 8192 lines beside an L1D of fewer: each line in it may wait for its use. */
static void a_buffer_may_be_larger_than_the_l1d(void **state)
{
    (void)state;
    const ww_arch arch = mta_arch(1 << 20);
    const uint32_t lines = arch.mta.buffer_bytes / arch.l1d.line_bytes;
    const ww_prefetcher_kind kind = {
        .bytes = sizeof(ww_prefetcher), .beside = lines, .set_up = nothing};
    machine m;
    set_up_warps(&m, &arch, NULL, 1, 8);
    ww_error err = {0};
    void *p = NULL;
    assert_int_equal(ww_prefetcher_create(&kind, m.sm, &arch, &p, &err), WW_OK);
    for (uint32_t i = 0; i < lines; i++) {
        ww_prefetcher_note(p, (uint64_t)i * arch.l1d.line_bytes, WW_FOR_NOBODY, 0);
    }
    assert_int_equal(((const ww_prefetcher *)p)->outcome.early, 0);
    ww_prefetcher_destroy(p);
    run_cta(&m);
    machine_close(&m);
}

static uint32_t adjusted(uint32_t degree, uint64_t used, uint64_t late, uint64_t early)
{
    mta_throttle t = {.degree = degree, .early_high = 0.02, .early_low = 0.01, .merge = 0.15};
    const ww_prefetch_outcome period = {.issued = 1000, .used = used, .late = late, .early = early};
    mta_throttle_adjust(&t, &period);
    return t.degree;
}

static void feedback_throttles(void **state)
{
    (void)state;
    assert_int_equal(adjusted(2, 900, 50, 30), MTA_NONE); /* 30 of 950: more than 2 % */
    assert_int_equal(adjusted(2, 900, 50, 15), 3);        /* between 1 and 2 % */
    assert_int_equal(adjusted(2, 700, 200, 0), 1);        /* in time they are not, but right */
    assert_int_equal(adjusted(0, 700, 200, 0), 0);
    assert_int_equal(adjusted(2, 950, 50, 0), 3);
    assert_int_equal(adjusted(5, 950, 50, 0), MTA_NONE);
    mta_throttle t = {.degree = 2};
    uint32_t dropped = 0;
    for (unsigned i = 0; i < 50; i++) {
        dropped += mta_throttle_drops(&t);
    }
    assert_int_equal(dropped, 20); /* two fifths */
}

/* Loads whose lines come late, as each is asked for one iteration ahead: two fifths of 40 are left
 * out to the end where nobody looks back, fewer where somebody does now and then. Who looks in
 * every cycle sees prefetches that nobody has come for yet, and leaves more out. */
static void a_period_ends_with_a_look_back(void **state)
{
    (void)state;
    uint64_t left_out[3];
    static const uint32_t period[] = {1000000, 3000, 1};
    for (unsigned k = 0; k < WW_ARRAY_LEN(period); k++) {
        ww_arch arch = mta_arch(0);
        machine m;
        arch.mta.period = period[k];
        arch.mta.start = 2;
        run_loop(&m, &arch, &ww_mech_mta, 42, 256, 32);
        left_out[k] = get(&m, WW_C_MTA_THROTTLED);
        machine_close(&m);
    }
    assert_int_equal(left_out[0], 16);
    assert_true(left_out[1] < left_out[0]);
    assert_true(left_out[2] > left_out[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_is_followed_within_the_warp),
        cmocka_unit_test(sleeping_changes_nothing),
        cmocka_unit_test(warps_are_followed_without_a_loop),
        cmocka_unit_test(the_buffer_serves_beside_the_l1d),
        cmocka_unit_test(what_the_l1d_has_is_not_brought),
        cmocka_unit_test(a_load_waits_for_what_is_on_its_way),
        cmocka_unit_test(ceilings_are_in_order),
        cmocka_unit_test(a_buffer_may_be_larger_than_the_l1d),
        cmocka_unit_test(feedback_throttles),
        cmocka_unit_test(a_period_ends_with_a_look_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
