/* lines.h - what a run counted per line of its kernels: instructions, and the issue slots that were
 * used or lost there. A table of such lines is a result of its own (lines.csv), beside the
 * counters of launches. Depends on: base. */
#ifndef WW_COUNTERS_LINES_H
#define WW_COUNTERS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/status.h"
#include "base/str.h"
#include "counters/components.h"
#include "counters/counters.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(id, column, counter): over the lines of a kernel each sums to that counter of its launches. A
 * lost slot belongs to the line that waited. AWAITED tells the other end: slots in which another
 * line waited for this one's result; it has no counter. */
#define WW_LINE_COUNTS(X)                                                                          \
    X(WARP_INST, "warp_instructions", WW_C_INST_ISSUED)                                            \
    X(THREAD_INST, "thread_instructions", WW_C_INST_THREAD)                                        \
    X(ISSUED, "issued", WW_C_SLOTS_ISSUED)                                                         \
    X(RAW_LONG, "raw_long", WW_C_STALL_RAW_LONG)                                                   \
    X(RAW_SHORT, "raw_short", WW_C_STALL_RAW_SHORT)                                                \
    X(LSU, "lsu_full", WW_C_STALL_LSU)                                                             \
    X(SP, "sp_full", WW_C_STALL_SP)                                                                \
    X(SFU, "sfu_full", WW_C_STALL_SFU)                                                             \
    X(IBUF, "ibuffer_empty", WW_C_STALL_IBUF)                                                      \
    X(HELD, "held", WW_C_STALL_HELD)                                                               \
    X(BARRIER, "barrier", WW_C_STALL_BARRIER)                                                      \
    X(IDLE, "no_warp", WW_C_STALL_IDLE)                                                            \
    X(AWAITED, "awaited", WW_COUNTER_COUNT)

typedef enum ww_line_count {
#define X(id, column, counter) WW_LINE_##id,
    WW_LINE_COUNTS(X)
#undef X
        WW_LINE_COUNT
} ww_line_count;

/* X(id, column, meaning): what memory did for a line, as sums of counters (ww_line_event_of). */
#define WW_LINE_EVENTS(X)                                                                          \
    X(L1_MISS, "l1_misses", "reads that missed in the L1 data, texture and constant caches")       \
    X(L2_MISS, "l2_misses", "reads and writes that missed in the L2")                              \
    X(DRAM_BURST, "dram_bursts", "bursts of DRAM")                                                 \
    X(DRAM_ROW, "dram_rows", "rows of DRAM opened")

typedef enum ww_line_event {
#define X(id, column, meaning) WW_LINE_##id,
    WW_LINE_EVENTS(X)
#undef X
        WW_LINE_EVENT_COUNT
} ww_line_event;

/* Joules of a line by component. */
typedef enum ww_line_part {
#define X(id, name, meaning) WW_PART_##id,
    WW_COMPONENTS(X)
#undef X
        WW_PART_COUNT
} ww_line_part;

/* What one count of each counter costs in each part [J]: energies of events alone. */
typedef struct ww_line_prices {
    double j[WW_COUNTER_COUNT][WW_PART_COUNT];
} ww_line_prices;

/* Counters that instructions are charged for, one by one: those of SMs, then those of memory. The
 * others follow from time or from warps. */
enum {
    WW_CHARGE_FIRST = WW_C_L1I_READ_HIT,
    WW_CHARGE_MEMORY = WW_C_ICNT_REQ_PACKETS, /* the first that the memory system counts */
    WW_CHARGE_END = WW_C_DRAM_WR + 1,
    WW_SM_CHARGES = WW_CHARGE_MEMORY - WW_CHARGE_FIRST,
    WW_MEMORY_CHARGES = WW_CHARGE_END - WW_CHARGE_MEMORY,
};

/* Who is charged besides instructions: rows behind those of a kernel's code. */
typedef enum ww_charge_row {
    WW_CHARGE_NO_WARP, /* slots of schedulers without a live warp */
    WW_CHARGE_LAUNCH,  /* starts of warps */
    WW_CHARGE_MECH,    /* what mechanisms do for themselves */
    WW_CHARGE_ROWS
} ww_charge_row;

/* Of a result folder. */
#define WW_LINES_FILE "lines.csv"

/** Column of a count in lines.csv. */
const char *ww_line_count_name(ww_line_count count);
/** The counter that it is a share of; WW_COUNTER_COUNT: none. */
ww_counter ww_line_count_counter(ww_line_count count);

/** Column of a count in lines.csv, and what it means. */
const char *ww_line_event_name(ww_line_event event);
/** The one that a counter adds to; WW_LINE_EVENT_COUNT: none. */
ww_line_event ww_line_event_of(ww_counter counter);
/** "RF", "EU", ... */
const char *ww_line_part_name(ww_line_part part);

/* A line of a kernel. All texts may be "". Joules that no instruction has caused are lines without
 * a number, named by their text: of a kernel, or of the whole workload (kernel ""). */
typedef struct ww_line {
    const char *workload, *kernel;
    const char *file; /* PTX */
    uint32_t line;    /* 1-based; 0: the text says what it is, as "(no live warp)" */
    const char *source;
    uint32_t source_line; /* 0: not known */
    const char *text;     /* of the PTX line */
    const char *function; /* of the source, that was inlined there; NULL or "": the kernel's own */
    uint64_t count[WW_LINE_COUNT];
    uint64_t event[WW_LINE_EVENT_COUNT];
    double joules[WW_PART_COUNT]; /* where ww_lines.has_joules */
} ww_line;

/* Lines, each (workload, kernel, file, line) once; those without a number by their text. Zero-
 * initialise. */
typedef struct ww_lines {
    ww_arena arena; /* of the texts */
    ww_map index;   /* by key */
    ww_line *line;
    size_t count, capacity;
    bool has_joules; /* set by who fills it; files say so by their columns */
} ww_lines;

void ww_lines_fini(ww_lines *lines);
/** Adds the counts of a line to those of the same line, or a copy of it. ENOMEM */
WW_NODISCARD ww_status ww_lines_add(ww_lines *lines, const ww_line *line, ww_error *err);
/** Adds all lines of another table. */
WW_NODISCARD ww_status ww_lines_add_all(ww_lines *lines, const ww_lines *more, ww_error *err);
/** Issue slots that a line used or lost. */
uint64_t ww_line_slots(const ww_line *line);
/** Joules of a line, all parts, in order. */
double ww_line_j(const ww_line *line);
/** Whether two lines are of the same kernel of the same workload. */
bool ww_line_same_kernel(const ww_line *a, const ww_line *b);

/** The table as CSV. */
WW_NODISCARD ww_status ww_lines_write(const ww_lines *lines, const char *path, ww_error *err);
/** Adds the lines of a file that ww_lines_write has written. EPARSE, ESCHEMA with the place */
WW_NODISCARD ww_status ww_lines_load(ww_lines *lines, const char *path, ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
