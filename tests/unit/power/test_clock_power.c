/* test_clock_power.c - do the voltage over the clock and the law of the idle board give the power
 * of programs at other clocks than the highest, and the clock of least energy?
 *
 * tests/validation/power/clocks.csv: power of programs of a V100 and microbenchmarks of TITAN V and
 * TITAN Xp. The voltages, the idle power and the watts of busy DRAM below were fitted to the other
 * half of those programs (every second in the alphabet, of a V100; every second microbenchmark);
 * no row here took part. Of a GTX TITAN X (every second of 24 programs in the alphabet) no program
 * did: its voltages are those of its idle power. One scale per program: its power at its highest
 * clock. */
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#include "base/csv.h"
#include "tests/unit/power/fixture.h"

static ww_error err;

typedef struct card {
    const char *name, *gpu, *voltage; /* NULL: the description's */
    double idle_w, dram_w;            /* at the highest clock; of DRAM at its full rate */
    double top_mhz, bar;
} card;

static const card cards[] = {
    {"V100", "qv100", NULL, 37.2, 34.8, 1380, 0.08},
    {"TITAN V", "qv100", "135:0.502 600:0.779 900:0.83 1102:0.832 1245:0.864 1402:0.9 1530:0.932",
     60.3, 30.6, 1402, 0.08},
    {"TITAN Xp 4705", "titanx-pascal", NULL, 77.2, 53.2, 1911, 0.08},
    {"TITAN Xp 5705", "titanx-pascal", NULL, 91.8, 53.2, 1911, 0.08},
    {"GTX TITAN X", "titanx-maxwell", NULL, 87.2, 0, 1164, 0.08},
};

/* Voltage and leakage of the die at a clock. */
typedef struct point {
    double mhz, v, leak_w;
} point;

/* A card's points, each made once. */
typedef struct points {
    const card *card;
    point at[64];
    size_t count;
} points;

static point make_point(const card *c, double mhz)
{
    char text[32];
    ww_arch *arch;
    ww_power_model *model;
    snprintf(text, sizeof text, "%.17g", mhz * 1e6);
    const ww_setting settings[] = {{"clock.set_hz", text},
                                   {"clock.step_hz", "0"},
                                   {"clock.voltage", c->voltage != NULL ? c->voltage : ""}};
    assert_ok(ww_arch_load(c->gpu, settings, c->voltage != NULL ? 3 : 2, &arch, &err), err);
    model = fixture_model(arch);
    point p = {.mhz = mhz, .v = ww_arch_core_v(arch)};
    size_t count;
    const ww_power_structure *s = ww_power_structures(model, &count);
    for (size_t i = 0; i < count; i++) {
        p.leak_w += s[i].group == WW_GROUP_IDLE_SM ? s[i].leakage_w : 0;
    }
    ww_power_model_destroy(model);
    ww_arch_destroy(arch);
    return p;
}

static point point_at(points *known, double mhz)
{
    for (size_t i = 0; i < known->count; i++) {
        if (known->at[i].mhz == mhz) {
            return known->at[i];
        }
    }
    assert_true(known->count < WW_ARRAY_LEN(known->at));
    known->at[known->count] = make_point(known->card, mhz);
    return known->at[known->count++];
}

static double power_at(points *known, double mhz, double top_w, double dram)
{
    const card *c = known->card;
    static const double leaks = 0.3, clocks = 0.17; /* as of cards that nothing is known of */
    point top = point_at(known, c->top_mhz), p = point_at(known, mhz);
    double v2f = mhz / c->top_mhz * p.v * p.v / (top.v * top.v), memory_w = c->dram_w * dram;
    double idle_w = c->idle_w * (1 - leaks - clocks + leaks * p.leak_w / top.leak_w + clocks * v2f);
    return idle_w + (top_w - c->idle_w - memory_w) * v2f + memory_w;
}

static double number(const ww_csv *csv, size_t row, const char *name)
{
    size_t column;
    double value;
    assert_ok(ww_csv_find(csv, name, &column, &err), err);
    assert_ok(ww_csv_double(csv, row, column, &value, &err), err);
    return value;
}

static const char *text(const ww_csv *csv, size_t row, const char *name)
{
    size_t column;
    assert_ok(ww_csv_find(csv, name, &column, &err), err);
    return ww_csv_text(csv, row, column);
}

/* A program's rows rise in clock; its last is the highest. Returns the row behind them. */
static size_t end_of_program(const points *known, const ww_csv *csv, size_t first)
{
    size_t end = first + 1;
    while (end < ww_csv_rows(csv) && strcmp(text(csv, end, "card"), known->card->name) == 0 &&
           strcmp(text(csv, end, "program"), text(csv, first, "program")) == 0) {
        end++;
    }
    return end;
}

/* Returns the row behind the program's. */
static size_t judge_program(points *known, const ww_csv *csv, size_t first, double *error)
{
    const card *c = known->card;
    size_t end = end_of_program(known, csv, first);
    double top_w = number(csv, end - 1, "power_w"), dram = number(csv, first, "dram"), sum = 0;
    assert_true(number(csv, end - 1, "core_mhz") == c->top_mhz);
    for (size_t row = first; row + 1 < end; row++) {
        double ours = power_at(known, number(csv, row, "core_mhz"), top_w, dram);
        sum += fabs(ours / number(csv, row, "power_w") - 1);
    }
    *error = sum / (double)(end - 1 - first);
    return end;
}

static void powers_at_other_clocks(void **state)
{
    (void)state;
    ww_csv *csv;
    assert_ok(ww_csv_load(WW_SOURCE_DIR "/tests/validation/power/clocks.csv", &csv, &err), err);
    for (size_t i = 0; i < WW_ARRAY_LEN(cards); i++) {
        double sum = 0, error = 0;
        size_t programs = 0;
        points known = {.card = &cards[i]};
        for (size_t row = 0; row < ww_csv_rows(csv);) {
            if (strcmp(text(csv, row, "card"), cards[i].name) != 0) {
                row++;
                continue;
            }
            row = judge_program(&known, csv, row, &error);
            sum += error;
            programs++;
        }
        print_message("%s: %zu programs, mean error %.1f %%\n", cards[i].name, programs,
                      100 * sum / (double)programs);
        assert_int_equal(programs, 12);
        assert_true(sum / (double)programs <= cards[i].bar);
    }
    ww_csv_destroy(csv);
}

/* Steps between the clock of least energy by the law, scaled at the highest clock, and the measured
 * one; the times are measured. */
static size_t steps_apart(points *known, const ww_csv *csv, size_t first, size_t end)
{
    double top_w = number(csv, end - 1, "power_w"), least = HUGE_VAL, ours = HUGE_VAL;
    size_t at = first, ours_at = first;
    for (size_t row = first; row < end; row++) {
        double time_s = number(csv, row, "time_s");
        double energy = number(csv, row, "power_w") * time_s;
        double law =
            time_s * power_at(known, number(csv, row, "core_mhz"), top_w, number(csv, row, "dram"));
        at = energy < least ? row : at;
        least = fmin(energy, least);
        ours_at = law < ours ? row : ours_at;
        ours = fmin(law, ours);
    }
    return at > ours_at ? at - ours_at : ours_at - at;
}

/* clock_energy.csv: power and time of programs of a GTX TITAN X at 16 clocks. */
static void clock_of_least_energy(void **state)
{
    (void)state;
    ww_csv *csv;
    assert_ok(ww_csv_load(WW_SOURCE_DIR "/tests/validation/power/clock_energy.csv", &csv, &err),
              err);
    points known = {.card = &cards[WW_ARRAY_LEN(cards) - 1]};
    size_t programs = 0;
    for (size_t row = 0, end; row < ww_csv_rows(csv); row = end, programs++) {
        end = end_of_program(&known, csv, row);
        size_t apart = steps_apart(&known, csv, row, end);
        print_message("%s: %zu of %zu clocks\n", text(csv, row, "program"), apart, end - row);
        assert_true(apart <= 2);
    }
    assert_int_equal(programs, 16);
    ww_csv_destroy(csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(powers_at_other_clocks),
                                       cmocka_unit_test(clock_of_least_energy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
