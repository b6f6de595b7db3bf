/* stream_attribute.c - what a program may attach to a stream. All of it advises a GPU how to run
 * things faster; it is checked and kept, and changes nothing here: the L2 cache treats every line
 * alike. */
#include <string.h>

#include "runtime/driver_api/calls.h"
#include "runtime/graphs/graph.h"

enum {
    ACCESS_POLICY_WINDOW = 1,
    SYNCHRONIZATION_POLICY = 3,
    PRIORITY = 8,
    DOMAIN_MAP = 9,
    DOMAIN = 10
};
enum { ACCESS_STREAMING = 1, ACCESS_PERSISTING = 2 };

static cudaLaunchAttributeValue *attributes_of(rt_context *c, cudaStream_t stream)
{
    return rt_is_default_stream(stream) ? c->default_attributes : stream->attributes;
}

bool rt_is_policy_window(rt_context *c, const cudaAccessPolicyWindow *w)
{
    return w->num_bytes <= rt_policy_window_bytes(c) && w->hitRatio >= 0 && w->hitRatio <= 1 &&
           w->hitProp >= 0 && w->hitProp <= ACCESS_PERSISTING && w->missProp >= 0 &&
           w->missProp <= ACCESS_STREAMING;
}

static cudaError_t set_attribute(rt_context *c, cudaStream_t stream, int which,
                                 const cudaLaunchAttributeValue *value)
{
    if (value == NULL || !rt_is_stream(c, stream)) {
        return value == NULL ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    }
    cudaError_t code = cudaSuccess;
    switch (which) {
    case ACCESS_POLICY_WINDOW:
        code = rt_is_policy_window(c, &value->accessPolicyWindow) ? cudaSuccess
                                                                  : cudaErrorInvalidValue;
        break;
    case PRIORITY:
        if (!rt_is_default_stream(stream)) {
            stream->priority = value->i;
        }
        break;
    case SYNCHRONIZATION_POLICY:
    case DOMAIN_MAP:
    case DOMAIN:
        break;
    default:
        return cudaErrorInvalidValue;
    }
    if (code == cudaSuccess) {
        attributes_of(c, stream)[which] = *value;
    }
    return code;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, int which,
                                   const cudaLaunchAttributeValue *value)
{
    RT_CALL(c, set_attribute(c, stream, which, value));
}

static cudaError_t get_attribute(rt_context *c, cudaStream_t stream, int which,
                                 cudaLaunchAttributeValue *value)
{
    if (!rt_is_stream(c, stream)) {
        return cudaErrorInvalidResourceHandle;
    }
    if (value == NULL || which <= 0 || which >= RT_STREAM_ATTRIBUTES) {
        return cudaErrorInvalidValue;
    }
    *value = attributes_of(c, stream)[which];
    if (which == PRIORITY && !rt_is_default_stream(stream)) {
        value->i = stream->priority;
    }
    return cudaSuccess;
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, int which, cudaLaunchAttributeValue *value)
{
    RT_CALL(c, get_attribute(c, stream, which, value));
}

static cudaError_t copy_attributes(rt_context *c, cudaStream_t to, cudaStream_t from)
{
    if (!rt_is_stream(c, to) || !rt_is_stream(c, from)) {
        return cudaErrorInvalidResourceHandle;
    }
    if (to != from) {
        memcpy(attributes_of(c, to), attributes_of(c, from), sizeof c->default_attributes);
    }
    return cudaSuccess;
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    RT_CALL(c, copy_attributes(c, to, from));
}

CUresult cuStreamSetAttribute(cudaStream_t stream, int which, const cudaLaunchAttributeValue *value)
{
    return cudaStreamSetAttribute(stream, which, value);
}

CUresult cuStreamGetAttribute(cudaStream_t stream, int which, cudaLaunchAttributeValue *value)
{
    return cudaStreamGetAttribute(stream, which, value);
}

CUresult cuStreamCopyAttributes(cudaStream_t to, cudaStream_t from)
{
    return cudaStreamCopyAttributes(to, from);
}
