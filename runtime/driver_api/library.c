/* library.c - libraries, which are modules that belong to no context: here the same, and so
 * are kernels and functions; of the driver API and of the runtime. */
#include "runtime/core/context.h"
#include "runtime/driver_api/calls.h"

CUresult cuLibraryLoadData(CUmodule *out, const void *image, int *options, void **values,
                           unsigned count, const int *library_options, void **library_values,
                           unsigned library_count)
{
    (void)library_options, (void)library_values, (void)library_count;
    return cuModuleLoadDataEx(out, image, count, options, values);
}

CUresult cuLibraryLoadFromFile(CUmodule *out, const char *path, int *options, void **values,
                               unsigned count, const int *library_options, void **library_values,
                               unsigned library_count)
{
    (void)options, (void)values, (void)count;
    (void)library_options, (void)library_values, (void)library_count;
    return cuModuleLoad(out, path);
}

CUresult cuLibraryUnload(CUmodule library)
{
    return cuModuleUnload(library);
}

CUresult cuLibraryGetKernel(CUfunction *out, CUmodule library, const char *name)
{
    return cuModuleGetFunction(out, library, name);
}

CUresult cuLibraryGetModule(CUmodule *out, CUmodule library)
{
    if (out == NULL || library == NULL) {
        return cudaErrorInvalidValue;
    }
    *out = library;
    return cudaSuccess;
}

CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule library, const char *name)
{
    return cuModuleGetGlobal_v2(address, bytes, library, name);
}

CUresult cuLibraryGetManaged(CUdeviceptr *address, size_t *bytes, CUmodule library,
                             const char *name)
{
    return cuModuleGetGlobal_v2(address, bytes, library, name);
}

/* ---- kernels ---- */

static cudaError_t module_of(rt_context *c, CUmodule *out, CUfunction kernel)
{
    const rt_kernel *k = rt_find_kernel(c, kernel);
    if (out == NULL || k == NULL) {
        return out == NULL ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    }
    *out = k->module;
    return cudaSuccess;
}

CUresult cuKernelGetLibrary(CUmodule *out, CUfunction kernel)
{
    RT_CALL(c, module_of(c, out, kernel));
}

CUresult cuFuncGetModule(CUmodule *out, CUfunction kernel)
{
    RT_CALL(c, module_of(c, out, kernel));
}

CUresult cuKernelGetFunction(CUfunction *out, CUfunction kernel)
{
    CUmodule module;
    CUresult code = out != NULL ? cuKernelGetLibrary(&module, kernel) : cudaErrorInvalidValue;
    if (code == cudaSuccess) {
        *out = kernel;
    }
    return code;
}

CUresult cuKernelGetAttribute(int *value, int which, CUfunction kernel, CUdevice device)
{
    return device == 0 ? cuFuncGetAttribute(value, which, kernel) : cudaErrorInvalidDevice;
}

CUresult cuKernelSetAttribute(int which, int value, CUfunction kernel, CUdevice device)
{
    return device == 0 ? cuFuncSetAttribute(kernel, which, value) : cudaErrorInvalidDevice;
}

CUresult cuKernelSetCacheConfig(CUfunction kernel, int config, CUdevice device)
{
    return device == 0 ? cuFuncSetCacheConfig(kernel, config) : cudaErrorInvalidDevice;
}

CUresult cuKernelGetName(const char **name, CUfunction kernel)
{
    return cudaFuncGetName(name, kernel);
}

CUresult cuFuncGetName(const char **name, CUfunction kernel)
{
    return cudaFuncGetName(name, kernel);
}

CUresult cuKernelGetParamInfo(CUfunction kernel, size_t index, size_t *offset, size_t *bytes)
{
    return cudaFuncGetParamInfo(kernel, index, offset, bytes);
}

CUresult cuFuncGetParamInfo(CUfunction kernel, size_t index, size_t *offset, size_t *bytes)
{
    return cudaFuncGetParamInfo(kernel, index, offset, bytes);
}

CUresult cuModuleGetLoadingMode(int *mode)
{
    enum { EAGER = 1 };
    if (mode == NULL) {
        return cudaErrorInvalidValue;
    }
    *mode = EAGER;
    return cudaSuccess;
}

/* ---- of the runtime ---- */

cudaError_t cudaLibraryLoadData(cudaLibrary_t *out, const void *image, int *options, void **values,
                                unsigned count, const int *library_options, void **library_values,
                                unsigned library_count)
{
    (void)library_options, (void)library_values, (void)library_count;
    return cuModuleLoadDataEx(out, image, count, options, values);
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *out, const char *path, int *options,
                                    void **values, unsigned count, const int *library_options,
                                    void **library_values, unsigned library_count)
{
    return cuLibraryLoadFromFile(out, path, options, values, count, library_options, library_values,
                                 library_count);
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
    return cuModuleUnload(library);
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *out, cudaLibrary_t library, const char *name)
{
    return cuModuleGetFunction(out, library, name);
}

cudaError_t cudaLibraryGetGlobal(void **address, size_t *bytes, cudaLibrary_t library,
                                 const char *name)
{
    CUdeviceptr p = 0;
    CUresult code = cuModuleGetGlobal_v2(&p, bytes, library, name);
    if (code == cudaSuccess && address != NULL) {
        *address = (void *)(uintptr_t)p;
    }
    return code;
}

cudaError_t cudaLibraryGetManaged(void **address, size_t *bytes, cudaLibrary_t library,
                                  const char *name)
{
    return cudaLibraryGetGlobal(address, bytes, library, name);
}
