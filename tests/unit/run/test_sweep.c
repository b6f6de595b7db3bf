/* test_sweep.c - does a sweep file mean what it says, and does its folder keep every finished run
 * and nothing else? */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "run/sweep.h"
#include "tests/support/growth.h"
#include "tests/support/folder.h"
#include "tests/support/test.h"

#define HEAD "<?xml version=\"1.0\"?>\n<sweep name=\"t\">\n"
#define TWO  "<workload name=\"vectoradd\" size=\"small\"/><workload name=\"matrixmul\"/>\n"

static ww_status parse(const char *text, ww_sweep **out, ww_error *err)
{
    return ww_sweep_parse("t.xml", text, strlen(text), "1", out, err);
}

static void runs_are_configurations_times_workloads(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_sweep *s = NULL;
    assert_ok(parse(HEAD "<configuration name=\"a\" gpu=\"gtx480\"/>\n"
                         "<configuration name=\"b\" gpu=\"gtx580\"><parameter key=\"sm.max_ctas\" "
                         "value=\"4\"/></configuration>" TWO "</sweep>",
                    &s, &err),
              err);
    assert_int_equal(s->run_count, 4);
    assert_string_equal(s->run[0].id, "a/vectoradd-small");
    assert_string_equal(s->run[3].id, "b/matrixmul-std");
    assert_int_equal(s->run[3].set->setting_count, 1);
    ww_sweep_destroy(s);
}

/* Configurations that all differ. */
static void parse_configurations(int count, void *data)
{
    (void)data;
    ww_error err = {0};
    ww_sweep *s = NULL;
    ww_str text = {0};
    ww_str_add(&text, HEAD);
    for (int i = 0; i < count; i++) {
        ww_str_addf(&text,
                    "<configuration name=\"c%d\" gpu=\"gtx480\"><parameter "
                    "key=\"chip.temperature_k\" value=\"%.4f\"/></configuration>\n",
                    i, 300 + i * 1e-3);
    }
    ww_str_add(&text, "<workload name=\"vectoradd\"/></sweep>");
    assert_ok(ww_sweep_parse("t.xml", ww_str_text(&text), text.len, "1", &s, &err), err);
    assert_int_equal(s->run_count, count);
    assert_true(count < 2 || s->run[0].config_hash != s->run[1].config_hash);
    ww_sweep_destroy(s);
    ww_str_fini(&text);
}

static void a_mebibyte_is_read_in_seconds(void **state)
{
    (void)state;
    assert_true(test_is_linear(parse_configurations, 1250, NULL));
    /* 10,000 of them are 1 MiB: what reading a description again for each would take is 50 times
     * this. */
    assert_true(test_seconds(parse_configurations, 10000, NULL) < 2 * TEST_SLOWDOWN);
}

/* A description that is read once gives the machine that reading it each time does. */
static void machines_do_not_depend_on_what_was_read_before(void **state)
{
    (void)state;
    static const ww_setting settings[] = {
        {"mech.active", "nlp"}, {"sm.max_ctas", "4"}, {"clock.core_hz", "500 MHz"}};
    ww_arch_family family = {0};
    ww_error err = {0};
    for (size_t count = 0; count <= 3; count++) {
        for (int again = 0; again < 2; again++) {
            ww_arch *alone = NULL, *member = NULL;
            assert_ok(ww_arch_load("gtx480", settings, count, &alone, &err), err);
            assert_ok(ww_arch_family_load(&family, "gtx480", settings, count, &member, &err), err);
            assert_true(alone->config_hash == member->config_hash);
            assert_true(alone->mechs == member->mechs);
            assert_memory_equal(&alone->reference, &member->reference, sizeof alone->reference);
            assert_string_equal(ww_arch_name(alone), ww_arch_name(member));
            ww_arch_destroy(alone);
            ww_arch_destroy(member);
        }
    }
    assert_int_equal(family.bases.count, 2);
    static const ww_setting wrong[] = {{"sm.max_warps", "-1"}};
    ww_arch *none = NULL;
    assert_int_equal(ww_arch_family_load(&family, "gtx480", wrong, 1, &none, &err), WW_ERANGE);
    assert_int_equal(ww_arch_family_load(&family, "no-such", NULL, 0, &none, &err), WW_ENOTFOUND);
    ww_arch_family_fini(&family);
}

/* Parameters of a workload, workloads of a configuration, and what both make of a run. */
static void workloads_may_differ(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_sweep *s = NULL;
    assert_ok(parse(HEAD "<configuration name=\"a\" gpu=\"gtx480\"/>"
                         "<configuration name=\"b\" gpu=\"gtx480\" only=\"fast HS\"/>"
                         "<workload name=\"hotspot\" label=\"HS\"/>"
                         "<workload name=\"bfs\" class=\"slow graph\"/>"
                         "<workload name=\"lib\" class=\"new fast\" max_instructions=\"7\">"
                         "<parameter key=\"sm.max_ctas\" value=\"4\"/></workload></sweep>",
                    &s, &err),
              err);
    assert_int_equal(s->run_count, 5);
    assert_string_equal(s->run[3].id, "b/hotspot-std");
    assert_string_equal(s->run[4].id, "b/lib-std");
    assert_int_equal(s->run[4].setting_count, 1);
    assert_string_equal(s->run[4].settings[0].value, "4");
    assert_non_null(strstr(s->run[4].spec, "max_instructions 7\n"));
    assert_true(s->run[0].config_hash == s->run[1].config_hash);
    assert_true(s->run[2].config_hash != s->run[1].config_hash);
    assert_true(ww_sweep_item_in(&s->item[1], "HS graph"));
    assert_false(ww_sweep_item_in(&s->item[1], "gra slowly"));
    assert_true(ww_sweep_item_in(&s->item[0], "hotspot"));
    ww_sweep_destroy(s);
}

/* Whatever changes results is in a run's definition: two sweeps that differ in one thing have
 * definitions that differ, and none is another's. */
static void each_of_what_changes_results_is_in_the_definition(void **state)
{
    (void)state;
    static const struct {
        const char *sweep, *gpu, *workload, *version;
    } kinds[] = {
        {"", "gtx480", "name=\"bfs\"", "1"},
        {"isa=\"ptx\"", "gtx480", "name=\"bfs\"", "1"},
        {"interval=\"500\"", "gtx480", "name=\"bfs\"", "1"},
        {"interval=\"501\"", "gtx480", "name=\"bfs\"", "1"},
        {"max_cycles=\"500\"", "gtx480", "name=\"bfs\"", "1"},
        {"max_instructions=\"500\"", "gtx480", "name=\"bfs\"", "1"},
        {"sample=\"ctas\"", "gtx480", "name=\"bfs\"", "1"},
        {"sample=\"time\"", "gtx480", "name=\"bfs\"", "1"},
        {"sample=\"kernels\"", "gtx480", "name=\"bfs\"", "1"},
        {"sample=\"auto\"", "gtx480", "name=\"bfs\"", "1"},
        {"sample=\"fast\"", "gtx480", "name=\"bfs\"", "1"},
        {"sample=\"auto:2%\"", "gtx480", "name=\"bfs\"", "1"},
        {"", "gtx580", "name=\"bfs\"", "1"},
        {"", "gtx480", "name=\"scan\"", "1"},
        {"", "gtx480", "name=\"bfs\" size=\"small\"", "1"},
        {"", "gtx480", "name=\"bfs\" max_instructions=\"501\"", "1"},
        {"", "gtx480", "name=\"bfs\"", "2"},
    };
    ww_error err = {0};
    ww_sweep *s[WW_ARRAY_LEN(kinds)];
    for (size_t i = 0; i < WW_ARRAY_LEN(kinds); i++) {
        char text[512];
        int n = snprintf(text, sizeof text,
                         "<sweep name=\"t\" %s><configuration name=\"a\" gpu=\"%s\"/>"
                         "<workload %s/></sweep>",
                         kinds[i].sweep, kinds[i].gpu, kinds[i].workload);
        assert_ok(ww_sweep_parse("t.xml", text, (size_t)n, kinds[i].version, &s[i], &err), err);
        for (size_t k = 0; k < i; k++) {
            if (strcmp(s[i]->run[0].spec, s[k]->run[0].spec) == 0) {
                fail_msg("%zu and %zu have one definition: %s", k, i, s[i]->run[0].spec);
            }
        }
    }
    for (size_t i = 0; i < WW_ARRAY_LEN(kinds); i++) {
        ww_sweep_destroy(s[i]);
    }
}

static void varying_makes_every_combination(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_sweep *s = NULL;
    assert_ok(parse(HEAD "<configuration name=\"a\" gpu=\"gtx580\">"
                         "<vary key=\"sm.max_ctas\" values=\"4, 8,16\"/>"
                         "<parameter key=\"sm.schedulers\" value=\"2\"/>"
                         "<vary key=\"sm.shared_bytes\" values=\"16 KiB,48 KiB\"/>"
                         "</configuration><workload name=\"bfs\"/></sweep>",
                    &s, &err),
              err);
    assert_int_equal(s->set_count, 6);
    assert_string_equal(s->set[0].name, "a,sm.max_ctas=4,sm.shared_bytes=16_KiB");
    assert_string_equal(s->set[5].name, "a,sm.max_ctas=16,sm.shared_bytes=48_KiB");
    assert_string_equal(s->set[5].settings[2].value, "48 KiB");
    for (size_t i = 1; i < s->run_count; i++) { /* other machines, other definitions */
        assert_string_not_equal(s->run[i - 1].spec, s->run[i].spec);
    }
    ww_sweep_destroy(s);
}

/* Of two machines one lacks what the workload uses: the other runs it. */
static void what_a_machine_cannot_run_is_left_out(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_sweep *s = NULL;
    const char *text =
        HEAD "<configuration name=\"a\" gpu=\"gtx480\"/><configuration name=\"b\" "
             "gpu=\"h100\"/><workload name=\"hopper-matmul\"/><workload name=\"bfs\"/></sweep>";
    assert_ok(ww_sweep_parse("t.xml", text, strlen(text), "v", &s, &err), err);
    assert_int_equal(s->run_count, 4);
    assert_non_null(strstr(s->run[0].left_out, "needs compute capability 9.0, gtx480 has 2.0"));
    assert_null(s->run[0].spec);
    for (size_t i = 1; i < 4; i++) {
        assert_null(s->run[i].left_out);
        assert_non_null(s->run[i].spec);
    }
    ww_sweep_destroy(s);
}

static void faults_are_located(void **state)
{
    static const struct {
        const char *text, *says;
        int line;
    } faulty[] = {
        {HEAD "<configuration name=\"a\" gpu=\"gtx480\"/>\n<workload name=\"bsf\"/></sweep>",
         "did you mean 'bfs'", 4},
        {HEAD "<configuration name=\"a\" gpu=\"gtx480\"/>\n<workload name=\"bfs\"/><workload "
              "name=\"all\"/></sweep>",
         "there twice", 4},
        {HEAD "<configuration name=\"../a\" gpu=\"gtx480\"/>" TWO "</sweep>", "", 3},
        {HEAD "<configuration name=\"a\" gpu=\"gtx480\"><vary key=\"sm.max_ctas\" "
              "values=\"4,,8\"/></configuration>" TWO "</sweep>",
         "separated by commas", 3},
        {HEAD "<configuration name=\"a\" gpu=\"gtx480\"><vary key=\"sm.max_ctas\" "
              "values=\"4,4\"/></configuration>" TWO "</sweep>",
         "two configurations", 3},
        {HEAD "<configuration name=\"a\" gpu=\"gtx999\"/>" TWO "</sweep>",
         "configuration 'a': ", 0},
        {HEAD "<configuration name=\"a\" gpu=\"gtx480\"><parameter key=\"sm.max_cats\" "
              "value=\"4\"/></configuration>" TWO "</sweep>",
         "sm.max_ctas", 0},
        {HEAD TWO "</sweep>", "needs a configuration", 2},
        {"<sweep name=\"t\" sample=\"auto\" interval=\"9\"><configuration name=\"a\" "
         "gpu=\"gtx480\"/>" TWO "</sweep>",
         "does not go", 1},
        {"<sweep name=\"t\" sample=\"auto:60%\"><configuration name=\"a\" gpu=\"gtx480\"/>" TWO
         "</sweep>",
         "up to 50%", 1},
        {"<sweep name=\"t\" sample=\"some:5%\"><configuration name=\"a\" gpu=\"gtx480\"/>" TWO
         "</sweep>",
         "some:5%", 1},
        {HEAD "<configuration name=\"a\" gpu=\"gtx480\"><chosen key=\"sm.max_ctas\" "
              "by=\"best\"/></configuration>" TWO "</sweep>",
         "no choice 'best' stands before", 3},
        {HEAD "<choice name=\"best\" of=\"b\"/><configuration name=\"a\" gpu=\"gtx480\"><chosen "
              "key=\"sm.max_ctas\" by=\"best\"/></configuration>" TWO "</sweep>",
         "there is no configuration 'b'", 2},
        {HEAD
         "<choice name=\"best\" of=\"b\"/><configuration name=\"b\" "
         "gpu=\"gtx480\"/><configuration name=\"a\" gpu=\"gtx480\"><chosen key=\"sm.max_ctas\" "
         "by=\"best\"/></configuration>" TWO "</sweep>",
         "is not set by configuration 'b'", 2},
        {"<sweep name=\"t\" jobs=\"4\"><workload name=\"bfs\"/><workload name=\"all\"/></sweep>",
         "jobs", 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof faulty / sizeof *faulty; i++) {
        ww_error err = {0};
        ww_sweep *s = NULL;
        ww_status status = parse(faulty[i].text, &s, &err);
        if (status == WW_OK || strstr(err.what, faulty[i].says) == NULL ||
            (faulty[i].line != 0 && err.line != faulty[i].line)) {
            fail_msg("case %zu: status %d, line %d: %s", i, (int)status, err.line, err.what);
        }
    }
}

/* ---- the folder ---- */

static ww_sweep *small_sweep(const char *dir)
{
    static const char text[] = HEAD "<configuration name=\"a\" gpu=\"gtx480\"/>"
                                    "<workload name=\"vectoradd\" size=\"small\"/></sweep>";
    char path[256];
    ww_error err = {0};
    ww_sweep *s = NULL;
    snprintf(path, sizeof path, "%s/in.xml", dir);
    assert_ok(ww_write_file(path, text, sizeof text - 1, &err), err);
    assert_ok(ww_sweep_load(path, "1", &s, &err), err);
    assert_ok(ww_sweep_prepare(s, dir, &err), err);
    return s;
}

static ww_sweep_state state_of(const char *dir, const ww_sweep *s)
{
    ww_error err = {0};
    ww_sweep_state state;
    assert_ok(ww_sweep_run_state(dir, &s->run[0], &state, &err), err);
    return state;
}

static void a_run_has_one_owner(void **state)
{
    const char *dir = *state;
    ww_sweep *s = small_sweep(dir);
    ww_sweep_claim mine, other;
    ww_error err = {0};
    assert_int_equal(state_of(dir, s), WW_SWEEP_TODO);
    assert_ok(ww_sweep_claim_run(dir, &s->run[0], &mine, &err), err);
    assert_true(mine.lock >= 0);
    assert_ok(ww_sweep_claim_run(dir, &s->run[0], &other, &err), err);
    assert_int_equal(other.lock, -1);
    assert_int_equal(state_of(dir, s), WW_SWEEP_RUNNING);
    ww_sweep_release(&mine);
    assert_int_equal(state_of(dir, s), WW_SWEEP_TODO);
    ww_sweep_destroy(s);
}

static void the_death_of_an_owner_frees_its_run(void **state)
{
    const char *dir = *state;
    ww_sweep *s = small_sweep(dir);
    pid_t owner = fork();
    if (owner == 0) { /* claims, begins to write, and dies */
        ww_sweep_claim claim;
        char path[300];
        WW_DROP(ww_sweep_claim_run(dir, &s->run[0], &claim, NULL));
        snprintf(path, sizeof path, "%s/kernels.csv", claim.partial);
        WW_DROP(ww_write_file(path, "half", 4, NULL)); /* what it finds tells */
        _exit(0);
    }
    waitpid(owner, NULL, 0);
    assert_int_equal(state_of(dir, s), WW_SWEEP_TODO);
    ww_sweep_claim mine;
    ww_error err = {0};
    char left[300];
    assert_ok(ww_sweep_claim_run(dir, &s->run[0], &mine, &err), err);
    assert_true(mine.lock >= 0);
    snprintf(left, sizeof left, "%s/kernels.csv", mine.partial);
    assert_false(ww_file_exists(left)); /* nothing of the dead one's */
    ww_sweep_release(&mine);
    ww_sweep_destroy(s);
}

/* Its result says of which sweep it is, and which of its runs. */
static void a_run_says_what_it_was_for(void **state)
{
    const char *dir = *state;
    ww_sweep *s = small_sweep(dir);
    ww_error err = {0};
    bool ran = false;
    char path[300], *text = NULL;
    size_t length;
    assert_ok(ww_sweep_execute(s, dir, &s->run[0], "1", &ran, &err), err);
    snprintf(path, sizeof path, "%s/a/vectoradd-small/run.json", dir);
    assert_ok(ww_read_file(path, 1 << 24, &text, &length, &err), err);
    assert_non_null(strstr(text, "\"warpwatt sweep t (a/vectoradd-small)\""));
    ww_free(text);
    ww_sweep_destroy(s);
}

static void what_is_done_stays_done(void **state)
{
    const char *dir = *state;
    ww_sweep *s = small_sweep(dir);
    ww_error err = {0};
    bool ran = false;
    assert_ok(ww_sweep_execute(s, dir, &s->run[0], "1", &ran, &err), err);
    assert_true(ran);
    assert_int_equal(state_of(dir, s), WW_SWEEP_DONE);
    assert_ok(ww_sweep_execute(s, dir, &s->run[0], "1", &ran, &err), err);
    assert_false(ran);
    ww_sweep_destroy(s);
}

/* A daemon's descriptors may begin at 0: that one, too, holds a run. */
static void any_descriptor_holds_a_run(void **state)
{
    const char *dir = *state;
    ww_sweep *s = small_sweep(dir);
    ww_error err = {0};
    bool ran = false;
    const int kept = dup(STDIN_FILENO);
    close(STDIN_FILENO);
    const ww_status status = ww_sweep_execute(s, dir, &s->run[0], "1", &ran, &err);
    if (kept >= 0) {
        assert_int_equal(dup2(kept, STDIN_FILENO), STDIN_FILENO);
        close(kept);
    }
    assert_ok(status, err);
    assert_true(ran);
    ww_sweep_destroy(s);
}

static void results_of_another_definition_are_refused(void **state)
{
    const char *dir = *state;
    ww_sweep *s = small_sweep(dir), *newer = NULL;
    ww_error err = {0};
    bool ran = false;
    ww_sweep_state unused;
    assert_ok(ww_sweep_execute(s, dir, &s->run[0], "1", &ran, &err), err);
    assert_ok(ww_sweep_load(s->file, "2", &newer, &err), err); /* another version of WarpWatt */
    assert_int_equal(ww_sweep_run_state(dir, &newer->run[0], &unused, &err), WW_ESCHEMA);
    assert_non_null(strstr(err.what, "a/vectoradd-small"));
    ww_sweep_destroy(newer);
    ww_sweep_destroy(s);
}

static void a_failed_run_says_so_and_is_tried_again(void **state)
{
    const char *dir = *state;
    ww_sweep *s = small_sweep(dir);
    ww_error err = {0};
    bool ran = false;
    s->max_cycles = 10; /* no launch is that short */
    assert_int_equal(ww_sweep_execute(s, dir, &s->run[0], "1", &ran, &err), WW_EDEADLOCK);
    assert_int_equal(state_of(dir, s), WW_SWEEP_FAILED);
    s->max_cycles = 0;
    assert_ok(ww_sweep_execute(s, dir, &s->run[0], "1", &ran, &err), err);
    assert_int_equal(state_of(dir, s), WW_SWEEP_DONE);
    ww_sweep_destroy(s);
}

static void a_pool_does_every_run_and_counts_failures(void **state)
{
    const char *dir = *state;
    ww_sweep *s = small_sweep(dir);
    ww_sweep_progress end;
    ww_error err = {0};
    s->max_cycles = 10;
    assert_ok(ww_sweep_pool(s, dir, "1", 3, NULL, NULL, &end, &err), err);
    assert_int_equal(end.failed, 1);
    s->max_cycles = 0;
    assert_ok(ww_sweep_pool(s, dir, "1", 3, NULL, NULL, &end, &err), err);
    assert_int_equal(end.failed, 0);
    assert_int_equal(end.done, 1);
    ww_sweep_destroy(s);
}

/* Kills the first process that this one has started, once. */
static void kill_a_run(void *user, const ww_sweep_progress *p)
{
    bool *done = user;
    char path[64], text[64] = "";
    (void)p;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = *done ? NULL : fopen(path, "r");
    if (file != NULL) {
        *done = fgets(text, sizeof text, file) != NULL &&
                kill((pid_t)strtol(text, NULL, 10), SIGKILL) == 0;
        fclose(file);
    }
}

/* A process that dies without a word is a failed run, and its log of failure has the signal. */
static void a_run_that_dies_says_of_what(void **state)
{
    const char *dir = *state;
    ww_sweep *s = small_sweep(dir);
    ww_sweep_progress end;
    ww_error err = {0};
    bool killed = false;
    char path[300], *text = NULL;
    size_t length;
    s->item[0].size = WW_SIZE_STUDY; /* it does not end by itself before */
    assert_ok(ww_sweep_pool(s, dir, "1", 1, kill_a_run, &killed, &end, &err), err);
    if (killed) { /* where the system tells who was started */
        assert_int_equal(end.failed, 1);
        assert_int_equal(end.done, 0);
        assert_int_equal(state_of(dir, s), WW_SWEEP_FAILED);
        snprintf(path, sizeof path, "%s/.work/a@vectoradd-small.failed", dir);
        assert_ok(ww_read_file(path, 1000, &text, &length, &err), err);
        assert_non_null(strstr(text, "signal 9"));
        ww_free(text);
    }
    ww_sweep_destroy(s);
}

/* Told to end, a pool ends its runs: nothing of them is left, none has failed, all are to do. */
static void a_pool_that_is_told_to_end_leaves_nothing(void **state)
{
    const char *dir = *state;
    ww_sweep *s = small_sweep(dir);
    ww_sweep_progress end;
    ww_error err = {0};
    static const volatile sig_atomic_t now = 1;
    char path[300];
    s->stop = &now;
    s->item[0].size = WW_SIZE_STUDY;
    assert_int_equal(ww_sweep_pool(s, dir, "1", 1, NULL, NULL, &end, &err), WW_EINTERRUPTED);
    assert_int_equal(state_of(dir, s), WW_SWEEP_TODO);
    snprintf(path, sizeof path, "%s/.work/a@vectoradd-small.partial", dir);
    assert_false(ww_dir_exists(path));
    ww_sweep_destroy(s);
}

/* sbatch puts things in for a percent sign. */
static void a_batch_script_doubles_percent_signs(void **state)
{
    const char *dir = *state;
    ww_sweep *s = small_sweep(dir);
    ww_str text = {0};
    ww_error err = {0};
    assert_ok(ww_sweep_slurm_script(s, "/s.xml", "/50%j", "/bin/warpwatt", 1, NULL, 0, &text, &err),
              err);
    assert_non_null(strstr(ww_str_text(&text), "--output=/50%%j/logs/slurm-%A_%a.out\n"));
    assert_non_null(strstr(ww_str_text(&text), "--out '/50%j'"));
    ww_str_fini(&text);
    ww_sweep_destroy(s);
}

static void a_batch_script_quotes_what_the_shell_would_read(void **state)
{
    const char *dir = *state;
    ww_sweep *s = small_sweep(dir);
    ww_str text = {0};
    ww_error err = {0};
    static const char *const options[] = {"--partition=long"}, *const broken[] = {"--a\n--b"};
    assert_ok(ww_sweep_slurm_script(s, "/a b/it's.xml", "/out", "/bin/warpwatt", 7, options, 1,
                                    &text, &err),
              err);
    assert_non_null(strstr(ww_str_text(&text), "#SBATCH --array=0-6\n"));
    assert_non_null(strstr(ww_str_text(&text), "#SBATCH --partition=long\n"));
    assert_non_null(strstr(ww_str_text(&text), "sweep '/a b/it'\\''s.xml' --out '/out'"));
    ww_str_clear(&text);
    assert_int_equal(ww_sweep_slurm_script(s, "/s.xml", "/o", "/w", 1, broken, 1, &text, &err),
                     WW_EUSAGE);
    assert_int_equal(ww_sweep_slurm_script(s, "/s.xml", "/o p", "/w", 1, options, 1, &text, &err),
                     WW_ERANGE);
    ww_str_fini(&text);
    ww_sweep_destroy(s);
}

static void sampling_is_read(void **state)
{
    static const struct {
        const char *sample;
        bool ctas, kernels;
        double error;
    } cases[] = {{"auto", true, true, 0},
                 {"auto:5%", true, true, 0.05},
                 {"ctas:2.5%", true, false, 0.025},
                 {"kernels:1%", false, true, 0.01}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ww_error err = {0};
        ww_sweep *s = NULL;
        char text[512];
        snprintf(text, sizeof text,
                 "<sweep name=\"t\" sample=\"%s\"><configuration name=\"a\" gpu=\"gtx480\"/>" TWO
                 "</sweep>",
                 cases[i].sample);
        assert_ok(parse(text, &s, &err), err);
        assert_int_equal(s->sample_ctas, cases[i].ctas);
        assert_int_equal(s->sample_kernels, cases[i].kernels);
        assert_near(s->sample_error, cases[i].error, 1e-12, 0);
        ww_sweep_destroy(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sampling_is_read),
        cmocka_unit_test(runs_are_configurations_times_workloads),
        cmocka_unit_test(a_mebibyte_is_read_in_seconds),
        cmocka_unit_test(machines_do_not_depend_on_what_was_read_before),
        cmocka_unit_test(workloads_may_differ),
        cmocka_unit_test(each_of_what_changes_results_is_in_the_definition),
        cmocka_unit_test(varying_makes_every_combination),
        cmocka_unit_test(what_a_machine_cannot_run_is_left_out),
        cmocka_unit_test(faults_are_located),
        IN_FOLDER(a_run_has_one_owner),
        IN_FOLDER(the_death_of_an_owner_frees_its_run),
        IN_FOLDER(a_run_says_what_it_was_for),
        IN_FOLDER(what_is_done_stays_done),
        IN_FOLDER(any_descriptor_holds_a_run),
        IN_FOLDER(results_of_another_definition_are_refused),
        IN_FOLDER(a_failed_run_says_so_and_is_tried_again),
        IN_FOLDER(a_pool_does_every_run_and_counts_failures),
        IN_FOLDER(a_run_that_dies_says_of_what),
        IN_FOLDER(a_pool_that_is_told_to_end_leaves_nothing),
        IN_FOLDER(a_batch_script_doubles_percent_signs),
        IN_FOLDER(a_batch_script_quotes_what_the_shell_would_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
