/* search.c - enumerates partitions and keeps the best. */
#include "tech/search.h"

#include <math.h>

enum {
    MAX_CUTS = 512, /* Ndwl, Ndbl */
    MAX_MUX = 256,
    MAX_SETS_PER_ROW = 256
};

ww_metrics ww__metrics(const ww_org *o, const ww_companion *c)
{
    const ww_array_part *p = &o->part;
    ww_metrics m = {p->access_s, p->read_j, p->leak_w, p->cycle_s, p->area_m2};
    if (c->tag == NULL) {
        return m;
    }
    const ww_array_part *t = &c->tag->part;
    double tag_s = t->access_s + t->time.compare;
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

/* Minima that a weighted objective divides by. */
static double cost_of(const ww_array_objective *w, const ww_metrics *m, const ww_metrics *least)
{
    switch (w->goal) {
    case WW_GOAL_ED:
        return m->read_j * m->access_s;
    case WW_GOAL_WEIGHTED:
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
    ww_org *best;
    ww_search_faults *faults;
} pass;

static void try_partition(pass *s, const ww_array_partition *p)
{
    ww_org o;
    ww_org_fault fault = ww__organise(s->site, p, &o);
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
    double cost = cost_of(s->objective, &m, &s->least);
    if (!s->found || cost < s->best_cost) {
        s->found = true;
        s->best_cost = cost;
        *s->best = o;
    }
}

/* Multiplexer degrees for one cut into sub-arrays. */
static void try_muxes(pass *s, ww_array_partition *p)
{
    for (p->ndcm = 1; p->ndcm <= MAX_MUX; p->ndcm *= 2) {
        for (p->nsam1 = 1; p->nsam1 <= MAX_MUX; p->nsam1 *= 2) {
            for (p->nsam2 = 1; p->nsam2 <= MAX_MUX; p->nsam2 *= 2) {
                try_partition(s, p);
            }
        }
    }
}

static void run(pass *s)
{
    const ww_org_site *site = s->site;
    double nspd_min = site->tag_ways > 0 ? 0.125 : site->out_bits * site->ways / site->set_bits;
    for (double nspd = fmin(nspd_min, 1); nspd <= MAX_SETS_PER_ROW; nspd *= 2) {
        for (uint32_t ndwl = site->min_cut; ndwl <= MAX_CUTS; ndwl *= 2) {
            if (site->set_bits * nspd / ndwl < 1) {
                break;
            }
            for (uint32_t ndbl = site->min_cut; ndbl <= MAX_CUTS; ndbl *= 2) {
                if (ceil(site->sets / (ndbl * nspd)) < site->min_rows) {
                    s->faults->count[WW_ORG_FEW_ROWS]++;
                    break;
                }
                ww_array_partition p = {.ndwl = ndwl, .ndbl = ndbl, .nspd = nspd};
                try_muxes(s, &p);
            }
        }
    }
}

bool ww__search(const ww_org_site *site, const ww_array_objective *objective,
                const ww_companion *companion, ww_org *best, ww_search_faults *faults)
{
    pass s = {.site = site,
              .objective = objective,
              .companion = companion,
              .best = best,
              .faults = faults,
              .least = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    if (objective->goal == WW_GOAL_WEIGHTED) {
        s.minima = true;
        run(&s);
        s.minima = false;
    }
    run(&s);
    return s.found;
}
