/* validate_structures.c - `warpwatt validate structures`: what the structures of published
 * mechanisms cost here, beside what their papers print, with the assumption behind the difference.
 */
#include "analysis/table.h"
#include "base/configs.h"
#include "cli/validate.h"
#include "tech/structures.h"

/* Printed in the units that papers use. */
static const struct {
    const char *unit;
    double scale;
    int decimals;
} SHOWN[WW_FIGURE_QUANTITY_COUNT] = {
    [WW_FIGURE_READ] = {"pJ", 1e12, 2},   [WW_FIGURE_WRITE] = {"pJ", 1e12, 2},
    [WW_FIGURE_ACCESS] = {"pJ", 1e12, 2}, [WW_FIGURE_LEAKAGE] = {"uW", 1e6, 0},
    [WW_FIGURE_AREA] = {"mm2", 1e6, 4},   [WW_FIGURE_STORAGE] = {"B", 1, 0},
};

static ww_status fill(ww_table *t, const ww_structures *list, const char *dir, ww_error *err)
{
    static const char *const HEAD[] = {"structure", "quantity", "paper",  "warpwatt",
                                       "unit",      "ratio",    "source", "assumption"};
    for (size_t i = 0; i < WW_ARRAY_LEN(HEAD); i++) {
        ww_table_head(t, HEAD[i]);
    }
    for (size_t i = 0; i < ww_structures_figures(list); i++) {
        const ww_figure *f = ww_structures_figure(list, i);
        double ours, scale = SHOWN[f->quantity].scale;
        char quantity[48];
        WW_TRY(ww_structures_ours(list, f, dir, &ours, err));
        snprintf(quantity, sizeof quantity, "%s%s", ww_figure_quantity_name(f->quantity),
                 f->at_most ? ", at most" : "");
        ww_table_text(t, f->of);
        ww_table_text(t, quantity);
        ww_table_number(t, f->value * scale, SHOWN[f->quantity].decimals);
        ww_table_number(t, ours * scale, SHOWN[f->quantity].decimals);
        ww_table_text(t, SHOWN[f->quantity].unit);
        ww_table_number(t, ours / f->value, 2);
        ww_table_text(t, f->source);
        ww_table_text(t, f->assumption);
    }
    return WW_OK;
}

ww_status ww_validate_structures(const ww_args *args, ww_error *err)
{
    ww_arena arena = {0};
    ww_structures *list = NULL;
    ww_table t;
    const char *dir = NULL;
    ww_table_init(&t, "structures");
    ww_status status = ww_configs_dir(&arena, "tech", &dir, err);
    status = status == WW_OK ? ww_structures_load(dir, &list, err) : status;
    status = status == WW_OK ? fill(&t, list, dir, err) : status;
    if (status == WW_OK && !ww_args_has(args, "quiet")) {
        status = ww_args_has(args, "markdown")
                     ? ww_table_print_markdown(&t, stdout, err)
                     : ww_table_print(&t, ww_args_has(args, "json"), stdout, err);
    }
    ww_table_fini(&t);
    ww_structures_destroy(list);
    ww_arena_fini(&arena);
    return status;
}
