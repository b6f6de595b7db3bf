/* values.h - bits that switch in one SM: between successive values that pass the same register
 * bank, collector, unit, result bus, shared-memory bank and lane. Compared where an instruction
 * issues, which is where its operands and results are known; a latch that nothing passes keeps its
 * value. Private to perf/sm. */
#ifndef WW_PERF_SM_VALUES_H
#define WW_PERF_SM_VALUES_H

#include "perf/sm/sm_state.h"

enum {
    WW_VALUE_WORDS = 160,  /* register operands of an instruction, in words (program.c) */
    WW_VALUE_SOURCES = 64, /* operands of an instruction */
    WW_VALUE_OPERANDS = 8, /* places of a collector, in words; further ones share them */
    WW_VALUE_LATCHES = 10, /* of a unit: four operands and a result, two words each */
    WW_VALUE_BANKS = 64,   /* register banks; banks of shared memory */
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

struct ww_values {
    ww_plane *bank; /* [bank] what it read last */
    ww_plane bus[WW_SM_SCHEDULERS];
    ww_plane collector[WW_SM_SCHEDULERS][WW_VALUE_OPERANDS];
    ww_plane unit[WW_SM_SCHEDULERS][WW_VALUE_UNITS][WW_VALUE_LATCHES];
    uint32_t shared_read[WW_VALUE_BANKS], shared_write[WW_VALUE_BANKS];
    uint32_t bank_line[WW_VALUE_BANKS], lane_line[WW_WARP_SIZE];
    /* of the instruction that issues: its sources' words before it executes */
    ww_plane source[WW_VALUE_WORDS];
    uint32_t sources;
};

static void values_destroy(ww_sm *sm);
/* Of a launch that begins: nothing has passed anywhere yet. */
static void values_begin(ww_sm *sm);
/* Words that an access moves between memory and lanes. */
struct operand_words;
static void count_words(ww_sm *sm, uint32_t w, uint32_t pc, const struct operand_words *o,
                        const ww_step *step);
/* Before the instruction at pc executes: keeps what it reads. */
static void values_keep(ww_sm *sm, uint32_t w, uint32_t pc);
/* Once it has: counts what it has moved. unit: it goes through collectors and units. */
static void values_count(ww_sm *sm, uint32_t w, uint32_t pc, const ww_step *step, bool unit);

#endif
