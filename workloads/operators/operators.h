/* operators.h - kernels of the operators that models consist of, as PTX, and what a launch of each
 * must know. The sources (*.cu, *.cuh) stand beside. */
#ifndef WW_WORKLOADS_OPERATORS_H
#define WW_WORKLOADS_OPERATORS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* PTX text that the build embeds, a unit per source file. */
typedef struct ww_operator_unit {
    const char *name; /* "gemm_bf16_tn" */
    const char *path; /* "workloads/operators/gemm_bf16_tn.ptx", for messages */
    const char *text; /* terminated */
    size_t length;    /* without the terminator */
} ww_operator_unit;

/** The unit of that name, or NULL. */
const ww_operator_unit *ww_operator_unit_find(const char *name);

/* A tile of a product's result, and how a CTA makes it: every gemm and convolution unit has a
 * kernel NAME_<m>x<n> for each tile that its row says. */
typedef struct ww_operator_tile {
    uint32_t m, n;    /* of the result, per CTA */
    uint32_t k_bytes; /* of each operand's row per stage */
    uint32_t stages;  /* in shared memory */
    uint32_t warps_m, warps_n;
    uint32_t threads;
    uint32_t shared_bytes; /* dynamic, per CTA */
    uint32_t slices;       /* groups of threads that share K, a step of each to a stage; 0: none */
} ww_operator_tile;

/** Tiles, largest first. */
const ww_operator_tile *ww_operator_tiles(size_t *count);
/** Tiles of products by Hopper's warp groups (units wgmma_*), largest first: two consumers have the
 * rows, a third warp group copies. */
const ww_operator_tile *ww_operator_group_tiles(size_t *count);
/** Tiles of products on the FP32 lanes (units sgemm; of those with slices sgemm_sliced), largest
 * first. */
const ww_operator_tile *ww_operator_sgemm_tiles(size_t *count);

/* Elements of a CTA of the elementwise kernels, and its threads. */
enum { WW_POINTWISE_BLOCK = 512, WW_POINTWISE_THREADS = 128 };
/* Threads of a CTA of the norms and of softmax in a warp's registers, whose longest row that is. */
enum { WW_ROW_THREADS = 128, WW_SOFTMAX_WARP_MOST = 1024 };
/* Threads of a CTA that sums the parts of a split product, each with four results. */
enum { WW_REDUCE_THREADS = 128 };
/* Queries of a CTA of attention, and threads of its kernels. */
enum { WW_ATTENTION_ROWS = 64, WW_ATTENTION_THREADS = 128 };
/* Threads of rotary embedding, each with four pairs of numbers, and of a looked-up row. */
enum { WW_TOKEN_THREADS = 128 };
/* Threads of a CTA of depthwise convolutions, each with 16 bytes of channels of one output pixel.
 */
enum { WW_DEPTHWISE_THREADS = 256 };

#ifdef __cplusplus
}
#endif
#endif
