/* build.c - adding sub-structures and events to a model under construction. */
#include "base/assert.h"
#include "power/component.h"

#include <stdio.h>
#include <string.h>

static void fail_memory(ww__builder *b)
{
    b->status = ww_no_memory(b->err);
}

static const char *textv(ww__builder *b, const char *fmt, va_list args) WW_PRINTF(2, 0);

static const char *textv(ww__builder *b, const char *fmt, va_list args)
{
    char buf[512];
    vsnprintf(buf, sizeof buf, fmt, args);
    char *copy = ww_arena_strndup(&b->model->arena, buf, strlen(buf));
    if (copy == NULL) {
        fail_memory(b);
        return "";
    }
    return copy;
}

/* Declares what a function was given behind its format, as a text that lives as long as the model.
 */
#define OWN_TEXT(text, b, fmt)                                                                     \
    va_list text##_args;                                                                           \
    va_start(text##_args, fmt);                                                                    \
    const char *text = textv(b, fmt, text##_args);                                                 \
    va_end(text##_args)

const char *ww__text(ww__builder *b, const char *fmt, ...)
{
    if (b->status != WW_OK) {
        return "";
    }
    OWN_TEXT(text, b, fmt);
    return text;
}

/* Room for one more item; returns the array, moved or not. */
static void *grow(ww__builder *b, void *items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) {
        return items;
    }
    size_t wanted = *capacity == 0 ? 64 : 2 * *capacity;
    void *grown = ww_realloc_array(items, wanted, size);
    if (grown == NULL) {
        fail_memory(b);
        return items;
    }
    *capacity = wanted;
    return grown;
}

/* Path of a structure at that depth, which follows the newest structures of lesser depth. */
static const char *path_of(ww__builder *b, uint32_t depth, const char *name)
{
    const ww_power_model *model = b->model;
    for (size_t i = model->structure_count; i > 0; i--) {
        if (model->structures[i - 1].depth < depth) {
            return ww__text(b, "%s/%s", model->structures[i - 1].path, name);
        }
    }
    return name;
}

static size_t add_structure(ww__builder *b, ww_power_structure structure)
{
    ww_power_model *model = b->model;
    model->structures = grow(b, model->structures, model->structure_count,
                             &model->structure_capacity, sizeof *model->structures);
    structure.path = path_of(b, structure.depth, structure.name);
    structure.component = b->component;
    structure.leakage_factor = 1;
    structure.group = b->component == WW_COMPONENT_MECH ? WW_GROUP_MECH
                      : structure.in_sm                 ? WW_GROUP_IDLE_SM
                                                        : WW_GROUP_CONSTANT;
    if (b->status != WW_OK) {
        return 0;
    }
    WW_ASSERT(model->structure_count < model->structure_capacity);
    WW_ASSERT(structure.depth == 0 || model->structure_count > 0);
    WW_ASSERT(b->component < WW_COMPONENT_COUNT);
    model->structures[model->structure_count] = structure;
    return model->structure_count++;
}

void ww__group(ww__builder *b, ww_power_group group, double factor)
{
    WW_ASSERT(group < WW_GROUP_COUNT);
    b->group = group;
    b->factor = b->component_factor * factor;
}

void ww__component(ww__builder *b, ww_component component, double factor)
{
    if (b->status != WW_OK) {
        return;
    }
    static const ww_power_group group[WW_COMPONENT_COUNT] = {
        [WW_COMPONENT_RF] = WW_GROUP_RF,      [WW_COMPONENT_EU] = WW_GROUP_EU,
        [WW_COMPONENT_WCU] = WW_GROUP_WCU,    [WW_COMPONENT_BP] = WW_GROUP_ACTIVE_SM,
        [WW_COMPONENT_LDSTU] = WW_GROUP_LDST, [WW_COMPONENT_CP] = WW_GROUP_ACTIVE_CLUSTER,
        [WW_COMPONENT_NOC] = WW_GROUP_NOC,    [WW_COMPONENT_MC] = WW_GROUP_MC,
        [WW_COMPONENT_GM] = WW_GROUP_GM,      [WW_COMPONENT_REST] = WW_GROUP_CONSTANT,
        [WW_COMPONENT_MECH] = WW_GROUP_MECH,
    };
    WW_ASSERT(component < WW_COMPONENT_COUNT);
    b->component = component;
    b->component_factor = factor;
    ww__group(b, group[component], 1);
    b->in_sm = component == WW_COMPONENT_RF || component == WW_COMPONENT_EU ||
               component == WW_COMPONENT_WCU || component == WW_COMPONENT_BP ||
               component == WW_COMPONENT_LDSTU || component == WW_COMPONENT_MECH;
    add_structure(b, (ww_power_structure){.name = ww_component_name(component),
                                          .instances = 1,
                                          .source = ww_component_meaning(component)});
}

size_t ww__structure(ww__builder *b, uint32_t depth, const char *name, uint32_t instances,
                     double area_m2, double leak_w, const char *source_fmt, ...)
{
    if (b->status != WW_OK) {
        return 0;
    }
    OWN_TEXT(source, b, source_fmt);
    return add_structure(b, (ww_power_structure){.name = name,
                                                 .depth = depth,
                                                 .instances = instances,
                                                 .area_m2 = area_m2 * instances,
                                                 .leakage_w = leak_w * instances,
                                                 .in_sm = b->in_sm,
                                                 .source = source});
}

void ww__area_kind(ww__builder *b, ww_area_kind kind)
{
    if (b->status == WW_OK) {
        WW_ASSERT(b->model->structure_count > 0 && kind < WW_AREA_KINDS);
        b->model->structures[b->model->structure_count - 1].area_kind = kind;
    }
}

static void add_event(ww__builder *b, ww_power_event event, ww__sum count)
{
    ww_power_model *model = b->model;
    model->events =
        grow(b, model->events, model->event_count, &model->event_capacity, sizeof *model->events);
    if (b->status != WW_OK) {
        return;
    }
    WW_ASSERT(model->event_count < model->event_capacity);
    WW_ASSERT(model->structure_count > 0); /* an event is of the newest structure */
    WW_ASSERT(model->structures[model->structure_count - 1].component == b->component);
    WW_ASSERT(b->group < WW_GROUP_COUNT && event.per <= WW_POWER_PER_DRAM_CYCLE);
    WW_ASSERT(count.terms > 0 && count.terms <= WW_POWER_TERMS);
    event.component = b->component;
    event.structure = model->structure_count - 1;
    event.group = b->group;
    event.model *= ww__on_die(b) ? b->supply.energy : 1;
    event.value = event.model * event.factor;
    event.terms = count.terms;
    for (size_t i = 0; i < count.terms; i++) {
        WW_ASSERT(count.counter[i] < WW_COUNTER_COUNT);
        event.counter[i] = count.counter[i];
        event.weight[i] = count.weight[i];
        model->consumers[count.counter[i]] |= 1u << event.component;
    }
    model->events[model->event_count++] = event;
}

static ww__sum single(ww_counter counter)
{
    return (ww__sum){.terms = 1, .counter = {counter}, .weight = {1}};
}

WW_PRINTF(5, 0)
static void add_described(ww__builder *b, const char *name, ww__sum count, double energy_j,
                          const char *source_fmt, va_list args)
{
    if (b->status == WW_OK) {
        const char *source = textv(b, source_fmt, args);
        add_event(b,
                  (ww_power_event){
                      .name = name, .model = energy_j, .factor = b->factor, .source = source},
                  count);
    }
}

void ww__event(ww__builder *b, const char *name, ww_counter counter, double energy_j,
               const char *source_fmt, ...)
{
    va_list args;
    va_start(args, source_fmt);
    add_described(b, name, single(counter), energy_j, source_fmt, args);
    va_end(args);
}

void ww__event_sum(ww__builder *b, const char *name, ww__sum count, double energy_j,
                   const char *source_fmt, ...)
{
    va_list args;
    va_start(args, source_fmt);
    add_described(b, name, count, energy_j, source_fmt, args);
    va_end(args);
}

/* The one that values belong to. */
static ww_power_event *last_event(ww__builder *b)
{
    WW_ASSERT(b->model->event_count > 0);
    return &b->model->events[b->model->event_count - 1];
}

void ww__values_at(ww__builder *b, ww_counter switched, double assumed, double energy_j,
                   const char *source_fmt, ...)
{
    if (b->status != WW_OK) {
        return;
    }
    OWN_TEXT(source, b, source_fmt);
    const ww_power_event *of = last_event(b);
    const ww_power_event difference = {.name = of->values ? of->name
                                                          : ww__text(b, "%s, values", of->name),
                                       .values = true,
                                       .model = energy_j,
                                       .factor = of->factor,
                                       .source = source};
    add_event(b, difference,
              (ww__sum){.terms = assumed > 0 ? 2 : 1,
                        .counter = {switched, (ww_counter)(switched + 1)},
                        .weight = {1, -assumed}});
}

/* Of uncorrelated data half of the bits switch: what every energy is charged for unless bits are
 * counted. Bits beyond those cost `share` of it over them. */
void ww__values(ww__builder *b, ww_counter switched, double bits, double share,
                const char *source_fmt, ...)
{
    if (b->status != WW_OK) {
        return;
    }
    OWN_TEXT(why, b, source_fmt);
    const ww_power_event *of = last_event(b);
    const double supply = ww__on_die(b) ? b->supply.energy : 1; /* is in its energy already */
    ww__values_at(b, switched, WW__RANDOM_TOGGLE,
                  bits > 0 ? of->model / supply * share / (WW__RANDOM_TOGGLE * bits) : 0,
                  "%.3g of it over half of %.5g bits: %s", share, bits, why);
}

/* The second part's counts weigh what they cost over the first one's. */
void ww__values_both(ww__builder *b, ww__value_part first, ww__value_part second,
                     const char *source_fmt, ...)
{
    if (b->status != WW_OK) {
        return;
    }
    OWN_TEXT(why, b, source_fmt);
    ww__values(b, first.switched, first.bits, first.share, "%s; %.3g of it over half of %.5g", why,
               second.share, second.bits);
    if (b->status == WW_OK && second.share > 0) {
        ww_power_event *e = last_event(b);
        double weight = second.share / second.bits / (first.share / first.bits);
        WW_ASSERT(e->values && e->terms == 2 && first.share > 0);
        e->counter[2] = second.switched;
        e->counter[3] = (ww_counter)(second.switched + 1);
        e->weight[2] = weight;
        e->weight[3] = -WW__RANDOM_TOGGLE * weight;
        e->terms = 4;
        b->model->consumers[e->counter[2]] |= 1u << e->component;
        b->model->consumers[e->counter[3]] |= 1u << e->component;
    }
}

double ww__data_share(const ww_array_terms *terms)
{
    const double all = ww_array_terms_sum(terms);
    return all > 0 ? (terms->output + terms->htree_out) / all : 0;
}

double ww__buffer_share(const ww_array_result *buffer)
{
    const double all = buffer->read_j + buffer->write_j;
    if (buffer->kind == WW_ARRAY_LATCH || all <= 0) {
        return WW__LATCH_DATA;
    }
    return (ww__data_share(&buffer->read) * buffer->read_j +
            ww__data_share(&buffer->write) * buffer->write_j) /
           all;
}

void ww__background(ww__builder *b, const char *name, ww_counter counter, ww_power_per per,
                    double value, double factor, const char *source_fmt, ...)
{
    if (b->status != WW_OK) {
        return;
    }
    OWN_TEXT(source, b, source_fmt);
    add_event(b,
              (ww_power_event){.name = name,
                               .kind = WW_POWER_BACKGROUND,
                               .per = per,
                               .model = value,
                               .factor = factor,
                               .source = source},
              single(counter));
}

void ww__standby(ww__builder *b, double w, const char *source_fmt, ...)
{
    if (b->status != WW_OK) {
        return;
    }
    const ww_reference *at = &b->arch->reference;
    double channels = at->channels > 0 ? (double)b->arch->mem.channels / at->channels : 1;
    double hz = at->dram_hz > 0 ? at->dram_hz : b->arch->clock.dram_hz;
    OWN_TEXT(source, b, source_fmt);
    ww_power_group group = b->group;
    b->group = WW_GROUP_STANDBY;
    add_event(b,
              (ww_power_event){.name = "idle",
                               .kind = WW_POWER_BACKGROUND,
                               .per = WW_POWER_PER_CORE_CYCLE,
                               .reference_dram_hz = hz,
                               .model = w * channels,
                               .factor = 1,
                               .source = source},
              single(WW_C_CORE_CYCLES));
    b->group = group;
}
