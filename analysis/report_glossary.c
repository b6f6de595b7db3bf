/* report_glossary.c - what the names on a report's page mean: components and metrics that it shows.
 */
#include <string.h>

#include "analysis/metrics.h"
#include "analysis/report_parts.h"
#include "power/power.h"

static bool shows_component(const ww_report *report, const char *name)
{
    for (size_t i = 0; i < report->count; i++) {
        if (ww_study_component(report->set[i].study, name) != NULL) {
            return true;
        }
    }
    return false;
}

static bool shows_metric(const ww_report *report, const char *name)
{
    for (size_t i = 0; i < report->count; i++) {
        if (ww_study_metric(report->set[i].study, name) != NULL) {
            return true;
        }
    }
    return false;
}

static void put(ww_str *out, const char *name, const char *unit, const char *meaning)
{
    ww_str_add(out, "<div><dt>");
    ww_markup_text(out, name);
    if (unit[0] != '\0' && strcmp(unit, "1") != 0) {
        ww_str_add(out, " <small>");
        ww_markup_text(out, unit);
        ww_str_add(out, "</small>");
    }
    ww_str_add(out, "</dt><dd>");
    ww_markup_text(out, meaning);
    ww_str_add(out, "</dd></div>\n");
}

void ww_report_put_glossary(ww_str *out, const ww_report *report)
{
    static const char *const metrics[][3] = {
#define X(field, name, unit, meaning) {name, unit, meaning},
        WW_METRICS(X)
#undef X
    };
    ww_str_add(out, "<section class=\"card\" id=\"glossary\">\n<h2>What the names mean</h2>\n<dl "
                    "class=\"glossary\">\n");
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        const char *name = ww_component_name((ww_component)c);
        if (shows_component(report, name)) {
            put(out, name, "", ww_component_meaning((ww_component)c));
        }
    }
    for (size_t i = 0; i < WW_ARRAY_LEN(metrics); i++) {
        if (shows_metric(report, metrics[i][0])) {
            put(out, metrics[i][0], metrics[i][1], metrics[i][2]);
        }
    }
    put(out, "dynamic", "W",
        "power of activity: events, active SMs and clusters, background of memory");
    put(out, "static", "W", "leakage and what is constant");
    put(out, "\xC2\xB1", "",
        "standard uncertainty: of the energies that a description gives, as its calibration leaves "
        "them; what cycles are off by is not in it");
    put(out, "EDP", "Js", "energy times time: less is better in both");
    ww_str_add(out, "</dl>\n</section>\n");
}
