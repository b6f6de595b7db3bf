/* nvrtc.c - libnvrtc.so look-alike, which stands before the program's own NVRTC: it passes every
 * call on to that library, but has PTX made and handed out where a program asks for the machine
 * code of its GPU, since PTX is what this runtime executes. */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>

#include "base/environment.h"
#include "runtime/core/cuda_abi.h"
#include "runtime/nvrtc/options.h"
#include "runtime/nvrtc/real_library.h"

typedef int nvrtcResult;
typedef struct _nvrtcProgram *nvrtcProgram;

enum { NVRTC_SUCCESS = 0, NVRTC_ERROR_OUT_OF_MEMORY = 1, NVRTC_ERROR_INTERNAL_ERROR = 11 };

/* The program's own NVRTC: found once, at the first call. */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *real;

static void find_real(void)
{
    real = rt_real_open(WW_SONAME, WW_ENV_NVRTC, "nvrtcCompileProgram", "nvidia-cuda-nvrtc");
}

/* A function of the real library; NULL: it has none of that name, or is not there. */
static void *find(const char *name)
{
    pthread_once(&once, find_real);
    return real != NULL ? rt_real_function(real, name) : NULL;
}

#define X(name, parameters, arguments)                                                             \
    WW_API nvrtcResult name parameters;                                                            \
    nvrtcResult name parameters                                                                    \
    {                                                                                              \
        nvrtcResult(*function) parameters;                                                         \
        void *p = find(#name);                                                                     \
        memcpy(&function, &p, sizeof p);                                                           \
        return function != NULL ? function arguments : NVRTC_ERROR_INTERNAL_ERROR;                 \
    }
#include "runtime/nvrtc/nvrtc.def"
#undef X

/* ---- what is not passed on as it is ---- */

/* The lowest architecture that the real library compiles for; 0: it is too old to tell. */
static unsigned lowest_arch(void)
{
    enum { MOST = 256 };
    int archs[MOST], count = 0;
    if (find("nvrtcGetSupportedArchs") == NULL ||
        nvrtcGetNumSupportedArchs(&count) != NVRTC_SUCCESS || count < 1 || count > MOST ||
        nvrtcGetSupportedArchs(archs) != NVRTC_SUCCESS) {
        return 0;
    }
    int lowest = archs[0];
    for (int i = 1; i < count; i++) {
        lowest = archs[i] < lowest ? archs[i] : lowest;
    }
    return lowest > 0 ? (unsigned)lowest : 0;
}

WW_API nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options);
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options)
{
    nvrtcResult (*function)(nvrtcProgram, int, const char *const *);
    void *p = find("nvrtcCompileProgram");
    memcpy(&function, &p, sizeof p);
    if (function == NULL) {
        return NVRTC_ERROR_INTERNAL_ERROR;
    }
    if (count <= 0 || options == NULL) {
        return function(program, count, options);
    }
    ww_arena arena = {0};
    const char **list;
    nvrtcResult result =
        rt_nvrtc_options(options, (size_t)count, lowest_arch(), &arena, &list, NULL) == WW_OK
            ? function(program, count, list)
            : NVRTC_ERROR_OUT_OF_MEMORY;
    ww_arena_fini(&arena);
    return result;
}

/* Modules are loaded from PTX as from machine code. */
WW_API nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes);
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes)
{
    return nvrtcGetPTXSize(program, bytes);
}

WW_API nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *code);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *code)
{
    return nvrtcGetPTX(program, code);
}

static const char *own_error_string(nvrtcResult result)
{
    switch (result) {
    case NVRTC_SUCCESS:
        return "NVRTC_SUCCESS";
    case NVRTC_ERROR_OUT_OF_MEMORY:
        return "NVRTC_ERROR_OUT_OF_MEMORY";
    case NVRTC_ERROR_INTERNAL_ERROR:
        return "NVRTC_ERROR_INTERNAL_ERROR";
    default:
        return "NVRTC_ERROR unknown";
    }
}

WW_API const char *nvrtcGetErrorString(nvrtcResult result);
const char *nvrtcGetErrorString(nvrtcResult result)
{
    const char *(*function)(nvrtcResult);
    void *p = find("nvrtcGetErrorString");
    memcpy(&function, &p, sizeof p);
    return function != NULL ? function(result) : own_error_string(result);
}
