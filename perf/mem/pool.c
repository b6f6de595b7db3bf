/* pool.c - how many requests may be in flight: enough for every queue to be full; where MSHR lists
 * make that absurd, the pool is one more bound that stops injection. */
#include "arch/mesh.h"
#include "base/arith.h"
#include "perf/mem/mesh.h"
#include "perf/mem/packet.h"

uint32_t ww__pool_capacity(const ww_arch *arch)
{
    enum { LEAST = 1024, MOST = 1 << 17, WAITERS = 2048 };
    bool mesh = arch->icnt.topology == WW_ICNT_MESH;
    uint64_t last_hop = mesh ? ww__mesh_hop(&arch->icnt) : arch->icnt.latency;
    uint64_t port = (uint64_t)arch->icnt.input_packets + arch->icnt.output_packets + last_hop;
    uint64_t waiters = (uint64_t)arch->l2.mshr_entries * arch->l2.mshr_merge;
    uint64_t slice = port + arch->mem.rop_latency + 2 + ww_min_u64(waiters, WAITERS) +
                     arch->l2.hit_latency + arch->icnt.output_packets;
    uint64_t all = arch->sm.count * port + ww_arch_slices(arch) * slice;
    if (mesh) { /* buffers of the routers of both networks */
        uint64_t routers = 2ull * (ww_mesh_sm_tiles(arch) + arch->mem.channels);
        all += 2 * routers * 4 * arch->icnt.virtual_channels * arch->icnt.vc_flits;
    }
    if (arch->peer.sector_requests) {
        all *= 1 + arch->l2.line_bytes / arch->l2.sector_bytes;
    }
    return (uint32_t)ww_min_u64(ww_max_u64(all, LEAST), MOST);
}
