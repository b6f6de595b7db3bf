/* mc.c - MC, the memory controllers: request queue and data buffers (front end), transaction
 * engine, physical interface, and their background power.
 *
 * Transaction engine and interface follow McPAT (Li et al., TACO 10(1) 2013, section on memory
 * controllers), which scales published designs: 0.432 W at 1 GHz and 72 bits at 1.1 V and 65 nm for
 * the engine; 10 mW per Gb/s at 1.2 V and 90 nm, going with the square root of the feature size,
 * for an interface with low-swing signals. Terminated drivers are charged to the DRAM's side (GM).
 * Areas are the fits of McPAT 1.3 to the memory controllers of server processors (its type 0), of
 * the channel's bandwidth and width, in proportion to the feature size. They know DDR interfaces
 * alone; those of stacked memory, without termination, are charged likewise. */
#include <math.h>

#include "power/component.h"

/* J per bit through the transaction engine. */
static double engine_j_per_bit(const ww_node *node)
{
    double c_f = 0.432 / 1e9 / 72 / (1.1 * 1.1) * (node->feature_m / 65e-9);
    return c_f * node->vdd_v * node->vdd_v;
}

/* J per bit through the physical interface: serialiser, delay lines, receivers. */
static double phy_j_per_bit(const ww_node *node)
{
    double v = node->vdd_v / 1.2;
    return 10e-3 / 1e9 * sqrt(node->feature_m / 90e-9) * v * v;
}

/* Area of a controller's engine or interface by one of the fits. */
static double fitted_m2(const ww__builder *b, double slope_mm2, double offset_mm2)
{
    const ww_mem_params *mem = &b->arch->mem;
    double mb_per_s = mem->bus_bits / 8.0 * mem->data_rate * b->arch->clock.dram_hz / 1e6;
    double mm2 = (slope_mm2 * log(2 * mb_per_s) - offset_mm2) / 2 * mem->bus_bits / 128;
    return mm2 > 0 ? mm2 * 1e-6 * b->node->feature_m / 90e-9 : 0;
}

/* Leakage of these parts per area over that of dense logic: 33 against 148 mW/mm2 at 40 nm in
 * McPAT 1.3 (its interface and its FPU, 350 K). */
static const double sparse_logic = 0.22;

static void add_front_end(ww__builder *b)
{
    enum { REQUEST_BITS = 64 }; /* address, type, source and age */
    const ww_mem_params *mem = &b->arch->mem;
    uint32_t access_bits = ww_arch_burst_bytes(b->arch) * 8;
    ww_array_spec queue_spec = {.kind = WW_ARRAY_CAM,
                                .bits = (uint64_t)mem->queue_entries * REQUEST_BITS,
                                .word_bits = REQUEST_BITS,
                                .rw_ports = 1,
                                .search_ports = 1};
    ww_array_spec data_spec = ww_array_table(mem->queue_entries, access_bits, 1, 1);
    ww_array_result queue = ww__array(b, "request queue", &queue_spec);
    ww_array_result data = ww__array(b, "data buffers", &data_spec);
    ww__structure(b, 1, "front end", mem->channels, queue.area_m2 + 2 * data.area_m2,
                  queue.leak_w + 2 * data.leak_w, "requests: %s; data, read and write: %s",
                  ww__array_text(b, &queue_spec), ww__array_text(b, &data_spec));
    double request_j = queue.write_j + queue.search_j + queue.read_j;
    double data_j = data.write_j + data.read_j;
    ww__event(b, "read request", WW_C_MC_READ, request_j + data_j,
              "array model: entered, searched once, read; data of %u b in and out",
              (unsigned)access_bits);
    ww__event(b, "write request", WW_C_MC_WRITE, request_j + data_j,
              "array model: entered, searched once, read; data of %u b in and out",
              (unsigned)access_bits);
}

/* Share of a controller's and an interface's energy that goes with what is carried: 4.64 of the
 * 13.11 pJ/bit of a read of an A100's HBM are the path of the data, the rest control.
 * @source Antepara et al., SC 2025 (from a summary) */
#define CARRIED_DATA 0.354
#define CARRIED_TEXT "path of data, without control: Antepara et al., SC 2025"

static void add_engine(ww__builder *b)
{
    enum { COMMAND_BITS = 32 };
    const ww_mem_params *mem = &b->arch->mem;
    double bits = (double)ww_arch_burst_bytes(b->arch) * 8, bit_j = engine_j_per_bit(b->node);
    double area_m2 = fitted_m2(b, 2.7927, 19.862);
    ww__structure(b, 1, "transaction engine", mem->channels, area_m2,
                  ww__logic_leak_w(b->node, area_m2, sparse_logic),
                  "McPAT's fit of back ends to bandwidth and width");
    ww__area_kind(b, WW_AREA_FIT);
    ww__event_sum(b, "burst",
                  (ww__sum){.terms = 2, .counter = {WW_C_DRAM_RD, WW_C_DRAM_WR}, .weight = {1, 1}},
                  bits * bit_j, "McPAT: 0.432 W at 1 GHz, 72 b, 1.1 V, 65 nm; %g b", bits);
    ww__values(b, WW_C_SWITCHED_DRAM_BURST, bits, CARRIED_DATA, CARRIED_TEXT);
    ww__event_sum(
        b, "row command",
        (ww__sum){.terms = 4,
                  .counter = {WW_C_DRAM_ACT, WW_C_DRAM_PRE, WW_C_DRAM_REF, WW_C_DRAM_REF_BANK},
                  .weight = {1, 1, 1, 1}},
        COMMAND_BITS * bit_j, "McPAT: as above, %d b of address and command", COMMAND_BITS);
}

static void add_phy(ww__builder *b)
{
    const ww_mem_params *mem = &b->arch->mem;
    double bits = (double)ww_arch_burst_bytes(b->arch) * 8, bit_j = phy_j_per_bit(b->node);
    double area_m2 = fitted_m2(b, 6.4323, 48.134);
    ww__structure(b, 1, "physical interface", mem->channels, area_m2,
                  ww__logic_leak_w(b->node, area_m2, sparse_logic),
                  "McPAT's fit of interfaces to bandwidth and width");
    ww__area_kind(b, WW_AREA_FIT);
    ww__event_sum(b, "burst",
                  (ww__sum){.terms = 2, .counter = {WW_C_DRAM_RD, WW_C_DRAM_WR}, .weight = {1, 1}},
                  bits * bit_j, "McPAT: 10 mW per Gb/s at 1.2 V, 90 nm; %g b", bits);
    ww__values(b, WW_C_SWITCHED_DRAM_WIRES, bits, CARRIED_DATA, CARRIED_TEXT);
}

void ww__build_mc(ww__builder *b)
{
    ww__component(b, WW_COMPONENT_MC, b->arch->power.mc_factor);
    add_front_end(b);
    add_engine(b);
    add_phy(b);
    double v = ww__over_reference_v(b);
    ww__standby(b, b->arch->power.mc_background_w * v * v, "all controllers; %s",
                ww__config_text(b, "power.mc_background_w"));
    ww__placement(b);
}
