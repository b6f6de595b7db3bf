/* async.c - copies into shared memory that a thread does not wait for, ldmatrix and stmatrix. */
#include <stdio.h>

#include "base/str.h"
#include "forms.h"

enum { THREADS = 64, LANES = 32, ROOM = 32 * THREADS };

static unsigned char memory[ROOM], out[ROOM];

static void fill(void)
{
    uint64_t state = 0x9e3779b97f4a7c15;
    for (unsigned i = 0; i < ROOM; i++) {
        memory[i] = (unsigned char)(form_random(&state) >> 24);
    }
    memset(out, 0, sizeof out);
}

static bool run(const char *form, const char *text, unsigned threads, bool lowered, form_log *log)
{
    form_launch l = {.text = text,
                     .grid = 1,
                     .block = threads,
                     .buffer_count = 4,
                     .buffer = {{memory, ROOM}, {memory, 8}, {memory, 8}, {out, ROOM}}};
    return form_run(&l, form, lowered, log);
}

/* ---- cp.async ---- */

/* Each thread copies 16 bytes, of which a source size of t % 17 counts, the rest being zero; then,
 * where the form takes other sizes, 8 and 4 bytes. A barrier, then the neighbour's bytes are read.
 */
static void copy_text(ww_str *t, const char *form)
{
    bool copies = form_has(form, "shared");
    const char *wide = copies ? form : "cp.async.ca.shared.global";
    const char *commit = "cp.async.commit_group;\n", *wait = "cp.async.wait_group 0;\n";
    ww_str_addf(t, ".shared .align 16 .b8 s[%u];\n", ROOM);
    ww_str_add(t, FORM_BEGIN
               "mov.u32 %r1, s; mad.lo.u32 %r2, %t, 32, %r1; mul.wide.u32 %q10, %t, 32; "
               "add.u64 %q11, %q0, %q10; add.u64 %q12, %q3, %q10; rem.u32 %r3, %t, 17;\n");
    ww_str_addf(t, "%s [%%r2], [%%q11], 16, %%r3;\n%s", wide, commit);
    if (form_has(wide, "ca")) {
        ww_str_addf(t,
                    "%s [%%r2+16], [%%q11+16], 8; %s [%%r2+24], [%%q11+24], 4; %s [%%r2+28], "
                    "[%%q11+28], 4;\n",
                    wide, wide, wide);
    } else {
        ww_str_addf(t, "%s [%%r2+16], [%%q11+16], 16;\n", wide);
    }
    ww_str_addf(t, "%scp.async.wait_group 1;\n%sbar.sync 0;\n", commit, wait);
    ww_str_add(t,
               "xor.b32 %r4, %t, 33; mad.lo.u32 %r4, %r4, 32, %r1;\n"
               "ld.shared.v4.b32 {%r5, %r6, %r7, %r8}, [%r4]; st.global.v4.b32 [%q12], {%r5, %r6, "
               "%r7, %r8};\n"
               "ld.shared.v4.b32 {%r5, %r6, %r7, %r8}, [%r4+16]; st.global.v4.b32 [%q12+16], {%r5, "
               "%r6, %r7, %r8};\n" FORM_END);
}

static void check_copy(const char *form, bool lowered, form_log *log)
{
    ww_str text = {0};
    fill();
    copy_text(&text, form);
    bool ok = run(form, ww_str_text(&text), THREADS, lowered, log);
    for (unsigned i = 0; ok && i < ROOM; i++) {
        unsigned source = (i / 32) ^ 33, byte = i % 32;
        unsigned want = byte < 16 && byte >= source % 17 ? 0 : memory[source * 32 + byte];
        if (out[i] != want) {
            form_fail(log, form, "lowered %d, thread %u, byte %u: %u, not %u", lowered, i / 32,
                      byte, out[i], want);
            ok = false;
        }
    }
    ww_str_fini(&text);
}

/* ---- ldmatrix ---- */

/* Registers that hold a lane's part of so many matrices. */
static const char *registers_of(unsigned matrices)
{
    return matrices == 4 ? "%r5, %r6, %r7, %r8" : matrices == 2 ? "%r5, %r6" : "%r5";
}

/* Rows of 16 bytes in reverse order: the one of lane l is 31 - l. */
static void row_address(ww_str *t, const char *form)
{
    ww_str_add(t, "sub.u32 %r1, 31, %t; mul.wide.u32 %q13, %r1, 16; add.u64 %q13, %q13, %q20;\n");
    ww_str_add(t, form_has(form, "shared") ? "" : "cvta.shared.u64 %q13, %q13;\n");
}

/* Lane l has the address of row l % 8 of matrix l / 8, 16 bytes; rows lie in reverse order, 16
 * bytes apart. */
static void matrix_text(ww_str *t, const char *form, unsigned matrices)
{
    ww_str_addf(t, ".shared .align 16 .b8 s[%u];\n", 16 * LANES);
    ww_str_add(t, FORM_BEGIN
               "mov.u64 %q20, s; mul.wide.u32 %q10, %t, 16; add.u64 %q11, %q0, %q10; add.u64 "
               "%q12, %q20, %q10; ld.global.v4.b32 {%r5, %r6, %r7, %r8}, [%q11]; "
               "st.shared.v4.b32 [%q12], {%r5, %r6, %r7, %r8}; bar.sync 0;\n"
               "mov.u32 %r5, 0; mov.u32 %r6, 0; mov.u32 %r7, 0; mov.u32 %r8, 0;\n");
    row_address(t, form);
    ww_str_addf(t, "%s {%s}, [%%q13];\n", form, registers_of(matrices));
    ww_str_add(
        t, "add.u64 %q14, %q3, %q10; st.global.v4.b32 [%q14], {%r5, %r6, %r7, %r8};\n" FORM_END);
}

static void check_ldmatrix(const char *form, bool lowered, form_log *log)
{
    unsigned matrices = form_has(form, "x4") ? 4 : form_has(form, "x2") ? 2 : 1;
    bool transposed = form_has(form, "trans");
    ww_str text = {0};
    fill();
    matrix_text(&text, form, matrices);
    bool ok = run(form, ww_str_text(&text), LANES, lowered, log);
    for (unsigned i = 0; ok && i < LANES * 8; i++) { /* halves of the result */
        unsigned lane = i / 8, matrix = i % 8 / 2, row = lane / 4, col = lane % 4 * 2 + i % 2;
        unsigned from = 31 - (matrix * 8 + (transposed ? col : row));
        uint16_t want = 0, got;
        memcpy(&got, out + 2 * i, 2);
        if (matrix < matrices) {
            memcpy(&want, memory + from * 16 + 2 * (transposed ? row : col), 2);
        }
        if (got != want) {
            form_fail(log, form, "lowered %d, lane %u, matrix %u: %x, not %x", lowered, lane,
                      matrix, got, want);
            ok = false;
        }
    }
    ww_str_fini(&text);
}

/* ---- stmatrix ---- */

/* What ldmatrix would load is stored: lane l brings register i with elements of row l / 4. */
static void store_text(ww_str *t, const char *form, unsigned matrices)
{
    ww_str_addf(t, ".shared .align 16 .b8 s[%u];\n", 16 * LANES);
    ww_str_add(
        t, FORM_BEGIN
        "mov.u64 %q20, s; mul.wide.u32 %q10, %t, 16; add.u64 %q11, %q0, %q10; add.u64 %q12, %q20, "
        "%q10; ld.global.v4.b32 {%r5, %r6, %r7, %r8}, [%q11]; mov.u32 %r1, 0; st.shared.v4.b32 "
        "[%q12], {%r1, %r1, %r1, %r1};\n");
    row_address(t, form);
    ww_str_addf(t, "%s [%%q13], {%s};\n", form, registers_of(matrices));
    ww_str_add(t, "ld.shared.v4.b32 {%r5, %r6, %r7, %r8}, [%q12]; add.u64 %q14, %q3, %q10; "
                  "st.global.v4.b32 [%q14], {%r5, %r6, %r7, %r8};\n" FORM_END);
}

static void check_stmatrix(const char *form, bool lowered, form_log *log)
{
    unsigned matrices = form_has(form, "x4") ? 4 : form_has(form, "x2") ? 2 : 1;
    bool transposed = form_has(form, "trans");
    unsigned char expected[16 * LANES] = {0};
    ww_str text = {0};
    fill();
    store_text(&text, form, matrices);
    for (unsigned i = 0; i < LANES * 2 * matrices; i++) { /* halves of the registers */
        unsigned lane = i / (2 * matrices), matrix = i / 2 % matrices, e = i % 2;
        unsigned row = lane / 4, col = lane % 4 * 2 + e;
        unsigned to = 31 - (matrix * 8 + (transposed ? col : row));
        memcpy(expected + to * 16 + 2 * (transposed ? row : col),
               memory + lane * 16 + matrix * 4 + e * 2, 2);
    }
    bool ok = run(form, ww_str_text(&text), LANES, lowered, log);
    if (ok && memcmp(out, expected, sizeof expected) != 0) {
        form_fail(log, form, "lowered %d: not what the fragments say", lowered);
    }
    ww_str_fini(&text);
}

static bool claims(const char *form)
{
    static const char *const prefixes[] = {"cp.async.ca.",
                                           "cp.async.cg.",
                                           "cp.async.commit_group",
                                           "cp.async.wait",
                                           "ldmatrix.",
                                           "stmatrix.",
                                           NULL};
    return form_starts(form, prefixes);
}

static void check(const char *form, bool lowered, form_log *log)
{
    (form[0] == 'c'   ? check_copy
     : form[0] == 'l' ? check_ldmatrix
                      : check_stmatrix)(form, lowered, log);
}

const form_family form_async = {"asynchronous copies, ldmatrix", claims, check};
