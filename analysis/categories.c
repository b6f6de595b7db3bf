/* categories.c - IPC categories and their shares of power, LPGPU D5.5.3 §3.2.6 (Tables 9 and 10).
 */
#include "analysis/categories.h"

#include <math.h>

#include "base/assert.h"

static const struct {
    const char *name;
    double from;
} table[WW_IPC_CATEGORY_COUNT] = {
#define X(id, name, from) {name, from},
    WW_IPC_CATEGORIES(X)
#undef X
};

double ww_peak_ipc(unsigned sms, unsigned schedulers)
{
    return 32.0 * sms * schedulers;
}

const char *ww_ipc_category_name(ww_ipc_category category)
{
    WW_ASSERT(category < WW_IPC_CATEGORY_COUNT);
    return table[category].name;
}

static ww_ipc_category category_of(double fraction)
{
    unsigned c = 0;
    while (c + 1 < WW_IPC_CATEGORY_COUNT && fraction < table[c].from) {
        c++;
    }
    return (ww_ipc_category)c;
}

/* Dual issue may carry a kernel beyond one warp per scheduler and cycle; twice the peak and more is
 * another GPU's peak. */
static ww_status check_ipc(const ww_study *study, size_t kernel, double ipc, double peak,
                           ww_error *err)
{
    if (isnan(ipc)) {
        return ww_fail(err, WW_ENOTFOUND, "kernel '%s' has no IPC", study->kernel[kernel]);
    }
    if (ipc < 0 || ipc > 2 * peak) {
        return ww_fail(err, WW_ERANGE, "kernel '%s' has IPC %g, and the peak is %g",
                       study->kernel[kernel], ipc, peak);
    }
    return WW_OK;
}

static ww_status sort_kernels(const ww_study *study, ww_categories *out, ww_error *err)
{
    const ww_study_column *ipc = ww_study_metric(study, "IPC");
    if (ipc == NULL) {
        return ww_fail(err, WW_ENOTFOUND, "'%s' has no metric IPC", study->name);
    }
    for (size_t k = 0; k < study->kernel_count; k++) {
        WW_TRY(check_ipc(study, k, ipc->value[k], out->peak_ipc, err));
        out->of[k] = category_of(ipc->value[k] / out->peak_ipc);
        WW_ASSERT(out->of[k] < WW_IPC_CATEGORY_COUNT);
        ww_category *c = &out->category[out->of[k]];
        c->kernels++;
        c->mean_ipc += ipc->value[k];
        c->mean_dynamic_w += study->dynamic_w[k];
        for (size_t i = 0; i < study->component_count; i++) {
            c->share[i] += study->component[i].value[k];
        }
    }
    return WW_OK;
}

/* Turns sums into means and shares. */
static void finish(ww_category *c, size_t components)
{
    double total_w = 0;
    for (size_t i = 0; i < components; i++) {
        total_w += c->share[i];
    }
    for (size_t i = 0; i < components; i++) {
        c->share[i] = c->kernels > 0 && total_w > 0 ? c->share[i] / total_w : (double)NAN;
    }
    c->mean_ipc = c->kernels > 0 ? c->mean_ipc / (double)c->kernels : (double)NAN;
    c->mean_dynamic_w =
        c->kernels > 0 && components > 0 ? c->mean_dynamic_w / (double)c->kernels : (double)NAN;
}

ww_status ww_categorize(const ww_study *study, double peak_ipc, ww_categories *out, ww_error *err)
{
    if (!(peak_ipc > 0) || isinf(peak_ipc)) {
        return ww_fail(err, WW_ERANGE, "peak IPC must be positive, not %g", peak_ipc);
    }
    ww_categories c = {.peak_ipc = peak_ipc, .study = study};
    c.of = WW_ARENA_NEW_ARRAY(&c.arena, ww_ipc_category, study->kernel_count + 1);
    bool ok = c.of != NULL;
    for (size_t i = 0; i < WW_IPC_CATEGORY_COUNT; i++) {
        c.category[i].name = table[i].name;
        c.category[i].from = table[i].from;
        c.category[i].share = WW_ARENA_NEW_ARRAY(&c.arena, double, study->component_count + 1);
        ok = ok && c.category[i].share != NULL;
    }
    ww_status status = ok ? sort_kernels(study, &c, err) : ww_no_memory(err);
    if (status != WW_OK) {
        ww_categories_fini(&c);
        return status;
    }
    for (size_t i = 0; i < WW_IPC_CATEGORY_COUNT; i++) {
        finish(&c.category[i], study->component_count);
    }
    *out = c;
    return WW_OK;
}

void ww_categories_fini(ww_categories *c)
{
    if (c != NULL) {
        ww_arena_fini(&c->arena);
        *c = (ww_categories){0};
    }
}
