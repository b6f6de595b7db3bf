/* independent.c - whether the CTAs of a kernel can tell in which order they run. Atomic operations
 * on global memory, fences and volatile or ordered accesses are how CTAs talk to each other; clocks
 * show how far others are; the heap, printf and launches by kernels are shared. Without any of
 * these the order shows only to kernels with data races, whose results CUDA leaves open. */
#include "perf/exec/code.h"

static bool reads_clock(const ww_inst *inst)
{
    for (uint32_t k = 0; k < inst->src_count; k++) {
        const ww_operand *o = &inst->src[k];
        if (o->kind == WW_OPD_SREG &&
            ((o->reg >= WW_SREG_CLOCK && o->reg <= WW_SREG_GLOBALTIMER_HI) ||
             o->reg == WW_SREG_ENVREG1 || o->reg == WW_SREG_ENVREG2)) {
            return true;
        }
    }
    return false;
}

static bool talks(const ww_inst *inst)
{
    bool own = inst->space == WW_SPACE_SHARED || inst->space == WW_SPACE_LOCAL ||
               inst->space == WW_SPACE_PARAM;
    switch ((ww_op)inst->op) {
    case WW_OP_MEMBAR:
        return inst->sub != WW_SUB_CTA;
    case WW_OP_ATOM:
    case WW_OP_RED:
    case WW_OP_CP_REDUCE:
        return !own;
    case WW_OP_SURED:
    case WW_OP_TRAP:
        return true;
    case WW_OP_LD:
    case WW_OP_ST:
        return !own && (inst->mods & (WW_MOD_VOLATILE | WW_MOD_ORDERED | WW_MOD_CACHE_CV)) != 0;
    default:
        return ww_inst_is_builtin(inst);
    }
}

bool ww__ctas_independent(const ww_kernel *kernel)
{
    for (uint32_t k = 0; k < kernel->code_count; k++) {
        if (talks(&kernel->code[k]) || reads_clock(&kernel->code[k])) {
            return false;
        }
    }
    return true;
}
