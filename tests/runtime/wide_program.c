/* wide_program.c - what larger CUDA programs use: separately compiled units, textures over arrays,
 * surfaces, graphs, grid-wide barriers and device printf, by the calls that nvcc's host code makes.
 * Usage: wide_program [assert|rows]. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/runtime_api/calls.h"
#include "tests/runtime/check.h"
#include "tests/support/fatbin_builder.h"

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"

/* Unit A: kernels. out[tid] = twice(tid) + base, where another unit defines twice and base; `same`
 * is its own. */
static const char unit_a[] = HEAD
    ".extern .func (.param .b32 r) twice(.param .b32 a);\n"
    ".extern .global .align 4 .u32 base;\n"
    ".global .align 1 .b8 same[] = {99,116,97,32,37,100,32,111,102,32,37,100,10,0};\n" /* "cta %d of
                                                                                          %d\n" */
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
    ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param "
    ".b64 c);\n"
    ".global .align 1 .b8 text[] = {110,32,62,32,48,0};\n" /* "n > 0" */
    ".weak .func (.param .b32 r) one() {\n st.param.b32 [r], 1;\n ret;\n}\n"
    ".visible .entry linked(.param .u64 out)\n{\n .reg .b32 %r<9>;\n .reg .b64 %rd<5>;\n .reg "
    ".pred %p<2>;\n"
    " .local .align 8 .b8 args[8];\n"
    " ld.param.u64 %rd1, [out];\n mov.u32 %r1, %tid.x;\n"
    " { .param .b32 a;\n st.param.b32 [a], %r1;\n .param .b32 r;\n call.uni (r), twice, (a);\n"
    " ld.param.b32 %r2, [r]; }\n"
    " { .param .b32 r;\n call.uni (r), one, ();\n ld.param.b32 %r3, [r]; }\n"
    " ld.global.u32 %r4, [base];\n add.u32 %r2, %r2, %r3;\n add.u32 %r2, %r2, %r4;\n"
    " mul.wide.u32 %rd2, %r1, 4;\n add.u64 %rd2, %rd1, %rd2;\n st.global.u32 [%rd2], %r2;\n"
    " setp.ne.u32 %p1, %r1, 0;\n @%p1 bra END;\n"
    " mov.u32 %r5, %ctaid.x;\n mov.u32 %r6, %nctaid.x;\n mov.u64 %rd3, args;\n cvta.local.u64 "
    "%rd3, %rd3;\n"
    " st.u32 [%rd3], %r5;\n st.u32 [%rd3+4], %r6;\n"
    " { .param .b64 f;\n mov.u64 %rd4, same;\n cvta.global.u64 %rd4, %rd4;\n st.param.b64 [f], "
    "%rd4;\n"
    " .param .b64 a;\n st.param.b64 [a], %rd3;\n .param .b32 r;\n call.uni (r), vprintf, (f, a);\n"
    " ld.param.b32 %r7, [r]; }\n"
    "END:\n ret;\n}\n"
    /* Every CTA adds its number + 1 and waits for the other: out[cta] is the sum of both. */
    ".visible .entry meet(.param .u64 out)\n{\n .reg .b32 %r<9>;\n .reg .b64 %rd<5>;\n .reg .pred "
    "%p<2>;\n"
    " ld.param.u64 %rd1, [out];\n mov.u32 %r1, %envreg1;\n mov.u32 %r2, %envreg2;\n mov.b64 %rd2, "
    "{%r2, %r1};\n"
    " mov.u32 %r3, %ctaid.x;\n add.u32 %r4, %r3, 1;\n red.global.add.u32 [%rd2], %r4;\n"
    "SPIN: ld.volatile.global.u32 %r5, [%rd2];\n setp.ne.u32 %p1, %r5, 3;\n @%p1 bra SPIN;\n"
    " mul.wide.u32 %rd3, %r3, 4;\n add.u64 %rd3, %rd1, %rd3;\n st.global.u32 [%rd3], %r5;\n "
    "ret;\n}\n"
    /* out[tid] = texture(tid, row); surface(tid, row) = 100 + tid */
    ".visible .entry sample(.param .u64 out, .param .u64 tex, .param .u64 surf, .param .u32 "
    "row)\n{\n"
    " .reg .b32 %r<9>;\n .reg .b64 %rd<6>;\n"
    " ld.param.u64 %rd1, [out];\n ld.param.u64 %rd2, [tex];\n ld.param.u64 %rd3, [surf];\n "
    "ld.param.u32 %r2, [row];\n"
    " mov.u32 %r1, %tid.x;\n tex.2d.v4.u32.s32 {%r3, %r4, %r5, %r6}, [%rd2, {%r1, %r2}];\n"
    " mul.wide.u32 %rd4, %r1, 4;\n add.u64 %rd4, %rd1, %rd4;\n st.global.u32 [%rd4], %r3;\n"
    " add.u32 %r7, %r1, 100;\n shl.b32 %r8, %r1, 2;\n sust.b.2d.b32.trap [%rd3, {%r8, %r2}], "
    "{%r7};\n ret;\n}\n"
    /* One of p[1], one less of p[0], which is the condition. */
    ".extern .func cudaGraphSetConditional(.param .b64 h, .param .b32 v);\n"
    ".visible .entry step(.param .u64 p, .param .u64 handle)\n{\n .reg .b32 %r<5>;\n .reg .b64 "
    "%rd<3>;\n"
    " ld.param.u64 %rd1, [p];\n ld.param.u64 %rd2, [handle];\n ld.global.u32 %r1, [%rd1];\n"
    " ld.global.u32 %r2, [%rd1+4];\n sub.u32 %r1, %r1, 1;\n add.u32 %r2, %r2, 1;\n"
    " st.global.u32 [%rd1], %r1;\n st.global.u32 [%rd1+4], %r2;\n"
    " { .param .b64 h;\n st.param.b64 [h], %rd2;\n .param .b32 v;\n st.param.b32 [v], %r1;\n"
    " call.uni cudaGraphSetConditional, (h, v); }\n ret;\n}\n"
    ".visible .entry check(.param .u32 n)\n{\n .reg .b32 %r<2>;\n .reg .b64 %rd<3>;\n .reg .pred "
    "%p;\n"
    " ld.param.u32 %r1, [n];\n setp.gt.s32 %p, %r1, 0;\n @%p bra END;\n"
    " { mov.u64 %rd1, text;\n cvta.global.u64 %rd1, %rd1;\n"
    " .param .b64 a;\n st.param.b64 [a], %rd1;\n .param .b64 b;\n st.param.b64 [b], %rd1;\n"
    " .param .b32 c;\n st.param.b32 [c], 1;\n .param .b64 d;\n st.param.b64 [d], %rd1;\n .param "
    ".b64 e;\n"
    " st.param.b64 [e], 1;\n call.uni __assertfail, (a, b, c, d, e); }\nEND:\n ret;\n}\n";

/* Unit B: its `same` and the second definition of `one` are no other unit's. */
static const char unit_b[] =
    HEAD ".visible .global .align 4 .u32 base = 1000;\n"
         ".global .align 4 .u32 same = 7;\n"
         ".weak .func (.param .b32 r) one() {\n st.param.b32 [r], 1;\n ret;\n}\n"
         ".visible .func (.param .b32 r) twice(.param .b32 a)\n{\n .reg .b32 %r<3>;\n ld.param.b32 "
         "%r1, [a];\n"
         " add.u32 %r2, %r1, %r1;\n st.param.b32 [r], %r2;\n ret;\n}\n";

enum { WRAPPER_MAGIC = 0x466243b1, N = 32 };

static fatbin_builder box[2], linked_box;
static const void *images[3];
static cudaFatWrapper wrapper;
static char host_linked, host_meet, host_sample, host_check, host_step, host_base;

/* What the device linker's stub does: one wrapper whose PTX lies in the fat binaries of the units.
 */
static void register_units(void)
{
    const char *text[2] = {unit_a, unit_b};
    const size_t bytes[2] = {sizeof unit_a, sizeof unit_b};
    for (int i = 0; i < 2; i++) {
        fatbin_begin(&box[i]);
        fatbin_add(&box[i], 1, 75, FATBIN_ZSTD, text[i], bytes[i]);
        images[i] = box[i].bytes;
    }
    fatbin_begin(&linked_box);
    fatbin_add(&linked_box, 2, 75, 0, "machine code", 12);
    wrapper = (cudaFatWrapper){WRAPPER_MAGIC, 2, linked_box.bytes, (void *)images};
    void **handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &host_linked, NULL, "linked", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &host_meet, NULL, "meet", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &host_sample, NULL, "sample", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &host_check, NULL, "check", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &host_step, NULL, "step", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, &host_base, NULL, "base", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
}

static cudaError_t launch(const void *host, unsigned grid, unsigned block, cudaStream_t stream,
                          void **args)
{
    return cudaLaunchKernel(host, (cudaDim3){grid, 1, 1}, (cudaDim3){block, 1, 1}, args, 0, stream);
}

static void linked_units(void)
{
    unsigned out[N], base = 2000;
    void *p = NULL;
    OK(cudaMalloc(&p, sizeof out));
    OK(launch(&host_linked, 2, N, NULL, (void *[]){&p}));
    OK(cudaMemcpy(out, p, sizeof out, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < N; i++) {
        expect(out[i] == 1001 + 2 * i, "function and variable of another unit");
    }
    OK(cudaMemcpyToSymbol(&host_base, &base, sizeof base, 0, cudaMemcpyHostToDevice));
    OK(cudaFree(p));
}

static void grid_barrier(void)
{
    unsigned out[2] = {0};
    void *p = NULL;
    OK(cudaMalloc(&p, sizeof out));
    void *args[] = {&p};
    for (int k = 0; k < 2; k++) { /* the barrier's memory starts at zero every time */
        OK(cudaLaunchCooperativeKernel(&host_meet, (cudaDim3){2, 1, 1}, (cudaDim3){1, 1, 1}, args,
                                       0, NULL));
    }
    OK(cudaMemcpy(out, p, sizeof out, cudaMemcpyDeviceToHost));
    expect(out[0] == 3 && out[1] == 3, "CTAs that wait for each other");
    expect(cudaLaunchCooperativeKernel(&host_meet, (cudaDim3){60000, 1, 1}, (cudaDim3){1, 1, 1},
                                       args, 0, NULL) == cudaErrorCooperativeLaunchTooLarge,
           "more CTAs than fit");
    (void)cudaGetLastError();
    OK(cudaFree(p));
}

static void texture_and_surface(void)
{
    unsigned in[4][N], out[N], rows[4][N];
    unsigned row = 2;
    void *p = NULL;
    cudaArray_t array = NULL;
    cudaExtent extent;
    cudaTextureObject_t texture = 0;
    cudaSurfaceObject_t surface = 0;
    const cudaChannelFormatDesc desc = {32, 0, 0, 0, cudaChannelFormatKindUnsigned};
    const cudaTextureDesc how = {.addressMode = {1, 1, 1}};
    cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
    for (unsigned i = 0; i < 4 * N; i++) {
        in[i / N][i % N] = 3 * i;
    }
    OK(cudaMalloc(&p, sizeof out));
    OK(cudaMallocArray(&array, &desc, N, 4, cudaArraySurfaceLoadStore));
    OK(cudaArrayGetInfo(NULL, &extent, NULL, array));
    expect(extent.width == N && extent.height == 4 && extent.depth == 0, "extent of an array");
    OK(cudaMemcpy2DToArray(array, 0, 0, in, sizeof in[0], sizeof in[0], 4, cudaMemcpyHostToDevice));
    resource.res.array = array;
    OK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    OK(cudaCreateSurfaceObject(&surface, &resource));
    OK(launch(&host_sample, 1, N, NULL, (void *[]){&p, &texture, &surface, &row}));
    OK(cudaMemcpy(out, p, sizeof out, cudaMemcpyDeviceToHost));
    OK(cudaMemcpy2DFromArray(rows, sizeof rows[0], array, 0, 0, sizeof rows[0], 4,
                             cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < N; i++) {
        expect(out[i] == in[2][i], "texture over an array");
        expect(rows[2][i] == 100 + i && rows[1][i] == in[1][i], "surface over an array");
    }
    expect(cudaMemcpy2DToArray(array, 0, 1, in, sizeof in[0], sizeof in[0], 4,
                               cudaMemcpyHostToDevice) == cudaErrorInvalidValue,
           "rows beyond the array");
    (void)cudaGetLastError();
    OK(cudaDestroyTextureObject(texture));
    expect(cudaDestroyTextureObject(texture) == cudaErrorInvalidValue, "destroyed twice");
    OK(cudaDestroySurfaceObject(surface));
    OK(cudaFreeArray(array));
    OK(cudaFree(p));
}

/* A launch that reads the first row of an array of one row, and one of an array of four. */
static void rows_of_texels(void)
{
    unsigned row = 0;
    const cudaChannelFormatDesc desc = {32, 0, 0, 0, cudaChannelFormatKindUnsigned};
    const cudaTextureDesc how = {.addressMode = {1, 1, 1}};
    for (size_t height = 1; height <= 4; height += 3) {
        void *p = NULL;
        cudaArray_t array = NULL;
        cudaTextureObject_t texture = 0;
        cudaSurfaceObject_t surface = 0;
        cudaResourceDesc resource = {.resType = cudaResourceTypeArray};
        OK(cudaMalloc(&p, N * sizeof(unsigned)));
        OK(cudaMallocArray(&array, &desc, N, height, cudaArraySurfaceLoadStore));
        resource.res.array = array;
        OK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
        OK(cudaCreateSurfaceObject(&surface, &resource));
        OK(launch(&host_sample, 1, N, NULL, (void *[]){&p, &texture, &surface, &row}));
        OK(cudaDestroyTextureObject(texture));
        OK(cudaDestroySurfaceObject(surface));
        OK(cudaFreeArray(array));
        OK(cudaFree(p));
    }
}

static void count_up(void *user)
{
    ++*(int *)user;
}

/* fill, then copy to the host, then a host function, on two streams that an event joins. */
static void graph(void)
{
    unsigned char out[64];
    int calls = 0, status = 0;
    size_t nodes = 0;
    void *p = NULL;
    cudaStream_t first, second;
    cudaEvent_t fork, join;
    cudaGraph_t captured;
    cudaGraphExec_t exec;
    OK(cudaMalloc(&p, sizeof out));
    OK(cudaMemset(p, 1, sizeof out));
    OK(cudaStreamCreate(&first));
    OK(cudaStreamCreate(&second));
    OK(cudaEventCreate(&fork));
    OK(cudaEventCreate(&join));
    OK(cudaStreamBeginCapture(first, 0));
    OK(cudaMemsetAsync(p, 9, 32, first));
    OK(cudaEventRecord(fork, first));
    OK(cudaStreamWaitEvent(second, fork, 0));
    OK(cudaLaunchHostFunc(second, count_up, &calls));
    OK(cudaEventRecord(join, second));
    OK(cudaMemcpyAsync(out, p, sizeof out, cudaMemcpyDeviceToHost, first));
    OK(cudaStreamWaitEvent(first, join, 0));
    OK(cudaStreamIsCapturing(second, &status));
    expect(status == 1, "a stream that waits for a captured one is captured");
    OK(cudaStreamEndCapture(first, &captured));
    OK(cudaStreamIsCapturing(second, &status));
    expect(status == 0 && calls == 0, "nothing has run");
    OK(cudaGraphGetNodes(captured, NULL, &nodes));
    expect(nodes == 3, "three nodes");
    OK(cudaGraphInstantiate(&exec, captured, 0));
    OK(cudaGraphDestroy(captured));
    OK(cudaGraphLaunch(exec, first));
    OK(cudaGraphLaunch(exec, first));
    expect(calls == 2 && out[31] == 9 && out[32] == 1, "the graph ran");
    OK(cudaGraphExecDestroy(exec));

    /* Memory of a graph, and arguments that are gone when it runs. */
    cudaMemAllocNodeParams memory = {.bytesize = N * sizeof(unsigned)};
    cudaGraphNode_t node[2];
    unsigned values[N] = {0};
    OK(cudaGraphCreate(&captured, 0));
    OK(cudaGraphAddMemAllocNode(&node[0], captured, NULL, 0, &memory));
    {
        void *where = memory.dptr;
        void *args[] = {&where};
        const cudaKernelNodeParams kernel = {.func = &host_linked,
                                             .gridDim = {1, 1, 1},
                                             .blockDim = {N, 1, 1},
                                             .kernelParams = args};
        OK(cudaGraphAddKernelNode(&node[1], captured, node, 1, &kernel));
        where = NULL;
    }
    OK(cudaGraphAddMemcpyNode1D(&node[0], captured, &node[1], 1, values, memory.dptr, sizeof values,
                                cudaMemcpyDeviceToHost));
    OK(cudaGraphInstantiate(&exec, captured, 0));
    OK(cudaGraphDestroy(captured)); /* the executable graph keeps the memory */
    OK(cudaGraphLaunch(exec, NULL));
    expect(values[5] == 2011, "a kernel in a graph");
    OK(cudaGraphExecDestroy(exec));
    OK(cudaStreamDestroy(first));
    OK(cudaFree(p));
}

/* first, then second and third: the shape is told, changed by node and edge, and nodes are left out
 * of a launch. */
static void edges(void)
{
    enum { FILLS = 3, ROOM = 4 };
    cudaGraph_t whole;
    cudaGraphExec_t exec;
    cudaGraphNode_t node[FILLS], from[ROOM], to[ROOM];
    cudaGraphEdgeData data[ROOM];
    unsigned char out[FILLS] = {0}, *p = NULL;
    size_t count = 0;
    unsigned enabled = 7;
    OK(cudaMalloc((void **)&p, sizeof out));
    OK(cudaMemset(p, 0, sizeof out));
    OK(cudaGraphCreate(&whole, 0));
    for (unsigned i = 0; i < FILLS; i++) {
        const cudaMemsetParams fill = {
            .dst = p + i, .value = i + 1, .elementSize = 1, .width = 1, .height = 1};
        OK(cudaGraphAddMemsetNode(&node[i], whole, node, i > 0, &fill));
    }
    OK(cudaGraphGetEdges(whole, NULL, NULL, NULL, &count));
    expect(count == 2, "two edges");
    count = ROOM;
    OK(cudaGraphGetEdges(whole, from, to, data, &count));
    expect(count == 2 && from[0] == node[0] && to[0] == node[1] && from[1] == node[0] &&
               to[1] == node[2] && from[2] == NULL && to[3] == NULL,
           "where they go");
    expect(cudaGraphGetEdges(whole, from, NULL, NULL, &count) == cudaErrorInvalidValue,
           "half of the edges");
    count = 1;
    OK(cudaGraphNodeGetDependencies(node[2], from, NULL, &count));
    expect(count == 1 && from[0] == node[0], "what a node follows");
    count = ROOM;
    OK(cudaGraphNodeGetDependentNodes(node[0], to, NULL, &count));
    expect(count == 2 && to[0] == node[1] && to[1] == node[2], "what follows a node");
    OK(cudaGraphInstantiate(&exec, whole, 0));
    OK(cudaGraphNodeSetEnabled(exec, node[1], 0));
    OK(cudaGraphNodeGetEnabled(exec, node[1], &enabled));
    expect(enabled == 0, "a node that is left out says so");
    OK(cudaGraphLaunch(exec, NULL));
    OK(cudaMemcpy(out, p, sizeof out, cudaMemcpyDeviceToHost));
    expect(out[0] == 1 && out[1] == 0 && out[2] == 3, "a node is left out");
    OK(cudaGraphNodeSetEnabled(exec, node[1], 1));
    OK(cudaGraphLaunch(exec, NULL));
    OK(cudaMemcpy(out, p, sizeof out, cudaMemcpyDeviceToHost));
    expect(out[1] == 2, "and taken in again");
    OK(cudaGraphRemoveDependencies(whole, &node[0], &node[2], NULL, 1));
    expect(cudaGraphRemoveDependencies(whole, &node[0], &node[2], NULL, 1) == cudaErrorInvalidValue,
           "an edge that is not there");
    OK(cudaGraphDestroyNode(node[0]));
    expect(cudaGraphDestroyNode(node[0]) == cudaErrorInvalidValue, "a node destroyed twice");
    expect(cudaGraphNodeSetEnabled(exec, node[0], 0) == cudaErrorInvalidValue,
           "a node that is gone stands for none");
    OK(cudaGraphGetRootNodes(whole, NULL, &count));
    expect(count == 2, "two nodes that follow nothing");
    OK(cudaGraphDestroyNode(node[2]));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphAddEmptyNode(&node[2], whole, &node[1], 1)); /* behind the last that stayed */
    OK(cudaGraphGetNodes(whole, NULL, &count));
    expect(count == 2, "two nodes");
    OK(cudaGraphDestroy(whole));
    OK(cudaFree(p));
}

/* Graphs and nodes that are gone are told from those that are there, whatever lies in their place.
 */
static void stale_graphs(void)
{
    enum { BLOCKS = 8, BYTES = 96 };
    cudaGraph_t whole;
    cudaGraphNode_t node;
    void *block[BLOCKS];
    int type = -1;
    size_t nodes;
    OK(cudaGraphCreate(&whole, 0));
    OK(cudaGraphAddEmptyNode(&node, whole, NULL, 0));
    OK(cudaGraphNodeGetType(node, &type));
    expect(type == cudaGraphNodeTypeEmpty, "an empty node's type");
    expect(cudaGraphNodeGetType(node, NULL) != cudaSuccess, "no place for the type");
    expect(cudaGraphNodeGetType(NULL, &type) != cudaSuccess, "the type of no node");
    OK(cudaGraphDestroy(whole));
    for (size_t i = 0; i < BLOCKS; i++) { /* of all sizes that a graph or node may have had */
        block[i] = malloc(BYTES - 16 * (i % 6));
        if (block[i] != NULL) {
            memset(block[i], 1, BYTES - 16 * (i % 6));
        }
    }
    expect(cudaGraphGetNodes(whole, NULL, &nodes) == cudaErrorInvalidValue,
           "nodes of a stale graph");
    expect(cudaGraphDestroy(whole) == cudaErrorInvalidValue, "a graph destroyed twice");
    expect(cudaGraphNodeGetType(node, &type) == cudaErrorInvalidValue, "the type of a stale node");
    for (size_t i = 0; i < BLOCKS; i++) {
        free(block[i]);
    }
}

/* A loop behind the kernel that sets its condition, which holds at first only if it is assigned,
 * and a choice of three. */
static void conditions(void)
{
    unsigned p[2], *at;
    cudaGraph_t whole;
    cudaGraphNode_t node[3];
    cudaGraphExec_t exec;
    cudaGraphConditionalHandle loop, choice;
    cudaStream_t stream;
    OK(cudaMalloc((void **)&at, sizeof p));
    OK(cudaGraphCreate(&whole, 0));
    OK(cudaGraphConditionalHandleCreate(&loop, whole, 1, 1));
    OK(cudaGraphConditionalHandleCreate(&choice, whole, 2, 1));
    cudaGraphNodeParams params = {.type = cudaGraphNodeTypeConditional};
    params.u.conditional = (cudaConditionalNodeParams){loop, cudaGraphCondTypeWhile, 1, NULL};
    OK(cudaGraphAddNode(&node[0], whole, NULL, NULL, 0, &params));
    cudaGraphNodeParams kernel = {.type = cudaGraphNodeTypeKernel};
    void *args[] = {&at, &loop};
    kernel.u.kernel = (cudaKernelNodeParams){
        .func = &host_step, .gridDim = {1, 1, 1}, .blockDim = {1, 1, 1}, .kernelParams = args};
    OK(cudaGraphAddNode(&node[1], params.u.conditional.phGraph_out[0], NULL, NULL, 0, &kernel));
    params.u.conditional = (cudaConditionalNodeParams){choice, cudaGraphCondTypeSwitch, 3, NULL};
    OK(cudaGraphAddNode(&node[1], whole, node, NULL, 1, &params));
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamBeginCaptureToGraph(stream, params.u.conditional.phGraph_out[2], NULL, NULL, 0,
                                     0));
    OK(cudaMemsetAsync(at, 7, 1, stream));
    OK(cudaStreamEndCapture(stream, NULL));
    OK(cudaGraphInstantiate(&exec, whole, 0));
    OK(cudaGraphDestroy(whole));
    for (unsigned n = 5; n < 7; n++) {
        p[0] = n;
        p[1] = 0;
        OK(cudaMemcpy(at, p, sizeof p, cudaMemcpyHostToDevice));
        OK(cudaGraphLaunch(exec, stream));
        OK(cudaMemcpy(p, at, sizeof p, cudaMemcpyDeviceToHost));
        expect(p[0] == 7 && p[1] == n, "the loop and the third of three");
    }
    OK(cudaGraphExecDestroy(exec));
    OK(cudaStreamDestroy(stream));
    OK(cudaFree(at));
}

static void assertion(void)
{
    int n = 0;
    OK(launch(&host_check, 1, 1, NULL, (void *[]){&n}));
    expect(cudaDeviceSynchronize() == cudaErrorAssert, "an assertion shows when the host waits");
}

int main(int argc, char **argv)
{
    register_units();
    if (argc > 1 && strcmp(argv[1], "assert") == 0) {
        assertion();
    } else if (argc > 1 && strcmp(argv[1], "rows") == 0) {
        rows_of_texels();
    } else {
        linked_units();
        grid_barrier();
        texture_and_surface();
        graph();
        edges();
        stale_graphs();
        conditions();
    }
    printf("wide: %s\n", failures == 0 ? "PASSED" : "FAILED");
    return failures != 0;
}
