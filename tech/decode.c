/* decode.c - predecoders of two- and three-input NAND groups, and the decoders behind them. */
#include "tech/decode.h"

#include <math.h>

/* How a predecode block of 1..9 bits is built: groups of 2-to-4 and 3-to-8 decoders, and the NAND
 * that combines them. */
typedef struct predecode_shape {
    int groups_of_2, groups_of_3;
    int join; /* inputs of the second-level NAND; 0: none */
} predecode_shape;

static const predecode_shape SHAPES[] = {
    {0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 2},
    {1, 1, 2}, {0, 2, 2}, {2, 1, 3}, {1, 2, 3}, {0, 3, 3},
};

enum { BLOCK_MAX_BITS = 9 };

/* One block of a predecoder, with its address drivers. */
typedef struct block_cost {
    double delay_s, ramp_s, energy_j, area_m2;
    ww_leak leak;
} block_cost;

uint32_t ww__address_bits(uint32_t outputs, bool down)
{
    uint32_t bits = outputs <= 1 ? 0 : 32 - (uint32_t)__builtin_clz(outputs - 1);
    bits = bits > 31 ? 31 : bits;
    return down && bits > 0 && (1u << bits) > outputs ? bits - 1 : bits;
}

static void add_chain(block_cost *cost, const ww_node *n, const ww_chain_cost *c, double load_f,
                      double count, double switching)
{
    cost->energy_j += switching * (c->internal_f + load_f) * n->peri.vdd_v * n->peri.vdd_v;
    cost->area_m2 += count * c->area_m2;
    cost->leak = ww__leak_add(cost->leak, c->leak, count);
}

/* The groups of one kind of first-level gate: drivers of its address bits, its gates, its share of
 * the path to the second level. Adds costs; returns delay and ramp at the group's output. */
static block_cost group_cost(const ww_node *n, const ww_layout *l, uint32_t bits, int inputs,
                             int groups, int switching, double out_f, double elmore_s)
{
    block_cost cost = {0};
    int bits_per_group = (uint32_t)inputs < bits ? inputs : (int)bits;
    int outputs = 1 << bits_per_group;
    ww_chain gate = ww__chain_size(n, l, inputs, out_f);
    double driver_load = outputs * ww__chain_input_f(n, &gate);
    ww_chain driver = ww__chain_size(n, l, 1, driver_load);

    /* Each address bit has a driver; half of them switch from one access to the next. */
    ww_chain_cost d = ww__chain_cost(n, l, &driver, driver_load, 0, 0, l->cell_height);
    int drivers = groups * bits_per_group;
    add_chain(&cost, n, &d, driver_load, drivers, 0.5 * drivers);
    ww_chain_cost g = ww__chain_cost(n, l, &gate, out_f, elmore_s, d.ramp_s, l->cell_height);
    add_chain(&cost, n, &g, out_f, groups * outputs, switching);
    cost.delay_s = d.delay_s + g.delay_s;
    cost.ramp_s = g.ramp_s;
    return cost;
}

static void merge(block_cost *into, const block_cost *part)
{
    into->energy_j += part->energy_j;
    into->area_m2 += part->area_m2;
    into->leak = ww__leak_add(into->leak, part->leak, 1);
    if (part->delay_s > into->delay_s) {
        into->delay_s = part->delay_s;
        into->ramp_s = part->ramp_s;
    }
}

static const predecode_shape *shape_of(uint32_t bits)
{
    return &SHAPES[bits < BLOCK_MAX_BITS ? bits : BLOCK_MAX_BITS];
}

/* A block of `bits` address bits whose every output drives load_f. active: whose groups are counted
 * as switching. */
static block_cost predecode_block(const ww_node *n, const ww_layout *l, uint32_t bits,
                                  const predecode_shape *active, double load_f, double r_ohm)
{
    block_cost cost = {0};
    if (bits == 0) {
        return cost;
    }
    const predecode_shape *s = shape_of(bits);
    double elmore = r_ohm * load_f / 2;
    if (s->join == 0) {
        int switching = s->groups_of_3 > 0 ? active->groups_of_3 : active->groups_of_2;
        return group_cost(n, l, bits, s->groups_of_3 > 0 ? 3 : 2, 1, switching, load_f, elmore);
    }
    ww_chain join = ww__chain_size(n, l, s->join, load_f);
    double outputs = (double)(1u << bits);
    /* A first-level output reaches the second-level gates of all combinations of the other groups.
     */
    double join_f = ww__chain_input_f(n, &join);
    if (s->groups_of_2 > 0) {
        block_cost g =
            group_cost(n, l, bits, 2, s->groups_of_2, active->groups_of_2, outputs / 4 * join_f, 0);
        merge(&cost, &g);
    }
    if (s->groups_of_3 > 0) {
        block_cost g =
            group_cost(n, l, bits, 3, s->groups_of_3, active->groups_of_3, outputs / 8 * join_f, 0);
        merge(&cost, &g);
    }
    ww_chain_cost j = ww__chain_cost(n, l, &join, load_f, elmore, cost.ramp_s, l->cell_height);
    add_chain(&cost, n, &j, load_f, outputs, 1);
    cost.delay_s += j.delay_s;
    cost.ramp_s = j.ramp_s;
    return cost;
}

static ww_decode_cost to_decode(const block_cost *b)
{
    return (ww_decode_cost){.delay_s = b->delay_s,
                            .ramp_s = b->ramp_s,
                            .energy_j = b->energy_j,
                            .area_m2 = b->area_m2,
                            .leak = b->leak};
}

ww_decode_cost ww__predecode(const ww_node *n, const ww_layout *l, uint32_t bits,
                             const ww_decode_load *load)
{
    if (bits < WW_DECODER_MIN_BITS) {
        block_cost only = predecode_block(n, l, bits, shape_of(bits), load->load_f, load->r_ohm);
        return to_decode(&only);
    }
    uint32_t high = (bits + 1) / 2, low = bits / 2;
    double nand2_f = ww__gate_f(&n->peri, n->min_w_m * (2 + n->peri.n_to_p));
    double per_combination = load->gates * nand2_f;
    double load_high = (double)(1u << low) * per_combination + load->wire_f;
    double load_low = (double)(1u << high) * per_combination + load->wire_f;
    block_cost cost = predecode_block(n, l, high, shape_of(high), load_high, load->wire_ohm);
    const predecode_shape *active = shape_of(load->first_blocks_gates ? high : low);
    block_cost other = predecode_block(n, l, low, active, load_low, load->wire_ohm);
    merge(&cost, &other);
    return to_decode(&cost);
}

ww_decode_cost ww__decode_line(const ww_node *n, const ww_layout *l, int inputs,
                               const ww_decode_load *load, double ramp_s)
{
    ww_chain chain = ww__chain_size(n, l, inputs, load->load_f);
    ww_chain_cost c = ww__chain_cost(n, l, &chain, load->load_f, load->r_ohm * load->load_f / 2,
                                     ramp_s, load->height_m);
    double v = n->peri.vdd_v;
    return (ww_decode_cost){.delay_s = c.delay_s,
                            .ramp_s = c.ramp_s,
                            .energy_j =
                                c.internal_f * v * v + load->load_f * load->v_load * load->v_load,
                            .area_m2 = c.area_m2,
                            .leak = c.leak};
}
