/* bulk.c - bulk copies and reductions, stores that complete a transaction, and how threads learn
 * that they are done. */
#include <stdio.h>

#include "base/str.h"
#include "forms.h"
#include "halves.h"

/* BYTES is no multiple of what one pass of a warp moves; the bytes around must stay. */
enum { THREADS = 64, ROOM = 2048, BYTES = 1040, TO = 64, FROM = 32 };

static unsigned char memory[ROOM], out[ROOM];

static void fill(bool floats)
{
    uint64_t state = 0x9e3779b97f4a7c15;
    for (unsigned i = 0; i < ROOM; i += 8) {
        uint64_t v[2] = {form_random(&state), form_random(&state)};
        for (unsigned k = 0; k < 2; k++) { /* middling numbers in any format */
            v[k] = floats ? (v[k] & 0x87ff87ff87ff87ff) | 0x4000400040004000 : v[k];
        }
        memcpy(memory + i, &v[0], 8);
        memcpy(out + i, &v[1], 8);
    }
}

static bool run(const char *form, const char *text, bool lowered, form_log *log)
{
    form_launch l = {.text = text,
                     .grid = 1,
                     .block = THREADS,
                     .buffer_count = 4,
                     .buffer = {{memory, ROOM}, {memory, 8}, {memory, 8}, {out, ROOM}}};
    return form_run(&l, form, lowered, log);
}

#define SHARED                                                                                     \
    ".shared .align 16 .b8 s[2048];\n.shared .align 16 .b8 d[2048];\n.shared .align 8 .b64 bar;\n"
/* Two arrays in shared memory with what p0 and p3 hold, and an mbarrier for one arrival. */
#define BEGIN                                                                                      \
    SHARED FORM_BEGIN                                                                              \
        "mov.u32 %r20, s; mov.u32 %r21, d; mov.u32 %r22, bar; mul.wide.u32 %q10, %t, 32; "         \
        "add.u64 %q11, %q0, %q10; add.u64 %q12, %q3, %q10; cvt.u32.u64 %r1, %q10; add.u32 %r23, "  \
        "%r20, %r1; add.u32 %r24, %r21, %r1;\n"                                                    \
        "ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%q11]; st.shared.v4.b32 [%r23], {%r4, %r5, %r6, " \
        "%r7}; ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%q11+16]; st.shared.v4.b32 [%r23+16], "     \
        "{%r4, %r5, %r6, %r7};\n"                                                                  \
        "ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%q12]; st.shared.v4.b32 [%r24], {%r4, %r5, %r6, " \
        "%r7}; ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%q12+16]; st.shared.v4.b32 [%r24+16], "     \
        "{%r4, %r5, %r6, %r7};\n"                                                                  \
        "setp.ne.u32 %p1, %t, 0; @%p1 bra READY; mbarrier.init.shared.b64 [%r22], 1; "             \
        "fence.proxy.async;\nREADY: bar.sync 0;\n"
/* All wait for the transaction, then the second array goes out. */
#define WAIT                                                                                       \
    "WAITING: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r22], 0; @!%p2 bra WAITING;\n"
#define END                                                                                        \
    "ld.shared.v4.b32 {%r4, %r5, %r6, %r7}, [%r24]; st.global.v4.b32 [%q12], {%r4, %r5, %r6, "     \
    "%r7}; ld.shared.v4.b32 {%r4, %r5, %r6, %r7}, [%r24+16]; st.global.v4.b32 [%q12+16], {%r4, "   \
    "%r5, %r6, %r7};\n" FORM_END

/* ---- what memory holds then ---- */

static uint64_t element(const unsigned char *p, unsigned bytes)
{
    uint64_t v = 0;
    memcpy(&v, p, bytes);
    return v;
}

static double as_double(uint64_t v, const char *type)
{
    return strcmp(type, "f16") == 0    ? f16_value((uint32_t)v)
           : strcmp(type, "bf16") == 0 ? bf16_value((uint32_t)v)
           : strcmp(type, "f32") == 0  ? (double)form_f32_of(v)
                                       : f64_of(v);
}

static uint64_t sum(uint64_t a, uint64_t b, const char *type)
{
    double v = as_double(a, type) + as_double(b, type); /* exact below f64: near exponents */
    return strcmp(type, "f16") == 0    ? f16_from(v)
           : strcmp(type, "bf16") == 0 ? bf16_from(v)
           : strcmp(type, "f32") == 0  ? bits_of((float)v)
                                       : bits64_of(v);
}

static uint64_t reduced(const char *form, uint64_t old, uint64_t v, unsigned bytes)
{
    const char *type = form_last(form);
    bool is_signed = type[0] == 's';
    int64_t so = bytes == 4 ? (int32_t)old : (int64_t)old,
            sv = bytes == 4 ? (int32_t)v : (int64_t)v;
    bool real = strcmp(type, "f16") == 0 || strcmp(type, "bf16") == 0;
    bool less = real ? as_double(v, type) < as_double(old, type) : is_signed ? sv < so : v < old;
    return form_has(form, "min")              ? (less ? v : old)
           : form_has(form, "max")            ? (less ? old : v)
           : form_has(form, "and")            ? (old & v)
           : form_has(form, "or")             ? (old | v)
           : form_has(form, "xor")            ? (old ^ v)
           : form_has(form, "inc")            ? (old >= v ? 0 : old + 1)
           : form_has(form, "dec")            ? (old == 0 || old > v ? v : old - 1)
           : type[0] == 'f' || type[0] == 'b' ? sum(old, v, type)
                                              : old + v;
}

static unsigned size_of(const char *type)
{
    return strcmp(type, "f16") == 0 || strcmp(type, "bf16") == 0 ? 2
           : strstr(type, "64") != NULL                          ? 8
                                                                 : 4;
}

static void expect(const char *form, const unsigned char *before, unsigned char *want)
{
    bool reduces = strncmp(form, "cp.reduce", 9) == 0;
    memcpy(want, before, ROOM);
    if (!reduces) {
        memcpy(want + TO, memory + FROM, BYTES);
        return;
    }
    unsigned bytes = size_of(form_last(form));
    for (unsigned i = 0; i < BYTES; i += bytes) {
        uint64_t v = reduced(form, element(before + TO + i, bytes),
                             element(memory + FROM + i, bytes), bytes);
        memcpy(want + TO + i, &v, bytes);
    }
}

/* ---- the kernels ---- */

static void make_copy(ww_str *t, const char *form)
{
    const char *policy = form_has(form, "L2::cache_hint") ? ", %q20" : "";
    ww_str_add(t, BEGIN "@%p1 bra STARTED; createpolicy.fractional.L2::evict_first.b64 %q20;\n");
    if (form_has(form, "bulk_group")) {
        ww_str_addf(t, "add.u64 %%q13, %%q3, %d; %s [%%q13], [%%r20+%d], %d%s;\n", TO, form, FROM,
                    BYTES, policy);
        ww_str_add(t, "cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0; "
                      "cp.async.bulk.wait_group 0;\nSTARTED:\n" FORM_END);
        return;
    }
    bool global = form_has(form, "global");
    ww_str_addf(t,
                "mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%%r22], %d;\n"
                "add.u64 %%q13, %%q0, %d; add.u32 %%r25, %%r20, %d; %s [%%r21+%d], [%s], %d, "
                "[%%r22]%s;\n",
                BYTES, FROM, FROM, form, TO, global ? "%q13" : "%r25", BYTES, policy);
    ww_str_add(t, "STARTED:\n" WAIT END);
}

static void check_copy(const char *form, bool lowered, form_log *log)
{
    ww_str text = {0};
    static unsigned char want[ROOM];
    const char *type = form_last(form);
    fill(type[0] == 'f' || strcmp(type, "bf16") == 0);
    expect(form, out, want);
    make_copy(&text, form);
    if (run(form, ww_str_text(&text), lowered, log) && memcmp(out, want, ROOM) != 0) {
        unsigned i = 0;
        while (out[i] == want[i]) {
            i++;
        }
        form_fail(log, form, "lowered %d: byte %u is %u, not %u", lowered, i, out[i], want[i]);
    }
    ww_str_fini(&text);
}

/* Each thread stores into, or adds to, its 32 bytes of the second array. */
static void check_store(const char *form, bool lowered, form_log *log)
{
    unsigned vec = form_has(form, "v4") ? 4 : form_has(form, "v2") ? 2 : 1;
    unsigned bytes = size_of(form_last(form));
    bool adds = form[0] == 'r', wide = bytes == 8;
    static unsigned char want[ROOM];
    ww_str text = {0};
    fill(false);
    memcpy(want, out, ROOM);
    for (unsigned t = 0; t < THREADS; t++) {
        uint64_t v = element(memory + 32 * t, bytes), old = element(out + 32 * t, bytes);
        v = adds ? reduced(form, old, v, bytes) : v;
        for (unsigned k = 0; k < vec; k++) {
            memcpy(want + 32 * t + k * bytes, &v, bytes);
        }
    }
    const char *r = wide ? "%q15" : "%r4";
    ww_str_add(&text, BEGIN);
    ww_str_addf(&text,
                "@%%p1 bra STARTED; mbarrier.arrive.expect_tx.shared.b64 _, [%%r22], %u;\n"
                "STARTED: ld.shared.b%u %s, [%%r23]; ",
                THREADS * vec * bytes, 8 * bytes, r);
    if (vec == 1) {
        ww_str_addf(&text, "%s [%%r24], %s, [%%r22];\n", form, r);
    } else {
        ww_str_addf(&text, "%s [%%r24], {%s, %s%s%s%s%s}, [%%r22];\n", form, r, r,
                    vec == 4 ? ", " : "", vec == 4 ? r : "", vec == 4 ? ", " : "",
                    vec == 4 ? r : "");
    }
    ww_str_add(&text, WAIT END);
    if (run(form, ww_str_text(&text), lowered, log) && memcmp(out, want, ROOM) != 0) {
        form_fail(log, form, "lowered %d: other bytes than stored", lowered);
    }
    ww_str_fini(&text);
}

static bool claims(const char *form)
{
    static const char *const prefixes[] = {"cp.async.bulk.", "cp.reduce.async.bulk.", "st.async.",
                                           "red.async.", NULL};
    return form_starts(form, prefixes) && !form_tensor.claims(form) && !form_clusters.claims(form);
}

static void check(const char *form, bool lowered, form_log *log)
{
    if (form_has(form, "commit_group") || form_has(form, "wait_group")) { /* around a copy */
        check_copy("cp.async.bulk.global.shared::cta.bulk_group", lowered, log);
    } else if (form_has(form, "prefetch")) {
        ww_str text = {0};
        bool hint = form_has(form, "L2::cache_hint");
        ww_str_add(&text, FORM_BEGIN "createpolicy.fractional.L2::evict_last.b64 %q20, 0.5;\n");
        ww_str_addf(&text, "%s [%%q0], 64%s;\n", form, hint ? ", %q20" : "");
        ww_str_add(&text, "st.global.u32 [%q3], 7;\n" FORM_END);
        if (run(form, ww_str_text(&text), lowered, log) && element(out, 4) != 7) {
            form_fail(log, form, "lowered %d: the kernel did not go on", lowered);
        }
        ww_str_fini(&text);
    } else if (form[0] == 'c') {
        check_copy(form, lowered, log);
    } else {
        check_store(form, lowered, log);
    }
}

const form_family form_bulk = {"bulk copies and transactions", claims, check};
