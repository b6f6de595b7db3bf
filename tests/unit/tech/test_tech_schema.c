/* test_tech_schema.c - do the shipped technology files satisfy their schemas, and do the schemas
 * notice what the readers do not read? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/config_schema.h"
#include "tests/unit/tech/nodes.h"

static const char *schema_of(const char *name)
{
    return strcmp(name, "fu") == 0           ? "fu.xsd"
           : strcmp(name, "dram") == 0       ? "dram.xsd"
           : strcmp(name, "structures") == 0 ? "structures.xsd"
                                             : "node.xsd";
}

static ww_schema *load_schema(const char *name)
{
    ww_error err = {0};
    char path[1024];
    char *text;
    size_t length;
    ww_schema *schema = NULL;
    snprintf(path, sizeof path, "%s/../schema/%s", TECH_DIR, name);
    assert_ok(ww_read_file(path, 1 << 20, &text, &length, &err), err);
    assert_ok(ww_schema_parse(name, text, length, &schema, &err), err);
    ww_free(text);
    return schema;
}

static void shipped_files_are_valid(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_arena arena = {0};
    const char **names;
    size_t count;
    assert_ok(ww_list_dir(TECH_DIR, ".xml", &arena, &names, &count, &err), err);
    assert_int_equal(count, 14);
    for (size_t i = 0; i < count; i++) {
        ww_xml *xml = NULL;
        char path[1024];
        snprintf(path, sizeof path, "%s/%s.xml", TECH_DIR, names[i]);
        assert_ok(ww_xml_load(path, &xml, &err), err);
        ww_schema *schema = load_schema(schema_of(names[i]));
        assert_ok(ww_schema_check(schema, xml, &err), err); /* also of files known from the build */
        ww_schema_destroy(schema);
        ww_xml_destroy(xml);
    }
    ww_arena_fini(&arena);
}

/* A copy of a shipped file with one text replaced must be refused by its schema. */
static void must_refuse(const char *name, const char *from, const char *to)
{
    ww_error err = {0};
    char path[1024];
    char *text, *altered;
    size_t length;
    ww_xml *xml = NULL;
    snprintf(path, sizeof path, "%s/%s.xml", TECH_DIR, name);
    assert_ok(ww_read_file(path, 1 << 20, &text, &length, &err), err);
    const char *at = strstr(text, from);
    assert_non_null(at);
    size_t size = length + strlen(to) + 1;
    altered = malloc(size);
    assert_non_null(altered);
    int n = snprintf(altered, size, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    assert_ok(ww_xml_parse(name, altered, (size_t)n, &xml, &err), err);
    assert_int_equal(ww_config_schema_check(xml, TECH_DIR, schema_of(name), &err), WW_ESCHEMA);
    assert_true(err.line > 0);
    ww_xml_destroy(xml);
    free(altered);
    ww_free(text);
}

static void misspelt_and_missing_things_are_noticed(void **state)
{
    (void)state;
    must_refuse("45nm", "basis=", "base=");
    must_refuse("45nm", "vth_v=", "vth=");
    must_refuse("45nm", "flavour=\"lstp\"", "flavour=\"hp\""); /* twice */
    must_refuse("45nm", "temp_k=\"300\"", "temp_k=\"warm\"");
    must_refuse("fu", "op=\"int-add\"", "op=\"int-sub\"");
    must_refuse("fu", "source=", "origin=");
    must_refuse("dram", "idd2p_ma=", "idd2q_ma="); /* optional: a reader cannot notice */
    must_refuse("dram", "quality=\"data-sheet\"", "quality=\"guess\"");
    must_refuse("structures", "copies=", "copied="); /* optional */
    must_refuse("structures", "value=\"5.3pJ\"", "value=\"many\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_files_are_valid),
        cmocka_unit_test(misspelt_and_missing_things_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
