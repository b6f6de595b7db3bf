/* ccl.c - driver of the component labelling; the reference joins neighbours in disjoint sets. */
#include "workloads/support.h"

#define EDGE       16 /* of a CTA of the scan */
#define THREADS    256
#define BACKGROUND (-1)

typedef struct image {
    int32_t width, height, pixels;
    int32_t *label; /* a foreground pixel's own number at first */
} image;

/* A random image with 55 % foreground, not far from where components become as large as the
 * image. */
static ww_status make_image(ww__bench *bench, image *m)
{
    WW_TRY(ww__host_array(bench, (size_t)m->pixels, sizeof *m->label, &m->label));
    for (int32_t p = 0; p < m->pixels; p++) {
        m->label[p] = ww__random_below(bench, 100) < 55 ? p : BACKGROUND;
    }
    return WW_OK;
}

static ww_status label_on_device(ww__bench *bench, const image *m, int32_t **out)
{
    const size_t bytes = (size_t)m->pixels * sizeof *m->label;
    const ww_dim3 tiles =
        ww__dim(ww__pieces((size_t)m->width, EDGE), ww__pieces((size_t)m->height, EDGE));
    const ww_dim3 line = ww__dim(ww__pieces((size_t)m->pixels, THREADS), 1);
    ww_devptr label, parent, root, flag;
    int32_t changed = 1;

    WW_TRY(ww__upload(bench, m->label, bytes, &label));
    WW_TRY(ww__upload(bench, m->label, bytes, &parent));
    WW_TRY(ww__buffer(bench, bytes, &root));
    WW_TRY(ww__buffer(bench, sizeof changed, &flag));
    /* Every round but the last lowers a label. */
    for (int32_t round = 0; changed != 0 && round <= m->pixels; round++) {
        changed = 0;
        WW_TRY(ww_device_write(bench->device, flag, &changed, sizeof changed, bench->err));
        WW_TRY(WW__LAUNCH(bench, "ccl_scan", tiles, ww__dim(EDGE, EDGE), 0, &label, &parent,
                          &m->width, &m->height, &flag));
        WW_TRY(ww_device_read(bench->device, &changed, flag, sizeof changed, bench->err));
        if (changed != 0) {
            WW_TRY(WW__LAUNCH(bench, "ccl_analysis", line, ww__dim(THREADS, 1), 0, &label, &parent,
                              &root, &m->pixels));
            WW_TRY(WW__LAUNCH(bench, "ccl_relabel", line, ww__dim(THREADS, 1), 0, &label, &root,
                              &parent, &m->pixels));
        }
    }
    return ww__download(bench, label, bytes, out);
}

static int32_t find(int32_t *set, int32_t p)
{
    while (set[p] != p) {
        set[p] = set[set[p]];
        p = set[p];
    }
    return p;
}

/* Joins the sets of two pixels if both are foreground; the smaller number represents them. */
static void join(int32_t *set, int32_t p, int32_t q)
{
    if (set[p] == BACKGROUND || set[q] == BACKGROUND) {
        return;
    }
    const int32_t a = find(set, p);
    const int32_t b = find(set, q);
    set[a > b ? a : b] = a > b ? b : a;
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const int32_t widths[] = {61, 256, 384, 512};
    static const int32_t heights[] = {35, 256, 384, 512};
    image m = {.width = widths[size], .height = heights[size]};
    m.pixels = m.width * m.height;
    int32_t *actual, *expected;
    WW_TRY(make_image(bench, &m));
    WW_TRY(label_on_device(bench, &m, &actual));

    expected = m.label;
    for (int32_t p = 0; p < m.pixels; p++) {
        if (p % m.width > 0) {
            join(expected, p, p - 1);
        }
        if (p >= m.width) {
            join(expected, p, p - m.width);
        }
    }
    for (int32_t p = 0; p < m.pixels; p++) {
        expected[p] = expected[p] == BACKGROUND ? BACKGROUND : find(expected, p);
    }
    return ww__verify_ints(bench, "label", actual, expected, (size_t)m.pixels);
}

ww_status ww_ccl_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "ccl", &ww__ptx_ccl, size, run, err);
}
