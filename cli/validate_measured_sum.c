/* validate_measured_sum.c - how far powers of kernels are from measured ones: ours, those of the
 * one power that fits best, and AccelWattch's, over the same kernels; and whether uncertainties
 * hold. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>

#include "analysis/table.h"
#include "base/mem.h"
#include "cli/validate_measured.h"

static const double ninety_five = 1.96; /* standard uncertainties */

static double error_of_constant(const ww_measured_kernel *const *k, size_t n, double w)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += fabs(w / k[i]->measured_w - 1) / (double)n;
    }
    return sum;
}

/* A sum of |w / p - 1| has its least value at one of the p. */
static double best_constant_error(const ww_measured_kernel *const *k, size_t n)
{
    double best = (double)INFINITY;
    for (size_t i = 0; i < n; i++) {
        best = fmin(best, error_of_constant(k, n, k[i]->measured_w));
    }
    return best;
}

static double pearson(const ww_measured_kernel *const *k, size_t n)
{
    double x[512], y[512];
    if (n < 3 || n > WW_ARRAY_LEN(x)) {
        return (double)NAN;
    }
    for (size_t i = 0; i < n; i++) {
        x[i] = k[i]->measured_w;
        y[i] = k[i]->ours_w;
    }
    return gsl_stats_correlation(x, 1, y, 1, n);
}

static double median_width(const ww_measured_kernel *const *k, size_t n)
{
    double w[512];
    if (n == 0 || n > WW_ARRAY_LEN(w)) {
        return (double)NAN;
    }
    for (size_t i = 0; i < n; i++) {
        w[i] = ninety_five * k[i]->sigma_w / k[i]->ours_w;
    }
    gsl_sort(w, 1, n);
    return gsl_stats_median_from_sorted_data(w, 1, n);
}

static void add_peers(const ww_measured_kernel *k, ww_measured_sum *s)
{
    for (int p = 0; p < WW_MEASURED_PEERS; p++) {
        if (!isnan(k->peer_w[p])) {
            s->peer_error[p] += fabs(k->peer_w[p] / k->measured_w - 1);
            s->peer_kernels[p]++;
        }
    }
}

ww_measured_sum ww_measured_sum_up(const ww_measured_kernel *const *k, size_t n)
{
    ww_measured_sum s = {.kernels = n};
    double count = (double)n;
    for (size_t i = 0; i < n; i++) {
        double error = k[i]->ours_w / k[i]->measured_w - 1;
        double sigmas = (k[i]->ours_w - k[i]->measured_w) / k[i]->sigma_w;
        s.error += fabs(error) / count;
        s.signed_error += error / count;
        s.worst = fmax(s.worst, fabs(error));
        s.inside += (fabs(sigmas) <= ninety_five) / count;
        s.rms_sigma += sigmas * sigmas / count;
        add_peers(k[i], &s);
    }
    for (int p = 0; p < WW_MEASURED_PEERS; p++) {
        s.peer_error[p] /= (double)s.peer_kernels[p]; /* NAN without any */
    }
    s.rms_sigma = sqrt(s.rms_sigma);
    s.pearson = pearson(k, n);
    s.constant_error = best_constant_error(k, n);
    s.half_width = median_width(k, n);
    return s;
}

/* ---- the table ---- */

static void put_percent(ww_table *t, double share)
{
    if (isnan(share)) {
        ww_table_text(t, "");
    } else {
        ww_table_number(t, 100 * share, 1);
    }
}

static void put_row(ww_table *t, const char *gpu, const char *split, const ww_measured_sum *s)
{
    ww_table_text(t, gpu);
    ww_table_text(t, split);
    ww_table_count(t, s->kernels);
    put_percent(t, s->error);
    put_percent(t, s->signed_error);
    put_percent(t, s->worst);
    if (isnan(s->pearson)) {
        ww_table_text(t, "");
    } else {
        ww_table_number(t, s->pearson, 2);
    }
    put_percent(t, s->constant_error);
    put_percent(t, s->peer_error[0]);
    put_percent(t, s->peer_error[1]);
    put_percent(t, s->inside);
    ww_table_number(t, s->rms_sigma, 2);
    put_percent(t, s->half_width);
}

/* Kernels of a GPU and a split; NULL: of all. */
static void put_selection(ww_table *t, const ww_measured_kernel *k, size_t n,
                          const ww_measured_kernel **room, const char *gpu, const char *split)
{
    size_t taken = 0;
    for (size_t i = 0; i < n; i++) {
        if ((gpu == NULL || strcmp(k[i].gpu, gpu) == 0) &&
            (split == NULL || strcmp(k[i].split, split) == 0)) {
            room[taken++] = &k[i];
        }
    }
    if (taken > 0) {
        ww_measured_sum s = ww_measured_sum_up(room, taken);
        put_row(t, gpu != NULL ? gpu : "all", split != NULL ? split : "all", &s);
    }
}

static bool seen_before(const ww_measured_kernel *k, size_t i)
{
    for (size_t j = 0; j < i; j++) {
        if (strcmp(k[j].gpu, k[i].gpu) == 0) {
            return true;
        }
    }
    return false;
}

ww_status ww_measured_print(const ww_measured_kernel *k, size_t n, bool markdown, ww_error *err)
{
    static const char *const splits[] = {"used", "looked at", "unseen", NULL};
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
    const ww_measured_kernel **room = WW_NEW_ARRAY(const ww_measured_kernel *, n + 1);
    ww_table t;
    if (room == NULL) {
        return ww_no_memory(err);
    }
    ww_table_init(&t, "kernels");
    ww_table_heads(&t, head, WW_ARRAY_LEN(head));
    for (size_t i = 0; i < n; i++) {
        for (size_t s = 0; s < WW_ARRAY_LEN(splits) && !seen_before(k, i); s++) {
            put_selection(&t, k, n, room, k[i].gpu, splits[s]);
        }
    }
    put_selection(&t, k, n, room, NULL, NULL);
    ww_status status = markdown ? ww_table_print_markdown(&t, stdout, err)
                                : ww_table_print(&t, false, stdout, err);
    ww_table_fini(&t);
    ww_free(room);
    return status;
}
