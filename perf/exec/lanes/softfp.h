/* softfp.h - IEEE 754 arithmetic in integers, for every format and rounding mode the machine has.
 * The host's floating-point unit does what it can do exactly (round to nearest, f32 and f64); all
 * else comes here, so that no result depends on the host's rounding mode or its libm. Values are
 * bit patterns; NaN results are canonical. */
#ifndef WW_PERF_EXEC_LANES_SOFTFP_H
#define WW_PERF_EXEC_LANES_SOFTFP_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"

/* A binary interchange format. */
typedef struct ww_soft_format {
    int bits;      /* width */
    int precision; /* significand bits, the hidden one included */
    int emax;      /* largest exponent; bias too */
    uint64_t nan;  /* the canonical NaN that the machine produces */
} ww_soft_format;

extern const ww_soft_format ww__soft_f16, ww__soft_bf16, ww__soft_f32, ww__soft_f64;

/* round: WW_ROUND_RN, RZ, RM, RP or RNA (ties away); DEFAULT counts as RN. */
uint64_t ww__soft_fma(const ww_soft_format *f, uint64_t a, uint64_t b, uint64_t c, ww_round round);
uint64_t ww__soft_add(const ww_soft_format *f, uint64_t a, uint64_t b, ww_round round);
uint64_t ww__soft_mul(const ww_soft_format *f, uint64_t a, uint64_t b, ww_round round);
uint64_t ww__soft_div(const ww_soft_format *f, uint64_t a, uint64_t b, ww_round round);
uint64_t ww__soft_sqrt(const ww_soft_format *f, uint64_t a, ww_round round);
/** Value of one format in another, rounded once. */
uint64_t ww__soft_convert(const ww_soft_format *from, const ww_soft_format *to, uint64_t a,
                          ww_round round);
/** (-1)^negative * magnitude, rounded once. */
uint64_t ww__soft_from_int(const ww_soft_format *f, bool negative, uint64_t magnitude,
                           ww_round round);

#endif
