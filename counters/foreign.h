/* foreign.h - activity that another program counted: its output, read through a table of names.
 *
 * A source has a table of rows (from_NAME.def): one of our counters, an expression of its names,
 * what the row assumes. The first row of a counter whose names the source tells gives its value. A
 * counter that no row gives is estimated from others by the rows of estimates.def, which say by
 * what rule; one that no rule reaches is unknown, and what cannot be guessed (cycles, instructions)
 * is an error. Nothing is taken as 0 without a word. Depends on: base. */
#ifndef WW_COUNTERS_FOREIGN_H
#define WW_COUNTERS_FOREIGN_H

#include "counters/counters.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(ID, "name", "what is read") */
#define WW_FOREIGN_SOURCES(X)                                                                      \
    X(GPGPUSIM, "gpgpusim", "what GPGPU-Sim prints after each kernel")                             \
    X(ACCELSIM, "accelsim", "what Accel-Sim prints after each kernel, and AccelWattch's report")   \
    X(NCU, "ncu", "Nsight Compute's --csv --page raw, a metric per column or per row")

typedef enum ww_foreign_source {
#define X(id, name, meaning) WW_FROM_##id,
    WW_FOREIGN_SOURCES(X)
#undef X
        WW_FROM_COUNT
} ww_foreign_source;

/** "gpgpusim" */
const char *ww_foreign_name(ww_foreign_source source);
const char *ww_foreign_meaning(ww_foreign_source source);
/** The source of that name; ENOTFOUND with a suggestion. */
WW_NODISCARD ww_status ww_foreign_find(const char *name, ww_foreign_source *out, ww_error *err);

/* X(name, meaning): what expressions may use of the machine, as @name. */
#define WW_FOREIGN_MACHINE(X)                                                                      \
    X(sms, "streaming multiprocessors")                                                            \
    X(schedulers, "of an SM")                                                                      \
    X(per_scheduler, "1 over the warp schedulers of an SM")                                        \
    X(channels, "memory controllers")                                                              \
    X(flits_per_byte, "of the interconnect")                                                       \
    X(bursts_per_byte, "of the DRAM")                                                              \
    X(dram_per_core, "DRAM cycles per core cycle")                                                 \
    X(refreshes, "of all banks, per DRAM cycle, all controllers together")                         \
    X(bank_refreshes, "of one bank, likewise")                                                     \
    X(l1_keeps, "1 where the L1 data cache keeps what is stored, else 0")                          \
    X(l1_requests_per_sector, "L1 look-ups that a sector of 32 B stands for")                      \
    X(ctas, "CTAs of the launch")                                                                  \
    X(warps, "warps of the launch")                                                                \
    X(busy_sms, "SMs that the launch has CTAs for")                                                \
    X(clusters_per_sm, "clusters that the launch has CTAs for, over such SMs")

/* Output, report and model. */
enum { WW_FOREIGN_MOST_FILES = 3 };

/* The machine that the activity is charged to. */
typedef struct ww_foreign_machine {
    const char *gpu;
    uint64_t config_hash;
    uint32_t sms, schedulers, slices, channels, clusters;
    double flits_per_byte, bursts_per_byte, refreshes, bank_refreshes, l1_keeps,
        l1_requests_per_sector;
    double core_hz, icnt_hz, l2_hz, dram_hz, vdd_v, temperature_k;
} ww_foreign_machine;

/* How a counter of a launch became known. */
typedef enum ww_telling { WW_UNTOLD, WW_ESTIMATED, WW_TOLD } ww_telling;

/* What was read. Counters of instances are not known: all count for the first. */
typedef struct ww_foreign_activity {
    ww_activity *activity;
    unsigned char (*telling)[WW_COUNTER_COUNT]; /* [launch]: ww_telling */
} ww_foreign_activity;

/**
 * Reads the output of a source.
 * @param paths  one file; of accelsim also AccelWattch's report and the XML file of its model, in
 * any order
 * @param out    release with ww_foreign_fini
 * @error ENOTFOUND, EIO (file), EPARSE (line), ERANGE (a number that cannot be), ESCHEMA (what must
 * be known is not told, or two files do not belong together)
 */
WW_NODISCARD ww_status ww_foreign_load(ww_foreign_source source, const char *const *paths,
                                       size_t path_count, const ww_foreign_machine *machine,
                                       ww_foreign_activity *out, ww_error *err);
/** The same from memory, of one file. */
WW_NODISCARD ww_status ww_foreign_parse(ww_foreign_source source, const char *name,
                                        const char *text, size_t length,
                                        const ww_foreign_machine *machine, ww_foreign_activity *out,
                                        ww_error *err);
void ww_foreign_fini(ww_foreign_activity *foreign);

/* A row of a table. */
typedef struct ww_foreign_row {
    ww_counter counter;
    const char *expression;
    const char *note; /* what it assumes, "" where nothing */
} ww_foreign_row;
/** Rows of a source, or of the estimates (WW_FROM_COUNT), in the order in which they are tried. */
const ww_foreign_row *ww_foreign_rows(ww_foreign_source source, size_t *count);

#ifdef __cplusplus
}
#endif
#endif
