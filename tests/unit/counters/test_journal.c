/* test_journal.c - is a journal the file that writing all launches at once gives, and what is left
 * of it when its writer dies at any byte? */
#include "counters/journal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "tests/support/test.h"

enum { LAUNCHES = 4, MOST_BYTES = 1 << 24 };

static ww_counter_set sets[LAUNCHES];
static ww_launch_record launches[LAUNCHES];
static char path[64], other[64];

/* Launches of a GPU of that many SMs, of all of whose counters one in `spread` is not 0. */
static void make_launches(uint32_t sms, unsigned spread)
{
    ww_error err = {0};
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        assert_ok(ww_counter_set_init(&sets[i], sms, 2, 1, &err), err);
        for (int c = 0; c < WW_COUNTER_COUNT; c++) {
            ww_scope scope = ww_counter_describe((ww_counter)c)->scope;
            for (uint32_t k = 0; k < sets[i].count[scope]; k++) {
                sets[i].block[scope][k].v[c] =
                    ((unsigned)c + k) % spread == 0 ? 1000 * i + (unsigned)c : 0;
            }
        }
        launches[i] = (ww_launch_record){.kernel = i == 2 ? "</launch>  " : "k",
                                         .workload = "journal",
                                         .launch_index = i,
                                         .grid = {i + 1, 1, 1},
                                         .block = {32, 1, 1},
                                         .occupancy_limit = "ctas",
                                         .core_hz = 1e9,
                                         .icnt_hz = 1e9,
                                         .l2_hz = 1e9,
                                         .dram_hz = 1e9,
                                         .vdd_v = 1,
                                         .temperature_k = 300,
                                         .counters = &sets[i]};
    }
}

static void release_launches(void)
{
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        ww_counter_set_fini(&sets[i]);
    }
}

/* Writes that many launches and leaves the journal open. */
static ww_journal *begin_journal(size_t count)
{
    ww_error err = {0};
    ww_journal *journal;
    assert_ok(ww_journal_create(path, "gtx580", 7, &journal, &err), err);
    for (size_t i = 0; i < count; i++) {
        assert_ok(ww_journal_add(journal, &launches[i], &err), err);
    }
    return journal;
}

static void write_journal(size_t count)
{
    ww_error err = {0};
    assert_ok(ww_journal_close(begin_journal(count), &err), err);
}

static char *read_all(const char *file, size_t *length)
{
    ww_error err = {0};
    char *text;
    assert_ok(ww_read_file(file, MOST_BYTES, &text, length, &err), err);
    return text;
}

static void is_the_file_written_at_once(void **state)
{
    (void)state;
    ww_error err = {0};
    size_t a_length, b_length;
    make_launches(3, 4);
    write_journal(LAUNCHES);
    assert_ok(ww_activity_save(other, "gtx580", 7, launches, LAUNCHES, &err), err);
    char *a = read_all(path, &a_length), *b = read_all(other, &b_length);
    assert_int_equal(a_length, b_length);
    assert_memory_equal(a, b, a_length);
    assert_ok(ww_journal_mend(path, &err), err); /* what is whole stays */
    char *c = read_all(path, &b_length);
    assert_int_equal(a_length, b_length);
    assert_memory_equal(a, c, a_length);
    ww_free(a);
    ww_free(b);
    ww_free(c);
    release_launches();
}

/* Cuts a whole file at a byte, mends it, and says how many launches it holds. */
static size_t mend_at(const char *text, size_t length)
{
    ww_error err = {0};
    ww_activity *activity;
    assert_ok(ww_write_file(path, text, length, &err), err);
    ww_status status = ww_journal_mend(path, &err);
    if (status == WW_ENOTFOUND) {
        return 0;
    }
    assert_ok(status, err);
    assert_ok(ww_activity_load(path, &activity, &err), err);
    size_t count = activity->launch_count;
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(activity->launches[i].kernel, launches[i].kernel);
        assert_int_equal(activity->launches[i].launch_index, i);
        assert_int_equal(ww_counter_total(activity->launches[i].counters, WW_C_CORE_CYCLES),
                         ww_counter_total(launches[i].counters, WW_C_CORE_CYCLES));
    }
    ww_activity_destroy(activity);
    return count;
}

static size_t complete_launches(const char *text, size_t length)
{
    static const char end[] = "\n  </launch>\n";
    size_t count = 0;
    for (size_t i = 0; i + sizeof end - 1 <= length; i++) {
        count += memcmp(text + i, end, sizeof end - 1) == 0;
    }
    return count;
}

static void check_cuts(uint32_t sms, unsigned spread, size_t step)
{
    size_t length, seen[LAUNCHES + 1] = {0};
    make_launches(sms, spread);
    write_journal(LAUNCHES);
    char *text = read_all(path, &length);
    for (size_t cut = 0; cut <= length; cut += step) {
        size_t count = mend_at(text, cut);
        assert_int_equal(count, complete_launches(text, cut));
        seen[count]++;
    }
    seen[mend_at(text, length)]++;
    for (size_t i = 0; i <= LAUNCHES; i++) {
        assert_true(seen[i] > 0);
    }
    ww_free(text);
    release_launches();
}

static void survives_a_cut_anywhere(void **state)
{
    (void)state;
    check_cuts(1, 97, 7);
}

/* A launch is larger than what is looked at at a time. */
static void survives_a_cut_in_a_large_launch(void **state)
{
    (void)state;
    check_cuts(40, 2, 30011);
}

/* Whoever dies has not closed the file; every launch is in it all the same. */
static void is_written_as_it_grows(void **state)
{
    (void)state;
    size_t length;
    make_launches(1, 50);
    for (size_t n = 0; n <= LAUNCHES; n++) {
        ww_journal *journal = begin_journal(n);
        char *text = read_all(path, &length); /* as it is when its process is killed now */
        assert_int_equal(mend_at(text, length), n);
        ww_free(text);
        assert_int_equal(ww_journal_close(journal, NULL), WW_OK);
    }
    release_launches();
}

static void refuses_what_a_file_cannot_carry(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_journal *journal;
    ww_activity *activity;
    make_launches(1, 50);
    assert_int_equal(ww_journal_create("no/such/folder", "g", 1, &journal, &err), WW_EIO);
    assert_int_equal(ww_journal_create(path, "g\n", 1, &journal, &err), WW_ERANGE);
    assert_ok(ww_journal_create(path, "gtx580", 1, &journal, &err), err);
    launches[1].kernel = "\n  </launch>\n"; /* would be taken for an end */
    assert_ok(ww_journal_add(journal, &launches[0], &err), err);
    assert_int_equal(ww_journal_add(journal, &launches[1], &err), WW_ERANGE);
    assert_ok(ww_journal_add(journal, &launches[2], &err), err);
    assert_ok(ww_journal_close(journal, &err), err);
    assert_ok(ww_activity_load(path, &activity, &err), err);
    assert_int_equal(activity->launch_count, 2);
    assert_int_equal(activity->launches[1].launch_index, 1);
    ww_activity_destroy(activity);
    assert_ok(ww_journal_close(NULL, &err), err);
    assert_int_equal(ww_journal_mend("no/such/file", &err), WW_EIO);
    release_launches();
}

static int remove_files(void **state)
{
    (void)state;
    (void)unlink(path);
    (void)unlink(other);
    return 0;
}

int main(void)
{
    snprintf(path, sizeof path, "journal_%ld.xml", (long)getpid());
    snprintf(other, sizeof other, "journal_%ld_other.xml", (long)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_file_written_at_once),
        cmocka_unit_test(survives_a_cut_anywhere),
        cmocka_unit_test(survives_a_cut_in_a_large_launch),
        cmocka_unit_test(is_written_as_it_grows),
        cmocka_unit_test(refuses_what_a_file_cannot_carry),
    };
    return cmocka_run_group_tests(tests, NULL, remove_files);
}
