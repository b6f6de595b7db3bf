/* test_matrix.c - is the time of a warp group's products that which rates, operands and the port of
 * shared memory make it? Worked out by hand: a product of 64 x N has N / 2 cycles in the unit, its
 * B takes N / 4 rows of 128 B and its A, from shared memory, 16; its sums are there 43 cycles
 * later, 41 with A in registers. */
#include "tests/support/test.h"

#include <string.h>

#include "isa/fragment.h"
#include "isa/tensor_map.h"
#include "isa/warpgroup.h"
#include "perf/sm/async/matrix.h"

static const ww_async_params params = {.matrix_f16 = 1024,
                                       .matrix_tf32 = 512,
                                       .matrix_f8 = 2048,
                                       .matrix_s8 = 2048,
                                       .matrix_b1 = 16384,
                                       .matrix_floor_shared = 18,
                                       .matrix_floor_registers = 13,
                                       .matrix_tail_shared = 43,
                                       .matrix_tail_registers = 41,
                                       .matrix_queue = 8};

static ww_matrix_work work(const char *tile, ww_type type, bool shared)
{
    const ww_inst inst = {.op = WW_OP_WGMMA,
                          .type = WW_T_F32,
                          .type2 = (uint8_t)type,
                          .tile = (uint8_t)ww_tile_find(tile, (unsigned)strlen(tile)),
                          .layout = shared ? WW_LAYOUT_A_SHARED : 0};
    assert_int_not_equal(inst.tile, WW_TILE_NONE);
    return ww_matrix_work_of(&params, &inst);
}

static void issue(ww_matrix *m, uint32_t team, ww_matrix_work w)
{
    for (uint32_t i = 0; i < WW_MATRIX_WARPS; i++) {
        ww_matrix_issue(m, team, i, w);
    }
}

/* Runs it, from event to event, until a team has so many products done; the cycle. */
static uint64_t until_done(ww_matrix *m, uint32_t team, uint32_t done)
{
    uint64_t now = 0;
    while (ww_matrix_done(m, team) < done) {
        uint32_t who;
        now = ww_matrix_next(m);
        assert_true(now != UINT64_MAX);
        while (ww_matrix_done(m, team) < done && ww_matrix_act(m, now, &who)) {
        }
    }
    return now;
}

/* The mean interval of eight products that follow each other. */
static uint64_t interval(ww_matrix_work w)
{
    static ww_matrix m;
    ww_smem_port port;
    ww_smem_port_reset(&port, 0);
    ww_matrix_reset(&m, &port, 8);
    for (unsigned i = 0; i < 8; i++) {
        issue(&m, 0, w);
    }
    uint64_t first = until_done(&m, 0, 1), last = until_done(&m, 0, 8);
    assert_int_equal((last - first) % 7, 0);
    return (last - first) / 7;
}

/* A in shared memory: max(N / 2, 16 + N / 4, 18); in registers: max(N / 2, N / 4, 13). */
static void intervals_by_width(void **state)
{
    (void)state;
    static const struct {
        const char *tile;
        unsigned shared, registers;
    } rows[] = {{"m64n8k16", 18, 13},  {"m64n16k16", 20, 13},  {"m64n32k16", 24, 16},
                {"m64n64k16", 32, 32}, {"m64n128k16", 64, 64}, {"m64n256k16", 128, 128}};
    for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
        assert_int_equal(interval(work(rows[i].tile, WW_T_F16, true)), rows[i].shared);
        assert_int_equal(interval(work(rows[i].tile, WW_T_BF16, false)), rows[i].registers);
    }
}

/* 64 x 256 of every type takes 128 cycles: half the depth at half the rate, twice at twice. */
static void every_type_has_its_rate(void **state)
{
    (void)state;
    static const struct {
        const char *tile;
        ww_type type;
    } rows[] = {{"m64n256k8", WW_T_TF32},  {"m64n256k16", WW_T_BF16}, {"m64n256k32", WW_T_E4M3},
                {"m64n256k32", WW_T_E5M2}, {"m64n256k32", WW_T_S8},   {"m64n256k32", WW_T_U8},
                {"m64n256k256", WW_T_B1}};
    for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
        const ww_matrix_work w = work(rows[i].tile, rows[i].type, true);
        assert_int_equal(w.cycles, 128);
        assert_int_equal(w.rows, 16 + 64);
    }
}

/* One product and its sums: N / 2 + 43. Eight of N = 128 in a row: 8 * 64 + 43. */
static void sums_come_a_tail_later(void **state)
{
    (void)state;
    static ww_matrix m;
    ww_smem_port port;
    ww_smem_port_reset(&port, 0);
    ww_matrix_reset(&m, &port, 8);
    issue(&m, 0, work("m64n64k16", WW_T_BF16, true));
    assert_int_equal(until_done(&m, 0, 1), 75);
    ww_matrix_reset(&m, &port, 8);
    ww_smem_port_reset(&port, 0);
    for (unsigned i = 0; i < 8; i++) {
        issue(&m, 0, work("m64n128k16", WW_T_BF16, true));
    }
    assert_int_equal(until_done(&m, 0, 8), 555);
    assert_int_equal(m.busy, 512);
}

/* The last of the four warps counts, and products of two warp groups go in that order. */
static void the_last_warp_makes_a_product_ready(void **state)
{
    (void)state;
    static ww_matrix m;
    ww_smem_port port;
    const ww_matrix_work w = work("m64n64k16", WW_T_F16, true);
    ww_smem_port_reset(&port, 0);
    ww_matrix_reset(&m, &port, 8);
    for (uint32_t i = 0; i < 3; i++) {
        ww_matrix_issue(&m, 0, i, w);
    }
    assert_true(ww_matrix_next(&m) == UINT64_MAX);
    issue(&m, 1, w);
    ww_matrix_issue(&m, 0, 3, w);
    assert_int_equal(until_done(&m, 1, 1), 32 + 43);
    assert_int_equal(ww_matrix_done(&m, 0), 0);
    assert_int_equal(until_done(&m, 0, 1), 64 + 43);
}

/* Groups complete in order: of three, of one product each, those but one are done with the second
 * product. A queue of two has no room after two products that have not begun, but for those warps
 * whose group has another's place. */
static void groups_and_queues(void **state)
{
    (void)state;
    static ww_matrix m;
    ww_smem_port port;
    const ww_matrix_work w = work("m64n64k16", WW_T_F16, true);
    ww_smem_port_reset(&port, 0);
    ww_matrix_reset(&m, &port, 2);
    assert_int_equal(ww_matrix_until(&m, 0, 2, 0), 0);
    for (unsigned g = 0; g < 3; g++) {
        assert_int_equal(ww_matrix_room(&m, 0, 2), g != 2);
        issue(&m, 0, w);
        ww_matrix_commit(&m, 0, 2);
    }
    assert_int_equal(ww_matrix_until(&m, 0, 2, 0), 3);
    assert_int_equal(ww_matrix_until(&m, 0, 2, 1), 2);
    assert_int_equal(ww_matrix_until(&m, 0, 2, 3), 0);
    assert_int_equal(ww_matrix_until(&m, 0, 1, 0), 0);
    uint32_t who;
    assert_true(ww_matrix_act(&m, 0, &who));
    assert_false(ww_matrix_room(&m, 0, 2));
    assert_int_equal(until_done(&m, 0, 1), 75);
    assert_true(ww_matrix_room(&m, 0, 2));
}

/* Two teams whose warps come in opposite order: the queue's places are taken by products, not by
 * warps, so that the team that was first has them all, and goes through. */
static void teams_do_not_wait_for_each_other(void **state)
{
    (void)state;
    static ww_matrix m;
    ww_smem_port port;
    uint32_t left[2] = {6, 6}, issued[2][WW_MATRIX_WARPS] = {{0}};
    const ww_matrix_work w = work("m64n64k16", WW_T_F16, true);
    ww_smem_port_reset(&port, 0);
    ww_matrix_reset(&m, &port, 2);
    for (uint64_t now = 0; left[0] + left[1] > 0; now++) {
        assert_true(now < 10000);
        for (uint32_t i = 0; i < WW_MATRIX_WARPS; i++) {
            const uint32_t team = (i + now) % 2; /* in cycle 0 even warps of 0, odd ones of 1 */
            if (issued[team][i] < 6 && ww_matrix_room(&m, team, i)) {
                ww_matrix_issue(&m, team, i, w);
                issued[team][i]++;
            }
        }
        for (uint32_t who; ww_matrix_act(&m, now, &who);) {
            left[0] -= who == 0;
            left[1] -= who == 1;
        }
    }
    assert_int_equal(m.begun, 12);
}

/* Another user of the port in every second cycle leaves 64 B a cycle: what reads 64 rows in 128
 * cycles still does, what reads 80 takes 160. */
static void the_port_is_shared(void **state)
{
    (void)state;
    static ww_matrix m;
    ww_smem_port port;
    uint32_t who;
    for (unsigned shared = 0; shared < 2; shared++) {
        ww_smem_port_reset(&port, 0);
        ww_matrix_reset(&m, &port, 8);
        for (uint64_t c = 1; c < 512; c += 2) {
            assert_int_equal(ww_smem_port_take(&port, 0, c, 1), c + 1);
        }
        issue(&m, 0, work("m64n256k16", WW_T_F16, shared == 1));
        assert_true(ww_matrix_act(&m, 0, &who));
        assert_in_range(m.free_at, shared == 1 ? 159 : 128, shared == 1 ? 160 : 128);
    }
}

/* Loads of warps take what is left, and cycles that have passed are forgotten. */
static void the_port_forgets(void **state)
{
    (void)state;
    ww_smem_port port;
    ww_smem_port_reset(&port, 100);
    assert_int_equal(ww_smem_port_take(&port, 100, 100, 4), 104);
    assert_int_equal(ww_smem_port_take(&port, 100, 100, 1), 105);
    assert_int_equal(ww_smem_port_spread(&port, 100, 110, 4, 8), 117);
    assert_int_equal(ww_smem_port_take(&port, 100, 110, 4), 118);
    assert_int_equal(ww_smem_port_take(&port, 100 + WW_SMEM_AHEAD, 100 + WW_SMEM_AHEAD, 4),
                     104 + WW_SMEM_AHEAD);
    assert_int_equal(ww_smem_port_take(&port, 1000000, 1000000, 2), 1000002);
}

/* Eight rows of 16 B that a matrix descriptor names, as the unit reads them, lie in different
 * banks, whatever the swizzle, where its pattern begins and how far apart groups of rows are. */
static void no_descriptor_meets_a_bank_twice(void **state)
{
    (void)state;
    static const uint32_t spans[] = {0, 32, 64, 128};
    for (size_t s = 0; s < WW_ARRAY_LEN(spans); s++) {
        const uint32_t pitch = spans[s] == 0 ? 16 : spans[s];
        for (uint32_t start = 0; start < 2048; start += pitch == 16 ? 16 : pitch * 8) {
            for (uint32_t k = 0; k < pitch; k += 16) {
                uint32_t banks = 0;
                for (uint32_t r = 0; r < 8; r++) {
                    banks |= 1u << (ww_swizzled(start + r * pitch + k, spans[s]) / 16 % 8);
                }
                assert_int_equal(banks, 0xff);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_by_width),
        cmocka_unit_test(every_type_has_its_rate),
        cmocka_unit_test(sums_come_a_tail_later),
        cmocka_unit_test(the_last_warp_makes_a_product_ready),
        cmocka_unit_test(groups_and_queues),
        cmocka_unit_test(teams_do_not_wait_for_each_other),
        cmocka_unit_test(the_port_is_shared),
        cmocka_unit_test(the_port_forgets),
        cmocka_unit_test(no_descriptor_meets_a_bank_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
