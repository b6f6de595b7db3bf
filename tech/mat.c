/* mat.c - energy, delay, leakage and size of one mat. */
#include "tech/mat.h"

#include <math.h>

/* Transistor widths in F: CACTI 5.1, HPL-2008-20, table of peripheral circuits (scaled from the 0.8
 * um design of WRL 93/5). */
#define W_ISOLATION    12.5
#define W_SENSE_N      3.75
#define W_SENSE_P      7.5
#define W_SENSE_ENABLE 5.0
#define W_MUX          9.0 /* six minimum widths: bitline and sense-amplifier multiplexers */
/* One wordline strap per 16 cells. */
#define STITCH_CELLS 16
#define STITCH_F     7.5

/* Capacitances at the foot of a column. */
typedef struct column_caps {
    double bitline;   /* per bitline, cells and wire */
    double mux;       /* drain of a bitline multiplexer transistor */
    double iso;       /* isolation transistor */
    double latch;     /* sense-amplifier latch, gates and drains */
    double sense_mux; /* drain of a first-level multiplexer transistor */
} column_caps;

/* Working values of one mat. */
typedef struct mat_work {
    const ww_mat_site *s;
    const ww_mat_cut *c;
    const ww_node *n;
    const ww_layout *l;
    ww_mat_memo *memo; /* NULL: none */
    double ports;      /* rw + rd + wr */
    double read_ports; /* rw + rd */
    double sense;      /* sense amplifiers per sub-array */
    double v2;
    column_caps caps;
    double r_bitline;
    double center_area; /* predecoders and multiplexer decoders */
    double row_ramp;    /* of the wordline */
    double decoders_w;  /* row decoders beside a sub-array */
    double written_f;   /* capacitance a write swings, per bitline */
} mat_work;

void ww__cell_with_ports(const ww_node *n, const ww_cell *cell, double rw, double rd, double wr,
                         double *height, double *width)
{
    double extra = 2 * n->wire[WW_WIRE_LOCAL].pitch_m * (rw + rd + wr - 1);
    *height = cell->height_m + extra;
    *width = cell->width_m + extra;
}

static void add_leak(ww_mat *m, size_t offset, ww_leak leak, double times)
{
    *(double *)(void *)((char *)&m->leak_sub + offset) += times * leak.sub_w;
    *(double *)(void *)((char *)&m->leak_gate + offset) += times * leak.gate_w;
}
#define ADD_LEAK(m, term, leak, times) add_leak(m, offsetof(ww_array_terms, term), leak, times)

/* ---- rows: predecoder, decoder, wordline ---- */
static void rows_cost(mat_work *w, const ww_column_drive *drive, ww_mat *m)
{
    const ww_mat_cut *c = w->c;
    const ww_mat_site *s = w->s;
    const ww_wire *inside = &w->n->wire[WW_WIRE_SEMIGLOBAL];
    uint32_t rows_passed = c->per_row * c->rows;
    double run = rows_passed * s->cell_h;
    ww_decode_load load = {
        .load_f = ww__wordline_f(s, c->cols),
        .r_ohm = ww__wordline_ohm(s, c->cols),
        .height_m = WW__DECODER_PITCH * s->cell_h,
        .wire_f = run * inside->c_f_per_m,
        .wire_ohm = run * inside->r_ohm_per_m,
        .gates = c->per_mat,
        .v_load = w->n->cell.vdd_v,
        .first_blocks_gates = s->faults->first_blocks_gates,
    };
    uint32_t decoded = c->rows - c->dummy_rows;
    uint32_t bits = ww__address_bits(decoded, w->s->faults->address_bits_down);
    bool decoder = bits >= WW_DECODER_MIN_BITS;
    ww_decode_cost pre =
        decoder ? ww__memo_predecode(w->memo, w->n, w->l, bits, c->per_mat, rows_passed, &load)
                : ww__predecode(w->n, w->l, bits, &load);
    m->t.predecode = pre.delay_s;
    m->read.decoder = pre.energy_j;
    w->center_area += pre.area_m2;
    w->row_ramp = pre.ramp_s;
    ADD_LEAK(m, decoder, pre.leak, 1);
    if (!decoder) {
        /* The predecoder's output is the wordline; each sub-array of the mat has its own. */
        m->t.wordline_reset = pre.delay_s;
        m->read.wordline = (c->per_mat - 1) * load.load_f * load.v_load * load.v_load;
        return;
    }
    ww_decode_cost line = ww__memo_line(w->memo, w->n, w->l, c->cols, &load, pre.ramp_s);
    m->t.row = line.delay_s;
    m->read.wordline = c->per_mat * line.energy_j;
    w->row_ramp = line.ramp_s;
    ADD_LEAK(m, wordline, line.leak, (double)decoded * c->per_mat);
    m->t.wordline_reset = drive->reset_s;
    /* Width of the decoders beside a sub-array, all ports. */
    w->decoders_w = line.area_m2 * decoded * w->ports / m->sub_h;
}

/* ---- columns: bitlines, multiplexers, sense amplifiers ---- */
static double bitline_f_of(const ww_mat_site *s, double rows)
{
    const ww_node *n = s->n;
    double cell_drain = ww__drain_f(n, &s->l, &n->cell, n->sram.access_w_m, 1, s->cell_w) / 2;
    return rows * (cell_drain + s->cell_h * n->wire[WW_WIRE_LOCAL].c_f_per_m);
}

static double r_cell_of(const ww_node *n)
{
    return ww__r_on(&n->cell, n->sram.nmos_w_m, WW_NMOS, 1) +
           ww__r_on(&n->cell, n->sram.access_w_m, WW_NMOS, 1);
}

double ww__swing_constants(const ww_node *n)
{
    return log(n->v_precharge_v / (n->v_precharge_v - n->v_sense_v));
}

void ww__bitline_bound(const ww_mat_site *s, double rows, double constants, double *delay_s,
                       double *column_j)
{
    const ww_node *n = s->n;
    double c = bitline_f_of(s, rows), vs = n->v_sense_v;
    *delay_s = r_cell_of(n) * c * constants;
    *column_j = 2 * c * vs * n->cell.vdd_v;
}

static void column_capacitances(mat_work *w)
{
    const ww_mat_site *s = w->s;
    const ww_device *d = &w->n->peri;
    double f = w->l->f;
    double shared = s->rw + s->rd + s->se;
    double pitch = s->cell_w * w->c->ndcm / shared; /* room of a sense amplifier */
    column_caps *k = &w->caps;
    k->mux = ww__drain_f(w->n, w->l, d, W_MUX * f, 1, s->cell_w / (2 * shared));
    k->iso = ww__drain_f(w->n, w->l, d, W_ISOLATION * f, 1, pitch);
    k->latch = ww__gate_f(d, (W_SENSE_N + W_SENSE_P) * f) +
               ww__drain_f(w->n, w->l, d, W_SENSE_N * f, 1, pitch) +
               ww__drain_f(w->n, w->l, d, W_SENSE_P * f, 1, pitch);
    k->sense_mux = ww__drain_f(w->n, w->l, d, W_MUX * f, 1, pitch);
}

/* Delay of the bitline swing behind a wordline that rises as a ramp (Wilton & Jouppi, WRL 93/5,
 * s. 6.4). */
static double bitline_delay(const mat_work *w, double tstep)
{
    double headroom = w->n->cell.vdd_v - w->n->cell.vth_v;
    double slope = w->n->cell.vdd_v / w->row_ramp;
    if (tstep <= 0.5 * headroom / slope) {
        return sqrt(2 * tstep * headroom / slope);
    }
    return tstep + headroom / (2 * slope);
}

static void columns_cost(mat_work *w, ww_mat *m)
{
    const ww_mat_cut *c = w->c;
    const column_caps *k = &w->caps;
    const ww_node *n = w->n;
    const ww_device *d = &n->peri;
    double f = w->l->f, vs = n->v_sense_v, vdd = n->cell.vdd_v;
    double r_cell = r_cell_of(n);
    double r_iso = ww__r_on(d, W_ISOLATION * f, WW_PMOS, 1);
    double sensed = k->latch + k->sense_mux;
    double columns = (double)c->cols * c->per_mat;
    double tau, read_f, write_f;
    if (c->ndcm > 1) {
        double foot = 2 * k->iso + sensed;
        tau = r_cell * (k->bitline + 2 * k->mux + foot) +
              w->r_bitline * (k->bitline / 2 + 2 * k->mux + foot) +
              ww__r_on(d, W_MUX * f, WW_NMOS, 1) * (k->mux + foot) + r_iso * (k->iso + sensed);
        write_f = k->bitline + 2 * k->mux;
        read_f = write_f + foot / c->ndcm;
    } else {
        tau = r_cell * (k->bitline + k->iso + sensed) + w->r_bitline * k->bitline / 2 +
              r_iso * (k->iso + sensed);
        write_f = k->bitline;
        read_f = k->bitline + 2 * k->iso + sensed;
    }
    m->t.bitline = bitline_delay(w, tau * ww__swing_constants(n));
    m->read.bitline = columns * 2 * read_f * vs * vdd;
    w->written_f = write_f;

    /* The latch drives itself, its isolation and the multiplexer. */
    double latch = sensed + k->iso;
    m->t.sense = latch / n->gm_sense_s * log(d->vdd_v / vs);
    m->read.sense_amp = w->sense * c->per_mat * latch * w->v2;
    ww_leak enable = {W_SENSE_ENABLE * f * d->i_off_a_per_m * d->vdd_v, 0};
    ADD_LEAK(m, sense_amp, enable, w->sense * c->per_mat * (w->read_ports + w->s->se));
}

static void precharge_cost(mat_work *w, const ww_column_drive *drive, ww_mat *m)
{
    const ww_node *n = w->n;
    const ww_device *d = &n->peri;
    m->read.precharge = w->c->per_mat * drive->precharge_f * w->v2;
    ADD_LEAK(m, precharge, drive->precharge_leak, w->c->per_mat);

    double v = n->v_precharge_v;
    double p_min = d->n_to_p * n->min_w_m;
    double r = ww__r_on(d, WW__PRECHARGE_MIN * p_min, WW_PMOS, 1);
    m->t.restore = drive->precharge_s + log((v - 0.1 * n->v_sense_v) / (v - n->v_sense_v)) *
                                            (r + w->r_bitline / 2) * w->caps.bitline;
}

static void cells_leak(mat_work *w, ww_mat *m)
{
    const ww_mat_site *s = w->s;
    const ww_node *n = w->n;
    const ww_device *d = &n->cell;
    double cells = (double)w->c->rows * w->c->cols * w->c->per_mat;
    ww_leak inverters = ww__gate_leak(d, WW_GATE_INV, 1, n->sram.nmos_w_m, n->sram.pmos_w_m);
    double a = n->sram.access_w_m * d->i_off_a_per_m * d->vdd_v;
    /* One access transistor of a pair sees the full bitline voltage half of the time; a read-only
     * port's leak through a stack. */
    double both_off = 0.43 * (s->faults->stack_of_three ? 3 : 1);
    double access = a / 2 * (s->rw + s->wr) + (2 + both_off) / 4 * a * s->rd;
    double tunnel = n->sram.access_w_m * d->i_gate_a_per_m * d->vdd_v / 2 * s->rd;
    ww_leak one = {2 * inverters.sub_w + access, inverters.gate_w + tunnel};
    ADD_LEAK(m, cells, one, cells);
}

/* ---- multiplexer decoders ---- */
typedef struct mux_times {
    double total, predecode;
} mux_times;

static void decode_mux(const mat_work *w, ww_mux_decode *d)
{
    ww_decode_load load = {.load_f = d->load_f,
                           .r_ohm = d->r_ohm,
                           .height_m = WW__DECODER_PITCH * w->s->cell_h,
                           .gates = 1,
                           .v_load = w->n->peri.vdd_v,
                           .first_blocks_gates = w->s->faults->first_blocks_gates};
    bool decoder = d->way || d->bits >= WW_DECODER_MIN_BITS;
    if (d->bits > 0) {
        d->pre = ww__predecode(w->n, w->l, d->bits, &load);
    }
    if (decoder && d->load_f > 0) {
        int inputs = d->way && d->bits >= WW_DECODER_MIN_BITS ? 3 : 2;
        d->line = ww__decode_line(w->n, w->l, inputs, &load, d->pre.ramp_s);
    }
    d->known = true;
}

/* Decoder of a multiplexer of that degree whose select lines load load_f. way: the tag comparison
 * takes part in the selection. */
static mux_times mux_cost(mat_work *w, ww_mat *m, uint32_t degree, uint32_t lines, bool way,
                          double load_f, double r_ohm)
{
    ww_mux_decode one = {
        .load_f = load_f, .r_ohm = r_ohm, .bits = ww__address_bits(degree, true), .way = way};
    ww_mux_decode *d = w->memo != NULL ? ww__memo_mux(w->memo, &one) : &one;
    if (!d->known) {
        decode_mux(w, d);
    }
    m->read.mux += d->pre.energy_j;
    w->center_area += d->pre.area_m2;
    ADD_LEAK(m, mux, d->pre.leak, 1);
    m->read.mux += d->line.energy_j;
    w->center_area += d->line.area_m2;
    ADD_LEAK(m, mux, d->line.leak, lines);
    return (mux_times){.total = d->line.delay_s + d->pre.delay_s, .predecode = d->pre.delay_s};
}

/* Wires and gates that multiplexer select lines load. */
typedef struct mux_lines {
    double wire_f, r, gates_f;
} mux_lines;

static mux_lines lines_of(const mat_work *w)
{
    const ww_mat_cut *c = w->c;
    const ww_wire *inside = &w->n->wire[WW_WIRE_SEMIGLOBAL];
    double run = (double)c->per_row * c->cols * w->s->cell_w;
    double gate = ww__gate_f(&w->n->peri, W_MUX * w->l->f);
    return (mux_lines){.wire_f = run * inside->c_f_per_m,
                       .r = run * inside->r_ohm_per_m / (c->per_row >= 2 ? 2 : 1),
                       .gates_f = c->per_mat * w->sense * gate};
}

static void bitline_mux_cost(mat_work *w, ww_mat *m)
{
    const ww_mat_cut *c = w->c;
    if (c->ndcm > 1) {
        mux_lines k = lines_of(w);
        mux_times t = mux_cost(w, m, c->ndcm, c->ndcm, false, 2 * k.gates_f + k.wire_f, k.r);
        m->t.column = t.total;
        m->t.column_predecode = t.predecode;
    }
}

static void sense_mux_cost(mat_work *w, ww_mat *m)
{
    const ww_mat_cut *c = w->c;
    mux_lines k = lines_of(w);
    if (c->nsam1 > 1) {
        mux_times t = mux_cost(w, m, c->nsam1_free, c->nsam1, c->way_select > 0,
                               k.gates_f / c->nsam1 + k.wire_f, k.r);
        m->t.mux1 = t.total;
        m->t.mux1_predecode = t.predecode;
    }
    if (c->nsam2 > 1) {
        mux_times t = mux_cost(w, m, c->nsam2, c->nsam2, false,
                               k.gates_f / ((double)c->nsam1 * c->nsam2) + k.wire_f, k.r);
        m->t.mux2 = t.total;
        m->t.mux2_predecode = t.predecode;
    }
}

/* ---- output: two multiplexer levels with inverters between, then a repeated wire along the width
 * of the sub-array ---- */
static void output_cost(mat_work *w, ww_mat *m)
{
    const ww_mat_cut *c = w->c;
    const ww_mat_site *s = w->s;
    const ww_node *n = w->n;
    const ww_device *d = &n->peri;
    const ww_repeated *wire = &s->out_wire;
    double min_n = n->min_w_m, min_p = n->min_w_m * d->n_to_p;
    double inv_gate = ww__gate_f(d, min_n + min_p);
    double inv_drain =
        ww__drain_f(n, w->l, d, min_n, 1, ww__fold_w(w->l, WW_NMOS, w->l->cell_height)) +
        ww__drain_f(n, w->l, d, min_p, 1, ww__fold_w(w->l, WW_PMOS, w->l->cell_height));
    double pitch = s->cell_w * c->ndcm * c->nsam1 / (s->rw + s->rd + s->se);
    double mux2 = ww__drain_f(n, w->l, d, W_MUX * w->l->f, 1, pitch);
    double driver = wire->size * (m->sub_w / wire->spacing_m) * inv_gate;
    double r_mux = ww__r_on(d, W_MUX * w->l->f, WW_NMOS, 1);
    double r_inv = ww__r_on(d, min_n, WW_NMOS, 1);
    double load[4] = {c->nsam1 * w->caps.sense_mux + inv_gate, inv_drain + inv_gate,
                      inv_drain + mux2, c->nsam2 * mux2 + driver};
    double r[4] = {r_mux, r_inv, r_inv, r_mux};
    double ramp = 0, switched = 0;
    for (int i = 0; i < 4; i++) {
        double delay = ww__horowitz_s(ramp, r[i] * load[i]);
        m->t.output += delay;
        ramp = 2 * delay;
        switched += load[i];
    }
    m->t.output += wire->delay_s * m->sub_w;
    m->read.output = c->bits_out * (0.5 * switched * w->v2 + wire->energy_j * m->sub_w);

    double drivers =
        w->sense / ((double)c->nsam1 * c->nsam2) * c->per_mat * (w->read_ports + w->s->se);
    ww_leak one = ww__leak_add((ww_leak){0, 0}, ww__gate_leak(d, WW_GATE_INV, 1, min_n, min_p), 2);
    one.gate_w += 2 * W_MUX * w->l->f * d->i_gate_a_per_m * d->vdd_v / 2;
    one = ww__leak_add(one, wire->leak, m->sub_w);
    ADD_LEAK(m, output, one, drivers);
}

/* ---- tag comparators: four quarter-width dynamic comparators per way (Wilton & Jouppi, WRL 93/5,
 * s. 6.6) ---- */
/* Inverter thresholds of the comparator and of the multiplexer it drives, as shares of the supply.
 */
#define V_COMPARE  0.437
#define V_EVALUATE 0.452
#define V_MUX_NAND 0.548

static void compare_cost(mat_work *w, ww_mat *m)
{
    static const double W_N[4] = {7.5, 15, 30, 50}, W_P[4] = {12.5, 25, 50, 100};
    static const double V_IN[3] = {V_COMPARE, V_COMPARE, V_COMPARE};
    static const double V_OUT[3] = {V_COMPARE, V_COMPARE, V_EVALUATE};
    const double w_n = 12.5, w_p = 37.5;
    const ww_node *n = w->n;
    const ww_device *d = &n->peri;
    const ww_layout *l = w->l;
    double f = l->f, ways = w->s->ways, bits = floor(w->s->tag_bits / 4);
    double fold_n = ww__fold_w(l, WW_NMOS, l->cell_height);
    double fold_p = ww__fold_w(l, WW_PMOS, l->cell_height);
    double ramp = 0, delay = 0, energy = 0;
    ww_leak leak = {0, 0};
    for (int i = 0; i < 3; i++) {
        int rising = i == 1;
        double load = ww__gate_f(d, (W_N[i + 1] + W_P[i + 1]) * f) +
                      ww__drain_f(n, l, d, W_P[i] * f, 1, fold_p) +
                      ww__drain_f(n, l, d, W_N[i] * f, 1, fold_n);
        double r =
            rising ? ww__r_on(d, W_N[i] * f, WW_NMOS, 1) : ww__r_on(d, W_P[i] * f, WW_PMOS, 1);
        double t = ww__horowitz_at_s(ramp, r * load, V_IN[i], V_OUT[i], rising);
        ramp = t / (rising ? 1 - V_COMPARE : V_OUT[i]);
        delay += t;
        energy += 0.5 * load * w->v2 * 4 * ways;
        leak =
            ww__leak_add(leak, ww__gate_leak(d, WW_GATE_INV, 1, W_N[i] * f, W_P[i] * f), 4 * ways);
    }
    leak = ww__leak_add(leak, ww__gate_leak(d, WW_GATE_INV, 1, W_N[3] * f, W_P[3] * f), 4 * ways);
    leak = ww__leak_add(leak, ww__gate_leak(d, WW_GATE_INV, 1, w_n * f, w_n * f), 4 * ways);
    double line = bits * (ww__drain_f(n, l, d, w_n * f, 1, fold_n) +
                          ww__drain_f(n, l, d, w_n * f, 2, fold_n));
    double ground = line + ww__drain_f(n, l, d, W_P[3] * f, 1, fold_p) +
                    ww__drain_f(n, l, d, W_N[3] * f, 1, fold_n);
    double match = line + ww__drain_f(n, l, d, w_p * f, 1, fold_p);
    energy += 0.5 * ground * w->v2 * 4 * ways + match * w->v2 * (ways - 1);
    double r1 = ww__r_on(d, w_n * f, WW_NMOS, 2), r2 = ww__r_on(d, W_N[3] * f, WW_NMOS, 1);
    double tstep = (r2 * ground + (r1 + r2) * match) * log(1 / V_MUX_NAND);
    double slope = d->vdd_v / ramp, head = d->vdd_v - d->vth_v;
    double start = d->vdd_v * V_EVALUATE - d->vth_v;
    if (tstep <= 0.5 * head / slope) {
        double b = 2 * start, c = start * start / slope - 2 * tstep * head;
        delay += (-b + sqrt(b * b - 4 * slope * c)) / (2 * slope);
    } else {
        delay += tstep + (d->vdd_v + d->vth_v) / (2 * slope) - d->vdd_v * V_EVALUATE / slope;
    }
    m->t.compare = delay;
    m->read.compare = energy;
    ADD_LEAK(m, compare, leak, w->c->bits_out * w->read_ports);
}

/* ---- size ---- */
static double column_foot_height(const mat_work *w)
{
    const ww_mat_cut *c = w->c;
    const ww_layout *l = w->l;
    const ww_mat_site *s = w->s;
    double f = l->f;
    double p_min = w->n->peri.n_to_p * w->n->min_w_m;
    double shared = s->rw + s->rd + s->se, rp = w->read_ports;
    double h = ww__folded_extent(l, WW__PRECHARGE_MIN * p_min, s->cell_w / (2 * shared)) +
               ww__folded_extent(l, WW__EQUALIZE_MIN * p_min, s->cell_w / shared);
    if (c->ndcm > 1) {
        h += ww__folded_extent(l, W_MUX * f, s->cell_w / (2 * rp));
    }
    double pitch = s->cell_w * c->ndcm / rp;
    h += 2 * ww__folded_extent(l, W_SENSE_P * f, pitch) +
         ww__folded_extent(l, W_ISOLATION * f, pitch) +
         2 * ww__folded_extent(l, W_SENSE_N * f, pitch) +
         ww__folded_extent(l, W_SENSE_ENABLE * f, pitch) + 4 * l->same_gap + l->np_gap;
    if (c->nsam1 > 1) {
        h += ww__folded_extent(l, W_MUX * f, s->cell_w * c->nsam1 / rp);
    }
    if (c->nsam2 > 1) {
        double room = s->cell_w * c->nsam2 / rp;
        h += ww__folded_extent(l, W_MUX * f, s->cell_w * c->ndcm * c->nsam1 / rp) +
             2 * ww__folded_extent(l, p_min, room) + 2 * ww__folded_extent(l, w->n->min_w_m, room);
    }
    return h;
}

double ww__foot_bound(const ww_mat_site *s)
{
    const ww_layout *l = &s->l;
    double p_min = s->n->peri.n_to_p * s->n->min_w_m;
    double shared = s->rw + s->rd + s->se;
    double unfolded = l->f + 2 * l->contact_pitch;
    return ww__folded_extent(l, WW__PRECHARGE_MIN * p_min, s->cell_w / (2 * shared)) +
           ww__folded_extent(l, WW__EQUALIZE_MIN * p_min, s->cell_w / shared) + 6 * unfolded +
           4 * l->same_gap + l->np_gap;
}

static void mat_size(mat_work *w, ww_mat *m)
{
    const ww_mat_cut *c = w->c;
    double pitch = w->n->wire[WW_WIRE_SEMIGLOBAL].pitch_m;
    double rows_of_subs = (double)c->per_mat / c->per_row;
    double outputs = c->cols / ((double)c->ndcm * c->nsam1 * c->nsam2);
    double drivers = w->s->out_wire.area_m2 * outputs * (w->read_ports + w->s->se);
    uint32_t bits = ww__address_bits(c->rows - c->dummy_rows, w->s->faults->address_bits_down);
    double predecode_wires =
        bits == 0 ? 0
                  : (ldexp(1, (int)(bits + 1) / 2) + ldexp(1, (int)bits / 2)) * pitch * w->ports;
    double selects =
        (c->ndcm > 1 ? c->ndcm : 0) + (c->nsam1 > 1 ? c->nsam1 : 0) + (c->nsam2 > 1 ? c->nsam2 : 0);
    uint32_t data = (c->bits_in + c->bits_out) / c->per_row;
    uint32_t searched = c->search_bits / c->per_row;
    double routed =
        ((c->address_bits + c->way_select + data) * w->ports + searched * w->s->se) * pitch;
    m->height = rows_of_subs * (m->sub_h + column_foot_height(w) + drivers) + routed +
                selects * pitch * w->read_ports;
    m->width = c->per_row * m->sub_w + fmax(predecode_wires, c->per_row * w->decoders_w);
    m->width += w->center_area * w->ports / m->height;
}

static mat_work work_of(const ww_mat_site *site, const ww_mat_cut *cut)
{
    return (mat_work){.s = site,
                      .c = cut,
                      .n = site->n,
                      .l = &site->l,
                      .ports = site->rw + site->rd + site->wr,
                      .read_ports = site->rw + site->rd,
                      .v2 = site->n->peri.vdd_v * site->n->peri.vdd_v};
}

void ww__mat_rows(const ww_mat_site *site, const ww_mat_cut *cut, ww_mat_memo *memo,
                  ww_mat_rows *out)
{
    mat_work w = work_of(site, cut);
    w.memo = memo;
    ww_mat m = {0};
    m.sub_h = cut->rows * site->cell_h;
    m.sub_w = cut->cols * site->cell_w + (cut->cols / STITCH_CELLS) * STITCH_F * site->l.f +
              site->beside_w;
    w.caps.bitline = bitline_f_of(site, cut->rows);
    w.r_bitline = m.sub_h * site->n->wire[WW_WIRE_LOCAL].r_ohm_per_m;
    ww_column_drive drive = ww__column_drive(site, memo, cut->cols);
    rows_cost(&w, &drive, &m);
    precharge_cost(&w, &drive, &m);
    cells_leak(&w, &m);
    *out = (ww_mat_rows){.mat = m,
                         .row_ramp = w.row_ramp,
                         .center_area = w.center_area,
                         .decoders_w = w.decoders_w,
                         .bitline_f = w.caps.bitline,
                         .r_bitline = w.r_bitline,
                         .memo = memo};
}

void ww__mat_columns(const ww_mat_site *site, const ww_mat_cut *cut, const ww_mat_rows *rows,
                     ww_mat_columns *out)
{
    mat_work w = work_of(site, cut);
    w.memo = out->memo = rows->memo;
    w.sense = cut->cols / cut->ndcm;
    w.row_ramp = rows->row_ramp;
    w.center_area = rows->center_area;
    w.caps.bitline = rows->bitline_f;
    w.r_bitline = rows->r_bitline;
    out->mat = rows->mat;
    column_capacitances(&w);
    columns_cost(&w, &out->mat);
    bitline_mux_cost(&w, &out->mat);
    out->center_area = w.center_area;
    out->decoders_w = rows->decoders_w;
    out->written_f = w.written_f;
    out->sense_mux_f = w.caps.sense_mux;
}

/* A write swings the written columns fully; the wordline opens the others too, which swing as in a
 * read. */
static void write_cost(const mat_work *w, ww_mat *m)
{
    const ww_mat_cut *c = w->c;
    double columns = (double)c->cols * c->per_mat, vdd = w->n->cell.vdd_v;
    double written = columns / ((double)c->ndcm * c->nsam1 * c->nsam2);
    m->write_bitline = written * 2 * w->written_f * vdd * vdd;
    m->half_selected = (columns - written) * 2 * w->written_f * w->n->v_sense_v * vdd;
}

void ww__mat_finish(const ww_mat_site *site, const ww_mat_cut *cut, const ww_mat_columns *columns,
                    ww_mat *out)
{
    mat_work w = work_of(site, cut);
    w.memo = columns->memo;
    w.sense = cut->cols / cut->ndcm;
    w.center_area = columns->center_area;
    w.decoders_w = columns->decoders_w;
    w.written_f = columns->written_f;
    w.caps.sense_mux = columns->sense_mux_f;
    *out = columns->mat;
    write_cost(&w, out);
    sense_mux_cost(&w, out);
    output_cost(&w, out);
    if (site->tag) {
        compare_cost(&w, out);
    }
    mat_size(&w, out);
}

void ww__mat(const ww_mat_site *site, const ww_mat_cut *cut, ww_mat *out)
{
    ww_mat_rows rows;
    ww_mat_columns columns;
    ww__mat_rows(site, cut, NULL, &rows);
    ww__mat_columns(site, cut, &rows, &columns);
    ww__mat_finish(site, cut, &columns, out);
}
