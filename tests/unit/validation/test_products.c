/* test_products.c - do the kernels of `validate products` multiply, and are elements what their
 * pattern says? */
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "validation/products.h"

enum {
    TILE = WW__PRODUCT_TILE,
    DEPTH = WW__PRODUCT_DEPTH,
    STEPS = WW__PRODUCT_PANELS * DEPTH,
    THREADS = WW__PRODUCT_THREADS,
};

static int a_of(uint32_t row, uint32_t step)
{
    return (int)((row * 3 + step * 5) % 7) - 3;
}

static int b_of(uint32_t column, uint32_t step)
{
    return (int)((column * 5 + step * 3) % 5) - 2;
}

static int sum_of(uint32_t row, uint32_t column)
{
    int sum = 1; /* it begins with 1 */
    for (uint32_t k = 0; k < STEPS; k++) {
        sum += a_of(row, k) * b_of(column, k);
    }
    return sum;
}

/* Small whole numbers, which every format holds, in the panels' order. */
static void fill(ww__product_format format, unsigned char *to, int (*of)(uint32_t, uint32_t))
{
    const uint32_t bytes = ww__product_bytes(format);
    for (uint32_t i = 0; i < TILE; i++) {
        for (uint32_t k = 0; k < STEPS; k++) {
            uint32_t bits = ww__product_sum(format, of(i, k)) & (bytes == 1 ? 0xff : UINT32_MAX);
            memcpy(to + ww__product_offset(format, i, k) * bytes, &bits, bytes);
        }
    }
}

static void check_sums(ww__product_format format, const uint32_t *sums)
{
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        for (uint32_t i = 0; i < ww__product_sums(format); i++) {
            for (uint32_t half = 0; half < (ww__product_packs(format) ? 2 : 1); half++) {
                ww__product_place at = ww__product_place_of(format, thread, i, half);
                uint32_t bits = sums[i * THREADS + thread] >> (16 * half);
                bits &= ww__product_packs(format) ? 0xffff : UINT32_MAX;
                assert_int_equal(bits, ww__product_sum(format, sum_of(at.row, at.column)) &
                                           (ww__product_packs(format) ? 0xffff : UINT32_MAX));
            }
        }
    }
}

static void check_product(ww__product_format format)
{
    ww_error err = {0};
    ww_arch *arch;
    ww_device *device;
    ww_module *module;
    ww_devptr a, b, c;
    ww_str text = {0};
    const ww_device_options options = {.isa = WW_ISA_LOWERED, .functional_only = true};
    const uint32_t bytes = TILE * STEPS * ww__product_bytes(format);
    const uint32_t panels = WW__PRODUCT_PANELS, count = THREADS * ww__product_sums(format);
    unsigned char *panel = WW_NEW_ARRAY(unsigned char, bytes);
    uint32_t *sums = WW_NEW_ARRAY(uint32_t, count);
    assert_true(panel != NULL && sums != NULL);
    assert_ok(ww_arch_load(WW_SOURCE_DIR "/configs/gpu/a100.xml", NULL, 0, &arch, &err), err);
    assert_ok(ww_device_create(arch, &options, &device, &err), err);
    ww__product_kernel(format, &text);
    assert_ok(ww_device_load_ptx(device, "product", ww_str_text(&text), text.len, &module, &err),
              err);
    assert_ok(ww_device_malloc(device, bytes, &a, &err), err);
    assert_ok(ww_device_malloc(device, bytes, &b, &err), err);
    assert_ok(ww_device_malloc(device, 4 * count, &c, &err), err);
    fill(format, panel, a_of);
    assert_ok(ww_device_write(device, a, panel, bytes, &err), err);
    fill(format, panel, b_of);
    assert_ok(ww_device_write(device, b, panel, bytes, &err), err);
    for (uint32_t i = 0; i < count; i++) {
        sums[i] = ww__product_sum(format, 1);
        sums[i] |= ww__product_packs(format) ? sums[i] << 16 : 0;
    }
    assert_ok(ww_device_write(device, c, sums, 4 * count, &err), err);
    const void *args[] = {&a, &b, &c, &panels};
    assert_ok(ww_device_launch(device, module, "product", (ww_dim3){1, 1, 1},
                               (ww_dim3){THREADS, 1, 1}, 0, args, WW_ARRAY_LEN(args), &err),
              err);
    assert_ok(ww_device_read(device, sums, c, 4 * count, &err), err);
    check_sums(format, sums);
    ww_str_fini(&text);
    ww_device_destroy(device);
    ww_arch_destroy(arch);
    ww_free(panel);
    ww_free(sums);
}

static void every_format_multiplies(void **state)
{
    (void)state;
    for (int f = 0; f < WW__PRODUCT_FORMAT_COUNT; f++) {
        check_product((ww__product_format)f);
    }
}

/* Encodings of halves worked out by hand; the least subnormal, the largest, one that is too large.
 */
static void halves_are_rounded_to_the_nearest(void **state)
{
    (void)state;
    assert_int_equal(ww__product_sum(WW__PRODUCT_HALF, 1), 0x3c00);
    assert_int_equal(ww__product_sum(WW__PRODUCT_HALF, -2.5), 0xc100);
    assert_int_equal(ww__product_sum(WW__PRODUCT_HALF, 0x1p-24), 0x0001);
    assert_int_equal(ww__product_sum(WW__PRODUCT_HALF, 65504), 0x7bff);
    assert_int_equal(ww__product_sum(WW__PRODUCT_HALF, 70000), 0x7c00);
    assert_int_equal(ww__product_sum(WW__PRODUCT_HALF, 2049), 0x6800); /* a tie: to even */
    assert_near(ww__product_number(WW__PRODUCT_HALF, 0xc100), -2.5, 0, 0);
}

static double at(const ww__product *p, uint32_t row, uint32_t column)
{
    return ww__product_number(p->format, ww__product_element(p, false, row, column, 0));
}

/* The product takes A and B by columns, of arrays filled by lines: what meets at one step of the
 * sum stands in one line of both. */
static void lines_lie_along_a_step_of_the_sum(void **state)
{
    (void)state;
    const ww__product sorted = {WW__PRODUCT_SINGLE, WW__PRODUCT_SORTED_ROWS, 1};
    for (uint32_t second = 0; second < 2; second++) {
        double last = -INFINITY;
        for (uint32_t i = 0; i < 200; i++) {
            const uint32_t place = 199 * i % 2048;
            const uint32_t row = second ? i : place, column = second ? place : i;
            double now = ww__product_number(
                sorted.format, ww__product_element(&sorted, second == 1, row, column, 0));
            assert_true(now > last);
            last = now;
        }
    }
}

/* std::partial_sort brings the least numbers to the front: what is left is larger. */
static void what_is_not_sorted_is_larger(void **state)
{
    (void)state;
    const ww__product half = {WW__PRODUCT_SINGLE, WW__PRODUCT_SORTED_INSIDE, 0.5};
    for (uint32_t step = 0; step < 20; step++) {
        double most = -INFINITY;
        for (uint32_t place = 64; place < 1024; place++) {
            assert_true(at(&half, place, step) > most);
            most = at(&half, place, step);
        }
        for (uint32_t place = 1024; place < 2048; place++) {
            assert_true(at(&half, place, step) > 0);
        }
    }
}

/* The first number of std::normal_distribution<float>(0, 1024) of libstdc++ behind seeds 1, 2, 11.
 */
static void constants_are_those_of_the_artifact(void **state)
{
    (void)state;
    const ww__product constant = {WW__PRODUCT_SINGLE, WW__PRODUCT_FLIPPED, 0};
    assert_int_equal(ww__product_element(&constant, false, 3, 5, 0), 0xc384a7dd);
    assert_int_equal(ww__product_element(&constant, true, 5, 3, 0), 0x4459692f);
    assert_int_equal(ww__product_element(&constant, true, 0, 0, 9), 0xc36bb86b);
}

static void patterns_are_what_they_say(void **state)
{
    (void)state;
    const ww__product sparse = {WW__PRODUCT_HALF, WW__PRODUCT_SPARSE, 0.25};
    const ww__product low = {WW__PRODUCT_HALF, WW__PRODUCT_LOW_RANDOM, 4};
    const ww__product turned = {WW__PRODUCT_HALF, WW__PRODUCT_FLIPPED, 5};
    const ww__product constant = {WW__PRODUCT_HALF, WW__PRODUCT_FLIPPED, 0};
    const uint32_t one = ww__product_element(&constant, false, 7, 9, 0);
    unsigned zeros = 0, seen = 0;
    for (uint32_t i = 0; i < 2000; i++) {
        uint32_t row = i / 50, column = 17 * i % 2048;
        zeros += ww__product_element(&sparse, false, row, column, 0) == 0;
        uint32_t bits = ww__product_element(&low, false, row, column, 0) ^ one;
        assert_true(bits < 16);
        seen |= bits;
        assert_int_equal(
            __builtin_popcount(ww__product_element(&turned, false, row, column, 0) ^ one), 5);
        assert_int_equal(ww__product_element(&constant, false, row, column, 0), one);
    }
    assert_near(zeros / 2000.0, 0.25, 0, 0.03);
    assert_int_equal(seen, 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_multiplies),
        cmocka_unit_test(halves_are_rounded_to_the_nearest),
        cmocka_unit_test(lines_lie_along_a_step_of_the_sum),
        cmocka_unit_test(what_is_not_sorted_is_larger),
        cmocka_unit_test(constants_are_those_of_the_artifact),
        cmocka_unit_test(patterns_are_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
