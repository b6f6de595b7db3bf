/* chip.c - builds the model of a whole GPU: technology, components in turn, static power. */
#include "power/component.h"

#include <math.h>
#include <string.h>

#include "base/configs.h"
#include "base/units.h"

/* What stays open only while a model is built. */
typedef struct technology {
    ww_arena arena;
    ww_node_table *nodes;
    ww_fu_table *fu;
    ww_dram_table *dram;
    ww_structures *structures; /* NULL: no mechanism asks */
    ww__solved solved;
} technology;

static void close_technology(technology *t)
{
    ww_node_destroy(t->nodes);
    ww_fu_destroy(t->fu);
    ww_dram_destroy(t->dram);
    ww_structures_destroy(t->structures);
    ww_arena_fini(&t->arena);
}

static ww_status open_technology(technology *t, const ww_arch *arch, const char *dir, ww_error *err)
{
    if (dir == NULL) {
        WW_TRY(ww_configs_dir(&t->arena, "tech", &dir, err));
    }
    WW_TRY(ww_node_load(dir, arch->chip.feature_m, &t->nodes, err));
    WW_TRY(ww_fu_load(dir, &t->fu, err));
    if (arch->mechs != 0) {
        WW_TRY(ww_structures_load(dir, &t->structures, err));
    }
    return ww_dram_load(dir, &t->dram, err);
}

/* Side of a square die that holds everything built so far. */
static double side_m(const ww_power_model *model)
{
    double area_m2 = 0;
    for (size_t i = 0; i < model->structure_count; i++) {
        area_m2 += model->structures[i].area_m2;
    }
    return sqrt(area_m2);
}

/* The chip without mechanisms, modelled circuit by circuit. */
static void build_components(ww__builder *b)
{
    ww__build_rf(b);
    ww__build_eu(b);
    ww__build_wcu(b);
    ww__build_bp(b);
    ww__build_ldstu(b);
    ww__build_cp(b);
    /* Links cross the whole die, not only what is modelled of it. */
    b->chip_side_m = b->arch->chip.die_m2 > 0 ? sqrt(b->arch->chip.die_m2) : side_m(b->model);
    ww__build_noc(b);
    ww__build_mc(b);
    ww__build_gm(b);
}

static void release_parts(ww_power_model *model)
{
    ww_free(model->structures);
    ww_free(model->events);
    ww_arena_fini(&model->arena);
}

/* What is not modelled of a die lies around the core that was made. A core of lanes has never been:
 * around it lies what lies around the SIMD core of the same units. */
static void build_rest(ww__builder *b)
{
    ww_power_model around = {0};
    ww_arch made = *b->arch;
    ww__builder simd = *b;
    made.sm.core = WW_CORE_SHARED;
    made.mechs = 0;
    simd.arch = &made;
    simd.model = &around;
    if (b->card.known || b->arch->sm.core != WW_CORE_LANES) {
        ww__build_rest(b, b->model);
        return;
    }
    build_components(&simd);
    b->status = simd.status;
    ww__build_rest(b, &around);
    release_parts(&around);
}

/* What the card is like that settings made another machine of. */
static ww__card card_of(ww__builder *b, const ww_arch *described)
{
    ww_power_model model = {0};
    ww_arch without = *described;
    ww__builder card = *b;
    without.mechs = 0;
    card.arch = &without;
    card.overhead = NULL;
    card.model = &model;
    b->status = ww_dram_find(b->dram_table, described->mem.device, &card.dram, b->err);
    if (b->status == WW_OK) {
        build_components(&card);
        build_rest(&card);
        ww__build_static(&card);
        b->status = card.status;
    }
    release_parts(&model);
    card.card.known = true;
    return card.card;
}

void ww__build_chip(ww__builder *b)
{
    if (b->arch->described != NULL) {
        b->card = card_of(b, b->arch->described);
    }
    build_components(b);
    ww__build_mech(b);
    build_rest(b);
    ww__build_static(b);
}

/* What a device off the critical path leaks over a fast one. Planar processes lengthen its channel;
 * the length of a fin's channel is fixed, and designers take a flavour of higher threshold instead:
 * here the low-power one, each at its own supply. */
static ww_status slow_leakage(const ww_node_table *nodes, const ww_node *fast, double *out,
                              ww_error *err)
{
    static const double largest_finfet_m = 20e-9;
    ww_node nominal, slow;
    if (fast->feature_m > largest_finfet_m) {
        *out = fast->peri.long_channel_leakage;
        return WW_OK;
    }
    WW_TRY(ww_node_at(nodes, WW_DEVICE_HP, 0, fast->temp_k, &nominal, err));
    WW_TRY(ww_node_at(nodes, WW_DEVICE_LOP, 0, fast->temp_k, &slow, err));
    *out = slow.peri.i_off_a_per_m / nominal.peri.i_off_a_per_m;
    return WW_OK;
}

static ww_status build(ww_power_model *model, const ww_arch *arch, const ww_overhead *overhead,
                       technology *t, ww_error *err)
{
    const ww_chip_params *chip = &arch->chip;
    double reference_k = arch->reference.temp_k > 0 ? arch->reference.temp_k : chip->temperature_k;
    double idle_k = arch->power.idle_temp_k > 0 ? arch->power.idle_temp_k : reference_k;
    ww_node node, warm, idle;
    const ww_dram_device *dram;
    /* GPUs of all generations are made in their foundry's general-purpose process: high-performance
     * devices. */
    WW_TRY(ww_node_at(t->nodes, WW_DEVICE_HP, chip->vdd_v, reference_k, &node, err));
    WW_TRY(ww_node_at(t->nodes, WW_DEVICE_HP, chip->vdd_v, chip->temperature_k, &warm, err));
    WW_TRY(ww_node_at(t->nodes, WW_DEVICE_HP, chip->vdd_v, idle_k, &idle, err));
    WW_TRY(ww_dram_find(t->dram, arch->mem.device, &dram, err));
    model->shape[WW_SCOPE_SM] = arch->sm.count;
    model->shape[WW_SCOPE_SLICE] = ww_arch_slices(arch);
    model->shape[WW_SCOPE_CHANNEL] = arch->mem.channels;
    model->shape[WW_SCOPE_CHIP] = 1;
    ww__builder b = {.arch = arch,
                     .node = &node,
                     .fu = t->fu,
                     .dram = dram,
                     .dram_table = t->dram,
                     .structures = t->structures,
                     .overhead = overhead,
                     .model = model,
                     .solved = &t->solved,
                     .err = err};
    WW_TRY(slow_leakage(t->nodes, &node, &b.slow_leakage, err));
    b.warming = ww_node_leakage_warm(&idle, &node);
    b.supply = ww__supply_of(arch, &node, &warm);
    WW_TRY(ww__keep_points(&b, t->nodes, err));
    b.node_text = ww__text(&b, "%g nm %s %g V", node.feature_m * 1e9,
                           ww_device_flavour_name(node.flavour), node.vdd_v);
    ww__build_chip(&b);
    WW_TRY(b.status);
    return ww__load_uncertainty(model, arch, err);
}

ww_status ww_power_model_create(const ww_arch *arch, const char *tech_dir, ww_power_model **out,
                                ww_error *err)
{
    return ww_power_model_create_with(arch, tech_dir, NULL, out, err);
}

ww_status ww_power_model_create_with(const ww_arch *arch, const char *tech_dir,
                                     const ww_overhead *overhead, ww_power_model **out,
                                     ww_error *err)
{
    technology t = {0};
    t.solved.arena = &t.arena;
    ww_power_model *model = WW_NEW(ww_power_model);
    ww_status status = model != NULL ? open_technology(&t, arch, tech_dir, err) : ww_no_memory(err);
    if (status == WW_OK) {
        status = build(model, arch, overhead, &t, err);
    }
    close_technology(&t);
    if (status != WW_OK) {
        ww_error_prefix(err, "power model: ");
        ww_power_model_destroy(model);
        return status;
    }
    *out = model;
    return WW_OK;
}
