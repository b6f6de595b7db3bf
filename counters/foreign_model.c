/* foreign_model.c - the coefficients of the power model that AccelWattch ran with. Its report
 * counts for each execution unit the active lanes times the coefficient of the unit
 * (gpgpu-sim/shader.cc, incexecstat), which is <param name="INT_ACC" value="…"/> of its
 * accelwattch_*.xml: with that file the lanes are known. A row finds 1 over INT_ACC as
 * "aw_per_INT_ACC". Of idle lanes nothing is counted where the simulator ran with
 * -gpgpu_clock_gated_lanes 1, as all its configurations do. */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/xml.h"
#include "counters/foreign_parts.h"

static ww_status tell_all(ww__foreign_table *table, const ww_xml *xml, const ww_xml_node *node,
                          const char *name, const char *value, ww_error *err)
{
    char own[64];
    double coefficient;
    snprintf(own, sizeof own, "aw_per_%s", name);
    if (table->count == 0 ||
        ww__foreign_told(table, &table->launches[0], own, strlen(own)) == NULL) {
        return WW_OK;
    }
    if (ww_num_parse_double(value, &coefficient, NULL) != WW_OK || !(coefficient >= 0)) {
        return ww_xml_fail(xml, node, err, WW_ERANGE, "%s is '%.40s', which is no coefficient",
                           name, value);
    }
    for (size_t i = 0; i < table->count && coefficient > 0; i++) {
        ww__told *told = ww__foreign_told(table, &table->launches[i], own, strlen(own));
        *told = (ww__told){.value = 1 / coefficient, .line = ww_xml_line(node)};
    }
    return WW_OK;
}

static ww_status read_params(ww__foreign_table *table, const ww_xml *xml, const ww_xml_node *node,
                             size_t *found, ww_error *err)
{
    for (const ww_xml_node *n = ww_xml_child(node); n != NULL; n = ww_xml_next(n)) {
        const char *name = ww_xml_attr(n, "name"), *value = ww_xml_attr(n, "value");
        if (strcmp(ww_xml_tag(n), "param") == 0 && name != NULL && value != NULL) {
            *found += strcmp(name, "INT_ACC") == 0;
            WW_TRY(tell_all(table, xml, n, name, value, err));
        }
        WW_TRY(read_params(table, xml, n, found, err)); /* depth is bounded by the reader */
    }
    return WW_OK;
}

ww_status ww__foreign_read_model(ww__foreign_table *table, const char *name, const char *text,
                                 size_t length, ww_error *err)
{
    ww_xml *xml;
    size_t found = 0;
    WW_TRY(ww_xml_parse(name, text, length, &xml, err));
    ww_status status = read_params(table, xml, ww_xml_root(xml), &found, err);
    if (status == WW_OK && found == 0) {
        status = ww_fail_at(err, WW_ESCHEMA, name, 0, 0,
                            "has no <param name=\"INT_ACC\" …>: is it the model that AccelWattch "
                            "ran with (accelwattch_*.xml)?");
    }
    ww_xml_destroy(xml);
    return status;
}
