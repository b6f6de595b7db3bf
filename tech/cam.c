/* cam.c - content-addressable and fully associative arrays: search lines, match lines, hit logic
 * around an SRAM mat. Structure after CACTI 6.5 (Li et al., ICCAD 2011) and the SUN TLB CAMs it
 * describes; sizes in F from WRL 93/5. */
#include <math.h>

#include "tech/array_kinds.h"
#include "base/arith.h"
#include "tech/htree.h"

/* Transistor widths in F. */
#define W_DUMMY_INV_N 75.0
#define W_DUMMY_INV_P 100.0
#define W_NAND        62.5
#define W_NOR_N       6.25
#define W_NOR_P       12.5
/* Wire tracks for joining the two half match lines and for drivers from match line to wordline. */
#define MATCH_TRACKS (16 + 128)
/* Gate thresholds along the search path, as shares of the supply (WRL 93/5, s. 6.10). */
#define V_ML   0.304
#define V_NAND 0.420
#define V_INV  0.413
#define V_NOR  0.405

enum { MAX_CUTS = 512, ADDRESS_BITS = 42, STATUS_BITS = 5 };

/* One request. */
typedef struct cam_site {
    ww_mat_site mat;
    const ww_array_spec *spec;
    double cam_h, cam_w, ram_w;
    uint32_t key_bits, data_bits; /* per entry: compared, stored beside */
    double entries;               /* of a bank */
    double searches;              /* ports */
} cam_site;

/* What one sub-array adds to a plain SRAM. */
typedef struct match_cost {
    double energy_j; /* one search */
    double delay_s;  /* search data to match, wordline of the data row included */
    double reset_s;
    double wordline_j; /* driver from match to the data row: once per search */
    ww_leak leak;
} match_cost;

/* A driver chain with its load; returns energy. */
static double driver(const cam_site *s, double gate_f, double wire_f, double r, double ramp,
                     ww_chain_cost *cost)
{
    const ww_node *n = s->mat.n;
    ww_chain c = ww__chain_size(n, &s->mat.l, 1, gate_f + wire_f);
    *cost = ww__chain_cost(n, &s->mat.l, &c, gate_f + wire_f, r * (wire_f / 2 + gate_f), ramp,
                           s->mat.l.cell_height);
    return (cost->internal_f + gate_f + wire_f) * n->peri.vdd_v * n->peri.vdd_v;
}

static double drain(const cam_site *s, double w, ww_polarity polarity, int stack)
{
    const ww_layout *l = &s->mat.l;
    return ww__drain_f(s->mat.n, l, &s->mat.n->peri, w, stack,
                       ww__fold_w(l, polarity, l->cell_height));
}

/* Search lines: precharge, then data drivers that reach the compare gates of every row and of the
 * dummy row. */
static double search_lines(const cam_site *s, double rows, match_cost *m, double *ramp)
{
    const ww_node *n = s->mat.n;
    const ww_device *d = &n->peri;
    const ww_wire *local = &n->wire[WW_WIRE_LOCAL], *outside = &n->wire[s->mat.outside];
    double p_min = d->n_to_p * n->min_w_m;
    double across = s->key_bits * s->cam_w, down = rows * s->cam_h;
    ww_chain_cost pre, data;
    double e_pre = driver(s, s->key_bits * ww__gate_f(d, 13 * p_min), across * outside->c_f_per_m,
                          across * outside->r_ohm_per_m, 0, &pre);
    double e_data = driver(s, rows * ww__gate_f(d, n->cam.nmos_w_m), down * local->c_f_per_m,
                           down * local->r_ohm_per_m, 0, &data);
    m->leak = ww__leak_add(ww__leak_add(m->leak, pre.leak, 1), data.leak, s->key_bits);
    m->delay_s += data.delay_s;
    m->reset_s += pre.delay_s;
    *ramp = data.ramp_s;
    return e_pre + s->key_bits * e_data;
}

/* Two half match lines per row, precharged; one mismatch discharges through two series transistors.
 */
static double match_lines(const cam_site *s, double rows, match_cost *m, double *ramp)
{
    const ww_node *n = s->mat.n;
    const ww_device *d = &n->peri;
    const ww_wire *local = &n->wire[WW_WIRE_LOCAL];
    double f = s->mat.l.f, v2 = d->vdd_v * d->vdd_v;
    double w_pre = 6 * d->n_to_p * n->min_w_m, w_cmp = n->cam.nmos_w_m;
    double half = ceil(s->key_bits / 2.0);
    double down = rows * s->cam_h;
    ww_chain_cost pre;
    double energy = driver(s, rows * ww__gate_f(d, w_pre), down * local->c_f_per_m,
                           down * local->r_ohm_per_m, 0, &pre);
    double line_r = half * s->cam_w * local->r_ohm_per_m;
    double line_c = half * s->cam_w * local->c_f_per_m;
    double own = half * 2 * drain(s, w_cmp, WW_NMOS, 2) + drain(s, w_pre, WW_PMOS, 1);
    double gate = ww__gate_f(d, 2 * W_NAND * f);
    double tf =
        ww__r_on(d, w_cmp, WW_NMOS, 2) * (own + line_c / 2 + gate) + line_r * (line_c / 2 + gate);
    double t = ww__horowitz_at_s(*ramp, tf, V_ML, V_NAND, 0);
    m->delay_s += t;
    *ramp = t / V_NAND;
    energy += (own + line_c + gate) * rows * v2 * 2;
    m->reset_s = fmax(m->reset_s, pre.delay_s) +
                 0.69 * (ww__r_on(d, w_pre, WW_PMOS, 1) + line_r / 2) * (line_c + own);

    ww_leak row = ww__gate_leak(d, WW_GATE_NAND, 2, W_NAND * f, W_NAND * f);
    row = ww__leak_add(row, ww__gate_leak(d, WW_GATE_NOR, 2, W_NOR_N * f, W_NOR_P * f), 1);
    row.sub_w += w_pre / 2 * d->i_off_a_per_m * d->vdd_v;
    m->leak = ww__leak_add(ww__leak_add(m->leak, pre.leak, 1), row, rows);
    return energy;
}

/* NAND of the halves, dummy-row timing, NOR, driver of the data wordline, hit line. */
static double hit_logic(const cam_site *s, double rows, match_cost *m, double ramp)
{
    const ww_node *n = s->mat.n;
    const ww_device *d = &n->peri;
    const ww_wire *local = &n->wire[WW_WIRE_LOCAL];
    double f = s->mat.l.f, v2 = d->vdd_v * d->vdd_v;
    double half = ceil(s->key_bits / 2.0);
    double w_hit = n->cam.nmos_w_m, w_hit_p = d->n_to_p * n->min_w_m;

    double own = drain(s, W_NAND * f, WW_NMOS, 2) + 2 * drain(s, W_NAND * f, WW_PMOS, 1);
    double gate = ww__gate_f(d, (W_DUMMY_INV_N + W_DUMMY_INV_P) * f);
    double t = ww__horowitz_at_s(ramp, ww__r_on(d, W_NAND * f, WW_NMOS, 2) * (own + gate), V_NAND,
                                 V_INV, 1);
    m->delay_s += t;
    ramp = t / (1 - V_INV);
    double energy = (own * rows + 2 * gate) * v2;

    double run = half * s->cam_w + rows / 2 * s->cam_h;
    double wire = run * local->c_f_per_m, r = run * local->r_ohm_per_m;
    own = drain(s, W_DUMMY_INV_N * f, WW_NMOS, 1) + drain(s, W_DUMMY_INV_P * f, WW_PMOS, 1);
    gate = ww__gate_f(d, (W_NOR_N + W_NOR_P) * f);
    double tf =
        ww__r_on(d, W_DUMMY_INV_N * f, WW_NMOS, 1) * (own + wire + gate) + r * (wire / 2 + gate);
    t = ww__horowitz_at_s(ramp, tf, V_INV, V_NOR, 0);
    m->delay_s += t;
    ramp = t / V_NOR;
    energy += (own + wire + (rows - 1) * gate) * v2;

    double row_wire = s->data_bits * s->ram_w;
    double row_gate = s->data_bits * 2 * ww__gate_f(&n->cell, n->sram.access_w_m);
    ww_chain_cost row;
    m->wordline_j = driver(s, ww__gate_f(d, w_hit) + row_gate, row_wire * local->c_f_per_m,
                           row_wire * local->r_ohm_per_m, ramp, &row);
    own = 2 * drain(s, W_NOR_N * f, WW_NMOS, 1) + drain(s, W_NOR_P * f, WW_PMOS, 1);
    t = ww__horowitz_s(ramp, ww__r_on(d, W_NOR_N * f, WW_NMOS, 1) *
                                 (own + ww__gate_f(d, n->min_w_m * (1 + d->n_to_p))));
    m->delay_s += t;
    energy += own * v2;

    double hit_wire = (rows - 1) * s->cam_h * local->c_f_per_m;
    double hit_gates = (rows - 1) * drain(s, w_hit, WW_NMOS, 1);
    energy += (2 * drain(s, w_hit_p, WW_PMOS, 2) + 2 * drain(s, w_hit, WW_NMOS, 2) +
               2 * (hit_wire + hit_gates)) *
              v2;
    double hit_tf = ww__r_on(d, w_hit, WW_PMOS, 1) * (hit_wire / 2 + hit_gates);
    if (s->data_bits > 0) {
        m->delay_s += fmax(row.delay_s, ww__horowitz_s(0, hit_tf));
        m->leak = ww__leak_add(m->leak, row.leak, rows);
    }
    return energy;
}

/* Compare transistors of a CAM cell: an XOR that leaks like two inverters. */
static ww_leak compare_cell_leak(const ww_node *n)
{
    ww_leak one = ww__gate_leak(&n->cell, WW_GATE_INV, 1, n->cam.nmos_w_m, n->cam.nmos_w_m);
    return (ww_leak){2 * one.sub_w, 2 * one.gate_w};
}

static match_cost match_of(const cam_site *s, double rows)
{
    match_cost m = {0};
    double ramp = 0;
    m.energy_j = search_lines(s, rows, &m, &ramp);
    m.energy_j += match_lines(s, rows, &m, &ramp);
    m.energy_j += hit_logic(s, rows, &m, ramp);
    m.leak = ww__leak_add(m.leak, compare_cell_leak(s->mat.n), rows * s->key_bits);
    return m;
}

/* Mats of a CAM: four sub-arrays each, as square as powers of two allow. */
static void mats_of(uint32_t ndbl, uint32_t *h, uint32_t *v)
{
    *h = 1;
    *v = 1;
    if (ndbl > 2) {
        *h = (uint32_t)sqrt(ndbl / 4.0);
        uint32_t k = 1;
        while (k * 2 <= *h) {
            k *= 2;
        }
        *h = k;
        *v = ndbl / 4 / *h;
    }
}

/* Keeps one sub-array of the mat for a plain access. */
static void one_subarray(ww_array_terms *t, double per_mat)
{
    t->wordline /= per_mat;
    t->precharge /= per_mat;
    t->bitline /= per_mat;
    t->sense_amp /= per_mat;
}

static void add_trees(const cam_site *s, const ww_mat *m, const ww_mat_cut *cut, uint32_t mats_h,
                      uint32_t mats_v, double index_bits, ww_array_part *p, double *delay)
{
    const ww_mat_site *site = &s->mat;
    double ports = site->rw + site->rd + site->wr;
    double word = s->key_bits + s->data_bits;
    double found = s->data_bits > 0 ? s->data_bits : index_bits;
    ww_tree_shape shape = {.leaf_w = m->width,
                           .leaf_h = m->height,
                           .cols_log2 = (int)ww_log2_ceil(mats_h),
                           .rows_log2 = (int)ww_log2_ceil(mats_v),
                           .fanned_bits =
                               ((double)cut->address_bits + ww_log2_ceil(mats_h * mats_v)) * ports +
                               (s->key_bits + found) * s->searches,
                           .data_bits = word * (2 * site->rw + site->rd + site->wr)};
    double h, w, pitch = site->n->wire[site->outside].pitch_m;
    ww__tree_box(site->n, &shape, pitch, &h, &w);
    p->height_m = h;
    p->width_m = w;
    if (s->spec->banks > 1) {
        int k = (int)ww_log2_ceil(s->spec->banks);
        p->height_m *= ldexp(1, k / 2);
        p->width_m *= ldexp(1, k - k / 2);
    }
    p->area_m2 = p->height_m * p->width_m;
    *delay = 0;
    if (mats_h * mats_v == 1) {
        return;
    }
    ww_tree_cost in = ww__tree_cost(site->n, &site->l, &site->wire, &shape, WW_TREE_IN, h, w);
    ww_tree_cost out = ww__tree_cost(site->n, &site->l, &site->wire, &shape, WW_TREE_OUT, h, w);
    shape.broadcast = true;
    ww_tree_cost all = ww__tree_cost(site->n, &site->l, &site->wire, &shape, WW_TREE_IN, h, w);
    double address = (double)cut->address_bits + ww_log2_ceil(mats_h * mats_v);
    p->read.htree_in = p->write.htree_in = in.energy_j * address;
    p->read.htree_out = out.energy_j * word;
    p->write.htree_out = in.energy_j * word;
    p->search.htree_in = all.energy_j * s->key_bits;
    p->search.htree_out = out.energy_j * found;
    double in_bits = address * ports + word * (site->rw + site->wr);
    double out_bits = word * (site->rw + site->rd) + found * s->searches;
    p->leak.htree_in = (in.leak.sub_w + in.leak.gate_w) * in_bits +
                       (all.leak.sub_w + all.leak.gate_w) * s->key_bits * s->searches;
    p->leak.htree_out = (out.leak.sub_w + out.leak.gate_w) * out_bits;
    p->leak_gate_w += in.leak.gate_w * in_bits + all.leak.gate_w * s->key_bits * s->searches +
                      out.leak.gate_w * out_bits;
    *delay = in.delay_s + out.delay_s;
}

/* Everything of the leakage of one mat and its match logic, for all mats and banks. */
static void add_mat_leak(const ww_mat *m, const match_cost *match, double per_mat, double copies,
                         ww_array_part *p)
{
    const double *sub = (const double *)(const void *)&m->leak_sub;
    const double *gate = (const double *)(const void *)&m->leak_gate;
    double *leak = (double *)(void *)&p->leak;
    for (size_t i = 0; i < sizeof p->leak / sizeof *leak; i++) {
        leak[i] += copies * (sub[i] + gate[i]);
        p->leak_gate_w += copies * gate[i];
    }
    p->leak.compare += copies * per_mat * (match->leak.sub_w + match->leak.gate_w);
    p->leak_gate_w += copies * per_mat * match->leak.gate_w;
}

/* Cuts the array into ndbl sub-arrays; false when that is impossible. */
static bool organise(const cam_site *s, uint32_t ndbl, ww_array_part *out)
{
    double rows = ceil(s->entries / ndbl);
    uint32_t mats_h, mats_v;
    mats_of(ndbl, &mats_h, &mats_v);
    uint32_t mats = mats_h * mats_v, per_mat = ndbl / mats;
    if (rows < 1 || rows > 262144 || (ndbl > 1 && s->entries < 2.0 * ndbl)) {
        return false;
    }
    uint32_t word = s->key_bits + s->data_bits;
    uint32_t select = ww_log2_ceil(per_mat);
    uint32_t found = s->data_bits > 0 ? s->data_bits : ww_log2_ceil((uint32_t)s->entries);
    ww_mat_cut cut = {.rows = (uint32_t)rows + 1, /* and the dummy row */
                      .dummy_rows = 1,
                      .search_bits = s->key_bits + found,
                      .cols = word,
                      .per_mat = per_mat,
                      .per_row = per_mat > 2 ? per_mat / 2 : per_mat,
                      .ndcm = 1,
                      .nsam1 = 1,
                      .nsam2 = 1,
                      .nsam1_free = 1,
                      .bits_out = word,
                      .bits_in = word,
                      .address_bits = ww__address_bits((uint32_t)rows, false) + select};
    ww_mat m;
    ww__mat(&s->mat, &cut, &m);
    match_cost match = match_of(s, rows + 1);
    ww_array_part p = {
        .partition = {.ndwl = 1, .ndbl = ndbl, .ndcm = 1, .nsam1 = 1, .nsam2 = 1, .nspd = 1},
        .rows = (uint32_t)rows,
        .cols = word,
        .mats = mats,
        .active_mats = 1,
        .subarrays_per_mat = per_mat};
    p.read = m.read;
    one_subarray(&p.read, per_mat);
    p.write = p.read;
    p.write.sense_amp = 0;
    p.write.bitline = m.write_bitline / per_mat;
    p.search.compare = match.energy_j * ndbl;
    double data_share = (double)s->data_bits / word;
    if (s->data_bits > 0) {
        p.search.wordline = match.wordline_j;
        p.search.precharge = p.read.precharge * data_share;
        p.search.bitline = p.read.bitline * data_share;
        p.search.sense_amp = p.read.sense_amp * data_share;
        p.search.output = p.read.output * data_share;
    } else {
        p.search.output = p.read.output / word * (ww_log2_ceil((uint32_t)s->entries) + 1);
    }
    add_mat_leak(&m, &match, per_mat, (double)mats * s->spec->banks, &p);
    double trees;
    add_trees(s, &m, &cut, mats_h, mats_v, (int)ww_log2_ceil((uint32_t)s->entries), &p, &trees);
    p.cell_area_share =
        (double)word * rows * ndbl * s->spec->banks * s->mat.cell_h * s->mat.cell_w / p.area_m2;
    double read_s = trees + m.t.predecode + m.t.row + m.t.bitline + m.t.sense + m.t.output;
    double search_s =
        trees + match.delay_s + m.t.output + (s->data_bits > 0 ? m.t.bitline + m.t.sense : 0);
    p.access_s = s->data_bits > 0 ? search_s : read_s;
    p.search_s = search_s;
    p.cycle_s = match.delay_s + match.reset_s + m.t.restore + m.t.bitline;
    p.search_time =
        (ww_array_terms){.htree_in = trees, .compare = match.delay_s, .output = m.t.output};
    if (s->data_bits > 0) {
        p.search_time.bitline = m.t.bitline;
        p.search_time.sense_amp = m.t.sense;
        p.time = p.search_time;
    } else {
        p.time = (ww_array_terms){.htree_in = trees,
                                  .decoder = m.t.predecode,
                                  .wordline = m.t.row,
                                  .bitline = m.t.bitline,
                                  .sense_amp = m.t.sense,
                                  .output = m.t.output};
    }
    p.read_j = ww_array_terms_sum(&p.read);
    p.write_j = ww_array_terms_sum(&p.write);
    p.search_j = ww_array_terms_sum(&p.search);
    p.leak_w = ww_array_terms_sum(&p.leak);
    *out = p;
    return true;
}

static double cost_of(const ww_array_spec *spec, const ww_array_part *p)
{
    const ww_array_objective *o = &spec->objective;
    /* What enters a CAM is looked up: an insertion and a search. */
    bool tools = ww__tool_faults(spec->style)->cam_by_plain_read;
    double energy = tools ? p->read_j : p->search_j + p->write_j;
    double time = tools ? p->access_s : p->search_s;
    switch (o->goal) {
    case WW_GOAL_ED:
        return energy * time;
    case WW_GOAL_WEIGHTED:
        /* One degree of freedom and few candidates: weights act as exponents. */
        return pow(time, o->delay) * pow(energy, o->energy) * pow(p->leak_w, o->leakage) *
               pow(p->cycle_s, o->cycle) * pow(p->area_m2, o->area);
    case WW_GOAL_ED2:
    default:
        return energy * time * time;
    }
}

ww_status ww__solve_cam(const ww_array_spec *spec, const ww_node *node, ww_array_result *result,
                        ww_error *err)
{
    bool assoc = spec->kind == WW_ARRAY_ASSOC;
    uint32_t tag = spec->tag_bits;
    if (assoc && tag == 0) {
        tag = (uint32_t)(ADDRESS_BITS + STATUS_BITS - floor(log2(spec->line_bits / 8.0)));
    }
    cam_site s = {.spec = spec,
                  .key_bits = assoc ? tag : spec->word_bits,
                  .data_bits = assoc ? spec->line_bits : 0,
                  .searches = spec->search_ports};
    ww__mat_site(spec, node, &s.mat);
    s.entries = (double)spec->bits / spec->banks / (assoc ? spec->line_bits : spec->word_bits);
    double p = node->wire[WW_WIRE_LOCAL].pitch_m;
    double extra = 2 * p * (s.mat.rw + s.mat.rd + s.mat.wr - 1 + s.searches - 1);
    s.cam_h = node->cam.height_m + extra;
    s.cam_w = node->cam.width_m + extra;
    s.ram_w = node->sram.width_m + extra;
    s.mat.cell_h = s.cam_h;
    s.mat.cell_w = (s.key_bits * s.cam_w + s.data_bits * s.ram_w) / (s.key_bits + s.data_bits);
    s.mat.beside_w = MATCH_TRACKS * p;
    s.mat.se = s.searches;

    bool found = false;
    uint32_t fixed = spec->data_forced.ndbl;
    uint32_t least = ww__tool_faults(spec->style)->cam_by_plain_read ? 2 : 1;
    for (uint32_t ndbl = fixed > 0 ? fixed : least; ndbl <= (fixed > 0 ? fixed : MAX_CUTS);
         ndbl *= 2) {
        ww_array_part part;
        if (organise(&s, ndbl, &part) &&
            (!found || cost_of(spec, &part) < cost_of(spec, &result->data))) {
            result->data = part;
            found = true;
        }
    }
    if (!found) {
        return ww_fail(
            err, WW_ERANGE,
            "a CAM of %.0f entries cannot be cut into %u sub-arrays; nearest feasible: 1",
            s.entries, fixed);
    }
    ww__add_part(result, &result->data);
    result->area_m2 = result->data.area_m2;
    result->height_m = result->data.height_m;
    result->width_m = result->data.width_m;
    result->access_s = result->data.access_s;
    result->search_s = result->data.search_s;
    result->cycle_s = result->data.cycle_s;
    return WW_OK;
}
