/* power.c - evaluation of a power model on counters. */
#include "power/power.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "power/component.h"

static const struct {
    const char *name, *meaning;
} components[WW_COMPONENT_COUNT] = {
#define X(id, name, doc) {name, doc},
    WW_COMPONENTS(X)
#undef X
};

const char *ww_component_name(ww_component component)
{
    return components[component].name;
}

const char *ww_component_meaning(ww_component component)
{
    return components[component].meaning;
}

static const struct {
    const char *key, *meaning;
} groups[WW_GROUP_COUNT] = {
#define X(id, key, meaning) {key, meaning},
    WW_POWER_GROUPS(X)
#undef X
};

const char *ww_power_group_key(ww_power_group group)
{
    WW_ASSERT(group < WW_GROUP_COUNT);
    return groups[group].key;
}

const char *ww_power_group_meaning(ww_power_group group)
{
    WW_ASSERT(group < WW_GROUP_COUNT);
    return groups[group].meaning;
}

void ww_power_model_destroy(ww_power_model *model)
{
    if (model != NULL) {
        ww_free(model->structures);
        ww_free(model->events);
        ww_arena_fini(&model->arena);
        ww_free(model);
    }
}

const ww_power_structure *ww_power_structures(const ww_power_model *model, size_t *count)
{
    *count = model->structure_count;
    return model->structures;
}

const ww_power_event *ww_power_events(const ww_power_model *model, size_t *count)
{
    *count = model->event_count;
    return model->events;
}

unsigned ww_power_consumers(const ww_power_model *model, ww_counter counter)
{
    WW_ASSERT(counter < WW_COUNTER_COUNT);
    return model->consumers[counter];
}

bool ww_power_has(const ww_power_model *model, ww_component component)
{
    for (size_t i = 0; i < model->structure_count; i++) {
        if (model->structures[i].component == component) {
            return true;
        }
    }
    return false;
}

double ww_power_area(const ww_power_model *model, ww_component component)
{
    double area_m2 = 0;
    for (size_t i = 0; i < model->structure_count; i++) {
        if (model->structures[i].component == component) {
            area_m2 += model->structures[i].area_m2;
        }
    }
    return area_m2;
}

double ww_power_modelled_m2(const ww_power_model *model)
{
    double area_m2 = 0;
    for (size_t i = 0; i < model->structure_count; i++) {
        bool rest = model->structures[i].area_kind == WW_AREA_REST;
        area_m2 += rest ? 0 : model->structures[i].area_m2;
    }
    return area_m2;
}

const char *ww_area_kind_name(ww_area_kind kind)
{
    static const char *const names[] = {
#define X(id, name, doc) name,
        WW_AREA_KIND_MAP(X)
#undef X
    };
    return kind < WW_AREA_KINDS ? names[kind] : "?";
}

double ww_power_area_of(const ww_power_model *model, ww_component component, ww_area_kind kind)
{
    double area_m2 = 0;
    for (size_t i = 0; i < model->structure_count; i++) {
        const ww_power_structure *s = &model->structures[i];
        area_m2 += s->component == component && s->area_kind == kind ? s->area_m2 : 0;
    }
    return area_m2;
}

double ww_power_sm_m2(const ww_power_model *model)
{
    double area_m2 = 0;
    for (size_t i = 0; i < model->structure_count; i++) {
        const ww_power_structure *s = &model->structures[i];
        area_m2 += s->in_sm && s->component != WW_COMPONENT_MECH ? s->area_m2 : 0;
    }
    WW_ASSERT(model->shape[WW_SCOPE_SM] > 0);
    return area_m2 / model->shape[WW_SCOPE_SM];
}

double ww_power_static_w(const ww_power_model *model)
{
    return model->static_w;
}

const char *ww_power_static_source(const ww_power_model *model)
{
    return model->static_source;
}

double ww_power_event_count(const ww_power_event *event, const ww_counter_set *counters)
{
    WW_ASSERT(event->terms > 0 && event->terms <= WW_POWER_TERMS);
    double count = 0;
    for (size_t i = 0; i < event->terms; i++) {
        count += event->weight[i] * (double)ww_counter_total(counters, event->counter[i]);
    }
    return count;
}

static double joules(const ww_power_event *event, double count, double core_hz,
                     const ww_launch_record *launch)
{
    switch (event->per) {
    case WW_POWER_PER_CORE_CYCLE: {
        double scale =
            event->reference_dram_hz > 0 ? launch->dram_hz / event->reference_dram_hz : 1;
        WW_ASSERT(core_hz > 0);
        return event->value * scale * (count / core_hz);
    }
    case WW_POWER_PER_DRAM_CYCLE:
        WW_ASSERT(launch->dram_hz > 0);
        return event->value * (count / launch->dram_hz);
    case WW_POWER_PER_COUNT:
        break;
    }
    return event->value * count;
}

/* Square of the voltage that an interval ran at over the launch's, for circuits on the die. */
static double over_voltage(const ww_power_event *event, const ww_launch_record *launch,
                           const ww_interval *interval)
{
    bool on_die = event->component != WW_COMPONENT_GM && event->group != WW_GROUP_STANDBY;
    double over = on_die ? interval->at.vdd_v / launch->vdd_v : 1;
    return over * over;
}

double ww_power_event_j(const ww_power_event *event, const ww_counter_set *counters,
                        const ww_launch_record *launch)
{
    if (!ww__varies(counters, launch)) {
        return joules(event, ww_power_event_count(event, counters), launch->core_hz, launch);
    }
    double sum_j = 0;
    for (size_t i = 0; i < launch->interval_count; i++) {
        const ww_interval *interval = &launch->intervals[i];
        sum_j += over_voltage(event, launch, interval) *
                 joules(event, ww_power_event_count(event, &interval->counters),
                        interval->at.core_hz, launch);
    }
    return sum_j;
}

double ww__event_j_of(const ww_power_event *event, double count, const ww_launch_record *launch)
{
    WW_ASSERT(!ww_launch_varies(launch) || launch->interval_count == 1);
    double over = ww_launch_varies(launch) ? over_voltage(event, launch, &launch->intervals[0]) : 1;
    return over * joules(event, count, launch->core_hz, launch);
}

bool ww_power_values_j(const ww_power_model *model, const ww_counter_set *counters,
                       const ww_launch_record *launch, double *out)
{
    bool compared = false;
    *out = 0;
    for (size_t i = 0; i < model->event_count; i++) {
        const ww_power_event *e = &model->events[i];
        if (e->values) {
            compared = compared || ww_counter_total(counters, e->counter[e->terms - 1]) > 0;
            *out += ww_power_event_j(e, counters, launch);
        }
    }
    return compared;
}

double ww_power_idle_w(const ww_power_model *model, double dram_hz)
{
    const ww_launch_record second = {.core_hz = 1, .dram_hz = dram_hz}; /* of one cycle */
    double idle_w = model->static_w;
    for (size_t i = 0; i < model->event_count; i++) {
        const ww_power_event *e = &model->events[i];
        bool always = e->per == WW_POWER_PER_CORE_CYCLE && e->counter[0] == WW_C_CORE_CYCLES;
        idle_w += always ? joules(e, 1, second.core_hz, &second) : 0;
    }
    return idle_w;
}

static ww_status check_inputs(const ww_power_model *model, const ww_counter_set *counters,
                              const ww_launch_record *launch, ww_error *err)
{
    if (memcmp(model->shape, counters->count, sizeof model->shape) != 0) {
        return ww_fail(
            err, WW_ERANGE,
            "activity of %u SMs, %u L2 slices, %u channels does not fit the GPU with %u, %u, %u",
            counters->count[WW_SCOPE_SM], counters->count[WW_SCOPE_SLICE],
            counters->count[WW_SCOPE_CHANNEL], model->shape[WW_SCOPE_SM],
            model->shape[WW_SCOPE_SLICE], model->shape[WW_SCOPE_CHANNEL]);
    }
    if (!(launch->core_hz > 0 && isfinite(launch->core_hz) && launch->dram_hz > 0 &&
          isfinite(launch->dram_hz))) {
        return ww_fail(err, WW_ENUMERIC, "clocks of %g Hz (core) and %g Hz (DRAM) are not positive",
                       launch->core_hz, launch->dram_hz);
    }
    if (ww_counter_total(counters, WW_C_CORE_CYCLES) == 0) {
        return ww_fail(err, WW_ENUMERIC, "no core cycle passed: power is undefined");
    }
    return WW_OK;
}

static void add_events(const ww_power_model *model, const ww_counter_set *counters,
                       const ww_launch_record *launch, ww_power_result *r)
{
    for (size_t i = 0; i < model->event_count; i++) {
        const ww_power_event *event = &model->events[i];
        double energy_j = ww_power_event_j(event, counters, launch);
        WW_ASSERT(event->component < WW_COMPONENT_COUNT &&
                  event->structure < model->structure_count);
        ww_power_share *share = &r->component[event->component];
        if (event->kind == WW_POWER_EVENT) {
            share->event_j += energy_j;
        } else {
            share->background_j += energy_j;
        }
    }
}

static double leakage_j(const ww_power_model *model, ww_component component, ww__leakage seconds)
{
    double sum_j = model->component_leakage_w[component] * seconds.die;
    const ww_power_structure *constant =
        model->constant < model->structure_count ? &model->structures[model->constant] : NULL;
    if (constant != NULL && constant->component == component) {
        sum_j += constant->leakage_w * (seconds.constant - seconds.die);
    }
    return sum_j;
}

ww_status ww_power_evaluate(const ww_power_model *model, const ww_counter_set *counters,
                            const ww_launch_record *launch, ww_power_result *out, ww_error *err)
{
    WW_TRY(check_inputs(model, counters, launch, err));
    ww_power_result r = {
        .time_s = (double)ww_counter_total(counters, WW_C_CORE_CYCLES) / launch->core_hz,
        .static_w = model->static_w,
    };
    WW_ASSERT(r.time_s > 0);
    const bool varies = ww__varies(counters, launch);
    const ww__leakage leaking_s = ww__leaking_s(model, counters, launch);
    add_events(model, counters, launch, &r);
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        ww_power_share *share = &r.component[c];
        share->leakage_j = model->component_leakage_w[c] * r.time_s;
        double leakage_w = model->component_leakage_w[c];
        if (varies) {
            share->leakage_j = leakage_j(model, (ww_component)c, leaking_s);
            leakage_w = share->leakage_j / r.time_s;
        }
        share->dynamic_w = (share->event_j + share->background_j) / r.time_s;
        share->total_w = share->dynamic_w + leakage_w;
        r.event_j += share->event_j;
        r.background_j += share->background_j;
        r.leakage_j += share->leakage_j;
        r.dynamic_w += share->dynamic_w;
    }
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        r.component[c].share = r.dynamic_w > 0 ? r.component[c].dynamic_w / r.dynamic_w : 0;
    }
    r.static_w = varies ? r.leakage_j / r.time_s : r.static_w;
    r.total_j = r.event_j + r.background_j + r.leakage_j;
    r.total_w = r.dynamic_w + r.static_w;
    if (!isfinite(r.total_w) || !isfinite(r.total_j)) {
        return ww_fail(err, WW_ENUMERIC, "power is not finite: %g J in %g s", r.total_j, r.time_s);
    }
    *out = r;
    return WW_OK;
}
