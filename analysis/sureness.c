/* sureness.c - see sureness.h. */
#include "analysis/sureness.h"

#include <math.h>

void ww_exposure_of(const ww_power_errors *errors, const double group_j[WW_GROUP_COUNT],
                    double sampled_j, ww_exposure *out)
{
    double total_j = 0, by_voltage = 0;
    *out = (ww_exposure){0};
    for (int g = 0; g < WW_GROUP_COUNT; g++) {
        total_j += group_j[g];
    }
    if (!(total_j > 0)) {
        return;
    }
    for (int g = 0; g < WW_GROUP_COUNT; g++) {
        out->share[g] = group_j[g] / total_j;
        out->error[g] = out->share[g] * errors->sigma[g];
        by_voltage += out->share[g] * errors->per_voltage[g];
    }
    out->error[WW_ERROR_VOLTAGE] = by_voltage * errors->sigma[WW_ERROR_VOLTAGE];
    out->sampled = sampled_j / total_j;
}

void ww_exposure_mean(const ww_exposure *of, size_t count, ww_exposure *out)
{
    double sampled = 0;
    *out = (ww_exposure){0};
    for (size_t i = 0; i < count; i++) {
        for (int g = 0; g < WW_GROUP_COUNT; g++) {
            out->share[g] += of[i].share[g] / (double)count;
        }
        for (int e = 0; e < WW_ERROR_COUNT; e++) {
            out->error[e] += of[i].error[e] / (double)count;
        }
        sampled += of[i].sampled * of[i].sampled;
    }
    out->sampled = count > 0 ? sqrt(sampled) / (double)count : 0;
}

static double variance(const ww_power_errors *errors, const double error[WW_ERROR_COUNT])
{
    double sum = 0;
    for (int a = 0; a < WW_ERROR_COUNT; a++) {
        for (int b = 0; b < WW_ERROR_COUNT; b++) {
            sum += error[a] * error[b] * errors->correlation[a][b];
        }
    }
    return fmax(sum, 0);
}

double ww_exposure_sigma(const ww_power_errors *errors, const ww_exposure *energy)
{
    return sqrt(variance(errors, energy->error) + errors->scatter * errors->scatter +
                energy->sampled * energy->sampled);
}

double ww_exposure_joint(const ww_power_errors *base_errors, const ww_exposure *base,
                         const ww_power_errors *other_errors, const ww_exposure *other, bool shared)
{
    double difference[WW_ERROR_COUNT], moved = 0;
    if (!shared) {
        return hypot(ww_exposure_sigma(base_errors, base), ww_exposure_sigma(other_errors, other));
    }
    for (int e = 0; e < WW_ERROR_COUNT; e++) {
        difference[e] = other->error[e] - base->error[e];
    }
    for (int g = 0; g < WW_GROUP_COUNT; g++) {
        moved += fabs(other->share[g] - base->share[g]);
    }
    double scatter = base_errors->scatter * moved, sampled = hypot(base->sampled, other->sampled);
    return sqrt(variance(base_errors, difference) + scatter * scatter + sampled * sampled);
}
