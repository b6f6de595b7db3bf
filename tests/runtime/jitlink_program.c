/* jitlink_program.c - a CUDA program that links its kernel at run time for the GPU that it finds,
 * and loads the machine code. Usage: jitlink_program, or jitlink_program absent: there is no
 * nvJitLink. */
#include <stdint.h>
#include <string.h>

#include "runtime/runtime_api/calls.h"
#include "runtime/driver_api/calls.h"
#include "tests/runtime/check.h"

typedef struct nvJitLink *handle;

/* The names that the header of version 13.0 calls. */
int nvJitLinkVersion(unsigned *major, unsigned *minor);
int __nvJitLinkCreate_13_0(handle *out, uint32_t count, const char **options);
int __nvJitLinkDestroy_13_0(handle *p);
int __nvJitLinkAddData_13_0(handle p, int type, const void *data, size_t bytes, const char *name);
int __nvJitLinkComplete_13_0(handle p);
int __nvJitLinkGetInfoLog_13_0(handle p, char *log);
int __nvJitLinkGetErrorLogSize_13_0(handle p, size_t *bytes);
int __nvJitLinkGetLinkedCubinSize_13_0(handle p, size_t *bytes);
int __nvJitLinkGetLinkedCubin_13_0(handle p, void *code);

enum { INPUT_LTOIR = 4, INTERNAL = 6 };

static const char source[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry six(.param .u64 p)\n{\n.reg .b64 %rd<3>;\n"
    "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nst.global.u32 [%rd2], 6;\nret;\n}\n";

/* Links and leaves what came of it in code. */
static void link_unit(const char **options, uint32_t count, const char *log_wanted, char *code,
                      size_t size_wanted)
{
    handle p = NULL;
    size_t bytes = 0;
    char log[256] = "";
    expect(__nvJitLinkCreate_13_0(&p, count, options) == 0, "a link");
    expect(__nvJitLinkAddData_13_0(p, INPUT_LTOIR, source, sizeof source, "unit") == 0, "a unit");
    expect(__nvJitLinkComplete_13_0(p) == 0, "linking");
    expect(__nvJitLinkGetInfoLog_13_0(p, log) == 0, "log");
    if (strcmp(log, log_wanted) != 0) {
        fprintf(stderr, "wrong: options %s, not %s\n", log, log_wanted);
        failures++;
    }
    expect(__nvJitLinkGetLinkedCubinSize_13_0(p, &bytes) == 0 && bytes == size_wanted, "its size");
    expect(__nvJitLinkGetLinkedCubin_13_0(p, code) == 0, "the code");
    expect(__nvJitLinkGetErrorLogSize_13_0(p, &bytes) == INTERNAL, "a function that is lacking");
    expect(__nvJitLinkDestroy_13_0(&p) == 0 && p == NULL, "destruction");
}

static int link_and_run(void)
{
    char code[sizeof source];
    const char *lto[] = {"-lto", "-arch=sm_61"}, *ptx[] = {"-arch=sm_90", "-ptx", "-lto"};
    const char *plain[] = {"-arch=sm_80", "-g"};
    CUmodule module;
    CUfunction f;
    CUdeviceptr p;
    unsigned value = 0, major = 0, minor = 9;
    OK(cuInit(0));
    expect(nvJitLinkVersion(&major, &minor) == 0 && major == 13 && minor == 0, "version");
    link_unit(plain, 2, "[-arch=sm_80][-g]", code, 4);
    expect(cuModuleLoadData(&module, code) == cudaErrorNoKernelImageForDevice, "machine code");
    link_unit(ptx, 3, "[-arch=compute_90][-ptx][-lto]", code, sizeof source);
    link_unit(lto, 2, "[-lto][-arch=compute_75][-ptx]", code, sizeof source);
    OK(cuModuleLoadData(&module, code));
    OK(cuModuleGetFunction(&f, module, "six"));
    OK(cuMemAlloc_v2(&p, sizeof value));
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&p}, NULL));
    OK(cuMemcpyDtoH_v2(&value, p, sizeof value));
    expect(value == 6, "result of the kernel");
    return failures;
}

static int find_nothing(void)
{
    handle p = NULL;
    unsigned major;
    const char *options[] = {"-arch=sm_80"};
    expect(nvJitLinkVersion(&major, &major) == INTERNAL, "version without nvJitLink");
    expect(__nvJitLinkCreate_13_0(&p, 1, options) == INTERNAL, "link without nvJitLink");
    return failures;
}

int main(int argc, char **argv)
{
    int wrong = argc > 1 && strcmp(argv[1], "absent") == 0 ? find_nothing() : link_and_run();
    printf("jitlink: %s\n", wrong == 0 ? "PASSED" : "FAILED");
    return wrong != 0;
}
