/* addrmap.c - address interleaving.
 * Global: chunks of interleave_bytes go round the slices, all channels before a channel's second
 * slice; with hash_channels a fold of the upper bits rotates (or, for a power of two, xors) that
 * order, so that power-of-two strides spread. Within a channel, from the low end: chunk, lower part
 * of the bank (bank_interleave), rest of the row, upper part of the bank, row. With as many banks
 * as there are bank groups a stream alternates between them and is bound by tCCD instead of tCCDL.
 * The upper part is also the stack ID of a bank, so that a stream stays for rows in one.
 * With hash_banks the bank is xored with row bits (permutation-based interleaving: Zhang, Zhu,
 * Zhang, MICRO 2000), so that arrays at equal offsets do not meet in one bank. */
#include "perf/mem/addrmap.h"

static ww_divider divider(uint32_t by)
{
    bool pow2 = (by & (by - 1)) == 0;
    return (ww_divider){.by = by, .shift = pow2 ? (uint32_t)__builtin_ctz(by) : 0, .pow2 = pow2};
}

static inline uint64_t divide(ww_divider d, uint64_t value, uint32_t *rest)
{
    if (d.pow2) {
        *rest = (uint32_t)value & (d.by - 1);
        return value >> d.shift;
    }
    uint64_t quotient = value / d.by;
    *rest = (uint32_t)(value - quotient * d.by);
    return quotient;
}

/* Upper address bits folded to a small number. */
static uint32_t fold(uint64_t value)
{
    value ^= value >> 23;
    value ^= value >> 11;
    value ^= value >> 5;
    return (uint32_t)value & 0x7fffu;
}

static uint32_t rotate(const ww_addrmap *map, uint32_t position, uint64_t upper)
{
    uint32_t n = map->slices.by;
    if (map->slices.pow2) {
        return position ^ (fold(upper) & (n - 1));
    }
    return (position + fold(upper)) % n;
}

static uint32_t rotate_back(const ww_addrmap *map, uint32_t position, uint64_t upper)
{
    uint32_t n = map->slices.by;
    if (map->slices.pow2) {
        return position ^ (fold(upper) & (n - 1));
    }
    return (position + n - fold(upper) % n) % n;
}

ww_status ww__addrmap_init(ww_addrmap *map, const ww_arch *arch, ww_error *err)
{
    const ww_mem_params *mem = &arch->mem;
    uint32_t chunk = mem->interleave_bytes;
    uint32_t widest = arch->ldst.segment_bytes;
    if (arch->l2.bytes != 0 && arch->l2.line_bytes > widest) {
        widest = arch->l2.line_bytes;
    }
    if ((chunk & (chunk - 1)) != 0 || chunk < widest || mem->row_bytes % chunk != 0) {
        return ww_fail(err, WW_ERANGE,
                       "mem.interleave_bytes = %u does not fit: it must be a power of two that "
                       "holds an L2 line and a memory "
                       "segment (%u bytes) and divides mem.row_bytes = %u.",
                       chunk, widest, mem->row_bytes);
    }
    const uint32_t stack_banks = mem->banks / mem->stack_ids;
    uint32_t groups = stack_banks % mem->bank_groups == 0 ? mem->bank_groups : 1;
    if (mem->bank_interleave == 0 || mem->banks % mem->bank_interleave != 0) {
        return ww_fail(err, WW_ERANGE, "mem.bank_interleave = %u does not divide mem.banks = %u.",
                       mem->bank_interleave, mem->banks);
    }
    *map = (ww_addrmap){
        .slices = divider(ww_arch_slices(arch)),
        .chunks_per_row = divider(mem->row_bytes / chunk),
        .groups = divider(groups),
        .stack_banks = divider(stack_banks),
        .round = divider(mem->bank_interleave),
        .rounds = divider(mem->banks / mem->bank_interleave),
        .chunk_shift = (uint32_t)__builtin_ctz(chunk),
        .channels = mem->channels,
        .slices_per_channel = mem->slices,
        .banks = mem->banks,
        .hash = mem->hash_channels,
        .hash_banks = mem->hash_banks,
    };
    return WW_OK;
}

ww_slice_address ww__addrmap_slice(const ww_addrmap *map, uint64_t address)
{
    uint32_t position;
    uint64_t upper = divide(map->slices, address >> map->chunk_shift, &position);
    if (map->hash) {
        position = rotate(map, position, upper);
    }
    uint64_t offset = address & ((UINT64_C(1) << map->chunk_shift) - 1);
    return (ww_slice_address){
        .slice = position % map->channels * map->slices_per_channel + position / map->channels,
        .local = upper << map->chunk_shift | offset,
    };
}

uint64_t ww__addrmap_global(const ww_addrmap *map, uint32_t slice, uint64_t local)
{
    uint64_t upper = local >> map->chunk_shift;
    uint32_t position =
        slice % map->slices_per_channel * map->channels + slice / map->slices_per_channel;
    if (map->hash) {
        position = rotate_back(map, position, upper);
    }
    uint64_t offset = local & ((UINT64_C(1) << map->chunk_shift) - 1);
    return (upper * map->slices.by + position) << map->chunk_shift | offset;
}

ww_dram_address ww__addrmap_dram(const ww_addrmap *map, uint32_t slice, uint64_t local)
{
    uint32_t chunk, low, high;
    uint64_t rest =
        (local >> map->chunk_shift) * map->slices_per_channel + slice % map->slices_per_channel;
    rest = divide(map->round, rest, &low);
    rest = divide(map->chunks_per_row, rest, &chunk);
    rest = divide(map->rounds, rest, &high);
    uint32_t bank = high * map->round.by + low;
    if (map->hash_banks && (map->banks & (map->banks - 1)) == 0) {
        bank ^= (uint32_t)rest & (map->banks - 1);
    }
    uint32_t offset = (uint32_t)(local & ((UINT64_C(1) << map->chunk_shift) - 1));
    uint32_t of_stack, of_round;
    const uint32_t stack = (uint32_t)divide(map->stack_banks, bank, &of_stack);
    divide(map->groups, of_stack, &of_round);
    return (ww_dram_address){
        .bank = bank,
        .group = stack * map->groups.by + of_round,
        .row = (uint32_t)rest,
        .column = chunk << map->chunk_shift | offset,
    };
}
