/* hopper_program.c - a CUDA program that makes tensor maps and launches clusters: the codes of the
 * driver's checks, the entry point by which libraries fetch the encoder, attributes of launches and
 * kernels, occupancy. Usage: hopper_program new|old (has clusters or not). */
#include <string.h>

#include "runtime/runtime_api/calls.h"
#include "runtime/driver_api/calls.h"
#include "tests/runtime/check.h"

enum {
    INVALID = cudaErrorInvalidValue,
    POLICY = 5,
    SERIALIZATION = 6,
    PREFERRED = 11,
    MOST_SHARED = 200 << 10, /* so that a multiprocessor holds one CTA */
    CUDA_12 = 12000
};

/* p[CTA] = CTAs of its cluster; `pair` says its cluster itself. */
#define KERNEL(name, directive)                                                                    \
    ".visible .entry " name "(.param .u64 p) " directive "\n{\n.reg .b32 %r<4>; .reg .b64 %q<4>;"  \
    "\nld.param.u64 %q1, [p]; mov.u32 %r1, %ctaid.x; mul.wide.u32 %q2, %r1, 4;\n"                  \
    "add.u64 %q1, %q1, %q2; mov.u32 %r2, %cluster_nctarank; st.global.u32 [%q1], %r2; ret;\n}\n"
static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n" KERNEL("any", "")
    KERNEL("pair", ".reqnctapercluster 2, 1, 1");

/* ---- tensor maps ---- */

/* Arguments of cuTensorMapEncodeTiled, legal until a row of the table changes one. */
typedef struct tiled {
    char *map;
    unsigned type, rank;
    uintptr_t address;
    uint64_t dim[5], stride[5];
    unsigned box[5], step[5], interleave, swizzle, promotion, fill;
} tiled;

typedef CUresult encoder(CUtensorMap *out, unsigned type, unsigned rank, void *address,
                         const uint64_t *dim, const uint64_t *stride, const unsigned *box,
                         const unsigned *step, unsigned interleave, unsigned swizzle,
                         unsigned promotion, unsigned fill);

static CUtensorMap maps[2];

static tiled legal(void) /* halves, 256 x 128, boxes of 64 x 32 */
{
    return (tiled){.map = (char *)maps,
                   .type = 6,
                   .rank = 2,
                   .address = 0x100000,
                   .dim = {256, 128, 4, 4, 4},
                   .stride = {512, 65536, 262144, 1048576},
                   .box = {64, 32, 1, 1, 1},
                   .step = {1, 1, 1, 1, 1},
                   .swizzle = 3};
}

static CUresult encode(encoder *f, const tiled *t)
{
    return f((CUtensorMap *)(void *)t->map, t->type, t->rank, (void *)t->address, t->dim, t->stride,
             t->box, t->step, t->interleave, t->swizzle, t->promotion, t->fill);
}

#define REFUSED(change)                                                                            \
    do {                                                                                           \
        tiled t = legal();                                                                         \
        change;                                                                                    \
        expect(encode(f, &t) == INVALID, "refused: " #change);                                     \
    } while (0)
#define TAKEN(change)                                                                              \
    do {                                                                                           \
        tiled t = legal();                                                                         \
        change;                                                                                    \
        expect(encode(f, &t) == 0, "taken: " #change);                                             \
    } while (0)

static void refuse_tiles(encoder *f)
{
    REFUSED(t.map = NULL);
    REFUSED(t.map += 32);
    REFUSED(t.type = 13);
    REFUSED(t.type = 0xffffffff);
    REFUSED(t.rank = 0);
    REFUSED(t.rank = 6);
    REFUSED(t.address = 0);
    REFUSED(t.address += 8);
    REFUSED(t.dim[0] = 0);
    REFUSED(t.dim[1] = (1ull << 32) + 1);
    REFUSED(t.stride[0] = 520);
    REFUSED(t.stride[0] = 1ull << 40);
    REFUSED(t.stride[0] = (uint64_t)-512);
    REFUSED(t.box[1] = 0);
    REFUSED(t.box[1] = 257);
    REFUSED(t.box[0] = 60);
    REFUSED(t.box[0] = 128); /* wider than the swizzle */
    REFUSED(t.step[1] = 9);
    REFUSED(t.interleave = 3);
    REFUSED(t.interleave = 1); /* of two dimensions */
    REFUSED((t.rank = 3, t.interleave = 2, t.swizzle = 0));
    REFUSED(t.swizzle = 9);
    REFUSED(t.promotion = 4);
    REFUSED(t.fill = 2);
    REFUSED((t.fill = 1, t.type = 1));
    TAKEN(t.rank = 5);
    TAKEN(t.dim[1] = 1ull << 32);
    TAKEN((t.box[0] = 256, t.swizzle = 0));
    TAKEN(t.fill = 1);
    TAKEN(t.step[1] = 8);
    expect(f(maps, 6, 2, (void *)0x100000, NULL, NULL, NULL, NULL, 0, 0, 0, 0) == INVALID,
           "without arrays");
}

static CUresult encode_columns(unsigned rank, int lower, int upper, unsigned channels,
                               unsigned pixels)
{
    const tiled t = legal();
    const int low[3] = {lower, lower, lower}, high[3] = {upper, upper, upper};
    return cuTensorMapEncodeIm2col(maps, t.type, rank, (void *)t.address, t.dim, t.stride, low,
                                   high, channels, pixels, t.step, 0, 0, 0, 0);
}

static void refuse_columns(void)
{
    OK(encode_columns(3, -1, -1, 64, 128));
    OK(encode_columns(4, -1, 1, 64, 1024));
    OK(encode_columns(5, -1, 0, 64, 16));
    expect(encode_columns(2, -1, -1, 64, 128) == INVALID, "columns of two dimensions");
    expect(encode_columns(3, -32769, -1, 64, 128) == INVALID, "a corner out of range");
    expect(encode_columns(4, -129, -1, 64, 128) == INVALID, "a corner of rank 4 out of range");
    expect(encode_columns(5, 0, 16, 64, 128) == INVALID, "a corner of rank 5 out of range");
    expect(encode_columns(5, 15, -15, 64, 128) == INVALID, "an empty box");
    expect(encode_columns(3, -1, -1, 257, 128) == INVALID, "channels");
    expect(encode_columns(3, -1, -1, 64, 1025) == INVALID, "pixels");
}

static void make_maps(void)
{
    void *f = NULL, *g = NULL;
    int status = -1;
    OK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, CUDA_12, 0, &status));
    expect(status == 0 && f != NULL, "the encoder by version");
    OK(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &g, 0, &status));
    expect(status == 0 && g == f, "the encoder");
    if (f != NULL) {
        encoder *encode_tiled;
        memcpy(&encode_tiled, &f, sizeof encode_tiled);
        refuse_tiles(encode_tiled);
        tiled t = legal();
        OK(encode(encode_tiled, &t));
    }
    for (unsigned bit = 0; bit < 64; bit++) { /* what libraries change themselves */
        maps[0].opaque[1] ^= 1ull << bit;
        OK(cuTensorMapReplaceAddress(maps, (void *)0x200000));
    }
    expect(cuTensorMapReplaceAddress(maps, (void *)0x200008) == INVALID, "a misaligned address");
    memset(maps, 0x5a, sizeof maps);
    expect(cuTensorMapReplaceAddress(maps, (void *)0x200000) == INVALID, "no tensor map");
    refuse_columns();
}

/* ---- clusters ---- */

static CUresult launch(CUfunction kernel, CUdeviceptr p, unsigned grid, unsigned cluster)
{
    const cudaLaunchAttribute attributes[] = {
        {.id = POLICY, .value.i = 1},
        {.id = SERIALIZATION, .value.i = 1},
        {.id = PREFERRED, .value.clusterDim = {cluster, 1, 1}},
        {.id = cudaLaunchAttributeClusterDimension, .value.clusterDim = {cluster, 1, 1}}};
    const CUlaunchConfig config = {.grid = {grid, 1, 1},
                                   .block = {32, 1, 1},
                                   .attrs = attributes,
                                   .numAttrs = cluster != 0 ? 4 : 2};
    return cuLaunchKernelEx(&config, kernel, (void *[]){&p}, NULL);
}

static void all_are(CUdeviceptr p, unsigned grid, unsigned size)
{
    unsigned got[64] = {0}, wrong = 0;
    OK(cuMemcpyDtoH_v2(got, p, grid * sizeof *got));
    for (unsigned i = 0; i < grid; i++) {
        wrong += got[i] != size;
    }
    expect(wrong == 0, "the size of clusters");
}

static void launch_clusters(CUfunction any, CUfunction pair, CUdeviceptr p)
{
    static const unsigned sizes[] = {1, 2, 3, 5, 8};
    for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        OK(launch(any, p, 2 * sizes[k], sizes[k]));
        all_are(p, 2 * sizes[k], sizes[k]);
    }
    OK(launch(any, p, 7, 0));
    all_are(p, 7, 1);
    OK(launch(pair, p, 8, 0));
    all_are(p, 8, 2);
    OK(launch(pair, p, 8, 2));
    expect(launch(pair, p, 8, 4) == cudaErrorInvalidClusterSize, "another size than the kernel's");
    expect(launch(any, p, 9, 2) == cudaErrorInvalidClusterSize, "a grid that is no multiple");
    expect(launch(any, p, 16, 16) == cudaErrorInvalidClusterSize, "a size that is not portable");
    OK(cuFuncSetAttribute(any, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    OK(launch(any, p, 32, 16));
    all_are(p, 32, 16);
    expect(launch(any, p, 34, 17) == cudaErrorInvalidClusterSize, "17 CTAs");
    OK(cuFuncSetAttribute(any, cudaFuncAttributeClusterDimMustBeSet, 1));
    expect(launch(any, p, 8, 0) == cudaErrorInvalidClusterSize, "no size where one is demanded");
    OK(cuFuncSetAttribute(any, cudaFuncAttributeClusterDimMustBeSet, 0));
    OK(cuFuncSetAttribute(any, cudaFuncAttributeRequiredClusterWidth, 4));
    OK(launch(any, p, 8, 0));
    all_are(p, 8, 4);
}

static int active(CUfunction kernel, unsigned size)
{
    const cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension,
                                           .value.clusterDim = {size, 1, 1}};
    const CUlaunchConfig config = {.grid = {16 * size, 1, 1},
                                   .block = {32, 1, 1},
                                   .sharedMemBytes = MOST_SHARED,
                                   .attrs = &attribute,
                                   .numAttrs = 1};
    int n = -1;
    OK(cuOccupancyMaxActiveClusters(&n, kernel, &config));
    return n;
}

/* One CTA per multiprocessor, in GPCs of 16 (six) and 18 (two). */
static void ask_occupancy(CUfunction any)
{
    CUlaunchConfig config = {
        .grid = {64, 1, 1}, .block = {32, 1, 1}, .sharedMemBytes = MOST_SHARED};
    int n = 0;
    OK(cuFuncSetAttribute(any, cudaFuncAttributeMaxDynamicSharedMemorySize, MOST_SHARED));
    OK(cuOccupancyMaxPotentialClusterSize(&n, any, &config));
    expect(n == 8, "the largest portable size");
    expect(active(any, 1) == 132, "clusters of one");
    expect(active(any, 2) == 66, "clusters of two");
    expect(active(any, 4) == 6 * 4 + 2 * 4, "clusters of four");
    OK(cuFuncSetAttribute(any, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    OK(cuOccupancyMaxPotentialClusterSize(&n, any, &config));
    expect(n == 16, "the largest size");
    expect(active(any, 16) == 8, "clusters of sixteen");
    expect(cuOccupancyMaxActiveClusters(NULL, any, &config) == INVALID, "no place for the answer");
    expect(cuOccupancyMaxActiveClusters(&n, any, NULL) == INVALID, "no launch to ask about");
}

/* The same by the runtime, whose calls take the driver's handles of kernels. */
static void use_the_runtime(CUfunction any, CUdeviceptr p)
{
    cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeClusterDimension,
                                     .value.clusterDim = {4, 1, 1}};
    cudaLaunchConfig config = {
        .gridDim = {8, 1, 1}, .blockDim = {32, 1, 1}, .attrs = &attribute, .numAttrs = 1};
    void *args[] = {&p};
    int n = 0;
    OK(cudaLaunchKernelExC(&config, any, args));
    all_are(p, 8, 4);
    config.gridDim.x = 9;
    expect(cudaLaunchKernelExC(&config, any, args) == cudaErrorInvalidClusterSize,
           "a grid that is no multiple, by the runtime");
    config.gridDim.x = 32;
    attribute.value.clusterDim.x = 16;
    expect(cudaLaunchKernelExC(&config, any, args) == cudaErrorInvalidClusterSize,
           "a size that is not portable, by the runtime");
    OK(cudaFuncSetAttribute(any, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    OK(cudaLaunchKernelExC(&config, any, args));
    all_are(p, 32, 16);
    expect(cudaLaunchKernelExC(NULL, any, args) == INVALID, "no launch");
    OK(cudaFuncSetAttribute(any, cudaFuncAttributeMaxDynamicSharedMemorySize, MOST_SHARED));
    config.dynamicSmemBytes = MOST_SHARED;
    OK(cudaOccupancyMaxActiveClusters(&n, any, &config));
    expect(n == 8, "clusters of sixteen, by the runtime");
    attribute.value.clusterDim.x = 2;
    OK(cudaOccupancyMaxActiveClusters(&n, any, &config));
    expect(n == 66, "clusters of two, by the runtime");
    OK(cudaOccupancyMaxPotentialClusterSize(&n, any, &config));
    expect(n == 16, "the largest size, by the runtime");
    expect(cudaOccupancyMaxActiveClusters(NULL, any, &config) == INVALID,
           "no place for the runtime's answer");
    expect(cudaOccupancyMaxPotentialClusterSize(&n, any, NULL) == INVALID,
           "no launch to ask the runtime about");
}

int main(int argc, char **argv)
{
    CUmodule module;
    CUfunction any, pair;
    CUdeviceptr p;
    cudaDeviceProp properties;
    int modern = argc > 1 && strcmp(argv[1], "new") == 0;
    OK(cuInit(0));
    OK(cudaGetDeviceProperties(&properties, 0));
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&any, module, "any"));
    OK(cuModuleGetFunction(&pair, module, "pair"));
    OK(cuMemAlloc_v2(&p, 4096));
    make_maps();
    expect(properties.clusterLaunch == modern, "what the device says of clusters");
    if (modern) {
        ask_occupancy(any);
        OK(cuModuleUnload(module));
        OK(cuModuleLoadData(&module, ptx));
        OK(cuModuleGetFunction(&any, module, "any"));
        OK(cuModuleGetFunction(&pair, module, "pair"));
        launch_clusters(any, pair, p);
        OK(cuModuleUnload(module));
        OK(cuModuleLoadData(&module, ptx));
        OK(cuModuleGetFunction(&any, module, "any"));
        use_the_runtime(any, p);
    } else {
        expect(launch(any, p, 4, 2) == cudaErrorNotSupported, "clusters without hardware");
        OK(launch(any, p, 4, 1));
    }
    printf("hopper: %s\n", failures == 0 ? "PASSED" : "FAILED");
    return failures != 0;
}
