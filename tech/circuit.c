/* circuit.c - transistors, gates and gate chains: capacitance, delay, leakage, area. */
#include "tech/circuit.h"

#include <math.h>
#include <stdint.h>

/* Leakage of a stack of two off transistors over that of one (Narendra et al., ISLPED 2001; CACTI-P
 * 2011). */
#define STACK_FACTOR     0.43
#define STAGE_EFFORT_LOG 1.3862943611198906 /* ln 4 */

ww_layout ww__layout(const ww_node *node)
{
    double f = node->geometry_m;
    return (ww_layout){.f = f,
                       .cell_height = 50 * f,
                       .rail = 2 * f,
                       .np_gap = 5 * f,
                       .same_gap = 1.5 * f,
                       .contact_pitch = 3 * f,
                       .poly_gap = 1.5 * f,
                       .max_w = 100 * f,
                       .faults = ww__tool_faults(WW_STYLE_WARPWATT)};
}

double ww__fold_w(const ww_layout *l, ww_polarity polarity, double height)
{
    double room = height - 2 * l->rail - l->np_gap;
    return polarity == WW_NMOS ? room / 3 : room * 2 / 3;
}

/* Of a whole number, however large. */
static bool is_even(double whole)
{
    return whole < 0x1p62 ? ((int64_t)whole & 1) == 0 : true;
}

double ww__folded_drain_f(const ww_node *n, const ww_layout *l, const ww_device *d, double w,
                          int stack, double fold_w)
{
    double folds = ceil(w / fold_w);
    double diffusion = l->contact_pitch + (stack - 1) * l->poly_gap;
    double side = w;
    double folded = w;
    double facing_gate = w * (2 * stack - 1);
    double metal = 0;
    if (folds > 1) {
        folded = fold_w;
        diffusion += (folds - 2) * l->contact_pitch + (folds - 1) * (stack - 1) * l->poly_gap;
        side = is_even(folds) ? 0 : fold_w;
        facing_gate = fold_w * (2 * stack - 1) * folds;
        metal = n->wire[WW_WIRE_LOCAL].c_f_per_m * diffusion;
    }
    return d->c_junction_f_per_m2 * diffusion * folded +
           d->c_sidewall_f_per_m * (side + 2 * diffusion) +
           2 * (d->c_fringe_f_per_m + d->c_overlap_f_per_m) * facing_gate + metal;
}

/* Width of the diffusion of `stack` series gates folded `folds` times, with its contacts. */
static double diffusion_width(const ww_layout *l, double stack, double folds)
{
    double width = 2 * l->contact_pitch + stack * l->f + (stack - 1) * l->poly_gap;
    if (folds > 1) {
        width += (folds - 2) * 2 * l->contact_pitch + (folds - 1) * stack * l->f +
                 (folds - 1) * (stack - 1) * l->poly_gap;
    }
    return width;
}

double ww__gate_area(const ww_layout *l, ww_gate gate, int inputs, double w_p, double w_n,
                     double height)
{
    double room = height - 2 * l->rail - l->np_gap;
    double share_p = w_p / (w_p + w_n);
    double fold_n = room * (1 - share_p);
    double folds_p = ceil(w_p / (room * share_p));
    double folds_n = ceil(w_n / fold_n);
    double width_n = gate == WW_GATE_NAND  ? diffusion_width(l, inputs, folds_n)
                     : gate == WW_GATE_NOR ? diffusion_width(l, 1, inputs * folds_n)
                                           : diffusion_width(l, 1, folds_n);
    double width_p = gate == WW_GATE_NAND  ? diffusion_width(l, 1, inputs * folds_p)
                     : gate == WW_GATE_NOR ? diffusion_width(l, inputs, folds_p)
                                           : diffusion_width(l, 1, folds_p);
    double tall = fold_n > w_n ? w_n + w_p + l->np_gap + 2 * l->rail : height;
    return fmax(width_n, width_p) * tall;
}

double ww__folded_extent(const ww_layout *l, double w, double pitch)
{
    double folds = ceil(w / pitch);
    return folds * l->f + (folds + 1) * l->contact_pitch;
}

/* Series network of n: mean off current over states, in units of one transistor's; parallel: all
 * off in one state of 2^n. */
static double series_off(int n)
{
    static const double SUM[] = {0, 1, 2 + STACK_FACTOR,
                                 3 + 3 * STACK_FACTOR + STACK_FACTOR * STACK_FACTOR};
    return SUM[n];
}

ww_leak ww__gate_leak(const ww_device *d, ww_gate gate, int inputs, double w_n, double w_p)
{
    double states = (double)(1 << inputs);
    double on = inputs * states / 2; /* sum over states of the number of conducting inputs */
    double series_on = inputs + (on - inputs) / 2; /* partly conducting stacks leak about half */
    double sub, tunnel;
    if (inputs == 1) {
        sub = (w_n + w_p) / 2;
        tunnel = sub;
    } else if (gate == WW_GATE_NAND) {
        sub = (inputs * w_p + series_off(inputs) * w_n) / states;
        tunnel = (on * w_p + series_on * w_n) / states;
    } else {
        sub = (inputs * w_n + series_off(inputs) * w_p) / states;
        tunnel = (on * w_n + series_on * w_p) / states;
    }
    return (ww_leak){sub * d->i_off_a_per_m * d->vdd_v, tunnel * d->i_gate_a_per_m * d->vdd_v};
}

double ww__horowitz_s(double ramp_s, double tf)
{
    /* v = 1/2: ln(1/2)^2 + 2 a b (1 - v) with b = 1/2. */
    return tf * sqrt(0.480453013918201 + 0.5 * ramp_s / tf);
}

double ww__horowitz_at_s(double ramp_s, double tf, double v, double v2, int rise)
{
    double a = ramp_s / tf;
    if (rise) {
        return tf * sqrt(log(v) * log(v) + a * (1 - v)) + tf * log(v / v2);
    }
    return tf * sqrt(log(1 - v) * log(1 - v) + 0.8 * a * v) + tf * log((1 - v) / (1 - v2));
}

/* CACTI: as many stages as efforts of four, made even. Delay drops where the number changes. */
static int stages_by_effort(double effort)
{
    int stages = effort > 1 ? (int)(log(effort) / STAGE_EFFORT_LOG) : 0;
    stages += stages % 2;
    return stages < 2 ? 2 : stages > WW_MAX_STAGES ? WW_MAX_STAGES : stages;
}

/* The even number of stages with the least delay N (F^(1/N) + 1), a stage's own drain taken as one
 * gate load: delay and energy then rise with the load without a step back. */
static int stages_by_delay(double effort)
{
    double root = effort > 1 ? log(effort) : 0;
    int stages = 2;
    double delay = 2 * (exp(root / 2) + 1);
    while (stages + 2 <= WW_MAX_STAGES) {
        int more = stages + 2;
        double next = more * (exp(root / more) + 1);
        if (next >= delay) {
            break;
        }
        stages = more;
        delay = next;
    }
    return stages;
}

/* Stages of a chain whose last is as wide as layout allows; effort: of the others, up to that last
 * one's gate. */
static int stages_at_limit(const ww_layout *l, double effort)
{
    if (l->faults->stages_by_effort) {
        int stages = (int)(log(effort) / STAGE_EFFORT_LOG) + 1;
        stages += stages % 2;
        return stages < 2 ? 2 : stages;
    }
    int stages = 2;
    /* The number chosen just before the limit is reached stays. */
    while (stages + 2 <= WW_MAX_STAGES &&
           stages_by_delay(pow(effort, (double)stages / (stages - 1))) > stages) {
        stages += 2;
    }
    return stages;
}

ww_chain ww__chain_size(const ww_node *n, const ww_layout *l, int inputs, double load_f)
{
    const ww_device *d = &n->peri;
    double p = d->n_to_p;
    double g = (inputs == 1) ? 1 : (inputs + p) / (1 + p);
    ww_chain c = {.inputs = inputs, .w_p0 = p * n->min_w_m};
    c.w_n[0] = inputs * n->min_w_m;
    double input_f = ww__gate_f(d, c.w_n[0] + c.w_p0);
    double effort = g * load_f / input_f;
    c.stages = l->faults->stages_by_effort ? stages_by_effort(effort) : stages_by_delay(effort);
    double per_stage = pow(effort, 1.0 / c.stages);
    double last = fmax(load_f / per_stage / ww__gate_f(d, 1) / (1 + p), n->min_w_m);
    if (last > l->max_w) {
        effort = g * ww__gate_f(d, (1 + p) * l->max_w) / input_f;
        c.stages = stages_at_limit(l, effort);
        per_stage = pow(effort, 1.0 / (c.stages - 1));
        last = l->max_w;
    }
    c.w_n[c.stages - 1] = last;
    for (int i = c.stages - 2; i >= 1; i--) {
        c.w_n[i] = fmax(c.w_n[i + 1] / per_stage, n->min_w_m);
    }
    return c;
}

double ww__chain_input_f(const ww_node *n, const ww_chain *c)
{
    return ww__gate_f(&n->peri, c->w_n[0] + c->w_p0);
}

ww_chain_cost ww__chain_cost(const ww_node *n, const ww_layout *l, const ww_chain *c, double load_f,
                             double elmore_s, double ramp_s, double height)
{
    const ww_device *d = &n->peri;
    double p = d->n_to_p;
    double fold_n = ww__fold_w(l, WW_NMOS, height);
    double fold_p = ww__fold_w(l, WW_PMOS, height);
    ww_chain_cost cost = {.ramp_s = ramp_s};
    for (int i = 0; i < c->stages; i++) {
        int inputs = i == 0 ? c->inputs : 1;
        double w_n = c->w_n[i];
        double w_p = i == 0 ? c->w_p0 : p * w_n;
        double own = inputs * ww__drain_f(n, l, d, w_p, 1, fold_p) +
                     ww__drain_f(n, l, d, w_n, inputs, fold_n);
        bool last = i == c->stages - 1;
        double load = last ? load_f : ww__gate_f(d, (1 + p) * c->w_n[i + 1]);
        double tf = ww__r_on(d, w_n, WW_NMOS, inputs) * (own + load) + (last ? elmore_s : 0);
        double delay = ww__horowitz_s(cost.ramp_s, tf);
        cost.delay_s += delay;
        cost.ramp_s = 2 * delay;
        cost.internal_f += own + (last ? 0 : load);
        ww_gate gate = inputs == 1 ? WW_GATE_INV : WW_GATE_NAND;
        cost.area_m2 += ww__gate_area(l, gate, inputs, w_p, w_n, height);
        cost.leak = ww__leak_add(cost.leak, ww__gate_leak(d, gate, inputs, w_n, w_p), 1);
    }
    return cost;
}

double ww__fan_out_delay_s(const ww_node *n, double fan_out)
{
    ww_layout l = ww__layout(n);
    const ww_device *d = &n->peri;
    double w = n->min_w_m;
    double own = ww__drain_f(n, &l, d, w, 1, ww__fold_w(&l, WW_NMOS, l.cell_height)) +
                 ww__drain_f(n, &l, d, w * d->n_to_p, 1, ww__fold_w(&l, WW_PMOS, l.cell_height));
    double load = ww__gate_f(d, fan_out * w * (1 + d->n_to_p));
    return ww__horowitz_s(0, ww__r_on(d, w, WW_NMOS, 1) * (own + load));
}
