/* engines.c - jobs for asynchronous engines, on their way from the executor to the SM. */
#include "perf/exec/memory/engine_jobs.h"

#include <string.h>

#include "base/room.h"

void ww_engines_fini(ww_engines *engines)
{
    ww_free(engines->job);
    ww_free(engines->op);
    *engines = (ww_engines){0};
}

ww_copy_job *ww__engine_job(ww_exec_ctx *x)
{
    ww_engines *e = ww__engines(x);
    ww_copy_job *grown = ww_heap_room(e->job, e->jobs, 1, &e->room, sizeof *grown);
    if (grown == NULL) {
        return NULL;
    }
    e->job = grown;
    ww_copy_job *job = &e->job[e->jobs++];
    *job = (ww_copy_job){.pc = x->out->pc};
    return job;
}

static bool is_same_copy(const ww_copy_job *a, const ww_copy_job *b)
{
    return a->address == b->address && a->bytes == b->bytes && a->inside == b->inside &&
           a->map_address == b->map_address &&
           memcmp(a->box.at, b->box.at, sizeof a->box.at) == 0 &&
           memcmp(a->box.offset, b->box.offset, sizeof a->box.offset) == 0;
}

void ww__engine_share_job(ww_exec_ctx *x)
{
    ww_engines *e = ww__engines(x);
    const ww_copy_job *last = &e->job[e->jobs - 1];
    for (uint32_t i = 0; i + 1 < e->jobs; i++) {
        if (is_same_copy(&e->job[i], last)) {
            e->jobs--;
            return;
        }
    }
}

bool ww__engine_op(ww_exec_ctx *x, const ww_object_op *op)
{
    ww_engines *e = ww__engines(x);
    ww_object_op *grown = ww_heap_room(e->op, e->ops, 1, &e->op_room, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    e->op = grown;
    e->op[e->ops] = *op;
    e->op[e->ops++].pc = x->out->pc;
    return true;
}
