/* mechanisms.c - what active mechanisms came to: mechanisms.csv, ratios of their counters. */
#include <math.h>
#include <string.h>

#include "analysis/export.h"
#include "base/csv.h"

/* A ratio of sums of counters. */
typedef struct measure {
    ww_mech_id mech;
    const char *name;
    const char *unit;
    double (*over)(const ww_counter_set *counters);
    double (*under)(const ww_counter_set *counters);
    const char *meaning;
} measure;

/* The rooms' measures (mech/NAME/mech.def): two functions and a row each. */
#define N(counter) ((double)ww_counter_total(counters, WW_C_##counter))
#define WW_MECH_MEASURE(ID, name, unit, over, under, doc)                                          \
    static double over_##ID##_##name(const ww_counter_set *counters)                               \
    {                                                                                              \
        return over;                                                                               \
    }                                                                                              \
    static double under_##ID##_##name(const ww_counter_set *counters)                              \
    {                                                                                              \
        return under;                                                                              \
    }
#include "mech/rows.h"
#undef N

static const measure measures[] = {
#define WW_MECH_MEASURE(ID, name, unit, over, under, doc)                                          \
    {WW_MECH_##ID, #name, unit, over_##ID##_##name, under_##ID##_##name, doc},
#include "mech/rows.h"
};

bool ww_mechanism_measure(const char *name, const ww_counter_set *counters, double *over,
                          double *under)
{
    for (size_t i = 0; i < WW_ARRAY_LEN(measures); i++) {
        const measure *m = &measures[i];
        const char *mech = ww_mech_name(m->mech);
        size_t n = strlen(mech);
        if (strncmp(name, mech, n) == 0 && name[n] == '.' && strcmp(name + n + 1, m->name) == 0) {
            *over = m->over(counters);
            *under = m->under(counters);
            return true;
        }
    }
    return false;
}

static bool is_active(const ww_result_set *set, const measure *m)
{
    return set->arch != NULL && (set->arch->mechs >> m->mech & 1) != 0;
}

static double pooled(const ww_result_set *set, const measure *m)
{
    double over = 0, under = 0;
    for (size_t l = 0; l < set->launch_count; l++) {
        over += m->over(set->launches[l].counters);
        under += m->under(set->launches[l].counters);
    }
    return under > 0 ? over / under : (double)NAN;
}

ww_status ww_mechanism_sums(const ww_result_set *set, ww_arena *arena, ww_mechanism_sum **out,
                            size_t *count, ww_error *err)
{
    *count = 0;
    *out = WW_ARENA_NEW_ARRAY(arena, ww_mechanism_sum, WW_ARRAY_LEN(measures));
    if (*out == NULL) {
        return ww_no_memory(err);
    }
    for (size_t i = 0; i < WW_ARRAY_LEN(measures); i++) {
        const measure *m = &measures[i];
        if (is_active(set, m)) {
            (*out)[(*count)++] = (ww_mechanism_sum){.mechanism = ww_mech_name(m->mech),
                                                    .measure = m->name,
                                                    .unit = m->unit,
                                                    .meaning = m->meaning,
                                                    .value = pooled(set, m)};
        }
    }
    return WW_OK;
}

ww_status ww_export_mechanisms(const ww_result_set *set, ww_str *out, ww_error *err)
{
    ww_csv_writer csv;
    ww_csv_init(&csv, out);
    const char *const head[] = {"workload", "kernel", "launch", "mechanism",
                                "measure",  "value",  "unit",   "meaning"};
    for (size_t i = 0; i < WW_ARRAY_LEN(head); i++) {
        ww_csv_put_header(&csv, head[i], NULL);
    }
    ww_csv_end_row(&csv);
    for (size_t l = 0; l < set->launch_count; l++) {
        const ww_launch_record *launch = &set->launches[l];
        for (size_t i = 0; i < WW_ARRAY_LEN(measures); i++) {
            const measure *m = &measures[i];
            if (!is_active(set, m)) {
                continue;
            }
            double under = m->under(launch->counters);
            ww_csv_put_text(&csv, launch->workload);
            ww_csv_put_text(&csv, launch->kernel);
            ww_csv_put_u64(&csv, launch->launch_index);
            ww_csv_put_text(&csv, ww_mech_name(m->mech));
            ww_csv_put_text(&csv, m->name);
            if (under > 0) {
                ww_csv_put_double(&csv, m->over(launch->counters) / under);
            } else {
                ww_csv_put_text(&csv, "");
            }
            ww_csv_put_text(&csv, m->unit);
            ww_csv_put_text(&csv, m->meaning);
            ww_csv_end_row(&csv);
        }
    }
    return ww_csv_finish(&csv, err);
}
