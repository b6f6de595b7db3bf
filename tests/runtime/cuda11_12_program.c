/* cuda11_12_program.c - a CUDA program as nvcc 11 or 12 (CUDA) would build it: it declares the
 * runtime of that version itself, structures by size and offset, and finds nothing else of
 * WarpWatt's. Its own checks decide its exit code. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/fatbin_builder.h"

#if CUDA != 11 && CUDA != 12
#error "CUDA: 11 or 12"
#endif

/* ---- the CUDA Runtime API manual of that version ---- */

typedef struct dim3 {
    unsigned x, y, z;
} dim3;
typedef struct channel_desc {
    int x, y, z, w, f;
} channel_desc;
typedef struct texture_reference {
    int normalized, filterMode, addressMode[3];
    channel_desc channelDesc;
    int more[21];
} texture_reference;
typedef struct fat_wrapper {
    int magic, version;
    const void *data;
    void *more;
} fat_wrapper;
typedef struct kernel_node_params {
    void *func;
    dim3 grid, block;
    unsigned shared;
    void **args, **extra;
} kernel_node_params;
typedef struct graph_update_result {
    int result;
    void *error_node, *error_from_node;
} graph_update_result;

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int limit, void *tid, void *bid, void *bdim, void *gdim, int *wsize);
int __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
int __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
int cudaLaunchKernel(const void *host, dim3 grid, dim3 block, void **args, size_t shared,
                     void *stream);
int cudaMalloc(void **p, size_t bytes);
int cudaFree(void *p);
int cudaMallocManaged(void **p, size_t bytes, unsigned flags);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaMemset(void *p, int value, size_t bytes);
int cudaThreadSynchronize(void);
int cudaRuntimeGetVersion(int *version);
int cudaDeviceGetAttribute(int *value, int attribute, int device);
int cudaPointerGetAttributes(void *out, const void *p);
int cudaFuncGetAttributes(void *out, const void *host);
int cudaMemPrefetchAsync(const void *p, size_t bytes, int device, void *stream);
int cudaMemAdvise(const void *p, size_t bytes, int advice, int device);
int cudaStreamCreate(void **stream);
int cudaStreamSynchronize(void *stream);
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaStreamGetCaptureInfo_v2(void *stream, int *status, unsigned long long *id, void **graph,
                                void *const **deps, size_t *count);
int cudaStreamUpdateCaptureDependencies(void *stream, void **deps, size_t count, unsigned flags);
int cudaGraphCreate(void **graph, unsigned flags);
int cudaGraphAddKernelNode(void **node, void *graph, void *const *deps, size_t count,
                           const kernel_node_params *params);
int cudaGraphKernelNodeGetParams(void *node, kernel_node_params *params);
int cudaGraphKernelNodeSetParams(void *node, const kernel_node_params *params);
int cudaGraphAddDependencies(void *graph, void *const *from, void *const *to, size_t count);
int cudaGraphGetEdges(void *graph, void **from, void **to, size_t *count);
int cudaGraphNodeGetDependencies(void *node, void **deps, size_t *count);
int cudaGraphNodeGetDependentNodes(void *node, void **nodes, size_t *count);
int cudaGraphRemoveDependencies(void *graph, void *const *from, void *const *to, size_t count);
int cudaGraphLaunch(void *exec, void *stream);
int cudaGetTextureObjectResourceDesc(void *out, unsigned long long object);
int cudaGetTextureObjectTextureDesc(void *out, unsigned long long object);
int cudaCreateTextureObject(unsigned long long *object, const void *resource, const void *texture,
                            const void *view);
int cudaMallocArray(void **array, const channel_desc *desc, size_t width, size_t height,
                    unsigned flags);
int cudaMemcpyToArray(void *array, size_t x, size_t y, const void *from, size_t bytes, int kind);
const char *cudaGetErrorString(int code);
int cuMemCreate(unsigned long long *handle, size_t bytes, const void *what, unsigned long long f);
int cuMemAddressReserve(unsigned long long *p, size_t bytes, size_t alignment,
                        unsigned long long wish, unsigned long long flags);
int cuMemAddressFree(unsigned long long p, size_t bytes);
int cuMemMap(unsigned long long p, size_t bytes, size_t offset, unsigned long long handle,
             unsigned long long flags);
int cuMemUnmap(unsigned long long p, size_t bytes);
int cuMemSetAccess(unsigned long long p, size_t bytes, const void *access, size_t count);
#if CUDA == 11
int cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags);
int cudaGetDeviceProperties(void *p, int device);
int cudaStreamGetCaptureInfo(void *stream, int *status, unsigned long long *id);
int cudaGraphInstantiate(void **exec, void *graph, void **error_node, char *log, size_t size);
int cudaGraphExecUpdate(void *exec, void *graph, void **error_node, int *result);
void __cudaRegisterTexture(void **handle, const texture_reference *host, const void **device,
                           const char *name, int dimensions, int normalized, int ext);
int cudaBindTexture(size_t *offset, const texture_reference *t, const void *p,
                    const channel_desc *desc, size_t bytes);
int cudaBindTextureToArray(const texture_reference *t, void *array, const channel_desc *desc);
int cudaUnbindTexture(const texture_reference *t);
enum { VERSION = 11080, PROPERTIES = 728, FUNCTION = 56, TEXTURE = 68 };
#else
int cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                            int *status);
int cudaGetDeviceProperties_v2(void *p, int device);
int cudaStreamGetCaptureInfo_v3(void *stream, int *status, unsigned long long *id, void **graph,
                                void *const **deps, const void **edges, size_t *count);
int cudaGraphInstantiate(void **exec, void *graph, unsigned long long flags);
int cudaGraphExecUpdate(void *exec, void *graph, graph_update_result *result);
typedef struct location {
    int type, id;
} location;
int cudaMemPrefetchAsync_v2(const void *p, size_t bytes, location where, unsigned flags,
                            void *stream);
int cudaGraphAddDependencies_v2(void *graph, void *const *from, void *const *to, const void *edges,
                                size_t count);
#define cudaGetDeviceProperties cudaGetDeviceProperties_v2
enum { VERSION = 12090, PROPERTIES = 1032, FUNCTION = 144, TEXTURE = 72 };
#endif
enum { POINTER = 24, RESOURCE = 64, TO_DEVICE = 1, TO_HOST = 2, INVALID_HANDLE = 400 };

#include "tests/runtime/check.h"

/* ---- the program ---- */

/* p[i] = 2 p[i] + x; p[i] = texture object[i]; p[i] = texture reference[i] */
static const char ptx[] =
    ".version 6.4\n.target sm_30\n.address_size 64\n"
    ".global .texref table;\n"
    ".visible .entry twice(.param .u64 p, .param .u32 x)\n{\n"
    ".reg .b32 %r<5>;\n.reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [x];\ncvta.to.global.u64 %rd1, %rd1;\n"
    "mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
    "ld.global.u32 %r3, [%rd3];\nmad.lo.s32 %r4, %r3, 2, %r1;\nst.global.u32 [%rd3], %r4;\n"
    "ret;\n}\n"
    ".visible .entry from_object(.param .u64 p, .param .u64 t)\n{\n"
    ".reg .b32 %r<6>;\n.reg .b64 %rd<5>;\n"
    "ld.param.u64 %rd1, [p];\nld.param.u64 %rd4, [t];\ncvta.to.global.u64 %rd1, %rd1;\n"
    "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
    "tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [%rd4, {%r1}];\nst.global.u32 [%rd3], %r2;\n"
    "ret;\n}\n"
    ".visible .entry from_reference(.param .u64 p)\n{\n"
    ".reg .b32 %r<6>;\n.reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd1, %rd1;\n"
    "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
    "tex.1d.v4.u32.s32 {%r2, %r3, %r4, %r5}, [table, {%r1}];\nst.global.u32 [%rd3], %r2;\n"
    "ret;\n}\n";

enum { N = 64, GUARD = 64, FILL = 0xA5 };

static fatbin_builder box;
static fat_wrapper wrapper;
static char host_twice, host_from_object, host_from_reference;

/* Memory for a structure of that size, and whether nothing was written behind it. */
static unsigned char *guarded(size_t bytes)
{
    unsigned char *p = malloc(bytes + GUARD);
    if (p == NULL) {
        abort();
    }
    memset(p, FILL, bytes + GUARD);
    return p;
}

static int is_intact(const unsigned char *p, size_t bytes)
{
    int intact = 1;
    for (size_t i = 0; i < GUARD; i++) {
        intact &= p[bytes + i] == FILL;
    }
    return intact;
}

static int int_at(const unsigned char *p, size_t offset)
{
    int value;
    memcpy(&value, p + offset, sizeof value);
    return value;
}

static size_t size_at(const unsigned char *p, size_t offset)
{
    size_t value;
    memcpy(&value, p + offset, sizeof value);
    return value;
}

static int attribute(int which)
{
    int value = -1;
    OK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

static void launch(const void *host, void *stream, void **args)
{
    dim3 grid, block;
    size_t shared;
    void *popped;
    OK(__cudaPushCallConfiguration((dim3){1, 1, 1}, (dim3){N, 1, 1}, 0, stream));
    OK(__cudaPopCallConfiguration(&grid, &block, &shared, (void *)&popped));
    OK(cudaLaunchKernel(host, grid, block, args, shared, popped));
}

static void check_device(void)
{
    static const struct {
        const char *name;
        size_t offset;
        int attribute;
    } ints[] = {
        {"maxThreadsPerBlock", 320, 1},   {"clockRate", 348, 13},
        {"multiProcessorCount", 388, 16}, {"asyncEngineCount", 600, 40},
        {"memoryClockRate", 608, 36},     {"memoryBusWidth", 612, 37},
        {"l2CacheSize", 616, 38},         {"maxThreadsPerMultiProcessor", 624, 39},
        {"managedMemory", 652, 83},       {"singleToDoublePrecisionPerfRatio", 668, 87},
        {"cooperativeLaunch", 688, 95},   {"maxBlocksPerMultiProcessor", 712, 106},
    };
    int version = 0;
    unsigned char *p = guarded(PROPERTIES);
    OK(cudaRuntimeGetVersion(&version));
    expect(version == VERSION, "cudaRuntimeGetVersion");
    OK(cudaGetDeviceProperties(p, 0));
    expect(is_intact(p, PROPERTIES), "cudaGetDeviceProperties wrote behind the structure");
    expect(memchr(p, 0, 256) != NULL && p[0] != 0, "no name");
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++) {
        expect(int_at(p, ints[i].offset) == attribute(ints[i].attribute), ints[i].name);
    }
    expect(int_at(p, 348) > 100000, "the clock is not in kHz");
    expect((int)size_at(p, 352) == attribute(9), "totalConstMem");
    expect((int)size_at(p, 640) == attribute(81), "sharedMemPerMultiprocessor");
    expect((int)size_at(p, 696) == attribute(97), "sharedMemPerBlockOptin");
#if CUDA == 12
    expect(int_at(p, 744) == attribute(115), "memoryPoolsSupported");
#endif
    free(p);
}

static void check_memory(void)
{
    unsigned *p = NULL, *q = NULL, x = 5, got[N];
    void *stream = NULL;
    unsigned char *a = guarded(POINTER), *f = guarded(FUNCTION);
    OK(cudaStreamCreate(&stream));
    OK(cudaMallocManaged((void **)&p, sizeof got, 1));
    for (unsigned i = 0; i < N; i++) {
        p[i] = i;
    }
    OK(cudaMemAdvise(p, sizeof got, 3, 0));
    OK(cudaMemPrefetchAsync(p, sizeof got, 0, stream));
    expect(cudaMemPrefetchAsync(p, sizeof got, 0, a) == INVALID_HANDLE, "a stream that is none");
#if CUDA == 12
    OK(cudaMemPrefetchAsync_v2(p, sizeof got, (location){1, 0}, 0, stream));
#endif
    launch(&host_twice, stream, (void *[]){&p, &x});
    OK(cudaThreadSynchronize());
    for (unsigned i = 0; i < N; i++) {
        expect(p[i] == 2 * i + 5, "a kernel's result");
    }
    OK(cudaMalloc((void **)&q, sizeof got));
    OK(cudaPointerGetAttributes(a, q));
    expect(is_intact(a, POINTER), "cudaPointerGetAttributes wrote behind the structure");
    expect(int_at(a, 0) == 2 && size_at(a, 8) == (size_t)(uintptr_t)q, "device memory");
    OK(cudaFuncGetAttributes(f, &host_twice));
    expect(is_intact(f, FUNCTION), "cudaFuncGetAttributes wrote behind the structure");
    expect(int_at(f, 24) >= N && int_at(f, 28) > 0, "attributes of a kernel");
    OK(cudaFree(p));
    OK(cudaFree(q));
    free(a);
    free(f);
}

static void check_entry_points(void *version, void **missing)
{
#if CUDA == 11
    OK(cudaGetDriverEntryPoint("cuDriverGetVersion", version, 0));
    expect(cudaGetDriverEntryPoint("cuNothing", missing, 0) == 500, "found what does not exist");
#else
    int status = -1;
    OK(cudaGetDriverEntryPoint("cuDriverGetVersion", version, 0, &status));
    expect(status == 0, "not found");
    OK(cudaGetDriverEntryPoint("cuNothing", missing, 0, &status));
    expect(status == 1, "found what does not exist");
#endif
}

/* The driver's library and the runtime's share one context: memory at the end of a range of
 * addresses that is larger than any device's, for a kernel of the runtime. */
static void check_driver(void)
{
    const size_t range = (size_t)32 << 30, page = (size_t)2 << 20;
    const struct {
        int type, handle_types, location_type, location;
        void *meta;
        unsigned char flags[8];
    } pinned = {.type = 1, .location_type = 1};
    unsigned long long base = 0, handle = 0;
    unsigned x = 9, got[N];
    int (*get_version)(int *) = NULL;
    void *missing = NULL;
    int version = 0;
    check_entry_points((void *)&get_version, &missing);
    expect(get_version != NULL && get_version(&version) == 0 && version >= 12000, "an entry point");
    expect(missing == NULL, "an entry point that does not exist");
    OK(cuMemAddressReserve(&base, range, 0, 0, 0));
    OK(cuMemCreate(&handle, page, &pinned, 0));
    OK(cuMemMap(base + range - page, page, 0, handle, 0));
    OK(cuMemSetAccess(base + range - page, page, "", 1));
    void *p = (void *)(uintptr_t)(base + range - page);
    OK(cudaMemset(p, 0, sizeof got));
    launch(&host_twice, NULL, (void *[]){&p, &x});
    OK(cudaMemcpy(got, p, sizeof got, TO_HOST));
    expect(got[0] == 9 && got[N - 1] == 9, "memory of the driver's");
    OK(cuMemUnmap(base + range - page, page));
    OK(cuMemAddressFree(base, range));
    expect(cuMemAddressFree(base, range) != 0, "a range that is gone");
}

static void *instantiate(void *graph)
{
    void *exec = NULL;
#if CUDA == 11
    void *error_node = graph;
    char log[8] = "log";
    OK(cudaGraphInstantiate(&exec, graph, &error_node, log, sizeof log));
    expect(error_node == NULL && log[0] == '\0', "an error in a good graph");
#else
    OK(cudaGraphInstantiate(&exec, graph, 0));
#endif
    return exec;
}

/* 2 (2 p + 1) + 2 and, the nodes linked the other way round, 2 (2 p + 2) + 1. */
static void check_graphs(void)
{
    unsigned *p = NULL, x[2] = {1, 2}, got[N];
    void *graph[2], *node[2][2], *exec = NULL;
    OK(cudaMalloc((void **)&p, sizeof got));
    for (int g = 0; g < 2; g++) {
        OK(cudaGraphCreate(&graph[g], 0));
        for (int k = 0; k < 2; k++) {
            void *args[] = {&p, &x[g == 0 ? k : 1 - k]};
            const kernel_node_params params = {
                .func = &host_twice, .grid = {1, 1, 1}, .block = {N, 1, 1}, .args = args};
            OK(cudaGraphAddKernelNode(&node[g][k], graph[g], NULL, 0, &params));
        }
#if CUDA == 12
        if (g == 1) {
            OK(cudaGraphAddDependencies_v2(graph[g], &node[g][0], &node[g][1], NULL, 1));
            continue;
        }
#endif
        OK(cudaGraphAddDependencies(graph[g], &node[g][0], &node[g][1], 1));
    }
    void *from[1], *to[1], *before[1], *behind[1];
    size_t edges = 1, deps = 1, nodes = 1;
    OK(cudaGraphGetEdges(graph[0], from, to, &edges));
    OK(cudaGraphNodeGetDependencies(node[0][1], before, &deps));
    OK(cudaGraphNodeGetDependentNodes(node[0][0], behind, &nodes));
    expect(edges == 1 && from[0] == node[0][0] && to[0] == node[0][1], "a graph's edge");
    expect(deps == 1 && before[0] == node[0][0] && nodes == 1 && behind[0] == node[0][1],
           "a node's neighbours");
    OK(cudaGraphRemoveDependencies(graph[0], from, to, 1));
    OK(cudaGraphGetEdges(graph[0], NULL, NULL, &edges));
    expect(edges == 0, "no edge is left");
    OK(cudaGraphAddDependencies(graph[0], from, to, 1));
    exec = instantiate(graph[0]);
    OK(cudaMemset(p, 0, sizeof got));
    OK(cudaGraphLaunch(exec, NULL));
    OK(cudaMemcpy(got, p, sizeof got, TO_HOST));
    expect(got[0] == 4 && got[N - 1] == 4, "a graph's result");
#if CUDA == 11
    void *error_node = graph;
    int result = -1;
    OK(cudaGraphExecUpdate(exec, graph[1], &error_node, &result));
    expect(error_node == NULL && result == 0, "cudaGraphExecUpdate");
#else
    graph_update_result result = {-1, graph, graph};
    OK(cudaGraphExecUpdate(exec, graph[1], &result));
    expect(result.result == 0, "cudaGraphExecUpdate");
#endif
    OK(cudaMemset(p, 0, sizeof got));
    OK(cudaGraphLaunch(exec, NULL));
    OK(cudaMemcpy(got, p, sizeof got, TO_HOST));
    expect(got[0] == 5 && got[N - 1] == 5, "an updated graph's result");
    /* An argument of a node is replaced in what the node says of itself. */
    kernel_node_params params;
    unsigned other = 30;
    OK(cudaGraphKernelNodeGetParams(node[0][1], &params));
    expect(params.func == &host_twice && params.block.x == N && *(unsigned *)params.args[1] == 2,
           "parameters of a node");
    params.args[1] = &other;
    OK(cudaGraphKernelNodeSetParams(node[0][1], &params));
    OK(cudaMemset(p, 0, sizeof got));
    OK(cudaGraphLaunch(instantiate(graph[0]), NULL));
    OK(cudaMemcpy(got, p, sizeof got, TO_HOST));
    expect(got[0] == 32 && got[N - 1] == 32, "the result with another argument");
    OK(cudaFree(p));
}

static void check_capture(void)
{
    unsigned *p = NULL, x = 7, got[N];
    void *stream = NULL, *graph = NULL, *captured = NULL, *const *deps = NULL;
    int status = 0;
    unsigned long long id = 0, again = 0;
    size_t count = 0;
    OK(cudaStreamCreate(&stream));
    OK(cudaMalloc((void **)&p, sizeof got));
    OK(cudaMemset(p, 0, sizeof got));
    OK(cudaStreamBeginCapture(stream, 0));
    launch(&host_twice, stream, (void *[]){&p, &x});
    OK(cudaStreamGetCaptureInfo_v2(stream, &status, &id, &captured, &deps, &count));
    expect(status == 1 && captured != NULL && count == 1 && deps != NULL, "a stream that captures");
#if CUDA == 11
    OK(cudaStreamGetCaptureInfo(stream, &status, &again));
#else
    const void *edges = stream;
    OK(cudaStreamGetCaptureInfo_v3(stream, &status, &again, NULL, NULL, &edges, NULL));
    expect(edges == NULL, "edge data");
#endif
    expect(status == 1 && again == id, "the same capture");
    void *dep = deps != NULL ? deps[0] : NULL;
    OK(cudaStreamUpdateCaptureDependencies(stream, &dep, 1, 1));
    launch(&host_twice, stream, (void *[]){&p, &x});
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphLaunch(instantiate(graph), stream));
    OK(cudaStreamSynchronize(stream));
    OK(cudaMemcpy(got, p, sizeof got, TO_HOST));
    expect(got[3] == 21, "the result of what was captured");
    OK(cudaFree(p));
}

static void check_texture_object(const unsigned *data)
{
    unsigned *p = NULL, *values = NULL, got[N];
    unsigned long long object = 0;
    const channel_desc desc = {32, 0, 0, 0, 1};
    const size_t bytes = sizeof got;
    unsigned char *resource = guarded(RESOURCE), *texture = guarded(TEXTURE);
    OK(cudaMalloc((void **)&p, bytes));
    OK(cudaMalloc((void **)&values, bytes));
    OK(cudaMemcpy(values, data, bytes, TO_DEVICE));
    /* linear: type, pointer, format, bytes; and clamping, by elements */
    memset(resource, 0, RESOURCE);
    memset(texture, 0, TEXTURE);
    memcpy(resource, &(int){2}, sizeof(int));
    memcpy(resource + 8, &values, sizeof values);
    memcpy(resource + 16, &desc, sizeof desc);
    memcpy(resource + 40, &bytes, sizeof bytes);
    memcpy(texture, &(int){1}, sizeof(int));
    OK(cudaCreateTextureObject(&object, resource, texture, NULL));
    launch(&host_from_object, NULL, (void *[]){&p, &object});
    OK(cudaMemcpy(got, p, bytes, TO_HOST));
    expect(memcmp(got, data, bytes) == 0, "values of a texture object");
    unsigned char *copy = guarded(RESOURCE), *sampling = guarded(TEXTURE);
    OK(cudaGetTextureObjectResourceDesc(copy, object));
    expect(memcmp(copy, resource, RESOURCE) == 0 && is_intact(copy, RESOURCE), "resource");
    OK(cudaGetTextureObjectTextureDesc(sampling, object));
    expect(memcmp(sampling, texture, TEXTURE) == 0 && is_intact(sampling, TEXTURE), "sampling");
    free(resource);
    free(texture);
    free(copy);
    free(sampling);
}

#if CUDA == 11
static texture_reference table = {.addressMode = {1, 1, 1}, .channelDesc = {32, 0, 0, 0, 1}};

/* The reference reads memory, then an array, then memory again, beyond whose end it clamps. */
static void check_texture_reference(const unsigned *data)
{
    unsigned *p = NULL, *values = NULL, got[N];
    void *array = NULL;
    size_t offset = 1;
    unsigned turned[N];
    for (unsigned i = 0; i < N; i++) {
        turned[i] = data[N - 1 - i];
    }
    OK(cudaMalloc((void **)&p, sizeof got));
    OK(cudaMalloc((void **)&values, sizeof got));
    OK(cudaMemcpy(values, data, sizeof got, TO_DEVICE));
    OK(cudaBindTexture(&offset, &table, values, &table.channelDesc, UINT32_MAX));
    expect(offset == 0, "an aligned allocation has no offset");
    launch(&host_from_reference, NULL, (void *[]){&p});
    OK(cudaMemcpy(got, p, sizeof got, TO_HOST));
    expect(memcmp(got, data, sizeof got) == 0, "values of a texture reference");
    OK(cudaUnbindTexture(&table));
    OK(cudaMallocArray(&array, &table.channelDesc, N, 0, 0));
    OK(cudaMemcpyToArray(array, 0, 0, turned, sizeof turned, TO_DEVICE));
    OK(cudaBindTextureToArray(&table, array, &table.channelDesc));
    launch(&host_from_reference, NULL, (void *[]){&p});
    OK(cudaMemcpy(got, p, sizeof got, TO_HOST));
    expect(memcmp(got, turned, sizeof got) == 0, "values of an array");
    texture_reference unknown = table;
    expect(cudaBindTexture(NULL, &unknown, values, &table.channelDesc, sizeof got) == 18,
           "a reference that was not registered");
}
#endif

int main(void)
{
    fatbin_begin(&box);
    fatbin_add(&box, 1, 30, FATBIN_LZ4, ptx, sizeof ptx);
    wrapper = (fat_wrapper){0x466243b1, 1, box.bytes, NULL};
    void **handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &host_twice, NULL, "twice", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &host_from_object, NULL, "from_object", -1, NULL, NULL, NULL,
                           NULL, NULL);
    __cudaRegisterFunction(handle, &host_from_reference, NULL, "from_reference", -1, NULL, NULL,
                           NULL, NULL, NULL);
#if CUDA == 11
    __cudaRegisterTexture(handle, &table, NULL, "table", 1, 0, 0);
#endif
    __cudaRegisterFatBinaryEnd(handle);
    unsigned data[N];
    for (unsigned i = 0; i < N; i++) {
        data[i] = 1000 + 37 * i % N;
    }
    check_device();
    if (attribute(83) != 0) { /* else a sanitizer holds the address range of managed memory */
        check_memory();
    }
    check_driver();
    check_graphs();
    check_capture();
    check_texture_object(data);
#if CUDA == 11
    check_texture_reference(data);
#endif
    __cudaUnregisterFatBinary(handle);
    printf("%d: %s\n", CUDA, failures == 0 ? "PASSED" : "FAILED");
    return failures != 0;
}
