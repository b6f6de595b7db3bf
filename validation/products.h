/* products.h - what the values of a matrix product's factors cost, private to validation/. */
#ifndef WW_VALIDATION_PRODUCTS_H
#define WW_VALIDATION_PRODUCTS_H

#include "run/run.h"

/* X(ID, name): numbers of the factors, and what multiplies them. */
#define WW__PRODUCT_FORMATS(X)                                                                     \
    X(HALF, "fp16")     /* packed halves, summed in halves */                                      \
    X(TENSOR, "fp16-t") /* matrix units, summed in halves */                                       \
    X(SINGLE, "fp32")                                                                              \
    X(BYTE, "int8") /* bytes, multiplied and summed as words */

typedef enum ww__product_format {
#define X(id, name) WW__PRODUCT_##id,
    WW__PRODUCT_FORMATS(X)
#undef X
        WW__PRODUCT_FORMAT_COUNT
} ww__product_format;

/* X(ID, name, meaning): what factors hold; `param` says how much. */
#define WW__PRODUCT_PATTERNS(X)                                                                    \
    X(DEVIATION, "1-gaussian-stddev", "Gaussian, mean 0, deviation param")                         \
    X(MEAN, "2-gaussian-mean", "Gaussian, deviation 1 (bytes: 8), mean param")                     \
    X(FLIPPED, "4-bits", "one value, param random bits of each element flipped")                   \
    X(LOW_RANDOM, "5-bits-least", "one value, param low bits random")                              \
    X(HIGH_RANDOM, "6-bits-most", "one value, param high bits random")                             \
    X(SORTED_MEAN, "7-sort-mean", "Gaussian, mean param, wholly sorted along rows")                \
    X(SORTED_ROWS, "8-sort-rows", "Gaussian, share param sorted along rows, B transposed")         \
    X(SORTED_INSIDE, "10-sort-intra", "Gaussian, share param sorted within each row")              \
    X(SPARSE, "11-sparsity", "Gaussian, share param set to zero at random")                        \
    X(HIGH_ZERO, "15-bits-most-zeros", "Gaussian, param high bits zeroed")                         \
    X(BASELINE, "baseline", "Gaussian")

typedef enum ww__product_pattern {
#define X(id, name, meaning) WW__PRODUCT_##id,
    WW__PRODUCT_PATTERNS(X)
#undef X
        WW__PRODUCT_PATTERN_COUNT
} ww__product_pattern;

/* Two square matrices of this many rows. */
enum {
    WW__PRODUCT_SIZE = 2048,
    WW__PRODUCT_TILE = 128,
    WW__PRODUCT_DEPTH = 16,
    WW__PRODUCT_PANELS = 2
};

typedef struct ww__product {
    ww__product_format format;
    ww__product_pattern pattern;
    double param;
} ww__product;

/** The bits of an element of A (second false) or of B; draw tells values drawn independently. */
uint32_t ww__product_element(const ww__product *p, bool second, uint32_t row, uint32_t column,
                             uint64_t draw);
/** The number that such bits are. */
double ww__product_number(ww__product_format format, uint32_t bits);
/** Bits of a number, as sums have them: halves, singles or words. */
uint32_t ww__product_sum(ww__product_format format, double number);

/* Registers of sums of a thread, and what they hold: the element of the CTA's tile. */
enum { WW__PRODUCT_THREADS = 256 };
typedef struct ww__product_place {
    uint32_t row, column;
} ww__product_place;
uint32_t ww__product_sums(ww__product_format format);
/** half: 1 of the upper half of a packed register. */
ww__product_place ww__product_place_of(ww__product_format format, uint32_t thread, uint32_t sum,
                                       uint32_t half);
/** Whether a register holds two sums. */
bool ww__product_packs(ww__product_format format);
/** Bytes of an element in memory. */
uint32_t ww__product_bytes(ww__product_format format);
/** Of an element in a CTA's panels, in elements: matrix units take rows along the sum, others steps
 * of it. */
size_t ww__product_offset(ww__product_format format, uint32_t row, uint32_t step);
/** The kernel `product`(a, b, sums, panels): a CTA of 256 threads multiplies as many of its two
 * panels of 128 x 16, and stores its sums. */
void ww__product_kernel(ww__product_format format, ww_str *out);

/** Energy of a multiply-add of a product of such matrices on a card, bits that switch counted
 * [J]. @error as those of the device and the power model */
WW_NODISCARD ww_status ww__product_energy(const char *gpu, const ww__product *product, double *out,
                                          ww_error *err);

#endif
