/* area_parts.c - structures of a model summed by component. */
#include "power/area_parts.h"

static void add_structure(ww_area_part *p, const ww_power_structure *s)
{
    p->circuits_m2 += s->area_kind == WW_AREA_CIRCUIT ? s->area_m2 : 0;
    p->fits_m2 += s->area_kind == WW_AREA_FIT ? s->area_m2 : 0;
    p->area_m2 += s->area_kind == WW_AREA_REST ? s->area_m2 : 0;
    p->leakage_w += s->leakage_w;
}

/* area_m2 is what is left, until `put` has the sum. */
static ww_area_part sum_of(const ww_power_model *model, ww_component component, bool in_sm,
                           const char *name)
{
    size_t count;
    const ww_power_structure *s = ww_power_structures(model, &count);
    ww_area_part p = {.name = name};
    for (size_t i = 0; i < count; i++) {
        if (s[i].component == component && s[i].in_sm == in_sm && s[i].area_kind != WW_AREA_REST) {
            add_structure(&p, &s[i]);
        }
    }
    return p;
}

static ww_area_part rest_of(const ww_power_model *model)
{
    size_t count;
    const ww_power_structure *s = ww_power_structures(model, &count);
    ww_area_part p = {.name = "rest of the die, not modelled"};
    for (size_t i = 0; i < count; i++) {
        if (s[i].area_kind == WW_AREA_REST) {
            add_structure(&p, &s[i]);
        }
    }
    return p;
}

static void add_to(ww_area_part *sum, const ww_area_part *p)
{
    sum->circuits_m2 += p->circuits_m2;
    sum->fits_m2 += p->fits_m2;
    sum->area_m2 += p->area_m2;
    sum->leakage_w += p->leakage_w;
}

/* What shares are of. */
typedef struct whole {
    double die_m2, sms_m2; /* of all SMs as modelled, without mechanisms */
    ww_area_part *out;
    size_t count;
} whole;

static void put(whole *of, ww_area_part p, bool in_sm)
{
    p.area_m2 = p.circuits_m2 + p.fits_m2 + p.area_m2;
    if (p.area_m2 > 0 || p.leakage_w > 0) {
        p.of_die = of->die_m2 > 0 ? p.area_m2 / of->die_m2 : 0;
        p.of_sms = in_sm ? p.area_m2 / of->sms_m2 : 0;
        WW_ASSERT(of->count < WW_AREA_PARTS);
        of->out[of->count++] = p;
    }
}

static const char *name_outside(ww_component component)
{
    return component == WW_COMPONENT_LDSTU ? "LDSTU: L2" : ww_component_name(component);
}

size_t ww_power_area_parts(const ww_power_model *model, const ww_arch *arch,
                           ww_area_part out[WW_AREA_PARTS])
{
    whole of = {
        .die_m2 = arch->chip.die_m2, .sms_m2 = ww_power_sm_m2(model) * arch->sm.count, .out = out};
    ww_area_part modelled = {.name = "modelled"}, sm = {.name = "one SM of these"};
    const ww_area_part rest = rest_of(model);
    if (arch->described != NULL && rest.area_m2 > 0) { /* a die of its own */
        of.die_m2 = ww_power_modelled_m2(model) + rest.area_m2;
    }
    for (int i = 0; i < WW_COMPONENT_COUNT; i++) {
        const ww_component c = (ww_component)i;
        const ww_area_part inside = sum_of(model, c, true, ww_component_name(c));
        const ww_area_part outside = sum_of(model, c, false, name_outside(c));
        if (c != WW_COMPONENT_MECH) {
            add_to(&sm, &inside);
        }
        add_to(&modelled, &inside);
        add_to(&modelled, &outside);
        put(&of, inside, true);
        put(&of, outside, false);
    }
    ww_area_part die = {.name = "die"};
    add_to(&die, &modelled);
    add_to(&die, &rest);
    sm.circuits_m2 /= arch->sm.count;
    sm.fits_m2 /= arch->sm.count;
    sm.leakage_w /= arch->sm.count;
    put(&of, modelled, false);
    put(&of, rest, false);
    put(&of, die, false);
    put(&of, sm, false);
    return of.count;
}
