/* test_victims.c - is it always the line used (LRU) or brought (FIFO) longest ago that leaves a
 * set, of those that are neither awaited nor locked, and none while a way is free? */
#include "perf/mem/mem.h"
#include "tests/support/arch_fixture.h"
#include "tests/support/test.h"

enum { LINES = 400, STEPS = 20000, LINE_BYTES = 128 };

/* What a cache must hold, by line number. */
typedef struct model {
    uint64_t stamp[LINES];
    bool there[LINES], awaited[LINES];
    uint32_t locks[LINES];
    uint64_t clock;
    uint32_t sets, ways;
    bool lru;
} model;

static uint32_t draw(uint64_t *seed, uint32_t n)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(*seed >> 33) % n;
}

static uint32_t held(const model *m, uint32_t set)
{
    uint32_t n = 0;
    for (uint32_t k = set; k < LINES; k += m->sets) {
        n += m->there[k];
    }
    return n;
}

/* The line of a set that must leave; LINES: none can. */
static uint32_t victim(const model *m, uint32_t set)
{
    uint32_t best = LINES;
    for (uint32_t k = set; k < LINES; k += m->sets) {
        if (m->there[k] && !m->awaited[k] && m->locks[k] == 0 &&
            (best == LINES || m->stamp[k] < m->stamp[best])) {
            best = k;
        }
    }
    return best;
}

static void one_load(model *m, ww_cache *cache, uint32_t k)
{
    bool hit;
    ww_cache_eviction evicted;
    bool full = held(m, k % m->sets) == m->ways;
    uint32_t leaves = m->there[k] || !full ? LINES : victim(m, k % m->sets);
    ww_cache_result result = ww_cache_access(cache, (uint64_t)k * LINE_BYTES, UINT32_MAX, false,
                                             false, 0, 0, &hit, &evicted);
    if (result == WW_CACHE_STALL) { /* a waiting list or the registers are full, or every way is */
        assert_true(m->awaited[k] || ww_cache_free_mshrs(cache) == 0 || (full && leaves == LINES));
        assert_false(evicted.gone);
        return;
    }
    assert_int_equal(hit, m->there[k] && !m->awaited[k]);
    assert_int_equal(evicted.gone, leaves != LINES);
    if (leaves != LINES) {
        assert_int_equal(evicted.address, (uint64_t)leaves * LINE_BYTES);
        m->there[leaves] = false;
    }
    m->awaited[k] |= !m->there[k];
    if (!m->there[k] || m->lru) {
        m->stamp[k] = ++m->clock;
    }
    m->there[k] = true;
}

static void one_step(model *m, ww_cache *cache, uint64_t *seed)
{
    uint32_t k = draw(seed, draw(seed, 4) == 0 ? LINES : LINES / 4);
    uint64_t address = (uint64_t)k * LINE_BYTES;
    bool hit;
    size_t waiters;
    ww_cache_eviction evicted;
    switch (draw(seed, 8)) {
    case 0: /* a store puts its line out */
        if (!m->awaited[k]) {
            (void)ww_cache_access(cache, address, 1, true, false, 0, 0, &hit, &evicted);
            assert_int_equal(evicted.gone, m->there[k]);
            m->there[k] = false;
            m->locks[k] = 0;
        }
        break;
    case 1:
        m->locks[k] += ww_cache_lock(cache, address, 2);
        break;
    case 2:
        ww_cache_unlock(cache, address);
        m->locks[k] -= m->locks[k] > 0;
        break;
    case 3:
    case 4:
        for (uint32_t i = 0; i < LINES; i++) {
            uint32_t w = (k + i) % LINES;
            if (m->awaited[w]) {
                (void)ww_cache_fill(cache, (uint64_t)w * LINE_BYTES, 0, &waiters, &evicted);
                assert_false(evicted.gone);
                m->awaited[w] = false;
                break;
            }
        }
        break;
    default:
        one_load(m, cache, k);
    }
}

static void check(uint32_t sets, uint32_t ways, bool lru)
{
    ww_cache_params p = fixture_l1d();
    p.line_bytes = p.sector_bytes = LINE_BYTES;
    p.bytes = sets * ways * LINE_BYTES;
    p.ways = ways;
    p.set_index = WW_INDEX_LINEAR;
    p.replacement = lru ? WW_REPLACE_LRU : WW_REPLACE_FIFO;
    p.allocate = WW_ALLOCATE_ON_MISS;
    p.write_policy = WW_WRITE_EVICT;
    p.mshr_entries = 24;
    p.mshr_merge = 4;
    ww_error err = {0};
    ww_cache *cache;
    assert_ok(ww_cache_create(&p, NULL, &cache, &err), err);
    uint64_t seed = ways;
    for (uint32_t used = ways; used > 0; used /= 2) { /* anew, with fewer ways each time */
        model m = {.sets = sets, .ways = used, .lru = lru};
        ww_cache_use_ways(cache, used);
        for (int i = 0; i < STEPS; i++) {
            one_step(&m, cache, &seed);
        }
    }
    ww_cache_destroy(cache);
}

static void the_oldest_leaves(void **state)
{
    (void)state;
    check(4, 4, true);
    check(4, 4, false);
    check(1, 64, true);
    check(2, 96, false);
    check(1, 256, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_oldest_leaves)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
