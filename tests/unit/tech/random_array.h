/* random_array.h - requests for arrays that nobody would write. */
#ifndef WW_TESTS_TECH_RANDOM_ARRAY_H
#define WW_TESTS_TECH_RANDOM_ARRAY_H

#include "tech/array.h"

static inline uint32_t below(uint64_t *seed, uint32_t n)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (uint32_t)((*seed >> 16) % n);
}

static inline ww_array_spec random_spec(uint64_t *seed)
{
    ww_array_spec s = {.kind = (ww_array_kind)below(seed, WW_ARRAY_KINDS + 1),
                       .bits =
                           (UINT64_C(1) << below(seed, 24)) * (below(seed, 8) + 1) + below(seed, 3),
                       .word_bits = below(seed, 4) > 0 ? 1u << below(seed, 11) : below(seed, 1500),
                       .line_bits = below(seed, 3) > 0 ? 8u << below(seed, 9) : below(seed, 2000),
                       .ways = below(seed, 3) > 0 ? 1u << below(seed, 5) : below(seed, 30),
                       .tag_bits = below(seed, 2) * below(seed, 60),
                       .banks = below(seed, 3) > 0 ? 0 : below(seed, 40),
                       .rw_ports = below(seed, 3),
                       .read_ports = below(seed, 4),
                       .write_ports = below(seed, 3),
                       .search_ports = below(seed, 3),
                       .access = (ww_array_access)below(seed, 3),
                       .style = (ww_array_style)below(seed, 3),
                       .wire = (ww_array_wire)below(seed, 5),
                       .outside_layer = (ww_wire_layer)below(seed, 3),
                       .ecc = below(seed, 2) > 0};
    if (s.kind == WW_ARRAY_CACHE && below(seed, 4) > 0) {
        s.bits = (uint64_t)s.line_bits * (s.ways > 0 ? s.ways : 1) *
                 (UINT64_C(1) << below(seed, 10)) * (s.banks > 0 ? s.banks : 1);
        s.word_bits = 0;
    }
    s.objective.goal = below(seed, 40) > 0 ? (ww_array_goal)below(seed, 2) : WW_GOAL_WEIGHTED;
    s.objective.delay = s.objective.energy = 1;
    return s;
}

#endif
