/* structures_xml.c - reads configs/tech/structures.xml. */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/units.h"
#include "base/xml.h"
#include "tech/structures_list.h"
#include "base/config_schema.h"

/* A document on its way into a list. */
typedef struct reader {
    const ww_xml *xml;
    ww_structures *list;
    ww_error *err;
} reader;

static ww_status text_of(const reader *r, const ww_xml_node *node, const char *name,
                         const char **out)
{
    const char *text = ww_xml_attr(node, name);
    if (text == NULL || text[0] == '\0') {
        return ww_xml_fail(r->xml, node, r->err, WW_ESCHEMA, "<%s> lacks '%s'", ww_xml_tag(node),
                           name);
    }
    *out = ww_arena_strndup(&r->list->arena, text, strlen(text));
    return *out != NULL ? WW_OK : ww_no_memory_for(r->err, "structures");
}

/* A count in [0, 2^20]; `otherwise` when absent. */
static ww_status count_of(const reader *r, const ww_xml_node *node, const char *name,
                          uint32_t otherwise, uint32_t *out)
{
    const char *text = ww_xml_attr(node, name);
    uint64_t value = otherwise;
    if (text != NULL && (ww_num_parse_u64(text, &value, NULL) != WW_OK || value > 1u << 20)) {
        return ww_xml_fail(r->xml, node, r->err, WW_ESCHEMA, "%s=\"%s\" is not a count", name,
                           text);
    }
    *out = (uint32_t)value;
    return WW_OK;
}

static ww_status number_of(const reader *r, const ww_xml_node *node, const char *name, double *out)
{
    const char *text = ww_xml_attr(node, name);
    if (text == NULL || ww_num_parse_double(text, out, NULL) != WW_OK || *out <= 0) {
        return ww_xml_fail(r->xml, node, r->err, WW_ESCHEMA, "<%s> needs a positive number in '%s'",
                           ww_xml_tag(node), name);
    }
    return WW_OK;
}

/* Index of an attribute's text among names; the first when it is absent. */
static ww_status choice_of(const reader *r, const ww_xml_node *node, const char *name,
                           const char *const *names, int count, int *out)
{
    const char *text = ww_xml_attr(node, name);
    *out = 0;
    for (int i = 0; text != NULL && i < count; i++) {
        if (strcmp(text, names[i]) == 0) {
            *out = i;
            return WW_OK;
        }
    }
    return text == NULL ? WW_OK
                        : ww_xml_fail(r->xml, node, r->err, WW_ESCHEMA,
                                      "<%s> has %s=\"%s\", which is not known", ww_xml_tag(node),
                                      name, text);
}

static ww_status read_unit(const reader *r, const ww_xml_node *node, ww_structure *s)
{
    const char *names[WW_FU_OP_COUNT];
    int op;
    for (int i = 0; i < WW_FU_OP_COUNT; i++) {
        names[i] = ww_fu_op_name((ww_fu_op)i);
    }
    WW_TRY(choice_of(r, node, "op", names, WW_FU_OP_COUNT, &op));
    s->is_unit = true;
    s->op = (ww_fu_op)op;
    return WW_OK;
}

static ww_status read_array(const reader *r, const ww_xml_node *node, ww_structure *s)
{
    ww_array_spec *a = &s->spec;
    WW_TRY(count_of(r, node, "entries", 0, &s->entries));
    WW_TRY(count_of(r, node, "entry_bits", 0, &s->entry_bits));
    WW_TRY(count_of(r, node, "tag_bits", 0, &a->tag_bits));
    WW_TRY(count_of(r, node, "match_bits", 0, &s->match_bits));
    WW_TRY(count_of(r, node, "ways", 1, &a->ways));
    WW_TRY(count_of(r, node, "rw_ports", 0, &a->rw_ports));
    WW_TRY(count_of(r, node, "read_ports", 0, &a->read_ports));
    WW_TRY(count_of(r, node, "write_ports", 0, &a->write_ports));
    WW_TRY(count_of(r, node, "search_ports", 0, &a->search_ports));
    static const char *const WIRES[] = {"30", "20", "10", "5", "fast"};
    int wire;
    WW_TRY(choice_of(r, node, "wire", WIRES, (int)WW_ARRAY_LEN(WIRES), &wire));
    a->wire = (ww_array_wire)wire;
    if (s->entries == 0 || s->entry_bits <= a->tag_bits) {
        return ww_xml_fail(r->xml, node, r->err, WW_ESCHEMA,
                           "entries and entry_bits leave no data");
    }
    ww_structure_resize(s, s->entries, s->entry_bits);
    return WW_OK;
}

static bool name_taken(const ww_structures *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->list[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool known(const ww_structures *list, const char *of)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->list[i].name, of) == 0 || strcmp(list->list[i].group, of) == 0) {
            return true;
        }
    }
    return false;
}

static ww_status read_structure(const reader *r, const ww_xml_node *node)
{
    static const char *const KINDS[] = {"ram",      "cam",   "assoc", "cache",
                                        "flipflop", "latch", "auto",  "unit"};
    static const char *const DEVICES[] = {"hp", "lstp", "lop"};
    enum { UNIT = 7 };
    ww_structure s = {0};
    double nm;
    int kind, device;
    if (r->list->count == WW_MAX_STRUCTURES) {
        return ww_xml_fail(r->xml, node, r->err, WW_ESCHEMA, "more than %d structures",
                           WW_MAX_STRUCTURES);
    }
    WW_TRY(text_of(r, node, "name", &s.name));
    WW_TRY(text_of(r, node, "group", &s.group));
    WW_TRY(text_of(r, node, "what", &s.what));
    WW_TRY(text_of(r, node, "source", &s.source));
    WW_TRY(choice_of(r, node, "kind", KINDS, (int)WW_ARRAY_LEN(KINDS), &kind));
    WW_TRY(choice_of(r, node, "device", DEVICES, WW_DEVICE_FLAVOURS, &device));
    WW_TRY(count_of(r, node, "copies", 1, &s.copies));
    WW_TRY(number_of(r, node, "node_nm", &nm));
    WW_TRY(number_of(r, node, "temp_k", &s.temp_k));
    s.device = (ww_device_flavour)device;
    s.feature_m = nm * 1e-9;
    if (s.copies == 0 || name_taken(r->list, s.name)) {
        return ww_xml_fail(r->xml, node, r->err, WW_ESCHEMA,
                           "structure '%s' has no copies or is described twice", s.name);
    }
    if (kind == UNIT) {
        WW_TRY(read_unit(r, node, &s));
    } else {
        s.spec.kind = (ww_array_kind)kind;
        WW_TRY(read_array(r, node, &s));
    }
    WW_ASSERT(r->list->count < WW_MAX_STRUCTURES);
    r->list->list[r->list->count++] = s;
    return WW_OK;
}

static ww_status read_figure(const reader *r, const ww_xml_node *node)
{
    static const char *const RELATIONS[] = {"equal", "at-most"};
    const char *quantities[WW_FIGURE_QUANTITY_COUNT];
    ww_figure f = {0};
    const char *value = NULL;
    int quantity, relation;
    if (r->list->figures == WW_MAX_FIGURES) {
        return ww_xml_fail(r->xml, node, r->err, WW_ESCHEMA, "more than %d figures",
                           WW_MAX_FIGURES);
    }
    for (int i = 0; i < WW_FIGURE_QUANTITY_COUNT; i++) {
        quantities[i] = ww_figure_quantity_name((ww_figure_quantity)i);
    }
    WW_TRY(text_of(r, node, "of", &f.of));
    WW_TRY(text_of(r, node, "value", &value));
    WW_TRY(text_of(r, node, "source", &f.source));
    WW_TRY(text_of(r, node, "assumption", &f.assumption));
    WW_TRY(choice_of(r, node, "quantity", quantities, WW_FIGURE_QUANTITY_COUNT, &quantity));
    WW_TRY(choice_of(r, node, "relation", RELATIONS, 2, &relation));
    WW_TRY(count_of(r, node, "accesses", 1, &f.accesses));
    f.quantity = (ww_figure_quantity)quantity;
    f.at_most = relation == 1;
    const char *unit = ww_figure_quantity_unit(f.quantity);
    if (ww_units_parse(value, unit, &f.value, NULL) != WW_OK || f.value <= 0) {
        return ww_xml_fail(r->xml, node, r->err, WW_ESCHEMA, "value=\"%s\" is no quantity in %s",
                           value, unit);
    }
    if (!known(r->list, f.of)) {
        return ww_xml_fail(r->xml, node, r->err, WW_ESCHEMA,
                           "no structure or group '%s' stands before this figure", f.of);
    }
    WW_ASSERT(r->list->figures < WW_MAX_FIGURES);
    r->list->figure[r->list->figures++] = f;
    return WW_OK;
}

static ww_status read_all(const reader *r)
{
    for (const ww_xml_node *c = ww_xml_child(ww_xml_root(r->xml)); c != NULL; c = ww_xml_next(c)) {
        const char *tag = ww_xml_tag(c);
        if (strcmp(tag, "structure") == 0) {
            WW_TRY(read_structure(r, c));
        } else if (strcmp(tag, "figure") == 0) {
            WW_TRY(read_figure(r, c));
        } else {
            return ww_xml_fail(r->xml, c, r->err, WW_ESCHEMA, "<%s> is not known here", tag);
        }
    }
    return WW_OK;
}

ww_status ww_structures_load(const char *dir, ww_structures **out, ww_error *err)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/structures.xml", dir);
    if (n < 0 || (size_t)n >= sizeof path) {
        return ww_fail(err, WW_ERANGE, "path of the technology files is too long");
    }
    ww_xml *xml = NULL;
    WW_TRY(ww_xml_load(path, &xml, err));
    ww_structures *list = WW_NEW(ww_structures);
    ww_status status = list == NULL ? ww_no_memory_for(err, "structures") : WW_OK;
    if (status == WW_OK) {
        ww_arena_init(&list->arena);
        status = read_all(&(reader){.xml = xml, .list = list, .err = err});
    }
    if (status == WW_OK) {
        status = ww_config_schema_check(xml, dir, "structures.xsd", err);
    }
    ww_xml_destroy(xml);
    if (status != WW_OK) {
        ww_structures_destroy(list);
        return status;
    }
    *out = list;
    return WW_OK;
}
