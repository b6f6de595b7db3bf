/* straight_run.c - a warp's turn without time.
 * Instructions that only compute or touch memory cannot move the pc, wait or end the warp, so that
 * a straight run of them leaves the stack's top as it is, and ends at the latest where its entry
 * reconverges. They are executed one after the other and counted at once, and nothing is said of
 * each, as ww_exec_step would. Under an observer, what does not only compute is a step. */
#include "perf/exec/straight_run.h"

#include "perf/exec/memory/direct.h"

/* Handlers of instructions that a run may hold: they look at nothing of ww_step but what they write
 * there themselves, and leave the warp's stack and barriers alone. */
static bool is_straight(const ww_uop *u)
{
    static ww_uop_run *const handlers[] = {
        ww__run_alu,          ww__run_alu_plain,  ww__run_folded,      ww__run_setp,
        ww__run_set,          ww__run_pred_logic, ww__run_pred_move,   ww__run_vector_move,
        ww__run_ld,           ww__run_st,         ww__run_atom,        ww__run_vote,
        ww__run_shfl,         ww__run_match,      ww__run_redux,       ww__run_activemask,
        ww__run_nop,          ww__run_tex,        ww__run_matrix_load, ww__run_matrix_multiply,
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
    bool plain = u->run == ww__run_alu_plain || u->run == ww__run_alu || compares;
    for (unsigned k = 0; plain && k < u->src_count; k++) {
        plain = u->src[k].kind <= WW_SRC_TID && u->src[k].flags == 0;
    }
    return plain && (u->out_words == 0 || u->dst != WW_NO_REG);
}

ww_status ww__straight_run_prepare(struct ww_exec_code *code, ww_error *err)
{
    uint32_t always = code->launch->kernel->predicates;
    uint32_t length = 0;
    for (uint32_t k = code->launch->kernel->code_count; k-- > 0;) {
        ww_uop *u = &code->uop[k];
        length = is_straight(u) ? length + 1 : 0;
        u->straight = length;
        u->branches = u->run == ww__run_bra;
        u->computes = only_computes(u);
        u->to = u->out_words > 0 && u->dst != WW_NO_REG ? u->dst : 0;
        for (unsigned s = 0; u->computes && s < WW_UOP_SOURCES; s++) {
            u->at[s] = u->src[s].kind == WW_SRC_TID ? u->src[s].at * WW_LANES : u->src[s].at;
        }
        u->argument = u->pred_is_x ? u->pred : (ww_uop_pred){always, u->x};
        u->guarded = u->guard.reg != always || u->guard.flip != UINT32_MAX;
        WW_TRY(ww__direct_prepare(code, k, u, err));
    }
    return WW_OK;
}

/* Full masks are the commonest. */
static unsigned lanes_of(uint32_t mask)
{
    return mask == UINT32_MAX ? WW_LANES : (unsigned)__builtin_popcount(mask);
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

/* A turn in progress. */
typedef struct turn {
    ww_exec_env *env;
    ww_exec_ctx x;
    uint64_t end; /* cycle */
    ww_step step;
    ww_functional_stats *stats;
} turn;

static WW_ALWAYS_INLINE ww_stack_entry *top_of(const turn *t)
{
    return &t->x.warp->stack[t->x.warp->depth - 1];
}

static WW_ALWAYS_INLINE void arrive(turn *t, ww_stack_entry *top)
{
    if (WW_UNLIKELY(top->pc == top->reconv)) {
        t->step.popped = 0;
        ww__simt_reconverge(&t->x);
        t->stats->popped += t->step.popped;
    }
}

/* Whatever else a run holds. */
static __attribute__((noinline)) ww_status run_other(turn *t, const ww_uop *u, uint32_t exec,
                                                     uint64_t cycle)
{
    t->x.exec = exec;
    t->step.exec = exec;
    t->env->cycle = cycle;
    return u->run(&t->x, u);
}

/* How much of the run that begins at the pc lies in the turn. */
static uint32_t run_length(const turn *t, const ww_uop *u, const ww_stack_entry *top)
{
    uint64_t left = t->end - t->env->cycle;
    uint32_t apart = top->reconv - top->pc; /* wraps where it lies behind */
    uint32_t n = left < u->straight ? (uint32_t)left : u->straight;
    return apart - 1 < n ? apart : n;
}

static ww_status run_straight(turn *t, const ww_uop *first)
{
    ww_stack_entry *top = top_of(t);
    const ww_exec_ctx *x = &t->x;
    const ww_sources from = ww__sources_of(x->code, x->warp);
    const ww_uop *const stop = first + run_length(t, first, top);
    ww_pc_count *const counts = t->stats->pc + top->pc;
    const uint64_t start = t->env->cycle;
    const uint32_t mask = top->mask;
    const unsigned lanes = lanes_of(mask);
    ww_status status = WW_OK;
    const ww_uop *u = first;
    for (; u != stop; u++) {
        uint32_t exec = mask;
        if (u->guarded) {
            exec &= ww__pred(&t->x, u->guard);
            if (exec == 0) {
                take_back(&counts[u - first], 0, lanes);
                continue;
            }
        }
        if (u->computes) {
            ww__compute(x->code, x->warp, &from, u, exec);
        } else if (WW_UNLIKELY(t->env->observer != NULL)) {
            break;
        } else if (u->direct == NULL || !ww__direct_access(&t->x, u->direct, exec)) {
            status = run_other(t, u, exec, start + (uint64_t)(u - first));
            if (WW_UNLIKELY(status != WW_OK)) {
                break;
            }
        }
        if (u->guarded) {
            take_back(&counts[u - first], exec, lanes);
        }
    }
    uint32_t done = (uint32_t)(u - first);
    count(counts, done, lanes);
    t->env->cycle = start + done;
    top->pc += done;
    arrive(t, top);
    return status;
}

/* A branch that all lanes take, or none. */
static bool run_branch(turn *t, const ww_uop *u)
{
    ww_stack_entry *top = top_of(t);
    uint32_t taken = top->mask & ww__pred(&t->x, u->guard);
    if (taken != 0 && taken != top->mask) {
        return false;
    }
    unsigned lanes = lanes_of(top->mask);
    ww_pc_count *pc = &t->stats->pc[top->pc];
    count(pc, 1, lanes);
    if (taken == 0) {
        take_back(pc, 0, lanes);
    }
    t->env->cycle++;
    top->pc = taken != 0 ? u->inst->target : top->pc + 1;
    arrive(t, top);
    return true;
}

static ww_status run_one(turn *t, ww_error *err)
{
    ww_step *step = &t->step;
    uint32_t at = top_of(t)->pc;
    WW_TRY(ww_exec_step(t->env, t->x.warp, step, err));
    ww_pc_count *pc = &t->stats->pc[at];
    pc->issued++;
    pc->active += step->exec != 0;
    pc->lanes += lanes_of(step->exec);
    pc->scheduled += lanes_of(step->active);
    t->stats->pushed += step->pushed;
    t->stats->popped += step->popped;
    t->stats->divergent += step->divergent;
    step->again = false;
    t->env->cycle++;
    if (step->wait) { /* for others, whose turn it is */
        t->end = t->env->cycle;
    }
    if (t->env->observer != NULL && step->is_memory) {
        t->env->observer->memory(t->env->observer->user, step);
    }
    return WW_OK;
}

ww_status ww_exec_straight_run(ww_exec_env *env, ww_warp *w, unsigned most,
                               ww_functional_stats *stats, ww_error *err)
{
    const struct ww_exec_code *code = env->launch->code;
    turn t;
    t.env = env;
    t.end = env->cycle + most;
    t.stats = stats;
    t.step.again = false;
    t.x = (ww_exec_ctx){.env = env, .code = code, .warp = w, .out = &t.step, .err = err};
    while (env->cycle < t.end && w->depth > 0 && !w->at_barrier) {
        const ww_uop *u = &code->uop[ww_warp_pc(w)];
        if (u->straight > 0 && (u->computes || env->observer == NULL)) {
            WW_TRY(run_straight(&t, u));
        } else if (!u->branches || !run_branch(&t, u)) {
            WW_TRY(run_one(&t, err));
        }
    }
    return WW_OK;
}
