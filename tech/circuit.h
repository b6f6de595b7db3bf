/* circuit.h - primitives of a gate-level cost model: capacitance, resistance, delay, leakage and
 * area of transistors and gates, chains of gates sized by logical effort, and repeated wires.
 * Private to tech/. Equations: Wilton & Jouppi, WRL 93/5; Thoziyoor et al., CACTI 5.1, HPL-2008-20;
 * docs/models/tech.md. SI units. */
#ifndef WW_TECH_CIRCUIT_H
#define WW_TECH_CIRCUIT_H

#include <stdbool.h>

#include "tech/faults.h"

enum { WW_MAX_STAGES = 20 };

typedef enum ww_polarity { WW_NMOS, WW_PMOS } ww_polarity;
typedef enum ww_gate { WW_GATE_INV, WW_GATE_NAND, WW_GATE_NOR } ww_gate;

/* Sub-threshold and gate leakage, kept apart all the way up. */
typedef struct ww_leak {
    double sub_w;
    double gate_w;
} ww_leak;

/* Layout rules in metres: what the cost of a gate depends on beside its widths. */
typedef struct ww_layout {
    double f;
    double cell_height;           /* standard-cell height, 50 F */
    double rail;                  /* power rail, 2 F */
    double np_gap;                /* between N and P diffusion, 5 F */
    double same_gap;              /* between diffusions of one type, 1.5 F */
    double contact_pitch;         /* poly to poly with a contact between, 3 F */
    double poly_gap;              /* poly to poly without contact, 1.5 F */
    double max_w;                 /* widest driver transistor, 100 F */
    const ww_tool_faults *faults; /* that are repeated */
} ww_layout;

ww_layout ww__layout(const ww_node *node);

static inline double ww__gate_f(const ww_device *d, double w)
{
    return (d->c_gate_f_per_m + d->c_overlap_f_per_m + 3 * d->c_fringe_f_per_m) * w;
}

static inline double ww__r_on(const ww_device *d, double w, ww_polarity polarity, int stack)
{
    return stack * (polarity == WW_NMOS ? d->r_n_ohm_m : d->r_p_ohm_m) / w;
}

/** Width at which a transistor of a cell of that height folds. */
double ww__fold_w(const ww_layout *l, ww_polarity polarity, double height);
/** Drain capacitance of `stack` series transistors of width w > fold_w, which is where they fold.
 */
double ww__folded_drain_f(const ww_node *n, const ww_layout *l, const ww_device *d, double w,
                          int stack, double fold_w);
/** The same of any width. */
static inline double ww__drain_f(const ww_node *n, const ww_layout *l, const ww_device *d, double w,
                                 int stack, double fold_w)
{
    if (w > fold_w) {
        return ww__folded_drain_f(n, l, d, w, stack, fold_w);
    }
    const double diffusion = l->contact_pitch + (stack - 1) * l->poly_gap;
    return d->c_junction_f_per_m2 * diffusion * w + d->c_sidewall_f_per_m * (w + 2 * diffusion) +
           2 * (d->c_fringe_f_per_m + d->c_overlap_f_per_m) * (w * (2 * stack - 1));
}
/** Area of a gate whose transistors fold into a cell of that height. */
double ww__gate_area(const ww_layout *l, ww_gate gate, int inputs, double w_p, double w_n,
                     double height);
/** Extent of a transistor that folds into a column of that pitch. */
double ww__folded_extent(const ww_layout *l, double w, double pitch);

/** Mean leakage of a gate over its input states. */
ww_leak ww__gate_leak(const ww_device *d, ww_gate gate, int inputs, double w_n, double w_p);
static inline ww_leak ww__leak_add(ww_leak a, ww_leak b, double times)
{
    return (ww_leak){a.sub_w + times * b.sub_w, a.gate_w + times * b.gate_w};
}

/** Delay of a stage of time constant tf to half swing, driven by a ramp (Horowitz 1984). */
double ww__horowitz_s(double ramp_s, double tf);
/** The same for thresholds v (input) and v2 (output) as shares of the supply; rise: the input
 * rises. */
double ww__horowitz_at_s(double ramp_s, double tf, double v, double v2, int rise);

/* A chain: a first gate (inverter or NAND of minimum drive) and inverters of rising width. */
typedef struct ww_chain {
    int stages;
    int inputs;  /* of the first gate: 1, 2, 3 */
    double w_p0; /* PMOS width of the first gate */
    double w_n[WW_MAX_STAGES];
} ww_chain;

/** Sizes a chain for load_f by logical effort: an even number of stages of effort about four. */
ww_chain ww__chain_size(const ww_node *n, const ww_layout *l, int inputs, double load_f);
/** Input capacitance of a chain. */
double ww__chain_input_f(const ww_node *n, const ww_chain *c);

typedef struct ww_chain_cost {
    double delay_s, ramp_s;
    double internal_f; /* capacitance switched inside, the load not counted */
    double area_m2;
    ww_leak leak;
} ww_chain_cost;

/**
 * Cost of a chain that drives load_f through a wire.
 * @param elmore_s  wire part of the last stage's time constant
 * @param height    height of the cells it is laid out in
 */
ww_chain_cost ww__chain_cost(const ww_node *n, const ww_layout *l, const ww_chain *c, double load_f,
                             double elmore_s, double ramp_s, double height);

/** Delay of an inverter that drives fan_out of its kind. */
double ww__fan_out_delay_s(const ww_node *n, double fan_out);

/* A wire with repeaters, per metre. */
typedef struct ww_repeated {
    double delay_s;
    double energy_j; /* one transition pair (charge and discharge): C Vdd^2 */
    ww_leak leak;
    double size; /* repeater width over minimum */
    double spacing_m;
    double c_f;     /* wire alone */
    double area_m2; /* repeaters */
} ww_repeated;

/** Repeaters that cost least energy and leakage within (1 + slack) times the least delay; slack 0:
 * least delay. width_share: wire width over half the layer's pitch, 1 unless a tool's accounting is
 * followed. */
ww_repeated ww__repeated_wire(const ww_node *n, const ww_layout *l, ww_wire_layer layer,
                              double slack, double width_share);

#endif
