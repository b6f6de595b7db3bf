/* mechanisms.c - what active mechanisms came to: mechanisms.csv, ratios of their counters. */
#include "analysis/export.h"
#include "base/csv.h"

enum { TERMS = 3 };

/* A sum of counters; a negative weight subtracts. */
typedef struct sum {
    ww_counter counter[TERMS];
    int weight[TERMS]; /* 0: no further term */
} sum;

typedef struct measure {
    ww_mech_id mech;
    const char *name;
    const char *unit;
    sum over, under;
    const char *meaning;
} measure;

#define ONE(c)                                                                                     \
    {                                                                                              \
        {WW_C_##c},                                                                                \
        {                                                                                          \
            1                                                                                      \
        }                                                                                          \
    }
#define TWO(a, b)                                                                                  \
    {                                                                                              \
        {WW_C_##a, WW_C_##b},                                                                      \
        {                                                                                          \
            1, 1                                                                                   \
        }                                                                                          \
    }
#define CONSUMED TWO(PF_USED, PF_LATE)
#define DEMAND   TWO(L1D_READ_HIT, L1D_READ_MISS)
#define UNCONSUMED                                                                                 \
    {                                                                                              \
        {WW_C_PF_ISSUED, WW_C_PF_USED, WW_C_PF_LATE},                                              \
        {                                                                                          \
            1, -1, -1                                                                              \
        }                                                                                          \
    }

/* Coverage, accuracy, bandwidth and timeliness as in CTA-Aware Prefetching (Koo et al., IPDPS
 * 2018), sections VI-C to VI-E; instructions eliminated as in DARSIE (Yeh et al., ASPLOS 2020),
 * figures 9 and 10. */
static const measure measures[] = {
    {WW_MECH_NLP, "coverage", "1", ONE(PF_ISSUED), DEMAND,
     "prefetches sent over demand reads of the L1D"},
    {WW_MECH_NLP, "accuracy", "1", CONSUMED, ONE(PF_ISSUED), "prefetches that a demand consumed"},
    {WW_MECH_NLP, "early", "1", ONE(PF_EARLY), ONE(PF_ISSUED),
     "prefetches that left the L1D before a demand came"},
    {WW_MECH_NLP, "late", "1", ONE(PF_LATE), ONE(PF_ISSUED),
     "prefetches demanded while on their way"},
    {WW_MECH_NLP, "distance", "cycle", ONE(PF_DISTANCE), CONSUMED,
     "mean time from a prefetch to its first demand"},
    {WW_MECH_NLP, "wasted_traffic", "1", UNCONSUMED, ONE(L1D_FILL),
     "share of the L1D's fills that nobody demanded"},
    {WW_MECH_UV, "candidates", "1", ONE(UV_LOOKUP), ONE(INST_ISSUED),
     "issued warp instructions with uniform operands"},
    {WW_MECH_UV, "eliminated", "1", ONE(UV_REUSED), ONE(INST_ISSUED),
     "issued warp instructions that took a result and did not execute"},
};

static double value_of(const sum *s, const ww_counter_set *counters)
{
    double value = 0;
    for (int i = 0; i < TERMS && s->weight[i] != 0; i++) {
        value += s->weight[i] * (double)ww_counter_total(counters, s->counter[i]);
    }
    return value;
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
            if ((set->arch->mechs >> m->mech & 1) == 0) {
                continue;
            }
            double under = value_of(&m->under, launch->counters);
            ww_csv_put_text(&csv, launch->workload);
            ww_csv_put_text(&csv, launch->kernel);
            ww_csv_put_u64(&csv, launch->launch_index);
            ww_csv_put_text(&csv, ww_mech_name(m->mech));
            ww_csv_put_text(&csv, m->name);
            if (under > 0) {
                ww_csv_put_double(&csv, value_of(&m->over, launch->counters) / under);
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
