/* overlap.h - how much of a launch's time copy engine, matrix unit, special-function units and DRAM
 * were at work, how much of each was hidden behind another, and what warps that ask for copies and
 * those that ask for products waited for. Depends on: counters. Pure. */
#ifndef WW_ANALYSIS_OVERLAP_H
#define WW_ANALYSIS_OVERLAP_H

#include <stdbool.h>
#include <stddef.h>

#include "counters/counters.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Shares of the time of active SMs, 0 to 1; of what is hidden: of the time that it is at work. */
typedef struct ww_overlap_shares {
    bool has;                     /* the launch uses asynchronous engines, in time */
    double copy, copy_hidden;     /* while the others multiply or evaluate */
    double matrix, matrix_hidden; /* while the special-function units evaluate */
    double sfu, sfu_hidden;       /* while the matrix unit multiplies */
    double dram;                  /* its data buses move data: of all channels' time */
} ww_overlap_shares;

ww_overlap_shares ww_overlap_of(const ww_counter_set *counters);
/** What producers, or consumers, spend their time waiting for, the most first: "mbarriers 0.61,
 * barriers 0.04" (shares of their time); empty where there are none. Returns buf (>= 128 bytes). */
char *ww_overlap_waits(const ww_counter_set *counters, bool consumers, char *buf, size_t size);

#ifdef __cplusplus
}
#endif
#endif
