/* Do attention, rotary embedding and look-up compute what they are for, over ragged and random
 * shapes, on the CPU's word? */
#include <math.h>

#include "tests/unit/inference/operator_fixture.h"

typedef struct attention {
    int batch, heads, kv_heads, m, n, d;
    bool causal;
} attention;

/* A query's result by definition: softmax of its scores, times values. */
static void attend(const attention *a, const array *q, const array *k, const array *v, float scale,
                   int head, int row, double *out)
{
    const int kv = head / a->heads * a->kv_heads + head % a->heads / (a->heads / a->kv_heads);
    const int seen = a->causal ? row + 1 + a->n - a->m : a->n;
    double total = 0;
    memset(out, 0, sizeof *out * (size_t)a->d);
    for (int key = 0; key < seen; key++) {
        double score = 0;
        for (int i = 0; i < a->d; i++) {
            score += value(q, ((int64_t)head * a->m + row) * a->d + i) *
                     value(k, ((int64_t)kv * a->n + key) * a->d + i);
        }
        const double weight = exp(score * (double)scale);
        total += weight;
        for (int i = 0; i < a->d; i++) {
            out[i] += weight * value(v, ((int64_t)kv * a->n + key) * a->d + i);
        }
    }
    for (int i = 0; i < a->d; i++) {
        out[i] /= total;
    }
}

static void check_attention(fixture *f, attention a, numbers number)
{
    const size_t heads = (size_t)(a.batch * a.heads), keys = (size_t)(a.batch * a.kv_heads);
    const size_t width = (size_t)a.d;
    array q = make(f, heads * (size_t)a.m * width, number), o = make(f, q.count, number);
    array k = make(f, keys * (size_t)a.n * width, number), v = make(f, k.count, number);
    int group = a.heads / a.kv_heads, causal = a.causal, splits = 1 + (int)(next(f) % 3);
    float scale = 0.03f;
    char kernel[48];
    if (a.m > 1) {
        snprintf(kernel, sizeof kernel, "attention_%d_%s", a.d, number == BF16 ? "bf16" : "f16");
        launch(f, "attention", kernel, (uint32_t)(heads * (size_t)((a.m + 63) / 64)),
               WW_ATTENTION_THREADS, 5 * 64 * 2 * (uint32_t)a.d,
               ARGS(&q.device, &k.device, &v.device, &o.device, &a.heads, &a.kv_heads, &a.m, &a.n,
                    &causal, &scale));
    } else {
        array part = make(f, heads * (size_t)splits * (width + 2), F32);
        snprintf(kernel, sizeof kernel, "attend_one_%d_bf16_%d", a.d,
                 group > 4   ? 8
                 : group > 1 ? 4
                             : 1);
        launch(f, "attend_one", kernel, (uint32_t)(keys * (size_t)splits), WW_ATTENTION_THREADS, 0,
               ARGS(&q.device, &k.device, &v.device, &part.device, &group, &a.n, &splits, &scale));
        snprintf(kernel, sizeof kernel, "combine_%d_bf16", a.d);
        launch(f, "attend_one", kernel, (uint32_t)heads, (uint32_t)a.d, 0,
               ARGS(&part.device, &o.device, &splits));
        drop(f, &part);
    }
    for (size_t head = 0; head < heads; head++) {
        for (int row = 0; row < a.m; row++) {
            double want[128];
            attend(&a, &q, &k, &v, scale, (int)head, row, want);
            for (int i = 0; i < a.d; i++) {
                double is = value(&o, ((int64_t)head * a.m + row) * a.d + i);
                if (!(fabs(is - want[i]) <= 0.01 * fabs(want[i]) + 0.006)) {
                    fail_msg("%s: %d queries, %d keys: [%zu][%d][%d] is %g, expected %g", kernel,
                             a.m, a.n, head, row, i, is, want[i]);
                }
            }
        }
    }
    const array *const all[] = {&q, &k, &v, &o};
    for (size_t i = 0; i < 4; i++) {
        drop(f, all[i]);
    }
}

static void attention_of_many_queries_is_that_of_the_cpu(void **state)
{
    static const attention shapes[] = {
        {1, 2, 2, 64, 64, 64, true},    {2, 4, 1, 33, 90, 64, false},
        {1, 3, 3, 130, 130, 128, true}, {1, 2, 1, 70, 201, 128, true},
        {1, 1, 1, 2, 3, 64, true},      {1, 1, 1, 65, 65, 64, false},
        {1, 2, 2, 17, 129, 128, false},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        check_attention(*state, shapes[i], i % 3 == 2 ? F16 : BF16);
    }
}

static void attention_of_one_query_is_that_of_the_cpu(void **state)
{
    static const attention shapes[] = {
        {2, 2, 2, 1, 77, 64, true},  {1, 8, 2, 1, 200, 128, true}, {1, 16, 2, 1, 33, 64, false},
        {1, 3, 1, 1, 50, 128, true}, {1, 6, 1, 1, 18, 64, true},   {1, 1, 1, 1, 1, 64, true},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        check_attention(*state, shapes[i], BF16);
    }
}

static void check_rotary(fixture *f, int tokens, int heads, int width, int sequence, numbers number)
{
    int64_t rows = (int64_t)tokens * heads;
    const size_t half = (size_t)width / 2;
    array x = make(f, (size_t)rows * (size_t)width, number), y = make(f, x.count, number);
    array c = make(f, (size_t)sequence * half, number), s = make(f, c.count, number);
    launch(f, "tokens",
           number == BF16  ? "rotary_bf16"
           : number == F16 ? "rotary_f16"
                           : "rotary_fp32",
           (uint32_t)((x.count / 8 + 127) / 128), WW_TOKEN_THREADS, 0,
           ARGS(&x.device, &y.device, &c.device, &s.device, &rows, &width, &heads, &sequence));
    for (int64_t i = 0; i < (int64_t)x.count; i++) {
        int64_t row = i / width, at = i % width, low = at % (int64_t)half;
        int64_t angle = row / heads % sequence * (int64_t)half + low;
        double u = value(&x, row * width + low), v = value(&x, row * width + low + (int64_t)half);
        double want = at == low ? u * value(&c, angle) - v * value(&s, angle)
                                : v * value(&c, angle) + u * value(&s, angle);
        assert_near(value(&y, i), rounded(want, number), 2e-3, 1e-6);
    }
    const array *const all[] = {&x, &y, &c, &s};
    for (size_t i = 0; i < 4; i++) {
        drop(f, all[i]);
    }
}

static void rotary_embedding_is_that_of_the_cpu(void **state)
{
    check_rotary(*state, 5, 3, 64, 5, BF16);
    check_rotary(*state, 9, 2, 128, 3, F16);
    check_rotary(*state, 3, 1, 8, 2, F32);
}

static void looked_up_rows_are_the_tables(void **state)
{
    fixture *f = *state;
    for (int width = 8; width < 5000; width = width * 7 + 8) {
        array table = make(f, 6 * (size_t)width, BF16), y = make(f, 9 * (size_t)width, BF16);
        array ids = make(f, 9, F32);
        int32_t *id = ids.host;
        for (int i = 0; i < 9; i++) {
            id[i] = (int32_t)(next(f) % 6);
        }
        launch(f, "tokens", "embedding_bf16", 9, WW_TOKEN_THREADS, 0,
               ARGS(&ids.device, &table.device, &y.device, &width));
        for (int i = 0; i < 9; i++) {
            assert_memory_equal((uint16_t *)y.host + i * width,
                                (uint16_t *)table.host + id[i] * width, (size_t)width * 2);
        }
        drop(f, &table);
        drop(f, &y);
        drop(f, &ids);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attention_of_many_queries_is_that_of_the_cpu),
        cmocka_unit_test(attention_of_one_query_is_that_of_the_cpu),
        cmocka_unit_test(rotary_embedding_is_that_of_the_cpu),
        cmocka_unit_test(looked_up_rows_are_the_tables),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
