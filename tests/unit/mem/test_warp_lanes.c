/* test_warp_lanes.c - do all variants, and the functions that choose among them, give the segments
 * and bank cycles that the rules give lane by lane and word by word? */
#include "perf/mem/warp_lanes.h"
#include "tests/support/test.h"

enum { ROUNDS = 4000, MOST_WORDS = 32 * 16 };

static uint64_t state_word = 1;

static uint32_t draw(uint32_t n)
{
    state_word = state_word * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(state_word >> 33) % n;
}

static uint32_t draw_lanes(void)
{
    uint32_t mask = draw(1u << 30) << 2 | draw(4);
    uint32_t lanes[] = {UINT32_MAX, mask, mask & 0xffff, UINT32_C(1) << draw(32)};
    uint32_t chosen = lanes[draw(4)];
    return chosen != 0 ? chosen : 1;
}

/* Lines, strides, a few places again and again, and anything; now and then one lane far away. */
static void draw_addresses(uint64_t *address, uint32_t lane_bytes, bool aligned)
{
    const uint32_t ranges[] = {64, 128, 512, 4096, 1 << 20};
    uint64_t base = (uint64_t)draw(1 << 20) << draw(30);
    uint32_t range = ranges[draw(5)], how = draw(3), step = draw(8) * lane_bytes;
    for (uint32_t i = 0; i < 32; i++) {
        uint64_t apart = how == 0   ? i * step
                         : how == 1 ? draw(range)
                                    : draw(range) / 16 * 16 + draw(2) * 64;
        address[i] = base + apart;
        address[i] -= aligned ? address[i] % lane_bytes : 0;
    }
    if (draw(16) == 0) {
        address[draw(32)] ^= UINT64_C(1) << (30 + draw(18));
    }
}

/* ---- the rules ---- */

static unsigned rule_segments(const uint64_t *address, uint32_t lanes, uint32_t lane_bytes,
                              uint32_t bytes, ww_segment *out)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < 32; i++) {
        for (uint32_t b = 0; (lanes >> i & 1) != 0 && b < lane_bytes; b++) {
            uint64_t at = address[i] + b;
            unsigned s = 0;
            while (s < count && out[s].address != at / bytes * bytes) {
                s++;
            }
            if (s == count) {
                out[count++] =
                    (ww_segment){.address = at / bytes * bytes, .bytes = (uint16_t)bytes};
            }
            out[s].lanes |= UINT32_C(1) << i;
            out[s].byte_mask |= UINT32_C(1) << (at % bytes / 4);
        }
    }
    return count;
}

static void rule_shrinks(ww_segment *s, uint32_t least)
{
    while (s->bytes > least) {
        uint32_t half = s->bytes / 2, words = half / 4;
        uint32_t low = s->byte_mask & ((UINT32_C(1) << words) - 1), high = s->byte_mask >> words;
        if (low != 0 && high != 0) {
            return;
        }
        s->bytes = (uint16_t)half;
        s->address += low == 0 ? half : 0;
        s->byte_mask = low == 0 ? high : low;
    }
}

static uint32_t rule_degree(const uint32_t *offset, uint32_t lanes, uint32_t lane_bytes,
                            uint32_t banks, uint32_t *words)
{
    uint32_t seen[MOST_WORDS], degree[64] = {0}, count = 0, worst = 0;
    for (uint32_t i = 0; i < 32; i++) {
        for (uint32_t b = 0; (lanes >> i & 1) != 0 && b < lane_bytes; b++) {
            uint32_t word = (offset[i] + b) / 4, k = 0;
            while (k < count && seen[k] != word) {
                k++;
            }
            if (k == count) {
                seen[count++] = word;
                uint32_t n = ++degree[word % banks];
                worst = n > worst ? n : worst;
            }
        }
    }
    *words = count;
    return worst;
}

/* ---- the questions ---- */

static void check_segments(const ww_segment *a, const ww_segment *b, unsigned n)
{
    for (unsigned s = 0; s < n; s++) {
        assert_int_equal(a[s].address, b[s].address);
        assert_int_equal(a[s].bytes, b[s].bytes);
        assert_int_equal(a[s].lanes, b[s].lanes);
        assert_int_equal(a[s].byte_mask, b[s].byte_mask);
    }
}

static void segments_are_those_of_the_rule(void **state)
{
    (void)state;
    const ww_warp_lanes *sets[3];
    unsigned variants = ww__warp_lanes_all(sets);
    assert_ptr_equal(ww__warp_lanes_select(), sets[variants - 1]);
    unsigned answered = 0;
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t lane_bytes = UINT32_C(1) << draw(5), bytes = UINT32_C(32) << draw(3);
        uint32_t least = draw(2) != 0 ? bytes : 32, lanes = draw_lanes();
        uint64_t address[32];
        ww_segment right[64], out[64];
        draw_addresses(address, lane_bytes, draw(8) != 0);
        unsigned count = rule_segments(address, lanes, lane_bytes, bytes, right);
        for (unsigned v = 0; v < variants; v++) {
            unsigned n = sets[v]->coalesce(address, lanes, lane_bytes, bytes, out);
            if (n != 0) {
                answered++;
                assert_int_equal(n, count);
                check_segments(out, right, count);
            }
        }
        for (unsigned s = 0; s < count; s++) {
            rule_shrinks(&right[s], least);
        }
        assert_int_equal(ww_coalesce(address, lanes, lane_bytes, bytes, least, out), count);
        check_segments(out, right, count);
    }
    assert_true(answered > variants * ROUNDS / 2);
}

static void bank_cycles_are_those_of_the_rule(void **state)
{
    (void)state;
    const ww_warp_lanes *sets[3];
    unsigned variants = ww__warp_lanes_all(sets);
    const uint32_t bank_counts[] = {8, 16, 32, 32, 32, 24, 64};
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t lane_bytes = UINT32_C(1) << draw(5), banks = bank_counts[draw(7)];
        uint32_t lanes = draw_lanes(), offset[32], right = 0, right_words = 0, words;
        uint64_t address[32];
        draw_addresses(address, lane_bytes, draw(8) != 0);
        for (uint32_t i = 0; i < 32; i++) {
            offset[i] = (uint32_t)address[i] & 0xfffff;
        }
        uint32_t parts = lane_bytes <= 4 ? 1 : lane_bytes / 4, width = 32 / parts;
        for (uint32_t part = 0; part < parts; part++) {
            uint32_t of_part = width == 32 ? UINT32_MAX : ((UINT32_C(1) << width) - 1);
            uint32_t n;
            right += rule_degree(offset, lanes & of_part << (part * width), lane_bytes, banks, &n);
            right_words += n;
        }
        assert_int_equal(ww_shared_conflicts(offset, lanes, lane_bytes, banks, &words), right);
        assert_int_equal(words, right_words);
        for (unsigned v = 0; v < variants && banks <= 32 && banks != 24; v++) {
            uint32_t n = 0, odd = 0;
            for (uint32_t i = 0; i < 32; i++) {
                odd |= (lanes >> i & 1) != 0 ? offset[i] & 3 : 0;
            }
            uint32_t degree = sets[v]->bank_degree(offset, lanes, 2, 3, banks, &n);
            assert_int_equal(degree, odd != 0 ? 0 : rule_degree(offset, lanes, 4, banks, &words));
            assert_true(odd != 0 || n == words);
        }
    }
}

static void neighbours_have_the_segments_of_the_rule(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        const uint32_t lane_bytes = UINT32_C(4) << draw(3), most = UINT32_C(32) << draw(3);
        const uint32_t least = UINT32_C(32) << draw(3);
        const uint64_t first = (uint64_t)lane_bytes * draw(1 << 12) + ((uint64_t)draw(4) << 32);
        uint64_t address[32];
        ww_segment right[64], got[64];
        for (uint32_t i = 0; i < 32; i++) {
            address[i] = first + (uint64_t)i * lane_bytes;
        }
        const unsigned count = ww_coalesce(address, UINT32_MAX, lane_bytes, most, least, right);
        assert_int_equal(ww_coalesce_neighbours(first, lane_bytes, most, least, got), count);
        for (unsigned s = 0; s < count; s++) {
            assert_int_equal(got[s].address, right[s].address);
            assert_int_equal(got[s].bytes, right[s].bytes);
            assert_int_equal(got[s].lanes, right[s].lanes);
            assert_int_equal(got[s].byte_mask, right[s].byte_mask);
        }
    }
}

/* One or two of them, of whatever distance. */
static void lines_take_the_cycles_of_their_words(void **state)
{
    (void)state;
    static const uint32_t bank_counts[] = {16, 24, 32, 32, 32, 64};
    for (int round = 0; round < ROUNDS; round++) {
        const uint32_t step = 4 * draw(2), banks = bank_counts[draw(6)], near = draw(2);
        const uint32_t first = 4 * draw(1 << 12),
                       second = near ? first + 4 * draw(80) : 4 * draw(1 << 12);
        const uint32_t line[2] = {draw(2) != 0 ? first : second, draw(2) != 0 ? first : second};
        uint32_t offset[32], words, right_words;
        for (uint32_t i = 0; i < 32; i++) {
            offset[i] = line[i / 16] + i % 16 * step;
        }
        const uint32_t right = rule_degree(offset, UINT32_MAX, 4, banks, &right_words);
        assert_int_equal(ww_shared_lines(line, step, banks, &words), right);
        assert_int_equal(words, right_words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_are_those_of_the_rule),
        cmocka_unit_test(bank_cycles_are_those_of_the_rule),
        cmocka_unit_test(neighbours_have_the_segments_of_the_rule),
        cmocka_unit_test(lines_take_the_cycles_of_their_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
