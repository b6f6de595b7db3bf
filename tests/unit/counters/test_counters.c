/* test_counters.c - is the counter table sound, and does arithmetic on sets do what its header
 * says? */
#include "tests/support/test.h"

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"
#include "counters/counters.h"

static void test_names_are_unique_and_found(void **state)
{
    (void)state;
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        const ww_counter_info *info = ww_counter_describe((ww_counter)c);
        assert_non_null(info->name);
        assert_int_equal(ww_counter_find(info->name), c);
        assert_true(info->meaning[0] != '\0');
    }
    assert_int_equal(ww_counter_find("sm.rf.reed"), WW_COUNTER_COUNT);
    assert_int_equal(ww_counter_find(""), WW_COUNTER_COUNT);
}

/* A name starts with the instance it is counted in. */
static void test_names_tell_the_scope(void **state)
{
    (void)state;
    static const char *const prefix[] = {"sm.", "slice.", "channel.", "chip."};
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        const ww_counter_info *info = ww_counter_describe((ww_counter)c);
        const char *want = prefix[info->scope];
        if (strncmp(info->name, want, strlen(want)) != 0) {
            fail_msg("%s is of scope %s", info->name, want);
        }
    }
}

static void test_consumers_are_known_words(void **state)
{
    (void)state;
    static const char *const words[] = {"RF",  "EU", "WCU", "LDSTU", "BP",     "CP",
                                        "NOC", "MC", "GM",  "MECH",  "METRIC", "INFO"};
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        const ww_counter_info *info = ww_counter_describe((ww_counter)c);
        const char *p = info->consumers;
        assert_true(*p != '\0');
        while (*p != '\0') {
            size_t n = strcspn(p, ",");
            bool known = false;
            for (size_t i = 0; i < WW_ARRAY_LEN(words); i++) {
                known = known || (strlen(words[i]) == n && strncmp(words[i], p, n) == 0);
            }
            if (!known) {
                fail_msg("%s: unknown consumer in '%s'", info->name, info->consumers);
            }
            p += n + (p[n] == ',');
        }
    }
}

static void fill(ww_counter_set *set, uint64_t seed)
{
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        ww_scope scope = ww_counter_describe((ww_counter)c)->scope;
        for (uint32_t i = 0; i < set->count[scope]; i++) {
            set->block[scope][i].v[c] = seed * 1000 + (uint64_t)c * 7 + i;
        }
    }
}

static void test_add_and_sub_undo_each_other(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_counter_set a, b, sum, back;
    assert_ok(ww_counter_set_init(&a, 3, 2, 1, &err), err);
    assert_ok(ww_counter_set_init(&b, 3, 2, 1, &err), err);
    assert_ok(ww_counter_set_init(&sum, 3, 2, 1, &err), err);
    assert_ok(ww_counter_set_init(&back, 3, 2, 1, &err), err);
    fill(&a, 5);
    fill(&b, 9);
    assert_ok(ww_counter_set_copy(&sum, &a, &err), err);
    assert_ok(ww_counter_set_add(&sum, &b, &err), err);
    assert_ok(ww_counter_set_sub(&back, &sum, &b, &err), err);
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        assert_int_equal(ww_counter_total(&back, (ww_counter)c),
                         ww_counter_total(&a, (ww_counter)c));
        assert_int_equal(ww_counter_total(&sum, (ww_counter)c),
                         ww_counter_total(&a, (ww_counter)c) + ww_counter_total(&b, (ww_counter)c));
    }
    ww_counter_set_clear(&sum);
    assert_int_equal(ww_counter_total(&sum, WW_C_RF_READ), 0);
    ww_counter_set_fini(&a);
    ww_counter_set_fini(&a);
    ww_counter_set_fini(&b);
    ww_counter_set_fini(&sum);
    ww_counter_set_fini(&back);
}

static void assert_same(const ww_counter_set *a, const ww_counter_set *b)
{
    for (int s = 0; s < WW_SCOPE_COUNT; s++) {
        assert_int_equal(a->count[s], b->count[s]);
        assert_memory_equal(a->block[s], b->block[s], a->count[s] * sizeof(ww_counter_block));
    }
}

/* Blocks that are zero, of which a copy need not write any, and others side by side. */
static void test_a_clone_equals_and_stands_alone(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_counter_set a, zero, clone;
    assert_ok(ww_counter_set_init(&a, 3, 2, 1, &err), err);
    assert_ok(ww_counter_set_init(&zero, 3, 2, 1, &err), err);
    a.block[WW_SCOPE_SM][1].v[0] = 7;
    a.block[WW_SCOPE_CHANNEL][0].v[WW_COUNTER_COUNT - 1] = 9;
    assert_ok(ww_counter_set_clone(&clone, &a, &err), err);
    assert_same(&clone, &a);
    ww_counter_set_clear(&a);
    assert_same(&a, &zero);
    assert_int_equal(clone.block[WW_SCOPE_SM][1].v[0], 7);
    ww_counter_set_fini(&a);
    ww_counter_set_fini(&zero);
    ww_counter_set_fini(&clone);
}

static void test_total_covers_only_its_scope(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_counter_set set;
    assert_ok(ww_counter_set_init(&set, 4, 6, 3, &err), err);
    for (uint32_t i = 0; i < 4; i++) {
        set.block[WW_SCOPE_SM][i].v[WW_C_RF_READ] = 10 + i;
    }
    set.block[WW_SCOPE_SLICE][5].v[WW_C_RF_READ] = 1000; /* a row of another scope */
    assert_int_equal(ww_counter_total(&set, WW_C_RF_READ), 46);
    ww_counter_set_fini(&set);
}

static void test_wrong_shapes_and_negative_results_are_errors(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_counter_set a, b;
    assert_ok(ww_counter_set_init(&a, 2, 2, 2, &err), err);
    assert_ok(ww_counter_set_init(&b, 3, 2, 2, &err), err);
    assert_int_equal(ww_counter_set_add(&a, &b, &err), WW_EINTERNAL);
    assert_int_equal(ww_counter_set_copy(&a, &b, &err), WW_EINTERNAL);
    assert_int_equal(ww_counter_set_sub(&a, &b, &b, &err), WW_EINTERNAL);
    ww_counter_set_fini(&b);
    assert_ok(ww_counter_set_init(&b, 2, 2, 2, &err), err);
    b.block[WW_SCOPE_CHANNEL][1].v[WW_C_DRAM_RD] = 1;
    assert_int_equal(ww_counter_set_sub(&a, &a, &b, &err), WW_EINTERNAL);
    assert_non_null(strstr(err.what, "channel.dram.read"));
    ww_counter_set_fini(&a);
    ww_counter_set_fini(&b);
    ww_mem_fail_after(1);
    assert_int_equal(ww_counter_set_init(&a, 2, 2, 2, &err), WW_ENOMEM);
    ww_mem_fail_after(0);
}

static void test_merging_intervals_keeps_every_count(void **state)
{
    (void)state;
    enum { COUNT = 7 };
    ww_error err = {0};
    ww_interval list[COUNT];
    for (uint64_t i = 0; i < COUNT; i++) {
        list[i] = (ww_interval){.first_cycle = 10 * i, .last_cycle = 10 * i + 10};
        assert_ok(ww_counter_set_init(&list[i].counters, 2, 1, 1, &err), err);
        list[i].counters.block[WW_SCOPE_SM][1].v[WW_C_RF_READ] = 1u << i;
    }
    static const uint64_t reads[3][4] = {{3, 12, 48, 64}, {15, 112}, {127}};
    size_t count = COUNT;
    for (unsigned round = 0; round < 3; round++) {
        count = ww_intervals_merge(list, count);
        assert_int_equal(count, (size_t)4 >> round);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(list[i].first_cycle, i == 0 ? 0 : list[i - 1].last_cycle);
            assert_int_equal(list[i].counters.block[WW_SCOPE_SM][1].v[WW_C_RF_READ],
                             reads[round][i]);
        }
        assert_int_equal(list[count - 1].last_cycle, 10 * COUNT);
    }
    assert_int_equal(ww_intervals_merge(list, 1), 1);
    ww_counter_set_fini(&list[0].counters);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_are_unique_and_found),
        cmocka_unit_test(test_names_tell_the_scope),
        cmocka_unit_test(test_consumers_are_known_words),
        cmocka_unit_test(test_add_and_sub_undo_each_other),
        cmocka_unit_test(test_a_clone_equals_and_stands_alone),
        cmocka_unit_test(test_total_covers_only_its_scope),
        cmocka_unit_test(test_merging_intervals_keeps_every_count),
        cmocka_unit_test(test_wrong_shapes_and_negative_results_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
