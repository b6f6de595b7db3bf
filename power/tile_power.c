/* tile_power.c - energy by place: every event where its counter counts, leakage where its structure
 * lies. See floorplan.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "power/component.h"
#include "power/floorplan.h"

/* Where tiles of a kind are. */
typedef struct places {
    const ww_floorplan *plan;
    const ww_power_model *model;
    size_t *of_sm; /* [sm * WW_COMPONENT_COUNT + component]; the tiles' count: none */
    size_t l2, noc, mc[2], rest;
    double *tile_j;
    double off_die_j, whole_die_j, all_sms_j; /* the last two: still to be spread by area */
    double *sm_j;                             /* [sm] likewise */
    const ww_counter_set *shares; /* of the launch, by which sums are dealt out; NULL: counts are
                                     each instance's own */
} places;

static size_t find(const ww_floorplan *plan, const char *name)
{
    size_t i = 0;
    while (i < plan->count && strcmp(plan->tile[i].name, name) != 0) {
        i++;
    }
    return i;
}

static ww_status find_places(places *p, ww_error *err)
{
    const uint32_t sms = p->model->shape[WW_SCOPE_SM];
    p->of_sm = WW_NEW_ARRAY(size_t, (size_t)sms * WW_COMPONENT_COUNT);
    p->sm_j = WW_NEW_ARRAY(double, sms);
    if (p->of_sm == NULL || p->sm_j == NULL) {
        return ww_no_memory(err);
    }
    for (size_t i = 0; i < (size_t)sms * WW_COMPONENT_COUNT; i++) {
        p->of_sm[i] = p->plan->count;
    }
    for (size_t i = 0; i < p->plan->count; i++) {
        const ww_tile *t = &p->plan->tile[i];
        if (t->sm != WW_TILE_CHIP) {
            WW_ASSERT(t->sm < sms && t->component < WW_COMPONENT_COUNT);
            p->of_sm[t->sm * (size_t)WW_COMPONENT_COUNT + t->component] = i;
        }
    }
    p->l2 = find(p->plan, "l2");
    p->noc = find(p->plan, "noc");
    p->mc[0] = find(p->plan, "mc0");
    p->mc[1] = find(p->plan, "mc1");
    p->rest = find(p->plan, "rest");
    return WW_OK;
}

static void put(places *p, size_t tile, double j)
{
    if (tile < p->plan->count) {
        p->tile_j[tile] += j;
    } else {
        p->whole_die_j += j;
    }
}

static void put_in_sm(places *p, uint32_t sm, ww_component component, double j)
{
    size_t tile = p->of_sm[sm * (size_t)WW_COMPONENT_COUNT + component];
    if (tile < p->plan->count) {
        p->tile_j[tile] += j;
    } else {
        p->sm_j[sm] += j;
    }
}

/* half: of the controllers; 2: both alike */
static void put_on_chip(places *p, ww_component component, unsigned half, double j)
{
    switch ((int)component) {
    case WW_COMPONENT_GM:
        p->off_die_j += j;
        break;
    case WW_COMPONENT_LDSTU:
        put(p, p->l2, j);
        break;
    case WW_COMPONENT_NOC:
        put(p, p->noc, j);
        break;
    case WW_COMPONENT_CP: /* clusters of SMs have no structure of their own */
        p->all_sms_j += j;
        break;
    case WW_COMPONENT_MC:
        for (unsigned i = 0; i < 2; i++) {
            put(p, p->mc[i], half == 2 ? j / 2 : half == i ? j : 0);
        }
        break;
    default:
        put(p, p->rest, j);
        break;
    }
}

/* What one instance counted. */
static double count_of(const places *p, const ww_counter_set *counters, ww_scope scope, uint32_t i,
                       ww_counter counter)
{
    double own = (double)counters->block[scope][i].v[counter];
    if (p->shares == NULL) {
        return own;
    }
    double total = (double)ww_counter_total(counters, counter);
    double of = (double)ww_counter_total(p->shares, counter);
    return of > 0 ? total * ((double)p->shares->block[scope][i].v[counter] / of) : own;
}

/* One counter's part of an event. */
static void put_term(places *p, const ww_power_event *e, size_t term, const ww_launch_record *at)
{
    const ww_power_model *model = p->model;
    const ww_scope scope = ww_counter_describe(e->counter[term])->scope;
    const bool in_sm = model->structures[e->structure].in_sm;
    const uint32_t sms = model->shape[WW_SCOPE_SM], instances = at->counters->count[scope];
    for (uint32_t i = 0; i < instances; i++) {
        double count = count_of(p, at->counters, scope, i, e->counter[term]);
        double j = ww__event_j_of(e, e->weight[term] * count, at);
        if (j == 0) {
            continue;
        }
        if (!in_sm) {
            unsigned half = scope == WW_SCOPE_CHANNEL ? 2 * i / instances : 2;
            put_on_chip(p, e->component, half, j);
        } else if (scope == WW_SCOPE_SM) {
            put_in_sm(p, i, e->component, j);
        } else {
            for (uint32_t sm = 0; sm < sms; sm++) {
                put_in_sm(p, sm, e->component, j / sms);
            }
        }
    }
}

/* The constant power: what leaks or is clocked does so all over the die; fans and regulators lie
 * beside it. */
static void put_constant(places *p, const ww_power_structure *s, double j)
{
    const ww__die *die = &p->model->die;
    double on_die_w = die->leaks_w * die->supply.leakage + die->voltage_w * die->supply.voltage +
                      die->clocks_w * die->supply.clock;
    double share = s->leakage_w > 0 ? fmin(fmax(on_die_w / s->leakage_w, 0), 1) : 0;
    p->whole_die_j += share * j;
    p->off_die_j += (1 - share) * j;
}

static void put_leakage(places *p, const ww_launch_record *at)
{
    const ww_power_model *model = p->model;
    const uint32_t sms = model->shape[WW_SCOPE_SM];
    for (size_t i = 0; i < model->structure_count; i++) {
        const ww_power_structure *s = &model->structures[i];
        double j = ww_power_leakage_j(model, s, at);
        if (i == model->constant) {
            put_constant(p, s, j);
        } else if (!s->in_sm) {
            put_on_chip(p, s->component, 2, j);
        } else {
            for (uint32_t sm = 0; j != 0 && sm < sms; sm++) {
                put_in_sm(p, sm, s->component, j / sms);
            }
        }
    }
}

/* What has no tile of its own: of an SM over its tiles, of all SMs over theirs, of the die over
 * all, in proportion to their areas. */
static void spread(places *p)
{
    const ww_floorplan *plan = p->plan;
    const uint32_t sms = p->model->shape[WW_SCOPE_SM];
    double in_sms_m2 = 0, all_m2 = 0;
    for (size_t i = 0; i < plan->count; i++) {
        double area_m2 = plan->tile[i].width_m * plan->tile[i].height_m;
        all_m2 += area_m2;
        in_sms_m2 += plan->tile[i].sm != WW_TILE_CHIP ? area_m2 : 0;
    }
    for (size_t i = 0; i < plan->count; i++) {
        const ww_tile *t = &plan->tile[i];
        double area_m2 = t->width_m * t->height_m;
        p->tile_j[i] += p->whole_die_j * (area_m2 / all_m2);
        if (t->sm != WW_TILE_CHIP) { /* SMs are alike */
            p->tile_j[i] += p->sm_j[t->sm] * (area_m2 / (in_sms_m2 / sms)) +
                            p->all_sms_j * (area_m2 / in_sms_m2);
        }
    }
}

static void gather(places *p, const ww_launch_record *at)
{
    for (size_t i = 0; i < p->model->event_count; i++) {
        for (size_t t = 0; t < p->model->events[i].terms; t++) {
            put_term(p, &p->model->events[i], t, at);
        }
    }
    put_leakage(p, at);
    spread(p);
}

/* A launch whose clock moved is the sum of its intervals. */
static ww_status sum_intervals(const ww_power_model *model, const ww_floorplan *plan,
                               const ww_stretch *whole, double *tile_j, double *off_die_j,
                               ww_error *err)
{
    const ww_launch_record *launch = whole->launch;
    ww_status status = WW_OK;
    double *one_j = WW_NEW_ARRAY(double, plan->count), off_j, sum_j = 0;
    if (one_j == NULL) {
        return ww_no_memory(err);
    }
    memset(tile_j, 0, plan->count * sizeof *tile_j);
    for (size_t i = 0; status == WW_OK && i < launch->interval_count; i++) {
        ww_stretch one = *whole;
        one.interval = &launch->intervals[i];
        status = ww_floorplan_energy(model, plan, &one, one_j, &off_j, err);
        for (size_t t = 0; status == WW_OK && t < plan->count; t++) {
            tile_j[t] += one_j[t];
        }
        sum_j += status == WW_OK ? off_j : 0;
    }
    *off_die_j = sum_j;
    ww_free(one_j);
    return status;
}

/* A stretch as a launch of its own. */
static ww_launch_record alone(const ww_stretch *stretch)
{
    ww_launch_record at = *stretch->launch;
    if (stretch->interval != NULL) {
        at.counters = &stretch->interval->counters;
        at.core_hz = ww_interval_hz(stretch->launch, stretch->interval);
        at.intervals = stretch->interval;
        at.interval_count = 1;
    }
    return at;
}

ww_status ww_floorplan_energy(const ww_power_model *model, const ww_floorplan *plan,
                              const ww_stretch *stretch, double *tile_j, double *off_die_j,
                              ww_error *err)
{
    if (stretch->interval == NULL && ww_launch_varies(stretch->launch)) {
        return sum_intervals(model, plan, stretch, tile_j, off_die_j, err);
    }
    const ww_launch_record at = alone(stretch);
    places p = {.plan = plan, .model = model, .tile_j = tile_j};
    p.shares = stretch->interval != NULL && stretch->totals ? stretch->launch->counters : NULL;
    ww_power_result whole;
    WW_TRY(ww_power_evaluate(model, at.counters, &at, &whole, err));
    ww_status status = find_places(&p, err);
    if (status == WW_OK) {
        memset(tile_j, 0, plan->count * sizeof *tile_j);
        gather(&p, &at);
        *off_die_j = p.off_die_j;
    }
    ww_free(p.of_sm);
    ww_free(p.sm_j);
    return status;
}
