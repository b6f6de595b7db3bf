/* test_arch_shipped.c - does every shipped GPU load, and is it the machine its sources describe? */
#include "tests/unit/arch/scratch.h"

typedef struct facts {
    const char *name;
    uint32_t sms;
    double peak_gbps;       /* board table */
    double peak_gflops;     /* board table: two operations per lane and lane clock */
    double lanes_per_clock; /* FP32 lanes per SM and scheduler cycle */
    uint32_t l2_kib;        /* whole chip; 0: none modelled */
} facts;

static const facts expected[] = {
    {"a10", 72, 600.0, 31242, 128, 6144},
    {"a100", 108, 1555.2, 19491, 64, 40960},
    {"a100-80gb", 108, 2039.0, 19491, 64, 40960},
    {"a100-pcie", 108, 1555.2, 19491, 64, 40960},
    {"a40", 84, 696.0, 37417, 128, 6144},
    {"gt200-dart", 12, 54.4, 257, 8, 0},
    {"gt200-simd", 12, 54.4, 257, 8, 0},
    {"gt240", 12, 54.4, 257, 32, 0},
    {"gtx1080ti", 28, 484.4, 10620, 128, 2816},
    {"gtx1080ti-darsie", 28, 484.4, 10620, 128, 2816},
    {"gtx480", 15, 177.4, 1345, 64, 768},
    {"gtx480-caps", 15, 177.4, 1345, 32, 768},
    {"gtx480-dac", 15, 177.4, 1345, 64, 768},
    {"gtx480-gpgpusim", 15, 177.4, 1345, 64, 768},
    {"gtx480-gpgpusim322", 15, 177.4, 1345, 64, 768},
    {"gtx480-pmode", 15, 177.4, 1345, 64, 768},
    {"gtx580", 16, 192.4, 1581, 64, 768},
    {"gtx580-d553", 16, 192.4, 1683, 64, 768},
    {"gtx580-dart", 16, 192.4, 1581, 32, 768},
    {"gtx980", 16, 224.4, 4980, 128, 2048},
    {"h100", 132, 3360, 66910, 128, 51200},
    {"h100-pcie", 114, 2039, 51220, 128, 51200},
    {"h200", 132, 4890, 66910, 128, 52224},
    {"h200-nvl", 132, 4890, 60050, 128, 52224}, /* at the clock of its measurements */
    {"h800-pcie", 114, 2039, 51220, 128, 51200},
    {"k40c", 15, 288.4, 5040, 192, 1536},
    {"p100", 56, 732.2, 9526, 64, 4096},
    {"qv100", 80, 868.4, 14817, 64, 6144}, /* at the clock of its measurements, not the boost clock
                                            */
    {"rtx2060s", 34, 448.0, 7180, 64, 4096},
    {"rtx3090", 82, 936.0, 35581, 128, 6144},
    {"rtx4090", 128, 1008.0, 82575, 128, 73728},
    {"rtx6000", 72, 672.0, 16312, 64, 6144},
    {"titanx-maxwell", 24, 336.6, 6690, 128, 3072},
    {"titanx-pascal", 28, 480.4, 10157, 128, 3072},
};

static void every_gpu_loads_and_matches_its_board(void **state)
{
    (void)state;
    ww_arena arena = {0};
    ww_arch_entry *entries;
    size_t count;
    ww_error err = {0};
    assert_ok(ww_arch_list(&arena, &entries, &count, &err), err);
    assert_int_equal(count, sizeof expected / sizeof expected[0]);
    for (size_t i = 0; i < count; i++) {
        const facts *f = &expected[i];
        ww_arch *arch = NULL;
        assert_string_equal(entries[i].name, f->name);
        assert_ok(ww_arch_load(entries[i].name, NULL, 0, &arch, &err), err);
        assert_string_equal(ww_arch_name(arch), f->name); /* file and name attribute agree */
        assert_int_equal(arch->sm.count, f->sms);
        double bytes_per_cycle = arch->mem.channels * arch->mem.bus_bits / 8 * arch->mem.data_rate;
        assert_near(bytes_per_cycle * arch->clock.dram_hz / 1e9, f->peak_gbps, 2e-3, 0);
        assert_near(2 * f->lanes_per_clock * arch->sm.count * arch->clock.core_hz / 1e9,
                    f->peak_gflops, 5e-3, 0);
        assert_int_equal(ww_arch_slices(arch) * (arch->l2.bytes / 1024), f->l2_kib);
        ww_arch_destroy(arch);
    }
    ww_arena_fini(&arena);
}

/* Times between commands are cycles of the clock that dram_hz says: a row's cycle takes 40 to 47 ns
 * in the data sheets of GDDR3 to HBM3. The machine of a simulator keeps what that has. */
static void rows_cycle_as_fast_as_in_data_sheets(void **state)
{
    (void)state;
    ww_error err = {0};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        ww_arch *arch = NULL;
        if (strcmp(expected[i].name, "gtx1080ti-darsie") == 0) {
            continue;
        }
        assert_ok(ww_arch_load(expected[i].name, NULL, 0, &arch, &err), err);
        double cycle_s = 1 / arch->clock.dram_hz;
        assert_in_range(arch->mem.trc * cycle_s * 1e12, 39000, 50000);
        assert_true(arch->mem.trc <= arch->mem.tras + arch->mem.trp + 6);
        assert_in_range(arch->mem.trcd * cycle_s * 1e12, 11000, 20000);
        ww_arch_destroy(arch);
    }
}

/* GDDR5X and GDDR6 move 64 and 32 B with a command: 16 bits on each of 32 and 16 pins. */
static void bursts_are_those_of_the_devices(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t bytes;
    } of[] = {{"gtx1080ti", 64}, {"titanx-pascal", 64}, {"rtx2060s", 32}, {"gtx580", 64}};
    ww_error err = {0};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        ww_arch *arch = NULL;
        assert_ok(ww_arch_load(of[i].name, NULL, 0, &arch, &err), err);
        assert_int_equal(ww_arch_burst_bytes(arch), of[i].bytes);
        assert_int_equal(arch->mem.tccd, arch->mem.burst_length / arch->mem.data_rate);
        ww_arch_destroy(arch);
    }
}

static void papers_get_their_tables(void **state)
{
    (void)state;
    ww_arch *dac = NULL, *caps = NULL, *pmode = NULL, *d553 = NULL;
    ww_error err = {0};
    assert_ok(ww_arch_load("gtx480-dac", NULL, 0, &dac, &err), err);
    assert_ok(ww_arch_load("gtx480-caps", NULL, 0, &caps, &err), err);
    assert_ok(ww_arch_load("gtx480-pmode", NULL, 0, &pmode, &err), err);
    assert_ok(ww_arch_load("gtx580-d553", NULL, 0, &d553, &err), err);
    /* what their tables leave out is GPGPU-Sim 3.2.2's: lines without sectors, read for stores that
     * miss */
    const ww_arch *papers[] = {dac, caps, pmode};
    for (size_t i = 0; i < WW_ARRAY_LEN(papers); i++) {
        assert_int_equal(papers[i]->l2.sector_bytes, 128);
        assert_int_equal(papers[i]->l2.write_allocate, WW_WRITE_FORWARD);
        assert_int_equal(papers[i]->l1d.hit_latency, 1);
        assert_int_equal(papers[i]->mem.scheduler, WW_DRAM_BANK_FRFCFS);
    }
    assert_int_equal(dac->l1d.bytes, 48 * 1024);
    assert_int_equal(dac->l1d.mshr_entries, 32);
    assert_int_equal(dac->sm.scheduler, WW_SCHED_TWO_LEVEL);
    assert_int_equal(caps->sm.schedulers, 1); /* one queue of ready warps at 1400 MHz */
    assert_int_equal(caps->sm.two_level_active, 8);
    assert_int_equal(caps->l1d.mshr_entries, 32);
    assert_int_equal(caps->mem.queue_entries, 16);
    assert_int_equal(pmode->l1d.bytes / pmode->l1d.line_bytes / pmode->l1d.ways, 64);
    assert_int_equal(pmode->l1d.mshr_entries, 96);
    assert_int_equal(pmode->sm.registers / WW_WARP_SIZE / pmode->regfile.banks, 256);
    assert_true(pmode->clock.l2_hz == 1.4e9);
    /* section 2: at most two instructions a cycle, one from each group of warps */
    assert_int_equal(pmode->sm.fetch_warps, 2);
    assert_int_equal(pmode->sm.fetch_instructions, 1);
    assert_true(pmode->sm.fetch_by_group && pmode->sm.fetch_awaits_branches);
    assert_true(d553->clock.core_hz == 822e6);
    /* the originals' texture fetches, ld.global.nc here, are no accesses of the L1D */
    assert_false(d553->peer.nc_in_l1d);
    /* LPGPU D5.5.3: BP tops out at 3.9 W, CP at 13.5 to 13.6 W */
    assert_near(d553->sm.count * d553->power.sm_activation_w, 3.9, 2e-3, 0);
    assert_near(d553->sm.clusters * d553->power.cluster_activation_w, 13.55, 2e-3, 0);
    ww_arch_destroy(dac);
    ww_arch_destroy(caps);
    ww_arch_destroy(pmode);
    ww_arch_destroy(d553);
}

/* No machine's misses bound its bandwidth by themselves: Little's law. */
static void misses_carry_the_bandwidth(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_arch_flight f[2];
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        ww_arch *arch = NULL;
        assert_ok(ww_arch_load(expected[i].name, NULL, 0, &arch, &err), err);
        size_t count = ww_arch_flights(arch, f);
        for (size_t k = 0; k < count; k++) {
            if (f[k].held < f[k].needed) {
                fail_msg("%s: %s holds %.0f bytes, %.0f are needed", expected[i].name, f[k].key,
                         f[k].held, f[k].needed);
            }
        }
        ww_arch_destroy(arch);
    }
}

/* One slice of a channel's L2 in place of two, with the misses of one: 192 lines of 128 B on the
 * way for 343 ns (317 cycles at 924 MHz: 291, tRCD and tCL of 12 each, a burst of 2) carry 72 GB/s
 * of 177. */
static void half_the_misses_are_too_few(void **state)
{
    (void)state;
    const ww_setting half[] = {
        {"l2.bytes", "128 KiB"}, {"mem.slices", "1"}, {"l2.mshr_entries", "32"}};
    ww_arch *arch = NULL;
    ww_error err = {0};
    ww_arch_flight f[2];
    assert_ok(ww_arch_load("gtx480-pmode", half, 3, &arch, &err), err);
    assert_int_equal(ww_arch_flights(arch, f), 2);
    assert_string_equal(f[0].key, "l2.mshr_entries");
    assert_near(f[0].held, 6 * 32 * 128, 0, 0);
    assert_near(f[0].latency_s, (291 + 12 + 12 + 2) / 924e6, 1e-12, 0);
    assert_near(f[0].needed, 0.857 * 177.408e9 * f[0].latency_s, 1e-9, 0);
    assert_true(f[0].held < 0.5 * f[0].needed);
    assert_true(f[1].held > f[1].needed); /* 96 of each L1D are enough */
    ww_arch_destroy(arch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_gpu_loads_and_matches_its_board),
        cmocka_unit_test(rows_cycle_as_fast_as_in_data_sheets),
        cmocka_unit_test(bursts_are_those_of_the_devices),
        cmocka_unit_test(papers_get_their_tables),
        cmocka_unit_test(misses_carry_the_bandwidth),
        cmocka_unit_test(half_the_misses_are_too_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
