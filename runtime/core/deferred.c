/* deferred.c - kernels of several streams at the same time. A launch in a stream of the program's
 * own, and the record of an event behind it, are kept until the program calls anything that could
 * tell whether they have run; then all of them run, sharing the machine as their streams and events
 * allow. What the legacy default stream does waits for all of them, so that it runs them first.
 * --memcheck keeps launches as well where a launch may begin early, to look at it beside the one
 * before it: those of the default stream, too, which are never kept together with others. */
#include <string.h>

#include "base/assert.h"
#include "runtime/graphs/graph.h"

enum { MOST = 64 }; /* launches that wait: a bit of a mask each */

typedef struct kept {
    ww_launch_request request;
    const void **args;
    unsigned char *values;
    uint64_t follows; /* launches before it */
    uint32_t after[MOST];
} kept;

typedef struct rt_deferred {
    kept launch[MOST];
    uint32_t count;
    bool events;      /* some are kept */
    bool checks;      /* for --memcheck */
    bool of_default;  /* the launches are of the default stream, */
    uint64_t follows; /* and the next one in it follows these */
} rt_deferred;

ww_status rt_deferred_open(rt_context *c, bool checks, ww_error *err)
{
    c->deferred = WW_NEW(rt_deferred);
    if (c->deferred == NULL) {
        return ww_no_memory(err);
    }
    c->deferred->checks = checks;
    return WW_OK;
}

static void forget(rt_deferred *l)
{
    for (uint32_t i = 0; i < l->count; i++) {
        ww_free(l->launch[i].args);
        ww_free(l->launch[i].values);
    }
    l->count = 0;
    l->follows = 0;
    l->events = false;
}

void rt_deferred_close(rt_context *c)
{
    if (c->deferred != NULL) {
        forget(c->deferred);
        ww_free(c->deferred);
        c->deferred = NULL;
    }
}

static bool is_own(cudaStream_t stream)
{
    return (uintptr_t)stream > 2;
}

static bool is_default(cudaStream_t stream)
{
    return (uintptr_t)stream <= 1;
}

bool rt_deferred_waits(rt_context *c, cudaStream_t stream, const rt_work *work)
{
    if (c->deferred == NULL) {
        return false;
    }
    rt_deferred *l = c->deferred;
    const bool own = is_own(stream) && rt_is_stream(c, stream) && rt_capture_of(stream) == NULL;
    const bool waits = (own || (l->checks && is_default(stream))) && !work->u.kernel.cooperative;
    if (!waits || l->of_default == own) {
        rt_deferred_run(c);
        l->of_default = !own;
    }
    return waits;
}

/* The caller's arguments, which it may change once the launch returns. */
static cudaError_t keep_args(rt_context *c, const rt_kernel *kernel, uint32_t count, void **args,
                             kept *k)
{
    size_t bytes = 0, at, size;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < count; i++) {
            if (ww_device_kernel_param(c->device, kernel->module->module, kernel->name, i, &at,
                                       &size, NULL) != WW_OK) {
                return cudaErrorInvalidValue;
            }
            if (pass == 0) {
                bytes = at + size > bytes ? at + size : bytes;
            } else {
                memcpy(k->values + at, args[i], size);
                k->args[i] = k->values + at;
            }
        }
        if (pass == 0) {
            k->args = WW_NEW_ARRAY(const void *, (size_t)count + 1);
            k->values = WW_NEW_ARRAY(unsigned char, bytes + 1);
            if (k->args == NULL || k->values == NULL) {
                return cudaErrorMemoryAllocation;
            }
        }
    }
    return cudaSuccess;
}

static cudaError_t keep(rt_context *c, const rt_work *work, kept *k)
{
    rt_kernel *kernel;
    cudaError_t code = rt_request_of(c, work, &kernel, &k->request);
    if (code == cudaSuccess) {
        code = keep_args(c, kernel, (uint32_t)k->request.arg_count, work->u.kernel.args, k);
    }
    if (code != cudaSuccess) {
        return code;
    }
    k->request.args = k->args;
    ww_error err = {0};
    ww_status status = ww_device_launch_check(c->device, &k->request, &err);
    return status == WW_ERANGE ? rt_refused(&err) : rt_failed(c, status, &err);
}

cudaError_t rt_deferred_add(rt_context *c, cudaStream_t stream, const rt_work *work)
{
    rt_deferred *l = c->deferred;
    if (l->count == MOST) {
        rt_deferred_run(c);
        if (c->failure != cudaSuccess) {
            return c->failure;
        }
    }
    WW_ASSERT(l->count < MOST); /* running them leaves none */
    kept *k = &l->launch[l->count];
    memset(k, 0, sizeof *k);
    cudaError_t code = keep(c, work, k);
    if (code != cudaSuccess) {
        ww_free(k->args);
        ww_free(k->values);
        return code;
    }
    uint64_t *follows = is_own(stream) ? &stream->follows : &l->follows;
    k->follows = *follows;
    *follows = UINT64_C(1) << l->count++;
    return cudaSuccess;
}

bool rt_deferred_record(rt_context *c, cudaEvent_t event, cudaStream_t stream)
{
    if (c->deferred == NULL) {
        return false;
    }
    if (!is_own(stream) || c->deferred->count == 0 || c->deferred->checks) {
        rt_deferred_run(c);
        return false;
    }
    event->deferred = c->deferred->events = true;
    event->follows = stream->follows;
    return true;
}

void rt_deferred_wait(rt_context *c, cudaStream_t stream, cudaEvent_t event)
{
    if (c->deferred != NULL && is_own(stream) && event->deferred) {
        stream->follows |= event->follows;
    }
}

/* The events that were recorded among the launches, when these ended so long after time_s. */
static void settle_events(rt_context *c, double begin_s, const double *end_s)
{
    for (cudaEvent_t e = c->events; e != NULL; e = e->next) {
        if (!e->deferred) {
            continue;
        }
        double last_s = 0;
        for (uint32_t i = 0; i < MOST; i++) {
            if ((e->follows >> i & 1) != 0 && end_s[i] > last_s) {
                last_s = end_s[i];
            }
        }
        e->deferred = false;
        e->recorded = true;
        e->time_s = begin_s + last_s;
    }
}

/* Runs the launches; end_s: when each had ended. */
static ww_status run(rt_context *c, double *end_s, ww_error *err)
{
    rt_deferred *l = c->deferred;
    ww_launch_request list[MOST];
    for (uint32_t i = 0; i < l->count; i++) {
        kept *k = &l->launch[i];
        for (uint64_t m = k->follows; m != 0; m &= m - 1) {
            WW_ASSERT(k->request.after_count < MOST);
            k->after[k->request.after_count++] = (uint32_t)__builtin_ctzll(m);
        }
        WW_ASSERT(k->follows >> i == 0); /* what it follows was kept before it */
        k->request.after = k->after;
        list[i] = k->request;
    }
    ww_status status = ww_device_launch_concurrent(c->device, list, l->count, err);
    rt_progress_end(c);
    WW_TRY(status);
    for (uint32_t i = 0; i < l->count; i++) {
        end_s[i] = (double)list[i].end / c->arch->clock.core_hz;
    }
    return WW_OK;
}

void rt_deferred_run(rt_context *c)
{
    if (c->deferred == NULL || c->deferred->count == 0) {
        return;
    }
    ww_error err = {0};
    double begin_s = c->time_s, end_s[MOST] = {0};
    if (c->failure == cudaSuccess) {
        ww_status status = rt_mirrors_to_device(c, &err);
        status = status == WW_OK ? run(c, end_s, &err) : status;
        (void)rt_failed(c, status, &err); /* shows at the next call that waits */
        status = rt_mirrors_to_host(c, &err);
        (void)rt_failed(c, status, &err);
    }
    settle_events(c, begin_s, end_s);
    for (cudaStream_t s = c->streams; s != NULL; s = s->next) {
        s->follows = 0;
    }
    forget(c->deferred);
}
