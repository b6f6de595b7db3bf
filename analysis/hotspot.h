/* hotspot.h - the die's power by place over time, as HotSpot (Huang et al., TVLSI 2006; version 7)
 * reads it: a floorplan (.flp), a trace of watts (.ptrace), and a configuration of the card's
 * package. Depends on: base, arch, counters, power. */
#ifndef WW_ANALYSIS_HOTSPOT_H
#define WW_ANALYSIS_HOTSPOT_H

#include "analysis/export.h"
#include "power/floorplan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Files of a folder. */
#define WW_HOTSPOT_FLOORPLAN "floorplan.flp"
#define WW_HOTSPOT_TRACE     "power.ptrace"
#define WW_HOTSPOT_CONFIG    "hotspot.config"

/**
 * Reads a floorplan: name, width, height, left, bottom per line, metres, '#' begins a comment; heat
 * capacity and resistivity may follow and are not used.
 * @param name  of the file, for messages
 * @error EPARSE, ERANGE (two blocks of one name, too many; as ww_floorplan_check), located
 */
WW_NODISCARD ww_status ww_hotspot_parse_floorplan(const char *name, const char *text, size_t length,
                                                  ww_floorplan *out, ww_error *err);
/** Takes the places of a floorplan that a user drew for the blocks of the model's own, in whose
 * order they are put. @error ENOTFOUND, located: a block is missing, or there is none of that name
 */
WW_NODISCARD ww_status ww_hotspot_match(const ww_floorplan *own, const char *name,
                                        ww_floorplan *drawn, ww_error *err);

/** Appends the floorplan in HotSpot's format. */
void ww_hotspot_put_floorplan(const ww_floorplan *plan, const char *gpu, ww_str *out);

/* A power trace: equal steps over the time of all launches, one behind the other. */
typedef struct ww_hotspot_trace {
    size_t steps, tiles;
    double step_s;
    double *watts;   /* [steps * tiles] */
    double mean_w;   /* of the tiles together */
    double beside_w; /* mean of what the card draws off the die */
} ww_hotspot_trace;

/** Power of each block of the model's own floorplan: intervals of the launches, or whole launches,
 * averaged into as many steps as there are; energy stays what it was. Release with
 * ww_hotspot_trace_fini. @param totals  as in ww_stretch, of all intervals @error as
 * ww_power_evaluate; ENUMERIC (no launch) */
WW_NODISCARD ww_status ww_hotspot_trace_of(const ww_result_set *set, const ww_floorplan *own,
                                           bool totals, ww_hotspot_trace *out, ww_error *err);
void ww_hotspot_trace_fini(ww_hotspot_trace *trace);

/**
 * Writes the three files into dir, which is made when missing.
 * @param drawn   file of a floorplan to use in place of the model's own; NULL: none
 * @param totals  as above
 * @error as above; ww_package_of; EIO
 */
WW_NODISCARD ww_status ww_hotspot_write(const ww_result_set *set, const char *dir,
                                        const char *drawn, bool totals, ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
