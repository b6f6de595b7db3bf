/* mech.c - which mechanisms a machine has: names to bits, and their files read. */
#include <string.h>

#include "arch/config.h"
#include "base/configs.h"
#include "base/file.h"
#include "base/suggest.h"

static ww_status add_name(ww_arch *arch, const char *name, size_t length, ww_error *err)
{
    ww_suggest near;
    const char *word = ww_arena_strndup(&arch->config->arena, name, length);
    if (word == NULL) {
        return ww_fail(err, WW_ENOMEM, "out of memory");
    }
    ww_suggest_init(&near, word);
    for (int id = 0; id < WW_MECH_COUNT; id++) {
        if (strcmp(ww_mech_name((ww_mech_id)id), word) == 0) {
            arch->mechs |= 1u << id;
            return WW_OK;
        }
        ww_suggest_offer(&near, ww_mech_name((ww_mech_id)id));
    }
    char hint[96];
    return ww__config_fail(arch, WW_MECH_KEY, err, WW_ENOTFOUND,
                           "there is no mechanism '%.40s'%s (see: warpwatt list mechs)", word,
                           ww_suggest_text(&near, hint, sizeof hint));
}

static ww_status read_names(ww_arch *arch, ww_error *err)
{
    const char *text = arch->mech.active;
    arch->mechs = 0;
    if (strcmp(text, "none") == 0) {
        return WW_OK;
    }
    for (;;) {
        size_t n = strcspn(text, ",");
        WW_TRY(add_name(arch, text, n, err));
        if (text[n] == '\0') {
            return WW_OK;
        }
        text += n + 1;
    }
}

ww_status ww__mech_load(ww_arch *arch, ww_error *err)
{
    WW_TRY(read_names(arch, err));
    ww_arena *arena = &arch->config->arena;
    const char *dir = NULL;
    if (arch->mechs != 0) {
        WW_TRY(ww_configs_dir(arena, "mech", &dir, err));
    }
    for (int id = 0; id < WW_MECH_COUNT; id++) {
        if ((arch->mechs >> id & 1) == 0) {
            continue;
        }
        const char *path = ww_arena_printf(arena, "%s/%s.xml", dir, ww_mech_name((ww_mech_id)id));
        if (path == NULL) {
            return ww_fail(err, WW_ENOMEM, "out of memory");
        }
        WW_TRY(ww__chain_load_mech(arch, path, err));
    }
    return WW_OK;
}
