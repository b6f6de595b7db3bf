/* dependent_program.c - a CUDA program with launches that may begin early, for --memcheck.
 * Usage: dependent_program own|default waits|early|ordered|synchronized
 * The second kernel reads what the first has written: behind griddepcontrol.wait; without it, which
 * is a race; without it, in a launch that may not begin early; or when the host has waited. */
#include <string.h>

#include "runtime/runtime_api/calls.h"
#include "runtime/driver_api/calls.h"
#include "tests/runtime/check.h"

enum { WORDS = 32 };

#define KERNEL(name, body)                                                                         \
    ".visible .entry " name "(.param .u64 p)\n{\n.reg .b32 %r<4>; .reg .b64 %q<4>;\n"              \
    "ld.param.u64 %q1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %q2, %r1, 4;\n"                      \
    "add.u64 %q1, %q1, %q2;\n" body "ret;\n}\n"
#define TRIPLE "ld.global.u32 %r2, [%q1]; mul.lo.u32 %r2, %r2, 3; st.global.u32 [%q1+128], %r2; "
static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n" KERNEL(
    "first", "griddepcontrol.launch_dependents; st.global.u32 [%q1], %r1; ")
    KERNEL("waits", "griddepcontrol.wait; " TRIPLE) KERNEL("hurries", TRIPLE);

static void launch(CUfunction kernel, CUdeviceptr p, cudaStream_t stream, int early)
{
    const cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeProgrammaticStreamSerialization,
                                           .value.i = early};
    const cudaLaunchConfig config = {.gridDim = {1, 1, 1},
                                     .blockDim = {WORDS, 1, 1},
                                     .stream = stream,
                                     .attrs = &attribute,
                                     .numAttrs = 1};
    OK(cudaLaunchKernelExC(&config, kernel, (void *[]){&p}));
    OK(cudaGetLastError());
}

int main(int argc, char **argv)
{
    CUmodule module;
    CUfunction first, second;
    CUdeviceptr p;
    cudaStream_t stream = NULL;
    unsigned got[2 * WORDS] = {0};
    int device;
    const char *how = argc > 2 ? argv[2] : "";
    OK(cuInit(0));
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&first, module, "first"));
    OK(cuModuleGetFunction(&second, module, strcmp(how, "waits") == 0 ? "waits" : "hurries"));
    OK(cuMemAlloc_v2(&p, sizeof got));
    if (argc > 1 && strcmp(argv[1], "own") == 0) {
        OK(cudaStreamCreate(&stream));
    }
    launch(first, p, stream, 0);
    if (strcmp(how, "synchronized") == 0) {
        OK(cudaStreamSynchronize(stream));
    }
    OK(cudaFuncSetAttribute(second, cudaFuncAttributeMaxDynamicSharedMemorySize, 4096));
    OK(cudaGetDevice(&device)); /* these wait for nothing */
    launch(second, p, stream, strcmp(how, "ordered") != 0);
    OK(cuMemcpyDtoH_v2(got, p, sizeof got));
    for (unsigned i = 0; i < WORDS; i++) {
        expect(got[i] == i && got[WORDS + i] == 3 * i, "a word");
    }
    printf("dependent: %s\n", failures == 0 ? "PASSED" : "FAILED");
    return failures != 0;
}
