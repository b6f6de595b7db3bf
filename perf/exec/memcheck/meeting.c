/* meeting.c - do those come that an instruction waits for? What lanes do together names them by a
 * mask, which is undefined when it is of others (PTX manual, "shfl.sync", "bar.warp.sync"); a CTA's
 * barrier takes warps whole ("barrier": aligned forms, and a count that is a multiple of the warp).
 */
#include "perf/exec/memcheck/shadow.h"

/* Which source of the instruction is the mask. */
static unsigned mask_source(ww_op op)
{
    return op == WW_OP_SHFL ? 3 : op == WW_OP_MATCH || op == WW_OP_REDUX ? 1 : 0;
}

ww_status ww__checked_members(ww_exec_ctx *x, const ww_uop *u)
{
    ww_op op = (ww_op)u->inst->op;
    unsigned k = mask_source(op);
    bool old = (op == WW_OP_SHFL || op == WW_OP_VOTE) && (u->inst->mods & WW_MOD_SYNC) == 0;
    if (old || u->src_count <= k || x->exec == 0) {
        return ww__shadow_run_inner(x, u);
    }
    uint32_t scratch[WW_PAIR_WORDS];
    const uint32_t *mask = ww__src(x, &u->src[k], scratch);
    uint32_t unnamed = 0, of_unnamed = 0;
    uint32_t left = x->exec;
    while (left != 0) { /* once for each mask that differs: tiles of a warp have their own */
        uint32_t named = mask[__builtin_ctz(left)];
        uint32_t gone = named & ~x->warp->live, elsewhere = named & x->warp->live & ~x->exec;
        for (uint32_t m = left; m != 0; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);
            if (mask[lane] == named) {
                left &= ~(1u << lane);
                if ((named >> lane & 1) == 0) {
                    unnamed |= 1u << lane;
                    of_unnamed = named;
                }
            }
        }
        if (gone != 0) {
            ww__memcheck_meeting(x, u, WW_MEETING_GONE, named, gone);
        }
        if (elsewhere != 0) {
            ww__memcheck_meeting(x, u, WW_MEETING_ELSEWHERE, named, elsewhere);
        }
    }
    if (unnamed != 0) {
        ww__memcheck_meeting(x, u, WW_MEETING_UNNAMED, of_unnamed, unnamed);
    }
    return ww__shadow_run_inner(x, u);
}

void ww__shadow_check_barrier(const ww_exec_ctx *x, const ww_uop *u)
{
    if (x->exec == 0 || u->inst->sub == WW_SUB_ARRIVE_CLUSTER) {
        return;
    }
    uint32_t elsewhere = x->warp->live & ~x->exec;
    if (elsewhere != 0) {
        ww__memcheck_meeting(x, u, WW_MEETING_DIVERGED, 0, elsewhere);
    }
    if (u->src_count > 1) {
        uint32_t threads = ww__src_uniform(x, &u->src[1]);
        if (threads % WW_LANES != 0) {
            ww__memcheck_meeting(x, u, WW_MEETING_COUNT, threads, 0);
        }
    }
}
