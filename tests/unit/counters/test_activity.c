/* test_activity.c - do activity files carry every launch unchanged, and are faulty ones refused
 * with their line? */
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "counters/counters.h"

enum { SMS = 5, SLICES = 4, CHANNELS = 2 };

/* Deterministic values of all magnitudes, many zero. */
static uint64_t next_value(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    uint64_t shift = *seed >> 58;
    return *seed % 3 == 0 ? 0 : (*seed & (UINT64_MAX >> 8)) >> (shift < 56 ? shift : 56);
}

static void fill(ww_counter_set *set, uint64_t seed)
{
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        ww_scope scope = ww_counter_describe((ww_counter)c)->scope;
        for (uint32_t i = 0; i < set->count[scope]; i++) {
            set->block[scope][i].v[c] = next_value(&seed);
        }
    }
}

static ww_launch_record make_launch(const ww_counter_set *counters, uint32_t index)
{
    return (ww_launch_record){
        .kernel = index == 0 ? "_Z12layerforwardPf" : "a<b>&\"c\" \xc3\xa9",
        .workload = index == 0 ? "backprop:std" : "",
        .launch_index = index,
        .grid = {1, 4096 + index, 1},
        .block = {16, 16, 1},
        .registers = 21,
        .shared_bytes = 1088,
        .ctas_per_sm = 6,
        .occupancy_limit = "threads",
        .core_hz = 822e6 / (1 + index),
        .icnt_hz = 1e9 / 3,
        .l2_hz = 700e6,
        .dram_hz = 1.848e9,
        .vdd_v = 1.05,
        .temperature_k = 353.15,
        .counters = counters,
    };
}

static char *scratch_path(void)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/warpwatt-test-activity-%ld.xml", (long)getpid());
    return path;
}

static void assert_same(const ww_launch_record *a, const ww_launch_record *b)
{
    assert_string_equal(a->kernel, b->kernel);
    assert_string_equal(a->workload, b->workload);
    assert_string_equal(a->occupancy_limit, b->occupancy_limit);
    assert_int_equal(a->launch_index, b->launch_index);
    assert_memory_equal(a->grid, b->grid, sizeof a->grid);
    assert_memory_equal(a->block, b->block, sizeof a->block);
    assert_int_equal(a->registers, b->registers);
    assert_int_equal(a->shared_bytes, b->shared_bytes);
    assert_int_equal(a->ctas_per_sm, b->ctas_per_sm);
    assert_true(a->core_hz == b->core_hz && a->icnt_hz == b->icnt_hz && a->l2_hz == b->l2_hz &&
                a->dram_hz == b->dram_hz && a->vdd_v == b->vdd_v &&
                a->temperature_k == b->temperature_k);
    assert_memory_equal(a->counters->count, b->counters->count, sizeof a->counters->count);
    for (int s = 0; s < WW_SCOPE_COUNT; s++) {
        for (uint32_t i = 0; i < a->counters->count[s]; i++) {
            assert_memory_equal(&a->counters->block[s][i], &b->counters->block[s][i],
                                sizeof(ww_counter_block));
        }
    }
}

static void test_round_trip_is_exact(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_counter_set sets[2];
    ww_launch_record launches[2];
    for (uint32_t i = 0; i < 2; i++) {
        assert_ok(ww_counter_set_init(&sets[i], SMS, SLICES, CHANNELS, &err), err);
        fill(&sets[i], 17 + i);
        launches[i] = make_launch(&sets[i], i);
    }
    ww_activity *read;
    assert_ok(
        ww_activity_save(scratch_path(), "gtx580", UINT64_C(0xfedcba9876543210), launches, 2, &err),
        err);
    assert_ok(ww_activity_load(scratch_path(), &read, &err), err);
    assert_string_equal(read->gpu, "gtx580");
    assert_true(read->config_hash == UINT64_C(0xfedcba9876543210));
    assert_int_equal(read->launch_count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_same(&launches[i], &read->launches[i]);
    }
    /* Writing what was read gives the same bytes. */
    char *first, *second;
    size_t first_length, second_length;
    assert_ok(ww_read_file(scratch_path(), 1 << 24, &first, &first_length, &err), err);
    assert_ok(ww_activity_save(scratch_path(), read->gpu, read->config_hash, read->launches,
                               read->launch_count, &err),
              err);
    assert_ok(ww_read_file(scratch_path(), 1 << 24, &second, &second_length, &err), err);
    assert_int_equal(first_length, second_length);
    assert_memory_equal(first, second, first_length);
    ww_free(first);
    ww_free(second);
    ww_activity_destroy(read);
    ww_counter_set_fini(&sets[0]);
    ww_counter_set_fini(&sets[1]);
    unlink(scratch_path());
}

/* Far more launches than fit in the 16 MiB that a configuration document may have. */
static void test_long_runs_fit(void **state)
{
    (void)state;
    enum { LAUNCHES = 1500 };
    ww_error err = {0};
    ww_counter_set set;
    assert_ok(ww_counter_set_init(&set, SMS, SLICES, CHANNELS, &err), err);
    fill(&set, 3);
    ww_launch_record *launches = WW_NEW_ARRAY(ww_launch_record, LAUNCHES);
    assert_non_null(launches);
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        launches[i] = make_launch(&set, i);
    }
    ww_activity *read;
    assert_ok(ww_activity_save(scratch_path(), "gtx580", 1, launches, LAUNCHES, &err), err);
    assert_ok(ww_activity_load(scratch_path(), &read, &err), err);
    assert_int_equal(read->launch_count, LAUNCHES);
    assert_same(&launches[LAUNCHES - 1], &read->launches[LAUNCHES - 1]);
    ww_activity_destroy(read);
    ww_free(launches);
    ww_counter_set_fini(&set);
    unlink(scratch_path());
}

#define ROOT                                                                                       \
    "<activity schema=\"1\" gpu=\"g\" config_hash=\"0x1\" sms=\"2\" slices=\"1\" "                 \
    "channels=\"1\">\n"
#define LAUNCH                                                                                     \
    "<launch index=\"0\" workload=\"w\" kernel=\"k\" grid=\"1 2 3\" block=\"4 5 6\" "              \
    "registers=\"1\""                                                                              \
    " shared_bytes=\"0\" ctas_per_sm=\"1\" occupancy_limit=\"threads\" core_hz=\"1e9\" "           \
    "icnt_hz=\"1e9\""                                                                              \
    " l2_hz=\"1e9\" dram_hz=\"1e9\" vdd_v=\"1\" temperature_k=\"350\">\n"
#define REST                                                                                       \
    "<component name=\"sm1\"/><component name=\"slice0\"/><component name=\"channel0\"/>"          \
    "<component name=\"chip\"/></launch></activity>"
#define SM0(stats) "<component name=\"sm0\">" stats "</component>\n"

/* Snapshots of a launch travel with it, and do not leak into the launch behind it. */
static void test_intervals_round_trip(void **state)
{
    (void)state;
    enum { INTERVALS = 40 };
    ww_error err = {0};
    ww_counter_set total;
    ww_interval intervals[INTERVALS];
    assert_ok(ww_counter_set_init(&total, SMS, SLICES, CHANNELS, &err), err);
    for (uint32_t i = 0; i < INTERVALS; i++) {
        intervals[i] = (ww_interval){.first_cycle = 100 * i, .last_cycle = 100 * i + 100};
        assert_ok(ww_counter_set_init(&intervals[i].counters, SMS, SLICES, CHANNELS, &err), err);
        intervals[i].counters.block[WW_SCOPE_SM][i % SMS].v[WW_C_RF_READ] = 1000 + i;
        intervals[i].counters.block[WW_SCOPE_CHIP][0].v[WW_C_CORE_CYCLES] = i < 7 ? 0 : 100;
        assert_ok(ww_counter_set_add(&total, &intervals[i].counters, &err), err);
    }
    ww_launch_record launches[2] = {make_launch(&total, 0), make_launch(&total, 1)};
    launches[0].size = "small";
    launches[0].stream = 3;
    launches[0].intervals = intervals;
    launches[0].interval_count = INTERVALS;
    ww_activity *read;
    assert_ok(ww_activity_save(scratch_path(), "gtx580", 1, launches, 2, &err), err);
    assert_ok(ww_activity_load(scratch_path(), &read, &err), err);
    assert_int_equal(read->launches[0].interval_count, INTERVALS);
    assert_int_equal(read->launches[1].interval_count, 0);
    assert_string_equal(read->launches[0].size, "small");
    assert_int_equal(read->launches[0].stream, 3);
    assert_string_equal(read->launches[1].size, "");
    assert_int_equal(read->launches[1].stream, 0);
    for (size_t i = 0; i < INTERVALS; i++) {
        const ww_interval *got = &read->launches[0].intervals[i];
        assert_true(got->first_cycle == 100 * i && got->last_cycle == 100 * i + 100);
        for (int c = 0; c < WW_COUNTER_COUNT; c++) { /* of all instances together */
            assert_int_equal(ww_counter_total(&got->counters, (ww_counter)c),
                             ww_counter_total(&intervals[i].counters, (ww_counter)c));
        }
        ww_counter_set_fini(&intervals[i].counters);
    }
    ww_activity_destroy(read);
    ww_counter_set_fini(&total);
    unlink(scratch_path());
}

/* A hundred bytes of text may not cost megabytes of memory without end. */
/* What an interval takes of a file does not grow with the machine. */
static void test_intervals_are_compact(void **state)
{
    (void)state;
    enum { MANY = 200 };
    ww_error err = {0};
    ww_counter_set total;
    ww_interval interval = {.first_cycle = 0, .last_cycle = 100};
    assert_ok(ww_counter_set_init(&total, MANY, 1, 1, &err), err);
    assert_ok(ww_counter_set_init(&interval.counters, MANY, 1, 1, &err), err);
    for (uint32_t i = 0; i < MANY; i++) {
        interval.counters.block[WW_SCOPE_SM][i].v[WW_C_RF_READ] = 1000000 + i;
    }
    assert_ok(ww_counter_set_copy(&total, &interval.counters, &err), err);
    ww_launch_record launch = make_launch(&total, 0);
    size_t bytes[2];
    for (int i = 0; i < 2; i++) {
        char *text;
        launch.intervals = &interval;
        launch.interval_count = (size_t)i;
        assert_ok(ww_activity_save(scratch_path(), "g", 0, &launch, 1, &err), err);
        assert_ok(ww_read_file(scratch_path(), 1 << 20, &text, &bytes[i], &err), err);
        ww_free(text);
    }
    assert_true(bytes[1] > bytes[0] && bytes[1] - bytes[0] < 300);
    ww_counter_set_fini(&total);
    ww_counter_set_fini(&interval.counters);
    unlink(scratch_path());
}

static void test_intervals_are_bounded(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_activity *read = NULL;
    ww_str text = {0};
    ww_str_add(&text, "<activity schema=\"1\" gpu=\"g\" config_hash=\"0x1\" sms=\"4096\" "
                      "slices=\"4096\" channels=\"4096\">\n" LAUNCH);
    for (unsigned i = 0; i < 1000; i++) {
        ww_str_addf(&text, "<interval first=\"%u\" last=\"%u\"/>\n", i, i + 1);
    }
    ww_str_add(&text, REST);
    assert_int_equal(ww_activity_parse("t", text.data, text.len, &read, &err), WW_ERANGE);
    assert_non_null(strstr(err.what, "bytes of counters in intervals"));
    ww_str_fini(&text);
}

static void test_a_good_text_is_read(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_activity *read;
    static const char text[] = "<?xml version=\"1.0\"?><!-- note -->\n" ROOT LAUNCH SM0(
        "<stat name=\"sm.rf.read\" value=\"0x10\"/><stat name=\"sm.ctas\" "
        "value=\"18446744073709551615\"/>") REST;
    assert_ok(ww_activity_parse("t", text, sizeof text - 1, &read, &err), err);
    assert_int_equal(read->launches[0].grid[1], 2);
    assert_int_equal(read->launches[0].counters->block[WW_SCOPE_SM][0].v[WW_C_RF_READ], 16);
    assert_true(ww_counter_total(read->launches[0].counters, WW_C_CTAS) == UINT64_MAX);
    ww_activity_destroy(read);
}

/* An interval that says what it ran at. */
#define POINT(first, last, hz, volts, kelvin)                                                      \
    "<interval first=\"" first "\" last=\"" last "\" core_hz=\"" hz "\" vdd_v=\"" volts            \
    "\" temperature_k=\"" kelvin "\"/>"

static void test_faults_are_located(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        ww_status status;
        int line;
        const char *what;
    } cases[] = {
        {"", WW_EPARSE, 0, ""},
        {"not xml", WW_EPARSE, 1, ""},
        {ROOT LAUNCH SM0("<stat name=\"sm.rf.reed\" value=\"1\"/>") REST, WW_ENOTFOUND, 3,
         "did you mean 'sm.rf.read'?"},
        {ROOT LAUNCH SM0(
             "\n<stat name=\"sm.rf.read\" value=\"1\"/>\n<stat name=\"sm.rf.read\" value=\"1\"/>")
             REST,
         WW_ESCHEMA, 5, "twice"},
        {ROOT LAUNCH SM0("<stat name=\"sm.rf.read\" value=\"18446744073709551616\"/>") REST,
         WW_ERANGE, 3, ""},
        {ROOT LAUNCH SM0("<stat name=\"sm.rf.read\" value=\"-1\"/>") REST, WW_EPARSE, 3, ""},
        {ROOT LAUNCH SM0("<stat name=\"sm.rf.read\" value=\"1.5\"/>") REST, WW_EPARSE, 3, ""},
        {ROOT LAUNCH SM0("<stat name=\"sm.rf.read\"/>") REST, WW_ESCHEMA, 3, "value"},
        {ROOT LAUNCH SM0("<stat name=\"sm.rf.read\" valu=\"1\"/>") REST, WW_ESCHEMA, 3, "'value'"},
        {ROOT LAUNCH SM0("<stat name=\"channel.dram.read\" value=\"1\"/>") REST, WW_ESCHEMA, 3,
         "does not belong"},
        {ROOT LAUNCH SM0("<stat name=\"sm.ctas\" value=\"1\">5</stat>") REST, WW_ESCHEMA, 3, ""},
        {ROOT LAUNCH SM0("") SM0("") REST, WW_ESCHEMA, 4, "twice"},
        {ROOT LAUNCH "<component name=\"sm2\"/>" REST, WW_ERANGE, 3, "announces 2 sms"},
        {ROOT LAUNCH "<component name=\"chip0\"/>" REST, WW_ENOTFOUND, 3, ""},
        {ROOT LAUNCH "<component name=\"sm\"/>" REST, WW_ENOTFOUND, 3, ""},
        {ROOT LAUNCH "<component name=\"l2\"/>" REST, WW_ENOTFOUND, 3, ""},
        {ROOT LAUNCH REST, WW_ESCHEMA, 0, "lacks sm component 0"},
        {ROOT LAUNCH "<stat name=\"sm.ctas\" value=\"1\"/>" REST, WW_ESCHEMA, 3, "<component>"},
        {ROOT LAUNCH SM0("") "text" REST, WW_ESCHEMA, 0, "text"},
        {ROOT "<launch index=\"0\"/></activity>", WW_ESCHEMA, 2, "workload"},
        {ROOT LAUNCH SM0("") "<interval first=\"0\"/>" REST, WW_ESCHEMA, 4, "'last'"},
        {ROOT LAUNCH SM0("") "<interval first=\"0\" last=\"0\"/>" REST, WW_ERANGE, 4, "end later"},
        {ROOT LAUNCH SM0(
             "") "<interval first=\"0\" last=\"5\"/><interval first=\"6\" last=\"9\"/>" REST,
         WW_ERANGE, 4, "must begin at 5"},
        {ROOT LAUNCH SM0("") "<interval first=\"0\" last=\"5\">" SM0("") SM0("") "</interval>" REST,
         WW_ESCHEMA, 5, "twice"},
        {ROOT LAUNCH
             SM0("<stat name=\"sm.ctas\" value=\"1\"/>") "<interval first=\"0\" last=\"5\">" SM0(
                 "<stat name=\"sm.ctas\" value=\"2\"/>") "</interval>" REST,
         WW_ERANGE, 0, "count more"},
        {ROOT LAUNCH SM0("") "<interval first=\"0\" last=\"5\" core_hz=\"1e9\"/>" REST, WW_ESCHEMA,
         4, "'vdd_v'"},
        {ROOT LAUNCH SM0("") POINT("0", "5", "0", "1", "300") REST, WW_ERANGE, 4, "core_hz"},
        {ROOT LAUNCH SM0("") POINT("0", "5", "nan", "1", "300") REST, WW_EPARSE, 4, "core_hz"},
        {ROOT LAUNCH SM0("") POINT("0", "5", "1e9", "-1", "300") REST, WW_ERANGE, 4, "vdd_v"},
        {ROOT LAUNCH SM0("") POINT("0", "5", "1e9", "1", "inf") REST, WW_EPARSE, 4,
         "temperature_k"},
        {ROOT LAUNCH SM0("")
             POINT("0", "5", "1e9", "1", "300") "\n<interval first=\"5\" last=\"9\"/>" REST,
         WW_ESCHEMA, 5, "of some intervals"},
        {ROOT LAUNCH SM0("") "<interval first=\"0\" last=\"5\"/>\n" POINT("5", "9", "1e9", "1",
                                                                          "300") REST,
         WW_ESCHEMA, 5, "of some intervals"},
        {ROOT LAUNCH, WW_EPARSE, 0, ""},
        {ROOT LAUNCH SM0("") REST "<more/>", WW_EPARSE, 0, ""},
        {"<activity schema=\"2\" gpu=\"g\" config_hash=\"1\" sms=\"1\" slices=\"1\" "
         "channels=\"1\"/>",
         WW_EUNSUP, 1, "schema 2"},
        {"<activity schema=\"1\" gpu=\"g\" config_hash=\"1\" sms=\"4000000000\" slices=\"1\" "
         "channels=\"1\"/>",
         WW_ERANGE, 1, "sms"},
        {"<activitie/>", WW_ESCHEMA, 1, "<activity>"},
        {"<!DOCTYPE a [<!ENTITY x \"y\">]>\n" ROOT LAUNCH SM0("") REST, WW_EPARSE, 0,
         "document type"},
        {ROOT
         "<!-- -->\n<launch index=\"0\" workload=\"w\" kernel=\"k\" grid=\"1 2\" block=\"4 5 6\" "
         "registers=\"1\" shared_bytes=\"0\" ctas_per_sm=\"1\" "
         "occupancy_limit=\"threads\"/></activity>",
         WW_EPARSE, 3, "grid"},
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(cases); i++) {
        ww_error err = {0};
        ww_activity *read = NULL;
        ww_status status =
            ww_activity_parse("bad.xml", cases[i].text, strlen(cases[i].text), &read, &err);
        if (status != cases[i].status || (cases[i].line != 0 && err.line != cases[i].line) ||
            strstr(err.what, cases[i].what) == NULL || strcmp(err.file, "bad.xml") != 0 ||
            err.what[0] == '\0') {
            fail_msg("case %zu: status %d line %d file '%s': %s", i, (int)status, err.line,
                     err.file, err.what);
        }
    }
}

static void test_clocks_must_be_positive(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_counter_set set;
    assert_ok(ww_counter_set_init(&set, 1, 1, 1, &err), err);
    ww_launch_record launch = make_launch(&set, 0);
    launch.core_hz = 0;
    assert_int_equal(ww_activity_save(scratch_path(), "g", 0, &launch, 1, &err), WW_ENUMERIC);
    launch = make_launch(&set, 0);
    launch.kernel = "a\nb";
    assert_int_equal(ww_activity_save(scratch_path(), "g", 0, &launch, 1, &err), WW_ERANGE);
    assert_false(ww_file_exists(scratch_path()));
    ww_counter_set_fini(&set);
}

static void test_totals_that_overflow_are_refused(void **state)
{
    (void)state;
    static const char text[] = ROOT LAUNCH SM0(
        "<stat name=\"sm.ctas\" value=\"18446744073709551615\"/>") "<component name=\"sm1\"><stat "
                                                                   "name=\"sm.ctas\" "
                                                                   "value=\"1\"/></component>"
                                                                   "<component "
                                                                   "name=\"slice0\"/><component "
                                                                   "name=\"channel0\"/><component "
                                                                   "name=\"chip\"/></launch></"
                                                                   "activity>";
    ww_error err = {0};
    ww_activity *read;
    assert_int_equal(ww_activity_parse("t", text, sizeof text - 1, &read, &err), WW_ERANGE);
    assert_non_null(strstr(err.what, "sm.ctas"));
}

#define TOTAL(stats) "<component name=\"total\">" stats "</component>\n"

/* Who knows only totals gives them for all instances together, and nothing beside them. */
static void test_totals_stand_for_all_instances(void **state)
{
    (void)state;
    static const char text[] = ROOT LAUNCH TOTAL(
        "<stat name=\"sm.ctas\" value=\"7\"/><stat name=\"channel.dram.read\" value=\"5\"/>"
        "<stat name=\"chip.cycles.core\" value=\"9\"/>") "</launch></activity>";
    ww_error err = {0};
    ww_activity *read;
    assert_ok(ww_activity_parse("t", text, sizeof text - 1, &read, &err), err);
    const ww_counter_set *set = read->launches[0].counters;
    assert_int_equal(ww_counter_total(set, WW_C_CTAS), 7);
    assert_int_equal(ww_counter_total(set, WW_C_DRAM_RD), 5);
    assert_int_equal(ww_counter_total(set, WW_C_CORE_CYCLES), 9);
    assert_int_equal(ww_counter_total(set, WW_C_WARPS), 0);
    ww_activity_destroy(read);
    static const char before[] = ROOT LAUNCH SM0("") TOTAL("") REST;
    static const char behind[] = ROOT LAUNCH TOTAL("") SM0("") "</launch></activity>";
    static const char twice[] =
        ROOT LAUNCH TOTAL("<stat name=\"sm.ctas\" value=\"7\"/><stat name=\"sm.ctas\" "
                          "value=\"7\"/>") "</launch></activity>";
    assert_int_equal(ww_activity_parse("t", before, sizeof before - 1, &read, &err), WW_ESCHEMA);
    assert_non_null(strstr(err.what, "'total' goes with no other"));
    assert_int_equal(ww_activity_parse("t", behind, sizeof behind - 1, &read, &err), WW_ESCHEMA);
    assert_int_equal(ww_activity_parse("t", twice, sizeof twice - 1, &read, &err), WW_ESCHEMA);
}

/* Every allocation may fail without leak or crash (leaks show under the address sanitizer). */
static void test_memory_runs_out_cleanly(void **state)
{
    (void)state;
    static const char text[] = ROOT LAUNCH
        SM0("<stat name=\"sm.rf.read\" value=\"1\"/>") "<interval first=\"0\" last=\"5\">" SM0(
            "<stat name=\"sm.rf.read\" value=\"1\"/>") "</interval>" REST;
    ww_status status = WW_ENOMEM;
    for (size_t k = 1; k < 60 && status != WW_OK; k++) {
        ww_error err = {0};
        ww_activity *read = NULL;
        ww_mem_fail_after(k);
        status = ww_activity_parse("t", text, sizeof text - 1, &read, &err);
        ww_mem_fail_after(0);
        if (status == WW_OK) {
            ww_activity_destroy(read);
        } else {
            assert_int_equal(status, WW_ENOMEM);
        }
    }
    assert_int_equal(status, WW_OK);
}

static void test_missing_file(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_activity *read;
    assert_int_equal(ww_activity_load("no/such/activity.xml", &read, &err), WW_ENOTFOUND);
    assert_string_equal(err.file, "no/such/activity.xml");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip_is_exact),
        cmocka_unit_test(test_long_runs_fit),
        cmocka_unit_test(test_intervals_round_trip),
        cmocka_unit_test(test_intervals_are_compact),
        cmocka_unit_test(test_intervals_are_bounded),
        cmocka_unit_test(test_a_good_text_is_read),
        cmocka_unit_test(test_faults_are_located),
        cmocka_unit_test(test_clocks_must_be_positive),
        cmocka_unit_test(test_totals_that_overflow_are_refused),
        cmocka_unit_test(test_totals_stand_for_all_instances),
        cmocka_unit_test(test_memory_runs_out_cleanly),
        cmocka_unit_test(test_missing_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
