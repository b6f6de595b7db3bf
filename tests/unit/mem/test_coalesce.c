/* test_coalesce.c - which segments does a warp's access become, by architecture? */
#include "perf/mem/mem.h"
#include "tests/support/test.h"

static ww_segment out[64];
static uint64_t address[32];

static void stride(uint64_t base, uint64_t step)
{
    for (uint64_t i = 0; i < 32; i++) {
        address[i] = base + i * step;
    }
}

static void fermi_unit_stride_is_one_line(void **state)
{
    (void)state;
    stride(0x1000, 4);
    assert_int_equal(ww_coalesce(address, UINT32_MAX, 4, 128, 128, out), 1);
    assert_int_equal(out[0].address, 0x1000);
    assert_int_equal(out[0].bytes, 128);
    assert_int_equal(out[0].lanes, UINT32_MAX);
    assert_int_equal(out[0].byte_mask, UINT32_MAX);
}

static void fermi_offset_by_one_word_is_two_lines(void **state)
{
    (void)state;
    stride(0x1004, 4);
    assert_int_equal(ww_coalesce(address, UINT32_MAX, 4, 128, 128, out), 2);
    assert_int_equal(out[0].lanes, 0x7fffffff);
    assert_int_equal(out[0].byte_mask, 0xfffffffe);
    assert_int_equal(out[1].address, 0x1080);
    assert_int_equal(out[1].lanes, 0x80000000);
    assert_int_equal(out[1].byte_mask, 1);
}

static void wide_lanes_take_more_lines(void **state)
{
    (void)state;
    stride(0, 8);
    assert_int_equal(ww_coalesce(address, UINT32_MAX, 8, 128, 128, out), 2);
    stride(0, 16);
    assert_int_equal(ww_coalesce(address, UINT32_MAX, 16, 128, 128, out), 4);
    assert_int_equal(out[3].lanes, 0xff000000);
}

static void scattered_lanes_are_a_line_each_in_lane_order(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 32; i++) {
        address[i] = (31 - i) * 4096 + 4 * i;
    }
    assert_int_equal(ww_coalesce(address, UINT32_MAX, 4, 128, 128, out), 32);
    assert_int_equal(out[0].address, 31 * 4096);
    assert_int_equal(out[31].lanes, 0x80000000);
    assert_int_equal(out[31].byte_mask, 0x80000000);
}

static void broadcast_and_inactive_lanes(void **state)
{
    (void)state;
    stride(0x2040, 0);
    assert_int_equal(ww_coalesce(address, UINT32_MAX, 4, 128, 128, out), 1);
    assert_int_equal(out[0].byte_mask, 1 << 16);
    stride(0, 128);
    assert_int_equal(ww_coalesce(address, 0x10001, 4, 128, 128, out), 2);
    assert_int_equal(out[1].address, 16 * 128);
    assert_int_equal(ww_coalesce(address, 0, 4, 128, 128, out), 0);
}

/* Compute capability 1.2/1.3: a half-warp's 128 B segment shrinks to 64 and 32 B when only one half
 * is used. */
static void segments_shrink(void **state)
{
    (void)state;
    stride(0x1000, 4);
    assert_int_equal(ww_coalesce(address, 0xffff, 4, 128, 32, out), 1);
    assert_int_equal(out[0].address, 0x1000);
    assert_int_equal(out[0].bytes, 64);
    assert_int_equal(ww_coalesce(address, 0xffff0000, 4, 128, 32, out), 1);
    assert_int_equal(out[0].address, 0x1040);
    assert_int_equal(out[0].bytes, 64);
    assert_int_equal(out[0].byte_mask, 0xffff);
    assert_int_equal(ww_coalesce(address, 0xff000000, 4, 128, 32, out), 1);
    assert_int_equal(out[0].address, 0x1060);
    assert_int_equal(out[0].bytes, 32);
    assert_int_equal(out[0].byte_mask, 0xff);
    /* words on both sides of the middle keep the whole segment */
    stride(0x1020, 4);
    assert_int_equal(ww_coalesce(address, 0xffff, 4, 128, 32, out), 1);
    assert_int_equal(out[0].bytes, 128);
    assert_int_equal(out[0].byte_mask, 0x00ffff00);
}

static void one_large_segment_of_256_bytes(void **state)
{
    (void)state;
    stride(0, 8);
    assert_int_equal(ww_coalesce(address, UINT32_MAX, 8, 256, 256, out), 1);
    assert_int_equal(out[0].byte_mask, UINT32_MAX);
    assert_int_equal(ww_coalesce(address, 1u << 31, 8, 256, 32, out), 1);
    assert_int_equal(out[0].address, 224);
    assert_int_equal(out[0].bytes, 32);
    assert_int_equal(out[0].byte_mask, 0xc0);
}

static void every_lane_is_served_by_its_own_segment(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int round = 0; round < 2000; round++) {
        for (int i = 0; i < 32; i++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            address[i] = (seed >> 40) % 4096 / 4 * 4;
        }
        unsigned n = ww_coalesce(address, UINT32_MAX, 4, 128, 32, out);
        uint32_t served = 0;
        for (unsigned s = 0; s < n; s++) {
            assert_int_equal(served & out[s].lanes, 0);
            served |= out[s].lanes;
            assert_int_equal(out[s].address % out[s].bytes, 0);
            uint32_t words = 0;
            for (int i = 0; i < 32; i++) {
                if (out[s].lanes >> i & 1) {
                    assert_true(address[i] >= out[s].address);
                    assert_true(address[i] < out[s].address + out[s].bytes);
                    words |= 1u << (address[i] - out[s].address) / 4;
                }
            }
            assert_int_equal(words, out[s].byte_mask);
        }
        assert_int_equal(served, UINT32_MAX);
    }
}

static void runs_of_consecutive_addresses(void **state)
{
    (void)state;
    ww_address_run run[32];
    stride(0x1010, 4);
    assert_int_equal(ww_address_runs(address, UINT32_MAX, 4, run), 1);
    assert_int_equal(run[0].address, 0x1010);
    assert_int_equal(run[0].bytes, 128);
    assert_int_equal(run[0].lanes, UINT32_MAX);
    for (int i = 16; i < 32; i++) { /* the second row of a tile of 16 */
        address[i] = 0x1010 + 640 + 4 * (uint64_t)(i - 16);
    }
    assert_int_equal(ww_address_runs(address, UINT32_MAX, 4, run), 2);
    assert_int_equal(run[1].address, 0x1010 + 640);
    assert_int_equal(run[1].bytes, 64);
    assert_int_equal(run[1].lanes, 0xffff0000);
    /* inactive lanes leave a gap; lanes may share a word */
    assert_int_equal(ww_address_runs(address, 0x0000fe0f, 4, run), 2);
    assert_int_equal(run[0].bytes, 16);
    assert_int_equal(run[1].address, 0x1010 + 36);
    stride(0x2000, 0);
    assert_int_equal(ww_address_runs(address, UINT32_MAX, 8, run), 1);
    assert_int_equal(run[0].bytes, 8);
    stride(0x2000, 8);
    assert_int_equal(ww_address_runs(address, UINT32_MAX, 4, run), 32);
    assert_int_equal(ww_address_runs(address, 0, 4, run), 0);
}

/* Of addresses that come one after the other: the 17th closes the first of two segments; what comes
 * back to a closed segment makes a new one. */
static void segments_of_a_stream(void **state)
{
    (void)state;
    uint8_t closed[64];
    stride(0, 8);
    assert_int_equal(ww_coalesce_stream(address, UINT32_MAX, 4, 128, 32, out, closed), 2);
    assert_int_equal(closed[0], 17);
    assert_int_equal(closed[1], 32);
    assert_int_equal(out[0].lanes, 0xffff);
    assert_int_equal(out[0].byte_mask, 0x55555555);
    for (unsigned i = 0; i < 32; i++) {
        address[i] = 0x1000 + i % 2 * 0x1000 + i / 2 * 4;
    }
    assert_int_equal(ww_coalesce(address, 0xff, 4, 128, 32, out), 2);
    assert_int_equal(ww_coalesce_stream(address, 0xff, 4, 128, 32, out, closed), 8);
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(closed[i], i < 7 ? i + 2 : 8);
        assert_int_equal(out[i].lanes, 1u << i);
        assert_int_equal(out[i].bytes, 32);
    }
    assert_int_equal(ww_coalesce_stream(address, 0, 4, 128, 32, out, closed), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_of_consecutive_addresses),
        cmocka_unit_test(segments_of_a_stream),
        cmocka_unit_test(fermi_unit_stride_is_one_line),
        cmocka_unit_test(fermi_offset_by_one_word_is_two_lines),
        cmocka_unit_test(wide_lanes_take_more_lines),
        cmocka_unit_test(scattered_lanes_are_a_line_each_in_lane_order),
        cmocka_unit_test(broadcast_and_inactive_lanes),
        cmocka_unit_test(segments_shrink),
        cmocka_unit_test(one_large_segment_of_256_bytes),
        cmocka_unit_test(every_lane_is_served_by_its_own_segment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
