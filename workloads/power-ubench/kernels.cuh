// kernels.cuh - microbenchmarks that each keep one part of a GPU busy, at some share: CHAINS independent chains of STEPS operations
// per repetition, or accesses to one level of memory. benches.def says how each is launched. Read by power-ubench.cu, whose PTX
// the workload runs, and by tools/measure, which runs them on a card.
#pragma once

constexpr int TILE = 256, CHAINS = 4, STEPS = 16;

// What a chain starts from: numbers that differ in all of their bits, or small whole ones.
static __device__ unsigned start_of(unsigned thread, int c, unsigned) { return thread * 2654435761u + c; }
template <typename T> __device__ T start_of(unsigned thread, int c, T) { return static_cast<T>((thread * 2654435761u >> 24) + c); }

// One operation over and over on the first `lanes` lanes of each warp.
template <typename T, typename Op> __device__ void chains(T *out, int repetitions, unsigned lanes, Op op)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    T x[CHAINS];
    for (int c = 0; c < CHAINS; c++) {
        x[c] = start_of(thread, c, T());
    }
    if (threadIdx.x % 32 < lanes) {
#pragma unroll 1
        for (int r = 0; r < repetitions; r++) {
#pragma unroll
            for (int s = 0; s < STEPS; s++) {
#pragma unroll
                for (int c = 0; c < CHAINS; c++) {
                    x[c] = op(x[c], x[(c + 1) % CHAINS], s);
                }
            }
        }
    }
    out[thread] = (x[0] + x[1]) + (x[2] + x[3]);
}

#define ROTATE_7(x)      __funnelshift_l(x, x, 7)
#define ADD_F32(x, y)    __fadd_rn(x, y)
#define MUL_F32(x, y)    __fmul_rn(x, y)
#define FMA_F32(x, y, z) __fmaf_rn(x, y, z)
#define ADD_F64(x, y)    __dadd_rn(x, y)
#define MUL_F64(x, y)    __dmul_rn(x, y)
#define FMA_F64(x, y, z) __fma_rn(x, y, z)
#define EXP2_F32(x)      exp2_of(x)
#define SINE_F32(x)      __sinf(x)
#define ROOT_F32(x)      root_of(x)
static __device__ float exp2_of(float x)
{
    asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
    return x;
}
static __device__ float root_of(float x)
{
    asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(x));
    return x;
}
#define CHAIN_KERNEL(name, T, expression)                                                                                         \
    extern "C" __global__ void name(void *out, int n, unsigned lanes, T a, T b)                                                   \
    {                                                                                                                             \
        chains(static_cast<T *>(out), n, lanes, [=](T x, T y, int s) -> T { return (void)y, (void)s, expression; });                                     \
    }
#include "chains.def"

// Words go round a warp.
extern "C" __global__ void ub_shuffle(void *out, int n, unsigned lanes, unsigned a, unsigned)
{
    chains(static_cast<unsigned *>(out), n, lanes, [=](unsigned x, unsigned, int s) { return __shfl_xor_sync(0xffffffffu, x, 1 + s) + a; });
}

// Branches that are taken, as few instructions between them as a loop needs.
extern "C" __global__ void ub_branch(unsigned *out, int n)
{
    unsigned left = n * STEPS;
#pragma unroll 1
    do {
        asm volatile("add.u32 %0, %0, -1;" : "+r"(left));
    } while (left != 0);
    out[blockIdx.x * blockDim.x + threadIdx.x] = left + threadIdx.x;
}

// Resident warps that wait for each other: the cost of being active.
extern "C" __global__ void ub_wait(unsigned *out, int n)
{
    unsigned x = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        x = x * x + 1;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// Shared memory by accesses of 1, 2 or 4 words, all of which are read; stride 0: a broadcast.
static __device__ unsigned shared_at(const uint1 *p)
{
    unsigned x;
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(x) : "r"(unsigned(__cvta_generic_to_shared(p))));
    return x;
}
static __device__ unsigned shared_at(const uint2 *p)
{
    unsigned x[2];
    asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x[0]), "=r"(x[1]) : "r"(unsigned(__cvta_generic_to_shared(p))));
    return x[0];
}
static __device__ unsigned shared_at(const uint4 *p)
{
    unsigned x[4];
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(unsigned(__cvta_generic_to_shared(p))));
    return x[0];
}
template <typename V> __device__ void shared_loads(unsigned *out, int n, int stride)
{
    __shared__ uint4 tile[TILE + STEPS];
    unsigned *words = reinterpret_cast<unsigned *>(tile);
    for (int i = threadIdx.x; i < (TILE + STEPS) * 4; i += blockDim.x) {
        words[i] = i * 2654435761u;
    }
    __syncthreads();
    const int last = TILE * 16 / sizeof(V) - 1;
    unsigned sum = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) {
        const V *at = reinterpret_cast<const V *>(tile) + ((threadIdx.x * stride + i) & last);
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            sum += shared_at(at + s);
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
        const unsigned *from = constants + (at & 511);
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            sum += from[s * 32]; // a line each
        }
        at += step;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Global memory: a window of `words`, a power of two, that each CTA has for itself, through the L1.
extern "C" __global__ void ub_load(unsigned *out, const unsigned *in, unsigned words, int n)
{
    const unsigned *from = in + blockIdx.x % 64 * words;
    unsigned sum = 0, at = threadIdx.x;
#pragma unroll 4
    for (int i = 0; i < n; i++) {
        sum += from[at & (words - 1)];
        at += blockDim.x;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
// Past the L1: one that all read, write or copy, in steps of a whole grid.
extern "C" __global__ void ub_fetch(unsigned *out, const unsigned *in, unsigned words, int n)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    unsigned sum = 0, at = thread;
#pragma unroll 4
    for (int i = 0; i < n; i++) {
        sum += __ldcg(in + (at & (words - 1)));
        at += threads;
    }
    out[thread] = sum;
}
extern "C" __global__ void ub_store(unsigned *to, unsigned words, int n)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    unsigned at = thread;
#pragma unroll 4
    for (int i = 0; i < n; i++) {
        to[at & (words - 1)] = (at & (words - 1)) * 2654435761u;
        at += threads;
    }
}
extern "C" __global__ void ub_copy(unsigned *to, const unsigned *in, unsigned words, int n)
{
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
    unsigned at = thread;
#pragma unroll 4
    for (int i = 0; i < n; i++) {
        to[at & (words - 1)] = in[at & (words - 1)] + 1;
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
        sum += in[(at & (words - 32)) + thread % 32];
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
        sum += __ldcg(in + (at & (words - 1)));
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
        sum += tex1Dfetch<unsigned>(texels, int(first + (at & (words - 1))));
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
