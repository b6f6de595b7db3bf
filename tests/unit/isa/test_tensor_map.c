/* Do tensor maps refuse what the driver refuses, and survive their 128 bytes and changes of single
 * fields? */
#include <string.h>

#include "tests/support/tensor_map.h"
#include "tests/support/test.h"

static ww_tensor_map good(void)
{
    return (ww_tensor_map){.address = 0x10000100,
                           .dim = {60, 100, 7},
                           .stride = {2, 128, 128 * 100},
                           .box = {64, 8, 2},
                           .step = {1, 1, 1},
                           .type = WW_TENSOR_F16,
                           .rank = 3,
                           .swizzle = WW_SWIZZLE_128B};
}

/* One change after the other, each from a good map. */
#define refused(map, change)                                                                       \
    do {                                                                                           \
        ww_tensor_map m = map;                                                                     \
        assert_null(ww_tensor_map_problem(&m));                                                    \
        change;                                                                                    \
        assert_non_null(ww_tensor_map_problem(&m));                                                \
    } while (0)
#define taken(map, change)                                                                         \
    do {                                                                                           \
        ww_tensor_map m = map;                                                                     \
        change;                                                                                    \
        assert_null(ww_tensor_map_problem(&m));                                                    \
    } while (0)

static void tiles_keep_the_rules(void **state)
{
    (void)state;
    refused(good(), m.type = WW_TENSOR_TYPE_COUNT);
    refused(good(), m.rank = 0);
    refused(good(), m.rank = 6);
    refused(good(), m.address += 8);
    refused(good(), m.dim[1] = 0);
    refused(good(), m.dim[1] = (1ull << 32) + 1);
    taken(good(), m.dim[1] = 1ull << 32);
    refused(good(), m.stride[1] = 120);
    refused(good(), m.stride[2] = 1ull << 40);
    taken(good(), m.stride[2] = (1ull << 40) - 16);
    refused(good(), m.box[0] = 0);
    refused(good(), m.box[2] = 0);
    refused(good(), m.box[1] = 257);
    taken(good(), m.box[1] = 256);
    refused(good(), m.box[0] = 60);                /* 120 bytes */
    refused(good(), m.box[0] = 72);                /* wider than 128 bytes */
    refused(good(), m.swizzle = WW_SWIZZLE_64B);   /* box of 128 bytes */
    refused(good(), m.swizzle = WW_SWIZZLE_COUNT); /* those of later GPUs */
    taken(good(), (m.swizzle = WW_SWIZZLE_NONE, m.box[0] = 256));
    refused(good(), m.step[1] = 0);
    refused(good(), m.step[1] = 9);
    taken(good(), m.step[0] = 0); /* not looked at */
    refused(good(), m.promotion = 4);
    refused(good(), m.fill = 2);
    taken(good(), m.fill = 1);
    refused(good(), (m.fill = 1, m.type = WW_TENSOR_U16));
}

static void interleaved_tiles_keep_the_rules(void **state)
{
    (void)state;
    refused(good(), m.interleave = WW_INTERLEAVE_32B); /* needs swizzle 32B */
    refused(good(), m.interleave = WW_INTERLEAVE_COUNT);
    taken(good(), m.interleave = WW_INTERLEAVE_16B);
    refused(good(), (m.interleave = WW_INTERLEAVE_16B, m.rank = 2));
    refused(good(), (m.interleave = WW_INTERLEAVE_16B, m.step[0] = 0));
    taken(good(), (m.interleave = WW_INTERLEAVE_32B, m.swizzle = WW_SWIZZLE_32B));
    refused(good(),
            (m.interleave = WW_INTERLEAVE_32B, m.swizzle = WW_SWIZZLE_32B, m.address += 16));
    refused(good(),
            (m.interleave = WW_INTERLEAVE_32B, m.swizzle = WW_SWIZZLE_32B, m.stride[1] += 16));
}

static void columns_keep_the_rules(void **state)
{
    (void)state;
    refused(column_map(), m.rank = 2);
    refused(column_map(), m.pixels = 0);
    refused(column_map(), m.pixels = 1025);
    refused(column_map(), m.box[0] = 0);
    refused(column_map(), m.box[0] = 257);
    refused(column_map(), m.lower[0] = -32769);
    refused(column_map(), m.upper[0] = 32768);
    refused(column_map(), m.upper[0] = -9); /* no base is left */
    taken(column_map(), m.upper[0] = -8);
    ww_tensor_map image = column_map();
    image.rank = 4;
    image.dim[3] = 4;
    image.stride[3] = 256;
    image.step[3] = 1;
    taken(image, (m.lower[0] = -128, m.lower[1] = 1));
    refused(image, m.lower[1] = -129);
    refused(image, m.upper[1] = 128);
    refused(image, m.lower[1] = 2); /* of two: no base is left */
    image.rank = 5;
    image.dim[4] = 1;
    image.stride[4] = 1024;
    image.step[4] = 1;
    taken(image, m.lower[2] = -16);
    refused(image, m.lower[2] = -17);
    refused(image, m.upper[0] = 16);
}

static void bytes_hold_all_of_it(void **state)
{
    (void)state;
    unsigned char bytes[WW_TENSOR_MAP_BYTES];
    ww_tensor_map out, in = column_map();
    in.dim[2] = 1ull << 32;
    in.stride[2] = (1ull << 40) - 16;
    in.lower[0] = -32768;
    in.promotion = 3;
    in.fill = 1;
    ww_tensor_map_encode(&in, bytes);
    assert_true(ww_tensor_map_decode(bytes, &out));
    assert_true(out.address == in.address && out.dim[2] == in.dim[2] && out.dim[0] == 8);
    assert_true(out.stride[0] == 2 && out.stride[2] == in.stride[2] && out.box[0] == 8);
    assert_true(out.lower[0] == -32768 && out.upper[0] == -1 && out.pixels == 12);
    assert_true(out.type == in.type && out.rank == 3 && out.promotion == 3 && out.fill == 1);
    assert_true(out.im2col && out.swizzle == in.swizzle && out.step[2] == 1);
}

/* No byte of it may change unnoticed but those of the second word, which libraries change, and
 * zeros are no map. */
static void other_bytes_are_no_map(void **state)
{
    (void)state;
    unsigned char bytes[WW_TENSOR_MAP_BYTES];
    ww_tensor_map out, in = good();
    ww_tensor_map_encode(&in, bytes);
    for (unsigned i = 0; i < sizeof bytes; i++) {
        bytes[i] ^= 0x10;
        assert_int_equal(ww_tensor_map_decode(bytes, &out), i / 8 == 1);
        bytes[i] ^= 0x10;
    }
    assert_true(ww_tensor_map_decode(bytes, &out));
    memset(bytes, 0, sizeof bytes);
    assert_false(ww_tensor_map_decode(bytes, &out));
}

static void fields_are_replaced(void **state)
{
    (void)state;
    ww_tensor_map m = good();
    assert_true(ww_tensor_map_replace(&m, WW_TENSOR_FIELD_GLOBAL_ADDRESS, 0, 0x20000000));
    assert_true(ww_tensor_map_replace(&m, WW_TENSOR_FIELD_RANK, 0, 1));
    assert_true(ww_tensor_map_replace(&m, WW_TENSOR_FIELD_BOX_DIM, 1, 16));
    assert_true(ww_tensor_map_replace(&m, WW_TENSOR_FIELD_GLOBAL_DIM, 1, 99));
    assert_true(ww_tensor_map_replace(&m, WW_TENSOR_FIELD_GLOBAL_STRIDE, 0, 256));
    assert_true(ww_tensor_map_replace(&m, WW_TENSOR_FIELD_ELEMENT_STRIDE, 1, 2));
    assert_true(ww_tensor_map_replace(&m, WW_TENSOR_FIELD_ELEMTYPE, 0, 10)); /* .bf16 of PTX */
    assert_true(ww_tensor_map_replace(&m, WW_TENSOR_FIELD_SWIZZLE, 0, WW_SWIZZLE_128B));
    assert_true(ww_tensor_map_replace(&m, WW_TENSOR_FIELD_FILL, 0, 1));
    assert_true(m.address == 0x20000000 && m.rank == 2 && m.box[1] == 16 && m.dim[1] == 99);
    assert_true(m.stride[1] == 256 && m.step[1] == 2 && m.type == WW_TENSOR_BF16 && m.fill == 1);
    assert_null(ww_tensor_map_problem(&m));
    assert_true(ww_tensor_map_replace(&m, WW_TENSOR_FIELD_ELEMTYPE, 0, 8)); /* .f32.ftz of PTX */
    assert_true(m.type == WW_TENSOR_F32_FTZ && m.stride[0] == 4);
    assert_false(ww_tensor_map_replace(&m, WW_TENSOR_FIELD_GLOBAL_STRIDE, 4, 256));
    assert_false(ww_tensor_map_replace(&m, WW_TENSOR_FIELD_BOX_DIM, 5, 8));
    assert_true(ww_tensor_map_replace(&m, WW_TENSOR_FIELD_ELEMTYPE, 0, 13)); /* of Blackwell */
    assert_non_null(ww_tensor_map_problem(&m));
}

/* What is wrong stays wrong in the bytes, however large. */
static void wrong_values_survive_the_bytes(void **state)
{
    (void)state;
    static const uint64_t large[] = {257, 256 + 65536, UINT32_MAX, 1ull << 40, UINT64_MAX};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        for (unsigned f = WW_TENSOR_FIELD_RANK; f < WW_TENSOR_FIELD_COUNT; f++) {
            unsigned char bytes[WW_TENSOR_MAP_BYTES];
            ww_tensor_map m = good(), out;
            bool fits = f == WW_TENSOR_FIELD_GLOBAL_DIM ||
                        (f == WW_TENSOR_FIELD_GLOBAL_STRIDE && large[i] % 16 == 0 &&
                         large[i] < 1ull << 40) ||
                        ((uint32_t)large[i] == 0 && f != WW_TENSOR_FIELD_GLOBAL_STRIDE);
            assert_true(ww_tensor_map_replace(&m, (ww_tensor_field)f, 1, large[i]));
            ww_tensor_map_encode(&m, bytes);
            assert_true(ww_tensor_map_decode(bytes, &out));
            assert_true(fits || ww_tensor_map_problem(&out) != NULL);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_keep_the_rules),
        cmocka_unit_test(interleaved_tiles_keep_the_rules),
        cmocka_unit_test(columns_keep_the_rules),
        cmocka_unit_test(bytes_hold_all_of_it),
        cmocka_unit_test(other_bytes_are_no_map),
        cmocka_unit_test(fields_are_replaced),
        cmocka_unit_test(wrong_values_survive_the_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
