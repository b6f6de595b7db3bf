/* test_progress.c - is the progress line right, and rare enough? */
#include <string.h>

#include "base/progress.h"
#include "tests/support/test.h"

typedef struct sink {
    int lines;
    char last[256];
} sink;

static void keep(void *user, const char *line)
{
    sink *s = user;
    s->lines++;
    snprintf(s->last, sizeof s->last, "%s", line);
}

static void lines_are_rare_and_tell_rate_and_rest(void **state)
{
    (void)state;
    sink s = {0};
    ww_progress p;
    ww_progress_init(&p, "simulate bfs", "warp inst", 10000000, 100.0, keep, &s);
    for (int i = 0; i < 1000; i++) { /* one second in milliseconds */
        ww_progress_update(&p, (uint64_t)i * 2500, 100.0 + i * 1e-3);
    }
    assert_in_range(s.lines, 8, 10);
    ww_progress_update(&p, 5000000, 102.0);
    assert_string_equal(s.last, "simulate bfs: 50 % 5 M warp inst, 2.5 M/s, 2 s left");
    ww_progress_finish(&p);
    assert_string_equal(s.last, "");
}

/* A launch whose CTAs are counted elsewhere, then another that begins anew. */
static void share_tells_the_rest(void **state)
{
    (void)state;
    sink s = {0};
    ww_progress p;
    ww_progress_init(&p, "bfs launch 1", "warp inst", 0, 100.0, keep, &s);
    ww_progress_update_share(&p, 3000000, 0, 101.0);
    assert_string_equal(s.last, "bfs launch 1: 3 M warp inst, 3 M/s");
    ww_progress_update_share(&p, 3000000, 0.25, 103.0);
    assert_string_equal(s.last, "bfs launch 1: 25 % 3 M warp inst, 1 M/s, 9 s left");
    ww_progress_restart(&p, 110.0);
    ww_progress_update_share(&p, 400, 0, 110.0); /* no time has passed to tell a rate from */
    assert_string_equal(s.last, "bfs launch 1: 25 % 3 M warp inst, 1 M/s, 9 s left");
    ww_progress_update_share(&p, 500, 1, 110.5);
    assert_string_equal(s.last, "bfs launch 1: 100 % 500 warp inst, 1 k/s, 0 s left");
}

static void without_total_or_sink(void **state)
{
    (void)state;
    sink s = {0};
    ww_progress p;
    ww_progress_init(&p, "x", "cycles", 0, 0, keep, &s);
    ww_progress_finish(&p);
    assert_int_equal(s.lines, 0); /* nothing was shown, nothing is cleared */
    ww_progress_update(&p, 5000, 2);
    assert_string_equal(s.last, "x: 5 k cycles, 2.5 k/s");
    ww_progress_init(&p, "x", "cycles", 0, 0, NULL, NULL);
    ww_progress_update(&p, 1, 10);
    ww_progress_finish(&p);
    double before = ww_clock_s();
    assert_true(ww_clock_s() >= before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_rare_and_tell_rate_and_rest),
        cmocka_unit_test(share_tells_the_rest),
        cmocka_unit_test(without_total_or_sink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
