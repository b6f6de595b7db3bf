/* structures.c - `warpwatt validate structures`: what the structures of published mechanisms cost
 * here, beside what their papers print, with the assumption behind the difference. No bars: what a
 * paper assumes of its tables is rarely printed whole. */
#include "tech/structures.h"

#include "base/configs.h"
#include "validation/compare.h"

/* Printed in the units that papers use. */
static const struct {
    const char *unit;
    double scale;
    int digits;
} SHOWN[WW_FIGURE_QUANTITY_COUNT] = {
    [WW_FIGURE_READ] = {"pJ", 1e12, 2},   [WW_FIGURE_WRITE] = {"pJ", 1e12, 2},
    [WW_FIGURE_ACCESS] = {"pJ", 1e12, 2}, [WW_FIGURE_LEAKAGE] = {"uW", 1e6, 0},
    [WW_FIGURE_AREA] = {"mm2", 1e6, 4},   [WW_FIGURE_STORAGE] = {"B", 1, 0},
};

static ww_status add_figure(ww_rows *rows, const ww_structures *list, const ww_figure *f,
                            const char *dir, ww_error *err)
{
    double ours, scale = SHOWN[f->quantity].scale;
    const char *what = ww_arena_printf(&rows->arena, "%s%s", ww_figure_quantity_name(f->quantity),
                                       f->at_most ? ", at most" : "");
    ww_row row = ww_row_of(f->of, what, SHOWN[f->quantity].unit);
    WW_TRY(what != NULL ? WW_OK : ww_no_memory(err));
    WW_TRY(ww_structures_ours(list, f, dir, &ours, err));
    row.reference = f->value * scale;
    row.ours = ours * scale;
    row.digits = SHOWN[f->quantity].digits;
    row.source = f->source;
    row.note = f->assumption;
    return ww_rows_add(rows, &row, err);
}

static ww_status compare(const ww_validation *asked, const ww_structures *list, const char *dir,
                         ww_rows *rows, ww_error *err)
{
    static const ww_column shown[] = {
        {"structure", .field = WW_SHOW_SUBJECT},
        {"quantity", .field = WW_SHOW_WHAT},
        {"paper", .field = WW_SHOW_REFERENCE, .digits = WW_DIGITS_OF_ROW},
        {"warpwatt", .field = WW_SHOW_OURS, .digits = WW_DIGITS_OF_ROW},
        {"unit", .field = WW_SHOW_UNIT},
        {"ratio", .field = WW_SHOW_RATIO, .digits = 2},
        {"source", .field = WW_SHOW_SOURCE},
        {"assumption", .field = WW_SHOW_NOTE},
    };
    for (size_t i = 0; i < ww_structures_figures(list); i++) {
        WW_TRY(add_figure(rows, list, ww_structures_figure(list, i), dir, err));
    }
    WW_TRY(ww_rows_print(rows, "structures", shown, WW_ARRAY_LEN(shown), &asked->output, err));
    return ww_judge_all(rows, NULL, "structures.xml", err);
}

ww_status ww_validate_structures(const ww_validation *asked, ww_error *err)
{
    ww_rows rows = {.count = 0};
    ww_structures *list = NULL;
    const char *dir = NULL;
    ww_status status = ww_configs_dir(&rows.arena, "tech", &dir, err);
    status = status == WW_OK ? ww_structures_load(dir, &list, err) : status;
    status = status == WW_OK ? compare(asked, list, dir, &rows, err) : status;
    ww_rows_fini(&rows);
    ww_structures_destroy(list);
    return status;
}
