/* Kernels whose SMs get in each other's way - tickets, locks, flags between CTAs, the heap - are
 * right, and give the same bytes on any number of threads. */
#include <string.h>

#include "arch/arch.h"
#include "base/str.h"
#include "counters/counters.h"
#include "perf/api/device.h"
#include "tests/support/test.h"

enum { CTAS = 60, BLOCK = 64, THREADS = CTAS * BLOCK, WARPS = THREADS / 32 };

#define HEAD                                                                                       \
    "(.param .u64 a, .param .u64 b) {\n.reg .b64 %q<19>; .reg .b32 %r<29>; .reg .pred %p<4>;\n"    \
    "ld.param.u64 %q1, [a]; ld.param.u64 %q2, [b];\n"                                              \
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, " \
    "%r1;\nmul.wide.u32 %q3, %r4, 4; add.u64 %q4, %q2, %q3;\n"

static const char text[] =
    ".version 7.8\n.target sm_20\n.address_size 64\n"
    ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
    ".extern .func (.param .b64 r) malloc (.param .b64 a);\n"
    ".extern .func free (.param .b64 a);\n.global .align 1 .b8 f[8] = {37, 100, 59};\n"
    /* b[ticket] = thread */
    ".visible .entry tickets" HEAD "atom.global.add.u32 %r5, [%q1], 1; mul.wide.u32 %q5, %r5, 4;\n"
    "add.u64 %q5, %q2, %q5; st.global.u32 [%q5], %r4; ret;\n}\n"
    /* A reduction and a load behind it: b[thread] = 7. */
    ".visible .entry own" HEAD "red.global.add.u32 [%q4], 7; ld.global.u32 %r5, [%q4];\n"
    "shl.b32 %r5, %r5, 8; st.global.u32 [%q4], %r5; ld.volatile.global.u32 %r6, [%q4];\n"
    "shr.u32 %r6, %r6, 8; st.global.u32 [%q4], %r6; ret;\n}\n"
    /* One lane of each warp counts under a lock; a[1] counts, b[order] = CTA. */
    ".visible .entry locked" HEAD "and.b32 %r5, %r1, 31; setp.ne.u32 %p0, %r5, 0; @%p0 bra X;\n"
    "A: atom.global.cas.b32 %r6, [%q1], 0, 1; setp.ne.u32 %p1, %r6, 0; @%p1 bra A;\n"
    "ld.volatile.global.u32 %r7, [%q1+4]; mul.wide.u32 %q5, %r7, 4; add.u64 %q5, %q2, %q5;\n"
    "st.volatile.global.u32 [%q5], %r2; add.u32 %r7, %r7, 1; st.volatile.global.u32 [%q1+4], %r7;\n"
    "membar.gl; atom.global.exch.b32 %r8, [%q1], 0;\nX: ret;\n}\n"
    /* CTA n waits for CTA n - 1: a[n] = a[n - 1] + n + 1. */
    ".visible .entry chain" HEAD
    "setp.ne.u32 %p0, %r1, 0; @%p0 bra X; mul.wide.u32 %q5, %r2, 4; add.u64 %q5, %q1, %q5;\n"
    "mov.u32 %r6, 0; setp.eq.u32 %p1, %r2, 0; @%p1 bra B;\n"
    "A: ld.volatile.global.u32 %r6, [%q5+-4]; setp.eq.u32 %p2, %r6, 0; @%p2 bra A;\n"
    "B: add.u32 %r6, %r6, %r2; add.u32 %r6, %r6, 1; st.volatile.global.u32 [%q5], %r6;\nX: "
    "ret;\n}\n"
    /* Through memory to the neighbour in the CTA: b[thread] = its left neighbour, going round. */
    ".visible .entry pass" HEAD
    "add.u64 %q5, %q1, %q3; st.global.u32 [%q5], %r4; bar.sync 0; add.u32 %r5, %r1, 63;\n"
    "and.b32 %r5, %r5, 63; mad.lo.u32 %r5, %r2, %r3, %r5; mul.wide.u32 %q5, %r5, 4; add.u64 %q5, "
    "%q1, %q5; ld.global.u32 %r6, [%q5]; st.global.u32 [%q4], %r6; ret;\n}\n"
    /* Blocks of the heap: b[thread] = low word of its address; odd threads give theirs back; lane 9
     * of each warp prints the thread that it has written there. */
    ".visible .entry heap" HEAD ".local .align 8 .b8 depot[8]; .reg .b64 %SP, %SPL;\n"
    "mov.u64 %SPL, depot; cvta.local.u64 %SP, %SPL; mov.u64 %q5, 24;\n"
    "{ .param .b64 p0; st.param.b64 [p0], %q5; .param .b64 r0; call (r0), malloc, (p0); "
    "ld.param.b64 %q6, [r0]; }\n"
    "cvt.u32.u64 %r5, %q6; st.global.u32 [%q4], %r5; st.u32 [%q6], %r4; ld.u32 %r7, [%q6];\n"
    "and.b32 %r6, %r1, 1; setp.eq.u32 %p0, %r6, 0; @%p0 bra X;\n"
    "and.b32 %r6, %r1, 31; setp.ne.u32 %p1, %r6, 9; @%p1 bra F; st.local.u32 [%SPL], %r7;\n"
    "mov.u64 %q7, f; cvta.global.u64 %q7, %q7;\n"
    "{ .param .b64 p0; st.param.b64 [p0], %q7; .param .b64 p1; st.param.b64 [p1], %SP; .param .b32 "
    "r0; call (r0), vprintf, (p0, p1); }\n"
    "F: { .param .b64 p0; st.param.b64 [p0], %q6; call free, (p0); }\nX: ret;\n}\n";

typedef struct outcome {
    uint64_t cycles;
    uint32_t a[THREADS], b[THREADS];
    ww_str printed;
} outcome;

static ww_status note_cycles(void *user, const ww_launch_record *record, ww_error *err)
{
    (void)err;
    ((outcome *)user)->cycles = ww_counter_total(record->counters, WW_C_CORE_CYCLES);
    return WW_OK;
}

static void note_text(void *user, const char *s, size_t n)
{
    ww_str_add_n(&((outcome *)user)->printed, s, n);
}

static void run(const ww_arch *arch, const char *kernel, ww_isa_mode isa, unsigned threads,
                outcome *out)
{
    ww_error err = {0};
    ww_device *device;
    ww_module *module;
    ww_devptr a, b;
    memset(out, 0, sizeof *out);
    const ww_device_options options = {.isa = isa,
                                       .threads = threads,
                                       .on_launch = note_cycles,
                                       .on_print = note_text,
                                       .user = out};
    assert_ok(ww_device_create(arch, &options, &device, &err), err);
    assert_ok(ww_device_load_ptx(device, "contention.ptx", text, sizeof text - 1, &module, &err),
              err);
    assert_ok(ww_device_malloc(device, sizeof out->a, &a, &err), err);
    assert_ok(ww_device_malloc(device, sizeof out->b, &b, &err), err);
    const void *args[] = {&a, &b};
    const ww_dim3 grid = {CTAS, 1, 1}, block = {BLOCK, 1, 1};
    assert_ok(ww_device_launch(device, module, kernel, grid, block, 0, args, 2, &err), err);
    assert_ok(ww_device_read(device, out->a, a, sizeof out->a, &err), err);
    assert_ok(ww_device_read(device, out->b, b, sizeof out->b, &err), err);
    ww_device_destroy(device);
}

/* Each value of [0, n) once. */
static void assert_permutation(const uint32_t *v, uint32_t n)
{
    static bool seen[THREADS];
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < n; i++) {
        assert_true(v[i] < n && !seen[v[i]]);
        seen[v[i]] = true;
    }
}

static void check_tickets(const outcome *o)
{
    assert_int_equal(o->a[0], THREADS);
    assert_permutation(o->b, THREADS);
}

static void check_own(const outcome *o)
{
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(o->b[i], 7);
    }
}

static void check_locked(const outcome *o)
{
    uint32_t per_cta[CTAS] = {0};
    assert_int_equal(o->a[0], 0);
    assert_int_equal(o->a[1], WARPS);
    for (uint32_t i = 0; i < WARPS; i++) {
        assert_true(o->b[i] < CTAS);
        per_cta[o->b[i]]++;
    }
    for (uint32_t c = 0; c < CTAS; c++) {
        assert_int_equal(per_cta[c], BLOCK / 32);
    }
}

static void check_chain(const outcome *o)
{
    for (uint32_t c = 0; c < CTAS; c++) {
        assert_int_equal(o->a[c], (c + 1) * (c + 2) / 2);
    }
}

static void check_pass(const outcome *o)
{
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(o->b[i], i / BLOCK * BLOCK + (i + BLOCK - 1) % BLOCK);
    }
}

static void check_heap(const outcome *o)
{
    char expected[32 * WARPS];
    size_t n = 0;
    for (uint32_t w = 0; w < WARPS; w++) {
        n += (size_t)snprintf(expected + n, sizeof expected - n, "%u;", 32 * w + 9);
    }
    assert_int_equal(o->printed.len, n);
    assert_memory_equal(o->printed.data, expected, n);
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_true(o->b[i] != 0 && o->b[i] % 16 == 0);
    }
}

static const struct {
    const char *kernel;
    void (*check)(const outcome *o);
} cases[] = {
    {"tickets", check_tickets}, {"own", check_own},   {"locked", check_locked},
    {"chain", check_chain},     {"pass", check_pass}, {"heap", check_heap},
};

static void compare(const char *gpu, const ww_setting *settings, size_t count, ww_isa_mode isa)
{
    static outcome one, many;
    ww_error err = {0};
    ww_arch *arch = NULL;
    char path[512];
    snprintf(path, sizeof path, "%s/configs/gpu/%s.xml", WW_SOURCE_DIR, gpu);
    assert_ok(ww_arch_load(path, settings, count, &arch, &err), err);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run(arch, cases[i].kernel, isa, 1, &one);
        cases[i].check(&one);
        for (unsigned threads = 2; threads <= 8; threads *= 2) {
            run(arch, cases[i].kernel, isa, threads, &many);
            assert_int_equal(one.cycles, many.cycles);
            assert_memory_equal(one.a, many.a, sizeof one.a);
            assert_memory_equal(one.b, many.b, sizeof one.b);
            assert_string_equal(ww_str_text(&one.printed), ww_str_text(&many.printed));
            ww_str_fini(&many.printed);
        }
        ww_str_fini(&one.printed);
    }
    ww_arch_destroy(arch);
}

static void lowered(void **state)
{
    (void)state;
    compare("gtx480", NULL, 0, WW_ISA_LOWERED);
}

static void ptx(void **state)
{
    (void)state;
    compare("gtx480-gpgpusim", NULL, 0, WW_ISA_PTX);
}

/* The longest windows: the effects of many cycles meet at an edge. */
static void long_windows(void **state)
{
    (void)state;
    const ww_setting far[] = {{"icnt.latency", "200"}};
    compare("gtx480", far, 1, WW_ISA_LOWERED);
}

/* No window at all: the reply is there in the next cycle. */
static void no_lookahead(void **state)
{
    (void)state;
    const ww_setting near[] = {{"icnt.latency", "0"}};
    compare("gtx480", near, 1, WW_ISA_LOWERED);
}

/* Windows of half a hop, and traffic that meets at routers. */
static void over_a_mesh(void **state)
{
    (void)state;
    const ww_setting mesh[] = {{"icnt.topology", "mesh"}, {"icnt.virtual_channels", "2"}};
    compare("gtx480", mesh, 2, WW_ISA_LOWERED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lowered),      cmocka_unit_test(ptx),
        cmocka_unit_test(long_windows), cmocka_unit_test(no_lookahead),
        cmocka_unit_test(over_a_mesh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
