/* logic.c - storage, decoding, selection, switching and wires outside of memory arrays. */
#include "tech/logic.h"

#include <math.h>

#include "tech/decode.h"
#include "tech/std_cell.h"

/* Clocked transistors of a master-slave flip-flop: four transmission gates' pairs and two local
 * clock inverters. */
#define CLOCKED_INVERTERS 6.0
/* Nodes that toggle with its data: input, master pair, slave pair, output. */
#define DATA_NODES 6.0
/* Its transistors over those of a unit-drive gate. */
#define FLIPFLOP_SHARE 0.5
/* Inverter pairs that leak. */
#define LEAKING_INVERTERS 10.0
/* Wires of a crossbar are spaced twice the minimum pitch: shields and vias (Orion). */
#define CROSSBAR_PITCHES 2.0
/* Flip-flops under one leaf buffer of a clock tree. */
#define SINKS_PER_LEAF 32.0

ww_cost ww_cost_add(ww_cost a, ww_cost b, double n)
{
    return (ww_cost){.energy_j = a.energy_j + n * b.energy_j,
                     .leak_w = a.leak_w + n * b.leak_w,
                     .area_m2 = a.area_m2 + n * b.area_m2,
                     .delay_s = a.delay_s + b.delay_s,
                     .idle_j = a.idle_j + n * b.idle_j};
}

ww_std_cell ww__std_cell(const ww_node *n)
{
    ww_layout l = ww__layout(n);
    const ww_device *d = &n->peri;
    ww_std_cell c = {.l = l, .w_n = WW_STD_WIDTH * n->min_w_m};
    c.w_p = c.w_n * d->n_to_p;
    c.input_f = ww__gate_f(d, c.w_n + c.w_p);
    c.drain_f = ww__drain_f(n, &l, d, c.w_n, 1, ww__fold_w(&l, WW_NMOS, l.cell_height)) +
                ww__drain_f(n, &l, d, c.w_p, 1, ww__fold_w(&l, WW_PMOS, l.cell_height));
    c.gate_area = WW_NAND2_F2 * l.f * l.f;
    c.wire_f = WW_NET_SPANS * sqrt(c.gate_area) * n->wire[WW_WIRE_LOCAL].c_f_per_m;
    c.switched_f = WW_FAN_OUT * c.input_f + 1.5 * c.drain_f + c.wire_f;
    c.transition_j = 0.5 * c.switched_f * d->vdd_v * d->vdd_v;
    ww_leak leak = ww__gate_leak(d, WW_GATE_NAND, 2, 2 * c.w_n, c.w_p);
    c.leak_w = leak.sub_w + leak.gate_w;
    c.delay_s = ww__horowitz_s(0, ww__r_on(d, c.w_n, WW_NMOS, 1) * c.switched_f);
    return c;
}

ww_cost ww_logic_gates(const ww_node *n, double gates, double activity)
{
    ww_std_cell c = ww__std_cell(n);
    return (ww_cost){.energy_j = gates * activity * c.transition_j,
                     .leak_w = gates * c.leak_w,
                     .area_m2 = gates * c.gate_area / WW_UTILISATION,
                     .delay_s = gates > 0 ? c.delay_s : 0};
}

ww_cost ww_logic_decoder(const ww_node *n, uint32_t address_bits, double load_f)
{
    ww_cost cost = {0};
    if (address_bits == 0) {
        return cost;
    }
    ww_layout l = ww__layout(n);
    uint32_t bits = address_bits > 18 ? 18 : address_bits;
    double outputs = ldexp(1, (int)bits);
    double run = outputs * l.cell_height; /* outputs one above the other */
    const ww_wire *inside = &n->wire[WW_WIRE_SEMIGLOBAL];
    ww_decode_load load = {.load_f = load_f,
                           .height_m = l.cell_height,
                           .wire_f = run * inside->c_f_per_m,
                           .wire_ohm = run * inside->r_ohm_per_m,
                           .gates = 1,
                           .v_load = n->peri.vdd_v};
    ww_decode_cost pre = ww__predecode(n, &l, bits, &load);
    cost = (ww_cost){.energy_j = pre.energy_j,
                     .leak_w = pre.leak.sub_w + pre.leak.gate_w,
                     .area_m2 = pre.area_m2,
                     .delay_s = pre.delay_s};
    if (bits >= WW_DECODER_MIN_BITS) {
        ww_decode_cost line = ww__decode_line(n, &l, 2, &load, pre.ramp_s);
        cost.energy_j += line.energy_j;
        cost.leak_w += outputs * (line.leak.sub_w + line.leak.gate_w);
        cost.area_m2 += outputs * line.area_m2;
        cost.delay_s += line.delay_s;
    }
    return cost;
}

ww_cost ww_logic_arbiter(const ww_node *n, uint32_t requesters)
{
    ww_cost cost = {0};
    if (requesters < 2) {
        return cost;
    }
    ww_std_cell c = ww__std_cell(n);
    double r = requesters, v2 = n->vdd_v * n->vdd_v;
    double priorities = r * (r - 1) / 2;
    /* Each request crosses the matrix: a gate input and a stretch of wire per other requester. */
    double span = r * sqrt(WW_DFF_F2 + 4 * WW_NAND2_F2) * c.l.f;
    double request_f = (r - 1) * c.input_f + c.drain_f + span * n->wire[WW_WIRE_LOCAL].c_f_per_m;
    /* Half of the requesters change their request; the winner's row and column of priorities turn
     * over. */
    double grant_f = (r - 1) * c.drain_f + 2 * c.input_f;
    ww_cost flop = ww_logic_register(n, 1, 1);
    cost.energy_j = 0.5 * r * 0.5 * request_f * v2 + 0.5 * (r - 1) * flop.energy_j + grant_f * v2 +
                    0.5 * priorities * c.input_f * v2 / r;
    cost.idle_j = 0;
    cost.leak_w = priorities * (flop.leak_w + 2 * c.leak_w) + r * c.leak_w;
    cost.area_m2 = priorities * (flop.area_m2 + 2 * c.gate_area / WW_UTILISATION) +
                   r * c.gate_area / WW_UTILISATION;
    cost.delay_s = c.delay_s * (2 + log2(r));
    return cost;
}

ww_cost ww_logic_select(const ww_node *n, uint32_t entries, uint32_t issue)
{
    ww_cost cost = {0};
    if (entries < 2 || issue == 0) {
        return cost;
    }
    /* A tree of four-input cells: OR of the requests going up, priority encoding coming down. */
    double cells = 0, levels = 0;
    for (double w = entries; w > 1; w = ceil(w / 4)) {
        cells += ceil(w / 4);
        levels++;
    }
    const double gates_per_cell = 16;
    ww_std_cell c = ww__std_cell(n);
    ww_cost cell = ww_logic_gates(n, gates_per_cell, 0.5);
    /* Request and grant wires between the levels span the window once per level. */
    double span = sqrt((double)entries * gates_per_cell * c.gate_area / WW_UTILISATION);
    double wires_f = 2 * levels * span * n->wire[WW_WIRE_SEMIGLOBAL].c_f_per_m;
    cost = ww_cost_add(cost, cell, cells * issue);
    cost.energy_j += issue * wires_f * n->vdd_v * n->vdd_v;
    cost.delay_s = 2 * levels * 3 * c.delay_s;
    return cost;
}

ww_cost ww_logic_crossbar(const ww_node *n, uint32_t inputs, uint32_t outputs, uint32_t bits)
{
    ww_cost cost = {0};
    if (inputs == 0 || outputs == 0 || bits == 0) {
        return cost;
    }
    ww_layout l = ww__layout(n);
    const ww_wire *wire = &n->wire[WW_WIRE_SEMIGLOBAL];
    const ww_device *d = &n->peri;
    ww_std_cell c = ww__std_cell(n);
    double pitch = CROSSBAR_PITCHES * wire->pitch_m;
    double in_len = (double)outputs * bits * pitch, out_len = (double)inputs * bits * pitch;
    double v2 = d->vdd_v * d->vdd_v;
    double in_f = in_len * wire->c_f_per_m + outputs * c.input_f;
    double out_f = out_len * wire->c_f_per_m + inputs * c.drain_f;
    ww_chain in = ww__chain_size(n, &l, 1, in_f), out = ww__chain_size(n, &l, 1, out_f);
    ww_chain_cost a =
        ww__chain_cost(n, &l, &in, in_f, in_len * wire->r_ohm_per_m * in_f / 2, 0, l.cell_height);
    ww_chain_cost b = ww__chain_cost(n, &l, &out, out_f, out_len * wire->r_ohm_per_m * out_f / 2,
                                     a.ramp_s, l.cell_height);
    cost.energy_j = bits * (a.internal_f + in_f + b.internal_f + out_f) * v2;
    double points = (double)inputs * outputs * bits;
    ww_leak in_leak = ww__leak_add((ww_leak){0, 0}, a.leak, (double)inputs * bits);
    ww_leak all = ww__leak_add(in_leak, b.leak, (double)outputs * bits);
    cost.leak_w = all.sub_w + all.gate_w + points * c.leak_w;
    double drivers = (double)inputs * bits * a.area_m2 + (double)outputs * bits * b.area_m2;
    cost.area_m2 = fmax(in_len * out_len, points * c.gate_area) + drivers;
    cost.delay_s = a.delay_s + b.delay_s;
    return cost;
}

ww_cost ww_logic_mux(const ww_node *n, uint32_t ways, uint32_t bits)
{
    ww_cost cost = {0};
    if (ways < 2 || bits == 0) {
        return cost;
    }
    ww_std_cell c = ww__std_cell(n);
    double w = ways, levels = ceil(log2(w));
    const double gates_per_mux =
        1.75; /* transmission-gate pair with inverting buffer, over a NAND2 */
    double muxes = (w - 1) * bits;
    /* The selected path switches once per level; the select lines of all levels change half of the
     * time. */
    double path = bits * levels * gates_per_mux * c.transition_j;
    double selects = 0.5 * muxes * c.input_f * n->vdd_v * n->vdd_v;
    cost.energy_j = path + 0.5 * selects;
    cost.leak_w = muxes * gates_per_mux * c.leak_w;
    cost.area_m2 = muxes * gates_per_mux * c.gate_area / WW_UTILISATION;
    cost.delay_s = levels * 1.5 * c.delay_s;
    return cost;
}

ww_cost ww_logic_register(const ww_node *n, uint32_t bits, double activity)
{
    ww_std_cell c = ww__std_cell(n);
    const ww_device *d = &n->peri;
    double v2 = n->vdd_v * n->vdd_v;
    double w_n = FLIPFLOP_SHARE * c.w_n, w_p = FLIPFLOP_SHARE * c.w_p;
    double input_f = FLIPFLOP_SHARE * c.input_f;
    double drain_f = ww__drain_f(n, &c.l, d, w_n, 1, ww__fold_w(&c.l, WW_NMOS, c.l.cell_height)) +
                     ww__drain_f(n, &c.l, d, w_p, 1, ww__fold_w(&c.l, WW_PMOS, c.l.cell_height));
    double clock_j = CLOCKED_INVERTERS * input_f * v2;
    double toggle_j = 0.5 * DATA_NODES * (input_f + drain_f) * v2;
    ww_leak one = ww__gate_leak(d, WW_GATE_INV, 1, w_n, w_p);
    return (ww_cost){.energy_j = bits * (clock_j + activity * toggle_j),
                     .leak_w = bits * LEAKING_INVERTERS * (one.sub_w + one.gate_w),
                     .area_m2 = bits * WW_DFF_F2 * c.l.f * c.l.f,
                     .delay_s = bits > 0 ? 4 * c.delay_s : 0,
                     .idle_j = bits * clock_j};
}

ww_cost ww_logic_clock_tree(const ww_node *n, double area_m2, double sinks)
{
    ww_cost cost = {0};
    if (area_m2 <= 0) {
        return cost;
    }
    ww_layout l = ww__layout(n);
    ww_std_cell c = ww__std_cell(n);
    double side = sqrt(area_m2);
    double leaves = fmax(sinks / SINKS_PER_LEAF, 1);
    int levels = (int)ceil(log2(leaves) / 2) * 2;
    double length = 0, segment = side / 2;
    for (int i = 0; i < levels; i++) {
        length += ldexp(segment, i);
        segment /= i % 2 == 1 ? 2 : 1;
    }
    ww_repeated wire = ww__repeated_wire(n, &l, WW_WIRE_GLOBAL, WW_LOGIC_WIRE_SLACK, 1);
    /* A leaf reaches its flip-flops over a local wire each as long as their share of the area
     * allows. */
    double local = sinks > 0 ? sinks * 0.5 * sqrt(area_m2 / sinks) : 0;
    double pins = sinks * c.input_f + local * n->wire[WW_WIRE_LOCAL].c_f_per_m;
    cost.energy_j = length * wire.energy_j + pins * n->vdd_v * n->vdd_v;
    cost.idle_j = cost.energy_j;
    cost.leak_w = length * (wire.leak.sub_w + wire.leak.gate_w);
    cost.area_m2 = length * wire.area_m2;
    cost.delay_s = (side / 2 + side / 2) * wire.delay_s;
    return cost;
}

ww_cost ww_logic_wire(const ww_node *n, ww_wire_layer layer, double length_m, uint32_t bits)
{
    ww_cost cost = {0};
    if (length_m <= 0 || bits == 0 || layer >= WW_WIRE_LAYERS) {
        return cost;
    }
    ww_layout l = ww__layout(n);
    ww_repeated w = ww__repeated_wire(n, &l, layer, WW_LOGIC_WIRE_SLACK, 1);
    double run = length_m * bits;
    /* One transition is half of a charge and discharge pair. */
    cost.energy_j = 0.5 * run * w.energy_j;
    cost.leak_w = run * (w.leak.sub_w + w.leak.gate_w);
    cost.area_m2 = run * w.area_m2;
    cost.delay_s = length_m * w.delay_s;
    return cost;
}
