/* control.c - branches, calls, ends of threads. */
#include <string.h>

#include "perf/exec/code.h"

ww_status ww__run_bra(ww_exec_ctx *x, const ww_uop *u)
{
    return ww__simt_branch(x, x->exec, u->inst->target, u->inst->reconv);
}

/* Lanes by target, in the order of the lowest lane that wants it. */
typedef struct target_groups {
    uint32_t target[WW_LANES];
    uint32_t mask[WW_LANES];
    unsigned count;
} target_groups;

static void join_group(target_groups *g, uint32_t target, unsigned lane)
{
    unsigned k = 0;
    while (k < g->count && g->target[k] != target) {
        k++;
    }
    if (k == g->count) {
        g->target[k] = target;
        g->mask[k] = 0;
        g->count++;
    }
    g->mask[k] |= 1u << lane;
}

ww_status ww__run_brx(ww_exec_ctx *x, const ww_uop *u)
{
    const ww_inst *inst = u->inst;
    const ww_kernel *kernel = x->env->launch->kernel;
    uint32_t scratch[WW_PAIR_WORDS];
    const uint32_t *index = ww__src(x, &u->src[0], scratch);
    target_groups g = {.count = 0};
    for (uint32_t m = x->exec; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        if (index[lane] >= inst->table_count) {
            return ww_fail_at(
                x->err, WW_EKERNEL, kernel->file, (int)inst->line, 0,
                "kernel %s: brx.idx index %u of lane %u is outside its table of %u targets.",
                kernel->name, index[lane], lane, inst->table_count);
        }
        join_group(&g, inst->table[index[lane]], lane);
    }
    if (g.count == 1) {
        return ww__simt_branch(x, g.mask[0], g.target[0], inst->reconv);
    }
    return ww__simt_scatter(x, g.target, g.mask, g.count, inst->reconv);
}

/* Entry of the function at an address; NULL: there is none. */
static const ww_entry *find_entry(const ww_kernel *kernel, uint64_t address)
{
    uint32_t low = 0;
    uint32_t high = kernel->entry_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (kernel->entry[middle].address < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < kernel->entry_count && kernel->entry[low].address == address ? &kernel->entry[low]
                                                                              : NULL;
}

ww_status ww__run_call_indirect(ww_exec_ctx *x, const ww_uop *u)
{
    const ww_kernel *kernel = x->env->launch->kernel;
    uint32_t scratch[WW_PAIR_WORDS];
    const uint32_t *planes = ww__src(x, &u->src[0], scratch);
    target_groups g = {.count = 0};
    for (uint32_t m = x->exec; m != 0; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint64_t address = (uint64_t)planes[lane + WW_LANES] << 32 | planes[lane];
        const ww_entry *entry = find_entry(kernel, address);
        if (entry == NULL) {
            const uint32_t *cta = x->warp->cta->id;
            uint32_t tid[3];
            ww__thread_of(x, lane, tid);
            return ww_fail_at(
                x->err, WW_EFAULT, kernel->file, (int)u->inst->line, 0,
                "kernel %s: call of 0x%llx, which is no function, by thread (%u,%u,%u) "
                "of CTA (%u,%u,%u).",
                kernel->name, (unsigned long long)address, tid[0], tid[1], tid[2], cta[0], cta[1],
                cta[2]);
        }
        join_group(&g, entry->pc, lane);
    }
    return ww__simt_call_each(x, g.target, g.mask, g.count);
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
