/* config.h - the resolved values of a GPU description with their provenance; private to arch/. */
#ifndef WW_ARCH_CONFIG_H
#define WW_ARCH_CONFIG_H

#include <stdbool.h>

#include "arch/arch.h"
#include "arch/param.h"
#include "base/mem.h"

/* Who set a value. Strings live in the configuration's arena. */
typedef struct ww_config_origin {
    const char *file; /* "--set" for a setting */
    int line;         /* 0 for a setting */
    const char *source;
} ww_config_origin;

typedef struct ww_config_value {
    const char *text; /* canonical, SI; NULL: not set yet */
    ww_config_origin origin;
} ww_config_value;

struct ww_config {
    ww_arena arena;
    const char *name;        /* of the outermost file's root element */
    const char *path;        /* of that file, while it is being loaded */
    ww_config_value *values; /* in the order of ww_param_at */
    /* Takes a fault, and the next is looked for; NULL: the first ends the loading. */
    void (*on_fault)(void *user, const ww_error *fault);
    void *user;
    size_t faults;
};

/** With a taker of faults, hands it what failed and goes on: OK. Otherwise, and for want of memory,
 * the status, and *err is the fault. */
WW_NODISCARD ww_status ww__config_note(const ww_arch *arch, ww_status status, const ww_error *fault,
                                       ww_error *err);

/**
 * Converts, checks and stores one value.
 * @param unit  symbol of the unit attribute; NULL: text may carry a unit itself ("48 KiB")
 * @error ERANGE, ESCHEMA located at origin
 */
WW_NODISCARD ww_status ww__config_set(ww_arch *arch, size_t index, const char *text,
                                      const char *unit, ww_config_origin origin, ww_error *err);
/** Fails with a message located where a key was set. */
WW_NODISCARD ww_status ww__config_fail(const ww_arch *arch, const char *key, ww_error *err,
                                       ww_status code, const char *fmt, ...) WW_PRINTF(5, 6);
/** ESCHEMA when a parameter has no value. */
WW_NODISCARD ww_status ww__config_complete(const ww_arch *arch, const char *file, ww_error *err);
/** FNV-1a over "key=value\n" of every parameter in table order, but of keys that begin with `but`;
 * NULL: of all. */
uint64_t ww__config_hash(const ww_arch *arch, const char *but);

/** Reads a description and what it extends into arch, whose config is empty. text NULL: from the
 * file of that name. */
WW_NODISCARD ww_status ww__chain_load(ww_arch *arch, const char *path, const char *text,
                                      size_t length, ww_error *err);
/** Reads mech/NAME/NAME.xml into arch. */
WW_NODISCARD ww_status ww__chain_load_mech(ww_arch *arch, const char *path, ww_error *err);
/** Resolves mech.active: sets arch->mechs and reads the mechanisms' files (mech.c). */
WW_NODISCARD ww_status ww__mech_load(ww_arch *arch, ww_error *err);
/** The mechanism that makes a parameter of the machine that (WW_MECH_SETS); WW_MECH_COUNT: none. */
ww_mech_id ww__mech_that_sets(const char *key, const char *value);
/** Path of a GPU given by name or path; ENOTFOUND with a suggestion. */
WW_NODISCARD ww_status ww__arch_find(ww_arena *arena, const char *name_or_path, const char **path,
                                     ww_error *err);
/** ERANGE, located, unless clock.voltage reads as points around clock.core_hz. */
WW_NODISCARD ww_status ww__clock_check(const ww_arch *arch, ww_error *err);
/** Takes clock.set_hz: clocks of the die and its voltage. ERANGE with the card's range. */
WW_NODISCARD ww_status ww__clock_set(ww_arch *arch, ww_error *err);
/** Cross-parameter consistency. ERANGE, located at one of the keys involved. */
WW_NODISCARD ww_status ww__arch_check(const ww_arch *arch, ww_error *err);
/** Takes sm.cluster_sms. ERANGE, located. */
WW_NODISCARD ww_status ww__arch_list_clusters(ww_arch *arch, ww_error *err);

#endif
