/* node_xml.c - reads a technology file (configs/tech/45nm.xml) into a node table. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/xml.h"
#include "tech/node_table.h"
#include "base/config_schema.h"

/* A number that an element must carry as attribute. */
typedef struct attr_row {
    const char *name;
    size_t offset; /* of the double in the target */
    double scale;  /* to SI */
} attr_row;

#define ROW(type, member, name, scale)                                                             \
    {                                                                                              \
        name, offsetof(type, member), scale                                                        \
    }

static const attr_row DEVICE_ROWS[] = {
    ROW(ww_device, vdd_v, "vdd_v", 1),
    ROW(ww_device, vth_v, "vth_v", 1),
    ROW(ww_device, vdsat_v, "vdsat_v", 1),
    ROW(ww_device, l_phys_m, "l_phys_um", 1e-6),
    ROW(ww_device, l_elec_m, "l_elec_um", 1e-6),
    ROW(ww_device, c_gate_f_per_m, "c_gate_f_per_um", 1e6),
    ROW(ww_device, c_fringe_f_per_m, "c_fringe_f_per_um", 1e6),
    ROW(ww_device, c_junction_f_per_m2, "c_junction_f_per_um2", 1e12),
    ROW(ww_device, c_sidewall_f_per_m, "c_sidewall_f_per_um", 1e6),
    ROW(ww_device, c_oxide_f_per_m2, "c_oxide_f_per_um2", 1e12),
    ROW(ww_device, mobility_m2_per_vs, "mobility_um2_per_vs", 1e-12),
    ROW(ww_device, i_on_a_per_m, "i_on_a_per_um", 1e6),
    ROW(ww_device, r_n_ohm_m, "r_n_ohm_um", 1e-6),
    ROW(ww_device, n_to_p, "n_to_p", 1),
    ROW(ww_device, sense_p_to_n, "sense_p_to_n", 1),
    ROW(ww_device, long_channel_leakage, "long_channel_leakage", 1),
};

static const attr_row WIRE_ROWS[] = {
    ROW(ww_wire, aspect, "aspect", 1),
    ROW(ww_wire, resistivity_ohm_m, "resistivity_uohm_m", 1e-6),
    ROW(ww_wire, barrier_m, "barrier_um", 1e-6),
    ROW(ww_wire, dishing_m, "dishing_um", 1e-6),
    ROW(ww_wire, scatter, "scatter", 1),
    ROW(ww_wire, miller, "miller", 1),
    ROW(ww_wire, ild_m, "ild_um", 1e-6),
    ROW(ww_wire, eps_horizontal, "eps_horizontal", 1),
    ROW(ww_wire, eps_vertical, "eps_vertical", 1),
    ROW(ww_wire, c_fringe_f_per_m, "c_fringe_f_per_um", 1e6),
    ROW(ww_wire, r_ohm_per_m, "r_ohm_per_um", 1e6),
    ROW(ww_wire, c_f_per_m, "c_f_per_um", 1e6),
};

static const attr_row CELL_ROWS[] = {
    ROW(ww_cell_record, area_f2, "area_f2", 1),   ROW(ww_cell_record, aspect, "aspect", 1),
    ROW(ww_cell_record, access_f, "access_f", 1), ROW(ww_cell_record, nmos_f, "nmos_f", 1),
    ROW(ww_cell_record, pmos_f, "pmos_f", 1),
};

static const attr_row LOGIC_ROWS[] = {
    ROW(ww_node_table, logic_area, "area", 1),
    ROW(ww_node_table, tx_per_m2, "tx_per_um2", 1e12),
    ROW(ww_node_table, short_circuit, "short_circuit", 1),
    ROW(ww_node_table, sense_delay_s, "sense_delay_ps", 1e-12),
    ROW(ww_node_table, sense_energy_j, "sense_energy_fj", 1e-15),
};

static ww_status read_number(const ww_xml *xml, const ww_xml_node *node, const char *name,
                             double *out, ww_error *err)
{
    const char *text = ww_xml_attr(node, name);
    double value;
    if (text == NULL) {
        return ww_xml_fail(xml, node, err, WW_ESCHEMA, "<%s> lacks the attribute '%s'",
                           ww_xml_tag(node), name);
    }
    if (ww_num_parse_double(text, &value, NULL) != WW_OK || value < 0) {
        return ww_xml_fail(xml, node, err, WW_ESCHEMA, "%s=\"%s\" is not a number >= 0", name,
                           text);
    }
    *out = value;
    return WW_OK;
}

static ww_status read_rows(const ww_xml *xml, const ww_xml_node *node, const attr_row *rows,
                           size_t count, void *target, ww_error *err)
{
    for (size_t i = 0; i < count; i++) {
        double value;
        WW_TRY(read_number(xml, node, rows[i].name, &value, err));
        WW_ASSERT(rows[i].scale > 0 && rows[i].offset % sizeof value == 0);
        *(double *)(void *)((char *)target + rows[i].offset) = value * rows[i].scale;
    }
    return WW_OK;
}

#define READ_ROWS(xml, node, rows, target, err)                                                    \
    read_rows(xml, node, rows, WW_ARRAY_LEN(rows), target, err)

/* Index of the attribute's text among names. */
static ww_status read_choice(const ww_xml *xml, const ww_xml_node *node, const char *name,
                             const char *const *names, int count, int *out, ww_error *err)
{
    const char *text = ww_xml_attr(node, name);
    for (int i = 0; text != NULL && i < count; i++) {
        if (strcmp(text, names[i]) == 0) {
            *out = i;
            return WW_OK;
        }
    }
    return ww_xml_fail(xml, node, err, WW_ESCHEMA, "<%s> has %s=\"%s\", which is not known",
                       ww_xml_tag(node), name, text == NULL ? "" : text);
}

static ww_status read_leakage(const ww_xml *xml, const ww_xml_node *node, ww_leakage_curve *curve,
                              ww_error *err)
{
    int i = curve->count;
    WW_ASSERT(i >= 0 && i <= WW_NODE_MAX_TEMPS);
    if (i == WW_NODE_MAX_TEMPS) {
        return ww_xml_fail(xml, node, err, WW_ESCHEMA, "more than %d temperatures", i);
    }
    WW_TRY(read_number(xml, node, "temp_k", &curve->temp_k[i], err));
    WW_TRY(read_number(xml, node, "i_off_a_per_um", &curve->i_off[i], err));
    WW_TRY(read_number(xml, node, "i_gate_a_per_um", &curve->i_gate[i], err));
    curve->i_off_published[i] = curve->i_off[i];
    if (ww_xml_attr(node, "published_i_off_a_per_um") != NULL) {
        WW_TRY(read_number(xml, node, "published_i_off_a_per_um", &curve->i_off_published[i], err));
    }
    if (i > 0 && curve->temp_k[i] <= curve->temp_k[i - 1]) {
        return ww_xml_fail(xml, node, err, WW_ESCHEMA, "temperatures do not ascend");
    }
    if (curve->i_off[i] <= 0 || curve->i_off_published[i] <= 0 || curve->i_gate[i] <= 0) {
        return ww_xml_fail(xml, node, err, WW_ESCHEMA, "a leakage current is zero");
    }
    curve->i_off[i] *= 1e6;
    curve->i_off_published[i] *= 1e6;
    curve->i_gate[i] *= 1e6;
    curve->count++;
    return WW_OK;
}

static ww_status read_device(const ww_xml *xml, const ww_xml_node *node, ww_node_table *t,
                             ww_error *err)
{
    static const char *const FLAVOURS[] = {"hp", "lstp", "lop"};
    int f = 0;
    WW_TRY(read_choice(xml, node, "flavour", FLAVOURS, WW_DEVICE_FLAVOURS, &f, err));
    ww_device *d = &t->device[f];
    WW_TRY(READ_ROWS(xml, node, DEVICE_ROWS, d, err));
    if (d->vdd_v <= d->vth_v || d->r_n_ohm_m <= 0 || d->n_to_p <= 0 || d->l_elec_m <= 0) {
        return ww_xml_fail(xml, node, err, WW_ESCHEMA, "device '%s' cannot switch", FLAVOURS[f]);
    }
    d->c_overlap_f_per_m = 0.2 * d->c_gate_f_per_m;
    d->r_p_ohm_m = d->n_to_p * d->r_n_ohm_m;
    for (const ww_xml_node *c = ww_xml_child(node); c != NULL; c = ww_xml_next(c)) {
        WW_TRY(read_leakage(xml, c, &t->leakage[f], err));
    }
    return WW_OK;
}

static ww_status read_wire(const ww_xml *xml, const ww_xml_node *node, ww_node_table *t,
                           ww_error *err)
{
    static const char *const LAYERS[] = {"local", "semiglobal", "global"};
    static const char *const PROJECTIONS[] = {"conservative", "aggressive"};
    int layer = 0, projection = 0;
    double pitch_f;
    WW_TRY(read_choice(xml, node, "layer", LAYERS, WW_WIRE_LAYERS, &layer, err));
    WW_TRY(
        read_choice(xml, node, "projection", PROJECTIONS, WW_WIRE_PROJECTIONS, &projection, err));
    ww_wire *w = &t->wire[projection][layer];
    WW_TRY(READ_ROWS(xml, node, WIRE_ROWS, w, err));
    WW_TRY(read_number(xml, node, "pitch_f", &pitch_f, err));
    w->pitch_m = pitch_f * t->geometry_m;
    w->width_m = w->pitch_m / 2;
    w->thickness_m = w->aspect * w->width_m;
    if (w->pitch_m <= 0 || w->r_ohm_per_m <= 0 || w->c_f_per_m <= 0 || w->ild_m <= 0) {
        return ww_xml_fail(xml, node, err, WW_ESCHEMA, "a wire of layer '%s' has no size",
                           LAYERS[layer]);
    }
    return WW_OK;
}

static ww_status read_cell(const ww_xml *xml, const ww_xml_node *node, ww_node_table *t,
                           ww_error *err)
{
    static const char *const KINDS[] = {"sram", "cam"};
    int kind = 0;
    WW_TRY(read_choice(xml, node, "kind", KINDS, 2, &kind, err));
    ww_cell_record *cell = kind == 0 ? &t->sram : &t->cam;
    WW_TRY(READ_ROWS(xml, node, CELL_ROWS, cell, err));
    if (cell->area_f2 <= 0 || cell->aspect <= 0 || cell->access_f <= 0 || cell->nmos_f <= 0 ||
        cell->pmos_f <= 0) {
        return ww_xml_fail(xml, node, err, WW_ESCHEMA, "a cell has no size");
    }
    return WW_OK;
}

static ww_status read_child(const ww_xml *xml, const ww_xml_node *node, ww_node_table *t,
                            ww_error *err)
{
    const char *tag = ww_xml_tag(node);
    if (strcmp(tag, "device") == 0) {
        return read_device(xml, node, t, err);
    }
    if (strcmp(tag, "wire") == 0) {
        return read_wire(xml, node, t, err);
    }
    if (strcmp(tag, "cell") == 0) {
        return read_cell(xml, node, t, err);
    }
    if (strcmp(tag, "logic") == 0) {
        return READ_ROWS(xml, node, LOGIC_ROWS, t, err);
    }
    return ww_xml_fail(xml, node, err, WW_ESCHEMA, "<%s> is not known here", tag);
}

/* Every record a node needs was there. */
static ww_status check_complete(const ww_xml *xml, const ww_node_table *t, ww_error *err)
{
    const ww_xml_node *root = ww_xml_root(xml);
    for (int f = 0; f < WW_DEVICE_FLAVOURS; f++) {
        if (t->leakage[f].count < 2) {
            return ww_xml_fail(xml, root, err, WW_ESCHEMA,
                               "device '%s' is missing or has no leakage curve",
                               ww_device_flavour_name((ww_device_flavour)f));
        }
    }
    for (int p = 0; p < WW_WIRE_PROJECTIONS; p++) {
        for (int l = 0; l < WW_WIRE_LAYERS; l++) {
            if (t->wire[p][l].pitch_m <= 0) {
                return ww_xml_fail(xml, root, err, WW_ESCHEMA, "wire layer '%s' is missing",
                                   ww_wire_layer_name((ww_wire_layer)l));
            }
        }
    }
    if (t->sram.area_f2 <= 0 || t->cam.area_f2 <= 0 || t->logic_area <= 0 || t->tx_per_m2 <= 0) {
        return ww_xml_fail(xml, root, err, WW_ESCHEMA, "a <cell> or <logic> record is missing");
    }
    return WW_OK;
}

static ww_status read_table(const ww_xml *xml, ww_node_table *t, ww_error *err)
{
    const ww_xml_node *root = ww_xml_root(xml);
    const char *basis = ww_xml_attr(root, "basis");
    const char *source = ww_xml_attr(root, "source");
    double nm;
    WW_TRY(read_number(xml, root, "feature_nm", &nm, err));
    t->feature_m = nm * 1e-9;
    t->geometry_m = t->feature_m;
    if (ww_xml_attr(root, "geometry_nm") != NULL) {
        WW_TRY(read_number(xml, root, "geometry_nm", &nm, err));
        t->geometry_m = nm * 1e-9;
    }
    if (basis == NULL || source == NULL || t->geometry_m <= 0) {
        return ww_xml_fail(xml, root, err, WW_ESCHEMA,
                           "<technology> needs feature_nm, basis and source");
    }
    snprintf(t->basis, sizeof t->basis, "%s", basis);
    snprintf(t->source, sizeof t->source, "%s", source);
    for (const ww_xml_node *c = ww_xml_child(root); c != NULL; c = ww_xml_next(c)) {
        WW_TRY(read_child(xml, c, t, err));
    }
    return check_complete(xml, t, err);
}

ww_status ww_node_load(const char *dir, double feature_m, ww_node_table **out, ww_error *err)
{
    size_t count;
    const double *features = ww_node_features(&count);
    size_t i = 0;
    while (i < count && fabs(features[i] - feature_m) > 1e-12) {
        i++;
    }
    if (i == count) {
        return ww_fail(err, WW_ENOTFOUND,
                       "no technology node of %g nm; described are 90, 65, 45, 40, 32, 28, 22, 16, "
                       "12, 7 and 5 nm",
                       feature_m * 1e9);
    }

    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%.0fnm.xml", dir, features[i] * 1e9);
    if (n < 0 || (size_t)n >= sizeof path) {
        return ww_fail(err, WW_ERANGE, "path of the technology files is too long");
    }
    ww_xml *xml = NULL;
    WW_TRY(ww_xml_load(path, &xml, err));
    ww_node_table *t = WW_NEW(ww_node_table);
    ww_status status =
        t == NULL ? ww_no_memory_for(err, "a technology node") : read_table(xml, t, err);
    if (status == WW_OK) {
        status = ww_config_schema_check(xml, dir, "node.xsd", err);
    }
    ww_xml_destroy(xml);
    if (status != WW_OK) {
        ww_free(t);
        return status;
    }
    *out = t;
    return WW_OK;
}

void ww_node_destroy(ww_node_table *table)
{
    ww_free(table);
}
