/* test_worked_example.c - are the numbers that docs/models/tech-example.md derives by hand those of
 * the model? Reads the page's tables: `key`, value and unit. */
#include <stdlib.h>
#include <string.h>

#include "tech/array.h"
#include "tech/circuit.h"
#include "tech/dram.h"
#include "tests/unit/tech/nodes.h"

#define PAGE WW_SOURCE_DIR "/docs/models/tech-example.md"

/* A value of the model under the page's name for it. */
typedef struct named {
    char key[48];
    double value;
    bool met;
} named;

enum { MAX_NAMED = 128 };
static named model[MAX_NAMED];
static size_t named_count;

static void name(const char *key, double value)
{
    assert_true(named_count < MAX_NAMED);
    snprintf(model[named_count].key, sizeof model[0].key, "%s", key);
    model[named_count++].value = value;
}

static void name_terms(const char *what, const ww_array_terms *t, double total)
{
    size_t n;
    const ww_array_term *list = ww_array_term_list(&n);
    name(what, total);
    for (size_t i = 0; i < n; i++) {
        char key[48];
        snprintf(key, sizeof key, "%s.%s", what, list[i].name);
        name(key, *(const double *)(const void *)((const char *)t + list[i].offset));
    }
}

static void name_inputs(const ww_node *n)
{
    const ww_device *d = &n->peri;
    const ww_wire *local = &n->wire[WW_WIRE_LOCAL];
    ww_layout l = ww__layout(n);
    name("F", n->geometry_m);
    name("w_min", n->min_w_m);
    name("n_to_p", d->n_to_p);
    name("C_g", ww__gate_f(d, 1));
    name("C_edge", d->c_fringe_f_per_m + d->c_overlap_f_per_m);
    name("C_j", d->c_junction_f_per_m2);
    name("C_sw", d->c_sidewall_f_per_m);
    name("R_n", d->r_n_ohm_m);
    name("V", d->vdd_v);
    name("V_th", d->vth_v);
    name("I_off", d->i_off_a_per_m);
    name("I_gate", d->i_gate_a_per_m);
    name("w_access", n->sram.access_w_m);
    name("w_n", n->sram.nmos_w_m);
    name("w_p", n->sram.pmos_w_m);
    name("h_cell", n->sram.height_m);
    name("w_cell", n->sram.width_m);
    name("c_wire", local->c_f_per_m);
    name("r_wire", local->r_ohm_per_m);
    name("V_s", n->v_sense_v);
    name("g_m", n->gm_sense_s);
    double drain = ww__drain_f(n, &l, &n->cell, n->sram.access_w_m, 1, n->sram.width_m);
    name("C_drain", drain);
    name("C_bl", 64 * (drain / 2 + n->sram.height_m * local->c_f_per_m));
    name("C_wl",
         64 * (2 * ww__gate_f(&n->cell, n->sram.access_w_m) + n->sram.width_m * local->c_f_per_m));
}

static void name_dram(void)
{
    ww_error err = {0};
    ww_dram_table *t = NULL;
    const ww_dram_device *d = NULL;
    assert_ok(ww_dram_load(TECH_DIR, &t, &err), err);
    assert_ok(ww_dram_find(t, "gddr5-1gb-x32", &d, &err), err);
    name("dram.activate_precharge", ww_dram_activate_precharge_j(d));
    name("dram.read", ww_dram_read_j(d));
    name("dram.refresh", ww_dram_refresh_j(d));
    name("dram.background_precharged", ww_dram_background_w(d, WW_DRAM_PRECHARGED));
    ww_dram_destroy(t);
}

static void solve_model(void)
{
    ww_node n = node_at(45, WW_DEVICE_HP, 0, 350);
    ww_array_spec s = ww_array_ram(2048, 128);
    ww_array_result free_cut, r;
    ww_error err = {0};
    assert_ok(ww_array_solve(&s, &n, &free_cut, &err), err);
    s.data_forced =
        (ww_array_partition){.ndwl = 2, .ndbl = 2, .nspd = 1, .ndcm = 2, .nsam1 = 1, .nsam2 = 1};
    assert_ok(ww_array_solve(&s, &n, &r, &err), err);
    /* The command line that the page names finds this cut by itself. */
    assert_true(free_cut.read_j == r.read_j && free_cut.area_m2 == r.area_m2);
    assert_int_equal(r.data.rows, 64);
    assert_int_equal(r.data.cols, 64);
    name_inputs(&n);
    name_terms("read", &r.read, r.read_j);
    name_terms("write", &r.write, r.write_j);
    name_terms("leakage", &r.leak, r.leak_w);
    name_terms("access", &r.data.time, r.access_s);
    name("area", r.area_m2);
    name_dram();
}

/* Prefix and power of the page's units: "fF/um2" is 1e-15 / 1e-12. */
static double scale_of(const char *unit)
{
    static const struct {
        const char *unit;
        double si;
    } UNITS[] = {{"nm", 1e-9},  {"um2", 1e-12},   {"fF/um", 1e-9}, {"fF/um2", 1e-3},
                 {"fF", 1e-15}, {"ohm.um", 1e-6}, {"ohm/um", 1e6}, {"V", 1},
                 {"uA/um", 1},  {"mS", 1e-3},     {"pJ", 1e-12},   {"nJ", 1e-9},
                 {"ps", 1e-12}, {"mW", 1e-3},     {"", 1}};
    for (size_t i = 0; i < WW_ARRAY_LEN(UNITS); i++) {
        if (strcmp(unit, UNITS[i].unit) == 0) {
            return UNITS[i].si;
        }
    }
    fail_msg("unit '%s' is not known", unit);
    return 0;
}

/* "| `key` | 0.6643 pJ | ...": compares one row; false when the line is none. */
static bool compare_row(const char *line)
{
    char key[48], unit[16] = "";
    double value;
    if (sscanf(line, "| `%47[^`]` | %lf %15[^ |]", key, &value, unit) < 2) {
        return false;
    }
    for (size_t i = 0; i < named_count; i++) {
        if (strcmp(model[i].key, key) == 0) {
            model[i].met = true;
            double theirs = value * scale_of(unit);
            if (fabs(theirs / model[i].value - 1) > 0.002) {
                fail_msg("%s: the page says %g, the model %g", key, theirs, model[i].value);
            }
            return true;
        }
    }
    fail_msg("the page's `%s` is no value of the model", key);
    return false;
}

static void every_number_of_the_page(void **state)
{
    (void)state;
    solve_model();
    FILE *page = fopen(PAGE, "r");
    assert_non_null(page);
    char line[1024];
    int rows = 0;
    while (fgets(line, sizeof line, page) != NULL) {
        rows += compare_row(line);
    }
    fclose(page);
    assert_true(rows >= 35);
    static const char *const WANTED[] = {"read.bitline",  "write.bitline",  "access.bitline",
                                         "read.wordline", "read.sense_amp", "leakage.cells",
                                         "read",          "write",          "dram.read"};
    for (size_t i = 0; i < WW_ARRAY_LEN(WANTED); i++) {
        bool met = false;
        for (size_t k = 0; k < named_count; k++) {
            met |= model[k].met && strcmp(model[k].key, WANTED[i]) == 0;
        }
        assert_true(met);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_number_of_the_page)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
