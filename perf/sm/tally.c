/* tally.c - the counters that follow from how often each instruction was executed, without time. */
#include "perf/sm/sm.h"

ww_counter ww_pipe_counter(unsigned pipe)
{
    static const ww_counter table[WW_PIPE_KINDS] = {
        [WW_UNIT_SP] = WW_C_PIPE_SP,         [WW_UNIT_DP] = WW_C_PIPE_DP,
        [WW_UNIT_SFU] = WW_C_PIPE_SFU,       [WW_UNIT_LDST] = WW_C_PIPE_LDST,
        [WW_UNIT_TENSOR] = WW_C_PIPE_TENSOR, [WW_UNIT_CTRL] = WW_COUNTER_COUNT,
        [WW_PIPE_INT] = WW_C_PIPE_SP,        [WW_PIPE_IMUL] = WW_C_PIPE_SP,
    };
    return table[pipe];
}

static void tally_op(const ww_sm_op *op, const ww_pc_count *n, uint64_t *v)
{
    v[WW_C_INST_ISSUED] += n->issued;
    v[WW_C_INST_THREAD] += n->lanes;
    v[WW_C_INST_PROGRAM] += n->lanes;
    v[WW_C_INST_LANES] += n->scheduled;
    v[op->thread_class] += n->scheduled;
    v[WW_C_STACK_READ] += n->issued;
    v[WW_C_WARP_STATUS_READ] += n->issued;
    if ((op->flags & WW_SM_OP_BRANCH) != 0) {
        v[WW_C_BRANCHES] += n->issued;
    }
    if (op->unit != WW_UNIT_CTRL) {
        v[ww_pipe_counter(op->unit)] += n->active;
        if (op->event != WW_COUNTER_COUNT) {
            v[op->event] += n->lanes * op->lane_work;
        }
    }
}

void ww_profile_tally(const ww_program *program, uint32_t place, const ww_pc_count *pc,
                      ww_profile_count *row)
{
    const ww_pc_count *n = &pc[ww_program_inst(program, place)];
    ww_counter_block all = {0};
    row->v[WW_LINE_WARP_INST] += n->issued;
    row->v[WW_LINE_THREAD_INST] += n->lanes;
    if (n->issued == 0) {
        return;
    }
    tally_op(&program->uop[place], n, all.v);
    for (int c = 0; c < WW_SM_CHARGES; c++) {
        row->charged[c] += all.v[WW_CHARGE_FIRST + c];
    }
}

void ww_program_tally(const ww_program *program, const ww_functional_stats *stats, uint64_t *v)
{
    for (uint32_t pc = 0; pc < program->count; pc++) {
        tally_op(&program->uop[pc], &stats->pc[ww_program_inst(program, pc)], v);
    }
    v[WW_C_STACK_PUSH] += stats->pushed + stats->warps; /* the first entry of each warp */
    v[WW_C_STACK_POP] += stats->popped;
    v[WW_C_BRANCHES_DIVERGENT] += stats->divergent;
    v[WW_C_CTAS] += stats->ctas;
    v[WW_C_WARPS] += stats->warps;
}
