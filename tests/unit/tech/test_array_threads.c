/* test_array_threads.c - do arrays solved by several threads at once come out as one thread solves
 * them, bit for bit? Run under a thread sanitizer it also shows that nothing is shared. */
#include <pthread.h>
#include <string.h>

#include "tech/array.h"
#include "tests/unit/tech/nodes.h"

enum { THREADS = 4, REQUESTS = 96 };

static ww_array_spec request(uint32_t i)
{
    static const ww_array_kind KINDS[] = {WW_ARRAY_RAM,   WW_ARRAY_CAM,      WW_ARRAY_ASSOC,
                                          WW_ARRAY_CACHE, WW_ARRAY_FLIPFLOP, WW_ARRAY_AUTO};
    uint32_t bits = 8u << i % 5;
    return (ww_array_spec){.kind = KINDS[i % WW_ARRAY_LEN(KINDS)],
                           .bits = UINT64_C(64) * bits * (1 + i / 24),
                           .word_bits = bits,
                           .line_bits = bits,
                           .ways = 2,
                           .style = (ww_array_style)(i % 3)};
}

/* One thread's requests, in its own order. */
typedef struct work {
    const ww_node *node;
    uint32_t start;
    ww_status status[REQUESTS];
    ww_array_result result[REQUESTS];
} work;

static void *solve_all(void *arg)
{
    work *w = arg;
    for (uint32_t k = 0; k < REQUESTS; k++) {
        uint32_t i = (k + w->start) % REQUESTS;
        ww_array_spec s = request(i);
        ww_error err = {0};
        w->status[i] = ww_array_solve(&s, w->node, &w->result[i], &err);
    }
    return NULL;
}

static void threads_agree(void **state)
{
    (void)state;
    ww_node n = node_at(28, WW_DEVICE_HP, 0, 350);
    static work alone, shared[THREADS];
    alone = (work){.node = &n};
    solve_all(&alone);
    pthread_t thread[THREADS];
    for (uint32_t t = 0; t < THREADS; t++) {
        shared[t] = (work){.node = &n, .start = t * 31};
        assert_int_equal(pthread_create(&thread[t], NULL, solve_all, &shared[t]), 0);
    }
    int solved = 0;
    for (uint32_t t = 0; t < THREADS; t++) {
        assert_int_equal(pthread_join(thread[t], NULL), 0);
        for (uint32_t i = 0; i < REQUESTS; i++) {
            assert_int_equal(shared[t].status[i], alone.status[i]);
            if (alone.status[i] == WW_OK) {
                const ww_array_result *a = &alone.result[i], *b = &shared[t].result[i];
                assert_true(a->read_j == b->read_j && a->write_j == b->write_j &&
                            a->search_j == b->search_j && a->leak_w == b->leak_w &&
                            a->area_m2 == b->area_m2 && a->access_s == b->access_s &&
                            a->cycle_s == b->cycle_s);
                solved++;
            }
        }
    }
    assert_true(solved > THREADS * REQUESTS * 3 / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
