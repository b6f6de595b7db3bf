/* measured_sum.c - how far powers of kernels are from measured ones: ours, those of the one power
 * that fits best, and AccelWattch's, over the same kernels; and whether uncertainties hold. */
#include <math.h>
#include <string.h>

#include "validation/measured.h"
#include "validation/spread.h"

/* What the rows of a selection come to. */
typedef struct sums {
    ww_spread ours, peer[WW_ROW_PEERS];
    ww_sureness sure;
    double pearson, constant;
} sums;

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
    return WW_OK;
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
                                       "constant_pct",
                                       "accelwattch_sass_pct",
                                       "accelwattch_ptx_pct",
                                       "inside_95_pct",
                                       "rms_sigma",
                                       "half_width_pct"};
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
