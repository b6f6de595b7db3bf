/* foreign_parts.h - what the readers of other programs' activity share; private to counters/. */
#ifndef WW_COUNTERS_FOREIGN_PARTS_H
#define WW_COUNTERS_FOREIGN_PARTS_H

#include "base/map.h"
#include "base/mem.h"
#include "counters/foreign.h"

enum { WW__FOREIGN_MOST_LAUNCHES = 20000, WW__FOREIGN_MOST_BYTES = 1 << 29 };

/* A number that a source told: line 0 means that it did not. */
typedef struct ww__told {
    double value;
    int line;
} ww__told;

/* A launch as a source tells it. */
typedef struct ww__foreign_launch {
    const char *kernel; /* in the table's arena */
    int line;
    uint32_t grid[3], block[3]; /* 0: not told */
    uint32_t registers, shared_bytes;
    uint64_t stream;
    ww__told *told; /* [names] */
} ww__foreign_launch;

/* What was read of one file: names are those that the source's rows use. */
typedef struct ww__foreign_table {
    const char *file;
    ww_map names; /* num: index in told */
    ww__foreign_launch *launches;
    size_t count, capacity;
    ww_arena arena;
} ww__foreign_table;

void ww__foreign_table_fini(ww__foreign_table *table);
/** A launch more, with nothing told. */
WW_NODISCARD ww_status ww__foreign_add(ww__foreign_table *table, const char *kernel, size_t length,
                                       int line, ww__foreign_launch **out, ww_error *err);
/** What a launch tells of a name; NULL: no row asks for it. */
ww__told *ww__foreign_told(const ww__foreign_table *table, const ww__foreign_launch *launch,
                           const char *name, size_t length);
/** A number told once. EPARSE where it was told before and otherwise. */
WW_NODISCARD ww_status ww__foreign_tell(const ww__foreign_table *table, ww__told *told,
                                        const char *name, size_t length, double value, int line,
                                        ww_error *err);
/** text[0..length) as a finite number that is not negative, '_' for what stands behind it.
 * EPARSE, ERANGE at the line. */
WW_NODISCARD ww_status ww__foreign_number(const ww__foreign_table *table, const char *name,
                                          size_t name_length, const char *text, size_t length,
                                          int line, double *out, ww_error *err);
/** "(391, 1, 1)" or "(391,1,1)"; EPARSE. */
WW_NODISCARD ww_status ww__foreign_extent(const ww__foreign_table *table, const char *text,
                                          int line, uint32_t out[3], ww_error *err);

/* ---- foreign_log.c, foreign_model.c, foreign_ncu.c: text is terminated ---- */
WW_NODISCARD ww_status ww__foreign_read_log(ww__foreign_table *table, const char *text,
                                            ww_error *err);
/** AccelWattch's model: its coefficients, told of every launch. */
WW_NODISCARD ww_status ww__foreign_read_model(ww__foreign_table *table, const char *name,
                                              const char *text, size_t length, ww_error *err);
WW_NODISCARD ww_status ww__foreign_read_ncu(ww__foreign_table *table, const char *text,
                                            size_t length, ww_error *err);

/* ---- foreign_rule.c: expressions ---- */
typedef struct ww__rule ww__rule;

/** The value of a name in expressions; false: not known. */
typedef bool ww__rule_value(void *user, const char *name, double *out);

/** a * b + 0.5 * c - d: numbers, names and @names, blanks around the signs. */
WW_NODISCARD ww_status ww__rule_parse(const char *text, ww_arena *arena, const ww__rule **out,
                                      ww_error *err);
/** Calls back for every name of an expression. */
WW_NODISCARD ww_status ww__rule_names(const ww__rule *rule,
                                      ww_status (*each)(void *user, const char *name), void *user);
/** False: one of its names is not known. */
bool ww__rule_evaluate(const ww__rule *rule, ww__rule_value *value, void *user, double *out);

#endif
