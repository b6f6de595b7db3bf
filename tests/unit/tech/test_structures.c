/* test_structures.c - are the structures of published mechanisms those that their papers describe,
 * and do they cost about what the papers say? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "tech/structures.h"
#include "tests/unit/tech/nodes.h"

static ww_structures *load(void)
{
    ww_error err = {0};
    ww_structures *list = NULL;
    assert_ok(ww_structures_load(TECH_DIR, &list, &err), err);
    return list;
}

static ww_structure_cost own_cost(const ww_structures *list, const char *name)
{
    ww_error err = {0};
    const ww_structure *s = NULL;
    ww_structure_cost cost;
    assert_ok(ww_structures_find(list, name, &s, &err), err);
    assert_ok(ww_structure_cost_own(s, TECH_DIR, &cost, &err), err);
    return cost;
}

/* Storage is arithmetic: it must agree but for the papers' rounding (393 as 392, 6241 as 6 KB). */
static void storage_is_that_of_the_papers(void **state)
{
    (void)state;
    ww_structures *list = load();
    size_t checked = 0;
    for (size_t i = 0; i < ww_structures_figures(list); i++) {
        const ww_figure *f = ww_structures_figure(list, i);
        if (f->quantity == WW_FIGURE_STORAGE) {
            ww_error err = {0};
            double ours;
            assert_ok(ww_structures_ours(list, f, TECH_DIR, &ours, &err), err);
            double rounding = strcmp(f->of, "dac") == 0 ? 0.02 : 0.003;
            assert_near(ours, f->value, rounding, 0);
            checked++;
        }
    }
    assert_int_equal(checked, 12);
    ww_structures_destroy(list);
}

/* Sums by hand: DAC 393 + 1560 + 768 + 2 (224 + 1536); P-mode 48 x 2236 + 128 bits. */
static void groups_are_complete(void **state)
{
    (void)state;
    ww_structures *list = load();
    double dac = 0, pmode = 0, caps = 0, darsie = 0;
    for (size_t i = 0; i < ww_structures_count(list); i++) {
        const ww_structure *s = ww_structures_at(list, i);
        double bits = (double)s->copies * s->entries * s->entry_bits;
        dac += strcmp(s->group, "dac") == 0 ? bits : 0;
        pmode += strcmp(s->group, "pmode") == 0 ? bits : 0;
        caps += strcmp(s->group, "caps") == 0 ? bits : 0;
        darsie += strcmp(s->group, "darsie") == 0 ? bits : 0;
        assert_true(s->source[0] != '\0' && s->what[0] != '\0');
    }
    assert_near(dac, 8 * 6241, 0, 0);
    assert_near(pmode, 48 * 2236 + 128, 0, 0);
    assert_near(caps, 8 * 708, 0, 0);
    assert_near(darsie, 8 * 5440, 0, 0);
    ww_structures_destroy(list);
}

static double ratio_of(const ww_structures *list, const char *of, ww_figure_quantity quantity)
{
    for (size_t i = 0; i < ww_structures_figures(list); i++) {
        const ww_figure *f = ww_structures_figure(list, i);
        if (f->quantity == quantity && strcmp(f->of, of) == 0) {
            ww_error err = {0};
            double ours;
            assert_ok(ww_structures_ours(list, f, TECH_DIR, &ours, &err), err);
            assert_true(f->assumption[0] != '\0');
            return ours / f->value;
        }
    }
    fail_msg("no figure of %s", of);
    return 0;
}

static void energies_and_areas_are_near_the_papers(void **state)
{
    (void)state;
    ww_structures *list = load();
    assert_near(ratio_of(list, "dac-atq", WW_FIGURE_ACCESS), 1, 0.15, 0);
    assert_near(ratio_of(list, "dac-pwaq", WW_FIGURE_ACCESS), 1, 0.25, 0);
    assert_near(ratio_of(list, "pmode-queue", WW_FIGURE_ACCESS), 1, 0.15, 0);
    assert_near(ratio_of(list, "pmode-rename-p", WW_FIGURE_ACCESS), 1, 0.25, 0);
    assert_near(ratio_of(list, "pmode-simt-stack", WW_FIGURE_ACCESS), 1, 0.50, 0);
    assert_near(ratio_of(list, "gtx1080ti-register-bank", WW_FIGURE_READ), 1, 0.20, 0);
    assert_near(ratio_of(list, "gtx1080ti-register-bank", WW_FIGURE_WRITE), 1, 0.20, 0);
    /* Whole mechanisms, whose papers say less: within a factor of two. */
    assert_near(ratio_of(list, "caps", WW_FIGURE_ACCESS), 1, 0.5, 0);
    assert_near(ratio_of(list, "caps", WW_FIGURE_AREA), 1, 0.5, 0);
    assert_near(ratio_of(list, "caps", WW_FIGURE_LEAKAGE), 1, 1, 0);
    assert_near(ratio_of(list, "dac", WW_FIGURE_AREA), 1, 0.5, 0);
    assert_true(ratio_of(list, "pmode", WW_FIGURE_AREA) < 1);
    ww_structures_destroy(list);
}

static void copies_share_the_access_but_not_the_area(void **state)
{
    (void)state;
    ww_structures *list = load();
    ww_error err = {0};
    const ww_structure *stack = NULL;
    assert_ok(ww_structures_find(list, "dac-stack-per-warp", &stack, &err), err);
    ww_structure one = *stack;
    one.copies = 1;
    ww_structure_cost single, all = own_cost(list, "dac-stack-per-warp");
    assert_ok(ww_structure_cost_own(&one, TECH_DIR, &single, &err), err);
    assert_near(all.read_j, single.read_j, 0, 0);
    assert_near(all.area_m2, 48 * single.area_m2, 1e-12, 0);
    assert_near(all.leak_w, 48 * single.leak_w, 1e-12, 0);
    assert_true(own_cost(list, "dac-alu").area_m2 > 0);
    ww_structures_destroy(list);
}

/* A unit's circuits are looked up after the process: a temperature that this does not have is an
 * error before. */
static void a_unit_without_a_process_has_no_cost(void **state)
{
    (void)state;
    ww_structures *list = load();
    ww_error err = {0};
    const ww_structure *unit = NULL;
    ww_structure_cost cost;
    assert_ok(ww_structures_find(list, "dac-alu", &unit, &err), err);
    ww_structure frozen = *unit;
    assert_true(frozen.is_unit);
    frozen.temp_k = 4;
    assert_int_equal(ww_structure_cost_own(&frozen, TECH_DIR, &cost, &err), WW_ERANGE);
    ww_structures_destroy(list);
}

static void unknown_names_get_a_suggestion(void **state)
{
    (void)state;
    ww_structures *list = load();
    ww_error err = {0};
    const ww_structure *s = NULL;
    assert_int_equal(ww_structures_find(list, "dac-aqt", &s, &err), WW_ENOTFOUND);
    assert_non_null(strstr(err.what, "dac-atq"));
    ww_structures_destroy(list);
}

/* Loads a folder whose structures.xml holds the body. */
static ww_status load_body(const char *body, ww_structures **list, ww_error *err)
{
    char dir[] = "/tmp/ww_test_structures_XXXXXX", path[64], text[1024];
    assert_non_null(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/structures.xml", dir);
    int n = snprintf(text, sizeof text, "<structures>%s</structures>", body);
    assert_ok(ww_write_file(path, text, (size_t)n, err), *err);
    ww_status status = ww_structures_load(dir, list, err);
    unlink(path);
    rmdir(dir);
    return status;
}

static void must_refuse(const char *body, const char *word)
{
    ww_error err = {0};
    ww_structures *list = NULL;
    assert_int_equal(load_body(body, &list, &err), WW_ESCHEMA);
    assert_non_null(strstr(err.what, word));
}

/* Of two of a name, the second is refused, wherever the first stands; alone either is taken. */
static void a_name_is_taken_once(void **state)
{
    (void)state;
#define ONE(name)                                                                                  \
    "<structure name='" name "' group='g' what='w' source='s' node_nm='45' temp_k='350' "          \
    "kind='ram' entries='16' entry_bits='8'/>"
    ww_error err = {0};
    ww_structures *list = NULL;
    assert_ok(load_body(ONE("a") ONE("b"), &list, &err), err);
    assert_int_equal(ww_structures_count(list), 2);
    ww_structures_destroy(list);
    must_refuse(ONE("a") ONE("a"), "twice");
    must_refuse(ONE("a") ONE("b") ONE("b"), "twice");
}

static void faulty_files_are_refused(void **state)
{
    (void)state;
#define NAMED                                                                                      \
    "<structure name='a' group='g' what='w' source='s' node_nm='45' temp_k='350' kind='ram' "
    must_refuse("<structure name='a'/>", "group");
    must_refuse(NAMED "entries='0' entry_bits='8'/>", "entries");
    must_refuse(NAMED "entries='-1' entry_bits='8'/>", "entries");
    must_refuse(NAMED "entries='16' entry_bits='8'/>" NAMED "entries='16' entry_bits='8'/>", "'a'");
    must_refuse("<figure of='b' quantity='access' value='1pJ' source='s' assumption='x'/>", "'b'");
    must_refuse(NAMED "entries='16' entry_bits='8'/>"
                      "<figure of='a' quantity='access' value='1mm2' source='s' assumption='x'/>",
                "1mm2");
    must_refuse("<other/>", "other");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(storage_is_that_of_the_papers),
        cmocka_unit_test(groups_are_complete),
        cmocka_unit_test(energies_and_areas_are_near_the_papers),
        cmocka_unit_test(copies_share_the_access_but_not_the_area),
        cmocka_unit_test(a_unit_without_a_process_has_no_cost),
        cmocka_unit_test(a_name_is_taken_once),
        cmocka_unit_test(unknown_names_get_a_suggestion),
        cmocka_unit_test(faulty_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
