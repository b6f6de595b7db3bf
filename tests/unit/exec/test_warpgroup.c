/* Do a warp's rows of wgmma come out as the manual defines them, bit for bit with every extension
 * of the host? Matrices are put into registers and shared memory element by element at the places
 * that the layouts name, and multiplied here in the order that lanes/warpgroup.c states. */
#include <string.h>

#include "perf/exec/lanes/half.h"
#include "perf/exec/lanes/warpgroup.h"
#include "perf/exec/matrix/warpgroup.h"
#include "tests/support/test.h"
#include "tests/support/warpgroup_reference.h"

enum { SHARED = 65536, START = 0x400 };

/* Packed tiles: 8 x 16 B cores, or rows of the swizzle. */
static ww_matrix_descriptor tile(const ww_warpgroup_shape *s, uint32_t start, unsigned span,
                                 unsigned lines, bool transposed)
{
    ww_matrix_descriptor d = {.start = start, .span = (uint8_t)span};
    unsigned cores = lines / 8;
    if (transposed) {
        d.stride = span == 0 ? 128 : span * 8;
        d.leading = span == 0 ? cores * 128 : span * 8 * (s->units / 8u);
    } else {
        d.stride = span == 0 ? 256 : span * 8;
        d.leading = 128;
    }
    return d;
}

/* One store per element, at the address of its place. */
static void put(const ww_matrix_descriptor *d, const ww_warpgroup_shape *s, bool transposed,
                unsigned first, unsigned lines, uint32_t (*elements)[32], unsigned char *shared)
{
    for (unsigned line = 0; line < lines; line++) {
        for (unsigned k = 0; k < s->units; k++) {
            uint32_t at = ww_matrix_descriptor_address(d, first + line, k, s->bytes, transposed);
            assert_true(at + s->bytes <= SHARED);
            memcpy(shared + at, &elements[line][k], s->bytes);
        }
    }
}

static void hold_factors(const ww_warpgroup_shape *s, const reference_matrices *m,
                         uint32_t reg[4][32])
{
    memset(reg, 0, 4 * sizeof *reg);
    for (unsigned lane = 0; lane < 32; lane++) {
        for (unsigned i = 0; i < 16u / s->bytes; i++) {
            unsigned row, k;
            ww_warpgroup_factor(lane, i, s->bytes, &row, &k);
            reg[i * s->bytes / 4][lane] |= m->a[row][k] << i * s->bytes % 4 * 8;
        }
    }
}

static void check(const ww_warpgroup_shape *s, unsigned span, uint32_t seed)
{
    static unsigned char shared[SHARED];
    static unsigned char a[16 * WW_FACTOR_BYTES], b[WW_FACTOR_MOST];
    static uint32_t plane[128][32], out[128][32];
    static reference_matrices m;
    uint32_t *d[128];
    bool half = s->type_d == WW_T_F16;
    unsigned registers = ww__warpgroup_registers(s), warp = seed % 4;
    uint32_t reg[4][32], at;
    for (unsigned k = 0; k < s->units; k++) {
        for (unsigned row = 0; row < 16; row++) {
            m.a[row][k] = reference_element(s->type_a, &seed);
        }
        for (unsigned col = 0; col < s->n; col++) {
            m.b[col][k] = reference_element(s->type_b, &seed);
        }
    }
    memset(plane, 0, sizeof plane);
    for (unsigned i = 0; i < s->n / 2u; i++) {
        for (unsigned lane = 0; lane < 32; lane++) {
            unsigned row, col;
            uint32_t v = half                          ? reference_element(WW_T_F16, &seed)
                         : ww_type_is_float(s->type_a) ? reference_element(WW_T_TF32, &seed)
                                                       : reference_bits(&seed);
            ww_warpgroup_sum(lane, i, &row, &col);
            m.sums[row][col] = v;
            plane[half ? i / 2 : i][lane] |= half ? v << 16 * (i % 2) : v;
        }
    }
    for (unsigned i = 0; i < registers; i++) {
        d[i] = out[i];
    }
    ww_matrix_descriptor da = tile(s, START, span, 64, s->transposed_a);
    ww_matrix_descriptor db = tile(s, START + 16384, span, 256, s->transposed_b);
    put(&da, s, s->transposed_a, 16 * warp, 16, m.a, shared);
    put(&db, s, s->transposed_b, 0, s->n, m.b, shared);
    hold_factors(s, &m, reg);
    if (s->descriptor_a) {
        assert_true(ww__warpgroup_gather(&da, s, true, 16 * warp, 16, shared, SHARED, a, &at));
    } else {
        ww__warpgroup_rows((const uint32_t *const[]){reg[0], reg[1], reg[2], reg[3]}, a);
    }
    assert_true(ww__warpgroup_gather(&db, s, false, 0, s->n, shared, SHARED, b, &at));
    const ww_lane_set *sets[3];
    unsigned count = ww__lanes_all(sets);
    for (unsigned v = 0; v < count; v++) {
        const ww_warpgroup_job job = ww__warpgroup_job(s, a, b, d, false);
        memcpy(out, plane, sizeof out);
        sets[v]->warpgroup(&job);
        for (unsigned i = 0; i < registers; i++) {
            for (unsigned lane = 0; lane < 32; lane++) {
                unsigned row, col;
                ww_warpgroup_sum(lane, half ? 2 * i : i, &row, &col);
                uint32_t want = reference_product(s, &m, row, col);
                want |= half ? reference_product(s, &m, row, col + 1) << 16 : 0;
                if (out[i][lane] != want) {
                    fail_msg("%s n %u span %u: register %u lane %u is %08x, expected %08x (%s)",
                             ww_type_name(s->type_a), s->n, span, i, lane, out[i][lane], want,
                             sets[v]->name);
                }
            }
        }
    }
}

/* Every swizzle and source of A; transposes and signs where the type has them. */
static void check_type(ww_type a, ww_type b, ww_type d, unsigned bytes, bool saturates)
{
    static const uint16_t columns[] = {8, 24, 32, 64, 144, 256};
    static const uint8_t spans[] = {0, 32, 64, 128};
    uint32_t seed = (uint32_t)a * 77 + (uint32_t)b;
    for (unsigned c = 0; c < sizeof columns / sizeof *columns; c++) {
        for (unsigned k = 0; k < 16; k++) {
            ww_warpgroup_shape s = {.type_a = a,
                                    .type_b = b,
                                    .type_d = d,
                                    .n = columns[c],
                                    .units = (uint8_t)(32 / bytes),
                                    .bytes = (uint8_t)bytes,
                                    .saturates = saturates,
                                    .descriptor_a = (k & 1) != 0,
                                    .transposed_a = bytes == 2 && (k & 3) == 3,
                                    .transposed_b = bytes == 2 && (k & 2) != 0,
                                    .negated_a = ww_type_is_float(a) && (k & 4) != 0,
                                    .negated_b = ww_type_is_float(a) && (k & 8) != 0};
            /* A transposed tile of B narrower than the swizzle has no whole rows. */
            unsigned span = spans[(k + c) % 4];
            check(&s, s.n * 2u < span ? 0 : span, seed + 16 * c + k);
        }
    }
}

static void halves(void **state)
{
    (void)state;
    check_type(WW_T_F16, WW_T_F16, WW_T_F32, 2, false);
    check_type(WW_T_F16, WW_T_F16, WW_T_F16, 2, false);
    check_type(WW_T_BF16, WW_T_BF16, WW_T_F32, 2, false);
}

static void words_of_tf32(void **state)
{
    (void)state;
    check_type(WW_T_TF32, WW_T_TF32, WW_T_F32, 4, false);
}

static void floats_of_eight_bits(void **state)
{
    (void)state;
    const ww_type type[] = {WW_T_E4M3, WW_T_E5M2};
    for (unsigned k = 0; k < 4; k++) {
        check_type(type[k % 2], type[k / 2], WW_T_F32, 1, false);
        check_type(type[k % 2], type[k / 2], WW_T_F16, 1, false);
    }
}

static void integers(void **state)
{
    (void)state;
    const ww_type type[] = {WW_T_S8, WW_T_U8};
    for (unsigned k = 0; k < 8; k++) {
        check_type(type[k % 2], type[k / 2 % 2], WW_T_S32, 1, k >= 4);
    }
    check_type(WW_T_B1, WW_T_B1, WW_T_S32, 4, false);
}

/* A tile that runs over the end of shared memory is told, with its first address beyond. */
static void tiles_beyond_shared_memory(void **state)
{
    (void)state;
    static unsigned char shared[SHARED];
    static unsigned char b[WW_FACTOR_MOST];
    const ww_warpgroup_shape s = {
        .type_a = WW_T_F16, .type_d = WW_T_F32, .n = 64, .units = 16, .bytes = 2};
    ww_matrix_descriptor d = tile(&s, 0xf800, 128, 64, false);
    uint32_t at = 0;
    assert_false(ww__warpgroup_gather(&d, &s, false, 0, 64, shared, SHARED, b, &at));
    assert_true(at >= 0x10000 && at < 0x10080);
    d.stride = 0x3fff0;
    d.start = 0x3fff0;
    assert_false(ww__warpgroup_gather(&d, &s, false, 0, 64, shared, SHARED, b, &at));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves),
        cmocka_unit_test(words_of_tf32),
        cmocka_unit_test(floats_of_eight_bits),
        cmocka_unit_test(integers),
        cmocka_unit_test(tiles_beyond_shared_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
