/* organise.c - from a partition to an array: sub-arrays, mats, the bank's H-tree, the tree between
 * banks. */
#include "tech/organise.h"

#include <math.h>

#include "base/arith.h"
#include "base/assert.h"
#include "tech/htree.h"

enum { MAX_COLUMNS = 262144, MAX_CUTS = 512 };

/* Check bits: one per eight. */
uint32_t ww__org_with_ecc(const ww_org_site *s, uint32_t bits)
{
    return s->ecc ? bits + (bits + 7) / 8 : bits;
}

/* Rows of a sub-array. One that is cut is filled up to the least height that is built, so that a
 * few words less never rule a cut out. */
static double rows_of(const ww_org_site *s, const ww_array_partition *p)
{
    double rows = ceil(s->sets / (p->ndbl * p->nspd));
    bool cut = p->ndbl * p->nspd > 1;
    return cut && !s->mat.faults->rows_stay_short ? fmax(rows, s->min_rows) : rows;
}

static bool rows_are_possible(const ww_org_site *s, const ww_array_partition *p, double rows)
{
    bool whole = p->ndbl * p->nspd <= 1 && !s->mat.faults->rows_stay_short;
    return rows >= (whole ? 1 : s->min_rows) && rows <= 262144;
}

double ww__org_wanted(const ww_org_site *s)
{
    if (s->tag_ways > 0) {
        return (double)s->tag_bits * s->tag_ways;
    }
    return s->fast ? (double)s->out_bits * s->ways : s->out_bits;
}

uint32_t ww__org_padded(const ww_org_site *s, const ww_array_partition *p, uint32_t per_mat,
                        double degree, uint32_t *active)
{
    uint32_t cols = (uint32_t)ceil(s->set_bits * p->nspd / p->ndwl);
    double wanted = ww__org_wanted(s);
    double mats = wanted * degree * p->ndwl / (per_mat * s->set_bits * p->nspd);
    *active = 0;
    if (s->mat.faults->rows_stay_short || mats < 1 || mats > MAX_CUTS ||
        fabs(mats - round(mats)) > 1e-9) {
        return cols;
    }
    *active = (uint32_t)round(mats);
    double from_mat = fmax(ceil(wanted / *active), per_mat);
    double needed = ceil(from_mat * degree / per_mat);
    return needed > cols && needed < MAX_COLUMNS ? (uint32_t)needed : cols;
}

ww_org_fault ww__cut(const ww_org_site *s, const ww_array_partition *p, ww_mat_cut *c,
                     uint32_t *active_mats)
{
    double rows = rows_of(s, p);
    double cols = ceil(s->set_bits * p->nspd / p->ndwl);
    if (!rows_are_possible(s, p, rows)) {
        return WW_ORG_FEW_ROWS;
    }
    if (cols < 2 || cols > MAX_COLUMNS) {
        return WW_ORG_FEW_COLUMNS;
    }
    uint32_t mats_h = ww_max_u32(p->ndwl / 2, 1), mats_v = ww_max_u32(p->ndbl / 2, 1);
    uint32_t mats = mats_h * mats_v;
    *c = (ww_mat_cut){.rows = (uint32_t)rows,
                      .cols = (uint32_t)cols,
                      .per_mat = p->ndwl * p->ndbl / mats,
                      .per_row = p->ndwl / mats_h,
                      .ndcm = p->ndcm,
                      .nsam1 = p->nsam1,
                      .nsam2 = p->nsam2,
                      .nsam1_free = p->nsam1};
    uint32_t degree = p->ndcm * p->nsam1 * p->nsam2, planned;
    c->cols = ww__org_padded(s, p, c->per_mat, degree, &planned);
    uint32_t from_mat = ww_max_u32(c->per_mat * c->cols / degree, 1);
    uint32_t wanted = (uint32_t)ww__org_wanted(s);
    if (from_mat < c->per_mat) {
        return WW_ORG_NARROW_MAT;
    }
    if (s->tag_ways > 0) {
        if (from_mat < s->tag_bits) {
            return WW_ORG_NARROW_MAT;
        }
    } else if (s->ways > 1) {
        if (!s->fast) {
            c->nsam1_free = p->nsam1 / s->ways;
            c->way_select = s->ways;
            if (c->nsam1_free < 1) {
                return WW_ORG_WAYS;
            }
        }
    }
    uint32_t active = planned > 0 ? planned : wanted / from_mat;
    if (active == 0) {
        return WW_ORG_TOO_WIDE;
    }
    if (active > mats_h) {
        return WW_ORG_MATS;
    }
    if (!s->mat.faults->part_of_the_tags && active * from_mat < wanted) {
        return WW_ORG_MATS;
    }
    c->bits_out = from_mat;
    c->bits_in = s->fast && s->ways > 1 ? ww_max_u32(from_mat / s->ways, 1) : from_mat;
    if (s->tag_ways > 0) {
        c->bits_out = ww_max_u32(s->tag_ways / active, 1);
        c->bits_in = s->tag_bits;
    }
    c->address_bits = ww__address_bits(c->rows, s->mat.faults->address_bits_down) +
                      ww_log2_floor(p->ndcm) + ww_log2_floor(c->nsam1_free) +
                      ww_log2_floor(p->nsam2);
    c->cols = ww__org_with_ecc(s, c->cols);
    c->bits_out = ww__org_with_ecc(s, c->bits_out);
    c->bits_in = ww__org_with_ecc(s, c->bits_in);
    WW_ASSERT(active <= mats_h && c->bits_out > 0 && c->bits_in > 0);
    WW_ASSERT(c->cols <= 2 * MAX_COLUMNS); /* check bits included */
    *active_mats = active;
    return WW_ORG_OK;
}

/* Wires that enter and leave a bank, all ports. */
typedef struct bank_wires {
    double address, in, out;                /* all ports */
    double address_port, in_port, out_port; /* those one access moves */
} bank_wires;

static bank_wires wires_of(const ww_org_site *s, const ww_mat_cut *c, uint32_t mats,
                           uint32_t active)
{
    const ww_mat_site *m = &s->mat;
    bool tag = s->tag_ways > 0;
    bank_wires w;
    w.address_port = c->address_bits + ww_log2_floor(mats / active);
    w.in_port = ww__org_with_ecc(s, tag ? s->tag_bits : s->out_bits + s->ways);
    w.out_port = ww__org_with_ecc(s, tag ? 1 : s->out_bits);
    if (s->fast && !tag) {
        w.out_port *= s->ways;
    }
    w.address = w.address_port * (m->rw + m->rd + m->wr);
    w.in = w.in_port * (m->rw + m->wr);
    w.out = w.out_port * (m->rw + m->rd);
    if (m->faults->all_ports_switch) {
        w.address_port = w.address;
        w.in_port = w.in;
        w.out_port = w.out;
    }
    return w;
}

static void add_tree_leak(ww_array_part *part, ww_leak in, double in_bits, ww_leak out,
                          double out_bits, double copies)
{
    part->leak.htree_in += copies * in_bits * (in.sub_w + in.gate_w);
    part->leak.htree_out += copies * out_bits * (out.sub_w + out.gate_w);
    part->leak_gate_w += copies * (in_bits * in.gate_w + out_bits * out.gate_w);
}

static void scale_terms(ww_array_terms *t, double k)
{
    double *v = (double *)(void *)t;
    for (size_t i = 0; i < sizeof *t / sizeof *v; i++) {
        v[i] *= k;
    }
}

static void mat_terms(const ww_org_site *s, const ww_mat *m, uint32_t active, double mats,
                      ww_array_part *part)
{
    part->read = m->read;
    scale_terms(&part->read, active);
    part->write = part->read;
    part->write.sense_amp = 0;
    const ww_tool_faults *faults = s->mat.faults;
    double written = m->write_bitline * active;
    double opened = faults->unwritten_columns_free ? 0 : m->half_selected * active;
    part->write.bitline = (faults->write_bitlines_twice ? written * active : written) + opened;
    part->leak = m->leak_sub;
    scale_terms(&part->leak, mats);
    ww_array_terms gate = m->leak_gate;
    scale_terms(&gate, mats);
    part->leak_gate_w = ww_array_terms_sum(&gate);
    double *sum = (double *)(void *)&part->leak, *g = (double *)(void *)&gate;
    for (size_t i = 0; i < sizeof gate / sizeof *g; i++) {
        sum[i] += g[i];
    }
}

/* Access and cycle time (CACTI 5.1, HPL-2008-20, s. 4.2). */
static void times(const ww_mat_time *t, double tree_in, double tree_out, ww_org *o)
{
    ww_array_part *p = &o->part;
    double row = tree_in + t->predecode + t->row + t->bitline + t->sense;
    double column = tree_in + t->column + t->sense;
    o->way_ready = fmax(tree_in + t->mux1, tree_in + t->mux2);
    o->before_output = fmax(fmax(row, column), o->way_ready);
    o->after_output = t->output + tree_out;
    p->access_s = o->before_output + o->after_output;
    double cycle = t->row + t->bitline + t->sense + t->wordline_reset + t->restore;
    cycle = fmax(cycle, t->predecode);
    cycle = fmax(cycle, fmax(t->column_predecode, fmax(t->mux1_predecode, t->mux2_predecode)));
    p->cycle_s = cycle;
    p->time = (ww_array_terms){.htree_in = tree_in,
                               .decoder = t->predecode,
                               .wordline = t->row,
                               .bitline = t->bitline,
                               .sense_amp = t->sense,
                               .mux = o->before_output - row, /* what a slower multiplexer adds */
                               .output = t->output,
                               .compare = t->compare,
                               .htree_out = tree_out};
}

int ww__split_banks(uint32_t banks, bool tall, int *vertical)
{
    int k = (int)ww_log2_floor(banks);
    if ((1u << k) < banks) {
        k++; /* a number of banks between powers of two leaves holes in the floor plan */
    }
    *vertical = tall ? k / 2 : k - k / 2;
    return k - *vertical;
}

ww_org_fault ww__subarray(const ww_org_site *s, const ww_array_partition *p, ww_mat_cut *c)
{
    double rows = rows_of(s, p);
    double cols = ceil(s->set_bits * p->nspd / p->ndwl);
    if (!rows_are_possible(s, p, rows)) {
        return WW_ORG_FEW_ROWS;
    }
    if (cols < 2 || cols > MAX_COLUMNS) {
        return WW_ORG_FEW_COLUMNS;
    }
    uint32_t mats_h = ww_max_u32(p->ndwl / 2, 1), mats_v = ww_max_u32(p->ndbl / 2, 1);
    *c = (ww_mat_cut){.rows = (uint32_t)rows,
                      .cols = ww__org_with_ecc(s, (uint32_t)cols),
                      .per_mat = p->ndwl * p->ndbl / (mats_h * mats_v),
                      .per_row = p->ndwl / mats_h};
    return WW_ORG_OK;
}

ww_org_fault ww__organise(const ww_org_site *s, const ww_array_partition *p,
                          const ww_mat_columns *columns, ww_org *out)
{
    ww_mat_cut cut;
    uint32_t active;
    ww_org_fault fault = ww__cut(s, p, &cut, &active);
    if (fault != WW_ORG_OK) {
        return fault;
    }
    const ww_node *n = s->mat.n;
    const ww_layout *l = &s->mat.l;
    const ww_repeated *wire = &s->mat.wire;
    double pitch = n->wire[s->mat.outside].pitch_m;
    uint32_t mats_h = ww_max_u32(p->ndwl / 2, 1), mats_v = ww_max_u32(p->ndbl / 2, 1);
    ww_mat m;
    if (columns != NULL) {
        ww__mat_finish(&s->mat, &cut, columns, &m);
    } else {
        ww__mat(&s->mat, &cut, &m);
    }

    ww_org o = {0};
    ww_array_part *part = &o.part;
    part->partition = *p;
    part->rows = cut.rows;
    part->cols = cut.cols;
    part->mats = mats_h * mats_v;
    part->active_mats = active;
    part->subarrays_per_mat = cut.per_mat;
    mat_terms(s, &m, active, (double)part->mats * s->banks, part);

    bank_wires w = wires_of(s, &cut, part->mats, active);
    ww_tree_shape shape = {.leaf_w = m.width,
                           .leaf_h = m.height,
                           .cols_log2 = (int)ww_log2_floor(mats_h),
                           .rows_log2 = (int)ww_log2_floor(mats_v),
                           .fanned_bits = w.address,
                           .data_bits = w.in + w.out};
    double bank_h, bank_w;
    ww__tree_box(n, &shape, pitch, &bank_h, &bank_w);
    ww_tree_cost in = {0}, back = {0};
    if (part->mats > 1) {
        in = ww__tree_cost(n, l, wire, &shape, WW_TREE_IN, bank_h, bank_w);
        back = ww__tree_cost(n, l, wire, &shape, WW_TREE_OUT, bank_h, bank_w);
    }
    ww_tree_cost between = {0};
    part->height_m = bank_h;
    part->width_m = bank_w;
    if (s->banks > 1) {
        shape.leaf_h = bank_h;
        shape.leaf_w = bank_w;
        shape.between_banks = true;
        shape.cols_log2 = ww__split_banks(s->banks, bank_h > bank_w, &shape.rows_log2);
        ww__tree_box(n, &shape, pitch, &part->height_m, &part->width_m);
        between = ww__tree_cost(n, l, wire, &shape, WW_TREE_IN, part->height_m, part->width_m);
    }
    part->area_m2 = part->height_m * part->width_m;
    double cells = (double)cut.rows * cut.cols * cut.per_mat * part->mats * s->banks;
    part->cell_area_share = cells * s->mat.cell_h * s->mat.cell_w / part->area_m2;

    part->read.htree_in = (in.energy_j + between.energy_j) * w.address_port;
    part->read.htree_out = (back.energy_j + between.energy_j) * w.out_port;
    part->write.htree_in = part->read.htree_in;
    part->write.htree_out = (in.energy_j + between.energy_j) * w.in_port;
    if (s->mat.faults->write_pays_output_tree && s->tag_ways == 0) {
        part->write.htree_out = part->read.htree_out;
    }
    if (!s->mat.faults->inner_tree_leaks_not) {
        add_tree_leak(part, in.leak, w.address + w.in, back.leak, w.out, s->banks);
    }
    add_tree_leak(part, between.leak, w.address + w.in, between.leak, w.out, 1);
    part->leak_between_w = (between.leak.sub_w + between.leak.gate_w) * (w.address + w.in + w.out);
    times(&m.t, in.delay_s + between.delay_s, back.delay_s + between.delay_s, &o);
    ww__part_totals(part);
    *out = o;
    return WW_ORG_OK;
}

void ww__part_totals(ww_array_part *part)
{
    part->read_j = ww_array_terms_sum(&part->read);
    part->write_j = ww_array_terms_sum(&part->write);
    part->search_j = ww_array_terms_sum(&part->search);
    part->leak_w = ww_array_terms_sum(&part->leak);
}
