/* async.h - measurements of the asynchronous engines of an SM, private to validation/: kernels of
 * tests/validation/cycles/async.ptx, and products of warp groups, whose text is made for each. */
#ifndef WW_VALIDATION_ASYNC_H
#define WW_VALIDATION_ASYNC_H

#include "base/str.h"
#include "run/run.h"

/* What is launched, and what is made of what it tells. Texts are borrowed. */
typedef struct ww__async_bench {
    const char *gpu;
    const char *kernel;  /* of async.ptx, or WW__ASYNC_PRODUCT */
    const char *shape;   /* of a product: "m64n256k16.f32.f16.f16", " registers" behind it where A
                            lies there; of a box: "64x64x1" */
    const char *measure; /* see ww__async_measures */
    uint32_t ctas;       /* 0: one on each SM */
    uint32_t cluster;    /* CTAs of one; 0: none */
    uint32_t threads;
    uint32_t bytes, repeats, advance; /* the kernel's parameters */
    double core_hz;                   /* clock of the measurement; 0: that of the description */
} ww__async_bench;

#define WW__ASYNC_PRODUCT "product"

/* Measures:
 *   later, first    cycles of a pass: the mean of all but the first one, or the first one (of
 * launches, the median) chain           cycles of one of 16 instructions that a loop has: of twice
 * the loops less those of them, over `repeats` peak            those instructions' operations,
 * `bytes` of each, in % of 4096 a cycle and SM each            the same as a number a cycle and SM
 *   mean, p10, p90  of reads of memory that the host has written, which lie in the L2
 *   far mean …      of memory that nobody has used
 *   again           mean of the reads when they are done a second time
 *   byte/cycle, byte/cycle/SM, GB/s, GiB/s, TB/s  of copies, of memory that nobody has used
 *   near …          the same of what the L2 holds
 *   one, fenced, group  cycles of a product, its commit and its wait; with a fence; of each of
 *                       eight in a group
 *   watt            of the card while it does nothing else, with the values' own energies
 *   interval, issue, share  of products in a group, of 2048 multiply-adds a cycle and SM in % */

typedef struct ww__async_answer {
    double value;
    double sigma; /* standard uncertainty, in the same unit; NaN: of a time, not known */
} ww__async_answer;

/** @error ENOTFOUND, ESCHEMA: there is no such kernel or measure; ERANGE: too few or too many
 * repeats; and those of the device */
WW_NODISCARD ww_status ww__async_measure(ww_arena *arena, const ww__async_bench *b,
                                         ww__async_answer *out, ww_error *err);

/* What a product of a warp group is, from its shape. */
typedef struct ww__async_product {
    char types[40]; /* "m64n256k16.f32.f16.f16" */
    uint32_t n, k;
    bool registers; /* A */
} ww__async_product;

/** @error ESCHEMA */
WW_NODISCARD ww_status ww__async_product_of(const char *shape, ww__async_product *out,
                                            ww_error *err);
/** Appends a module with a kernel WW__ASYNC_PRODUCT (out, in, bytes, repeats, advance), which
 * stores cycles as those of async.ptx do: of a group of products, from its first one or a fence on
 * to the end of its wait, or to the end of its issue. */
void ww__async_add_product(ww_str *s, const ww__async_product *p, uint32_t products, bool fenced,
                           bool waited);

#endif
