/* test_summary.c - are a pass's rows, kinds and whole what its operators come to? Two kinds and
 * gaps, added up by hand. */
#include "tests/support/test.h"

#include <string.h>

#include "inference/summary.h"

typedef struct pass {
    ww_operator op[3];
    ww_infer_operator row[3];
    ww_graph graph;
    ww_infer infer;
} pass;

/* 3 x 10 ms at 1 J, 1 x 20 ms at 5 J, 2 x 5 ms at 0.5 J, and 40 ms of gaps at 2 J: 100 ms, 11 J. */
static void make(pass *p, uint64_t batch, uint64_t sequence, const char *phase)
{
    static const struct {
        ww_operator_kind kind;
        uint32_t count;
        double time_s, energy_j, sigma_j;
    } rows[] = {{WW_OPERATOR_GEMM, 3, 0.010, 1, 0.1},
                {WW_OPERATOR_SOFTMAX, 1, 0.020, 5, 0.5},
                {WW_OPERATOR_GEMM, 2, 0.005, 0.5, 0.1}};
    memset(p, 0, sizeof *p);
    for (size_t i = 0; i < 3; i++) {
        p->op[i].kind = rows[i].kind;
        p->op[i].count = rows[i].count;
        p->row[i] = (ww_infer_operator){.op = &p->op[i],
                                        .time_s = rows[i].time_s,
                                        .energy_j = rows[i].energy_j,
                                        .sigma_j = rows[i].sigma_j};
    }
    p->graph.operators = p->op;
    p->graph.count = 3;
    p->graph.batch = batch;
    p->graph.sequence = sequence;
    snprintf(p->graph.phase, sizeof p->graph.phase, "%s", phase);
    p->infer = (ww_infer){.operators = p->row,
                          .gap_s = 0.040,
                          .gap_j = 2,
                          .time_s = 0.100,
                          .energy_j = 11,
                          .sigma_j = 1.1};
}

static void a_row_is_all_its_occurrences(void **state)
{
    (void)state;
    pass p;
    make(&p, 2, 8, "prefill");
    const ww_infer_part part = ww_infer_row(&p.infer, 0);
    assert_near(part.time_s, 0.030, 1e-12, 0);
    assert_near(part.energy_j, 3, 1e-12, 0);
    assert_near(part.of_time, 0.3, 1e-12, 0);
    assert_near(part.of_energy, 3.0 / 11, 1e-12, 0);
    assert_near(part.power_w, 100, 1e-12, 0);
    assert_near(part.sigma_w, 10, 1e-12, 0);
}

static void kinds_and_gaps_are_the_pass(void **state)
{
    (void)state;
    pass p;
    ww_infer_part kind[WW_INFER_KINDS];
    make(&p, 2, 8, "prefill");
    assert_int_equal(ww_infer_kinds(&p.infer, &p.graph, kind), 3);
    double time_s = 0, energy_j = 0;
    for (size_t i = 0; i < 3; i++) {
        time_s += kind[i].time_s;
        energy_j += kind[i].energy_j;
        if (strcmp(kind[i].name, "gaps") == 0) {
            assert_near(kind[i].power_w, 50, 1e-12, 0);
        } else if (strcmp(kind[i].name, ww_operator_kind_name(WW_OPERATOR_GEMM)) == 0) {
            assert_near(kind[i].time_s, 0.040, 1e-12, 0);
            assert_near(kind[i].energy_j, 4, 1e-12, 0);
        }
    }
    assert_near(time_s, p.infer.time_s, 1e-12, 0);
    assert_near(energy_j, p.infer.energy_j, 1e-12, 0);
}

/* A prefill reads each token of each sequence; a step of decoding makes one of each; a pass over
 * images has none. */
static void the_whole_is_told_by_what_it_makes(void **state)
{
    (void)state;
    pass p;
    make(&p, 2, 8, "prefill");
    ww_infer_total t = ww_infer_total_of(&p.infer, &p.graph);
    assert_string_equal(t.unit, "token");
    assert_near(t.power_w, 110, 1e-12, 0);
    assert_near(t.sigma_w, 11, 1e-12, 0);
    assert_near(t.edp_js, 1.1, 1e-12, 0);
    assert_near(t.unit_j, 11.0 / 16, 1e-12, 0);
    assert_near(t.units_per_s, 160, 1e-12, 0);
    make(&p, 2, 8, "decode");
    assert_near(ww_infer_total_of(&p.infer, &p.graph).units_per_s, 20, 1e-12, 0);
    make(&p, 4, 0, "prefill");
    t = ww_infer_total_of(&p.infer, &p.graph);
    assert_string_equal(t.unit, "image");
    assert_near(t.units_per_s, 40, 1e-12, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_all_its_occurrences),
        cmocka_unit_test(kinds_and_gaps_are_the_pass),
        cmocka_unit_test(the_whole_is_told_by_what_it_makes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
