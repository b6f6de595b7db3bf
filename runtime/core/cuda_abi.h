/* cuda_abi.h - the binary interface of the CUDA runtime that programs built by nvcc expect: types,
 * constants and structures, declared here so that no CUDA file is needed. Names and values are
 * those of the CUDA Runtime API manual; only what this library uses is listed. */
#ifndef WW_RUNTIME_CORE_CUDA_ABI_H
#define WW_RUNTIME_CORE_CUDA_ABI_H

#include <stddef.h>
#include <stdint.h>

#define WW_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

typedef int cudaError_t;

/* Codes that this library returns; runtime/core/error.c knows the names of all. */
enum {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInitializationError = 3,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidPitchValue = 12,
    cudaErrorInvalidSymbol = 13,
    cudaErrorInvalidTexture = 18,
    cudaErrorInvalidMemcpyDirection = 21,
    cudaErrorMissingConfiguration = 52,
    cudaErrorInvalidDeviceFunction = 98,
    cudaErrorInvalidDevice = 101,
    cudaErrorInvalidKernelImage = 200,
    cudaErrorNoKernelImageForDevice = 209,
    cudaErrorDeviceUninitialized = 201,
    cudaErrorMapBufferObjectFailed = 205,
    cudaErrorUnsupportedLimit = 215,
    cudaErrorInvalidPtx = 218,
    cudaErrorOperatingSystem = 304,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorSymbolNotFound = 500,
    cudaErrorNotReady = 600,
    cudaErrorIllegalAddress = 700,
    cudaErrorLaunchOutOfResources = 701,
    cudaErrorLaunchTimeout = 702,
    cudaErrorPeerAccessUnsupported = 217,
    cudaErrorHostMemoryAlreadyRegistered = 712,
    cudaErrorHostMemoryNotRegistered = 713,
    cudaErrorMisalignedAddress = 716,
    cudaErrorLaunchFailure = 719,
    cudaErrorCooperativeLaunchTooLarge = 720,
    cudaErrorAssert = 710,
    cudaErrorNotPermitted = 800,
    cudaErrorNotSupported = 801,
    cudaErrorIllegalState = 401,
    cudaErrorStreamCaptureUnsupported = 900,
    cudaErrorStreamCaptureUnmatched = 903,
    cudaErrorGraphExecUpdateFailure = 910,
    cudaErrorInvalidClusterSize = 912,
    cudaErrorUnknown = 999
};

enum {
    cudaMemcpyHostToHost = 0,
    cudaMemcpyHostToDevice = 1,
    cudaMemcpyDeviceToHost = 2,
    cudaMemcpyDeviceToDevice = 3,
    cudaMemcpyDefault = 4
};

enum {
    cudaMemoryTypeUnregistered = 0,
    cudaMemoryTypeHost = 1,
    cudaMemoryTypeDevice = 2,
    cudaMemoryTypeManaged = 3
};

enum {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9,
    cudaFuncAttributeClusterDimMustBeSet = 10,
    cudaFuncAttributeRequiredClusterWidth = 11,
    cudaFuncAttributeRequiredClusterHeight = 12,
    cudaFuncAttributeRequiredClusterDepth = 13,
    cudaFuncAttributeNonPortableClusterSizeAllowed = 14,
    cudaFuncAttributeClusterSchedulingPolicyPreference = 15
};

enum {
    cudaLimitStackSize = 0,
    cudaLimitPrintfFifoSize = 1,
    cudaLimitMallocHeapSize = 2,
    cudaLimitPersistingL2CacheSize = 6,
    cudaLimitCount = 8
};

typedef struct cudaStream *cudaStream_t; /* 0, 1 (legacy), 2 (per thread): the default stream */
typedef struct cudaEvent *cudaEvent_t;
typedef struct cudaKernel *cudaKernel_t;
typedef struct rt_module *cudaLibrary_t;
typedef struct cudaMemPool *cudaMemPool_t;
typedef struct cudaGraph *cudaGraph_t;
typedef struct cudaGraphNode *cudaGraphNode_t;
typedef struct cudaGraphExec *cudaGraphExec_t;
typedef struct cudaUserObject *cudaUserObject_t;

typedef struct cudaDim3 {
    unsigned x, y, z;
} cudaDim3;

typedef struct cudaExtent {
    size_t width, height, depth; /* width in bytes where no array takes part */
} cudaExtent;

typedef struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
} cudaPitchedPtr;

typedef struct cudaPos {
    size_t x, y, z;
} cudaPos;

typedef struct cudaArray *cudaArray_t;

typedef struct cudaMemcpy3DParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    int kind;
} cudaMemcpy3DParms;

typedef struct cudaMemcpy3DPeerParms {
    cudaArray_t srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    int srcDevice;
    cudaArray_t dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    int dstDevice;
    cudaExtent extent;
} cudaMemcpy3DPeerParms;

typedef struct cudaChannelFormatDesc {
    int x, y, z, w;
    int f;
} cudaChannelFormatDesc;

enum {
    cudaChannelFormatKindSigned = 0,
    cudaChannelFormatKindUnsigned = 1,
    cudaChannelFormatKindFloat = 2
};

typedef struct cudaArrayMemoryRequirements {
    size_t size, alignment;
    unsigned reserved[4];
} cudaArrayMemoryRequirements;

enum {
    cudaArrayLayered = 1,
    cudaArraySurfaceLoadStore = 2,
    cudaArrayCubemap = 4,
    cudaArrayTextureGather = 8,
    cudaArraySparse = 0x40,
    cudaArrayDeferredMapping = 0x80
};

enum { cudaResourceTypeArray = 0, cudaResourceTypeLinear = 2, cudaResourceTypePitch2D = 3 };

typedef struct cudaResourceDesc {
    int resType;
    union {
        cudaArray_t array;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes; /* width and height in elements */
        } pitch2D;
        int reserved[32];
    } res;
    unsigned flags;
} cudaResourceDesc;

typedef struct cudaTextureDesc {
    int addressMode[3]; /* 0 wrap, 1 clamp, 2 mirror, 3 border: as ww_tex_mode */
    int filterMode;     /* 1: linear */
    int readMode;       /* 1: integers as numbers of [0,1] or [-1,1] */
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
} cudaTextureDesc;

typedef struct cudaResourceViewDesc cudaResourceViewDesc; /* views are not supported */
typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

typedef struct cudaPointerAttributes {
    int type;
    int device;
    void *devicePointer, *hostPointer;
    long reserved[8];
} cudaPointerAttributes;

typedef struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs;
    int ptxVersion, binaryVersion;
    int cacheModeCA;
    int maxDynamicSharedSizeBytes, preferredShmemCarveout;
    int clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight, requiredClusterDepth;
    int clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed;
    int reserved[16];
} cudaFuncAttributes;

typedef struct cudaAccessPolicyWindow {
    void *base_ptr;
    size_t num_bytes;
    float hitRatio;
    int hitProp, missProp; /* 0 normal, 1 streaming, 2 persisting */
} cudaAccessPolicyWindow;

enum {
    cudaLaunchAttributeCooperative = 2,
    cudaLaunchAttributeClusterDimension = 4,
    cudaLaunchAttributeProgrammaticStreamSerialization = 6,
};

typedef union cudaLaunchAttributeValue {
    char pad[64];
    int i;
    cudaDim3 clusterDim;
    cudaAccessPolicyWindow accessPolicyWindow;
} cudaLaunchAttributeValue;

typedef struct cudaLaunchAttribute {
    int id;
    cudaLaunchAttributeValue value;
} cudaLaunchAttribute;

_Static_assert(sizeof(cudaLaunchAttribute) == 72, "layout of CUDA 13");

typedef struct cudaLaunchConfig {
    cudaDim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
    const cudaLaunchAttribute *attrs;
    unsigned numAttrs;
} cudaLaunchConfig;

typedef struct cudaMemLocation {
    int type, id;
} cudaMemLocation;

typedef struct cudaMemcpyAttributes {
    int srcAccessOrder;
    cudaMemLocation srcLocHint, dstLocHint;
    unsigned flags;
} cudaMemcpyAttributes;

typedef struct cudaMemAccessDesc {
    cudaMemLocation location;
    int flags;
} cudaMemAccessDesc;

/* What one process hands to another: bytes that only this library reads (segment.h). */
typedef struct cudaIpcMemHandle_t {
    unsigned char reserved[64];
} cudaIpcMemHandle_t;

typedef struct cudaIpcEventHandle_t {
    unsigned char reserved[64];
} cudaIpcEventHandle_t;

typedef struct cudaMemPoolPtrExportData {
    unsigned char reserved[64];
} cudaMemPoolPtrExportData;

/* What __cudaRegisterFatBinary is given: section .nvFatBinSegment. */
typedef struct cudaFatWrapper {
    uint32_t magic; /* 0x466243b1 */
    uint32_t version;
    const void *data;
    void *more;
} cudaFatWrapper;

/* Device properties as of CUDA 13. */
typedef struct cudaDeviceProp {
    char name[256];
    unsigned char uuid[16];
    char luid[8];
    unsigned luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int multiProcessorCount, integrated, canMapHostMemory;
    int maxTexture1D, maxTexture1DMipmap, maxTexture2D[2], maxTexture2DMipmap[2];
    int maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3];
    int maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3];
    int maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2], maxSurface3D[3];
    int maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap;
    int maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver;
    int asyncEngineCount, unifiedAddressing, memoryBusWidth, l2CacheSize;
    int persistingL2CacheMaxSize, maxThreadsPerMultiProcessor, streamPrioritiesSupported;
    int globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID;
    int hostNativeAtomicSupported, pageableMemoryAccess, concurrentManagedAccess;
    int computePreemptionSupported, canUseHostPointerForRegisteredMem, cooperativeLaunch;
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
    int unifiedFunctionPointers, deviceNumaConfig, deviceNumaId, mpsEnabled, hostNumaId;
    unsigned gpuPciDeviceID, gpuPciSubsystemID;
    int hostNumaMultinodeIpcSupported;
    int reserved[56];
} cudaDeviceProp;

_Static_assert(offsetof(cudaDeviceProp, totalGlobalMem) == 288, "layout of CUDA 13");

typedef void (*cudaHostFn_t)(void *user);

enum {
    cudaGraphNodeTypeKernel = 0,
    cudaGraphNodeTypeMemcpy = 1,
    cudaGraphNodeTypeMemset = 2,
    cudaGraphNodeTypeHost = 3,
    cudaGraphNodeTypeGraph = 4,
    cudaGraphNodeTypeEmpty = 5,
    cudaGraphNodeTypeEventRecord = 7,
    cudaGraphNodeTypeMemAlloc = 10,
    cudaGraphNodeTypeMemFree = 11,
    cudaGraphNodeTypeConditional = 13
};

typedef unsigned long long cudaGraphConditionalHandle;

enum { cudaGraphCondTypeIf = 0, cudaGraphCondTypeWhile = 1, cudaGraphCondTypeSwitch = 2 };

typedef struct cudaConditionalNodeParams {
    cudaGraphConditionalHandle handle;
    int type;
    unsigned size;
    cudaGraph_t *phGraph_out;
} cudaConditionalNodeParams;

enum { cudaStreamCaptureStatusNone = 0, cudaStreamCaptureStatusActive = 1 };

typedef struct cudaKernelNodeParams {
    void *func;
    cudaDim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;
} cudaKernelNodeParams;

typedef struct cudaMemsetParams {
    void *dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height; /* elements */
} cudaMemsetParams;

typedef struct cudaHostNodeParams {
    cudaHostFn_t fn;
    void *userData;
} cudaHostNodeParams;

typedef struct cudaMemPoolProps {
    int allocType, handleTypes;
    cudaMemLocation location;
    void *win32SecurityAttributes;
    size_t maxSize;
    unsigned short usage;
    unsigned char reserved[54];
} cudaMemPoolProps;

typedef struct cudaMemAllocNodeParams {
    cudaMemPoolProps poolProps;
    const void *accessDescs;
    size_t accessDescCount;
    size_t bytesize;
    void *dptr;
} cudaMemAllocNodeParams;

typedef struct cudaGraphNodeParams {
    int type, reserved0[3];
    union {
        long long reserved1[29];
        cudaKernelNodeParams kernel;
        struct {
            int flags, reserved[3];
            cudaMemcpy3DParms copyParams;
        } memcpy;
        cudaMemsetParams memset;
        cudaHostNodeParams host;
        struct {
            cudaGraph_t graph;
        } graph;
        struct {
            cudaEvent_t event;
        } eventRecord;
        cudaMemAllocNodeParams alloc;
        cudaConditionalNodeParams conditional;
    } u;
    long long reserved2;
} cudaGraphNodeParams;

typedef struct cudaGraphExecUpdateResultInfo {
    int result;
    cudaGraphNode_t errorNode, errorFromNode;
} cudaGraphExecUpdateResultInfo;

typedef struct cudaGraphEdgeData {
    unsigned char from_port, to_port, type, reserved[5];
} cudaGraphEdgeData;
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *user);

#ifdef __cplusplus
}
#endif
#endif
