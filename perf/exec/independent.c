/* independent.c - whether the CTAs of a kernel can tell in which order they run. Atomic operations
 * on global memory, fences and volatile or ordered accesses are how CTAs talk to each other; clocks
 * show how far others are; the heap, printf and launches by kernels are shared. Without any of
 * these the order shows only to kernels with data races, whose results CUDA leaves open. */
#include "perf/exec/code.h"

static bool talks(const ww_inst *inst)
{
    const ww_effects e = ww_inst_effects(inst);
    return (e.meets & (WW_MEETS_CLUSTER | WW_MEETS_GRID)) != 0 || e.goes == WW_GOES_ABORTS ||
           (e.reads & WW_AT_CLOCK) != 0 || ((e.reads | e.writes) & WW_AT_DEPENDENTS) != 0;
}

/* The workspace of grid-wide barriers. */
static bool finds_others(const ww_inst *inst)
{
    for (uint32_t k = 0; k < inst->src_count; k++) {
        const ww_operand *o = &inst->src[k];
        if (o->kind == WW_OPD_SREG && (o->reg == WW_SREG_ENVREG1 || o->reg == WW_SREG_ENVREG2)) {
            return true;
        }
    }
    return false;
}

bool ww__ctas_independent(const ww_kernel *kernel)
{
    for (uint32_t k = 0; k < kernel->code_count; k++) {
        if (talks(&kernel->code[k]) || finds_others(&kernel->code[k])) {
            return false;
        }
    }
    return true;
}
