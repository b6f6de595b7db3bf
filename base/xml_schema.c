/* xml_schema.c - checking documents against an XSD. */
#include <string.h>

#include <libxml/xmlschemas.h>

#include "base/xml_doc.h"
#include "base/xml_memory.h"

struct ww_schema {
    char *name;
    xmlSchemaPtr schema;
};

void ww__xml_fill_error(ww_error *err, ww_status code, const xmlError *error)
{
    const char *text = error->message != NULL ? error->message : "malformed";
    int n = (int)strlen(text);
    while (n > 0 && strchr("\n .", text[n - 1]) != NULL) {
        n--;
    }
    WW_DROP(ww_fail_at(err, code, NULL, error->line, error->int2 > 0 ? error->int2 : 0, "%.*s",
                       n < 900 ? n : 900, text)); /* it only fills */
    for (char *p = err->what; *p != '\0'; p++) {
        *p = *p == '\n' ? ' ' : *p;
    }
}

static void on_error(void *user, xmlErrorPtr error)
{
    ww_error *first = user;
    if (first->code == WW_OK && error->level >= XML_ERR_ERROR) {
        ww__xml_fill_error(first, WW_ESCHEMA, error);
        first->column = 0; /* int2 is not a column here */
    }
}

ww_status ww_schema_parse(const char *name, const char *text, size_t length, ww_schema **out,
                          ww_error *err)
{
    ww_schema *schema = WW_NEW(ww_schema);
    WW_TRY(ww__xml_memory_reserve(err));
    char *copy = ww_strdup(name);
    xmlSchemaParserCtxtPtr ctxt =
        length <= WW_XML_MAX_BYTES ? xmlSchemaNewMemParserCtxt(text, (int)length) : NULL;
    if (schema == NULL || copy == NULL || ctxt == NULL) {
        ww_free(schema);
        ww_free(copy);
        xmlSchemaFreeParserCtxt(ctxt);
        return ww_no_memory_in(err, name);
    }
    ww_error first = {0};
    xmlSchemaSetParserStructuredErrors(ctxt, on_error, &first);
    schema->name = copy;
    schema->schema = xmlSchemaParse(ctxt);
    xmlSchemaFreeParserCtxt(ctxt);
    if (schema->schema == NULL) {
        ww_schema_destroy(schema);
        return ww_fail_at(err, WW_ESCHEMA, name, first.line, 0, "faulty schema: %s", first.what);
    }
    *out = schema;
    return WW_OK;
}

void ww_schema_destroy(ww_schema *schema)
{
    if (schema != NULL) {
        xmlSchemaFree(schema->schema);
        ww_free(schema->name);
        ww_free(schema);
    }
}

ww_status ww_schema_check(const ww_schema *schema, const ww_xml *xml, ww_error *err)
{
    xmlSchemaValidCtxtPtr ctxt = xmlSchemaNewValidCtxt(schema->schema);
    if (ctxt == NULL) {
        return ww_no_memory_in(err, xml->name);
    }
    ww_error first = {0};
    xmlSchemaSetValidStructuredErrors(ctxt, on_error, &first);
    int result = xmlSchemaValidateDoc(ctxt, xml->doc);
    xmlSchemaFreeValidCtxt(ctxt);
    if (result == 0) {
        return WW_OK;
    }
    return ww_fail_at(err, result > 0 ? WW_ESCHEMA : WW_EINTERNAL, xml->name, first.line, 0, "%s",
                      first.what[0] != '\0' ? first.what : "schema validation failed");
}
