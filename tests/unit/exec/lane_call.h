/* lane_call.h - calls the lane function of a form on one set of operand values. */
#ifndef WW_TESTS_EXEC_LANE_CALL_H
#define WW_TESTS_EXEC_LANE_CALL_H

#include "perf/exec/lanes/lanes.h"
#include "values.h"

typedef struct form {
    ww_op op;
    ww_type type, type2;
    ww_sub sub;
    uint32_t mods;
    ww_round round;
} form;

/* Results of all lanes: what they write, and the lanes for which a predicate holds. */
static inline uint32_t call_lanes(form f, uint64_t a, uint64_t b, uint64_t c, uint64_t *written)
{
    ww_operand dst[1] = {ww_type_bytes(f.type) == 8 ? RR(0) : R(0)};
    ww_operand src[4] = {RR(2), RR(4), RR(6), RR(8)};
    unsigned sources = f.op == WW_OP_CVT && f.type == WW_T_F16X2 ? 2 : f.op == WW_OP_CVT ? 1 : 3;
    ww_inst inst = {.op = (uint16_t)f.op,
                    .type = (uint8_t)f.type,
                    .type2 = (uint8_t)f.type2,
                    .sub = (uint8_t)f.sub,
                    .mods = f.mods,
                    .round = (uint8_t)f.round,
                    .dst_count = 1,
                    .src_count = (uint8_t)sources,
                    .dst = dst,
                    .src = src};
    const uint64_t v[3] = {a, b, c};
    uint32_t plane[3][64], d[64] = {0};
    const uint32_t *s[3] = {plane[0], plane[1], plane[2]};
    for (unsigned k = 0; k < 3; k++) {
        for (unsigned i = 0; i < 32; i++) {
            plane[k][i] = (uint32_t)v[k];
            plane[k][i + 32] = (uint32_t)(v[k] >> 32);
        }
    }
    ww_lane_op op = ww__lanes_select()->find(&inst);
    if (op.fn == NULL) {
        fail_msg("no lane function for %s.%s.%s sub %u round %u", ww_op_name(f.op),
                 ww_type_name(f.type), ww_type_name(f.type2), f.sub, f.round);
    }
    const uint32_t holds = op.fn(d, s, op.x);
    *written = op.out_words == 2 ? (uint64_t)d[32] << 32 | d[0] : d[0];
    return holds;
}

/* Result of one lane. */
static inline uint64_t call(form f, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t written;
    (void)call_lanes(f, a, b, c, &written);
    return written;
}

#endif
