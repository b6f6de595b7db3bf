/* cap_run.c - runs under a power cap: the search of cap.h with simulations of a request. */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/units.h"
#include "run/run.h"

static const char set_key[] = "clock.set_hz";

/* A search in progress. */
typedef struct cap_search {
    const ww_run_request *request;
    const ww_capped *capped;
    const ww_arch *asked; /* the machine at the clock asked for */
    ww_setting *settings; /* those of the request, and room for one more */
} cap_search;

static ww_status load(const ww_run_request *request, ww_arch **out, ww_error *err)
{
    return ww_arch_load(request->gpu, request->settings, request->setting_count, out, err);
}

ww_status ww_run_has_cap(const ww_run_request *request, bool *out, ww_error *err)
{
    ww_arch *arch = NULL;
    WW_TRY(load(request, &arch, err));
    *out = arch->power.cap_w > 0;
    ww_arch_destroy(arch);
    return WW_OK;
}

ww_status ww_run_mean_w(const ww_run *run, double *out, ww_error *err)
{
    double most_w = 0;
    for (size_t first = 0, end; first < run->launch_count; first = end) {
        ww_power_repeated sum = {0};
        double watts = 0, sigma_w;
        for (end = first; end < run->launch_count &&
                          strcmp(run->launches[end].workload, run->launches[first].workload) == 0;
             end++) {
            WW_TRY(ww_power_repeat(run->model, run->arch, &run->launches[end], &sum, err));
        }
        if (!ww_power_repeated_w(run->model, run->arch, &sum, &watts, &sigma_w)) {
            watts = sum.total_j / sum.time_s;
        }
        most_w = watts > most_w ? watts : most_w;
    }
    *out = most_w;
    return WW_OK;
}

/* The request's settings at another clock; those that name one are replaced. */
static size_t settings_at(const cap_search *s, double hz, char text[WW_NUM_CHARS])
{
    size_t count = 0;
    for (size_t i = 0; i < s->request->setting_count; i++) {
        if (hz == s->asked->clock.core_hz || strcmp(s->request->settings[i].key, set_key) != 0) {
            s->settings[count++] = s->request->settings[i];
        }
    }
    if (hz != s->asked->clock.core_hz) {
        s->settings[count++] = (ww_setting){.key = set_key, .value = ww_num_format(hz, text)};
    }
    return count;
}

static ww_status run_at(void *user, double core_hz, double *watts, ww_error *err)
{
    cap_search *s = user;
    char text[WW_NUM_CHARS];
    const ww_run *run = NULL;
    size_t count = settings_at(s, core_hz, text);
    WW_TRY(s->capped->run(s->capped->user, s->settings, count, &run, err));
    WW_TRY(ww_run_mean_w(run, watts, err));
    if (*watts <= s->asked->power.cap_w) {
        s->capped->keep(s->capped->user);
    }
    return WW_OK;
}

static ww_status idle_w(const ww_arch *arch, double *out, ww_error *err)
{
    ww_power_model *model = NULL;
    WW_TRY(ww_power_model_create(arch, NULL, &model, err));
    *out = ww_power_idle_w(model, arch->clock.dram_hz);
    ww_power_model_destroy(model);
    return WW_OK;
}

/* No clock helps against a cap below what the card draws without work. */
static ww_status check_idle(cap_search *s, ww_error *err)
{
    double lowest_hz = ww_arch_clocks(s->asked).lowest_hz, least_w = 0;
    char text[WW_NUM_CHARS], cap[48], idle[48], hz[48], tdp[48];
    ww_arch *arch = NULL;
    size_t count = settings_at(s, lowest_hz, text);
    WW_TRY(ww_arch_load(s->request->gpu, s->settings, count, &arch, err));
    ww_status status = idle_w(arch, &least_w, err);
    ww_arch_destroy(arch);
    WW_TRY(status);
    if (s->asked->power.cap_w > least_w) {
        return WW_OK;
    }
    ww_units_format(s->asked->power.cap_w, "W", cap, sizeof cap);
    ww_units_format(least_w, "W", idle, sizeof idle);
    ww_units_format(lowest_hz, "Hz", hz, sizeof hz);
    ww_units_format(s->asked->chip.tdp_w, "W", tdp, sizeof tdp);
    return ww_fail(
        err, WW_ERANGE,
        "--power-cap: %s is not more than the card draws idle at its lowest clock, %s at "
        "%s; caps lie between that and the power of its board, %s",
        cap, idle, hz, tdp);
}

static ww_status search(cap_search *s, ww_cap *out, ww_error *err)
{
    double asked_w = 0;
    WW_TRY(check_idle(s, err));
    WW_TRY(idle_w(s->asked, &asked_w, err));
    return ww_cap_search(s->asked, asked_w, run_at, s, out, err);
}

ww_status ww_run_capped(const ww_run_request *request, const ww_capped *capped, ww_cap *out,
                        ww_error *err)
{
    ww_arch *asked = NULL;
    if (request->functional_only) {
        return ww_fail(err, WW_EUSAGE, "--power-cap does not go with --no-timing");
    }
    WW_TRY(load(request, &asked, err));
    cap_search s = {.request = request,
                    .capped = capped,
                    .asked = asked,
                    .settings = WW_NEW_ARRAY(ww_setting, request->setting_count + 1)};
    ww_cap found = {0};
    ww_status status = s.settings != NULL ? search(&s, &found, err) : ww_no_memory(err);
    if (status == WW_OK) {
        found.config_hash = asked->config_hash;
        *out = found;
    }
    ww_free(s.settings);
    ww_arch_destroy(asked);
    return status;
}

/* ---- requests of workloads and PTX files ---- */

/* Runs of one request at several clocks. */
typedef struct trials {
    ww_run_request request; /* a copy: what is said once is said by the first run */
    ww_run *last, *best;
} trials;

static ww_status try_run(void *user, const ww_setting *settings, size_t count, const ww_run **run,
                         ww_error *err)
{
    trials *t = user;
    ww_run_destroy(t->last);
    t->last = NULL;
    t->request.settings = settings;
    t->request.setting_count = count;
    WW_TRY(ww_run_once(&t->request, NULL, &t->last, err));
    t->request.on_print = NULL;
    t->request.on_workload = NULL;
    t->request.memcheck = false;
    *run = t->last;
    return t->last->interrupted
               ? ww_fail(err, WW_EINTERRUPTED,
                         "interrupted while the clock of a power cap was looked for")
               : WW_OK;
}

static void keep_run(void *user)
{
    trials *t = user;
    ww_run_destroy(t->best);
    t->best = t->last;
    t->last = NULL;
}

ww_status ww_run_execute(const ww_run_request *request, ww_run **out, ww_error *err)
{
    ww_arch *arch = NULL;
    WW_TRY(load(request, &arch, err));
    if (arch->power.cap_w <= 0) {
        return ww_run_once(request, arch, out, err);
    }
    ww_arch_destroy(arch);
    trials t = {.request = *request};
    ww_cap cap;
    ww_status status = ww_run_capped(
        request, &(ww_capped){.run = try_run, .keep = keep_run, .user = &t}, &cap, err);
    ww_run_destroy(t.last);
    if (status != WW_OK) {
        ww_run_destroy(t.best);
        return status;
    }
    t.best->cap = cap;
    t.best->arch->config_hash = cap.config_hash; /* the clock follows from the cap */
    *out = t.best;
    return WW_OK;
}
