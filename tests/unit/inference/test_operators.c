/* Do the kernels over rows and of elementwise functions compute what they are for, on the CPU's
 * word? */
#include "tests/unit/inference/operator_fixture.h"

/* ---- rows ---- */

static void softmax_rows_are_those_of_the_cpu(void **state)
{
    fixture *f = *state;
    static const int lengths[] = {1, 16, 33, 64, 100, 197, 256, 500, 512, 1000, 1024, 1030, 2048};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        int length = lengths[i], rows = 11, longest = 32;
        array x = make(f, (size_t)(rows * length), BF16),
              y = make(f, (size_t)(rows * length), BF16);
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
                sum += exp(value(&x, r * length + j));
            }
            for (int j = 0; j < length; j++) {
                double want = exp(value(&x, r * length + j)) / sum;
                assert_near(value(&y, r * length + j), want, 0.005, 1e-6);
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
    array x = make(f, (size_t)(rows * length), BF16), y = make(f, (size_t)(rows * length), BF16);
    array gamma = make(f, (size_t)length, BF16), beta = make(f, (size_t)length, BF16);
    array mean_out = make(f, (size_t)rows, F32), scale_out = make(f, (size_t)rows, F32);
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
            double v = value(&x, r * length + j);
            sum += v;
            squares += v * v;
        }
        double mean = rms ? 0 : sum / length,
               scale = 1 / sqrt(squares / length - mean * mean + 1e-5);
        for (int j = 0; j < length; j++) {
            double want = (value(&x, r * length + j) - mean) * scale * value(&gamma, j);
            want += rms ? 0 : value(&beta, j);
            assert_near(value(&y, r * length + j), want, 0.005, 0.01);
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
        array a = make(f, (size_t)n, BF16), b = make(f, (size_t)n, BF16),
              y = make(f, (size_t)n, BF16);
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
            float want = apply(names[i], (float)value(&a, j), (float)value(&b, j), scalar);
            assert_near(value(&y, j), (double)want, 0.005, 1e-3);
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

/* As kernels of strided operands take it (workloads/operators/pointwise.cu). */
typedef struct walk {
    uint32_t dims;
    struct {
        uint32_t by, magic, shift;
    } size[4];
    uint32_t step[4][4];
} walk;

static void add_dim(walk *w, uint32_t size, uint32_t result, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t steps[] = {result, a, b, c};
    divide_by(size, &w->size[w->dims].magic, &w->size[w->dims].shift);
    w->size[w->dims].by = size;
    memcpy(w->step[w->dims++], steps, sizeof steps);
}

enum { SEQUENCES = 3, HEADS = 5, QUERIES = 7, KEYS = 13, SCORES = 3 * 5 * 7 * 13 };

/* A mask of keys of each sequence, behind two dimensions in which it stays. */
static void masks_repeat_as_they_should(void **state)
{
    fixture *f = *state;
    uint32_t n = SCORES;
    array a = make(f, n, BF16), b = make(f, SEQUENCES * KEYS, BF16), y = make(f, n, BF16);
    walk w = {.dims = 0};
    add_dim(&w, KEYS, 2, 2, 2, 0);
    add_dim(&w, HEADS * QUERIES, 2 * KEYS, 2 * KEYS, 0, 0);
    add_dim(&w, SEQUENCES, 2 * SCORES / 3, 2 * SCORES / 3, 2 * KEYS, 0);
    launch(f, "pointwise", "add_strided_bf16", 3, WW_POINTWISE_THREADS, 0,
           ARGS(&a.device, &b.device, &y.device, &n, &w));
    for (uint32_t i = 0; i < n; i++) {
        double mask = value(&b, i / (SCORES / 3) * KEYS + i % KEYS);
        assert_near(value(&y, i), value(&a, i) + mask, 0.005, 1e-6);
    }
    drop(f, &a);
    drop(f, &b);
    drop(f, &y);
}

/* The causal mask is a part of a larger one: rows of 16 for 13 keys. */
static void a_mask_chooses_between_a_number_and_another(void **state)
{
    enum { PITCH = 16 };
    fixture *f = *state;
    uint32_t n = SCORES;
    array a = make(f, n, BF16), b = make(f, 1, BF16), y = make(f, n, BF16);
    array mask = make(f, QUERIES * PITCH / 2, BF16); /* a byte each */
    unsigned char *set = mask.host;
    for (int i = 0; i < QUERIES * PITCH; i++) {
        set[i] = i % PITCH <= i / PITCH;
    }
    walk w = {.dims = 0};
    add_dim(&w, KEYS, 2, 1, 2, 0);
    add_dim(&w, QUERIES, 2 * KEYS, PITCH, 2 * KEYS, 0);
    add_dim(&w, SEQUENCES * HEADS, 2 * KEYS * QUERIES, 0, 2 * KEYS * QUERIES, 0);
    launch(f, "pointwise", "where_strided_bf16", 3, WW_POINTWISE_THREADS, 0,
           ARGS(&mask.device, &a.device, &b.device, &y.device, &n, &w));
    for (uint32_t i = 0; i < n; i++) {
        bool seen = i % KEYS <= i / KEYS % QUERIES;
        assert_near(value(&y, i), seen ? value(&a, i) : value(&b, 0), 0, 0);
    }
    const array *all[] = {&a, &b, &y, &mask};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        drop(f, all[i]);
    }
}

static void a_tensor_is_divided_by_another_of_one_number(void **state)
{
    fixture *f = *state;
    uint32_t n = 700;
    array a = make(f, n, F32), b = make(f, 1, F32), y = make(f, n, F32);
    walk w = {.dims = 0};
    add_dim(&w, n, 4, 4, 0, 0);
    launch(f, "pointwise", "divide_strided_fp32", 3, WW_POINTWISE_THREADS, 0,
           ARGS(&a.device, &b.device, &y.device, &n, &w));
    for (uint32_t i = 0; i < n; i++) {
        assert_near(value(&y, i), value(&a, i) / value(&b, 0), 1e-6, 0);
    }
    drop(f, &a);
    drop(f, &b);
    drop(f, &y);
}

/* 2 sequences of 7 rows, 3 heads of 5, in rows that hold three times as much; and turned. */
static void copies_move_every_number(void **state)
{
    fixture *f = *state;
    uint32_t n = 2 * 3 * 7 * 5;
    array a = make(f, 3 * n, BF16), y = make(f, n, BF16), z = make(f, n, BF16);
    walk heads = {.dims = 0}, turned = {.dims = 0};
    add_dim(&heads, 5, 2, 2, 0, 0);
    add_dim(&heads, 7, 2 * 5, 2 * 45, 0, 0);
    add_dim(&heads, 3, 2 * 35, 2 * 5, 0, 0);
    add_dim(&heads, 2, 2 * 105, 2 * 315, 0, 0);
    add_dim(&turned, 7, 2, 2 * 45, 0, 0);
    add_dim(&turned, 15, 2 * 7, 2, 0, 0);
    add_dim(&turned, 2, 2 * 105, 2 * 315, 0, 0);
    launch(f, "pointwise", "copy_strided_bf16", 1, WW_POINTWISE_THREADS, 0,
           ARGS(&a.device, &y.device, &n, &heads));
    launch(f, "pointwise", "copy_strided_bf16", 1, WW_POINTWISE_THREADS, 0,
           ARGS(&a.device, &z.device, &n, &turned));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t column = i % 5, row = i / 5 % 7, head = i / 35 % 3, batch = i / 105;
        assert_near(value(&y, i), value(&a, (batch * 7 + row) * 45 + head * 5 + column), 0, 0);
        assert_near(value(&z, i), value(&a, (batch * 7 + i % 7) * 45 + i / 7 % 15), 0, 0);
    }
    drop(f, &a);
    drop(f, &y);
    drop(f, &z);
}

static void casts_keep_the_number(void **state)
{
    fixture *f = *state;
    int64_t n = 1300;
    array a = make(f, (size_t)n, BF16), wide = make(f, (size_t)n, F32),
          back = make(f, (size_t)n, BF16);
    unsigned narrow_type = 0, wide_type = 2; /* TYPE_BF16, TYPE_F32 */
    launch(f, "pointwise", "cast_fp32", 3, WW_POINTWISE_THREADS, 0,
           ARGS(&a.device, &wide.device, &n, &narrow_type, &wide_type));
    launch(f, "pointwise", "cast_bf16", 3, WW_POINTWISE_THREADS, 0,
           ARGS(&wide.device, &back.device, &n, &wide_type, &narrow_type));
    assert_memory_equal(a.host, back.host, (size_t)n * 2);
    drop(f, &a);
    drop(f, &wide);
    drop(f, &back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(softmax_rows_are_those_of_the_cpu),
        cmocka_unit_test(norms_are_those_of_the_cpu),
        cmocka_unit_test(functions_are_those_of_the_cpu),
        cmocka_unit_test(masks_repeat_as_they_should),
        cmocka_unit_test(a_mask_chooses_between_a_number_and_another),
        cmocka_unit_test(a_tensor_is_divided_by_another_of_one_number),
        cmocka_unit_test(copies_move_every_number),
        cmocka_unit_test(casts_keep_the_number),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
