/* test_memory.c - what DRAM traffic costs, burst by burst, against the device's own energies: reads
 * and writes each, in the devices and in the controllers. A kernel's mean would hide one that is
 * free. */
#include "tests/support/test.h"

#include "tech/dram.h"
#include "tests/unit/power/fixture.h"

static ww_error err;

/* Joules of a component's events for a million counts of one counter, above those of none. */
static double million_j(const ww_power_model *model, ww_counter counter, ww_component component)
{
    ww_counter_set set;
    ww_power_result r;
    assert_ok(ww_counter_set_init(&set, 16, 12, 6, &err), err);
    fixture_put(&set, WW_C_CORE_CYCLES, FIXTURE_CYCLES);
    set.block[ww_counter_describe(counter)->scope][0].v[counter] = 1000000;
    ww_launch_record launch = fixture_launch(&set);
    assert_ok(ww_power_evaluate(model, &set, &launch, &r, &err), err);
    ww_counter_set_fini(&set);
    return r.component[component].event_j;
}

static ww_power_model *make_model(void)
{
    ww_arch arch = fixture_arch();
    return fixture_model(&arch);
}

/* A burst of 64 bits x 8 on two devices of 32 bits: as many device bursts as carry its bits. */
static void devices_charge_reads_and_writes_by_the_bit(void **state)
{
    (void)state;
    ww_dram_table *table;
    const ww_dram_device *d;
    ww_power_model *model = make_model();
    assert_ok(ww_dram_load(FIXTURE_TECH, &table, &err), err);
    assert_ok(ww_dram_find(table, "gddr5-1gb-x32", &d, &err), err);
    double bursts = 1e6 * 64 * 8 / ww_dram_burst_bits(d);
    double read_j = bursts * (ww_dram_read_j(d) + ww_dram_io_read_j(d));
    double write_j = bursts * (ww_dram_write_j(d) + ww_dram_io_write_j(d));
    assert_true(ww_dram_write_j(d) > 0 && ww_dram_io_write_j(d) > 0);
    assert_near(million_j(model, WW_C_DRAM_RD, WW_COMPONENT_GM), read_j, 1e-12, 0);
    assert_near(million_j(model, WW_C_DRAM_WR, WW_COMPONENT_GM), write_j, 1e-12, 0);
    double pair_j = 2 * ww_dram_activate_precharge_j(d) * 1e6;
    assert_near(million_j(model, WW_C_DRAM_ACT, WW_COMPONENT_GM) +
                    million_j(model, WW_C_DRAM_PRE, WW_COMPONENT_GM),
                pair_j, 1e-12, 0);
    assert_near(million_j(model, WW_C_DRAM_REF, WW_COMPONENT_GM), 2e6 * ww_dram_refresh_j(d), 1e-12,
                0);
    ww_dram_destroy(table);
    ww_power_model_destroy(model);
}

/* Transaction engine and interface move as many bits for a write as for a read. */
static void controllers_charge_writes_like_reads(void **state)
{
    (void)state;
    ww_power_model *model = make_model();
    double read_j = million_j(model, WW_C_DRAM_RD, WW_COMPONENT_MC);
    /* 512 bits at 1 V and 40 nm: the interface, 10 mW per Gb/s at 1.2 V and 90 nm, with the root of
     * the feature size; the engine, 0.432 W at 1 GHz, 72 bits, 1.1 V and 65 nm. */
    double phy_j = 10e-12 * (2.0 / 3) / (1.2 * 1.2);
    double engine_j = 0.432 / 1e9 / 72 / (1.1 * 1.1) * (40.0 / 65);
    assert_near(read_j, 1e6 * 512 * (phy_j + engine_j), 1e-9, 0);
    assert_near(million_j(model, WW_C_DRAM_WR, WW_COMPONENT_MC), read_j, 1e-12, 0);
    double request_j = million_j(model, WW_C_MC_READ, WW_COMPONENT_MC);
    assert_true(request_j > 0);
    assert_near(million_j(model, WW_C_MC_WRITE, WW_COMPONENT_MC), request_j, 1e-12, 0);
    ww_power_model_destroy(model);
}

/* A write-back reads the sector and its tags; it costs less than a fill that writes both, and more
 * than nothing. */
static void write_backs_are_paid(void **state)
{
    (void)state;
    ww_power_model *model = make_model();
    double back_j = million_j(model, WW_C_L2_WRITEBACK, WW_COMPONENT_LDSTU);
    double block_j = million_j(model, WW_C_L2_READ_BLOCKS, WW_COMPONENT_LDSTU);
    assert_true(block_j > 0 && back_j > block_j);
    ww_power_model_destroy(model);
}

/* A dirty line of the L1D leaves whole: its tags, as of a store, and each of its sectors once, as
 * of a load that hits. */
static void dirty_lines_of_the_l1d_are_read_whole(void **state)
{
    (void)state;
    for (uint32_t sectors = 1; sectors <= 4; sectors *= 4) {
        ww_arch arch = fixture_arch();
        arch.l1d.sector_bytes = arch.l1d.line_bytes / sectors;
        ww_power_model *model = fixture_model(&arch);
        double tags_j = million_j(model, WW_C_L1D_WRITE_HIT, WW_COMPONENT_LDSTU);
        double sector_j = million_j(model, WW_C_L1D_READ_HIT, WW_COMPONENT_LDSTU) - tags_j;
        double back_j = million_j(model, WW_C_L1D_WRITEBACK, WW_COMPONENT_LDSTU);
        assert_true(tags_j > 0 && sector_j > 0);
        assert_near(back_j, tags_j + sectors * sector_j, 1e-9, 0);
        ww_power_model_destroy(model);
    }
}

/* A port narrower than a sector is used as often as the sector's bytes take; a store's data are
 * written, an atomic's read and written. */
static void narrow_ports_are_used_again_and_again(void **state)
{
    (void)state;
    ww_arch arch = fixture_arch();
    arch.l2.data_port_bytes = 32;
    ww_power_model *model = fixture_model(&arch);
    double read_j = million_j(model, WW_C_L2_READ_BLOCKS, WW_COMPONENT_LDSTU);
    double write_j = million_j(model, WW_C_L2_WRITE_BLOCKS, WW_COMPONENT_LDSTU);
    double tags_j = million_j(model, WW_C_L2_READ_HIT, WW_COMPONENT_LDSTU);
    double back_j = million_j(model, WW_C_L2_WRITEBACK, WW_COMPONENT_LDSTU);
    assert_true(read_j > 0 && write_j > 0 && tags_j > 0);
    assert_near(back_j - tags_j, 128 / 32 * read_j, 1e-9, 0);
    double atomic_j = million_j(model, WW_C_L2_ATOMIC, WW_COMPONENT_LDSTU);
    assert_true(atomic_j > read_j + write_j && atomic_j < 1.2 * (read_j + write_j));
    assert_true(million_j(model, WW_C_L1D_WRITE_KEPT, WW_COMPONENT_LDSTU) > 0);
    ww_power_model_destroy(model);
}

/* Either network charges packets and flits. */
static void both_networks_are_paid(void **state)
{
    (void)state;
    ww_power_model *model = make_model();
    double request_j = million_j(model, WW_C_ICNT_REQ_FLITS, WW_COMPONENT_NOC);
    double reply_j = million_j(model, WW_C_ICNT_REP_FLITS, WW_COMPONENT_NOC);
    assert_true(request_j > 0 && reply_j > 0);
    assert_in_range((unsigned)(100 * request_j / reply_j), 70, 140); /* other shapes, same links */
    assert_true(million_j(model, WW_C_ICNT_REQ_PACKETS, WW_COMPONENT_NOC) > 0);
    assert_true(million_j(model, WW_C_ICNT_REP_PACKETS, WW_COMPONENT_NOC) > 0);
    ww_power_model_destroy(model);
}

/* A broadcast drives the line of one bank and those of all lanes: less than 32 words, more than one
 * lane. */
static void broadcasts_cost_less_than_words_of_their_own(void **state)
{
    (void)state;
    ww_power_model *model = make_model();
    double word_j = million_j(model, WW_C_SHARED_READ_WORDS, WW_COMPONENT_LDSTU);
    double lane_j = million_j(model, WW_C_SHARED_LANES, WW_COMPONENT_LDSTU);
    assert_true(lane_j > 0 && word_j > lane_j);
    /* A value of a global access drives both lines, as a word of its own does. */
    assert_near(million_j(model, WW_C_GMEM_WORDS, WW_COMPONENT_LDSTU), 2 * lane_j, 1e-12, 0);
    ww_power_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_charge_reads_and_writes_by_the_bit),
        cmocka_unit_test(controllers_charge_writes_like_reads),
        cmocka_unit_test(write_backs_are_paid),
        cmocka_unit_test(dirty_lines_of_the_l1d_are_read_whole),
        cmocka_unit_test(narrow_ports_are_used_again_and_again),
        cmocka_unit_test(both_networks_are_paid),
        cmocka_unit_test(broadcasts_cost_less_than_words_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
