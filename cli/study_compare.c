/* study_compare.c - `warpwatt analyze compare`. */
#include "analysis/compare.h"
#include "analysis/table.h"
#include "base/json.h"
#include "cli/study.h"

typedef struct set_list {
    ww_study **item;
    size_t count;
} set_list;

static void sets_fini(set_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        ww_study_destroy(list->item[i]);
    }
    ww_free(list->item);
}

/* Tables first, pair by pair, then result folders. */
static ww_status load_sets(const ww_args *args, set_list *list, ww_error *err)
{
    size_t tables = ww_args_count(args, "metrics");
    if (tables != ww_args_count(args, "power")) {
        return ww_fail(err, WW_EUSAGE, "every --metrics needs its --power");
    }
    if (tables + args->positional_count - 1 < 2) {
        return ww_fail(err, WW_EUSAGE, "compare needs two result folders or more, the base first");
    }
    list->item = WW_NEW_ARRAY(ww_study *, tables + args->positional_count);
    if (list->item == NULL) {
        return ww_no_memory(err);
    }
    for (size_t i = 0; i < tables; i++, list->count++) {
        WW_TRY(ww_study_load_tables(ww_args_nth(args, "metrics", i), ww_args_nth(args, "power", i),
                                    &list->item[list->count], err));
    }
    for (size_t i = 1; i < args->positional_count; i++, list->count++) {
        WW_TRY(ww_study_load_results(args->positional[i], &list->item[list->count], err));
    }
    return WW_OK;
}

/* Of quantities that have an uncertainty, where the results say so. */
static void put_sureness(ww_json *j, const ww_comparison *c, size_t set, size_t k, ww_quantity q)
{
    ww_difference difference = ww_comparison_difference(c, set, k, q);
    if (difference != WW_DIFFERENCE_UNKNOWN) {
        ww_json_double(j, "plus_minus", ww_comparison_uncertainty(c, set, k, q));
        ww_json_double(j, "ratio_plus_minus", ww_comparison_ratio_uncertainty(c, set, k, q));
        ww_json_text(j, "difference", ww_difference_name(difference));
    }
}

static void put_set(ww_json *j, const ww_comparison *c, size_t set)
{
    ww_json_object(j, NULL);
    ww_json_text(j, "set", c->set[set]);
    ww_json_object(j, "geomean");
    for (int q = 0; q < WW_QUANTITY_COUNT; q++) {
        ww_json_double_or_null(j, ww_quantity_name((ww_quantity)q),
                               ww_comparison_geomean(c, set, (ww_quantity)q));
    }
    ww_json_end(j);
    ww_json_array(j, "kernels");
    for (size_t k = 0; k < c->kernels; k++) {
        ww_json_object(j, NULL);
        ww_json_text(j, "kernel", c->kernel[k]);
        for (int q = 0; q < WW_QUANTITY_COUNT; q++) {
            ww_json_object(j, ww_quantity_name((ww_quantity)q));
            ww_json_double_or_null(j, "value", ww_comparison_absolute(c, set, k, (ww_quantity)q));
            ww_json_double_or_null(j, "ratio", ww_comparison_ratio(c, set, k, (ww_quantity)q));
            put_sureness(j, c, set, k, (ww_quantity)q);
            ww_json_end(j);
        }
        ww_json_end(j);
    }
    ww_json_end(j);
    ww_json_end(j);
}

static ww_status print_json(const ww_comparison *c, ww_error *err)
{
    ww_str text = {0};
    ww_json j;
    ww_json_init(&j, &text, 2);
    ww_json_object(&j, NULL);
    ww_json_text(&j, "base", c->set[0]);
    ww_json_text(&j, "power", c->with_static ? "dynamic + static" : "dynamic");
    ww_json_u64(&j, "kernels_left_out", c->left_out);
    ww_json_array(&j, "sets");
    for (size_t s = 0; s < c->sets; s++) {
        put_set(&j, c, s);
    }
    ww_json_end(&j);
    ww_json_end(&j);
    return ww_json_print(&j, &text, stdout, err);
}

/* How sure the ratio of energies is, and with the same number that of powers. */
static void put_energy(ww_table *t, const ww_comparison *c, size_t set, size_t k)
{
    ww_difference difference = ww_comparison_difference(c, set, k, WW_QUANTITY_ENERGY);
    if (difference == WW_DIFFERENCE_UNKNOWN) {
        ww_table_text(t, "");
    } else {
        ww_table_number(t, ww_comparison_ratio_uncertainty(c, set, k, WW_QUANTITY_ENERGY), 3);
    }
    ww_table_text(t, ww_difference_name(difference));
}

static ww_status print_set(const ww_comparison *c, size_t set, ww_error *err)
{
    ww_table t;
    ww_table_init(&t, "compare");
    ww_table_head(&t, "kernel");
    for (int q = 0; q < WW_QUANTITY_COUNT; q++) {
        ww_table_head(&t, ww_quantity_name((ww_quantity)q));
        if (q == WW_QUANTITY_ENERGY) {
            ww_table_head(&t, "+-");
            ww_table_head(&t, "difference");
        }
    }
    for (size_t k = 0; k <= c->kernels; k++) {
        ww_table_kernel(&t, k < c->kernels ? c->kernel[k] : "geometric mean");
        for (int q = 0; q < WW_QUANTITY_COUNT; q++) {
            double value = k < c->kernels ? ww_comparison_ratio(c, set, k, (ww_quantity)q)
                                          : ww_comparison_geomean(c, set, (ww_quantity)q);
            ww_table_number(&t, value, 3);
            if (q == WW_QUANTITY_ENERGY) {
                put_energy(&t, c, set, k);
            }
        }
    }
    ww_status status = ww_table_print(&t, false, stdout, err);
    ww_table_fini(&t);
    return status;
}

static ww_status print_plain(const ww_comparison *c, ww_error *err)
{
    printf("normalized to %s; power is %s\n", c->set[0],
           c->with_static ? "dynamic + static" : "dynamic");
    for (size_t s = 1; s < c->sets; s++) {
        printf("\n%s", c->set[s]);
        if (c->calibration[0] != NULL && c->calibration[s] != NULL && !c->shared[s]) {
            printf(" (energies %s, those of %s %s, each with errors of its own)",
                   ww_calibration_state(c->calibration[s]), c->set[0],
                   ww_calibration_state(c->calibration[0]));
        }
        printf("\n");
        WW_TRY(print_set(c, s, err));
    }
    if (ww_comparison_difference(c, 1, c->kernels, WW_QUANTITY_ENERGY) != WW_DIFFERENCE_UNKNOWN) {
        printf("\n+-: standard uncertainty of the ratio of energies, without errors that both sets "
               "have in common; a difference exceeds the joint uncertainty beyond twice that\n");
    }
    if (c->left_out > 0) {
        printf("\n%zu kernels are not in every set and are left out\n", c->left_out);
    }
    return WW_OK;
}

ww_status ww_study_compare(const ww_args *args, ww_error *err)
{
    set_list list = {0};
    ww_comparison c = {0};
    ww_status status = load_sets(args, &list, err);
    if (status == WW_OK) {
        status = ww_compare((const ww_study *const *)list.item, NULL, list.count, &c, err);
    }
    if (status == WW_OK) {
        status = ww_args_has(args, "json") ? print_json(&c, err) : print_plain(&c, err);
    }
    ww_comparison_fini(&c);
    sets_fini(&list);
    return status;
}
