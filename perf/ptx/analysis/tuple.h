/* tuple.h - affine tuples: one base and an offset for each of the six thread and block indices
 * (Wang and Lin, "Decoupled Affine Computation for SIMT GPUs", ISCA 2017, equation 1 and section
 * 4.4). A tuple stands for the value
 *     base + sum(offset[d] * index[d])                            modulo 2^bits
 * and one of mod type, which a remainder leaves, for
 *     base + (mod_base + sum(offset[d] * index[d])) mod divisor   modulo 2^bits.
 * Depends on: base. */
#ifndef WW_PERF_PTX_ANALYSIS_TUPLE_H
#define WW_PERF_PTX_ANALYSIS_TUPLE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The indices of a thread, in the order of a tuple's offsets. */
typedef enum ww_index {
    WW_INDEX_TX,
    WW_INDEX_TY,
    WW_INDEX_TZ,
    WW_INDEX_BX,
    WW_INDEX_BY,
    WW_INDEX_BZ,
    WW_INDEX_COUNT
} ww_index;

typedef struct ww_tuple {
    uint64_t base;
    uint64_t offset[WW_INDEX_COUNT];
    uint64_t mod_base, divisor; /* divisor 0: not of mod type */
    uint8_t bits;               /* 32 or 64; all fields are below 2^bits */
} ww_tuple;

/** The same value for every thread. */
ww_tuple ww_tuple_scalar(uint64_t value, unsigned bits);
/** %tid or %ctaid in one dimension. */
ww_tuple ww_tuple_index(ww_index which, unsigned bits);

/** The same value for every thread of the grid. */
bool ww_tuple_is_scalar(const ww_tuple *t);
/** The same value for every thread of a CTA (section 4.3: the scalar operand of a predicate). */
bool ww_tuple_is_cta_scalar(const ww_tuple *t);
bool ww_tuple_equal(const ww_tuple *a, const ww_tuple *b);
/** Values that the tuple occupies, each a SIMT lane: the base, each offset that is not 0, and two
 * more of a mod type. */
unsigned ww_tuple_lanes(const ww_tuple *t);

/** The value of one thread. @param index [6] */
uint64_t ww_tuple_at(const ww_tuple *t, const uint32_t *index);

/* ---- arithmetic: false where no tuple holds the result. Operands have the same bits, and *out may
 * be one of them. ---- */
/** A mod type takes a scalar. */
bool ww_tuple_add(const ww_tuple *a, const ww_tuple *b, ww_tuple *out);
/** The second of mod type: never. */
bool ww_tuple_sub(const ww_tuple *a, const ww_tuple *b, ww_tuple *out);
/** One of them must be a scalar. */
bool ww_tuple_mul(const ww_tuple *a, const ww_tuple *b, ww_tuple *out);
bool ww_tuple_shl(const ww_tuple *a, unsigned n, ww_tuple *out);

/* ---- what depends on the range of the indices ---- */

/** Whether no value lies outside [0, 2^bits), or [-2^(bits-1), 2^(bits-1)) when `is_signed`, for
 * indices 0 to most[d]: the sum has not wrapped, and first and last thread bound the others.
 * @param most [6] */
bool ww_tuple_in_range(const ww_tuple *t, bool is_signed, const uint32_t *most);
/** a rem divisor: a tuple of mod type with base 0. False for a mod type, a divisor of 0, and where
 * ww_tuple_in_range fails or a value is negative. */
bool ww_tuple_rem(const ww_tuple *a, uint64_t divisor, bool is_signed, const uint32_t *most,
                  ww_tuple *out);
/** Of 32 bits to 64, with sign or zeros above; false where the sum wraps. */
bool ww_tuple_widen(const ww_tuple *a, bool is_signed, const uint32_t *most, ww_tuple *out);
/** Its low 32 bits. A mod type stays one. */
ww_tuple ww_tuple_narrow(const ww_tuple *a);

#ifdef __cplusplus
}
#endif
#endif
