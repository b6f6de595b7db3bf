/* host_program.c - a CUDA program without nvcc: builds a fat binary, registers it and launches its
 * kernels by the calls that nvcc's host stub makes. Its own checks decide its exit code. Usage:
 * host_program MODE. */
#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/runtime_api/calls.h"
#include "tests/runtime/check.h"
#include "tests/support/fatbin_builder.h"

/* c[i] = a[i] + scale[1]*b[i]; counter += 1 per element; shared_values[i] += i for the first 16. */
static const char ptx_add[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".const .align 4 .b8 scale[16];\n"
    ".global .align 4 .u32 counter;\n"
    ".global .attribute(.managed) .align 4 .b8 shared_values[64];\n"
    ".visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n{\n"
    ".reg .pred %p<3>;\n.reg .f32 %f<5>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<12>;\n"
    "ld.param.u64 %rd1, [a];\nld.param.u64 %rd2, [b];\nld.param.u64 %rd3, [c];\nld.param.u32 %r1, "
    "[n];\n"
    "mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\nmad.lo.s32 %r5, %r2, "
    "%r3, %r4;\n"
    "setp.ge.s32 %p1, %r5, %r1;\n@%p1 bra $done;\n"
    "cvta.to.global.u64 %rd4, %rd1;\ncvta.to.global.u64 %rd5, %rd2;\ncvta.to.global.u64 %rd6, "
    "%rd3;\n"
    "mul.wide.s32 %rd7, %r5, 4;\nadd.s64 %rd4, %rd4, %rd7;\nadd.s64 %rd5, %rd5, %rd7;\nadd.s64 "
    "%rd6, %rd6, %rd7;\n"
    "ld.global.f32 %f1, [%rd4];\nld.global.f32 %f2, [%rd5];\nld.const.f32 %f3, [scale+4];\n"
    "fma.rn.f32 %f4, %f2, %f3, %f1;\nst.global.f32 [%rd6], %f4;\n"
    "mov.u64 %rd8, counter;\natom.global.add.u32 %r6, [%rd8], 1;\n"
    "setp.gt.s32 %p2, %r5, 15;\n@%p2 bra $done;\n"
    "mov.u64 %rd9, shared_values;\nadd.s64 %rd10, %rd9, %rd7;\nld.global.u32 %r7, "
    "[%rd10];\nadd.s32 %r8, %r7, %r5;\n"
    "st.global.u32 [%rd10], %r8;\n"
    "$done:\nret;\n}\n";

/* A second module: p[tid] = value, without any check of bounds. */
static const char ptx_fill[] =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry fill(.param .u64 p, .param .u32 value)\n{\n"
    ".reg .b32 %r<4>;\n.reg .b64 %rd<5>;\n"
    "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [value];\ncvta.to.global.u64 %rd2, %rd1;\nmov.u32 "
    "%r2, %tid.x;\n"
    "mul.wide.u32 %rd3, %r2, 4;\nadd.s64 %rd4, %rd2, %rd3;\nst.global.u32 [%rd4], %r1;\nret;\n}\n";

enum { N = 1000, WRAPPER_MAGIC = 0x466243b1 };

static fatbin_builder add_box, fill_box;
static cudaFatWrapper add_wrapper, fill_wrapper;
static char host_add, host_fill, host_scale, host_counter; /* stand for the kernels and variables */
static unsigned *shared_values;

/* What nvcc's stub does before main. */
static void register_modules(unsigned packing)
{
    fatbin_begin(&add_box);
    fatbin_add(&add_box, 2, 75, 0, "machine code", 12);
    fatbin_add(&add_box, 1, 75, packing, ptx_add, sizeof ptx_add);
    add_wrapper = (cudaFatWrapper){WRAPPER_MAGIC, 1, add_box.bytes, NULL};
    void **handle = __cudaRegisterFatBinary(&add_wrapper);
    __cudaRegisterFunction(handle, &host_add, NULL, "add", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(handle, &host_scale, NULL, "scale", 0, 16, 1, 0);
    __cudaRegisterVar(handle, &host_counter, NULL, "counter", 0, 4, 0, 0);
    __cudaRegisterManagedVar(handle, (void **)(void *)&shared_values, NULL, "shared_values", 0, 64,
                             0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    expect(__cudaInitModule(handle) == 1, "__cudaInitModule");

    fatbin_begin(&fill_box);
    fatbin_add(&fill_box, 1, 80, packing, ptx_fill, sizeof ptx_fill);
    fill_wrapper = (cudaFatWrapper){WRAPPER_MAGIC, 1, fill_box.bytes, NULL};
    handle = __cudaRegisterFatBinary(&fill_wrapper);
    __cudaRegisterFunction(handle, &host_fill, NULL, "fill", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFatBinaryEnd(handle);
}

/* kernel<<<grid, block, 0, stream>>>(args) as nvcc 13 expands it. */
static cudaError_t launch(const void *host, unsigned grid, unsigned block, cudaStream_t stream,
                          void **args)
{
    cudaKernel_t kernel;
    cudaDim3 g, b;
    size_t shared;
    cudaStream_t popped;
    cudaError_t code = __cudaGetKernel(&kernel, host);
    if (code != cudaSuccess ||
        __cudaPushCallConfiguration((cudaDim3){grid, 1, 1}, (cudaDim3){block, 1, 1}, 0, stream) !=
            cudaSuccess ||
        __cudaPopCallConfiguration(&g, &b, &shared, (void *)&popped) != cudaSuccess) {
        return code != cudaSuccess ? code : cudaErrorUnknown;
    }
    return __cudaLaunchKernel(kernel, g, b, args, shared, popped);
}

static void add_vectors(void)
{
    static float a[N], b[N], c[N];
    static const float scale[4] = {1, 2, 3, 4};
    void *da = NULL, *db = NULL, *dc = NULL;
    unsigned counter = 0;
    int n = N;
    float ms = -1;
    cudaEvent_t start, stop;
    cudaStream_t stream;
    for (int i = 0; i < N; i++) {
        a[i] = (float)i;
        b[i] = (float)(2 * i);
    }
    for (unsigned i = 0; i < 16 && shared_values != NULL; i++) {
        shared_values[i] = 100;
    }
    OK(cudaMalloc(&da, sizeof a));
    OK(cudaMalloc(&db, sizeof b));
    OK(cudaMalloc(&dc, sizeof c));
    OK(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
    OK(cudaStreamCreate(&stream));
    OK(cudaMemcpyAsync(db, b, sizeof b, cudaMemcpyHostToDevice, stream));
    OK(cudaMemcpyToSymbol(&host_scale, scale, sizeof scale, 0, cudaMemcpyHostToDevice));
    OK(cudaEventCreate(&start));
    OK(cudaEventCreate(&stop));
    OK(cudaEventRecord(start, stream));
    OK(launch(&host_add, (N + 127) / 128, 128, stream, (void *[]){&da, &db, &dc, &n}));
    OK(cudaEventRecord(stop, stream));
    OK(cudaEventSynchronize(stop));
    OK(cudaEventElapsedTime(&ms, start, stop));
    OK(cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost));
    OK(cudaMemcpyFromSymbol(&counter, &host_counter, sizeof counter, 0, cudaMemcpyDeviceToHost));
    expect(ms > 0 && ms < 1, "simulated time of a small kernel");
    expect(counter == N, "atomic count");
    for (int i = 0; i < N; i++) {
        expect(fabsf(c[i] - 5.0F * (float)i) == 0, "c = a + 2 b");
    }
    for (unsigned i = 0; i < 16; i++) {
        expect(shared_values != NULL && shared_values[i] == 100 + i, "managed variable");
    }
    OK(cudaStreamDestroy(stream));
    expect(cudaStreamSynchronize(stream) == cudaErrorInvalidResourceHandle,
           "a destroyed stream is unknown");
    OK(cudaFree(da));
    expect(cudaFree(da) == cudaErrorInvalidValue, "freeing twice");
    expect(cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess,
           "last error is read once");
}

/* A 3 x 5 rectangle through pitched memory and back, transposed nowhere. */
static void copy_rectangles(void)
{
    unsigned char in[5][8], out[5][6] = {{0}};
    void *p = NULL;
    size_t pitch = 0;
    for (int y = 0; y < 5; y++) {
        for (int x = 0; x < 8; x++) {
            in[y][x] = (unsigned char)(10 * y + x);
        }
    }
    OK(cudaMallocPitch(&p, &pitch, 3, 5));
    expect(pitch >= 3 && pitch % 256 == 0, "pitch is aligned");
    OK(cudaMemset2D(p, pitch, 0xee, 3, 5));
    OK(cudaMemcpy2D(p, pitch, in, sizeof in[0], 3, 4, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2D(out, sizeof out[0], p, pitch, 3, 5, cudaMemcpyDeviceToHost));
    for (int y = 0; y < 5; y++) {
        for (int x = 0; x < 6; x++) {
            expect(out[y][x] == (x >= 3 ? 0 : y < 4 ? 10 * y + x : 0xee), "rectangle");
        }
    }
    expect(cudaMemcpy2D(p, 2, in, 8, 3, 2, cudaMemcpyHostToDevice) == cudaErrorInvalidPitchValue,
           "pitch below width");
    expect(cudaMemcpy2D(p, pitch, in, 8, 3, 6, cudaMemcpyHostToDevice) == cudaErrorInvalidValue,
           "a row too many");
    (void)cudaGetLastError();
}

/* Sizes whose product is a small number again: none may be taken for it. */
static void sizes_without_end(void)
{
    const size_t quarter = SIZE_MAX / 4 + 1;
    void *p = NULL;
    size_t pitch = 0;
    char host[16] = "";
    cudaGraph_t graph;
    cudaGraphNode_t node;
    OK(cudaMalloc(&p, 64));
    expect(cudaMallocPitch(&p, &pitch, 256, SIZE_MAX / 256 + 2) == cudaErrorMemoryAllocation,
           "rows without end");
    cudaMemsetParams fill = {.dst = p, .elementSize = 4, .width = quarter + 1, .height = 1};
    OK(cudaGraphCreate(&graph, 0));
    expect(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &fill) == cudaErrorInvalidValue,
           "elements without end");
    OK(cudaGraphDestroy(graph));
    cudaMemcpy3DParms copy = {.srcPtr = {host, 4, 4, quarter},
                              .dstPtr = {p, 4, 4, 1},
                              .extent = {4, 1, 2},
                              .kind = cudaMemcpyHostToDevice};
    expect(cudaMemcpy3D(&copy) == cudaErrorInvalidValue, "slices without end");
    copy.srcPtr = (cudaPitchedPtr){host, 4, 4, 1};
    copy.dstPos = (cudaPos){0, quarter, 0};
    expect(cudaMemcpy3D(&copy) == cudaErrorInvalidValue, "a place without end");
    (void)cudaGetLastError();
    OK(cudaFree(p));
}

static void query_device(void)
{
    cudaDeviceProp properties;
    cudaFuncAttributes attributes;
    int value = 0, blocks = 0;
    OK(cudaGetDeviceProperties(&properties, 0));
    expect(properties.multiProcessorCount == 16 && properties.warpSize == 32,
           "properties of the GTX 580");
    expect(properties.major == 8, "capability of the newest PTX");
    OK(cudaDeviceGetAttribute(&value, 16, 0));
    expect(value == properties.multiProcessorCount, "attribute equals property");
    expect(cudaGetDeviceProperties(&properties, 1) == cudaErrorInvalidDevice,
           "there is one device");
    OK(cudaFuncGetAttributes(&attributes, &host_add));
    expect(attributes.numRegs > 4 && attributes.numRegs < 40 &&
               attributes.maxThreadsPerBlock == 1024,
           "attributes");
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, &host_add, 512, 0, 0));
    expect(blocks == 3, "1536 threads of 512");
    int n = 0;
    expect(launch(&host_add, 1, 4096, NULL, (void *[]){&n, &n, &n, &n}) ==
               cudaErrorInvalidConfiguration,
           "4096 threads");
    expect(cudaGetLastError() == cudaErrorInvalidConfiguration, "the launch's error");
    OK(cudaDeviceSynchronize());
}

/* Memory that was refused holds nothing. */
static bool holds_sevens(const unsigned *p)
{
    for (int i = 0; p != NULL && i < 32; i++) {
        if (p[i] != 7) {
            return false;
        }
    }
    return p != NULL;
}

/* Page-locked, managed and registered memory that a kernel writes directly. */
static void write_host_memory(void)
{
    static unsigned registered[32];
    void *pinned = NULL, *managed = NULL, *view = NULL;
    unsigned value = 7;
    int managed_memory = 0;
    OK(cudaDeviceGetAttribute(&managed_memory, 83, 0));
    if (!managed_memory) { /* a sanitizer holds the address range */
        expect(cudaMallocManaged(&managed, 128, 1) == cudaErrorNotSupported, "no managed memory");
        (void)cudaGetLastError();
    }
    OK(cudaMallocHost(&pinned, 128));
    if (!managed_memory) {
        OK(cudaMalloc(&managed, 128));
        OK(launch(&host_fill, 1, 32, NULL, (void *[]){&managed, &value}));
        OK(launch(&host_fill, 1, 32, NULL, (void *[]){&managed, &value}));
        OK(launch(&host_fill, 1, 32, NULL, (void *[]){&managed, &value}));
        OK(cudaMemcpy(pinned, managed, 128, cudaMemcpyDefault));
        expect(holds_sevens(pinned), "copy to page-locked memory");
        OK(cudaFreeHost(pinned));
        return;
    }
    OK(cudaMallocManaged(&managed, 128, 1));
    OK(cudaHostRegister(registered, sizeof registered, 0));
    OK(cudaHostGetDevicePointer(&view, registered, 0));
    OK(launch(&host_fill, 1, 32, NULL, (void *[]){&pinned, &value}));
    OK(launch(&host_fill, 1, 32, NULL, (void *[]){&managed, &value}));
    OK(launch(&host_fill, 1, 32, NULL, (void *[]){&view, &value}));
    OK(cudaDeviceSynchronize());
    expect(holds_sevens(pinned) && holds_sevens(managed) && holds_sevens(registered),
           "host memory");
    OK(cudaHostUnregister(registered));
    OK(cudaFreeHost(pinned));
    OK(cudaFree(managed));
}

/* A wild pointer: the launch succeeds, the fault shows when the host waits, and stays. */
static void fault(void)
{
    void *p = (void *)(uintptr_t)64;
    unsigned value = 1;
    OK(launch(&host_fill, 1, 64, NULL, (void *[]){&p, &value}));
    expect(cudaDeviceSynchronize() == cudaErrorIllegalAddress, "fault at synchronization");
    expect(cudaMalloc(&p, 64) == cudaErrorIllegalAddress, "a fault stays");
    expect(cudaGetLastError() == cudaErrorIllegalAddress &&
               cudaGetLastError() == cudaErrorIllegalAddress,
           "sticky");
}

/* Far behind an allocation, and not at a multiple of the word: by CUDA's own name. */
static void misaligned(void)
{
    void *p = NULL;
    unsigned value = 1;
    OK(cudaMalloc(&p, 128));
    void *odd = (char *)p + 1;
    OK(launch(&host_fill, 1, 1, NULL, (void *[]){&odd, &value}));
    expect(cudaDeviceSynchronize() == cudaErrorMisalignedAddress, "misaligned at synchronization");
    expect(strcmp(cudaGetErrorString(cudaGetLastError()), "misaligned address") == 0, "its name");
}

/* Two streams that fill halves of one buffer, and a third kernel behind both; the second argument
 * changes before the first launch may have run. A wild launch among them shows when the host waits.
 */
static void use_streams(bool wild)
{
    enum { HALF = 64 };
    unsigned char *p = NULL;
    unsigned out[2 * HALF], value = 1;
    cudaStream_t stream[2];
    cudaEvent_t begun, ended, done;
    float first = -1, second = -1;
    OK(cudaMalloc((void **)&p, sizeof out));
    OK(cudaEventCreate(&begun));
    OK(cudaEventCreate(&ended));
    OK(cudaEventCreate(&done));
    for (unsigned i = 0; i < 2; i++) {
        OK(cudaStreamCreate(&stream[i]));
    }
    OK(cudaEventRecord(begun, stream[0]));
    for (unsigned i = 0; i < 2; i++) {
        unsigned char *half = wild && i == 1 ? (unsigned char *)64 : p + i * sizeof out / 2;
        OK(launch(&host_fill, 1, HALF, stream[i], (void *[]){&half, &value}));
        value++;
    }
    OK(cudaEventRecord(ended, stream[1]));
    OK(cudaStreamWaitEvent(stream[0], ended, 0));
    OK(launch(&host_fill, 1, 1, stream[0], (void *[]){&p, &value}));
    OK(cudaEventRecord(done, stream[0]));
    if (wild) {
        expect(cudaDeviceSynchronize() == cudaErrorIllegalAddress, "fault at synchronization");
        return;
    }
    OK(cudaMemcpy(out, p, sizeof out, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < 2 * HALF; i++) {
        expect(out[i] == (i == 0 ? 3U : 1 + i / HALF), "each stream's value");
    }
    OK(cudaEventElapsedTime(&first, begun, ended));
    OK(cudaEventElapsedTime(&second, ended, done));
    expect(first > 0 && second > 0, "the times of both");
}

/* A launch of a thousand times as many instructions takes longer, without time as well: programs
 * choose their sizes by that. */
static void longer(void)
{
    void *p = NULL;
    unsigned value = 1;
    cudaEvent_t event[3];
    float ms[2] = {0};
    static const unsigned ctas[] = {100, 100000};
    OK(cudaMalloc(&p, 4 * 64));
    for (unsigned i = 0; i < 3; i++) {
        OK(cudaEventCreate(&event[i]));
    }
    OK(cudaEventRecord(event[0], NULL));
    for (unsigned i = 0; i < 2; i++) {
        OK(launch(&host_fill, ctas[i], 64, NULL, (void *[]){&p, &value}));
        OK(cudaEventRecord(event[i + 1], NULL));
        OK(cudaEventElapsedTime(&ms[i], event[i], event[i + 1]));
    }
    expect(ms[0] >= 1e-3F, "a microsecond at least");
    expect(ms[1] > 10 * ms[0], "longer for more");
}

/* A kernel that leaves its allocation by 128 bytes hits nothing on a GPU; with --memcheck it is a
 * fault. */
static void stray(void)
{
    void *p = NULL;
    unsigned value = 1;
    OK(cudaMalloc(&p, 128));
    OK(launch(&host_fill, 1, 64, NULL, (void *[]){&p, &value}));
    OK(cudaDeviceSynchronize());
}

/* Data of a launch that one way of copying has brought, behind one that has warmed code and
 * parameters and cooled nothing: on a machine whose copies fill the L2, the launch reads nothing
 * from DRAM. */
static void copy_by(const char *way)
{
    enum { BYTES = N * 4 };
    static float values[N];
    unsigned char *p[4] = {0};
    int n = N;
    for (unsigned i = 0; i < 4; i++) {
        OK(cudaMalloc((void **)&p[i], BYTES));
    }
    OK(launch(&host_add, (N + 127) / 128, 128, NULL, (void *[]){&p[2], &p[2], &p[2], &n}));
    OK(cudaDeviceSynchronize());
    for (unsigned i = 0; i < 2; i++) {
        if (strcmp(way, "linear") == 0) {
            OK(cudaMemcpy(p[i], values, BYTES, cudaMemcpyHostToDevice));
        } else if (strcmp(way, "default") == 0) {
            OK(cudaMemcpy(p[i], values, BYTES, cudaMemcpyDefault));
        } else if (strcmp(way, "rows") == 0) {
            OK(cudaMemcpy2D(p[i], 80, values, 80, 80, BYTES / 80, cudaMemcpyHostToDevice));
        } else if (strcmp(way, "device") == 0) {
            OK(cudaMemcpy(p[i], p[3], BYTES, cudaMemcpyDeviceToDevice));
        } else if (strcmp(way, "read") == 0) {
            OK(cudaMemcpy(values, p[i], BYTES, cudaMemcpyDeviceToHost));
        } else if (strcmp(way, "fill") == 0) {
            OK(cudaMemset(p[i], 0, BYTES));
        } else {
            expect(strcmp(way, "none") == 0, "a way of copying");
        }
    }
    OK(launch(&host_add, (N + 127) / 128, 128, NULL, (void *[]){&p[0], &p[1], &p[2], &n}));
    OK(cudaDeviceSynchronize());
}

extern cudaError_t cudaGraphDebugDotPrint(void *graph, const char *path, unsigned flags);

static void call_missing(void)
{
    expect(cudaGraphDebugDotPrint(NULL, "", 0) == cudaErrorNotSupported, "not supported");
    expect(cudaGraphDebugDotPrint(NULL, "", 0) == cudaErrorNotSupported, "twice");
}

/* Programs that load the driver library find every name; what is not implemented says so. */
static void find_driver_names(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    expect(driver != NULL, "dlopen of the driver");
    int (*init)(unsigned);
    int (*reference)(void);
    *(void **)&init = dlsym(driver, "cuInit");
    *(void **)&reference = dlsym(driver, "cuTexRefGetAddress_v2");
    expect(init != NULL && init(0) == 0, "cuInit");
    expect(reference != NULL && reference() == 801, "a driver call that is not implemented");
    expect(dlsym(driver, "cuMemcpyHtoDAsync_v2_ptsz") != NULL, "a per-thread-stream variant");
    expect(dlsym(driver, "cuLaunchKernel") == dlsym(driver, "cuLaunchKernel_ptsz"),
           "the variant is the function");
}

/* Ends without running what programs run at their end. */
static void end_suddenly(const char *how, const char *program)
{
    add_vectors();
    call_missing();
    fflush(NULL);
    if (strcmp(how, "abort") == 0) {
        abort();
    } else if (strcmp(how, "kill") == 0) {
        raise(SIGKILL);
    } else if (strcmp(how, "exec") == 0) {
        execl(program, program, "stored", (char *)NULL);
    }
    _exit(7);
}

/* What the device says it has can be held, and no byte more. */
static void hold_all(void)
{
    size_t spare = 0, total = 0;
    void *p = NULL, *more = NULL;
    expect(cudaMemGetInfo(&spare, &total) == cudaSuccess && spare == total, "all is spare");
    expect(cudaMalloc(&p, total) == cudaSuccess, "all of it");
    expect(cudaMalloc(&more, 1) == cudaErrorMemoryAllocation && more == NULL, "more than that");
    expect(cudaFree(p) == cudaSuccess && cudaMalloc(&more, 1) == cudaSuccess, "again");
    printf("%zu MiB\n", total >> 20);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "stored";
    unsigned packing = strcmp(mode, "lz4") == 0    ? FATBIN_LZ4
                       : strcmp(mode, "zstd") == 0 ? FATBIN_ZSTD
                                                   : 0;
    register_modules(packing);
    if (strcmp(mode, "fault") == 0) {
        fault();
    } else if (strcmp(mode, "misaligned") == 0) {
        misaligned();
    } else if (strcmp(mode, "streams") == 0 || strcmp(mode, "wild-stream") == 0) {
        use_streams(strcmp(mode, "streams") != 0);
    } else if (strcmp(mode, "hold-all") == 0) {
        hold_all();
    } else if (strcmp(mode, "longer") == 0) {
        longer();
    } else if (strcmp(mode, "stray") == 0) {
        stray();
    } else if (strncmp(mode, "copy-", 5) == 0) {
        copy_by(mode + 5);
    } else if (strcmp(mode, "missing") == 0) {
        call_missing();
    } else if (strcmp(mode, "driver") == 0) {
        find_driver_names();
    } else if (strcmp(mode, "exit") == 0) {
        return 42;
    } else if (strncmp(mode, "end-", 4) == 0) {
        end_suddenly(mode + 4, argv[0]);
    } else {
        add_vectors();
        copy_rectangles();
        sizes_without_end();
        query_device();
        write_host_memory();
    }
    printf("%s: %s\n", mode, failures == 0 ? "PASSED" : "FAILED");
    return failures != 0;
}
