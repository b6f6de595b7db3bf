/* mix.c - whether what was skipped is of the kind that was measured: the shares of the pipelines,
 * of branches and of active lanes, which are known for both. Cf. the basic block vectors of
 * Sherwood et al., Automatically Characterizing Large Scale Program Behavior, ASPLOS 2002. */
#include <math.h>

#include "perf/sampling/sampling.h"

static const ww_counter kinds[] = {WW_C_PIPE_SP,   WW_C_PIPE_DP,     WW_C_PIPE_SFU,
                                   WW_C_PIPE_LDST, WW_C_PIPE_TENSOR, WW_C_BRANCHES};

/* Per warp instruction; the last one: of the lanes that execute, the part that does. */
typedef struct mix {
    double share[WW_ARRAY_LEN(kinds) + 1];
} mix;

static mix mix_of(const uint64_t *v)
{
    mix m = {{0}};
    double inst = (double)v[WW_C_INST_ISSUED];
    for (size_t k = 0; k < WW_ARRAY_LEN(kinds) && inst > 0; k++) {
        m.share[k] = (double)v[kinds[k]] / inst;
    }
    m.share[WW_ARRAY_LEN(kinds)] = inst > 0 ? (double)v[WW_C_INST_THREAD] / (32 * inst) : 0;
    return m;
}

/* Instructions that would have to be exchanged to make one the other; what matters most is what
 * reaches memory, however few, so that its relative difference counts too. */
static double distance(const mix *a, const mix *b)
{
    enum { LDST = 3 };
    static const double SEEN =
        0.01; /* of the instructions: fewer do not decide how long it takes */
    double sum = 0;
    for (size_t k = 0; k < WW_ARRAY_LEN(kinds); k++) {
        sum += fabs(a->share[k] - b->share[k]) / 2;
    }
    double lanes = fabs(a->share[WW_ARRAY_LEN(kinds)] - b->share[WW_ARRAY_LEN(kinds)]);
    double high = fmax(a->share[LDST], b->share[LDST]);
    double low = fmin(a->share[LDST], b->share[LDST]);
    double memory = high > SEEN ? 1 - low / high : 0;
    return fmax(fmax(sum, lanes), memory);
}

double ww_mix_unlike(const ww_sample_window *window, uint32_t count, const uint64_t *v)
{
    uint64_t sum[WW_COUNTER_COUNT] = {0};
    for (uint32_t i = 0; i < count; i++) {
        for (int c = 0; c < WW_COUNTER_COUNT; c++) {
            sum[c] += window[i].v[c];
        }
    }
    mix all = mix_of(sum), gap = mix_of(v);
    double scatter = 0;
    for (uint32_t i = 0; i < count; i++) {
        mix one = mix_of(window[i].v);
        scatter += distance(&one, &all) / count;
    }
    return fmax(0, distance(&gap, &all) - scatter);
}
