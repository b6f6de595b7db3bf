/* thermal.c - see thermal.h. */
#include "power/thermal.h"

#include <math.h>

static const double coldest_k = 300, hottest_k = 400; /* of the tables of devices */
static const double close_k = 1e-3;
static const double step_k = 0.05; /* of the derivative: leakage changes by a part in 400 */

enum { MOST_STEPS = 50 };

ww_thermal ww_thermal_of(const ww_arch *arch)
{
    const ww_chip_params *chip = &arch->chip;
    return (ww_thermal){.resistance_k_per_w = chip->rise_k / chip->tdp_w,
                        .inlet_k = chip->inlet_k,
                        .limit_k = chip->limit_k};
}

ww_status ww_package_of(const ww_arch *arch, ww_package *out, ww_error *err)
{
    const ww_chip_params *chip = &arch->chip;
    double all = ww_thermal_of(arch).resistance_k_per_w;
    if (!(chip->case_k_per_w < all)) {
        return ww_fail(
            err, WW_ERANGE,
            "chip.case_k_per_w: %g K/W from die to heat sink leave nothing of the %g K/W "
            "to the inlet (chip.rise_k over chip.tdp_w)",
            chip->case_k_per_w, all);
    }
    *out = (ww_package){.case_k_per_w = chip->case_k_per_w,
                        .sink_k_per_w = all - chip->case_k_per_w,
                        .die_j_per_k = chip->die_j_per_k,
                        .sink_j_per_k = chip->sink_j_per_k,
                        .inlet_k = chip->inlet_k,
                        .limit_k = chip->limit_k};
    return WW_OK;
}

ww_heat ww_package_settled(const ww_package *p, double die_k)
{
    double share = p->sink_k_per_w / (p->case_k_per_w + p->sink_k_per_w);
    return (ww_heat){.die_k = die_k, .sink_k = p->inlet_k + share * (die_k - p->inlet_k)};
}

ww_heat ww_package_after(const ww_package *p, ww_heat from, double watts, double seconds)
{
    /* x' = A x for the distances from where they end. A has two real, negative eigenvalues, so that
     * exp(A t) = e^(fast t) (A - slow) / (fast - slow) + e^(slow t) (A - fast) / (slow - fast). */
    const double end_sink_k = p->inlet_k + p->sink_k_per_w * watts;
    const double end_die_k = end_sink_k + p->case_k_per_w * watts;
    const double a = -1 / (p->case_k_per_w * p->die_j_per_k), b = -a;
    const double c = 1 / (p->case_k_per_w * p->sink_j_per_k);
    const double d = -c - 1 / (p->sink_k_per_w * p->sink_j_per_k);
    const double middle = (a + d) / 2, apart = sqrt((a - d) * (a - d) / 4 + b * c);
    const double slow = (a * d - b * c) / (middle - apart), fast = middle - apart;
    const double of_fast = exp(fast * seconds) / (fast - slow);
    const double of_slow = exp(slow * seconds) / (slow - fast);
    const double die = from.die_k - end_die_k, sink = from.sink_k - end_sink_k;
    return (ww_heat){.die_k = end_die_k + (of_fast * (a - slow) + of_slow * (a - fast)) * die +
                              (of_fast + of_slow) * b * sink,
                     .sink_k = end_sink_k + (of_fast + of_slow) * c * die +
                               (of_fast * (d - slow) + of_slow * (d - fast)) * sink};
}

ww_status ww_thermal_mean_w(const ww_power_model *model, const ww_launch_record *launches,
                            size_t count, double *watts, ww_error *err)
{
    double joules = 0, seconds = 0;
    for (size_t i = 0; i < count; i++) {
        ww_power_result r;
        WW_TRY(ww_power_evaluate(model, launches[i].counters, &launches[i], &r, err));
        joules += r.total_j;
        seconds += r.time_s;
    }
    if (!(seconds > 0)) {
        return ww_fail(err, WW_ENUMERIC, "no launch: no power that would heat the die");
    }
    *watts = joules / seconds;
    return WW_OK;
}

/* A search: what the temperature lacks of where its power would take it. */
typedef struct settling {
    const ww_thermal *card;
    ww_thermal_power power;
    void *user;
    unsigned evaluations;
} settling;

static ww_status lack(settling *s, double temp_k, double *watts, double *out, ww_error *err)
{
    WW_TRY(s->power(s->user, temp_k, watts, err));
    s->evaluations++;
    *out = s->card->inlet_k + s->card->resistance_k_per_w * *watts - temp_k;
    return WW_OK;
}

static ww_status run_away(const settling *s, double temp_k, ww_error *err)
{
    return ww_fail(err, WW_ERANGE,
                   "thermal runaway: above %.4g K every kelvin adds more leakage than %.3g K/W "
                   "carry off; a lower clock, voltage or inlet temperature settles",
                   temp_k, s->card->resistance_k_per_w);
}

static ww_status settle(settling *s, ww_thermal_point *out, ww_error *err)
{
    double temp_k = fmax(s->card->inlet_k, coldest_k);
    for (int i = 0; i < MOST_STEPS; i++) {
        double watts, here, ahead, unused;
        WW_TRY(lack(s, temp_k, &watts, &here, err));
        if (here <= close_k) { /* settled, or colder than the models' coldest */
            *out = (ww_thermal_point){.temp_k = temp_k + fmin(here, 0),
                                      .watts = watts,
                                      .model_k = temp_k,
                                      .residual_k = fmax(here, 0)};
            return WW_OK;
        }
        if (temp_k + step_k > hottest_k) {
            return run_away(s, temp_k, err);
        }
        WW_TRY(lack(s, temp_k + step_k, &unused, &ahead, err));
        double closes = (here - ahead) / step_k; /* per kelvin: 1 - R dP/dT */
        if (!(closes > 0) || temp_k + here / closes > hottest_k) {
            return run_away(s, temp_k, err);
        }
        temp_k += here / closes;
    }
    return run_away(s, temp_k, err);
}

ww_status ww_thermal_settle(const ww_thermal *card, ww_thermal_power power, void *user,
                            ww_thermal_point *out, ww_error *err)
{
    settling s = {.card = card, .power = power, .user = user};
    WW_TRY(settle(&s, out, err));
    out->evaluations = s.evaluations;
    return out->temp_k <= card->limit_k
               ? WW_OK
               : ww_fail(err, WW_ERANGE,
                         "the card would settle at %.4g K with %.4g W, above its limit of %.4g K "
                         "(chip.limit_k): it would slow down; --clock sets a lower clock",
                         out->temp_k, out->watts, card->limit_k);
}

/* ---- launches ---- */

/* Launches at the model's temperature. */
typedef struct warmed {
    const ww_power_model *model;
    ww_point at;
    double watts;
    double share; /* of the time at the model's own point */
} warmed;

static ww_status launches_at(void *user, double temp_k, double *watts, ww_error *err)
{
    (void)err;
    const warmed *w = user;
    ww_point at = w->at;
    at.temperature_k = temp_k;
    double more_w = ww_power_static_at_w(w->model, &at) - ww_power_static_w(w->model);
    *watts = w->watts + w->share * more_w;
    return WW_OK;
}

static double own_share(const ww_launch_record *launches, size_t count)
{
    double own_s = 0, all_s = 0;
    for (size_t i = 0; i < count; i++) {
        const double seconds =
            (double)ww_counter_total(launches[i].counters, WW_C_CORE_CYCLES) / launches[i].core_hz;
        all_s += seconds;
        own_s += ww_launch_varies(&launches[i]) ? 0 : seconds;
    }
    return own_s / all_s;
}

ww_status ww_thermal_settle_launches(const ww_arch *arch, const ww_power_model *model,
                                     const ww_launch_record *launches, size_t count,
                                     ww_thermal_point *out, ww_error *err)
{
    const ww_thermal card = ww_thermal_of(arch);
    warmed w = {.model = model,
                .at = {.core_hz = arch->clock.core_hz, .vdd_v = ww_arch_core_v(arch)}};
    WW_TRY(ww_thermal_mean_w(model, launches, count, &w.watts, err));
    w.share = own_share(launches, count);
    return ww_thermal_settle(&card, launches_at, &w, out, err);
}
