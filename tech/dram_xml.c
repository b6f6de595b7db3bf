/* dram_xml.c - reads configs/tech/dram.xml. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/xml.h"
#include "tech/dram.h"
#include "base/config_schema.h"

enum { MAX_DEVICES = 256 };

struct ww_dram_table {
    size_t count;
    ww_dram_device device[];
};

/* A number of a device: attribute, target, scale to SI, optional (then 0). */
typedef struct number_row {
    const char *name;
    size_t offset;
    double scale;
    bool optional;
} number_row;

#define ROW(member, name, scale, optional)                                                         \
    {                                                                                              \
        name, offsetof(ww_dram_device, member), scale, optional                                    \
    }
static const number_row ROWS[] = {
    ROW(clock_s, "clock_ns", 1e-9, false),
    ROW(data_rate_hz, "data_rate_gbps", 1e9, false),
    ROW(vdd_v, "vdd_v", 1, false),
    ROW(vddq_v, "vddq_v", 1, false),
    ROW(vpp_v, "vpp_v", 1, true),
    ROW(ipp0_a, "ipp0_ma", 1e-3, true),
    ROW(idd0_a, "idd0_ma", 1e-3, false),
    ROW(idd2p_a, "idd2p_ma", 1e-3, true),
    ROW(idd2n_a, "idd2n_ma", 1e-3, false),
    ROW(idd3p_a, "idd3p_ma", 1e-3, true),
    ROW(idd3n_a, "idd3n_ma", 1e-3, false),
    ROW(idd4r_a, "idd4r_ma", 1e-3, false),
    ROW(idd4w_a, "idd4w_ma", 1e-3, false),
    ROW(idd5_a, "idd5_ma", 1e-3, false),
    ROW(idd6_a, "idd6_ma", 1e-3, true),
    ROW(tras_s, "tras_ns", 1e-9, false),
    ROW(trp_s, "trp_ns", 1e-9, false),
    ROW(trfc_s, "trfc_ns", 1e-9, false),
    ROW(trefi_s, "trefi_ns", 1e-9, false),
    ROW(io_read_j_per_bit, "io_read_pj_per_bit", 1e-12, false),
    ROW(io_write_j_per_bit, "io_write_pj_per_bit", 1e-12, false),
    ROW(tsv_j_per_bit, "tsv_pj_per_bit", 1e-12, true),
    ROW(group_j_per_bit, "group_pj_per_bit", 1e-12, true),
};

static ww_status read_text(const ww_xml *xml, const ww_xml_node *node, const char *name, char *out,
                           size_t size, ww_error *err)
{
    const char *text = ww_xml_attr(node, name);
    if (text == NULL || text[0] == '\0' || strlen(text) >= size) {
        return ww_xml_fail(xml, node, err, WW_ESCHEMA, "<device> needs '%s' of 1..%zu characters",
                           name, size - 1);
    }
    memcpy(out, text, strlen(text) + 1);
    return WW_OK;
}

static ww_status read_count(const ww_xml *xml, const ww_xml_node *node, const char *name,
                            uint32_t *out, ww_error *err)
{
    const char *text = ww_xml_attr(node, name);
    uint64_t value = 0;
    if (text == NULL || ww_num_parse_u64(text, &value, NULL) != WW_OK || value == 0 ||
        value > 1000000) {
        return ww_xml_fail(xml, node, err, WW_ESCHEMA, "<device> needs a positive count '%s'",
                           name);
    }
    *out = (uint32_t)value;
    return WW_OK;
}

static ww_status read_quality(const ww_xml *xml, const ww_xml_node *node, ww_dram_quality *out,
                              ww_error *err)
{
    static const char *const NAMES[] = {"measured", "data-sheet", "extrapolated"};
    const char *text = ww_xml_attr(node, "quality");
    for (int i = 0; text != NULL && i < 3; i++) {
        if (strcmp(text, NAMES[i]) == 0) {
            *out = (ww_dram_quality)i;
            return WW_OK;
        }
    }
    return ww_xml_fail(xml, node, err, WW_ESCHEMA,
                       "quality must be measured, data-sheet or extrapolated");
}

static ww_status read_device(const ww_xml *xml, const ww_xml_node *node, ww_dram_device *d,
                             ww_error *err)
{
    WW_TRY(read_text(xml, node, "name", d->name, sizeof d->name, err));
    WW_TRY(read_text(xml, node, "protocol", d->protocol, sizeof d->protocol, err));
    WW_TRY(read_text(xml, node, "source", d->source, sizeof d->source, err));
    WW_TRY(read_quality(xml, node, &d->quality, err));
    WW_TRY(read_count(xml, node, "width_bits", &d->width_bits, err));
    WW_TRY(read_count(xml, node, "burst_length", &d->burst_length, err));
    WW_TRY(read_count(xml, node, "banks", &d->banks, err));
    WW_TRY(read_count(xml, node, "row_bytes", &d->row_bytes, err));
    for (size_t i = 0; i < WW_ARRAY_LEN(ROWS); i++) {
        const char *text = ww_xml_attr(node, ROWS[i].name);
        double value = 0;
        if (text == NULL && ROWS[i].optional) {
            continue;
        }
        if (text == NULL || ww_num_parse_double(text, &value, NULL) != WW_OK || value < 0) {
            return ww_xml_fail(xml, node, err, WW_ESCHEMA,
                               "device '%s' needs a number >= 0 in '%s'", d->name, ROWS[i].name);
        }
        *(double *)(void *)((char *)d + ROWS[i].offset) = value * ROWS[i].scale;
    }
    if (d->data_rate_hz <= 0 || d->clock_s <= 0 || d->vdd_v <= 0) {
        return ww_xml_fail(xml, node, err, WW_ESCHEMA, "device '%s' has no clock or supply",
                           d->name);
    }
    d->vdd_scale = 1;
    return WW_OK;
}

ww_status ww_dram_load(const char *dir, ww_dram_table **out, ww_error *err)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/dram.xml", dir);
    if (n < 0 || (size_t)n >= sizeof path) {
        return ww_fail(err, WW_ERANGE, "path of the technology files is too long");
    }
    ww_xml *xml = NULL;
    WW_TRY(ww_xml_load(path, &xml, err));
    const ww_xml_node *root = ww_xml_root(xml);
    size_t count = 0;
    for (const ww_xml_node *c = ww_xml_child(root); c != NULL; c = ww_xml_next(c)) {
        count++;
    }
    ww_dram_table *t = NULL;
    ww_status status = WW_OK;
    if (count == 0 || count > MAX_DEVICES) {
        status = ww_xml_fail(xml, root, err, WW_ESCHEMA, "1..%d devices are allowed", MAX_DEVICES);
        goto done;
    }
    t = ww_alloc_array(1, sizeof *t + count * sizeof t->device[0]);
    if (t == NULL) {
        status = ww_no_memory_for(err, "%zu DRAM devices", count);
        goto done;
    }
    for (const ww_xml_node *c = ww_xml_child(root); c != NULL && status == WW_OK;
         c = ww_xml_next(c)) {
        status = read_device(xml, c, &t->device[t->count++], err);
    }
    if (status == WW_OK) {
        status = ww_config_schema_check(xml, dir, "dram.xsd", err);
    }
done:
    ww_xml_destroy(xml);
    if (status != WW_OK) {
        ww_free(t);
        return status;
    }
    *out = t;
    return WW_OK;
}

void ww_dram_destroy(ww_dram_table *table)
{
    ww_free(table);
}

size_t ww_dram_count(const ww_dram_table *table)
{
    return table->count;
}

const ww_dram_device *ww_dram_at(const ww_dram_table *table, size_t index)
{
    return index < table->count ? &table->device[index] : NULL;
}

ww_status ww_dram_find(const ww_dram_table *table, const char *name, const ww_dram_device **out,
                       ww_error *err)
{
    char known[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < table->count; i++) {
        if (strcmp(table->device[i].name, name) == 0) {
            *out = &table->device[i];
            return WW_OK;
        }
        int n = snprintf(known + used, sizeof known - used, "%s%s", i == 0 ? "" : ", ",
                         table->device[i].name);
        used = n > 0 && used + (size_t)n < sizeof known ? used + (size_t)n : sizeof known - 1;
    }
    return ww_fail(err, WW_ENOTFOUND, "no DRAM device '%s'; described are %s", name, known);
}
