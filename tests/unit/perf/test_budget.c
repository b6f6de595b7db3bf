/* test_budget.c - an instruction budget: where it ends a launch, what is counted against it, that
 * the place does not depend on threads, and that nothing runs after it. */
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#include "arch/arch.h"
#include "counters/counters.h"
#include "perf/api/device.h"

/* Every thread goes round a loop 100 times; odd ones leave out one instruction of each round. */
static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry rounds()\n{\n"
    " .reg .pred %p<3>;\n .reg .b32 %r<6>;\n"
    " mov.u32 %r1, 0;\n mov.u32 %r2, %tid.x;\n and.b32 %r3, %r2, 1;\n setp.ne.u32 %p1, %r3, 0;\n"
    "LOOP:\n @%p1 mul.lo.u32 %r2, %r2, %r2;\n add.u32 %r1, %r1, 1;\n"
    " setp.lt.u32 %p2, %r1, 100;\n @%p2 bra LOOP;\n ret;\n}\n";

enum { CTAS = 60, THREADS = 128, BEFORE = 4, ALL_LANES = 3, BEHIND = 1, ROUNDS = 100 };

/* Thread instructions of one launch as PTX has them, lanes that are guarded off left out. */
static const uint64_t whole = (uint64_t)CTAS * THREADS * (BEFORE + ROUNDS * ALL_LANES + BEHIND) +
                              (uint64_t)CTAS * THREADS / 2 * ROUNDS -
                              (uint64_t)CTAS * THREADS; /* the last branch is not taken */

typedef struct seen {
    unsigned launches;
    uint64_t program, threads, cut, cycles, ctas;
} seen;

static ww_status note(void *user, const ww_launch_record *r, ww_error *err)
{
    seen *s = user;
    (void)err;
    s->launches++;
    s->program = ww_counter_total(r->counters, WW_C_INST_PROGRAM);
    s->threads = ww_counter_total(r->counters, WW_C_INST_THREAD);
    s->cut = ww_counter_total(r->counters, WW_C_LAUNCHES_CUT);
    s->cycles = ww_counter_total(r->counters, WW_C_CORE_CYCLES);
    s->ctas = ww_counter_total(r->counters, WW_C_CTAS);
    return WW_OK;
}

/* Launches the kernel `times` times with that budget and threads; status of the last, what it left
 * in *s. */
static ww_status run(uint64_t budget, unsigned threads, unsigned times, seen *s, ww_error *err)
{
    ww_arch *arch = NULL;
    ww_device *device = NULL;
    ww_module *module = NULL;
    *s = (seen){0};
    const ww_device_options options = {.isa = WW_ISA_PTX,
                                       .max_instructions = budget,
                                       .threads = threads,
                                       .on_launch = note,
                                       .user = s};
    assert_ok(ww_arch_load("gtx480", NULL, 0, &arch, err), *err);
    assert_ok(ww_device_create(arch, &options, &device, err), *err);
    assert_ok(ww_device_load_ptx(device, "rounds.ptx", ptx, sizeof ptx - 1, &module, err), *err);
    ww_status status = WW_OK;
    for (unsigned i = 0; i < times; i++) {
        status = ww_device_launch(device, module, "rounds", (ww_dim3){CTAS, 1, 1},
                                  (ww_dim3){THREADS, 1, 1}, 0, NULL, 0, err);
    }
    ww_device_destroy(device);
    ww_arch_destroy(arch);
    return status;
}

static void without_a_budget_everything_counts(void **state)
{
    (void)state;
    ww_error err = {0};
    seen s;
    assert_ok(run(0, 1, 2, &s, &err), err);
    assert_int_equal(s.launches, 2);
    assert_int_equal(s.cut, 0);
    assert_int_equal(s.program, s.threads);
    assert_int_equal(s.program, whole);
}

/* It ends at the first edge of a window behind the budget: fewer instructions beyond it than the
 * machine can issue in one window. */
static void a_launch_ends_behind_its_budget(void **state)
{
    enum { SMS = 15, SCHEDULERS = 2, WARP = 32, LONGEST_WINDOW = 64 };
    (void)state;
    ww_error err = {0};
    seen s;
    const uint64_t budget = whole / 3;
    assert_int_equal(run(budget, 1, 1, &s, &err), WW_EBUDGET);
    assert_int_equal(s.launches, 1);
    assert_int_equal(s.cut, 1);
    assert_in_range(s.program, budget, budget + SMS * SCHEDULERS * WARP * LONGEST_WINDOW);
    assert_int_equal(s.program, s.threads);
    assert_true(s.cycles > 0 && s.ctas <= CTAS);
}

static void a_budget_spans_launches(void **state)
{
    (void)state;
    ww_error err = {0};
    seen s;
    assert_int_equal(run(whole + whole / 2, 1, 5, &s, &err), WW_EBUDGET);
    assert_int_equal(s.launches, 2); /* the second is cut, the others are refused */
    assert_int_equal(s.cut, 1);
    assert_in_range(s.program, whole / 2, whole - 1);
    assert_ok(run(2 * whole + 1, 1, 2, &s, &err), err); /* ends by itself */
    assert_int_equal(s.cut, 0);
}

static void the_place_does_not_depend_on_threads(void **state)
{
    (void)state;
    ww_error err = {0};
    seen one, many;
    assert_int_equal(run(whole / 2, 1, 1, &one, &err), WW_EBUDGET);
    for (unsigned threads = 2; threads <= 4; threads++) {
        assert_int_equal(run(whole / 2, threads, 1, &many, &err), WW_EBUDGET);
        assert_memory_equal(&one, &many, sizeof one);
    }
}

static void a_budget_needs_time(void **state)
{
    (void)state;
    ww_error err = {0};
    ww_arch *arch = NULL;
    ww_device *device = NULL;
    assert_ok(ww_arch_load("gtx480", NULL, 0, &arch, &err), err);
    const ww_device_options wrong[] = {{.max_instructions = 1, .functional_only = true},
                                       {.max_instructions = 1, .sample_ctas = true},
                                       {.max_instructions = 1, .sample_time = true},
                                       {.max_instructions = 1, .sample_kernels = true}};
    for (size_t i = 0; i < WW_ARRAY_LEN(wrong); i++) {
        assert_int_equal(ww_device_create(arch, &wrong[i], &device, &err), WW_EUSAGE);
    }
    ww_arch_destroy(arch);
}

/* ---- shares ---- */

/* Adds 1 to its thread's counter in each of 50 rounds: executed twice, or in part, it shows. */
static const char counting[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry add(.param .u64 a)\n{\n"
    " .reg .pred %p<2>;\n .reg .b32 %r<9>;\n .reg .b64 %rd<4>;\n"
    " ld.param.u64 %rd1, [a];\n mov.u32 %r1, %ctaid.x;\n mov.u32 %r2, %ntid.x;\n"
    " mov.u32 %r3, %tid.x;\n mad.lo.u32 %r4, %r1, %r2, %r3;\n mul.wide.u32 %rd2, %r4, 4;\n"
    " add.u64 %rd3, %rd1, %rd2;\n mov.u32 %r5, 0;\n"
    "AGAIN:\n ld.global.u32 %r6, [%rd3];\n add.u32 %r6, %r6, 1;\n st.global.u32 [%rd3], %r6;\n"
    " add.u32 %r5, %r5, 1;\n setp.lt.u32 %p1, %r5, 50;\n @%p1 bra AGAIN;\n ret;\n}\n"
    ".visible .entry last()\n{\n .reg .b32 %r<2>;\n mov.u32 %r1, 0;\n ret;\n}\n";

enum { ADDS = 3, ADD_ROUNDS = 50, NAMES = 8 };

/* Of one launch of `add`: the last branch is not taken. */
static const uint64_t each = (uint64_t)CTAS * THREADS * (8 + 6 * ADD_ROUNDS + 1 - 1);

/* What was reported of a program of three launches of `add` and one of `last`. */
typedef struct shown {
    unsigned launches;
    char kernel[NAMES][8];
    uint64_t program[NAMES], cut[NAMES];
} shown;

static ww_status show(void *user, const ww_launch_record *r, ww_error *err)
{
    shown *s = user;
    (void)err;
    assert_true(s->launches < NAMES);
    snprintf(s->kernel[s->launches], sizeof s->kernel[0], "%s", r->kernel);
    s->program[s->launches] = ww_counter_total(r->counters, WW_C_INST_PROGRAM);
    s->cut[s->launches++] = ww_counter_total(r->counters, WW_C_LAUNCHES_CUT);
    return WW_OK;
}

static ww_status launch_all(ww_device *device, ww_module *module, ww_devptr p, ww_error *err)
{
    const void *args[] = {&p};
    const ww_dim3 grid = {CTAS, 1, 1}, block = {THREADS, 1, 1};
    for (int i = 0; i < ADDS; i++) {
        WW_TRY(ww_device_launch(device, module, "add", grid, block, 0, args, 1, err));
    }
    return ww_device_launch(device, module, "last", grid, block, 0, NULL, 0, err);
}

/* Runs it by these shares; every counter must hold what whole launches leave. */
static ww_status run_shares(const ww_budget_share *share, size_t count, shown *s, ww_error *err)
{
    ww_arch *arch = NULL;
    ww_device *device = NULL;
    ww_module *module = NULL;
    ww_devptr p;
    static uint32_t counter[CTAS * THREADS];
    *s = (shown){0};
    const ww_device_options options = {
        .isa = WW_ISA_PTX, .shares = share, .share_count = count, .on_launch = show, .user = s};
    assert_ok(ww_arch_load("gtx480", NULL, 0, &arch, err), *err);
    assert_ok(ww_device_create(arch, &options, &device, err), *err);
    assert_ok(ww_device_load_ptx(device, "add.ptx", counting, sizeof counting - 1, &module, err),
              *err);
    assert_ok(ww_device_malloc(device, sizeof counter, &p, err), *err);
    ww_status status = launch_all(device, module, p, err);
    assert_ok(ww_device_read(device, counter, p, sizeof counter, err), *err);
    for (size_t i = 0; i < WW_ARRAY_LEN(counter); i++) {
        assert_int_equal(counter[i], ADDS * ADD_ROUNDS);
    }
    ww_device_destroy(device);
    ww_arch_destroy(arch);
    return status;
}

/* Of three launches the second is simulated in part, and what it has written stays whole; then the
 * run ends with the kernel that a plain budget would not have reached. */
static void shares_reach_kernels_that_come_late(void **state)
{
    (void)state;
    ww_error err = {0};
    shown s;
    const uint64_t threads = (uint64_t)CTAS * THREADS;
    const ww_budget_share share[] = {{"add", 1, each / 4}, {"last", 0, threads}};
    assert_int_equal(run_shares(share, 2, &s, &err), WW_EBUDGET);
    assert_int_equal(s.launches, 2);
    assert_string_equal(s.kernel[0], "add");
    assert_int_equal(s.cut[0], 1);
    assert_in_range(s.program[0], each / 4, each / 2);
    assert_string_equal(s.kernel[1], "last");
    assert_in_range(s.program[1], threads, 2 * threads);
}

/* One that ends within its share goes on to the next launch of its kernel. */
static void a_share_spans_launches(void **state)
{
    (void)state;
    ww_error err = {0};
    shown s;
    const uint64_t threads = (uint64_t)CTAS * THREADS;
    const ww_budget_share share[] = {{"add", 0, each + each / 4}, {"last", 0, 3 * threads}};
    assert_ok(run_shares(share, 2, &s, &err), err); /* `last` is smaller than its share */
    assert_int_equal(s.launches, 3);
    assert_int_equal(s.cut[0], 0);
    assert_int_equal(s.program[0], each);
    assert_int_equal(s.cut[1], 1);
    assert_string_equal(s.kernel[2], "last");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_budget_everything_counts),
        cmocka_unit_test(a_launch_ends_behind_its_budget),
        cmocka_unit_test(a_budget_spans_launches),
        cmocka_unit_test(the_place_does_not_depend_on_threads),
        cmocka_unit_test(a_budget_needs_time),
        cmocka_unit_test(shares_reach_kernels_that_come_late),
        cmocka_unit_test(a_share_spans_launches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
