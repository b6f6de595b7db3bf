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

/* Of a result folder. */
#define WW_LINES_FILE "lines.csv"

/** Column of a count in lines.csv. */
const char *ww_line_count_name(ww_line_count count);
/** The counter that it is a share of; WW_COUNTER_COUNT: none. */
ww_counter ww_line_count_counter(ww_line_count count);

/* A line of a kernel. All texts may be "" but the kernel's name. */
typedef struct ww_line {
    const char *workload, *kernel;
    const char *file; /* PTX */
    uint32_t line;    /* 1-based; 0: slots of schedulers without a live warp */
    const char *source;
    uint32_t source_line; /* 0: not known */
    const char *text;     /* of the PTX line */
    uint64_t count[WW_LINE_COUNT];
} ww_line;

/* Lines, each (workload, kernel, file, line) once. Zero-initialise. */
typedef struct ww_lines {
    ww_arena arena; /* of the texts */
    ww_map index;   /* by key */
    ww_line *line;
    size_t count, capacity;
} ww_lines;

void ww_lines_fini(ww_lines *lines);
/** Adds the counts of a line to those of the same line, or a copy of it. ENOMEM */
WW_NODISCARD ww_status ww_lines_add(ww_lines *lines, const ww_line *line, ww_error *err);
/** Adds all lines of another table. */
WW_NODISCARD ww_status ww_lines_add_all(ww_lines *lines, const ww_lines *more, ww_error *err);
/** Issue slots that a line used or lost. */
uint64_t ww_line_slots(const ww_line *line);
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
