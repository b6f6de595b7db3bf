/* test_rates.c - are utilisations the counters that they say? */
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/rates.h"
#include "power/power.h"

static ww_error err;

static uint64_t total(const ww_counter_set *set, ww_counter counter)
{
    return ww_counter_total(set, counter);
}

/* A QV100, by hand: 80 SMs of 64 FP32 and integer and 32 FP64 lanes, 32 banks of 4 B, 64 slices of
 * 32 B a cycle, 32 channels of 128 bits at 2 x 848 MHz. */
static void utilisations_become_counters(void **state)
{
    (void)state;
    ww_arch *arch;
    ww_rates r;
    ww_counter_set set;
    assert_ok(ww_arch_load(WW_SOURCE_DIR "/configs/gpu/qv100.xml", NULL, 0, &arch, &err), err);
    assert_ok(
        ww_counter_set_init(&set, arch->sm.count, ww_arch_slices(arch), arch->mem.channels, &err),
        err);
    assert_ok(ww_rates_parse(arch, "fp32_fma=0.5 shared=1 dram=0.75 core_mhz=1000", &r, &err), err);
    ww_rates_fill(arch, &r, &set);
    const double fma = 0.5 * 80 * 64 * 1e9, words = 32.0 * 80 * 1e9;
    const double bytes = 0.75 * 32 * 16 * 2 * 848e6;
    assert_int_equal(total(&set, WW_C_CORE_CYCLES), 1000000000);
    assert_int_equal(total(&set, WW_C_SM_ACTIVE), 80 * 1000000000ull);
    assert_near((double)total(&set, WW_C_OP_FP32_FMA), fma, 1e-12, 0);
    assert_near((double)total(&set, WW_C_SHARED_LANES), words, 1e-12, 0);
    assert_near((double)total(&set, WW_C_SHARED_CYCLES), words / 32, 1e-12, 0);
    double bursts = (double)(total(&set, WW_C_DRAM_RD) + total(&set, WW_C_DRAM_WR));
    assert_near(bursts * 32, bytes, 1e-9, 0);
    assert_near((double)total(&set, WW_C_DRAM_RD), 2 * (double)total(&set, WW_C_DRAM_WR), 1e-9, 0);
    /* Three operands read and one written per fused multiply-add; 1.5 and 0.5 per shared access; a
     * load reads an address and writes a word, a store reads both. */
    double loads = bytes * 2 / 3 / 128, stores = bytes / 3 / 128;
    assert_near((double)total(&set, WW_C_RF_READ_LANES),
                3 * fma + 1.5 * words + 32 * (loads + 2 * stores), 1e-9, 0);
    assert_near((double)total(&set, WW_C_RF_WRITE_LANES), fma + 0.5 * words + 32 * loads, 1e-9, 0);
    assert_near((double)total(&set, WW_C_INST_ISSUED), fma / 32 + words / 32 + loads + stores, 1e-9,
                0);
    ww_counter_set_fini(&set);
    ww_arch_destroy(arch);
}

static ww_arch *fill(const char *gpu, const char *text, ww_counter_set *set)
{
    ww_arch *arch;
    ww_rates r;
    assert_ok(ww_arch_load(gpu, NULL, 0, &arch, &err), err);
    assert_ok(
        ww_counter_set_init(set, arch->sm.count, ww_arch_slices(arch), arch->mem.channels, &err),
        err);
    assert_ok(ww_rates_parse(arch, text, &r, &err), err);
    ww_rates_fill(arch, &r, set);
    return arch;
}

/* A QV100, by hand: 80 SMs of 64 integer lanes and 16 that convert, four schedulers that transfer
 * control every second cycle. */
static void what_a_loop_spends_beside_its_arithmetic(void **state)
{
    (void)state;
    ww_counter_set set;
    ww_arch *arch =
        fill(WW_SOURCE_DIR "/configs/gpu/qv100.xml",
             "int_add=0.5 select=0.125 convert=0.25 branch=0.1 data=0.4 core_mhz=1000", &set);
    double integer = 80 * 64 * 1e9, converts = 0.25 * 80 * 16 * 1e9, transfers = 0.1 * 80 * 2 * 1e9;
    assert_near((double)total(&set, WW_C_OP_INT_ADD), 0.4 * 0.5 * integer, 1e-12, 0);
    assert_near((double)total(&set, WW_C_OP_INT_LOGIC), 0.4 * 0.125 * integer, 1e-12, 0);
    assert_near((double)total(&set, WW_C_OP_CVT), 0.4 * converts, 1e-12, 0);
    assert_int_equal(total(&set, WW_C_OP_SFU), 0);
    assert_near((double)total(&set, WW_C_PIPE_SFU), converts / 32, 1e-12, 0);
    assert_near((double)total(&set, WW_C_BRANCHES), transfers, 1e-12, 0);
    assert_near((double)total(&set, WW_C_INST_ISSUED),
                (0.625 * integer + converts) / 32 + transfers, 1e-12, 0);
    ww_counter_set_fini(&set);
    ww_arch_destroy(arch);
}

/* An A100, by hand: 108 SMs of four tensor cores of 256 multiply-adds a cycle, 64 lanes that do a
 * packed pair each; m16n8k16 of a warp reads ten registers of each thread and writes four. */
static void products_bring_their_operands(void **state)
{
    (void)state;
    ww_counter_set set;
    ww_arch *arch =
        fill(WW_SOURCE_DIR "/configs/gpu/a100.xml", "matrix=0.5 core_mhz=1000 switched=0.4", &set);
    const double macs = 0.5 * 108 * 4 * 256 * 1e9, warps = macs / 2048;
    assert_near((double)total(&set, WW_C_MMA_F16), macs, 1e-12, 0);
    assert_near((double)total(&set, WW_C_PIPE_TENSOR), warps, 1e-12, 0);
    assert_near((double)total(&set, WW_C_RF_READ), 10 * warps, 1e-12, 0);
    assert_near((double)total(&set, WW_C_RF_WRITE_LANES), 4 * 32 * warps, 1e-12, 0);
    assert_int_equal(total(&set, WW_C_SWITCHED_MMA_F16), 0);
    ww_counter_set_fini(&set);
    ww_arch_destroy(arch);
    arch = fill(WW_SOURCE_DIR "/configs/gpu/a100.xml",
                "fp16_fma=0.5 shared=0.25 broadcast=3 core_mhz=1000", &set);
    const double pairs = 0.5 * 108 * 64 * 1e9, words = 0.25 * 32 * 108 * 1e9;
    assert_near((double)total(&set, WW_C_OP_FP16), pairs, 1e-12, 0);
    assert_int_equal(total(&set, WW_C_MMA_F16), 0);
    assert_near((double)total(&set, WW_C_SHARED_READ_WORDS), words / 2, 1e-12, 0);
    assert_near((double)total(&set, WW_C_SHARED_LANES), 3 * words, 1e-12, 0);
    ww_counter_set_fini(&set);
    ww_arch_destroy(arch);
}

/* What the DRAM delivers passes the L2 once: 0.2 of 2 TB/s there are 0.3 of 868 GB/s and hits. */
static void traffic_of_the_dram_passes_the_l2_once(void **state)
{
    (void)state;
    ww_counter_set set;
    const double l2 = 0.2 * 64 * 32 * 1e9, dram = 0.3 * 32 * 16 * 2 * 848e6;
    ww_arch *arch = fill(WW_SOURCE_DIR "/configs/gpu/qv100.xml",
                         "l2=0.2 dram=0.3 stores=0.75 core_mhz=1000", &set);
    assert_near((double)total(&set, WW_C_L2_READ_HIT), (l2 - dram) / 32, 1e-9, 0);
    assert_near((double)total(&set, WW_C_L2_READ_MISS), dram / 4 / 32, 1e-9, 0);
    assert_near((double)total(&set, WW_C_L2_WRITEBACK), dram * 3 / 4 / 32, 1e-9, 0);
    assert_near((double)total(&set, WW_C_DRAM_WR), 3 * (double)total(&set, WW_C_DRAM_RD), 1e-9, 0);
    ww_counter_set_fini(&set);
    ww_arch_destroy(arch);
    arch = fill(WW_SOURCE_DIR "/configs/gpu/qv100.xml",
                "l2=0.2 dram=0.3 l2_stores=0.25 core_mhz=1000", &set);
    assert_near((double)total(&set, WW_C_L2_READ_HIT), 0.75 * (l2 - dram) / 32, 1e-9, 0);
    assert_near((double)total(&set, WW_C_L2_WRITE_HIT), 0.25 * (l2 - dram) / 32, 1e-9, 0);
    assert_near((double)total(&set, WW_C_L1D_FILL), (0.75 * (l2 - dram) + 2 * dram / 3) / 32, 1e-9,
                0);
    ww_counter_set_fini(&set);
    ww_arch_destroy(arch);
    arch = fill(WW_SOURCE_DIR "/configs/gpu/qv100.xml", "l2=0.1 dram=0.9 core_mhz=1000", &set);
    assert_int_equal(total(&set, WW_C_L2_READ_HIT), 0);
    ww_counter_set_fini(&set);
    ww_arch_destroy(arch);
}

/* What a shipped card draws at some rates. */
static ww_power_result draw(const char *gpu, const char *text)
{
    ww_counter_set set;
    ww_power_model *model;
    ww_power_result r;
    ww_arch *arch = fill(gpu, text, &set);
    assert_ok(ww_power_model_create(arch, WW_SOURCE_DIR "/configs/tech", &model, &err), err);
    ww_launch_record second = {
        .core_hz = arch->clock.core_hz, .dram_hz = arch->clock.dram_hz, .counters = &set};
    assert_ok(ww_power_evaluate(model, &set, &second, &r, &err), err);
    ww_power_model_destroy(model);
    ww_counter_set_fini(&set);
    ww_arch_destroy(arch);
    return r;
}

/* Micron: 7.5 pJ/bit of GDDR6, here 16 channels of 16 bits at 14 Gb/s. */
static void gddr6_takes_what_its_maker_says(void **state)
{
    (void)state;
    const double bits = 16 * 16 * 14e9;
    ww_power_result r = draw("rtx2060s", "dram=1");
    assert_near(r.component[WW_COMPONENT_GM].dynamic_w / bits, 7.5e-12, 0.05, 0);
}

/* A TITAN V with the memory of a GV100 at 1,402 MHz; the same operations on infinities. */
static void measured_loops_draw_what_was_measured(void **state)
{
    (void)state;
    assert_near(draw("qv100", "idle").total_w, 50, 0.15, 0);
    ww_power_result sums = draw("qv100", "fp32_add=0.82 integer=0.06 branch=0.03 dram=0.27 "
                                         "switched=0.26 memory=0.04 beats=0.3");
    ww_power_result products = draw("qv100", "fp32_mul=0.82 integer=0.06 branch=0.03 dram=0.27 "
                                             "switched=0.059 memory=0.04 beats=0.3");
    assert_near(sums.total_w, 142.6, 0.1, 0);
    assert_near(products.total_w, 121.9, 0.1, 0);
}

/* Bits by hand: a word of a lane has 32, an FP32 multiply-add four words and 24 x 24 partial
 * products, a double-precision addition six words; a sector of the L2 256, a burst as many. */
static void bits_are_those_of_what_passes(void **state)
{
    (void)state;
    ww_counter_set set;
    ww_arch *arch = fill(WW_SOURCE_DIR "/configs/gpu/qv100.xml",
                         "fp32_fma=0.5 fp64_add=0.25 switched=0.25 core_mhz=1000", &set);
    const double fma = 0.5 * 80 * 64 * 1e9, dadd = 0.25 * 80 * 32 * 1e9;
    assert_near((double)total(&set, WW_C_COMPARED_RF_READ), 32 * (3 * fma + 4 * dadd), 1e-9, 0);
    assert_near((double)total(&set, WW_C_SWITCHED_RF_READ), 8 * (3 * fma + 4 * dadd), 1e-9, 0);
    assert_near((double)total(&set, WW_C_COMPARED_RF_WRITE), 32 * (fma + 2 * dadd), 1e-9, 0);
    assert_near((double)total(&set, WW_C_COMPARED_COLLECT), 32 * (3 * fma + 4 * dadd), 1e-9, 0);
    assert_near((double)total(&set, WW_C_COMPARED_OP_FP32_FMA), 576 * fma, 1e-9, 0);
    assert_near((double)total(&set, WW_C_SWITCHED_OP_FP32_FMA), 144 * fma, 1e-9, 0);
    assert_near((double)total(&set, WW_C_COMPARED_LATCH_FP32_FMA), 128 * fma, 1e-9, 0);
    assert_near((double)total(&set, WW_C_COMPARED_OP_FP64_ADD), 192 * dadd, 1e-9, 0);
    ww_counter_set_fini(&set);
    ww_arch_destroy(arch);
    arch = fill(WW_SOURCE_DIR "/configs/gpu/qv100.xml",
                "shared=1 dram=0.5 stores=0.25 memory=0.125 core_mhz=1000", &set);
    const double bits = 8 * 0.5 * 32 * 16 * 2 * 848e6, words = 32.0 * 80 * 1e9;
    assert_near((double)total(&set, WW_C_COMPARED_DRAM_BURST), bits, 1e-9, 0);
    assert_near((double)total(&set, WW_C_SWITCHED_DRAM_WIRES), bits / 8, 1e-9, 0);
    assert_near((double)total(&set, WW_C_COMPARED_L2_WRITE), bits, 1e-9, 0);
    assert_near((double)total(&set, WW_C_COMPARED_L2_READ), bits / 4, 1e-9, 0);
    assert_near((double)total(&set, WW_C_COMPARED_ICNT_REQ), bits / 4, 1e-9, 0);
    assert_near((double)total(&set, WW_C_COMPARED_ICNT_REP), bits * 3 / 4, 1e-9, 0);
    assert_near((double)total(&set, WW_C_COMPARED_L1D_READ), bits * 3 / 4, 1e-9, 0);
    assert_near((double)total(&set, WW_C_SWITCHED_SHARED_READ), 2 * words, 1e-9, 0);
    assert_near((double)total(&set, WW_C_COMPARED_CROSSBAR_LANE), 32 * words + bits, 1e-9, 0);
    assert_int_equal(total(&set, WW_C_COMPARED_RF_READ), 0); /* not said */
    assert_int_equal(total(&set, WW_C_COMPARED_DRAM_ZEROS), 0);
    ww_counter_set_fini(&set);
    ww_arch_destroy(arch);
    arch = fill(WW_SOURCE_DIR "/configs/gpu/qv100.xml",
                "dram=0.5 memory=0.125 beats=0.375 core_mhz=1000", &set);
    assert_near((double)total(&set, WW_C_SWITCHED_DRAM_WIRES), bits * 3 / 8, 1e-9, 0);
    assert_near((double)total(&set, WW_C_SWITCHED_L2_WRITE), bits / 8, 1e-9, 0);
    ww_counter_set_fini(&set);
    ww_arch_destroy(arch);
}

/* Joules of what an event charges and of its values, in a second of the L2 at a tenth of its peak.
 */
static double joules(const ww_power_event *e, const char *text, double *reads)
{
    ww_counter_set set;
    ww_arch *arch = fill(WW_SOURCE_DIR "/configs/gpu/qv100.xml", text, &set);
    ww_launch_record second = {
        .core_hz = arch->clock.core_hz, .dram_hz = arch->clock.dram_hz, .counters = &set};
    *reads = (double)total(&set, WW_C_L2_READ_BLOCKS);
    double sum = ww_power_event_j(&e[0], &set, &second) + ww_power_event_j(&e[1], &set, &second);
    ww_counter_set_fini(&set);
    ww_arch_destroy(arch);
    return sum;
}

/* A card of 50 pJ a block of the L2 and 0.1 pJ a bit: 37.2 pJ of zeros (50 - 128 x 0.1), 50 of
 * random numbers, 62.8 where all bits switch; the two give both energies back. */
static void zeros_and_random_numbers_give_both_energies(void **state)
{
    (void)state;
    const ww_power_event card[] = {{.kind = WW_POWER_EVENT,
                                    .terms = 1,
                                    .counter = {WW_C_L2_READ_BLOCKS},
                                    .weight = {1},
                                    .value = 50e-12},
                                   {.kind = WW_POWER_EVENT,
                                    .terms = 2,
                                    .counter = {WW_C_SWITCHED_L2_READ, WW_C_COMPARED_L2_READ},
                                    .weight = {1, -0.5},
                                    .values = true,
                                    .value = 0.1e-12}};
    double n, unsaid = joules(card, "l2=0.1", &n), zeros = joules(card, "l2=0.1 memory=0", &n);
    double random = joules(card, "l2=0.1 memory=0.5", &n);
    assert_near(zeros / n, 37.2e-12, 1e-9, 0);
    assert_near(random / n, 50e-12, 1e-9, 0);
    assert_near(joules(card, "l2=0.1 memory=1", &n) / n, 62.8e-12, 1e-9, 0);
    assert_near(unsaid, random, 1e-12, 0);
    assert_near((random - zeros) / (128 * n), card[1].value, 1e-9, 0);
    assert_near(zeros / n + 128 * (random - zeros) / (128 * n), card[0].value, 1e-9, 0);
}

/* Random numbers are what energies hold for, of HBM2 by records of currents with static data alone
 * they cost more; zeros cost less everywhere. */
static void random_numbers_are_what_is_charged(void **state)
{
    (void)state;
    static const char busy[] = "fp32_fma=0.3 int_add=0.2 shared=0.2 l1=0.1 l2=0.2 dram=0.2";
    char text[160];
    static const char *const gddr[] = {"gtx580", "titanx-pascal", "rtx2060s"};
    for (size_t i = 0; i < WW_ARRAY_LEN(gddr); i++) {
        double unsaid = draw(gddr[i], busy).total_w;
        snprintf(text, sizeof text, "%s switched=0.5 memory=0.5", busy);
        assert_near(draw(gddr[i], text).total_w, unsaid, 1e-9, 0);
        snprintf(text, sizeof text, "%s switched=0 memory=0.5", busy);
        double lanes = draw(gddr[i], text).total_w;
        snprintf(text, sizeof text, "%s switched=0 memory=0", busy);
        assert_true(lanes < unsaid && draw(gddr[i], text).total_w < lanes);
    }
    double hbm = draw("qv100", "dram=0.5").component[WW_COMPONENT_GM].dynamic_w;
    assert_true(draw("qv100", "dram=0.5 memory=0.5").component[WW_COMPONENT_GM].dynamic_w > hbm);
    assert_true(draw("qv100", "dram=0.5 memory=0").component[WW_COMPONENT_GM].dynamic_w < hbm);
}

static void idle_is_time_alone(void **state)
{
    (void)state;
    ww_arch *arch;
    ww_rates r;
    ww_counter_set set;
    assert_ok(ww_arch_load(WW_SOURCE_DIR "/configs/gpu/gtx580.xml", NULL, 0, &arch, &err), err);
    assert_ok(
        ww_counter_set_init(&set, arch->sm.count, ww_arch_slices(arch), arch->mem.channels, &err),
        err);
    assert_ok(ww_rates_parse(arch, "idle", &r, &err), err);
    ww_rates_fill(arch, &r, &set);
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        bool time = c == WW_C_CORE_CYCLES || c == WW_C_DRAM_CYCLES;
        assert_true((total(&set, (ww_counter)c) > 0) == time);
    }
    ww_counter_set_fini(&set);
    ww_arch_destroy(arch);
}

static void what_is_no_rate_is_named(void **state)
{
    (void)state;
    static const char *const wrong[] = {"fp31=1",     "fp32_add",   "fp32_add=x", "dram=-1", "sfu=",
                                        "core_mhz=0", "memory=1.1", "switched=2", "beats=3"};
    ww_arch *arch;
    ww_rates r;
    assert_ok(ww_arch_load(WW_SOURCE_DIR "/configs/gpu/gtx580.xml", NULL, 0, &arch, &err), err);
    for (size_t i = 0; i < WW_ARRAY_LEN(wrong); i++) {
        ww_error e = {0};
        assert_int_equal(ww_rates_parse(arch, wrong[i], &r, &e), WW_EPARSE);
        assert_non_null(strstr(e.what, wrong[i]));
    }
    ww_arch_destroy(arch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utilisations_become_counters),
        cmocka_unit_test(what_a_loop_spends_beside_its_arithmetic),
        cmocka_unit_test(products_bring_their_operands),
        cmocka_unit_test(traffic_of_the_dram_passes_the_l2_once),
        cmocka_unit_test(gddr6_takes_what_its_maker_says),
        cmocka_unit_test(measured_loops_draw_what_was_measured),
        cmocka_unit_test(bits_are_those_of_what_passes),
        cmocka_unit_test(zeros_and_random_numbers_give_both_energies),
        cmocka_unit_test(random_numbers_are_what_is_charged),
        cmocka_unit_test(idle_is_time_alone),
        cmocka_unit_test(what_is_no_rate_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
