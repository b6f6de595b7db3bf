/* device.c - device, contexts and entry points by name of the driver API. There is one
 * context, which is current in every thread. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "runtime/core/context.h"
#include "runtime/driver_api/calls.h"
#include "runtime/core/limits.h"

static const char the_context;

CUcontext rt_context_handle(void)
{
    return (CUcontext)(uintptr_t)&the_context;
}

CUresult cuInit(unsigned flags)
{
    return flags == 0 ? cudaDeviceSynchronize() : cudaErrorInvalidValue;
}

CUresult cuDriverGetVersion(int *version)
{
    return cudaDriverGetVersion(version);
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    if (device == NULL || ordinal != 0) {
        return device == NULL ? cudaErrorInvalidValue : cudaErrorInvalidDevice;
    }
    *device = 0;
    return cudaSuccess;
}

CUresult cuDeviceGetCount(int *count)
{
    return cudaGetDeviceCount(count);
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device)
{
    cudaDeviceProp p;
    CUresult code =
        name != NULL && length > 0 ? cudaGetDeviceProperties(&p, device) : cudaErrorInvalidValue;
    if (code == cudaSuccess) {
        snprintf(name, (size_t)length, "%s", p.name);
    }
    return code;
}

CUresult cuDeviceGetUuid(unsigned char *uuid, CUdevice device)
{
    cudaDeviceProp p;
    CUresult code = uuid != NULL ? cudaGetDeviceProperties(&p, device) : cudaErrorInvalidValue;
    if (code == cudaSuccess) {
        memcpy(uuid, p.uuid, sizeof p.uuid);
    }
    return code;
}

CUresult cuDeviceGetUuid_v2(unsigned char *uuid, CUdevice device)
{
    return cuDeviceGetUuid(uuid, device);
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    cudaDeviceProp p;
    CUresult code = bytes != NULL ? cudaGetDeviceProperties(&p, device) : cudaErrorInvalidValue;
    if (code == cudaSuccess) {
        *bytes = p.totalGlobalMem;
    }
    return code;
}

/* cudaDeviceAttr has the numbers of CUdevice_attribute. */
CUresult cuDeviceGetAttribute(int *value, int which, CUdevice device)
{
    return cudaDeviceGetAttribute(value, which, device);
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    enum { MAJOR = 75, MINOR = 76 };
    CUresult code = cudaDeviceGetAttribute(major, MAJOR, device);
    return code == cudaSuccess ? cudaDeviceGetAttribute(minor, MINOR, device) : code;
}

CUresult cuDeviceGetPCIBusId(char *id, int length, CUdevice device)
{
    return cudaDeviceGetPCIBusId(id, length, device);
}

CUresult cuDeviceGetP2PAttribute(int *value, int attribute, CUdevice device, CUdevice peer)
{
    return cudaDeviceGetP2PAttribute(value, attribute, device, peer);
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    return cudaDeviceCanAccessPeer(can, device, peer);
}

/* ---- contexts ---- */

static CUresult give_context(CUcontext *context, CUdevice device)
{
    if (context == NULL || device != 0) {
        return context == NULL ? cudaErrorInvalidValue : cudaErrorInvalidDevice;
    }
    *context = rt_context_handle();
    return cudaDeviceSynchronize();
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    return give_context(context, device);
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device)
{
    (void)flags;
    return give_context(context, device);
}

CUresult cuCtxCreate_v4(CUcontext *context, void *params, unsigned flags, CUdevice device)
{
    (void)params, (void)flags;
    return give_context(context, device);
}

static CUresult check_context(CUcontext context)
{
    return context == rt_context_handle() ? cudaSuccess : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxDestroy_v2(CUcontext context)
{
    return check_context(context);
}

CUresult cuCtxPushCurrent_v2(CUcontext context)
{
    return check_context(context);
}

CUresult cuCtxPopCurrent_v2(CUcontext *context)
{
    return context != NULL ? give_context(context, 0) : cudaSuccess;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
    return context != NULL ? check_context(context) : cudaSuccess;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
    return give_context(context, 0);
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    return cuDeviceGet(device, 0);
}

CUresult cuCtxSynchronize(void)
{
    return cudaDeviceSynchronize();
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
    enum { MAP_HOST = 8 };
    if (device != 0 || flags == NULL || active == NULL) {
        return device != 0 ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    }
    *flags = MAP_HOST;
    *active = 1;
    return cudaSuccess;
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags)
{
    (void)flags;
    return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    return device == 0 ? cudaDeviceReset() : cudaErrorInvalidDevice;
}

CUresult cuCtxGetFlags(unsigned *flags)
{
    return cudaGetDeviceFlags(flags);
}

CUresult cuCtxGetId(CUcontext context, unsigned long long *id)
{
    if (id == NULL) {
        return cudaErrorInvalidValue;
    }
    *id = 1;
    return context != NULL ? check_context(context) : cudaSuccess;
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version)
{
    if (version == NULL) {
        return cudaErrorInvalidValue;
    }
    *version = 3020; /* since CUDA 3.2, as NVIDIA's driver says */
    return context != NULL ? check_context(context) : cudaSuccess;
}

CUresult cuCtxSetLimit(int which, size_t value)
{
    return cudaDeviceSetLimit(which, value);
}

CUresult cuCtxGetLimit(size_t *value, int which)
{
    return cudaDeviceGetLimit(value, which);
}

CUresult cuCtxSetCacheConfig(int config)
{
    return cudaDeviceSetCacheConfig(config);
}

CUresult cuCtxGetCacheConfig(int *config)
{
    return cudaDeviceGetCacheConfig(config);
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    return cudaDeviceGetStreamPriorityRange(least, greatest);
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
    (void)peer;
    return cudaDeviceEnablePeerAccess(0, flags);
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    (void)peer;
    return cudaDeviceDisablePeerAccess(0);
}

CUresult cuProfilerStart(void)
{
    return cudaProfilerStart();
}

CUresult cuProfilerStop(void)
{
    return cudaProfilerStop();
}

CUresult cuGetErrorName(CUresult code, const char **name)
{
    if (name == NULL) {
        return cudaErrorInvalidValue;
    }
    *name = cudaGetErrorName(code);
    return cudaSuccess;
}

CUresult cuGetErrorString(CUresult code, const char **text)
{
    if (text == NULL) {
        return cudaErrorInvalidValue;
    }
    *text = cudaGetErrorString(code);
    return cudaSuccess;
}

/* ---- entry points by name ---- */

/* This library, whatever name it was loaded by. */
static void *own_library(void)
{
    Dl_info info;
    return dladdr(&the_context, &info) != 0 ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
                                            : NULL;
}

/* The newest form of an entry point that is there; names of cuda.h stand for those. */
static void *find_newest(void *library, const char *name)
{
    static const char *const suffix[] = {"_v4", "_v2", ""};
    void *found = NULL;
    for (size_t i = 0; i < WW_ARRAY_LEN(suffix) && found == NULL; i++) {
        char full[128];
        if ((size_t)snprintf(full, sizeof full, "%s%s", name, suffix[i]) < sizeof full) {
            found = dlsym(library, full);
        }
    }
    return found;
}

/* What a name stood for before CUDA 13, where that was another form; NULL: the newest. */
static const char *form_of_version(const char *name, int version)
{
    static const struct {
        const char *name, *form;
    } rows[] = {{"cuCtxCreate", "cuCtxCreate_v2"},
                {"cuMemPrefetchAsync", "cuMemPrefetchAsync"},
                {"cuMemAdvise", "cuMemAdvise"}};
    for (size_t i = 0; i < WW_ARRAY_LEN(rows) && version < 13000; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return rows[i].form;
        }
    }
    return NULL;
}

static void *find_entry(const char *name, int version)
{
    void *library = own_library();
    if (library == NULL || strncmp(name, "cu", 2) != 0) {
        return NULL;
    }
    const char *form = form_of_version(name, version);
    void *found = form != NULL ? dlsym(library, form) : find_newest(library, name);
    (void)dlclose(library);
    return found;
}

CUresult cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags,
                             int *status)
{
    enum { FOUND = 0, NOT_FOUND = 1 };
    (void)flags;
    if (name == NULL || function == NULL) {
        return cudaErrorInvalidValue;
    }
    *function = find_entry(name, version);
    if (status != NULL) {
        *status = *function != NULL ? FOUND : NOT_FOUND;
    }
    return *function != NULL ? cudaSuccess : CUDA_ERROR_NOT_FOUND;
}

/* The file that an address lies in, without its folder; "": none that is known. */
static const char *file_of(const void *address)
{
    Dl_info info;
    const char *slash = dladdr(address, &info) != 0 ? strrchr(info.dli_fname, '/') : NULL;
    return slash != NULL ? slash + 1 : "";
}

/* Only NVIDIA's own runtime asks for these tables: it is inside the program, or inside a library of
 * NVIDIA's that the program loads; its compiler asks too, and can do without. */
CUresult cuGetExportTable(const void **table, const void *id)
{
    const char *file = file_of(__builtin_return_address(0));
    char text[512];
    (void)table, (void)id;
    if (strncmp(file, "libnvrtc", 8) == 0) {
        return cudaErrorNotSupported;
    }
    if (strncmp(file, "lib", 3) == 0 && strstr(file, ".so") != NULL) {
        snprintf(
            text, sizeof text,
            "%s contains NVIDIA's CUDA runtime and needs NVIDIA's driver: what the program does "
            "through it fails, the program's own kernels run (docs/cuda-programs.md)",
            file);
        warpwatt_note_missing(file, text);
    } else {
        warpwatt_note_missing("NVIDIA's static CUDA runtime",
                              "the program contains NVIDIA's CUDA runtime, which could not be "
                              "replaced; build it with: nvcc -cudart shared");
    }
    return cudaErrorNotSupported;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                             unsigned long long flags, int *status)
{
    cudaError_t code = cuGetProcAddress_v2(name, function, (int)version, flags, status);
    return code == CUDA_ERROR_NOT_FOUND ? cudaSuccess : code; /* *status tells */
}

cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                    int *status)
{
    return cudaGetDriverEntryPointByVersion(name, function, RT_RUNTIME_VERSION, flags, status);
}
