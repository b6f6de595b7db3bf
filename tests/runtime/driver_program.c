/* driver_program.c - a program of the driver API alone, as run-time compilers make them: libraries,
 * launches with attributes, fills, copies that tell sides by address, what pointers point to, and
 * entry points by name and version. Usage: driver_program [streams]. */
#include <stdint.h>
#include <string.h>

#include "runtime/runtime_api/calls.h"
#include "runtime/driver_api/calls.h"
#include "tests/runtime/check.h"

enum { N = 256, COOPERATIVE = 2 };

/* p[i] += bias of the module */
static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n.global .align 4 .u32 bias = 5;\n"
    ".visible .entry raise(.param .u64 p)\n{\n"
    ".reg .b32 %r<7>;\n.reg .b64 %rd<6>;\nld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\n"
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"
    "mad.lo.s32 %r4, %r1, %r2, %r3;\nmul.wide.u32 %rd3, %r4, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"
    "ld.global.u32 %r5, [%rd4];\nld.global.u32 %r6, [bias];\nadd.s32 %r5, %r5, %r6;\n"
    "st.global.u32 [%rd4], %r5;\nret;\n}\n";

static unsigned values[N];

static void all_are(CUdeviceptr p, unsigned value, const char *what)
{
    unsigned wrong = 0;
    memset(values, 0xee, sizeof values);
    OK(cuMemcpy((uintptr_t)values, p, sizeof values));
    for (unsigned i = 0; i < N; i++) {
        wrong += values[i] != value;
    }
    expect(wrong == 0, what);
}

static void use_library(CUdeviceptr p)
{
    CUmodule library, module;
    CUfunction kernel, function;
    CUdeviceptr bias;
    size_t bytes = 0, offset = 9;
    const char *name = "";
    int value = 0;
    OK(cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cuLibraryGetKernel(&kernel, library, "raise"));
    expect(cuLibraryGetKernel(&function, library, "lower") == CUDA_ERROR_NOT_FOUND, "no kernel");
    OK(cuKernelGetFunction(&function, kernel));
    OK(cuKernelGetLibrary(&module, kernel));
    expect(module == library, "the library of a kernel");
    OK(cuLibraryGetModule(&module, library));
    OK(cuFuncGetName(&name, function));
    expect(strcmp(name, "raise") == 0, "the name of a kernel");
    OK(cuKernelGetParamInfo(kernel, 0, &offset, &bytes));
    expect(offset == 0 && bytes == 8, "its parameter");
    OK(cuKernelGetAttribute(&value, 0, kernel, 0));
    expect(value > 0, "its threads");
    OK(cuLibraryGetGlobal(&bias, &bytes, library, "bias"));
    expect(bytes == 4, "a variable");
    const cudaLaunchAttribute attribute = {.id = COOPERATIVE, .value.i = 1};
    const CUlaunchConfig config = {
        .grid = {2, 1, 1}, .block = {N / 2, 1, 1}, .attrs = &attribute, .numAttrs = 1};
    OK(cuLaunchKernelEx(&config, function, (void *[]){&p}, NULL));
    all_are(p, 12, "what a library's kernel did");
    OK(cuMemsetD32Async(bias, 100, 1, NULL));
    OK(cuLaunchKernelEx(&config, kernel, (void *[]){&p}, NULL));
    all_are(p, 112, "what it did with another variable");
    const CUlaunchConfig much = {
        .grid = {1 << 20, 1, 1}, .block = {128, 1, 1}, .attrs = &attribute, .numAttrs = 1};
    expect(cuLaunchKernelEx(&much, kernel, (void *[]){&p}, NULL) ==
               cudaErrorCooperativeLaunchTooLarge,
           "more CTAs together than fit");
    OK(cuLibraryUnload(library));
}

/* Library calls of the runtime are the same. */
static void use_runtime_library(void *p)
{
    cudaLibrary_t library;
    cudaKernel_t kernel;
    OK(cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    OK(cudaLibraryGetKernel(&kernel, library, "raise"));
    OK(cudaLaunchKernel(kernel, (cudaDim3){1, 1, 1}, (cudaDim3){N, 1, 1}, (void *[]){&p}, 0, NULL));
    all_are((uintptr_t)p, 117, "what the runtime launched");
    OK(cudaLibraryUnload(library));
}

/* Two units; programs that compile at run time hold the first for machine code. */
static const char unit_call[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".extern .func (.param .b32 r) three(.param .b32 x);\n"
    ".visible .entry triple(.param .u64 p)\n{\n.reg .b32 %r<3>;\n.reg .b64 %rd<3>;\n"
    "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\nld.global.u32 %r1, [%rd2];\n"
    "{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r1;\n"
    "call.uni (b), three, (a);\nld.param.b32 %r2, [b];\n}\nst.global.u32 [%rd2], %r2;\nret;\n}\n";
static const char unit_function[] =
    "//\n.version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .func (.param .b32 r) three(.param .b32 x)\n{\n.reg .b32 %r<3>;\n"
    "ld.param.b32 %r1, [x];\nmul.lo.s32 %r2, %r1, 3;\nst.param.b32 [r], %r2;\nret;\n}\n";

static void link_units(CUdeviceptr p)
{
    enum { CUBIN = 0, PTX = 1, FATBIN = 2, LIBRARY = 4 };
    static unsigned char copy[4096];
    char elf[] = "\177ELF machine code";
    char call[sizeof unit_call], function[sizeof unit_function];
    CUlinkState link;
    CUmodule module;
    CUfunction kernel;
    void *image = NULL;
    size_t bytes = 0;
    unsigned value = 0;
    memcpy(call, unit_call, sizeof call);
    memcpy(function, unit_function, sizeof function);
    OK(cuLinkCreate_v2(0, NULL, NULL, &link));
    expect(cuLinkAddData_v2(link, CUBIN, elf, sizeof elf, "", 0, NULL, NULL) ==
               cudaErrorNotSupported,
           "machine code");
    expect(cuLinkAddData_v2(link, FATBIN, elf, sizeof elf, "", 0, NULL, NULL) != cudaSuccess,
           "no fat binary");
    OK(cuLinkAddData_v2(link, CUBIN, call, sizeof call, "", 0, NULL, NULL));
    OK(cuLinkAddData_v2(link, PTX, function, sizeof function, "", 0, NULL, NULL));
    OK(cuLinkAddFile_v2(link, LIBRARY, "/nowhere/libcudadevrt.a", 0, NULL, NULL));
    OK(cuLinkComplete(link, &image, &bytes));
    expect(bytes > sizeof unit_call && bytes <= sizeof copy, "size of what was linked");
    memcpy(copy, image, bytes);
    memset(image, 0xdd, bytes);
    OK(cuLinkDestroy(link));
    OK(cuModuleLoadData(&module, copy));
    OK(cuModuleGetFunction(&kernel, module, "triple"));
    OK(cuMemsetD32_v2(p, 14, 1));
    OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&p}, NULL));
    OK(cuMemcpyDtoH_v2(&value, p, sizeof value));
    expect(value == 42, "what was linked");
}

static void fill(CUdeviceptr p)
{
    OK(cuMemsetD8Async(p, 0x11, N * 4, NULL));
    all_are(p, 0x11111111, "bytes");
    OK(cuMemsetD16Async(p, 0x2233, N * 2, NULL));
    all_are(p, 0x22332233, "half words");
    OK(cuMemsetD2D32_v2(p, 64, 7, 16, N / 16));
    all_are(p, 7, "rows of words");
    OK(cuMemsetD2D8Async(p, 64, 0, 4, 2, NULL));
    OK(cuMemcpyAsync((uintptr_t)values, p, sizeof values, NULL));
    expect(values[0] == 0 && values[1] == 7 && values[15] == 7 && values[16] == 0 &&
               values[32] == 7,
           "parts of rows");
    OK(cuMemsetD32Async(p, 7, N, NULL));
}

static void ask_about(CUdeviceptr p)
{
    enum { CONTEXT = 1, TYPE = 2, DEVICE = 3, MANAGED = 8, ORDINAL = 9, START = 11, SIZE = 12 };
    CUdeviceptr base = 0, start = 0;
    CUcontext current, context = NULL;
    size_t size = 0;
    unsigned type = 0;
    unsigned char managed = 1;
    int here, ordinal = 7;
    expect(cuDeviceGetP2PAttribute(&here, 1, 0, 0) == cudaErrorInvalidDevice &&
               cuDeviceGetP2PAttribute(&here, 0, 0, 1) == cudaErrorInvalidValue,
           "how two devices reach each other, where there is one");
    /* A column of two bytes in each of three rows, from one device to the same one. */
    enum { PITCH = 32, LEFT = 7, RIGHT = 9 };
    unsigned char rows[3 * PITCH];
    cudaMemcpy3DPeerParms column = {.srcPtr = {(void *)(uintptr_t)p, PITCH, PITCH, 3},
                                    .dstPtr = {(void *)(uintptr_t)(p + 3 * PITCH), PITCH, PITCH, 3},
                                    .dstPos = {1, 0, 0},
                                    .extent = {2, 3, 1}};
    OK(cuMemsetD8_v2(p, LEFT, 3 * PITCH));
    OK(cuMemsetD8_v2(p + 3 * PITCH, RIGHT, 3 * PITCH));
    OK(cudaMemcpy3DPeer(&column));
    OK(cuMemcpy((uintptr_t)rows, p + 3 * PITCH, sizeof rows));
    expect(rows[0] == RIGHT && rows[1] == LEFT && rows[2 * PITCH + 2] == LEFT &&
               rows[2 * PITCH + 3] == RIGHT,
           "a box from a device to itself");
    column.dstDevice = 1;
    expect(cudaMemcpy3DPeerAsync(&column, NULL) == cudaErrorInvalidDevice, "a second device");
    OK(cudaDeviceGetByPCIBusId(&here, "01:00.0"));
    expect(here == 0, "the device of a bus");
    expect(cudaDeviceGetByPCIBusId(&here, "0000:02:00.0") == cudaErrorInvalidDevice, "another bus");
    OK(cuMemGetAddressRange_v2(&base, &size, p + 100));
    expect(base == p && size == N * 4, "the range of an allocation");
    expect(cuMemGetAddressRange_v2(&base, &size, (uintptr_t)&here) == CUDA_ERROR_NOT_FOUND,
           "an address of the host");
    OK(cuCtxGetCurrent(&current));
    const int which[] = {CONTEXT, TYPE, MANAGED, ORDINAL, START, SIZE};
    void *const out[] = {&context, &type, &managed, &ordinal, &start, &size};
    OK(cuPointerGetAttributes(6, which, (void **)(uintptr_t)out, p + 4));
    expect(context == current && type == 2 && managed == 0 && ordinal == 0 && start == p &&
               size == N * 4,
           "a device pointer");
    expect(cuPointerGetAttribute(&type, TYPE, (uintptr_t)&here) == cudaErrorInvalidValue,
           "what is no device pointer");
    OK(cuPointerGetAttributes(2, which, (void **)(uintptr_t)out, (uintptr_t)&here));
    expect(context == NULL && type == 0, "the same in a list");
    expect(cuPointerGetAttribute(&type, 99, p) == cudaErrorInvalidValue, "no attribute");
}

static void find_entries(void)
{
    CUdeviceptr p;
    CUresult (*old_prefetch)(CUdeviceptr, size_t, CUdevice, cudaStream_t);
    CUresult (*prefetch)(CUdeviceptr, size_t, cudaMemLocation, unsigned, cudaStream_t);
    void *none;
    int status = 0, managed = 0;
    OK(cuGetProcAddress_v2("cuMemPrefetchAsync", (void **)(void *)&old_prefetch, 12080, 0, NULL));
    OK(cuGetProcAddress_v2("cuMemPrefetchAsync", (void **)(void *)&prefetch, 13000, 0, NULL));
    expect((void *)(uintptr_t)old_prefetch != (void *)(uintptr_t)prefetch, "a form that changed");
    OK(cuDeviceGetAttribute(&managed, 83, 0));
    if (managed != 0) { /* else a sanitizer holds the address range */
        OK(cuMemAllocManaged(&p, 4, 1));
        OK(old_prefetch(p, 4, 0, NULL));
        OK(prefetch(p, 4, (cudaMemLocation){1, 0}, 0, NULL));
        OK(cuMemFree_v2(p));
    }
    expect(cuGetProcAddress_v2("cuNothing", &none, 13000, 0, &status) == CUDA_ERROR_NOT_FOUND &&
               status == 1 && none == NULL,
           "no entry point");
}

static void called(void *user)
{
    ++*(int *)user;
}

static void use_context(void)
{
    CUcontext context, other;
    cudaStream_t stream;
    unsigned flags, version;
    int active = 0, count = 0, priority;
    unsigned long long id = 0;
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuDevicePrimaryCtxGetState(0, &flags, &active));
    expect(active == 1, "an active context");
    OK(cuCtxGetId(context, &id));
    OK(cuCtxGetApiVersion(context, &version));
    expect(cuCtxGetId((CUcontext)(uintptr_t)&count, &id) == CUDA_ERROR_INVALID_CONTEXT,
           "no context");
    OK(cuStreamCreateWithPriority(&stream, 1, -1));
    OK(cuStreamGetPriority(stream, &priority));
    OK(cuStreamGetCtx(stream, &other));
    expect(other == context && priority == -1, "a stream");
    OK(cuLaunchHostFunc(stream, called, &count));
    expect(count == 1, "a host function");
    OK(cuStreamDestroy_v2(stream));
    expect(cuStreamGetCtx(stream, &other) == cudaErrorInvalidResourceHandle, "no stream");
}

/* A kernel in each of three streams; arguments in both ways that there are. */
static void use_streams(void)
{
    enum { STREAMS = 3, END = 0, BUFFER = 1, SIZE = 2 };
    CUmodule module;
    CUfunction kernel;
    cudaStream_t stream[STREAMS];
    CUdeviceptr p[STREAMS];
    size_t size = sizeof p[0];
    void *extra[] = {(void *)BUFFER, &p[0], (void *)SIZE, &size, (void *)END};
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&kernel, module, "raise"));
    for (unsigned i = 0; i < STREAMS; i++) {
        OK(cuStreamCreate(&stream[i], 1));
        OK(cuMemAlloc_v2(&p[i], N * 4));
        OK(cuMemsetD32_v2(p[i], i, N));
    }
    for (int i = 0; i < STREAMS; i++) {
        OK(cuLaunchKernel(kernel, 2, 1, 1, N / 2, 1, 1, 0, stream[i],
                          i == 0 ? NULL : (void *[]){&p[i]}, i == 0 ? extra : NULL));
    }
    OK(cuCtxSynchronize());
    for (unsigned i = 0; i < STREAMS; i++) {
        all_are(p[i], 5 + i, "what a stream did");
    }
}

int main(int argc, char **argv)
{
    CUdeviceptr p;
    OK(cuInit(0));
    OK(cuMemAlloc_v2(&p, N * 4));
    if (argc > 1 && strcmp(argv[1], "streams") == 0) {
        use_streams();
    } else {
        use_context();
        fill(p);
        use_library(p);
        use_runtime_library((void *)(uintptr_t)p);
        ask_about(p);
        find_entries();
        link_units(p);
    }
    OK(cuMemFree_v2(p));
    printf("driver: %s\n", failures == 0 ? "PASSED" : "FAILED");
    return failures != 0;
}
