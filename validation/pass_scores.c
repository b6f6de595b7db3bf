/* pass_scores.c - see pass_scores.h. */
#include "validation/pass_scores.h"

#include <math.h>
#include <string.h>

static bool counts(const ww_row *row, const char *group, const char *what)
{
    return strcmp(row->group, group) == 0 && strcmp(row->what, what) == 0;
}

double ww__pass_error(const ww_rows *rows, const char *group, const char *what,
                      const double *constant, size_t *of)
{
    double sum = 0;
    *of = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const ww_row *row = &rows->row[i];
        if (counts(row, group, what)) {
            sum += fabs(ww_error_of(constant != NULL ? *constant : row->ours, row->reference));
            ++*of;
        }
    }
    return *of > 0 ? sum / (double)*of : (double)NAN;
}

/* One of the references is it. */
double ww__pass_constant_error(const ww_rows *rows, const char *group, const char *what)
{
    double best = NAN;
    for (size_t i = 0; i < rows->count; i++) {
        if (counts(&rows->row[i], group, what)) {
            size_t of;
            double error = ww__pass_error(rows, group, what, &rows->row[i].reference, &of);
            best = isnan(best) || error < best ? error : best;
        }
    }
    return best;
}

/* Place in order, of equal numbers their mean. */
static double place(const ww_rows *rows, double number, bool ours)
{
    double below = 0, same = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const ww_row *row = &rows->row[i];
        if (strcmp(row->what, "energy") == 0) {
            double x = ours ? row->ours : row->reference;
            below += x < number;
            same += x == number;
        }
    }
    return below + (same - 1) / 2;
}

double ww__pass_rank_correlation(const ww_rows *rows, size_t *of)
{
    double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const ww_row *row = &rows->row[i];
        if (strcmp(row->what, "energy") != 0) {
            continue;
        }
        double a = place(rows, row->ours, true), b = place(rows, row->reference, false);
        n++;
        x += a;
        y += b;
        xx += a * a;
        yy += b * b;
        xy += a * b;
    }
    *of = (size_t)n;
    return (n * xy - x * y) / sqrt((n * xx - x * x) * (n * yy - y * y));
}

/* ---- series of clocks ---- */

/* Length of a pass's name without its clock: what a series has in common. */
static size_t series_of(const ww_row *row)
{
    return (size_t)(strrchr(row->subject, '-') - row->subject);
}

static bool in_series(const ww_row *row, const ww_row *of)
{
    return counts(row, of->group, "energy") && series_of(row) == series_of(of) &&
           strncmp(row->subject, of->subject, series_of(of)) == 0;
}

ww__series_error ww__pass_series(const ww_rows *rows)
{
    ww__series_error e = {0};
    for (size_t i = 0; i < rows->count; i++) {
        const ww_row *row = &rows->row[i];
        double least = INFINITY, ours = INFINITY;
        size_t clocks = 0;
        if (!counts(row, "a100-dvfs", "energy")) {
            continue;
        }
        for (size_t j = 0; j < rows->count; j++) {
            if (in_series(&rows->row[j], row)) {
                least = fmin(least, rows->row[j].reference);
                ours = fmin(ours, rows->row[j].ours);
                clocks++;
            }
        }
        if (clocks > 2) {
            double error = fabs(row->ours / ours / (row->reference / least) - 1);
            e.sum += error;
            e.most = fmax(e.most, error);
            e.of++;
        }
    }
    return e;
}
