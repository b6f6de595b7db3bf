/* stream.c - streams and events of the driver API, over those of the runtime. */
#include "runtime/core/context.h"
#include "runtime/driver_api/calls.h"

CUresult cuStreamCreate(cudaStream_t *out, unsigned flags)
{
    return cudaStreamCreateWithFlags(out, flags);
}

CUresult cuStreamDestroy_v2(cudaStream_t stream)
{
    return cudaStreamDestroy(stream);
}

CUresult cuStreamSynchronize(cudaStream_t stream)
{
    return cudaStreamSynchronize(stream);
}

CUresult cuStreamQuery(cudaStream_t stream)
{
    return cudaStreamQuery(stream);
}

CUresult cuStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    return cudaStreamWaitEvent(stream, event, flags);
}

CUresult cuEventCreate(cudaEvent_t *out, unsigned flags)
{
    return cudaEventCreateWithFlags(out, flags);
}

CUresult cuEventDestroy_v2(cudaEvent_t event)
{
    return cudaEventDestroy(event);
}

CUresult cuEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    return cudaEventRecord(event, stream);
}

CUresult cuEventQuery(cudaEvent_t event)
{
    return cudaEventQuery(event);
}

CUresult cuEventSynchronize(cudaEvent_t event)
{
    return cudaEventSynchronize(event);
}

CUresult cuEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    return cudaEventElapsedTime(ms, from, to);
}

CUresult cuEventElapsedTime_v2(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    return cudaEventElapsedTime(ms, from, to);
}

CUresult cuStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority)
{
    return cudaStreamCreateWithPriority(out, flags, priority);
}

CUresult cuStreamGetPriority(cudaStream_t stream, int *priority)
{
    return cudaStreamGetPriority(stream, priority);
}

CUresult cuStreamGetFlags(cudaStream_t stream, unsigned *flags)
{
    return cudaStreamGetFlags(stream, flags);
}

CUresult cuStreamGetId(cudaStream_t stream, unsigned long long *id)
{
    return cudaStreamGetId(stream, id);
}

CUresult cuStreamGetDevice(cudaStream_t stream, CUdevice *device)
{
    return cudaStreamGetDevice(stream, device);
}

CUresult cuStreamGetCtx(cudaStream_t stream, CUcontext *context)
{
    int device;
    CUresult code = context != NULL ? cudaStreamGetDevice(stream, &device) : cudaErrorInvalidValue;
    if (code == cudaSuccess) {
        *context = rt_context_handle();
    }
    return code;
}

CUresult cuStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *user,
                             unsigned flags)
{
    return cudaStreamAddCallback(stream, callback, user, flags);
}

CUresult cuLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user)
{
    return cudaLaunchHostFunc(stream, function, user);
}

CUresult cuStreamAttachMemAsync(cudaStream_t stream, CUdeviceptr p, size_t bytes, unsigned flags)
{
    return cudaStreamAttachMemAsync(stream, (void *)(uintptr_t)p, bytes, flags);
}

CUresult cuEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags)
{
    return cudaEventRecordWithFlags(event, stream, flags);
}
