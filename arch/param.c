/* param.c - the parameter rows of arch/params.h turned into a table. */
#include "arch/param.h"

#include <string.h>

#include "arch/arch.h"
#include "base/suggest.h"

/* ---- value sets ---- */
#define ENUM_ROW(id, text, doc) {id, text, doc},
#define ENUM_TABLE(tag)                                                                            \
    static const ww_enum_value values_##tag[] = {WW_ENUM_##tag(ENUM_ROW)};                         \
    _Static_assert(sizeof(ww_##tag) == sizeof(int), "the loader stores enumerators as int");
WW_ENUMS(ENUM_TABLE)
#define WW_MECH_ENUM(tag)                 static const ww_enum_value values_##tag[] = {
#define WW_MECH_VALUE(tag, id, text, doc) ENUM_ROW(id, text, doc)
#define WW_MECH_ENUM_END(tag)                                                                      \
    }                                                                                              \
    ;                                                                                              \
    _Static_assert(sizeof(ww_##tag) == sizeof(int), "the loader stores enumerators as int");
#include "mech/rows.h"

static const char *enum_text(const ww_enum_value *values, size_t count, int value)
{
    for (size_t i = 0; i < count; i++) {
        if (values[i].value == value) {
            return values[i].text;
        }
    }
    return "?";
}

#define ENUM_NAME(tag)                                                                             \
    const char *ww_##tag##_name(ww_##tag value)                                                    \
    {                                                                                              \
        return enum_text(values_##tag, WW_ARRAY_LEN(values_##tag), (int)value);                    \
    }
WW_ENUMS(ENUM_NAME)

/* ---- rows; g is the member of ww_arch whose rows are being expanded ---- */
#define ROW_HEAD(g, field)                                                                         \
    .key = #g "." #field, .name = #field, .offset = offsetof(ww_arch, g.field)
#define ROW_OF_U(g, n, u, l, h, d)                                                                 \
    {ROW_HEAD(g, n), .type = WW_PARAM_UINT, .unit = u, .lo = l, .hi = h, .doc = d},
#define ROW_OF_R(g, n, u, l, h, d)                                                                 \
    {ROW_HEAD(g, n), .type = WW_PARAM_REAL, .unit = u, .lo = l, .hi = h, .doc = d},
#define ROW_OF_B(g, n, d) {ROW_HEAD(g, n), .type = WW_PARAM_BOOL, .unit = "", .doc = d},
#define ROW_OF_S(g, n, d) {ROW_HEAD(g, n), .type = WW_PARAM_TEXT, .unit = "", .doc = d},
#define ROW_OF_E(g, n, tag, d)                                                                     \
    {ROW_HEAD(g, n), .type = WW_PARAM_ENUM,  .unit = "",                                           \
     .doc = d,       .values = values_##tag, .value_count = WW_ARRAY_LEN(values_##tag)},

/* A group's rows do not name it: GROUP does while they are expanded. */
#define IN_GROUP(row, ...)   row(__VA_ARGS__)
#define ROW_U(n, u, l, h, d) IN_GROUP(ROW_OF_U, GROUP, n, u, l, h, d)
#define ROW_R(n, u, l, h, d) IN_GROUP(ROW_OF_R, GROUP, n, u, l, h, d)
#define ROW_B(n, d)          IN_GROUP(ROW_OF_B, GROUP, n, d)
#define ROW_S(n, d)          IN_GROUP(ROW_OF_S, GROUP, n, d)
#define ROW_E(n, tag, d)     IN_GROUP(ROW_OF_E, GROUP, n, tag, d)
#define ROWS(FIELDS)                                                                               \
    {                                                                                              \
        FIELDS(ROW_U, ROW_R, ROW_B, ROW_E, ROW_S)                                                  \
    }

/* clang-format off: one group a block */
#define GROUP chip
static const ww_param params_chip[] = ROWS(WW_CHIP_FIELDS);
#undef GROUP
#define GROUP clock
static const ww_param params_clock[] = ROWS(WW_CLOCK_FIELDS);
#undef GROUP
#define GROUP sm
static const ww_param params_sm[] = ROWS(WW_SM_FIELDS);
#undef GROUP
#define GROUP regfile
static const ww_param params_regfile[] = ROWS(WW_REGFILE_FIELDS);
#undef GROUP
#define GROUP units
static const ww_param params_units[] = ROWS(WW_UNITS_FIELDS);
#undef GROUP
#define GROUP ldst
static const ww_param params_ldst[] = ROWS(WW_LDST_FIELDS);
#undef GROUP
#define GROUP async
static const ww_param params_async[] = ROWS(WW_ASYNC_FIELDS);
#undef GROUP
#define GROUP l1i
static const ww_param params_l1i[] = ROWS(WW_CACHE_FIELDS);
#undef GROUP
#define GROUP l1d
static const ww_param params_l1d[] = ROWS(WW_CACHE_FIELDS);
#undef GROUP
#define GROUP l1c
static const ww_param params_l1c[] = ROWS(WW_CACHE_FIELDS);
#undef GROUP
#define GROUP l1t
static const ww_param params_l1t[] = ROWS(WW_CACHE_FIELDS);
#undef GROUP
#define GROUP l2
static const ww_param params_l2[] = ROWS(WW_CACHE_FIELDS);
#undef GROUP
#define GROUP icnt
static const ww_param params_icnt[] = ROWS(WW_ICNT_FIELDS);
#undef GROUP
#define GROUP mem
static const ww_param params_mem[] = ROWS(WW_MEM_FIELDS);
#undef GROUP
#define GROUP power
static const ww_param params_power[] = ROWS(WW_POWER_FIELDS);
#undef GROUP
#define GROUP peer
static const ww_param params_peer[] = ROWS(WW_PEER_FIELDS);
#undef GROUP
#define GROUP mech
static const ww_param params_mech[] = ROWS(WW_MECH_FIELDS);
#undef GROUP
/* clang-format on */

/* Of a mechanism; the last row is empty, since there may be no other. */
#define WW_MECH(ID, name, doc)                    static const ww_param params_of_##name[] = {
#define WW_MECH_U(name, field, unit, lo, hi, doc) ROW_OF_U(name, field, unit, lo, hi, doc)
#define WW_MECH_R(name, field, unit, lo, hi, doc) ROW_OF_R(name, field, unit, lo, hi, doc)
#define WW_MECH_B(name, field, doc)               ROW_OF_B(name, field, doc)
#define WW_MECH_E(name, field, tag, doc)          ROW_OF_E(name, field, tag, doc)
#define WW_MECH_END(ID, name)                                                                      \
    {                                                                                              \
        .key = NULL                                                                                \
    }                                                                                              \
    }                                                                                              \
    ;
#include "mech/rows.h"

#define GROUP_ROW(path, member, FIELDS, type, doc)                                                 \
    {path, doc, params_##member, WW_ARRAY_LEN(params_##member), 0, -1},
#define WW_MECH(ID, name, doc)                                                                     \
    {#name, doc, params_of_##name, WW_ARRAY_LEN(params_of_##name) - 1, 0, WW_MECH_##ID},
static const ww_param_group groups[] = {WW_GROUPS(GROUP_ROW)
#include "mech/rows.h"
};

static const ww_param_group *mech_group(ww_mech_id id)
{
    return &groups[WW_ARRAY_LEN(groups) - WW_MECH_COUNT + (size_t)id];
}

const char *ww_mech_name(ww_mech_id id)
{
    return mech_group(id)->path;
}

const char *ww_mech_about(ww_mech_id id)
{
    return mech_group(id)->doc;
}

int ww_param_mechanism(size_t i)
{
    size_t g = 0;
    while (i >= groups[g].count) {
        i -= groups[g++].count;
    }
    return groups[g].mechanism;
}

size_t ww_param_count(void)
{
    size_t count = 0;
    for (size_t i = 0; i < WW_ARRAY_LEN(groups); i++) {
        count += groups[i].count;
    }
    return count;
}

const ww_param *ww_param_at(size_t i)
{
    for (size_t g = 0; g < WW_ARRAY_LEN(groups); g++) {
        if (i < groups[g].count) {
            return &groups[g].params[i];
        }
        i -= groups[g].count;
    }
    return NULL;
}

/* True when the key is "PATH.…". */
static bool is_in_group(const char *key, const char *path)
{
    size_t n = strlen(path);
    return strncmp(key, path, n) == 0 && key[n] == '.';
}

size_t ww_param_index(const char *key)
{
    size_t first = 0;
    for (size_t g = 0; g < WW_ARRAY_LEN(groups); first += groups[g++].count) {
        size_t count = is_in_group(key, groups[g].path) ? groups[g].count : 0;
        for (size_t i = 0; i < count; i++) {
            if (strcmp(groups[g].params[i].key, key) == 0) {
                return first + i;
            }
        }
    }
    return first; /* ww_param_count(): there is none */
}

size_t ww_param_group_count(void)
{
    return WW_ARRAY_LEN(groups);
}

ww_param_group ww_param_group_at(size_t i)
{
    ww_param_group group = groups[i];
    for (size_t g = 0; g < i; g++) {
        group.first += groups[g].count;
    }
    return group;
}

char *ww_param_suggest(const char *key, char *buf, size_t size)
{
    ww_suggest near;
    ww_suggest_init(&near, key);
    const char *same_name = NULL; /* "schedulers" without its group */
    for (size_t i = 0; i < ww_param_count(); i++) {
        const ww_param *param = ww_param_at(i);
        ww_suggest_offer(&near, param->key);
        if (same_name == NULL && strcmp(param->name, key) == 0) {
            same_name = param->key;
        }
    }
    if (same_name != NULL) {
        near.best = same_name;
    }
    return ww_suggest_text(&near, buf, size);
}
