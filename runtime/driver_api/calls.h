/* calls.h - the entry points of the CUDA driver API that are implemented, by the names that
 * cuda.h of CUDA 13 gives them. Result codes have the numbers of the runtime's. */
#ifndef WW_RUNTIME_DRIVER_API_CALLS_H
#define WW_RUNTIME_DRIVER_API_CALLS_H

#include "runtime/core/cuda_abi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef cudaError_t CUresult;
typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct rt_module *CUmodule;
typedef struct cudaKernel *CUfunction;
typedef struct CUlinkState_st *CUlinkState;
typedef unsigned long long CUmemGenericAllocationHandle;

enum {
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_INVALID_IMAGE = 200,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_FILE_NOT_FOUND = 301,
    CUDA_ERROR_NOT_FOUND = 500
};

typedef struct CUlaunchConfig {
    cudaDim3 grid, block;
    unsigned sharedMemBytes;
    cudaStream_t hStream;
    const cudaLaunchAttribute *attrs;
    unsigned numAttrs;
} CUlaunchConfig;

typedef struct CUtensorMap {
    _Alignas(64) uint64_t opaque[16];
} CUtensorMap;

typedef struct CUDA_MEMCPY2D {
    size_t srcXInBytes, srcY;
    int srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    cudaArray_t srcArray;
    size_t srcPitch;
    size_t dstXInBytes, dstY;
    int dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    cudaArray_t dstArray;
    size_t dstPitch;
    size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;

typedef struct CUDA_MEMCPY3D {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    int srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    cudaArray_t srcArray;
    void *reserved0;
    size_t srcPitch, srcHeight;
    size_t dstXInBytes, dstY, dstZ, dstLOD;
    int dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    cudaArray_t dstArray;
    void *reserved1;
    size_t dstPitch, dstHeight;
    size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;

_Static_assert(sizeof(CUDA_MEMCPY3D) == 200, "layout of cuda.h");

typedef struct CUDA_ARRAY3D_DESCRIPTOR {
    size_t Width, Height, Depth;
    int Format;
    unsigned NumChannels, Flags;
} CUDA_ARRAY3D_DESCRIPTOR;

typedef struct CUDA_ARRAY_DESCRIPTOR {
    size_t Width, Height;
    int Format;
    unsigned NumChannels;
} CUDA_ARRAY_DESCRIPTOR;

typedef struct CUDA_RESOURCE_DESC {
    int resType;
    union {
        cudaArray_t array;
        struct {
            CUdeviceptr devPtr;
            int format;
            unsigned numChannels;
            size_t sizeInBytes;
        } linear;
        struct {
            CUdeviceptr devPtr;
            int format;
            unsigned numChannels;
            size_t width, height, pitchInBytes;
        } pitch2D;
        int reserved[32];
    } res;
    unsigned flags;
} CUDA_RESOURCE_DESC;

typedef struct CUDA_TEXTURE_DESC {
    int addressMode[3];
    int filterMode;
    unsigned flags;
    unsigned maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    float borderColor[4];
    int reserved[12];
} CUDA_TEXTURE_DESC;

typedef struct CUmemAllocationProp {
    int type, requestedHandleTypes;
    cudaMemLocation location;
    void *win32HandleMetaData;
    unsigned char compressionType, gpuDirectRDMACapable;
    unsigned short usage;
    unsigned char reserved[4];
} CUmemAllocationProp;

_Static_assert(sizeof(CUmemAllocationProp) == 32, "layout of cuda.h");

/* ---- device.c ---- */
WW_API CUresult cuInit(unsigned flags);
WW_API CUresult cuDriverGetVersion(int *version);
WW_API CUresult cuDeviceGet(CUdevice *device, int ordinal);
WW_API CUresult cuDeviceGetCount(int *count);
WW_API CUresult cuDeviceGetName(char *name, int length, CUdevice device);
WW_API CUresult cuDeviceGetUuid(unsigned char *uuid, CUdevice device);
WW_API CUresult cuDeviceGetUuid_v2(unsigned char *uuid, CUdevice device);
WW_API CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device);
WW_API CUresult cuDeviceGetAttribute(int *value, int which, CUdevice device);
WW_API CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device);
WW_API CUresult cuDeviceGetPCIBusId(char *id, int length, CUdevice device);
WW_API CUresult cuDeviceGetP2PAttribute(int *value, int attribute, CUdevice device, CUdevice peer);
WW_API CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer);
WW_API CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
WW_API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device);
WW_API CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device);
WW_API CUresult cuCtxCreate_v4(CUcontext *context, void *params, unsigned flags, CUdevice device);
WW_API CUresult cuCtxDestroy_v2(CUcontext context);
WW_API CUresult cuCtxPushCurrent_v2(CUcontext context);
WW_API CUresult cuCtxPopCurrent_v2(CUcontext *context);
WW_API CUresult cuCtxSetCurrent(CUcontext context);
WW_API CUresult cuCtxGetCurrent(CUcontext *context);
WW_API CUresult cuCtxGetDevice(CUdevice *device);
WW_API CUresult cuCtxSynchronize(void);
WW_API CUresult cuGetErrorName(CUresult code, const char **name);
WW_API CUresult cuGetErrorString(CUresult code, const char **text);
WW_API CUresult cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags,
                                    int *status);
WW_API CUresult cuGetExportTable(const void **table, const void *id);
WW_API cudaError_t cudaGetDriverEntryPoint(const char *name, void **function,
                                           unsigned long long flags, int *status);
WW_API cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function,
                                                    unsigned version, unsigned long long flags,
                                                    int *status);

WW_API CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active);
WW_API CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags);
WW_API CUresult cuDevicePrimaryCtxReset_v2(CUdevice device);
WW_API CUresult cuCtxGetFlags(unsigned *flags);
WW_API CUresult cuCtxGetId(CUcontext context, unsigned long long *id);
WW_API CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version);
WW_API CUresult cuCtxSetLimit(int which, size_t value);
WW_API CUresult cuCtxGetLimit(size_t *value, int which);
WW_API CUresult cuCtxSetCacheConfig(int config);
WW_API CUresult cuCtxGetCacheConfig(int *config);
WW_API CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest);
WW_API CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags);
WW_API CUresult cuCtxDisablePeerAccess(CUcontext peer);
WW_API CUresult cuProfilerStart(void);
WW_API CUresult cuProfilerStop(void);
/* The handle of the one context; private to this library. */
CUcontext rt_context_handle(void);

/* ---- library.c ---- */
WW_API CUresult cuLibraryLoadData(CUmodule *out, const void *image, int *options, void **values,
                                  unsigned count, const int *library_options, void **library_values,
                                  unsigned library_count);
WW_API CUresult cuLibraryLoadFromFile(CUmodule *out, const char *path, int *options, void **values,
                                      unsigned count, const int *library_options,
                                      void **library_values, unsigned library_count);
WW_API CUresult cuLibraryUnload(CUmodule library);
WW_API CUresult cuLibraryGetKernel(CUfunction *out, CUmodule library, const char *name);
WW_API CUresult cuLibraryGetModule(CUmodule *out, CUmodule library);
WW_API CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule library,
                                   const char *name);
WW_API CUresult cuLibraryGetManaged(CUdeviceptr *address, size_t *bytes, CUmodule library,
                                    const char *name);
WW_API CUresult cuKernelGetLibrary(CUmodule *out, CUfunction kernel);
WW_API CUresult cuKernelGetFunction(CUfunction *out, CUfunction kernel);
WW_API CUresult cuKernelGetAttribute(int *value, int which, CUfunction kernel, CUdevice device);
WW_API CUresult cuKernelSetAttribute(int which, int value, CUfunction kernel, CUdevice device);
WW_API CUresult cuKernelSetCacheConfig(CUfunction kernel, int config, CUdevice device);
WW_API CUresult cuKernelGetName(const char **name, CUfunction kernel);
WW_API CUresult cuKernelGetParamInfo(CUfunction kernel, size_t index, size_t *offset,
                                     size_t *bytes);
WW_API CUresult cuFuncGetModule(CUmodule *out, CUfunction kernel);
WW_API CUresult cuFuncGetName(const char **name, CUfunction kernel);
WW_API CUresult cuFuncGetParamInfo(CUfunction kernel, size_t index, size_t *offset, size_t *bytes);
WW_API CUresult cuModuleGetLoadingMode(int *mode);

/* ---- pointer.c ---- */
WW_API CUresult cuPointerGetAttribute(void *out, int which, CUdeviceptr p);
WW_API CUresult cuPointerGetAttributes(unsigned count, const int *which, void **out, CUdeviceptr p);
WW_API CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr p);

/* ---- module.c ---- */
WW_API CUresult cuModuleLoad(CUmodule *out, const char *path);
WW_API CUresult cuModuleLoadData(CUmodule *out, const void *image);
WW_API CUresult cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned count, int *options,
                                   void **values);
WW_API CUresult cuModuleLoadFatBinary(CUmodule *out, const void *image);
WW_API CUresult cuModuleUnload(CUmodule module);
WW_API CUresult cuModuleGetFunction(CUfunction *out, CUmodule module, const char *name);
WW_API CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module,
                                     const char *name);
WW_API CUresult cuLinkCreate_v2(unsigned count, int *options, void **values, CUlinkState *out);
WW_API CUresult cuLinkAddData_v2(CUlinkState state, int type, void *data, size_t size,
                                 const char *name, unsigned count, int *options, void **values);
WW_API CUresult cuLinkAddFile_v2(CUlinkState state, int type, const char *path, unsigned count,
                                 int *options, void **values);
WW_API CUresult cuLinkComplete(CUlinkState state, void **image, size_t *size);
WW_API CUresult cuLinkDestroy(CUlinkState state);
WW_API CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                               unsigned by, unsigned bz, unsigned shared, cudaStream_t stream,
                               void **params, void **extra);
WW_API CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **params,
                                 void **extra);
WW_API CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz,
                                          unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                          cudaStream_t stream, void **params);
WW_API CUresult cuFuncGetAttribute(int *value, int which, CUfunction f);
WW_API CUresult cuFuncSetAttribute(CUfunction f, int which, int value);
WW_API CUresult cuFuncSetCacheConfig(CUfunction f, int config);
WW_API CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int threads,
                                                            size_t shared);
WW_API CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction f,
                                             const CUlaunchConfig *config);
WW_API CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction f,
                                                   const CUlaunchConfig *config);
WW_API CUresult cuOccupancyMaxPotentialBlockSize(int *min_grid, int *block, CUfunction f,
                                                 size_t (*shared_of)(int), size_t shared,
                                                 int limit);

/* ---- tensor_map.c ---- */
WW_API CUresult cuTensorMapEncodeTiled(CUtensorMap *out, unsigned type, unsigned rank,
                                       void *address, const uint64_t *dim, const uint64_t *stride,
                                       const unsigned *box, const unsigned *step,
                                       unsigned interleave, unsigned swizzle, unsigned promotion,
                                       unsigned fill);
WW_API CUresult cuTensorMapEncodeIm2col(CUtensorMap *out, unsigned type, unsigned rank,
                                        void *address, const uint64_t *dim, const uint64_t *stride,
                                        const int *lower, const int *upper, unsigned channels,
                                        unsigned pixels, const unsigned *step, unsigned interleave,
                                        unsigned swizzle, unsigned promotion, unsigned fill);
WW_API CUresult cuTensorMapReplaceAddress(CUtensorMap *out, void *address);

/* ---- memory.c ---- */
WW_API CUresult cuMemAlloc_v2(CUdeviceptr *out, size_t bytes);
WW_API CUresult cuMemAllocPitch_v2(CUdeviceptr *out, size_t *pitch, size_t width, size_t height,
                                   unsigned element_bytes);
WW_API CUresult cuMemAllocManaged(CUdeviceptr *out, size_t bytes, unsigned flags);
WW_API CUresult cuMemFree_v2(CUdeviceptr p);
WW_API CUresult cuMemAllocHost_v2(void **out, size_t bytes);
WW_API CUresult cuMemHostAlloc(void **out, size_t bytes, unsigned flags);
WW_API CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *out, void *p, unsigned flags);
WW_API CUresult cuMemFreeHost(void *p);
WW_API CUresult cuMemGetInfo_v2(size_t *spare, size_t *total);
WW_API CUresult cuMemcpyHtoD_v2(CUdeviceptr dst, const void *src, size_t bytes);
WW_API CUresult cuMemcpyDtoH_v2(void *dst, CUdeviceptr src, size_t bytes);
WW_API CUresult cuMemcpyDtoD_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes);
WW_API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void *src, size_t bytes,
                                     cudaStream_t stream);
WW_API CUresult cuMemcpyDtoHAsync_v2(void *dst, CUdeviceptr src, size_t bytes, cudaStream_t stream);
WW_API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes,
                                     cudaStream_t stream);
WW_API CUresult cuMemsetD8_v2(CUdeviceptr p, unsigned char value, size_t count);
WW_API CUresult cuMemsetD16_v2(CUdeviceptr p, unsigned short value, size_t count);
WW_API CUresult cuMemsetD32_v2(CUdeviceptr p, unsigned value, size_t count);
WW_API CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t bytes);
WW_API CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, cudaStream_t stream);
WW_API CUresult cuMemsetD8Async(CUdeviceptr p, unsigned char value, size_t count,
                                cudaStream_t stream);
WW_API CUresult cuMemsetD16Async(CUdeviceptr p, unsigned short value, size_t count,
                                 cudaStream_t stream);
WW_API CUresult cuMemsetD32Async(CUdeviceptr p, unsigned value, size_t count, cudaStream_t stream);
WW_API CUresult cuMemsetD2D8_v2(CUdeviceptr p, size_t pitch, unsigned char value, size_t width,
                                size_t height);
WW_API CUresult cuMemsetD2D16_v2(CUdeviceptr p, size_t pitch, unsigned short value, size_t width,
                                 size_t height);
WW_API CUresult cuMemsetD2D32_v2(CUdeviceptr p, size_t pitch, unsigned value, size_t width,
                                 size_t height);
WW_API CUresult cuMemsetD2D8Async(CUdeviceptr p, size_t pitch, unsigned char value, size_t width,
                                  size_t height, cudaStream_t stream);
WW_API CUresult cuMemsetD2D16Async(CUdeviceptr p, size_t pitch, unsigned short value, size_t width,
                                   size_t height, cudaStream_t stream);
WW_API CUresult cuMemsetD2D32Async(CUdeviceptr p, size_t pitch, unsigned value, size_t width,
                                   size_t height, cudaStream_t stream);
WW_API CUresult cuMemHostRegister_v2(void *p, size_t bytes, unsigned flags);
WW_API CUresult cuMemHostUnregister(void *p);
WW_API CUresult cuMemHostGetFlags(unsigned *flags, void *p);
WW_API CUresult cuMemPrefetchAsync_v2(CUdeviceptr p, size_t bytes, cudaMemLocation where,
                                      unsigned flags, cudaStream_t stream);
WW_API CUresult cuMemPrefetchAsync(CUdeviceptr p, size_t bytes, CUdevice where,
                                   cudaStream_t stream);
WW_API CUresult cuMemAdvise(CUdeviceptr p, size_t bytes, int advice, CUdevice where);
WW_API CUresult cuMemAdvise_v2(CUdeviceptr p, size_t bytes, int advice, cudaMemLocation where);
WW_API CUresult cuArrayCreate_v2(cudaArray_t *out, const CUDA_ARRAY_DESCRIPTOR *desc);
WW_API CUresult cuArrayDestroy(cudaArray_t array);
WW_API CUresult cuArray3DCreate_v2(cudaArray_t *out, const CUDA_ARRAY3D_DESCRIPTOR *desc);
WW_API CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *out, cudaArray_t array);
WW_API CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *out, cudaArray_t array);
WW_API CUresult cuArrayGetPlane(cudaArray_t *out, cudaArray_t array, unsigned index);
WW_API CUresult cuArrayGetMemoryRequirements(cudaArrayMemoryRequirements *out, cudaArray_t array,
                                             CUdevice device);
WW_API CUresult cuArrayGetSparseProperties(void *out, cudaArray_t array);
WW_API CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy);
WW_API CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy);
WW_API CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, cudaStream_t stream);
WW_API CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy);
WW_API CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, cudaStream_t stream);
WW_API CUresult cuMemcpyHtoA_v2(cudaArray_t dst, size_t offset, const void *src, size_t bytes);
WW_API CUresult cuMemcpyHtoAAsync_v2(cudaArray_t dst, size_t offset, const void *src, size_t bytes,
                                     cudaStream_t stream);
WW_API CUresult cuMemcpyDtoA_v2(cudaArray_t dst, size_t offset, CUdeviceptr src, size_t bytes);
WW_API CUresult cuMemcpyAtoH_v2(void *dst, cudaArray_t src, size_t offset, size_t bytes);
WW_API CUresult cuMemcpyAtoHAsync_v2(void *dst, cudaArray_t src, size_t offset, size_t bytes,
                                     cudaStream_t stream);
WW_API CUresult cuMemcpyAtoD_v2(CUdeviceptr dst, cudaArray_t src, size_t offset, size_t bytes);
WW_API CUresult cuMemcpyAtoA_v2(cudaArray_t dst, size_t dst_offset, cudaArray_t src,
                                size_t src_offset, size_t bytes);
WW_API CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, unsigned long long object);
WW_API CUresult cuSurfObjectCreate(unsigned long long *out, const CUDA_RESOURCE_DESC *resource);
WW_API CUresult cuSurfObjectDestroy(unsigned long long object);
WW_API CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, unsigned long long object);
WW_API CUresult cuMemRangeGetAttribute(void *out, size_t bytes, int which, CUdeviceptr p,
                                       size_t count);
WW_API CUresult cuMemRangeGetAttributes(void **out, size_t *bytes, int *which, size_t n,
                                        CUdeviceptr p, size_t count);
WW_API CUresult cuTexObjectCreate(unsigned long long *out, const CUDA_RESOURCE_DESC *resource,
                                  const CUDA_TEXTURE_DESC *texture, const void *view);
WW_API CUresult cuTexObjectDestroy(unsigned long long object);

/* ---- stream.c ---- */
WW_API CUresult cuStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority);
WW_API CUresult cuStreamGetPriority(cudaStream_t stream, int *priority);
WW_API CUresult cuStreamGetFlags(cudaStream_t stream, unsigned *flags);
WW_API CUresult cuStreamGetId(cudaStream_t stream, unsigned long long *id);
WW_API CUresult cuStreamGetDevice(cudaStream_t stream, CUdevice *device);
WW_API CUresult cuStreamGetCtx(cudaStream_t stream, CUcontext *context);
WW_API CUresult cuStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *user,
                                    unsigned flags);
WW_API CUresult cuLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *user);
WW_API CUresult cuStreamAttachMemAsync(cudaStream_t stream, CUdeviceptr p, size_t bytes,
                                       unsigned flags);
WW_API CUresult cuEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags);
WW_API CUresult cuStreamCreate(cudaStream_t *out, unsigned flags);
WW_API CUresult cuStreamDestroy_v2(cudaStream_t stream);
WW_API CUresult cuStreamSetAttribute(cudaStream_t stream, int which,
                                     const cudaLaunchAttributeValue *value);
WW_API CUresult cuStreamGetAttribute(cudaStream_t stream, int which,
                                     cudaLaunchAttributeValue *value);
WW_API CUresult cuStreamCopyAttributes(cudaStream_t to, cudaStream_t from);
WW_API CUresult cuStreamSynchronize(cudaStream_t stream);
WW_API CUresult cuStreamQuery(cudaStream_t stream);
WW_API CUresult cuStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
WW_API CUresult cuEventCreate(cudaEvent_t *out, unsigned flags);
WW_API CUresult cuEventDestroy_v2(cudaEvent_t event);
WW_API CUresult cuEventRecord(cudaEvent_t event, cudaStream_t stream);
WW_API CUresult cuEventQuery(cudaEvent_t event);
WW_API CUresult cuEventSynchronize(cudaEvent_t event);
WW_API CUresult cuEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to);
WW_API CUresult cuEventElapsedTime_v2(float *ms, cudaEvent_t from, cudaEvent_t to);

/* ---- pool.c ---- */
WW_API CUresult cuMemAllocAsync(CUdeviceptr *out, size_t bytes, cudaStream_t stream);
WW_API CUresult cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t bytes, cudaMemPool_t pool,
                                        cudaStream_t stream);
WW_API CUresult cuMemFreeAsync(CUdeviceptr p, cudaStream_t stream);
WW_API CUresult cuDeviceGetDefaultMemPool(cudaMemPool_t *out, CUdevice device);
WW_API CUresult cuDeviceGetMemPool(cudaMemPool_t *out, CUdevice device);
WW_API CUresult cuDeviceSetMemPool(CUdevice device, cudaMemPool_t pool);
WW_API CUresult cuMemPoolCreate(cudaMemPool_t *out, const cudaMemPoolProps *props);
WW_API CUresult cuMemPoolDestroy(cudaMemPool_t pool);
WW_API CUresult cuMemPoolTrimTo(cudaMemPool_t pool, size_t bytes);
WW_API CUresult cuMemPoolSetAttribute(cudaMemPool_t pool, int which, void *value);
WW_API CUresult cuMemPoolGetAttribute(cudaMemPool_t pool, int which, void *value);
WW_API CUresult cuMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc *list, size_t count);
WW_API CUresult cuMemPoolGetAccess(int *flags, cudaMemPool_t pool, cudaMemLocation *location);
WW_API CUresult cuMemPoolExportToShareableHandle(void *out, cudaMemPool_t pool, int type,
                                                 unsigned long long flags);
WW_API CUresult cuMemPoolImportFromShareableHandle(cudaMemPool_t *out, void *handle, int type,
                                                   unsigned long long flags);
WW_API CUresult cuMemPoolExportPointer(cudaMemPoolPtrExportData *out, CUdeviceptr p);
WW_API CUresult cuMemPoolImportPointer(CUdeviceptr *out, cudaMemPool_t pool,
                                       cudaMemPoolPtrExportData *data);

/* ---- virtual_memory.c ---- */
WW_API CUresult cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *wish,
                                              int option);
WW_API CUresult cuMemCreate(CUmemGenericAllocationHandle *out, size_t bytes,
                            const CUmemAllocationProp *wish, unsigned long long flags);
WW_API CUresult cuMemRelease(CUmemGenericAllocationHandle handle);
WW_API CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *out,
                                                       CUmemGenericAllocationHandle handle);
WW_API CUresult cuMemExportToShareableHandle(void *out, CUmemGenericAllocationHandle handle,
                                             int type, unsigned long long flags);
WW_API CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *out, void *handle,
                                               int type);
WW_API CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *out, void *p);
WW_API CUresult cuMemAddressReserve(CUdeviceptr *out, size_t bytes, size_t alignment,
                                    CUdeviceptr wish, unsigned long long flags);
WW_API CUresult cuMemAddressFree(CUdeviceptr p, size_t bytes);
WW_API CUresult cuMemMap(CUdeviceptr p, size_t bytes, size_t offset,
                         CUmemGenericAllocationHandle handle, unsigned long long flags);
WW_API CUresult cuMemUnmap(CUdeviceptr p, size_t bytes);
WW_API CUresult cuMemSetAccess(CUdeviceptr p, size_t bytes, const cudaMemAccessDesc *access,
                               size_t count);
WW_API CUresult cuMemGetAccess(unsigned long long *flags, const cudaMemLocation *location,
                               CUdeviceptr p);

/* ---- ipc.c ---- */
WW_API CUresult cuIpcGetMemHandle(cudaIpcMemHandle_t *out, CUdeviceptr p);
WW_API CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *out, cudaIpcMemHandle_t handle, unsigned flags);
WW_API CUresult cuIpcCloseMemHandle(CUdeviceptr p);
WW_API CUresult cuIpcGetEventHandle(cudaIpcEventHandle_t *out, cudaEvent_t event);
WW_API CUresult cuIpcOpenEventHandle(cudaEvent_t *out, cudaIpcEventHandle_t handle);

#ifdef __cplusplus
}
#endif
#endif
