/* search.c - enumerates partitions and keeps the best. */
#include "tech/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "tech/htree.h"

enum {
    MAX_CUTS = 512, /* Ndwl, Ndbl */
    MAX_MUX = 256,
    MUX_STEPS = 9, /* 1, 2, ... 256 */
    MAX_DEGREE = 1 << 24,
    MAX_SETS_PER_ROW = 256,
    MAX_CANDIDATES = 2048 /* of Ndwl, Ndbl, Nspd: ten values each, and more of small Nspd */
};

ww_metrics ww__metrics(const ww_org *o, const ww_companion *c)
{
    const ww_array_part *p = &o->part;
    ww_metrics m = {p->access_s, p->read_j, p->leak_w, p->cycle_s, p->area_m2};
    if (c->tag == NULL) {
        return m;
    }
    const ww_array_part *t = &c->tag->part;
    double tag_s = t->access_s + c->compare_s;
    m.read_j += t->read_j;
    m.leak_w += t->leak_w;
    m.cycle_s = fmax(p->cycle_s, t->cycle_s);
    m.area_m2 = fmax(p->height_m, t->height_m) * (p->width_m + t->width_m);
    switch (c->access) {
    case WW_ACCESS_FAST:
        m.access_s = fmax(tag_s, p->access_s);
        break;
    case WW_ACCESS_SEQUENTIAL:
        m.access_s = tag_s + p->access_s;
        break;
    case WW_ACCESS_NORMAL:
    default:
        m.access_s = fmax(tag_s + o->way_ready, o->before_output) + o->after_output;
        break;
    }
    return m;
}

/* A weighted sum needs minima to divide by; candidates more than half slower and more than half
 * dearer than those are no choice at any weights (CACTI 5.1, HPL-2008-20, s. 4.3). */
#define CLEARLY_WORSE 1.5

static double cost_of(const ww_array_objective *w, const ww_metrics *m, const ww_metrics *least)
{
    switch (w->goal) {
    case WW_GOAL_ED:
        return m->read_j * m->access_s;
    case WW_GOAL_WEIGHTED:
        if (m->access_s > CLEARLY_WORSE * least->access_s &&
            m->read_j > CLEARLY_WORSE * least->read_j) {
            return HUGE_VAL;
        }
        return w->delay * m->access_s / least->access_s + w->energy * m->read_j / least->read_j +
               w->leakage * m->leak_w / least->leak_w + w->cycle * m->cycle_s / least->cycle_s +
               w->area * m->area_m2 / least->area_m2;
    case WW_GOAL_ED2:
    default:
        return m->read_j * m->access_s * m->access_s;
    }
}

/* One pass over all partitions. */
typedef struct pass {
    const ww_org_site *site;
    const ww_array_objective *objective;
    const ww_companion *companion;
    bool minima; /* gather minima instead of the best */
    ww_metrics least;
    double best_cost;
    bool found;
    double wanted; /* bits that active mats deliver together */
    double swing;  /* of bitlines, in time constants */
    double slack;  /* mats that may be missing: 1 with the tools' rounding */
    ww_org *best;
    ww_search_faults *faults;
    ww_mat_memo *memo;
} pass;

static void try_partition(pass *s, const ww_array_partition *p, const ww_mat_columns *columns)
{
    ww_org o;
    ww_org_fault fault = ww__organise(s->site, p, columns, &o);
    if (fault != WW_ORG_OK) {
        s->faults->count[fault]++;
        return;
    }
    ww_metrics m = ww__metrics(&o, s->companion);
    if (s->minima) {
        s->least.access_s = fmin(s->least.access_s, m.access_s);
        s->least.read_j = fmin(s->least.read_j, m.read_j);
        s->least.leak_w = fmin(s->least.leak_w, m.leak_w);
        s->least.cycle_s = fmin(s->least.cycle_s, m.cycle_s);
        s->least.area_m2 = fmin(s->least.area_m2, m.area_m2);
        return;
    }
    WW_ASSERT(m.access_s > 0 && m.read_j > 0 && m.cycle_s > 0 && m.area_m2 > 0);
    double cost = cost_of(s->objective, &m, &s->least);
    if (!s->found || cost < s->best_cost) {
        s->found = true;
        s->best_cost = cost;
        *s->best = o;
    }
}

/* A cut into sub-arrays under examination: its mats as far as they are shared by multiplexings. */
typedef struct cut_state {
    ww_mat_cut cut;
    ww_mat_rows rows;
    double bits;                  /* columns of a mat, check bits not counted */
    double mats;                  /* of a bank */
    double bitline_s, bitlines_j; /* of a mat, at least */
    double tree_s;                /* address in, data out, at least */
    double address_j, data_j;     /* one wire of them */
    double address_bits;          /* at least */
    bool have[MUX_STEPS];
    ww_mat_columns columns[MUX_STEPS];
} cut_state;

static double out_bits(const pass *s)
{
    return s->site->tag_ways > 0 ? 1 : s->wanted;
}

static void bound_bitlines(const pass *s, cut_state *k)
{
    double column_j;
    ww__bitline_bound(&s->site->mat, k->cut.rows, s->swing, &k->bitline_s, &column_j);
    k->bitlines_j = (double)k->cut.cols * k->cut.per_mat * column_j;
}

/* The sum of the segments from the edge to a mat, as if mats were cells alone. What orders the
 * cuts: it costs little. */
static void bound_wires(const pass *s, const ww_array_partition *p, cut_state *k)
{
    const ww_mat_site *m = &s->site->mat;
    double mats_h = p->ndwl > 1 ? p->ndwl / 2 : 1, mats_v = p->ndbl > 1 ? p->ndbl / 2 : 1;
    double path = k->cut.per_row * k->cut.cols * m->cell_w * (mats_h - 1) +
                  k->cut.per_mat / k->cut.per_row * k->cut.rows * m->cell_h / 2 * (mats_v - 1);
    k->tree_s = 2 * m->wire.delay_s * path;
    k->address_j = k->data_j = m->wire.energy_j * path;
    k->address_bits = ww__address_bits(k->cut.rows, true);
}

/* The tree between banks of at least that size, wherever they are put: delay and energy. */
static ww_tree_cost bound_between(const pass *s, double height, double width)
{
    ww_tree_cost least = {0};
    if (s->site->banks <= 1) {
        return least;
    }
    const ww_mat_site *m = &s->site->mat;
    for (int tall = 0; tall <= 1; tall++) {
        ww_tree_shape shape = {.between_banks = true};
        shape.cols_log2 = ww__split_banks(s->site->banks, tall, &shape.rows_log2);
        ww_tree_cost t =
            ww__tree_path(m->n, &m->l, &m->wire, &shape, WW_TREE_IN, ldexp(height, shape.rows_log2),
                          ldexp(width, shape.cols_log2));
        least.delay_s = tall ? fmin(least.delay_s, t.delay_s) : t.delay_s;
        least.energy_j = tall ? fmin(least.energy_j, t.energy_j) : t.energy_j;
    }
    return least;
}

/* The trees of mats of sub-arrays of at least that size, without multiplexers and wires. */
static void bound_trees(const pass *s, const ww_array_partition *p, double sub_w, double sub_h,
                        cut_state *k)
{
    const ww_mat_site *m = &s->site->mat;
    int h = 0, v = 0;
    while ((2u << h) < p->ndwl) {
        h++;
    }
    while ((2u << v) < p->ndbl) {
        v++;
    }
    if (m->faults->tree_gates_unclamped) {
        return; /* nodes shrink with the tree: a smaller one may be slower */
    }
    ww_tree_shape shape = {.leaf_w = k->cut.per_row * sub_w,
                           .leaf_h = k->cut.per_mat / k->cut.per_row * (sub_h + ww__foot_bound(m)),
                           .cols_log2 = h,
                           .rows_log2 = v};
    double height = ldexp(shape.leaf_h, v), width = ldexp(shape.leaf_w, h);
    ww_tree_cost in = {0}, out = {0};
    if (h + v > 0) {
        in = ww__tree_path(m->n, &m->l, &m->wire, &shape, WW_TREE_IN, height, width);
        out = ww__tree_path(m->n, &m->l, &m->wire, &shape, WW_TREE_OUT, height, width);
    }
    const ww_tree_cost between = bound_between(s, height, width);
    k->tree_s = in.delay_s + out.delay_s + 2 * between.delay_s;
    k->address_j = in.energy_j + between.energy_j;
    k->data_j = out.energy_j + between.energy_j;
}

/* Address wires beside those of the rows: the multiplexers' select bits, but for what the way
 * selects, and the choice among mats. */
static void bound_address(const pass *s, uint32_t degree, double active, cut_state *k)
{
    double ways = s->site->tag_ways == 0 && !s->site->fast ? s->site->ways : 1;
    double selects = log2(degree) - ceil(log2(ways));
    k->address_bits = ww__address_bits(k->cut.rows, true) + fmax(selects, 0) +
                      fmax(floor(log2(k->mats / active)), 0);
}

/* What every array costs at least that is built of these sub-arrays with that many active mats.
 * known: a mat as far as it is worked out, NULL: only its geometry. */
static ww_metrics bound_of(const pass *s, const cut_state *k, double active, const ww_mat *known)
{
    const ww_mat_site *m = &s->site->mat;
    double sub_w = k->cut.cols * m->cell_w, sub_h = k->cut.rows * m->cell_h;
    double subs = (double)k->cut.per_mat * k->mats * s->site->banks;
    double in_mat_s = k->bitline_s, in_mat_j = k->bitlines_j;
    ww_metrics b = {.area_m2 = subs * sub_w * sub_h};
    if (known != NULL) {
        const ww_array_terms *e = &known->read;
        double bitline_s = fmax(k->bitline_s, known->t.bitline);
        in_mat_s = known->t.predecode + known->t.row + bitline_s + known->t.sense;
        in_mat_j = e->decoder + e->wordline + e->precharge + e->mux + e->sense_amp +
                   fmax(e->bitline, k->bitlines_j);
        b.cycle_s =
            known->t.row + bitline_s + known->t.sense + known->t.wordline_reset + known->t.restore;
        b.leak_w = (ww_array_terms_sum(&known->leak_sub) + ww_array_terms_sum(&known->leak_gate)) *
                   k->mats * s->site->banks;
        b.area_m2 = subs * (known->sub_w + k->rows.decoders_w) * (known->sub_h + ww__foot_bound(m));
    }
    double driven = s->site->tag_ways > 0 ? s->site->tag_ways : s->wanted;
    driven = m->faults->part_of_the_tags ? 0 : driven;
    b.read_j = active * in_mat_j + driven * (m->out_wire.energy_j * sub_w) +
               k->address_j * k->address_bits + k->data_j * out_bits(s);
    b.access_s = in_mat_s + m->out_wire.delay_s * sub_w + k->tree_s;
    const ww_companion *tag = s->companion;
    if (tag->tag != NULL) {
        const ww_array_part *t = &tag->tag->part;
        double tag_s = t->access_s + tag->compare_s;
        b.access_s =
            tag->access == WW_ACCESS_SEQUENTIAL ? b.access_s + tag_s : fmax(b.access_s, tag_s);
        b.read_j += t->read_j;
        b.leak_w += t->leak_w;
        b.area_m2 += t->area_m2;
        b.cycle_s = fmax(b.cycle_s, t->cycle_s);
    }
    return b;
}

/* No array of this kind can improve on what is found. */
static bool hopeless(const pass *s, const cut_state *k, double active, const ww_mat *known)
{
    const ww_array_objective *w = s->objective;
    if (w->exhaustive) {
        return false;
    }
    if (s->minima) {
        ww_metrics b = bound_of(s, k, active, known);
        return b.access_s >= s->least.access_s && b.read_j >= s->least.read_j &&
               (w->leakage <= 0 || b.leak_w >= s->least.leak_w) &&
               (w->cycle <= 0 || b.cycle_s >= s->least.cycle_s) &&
               (w->area <= 0 || b.area_m2 >= s->least.area_m2);
    }
    if (!s->found) {
        return false;
    }
    ww_metrics b = bound_of(s, k, active, known);
    return cost_of(w, &b, &s->least) >= s->best_cost;
}

/* The cut with columns added for this degree of multiplexing. */
static void widen(const pass *s, const cut_state *k, uint32_t cols, cut_state *wide)
{
    *wide = *k;
    wide->cut.cols = cols;
    memset(wide->have, 0, sizeof wide->have);
    bound_bitlines(s, wide);
    ww__mat_rows(&s->site->mat, &wide->cut, s->memo, &wide->rows);
}

/* All ways to split a degree of multiplexing between bitlines and the two levels behind the sense
 * amplifiers. */
static void try_degree(pass *s, ww_array_partition *p, cut_state *k, uint32_t degree, double active)
{
    for (uint32_t i = 0; i < MUX_STEPS && (1u << i) <= degree; i++) {
        p->ndcm = 1u << i;
        if (!k->have[i]) {
            k->have[i] = true;
            k->cut.ndcm = p->ndcm;
            ww__mat_columns(&s->site->mat, &k->cut, &k->rows, &k->columns[i]);
        }
        if (hopeless(s, k, active, &k->columns[i].mat)) {
            continue;
        }
        uint32_t rest = degree >> i;
        for (p->nsam1 = 1; p->nsam1 <= rest && p->nsam1 <= MAX_MUX; p->nsam1 *= 2) {
            p->nsam2 = rest / p->nsam1;
            if (p->nsam2 <= MAX_MUX) {
                try_partition(s, p, &k->columns[i]);
            }
        }
    }
}

/* What a cut costs at least; false: it is impossible. */
static bool prepare_cut(pass *s, const ww_array_partition *p, cut_state *k)
{
    ww_org_fault fault = ww__subarray(s->site, p, &k->cut);
    double mats_h = p->ndwl > 1 ? p->ndwl / 2 : 1;
    if (fault == WW_ORG_OK) {
        k->bits = ceil(s->site->set_bits * p->nspd / p->ndwl) * k->cut.per_mat;
        k->mats = mats_h * (p->ndbl > 1 ? p->ndbl / 2 : 1);
        fault = k->bits * (mats_h + s->slack) < s->wanted ? WW_ORG_MATS : WW_ORG_OK;
    }
    if (fault != WW_ORG_OK) {
        s->faults->count[fault]++;
        return false;
    }
    bound_bitlines(s, k);
    bound_wires(s, p, k);
    return true;
}

static void try_cut(pass *s, ww_array_partition *p)
{
    cut_state k;
    if (!prepare_cut(s, p, &k) || hopeless(s, &k, 1, NULL)) {
        return;
    }
    const ww_mat_site *m = &s->site->mat;
    /* Trees take a third of the time of rows and tell more. */
    bound_trees(s, p, k.cut.cols * m->cell_w, k.cut.rows * m->cell_h, &k);
    if (hopeless(s, &k, 1, NULL)) {
        return;
    }
    ww__mat_rows(m, &k.cut, s->memo, &k.rows);
    if (hopeless(s, &k, 1, &k.rows.mat)) {
        return;
    }
    bound_trees(s, p, k.rows.mat.sub_w + k.rows.decoders_w, k.rows.mat.sub_h, &k);
    if (hopeless(s, &k, 1, &k.rows.mat)) {
        return;
    }
    double mats_h = p->ndwl > 1 ? p->ndwl / 2 : 1;
    memset(k.have, 0, sizeof k.have);
    /* The degree of multiplexing decides how many mats are active, and with it most of the energy.
     */
    bool any = false;
    for (uint32_t degree = 1; degree <= MAX_DEGREE; degree *= 2) {
        uint32_t planned;
        uint32_t cols = ww__org_padded(s->site, p, k.cut.per_mat, degree, &planned);
        double from_mat = fmax(floor(k.bits / degree), 1);
        double active = planned > 0 ? planned : floor(s->wanted / from_mat);
        if (active < 1) {
            continue;
        }
        bound_address(s, degree, fmax(active, 1), &k);
        if (active > mats_h) {
            break;
        }
        any = true;
        if (hopeless(s, &k, active, &k.rows.mat)) {
            continue;
        }
        cols = ww__org_with_ecc(s->site, cols);
        if (cols == k.cut.cols) {
            try_degree(s, p, &k, degree, active);
        } else {
            cut_state wide;
            widen(s, &k, cols, &wide);
            try_degree(s, p, &wide, degree, active);
        }
    }
    if (!any) {
        s->faults->count[WW_ORG_TOO_WIDE]++;
    }
}

/* Too many cuts for the words; ours may fill up sub-arrays to their least height, but to less than
 * twice the array. */
static bool too_few_words(const ww_org_site *site, double cuts)
{
    if (!site->mat.faults->rows_stay_short) {
        return cuts > 1 && cuts * site->min_rows >= 2 * site->sets;
    }
    return ceil(site->sets / cuts) < site->min_rows;
}

/* Cuts to look at, those first whose bounds promise most: a good array found early lets the search
 * skip nearly all of the rest. */
typedef struct candidates {
    size_t count;
    struct candidate {
        ww_array_partition partition;
        double bound;
        size_t order; /* of enumeration: between equal bounds the first goes first */
    } list[MAX_CANDIDATES];
} candidates;

static int by_bound(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->bound != y->bound) {
        return x->bound < y->bound ? -1 : 1;
    }
    return (x->order > y->order) - (x->order < y->order);
}

/* Where minima are gathered, no cost orders the cuts yet: speed alone does. */
static double rank_of(const pass *s, const cut_state *k)
{
    ww_metrics b = bound_of(s, k, 1, NULL);
    static const ww_array_objective SPEED = {.goal = WW_GOAL_ED2};
    return cost_of(s->minima ? &SPEED : s->objective, &b, &s->least);
}

static void collect(pass *s, candidates *all)
{
    const ww_org_site *site = s->site;
    double nspd_min = site->tag_ways > 0 ? 0.125 : site->out_bits * site->ways / site->set_bits;
    all->count = 0;
    for (double nspd = fmin(nspd_min, 1); nspd <= MAX_SETS_PER_ROW; nspd *= 2) {
        for (uint32_t ndwl = site->min_cut; ndwl <= MAX_CUTS; ndwl *= 2) {
            if (site->set_bits * nspd / ndwl < 1) {
                break;
            }
            for (uint32_t ndbl = site->min_cut; ndbl <= MAX_CUTS; ndbl *= 2) {
                if (too_few_words(site, ndbl * nspd)) {
                    s->faults->count[WW_ORG_FEW_ROWS]++;
                    break;
                }
                struct candidate c = {.partition = {.ndwl = ndwl, .ndbl = ndbl, .nspd = nspd},
                                      .order = all->count};
                cut_state k;
                if (all->count < MAX_CANDIDATES && prepare_cut(s, &c.partition, &k)) {
                    c.bound = rank_of(s, &k);
                    all->list[all->count++] = c;
                }
            }
        }
    }
    qsort(all->list, all->count, sizeof all->list[0], by_bound);
}

static void run(pass *s)
{
    candidates all;
    collect(s, &all);
    for (size_t i = 0; i < all.count; i++) {
        if (!s->minima && s->found && !s->objective->exhaustive &&
            all.list[i].bound >= s->best_cost) {
            break;
        }
        try_cut(s, &all.list[i].partition);
    }
}

bool ww__search(const ww_org_site *site, const ww_array_objective *objective,
                const ww_companion *companion, ww_org *best, ww_search_faults *faults)
{
    ww_mat_memo memo = {0};
    pass s = {.site = site,
              .objective = objective,
              .companion = companion,
              .best = best,
              .faults = faults,
              .memo = &memo,
              .wanted = ww__org_wanted(site),
              .swing = ww__swing_constants(site->mat.n),
              .slack = site->mat.faults->part_of_the_tags ? 1 : 0,
              .least = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    if (objective->goal == WW_GOAL_WEIGHTED) {
        s.minima = true;
        run(&s);
        s.minima = false;
    }
    run(&s);
    return s.found;
}
