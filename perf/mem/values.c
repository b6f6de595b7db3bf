/* values.c - bits that switch between successive values of ports, slices, channels and wires. */
#include "perf/mem/values.h"

#include <string.h>

#include "base/arith.h"
#include "base/assert.h"

static ww_bus_coding coding_of(ww_dram_type type)
{
    switch (type) {
    case WW_DRAM_GDDR3:
        return WW_BUS_ZEROS;
    case WW_DRAM_HBM2:
    case WW_DRAM_HBM3:
        return WW_BUS_PLAIN;
    default:
        return WW_BUS_FEW_ZEROS;
    }
}

/* Of a flit's bytes those of data, a power of two: a header beside them has wires of its own. */
static uint32_t data_bytes(uint32_t flit_bytes)
{
    return ww_min_u32(UINT32_C(1) << ww_log2_floor(flit_bytes), WW_VALUE_BYTES);
}

ww_mem_values *ww__values_create(const ww_arch *arch, ww_data data, ww_arena *arena)
{
    ww_mem_values *v = WW_ARENA_NEW_ARRAY(arena, ww_mem_values, 1);
    const uint32_t lanes = arch->mem.bus_bits / 8, slices = ww_arch_slices(arch);
    const uint32_t burst = ww_arch_burst_bytes(arch);
    if (v == NULL) {
        return NULL;
    }
    *v = (ww_mem_values){
        .data = data,
        .flit_bytes = data_bytes(arch->icnt.flit_bytes),
        .burst_bytes = ww_min_u32(burst, WW_VALUE_BYTES),
        .beats = lanes > 0 ? ww_max_u32(burst / lanes, 1) : 1,
        .coding = coding_of(arch->mem.type),
        .request = WW_ARENA_NEW_ARRAY(arena, ww_passed, arch->sm.count),
        .requested = WW_ARENA_NEW_ARRAY(arena, ww_switches, arch->sm.count),
        .reply = WW_ARENA_NEW_ARRAY(arena, ww_passed, slices),
        .read = WW_ARENA_NEW_ARRAY(arena, ww_passed, slices),
        .write = WW_ARENA_NEW_ARRAY(arena, ww_passed, slices),
        .burst = WW_ARENA_NEW_ARRAY(arena, ww_passed, arch->mem.channels),
        .wires = WW_ARENA_NEW_ARRAY(arena, ww_wires, arch->mem.channels),
    };
    const bool all = v->request != NULL && v->requested != NULL && v->reply != NULL &&
                     v->read != NULL && v->write != NULL && v->burst != NULL && v->wires != NULL;
    return all ? v : NULL;
}

static uint64_t replace(unsigned char *last, const unsigned char *bytes, uint32_t n)
{
    uint64_t switched = 0;
    uint32_t i = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t old, new;
        memcpy(&old, last + i, sizeof old);
        memcpy(&new, bytes + i, sizeof new);
        switched += (uint64_t)__builtin_popcountll(old ^ new);
    }
    for (; i < n; i++) {
        switched += (uint64_t)__builtin_popcount((unsigned)(last[i] ^ bytes[i]));
    }
    memcpy(last, bytes, n);
    return switched;
}

ww_switches ww__values_pass(const ww_mem_values *v, ww_passed *place, uint64_t address,
                            uint32_t bytes, uint32_t width)
{
    const unsigned char *at = v->data.at(v->data.user, address, bytes);
    ww_switches sum = {0};
    WW_ASSERT(width > 0 && width <= WW_VALUE_BYTES);
    for (uint32_t done = 0; at != NULL && done < bytes; done += width) {
        const uint32_t n = ww_min_u32(width, bytes - done);
        sum.switched += replace(place->byte, at + done, n);
        sum.compared += 8ull * n;
    }
    return sum;
}

void ww__values_request(ww_mem_values *v, uint32_t sm, const ww_mem_req *req,
                        const ww_charges *charges)
{
    const ww_switches n =
        ww__values_pass(v, &v->request[sm], req->address, req->bytes, v->flit_bytes);
    v->requested[sm].switched += n.switched;
    v->requested[sm].compared += n.compared;
    ww_charge_owner(charges, req->owner, WW_C_SWITCHED_ICNT_REQ, n.switched);
    ww_charge_owner(charges, req->owner, WW_C_COMPARED_ICNT_REQ, n.compared);
}

void ww__values_sync(ww_mem_values *v, uint32_t sm, uint64_t *counters)
{
    if (v == NULL) {
        return;
    }
    counters[WW_C_SWITCHED_ICNT_REQ] += v->requested[sm].switched;
    counters[WW_C_COMPARED_ICNT_REQ] += v->requested[sm].compared;
    v->requested[sm] = (ww_switches){0};
}

uint32_t ww__inversion_zeros(unsigned byte)
{
    const uint32_t zeros = 8 - (uint32_t)__builtin_popcount(byte & 0xffu);
    return zeros > 4 ? 8 - zeros + 1 : zeros;
}

static uint32_t zeros_sent(ww_bus_coding coding, unsigned byte)
{
    return coding == WW_BUS_ZEROS ? 8 - (uint32_t)__builtin_popcount(byte)
                                  : ww__inversion_zeros(byte);
}

static uint64_t bits_between(unsigned char a, unsigned char b)
{
    return (uint64_t)__builtin_popcount((unsigned)(a ^ b));
}

ww_burst_switches ww__values_wires(const ww_mem_values *v, ww_wires *wires, uint64_t address,
                                   uint32_t bytes)
{
    const unsigned char *at = v->data.at(v->data.user, address, bytes);
    ww_burst_switches n = {0};
    if (at == NULL) {
        return n;
    }
    for (uint32_t i = 0; i < bytes; i++) {
        const uint32_t lane = i / v->beats % WW_VALUE_BYTES;
        n.plain.switched += bits_between(wires->lane[lane], at[i]);
        n.pairs.switched += bits_between(wires->before[lane], at[i]);
        wires->before[lane] = wires->lane[lane];
        wires->lane[lane] = at[i];
        n.zeros.switched += v->coding != WW_BUS_PLAIN ? zeros_sent(v->coding, at[i]) : 0;
    }
    n.plain.compared = n.pairs.compared = 8ull * bytes;
    n.zeros.compared = v->coding != WW_BUS_PLAIN ? n.plain.compared : 0;
    return n;
}
