/* test_scheduler.c - in what order do the policies pick warps? */
#include "tests/support/test.h"

#include "perf/sm/scheduler.c" /* static, as in the SM */

static ww_sched with_slots(unsigned count)
{
    ww_sched s;
    sched_init(&s, 0xff, 2, WW_PROMOTE_NEXT);
    for (unsigned i = 0; i < count; i++) {
        sched_add(&s, i);
    }
    return s;
}

/* Four slots, of which 0 has the youngest warp. */
static ww_sched with_slot_0_reused(void)
{
    ww_sched s = with_slots(4);
    sched_remove(&s, 0);
    sched_add(&s, 0);
    return s;
}

static uint32_t pick(ww_scheduler kind, ww_sched *s, uint64_t candidates)
{
    uint32_t w = sched_policy_of(kind)->pick(s, candidates);
    s->last = w;
    return w;
}

static void lrr_goes_round(void **state)
{
    (void)state;
    ww_sched s = with_slots(4);
    const uint32_t expected[] = {0, 1, 2, 3, 0};
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(pick(WW_SCHED_LRR, &s, 0xf), expected[i]);
    }
    assert_int_equal(pick(WW_SCHED_LRR, &s, 0xb), 1); /* after 0 */
    assert_int_equal(pick(WW_SCHED_LRR, &s, 0xb), 3); /* 2 is not ready */
    s.last = 63;
    assert_int_equal(pick(WW_SCHED_LRR, &s, 1ull << 63), 63);
}

static void gto_is_greedy_then_oldest(void **state)
{
    (void)state;
    ww_sched s = with_slot_0_reused();
    assert_int_equal(pick(WW_SCHED_GTO, &s, 0xf), 1);
    assert_int_equal(pick(WW_SCHED_GTO, &s, 0xf), 1);
    assert_int_equal(pick(WW_SCHED_GTO, &s, 0xd), 2); /* 1 stalls: the oldest of 0, 2, 3 */
    assert_int_equal(pick(WW_SCHED_GTO, &s, 0xf), 2); /* stays */
    assert_int_equal(pick(WW_SCHED_GTO, &s, 0x9), 3);
    assert_int_equal(pick(WW_SCHED_GTO, &s, 0x1), 0);
}

static void gty_is_greedy_then_youngest(void **state)
{
    (void)state;
    ww_sched s = with_slot_0_reused();
    assert_int_equal(pick(WW_SCHED_GTY, &s, 0xf), 0);
    assert_int_equal(pick(WW_SCHED_GTY, &s, 0xf), 0);
    assert_int_equal(pick(WW_SCHED_GTY, &s, 0x6), 2); /* 0 stalls: the youngest of 1 and 2 */
    assert_int_equal(pick(WW_SCHED_GTY, &s, 0xf), 2); /* stays */
    assert_int_equal(pick(WW_SCHED_GTY, &s, 0x2), 1);
}

static void oldest_is_not_greedy(void **state)
{
    (void)state;
    ww_sched s = with_slots(4);
    assert_int_equal(pick(WW_SCHED_OLDEST, &s, 0xc), 2);
    assert_int_equal(pick(WW_SCHED_OLDEST, &s, 0xf), 0);
}

static void two_level_swaps_waiting_warps(void **state)
{
    (void)state;
    const ww_sched_policy *p = sched_policy_of(WW_SCHED_TWO_LEVEL);
    ww_sched s = with_slots(4);
    assert_int_equal(p->eligible(&s, 0xf, 0), 0x3);
    assert_int_equal(p->eligible(&s, 0xf, 0x1), 0x6); /* 0 waits for memory, 2 takes its place */
    assert_int_equal(p->eligible(&s, 0xf, 0x1), 0x6); /* a fixed point */
    assert_int_equal(p->eligible(&s, 0xf, 0x0), 0x6); /* 0 is back, but has to wait for a place */
    assert_int_equal(p->eligible(&s, 0xf, 0x6), 0x9); /* 3, then 0 */
    assert_int_equal(p->eligible(&s, 0x8, 0x0), 0x8); /* only 3 is left */
}

/* Slots 4 to 6 hold an older CTA than slots 0 to 3. In turn, the slots behind the one promoted last
 * come first; by age, the older CTA's. */
static void promotion_goes_in_turn_or_by_age(void **state)
{
    (void)state;
    const ww_sched_policy *p = sched_policy_of(WW_SCHED_TWO_LEVEL);
    for (unsigned k = 0; k < 2; k++) {
        ww_sched s;
        sched_init(&s, 0x7f, 2, k == 0 ? WW_PROMOTE_NEXT : WW_PROMOTE_OLDEST);
        for (unsigned i = 4; i < 7; i++) {
            sched_add(&s, i);
        }
        for (unsigned i = 0; i < 4; i++) {
            sched_add(&s, i);
        }
        assert_int_equal(p->eligible(&s, 0x7f, 0), k == 0 ? 0x03 : 0x30);
        assert_int_equal(p->eligible(&s, 0x7f, 0x31), k == 0 ? 0x06 : 0x42);
        assert_int_equal(p->eligible(&s, 0x7f, 0x32), k == 0 ? 0x0c : 0x41);
    }
}

/* Pending warps queue up: {0, 1} run first; 1 leaves, then 0, and 2 and 3 have their places. When
 * those wait for nothing any more, 4 goes before them, which has been pending for longer, and 1
 * before 0, which is older but left later. */
static void promotion_goes_by_the_queue(void **state)
{
    (void)state;
    const ww_sched_policy *p = sched_policy_of(WW_SCHED_TWO_LEVEL);
    ww_sched s;
    sched_init(&s, 0x1f, 2, WW_PROMOTE_QUEUE);
    for (unsigned i = 0; i < 5; i++) {
        sched_add(&s, i);
    }
    assert_int_equal(p->eligible(&s, 0x1f, 0), 0x03);
    assert_int_equal(p->eligible(&s, 0x1f, 0x02), 0x05); /* 1 leaves before 0 */
    assert_int_equal(p->eligible(&s, 0x1f, 0x03), 0x0c);
    assert_int_equal(p->eligible(&s, 0x1f, 0x03), 0x0c); /* a fixed point */
    assert_int_equal(p->eligible(&s, 0x1f, 0x04), 0x18); /* 2 leaves: 4 has waited for longest */
    assert_int_equal(p->eligible(&s, 0x1f, 0x0c), 0x12); /* 3 leaves: 1, which left before 0 */
    assert_int_equal(p->eligible(&s, 0x1f, 0x1c), 0x03); /* 4 leaves: 0 */
}

/* Within the active set {0, 1} in turn, or the oldest that is ready: with warp 0 out for memory the
 * set is {1, 2}, and 1 goes on until it is not ready; when 0 is back it has to wait for a place. */
static void two_level_issues_in_turn_or_by_age(void **state)
{
    (void)state;
    static const uint32_t expected[2][6] = {{0, 1, 2, 1, 2, 0}, {0, 0, 1, 1, 2, 0}};
    static const uint64_t waiting[6] = {0, 0, 0x1, 0x1, 0, 0x2};
    static const uint64_t unready[6] = {0, 0, 0, 0, 0x2, 0x4};
    for (unsigned k = 0; k < 2; k++) {
        const ww_scheduler kind = k == 0 ? WW_SCHED_TWO_LEVEL : WW_SCHED_TWO_LEVEL_OLDEST;
        ww_sched s;
        sched_init(&s, 0x7, 2, WW_PROMOTE_OLDEST);
        for (unsigned i = 0; i < 3; i++) {
            sched_add(&s, i);
        }
        for (unsigned i = 0; i < 6; i++) {
            const uint64_t active = sched_policy_of(kind)->eligible(&s, 0x7, waiting[i]);
            assert_int_equal(pick(kind, &s, active & ~unready[i]), expected[k][i]);
        }
    }
}

/* Data that are only just arriving: the warp enters when they are written, not before, and pushes
 * another one out then. */
static void a_wake_lasts_until_the_warp_stops_waiting(void **state)
{
    (void)state;
    const ww_sched_policy *p = sched_policy_of(WW_SCHED_TWO_LEVEL);
    ww_sched s = with_slots(4);
    assert_int_equal(p->eligible(&s, 0xf, 0x8), 0x3);
    sched_wake(&s, 3);
    assert_int_equal(p->eligible(&s, 0xf, 0x8), 0x3);
    assert_int_equal(p->eligible(&s, 0xf, 0x0), 0xa); /* 0 is next in turn to go */
    sched_wake(&s, 2);
    sched_remove(&s, 2); /* a later warp in its slot is not woken */
    sched_add(&s, 2);
    assert_int_equal(p->eligible(&s, 0xf, 0x0), 0xa);
}

/* A mechanism's favourites are chosen and promoted first; one that is woken takes the place of an
 * unfavoured one. */
static void favoured_and_woken_warps_come_first(void **state)
{
    (void)state;
    ww_sched s = with_slots(4);
    s.base = sched_policy_of(WW_SCHED_LRR);
    s.favoured = 0x8;
    assert_int_equal(sched_favouring(WW_SCHED_LRR)->pick(&s, 0xf), 3);
    assert_int_equal(sched_favouring(WW_SCHED_LRR)->pick(&s, 0x6), 1);
    const ww_sched_policy *p = sched_favouring(WW_SCHED_TWO_LEVEL);
    assert_int_equal(p->eligible(&s, 0xf, 0), 0x9); /* 3 before 0, then the next in turn */
    sched_wake(&s, 2);
    assert_int_equal(p->eligible(&s, 0xf, 0), 0xc);
    sched_wake(&s, 2); /* is active already */
    assert_int_equal(p->eligible(&s, 0xf, 0), 0xc);
}

/* CAPS, figure 8: three CTAs of three warps, one scheduler, room for four. Leading warps enter the
 * active set and issue first, and one that is woken pushes another one out. */
enum { A0, A1, A2, B0, B1, B2, C0, C1, C2, WARPS };

static uint64_t set(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return 1ull << a | 1ull << b | 1ull << c | 1ull << d;
}

static ww_sched figure8(void)
{
    ww_sched s;
    sched_init(&s, (1u << WARPS) - 1, 4, WW_PROMOTE_OLDEST);
    for (uint32_t w = 0; w < WARPS; w++) {
        sched_add(&s, w);
    }
    s.base = sched_policy_of(WW_SCHED_TWO_LEVEL);
    return s;
}

static void leading_warps_enter_and_issue_first(void **state)
{
    (void)state;
    const uint64_t live = (1u << WARPS) - 1;
    const ww_sched_policy *p = sched_favouring(WW_SCHED_TWO_LEVEL);
    ww_sched s = figure8();
    assert_int_equal(s.base->eligible(&s, live, 0), set(A0, A1, A2, B0));
    s = figure8();
    s.favoured = 1u << A0 | 1u << B0 | 1u << C0;
    assert_int_equal(p->eligible(&s, live, 0), set(A0, B0, C0, A1));
    static const uint32_t order[] = {A0, B0, C0, A1};
    uint64_t ready = set(A0, B0, C0, A1);
    for (unsigned i = 0; i < 4; i++) { /* each issues once */
        uint32_t w = p->pick(&s, ready);
        assert_int_equal(w, order[i]);
        s.last = w;
        ready &= ~(1ull << w);
    }
    sched_wake(&s, B1); /* its line is there */
    assert_int_equal(p->eligible(&s, live, 0), set(A0, B0, C0, B1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lrr_goes_round),
        cmocka_unit_test(gto_is_greedy_then_oldest),
        cmocka_unit_test(gty_is_greedy_then_youngest),
        cmocka_unit_test(oldest_is_not_greedy),
        cmocka_unit_test(two_level_swaps_waiting_warps),
        cmocka_unit_test(two_level_issues_in_turn_or_by_age),
        cmocka_unit_test(promotion_goes_in_turn_or_by_age),
        cmocka_unit_test(promotion_goes_by_the_queue),
        cmocka_unit_test(a_wake_lasts_until_the_warp_stops_waiting),
        cmocka_unit_test(favoured_and_woken_warps_come_first),
        cmocka_unit_test(leading_warps_enter_and_issue_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
