/* row.c - see row.h. */
#include "validation/row.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *ww_split_name(ww_split split)
{
    static const char *const names[WW_SPLITS] = {"", "used", "looked at", "unseen"};
    return names[split];
}

const char *ww_verdict_name(ww_verdict verdict)
{
    static const char *const names[WW_VERDICTS] = {
        [WW_VERDICT_SHOWN] = "shown",    [WW_VERDICT_MET] = "met",
        [WW_VERDICT_MISSED] = "MISSED",  [WW_VERDICT_MISSING] = "missing",
        [WW_VERDICT_FEW] = "not judged", [WW_VERDICT_DEPARTED] = "departure",
    };
    return names[verdict];
}

ww_row ww_row_of(const char *subject, const char *what, const char *unit)
{
    const double none = (double)NAN;
    return (ww_row){.subject = subject,
                    .what = what,
                    .unit = unit,
                    .reference = none,
                    .low = none,
                    .high = none,
                    .ours = none,
                    .sigma = none,
                    .peer = {none, none},
                    .detail = {none, none, none}};
}

double ww_error_of(double ours, double reference)
{
    if (ours == reference) {
        return 0;
    }
    if (reference == 0) {
        return isnan(ours) ? (double)NAN : (double)INFINITY;
    }
    return ours / reference - 1;
}

double ww_row_error(const ww_row *row)
{
    return ww_error_of(row->ours, row->reference);
}

ww_status ww_rows_add(ww_rows *rows, const ww_row *row, ww_error *err)
{
    if (rows->count == rows->room) {
        size_t room = rows->room != 0 ? 2 * rows->room : 64;
        ww_row *more = ww_realloc_array(rows->row, room, sizeof *more);
        if (more == NULL) {
            return ww_no_memory_for(err, "%zu rows of a comparison", room);
        }
        rows->row = more;
        rows->room = room;
    }
    rows->row[rows->count++] = *row;
    return WW_OK;
}

void ww_rows_leave_out(ww_rows *rows, const char *fmt, ...)
{
    char name[256];
    va_list list;
    va_start(list, fmt);
    vsnprintf(name, sizeof name, fmt, list);
    va_end(list);
    ww_str_addf(&rows->absent, "%s%s", rows->absent.len > 0 ? ", " : "", name);
}

void ww_rows_fini(ww_rows *rows)
{
    ww_arena_fini(&rows->arena);
    ww_free(rows->row);
    ww_str_fini(&rows->absent);
    *rows = (ww_rows){0};
}

ww_tally ww_rows_tally(const ww_rows *rows)
{
    ww_tally tally = {{0}};
    for (size_t i = 0; i < rows->count; i++) {
        tally.of[rows->row[i].verdict]++;
    }
    return tally;
}

size_t ww_tally_failed(const ww_tally *tally)
{
    return tally->of[WW_VERDICT_MISSED] + tally->of[WW_VERDICT_MISSING];
}
