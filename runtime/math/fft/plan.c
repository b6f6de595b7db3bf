/* plan.c - plans of the thin cuFFT: how they are made, asked for their size, and executed. Codes of
 * wrong arguments are those that NVIDIA's library gives, in the order in which it looks: the type,
 * pointers, the plan, sizes. */
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/checked.h"
#include "runtime/math/fft/cufft.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fft_plan **plans; /* a handle is a place in it */
static size_t plan_room;

static int add_plan(fft_plan *p, int *handle)
{
    pthread_mutex_lock(&lock);
    size_t at = 0;
    while (at < plan_room && plans[at] != NULL) {
        at++;
    }
    if (at == plan_room && at < INT_MAX / 2) {
        size_t room = plan_room == 0 ? 16 : 2 * plan_room;
        fft_plan **more = realloc(plans, room * sizeof(fft_plan *));
        for (size_t i = plan_room; more != NULL && i < room; i++) {
            more[i] = NULL;
        }
        plans = more != NULL ? more : plans;
        plan_room = more != NULL ? room : plan_room;
    }
    bool fits = at < plan_room;
    if (fits) {
        plans[at] = p;
        *handle = (int)at + 1;
    }
    pthread_mutex_unlock(&lock);
    return fits ? SUCCESS : ALLOC_FAILED;
}

/* NULL: there is none. */
static fft_plan *find_plan(int handle, bool take)
{
    pthread_mutex_lock(&lock);
    bool known = handle > 0 && (size_t)handle <= plan_room;
    fft_plan *p = known ? plans[handle - 1] : NULL;
    if (known && take) {
        plans[handle - 1] = NULL;
    }
    pthread_mutex_unlock(&lock);
    return p;
}

static void free_memory(fft_plan *p)
{
    if (p->tables != 0) {
        (void)cuMemFree_v2(p->tables);
    }
    if (p->own_work != 0) {
        (void)cuMemFree_v2(p->own_work);
    }
}

MADE(cufftCreate)(int *handle)
{
    if (handle == NULL) {
        return INVALID_VALUE;
    }
    fft_plan *p = calloc(1, sizeof *p);
    int code = p != NULL ? add_plan(p, handle) : ALLOC_FAILED;
    if (code != SUCCESS) {
        free(p);
    }
    return code;
}

MADE(cufftDestroy)(int handle)
{
    if (handle == -1) { /* CUFFT_PLAN_NULL */
        return SUCCESS;
    }
    fft_plan *p = find_plan(handle, true);
    if (p == NULL) {
        return INVALID_PLAN;
    }
    free_memory(p);
    free(p);
    return SUCCESS;
}

MADE(cufftSetStream)(int handle, cudaStream_t stream)
{
    fft_plan *p = find_plan(handle, false);
    if (p == NULL) {
        return INVALID_PLAN;
    }
    p->stream = stream;
    return SUCCESS;
}

MADE(cufftSetAutoAllocation)(int handle, int allocate)
{
    fft_plan *p = find_plan(handle, false);
    if (p == NULL) {
        return INVALID_PLAN;
    }
    p->keeps_work = allocate == 0;
    return SUCCESS;
}

MADE(cufftSetWorkArea)(int handle, void *work)
{
    fft_plan *p = find_plan(handle, false);
    if (p == NULL) {
        return INVALID_PLAN;
    }
    p->work = work;
    return SUCCESS;
}

MADE(cufftGetVersion)(int *version)
{
    if (version != NULL) {
        *version = WW_VERSION_NUMBER;
    }
    return SUCCESS;
}

MADE(cufftGetProperty)(int which, int *value)
{
    if (which < 0 || which > 2) {
        return INVALID_TYPE;
    }
    if (value == NULL) {
        return INVALID_VALUE;
    }
    *value = which == 0 ? WW_VERSION_NUMBER / 1000 : 0;
    return SUCCESS;
}

/* What a program says of a plan; of strides, NULL embeds: neighbours lie side by side. */
typedef struct request {
    int rank;
    const long long *n, *in_embed, *out_embed;
    long long in_stride, in_distance, out_stride, out_distance, batch;
    int type;
} request;

static bool is_type(int type)
{
    return type == C2C || type == R2C || type == C2R || type == Z2Z || type == D2Z || type == Z2D;
}

/* How numbers lie in an array of extents `embed` (of all axes), and what of it lies at most how far
 * from its beginning. */
static bool lay_out(fft_layout *out, const int64_t *embed, int64_t stride, int64_t distance,
                    const int64_t *extent, int64_t batch)
{
    int64_t reach = 0, far, step = stride;
    for (int axis = RANK - 1; axis >= 0; axis--) {
        out->step[axis] = step;
        if (__builtin_mul_overflow(step, extent[axis] - 1, &far) ||
            __builtin_add_overflow(reach, far, &reach) ||
            __builtin_mul_overflow(step, embed[axis], &step)) {
            return false;
        }
    }
    out->distance = distance;
    return !__builtin_mul_overflow(distance, batch - 1, &far) &&
           !__builtin_add_overflow(reach, far, &reach) && reach < INT64_MAX / 16;
}

static bool lay_out_basic(fft_layout *out, const int64_t *extent, int64_t padding, int64_t batch)
{
    int64_t embed[RANK] = {extent[0], extent[1], extent[2] + padding}, distance = 1;
    for (int axis = 0; axis < RANK; axis++) {
        if (__builtin_mul_overflow(distance, embed[axis], &distance)) {
            return false;
        }
    }
    return lay_out(out, embed, 1, distance, extent, batch);
}

static bool lay_out_as_told(fft_layout *out, const request *r, const long long *given,
                            int64_t stride, int64_t distance, const int64_t *extent)
{
    int64_t embed[RANK] = {1, 1, 1};
    for (int i = 0; i < r->rank; i++) {
        embed[RANK - r->rank + i] = given[i];
    }
    return lay_out(out, embed, stride, distance, extent, r->batch);
}

static bool lay_out_sides(fft_plan *p, const request *r)
{
    int64_t spectrum[RANK];
    for (int axis = 0; axis < RANK; axis++) {
        spectrum[axis] = fft_extent(p, axis);
    }
    const bool from_real = r->type == R2C || r->type == D2Z;
    const bool to_real = fft_is_real(r->type) && !from_real;
    const int64_t *in = from_real ? p->n : spectrum, *out = to_real ? p->n : spectrum;
    p->basic = r->in_embed == NULL || r->out_embed == NULL;
    if (!p->basic) {
        return lay_out_as_told(&p->in, r, r->in_embed, r->in_stride, r->in_distance, in) &&
               lay_out_as_told(&p->out, r, r->out_embed, r->out_stride, r->out_distance, out);
    }
    const int64_t padding = 2 * (p->n[RANK - 1] / 2 + 1) - p->n[RANK - 1];
    return lay_out_basic(&p->in, in, 0, p->batch) && lay_out_basic(&p->out, out, 0, p->batch) &&
           lay_out_basic(&p->padded_real, p->n, padding, p->batch);
}

/* As many lines as the threads of a launch can be counted for. */
static bool lines_fit(const fft_plan *p)
{
    for (int axis = 0; axis < RANK; axis++) {
        const fft_length *l = &p->length[axis];
        size_t lines = (size_t)p->batch, all;
        for (int other = 0; other < RANK; other++) {
            if (other != axis && !ww_mul_fits(lines, (size_t)fft_extent(p, other), &lines)) {
                return false;
            }
        }
        int64_t inner = l->padded != 0 ? l->padded : l->n;
        bool has_pass = l->n > 1 || axis == RANK - 1;
        for (int i = 0; has_pass && i < l->levels; i++) {
            if (!ww_mul_fits(lines, (size_t)(inner / l->level[i]), &all) || all > INT_MAX) {
                return false;
            }
        }
    }
    return true;
}

/* The plan without memory. */
static int describe(fft_plan *p, const request *r)
{
    if (r->rank < 1 || r->rank > RANK || r->n == NULL || r->in_stride < 0 || r->out_stride < 0 ||
        r->in_distance < 0 || r->out_distance < 0) {
        return INVALID_VALUE;
    }
    p->type = r->type;
    p->rank = r->rank;
    p->batch = r->batch;
    p->table_count = 0;
    p->n[0] = p->n[1] = 1;
    for (int i = 0; i < r->rank; i++) {
        p->n[RANK - r->rank + i] = r->n[i];
        if (r->n[i] < 1 || r->n[i] > INT64_MAX / 4 ||
            (!(r->in_embed == NULL || r->out_embed == NULL) &&
             (r->in_embed[i] < 0 || r->out_embed[i] < 0))) {
            return r->n[i] < 1 || r->n[i] > INT64_MAX / 4 ? INVALID_SIZE : INVALID_VALUE;
        }
    }
    if (r->batch < 1 || !lay_out_sides(p, r)) {
        return INVALID_SIZE;
    }
    for (int axis = 0; axis < RANK; axis++) {
        if (!fft_length_init(&p->length[axis], p->n[axis], fft_is_double(r->type),
                             &p->table_count)) {
            return INVALID_SIZE;
        }
    }
    return lines_fit(p) && fft_work_size(p, &p->work_bytes) ? SUCCESS : INVALID_SIZE;
}

/* Device memory of the plan, its tables filled. */
static int provide(fft_plan *p)
{
    size_t bytes;
    if (!ww_mul_fits(p->table_count, fft_number_bytes(p), &bytes) || cuInit(0) != 0 ||
        (!p->keeps_work && p->work_bytes > 0 && cuMemAlloc_v2(&p->own_work, p->work_bytes) != 0)) {
        return ALLOC_FAILED;
    }
    if (!p->keeps_work) {
        p->work = (void *)(uintptr_t)p->own_work;
    }
    if (cuMemAlloc_v2(&p->tables, bytes) != 0) {
        return ALLOC_FAILED;
    }
    void *host = malloc(bytes);
    bool filled =
        host != NULL && fft_tables_fill(p, host) && cuMemcpyHtoD_v2(p->tables, host, bytes) == 0;
    free(host);
    return filled ? SUCCESS : ALLOC_FAILED;
}

static int make_plan(int handle, const request *r, size_t *work_bytes)
{
    fft_plan *p = find_plan(handle, false);
    if (!is_type(r->type)) {
        return INVALID_TYPE;
    }
    if (work_bytes == NULL) {
        return INVALID_VALUE;
    }
    if (p == NULL || p->made) { /* a made plan's handle is no valid one here */
        return INVALID_PLAN;
    }
    fft_plan made = *p;
    int code = describe(&made, r);
    if (code == SUCCESS) {
        code = provide(&made);
    }
    if (code != SUCCESS) {
        if (made.tables != 0 || made.own_work != 0) {
            free_memory(&made);
        }
        return code;
    }
    made.made = true;
    *p = made;
    *work_bytes = p->work_bytes;
    return SUCCESS;
}

/* cufftPlan…: a handle comes with a plan, or not at all. */
static int new_plan(int *handle, const request *r)
{
    size_t work_bytes;
    int created, code;
    if (handle == NULL) {
        return INVALID_VALUE;
    }
    code = cufftCreate(&created);
    if (code == SUCCESS) {
        code = make_plan(created, r, &work_bytes);
        if (code != SUCCESS) {
            (void)cufftDestroy(created);
        }
    }
    *handle = code == SUCCESS ? created : *handle;
    return code;
}

/* The memory that such a plan would need. */
static int estimate(const request *r, size_t *work_bytes)
{
    fft_plan p = {0};
    if (!is_type(r->type)) {
        return INVALID_TYPE;
    }
    if (work_bytes == NULL) {
        return INVALID_VALUE;
    }
    int code = describe(&p, r);
    *work_bytes = code == SUCCESS ? p.work_bytes : 0;
    return code;
}

static int size_of(int handle, const request *r, size_t *work_bytes)
{
    if (is_type(r->type) && work_bytes != NULL && find_plan(handle, false) == NULL) {
        return INVALID_PLAN;
    }
    return estimate(r, work_bytes);
}

MADE(cufftGetSize)(int handle, size_t *work_bytes)
{
    const fft_plan *p = find_plan(handle, false);
    if (p == NULL || !p->made) {
        return INVALID_PLAN;
    }
    if (work_bytes == NULL) {
        return INVALID_VALUE;
    }
    *work_bytes = p->work_bytes;
    return SUCCESS;
}

/* Of one, two and three dimensions: side by side. */
static request simple(int rank, const long long *n, int type, long long batch)
{
    return (request){.rank = rank, .n = n, .type = type, .batch = batch};
}

/* MADE(cufftPlan1d) MADE(cufftMakePlan1d) MADE(cufftGetSize1d) MADE(cufftEstimate1d) */
#define ONE(name, first, ...)                                                                      \
    MATH_API int name(__VA_ARGS__)                                                                 \
    {                                                                                              \
        const long long n[] = {nx};                                                                \
        const request r = simple(1, n, type, batch);                                               \
        return first;                                                                              \
    }
ONE(cufftPlan1d, new_plan(handle, &r), int *handle, int nx, int type, int batch)
ONE(cufftMakePlan1d, make_plan(plan, &r, bytes), int plan, int nx, int type, int batch,
    size_t *bytes)
ONE(cufftGetSize1d, size_of(plan, &r, bytes), int plan, int nx, int type, int batch, size_t *bytes)
ONE(cufftEstimate1d, estimate(&r, bytes), int nx, int type, int batch, size_t *bytes)

/* MADE(cufftPlan2d) MADE(cufftMakePlan2d) MADE(cufftGetSize2d) MADE(cufftEstimate2d) */
#define TWO(name, first, ...)                                                                      \
    MATH_API int name(__VA_ARGS__)                                                                 \
    {                                                                                              \
        const long long n[] = {nx, ny};                                                            \
        const request r = simple(2, n, type, 1);                                                   \
        return first;                                                                              \
    }
TWO(cufftPlan2d, new_plan(handle, &r), int *handle, int nx, int ny, int type)
TWO(cufftMakePlan2d, make_plan(plan, &r, bytes), int plan, int nx, int ny, int type, size_t *bytes)
TWO(cufftGetSize2d, size_of(plan, &r, bytes), int plan, int nx, int ny, int type, size_t *bytes)
TWO(cufftEstimate2d, estimate(&r, bytes), int nx, int ny, int type, size_t *bytes)

/* MADE(cufftPlan3d) MADE(cufftMakePlan3d) MADE(cufftGetSize3d) MADE(cufftEstimate3d) */
#define THREE(name, first, ...)                                                                    \
    MATH_API int name(__VA_ARGS__)                                                                 \
    {                                                                                              \
        const long long n[] = {nx, ny, nz};                                                        \
        const request r = simple(3, n, type, 1);                                                   \
        return first;                                                                              \
    }
THREE(cufftPlan3d, new_plan(handle, &r), int *handle, int nx, int ny, int nz, int type)
THREE(cufftMakePlan3d, make_plan(plan, &r, bytes), int plan, int nx, int ny, int nz, int type,
      size_t *bytes)
THREE(cufftGetSize3d, size_of(plan, &r, bytes), int plan, int nx, int ny, int nz, int type,
      size_t *bytes)
THREE(cufftEstimate3d, estimate(&r, bytes), int nx, int ny, int nz, int type, size_t *bytes)

/* The three arrays of a request, as long as its rank where that is a rank. */
typedef struct wide {
    long long n[RANK], in[RANK], out[RANK];
} wide;

static const long long *widen(long long *to, const int *from, int rank)
{
    for (int i = 0; from != NULL && i < rank && i < RANK; i++) {
        to[i] = from[i];
    }
    return from != NULL ? to : NULL;
}

/* MADE(cufftPlanMany) MADE(cufftMakePlanMany) MADE(cufftGetSizeMany) MADE(cufftEstimateMany) */
#define MANY(name, first, ...)                                                                     \
    MATH_API int name(__VA_ARGS__ int rank, int *n, int *ie, int is, int id, int *oe, int os,      \
                      int od, int type, int batch MANY_SIZE)                                       \
    {                                                                                              \
        wide w;                                                                                    \
        const request r = {rank,                                                                   \
                           widen(w.n, n, rank),                                                    \
                           widen(w.in, ie, rank),                                                  \
                           widen(w.out, oe, rank),                                                 \
                           is,                                                                     \
                           id,                                                                     \
                           os,                                                                     \
                           od,                                                                     \
                           batch,                                                                  \
                           type};                                                                  \
        return first;                                                                              \
    }
#define MANY_SIZE
MANY(cufftPlanMany, new_plan(handle, &r), int *handle, )
#undef MANY_SIZE
#define MANY_SIZE , size_t *bytes
MANY(cufftMakePlanMany, make_plan(plan, &r, bytes), int plan, )
MANY(cufftGetSizeMany, size_of(plan, &r, bytes), int plan, )
MANY(cufftEstimateMany, estimate(&r, bytes), )

MADE(cufftMakePlanMany64)
(int plan, int rank, const long long *n, const long long *ie, long long is, long long id,
 const long long *oe, long long os, long long od, int type, long long batch, size_t *bytes)
{
    const request r = {rank, n, ie, oe, is, id, os, od, batch, type};
    return make_plan(plan, &r, bytes);
}

MADE(cufftGetSizeMany64)
(int plan, int rank, const long long *n, const long long *ie, long long is, long long id,
 const long long *oe, long long os, long long od, int type, long long batch, size_t *bytes)
{
    const request r = {rank, n, ie, oe, is, id, os, od, batch, type};
    return size_of(plan, &r, bytes);
}

/* The type of a plan whose sides are named by cudaDataType; -1: there is none of ours. */
static int type_of(int in, int out, int execution)
{
    static const struct {
        int in, out, type;
    } rows[] = {{4, 4, C2C}, {0, 4, R2C}, {4, 0, C2R}, {5, 5, Z2Z}, {1, 5, D2Z}, {5, 1, Z2D}};
    for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
        if (rows[i].in == in && rows[i].out == out &&
            execution == (fft_is_double(rows[i].type) ? 5 : 4)) {
            return rows[i].type;
        }
    }
    return -1;
}

static int lacks_type(const char *name)
{
    return math_lacks(name, NOT_SUPPORTED,
                      "CUFFT_NOT_SUPPORTED for types other than single and double precision, which "
                      "cufftMakePlanMany64 has");
}

MADE(cufftXtMakePlanMany)
(int plan, int rank, const long long *n, const long long *ie, long long is, long long id,
 int in_type, const long long *oe, long long os, long long od, int out_type, long long batch,
 size_t *bytes, int execution)
{
    int type = type_of(in_type, out_type, execution);
    const request r = {rank, n, ie, oe, is, id, os, od, batch, type};
    return type < 0 ? lacks_type("cufftXtMakePlanMany") : make_plan(plan, &r, bytes);
}

MADE(cufftXtGetSizeMany)
(int plan, int rank, const long long *n, const long long *ie, long long is, long long id,
 int in_type, const long long *oe, long long os, long long od, int out_type, long long batch,
 size_t *bytes, int execution)
{
    int type = type_of(in_type, out_type, execution);
    const request r = {rank, n, ie, oe, is, id, os, od, batch, type};
    return type < 0 ? lacks_type("cufftXtGetSizeMany") : size_of(plan, &r, bytes);
}

/* type: of the call; 0: any. */
static int execute(int handle, const char *name, int type, void *in, void *out, int direction)
{
    const fft_plan *p = find_plan(handle, false);
    if (p == NULL || !p->made) {
        return INVALID_PLAN;
    }
    if (type != 0 && type != p->type) {
        return INVALID_TYPE;
    }
    if (in == NULL || out == NULL ||
        (!fft_is_real(p->type) && direction != FORWARD && direction != INVERSE)) {
        return INVALID_VALUE;
    }
    if (p->work_bytes > 0 && p->work == NULL) {
        return NO_WORKSPACE;
    }
    math_says(name);
    return fft_execute(p, in, out, direction) ? SUCCESS : EXEC_FAILED;
}

MADE(cufftExecC2C)(int plan, void *in, void *out, int direction)
{
    return execute(plan, "cufftExecC2C", C2C, in, out, direction);
}
MADE(cufftExecR2C)(int plan, void *in, void *out)
{
    return execute(plan, "cufftExecR2C", R2C, in, out, FORWARD);
}
MADE(cufftExecC2R)(int plan, void *in, void *out)
{
    return execute(plan, "cufftExecC2R", C2R, in, out, INVERSE);
}
MADE(cufftExecZ2Z)(int plan, void *in, void *out, int direction)
{
    return execute(plan, "cufftExecZ2Z", Z2Z, in, out, direction);
}
MADE(cufftExecD2Z)(int plan, void *in, void *out)
{
    return execute(plan, "cufftExecD2Z", D2Z, in, out, FORWARD);
}
MADE(cufftExecZ2D)(int plan, void *in, void *out)
{
    return execute(plan, "cufftExecZ2D", Z2D, in, out, INVERSE);
}
MADE(cufftXtExec)(int plan, void *in, void *out, int direction)
{
    return execute(plan, "cufftXtExec", 0, in, out, direction);
}

/* As of NVIDIA's shared library: callbacks are of the static one. */
static int no_callbacks(const char *name)
{
    return math_lacks(name, NOT_IMPLEMENTED,
                      "CUFFT_NOT_IMPLEMENTED: transforms without callbacks are there");
}

MADE(cufftXtSetCallback)(int plan, void **routine, int type, void **info)
{
    (void)plan, (void)routine, (void)type, (void)info;
    return no_callbacks("cufftXtSetCallback");
}
MADE(cufftXtSetJITCallback)
(int plan, const char *symbol, const void *image, size_t size, int type, void **info)
{
    (void)plan, (void)symbol, (void)image, (void)size, (void)type, (void)info;
    return no_callbacks("cufftXtSetJITCallback");
}
MADE(cufftXtClearCallback)(int plan, int type)
{
    (void)plan, (void)type;
    return no_callbacks("cufftXtClearCallback");
}
MADE(cufftXtSetCallbackSharedSize)(int plan, int type, size_t size)
{
    (void)plan, (void)type, (void)size;
    return no_callbacks("cufftXtSetCallbackSharedSize");
}
