/* mc.c - MC, the memory controllers: request queue and data buffers (front end), transaction
 * engine, physical interface, and their background power.
 *
 * Transaction engine and interface follow McPAT (Li et al., TACO 10(1) 2013, section on memory
 * controllers), which scales published designs: 0.432 W at 1 GHz and 72 bits at 1.1 V and 65 nm for
 * the engine; 10 mW per Gb/s at 1.2 V and 90 nm, going with the square root of the feature size,
 * for an interface with low-swing signals. Terminated drivers are charged to the DRAM's side (GM).
 */
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

static void add_engine(ww__builder *b)
{
    enum {
        COMMAND_BITS = 32,
        GATES = 50000
    }; /* 50 k gates per 64 bits of bus: McPAT's embedded controller */
    const ww_mem_params *mem = &b->arch->mem;
    double bits = (double)ww_arch_burst_bytes(b->arch) * 8, bit_j = engine_j_per_bit(b->node);
    ww_cost gates = ww_logic_gates(b->node, GATES * mem->bus_bits / 64.0, 0);
    ww__structure(b, 1, "transaction engine", mem->channels, gates.area_m2, gates.leak_w,
                  "McPAT: %d gates per 64 b", GATES);
    ww__event_sum(b, "burst",
                  (ww__sum){.terms = 2, .counter = {WW_C_DRAM_RD, WW_C_DRAM_WR}, .weight = {1, 1}},
                  bits * bit_j, "McPAT: 0.432 W at 1 GHz, 72 b, 1.1 V, 65 nm; %g b", bits);
    ww__event_sum(b, "row command",
                  (ww__sum){.terms = 3,
                            .counter = {WW_C_DRAM_ACT, WW_C_DRAM_PRE, WW_C_DRAM_REF},
                            .weight = {1, 1, 1}},
                  COMMAND_BITS * bit_j, "McPAT: as above, %d b of address and command",
                  COMMAND_BITS);
}

static void add_phy(ww__builder *b)
{
    const ww_mem_params *mem = &b->arch->mem;
    double bits = (double)ww_arch_burst_bytes(b->arch) * 8, bit_j = phy_j_per_bit(b->node);
    ww__structure(b, 1, "physical interface", mem->channels, 0, 0, "McPAT: energy per bit only");
    ww__event_sum(b, "burst",
                  (ww__sum){.terms = 2, .counter = {WW_C_DRAM_RD, WW_C_DRAM_WR}, .weight = {1, 1}},
                  bits * bit_j, "McPAT: 10 mW per Gb/s at 1.2 V, 90 nm; %g b", bits);
}

void ww__build_mc(ww__builder *b)
{
    ww__component(b, WW_COMPONENT_MC, b->arch->power.mc_factor);
    add_front_end(b);
    add_engine(b);
    add_phy(b);
    ww__background(b, "idle", WW_C_CORE_CYCLES, WW_POWER_PER_CORE_CYCLE,
                   b->arch->power.mc_background_w, 1, "all controllers; %s",
                   ww__config_text(b, "power.mc_background_w"));
}
