/* arch.c - loading a machine description, and what is known about each of its values. */
#include "arch/arch.h"

#include <string.h>

#include "arch/config.h"

static ww_status create(ww_arch **out, ww_error *err)
{
    ww_arch *arch = WW_NEW(ww_arch);
    struct ww_config *config = WW_NEW(struct ww_config);
    if (arch == NULL || config == NULL) {
        ww_free(arch);
        ww_free(config);
        return ww_fail(err, WW_ENOMEM, "out of memory");
    }
    arch->config = config;
    config->values = WW_ARENA_NEW_ARRAY(&config->arena, ww_config_value, ww_param_count());
    if (config->values == NULL) {
        ww_arch_destroy(arch);
        return ww_fail(err, WW_ENOMEM, "out of memory");
    }
    *out = arch;
    return WW_OK;
}

/* Unless a description or a setting says otherwise. */
static ww_status no_mechanisms(ww_arch *arch, ww_error *err)
{
    ww_config_origin origin = {.file = "default", .source = "no mechanism"};
    return ww__config_set(arch, ww_param_index(WW_MECH_KEY), "none", NULL, origin, err);
}

/* A mechanism's parameters cannot be set before it is known which are active. */
static ww_status check_active(const ww_arch *arch, size_t index, const char *key, ww_error *err)
{
    int mech = ww_param_mechanism(index);
    if (mech < 0 || (arch->mechs >> mech & 1) != 0) {
        return WW_OK;
    }
    return ww_fail_at(err, WW_ENOTFOUND, "--set", 0, 0,
                      "%s: the mechanism %s is not active (--mech %s)", key,
                      ww_mech_name((ww_mech_id)mech), ww_mech_name((ww_mech_id)mech));
}

/* First the choice of mechanisms, then, when their files have been read, everything. */
static ww_status apply_settings(ww_arch *arch, const ww_setting *settings, size_t count,
                                bool choice_only, ww_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (choice_only && strcmp(settings[i].key, WW_MECH_KEY) != 0) {
            continue;
        }
        size_t index = ww_param_index(settings[i].key);
        if (index == ww_param_count()) {
            char hint[96];
            return ww_fail_at(err, WW_ENOTFOUND, "--set", 0, 0, "unknown parameter '%.80s'%s",
                              settings[i].key,
                              ww_param_suggest(settings[i].key, hint, sizeof hint));
        }
        WW_TRY(check_active(arch, index, settings[i].key, err));
        ww_config_origin origin = {.file = "--set", .source = "command line"};
        WW_TRY(ww__config_set(arch, index, settings[i].value, NULL, origin, err));
    }
    return WW_OK;
}

/* path NULL: search by name; text NULL: read the file. */
static ww_status load(ww_arch *arch, const char *name, const char *text, size_t length,
                      const ww_setting *settings, size_t setting_count, ww_error *err)
{
    const char *path = name;
    if (text == NULL) {
        WW_TRY(ww__arch_find(&arch->config->arena, name, &path, err));
    }
    WW_TRY(no_mechanisms(arch, err));
    WW_TRY(ww__chain_load(arch, path, text, length, err));
    WW_TRY(apply_settings(arch, settings, setting_count, true, err));
    WW_TRY(ww__mech_load(arch, err));
    WW_TRY(apply_settings(arch, settings, setting_count, false, err));
    WW_TRY(ww__config_complete(arch, path, err));
    WW_TRY(ww__arch_check(arch, err));
    arch->config_hash = ww__config_hash(arch);
    return WW_OK;
}

static ww_status create_and_load(const char *name, const char *text, size_t length,
                                 const ww_setting *settings, size_t setting_count, ww_arch **out,
                                 ww_error *err)
{
    ww_arch *arch;
    WW_TRY(create(&arch, err));
    ww_status status = load(arch, name, text, length, settings, setting_count, err);
    if (status != WW_OK) {
        ww_arch_destroy(arch);
        return status;
    }
    *out = arch;
    return WW_OK;
}

ww_status ww_arch_load(const char *name_or_path, const ww_setting *settings, size_t setting_count,
                       ww_arch **out, ww_error *err)
{
    return create_and_load(name_or_path, NULL, 0, settings, setting_count, out, err);
}

ww_status ww_arch_parse(const char *name, const char *text, size_t length,
                        const ww_setting *settings, size_t setting_count, ww_arch **out,
                        ww_error *err)
{
    return create_and_load(name, text, length, settings, setting_count, out, err);
}

void ww_arch_destroy(ww_arch *arch)
{
    if (arch != NULL) {
        ww_arena_fini(&arch->config->arena);
        ww_free(arch->config);
        ww_free(arch);
    }
}

const char *ww_arch_name(const ww_arch *arch)
{
    return arch->config->name;
}

size_t ww_arch_param_count(void)
{
    return ww_param_count();
}

ww_arch_value ww_arch_value_at(const ww_arch *arch, size_t i)
{
    const ww_param *param = ww_param_at(i);
    const ww_config_value *value = &arch->config->values[i];
    return (ww_arch_value){.key = param->key,
                           .value = value->text,
                           .unit = param->unit,
                           .source = value->text != NULL ? value->origin.source : "",
                           .file = value->text != NULL ? value->origin.file : "",
                           .line = value->origin.line,
                           .doc = param->doc};
}

const char *ww_arch_source(const ww_arch *arch, const char *key)
{
    size_t index = ww_param_index(key);
    return index < ww_param_count() ? ww_arch_value_at(arch, index).source : "";
}
