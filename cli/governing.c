/* governing.c - see governing.h. */
#include "cli/governing.h"

#include <string.h>

#include "base/num.h"
#include "base/units.h"

static ww_status bad(const char *text, ww_error *err)
{
    return ww_fail(err, WW_EUSAGE,
                   "--governor is fixed:HZ, cap:WATTS or edp, such as cap:250W, not '%s'", text);
}

/* What stands behind the colon, in a unit. */
static ww_status number(const char *text, const char *colon, const char *unit, double *out,
                        ww_error *err)
{
    return ww_units_parse(colon + 1, unit, out, NULL) == WW_OK && *out > 0 ? WW_OK : bad(text, err);
}

static bool begins(const char *text, const char *colon, const char *word)
{
    size_t length = strlen(word);
    return colon != NULL && (size_t)(colon - text) == length && memcmp(text, word, length) == 0;
}

static ww_status take_governor(const char *text, ww_run_request *request, ww_setting *settings,
                               ww_error *err)
{
    const char *colon = strchr(text, ':');
    double hz;
    if (strcmp(text, "edp") == 0) {
        request->govern.kind = WW_GOVERN_EDP;
        return WW_OK;
    }
    if (begins(text, colon, "cap")) {
        request->govern.kind = WW_GOVERN_CAP;
        return number(text, colon, "W", &request->govern.cap_w, err);
    }
    if (!begins(text, colon, "fixed")) {
        return bad(text, err);
    }
    WW_TRY(number(text, colon, "Hz", &hz, err));
    settings[request->setting_count++] = (ww_setting){.key = "clock.set_hz", .value = colon + 1};
    return WW_OK;
}

static ww_status take_heat(const char *text, ww_run_request *request, ww_error *err)
{
    static const double most = 1e15;
    const char *end = text;
    double times = 0;
    if (!ww_num_scan(text, &end, &times) || *end != '\0' || !(times >= 1 && times <= most)) {
        return ww_fail(err, WW_EUSAGE,
                       "--heat needs how often each interval is repeated, from 1 on, not '%s'",
                       text);
    }
    request->govern.heats = true;
    request->govern.repeat = times;
    return WW_OK;
}

/* What has no intervals, or evaluates energies without them. */
static ww_status check(const ww_args *args, const ww_run_request *request, ww_error *err)
{
    static const char *const without[] = {"sample", "no-timing", "profile", "power-cap"};
    const char *name = ww_args_has(args, "governor") ? "governor" : "heat";
    if (request->interval_cycles == 0) {
        return ww_fail(err, WW_EUSAGE, "--%s acts at the end of intervals: it needs --interval",
                       name);
    }
    if (args->rest_count > 0) {
        return ww_fail(err, WW_EUSAGE, "--%s is for workloads and PTX files, not for programs",
                       name);
    }
    for (size_t i = 0; i < WW_ARRAY_LEN(without); i++) {
        if (ww_args_has(args, without[i])) {
            return ww_fail(err, WW_EUSAGE, "--%s does not go with --%s", name, without[i]);
        }
    }
    return strncmp(ww_args_has(args, "governor") ? ww_args_value(args, "governor") : "", "fixed",
                   strlen("fixed")) == 0 &&
                   ww_args_has(args, "clock")
               ? ww_fail(err, WW_EUSAGE, "--governor fixed and --clock: one of the two")
               : WW_OK;
}

ww_status ww_governing_take(const ww_args *args, ww_arena *arena, ww_run_request *request,
                            ww_setting *settings, ww_error *err)
{
    const char *governor = ww_args_value(args, "governor"), *heat = ww_args_value(args, "heat");
    if (governor == NULL && heat == NULL) {
        return WW_OK;
    }
    WW_TRY(check(args, request, err));
    request->governed = true;
    request->govern_name = ww_arena_printf(arena, "%s heat %s", governor != NULL ? governor : "",
                                           heat != NULL ? heat : "");
    if (request->govern_name == NULL) {
        return ww_no_memory(err);
    }
    WW_TRY(governor != NULL ? take_governor(governor, request, settings, err) : WW_OK);
    return heat != NULL ? take_heat(heat, request, err) : WW_OK;
}
