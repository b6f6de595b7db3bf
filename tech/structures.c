/* structures.c - what named structures cost, and our value of the figures that papers print. */
#include <string.h>

#include "base/suggest.h"
#include "tech/logic.h"
#include "tech/structures_list.h"

static const struct {
    const char *name, *unit;
} QUANTITY[] = {
#define X(id, name, unit) {name, unit},
    WW_FIGURE_QUANTITIES(X)
#undef X
};

const char *ww_figure_quantity_name(ww_figure_quantity quantity)
{
    return quantity < WW_FIGURE_QUANTITY_COUNT ? QUANTITY[quantity].name : "?";
}

const char *ww_figure_quantity_unit(ww_figure_quantity quantity)
{
    return quantity < WW_FIGURE_QUANTITY_COUNT ? QUANTITY[quantity].unit : "?";
}

void ww_structures_destroy(ww_structures *list)
{
    if (list != NULL) {
        ww_arena_fini(&list->arena);
        ww_free(list);
    }
}

size_t ww_structures_count(const ww_structures *list)
{
    return list->count;
}

const ww_structure *ww_structures_at(const ww_structures *list, size_t index)
{
    return index < list->count ? &list->list[index] : NULL;
}

ww_status ww_structures_find(const ww_structures *list, const char *name, const ww_structure **out,
                             ww_error *err)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->list[i].name, name) == 0) {
            *out = &list->list[i];
            return WW_OK;
        }
    }
    ww_suggest near;
    char hint[96];
    ww_suggest_init(&near, name);
    for (size_t i = 0; i < list->count; i++) {
        ww_suggest_offer(&near, list->list[i].name);
    }
    return ww_fail(err, WW_ENOTFOUND, "no structure '%s'%s", name,
                   ww_suggest_text(&near, hint, sizeof hint));
}

void ww_structure_resize(ww_structure *s, uint32_t entries, uint32_t entry_bits)
{
    const uint32_t data_bits = entry_bits - s->spec.tag_bits;
    const bool lines = s->spec.kind == WW_ARRAY_CACHE || s->spec.kind == WW_ARRAY_ASSOC;
    s->entries = entries;
    s->entry_bits = entry_bits;
    s->spec.bits = (uint64_t)entries * data_bits;
    s->spec.word_bits = data_bits;
    s->spec.line_bits = lines ? data_bits : 0;
}

/* ---- costs ---- */
ww_status ww_structure_cost_at(const ww_structure *s, const ww_node *node, const ww_fu_table *fu,
                               ww_structure_cost *out, ww_error *err)
{
    double copies = s->copies;
    if (s->is_unit) {
        if (fu == NULL) {
            return ww_fail(err, WW_EINTERNAL, "structure '%s' needs the functional units", s->name);
        }
        ww_fu_cost unit = ww_fu_at(fu, node, s->op, WW_FU_DATAPATH);
        *out = (ww_structure_cost){.read_j = unit.energy_j,
                                   .write_j = unit.energy_j,
                                   .leak_w = copies * unit.leak_w,
                                   .area_m2 = copies * unit.area_m2};
        return WW_OK;
    }
    enum { LEAST_BITS = 64 }; /* where the array model starts */
    ww_array_result r;
    ww_array_spec spec = s->spec;
    spec.bits = spec.bits < LEAST_BITS ? LEAST_BITS : spec.bits;
    ww_cost match = {0};
    if (s->match_bits > 0) {
        match = ww_logic_comparator(node, s->match_bits);
    }
    const double matches = s->entries;
    ww_status status = ww_array_solve(&spec, node, &r, err);
    if (status != WW_OK) {
        ww_error_prefix(err, "structure '%s': ", s->name);
        return status;
    }
    *out = (ww_structure_cost){.read_j = r.read_j + matches * match.energy_j,
                               .write_j = r.write_j,
                               .idle_j = copies * r.idle_j,
                               .leak_w = copies * (r.leak_w + matches * match.leak_w),
                               .area_m2 = copies * (r.area_m2 + matches * match.area_m2),
                               .access_s = r.access_s,
                               .bytes = copies * s->entries * s->entry_bits / 8.0};
    return WW_OK;
}

ww_status ww_structure_cost_own(const ww_structure *s, const char *dir, ww_structure_cost *out,
                                ww_error *err)
{
    ww_node_table *table = NULL;
    ww_fu_table *fu = NULL;
    ww_node node;
    WW_TRY(ww_node_load(dir, s->feature_m, &table, err));
    ww_status status = ww_node_at(table, s->device, 0, s->temp_k, &node, err);
    if (status == WW_OK && s->is_unit) {
        status = ww_fu_load(dir, &fu, err);
    }
    if (status == WW_OK) {
        status = ww_structure_cost_at(s, &node, fu, out, err);
    }
    ww_fu_destroy(fu);
    ww_node_destroy(table);
    return status;
}

/* ---- figures ---- */
size_t ww_structures_figures(const ww_structures *list)
{
    return list->figures;
}

const ww_figure *ww_structures_figure(const ww_structures *list, size_t index)
{
    return index < list->figures ? &list->figure[index] : NULL;
}

static double quantity_of(const ww_structure_cost *c, ww_figure_quantity q)
{
    switch (q) {
    case WW_FIGURE_READ:
        return c->read_j;
    case WW_FIGURE_WRITE:
        return c->write_j;
    case WW_FIGURE_ACCESS:
        return (c->read_j + c->write_j) / 2;
    case WW_FIGURE_LEAKAGE:
        return c->leak_w;
    case WW_FIGURE_AREA:
        return c->area_m2;
    case WW_FIGURE_STORAGE:
        return c->bytes;
    case WW_FIGURE_QUANTITY_COUNT:
    default:
        return 0;
    }
}

ww_status ww_structures_ours(const ww_structures *list, const ww_figure *figure, const char *dir,
                             double *out, ww_error *err)
{
    double sum = 0;
    for (size_t i = 0; i < list->count; i++) {
        const ww_structure *s = &list->list[i];
        if (strcmp(s->name, figure->of) == 0 || strcmp(s->group, figure->of) == 0) {
            ww_structure_cost cost;
            WW_TRY(ww_structure_cost_own(s, dir, &cost, err));
            sum += quantity_of(&cost, figure->quantity);
        }
    }
    *out = sum * figure->accesses; /* 1 for what is no energy */
    return WW_OK;
}
