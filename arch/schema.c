/* schema.c - writes the XSD of GPU descriptions from the parameter table. */
#include "arch/schema.h"

#include <string.h>

#include "arch/param.h"
#include "base/num.h"
#include "base/units.h"
#include "base/xml.h"

static void add_doc(ww_str *out, const char *indent, const char *doc)
{
    ww_str_addf(out, "%s<xs:annotation><xs:documentation>", indent);
    ww_xml_escape(out, doc);
    ww_str_add(out, "</xs:documentation></xs:annotation>\n");
}

/* The type's name in the schema: numbers share a type per unit, enumerations have one per parameter
 * name. */
static void add_type_name(ww_str *out, const ww_param *param)
{
    switch (param->type) {
    case WW_PARAM_UINT:
    case WW_PARAM_REAL:
        if (strcmp(param->unit, "1") == 0) {
            ww_str_add(out, "number");
        } else {
            ww_str_add(out, "number-in-");
            for (const char *c = param->unit; *c != '\0'; c++) { /* names have no signs */
                char sign[] = {*c, '\0'};
                ww_str_add(out, *c == '/' ? "-per-" : *c == '^' ? "" : sign);
            }
        }
        break;
    case WW_PARAM_BOOL:
        ww_str_add(out, "truth");
        break;
    case WW_PARAM_ENUM:
        ww_str_addf(out, "%s-%s", param->key, "value");
        break;
    case WW_PARAM_TEXT:
        ww_str_add(out, "text");
        break;
    }
}

/* A value element's type: text of a simple type, with the attributes source and, for quantities,
 * unit. */
static void add_value_type(ww_str *out, const char *name, const char *base, const char *si)
{
    ww_str_addf(out,
                "  <xs:complexType name=\"%s\">\n    <xs:simpleContent>\n"
                "      <xs:extension base=\"%s\">\n"
                "        <xs:attribute name=\"source\" type=\"note\"/>\n",
                name, base);
    if (si != NULL) {
        ww_str_addf(out,
                    "        <xs:attribute name=\"unit\"%s>\n          <xs:simpleType>\n"
                    "            <xs:restriction base=\"xs:token\">\n",
                    strcmp(si, "1") == 0 ? "" : " use=\"required\"");
        const ww_unit *unit;
        for (size_t i = 0; (unit = ww_unit_at(i)) != NULL; i++) {
            if (strcmp(unit->si, si) == 0) {
                ww_str_addf(out, "              <xs:enumeration value=\"%s\"/>\n", unit->symbol);
            }
        }
        ww_str_add(out, "            </xs:restriction>\n          </xs:simpleType>\n"
                        "        </xs:attribute>\n");
    }
    ww_str_add(out, "      </xs:extension>\n    </xs:simpleContent>\n  </xs:complexType>\n");
}

static bool is_of(size_t i, bool mechanisms)
{
    return (ww_param_mechanism(i) >= 0) == mechanisms;
}

/* Is this the first parameter with its unit in its schema? */
static bool is_first_of_unit(size_t index, bool mechanisms)
{
    for (size_t i = 0; i < index; i++) {
        if (is_of(i, mechanisms) && strcmp(ww_param_at(i)->unit, ww_param_at(index)->unit) == 0) {
            return false;
        }
    }
    return ww_param_at(index)->unit[0] != '\0';
}

static void add_enum_type(ww_str *out, const ww_param *param)
{
    ww_str_addf(out,
                "  <xs:simpleType name=\"%s-choice\">\n    <xs:restriction base=\"xs:token\">\n",
                param->key);
    for (size_t i = 0; i < param->value_count; i++) {
        ww_str_addf(out, "      <xs:enumeration value=\"%s\">\n", param->values[i].text);
        add_doc(out, "        ", param->values[i].doc);
        ww_str_add(out, "      </xs:enumeration>\n");
    }
    ww_str_add(out, "    </xs:restriction>\n  </xs:simpleType>\n");
    ww_str name = {0}, base = {0};
    add_type_name(&name, param);
    ww_str_addf(&base, "%s-choice", param->key);
    out->failed |= name.failed || base.failed;
    add_value_type(out, ww_str_text(&name), ww_str_text(&base), NULL);
    ww_str_fini(&name);
    ww_str_fini(&base);
}

static void add_types(ww_str *out, bool mechanisms)
{
    ww_str_add(
        out,
        "  <xs:simpleType name=\"note\">\n    <xs:restriction base=\"xs:token\">\n"
        "      <xs:minLength value=\"1\"/>\n    </xs:restriction>\n  </xs:simpleType>\n"
        "  <xs:simpleType name=\"decimal\">\n    <xs:restriction base=\"xs:token\">\n"
        "      <xs:pattern value=\"[+\\-]?([0-9]+(\\.[0-9]+)?|\\.[0-9]+)([eE][+\\-]?[0-9]+)?\"/>\n"
        "    </xs:restriction>\n  </xs:simpleType>\n"
        "  <xs:simpleType name=\"true-or-false\">\n    <xs:restriction base=\"xs:token\">\n"
        "      <xs:enumeration value=\"true\"/>\n      <xs:enumeration value=\"false\"/>\n"
        "    </xs:restriction>\n  </xs:simpleType>\n");
    add_value_type(out, "text", "note", NULL);
    add_value_type(out, "truth", "true-or-false", NULL);
    for (size_t i = 0; i < ww_param_count(); i++) {
        const ww_param *param = ww_param_at(i);
        if (!is_of(i, mechanisms)) {
            continue;
        }
        if (is_first_of_unit(i, mechanisms)) {
            ww_str name = {0};
            add_type_name(&name, param);
            out->failed |= name.failed;
            add_value_type(out, ww_str_text(&name), "decimal", param->unit);
            ww_str_fini(&name);
        } else if (param->type == WW_PARAM_ENUM) {
            add_enum_type(out, param);
        }
    }
}

static void add_param(ww_str *out, const ww_param *param)
{
    ww_str_addf(out, "              <xs:element name=\"%s\" minOccurs=\"0\" type=\"", param->name);
    add_type_name(out, param);
    ww_str_add(out, "\">\n");
    ww_str doc = {0};
    ww_str_add(&doc, param->doc);
    if (param->type == WW_PARAM_UINT || param->type == WW_PARAM_REAL) {
        char lo[48], hi[48];
        ww_units_format(param->lo, param->unit, lo, sizeof lo);
        ww_units_format(param->hi, param->unit, hi, sizeof hi);
        ww_str_addf(&doc, "; %s to %s", lo, hi);
    }
    out->failed |= doc.failed;
    add_doc(out, "                ", ww_str_text(&doc));
    ww_str_fini(&doc);
    ww_str_add(out, "              </xs:element>\n");
}

static void add_group(ww_str *out, const ww_param_group *group)
{
    ww_str_addf(out, "        <xs:element name=\"%s\" minOccurs=\"0\">\n", group->path);
    add_doc(out, "          ", group->doc);
    ww_str_add(out, "          <xs:complexType>\n            <xs:all>\n");
    for (size_t i = 0; i < group->count; i++) {
        add_param(out, &group->params[i]);
    }
    ww_str_add(out, "            </xs:all>\n"
                    "            <xs:attribute name=\"source\" type=\"note\"/>\n"
                    "          </xs:complexType>\n        </xs:element>\n");
}

static void add_document(ww_str *out, const char *root, bool mechanisms, const char *attributes)
{
    ww_str_add(out,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
               "<!-- Generated from arch/params.h by the target generate-schema; do not edit. -->\n"
               "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">\n");
    add_types(out, mechanisms);
    ww_str_addf(out, "  <xs:element name=\"%s\">\n    <xs:complexType>\n      <xs:all>\n", root);
    for (size_t i = 0; i < ww_param_group_count(); i++) {
        ww_param_group group = ww_param_group_at(i);
        if ((group.mechanism >= 0) == mechanisms) {
            add_group(out, &group);
        }
    }
    ww_str_addf(out,
                "      </xs:all>\n"
                "      <xs:attribute name=\"name\" type=\"note\" use=\"required\"/>\n"
                "      <xs:attribute name=\"about\" type=\"note\" use=\"required\"/>\n%s"
                "      <xs:attribute name=\"source\" type=\"note\"/>\n"
                "    </xs:complexType>\n  </xs:element>\n</xs:schema>\n",
                attributes);
}

void ww_arch_schema(ww_str *out)
{
    add_document(out, "gpu", false,
                 "      <xs:attribute name=\"extends\" type=\"note\"/>\n"
                 "      <xs:attribute name=\"abstract\" type=\"true-or-false\"/>\n");
}

void ww_mech_schema(ww_str *out)
{
    add_document(out, "mechanism", true, "");
}
