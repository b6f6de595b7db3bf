/* explain.c - what each live warp waits for, for deadlock reports. */
#include "perf/sm/sm_state.h"

#include <stdio.h>

static const char *reason_text(const ww_sm *sm, uint32_t w)
{
    if ((sm->at_fence & ww_bit(w)) != 0) {
        return "fence: memory operations outstanding";
    }
    if ((sm->const_wait & ww_bit(w)) != 0) {
        return "constant-cache line";
    }
    switch (ww_sm_warp_stall(sm, w)) {
    case WW_STALL_LSU:
        return "load/store unit";
    case WW_STALL_SP:
        return "SP pipeline";
    case WW_STALL_SFU:
        return "SFU pipeline";
    case WW_STALL_RAW_SHORT:
        return "arithmetic result";
    case WW_STALL_RAW_LONG:
        return "memory result";
    case WW_STALL_IBUF:
        return "instruction fetch";
    case WW_STALL_BARRIER:
        return "barrier";
    case WW_STALL_IDLE:
    case WW_STALL_COUNT:
        break;
    }
    return "nothing";
}

unsigned ww_sm_explain(const ww_sm *sm, char *buf, size_t size)
{
    unsigned count = 0;
    size_t used = 0;
    for (uint64_t m = sm->live; m != 0; m &= m - 1) {
        uint32_t w = (uint32_t)__builtin_ctzll(m);
        const ww_cta *cta = sm->warp[w]->cta;
        uint32_t pc = ww_warp_pc(sm->warp[w]);
        uint32_t line = pc < sm->program->count ? sm->program->uop[pc].line : 0;
        count++;
        if (used >= size) {
            continue;
        }
        int n = snprintf(buf + used, size - used,
                         "\n  SM %u warp %u (CTA %u,%u,%u warp %u) at PTX line %u: %s", sm->id, w,
                         cta->id[0], cta->id[1], cta->id[2], sm->warp[w]->index, line,
                         reason_text(sm, w));
        if (n < 0 || (size_t)n >= size - used) {
            buf[used] = '\0'; /* only whole lines */
            used = size;
        } else {
            used += (size_t)n;
        }
    }
    return count;
}
