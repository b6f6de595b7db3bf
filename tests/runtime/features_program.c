/* features_program.c - a CUDA program that asks what the GPU can do and uses it: persisting lines
 * in L2, compressible memory. Usage: features_program old|new (older than compute capability 8.0 or
 * not). */
#include <string.h>

#include "runtime/runtime_api/calls.h"
#include "runtime/driver_api/calls.h"
#include "tests/runtime/check.h"

enum { WINDOW = 1, PRIORITY = 8, CLUSTER = 4, PERSISTING_LIMIT = 6, COMPRESSION = 107 };

static void check_limit(const cudaDeviceProp *p, int modern)
{
    size_t bytes = 1;
    if (modern) {
        expect(p->persistingL2CacheMaxSize > p->l2CacheSize / 2 &&
                   p->persistingL2CacheMaxSize < p->l2CacheSize,
               "most of L2 that persists");
        OK(cudaDeviceSetLimit(PERSISTING_LIMIT, (size_t)p->persistingL2CacheMaxSize));
        OK(cudaDeviceGetLimit(&bytes, PERSISTING_LIMIT));
        expect(bytes == (size_t)p->persistingL2CacheMaxSize, "the limit");
        expect(cudaDeviceSetLimit(PERSISTING_LIMIT, (size_t)p->l2CacheSize) ==
                   cudaErrorInvalidValue,
               "more than there is");
    } else {
        expect(p->persistingL2CacheMaxSize == 0 && p->accessPolicyMaxWindowSize == 0, "no windows");
        expect(cudaDeviceSetLimit(PERSISTING_LIMIT, 4096) == cudaErrorUnsupportedLimit, "a limit");
    }
}

static void check_window(int modern)
{
    cudaStream_t stream, other;
    cudaLaunchAttributeValue v = {.accessPolicyWindow = {NULL, 4096, 0.5f, 2, 0}}, got;
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamCreate(&other));
    expect(cudaStreamSetAttribute(stream, WINDOW, &v) ==
               (modern ? cudaSuccess : cudaErrorInvalidValue),
           "an access policy window");
    OK(cudaStreamCopyAttributes(other, stream));
    OK(cudaStreamGetAttribute(other, WINDOW, &got));
    expect(got.accessPolicyWindow.num_bytes == (modern ? 4096 : 0), "the window of a copy");
    v.accessPolicyWindow.hitRatio = 1.5f;
    expect(cudaStreamSetAttribute(NULL, WINDOW, &v) == cudaErrorInvalidValue, "a ratio over 1");
    v.accessPolicyWindow = (cudaAccessPolicyWindow){NULL, (size_t)1 << 40, 1, 2, 0};
    expect(cudaStreamSetAttribute(stream, WINDOW, &v) == cudaErrorInvalidValue, "a wide window");
    v.accessPolicyWindow = (cudaAccessPolicyWindow){NULL, 0, 0, 0, 1};
    OK(cudaStreamSetAttribute(NULL, WINDOW, &v));
    expect(cudaStreamSetAttribute(stream, CLUSTER, &v) == cudaErrorInvalidValue, "of launches");
    v.i = -1;
    OK(cudaStreamSetAttribute(stream, PRIORITY, &v));
    OK(cudaStreamGetAttribute(stream, PRIORITY, &got));
    expect(got.i == -1, "priority");
    OK(cudaStreamDestroy(other));
    expect(cudaStreamGetAttribute(other, PRIORITY, &got) == cudaErrorInvalidResourceHandle,
           "a stream that is gone");
}

static void check_compression(int modern)
{
    CUmemAllocationProp p = {.type = 1, .location = {.type = 1}, .compressionType = 1};
    CUmemGenericAllocationHandle handle;
    int can = -1;
    OK(cuDeviceGetAttribute(&can, COMPRESSION, 0));
    expect(can == modern, "compression");
    OK(cuMemCreate(&handle, 2 << 20, &p, 0));
    OK(cuMemGetAllocationPropertiesFromHandle(&p, handle));
    expect(p.compressionType == modern, "what was asked for, where it can be had");
    OK(cuMemRelease(handle));
}

int main(int argc, char **argv)
{
    int modern = argc > 1 && strcmp(argv[1], "new") == 0;
    cudaDeviceProp p;
    OK(cudaGetDeviceProperties(&p, 0));
    check_limit(&p, modern);
    check_window(modern);
    check_compression(modern);
    printf("features: %s\n", failures == 0 ? "PASSED" : "FAILED");
    return failures != 0;
}
