/* floorplan.c - see floorplan.h. */
#include "power/floorplan.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "power/component.h"

/* Of edges that meet, and of what tiles leave of a die: a floorplan file's six digits. */
static const double close = 1e-6;

/* ---- layout ---- */

/* Areas of the parts of a die. */
typedef struct parts {
    double of_sm_m2[WW_COMPONENT_COUNT]; /* of one SM */
    double l2_m2, noc_m2, mc_m2, rest_m2;
    double sm_m2, all_m2;
    uint32_t sms;
} parts;

static double *chip_part(parts *p, ww_component component)
{
    switch ((int)component) {
    case WW_COMPONENT_LDSTU:
        return &p->l2_m2;
    case WW_COMPONENT_NOC:
        return &p->noc_m2;
    case WW_COMPONENT_MC:
        return &p->mc_m2;
    default:
        return &p->rest_m2;
    }
}

static parts parts_of(const ww_power_model *model)
{
    parts p = {.sms = model->shape[WW_SCOPE_SM]};
    WW_ASSERT(p.sms > 0);
    for (size_t i = 0; i < model->structure_count; i++) {
        const ww_power_structure *s = &model->structures[i];
        if (s->in_sm) {
            p.of_sm_m2[s->component] += s->area_m2 / p.sms;
            p.sm_m2 += s->area_m2 / p.sms;
        } else {
            *chip_part(&p, s->component) += s->area_m2;
        }
        p.all_m2 += s->area_m2;
    }
    return p;
}

/* A floorplan in the making, from the bottom upwards. */
typedef struct laying {
    ww_floorplan *plan;
    const parts *parts;
    double y_m; /* that is laid so far */
} laying;

/* Strips across the die, and the components of each SM. */
static size_t most_tiles(const parts *p)
{
    enum { STRIPS = 5 };
    return (size_t)p->sms * WW_COMPONENT_COUNT + STRIPS;
}

static ww_tile *add(laying *l, double x_m, double width_m, double height_m)
{
    WW_ASSERT(l->plan->count < most_tiles(l->parts) && width_m > 0 && height_m > 0);
    ww_tile *tile = &l->plan->tile[l->plan->count++];
    *tile = (ww_tile){.x_m = x_m,
                      .y_m = l->y_m,
                      .width_m = width_m,
                      .height_m = height_m,
                      .component = WW_COMPONENT_COUNT,
                      .sm = WW_TILE_CHIP};
    return tile;
}

static void add_strip(laying *l, const char *name, double area_m2)
{
    if (area_m2 > 0) {
        double height_m = area_m2 / l->plan->width_m;
        ww_tile *tile = add(l, 0, l->plan->width_m, height_m);
        snprintf(tile->name, sizeof tile->name, "%s", name);
        l->y_m += height_m;
    }
}

static void add_sm(laying *l, uint32_t sm, double x_m, double width_m, double height_m)
{
    double done_m2 = 0;
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        double area_m2 = l->parts->of_sm_m2[c];
        if (area_m2 > 0) {
            ww_tile *tile = add(l, x_m + width_m * (done_m2 / l->parts->sm_m2),
                                width_m * (area_m2 / l->parts->sm_m2), height_m);
            snprintf(tile->name, sizeof tile->name, "sm%u.%s", sm,
                     ww_component_name((ww_component)c));
            for (char *at = tile->name; *at != '\0'; at++) {
                *at = (char)tolower((unsigned char)*at);
            }
            tile->component = (ww_component)c;
            tile->sm = sm;
            done_m2 += area_m2;
        }
    }
}

/* Rows first..last of all rows of SMs, each as high as its SMs need. */
static void add_rows(laying *l, uint32_t rows, uint32_t first, uint32_t last)
{
    const parts *p = l->parts;
    for (uint32_t row = first; row < last; row++) {
        uint32_t from = (uint32_t)((uint64_t)p->sms * row / rows);
        uint32_t to = (uint32_t)((uint64_t)p->sms * (row + 1) / rows);
        uint32_t in_row = to - from;
        double width_m = l->plan->width_m / in_row, height_m = p->sm_m2 / width_m;
        for (uint32_t i = 0; i < in_row; i++) {
            add_sm(l, from + i, width_m * i, width_m, height_m);
        }
        l->y_m += height_m;
    }
}

ww_status ww_floorplan_of(const ww_power_model *model, ww_floorplan *out, ww_error *err)
{
    const parts p = parts_of(model);
    ww_floorplan plan = {0};
    laying l = {.plan = &plan, .parts = &p};
    if (!(p.all_m2 > 0 && p.sm_m2 > 0)) {
        return ww_fail(err, WW_ERANGE, "floorplan: the model has no area on the die");
    }
    plan.tile = WW_NEW_ARRAY(ww_tile, most_tiles(&p));
    if (plan.tile == NULL) {
        return ww_no_memory(err);
    }
    plan.width_m = plan.height_m = sqrt(p.all_m2);
    /* rows x (width / side of a square SM) = SMs */
    double square = p.sms * sqrt(p.sm_m2) / plan.width_m;
    uint32_t rows = (uint32_t)fmin(fmax(round(square), 1), p.sms);
    add_strip(&l, "mc0", p.mc_m2 / 2);
    add_rows(&l, rows, 0, rows / 2);
    add_strip(&l, "l2", p.l2_m2);
    add_strip(&l, "noc", p.noc_m2);
    add_rows(&l, rows, rows / 2, rows);
    add_strip(&l, "mc1", p.mc_m2 / 2);
    add_strip(&l, "rest", p.rest_m2);
    *out = plan;
    return WW_OK;
}

void ww_floorplan_fini(ww_floorplan *plan)
{
    ww_free(plan->tile);
    *plan = (ww_floorplan){0};
}

/* ---- check ---- */

static bool has_size(const ww_tile *t)
{
    return isfinite(t->x_m) && isfinite(t->y_m) && isfinite(t->width_m) && isfinite(t->height_m) &&
           t->width_m > 0 && t->height_m > 0;
}

static int by_left_edge(const void *a, const void *b)
{
    const ww_tile *const *left = a, *const *right = b;
    double x = (*left)->x_m, y = (*right)->x_m;
    return x != y ? (x > y) - (x < y) : (*left > *right) - (*left < *right);
}

/* How far two intervals lie over each other. */
static double over(double a, double a_size, double b, double b_size)
{
    return fmin(a + a_size, b + b_size) - fmax(a, b);
}

static ww_status check_overlaps(const ww_floorplan *plan, const ww_tile **sorted, double near_m,
                                const char *file, ww_error *err)
{
    for (size_t i = 0; i < plan->count; i++) {
        sorted[i] = &plan->tile[i];
    }
    qsort(sorted, plan->count, sizeof(const ww_tile *), by_left_edge);
    for (size_t i = 0; i < plan->count; i++) {
        const ww_tile *a = sorted[i];
        for (size_t k = i + 1; k < plan->count && sorted[k]->x_m < a->x_m + a->width_m - near_m;
             k++) {
            const ww_tile *b = sorted[k];
            if (over(a->y_m, a->height_m, b->y_m, b->height_m) > near_m &&
                over(a->x_m, a->width_m, b->x_m, b->width_m) > near_m) {
                const ww_tile *later = a->line > b->line ? a : b, *other = later == a ? b : a;
                return ww_fail_at(err, WW_ERANGE, file, later->line, 0, "'%s' lies over '%s'",
                                  later->name, other->name);
            }
        }
    }
    return WW_OK;
}

ww_status ww_floorplan_check(const ww_floorplan *plan, const char *file, ww_error *err)
{
    double left = INFINITY, bottom = INFINITY, right = -INFINITY, top = -INFINITY, area_m2 = 0;
    for (size_t i = 0; i < plan->count; i++) {
        const ww_tile *t = &plan->tile[i];
        if (!has_size(t)) {
            return ww_fail_at(err, WW_ERANGE, file, t->line, 0,
                              "'%s' is %g m wide and %g m high, at %g m and %g m: a block has a "
                              "width and a height above 0",
                              t->name, t->width_m, t->height_m, t->x_m, t->y_m);
        }
        left = fmin(left, t->x_m);
        bottom = fmin(bottom, t->y_m);
        right = fmax(right, t->x_m + t->width_m);
        top = fmax(top, t->y_m + t->height_m);
        area_m2 += t->width_m * t->height_m;
    }
    const ww_tile **sorted = WW_NEW_ARRAY(const ww_tile *, plan->count);
    if (sorted == NULL) {
        return ww_no_memory(err);
    }
    ww_status status =
        check_overlaps(plan, sorted, close * fmin(right - left, top - bottom), file, err);
    ww_free(sorted);
    WW_TRY(status);
    double die_m2 = (right - left) * (top - bottom);
    if (!(fabs(area_m2 - die_m2) <= close * die_m2)) {
        return ww_fail_at(err, WW_ERANGE, file, 0, 0,
                          "blocks cover %.6g mm2 of the %.6g mm2 from edge to edge: a die has no "
                          "gaps",
                          area_m2 * 1e6, die_m2 * 1e6);
    }
    return WW_OK;
}
