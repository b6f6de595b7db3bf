/* warp_lanes.c - segments and bank conflicts of a warp's addresses: loops over its 32 lanes without
 * branches, which the compiler turns into vector code. Lanes that do not take part count as further
 * copies of the first that does, which changes neither segments nor conflicts. */
#include "perf/mem/warp_lanes.h"

#define LANES_CAT2(a, b) a##b
#define LANES_CAT(a, b)  LANES_CAT2(a, b)
#define LANES_TEXT2(a)   #a
#define LANES_TEXT(a)    LANES_TEXT2(a)

#define EACH_LANE for (uint32_t i = 0; i < WW_WARP_SIZE; i++)

/* Where a lane's bytes are: its segment, by number from that of the first lane, and its words. */
typedef struct segment_lanes {
    uint32_t segment[WW_WARP_SIZE];
    uint32_t words[WW_WARP_SIZE];
} segment_lanes;

/* False: some lane is not to be had so. */
static WW_ALWAYS_INLINE bool find_segments(const uint64_t *address, uint32_t lanes,
                                           uint32_t lane_bytes, uint32_t max_bytes,
                                           segment_lanes *at)
{
    uint64_t first = address[__builtin_ctz(lanes)];
    uint32_t shift = (uint32_t)__builtin_ctz(max_bytes);
    uint32_t count = (lane_bytes + 3) / 4, slack = 4 * count - lane_bytes;
    uint32_t span = count >= 32 ? UINT32_MAX : (UINT32_C(1) << count) - 1;
    uint64_t base = (first >> shift) - (UINT64_C(1) << 31);
    uint32_t far = 0, wrong = 0;
    uint32_t low[WW_WARP_SIZE];
    EACH_LANE
    {
        uint64_t a = (lanes >> i & 1) != 0 ? address[i] : first;
        uint64_t number = (a >> shift) - base;
        at->segment[i] = (uint32_t)number;
        far |= (uint32_t)(number >> 32);
        low[i] = (uint32_t)a & (max_bytes - 1);
    }
    EACH_LANE
    {
        wrong |= (uint32_t)((low[i] & 3) > slack) | (uint32_t)(low[i] + lane_bytes > max_bytes);
        at->words[i] = span << (low[i] / 4);
    }
    return (far | wrong) == 0;
}

static WW_ALWAYS_INLINE unsigned segments_of(const uint64_t *address, const uint32_t lanes,
                                             uint32_t lane_bytes, uint32_t max_bytes,
                                             ww_segment *out)
{
    segment_lanes at;
    unsigned count = 0;
    if (!find_segments(address, lanes, lane_bytes, max_bytes, &at)) {
        return 0;
    }
    for (uint32_t left = lanes; left != 0; count++) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), segment = at.segment[lane];
        uint32_t served = 0, words = 0;
        EACH_LANE
        {
            uint32_t same = at.segment[i] == segment ? UINT32_MAX : 0;
            served |= same & UINT32_C(1) << i;
            words |= same & at.words[i];
        }
        out[count] = (ww_segment){.address = address[lane] & ~(uint64_t)(max_bytes - 1),
                                  .bytes = (uint16_t)max_bytes,
                                  .lanes = served & lanes,
                                  .byte_mask = words};
        left &= ~served;
    }
    return count;
}

static unsigned coalesce(const uint64_t *address, uint32_t lanes, uint32_t lane_bytes,
                         uint32_t max_bytes, ww_segment *out)
{
    return lanes == UINT32_MAX ? segments_of(address, UINT32_MAX, lane_bytes, max_bytes, out)
                               : segments_of(address, lanes, lane_bytes, max_bytes, out);
}

/* Different items one after the other, counted by bank. */
static uint32_t count_items(const uint32_t *item, uint32_t lanes, uint32_t banks, uint32_t *items)
{
    uint8_t degree[32] = {0};
    uint32_t worst = 0, count = 0;
    for (uint32_t left = lanes; left != 0; count++) {
        uint32_t wanted = item[__builtin_ctz(left)], served = 0;
        EACH_LANE
        {
            served |= item[i] == wanted ? UINT32_C(1) << i : 0;
        }
        left &= ~served;
        uint32_t n = ++degree[wanted & (banks - 1)];
        worst = n > worst ? n : worst;
    }
    *items = count;
    return worst;
}

/* lanes: a constant at calls for full warps, which then select nothing. */
static WW_ALWAYS_INLINE uint32_t degree_of(const uint32_t *offset, const uint32_t lanes,
                                           uint32_t shift, uint32_t odd, uint32_t banks,
                                           uint32_t *items)
{
    uint32_t first = offset[__builtin_ctz(lanes)];
    uint32_t item[WW_WARP_SIZE];
    uint32_t lowest = UINT32_MAX, highest = 0, asked = 0, bits = 0;
    EACH_LANE
    {
        uint32_t at = (lanes >> i & 1) != 0 ? offset[i] : first;
        bits |= at;
        at >>= shift;
        item[i] = at;
        lowest = at < lowest ? at : lowest;
        highest = at > highest ? at : highest;
        asked |= UINT32_C(1) << (at & (banks - 1));
    }
    if ((bits & odd) != 0) {
        return 0;
    }
    /* Items that fit side by side into the banks, or of which each has a bank to itself. */
    uint32_t count = (uint32_t)__builtin_popcount(asked);
    if (highest - lowest < banks || count == (uint32_t)__builtin_popcount(lanes)) {
        *items = count;
        return 1;
    }
    return count_items(item, lanes, banks, items);
}

static uint32_t bank_degree(const uint32_t *offset, uint32_t lanes, uint32_t shift, uint32_t odd,
                            uint32_t banks, uint32_t *items)
{
    return lanes == UINT32_MAX ? degree_of(offset, UINT32_MAX, shift, odd, banks, items)
                               : degree_of(offset, lanes, shift, odd, banks, items);
}

static WW_ALWAYS_INLINE void low_halves(const uint64_t *address, const uint32_t lanes,
                                        uint32_t *offset)
{
    EACH_LANE
    {
        offset[i] = (lanes >> i & 1) != 0 ? (uint32_t)address[i] : 0;
    }
}

static void offsets(const uint64_t *address, uint32_t lanes, uint32_t *offset)
{
    if (lanes == UINT32_MAX) {
        low_halves(address, UINT32_MAX, offset);
    } else {
        low_halves(address, lanes, offset);
    }
}

const ww_warp_lanes LANES_CAT(ww__warp_lanes, WW_LANES_SUFFIX) = {
    .name = &LANES_TEXT(WW_LANES_SUFFIX)[1],
    .coalesce = coalesce,
    .bank_degree = bank_degree,
    .offsets = offsets,
};
