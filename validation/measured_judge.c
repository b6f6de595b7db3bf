/* measured_judge.c - what powers of kernels and energies per event are judged by: of each card that
 * bars.csv has bars for, errors of its kernels, whether their order and their intervals hold; of an
 * energy, its own error. */
#include <math.h>
#include <string.h>

#include "validation/measured.h"
#include "validation/spread.h"

static const char comparison[] = "measured";

/* "GPU WHAT", as bars.csv has it; NULL: no memory. */
static const char *key_of(ww__comparing *c, const char *gpu, const char *what)
{
    return ww_arena_printf(&c->arena, "%s %s", gpu, what);
}

/* A statistic of a card's kernels. */
static ww_status add(ww__comparing *c, const char *gpu, const char *what, double value, size_t of,
                     ww_error *err)
{
    const char *key = key_of(c, gpu, what);
    WW_TRY(key != NULL ? WW_OK : ww_no_memory(err));
    const ww_bar *bar = ww_bars_get(c->bars, comparison, key);
    if (bar == NULL) {
        return WW_OK;
    }
    ww_row row = ww_row_of(gpu, what, "");
    row.ours = value;
    row.of = of;
    ww_judge(&row, bar, value);
    return ww_rows_add(&c->statistics, &row, err);
}

static ww_status judge_card(ww__comparing *c, const char *gpu, ww_error *err)
{
    const ww_selection selection = {.subject = gpu, .group = WW__KERNELS};
    ww_spread error;
    ww_sureness sure;
    double pearson;
    WW_TRY(ww_rows_spread(&c->rows, &selection, 0, &error, err));
    if (error.rows == 0) {
        return WW_OK;
    }
    WW_TRY(ww_rows_pearson(&c->rows, &selection, false, &pearson, err));
    WW_TRY(ww_rows_sureness(&c->rows, &selection, &sure, err));
    WW_TRY(add(c, gpu, "mean error", error.mean, error.rows, err));
    WW_TRY(add(c, gpu, "signed error", error.signed_mean, error.rows, err));
    WW_TRY(add(c, gpu, "Pearson", pearson, error.rows, err));
    WW_TRY(add(c, gpu, "half-width", sure.half_width, sure.rows, err));
    return add(c, gpu, "inside", sure.inside, sure.rows, err);
}

static bool first_of_card(const ww_rows *rows, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        if (strcmp(rows->row[j].subject, rows->row[i].subject) == 0) {
            return false;
        }
    }
    return true;
}

ww_status ww__measured_judge(ww__comparing *c, ww_error *err)
{
    for (size_t i = 0; i < c->rows.count; i++) {
        WW_TRY(first_of_card(&c->rows, i) ? judge_card(c, c->rows.row[i].subject, err) : WW_OK);
    }
    return WW_OK;
}

ww_status ww__measured_judge_energy(ww__comparing *c, ww_row *row, ww_error *err)
{
    const char *key = key_of(c, row->subject, row->what);
    WW_TRY(key != NULL ? WW_OK : ww_no_memory(err));
    ww_judge(row, ww_bars_get(c->bars, comparison, key), ww_row_error(row));
    return WW_OK;
}

/* "0.84 to 1", "up to 0.08", "from 0.85" */
static const char *show_bar(const ww_row *row, char room[WW_SHOWN_CHARS])
{
    const ww_bar *bar = row->bar;
    if (isinf(bar->low)) {
        snprintf(room, WW_SHOWN_CHARS, "up to %g", bar->high);
    } else if (isinf(bar->high)) {
        snprintf(room, WW_SHOWN_CHARS, "from %g", bar->low);
    } else {
        snprintf(room, WW_SHOWN_CHARS, "%g to %g", bar->low, bar->high);
    }
    return room;
}

static const char *show_verdict(const ww_row *row, char room[WW_SHOWN_CHARS])
{
    (void)room;
    return ww_verdict_name(row->verdict);
}

ww_status ww__measured_print_bars(const ww_rows *statistics, const ww_output *output, ww_error *err)
{
    static const ww_column shown[] = {
        {"gpu", .field = WW_SHOW_SUBJECT},
        {"statistic", .field = WW_SHOW_WHAT},
        {"value", .field = WW_SHOW_OURS, .digits = 3},
        {"bar", .field = WW_SHOW_TEXT, .text = show_bar},
        {"verdict", .field = WW_SHOW_TEXT, .text = show_verdict},
    };
    if (statistics->count == 0) {
        return WW_OK;
    }
    fputc('\n', output->to);
    return ww_rows_print(statistics, "bars", shown, WW_ARRAY_LEN(shown), output, err);
}
