/* coalesce.c - a warp's lane addresses become aligned memory segments.
 * Rules: CUDA C Programming Guide, "Global Memory", compute capability 1.2/1.3 (segments shrink)
 * and 2.x (lines). */
#include "perf/mem/warp_lanes.h"

enum { MAX_SEGMENTS = 64 };

/* 4-byte words [first, last] of a segment of up to 64 words. */
static uint64_t word_span(uint32_t first, uint32_t last)
{
    uint32_t count = last - first + 1;
    return (count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1) << first;
}

/* Halves the segment while one half holds every word. */
static void shrink(ww_segment *segment, uint64_t *words, uint32_t min_bytes)
{
    while (segment->bytes > min_bytes) {
        uint32_t half = segment->bytes / 2u;
        uint32_t half_words = half / 4u;
        uint64_t low = word_span(0, half_words - 1);
        if ((*words & ~low) == 0) {
            segment->bytes = (uint16_t)half;
        } else if ((*words & low) == 0) {
            segment->bytes = (uint16_t)half;
            segment->address += half;
            *words >>= half_words;
        } else {
            return;
        }
    }
}

/* The 64-word mask as 32 bits: one bit per word, or per two words of a 256 B segment. */
static uint32_t fold_mask(uint64_t words, uint32_t bytes)
{
    if (bytes <= 128) {
        return (uint32_t)words;
    }
    uint32_t mask = 0;
    for (uint32_t i = 0; i < 32; i++) {
        mask |= (uint32_t)(((words >> (2 * i)) & 3) != 0) << i;
    }
    return mask;
}

/* Any lanes at all: bytes that straddle segments, segments of 256 bytes. */
static unsigned coalesce_any(const uint64_t *address, uint32_t lanes, uint32_t lane_bytes,
                             uint32_t max_bytes, uint32_t min_bytes, ww_segment *out)
{
    uint64_t words[MAX_SEGMENTS];
    unsigned count = 0;
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t first = address[lane];
        uint64_t end = first + lane_bytes;
        while (first < end) {
            uint64_t base = first & ~(uint64_t)(max_bytes - 1);
            uint64_t stop = base + max_bytes < end ? base + max_bytes : end;
            unsigned s = count;
            while (s > 0 &&
                   out[s - 1].address != base) { /* neighbours usually share the last one */
                s--;
            }
            if (s == 0) {
                out[count] = (ww_segment){.address = base, .bytes = (uint16_t)max_bytes};
                words[count] = 0;
                s = ++count;
            }
            out[s - 1].lanes |= UINT32_C(1) << lane;
            words[s - 1] |=
                word_span((uint32_t)(first - base) / 4, (uint32_t)(stop - 1 - base) / 4);
            first = stop;
        }
    }
    for (unsigned s = 0; s < count; s++) {
        shrink(&out[s], &words[s], min_bytes);
        out[s].byte_mask = fold_mask(words[s], out[s].bytes);
    }
    return count;
}

unsigned ww_coalesce(const uint64_t *address, uint32_t lanes, uint32_t lane_bytes,
                     uint32_t max_bytes, uint32_t min_bytes, ww_segment *out)
{
    unsigned count = 0;
    if (lanes != 0 && lane_bytes != 0 && max_bytes <= 128) {
        count = ww__warp_lanes_select()->coalesce(address, lanes, lane_bytes, max_bytes, out);
    }
    if (count == 0) {
        return coalesce_any(address, lanes, lane_bytes, max_bytes, min_bytes, out);
    }
    for (unsigned s = 0; s < count && min_bytes < max_bytes; s++) {
        uint64_t words = out[s].byte_mask;
        shrink(&out[s], &words, min_bytes);
        out[s].byte_mask = (uint32_t)words;
    }
    return count;
}

unsigned ww_coalesce_neighbours(uint64_t first, uint32_t lane_bytes, uint32_t max_bytes,
                                uint32_t min_bytes, ww_segment *out)
{
    const uint32_t shift = (uint32_t)__builtin_ctz(lane_bytes);
    const uint64_t end = first + ((uint64_t)WW_WARP_SIZE << shift);
    unsigned count = 0;
    for (uint64_t from = first; from < end; count++) {
        const uint64_t base = from & ~(uint64_t)(max_bytes - 1);
        const uint64_t to = base + max_bytes < end ? base + max_bytes : end;
        const uint32_t lane = (uint32_t)(from - first) >> shift;
        const uint32_t lanes = (uint32_t)(to - from) >> shift;
        uint64_t words = word_span((uint32_t)(from - base) / 4, (uint32_t)(to - 1 - base) / 4);
        out[count] = (ww_segment){.address = base,
                                  .bytes = (uint16_t)max_bytes,
                                  .lanes = (uint32_t)word_span(lane, lane + lanes - 1)};
        shrink(&out[count], &words, min_bytes);
        out[count].byte_mask = (uint32_t)words;
        from = to;
    }
    return count;
}

unsigned ww_coalesce_stream(const uint64_t *address, uint32_t lanes, uint32_t lane_bytes,
                            uint32_t max_bytes, uint32_t min_bytes, ww_segment *out,
                            uint8_t *closed)
{
    uint64_t words[MAX_SEGMENTS];
    unsigned count = 0, come = 0;
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint64_t first = address[lane], end = first + lane_bytes;
        come++;
        while (first < end) {
            uint64_t base = first & ~(uint64_t)(max_bytes - 1);
            uint64_t stop = base + max_bytes < end ? base + max_bytes : end;
            if (count == 0 || out[count - 1].address != base) {
                out[count] = (ww_segment){.address = base, .bytes = (uint16_t)max_bytes};
                words[count++] = 0;
                if (count > 1) {
                    closed[count - 2] = (uint8_t)come;
                }
            }
            out[count - 1].lanes |= UINT32_C(1) << lane;
            words[count - 1] |=
                word_span((uint32_t)(first - base) / 4, (uint32_t)(stop - 1 - base) / 4);
            first = stop;
        }
    }
    for (unsigned s = 0; s < count; s++) {
        shrink(&out[s], &words[s], min_bytes);
        out[s].byte_mask = fold_mask(words[s], out[s].bytes);
    }
    if (count > 0) {
        closed[count - 1] = (uint8_t)come;
    }
    return count;
}

unsigned ww_address_runs(const uint64_t *address, uint32_t lanes, uint32_t lane_bytes,
                         ww_address_run *out)
{
    unsigned count = 0;
    uint64_t last = 0;
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        bool follows = count > 0 && address[lane] == last + lane_bytes;
        if (!follows && (count == 0 || address[lane] != last)) {
            out[count++] = (ww_address_run){.address = address[lane], .bytes = 0};
        }
        ww_address_run *run = &out[count - 1];
        last = address[lane];
        run->bytes = (uint32_t)(last - run->address) + lane_bytes;
        run->lanes |= UINT32_C(1) << lane;
    }
    return count;
}
