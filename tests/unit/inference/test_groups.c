/* Do products by Hopper's warp groups compute what they are for, over ragged and random shapes? */
#include "isa/tensor_map.h"
#include "tests/unit/inference/operator_fixture.h"

typedef struct product {
    const ww_operator_tile *tile;
    bool across, bias; /* B lies across K */
    int batch, m, n, k;
} product;

typedef struct map {
    unsigned char bytes[WW_TENSOR_MAP_BYTES];
} map;

/* Matrices of a batch, rows of whole chunks of 16 bytes. */
typedef struct matrices {
    array numbers;
    int rows, columns, step;
} matrices;

static matrices matrices_of(fixture *f, const product *p, int rows, int columns)
{
    const int step = (columns + 7) / 8 * 8;
    return (matrices){make(f, (size_t)p->batch * (size_t)rows * (size_t)step, BF16), rows, columns,
                      step};
}

static map map_of(const product *p, const matrices *x, uint32_t box_rows)
{
    const uint64_t step = 2 * (uint64_t)x->step, rows = (uint64_t)x->rows;
    const ww_tensor_map m = {.address = x->numbers.device,
                             .dim = {(uint64_t)x->columns, rows, (uint64_t)p->batch},
                             .stride = {2, step, step * rows},
                             .box = {64, box_rows, 1},
                             .step = {1, 1, 1},
                             .type = WW_TENSOR_BF16,
                             .rank = 3,
                             .swizzle = WW_SWIZZLE_128B};
    map out;
    assert_null(ww_tensor_map_problem(&m));
    ww_tensor_map_encode(&m, out.bytes);
    return out;
}

static double at(const matrices *x, int g, int row, int column)
{
    return value(&x->numbers, ((int64_t)g * x->rows + row) * x->step + column);
}

static double expected(const product *p, const matrices *a, const matrices *b, const array *bias,
                       int g, int i, int j)
{
    double sum = p->bias ? value(bias, j) : 0;
    for (int k = 0; k < p->k; k++) {
        sum += at(a, g, i, k) * (p->across ? at(b, g, k, j) : at(b, g, j, k));
    }
    return rounded(sum, BF16);
}

static void compare(const product *p, const matrices *a, const matrices *b, const matrices *c,
                    const array *bias)
{
    for (int g = 0; g < p->batch; g++) {
        for (int i = 0; i < p->m; i++) {
            for (int j = 0; j < p->n; j++) {
                const double want = expected(p, a, b, bias, g, i, j);
                assert_near(at(c, g, i, j), want, 0.005, 1e-3);
            }
        }
    }
}

static void check(fixture *f, const product *p)
{
    const ww_operator_tile *t = p->tile;
    const ww_devptr none = 0;
    char unit[32], kernel[48];
    snprintf(unit, sizeof unit, "wgmma_bf16_%s", p->across ? "nn" : "tn");
    snprintf(kernel, sizeof kernel, "%s_%ux%u", unit, t->m, t->n);
    matrices a = matrices_of(f, p, p->m, p->k), c = matrices_of(f, p, p->m, p->n);
    matrices b = matrices_of(f, p, p->across ? p->k : p->n, p->across ? p->n : p->k);
    array bias = make(f, (size_t)c.step, BF16);
    const map ma = map_of(p, &a, t->m), mb = map_of(p, &b, p->across ? 64 : t->n),
              mc = map_of(p, &c, 64);
    const uint32_t ctas = ((uint32_t)p->m + t->m - 1) / t->m *
                          (((uint32_t)p->n + t->n - 1) / t->n) * (uint32_t)p->batch;
    launch(f, unit, kernel, ctas, t->threads, t->shared_bytes,
           ARGS(&ma, &mb, &mc, p->bias ? &bias.device : &none, &p->m, &p->n, &p->k));
    compare(p, &a, &b, &c, &bias);
    drop(f, &a.numbers);
    drop(f, &b.numbers);
    drop(f, &c.numbers);
    drop(f, &bias);
}

static void products_are_those_of_the_cpu(void **state)
{
    fixture *f = *state;
    size_t count;
    const ww_operator_tile *tiles = ww_operator_group_tiles(&count);
    for (size_t t = 0; t < count; t++) {
        for (int turn = 0; turn < 4; turn++) {
            const product p = {.tile = &tiles[t],
                               .across = turn % 2 == 1,
                               .bias = turn >= 2,
                               .batch = turn < 2 ? 2 : 1,
                               .m = (int)from_to(f, 1, tiles[t].m + 20),
                               .n = (int)from_to(f, 1, tiles[t].n + 20),
                               .k = (int)from_to(f, 1, 400)};
            check(f, &p);
        }
    }
}

static int set_up_hopper(void **state)
{
    return set_up_on("h100", state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(products_are_those_of_the_cpu)};
    return cmocka_run_group_tests(tests, set_up_hopper, tear_down);
}
