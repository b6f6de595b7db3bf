/* throttle.h - MTA's feedback: every period, how early and how late prefetches were decides what
 * share of them is left out (Lee et al., MICRO 2010). */
#ifndef WW_MECH_MTA_THROTTLE_H
#define WW_MECH_MTA_THROTTLE_H

#include "mech/lib/prefetch.h"

enum { MTA_NONE = 5 }; /* degree at which every prefetch is left out */

typedef struct mta_throttle {
    uint32_t degree; /* fifths that are left out */
    double early_high, early_low, merge;
    uint32_t turn; /* of five loads in a row, the first `degree` go without */
} mta_throttle;

/** Early evictions over useful prefetches: high, none is sent any more; in between, fewer; low,
 * more where demand merged with many of them (they come late, but are right), else fewer. */
void mta_throttle_adjust(mta_throttle *t, const ww_prefetch_outcome *period);
/** Whether the next load's prefetches are left out. */
bool mta_throttle_drops(mta_throttle *t);

#endif
