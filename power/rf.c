/* rf.c - RF, the register file: single-ported SRAM banks, the arbiter in front of them, the
 * crossbar to the operand collectors, the collectors, and the result bus back.
 *
 * Organisation: a bank holds whole warp operands (32 lanes x 32 bits). It is built of eight arrays
 * side by side, four lanes each, so that an access wakes only arrays whose lanes are active;
 * Lindholm et al. (IEEE Micro 28(2), 2008) and GPUWattch (Leng et al., ISCA 2013) describe the
 * banks and collectors. No value leaves its lane, so the crossbar is cut further: one slice per
 * lane. */
#include <math.h>

#include "power/component.h"

enum {
    LANE_BITS = 32,
    SLICE_LANES = 4, /* lanes of one array */
    SLICES = WW_WARP_SIZE / SLICE_LANES,
    SLICE_BITS = SLICE_LANES * LANE_BITS,
    OPERAND_BITS = WW_WARP_SIZE * LANE_BITS
};

/* Wires of a bank's row address and its read/write control. */
static uint32_t address_bits(const ww_arch *arch)
{
    uint32_t rows = arch->sm.registers / WW_WARP_SIZE / arch->regfile.banks, bits = 2;
    while (rows > 1) {
        rows = (rows + 1) / 2;
        bits++;
    }
    return bits;
}

/* Returns the area of one SM's banks. */
static double add_banks(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    uint64_t bank_bits = (uint64_t)arch->sm.registers * LANE_BITS / arch->regfile.banks;
    ww_array_spec spec = {
        .kind = WW_ARRAY_RAM, .bits = bank_bits / SLICES, .word_bits = SLICE_BITS, .rw_ports = 1};
    ww_array_result array = ww__array(b, "banks", &spec);
    uint32_t per_sm = arch->regfile.banks * SLICES;
    ww__structure(b, 1, "banks", arch->sm.count * per_sm, array.area_m2, array.leak_w,
                  "%u banks per SM of %d arrays; %s", (unsigned)arch->regfile.banks, SLICES,
                  ww__array_text(b, &spec));
    ww__event(b, "read lane", WW_C_RF_READ_LANES, array.read_j / SLICE_LANES,
              "read of %d bits, %d lanes; %s", SLICE_BITS, SLICE_LANES, ww__array_text(b, &spec));
    ww__values(b, WW_C_SWITCHED_RF_READ, LANE_BITS, ww__data_share(&array.read), "%s",
               WW__ARRAY_DATA);
    ww__event(b, "write lane", WW_C_RF_WRITE_LANES, array.write_j / SLICE_LANES,
              "write of %d bits, %d lanes; %s", SLICE_BITS, SLICE_LANES, ww__array_text(b, &spec));
    ww__values(b, WW_C_SWITCHED_RF_WRITE, LANE_BITS, ww__data_share(&array.write), "%s",
               WW__ARRAY_DATA);

    double width_m = SLICES * array.width_m;
    ww_cost wire = ww_logic_wire(b->node, WW_WIRE_SEMIGLOBAL, width_m, address_bits(arch));
    ww__event_sum(b, "row address",
                  (ww__sum){.terms = 2, .counter = {WW_C_RF_READ, WW_C_RF_WRITE}, .weight = {1, 1}},
                  wire.energy_j * WW__RANDOM_TOGGLE,
                  "wire model: %u address wires over %.3g mm of bank", (unsigned)address_bits(arch),
                  width_m * 1e3);
    return array.area_m2 * per_sm;
}

static void add_arbiter(ww__builder *b)
{
    const ww_regfile_params *rf = &b->arch->regfile;
    uint32_t requesters = rf->collectors * rf->collector_operands + 1; /* and the write port */
    ww_cost arbiter = ww_logic_arbiter(b->node, requesters);
    ww__structure(b, 1, "arbiters", b->arch->sm.count * rf->banks, arbiter.area_m2, arbiter.leak_w,
                  "matrix arbiter per bank, %u requesters (Orion)", (unsigned)requesters);
    ww__event(b, "arbitrate", WW_C_RF_ARBITRATION, arbiter.energy_j,
              "logic model: matrix arbiter, %u requesters", (unsigned)requesters);
}

static void add_crossbar(ww__builder *b)
{
    const ww_regfile_params *rf = &b->arch->regfile;
    ww_cost xbar = ww_logic_crossbar(b->node, rf->banks, rf->collectors, LANE_BITS);
    ww__structure(b, 1, "crossbar", b->arch->sm.count * WW_WARP_SIZE, xbar.area_m2, xbar.leak_w,
                  "per lane, %u banks x %u collectors x %d b (Orion)", (unsigned)rf->banks,
                  (unsigned)rf->collectors, LANE_BITS);
    ww__event(b, "operand lane", WW_C_RF_READ_LANES, xbar.energy_j * WW__RANDOM_TOGGLE,
              "logic model: matrix crossbar %u x %u x %d b, half the wires toggle",
              (unsigned)rf->banks, (unsigned)rf->collectors, LANE_BITS);
    ww__values(b, WW_C_SWITCHED_RF_READ, LANE_BITS, 1, "wires");
}

static void add_collectors(ww__builder *b)
{
    const ww_regfile_params *rf = &b->arch->regfile;
    ww_array_spec spec = {.kind = WW_ARRAY_LATCH,
                          .bits = (uint64_t)rf->collector_operands * OPERAND_BITS,
                          .word_bits = OPERAND_BITS,
                          .read_ports = 1,
                          .write_ports = 1};
    ww_array_result array = ww__array(b, "operand collectors", &spec);
    ww__structure(b, 1, "operand collectors", b->arch->sm.count * rf->collectors, array.area_m2,
                  array.leak_w, "%s", ww__array_text(b, &spec));
    ww__event(b, "collect operand", WW_C_OC_WRITE, array.write_j, "%s", ww__array_text(b, &spec));
    ww__values(b, WW_C_SWITCHED_COLLECT, OPERAND_BITS, WW__LATCH_DATA, "%s", WW__LATCH_TEXT);
    ww__event(b, "dispatch", WW_C_OC_READ, array.read_j * rf->collector_operands,
              "%u operands read at once; %s", (unsigned)rf->collector_operands,
              ww__array_text(b, &spec));
    ww__values(b, WW_C_SWITCHED_COLLECT, OPERAND_BITS * rf->collector_operands, WW__LATCH_DATA,
               "%s", WW__LATCH_TEXT);
}

/* Results travel from the units back along the banks. */
static void add_result_bus(ww__builder *b, double banks_m2)
{
    double length_m = sqrt(banks_m2);
    ww_cost bus = ww_logic_wire(b->node, WW_WIRE_SEMIGLOBAL, length_m, OPERAND_BITS);
    ww__structure(b, 1, "result bus", b->arch->sm.count, bus.area_m2, bus.leak_w,
                  "wire model: %d b over %.3g mm, the side of an SM's banks", OPERAND_BITS,
                  length_m * 1e3);
    ww__event(b, "result lane", WW_C_RF_WRITE_LANES,
              bus.energy_j * WW__RANDOM_TOGGLE / WW_WARP_SIZE,
              "wire model: %d b over %.3g mm, half the wires toggle", LANE_BITS, length_m * 1e3);
    ww__values(b, WW_C_SWITCHED_RF_WRITE, LANE_BITS, 1, "wires");
}

/* Of an access and the wire behind it. */
static double slice_data_share(const ww_array_terms *terms, double wire_j)
{
    const double access_j = ww_array_terms_sum(terms), all_j = access_j + wire_j;
    return all_j > 0 ? (ww__data_share(terms) * access_j + wire_j) / all_j : 0;
}

/* A core of lanes (perf/sm/lanes.c): the register file in slices, each of so many single-ported
 * banks of words that a multiply-add's operands and a result find theirs. */
static void add_slices(ww__builder *b)
{
    enum { BANKS = 4 };
    const ww_arch *arch = b->arch;
    uint32_t lanes = arch->units.sp_count * arch->units.sp_lanes;
    ww_array_spec spec = {.kind = WW_ARRAY_RAM,
                          .bits = (uint64_t)arch->sm.registers * LANE_BITS / lanes / BANKS,
                          .word_bits = LANE_BITS,
                          .rw_ports = 1};
    ww_array_result array = ww__array(b, "slices", &spec);
    double side_m = sqrt(BANKS * array.area_m2);
    ww_cost wire = ww_logic_wire(b->node, WW_WIRE_SEMIGLOBAL, side_m, LANE_BITS);
    ww__structure(b, 1, "slices", arch->sm.count * lanes * BANKS,
                  array.area_m2 + wire.area_m2 / BANKS, array.leak_w + wire.leak_w / BANKS,
                  "%u slices per SM of %d banks; %s", (unsigned)lanes, BANKS,
                  ww__array_text(b, &spec));
    ww__event(b, "read word", WW_C_RF_READ_LANES, array.read_j + wire.energy_j * WW__RANDOM_TOGGLE,
              "read of %d bits and the way across the slice, %.3g mm; %s", LANE_BITS, side_m * 1e3,
              ww__array_text(b, &spec));
    ww__values(b, WW_C_SWITCHED_RF_READ, LANE_BITS,
               slice_data_share(&array.read, wire.energy_j * WW__RANDOM_TOGGLE), "%s",
               WW__ARRAY_DATA);
    ww__event(
        b, "write word", WW_C_RF_WRITE_LANES, array.write_j + wire.energy_j * WW__RANDOM_TOGGLE,
        "write of %d bits and the way across the slice; %s", LANE_BITS, ww__array_text(b, &spec));
    ww__values(b, WW_C_SWITCHED_RF_WRITE, LANE_BITS,
               slice_data_share(&array.write, wire.energy_j * WW__RANDOM_TOGGLE), "%s",
               WW__ARRAY_DATA);
}

void ww__build_rf(ww__builder *b)
{
    ww__component(b, WW_COMPONENT_RF, b->arch->power.rf_factor);
    if (b->arch->sm.core == WW_CORE_LANES) {
        add_slices(b);
        b->regfile_m2 = ww_power_area(b->model, WW_COMPONENT_RF);
        ww__placement(b);
        return;
    }
    double banks_m2 = add_banks(b);
    add_arbiter(b);
    add_crossbar(b);
    add_collectors(b);
    add_result_bus(b, banks_m2);
    b->regfile_m2 = ww_power_area(b->model, WW_COMPONENT_RF);
    ww__placement(b);
}
