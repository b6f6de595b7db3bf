/* matrix.c - wmma and mma: each form at its place in a product of matrices whose elements, sums
 * included, are exact; the expectation is the plain sum. mma's registers are placed by the formulas
 * of the PTX manual ("Matrix Fragments for mma..."). */
#include <stdio.h>

#include "base/str.h"
#include "halves.h"

enum { SIDE = 48, LANES = 32 }; /* a matrix lies in SIDE x SIDE elements */

typedef struct product {
    const char *form;
    const char *tile; /* m16n16k16 */
    unsigned m, n, k;
    char ab[8], c[8], d[8]; /* types */
    bool column[4];         /* layouts of A, B, C, D */
    bool shared[4];         /* memory of A, B, C, D */
} product;

typedef struct matrices {
    double a[32][32], b[32][32], c[32][32], d[32][32];
} matrices;

static unsigned char memory[4][SIDE * SIDE * 8];

/* ---- elements ---- */

static unsigned bytes_of(const char *type)
{
    return type[1] == '8' ? 1 : strstr(type, "16") != NULL ? 2 : strcmp(type, "f64") == 0 ? 8 : 4;
}

static bool is_integer(const char *type)
{
    return type[0] == 's' || type[0] == 'u';
}

static void put(const char *type, unsigned char *at, double v)
{
    uint64_t bits = is_integer(type)            ? (uint64_t)(int64_t)v
                    : strcmp(type, "f16") == 0  ? f16_from(v)
                    : strcmp(type, "bf16") == 0 ? bf16_from(v)
                    : strcmp(type, "f64") == 0  ? bits64_of(v)
                                                : bits_of((float)v);
    memcpy(at, &bits, bytes_of(type));
}

static double get(const char *type, const unsigned char *at)
{
    uint64_t bits = 0;
    memcpy(&bits, at, bytes_of(type));
    return type[0] == 's'             ? (double)(int32_t)bits
           : strcmp(type, "f16") == 0 ? f16_value((uint32_t)bits)
           : strcmp(type, "f64") == 0 ? f64_of(bits)
                                      : (double)form_f32_of(bits);
}

/* Small, of both signs where the type has them, quarters where it is a real one. */
static double element(const char *type, unsigned i)
{
    int v = (int)(i * 2654435761u >> 20) % 17 - 8;
    return type[0] == 'u' ? v + 200 : is_integer(type) ? v * 9 : v / 4.0;
}

static void fill(const product *p, matrices *x)
{
    for (unsigned i = 0; i < 32; i++) {
        for (unsigned j = 0; j < 32; j++) {
            x->a[i][j] = element(p->ab, i * 77 + j);
            x->b[i][j] = element(p->ab, 9000 + i * 77 + j);
            x->c[i][j] = element(p->c, 5000 + i * 77 + j);
        }
    }
    for (unsigned i = 0; i < p->m; i++) {
        for (unsigned j = 0; j < p->n; j++) {
            x->d[i][j] = x->c[i][j];
            for (unsigned k = 0; k < p->k; k++) {
                x->d[i][j] += x->a[i][k] * x->b[k][j];
            }
        }
    }
}

/* ---- wmma ---- */

static product decode(const char *form)
{
    static const char *const types[] = {"f16", "bf16", "tf32", "f64", "s8", "u8"};
    product p = {.form = form, .tile = strstr(form, ".m") + 1, .ab = "f16", .column = {0, 1, 0, 0}};
    while (p.tile[1] < '0' || p.tile[1] > '9') { /* not "mma" */
        p.tile = strstr(p.tile, ".m") + 1;
    }
    (void)sscanf(p.tile, "m%un%uk%u", &p.m, &p.n, &p.k);
    for (size_t i = 0; i < WW_ARRAY_LEN(types); i++) {
        bool c_only = i == 0 && (form_has(form, "c") || form_has(form, "d"));
        if (form_has(form, types[i]) && !c_only) {
            strcpy(p.ab, types[i]);
        }
    }
    if (form_has(form, "s32") && p.ab[0] == 'f') {
        strcpy(p.ab, "u8");
    }
    if (form_has(form, "m16n16k8")) {
        strcpy(p.ab, "tf32");
    }
    bool narrow = strstr(form, ".f16.f16") != NULL ||
                  (form_has(form, "f16") && (form_has(form, "c") || form_has(form, "d")));
    strcpy(p.c, is_integer(p.ab) ? "s32" : p.ab[1] == '6' ? "f64" : narrow ? "f16" : "f32");
    strcpy(p.d, p.c);
    return p;
}

/* Layout and memory that the form itself names. */
static void take_own(product *p)
{
    static const char names[] = "abcd";
    const char *row = strstr(p->form, ".row"), *col = strstr(p->form, ".col");
    for (unsigned i = 0; i < 4; i++) {
        const char word[2] = {names[i], '\0'};
        if (form_has(p->form, word)) {
            p->column[i] = col != NULL;
            p->shared[i] = form_has(p->form, "shared");
            p->column[i == 2 ? 3 : i] = p->column[i];
        }
    }
    if (strncmp(p->form, "wmma.mma", 8) == 0) { /* A's, then B's */
        p->column[0] = col != NULL && (row == NULL || col < row);
        p->column[1] = form_has(p->form, "col") &&
                       (row == NULL || strstr(col + 1, ".col") != NULL || col > row);
    }
}

static unsigned registers(const product *p, char matrix)
{
    const char *type = matrix == 'c' ? p->c : matrix == 'd' ? p->d : p->ab;
    if (strcmp(type, "f64") == 0) {
        return matrix == 'c' || matrix == 'd' ? 2 : 1;
    }
    if (matrix == 'c' || matrix == 'd') {
        return strcmp(type, "f16") == 0 ? 4 : 8;
    }
    unsigned lines = matrix == 'a' ? p->m : p->n;
    if (strcmp(type, "f16") == 0) {
        return 8;
    }
    return lines * p->k * bytes_of(type) / 4 / LANES;
}

static void add_list(ww_str *t, char matrix, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        ww_str_addf(t, "%s%%m%c%u", i > 0 ? ", " : "{", matrix, i);
    }
    ww_str_add(t, "}");
}

static void add_access(ww_str *t, const product *p, char matrix)
{
    static const char *const addresses[2][4] = {{"%q0", "%q1", "%q2", "%q3"},
                                                {"%r30", "%r31", "%r32", "%r33"}};
    unsigned i = (unsigned)(matrix - 'a');
    const char *type = matrix == 'c' ? p->c : matrix == 'd' ? p->d : p->ab;
    const char *at = addresses[p->shared[i]][i];
    char name[80], own[24];
    snprintf(own, sizeof own, "wmma.%s.%c.", matrix == 'd' ? "store" : "load", matrix);
    snprintf(name, sizeof name, "%ssync.aligned.%s.m%un%uk%u%s.%s", own,
             p->column[i] ? "col" : "row", p->m, p->n, p->k, p->shared[i] ? ".shared" : ".global",
             type);
    const char *form = strncmp(p->form, own, strlen(own)) == 0 ? p->form : name;
    ww_str_addf(t, "%s ", form);
    if (matrix == 'd') {
        ww_str_addf(t, "[%s], ", at);
    }
    add_list(t, matrix, registers(p, matrix));
    if (matrix != 'd') {
        ww_str_addf(t, ", [%s]", at);
    }
    ww_str_add(t, ", %r20;\n");
}

static void add_product(ww_str *t, const product *p)
{
    if (strncmp(p->form, "wmma.mma", 8) == 0) {
        ww_str_addf(t, "%s ", p->form);
    } else {
        ww_str_addf(t, "wmma.mma.sync.aligned.%s.%s.m%un%uk%u.", p->column[0] ? "col" : "row",
                    p->column[1] ? "col" : "row", p->m, p->n, p->k);
        bool brief = strcmp(p->ab, "f16") == 0, real = strcmp(p->ab, "f64") == 0;
        ww_str_addf(t, "%s.%s%s%s%s%s%s ", p->d, brief ? "" : p->ab, brief ? "" : ".",
                    brief ? "" : p->ab, brief ? "" : ".", p->c, real ? ".rn" : "");
    }
    for (const char *m = "dabc"; *m != '\0'; m++) {
        add_list(t, *m, registers(p, *m));
        ww_str_add(t, m[1] != '\0' ? ", " : ";\n");
    }
}

/* One warp; matrices that the form wants in shared memory go through it. */
static void make_text(ww_str *t, const product *p)
{
    const char *wide = strcmp(p->ab, "f64") == 0 ? "b64" : "b32";
    ww_str_addf(t, ".shared .align 128 .b8 s[%u];\n", SIDE * SIDE * 8);
    ww_str_add(t, FORM_BEGIN);
    ww_str_addf(t, ".reg .%s %%ma<9>; .reg .%s %%mb<9>; .reg .%s %%mc<9>; .reg .%s %%md<9>;\n",
                wide, wide, wide, wide);
    ww_str_addf(t, "mov.u32 %%r20, %u;\n", SIDE);
    for (unsigned i = 0; i < 4; i++) {
        if (p->shared[i]) {
            ww_str_addf(t,
                        "mov.u32 %%r3%u, s; mov.u32 %%r3, 0;\nL: add.u32 %%r4, %%r3, %%r3%u; "
                        "cvt.u64.u32 %%q14, %%r3; add.u64 %%q14, %%q14, %%q%u; ld.global.u32 %%r5, "
                        "[%%q14]; st.shared.u32 [%%r4], %%r5; add.u32 %%r3, %%r3, 4; setp.lt.u32 "
                        "%%p1, %%r3, %u; @%%p1 bra L;\n",
                        i, i, i, SIDE * SIDE * 8);
        }
    }
    add_access(t, p, 'a');
    add_access(t, p, 'b');
    add_access(t, p, 'c');
    add_product(t, p);
    add_access(t, p, 'd');
    if (p->shared[3]) { /* back again */
        ww_str_addf(
            t,
            "mov.u32 %%r3, 0;\nM: add.u32 %%r4, %%r3, %%r33; cvt.u64.u32 %%q14, %%r3; "
            "add.u64 %%q14, %%q14, %%q3; ld.shared.u32 %%r5, [%%r4]; st.global.u32 [%%q14], "
            "%%r5; add.u32 %%r3, %%r3, 4; setp.lt.u32 %%p1, %%r3, %u; @%%p1 bra M;\n",
            SIDE * SIDE * 8);
    }
    ww_str_add(t, FORM_END);
}

static unsigned char *element_at(const product *p, unsigned matrix, unsigned row, unsigned col)
{
    const char *type = matrix == 2 ? p->c : matrix == 3 ? p->d : p->ab;
    unsigned at = p->column[matrix] ? col * SIDE + row : row * SIDE + col;
    return &memory[matrix][at * bytes_of(type)];
}

static bool run(const char *form, const char *text, bool lowered, form_log *log)
{
    form_launch l = {.text = text, .grid = 1, .block = LANES, .buffer_count = 4};
    for (unsigned i = 0; i < 4; i++) {
        l.buffer[i].data = memory[i];
        l.buffer[i].bytes = sizeof memory[i];
    }
    return form_run(&l, form, lowered, log);
}

static void check_wmma(const char *form, bool lowered, form_log *log)
{
    static matrices x;
    product p = decode(form);
    take_own(&p);
    fill(&p, &x);
    memset(memory, 0, sizeof memory);
    for (unsigned i = 0; i < 32; i++) {
        for (unsigned j = 0; j < 32; j++) {
            put(p.ab, element_at(&p, 0, i, j), x.a[i][j]);
            put(p.ab, element_at(&p, 1, i, j), x.b[i][j]);
            put(p.c, element_at(&p, 2, i, j), x.c[i][j]);
        }
    }
    ww_str text = {0};
    make_text(&text, &p);
    bool ok = run(form, ww_str_text(&text), lowered, log);
    for (unsigned i = 0; ok && i < p.m; i++) {
        for (unsigned j = 0; ok && j < p.n; j++) {
            double got = get(p.d, element_at(&p, 3, i, j));
            if (got != x.d[i][j]) {
                form_fail(log, form, "lowered %d, D[%u][%u]: %g, not %g", lowered, i, j, got,
                          x.d[i][j]);
                ok = false;
            }
        }
    }
    ww_str_fini(&text);
}

/* ---- mma.m16n8k16 of 16 bits, mma.m16n8k32 of bytes ---- */

/* Row or column of element i of a lane's part of A, B (16 bytes, 8 bytes) and C. */
static void check_mma(const char *form, bool lowered, form_log *log)
{
    static matrices x;
    product p = decode(form);
    strcpy(p.ab, form_has(form, "s8") ? "s8" : form_has(form, "bf16") ? "bf16" : "f16");
    strcpy(p.c, is_integer(p.ab) ? "s32" : "f32");
    strcpy(p.d, p.c);
    unsigned size = bytes_of(p.ab), in_word = 4 / size;
    fill(&p, &x);
    memset(memory, 0, sizeof memory);
    for (unsigned lane = 0; lane < LANES; lane++) {
        unsigned g = lane / 4, t = lane % 4;
        for (unsigned i = 0; i < 4 * in_word;
             i++) { /* words 1 and 3: eight rows on; 2, 3: further on in k */
            unsigned word = i / in_word, k = t * in_word + i % in_word + (word / 2) * 4 * in_word;
            put(p.ab, &memory[0][lane * 16 + i * size], x.a[g + word % 2 * 8][k]);
        }
        for (unsigned i = 0; i < 2 * in_word; i++) {
            unsigned k = t * in_word + i % in_word + i / in_word * 4 * in_word;
            put(p.ab, &memory[1][lane * 8 + i * size], x.b[k][g]);
        }
        for (unsigned i = 0; i < 4; i++) {
            put(p.c, &memory[2][lane * 16 + i * 4], x.c[g + i / 2 * 8][2 * t + i % 2]);
        }
    }
    ww_str text = {0};
    ww_str_add(&text,
               FORM_BEGIN "mul.wide.u32 %q10, %t, 16; mul.wide.u32 %q11, %t, 8; add.u64 %q0, "
                          "%q0, %q10; add.u64 %q1, %q1, %q11; add.u64 %q2, %q2, %q10; add.u64 "
                          "%q3, %q3, %q10;\n"
                          "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%q0]; ld.global.v2.b32 {%r5, "
                          "%r6}, [%q1]; ld.global.v4.b32 {%r7, %r8, %r9, %r10}, [%q2];\n"
                          "mov.b32 %f7, %r7; mov.b32 %f8, %r8; mov.b32 %f9, %r9; mov.b32 %f10, "
                          "%r10;\n");
    const char *c = is_integer(p.ab) ? "r" : "f";
    ww_str_addf(
        &text,
        "%s {%%%s11, %%%s12, %%%s13, %%%s14}, {%%r1, %%r2, %%r3, %%r4}, {%%r5, %%r6}, {%%%s7, "
        "%%%s8, %%%s9, %%%s10}; st.global.v4.b32 [%%q3], {%%%s11, %%%s12, %%%s13, %%%s14};\n",
        form, c, c, c, c, c, c, c, c, c, c, c, c);
    ww_str_add(&text, FORM_END);
    bool ok = run(form, ww_str_text(&text), lowered, log);
    for (unsigned i = 0; ok && i < 4 * LANES; i++) {
        unsigned g = i / 16, t = i / 4 % 4, row = g + i % 4 / 2 * 8, col = 2 * t + i % 2;
        double got = get(p.d, &memory[3][4 * i]);
        if (got != x.d[row][col]) {
            form_fail(log, form, "lowered %d, D[%u][%u]: %g, not %g", lowered, row, col, got,
                      x.d[row][col]);
            ok = false;
        }
    }
    ww_str_fini(&text);
}

static bool claims(const char *form)
{
    static const char *const prefixes[] = {"wmma.", "mma.sync.aligned.m16n8k16.row.col.f32",
                                           "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8", NULL};
    return form_starts(form, prefixes);
}

static void check(const char *form, bool lowered, form_log *log)
{
    (form[0] == 'w' ? check_wmma : check_mma)(form, lowered, log);
}

const form_family form_matrix = {"matrices", claims, check};
