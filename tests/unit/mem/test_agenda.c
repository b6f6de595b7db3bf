/* test_agenda.c - is everybody looked at when they asked for it, and nobody else, in order? */
#include <stdlib.h>

#include "perf/mem/bits.h"
#include "tests/support/test.h"

enum { PARTIES = 150, CYCLES = 20000 };

/* Parties that sleep, wake each other and put themselves off, some beyond what the ring reaches,
 * beside a list of times that is searched in every cycle. */
static void parties_are_looked_at_in_the_cycles_asked_for(void **state)
{
    (void)state;
    ww_arena arena;
    ww_arena_init(&arena);
    ww_agenda agenda = {0};
    uint64_t due[PARTIES];
    assert_true(ww__agenda_init(&agenda, PARTIES, &arena));
    for (uint32_t i = 0; i < PARTIES; i++) {
        due[i] = WW_NEVER;
    }
    srand(7);
    uint32_t looks = 0, naps = 0;
    for (uint64_t now = 1; now < CYCLES; now++) {
        if (rand() % 20 == 0) {
            uint32_t i = (uint32_t)rand() % PARTIES;
            uint64_t at = now + (uint64_t)rand() % (WW_AGENDA_CYCLES - 1);
            ww__agenda_wake(&agenda, i, at);
            due[i] = ww_min_u64(due[i], at);
        }
        uint64_t least = WW_NEVER;
        for (uint32_t i = 0; i < PARTIES; i++) {
            least = ww_min_u64(least, due[i]);
        }
        assert_true(agenda.next <= least);
        assert_int_equal(agenda.next == WW_NEVER, least == WW_NEVER);
        if (agenda.next > now) {
            naps++;
            continue;
        }
        uint32_t before = 0;
        for (uint32_t w = 0; w < agenda.words; w++) {
            for (uint64_t bits = ww__agenda_take(&agenda, w, now); bits != 0; bits &= bits - 1) {
                uint32_t i = w * 64 + ww__bit_first(bits);
                assert_int_equal(agenda.at[i], due[i]);
                if (due[i] <= now) {
                    assert_int_equal(due[i], now);
                    assert_true(i >= before);
                    before = i + 1;
                    looks++;
                    uint64_t far = now + 1 + (uint64_t)rand() % 200;
                    due[i] = rand() % 4 > 0 ? WW_NEVER : far;
                    uint32_t other = (uint32_t)rand() % PARTIES;
                    if (due[other] > now &&
                        rand() % 8 == 0) { /* a neighbour has something for it */
                        ww__agenda_put(&agenda, i, due[i], now);
                        ww__agenda_wake(&agenda, other, now + 1);
                        due[other] = ww_min_u64(due[other], now + 1);
                        continue;
                    }
                }
                ww__agenda_put(&agenda, i, due[i], now);
            }
        }
        ww__agenda_pass(&agenda, now);
        for (uint32_t i = 0; i < PARTIES; i++) {
            assert_true(due[i] > now);
        }
    }
    assert_in_range(looks, 1000, UINT32_MAX);
    assert_in_range(naps, 100, UINT32_MAX);
    ww_arena_fini(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parties_are_looked_at_in_the_cycles_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
