/* texture.c - tex and tld4 of every geometry and type: nearest and linear, every address mode,
 * objects and references, against the formulas of the CUDA C Programming Guide ("Texture
 * Fetching"). */
#include <math.h>
#include <stdio.h>

#include "base/str.h"
#include "forms.h"

enum { THREADS = 64, W = 8, H = 5, D = 6, CHANNELS = 4 };

typedef struct fetch {
    const char *form;
    const char *geometry; /* 1d, 2d, 3d, a2d, cube */
    char type;            /* f, u, s: of the elements */
    bool whole;           /* integer coordinates */
    bool level;
    int channel; /* of tld4; -1: tex */
    ww_texture texture;
} fetch;

static uint32_t elements[D][H][W][CHANNELS];
static uint32_t coordinate[THREADS][4], out[THREADS][4];

static fetch decode(const char *form)
{
    static const char *const geometries[] = {"1d", "2d", "3d", "a2d", "cube"};
    fetch f = {.form = form, .whole = form_last(form)[0] == 's', .level = form_has(form, "level")};
    for (size_t i = 0; i < WW_ARRAY_LEN(geometries); i++) {
        f.geometry = form_has(form, geometries[i]) ? geometries[i] : f.geometry;
    }
    f.type = strstr(form, ".v4.")[4];
    f.channel = form[1] == 'l' ? (int)(strchr("rgba", form[5]) - "rgba") : -1;
    return f;
}

static bool is(const fetch *f, const char *geometry)
{
    return strcmp(f->geometry, geometry) == 0;
}

/* ---- the guide's formulas ---- */

/* Index of an element along a dimension of n; -1: the border, which is zero. */
static int addressed(int i, int n, ww_tex_mode mode)
{
    switch (mode) {
    case WW_TEX_WRAP:
        return ((i % n) + n) % n;
    case WW_TEX_MIRROR:
        i = ((i % (2 * n)) + 2 * n) % (2 * n);
        return i < n ? i : 2 * n - 1 - i;
    case WW_TEX_BORDER:
        return i >= 0 && i < n ? i : -1;
    default:
        return i < 0 ? 0 : i >= n ? n - 1 : i;
    }
}

static double element(const fetch *f, const int at[3], unsigned channel)
{
    static const int size[3] = {W, H, D};
    unsigned index[3] = {0};
    unsigned dimensions = is(f, "1d") ? 1 : is(f, "3d") ? 3 : 2;
    for (unsigned d = 0; d < dimensions; d++) {
        int i = addressed(at[d], is(f, "cube") ? H : size[d], (ww_tex_mode)f->texture.mode[d]);
        if (i < 0) {
            return 0;
        }
        index[d] = (unsigned)i;
    }
    index[2] = dimensions == 3 ? index[2] : (unsigned)at[2];
    uint32_t bits = elements[index[2]][index[1]][index[0]][channel];
    return f->type == 'f'   ? (double)form_f32_of(bits)
           : f->type == 's' ? (double)(int32_t)bits
                            : (double)bits;
}

/* Linear: neighbours of x - 1/2, weights in 256ths. */
static double filtered(const fetch *f, const double x[3], unsigned channel)
{
    int low[3] = {0, 0, (int)x[2]};
    double weight[3] = {0};
    unsigned dimensions = is(f, "1d") ? 1 : is(f, "3d") ? 3 : 2;
    for (unsigned d = 0; d < dimensions; d++) {
        low[d] = (int)floor(x[d] - 0.5);
        weight[d] = floor((x[d] - 0.5 - low[d]) * 256 + 0.5) / 256;
    }
    double sum = 0;
    for (unsigned corner = 0; corner < 1u << dimensions; corner++) {
        double w = 1;
        int at[3] = {low[0], low[1], low[2]};
        for (unsigned d = 0; d < dimensions; d++) {
            bool high = (corner >> d & 1) != 0;
            at[d] += high;
            w *= high ? weight[d] : 1 - weight[d];
        }
        sum += w != 0 ? w * element(f, at, channel) : 0;
    }
    return sum;
}

/* The face that a direction meets, and where: CUDA C Programming Guide, "Cubemap Textures". */
static void face_of(const float v[3], double x[3])
{
    double a[3] = {fabs((double)v[0]), fabs((double)v[1]), fabs((double)v[2])};
    unsigned major = a[0] >= a[1] && a[0] >= a[2] ? 0 : a[1] >= a[2] ? 1 : 2;
    bool negative = v[major] < 0;
    double sign = negative ? -1 : 1;
    double s = major == 0 ? -sign * (double)v[2] : major == 1 ? (double)v[0] : sign * (double)v[0];
    double t = major == 1 ? sign * (double)v[2] : -(double)v[1];
    x[0] = (s / a[major] + 1) / 2 * H;
    x[1] = (t / a[major] + 1) / 2 * H;
    x[2] = 2 * major + negative;
}

static double expected(const fetch *f, unsigned thread, unsigned channel)
{
    static const int size[3] = {W, H, D};
    double x[3] = {0};
    const uint32_t *c = coordinate[thread];
    if (f->whole) {
        int at[3] = {0};
        for (unsigned d = 0; d < 3; d++) {
            at[d] = (int32_t)c[d];
        }
        bool outside = is(f, "1d") && (at[0] < 0 || at[0] >= W); /* reads as zero */
        at[2] = is(f, "3d") ? at[2] : 0;
        return outside ? 0 : element(f, at, channel);
    }
    float v[3] = {form_f32_of(c[0]), form_f32_of(c[1]), form_f32_of(c[2])};
    bool layered = is(f, "a2d");
    for (unsigned d = 0; d < 3; d++) {
        x[d] = (double)v[d] * (f->texture.normalized_coordinates ? size[d] : 1);
    }
    if (layered) {
        x[0] = (double)v[1] * (f->texture.normalized_coordinates ? W : 1);
        x[1] = (double)v[2] * (f->texture.normalized_coordinates ? H : 1);
        x[2] = c[0] < D ? c[0] : D - 1;
    } else if (is(f, "cube")) {
        face_of(v, x);
    } else if (!is(f, "3d")) {
        x[2] = 0;
    }
    if (f->channel >= 0) { /* counter-clockwise from the lower left */
        int at[3] = {(int)floor(x[0] - 0.5) + (channel == 1 || channel == 2),
                     (int)floor(x[1] - 0.5) + (channel < 2), (int)x[2]};
        return element(f, at, (unsigned)f->channel);
    }
    if (f->texture.linear) {
        return filtered(f, x, channel);
    }
    int at[3] = {(int)floor(x[0]), (int)floor(x[1]), (int)floor(x[2])};
    return element(f, at, channel);
}

/* ---- inputs ---- */

static void fill(const fetch *f)
{
    uint64_t state = 0x9e3779b97f4a7c15;
    for (unsigned i = 0; i < D * H * W * CHANNELS; i++) {
        uint64_t r = form_random(&state);
        uint32_t *e = &elements[0][0][0][0] + i;
        *e = f->type == 'f' ? (uint32_t)bits_of((float)(r % 512) - 256.0f) : (uint32_t)r >> 8;
        *e = f->type == 's' && (r & 1) ? 0 - *e : *e;
    }
    for (unsigned i = 0; i < THREADS; i++) {
        uint64_t r = form_random(&state);
        double x[3];
        for (unsigned d = 0; d < 3; d++) {
            double random = (double)(r >> 20 * d & 0xfffff) * 0x1p-20;
            x[d] = f->texture.normalized_coordinates ? random * 3 - 1 : random * 14 - 3;
            x[d] = is(f, "cube") ? random * 2 - 1 : x[d];
            coordinate[i][d] = f->whole ? (uint32_t)(random * (d == 0   ? W
                                                               : d == 1 ? H
                                                                        : D))
                                        : (uint32_t)bits_of((float)x[d]);
        }
        if (f->whole && is(f, "1d")) {
            coordinate[i][0] = i - 10;
        }
        if (is(f, "a2d")) {
            coordinate[i][0] = i % 9; /* also beyond the last layer */
        }
    }
}

/* ---- kernel ---- */

static void make_text(ww_str *t, const fetch *f, bool reference)
{
    const char *r = f->whole ? "r" : "f";
    ww_str_add(t, reference ? ".global .texref t;\n" FORM_BEGIN : FORM_BEGIN);
    ww_str_add(t, "mul.wide.u32 %q10, %t, 16; add.u64 %q11, %q0, %q10; add.u64 %q12, %q1, %q10;\n"
                  "ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%q11]; mov.b32 %f10, %r10; mov.b32 "
                  "%f11, %r11; mov.b32 %f12, %r12; mov.f32 %f13, 0f00000000;\n");
    ww_str_addf(t, "%s {%%r20, %%r21, %%r22, %%r23}, [%s, ", f->form, reference ? "t" : "%q2");
    if (is(f, "1d")) {
        ww_str_addf(t, "{%%%s10}", r);
    } else if (is(f, "2d")) {
        ww_str_addf(t, "{%%%s10, %%%s11}", r, r);
    } else if (is(f, "a2d")) {
        ww_str_addf(t, "{%%r10, %%%s11, %%%s12, %%%s12}", r, r, r);
    } else {
        ww_str_addf(t, "{%%%s10, %%%s11, %%%s12, %%%s12}", r, r, r, r);
    }
    ww_str_addf(t, "]%s;\n", f->level ? ", %f13" : "");
    ww_str_add(t, "st.global.v4.b32 [%q12], {%r20, %r21, %r22, %r23};\n" FORM_END);
}

static void bind(ptx_run *r, uint64_t *params, void *user)
{
    fetch *f = user;
    f->texture.address = run_alloc(r, sizeof elements, elements);
    assert_ok(ww_textures_create(&r->launch.textures, &r->err), r->err);
    assert_ok(ww_texture_add(r->launch.textures, &f->texture, &params[2], &r->err), r->err);
    for (uint32_t i = 0; i < r->module->symbol_count; i++) {
        r->module->symbol[i].address = params[2];
    }
}

static void unbind(ptx_run *r, void *user)
{
    (void)user;
    ww_textures_destroy(r->launch.textures);
    r->launch.textures = NULL;
}

static void check_texture(fetch *f, bool reference, bool lowered, form_log *log)
{
    ww_str text = {0};
    fill(f);
    make_text(&text, f, reference);
    memset(out, 0xff, sizeof out);
    form_launch l = {.text = ww_str_text(&text),
                     .grid = 1,
                     .block = THREADS,
                     .buffer_count = 2,
                     .buffer = {{coordinate, sizeof coordinate}, {out, sizeof out}},
                     .prepare = bind,
                     .finish = unbind,
                     .user = f};
    bool ok = form_run(&l, f->form, lowered, log);
    for (unsigned i = 0; ok && i < THREADS * CHANNELS; i++) {
        unsigned thread = i / CHANNELS, channel = i % CHANNELS;
        uint32_t bits = out[thread][channel];
        double want = expected(f, thread, channel), got = f->type == 'f' ? (double)form_f32_of(bits)
                                                          : f->type == 's' ? (double)(int32_t)bits
                                                                           : (double)bits;
        if (!(fabs(got - want) <= (f->texture.linear ? 1e-4 : 0))) {
            form_fail(
                log, f->form,
                "lowered %d, linear %d, normalized %d, modes %u %u %u, thread %u, channel %u: "
                "%g, not %g",
                lowered, f->texture.linear, f->texture.normalized_coordinates, f->texture.mode[0],
                f->texture.mode[1], f->texture.mode[2], thread, channel, got, want);
            break;
        }
    }
    ww_str_fini(&text);
}

static bool claims(const char *form)
{
    return strncmp(form, "tex.", 4) == 0 || strncmp(form, "tld4.", 5) == 0;
}

static void check(const char *form, bool lowered, form_log *log)
{
    for (unsigned v = 0; v < 16; v++) {
        fetch f = decode(form);
        bool cube = is(&f, "cube"), whole = f.whole;
        f.texture = (ww_texture){
            .width = cube ? H : W,
            .height = is(&f, "1d") ? 0 : H,
            .depth = is(&f, "1d") || is(&f, "2d") ? 0 : D,
            .pitch = W * CHANNELS * 4,
            .slice = H * W * CHANNELS * 4,
            .channels = CHANNELS,
            .channel_bits = 32,
            .channel = f.type == 'f'   ? WW_TEX_FLOAT
                       : f.type == 's' ? WW_TEX_SIGNED
                                       : WW_TEX_UNSIGNED,
            .linear = f.type == 'f' && !whole && (v & 1) != 0 && !cube,
            .normalized_coordinates = !whole && ((v & 2) != 0 || cube),
        };
        for (unsigned d = 0; d < 3; d++) { /* wrap and mirror need normalized coordinates */
            static const uint8_t modes[4] = {WW_TEX_CLAMP, WW_TEX_BORDER, WW_TEX_WRAP,
                                             WW_TEX_MIRROR};
            bool any = f.texture.normalized_coordinates && !cube;
            f.texture.mode[d] = modes[(v / 4 + d) % (any ? 4 : cube ? 1 : 2)];
        }
        check_texture(&f, v % 3 == 0, lowered, log);
    }
}

const form_family form_texture = {"textures", claims, check};
