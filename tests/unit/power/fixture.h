/* fixture.h - a machine like the GTX 580 and an activity like a busy kernel's, for the tests of
 * power/. Filled in by hand, so that these tests do not follow every change of the shipped
 * configurations. */
#ifndef WW_TESTS_UNIT_POWER_FIXTURE_H
#define WW_TESTS_UNIT_POWER_FIXTURE_H

#include <string.h>

#include "arch/arch.h"
#include "counters/counters.h"
#include "power/power.h"
#include "tests/support/test.h"

#define FIXTURE_TECH WW_SOURCE_DIR "/configs/tech"

enum { FIXTURE_CYCLES = 1000000 };

static inline ww_cache_params fixture_cache(uint32_t bytes, uint32_t line, uint32_t ways)
{
    return (ww_cache_params){.bytes = bytes,
                             .line_bytes = line,
                             .sector_bytes = line,
                             .ways = ways,
                             .mshr_entries = 32,
                             .mshr_merge = 8,
                             .miss_queue = 8,
                             .hit_latency = 1,
                             .data_port_bytes = line};
}

static inline ww_arch fixture_arch(void)
{
    ww_arch a = {0};
    a.chip = (ww_chip_params){.name = "fixture",
                              .chip = "GF110",
                              .family = "fermi",
                              .compute_capability = 20,
                              .feature_m = 40e-9,
                              .vdd_v = 1.0,
                              .temperature_k = 350};
    a.clock =
        (ww_clock_params){.core_hz = 822e6, .icnt_hz = 822e6, .l2_hz = 822e6, .dram_hz = 1002e6};
    a.sm = (ww_sm_params){.count = 16,
                          .clusters = 4,
                          .max_warps = 48,
                          .max_threads = 1536,
                          .max_ctas = 8,
                          .registers = 32768,
                          .shared_bytes = 49152,
                          .schedulers = 2,
                          .issue_width = 1,
                          .fetch_warps = 1,
                          .fetch_instructions = 2,
                          .instruction_bytes = 8,
                          .ibuffer_entries = 2};
    a.regfile = (ww_regfile_params){
        .banks = 16, .collectors = 16, .collector_ports = 2, .collector_operands = 3};
    a.units = (ww_units_params){
        .sp_count = 2, .sfu_count = 1, .ldst_count = 1, .sp_lanes = 16, .sfu_lanes = 4};
    a.ldst = (ww_ldst_params){.segment_bytes = 128,
                              .min_segment_bytes = 32,
                              .queue_entries = 8,
                              .shared_banks = 32,
                              .shared_latency = 24,
                              .l1_caches_global = true};
    a.l1i = fixture_cache(8192, 128, 4);
    a.l1d = fixture_cache(16384, 128, 4);
    a.l1c = fixture_cache(8192, 64, 2);
    a.l1t = fixture_cache(12288, 128, 24);
    a.l2 = fixture_cache(65536, 128, 8);
    a.icnt = (ww_icnt_params){.flit_bytes = 32,
                              .latency = 10,
                              .input_packets = 8,
                              .output_packets = 8,
                              .control_bytes = 8,
                              .virtual_channels = 1,
                              .port_sms = 1,
                              .router_latency = 4,
                              .link_latency = 1,
                              .vc_flits = 8};
    a.mem = (ww_mem_params){.channels = 6,
                            .slices = 2,
                            .interleave_bytes = 256,
                            .device = "gddr5-1gb-x32",
                            .bus_bits = 64,
                            .burst_length = 8,
                            .data_rate = 4,
                            .devices = 2,
                            .banks = 16,
                            .row_bytes = 4096,
                            .queue_entries = 16};
    a.power = (ww_power_params){.sm_activation_w = 0.24,
                                .cluster_activation_w = 3.4,
                                .mc_background_w = 2.8,
                                .gm_background_w = 5.8,
                                .rf_factor = 1,
                                .eu_factor = 1,
                                .wcu_factor = 1,
                                .ldst_factor = 1,
                                .noc_factor = 1,
                                .mc_factor = 1,
                                .gm_factor = 1,
                                .int_factor = 1,
                                .branch_factor = 1,
                                .uncertainty = "none",
                                .fp32_factor = 1,
                                .fp64_factor = 1,
                                .sfu_factor = 1,
                                .convert_factor = 1,
                                .matrix_factor = 1,
                                .shared_factor = 1,
                                .crossbar_factor = 1,
                                .l1_factor = 1,
                                .const_factor = 1,
                                .tex_factor = 1,
                                .l2_factor = 1,
                                .atomic_factor = 1,
                                .calibration = "none"};
    a.reference = (ww_reference){.core_hz = 822e6, .dram_hz = 1002e6, .vdd_v = 1.0, .channels = 6};
    return a;
}

static inline ww_power_model *fixture_model(const ww_arch *arch)
{
    ww_power_model *model;
    ww_error err = {0};
    assert_ok(ww_power_model_create(arch, FIXTURE_TECH, &model, &err), err);
    return model;
}

/* What a count of the counter costs, by all events that it comes first in. */
static inline double fixture_energy_of(const ww_arch *arch, ww_counter counter)
{
    ww_power_model *model = fixture_model(arch);
    size_t n;
    const ww_power_event *events = ww_power_events(model, &n);
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += events[i].counter[0] == counter ? events[i].value : 0;
    }
    ww_power_model_destroy(model);
    return sum;
}

/* Spreads a total evenly over the instances of the counter's scope. */
static inline void fixture_put(ww_counter_set *set, ww_counter counter, double total)
{
    ww_scope scope = ww_counter_describe(counter)->scope;
    for (uint32_t i = 0; i < set->count[scope]; i++) {
        set->block[scope][i].v[counter] += (uint64_t)(total / set->count[scope]);
    }
}

static inline ww_launch_record fixture_launch(const ww_counter_set *set)
{
    return (ww_launch_record){.kernel = "k",
                              .workload = "w",
                              .occupancy_limit = "threads",
                              .core_hz = 822e6,
                              .icnt_hz = 822e6,
                              .l2_hz = 822e6,
                              .dram_hz = 1002e6,
                              .vdd_v = 1,
                              .temperature_k = 350,
                              .counters = set};
}

/* Like binomialOptions in D5.5.3: 800 thread instructions per cycle (25 warp instructions), mostly
 * arithmetic, full warps, every SM active. bytes_per_s: DRAM traffic, three quarters of it reads.
 */
static inline void fixture_activity(ww_counter_set *set, double warp_ipc, double bytes_per_s)
{
    double cycles = FIXTURE_CYCLES, insts = warp_ipc * cycles, lanes = insts * 32;
    double seconds = cycles / 822e6, bursts = bytes_per_s * seconds / 64;
    double lines = bursts / 2; /* of 128 B */
    ww_counter_set_clear(set);
    fixture_put(set, WW_C_CORE_CYCLES, cycles);
    fixture_put(set, WW_C_SM_ACTIVE, 16 * cycles);
    fixture_put(set, WW_C_CLUSTER_ACTIVE, 4 * cycles);
    fixture_put(set, WW_C_L1I_READ_HIT, insts / 2);
    fixture_put(set, WW_C_INST_DECODED, insts);
    fixture_put(set, WW_C_INST_ISSUED, insts);
    fixture_put(set, WW_C_SCHED_SELECT, insts);
    fixture_put(set, WW_C_SCOREBOARD_READ, 1.2 * insts);
    fixture_put(set, WW_C_SCOREBOARD_WRITE, 1.8 * insts);
    fixture_put(set, WW_C_WARP_STATUS_READ, insts);
    fixture_put(set, WW_C_WARP_STATUS_WRITE, insts);
    fixture_put(set, WW_C_STACK_READ, insts);
    fixture_put(set, WW_C_RF_READ, 2.1 * insts);
    fixture_put(set, WW_C_RF_READ_LANES, 2.1 * lanes);
    fixture_put(set, WW_C_RF_WRITE, 0.8 * insts);
    fixture_put(set, WW_C_RF_WRITE_LANES, 0.8 * lanes);
    fixture_put(set, WW_C_RF_ARBITRATION, 3 * insts);
    fixture_put(set, WW_C_OC_WRITE, 2.1 * insts);
    fixture_put(set, WW_C_OC_READ, insts);
    fixture_put(set, WW_C_OP_INT_ADD, 0.30 * lanes);
    fixture_put(set, WW_C_OP_INT_LOGIC, 0.12 * lanes);
    fixture_put(set, WW_C_OP_INT_MUL, 0.05 * lanes);
    fixture_put(set, WW_C_OP_MOVE, 0.06 * lanes);
    fixture_put(set, WW_C_OP_FP32_ADD, 0.10 * lanes);
    fixture_put(set, WW_C_OP_FP32_MUL, 0.10 * lanes);
    fixture_put(set, WW_C_OP_FP32_FMA, 0.12 * lanes);
    fixture_put(set, WW_C_OP_SFU, 0.01 * lanes);
    fixture_put(set, WW_C_PIPE_SP, 0.85 * insts);
    fixture_put(set, WW_C_PIPE_SFU, 0.01 * insts);
    fixture_put(set, WW_C_PIPE_LDST, 0.14 * insts);
    fixture_put(set, WW_C_AGU_LANES, 0.14 * lanes);
    fixture_put(set, WW_C_SHARED_INST, 0.10 * insts);
    fixture_put(set, WW_C_SHARED_READ_WORDS, 0.07 * lanes);
    fixture_put(set, WW_C_SHARED_WRITE_WORDS, 0.03 * lanes);
    fixture_put(set, WW_C_SHARED_LANES, 0.10 * lanes);
    fixture_put(set, WW_C_SHARED_CYCLES, 0.11 * insts);
    fixture_put(set, WW_C_COALESCE, lines);
    fixture_put(set, WW_C_GMEM_TRANSACTION, lines);
    fixture_put(set, WW_C_GMEM_WORDS, 32 * lines);
    fixture_put(set, WW_C_L1D_READ_MISS, 0.75 * lines);
    fixture_put(set, WW_C_L1D_FILL, 0.75 * lines);
    fixture_put(set, WW_C_L1D_WRITE_MISS, 0.25 * lines);
    fixture_put(set, WW_C_ICNT_REQ_PACKETS, lines);
    fixture_put(set, WW_C_ICNT_REQ_FLITS, 0.75 * lines + 0.25 * 5 * lines);
    fixture_put(set, WW_C_ICNT_REP_PACKETS, lines);
    fixture_put(set, WW_C_ICNT_REP_FLITS, 0.75 * 5 * lines + 0.25 * lines);
    fixture_put(set, WW_C_L2_READ_MISS, 0.75 * lines);
    fixture_put(set, WW_C_L2_FILL, 0.75 * lines);
    fixture_put(set, WW_C_L2_WRITE_HIT, 0.25 * lines);
    fixture_put(set, WW_C_L2_WRITE_BLOCKS, 0.25 * 4 * lines);
    fixture_put(set, WW_C_L2_WRITEBACK, 0.25 * lines);
    fixture_put(set, WW_C_MC_READ, 0.75 * lines);
    fixture_put(set, WW_C_MC_WRITE, 0.25 * lines);
    fixture_put(set, WW_C_DRAM_RD, 0.75 * bursts);
    fixture_put(set, WW_C_DRAM_WR, 0.25 * bursts);
    fixture_put(set, WW_C_DRAM_ACT, bursts / 16);
    fixture_put(set, WW_C_DRAM_PRE, bursts / 16);
    fixture_put(set, WW_C_DRAM_ACTIVE, bytes_per_s > 0 ? 6 * seconds * 1002e6 : 0);
}

#endif
