/* module.c - modules, links and launches of the driver API. */
#include <string.h>

#include "base/file.h"
#include "runtime/driver_api/calls.h"
#include "runtime/core/fatbin.h"
#include "runtime/graphs/graph.h"
#include "runtime/core/limits.h"

enum { WRAPPER_MAGIC = 0x466243b1, MOST_FILE_BYTES = 256 << 20 };
#define LINKED_MAGIC 0x4b4c5757u /* "WWLK": what cuLinkComplete hands out */

/* A link in progress: the PTX of its units, and of the image that it gives. */
struct CUlinkState_st {
    char **text;
    size_t count;
    unsigned char *image;
};

/* How the image of a link begins; the texts of the units follow, each with its zero. Programs copy
 * it and load the copy when the link is gone. */
typedef struct linked_header {
    uint32_t magic, count;
} linked_header;

static uint32_t first_word(const void *image)
{
    uint32_t word;
    memcpy(&word, image, sizeof word);
    return word;
}

static char *copy_text(const char *text, size_t n)
{
    char *copy = WW_NEW_ARRAY(char, n + 1);
    if (copy != NULL) {
        memcpy(copy, text, n);
    }
    return copy;
}

static void free_texts(char **text, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ww_free(text[i]);
    }
    ww_free(text);
}

static bool add_text(char ***list, size_t *count, const char *text, size_t n)
{
    char **grown = ww_realloc_array(*list, *count + 1, sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    *list = grown;
    grown[*count] = copy_text(text, n);
    *count += grown[*count] != NULL;
    return grown[*count - (*count > 0)] != NULL;
}

/* ---- modules ---- */

static cudaError_t take_linked(rt_module *module, const unsigned char *image)
{
    linked_header header;
    memcpy(&header, image, sizeof header);
    const char *text = (const char *)image + sizeof header;
    for (uint32_t i = 0; i < header.count; i++) {
        size_t n = strlen(text);
        if (!add_text(&module->text, &module->text_count, text, n)) {
            return cudaErrorMemoryAllocation;
        }
        text += n + 1;
    }
    return cudaSuccess;
}

/* What an image is: a fat binary, the wrapper of one, the result of a link, or PTX text. */
static cudaError_t take_image(rt_module *module, const void *image)
{
    const uint32_t elf = 0x464c457f;
    const cudaFatWrapper *wrapper = image;
    uint64_t bytes;
    module->images = module->image;
    if (first_word(image) == LINKED_MAGIC) {
        return take_linked(module, image);
    }
    if (first_word(image) == WRAPPER_MAGIC) {
        module->image[0] = wrapper->data;
        return cudaSuccess;
    }
    if (first_word(image) == elf) {
        rt_say("a module of machine code cannot be loaded, since PTX is what runs here: compile "
               "for compute_XX in place of sm_XX (kernels compiled at run time need nothing, when "
               "NVRTC is loaded by name and not by path)");
        return cudaErrorNoKernelImageForDevice;
    }
    if (ww_fatbin_size(image, WW_FATBIN_HEADER_BYTES, &bytes, NULL) == WW_OK) {
        module->image[0] = image;
        return cudaSuccess;
    }
    return add_text(&module->text, &module->text_count, image, strlen(image))
               ? cudaSuccess
               : cudaErrorMemoryAllocation;
}

static cudaError_t load_image(rt_context *c, CUmodule *out, const void *image)
{
    rt_module *module = WW_NEW(rt_module);
    if (module == NULL) {
        return cudaErrorMemoryAllocation;
    }
    cudaError_t code = take_image(module, image);
    code = code == cudaSuccess ? rt_load(c, module) : code;
    if (code != cudaSuccess) {
        free_texts(module->text, module->text_count);
        ww_free(module);
        return code;
    }
    module->next = c->modules;
    c->modules = module;
    *out = module;
    return cudaSuccess;
}

CUresult cuModuleLoadData(CUmodule *out, const void *image)
{
    RT_CALL(c, out != NULL && image != NULL ? load_image(c, out, image) : cudaErrorInvalidValue);
}

/* Nothing is compiled, so that logs are empty. */
static void clear_logs(unsigned count, const int *options, void **values)
{
    enum { INFO_LOG = 3, INFO_LOG_BYTES = 4, ERROR_LOG = 5, ERROR_LOG_BYTES = 6 };
    for (unsigned k = 0; options != NULL && values != NULL && k < count; k++) {
        for (unsigned n = 0; n < count; n++) { /* its size may come before or after */
            bool sized = options[k] == INFO_LOG    ? options[n] == INFO_LOG_BYTES
                         : options[k] == ERROR_LOG ? options[n] == ERROR_LOG_BYTES
                                                   : false;
            if (sized && values[k] != NULL && (uintptr_t)values[n] > 0) {
                *(char *)values[k] = '\0';
                values[n] = NULL; /* bytes written */
            }
        }
    }
}

CUresult cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned count, int *options,
                            void **values)
{
    clear_logs(count, options, values);
    return cuModuleLoadData(out, image);
}

CUresult cuModuleLoadFatBinary(CUmodule *out, const void *image)
{
    return cuModuleLoadData(out, image);
}

/* The bytes stay: a fat binary is read again when the device's capability is asked for. */
CUresult cuModuleLoad(CUmodule *out, const char *path)
{
    char *bytes = NULL;
    size_t length = 0;
    if (out == NULL || path == NULL) {
        return cudaErrorInvalidValue;
    }
    if (ww_read_file(path, MOST_FILE_BYTES, &bytes, &length, NULL) != WW_OK) {
        return CUDA_ERROR_FILE_NOT_FOUND;
    }
    CUresult code =
        length >= sizeof(uint32_t) ? cuModuleLoadData(out, bytes) : CUDA_ERROR_INVALID_IMAGE;
    if (code != cudaSuccess) {
        ww_free(bytes);
    }
    return code;
}

/* Kernels of the module may still be named in graphs and reports. */
CUresult cuModuleUnload(CUmodule module)
{
    return module != NULL ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

static cudaError_t get_function(rt_context *c, CUfunction *out, CUmodule module, const char *name)
{
    ww_kernel_info info;
    ww_error err = {0};
    for (rt_kernel *k = c->kernels; k != NULL; k = k->next) {
        if (k->module == module && strcmp(k->name, name) == 0) {
            *out = k;
            return cudaSuccess;
        }
    }
    ww_status status = ww_device_kernel_info(c->device, module->module, name, &info, &err);
    if (status != WW_OK) {
        return status == WW_ENOTFOUND ? CUDA_ERROR_NOT_FOUND : rt_failed(c, status, &err);
    }
    rt_kernel *kernel = WW_NEW(rt_kernel);
    char *copy = copy_text(name, strlen(name));
    if (kernel == NULL || copy == NULL) {
        ww_free(kernel);
        ww_free(copy);
        return cudaErrorMemoryAllocation;
    }
    *kernel = (rt_kernel){.name = copy, .module = module, .next = c->kernels};
    c->kernels = kernel;
    *out = kernel;
    return cudaSuccess;
}

CUresult cuModuleGetFunction(CUfunction *out, CUmodule module, const char *name)
{
    RT_CALL(c, out != NULL && module != NULL && name != NULL ? get_function(c, out, module, name)
                                                             : cudaErrorInvalidValue);
}

static cudaError_t get_global(rt_context *c, CUdeviceptr *address, size_t *bytes, CUmodule module,
                              const char *name)
{
    ww_devptr p;
    size_t n;
    if (ww_device_symbol(c->device, module->module, name, &p, &n, NULL) != WW_OK) {
        return CUDA_ERROR_NOT_FOUND;
    }
    if (address != NULL) {
        *address = p;
    }
    if (bytes != NULL) {
        *bytes = n;
    }
    return cudaSuccess;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module,
                              const char *name)
{
    RT_CALL(c, module != NULL && name != NULL ? get_global(c, address, bytes, module, name)
                                              : cudaErrorInvalidValue);
}

/* ---- links ---- */

CUresult cuLinkCreate_v2(unsigned count, int *options, void **values, CUlinkState *out)
{
    (void)count, (void)options, (void)values;
    if (out == NULL) {
        return cudaErrorInvalidValue;
    }
    *out = WW_NEW(struct CUlinkState_st);
    if (*out == NULL) {
        return cudaErrorMemoryAllocation;
    }
    return cudaSuccess;
}

static cudaError_t add_fatbin(CUlinkState state, const void *data, size_t size)
{
    ww_fatbin_entry entry;
    char *text = NULL;
    size_t length = 0;
    if (ww_fatbin_find_ptx(data, size, UINT16_MAX, &entry, NULL) != WW_OK ||
        ww_fatbin_unpack(&entry, &text, &length, NULL) != WW_OK) {
        return cudaErrorNoKernelImageForDevice;
    }
    bool added = add_text(&state->text, &state->count, text, strnlen(text, length));
    ww_free(text);
    return added ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* Assembly begins with a directive or a comment. What NVRTC hands out as machine code is PTX here
 * (nvrtc.c). */
static bool is_ptx(const char *data, size_t size)
{
    size_t at = 0;
    while (at < size && strchr(" \t\r\n", data[at]) != NULL && data[at] != '\0') {
        at++;
    }
    return at < size && (data[at] == '.' || data[at] == '/');
}

CUresult cuLinkAddData_v2(CUlinkState state, int type, void *data, size_t size, const char *name,
                          unsigned count, int *options, void **values)
{
    enum { INPUT_CUBIN = 0, INPUT_PTX = 1, INPUT_FATBINARY = 2 };
    (void)name, (void)count, (void)options, (void)values;
    if (state == NULL || data == NULL || size == 0) {
        return cudaErrorInvalidValue;
    }
    if (type == INPUT_FATBINARY) {
        return add_fatbin(state, data, size);
    }
    if (type != INPUT_PTX && (type != INPUT_CUBIN || !is_ptx(data, size))) {
        return rt_unsupported("cuLinkAddData of anything but PTX");
    }
    return add_text(&state->text, &state->count, data, strnlen(data, size))
               ? cudaSuccess
               : cudaErrorMemoryAllocation;
}

CUresult cuLinkAddFile_v2(CUlinkState state, int type, const char *path, unsigned count,
                          int *options, void **values)
{
    enum { INPUT_LIBRARY = 4 };
    char *bytes = NULL;
    size_t length = 0;
    if (state == NULL || path == NULL) {
        return cudaErrorInvalidValue;
    }
    if (type == INPUT_LIBRARY && strncmp(ww_path_base(path), "libcudadevrt", 12) == 0) {
        return cudaSuccess; /* the device runtime is there without it */
    }
    if (ww_read_file(path, MOST_FILE_BYTES, &bytes, &length, NULL) != WW_OK) {
        return CUDA_ERROR_FILE_NOT_FOUND;
    }
    CUresult code = cuLinkAddData_v2(state, type, bytes, length, path, count, options, values);
    ww_free(bytes);
    return code;
}

CUresult cuLinkComplete(CUlinkState state, void **image, size_t *size)
{
    const linked_header header = {LINKED_MAGIC, state != NULL ? (uint32_t)state->count : 0};
    size_t bytes = sizeof header;
    if (state == NULL || image == NULL) {
        return cudaErrorInvalidValue;
    }
    for (size_t i = 0; i < state->count; i++) {
        bytes += strlen(state->text[i]) + 1;
    }
    ww_free(state->image);
    state->image = WW_NEW_ARRAY(unsigned char, bytes);
    if (state->image == NULL) {
        return cudaErrorMemoryAllocation;
    }
    memcpy(state->image, &header, sizeof header);
    unsigned char *end = state->image + sizeof header;
    for (size_t i = 0; i < state->count; i++) {
        size_t n = strlen(state->text[i]) + 1;
        memcpy(end, state->text[i], n);
        end += n;
    }
    *image = state->image;
    if (size != NULL) {
        *size = bytes;
    }
    return cudaSuccess;
}

CUresult cuLinkDestroy(CUlinkState state)
{
    if (state != NULL) {
        free_texts(state->text, state->count);
        ww_free(state->image);
        ww_free(state);
    }
    return cudaSuccess;
}

/* ---- launches ---- */

enum { MOST_PARAMETERS = 4096 };

/* The arguments packed into one buffer, as "extra" names it: pairs of a key and a value. */
static cudaError_t unpack(rt_context *c, CUfunction f, void **extra, void **params)
{
    enum { END = 0, BUFFER = 1 };
    unsigned char *buffer = NULL;
    for (size_t i = 0; (uintptr_t)extra[i] != END; i += 2) {
        buffer = (uintptr_t)extra[i] == BUFFER ? extra[i + 1] : buffer;
    }
    for (uint32_t i = 0; i < MOST_PARAMETERS; i++) {
        size_t at, bytes;
        if (ww_device_kernel_param(c->device, f->module->module, f->name, i, &at, &bytes, NULL) !=
            WW_OK) {
            return buffer != NULL || i == 0 ? cudaSuccess : cudaErrorInvalidValue;
        }
        params[i] = buffer + at;
    }
    return cudaErrorInvalidValue;
}

/* Now, or later beside others (deferred.c). */
static cudaError_t issue(rt_context *c, const rt_work *work, cudaStream_t stream)
{
    return rt_deferred_waits(c, stream, work) ? rt_deferred_add(c, stream, work)
                                              : rt_issue(c, stream, work);
}

static cudaError_t launch(rt_context *c, rt_work *work, cudaStream_t stream, void **extra)
{
    CUfunction f = rt_find_kernel(c, work->u.kernel.host);
    if (f == NULL) {
        return cudaErrorInvalidResourceHandle;
    }
    if (extra == NULL) {
        return issue(c, work, stream);
    }
    void **params = WW_NEW_ARRAY(void *, MOST_PARAMETERS);
    if (params == NULL) {
        return cudaErrorMemoryAllocation;
    }
    cudaError_t code = unpack(c, f, extra, params);
    work->u.kernel.args = params;
    code = code == cudaSuccess ? issue(c, work, stream) : code;
    ww_free(params);
    return code;
}

CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned shared, cudaStream_t stream,
                        void **params, void **extra)
{
    rt_work work = {.type = cudaGraphNodeTypeKernel};
    work.u.kernel.host = f;
    work.u.kernel.grid = (cudaDim3){gx, gy, gz};
    work.u.kernel.block = (cudaDim3){bx, by, bz};
    work.u.kernel.shared = shared;
    work.u.kernel.args = params;
    RT_CALL_BESIDE(c, launch(c, &work, stream, params == NULL ? extra : NULL));
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **params, void **extra)
{
    rt_work work = {.type = cudaGraphNodeTypeKernel};
    if (config == NULL) {
        return cudaErrorInvalidValue;
    }
    work.u.kernel.host = f;
    work.u.kernel.grid = config->grid;
    work.u.kernel.block = config->block;
    work.u.kernel.shared = config->sharedMemBytes;
    work.u.kernel.args = params;
    rt_take_attributes(&work, config->attrs, config->numAttrs);
    RT_CALL_BESIDE(c, launch(c, &work, config->hStream, params == NULL ? extra : NULL));
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                   unsigned by, unsigned bz, unsigned shared, cudaStream_t stream,
                                   void **params)
{
    return cudaLaunchCooperativeKernel(f, (cudaDim3){gx, gy, gz}, (cudaDim3){bx, by, bz}, params,
                                       shared, stream);
}

CUresult cuFuncGetAttribute(int *value, int which, CUfunction f)
{
    cudaFuncAttributes a;
    CUresult code = value != NULL ? cudaFuncGetAttributes(&a, f) : cudaErrorInvalidValue;
    if (code != cudaSuccess) {
        return code;
    }
    const int values[] = {a.maxThreadsPerBlock,
                          (int)a.sharedSizeBytes,
                          (int)a.constSizeBytes,
                          (int)a.localSizeBytes,
                          a.numRegs,
                          a.ptxVersion,
                          a.binaryVersion,
                          a.cacheModeCA,
                          a.maxDynamicSharedSizeBytes,
                          a.preferredShmemCarveout,
                          a.clusterDimMustBeSet,
                          a.requiredClusterWidth,
                          a.requiredClusterHeight,
                          a.requiredClusterDepth,
                          a.nonPortableClusterSizeAllowed,
                          a.clusterSchedulingPolicyPreference};
    if (which < 0 || (size_t)which >= WW_ARRAY_LEN(values)) {
        return cudaErrorInvalidValue;
    }
    *value = values[which];
    return cudaSuccess;
}

CUresult cuFuncSetAttribute(CUfunction f, int which, int value)
{
    return cudaFuncSetAttribute(f, which, value);
}

/* The two kinds of launch configuration differ in the width of their sizes. */
static cudaLaunchConfig runtime_config(const CUlaunchConfig *config)
{
    return (cudaLaunchConfig){.gridDim = config->grid,
                              .blockDim = config->block,
                              .dynamicSmemBytes = config->sharedMemBytes,
                              .stream = config->hStream,
                              .attrs = config->attrs,
                              .numAttrs = config->numAttrs};
}

CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction f, const CUlaunchConfig *config)
{
    if (config == NULL) {
        return cudaErrorInvalidValue;
    }
    const cudaLaunchConfig same = runtime_config(config);
    return cudaOccupancyMaxActiveClusters(clusters, f, &same);
}

CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction f, const CUlaunchConfig *config)
{
    if (config == NULL) {
        return cudaErrorInvalidValue;
    }
    const cudaLaunchConfig same = runtime_config(config);
    return cudaOccupancyMaxPotentialClusterSize(size, f, &same);
}

CUresult cuFuncSetCacheConfig(CUfunction f, int config)
{
    return cudaFuncSetCacheConfig(f, config);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction f, int threads,
                                                     size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, threads, shared);
}

/* The block size with the most resident threads, the largest among equals. */
CUresult cuOccupancyMaxPotentialBlockSize(int *min_grid, int *block, CUfunction f,
                                          size_t (*shared_of)(int), size_t shared, int limit)
{
    cudaDeviceProp p;
    cudaFuncAttributes a;
    int best = 0;
    if (min_grid == NULL || block == NULL) {
        return cudaErrorInvalidValue;
    }
    CUresult code = cudaGetDeviceProperties(&p, 0);
    code = code == cudaSuccess ? cudaFuncGetAttributes(&a, f) : code;
    if (code != cudaSuccess) {
        return code;
    }
    int most = limit > 0 && limit < a.maxThreadsPerBlock ? limit : a.maxThreadsPerBlock;
    *min_grid = *block = 0;
    for (int threads = most; threads > 0; threads = (threads - 1) / 32 * 32) {
        int blocks = 0;
        code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, f, threads, shared_of != NULL ? shared_of(threads) : shared);
        if (code != cudaSuccess) {
            return code;
        }
        if (blocks * threads > best) {
            best = blocks * threads;
            *block = threads;
            *min_grid = blocks * p.multiProcessorCount;
        }
    }
    return cudaSuccess;
}
