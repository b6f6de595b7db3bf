/* config.c - one parameter value: text to SI, range check, storage with provenance. */
#include "arch/config.h"

#include <math.h>
#include <string.h>

#include "arch/counted.h"
#include "base/assert.h"
#include "base/hash.h"
#include "base/num.h"
#include "base/str.h"
#include "base/suggest.h"
#include "base/units.h"

/* A setting being stored: what every step needs for its message. */
typedef struct assignment {
    ww_arch *arch;
    const ww_param *param;
    const char *text, *unit;
    ww_config_origin origin;
    ww_error *err;
} assignment;

static ww_status fail_value(const assignment *a, ww_status code, const char *fmt, ...)
    WW_PRINTF(3, 4);

static ww_status fail_value(const assignment *a, ww_status code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    ww_str what = {0};
    ww_str_addv(&what, fmt, args);
    va_end(args);
    ww_status status = ww_fail_at(a->err, code, a->origin.file, a->origin.line, 0, "%s: %s",
                                  a->param->key, ww_str_text(&what));
    ww_str_fini(&what);
    return status;
}

/* A typical unit of a quantity, for messages. */
static const char *example_unit(const char *si)
{
    static const char *const examples[][2] = {
        {"B", "KiB"}, {"Hz", "MHz"}, {"m", "nm"}, {"m^2", "mm2"}};
    for (size_t i = 0; i < WW_ARRAY_LEN(examples); i++) {
        if (strcmp(examples[i][0], si) == 0) {
            return examples[i][1];
        }
    }
    return si;
}

static ww_status number_in_si(const assignment *a, double *out)
{
    const char *si = a->param->unit;
    ww_error why = {0};
    if (a->unit == NULL) { /* a setting, with the unit in the text */
        ww_status status = ww_units_parse(a->text, si, out, &why);
        return status == WW_OK ? WW_OK : fail_value(a, status, "%s", why.what);
    }
    const char *symbol = *a->unit != '\0' ? a->unit : "1";
    const ww_unit *unit = ww_unit_find(symbol);
    if (unit == NULL || strcmp(unit->si, si) != 0) {
        return *a->unit == '\0'
                   ? fail_value(a, WW_ESCHEMA, "needs a unit attribute, such as unit=\"%s\"",
                                example_unit(si))
                   : fail_value(a, WW_ESCHEMA, "unit '%.20s' does not fit; expected one like '%s'",
                                a->unit, example_unit(si));
    }
    double number;
    ww_status status = ww_num_parse_double(a->text, &number, &why);
    if (status != WW_OK) {
        return fail_value(a, status == WW_EPARSE ? WW_ESCHEMA : status, "%s", why.what);
    }
    *out = ww_unit_to_si(unit, number);
    return WW_OK;
}

static ww_status store_number(const assignment *a, void *slot, char *canonical)
{
    const ww_param *param = a->param;
    double value = 0;
    WW_TRY(number_in_si(a, &value));
    if (!(value >= param->lo && value <= param->hi)) {
        char lo[48], hi[48], got[48];
        ww_units_format(param->lo, param->unit, lo, sizeof lo);
        ww_units_format(param->hi, param->unit, hi, sizeof hi);
        ww_units_format(value, param->unit, got, sizeof got);
        return fail_value(a, WW_ERANGE, "%s is outside %s to %s (%s)", got, lo, hi, param->doc);
    }
    ww_num_format(value, canonical);
    if (param->type == WW_PARAM_REAL) {
        memcpy(slot, &value, sizeof value);
        return WW_OK;
    }
    if (value != floor(value)) {
        return fail_value(a, WW_ERANGE, "%s is not a whole number", canonical);
    }
    WW_ASSERT(value >= 0 && value <= UINT32_MAX); /* no row of a whole number has a wider range */
    uint32_t whole = (uint32_t)value;
    memcpy(slot, &whole, sizeof whole);
    return WW_OK;
}

static ww_status store_bool(const assignment *a, void *slot)
{
    bool value = strcmp(a->text, "true") == 0;
    if (!value && strcmp(a->text, "false") != 0) {
        return fail_value(a, WW_ESCHEMA, "'%.40s' is neither 'true' nor 'false'", a->text);
    }
    memcpy(slot, &value, sizeof value);
    return WW_OK;
}

static ww_status fail_enum(const assignment *a)
{
    ww_suggest near;
    ww_suggest_init(&near, a->text);
    ww_str all = {0};
    for (size_t i = 0; i < a->param->value_count; i++) {
        const ww_enum_value *value = &a->param->values[i];
        ww_suggest_offer(&near, value->text);
        ww_str_addf(&all, "%s%s", i > 0 ? ", " : "", value->text);
    }
    char hint[96];
    ww_status status = fail_value(a, WW_ESCHEMA, "'%.40s' is not one of %s%s", a->text,
                                  ww_str_text(&all), ww_suggest_text(&near, hint, sizeof hint));
    ww_str_fini(&all);
    return status;
}

static ww_status store_enum(const assignment *a, void *slot)
{
    for (size_t i = 0; i < a->param->value_count; i++) {
        const ww_enum_value *value = &a->param->values[i];
        if (strcmp(value->text, a->text) == 0) {
            memcpy(slot, &value->value, sizeof value->value);
            return WW_OK;
        }
    }
    return fail_enum(a);
}

ww_status ww__config_set(ww_arch *arch, size_t index, const char *text, const char *unit,
                         ww_config_origin origin, ww_error *err)
{
    const ww_param *param = ww_param_at(index);
    const assignment a = {arch, param, text, unit, origin, err};
    WW_ASSERT(param != NULL && param->offset < sizeof *arch);
    void *slot = (char *)arch + param->offset;
    char canonical[WW_NUM_CHARS];
    char *kept = NULL;
    switch (param->type) {
    case WW_PARAM_UINT:
    case WW_PARAM_REAL:
        WW_TRY(store_number(&a, slot, canonical));
        text = canonical;
        break;
    case WW_PARAM_BOOL:
        WW_TRY(store_bool(&a, slot));
        break;
    case WW_PARAM_ENUM:
        WW_TRY(store_enum(&a, slot));
        break;
    case WW_PARAM_TEXT:
        if (*text == '\0') {
            return fail_value(&a, WW_ESCHEMA, "is empty");
        }
        break;
    }
    kept = ww_arena_printf(&arch->config->arena, "%s", text);
    if (kept == NULL) {
        return ww_no_memory(err);
    }
    if (param->type == WW_PARAM_TEXT) {
        const char *shared = kept;
        memcpy(slot, &shared, sizeof shared);
    }
    arch->config->values[index] = (ww_config_value){kept, origin};
    return WW_OK;
}

ww_status ww__config_fail(const ww_arch *arch, const char *key, ww_error *err, ww_status code,
                          const char *fmt, ...)
{
    WW_ASSERT(ww_param_index(key) < ww_param_count());
    const ww_config_value *value = &arch->config->values[ww_param_index(key)];
    va_list args;
    va_start(args, fmt);
    ww_str what = {0};
    ww_str_addv(&what, fmt, args);
    va_end(args);
    ww_status status = ww_fail_at(err, code, value->origin.file, value->origin.line, 0,
                                  "%s = %s: %s", key, value->text, ww_str_text(&what));
    ww_str_fini(&what);
    return status;
}

enum { MOST_FAULTS = 100 }; /* behind so many, more tell nothing */

ww_status ww__config_note(const ww_arch *arch, ww_status status, const ww_error *fault,
                          ww_error *err)
{
    struct ww_config *config = arch->config;
    if (status == WW_OK) {
        return WW_OK;
    }
    if (config->on_fault == NULL || status == WW_ENOMEM || config->faults == MOST_FAULTS) {
        if (err != NULL) {
            *err = *fault;
        }
        return status;
    }
    config->faults++;
    config->on_fault(config->user, fault);
    return WW_OK;
}

ww_status ww__config_complete(const ww_arch *arch, const char *file, ww_error *err)
{
    enum { SHOWN = 5 };
    size_t missing = 0;
    ww_str keys = {0};
    for (size_t i = 0; i < ww_param_count(); i++) {
        int mech = ww_param_mechanism(i);
        bool needed = mech < 0 || (arch->mechs >> mech & 1) != 0;
        if (needed && arch->config->values[i].text == NULL && missing++ < SHOWN) {
            ww_str_addf(&keys, "%s%s", missing > 1 ? ", " : "", ww_param_at(i)->key);
        }
    }
    if (missing > SHOWN) {
        ww_str_addf(&keys, " and %zu more", missing - SHOWN);
    }
    ww_status status = WW_OK;
    if (missing > 0) {
        status = ww_fail_at(err, WW_ESCHEMA, file, 0, 0, "no value for %s", ww_str_text(&keys));
    }
    ww_str_fini(&keys);
    return status;
}

uint64_t ww__config_hash(const ww_arch *arch, const char *but)
{
    uint64_t hash = WW_HASH_INIT;
    for (size_t i = 0; i < ww_param_count(); i++) {
        const char *key = ww_param_at(i)->key, *text = arch->config->values[i].text;
        if (text == NULL || (but != NULL && strncmp(key, but, strlen(but)) == 0)) {
            continue; /* without text: of a mechanism that is not active */
        }
        hash = ww_hash_bytes(hash, key, strlen(key));
        hash = ww_hash_bytes(hash, "=", 1);
        hash = ww_hash_bytes(hash, text, strlen(text));
        hash = ww_hash_bytes(hash, "\n", 1);
    }
    return hash;
}

uint64_t ww_arch_counted_hash(const ww_arch *arch)
{
    return ww__config_hash(arch, "power.");
}
