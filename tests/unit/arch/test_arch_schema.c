/* test_arch_schema.c - is the committed schema the generated one, and the parameter table sound? */
#include "tests/unit/arch/scratch.h"

#include "arch/param.h"
#include "arch/schema.h"
#include "base/units.h"
#include "base/xml.h"

static void compare(const char *path, void (*generate)(ww_str *out))
{
    ww_str xsd = {0};
    ww_error err = {0};
    char *committed;
    size_t length;
    generate(&xsd);
    assert_ok(ww_read_file(path, 1 << 20, &committed, &length, &err), err);
    if (length != xsd.len || memcmp(committed, ww_str_text(&xsd), length) != 0) {
        fail_msg("%s differs from arch/params.h; build the target generate-schema", path);
    }
    ww_schema *schema = NULL;
    assert_ok(ww_schema_parse(path, committed, length, &schema, &err), err);
    ww_schema_destroy(schema);
    ww_free(committed);
    ww_str_fini(&xsd);
}

static void the_committed_schemas_are_up_to_date(void **state)
{
    (void)state;
    compare(WW_SOURCE_DIR "/configs/schema/gpu.xsd", ww_arch_schema);
    compare(WW_SOURCE_DIR "/configs/schema/mech.xsd", ww_mech_schema);
}

static void parameters_are_well_formed(void **state)
{
    (void)state;
    assert_int_equal(ww_param_count(), ww_arch_param_count());
    assert_true(ww_param_count() > 150);
    for (size_t i = 0; i < ww_param_count(); i++) {
        const ww_param *p = ww_param_at(i);
        assert_int_equal(ww_param_index(p->key), i); /* keys are unique */
        assert_true(strlen(p->doc) > 2);
        assert_string_equal(strrchr(p->key, '.') + 1, p->name);
        if (p->type == WW_PARAM_UINT || p->type == WW_PARAM_REAL) {
            assert_true(p->lo <= p->hi && p->lo >= 0);
            assert_true(p->type == WW_PARAM_REAL || p->hi <= UINT32_MAX);
            assert_non_null(ww_unit_find(p->unit));
            assert_string_equal(ww_unit_find(p->unit)->si, p->unit);
        }
        assert_int_equal(p->type == WW_PARAM_ENUM, p->value_count > 0);
        assert_true(p->offset < sizeof(ww_arch));
    }
    assert_int_equal(ww_param_index("sm"), ww_param_count());
    size_t total = 0;
    for (size_t g = 0; g < ww_param_group_count(); g++) {
        ww_param_group group = ww_param_group_at(g);
        assert_int_equal(group.first, total);
        if (group.count > 0) { /* a mechanism may have none */
            assert_ptr_equal(ww_param_at(group.first), group.params);
        }
        total += group.count;
    }
    assert_int_equal(total, ww_param_count());
}

static void enumerators_have_names(void **state)
{
    (void)state;
    assert_string_equal(ww_scheduler_name(WW_SCHED_TWO_LEVEL), "two-level");
    assert_string_equal(ww_write_policy_name(WW_WRITE_LOCAL_BACK), "local-back");
    assert_string_equal(ww_dram_type_name(WW_DRAM_GDDR5X), "gddr5x");
    assert_string_equal(ww_scheduler_name((ww_scheduler)99), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_committed_schemas_are_up_to_date),
        cmocka_unit_test(parameters_are_well_formed),
        cmocka_unit_test(enumerators_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
