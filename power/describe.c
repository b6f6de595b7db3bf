/* describe.c - prints a power model as a tree. */
#include <inttypes.h>
#include <math.h>

#include "power/component.h"

static void put_structure(const ww_power_structure *s, ww_str *out)
{
    ww_str_addf(out, "%*s%s", (int)(2 * s->depth), "", s->name);
    if (s->depth > 0) {
        ww_str_addf(out, "  x%" PRIu32 ", %.4g mm2, %.4g mW leakage", s->instances,
                    s->area_m2 * 1e6, s->leakage_w * 1e3);
        if (s->leakage_factor < 1 || s->leakage_factor > 1) {
            ww_str_addf(out, " (model x %.4g)", s->leakage_factor);
        }
    }
    ww_str_addf(out, "  [%s]\n", s->source);
}

static void put_event(const ww_power_event *e, uint32_t depth, ww_str *out)
{
    ww_str_addf(out, "%*s- %s: ", (int)(2 * depth), "", e->name);
    if (e->per == WW_POWER_PER_COUNT) {
        ww_str_addf(out, "%.4g pJ", e->value * 1e12);
    } else {
        ww_str_addf(out, "%.4g W", e->value);
    }
    if (e->factor < 1 || e->factor > 1) {
        ww_str_addf(out, " (%.4g x %.4g)",
                    e->per == WW_POWER_PER_COUNT ? e->model * 1e12 : e->model, e->factor);
    }
    ww_str_add(out, e->per == WW_POWER_PER_COUNT ? " per " : " while ");
    for (size_t i = 0; i < e->terms; i++) {
        ww_str_add(out, i == 0 ? "" : e->weight[i] < 0 ? " - " : " + ");
        if (fabs(e->weight[i]) < 1 || fabs(e->weight[i]) > 1) {
            ww_str_addf(out, "%.4g ", fabs(e->weight[i]));
        }
        ww_str_add(out, ww_counter_describe(e->counter[i])->name);
    }
    ww_str_addf(out, "  [%s]\n", e->source);
}

void ww_power_describe(const ww_power_model *model, ww_str *out)
{
    size_t next = 0;
    for (size_t i = 0; i < model->structure_count; i++) {
        const ww_power_structure *s = &model->structures[i];
        put_structure(s, out);
        for (; next < model->event_count && model->events[next].structure == i; next++) {
            put_event(&model->events[next], s->depth + 1, out);
        }
    }
    ww_str_addf(out, "static power %.4g W  [%s]\n", model->static_w, model->static_source);
}
