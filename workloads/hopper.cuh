/* hopper.cuh - the instructions of Hopper's asynchronous machine that the kernels for it share
 * (PTX ISA 8.x): objects that count arrivals and bytes, copies of tensors' boxes, products of warp
 * groups on tiles in shared memory. */
#ifndef WW_WORKLOADS_HOPPER_CUH
#define WW_WORKLOADS_HOPPER_CUH

#include <stdint.h>

/* CUtensorMap, without the driver's header. */
struct alignas(64) tensor_map {
    unsigned char bytes[128];
};

enum {
    WARP_GROUP = 128,
    SWIZZLED = 64 /* 16-bit numbers in a row of a tile: the span of the swizzle of 128 B */
};

__device__ static inline uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

/* ---- mbarriers ---- */

__device__ static inline void object_init(uint32_t object, uint32_t arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(object), "r"(arrivals) : "memory");
}

/* What has been initialized is seen by the copy engine as well. */
__device__ static inline void objects_ready()
{
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ static inline void object_expect(uint32_t object, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(object), "r"(bytes)
                 : "memory");
}

__device__ static inline void object_arrive(uint32_t object)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(object) : "memory");
}

__device__ static inline void object_wait(uint32_t object, uint32_t parity)
{
    asm volatile("{\n.reg .pred done;\n"
                 "AGAIN: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra AGAIN;\n}" ::"r"(object),
                 "r"(parity)
                 : "memory");
}

/* ---- copies of boxes ---- */

__device__ static inline void map_prefetch(const tensor_map *map)
{
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

__device__ static inline void box_load(uint32_t to, const tensor_map *map, int x, int y, int z,
                                       uint32_t object)
{
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3, %4}], [%5];" ::"r"(to),
                 "l"(map), "r"(x), "r"(y), "r"(z), "r"(object)
                 : "memory");
}

__device__ static inline void box_store(const tensor_map *map, int x, int y, int z, uint32_t from)
{
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];" ::
                     "l"(map),
                 "r"(x), "r"(y), "r"(z), "r"(from)
                 : "memory");
}

/* The thread's stores have left shared memory. */
__device__ static inline void stores_end()
{
    asm volatile("cp.async.bulk.commit_group;\n"
                 "cp.async.bulk.wait_group.read 0;" ::: "memory");
}

/* What was stored to shared memory is seen by the engines. */
__device__ static inline void engines_see()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* ---- products ---- */

__device__ static inline void products_begin()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ static inline void products_commit()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int LEFT> __device__ static inline void products_wait()
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}

/* A tile whose rows of 128 B are swizzled, eight of them 1024 B before the next eight. leading: bytes
 * to the next 64 columns, of operands that do not lie along the products' sums. */
__device__ static inline uint64_t tile_at(uint32_t address, uint32_t leading)
{
    return (uint64_t)(address >> 4) | (uint64_t)(leading >> 4) << 16 | (uint64_t)(1024 >> 4) << 32 |
           (uint64_t)1 << 62;
}

#define SUMS_4(d, i) "+f"((d)[i]), "+f"((d)[(i) + 1]), "+f"((d)[(i) + 2]), "+f"((d)[(i) + 3])
#define SUMS_16(d, i) SUMS_4(d, i), SUMS_4(d, i + 4), SUMS_4(d, i + 8), SUMS_4(d, i + 12)
#define SUMS_32(d)    SUMS_16(d, 0), SUMS_16(d, 16)
#define SUMS_64(d)    SUMS_32(d), SUMS_16(d, 32), SUMS_16(d, 48)
#define SUMS_128(d)                                                                                \
    SUMS_64(d), SUMS_16(d, 64), SUMS_16(d, 80), SUMS_16(d, 96), SUMS_16(d, 112)

#define NAMES_32                                                                                   \
    "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,"   \
    "%25,%26,%27,%28,%29,%30,%31"
#define NAMES_64                                                                                   \
    NAMES_32 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,"   \
             "%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define NAMES_128                                                                                  \
    NAMES_64 ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,"   \
             "%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,"     \
             "%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,"    \
             "%119,%120,%121,%122,%123,%124,%125,%126,%127"

#endif
