/* heartwall.c - driver of the point tracker: a generated film whose quadrants move on their own,
 * and a reference that evaluates the correlation's definition in double precision. */
#include "workloads/support.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define THREADS 512

typedef struct settings {
    int32_t frame_rows, template_edge, window_edge, mask_edge, blend_period;
    float keep;
} settings;

typedef struct place {
    int32_t row, column;
} place;

typedef struct state {
    settings c;
    int32_t points, frames, frame_columns;
    int32_t convolved_edge;
    float *texture, *frame;
    place *origin, *location; /* location: as the device last reported it */
    place motion[4];          /* of each quadrant, since the first frame */
    float *pattern;           /* templates as the host expects them */
} state;

/* A random picture, smoothed so that neighbours resemble each other; values in [0, 1). */
static ww_status make_texture(ww__bench *bench, state *s)
{
    const int32_t rows = s->c.frame_rows;
    const int32_t columns = s->frame_columns;
    const size_t count = (size_t)rows * (size_t)columns;
    float *noise;
    WW_TRY(ww__random_floats(bench, count, 0.0f, 1.0f, &noise));
    WW_TRY(ww__host_array(bench, count, sizeof *s->texture, &s->texture));
    WW_TRY(ww__host_array(bench, count, sizeof *s->frame, &s->frame));
    for (int32_t i = 0; i < rows * columns; i++) {
        const int32_t below = i % rows + 1 < rows ? i + 1 : i;
        const int32_t right = i / rows + 1 < columns ? rows : 0;
        s->texture[i] =
            0.25f * ((noise[i] + noise[below]) + (noise[i + right] + noise[below + right]));
    }
    return WW_OK;
}

/* Moves every quadrant by up to step, and draws the frame with a little noise. */
static void next_frame(ww__bench *bench, state *s, int32_t step)
{
    const int32_t rows = s->c.frame_rows;
    const int32_t columns = s->frame_columns;
    for (int q = 0; q < 4; q++) {
        const uint32_t range = (uint32_t)(2 * step + 1);
        s->motion[q].row += (int32_t)ww__random_below(bench, range) - step;
        s->motion[q].column += (int32_t)ww__random_below(bench, range) - step;
    }
    for (int32_t column = 0; column < columns; column++) {
        for (int32_t row = 0; row < rows; row++) {
            const place *m = &s->motion[2 * (2 * row / rows) + 2 * column / columns];
            const int32_t from_row = (row - m->row + rows) % rows;
            const int32_t from_column = (column - m->column + columns) % columns;
            s->frame[column * rows + row] = 0.95f * s->texture[from_column * rows + from_row] +
                                            ww__random_float(bench, 0.0f, 0.05f);
        }
    }
}

/* The frame's square of that edge about a place; out is column-major like the frame. */
static void cut(const state *s, place centre, int32_t edge, double *out)
{
    for (int32_t e = 0; e < edge * edge; e++) {
        const int32_t row = centre.row - edge / 2 + e % edge;
        const int32_t column = centre.column - edge / 2 + e / edge;
        out[e] = (double)s->frame[column * s->c.frame_rows + row];
    }
}

typedef struct overlap {
    double product, sum, square; /* over the template's area at one place; zero off the window */
} overlap;

static overlap sum_overlap(const state *s, const float *pattern, const double *window, int32_t row,
                           int32_t column)
{
    const int32_t t = s->c.template_edge;
    const int32_t edge = s->c.window_edge;
    overlap o = {0};
    for (int32_t j = column - t + 1; j <= column; j++) {
        for (int32_t i = row - t + 1; i <= row; i++) {
            if (i >= 0 && i < edge && j >= 0 && j < edge) {
                const double w = window[j * edge + i];
                const int32_t e = (j - column + t - 1) * t + i - row + t - 1;
                o.product += w * (double)pattern[e];
                o.sum += w;
                o.square += w * w;
            }
        }
    }
    return o;
}

/* expected and convolved: what the device's matrices must hold for one point. */
static void correlate(const state *s, int32_t point, const double *window, double *convolved,
                      double *expected)
{
    const int32_t t = s->c.template_edge;
    const int32_t n = s->convolved_edge;
    const float *pattern = &s->pattern[point * t * t];
    const double area = (double)(t * t);
    double sum = 0.0;
    double square = 0.0;
    for (int32_t e = 0; e < t * t; e++) {
        sum += (double)pattern[e];
        square += (double)pattern[e] * (double)pattern[e];
    }
    const int32_t centre = s->c.window_edge / 2 + t / 2;
    const int32_t still_row = centre + s->location[point].row - s->origin[point].row;
    const int32_t still_column = centre + s->location[point].column - s->origin[point].column;
    const int32_t before = s->c.mask_edge / 2;
    for (int32_t e = 0; e < n * n; e++) {
        const int32_t row = e % n - still_row + before;
        const int32_t column = e / n - still_column + before;
        const overlap o = sum_overlap(s, pattern, window, e % n, e / n);
        convolved[e] = o.product;
        expected[e] = 0.0;
        if (row >= 0 && row < s->c.mask_edge && column >= 0 && column < s->c.mask_edge) {
            const double variance = (o.square - o.sum * o.sum / area) * (square - sum * sum / area);
            expected[e] = (o.product - o.sum * sum / area) / sqrt(variance);
        }
    }
}

/* The device's location must be where the expected correlation is greatest, but for rounding. */
static ww_status verify_location(ww__bench *bench, const state *s, int32_t point, place found,
                                 const double *expected)
{
    const int32_t n = s->convolved_edge;
    const int32_t centre = s->c.window_edge / 2 + s->c.template_edge / 2;
    int32_t best = 0;
    for (int32_t e = 1; e < n * n; e++) {
        best = expected[e] > expected[best] ? e : best;
    }
    const int32_t row = found.row - s->origin[point].row + centre;
    const int32_t column = found.column - s->origin[point].column + centre;
    if (row < 0 || row >= n || column < 0 || column >= n ||
        !(expected[column * n + row] >= expected[best] - 1e-4)) {
        return ww_fail(bench->err, WW_EVERIFY,
                       "%s: point %" PRId32 " at (%" PRId32 ", %" PRId32 "), expected (%" PRId32
                       ", %" PRId32 ")",
                       bench->name, point, found.row, found.column,
                       s->origin[point].row + best % n - centre,
                       s->origin[point].column + best / n - centre);
    }
    return WW_OK;
}

/* What frame 0 and every blend make of the templates. */
static void expect_patterns(state *s, const place *at, float keep, double *patch)
{
    const int32_t t = s->c.template_edge;
    for (int32_t point = 0; point < s->points; point++) {
        cut(s, at[point], t, patch);
        for (int32_t e = 0; e < t * t; e++) {
            float *value = &s->pattern[point * t * t + e];
            *value = keep * *value + (1.0f - keep) * (float)patch[e];
        }
    }
}

typedef struct device_state {
    ww_devptr frame, origin, location, templates, scratch, peaks;
    int32_t scratch_elements;
    size_t convolved_at, correlation_at; /* first element of these matrices in a point's scratch */
} device_state;

static ww_status verify_frame(ww__bench *bench, state *s, const device_state *d)
{
    const int32_t n = s->convolved_edge;
    const size_t elements = (size_t)n * (size_t)n;
    const size_t points = (size_t)s->points;
    double *window, *convolved, *expected;
    float *scratch, *peaks;
    place *found;
    WW_TRY(ww__host_array(bench, elements, sizeof *window, &window));
    WW_TRY(ww__host_array(bench, elements, sizeof *convolved, &convolved));
    WW_TRY(ww__host_array(bench, elements, sizeof *expected, &expected));
    WW_TRY(ww__download(bench, d->scratch, points * (size_t)d->scratch_elements * sizeof *scratch,
                        &scratch));
    WW_TRY(ww__download(bench, d->location, points * sizeof *found, &found));
    WW_TRY(ww__download(bench, d->peaks, points * sizeof *peaks, &peaks));
    for (int32_t point = 0; point < s->points; point++) {
        const float *own = &scratch[(size_t)point * (size_t)d->scratch_elements];
        cut(s, s->origin[point], s->c.window_edge, window);
        correlate(s, point, window, convolved, expected);
        /* Sums of positive products; and differences of running sums up to some 4,000, whose
         * rounding is small against the variance of a whole template's area, about 100. */
        WW_TRY(ww__verify_floats(bench, "convolution", own + d->convolved_at, convolved, elements,
                                 1e-5, 0.0));
        WW_TRY(ww__verify_floats(bench, "correlation", own + d->correlation_at, expected, elements,
                                 0.0, 1e-3));
        WW_TRY(verify_location(bench, s, point, found[point], expected));
        const int32_t centre = s->c.window_edge / 2 + s->c.template_edge / 2;
        const int32_t row = found[point].row - s->origin[point].row + centre;
        const int32_t column = found[point].column - s->origin[point].column + centre;
        WW_TRY(ww__verify_floats(bench, "peak", &peaks[point], &expected[column * n + row], 1, 0.0,
                                 1e-3));
    }
    s->location = found;
    return WW_OK;
}

static ww_status verify_templates(ww__bench *bench, const state *s, const device_state *d)
{
    const int32_t t = s->c.template_edge;
    const size_t count = (size_t)s->points * (size_t)(t * t);
    float *actual;
    double *expected;
    WW_TRY(ww__download(bench, d->templates, count * sizeof *actual, &actual));
    WW_TRY(ww__host_array(bench, count, sizeof *expected, &expected));
    for (size_t i = 0; i < count; i++) {
        expected[i] = (double)s->pattern[i];
    }
    return ww__verify_floats(bench, "template", actual, expected, count, 1e-6, 0.0);
}

static ww_status make_device_state(ww__bench *bench, const state *s, device_state *d)
{
    const int32_t t = s->c.template_edge;
    const int32_t w = s->c.window_edge;
    const int32_t n = s->convolved_edge;
    const int32_t p = w + 2 * t;
    const size_t points = (size_t)s->points;
    d->scratch_elements = w * w + 5 * n * n + p * p + n * p;
    d->convolved_at = (size_t)(w * w);
    d->correlation_at = (size_t)(d->scratch_elements - n * n);
    WW_TRY(ww__upload_symbol(bench, "c", &s->c, sizeof s->c));
    WW_TRY(ww__buffer(bench, (size_t)s->c.frame_rows * (size_t)s->frame_columns * sizeof *s->frame,
                      &d->frame));
    WW_TRY(ww__upload(bench, s->origin, points * sizeof *s->origin, &d->origin));
    WW_TRY(ww__upload(bench, s->location, points * sizeof *s->location, &d->location));
    WW_TRY(ww__buffer(bench, points * (size_t)(t * t) * sizeof(float), &d->templates));
    WW_TRY(ww__buffer(bench, points * (size_t)d->scratch_elements * sizeof(float), &d->scratch));
    return ww__buffer(bench, points * sizeof(float), &d->peaks);
}

static ww_status make_points(ww__bench *bench, state *s)
{
    const size_t points = (size_t)s->points;
    const size_t elements = (size_t)(s->c.template_edge * s->c.template_edge);
    WW_TRY(ww__host_array(bench, points, sizeof *s->origin, &s->origin));
    WW_TRY(ww__host_array(bench, points, sizeof *s->location, &s->location));
    WW_TRY(ww__host_array(bench, points * elements, sizeof *s->pattern, &s->pattern));
    const int32_t edge = s->c.window_edge;
    for (size_t i = 0; i < points; i++) { /* a whole window must lie on the frame */
        const uint32_t rows = (uint32_t)(s->c.frame_rows - edge);
        const uint32_t columns = (uint32_t)(s->frame_columns - edge);
        s->origin[i].row = edge / 2 + (int32_t)ww__random_below(bench, rows);
        s->origin[i].column = edge / 2 + (int32_t)ww__random_below(bench, columns);
    }
    memcpy(s->location, s->origin, points * sizeof *s->origin);
    return WW_OK;
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const struct {
        settings c;
        int32_t points, frames, frame_columns, step;
    } inputs[] = {
        {{45, 7, 13, 6, 1, 0.87f}, 2, 2, 51, 2},
        {{96, 17, 29, 10, 10, 0.87f}, 3, 2, 112, 3},
        {{96, 17, 29, 10, 10, 0.87f}, 60, 2, 112, 3},
        {{590, 51, 81, 10, 10, 0.87f}, 51, 2, 609, 3},
    };
    state s = {.c = inputs[size].c,
               .points = inputs[size].points,
               .frames = inputs[size].frames,
               .frame_columns = inputs[size].frame_columns};
    s.convolved_edge = s.c.window_edge + s.c.template_edge - 1;
    const size_t frame_bytes = (size_t)s.c.frame_rows * (size_t)s.frame_columns * sizeof *s.frame;

    device_state d;
    double *patch;
    WW_TRY(make_texture(bench, &s));
    WW_TRY(make_points(bench, &s));
    WW_TRY(make_device_state(bench, &s, &d));
    WW_TRY(ww__host_array(bench, (size_t)(s.c.template_edge * s.c.template_edge), sizeof *patch,
                          &patch));
    for (int32_t frame = 0; frame < s.frames; frame++) {
        next_frame(bench, &s, frame == 0 ? 0 : inputs[size].step);
        WW_TRY(ww_device_write(bench->device, d.frame, s.frame, frame_bytes, bench->err));
        WW_TRY(WW__LAUNCH(bench, "kernel", ww__dim((unsigned)s.points, 1), ww__dim(THREADS, 1), 0,
                          &d.frame, &frame, &d.origin, &d.location, &d.templates, &d.scratch,
                          &d.scratch_elements, &d.peaks));
        if (frame == 0) {
            expect_patterns(&s, s.origin, 0.0f, patch);
        } else {
            WW_TRY(verify_frame(bench, &s, &d));
            if (frame % s.c.blend_period == 0) {
                expect_patterns(&s, s.location, s.c.keep, patch);
            }
        }
        WW_TRY(verify_templates(bench, &s, &d));
    }
    return WW_OK;
}

ww_status ww_heartwall_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "heartwall", &ww__ptx_heartwall, size, run, err);
}
