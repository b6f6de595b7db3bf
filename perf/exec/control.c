/* control.c - branches, calls, ends of threads. */
#include <string.h>

#include "perf/exec/code.h"

ww_status ww__run_bra(ww_exec_ctx *x, const ww_uop *u)
{
    return ww__simt_branch(x, x->exec, u->inst->target, u->inst->reconv);
}

/* Targets in the order of the lowest lane that wants them. */
ww_status ww__run_brx(ww_exec_ctx *x, const ww_uop *u)
{
    const ww_inst *inst = u->inst;
    const ww_kernel *kernel = x->env->launch->kernel;
    uint32_t scratch[WW_PAIR_WORDS];
    const uint32_t *index = ww__src(x, &u->src[0], scratch);
    uint32_t target[WW_LANES];
    uint32_t mask[WW_LANES];
    unsigned n = 0;
    for (uint32_t m = x->exec; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        if (index[lane] >= inst->table_count) {
            return ww_fail_at(
                x->err, WW_EKERNEL, kernel->file, (int)inst->line, 0,
                "kernel %s: brx.idx index %u of lane %u is outside its table of %u targets.",
                kernel->name, index[lane], lane, inst->table_count);
        }
        uint32_t to = inst->table[index[lane]];
        unsigned k = 0;
        while (k < n && target[k] != to) {
            k++;
        }
        if (k == n) {
            target[n] = to;
            mask[n++] = 0;
        }
        mask[k] |= 1u << lane;
    }
    if (n == 1) {
        return ww__simt_branch(x, mask[0], target[0], inst->reconv);
    }
    return ww__simt_scatter(x, target, mask, n, inst->reconv);
}

ww_status ww__run_call(ww_exec_ctx *x, const ww_uop *u)
{
    return ww__simt_call(x, u->inst->target);
}

ww_status ww__run_ret(ww_exec_ctx *x, const ww_uop *u)
{
    (void)u;
    ww__simt_return(x);
    return WW_OK;
}

ww_status ww__run_exit(ww_exec_ctx *x, const ww_uop *u)
{
    (void)u;
    ww__simt_exit(x);
    return WW_OK;
}

ww_status ww__run_nop(ww_exec_ctx *x, const ww_uop *u)
{
    (void)x;
    (void)u;
    return WW_OK;
}

void ww__thread_of(const ww_exec_ctx *x, unsigned lane, uint32_t tid[3])
{
    for (unsigned c = 0; c < 3; c++) {
        tid[c] = x->code->tid[(x->warp->index * 3 + c) * WW_LANES + lane];
    }
}

ww_status ww__run_trap(ww_exec_ctx *x, const ww_uop *u)
{
    const ww_kernel *kernel = x->env->launch->kernel;
    const uint32_t *cta = x->warp->cta->id;
    uint32_t tid[3];
    ww__thread_of(x, (unsigned)__builtin_ctz(x->exec), tid);
    return ww_fail_at(x->err, WW_EKERNEL, kernel->file, (int)u->inst->line, 0,
                      "kernel %s: trap by thread (%u,%u,%u) of CTA (%u,%u,%u).", kernel->name,
                      tid[0], tid[1], tid[2], cta[0], cta[1], cta[2]);
}

ww_status ww__run_off_end(ww_exec_ctx *x, const ww_uop *u)
{
    const ww_kernel *kernel = x->env->launch->kernel;
    (void)u;
    return ww_fail_at(x->err, WW_EKERNEL, kernel->file, 0, 0,
                      "kernel %s: ran past its last instruction.", kernel->name);
}
