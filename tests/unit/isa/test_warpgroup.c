/* Does each element of wgmma's matrices lie where the manual's layouts put it, in registers and in
 * shared memory? Expected places are worked out from the definitions in the PTX ISA ("Register
 * Fragments", "Shared Memory Matrix Layout", "Swizzling modes"), not by the code under test. */
#include <string.h>

#include "isa/tensor_map.h"
#include "isa/warpgroup.h"
#include "tests/support/test.h"

/* 64 bits of a descriptor, as a program puts them together. */
static uint64_t descriptor(uint32_t start, uint32_t leading, uint32_t stride, unsigned span)
{
    uint64_t mode = span == 128 ? 1 : span == 64 ? 2 : span == 32 ? 3 : 0;
    return (start & 0x3ffff) >> 4 | (uint64_t)(leading >> 4) << 16 | (uint64_t)(stride >> 4) << 32 |
           mode << 62;
}

typedef struct place {
    uint32_t bytes, start, span, stride, leading, line, k, address;
} place;

static void check_places(const place *p, size_t count, bool transposed)
{
    for (size_t i = 0; i < count; i++, p++) {
        ww_matrix_descriptor d;
        uint64_t bits = descriptor(p->start, p->leading, p->stride, p->span);
        assert_null(ww_matrix_descriptor_decode(bits, &d));
        uint32_t at = ww_matrix_descriptor_address(&d, p->line, p->k, p->bytes, transposed);
        assert_int_equal(at, p->address);
    }
}

static void k_major_tiles_lie_as_swizzled(void **state)
{
    (void)state;
    /* bytes, start, span, stride, leading, row, k, address */
    static const place rows[] = {
        {2, 0x400, 0, 256, 128, 0, 0, 0x400},    {2, 0x400, 0, 256, 128, 1, 0, 0x410},
        {2, 0x400, 0, 256, 128, 5, 3, 0x456},    {2, 0x400, 0, 256, 128, 5, 11, 0x4d6},
        {2, 0x400, 0, 256, 128, 8, 8, 0x580},    {2, 0x400, 0, 256, 128, 13, 15, 0x5de},
        {2, 0x400, 0, 256, 128, 63, 7, 0xb7e},   {2, 0x400, 32, 256, 0, 0, 0, 0x400},
        {2, 0x400, 32, 256, 0, 1, 0, 0x420},     {2, 0x400, 32, 256, 0, 5, 3, 0x4b6},
        {2, 0x400, 32, 256, 0, 5, 11, 0x4a6},    {2, 0x400, 32, 256, 0, 8, 8, 0x510},
        {2, 0x400, 32, 256, 0, 13, 15, 0x5ae},   {2, 0x400, 32, 256, 0, 63, 7, 0xbfe},
        {2, 0x400, 64, 512, 0, 0, 0, 0x400},     {2, 0x400, 64, 512, 0, 1, 0, 0x440},
        {2, 0x400, 64, 512, 0, 5, 3, 0x566},     {2, 0x400, 64, 512, 0, 5, 11, 0x576},
        {2, 0x400, 64, 512, 0, 8, 8, 0x610},     {2, 0x400, 64, 512, 0, 13, 15, 0x77e},
        {2, 0x400, 64, 512, 0, 63, 7, 0x13fe},   {2, 0x400, 128, 1024, 0, 0, 0, 0x400},
        {2, 0x400, 128, 1024, 0, 1, 0, 0x490},   {2, 0x400, 128, 1024, 0, 5, 3, 0x6d6},
        {2, 0x400, 128, 1024, 0, 5, 11, 0x6c6},  {2, 0x400, 128, 1024, 0, 8, 8, 0x810},
        {2, 0x400, 128, 1024, 0, 13, 15, 0xace}, {2, 0x400, 128, 1024, 0, 63, 7, 0x23fe},
        {2, 0x420, 128, 1024, 0, 5, 3, 0x6f6},   {2, 0x420, 128, 1024, 0, 9, 1, 0x8b2},
        {1, 0x400, 128, 1024, 0, 0, 0, 0x400},   {1, 0x400, 128, 1024, 0, 3, 20, 0x5a4},
        {1, 0x400, 128, 1024, 0, 7, 31, 0x7ef},  {4, 0x400, 64, 512, 0, 0, 0, 0x400},
        {4, 0x400, 64, 512, 0, 3, 5, 0x4c4},     {4, 0x400, 64, 512, 0, 7, 7, 0x5ec},
    };
    check_places(rows, sizeof rows / sizeof *rows, false);
}

static void mn_major_tiles_lie_as_swizzled(void **state)
{
    (void)state;
    /* bytes, start, span, stride, leading, mn, k, address */
    static const place rows[] = {
        {2, 0x800, 0, 128, 1024, 0, 0, 0x800},     {2, 0x800, 0, 128, 1024, 9, 0, 0x882},
        {2, 0x800, 0, 128, 1024, 17, 3, 0x932},    {2, 0x800, 0, 128, 1024, 40, 9, 0xe90},
        {2, 0x800, 0, 128, 1024, 70, 15, 0x107c},  {2, 0x800, 32, 256, 512, 0, 0, 0x800},
        {2, 0x800, 32, 256, 512, 9, 0, 0x812},     {2, 0x800, 32, 256, 512, 17, 3, 0xa62},
        {2, 0x800, 32, 256, 512, 40, 9, 0xd30},    {2, 0x800, 32, 256, 512, 70, 15, 0x11fc},
        {2, 0x800, 64, 512, 1024, 0, 0, 0x800},    {2, 0x800, 64, 512, 1024, 9, 0, 0x812},
        {2, 0x800, 64, 512, 1024, 17, 3, 0x8f2},   {2, 0x800, 64, 512, 1024, 40, 9, 0xe50},
        {2, 0x800, 64, 512, 1024, 70, 15, 0x13fc}, {2, 0x800, 128, 1024, 2048, 0, 0, 0x800},
        {2, 0x800, 128, 1024, 2048, 9, 0, 0x812},  {2, 0x800, 128, 1024, 2048, 17, 3, 0x992},
        {2, 0x800, 128, 1024, 2048, 40, 9, 0xcc0}, {2, 0x800, 128, 1024, 2048, 70, 15, 0x17fc},
    };
    check_places(rows, sizeof rows / sizeof *rows, true);
}

static void boxes_are_swizzled_on_absolute_addresses(void **state)
{
    (void)state;
    static const struct {
        uint32_t start, span, width, y, x, address;
    } rows[] = {
        {0x1400, 128, 64, 0, 0, 0x1400},  {0x1400, 128, 64, 0, 8, 0x1410},
        {0x1400, 128, 64, 1, 0, 0x1490},  {0x1400, 128, 64, 3, 40, 0x15e0},
        {0x1400, 128, 64, 7, 63, 0x178e}, {0x1400, 64, 32, 0, 0, 0x1400},
        {0x1400, 64, 32, 2, 0, 0x1490},   {0x1400, 64, 32, 3, 17, 0x14f2},
        {0x1400, 64, 32, 7, 31, 0x15ce},  {0x1400, 32, 16, 0, 0, 0x1400},
        {0x1400, 32, 16, 4, 0, 0x1490},   {0x1400, 32, 16, 5, 9, 0x14a2},
        {0x1400, 32, 16, 7, 15, 0x14ee},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t linear = rows[i].start + 2 * (rows[i].y * rows[i].width + rows[i].x);
        assert_int_equal(ww_swizzled(linear, rows[i].span), rows[i].address);
    }
}

static void fragments_are_held_by_the_right_threads(void **state)
{
    (void)state;
    static const struct {
        unsigned bytes; /* of A; 0: D */
        unsigned thread, element, row, column;
    } rows[] = {
        {0, 0, 0, 0, 0},       {0, 1, 1, 0, 3},      {0, 37, 2, 25, 2}, {0, 37, 127, 25, 251},
        {0, 127, 64, 55, 134}, {0, 90, 13, 38, 29},  {2, 0, 0, 0, 0},   {2, 5, 3, 9, 3},
        {2, 70, 6, 41, 12},    {2, 127, 7, 63, 15},  {1, 0, 0, 0, 0},   {1, 5, 6, 9, 6},
        {1, 70, 9, 33, 25},    {1, 127, 15, 63, 31}, {4, 0, 0, 0, 0},   {4, 5, 1, 9, 1},
        {4, 70, 2, 33, 6},     {4, 127, 3, 63, 7},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned row, column, lane = rows[i].thread % 32;
        if (rows[i].bytes == 0) {
            ww_warpgroup_sum(lane, rows[i].element, &row, &column);
        } else {
            ww_warpgroup_factor(lane, rows[i].element, rows[i].bytes, &row, &column);
        }
        assert_int_equal(16 * (rows[i].thread / 32) + row, rows[i].row);
        assert_int_equal(column, rows[i].column);
    }
}

/* Every element of A and D is held once. */
static void fragments_cover_their_matrices(void **state)
{
    (void)state;
    static const struct {
        unsigned bytes, elements, columns;
    } rows[] = {{0, 128, 256}, {2, 8, 16}, {1, 16, 32}, {4, 4, 8}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned char seen[16][256] = {{0}};
        for (unsigned lane = 0; lane < 32; lane++) {
            for (unsigned e = 0; e < rows[i].elements; e++) {
                unsigned row, column;
                if (rows[i].bytes == 0) {
                    ww_warpgroup_sum(lane, e, &row, &column);
                } else {
                    ww_warpgroup_factor(lane, e, rows[i].bytes, &row, &column);
                }
                assert_true(row < 16 && column < rows[i].columns);
                assert_int_equal(seen[row][column]++, 0);
            }
        }
    }
}

/* No two elements of a packed tile share an address, whatever the swizzle. */
static void tiles_do_not_overlap(void **state)
{
    (void)state;
    for (unsigned span = 16; span <= 128; span *= 2) {
        unsigned char seen[8192] = {0};
        ww_matrix_descriptor d;
        bool plain = span == 16;
        uint64_t bits =
            descriptor(0x400, plain ? 128 : 16, plain ? 256 : 8 * span, plain ? 0 : span);
        assert_null(ww_matrix_descriptor_decode(bits, &d));
        for (unsigned row = 0; row < 64; row++) {
            for (unsigned k = 0; k < (plain ? 16 : span / 2); k++) {
                uint32_t at = ww_matrix_descriptor_address(&d, row, k, 2, false) - 0x400;
                assert_true(at < sizeof seen && at % 2 == 0);
                assert_int_equal(seen[at % sizeof seen]++, 0);
            }
        }
    }
}

/* A base offset moves the pattern, as if the tile began that many rows of 128 B further on. */
static void a_base_offset_moves_the_pattern(void **state)
{
    (void)state;
    ww_matrix_descriptor plain, moved;
    assert_null(ww_matrix_descriptor_decode(descriptor(0x400, 16, 1024, 128), &plain));
    assert_null(ww_matrix_descriptor_decode(descriptor(0x400, 16, 1024, 128) | 2ull << 49, &moved));
    uint32_t a = ww_matrix_descriptor_address(&plain, 2, 0, 2, false);
    uint32_t b = ww_matrix_descriptor_address(&moved, 0, 0, 2, false);
    assert_int_equal(b - 0x400, a - 0x400 - 2 * 128);
}

static void reserved_bits_are_found(void **state)
{
    (void)state;
    ww_matrix_descriptor d;
    uint64_t good = descriptor(0x3fff0, 0x3fff0, 0x3fff0, 32) | 7ull << 49;
    assert_null(ww_matrix_descriptor_decode(good, &d));
    assert_int_equal(d.start, 0x3fff0);
    assert_int_equal(d.leading, 0x3fff0);
    assert_int_equal(d.stride, 0x3fff0);
    assert_int_equal(d.base, 7);
    for (unsigned bit = 0; bit < 64; bit++) {
        bool used = bit < 14 || (bit >= 16 && bit < 30) || (bit >= 32 && bit < 46) ||
                    (bit >= 49 && bit < 52) || bit >= 62;
        bool refused = ww_matrix_descriptor_decode(1ull << bit, &d) != NULL;
        assert_int_equal(refused, !used);
    }
}

static void only_the_shapes_of_the_manual_exist(void **state)
{
    (void)state;
    assert_int_equal(ww_warpgroup_depth(WW_T_F16), 16);
    assert_int_equal(ww_warpgroup_depth(WW_T_TF32), 8);
    assert_int_equal(ww_warpgroup_depth(WW_T_E5M2), 32);
    assert_int_equal(ww_warpgroup_depth(WW_T_B1), 256);
    assert_int_equal(ww_warpgroup_depth(WW_T_F64), 0);
    assert_true(ww_warpgroup_columns(WW_T_BF16, 40) && ww_warpgroup_columns(WW_T_S8, 24));
    assert_false(ww_warpgroup_columns(WW_T_S8, 40) || ww_warpgroup_columns(WW_T_B1, 56));
    assert_false(ww_warpgroup_columns(WW_T_F16, 264) || ww_warpgroup_columns(WW_T_F16, 12));
    assert_false(ww_warpgroup_columns(WW_T_F16, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(k_major_tiles_lie_as_swizzled),
        cmocka_unit_test(mn_major_tiles_lie_as_swizzled),
        cmocka_unit_test(boxes_are_swizzled_on_absolute_addresses),
        cmocka_unit_test(fragments_are_held_by_the_right_threads),
        cmocka_unit_test(fragments_cover_their_matrices),
        cmocka_unit_test(tiles_do_not_overlap),
        cmocka_unit_test(a_base_offset_moves_the_pattern),
        cmocka_unit_test(reserved_bits_are_found),
        cmocka_unit_test(only_the_shapes_of_the_manual_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
