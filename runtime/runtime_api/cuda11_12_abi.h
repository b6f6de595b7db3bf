/* cuda11_12_abi.h - what programs of CUDA 11 and 12 expect otherwise than those of CUDA 13:
 * structures, and the entry points whose arguments changed. rt12_NAME is NAME for programs of CUDA
 * 12 and, where there is no rt11_NAME, of CUDA 11 (runtime/CMakeLists.txt reads the names here).
 * Layouts and signatures are those of the CUDA Runtime API manuals 11.8 and 12.9. */
#ifndef WW_RUNTIME_RUNTIME_API_CUDA11_12_ABI_H
#define WW_RUNTIME_RUNTIME_API_CUDA11_12_ABI_H

#include "runtime/core/cuda_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Device properties as of CUDA 12 (cudaGetDeviceProperties_v2); those of CUDA 11 end before
 * hostRegisterSupported. */
typedef struct rt12_device_prop {
    char name[256];
    unsigned char uuid[16];
    char luid[8];
    unsigned luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    int clockRate; /* kHz */
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory;
    int computeMode, maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2];
    int maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3];
    int maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3];
    int maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2], maxSurface3D[3];
    int maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap;
    int maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver;
    int asyncEngineCount, unifiedAddressing;
    int memoryClockRate; /* kHz */
    int memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID;
    int hostNativeAtomicSupported, singleToDoublePrecisionPerfRatio, pageableMemoryAccess;
    int concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem;
    int cooperativeLaunch, cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost;
    int maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
    unsigned gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch;
    int unifiedFunctionPointers, reserved[63];
} rt12_device_prop;

enum { RT11_DEVICE_PROP_BYTES = 728 };
_Static_assert(offsetof(rt12_device_prop, clockRate) == 348, "layout of CUDA 12");
_Static_assert(offsetof(rt12_device_prop, surfaceAlignment) == 568, "layout of CUDA 12");
_Static_assert(offsetof(rt12_device_prop, memoryClockRate) == 608, "layout of CUDA 12");
_Static_assert(offsetof(rt12_device_prop, sharedMemPerBlockOptin) == 696, "layout of CUDA 12");
_Static_assert(offsetof(rt12_device_prop, hostRegisterSupported) == RT11_DEVICE_PROP_BYTES,
               "CUDA 11 ends here");
_Static_assert(sizeof(rt12_device_prop) == 1032, "layout of CUDA 12");

/* Structures that CUDA 12 and 13 made longer; their beginnings are the same. */
enum {
    RT12_POINTER_ATTRIBUTES_BYTES = 24,
    RT12_RESOURCE_DESC_BYTES = 64,
    RT11_TEXTURE_DESC_BYTES = 68,
    RT11_FUNC_ATTRIBUTES_BYTES = 56,
};

/* A texture<> variable of the host program (CUDA 11). */
typedef struct rt11_texture_reference {
    int normalized, filterMode, addressMode[3];
    cudaChannelFormatDesc channelDesc;
    int sRGB;
    unsigned maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, reserved[14];
} rt11_texture_reference;

_Static_assert(sizeof(rt11_texture_reference) == 124, "layout of CUDA 11");

/* ---- cuda11_12.c ---- */
cudaError_t rt11_cudaRuntimeGetVersion(int *version);
cudaError_t rt12_cudaRuntimeGetVersion(int *version);
cudaError_t rt11_cudaGetDriverEntryPoint(const char *name, void **function,
                                         unsigned long long flags);
cudaError_t rt12_cudaGetDriverEntryPoint(const char *name, void **function,
                                         unsigned long long flags, int *status);
cudaError_t rt12_cudaGetDeviceProperties(void *p, int device);
cudaError_t rt12_cudaGetDeviceProperties_v2(rt12_device_prop *p, int device);
cudaError_t rt11_cudaFuncGetAttributes(void *out, const void *host);
cudaError_t rt12_cudaPointerGetAttributes(void *out, const void *p);
cudaError_t rt12_cudaMemPrefetchAsync(const void *p, size_t bytes, int device, cudaStream_t stream);
cudaError_t rt12_cudaMemAdvise(const void *p, size_t bytes, int advice, int device);
cudaError_t rt12_cudaMemcpyBatchAsync(const void *const *dst, const void *const *src,
                                      const size_t *bytes, size_t count,
                                      const cudaMemcpyAttributes *attributes, const size_t *begins,
                                      size_t attribute_count, size_t *failed, cudaStream_t stream);
cudaError_t rt11_cudaCreateTextureObject(cudaTextureObject_t *out, const void *resource,
                                         const void *texture, const cudaResourceViewDesc *view);
cudaError_t rt12_cudaCreateTextureObject(cudaTextureObject_t *out, const void *resource,
                                         const cudaTextureDesc *texture,
                                         const cudaResourceViewDesc *view);
cudaError_t rt12_cudaCreateSurfaceObject(cudaSurfaceObject_t *out, const void *resource);
cudaError_t rt12_cudaGetTextureObjectResourceDesc(void *out, cudaTextureObject_t object);
cudaError_t rt12_cudaGetSurfaceObjectResourceDesc(void *out, cudaSurfaceObject_t object);
cudaError_t rt11_cudaGetTextureObjectTextureDesc(void *out, cudaTextureObject_t object);
cudaError_t rt11_cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph,
                                      cudaGraphNode_t *error_node, char *log, size_t size);
cudaError_t rt11_cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                     cudaGraphNode_t *error_node, int *result);
cudaError_t rt12_cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                          const cudaGraphNode_t *to, size_t count);
cudaError_t rt12_cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                   size_t *count);
cudaError_t rt12_cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *deps,
                                              size_t *count);
cudaError_t rt12_cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                size_t *count);
cudaError_t rt12_cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                             const cudaGraphNode_t *to, size_t count);
cudaError_t rt12_cudaStreamGetCaptureInfo(cudaStream_t stream, int *status, unsigned long long *id);
cudaError_t rt12_cudaStreamGetCaptureInfo_v2(cudaStream_t stream, int *status,
                                             unsigned long long *id, cudaGraph_t *graph,
                                             const cudaGraphNode_t **deps, size_t *count);
cudaError_t rt12_cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *deps,
                                                     size_t count, unsigned flags);

/* ---- texture_reference.c ---- */
void rt11___cudaRegisterTexture(void **handle, const rt11_texture_reference *host,
                                const void **device, const char *name, int dimensions,
                                int normalized_read, int ext);
cudaError_t rt11_cudaGetTextureReference(const rt11_texture_reference **out, const void *host);
cudaError_t rt11_cudaBindTexture(size_t *offset, const rt11_texture_reference *host, const void *p,
                                 const cudaChannelFormatDesc *desc, size_t bytes);
cudaError_t rt11_cudaBindTexture2D(size_t *offset, const rt11_texture_reference *host,
                                   const void *p, const cudaChannelFormatDesc *desc, size_t width,
                                   size_t height, size_t pitch);
cudaError_t rt11_cudaBindTextureToArray(const rt11_texture_reference *host, cudaArray_t array,
                                        const cudaChannelFormatDesc *desc);
cudaError_t rt11_cudaUnbindTexture(const rt11_texture_reference *host);
cudaError_t rt11_cudaGetTextureAlignmentOffset(size_t *offset, const rt11_texture_reference *host);

#ifdef __cplusplus
}
#endif
#endif
