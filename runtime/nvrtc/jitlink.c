/* jitlink.c - libnvJitLink.so look-alike, which stands before the program's own: it passes every
 * call on to that library, but has a link of intermediate code (-lto) make PTX and hands that out
 * for machine code, since PTX is what this runtime executes. A link of anything else gives machine
 * code, as ever, which cannot be loaded. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/environment.h"
#include "runtime/core/cuda_abi.h"
#include "runtime/nvrtc/options.h"
#include "runtime/nvrtc/real_library.h"

typedef int nvJitLinkResult;
typedef struct nvJitLink *nvJitLinkHandle;

enum { NVJITLINK_SUCCESS = 0, NVJITLINK_ERROR_INTERNAL = 6, MINOR_VERSIONS = 10 };

/* The program's own library: found once, at the first call. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *real;

static void find_real(void)
{
    real = rt_real_open(WW_SONAME, WW_ENV_NVJITLINK, "nvJitLinkVersion", "nvidia-nvjitlink");
}

/* A function of the real library, by its plain name or that of the newest version. */
static void *find(const char *name)
{
    char full[96];
    pthread_once(&once, find_real);
    void *function = real != NULL ? rt_real_function(real, name) : NULL;
    for (int minor = MINOR_VERSIONS; minor-- > 0 && real != NULL && function == NULL;) {
        snprintf(full, sizeof full, "__%s_%d_%d", name, WW_MAJOR, minor);
        function = rt_real_function(real, full);
    }
    return function;
}

/* The header of each version calls names of its own, all of which mean the same. */
#define VERSION(name, minor)                                                                       \
    WW_API extern __typeof(name) VERSIONED(name, WW_MAJOR, minor) __attribute__((alias(#name)));
#define VERSIONED(name, major, minor)  VERSIONED_(name, major, minor)
#define VERSIONED_(name, major, minor) __##name##_##major##_##minor
#define VERSIONS(name)                                                                             \
    VERSION(name, 0)                                                                               \
    VERSION(name, 1)                                                                               \
    VERSION(name, 2)                                                                               \
    VERSION(name, 3)                                                                               \
    VERSION(name, 4)                                                                               \
    VERSION(name, 5)                                                                               \
    VERSION(name, 6)                                                                               \
    VERSION(name, 7)                                                                               \
    VERSION(name, 8)                                                                               \
    VERSION(name, 9)

#define PASS_ON(name, parameters, arguments)                                                       \
    WW_API nvJitLinkResult name parameters;                                                        \
    nvJitLinkResult name parameters                                                                \
    {                                                                                              \
        nvJitLinkResult(*function) parameters;                                                     \
        void *p = find(#name);                                                                     \
        memcpy(&function, &p, sizeof p);                                                           \
        return function != NULL ? function arguments : NVJITLINK_ERROR_INTERNAL;                   \
    }

PASS_ON(nvJitLinkVersion, (unsigned *major, unsigned *minor), (major, minor))
PASS_ON(nvJitLinkDestroy, (nvJitLinkHandle * handle), (handle))
PASS_ON(nvJitLinkAddData,
        (nvJitLinkHandle handle, int type, const void *data, size_t bytes, const char *name),
        (handle, type, data, bytes, name))
PASS_ON(nvJitLinkAddFile, (nvJitLinkHandle handle, int type, const char *path),
        (handle, type, path))
PASS_ON(nvJitLinkComplete, (nvJitLinkHandle handle), (handle))
PASS_ON(nvJitLinkGetLinkedPtxSize, (nvJitLinkHandle handle, size_t *bytes), (handle, bytes))
PASS_ON(nvJitLinkGetLinkedPtx, (nvJitLinkHandle handle, char *text), (handle, text))
PASS_ON(nvJitLinkGetErrorLogSize, (nvJitLinkHandle handle, size_t *bytes), (handle, bytes))
PASS_ON(nvJitLinkGetErrorLog, (nvJitLinkHandle handle, char *log), (handle, log))
PASS_ON(nvJitLinkGetInfoLogSize, (nvJitLinkHandle handle, size_t *bytes), (handle, bytes))
PASS_ON(nvJitLinkGetInfoLog, (nvJitLinkHandle handle, char *log), (handle, log))

static bool has_option(const char *const *options, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (options[i] != NULL && strcmp(options[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* The caller's options, which ask for PTX if that can be had: of intermediate code. */
static ww_status make_options(const char *const *options, uint32_t count, ww_arena *arena,
                              const char ***out, uint32_t *out_count)
{
    static const char ptx[] = "-ptx";
    const char **list = WW_ARENA_NEW_ARRAY(arena, const char *, (size_t)count + 1);
    if (list == NULL) {
        return WW_ENOMEM;
    }
    memcpy(list, options, count * sizeof *list);
    *out = list;
    *out_count = count;
    if (!has_option(options, count, "-lto")) {
        return WW_OK;
    }
    if (!has_option(options, count, ptx)) {
        list[(*out_count)++] = ptx;
    }
    return rt_nvrtc_options(list, *out_count, WW_LOWEST_ARCH, arena, out, NULL);
}

WW_API nvJitLinkResult nvJitLinkCreate(nvJitLinkHandle *handle, uint32_t count,
                                       const char **options);
nvJitLinkResult nvJitLinkCreate(nvJitLinkHandle *handle, uint32_t count, const char **options)
{
    nvJitLinkResult (*function)(nvJitLinkHandle *, uint32_t, const char **);
    void *p = find("nvJitLinkCreate");
    memcpy(&function, &p, sizeof p);
    if (function == NULL) {
        return NVJITLINK_ERROR_INTERNAL;
    }
    ww_arena arena = {0};
    const char **list = options;
    uint32_t list_count = count;
    nvJitLinkResult result = NVJITLINK_ERROR_INTERNAL;
    if (options == NULL || count == 0 ||
        make_options(options, count, &arena, &list, &list_count) == WW_OK) {
        result = function(handle, list_count, list);
    }
    ww_arena_fini(&arena);
    return result;
}

/* What was linked as PTX; else the machine code. */
static bool has_ptx(nvJitLinkHandle handle, size_t *bytes)
{
    return nvJitLinkGetLinkedPtxSize(handle, bytes) == NVJITLINK_SUCCESS && *bytes > 1;
}

WW_API nvJitLinkResult nvJitLinkGetLinkedCubinSize(nvJitLinkHandle handle, size_t *bytes);
nvJitLinkResult nvJitLinkGetLinkedCubinSize(nvJitLinkHandle handle, size_t *bytes)
{
    nvJitLinkResult (*function)(nvJitLinkHandle, size_t *);
    void *p = find("nvJitLinkGetLinkedCubinSize");
    memcpy(&function, &p, sizeof p);
    if (bytes != NULL && has_ptx(handle, bytes)) {
        return NVJITLINK_SUCCESS;
    }
    return function != NULL ? function(handle, bytes) : NVJITLINK_ERROR_INTERNAL;
}

WW_API nvJitLinkResult nvJitLinkGetLinkedCubin(nvJitLinkHandle handle, void *code);
nvJitLinkResult nvJitLinkGetLinkedCubin(nvJitLinkHandle handle, void *code)
{
    nvJitLinkResult (*function)(nvJitLinkHandle, void *);
    size_t bytes;
    void *p = find("nvJitLinkGetLinkedCubin");
    memcpy(&function, &p, sizeof p);
    if (has_ptx(handle, &bytes)) {
        return nvJitLinkGetLinkedPtx(handle, code);
    }
    return function != NULL ? function(handle, code) : NVJITLINK_ERROR_INTERNAL;
}

VERSIONS(nvJitLinkCreate)
VERSIONS(nvJitLinkDestroy)
VERSIONS(nvJitLinkAddData)
VERSIONS(nvJitLinkAddFile)
VERSIONS(nvJitLinkComplete)
VERSIONS(nvJitLinkGetLinkedCubinSize)
VERSIONS(nvJitLinkGetLinkedCubin)
VERSIONS(nvJitLinkGetLinkedPtxSize)
VERSIONS(nvJitLinkGetLinkedPtx)
VERSIONS(nvJitLinkGetErrorLogSize)
VERSIONS(nvJitLinkGetErrorLog)
VERSIONS(nvJitLinkGetInfoLogSize)
VERSIONS(nvJitLinkGetInfoLog)
