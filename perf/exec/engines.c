/* engines.c - jobs for asynchronous engines, on their way from the executor to the SM. */
#include "perf/exec/memory/engine_jobs.h"

#include "base/mem.h"

void ww_engines_fini(ww_engines *engines)
{
    ww_free(engines->job);
    ww_free(engines->op);
    *engines = (ww_engines){0};
}

ww_copy_job *ww__engine_job(ww_exec_ctx *x)
{
    ww_engines *e = ww__engines(x);
    if (e->jobs == e->room) {
        const uint32_t room = e->room != 0 ? 2 * e->room : 4;
        ww_copy_job *grown = ww_realloc_array(e->job, room, sizeof *grown);
        if (grown == NULL) {
            return NULL;
        }
        e->job = grown;
        e->room = room;
    }
    ww_copy_job *job = &e->job[e->jobs++];
    *job = (ww_copy_job){.pc = x->out->pc};
    return job;
}

bool ww__engine_op(ww_exec_ctx *x, const ww_object_op *op)
{
    ww_engines *e = ww__engines(x);
    if (e->ops == e->op_room) {
        const uint32_t room = e->op_room != 0 ? 2 * e->op_room : 32;
        ww_object_op *grown = ww_realloc_array(e->op, room, sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        e->op = grown;
        e->op_room = room;
    }
    e->op[e->ops] = *op;
    e->op[e->ops++].pc = x->out->pc;
    return true;
}
