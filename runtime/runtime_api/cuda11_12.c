/* cuda11_12.c - entry points of CUDA 11 and 12 whose arguments or structures CUDA 13 changed, by
 * way of its own. */
#include "runtime/runtime_api/cuda11_12_abi.h"

#include <string.h>

#include "runtime/runtime_api/calls.h"
#include "runtime/driver_api/calls.h"

/* An entry point that fills in a structure of which older programs know so many bytes. */
#define BEGINNING_OF(structure, name, entry, argument, bytes)                                      \
    cudaError_t name(void *out, argument of)                                                       \
    {                                                                                              \
        structure whole;                                                                           \
        cudaError_t code = entry(out != NULL ? &whole : NULL, of);                                 \
        if (code == cudaSuccess) {                                                                 \
            memcpy(out, &whole, bytes);                                                            \
        }                                                                                          \
        return code;                                                                               \
    }

enum { VERSION_11 = 11080, VERSION_12 = 12090, DEVICE_LOCATION = 1 };

cudaError_t rt11_cudaRuntimeGetVersion(int *version)
{
    cudaError_t code = cudaRuntimeGetVersion(version);
    if (code == cudaSuccess) {
        *version = VERSION_11;
    }
    return code;
}

cudaError_t rt12_cudaRuntimeGetVersion(int *version)
{
    cudaError_t code = cudaRuntimeGetVersion(version);
    if (code == cudaSuccess) {
        *version = VERSION_12;
    }
    return code;
}

/* An entry point in the form that it had in that version. */
cudaError_t rt11_cudaGetDriverEntryPoint(const char *name, void **function,
                                         unsigned long long flags)
{
    enum { FOUND = 0 };
    int status = FOUND;
    cudaError_t code = cudaGetDriverEntryPointByVersion(name, function, VERSION_11, flags, &status);
    return code == cudaSuccess && status != FOUND ? cudaErrorSymbolNotFound : code;
}

cudaError_t rt12_cudaGetDriverEntryPoint(const char *name, void **function,
                                         unsigned long long flags, int *status)
{
    return cudaGetDriverEntryPointByVersion(name, function, VERSION_12, flags, status);
}

/* ---- device properties ---- */

/* The properties of CUDA 13 that CUDA 12 has too, but for name, identifiers and reserved. */
#define RT_COMMON_PROPERTIES(X)                                                                    \
    X(totalGlobalMem)                                                                              \
    X(sharedMemPerBlock)                                                                           \
    X(regsPerBlock)                                                                                \
    X(warpSize)                                                                                    \
    X(memPitch)                                                                                    \
    X(maxThreadsPerBlock)                                                                          \
    X(maxThreadsDim)                                                                               \
    X(maxGridSize)                                                                                 \
    X(totalConstMem)                                                                               \
    X(major)                                                                                       \
    X(minor)                                                                                       \
    X(textureAlignment)                                                                            \
    X(texturePitchAlignment)                                                                       \
    X(multiProcessorCount)                                                                         \
    X(integrated)                                                                                  \
    X(canMapHostMemory)                                                                            \
    X(maxTexture1D)                                                                                \
    X(maxTexture1DMipmap)                                                                          \
    X(maxTexture2D)                                                                                \
    X(maxTexture2DMipmap)                                                                          \
    X(maxTexture2DLinear)                                                                          \
    X(maxTexture2DGather)                                                                          \
    X(maxTexture3D)                                                                                \
    X(maxTexture3DAlt)                                                                             \
    X(maxTextureCubemap)                                                                           \
    X(maxTexture1DLayered)                                                                         \
    X(maxTexture2DLayered)                                                                         \
    X(maxTextureCubemapLayered)                                                                    \
    X(maxSurface1D)                                                                                \
    X(maxSurface2D)                                                                                \
    X(maxSurface3D)                                                                                \
    X(maxSurface1DLayered)                                                                         \
    X(maxSurface2DLayered)                                                                         \
    X(maxSurfaceCubemap)                                                                           \
    X(maxSurfaceCubemapLayered)                                                                    \
    X(surfaceAlignment)                                                                            \
    X(concurrentKernels)                                                                           \
    X(ECCEnabled)                                                                                  \
    X(pciBusID)                                                                                    \
    X(pciDeviceID)                                                                                 \
    X(pciDomainID)                                                                                 \
    X(tccDriver)                                                                                   \
    X(asyncEngineCount)                                                                            \
    X(unifiedAddressing)                                                                           \
    X(memoryBusWidth)                                                                              \
    X(l2CacheSize)                                                                                 \
    X(persistingL2CacheMaxSize)                                                                    \
    X(maxThreadsPerMultiProcessor)                                                                 \
    X(streamPrioritiesSupported)                                                                   \
    X(globalL1CacheSupported)                                                                      \
    X(localL1CacheSupported)                                                                       \
    X(sharedMemPerMultiprocessor)                                                                  \
    X(regsPerMultiprocessor)                                                                       \
    X(managedMemory)                                                                               \
    X(isMultiGpuBoard)                                                                             \
    X(multiGpuBoardGroupID)                                                                        \
    X(hostNativeAtomicSupported)                                                                   \
    X(pageableMemoryAccess)                                                                        \
    X(concurrentManagedAccess)                                                                     \
    X(computePreemptionSupported)                                                                  \
    X(canUseHostPointerForRegisteredMem)                                                           \
    X(cooperativeLaunch)                                                                           \
    X(sharedMemPerBlockOptin)                                                                      \
    X(pageableMemoryAccessUsesHostPageTables)                                                      \
    X(directManagedMemAccessFromHost)                                                              \
    X(maxBlocksPerMultiProcessor)                                                                  \
    X(accessPolicyMaxWindowSize)                                                                   \
    X(reservedSharedMemPerBlock)                                                                   \
    X(hostRegisterSupported)                                                                       \
    X(sparseCudaArraySupported)                                                                    \
    X(hostRegisterReadOnlySupported)                                                               \
    X(timelineSemaphoreInteropSupported)                                                           \
    X(memoryPoolsSupported)                                                                        \
    X(gpuDirectRDMASupported)                                                                      \
    X(gpuDirectRDMAFlushWritesOptions)                                                             \
    X(gpuDirectRDMAWritesOrdering)                                                                 \
    X(memoryPoolSupportedHandleTypes)                                                              \
    X(deferredMappingCudaArraySupported)                                                           \
    X(ipcEventSupported)                                                                           \
    X(clusterLaunch)                                                                               \
    X(unifiedFunctionPointers)

/* What later versions keep as attributes only; by their numbers (cudaDeviceAttr). */
static cudaError_t add_attributes(rt12_device_prop *p, int device)
{
    const struct {
        int attribute, *value;
    } rows[] = {
        {13, &p->clockRate},          {15, &p->deviceOverlap},
        {36, &p->memoryClockRate},    {87, &p->singleToDoublePrecisionPerfRatio},
        {20, &p->computeMode},        {17, &p->kernelExecTimeoutEnabled},
        {69, &p->maxTexture1DLinear}, {96, &p->cooperativeMultiDeviceLaunch},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cudaError_t code = cudaDeviceGetAttribute(rows[i].value, rows[i].attribute, device);
        if (code != cudaSuccess) {
            return code;
        }
    }
    return cudaSuccess;
}

cudaError_t rt12_cudaGetDeviceProperties_v2(rt12_device_prop *p, int device)
{
    cudaDeviceProp now;
    cudaError_t code = cudaGetDeviceProperties(p != NULL ? &now : NULL, device);
    if (code != cudaSuccess) {
        return code;
    }
    memset(p, 0, sizeof *p);
    memcpy(p->name, now.name, sizeof p->name);
    memcpy(p->uuid, now.uuid, sizeof p->uuid);
    memcpy(p->luid, now.luid, sizeof p->luid);
    p->luidDeviceNodeMask = now.luidDeviceNodeMask;
#define COPY(field)                                                                                \
    _Static_assert(sizeof p->field == sizeof now.field, #field);                                   \
    memcpy(&p->field, &now.field, sizeof p->field);
    RT_COMMON_PROPERTIES(COPY)
#undef COPY
    return add_attributes(p, device);
}

BEGINNING_OF(rt12_device_prop, rt12_cudaGetDeviceProperties, rt12_cudaGetDeviceProperties_v2, int,
             RT11_DEVICE_PROP_BYTES)

/* ---- structures that were shorter ---- */

BEGINNING_OF(cudaFuncAttributes, rt11_cudaFuncGetAttributes, cudaFuncGetAttributes, const void *,
             RT11_FUNC_ATTRIBUTES_BYTES)

BEGINNING_OF(cudaPointerAttributes, rt12_cudaPointerGetAttributes, cudaPointerGetAttributes,
             const void *, RT12_POINTER_ATTRIBUTES_BYTES)

static const cudaResourceDesc *whole_resource(const void *resource, cudaResourceDesc *whole)
{
    if (resource == NULL) {
        return NULL;
    }
    *whole = (cudaResourceDesc){0};
    memcpy(whole, resource, RT12_RESOURCE_DESC_BYTES);
    return whole;
}

cudaError_t rt12_cudaCreateTextureObject(cudaTextureObject_t *out, const void *resource,
                                         const cudaTextureDesc *texture,
                                         const cudaResourceViewDesc *view)
{
    cudaResourceDesc whole;
    return cudaCreateTextureObject(out, whole_resource(resource, &whole), texture, view);
}

cudaError_t rt11_cudaCreateTextureObject(cudaTextureObject_t *out, const void *resource,
                                         const void *texture, const cudaResourceViewDesc *view)
{
    cudaTextureDesc whole = {0};
    if (texture != NULL) {
        memcpy(&whole, texture, RT11_TEXTURE_DESC_BYTES);
    }
    return rt12_cudaCreateTextureObject(out, resource, texture != NULL ? &whole : NULL, view);
}

cudaError_t rt12_cudaCreateSurfaceObject(cudaSurfaceObject_t *out, const void *resource)
{
    cudaResourceDesc whole;
    return cudaCreateSurfaceObject(out, whole_resource(resource, &whole));
}

BEGINNING_OF(cudaResourceDesc, rt12_cudaGetTextureObjectResourceDesc,
             cudaGetTextureObjectResourceDesc, cudaTextureObject_t, RT12_RESOURCE_DESC_BYTES)

BEGINNING_OF(cudaResourceDesc, rt12_cudaGetSurfaceObjectResourceDesc,
             cudaGetSurfaceObjectResourceDesc, cudaSurfaceObject_t, RT12_RESOURCE_DESC_BYTES)

BEGINNING_OF(cudaTextureDesc, rt11_cudaGetTextureObjectTextureDesc, cudaGetTextureObjectTextureDesc,
             cudaTextureObject_t, RT11_TEXTURE_DESC_BYTES)

/* ---- other arguments ---- */

cudaError_t rt12_cudaMemPrefetchAsync(const void *p, size_t bytes, int device, cudaStream_t stream)
{
    return cudaMemPrefetchAsync(p, bytes, (cudaMemLocation){DEVICE_LOCATION, device}, 0, stream);
}

cudaError_t rt12_cudaMemAdvise(const void *p, size_t bytes, int advice, int device)
{
    return cudaMemAdvise(p, bytes, advice, (cudaMemLocation){DEVICE_LOCATION, device});
}

cudaError_t rt11_cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph,
                                      cudaGraphNode_t *error_node, char *log, size_t size)
{
    if (error_node != NULL) {
        *error_node = NULL;
    }
    if (log != NULL && size > 0) {
        *log = '\0';
    }
    return cudaGraphInstantiate(out, graph, 0);
}

cudaError_t rt11_cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                     cudaGraphNode_t *error_node, int *result)
{
    cudaGraphExecUpdateResultInfo info = {0};
    cudaError_t code = cudaGraphExecUpdate(exec, graph, &info);
    if (error_node != NULL) {
        *error_node = info.errorNode;
    }
    if (result != NULL) {
        *result = info.result;
    }
    return code;
}

cudaError_t rt12_cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                          const cudaGraphNode_t *to, size_t count)
{
    return cudaGraphAddDependencies(graph, from, to, NULL, count);
}

cudaError_t rt12_cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                   size_t *count)
{
    return cudaGraphGetEdges(graph, from, to, NULL, count);
}

cudaError_t rt12_cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *deps,
                                              size_t *count)
{
    return cudaGraphNodeGetDependencies(node, deps, NULL, count);
}

cudaError_t rt12_cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                size_t *count)
{
    return cudaGraphNodeGetDependentNodes(node, nodes, NULL, count);
}

cudaError_t rt12_cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                             const cudaGraphNode_t *to, size_t count)
{
    return cudaGraphRemoveDependencies(graph, from, to, NULL, count);
}

cudaError_t rt12_cudaStreamGetCaptureInfo(cudaStream_t stream, int *status, unsigned long long *id)
{
    return cudaStreamGetCaptureInfo(stream, status, id, NULL, NULL, NULL, NULL);
}

cudaError_t rt12_cudaStreamGetCaptureInfo_v2(cudaStream_t stream, int *status,
                                             unsigned long long *id, cudaGraph_t *graph,
                                             const cudaGraphNode_t **deps, size_t *count)
{
    return cudaStreamGetCaptureInfo(stream, status, id, graph, deps, NULL, count);
}

cudaError_t rt12_cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *deps,
                                                     size_t count, unsigned flags)
{
    return cudaStreamUpdateCaptureDependencies(stream, deps, NULL, count, flags);
}
