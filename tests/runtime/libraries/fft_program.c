/* fft_program.c - a program that transforms with cuFFT: lengths of every kind, all types, one to
 * three dimensions, batches, strides, in place and not, each beside GSL's transform in double
 * precision; and calls that cuFFT refuses. NVIDIA's headers are not needed to build it. With an
 * argument: one transform of each kind, for a run in time. */
#include <gsl/gsl_fft_complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cudaMalloc(void **p, size_t bytes);
int cudaFree(void *p);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaStreamCreate(void **stream);
int cudaStreamSynchronize(void *stream);
const char *cudaGetErrorString(int code);
int cufftCreate(int *plan);
int cufftDestroy(int plan);
int cufftPlan1d(int *plan, int nx, int type, int batch);
int cufftPlan2d(int *plan, int nx, int ny, int type);
int cufftPlan3d(int *plan, int nx, int ny, int nz, int type);
int cufftPlanMany(int *plan, int rank, int *n, int *ie, int is, int id, int *oe, int os, int od,
                  int type, int batch);
int cufftMakePlan1d(int plan, int nx, int type, int batch, size_t *bytes);
int cufftMakePlanMany64(int plan, int rank, long long *n, long long *ie, long long is, long long id,
                        long long *oe, long long os, long long od, int type, long long batch,
                        size_t *bytes);
int cufftXtMakePlanMany(int plan, int rank, long long *n, long long *ie, long long is, long long id,
                        int in, long long *oe, long long os, long long od, int out, long long batch,
                        size_t *bytes, int execution);
int cufftXtExec(int plan, void *in, void *out, int direction);
int cufftXtSetCallback(int plan, void **routine, int type, void **info);
int cufftGetSize(int plan, size_t *bytes);
int cufftGetSize1d(int plan, int nx, int type, int batch, size_t *bytes);
int cufftEstimate1d(int nx, int type, int batch, size_t *bytes);
int cufftSetStream(int plan, void *stream);
int cufftSetAutoAllocation(int plan, int allocate);
int cufftSetWorkArea(int plan, void *work);
int cufftExecC2C(int plan, void *in, void *out, int direction);
int cufftExecR2C(int plan, void *in, void *out);
int cufftExecC2R(int plan, void *in, void *out);
int cufftExecZ2Z(int plan, void *in, void *out, int direction);
int cufftExecD2Z(int plan, void *in, void *out);
int cufftExecZ2D(int plan, void *in, void *out);

#include "tests/runtime/check.h"

enum { C2C = 0x29, R2C = 0x2a, C2R = 0x2c, Z2Z = 0x69, D2Z = 0x6a, Z2D = 0x6c };
enum { RANK = 3, TO_DEVICE = 1, TO_HOST = 2 };

/* What is transformed. n[0] is 1 where the rank is below 3, n[1] where it is 1. */
typedef struct shape {
    int type, rank, n[RANK], batch, in_stride, in_gap, out_stride, out_gap, direction;
    bool in_place, advanced; /* advanced: embeds are given, rows have in_gap elements more */
} shape;

static bool is_double(int type)
{
    return type >= Z2Z;
}

static double number(uint64_t *state)
{
    *state = *state * 6364136223846793005U + 1442695040888963407U;
    return (double)(int64_t)(*state >> 11) / 4503599627370496.0 - 1;
}

/* An end as a program sees it: how many numbers of how many components lie in which array. */
typedef struct end {
    int extent[RANK], embed[RANK], stride, distance, components;
    size_t bytes;
} end;

static end end_of(const shape *s, bool real, int stride, int gap)
{
    bool half = !real && s->type != C2C && s->type != Z2Z;
    end e = {.stride = stride, .components = real ? 1 : 2};
    for (int i = 0; i < RANK; i++) {
        e.extent[i] = half && i == RANK - 1 ? s->n[i] / 2 + 1 : s->n[i];
        e.embed[i] = e.extent[i] + (i == RANK - 1 ? gap : 0);
    }
    if (real && s->in_place && !s->advanced) {
        e.embed[RANK - 1] = 2 * (s->n[RANK - 1] / 2 + 1);
    }
    e.distance = e.embed[0] * e.embed[1] * e.embed[2] * stride + (s->advanced ? gap : 0);
    e.bytes =
        (size_t)e.distance * (size_t)s->batch * (size_t)e.components * (is_double(s->type) ? 8 : 4);
    return e;
}

static size_t at(const end *e, int b, int x, int y, int z)
{
    return (size_t)b * (size_t)e->distance +
           (((size_t)x * (size_t)e->embed[1] + (size_t)y) * (size_t)e->embed[2] + (size_t)z) *
               (size_t)e->stride;
}

static double get(const shape *s, const void *data, size_t i)
{
    return is_double(s->type) ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

static void set(const shape *s, void *data, size_t i, double value)
{
    if (is_double(s->type)) {
        ((double *)data)[i] = value;
    } else {
        ((float *)data)[i] = (float)value;
    }
}

/* One batch of the program's input as a whole array of complex numbers: real numbers, or the first
 * half of a spectrum, whose other half is its conjugate at the opposite place. */
static void gather(const shape *s, const end *e, const void *data, int b, double *out)
{
    const int *n = s->n;
    for (int x = 0; x < n[0]; x++) {
        for (int y = 0; y < n[1]; y++) {
            for (int z = 0; z < n[2]; z++, out += 2) {
                bool mirrored = z >= e->extent[2];
                size_t i = mirrored ? at(e, b, (n[0] - x) % n[0], (n[1] - y) % n[1], n[2] - z)
                                    : at(e, b, x, y, z);
                out[0] = get(s, data, i * (size_t)e->components);
                out[1] = e->components == 1 ? 0 : get(s, data, 2 * i + 1);
                out[1] = mirrored ? -out[1] : out[1];
            }
        }
    }
}

static void reference(const shape *s, double *v)
{
    size_t strides[RANK] = {(size_t)(s->n[1] * s->n[2]), (size_t)s->n[2], 1};
    size_t all = strides[0] * (size_t)s->n[0];
    for (int axis = 0; axis < RANK; axis++) {
        size_t n = (size_t)s->n[axis], stride = strides[axis];
        gsl_fft_complex_wavetable *table = gsl_fft_complex_wavetable_alloc(n);
        gsl_fft_complex_workspace *space = gsl_fft_complex_workspace_alloc(n);
        for (size_t i = 0; i < all; i++) {
            if (i / stride % n == 0) {
                (void)gsl_fft_complex_transform(v + 2 * i, stride, n, table, space,
                                                s->direction < 0 ? gsl_fft_forward
                                                                 : gsl_fft_backward);
            }
        }
        gsl_fft_complex_wavetable_free(table);
        gsl_fft_complex_workspace_free(space);
    }
}

/* Numbers that a transform of a real array cannot have are made what they would be: those of a
 * spectrum that are their own mirror images along the last axis. */
static void make_symmetric(const shape *s, const end *e, void *data)
{
    for (int b = 0; b < s->batch; b++) {
        for (int x = 0; x < s->n[0]; x++) {
            for (int y = 0; y < s->n[1]; y++) {
                for (int z = 0; z<s->n[2]; z += s->n[2] / 2> 0 ? s->n[2] / 2 : 1) {
                    int mx = (s->n[0] - x) % s->n[0], my = (s->n[1] - y) % s->n[1];
                    size_t from = at(e, b, x, y, z), to = at(e, b, mx, my, z);
                    if (2 * z % s->n[2] != 0) {
                        continue;
                    }
                    set(s, data, 2 * to, get(s, data, 2 * from));
                    set(s, data, 2 * to + 1, from == to ? 0 : -get(s, data, 2 * from + 1));
                }
            }
        }
    }
}

static int execute(const shape *s, int plan, void *in, void *out)
{
    switch (s->type) {
    case C2C:
        return cufftExecC2C(plan, in, out, s->direction);
    case R2C:
        return cufftExecR2C(plan, in, out);
    case C2R:
        return cufftExecC2R(plan, in, out);
    case Z2Z:
        return cufftExecZ2Z(plan, in, out, s->direction);
    case D2Z:
        return cufftExecD2Z(plan, in, out);
    default:
        return cufftExecZ2D(plan, in, out);
    }
}

static int make(const shape *s, const end *in, const end *out, int *plan)
{
    int n[RANK], ie[RANK], oe[RANK];
    for (int i = 0; i < s->rank; i++) {
        n[i] = s->n[RANK - s->rank + i];
        ie[i] = in->embed[RANK - s->rank + i];
        oe[i] = out->embed[RANK - s->rank + i];
    }
    if (!s->advanced && s->rank == 1) {
        return cufftPlan1d(plan, n[0], s->type, s->batch);
    }
    if (!s->advanced && s->batch == 1) {
        return s->rank == 2 ? cufftPlan2d(plan, n[0], n[1], s->type)
                            : cufftPlan3d(plan, n[0], n[1], n[2], s->type);
    }
    return cufftPlanMany(plan, s->rank, n, s->advanced ? ie : NULL, in->stride, in->distance,
                         s->advanced ? oe : NULL, out->stride, out->distance, s->type, s->batch);
}

/* The result beside GSL's, by the largest difference over the root of the mean square; what lies
 * between must be as it was. */
static void compare(const shape *s, const end *in, const end *out, const void *given,
                    const void *before, const void *got)
{
    size_t all = (size_t)s->n[0] * (size_t)s->n[1] * (size_t)s->n[2], written = 0;
    double *v = malloc(2 * all * sizeof *v), worst = 0, squares = 0;
    size_t numbers = out->bytes / (is_double(s->type) ? 8 : 4);
    char *touched = calloc(numbers, 1);
    for (int b = 0; b < s->batch; b++) {
        gather(s, in, given, b, v);
        reference(s, v);
        for (size_t i = 0; i < all; i++) {
            int z = (int)(i % (size_t)s->n[2]), y = (int)(i / (size_t)s->n[2]) % s->n[1];
            int x = (int)(i / (size_t)s->n[2]) / s->n[1];
            for (int c = 0; z < out->extent[2] && c < out->components; c++) {
                size_t place = at(out, b, x, y, z) * (size_t)out->components + (size_t)c;
                worst = fmax(worst, fabs(get(s, got, place) - v[2 * i + (size_t)c]));
                squares += v[2 * i + (size_t)c] * v[2 * i + (size_t)c];
                touched[place] = 1;
                written++;
            }
        }
    }
    double error = worst / sqrt(squares / (double)written + 1e-300);
    double bound = (is_double(s->type) ? 4e-15 : 2e-6) * (1 + log2((double)all) / 4);
    bool between = true;
    for (size_t i = 0; i < numbers && !s->in_place; i++) {
        between = between && (touched[i] || get(s, got, i) == get(s, before, i));
    }
    if (error > bound || !between) {
        fprintf(stderr,
                "type %x, %d x %d x %d, batch %d, strides %d %d, direction %d%s: error %g, bound "
                "%g%s\n",
                (unsigned)s->type, s->n[0], s->n[1], s->n[2], s->batch, s->in_stride, s->out_stride,
                s->direction, s->in_place ? ", in place" : "", error, bound,
                between ? "" : ", what lies between is overwritten");
        failures++;
    }
    free(touched);
    free(v);
}

static void transform(shape s)
{
    static uint64_t state = 1;
    const bool from_real = s.type == R2C || s.type == D2Z, to_real = s.type == C2R || s.type == Z2D;
    s.in_stride = s.in_stride == 0 ? 1 : s.in_stride;
    s.out_stride = s.out_stride == 0 ? 1 : s.out_stride;
    s.direction = to_real ? 1 : from_real || s.direction == 0 ? -1 : s.direction;
    const end in = end_of(&s, from_real, s.in_stride, s.in_gap);
    const end out = end_of(&s, to_real, s.out_stride, s.out_gap);
    size_t bytes = in.bytes > out.bytes ? in.bytes : out.bytes;
    void *given = malloc(bytes), *before = malloc(bytes), *got = malloc(bytes), *a, *b;
    for (size_t i = 0; i < bytes / (is_double(s.type) ? 8 : 4); i++) {
        set(&s, given, i, number(&state));
        set(&s, before, i, number(&state));
    }
    if (to_real) {
        make_symmetric(&s, &in, given);
    }
    int plan = -7;
    OK(cudaMalloc(&a, bytes));
    OK(cudaMalloc(&b, bytes));
    OK(cudaMemcpy(a, given, bytes, TO_DEVICE));
    OK(cudaMemcpy(b, before, bytes, TO_DEVICE));
    expect(make(&s, &in, &out, &plan) == 0, "a plan");
    expect(execute(&s, plan, a, s.in_place ? a : b) == 0, "an execution");
    OK(cudaMemcpy(got, s.in_place ? a : b, bytes, TO_HOST));
    compare(&s, &in, &out, given, before, got);
    if (!s.in_place) {
        OK(cudaMemcpy(got, a, bytes, TO_HOST));
        expect(memcmp(got, given, in.bytes) == 0, "the input stays as it was");
    }
    expect(cufftDestroy(plan) == 0, "cufftDestroy");
    OK(cudaFree(a));
    OK(cudaFree(b));
    free(given);
    free(before);
    free(got);
}

/* Each length in each type: factors 2, 3, 4, 5, 7 and products of them, other primes by their
 * definition, primes by chirps, several levels of each. */
static void lengths(void)
{
    static const int all[] = {1,    2,    3,    4,    5,    6,    7,   8,   9,   11,
                              12,   13,   16,   25,   30,   49,   60,  97,  121, 127,
                              128,  131,  210,  243,  257,  343,  512, 625, 997, 1000,
                              1024, 1031, 2048, 2187, 3000, 4093, 4096};
    static const int types[] = {C2C, R2C, C2R, Z2Z, D2Z, Z2D};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            int batch = all[i] < 200 ? 37 : 2;
            transform(
                (shape){types[t], 1, {1, 1, all[i]}, batch, .direction = t % 2 != 0 ? 1 : -1});
            transform((shape){types[t], 1, {1, 1, all[i]}, 3, .in_place = true, .direction = 1});
        }
    }
    transform((shape){C2C, 1, {1, 1, 1 << 16}, .batch = 1});
    transform((shape){R2C, 1, {1, 1, 46656}, .batch = 2});
    transform((shape){C2R, 1, {1, 1, 30030}, .batch = 2});
    transform((shape){C2C, 1, {1, 1, 40009}, 1, .direction = 1});
    transform((shape){D2Z, 1, {1, 1, 10007}, .batch = 1});
    transform((shape){Z2Z, 1, {1, 1, 1 << 21}, .batch = 1}); /* three levels */
    transform((shape){Z2Z, 1, {1, 1, 131 * 131 * 37}, .batch = 1, .direction = 1}); /* by a chirp */
    transform((shape){Z2D, 1, {1, 1, 1500000}, .batch = 1});
}

static void dimensions(void)
{
    static const int types[] = {C2C, R2C, C2R, Z2Z, D2Z, Z2D};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        for (int in_place = 0; in_place < 2; in_place++) {
            const bool same = in_place == 1;
            transform((shape){types[t], 2, {1, 16, 16}, 1, .in_place = same});
            transform((shape){types[t], 2, {1, 7, 30}, 5, .in_place = same, .direction = 1});
            transform((shape){types[t], 2, {1, 131, 9}, 1, .in_place = same});
            transform((shape){types[t], 2, {1, 1, 15}, 4, .in_place = same});
            transform((shape){types[t], 3, {8, 8, 8}, 1, .in_place = same, .direction = 1});
            transform((shape){types[t], 3, {5, 6, 7}, 3, .in_place = same});
            transform((shape){types[t], 3, {3, 1, 10}, 2, .in_place = same});
        }
        transform((shape){types[t], 2, {1, 3, 3000}, .batch = 2});
        transform((shape){types[t], 2, {1, 3000, 3}, .batch = 2});
        transform((shape){types[t], 2, {1, 1031, 5}, .batch = 1});
    }
}

/* Strides, rows with gaps, distances; of columns of a matrix. */
static void strides(void)
{
    static const int types[] = {C2C, R2C, C2R, Z2Z, D2Z, Z2D};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        transform((shape){types[t], 1, {1, 1, 20}, 6, 2, 3, 3, 1, .advanced = true});
        transform((shape){types[t], 1, {1, 1, 137}, 3, 3, 0, 1, 5, .advanced = true});
        transform((shape){types[t], 1, {1, 1, 3000}, 2, 1, 2, 2, 0, .advanced = true});
        transform((shape){types[t], 2, {1, 6, 10}, 3, 2, 1, 1, 4, .advanced = true});
        transform((shape){types[t], 3, {4, 3, 9}, 2, 1, 5, 2, 2, .advanced = true});
    }
}

/* Columns: batches lie closer than the elements of one. A plan serves again, on a stream, with the
 * program's own memory, on either side of itself. */
static void columns(void)
{
    enum { N = 3000, BATCH = 5 };
    static float data[2 * N * BATCH], back[2 * N * BATCH];
    long long n[] = {N};
    uint64_t state = 5;
    size_t bytes = 0, again = 1;
    int plan;
    void *stream, *a, *work;
    for (int i = 0; i < 2 * N * BATCH; i++) {
        data[i] = (float)number(&state);
    }
    OK(cudaMalloc(&a, sizeof data));
    OK(cudaMemcpy(a, data, sizeof data, TO_DEVICE));
    OK(cudaStreamCreate(&stream));
    expect(cufftCreate(&plan) == 0 && cufftSetAutoAllocation(plan, 0) == 0, "cufftCreate");
    expect(cufftSetStream(plan, stream) == 0, "cufftSetStream");
    expect(cufftMakePlanMany64(plan, 1, n, n, BATCH, 1, n, BATCH, 1, C2C, BATCH, &bytes) == 0,
           "cufftMakePlanMany64");
    expect(cufftGetSize(plan, &again) == 0 && again == bytes && bytes > 0, "cufftGetSize");
    expect(cufftExecC2C(plan, a, a, -1) == 13, "no memory to work in");
    OK(cudaMalloc(&work, bytes));
    expect(cufftSetWorkArea(plan, work) == 0, "cufftSetWorkArea");
    for (int twice = 0; twice < 2; twice++) {
        expect(cufftExecC2C(plan, a, a, -1) == 0 && cufftExecC2C(plan, a, a, 1) == 0, "columns");
    }
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemcpy(back, a, sizeof back, TO_HOST));
    for (int i = 0; i < 2 * N * BATCH; i++) {
        double want = (double)data[i] * N * N;
        expect(fabs((double)back[i] - want) < 1e-5 * N * N, "there and back");
    }
    expect(cufftDestroy(plan) == 0 && cufftDestroy(plan) == 1, "a plan ends once");
    OK(cudaFree(a));
    OK(cudaFree(work));
}

/* By cudaDataType, as libraries above call it. */
static void by_data_type(void)
{
    enum { N = 24 };
    double data[2 * N] = {[2] = 1}, got[2 * N];
    long long n[] = {N};
    size_t bytes;
    int plan;
    void *a;
    OK(cudaMalloc(&a, sizeof data));
    OK(cudaMemcpy(a, data, sizeof data, TO_DEVICE));
    expect(cufftCreate(&plan) == 0, "cufftCreate");
    expect(cufftXtMakePlanMany(plan, 1, n, NULL, 1, N, 6, NULL, 1, N, 6, 1, &bytes, 6) == 16,
           "half precision is not there");
    expect(cufftXtMakePlanMany(plan, 1, n, NULL, 1, N, 5, NULL, 1, N, 5, 1, &bytes, 5) == 0,
           "cufftXtMakePlanMany");
    expect(cufftXtExec(plan, a, a, 1) == 0, "cufftXtExec");
    OK(cudaMemcpy(got, a, sizeof got, TO_HOST));
    for (int k = 0; k < N; k++) {
        double angle = 2 * 3.14159265358979323846 * k / N;
        expect(fabs(got[2 * k] - cos(angle)) + fabs(got[2 * k + 1] - sin(angle)) < 1e-14,
               "the transform of one step");
    }
    expect(cufftXtSetCallback(plan, NULL, 0, NULL) == 14, "callbacks");
    expect(cufftDestroy(plan) == 0, "cufftDestroy");
    OK(cudaFree(a));
}

/* The codes of cufft.h: 1 no plan, 3 no type, 4 a wrong value, 8 a wrong size, 2 no memory. */
static void refusals(void)
{
    int plan = -7, made, n[] = {8, 8, 8, 8}, below[] = {-3}, large[] = {1 << 30, 1 << 30, 1 << 30};
    long long vast[] = {INT64_MAX}, prime[] = {(1LL << 61) - 1}, n64[] = {8};
    size_t bytes = 0;
    char memory[64];
    expect(cufftPlan1d(NULL, 8, C2C, 1) == 4, "no place for a plan");
    expect(cufftCreate(NULL) == 4, "no place for a handle");
    expect(cufftPlan1d(&plan, 8, 7, 1) == 3, "no type");
    expect(cufftPlan1d(&plan, 0, C2C, 1) == 8 && cufftPlan1d(&plan, -5, C2C, 1) == 8, "no length");
    expect(cufftPlan1d(&plan, 8, C2C, 0) == 8, "no batch");
    expect(cufftPlanMany(&plan, 0, n, NULL, 1, 0, NULL, 1, 0, C2C, 1) == 4, "no dimension");
    expect(cufftPlanMany(&plan, 4, n, NULL, 1, 0, NULL, 1, 0, C2C, 1) == 4, "four dimensions");
    expect(cufftPlanMany(&plan, 1, NULL, NULL, 1, 0, NULL, 1, 0, C2C, 1) == 4, "no lengths");
    expect(cufftPlanMany(&plan, 1, below, NULL, 1, 0, NULL, 1, 0, C2C, 1) == 8,
           "a negative length");
    expect(cufftPlanMany(&plan, 1, n, n, -1, 8, n, 1, 8, C2C, 1) == 4, "a negative stride");
    expect(cufftPlanMany(&plan, 3, large, NULL, 1, 0, NULL, 1, 0, C2C, 1) == 8, "2^90 numbers");
    expect(cufftPlan1d(&plan, INT32_MAX, Z2Z, INT32_MAX) == 8, "a prime, and too many");
    expect(cufftPlan1d(&plan, 1 << 28, C2C, 16) == 2, "more than the device has");
    expect(plan == -7, "a plan that is not made is no plan");
    expect(cufftCreate(&made) == 0, "cufftCreate");
    expect(cufftMakePlanMany64(made, 1, vast, NULL, 1, 0, NULL, 1, 0, C2C, 1, &bytes) == 8,
           "2^63 numbers");
    expect(cufftMakePlanMany64(made, 1, prime, NULL, 1, 0, NULL, 1, 0, C2C, 1, &bytes) == 8,
           "a vast prime");
    expect(cufftMakePlanMany64(made, 1, n64, n64, INT64_MAX, 8, n64, 1, 8, C2C, 2, &bytes) == 8,
           "a vast stride");
    expect(cufftMakePlanMany64(made, 1, n64, n64, 1LL << 57, 8, n64, 1, 8, C2C, 1, &bytes) == 8,
           "numbers over 2^60");
    expect(cufftMakePlan1d(made, 8, C2C, 1, NULL) == 4, "no place for a size");
    expect(cufftExecC2C(made, memory, memory, -1) == 1, "a handle without a plan");
    expect(cufftGetSize(made, &bytes) == 1, "the size of no plan");
    expect(cufftMakePlan1d(made, 8, C2C, 1, &bytes) == 0, "cufftMakePlan1d");
    expect(cufftMakePlan1d(made, 8, C2C, 1, &bytes) == 1, "a plan is made once");
    expect(cufftExecC2C(made, NULL, memory, -1) == 4, "no input");
    expect(cufftExecC2C(made, memory, memory, 0) == 4, "no direction");
    expect(cufftExecZ2Z(made, memory, memory, -1) == 3, "another type's call");
    expect(cufftDestroy(made) == 0 && cufftDestroy(9999) == 1 && cufftDestroy(-1) == 0, "ends");
    expect(cufftExecC2C(9999, memory, memory, -1) == 1, "no plan");
    expect(cufftSetStream(9999, NULL) == 1 && cufftGetSize(9999, &bytes) == 1, "no plan's stream");
    expect(cufftEstimate1d(8, 99, 1, &bytes) == 3 && cufftEstimate1d(0, C2C, 1, &bytes) == 8,
           "no estimate");
    expect(cufftEstimate1d(4093, C2C, 10, &bytes) == 0 && bytes == 2 * 8192 * 10 * sizeof(double),
           "the memory of a chirp's two buffers");
    expect(cufftGetSize1d(9999, 8, C2C, 1, &bytes) == 1, "the size of no plan's length");
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        transform((shape){C2C, 1, {1, 1, 4096}, .batch = 4});
        transform((shape){R2C, 2, {1, 64, 64}, .batch = 2});
        transform((shape){Z2Z, 1, {1, 1, 131}, .batch = 8});
    } else {
        lengths();
        dimensions();
        strides();
        columns();
        by_data_type();
        refusals();
    }
    printf("%d wrong\n", failures);
    return failures != 0;
}
