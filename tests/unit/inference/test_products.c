/* Do the kernels of products and convolutions compute what they are for, over ragged and random
 * shapes, on the CPU's word? */
#include <stdlib.h>

#include "tests/unit/inference/operator_fixture.h"

typedef struct product {
    const ww_operator_tile *tile;
    const char *unit; /* of its kernels; the layout is appended */
    numbers number;
    bool b_along_n, bias, residual;
    int act, batch, m, n, k;
    int splits; /* of K; 0 and 1: none */
} product;

static int padded(int n)
{
    return (n + 7) / 8 * 8;
}

static void drop_all(fixture *f, const array *const *arrays, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        drop(f, arrays[i]);
    }
}

/* Where the arrays of a product lie. */
typedef struct layout {
    int lda, ldb, ldc;
    int64_t a, b, c; /* numbers of a matrix */
} layout;

static layout layout_of(const product *p)
{
    layout l = {.lda = padded(p->k), .ldc = padded(p->n)};
    l.ldb = p->b_along_n ? l.ldc : l.lda;
    l.a = (int64_t)p->m * l.lda;
    l.b = (int64_t)(p->b_along_n ? p->k : p->n) * l.ldb;
    l.c = (int64_t)p->m * l.ldc;
    return l;
}

static double sum_of(const product *p, const layout *l, const array *a, const array *b, int g,
                     int i, int j)
{
    double sum = 0;
    for (int k = 0; k < p->k; k++) {
        int64_t at = p->b_along_n ? (int64_t)k * l->ldb + j : (int64_t)j * l->ldb + k;
        sum += value(a, g * l->a + (int64_t)i * l->lda + k) * value(b, g * l->b + at);
    }
    return sum;
}

static void check_product(fixture *f, const product *p)
{
    const ww_operator_tile *t = p->tile;
    const layout l = layout_of(p);
    const size_t batch = (size_t)p->batch;
    array a = make(f, batch * (size_t)l.a, p->number), b = make(f, batch * (size_t)l.b, p->number);
    array c = make(f, batch * (size_t)l.c, p->number), was = make(f, c.count, p->number);
    array bias = make(f, (size_t)l.ldc, p->number), residual = make(f, c.count, p->number);
    memcpy(was.host, c.host, bytes_of(&c));
    ww_devptr none = 0;
    int splits = p->splits > 1 ? p->splits : 1;
    array partial = make(f, splits > 1 ? (size_t)l.c * (size_t)splits : 1, F32);
    float alpha = 0.5f;
    char kernel[48];
    snprintf(kernel, sizeof kernel, "%s_%s_%ux%u", p->unit, p->b_along_n ? "nn" : "tn", t->m, t->n);
    char unit[32];
    snprintf(unit, sizeof unit, "%s_%s", p->unit, p->b_along_n ? "nn" : "tn");
    uint32_t ctas = (((uint32_t)p->m + t->m - 1) / t->m) * (((uint32_t)p->n + t->n - 1) / t->n) *
                    (uint32_t)(p->batch * splits);
    launch(f, unit, kernel, ctas, t->threads, t->shared_bytes,
           ARGS(&a.device, &b.device, &c.device, p->bias ? &bias.device : &none,
                p->residual ? &residual.device : &none, &partial.device, &p->m, &p->n, &p->k,
                &l.lda, &l.ldb, &l.ldc, &l.a, &l.b, &l.c, &splits, &p->act, &alpha));
    if (splits > 1) {
        launch(f, "reduce",
               p->number == BF16  ? "reduce_bf16"
               : p->number == F16 ? "reduce_f16"
                                  : "reduce_fp32",
               (uint32_t)((l.c / 4 + WW_REDUCE_THREADS - 1) / WW_REDUCE_THREADS), WW_REDUCE_THREADS,
               0,
               ARGS(&partial.device, &c.device, p->bias ? &bias.device : &none,
                    p->residual ? &residual.device : &none, &l.c, &p->n, &l.ldc, &splits, &p->act,
                    &alpha));
    }
    for (int64_t at = 0; at < (int64_t)c.count; at++) {
        int g = (int)(at / l.c), i = (int)(at % l.c / l.ldc), j = (int)(at % l.ldc);
        if (j >= p->n) {
            assert_near(value(&c, at), value(&was, at), 0, 0); /* beyond the edge */
            continue;
        }
        double x = (double)alpha * sum_of(p, &l, &a, &b, g, i, j) + (p->bias ? value(&bias, j) : 0);
        double sum = rounded(x, p->number);
        double want = rounded((double)activate((float)sum, p->act), p->number);
        want += p->residual ? value(&residual, at) : 0;
        if (!(fabs(value(&c, at) - want) <= 0.005 * fabs(want) + 1e-3)) {
            fail_msg("%s %dx%dx%dx%d: [%d][%d][%d] is %g, expected %g", kernel, p->batch, p->m,
                     p->n, p->k, g, i, j, value(&c, at), want);
        }
    }
    drop_all(f, (const array *[]){&a, &b, &c, &was, &bias, &residual, &partial}, 7);
}

static void check_random(fixture *f, const ww_operator_tile *tile, const char *unit, numbers number)
{
    for (int turn = 0; turn < 4; turn++) {
        bool lanes = number == F32; /* no activation and residual there */
        product p = {.tile = tile,
                     .unit = unit,
                     .number = number,
                     .b_along_n = turn % 2 == 1,
                     .bias = turn >= 2,
                     .residual = turn == 2 && !lanes,
                     .act = turn == 0 || lanes ? 0 : (int)(next(f) % 4),
                     .batch = turn == 1 ? 2 : 1,
                     .m = (int)from_to(f, 1, tile->m + 20),
                     .n = (int)from_to(f, 1, tile->n + 20),
                     .k = (int)from_to(f, 1, 300)};
        check_product(f, &p);
    }
}

static const char *lanes_unit(const ww_operator_tile *tile)
{
    return tile->slices > 0 ? "sgemm_sliced" : "sgemm";
}

static void products_are_those_of_the_cpu(void **state)
{
    size_t count;
    const ww_operator_tile *tiles = ww_operator_tiles(&count);
    for (size_t t = 0; t < count; t++) {
        check_random(*state, &tiles[t], "gemm_bf16", BF16);
        check_random(*state, &tiles[t], "gemm_f16", F16);
    }
    tiles = ww_operator_sgemm_tiles(&count);
    for (size_t t = 0; t < count; t++) {
        check_random(*state, &tiles[t], lanes_unit(&tiles[t]), F32);
    }
}

/* A row, a column, one number, K below a chunk: what decoding and tiny heads ask for. */
static void degenerate_products_are_right(void **state)
{
    static const int shapes[][3] = {{1, 1, 1}, {1, 70, 64}, {70, 1, 40}, {3, 5, 7}, {129, 65, 33}};
    size_t count, lanes_count;
    const ww_operator_tile *tiles = ww_operator_tiles(&count);
    const ww_operator_tile *lanes_tiles = ww_operator_sgemm_tiles(&lanes_count);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        product p = {.tile = &tiles[count - 1 - i % 2],
                     .unit = "gemm_bf16",
                     .number = BF16,
                     .b_along_n = i % 2 == 0,
                     .batch = 1,
                     .m = shapes[i][0],
                     .n = shapes[i][1],
                     .k = shapes[i][2]};
        check_product(*state, &p);
        p.tile = &lanes_tiles[i % lanes_count];
        p.unit = lanes_unit(p.tile);
        p.number = F32;
        check_product(*state, &p);
    }
}

/* Parts of K, of which the last may have fewer stages or none, and the kernel that sums them. */
static void split_products_are_right(void **state)
{
    static const int shapes[][4] = {{5, 70, 1000, 4}, {130, 64, 300, 3}, {64, 9, 129, 8}};
    size_t count, lanes_count;
    const ww_operator_tile *tiles = ww_operator_tiles(&count);
    const ww_operator_tile *lanes_tiles = ww_operator_sgemm_tiles(&lanes_count);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        product p = {.tile = &tiles[i % count],
                     .unit = i % 2 == 0 ? "gemm_bf16" : "gemm_f16",
                     .number = i % 2 == 0 ? BF16 : F16,
                     .b_along_n = i % 2 == 0,
                     .bias = true,
                     .residual = i == 1,
                     .act = (int)i,
                     .batch = 1,
                     .m = shapes[i][0],
                     .n = shapes[i][1],
                     .k = shapes[i][2],
                     .splits = shapes[i][3]};
        check_product(*state, &p);
        p.tile = &lanes_tiles[i % lanes_count];
        p.unit = lanes_unit(p.tile);
        p.number = F32;
        check_product(*state, &p);
    }
}

/* ---- numbers of other than 16 bits ---- */

/* Numbers of e4m3 that are multiples of a quarter up to 1.75, and their codes. */
static uint8_t to_e4m3(int quarters)
{
    const int size = abs(quarters);
    const int sign = quarters < 0 ? 0x80 : 0;
    return (uint8_t)(sign | (size == 0   ? 0
                             : size == 1 ? 5 << 3
                             : size < 4  ? 6 << 3 | (size - 2) << 2
                                         : 7 << 3 | (size - 4) << 1));
}

/* A and B along K, of bytes (8-bit integers or floats) or of tf32; results float, or bf16 of e4m3.
 */
static void check_other(fixture *f, const ww_operator_tile *t, const char *number, int m, int n,
                        int k)
{
    const bool tf32 = strcmp(number, "tf32") == 0, e4m3 = strcmp(number, "e4m3") == 0;
    int lda = (k + 15) / 16 * 16, ldc = padded(n), splits = 1, act = 0;
    array a = make(f, (size_t)(m * lda), F32), b = make(f, (size_t)(n * lda), F32);
    array c = make(f, (size_t)(m * ldc), e4m3 ? BF16 : F32);
    int *quarters[2] = {calloc(a.count, sizeof(int)), calloc(b.count, sizeof(int))};
    assert_true(quarters[0] != NULL && quarters[1] != NULL);
    for (int side = 0; side < 2; side++) {
        array *x = side == 0 ? &a : &b;
        for (size_t i = 0; i < x->count; i++) {
            int q = (int)(next(f) % 15) - 7;
            quarters[side][i] = q;
            if (tf32) {
                ((float *)x->host)[i] = (float)q / 4;
            } else {
                ((uint8_t *)x->host)[i] = e4m3 ? to_e4m3(q) : (uint8_t)(int8_t)q;
            }
        }
    }
    char kernel[48], unit[32];
    snprintf(unit, sizeof unit, "gemm_%s_tn", number);
    snprintf(kernel, sizeof kernel, "%s_%ux%u", unit, t->m, t->n);
    uint32_t ctas = ((uint32_t)m + t->m - 1) / t->m * (((uint32_t)n + t->n - 1) / t->n);
    int64_t stride = 0;
    ww_devptr none = 0;
    float alpha = 1;
    launch(f, unit, kernel, ctas, t->threads, t->shared_bytes,
           ARGS(&a.device, &b.device, &c.device, &none, &none, &none, &m, &n, &k, &lda, &lda, &ldc,
                &stride, &stride, &stride, &splits, &act, &alpha));
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            int sum = 0;
            for (int x = 0; x < k; x++) {
                sum += quarters[0][i * lda + x] * quarters[1][j * lda + x];
            }
            double want = strcmp(number, "s8") == 0 ? sum : sum / 16.0;
            assert_near(value(&c, (int64_t)i * ldc + j), rounded(want, c.number), 0, 0);
        }
    }
    free(quarters[0]);
    free(quarters[1]);
    drop_all(f, (const array *[]){&a, &b, &c}, 3);
}

static void products_of_other_numbers_are_exact(void **state)
{
    static const char *const numbers_of[] = {"s8", "tf32"};
    size_t count;
    const ww_operator_tile *tiles = ww_operator_tiles(&count);
    for (size_t t = 0; t < count; t++) {
        for (size_t i = 0; i < 2; i++) {
            check_other(*state, &tiles[t], numbers_of[i], (int)tiles[t].m + 3, 70, 100);
            check_other(*state, &tiles[t], numbers_of[i], 5, (int)tiles[t].n, 33);
        }
    }
}

/* On a machine that has them. */
static void products_of_8_bit_floats_are_exact(void **state)
{
    fixture f = {.random = 3};
    ww_error err = {0};
    (void)state;
    assert_ok(ww_arch_load("rtx4090", NULL, 0, &f.arch, &err), err);
    const ww_device_options options = {.isa = WW_ISA_DESCRIBED, .functional_only = true};
    assert_ok(ww_device_create(f.arch, &options, &f.device, &err), err);
    size_t count;
    const ww_operator_tile *tiles = ww_operator_tiles(&count);
    for (size_t t = 2; t < count; t++) {
        check_other(&f, &tiles[t], "e4m3", (int)tiles[t].m + 3, 70, 100);
    }
    ww_device_destroy(f.device);
    ww_arch_destroy(f.arch);
}

/* ---- convolutions ---- */

typedef struct conv {
    int images, c, hw, n, rs, stride, padding, out;
} conv;

/* One result: of all input channels, or of its own. */
static double window_sum(const conv *v, const array *x, const array *w, bool depthwise, int image,
                         int row, int column, int n)
{
    double sum = 0;
    for (int r = 0; r < v->rs; r++) {
        for (int s = 0; s < v->rs; s++) {
            int y = row * v->stride - v->padding + r, z = column * v->stride - v->padding + s;
            if (y < 0 || z < 0 || y >= v->hw || z >= v->hw) {
                continue;
            }
            int64_t at = (((int64_t)image * v->hw + y) * v->hw + z) * v->c;
            for (int c = 0; c < (depthwise ? 1 : v->c); c++) {
                int64_t weight = depthwise
                                     ? (int64_t)(r * v->rs + s) * v->c + n
                                     : ((int64_t)n * v->rs * v->rs + r * v->rs + s) * v->c + c;
                sum += value(x, at + (depthwise ? n : c)) * value(w, weight);
            }
        }
    }
    return sum;
}

static void check_conv(fixture *f, conv v, const char *unit, const char *kernel,
                       const ww_operator_tile *tile, numbers number)
{
    v.out = (v.hw + 2 * v.padding - v.rs) / v.stride + 1;
    const bool depthwise = tile == NULL;
    const size_t pixels = (size_t)(v.images * v.out * v.out), window = (size_t)(v.rs * v.rs * v.c);
    array x = make(f, (size_t)(v.images * v.hw * v.hw * v.c), number);
    array w = make(f, depthwise ? window : window * (size_t)v.n, number);
    array y = make(f, pixels * (size_t)v.n, number), bias = make(f, (size_t)v.n, number);
    int k = (int)window, act = 0;
    if (depthwise) {
        size_t threads = y.count * (number == F32 ? 4 : 2) / 16;
        launch(f, unit, kernel, (uint32_t)(threads + 255) / 256, WW_DEPTHWISE_THREADS, 0,
               ARGS(&x.device, &w.device, &y.device, &v.images, &v.c, &v.hw, &v.rs, &v.stride,
                    &v.padding, &v.out));
    } else {
        uint32_t ctas =
            ((uint32_t)pixels + tile->m - 1) / tile->m * (((uint32_t)v.n + tile->n - 1) / tile->n);
        launch(f, unit, kernel, ctas, tile->threads, tile->shared_bytes,
               ARGS(&x.device, &w.device, &y.device, &bias.device, &v.images, &v.c, &v.hw, &v.n,
                    &v.rs, &v.stride, &v.padding, &v.out, &k, &act));
    }
    for (size_t at = 0; at < y.count; at++) {
        int n = (int)(at % (size_t)v.n), pixel = (int)(at / (size_t)v.n);
        double want = window_sum(&v, &x, &w, depthwise, pixel / v.out / v.out,
                                 pixel / v.out % v.out, pixel % v.out, n);
        want += depthwise ? 0 : value(&bias, n);
        if (!(fabs(value(&y, (int64_t)at) - want) <= 0.005 * fabs(want) + 1e-3)) {
            fail_msg("%s, %d channels, %d, window %d/%d: pixel %d channel %d is %g, expected %g",
                     kernel, v.c, v.hw, v.rs, v.stride, pixel, n, value(&y, (int64_t)at), want);
        }
    }
    drop_all(f, (const array *[]){&x, &w, &y, &bias}, 4);
}

/* Stems with padded channels, 3 x 3 with and without a step, 1 x 1, patches, channels that end
 * within a stage. */
static void convolutions_are_those_of_the_cpu(void **state)
{
    static const conv shapes[] = {{1, 8, 18, 64, 7, 2, 3, 0},  {2, 16, 9, 24, 3, 1, 1, 0},
                                  {1, 24, 11, 72, 3, 2, 1, 0}, {3, 40, 6, 16, 1, 1, 0, 0},
                                  {1, 8, 16, 32, 4, 4, 0, 0},  {2, 72, 8, 136, 1, 2, 0, 0}};
    size_t count;
    const ww_operator_tile *tiles = ww_operator_tiles(&count);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        for (size_t t = i % 2; t < count; t += 2) {
            char kernel[48];
            snprintf(kernel, sizeof kernel, "conv_bf16_%ux%u", tiles[t].m, tiles[t].n);
            check_conv(*state, shapes[i], "conv_bf16", kernel, &tiles[t], BF16);
            snprintf(kernel, sizeof kernel, "conv_tf32_%ux%u", tiles[t].m, tiles[t].n);
            check_conv(*state, shapes[i], "conv_tf32", kernel, &tiles[t], F32);
        }
    }
}

static void depthwise_convolutions_are_those_of_the_cpu(void **state)
{
    static const conv shapes[] = {
        {2, 16, 9, 16, 3, 1, 1, 0}, {1, 40, 12, 40, 3, 2, 1, 0}, {1, 8, 5, 8, 5, 1, 2, 0}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        check_conv(*state, shapes[i], "depthwise", "depthwise_bf16", NULL, BF16);
        check_conv(*state, shapes[i], "depthwise", "depthwise_f16", NULL, F16);
        check_conv(*state, shapes[i], "depthwise", "depthwise_fp32", NULL, F32);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_the_cpu),
        cmocka_unit_test(degenerate_products_are_right),
        cmocka_unit_test(split_products_are_right),
        cmocka_unit_test(products_of_other_numbers_are_exact),
        cmocka_unit_test(products_of_8_bit_floats_are_exact),
        cmocka_unit_test(convolutions_are_those_of_the_cpu),
        cmocka_unit_test(depthwise_convolutions_are_those_of_the_cpu),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
