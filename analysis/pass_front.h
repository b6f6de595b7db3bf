/* pass_front.h - passes of models by their time and the energy of a token or an image, and the
 * Pareto front: those that no other one beats in both. Depends on: base. */
#ifndef WW_ANALYSIS_PASS_FRONT_H
#define WW_ANALYSIS_PASS_FRONT_H

#include "analysis/chart.h"
#include "base/csv.h"
#include "base/mem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a drawing of them says. */
#define WW_PASS_FRONT_NOTE                                                                         \
    "Each pass by how long it takes and by the energy of one token or image of it. The line "      \
    "joins "                                                                                       \
    "those that no other pass beats in both (Pareto): what lies above it costs time or energy "    \
    "for "                                                                                         \
    "nothing."

typedef struct ww_pass_point {
    const char *name;  /* in tables */
    const char *label; /* in the drawing, if on the front */
    const char *unit;  /* "token", "image"; "pass" of one that does not say what it makes */
    double ms, mj;     /* of the pass; of a unit */
    bool front;
} ww_pass_point;

/** A pass from its operators.csv; unit and names are borrowed. ESCHEMA */
WW_NODISCARD ww_status ww_pass_point_read(const ww_csv *operators, const char *name,
                                          const char *label, ww_pass_point *out, ww_error *err);
/** Sorts by time, and marks each that takes fewer joules than all before it. */
void ww_pass_front_mark(ww_pass_point *point, size_t count);
/** Their table. */
void ww_pass_front_csv(const ww_pass_point *point, size_t count, ww_str *out);
/** Their drawing: of points that are marked, two or more; texts and numbers are the arena's. */
WW_NODISCARD ww_status ww_pass_front_chart(const ww_pass_point *point, size_t count,
                                           ww_arena *arena, ww_scatter_chart *out, ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
