/* test_volta_tile.c - does a tile go to the lanes of a Volta as often as was measured, by the
 * instructions of the machine? */
#include "perf/sm/volta_tile.h"
#include "tests/support/test.h"
#include "tests/unit/sm/kernels.h"

enum { SIDE = 16 };

static ww_arch volta(void)
{
    ww_arch a = small_arch();
    a.chip.compute_capability = 70;
    a.ldst.shared_banks = 32;
    return a;
}

static ww_inst tile(ww_sub matrix, ww_type type, unsigned layout)
{
    return (ww_inst){.op = WW_OP_WMMA_LOAD,
                     .type = (uint8_t)type,
                     .sub = (uint8_t)matrix,
                     .tile = WW_TILE_M16N16K16,
                     .layout = (uint8_t)layout};
}

/* Both factors twice, sums once, whichever way they lie. */
static void elements_are_held_as_often_as_measured(void **state)
{
    (void)state;
    static const struct {
        ww_sub matrix;
        ww_type type;
        unsigned times;
    } matrices[] = {{WW_SUB_A, WW_T_F16, 2},
                    {WW_SUB_B, WW_T_F16, 2},
                    {WW_SUB_C, WW_T_F16, 1},
                    {WW_SUB_C, WW_T_F32, 1}};
    ww_arch arch = volta();
    for (unsigned k = 0; k < 2 * WW_ARRAY_LEN(matrices); k++) {
        const ww_type type = matrices[k / 2].type;
        const unsigned bytes = ww_type_bytes(type), stride = 100;
        ww_inst inst = tile(matrices[k / 2].matrix, type, k % 2);
        const ww_tile_moves moves = ww__volta_tile_moves(&arch, &inst);
        unsigned held[SIDE][SIDE] = {{0}};
        assert_int_equal(moves.count * moves.bytes * WW_WARP_SIZE,
                         matrices[k / 2].times * SIDE * SIDE * bytes);
        for (unsigned i = 0; i < moves.count; i++) {
            for (unsigned lane = 0; lane < WW_WARP_SIZE; lane++) {
                const uint32_t at = ww__volta_tile_offset(&inst, lane, i, stride);
                for (unsigned b = 0; b < moves.bytes; b += bytes) {
                    assert_in_range(at / stride, 0, SIDE - 1);
                    assert_in_range((at % stride + b) / bytes, 0, SIDE - 1);
                    held[at / stride][(at % stride + b) / bytes]++;
                }
            }
        }
        for (unsigned e = 0; e < SIDE * SIDE; e++) {
            assert_int_equal(held[e / SIDE][e % SIDE], matrices[k / 2].times);
        }
    }
}

static void other_machines_and_tiles_move_otherwise(void **state)
{
    (void)state;
    ww_arch arch = volta();
    ww_inst inst = tile(WW_SUB_A, WW_T_F16, 0);
    assert_int_equal(ww__volta_tile_moves(&arch, &inst).count, 2);
    arch.chip.compute_capability = 75;
    assert_int_equal(ww__volta_tile_moves(&arch, &inst).count, 0);
    arch.chip.compute_capability = 70;
    inst.tile = WW_TILE_M32N8K16;
    assert_int_equal(ww__volta_tile_moves(&arch, &inst).count, 0);
    inst = tile(WW_SUB_A, WW_T_F16, 0);
    inst.op = WW_OP_LD;
    assert_int_equal(ww__volta_tile_moves(&arch, &inst).count, 0);
}

/* One wmma.load of a factor from shared memory, its rows one behind the other. */
static uint64_t counted(const ww_arch *arch, unsigned layout, ww_counter counter)
{
    code c = {0};
    machine m;
    ww_operand dst[8], src[2] = {imm(0), imm(SIDE)};
    for (unsigned i = 0; i < WW_ARRAY_LEN(dst); i++) {
        dst[i] = reg(8 + i);
    }
    ww_inst *load = put(&c, WW_OP_WMMA_LOAD, WW_T_F16, WW_ARRAY_LEN(dst), dst, 2, src);
    load->sub = WW_SUB_A;
    load->tile = WW_TILE_M16N16K16;
    load->layout = (uint8_t)layout;
    load->space = WW_SPACE_SHARED;
    finish(&c);
    machine_open(&m, arch, as_kernel(&c, 32), 32);
    start_cta(&m);
    until(&m, WW_C_SHARED_INST, 1);
    uint64_t n = get(&m, counter);
    machine_close(&m);
    return n;
}

static void a_load_takes_the_instructions_of_the_machine(void **state)
{
    (void)state;
    ww_arch arch = volta();
    assert_int_equal(counted(&arch, 0, WW_C_SHARED_INST), 2);
    assert_int_equal(counted(&arch, 0, WW_C_SHARED_LANES), 2 * 32 * 4);
    assert_int_equal(counted(&arch, 1, WW_C_SHARED_INST), 4);
    arch.chip.compute_capability = 75;
    assert_int_equal(counted(&arch, 0, WW_C_SHARED_INST), 1);
    assert_int_equal(counted(&arch, 0, WW_C_SHARED_LANES), 32 * 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_held_as_often_as_measured),
        cmocka_unit_test(other_machines_and_tiles_move_otherwise),
        cmocka_unit_test(a_load_takes_the_instructions_of_the_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
