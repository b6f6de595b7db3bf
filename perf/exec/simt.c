/* simt.c - the SIMT reconvergence stack.
 * The top entry runs. A divergent branch turns it into the entry that waits at the reconvergence
 * point and pushes one entry per path; the fall-through path runs first. An entry whose pc arrives
 * at its reconvergence point is popped: its lanes are in the mask of the entry below that waits
 * there. (Fung et al., "Dynamic Warp Formation", MICRO 2007, §2; Collange, "Stack-less SIMT
 * reconvergence", 2011, for the treatment of loops, whose entries must not pile up.)
 *
 * Invariant: with R the reconvergence point of the top (not the function's exit), some entry below
 * has pc R and holds the lanes that left the top for R. So a branch that reconverges where its
 * entry does needs no entry of its own. */
#include "perf/exec/memcheck/shadow.h"

#include "base/assert.h"
#include "base/mem.h"

enum { DEEPEST = 4096 }; /* entries; recursion beyond is an error */

static ww_stack_entry *top_of(ww_warp *w)
{
    WW_ASSERT(w->depth > 0 && w->depth <= w->capacity);
    return &w->stack[w->depth - 1];
}

void ww__simt_reconverge(ww_exec_ctx *x)
{
    ww_warp *w = x->warp;
    while (w->depth > 1 && top_of(w)->pc == top_of(w)->reconv) {
        w->depth--;
        x->out->popped++;
    }
}

void ww__simt_advance(ww_exec_ctx *x)
{
    ww_stack_entry *top = top_of(x->warp);
    top->pc++;
    if (WW_UNLIKELY(top->pc == top->reconv)) {
        ww__simt_reconverge(x);
    }
}

static ww_status make_room(ww_exec_ctx *x, uint32_t entries)
{
    ww_warp *w = x->warp;
    if (w->depth + entries <= w->capacity) {
        return WW_OK;
    }
    const ww_kernel *kernel = x->env->launch->kernel;
    if (w->depth + entries > DEEPEST) {
        return ww_fail_at(x->err, WW_EKERNEL, kernel->file, (int)kernel->code[x->out->pc].line, 0,
                          "kernel %s: calls or branches nest deeper than %d.", kernel->name,
                          DEEPEST);
    }
    return ww_warp_make_room(w, 2 * (w->depth + entries))
               ? WW_OK
               : ww_no_memory_for(x->err, "a SIMT stack");
}

static void push(ww_exec_ctx *x, ww_stack_entry entry)
{
    ww_warp *w = x->warp;
    WW_ASSERT(w->depth < w->capacity); /* make_room */
    w->stack[w->depth++] = entry;
    x->out->pushed++;
}

ww_status ww__simt_branch(ww_exec_ctx *x, uint32_t taken, uint32_t target, uint32_t reconv)
{
    ww_stack_entry *top = top_of(x->warp);
    x->out->taken = taken != 0;
    if (taken == top->mask) {
        top->pc = target;
        ww__simt_reconverge(x);
        return WW_OK;
    }
    if (taken == 0) {
        ww__simt_advance(x);
        return WW_OK;
    }
    return ww__simt_scatter(x, &target, &taken, 1, reconv);
}

/* The paths of a divergent branch, the one to run first last; returns their number. Lanes that are
 * already at the reconvergence point need none. */
static unsigned collect_paths(const ww_stack_entry *top, const uint32_t *target,
                              const uint32_t *mask, unsigned count, uint32_t reconv,
                              bool taken_first, ww_stack_entry path[WW_LANES + 1])
{
    unsigned n = 0;
    uint32_t stay = top->mask;
    for (unsigned k = 0; k < count; k++) {
        stay &= ~mask[k];
    }
    bool straight = stay != 0 && top->pc + 1 != reconv;
    const ww_stack_entry on = {top->pc + 1, reconv, stay, 0};
    if (straight && taken_first) {
        path[n++] = on;
    }
    for (unsigned k = count; k-- > 0;) {
        if (target[k] != reconv) {
            path[n++] = (ww_stack_entry){target[k], reconv, mask[k], 0};
        }
    }
    if (straight && !taken_first) {
        path[n++] = on;
    }
    return n;
}

ww_status ww__simt_scatter(ww_exec_ctx *x, const uint32_t *target, const uint32_t *mask,
                           unsigned count, uint32_t reconv)
{
    WW_TRY(make_room(x, WW_LANES + 1));
    ww_stack_entry *top = top_of(x->warp);
    ww_stack_entry path[WW_LANES + 1];
    /* Without a reconvergence point in the function the paths meet where the whole entry would. */
    bool in_place = reconv == WW_NO_TARGET || reconv == top->reconv;
    unsigned n = collect_paths(top, target, mask, count, in_place ? top->reconv : reconv,
                               x->env->launch->taken_path_first, path);
    x->out->divergent = true;
    x->out->taken = true;
    unsigned first = 0;
    if (n == 0) { /* a branch to the next instruction, which is the reconvergence point */
        ww__simt_advance(x);
        return WW_OK;
    }
    if (in_place) {
        top->pc = path[0].pc;
        top->mask = path[0].mask;
        first = 1;
    } else {
        top->pc = reconv;
    }
    for (unsigned k = first; k < n; k++) {
        push(x, path[k]);
    }
    return WW_OK;
}

ww_status ww__simt_call_each(ww_exec_ctx *x, const uint32_t *target, const uint32_t *mask,
                             unsigned count)
{
    WW_TRY(make_room(x, count));
    top_of(x->warp)->pc++;
    for (unsigned k = count; k-- > 0;) {
        push(x, (ww_stack_entry){target[k], WW_NO_TARGET, mask[k], 1});
    }
    x->out->taken = true;
    x->out->divergent = count > 1;
    return WW_OK;
}

ww_status ww__simt_call(ww_exec_ctx *x, uint32_t target)
{
    return ww__simt_call_each(x, &target, &x->exec, 1);
}

/* Takes the executing lanes out of the entries from `from` up, drops empty ones, and moves the
 * current path on if lanes stay behind on it. */
static void remove_lanes(ww_exec_ctx *x, uint32_t from)
{
    ww_warp *w = x->warp;
    uint32_t old_depth = w->depth;
    uint32_t kept = from;
    bool path_lives = (x->active & ~x->exec) != 0;
    for (uint32_t k = from; k < old_depth; k++) {
        ww_stack_entry entry = w->stack[k];
        entry.mask &= ~x->exec;
        if (entry.mask != 0) {
            WW_ASSERT(kept <= k);
            w->stack[kept++] = entry;
        }
    }
    w->depth = kept;
    x->out->popped = (uint8_t)(x->out->popped + (old_depth - kept));
    x->out->taken = true;
    if (w->depth == 0) {
        return;
    }
    if (path_lives) {
        top_of(w)->pc++;
    }
    ww__simt_reconverge(x);
}

void ww__simt_return(ww_exec_ctx *x)
{
    const ww_warp *w = x->warp;
    uint32_t k = w->depth;
    while (k > 0 && w->stack[k - 1].is_call == 0) {
        k--;
    }
    if (k == 0) {
        ww__simt_exit(x);
    } else {
        remove_lanes(x, k - 1);
    }
}

void ww__simt_exit(ww_exec_ctx *x)
{
    ww_warp *w = x->warp;
    w->live &= ~x->exec;
    remove_lanes(x, 0);
    if (w->depth == 0) {
        x->out->exited = true;
        w->cta->live_warps--;
        if (WW_UNLIKELY(w->cta->shadow != NULL && w->cta->live_warps == 0)) {
            ww__shadow_cta_exited(x);
        }
        ww__barrier_warp_exited(w->cta, x->env->launch, w->index);
    }
}
