/* product_bench.c - parts of a product of 2048 x 2048 x 2048: four CTAs, each 16 steps of a sum
 * that has come so far, and the energy of a multiply-add there. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "power/power.h"
#include "validation/products.h"

enum {
    SIZE = WW__PRODUCT_SIZE,
    TILE = WW__PRODUCT_TILE,
    DEPTH = WW__PRODUCT_DEPTH,
    CTAS = 4,
    THREADS = WW__PRODUCT_THREADS,
    PANELS = WW__PRODUCT_PANELS,
    STEPS = PANELS * DEPTH,
};

/* What the device gets: panels of A and B, a step or a row of 16 behind the other, and sums. */
typedef struct panels {
    unsigned char *a, *b;
    uint32_t *sums;
    size_t panel_bytes; /* of 16 steps; a CTA has two */
    size_t sum_count;   /* of a CTA */
} panels;

typedef struct bench {
    const ww__product *product;
    ww_arch *arch;
    ww_power_model *model;
    ww_device *device;
    double *row, *column; /* [TILE * SIZE] of A and of B, along the sum */
    panels panels;
    double joules; /* of the last launch */
    double more_j; /* than the one before it */
} bench;

static ww_status take_energy(void *user, const struct ww_launch_record *record, ww_error *err)
{
    bench *b = user;
    ww_power_result r;
    WW_TRY(ww_power_evaluate(b->model, record->counters, record, &r, err));
    b->joules = r.event_j;
    return WW_OK;
}

/* Tiles lie all over the result, and their steps all along the sum. */
static uint32_t first_row(uint32_t cta)
{
    return (4 * cta + 1) * TILE;
}

static uint32_t first_column(uint32_t cta)
{
    return (4 * cta + 2) * TILE;
}

static uint32_t first_step(uint32_t cta)
{
    return SIZE / CTAS * cta + SIZE / CTAS / 2;
}

static void put_element(unsigned char *to, uint32_t bits, uint32_t bytes)
{
    memcpy(to, &bits, bytes); /* little-endian, as the device */
}

/* The CTA's elements as numbers, up to the end of its steps, and those of its steps as bits. */
static void fill_panels(bench *b, uint32_t cta)
{
    const ww__product *p = b->product;
    const uint32_t bytes = ww__product_bytes(p->format), begin = first_step(cta);
    unsigned char *a = b->panels.a + PANELS * cta * b->panels.panel_bytes;
    unsigned char *second = b->panels.b + PANELS * cta * b->panels.panel_bytes;
    for (uint32_t i = 0; i < TILE; i++) {
        for (uint32_t k = 0; k < begin + STEPS; k++) {
            uint32_t of_a = ww__product_element(p, false, first_row(cta) + i, k, cta);
            uint32_t of_b = ww__product_element(p, true, k, first_column(cta) + i, cta);
            b->row[(size_t)i * SIZE + k] = ww__product_number(p->format, of_a);
            b->column[(size_t)i * SIZE + k] = ww__product_number(p->format, of_b);
            if (k >= begin) {
                size_t at = ww__product_offset(p->format, i, k - begin) * bytes;
                put_element(a + at, of_a, bytes);
                put_element(second + at, of_b, bytes);
            }
        }
    }
}

/* A sum of products in halves stays infinite once it was. */
static double sum_before(const bench *b, uint32_t cta, ww__product_place at)
{
    const double *a = b->row + (size_t)at.row * SIZE, *c = b->column + (size_t)at.column * SIZE;
    const double most = ww__product_packs(b->product->format) ? 65520 : (double)INFINITY;
    double sum = 0;
    for (uint32_t k = 0; k < first_step(cta); k++) {
        sum += a[k] * c[k];
        if (!(fabs(sum) < most)) {
            return sum > 0 ? (double)INFINITY : sum < 0 ? -(double)INFINITY : (double)NAN;
        }
    }
    return sum;
}

static void fill_sums(bench *b, uint32_t cta)
{
    const ww__product_format format = b->product->format;
    uint32_t *sums = b->panels.sums + cta * b->panels.sum_count;
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        for (uint32_t i = 0; i < ww__product_sums(format); i++) {
            double low = sum_before(b, cta, ww__product_place_of(format, thread, i, 0));
            uint32_t bits = ww__product_sum(format, low);
            if (ww__product_packs(format)) {
                double high = sum_before(b, cta, ww__product_place_of(format, thread, i, 1));
                bits |= ww__product_sum(format, high) << 16;
            }
            sums[(size_t)i * THREADS + thread] = bits;
        }
    }
}

static ww_status fill(bench *b, ww_error *err)
{
    panels *p = &b->panels;
    p->panel_bytes = (size_t)TILE * DEPTH * ww__product_bytes(b->product->format);
    p->sum_count = (size_t)THREADS * ww__product_sums(b->product->format);
    p->a = ww_alloc_array(CTAS * PANELS, p->panel_bytes);
    p->b = ww_alloc_array(CTAS * PANELS, p->panel_bytes);
    p->sums = ww_alloc_array(CTAS, p->sum_count * sizeof *p->sums);
    b->row = WW_NEW_ARRAY(double, (size_t)TILE *SIZE);
    b->column = WW_NEW_ARRAY(double, (size_t)TILE *SIZE);
    if (p->a == NULL || p->b == NULL || p->sums == NULL || b->row == NULL || b->column == NULL) {
        return ww_no_memory_for(err, "matrices");
    }
    for (uint32_t cta = 0; cta < CTAS; cta++) {
        fill_panels(b, cta);
        fill_sums(b, cta);
    }
    return WW_OK;
}

static ww_status send(bench *b, const void *from, size_t bytes, ww_devptr *to, ww_error *err)
{
    WW_TRY(ww_device_malloc(b->device, bytes, to, err));
    return ww_device_write(b->device, *to, from, bytes, err);
}

/* All panels pass once, so that what follows finds them in the L2: sums that come from there have
 * the same neighbours on their way in both launches, and the difference is a panel's. */
static const uint32_t panels_of[] = {PANELS, PANELS - 1, PANELS};

static ww_status launch(bench *b, ww_module *module, ww_error *err)
{
    const panels *p = &b->panels;
    ww_devptr first, second, sums;
    WW_TRY(send(b, p->a, CTAS * PANELS * p->panel_bytes, &first, err));
    WW_TRY(send(b, p->b, CTAS * PANELS * p->panel_bytes, &second, err));
    WW_TRY(send(b, p->sums, CTAS * p->sum_count * sizeof *p->sums, &sums, err));
    for (uint32_t i = 0; i < WW_ARRAY_LEN(panels_of); i++) {
        double before_j = b->joules;
        const void *args[] = {&first, &second, &sums, &panels_of[i]};
        WW_TRY(ww_device_launch(b->device, module, "product", (ww_dim3){CTAS, 1, 1},
                                (ww_dim3){THREADS, 1, 1}, 0, args, WW_ARRAY_LEN(args), err));
        b->more_j = b->joules - before_j;
    }
    return WW_OK;
}

static ww_status measure(bench *b, ww_error *err)
{
    ww_str text = {0};
    ww_module *module = NULL;
    WW_TRY(fill(b, err));
    ww__product_kernel(b->product->format, &text);
    ww_status status = ww_str_check(&text, err);
    if (status == WW_OK) {
        status =
            ww_device_load_ptx(b->device, "product", ww_str_text(&text), text.len, &module, err);
    }
    ww_str_fini(&text);
    return status == WW_OK ? launch(b, module, err) : status;
}

ww_status ww__product_energy(const char *gpu, const ww__product *product, double *out,
                             ww_error *err)
{
    bench b = {.product = product};
    const ww_device_options options = {
        .isa = WW_ISA_LOWERED, .threads = 1, .toggles = true, .on_launch = take_energy, .user = &b};
    ww_status status = ww_arch_load(gpu, NULL, 0, &b.arch, err);
    status = status == WW_OK ? ww_power_model_create(b.arch, NULL, &b.model, err) : status;
    status = status == WW_OK ? ww_device_create(b.arch, &options, &b.device, err) : status;
    status = status == WW_OK ? measure(&b, err) : status;
    *out = b.more_j / ((double)CTAS * TILE * TILE * DEPTH);
    ww_device_destroy(b.device);
    ww_power_model_destroy(b.model);
    ww_arch_destroy(b.arch);
    ww_free(b.panels.a);
    ww_free(b.panels.b);
    ww_free(b.panels.sums);
    ww_free(b.row);
    ww_free(b.column);
    return status;
}
