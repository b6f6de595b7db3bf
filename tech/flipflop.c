/* flipflop.c - tables of a few hundred bits built of flip-flops or latches with multiplexer trees,
 * which no SRAM serves well. */
#include <math.h>

#include "tech/array_kinds.h"
#include "tech/circuit.h"
#include "tech/logic.h"

/* A latch is half a master-slave flip-flop, with its own clock gate. */
#define LATCH_SHARE 0.5
/* Routing and cell rows of a synthesised table: utilisation of the cell area (typical of placed
 * register files). */
#define UTILISATION 0.7

static ww_array_part table_part(const ww_array_spec *spec, const ww_node *node)
{
    bool latch = spec->kind == WW_ARRAY_LATCH;
    double share = latch ? LATCH_SHARE : 1;
    double words = ceil((double)spec->bits / spec->banks / spec->word_bits);
    double reads = spec->rw_ports + spec->read_ports, writes = spec->rw_ports + spec->write_ports;
    uint32_t bits = spec->word_bits;
    uint32_t address = 0;
    while (ldexp(1, (int)address) < words) {
        address++;
    }

    ww_cost word = ww_logic_register(node, bits, 0.5);
    ww_cost written = ww_logic_register(node, bits, 0.5);
    ww_cost tree = ww_logic_mux(node, (uint32_t)words, bits);
    /* The write decoder drives the clock gates of the words; every word sees the data wires. */
    double gate_f = ww__gate_f(&node->peri, 3 * node->min_w_m * (1 + node->peri.n_to_p));
    ww_cost decoder = ww_logic_decoder(node, address, gate_f);
    double storage = words * word.area_m2 * share;
    double area = (storage + reads * tree.area_m2 + writes * decoder.area_m2 +
                   (writes - 1) * words * bits * tree.area_m2 / fmax(words * bits, 1)) /
                  UTILISATION;
    double side = sqrt(area);
    ww_cost data_wires = ww_logic_wire(node, WW_WIRE_SEMIGLOBAL, side, bits);

    ww_array_part p = {
        .partition = {.ndwl = 1, .ndbl = 1, .ndcm = 1, .nsam1 = 1, .nsam2 = 1, .nspd = 1},
        .rows = (uint32_t)words,
        .cols = bits,
        .mats = 1,
        .active_mats = 1,
        .subarrays_per_mat = 1};
    /* Random data: half of the multiplexed bits and of the data wires switch. */
    p.read.output = 0.5 * tree.energy_j;
    p.read.htree_out = 0.5 * data_wires.energy_j / 2; /* half way to the edge */
    p.write.decoder = decoder.energy_j;
    p.write.cells = written.energy_j * share;
    p.write.htree_out = 0.5 * data_wires.energy_j;
    double banks = spec->banks;
    p.leak.cells = banks * words * word.leak_w * share;
    p.leak.output = banks * reads * tree.leak_w;
    p.leak.decoder = banks * writes * decoder.leak_w;
    double i_sub = node->peri.i_off_a_per_m, i_gate = node->peri.i_gate_a_per_m;
    p.leak_w = p.leak.cells + p.leak.output + p.leak.decoder;
    p.leak_gate_w = p.leak_w * i_gate / (i_sub + i_gate);
    p.area_m2 = banks * area;
    p.height_m = p.width_m = sqrt(p.area_m2);
    p.access_s = tree.delay_s + data_wires.delay_s / 2;
    p.cycle_s = fmax(p.access_s, decoder.delay_s + written.delay_s);
    p.time.output = tree.delay_s;
    p.time.htree_out = data_wires.delay_s / 2;
    p.cell_area_share = banks * storage / p.area_m2;
    p.read_j = ww_array_terms_sum(&p.read);
    p.write_j = ww_array_terms_sum(&p.write);
    return p;
}

void ww__solve_flipflops(const ww_array_spec *spec, const ww_node *node, ww_array_result *result)
{
    ww_array_part p = table_part(spec, node);
    /* Clock gating: with no access, only the clock gates' inputs of the words move; one gate per
     * word. */
    double words = p.rows * (double)spec->banks;
    double gate_f = ww__gate_f(&node->peri, 2 * node->min_w_m * (1 + node->peri.n_to_p));
    result->data = p;
    result->idle_j = words * gate_f * node->vdd_v * node->vdd_v;
    ww__add_part(result, &p);
    result->area_m2 = p.area_m2;
    result->height_m = p.height_m;
    result->width_m = p.width_m;
    result->access_s = p.access_s;
    result->cycle_s = p.cycle_s;
}

bool ww__table_is_better(const ww_array_result *table, const ww_array_result *sram)
{
    double t = (table->read_j + table->write_j) * table->leak_w * table->area_m2;
    double s = (sram->read_j + sram->write_j) * sram->leak_w * sram->area_m2;
    return t < s;
}
