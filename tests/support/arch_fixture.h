/* arch_fixture.h - a machine description for tests that do not want to depend on the configuration
 * files: the values of a GTX 480 as in configs/gpu, with a GDDR5 controller. */
#ifndef WW_TESTS_SUPPORT_ARCH_FIXTURE_H
#define WW_TESTS_SUPPORT_ARCH_FIXTURE_H

#include "arch/arch.h"

static inline ww_cache_params fixture_l1d(void)
{
    return (ww_cache_params){
        .bytes = 16384,
        .line_bytes = 128,
        .sector_bytes = 128,
        .ways = 4,
        .set_index = WW_INDEX_LINEAR,
        .replacement = WW_REPLACE_LRU,
        .allocate = WW_ALLOCATE_ON_MISS,
        .write_policy = WW_WRITE_LOCAL_BACK,
        .write_allocate = WW_NO_WRITE_ALLOCATE,
        .mshr_entries = 64,
        .mshr_merge = 8,
        .miss_queue = 8,
        .hit_latency = 35,
        .data_port_bytes = 128,
    };
}

static inline ww_cache_params fixture_l2(void)
{
    return (ww_cache_params){
        .bytes = 65536,
        .line_bytes = 128,
        .sector_bytes = 32,
        .ways = 8,
        .set_index = WW_INDEX_LINEAR,
        .replacement = WW_REPLACE_LRU,
        .allocate = WW_ALLOCATE_ON_MISS,
        .write_policy = WW_WRITE_BACK,
        .write_allocate = WW_WRITE_VALIDATE,
        .mshr_entries = 256,
        .mshr_merge = 4,
        .miss_queue = 8,
        .hit_latency = 1,
        .data_port_bytes = 32,
    };
}

static inline ww_mem_params fixture_mem(void)
{
    return (ww_mem_params){
        .channels = 6,
        .slices = 2,
        .interleave_bytes = 256,
        .hash_channels = false,
        .bank_interleave = 4,
        .hash_banks = true,
        .rop_latency = 120,
        .extra_latency = 100,
        .type = WW_DRAM_GDDR5,
        .device = "GDDR5_1Gb_x32",
        .scheduler = WW_DRAM_FRFCFS,
        .bus_bits = 64,
        .burst_length = 8,
        .data_rate = 4,
        .devices = 2,
        .banks = 16,
        .bank_groups = 4,
        .stack_ids = 1,
        .row_bytes = 4096,
        .queue_entries = 64,
        .return_entries = 116,
        .tccd = 2,
        .tccdl = 3,
        .trrd = 6,
        .trcd = 12,
        .tras = 28,
        .trp = 12,
        .trc = 40,
        .tcl = 12,
        .twl = 4,
        .tcdlr = 5,
        .twr = 12,
        .trtp = 2,
        .trefi = 7210,
        .trfc = 60,
    };
}

/* The parts of a description that the memory system reads. */
static inline ww_arch fixture_arch(void)
{
    ww_arch arch = {0};
    arch.clock.core_hz = 700e6;
    arch.clock.icnt_hz = 700e6;
    arch.clock.l2_hz = 700e6;
    arch.clock.dram_hz = 924e6;
    arch.sm.count = 15;
    arch.sm.code_align = 4096;
    arch.sm.clusters = 4;
    arch.ldst.segment_bytes = 128;
    arch.ldst.min_segment_bytes = 128;
    arch.ldst.shared_banks = 32;
    arch.ldst.l1_caches_global = true;
    arch.l1d = fixture_l1d();
    arch.l2 = fixture_l2();
    arch.icnt.flit_bytes = 32;
    arch.icnt.latency = 8;
    arch.icnt.input_packets = 32;
    arch.icnt.output_packets = 32;
    arch.icnt.control_bytes = 8;
    arch.icnt.virtual_channels = 1;
    arch.icnt.port_sms = 1;
    arch.icnt.router_latency = 4;
    arch.icnt.link_latency = 1;
    arch.icnt.vc_flits = 8;
    arch.icnt.reply_flits = 1;
    arch.mem = fixture_mem();
    return arch;
}

#endif
