/* test_words.c - do words that the affine warp combines stand for what its threads would compute,
 * and is what it cannot say lost? */
#include "mech/dac/words.h"
#include "tests/support/inst.h"
#include "tests/support/test.h"

enum { THREADS = 32 };

/* Of a tuple's forms, in thread t; none of what nobody knows. */
static uint32_t at(const dac_word *w, uint32_t t)
{
    const uint32_t index[WW_INDEX_COUNT] = {[WW_INDEX_TX] = t};
    const uint64_t v = ww_tuple_at(&w->tuple, index);
    assert_int_not_equal(w->form, DAC_LOST);
    return (uint32_t)(w->form == DAC_HIGH     ? v >> 32
                      : w->form == DAC_RAISED ? v >> 32 << w->shift
                      : w->form == DAC_SPILL  ? v >> w->shift
                                              : v);
}

/* base + each * tid */
static ww_tuple tuple(uint64_t base, uint64_t each, unsigned bits)
{
    ww_tuple t = ww_tuple_scalar(base, bits);
    t.offset[WW_INDEX_TX] = each;
    return t;
}

/* A 64-bit shift by 16 unites a raised upper word, or a number of which that leaves 16 bits free,
 * with what its own low word spills: nothing else is known of an or, on either side of it. */
static void an_or_is_the_upper_word_of_a_shift(void **state)
{
    (void)state;
    const ww_tuple low = tuple(0x10000000, 0x1230000, 32), other = tuple(0x10000000, 0x20000, 32);
    const ww_tuple wide = tuple(UINT64_C(3) << 32 | 0x10000000, 0x1230000, 64);
    const struct {
        dac_word word;
        bool known; /* beside what spills */
    } with[] = {
        {{.form = DAC_RAISED, .shift = 16, .tuple = wide}, true},
        {{.form = DAC_WORD, .tuple = ww_tuple_scalar(0x30000, 32)}, true},
        {{.form = DAC_WORD, .tuple = ww_tuple_scalar(0x30001, 32)}, false},
        {{.form = DAC_RAISED, .shift = 8, .tuple = wide}, false},
        {{.form = DAC_WORD, .tuple = low}, false},
        {{.form = DAC_HIGH, .tuple = wide}, false},
        {{.form = DAC_SPILL, .shift = 16, .tuple = other}, false},
        {{.form = DAC_LOST, .tuple = {.bits = 32}}, false},
    };
    static const dac s = {.most = {[WW_INDEX_TX] = THREADS - 1}};
    const dac_word spill = {.form = DAC_SPILL, .shift = 16, .tuple = low};
    const ww_inst inst = plain_inst(WW_OP_OR, WW_T_B32, 1, 2, 1);
    for (size_t i = 0; i < 2 * WW_ARRAY_LEN(with); i++) {
        const dac_word *w = &with[i / 2].word;
        const dac_word a[2] = {i % 2 == 0 ? spill : *w, i % 2 == 0 ? *w : spill};
        dac_word first, second;
        dac_arithmetic(&s, &inst, a, &first, &second);
        assert_int_equal(first.form != DAC_LOST, with[i / 2].known);
        for (uint32_t t = 0; with[i / 2].known && t < THREADS; t++) {
            assert_int_equal(at(&first, t), at(&spill, t) | at(w, t));
        }
    }
}

/* Without a word that spills an or is nobody's, and so is what spills nothing. */
static void an_or_of_whole_words_is_lost(void **state)
{
    (void)state;
    static const dac s = {.most = {[WW_INDEX_TX] = THREADS - 1}};
    const ww_inst inst = plain_inst(WW_OP_OR, WW_T_B32, 1, 2, 1);
    const dac_word number = {.form = DAC_WORD, .tuple = ww_tuple_scalar(0x30000, 32)};
    for (unsigned shift = 0; shift <= 32; shift += 32) {
        const dac_word whole = {.form = DAC_WORD, .tuple = tuple(5, 1, 32)};
        const dac_word none = {
            .form = DAC_SPILL, .shift = (uint8_t)shift, .tuple = tuple(5, 1, 32)};
        const dac_word a[][2] = {{number, whole}, {whole, number}, {number, none}, {none, number}};
        for (size_t i = 0; i < WW_ARRAY_LEN(a); i++) {
            dac_word first, second;
            dac_arithmetic(&s, &inst, a[i], &first, &second);
            assert_int_equal(first.form, DAC_LOST);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_or_is_the_upper_word_of_a_shift),
        cmocka_unit_test(an_or_of_whole_words_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
