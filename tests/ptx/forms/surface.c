/* surface.c - suld.b, sust.b and sured.b of every geometry, element and vector: plain bits at a
 * byte, a row and a slice; .trap outside. */
#include <stdio.h>

#include "base/str.h"
#include "forms.h"

enum { THREADS = 30, W = 10, H = 3, D = 4, PITCH = 192, SLICE = 640 };

typedef struct access {
    const char *form;
    const char *geometry; /* 1d, 2d, 3d, a2d */
    unsigned elements, bits, bytes;
    bool loads;
} access;

static unsigned char memory[D * SLICE], values[THREADS * 16], expected[D * SLICE];

static access decode(const char *form)
{
    static const char *const geometries[] = {"1d", "2d", "3d", "a2d"};
    access a = {.form = form,
                .elements = form_has(form, "v4")   ? 4
                            : form_has(form, "v2") ? 2
                                                   : 1,
                .loads = form[2] == 'l'};
    for (size_t i = 0; i < WW_ARRAY_LEN(geometries); i++) {
        a.geometry = form_has(form, geometries[i]) ? geometries[i] : a.geometry;
    }
    a.bits = form_has(form, "b8")                                                      ? 8
             : form_has(form, "b16")                                                   ? 16
             : form_has(form, "b64") || form_has(form, "u64") || form_has(form, "s64") ? 64
                                                                                       : 32;
    a.bytes = a.elements * a.bits / 8;
    return a;
}

/* Element, row and slice of a thread: neighbours in a row, rows by tens. */
static void place(const access *a, unsigned thread, unsigned at[3])
{
    bool rows = strcmp(a->geometry, "1d") != 0, slices = strcmp(a->geometry, "2d") != 0 && rows;
    at[0] = (thread * 7) % W;
    at[1] = rows ? thread / W % H : 0;
    at[2] = slices ? (thread / W * 2 + 1) % D : 0;
}

static size_t offset(const access *a, unsigned thread)
{
    unsigned at[3];
    place(a, thread, at);
    return (size_t)at[0] * a->bytes + (size_t)at[1] * PITCH + (size_t)at[2] * SLICE;
}

static void add_elements(ww_str *t, const access *a)
{
    if (strncmp(a->form, "sured", 5) == 0) { /* no braces */
        ww_str_addf(t, "%%%s0", a->bits == 64 ? "q3" : "r2");
        return;
    }
    const char *r = a->bits < 32 ? "h" : a->bits == 64 ? "q3" : "r2";
    ww_str_add(t, "{");
    for (unsigned k = 0; k < a->elements; k++) {
        ww_str_addf(t, "%s%%%s%u", k > 0 ? ", " : "", r, k);
    }
    ww_str_add(t, "}");
}

static void make_text(ww_str *t, const access *a, bool reference)
{
    const char *r = a->bits < 32 ? "h" : a->bits == 64 ? "q3" : "r2";
    const char *target = reference ? "s" : "%q3";
    const char *where = strcmp(a->geometry, "1d") == 0   ? "{%r10}"
                        : strcmp(a->geometry, "2d") == 0 ? "{%r10, %r11}"
                        : strcmp(a->geometry, "3d") == 0 ? "{%r10, %r11, %r12, %r12}"
                                                         : "{%r12, %r10, %r11, %r11}";
    ww_str_add(t, reference ? ".global .surfref s;\n" FORM_BEGIN : FORM_BEGIN);
    ww_str_add(t,
               "mul.wide.u32 %q10, %t, 16; add.u64 %q11, %q0, %q10; ld.global.v4.b32 {%r10, %r11, "
               "%r12, %r13}, [%q11]; add.u64 %q12, %q1, %q10;\n");
    if (a->loads) {
        ww_str_addf(t, "%s ", a->form);
        add_elements(t, a);
        ww_str_addf(t, ", [%s, %s];\n", target, where);
    }
    for (unsigned k = 0; k < a->elements; k++) {
        if (a->loads) {
            ww_str_addf(t, "st.global.b%u [%%q12+%u], %%%s%u;\n", a->bits, k * a->bits / 8, r, k);
        } else {
            ww_str_addf(t, "ld.global.b%u %%%s%u, [%%q12+%u];\n", a->bits, r, k, k * a->bits / 8);
        }
    }
    if (!a->loads) {
        ww_str_addf(t, "%s [%s, %s], ", a->form, target, where);
        add_elements(t, a);
        ww_str_add(t, ";\n");
    }
    ww_str_add(t, FORM_END);
}

static void bind(ptx_run *r, uint64_t *params, void *user)
{
    const access *a = user;
    bool rows = strcmp(a->geometry, "1d") != 0, slices = rows && strcmp(a->geometry, "2d") != 0;
    ww_texture t = {.width = W,
                    .height = rows ? H : 0,
                    .depth = slices ? D : 0,
                    .pitch = PITCH,
                    .slice = SLICE,
                    .channels = (uint8_t)(a->bits == 64 ? 2 * a->elements : a->elements),
                    .channel_bits = (uint8_t)(a->bits == 64 ? 32 : a->bits),
                    .channel = WW_TEX_UNSIGNED};
    t.address = params[2];
    assert_ok(ww_textures_create(&r->launch.textures, &r->err), r->err);
    assert_ok(ww_texture_add(r->launch.textures, &t, &params[3], &r->err), r->err);
    for (uint32_t i = 0; i < r->module->symbol_count; i++) {
        r->module->symbol[i].address = params[3];
    }
}

static void unbind(ptx_run *r, void *user)
{
    (void)user;
    ww_textures_destroy(r->launch.textures);
    r->launch.textures = NULL;
}

static bool run(access *a, const char *text, unsigned threads, uint32_t at[THREADS + 1][4],
                ww_status want, bool lowered, form_log *log)
{
    form_launch l = {.text = text,
                     .grid = 1,
                     .block = threads,
                     .buffer_count = 3,
                     .buffer = {{at, (THREADS + 1) * sizeof at[0]},
                                {values, sizeof values},
                                {memory, sizeof memory}},
                     .prepare = bind,
                     .finish = unbind,
                     .user = a,
                     .want = want};
    return form_run(&l, a->form, lowered, log);
}

/* What a thread leaves at its place: what it stores, or the result of its operation. */
static void leave(const access *a, unsigned char *place_, const unsigned char *value)
{
    const char *form = a->form;
    uint64_t old = 0, v = 0;
    if (strncmp(form, "sured", 5) != 0) {
        memcpy(place_, value, a->bytes);
        return;
    }
    memcpy(&old, place_, a->bytes);
    memcpy(&v, value, a->bytes);
    int64_t so = a->bytes == 4 ? (int32_t)old : (int64_t)old;
    int64_t sv = a->bytes == 4 ? (int32_t)v : (int64_t)v;
    bool less = form_has(form, "s32") || form_has(form, "s64") ? sv < so : v < old;
    v = form_has(form, "add")   ? old + v
        : form_has(form, "min") ? (less ? v : old)
        : form_has(form, "max") ? (less ? old : v)
        : form_has(form, "and") ? (old & v)
                                : (old | v);
    memcpy(place_, &v, a->bytes);
}

static void check_once(access *a, bool reference, bool lowered, form_log *log)
{
    uint32_t at[THREADS + 1][4];
    uint64_t state = 0x9e3779b97f4a7c15;
    unsigned char source[THREADS * 16];
    for (unsigned i = 0; i < sizeof memory; i++) {
        memory[i] = (unsigned char)(form_random(&state) >> 24);
    }
    for (unsigned i = 0; i < sizeof values; i++) {
        values[i] = a->loads ? 0 : (unsigned char)(form_random(&state) >> 24);
    }
    memcpy(expected, memory, sizeof expected);
    memcpy(source, values, sizeof source);
    for (unsigned i = 0; i < THREADS; i++) {
        unsigned e[3];
        place(a, i, e);
        memcpy(at[i], (uint32_t[4]){e[0] * a->bytes, e[1], e[2], 0}, sizeof at[i]);
        if (a->loads) {
            memcpy(source + 16 * i, memory + offset(a, i), a->bytes);
        } else {
            leave(a, expected + offset(a, i), values + 16 * i);
        }
    }
    ww_str text = {0};
    make_text(&text, a, reference);
    bool ok = run(a, ww_str_text(&text), THREADS, at, WW_OK, lowered, log);
    if (ok && memcmp(memory, expected, sizeof memory) != 0) {
        form_fail(log, a->form, "lowered %d: the surface is not as it should be", lowered);
    }
    if (ok && memcmp(values, source, sizeof values) != 0) {
        form_fail(log, a->form, "lowered %d: the values are not as they should be", lowered);
    }
    at[0][0] = W * a->bytes; /* just outside */
    run(a, ww_str_text(&text), 1, at, WW_EFAULT, lowered, log);
    at[0][0] = (uint32_t) - (int)a->bytes;
    run(a, ww_str_text(&text), 1, at, WW_EFAULT, lowered, log);
    ww_str_fini(&text);
}

static bool claims(const char *form)
{
    static const char *const prefixes[] = {"suld.b.", "sust.b.", "sured.b.", NULL};
    return form_starts(form, prefixes);
}

static void check(const char *form, bool lowered, form_log *log)
{
    access a = decode(form);
    if (!form_has(form, "trap") || a.geometry == NULL) {
        form_fail(log, form, "not known here");
        return;
    }
    check_once(&a, false, lowered, log);
    check_once(&a, true, lowered, log);
}

const form_family form_surface = {"surfaces", claims, check};
