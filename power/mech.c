/* mech.c - MECH, what active mechanisms add to the chip: each has an overhead model of its own.
 * Work that a mechanism makes others do (more lines filled, fewer operands read) is charged where
 * it is done. */
#include "power/overhead.h"

void ww__build_mech(ww__builder *b)
{
    static void (*const build[WW_MECH_COUNT])(ww__builder *) = {
#define WW_MECH(ID, name, doc) [WW_MECH_##ID] = ww__overhead_##name,
#include "mech/rows.h"
    };
    if (b->arch->mechs == 0 && b->overhead == NULL) {
        return;
    }
    ww__component(b, WW_COMPONENT_MECH, 1);
    for (int id = 0; id < WW_MECH_COUNT; id++) {
        if ((b->arch->mechs >> id & 1) != 0) {
            ww__structure(b, 1, ww_mech_name((ww_mech_id)id), b->arch->sm.count, 0, 0, "%s",
                          ww_mech_about((ww_mech_id)id));
            build[id](b);
        }
    }
    if (b->overhead != NULL) {
        ww__structure(b, 1, b->overhead->name, b->arch->sm.count, 0, 0, "%s", b->overhead->about);
        b->overhead->build(b);
    }
}

static ww_structure find(ww__builder *b, const char *name)
{
    const ww_structure *found = NULL;
    if (b->status == WW_OK) {
        b->status = ww_structures_find(b->structures, name, &found, b->err);
    }
    ww_structure s = found != NULL ? *found : (ww_structure){0};
    s.copies = 1;
    return s;
}

ww_structure ww__described(ww__builder *b, const char *name, uint32_t entries, uint32_t entry_bits)
{
    ww_structure s = find(b, name);
    ww_structure_resize(&s, entries, entry_bits);
    return s;
}

ww_structure_cost ww__described_cost(ww__builder *b, const ww_structure *s)
{
    ww_structure_cost cost = {0};
    if (b->status == WW_OK && (s->is_unit || s->spec.bits > 0)) {
        b->status = ww_structure_cost_at(s, b->node, b->fu, &cost, b->err);
    }
    return cost;
}

ww_structure_cost ww__described_unit(ww__builder *b, const char *name)
{
    const ww_structure unit = find(b, name);
    return ww__described_cost(b, &unit);
}
