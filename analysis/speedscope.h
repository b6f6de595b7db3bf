/* speedscope.h - joules by line as a profile that speedscope shows: workload, kernel, inlined
 * function, source line, PTX line, component. Depends on: base, counters. */
#ifndef WW_ANALYSIS_SPEEDSCOPE_H
#define WW_ANALYSIS_SPEEDSCOPE_H

#include "counters/lines.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Appends a document of the format's own schema: one sampled profile, a sample per line and
 * component, its weight in nJ. The format knows no unit of energy: it is "none", and the profile's
 * name says nJ.
 * @error ESCHEMA (the lines have no joules, or their sum is 0)
 * @source https://www.speedscope.app/file-format-schema.json
 */
WW_NODISCARD ww_status ww_lines_speedscope(const ww_lines *lines, const char *exporter, ww_str *out,
                                           ww_error *err);

#ifdef __cplusplus
}
#endif
#endif
