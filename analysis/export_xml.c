/* export_xml.c - power.xml: energy and power of every component, for tools that read XML. The
 * numbers are those of power.csv. */
#include <inttypes.h>

#include "analysis/export.h"
#include "base/xml.h"

static void put_energies(ww_str *out, double event_j, double background_j, double leakage_j,
                         double dynamic_w, double total_w, double share)
{
    ww_xml_put_real(out, "event_j", event_j);
    ww_xml_put_real(out, "background_j", background_j);
    ww_xml_put_real(out, "leakage_j", leakage_j);
    ww_xml_put_real(out, "dynamic_w", dynamic_w);
    ww_xml_put_real(out, "total_w", total_w);
    ww_xml_put_real(out, "share", share);
    ww_str_add(out, "/>\n");
}

static ww_status put_launch(const ww_result_set *set, const ww_launch_record *launch, ww_str *out,
                            ww_error *err)
{
    ww_power_result r;
    WW_TRY(ww_power_evaluate(set->model, launch->counters, launch, &r, err));
    ww_str_add(out, "  <launch");
    ww_xml_put_text(out, "workload", launch->workload);
    ww_xml_put_text(out, "kernel", launch->kernel);
    ww_str_addf(out, " launch=\"%llu\"", (unsigned long long)launch->launch_index);
    ww_xml_put_real(out, "time_s", r.time_s);
    ww_str_add(out, ">\n");
    for (int c = 0; c < WW_COMPONENT_COUNT; c++) {
        const ww_power_share *s = &r.component[c];
        if (ww_power_has(set->model, (ww_component)c)) {
            ww_str_add(out, "    <component");
            ww_xml_put_text(out, "name", ww_component_name((ww_component)c));
            put_energies(out, s->event_j, s->background_j, s->leakage_j, s->dynamic_w, s->total_w,
                         s->share);
        }
    }
    ww_str_add(out, "    <total");
    put_energies(out, r.event_j, r.background_j, r.leakage_j, r.dynamic_w, r.total_w, 1);
    ww_str_add(out, "  </launch>\n");
    return WW_OK;
}

ww_status ww_export_power_xml(const ww_result_set *set, ww_str *out, ww_error *err)
{
    ww_str_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<power");
    ww_xml_put_text(out, "gpu", ww_arch_name(set->arch));
    ww_str_addf(out, " config_hash=\"%016" PRIx64 "\"", set->arch->config_hash);
    ww_xml_put_text(out, "warpwatt", set->version);
    ww_str_add(out, ">\n");
    for (size_t i = 0; i < set->launch_count; i++) {
        WW_TRY(put_launch(set, &set->launches[i], out, err));
    }
    ww_str_add(out, "</power>\n");
    return ww_str_check(out, err);
}
