/* param.h - the parameters of a GPU description as data: what loader, schema, `--set` and `config
 * explain` read. */
#ifndef WW_ARCH_PARAM_H
#define WW_ARCH_PARAM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ww_param_type {
    WW_PARAM_UINT, /* uint32_t */
    WW_PARAM_REAL, /* double */
    WW_PARAM_BOOL, /* bool */
    WW_PARAM_ENUM, /* one of values */
    WW_PARAM_TEXT, /* const char * */
} ww_param_type;

/* One member of a closed value set. */
typedef struct ww_enum_value {
    int value;
    const char *text; /* as in XML */
    const char *doc;
} ww_enum_value;

typedef struct ww_param {
    const char *key;  /* "sm.schedulers" */
    const char *name; /* "schedulers" */
    ww_param_type type;
    const char *unit; /* SI unit of the stored value; "1": dimensionless; "": not a number */
    double lo, hi;    /* inclusive range of numbers */
    const char *doc;
    const ww_enum_value *values; /* of an enumeration */
    size_t value_count;
    size_t offset; /* of the value in ww_arch */
} ww_param;

/* The parameters whose keys start with one path. */
typedef struct ww_param_group {
    const char *path; /* "sm" */
    const char *doc;
    const ww_param *params;
    size_t count;
    size_t first;  /* index of its first parameter among all */
    int mechanism; /* ww_mech_id whose group it is; -1: of the GPU */
} ww_param_group;

/** Number of parameters, the same as ww_arch_param_count. */
size_t ww_param_count(void);
/** The i-th parameter, i < ww_param_count(). */
const ww_param *ww_param_at(size_t i);
/** The mechanism that the i-th parameter belongs to, -1: none. */
int ww_param_mechanism(size_t i);
/** Index of a key ("sm.schedulers"), ww_param_count() when there is none. */
size_t ww_param_index(const char *key);
/** Number of groups. */
size_t ww_param_group_count(void);
/** The i-th group, i < ww_param_group_count(). */
ww_param_group ww_param_group_at(size_t i);
/** For an unknown key: "; did you mean 'sm.schedulers'?" or "". Returns buf. */
char *ww_param_suggest(const char *key, char *buf, size_t size);

#ifdef __cplusplus
}
#endif
#endif
