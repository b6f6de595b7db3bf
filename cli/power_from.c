/* power_from.c - activity that another program counted, charged to a machine of ours. */
#include "cli/power_from.h"

#include <string.h>

#include "analysis/estimated.h"

ww_status ww_power_from_load(const ww_args *args, const ww_arch *arch, ww_foreign_activity *out,
                             ww_error *err)
{
    const char *paths[WW_FOREIGN_MOST_FILES];
    size_t count = 0, given = ww_args_count(args, "activity");
    ww_foreign_source source;
    *out = (ww_foreign_activity){0};
    WW_TRY(ww_foreign_find(ww_args_value(args, "from"), &source, err));
    if (given + args->positional_count == 0) {
        return ww_fail(err, WW_EUSAGE, "--from %s needs the file of its output",
                       ww_foreign_name(source));
    }
    if (given + args->positional_count > WW_FOREIGN_MOST_FILES) {
        return ww_fail(err, WW_EUSAGE, "more than %d files of one run", WW_FOREIGN_MOST_FILES);
    }
    for (size_t i = 0; i < given; i++) {
        paths[count++] = ww_args_nth(args, "activity", i);
    }
    for (size_t i = 0; i < args->positional_count; i++) {
        paths[count++] = args->positional[i];
    }
    const ww_foreign_machine machine = ww_foreign_machine_of(arch);
    return ww_foreign_load(source, paths, count, &machine, out, err);
}

/* ---- what rests on estimates ---- */

/* How many launches know a counter in one way. */
static size_t count_telling(const ww_foreign_activity *foreign, int counter, ww_telling how)
{
    size_t n = 0;
    for (size_t i = 0; i < foreign->activity->launch_count; i++) {
        n += foreign->telling[i][counter] == how;
    }
    return n;
}

/* Every rule that may have been taken: "a * b, else c". */
static const char *rules_of(ww_table *table, int counter)
{
    size_t count;
    const ww_foreign_row *row = ww_foreign_rows(WW_FROM_COUNT, &count);
    const char *text = "";
    for (size_t i = 0; i < count && text != NULL; i++) {
        if ((int)row[i].counter == counter) {
            text = ww_arena_printf(&table->arena, "%s%s%s (%s)", text,
                                   *text != '\0' ? ", else " : "", row[i].expression, row[i].note);
        }
    }
    return text != NULL ? text : "";
}

ww_status ww_power_from_table(const ww_power_model *model, const ww_foreign_activity *foreign,
                              bool all, ww_table *table, ww_error *err)
{
    ww_table_init(table, "not_told");
    ww_table_head(table, "counter");
    ww_table_head(table, "energy_uj");
    ww_table_head(table, "rule");
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        size_t estimated = count_telling(foreign, c, WW_ESTIMATED);
        size_t unknown = count_telling(foreign, c, WW_UNTOLD);
        double joules;
        if (ww_power_consumers(model, (ww_counter)c) == 0 || estimated + unknown == 0) {
            continue;
        }
        WW_TRY(ww_estimated_of(model, foreign, (ww_counter)c, &joules, err));
        if (!all && joules == 0 && unknown == 0) {
            continue;
        }
        ww_table_text(table, ww_counter_describe((ww_counter)c)->name);
        ww_table_number(table, joules * 1e6, 3);
        ww_table_text(table, unknown > 0 ? "unknown, not charged" : rules_of(table, c));
    }
    return WW_OK;
}
