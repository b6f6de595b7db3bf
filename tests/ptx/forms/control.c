/* control.c - branches, calls, barriers, fences, addresses: small kernels of which every thread t
 * turns its input a[t] into a result that is worked out by hand. */
#include "forms.h"

enum { THREADS = 128, WARP = 32 };

static uint32_t a[THREADS];

/* %r0: the input; %r1: the result, to be set; q10: 4 t. */
#define BEGIN                                                                                      \
    FORM_BEGIN "mul.wide.u32 %q10, %t, 4; add.u64 %q11, %q0, %q10; add.u64 %q12, %q3, %q10; "      \
               "ld.global.u32 %r0, [%q11]; mov.u32 %r1, 0;\n"
#define STORE "st.global.u32 [%q12], %r1;\n"
#define END   STORE FORM_END

/* ---- sums and the like for the expectations ---- */

static uint32_t triangle(uint32_t n)
{
    return n * (n + 1) / 2;
}

static bool any_above(uint32_t limit, unsigned from, unsigned to)
{
    bool any = false;
    for (unsigned i = from; i < to; i++) {
        any = any || a[i] > limit;
    }
    return any;
}

/* Adds 1 ... n, n differing by thread. */
#define LOOP(branch, count)                                                                        \
    BEGIN "and.b32 %r2, %r0, " count ";\nL: setp.eq.u32 %p1, %r2, 0; @%p1 bra DONE;\n"             \
          "add.u32 %r1, %r1, %r2; sub.u32 %r2, %r2, 1; " branch " L;\nDONE:\n" END

/* Through shared memory, from the far end of the CTA, or of its half of two warps. */
#define MIRROR(form)                                                                               \
    ".shared .align 4 .b8 s[512];\n" BEGIN "mov.u32 %r3, s; mad.lo.u32 %r4, %t, 4, %r3; "          \
    "st.shared.u32 [%r4], %r0;\n" form " 0;\n"                                                     \
    "sub.u32 %r5, 127, %t; mad.lo.u32 %r5, %r5, 4, %r3; ld.shared.u32 %r1, [%r5];\n" form          \
    " 0; add.u32 %r6, %r0, 1; st.shared.u32 [%r4], %r6;\n"                                         \
    "shr.u32 %r7, %t, 6; add.u32 %r7, %r7, 1;\n" form " %r7, 64;\n"                                \
    "xor.b32 %r8, %t, 63; mad.lo.u32 %r8, %r8, 4, %r3; ld.shared.u32 %r9, [%r8]; mad.lo.u32 %r1, " \
    "%r9, 1000, %r1;\n" END

/* Whether all or any inputs are above 90; then of 64 threads. */
#define REDUCED(form)                                                                              \
    BEGIN "setp.gt.u32 %p1, %r0, 90; " form " %p2, 0, %p1; selp.u32 %r1, 1, 0, %p2;\n"             \
          "shr.u32 %r7, %t, 6; add.u32 %r7, %r7, 1; setp.le.u32 %p3, %r7, 1; or.pred %p1, %p1, "   \
          "%p3;\n" form " %p4, %r7, 64, %p1; selp.u32 %r2, 2, 0, %p4; or.b32 %r1, %r1, %r2;\n" END

/* The first warp publishes; the second waits for its flag. */
#define PUBLISHED(fence)                                                                           \
    BEGIN "setp.ge.u32 %p1, %t, 32; @%p1 bra READ;\n"                                              \
          "add.u64 %q13, %q1, %q10; add.u32 %r2, %r0, 5; st.global.u32 [%q13], %r2; " fence        \
          "; st.volatile.global.u32 [%q13+512], 1; mov.u32 %r1, 7; bra OUT;\n"                     \
          "READ: setp.ge.u32 %p1, %t, 64; @%p1 bra OUT;\nadd.u64 %q13, %q1, %q10;\n"               \
          "WAIT: ld.volatile.global.u32 %r3, [%q13+384]; setp.eq.u32 %p2, %r3, 0; @%p2 bra "       \
          "WAIT;\n" fence "; ld.global.u32 %r1, [%q13+-128];\nOUT:\n" END
#define PUBLISHED_WANT t < 32 ? 7 : t < 64 ? a[t - 32] + 5 : 0

/* f: a * 3 + b; g: leaves early for even a. */
#define FUNCTIONS                                                                                  \
    ".func (.param .b32 r) f(.param .b32 x, .param .b32 y) {\n.reg .b32 %r<9>;\n"                  \
    "ld.param.u32 %r1, [x]; ld.param.u32 %r2, [y]; mad.lo.u32 %r3, %r1, 3, %r2; st.param.b32 "     \
    "[r], %r3; ret;\n}\n"                                                                          \
    ".func (.param .b32 r) g(.param .b32 x, .param .b32 y) {\n.reg .b32 %r<9>; .reg .pred "        \
    "%p<3>;\n"                                                                                     \
    "ld.param.u32 %r1, [x]; and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; st.param.b32 [r], "      \
    "%r1;\n"                                                                                       \
    "@%p1 ret;\nadd.u32 %r3, %r1, 100; st.param.b32 [r], %r3;\nret;\n}\n"
#define CALL(form, name)                                                                           \
    "{ .param .b32 x; .param .b32 y; .param .b32 r; st.param.b32 [x], %r0; st.param.b32 [y], "     \
    "%t;\n" form " (r), " name ";\nld.param.b32 %r2, [r]; }\nadd.u32 %r1, %r1, %r2;\n"
#define G_OF(x) ((x) % 2 == 0 ? (x) : (x) + 100)
/* Threads of both parities call f and g through a pointer, then all f and g by name. */
#define CALLS(form)                                                                                \
    FUNCTIONS BEGIN "mov.u64 %q20, f; mov.u64 %q21, g; and.b32 %r3, %t, 1; setp.eq.u32 %p1, %r3, " \
                    "0; selp.b64 %q22, %q20, %q21, %p1;\n"                                         \
                    "P: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);\n" CALL(  \
                        form, "%q22, (x, y), P") CALL(form, "f, (x, y)") CALL(form, "g, (x, y)")   \
                        END

/* Generic addresses by thread: of global, shared, local memory, and nothing. */
#define SPACES(form)                                                                               \
    ".global .align 4 .b8 v[8];\n.shared .align 4 .b8 s[8];\n" BEGIN                               \
    ".local .align 4 .b8 l[8]; mov.u64 %q20, v; cvta.global.u64 %q20, %q20; mov.u64 %q21, s; "     \
    "cvta.shared.u64 %q21, %q21; mov.u64 %q22, l; cvta.local.u64 %q22, %q22; and.b32 %r2, %t, "    \
    "3;\n"                                                                                         \
    "setp.eq.u32 %p1, %r2, 1; selp.b64 %q23, %q21, %q20, %p1; setp.eq.u32 %p1, %r2, 2; selp.b64 "  \
    "%q23, %q22, %q23, %p1; setp.eq.u32 %p1, %r2, 3; selp.b64 %q23, %q0, %q23, %p1;\n" form        \
    " %p2, %q23; selp.u32 %r1, 1, 0, %p2;\n" END

static const struct control {
    const char *form;
    const char *text;
    ww_status status;
} rows[] = {
    {"bra", LOOP("bra", "15"), WW_OK},
    {"bra.uni", LOOP("bra.uni", "15"), WW_OK},
    {"bar.sync", MIRROR("bar.sync"), WW_OK},
    {"barrier.sync", MIRROR("barrier.sync"), WW_OK},
    {"bar.red.or.pred", REDUCED("bar.red.or.pred"), WW_OK},
    {"bar.red.and.pred", REDUCED("bar.red.and.pred"), WW_OK},
    {"membar.cta", PUBLISHED("membar.cta"), WW_OK},
    {"membar.gl", PUBLISHED("membar.gl"), WW_OK},
    {"membar.sys", PUBLISHED("membar.sys"), WW_OK},
    {"fence.sc.cta", PUBLISHED("fence.sc.cta"), WW_OK},
    {"brx.idx",
     BEGIN "and.b32 %r2, %r0, 3; T: .branchtargets A, B, C, B;\nbrx.idx %r2, T;\n"
           "A: mov.u32 %r1, 10; bra D;\nB: mov.u32 %r1, 20; bra D;\nC: mov.u32 %r1, 30;\n"
           "D: add.u32 %r1, %r1, %r2;\n" END,
     WW_OK},
    {"bar.arrive", /* the upper half brings values, the lower one takes them */
     ".shared .align 4 .b8 s[512];\n" BEGIN "mov.u32 %r3, s; mad.lo.u32 %r4, %t, 4, %r3; "
     "setp.lt.u32 %p1, %t, 64; @%p1 bra TAKE;\nst.shared.u32 [%r4], %r0; bar.arrive 3, 128; bra "
     "OUT;\nTAKE: bar.sync 3, 128; ld.shared.u32 %r1, [%r4+256];\nOUT:\n" END,
     WW_OK},
    {"bar.red.popc.u32", BEGIN "setp.gt.u32 %p1, %r0, 40; bar.red.popc.u32 %r1, 0, %p1;\n" END,
     WW_OK},
    {"isspacep.shared", SPACES("isspacep.shared"), WW_OK},
    {"isspacep.global", SPACES("isspacep.global"), WW_OK},
    {"isspacep.local", SPACES("isspacep.local"), WW_OK},
    {"call", CALLS("call"), WW_OK},
    {"call.uni", FUNCTIONS BEGIN CALL("call.uni", "f, (x, y)") CALL("call.uni", "g, (x, y)") END,
     WW_OK},
    {"ret",
     FUNCTIONS BEGIN CALL("call.uni", "g, (x, y)") STORE
     "setp.gt.u32 %p1, %r0, 50; @%p1 ret;\nadd.u32 %r1, %r1, 1000;\n" END,
     WW_OK},
    {"exit",
     ".func h(.param .b32 x) {\n.reg .b32 %r<3>; .reg .pred %p<3>;\nld.param.u32 %r1, [x]; "
     "setp.gt.u32 %p1, %r1, 50; @%p1 exit;\nret;\n}\n" BEGIN "mov.u32 %r1, 3;\n" STORE
     "{ .param .b32 x; st.param.b32 [x], %r0; call.uni h, (x); }\n"
     "bar.sync 0; add.u32 %r1, %r0, 9;\n" END,
     WW_OK},
    {"trap", BEGIN "setp.eq.u32 %p1, %t, 77; @%p1 trap;\n" END, WW_EKERNEL},
    {"nanosleep.u32", BEGIN "nanosleep.u32 %r0; nanosleep.u32 20; add.u32 %r1, %r0, 1;\n" END,
     WW_OK},
    {"prefetch.global.L2", BEGIN "prefetch.global.L2 [%q11]; add.u32 %r1, %r0, 1;\n" END, WW_OK},
    {"cvta.global.u64",
     ".global .align 4 .b8 v[512];\n" BEGIN "mov.u64 %q20, v; cvta.global.u64 %q21, %q20; add.u64 "
     "%q21, %q21, %q10; st.u32 [%q21], %r0; add.u64 %q20, %q20, %q10; ld.global.u32 %r1, "
     "[%q20];\n" END,
     WW_OK},
    {"cvta.to.global.u64",
     ".global .align 4 .b8 v[512];\n" BEGIN "mov.u64 %q20, v; cvta.global.u64 %q21, %q20; "
     "cvta.to.global.u64 %q22, %q21; sub.u64 %q23, %q22, %q20; cvt.u32.u64 %r1, %q23; add.u64 "
     "%q22, "
     "%q22, %q10; st.global.u32 [%q22], %r0; add.u64 %q21, %q21, %q10; ld.u32 %r2, [%q21]; add.u32 "
     "%r1, %r1, %r2;\n" END,
     WW_OK},
    {"cvta.shared.u64",
     ".shared .align 4 .b8 s[512];\n" BEGIN "mov.u64 %q20, s; cvta.shared.u64 %q21, %q20; add.u64 "
     "%q21, %q21, %q10; st.u32 [%q21], %r0; add.u64 %q20, %q20, %q10; ld.shared.u32 %r1, "
     "[%q20];\n" END,
     WW_OK},
    {"cvta.local.u64",
     BEGIN
     ".local .align 4 .b8 l[16]; mov.u64 %q20, l; cvta.local.u64 %q21, %q20; st.u32 [%q21+4], "
     "%r0; ld.local.u32 %r1, [%q20+4];\n" END,
     WW_OK},
    {"cvta.to.local.u64",
     BEGIN
     ".local .align 4 .b8 l[16]; mov.u64 %q20, l; cvta.local.u64 %q21, %q20; cvta.to.local.u64 "
     "%q22, %q21; st.local.u32 [%q22+8], %r0; ld.u32 %r1, [%q21+8];\n" END,
     WW_OK},
};

static uint32_t want(const char *form, unsigned t)
{
    unsigned half = t / 64 * 64;
    if (strcmp(form, "bra") == 0 || strcmp(form, "bra.uni") == 0) {
        return triangle(a[t] & 15);
    }
    if (strcmp(form, "bar.sync") == 0 || strcmp(form, "barrier.sync") == 0) {
        return a[127 - t] + 1000 * (a[t ^ 63] + 1);
    }
    if (strcmp(form, "bar.red.or.pred") == 0) { /* every thread of the first half votes yes */
        return any_above(90, 0, THREADS) | (half == 0 || any_above(90, 64, 128) ? 2u : 0u);
    }
    if (strcmp(form, "bar.red.and.pred") == 0) {
        return half == 0 ? 2 : 0;
    }
    if (strncmp(form, "membar", 6) == 0 || strncmp(form, "fence", 5) == 0) {
        return PUBLISHED_WANT;
    }
    if (strcmp(form, "brx.idx") == 0) {
        static const uint32_t base[] = {10, 20, 30, 20};
        return base[a[t] & 3] + (a[t] & 3);
    }
    if (strcmp(form, "bar.arrive") == 0) {
        return t < 64 ? a[t + 64] : 0;
    }
    if (strcmp(form, "bar.red.popc.u32") == 0) {
        uint32_t n = 0;
        for (unsigned i = 0; i < THREADS; i++) {
            n += a[i] > 40;
        }
        return n;
    }
    if (strncmp(form, "isspacep", 8) == 0) {
        bool global = t % 4 == 0 || t % 4 == 3;
        return form_has(form, "global")   ? global
               : form_has(form, "shared") ? t % 4 == 1
                                          : t % 4 == 2;
    }
    if (strcmp(form, "call") == 0) {
        uint32_t f = a[t] * 3 + t, g = G_OF(a[t]);
        return (t % 2 == 0 ? f : g) + f + g;
    }
    if (strcmp(form, "call.uni") == 0) {
        return a[t] * 3 + t + G_OF(a[t]);
    }
    if (strcmp(form, "ret") == 0) {
        return G_OF(a[t]) + (a[t] > 50 ? 0 : 1000);
    }
    if (strcmp(form, "exit") == 0) {
        return a[t] > 50 ? 3 : a[t] + 9;
    }
    bool plus_one = form[0] == 'n' || form[0] == 'p';
    return a[t] + plus_one;
}

static const struct control *find(const char *form)
{
    for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
        if (strcmp(rows[i].form, form) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

static bool claims(const char *form)
{
    return find(form) != NULL;
}

static void check(const char *form, bool lowered, form_log *log)
{
    const struct control *row = find(form);
    uint32_t out[THREADS], room[2 * THREADS] = {0}, input[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        bool uniform = strcmp(form, "bra.uni") == 0;
        a[i] = uniform ? 11 + i / WARP : (i * 37 + 11) % 97;
    }
    memcpy(input, a, sizeof a);
    memset(out, 0, sizeof out);
    form_launch l = {
        .text = row->text,
        .grid = 1,
        .block = THREADS,
        .buffer_count = 4,
        .buffer = {{input, sizeof input}, {room, sizeof room}, {room, 8}, {out, sizeof out}},
        .want = row->status};
    if (!form_run(&l, form, lowered, log) || row->status != WW_OK) {
        return;
    }
    for (unsigned t = 0; t < THREADS; t++) {
        if (out[t] != want(form, t)) {
            form_fail(log, form, "lowered %d, thread %u: %u, not %u", lowered, t, out[t],
                      want(form, t));
            return;
        }
    }
}

const form_family form_control = {"control, barriers, addresses", claims, check};
