/* htree.c - size and cost of an H-tree, level by level from the root. */
#include "tech/htree.h"

#include <math.h>

static double halves(int k)
{
    return ldexp(1.0, -k);
}

void ww__tree_box(const ww_node *n, const ww_tree_shape *s, double pitch, double *height,
                  double *width)
{
    (void)n;
    int h = s->cols_log2, v = s->rows_log2;
    double cols = ldexp(1.0, h), rows = ldexp(1.0, v);
    double a = s->fanned_bits * pitch, d = s->data_bits * pitch;
    double tall = s->leaf_h * rows, wide = s->leaf_w * cols;
    if (s->between_banks) {
        /* A channel at each level, halving from the root outwards. */
        *height = tall + (a + d) * 2 * (1 - halves(h));
        *width = wide + (a + d) * 2 * (1 - halves(v));
    } else if (h == v) {
        *height = tall + a * (rows - 1) + d * h;
        *width = wide + a * (cols - 1) + d * v;
    } else if (h > v) {
        *height = tall + a * (rows - 1 + h - v) + d * (2 * (1 - halves(h - v)) + halves(v - h) * v);
        *width = wide + a * (cols - 1) + d * v;
    } else {
        *height = tall + a * (cols - 1 + v - h) + d * h;
        *width = wide + a * (cols - 1 + v - h) + d * (h + 2 * (1 - halves(v - h)));
    }
}

/* A node of the tree: from a segment with repeaters of size s1 to one of size s2. */
typedef struct tree_gates {
    const ww_node *n;
    const ww_layout *l;
    double min_n, min_p, fold_n, fold_p;
    double threshold; /* |ln(Vth/Vdd)|: a step input, seen at the threshold */
    double gate1;     /* input of a minimum inverter */
} tree_gates;

static double drain(const tree_gates *g, double w, ww_polarity polarity)
{
    return ww__drain_f(g->n, g->l, &g->n->peri, w, 1, polarity == WW_NMOS ? g->fold_n : g->fold_p);
}

/* NAND that has the input capacitance of a repeater of size s1 and drives two of size s2. */
static inline void fork_node(const tree_gates *g, double s1, double s2, ww_tree_cost *cost,
                             double branches, bool leaks)
{
    const ww_device *d = &g->n->peri;
    double p = d->n_to_p;
    double size = fmax(s1 * (1 + p) / (2 + p), 1);
    double w_n = size * g->min_n, w_p = size * g->min_p;
    double load = 2 * s2 * g->gate1;
    double tc = 2 * ww__r_on(d, w_n, WW_NMOS, 1) * (2 * drain(g, w_n, WW_NMOS) + load);
    cost->delay_s += tc * g->threshold;
    cost->energy_j +=
        0.5 * (2 * drain(g, w_p, WW_PMOS) + drain(g, w_n, WW_NMOS) + load) * d->vdd_v * d->vdd_v;
    if (leaks) {
        cost->leak =
            ww__leak_add(cost->leak, ww__gate_leak(d, WW_GATE_NAND, 2, 2 * w_n, 2 * w_p), branches);
    }
}

/* Tri-state buffer: NAND and NOR that drive an output pair sized for the wire of capacitance
 * wire_f. */
static inline void join_node(const tree_gates *g, double s1, double s2, double wire_f,
                             ww_tree_cost *cost, double branches, bool leaks)
{
    const ww_device *d = &g->n->peri;
    double p = d->n_to_p;
    double v2 = d->vdd_v * d->vdd_v;
    double size = fmax(s1 * (1 + p) / (3 + 3 * p), 1);
    double next = s2 * g->gate1;
    double effort = (next + wire_f) / next;
    double out = s1 * g->gate1 / 2 / (effort * ww__gate_f(d, g->min_p));
    if (!g->l->faults->tree_gates_unclamped) {
        out = fmax(out, 1); /* a transistor has a least width */
    }
    double w_n = size * g->min_n, w_p = size * g->min_p;
    double o_n = out * g->min_n, o_p = out * g->min_p;
    double d_n = drain(g, w_n, WW_NMOS), d_p = drain(g, w_p, WW_PMOS);
    double d_out = drain(g, o_n, WW_NMOS) + drain(g, o_p, WW_PMOS);

    double r_nor = 2 * ww__r_on(d, w_p, WW_PMOS, 1);
    double r_out = ww__r_on(d, o_n, WW_NMOS, 1);
    double c_nand = d_n + 2 * d_p + ww__gate_f(d, o_p);
    double c_out = 2 * d_out + s1 * g->gate1;
    cost->delay_s += (r_nor * c_nand + (r_nor + r_out) * c_out) * g->threshold;

    double nand = 2 * d_p + d_n + ww__gate_f(d, o_p);
    double inverter = d_p + d_n + ww__gate_f(d, w_n + w_p);
    double nor = d_p + 2 * d_n + ww__gate_f(d, o_n + o_p);
    cost->energy_j += 0.5 * (nand + inverter + nor + c_out) * v2;

    if (!leaks) {
        return;
    }
    ww_leak leak = ww__gate_leak(d, WW_GATE_INV, 1, 2 * o_n, 2 * o_p);
    leak = ww__leak_add(leak, ww__gate_leak(d, WW_GATE_NAND, 2, 3 * w_n, 3 * w_p), 1);
    leak = ww__leak_add(leak, ww__gate_leak(d, WW_GATE_NOR, 2, 3 * w_n, 3 * w_p), 1);
    cost->leak = ww__leak_add(cost->leak, leak, branches);
}

/* Where the walk down the tree stands: the last horizontal and vertical segment. */
typedef struct walk {
    double across, down;
} walk;

/* A node is as strong as the repeaters of the segments it joins; those of the wide, horizontal
 * segments set the size of short ones. */
static double node_size(const tree_gates *g, const ww_repeated *wire, double sized_by,
                        double segment)
{
    if (segment > wire->spacing_m) {
        return wire->size;
    }
    double share = sized_by / wire->spacing_m;
    return wire->size * (g->l->faults->tree_gates_unclamped ? share : fmin(share, 1));
}

static inline void add_node(const tree_gates *g, const ww_repeated *wire, ww_tree_kind kind,
                            double s1, double s2, double length, ww_tree_cost *cost,
                            double branches, bool leaks)
{
    if (kind == WW_TREE_IN) {
        fork_node(g, s1, s2, cost, branches, leaks);
    } else {
        join_node(g, s1, s2, wire->c_f * fmin(length, wire->spacing_m), cost, branches, leaks);
    }
}

static void add_wire(const ww_repeated *wire, double length, ww_tree_cost *cost, double branches,
                     bool all)
{
    cost->delay_s += wire->delay_s * length;
    cost->energy_j += wire->energy_j * length * (all ? branches : 1);
    cost->leak = ww__leak_add(cost->leak, wire->leak, length * branches);
}

/* leaks: its leakage is asked for too. */
static inline ww_tree_cost walk_down(const ww_node *n, const ww_layout *l, const ww_repeated *wire,
                                     const ww_tree_shape *shape, ww_tree_kind kind, double height,
                                     double width, bool leaks)
{
    tree_gates g = {.n = n,
                    .l = l,
                    .min_n = n->min_w_m,
                    .min_p = n->min_w_m * n->peri.n_to_p,
                    .fold_n = ww__fold_w(l, WW_NMOS, l->cell_height),
                    .fold_p = ww__fold_w(l, WW_PMOS, l->cell_height),
                    .threshold = log(n->peri.vdd_v / n->peri.vth_v)};
    g.gate1 = ww__gate_f(&n->peri, g.min_n + g.min_p);
    ww_tree_cost cost = {0};
    double across = width / 2, down = height / 4;
    walk at = {across, height / 2};
    double branches = 1; /* wires per bit at this level */
    bool gates = !shape->between_banks;
    bool all = shape->broadcast;
    int h = shape->cols_log2, v = shape->rows_log2;
    while (h > 0 || v > 0) {
        bool both = h > 0 && h <= v;
        bool vertical = h == 0;
        double first = vertical ? down : across;
        if (vertical || both) {
            at.down = down;
        }
        if (!vertical) {
            at.across = across;
        }
        add_wire(wire, first, &cost, branches, all);
        if (all || (gates && vertical)) {
            branches *= 2;
        }
        double s1 = node_size(&g, wire, at.across, at.across);
        double s2 = node_size(&g, wire, at.across, at.down);
        if (gates) {
            add_node(&g, wire, kind, s1, s2, at.across, &cost, branches, leaks);
        }
        if (both) {
            /* The vertical arms of the H, up and down. */
            add_wire(wire, down, &cost, branches, all);
            cost.leak = ww__leak_add(cost.leak, wire->leak, down * branches);
            if (gates) {
                branches *= 2;
                add_node(&g, wire, kind, s2, s2, at.down, &cost, branches, leaks);
            }
        }
        if (!vertical) {
            across /= 2;
            h--;
        }
        if (vertical || both) {
            down /= 2;
            v--;
        }
    }
    return cost;
}

ww_tree_cost ww__tree_cost(const ww_node *n, const ww_layout *l, const ww_repeated *wire,
                           const ww_tree_shape *shape, ww_tree_kind kind, double height,
                           double width)
{
    return walk_down(n, l, wire, shape, kind, height, width, true);
}

ww_tree_cost ww__tree_path(const ww_node *n, const ww_layout *l, const ww_repeated *wire,
                           const ww_tree_shape *shape, ww_tree_kind kind, double height,
                           double width)
{
    return walk_down(n, l, wire, shape, kind, height, width, false);
}
