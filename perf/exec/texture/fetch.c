/* fetch.c - texture fetches as the CUDA C++ Programming Guide, appendix "Texture Fetching",
 * defines them. With x a coordinate in elements (a normalized one times the size):
 *   nearest  element floor(x)
 *   linear   xb = x - 1/2, i = floor(xb), alpha = xb - i rounded to 8 fractional bits:
 *            (1 - alpha) T[i] + alpha T[i+1] in each dimension, added in double, rounded to
 * binary32 Elements outside follow the address mode: the nearest one, the border, or, with
 * normalized coordinates, periodic or mirrored repetition. Integer coordinates outside read as
 * zero. Cube maps take the face of the coordinate largest in magnitude; filtering does not cross
 * its edges. Channels that a texture lacks read as 0, the fourth as 1. */
#include <string.h>

#include "perf/exec/lanes/half.h"
#include "perf/exec/texture/texture.h"

/* One channel's value: numbers as double, elements read as they are as bits. */
typedef union sample {
    double number;
    uint32_t bits;
} sample;

/* ---- elements ---- */

static bool reads_numbers(const ww_texture *t)
{
    return t->channel == WW_TEX_FLOAT || t->normalized_read;
}

static uint32_t channel_bits_at(const ww_texture *t, const unsigned char *p)
{
    uint32_t v = 0;
    memcpy(&v, p, t->channel_bits / 8u); /* little-endian */
    if (t->channel == WW_TEX_SIGNED && t->channel_bits < 32) {
        uint32_t sign = 1u << (t->channel_bits - 1);
        v = (v ^ sign) - sign;
    }
    return v;
}

static double number_of(const ww_texture *t, uint32_t bits)
{
    if (t->channel == WW_TEX_FLOAT) {
        return t->channel_bits == 16 ? (double)ww__f16_to_f32((uint16_t)bits)
                                     : (double)ww__half_f32(bits);
    }
    double full = t->channel_bits == 32 ? 4294967295.0 : (double)((1u << t->channel_bits) - 1);
    if (t->channel == WW_TEX_UNSIGNED) {
        return bits / full;
    }
    double v = (int32_t)bits / ((full - 1.0) / 2.0);
    return v < -1.0 ? -1.0 : v;
}

static void read_element(const ww_exec_ctx *x, const ww_tex_view *v, const uint32_t at[3],
                         sample out[4])
{
    const ww_texture *t = v->texture;
    uint64_t address =
        t->address + (uint64_t)at[0] * v->element_bytes + at[1] * t->pitch + at[2] * t->slice;
    const unsigned char *p = (const unsigned char *)(address + x->code->bias);
    bool numbers = reads_numbers(t);
    for (unsigned c = 0; c < 4; c++) {
        uint32_t bits = c < t->channels ? channel_bits_at(t, p + c * (t->channel_bits / 8u)) : 0;
        if (numbers) {
            out[c].number = c < t->channels ? number_of(t, bits) : c == 3 ? 1.0 : 0.0;
        } else {
            out[c].bits = c < t->channels ? bits : c == 3;
        }
    }
}

static void read_border(const ww_tex_view *v, sample out[4])
{
    for (unsigned c = 0; c < 4; c++) {
        float f = v->texture->border[c];
        if (reads_numbers(v->texture)) {
            out[c].number = (double)f;
        } else {
            out[c].bits = ww__half_bits32(f);
        }
    }
}

/* ---- coordinates ---- */

#define FAR 1e15 /* beyond every texture; exact in double and int64 */

static int64_t floor_of(double v)
{
    v = v > -FAR ? v : -FAR; /* NaN too */
    v = v < FAR ? v : FAR;
    int64_t i = (int64_t)v;
    return (double)i > v ? i - 1 : i;
}

static int64_t modulo(int64_t i, int64_t n)
{
    int64_t r = i % n;
    return r < 0 ? r + n : r;
}

/* The element that index i means; false: the border. */
static bool locate(int64_t i, uint32_t n, ww_tex_mode mode, bool normalized, uint32_t *out)
{
    if (i >= 0 && i < n) {
        *out = (uint32_t)i;
        return true;
    }
    if (mode == WW_TEX_BORDER) {
        *out = 0;
        return false;
    }
    if (mode == WW_TEX_WRAP && normalized) {
        *out = (uint32_t)modulo(i, n);
    } else if (mode == WW_TEX_MIRROR && normalized) {
        int64_t m = modulo(i, 2 * (int64_t)n);
        *out = (uint32_t)(m < n ? m : 2 * (int64_t)n - 1 - m);
    } else {
        *out = i < 0 ? 0 : n - 1;
    }
    return true;
}

/* Where a fetch looks: up to three filtered dimensions, and a slice. */
typedef struct point {
    unsigned dimensions;
    double at[3]; /* in elements */
    uint32_t slice;
    ww_tex_mode mode[3];
    bool normalized;
} point;

static bool element_at(const ww_exec_ctx *x, const ww_tex_view *v, const point *p,
                       const int64_t index[3], uint32_t where[3], sample out[4])
{
    bool inside = true;
    where[0] = 0;
    where[1] = 0;
    where[2] = p->slice;
    for (unsigned d = 0; d < p->dimensions; d++) {
        inside &= locate(index[d], v->size[d], p->mode[d], p->normalized, &where[d]);
    }
    if (inside) {
        read_element(x, v, where, out);
    } else {
        read_border(v, out);
    }
    return inside;
}

static void fetch_nearest(const ww_exec_ctx *x, const ww_tex_view *v, const point *p,
                          uint32_t where[3], sample out[4])
{
    int64_t index[3] = {0};
    for (unsigned d = 0; d < p->dimensions; d++) {
        index[d] = floor_of(p->at[d]);
    }
    (void)element_at(x, v, p, index, where, out);
}

/* `where` becomes the first element that lies inside. */
static void fetch_linear(const ww_exec_ctx *x, const ww_tex_view *v, const point *p,
                         uint32_t where[3], sample out[4])
{
    int64_t base[3] = {0};
    double alpha[3] = {0};
    bool found = false;
    for (unsigned d = 0; d < p->dimensions; d++) {
        double xb = p->at[d] - 0.5;
        base[d] = floor_of(xb);
        double fraction = xb - (double)base[d];
        fraction = fraction >= 0.0 && fraction < 1.0 ? fraction : 0.0;
        alpha[d] = (double)(int)(fraction * 256.0 + 0.5) / 256.0;
    }
    double sum[4] = {0};
    for (unsigned corner = 0; corner < 1u << p->dimensions; corner++) {
        int64_t index[3];
        double weight = 1.0;
        for (unsigned d = 0; d < p->dimensions; d++) {
            bool upper = (corner >> d & 1) != 0;
            index[d] = base[d] + upper;
            weight *= upper ? alpha[d] : 1.0 - alpha[d];
        }
        if (weight == 0.0) { /* not read: an infinite or NaN neighbour does not matter */
            continue;
        }
        sample s[4];
        uint32_t at[3];
        bool inside = element_at(x, v, p, index, at, s);
        if (!found && (inside || corner == 0)) {
            memcpy(where, at, sizeof at);
            found = inside;
        }
        for (unsigned c = 0; c < 4; c++) {
            sum[c] += weight * s[c].number;
        }
    }
    for (unsigned c = 0; c < 4; c++) {
        out[c].number = sum[c];
    }
}

/* One channel of the four elements that linear filtering would use, counter-clockwise from the
 * lower left one, y growing downwards (PTX manual, "tld4"). */
static void gather(const ww_exec_ctx *x, const ww_tex_view *v, const point *p, unsigned channel,
                   uint32_t where[3], sample out[4])
{
    static const uint8_t right[4] = {0, 1, 1, 0}, below[4] = {1, 1, 0, 0};
    for (unsigned k = 0; k < 4; k++) {
        int64_t index[3] = {floor_of(p->at[0] - 0.5) + right[k],
                            floor_of(p->at[1] - 0.5) + below[k]};
        sample s[4];
        (void)element_at(x, v, p, index, where, s);
        out[k] = s[channel];
    }
}

/* ---- geometry ---- */

static double magnitude(double v)
{
    return v < 0.0 ? -v : v;
}

/* Face and coordinates on it in [0, 1] (Programming Guide, "Cubemap Textures"). */
static uint32_t cube_face(const double c[3], double on[2])
{
    double a[3] = {magnitude(c[0]), magnitude(c[1]), magnitude(c[2])};
    unsigned axis = a[0] >= a[1] && a[0] >= a[2] ? 0 : a[1] >= a[2] ? 1 : 2;
    bool negative = c[axis] < 0.0;
    double s = axis == 0 ? (negative ? c[2] : -c[2]) : axis == 2 && negative ? -c[0] : c[0];
    double t = axis == 1 ? (negative ? -c[2] : c[2]) : -c[1];
    on[0] = (s / a[axis] + 1.0) / 2.0;
    on[1] = (t / a[axis] + 1.0) / 2.0;
    return 2 * axis + negative;
}

static uint32_t layer_of(const ww_tex_view *v, uint32_t layer, uint32_t faces)
{
    uint32_t layers = v->size[2] / faces;
    layers = layers > 0 ? layers : 1;
    return layer < layers ? layer : layers - 1;
}

/* coordinate: bits of each as the instruction has them. */
static point point_of(const ww_tex_view *v, const ww_inst *inst, const uint32_t coordinate[4])
{
    const ww_texture *t = v->texture;
    ww_sub geometry = (ww_sub)inst->sub;
    bool layered = geometry == WW_SUB_A1D || geometry == WW_SUB_A2D || geometry == WW_SUB_ACUBE;
    bool cube = geometry == WW_SUB_CUBE || geometry == WW_SUB_ACUBE;
    bool integer = inst->type2 == WW_T_S32;
    point p = {.normalized = (t->normalized_coordinates || cube) && !integer};
    p.dimensions = geometry == WW_SUB_3D                             ? 3
                   : geometry == WW_SUB_1D || geometry == WW_SUB_A1D ? 1
                                                                     : 2;
    double c[3] = {0};
    for (unsigned d = 0; d < (cube ? 3 : p.dimensions); d++) {
        uint32_t bits = coordinate[d + layered];
        c[d] = integer ? (double)(int32_t)bits : (double)ww__half_f32(bits);
        p.mode[d] = integer ? WW_TEX_BORDER : (ww_tex_mode)t->mode[d];
    }
    if (layered && !cube) {
        p.slice = layer_of(v, coordinate[0], 1);
    }
    if (cube) {
        double on[2];
        p.slice = cube_face(c, on);
        p.slice += layered ? 6 * layer_of(v, coordinate[0], 6) : 0;
        p.slice = p.slice < v->size[2] ? p.slice : v->size[2] - 1;
        p.mode[0] = p.mode[1] = WW_TEX_CLAMP;
        c[0] = on[0];
        c[1] = on[1];
    }
    for (unsigned d = 0; d < p.dimensions; d++) {
        p.at[d] = p.normalized ? c[d] * v->size[d] : c[d];
    }
    return p;
}

static uint32_t result_bits(const ww_texture *t, const sample *s)
{
    if (!reads_numbers(t)) {
        return s->bits;
    }
    float f = (float)s->number;
    return f != f ? 0x7fffffffu : ww__half_bits32(f);
}

/* Where the caches see an element. Those of an array are stored here row by row and moved to their
 * blocks for this alone; GPGPU-Sim has blocks of the same size in lines of 128 B. */
static uint64_t line_address(const ww_tex_view *v, const uint32_t at[3])
{
    enum { BYTES = 16, ROWS = 8 };
    const ww_texture *t = v->texture;
    uint64_t column = (uint64_t)at[0] * v->element_bytes, row = at[1];
    uint64_t slice = t->address + at[2] * t->slice;
    if (!t->blocks) {
        return slice + row * t->pitch + column;
    }
    uint64_t across = (t->pitch + BYTES - 1) / BYTES;
    uint64_t block = row / ROWS * across + column / BYTES;
    return slice + block * (ROWS * BYTES) + row % ROWS * BYTES + column % BYTES;
}

static void fetch(const ww_exec_ctx *x, const ww_tex_view *v, const ww_uop *u,
                  const uint32_t coordinate[4], unsigned lane, uint32_t result[4][WW_LANES])
{
    const ww_texture *t = v->texture;
    point p = point_of(v, u->inst, coordinate);
    sample s[4];
    uint32_t where[3] = {0};
    if (u->inst->type2 == WW_T_S32) {
        bool inside = true;
        int64_t index[3] = {0};
        for (unsigned d = 0; d < p.dimensions; d++) {
            index[d] = (int64_t)p.at[d];
            inside &= index[d] >= 0 && index[d] < v->size[d];
        }
        memset(s, 0, sizeof s);
        if (inside) {
            (void)element_at(x, v, &p, index, where, s);
        }
    } else if (u->inst->op == WW_OP_TLD4) {
        gather(x, v, &p, u->inst->layout, where, s);
    } else if (t->linear && reads_numbers(t)) {
        fetch_linear(x, v, &p, where, s);
    } else {
        fetch_nearest(x, v, &p, where, s);
    }
    for (unsigned c = 0; c < 4; c++) {
        result[c][lane] = result_bits(t, &s[c]);
    }
    x->out->address[lane] = line_address(v, where);
}

/* ---- warps ---- */

/* Whether all lanes can be fetched from the texture at once, and how. */
static bool job_of(const ww_exec_ctx *x, const ww_tex_view *v, const ww_uop *u,
                   const uint32_t *const source[5], ww_tex_job *job)
{
    const uint32_t most = 1u << 30;
    ww_sub geometry = (ww_sub)u->inst->sub;
    bool layered = geometry == WW_SUB_A1D || geometry == WW_SUB_A2D;
    if (x->code->lanes->texture == NULL || u->inst->op != WW_OP_TEX || geometry == WW_SUB_CUBE ||
        geometry == WW_SUB_ACUBE || v->bytes > INT32_MAX || v->size[1] > most ||
        v->size[2] > most) {
        return false;
    }
    *job = (ww_tex_job){.texture = v->texture,
                        .base = (const unsigned char *)(v->texture->address + x->code->bias),
                        .element_bytes = v->element_bytes,
                        .size = {v->size[0], v->size[1], v->size[2]},
                        .dimensions = u->x - layered,
                        .layer = layered ? source[1] : NULL,
                        .integer = u->inst->type2 == WW_T_S32};
    for (unsigned d = 0; d < job->dimensions; d++) {
        job->coordinate[d] = source[1 + layered + d];
    }
    for (unsigned c = 0; c < 4; c++) {
        job->wanted |= u->dst_list[c] != WW_NO_REG ? 1u << c : 0;
    }
    return true;
}

/* The executing lanes whose handle is that of the first of `lanes`. */
static uint32_t same_handle(const ww_uop *u, const uint32_t *planes, uint32_t lanes)
{
    if (u->element[0].kind == WW_SRC_POOL) {
        return lanes;
    }
    uint64_t handle = ww__tex_handle(u, planes, (unsigned)__builtin_ctz(lanes));
    uint32_t same = 0;
    for (unsigned lane = 0; lane < WW_LANES; lane++) {
        same |= ww__tex_handle(u, planes, lane) == handle ? 1u << lane : 0;
    }
    return same & lanes;
}

static void fetch_lanes(ww_exec_ctx *x, const ww_tex_view *v, const ww_uop *u,
                        const uint32_t *const source[5], uint32_t lanes,
                        uint32_t result[4][WW_LANES])
{
    ww_tex_job job;
    x->out->lane_bytes = v->element_bytes;
    if (!job_of(x, v, u, source, &job)) {
        for (uint32_t m = lanes; m != 0; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);
            uint32_t coordinate[4] = {0};
            for (unsigned k = 0; k < u->x; k++) {
                coordinate[k] = source[1 + k][lane];
            }
            fetch(x, v, u, coordinate, lane, result);
        }
        return;
    }
    if (lanes == x->exec) {
        x->code->lanes->texture(&job, result, x->out->address);
        return;
    }
    uint32_t part[4][WW_LANES] = {{0}};
    uint64_t address[WW_LANES];
    x->code->lanes->texture(&job, part, address);
    x->code->lanes->blend(result[0], part[0], 4, lanes);
    for (uint32_t m = lanes; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        x->out->address[lane] = address[lane];
    }
}

ww_status ww__run_tex(ww_exec_ctx *x, const ww_uop *u)
{
    uint32_t scratch[5][WW_PAIR_WORDS];
    const uint32_t *source[5] = {0};
    uint32_t result[4][WW_LANES];
    for (unsigned k = 0; k <= u->x; k++) {
        source[k] = ww__src(x, &u->element[k], scratch[k]);
    }
    x->out->is_memory = true;
    x->out->space = WW_SPACE_TEX;
    for (uint32_t left = x->exec; left != 0;) {
        unsigned first = (unsigned)__builtin_ctz(left);
        uint32_t lanes = same_handle(u, source[0], left);
        ww_tex_view view = {0};
        WW_TRY(ww__tex_view(x, u, first, ww__tex_handle(u, source[0], first), &view));
        fetch_lanes(x, &view, u, source, lanes, result);
        left &= ~lanes;
    }
    for (unsigned c = 0; c < 4; c++) {
        ww__dst_write(x, u->dst_list[c], result[c], 1);
    }
    return WW_OK;
}
