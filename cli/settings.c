/* settings.c - --set, --mech, --clock and --power-cap of a command line. */
#include "cli/settings.h"

#include <string.h>

#include "base/units.h"

/* An option that stands for a parameter whose 0 is its absence. */
static ww_status take_quantity(const ww_args *args, const char *option, const char *si,
                               const char *key, ww_setting *out, size_t *count, ww_error *err)
{
    const char *text = ww_args_value(args, option);
    double value = 0;
    if (text == NULL) {
        return WW_OK;
    }
    ww_status status = ww_units_parse(text, si, &value, err);
    if (status != WW_OK) {
        ww_error_prefix(err, "--%s: ", option);
        return status;
    }
    if (!(value > 0)) {
        return ww_fail(err, WW_EUSAGE, "--%s needs more than 0, not '%s'", option, text);
    }
    out[(*count)++] = (ww_setting){.key = key, .value = text};
    return WW_OK;
}

ww_status ww_settings_collect(const ww_args *args, ww_arena *arena, ww_setting **out, size_t *count,
                              ww_error *err)
{
    *count = ww_args_count(args, "set");
    *out = WW_ARENA_NEW_ARRAY(arena, ww_setting,
                              *count + 8); /* room for those of options, and for a caller's own */
    if (*out == NULL) {
        return ww_no_memory(err);
    }
    for (size_t i = 0; i < *count; i++) {
        const char *text = ww_args_nth(args, "set", i), *equals = strchr(text, '=');
        if (equals == NULL || equals == text) {
            return ww_fail(err, WW_EUSAGE, "--set needs KEY=VALUE, not '%s'", text);
        }
        (*out)[i].key = ww_arena_strndup(arena, text, (size_t)(equals - text));
        (*out)[i].value = equals + 1;
        if ((*out)[i].key == NULL) {
            return ww_no_memory(err);
        }
    }
    const char *mechs = ww_args_value(args, "mech");
    if (mechs != NULL) {
        (*out)[(*count)++] = (ww_setting){.key = WW_MECH_KEY, .value = mechs};
    }
    WW_TRY(take_quantity(args, "clock", "Hz", "clock.set_hz", *out, count, err));
    return take_quantity(args, "power-cap", "W", "power.cap_w", *out, count, err);
}

static void print_fault(void *user, const ww_error *fault)
{
    char text[4096];
    (void)user;
    fprintf(stderr, "%s\n", ww_error_format(fault, text, sizeof text));
}

ww_status ww_settings_check_arch(const ww_args *args, const char *gpu, ww_arch **out, ww_error *err)
{
    ww_arena arena = {0};
    ww_setting *settings = NULL;
    size_t count = 0;
    ww_status status = ww_settings_collect(args, &arena, &settings, &count, err);
    if (status == WW_OK) {
        status = ww_arch_load_checked(gpu, settings, count, print_fault, NULL, out, err);
    }
    ww_arena_fini(&arena);
    return status;
}

ww_status ww_settings_load_arch_with(const ww_args *args, const char *gpu, const char *mechs,
                                     ww_arch **out, ww_error *err)
{
    ww_arena arena = {0};
    ww_setting *settings = NULL;
    size_t count = 0;
    ww_status status = ww_settings_collect(args, &arena, &settings, &count, err);
    if (status == WW_OK && mechs != NULL && !ww_settings_name(settings, count, WW_MECH_KEY)) {
        settings[count++] = (ww_setting){.key = WW_MECH_KEY, .value = mechs};
    }
    if (status == WW_OK) {
        status = ww_arch_load(gpu, settings, count, out, err);
    }
    ww_arena_fini(&arena);
    return status;
}

ww_status ww_settings_load_arch(const ww_args *args, const char *gpu, ww_arch **out, ww_error *err)
{
    return ww_settings_load_arch_with(args, gpu, NULL, out, err);
}
