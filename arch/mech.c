/* mech.c - which mechanisms a machine has: names to bits, and their files read. */
#include <stddef.h>
#include <string.h>

#include "arch/config.h"
#include "base/configs.h"
#include "base/file.h"
#include "base/suggest.h"

const char *ww_mech_alias(size_t i, const char **rooms, const char **about)
{
    static const struct {
        const char *name, *rooms, *about;
    } table[] = {
#define WW_MECH_ALIAS(name, rooms, doc) {#name, rooms, doc},
#include "mech/rows.h"
        {NULL, NULL, NULL}, /* there may be no other */
    };
    *rooms = table[i].rooms;
    *about = table[i].about;
    return table[i].name;
}

const char *ww_mech_unsound(const ww_arch *arch)
{
    static const struct {
        ww_mech_id id;
        size_t offset;
        int value;
        const char *text;
    } variants[] = {
#define WW_MECH_UNSOUND(ID, name, field, enumerator, text)                                         \
    {WW_MECH_##ID, offsetof(ww_arch, name.field), enumerator, text},
#include "mech/rows.h"
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(variants); i++) {
        int value; /* an enumeration: an int in memory (param.c) */
        memcpy(&value, (const char *)arch + variants[i].offset, sizeof value);
        if ((arch->mechs >> variants[i].id & 1) != 0 && value == variants[i].value) {
            return variants[i].text;
        }
    }
    return NULL;
}

static ww_status add_names(ww_arch *arch, const char *text, ww_error *err);

static ww_status add_name(ww_arch *arch, const char *name, size_t length, ww_error *err)
{
    ww_suggest near;
    const char *word = ww_arena_strndup(&arch->config->arena, name, length);
    if (word == NULL) {
        return ww_no_memory(err);
    }
    ww_suggest_init(&near, word);
    for (int id = 0; id < WW_MECH_COUNT; id++) {
        if (strcmp(ww_mech_name((ww_mech_id)id), word) == 0) {
            arch->mechs |= UINT64_C(1) << id;
            return WW_OK;
        }
        ww_suggest_offer(&near, ww_mech_name((ww_mech_id)id));
    }
    const char *alias, *rooms, *about;
    for (size_t i = 0; (alias = ww_mech_alias(i, &rooms, &about)) != NULL; i++) {
        if (strcmp(alias, word) == 0) {
            return add_names(arch, rooms, err);
        }
        ww_suggest_offer(&near, alias);
    }
    char hint[96];
    return ww__config_fail(arch, WW_MECH_KEY, err, WW_ENOTFOUND,
                           "there is no mechanism '%.40s'%s (see: warpwatt list mechs)", word,
                           ww_suggest_text(&near, hint, sizeof hint));
}

static ww_status add_names(ww_arch *arch, const char *text, ww_error *err)
{
    for (;;) {
        size_t n = strcspn(text, ",");
        WW_TRY(add_name(arch, text, n, err));
        if (text[n] == '\0') {
            return WW_OK;
        }
        text += n + 1;
    }
}

static ww_status read_names(ww_arch *arch, ww_error *err)
{
    arch->mechs = 0;
    return strcmp(arch->mech.active, "none") == 0 ? WW_OK : add_names(arch, arch->mech.active, err);
}

/* What active mechanisms make of the machine. */
static const struct {
    ww_mech_id id;
    const char *key, *value;
} changes[] = {
#define WW_MECH_SETS(ID, key, value) {WW_MECH_##ID, key, value},
#include "mech/rows.h"
};

ww_mech_id ww__mech_that_sets(const char *key, const char *value)
{
    for (size_t i = 0; i < WW_ARRAY_LEN(changes); i++) {
        if (strcmp(changes[i].key, key) == 0 && strcmp(changes[i].value, value) == 0) {
            return changes[i].id;
        }
    }
    return WW_MECH_COUNT;
}

/* Settings come later and may say otherwise. */
static ww_status change_machine(ww_arch *arch, ww_error *err)
{
    for (size_t i = 0; i < WW_ARRAY_LEN(changes); i++) {
        if ((arch->mechs >> changes[i].id & 1) != 0) {
            ww_config_origin origin = {.file = "--mech", .source = ww_mech_name(changes[i].id)};
            WW_TRY(ww__config_set(arch, ww_param_index(changes[i].key), changes[i].value, NULL,
                                  origin, err));
        }
    }
    return WW_OK;
}

static uint32_t slots_of_mechanisms(uint64_t mechs)
{
    static const struct {
        ww_mech_id id;
        uint32_t slots;
    } wants[] = {
        {WW_MECH_COUNT, 0},
#define WW_MECH_SLOTS(ID, n) {WW_MECH_##ID, n},
#include "mech/rows.h"
    };
    uint32_t sum = 0;
    for (size_t i = 1; i < WW_ARRAY_LEN(wants); i++) {
        sum += (mechs >> wants[i].id & 1) != 0 ? wants[i].slots : 0;
    }
    return sum;
}

_Static_assert(WW_MECH_COUNT <= 64, "a bit of ww_arch.mechs for each mechanism");

ww_status ww__mech_load(ww_arch *arch, ww_error *err)
{
    WW_TRY(read_names(arch, err));
    ww_arena *arena = &arch->config->arena;
    const char *dir = NULL;
    if (arch->mechs != 0) {
        WW_TRY(ww_configs_rooms(arena, &dir, err));
    }
    for (int id = 0; id < WW_MECH_COUNT; id++) {
        if ((arch->mechs >> id & 1) == 0) {
            continue;
        }
        const char *name = ww_mech_name((ww_mech_id)id);
        const char *path = ww_arena_printf(arena, "%s/%s/%s.xml", dir, name, name);
        if (path == NULL) {
            return ww_no_memory(err);
        }
        WW_TRY(ww__chain_load_mech(arch, path, err));
    }
    arch->extra_warps = slots_of_mechanisms(arch->mechs);
    return change_machine(arch, err);
}
