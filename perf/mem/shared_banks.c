/* shared_banks.c - how many cycles a warp's shared-memory access occupies the banks.
 * Rules: CUDA C Programming Guide, "Shared Memory", compute capability 1.x (16 banks) and 2.x (32
 * banks): lanes that touch the same word are served by one broadcast; 64-bit accesses go by
 * half-warps, 128-bit ones by quarter-warps. From compute capability 7.0 on, loads that give pairs
 * of lanes the same words return two registers per cycle (NVIDIA developer forum, "Unexpected
 * shared memory bank conflict", 2019). */
#include <string.h>

#include "perf/mem/warp_lanes.h"

enum { MAX_BANKS = 64, MAX_GROUP_WORDS = 64 };

/* Distinct words of one group of lanes, chained per bank. */
typedef struct group_words {
    uint32_t word[MAX_GROUP_WORDS];
    uint8_t next[MAX_GROUP_WORDS];
    uint8_t head[MAX_BANKS]; /* 1 + index into word[], 0: none */
    uint8_t degree[MAX_BANKS];
    uint32_t count;
    uint32_t worst;
} group_words;

static bool is_pow2(uint32_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

static void add_word(group_words *group, uint32_t word, uint32_t banks)
{
    uint32_t bank = (banks & (banks - 1)) == 0 ? word & (banks - 1) : word % banks;
    for (uint32_t i = group->head[bank]; i != 0; i = group->next[i - 1]) {
        if (group->word[i - 1] == word) {
            return; /* broadcast */
        }
    }
    group->word[group->count] = word;
    group->next[group->count] = group->head[bank];
    group->head[bank] = (uint8_t)(++group->count);
    if (++group->degree[bank] > group->worst) {
        group->worst = group->degree[bank];
    }
}

/* Cycles and words of one group of lanes, whatever their offsets. */
static uint32_t serve_words(const uint32_t *offset, uint32_t active, uint32_t lane_bytes,
                            uint32_t banks, uint32_t *words)
{
    group_words group;
    memset(group.head, 0, sizeof(group.head));
    memset(group.degree, 0, sizeof(group.degree));
    group.count = 0;
    group.worst = 0;
    for (; active != 0; active &= active - 1) {
        uint32_t first = offset[__builtin_ctz(active)];
        for (uint32_t w = first / 4; w <= (first + lane_bytes - 1) / 4; w++) {
            add_word(&group, w, banks);
        }
    }
    *words = group.count;
    return group.worst;
}

/* The same of a group whose lanes' bytes are whole items, of a word or several, that do not
 * straddle: then so many banks are as one. */
static uint32_t serve_items(const uint32_t *offset, uint32_t active, uint32_t lane_bytes,
                            uint32_t banks, uint32_t *words)
{
    uint32_t item_words = lane_bytes <= 4 ? 1 : lane_bytes / 4;
    uint32_t shift = 2 + (uint32_t)__builtin_ctz(item_words);
    uint32_t items;
    uint32_t degree = ww__warp_lanes_select()->bank_degree(offset, active, shift, lane_bytes - 1,
                                                           banks / item_words, &items);
    *words = items * item_words;
    return degree;
}

/* As ww_shared_conflicts, the warp divided into `parts` groups. */
static unsigned count_cycles(const uint32_t *offset, uint32_t lanes, uint32_t lane_bytes,
                             uint32_t banks, uint32_t parts, uint32_t *words)
{
    if (parts == 1 && lane_bytes == 4 && banks == 32 && lanes != 0) { /* the commonest */
        const uint32_t degree = serve_items(offset, lanes, 4, 32, words);
        if (degree != 0) {
            return degree;
        }
    }
    uint32_t part_lanes = WW_WARP_SIZE / parts;
    uint32_t part_mask = parts == 1 ? UINT32_MAX : (UINT32_C(1) << part_lanes) - 1;
    bool items = is_pow2(lane_bytes) && lane_bytes <= 16 && is_pow2(banks) && banks <= 32 &&
                 4 * banks >= lane_bytes;
    uint32_t total = 0;
    unsigned cycles = 0;
    for (uint32_t part = 0; part < parts; part++) {
        uint32_t active = lanes & (part_mask << (part * part_lanes));
        uint32_t count = 0, degree = 0;
        if (active != 0 && items) {
            degree = serve_items(offset, active, lane_bytes, banks, &count);
        }
        if (active != 0 && degree == 0) {
            degree = serve_words(offset, active, lane_bytes, banks, &count);
        }
        total += count;
        cycles += degree;
    }
    *words = total;
    return cycles;
}

void ww_shared_offsets(const uint64_t *address, uint32_t lanes, uint32_t *offset)
{
    ww__warp_lanes_select()->offsets(address, lanes, offset);
}

static uint32_t parts_of(uint32_t lane_bytes)
{
    return lane_bytes <= 4 ? 1 : lane_bytes <= 8 ? 2 : 4;
}

unsigned ww_shared_conflicts(const uint32_t *offset, uint32_t lanes, uint32_t lane_bytes,
                             uint32_t banks, uint32_t *words)
{
    return count_cycles(offset, lanes, lane_bytes, banks, parts_of(lane_bytes), words);
}

unsigned ww_shared_lines(const uint32_t line[2], uint32_t step, uint32_t banks, uint32_t *words)
{
    enum { HALF = WW_WARP_SIZE / 2, BANKS = WW_WARP_SIZE };
    if (banks != BANKS || step > 4) {
        uint32_t offset[WW_WARP_SIZE];
        for (uint32_t i = 0; i < WW_WARP_SIZE; i++) {
            offset[i] = line[i / HALF] + i % HALF * step;
        }
        return ww_shared_conflicts(offset, UINT32_MAX, 4, banks, words);
    }
    const uint32_t length = step == 0 ? 1 : HALF; /* words of a line */
    const uint32_t first = line[0] / 4, second = line[1] / 4;
    const uint32_t apart = first < second ? second - first : first - second;
    *words = length + (apart < length ? apart : length);
    const uint32_t beside = apart % BANKS; /* banks from one line to the other */
    return apart < length || (beside >= length && beside <= BANKS - length) ? 1 : 2;
}

/* True when all active lanes i and i ^ apart have the same address. */
static bool paired(const uint32_t *offset, uint32_t lanes, uint32_t apart)
{
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), other = lane ^ apart;
        if ((lanes >> other & 1) != 0 && offset[lane] != offset[other]) {
            return false;
        }
    }
    return true;
}

unsigned ww_shared_load_conflicts(const uint32_t *offset, uint32_t lanes, uint32_t lane_bytes,
                                  uint32_t banks, uint32_t *words)
{
    uint32_t parts = parts_of(lane_bytes);
    if (parts > 1 && (paired(offset, lanes, 1) || paired(offset, lanes, 2))) {
        parts /= 2;
    }
    return count_cycles(offset, lanes, lane_bytes, banks, parts, words);
}
