/* test_profile.c - counts by line of whole launches: are they conserved, the same for any number of
 * threads and with sampling, and do lines say where they come from? */
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "base/file.h"
#include "base/mem.h"
#include "counters/lines.h"
#include "perf/api/device.h"

/* Line 1 is the first of the text; the numbers below are lines. */
enum { LINE_LOAD = 13, LINE_USE = 15, SOURCE_LOAD = 7, SOURCE_USE = 8 };

static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                          ".visible .entry mix(.param .u64 p)\n{\n"
                          " .reg .b32 %r<12>;\n .reg .b64 %rd<6>;\n .shared .align 4 .b8 s[1024];\n"
                          " ld.param.u64 %rd1, [p];\n"
                          " mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; "
                          "mad.lo.u32 %r4, %r1, %r2, %r3; mul.wide.u32 %rd2, %r4, 4;\n"
                          " add.u64 %rd3, %rd1, %rd2;\n"
                          ".loc 1 7 3\n"
                          "\tld.global.u32\t%r5, [%rd3];  \n"
                          ".loc 1 8 3\n"
                          " mad.lo.u32 %r6, %r5, %r5, 7;\n"
                          " shl.b32 %r7, %r3, 2; mov.u32 %r8, s; add.u32 %r8, %r8, %r7;\n"
                          " st.shared.u32 [%r8], %r6;\n"
                          " bar.sync 0;\n"
                          " ld.shared.u32 %r9, [%r8];\n"
                          " red.global.add.u32 [%rd1], %r9;\n"
                          " ret;\n}\n"
                          ".file 1 \"mix.cu\"\n";

enum { THREADS = 64, WORDS = 64 * 4000 };

/* Totals of all launches. */
typedef struct totals {
    uint64_t v[WW_COUNTER_COUNT];
    unsigned launches, extrapolated;
} totals;

static ww_status add_up(void *user, const ww_launch_record *r, ww_error *err)
{
    totals *t = user;
    (void)err;
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        t->v[c] += ww_counter_total(r->counters, (ww_counter)c);
    }
    t->launches++;
    t->extrapolated += r->sampling.share > 0;
    return WW_OK;
}

static const ww_line_prices *odd_prices(void);

/* Launches the kernel on two SMs and leaves its lines. */
static void launch(const ww_device_options *how, unsigned launches, unsigned ctas, totals *t,
                   ww_lines *lines)
{
    static const ww_setting small[] = {{"sm.count", "2"}, {"sm.clusters", "2"}};
    ww_error err = {0};
    ww_arch *arch;
    ww_device *device;
    ww_module *module;
    ww_devptr p;
    ww_device_options options = *how;
    memset(t, 0, sizeof *t);
    options.profile = true;
    options.on_launch = add_up;
    options.user = t;
    assert_ok(ww_arch_load(WW_SOURCE_DIR "/configs/gpu/gtx480.xml", small, 2, &arch, &err), err);
    assert_ok(ww_device_create(arch, &options, &device, &err), err);
    assert_ok(ww_device_load_ptx(device, "mix.ptx", ptx, sizeof ptx - 1, &module, &err), err);
    assert_ok(ww_device_malloc(device, WORDS * 4, &p, &err), err);
    const void *args[] = {&p};
    for (unsigned i = 0; i < launches; i++) {
        assert_ok(ww_device_launch(device, module, "mix", (ww_dim3){ctas, 1, 1},
                                   (ww_dim3){THREADS, 1, 1}, 0, args, 1, &err),
                  err);
    }
    assert_ok(ww_device_lines(device, "test", odd_prices(), lines, &err), err);
    ww_device_destroy(device);
    ww_arch_destroy(arch);
}

/* Joules by counter that no two counters share: what is charged for one cannot stand for another.
 */
static const ww_line_prices *odd_prices(void)
{
    static ww_line_prices prices;
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        prices.j[c][c % WW_PART_COUNT] = 1 + 1.0 / (3 + c);
    }
    return &prices;
}

static void assert_joules_conserved(const ww_lines *lines, const totals *t)
{
    double sum = 0, total = 0;
    for (size_t i = 0; i < lines->count; i++) {
        sum += ww_line_j(&lines->line[i]);
    }
    for (int c = 0; c < WW_COUNTER_COUNT; c++) {
        total += (double)t->v[c] * odd_prices()->j[c][c % WW_PART_COUNT];
    }
    assert_near(sum, total, 1e-12, 0);
}

static void assert_conserved(const ww_lines *lines, const totals *t)
{
    if (lines->has_joules) {
        assert_joules_conserved(lines, t);
    }
    for (int c = 0; c < WW_LINE_AWAITED; c++) {
        uint64_t sum = 0;
        for (size_t i = 0; i < lines->count; i++) {
            sum += lines->line[i].count[c];
        }
        uint64_t total = t->v[ww_line_count_counter((ww_line_count)c)];
        if (sum != total) {
            fail_msg("%s: %llu by line, %llu in all", ww_line_count_name((ww_line_count)c),
                     (unsigned long long)sum, (unsigned long long)total);
        }
    }
}

static const ww_line *line_at(const ww_lines *lines, uint32_t number)
{
    for (size_t i = 0; i < lines->count; i++) {
        if (lines->line[i].line == number) {
            return &lines->line[i];
        }
    }
    fail_msg("no line %u", number);
    return NULL;
}

static void lines_are_conserved_and_named(void **state)
{
    (void)state;
    const ww_device_options plain = {0};
    totals t;
    ww_lines lines = {0};
    launch(&plain, 2, 50, &t, &lines);
    assert_conserved(&lines, &t);
    const ww_line *load = line_at(&lines, LINE_LOAD), *use = line_at(&lines, LINE_USE);
    assert_string_equal(load->text, "ld.global.u32 %r5, [%rd3];");
    assert_string_equal(load->kernel, "mix");
    assert_string_equal(load->file, "mix.ptx");
    assert_string_equal(load->source, "mix.cu");
    assert_int_equal(load->source_line, SOURCE_LOAD);
    assert_int_equal(use->source_line, SOURCE_USE);
    assert_int_equal(line_at(&lines, LINE_LOAD - 3)->source_line, 0);
    assert_int_equal(load->count[WW_LINE_WARP_INST], 2 * 50 * THREADS / 32);
    assert_int_equal(load->count[WW_LINE_THREAD_INST], 2 * 50 * THREADS);
    /* Cold lines from DRAM: what the use waits for is the load. */
    assert_true(use->count[WW_LINE_RAW_LONG] > 0);
    assert_true(load->count[WW_LINE_AWAITED] >= use->count[WW_LINE_RAW_LONG]);
    ww_lines_fini(&lines);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    ww_lines one = {0};
    totals t;
    const ww_device_options plain = {0};
    launch(&plain, 1, 100, &t, &one);
    for (unsigned threads = 2; threads <= 4; threads += 2) {
        const ww_device_options options = {.threads = threads};
        ww_lines many = {0};
        launch(&options, 1, 100, &t, &many);
        assert_int_equal(one.count, many.count);
        for (size_t i = 0; i < one.count; i++) {
            assert_memory_equal(one.line[i].count, many.line[i].count, sizeof one.line[i].count);
        }
        ww_lines_fini(&many);
    }
    ww_lines_fini(&one);
}

/* What was not simulated is dealt out to the lines, to the last slot. */
static void sampled_launches_are_conserved(void **state)
{
    (void)state;
    const ww_device_options ctas = {.sample_ctas = true, .sample_error = 0.2};
    const ww_device_options kernels = {.sample_kernels = true, .sample_error = 0.5};
    totals t;
    ww_lines lines = {0};
    launch(&ctas, 1, 3000, &t, &lines);
    assert_int_equal(t.extrapolated, 1);
    assert_conserved(&lines, &t);
    assert_int_equal(line_at(&lines, LINE_LOAD)->count[WW_LINE_WARP_INST], 3000 * THREADS / 32);
    ww_lines_fini(&lines);
    launch(&kernels, 12, 40, &t, &lines);
    assert_true(t.extrapolated > 0);
    assert_conserved(&lines, &t);
    ww_lines_fini(&lines);
}

/* Without time there are instructions, and no slots. */
static void functional_runs_count_instructions(void **state)
{
    (void)state;
    const ww_device_options functional = {.functional_only = true};
    totals t;
    ww_lines lines = {0};
    launch(&functional, 1, 50, &t, &lines);
    assert_conserved(&lines, &t);
    assert_int_equal(line_at(&lines, LINE_LOAD)->count[WW_LINE_WARP_INST], 50 * THREADS / 32);
    assert_int_equal(ww_line_slots(line_at(&lines, LINE_LOAD)), 0);
    ww_lines_fini(&lines);
}

/* A file holds what was written, and merges by line. */
static void files_keep_everything(void **state)
{
    (void)state;
    const ww_device_options plain = {0};
    ww_error err = {0};
    totals t;
    ww_lines lines = {0}, twice = {0};
    char path[] = "/tmp/ww-lines-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    launch(&plain, 1, 50, &t, &lines);
    assert_ok(ww_lines_write(&lines, path, &err), err);
    assert_ok(ww_lines_load(&twice, path, &err), err);
    assert_ok(ww_lines_load(&twice, path, &err), err);
    assert_int_equal(twice.count, lines.count);
    for (size_t i = 0; i < lines.count; i++) {
        const ww_line *a = &lines.line[i], *b = &twice.line[i];
        assert_string_equal(a->text, b->text);
        assert_string_equal(a->source, b->source);
        assert_int_equal(a->line, b->line);
        for (int c = 0; c < WW_LINE_COUNT; c++) {
            assert_int_equal(2 * a->count[c], b->count[c]);
        }
    }
    ww_lines_fini(&twice);
    ww_lines_fini(&lines);
    (void)remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_conserved_and_named),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(sampled_launches_are_conserved),
        cmocka_unit_test(functional_runs_count_instructions),
        cmocka_unit_test(files_keep_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
