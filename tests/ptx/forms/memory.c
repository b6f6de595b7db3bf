/* memory.c - ld and st of every space, type and vector length, plain, volatile, ordered, with cache
 * operators: the bytes of a pattern, extended or cut as the manual says. Each form runs with
 * registers of its own size and, for integers, with wider ones. */
#include <stdio.h>

#include "base/str.h"
#include "forms.h"

enum { THREADS = 64, MOST_BYTES = 32, MOST_ELEMENTS = 8, SHIFT = 16 };

typedef struct access {
    const char *form;
    const char *space; /* global, shared, local, const, param, or generic */
    unsigned elements, bits;
    char type; /* b, u, s, f */
    bool wide; /* 64-bit registers */
    unsigned bytes;
} access;

static access decode(const char *form, bool wide)
{
    static const char *const spaces[] = {"global", "shared", "local", "const", "param"};
    access a = {.form = form, .space = "generic", .elements = 1, .wide = wide};
    for (size_t i = 0; i < WW_ARRAY_LEN(spaces); i++) {
        a.space = form_has(form, spaces[i]) ? spaces[i] : a.space;
    }
    for (unsigned n = 2; n <= MOST_ELEMENTS; n *= 2) {
        char word[4] = {'v', (char)('0' + n), '\0'};
        a.elements = form_has(form, word) ? n : a.elements;
    }
    a.type = form_last(form)[0];
    a.bits = (unsigned)strtoul(form_last(form) + 1, NULL, 10);
    a.bytes = a.bits / 8 * a.elements;
    return a;
}

static bool in(const access *a, const char *space)
{
    return strcmp(a->space, space) == 0;
}

static unsigned register_bits(const access *a)
{
    return a->wide ? 64 : a->bits < 16 ? 16 : a->bits;
}

static void pattern(unsigned char *bytes, size_t n)
{
    uint64_t state = 0x9e3779b97f4a7c15;
    for (size_t i = 0; i < n; i++) {
        bytes[i] = (unsigned char)(form_random(&state) >> 24);
    }
}

/* ---- pieces of text ---- */

static void add_elements(ww_str *t, const access *a)
{
    ww_str_add(t, a->elements > 1 ? "{" : "");
    for (unsigned k = 0; k < a->elements; k++) {
        ww_str_addf(t, "%s%%e%u", k > 0 ? ", " : "", k);
    }
    ww_str_add(t, a->elements > 1 ? "}" : "");
}

/* Copies so many bytes between addresses in registers; `from` and `to` are opcodes. */
static void add_copy(ww_str *t, unsigned id, const char *to, const char *to_at, const char *from,
                     const char *from_at, unsigned bytes)
{
    ww_str_addf(t,
                "mov.u32 %%r9, 0;\nC%u: cvt.u64.u32 %%q30, %%r9; add.u64 %%q31, %%q30, %s; "
                "%s.u8 %%h9, [%%q31]; add.u64 %%q31, %%q30, %s; %s.u8 [%%q31], %%h9; add.u32 "
                "%%r9, %%r9, 1; setp.lt.u32 %%p9, %%r9, %u; @%%p9 bra C%u;\n",
                id, from_at, from, to_at, to, bytes, id);
}

static void add_variables(ww_str *t, const access *a, const unsigned char *bytes)
{
    if (in(a, "const")) {
        ww_str_addf(t, ".const .align 32 .b8 c[%u] = {", THREADS * a->bytes);
        for (unsigned i = 0; i < THREADS * a->bytes; i++) {
            ww_str_addf(t, "%s%u", i > 0 ? ", " : "", bytes[i]);
        }
        ww_str_add(t, "};\n");
    }
    ww_str_addf(t, ".shared .align 32 .b8 s[%u];\n", THREADS * MOST_BYTES);
}

static void add_begin(ww_str *t, const access *a)
{
    ww_str_add(t,
               ".visible .entry k(" FORM_PARAMS ", .param .align 16 .b8 pp[64]) {\n" FORM_REGISTERS
               ".local .align 32 .b8 l[64];\n" FORM_LOADS "mov.u32 %t, %tid.x;\n");
    ww_str_addf(t, ".reg .%c%u %%e<9>;\n", a->type == 'f' ? 'f' : 'b', register_bits(a));
    /* q10: offset of the thread; q11: global, q12: shared, q13: generic of one or the other */
    ww_str_addf(
        t,
        "mul.wide.u32 %%q10, %%t, %u; add.u64 %%q11, %%q0, %%q10; mov.u64 %%q12, s; "
        "add.u64 %%q12, %%q12, %%q10; cvta.shared.u64 %%q13, %%q12; and.b32 %%r1, %%t, 1; "
        "setp.eq.u32 %%p1, %%r1, 0; selp.b64 %%q13, %%q11, %%q13, %%p1; mov.u64 %%q14, l;\n",
        a->bytes);
}

/* The address of the thread's element, less SHIFT, in a register. */
static void add_place(ww_str *t, const access *a, const char *global)
{
    const char *at = in(a, "global")   ? global
                     : in(a, "shared") ? "%q12"
                     : in(a, "local")  ? "%q14"
                                       : "%q13";
    if (in(a, "const")) {
        ww_str_add(t, "mov.u64 %q20, c; add.u64 %q20, %q20, %q10; ");
        at = "%q20";
    }
    ww_str_addf(t, "sub.u64 %%q21, %s, %d;\n", at, SHIFT);
}

/* ---- loads ---- */

static void add_load(ww_str *t, const access *a, const char *place)
{
    ww_str_addf(t, "%s ", a->form);
    add_elements(t, a);
    ww_str_addf(t, ", [%s];\n", place);
}

/* Every element into a slot of 8 bytes. */
static void add_results(ww_str *t, const access *a)
{
    ww_str_addf(t, "mul.wide.u32 %%q22, %%t, %u; add.u64 %%q22, %%q22, %%q3;\n", 8 * MOST_ELEMENTS);
    for (unsigned k = 0; k < a->elements; k++) {
        ww_str_addf(t, "st.global.%c%u [%%q22+%u], %%e%u;\n", a->type == 'f' ? 'f' : 'b',
                    register_bits(a), 8 * k, k);
    }
    ww_str_add(t, FORM_END);
}

/* A function that loads its parameter with the form and hands it back byte by byte. */
static void add_callee(ww_str *t, const access *a)
{
    ww_str_addf(t,
                ".func (.param .align 16 .b8 r[32]) f(.param .align 16 .b8 a[32]) {\n.reg .%c%u "
                "%%e<9>; .reg .b16 %%h;\n",
                a->type == 'f' ? 'f' : 'b', register_bits(a));
    add_load(t, a, "a");
    for (unsigned k = 0; k < a->elements; k++) {
        ww_str_addf(t, "st.param.%c%u [r+%u], %%e%u;\n", a->type == 'f' ? 'f' : 'b', a->bits,
                    k * a->bits / 8, k);
    }
    ww_str_add(t, FORM_END);
}

/* Parameters: of the kernel, passed on to a function, and of what that returns, half of the threads
 * each. */
static void add_parameter_loads(ww_str *t, const access *a)
{
    ww_str_add(t,
               "@%p1 bra DIRECT;\n{ .param .align 16 .b8 arg[32]; .param .align 16 .b8 res[32];\n");
    for (unsigned i = 0; i < a->bytes; i++) {
        ww_str_addf(t, "ld.param.u8 %%h9, [pp+%u]; st.param.b8 [arg+%u], %%h9;\n", SHIFT + i, i);
    }
    ww_str_add(t, "call.uni (res), f, (arg);\n");
    add_load(t, a, "res");
    ww_str_add(t, "}\nbra DONE;\nDIRECT:\n");
    add_load(t, a, "pp+16");
    ww_str_add(t, "DONE:\n");
}

static void load_text(ww_str *t, const access *a, const unsigned char *bytes)
{
    add_variables(t, a, bytes);
    if (in(a, "param")) {
        add_callee(t, a);
    }
    add_begin(t, a);
    if (in(a, "param")) {
        add_parameter_loads(t, a);
    } else {
        if (in(a, "shared") || in(a, "generic")) {
            add_copy(t, 1, "st.shared", "%q12", "ld.global", "%q11", a->bytes);
        }
        if (in(a, "local")) {
            add_copy(t, 2, "st.local", "%q14", "ld.global", "%q11", a->bytes);
        }
        add_place(t, a, "%q11");
        add_load(t, a, "%q21+16");
    }
    add_results(t, a);
}

/* An element of the pattern, extended to the register. */
static uint64_t loaded(const access *a, const unsigned char *at)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < a->bits / 8; i++) {
        v |= (uint64_t)at[i] << 8 * i;
    }
    bool negative = a->type == 's' && (v >> (a->bits - 1) & 1) != 0;
    v = negative && a->bits < 64 ? v | ~UINT64_C(0) << a->bits : v;
    unsigned bits = register_bits(a);
    return bits == 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

static void set_parameter(ptx_run *r, uint64_t *params, void *user)
{
    (void)r;
    memcpy(params + FORM_BUFFERS, user, 64);
}

static void check_load(const access *a, bool lowered, form_log *log)
{
    unsigned char bytes[THREADS * MOST_BYTES];
    uint64_t out[THREADS][MOST_ELEMENTS];
    pattern(bytes, sizeof bytes);
    memset(out, 0, sizeof out);
    ww_str text = {0};
    load_text(&text, a, bytes);
    form_launch l = {.text = ww_str_text(&text),
                     .grid = 1,
                     .block = THREADS,
                     .buffer_count = 4,
                     .buffer = {{bytes, sizeof bytes}, {bytes, 8}, {bytes, 8}, {out, sizeof out}},
                     .prepare = set_parameter,
                     .user = bytes};
    bool ran = form_run(&l, a->form, lowered, log);
    for (unsigned i = 0; ran && i < THREADS; i++) {
        for (unsigned k = 0; k < MOST_ELEMENTS; k++) {
            unsigned at = (in(a, "param") ? SHIFT : i * a->bytes) + k * a->bits / 8;
            uint64_t want = k < a->elements ? loaded(a, bytes + at) : 0;
            if (out[i][k] != want) {
                form_fail(log, a->form,
                          "lowered %d, wide %d, thread %u, element %u: %llx, not %llx", lowered,
                          a->wide, i, k, (unsigned long long)out[i][k], (unsigned long long)want);
                i = THREADS - 1;
                break;
            }
        }
    }
    ww_str_fini(&text);
}

/* ---- stores ---- */

static void add_store(ww_str *t, const access *a, const char *place)
{
    ww_str_addf(t, "%s [%s], ", a->form, place);
    add_elements(t, a);
    ww_str_add(t, ";\n");
}

/* A function that returns its parameter: stored by the form, and by single bytes. */
static void add_returner(ww_str *t, const access *a)
{
    ww_str_addf(t,
                ".func (.param .align 16 .b8 r[32]) f(.param .align 16 .b8 a[32]) {\n.reg .%c%u "
                "%%e<9>; .reg .b16 %%h;\n",
                a->type == 'f' ? 'f' : 'b', register_bits(a));
    for (unsigned k = 0; k < a->elements; k++) {
        ww_str_addf(t, "ld.param.%c%u %%e%u, [a+%u];\n", a->type == 'f' ? 'f' : 'b', a->bits, k,
                    k * a->bits / 8);
    }
    add_store(t, a, "r");
    ww_str_add(t, FORM_END);
}

static void add_parameter_store(ww_str *t, const access *a)
{
    ww_str_add(t, "{ .param .align 16 .b8 arg[32]; .param .align 16 .b8 res[32];\n");
    add_store(t, a, "arg");
    ww_str_add(t, "call.uni (res), f, (arg);\n");
    for (unsigned i = 0; i < a->bytes; i++) {
        ww_str_addf(t, "ld.param.u8 %%h9, [res+%u]; st.global.u8 [%%q15+%u], %%h9;\n", i, i);
    }
    ww_str_add(t, "}\n");
}

static void store_text(ww_str *t, const access *a)
{
    add_variables(t, a, NULL);
    if (in(a, "param")) {
        add_returner(t, a);
    }
    add_begin(t, a);
    /* q15: the result; q13: generic address of it or of shared memory */
    ww_str_addf(t,
                "add.u64 %%q15, %%q3, %%q10; mul.wide.u32 %%q22, %%t, %u; add.u64 %%q22, %%q22, "
                "%%q0; selp.b64 %%q13, %%q15, %%q13, %%p1;\n",
                8 * MOST_ELEMENTS);
    for (unsigned k = 0; k < a->elements; k++) {
        ww_str_addf(t, "ld.global.%c%u %%e%u, [%%q22+%u];\n", a->type == 'f' ? 'f' : 'b',
                    register_bits(a), k, 8 * k);
    }
    if (in(a, "param")) {
        add_parameter_store(t, a);
    } else {
        add_place(t, a, "%q15");
        add_store(t, a, "%q21+16");
    }
    if (in(a, "generic")) {
        ww_str_add(t, "@%p1 bra END;\n");
    }
    if (in(a, "shared") || in(a, "generic")) {
        add_copy(t, 1, "st.global", "%q15", "ld.shared", "%q12", a->bytes);
    }
    if (in(a, "local")) {
        add_copy(t, 2, "st.global", "%q15", "ld.local", "%q14", a->bytes);
    }
    ww_str_add(t, "END:\n" FORM_END);
}

static void check_store(const access *a, bool lowered, form_log *log)
{
    unsigned char source[THREADS * 8 * MOST_ELEMENTS], out[THREADS * MOST_BYTES];
    pattern(source, sizeof source);
    memset(out, 0, sizeof out);
    ww_str text = {0};
    store_text(&text, a);
    form_launch l = {.text = ww_str_text(&text),
                     .grid = 1,
                     .block = THREADS,
                     .buffer_count = 4,
                     .buffer = {{source, sizeof source}, {out, 8}, {out, 8}, {out, sizeof out}}};
    bool ran = form_run(&l, a->form, lowered, log);
    for (unsigned i = 0; ran && i < sizeof out; i++) {
        unsigned thread = i / a->bytes, element = i % a->bytes / (a->bits / 8),
                 byte = i % (a->bits / 8);
        unsigned want = thread < THREADS ? source[thread * 64 + element * 8 + byte] : 0;
        if (out[i] != want) {
            form_fail(log, a->form,
                      "lowered %d, wide %d, thread %u, element %u: byte %02x, not %02x", lowered,
                      a->wide, thread, element, out[i], want);
            break;
        }
    }
    ww_str_fini(&text);
}

static bool claims(const char *form)
{
    static const char *const prefixes[] = {"ld.", "st.", NULL};
    return form_starts(form, prefixes) && !form_bulk.claims(form) && !form_cluster.claims(form);
}

static void check(const char *form, bool lowered, form_log *log)
{
    for (int wide = 0; wide < 2; wide++) {
        access a = decode(form, wide);
        if (wide && (a.type == 'f' || in(&a, "param"))) {
            continue;
        }
        (form[0] == 'l' ? check_load : check_store)(&a, lowered, log);
    }
}

const form_family form_memory = {"loads and stores", claims, check};
