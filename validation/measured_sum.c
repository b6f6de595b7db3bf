/* measured_sum.c - how far powers of kernels are from measured ones: ours, those of the one power
 * that fits best, and AccelWattch's, over the same kernels; whether uncertainties hold; and how far
 * the part is that is more than idle, static and board, on whose total a constant looks good. */
#include <math.h>
#include <string.h>

#include "validation/measured.h"
#include "validation/spread.h"

/* What the rows of a selection come to. */
typedef struct sums {
    ww_spread ours, peer[WW_ROW_PEERS];
    ww_sureness sure;
    double pearson, constant;
    double rest; /* mean share of what goes with time in our powers */
    ww_spread above;
    double above_constant;
} sums;

double ww__above_rest(const ww_row *row, double watts)
{
    double above = watts - row->detail[WW__REST];
    return above > 0 ? above : (double)NAN;
}

/* The kernels' rows less what goes with time; without those that a rest exceeds. */
static ww_status rows_above(const ww_rows *rows, const ww_selection *selection, ww_rows *above,
                            double *rest, ww_error *err)
{
    size_t kernels = 0;
    *rest = 0;
    for (size_t i = 0; i < rows->count; i++) {
        ww_row row = rows->row[i];
        if (row.missing != NULL || !ww_row_is(&row, selection)) {
            continue;
        }
        kernels++;
        *rest += row.detail[WW__REST] / row.ours;
        row.reference = ww__above_rest(&row, row.reference);
        row.ours = ww__above_rest(&row, row.ours);
        if (!isnan(row.reference) && !isnan(row.ours)) {
            WW_TRY(ww_rows_add(above, &row, err));
        }
    }
    *rest = kernels > 0 ? *rest / (double)kernels : (double)NAN;
    return WW_OK;
}

static ww_status sum_up_above(const ww_rows *rows, const ww_selection *selection, sums *out,
                              ww_error *err)
{
    ww_rows above = {0};
    ww_status status = rows_above(rows, selection, &above, &out->rest, err);
    if (status == WW_OK) {
        status = ww_rows_spread(&above, selection, 0, &out->above, err);
        out->above_constant = ww_rows_constant_error(&above, selection);
    }
    ww_rows_fini(&above);
    return status;
}

static ww_status sum_up(const ww_rows *rows, const ww_selection *selection, sums *out,
                        ww_error *err)
{
    WW_TRY(ww_rows_spread(rows, selection, 0, &out->ours, err));
    for (unsigned p = 0; p < WW_ROW_PEERS; p++) {
        WW_TRY(ww_rows_spread(rows, selection, p + 1, &out->peer[p], err));
    }
    WW_TRY(ww_rows_sureness(rows, selection, &out->sure, err));
    WW_TRY(ww_rows_pearson(rows, selection, false, &out->pearson, err));
    out->constant = ww_rows_constant_error(rows, selection);
    return sum_up_above(rows, selection, out, err);
}

static void put_percent(ww_table *t, double share)
{
    ww_table_number(t, 100 * share, 1); /* empty where it is undefined */
}

static void put_row(ww_table *t, const char *gpu, const char *split, const sums *s)
{
    ww_table_text(t, gpu);
    ww_table_text(t, split);
    ww_table_count(t, s->ours.rows);
    put_percent(t, s->ours.mean);
    put_percent(t, s->ours.signed_mean);
    put_percent(t, s->ours.largest);
    ww_table_number(t, s->pearson, 2);
    put_percent(t, s->constant);
    put_percent(t, s->peer[0].mean);
    put_percent(t, s->peer[1].mean);
    put_percent(t, s->sure.inside);
    ww_table_number(t, s->sure.rms_sigma, 2);
    put_percent(t, s->sure.half_width);
    put_percent(t, s->rest);
    put_percent(t, s->above.mean);
    put_percent(t, s->above.signed_mean);
    put_percent(t, s->above_constant);
}

/* Kernels of a GPU (NULL: of all) and a split (NONE: of all). */
static ww_status put_selection(ww_table *t, const ww_rows *rows, const char *gpu, ww_split split,
                               ww_error *err)
{
    const ww_selection selection = {
        .subject = gpu, .group = WW__KERNELS, .splits = split != WW_SPLIT_NONE ? 1u << split : 0};
    sums s;
    WW_TRY(sum_up(rows, &selection, &s, err));
    if (s.ours.rows > 0) {
        put_row(t, gpu != NULL ? gpu : "all", split != WW_SPLIT_NONE ? ww_split_name(split) : "all",
                &s);
    }
    return WW_OK;
}

static bool is_kernel(const ww_row *row)
{
    return row->missing == NULL && ww_row_is(row, &(ww_selection){.group = WW__KERNELS});
}

static bool seen_before(const ww_rows *rows, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        if (is_kernel(&rows->row[j]) && strcmp(rows->row[j].subject, rows->row[i].subject) == 0) {
            return true;
        }
    }
    return false;
}

static ww_status fill(ww_table *t, const ww_rows *rows, ww_error *err)
{
    static const char *const head[] = {"gpu",
                                       "split",
                                       "kernels",
                                       "error_pct",
                                       "signed_pct",
                                       "worst_pct",
                                       "pearson",
                                       "const_pct",
                                       "sass",
                                       "ptx",
                                       "inside_pct",
                                       "rms_sigma",
                                       "half_width_pct",
                                       "rest_pct",
                                       "above_pct",
                                       "above_signed_pct",
                                       "above_const_pct"};
    static const ww_split order[] = {WW_SPLIT_USED, WW_SPLIT_LOOKED_AT, WW_SPLIT_UNSEEN,
                                     WW_SPLIT_NONE};
    ww_table_heads(t, head, WW_ARRAY_LEN(head));
    for (size_t i = 0; i < rows->count; i++) {
        const ww_row *row = &rows->row[i];
        bool first = is_kernel(row) && !seen_before(rows, i);
        for (size_t s = 0; first && s < WW_ARRAY_LEN(order); s++) {
            WW_TRY(put_selection(t, rows, row->subject, order[s], err));
        }
    }
    return put_selection(t, rows, NULL, WW_SPLIT_NONE, err);
}

ww_status ww__measured_print(const ww_rows *rows, const ww_output *output, ww_error *err)
{
    ww_table t;
    ww_table_init(&t, "kernels");
    ww_status status = fill(&t, rows, err);
    if (status == WW_OK && t.cells > t.columns) {
        fputc('\n', output->to);
        status = ww_output_table(output, &t, err);
    }
    ww_table_fini(&t);
    return status;
}
