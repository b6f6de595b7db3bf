/* straight.c - runs of instructions that only compute and touch memory, executed one after the
 * other without time. Such an instruction cannot move the pc, wait, or end the warp, so that within
 * a run the stack's top stays as it is: the run ends at the latest where its entry reconverges.
 * What ww_exec_step reports of every instruction nobody asks for here, and counting is done for all
 * at once. */
#include "perf/exec/straight.h"

/* Handlers of instructions that a run may hold: they look at nothing of ww_step but what they write
 * there themselves, and leave the warp's stack and barriers alone. */
static bool is_straight(const ww_uop *u)
{
    static ww_uop_run *const handlers[] = {
        ww__run_alu,
        ww__run_alu_plain,
        ww__run_setp,
        ww__run_set,
        ww__run_pred_logic,
        ww__run_pred_move,
        ww__run_vector_move,
        ww__run_ld,
        ww__run_st,
        ww__run_atom,
        ww__run_vote,
        ww__run_shfl,
        ww__run_match,
        ww__run_redux,
        ww__run_activemask,
        ww__run_nop,
        ww__run_tex,
        ww__run_matrix_load,
        ww__run_matrix_multiply,
        ww__run_matrix_store,
    };
    for (unsigned k = 0; k < WW_ARRAY_LEN(handlers); k++) {
        if (u->run == handlers[k]) {
            return true;
        }
    }
    return false;
}

/* Only computes, from registers and constants as they are, into one register or predicate. */
static bool only_computes(const ww_uop *u)
{
    bool compares = u->run == ww__run_setp && u->inst->bool_op == WW_BOOL_NONE &&
                    u->pred_dst != WW_NO_REG && u->pred_dst2 == WW_NO_REG;
    bool plain = u->run == ww__run_alu_plain || compares;
    for (unsigned k = 0; plain && k < u->src_count; k++) {
        plain = u->src[k].kind <= WW_SRC_POOL && u->src[k].flags == 0;
    }
    return plain && (u->out_words == 0 || u->dst != WW_NO_REG);
}

void ww__straight_prepare(struct ww_exec_code *code)
{
    uint32_t always = code->launch->kernel->predicates;
    uint32_t length = 0;
    for (uint32_t k = code->launch->kernel->code_count; k-- > 0;) {
        ww_uop *u = &code->uop[k];
        length = is_straight(u) ? length + 1 : 0;
        u->straight = length;
        u->computes = only_computes(u);
        u->guarded = u->guard.reg != always || u->guard.flip != UINT32_MAX;
    }
}

/* Full masks are the commonest. */
static unsigned lanes_of(uint32_t mask)
{
    return mask == UINT32_MAX ? WW_LANES : (unsigned)__builtin_popcount(mask);
}

/* u->computes, in a full warp. A comparison's function leaves its destination alone. */
static WW_ALWAYS_INLINE void compute(const ww_exec_ctx *x, const ww_uop *u)
{
    const uint32_t *const base[2] = {x->warp->regs, x->code->pool};
    const uint32_t *s[WW_UOP_SOURCES];
    for (unsigned k = 0; k < WW_UOP_SOURCES; k++) {
        s[k] = base[u->src[k].kind] + u->src[k].at;
    }
    uint32_t *d = x->warp->regs + (u->out_words > 0 ? u->dst : 0);
    uint32_t mask = u->fn(d, s, u->pred_is_x ? ww__pred(x, u->pred) : u->x);
    if (u->pred_dst != WW_NO_REG) {
        x->warp->preds[u->pred_dst] = mask;
    }
}

/* The first n instructions of a run, as if none had a guard. */
static void count(ww_pc_count *pc, uint32_t n, unsigned lanes)
{
    for (uint32_t k = 0; k < n; k++) {
        pc[k].issued++;
        pc[k].active++;
        pc[k].lanes += lanes;
        pc[k].scheduled += lanes;
    }
}

/* What a guard kept from it. */
static void take_back(ww_pc_count *pc, uint32_t exec, unsigned lanes)
{
    pc->active -= exec == 0;
    pc->lanes -= lanes - lanes_of(exec);
}

ww_status ww__straight_run(ww_exec_env *env, ww_warp *w, uint32_t most, ww_step *out,
                           ww_pc_count *counts, ww_error *err)
{
    const struct ww_exec_code *code = env->launch->code;
    ww_stack_entry *top = &w->stack[w->depth - 1];
    const ww_uop *u = &code->uop[top->pc];
    ww_pc_count *pc = counts + top->pc;
    uint32_t apart = top->reconv - top->pc; /* wraps where it lies behind */
    uint32_t n = u->straight < most ? u->straight : most;
    n = apart - 1 < n ? apart : n;
    const uint64_t start = env->cycle;
    unsigned lanes = lanes_of(top->mask);
    ww_exec_ctx x = {env, code, w, out, err, top->mask, top->mask};
    ww_status status = WW_OK;
    uint32_t k = 0;
    for (; k < n; k++, u++) {
        x.exec = top->mask;
        if (u->guarded) {
            x.exec &= ww__pred(&x, u->guard);
        }
        if (u->computes && x.exec == UINT32_MAX) {
            compute(&x, u);
        } else if (x.exec != 0) {
            out->exec = x.exec;
            env->cycle = start + k;
            status = u->run(&x, u);
            if (WW_UNLIKELY(status != WW_OK)) {
                break;
            }
        }
        if (u->guarded) {
            take_back(&pc[k], x.exec, lanes);
        }
    }
    count(pc, k, lanes);
    env->cycle = start + k;
    top->pc += k;
    if (top->pc == top->reconv) {
        ww__simt_reconverge(&x);
    }
    return status;
}
