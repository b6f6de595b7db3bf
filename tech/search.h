/* search.h - the partition that serves an objective best. Private to tech/. */
#ifndef WW_TECH_SEARCH_H
#define WW_TECH_SEARCH_H

#include "tech/organise.h"

/* A tag array beside which a data array is chosen. */
typedef struct ww_companion {
    const ww_org *tag; /* NULL: none */
    ww_array_access access;
    double compare_s; /* tags read to hit known; CACTI leaves it out */
} ww_companion;

/* What an organisation costs together with its companion. */
typedef struct ww_metrics {
    double access_s, read_j, leak_w, cycle_s, area_m2;
} ww_metrics;

ww_metrics ww__metrics(const ww_org *org, const ww_companion *companion);

/** Counts of the faults met, by kind, when nothing is feasible. */
typedef struct ww_search_faults {
    uint32_t count[WW_ORG_FAULTS];
} ww_search_faults;

/** Finds the best partition; false when none is feasible (faults then says why). */
bool ww__search(const ww_org_site *site, const ww_array_objective *objective,
                const ww_companion *companion, ww_org *best, ww_search_faults *faults);

#endif
