/* validate_area.c - `warpwatt validate area`: dies, SMs, static powers and the overheads of
 * published mechanisms, beside what others simulated, measured or read off a die photo. Nothing is
 * fitted to these numbers, so there are no bars: a ratio far from 1 is what is not modelled. */
#include <string.h>

#include "analysis/table.h"
#include "base/configs.h"
#include "base/csv.h"
#include "cli/validate.h"
#include "power/power.h"
#include "tech/structures.h"

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

static void heads(ww_table *t, const char *const *head, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ww_table_head(t, head[i]);
    }
}

/* ---- dies ---- */

static ww_status fill_dies(ww_table *t, ww_error *err)
{
    static const char *const head[] = {"gpu",       "die_mm2", "circuits_mm2", "modelled_mm2",
                                       "share_pct", "sm_mm2",  "static_w"};
    static const char *const gpus[] = {"gtx480", "gtx580",   "gtx1080ti", "gt240",
                                       "qv100",  "rtx2060s", "a100",      "h200"};
    heads(t, head, WW_ARRAY_LEN(head));
    for (size_t i = 0; i < WW_ARRAY_LEN(gpus); i++) {
        gpu_values v;
        WW_TRY(values_of(gpus[i], &v, err));
        ww_table_text(t, gpus[i]);
        ww_table_number(t, v.die_m2 * 1e6, 0);
        ww_table_number(t, v.circuits_m2 * 1e6, 0);
        ww_table_number(t, v.modelled_m2 * 1e6, 0);
        ww_table_number(t, 100 * v.modelled_m2 / v.die_m2, 0);
        ww_table_number(t, v.sm_m2 * 1e6, 2);
        ww_table_number(t, v.static_w, 1);
    }
    return WW_OK;
}

/* ---- others' numbers ---- */

static ww_status ours_for(const ww_csv *csv, size_t row, const char *quantity, size_t column,
                          const gpu_values *v, double *out, ww_error *err)
{
    if (strcmp(quantity, "area") == 0) {
        *out = v->modelled_m2 * 1e6;
    } else if (strcmp(quantity, "sm") == 0) {
        *out = v->sm_m2 * 1e6;
    } else if (strcmp(quantity, "lane") == 0) {
        *out = v->lane_m2 * 1e6;
    } else if (strcmp(quantity, "static") == 0) {
        *out = v->static_w;
    } else {
        return ww_csv_fail(csv, row, column, err, WW_ESCHEMA,
                           "'%s' is none of area, sm, lane and static", quantity);
    }
    return WW_OK;
}

static ww_status fill_others(ww_table *t, const ww_csv *csv, ww_error *err)
{
    static const char *const head[] = {"gpu",  "quantity", "by",      "reference", "warpwatt",
                                       "unit", "ratio",    "quality", "source"};
    static const char *const column[] = {"gpu",  "quantity", "who",   "reference",
                                         "unit", "quality",  "source"};
    size_t at[WW_ARRAY_LEN(column)];
    for (size_t i = 0; i < WW_ARRAY_LEN(column); i++) {
        WW_TRY(ww_csv_find(csv, column[i], &at[i], err));
    }
    heads(t, head, WW_ARRAY_LEN(head));
    for (size_t row = 0; row < ww_csv_rows(csv); row++) {
        const char *gpu = ww_csv_text(csv, row, at[0]), *quantity = ww_csv_text(csv, row, at[1]);
        double reference, ours = 0;
        gpu_values v;
        WW_TRY(ww_csv_double(csv, row, at[3], &reference, err));
        WW_TRY(values_of(gpu, &v, err));
        WW_TRY(ours_for(csv, row, quantity, at[1], &v, &ours, err));
        ww_table_text(t, gpu);
        ww_table_text(t, quantity);
        ww_table_text(t, ww_csv_text(csv, row, at[2]));
        int decimals = reference < 1 ? 4 : 1;
        ww_table_number(t, reference, decimals);
        ww_table_number(t, ours, decimals);
        ww_table_text(t, ww_csv_text(csv, row, at[4]));
        ww_table_number(t, ours / reference, 2);
        ww_table_text(t, ww_csv_text(csv, row, at[5]));
        ww_table_text(t, ww_csv_text(csv, row, at[6]));
    }
    return WW_OK;
}

/* ---- overheads ---- */

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

static ww_status fill_overheads(ww_table *t, const ww_csv *csv, ww_arena *arena, ww_error *err)
{
    static const char *const head[] = {"mechanism",     "of",           "tables_mm2",
                                       "published_pct", "warpwatt_pct", "of_our_sm_pct",
                                       "source"};
    static const char *const column[] = {"mechanism",     "groups",          "gpu",
                                         "denominator",   "denominator_mm2", "per_sm",
                                         "published_pct", "source"};
    size_t at[WW_ARRAY_LEN(column)];
    for (size_t i = 0; i < WW_ARRAY_LEN(column); i++) {
        WW_TRY(ww_csv_find(csv, column[i], &at[i], err));
    }
    heads(t, head, WW_ARRAY_LEN(head));
    const char *dir = NULL;
    ww_structures *list = NULL;
    WW_TRY(ww_configs_dir(arena, "tech", &dir, err));
    WW_TRY(ww_structures_load(dir, &list, err));
    ww_status status = WW_OK;
    for (size_t row = 0; row < ww_csv_rows(csv) && status == WW_OK; row++) {
        double of_mm2 = 0, sms = 0, published = 0, area_m2 = 0;
        gpu_values v = {0};
        status = ww_csv_double(csv, row, at[4], &of_mm2, err);
        status = status == WW_OK ? ww_csv_double(csv, row, at[5], &sms, err) : status;
        status = status == WW_OK ? ww_csv_double(csv, row, at[6], &published, err) : status;
        status = status == WW_OK ? values_of(ww_csv_text(csv, row, at[2]), &v, err) : status;
        status = status == WW_OK ? tables_m2(list, dir, ww_csv_text(csv, row, at[1]), &area_m2, err)
                                 : status;
        if (status == WW_OK) {
            ww_table_text(t, ww_csv_text(csv, row, at[0]));
            ww_table_text(t, ww_csv_text(csv, row, at[3]));
            ww_table_number(t, area_m2 * 1e6, 4);
            ww_table_number(t, published, 2);
            ww_table_number(t, 100 * area_m2 * sms / (of_mm2 * 1e-6), 2);
            ww_table_number(t, 100 * area_m2 / v.sm_m2, 2);
            ww_table_text(t, ww_csv_text(csv, row, at[7]));
        }
    }
    ww_structures_destroy(list);
    return status;
}

/* ---- the command ---- */

static ww_status load(ww_arena *arena, const char *name, ww_csv **out, ww_error *err)
{
    const char *path = NULL;
    WW_TRY(ww_validation_file(arena, name, &path, err));
    return ww_csv_load(path, out, err);
}

static ww_status show(const ww_args *args, ww_table *t, const char *title, ww_error *err)
{
    if (ww_args_has(args, "markdown")) {
        printf("**%s**\n\n", title);
        WW_TRY(ww_table_print_markdown(t, stdout, err));
        putchar('\n');
        return WW_OK;
    }
    printf("%s\n", title);
    return ww_table_print(t, false, stdout, err);
}

static ww_status print_document(const ww_table *table, size_t count, ww_error *err)
{
    ww_str text = {0};
    ww_json json;
    ww_json_init(&json, &text, 2);
    ww_json_object(&json, NULL);
    for (size_t i = 0; i < count; i++) {
        ww_table_put_json(&table[i], &json);
    }
    ww_json_end(&json);
    return ww_json_print(&json, &text, stdout, err);
}

ww_status ww_validate_area(const ww_args *args, ww_error *err)
{
    ww_arena arena = {0};
    ww_csv *others = NULL, *overheads = NULL;
    ww_table table[3];
    static const char *const name[] = {"dies", "references", "overheads"};
    static const char *const title[] = {
        "Dies: circuits, circuits and fits, their share of the die",
        "Areas and static powers by others",
        "Tables of mechanisms at their papers' node, as a share of what the papers divide by"};
    for (size_t i = 0; i < WW_ARRAY_LEN(table); i++) {
        ww_table_init(&table[i], name[i]);
    }
    ww_status status = load(&arena, "power/area.csv", &others, err);
    status = status == WW_OK ? load(&arena, "power/overheads.csv", &overheads, err) : status;
    status = status == WW_OK ? fill_dies(&table[0], err) : status;
    status = status == WW_OK ? fill_others(&table[1], others, err) : status;
    status = status == WW_OK ? fill_overheads(&table[2], overheads, &arena, err) : status;
    bool quiet = ww_args_has(args, "quiet"), json = ww_args_has(args, "json");
    if (status == WW_OK && !quiet && json) {
        status = print_document(table, WW_ARRAY_LEN(table), err);
    }
    for (size_t i = 0; i < WW_ARRAY_LEN(table); i++) {
        if (status == WW_OK && !quiet && !json) {
            status = show(args, &table[i], title[i], err);
        }
        ww_table_fini(&table[i]);
    }
    ww_csv_destroy(others);
    ww_csv_destroy(overheads);
    ww_arena_fini(&arena);
    return status;
}
