/* test_arch_config.c - is every fault of a single file found, at its line? */
#include "tests/unit/arch/scratch.h"

typedef struct fault {
    const char *text;
    int line;
    ww_status status;
    const char *says;
} fault;

static void expect(scratch *s, const fault *f)
{
    ww_arch *arch;
    ww_error err;
    ww_status status = load_text(s, f->text, &arch, &err);
    ww_arch_destroy(arch);
    if (status != f->status || err.line != f->line || strstr(err.what, f->says) == NULL) {
        fail_msg("%s\ngave status %d, line %d: %s\nexpected status %d, line %d: %s", f->text,
                 (int)status, err.line, err.what, (int)f->status, f->line, f->says);
    }
}

static void faults_of_structure(void **state)
{
    static const fault faults[] = {
        {CHILD("<sm>\n<cuont>4</cuont></sm>"), 3, WW_ESCHEMA, "did you mean 'count'"},
        {CHILD("\n<mm><count>4</count></mm>"), 3, WW_ESCHEMA, "unknown group 'mm'"},
        {CHILD("<sm/>\n<sm/>"), 3, WW_ESCHEMA, "twice, first on line 2"},
        {CHILD("<sm><count>4</count>\n<count>5</count></sm>"), 3, WW_ESCHEMA, "twice"},
        {CHILD("<sm colour='red'/>"), 2, WW_ESCHEMA, "colour"},
        {CHILD("<sm><count><b/>4</count></sm>"), 2, WW_ESCHEMA, "count"},
        {CHILD("<sm>loose text</sm>"), 2, WW_ESCHEMA, "sm"},
        {"<gpus/>", 1, WW_ESCHEMA, "not <gpu>"},
        {"<gpu about='x' extends='gtx480.xml'/>", 1, WW_ESCHEMA, "name"},
        {"<gpu name='x' extends='gtx480.xml'/>", 1, WW_ESCHEMA, "about"},
        {"<gpu name='x' about='y' extends='gtx480.xml'>\n<sm>\n<count>4</count></sm></gpu>", 3,
         WW_ESCHEMA, "no source"},
        {"<gpu name='x' about='y' extends='gtx480.xml' source=''/>", 1, WW_ESCHEMA, "source"},
        {"<gpu name='x' about='y' source='z'><sm><count>4</count></sm></gpu>", 0, WW_ESCHEMA,
         "no value for chip.name"},
        {"<gpu", 1, WW_EPARSE, ""},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        expect(*state, &faults[i]);
    }
}

static void faults_of_values(void **state)
{
    static const fault faults[] = {
        {CHILD("<sm>\n\n<count>0</count></sm>"), 4, WW_ERANGE, "0 is outside 1 to 1024"},
        {CHILD("<sm><count>15.5</count></sm>"), 2, WW_ERANGE, "whole number"},
        {CHILD("<sm><count>many</count></sm>"), 2, WW_ESCHEMA, "not a number"},
        {CHILD("<sm><count/></sm>"), 2, WW_ESCHEMA, "not a number"},
        {CHILD("<sm><count unit='KiB'>4</count></sm>"), 2, WW_ESCHEMA, "does not fit"},
        {CHILD("<l1d><bytes>16384</bytes></l1d>"), 2, WW_ESCHEMA, "unit=\"KiB\""},
        {CHILD("<l1d><bytes unit='MHz'>16</bytes></l1d>"), 2, WW_ESCHEMA, "one like 'KiB'"},
        {CHILD("<l1d><bytes unit='KiB'>16 KiB</bytes></l1d>"), 2, WW_ESCHEMA, "not a number"},
        {CHILD("<clock><core_hz unit='GHz'>1e300</core_hz></clock>"), 2, WW_ERANGE,
         "outside 1 MHz to 5 GHz"},
        {CHILD("<clock><core_hz unit='GHz'>1e999</core_hz></clock>"), 2, WW_ERANGE, "too large"},
        {CHILD("<clock><core_hz unit='GHz'>nan</core_hz></clock>"), 2, WW_ESCHEMA, "not a number"},
        {CHILD("<sm><scheduler>two_level</scheduler></sm>"), 2, WW_ESCHEMA,
         "did you mean 'two-level'"},
        {CHILD("<sm><scheduler unit='1'>gto</scheduler></sm>"), 2, WW_ESCHEMA, "unit"},
        {CHILD("<ldst><l1_caches_global>yes</l1_caches_global></ldst>"), 2, WW_ESCHEMA, "neither"},
        {CHILD("<chip><name> </name></chip>"), 2, WW_ESCHEMA, "empty"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        expect(*state, &faults[i]);
    }
}

static void units_and_spellings_are_free(void **state)
{
    static const char *const texts[] = {
        CHILD("<l1d><bytes unit='B'>32768</bytes></l1d>"),
        CHILD("<l1d><bytes unit='KiB'>32</bytes></l1d>"),
        CHILD("<l1d><bytes unit='MiB'>\n 0.03125 </bytes></l1d>"),
        CHILD("<l1d><bytes unit='KiB'><!-- c -->3.2e1</bytes></l1d>"),
    };
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        ww_arch *arch;
        ww_error err;
        assert_ok(load_text(*state, texts[i], &arch, &err), err);
        assert_int_equal(arch->l1d.bytes, 32768);
        assert_true(i == 0 || arch->config_hash == hash);
        hash = arch->config_hash;
        ww_arch_destroy(arch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_of_structure),
        cmocka_unit_test(faults_of_values),
        cmocka_unit_test(units_and_spellings_are_free),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
