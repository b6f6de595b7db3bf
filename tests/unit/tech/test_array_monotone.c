/* test_array_monotone.c - does an array that holds more, has more ports, is hotter or gets a higher
 * supply cost more? At a fixed partition every output is asked; with the search on, the value of
 * the objective. Steps are as small as the inputs allow. */
#include <string.h>

#include "tech/array.h"
#include "tests/unit/tech/nodes.h"

enum { READ, WRITE, SEARCH, LEAK, AREA, ACCESS, CYCLE, OUTPUTS };

/* A driver chain that grows by two stages ends in a wider last stage: where that happens, delays
 * fall by up to this share. Energy, leakage and area never fall. */
#define DELAY_STEP 0.025
#define CYCLE_STEP 0.06

typedef struct outputs {
    bool valid;
    double value[OUTPUTS];
} outputs;

static outputs solve(const ww_array_spec *spec, const ww_node *n)
{
    ww_array_result r;
    if (ww_array_solve(spec, n, &r, NULL) != WW_OK) {
        return (outputs){.valid = false};
    }
    return (outputs){true,
                     {[READ] = r.read_j,
                      [WRITE] = r.write_j,
                      [SEARCH] = r.search_j,
                      [LEAK] = r.leak_w,
                      [AREA] = r.area_m2,
                      [ACCESS] = r.access_s,
                      [CYCLE] = r.cycle_s}};
}

/* Follows one input upwards; counts the steps, so that no test is empty. */
typedef struct climb {
    outputs last;
    int steps;
} climb;

static void step(climb *c, const ww_array_spec *spec, const ww_node *n)
{
    static const double FALL[OUTPUTS] = {[ACCESS] = DELAY_STEP, [CYCLE] = CYCLE_STEP};
    outputs now = solve(spec, n);
    if (now.valid && c->last.valid) {
        c->steps++;
        for (int i = 0; i < OUTPUTS; i++) {
            double least = c->last.value[i] * (1 - FALL[i] - 1e-9);
            if (now.value[i] < least) {
                fail_msg("kind %d: output %d falls from %g to %g at %llu bits, word %u, ports %u "
                         "%u %u %u",
                         (int)spec->kind, i, c->last.value[i], now.value[i],
                         (unsigned long long)spec->bits, spec->word_bits, spec->rw_ports,
                         spec->read_ports, spec->write_ports, spec->search_ports);
            }
        }
    }
    c->last = now;
}

static const ww_array_partition PARTITIONS[] = {
    {.ndwl = 2, .ndbl = 2, .nspd = 1, .ndcm = 2, .nsam1 = 1, .nsam2 = 1},
    {.ndwl = 1, .ndbl = 1, .nspd = 1, .ndcm = 1, .nsam1 = 1, .nsam2 = 1},
    {.ndwl = 2, .ndbl = 4, .nspd = 4, .ndcm = 4, .nsam1 = 2, .nsam2 = 1},
    {.ndwl = 8, .ndbl = 4, .nspd = 4, .ndcm = 4, .nsam1 = 1, .nsam2 = 2},
};

static ww_array_spec ram(uint32_t words, uint32_t bits, const ww_array_partition *p)
{
    return (ww_array_spec){.kind = WW_ARRAY_RAM,
                           .bits = (uint64_t)words * bits,
                           .word_bits = bits,
                           .rw_ports = 1,
                           .data_forced = *p};
}

static void in_words_and_bits(void **state)
{
    (void)state;
    ww_node nodes[] = {node_at(45, WW_DEVICE_HP, 0, 350), node_at(28, WW_DEVICE_LSTP, 0, 350),
                       node_at(16, WW_DEVICE_HP, 0, 350)};
    for (size_t k = 0; k < WW_ARRAY_LEN(nodes); k++) {
        for (size_t p = 0; p < WW_ARRAY_LEN(PARTITIONS); p++) {
            climb words = {0}, bits = {0};
            for (uint32_t w = 64; w <= 4096; w += w < 256 ? 1 : w / 64 * 3) {
                ww_array_spec s = ram(w, 32, &PARTITIONS[p]);
                step(&words, &s, &nodes[k]);
            }
            for (uint32_t b = 8; b <= 400; b++) {
                ww_array_spec s = ram(256, b, &PARTITIONS[p]);
                step(&bits, &s, &nodes[k]);
            }
            assert_true(words.steps > 200 && bits.steps > 350);
        }
    }
}

static void of_tables_and_content_addressed_arrays(void **state)
{
    (void)state;
    static const ww_array_kind KINDS[] = {WW_ARRAY_CAM, WW_ARRAY_ASSOC, WW_ARRAY_FLIPFLOP,
                                          WW_ARRAY_LATCH};
    ww_node n = node_at(45, WW_DEVICE_HP, 0, 350);
    for (size_t k = 0; k < WW_ARRAY_LEN(KINDS); k++) {
        climb entries = {0}, bits = {0};
        ww_array_spec s = {
            .kind = KINDS[k], .word_bits = 37, .line_bits = 37, .rw_ports = 1, .tag_bits = 24};
        s.data_forced = (ww_array_partition){.ndwl = 1, .ndbl = 2};
        for (uint32_t e = 16; e <= 300; e++) {
            s.bits = (uint64_t)e * 37;
            step(&entries, &s, &n);
        }
        for (uint32_t b = 8; b <= 200; b++) {
            s.bits = (uint64_t)b * 64;
            s.word_bits = s.line_bits = b;
            step(&bits, &s, &n);
        }
        assert_true(entries.steps > 250 && bits.steps > 180);
    }
}

static void in_ports(void **state)
{
    (void)state;
    ww_node n = node_at(45, WW_DEVICE_HP, 0, 350);
    climb rw = {0}, read = {0}, write = {0}, search = {0};
    for (uint32_t more = 0; more < 8; more++) {
        ww_array_spec s = ram(256, 64, &PARTITIONS[0]);
        s.rw_ports = 1 + more;
        step(&rw, &s, &n);
        s.rw_ports = 1;
        s.read_ports = more;
        step(&read, &s, &n);
        s.read_ports = 0;
        s.write_ports = more;
        step(&write, &s, &n);
        ww_array_spec cam = {.kind = WW_ARRAY_CAM,
                             .bits = 64 * 32,
                             .word_bits = 32,
                             .rw_ports = 1,
                             .search_ports = 1 + more,
                             .data_forced = {.ndwl = 1, .ndbl = 2}};
        step(&search, &cam, &n);
    }
    assert_int_equal(rw.steps + read.steps + write.steps + search.steps, 4 * 7);
}

static void in_temperature(void **state)
{
    (void)state;
    static const double NM[] = {90, 65, 45, 40, 32, 28, 22, 16, 12, 7, 5};
    ww_array_spec s = ram(256, 64, &PARTITIONS[0]);
    for (size_t k = 0; k < WW_ARRAY_LEN(NM); k++) {
        for (int flavour = 0; flavour < WW_DEVICE_FLAVOURS; flavour++) {
            climb c = {0};
            for (int t = 300; t <= 400; t += 2) {
                ww_node n = node_at(NM[k], (ww_device_flavour)flavour, 0, t);
                step(&c, &s, &n);
            }
            assert_int_equal(c.steps, 50);
        }
    }
}

/* A higher supply costs energy and leakage and saves time. */
static void in_voltage(void **state)
{
    (void)state;
    static const double NM[] = {90, 45, 28, 16, 7};
    ww_array_spec s = ram(256, 64, &PARTITIONS[0]);
    for (size_t k = 0; k < WW_ARRAY_LEN(NM); k++) {
        ww_node nominal = node_at(NM[k], WW_DEVICE_HP, 0, 350);
        outputs last = {.valid = false};
        for (int i = 0; i <= 30; i++) {
            ww_node n = node_at(NM[k], WW_DEVICE_HP, nominal.vdd_v * (0.8 + 0.01 * i), 350);
            outputs now = solve(&s, &n);
            assert_true(now.valid);
            if (last.valid) {
                assert_true(now.value[READ] > last.value[READ]);
                assert_true(now.value[WRITE] > last.value[WRITE]);
                assert_true(now.value[LEAK] > last.value[LEAK]);
                assert_true(now.value[ACCESS] < last.value[ACCESS]);
                assert_true(now.value[CYCLE] < last.value[CYCLE]);
                assert_near(now.value[AREA], last.value[AREA], 1e-12, 0); /* laid out once */
            }
            last = now;
        }
    }
}

/* ---- with the search on ---- */
typedef enum goal { ED2, ED, ENERGY, DELAY, SIZE, GOALS } goal;

static double value_of(const ww_array_spec *spec, goal g, const ww_node *n)
{
    ww_array_spec s = *spec;
    s.objective.goal = g == ED2 ? WW_GOAL_ED2 : g == ED ? WW_GOAL_ED : WW_GOAL_WEIGHTED;
    s.objective.energy = g == ENERGY;
    s.objective.delay = g == DELAY;
    s.objective.area = g == SIZE;
    outputs o = solve(&s, n);
    assert_true(o.valid);
    double e = o.value[READ], d = o.value[ACCESS], a = o.value[AREA];
    double value[GOALS] = {[ED2] = e * d * d, [ED] = e * d, [ENERGY] = e, [DELAY] = d, [SIZE] = a};
    return value[g];
}

/* Among them words that no number of mats divides (131, 257, 299 bits) and counts just below a
 * power of two. */
static void the_objective_with_the_search_on(void **state)
{
    (void)state;
    ww_node n = node_at(45, WW_DEVICE_HP, 0, 350);
    for (goal g = ED2; g < GOALS; g++) {
        double last = 0;
        for (uint32_t words = 16; words <= 1024; words += words < 80 ? 1 : words / 16) {
            ww_array_spec s = ww_array_ram((uint64_t)words * 4, 32);
            double now = value_of(&s, g, &n);
            assert_true(now >= last * (1 - 1e-9));
            last = now;
        }
        last = 0;
        for (uint32_t bits = 8; bits <= 300; bits++) {
            ww_array_spec s = ww_array_ram(0, bits);
            s.bits = 128ull * bits;
            double now = value_of(&s, g, &n);
            assert_true(now >= last * (1 - 1e-9));
            last = now;
        }
        last = 0;
        for (uint32_t ports = 0; ports < 5; ports++) {
            ww_array_spec s = ww_array_ram(4096, 64);
            s.read_ports = ports;
            double now = value_of(&s, g, &n);
            assert_true(now > last);
            last = now;
        }
    }
}

/* A request that asks for less never costs more, however it is organised: 8 B to 8 MiB. */
static void over_the_whole_range_of_sizes(void **state)
{
    (void)state;
    ww_node n = node_at(28, WW_DEVICE_HP, 0, 350);
    double last = 0;
    int sizes = 0;
    for (uint64_t bytes = 8; bytes <= (8u << 20); bytes *= 2, sizes++) {
        ww_array_spec s = ww_array_ram(bytes, 8);
        double now = value_of(&s, ED2, &n);
        assert_true(now > last);
        last = now;
    }
    assert_int_equal(sizes, 21);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_words_and_bits),
        cmocka_unit_test(of_tables_and_content_addressed_arrays),
        cmocka_unit_test(in_ports),
        cmocka_unit_test(in_temperature),
        cmocka_unit_test(in_voltage),
        cmocka_unit_test(the_objective_with_the_search_on),
        cmocka_unit_test(over_the_whole_range_of_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
