/* Do wmma and mma multiply matrices, for every tile, layout and type, in registers that hold them
 * as PTX says? Expectations come from plain loops over the matrices in memory. */
#include <math.h>
#include <stdio.h>

#include "tests/ptx/run.h"
#include "tests/support/bits.h"

/* ---- numbers of the element types, by tables of their own ---- */

typedef struct element {
    const char *name;
    unsigned bytes;
    bool is_float;
} element;

static const element f16 = {"f16", 2, true}, bf16 = {"bf16", 2, true}, tf32 = {"tf32", 4, true},
                     f32 = {"f32", 4, true}, f64 = {"f64", 8, true}, s8 = {"s8", 1, false},
                     u8 = {"u8", 1, false}, s32 = {"s32", 4, false};

static uint16_t f16_bits(double v) /* exactly representable values only */
{
    if (v == 0.0) {
        return signbit(v) ? 0x8000 : 0;
    }
    int e;
    double m = frexp(fabs(v), &e); /* m in [1/2, 1) */
    unsigned sign = v < 0 ? 0x8000u : 0;
    if (e - 1 < -14) {
        return (uint16_t)(sign | (unsigned)ldexp(fabs(v), 24));
    }
    return (uint16_t)(sign | (unsigned)(e - 1 + 15) << 10 | ((unsigned)ldexp(m, 11) & 0x3ff));
}

static double f16_value(uint16_t h)
{
    unsigned e = h >> 10 & 31, f = h & 0x3ff;
    double v = e == 0 ? ldexp(f, -24) : ldexp(f + 1024.0, (int)e - 25);
    return h & 0x8000 ? -v : v;
}

static void put(const element *t, void *at, double v)
{
    float s = (float)v;
    uint32_t bits;
    memcpy(&bits, &s, 4);
    if (t == &f16) {
        uint16_t h = f16_bits(v);
        memcpy(at, &h, 2);
    } else if (t == &bf16) {
        uint16_t h = (uint16_t)(bits >> 16);
        memcpy(at, &h, 2);
    } else if (t == &tf32 || t == &f32) {
        memcpy(at, &s, 4);
    } else if (t == &f64) {
        memcpy(at, &v, 8);
    } else if (t->bytes == 1) {
        *(unsigned char *)at = (unsigned char)(int)v;
    } else {
        int32_t i = (int32_t)v;
        memcpy(at, &i, 4);
    }
}

static double get(const element *t, const void *at)
{
    if (t == &f16) {
        uint16_t h;
        memcpy(&h, at, 2);
        return f16_value(h);
    }
    if (t == &f64) {
        double v;
        memcpy(&v, at, 8);
        return v;
    }
    if (t == &s32) {
        int32_t i;
        memcpy(&i, at, 4);
        return i;
    }
    float s;
    memcpy(&s, at, 4);
    return s;
}

/* ---- wmma ---- */

typedef struct shape {
    const char *name;
    unsigned m, n, k;
} shape;

static void registers(char *out, const char *prefix, unsigned count)
{
    out += sprintf(out, "{");
    for (unsigned i = 0; i < count; i++) {
        out += sprintf(out, "%s%%%s%u", i > 0 ? ", " : "", prefix, i);
    }
    sprintf(out, "}");
}

typedef struct wmma_case {
    shape s;
    const element *ab, *c, *d;
    unsigned registers_a, registers_b, registers_c, registers_d; /* as the PTX manual lists them */
} wmma_case;

/* One warp loads A, B, C through shared memory or not, multiplies, stores D. */
static char *wmma_kernel(const wmma_case *w, const bool col[3], bool shared)
{
    static char text[8192];
    static const char *const layout[2] = {"row", "col"};
    char a[256], b[256], c[256], d[256], types[64];
    const char *wide = w->c == &f64 ? "b64" : "b32";
    registers(a, "a", w->registers_a);
    registers(b, "b", w->registers_b);
    registers(c, "c", w->registers_c);
    registers(d, "d", w->registers_d);
    if (w->ab == &f16) {
        sprintf(types, "%s.%s", w->d->name, w->c->name);
    } else {
        sprintf(types, "%s%s.%s.%s.%s", w->ab == &f64 ? "rn." : "", w->d->name, w->ab->name,
                w->ab->name, w->c->name);
    }
    sprintf(text,
            ".version 7.8\n.target sm_80\n.address_size 64\n"
            ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd,\n"
            " .param .u32 sa, .param .u32 sb, .param .u32 sc) {\n"
            ".shared .align 128 .b8 tile[16384];\n"
            ".reg .%s %%a<9>; .reg .%s %%b<9>; .reg .%s %%c<9>; .reg .%s %%d<9>; .reg .b32 %%r<9>; "
            ".reg .b64 %%q<9>; .reg .pred %%p;\n"
            "ld.param.u64 %%q0, [pa]; ld.param.u64 %%q1, [pb]; ld.param.u64 %%q2, [pc]; "
            "ld.param.u64 %%q3, [pd];\n"
            "ld.param.u32 %%r0, [sa]; ld.param.u32 %%r1, [sb]; ld.param.u32 %%r2, [sc];\n",
            wide, wide, wide, wide);
    char *end = text + strlen(text);
    if (shared) { /* A through shared memory */
        end += sprintf(end,
                       "mov.u32 %%r3, 0;\nL: add.s32 %%r4, %%r3, tile; cvt.u64.u32 %%q4, %%r3; "
                       "add.s64 %%q4, %%q4, %%q0; ld.global.u8 %%r5, [%%q4]; st.shared.u8 [%%r4], "
                       "%%r5; add.s32 %%r3, %%r3, 1; setp.lt.u32 %%p, %%r3, 4096; @%%p bra L;\n"
                       "bar.sync 0; mov.u32 %%r6, tile;\n");
    }
    end +=
        sprintf(end, "wmma.load.a.sync.aligned.%s.%s%s.%s %s, [%s], %%r0;\n", layout[col[0]],
                w->s.name, shared ? ".shared" : ".global", w->ab->name, a, shared ? "%r6" : "%q0");
    end += sprintf(end, "wmma.load.b.sync.aligned.%s.%s.%s %s, [%%q1], %%r1;\n", layout[col[1]],
                   w->s.name, w->ab->name, b);
    end += sprintf(end, "wmma.load.c.sync.aligned.%s.%s.global.%s %s, [%%q2], %%r2;\n",
                   layout[col[2]], w->s.name, w->c->name, c);
    end += sprintf(end, "wmma.mma.sync.aligned.%s.%s.%s.%s %s, %s, %s, %s;\n", layout[col[0]],
                   layout[col[1]], w->s.name, types, d, a, b, c);
    sprintf(end, "wmma.store.d.sync.aligned.%s.%s.global.%s [%%q3], %s, %%r2;\nret;\n}\n",
            layout[col[2]], w->s.name, w->d->name, d);
    return text;
}

static unsigned at(bool column, unsigned stride, unsigned row, unsigned col)
{
    return column ? col * stride + row : row * stride + col;
}

enum { SIDE = 64 }; /* every matrix lies in a buffer of SIDE x SIDE elements */

static double value(const element *t, unsigned i)
{
    int v = (int)(i * 2654435761u >> 20) % 17 - 8;
    return t == &u8 ? v + 200 : t->is_float ? v / 4.0 : v * 9;
}

static void run_wmma(const wmma_case *w, const bool col[3], ww_code code, bool shared)
{
    static unsigned char buffer[4][SIDE * SIDE * 8];
    static double a[32][16], b[16][32], c[32][32];
    const element *type[4] = {w->ab, w->ab, w->c, w->d};
    unsigned stride[3] = {32, 48, 40};
    memset(buffer, 0, sizeof buffer);
    for (unsigned i = 0; i < w->s.m; i++) {
        for (unsigned k = 0; k < w->s.k; k++) {
            a[i][k] = value(w->ab, i * 77 + k);
            put(w->ab, &buffer[0][at(col[0], stride[0], i, k) * w->ab->bytes], a[i][k]);
        }
        for (unsigned j = 0; j < w->s.n; j++) {
            c[i][j] = value(w->c, 5000 + i * 77 + j);
            put(w->c, &buffer[2][at(col[2], stride[2], i, j) * w->c->bytes], c[i][j]);
        }
    }
    for (unsigned k = 0; k < w->s.k; k++) {
        for (unsigned j = 0; j < w->s.n; j++) {
            b[k][j] = value(w->ab, 9000 + k * 77 + j);
            put(w->ab, &buffer[1][at(col[1], stride[1], k, j) * w->ab->bytes], b[k][j]);
        }
    }
    ptx_run r;
    run_open(&r, wmma_kernel(w, col, shared));
    uint64_t params[6];
    for (unsigned i = 0; i < 4; i++) {
        params[i] = run_alloc(&r, sizeof buffer[i], buffer[i]);
    }
    params[4] = (uint64_t)stride[1] << 32 | stride[0];
    params[5] = stride[2];
    assert_ok(run_kernel(&r, "k", code, 1, 32, params), r.err);
    const unsigned char *d = run_at(&r, params[3], sizeof buffer[3]);
    for (unsigned i = 0; i < w->s.m; i++) {
        for (unsigned j = 0; j < w->s.n; j++) {
            double sum = c[i][j];
            for (unsigned k = 0; k < w->s.k; k++) {
                sum += a[i][k] * b[k][j];
            }
            double is = get(type[3], d + at(col[2], stride[2], i, j) * w->d->bytes);
            if (is != sum) {
                fail_msg("%s %s.%s code %d, D[%u][%u]: %g instead of %g", w->s.name, w->d->name,
                         w->ab->name, code, i, j, is, sum);
            }
        }
    }
    run_close(&r);
}

static const shape m16n16k16 = {"m16n16k16", 16, 16, 16}, m32n8k16 = {"m32n8k16", 32, 8, 16},
                   m8n32k16 = {"m8n32k16", 8, 32, 16};

static void wmma(void **state)
{
    (void)state;
    const wmma_case cases[] = {
        {m16n16k16, &f16, &f32, &f32, 8, 8, 8, 8},
        {m32n8k16, &f16, &f32, &f32, 8, 8, 8, 8},
        {m8n32k16, &f16, &f32, &f32, 8, 8, 8, 8},
        {m16n16k16, &f16, &f16, &f16, 8, 8, 4, 4},
        {m16n16k16, &f16, &f16, &f32, 8, 8, 4, 8},
        {m8n32k16, &f16, &f32, &f16, 8, 8, 8, 4},
        {m16n16k16, &bf16, &f32, &f32, 4, 4, 8, 8},
        {m32n8k16, &bf16, &f32, &f32, 8, 2, 8, 8},
        {m8n32k16, &bf16, &f32, &f32, 2, 8, 8, 8},
        {m16n16k16, &s8, &s32, &s32, 2, 2, 8, 8},
        {m16n16k16, &u8, &s32, &s32, 2, 2, 8, 8},
        {m32n8k16, &u8, &s32, &s32, 4, 1, 8, 8},
        {m8n32k16, &s8, &s32, &s32, 1, 4, 8, 8},
        {{"m16n16k8", 16, 16, 8}, &tf32, &f32, &f32, 4, 4, 8, 8},
        {{"m8n8k4", 8, 8, 4}, &f64, &f64, &f64, 1, 1, 2, 2},
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(cases); i++) {
        for (unsigned v = 0; v < 8; v++) {
            bool col[3] = {v & 1, v & 2, v & 4};
            run_wmma(&cases[i], col, v % 3 == 0 ? WW_CODE_LOWERED : WW_CODE_PTX, v % 2 == 0);
        }
    }
}

/* ---- mma: fragments placed by hand, by the formulas of the PTX manual ---- */

/* mma.m16n8k16 of f16: lane l has g = l/4, t = l%4; a_i at row g (i = 0,1,4,5) or g+8, column
 * 2t + (i&1) (+8 for i >= 4); b_i at row 2t + (i&1) (+8 for i >= 2), column g; c_i at row g (i < 2)
 * or g+8, column 2t + (i&1). */
static void mma_m16n8k16(void **state)
{
    (void)state;
    static const char *const text =
        ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 pa, .param "
        ".u64 pb, .param .u64 pc) {\n.reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %q<9>;\n"
        "ld.param.u64 %q0, [pa]; ld.param.u64 %q1, [pb]; ld.param.u64 %q2, [pc]; mov.u32 %r0, "
        "%tid.x;\n"
        "mul.wide.u32 %q3, %r0, 16; add.s64 %q0, %q0, %q3; add.s64 %q2, %q2, %q3; mul.wide.u32 "
        "%q3, %r0, 8; add.s64 %q1, %q1, %q3;\n"
        "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%q0]; ld.global.v2.b32 {%r5, %r6}, [%q1]; "
        "ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%q2];\n"
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r1, %r2, %r3, "
        "%r4}, {%r5, %r6}, {%f0, %f1, %f2, %f3};\n"
        "st.global.v4.f32 [%q2], {%f0, %f1, %f2, %f3};\nret;\n}\n";
    static double a[16][16], b[16][8];
    static uint16_t pa[32][8], pb[32][4];
    static float pc[32][4], want[32][4];
    for (unsigned i = 0; i < 16; i++) {
        for (unsigned k = 0; k < 16; k++) {
            a[i][k] = value(&f16, i * 31 + k);
            b[k][i % 8] = value(&f16, 7777 + i % 8 * 31 + k);
        }
    }
    for (unsigned lane = 0; lane < 32; lane++) {
        unsigned g = lane / 4, t = lane % 4;
        for (unsigned i = 0; i < 8; i++) {
            unsigned row = (i % 4 < 2 ? g : g + 8), column = 2 * t + (i & 1) + (i >= 4 ? 8 : 0);
            pa[lane][i] = f16_bits(a[row][column]);
        }
        for (unsigned i = 0; i < 4; i++) {
            pb[lane][i] = f16_bits(b[2 * t + (i & 1) + (i >= 2 ? 8 : 0)][g]);
            unsigned row = i < 2 ? g : g + 8, column = 2 * t + (i & 1);
            double sum = pc[lane][i] = (float)value(&f32, lane * 4 + i);
            for (unsigned k = 0; k < 16; k++) {
                sum += a[row][k] * b[k][column];
            }
            want[lane][i] = (float)sum;
        }
    }
    for (ww_code code = WW_CODE_PTX; code <= WW_CODE_LOWERED; code++) {
        ptx_run r;
        run_open(&r, text);
        uint64_t params[3] = {run_alloc(&r, sizeof pa, pa), run_alloc(&r, sizeof pb, pb),
                              run_alloc(&r, sizeof pc, pc)};
        assert_ok(run_kernel(&r, "k", code, 1, 32, params), r.err);
        assert_memory_equal(run_at(&r, params[2], sizeof want), want, sizeof want);
        run_close(&r);
    }
}

/* ---- arithmetic that is not exact ---- */

/* mma.m16n8k8 of f16 with A zero but for row 0, B but for column 0: lane 0 has D[0][0]; its
 * A[0][0], A[0][1] and B likewise; lanes 1 … 3 the other k. Returns the bits of D[0][0]. */
static uint32_t dot8(const uint16_t a[8], const uint16_t b[8], uint32_t c)
{
    static const char *const text =
        ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 pa) {\n"
        ".reg .b32 %r<9>; .reg .b64 %q<9>; ld.param.u64 %q0, [pa]; mov.u32 %r0, %tid.x; "
        "mul.wide.u32 %q3, %r0, 16; add.s64 %q0, %q0, %q3;\n"
        "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%q0]; mov.u32 %r5, 0;\n"
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r3, %r6, %r7, %r8}, {%r1, %r5}, {%r2}, "
        "{%r3, %r5, %r5, %r5};\n"
        "st.global.b32 [%q0], %r3;\nret;\n}\n";
    uint32_t data[32][4] = {{0}};
    for (unsigned lane = 0; lane < 4; lane++) {
        data[lane][0] = (uint32_t)a[2 * lane + 1] << 16 | a[2 * lane];
        data[lane][1] = (uint32_t)b[2 * lane + 1] << 16 | b[2 * lane];
    }
    data[0][2] = c;
    ptx_run r;
    run_open(&r, text);
    uint64_t p = run_alloc(&r, sizeof data, data);
    assert_ok(run_kernel(&r, "k", false, 1, 32, &p), r.err);
    uint32_t bits;
    memcpy(&bits, run_at(&r, p, 4), 4);
    run_close(&r);
    return bits;
}

/* The sum of a group of four, from its definition, in exact integers of multiples of 2^-200. */
static double group(double sum, const uint16_t *a, const uint16_t *b)
{
    double addend[5] = {sum};
    int largest = -10000;
    if (sum != 0.0) {
        largest = ilogb(sum) < -126 ? -126 : ilogb(sum);
    }
    for (int k = 0; k < 4; k++) {
        addend[k + 1] = f16_value(a[k]) * f16_value(b[k]); /* exact in double */
        int ea = (a[k] >> 10 & 31) != 0 ? (a[k] >> 10 & 31) - 15 : -14;
        int eb = (b[k] >> 10 & 31) != 0 ? (b[k] >> 10 & 31) - 15 : -14;
        if (addend[k + 1] != 0.0 && ea + eb > largest) {
            largest = ea + eb;
        }
    }
    double unit = ldexp(1.0, largest - 24), total = 0.0;
    for (int k = 0; k < 5; k++) {
        total += trunc(addend[k] / unit) * unit; /* at most 28 digits: exact */
    }
    float nearest = (float)total; /* then cut: at most one too far out */
    return fabs((double)nearest) > fabs(total) ? (double)nextafterf(nearest, 0.0f)
                                               : (double)nearest;
}

static void inexact_sums(void **state)
{
    (void)state;
    uint64_t seed = 12345;
    for (int n = 0; n < 300; n++) {
        uint16_t a[8], b[8];
        for (int k = 0; k < 8; k++) {
            seed = seed * 6364136223846793005ull + 1442695040888963407ull;
            a[k] = (uint16_t)((seed >> 40 & 0x83ff) | (n % 3 == 0 ? seed >> 20 & 0x7800 & 0x7000
                                                                  : (12 + (seed >> 58) % 8) << 10));
            b[k] = (uint16_t)(seed >> 12 & 0xbfff);
        }
        float c = n % 4 == 0 ? 0.0f : (float)ldexp((double)(int64_t)(seed << 3), -66 + n % 12);
        double want = group(group((double)c, a, b), a + 4, b + 4);
        uint32_t is = dot8(a, b, bits_of(c));
        if (is != bits_of((float)want)) {
            fail_msg("case %d: %08x instead of %08x", n, is, bits_of((float)want));
        }
    }
}

static void special_values(void **state)
{
    (void)state;
    enum { ONE = 0x3c00, INF = 0x7c00, NAN16 = 0x7e00, TINY = 1, BIG = 0x7bff };
    const uint16_t zero[8] = {0}, one[8] = {ONE}, inf[8] = {INF}, nan16[8] = {NAN16};
    const uint16_t both[8] = {INF, INF | 0x8000}, ones[8] = {ONE, ONE}, tiny[8] = {TINY};
    assert_int_equal(dot8(inf, one, 0), 0x7f800000);
    assert_int_equal(dot8(inf, zero, 0), 0x7fffffff);
    assert_int_equal(dot8(both, ones, 0), 0x7fffffff);
    assert_int_equal(dot8(nan16, one, 0), 0x7fffffff);
    assert_int_equal(dot8(one, one, 0xff800000), 0xff800000);
    assert_int_equal(dot8(inf, one, 0xff800000), 0x7fffffff);
    assert_int_equal(dot8(tiny, tiny, 0), bits_of(0x1p-48f)); /* subnormals count */
    assert_int_equal(dot8(zero, zero, 0x00000001), 0x00000001);
    assert_int_equal(dot8(one, one, 0x7f7fffff), 0x7f7fffff); /* cut, not rounded */
    uint16_t minus[8] = {ONE | 0x8000};
    assert_int_equal(dot8(minus, one, bits_of(1.0f)), 0);
}

static void refusals(void **state)
{
    (void)state;
    static const char *const text =
        ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p) {\n"
        ".reg .b32 %r<9>; .reg .b64 %q;\nld.param.u64 %q, [p];\n"
        "wmma.load.a.sync.aligned.row.m16n16k16.u8 {%r0, %r1}, [%q], 16;\nret;\n}\n";
    ptx_run r;
    run_open(&r, text);
    uint64_t p = run_alloc(&r, 255, NULL); /* a byte short */
    assert_int_equal(run_kernel(&r, "k", false, 1, 32, &p), WW_EFAULT);
    p = run_alloc(&r, 256, NULL);
    assert_ok(run_kernel(&r, "k", false, 1, 32, &p), r.err);
    assert_int_equal(run_kernel(&r, "k", false, 1, 31, &p), WW_EKERNEL);
    run_close(&r);
}

/* ---- cp.async and ldmatrix ---- */

/* A 32 x 8 tile of 16-bit elements goes to shared memory by cp.async (the last 8 rows cut to 6
 * bytes), and into registers by ldmatrix, straight and transposed. */
static void copies(void **state)
{
    (void)state;
    static const char *const text =
        ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p0, .param "
        ".u64 p1) {\n.shared .align 128 .b8 tile[1024];\n.reg .b32 %r<19>; .reg .b64 %q<9>; .reg "
        ".pred %p;\n"
        "ld.param.u64 %q1, [p0]; ld.param.u64 %q2, [p1]; mov.u32 %r1, %tid.x; mul.wide.u32 %q3, "
        "%r1, 16; add.s64 %q1, %q1, %q3; mov.u32 %r2, tile; shl.b32 %r3, %r1, 4; add.s32 %r2, %r2, "
        "%r3; setp.ge.u32 %p, %r1, 24; selp.b32 %r4, 6, 16, %p;\n"
        "cp.async.cg.shared.global [%r2+512], [%q1], 16, %r4; cp.async.commit_group; "
        "cp.async.wait_group 0; bar.sync 0;\n"
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r5, %r6, %r7, %r8}, [%r2+512]; "
        "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r9, %r10}, [%r2+512];\n"
        "mul.wide.u32 %q4, %r1, 32; add.s64 %q2, %q2, %q4; st.global.v4.b32 [%q2], {%r5, %r6, %r7, "
        "%r8}; st.global.v2.b32 [%q2+16], {%r9, %r10};\nret;\n}\n";
    uint16_t data[32][8], want[32][8];
    for (unsigned i = 0; i < 256; i++) {
        data[i / 8][i % 8] = (uint16_t)(i * 259 + 7);
        want[i / 8][i % 8] = i / 8 >= 24 && i % 8 >= 3 ? 0 : data[i / 8][i % 8];
    }
    for (ww_code code = WW_CODE_PTX; code <= WW_CODE_LOWERED; code++) {
        ptx_run r;
        run_open(&r, text);
        uint64_t params[2] = {run_alloc(&r, sizeof data, data), run_alloc(&r, 1024, NULL)};
        assert_ok(run_kernel(&r, "k", code, 1, 32, params), r.err);
        const uint32_t(*out)[8] = run_at(&r, params[1], 1024);
        for (unsigned l = 0; l < 32; l++) {
            unsigned g = l / 4, t = l % 4 * 2;
            for (unsigned i = 0; i < 4; i++) {
                assert_int_equal(out[l][i],
                                 (uint32_t)want[8 * i + g][t + 1] << 16 | want[8 * i + g][t]);
            }
            for (unsigned i = 0; i < 2; i++) {
                assert_int_equal(out[l][4 + i],
                                 (uint32_t)want[8 * i + t + 1][g] << 16 | want[8 * i + t][g]);
            }
        }
        run_close(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wmma),         cmocka_unit_test(mma_m16n8k16),
        cmocka_unit_test(inexact_sums), cmocka_unit_test(special_values),
        cmocka_unit_test(refusals),     cmocka_unit_test(copies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
