/* values.h - bits that switch in one SM: between successive values that pass the same register
 * bank, collector, unit, result bus, shared-memory bank and lane. Compared where an instruction
 * issues, which is where its operands and results are known; a latch that nothing passes keeps its
 * value. Private to perf/sm. */
#ifndef WW_PERF_SM_VALUES_H
#define WW_PERF_SM_VALUES_H

#include "isa/warpgroup.h"
#include "perf/sm/sm_state.h"

enum {
    WW_VALUE_WORDS = 160,   /* register operands of an instruction, in words (program.c) */
    WW_VALUE_SOURCES = 64,  /* operands of an instruction */
    WW_VALUE_OPERANDS = 8,  /* places of a collector, in words; further ones share them */
    WW_VALUE_LATCHES = 10,  /* of a unit: four operands and a result, two words each */
    WW_VALUE_SECTOR = 128,  /* bytes of the L1D's widest port */
    WW_VALUE_FRAGMENT = 16, /* words of a factor */
    WW_VALUE_SUMS = 128,    /* and of sums */
    WW_VALUE_DEPTH = WW_ARRAY_LEN(((ww_factors *)0)->a) / WW_WARPGROUP_WARP_M,
    WW_VALUE_COLUMNS = 2, /* of B that a warp group's product takes in a cycle: it lasts N / 2 */
    WW_VALUE_BANKS = 64,  /* register banks; banks of shared memory */
};

/* Units whose latches keep their values while others work. */
typedef enum ww_value_unit {
    WW_VALUE_INT,
    WW_VALUE_INT_MUL,
    WW_VALUE_FP32,
    WW_VALUE_FP16,
    WW_VALUE_FP64,
    WW_VALUE_SFU,
    WW_VALUE_UNITS
} ww_value_unit;

/* A word of each lane. */
typedef struct ww_plane {
    uint32_t lane[WW_WARP_SIZE];
} ww_plane;

/* What else has passed. */
typedef struct ww_latches {
    ww_plane bus[WW_SM_SCHEDULERS];
    ww_plane collector[WW_SM_SCHEDULERS][WW_VALUE_OPERANDS];
    ww_plane unit[WW_SM_SCHEDULERS][WW_VALUE_UNITS][WW_VALUE_LATCHES];
    uint32_t shared_read[WW_VALUE_BANKS], shared_write[WW_VALUE_BANKS];
    unsigned char l1d_read[WW_VALUE_SECTOR], l1d_write[WW_VALUE_SECTOR];
    uint32_t bank_line[WW_VALUE_BANKS], lane_line[WW_WARP_SIZE];
} ww_latches;

/* A scheduler's matrix unit; allocated when its first product issues. */
typedef struct ww_matrix_values {
    ww_plane a[WW_VALUE_FRAGMENT], b[WW_VALUE_FRAGMENT];
    ww_plane sum[WW_VALUE_SUMS];
    uint32_t held[WW_ARRAY_LEN(((ww_factors *)0)->a)];   /* A of a warp group's last product */
    uint32_t columns[WW_VALUE_DEPTH * WW_VALUE_COLUMNS]; /* B's last */
} ww_matrix_values;

struct ww_values {
    ww_matrix_values *matrix[WW_SM_SCHEDULERS]; /* NULL: it has seen none */
    ww_factors *factors;                        /* of the product that issues; NULL: no products */
    ww_plane *bank;                             /* [bank] what it read last */
    ww_latches latches;
    /* of the instruction that issues: its sources' words before it executes */
    ww_plane source[WW_VALUE_WORDS];
    uint32_t sources;
};

static void values_destroy(ww_sm *sm);
/* Of a launch that begins: nothing has passed anywhere yet. */
static void values_begin(ww_sm *sm);
struct operand_words;
/* What a product multiplies, and its sums. */
static void count_matrix(ww_sm *sm, uint32_t w, uint32_t pc, const struct operand_words *o);
/* Words that an access moves between memory and lanes. */
static void count_words(ww_sm *sm, uint32_t w, uint32_t pc, const struct operand_words *o,
                        const ww_step *step);
/* Before the instruction at pc executes: keeps what it reads. @error ENOMEM */
WW_NODISCARD static ww_status values_keep(ww_sm *sm, uint32_t w, uint32_t pc, ww_error *err);
/* Once it has: counts what it has moved. unit: it goes through collectors and units. */
static void values_count(ww_sm *sm, uint32_t w, uint32_t pc, const ww_step *step, bool unit);

/* Data that the L1D reads or writes, a sector at a time. */
static void values_l1d(ww_sm *sm, uint32_t row, bool write, uint64_t address, uint32_t bytes);

#endif
