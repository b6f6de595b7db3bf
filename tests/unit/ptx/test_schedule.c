/* Scheduling: results stay, loads move up, memory order and clock reads hold, registers stay within
 * the grant. */
#include <stdarg.h>

#include "perf/exec/exec.h"
#include "perf/ptx/lower/schedule.h"
#include "tests/support/machine_fixture.h"
#include "tests/unit/ptx/module.h"
#include "tests/unit/ptx/run_kernel.h"

/* ---- what the pass does to one kernel ---- */

typedef struct scheduled {
    ww_ptx_module *module;
    ww_function *f;
    char **line; /* listing */
} scheduled;

static scheduled schedule_on(const char *text, ww_arch arch)
{
    ww_error err = {0};
    scheduled s = {.module = parse(text)};
    assert_ok(ww_ptx_translate(s.module, "k", &s.f, &err), err);
    assert_ok(ww__schedule(s.f, &s.module->arena, &arch, &err), err);
    s.line = calloc(s.f->inst_count, sizeof *s.line);
    assert_non_null(s.line);
    for (uint32_t i = 0; i < s.f->inst_count; i++) {
        char buf[256];
        s.line[i] = strdup(ww_inst_format(&s.f->inst[i], buf, sizeof buf));
        assert_non_null(s.line[i]);
    }
    return s;
}

static scheduled schedule(const char *text, uint32_t capability)
{
    return schedule_on(text, fixture_machine(capability));
}

static void release(scheduled *s)
{
    for (uint32_t i = 0; i < s->f->inst_count; i++) {
        free(s->line[i]);
    }
    free(s->line);
    ww_ptx_destroy(s->module);
}

/* Position of the n-th instruction (from 0) of an operation. */
static uint32_t position(const scheduled *s, ww_op op, uint32_t n)
{
    for (uint32_t i = 0; i < s->f->inst_count; i++) {
        if (s->f->inst[i].op == op && n-- == 0) {
            return i;
        }
    }
    fail_msg("no such %s", ww_op_name(op));
    return 0;
}

#define LOAD_AND_ADD(offset) "ld.global.f32 %f1, [%rd1+" #offset "];\nadd.f32 %f2, %f2, %f1;\n"
#define LOAD_AND_SUM(reg, offset)                                                                  \
    "ld.global.f32 %f" #reg ", [%rd1+" #offset "];\nadd.f32 %f9, %f9, %f" #reg ";\n"

static void loads_move_up(void **state)
{
    (void)state;
    scheduled s =
        schedule(KERNEL("mov.u64 %rd1, 4096;\nmov.f32 %f9, 0f00000000;\n" LOAD_AND_SUM(1, 0)
                            LOAD_AND_SUM(2, 4) LOAD_AND_SUM(3, 8)
                                LOAD_AND_SUM(4, 12) "st.global.f32 [%rd1], %f9;\nret;"),
                 75);
    assert_true(position(&s, WW_OP_LD, 3) < position(&s, WW_OP_ADD, 0));
    for (uint32_t i = 0; i < 4; i++) { /* equals stay in order */
        assert_int_equal(s.f->inst[position(&s, WW_OP_LD, i)].offset, 4 * i);
    }
    assert_true(position(&s, WW_OP_ADD, 3) < position(&s, WW_OP_ST, 0));
    assert_true(position(&s, WW_OP_ST, 0) < position(&s, WW_OP_EXIT, 0));
    release(&s);
}

/* A chain of three products, and a load: its latency outweighs theirs, or counts as one of them. */
static void loads_may_count_as_arithmetic(void **state)
{
    (void)state;
    for (int hoist = 0; hoist < 2; hoist++) {
        ww_arch arch = fixture_machine(75);
        arch.sm.hoist_loads = hoist == 1;
        scheduled s =
            schedule_on(KERNEL("mov.u64 %rd1, 4096;\nmov.f32 %f1, 0f40000000;\n"
                               "mul.f32 %f2, %f1, %f1;\nmul.f32 %f3, %f2, %f1;\n"
                               "mul.f32 %f4, %f3, %f1;\nld.global.f32 %f5, [%rd1+64];\n"
                               "add.f32 %f6, %f5, %f4;\nst.global.f32 [%rd1], %f6;\nret;"),
                        arch);
        assert_int_equal(position(&s, WW_OP_LD, 0) < position(&s, WW_OP_MUL, 0), hoist);
        release(&s);
    }
}

/* A load that acquires holds back what follows, in whatever memory that is. */
#define ACQUIRED(first)                                                                            \
    KERNEL("mov.u64 %rd1, 4096;\n" first                                                           \
           "\nld.global.f32 %f1, [%rd1+64];\nmul.f32 %f2, %f1, %f1;\nmul.f32 %f3, %f2, %f1;\n"     \
           "mul.f32 %f4, %f3, %f1;\nmul.f32 %f5, %f4, %f1;\nst.global.f32 [%rd1], %f5;\n"          \
           "st.global.u32 [%rd1+4], %r1;\nret;")
static void acquiring_loads_come_first(void **state)
{
    (void)state;
    static const char *const texts[] = {
        ACQUIRED("ld.acquire.gpu.global.u32 %r1, [%rd1];"),
        ACQUIRED("ld.acquire.cta.shared.u32 %r1, [%rd1];"),
        ACQUIRED("atom.acquire.gpu.shared.add.u32 %r1, [%rd1], 1;"),
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(texts); i++) {
        scheduled s = schedule(texts[i], 75);
        uint32_t global = 0, first = UINT32_MAX;
        for (uint32_t k = 0; k < s.f->inst_count; k++) {
            global = s.f->inst[k].op == WW_OP_LD && s.f->inst[k].type == WW_T_F32 ? k : global;
            first = (s.f->inst[k].mods & WW_MOD_ORDERED) != 0 ? k : first;
        }
        assert_true(first < global);
        release(&s);
    }
}

/* One register for all loads: nothing can overlap. */
static void a_reused_register_keeps_the_order(void **state)
{
    (void)state;
    scheduled s = schedule(KERNEL("mov.u64 %rd1, 4096;\nmov.f32 %f2, 0f00000000;\n" LOAD_AND_ADD(0)
                                      LOAD_AND_ADD(4) LOAD_AND_ADD(8) "ret;"),
                           75);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(position(&s, WW_OP_LD, i) < position(&s, WW_OP_ADD, i));
        assert_true(position(&s, WW_OP_ADD, i) < position(&s, WW_OP_LD, i + 1));
    }
    release(&s);
}

/* A chain, what must not be crossed, and a load that would like to move up. */
#define SLOW_CHAIN                                                                                 \
    "mul.lo.s32 %r2, %r1, %r1;\nmul.lo.s32 %r2, %r2, %r2;\nmul.lo.s32 %r2, %r2, %r2;\n"
#define LATE_LOAD                                                                                  \
    "ld.global.u32 %r3, [%rd1];\nadd.s32 %r4, %r3, %r2;\nst.global.u32 [%rd1], %r4;\nret;"
#define HEAD_OF_TEST "mov.u64 %rd1, 4096;\nmov.u64 %rd2, 8192;\nmov.u32 %r1, 3;\n"

static void assert_not_crossed(const char *fence, ww_op op)
{
    char kernel[4096];
    snprintf(kernel, sizeof kernel, "%s%s%s%s",
             HEAD ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<20>;\n"
                  ".reg .b64 %rd<20>;\n" HEAD_OF_TEST SLOW_CHAIN,
             fence, LATE_LOAD, "\n}\n");
    scheduled s = schedule(kernel, 75);
    /* Both stand where they stood among the accesses; the load is the last of its kind. */
    uint32_t load = position(&s, WW_OP_LD, op == WW_OP_LD ? 1 : 0);
    if (position(&s, op, 0) > load || (s.f->inst[load].mods & WW_MOD_VOLATILE) != 0) {
        fail_msg("the load crossed %s", fence);
    }
    release(&s);
}

static void memory_order_holds(void **state)
{
    (void)state;
    assert_not_crossed("st.global.u32 [%rd2], %r2;\n", WW_OP_ST);
    assert_not_crossed("st.u32 [%rd2], %r2;\n", WW_OP_ST);
    assert_not_crossed("atom.global.add.u32 %r5, [%rd2], %r2;\n", WW_OP_ATOM);
    assert_not_crossed("red.global.add.u32 [%rd2], %r2;\n", WW_OP_RED);
    assert_not_crossed("bar.sync 0;\n", WW_OP_BAR);
    assert_not_crossed("membar.gl;\n", WW_OP_MEMBAR);
    assert_not_crossed("ld.volatile.global.u32 %r5, [%rd2];\n", WW_OP_LD);
}

static void a_store_elsewhere_does_not_hold_a_load(void **state)
{
    (void)state;
    scheduled s = schedule(
        HEAD ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n"
             ".shared .align 4 .b8 table[256];\n" HEAD_OF_TEST SLOW_CHAIN
             "st.shared.u32 [table], %r2;\n" LATE_LOAD "\n}\n",
        75);
    assert_true(position(&s, WW_OP_LD, 0) < position(&s, WW_OP_ST, 0));
    release(&s);
}

static void clock_reads_time_what_stands_between(void **state)
{
    (void)state;
    scheduled s = schedule(
        KERNEL("mov.u64 %rd1, 4096;\nmov.f32 %f9, 0f00000000;\nmov.u32 %r1, %clock;\n" LOAD_AND_SUM(
            1, 0)
                   LOAD_AND_SUM(2, 4) "mov.u32 %r2, %clock;\n" LOAD_AND_SUM(
                       3, 8) "sub.s32 %r3, %r2, %r1;\nst.global.u32 [%rd1], %r3;\nst.global.f32 "
                             "[%rd1+4], %f9;\nret;"),
        75);
    uint32_t clocks[2], n = 0;
    for (uint32_t i = 0; i < s.f->inst_count; i++) {
        if (ww__ends_region(&s.f->inst[i]) && s.f->inst[i].op == WW_OP_MOV) {
            clocks[n++] = i;
        }
    }
    assert_int_equal(n, 2);
    assert_int_equal(clocks[1] - clocks[0], 5);
    assert_true(position(&s, WW_OP_LD, 1) < position(&s, WW_OP_ADD, 0)); /* between them it may */
    assert_true(position(&s, WW_OP_LD, 2) > clocks[1]);
    release(&s);
}

/* ---- registers ---- */

/* A kernel that loads `loads` words, uses each at once, and sums; in `*text`. */
static void many_loads(char *text, size_t size, int loads)
{
    int at = snprintf(
        text, size,
        HEAD ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %%r<%d>;\n.reg .b64 %%rd<4>;\n"
             "ld.param.u64 %%rd1, [out];\nmov.u32 %%r0, 0;\n",
        loads + 1);
    for (int i = 1; i <= loads; i++) {
        at +=
            snprintf(text + at, size - (size_t)at,
                     "ld.global.u32 %%r%d, [%%rd1+%d];\nadd.s32 %%r0, %%r0, %%r%d;\n", i, 4 * i, i);
    }
    snprintf(text + at, size - (size_t)at, "st.global.u32 [%%rd1], %%r0;\nret;\n}\n");
}

static uint32_t registers_of(const char *text, const ww_arch *arch)
{
    ww_error err = {0};
    ww_ptx_module *module = parse(text);
    ww_kernel *kernel = NULL;
    assert_ok(ww_ptx_build_kernel(module, "k", true, arch, &kernel, &err), err);
    assert_int_equal(kernel->spill_bytes, 0);
    uint32_t registers = kernel->registers;
    ww_ptx_destroy(module);
    return registers;
}

static void registers_stay_within_the_target(void **state)
{
    (void)state;
    static char text[1 << 16];
    many_loads(text, sizeof text, 200);
    static const uint32_t capabilities[] = {20, 61, 75};
    for (int k = 0; k < 3; k++) {
        ww_arch arch = fixture_machine(capabilities[k]);
        uint32_t target = ww__schedule_register_target(&arch), used = registers_of(text, &arch);
        uint32_t full = arch.sm.registers / arch.sm.max_warps / WW_WARP_SIZE;
        assert_true(used <= full);       /* every warp fits */
        assert_true(used >= target - 4); /* and the room is used */
    }
    ww_arch tight = fixture_machine(75);
    tight.sm.max_thread_registers = 40;
    assert_true(registers_of(text, &tight) <=
                34); /* eight short of the most, and a pair for the address */
    ww_arch few = fixture_machine(75);
    few.sm.registers = 1024;
    assert_true(registers_of(text, &few) <= 18);
}

/* ---- random programs ---- */

enum { THREADS = 64, CTAS = 2, WORDS = 32, TEXT = 1 << 16 };

static uint64_t seed = 1;

static uint32_t pick(uint32_t n)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 33) % n;
}

typedef struct writer {
    char text[TEXT];
    size_t at;
} writer;

static void put(writer *w, const char *format, ...) WW_PRINTF(2, 3);
static void put(writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    w->at += (size_t)vsnprintf(w->text + w->at, TEXT - w->at, format, args);
    va_end(args);
    assert_true(w->at < TEXT);
}

static void put_guard(writer *w)
{
    if (pick(4) == 0) {
        put(w, "@%s%%p%u ", pick(2) ? "!" : "", pick(4));
    }
}

/* An address of the thread's own 16 words that only execution knows, in %rd10 or %r20. */
static void put_address(writer *w, bool shared)
{
    put(w, "and.b32 %%r21, %%r%u, 60;\n", pick(8));
    if (shared) {
        put(w, "add.s32 %%r20, %%r21, %%r22;\n");
    } else {
        put(w, "cvt.u64.u32 %%rd11, %%r21;\nadd.s64 %%rd10, %%rd8, %%rd11;\n");
    }
}

static void put_memory(writer *w)
{
    bool shared = pick(2);
    const char *space = shared ? "shared" : "global", *base = shared ? "%r22" : "%rd8";
    if (pick(2)) {
        put_address(w, shared);
        base = shared ? "%r20" : "%rd10";
    }
    put_guard(w);
    if (pick(2)) {
        put(w, "ld.%s.u32 %%r%u, [%s];\n", space, pick(8), base);
    } else {
        put(w, "st.%s.u32 [%s], %%r%u;\n", space, base, pick(8));
    }
}

static void put_operation(writer *w)
{
    uint32_t d = pick(8), a = pick(8), b = pick(8), c = pick(8);
    switch (pick(16)) {
    case 0:
        put_guard(w);
        put(w, "add.s32 %%r%u, %%r%u, %%r%u;\n", d, a, b);
        break;
    case 1:
        put_guard(w);
        put(w, "mad.lo.s32 %%r%u, %%r%u, %%r%u, %%r%u;\n", d, a, b, c);
        break;
    case 2:
        put(w, "xor.b32 %%r%u, %%r%u, %u;\n", d, a, pick(1000));
        break;
    case 3:
        put(w, "setp.lt.s32 %%p%u, %%r%u, %%r%u;\n", pick(4), a, b);
        break;
    case 4:
        put(w, "selp.b32 %%r%u, %%r%u, %%r%u, %%p%u;\n", d, a, b, pick(4));
        break;
    case 5:
        put_guard(w);
        put(w, "add.s64 %%rd%u, %%rd%u, %%rd%u;\n", d, a, b);
        break;
    case 6:
        put_guard(w);
        put(w, "mul.lo.s64 %%rd%u, %%rd%u, %%rd%u;\n", d, a, b);
        break;
    case 7:
        put(w, "mul.wide.u32 %%rd%u, %%r%u, %%r%u;\n", d, a, b);
        break;
    case 8:
        put_guard(w);
        put(w, "mov.b64 {%%r%u, %%r%u}, %%rd%u;\n", d, (d + 1) % 8, a);
        break;
    case 9:
        put_guard(w);
        put(w, "mov.b64 %%rd%u, {%%r%u, %%r%u};\n", d, a, b);
        break;
    case 10:
        put(w, "setp.ge.s64 %%p%u, %%rd%u, %%rd%u;\n", pick(4), a, b);
        break;
    case 11:
        put(w, "shr.s64 %%rd%u, %%rd%u, %u;\n", d, a, pick(63));
        break;
    case 12:
        put(w, "div.u32 %%r%u, %%r%u, %u;\n", d, a, 3 + pick(9));
        break;
    case 13:
        put(w, "atom.global.add.u32 %%r%u, [%%rd8+%u], %%r%u;\n", d, 4 * pick(16), a);
        break;
    default:
        put_memory(w);
        break;
    }
}

/* A loop of three rounds over random operations with forward branches, then every register stored.
 */
static void put_program(writer *w)
{
    w->at = 0;
    put(w, "%s",
        HEAD ".visible .entry k(.param .u64 out)\n{\n.reg .pred %p<8>;\n.reg .b32 %r<30>;\n.reg "
             ".b64 %rd<20>;\n"
             ".shared .align 8 .b8 table[4096];\n"
             "ld.param.u64 %rd9, [out];\nmov.u32 %r24, %tid.x;\nmov.u32 %r25, %ctaid.x;\nmov.u32 "
             "%r26, %ntid.x;\n"
             "mad.lo.s32 %r27, %r25, %r26, %r24;\nmul.wide.u32 %rd8, %r27, 128;\nadd.s64 %rd8, "
             "%rd8, %rd9;\n"
             "shl.b32 %r22, %r24, 6;\nmov.u32 %r23, table;\nadd.s32 %r22, %r22, %r23;\nmov.u32 "
             "%r28, 0;\n");
    for (uint32_t i = 0; i < 8; i++) {
        put(w, "mad.lo.s32 %%r%u, %%r27, %u, %u;\nmul.wide.s32 %%rd%u, %%r%u, %u;\n", i,
            1 + pick(9999), pick(9999), i, i, 1 + pick(99999));
        put(w, "st.shared.u32 [%%r22+%u], %%r%u;\nst.shared.u32 [%%r22+%u], %%r%u;\n", 4 * i, i,
            32 + 4 * i, i);
    }
    for (uint32_t i = 0; i < 4; i++) {
        put(w, "setp.gt.u32 %%p%u, %%r24, %u;\n", i, pick(THREADS));
    }
    put(w, "LOOP:\n");
    for (uint32_t segment = 0; segment < 3; segment++) {
        if (segment == 1) {
            put(w, "@%%p%u bra SKIP;\n", pick(4));
        }
        for (uint32_t n = 10 + pick(30); n > 0; n--) {
            put_operation(w);
        }
        put(w, "%s", segment == 1 ? "SKIP:\nbar.sync 0;\n" : "");
    }
    put(w, "add.s32 %%r28, %%r28, 1;\nsetp.lt.u32 %%p7, %%r28, 3;\n@%%p7 bra LOOP;\n");
    for (uint32_t i = 0; i < 8; i++) {
        put(w, "st.global.u32 [%%rd8+%u], %%r%u;\n", 64 + 4 * i, i);
        if (i < 4) {
            put(w, "st.global.u64 [%%rd8+%u], %%rd%u;\n", 96 + 8 * i, i);
        }
    }
    put(w, "ret;\n}\n");
}

static void random_programs_compute_the_same(void **state)
{
    (void)state;
    static uint32_t want[THREADS * CTAS * WORDS], got[THREADS * CTAS * WORDS];
    static writer w;
    static const uint32_t capabilities[] = {20, 75};
    for (int round = 0; round < 150; round++) {
        put_program(&w);
        const ptx_run one = {w.text, CTAS, THREADS, WORDS};
        run_kernel(&one, WW_CODE_PTX, 20, want);
        for (int k = 0; k < 2; k++) {
            run_kernel(&one, WW_CODE_LOWERED, capabilities[k], got);
            if (memcmp(want, got, sizeof want) != 0) {
                fail_msg("round %d, capability %u:\n%s", round, capabilities[k], w.text);
            }
        }
    }
}

static void the_same_input_gives_the_same_order(void **state)
{
    (void)state;
    static writer w;
    for (int round = 0; round < 20; round++) {
        put_program(&w);
        scheduled a = schedule(w.text, 75), b = schedule(w.text, 75);
        assert_int_equal(a.f->inst_count, b.f->inst_count);
        for (uint32_t i = 0; i < a.f->inst_count; i++) {
            assert_string_equal(a.line[i], b.line[i]);
        }
        release(&a);
        release(&b);
    }
}

static void an_allocation_failure_is_reported(void **state)
{
    (void)state;
    static writer w;
    put_program(&w);
    ww_arch arch = fixture_machine(75);
    for (size_t k = 1; k < 12; k++) {
        ww_error err = {0};
        ww_ptx_module *module = parse(w.text);
        ww_function *f = NULL;
        assert_ok(ww_ptx_translate(module, "k", &f, &err), err);
        ww_mem_fail_after(k);
        ww_status status = ww__schedule(f, &module->arena, &arch, &err);
        ww_mem_fail_after(0);
        assert_true(status == WW_OK || status == WW_ENOMEM);
        assert_true(k > 1 || status == WW_ENOMEM);
        ww_ptx_destroy(module);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_move_up),
        cmocka_unit_test(loads_may_count_as_arithmetic),
        cmocka_unit_test(acquiring_loads_come_first),
        cmocka_unit_test(a_reused_register_keeps_the_order),
        cmocka_unit_test(memory_order_holds),
        cmocka_unit_test(a_store_elsewhere_does_not_hold_a_load),
        cmocka_unit_test(clock_reads_time_what_stands_between),
        cmocka_unit_test(registers_stay_within_the_target),
        cmocka_unit_test(random_programs_compute_the_same),
        cmocka_unit_test(the_same_input_gives_the_same_order),
        cmocka_unit_test(an_allocation_failure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
