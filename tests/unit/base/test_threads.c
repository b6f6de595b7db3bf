/* Does a team do every piece of work exactly once, see what its caller wrote, and survive idling?
 */
#include "base/threads.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "tests/support/test.h"

enum { ITEMS = 64, PIECES = 2000 };

typedef struct shop {
    atomic_uint next;
    unsigned done[ITEMS]; /* by whoever took the item */
    unsigned seen[ITEMS]; /* value of `order` that its worker saw */
    unsigned order;       /* written by the caller before each piece */
    atomic_uint zeros, visits;
} shop;

static void work(void *user, unsigned member)
{
    shop *s = user;
    atomic_fetch_add(&s->visits, 1);
    if (member == 0) {
        atomic_fetch_add(&s->zeros, 1);
    }
    for (;;) {
        unsigned i = atomic_fetch_add(&s->next, 1);
        if (i >= ITEMS) {
            return;
        }
        s->done[i]++;
        s->seen[i] = s->order;
    }
}

static void every_item_once(unsigned members)
{
    ww_error err = {0};
    ww_team *team;
    shop s;
    memset(&s, 0, sizeof s);
    assert_ok(ww_team_create(members, &team, &err), err);
    assert_int_equal(ww_team_members(team), members);
    for (unsigned piece = 1; piece <= PIECES; piece++) {
        atomic_store(&s.next, 0);
        s.order = piece;
        ww_team_run(team, work, &s);
        for (unsigned i = 0; i < ITEMS; i++) {
            assert_int_equal(s.done[i], piece);
            assert_int_equal(s.seen[i], piece);
        }
        if (piece % 500 == 0) { /* long enough for all to fall asleep */
            const struct timespec pause = {.tv_nsec = 20000000};
            nanosleep(&pause, NULL);
        }
    }
    assert_int_equal(atomic_load(&s.zeros), PIECES);
    assert_true(atomic_load(&s.visits) >= PIECES && atomic_load(&s.visits) <= members * PIECES);
    ww_team_destroy(team);
}

static void teams_of_all_sizes(void **state)
{
    (void)state;
    for (unsigned members = 1; members <= 8; members *= 2) {
        every_item_once(members);
    }
}

/* Members 0 and 1 each wait for the other: both are at work at once. */
static void meet(void *user, unsigned member)
{
    atomic_uint *there = user;
    const struct timespec start = {.tv_sec = time(NULL)};
    atomic_fetch_or(there, 1u << member);
    while ((atomic_load(there) & 3) != 3 && time(NULL) - start.tv_sec < 60) {
    }
}

static void members_work_at_once(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_team *team;
    atomic_uint there = 0;
    assert_ok(ww_team_create(2, &team, &err), err);
    ww_team_run(team, meet, &there);
    assert_int_equal(atomic_load(&there), 3);
    ww_team_destroy(team);
}

static void no_members_is_one(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_team *team;
    assert_ok(ww_team_create(0, &team, &err), err);
    assert_int_equal(ww_team_members(team), 1);
    ww_team_destroy(team);
    ww_team_destroy(NULL);
    assert_true(ww_processors() >= 1);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    for (size_t k = 1; k <= 3; k++) {
        ww_error err = {0};
        ww_team *team = NULL;
        ww_mem_fail_after(k);
        assert_int_equal(ww_team_create(2, &team, &err), WW_ENOMEM);
        ww_mem_fail_after(0);
        assert_null(team);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(teams_of_all_sizes),
        cmocka_unit_test(members_work_at_once),
        cmocka_unit_test(no_members_is_one),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
