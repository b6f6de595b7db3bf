/* wire.c - wires with repeaters: the delay-optimal ones, and those that trade delay for energy. */
#include <math.h>

#include "base/assert.h"
#include "tech/circuit.h"

#define EPSILON_0 8.8542e-12
/* Copper with its barrier and surface scattering at these widths (Ho, Mai, Horowitz 2001), and
 * CACTI 6's scatter factor. */
#define CU_RESISTIVITY 2.2e-8
#define CU_SCATTER     1.05
/* Short-circuit current of an inverter per metre of width, and ln 3: Banerjee & Mehrotra, IEEE TED
 * 49(11) 2002. */
#define SHORT_CIRCUIT_A_PER_M 65.0
#define LN_3                  1.0986
#define SPACING_STEP_M        100e-6

/* What the search for repeaters needs to know. */
typedef struct repeater_site {
    double c_in, c_out, r_out; /* minimum inverter */
    double r, c;               /* wire per metre */
    double v2;                 /* supply squared */
    double short_circuit;      /* joule per second of transition and unit size */
    double c_next;             /* gate that a wire's resistance sees, per unit size */
} repeater_site;

/* Capacitance to the neighbours and to the layers above and below. The series of neighbours left
 * and right counts once: their coupling is shared, and simultaneous switching is in the Miller
 * factor. */
static double wire_c(const ww_wire *w, double share)
{
    double width = w->width_m * share;
    return EPSILON_0 * w->miller *
               (w->eps_horizontal * w->aspect + w->eps_vertical * width / w->ild_m) +
           w->c_fringe_f_per_m;
}

static double wire_r(const ww_wire *w, double share)
{
    double width = w->width_m * share;
    double rho = fmax(CU_RESISTIVITY, w->resistivity_ohm_m);
    return CU_SCATTER * rho / (w->aspect * width * width);
}

/* Time constant of one segment of that length with repeaters of that size. */
static double segment_tc(const repeater_site *s, double spacing, double size)
{
    return s->r_out * (s->c_in + s->c_out) + s->r_out * s->c * spacing / size +
           s->r * spacing * s->c_next * size + 0.5 * s->r * s->c * spacing * spacing;
}

static double energy_per_m(const repeater_site *s, double spacing, double size)
{
    double switching = (size * (s->c_in + s->c_out) + spacing * s->c) * s->v2;
    return (switching + s->short_circuit * size * segment_tc(s, spacing, size)) / spacing;
}

/* Smallest size at which a segment is no slower than tc; 0 when none is. */
static double smallest_size(const repeater_site *s, double spacing, double tc)
{
    double a = s->r * spacing * s->c_next;
    double b = tc - s->r_out * (s->c_in + s->c_out) - 0.5 * s->r * s->c * spacing * spacing;
    double c = s->r_out * s->c * spacing;
    double disc = b * b - 4 * a * c;
    if (b <= 0 || disc < 0) {
        return 0;
    }
    WW_ASSERT(a > 0 && c > 0);
    return 2 * c / (b + sqrt(disc));
}

ww_repeated ww__repeated_wire(const ww_node *n, const ww_layout *l, ww_wire_layer layer,
                              double slack, double width_share)
{
    const ww_device *d = &n->peri;
    WW_ASSERT(layer < WW_WIRE_LAYERS && slack >= 0 && width_share > 0);
    const ww_wire *w = &n->wire[layer];
    double w_n = n->min_w_m;
    double w_p = w_n * d->n_to_p;
    double h = l->cell_height;
    repeater_site s = {.c_in = ww__gate_f(d, w_n + w_p),
                       .c_out = ww__drain_f(n, l, d, w_p, 1, ww__fold_w(l, WW_PMOS, h)) +
                                ww__drain_f(n, l, d, w_n, 1, ww__fold_w(l, WW_NMOS, h)),
                       .r_out = (ww__r_on(d, w_n, WW_NMOS, 1) + ww__r_on(d, w_p, WW_PMOS, 1)) / 2,
                       .r = wire_r(w, width_share),
                       .c = wire_c(w, width_share),
                       .v2 = d->vdd_v * d->vdd_v,
                       .short_circuit = d->vdd_v * w_n * SHORT_CIRCUIT_A_PER_M * LN_3};
    s.c_next = s.c_out;

    /* Repeaters are laid out for the nominal supply and stay where they are at any other. */
    repeater_site plan = s;
    double v_nominal = n->vdd_nominal_v;
    plan.r_out = s.r_out * n->r_nominal;
    plan.v2 = v_nominal * v_nominal;
    plan.short_circuit = s.short_circuit * v_nominal / d->vdd_v;

    double best_size = sqrt(plan.r_out * s.c / (s.r * s.c_in));
    double best_spacing = sqrt(2 * plan.r_out * (s.c_out + s.c_in) / (s.r * s.c));
    double fastest = segment_tc(&plan, best_spacing, best_size) / best_spacing;
    double size = best_size, spacing = best_spacing;
    if (slack > 0) {
        /* Leakage is in proportion to size / spacing. The cheapest repeater at a spacing is the
         * smallest that is fast enough. */
        double e0 = energy_per_m(&plan, best_spacing, best_size);
        double least = HUGE_VAL;
        for (double x = best_spacing; x < 4 * best_spacing; x += SPACING_STEP_M) {
            double k = smallest_size(&plan, x, fastest * (1 + slack) * x);
            /* Sizes step down from the optimum by whole minimum inverters. */
            k = k <= 0 || k > best_size ? 0 : fmax(best_size - floor(best_size - k), 1);
            if (k <= 0) {
                continue;
            }
            double cost = energy_per_m(&plan, x, k) / e0 + (k / x) / (best_size / best_spacing);
            if (cost < least) {
                least = cost;
                size = k;
                spacing = x;
            }
        }
    }
    WW_ASSERT(size >= 1 && spacing > 0);
    ww_leak one = ww__gate_leak(d, WW_GATE_INV, 1, w_n * size, w_p * size);
    return (ww_repeated){.delay_s = 0.693 * segment_tc(&s, spacing, size) / spacing,
                         .energy_j = energy_per_m(&s, spacing, size),
                         .leak = ww__leak_add((ww_leak){0, 0}, one, 1 / spacing),
                         .size = size,
                         .spacing_m = spacing,
                         .c_f = s.c,
                         .area_m2 =
                             ww__gate_area(l, WW_GATE_INV, 1, w_p * size, w_n * size, h) / spacing};
}
