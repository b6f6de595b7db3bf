/* test_array_search.c - is what the search skips never what it looks for? */
#include <stddef.h>
#include <string.h>

#include "tests/unit/tech/nodes.h"
#include "tests/unit/tech/random_array.h"

enum { REQUESTS = 1500 };

static void assert_same_part(const ww_array_part *a, const ww_array_part *b)
{
    assert_int_equal(a->partition.ndwl, b->partition.ndwl);
    assert_int_equal(a->partition.ndbl, b->partition.ndbl);
    assert_int_equal(a->partition.ndcm, b->partition.ndcm);
    assert_int_equal(a->partition.nsam1, b->partition.nsam1);
    assert_int_equal(a->partition.nsam2, b->partition.nsam2);
    assert_memory_equal(&a->partition.nspd, &b->partition.nspd, sizeof a->partition.nspd);
    const size_t from = offsetof(ww_array_part, rows);
    assert_memory_equal((const char *)a + from, (const char *)b + from, sizeof *a - from);
}

/* The same organisation and the same doubles, of every kind of array, tool's accounting and goal,
 * whether partitions are skipped whose bounds exclude them or all are worked out. */
static void skipping_changes_no_answer(void **state)
{
    (void)state;
    static const double NM[] = {45, 16, 5};
    ww_node nodes[WW_ARRAY_LEN(NM)];
    for (size_t i = 0; i < WW_ARRAY_LEN(NM); i++) {
        nodes[i] = node_at(NM[i], WW_DEVICE_HP, 0, 330);
    }
    uint64_t seed = 0x2545F4914F6CDD1Dull;
    int compared = 0;
    for (int k = 0; k < REQUESTS; k++) {
        ww_array_spec s = random_spec(&seed);
        s.bits = s.bits >> below(&seed, 6) | 64; /* few large ones: all partitions take long */
        if (below(&seed, 6) == 0) {
            s.objective = (ww_array_objective){.goal = WW_GOAL_WEIGHTED,
                                               .delay = below(&seed, 2),
                                               .energy = 1,
                                               .leakage = below(&seed, 2),
                                               .cycle = below(&seed, 2),
                                               .area = below(&seed, 2)};
        }
        const ww_node *node = &nodes[k % (int)WW_ARRAY_LEN(NM)];
        ww_error err = {0};
        ww_array_result found, all;
        const ww_status st = ww_array_solve(&s, node, &found, &err);
        s.objective.exhaustive = true;
        assert_int_equal(ww_array_solve(&s, node, &all, &err), st);
        if (st != WW_OK) {
            continue;
        }
        compared++;
        assert_memory_equal(&found, &all, offsetof(ww_array_result, kind));
        assert_same_part(&found.data, &all.data);
        assert_int_equal(found.has_tag, all.has_tag);
        if (found.has_tag) {
            assert_same_part(&found.tag, &all.tag);
        }
    }
    assert_true(compared > REQUESTS / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(skipping_changes_no_answer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
