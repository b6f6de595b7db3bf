/* stream.c - streams and events. Work runs to completion where it is issued, so that waiting is
 * free; an event holds the device time at which it was recorded. */
#include "runtime/graphs/graph.h"

/* The default stream has three handles: null, legacy and per-thread. */
bool rt_is_default_stream(cudaStream_t stream)
{
    return (uintptr_t)stream <= 2;
}

bool rt_is_stream(const rt_context *c, cudaStream_t stream)
{
    if (rt_is_default_stream(stream)) {
        return true;
    }
    for (cudaStream_t s = c->streams; s != NULL; s = s->next) {
        if (s == stream) {
            return true;
        }
    }
    return false;
}

static cudaError_t create_stream(rt_context *c, cudaStream_t *out, unsigned flags, int priority)
{
    if (out == NULL || flags > 1) {
        return cudaErrorInvalidValue;
    }
    cudaStream_t stream = WW_NEW(struct cudaStream);
    if (stream == NULL) {
        return cudaErrorMemoryAllocation;
    }
    *stream = (struct cudaStream){
        .id = ++c->next_stream_id, .flags = flags, .priority = priority, .next = c->streams};
    c->streams = stream;
    *out = stream;
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t *out)
{
    RT_CALL(c, create_stream(c, out, 0, 0));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
    RT_CALL(c, create_stream(c, out, flags, 0));
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority)
{
    RT_CALL(c, create_stream(c, out, flags, priority));
}

static cudaError_t destroy_stream(rt_context *c, cudaStream_t stream)
{
    for (cudaStream_t *s = &c->streams; *s != NULL; s = &(*s)->next) {
        if (*s == stream) {
            *s = stream->next;
            rt_frontier_clear(&stream->frontier);
            ww_free(stream);
            return cudaSuccess;
        }
    }
    return cudaErrorInvalidResourceHandle;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    RT_CALL(c, destroy_stream(c, stream));
}

static cudaError_t check_stream(const rt_context *c, cudaStream_t stream)
{
    return rt_is_stream(c, stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    RT_CALL(c, check_stream(c, stream));
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    RT_CALL(c, check_stream(c, stream));
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t length, unsigned flags)
{
    (void)p, (void)length, (void)flags;
    RT_CALL(c, check_stream(c, stream));
}

static cudaError_t stream_value(const rt_context *c, cudaStream_t stream, unsigned *flags,
                                int *priority, unsigned long long *id)
{
    if (!rt_is_stream(c, stream)) {
        return cudaErrorInvalidResourceHandle;
    }
    bool none = rt_is_default_stream(stream);
    if (flags != NULL) {
        *flags = none ? 0 : stream->flags;
    }
    if (priority != NULL) {
        *priority = none ? 0 : stream->priority;
    }
    if (id != NULL) {
        *id = none ? 0 : stream->id;
    }
    return cudaSuccess;
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags)
{
    RT_CALL(c, stream_value(c, stream, flags, NULL, NULL));
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
    RT_CALL(c, stream_value(c, stream, NULL, priority, NULL));
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    RT_CALL(c, stream_value(c, stream, NULL, NULL, id));
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
    if (device == NULL) {
        return cudaErrorInvalidValue;
    }
    *device = 0;
    RT_CALL(c, check_stream(c, stream));
}

/* Host functions run outside the lock: they may call the runtime. */
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user)
{
    rt_work work = {.type = cudaGraphNodeTypeHost};
    work.u.host.function = function;
    work.u.host.user = user;
    RT_CALL(c, function != NULL ? rt_issue(c, stream, &work) : cudaErrorInvalidValue);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *user,
                                  unsigned flags)
{
    (void)flags;
    cudaError_t code = callback != NULL ? cudaStreamSynchronize(stream) : cudaErrorInvalidValue;
    if (callback != NULL) {
        callback(stream, code, user);
    }
    return code;
}

/* ---- events ---- */

static cudaError_t create_event(rt_context *c, cudaEvent_t *out, unsigned flags)
{
    bool no_timing = (flags & RT_EVENT_DISABLE_TIMING) != 0;
    bool interprocess = (flags & RT_EVENT_INTERPROCESS) != 0;
    if (out == NULL || (interprocess && !no_timing)) {
        return cudaErrorInvalidValue;
    }
    cudaEvent_t event = WW_NEW(struct cudaEvent);
    if (event == NULL) {
        return cudaErrorMemoryAllocation;
    }
    event->no_timing = no_timing;
    event->interprocess = interprocess;
    event->next = c->events;
    c->events = event;
    *out = event;
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t *out)
{
    RT_CALL(c, create_event(c, out, 0));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags)
{
    RT_CALL(c, create_event(c, out, flags));
}

bool rt_is_event(const rt_context *c, cudaEvent_t event)
{
    for (cudaEvent_t e = c->events; e != NULL; e = e->next) {
        if (e == event) {
            return true;
        }
    }
    return false;
}

static cudaError_t destroy_event(rt_context *c, cudaEvent_t event)
{
    for (cudaEvent_t *e = &c->events; *e != NULL; e = &(*e)->next) {
        if (*e == event) {
            *e = event->next;
            rt_frontier_clear(&event->frontier);
            ww_free(event);
            return cudaSuccess;
        }
    }
    return cudaErrorInvalidResourceHandle;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    RT_CALL(c, destroy_event(c, event));
}

static cudaError_t record(rt_context *c, cudaEvent_t event, cudaStream_t stream)
{
    if (!rt_is_event(c, event) || !rt_is_stream(c, stream)) {
        return cudaErrorInvalidResourceHandle;
    }
    if (rt_capture_of(stream) != NULL) {
        return rt_capture_event(event, stream);
    }
    rt_frontier_clear(&event->frontier);
    if (event->interprocess) {
        rt_deferred_run(c); /* other processes take it for complete */
    }
    if (rt_deferred_record(c, event, stream)) {
        return cudaSuccess;
    }
    event->recorded = true;
    event->time_s = c->time_s;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    RT_CALL_BESIDE(c, record(c, event, stream));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    (void)flags;
    RT_CALL_BESIDE(c, record(c, event, stream));
}

static cudaError_t check_event(const rt_context *c, cudaEvent_t event)
{
    return rt_is_event(c, event) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    RT_CALL(c, check_event(c, event));
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    RT_CALL(c, check_event(c, event));
}

static cudaError_t wait_event(rt_context *c, cudaStream_t stream, cudaEvent_t event)
{
    if (!rt_is_stream(c, stream) || !rt_is_event(c, event)) {
        return cudaErrorInvalidResourceHandle;
    }
    if (event->frontier.capture != NULL) {
        return rt_capture_wait(stream, event);
    }
    rt_deferred_wait(c, stream, event);
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)flags;
    RT_CALL_BESIDE(c, wait_event(c, stream, event));
}

static cudaError_t elapsed(const rt_context *c, float *ms, cudaEvent_t from, cudaEvent_t to)
{
    if (ms == NULL) {
        return cudaErrorInvalidValue;
    }
    if (!rt_is_event(c, from) || !rt_is_event(c, to) || !from->recorded || !to->recorded ||
        from->no_timing || to->no_timing) {
        return cudaErrorInvalidResourceHandle;
    }
    *ms = (float)((to->time_s - from->time_s) * 1e3);
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    RT_CALL(c, elapsed(c, ms, from, to));
}
