/* test_cache.c - hits, misses, merges, stalls, replacement, write policies and sectors of one
 * cache. */
#include "perf/mem/mem.h"
#include "tests/support/arch_fixture.h"
#include "tests/support/test.h"

/* A cache under test and the answers of its latest access. */
typedef struct bench {
    ww_cache *cache;
    bool hit;
    ww_cache_eviction evicted;
    uint32_t waiter; /* of the next access; counts up */
} bench;

static bench with(ww_cache_params params)
{
    ww_error err = {0};
    bench b = {0};
    assert_ok(ww_cache_create(&params, NULL, &b.cache, &err), err);
    return b;
}

/* Two sets of two ways, 128 B lines. */
static ww_cache_params tiny(void)
{
    ww_cache_params p = fixture_l1d();
    p.bytes = 512;
    p.ways = 2;
    p.mshr_entries = 4;
    p.mshr_merge = 2;
    return p;
}

static ww_cache_result load(bench *b, uint64_t address)
{
    return ww_cache_access(b->cache, address, UINT32_MAX, false, false, 0, b->waiter++, &b->hit,
                           &b->evicted);
}

static ww_cache_result store(bench *b, uint64_t address, uint32_t mask)
{
    return ww_cache_access(b->cache, address, mask, true, false, 0, b->waiter++, &b->hit,
                           &b->evicted);
}

static ww_cache_result store_local(bench *b, uint64_t address, uint32_t mask)
{
    return ww_cache_access(b->cache, address, mask, true, true, 0, b->waiter++, &b->hit,
                           &b->evicted);
}

static size_t fill(bench *b, uint64_t address)
{
    size_t count;
    (void)ww_cache_fill(b->cache, address, 0, &count, &b->evicted);
    return count;
}

static void bring(bench *b, uint64_t address)
{
    assert_int_equal(load(b, address), WW_CACHE_MISS);
    assert_int_equal(fill(b, address), 1);
}

static void miss_merge_fill_hit(void **state)
{
    (void)state;
    bench b = with(tiny());
    b.waiter = 7;
    assert_int_equal(load(&b, 0x1000), WW_CACHE_MISS);
    assert_int_equal(load(&b, 0x1040), WW_CACHE_MERGED);
    assert_int_equal(load(&b, 0x1000), WW_CACHE_STALL); /* two waiters fill the entry */
    assert_false(ww_cache_idle(b.cache));
    size_t count;
    const uint32_t *waiter = ww_cache_fill(b.cache, 0x1000, 0, &count, &b.evicted);
    assert_int_equal(count, 2);
    assert_int_equal(waiter[0], 7);
    assert_int_equal(waiter[1], 8);
    assert_true(ww_cache_idle(b.cache));
    assert_int_equal(load(&b, 0x107c), WW_CACHE_HIT);
    assert_true(b.hit);
    uint16_t bytes;
    assert_int_equal(ww_cache_fetch_address(b.cache, 0x107c, &bytes), 0x1000);
    assert_int_equal(bytes, 128);
    ww_cache_destroy(b.cache);
}

static void stalls_without_mshr_or_line(void **state)
{
    (void)state;
    ww_cache_params p = tiny();
    bench b = with(p);
    assert_int_equal(load(&b, 0x000), WW_CACHE_MISS); /* set 0 */
    assert_int_equal(load(&b, 0x100), WW_CACHE_MISS);
    assert_int_equal(load(&b, 0x200), WW_CACHE_STALL); /* both ways reserved */
    assert_int_equal(load(&b, 0x080), WW_CACHE_MISS);  /* set 1 */
    assert_int_equal(load(&b, 0x180), WW_CACHE_MISS);
    fill(&b, 0x000);
    assert_int_equal(load(&b, 0x200), WW_CACHE_MISS);
    ww_cache_destroy(b.cache);

    p.allocate = WW_ALLOCATE_ON_FILL; /* then lines do not limit, MSHRs do */
    b = with(p);
    for (uint64_t i = 0; i < 4; i++) {
        assert_int_equal(load(&b, i * 0x100), WW_CACHE_MISS);
    }
    assert_int_equal(load(&b, 0x400), WW_CACHE_STALL);
    ww_cache_destroy(b.cache);
}

static void lru_and_fifo_choose_their_victims(void **state)
{
    (void)state;
    ww_cache_params p = tiny();
    bench b = with(p);
    bring(&b, 0x000);
    bring(&b, 0x100);
    assert_int_equal(load(&b, 0x000), WW_CACHE_HIT); /* 0x100 is now the older */
    bring(&b, 0x200);
    assert_int_equal(load(&b, 0x000), WW_CACHE_HIT);
    assert_int_equal(load(&b, 0x100), WW_CACHE_MISS);
    ww_cache_destroy(b.cache);

    p.replacement = WW_REPLACE_FIFO;
    b = with(p);
    bring(&b, 0x000);
    bring(&b, 0x100);
    assert_int_equal(load(&b, 0x000), WW_CACHE_HIT);
    bring(&b, 0x200);
    assert_int_equal(load(&b, 0x100), WW_CACHE_HIT);
    assert_int_equal(load(&b, 0x000), WW_CACHE_MISS);
    ww_cache_destroy(b.cache);
}

static void allocate_on_fill_keeps_the_victim_until_then(void **state)
{
    (void)state;
    ww_cache_params p = tiny();
    p.allocate = WW_ALLOCATE_ON_FILL;
    bench b = with(p);
    bring(&b, 0x000);
    bring(&b, 0x100);
    assert_int_equal(load(&b, 0x200), WW_CACHE_MISS);
    assert_int_equal(load(&b, 0x000), WW_CACHE_HIT);
    fill(&b, 0x200);
    assert_int_equal(load(&b, 0x200), WW_CACHE_HIT);
    assert_int_equal(load(&b, 0x000), WW_CACHE_HIT);
    assert_int_equal(load(&b, 0x100), WW_CACHE_MISS);
    ww_cache_destroy(b.cache);
}

static void write_through_updates_and_write_evict_drops(void **state)
{
    (void)state;
    ww_cache_params p = tiny();
    p.write_policy = WW_WRITE_THROUGH;
    bench b = with(p);
    bring(&b, 0);
    assert_int_equal(store(&b, 0, 1), WW_CACHE_WRITE_NEXT);
    assert_true(b.hit);
    assert_true(ww_cache_keeps(b.cache, WW_CACHE_WRITE_NEXT, b.hit));
    assert_int_equal(load(&b, 0), WW_CACHE_HIT);
    assert_int_equal(store(&b, 0x1000, 1), WW_CACHE_WRITE_NEXT);
    assert_false(b.hit);
    assert_false(ww_cache_keeps(b.cache, WW_CACHE_WRITE_NEXT, b.hit));
    assert_int_equal(load(&b, 0x1000), WW_CACHE_MISS);
    ww_cache_destroy(b.cache);

    p.write_policy = WW_WRITE_EVICT;
    b = with(p);
    bring(&b, 0);
    assert_int_equal(store(&b, 0, 1), WW_CACHE_WRITE_NEXT);
    assert_true(b.hit);
    assert_false(ww_cache_keeps(b.cache, WW_CACHE_WRITE_NEXT, b.hit)); /* dropped, not written */
    assert_int_equal(load(&b, 0), WW_CACHE_MISS);
    ww_cache_destroy(b.cache);
}

static void fermi_l1_writes_local_back_and_global_through(void **state)
{
    (void)state;
    ww_cache_params p = tiny();
    p.write_allocate = WW_WRITE_ALLOCATE;
    bench b = with(p);
    bring(&b, 0);
    assert_int_equal(store_local(&b, 0, 1), WW_CACHE_WRITE_DONE);
    assert_true(b.hit);
    assert_true(ww_cache_keeps(b.cache, WW_CACHE_WRITE_DONE, b.hit));
    bring(&b, 0x100);
    assert_int_equal(store(&b, 0x100, 1), WW_CACHE_WRITE_NEXT); /* dropped, its way is free */
    bring(&b, 0x200);
    assert_false(b.evicted.dirty);
    assert_int_equal(load(&b, 0x300), WW_CACHE_MISS); /* evicts the local line */
    assert_true(b.evicted.dirty);
    assert_int_equal(b.evicted.address, 0);
    assert_int_equal(b.evicted.sectors, 1);
    ww_cache_destroy(b.cache);
}

static void write_back_with_fetch_waits_for_the_line(void **state)
{
    (void)state;
    ww_cache_params p = tiny();
    p.write_policy = WW_WRITE_BACK;
    p.write_allocate = WW_WRITE_ALLOCATE;
    bench b = with(p);
    assert_int_equal(store(&b, 0, 1), WW_CACHE_MISS);
    assert_int_equal(load(&b, 0x40), WW_CACHE_MERGED);
    assert_int_equal(fill(&b, 0), 2);
    assert_int_equal(load(&b, 0x40), WW_CACHE_HIT);
    assert_int_equal(store(&b, 0x100, UINT32_MAX),
                     WW_CACHE_WRITE_DONE); /* the whole line: no fetch */
    assert_false(b.hit);
    assert_int_equal(load(&b, 0x100), WW_CACHE_HIT);
    assert_int_equal(load(&b, 0x200),
                     WW_CACHE_MISS); /* the first line leaves, dirty since its fill */
    assert_true(b.evicted.dirty);
    assert_int_equal(b.evicted.address, 0);
    ww_cache_destroy(b.cache);
}

/* A store that finds its sector under way makes the line dirty when that arrives. */
static void a_store_that_joins_a_fetch_makes_the_line_dirty(void **state)
{
    (void)state;
    ww_cache_params p = tiny();
    p.write_policy = WW_WRITE_BACK;
    p.write_allocate = WW_WRITE_ALLOCATE;
    bench b = with(p);
    assert_int_equal(load(&b, 0), WW_CACHE_MISS);
    assert_int_equal(store(&b, 4, 2), WW_CACHE_MERGED);
    assert_int_equal(fill(&b, 0), 2);
    bring(&b, 0x100);
    assert_int_equal(load(&b, 0x200), WW_CACHE_MISS); /* the first line leaves */
    assert_true(b.evicted.dirty);
    assert_int_equal(b.evicted.address, 0);
    ww_cache_destroy(b.cache);
}

/* Joining a fetch is a use of the line: another one is the oldest then. */
static void who_joins_a_fetch_uses_the_line(void **state)
{
    (void)state;
    bench b = with(tiny());
    assert_int_equal(load(&b, 0), WW_CACHE_MISS);
    bring(&b, 0x100);
    assert_int_equal(load(&b, 0x40), WW_CACHE_MERGED);
    assert_int_equal(fill(&b, 0), 2);
    assert_int_equal(load(&b, 0x200), WW_CACHE_MISS);
    assert_true(b.evicted.gone);
    assert_int_equal(b.evicted.address, 0x100);
    assert_int_equal(load(&b, 0), WW_CACHE_HIT);
    ww_cache_destroy(b.cache);
}

static void write_back_without_allocation_passes_misses_on(void **state)
{
    (void)state;
    ww_cache_params p = tiny();
    p.write_policy = WW_WRITE_BACK;
    bench b = with(p);
    assert_int_equal(store(&b, 0, 1), WW_CACHE_WRITE_NEXT);
    assert_int_equal(load(&b, 0), WW_CACHE_MISS);
    ww_cache_destroy(b.cache);
}

static ww_cache_params sectored(void)
{
    ww_cache_params p = fixture_l2();
    p.bytes = 512;
    p.ways = 2;
    return p;
}

static void sectors_fill_one_by_one(void **state)
{
    (void)state;
    bench b = with(sectored());
    assert_int_equal(load(&b, 0x00), WW_CACHE_MISS);
    assert_int_equal(load(&b, 0x60), WW_CACHE_MISS); /* other sector, same line: its own fetch */
    uint16_t bytes;
    assert_int_equal(ww_cache_fetch_address(b.cache, 0x74, &bytes), 0x60);
    assert_int_equal(bytes, 32);
    fill(&b, 0x60);
    assert_int_equal(load(&b, 0x60), WW_CACHE_HIT);
    assert_int_equal(load(&b, 0x00), WW_CACHE_MERGED);
    assert_int_equal(load(&b, 0x20), WW_CACHE_MISS);
    assert_int_equal(fill(&b, 0x00), 2);
    assert_int_equal(load(&b, 0x00), WW_CACHE_HIT);
    ww_cache_destroy(b.cache);
}

static void validate_masks_words_and_fetches_lazily(void **state)
{
    (void)state;
    bench b = with(sectored());
    assert_int_equal(store(&b, 0x00, 0x0f), WW_CACHE_WRITE_DONE); /* words 0-3 of the sector */
    assert_false(b.hit);
    assert_int_equal(ww_cache_access(b.cache, 0, 0x0f, false, false, 0, 0, &b.hit, &b.evicted),
                     WW_CACHE_HIT);                  /* those words are there */
    assert_int_equal(load(&b, 0x00), WW_CACHE_MISS); /* the rest is not */
    fill(&b, 0x00);
    assert_int_equal(load(&b, 0x00), WW_CACHE_HIT);
    assert_int_equal(store(&b, 0x20, 0x0f), WW_CACHE_WRITE_DONE);
    assert_int_equal(store(&b, 0x30, 0x0f), WW_CACHE_WRITE_DONE); /* bit 0 is the word at 0x30 */
    assert_true(b.hit);
    assert_int_equal(load(&b, 0x20), WW_CACHE_HIT); /* completed by stores alone */
    bring(&b, 0x100);
    bring(&b, 0x200);
    assert_int_equal(load(&b, 0x00), WW_CACHE_MISS);
    ww_cache_destroy(b.cache);
}

static void lazy_wants_one_store_to_fill_a_sector(void **state)
{
    (void)state;
    ww_cache_params p = sectored();
    p.write_allocate = WW_WRITE_LAZY;
    bench b = with(p);
    assert_int_equal(store(&b, 0x20, 0x0f), WW_CACHE_WRITE_DONE);
    assert_int_equal(store(&b, 0x30, 0x0f), WW_CACHE_WRITE_DONE); /* all words, but in two stores */
    assert_false(b.hit);
    assert_int_equal(ww_cache_access(b.cache, 0x20, 0x0f, false, false, 0, 0, &b.hit, &b.evicted),
                     WW_CACHE_MISS); /* not even what was written */
    fill(&b, 0x20);
    assert_int_equal(load(&b, 0x20), WW_CACHE_HIT);
    assert_int_equal(store(&b, 0x20, 0x01), WW_CACHE_WRITE_DONE);
    assert_true(b.hit);
    assert_int_equal(load(&b, 0x20), WW_CACHE_HIT); /* once there, stores take nothing away */
    assert_int_equal(store(&b, 0x40, 0xff), WW_CACHE_WRITE_DONE);
    assert_int_equal(load(&b, 0x40), WW_CACHE_HIT);
    ww_cache_destroy(b.cache);
}

static void evicted_sectors_are_the_dirty_ones(void **state)
{
    (void)state;
    bench b = with(sectored());
    assert_int_equal(store(&b, 0x20, 0xff), WW_CACHE_WRITE_DONE);
    bring(&b, 0x40);
    assert_int_equal(store(&b, 0x60, 0x01), WW_CACHE_WRITE_DONE);
    bring(&b, 0x100);
    ww_cache_mark_dirty(b.cache, 0x100, 1);
    assert_int_equal(load(&b, 0x200), WW_CACHE_MISS);
    assert_true(b.evicted.dirty);
    assert_int_equal(b.evicted.address, 0);
    assert_int_equal(b.evicted.sectors, 0xa);
    assert_int_equal(load(&b, 0x300), WW_CACHE_MISS);
    assert_true(b.evicted.dirty);
    assert_int_equal(b.evicted.sectors, 1);
    ww_cache_destroy(b.cache);
}

static void set_hashes_spread_power_of_two_strides(void **state)
{
    (void)state;
    const ww_set_index kinds[] = {WW_INDEX_LINEAR, WW_INDEX_XOR, WW_INDEX_FERMI};
    unsigned hits[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        ww_cache_params p = fixture_l1d(); /* 32 sets, 4 ways */
        p.set_index = kinds[k];
        bench b = with(p);
        for (int pass = 0; pass < 2; pass++) {
            for (uint64_t i = 0; i < 16; i++) { /* 16 lines, 8 KiB apart: one set when linear */
                if (load(&b, i * 8192) == WW_CACHE_HIT) {
                    hits[k]++;
                } else {
                    fill(&b, i * 8192);
                }
            }
        }
        ww_cache_destroy(b.cache);
    }
    assert_int_equal(hits[0], 0);
    assert_int_equal(hits[1], 16);
    assert_int_equal(hits[2], 16);
}

static void any_number_of_sets_uses_all_of_the_cache(void **state)
{
    (void)state;
    ww_cache_params p = fixture_l1d();
    p.bytes = 24 * 4 * 128; /* 24 sets */
    bench b = with(p);
    for (uint64_t i = 0; i < 96; i++) {
        bring(&b, i * 128);
    }
    for (uint64_t i = 0; i < 96; i++) {
        assert_int_equal(load(&b, i * 128), WW_CACHE_HIT);
    }
    ww_cache_invalidate(b.cache);
    assert_int_equal(load(&b, 0), WW_CACHE_MISS);
    ww_cache_destroy(b.cache);
}

static void absent_cache_misses_without_memory(void **state)
{
    (void)state;
    ww_cache_params p = tiny();
    p.bytes = 0;
    bench b = with(p);
    assert_int_equal(load(&b, 0), WW_CACHE_MISS);
    assert_int_equal(load(&b, 0), WW_CACHE_MISS);
    assert_int_equal(store(&b, 0, 1), WW_CACHE_WRITE_NEXT);
    assert_int_equal(fill(&b, 0), 0);
    assert_int_equal(load(&b, 0), WW_CACHE_MISS);
    assert_true(ww_cache_idle(b.cache));
    ww_cache_invalidate(b.cache);
    ww_cache_destroy(b.cache);
}

static void impossible_geometry_is_an_error(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_cache *cache = NULL;
    ww_cache_params p = tiny();
    p.line_bytes = 96;
    assert_int_equal(ww_cache_create(&p, NULL, &cache, &err), WW_ERANGE);
    p = tiny();
    p.bytes = 500;
    assert_int_equal(ww_cache_create(&p, NULL, &cache, &err), WW_ERANGE);
    assert_null(cache);
}

/* What it begins with is in the given arena, and is used from there; the rest of it is its own. */
static void a_cache_lies_where_it_is_told(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_arena room = {0};
    bench b = {0};
    ww_cache_params p = tiny();
    assert_ok(ww_cache_create(&p, &room, &b.cache, &err), err);
    const size_t bytes = room.bytes;
    assert_true(bytes > 0);
    assert_int_equal(load(&b, 0), WW_CACHE_MISS);
    assert_true(ww_cache_lock(b.cache, 0, 1));
    assert_int_equal(room.bytes, bytes);
    ww_cache_destroy(b.cache);
    ww_arena_fini(&room);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(miss_merge_fill_hit),
        cmocka_unit_test(stalls_without_mshr_or_line),
        cmocka_unit_test(lru_and_fifo_choose_their_victims),
        cmocka_unit_test(allocate_on_fill_keeps_the_victim_until_then),
        cmocka_unit_test(write_through_updates_and_write_evict_drops),
        cmocka_unit_test(fermi_l1_writes_local_back_and_global_through),
        cmocka_unit_test(write_back_with_fetch_waits_for_the_line),
        cmocka_unit_test(a_store_that_joins_a_fetch_makes_the_line_dirty),
        cmocka_unit_test(who_joins_a_fetch_uses_the_line),
        cmocka_unit_test(write_back_without_allocation_passes_misses_on),
        cmocka_unit_test(sectors_fill_one_by_one),
        cmocka_unit_test(validate_masks_words_and_fetches_lazily),
        cmocka_unit_test(lazy_wants_one_store_to_fill_a_sector),
        cmocka_unit_test(evicted_sectors_are_the_dirty_ones),
        cmocka_unit_test(set_hashes_spread_power_of_two_strides),
        cmocka_unit_test(any_number_of_sets_uses_all_of_the_cache),
        cmocka_unit_test(absent_cache_misses_without_memory),
        cmocka_unit_test(impossible_geometry_is_an_error),
        cmocka_unit_test(a_cache_lies_where_it_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
