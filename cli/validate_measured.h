/* validate_measured.h - powers of kernels, measured and ours, and what sums them up; private to
 * `warpwatt validate measured`. */
#ifndef WW_CLI_VALIDATE_MEASURED_H
#define WW_CLI_VALIDATE_MEASURED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { WW_MEASURED_PEERS = 2 }; /* AccelWattch by machine code, by PTX */

/* A kernel that ran here and on the card. */
typedef struct ww_measured_kernel {
    const char *gpu, *split; /* "used", "looked at", "unseen" */
    double measured_w, ours_w, sigma_w;
    double peer_w[WW_MEASURED_PEERS]; /* NAN: not published */
} ww_measured_kernel;

/* Errors are of the measured power. */
typedef struct ww_measured_sum {
    size_t kernels;
    double error, signed_error, worst; /* mean |.|, mean, largest |.| */
    double pearson;                    /* NAN under three kernels */
    double constant_error;             /* of the one power that is nearest to all of them */
    double peer_error[WW_MEASURED_PEERS];
    size_t peer_kernels[WW_MEASURED_PEERS];
    double inside;     /* share within 1.96 standard uncertainties */
    double rms_sigma;  /* root mean square of residual over standard uncertainty */
    double half_width; /* median 95 % half-width over our power */
} ww_measured_sum;

/** Sums kernels up. */
ww_measured_sum ww_measured_sum_up(const ww_measured_kernel *const *kernels, size_t count);
/** Prints a row per GPU and split, per GPU, and for all. @error ENOMEM */
ww_status ww_measured_print(const ww_measured_kernel *kernels, size_t count, bool markdown,
                            ww_error *err);

#endif
