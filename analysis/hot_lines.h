/* hot_lines.h - the lines of each kernel where most issue slots went or were waited for. Depends
 * on: base, counters. */
#ifndef WW_ANALYSIS_HOT_LINES_H
#define WW_ANALYSIS_HOT_LINES_H

#include "analysis/line_fold.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WW_HOT_TEXT = 256 };

typedef struct ww_hot_kernel {
    const ww_line **line; /* the hottest ones, in the order of the program */
    size_t count;
    size_t lines;      /* that the kernel has */
    uint64_t slots;    /* of all of them */
    double energy_j;   /* likewise */
    double workload_j; /* of all kernels of its workload and of what no line causes */
    double slot_j;     /* what time costs besides, for each issue slot of the workload */
    bool has_source;   /* some line says where it comes from */
} ww_hot_kernel;

typedef struct ww_hot_lines {
    ww_arena arena;
    ww_hot_kernel *kernel; /* most slots first */
    size_t kernel_count;
} ww_hot_lines;

/**
 * The `top` lines of every kernel that weigh most, heaviest first; by heat, in the order of the
 * program: with the most slots, used, lost, or lost by others that waited for the line's result, or
 * without time with the most instructions. top 0: all. Rows of a workload are a kernel without a
 * name.
 * @param lines  borrowed until ww_hot_lines_fini
 */
WW_NODISCARD ww_status ww_hot_lines_find(const ww_lines *lines, size_t top, ww_line_sort by,
                                         ww_hot_lines *out, ww_error *err);
void ww_hot_lines_fini(ww_hot_lines *hot);

/** What of its kernel's issue slots a line has. */
double ww_hot_share(const ww_hot_kernel *k, const ww_line *line);
/** Joules that time alone costs its workload, static, standby and activation, as they fall to a
 * line by its issue slots. */
double ww_hot_by_slots_j(const ww_hot_kernel *k, const ww_line *line);

/** "kernel.ptx:17", "-" for slots without a warp. Returns buf, as those below. */
char *ww_hot_place(const ww_line *line, char *buf, size_t size);
/** "kernel.cu:5", "" when it is not known. */
char *ww_hot_source(const ww_line *line, char *buf, size_t size);
/** What the line's lost slots were lost to, most first, in percent of the kernel's: "raw_long 12.1,
 * lsu_full 0.4". */
char *ww_hot_reasons(const ww_line *line, uint64_t of_kernel, char *buf, size_t size);

#ifdef __cplusplus
}
#endif
#endif
