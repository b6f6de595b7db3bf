/* Does the lowered stream compute what the PTX computes, bit for bit? Every expansion over corner
 * cases and random operands, against PTX execution, and against the correctly rounded result where
 * the C language defines one. */
#include "tests/ptx/run.h"
#include "tests/support/machine_fixture.h"

enum { COUNT = 1 << 15, BLOCK = 128 };

typedef struct operands {
    uint64_t a[COUNT], b[COUNT], c[COUNT];
} operands;

static uint64_t state = 1;

static uint64_t next_random(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

static const uint64_t corners32[] = {
    0,          1,          2,          3,          5,          7,          31,
    32,         33,         63,         64,         0x7fffffff, 0x80000000, 0x80000001,
    0xffffffff, 0xfffffffe, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
    0x00000001, 0x007fffff, 0x00800000, 0x7f7fffff, 0x3f7fffff, 0x3f800001, 0x7e800000,
    0x7e800001, 0x0d000000, 0x0cffffff, 0x34000000, 0x40490fdb};
static const uint64_t corners64[] = {0,
                                     1,
                                     2,
                                     31,
                                     32,
                                     33,
                                     63,
                                     64,
                                     65,
                                     0x7fffffffffffffff,
                                     0x8000000000000000,
                                     0xffffffffffffffff,
                                     0x00000000ffffffff,
                                     0x0000000100000000,
                                     0xffffffff00000000,
                                     0x3ff0000000000000,
                                     0xbff0000000000000,
                                     0x7ff0000000000000,
                                     0xfff0000000000000,
                                     0x7ff8000000000000,
                                     0x0000000000000001,
                                     0x000fffffffffffff,
                                     0x0010000000000000,
                                     0x7fefffffffffffff,
                                     0x3fefffffffffffff,
                                     0x3ff0000000000001,
                                     0x3fffffffffffffff};

/* Half corner cases, half random: random bits, small integers, floats near one. */
static uint64_t pick(bool wide, bool floating)
{
    uint64_t r = next_random();
    switch (r >> 61) {
    case 0:
    case 1:
        return wide ? corners64[r % (sizeof corners64 / 8)] : corners32[r % (sizeof corners32 / 8)];
    case 2:
        return next_random() % 200;
    case 3:
    case 4:
        if (floating) { /* moderate magnitude, random sign */
            r = next_random();
            return wide ? (r & 0x800fffffffffffffull) | ((1023 - 40 + r % 80) << 52)
                        : (r & 0x807fffffu) | ((127 - 20 + (uint32_t)(r >> 40) % 40) << 23);
        }
        return next_random();
    default:
        return next_random();
    }
}

static void fill(operands *o, bool wide, bool floating)
{
    for (int i = 0; i < COUNT; i++) {
        o->a[i] = pick(wide, floating);
        o->b[i] = pick(wide, floating);
        o->c[i] = pick(wide, floating);
        if (!wide) {
            o->a[i] &= 0xffffffffu;
            o->b[i] &= 0xffffffffu;
            o->c[i] &= 0xffffffffu;
        }
    }
}

/* A kernel that computes `body` on %a, %b, %c of a type into %d of a type. */
static void make_kernel(char *text, size_t size, const char *in, const char *out, const char *body)
{
    bool wide_in = strstr(in, "64") != NULL, wide_out = strstr(out, "64") != NULL;
    snprintf(
        text, size,
        ".version 7.5\n.target sm_75\n.address_size 64\n"
        ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd)\n{\n"
        ".reg .b64 %%rd<40>;\n.reg .b32 %%r<40>;\n.reg .pred %%p<8>;\n.reg .b%s %%a, %%b, "
        "%%c;\n.reg .b%s %%d;\n"
        "ld.param.u64 %%rd1, [pa];\nld.param.u64 %%rd2, [pb];\nld.param.u64 %%rd3, "
        "[pc];\nld.param.u64 %%rd4, [pd];\n"
        "cvta.to.global.u64 %%rd11, %%rd1;\ncvta.to.global.u64 %%rd12, %%rd2;\n"
        "cvta.to.global.u64 %%rd13, %%rd3;\ncvta.to.global.u64 %%rd14, %%rd4;\n"
        "mov.u32 %%r1, %%ctaid.x;\nmov.u32 %%r2, %%ntid.x;\nmov.u32 %%r3, %%tid.x;\nmad.lo.s32 "
        "%%r4, %%r1, %%r2, %%r3;\n"
        "mul.wide.s32 %%rd5, %%r4, 8;\n"
        "add.s64 %%rd21, %%rd11, %%rd5;\nadd.s64 %%rd22, %%rd12, %%rd5;\nadd.s64 %%rd23, %%rd13, "
        "%%rd5;\n"
        "add.s64 %%rd24, %%rd14, %%rd5;\n"
        "ld.global.b%s %%a, [%%rd21];\nld.global.b%s %%b, [%%rd22];\nld.global.b%s %%c, [%%rd23];\n"
        "mov.b%s %%d, 0;\n%s\nst.global.b%s [%%rd24], %%d;\nret;\n}\n",
        wide_in ? "64" : "32", wide_out ? "64" : "32", wide_in ? "64" : "32", wide_in ? "64" : "32",
        wide_in ? "64" : "32", wide_out ? "64" : "32", body, wide_out ? "64" : "32");
}

static void execute(const char *text, ww_code code, uint32_t capability, const operands *in,
                    uint64_t *out)
{
    ptx_run r;
    run_open(&r, text);
    r.arch = fixture_machine(capability);
    const uint64_t param[4] = {run_alloc(&r, COUNT * 8, in->a), run_alloc(&r, COUNT * 8, in->b),
                               run_alloc(&r, COUNT * 8, in->c), run_alloc(&r, COUNT * 8, NULL)};
    assert_ok(run_kernel(&r, "k", code, COUNT / BLOCK, BLOCK, param), r.err);
    memcpy(out, run_at(&r, param[3], COUNT * 8), COUNT * 8);
    run_close(&r);
}

typedef struct form {
    const char *in, *out, *body;
} form;

static void compare_modes(const form *f, const operands *in, uint64_t *plain, uint64_t *lowered)
{
    static const struct {
        ww_code code;
        uint32_t capability;
    } modes[] = {
        {WW_CODE_LOWERED, 20}, {WW_CODE_LOWERED, 61}, {WW_CODE_LOWERED, 75}, {WW_CODE_GT200, 20}};
    char text[4096];
    make_kernel(text, sizeof text, f->in, f->out, f->body);
    execute(text, WW_CODE_PTX, 20, in, plain);
    for (size_t k = 0; k < WW_ARRAY_LEN(modes); k++) {
        execute(text, modes[k].code, modes[k].capability, in, lowered);
        for (int i = 0; i < COUNT; i++) {
            if (plain[i] != lowered[i]) {
                fail_msg("%s (%s, capability %u): a=%llx b=%llx c=%llx: PTX %llx, lowered %llx",
                         f->body, modes[k].code == WW_CODE_GT200 ? "gt200" : "lowered",
                         modes[k].capability, (unsigned long long)in->a[i],
                         (unsigned long long)in->b[i], (unsigned long long)in->c[i],
                         (unsigned long long)plain[i], (unsigned long long)lowered[i]);
            }
        }
    }
}

static void run_forms(const form *forms, size_t count, bool floating)
{
    operands *in = malloc(sizeof *in);
    uint64_t *plain = malloc(COUNT * 8), *lowered = malloc(COUNT * 8);
    assert_true(in != NULL && plain != NULL && lowered != NULL);
    for (size_t i = 0; i < count; i++) {
        fill(in, strstr(forms[i].in, "64") != NULL, floating);
        compare_modes(&forms[i], in, plain, lowered);
    }
    free(in);
    free(plain);
    free(lowered);
}

#define RUN(forms, floating) run_forms(forms, sizeof(forms) / sizeof *(forms), floating)

static void integers_of_64_bits(void **unused)
{
    (void)unused;
    static const form forms[] = {
        {"b64", "b64", "add.s64 %d, %a, %b;"},
        {"b64", "b64", "sub.s64 %d, %a, %b;"},
        {"b64", "b64", "mul.lo.s64 %d, %a, %b;"},
        {"b64", "b64", "mul.hi.u64 %d, %a, %b;"},
        {"b64", "b64", "mul.hi.s64 %d, %a, %b;"},
        {"b64", "b64", "mad.lo.s64 %d, %a, %b, %c;"},
        {"b64", "b64", "mov.b64 %d, %a; mul.lo.s64 %d, %d, %d; add.s64 %d, %d, %b;"},
        {"b64", "b64",
         "and.b64 %d, %a, %b; or.b64 %d, %d, %c; xor.b64 %d, %d, %a; not.b64 %d, %d;"},
        {"b64", "b64", "min.s64 %d, %a, %b; max.u64 %d, %d, %c;"},
        {"b64", "b64", "neg.s64 %d, %a;"},
        {"b64", "b64", "abs.s64 %d, %a;"},
        {"b64", "b64", "cvt.u32.u64 %r9, %b; shl.b64 %d, %a, %r9;"},
        {"b64", "b64", "cvt.u32.u64 %r9, %b; shr.u64 %d, %a, %r9;"},
        {"b64", "b64", "cvt.u32.u64 %r9, %b; shr.s64 %d, %a, %r9;"},
        {"b64", "b64",
         "shl.b64 %d, %a, 7; shr.u64 %rd30, %a, 40; shr.s64 %rd31, %a, 3; xor.b64 %d, %d, %rd30; "
         "xor.b64 %d, %d, %rd31;"},
        {"b64", "b64",
         "shl.b64 %d, %a, 32; shr.s64 %rd30, %a, 63; shr.u64 %rd31, %a, 32; add.s64 %d, %d, %rd30; "
         "xor.b64 %d, %d, %rd31;"},
        {"b64", "b32", "popc.b64 %d, %a; clz.b64 %r9, %b; add.s32 %d, %d, %r9;"},
        {"b64", "b64", "setp.lt.s64 %p1, %a, %b; selp.b64 %d, %a, %b, %p1;"},
        {"b64", "b32",
         "setp.eq.s64 %p1, %a, %b; setp.le.u64 %p2, %b, %c; setp.ge.s64 %p3, %a, %c; setp.gt.u64 "
         "%p4, %a, %c;"
         "selp.u32 %r10, 1, 0, %p1; selp.u32 %r11, 2, 0, %p2; selp.u32 %r12, 4, 0, %p3; selp.u32 "
         "%r13, 8, 0, %p4;"
         "add.s32 %d, %r10, %r11; add.s32 %d, %d, %r12; add.s32 %d, %d, %r13;"},
        {"b64", "b32",
         "setp.lt.s64 %p5, %b, %c; setp.ne.and.u64 %p1|%p2, %a, %b, %p5; selp.u32 %r10, 1, 0, %p1; "
         "selp.u32 %r11, 2, 0, %p2; add.s32 %d, %r10, %r11;"},
        {"b64", "b64", "mov.b64 {%r10, %r11}, %a; mov.b64 %d, {%r11, %r10};"},
        {"b64", "b64",
         "@%p1 bra L1; setp.gt.s64 %p1, %a, %b; @%p1 add.s64 %d, %a, %b; @!%p1 sub.s64 %d, %a, %b; "
         "L1:"},
        {"b32", "b64", "mul.wide.s32 %d, %a, %b; mad.wide.u32 %d, %a, %c, %d;"},
        {"b32", "b64", "cvt.u64.u32 %d, %a; cvt.s64.s32 %rd30, %b; add.s64 %d, %d, %rd30;"},
        {"b64", "b64", "div.u64 %d, %a, 7; rem.s64 %rd30, %b, 11; add.s64 %d, %d, %rd30;"},
    };
    RUN(forms, false);
}

static void integers_of_32_bits(void **unused)
{
    (void)unused;
    static const form forms[] = {
        {"b32", "b32", "div.u32 %d, %a, %b;"},
        {"b32", "b32", "div.s32 %d, %a, %b;"},
        {"b32", "b32", "rem.u32 %d, %a, %b;"},
        {"b32", "b32", "rem.s32 %d, %a, %b;"},
        {"b32", "b32", "div.u32 %d, %a, 10; rem.u32 %r9, 1000, %b; add.s32 %d, %d, %r9;"},
        {"b32", "b32", "mov.b32 %d, %a; div.s32 %d, %b, %d;"},
        {"b32", "b32", "setp.gt.u32 %p1, %b, 5; @%p1 div.u32 %d, %a, %b;"},
        {"b32", "b32", "shl.b32 %r9, %a, 3; add.s32 %d, %r9, %b;"},
        {"b32", "b32", "mad.lo.s32 %d, %a, 16, 5;"},
        {"b32", "b32",
         "setp.lt.s32 %p1, %a, %b; @%p1 bra L1; add.s32 %d, %a, 1; mul.lo.s32 %d, %d, %c; L1: "
         "xor.b32 %d, %d, %b;"},
        {"b32", "b32",
         "mov.u32 %d, 0; mov.u32 %r9, 0; L1: add.s32 %d, %d, %a; add.s32 %r9, %r9, 1; and.b32 "
         "%r10, %b, 7;"
         "setp.lt.u32 %p1, %r9, %r10; @%p1 bra L1; add.s32 %d, %d, %r9;"},
        {"b32", "b32", "add.cc.u32 %r9, %a, %b; addc.cc.u32 %r10, %b, %c; addc.u32 %d, %r9, %r10;"},
    };
    RUN(forms, false);
}

static void floats(void **unused)
{
    (void)unused;
    static const form forms[] = {
        {"b32", "b32", "div.rn.f32 %d, %a, %b;"},
        {"b32", "b32", "rcp.rn.f32 %d, %a;"},
        {"b32", "b32", "sqrt.rn.f32 %d, %a;"},
        {"b32", "b32", "div.approx.f32 %d, %a, %b;"},
        {"b32", "b32", "div.full.f32 %d, %a, %b;"},
        {"b32", "b32", "div.approx.ftz.f32 %d, %a, %b;"},
        {"b32", "b32", "div.full.ftz.f32 %d, %a, %b;"},
        {"b32", "b32", "sqrt.approx.f32 %d, %a;"},
        {"b32", "b32", "sqrt.approx.ftz.f32 %d, %a;"},
        {"b32", "b32", "sin.approx.f32 %d, %a; cos.approx.f32 %r9, %b; add.f32 %d, %d, %r9;"},
        {"b32", "b32", "div.rn.ftz.f32 %d, %a, %b;"},
        {"b32", "b32", "div.rz.f32 %d, %a, %b; sqrt.rp.f32 %r9, %c; add.f32 %d, %d, %r9;"},
        {"b32", "b32",
         "neg.f32 %r9, %a; abs.f32 %r10, %b; sub.f32 %d, %r9, %r10; fma.rn.f32 %d, %a, 0f40000000, "
         "%d;"},
        {"b32", "b32", "div.rn.f32 %d, 0f3F800000, %b;"},
        {"b32", "b32", "mov.b32 %d, %b; div.rn.f32 %d, %a, %d;"},
        {"b32", "b32",
         "setp.gt.f32 %p1, %a, %b; @%p1 div.rn.f32 %d, %a, %b; @!%p1 sqrt.rn.f32 %d, %a;"},
    };
    RUN(forms, true);
}

static void doubles(void **unused)
{
    (void)unused;
    static const form forms[] = {
        {"b64", "b64", "div.rn.f64 %d, %a, %b;"},
        {"b64", "b64", "rcp.rn.f64 %d, %a;"},
        {"b64", "b64", "sqrt.rn.f64 %d, %a;"},
        {"b64", "b64",
         "fma.rn.f64 %d, %a, %b, %c; add.f64 %d, %d, 0d3FF199999999999A; mul.f64 %d, %d, "
         "0d4000000000000000;"},
        {"b64", "b64", "neg.f64 %rd30, %a; abs.f64 %rd31, %b; max.f64 %d, %rd30, %rd31;"},
        {"b64", "b64", "setp.lt.f64 %p1, %a, %b; @%p1 div.rn.f64 %d, %b, %a;"},
        {"b64", "b32",
         "cvt.rn.f32.f64 %r9, %a; cvt.f64.f32 %rd30, %r9; cvt.rzi.s32.f64 %d, %rd30;"},
    };
    RUN(forms, true);
}

/* A register that is only defined under a condition inside a loop keeps its value over later
 * iterations, in which the register it copied, or was computed from, has moved on; before the first
 * definition nobody looks at it. */
static void conditional_results_outlive_their_sources(void **unused)
{
    (void)unused;
    static const form forms[] = {
        {"b32", "b32",
         "mov.u32 %r9, 0; mov.u32 %r20, 0; L1: mad.lo.s32 %r10, %r9, %c, %a; and.b32 %r11, %r10, 7;"
         "and.b32 %r12, %b, 7; setp.ne.u32 %p1, %r11, %r12; @%p1 bra L2; mov.u32 %r21, %r10; "
         "mov.u32 %r20, 1;"
         "L2: add.s32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 6; @%p2 bra L1;"
         "setp.ne.u32 %p3, %r20, 0; selp.u32 %d, %r21, 99, %p3;"},
        {"b32", "b32",
         "mov.u32 %r9, 0; mov.u32 %r20, 0; L1: mad.lo.s32 %r10, %r9, %c, %a; and.b32 %r11, %r10, 7;"
         "and.b32 %r12, %b, 7; setp.ne.u32 %p1, %r11, %r12; @%p1 bra L2; shl.b32 %r22, %r10, 2;"
         "mov.u32 %r20, 1; L2: add.s32 %r9, %r9, 1; xor.b32 %r13, %r10, %r9; add.s32 %d, %d, %r13;"
         "setp.lt.u32 %p2, %r9, 6; @%p2 bra L1;"
         "setp.eq.u32 %p3, %r20, 0; @%p3 bra L3; add.s32 %d, %r22, %d; L3:"},
        {"b32", "b32",
         "mov.u32 %r9, 0; mov.u32 %r20, 0; L1: mad.lo.s32 %r10, %r9, %c, %a; and.b32 %r11, %r10, 7;"
         "and.b32 %r12, %b, 7; setp.ne.u32 %p1, %r11, %r12; @!%p1 add.s32 %r23, %r10, 5; @!%p1 "
         "mov.u32 %r20, 1;"
         "add.s32 %r9, %r9, 1; mul.lo.s32 %r14, %r10, %r9; xor.b32 %d, %d, %r14; setp.lt.u32 %p2, "
         "%r9, 6; @%p2 bra L1;"
         "setp.ne.u32 %p3, %r20, 0; @%p3 add.s32 %d, %d, %r23;"},
    };
    RUN(forms, false);
}

/* Against C, which defines these operations as correctly rounded. */
static void exact_operations_are_exact(void **unused)
{
    (void)unused;
    operands *in = malloc(sizeof *in);
    uint64_t *out = malloc(COUNT * 8);
    char text[4096];
    assert_true(in != NULL && out != NULL);
    make_kernel(text, sizeof text, "b32", "b32", "div.rn.f32 %d, %a, %b;");
    for (int round = 0; round < 8; round++) {
        fill(in, false, true);
        execute(text, true, 20, in, out);
        for (int i = 0; i < COUNT; i++) {
            float a, b, q;
            memcpy(&a, &in->a[i], 4);
            memcpy(&b, &in->b[i], 4);
            q = a / b;
            uint32_t want, got = (uint32_t)out[i];
            memcpy(&want, &q, 4);
            if (want != got && q == q) {
                fail_msg("%a / %a = %08x, not %08x", (double)a, (double)b, want, got);
            }
        }
    }
    make_kernel(text, sizeof text, "b64", "b64",
                "div.rn.f64 %d, %a, %b; sqrt.rn.f64 %rd30, %c; xor.b64 %d, %d, %rd30;");
    for (int round = 0; round < 8; round++) {
        fill(in, true, true);
        execute(text, true, 20, in, out);
        for (int i = 0; i < COUNT; i++) {
            double a, b, c, q, s;
            memcpy(&a, &in->a[i], 8);
            memcpy(&b, &in->b[i], 8);
            memcpy(&c, &in->c[i], 8);
            q = a / b;
            s = sqrt(c);
            uint64_t x, y;
            memcpy(&x, &q, 8);
            memcpy(&y, &s, 8);
            if (q == q && s == s && (x ^ y) != out[i]) {
                fail_msg("%a / %a ^ sqrt(%a): %llx, not %llx", a, b, c, (unsigned long long)(x ^ y),
                         (unsigned long long)out[i]);
            }
        }
    }
    free(in);
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_of_32_bits),
        cmocka_unit_test(integers_of_64_bits),
        cmocka_unit_test(floats),
        cmocka_unit_test(doubles),
        cmocka_unit_test(exact_operations_are_exact),
        cmocka_unit_test(conditional_results_outlive_their_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
