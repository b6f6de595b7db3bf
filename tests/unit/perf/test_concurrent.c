/* test_concurrent.c - kernels of several streams: do they overlap, wait for each other, keep to
 * their SMs, and leave the same results and counts however they are simulated? */
#include "tests/support/test.h"

#include <string.h>

#include "arch/arch.h"
#include "counters/counters.h"
#include "perf/api/device.h"

/* spin: `loops` trips of a loop, then p[ctaid * ntid + tid] += add. */
static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry spin(.param .u64 p, .param .u32 loops, .param .u32 add)\n"
    "{\n .reg .pred %p<2>;\n .reg .b32 %r<9>;\n .reg .b64 %rd<5>;\n"
    " ld.param.u64 %rd1, [p];\n ld.param.u32 %r1, [loops];\n ld.param.u32 %r2, [add];\n"
    " mov.u32 %r3, %ctaid.x;\n mov.u32 %r4, %ntid.x;\n mov.u32 %r5, %tid.x;\n"
    " mad.lo.u32 %r6, %r3, %r4, %r5;\n"
    "L:\n sub.u32 %r1, %r1, 1;\n setp.ne.u32 %p1, %r1, 0;\n @%p1 bra L;\n"
    " cvta.to.global.u64 %rd2, %rd1;\n mul.wide.u32 %rd3, %r6, 4;\n add.s64 %rd4, %rd2, %rd3;\n"
    " ld.global.u32 %r7, [%rd4];\n add.u32 %r8, %r7, %r2;\n st.global.u32 [%rd4], %r8;\n"
    " ret;\n}\n";

enum { THREADS = 64, MOST_CTAS = 64, MOST = 4, WINDOW = 64 };

typedef struct fixture {
    ww_arch *arch;
    ww_device *device;
    ww_module *module;
    ww_devptr data[MOST];
    char kernel[64];
    unsigned records;
    uint64_t cycles, launches, ctas, inst, per_sm[64];
} fixture;

static ww_status note(void *user, const ww_launch_record *r, ww_error *err)
{
    fixture *f = user;
    (void)err;
    f->records++;
    snprintf(f->kernel, sizeof f->kernel, "%s", r->kernel);
    f->cycles = ww_counter_total(r->counters, WW_C_CORE_CYCLES);
    f->launches = ww_counter_total(r->counters, WW_C_LAUNCHES);
    f->ctas = ww_counter_total(r->counters, WW_C_CTAS);
    f->inst = ww_counter_total(r->counters, WW_C_INST_ISSUED);
    for (uint32_t i = 0; i < r->counters->count[WW_SCOPE_SM]; i++) {
        f->per_sm[i] = r->counters->block[WW_SCOPE_SM][i].v[WW_C_CTAS];
    }
    return WW_OK;
}

static void open_device(fixture *f, unsigned threads, bool functional)
{
    ww_error err = {0};
    memset(f, 0, sizeof *f);
    const ww_setting none[] = {{.key = "sm.kernel_launch_cycles", .value = "0"}};
    assert_ok(ww_arch_load(WW_SOURCE_DIR "/configs/gpu/gtx480.xml", none, 1, &f->arch, &err), err);
    const ww_device_options options = {
        .threads = threads, .functional_only = functional, .on_launch = note, .user = f};
    assert_ok(ww_device_create(f->arch, &options, &f->device, &err), err);
    assert_ok(ww_device_load_ptx(f->device, "test.ptx", ptx, sizeof ptx - 1, &f->module, &err),
              err);
    for (unsigned i = 0; i < MOST; i++) {
        assert_ok(ww_device_malloc(f->device, MOST_CTAS * THREADS * 4, &f->data[i], &err), err);
    }
}

static void close_device(fixture *f)
{
    ww_device_destroy(f->device);
    ww_arch_destroy(f->arch);
}

/* A launch of spin: CTAs, trips, and the buffer that it adds 1 to. */
typedef struct work {
    uint32_t ctas, loops, buffer;
    const uint32_t *after;
    uint32_t after_count;
    uint64_t end; /* set */
} work;

static ww_status run_all(fixture *f, work *w, size_t count, ww_error *err)
{
    static const uint32_t one = 1;
    ww_launch_request list[MOST];
    const void *args[MOST][3];
    for (size_t i = 0; i < count; i++) {
        args[i][0] = &f->data[w[i].buffer];
        args[i][1] = &w[i].loops;
        args[i][2] = &one;
        list[i] = (ww_launch_request){.module = f->module,
                                      .kernel = "spin",
                                      .grid = {w[i].ctas, 1, 1},
                                      .block = {THREADS, 1, 1},
                                      .args = args[i],
                                      .arg_count = 3,
                                      .after = w[i].after,
                                      .after_count = w[i].after_count};
    }
    ww_status st = ww_device_launch_concurrent(f->device, list, count, err);
    for (size_t i = 0; st == WW_OK && i < count; i++) {
        w[i].end = list[i].end;
    }
    return st;
}

static void check(fixture *f, uint32_t buffer, uint32_t ctas, uint32_t expected)
{
    ww_error err = {0};
    uint32_t got[MOST_CTAS * THREADS];
    assert_ok(ww_device_read(f->device, got, f->data[buffer], sizeof got, &err), err);
    for (uint32_t i = 0; i < MOST_CTAS * THREADS; i++) {
        assert_int_equal(got[i], i < ctas * THREADS ? expected : 0);
    }
}

/* Each on its SMs, two kernels take the time of the longer one: to the cycle, but for the window of
 * cycles that dispatch looks at, and what their few requests meet in the memory system. */
static void kernels_overlap(void **state)
{
    (void)state;
    ww_error err = {0};
    fixture f;
    uint64_t alone[2];
    for (unsigned i = 0; i < 2; i++) {
        open_device(&f, 1, false);
        work w = {.ctas = 5, .loops = i == 0 ? 300 : 900};
        assert_ok(run_all(&f, &w, 1, &err), err);
        alone[i] = f.cycles;
        assert_int_equal(w.end, f.cycles);
        assert_string_equal(f.kernel, "spin");
        close_device(&f);
    }
    open_device(&f, 1, false);
    work w[] = {{.ctas = 5, .loops = 300}, {.ctas = 5, .loops = 900, .buffer = 1}};
    assert_ok(run_all(&f, w, 2, &err), err);
    assert_in_range(w[0].end, alone[0] - 10, alone[0] + WINDOW);
    assert_in_range(w[1].end, alone[1] - 10, alone[1] + WINDOW);
    assert_in_range(f.cycles, w[1].end, w[1].end + 1);
    assert_true(alone[1] > 2 * alone[0]);
    assert_string_equal(f.kernel, "spin x2");
    assert_int_equal(f.records, 1);
    assert_int_equal(f.launches, 2);
    assert_int_equal(f.ctas, 10);
    for (unsigned i = 0; i < 15; i++) {
        assert_int_equal(f.per_sm[i], i < 10);
    }
    check(&f, 0, 5, 1);
    check(&f, 1, 5, 1);
    close_device(&f);
}

/* A chain in one stream, beside another stream: the second of the chain begins when the first has
 * ended, sees what it wrote, and the other stream runs beside both. */
static void a_stream_keeps_its_order(void **state)
{
    (void)state;
    ww_error err = {0};
    fixture f;
    static const uint32_t first[] = {0}, both[] = {1, 2};
    work w[] = {{.ctas = 5, .loops = 300},
                {.ctas = 5, .loops = 900, .buffer = 1},
                {.ctas = 5, .loops = 300, .after = first, .after_count = 1},
                {.ctas = 5, .loops = 100, .buffer = 1, .after = both, .after_count = 2}};
    open_device(&f, 1, false);
    assert_ok(run_all(&f, w, 4, &err), err);
    /* The second of the chain: as long as the first, whose code the caches know by then. */
    assert_in_range(w[2].end, 2 * w[0].end - 500, 2 * w[0].end + WINDOW);
    assert_true(w[2].end < w[1].end);
    assert_true(w[3].end > w[1].end + 100 && w[3].end < w[1].end + w[0].end);
    check(&f, 0, 5, 2);
    check(&f, 1, 5, 2);
    close_device(&f);
}

/* The first takes all 15 SMs; the second gets each when the first is done with it. */
static void the_next_kernel_gets_the_sms_left_over(void **state)
{
    (void)state;
    ww_error err = {0};
    fixture f;
    open_device(&f, 1, false);
    work w[] = {{.ctas = 16, .loops = 500}, {.ctas = 30, .loops = 100, .buffer = 1}};
    assert_ok(run_all(&f, w, 2, &err), err);
    assert_true(w[1].end > w[0].end && w[1].end < 2 * w[0].end);
    assert_int_equal(f.ctas, 46);
    check(&f, 0, 16, 1);
    check(&f, 1, 30, 1);
    close_device(&f);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    ww_error err = {0};
    fixture a, b;
    static const uint32_t first[] = {0};
    work w[] = {{.ctas = 40, .loops = 200},
                {.ctas = 20, .loops = 300, .buffer = 1},
                {.ctas = 25, .loops = 50, .after = first, .after_count = 1}};
    work v[MOST];
    memcpy(v, w, sizeof w);
    open_device(&a, 1, false);
    open_device(&b, 4, false);
    assert_ok(run_all(&a, w, 3, &err), err);
    assert_ok(run_all(&b, v, 3, &err), err);
    assert_int_equal(a.cycles, b.cycles);
    assert_int_equal(a.inst, b.inst);
    assert_memory_equal(a.per_sm, b.per_sm, sizeof a.per_sm);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(w[i].end, v[i].end);
    }
    close_device(&a);
    close_device(&b);
}

static void without_time_they_run_in_turn(void **state)
{
    (void)state;
    ww_error err = {0};
    fixture f;
    static const uint32_t first[] = {0};
    open_device(&f, 1, true);
    work w[] = {{.ctas = 3, .loops = 5}, {.ctas = 3, .loops = 5, .after = first, .after_count = 1}};
    assert_ok(run_all(&f, w, 2, &err), err);
    assert_int_equal(f.records, 2);
    assert_string_equal(f.kernel, "spin");
    check(&f, 0, 3, 2);
    close_device(&f);
}

static void errors(void **state)
{
    (void)state;
    ww_error err = {0};
    fixture f;
    static const uint32_t later[] = {1}, itself[] = {0};
    open_device(&f, 1, false);
    work w[] = {{.ctas = 1, .loops = 5, .after = later, .after_count = 1}, {.ctas = 1, .loops = 5}};
    assert_int_equal(run_all(&f, w, 2, &err), WW_ERANGE);
    assert_non_null(strstr(err.what, "waits for launch 1"));
    w[0].after = itself;
    assert_int_equal(run_all(&f, w, 2, &err), WW_ERANGE);
    assert_non_null(strstr(err.what, "waits for launch 0"));
    work none[] = {{.ctas = 1, .loops = 5}, {.ctas = 0, .loops = 5}};
    assert_int_equal(run_all(&f, none, 2, &err), WW_ERANGE);
    assert_int_equal(f.records, 0);
    close_device(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_overlap),
        cmocka_unit_test(a_stream_keeps_its_order),
        cmocka_unit_test(the_next_kernel_gets_the_sms_left_over),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(without_time_they_run_in_turn),
        cmocka_unit_test(errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
