/* test_xml.c - is XML read, located, bounded and validated? */
#include <stdio.h>
#include <string.h>

#include "base/xml.h"
#include "tests/support/growth.h"
#include "tests/support/test.h"

static ww_status parse(const char *text, ww_xml **xml, ww_error *err)
{
    return ww_xml_parse("t.xml", text, strlen(text), xml, err);
}

static void trees_attributes_text_and_lines(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_xml *xml = NULL;
    ww_arena arena = {0};
    assert_ok(parse("<?xml version='1.0'?>\n<!-- c --><gpu a='x &amp; &lt;y&gt; &quot;' e=''>\n"
                    "  <sm>\n <count unit='1'> 1<!-- c -->6 </count>\n</sm><?pi?>\n"
                    "<l2><![CDATA[ <raw> ]]></l2><t>a &amp; b</t></gpu>",
                    &xml, &err),
              err);
    const ww_xml_node *root = ww_xml_root(xml), *sm = ww_xml_child(root), *count = ww_xml_child(sm);
    assert_string_equal(ww_xml_tag(root), "gpu");
    assert_int_equal(ww_xml_line(root), 2);
    assert_string_equal(ww_xml_attr(root, "a"), "x & <y> \"");
    assert_string_equal(ww_xml_attr(root, "e"), "");
    assert_null(ww_xml_attr(root, "b"));
    assert_string_equal(ww_xml_text(count, &arena), "16");
    assert_int_equal(ww_xml_line(count), 4);
    assert_ptr_equal(ww_xml_parent(count), sm);
    assert_null(ww_xml_parent(root));
    assert_ptr_equal(ww_xml_next(sm), ww_xml_find(root, "l2"));
    assert_string_equal(ww_xml_text(ww_xml_find(root, "l2"), &arena), "<raw>");
    assert_string_equal(ww_xml_text(ww_xml_find(root, "t"), &arena), "a & b");
    assert_string_equal(ww_xml_text(root, &arena), "");
    assert_null(ww_xml_find(root, "nothing"));
    assert_int_equal(ww_xml_fail(xml, count, &err, WW_ERANGE, "too %s", "many"), WW_ERANGE);
    assert_int_equal(err.line, 4);
    assert_string_equal(err.file, "t.xml");
    ww_arena_fini(&arena);
    ww_xml_destroy(xml);
}

/* One element with as many attributes as fill so many bytes. */
static void parse_attributes(int bytes, void *data)
{
    (void)data;
    char *text = ww_alloc_array((size_t)bytes + 64, 1);
    ww_xml *xml = NULL;
    ww_error err = {0};
    int n = sprintf(text, "<!-- = = > -->\n<?p a=\"<\"?><a t=\"=>\"><b");
    for (int i = 0; n < bytes; i++) {
        n += sprintf(text + n, " a%d=''", i);
    }
    n += sprintf(text + n, "/></a>");
    assert_int_equal(ww_xml_parse("t.xml", text, (size_t)n, &xml, &err), WW_ERANGE);
    assert_int_equal(err.line, 2);
    ww_free(text);
}

/* Few attributes in each of as many elements as fill so many bytes: none of the limit's business.
 */
static void parse_elements(int bytes, void *data)
{
    (void)data;
    char *text = ww_alloc_array((size_t)bytes + 64, 1);
    ww_xml *xml = NULL;
    ww_error err = {0};
    int n = sprintf(text, "<a>");
    while (n < bytes) {
        n += sprintf(text + n, "<b x='1' y='2'/><!-- a=b --><![CDATA[ <c d=e ]]>");
    }
    n += sprintf(text + n, "</a>");
    assert_ok(ww_xml_parse("t.xml", text, (size_t)n, &xml, &err), err);
    ww_xml_destroy(xml);
    ww_free(text);
}

/* libxml2 compares each attribute of an element with all others. */
static void attributes_are_few(void **state)
{
    (void)state;
    assert_true(test_is_linear(parse_attributes, 1 << 17, NULL));
    assert_true(test_is_linear(parse_elements, 1 << 17, NULL));
}

static void malformed_documents_are_located(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line;
    } cases[] = {{"<a>\n<b>\n</a>", 3},
                 {"<a>\n<b x=1/></a>", 2},
                 {"", 0},
                 {"text", 1},
                 {"<a>\n&nbsp;</a>", 2},
                 {"<a/>\n<b/>", 2},
                 {"<a>\n\xFF</a>", 2},
                 {"<a>", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ww_error err = {0};
        ww_xml *xml = NULL;
        assert_int_equal(parse(cases[i].text, &xml, &err), WW_EPARSE);
        assert_null(xml);
        if (cases[i].line > 0) {
            assert_int_equal(err.line, cases[i].line);
        }
        assert_string_equal(err.file, "t.xml");
        assert_null(strchr(err.what, '\n'));
    }
}

static void entities_cannot_be_defined(void **state)
{
    (void)state;
    static const char *const attacks[] = {
        "<!DOCTYPE a [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;'>]><a>&b;</a>",
        "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>",
        "<!DOCTYPE a SYSTEM 'http://example.invalid/a.dtd'><a/>",
        "<!DOCTYPE a [<!ENTITY % p SYSTEM 'file:///etc/passwd'>%p;]><a/>",
    };
    for (size_t i = 0; i < sizeof attacks / sizeof attacks[0]; i++) {
        ww_error err = {0};
        ww_xml *xml = NULL;
        assert_int_equal(parse(attacks[i], &xml, &err), WW_EPARSE);
        assert_non_null(strstr(err.what, "document type"));
    }
}

static void size_and_depth_are_bounded(void **state)
{
    (void)state;
    ww_str text = {0};
    ww_error err = {0};
    ww_xml *xml = NULL;
    for (int depth = WW_XML_MAX_DEPTH; depth <= 5000;
         depth += depth == WW_XML_MAX_DEPTH ? 1 : 4967) {
        ww_str_clear(&text);
        for (int i = 0; i < depth; i++) {
            ww_str_add(&text, "<a>");
        }
        for (int i = 0; i < depth; i++) {
            ww_str_add(&text, "</a>");
        }
        assert_int_equal(parse(ww_str_text(&text), &xml, &err),
                         depth <= WW_XML_MAX_DEPTH ? WW_OK : WW_EPARSE);
        ww_xml_destroy(xml);
        xml = NULL;
    }
    assert_int_equal(ww_xml_parse("big", "<a/>", (size_t)WW_XML_MAX_BYTES + 1, &xml, &err),
                     WW_ERANGE);
    assert_int_equal(ww_xml_load("/dev/zero", &xml, &err), WW_ERANGE);
    assert_int_equal(ww_xml_load("/nonexistent.xml", &xml, &err), WW_ENOTFOUND);
    ww_str_fini(&text);
}

static void schemas_find_violations(void **state)
{
    (void)state;
    static const char xsd[] =
        "<xs:schema xmlns:xs='http://www.w3.org/2001/XMLSchema'><xs:element "
        "name='a'><xs:complexType>"
        "<xs:sequence><xs:element name='n' type='xs:unsignedInt' maxOccurs='2'/></xs:sequence>"
        "</xs:complexType></xs:element></xs:schema>";
    ww_error err = {0};
    ww_schema *schema = NULL;
    assert_ok(ww_schema_parse("x.xsd", xsd, sizeof xsd - 1, &schema, &err), err);
    static const struct {
        const char *text;
        int line;
    } cases[] = {{"<a>\n<n>4</n></a>", 0},
                 {"<a>\n<n>-4</n></a>", 2},
                 {"<a>\n<n>4</n>\n<m/></a>", 3},
                 {"<b/>", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ww_xml *xml = NULL;
        assert_ok(parse(cases[i].text, &xml, &err), err);
        assert_int_equal(ww_schema_check(schema, xml, &err),
                         cases[i].line == 0 ? WW_OK : WW_ESCHEMA);
        if (cases[i].line > 0) {
            assert_int_equal(err.line, cases[i].line);
            assert_string_equal(err.file, "t.xml");
        }
        ww_xml_destroy(xml);
    }
    ww_schema_destroy(schema);
    assert_int_equal(ww_schema_parse("bad.xsd", "<a/>", 4, &schema, &err), WW_ESCHEMA);
}

static void escaped_text_reads_back(void **state)
{
    (void)state;
    static const char text[] = "a<b>&\"c'\n]]>";
    ww_str out = {0};
    ww_error err = {0};
    ww_xml *xml = NULL;
    ww_arena arena = {0};
    ww_str_add(&out, "<a t=\"");
    ww_xml_escape(&out, text);
    ww_str_add(&out, "\">");
    ww_xml_escape(&out, text);
    ww_str_add(&out, "</a>");
    assert_ok(parse(ww_str_text(&out), &xml, &err), err);
    assert_string_equal(ww_xml_attr(ww_xml_root(xml), "t"), text);
    assert_string_equal(ww_xml_text(ww_xml_root(xml), &arena), text);
    ww_xml_destroy(xml);
    ww_arena_fini(&arena);
    ww_str_fini(&out);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (size_t k = 1; k < 8; k++) {
        ww_xml *xml = NULL;
        ww_error err = {0};
        ww_mem_fail_after(k);
        ww_status status = parse("<a><b/></a>", &xml, &err);
        ww_mem_fail_after(0);
        assert_true(status == WW_OK || status == WW_ENOMEM);
        ww_xml_destroy(xml);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_attributes_text_and_lines),
        cmocka_unit_test(attributes_are_few),
        cmocka_unit_test(malformed_documents_are_located),
        cmocka_unit_test(entities_cannot_be_defined),
        cmocka_unit_test(size_and_depth_are_bounded),
        cmocka_unit_test(schemas_find_violations),
        cmocka_unit_test(escaped_text_reads_back),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
