/* products.c - which kernels make a product, and their launches.
 *
 * The kernels have rows where BLAS has columns: their A is op(B), n rows of k numbers, their B is
 * op(A), m rows, their C is D's columns. Operands of 16 bits may lie along K or across, all others
 * lie along it, and all begin every row at 16 bytes: what does not is copied first. A plain result
 * is written by the product itself; one with more behind it leaves sums in f32, as does one whose K
 * is split, and a second kernel finishes them. */
#include "runtime/math/products/products.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "runtime/math/products/device.h"
#include "workloads/operators/operators.h"

enum { CHUNK = 16, MOST_SPLITS = 16 };

static int bytes_of(int type)
{
    switch (type) {
    case WW_R_8I:
    case WW_R_8F_E4M3:
        return 1;
    case WW_R_16F:
    case WW_R_16BF:
        return 2;
    default:
        return 4;
    }
}

/* ---- which ---- */

static bool is_half(int type)
{
    return type == WW_R_16F || type == WW_R_16BF;
}

static bool is_result(int type)
{
    return type == WW_R_32F || is_half(type) || type == WW_R_8F_E4M3 || type == WW_R_8I;
}

/* Grids have up to 65535 blocks along y and z, of 32 lines each where an operand is copied. */
static bool fits(const ww_product *p)
{
    const int64_t most = 1 << 20, most_ld = 1 << 30;
    return p->m > 0 && p->n > 0 && p->k > 0 && p->count > 0 && p->m <= most && p->n <= most &&
           p->k <= most && p->count <= 65535 && p->a.ld <= most_ld && p->b.ld <= most_ld &&
           p->c.ld <= most_ld && p->d.ld <= most_ld;
}

bool warpwatt_product_is_there(const ww_product *p)
{
    const ww_math_device *device = ww_math_device_now();
    if (device == NULL || device->capability < 80 || p->a.type != p->b.type || !fits(p)) {
        return false;
    }
    switch (p->a.type) {
    case WW_R_8I:
        return p->d.type == WW_R_32I
                   ? p->function == WW_FINISH_NONE && p->bias.at == NULL && p->aux.at == NULL
                   : is_result(p->d.type);
    case WW_R_8F_E4M3:
        return device->capability >= 89 && is_result(p->d.type);
    case WW_R_16F:
    case WW_R_16BF:
    case WW_R_32F:
        return is_result(p->d.type);
    default:
        return false;
    }
}

/* ---- operands ---- */

/* An operand as a kernel reads it: rows, along K or across. */
typedef struct operand {
    CUdeviceptr at;
    int64_t ld, stride;
    bool along_k;
} operand;

static CUdeviceptr address(const void *p)
{
    return (CUdeviceptr)(uintptr_t)p;
}

static bool is_aligned(const ww_matrix *x)
{
    const int64_t size = bytes_of(x->type);
    return (uintptr_t)x->at % CHUNK == 0 && x->ld * size % CHUNK == 0 &&
           x->stride * size % CHUNK == 0;
}

/* Numbers of a row that ends at a chunk. */
static int64_t padded(int64_t n, int size)
{
    return (n + CHUNK / size - 1) / (CHUNK / size) * (CHUNK / size);
}

/* `lines` of `length` numbers lie in memory one behind the other. */
static bool move(const ww_matrix *x, int64_t lines, int64_t length, bool turn, int64_t count,
                 operand *out, cudaStream_t stream)
{
    const int size = bytes_of(x->type);
    int rows = (int)lines, columns = (int)length;
    int64_t from_ld = x->ld, from_stride = x->stride;
    out->ld = padded(turn ? lines : length, size);
    out->stride = out->ld * (turn ? length : lines);
    char kernel[16];
    snprintf(kernel, sizeof kernel, "ww_%s_%d", turn ? "turn" : "pad", size);
    const unsigned grid[3] = {(unsigned)((length + 31) / 32), (unsigned)((lines + 31) / 32),
                              (unsigned)count};
    const unsigned block[3] = {32, 8, 1};
    CUdeviceptr from = address(x->at);
    void *arguments[] = {&from,    &out->at, &rows,        &columns,
                         &from_ld, &out->ld, &from_stride, &out->stride};
    return ww_math_launch("finish", kernel, grid, block, 0, arguments, stream);
}

/* How an operand of `lines` that make the result and k numbers each lies: `along_k` as it is given.
 * What must be moved gets a place. */
typedef struct need {
    bool moved, turned;
    int64_t bytes;
} need;

static need need_of(const ww_matrix *x, bool along_k, int64_t lines, int64_t k, int64_t count)
{
    const int size = bytes_of(x->type);
    need out = {.turned = !along_k && size != 2};
    out.moved = out.turned || !is_aligned(x);
    const bool result_along_k = along_k || out.turned;
    int64_t length = result_along_k ? k : lines, rows = result_along_k ? lines : k;
    out.bytes = out.moved ? (padded(length, size) * rows * size * count + 255) / 256 * 256 : 0;
    return out;
}

static bool prepare(const ww_matrix *x, const need *n, bool along_k, int64_t lines, int64_t k,
                    int64_t count, CUdeviceptr place, operand *out, cudaStream_t stream)
{
    *out = (operand){address(x->at), x->ld, x->stride, along_k || n->turned};
    out->at = n->moved ? place : out->at;
    return !n->moved ||
           move(x, along_k ? lines : k, along_k ? k : lines, n->turned, count, out, stream);
}

/* ---- kernels ---- */

/* A choice of kernel, and of where its result goes. */
typedef struct choice {
    char unit[24], kernel[40];
    uint32_t tile_m, tile_n, threads, shared;
    int splits;
    bool direct; /* the kernel writes D */
} choice;

static const char *number_name(int type)
{
    return type == WW_R_16F ? "f16" : type == WW_R_16BF ? "bf16" : type == WW_R_8I ? "s8" : "e4m3";
}

/* Of results that the kernel may write itself: no more behind the sum than it can. */
static bool is_plain(const ww_product *p)
{
    bool scaled =
        p->scale[0] != NULL || p->scale[1] != NULL || p->scale[2] != NULL || p->scale[3] != NULL;
    bool adds = p->beta == 1 && p->bias.at == NULL && p->function == WW_FINISH_NONE &&
                p->c.type == p->d.type && p->c.ld == p->d.ld && p->c.stride == p->d.stride &&
                is_aligned(&p->c);
    bool bias = p->bias.at == NULL || (p->bias.type == p->d.type && !p->along_n && p->m % 2 == 0 &&
                                       p->bias.stride == 0 && (uintptr_t)p->bias.at % CHUNK == 0);
    return !scaled && p->aux.at == NULL && bias && is_aligned(&p->d) && (p->beta == 0 || adds) &&
           (p->function == WW_FINISH_NONE || p->function == WW_FINISH_RELU);
}

/* The unit whose kernels write results of D's type, or leave f32. */
static void choose_unit(const ww_product *p, const operand *a, const operand *b, choice *c)
{
    const char *layout = b->along_k ? (a->along_k ? "tn" : "nn") : a->along_k ? "tt" : "nt";
    c->direct = is_plain(p);
    if (is_half(p->a.type)) {
        c->direct = c->direct && (p->d.type == p->a.type || p->d.type == WW_R_32F);
        bool wide = !c->direct || p->d.type == WW_R_32F;
        snprintf(c->unit, sizeof c->unit, "%s_%s_%s", wide ? "wide" : "gemm",
                 number_name(p->a.type), layout);
    } else if (p->a.type == WW_R_32F) {
        c->direct = c->direct && p->d.type == WW_R_32F;
        /* The kernel of the FP32 lanes knows neither residual nor activation. */
        c->direct = c->direct && (p->tf32 || (p->beta == 0 && p->function == WW_FINISH_NONE));
        snprintf(c->unit, sizeof c->unit, "%s", p->tf32 ? "gemm_tf32_tn" : "sgemm_tn");
    } else {
        c->direct = c->direct && p->d.type == WW_R_32F && p->a.type == WW_R_8F_E4M3;
        snprintf(c->unit, sizeof c->unit, "%s",
                 p->a.type == WW_R_8I ? "gemm_s8_tn" : "wide_e4m3_tn");
    }
}

static bool has_tile(const choice *c, const ww_operator_tile *t)
{
    bool ours = strncmp(c->unit, "wide", 4) == 0 || strstr(c->unit, "_nt") != NULL ||
                strstr(c->unit, "_tt") != NULL;
    return t->slices == 0 && (!ours || t->m == t->n); /* slices are of other units */
}

/* The largest tile that leaves no SM without one, else the smallest. */
static void choose_tile(const ww_product *p, const ww_math_device *device, choice *c)
{
    size_t count;
    const ww_operator_tile *tiles = strcmp(c->unit, "sgemm_tn") == 0
                                        ? ww_operator_sgemm_tiles(&count)
                                        : ww_operator_tiles(&count),
                           *best = NULL;
    for (size_t i = 0; i < count; i++) {
        const ww_operator_tile *t = &tiles[i];
        int64_t ctas = (p->n + t->m - 1) / t->m * ((p->m + t->n - 1) / t->n) * p->count;
        if (!has_tile(c, t) || t->shared_bytes > device->shared_most) {
            continue;
        }
        if (best == NULL || best->m * best->n > t->m * t->n) {
            best = t;
        }
        if (ctas >= device->sms) {
            break;
        }
    }
    WW_ASSERT(best != NULL); /* 64 x 64 takes 64 KiB: every GPU from 8.0 on has them */
    c->tile_m = best->m;
    c->tile_n = best->n;
    c->threads = best->threads;
    c->shared = best->shared_bytes;
    snprintf(c->kernel, sizeof c->kernel, "%s_%ux%u", c->unit, best->m, best->n);
}

/* Parts of K: where few tiles would leave SMs idle, and sums of integers before they leave the 24
 * bits of a float. */
static void choose_splits(const ww_product *p, const ww_math_device *device, choice *c)
{
    c->splits = 1;
    const int stage_bytes = 128;
    int64_t stages = (p->k * bytes_of(p->a.type) + stage_bytes - 1) / stage_bytes;
    if (p->a.type == WW_R_8I) {
        c->splits = (int)((stages + 7) / 8); /* 1024 products of up to 2^14 */
        return;
    }
    int64_t tiles =
        (p->n + c->tile_m - 1) / c->tile_m * ((p->m + c->tile_n - 1) / c->tile_n) * p->count;
    int64_t splits = device->sms / (tiles > 0 ? tiles : 1);
    splits = splits < stages / 4 ? splits : stages / 4;
    splits = splits < MOST_SPLITS ? splits : MOST_SPLITS;
    if (splits > 1) {
        c->splits = (int)splits;
        c->direct = false;
    }
}

static bool launch_product(const ww_product *p, const choice *c, const operand *a, const operand *b,
                           CUdeviceptr sums, int64_t pitch, cudaStream_t stream)
{
    const bool parts = c->splits > 1;
    CUdeviceptr result = c->direct ? address(p->d.at) : sums, partial = parts ? sums : 0;
    CUdeviceptr bias = c->direct ? address(p->bias.at) : 0;
    CUdeviceptr residual = c->direct && p->beta == 1 ? address(p->c.at) : 0;
    int m = (int)p->n, n = (int)p->m, k = (int)p->k, splits = c->splits;
    int lda = (int)b->ld, ldb = (int)a->ld, ldc = (int)(c->direct ? p->d.ld : pitch);
    long long stride_a = b->stride, stride_b = a->stride;
    long long stride_c = c->direct ? p->d.stride : pitch * p->n;
    int act = c->direct ? p->function : WW_FINISH_NONE;
    float alpha = c->direct ? p->alpha : 1;
    int64_t ctas = (p->n + c->tile_m - 1) / c->tile_m * ((p->m + c->tile_n - 1) / c->tile_n) *
                   p->count * c->splits;
    if (ctas > INT32_MAX) {
        return false;
    }
    const unsigned grid[3] = {(unsigned)ctas, 1, 1}, block[3] = {c->threads, 1, 1};
    CUdeviceptr at_a = b->at, at_b = a->at;
    void *arguments[] = {&at_a,     &at_b,     &result,   &bias,   &residual, &partial,
                         &m,        &n,        &k,        &lda,    &ldb,      &ldc,
                         &stride_a, &stride_b, &stride_c, &splits, &act,      &alpha};
    return ww_math_launch(c->unit, c->kernel, grid, block, c->shared, arguments, stream);
}

static bool launch_finish(const ww_product *p, const choice *c, CUdeviceptr sums, int64_t pitch,
                          cudaStream_t stream)
{
    ww_finish f = {.sums = (const float *)(uintptr_t)sums,
                   .c = p->c.at,
                   .bias = p->bias.at,
                   .d = (void *)(uintptr_t)address(p->d.at),
                   .aux = (void *)(uintptr_t)address(p->aux.at),
                   .scale_a = p->scale[0],
                   .scale_b = p->scale[1],
                   .scale_c = p->scale[2],
                   .scale_d = p->scale[3],
                   .m = p->m,
                   .part = pitch * p->n,
                   .pitch = pitch,
                   .ldc = p->c.ld,
                   .ldd = p->d.ld,
                   .ld_aux = p->aux.ld,
                   .stride_c = p->c.stride,
                   .stride_d = p->d.stride,
                   .stride_bias = p->bias.stride,
                   .stride_aux = p->aux.stride,
                   .alpha = p->alpha,
                   .beta = p->beta,
                   .splits = c->splits,
                   .function = p->function,
                   .type_c = p->c.type,
                   .type_d = p->d.type,
                   .type_bias = p->bias.type,
                   .type_aux = p->aux.type,
                   .bias_columns = p->along_n};
    enum { THREADS = 128 };
    const unsigned block[3] = {THREADS, 1, 1};
    void *arguments[] = {&f};
    const unsigned grid[3] = {(unsigned)p->n, (unsigned)((p->m + THREADS - 1) / THREADS),
                              (unsigned)p->count};
    return ww_math_launch("finish", "ww_finish_product", grid, block, 0, arguments, stream);
}

ww_product_outcome warpwatt_product_run(const ww_product *p, cudaStream_t stream)
{
    const ww_math_device *device = ww_math_device_now();
    if (device == NULL || !warpwatt_product_is_there(p)) {
        return WW_PRODUCT_UNSUPPORTED;
    }
    need need_a = need_of(&p->a, p->turn_a, p->m, p->k, p->count);
    need need_b = need_of(&p->b, !p->turn_b, p->n, p->k, p->count);
    operand a = {.along_k = p->turn_a || need_a.turned},
            b = {.along_k = !p->turn_b || need_b.turned};
    choice c = {.direct = false};
    choose_unit(p, &a, &b, &c);
    choose_tile(p, device, &c);
    choose_splits(p, device, &c);
    const int64_t pitch = padded(p->m, (int)sizeof(float));
    int64_t sum_bytes = c.direct ? 0 : pitch * p->n * p->count * c.splits * (int64_t)sizeof(float);
    CUdeviceptr place = 0;
    if (!ww_math_workspace((size_t)(need_a.bytes + need_b.bytes + sum_bytes), stream, &place)) {
        return WW_PRODUCT_FAILED;
    }
    CUdeviceptr place_b = place + (CUdeviceptr)need_a.bytes,
                sums = place_b + (CUdeviceptr)need_b.bytes;
    bool done = prepare(&p->a, &need_a, p->turn_a, p->m, p->k, p->count, place, &a, stream) &&
                prepare(&p->b, &need_b, !p->turn_b, p->n, p->k, p->count, place_b, &b, stream) &&
                launch_product(p, &c, &a, &b, sums, pitch, stream) &&
                (c.direct || launch_finish(p, &c, sums, pitch, stream));
    return done ? WW_PRODUCT_DONE : WW_PRODUCT_FAILED;
}
