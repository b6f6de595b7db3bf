// measure.cu - power microbenchmarks of a GPU: each keeps one part of it busy, at some share. On a card, runs each for a
// while and writes the rows that `warpwatt calibrate` reads, energy by NVML's counter; with --once runs each once, for the
// simulator, whose activity the rows name. Clocks are read, never set. Build and use: README.md.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "nvml.cuh"

#define CHECK(call)                                                                                                               \
    do {                                                                                                                          \
        cudaError_t code_ = (call);                                                                                               \
        if (code_ != cudaSuccess) {                                                                                               \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(code_));                                                   \
            std::exit(1);                                                                                                         \
        }                                                                                                                         \
    } while (0)

constexpr int TILE = 256, CHAINS = 4, STEPS = 16;

// ---- kernels: CHAINS independent chains of STEPS operations per repetition ----

// One operation over and over on the first `lanes` lanes of each warp; data that changes from step to step.
template <typename T, typename Op> __device__ void chains(T *out, int repetitions, unsigned lanes, Op op)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    T x[CHAINS];
    for (int c = 0; c < CHAINS; c++) {
        x[c] = static_cast<T>(thread * 2654435761u + c);
    }
    if (threadIdx.x % 32 < lanes) {
#pragma unroll 1
        for (int r = 0; r < repetitions; r++) {
#pragma unroll
            for (int s = 0; s < STEPS; s++) {
#pragma unroll
                for (int c = 0; c < CHAINS; c++) {
                    x[c] = op(x[c], s);
                }
            }
        }
    }
    out[thread] = (x[0] + x[1]) + (x[2] + x[3]);
}

#define CHAIN_KERNEL(name, T, expression)                                                                                         \
    extern "C" __global__ void name(void *out, int n, unsigned lanes, T a, T b)                                                   \
    {                                                                                                                             \
        chains(static_cast<T *>(out), n, lanes, [=](T x, int s) -> T { return expression; });                                     \
    }
CHAIN_KERNEL(ub_int_add, unsigned, x + (s & 1 ? a : b))
CHAIN_KERNEL(ub_int_logic, unsigned, (x ^ a) | (b & x))
CHAIN_KERNEL(ub_int_shift, unsigned, __funnelshift_l(x, x, 7) ^ a)
CHAIN_KERNEL(ub_int_mul, unsigned, x * a + b)
CHAIN_KERNEL(ub_int_mix, unsigned, s & 1 ? x ^ a : x + b)
CHAIN_KERNEL(ub_f32_add, float, __fadd_rn(x, s & 1 ? a : -a))
CHAIN_KERNEL(ub_f32_mul, float, __fmul_rn(x, s & 1 ? a : 1 / 1.25f))
CHAIN_KERNEL(ub_f32_fma, float, __fmaf_rn(x, b, a))
CHAIN_KERNEL(ub_f64_add, double, __dadd_rn(x, s & 1 ? a : -a))
CHAIN_KERNEL(ub_f64_mul, double, __dmul_rn(x, s & 1 ? a : 1 / 1.25))
CHAIN_KERNEL(ub_f64_fma, double, __fma_rn(x, b, a))
CHAIN_KERNEL(ub_exp2, float, exp2f(x) * 0.0f + a)
CHAIN_KERNEL(ub_sine, float, __sinf(x))
CHAIN_KERNEL(ub_root, float, __frsqrt_rn(x * x + a))
CHAIN_KERNEL(ub_convert, float, static_cast<float>(static_cast<int>(x) ^ s))
CHAIN_KERNEL(ub_shuffle, unsigned, __shfl_xor_sync(0xffffffffu, x, 1 + (s & 15)) + a)

// Nothing but branches that are taken.
extern "C" __global__ void ub_branch(unsigned *out, int n)
{
    unsigned x = threadIdx.x;
    for (int i = 0; i < n; i++) {
        asm volatile("{.reg .pred p; setp.ne.u32 p, %0, 4000000000; @p bra L1; add.u32 %0, %0, 3; L1: setp.ne.u32 p, %0, "
                     "4000000001; @p bra L2; add.u32 %0, %0, 5; L2: }"
                     : "+r"(x));
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// Resident warps that wait for each other: the cost of being active.
extern "C" __global__ void ub_spin(unsigned *out, int n)
{
    unsigned x = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        x = x * x + 1;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// Shared memory by accesses of 1, 2 or 4 words; stride 0: a broadcast.
template <typename V> __device__ void shared_loads(unsigned *out, int n, int stride)
{
    __shared__ uint4 tile[TILE];
    unsigned *words = reinterpret_cast<unsigned *>(tile);
    for (int i = threadIdx.x; i < TILE * 4; i += blockDim.x) {
        words[i] = i * 2654435761u;
    }
    __syncthreads();
    volatile const V *at = reinterpret_cast<const V *>(tile);
    const int last = TILE * 16 / sizeof(V) - 1;
    unsigned sum = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            sum += const_cast<const V *>(at)[(threadIdx.x * stride + s + i) & last].x;
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
extern "C" __global__ void ub_shared1(unsigned *out, int n, int stride) { shared_loads<uint1>(out, n, stride); }
extern "C" __global__ void ub_shared2(unsigned *out, int n, int stride) { shared_loads<uint2>(out, n, stride); }
extern "C" __global__ void ub_shared4(unsigned *out, int n, int stride) { shared_loads<uint4>(out, n, stride); }
extern "C" __global__ void ub_shared_store(unsigned *out, int n)
{
    __shared__ volatile unsigned tile[TILE];
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            tile[threadIdx.x] = i * STEPS + s;
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = tile[threadIdx.x];
}

__constant__ unsigned constants[1024];
extern "C" __global__ void ub_constant(unsigned *out, int n, int step)
{
    unsigned sum = 0, at = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            sum += constants[at & 1023];
            at += step;
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Global memory: a window of `words` that the CTAs read (or write, or both) in steps of a whole grid, or each its own.
extern "C" __global__ void ub_load(unsigned *out, const unsigned *in, unsigned words, int n, int own)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    const unsigned first = own ? blockIdx.x % 64 * words : 0, step = own ? blockDim.x : threads;
    unsigned sum = 0, at = own ? threadIdx.x : thread;
#pragma unroll 4
    for (int i = 0; i < n; i++) {
        sum += in[first + at % words];
        at += step;
    }
    out[thread] = sum;
}
extern "C" __global__ void ub_store(unsigned *to, unsigned words, int n)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    unsigned at = thread;
#pragma unroll 4
    for (int i = 0; i < n; i++) {
        to[at % words] = at * 2654435761u;
        at += threads;
    }
}
extern "C" __global__ void ub_copy(unsigned *to, const unsigned *in, unsigned words, int n)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    unsigned at = thread;
#pragma unroll 4
    for (int i = 0; i < n; i++) {
        to[at % words] = in[at % words] + 1;
        at += threads;
    }
}
// A row of the DRAM for each access.
extern "C" __global__ void ub_rows(unsigned *out, const unsigned *in, unsigned words, int n)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned at = thread / 32 * 2654435761u, sum = 0;
#pragma unroll 4
    for (int i = 0; i < n; i++) {
        sum += in[(at & ~31u) % words + thread % 32];
        at = at * 1664525u + 1013904223u;
    }
    out[thread] = sum;
}
// Loads that pass by the L1, from a window that every SM reads: interconnect and L2. stride 8: a sector for each lane.
extern "C" __global__ void ub_uncached(unsigned *out, const unsigned *in, unsigned words, int n, int stride)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0, at = threadIdx.x * stride;
#pragma unroll 4
    for (int i = 0; i < n; i++) {
        sum += __ldcg(in + at % words);
        at += TILE * stride;
    }
    out[thread] = sum;
}
// Texels of a window: a CTA's own, or one that all read.
extern "C" __global__ void ub_texture(unsigned *out, cudaTextureObject_t texels, unsigned words, int n, int own)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned first = own ? blockIdx.x % 64 * words : 0, step = own ? blockDim.x : gridDim.x * blockDim.x;
    unsigned sum = 0, at = own ? threadIdx.x : thread;
#pragma unroll 4
    for (int i = 0; i < n; i++) {
        sum += tex1Dfetch<unsigned>(texels, int(first + at % words));
        at += step;
    }
    out[thread] = sum;
}
// One chain of dependent operations: issue goes with the warps that are there.
extern "C" __global__ void ub_chain(unsigned *out, int n)
{
    unsigned x = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            x = s & 1 ? x ^ 0x9e3779b9u : x + 0x7f4a7c15u;
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
extern "C" __global__ void ub_atomic(unsigned *to, int n, int spread)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        atomicAdd(&to[(thread * spread + i) & 0xffff], 1u);
    }
}

#include "matrix.cuh"

// ---- the benchmarks ----

struct Card {
    int sms;
    unsigned *out, *in;
    unsigned words; // of in
    cudaTextureObject_t texels;
};

struct Bench {
    const char *what, *kernel;
    void (*launch)(const Card &card, int ctas, int n, unsigned p);
    int share;     // SMs in percent; 0: one
    int warps;     // per SM, in CTAs of TILE threads or less
    int n;         // repetitions of a launch
    unsigned p;    // the kernel's own: lanes, stride, words
};

#define LANES(kernel, T, A, B)                                                                                                    \
    [](const Card &card, int ctas, int n, unsigned p) { kernel<<<ctas, TILE>>>(card.out, n, p, T(A), T(B)); }
#define SMALL(kernel) [](const Card &card, int ctas, int n, unsigned) { kernel<<<ctas, TILE>>>(card.out, n); }
#define WITH(kernel)  [](const Card &card, int ctas, int n, unsigned p) { kernel<<<ctas, TILE>>>(card.out, n, int(p)); }

#include "benches.cuh"

static int ctas_of(const Bench &b, const Card &card)
{
    int sms = b.share == 0 ? 1 : (card.sms * b.share + 99) / 100;
    int per_sm = b.warps * 32 / TILE;
    return sms * (per_sm > 0 ? per_sm : 1);
}

// Launches of one kernel are told apart by their turn, as `warpwatt calibrate` counts them.
static int turn_of(const std::vector<Bench> &all, size_t i)
{
    int turn = 0;
    for (size_t k = 0; k < i; k++) {
        turn += std::strcmp(all[k].kernel, all[i].kernel) == 0;
    }
    return turn;
}

static Card make_card()
{
    Card card = {};
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    card.sms = properties.multiProcessorCount;
    card.words = 64u << 20;
    return card;
}

static void allocate(Card &card, unsigned words)
{
    card.words = words;
    CHECK(cudaMalloc(&card.out, size_t(words) * 4 + (64u << 20)));
    CHECK(cudaMalloc(&card.in, size_t(words) * 4));
    CHECK(cudaMemset(card.in, 0x5a, size_t(words) * 4));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = card.in;
    resource.res.linear.desc = cudaCreateChannelDesc<unsigned>();
    resource.res.linear.sizeInBytes = size_t(words) * 4;
    cudaTextureDesc how = {};
    how.readMode = cudaReadModeElementType;
    CHECK(cudaCreateTextureObject(&card.texels, &resource, &how, nullptr));
}

// Runs a benchmark for that many seconds between two readings of the energy counter.
static bool measure(const Nvml &nvml, const Card &card, const Bench &b, double seconds, Reading *out)
{
    cudaEvent_t start, stop;
    const int ctas = ctas_of(b, card);
    float ms = 0;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    b.launch(card, ctas, b.n, b.p);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    const int launches = ms > 0 ? int(seconds * 1e3 / ms) + 1 : 1;
    for (int i = 0; i < launches / 4; i++) { // to the temperature and clock that it runs at
        b.launch(card, ctas, b.n, b.p);
    }
    CHECK(cudaDeviceSynchronize());
    if (!nvml.begin(out)) {
        return false;
    }
    for (int i = 0; i < launches; i++) {
        b.launch(card, ctas, b.n, b.p);
        if (i == launches / 2) {
            nvml.look(out);
        }
    }
    CHECK(cudaDeviceSynchronize());
    return nvml.end(out);
}

static void print_row(const std::vector<Bench> &all, size_t i, const Reading &r)
{
    char turn[16] = "";
    if (turn_of(all, i) > 0) {
        std::snprintf(turn, sizeof turn, "#%d", turn_of(all, i));
    }
    std::printf("ubench/activity.xml,%s%s,TOTAL,%.2f W,%.3f,\"%s; %u MHz, memory %u MHz, %u degrees, throttle 0x%llx\"\n", all[i].kernel,
                turn, r.watts(), r.sigma(), all[i].what, r.core_mhz, r.memory_mhz, r.celsius, r.throttle);
    std::fflush(stdout);
}

int main(int argc, char **argv)
{
    const bool once = argc > 1 && std::strcmp(argv[1], "--once") == 0;
    const double seconds = argc > 1 && !once ? std::atof(argv[1]) : 5;
    const std::vector<Bench> all = benches();
    Card card = make_card();
    allocate(card, once ? 8u << 20 : 64u << 20);
    if (once) {
        for (const Bench &b : all) {
            b.launch(card, ctas_of(b, card), b.n, b.p);
            CHECK(cudaDeviceSynchronize());
        }
        std::printf("%zu microbenchmarks\n", all.size());
        return 0;
    }
    Nvml nvml;
    if (!nvml.open()) {
        std::fprintf(stderr, "NVML: %s\n", nvml.why());
        return 1;
    }
    std::printf("activity,kernel,component,measured,sigma,source\n");
    Reading idle;
    if (nvml.begin(&idle) && nvml.wait(seconds) && nvml.end(&idle)) {
        std::printf("rates,idle core_mhz=%u,TOTAL,%.2f W,%.3f,\"context without work; %u degrees\"\n", idle.core_mhz, idle.watts(),
                    idle.sigma(), idle.celsius);
    }
    for (size_t i = 0; i < all.size(); i++) {
        Reading r;
        if (!measure(nvml, card, all[i], seconds, &r)) {
            std::fprintf(stderr, "%s: %s\n", all[i].what, nvml.why());
            return 1;
        }
        print_row(all, i, r);
    }
    return 0;
}
