/* hopper-attention.cu - attention, forward, as kernels of Hopper make it (after FlashAttention-3, Shah
 * et al., arXiv 2407.08608, section 3): a producer warp group fetches tiles of keys and values; two
 * consumer warp groups with 64 queries each keep softmax's running maximum and sum; a group's softmax
 * of one tile lies under its own product with the values of the tile before and under the other
 * group's products, with which it takes turns. Half precision, sums in single. */
#include "../hopper.cuh"

enum {
    CONSUMERS = 2,
    QUERIES = 64, /* of a consumer */
    KEYS = 128,   /* of a tile */
    STAGES = 2,
    STEP = 16,                       /* along the sums, of an instruction */
    TURN = 1,                        /* named barriers: a consumer's turn */
    PANEL = QUERIES * SWIZZLED * 2,  /* bytes of 64 x 64 queries or results */
    STRIPE = KEYS * SWIZZLED * 2     /* bytes of 64 columns of a tile of keys or values */
};
#define NOTHING (-1e30f) /* a score that weighs nothing, and leaves no infinities to subtract */

template <int DEPTH> struct room {
    static constexpr int STRIPES = DEPTH / SWIZZLED;
    static constexpr int TILE = STRIPES * STRIPE; /* bytes of keys or values */
    uint32_t queries, keys, values, objects;      /* addresses in shared memory */
    __device__ uint32_t query_of(int consumer) const { return queries + consumer * STRIPES * PANEL; }
    __device__ uint32_t key_of(int stage) const { return keys + stage * TILE; }
    __device__ uint32_t value_of(int stage) const { return values + stage * TILE; }
    __device__ uint32_t queries_there() const { return objects; }
    __device__ uint32_t keys_there(int stage) const { return objects + 8 + 32 * stage; }
    __device__ uint32_t keys_free(int stage) const { return objects + 16 + 32 * stage; }
    __device__ uint32_t values_there(int stage) const { return objects + 24 + 32 * stage; }
    __device__ uint32_t values_free(int stage) const { return objects + 32 + 32 * stage; }
};

/* A place in the ring. */
struct turn {
    int stage, parity;
    __device__ void next()
    {
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
};

/* ---- products ---- */

/* 64 x 128 scores (+)= queries of 64 x 16 by keys of 128 x 16. */
__device__ static inline void score(float (&s)[64], uint64_t q, uint64_t k, int adds)
{
    asm volatile("{\n.reg .pred adds;\nsetp.ne.b32 adds, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" NAMES_64
                 "}, %64, %65, adds, 1, 1, 0, 0;\n}"
                 : SUMS_64(s)
                 : "l"(q), "l"(k), "r"(adds));
}

/* 64 x 64 or 64 x 128 sums += weights of 64 x 16, in registers, by values of 16 x as many. */
__device__ static inline void weigh(float (&o)[64], const uint32_t (&p)[4], uint64_t v)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" NAMES_64
                 "}, {%64, %65, %66, %67}, %68, 1, 1, 1, 1;"
                 : SUMS_64(o)
                 : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "l"(v));
}

__device__ static inline void weigh(float (&o)[32], const uint32_t (&p)[4], uint64_t v)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" NAMES_32
                 "}, {%32, %33, %34, %35}, %36, 1, 1, 1, 1;"
                 : SUMS_32(o)
                 : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "l"(v));
}

template <int DEPTH>
__device__ static inline void ask_for_scores(float (&s)[64], uint32_t queries, uint32_t keys)
{
    products_begin();
#pragma unroll
    for (int k = 0; k < DEPTH / STEP; k++) {
        const uint32_t stripe = k * STEP / SWIZZLED, in = k * STEP % SWIZZLED * 2;
        score(s, tile_at(queries + stripe * PANEL + in, 16), tile_at(keys + stripe * STRIPE + in, 16),
              k > 0);
    }
    products_commit();
}

template <int DEPTH>
__device__ static inline void ask_for_sums(float (&o)[DEPTH / 2], const uint32_t (&p)[KEYS / 16][4],
                                           uint32_t values)
{
    products_begin();
#pragma unroll
    for (int k = 0; k < KEYS / STEP; k++) {
        weigh(o, p[k], tile_at(values + k * STEP * SWIZZLED * 2, STRIPE));
    }
    products_commit();
}

/* ---- softmax ---- */

/* Of a thread's two rows of a product: l / 4 and l / 4 + 8 of its warp's 16. */
struct running {
    float most[2], sum[2];
};

__device__ static inline float quad_max(float x)
{
    x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
    return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}

__device__ static inline float quad_sum(float x)
{
    x += __shfl_xor_sync(0xffffffffu, x, 1);
    return x + __shfl_xor_sync(0xffffffffu, x, 2);
}

__device__ static inline float power_of_2(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

/* Scores of keys that are none, or with `causal` of keys behind the query, weigh nothing. */
template <bool CAUSAL>
__device__ static inline void leave_out(float (&s)[64], int first_key, int keys, int row)
{
    const int column = first_key + threadIdx.x % 4 * 2;
#pragma unroll
    for (int i = 0; i < 64; i++) {
        const int key = column + i / 4 * 8 + i % 2;
        if (key >= keys || (CAUSAL && key > row + i / 2 % 2 * 8)) {
            s[i] = NOTHING;
        }
    }
}

/* Scores become weights; scale[]: by what older sums shrink. */
__device__ static inline void soften(float (&s)[64], running &r, float factor, float (&scale)[2])
{
#pragma unroll
    for (int h = 0; h < 2; h++) {
        float most = r.most[h], sum = 0;
#pragma unroll
        for (int i = 0; i < 64; i += 4) {
            most = fmaxf(most, fmaxf(s[i + 2 * h], s[i + 2 * h + 1]));
        }
        most = quad_max(most);
        scale[h] = power_of_2((r.most[h] - most) * factor);
        const float shift = most * factor;
#pragma unroll
        for (int i = 0; i < 64; i += 4) {
            s[i + 2 * h] = power_of_2(fmaf(s[i + 2 * h], factor, -shift));
            s[i + 2 * h + 1] = power_of_2(fmaf(s[i + 2 * h + 1], factor, -shift));
            sum += s[i + 2 * h] + s[i + 2 * h + 1];
        }
        r.most[h] = most;
        r.sum[h] = r.sum[h] * scale[h] + sum; /* of the thread's own columns */
    }
}

__device__ static inline uint32_t pair_of(float low, float high)
{
    uint32_t pair;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
    return pair;
}

/* Sums of a product lie as the first operand of the next: 16 columns of scores are a step. */
__device__ static inline void narrow(uint32_t (&p)[KEYS / 16][4], const float (&s)[64])
{
#pragma unroll
    for (int i = 0; i < 64; i += 2) {
        p[i / 8][i / 2 % 4] = pair_of(s[i], s[i + 1]);
    }
}

template <int SUMS> __device__ static inline void rescale(float (&o)[SUMS], const float (&scale)[2])
{
#pragma unroll
    for (int i = 0; i < SUMS; i++) {
        o[i] *= scale[i / 2 % 2];
    }
}

/* ---- roles ---- */

template <int DEPTH>
__device__ static void fetch(const room<DEPTH> &r, const tensor_map *map, uint32_t to, int row,
                             int panel, uint32_t object)
{
    for (int i = 0; i < r.STRIPES; i++) {
        box_load(to + i * STRIPE, map, i * SWIZZLED, row, panel, object);
    }
}

template <int DEPTH>
__device__ static void produce(const room<DEPTH> &r, const tensor_map *q, const tensor_map *k,
                               const tensor_map *v, int query, int panel, int tiles)
{
    object_expect(r.queries_there(), CONSUMERS * r.STRIPES * PANEL);
    for (int c = 0; c < CONSUMERS; c++) {
        for (int i = 0; i < r.STRIPES; i++) {
            box_load(r.query_of(c) + i * PANEL, q, i * SWIZZLED, query + c * QUERIES, panel,
                     r.queries_there());
        }
    }
    turn t = {0, 1};
#pragma unroll 1
    for (int tile = 0; tile < tiles; tile++, t.next()) {
        object_wait(r.keys_free(t.stage), t.parity);
        object_expect(r.keys_there(t.stage), r.TILE);
        fetch(r, k, r.key_of(t.stage), tile * KEYS, panel, r.keys_there(t.stage));
        object_wait(r.values_free(t.stage), t.parity);
        object_expect(r.values_there(t.stage), r.TILE);
        fetch(r, v, r.value_of(t.stage), tile * KEYS, panel, r.values_there(t.stage));
    }
}

__device__ static inline void take_turn(int consumer)
{
    asm volatile("bar.sync %0, %1;" ::"r"(TURN + consumer), "n"(CONSUMERS * (int)WARP_GROUP) : "memory");
}

__device__ static inline void give_turn(int consumer)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(TURN + consumer), "n"(CONSUMERS * (int)WARP_GROUP)
                 : "memory");
}

/* The sums over their weights' sum. */
template <int DEPTH>
__device__ static inline void finish(float (&o)[DEPTH / 2], running &r)
{
    float scale[2];
    for (int h = 0; h < 2; h++) {
        scale[h] = 1 / quad_sum(r.sum[h]);
    }
    rescale(o, scale);
}

/* A warp's 16 rows of results, into panels as the copy engine swizzles them. */
template <int DEPTH>
__device__ static inline void put_results(const float (&o)[DEPTH / 2], uint32_t panels)
{
    const uint32_t warp = threadIdx.x % WARP_GROUP / 32, lane = threadIdx.x % 32;
    const uint32_t row = warp * 16 + lane % 16; /* of the matrix whose row the lane names */
#pragma unroll
    for (int i = 0; i < DEPTH / 16; i++) {
        const uint32_t chunk = i % 4 * 2 + lane / 16;
        const uint32_t at = panels + i / 4 * PANEL + row * 128 + ((chunk ^ row % 8) << 4);
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared::cta.b16 [%0], {%1, %2, %3, %4};" ::"r"(at),
                     "r"(pair_of(o[8 * i], o[8 * i + 1])),
                     "r"(pair_of(o[8 * i + 2], o[8 * i + 3])),
                     "r"(pair_of(o[8 * i + 4], o[8 * i + 5])),
                     "r"(pair_of(o[8 * i + 6], o[8 * i + 7]))
                     : "memory");
    }
}

template <int DEPTH, bool CAUSAL>
__device__ static void consume(const room<DEPTH> &r, float (&o)[DEPTH / 2], int query, int keys,
                               int tiles, float factor)
{
    const int consumer = threadIdx.x / WARP_GROUP - 1;
    const bool speaks = threadIdx.x % WARP_GROUP == 0;
    const int row = query + consumer * QUERIES + threadIdx.x % WARP_GROUP / 32 * 16 +
                    threadIdx.x % 32 / 4;
    running softmax = {{NOTHING, NOTHING}, {0, 0}};
    float s[64], scale[2];
    uint32_t p[KEYS / 16][4];
    turn k = {0, 0}, v = {0, 0};
    object_wait(r.queries_there(), 0);
    object_wait(r.keys_there(0), 0);
    ask_for_scores<DEPTH>(s, r.query_of(consumer), r.key_of(0));
    products_wait<0>();
    if (speaks) {
        object_arrive(r.keys_free(0));
    }
    if (tiles == 1 || CAUSAL) {
        leave_out<CAUSAL>(s, 0, keys, row);
    }
    soften(s, softmax, factor, scale);
    narrow(p, s);
#pragma unroll
    for (int i = 0; i < DEPTH / 2; i++) {
        o[i] = 0;
    }
    if (consumer == 1 && tiles > 1) {
        give_turn(0);
    }
#pragma unroll 1
    for (int tile = 1; tile < tiles; tile++) {
        k.next();
        object_wait(r.keys_there(k.stage), k.parity);
        take_turn(consumer);
        ask_for_scores<DEPTH>(s, r.query_of(consumer), r.key_of(k.stage));
        object_wait(r.values_there(v.stage), v.parity);
        ask_for_sums<DEPTH>(o, p, r.value_of(v.stage));
        if (consumer == 0 || tile + 1 < tiles) {
            give_turn(1 - consumer);
        }
        products_wait<1>();
        if (speaks) {
            object_arrive(r.keys_free(k.stage));
        }
        if (tile + 1 == tiles || (CAUSAL && (tile + 1) * KEYS > query)) {
            leave_out<CAUSAL>(s, tile * KEYS, keys, row);
        }
        soften(s, softmax, factor, scale);
        products_wait<0>();
        if (speaks) {
            object_arrive(r.values_free(v.stage));
        }
        v.next();
        narrow(p, s);
        rescale(o, scale);
    }
    object_wait(r.values_there(v.stage), v.parity);
    ask_for_sums<DEPTH>(o, p, r.value_of(v.stage));
    products_wait<0>();
    finish<DEPTH>(o, softmax);
}

template <int DEPTH> __device__ static inline room<DEPTH> lay_out(uint32_t base)
{
    room<DEPTH> r;
    r.queries = base;
    r.keys = base + CONSUMERS * r.STRIPES * PANEL;
    r.values = r.keys + STAGES * r.TILE;
    r.objects = r.values + STAGES * r.TILE;
    return r;
}

template <int DEPTH> __device__ static inline void make_objects(const room<DEPTH> &r)
{
    object_init(r.queries_there(), 1);
    for (int stage = 0; stage < STAGES; stage++) {
        object_init(r.keys_there(stage), 1);
        object_init(r.keys_free(stage), CONSUMERS);
        object_init(r.values_there(stage), 1);
        object_init(r.values_free(stage), CONSUMERS);
    }
    objects_ready();
}

/* A CTA has 128 queries of a head: blockIdx.x of them, the last first, since with `causal` those see
 * the most keys; blockIdx.y is the head. Results take the room of the queries. */
template <int DEPTH, bool CAUSAL>
__device__ static inline void attend(const tensor_map *q, const tensor_map *k, const tensor_map *v,
                                     const tensor_map *out, int keys, float factor, uint32_t base)
{
    const room<DEPTH> r = lay_out<DEPTH>(base);
    const int query = (gridDim.x - 1 - blockIdx.x) * CONSUMERS * QUERIES, panel = blockIdx.y;
    const int seen = CAUSAL ? min(keys, query + CONSUMERS * QUERIES) : keys;
    const int tiles = (seen + KEYS - 1) / KEYS;
    if (threadIdx.x == 0) {
        make_objects(r);
    }
    __syncthreads();
    if (threadIdx.x < WARP_GROUP) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (threadIdx.x == 0) {
            produce(r, q, k, v, query, panel, tiles);
        }
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    const int consumer = threadIdx.x / WARP_GROUP - 1;
    float o[DEPTH / 2];
    consume<DEPTH, CAUSAL>(r, o, query, keys, tiles, factor);
    put_results<DEPTH>(o, r.query_of(consumer));
    engines_see();
    asm volatile("bar.sync %0, %1;" ::"r"(TURN + CONSUMERS + consumer), "n"((int)WARP_GROUP)
                 : "memory");
    if (threadIdx.x % WARP_GROUP == 0) {
        for (int i = 0; i < r.STRIPES; i++) {
            box_store(out, i * SWIZZLED, query + consumer * QUERIES, panel, r.query_of(consumer) + i * PANEL);
        }
        stores_end();
    }
}

#define KERNEL(name, depth, causal)                                                                \
    extern "C" __global__ void __launch_bounds__(WARP_GROUP *(CONSUMERS + 1), 1)                   \
        name(const __grid_constant__ tensor_map q, const __grid_constant__ tensor_map k,           \
             const __grid_constant__ tensor_map v, const __grid_constant__ tensor_map out,         \
             int keys, float factor)                                                               \
    {                                                                                              \
        extern __shared__ __align__(1024) unsigned char shared[];                                  \
        attend<depth, causal>(&q, &k, &v, &out, keys, factor, shared_address(shared));             \
    }

KERNEL(attend_64, 64, false)
KERNEL(attend_128, 128, false)
KERNEL(attend_128_causal, 128, true)
