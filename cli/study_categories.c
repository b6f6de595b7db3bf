/* study_categories.c - `warpwatt analyze categories`. */
#include "analysis/categories.h"
#include "analysis/table.h"
#include "base/json.h"
#include "cli/study.h"

static void put_category(ww_json *j, const ww_category *c, const ww_study *study)
{
    ww_json_object(j, NULL);
    ww_json_text(j, "category", c->name);
    ww_json_double(j, "from", c->from);
    ww_json_u64(j, "kernels", c->kernels);
    ww_json_double_or_null(j, "mean_ipc", c->mean_ipc);
    ww_json_double_or_null(j, "mean_dynamic_w", c->mean_dynamic_w);
    ww_json_object(j, "share");
    for (size_t i = 0; i < study->component_count; i++) {
        ww_json_double_or_null(j, study->component[i].name, c->share[i]);
    }
    ww_json_end(j);
    ww_json_end(j);
}

static ww_status print_json(const ww_categories *c, ww_error *err)
{
    const ww_study *study = c->study;
    const ww_study_column *ipc = ww_study_metric(study, "IPC");
    ww_str text = {0};
    ww_json j;
    ww_json_init(&j, &text, 2);
    ww_json_object(&j, NULL);
    ww_json_double(&j, "peak_ipc", c->peak_ipc);
    ww_json_array(&j, "categories");
    for (size_t i = 0; i < WW_IPC_CATEGORY_COUNT; i++) {
        put_category(&j, &c->category[i], study);
    }
    ww_json_end(&j);
    ww_json_array(&j, "kernels");
    for (size_t k = 0; k < study->kernel_count; k++) {
        ww_json_object(&j, NULL);
        ww_json_text(&j, "kernel", study->kernel[k]);
        ww_json_double(&j, "ipc", ipc->value[k]);
        ww_json_text(&j, "category", ww_ipc_category_name(c->of[k]));
        ww_json_end(&j);
    }
    ww_json_end(&j);
    ww_json_end(&j);
    return ww_json_print(&j, &text, stdout, err);
}

/* A category by row, shares of power in percent by column. */
static ww_status print_shares(const ww_categories *c, ww_error *err)
{
    const ww_study *study = c->study;
    ww_table t;
    ww_table_init(&t, "categories");
    ww_table_head(&t, "category");
    ww_table_head(&t, "kernels");
    ww_table_head(&t, "mean_ipc");
    ww_table_head(&t, "mean_w");
    for (size_t i = 0; i < study->component_count; i++) {
        char head[80];
        snprintf(head, sizeof head, "%.60s %%", study->component[i].name);
        ww_table_head(&t, head);
    }
    for (size_t i = 0; i < WW_IPC_CATEGORY_COUNT; i++) {
        const ww_category *category = &c->category[i];
        ww_table_text(&t, category->name);
        ww_table_count(&t, category->kernels);
        ww_table_number(&t, category->mean_ipc, 1);
        ww_table_number(&t, category->mean_dynamic_w, 1);
        for (size_t k = 0; k < study->component_count; k++) {
            ww_table_number(&t, 100 * category->share[k], 1);
        }
    }
    ww_status status = ww_table_print(&t, false, stdout, err);
    ww_table_fini(&t);
    return status;
}

static ww_status print_kernels(const ww_categories *c, ww_error *err)
{
    const ww_study_column *ipc = ww_study_metric(c->study, "IPC");
    ww_table t;
    ww_table_init(&t, "kernels");
    ww_table_head(&t, "kernel");
    ww_table_head(&t, "ipc");
    ww_table_head(&t, "% of peak");
    ww_table_head(&t, "category");
    for (size_t k = 0; k < c->study->kernel_count; k++) {
        ww_table_kernel(&t, c->study->kernel[k]);
        ww_table_number(&t, ipc->value[k], 1);
        ww_table_percent(&t, ipc->value[k], c->peak_ipc, 1);
        ww_table_text(&t, ww_ipc_category_name(c->of[k]));
    }
    ww_status status = ww_table_print(&t, false, stdout, err);
    ww_table_fini(&t);
    return status;
}

static ww_status print_plain(const ww_categories *c, bool kernels, ww_error *err)
{
    printf("peak IPC %g; high from %.0f %%, medium from %.0f %% of it\n\n", c->peak_ipc,
           100 * c->category[WW_IPC_HIGH].from, 100 * c->category[WW_IPC_MEDIUM].from);
    WW_TRY(print_shares(c, err));
    if (kernels) {
        printf("\n");
        WW_TRY(print_kernels(c, err));
    }
    return WW_OK;
}

ww_status ww_study_categories(const ww_args *args, ww_error *err)
{
    double peak = 0;
    ww_study *study = NULL;
    ww_categories c = {0};
    WW_TRY(ww_study_from_args(args, 1, &study, err));
    ww_status status = ww_study_peak_ipc(args, 1, &peak, err);
    status = status == WW_OK ? ww_categorize(study, peak, &c, err) : status;
    if (status == WW_OK) {
        status = ww_args_has(args, "json") ? print_json(&c, err)
                                           : print_plain(&c, ww_args_has(args, "long"), err);
    }
    ww_categories_fini(&c);
    ww_study_destroy(study);
    return status;
}
