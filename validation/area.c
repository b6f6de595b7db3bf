/* area.c - `warpwatt validate area`: dies, SMs, static powers and the overheads of published
 * mechanisms, beside what others simulated, measured or read off a die photo. Nothing is fitted to
 * these numbers, so there are no bars: a ratio far from 1 is what is not modelled. */
#include <string.h>

#include "base/configs.h"
#include "power/power.h"
#include "tech/structures.h"
#include "validation/compare.h"

/* What a GPU's model says. */
typedef struct gpu_values {
    double die_m2, modelled_m2, circuits_m2, sm_m2, static_w;
    double lane_m2; /* single-precision arithmetic of one lane and its pipeline registers */
} gpu_values;

static double lane_m2(const ww_power_model *model)
{
    static const char path[] = "EU/single precision";
    size_t count;
    const ww_power_structure *s = ww_power_structures(model, &count);
    double area_m2 = 0;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(s[i].path, path, sizeof path - 1) == 0 && s[i].instances > 0) {
            area_m2 += s[i].area_m2 / s[i].instances;
        }
    }
    return area_m2;
}

static ww_status values_of(const char *gpu, gpu_values *out, ww_error *err)
{
    ww_arch *arch = NULL;
    ww_power_model *model = NULL;
    WW_TRY(ww_arch_load(gpu, NULL, 0, &arch, err));
    ww_status status = ww_power_model_create(arch, NULL, &model, err);
    if (status == WW_OK) {
        *out = (gpu_values){.die_m2 = arch->chip.die_m2,
                            .modelled_m2 = ww_power_modelled_m2(model),
                            .sm_m2 = ww_power_sm_m2(model),
                            .static_w = ww_power_static_w(model),
                            .lane_m2 = lane_m2(model)};
        for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
            out->circuits_m2 += ww_power_area_of(model, (ww_component)c, WW_AREA_CIRCUIT);
        }
    }
    ww_power_model_destroy(model);
    ww_arch_destroy(arch);
    return status;
}

/* ---- dies ---- */

/* Details of a row: circuits, an SM [mm2], static power [W]. */
static ww_status add_dies(ww_rows *rows, ww_error *err)
{
    static const char *const gpus[] = {"gtx480", "gtx580",   "gtx1080ti", "gt240",
                                       "qv100",  "rtx2060s", "a100",      "h200"};
    for (size_t i = 0; i < WW_ARRAY_LEN(gpus); i++) {
        ww_row row = ww_row_of(gpus[i], "die", "mm2");
        gpu_values v;
        WW_TRY(values_of(gpus[i], &v, err));
        row.reference = v.die_m2 * 1e6;
        row.ours = v.modelled_m2 * 1e6;
        row.detail[0] = v.circuits_m2 * 1e6;
        row.detail[1] = v.sm_m2 * 1e6;
        row.detail[2] = v.static_w;
        WW_TRY(ww_rows_add(rows, &row, err));
    }
    return WW_OK;
}

/* ---- others' numbers ---- */

enum { GPU, QUANTITY, WHO, REFERENCE, UNIT, QUALITY, SOURCE, COLUMNS };
enum { AREA, SM, LANE, STATIC }; /* as `quantities` has them */

static const char *const quantities[] = {"area", "sm", "lane", "static", NULL};
static const ww_ref_column others[COLUMNS] = {
    [GPU] = {"gpu", .kind = WW_REF_NAME},
    [QUANTITY] = {"quantity", .kind = WW_REF_WORD, .words = quantities},
    [WHO] = {"who", .kind = WW_REF_TEXT},
    [REFERENCE] = {"reference", .kind = WW_REF_POSITIVE},
    [UNIT] = {"unit", .kind = WW_REF_TEXT},
    [QUALITY] = {"quality", .kind = WW_REF_TEXT},
    [SOURCE] = {"source", .kind = WW_REF_TEXT},
};

static ww_status add_others(ww_rows *rows, const ww_refs *refs, ww_error *err)
{
    for (size_t i = 0; i < ww_refs_rows(refs); i++) {
        ww_row row = ww_row_of(ww_refs_text(refs, i, GPU), ww_refs_text(refs, i, QUANTITY),
                               ww_refs_text(refs, i, UNIT));
        gpu_values v;
        WW_TRY(values_of(row.subject, &v, err));
        const double ours[] = {[AREA] = v.modelled_m2 * 1e6,
                               [SM] = v.sm_m2 * 1e6,
                               [LANE] = v.lane_m2 * 1e6,
                               [STATIC] = v.static_w};
        row.reference = ww_refs_number(refs, i, REFERENCE);
        row.ours = ours[ww_refs_word(refs, i, QUANTITY)];
        row.digits = row.reference < 1 ? 4 : 1;
        row.note = ww_refs_text(refs, i, WHO);
        row.quality = ww_refs_text(refs, i, QUALITY);
        row.source = ww_refs_text(refs, i, SOURCE);
        WW_TRY(ww_rows_add(rows, &row, err));
    }
    return WW_OK;
}

/* ---- overheads ---- */

enum { MECHANISM, GROUPS, MACHINE, OF, OF_MM2, PER_SM, PUBLISHED, PAPER, OVERHEAD_COLUMNS };

static const ww_ref_column overheads[OVERHEAD_COLUMNS] = {
    [MECHANISM] = {"mechanism", .kind = WW_REF_NAME},
    [GROUPS] = {"groups", .kind = WW_REF_NAME},
    [MACHINE] = {"gpu", .kind = WW_REF_NAME},
    [OF] = {"denominator", .kind = WW_REF_TEXT},
    [OF_MM2] = {"denominator_mm2", .kind = WW_REF_POSITIVE},
    [PER_SM] = {"per_sm", .kind = WW_REF_POSITIVE},
    [PUBLISHED] = {"published_pct", .kind = WW_REF_POSITIVE},
    [PAPER] = {"source", .kind = WW_REF_TEXT},
};

/* Area of a mechanism's groups of structures in one SM, at their papers' node. */
static ww_status tables_m2(const ww_structures *list, const char *dir, const char *groups,
                           double *out, ww_error *err)
{
    *out = 0;
    for (size_t i = 0; i < ww_structures_count(list); i++) {
        const ww_structure *s = ww_structures_at(list, i);
        size_t length = strlen(s->group);
        for (const char *g = groups; *g != '\0'; g += strcspn(g, " "), g += *g == ' ') {
            if (strcspn(g, " ") == length && strncmp(g, s->group, length) == 0) {
                ww_structure_cost cost;
                WW_TRY(ww_structure_cost_own(s, dir, &cost, err));
                *out += cost.area_m2;
            }
        }
    }
    return WW_OK;
}

/* Details of a row: the tables of one SM [mm2], their share of our SM [%]. */
static ww_status add_overheads(ww_rows *rows, const ww_refs *refs, const ww_structures *list,
                               const char *dir, ww_error *err)
{
    for (size_t i = 0; i < ww_refs_rows(refs); i++) {
        ww_row row = ww_row_of(ww_refs_text(refs, i, MECHANISM), ww_refs_text(refs, i, OF), "%");
        double of_m2 = ww_refs_number(refs, i, OF_MM2) * 1e-6, area_m2;
        gpu_values v;
        WW_TRY(values_of(ww_refs_text(refs, i, MACHINE), &v, err));
        WW_TRY(tables_m2(list, dir, ww_refs_text(refs, i, GROUPS), &area_m2, err));
        row.reference = ww_refs_number(refs, i, PUBLISHED);
        row.ours = 100 * area_m2 * ww_refs_number(refs, i, PER_SM) / of_m2;
        row.detail[0] = area_m2 * 1e6;
        row.detail[1] = 100 * area_m2 / v.sm_m2;
        row.source = ww_refs_text(refs, i, PAPER);
        WW_TRY(ww_rows_add(rows, &row, err));
    }
    return WW_OK;
}

/* ---- the command ---- */

typedef struct tables {
    ww_arena arena;
    ww_refs *others, *overheads;
    ww_structures *structures;
    ww_rows dies, references, mechanisms;
} tables;

static ww_status gather(tables *s, ww_error *err)
{
    const char *areas, *shares, *dir;
    WW_TRY(ww_validation_file(&s->arena, "power/area.csv", &areas, err));
    WW_TRY(ww_validation_file(&s->arena, "power/overheads.csv", &shares, err));
    WW_TRY(ww_configs_dir(&s->arena, "tech", &dir, err));
    WW_TRY(ww_refs_load(areas, others, COLUMNS, &s->others, err));
    WW_TRY(ww_refs_load(shares, overheads, OVERHEAD_COLUMNS, &s->overheads, err));
    WW_TRY(ww_structures_load(dir, &s->structures, err));
    WW_TRY(add_dies(&s->dies, err));
    WW_TRY(add_others(&s->references, s->others, err));
    return add_overheads(&s->mechanisms, s->overheads, s->structures, dir, err);
}

static ww_status print(const tables *s, const ww_output *output, ww_error *err)
{
    static const ww_column dies[] = {
        {"gpu", .field = WW_SHOW_SUBJECT},
        {"die_mm2", .field = WW_SHOW_REFERENCE, .digits = 0},
        {"circuits_mm2", .field = WW_SHOW_DETAIL1, .digits = 0},
        {"modelled_mm2", .field = WW_SHOW_OURS, .digits = 0},
        {"share_pct", .field = WW_SHOW_SHARE, .digits = 0},
        {"sm_mm2", .field = WW_SHOW_DETAIL2, .digits = 2},
        {"static_w", .field = WW_SHOW_DETAIL3, .digits = 1},
    };
    static const ww_column references[] = {
        {"gpu", .field = WW_SHOW_SUBJECT},
        {"quantity", .field = WW_SHOW_WHAT},
        {"by", .field = WW_SHOW_NOTE},
        {"reference", .field = WW_SHOW_REFERENCE, .digits = WW_DIGITS_OF_ROW},
        {"warpwatt", .field = WW_SHOW_OURS, .digits = WW_DIGITS_OF_ROW},
        {"unit", .field = WW_SHOW_UNIT},
        {"ratio", .field = WW_SHOW_RATIO, .digits = 2},
        {"quality", .field = WW_SHOW_QUALITY},
        {"source", .field = WW_SHOW_SOURCE},
    };
    static const ww_column mechanisms[] = {
        {"mechanism", .field = WW_SHOW_SUBJECT},
        {"of", .field = WW_SHOW_WHAT},
        {"tables_mm2", .field = WW_SHOW_DETAIL1, .digits = 4},
        {"published_pct", .field = WW_SHOW_REFERENCE, .digits = 2},
        {"warpwatt_pct", .field = WW_SHOW_OURS, .digits = 2},
        {"of_our_sm_pct", .field = WW_SHOW_DETAIL2, .digits = 2},
        {"source", .field = WW_SHOW_SOURCE},
    };
    ww_document d;
    ww_document_begin(&d, output, WW_TITLES_CLOSE);
    ww_status status =
        ww_document_rows(&d, &s->dies, "dies", dies, WW_ARRAY_LEN(dies),
                         "Dies: circuits, circuits and fits, their share of the die", err);
    status = status == WW_OK ? ww_document_rows(&d, &s->references, "references", references,
                                                WW_ARRAY_LEN(references),
                                                "Areas and static powers by others", err)
                             : status;
    status = status == WW_OK
                 ? ww_document_rows(&d, &s->mechanisms, "overheads", mechanisms,
                                    WW_ARRAY_LEN(mechanisms),
                                    "Tables of mechanisms at their papers' node, as a share of "
                                    "what the papers divide by",
                                    err)
                 : status;
    return ww_document_end(&d, status, err);
}

ww_status ww_validate_area(const ww_validation *asked, ww_error *err)
{
    tables s = {.others = NULL};
    ww_status status = gather(&s, err);
    status = status == WW_OK ? print(&s, &asked->output, err) : status;
    status = status == WW_OK ? ww_judge_all(&s.references, NULL, "power/area.csv", err) : status;
    status =
        status == WW_OK ? ww_judge_all(&s.mechanisms, NULL, "power/overheads.csv", err) : status;
    ww_rows_fini(&s.dies);
    ww_rows_fini(&s.references);
    ww_rows_fini(&s.mechanisms);
    ww_refs_destroy(s.others);
    ww_refs_destroy(s.overheads);
    ww_structures_destroy(s.structures);
    ww_arena_fini(&s.arena);
    return status;
}
