/* nvrtc_program.c - a CUDA program that compiles its kernel at run time for the GPU that it finds,
 * and loads the machine code. Usage: nvrtc_program, nvrtc_program absent: there is no NVRTC, or
 * nvrtc_program path FILE: NVRTC is loaded by its path. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/runtime_api/calls.h"
#include "runtime/driver_api/calls.h"
#include "tests/runtime/check.h"

typedef struct _nvrtcProgram *nvrtcProgram;

int nvrtcVersion(int *major, int *minor);
const char *nvrtcGetErrorString(int code);
int nvrtcCreateProgram(nvrtcProgram *out, const char *source, const char *name, int headers,
                       const char *const *texts, const char *const *names);
int nvrtcDestroyProgram(nvrtcProgram *p);
int nvrtcCompileProgram(nvrtcProgram p, int count, const char *const *options);
int nvrtcGetProgramLogSize(nvrtcProgram p, size_t *bytes);
int nvrtcGetProgramLog(nvrtcProgram p, char *log);
int nvrtcGetCUBINSize(nvrtcProgram p, size_t *bytes);
int nvrtcGetCUBIN(nvrtcProgram p, char *code);
int nvrtcGetLTOIRSize(nvrtcProgram p, size_t *bytes);

static const char source[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry six(.param .u64 p)\n{\n.reg .b64 %rd<3>;\n"
    "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nst.global.u32 [%rd2], 6;\nret;\n}\n";

static void check_log(nvrtcProgram p, int count, const char *const *options, const char *wanted)
{
    char log[1024] = "";
    size_t bytes = 0;
    expect(nvrtcCompileProgram(p, count, options) == 0, "compilation");
    expect(nvrtcGetProgramLogSize(p, &bytes) == 0 && bytes <= sizeof log, "size of the log");
    expect(nvrtcGetProgramLog(p, log) == 0, "log");
    if (strcmp(log, wanted) != 0) {
        fprintf(stderr, "wrong: options %s, not %s\n", log, wanted);
        failures++;
    }
}

static void run_kernel(const char *image)
{
    CUmodule module;
    CUfunction f;
    CUdeviceptr p;
    unsigned value = 0;
    void *args[] = {&p};
    OK(cuInit(0));
    OK(cuModuleLoadData(&module, image));
    OK(cuModuleGetFunction(&f, module, "six"));
    OK(cuMemAlloc_v2(&p, sizeof value));
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, args, NULL));
    OK(cuMemcpyDtoH_v2(&value, p, sizeof value));
    expect(value == 6, "result of the kernel");
}

static int compile_and_run(void)
{
    const char *text = "text", *name = "name";
    nvrtcProgram p = NULL;
    int major = 0, minor = 0;
    size_t bytes = 0;
    expect(nvrtcVersion(&major, &minor) == 0 && major == 13 && minor == 77, "version");
    expect(strcmp(nvrtcGetErrorString(6), "the fake's sixth") == 0, "error string");
    expect(nvrtcCreateProgram(&p, source, "six.cu", 1, &text, &name) == 0, "program");
    check_log(p, 0, NULL, "");
    const char *const real[] = {"--std=c++17", "--gpu-architecture=sm_80", "-DX"};
    check_log(p, 3, real, "[--std=c++17][--gpu-architecture=compute_80][-DX]");
    const char *const old[] = {"-arch", "sm_61"};
    check_log(p, 2, old, "[-arch][compute_75]");
    expect(nvrtcGetLTOIRSize(p, &bytes) == 11, "a function that this NVRTC lacks");
    expect(nvrtcGetCUBINSize(p, &bytes) == 0 && bytes == sizeof source, "size of the code");
    char *image = calloc(1, bytes);
    expect(image != NULL && nvrtcGetCUBIN(p, image) == 0, "code");
    run_kernel(image);
    free(image);
    expect(nvrtcDestroyProgram(&p) == 0 && p == NULL, "destruction");
    return failures;
}

static int find_nothing(void)
{
    const char *none[] = {"-arch=sm_80"};
    nvrtcProgram p = NULL;
    int major;
    expect(nvrtcVersion(&major, &major) == 11, "version without NVRTC");
    expect(nvrtcCreateProgram(&p, source, "six.cu", 0, NULL, NULL) == 11, "program without NVRTC");
    expect(nvrtcCompileProgram(p, 1, none) == 11, "compilation without NVRTC");
    expect(strcmp(nvrtcGetErrorString(11), "NVRTC_ERROR_INTERNAL_ERROR") == 0, "its name");
    return failures;
}

static int load_by_path(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    expect(library != NULL && dlsym(library, "warpwatt_lookalike") != NULL, "what was loaded");
    return compile_and_run();
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    int wrong = strcmp(mode, "absent") == 0             ? find_nothing()
                : strcmp(mode, "path") == 0 && argc > 2 ? load_by_path(argv[2])
                                                        : compile_and_run();
    printf("nvrtc: %s\n", wrong == 0 ? "PASSED" : "FAILED");
    return wrong == 0 ? 0 : 1;
}
