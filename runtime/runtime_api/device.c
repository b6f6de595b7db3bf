/* device.c - the device itself: how many, which, its properties and limits. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/arith.h"
#include "runtime/core/context.h"
#include "runtime/core/limits.h"

static cudaError_t only_device(int device)
{
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    if (count == NULL) {
        return cudaErrorInvalidValue;
    }
    *count = 1;
    RT_CALL(c, cudaSuccess);
}

cudaError_t cudaGetDevice(int *device)
{
    if (device == NULL) {
        return cudaErrorInvalidValue;
    }
    *device = 0;
    RT_CALL_BESIDE(c, cudaSuccess);
}

cudaError_t cudaSetDevice(int device)
{
    RT_CALL_BESIDE(c, only_device(device));
}

cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
    (void)device_flags, (void)flags;
    RT_CALL(c, only_device(device));
}

cudaError_t cudaSetValidDevices(int *devices, int count)
{
    RT_CALL(c, devices != NULL && count > 0 ? only_device(devices[0]) : cudaErrorInvalidValue);
}

cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *wish)
{
    (void)wish;
    return cudaGetDevice(device);
}

cudaError_t cudaSetDeviceFlags(unsigned flags)
{
    (void)flags;
    RT_CALL(c, cudaSuccess);
}

cudaError_t cudaGetDeviceFlags(unsigned *flags)
{
    if (flags == NULL) {
        return cudaErrorInvalidValue;
    }
    *flags = 8; /* host memory can be mapped */
    RT_CALL(c, cudaSuccess);
}

cudaError_t cudaDeviceSynchronize(void)
{
    RT_CALL(c, cudaSuccess);
}

/* Device memory stays: results are read at the process's end, and a fault remains one. */
cudaError_t cudaDeviceReset(void)
{
    rt_context *c = rt_enter();
    rt_report(c);
    return rt_leave(c, cudaSuccess);
}

cudaError_t cudaDriverGetVersion(int *version)
{
    if (version == NULL) {
        return cudaErrorInvalidValue;
    }
    *version = RT_RUNTIME_VERSION;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    return cudaDriverGetVersion(version);
}

/* ---- properties ---- */

/* The GPU's compute capability, or that of the program's PTX where it is higher: the simulator
 * executes every PTX target, and a program should find the features that it was compiled for. */
static unsigned capability(const rt_context *c)
{
    unsigned own = c->arch->chip.compute_capability;
    unsigned program = rt_highest_target(c);
    return program > own ? program : own;
}

/* Compute capability 8.0 brought persisting lines in L2 and compression of data in memory. */
static bool is_ampere(const rt_context *c)
{
    return c->arch->chip.compute_capability >= 80;
}

bool rt_takes_clusters(const rt_context *c)
{
    return capability(c) >= 90;
}

size_t rt_policy_window_bytes(const rt_context *c)
{
    return is_ampere(c) ? RT_POLICY_WINDOW_BYTES : 0;
}

bool rt_compresses(const rt_context *c)
{
    return is_ampere(c);
}

/* Most of L2 that may hold persisting lines: 30 of the A100's 40 MiB (NVIDIA A100 whitepaper, L2
 * cache residency controls). */
static size_t persisting_bytes(const rt_context *c)
{
    return is_ampere(c) ? (size_t)ww_arch_l2_bytes(c->arch) / 4 * 3 : 0;
}

static void fill_compute(rt_context *c, cudaDeviceProp *p)
{
    const ww_sm_params *sm = &c->arch->sm;
    p->regsPerBlock = p->regsPerMultiprocessor = (int)sm->registers;
    p->warpSize = WW_WARP_SIZE;
    p->maxThreadsPerBlock = (int)sm->max_cta_threads;
    p->maxThreadsDim[0] = p->maxThreadsDim[1] = (int)sm->max_cta_threads;
    p->maxThreadsDim[2] = 64;
    p->maxGridSize[0] = INT32_MAX;
    p->maxGridSize[1] = p->maxGridSize[2] = 65535;
    p->major = (int)(capability(c) / 10);
    p->minor = (int)(capability(c) % 10);
    p->multiProcessorCount = (int)sm->count;
    p->maxThreadsPerMultiProcessor = (int)sm->max_threads;
    p->maxBlocksPerMultiProcessor = (int)sm->max_ctas;
    p->concurrentKernels = 1;
    p->asyncEngineCount = 2;
    p->streamPrioritiesSupported = 1;
    p->cooperativeLaunch = 1;
    p->clusterLaunch = rt_takes_clusters(c);
}

static void fill_memory(const rt_context *c, cudaDeviceProp *p)
{
    const ww_arch *a = c->arch;
    p->totalGlobalMem = c->device_bytes;
    p->sharedMemPerBlock = p->sharedMemPerMultiprocessor = p->sharedMemPerBlockOptin =
        a->sm.shared_bytes;
    p->memPitch = RT_MAX_PITCH;
    p->totalConstMem = RT_CONST_BYTES;
    p->textureAlignment = p->surfaceAlignment = RT_PITCH;
    p->texturePitchAlignment = 32;
    p->canMapHostMemory = c->unified;
    p->unifiedAddressing = c->unified;
    p->managedMemory = c->unified;
    p->concurrentManagedAccess = 0; /* kernels run while the host waits */
    p->hostRegisterSupported = 1;
    p->memoryPoolsSupported = 1;
    p->memoryPoolSupportedHandleTypes = RT_HANDLE_TYPE_FD;
    p->ipcEventSupported = 1;
    p->memoryBusWidth = (int)(a->mem.bus_bits * a->mem.channels);
    p->l2CacheSize = (int)ww_min_u64(ww_arch_l2_bytes(a), INT_MAX);
    p->persistingL2CacheMaxSize = (int)ww_min_u64(persisting_bytes(c), INT_MAX);
    p->accessPolicyMaxWindowSize = (int)rt_policy_window_bytes(c);
    p->globalL1CacheSupported = a->ldst.l1_caches_global;
    p->localL1CacheSupported = a->l1d.bytes > 0;
}

static cudaError_t properties(rt_context *c, cudaDeviceProp *p, int device)
{
    if (p == NULL || device != 0) {
        return p == NULL ? cudaErrorInvalidValue : cudaErrorInvalidDevice;
    }
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s", c->arch->chip.name);
    fill_compute(c, p);
    fill_memory(c, p);
    p->pciBusID = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device)
{
    RT_CALL(c, properties(c, p, device));
}

/* Attributes by number (cudaDeviceAttr). Those not listed are features that are absent: 0. */
static int attribute(const rt_context *c, const cudaDeviceProp *p, int which)
{
    switch (which) {
    case 1:
        return p->maxThreadsPerBlock;
    case 2:
    case 3:
    case 4:
        return p->maxThreadsDim[which - 2];
    case 5:
    case 6:
    case 7:
        return p->maxGridSize[which - 5];
    case 8:  /* shared memory per CTA */
    case 81: /* per SM */
    case 97: /* with opt-in */
        return (int)p->sharedMemPerBlock;
    case 9:
        return (int)p->totalConstMem;
    case 10:
        return p->warpSize;
    case 11:
        return (int)p->memPitch;
    case 12:
    case 82:
        return p->regsPerBlock;
    case 13: /* kHz */
        return (int)(c->arch->clock.core_hz / 1e3);
    case 14:
    case 30:
        return (int)p->textureAlignment;
    case 15: /* copies overlap kernels */
    case 31:
    case 78:
    case 95:  /* cooperative launches */
    case 102: /* mapped memory: cuMemMap */
    case 103: /* of which descriptors can be handed on */
    case 99:
        return 1;
    case 16:
        return p->multiProcessorCount;
    case 19:
        return p->canMapHostMemory;
    case 33:
        return p->pciBusID;
    case 36: /* kHz */
        return (int)(c->arch->clock.dram_hz / 1e3);
    case 37:
        return p->memoryBusWidth;
    case 38:
        return p->l2CacheSize;
    case 39:
        return p->maxThreadsPerMultiProcessor;
    case 40:
        return p->asyncEngineCount;
    case 41:
        return p->unifiedAddressing;
    case 51:
        return (int)p->texturePitchAlignment;
    case 75:
        return p->major;
    case 76:
        return p->minor;
    case 79:
        return p->globalL1CacheSupported;
    case 80:
        return p->localL1CacheSupported;
    case 83:
        return p->managedMemory;
    case 87: /* single to double precision */
        return c->arch->units.dp_count > 0
                   ? (int)(c->arch->units.fp64_interval * c->arch->units.sp_count /
                           (c->arch->units.fp32_interval * c->arch->units.dp_count))
                   : 1;
    case 107: /* compressible memory */
        return rt_compresses(c);
    case 108:
        return p->persistingL2CacheMaxSize;
    case 109:
        return p->accessPolicyMaxWindowSize;
    case 106:
        return p->maxBlocksPerMultiProcessor;
    case 115:
        return p->memoryPoolsSupported;
    case 119:
        return (int)p->memoryPoolSupportedHandleTypes;
    case 120:
    case 127: /* tensor maps */
        return p->clusterLaunch;
    case 125:
        return p->ipcEventSupported;
    default:
        return 0;
    }
}

static cudaError_t get_attribute(rt_context *c, int *value, int which, int device)
{
    cudaDeviceProp p;
    cudaError_t code = value != NULL ? properties(c, &p, device) : cudaErrorInvalidValue;
    if (code == cudaSuccess) {
        *value = attribute(c, &p, which);
    }
    return code;
}

cudaError_t cudaDeviceGetAttribute(int *value, int which, int device)
{
    RT_CALL_BESIDE(c, get_attribute(c, value, which, device));
}

/* ---- limits and preferences ---- */

static cudaError_t limit(rt_context *c, int which, const size_t *set, size_t *get)
{
    if (which < 0 || which >= cudaLimitCount) {
        return cudaErrorUnsupportedLimit;
    }
    if (which == cudaLimitPersistingL2CacheSize && set != NULL) {
        size_t most = persisting_bytes(c);
        if (*set > most) {
            return most == 0 ? cudaErrorUnsupportedLimit : cudaErrorInvalidValue;
        }
    }
    if (set != NULL) {
        c->limits[which] = *set;
    } else if (get != NULL) {
        *get = c->limits[which];
    }
    return set != NULL || get != NULL ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaDeviceSetLimit(int which, size_t value)
{
    RT_CALL(c, limit(c, which, &value, NULL));
}

cudaError_t cudaDeviceGetLimit(size_t *value, int which)
{
    RT_CALL(c, limit(c, which, NULL, value));
}

cudaError_t cudaDeviceSetCacheConfig(int config)
{
    (void)config;
    RT_CALL(c, cudaSuccess);
}

static cudaError_t zero(int *out)
{
    if (out == NULL) {
        return cudaErrorInvalidValue;
    }
    *out = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetCacheConfig(int *config)
{
    RT_CALL(c, zero(config));
}

cudaError_t cudaDeviceSetSharedMemConfig(int config)
{
    (void)config;
    RT_CALL(c, cudaSuccess);
}

cudaError_t cudaDeviceGetSharedMemConfig(int *config)
{
    RT_CALL(c, zero(config));
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    if (least != NULL) {
        *least = 0;
    }
    if (greatest != NULL) {
        *greatest = -1;
    }
    RT_CALL(c, cudaSuccess);
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int device)
{
    if (id == NULL || length < 13 || device != 0) {
        return device != 0 ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    }
    snprintf(id, (size_t)length, "0000:01:00.0");
    RT_CALL(c, cudaSuccess);
}

/* Domain and function may be left out. */
static cudaError_t find_bus(int *device, const char *id)
{
    static const char *const ours[] = {"0000:01:00.0", "0000:01:00", "01:00.0", "01:00"};
    if (device == NULL || id == NULL) {
        return cudaErrorInvalidValue;
    }
    for (size_t i = 0; i < WW_ARRAY_LEN(ours); i++) {
        if (strcmp(ours[i], id) == 0) {
            *device = 0;
            return cudaSuccess;
        }
    }
    return cudaErrorInvalidDevice;
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
    RT_CALL(c, find_bus(device, id));
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    (void)device, (void)peer;
    RT_CALL(c, zero(can));
}

/* Of two devices, and there is one. */
cudaError_t cudaDeviceGetP2PAttribute(int *value, int attribute, int device, int peer)
{
    enum { LAST_ATTRIBUTE = 5 };
    (void)device, (void)peer;
    bool known = value != NULL && attribute >= 1 && attribute <= LAST_ATTRIBUTE;
    RT_CALL(c, known ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    (void)peer, (void)flags;
    RT_CALL(c, cudaErrorPeerAccessUnsupported);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
    (void)peer;
    RT_CALL(c, cudaErrorPeerAccessUnsupported);
}

cudaError_t cudaCtxResetPersistingL2Cache(void)
{
    RT_CALL(c, cudaSuccess);
}

cudaError_t cudaProfilerStart(void)
{
    return cudaSuccess;
}

cudaError_t cudaProfilerStop(void)
{
    return cudaSuccess;
}

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int f)
{
    return (cudaChannelFormatDesc){x, y, z, w, f};
}
