/* Do the operator kernels compute what they are for, over ragged and random shapes, on the CPU's
 * word? */
#include "workloads/operators/operators.h"

#include <string.h>

#include "arch/arch.h"
#include "perf/api/device.h"
#include "tests/support/test.h"

#define ARGS(...)                                                                                  \
    (const void *const[]){__VA_ARGS__}, sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *)

typedef struct fixture {
    ww_arch *arch;
    ww_device *device;
    uint64_t random;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    ww_error err = {0};
    f = (fixture){.random = 1};
    assert_ok(ww_arch_load("a100-pcie", NULL, 0, &f.arch, &err), err);
    const ww_device_options options = {.isa = WW_ISA_DESCRIBED, .functional_only = true};
    assert_ok(ww_device_create(f.arch, &options, &f.device, &err), err);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    ww_device_destroy(f->device);
    ww_arch_destroy(f->arch);
    return 0;
}

/* ---- numbers ---- */

static uint32_t next(fixture *f)
{
    f->random = f->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(f->random >> 33);
}

static uint32_t from_to(fixture *f, uint32_t low, uint32_t high)
{
    return low + next(f) % (high - low + 1);
}

static float from_bf16(uint16_t x)
{
    uint32_t bits = (uint32_t)x << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint16_t to_bf16(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* A device array of bf16 and its values; of sixteenths, so that products and their sums are exact.
 */
typedef struct array {
    ww_devptr device;
    uint16_t *host; /* the device's own bytes */
    size_t count;
} array;

static array make(fixture *f, size_t count)
{
    ww_error err = {0};
    array a = {.count = count};
    assert_ok(ww_device_malloc(f->device, count * 2, &a.device, &err), err);
    a.host = ww_device_host(f->device, a.device, count * 2);
    assert_non_null(a.host);
    for (size_t i = 0; i < count; i++) {
        a.host[i] = to_bf16((float)((int)(next(f) % 65) - 32) / 16.0f);
    }
    return a;
}

static void drop(fixture *f, const array *a)
{
    ww_error err = {0};
    assert_ok(ww_device_free(f->device, a->device, &err), err);
}

static void launch(fixture *f, const char *unit, const char *kernel, uint32_t ctas,
                   uint32_t threads, uint32_t shared, const void *const *args, size_t count)
{
    ww_error err = {0};
    static ww_module *modules[8];
    static const char *names[8];
    static ww_device *of;
    const ww_operator_unit *u = ww_operator_unit_find(unit);
    assert_non_null(u);
    size_t i = 0;
    if (of != f->device) {
        memset(names, 0, sizeof names);
        of = f->device;
    }
    while (names[i] != NULL && strcmp(names[i], unit) != 0) {
        i++;
    }
    if (names[i] == NULL) {
        assert_ok(ww_device_load_ptx(f->device, u->path, u->text, u->length, &modules[i], &err),
                  err);
        names[i] = u->name;
    }
    assert_ok(ww_device_launch(f->device, modules[i], kernel, (ww_dim3){ctas, 1, 1},
                               (ww_dim3){threads, 1, 1}, shared, args, count, &err),
              err);
}

/* ---- products ---- */

typedef struct product {
    const ww_operator_tile *tile;
    bool b_along_n, bias, residual;
    int act, batch, m, n, k;
} product;

static float activate(float x, int act)
{
    switch (act) {
    case 1:
        return x > 0 ? x : 0;
    case 2:
        return 0.5f * x * (1 + erff(x * 0.70710678f));
    case 3:
        return x / (1 + expf(-x));
    default:
        return x;
    }
}

static int padded(int n)
{
    return (n + 7) / 8 * 8;
}

static void check_product(fixture *f, const product *p)
{
    const ww_operator_tile *t = p->tile;
    int lda = padded(p->k), ldc = padded(p->n), ldb = p->b_along_n ? ldc : lda;
    size_t rows_b = (size_t)(p->b_along_n ? p->k : p->n), batch = (size_t)p->batch;
    int64_t sa = (int64_t)p->m * lda, sb = (int64_t)rows_b * ldb, sc = (int64_t)p->m * ldc;
    array a = make(f, batch * (size_t)sa), b = make(f, batch * (size_t)sb);
    array c = make(f, batch * (size_t)sc), bias = make(f, (size_t)ldc);
    array residual = make(f, batch * (size_t)sc), untouched = make(f, batch * (size_t)sc);
    memcpy(untouched.host, c.host, c.count * 2);
    ww_devptr none = 0, partial = 0;
    int splits = 1;
    float alpha = 0.5f;
    char unit[32], kernel[48];
    snprintf(unit, sizeof unit, "gemm_bf16_%s", p->b_along_n ? "nn" : "tn");
    snprintf(kernel, sizeof kernel, "%s_%ux%u", unit, t->m, t->n);
    uint32_t ctas = (((uint32_t)p->m + t->m - 1) / t->m) * (((uint32_t)p->n + t->n - 1) / t->n) *
                    (uint32_t)p->batch;
    launch(f, unit, kernel, ctas, t->threads, t->shared_bytes,
           ARGS(&a.device, &b.device, &c.device, p->bias ? &bias.device : &none,
                p->residual ? &residual.device : &none, &partial, &p->m, &p->n, &p->k, &lda, &ldb,
                &ldc, &sa, &sb, &sc, &splits, &p->act, &alpha));
    for (int g = 0; g < p->batch; g++) {
        for (int i = 0; i < p->m; i++) {
            for (int j = 0; j < ldc; j++) {
                const uint16_t got = c.host[g * sc + i * ldc + j];
                if (j >= p->n) {
                    assert_int_equal(got, untouched.host[g * sc + i * ldc + j]);
                    continue;
                }
                float sum = 0;
                for (int k = 0; k < p->k; k++) {
                    float x = from_bf16(a.host[g * sa + i * lda + k]);
                    float y = from_bf16(p->b_along_n ? b.host[g * sb + k * ldb + j]
                                                     : b.host[g * sb + j * ldb + k]);
                    sum += x * y;
                }
                float want =
                    activate(alpha * sum + (p->bias ? from_bf16(bias.host[j]) : 0), p->act);
                want = from_bf16(to_bf16(want));
                want += p->residual ? from_bf16(residual.host[g * sc + i * ldc + j]) : 0;
                if (!(fabsf(from_bf16(got) - want) <= 0.005f * fabsf(want) + 1e-3f)) {
                    fail_msg("%s %dx%dx%dx%d: [%d][%d][%d] is %g, expected %g", kernel, p->batch,
                             p->m, p->n, p->k, g, i, j, (double)from_bf16(got), (double)want);
                }
            }
        }
    }
    const array *all[] = {&a, &b, &c, &bias, &residual, &untouched};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        drop(f, all[i]);
    }
}

static void products_are_those_of_the_cpu(void **state)
{
    fixture *f = *state;
    size_t count;
    const ww_operator_tile *tiles = ww_operator_tiles(&count);
    for (size_t t = 0; t < count; t++) {
        for (int turn = 0; turn < 4; turn++) {
            product p = {.tile = &tiles[t],
                         .b_along_n = turn % 2 == 1,
                         .bias = turn >= 2,
                         .residual = turn == 2,
                         .act = turn == 0 ? 0 : (int)(next(f) % 4),
                         .batch = turn == 1 ? 2 : 1,
                         .m = (int)from_to(f, 1, tiles[t].m + 20),
                         .n = (int)from_to(f, 1, tiles[t].n + 20),
                         .k = (int)from_to(f, 1, 300)};
            check_product(f, &p);
        }
    }
}

/* A row, a column, one number, K below a chunk: what decoding and tiny heads ask for. */
static void degenerate_products_are_right(void **state)
{
    fixture *f = *state;
    static const int shapes[][3] = {{1, 1, 1}, {1, 70, 64}, {70, 1, 40}, {3, 5, 7}, {129, 65, 33}};
    size_t count;
    const ww_operator_tile *tiles = ww_operator_tiles(&count);
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        product p = {.tile = &tiles[count - 1 - i % 2],
                     .b_along_n = i % 2 == 0,
                     .batch = 1,
                     .m = shapes[i][0],
                     .n = shapes[i][1],
                     .k = shapes[i][2]};
        check_product(f, &p);
    }
}

/* ---- rows ---- */

static void softmax_rows_are_those_of_the_cpu(void **state)
{
    fixture *f = *state;
    static const int lengths[] = {1, 16, 33, 64, 100, 197, 256, 500, 512, 1000, 1024, 1030, 2048};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        int length = lengths[i], rows = 11, longest = 32;
        array x = make(f, (size_t)(rows * length)), y = make(f, (size_t)(rows * length));
        char kernel[32];
        while (longest < length) {
            longest *= 2;
        }
        if (length > WW_SOFTMAX_WARP_MOST) {
            launch(f, "rows", "softmax_block_bf16", (uint32_t)rows, 1024, (uint32_t)length * 2,
                   ARGS(&x.device, &y.device, &length));
        } else {
            snprintf(kernel, sizeof kernel, "softmax_%d_bf16", longest);
            uint32_t each = longest <= 128 ? 8 : 4;
            launch(f, "rows", kernel, ((uint32_t)rows + each - 1) / each, WW_ROW_THREADS, 0,
                   ARGS(&x.device, &y.device, &rows, &length));
        }
        for (int r = 0; r < rows; r++) {
            double sum = 0;
            for (int j = 0; j < length; j++) {
                sum += exp((double)from_bf16(x.host[r * length + j]));
            }
            for (int j = 0; j < length; j++) {
                double want = exp((double)from_bf16(x.host[r * length + j])) / sum;
                assert_near((double)from_bf16(y.host[r * length + j]), want, 0.005, 1e-6);
            }
        }
        drop(f, &x);
        drop(f, &y);
    }
}

static void check_norm(fixture *f, int length, bool rms)
{
    int rows = 5;
    float eps = 1e-5f;
    array x = make(f, (size_t)(rows * length)), y = make(f, (size_t)(rows * length));
    array gamma = make(f, (size_t)length), beta = make(f, (size_t)length);
    array mean_out = make(f, (size_t)rows * 2), scale_out = make(f, (size_t)rows * 2);
    if (rms) {
        launch(f, "rows", "rmsnorm_bf16", (uint32_t)rows, WW_ROW_THREADS, 0,
               ARGS(&x.device, &gamma.device, &y.device, &length, &eps));
    } else {
        launch(f, "rows", "layernorm_bf16", (uint32_t)rows, WW_ROW_THREADS, 0,
               ARGS(&x.device, &gamma.device, &beta.device, &y.device, &mean_out.device,
                    &scale_out.device, &length, &eps));
    }
    for (int r = 0; r < rows; r++) {
        double sum = 0, squares = 0;
        for (int j = 0; j < length; j++) {
            double v = (double)from_bf16(x.host[r * length + j]);
            sum += v;
            squares += v * v;
        }
        double mean = rms ? 0 : sum / length,
               scale = 1 / sqrt(squares / length - mean * mean + 1e-5);
        for (int j = 0; j < length; j++) {
            double want = ((double)from_bf16(x.host[r * length + j]) - mean) * scale *
                          (double)from_bf16(gamma.host[j]);
            want += rms ? 0 : (double)from_bf16(beta.host[j]);
            assert_near((double)from_bf16(y.host[r * length + j]), want, 0.005, 0.01);
        }
    }
    const array *all[] = {&x, &y, &gamma, &beta, &mean_out, &scale_out};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        drop(f, all[i]);
    }
}

static void norms_are_those_of_the_cpu(void **state)
{
    static const int lengths[] = {4, 64, 144, 768, 1024, 4100};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        check_norm(*state, lengths[i], false);
        check_norm(*state, lengths[i], true);
    }
}

/* ---- elementwise ---- */

static float apply(const char *name, float a, float b, float s)
{
    return strcmp(name, "add") == 0          ? a + b
           : strcmp(name, "mul") == 0        ? a * b
           : strcmp(name, "silu_mul") == 0   ? activate(a, 3) * b
           : strcmp(name, "scalar_add") == 0 ? a + s
           : strcmp(name, "scalar_mul") == 0 ? a * s
           : strcmp(name, "relu") == 0       ? activate(a, 1)
           : strcmp(name, "gelu") == 0       ? activate(a, 2)
           : strcmp(name, "silu") == 0       ? activate(a, 3)
                                             : tanhf(a);
}

static void functions_are_those_of_the_cpu(void **state)
{
    fixture *f = *state;
    static const char *const names[] = {"add",  "mul",  "silu_mul", "scalar_add", "scalar_mul",
                                        "relu", "gelu", "silu",     "tanh"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        int64_t n = (int64_t)from_to(f, 1, 3000);
        float scalar = 0.75f;
        array a = make(f, (size_t)n), b = make(f, (size_t)n), y = make(f, (size_t)n);
        char kernel[32];
        snprintf(kernel, sizeof kernel, "%s_bf16", names[i]);
        uint32_t ctas = (uint32_t)((n + WW_POINTWISE_BLOCK - 1) / WW_POINTWISE_BLOCK);
        if (i < 3) {
            launch(f, "pointwise", kernel, ctas, WW_POINTWISE_THREADS, 0,
                   ARGS(&a.device, &b.device, &y.device, &n, &scalar));
        } else {
            launch(f, "pointwise", kernel, ctas, WW_POINTWISE_THREADS, 0,
                   ARGS(&a.device, &y.device, &n, &scalar));
        }
        for (int64_t j = 0; j < n; j++) {
            float want = apply(names[i], from_bf16(a.host[j]), from_bf16(b.host[j]), scalar);
            assert_near((double)from_bf16(y.host[j]), (double)want, 0.005, 1e-3);
        }
        drop(f, &a);
        drop(f, &b);
        drop(f, &y);
    }
}

static void divide_by(uint32_t by, uint32_t *magic, uint32_t *shift)
{
    for (*shift = 0; (UINT64_C(1) << *shift) < by; ++*shift) {
    }
    *magic = (uint32_t)((((UINT64_C(1) << 32) * ((UINT64_C(1) << *shift) - by)) / by) + 1);
}

/* Scores of 3 sequences and 5 heads, masks of 7 queries by 13 keys or of 13 keys. */
static void masks_repeat_as_they_should(void **state)
{
    fixture *f = *state;
    for (int keys_only = 0; keys_only < 2; keys_only++) {
        uint32_t inner = keys_only ? 13 : 91, outer = 3 * 5 * 91 / inner / 3, n = 3 * 5 * 91;
        uint32_t im, is, om, os;
        float scalar = -4.0f;
        array a = make(f, n), b = make(f, 3 * inner), y = make(f, n), z = make(f, n);
        divide_by(inner, &im, &is);
        divide_by(outer, &om, &os);
        launch(
            f, "pointwise", "add_broadcast_bf16", 3, WW_POINTWISE_THREADS, 0,
            ARGS(&a.device, &b.device, &y.device, &n, &inner, &im, &is, &outer, &om, &os, &scalar));
        launch(
            f, "pointwise", "where_broadcast_bf16", 3, WW_POINTWISE_THREADS, 0,
            ARGS(&a.device, &b.device, &z.device, &n, &inner, &im, &is, &outer, &om, &os, &scalar));
        for (uint32_t i = 0; i < n; i++) {
            float x = from_bf16(a.host[i]),
                  mask = from_bf16(b.host[i / inner / outer * inner + i % inner]);
            assert_near((double)from_bf16(y.host[i]), (double)(x + mask), 0.005, 1e-6);
            assert_near((double)from_bf16(z.host[i]), mask != 0 ? (double)x : -4.0, 0, 0);
        }
        const array *all[] = {&a, &b, &y, &z};
        for (size_t i = 0; i < 4; i++) {
            drop(f, all[i]);
        }
    }
}

static void casts_keep_the_number(void **state)
{
    fixture *f = *state;
    int64_t n = 1300;
    array a = make(f, (size_t)n), wide = make(f, 2 * (size_t)n), back = make(f, (size_t)n);
    launch(f, "pointwise", "cast_bf16_fp32", 3, WW_POINTWISE_THREADS, 0,
           ARGS(&a.device, &wide.device, &n));
    launch(f, "pointwise", "cast_fp32_bf16", 3, WW_POINTWISE_THREADS, 0,
           ARGS(&wide.device, &back.device, &n));
    assert_memory_equal(a.host, back.host, (size_t)n * 2);
    drop(f, &a);
    drop(f, &wide);
    drop(f, &back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_of_the_cpu),
        cmocka_unit_test(degenerate_products_are_right),
        cmocka_unit_test(softmax_rows_are_those_of_the_cpu),
        cmocka_unit_test(norms_are_those_of_the_cpu),
        cmocka_unit_test(functions_are_those_of_the_cpu),
        cmocka_unit_test(masks_repeat_as_they_should),
        cmocka_unit_test(casts_keep_the_number),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
