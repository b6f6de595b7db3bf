/* atomic.c - atom and red: every operation on values of its own per thread, then many threads on
 * one address, whose old values must follow from one another in some order. */
#include <stdio.h>

#include "base/str.h"
#include "ieee.h"

enum { BLOCK = 64, CTAS = 16, THREADS = BLOCK * CTAS };

typedef struct atomic {
    const char *form;
    const char *operation;
    unsigned bits;
    char type; /* b, u, s, f */
    bool returns, shared, generic;
} atomic;

static const char *const operations[] = {"add", "cas", "exch", "min", "max",
                                         "inc", "dec", "and",  "or",  "xor"};

static atomic decode(const char *form)
{
    atomic a = {.form = form, .returns = form[0] == 'a', .operation = NULL};
    for (size_t i = 0; i < WW_ARRAY_LEN(operations); i++) {
        a.operation = form_has(form, operations[i]) ? operations[i] : a.operation;
    }
    a.type = form_last(form)[0];
    a.bits = (unsigned)strtoul(form_last(form) + 1, NULL, 10);
    a.shared = form_has(form, "shared");
    a.generic = !a.shared && !form_has(form, "global");
    return a;
}

static bool is(const atomic *a, const char *operation)
{
    return strcmp(a->operation, operation) == 0;
}

/* ---- the operations by the manual ---- */

/* Global atomics on f32 flush subnormals, shared ones do not: PTX manual, "atom". */
static uint64_t sum(const atomic *a, uint64_t old, uint64_t b, bool shared)
{
    if (a->type != 'f') {
        return old + b;
    }
    if (a->bits == 64) {
        return bits64_of(ieee_add64(f64_of(old), f64_of(b), 0, IEEE_RN));
    }
    float x = form_f32_of(old), y = form_f32_of(b);
    return shared ? bits_of(ieee_add32(x, y, 0, IEEE_RN))
                  : bits_of(ieee_flush(ieee_add32(ieee_flush(x), ieee_flush(y), 0, IEEE_RN)));
}

static bool below(const atomic *a, uint64_t x, uint64_t y)
{
    uint64_t flip = a->type == 's' ? UINT64_C(1) << (a->bits - 1) : 0;
    return (x ^ flip) < (y ^ flip);
}

static uint64_t updated(const atomic *a, uint64_t old, uint64_t b, uint64_t c, bool shared)
{
    uint64_t v = is(a, "add")    ? sum(a, old, b, shared)
                 : is(a, "cas")  ? (old == b ? c : old)
                 : is(a, "exch") ? b
                 : is(a, "min")  ? (below(a, b, old) ? b : old)
                 : is(a, "max")  ? (below(a, old, b) ? b : old)
                 : is(a, "inc")  ? (old >= b ? 0 : old + 1)
                 : is(a, "dec")  ? (old == 0 || old > b ? b : old - 1)
                 : is(a, "and")  ? (old & b)
                 : is(a, "or")   ? (old | b)
                                 : (old ^ b);
    return a->bits == 64 ? v : (uint32_t)v;
}

static bool same(const atomic *a, uint64_t got, uint64_t want)
{
    if (a->type != 'f') {
        return got == want;
    }
    return got == want || (a->bits == 64 ? isnan(f64_of(got)) && isnan(f64_of(want))
                                         : isnan(form_f32_of(got)) && isnan(form_f32_of(want)));
}

/* ---- values ---- */

static uint64_t value(const atomic *a, uint64_t *state)
{
    static const uint64_t words[] = {0,          1,          2,          7,          8,
                                     0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 0x12345678};
    static const uint64_t longs[] = {0,          1,          0x7fffffffffffffff, 0x8000000000000000,
                                     UINT64_MAX, 0xffffffff, 0x100000000};
    static const float reals[] = {
        0.0f,      -0.0f,    1.0f,      -1.0f, 0x1p-149f, -0x1p-127f, 0x1p-126f,  0x1p127f,
        -0x1p127f, INFINITY, -INFINITY, NAN,   1.5f,      0x1p-24f,   0x1.8p-24f, 16777216.0f};
    uint64_t r = form_random(state);
    if (a->type == 'f') {
        float f = reals[(r >> 8) % WW_ARRAY_LEN(reals)];
        uint64_t bits = a->bits == 64 ? bits64_of((double)f) : bits_of(f);
        return r & 1 ? bits : bits64_of((double)(r >> 40)) >> (64 - a->bits);
    }
    uint64_t corner = a->bits == 64 ? longs[(r >> 8) % WW_ARRAY_LEN(longs)]
                                    : words[(r >> 8) % WW_ARRAY_LEN(words)];
    uint64_t any = form_random(state);
    return r & 1 ? corner : a->bits == 64 ? any : (uint32_t)any;
}

/* ---- kernel ---- */

/* q11 has the address, in the space of the form; an odd thread of a generic form uses shared
 * memory. */
static void add_form(ww_str *t, const atomic *a)
{
    const char *c = a->type == 'f' ? "f" : "b";
    ww_str_addf(t,
                ".reg .%s%u %%e<4>;\nld.global.%s%u %%e1, [%%q12]; ld.global.%s%u %%e2, [%%q13];\n",
                c, a->bits, c, a->bits, c, a->bits);
    ww_str_addf(t, "%s %s[%%q11], %%e1%s;\n", a->form, a->returns ? "%e0, " : "",
                is(a, "cas") ? ", %e2" : "");
    if (a->returns) {
        ww_str_addf(t, "st.global.%s%u [%%q14], %%e0;\n", c, a->bits);
    }
}

/* Every thread on a word of its own of p0, or all on the first; by way of shared memory for its
 * forms. */
static void make_text(ww_str *t, const atomic *a, bool own)
{
    ww_str_addf(t, ".shared .align 8 .b8 s[%u];\n", 8 * BLOCK);
    ww_str_add(t, FORM_BEGIN);
    ww_str_addf(t,
                "mov.u32 %%r1, %%ctaid.x; mad.lo.u32 %%r1, %%r1, %u, %%t; mul.wide.u32 %%q10, "
                "%%r1, 8; add.u64 %%q12, %%q1, %%q10; add.u64 %%q13, %%q2, %%q10; add.u64 %%q14, "
                "%%q3, %%q10; mul.wide.u32 %%q15, %%t, 8;\nmov.u64 %%q16, s;\n",
                BLOCK);
    ww_str_add(t, own ? "add.u64 %q0, %q0, %q10; add.u64 %q16, %q16, %q15;\n" : "");
    ww_str_add(t, "setp.ne.u32 %p3, %t, 0; and.b32 %r2, %t, 1; setp.eq.u32 %p1, %r2, 1;\n");
    bool shared = a->shared || (a->generic && own);
    if (shared) {
        ww_str_addf(
            t, "%sld.global.b64 %%q20, [%%q0]; st.shared.b64 [%%q16], %%q20;\nREADY: bar.sync 0;\n",
            own ? "" : "@%p3 bra READY;\n");
    }
    ww_str_addf(t, "mov.b64 %%q11, %s;\n", a->shared ? "%q16" : "%q0");
    if (a->generic && own) {
        ww_str_add(t, "cvta.shared.u64 %q17, %q16; selp.b64 %q11, %q17, %q0, %p1;\n");
    }
    add_form(t, a);
    if (shared) {
        ww_str_addf(t,
                    "bar.sync 0;\n%sld.shared.b64 %%q20, [%%q16]; st.global.b64 [%%q0], %%q20;\n",
                    a->generic ? "@!%p1 bra END;\n" : "");
    }
    ww_str_add(t, "END:\n" FORM_END);
}

static uint64_t memory[THREADS], first[THREADS], b[THREADS], c[THREADS], old[THREADS];

static bool run(const atomic *a, bool own, unsigned ctas, bool lowered, form_log *log)
{
    ww_str text = {0};
    make_text(&text, a, own);
    memset(old, 0, sizeof old);
    memcpy(memory, first, sizeof memory);
    form_launch l = {
        .text = ww_str_text(&text),
        .grid = ctas,
        .block = BLOCK,
        .buffer_count = 4,
        .buffer = {{memory, sizeof memory}, {b, sizeof b}, {c, sizeof c}, {old, sizeof old}}};
    bool ok = form_run(&l, a->form, lowered, log);
    ww_str_fini(&text);
    return ok;
}

static void check_own(const atomic *a, bool lowered, form_log *log)
{
    uint64_t state = 0x9e3779b97f4a7c15;
    for (unsigned i = 0; i < THREADS; i++) {
        first[i] = value(a, &state);
        b[i] = i % 3 == 0 ? first[i] : value(a, &state);
        c[i] = value(a, &state);
    }
    if (!run(a, true, CTAS, lowered, log)) {
        return;
    }
    for (unsigned i = 0; i < THREADS; i++) {
        bool shared = a->shared || (a->generic && i % 2 == 1);
        uint64_t want = updated(a, first[i], b[i], c[i], shared);
        if (!same(a, memory[i], want) || old[i] != (a->returns ? first[i] : 0)) {
            form_fail(log, a->form, "lowered %d: %llx and %llx, %llx: %llx, not %llx; old %llx",
                      lowered, (unsigned long long)first[i], (unsigned long long)b[i],
                      (unsigned long long)c[i], (unsigned long long)memory[i],
                      (unsigned long long)want, (unsigned long long)old[i]);
            return;
        }
    }
}

/* The next thread in an order that explains the old values: one that saw the present value; those
 * that do not change it first. (Of xor, which leads to a value in many ways, only the end is
 * checked.) */
static int next_thread(const atomic *a, uint64_t present, const bool *done, unsigned threads)
{
    int found = -1;
    for (unsigned i = 0; i < threads; i++) {
        if (!done[i] && (!a->returns || is(a, "xor") || old[i] == present)) {
            found = (int)i;
            if (updated(a, present, b[i], c[i], a->shared) == present) {
                return found;
            }
        }
    }
    return found;
}

static void check_shared_word(const atomic *a, bool lowered, form_log *log)
{
    unsigned ctas = a->shared ? 1 : 2, threads = ctas * BLOCK;
    bool done[2 * BLOCK] = {false};
    for (unsigned i = 0; i < threads; i++) {
        uint64_t small = is(a, "inc") || is(a, "dec") ? 40 : i % 7 + (is(a, "exch") ? 100 * i : 1);
        b[i] = a->type != 'f'  ? small
               : a->bits == 64 ? bits64_of((double)small)
                               : bits_of((float)small);
        c[i] = i + 1;
    }
    first[0] = is(a, "and") ? 0xfffffff0 : 0;
    if (!run(a, false, ctas, lowered, log)) {
        return;
    }
    uint64_t present = first[0];
    for (unsigned n = 0; n < threads; n++) {
        int i = next_thread(a, present, done, threads);
        if (i < 0) {
            form_fail(log, a->form, "lowered %d: no order of threads explains the old values",
                      lowered);
            return;
        }
        done[i] = true;
        present = updated(a, present, b[i], c[i], a->shared);
    }
    if (memory[0] != present) {
        form_fail(log, a->form, "lowered %d: one word by all: %llx, not %llx", lowered,
                  (unsigned long long)memory[0], (unsigned long long)present);
    }
}

static bool claims(const char *form)
{
    static const char *const prefixes[] = {"atom.", "red.", NULL};
    return form_starts(form, prefixes) && !form_bulk.claims(form) && !form_cluster.claims(form);
}

static void check(const char *form, bool lowered, form_log *log)
{
    atomic a = decode(form);
    if (a.operation == NULL) {
        form_fail(log, form, "no operation known here");
        return;
    }
    check_own(&a, lowered, log);
    check_shared_word(&a, lowered, log);
}

const form_family form_atomic = {"atomics and reductions", claims, check};
