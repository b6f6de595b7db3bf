/* share.h - how much of a launch is done, for progress: CTAs that have ended and, of those that
 * have not, the instructions they have issued. */
#ifndef WW_GPU_SHARE_H
#define WW_GPU_SHARE_H

#include <stdint.h>

/* Zero before the first look. */
typedef struct ww_share {
    double of_cta;  /* instructions of a CTA of the first wave; 0: none has ended */
    uint64_t first; /* CTAs that were live at the last look before one ended */
} ww_share;

/**
 * Share of a launch that is done, 0 (none of its CTAs has ended: nothing is known) to 1.
 * @param all, ended, live  its CTAs
 * @param issued            its instructions so far
 */
double ww_share_done(ww_share *s, uint64_t all, uint64_t ended, uint64_t live, uint64_t issued);

#endif
