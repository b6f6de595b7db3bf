/* calls.h - the entry points of the CUDA runtime that are implemented; the build gives every
 * other one of entry_points.txt a stub (runtime/CMakeLists.txt reads the names here). */
#ifndef WW_RUNTIME_RUNTIME_API_CALLS_H
#define WW_RUNTIME_RUNTIME_API_CALLS_H

#include "runtime/core/cuda_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- registration.c ---- */
WW_API void **__cudaRegisterFatBinary(void *wrapper);
WW_API void __cudaRegisterFatBinaryEnd(void **handle);
WW_API void __cudaUnregisterFatBinary(void **handle);
WW_API void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                                   int thread_limit, void *tid, void *bid, void *bdim, void *gdim,
                                   int *wsize);
WW_API void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext,
                              size_t size, int constant, int global);
WW_API void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                                     int ext, size_t size, int constant, int global);
WW_API void __cudaRegisterHostVar(void **handle, const char *name, void *host, size_t size);
WW_API void __cudaRegisterUnifiedTable(void **handle, void *table);
WW_API char __cudaInitModule(void **handle);

/* ---- launch.c ---- */
WW_API unsigned __cudaPushCallConfiguration(cudaDim3 grid, cudaDim3 block, size_t shared,
                                            cudaStream_t stream);
WW_API cudaError_t __cudaPopCallConfiguration(cudaDim3 *grid, cudaDim3 *block, size_t *shared,
                                              void *stream);
WW_API cudaError_t __cudaGetKernel(cudaKernel_t *out, const void *host);
WW_API cudaError_t cudaGetKernel(cudaKernel_t *out, const void *host);
WW_API cudaError_t cudaGetFuncBySymbol(void **out, const void *host);
WW_API cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, cudaDim3 grid, cudaDim3 block,
                                      void **args, size_t shared, cudaStream_t stream);
WW_API cudaError_t cudaLaunchKernel(const void *host, cudaDim3 grid, cudaDim3 block, void **args,
                                    size_t shared, cudaStream_t stream);
WW_API cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig *config, const void *host,
                                       void **args);
WW_API cudaError_t cudaLaunchCooperativeKernel(const void *host, cudaDim3 grid, cudaDim3 block,
                                               void **args, size_t shared, cudaStream_t stream);
WW_API cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *host,
                                                  const cudaLaunchConfig *config);
WW_API cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *host,
                                                        const cudaLaunchConfig *config);
WW_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host,
                                                                 int threads, size_t shared);
WW_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *host, int threads, size_t shared, unsigned flags);
WW_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *host,
                                                             int blocks, int threads);
WW_API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *out, const void *host);
WW_API cudaError_t cudaFuncSetAttribute(const void *host, int attribute, int value);
WW_API cudaError_t cudaFuncSetCacheConfig(const void *host, int config);
WW_API cudaError_t cudaFuncSetSharedMemConfig(const void *host, int config);
WW_API cudaError_t cudaFuncGetName(const char **name, const void *host);
WW_API cudaError_t cudaFuncGetParamInfo(const void *host, size_t index, size_t *offset,
                                        size_t *bytes);

/* ---- memory.c ---- */
WW_API cudaError_t cudaMalloc(void **out, size_t bytes);
WW_API cudaError_t cudaFree(void *p);
WW_API cudaError_t cudaMallocAsync(void **out, size_t bytes, cudaStream_t stream);
WW_API cudaError_t cudaMallocFromPoolAsync(void **out, size_t bytes, cudaMemPool_t pool,
                                           cudaStream_t stream);
WW_API cudaError_t cudaFreeAsync(void *p, cudaStream_t stream);
WW_API cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height);
WW_API cudaError_t cudaMalloc3D(cudaPitchedPtr *out, cudaExtent extent);
WW_API cudaError_t cudaMallocManaged(void **out, size_t bytes, unsigned flags);
WW_API cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, cudaMemLocation where,
                                        unsigned flags, cudaStream_t stream);
WW_API cudaError_t cudaMemAdvise(const void *p, size_t bytes, int advice, cudaMemLocation where);
WW_API cudaError_t cudaMemGetInfo(size_t *spare, size_t *total);
WW_API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *out, const void *p);

/* ---- host_memory.c ---- */
WW_API cudaError_t cudaMallocHost(void **out, size_t bytes);
WW_API cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags);
WW_API cudaError_t cudaFreeHost(void *p);
WW_API cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags);
WW_API cudaError_t cudaHostUnregister(void *p);
WW_API cudaError_t cudaHostGetDevicePointer(void **out, void *p, unsigned flags);
WW_API cudaError_t cudaHostGetFlags(unsigned *flags, void *p);

/* ---- copy.c ---- */
WW_API cudaError_t cudaMemcpy(void *dst, const void *src, size_t bytes, int kind);
WW_API cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, int kind,
                                   cudaStream_t stream);
WW_API cudaError_t cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device,
                                  size_t bytes);
WW_API cudaError_t cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device,
                                       size_t bytes, cudaStream_t stream);
WW_API cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch,
                                size_t width, size_t height, int kind);
WW_API cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                                     size_t width, size_t height, int kind, cudaStream_t stream);
WW_API cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms *p);
WW_API cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms *p, cudaStream_t stream);
WW_API cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *p);
WW_API cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t stream);
WW_API cudaError_t cudaMemset(void *dst, int value, size_t bytes);
WW_API cudaError_t cudaMemsetAsync(void *dst, int value, size_t bytes, cudaStream_t stream);
WW_API cudaError_t cudaMemset2D(void *dst, size_t pitch, int value, size_t width, size_t height);
WW_API cudaError_t cudaMemset2DAsync(void *dst, size_t pitch, int value, size_t width,
                                     size_t height, cudaStream_t stream);
WW_API cudaError_t cudaMemset3D(cudaPitchedPtr dst, int value, cudaExtent e);
WW_API cudaError_t cudaMemset3DAsync(cudaPitchedPtr dst, int value, cudaExtent e,
                                     cudaStream_t stream);
WW_API cudaError_t cudaMemcpyToSymbol(const void *host, const void *src, size_t count,
                                      size_t offset, int kind);
WW_API cudaError_t cudaMemcpyToSymbolAsync(const void *host, const void *src, size_t count,
                                           size_t offset, int kind, cudaStream_t stream);
WW_API cudaError_t cudaMemcpyFromSymbol(void *dst, const void *host, size_t count, size_t offset,
                                        int kind);
WW_API cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *host, size_t count,
                                             size_t offset, int kind, cudaStream_t stream);
WW_API cudaError_t cudaGetSymbolAddress(void **address, const void *host);
WW_API cudaError_t cudaGetSymbolSize(size_t *size, const void *host);

/* ---- array.c ---- */
WW_API cudaError_t cudaMallocArray(cudaArray_t *out, const cudaChannelFormatDesc *desc,
                                   size_t width, size_t height, unsigned flags);
WW_API cudaError_t cudaMalloc3DArray(cudaArray_t *out, const cudaChannelFormatDesc *desc,
                                     cudaExtent extent, unsigned flags);
WW_API cudaError_t cudaFreeArray(cudaArray_t array);
WW_API cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc *desc, cudaExtent *extent,
                                    unsigned *flags, cudaArray_t array);
WW_API cudaError_t cudaArrayGetPlane(cudaArray_t *out, cudaArray_t array, unsigned index);
WW_API cudaError_t cudaArrayGetMemoryRequirements(cudaArrayMemoryRequirements *out,
                                                  cudaArray_t array, int device);
WW_API cudaError_t cudaArrayGetSparseProperties(void *out, cudaArray_t array);
WW_API cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc *desc, cudaArray_t array);
WW_API cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t x, size_t y, const void *src,
                                     size_t bytes, int kind);
WW_API cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src,
                                          size_t bytes, int kind, cudaStream_t stream);
WW_API cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_t src, size_t x, size_t y, size_t bytes,
                                       int kind);
WW_API cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_t src, size_t x, size_t y,
                                            size_t bytes, int kind, cudaStream_t stream);
WW_API cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t dx, size_t dy, cudaArray_t src,
                                          size_t sx, size_t sy, size_t bytes, int kind);
WW_API cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t x, size_t y, const void *src,
                                       size_t pitch, size_t width, size_t height, int kind);
WW_API cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t x, size_t y, const void *src,
                                            size_t pitch, size_t width, size_t height, int kind,
                                            cudaStream_t stream);
WW_API cudaError_t cudaMemcpy2DFromArray(void *dst, size_t pitch, cudaArray_t src, size_t x,
                                         size_t y, size_t width, size_t height, int kind);
WW_API cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t pitch, cudaArray_t src, size_t x,
                                              size_t y, size_t width, size_t height, int kind,
                                              cudaStream_t stream);
WW_API cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t dx, size_t dy, cudaArray_t src,
                                            size_t sx, size_t sy, size_t width, size_t height,
                                            int kind);

/* ---- texture.c ---- */
WW_API cudaError_t cudaCreateTextureObject(cudaTextureObject_t *out,
                                           const cudaResourceDesc *resource,
                                           const cudaTextureDesc *texture,
                                           const cudaResourceViewDesc *view);
WW_API cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object);
WW_API cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *out,
                                                    cudaTextureObject_t object);
WW_API cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *out,
                                                   cudaTextureObject_t object);
WW_API cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *out,
                                           const cudaResourceDesc *resource);
WW_API cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object);
WW_API cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *out,
                                                    cudaSurfaceObject_t object);
WW_API cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *elements,
                                                        const cudaChannelFormatDesc *desc,
                                                        int device);

/* ---- driver_api/library.c ---- */
WW_API cudaError_t cudaLibraryLoadData(cudaLibrary_t *out, const void *image, int *options,
                                       void **values, unsigned count, const int *library_options,
                                       void **library_values, unsigned library_count);
WW_API cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *out, const char *path, int *options,
                                           void **values, unsigned count,
                                           const int *library_options, void **library_values,
                                           unsigned library_count);
WW_API cudaError_t cudaLibraryUnload(cudaLibrary_t library);
WW_API cudaError_t cudaLibraryGetKernel(cudaKernel_t *out, cudaLibrary_t library, const char *name);
WW_API cudaError_t cudaLibraryGetGlobal(void **address, size_t *bytes, cudaLibrary_t library,
                                        const char *name);
WW_API cudaError_t cudaLibraryGetManaged(void **address, size_t *bytes, cudaLibrary_t library,
                                         const char *name);

/* ---- mempool.c ---- */
WW_API cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *out, int device);
WW_API cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *out, int device);
WW_API cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
WW_API cudaError_t cudaMemPoolCreate(cudaMemPool_t *out, const cudaMemPoolProps *props);
WW_API cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
WW_API cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytes);
WW_API cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, int which, void *value);
WW_API cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, int which, void *value);
WW_API cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc *list,
                                        size_t count);
WW_API cudaError_t cudaMemPoolGetAccess(int *flags, cudaMemPool_t pool, cudaMemLocation *location);
WW_API cudaError_t cudaMemPoolExportToShareableHandle(void *out, cudaMemPool_t pool, int type,
                                                      unsigned flags);
WW_API cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *out, void *handle, int type,
                                                        unsigned flags);
WW_API cudaError_t cudaMemPoolExportPointer(cudaMemPoolPtrExportData *out, void *p);
WW_API cudaError_t cudaMemPoolImportPointer(void **out, cudaMemPool_t pool,
                                            cudaMemPoolPtrExportData *data);

/* ---- managed.c ---- */
WW_API cudaError_t cudaMemRangeGetAttribute(void *out, size_t bytes, int which, const void *p,
                                            size_t count);
WW_API cudaError_t cudaMemRangeGetAttributes(void **out, size_t *bytes, int *which, size_t n,
                                             const void *p, size_t count);

/* ---- batch.c ---- */
WW_API cudaError_t cudaMemcpyBatchAsync(const void *const *dst, const void *const *src,
                                        const size_t *bytes, size_t count,
                                        const cudaMemcpyAttributes *attributes,
                                        const size_t *begins, size_t attribute_count,
                                        cudaStream_t stream);

/* ---- ipc.c ---- */
WW_API cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *out, void *p);
WW_API cudaError_t cudaIpcOpenMemHandle(void **out, cudaIpcMemHandle_t handle, unsigned flags);
WW_API cudaError_t cudaIpcCloseMemHandle(void *p);
WW_API cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *out, cudaEvent_t event);
WW_API cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *out, cudaIpcEventHandle_t handle);

/* ---- stream.c ---- */
WW_API cudaError_t cudaStreamCreate(cudaStream_t *out);
WW_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags);
WW_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority);
WW_API cudaError_t cudaStreamDestroy(cudaStream_t stream);
WW_API cudaError_t cudaStreamSynchronize(cudaStream_t stream);
WW_API cudaError_t cudaStreamQuery(cudaStream_t stream);
WW_API cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *p, size_t length,
                                            unsigned flags);
WW_API cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags);
WW_API cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority);
WW_API cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id);
WW_API cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device);
WW_API cudaError_t cudaStreamSetAttribute(cudaStream_t stream, int which,
                                          const cudaLaunchAttributeValue *value);
WW_API cudaError_t cudaStreamGetAttribute(cudaStream_t stream, int which,
                                          cudaLaunchAttributeValue *value);
WW_API cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from);
WW_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user);
WW_API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                         void *user, unsigned flags);
WW_API cudaError_t cudaEventCreate(cudaEvent_t *out);
WW_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags);
WW_API cudaError_t cudaEventDestroy(cudaEvent_t event);
WW_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
WW_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags);
WW_API cudaError_t cudaEventSynchronize(cudaEvent_t event);
WW_API cudaError_t cudaEventQuery(cudaEvent_t event);
WW_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
WW_API cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to);

/* ---- graphs/nodes.c ---- */
WW_API cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                          const cudaGraphNode_t *deps, size_t count,
                                          const cudaKernelNodeParams *params);
WW_API cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                          const cudaGraphNode_t *deps, size_t count,
                                          const cudaMemcpy3DParms *params);
WW_API cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *out, cudaGraph_t graph,
                                            const cudaGraphNode_t *deps, size_t count, void *dst,
                                            const void *src, size_t bytes, int kind);
WW_API cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                          const cudaGraphNode_t *deps, size_t count,
                                          const cudaMemsetParams *params);
WW_API cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                        const cudaGraphNode_t *deps, size_t count,
                                        const cudaHostNodeParams *params);
WW_API cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                         const cudaGraphNode_t *deps, size_t count);
WW_API cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                              const cudaGraphNode_t *deps, size_t count,
                                              cudaGraph_t child);
WW_API cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                               const cudaGraphNode_t *deps, size_t count,
                                               cudaEvent_t event);
WW_API cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                            const cudaGraphNode_t *deps, size_t count,
                                            cudaMemAllocNodeParams *params);
WW_API cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                           const cudaGraphNode_t *deps, size_t count, void *p);
WW_API cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams *params);
WW_API cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                                const cudaKernelNodeParams *params);
WW_API cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                    const cudaKernelNodeParams *params);
WW_API cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                      void *dst, const void *src, size_t bytes,
                                                      int kind);
WW_API cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                  const cudaHostNodeParams *params);

WW_API cudaError_t cudaGraphAddNode(cudaGraphNode_t *out, cudaGraph_t graph,
                                    const cudaGraphNode_t *deps, const cudaGraphEdgeData *edges,
                                    size_t count, cudaGraphNodeParams *params);

/* ---- graphs/edges.c ---- */
WW_API cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                     cudaGraphEdgeData *edges, size_t *count);
WW_API cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *deps,
                                                cudaGraphEdgeData *edges, size_t *count);
WW_API cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes,
                                                  cudaGraphEdgeData *edges, size_t *count);
WW_API cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                               const cudaGraphNode_t *to,
                                               const cudaGraphEdgeData *edges, size_t count);
WW_API cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node);
WW_API cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           unsigned enabled);
WW_API cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           unsigned *enabled);

/* ---- graphs/kernel_attribute.c ---- */
WW_API cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, int which,
                                                   const cudaLaunchAttributeValue *value);
WW_API cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, int which,
                                                   cudaLaunchAttributeValue *value);
WW_API cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from);

/* ---- graphs/user_object.c ---- */
WW_API cudaError_t cudaUserObjectCreate(cudaUserObject_t *out, void *object, cudaHostFn_t destroy,
                                        unsigned count, unsigned flags);
WW_API cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count);
WW_API cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count);
WW_API cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                             unsigned count, unsigned flags);
WW_API cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                              unsigned count);

/* ---- graphs/condition.c ---- */
WW_API cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *out,
                                                    cudaGraph_t graph, unsigned value,
                                                    unsigned flags);

/* ---- graph.c ---- */
WW_API cudaError_t cudaGraphCreate(cudaGraph_t *out, unsigned flags);
WW_API cudaError_t cudaGraphDestroy(cudaGraph_t graph);
WW_API cudaError_t cudaGraphClone(cudaGraph_t *out, cudaGraph_t graph);
WW_API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
WW_API cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
WW_API cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, int *type);
WW_API cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *out, cudaGraphNode_t node,
                                            cudaGraph_t clone);
WW_API cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                            const cudaGraphNode_t *to,
                                            const cudaGraphEdgeData *edges, size_t count);
WW_API cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph,
                                        unsigned long long flags);
WW_API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *out, cudaGraph_t graph,
                                                 unsigned long long flags);
WW_API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                       cudaGraphExecUpdateResultInfo *result);
WW_API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
WW_API cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream);
WW_API cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);
WW_API cudaError_t cudaDeviceGetGraphMemAttribute(int device, int which, void *value);
WW_API cudaError_t cudaDeviceSetGraphMemAttribute(int device, int which, void *value);
WW_API cudaError_t cudaDeviceGraphMemTrim(int device);

/* ---- capture.c ---- */
WW_API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int mode);
WW_API cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                                 const cudaGraphNode_t *deps,
                                                 const cudaGraphEdgeData *edges, size_t count,
                                                 int mode);
WW_API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *out);
WW_API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, int *status);
WW_API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, int *status,
                                            unsigned long long *id, cudaGraph_t *graph,
                                            const cudaGraphNode_t **deps,
                                            const cudaGraphEdgeData **edges, size_t *count);
WW_API cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *deps,
                                                       const cudaGraphEdgeData *edges, size_t count,
                                                       unsigned flags);
WW_API cudaError_t cudaThreadExchangeStreamCaptureMode(int *mode);

/* ---- device.c ---- */
WW_API cudaError_t cudaGetDeviceCount(int *count);
WW_API cudaError_t cudaGetDevice(int *device);
WW_API cudaError_t cudaSetDevice(int device);
WW_API cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags);
WW_API cudaError_t cudaSetValidDevices(int *devices, int count);
WW_API cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *wish);
WW_API cudaError_t cudaSetDeviceFlags(unsigned flags);
WW_API cudaError_t cudaGetDeviceFlags(unsigned *flags);
WW_API cudaError_t cudaDeviceSynchronize(void);
WW_API cudaError_t cudaDeviceReset(void);
WW_API cudaError_t cudaDriverGetVersion(int *version);
WW_API cudaError_t cudaRuntimeGetVersion(int *version);
WW_API cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device);
WW_API cudaError_t cudaDeviceGetAttribute(int *value, int which, int device);
WW_API cudaError_t cudaDeviceSetLimit(int which, size_t value);
WW_API cudaError_t cudaDeviceGetLimit(size_t *value, int which);
WW_API cudaError_t cudaDeviceSetCacheConfig(int config);
WW_API cudaError_t cudaDeviceGetCacheConfig(int *config);
WW_API cudaError_t cudaDeviceSetSharedMemConfig(int config);
WW_API cudaError_t cudaDeviceGetSharedMemConfig(int *config);
WW_API cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
WW_API cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int device);
WW_API cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id);
WW_API cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
WW_API cudaError_t cudaDeviceGetP2PAttribute(int *value, int attribute, int device, int peer);
WW_API cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
WW_API cudaError_t cudaDeviceDisablePeerAccess(int peer);
WW_API cudaError_t cudaCtxResetPersistingL2Cache(void);
WW_API cudaError_t cudaProfilerStart(void);
WW_API cudaError_t cudaProfilerStop(void);
WW_API cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int f);

/* ---- error.c ---- */
WW_API const char *cudaGetErrorName(cudaError_t code);
WW_API const char *cudaGetErrorString(cudaError_t code);
WW_API cudaError_t cudaGetLastError(void);
WW_API cudaError_t cudaPeekAtLastError(void);

#ifdef __cplusplus
}
#endif
#endif
