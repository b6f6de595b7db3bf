/* test_device.c - the device API from PTX text to results: memory, variables, parameters, checks,
 * records, both streams. */
#include "tests/support/test.h"

#include <string.h>

#include "arch/arch.h"
#include "counters/counters.h"
#include "perf/api/device_state.h"

static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".global .align 4 .u32 counter = 5;\n"
    ".global .align 8 .u64 where = counter;\n"
    ".const .align 4 .f32 scale[2] = {0f40000000, 0f40400000};\n"
    ".visible .entry saxpy(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n)\n"
    "{\n"
    " .reg .pred %p<2>;\n .reg .f32 %f<6>;\n .reg .b32 %r<8>;\n .reg .b64 %rd<10>;\n"
    " ld.param.u64 %rd1, [x];\n ld.param.u64 %rd2, [y];\n ld.param.f32 %f1, [a];\n ld.param.u32 "
    "%r1, [n];\n"
    " mov.u32 %r2, %ctaid.x;\n mov.u32 %r3, %ntid.x;\n mov.u32 %r4, %tid.x;\n"
    " mad.lo.s32 %r5, %r2, %r3, %r4;\n"
    " setp.ge.u32 %p1, %r5, %r1;\n @%p1 bra DONE;\n"
    " cvta.to.global.u64 %rd3, %rd1;\n cvta.to.global.u64 %rd4, %rd2;\n"
    " mul.wide.u32 %rd5, %r5, 4;\n add.s64 %rd6, %rd3, %rd5;\n add.s64 %rd7, %rd4, %rd5;\n"
    " ld.global.f32 %f2, [%rd6];\n ld.global.f32 %f3, [%rd7];\n ld.const.f32 %f5, [scale+4];\n"
    " fma.rn.f32 %f4, %f1, %f2, %f3;\n mul.f32 %f4, %f4, %f5;\n"
    " st.global.f32 [%rd7], %f4;\n"
    " mov.u64 %rd8, counter;\n red.global.add.u32 [%rd8], 1;\n"
    "DONE:\n ret;\n}\n"
    ".visible .entry big() .maxntid 64, 1, 1\n{\n .shared .align 4 .b8 tile[40000];\n .reg .b32 "
    "%r<3>;\n"
    " mov.u32 %r1, tile;\n st.shared.u32 [%r1], %r1;\n ret;\n}\n"
    ".visible .entry wild(.param .u64 p)\n{\n .reg .b64 %rd<2>;\n .reg .b32 %r<2>;\n"
    " ld.param.u64 %rd1, [p];\n ld.global.u32 %r1, [%rd1+4096];\n st.global.u32 [%rd1], %r1;\n "
    "ret;\n}\n";

enum { N = 1000 };

typedef struct seen {
    unsigned launches;
    uint64_t inst, threads, cycles, decoded;
    char kernel[32], limit[16];
    uint32_t ctas, sms;
} seen;

static ww_status note(void *user, const ww_launch_record *r, ww_error *err)
{
    seen *s = user;
    (void)err;
    assert_int_equal(r->launch_index, s->launches);
    s->launches++;
    s->inst = ww_counter_total(r->counters, WW_C_INST_ISSUED);
    s->threads = ww_counter_total(r->counters, WW_C_INST_THREAD);
    s->cycles = ww_counter_total(r->counters, WW_C_CORE_CYCLES);
    s->decoded = ww_counter_total(r->counters, WW_C_INST_DECODED);
    s->ctas = r->ctas_per_sm;
    s->sms = r->counters->count[WW_SCOPE_SM];
    snprintf(s->kernel, sizeof s->kernel, "%s", r->kernel);
    snprintf(s->limit, sizeof s->limit, "%s", r->occupancy_limit);
    return WW_OK;
}

typedef struct fixture {
    ww_arch *arch;
    ww_device *device;
    ww_module *module;
    seen seen;
} fixture;

static void open_device(fixture *f, ww_isa_mode isa, bool functional)
{
    ww_error err = {0};
    memset(f, 0, sizeof *f);
    assert_ok(ww_arch_load(WW_SOURCE_DIR "/configs/gpu/gtx480.xml", NULL, 0, &f->arch, &err), err);
    const ww_device_options options = {
        .isa = isa, .functional_only = functional, .on_launch = note, .user = &f->seen};
    assert_ok(ww_device_create(f->arch, &options, &f->device, &err), err);
    assert_ok(ww_device_load_ptx(f->device, "test.ptx", ptx, sizeof ptx - 1, &f->module, &err),
              err);
}

static void close_device(fixture *f)
{
    ww_device_destroy(f->device);
    ww_arch_destroy(f->arch);
}

static void run_saxpy(fixture *f)
{
    ww_error err = {0};
    float x[N], y[N], a = 3;
    uint32_t n = N;
    ww_devptr dx, dy;
    for (unsigned i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1;
    }
    assert_ok(ww_device_malloc(f->device, sizeof x, &dx, &err), err);
    assert_ok(ww_device_malloc(f->device, sizeof y, &dy, &err), err);
    assert_ok(ww_device_write(f->device, dx, x, sizeof x, &err), err);
    assert_ok(ww_device_write(f->device, dy, y, sizeof y, &err), err);
    const void *args[] = {&dx, &dy, &a, &n};
    assert_ok(ww_device_launch(f->device, f->module, "saxpy", (ww_dim3){8, 1, 1},
                               (ww_dim3){128, 1, 1}, 0, args, 4, &err),
              err);
    assert_ok(ww_device_read(f->device, y, dy, sizeof y, &err), err);
    for (unsigned i = 0; i < N; i++) {
        assert_true(y[i] == (3 * x[i] + 1) * 3);
    }
    assert_ok(ww_device_free(f->device, dx, &err), err);
    assert_ok(ww_device_free(f->device, dy, &err), err);
}

static void check_variables(fixture *f)
{
    ww_error err = {0};
    ww_devptr counter, where;
    size_t bytes;
    uint32_t value;
    uint64_t pointer;
    assert_ok(ww_device_symbol(f->device, f->module, "counter", &counter, &bytes, &err), err);
    assert_int_equal(bytes, 4);
    assert_ok(ww_device_read(f->device, &value, counter, 4, &err), err);
    assert_int_equal(value, 5 + N);
    assert_ok(ww_device_symbol(f->device, f->module, "where", &where, &bytes, &err), err);
    assert_ok(ww_device_read(f->device, &pointer, where, 8, &err), err);
    assert_int_equal(pointer, counter);
    assert_int_equal(ww_device_free(f->device, counter, &err), WW_ENOTFOUND);
    assert_int_equal(ww_device_symbol(f->device, f->module, "nothing", &where, &bytes, &err),
                     WW_ENOTFOUND);
}

static void both_streams_give_the_same_memory(void **state)
{
    (void)state;
    for (unsigned mode = 0; mode < 2; mode++) {
        fixture f;
        open_device(&f, mode == 0 ? WW_ISA_LOWERED : WW_ISA_PTX, false);
        run_saxpy(&f);
        check_variables(&f);
        assert_int_equal(f.seen.launches, 1);
        assert_string_equal(f.seen.kernel, "saxpy");
        assert_int_equal(f.seen.ctas, 8);
        assert_true(f.seen.cycles > 100);
        close_device(&f);
    }
}

/* The functional run executes the same instructions and spends no time. */
static void functional_run_counts_the_same_instructions(void **state)
{
    (void)state;
    fixture timed, functional;
    open_device(&timed, WW_ISA_LOWERED, false);
    open_device(&functional, WW_ISA_LOWERED, true);
    run_saxpy(&timed);
    run_saxpy(&functional);
    check_variables(&functional);
    assert_int_equal(timed.seen.inst, functional.seen.inst);
    assert_int_equal(timed.seen.threads, functional.seen.threads);
    assert_int_equal(functional.seen.cycles, 0);
    assert_int_equal(timed.seen.sms, 15);
    assert_int_equal(functional.seen.sms, 1); /* all that counts anything */
    assert_int_equal(functional.seen.decoded, 0);
    close_device(&timed);
    close_device(&functional);
}

static void launch(fixture *f, const char *kernel, ww_dim3 grid, ww_dim3 block, size_t shared,
                   ww_status expected, const char *text)
{
    ww_error err = {0};
    ww_status st =
        ww_device_launch(f->device, f->module, kernel, grid, block, shared, NULL, 0, &err);
    if (st != expected || (text != NULL && strstr(err.what, text) == NULL)) {
        fail_msg("%s: status %d, expected %d; \"%s\" should contain \"%s\"", kernel, (int)st,
                 (int)expected, err.what, text != NULL ? text : "");
    }
}

static void impossible_launches_say_why(void **state)
{
    (void)state;
    fixture f;
    open_device(&f, WW_ISA_LOWERED, false);
    const ww_dim3 one = {1, 1, 1};
    launch(&f, "none", one, one, 0, WW_ENOTFOUND, "none");
    launch(&f, "big", (ww_dim3){0, 1, 1}, one, 0, WW_ERANGE, "grid");
    launch(&f, "big", (ww_dim3){1, 70000, 1}, one, 0, WW_ERANGE, "grid");
    launch(&f, "big", one, (ww_dim3){1, 1, 0}, 0, WW_ERANGE, "block");
    launch(&f, "big", one, (ww_dim3){1024, 2, 1}, 0, WW_ERANGE, "1024 threads");
    launch(&f, "big", one, (ww_dim3){65, 1, 1}, 0, WW_ERANGE, ".maxntid");
    launch(&f, "big", one, one, 20000, WW_ERANGE, "shared memory");
    launch(&f, "saxpy", one, one, 0, WW_ERANGE, "4 parameters");
    launch(&f, "big", one, (ww_dim3){64, 1, 1}, 0, WW_OK, NULL);
    assert_string_equal(f.seen.limit, "shared");
    assert_int_equal(f.seen.ctas, 1);
    close_device(&f);
}

/* 40 words of each thread's 80, all loaded before the first is stored, 40 places on. */
static void load_many_registers(fixture *f)
{
    enum { WORDS = 40, ROOM = 8192 };
    char text[ROOM];
    ww_error err = {0};
    int n = snprintf(text, ROOM,
                     ".version 7.0\n.target sm_75\n.address_size 64\n"
                     ".visible .entry many(.param .u64 p)\n{\n .reg .b64 %%rd<3>;\n"
                     " .reg .b32 %%r<41>;\n ld.param.u64 %%rd1, [p];\n mov.u32 %%r40, %%tid.x;\n"
                     " mul.wide.u32 %%rd2, %%r40, 320;\n add.u64 %%rd1, %%rd1, %%rd2;\n");
    for (int i = 0; i < WORDS; i++) {
        n += snprintf(text + n, (size_t)(ROOM - n), " ld.volatile.global.u32 %%r%d, [%%rd1+%d];\n",
                      i, 4 * i);
    }
    for (int i = 0; i < WORDS; i++) {
        n += snprintf(text + n, (size_t)(ROOM - n), " st.volatile.global.u32 [%%rd1+%d], %%r%d;\n",
                      4 * (i + WORDS), i);
    }
    n += snprintf(text + n, (size_t)(ROOM - n), " ret;\n}\n");
    assert_ok(ww_device_load_ptx(f->device, "many.ptx", text, (size_t)n, &f->module, &err), err);
}

static void copy_within(fixture *f, uint32_t threads)
{
    enum { WORDS = 80, MOST = 1024 };
    static uint32_t word[MOST][WORDS];
    ww_error err = {0};
    ww_devptr p;
    for (uint32_t t = 0; t < threads; t++) {
        for (uint32_t i = 0; i < WORDS; i++) {
            word[t][i] = i < WORDS / 2 ? t * WORDS + i : 0;
        }
    }
    assert_ok(ww_device_malloc(f->device, sizeof word, &p, &err), err);
    assert_ok(ww_device_write(f->device, p, word, sizeof word, &err), err);
    const void *args[] = {&p};
    assert_ok(ww_device_launch(f->device, f->module, "many", (ww_dim3){1, 1, 1},
                               (ww_dim3){threads, 1, 1}, 0, args, 1, &err),
              err);
    assert_ok(ww_device_read(f->device, word, p, sizeof word, &err), err);
    for (uint32_t t = 0; t < threads; t++) {
        for (uint32_t i = 0; i < WORDS; i++) {
            assert_int_equal(word[t][i], t * WORDS + i % (WORDS / 2));
        }
    }
    assert_ok(ww_device_free(f->device, p, &err), err);
}

/* A compiler could have found registers for it: 32768 / 1024 a thread. Smaller CTAs keep theirs. */
static void a_large_cta_finds_room(void **state)
{
    (void)state;
    for (ww_isa_mode isa = WW_ISA_LOWERED; isa <= WW_ISA_PTX; isa++) {
        fixture f;
        ww_error err = {0};
        ww_kernel_info info;
        uint32_t large, small;
        open_device(&f, isa, false);
        load_many_registers(&f);
        copy_within(&f, 1024);
        assert_int_equal(f.seen.ctas, 1);
        copy_within(&f, 64);
        assert_ok(ww_device_kernel_info(f.device, f.module, "many", &info, &err), err);
        assert_in_range(info.registers, 41, 63);
        assert_in_range(info.max_threads, 512, 32768 / 41);
        assert_ok(ww_device_occupancy(f.device, f.module, "many", 1024, 0, &large, &err), err);
        assert_ok(ww_device_occupancy(f.device, f.module, "many", 64, 0, &small, &err), err);
        assert_int_equal(large, 1);
        assert_int_equal(small, f.seen.ctas);
        assert_ok(ww_device_set_registers(f.device, f.module, "many", 40, &err), err);
        const void *args[] = {&small};
        assert_int_equal(ww_device_launch(f.device, f.module, "many", (ww_dim3){1, 1, 1},
                                          (ww_dim3){1024, 1, 1}, 0, args, 1, &err),
                         WW_ERANGE);
        assert_non_null(strstr(err.what, "the limit is registers"));
        close_device(&f);
    }
}

/* With the kernel's own it would be a few thousand bytes again. */
static void shared_memory_without_end_is_refused(void **state)
{
    (void)state;
    fixture f;
    ww_error err = {0};
    uint32_t ctas = 1;
    open_device(&f, WW_ISA_LOWERED, false);
    assert_ok(ww_device_occupancy(f.device, f.module, "big", 64, SIZE_MAX - 30000, &ctas, &err),
              err);
    assert_int_equal(ctas, 0);
    assert_int_equal(ww_device_launch(f.device, f.module, "big", (ww_dim3){1, 1, 1},
                                      (ww_dim3){64, 1, 1}, SIZE_MAX - 30000, NULL, 0, &err),
                     WW_ERANGE);
    assert_non_null(strstr(err.what, "18446744073709521615 dynamic"));
    close_device(&f);
}

static void a_wild_access_is_located_and_survived(void **state)
{
    (void)state;
    fixture f;
    ww_error err = {0};
    ww_devptr p;
    open_device(&f, WW_ISA_LOWERED, false);
    assert_ok(ww_device_malloc(f.device, 64, &p, &err), err);
    const void *args[] = {&p};
    assert_int_equal(ww_device_launch(f.device, f.module, "wild", (ww_dim3){4, 1, 1},
                                      (ww_dim3){64, 1, 1}, 0, args, 1, &err),
                     WW_EFAULT);
    assert_non_null(strstr(err.what, "wild"));
    assert_true(err.line > 0);
    run_saxpy(&f); /* the device goes on */
    char byte;
    assert_int_equal(ww_device_read(f.device, &byte, p + 64, 1, &err), WW_ERANGE);
    assert_int_equal(ww_device_malloc(f.device, 0, &p, &err), WW_ERANGE);
    close_device(&f);
}

/* Code of kernels lies one behind the other, each at the next multiple of sm.code_align, which is
 * that of one instruction, or of many. */
static void code_lies_kernel_behind_kernel(void **state)
{
    (void)state;
    for (uint64_t align = 8; align <= 4096; align *= 512) {
        fixture f;
        ww_error err = {0};
        open_device(&f, WW_ISA_LOWERED, false);
        f.arch->sm.code_align = (uint32_t)align;
        run_saxpy(&f);
        assert_ok(ww_device_launch(f.device, f.module, "big", (ww_dim3){1, 1, 1},
                                   (ww_dim3){64, 1, 1}, 0, NULL, 0, &err),
                  err);
        const ww_program *last = &f.module->built->program;
        const ww_program *first = &f.module->built->next->program;
        const uint64_t bytes = (uint64_t)first->count * f.arch->sm.instruction_bytes;
        assert_int_equal(first->code_base, WW_CODE_PHYSICAL);
        assert_int_equal(last->code_base - first->code_base, (bytes + align - 1) / align * align);
        close_device(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_streams_give_the_same_memory),
        cmocka_unit_test(functional_run_counts_the_same_instructions),
        cmocka_unit_test(impossible_launches_say_why),
        cmocka_unit_test(a_large_cta_finds_room),
        cmocka_unit_test(shared_memory_without_end_is_refused),
        cmocka_unit_test(a_wild_access_is_located_and_survived),
        cmocka_unit_test(code_lies_kernel_behind_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
