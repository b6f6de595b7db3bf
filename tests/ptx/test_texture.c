/* Do texture and surface instructions read and write the elements, and filter them with the
 * weights, that the CUDA programming guide defines? Its formulas are written out here for each
 * case. */
#include <math.h>
#include <stdio.h>

#include "tests/ptx/run.h"

#define HEAD ".version 7.8\n.target sm_75\n.address_size 64\n"

/* Reads coordinates (four words per thread) and writes four words per thread. */
static const char *kernel(const char *geometry, const char *types, bool reference)
{
    static char text[2048];
    bool integer = strstr(types, ".s32") != NULL && strrchr(types, '.')[1] == 's';
    const char *c = integer ? "r" : "f";
    const char *s = strcmp(geometry, "1d") == 0    ? "{%s1}"
                    : strcmp(geometry, "2d") == 0  ? "{%s1, %s2}"
                    : strcmp(geometry, "a2d") == 0 ? "{%%r0, %s2, %s3, %s3}"
                                                   : "{%s1, %s2, %s3, %s3}";
    char list[64], *end = list;
    for (const char *p = s; *p != '\0'; p++) { /* %s: register letter; %%: literal */
        if (p[0] == '%' && p[1] == 's') {
            end += sprintf(end, "%%%s", c);
            p++;
        } else if (p[0] == '%' && p[1] == '%') {
            *end++ = '%';
            p++;
        } else {
            *end++ = *p;
        }
    }
    *end = '\0';
    snprintf(text, sizeof text,
             HEAD
             "%s\n.visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2) {\n"
             ".reg .b64 %%q<9>; .reg .b32 %%r<9>; .reg .f32 %%f<9>;\n"
             "ld.param.u64 %%q1, [p0]; ld.param.u64 %%q2, [p1]; ld.param.u64 %%q3, [p2]; mov.u32 "
             "%%r8, %%tid.x; mul.wide.u32 %%q4, %%r8, 16; add.s64 %%q2, %%q2, %%q4; add.s64 %%q3, "
             "%%q3, %%q4;\n"
             "ld.global.v4.b32 {%%r1, %%r2, %%r3, %%r4}, [%%q2]; mov.b32 %%r0, %%r1; mov.b32 %%f1, "
             "%%r1; mov.b32 %%f2, %%r2; mov.b32 %%f3, %%r3;\n"
             "tex.%s.v4.%s {%%r4, %%r5, %%r6, %%r7}, [%s, %s];\n"
             "st.global.v4.b32 [%%q3], {%%r4, %%r5, %%r6, %%r7};\nret;\n}\n",
             reference ? ".global .texref t;" : "", geometry, types, reference ? "t" : "%q1", list);
    return text;
}

enum { THREADS = 32 };

static float as_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}
static uint32_t as_bits(float f)
{
    uint32_t b;
    memcpy(&b, &f, 4);
    return b;
}

/* Fetches at THREADS places; texture memory is data. */
static void fetch(const char *geometry, const char *types, ww_texture t, const void *data,
                  size_t bytes, uint32_t coordinate[THREADS][4], uint32_t out[THREADS][4],
                  ww_code code, bool reference)
{
    ptx_run r;
    run_open(&r, kernel(geometry, types, reference));
    t.address = run_alloc(&r, bytes, data);
    uint64_t handle;
    assert_ok(ww_textures_create(&r.launch.textures, &r.err), r.err);
    assert_ok(ww_texture_add(r.launch.textures, reference ? NULL : &t, &handle, &r.err), r.err);
    if (reference) {
        assert_int_equal(r.module->symbol_count, 1);
        r.module->symbol[0].address = handle;
        assert_ok(ww_texture_set(r.launch.textures, handle, &t, &r.err), r.err);
    }
    uint64_t params[3] = {handle, run_alloc(&r, THREADS * 16, coordinate),
                          run_alloc(&r, THREADS * 16, NULL)};
    assert_ok(run_kernel(&r, "k", code, 1, THREADS, params), r.err);
    memcpy(out, run_at(&r, params[2], THREADS * 16), THREADS * 16);
    ww_textures_destroy(r.launch.textures);
    run_close(&r);
}

/* ---- integer coordinates: tex1Dfetch ---- */

static void integer_coordinates(void **state)
{
    (void)state;
    int32_t data[20];
    uint32_t at[THREADS][4] = {{0}}, out[THREADS][4];
    for (int i = 0; i < 20; i++) {
        data[i] = i * 1000 - 7;
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        at[i][0] = i - 3; /* from -3, to beyond the end */
    }
    const ww_texture t = {.width = 20,
                          .channels = 1,
                          .channel_bits = 32,
                          .channel = WW_TEX_SIGNED,
                          .mode = {WW_TEX_CLAMP}};
    for (int v = 0; v < 4; v++) {
        fetch("1d", "s32.s32", t, data, sizeof data, at, out, v & 1, v & 2);
        for (int i = 0; i < THREADS; i++) {
            int32_t want = i >= 3 && i < 23 ? data[i - 3] : 0;
            assert_int_equal((int32_t)out[i][0], want);
            assert_int_equal(out[i][1], 0);
            assert_int_equal(out[i][3], want != 0 || (i >= 3 && i < 23));
        }
    }
}

static void element_types(void **state)
{
    (void)state;
    uint32_t at[THREADS][4] = {{0}}, out[THREADS][4];
    const uint8_t bytes[8] = {0, 255, 128, 127, 1, 2, 3, 4};
    const int16_t shorts[4] = {-32768, 32767, -1, 16384};
    const uint16_t halves[4] = {0x3c00, 0xc000, 0x0001, 0x7c00};
    at[0][0] = 0;
    at[1][0] = 1;
    ww_texture t = {.width = 2, .channels = 4, .channel_bits = 8, .channel = WW_TEX_UNSIGNED};
    fetch("1d", "u32.s32", t, bytes, 8, at, out, WW_CODE_PTX, false);
    assert_int_equal(out[0][1], 255);
    assert_int_equal(out[1][3], 4);
    t.normalized_read = true;
    fetch("1d", "f32.s32", t, bytes, 8, at, out, WW_CODE_PTX, false);
    assert_true(as_float(out[0][1]) == 1.0f && as_float(out[0][2]) == 128.0f / 255.0f);
    t.channel = WW_TEX_SIGNED;
    fetch("1d", "f32.s32", t, bytes, 8, at, out, WW_CODE_PTX, false);
    assert_true(as_float(out[0][1]) == -1.0f / 127.0f && as_float(out[0][2]) == -1.0f &&
                as_float(out[0][3]) == 1.0f);
    t.normalized_read = false;
    fetch("1d", "s32.s32", t, bytes, 8, at, out, WW_CODE_PTX, false);
    assert_int_equal((int32_t)out[0][1], -1);
    t = (ww_texture){.width = 2, .channels = 2, .channel_bits = 16, .channel = WW_TEX_SIGNED};
    fetch("1d", "s32.s32", t, shorts, 8, at, out, WW_CODE_PTX, false);
    assert_int_equal((int32_t)out[0][0], -32768);
    assert_int_equal((int32_t)out[1][1], 16384);
    t.channel = WW_TEX_FLOAT;
    fetch("1d", "f32.s32", t, halves, 8, at, out, WW_CODE_PTX, false);
    assert_true(as_float(out[0][0]) == 1.0f && as_float(out[0][1]) == -2.0f &&
                as_float(out[1][0]) == 0x1p-24f && isinf(as_float(out[1][1])));
    assert_true(as_float(out[0][2]) == 0.0f && as_float(out[0][3]) == 1.0f);
}

/* ---- nearest and linear in two dimensions, every mode ---- */

enum { W = 5, H = 3 };

static float texels[H][8]; /* pitch of 8 */

/* Index i by the guide's description of a mode; -1: the border. */
static int addressed(int i, int n, ww_tex_mode mode, bool normalized)
{
    switch (normalized || mode > WW_TEX_CLAMP ? mode : WW_TEX_CLAMP) {
    case WW_TEX_WRAP:
        return ((i % n) + n) % n;
    case WW_TEX_MIRROR:
        if (!normalized) {
            break;
        }
        while (i < 0 || i >= n) {
            i = i < 0 ? -1 - i : 2 * n - 1 - i;
        }
        return i;
    case WW_TEX_BORDER:
        return i >= 0 && i < n ? i : -1;
    default:
        break;
    }
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static double texel(int i, int j, const ww_texture *t)
{
    i = addressed(i, W, (ww_tex_mode)t->mode[0], t->normalized_coordinates);
    j = addressed(j, H, (ww_tex_mode)t->mode[1], t->normalized_coordinates);
    return i < 0 || j < 0 ? (double)t->border[0] : (double)texels[j][i];
}

static float guide_2d(float fx, float fy, const ww_texture *t)
{
    double x = (double)fx * (t->normalized_coordinates ? W : 1);
    double y = (double)fy * (t->normalized_coordinates ? H : 1);
    if (!t->linear) {
        return (float)texel((int)floor(x), (int)floor(y), t);
    }
    int i = (int)floor(x - 0.5), j = (int)floor(y - 0.5);
    double a = floor((x - 0.5 - i) * 256 + 0.5) / 256, b = floor((y - 0.5 - j) * 256 + 0.5) / 256;
    return (float)((1 - a) * (1 - b) * texel(i, j, t) + a * (1 - b) * texel(i + 1, j, t) +
                   (1 - a) * b * texel(i, j + 1, t) + a * b * texel(i + 1, j + 1, t));
}

static void two_dimensions(void **state)
{
    (void)state;
    uint32_t at[THREADS][4] = {{0}}, out[THREADS][4];
    for (int j = 0; j < H; j++) {
        for (int i = 0; i < W; i++) {
            texels[j][i] =
                (float)((i * 37 + j * 101) % 64) - 20.0f; /* products by 2^-16 are exact */
        }
    }
    for (unsigned v = 0; v < 32; v++) {
        ww_texture t = {.width = W,
                        .height = H,
                        .pitch = 32,
                        .channels = 1,
                        .channel_bits = 32,
                        .channel = WW_TEX_FLOAT,
                        .linear = v & 1,
                        .border = {9.5f},
                        .normalized_coordinates = v & 2,
                        .mode = {(uint8_t)(v >> 2 & 3), (uint8_t)((v >> 2 & 3) ^ (v >> 4))}};
        float scale = t.normalized_coordinates ? 0.45f : 2.0f;
        for (int i = 0; i < THREADS; i++) {
            at[i][0] = as_bits((float)(i - 9) * scale * 0.37f + 0.013f);
            at[i][1] = as_bits((float)(i % 7 - 3) * scale * 0.61f - 0.4f);
        }
        fetch("2d", "f32.f32", t, texels, sizeof texels, at, out, v % 3 == 0, v % 5 == 0);
        for (int i = 0; i < THREADS; i++) {
            float want = guide_2d(as_float(at[i][0]), as_float(at[i][1]), &t);
            if (as_float(out[i][0]) != want) {
                fail_msg("case %u, (%g, %g): %g instead of %g", v, (double)as_float(at[i][0]),
                         (double)as_float(at[i][1]), (double)as_float(out[i][0]), (double)want);
            }
        }
    }
}

/* Weights have 8 fractional bits: between elements 0 and 256 the values are whole numbers. */
static void weights(void **state)
{
    (void)state;
    float data[2] = {0.0f, 256.0f};
    uint32_t at[THREADS][4] = {{0}}, out[THREADS][4];
    const ww_texture t = {.width = 2,
                          .channels = 1,
                          .channel_bits = 32,
                          .channel = WW_TEX_FLOAT,
                          .linear = true,
                          .mode = {WW_TEX_CLAMP}};
    for (int i = 0; i < THREADS; i++) {
        at[i][0] = as_bits(0.5f + (float)i / 31.0f);
    }
    fetch("1d", "f32.f32", t, data, sizeof data, at, out, WW_CODE_PTX, false);
    for (int i = 0; i < THREADS; i++) {
        assert_true(as_float(out[i][0]) == floorf((as_float(at[i][0]) - 0.5f) * 256.0f + 0.5f));
    }
    at[0][0] = as_bits(NAN);
    at[1][0] = as_bits(INFINITY);
    at[2][0] = as_bits(-INFINITY);
    at[3][0] = as_bits(3e38f);
    fetch("1d", "f32.f32", t, data, sizeof data, at, out, WW_CODE_PTX, false);
    assert_true(as_float(out[1][0]) == 256.0f && as_float(out[2][0]) == 0.0f &&
                as_float(out[3][0]) == 256.0f);
}

static void volumes_layers_cubes(void **state)
{
    (void)state;
    static float data[6][4][4];
    uint32_t at[THREADS][4] = {{0}}, out[THREADS][4];
    for (int k = 0; k < 6; k++) {
        for (int j = 0; j < 4; j++) {
            for (int i = 0; i < 4; i++) {
                data[k][j][i] = (float)(100 * k + 10 * j + i);
            }
        }
    }
    ww_texture t = {.width = 4,
                    .height = 4,
                    .depth = 6,
                    .pitch = 16,
                    .slice = 64,
                    .channels = 1,
                    .channel_bits = 32,
                    .channel = WW_TEX_FLOAT,
                    .mode = {WW_TEX_CLAMP, WW_TEX_CLAMP, WW_TEX_CLAMP},
                    .linear = true};
    at[0][0] = as_bits(2.0f); /* halfway between elements 1 and 2 in each dimension */
    at[0][1] = as_bits(2.0f);
    at[0][2] = as_bits(2.0f);
    at[1][0] = as_bits(0.5f);
    at[1][1] = as_bits(3.5f);
    at[1][2] = as_bits(5.5f);
    fetch("3d", "f32.f32", t, data, sizeof data, at, out, WW_CODE_LOWERED, false);
    assert_true(as_float(out[0][0]) == 166.5f && as_float(out[1][0]) == 530.0f);
    at[0][0] = 4; /* layer */
    at[0][1] = as_bits(1.5f);
    at[0][2] = as_bits(2.5f);
    at[1][0] = 77; /* the last */
    fetch("a2d", "f32.f32", t, data, sizeof data, at, out, WW_CODE_PTX, false);
    assert_true(as_float(out[0][0]) == 421.0f);
    assert_true(floorf(as_float(out[1][0]) / 100.0f) == 5.0f);
    /* Faces +x -x +y -y +z -z; the guide's table of s and t for the middle of each face, and a
     * point off it. */
    t.linear = false;
    t.normalized_coordinates = true;
    static const float direction[6][3] = {{1, 0.1f, 0.6f},  {-1, 0.1f, 0.6f}, {0.6f, 1, 0.1f},
                                          {0.6f, -1, 0.1f}, {0.6f, 0.1f, 1},  {0.6f, 0.1f, -1}};
    static const float st[6][2] = {{-0.6f, -0.1f}, {0.6f, -0.1f}, {0.6f, 0.1f},
                                   {0.6f, -0.1f},  {0.6f, -0.1f}, {-0.6f, -0.1f}};
    for (int f = 0; f < 6; f++) {
        for (int c = 0; c < 3; c++) {
            at[f][c] = as_bits(direction[f][c] * 3.0f);
        }
    }
    fetch("cube", "f32.f32", t, data, sizeof data, at, out, WW_CODE_PTX, false);
    for (int f = 0; f < 6; f++) {
        float i = floorf((st[f][0] + 1) / 2 * 4), j = floorf((st[f][1] + 1) / 2 * 4);
        assert_true(as_float(out[f][0]) == 100.0f * (float)f + 10.0f * j + i);
    }
}

/* ---- surfaces ---- */

static void surfaces(void **state)
{
    (void)state;
    /* Each thread copies element (tid, 1) of one surface to (31 - tid, 0) of another, and reads
     * beyond the end with .zero and .clamp. */
    static const char *const text = HEAD
        ".global .surfref s;\n"
        ".visible .entry k(.param .u64 p0, .param .u64 p1, .param .u64 p2) {\n"
        ".reg .b64 %q<9>; .reg .b32 %r<19>; .reg .b16 %h<9>;\n"
        "ld.param.u64 %q1, [p0]; ld.param.u64 %q2, [p1]; ld.param.u64 %q3, [p2]; mov.u32 %r0, "
        "%tid.x; mov.u32 %r1, 31; sub.s32 %r1, %r1, %r0; shl.b32 %r2, %r0, 2; shl.b32 %r3, %r1, "
        "2; mov.u32 %r4, 1; mov.u32 %r5, 0;\n"
        "suld.b.2d.b32.trap {%r6}, [s, {%r2, %r4}]; sust.b.2d.b32.trap [%q2, {%r3, %r5}], {%r6};\n"
        "suld.b.2d.v4.b8.trap {%h1, %h2, %h3, %h4}, [%q1, {%r2, %r4}]; cvt.u32.u16 %r7, %h3;\n"
        "suld.b.2d.b32.zero %r8, [%q1, {%r2, %r1}]; suld.b.2d.b32.clamp %r9, [%q1, {%r2, %r1}];\n"
        "sust.b.2d.b8.zero [%q2, {%r2, %r1}], %h1; suq.width.b32 %r10, [%q2]; suq.height.b32 %r11, "
        "[s]; add.u32 %r10, %r10, %r11;\n"
        "mul.wide.u32 %q4, %r0, 16; add.s64 %q3, %q3, %q4; st.global.v4.b32 [%q3], {%r7, %r8, %r9, "
        "%r10};\nret;\n}\n";
    uint32_t data[3][32];
    for (unsigned k = 0; k < 96; k++) {
        data[k / 32][k % 32] = k * 0x01030507u;
    }
    for (ww_code code = WW_CODE_PTX; code <= WW_CODE_LOWERED; code++) {
        ptx_run r;
        run_open(&r, text);
        uint64_t params[3], reference;
        ww_texture in = {.width = 32, .height = 3, .pitch = 128, .channels = 1, .channel_bits = 32};
        ww_texture out = in;
        in.address = run_alloc(&r, sizeof data, data);
        out.address = run_alloc(&r, sizeof data, NULL);
        assert_ok(ww_textures_create(&r.launch.textures, &r.err), r.err);
        assert_ok(ww_texture_add(r.launch.textures, &in, &params[0], &r.err), r.err);
        assert_ok(ww_texture_add(r.launch.textures, &out, &params[1], &r.err), r.err);
        assert_ok(ww_texture_add(r.launch.textures, &in, &reference, &r.err), r.err);
        r.module->symbol[0].address = reference;
        params[2] = run_alloc(&r, 512, NULL);
        assert_ok(run_kernel(&r, "k", code, 1, 32, params), r.err);
        const uint32_t *copied = run_at(&r, out.address, sizeof data);
        const uint32_t *words = run_at(&r, params[2], 512);
        for (unsigned i = 0; i < 32; i++) {
            unsigned row = 31 - i; /* beyond the last but for 0, 1, 2 */
            if (row != 0) {        /* thread 31 stores a byte there too */
                assert_int_equal(copied[i] & 0xffffff00, data[1][31 - i] & 0xffffff00);
            }
            assert_int_equal(words[4 * i], data[1][i] >> 16 & 0xff);
            assert_int_equal(words[4 * i + 1], row < 3 ? data[row][i] : 0);
            assert_int_equal(words[4 * i + 2], data[row < 3 ? row : 2][i]);
            assert_int_equal(words[4 * i + 3], 35);
        }
        in.width = 31; /* the last thread is outside now */
        assert_ok(ww_texture_set(r.launch.textures, reference, &in, &r.err), r.err);
        assert_int_equal(run_kernel(&r, "k", code, 1, 32, params), WW_EFAULT);
        assert_non_null(strstr(r.err.what, "thread (31,0,0)"));
        ww_textures_destroy(r.launch.textures);
        run_close(&r);
    }
}

static void invalid_handles(void **state)
{
    (void)state;
    ptx_run r;
    uint64_t params[3] = {5, 0, 0}, handle;
    run_open(&r, kernel("2d", "f32.f32", false));
    params[1] = run_alloc(&r, 512, NULL);
    params[2] = run_alloc(&r, 512, NULL);
    assert_int_equal(run_kernel(&r, "k", false, 1, 32, params), WW_EFAULT);
    assert_ok(ww_textures_create(&r.launch.textures, &r.err), r.err);
    ww_texture t = {.address = run_alloc(&r, 64, NULL),
                    .width = 4,
                    .height = 5,
                    .pitch = 16,
                    .channels = 1,
                    .channel_bits = 32,
                    .channel = WW_TEX_FLOAT};
    assert_ok(ww_texture_add(r.launch.textures, &t, &handle, &r.err), r.err);
    params[0] = handle;
    assert_int_equal(run_kernel(&r, "k", false, 1, 32, params), WW_EFAULT); /* 80 of 64 bytes */
    t.height = 4;
    assert_ok(ww_texture_set(r.launch.textures, handle, &t, &r.err), r.err);
    assert_ok(run_kernel(&r, "k", false, 1, 32, params), r.err);
    assert_ok(ww_texture_remove(r.launch.textures, handle, &r.err), r.err);
    assert_int_equal(run_kernel(&r, "k", false, 1, 32, params), WW_EFAULT);
    assert_int_equal(ww_texture_remove(r.launch.textures, handle, NULL), WW_ENOTFOUND);
    t.channels = 3;
    assert_int_equal(ww_texture_add(r.launch.textures, &t, &handle, NULL), WW_ERANGE);
    ww_textures_destroy(r.launch.textures);
    run_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integer_coordinates),  cmocka_unit_test(element_types),
        cmocka_unit_test(two_dimensions),       cmocka_unit_test(weights),
        cmocka_unit_test(volumes_layers_cubes), cmocka_unit_test(surfaces),
        cmocka_unit_test(invalid_handles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
