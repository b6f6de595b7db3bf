/* test_single_parts.c - is each of these parts of a model what its structure says: by hand, where a
 * sum over components would hide one that is left out? */
#include <string.h>

#include "tech/array.h"
#include "tech/logic.h"
#include "tests/support/test.h"
#include "tests/unit/power/fixture.h"
#include "tests/unit/power/structure.h"

static ww_error err;

static const ww_power_event *event_of(const ww_power_model *model, const char *path,
                                      const char *name)
{
    size_t count;
    const ww_power_structure *s = structure_of(model, path);
    const size_t structure = (size_t)(s - ww_power_structures(model, &count));
    const ww_power_event *e = ww_power_events(model, &count);
    for (size_t i = 0; i < count; i++) {
        if (e[i].structure == structure && strcmp(e[i].name, name) == 0) {
            return &e[i];
        }
    }
    fail_msg("%s has no event %s", path, name);
    return NULL;
}

/* Opcode, operands and the rest have a decoder each, beside 4000 gates of which a fifth switch. */
static void an_instruction_passes_three_decoders(void **state)
{
    (void)state;
    const ww_arch arch = fixture_arch();
    ww_power_model *model = fixture_model(&arch);
    ww_node_table *table;
    ww_node node;
    assert_ok(ww_node_load(FIXTURE_TECH, arch.chip.feature_m, &table, &err), err);
    assert_ok(
        ww_node_at(table, WW_DEVICE_HP, arch.chip.vdd_v, arch.chip.temperature_k, &node, &err),
        err);
    const double gate_f = node.min_w_m * (1 + node.peri.n_to_p) *
                          (node.peri.c_gate_f_per_m + 3 * node.peri.c_fringe_f_per_m);
    const double load_f = 1024 * gate_f;
    const double j = ww_logic_decoder(&node, 8, load_f).energy_j +
                     2 * ww_logic_decoder(&node, 6, load_f).energy_j +
                     ww_logic_gates(&node, 4000, 0.2).energy_j;
    assert_near(event_of(model, "WCU/decoder", "decode")->model, j, 1e-12, 0);
    ww_node_destroy(table);
    ww_power_model_destroy(model);
}

static ww_array_result solved(const ww_node *node, const ww_array_spec *spec)
{
    ww_array_result r;
    assert_ok(ww_array_solve(spec, node, &r, &err), err);
    return r;
}

/* A request is written into a queue of its 64 bits, searched for and read; its data go through a
 * buffer of as many entries, each as wide as a burst. */
static void a_request_waits_beside_its_data(void **state)
{
    (void)state;
    const ww_arch arch = fixture_arch();
    ww_power_model *model = fixture_model(&arch);
    ww_node_table *table;
    ww_node node;
    const uint32_t entries = arch.mem.queue_entries, bits = 8 * ww_arch_burst_bytes(&arch);
    assert_ok(ww_node_load(FIXTURE_TECH, arch.chip.feature_m, &table, &err), err);
    assert_ok(
        ww_node_at(table, WW_DEVICE_HP, arch.chip.vdd_v, arch.chip.temperature_k, &node, &err),
        err);
    const ww_array_spec requests = {.kind = WW_ARRAY_CAM,
                                    .bits = (uint64_t)entries * 64,
                                    .word_bits = 64,
                                    .rw_ports = 1,
                                    .search_ports = 1};
    const ww_array_spec data = ww_array_table(entries, bits, 1, 1);
    const ww_array_result queue = solved(&node, &requests), buffer = solved(&node, &data);
    const double j = queue.write_j + queue.search_j + queue.read_j + buffer.write_j + buffer.read_j;
    assert_int_not_equal(entries, bits);
    assert_near(event_of(model, "MC/front end", "read request")->model, j, 1e-12, 0);
    assert_near(event_of(model, "MC/front end", "write request")->model, j, 1e-12, 0);
    ww_node_destroy(table);
    ww_power_model_destroy(model);
}

/* Wires of a row's address run over all the arrays of a bank: one on each of its slices. */
static void row_addresses_are_said_in_millimetres(void **state)
{
    (void)state;
    const ww_arch arch = fixture_arch();
    ww_power_model *model = fixture_model(&arch);
    const char *said = strstr(event_of(model, "RF/banks", "row address")->source, " over ");
    double mm = 0;
    assert_non_null(said);
    assert_int_equal(sscanf(said, " over %lf mm", &mm), 1);
    /* A bank of 8 KiB in 40 nm is a fraction of a millimetre wide. */
    assert_true(mm > 0.05 && mm < 2);
    ww_power_model_destroy(model);
}

/* Leakage of what lies in SMs goes with them, that of the rest with the chip. */
static void structures_lie_in_sms_or_beside_them(void **state)
{
    (void)state;
    const ww_arch arch = fixture_arch();
    ww_power_model *model = fixture_model(&arch);
    static const char *const in_sm[] = {"RF/banks", "WCU/decoder", "LDSTU/L1 data cache"};
    for (size_t i = 0; i < WW_ARRAY_LEN(in_sm); i++) {
        assert_true(structure_of(model, in_sm[i])->in_sm);
        assert_int_equal(structure_of(model, in_sm[i])->group, WW_GROUP_IDLE_SM);
    }
    assert_false(structure_of(model, "NOC")->in_sm);
    assert_int_equal(structure_of(model, "LDSTU/L2 cache")->group, WW_GROUP_CONSTANT);
    ww_power_model_destroy(model);
}

/* Stacks are not terminated: a zero that is sent costs nothing, and is not asked about. */
static void zeros_cost_on_terminated_wires_alone(void **state)
{
    (void)state;
    ww_arch arch = fixture_arch();
    ww_power_model *terminated = fixture_model(&arch);
    arch.mem.type = WW_DRAM_HBM2;
    arch.mem.device = "hbm2-measured-x64";
    ww_power_model *stacks = fixture_model(&arch);
    assert_true(ww_power_consumers(terminated, WW_C_SWITCHED_DRAM_ZEROS) != 0);
    assert_int_equal(ww_power_consumers(stacks, WW_C_SWITCHED_DRAM_ZEROS), 0);
    ww_power_model_destroy(stacks);
    ww_power_model_destroy(terminated);
}

/* What values change is a sum of its own, whatever stood where it is written. */
static void without_values_they_change_nothing(void **state)
{
    (void)state;
    const ww_arch arch = fixture_arch();
    ww_power_model *model = fixture_model(&arch);
    ww_counter_set set;
    double j = 1e9;
    assert_ok(ww_counter_set_init(&set, 16, 12, 6, &err), err);
    fixture_activity(&set, 25, 100e9);
    const ww_launch_record launch = fixture_launch(&set);
    assert_false(ww_power_values_j(model, &set, &launch, &j));
    assert_near(j, 0, 0, 0);
    ww_counter_set_fini(&set);
    ww_power_model_destroy(model);
}

/* A matrix unit finishes 16 x 16 x 16 multiply-adds per initiation interval. */
static void matrix_units_are_as_wide_as_their_interval_says(void **state)
{
    (void)state;
    double leakage_w[2];
    for (uint32_t i = 0; i < 2; i++) {
        ww_arch arch = fixture_arch();
        arch.chip.compute_capability = 70;
        arch.units.tensor_count = 8;
        arch.units.tensor_interval = 16u << i;
        ww_power_model *model = fixture_model(&arch);
        leakage_w[i] = structure_of(model, "EU/matrix units")->leakage_w;
        ww_power_model_destroy(model);
    }
    assert_near(leakage_w[0], 2 * leakage_w[1], 1e-9, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instruction_passes_three_decoders),
        cmocka_unit_test(a_request_waits_beside_its_data),
        cmocka_unit_test(row_addresses_are_said_in_millimetres),
        cmocka_unit_test(structures_lie_in_sms_or_beside_them),
        cmocka_unit_test(zeros_cost_on_terminated_wires_alone),
        cmocka_unit_test(without_values_they_change_nothing),
        cmocka_unit_test(matrix_units_are_as_wide_as_their_interval_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
