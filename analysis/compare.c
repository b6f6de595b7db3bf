/* compare.c - normalized quantities of two or more result sets. */
#include "analysis/compare.h"

#include <math.h>
#include <string.h>

#include "analysis/sureness.h"

static const char *const names[] = {
#define X(id, name, unit, meaning) name,
    WW_QUANTITIES(X)
#undef X
};
static const char *const units[] = {
#define X(id, name, unit, meaning) unit,
    WW_QUANTITIES(X)
#undef X
};

const char *ww_quantity_name(ww_quantity quantity)
{
    return names[quantity];
}

const char *ww_quantity_unit(ww_quantity quantity)
{
    return units[quantity];
}

static size_t index_of(const ww_comparison *c, size_t set, size_t kernel, ww_quantity q)
{
    return (set * c->kernels + kernel) * WW_QUANTITY_COUNT + (size_t)q;
}

double ww_comparison_absolute(const ww_comparison *c, size_t set, size_t kernel, ww_quantity q)
{
    return c->absolute[index_of(c, set, kernel, q)];
}

double ww_comparison_ratio(const ww_comparison *c, size_t set, size_t kernel, ww_quantity q)
{
    return c->ratio[index_of(c, set, kernel, q)];
}

double ww_comparison_geomean(const ww_comparison *c, size_t set, ww_quantity q)
{
    return c->geomean[set * WW_QUANTITY_COUNT + (size_t)q];
}

static bool find_kernel(const ww_study *study, const char *name, size_t *out)
{
    for (size_t k = 0; k < study->kernel_count; k++) {
        if (strcmp(study->kernel[k], name) == 0) {
            *out = k;
            return true;
        }
    }
    return false;
}

/* True when every set has that kernel. */
static bool in_all(const ww_study *const *set, size_t count, const char *name)
{
    size_t ignored;
    for (size_t s = 0; s < count; s++) {
        if (!find_kernel(set[s], name, &ignored)) {
            return false;
        }
    }
    return true;
}

/* Fills kernel[] with those that all sets share, and counts those that some set lacks. */
static void common_kernels(const ww_study *const *set, size_t count, ww_comparison *c)
{
    for (size_t s = 0; s < count; s++) {
        for (size_t k = 0; k < set[s]->kernel_count; k++) {
            const char *name = set[s]->kernel[k];
            size_t earlier = 0;
            bool seen = false;
            for (size_t before = 0; before < s && !seen; before++) {
                seen = find_kernel(set[before], name, &earlier);
            }
            if (seen) {
                continue;
            }
            if (in_all(set, count, name)) {
                c->kernel[c->kernels++] = name;
            } else {
                c->left_out++;
            }
        }
    }
}

static bool knows_static(const ww_study *const *set, size_t count)
{
    for (size_t s = 0; s < count; s++) {
        for (size_t k = 0; k < set[s]->kernel_count; k++) {
            if (isnan(set[s]->static_w[k])) {
                return false;
            }
        }
    }
    return true;
}

static void quantities_of(const ww_study *study, size_t k, bool with_static, double *out)
{
    const ww_study_column *ipc = ww_study_metric(study, "IPC");
    double power_w = study->dynamic_w[k] + (with_static ? study->static_w[k] : 0);
    double energy_j = power_w * study->time_s[k];
    out[WW_QUANTITY_IPC] = ipc != NULL ? ipc->value[k] : (double)NAN;
    out[WW_QUANTITY_POWER] = power_w;
    out[WW_QUANTITY_TIME] = study->time_s[k];
    out[WW_QUANTITY_ENERGY] = energy_j;
    out[WW_QUANTITY_EDP] = energy_j * study->time_s[k];
}

static ww_status fill_set(const ww_study *study, size_t s, ww_comparison *c, ww_error *err)
{
    for (size_t k = 0; k < c->kernels; k++) {
        size_t row = 0;
        (void)find_kernel(study, c->kernel[k], &row);
        double *absolute = &c->absolute[index_of(c, s, k, WW_QUANTITY_IPC)];
        const double *base = &c->absolute[index_of(c, 0, k, WW_QUANTITY_IPC)];
        double *ratio = &c->ratio[index_of(c, s, k, WW_QUANTITY_IPC)];
        quantities_of(study, row, c->with_static, absolute);
        for (int q = 0; q < WW_QUANTITY_COUNT; q++) {
            if (absolute[q] <= 0) {
                return ww_fail(err, WW_ENUMERIC,
                               "%s of kernel '%s' in '%s' is %g, which has no ratio", names[q],
                               c->kernel[k], c->set[s], absolute[q]);
            }
            ratio[q] = absolute[q] / base[q];
        }
    }
    return WW_OK;
}

/* A quantity that any kernel lacks has no mean: over fewer kernels it would not compare with the
 * others'. */
static void fill_geomeans(ww_comparison *c)
{
    for (size_t s = 0; s < c->sets; s++) {
        for (int q = 0; q < WW_QUANTITY_COUNT; q++) {
            double sum = 0;
            for (size_t k = 0; k < c->kernels; k++) {
                sum += log(ww_comparison_ratio(c, s, k, (ww_quantity)q));
            }
            c->geomean[s * WW_QUANTITY_COUNT + (size_t)q] = exp(sum / (double)c->kernels);
        }
    }
}

/* ---- uncertainties ---- */

static bool is_sure(const ww_study *study)
{
    return study->errors != NULL && study->group_j != NULL;
}

/* What a set's energies rest on; the last is their geometric mean's. NULL: no memory. */
static ww_exposure *exposures_of(const ww_study *study, const ww_comparison *c)
{
    ww_exposure *of = WW_NEW_ARRAY(ww_exposure, c->kernels + 1);
    for (size_t k = 0; of != NULL && k < c->kernels; k++) {
        size_t row = 0;
        (void)find_kernel(study, c->kernel[k], &row);
        ww_exposure_of(study->errors, &study->group_j[row * WW_GROUP_COUNT], study->sampled_j[row],
                       &of[k]);
    }
    if (of != NULL) {
        ww_exposure_mean(of, c->kernels, &of[c->kernels]);
    }
    return of;
}

static ww_status fill_joint(const ww_study *base, const ww_study *other, size_t s, ww_comparison *c,
                            ww_error *err)
{
    ww_exposure *first = exposures_of(base, c), *second = exposures_of(other, c);
    bool ok = first != NULL && second != NULL;
    for (size_t k = 0; ok && k <= c->kernels; k++) {
        c->joint[s * (c->kernels + 1) + k] =
            ww_exposure_joint(base->errors, &first[k], other->errors, &second[k], c->shared[s]);
    }
    ww_free(first);
    ww_free(second);
    return ok ? WW_OK : ww_no_memory(err);
}

static ww_status fill_uncertainties(const ww_study *const *set, size_t s, ww_comparison *c,
                                    ww_error *err)
{
    const ww_study *base = set[0], *study = set[s];
    c->calibration[s] = study->calibration;
    c->shared[s] = base->error_source != NULL && study->error_source != NULL &&
                   strcmp(base->error_source, study->error_source) == 0;
    for (size_t k = 0; k < c->kernels; k++) {
        size_t row = 0;
        (void)find_kernel(study, c->kernel[k], &row);
        double power_w = ww_comparison_absolute(c, s, k, WW_QUANTITY_POWER);
        c->own[s * c->kernels + k] = c->with_static ? study->sigma_w[row] / power_w : (double)NAN;
        c->joint[s * (c->kernels + 1) + k] = (double)NAN;
    }
    c->joint[s * (c->kernels + 1) + c->kernels] = (double)NAN;
    return s > 0 && c->with_static && is_sure(base) && is_sure(study)
               ? fill_joint(base, study, s, c, err)
               : WW_OK;
}

static bool has_uncertainty(ww_quantity q)
{
    return q == WW_QUANTITY_POWER || q == WW_QUANTITY_ENERGY || q == WW_QUANTITY_EDP;
}

double ww_comparison_uncertainty(const ww_comparison *c, size_t set, size_t kernel, ww_quantity q)
{
    if (!has_uncertainty(q) || kernel == c->kernels) {
        return (double)NAN;
    }
    return c->own[set * c->kernels + kernel] * ww_comparison_absolute(c, set, kernel, q);
}

static double ratio_of(const ww_comparison *c, size_t set, size_t kernel, ww_quantity q)
{
    return kernel < c->kernels ? ww_comparison_ratio(c, set, kernel, q)
                               : ww_comparison_geomean(c, set, q);
}

double ww_comparison_ratio_uncertainty(const ww_comparison *c, size_t set, size_t kernel,
                                       ww_quantity q)
{
    return has_uncertainty(q)
               ? c->joint[set * (c->kernels + 1) + kernel] * ratio_of(c, set, kernel, q)
               : (double)NAN;
}

ww_difference ww_comparison_difference(const ww_comparison *c, size_t set, size_t kernel,
                                       ww_quantity q)
{
    static const double coverage = 2;    /* of a 95 % interval, in standard uncertainties */
    static const double rounding = 1e-9; /* sums of the same joules in another order */
    double joint = c->joint[set * (c->kernels + 1) + kernel];
    double moved = fabs(log(ratio_of(c, set, kernel, q)));
    if (!has_uncertainty(q) || isnan(joint) || isnan(moved)) {
        return WW_DIFFERENCE_UNKNOWN;
    }
    return moved > coverage * joint + rounding ? WW_DIFFERENCE_EXCEEDS : WW_DIFFERENCE_WITHIN;
}

const char *ww_difference_name(ww_difference difference)
{
    return difference == WW_DIFFERENCE_EXCEEDS  ? "exceeds"
           : difference == WW_DIFFERENCE_WITHIN ? "within"
                                                : "";
}

static ww_status allocate(ww_comparison *c, size_t sets, size_t most_kernels, ww_error *err)
{
    size_t cells = sets * most_kernels * WW_QUANTITY_COUNT;
    c->sets = sets;
    c->set = WW_ARENA_NEW_ARRAY(&c->arena, const char *, sets);
    c->kernel = WW_ARENA_NEW_ARRAY(&c->arena, const char *, most_kernels + 1);
    c->absolute = WW_ARENA_NEW_ARRAY(&c->arena, double, cells + 1);
    c->ratio = WW_ARENA_NEW_ARRAY(&c->arena, double, cells + 1);
    c->geomean = WW_ARENA_NEW_ARRAY(&c->arena, double, sets *WW_QUANTITY_COUNT);
    c->own = WW_ARENA_NEW_ARRAY(&c->arena, double, cells + 1);
    c->joint = WW_ARENA_NEW_ARRAY(&c->arena, double, cells + sets);
    c->shared = WW_ARENA_NEW_ARRAY(&c->arena, bool, sets);
    c->calibration = WW_ARENA_NEW_ARRAY(&c->arena, const char *, sets);
    bool ok = c->own != NULL && c->joint != NULL && c->shared != NULL && c->calibration != NULL &&
              c->set != NULL && c->kernel != NULL && c->absolute != NULL && c->ratio != NULL &&
              c->geomean != NULL;
    return ok ? WW_OK : ww_no_memory(err);
}

static ww_status compare(const ww_study *const *set, const char *const *label, size_t count,
                         ww_comparison *c, ww_error *err)
{
    WW_TRY(allocate(c, count, set[0]->kernel_count, err));
    common_kernels(set, count, c);
    if (c->kernels == 0) {
        return ww_fail(err, WW_ENOTFOUND, "no kernel is in all %zu result sets", count);
    }
    c->with_static = knows_static(set, count);
    for (size_t s = 0; s < count; s++) {
        c->set[s] = label != NULL ? label[s] : set[s]->name;
        WW_TRY(fill_set(set[s], s, c, err));
        WW_TRY(fill_uncertainties(set, s, c, err));
    }
    fill_geomeans(c);
    return WW_OK;
}

ww_status ww_compare(const ww_study *const *set, const char *const *label, size_t count,
                     ww_comparison *out, ww_error *err)
{
    if (count < 2) {
        return ww_fail(err, WW_ERANGE, "a comparison needs two result sets or more");
    }
    ww_comparison c = {0};
    ww_status status = compare(set, label, count, &c, err);
    if (status != WW_OK) {
        ww_comparison_fini(&c);
        return status;
    }
    *out = c;
    return WW_OK;
}

void ww_comparison_fini(ww_comparison *c)
{
    if (c != NULL) {
        ww_arena_fini(&c->arena);
        *c = (ww_comparison){0};
    }
}
