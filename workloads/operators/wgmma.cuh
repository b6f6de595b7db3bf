// wgmma.cuh - C = A B + bias on Hopper's asynchronous engines, as libraries write it there: a producer warp group has the copy engine
// fill a ring of tiles, two consumer warp groups multiply what has come, and results leave through shared memory.
//
// A lies along K, B along K or across it; bfloat16, sums in single precision. Tensor maps tell sizes, steps and the matrices of a batch;
// what lies beyond an edge is read as zeros and not written.
#pragma once
#include "../hopper.cuh"
#include "types.cuh"

namespace wgmma {

enum {
    CONSUMERS = 2,
    ROWS = 64 * CONSUMERS,         // of A and C of a CTA
    STEP = 16,                     // along K, of an instruction
    STRIPE = 64 * SWIZZLED * 2,    // bytes of 64 rows of 64 numbers
    A_BYTES = ROWS * SWIZZLED * 2, // of a stage
    BAND = 8                       // rows of tiles that are done together: what they read stays in the L2
};

// 64 x COLUMNS sums += A of 64 x 16 by B of 16 x COLUMNS, which lies along K or ACROSS it.
template <int ACROSS> __device__ __forceinline__ void multiply(float (&d)[128], uint64_t a, uint64_t b)
{
    asm volatile("{\n.reg .pred adds;\nsetp.ne.b32 adds, %130, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" NAMES_128 "}, %128, %129, adds, 1, 1, 0, %131;\n}"
                 : SUMS_128(d)
                 : "l"(a), "l"(b), "r"(1), "n"(ACROSS));
}

template <int ACROSS> __device__ __forceinline__ void multiply(float (&d)[64], uint64_t a, uint64_t b)
{
    asm volatile("{\n.reg .pred adds;\nsetp.ne.b32 adds, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" NAMES_64 "}, %64, %65, adds, 1, 1, 0, %67;\n}"
                 : SUMS_64(d)
                 : "l"(a), "l"(b), "r"(1), "n"(ACROSS));
}

template <int ACROSS> __device__ __forceinline__ void multiply(float (&d)[32], uint64_t a, uint64_t b)
{
    asm volatile("{\n.reg .pred adds;\nsetp.ne.b32 adds, %34, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" NAMES_32 "}, %32, %33, adds, 1, 1, 0, %35;\n}"
                 : SUMS_32(d)
                 : "l"(a), "l"(b), "r"(1), "n"(ACROSS));
}

template <int COLUMNS, int STAGES> struct ring {
    static constexpr int B_BYTES = COLUMNS * SWIZZLED * 2, C_BYTES = ROWS * COLUMNS * 2;
    uint32_t base; // in shared memory: stages of A, of B, results, mbarriers
    __device__ uint32_t a_of(int stage) const { return base + stage * A_BYTES; }
    __device__ uint32_t b_of(int stage) const { return base + STAGES * A_BYTES + stage * B_BYTES; }
    __device__ uint32_t results() const { return base + STAGES * (A_BYTES + B_BYTES); }
    __device__ uint32_t full_of(int stage) const { return results() + C_BYTES + 8 * stage; }
    __device__ uint32_t empty_of(int stage) const { return full_of(STAGES + stage); }
};

struct place {
    int row, column, matrix;
};

template <int COLUMNS, int STAGES, bool ACROSS>
__device__ __forceinline__ void produce(const ring<COLUMNS, STAGES> &r, const tensor_map *a, const tensor_map *b, const place &at,
                                        int tiles)
{
#pragma unroll 1
    for (int tile = 0, stage = 0, parity = 1; tile < tiles; tile++) {
        object_wait(r.empty_of(stage), parity);
        object_expect(r.full_of(stage), A_BYTES + r.B_BYTES);
        box_load(r.a_of(stage), a, tile * SWIZZLED, at.row, at.matrix, r.full_of(stage));
        if constexpr (ACROSS) {
#pragma unroll
            for (int i = 0; i < COLUMNS / SWIZZLED; i++) {
                box_load(r.b_of(stage) + i * STRIPE, b, at.column + i * SWIZZLED, tile * SWIZZLED, at.matrix, r.full_of(stage));
            }
        } else {
            box_load(r.b_of(stage), b, tile * SWIZZLED, at.column, at.matrix, r.full_of(stage));
        }
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
}

// A stage is given back when the next one's products have been asked for.
template <int COLUMNS, int STAGES, bool ACROSS>
__device__ __forceinline__ void consume(const ring<COLUMNS, STAGES> &r, float (&d)[COLUMNS / 2], int consumer, int tiles, bool speaks)
{
    constexpr int B_STEP = ACROSS ? STEP * SWIZZLED * 2 : STEP * 2; // bytes
    int before = 0;
#pragma unroll 1
    for (int tile = 0, stage = 0, parity = 0; tile < tiles; tile++) {
        object_wait(r.full_of(stage), parity);
        const uint64_t a = tile_at(r.a_of(stage) + consumer * STRIPE, 16), b = tile_at(r.b_of(stage), ACROSS ? STRIPE : 16);
        products_begin();
#pragma unroll
        for (int k = 0; k < SWIZZLED / STEP; k++) {
            multiply<ACROSS>(d, a + (k * STEP * 2 >> 4), b + (k * B_STEP >> 4));
        }
        products_commit();
        products_wait<1>();
        if (tile > 0 && speaks) {
            object_arrive(r.empty_of(before));
        }
        before = stage;
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
    products_wait<0>();
}

// What sums begin with. A thread has two neighbouring columns of each eight; those beyond the edge are not written. All loads are under
// way while the first tiles come.
template <int COUNT> __device__ __forceinline__ void begin_with(float (&d)[COUNT], const bf16 *bias, int column, int columns)
{
    __nv_bfloat162 pair[COUNT / 4];
#pragma unroll
    for (int i = 0; i < COUNT / 4; i++) {
        pair[i] = bias != nullptr ? *(const __nv_bfloat162 *)(bias + min(column + 8 * i, (columns - 1) / 2 * 2)) : __nv_bfloat162();
    }
#pragma unroll
    for (int i = 0; i < COUNT / 4; i++) {
        d[4 * i] = d[4 * i + 2] = bias != nullptr ? __low2float(pair[i]) : 0.0f;
        d[4 * i + 1] = d[4 * i + 3] = bias != nullptr ? __high2float(pair[i]) : 0.0f;
    }
}

__device__ __forceinline__ uint32_t pair_of(float low, float high)
{
    uint32_t pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}

// A warp's 16 rows of results, into stripes of 64 columns as the copy engine swizzles them.
template <int COUNT> __device__ __forceinline__ void put_results(const float (&d)[COUNT], uint32_t stripes, int warp, int lane)
{
    const uint32_t row = warp * 16 + lane % 16; // of the matrix whose row the lane names
#pragma unroll
    for (int i = 0; i < COUNT / 8; i++) { // of 16 columns
        const uint32_t chunk = i % 4 * 2 + lane / 16;
        const uint32_t at = stripes + i / 4 * STRIPE + row * 128 + ((chunk ^ row % 8) << 4);
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared::cta.b16 [%0], {%1, %2, %3, %4};" ::"r"(at),
                     "r"(pair_of(d[8 * i], d[8 * i + 1])), "r"(pair_of(d[8 * i + 2], d[8 * i + 3])),
                     "r"(pair_of(d[8 * i + 4], d[8 * i + 5])), "r"(pair_of(d[8 * i + 6], d[8 * i + 7]))
                     : "memory");
    }
}

// The CTA's tile, of `rows` by `columns` tiles of each matrix.
template <int COLUMNS> __device__ __forceinline__ place find_place(int rows, int columns)
{
    const int matrix = blockIdx.x / (rows * columns), id = blockIdx.x % (rows * columns);
    const int band = id / (BAND * columns), at = id % (BAND * columns), height = min((int)BAND, rows - band * BAND);
    return {(band * BAND + at % height) * ROWS, at / height * COLUMNS, matrix};
}

template <int COLUMNS, int STAGES, bool ACROSS>
__device__ __forceinline__ void run(const tensor_map &a, const tensor_map &b, const tensor_map &c, const bf16 *bias, int m, int n, int k)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    const ring<COLUMNS, STAGES> r = {shared_address(shared)};
    const place at = find_place<COLUMNS>((m + ROWS - 1) / ROWS, (n + COLUMNS - 1) / COLUMNS);
    const int tiles = (k + SWIZZLED - 1) / SWIZZLED;
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            object_init(r.full_of(stage), 1);
            object_init(r.empty_of(stage), CONSUMERS);
        }
        objects_ready();
    }
    __syncthreads();
    if (threadIdx.x < WARP_GROUP) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0) {
            map_prefetch(&a);
            map_prefetch(&b);
            produce<COLUMNS, STAGES, ACROSS>(r, &a, &b, at, tiles);
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int consumer = threadIdx.x / WARP_GROUP - 1, thread = threadIdx.x % WARP_GROUP;
    const uint32_t stripes = r.results() + consumer * (COLUMNS / SWIZZLED) * STRIPE;
    float d[COLUMNS / 2];
    begin_with(d, bias, at.column + thread % 4 * 2, n);
    consume<COLUMNS, STAGES, ACROSS>(r, d, consumer, tiles, thread == 0);
    put_results(d, stripes, thread / 32, thread % 32);
    engines_see();
    asm volatile("bar.sync %0, %1;" ::"r"(1 + consumer), "n"((int)WARP_GROUP) : "memory");
    if (thread == 0) {
        for (int i = 0; i < COLUMNS / SWIZZLED; i++) {
            box_store(&c, at.column + i * SWIZZLED, at.row + 64 * consumer, at.matrix, stripes + i * STRIPE);
        }
        stores_end();
    }
}

} // namespace wgmma

#define WGMMA(NAME, COLUMNS, STAGES, ACROSS)                                                                               \
    extern "C" __global__ void __launch_bounds__(WARP_GROUP *(wgmma::CONSUMERS + 1), 1)                                     \
        NAME(const __grid_constant__ tensor_map a, const __grid_constant__ tensor_map b, const __grid_constant__ tensor_map c, \
             const bf16 *bias, int m, int n, int k)                                                                        \
    {                                                                                                                      \
        wgmma::run<COLUMNS, STAGES, ACROSS>(a, b, c, bias, m, n, k);                                                        \
    }
