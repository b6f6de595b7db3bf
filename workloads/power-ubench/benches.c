/* benches.c - the microbenchmarks that tools/measure runs on a card, as launches of the workload:
 * the same kernels in the same order with the same arguments, at fewer repetitions where less will
 * do, and the same arithmetic on the host. */
#include "workloads/power-ubench/benches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHAINS = 4, STEPS = 16, TILE = 256, WARP = 32, UNCACHED_WORDS = 16384, COUNTERS = 65536 };

/* How a kernel is launched: its arguments (kernels.cuh). */
typedef enum call {
    CALL_U32,
    CALL_F32,
    CALL_F64,
    CALL_PLAIN,
    CALL_WITH,
    CALL_ATOMIC,
    CALL_LOAD,
    CALL_OWN,
    CALL_STORE,
    CALL_COPY,
    CALL_ROWS,
    CALL_UNCACHED,
    CALL_TEXELS,
    CALL_OWN_TEXELS
} call;

typedef struct power_bench {
    const char *kernel;
    call call;
    unsigned share, warps, n, p;
    double a, b;
} power_bench;

static const power_bench benches[] = {
#define BENCH(what, kernel, call, share, warps, n, p, a, b, counter, least)                        \
    {#kernel, CALL_##call, share, warps, n, p, (double)(a), (double)(b)},
#include "workloads/power-ubench/benches.def"
};

/* What launches share. */
typedef struct room {
    ww__bench *bench;
    ww_devptr in, out;
    uint64_t texels;
    const uint32_t *input; /* what lies at in */
    void *expected;
    uint32_t words;   /* of in */
    size_t out_bytes; /* of out, and of expected */
} room;

/* A launch: its shape, and its arguments as the kernel takes them. */
typedef struct shot {
    const power_bench *b;
    uint32_t ctas, threads, window;
    int32_t n, p;
} shot;

/* ---- the same arithmetic on the host ---- */

#define ROTATE_7(x)      ((x) << 7 | (x) >> 25)
#define ADD_F32(x, y)    ((x) + (y))
#define MUL_F32(x, y)    ((x) * (y))
#define FMA_F32(x, y, z) fmaf(x, y, z)
#define ADD_F64(x, y)    ((x) + (y))
#define MUL_F64(x, y)    ((x) * (y))
#define FMA_F64(x, y, z) fma(x, y, z)
#define EXP2_F32(x)      exp2f(x)
#define SINE_F32(x)      sinf(x)
#define ROOT_F32(x)      (1 / sqrtf(x))
#define CHAIN_KERNEL(name, T, expression)                                                          \
    static T name##_step(T x, T y, int s, T a, T b)                                                \
    {                                                                                              \
        (void)y;                                                                                   \
        (void)s;                                                                                   \
        (void)a;                                                                                   \
        (void)b;                                                                                   \
        return expression;                                                                         \
    }
#include "workloads/power-ubench/chains.def"

static uint32_t hash(uint32_t x)
{
    return x * 2654435761u;
}

static unsigned start_unsigned(uint32_t thread, uint32_t c)
{
    return hash(thread) + c;
}

static float start_float(uint32_t thread, uint32_t c)
{
    return (float)((hash(thread) >> 24) + c);
}

static double start_double(uint32_t thread, uint32_t c)
{
    return (double)((hash(thread) >> 24) + c);
}

/* NAME_thread: what a thread of the kernel leaves. */
#define CHAIN_KERNEL(name, T, expression)                                                          \
    static T name##_thread(uint32_t thread, int steps, T a, T b)                                   \
    {                                                                                              \
        T x[CHAINS];                                                                               \
        for (uint32_t c = 0; c < CHAINS; c++) {                                                    \
            x[c] = start_##T(thread, c);                                                           \
        }                                                                                          \
        for (int i = 0; i < steps; i++) {                                                          \
            for (int c = 0; c < CHAINS; c++) {                                                     \
                x[c] = name##_step(x[c], x[(c + 1) % CHAINS], i % STEPS, a, b);                    \
            }                                                                                      \
        }                                                                                          \
        return (x[0] + x[1]) + (x[2] + x[3]);                                                      \
    }
#include "workloads/power-ubench/chains.def"

static void expect_shuffle(const shot *s, uint32_t *to)
{
    for (uint32_t first = 0; first < s->threads; first += WARP) {
        uint32_t x[2][WARP];
        memset(&to[first], 0, WARP * sizeof *to);
        for (uint32_t c = 0; c < CHAINS; c++) {
            for (uint32_t l = 0; l < WARP; l++) {
                x[0][l] = start_unsigned(first + l, c);
            }
            for (uint32_t i = 0; i < (uint32_t)s->n * STEPS; i++) {
                for (uint32_t l = 0; l < WARP; l++) {
                    x[(i + 1) % 2][l] = x[i % 2][l ^ ((1 + i % STEPS) % WARP)] + (uint32_t)s->b->a;
                }
            }
            for (uint32_t l = 0; l < WARP; l++) { /* as many steps as make the number even */
                to[first + l] += x[0][l];
            }
        }
    }
}

static int steps_of(const shot *s, uint32_t thread)
{
    return thread % WARP < s->b->p ? s->n * STEPS : 0;
}

/* Fills expected with what a kernel of a chain leaves; false: it is none. */
static bool expect_chain(const room *r, const shot *s)
{
    const char *kernel = s->b->kernel;
    if (strcmp(kernel, "ub_shuffle") == 0) {
        expect_shuffle(s, r->expected);
        return true;
    }
#define CHAIN_KERNEL(name, T, expression)                                                          \
    if (strcmp(kernel, #name) == 0) {                                                              \
        T *to = r->expected;                                                                       \
        for (uint32_t t = 0; t < s->threads; t++) {                                                \
            to[t] = name##_thread(t, steps_of(s, t), (T)s->b->a, (T)s->b->b);                      \
        }                                                                                          \
        return true;                                                                               \
    }
#include "workloads/power-ubench/chains.def"
    return false;
}

static uint32_t shared_thread(const shot *s, uint32_t tid, uint32_t width)
{
    const uint32_t last = TILE * 4 / width - 1;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < (uint32_t)s->n; i++) {
        for (uint32_t k = 0; k < STEPS; k++) {
            sum += hash((((tid * (uint32_t)s->p + i) & last) + k) * width);
        }
    }
    return sum;
}

static uint32_t chain_thread(const shot *s, uint32_t tid)
{
    uint32_t x = tid;
    for (int i = 0; i < s->n * STEPS; i++) {
        x = i % 2 != 0 ? x ^ 0x9e3779b9u : x + 0x7f4a7c15u;
    }
    return x;
}

static uint32_t wait_thread(const shot *s, uint32_t tid)
{
    uint32_t x = tid;
    for (int i = 0; i < s->n; i++) {
        x = x * x + 1;
    }
    return x;
}

/* Kernels that take nothing but their number of repetitions and one more. */
static uint32_t plain_thread(const shot *s, uint32_t tid)
{
    static const struct {
        const char *kernel;
        uint32_t width;
    } shared[] = {{"ub_shared1", 1}, {"ub_shared2", 2}, {"ub_shared4", 4}};
    const char *kernel = s->b->kernel;
    for (size_t i = 0; i < WW_ARRAY_LEN(shared); i++) {
        if (strcmp(kernel, shared[i].kernel) == 0) {
            return shared_thread(s, tid, shared[i].width);
        }
    }
    if (strcmp(kernel, "ub_shared_store") == 0) {
        return (uint32_t)s->n * STEPS - 1;
    }
    return strcmp(kernel, "ub_wait") == 0     ? wait_thread(s, tid)
           : strcmp(kernel, "ub_chain") == 0  ? chain_thread(s, tid)
           : strcmp(kernel, "ub_branch") == 0 ? tid
                                              : 0; /* ub_constant: constants are zero */
}

static uint32_t load_thread(const room *r, const shot *s, uint32_t thread)
{
    const call c = s->b->call;
    const bool own = c == CALL_OWN || c == CALL_OWN_TEXELS, uncached = c == CALL_UNCACHED;
    const uint32_t tid = thread % TILE, first = own ? thread / TILE % 64 * s->window : 0;
    const uint32_t step = own ? TILE : uncached ? TILE * (uint32_t)s->p : s->threads;
    uint32_t sum = 0, at = own ? tid : uncached ? tid * (uint32_t)s->p : thread;
    for (int i = 0; i < s->n; i++) {
        sum += r->input[first + at % s->window];
        at += step;
    }
    return sum;
}

static uint32_t rows_thread(const room *r, const shot *s, uint32_t thread)
{
    uint32_t sum = 0, at = hash(thread / WARP);
    for (int i = 0; i < s->n; i++) {
        sum += r->input[(at & (s->window - 32)) + thread % WARP];
        at = at * 1664525u + 1013904223u;
    }
    return sum;
}

/* Words of the window that are written, the others stay as they were: number of them, from 0 on. */
static uint32_t expect_written(const room *r, const shot *s)
{
    uint32_t *to = r->expected;
    uint64_t touched = (uint64_t)s->threads * (uint64_t)s->n;
    uint32_t count = touched < s->window ? (uint32_t)touched : s->window;
    for (uint32_t i = 0; i < count; i++) {
        to[i] = s->b->call == CALL_COPY ? r->input[i] + 1 : hash(i);
    }
    return count;
}

static uint32_t expect_atomics(const room *r, const shot *s)
{
    uint32_t *to = r->expected;
    memset(to, 0, COUNTERS * sizeof *to);
    for (uint32_t t = 0; t < s->threads; t++) {
        for (uint32_t i = 0; i < (uint32_t)s->n; i++) {
            to[(t * (uint32_t)s->p + i) % COUNTERS]++;
        }
    }
    return COUNTERS;
}

/* Fills expected, and says how many words of it are right. */
static uint32_t expect_words(const room *r, const shot *s)
{
    const call c = s->b->call;
    uint32_t *to = r->expected;
    if (c == CALL_STORE || c == CALL_COPY) {
        return expect_written(r, s);
    }
    if (c == CALL_ATOMIC) {
        return expect_atomics(r, s);
    }
    for (uint32_t t = 0; t < s->threads; t++) {
        to[t] = c == CALL_PLAIN || c == CALL_WITH ? plain_thread(s, t % TILE)
                : c == CALL_ROWS                  ? rows_thread(r, s, t)
                                                  : load_thread(r, s, t);
    }
    return s->threads;
}

/* ---- launches ---- */

static ww_status launch_chain(const room *r, const shot *s)
{
    ww__bench *bench = r->bench;
    const power_bench *b = s->b;
    const uint32_t ua = (uint32_t)b->a, ub = (uint32_t)b->b;
    const float fa = (float)b->a, fb = (float)b->b;
    const void *x = b->call == CALL_U32 ? &ua : b->call == CALL_F32 ? (const void *)&fa : &b->a;
    const void *y = b->call == CALL_U32 ? &ub : b->call == CALL_F32 ? (const void *)&fb : &b->b;
    return WW__LAUNCH(bench, b->kernel, ww__dim(s->ctas, 1), ww__dim(TILE, 1), 0, &r->out, &s->n,
                      &b->p, x, y);
}

static ww_status launch(const room *r, const shot *s)
{
    static const int32_t zero = 0, one = 1; /* a window of its own */
    ww__bench *bench = r->bench;
    const ww_dim3 grid = ww__dim(s->ctas, 1), block = ww__dim(TILE, 1);
    const char *kernel = s->b->kernel;
    switch (s->b->call) {
    case CALL_U32:
    case CALL_F32:
    case CALL_F64:
        return launch_chain(r, s);
    case CALL_PLAIN:
        return WW__LAUNCH(bench, kernel, grid, block, 0, &r->out, &s->n);
    case CALL_ATOMIC:
        WW_TRY(ww_device_memset(bench->device, r->out, 0, COUNTERS * 4, bench->err));
        return WW__LAUNCH(bench, kernel, grid, block, 0, &r->out, &s->n, &s->p);
    case CALL_WITH:
        return WW__LAUNCH(bench, kernel, grid, block, 0, &r->out, &s->n, &s->p);
    case CALL_STORE:
        return WW__LAUNCH(bench, kernel, grid, block, 0, &r->out, &s->window, &s->n);
    case CALL_LOAD:
    case CALL_OWN:
    case CALL_COPY:
    case CALL_ROWS:
        return WW__LAUNCH(bench, kernel, grid, block, 0, &r->out, &r->in, &s->window, &s->n);
    case CALL_UNCACHED:
        return WW__LAUNCH(bench, kernel, grid, block, 0, &r->out, &r->in, &s->window, &s->n, &s->p);
    case CALL_TEXELS:
        return WW__LAUNCH(bench, kernel, grid, block, 0, &r->out, &r->texels, &s->window, &s->n,
                          &zero);
    case CALL_OWN_TEXELS:
        return WW__LAUNCH(bench, kernel, grid, block, 0, &r->out, &r->texels, &s->window, &s->n,
                          &one);
    }
    return WW_OK;
}

/* Of approximations, relative; the others are exact. */
static double tolerance_of(const power_bench *b)
{
    static const char *const approximate[] = {"ub_exp2", "ub_sine", "ub_root"};
    for (size_t i = 0; i < WW_ARRAY_LEN(approximate); i++) {
        if (strcmp(b->kernel, approximate[i]) == 0) {
            return 1e-3;
        }
    }
    return 0;
}

static ww_status compare(const room *r, const shot *s)
{
    ww__bench *bench = r->bench;
    const char *kernel = s->b->kernel;
    void *actual = NULL;
    bool chain = expect_chain(r, s);
    uint32_t count = chain ? s->threads : expect_words(r, s);
    WW_TRY(ww__download(bench, r->out, (size_t)count * (s->b->call == CALL_F64 ? 8 : 4), &actual));
    if (s->b->call == CALL_F64) {
        return ww__verify_doubles(bench, kernel, actual, r->expected, count, 0, 0);
    }
    if (s->b->call != CALL_F32) {
        return ww__verify_ints(bench, kernel, actual, r->expected, count);
    }
    double *expected = NULL;
    const float *floats = r->expected;
    WW_TRY(ww__host_array(bench, count, sizeof *expected, &expected));
    for (uint32_t i = 0; i < count; i++) {
        expected[i] = (double)floats[i];
    }
    return ww__verify_floats(bench, kernel, actual, expected, count, tolerance_of(s->b),
                             1e-3 * (tolerance_of(s->b) > 0));
}

/* Repetitions: the whole window once where there are none; a window within the L2 four times. */
static uint32_t repetitions_of(const shot *s, unsigned divisor)
{
    const power_bench *b = s->b;
    const bool within = b->p != 0 && (b->call == CALL_LOAD || b->call == CALL_STORE ||
                                      b->call == CALL_COPY || b->call == CALL_TEXELS);
    const uint32_t n = b->n / divisor, least = within ? 4 * s->window / s->threads : 1;
    return b->n == 0 ? s->window / s->threads + 1 : n > least ? n : least;
}

static shot shape_of(const room *r, const power_bench *b, unsigned sms, unsigned divisor)
{
    shot s = {.b = b, .p = (int32_t)b->p, .window = r->words};
    unsigned per_sm = b->warps * WARP / TILE;
    s.ctas = (b->share == 0 ? 1 : (sms * b->share + 99) / 100) * (per_sm > 0 ? per_sm : 1);
    s.threads = s.ctas * TILE;
    if (b->call == CALL_UNCACHED) {
        s.window = UNCACHED_WORDS;
    } else if (b->p != 0 && b->call >= CALL_LOAD && b->p < r->words) {
        s.window = b->p;
    }
    s.n = (int32_t)repetitions_of(&s, divisor);
    return s;
}

static ww_status make_room(room *r, unsigned sms)
{
    ww__bench *bench = r->bench;
    const size_t bytes = (size_t)r->words * 4, threads = (size_t)sms * 32 * WARP;
    uint32_t *input = NULL;
    r->out_bytes = bytes > 8 * threads ? bytes : 8 * threads;
    r->out_bytes = r->out_bytes > COUNTERS * 4 ? r->out_bytes : COUNTERS * 4;
    WW_TRY(ww__host_array(bench, r->words, sizeof *input, &input));
    WW_TRY(ww__host_array(bench, r->out_bytes, 1, &r->expected));
    for (uint32_t i = 0; i < r->words; i++) {
        input[i] = ww__random_bits(bench);
    }
    r->input = input;
    WW_TRY(ww__upload(bench, input, bytes, &r->in));
    WW_TRY(ww__buffer(bench, r->out_bytes, &r->out));
    const ww_texture texels = {.address = r->in,
                               .width = r->words,
                               .pitch = bytes,
                               .channels = 1,
                               .channel_bits = 32,
                               .channel = WW_TEX_UNSIGNED};
    return ww__texture(bench, &texels, &r->texels);
}

ww_status ww__power_benches(ww__bench *bench, unsigned sms, unsigned divisor, size_t least_words,
                            size_t most_words)
{
    const ww_device_shape shape = ww_device_shape_of(bench->device);
    room r = {.bench = bench};
    r.words = (uint32_t)least_words;
    while (r.words < shape.l2_bytes && r.words < most_words) {
        r.words *= 2;
    }
    sms = shape.sms < sms ? shape.sms : sms;
    WW_TRY(make_room(&r, sms));
    for (size_t i = 0; i < WW_ARRAY_LEN(benches); i++) {
        shot s = shape_of(&r, &benches[i], sms, divisor);
        WW_TRY(launch(&r, &s));
        WW_TRY(compare(&r, &s));
    }
    return WW_OK;
}
