/* calls_program.c - a program that asks for what is seldom asked: what a pointer points to, advice
 * on managed memory, many copies in one call, arrays of the driver API, attributes of kernel nodes,
 * objects that graphs keep. */
#include <stdbool.h>
#include <string.h>

#include "runtime/driver_api/calls.h"
#include "runtime/runtime_api/calls.h"
#include "tests/runtime/check.h"

enum { PAGE = 4096, HOST = 1, DEVICE = 2, MANAGED = 3 };

static void refused(int code, int as, const char *what)
{
    (void)cudaGetLastError();
    expect(code == as, what);
}

/* ---- pointers ---- */

static int type_of(void *p)
{
    cudaPointerAttributes a;
    OK(cudaPointerGetAttributes(&a, p));
    return a.type;
}

static void pointers(void)
{
    static char registered[PAGE];
    void *device = NULL, *host = NULL, *managed = NULL;
    OK(cudaMalloc(&device, 100));
    OK(cudaMallocHost(&host, 100));
    OK(cudaMallocManaged(&managed, 100, 1));
    expect(type_of(device) == DEVICE, "memory of the device");
    expect(type_of((char *)host + 99) == HOST, "page-locked memory");
    expect(type_of((char *)managed + 99) == MANAGED, "managed memory");
    expect(type_of(registered) == 0, "memory of the program");
    OK(cudaHostRegister(registered, sizeof registered, 0));
    cudaPointerAttributes a;
    OK(cudaPointerGetAttributes(&a, registered + 8));
    expect(a.type == HOST && a.hostPointer == registered + 8, "registered memory");
    void *there = NULL;
    OK(cudaHostGetDevicePointer(&there, registered, 0));
    expect((char *)a.devicePointer - (char *)there == 8, "its address on the device");
    OK(cudaHostUnregister(registered));
    unsigned char is_managed = 9;
    int memory = 0;
    OK(cuPointerGetAttribute(&is_managed, 8, (uintptr_t)managed));
    OK(cuPointerGetAttribute(&memory, 2, (uintptr_t)host));
    expect(is_managed == 1 && memory == HOST, "the same of the driver API");
    OK(cudaFree(managed));
    OK(cudaFreeHost(host));
    OK(cudaMalloc(&host, 100)); /* where the others lay */
    expect(type_of(host) == DEVICE, "memory that was page-locked before");
    OK(cudaFree(host));
    OK(cudaFree(device));
}

/* ---- advice ---- */

static int told(const char *p, size_t bytes, int which)
{
    int out = 77;
    OK(cudaMemRangeGetAttribute(&out, sizeof out, which, p, bytes));
    return out;
}

static void advice(void)
{
    enum { READ_MOSTLY = 1, PREFERRED, ACCESSED_BY, PREFETCHED, PREFERRED_TYPE };
    const cudaMemLocation device = {1, 0}, host = {2, 0}, none = {1, 3};
    char *p = NULL;
    void *other = NULL;
    OK(cudaMallocManaged((void **)&p, 4 * PAGE, 1));
    OK(cudaMalloc(&other, PAGE));
    expect(told(p, PAGE, READ_MOSTLY) == 0 && told(p, PAGE, PREFERRED) == -2, "before any advice");
    OK(cudaMemAdvise(p, 2 * PAGE, 1, device));
    expect(told(p + 100, PAGE, READ_MOSTLY) == 1, "pages that are read mostly");
    expect(told(p, 2 * PAGE + 1, READ_MOSTLY) == 0, "a page among them that is not");
    OK(cudaMemAdvise(p + PAGE, 1, 2, device));
    expect(told(p, PAGE, READ_MOSTLY) == 1 && told(p, 2 * PAGE, READ_MOSTLY) == 0, "taken back");
    OK(cudaMemAdvise(p, 4 * PAGE, 3, device));
    expect(told(p, 4 * PAGE, PREFERRED) == 0 && told(p, 1, PREFERRED_TYPE) == 1, "preferred");
    OK(cudaMemAdvise(p, PAGE, 3, host));
    expect(told(p, PAGE, PREFERRED) == -1 && told(p, PAGE, PREFERRED_TYPE) == 2, "the host");
    expect(told(p, 2 * PAGE, PREFERRED) == -2, "pages that differ");
    OK(cudaMemAdvise(p, 4 * PAGE, 5, device));
    OK(cudaMemAdvise(p, PAGE, 5, host));
    int by[3];
    OK(cudaMemRangeGetAttribute(by, sizeof by, ACCESSED_BY, p, PAGE));
    expect(by[0] == 0 && by[1] == -1 && by[2] == -2, "accessed by both");
    OK(cudaMemAdvise(p, PAGE, 6, device));
    OK(cudaMemRangeGetAttribute(by, sizeof by, ACCESSED_BY, p, PAGE));
    expect(by[0] == -1 && by[1] == -2, "accessed by the host");
    OK(cudaMemPrefetchAsync(p, 4 * PAGE, device, 0, NULL));
    void *out[2] = {&by[0], &by[1]};
    OK(cudaMemRangeGetAttributes(out, (size_t[]){4, 4}, (int[]){PREFETCHED, READ_MOSTLY}, 2, p, 1));
    expect(by[0] == 0 && by[1] == 1, "several at once");
    refused(cudaMemRangeGetAttribute(by, 8, READ_MOSTLY, p, 1), cudaErrorInvalidValue, "size");
    refused(cudaMemRangeGetAttribute(by, 4, 99, p, 1), cudaErrorInvalidValue, "no attribute");
    refused(cudaMemAdvise(p, 4 * PAGE + 1, 1, device), cudaErrorInvalidValue, "beyond the end");
    refused(cudaMemAdvise(other, 1, 1, device), cudaErrorInvalidValue, "memory of the device");
    refused(cudaMemAdvise(p, 1, 3, none), cudaErrorInvalidDevice, "no such device");
    refused(cudaMemAdvise(p, 1, 7, device), cudaErrorInvalidValue, "no advice");
    refused(cudaMemPrefetchAsync(p, 1, none, 0, NULL), cudaErrorInvalidDevice, "to nowhere");
    OK(cudaFree(p));
    OK(cudaFree(other));
}

/* ---- many copies ---- */

static void batches(void)
{
    char here[3] = {1, 2, 3}, back[3] = {0};
    char *d = NULL;
    cudaStream_t stream;
    OK(cudaMalloc((void **)&d, 8));
    OK(cudaStreamCreate(&stream));
    const void *to[] = {d, d + 4, back}, *from[] = {here, here + 1, d + 4};
    const size_t bytes[] = {1, 2, 2}, begin[] = {0}, late[] = {1};
    const cudaMemcpyAttributes a[] = {{.srcAccessOrder = 1}}, odd[] = {{.srcAccessOrder = 9}};
    OK(cudaMemcpyBatchAsync(to, from, bytes, 3, a, begin, 1, stream));
    OK(cudaStreamSynchronize(stream));
    expect(back[0] == 2 && back[1] == 3, "copies, in the order of the list");
    const int bad = cudaErrorInvalidValue;
    refused(cudaMemcpyBatchAsync(to, from, bytes, 3, a, begin, 1, NULL), bad, "legacy stream");
    refused(cudaMemcpyBatchAsync(to, from, bytes, 0, a, begin, 1, stream), bad, "no copies");
    refused(cudaMemcpyBatchAsync(to, from, bytes, 3, a, begin, 0, stream), bad, "no attributes");
    refused(cudaMemcpyBatchAsync(to, from, bytes, 3, a, late, 1, stream), bad, "the first without");
    refused(cudaMemcpyBatchAsync(to, from, bytes, 3, odd, begin, 1, stream), bad, "no order");
    from[1] = NULL;
    here[0] = 9;
    refused(cudaMemcpyBatchAsync(to, from, bytes, 3, a, begin, 1, stream), bad, "from nowhere");
    OK(cudaMemcpy(back, d, 1, cudaMemcpyDeviceToHost));
    expect(back[0] == 1, "nothing is copied where one copy is wrong");
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(d));
}

/* ---- arrays ---- */

enum { W = 5, H = 4, D = 3 };

static void arrays(void)
{
    const CUDA_ARRAY3D_DESCRIPTOR d = {W, H, D, 0x20, 1, cudaArraySurfaceLoadStore};
    CUDA_ARRAY3D_DESCRIPTOR is;
    CUDA_ARRAY_DESCRIPTOR flat;
    float box[D][H][W], part[2][2][2] = {{{0}}};
    cudaArray_t array, plane;
    for (int i = 0; i < W * H * D; i++) {
        (&box[0][0][0])[i] = (float)i;
    }
    OK(cuArray3DCreate_v2(&array, &d));
    OK(cuArray3DGetDescriptor_v2(&is, array));
    expect(is.Width == d.Width && is.Height == d.Height && is.Depth == d.Depth &&
               is.Format == d.Format && is.NumChannels == d.NumChannels && is.Flags == d.Flags,
           "an array's descriptor");
    OK(cuArrayGetDescriptor_v2(&flat, array));
    expect(flat.Width == W && flat.Format == 0x20 && flat.NumChannels == 1, "its flat descriptor");
    const CUDA_MEMCPY3D in = {.srcMemoryType = HOST,
                              .srcHost = box,
                              .srcPitch = sizeof box[0][0],
                              .srcHeight = H,
                              .dstMemoryType = 3,
                              .dstArray = array,
                              .WidthInBytes = sizeof box[0][0],
                              .Height = H,
                              .Depth = D};
    CUDA_MEMCPY3D out = {.srcXInBytes = 4,
                         .srcY = 2,
                         .srcZ = 1,
                         .srcMemoryType = 3,
                         .srcArray = array,
                         .dstMemoryType = HOST,
                         .dstHost = part,
                         .dstPitch = sizeof part[0][0],
                         .dstHeight = 2,
                         .WidthInBytes = sizeof part[0][0],
                         .Height = 2,
                         .Depth = 2};
    OK(cuMemcpy3D_v2(&in));
    OK(cuMemcpy3D_v2(&out));
    bool same = true;
    for (int i = 0; i < 8; i++) {
        same = same && part[i / 4][i / 2 % 2][i % 2] == box[1 + i / 4][2 + i / 2 % 2][1 + i % 2];
    }
    expect(same, "a box of an array");
    out.srcZ = 2;
    refused(cuMemcpy3D_v2(&out), cudaErrorInvalidValue, "a box beyond the end");
    const CUDA_MEMCPY2D row = {.srcY = 3,
                               .srcMemoryType = 3,
                               .srcArray = array,
                               .dstMemoryType = HOST,
                               .dstHost = part,
                               .dstPitch = 32,
                               .WidthInBytes = 8,
                               .Height = 1};
    OK(cuMemcpy2D_v2(&row));
    expect(part[0][0][0] == box[0][3][0] && part[0][0][1] == box[0][3][1], "a row of an array");
    OK(cuMemcpyAtoH_v2(part, array, 4, 8));
    expect(part[0][0][0] == box[0][0][1], "bytes of an array");
    refused(cuArrayGetPlane(&plane, array, 0), cudaErrorInvalidValue, "an array of one plane");
    cudaArrayMemoryRequirements needs;
    refused(cuArrayGetMemoryRequirements(&needs, array, 0), cudaErrorInvalidValue,
            "memory of its own");
    refused(cudaArrayGetSparseProperties(&needs, array), cudaErrorInvalidValue, "not sparse");
    const CUDA_RESOURCE_DESC resource = {.resType = cudaResourceTypeArray, .res.array = array};
    CUDA_RESOURCE_DESC again;
    unsigned long long surface = 0;
    OK(cuSurfObjectCreate(&surface, &resource));
    OK(cuSurfObjectGetResourceDesc(&again, surface));
    expect(again.res.array == array, "what a surface is of");
    OK(cuSurfObjectDestroy(surface));
    refused(cuSurfObjectGetResourceDesc(&again, surface), cudaErrorInvalidValue, "no surface");
    OK(cuArrayDestroy(array));
    refused(cuArray3DGetDescriptor_v2(&is, array), cudaErrorInvalidResourceHandle, "no array");
}

/* What an array was asked for is what it says, in every format and number of channels; it
 * holds so many texels. */
static void formats(void)
{
    static const struct {
        int format;
        unsigned bytes;
    } all[] = {{0x01, 1}, {0x02, 2}, {0x03, 4}, {0x08, 1},
               {0x09, 2}, {0x0a, 4}, {0x10, 2}, {0x20, 4}};
    char in[2 * W * 16], out[2 * W * 16 + 1];
    cudaArray_t array;
    for (unsigned i = 0; i < sizeof in; i++) {
        in[i] = (char)i;
    }
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
        for (unsigned channels = 1; channels <= 4; channels *= 2) {
            const CUDA_ARRAY_DESCRIPTOR d = {W, 2, all[i].format, channels};
            const size_t bytes = (size_t)2 * W * channels * all[i].bytes;
            CUDA_ARRAY_DESCRIPTOR is;
            OK(cuArrayCreate_v2(&array, &d));
            OK(cuArrayGetDescriptor_v2(&is, array));
            expect(is.Width == W && is.Height == 2 && is.Format == d.Format &&
                       is.NumChannels == channels,
                   "an array's format");
            OK(cuMemcpyHtoA_v2(array, 0, in, bytes));
            OK(cuMemcpyAtoH_v2(out, array, 0, bytes));
            expect(memcmp(in, out, bytes) == 0, "an array's texels");
            refused(cuMemcpyAtoH_v2(out, array, 0, bytes + 1), cudaErrorInvalidValue,
                    "bytes beyond an array");
            OK(cuArrayDestroy(array));
        }
    }
    const CUDA_ARRAY_DESCRIPTOR none = {W, 2, 0x20, 0}, odd = {W, 2, 0x04, 1};
    refused(cuArrayCreate_v2(&array, &none), cudaErrorInvalidValue, "no channels");
    refused(cuArrayCreate_v2(&array, &odd), cudaErrorInvalidValue, "no format");
}

/* Rows of a box go to device memory, into an array and back, all in one stream; what lies between
 * rows stays as it was. */
static void boxes(void)
{
    enum { WIDTH = 6, HEIGHT = 4, PITCH = 10, DEVICE_PITCH = 16 };
    const CUDA_ARRAY_DESCRIPTOR shape = {WIDTH, HEIGHT, 0x01, 1};
    char in[HEIGHT][PITCH], out[HEIGHT][PITCH], *d = NULL;
    cudaStream_t stream;
    cudaArray_t array;
    for (int i = 0; i < HEIGHT * PITCH; i++) {
        in[i / PITCH][i % PITCH] = (char)(i + 1);
    }
    memset(out, -1, sizeof out);
    OK(cudaStreamCreate(&stream));
    OK(cudaMalloc((void **)&d, DEVICE_PITCH * HEIGHT));
    OK(cuArrayCreate_v2(&array, &shape));
    OK(cudaMemcpy2DAsync(d, DEVICE_PITCH, in, PITCH, WIDTH, HEIGHT, cudaMemcpyHostToDevice,
                         stream));
    OK(cudaMemcpy2DToArrayAsync(array, 0, 0, d, DEVICE_PITCH, WIDTH, HEIGHT,
                                cudaMemcpyDeviceToDevice, stream));
    OK(cudaMemset2DAsync(d, DEVICE_PITCH, 0, WIDTH, HEIGHT, stream));
    OK(cudaMemcpy2DFromArrayAsync(d, DEVICE_PITCH, array, 0, 0, WIDTH, HEIGHT,
                                  cudaMemcpyDeviceToDevice, stream));
    OK(cudaMemcpy2DAsync(out, PITCH, d, DEVICE_PITCH, WIDTH, HEIGHT, cudaMemcpyDeviceToHost,
                         stream));
    OK(cudaMemset2DAsync(d, DEVICE_PITCH, 7, WIDTH - 1, HEIGHT - 1, stream));
    OK(cudaStreamSynchronize(stream));
    bool same = true;
    for (int i = 0; i < HEIGHT * PITCH; i++) {
        same = same && out[i / PITCH][i % PITCH] == (i % PITCH < WIDTH ? (char)(i + 1) : -1);
    }
    expect(same, "a box that went through an array");
    char row[DEVICE_PITCH * HEIGHT];
    OK(cudaMemcpy(row, d, sizeof row, cudaMemcpyDeviceToHost));
    expect(row[WIDTH - 2] == 7 && row[WIDTH - 1] == in[0][WIDTH - 1] &&
               row[(HEIGHT - 1) * DEVICE_PITCH] == in[HEIGHT - 1][0] &&
               row[(HEIGHT - 2) * DEVICE_PITCH] == 7,
           "a box that was set");
    OK(cuArrayDestroy(array));
    OK(cudaFree(d));
    OK(cudaStreamDestroy(stream));
}

/* ---- graphs ---- */

static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                          ".visible .entry nothing()\n{\nret;\n}\n";

static void attributes(void)
{
    enum { COOPERATIVE = 2, PRIORITY = 8, OVERLAP = 6 };
    CUmodule module;
    CUfunction kernel;
    cudaGraph_t graph, copy;
    cudaGraphNode_t a, b, in_copy;
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&kernel, module, "nothing"));
    OK(cudaGraphCreate(&graph, 0));
    const cudaKernelNodeParams params = {
        .func = kernel, .gridDim = {1, 1, 1}, .blockDim = {32, 1, 1}};
    OK(cudaGraphAddKernelNode(&a, graph, NULL, 0, &params));
    OK(cudaGraphAddKernelNode(&b, graph, NULL, 0, &params));
    cudaLaunchAttributeValue value = {.i = 1}, is = {.i = 9};
    OK(cudaGraphKernelNodeSetAttribute(a, COOPERATIVE, &value));
    value.i = -3;
    OK(cudaGraphKernelNodeSetAttribute(a, PRIORITY, &value));
    OK(cudaGraphKernelNodeGetAttribute(b, COOPERATIVE, &is));
    expect(is.i == 0, "the other node");
    OK(cudaGraphKernelNodeCopyAttributes(b, a));
    OK(cudaGraphKernelNodeSetParams(b, &params));
    OK(cudaGraphKernelNodeGetAttribute(b, COOPERATIVE, &is));
    expect(is.i == 1, "copied, and kept when parameters change");
    OK(cudaGraphClone(&copy, graph));
    OK(cudaGraphNodeFindInClone(&in_copy, a, copy));
    OK(cudaGraphKernelNodeGetAttribute(in_copy, PRIORITY, &is));
    expect(is.i == -3, "in a copy of the graph");
    value.i = 0;
    OK(cudaGraphKernelNodeSetAttribute(a, COOPERATIVE, &value));
    OK(cudaGraphKernelNodeGetAttribute(a, COOPERATIVE, &is));
    expect(is.i == 0, "taken back");
    refused(cudaGraphKernelNodeSetAttribute(a, OVERLAP, &value), cudaErrorInvalidValue,
            "no node's");
    refused(cudaGraphKernelNodeSetAttribute(NULL, PRIORITY, &value), cudaErrorInvalidValue, "none");
    OK(cudaGraphDestroy(copy));
    OK(cudaGraphDestroy(graph));
}

static void count_end(void *counter)
{
    ++*(int *)counter;
}

static void objects(void)
{
    cudaGraph_t graph, copy;
    cudaGraphExec_t exec;
    cudaUserObject_t object, other;
    int ended = 0, others = 0;
    const int bad = cudaErrorInvalidValue;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaUserObjectCreate(&object, &ended, count_end, 1, 1));
    OK(cudaGraphRetainUserObject(graph, object, 1, 1)); /* the graph's reference now */
    OK(cudaGraphClone(&copy, graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphDestroy(copy));
    expect(ended == 0, "an executable graph keeps it");
    OK(cudaGraphExecDestroy(exec));
    expect(ended == 1, "it ends with the last graph");
    OK(cudaUserObjectCreate(&other, &others, count_end, 2, 1));
    OK(cudaUserObjectRetain(other, 1));
    OK(cudaUserObjectRelease(other, 2));
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphRetainUserObject(graph, other, 2, 0));
    OK(cudaUserObjectRelease(other, 1));
    refused(cudaGraphReleaseUserObject(graph, other, 3), bad, "more than the graph has");
    OK(cudaGraphReleaseUserObject(graph, other, 1));
    expect(others == 0, "one reference is left");
    OK(cudaGraphReleaseUserObject(graph, other, 1));
    expect(others == 1, "none is left");
    refused(cudaUserObjectRelease(other, 1), bad, "an object that has ended");
    refused(cudaUserObjectCreate(&other, &others, count_end, 1, 0), bad, "without the flag");
    refused(cudaUserObjectCreate(&other, &others, count_end, 0, 1), bad, "without a reference");
    OK(cudaGraphDestroy(graph));
}

int main(void)
{
    pointers();
    advice();
    batches();
    arrays();
    formats();
    boxes();
    attributes();
    objects();
    puts(failures == 0 ? "calls: PASSED" : "calls: FAILED");
    return failures != 0;
}
