/* test_arch_chain.c - does extends= inherit, stop at cycles, and bound what it reads? */
#include "tests/unit/arch/scratch.h"

#include "arch/param.h"
#include "base/str.h"

static void later_files_override_earlier_ones(void **state)
{
    scratch *s = *state;
    put(s, "a.xml", CHILD("<sm source='A'><count>8</count><schedulers>4</schedulers></sm>"));
    const char *b = put(s, "b.xml",
                        "<gpu name='b' about='x' extends='a.xml' source='B'>\n"
                        "<sm><count>9</count></sm></gpu>");
    ww_arch *arch = NULL;
    ww_error err = {0};
    assert_ok(ww_arch_load(b, NULL, 0, &arch, &err), err);
    assert_int_equal(arch->sm.count, 9);
    assert_int_equal(arch->sm.schedulers, 4);
    assert_int_equal(arch->sm.max_warps, 48); /* found among the shipped files */
    assert_string_equal(ww_arch_source(arch, "sm.count"), "B");
    assert_string_equal(ww_arch_source(arch, "sm.schedulers"), "A");
    assert_string_equal(ww_arch_value_at(arch, ww_param_index("sm.count")).file, b);
    assert_string_equal(ww_arch_name(arch), "b");
    ww_arch_destroy(arch);
}

static void a_fault_in_a_base_is_located_there(void **state)
{
    scratch *s = *state;
    const char *base = put(s, "bad.xml", CHILD("\n\n<sm><count>0</count></sm>"));
    const char *top = put(s, "top.xml", "<gpu name='b' about='x' extends='bad.xml' source='B'/>");
    ww_arch *arch = NULL;
    ww_error err = {0};
    assert_int_equal(ww_arch_load(top, NULL, 0, &arch, &err), WW_ERANGE);
    assert_string_equal(err.file, base);
    assert_int_equal(err.line, 4);
}

static void cycles_are_refused(void **state)
{
    scratch *s = *state;
    put(s, "x.xml", "<gpu name='x' about='x' extends='y.xml'/>");
    put(s, "y.xml", "<gpu name='y' about='y' extends='./z.xml'/>");
    put(s, "z.xml", "<gpu name='z' about='z' extends='x.xml'/>");
    const char *self = put(s, "self.xml", "<gpu name='s' about='s' extends='self.xml'/>");
    ww_arch *arch = NULL;
    ww_error err = {0};
    assert_int_equal(ww_arch_load(ww_path_join(&s->arena, s->dir, "x.xml"), NULL, 0, &arch, &err),
                     WW_ESCHEMA);
    assert_non_null(strstr(err.what, "extends itself"));
    assert_non_null(strstr(err.file, "z.xml"));
    assert_int_equal(ww_arch_load(self, NULL, 0, &arch, &err), WW_ESCHEMA);
    assert_non_null(strstr(err.what, "extends itself"));
}

static void long_chains_are_refused(void **state)
{
    scratch *s = *state;
    const char *path = NULL;
    ww_arch *arch = NULL;
    ww_error err = {0};
    for (int i = 0; i < 20; i++) {
        char name[16], text[128];
        snprintf(name, sizeof name, "n%d.xml", i);
        snprintf(text, sizeof text, "<gpu name='n' about='n' extends='n%d.xml'/>", i - 1);
        path = put(s, name, i > 0 ? text : CHILD(""));
    }
    assert_int_equal(ww_arch_load(path, NULL, 0, &arch, &err), WW_ESCHEMA);
    assert_non_null(strstr(err.what, "more than 8 files"));
    /* n0, gtx480 and fermi are three of the eight */
    assert_ok(ww_arch_load(ww_path_join(&s->arena, s->dir, "n5.xml"), NULL, 0, &arch, &err), err);
    ww_arch_destroy(arch);
}

static void a_missing_base_is_named(void **state)
{
    scratch *s = *state;
    ww_arch *arch;
    ww_error err;
    assert_int_equal(load_text(s, "<gpu name='x' about='x'\n extends='nowhere.xml'/>", &arch, &err),
                     WW_ENOTFOUND);
    assert_non_null(strstr(err.what, "nowhere.xml"));
    assert_non_null(strstr(err.file, "case.xml"));
}

static void hostile_files_are_refused(void **state)
{
    scratch *s = *state;
    ww_arch *arch;
    ww_error err;
    assert_int_equal(load_text(s,
                               "<!DOCTYPE gpu [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;'>"
                               "<!ENTITY c '&b;&b;&b;&b;'>]><gpu name='&c;' about='x'/>",
                               &arch, &err),
                     WW_EPARSE);
    ww_str text = {0};
    ww_str_add(&text, "<gpu name='x' about='x'>");
    for (int i = 0; i < 200; i++) {
        ww_str_add(&text, "<sm>");
    }
    for (int i = 0; i < 200; i++) {
        ww_str_add(&text, "</sm>");
    }
    ww_str_add(&text, "</gpu>");
    assert_int_equal(load_text(s, ww_str_text(&text), &arch, &err), WW_EPARSE);
    assert_non_null(strstr(err.what, "nested"));
    ww_str_clear(&text);
    ww_str_add(&text, CHILD(""));
    while (text.len <= 1024 * 1024) {
        ww_str_add(&text, "                                                                \n");
    }
    assert_int_equal(load_text(s, ww_str_text(&text), &arch, &err), WW_ERANGE);
    assert_non_null(strstr(err.what, "limit"));
    ww_str_fini(&text);
    assert_int_equal(load_text(s, "<gpu name='x' about='x' extends='/dev/zero'/>", &arch, &err),
                     WW_ERANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_files_override_earlier_ones),
        cmocka_unit_test(a_fault_in_a_base_is_located_there),
        cmocka_unit_test(cycles_are_refused),
        cmocka_unit_test(long_chains_are_refused),
        cmocka_unit_test(a_missing_base_is_named),
        cmocka_unit_test(hostile_files_are_refused),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
