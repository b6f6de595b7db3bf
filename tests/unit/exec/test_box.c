/* Does the walk over a box visit the bytes that the manual's definition of tiles and im2col columns
 * names? Small boxes against coordinates counted one by one, and examples worked out by hand. */
#include "perf/exec/tensor/box.h"
#include "tests/support/tensor_map.h"
#include "tests/support/test.h"

/* The walk under test against each element's own coordinates. */
static void check_tile(const ww_tensor_map *map, const int32_t *at)
{
    ww_tensor_box box = ww_tensor_box_at(map, at, NULL);
    uint64_t row_number = 0;
    uint32_t index[WW_TENSOR_RANK] = {0};
    for (bool more = true; more; row_number++) {
        ww_tensor_row row = ww_tensor_box_row(&box, row_number);
        for (uint32_t i = 0; i < box.extent[0]; i++) {
            uint64_t address = map->address;
            bool inside = true;
            for (unsigned d = 0; d < map->rank; d++) {
                int64_t step = d == 0 ? 1 : map->step[d];
                int64_t place = at[d] + (int64_t)(d == 0 ? i : index[d]) * step;
                inside &= place >= 0 && place < (int64_t)map->dim[d];
                address += (uint64_t)(place * (int64_t)map->stride[d]);
            }
            assert_int_equal(row.first <= i && i < row.last, inside);
            assert_true(!inside || row.address + (uint64_t)i * row.stride == address);
        }
        more = false;
        for (unsigned d = 1; d < map->rank && !more; d++) {
            more = ++index[d] < (map->box[d] + map->step[d] - 1) / map->step[d];
            index[d] = more ? index[d] : 0;
        }
    }
    assert_int_equal(row_number, box.rows);
}

static void tiles_of_all_ranks_visit_their_elements(void **state)
{
    (void)state;
    ww_tensor_map map = {.address = 0x1000,
                         .dim = {20, 9, 7, 5, 3},
                         .stride = {4, 96, 96 * 9, 96 * 63, 96 * 63 * 5},
                         .box = {8, 5, 3, 4, 2},
                         .type = WW_TENSOR_F32};
    static const int32_t at[][WW_TENSOR_RANK] = {{0, 0, 0, 0, 0},
                                                 {4, 3, 2, 1, 1},
                                                 {-3, -2, -1, -1, -1},
                                                 {16, 8, 6, 3, 2},
                                                 {40, 0, 0, 0, 0},
                                                 {-8, 0, 0, 0, 0},
                                                 {-2147483647 - 1, 0, 0, 0, 0},
                                                 {2147483647, 2147483647, 0, 0, 0}};
    for (map.rank = 1; map.rank <= WW_TENSOR_RANK; map.rank++) {
        for (uint32_t step = 1; step <= 3; step++) {
            for (unsigned d = 0; d < WW_TENSOR_RANK; d++) {
                map.step[d] = step;
            }
            assert_null(ww_tensor_map_problem(&map));
            for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
                check_tile(&map, at[i]);
            }
        }
    }
}

/* f16, 60 x 100, rows of 128 B, box 64 x 8 at (32, 96): 4 rows of 28 elements, 56 bytes from byte
 * 64 of their lines, and 4 rows outside; 1024 bytes all told. */
static void a_box_over_two_edges(void **state)
{
    (void)state;
    const ww_tensor_map map = {.address = 0x10000,
                               .dim = {60, 100},
                               .stride = {2, 128},
                               .box = {64, 8},
                               .step = {1, 1},
                               .type = WW_TENSOR_F16,
                               .rank = 2};
    ww_tensor_box box = ww_tensor_box_at(&map, (const int32_t[]){32, 96}, NULL);
    unsigned sectors = 0, filled = 0;
    assert_int_equal(box.bytes, 1024);
    for (uint64_t r = 0; r < box.rows; r++) {
        ww_tensor_row row = ww_tensor_box_row(&box, r);
        filled += row.first == row.last;
        if (row.first < row.last) {
            uint64_t first = row.address + row.first * 2, end = row.address + row.last * 2;
            assert_int_equal(first % 128, 64);
            assert_int_equal(end - first, 56);
            sectors += (unsigned)((end + 31) / 32 - first / 32);
        }
    }
    assert_int_equal(filled, 4);
    assert_int_equal(sectors, 8);
}

/* NWC, N = 2, W = 8, C = 8; bases from w = -1 to 6; offset 2: w 1 to 7 of image 0, w = 8 outside,
 * w 1 to 4 of image 1. */
static void a_column_goes_from_image_to_image(void **state)
{
    (void)state;
    static const int expected[12] = {1, 2, 3, 4, 5, 6, 7, -1, 9, 10, 11, 12}; /* 8 n + w */
    const ww_tensor_map map = column_map();
    assert_null(ww_tensor_map_problem(&map));
    ww_tensor_box box = ww_tensor_box_at(&map, (const int32_t[]){0, -1, 0}, (const uint16_t[]){2});
    assert_int_equal(box.bytes, 192);
    for (unsigned r = 0; r < 12; r++) {
        ww_tensor_row row = ww_tensor_box_row(&box, r);
        assert_int_equal(row.first < row.last, expected[r] >= 0);
        if (expected[r] >= 0) {
            assert_int_equal(row.address, map.address + 16u * (unsigned)expected[r]);
            assert_true(row.first == 0 && row.last == 8);
        }
    }
}

/* NDHWC with corners in all three directions and steps, counted one by one. */
static void a_column_traverses_three_dimensions(void **state)
{
    (void)state;
    const ww_tensor_map map = {.address = 0x10000,
                               .dim = {16, 6, 5, 4, 3},
                               .stride = {2, 32, 192, 960, 3840},
                               .box = {16},
                               .step = {1, 2, 1, 1, 1},
                               .lower = {-1, 0, -1},
                               .upper = {0, -1, -1},
                               .pixels = 200,
                               .type = WW_TENSOR_BF16,
                               .rank = 5,
                               .im2col = true};
    assert_null(ww_tensor_map_problem(&map));
    const uint16_t offset[] = {1, 0, 2};
    const int32_t at[] = {0, 3, 1, 0, 0};
    ww_tensor_box box = ww_tensor_box_at(&map, at, offset);
    int w = at[1], h = at[2], d = at[3], n = at[4];
    for (unsigned r = 0; r < map.pixels; r++) {
        int x = w + offset[0], y = h + offset[1], z = d + offset[2];
        bool inside = x >= 0 && x < 6 && y >= 0 && y < 5 && z >= 0 && z < 4 && n < 3;
        ww_tensor_row row = ww_tensor_box_row(&box, r);
        assert_int_equal(row.first < row.last, inside);
        if (inside) {
            assert_int_equal(row.address, map.address + (uint64_t)(32 * x + 192 * y + 960 * z) +
                                              3840u * (unsigned)n);
        }
        w += 2; /* bases end before dimension + upper corner */
        if (w >= 6) {
            w = -1;
            h++;
        }
        if (h >= 4) {
            h = 0;
            d++;
        }
        if (d >= 3) {
            d = -1;
            n++;
        }
    }
}

/* Slices of 8 channels of 16 bits: NC/8HWC8 as (8, W, H, C/8, N). */
static void interleaved_rows_are_slices(void **state)
{
    (void)state;
    const ww_tensor_map map = {.address = 0x10000,
                               .dim = {8, 6, 5, 4, 2},
                               .stride = {2, 16, 96, 480, 1920},
                               .box = {1, 4, 2, 2, 1},
                               .step = {1, 1, 1, 1, 1},
                               .interleave = WW_INTERLEAVE_16B,
                               .type = WW_TENSOR_F16,
                               .rank = 5};
    assert_null(ww_tensor_map_problem(&map));
    ww_tensor_box box = ww_tensor_box_at(&map, (const int32_t[]){0, 4, 1, 3, 1}, NULL);
    assert_int_equal(box.bytes, 16 * 4 * 2 * 2);
    for (unsigned r = 0; r < box.rows; r++) {
        unsigned x = 4 + r % 4, y = 1 + r / 4 % 2, c = 3 + r / 8;
        ww_tensor_row row = ww_tensor_box_row(&box, r);
        assert_int_equal(row.first < row.last, x < 6 && c < 4);
        assert_true(row.first == row.last ||
                    row.address == map.address + 16 * x + 96 * y + 480 * c + 1920);
    }
}

/* The largest box that rules allow has more bytes than 32 bits count. */
static void sizes_do_not_wrap(void **state)
{
    (void)state;
    const ww_tensor_map map = {.address = 0x10000,
                               .dim = {256, 256, 256, 256, 256},
                               .stride = {8, 2048, 2048 << 8, 2048 << 16, 2048ull << 24},
                               .box = {256, 256, 256, 256, 256},
                               .step = {1, 1, 1, 1, 1},
                               .type = WW_TENSOR_F64,
                               .rank = 5};
    assert_null(ww_tensor_map_problem(&map));
    ww_tensor_box box = ww_tensor_box_at(&map, (const int32_t[]){0, 0, 0, 0, 0}, NULL);
    assert_true(box.rows == 1ull << 32 && box.bytes == 1ull << 43);
}

static void elements_change_on_arrival(void **state)
{
    (void)state;
    assert_int_equal(ww_tensor_arriving(WW_TENSOR_F32, 0x80000001), 0x80000001);
    assert_int_equal(ww_tensor_arriving(WW_TENSOR_F32_FTZ, 0x80000001), 0x80000000);
    assert_int_equal(ww_tensor_arriving(WW_TENSOR_F32_FTZ, 0x3f800001), 0x3f800001);
    assert_int_equal(ww_tensor_arriving(WW_TENSOR_TF32, 0x3f801000), 0x3f802000);
    assert_int_equal(ww_tensor_arriving(WW_TENSOR_TF32, 0x3f800fff), 0x3f800000);
    assert_int_equal(ww_tensor_arriving(WW_TENSOR_TF32, 0x7fc01fff), 0x7fc01fff);
    assert_int_equal(ww_tensor_arriving(WW_TENSOR_TF32_FTZ, 0x00001fff), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_of_all_ranks_visit_their_elements),
        cmocka_unit_test(a_box_over_two_edges),
        cmocka_unit_test(a_column_goes_from_image_to_image),
        cmocka_unit_test(a_column_traverses_three_dimensions),
        cmocka_unit_test(interleaved_rows_are_slices),
        cmocka_unit_test(sizes_do_not_wrap),
        cmocka_unit_test(elements_change_on_arrival),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
