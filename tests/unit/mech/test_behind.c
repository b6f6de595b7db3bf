/* test_behind.c - do lines that come behind their use come once, in the order of their addresses,
 * and hold accesses back only when too many are still to come? */
#include "tests/support/test.h"

#include <string.h>

#include "mech/lib/behind.h"

enum { LINE = 128, LATENCY = 7 };

/* What the SM would have been asked for. */
static struct {
    uint64_t line[2 * WW_BEHIND_MOST], ready;
    uint32_t lines, flight, served;
    bool busy;
} asked;

ww_inject_result __wrap_ww_mech_inject(ww_sm *sm, uint64_t address, uint32_t reserve, uint64_t now);
void __wrap_ww_mech_serve(ww_sm *sm, uint32_t flight, uint64_t ready, uint64_t now);

ww_inject_result __wrap_ww_mech_inject(ww_sm *sm, uint64_t address, uint32_t reserve, uint64_t now)
{
    (void)sm;
    (void)now;
    assert_int_equal(reserve, 0);
    if (asked.busy) {
        return WW_INJECT_BUSY;
    }
    asked.line[asked.lines++] = address / LINE;
    return WW_INJECT_SENT;
}

void __wrap_ww_mech_serve(ww_sm *sm, uint32_t flight, uint64_t ready, uint64_t now)
{
    (void)sm;
    (void)now;
    asked.flight = flight;
    asked.ready = ready;
    asked.served++;
}

static ww_behind behind;

static int set_up(void **state)
{
    (void)state;
    memset(&asked, 0, sizeof asked);
    ww_behind_clear(&behind, WW_BEHIND_MOST);
    return 0;
}

/* When its data are there; 0: it is made as any other. */
static uint64_t access_line(uint64_t line, uint32_t flight, uint64_t now)
{
    const ww_mech_access access = {.address = line * LINE, .flight = flight};
    uint64_t ready = 0;
    return ww_behind_serve_late(&behind, &access, LATENCY, now, &ready) ? ready : 0;
}

static void a_line_comes_once_and_in_its_place(void **state)
{
    static const uint64_t used[] = {5, 3, 9, 3, 5}, come[] = {3, 5, 9};
    (void)state;
    for (unsigned i = 0; i < WW_ARRAY_LEN(used); i++) {
        assert_int_equal(access_line(used[i], i, 100), 100 + LATENCY);
    }
    for (unsigned i = 0; i < 5; i++) {
        ww_behind_send(&behind, NULL, 101 + i);
    }
    assert_int_equal(asked.lines, WW_ARRAY_LEN(come));
    assert_memory_equal(asked.line, come, sizeof come);
}

/* Lines that join on the way upward wait for their turn, lower ones until it begins again. */
static void the_order_goes_upward_and_begins_again(void **state)
{
    static const uint64_t come[] = {5, 6, 9, 2};
    (void)state;
    assert_true(access_line(5, 0, 1) > 0 && access_line(9, 1, 1) > 0);
    ww_behind_send(&behind, NULL, 2);
    assert_true(access_line(2, 2, 3) > 0 && access_line(6, 3, 3) > 0);
    for (unsigned i = 0; i < 3; i++) {
        ww_behind_send(&behind, NULL, 4 + i);
    }
    assert_int_equal(asked.lines, WW_ARRAY_LEN(come));
    assert_memory_equal(asked.line, come, sizeof come);
}

/* One that finds the L1D busy is asked for again. */
static void a_busy_l1d_loses_no_line(void **state)
{
    (void)state;
    assert_true(access_line(4, 0, 1) > 0);
    asked.busy = true;
    ww_behind_send(&behind, NULL, 2);
    assert_int_equal(asked.lines, 0);
    asked.busy = false;
    ww_behind_send(&behind, NULL, 3);
    assert_int_equal(asked.lines, 1);
    assert_int_equal(asked.line[0], 4);
}

/* With as many lines to come as are kept, an access gets its data when one of them has gone; that
 * to a line among them at once. So it waits for the memory's rate, and for no latency. */
static void an_access_waits_for_a_place_alone(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < WW_BEHIND_MOST; i++) {
        assert_int_equal(access_line(2 * i, i, 1), 1 + LATENCY);
    }
    assert_int_equal(access_line(2, 2000, 2), 2 + LATENCY);
    assert_true(access_line(1, 2001, 2) == UINT64_MAX);
    assert_true(access_line(1, 2002, 2) == UINT64_MAX);
    assert_true(access_line(3, 2003, 2) == UINT64_MAX);
    ww_behind_send(&behind, NULL, 10);
    assert_int_equal(asked.line[0], 0);
    assert_int_equal(asked.served, 2); /* both of line 1, in one place */
    assert_int_equal(asked.flight, 2002);
    assert_int_equal(asked.ready, 10 + LATENCY);
    ww_behind_send(&behind, NULL, 11);
    assert_int_equal(asked.line[1], 1);
    assert_int_equal(asked.served, 3);
    assert_int_equal(asked.flight, 2003);
}

/* Of lines 3 (two parts), 5 and 9, another access brings 3 and later 9: 5 alone is asked for. A
 * line that is used again after it came is behind its use again. */
static void what_another_access_brought_does_not_come_again(void **state)
{
    static const uint64_t come[] = {5, 9};
    (void)state;
    const ww_mech_access part = {.address = 3 * LINE + LINE / 2};
    uint64_t ready;
    assert_true(ww_behind_serve(&behind, &part, LATENCY, 1, &ready));
    assert_true(access_line(3, 0, 1) > 0 && access_line(5, 1, 1) > 0 && access_line(9, 2, 1) > 0);
    ww_behind_came(&behind, 3 * LINE, LINE);
    ww_behind_came(&behind, 4 * LINE, LINE); /* not among them */
    ww_behind_came(&behind, 9 * LINE, LINE);
    assert_int_equal(behind.count, 1);
    assert_true(access_line(9, 3, 2) > 0);
    for (unsigned i = 0; i < 4; i++) {
        ww_behind_send(&behind, NULL, 3 + i);
    }
    assert_int_equal(asked.lines, WW_ARRAY_LEN(come));
    assert_memory_equal(asked.line, come, sizeof come);
}

/* Of two accesses that wait for a place, each takes one that a line which came by itself leaves. */
static void places_of_lines_that_came_are_taken(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < WW_BEHIND_MOST; i++) {
        assert_true(access_line(2 * i, i, 1) > 0);
    }
    assert_true(access_line(1, 2001, 2) == UINT64_MAX && access_line(3, 2002, 2) == UINT64_MAX);
    ww_behind_came(&behind, 4 * LINE, LINE);
    ww_behind_came(&behind, 6 * LINE, LINE);
    assert_int_equal(asked.served, 0);
    asked.busy = true;
    ww_behind_send(&behind, NULL, 10);
    assert_int_equal(asked.served, 2);
    assert_int_equal(asked.ready, 10 + LATENCY);
}

static void what_nothing_is_kept_for_goes_its_own_way(void **state)
{
    (void)state;
    const ww_mech_access access = {.address = 1 * LINE};
    uint64_t ready;
    for (uint32_t i = 0; i < WW_BEHIND_MOST; i++) {
        assert_true(access_line(2 * i, i, 1) > 0);
    }
    assert_false(ww_behind_serve(&behind, &access, LATENCY, 1, &ready));
    ww_behind_clear(&behind, WW_BEHIND_MOST);
    for (uint32_t i = 0; i < WW_BEHIND_MOST + WW_BEHIND_PUT_OFF; i++) {
        assert_true(access_line(i, i, 1) > 0);
    }
    assert_int_equal(access_line(WW_BEHIND_MOST + WW_BEHIND_PUT_OFF, 0, 1), 0);
}

/* Of five lines where there is room for four, the fifth waits until one has come. */
static void no_more_are_behind_than_there_is_room_for(void **state)
{
    (void)state;
    ww_behind_clear(&behind, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(access_line(i, i, 1) == 1 + LATENCY);
    }
    assert_true(access_line(4, 4, 1) == UINT64_MAX);
    ww_behind_send(&behind, NULL, 10);
    assert_int_equal(asked.served, 1);
    assert_int_equal(asked.flight, 4);
    assert_int_equal(behind.count, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_line_comes_once_and_in_its_place, set_up),
        cmocka_unit_test_setup(the_order_goes_upward_and_begins_again, set_up),
        cmocka_unit_test_setup(a_busy_l1d_loses_no_line, set_up),
        cmocka_unit_test_setup(an_access_waits_for_a_place_alone, set_up),
        cmocka_unit_test_setup(what_another_access_brought_does_not_come_again, set_up),
        cmocka_unit_test_setup(places_of_lines_that_came_are_taken, set_up),
        cmocka_unit_test_setup(what_nothing_is_kept_for_goes_its_own_way, set_up),
        cmocka_unit_test_setup(no_more_are_behind_than_there_is_room_for, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
