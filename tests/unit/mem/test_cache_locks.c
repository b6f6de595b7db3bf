/* test_cache_locks.c - do locked lines stay, and evictions get named? */
#include "tests/support/test.h"

#include "perf/mem/mem.h"
#include "tests/support/arch_fixture.h"

enum { LINE = 128, STRIDE = 4096 }; /* 32 sets of four ways */

static ww_cache *make(ww_write_policy policy)
{
    ww_cache_params p = fixture_l1d();
    ww_cache *cache = NULL;
    ww_error err = {0};
    p.write_policy = policy;
    assert_ok(ww_cache_create(&p, NULL, &cache, &err), err);
    return cache;
}

static ww_cache_eviction bring(ww_cache *c, uint64_t address)
{
    bool hit;
    size_t waiters;
    ww_cache_eviction on_miss = {0}, on_fill = {0};
    assert_int_equal(ww_cache_access(c, address, ~0u, false, false, 0, 7, &hit, &on_miss),
                     WW_CACHE_MISS);
    assert_int_equal(ww_cache_probe(c, address), WW_CACHE_MERGED);
    ww_cache_fill(c, address, 0, &waiters, &on_fill);
    assert_int_equal(waiters, 1);
    assert_int_equal(ww_cache_probe(c, address), WW_CACHE_HIT);
    return on_miss;
}

/* Four ways full, the oldest locked twice: the second oldest goes, until the second unlock. */
static void a_locked_line_stays(void **state)
{
    (void)state;
    ww_cache *c = make(WW_WRITE_LOCAL_BACK);
    for (uint64_t i = 0; i < 4; i++) {
        assert_false(bring(c, i * STRIDE).gone);
    }
    assert_true(ww_cache_lock(c, 0, 2));
    assert_true(ww_cache_lock(c, 64, 2)); /* the same line */
    ww_cache_eviction e = bring(c, 4 * STRIDE);
    assert_true(e.gone && !e.dirty);
    assert_int_equal(e.address, STRIDE);
    ww_cache_unlock(c, 0);
    assert_int_equal(bring(c, 5 * STRIDE).address, 2 * STRIDE);
    ww_cache_unlock(c, 0);
    e = bring(c, 6 * STRIDE);
    assert_true(e.gone && e.address == 0);
    ww_cache_destroy(c);
}

/* At most two locked lines of a set; those of other sets do not count; what is absent cannot be
 * locked. */
static void locks_are_limited(void **state)
{
    (void)state;
    ww_cache *c = make(WW_WRITE_LOCAL_BACK);
    for (uint64_t i = 0; i < 4; i++) {
        bring(c, i * STRIDE);
    }
    bring(c, LINE);
    assert_true(ww_cache_lock(c, 0, 2));
    assert_true(ww_cache_lock(c, STRIDE, 2));
    assert_false(ww_cache_lock(c, 2 * STRIDE, 2));
    assert_true(ww_cache_lock(c, LINE, 2));
    assert_false(ww_cache_lock(c, 9 * STRIDE, 2));
    ww_cache_unlock(c, STRIDE);
    assert_true(ww_cache_lock(c, 2 * STRIDE, 2));
    ww_cache_invalidate(c);
    bring(c, 3 * STRIDE);
    assert_true(ww_cache_lock(c, 3 * STRIDE, 1)); /* nothing else is locked any more */
    ww_cache_destroy(c);
}

/* Every way locked: a miss waits. */
static void a_set_of_locked_lines_stalls(void **state)
{
    (void)state;
    ww_cache *c = make(WW_WRITE_LOCAL_BACK);
    for (uint64_t i = 0; i < 4; i++) {
        bring(c, i * STRIDE);
        assert_true(ww_cache_lock(c, i * STRIDE, 4));
    }
    bool hit;
    ww_cache_eviction e = {0};
    assert_int_equal(ww_cache_access(c, 4 * STRIDE, ~0u, false, false, 0, 7, &hit, &e),
                     WW_CACHE_STALL);
    assert_false(e.gone);
    ww_cache_unlock(c, 2 * STRIDE);
    assert_int_equal(bring(c, 4 * STRIDE).address, 2 * STRIDE);
    ww_cache_destroy(c);
}

/* A store that drops its line (write-evict) takes the lock with it. */
static void a_dropped_line_loses_its_lock(void **state)
{
    (void)state;
    ww_cache *c = make(WW_WRITE_LOCAL_BACK);
    bring(c, 0);
    assert_true(ww_cache_lock(c, 0, 4));
    bool hit;
    ww_cache_eviction e = {0};
    assert_int_equal(ww_cache_access(c, 0, 1, true, false, 0, 7, &hit, &e), WW_CACHE_WRITE_NEXT);
    assert_true(hit && e.gone && !e.dirty && e.address == 0);
    for (uint64_t i = 1; i < 5; i++) {
        assert_false(bring(c, i * STRIDE).gone);
    }
    assert_true(bring(c, 5 * STRIDE).gone);
    ww_cache_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_locked_line_stays),
        cmocka_unit_test(locks_are_limited),
        cmocka_unit_test(a_set_of_locked_lines_stalls),
        cmocka_unit_test(a_dropped_line_loses_its_lock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
