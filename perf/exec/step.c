/* step.c - the execution of one warp instruction, and of those that only compute. */
#include "perf/exec/straight_run.h"

/* Sources may need the scratch planes: special registers, operand modifiers. */
ww_status ww__run_alu(ww_exec_ctx *x, const ww_uop *u)
{
    _Alignas(64) uint32_t scratch[WW_UOP_SOURCES][WW_PAIR_WORDS];
    _Alignas(64) uint32_t result[WW_PAIR_WORDS];
    const uint32_t *s[WW_UOP_SOURCES];
    for (unsigned k = 0; k < u->src_count; k++) {
        s[k] = ww__src(x, &u->src[k], scratch[k]);
    }
    uint32_t mask = u->fn(result, s, u->pred_is_x ? ww__pred(x, u->pred) : u->x);
    if (u->out_words > 0) {
        ww__dst_write(x, u->dst, result, u->out_words);
    }
    ww__pred_write(x, u->pred_dst, mask);
    return WW_OK;
}

/* All sources are planes in place; a full warp writes its destination directly. */
ww_status ww__run_alu_plain(ww_exec_ctx *x, const ww_uop *u)
{
    _Alignas(64) uint32_t result[WW_PAIR_WORDS];
    const uint32_t *const base[2] = {x->warp->regs, x->code->pool};
    const uint32_t *s[WW_UOP_SOURCES];
    for (unsigned k = 0; k < WW_UOP_SOURCES; k++) {
        s[k] = base[u->src[k].kind] + u->src[k].at;
    }
    bool direct = x->exec == UINT32_MAX && u->dst != WW_NO_REG;
    uint32_t *d = direct ? x->warp->regs + u->dst : result;
    uint32_t mask = u->fn(d, s, u->pred_is_x ? ww__pred(x, u->pred) : u->x);
    if (!direct && u->out_words > 0) {
        ww__dst_write(x, u->dst, result, u->out_words);
    }
    ww__pred_write(x, u->pred_dst, mask);
    return WW_OK;
}

/* What a step has done before it has done anything. */
static WW_ALWAYS_INLINE void begin_step(ww_step *out, const ww_stack_entry *top, uint32_t exec)
{
    out->pc = top->pc;
    out->active = top->mask;
    out->exec = exec;
    out->divergent = false;
    out->taken = false;
    out->pushed = 0;
    out->popped = 0;
    out->exited = false;
    out->wait = false;
    out->again = false;
    out->barrier = false;
    out->is_memory = false;
    out->is_store = false;
    out->is_atomic = false;
    out->folded = false;
    out->neighbours = false;
    out->same = false;
    out->in_lines = false;
    out->space = WW_SPACE_NONE;
    out->lane_bytes = 0;
}

ww_status ww_exec_step(const ww_exec_env *env, ww_warp *warp, ww_step *out, ww_error *err)
{
    const struct ww_exec_code *code = env->launch->code;
    ww_stack_entry *top = &warp->stack[warp->depth - 1];
    const ww_uop *u = &code->uop[top->pc];
    begin_step(out, top, top->mask & (warp->preds[u->guard.reg] ^ u->guard.flip));
    if (u->computes && top->pc + 1 != top->reconv) { /* nothing of the step but its lanes */
        top->pc++;
        if (WW_LIKELY(out->exec != 0)) {
            const ww_sources from = ww__sources_of(code, warp);
            ww__compute(code, warp, &from, u, out->exec);
        }
        return WW_OK;
    }
    ww_exec_ctx x = {env, code, warp, out, err, out->active, out->exec, false};
    if (WW_LIKELY(x.exec != 0)) {
        ww_status status = u->run(&x, u);
        if (WW_UNLIKELY(status != WW_OK)) {
            return status;
        }
        if (u->moves_pc || out->again) {
            return WW_OK;
        }
    }
    ww__simt_advance(&x);
    return WW_OK;
}

void ww_exec_pass(const ww_exec_env *env, ww_warp *warp, ww_step *out)
{
    begin_step(out, &warp->stack[warp->depth - 1], 0);
    ww_exec_ctx x = {env, env->launch->code, warp, out, NULL, out->active, 0, false};
    ww__simt_advance(&x);
}
