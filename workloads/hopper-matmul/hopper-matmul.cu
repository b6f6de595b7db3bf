/* hopper-matmul.cu - a matrix product as kernels of Hopper make it: a producer warp group gives its
 * registers back and keeps a ring of tiles filled, two consumer warp groups multiply what has come,
 * and results leave through shared memory. C = A B^T, bfloat16, sums in single precision. */
#include "../hopper.cuh"

enum {
    CONSUMERS = 2,
    ROWS = 64 * CONSUMERS, /* of A and C of a CTA */
    COLUMNS = 256,         /* of C of a CTA: rows of B */
    STAGES = 3,
    STEP = 16, /* along the sums, of an instruction */
    A_BYTES = ROWS * SWIZZLED * 2,
    B_BYTES = COLUMNS * SWIZZLED * 2,
    STRIPE = 64 * SWIZZLED * 2, /* bytes of 64 x 64 results */
    C_BYTES = ROWS * COLUMNS * 2,
    BAND = 16 /* rows of tiles that are done together: what they read stays in the L2 */
};

struct ring {
    uint32_t a, b, full, empty; /* addresses in shared memory */
    __device__ uint32_t a_of(int stage) const { return a + stage * A_BYTES; }
    __device__ uint32_t b_of(int stage) const { return b + stage * B_BYTES; }
    __device__ uint32_t full_of(int stage) const { return full + 8 * stage; }
    __device__ uint32_t empty_of(int stage) const { return empty + 8 * stage; }
};

/* 64 x 256 sums += A of 64 x 16 by B of 256 x 16. */
__device__ static inline void multiply(float (&d)[128], uint64_t a, uint64_t b, int adds)
{
    asm volatile("{\n.reg .pred adds;\nsetp.ne.b32 adds, %130, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" NAMES_128
                 "}, %128, %129, adds, 1, 1, 0, 0;\n}"
                 : SUMS_128(d)
                 : "l"(a), "l"(b), "r"(adds));
}

__device__ static void produce(const ring &r, const tensor_map *a, const tensor_map *b, int row,
                               int column, int tiles)
{
#pragma unroll 1
    for (int tile = 0, stage = 0, parity = 1; tile < tiles; tile++) {
        object_wait(r.empty_of(stage), parity);
        object_expect(r.full_of(stage), A_BYTES + B_BYTES);
        box_load(r.a_of(stage), a, tile * SWIZZLED, row, 0, r.full_of(stage));
        box_load(r.b_of(stage), b, tile * SWIZZLED, column, 0, r.full_of(stage));
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
}

/* A stage is given back when the next one's products have been asked for. */
__device__ static void consume(const ring &r, float (&d)[128], int consumer, int tiles, bool speaks)
{
    int before = 0;
#pragma unroll 1
    for (int tile = 0, stage = 0, parity = 0; tile < tiles; tile++) {
        object_wait(r.full_of(stage), parity);
        const uint64_t a = tile_at(r.a_of(stage) + consumer * 64 * SWIZZLED * 2, 16);
        const uint64_t b = tile_at(r.b_of(stage), 16);
        products_begin();
#pragma unroll
        for (int k = 0; k < SWIZZLED / STEP; k++) {
            multiply(d, a + (k * STEP * 2 >> 4), b + (k * STEP * 2 >> 4), tile > 0 || k > 0);
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

__device__ static inline uint32_t pair_of(float low, float high)
{
    uint32_t pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}

/* A warp's 16 x 256 results, into stripes of 64 columns as the copy engine swizzles them. */
__device__ static void put_results(const float (&d)[128], uint32_t stripes, int warp, int lane)
{
    const uint32_t row = warp * 16 + lane % 16; /* of the matrix whose row the lane names */
#pragma unroll
    for (int i = 0; i < 16; i++) { /* of 16 columns */
        const uint32_t chunk = i % 4 * 2 + lane / 16;
        const uint32_t at = stripes + i / 4 * STRIPE + row * 128 + ((chunk ^ row % 8) << 4);
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared::cta.b16 [%0], {%1, %2, %3, %4};" ::"r"(at),
                     "r"(pair_of(d[8 * i], d[8 * i + 1])),
                     "r"(pair_of(d[8 * i + 2], d[8 * i + 3])),
                     "r"(pair_of(d[8 * i + 4], d[8 * i + 5])),
                     "r"(pair_of(d[8 * i + 6], d[8 * i + 7]))
                     : "memory");
    }
}

/* The CTA's tile of C. */
__device__ static void place(int rows, int columns, int &row, int &column)
{
    const int band = blockIdx.x / (BAND * columns), at = blockIdx.x % (BAND * columns);
    const int height = min(BAND, rows - band * BAND);
    row = (band * BAND + at % height) * ROWS;
    column = at / height * COLUMNS;
}

/* rows, columns: tiles of C; tiles: along the sums, of 64. Dynamic shared memory: see the driver. */
extern "C" __global__ void __launch_bounds__(WARP_GROUP *(CONSUMERS + 1), 1)
    hopper_matmul(const __grid_constant__ tensor_map a, const __grid_constant__ tensor_map b,
                  const __grid_constant__ tensor_map c, int rows, int columns, int tiles)
{
    extern __shared__ __align__(1024) unsigned char shared[];
    const uint32_t base = shared_address(shared);
    const uint32_t results = base + STAGES * (A_BYTES + B_BYTES);
    const ring r = {base, base + STAGES * A_BYTES, results + C_BYTES, results + C_BYTES + 8 * STAGES};
    int row, column;
    place(rows, columns, row, column);
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
            produce(r, &a, &b, row, column, tiles);
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int consumer = threadIdx.x / WARP_GROUP - 1, thread = threadIdx.x % WARP_GROUP;
    const uint32_t stripes = results + consumer * (COLUMNS / SWIZZLED) * STRIPE;
    float d[128];
    consume(r, d, consumer, tiles, thread == 0);
    put_results(d, stripes, thread / 32, thread % 32);
    engines_see();
    asm volatile("bar.sync %0, %1;" ::"r"(1 + consumer), "n"((int)WARP_GROUP) : "memory");
    if (thread == 0) {
        for (int i = 0; i < COLUMNS / SWIZZLED; i++) {
            box_store(&c, column + i * SWIZZLED, row + 64 * consumer, 0, stripes + i * STRIPE);
        }
        stores_end();
    }
}
