/* ipc_program.c - a CUDA program that shares device memory with a second process, itself once more:
 * by handles, by pools and by mapped memory. Usage: ipc_program. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/runtime_api/calls.h"
#include "runtime/driver_api/calls.h"
#include "tests/runtime/check.h"

enum {
    WORDS = 1000,
    BLOCKS = 3,
    POOL_FD = 20, /* where the child finds what it is given */
    MEMORY_FD = 21,
    CHUNK = 2 << 20,
    FD_HANDLES = 1,
    INTERPROCESS = 4,
    NO_TIMING = 2
};

/* What the child is told: written to a file that both know. */
typedef struct message {
    cudaIpcMemHandle_t block[BLOCKS];
    cudaIpcEventHandle_t event;
    cudaMemPoolPtrExportData in_pool, other_pool;
} message;

/* p[i] += value */
static const char ptx[] =
    ".version 7.0\n.target sm_61\n.address_size 64\n"
    ".visible .entry add(.param .u64 p, .param .u32 n, .param .u32 value)\n{\n"
    ".reg .pred %p<2>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<5>;\n"
    "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [n];\nld.param.u32 %r2, [value];\n"
    "cvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ntid.x;\n"
    "mov.u32 %r5, %tid.x;\nmad.lo.s32 %r6, %r3, %r4, %r5;\nsetp.ge.u32 %p1, %r6, %r1;\n"
    "@%p1 bra $done;\nmul.wide.u32 %rd3, %r6, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"
    "ld.global.u32 %r7, [%rd4];\nadd.s32 %r7, %r7, %r2;\nst.global.u32 [%rd4], %r7;\n"
    "$done:\nret;\n}\n";

static CUfunction kernel;

static void prepare(void)
{
    CUmodule module;
    OK(cuInit(0));
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&kernel, module, "add"));
}

static void add(void *p, unsigned value)
{
    unsigned n = WORDS;
    void *args[] = {&p, &n, &value};
    OK(cuLaunchKernel(kernel, (WORDS + 127) / 128, 1, 1, 128, 1, 1, 0, NULL, args, NULL));
}

/* All words hold that value. */
static void holds(const void *p, unsigned value, const char *what)
{
    unsigned words[WORDS], wrong = 0;
    OK(cudaMemcpy(words, p, sizeof words, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < WORDS; i++) {
        wrong += words[i] != value;
    }
    expect(wrong == 0, what);
}

static const CUmemAllocationProp shared_memory = {
    .type = 1, .requestedHandleTypes = FD_HANDLES, .location = {.type = 1}};

/* ---- the second process ---- */

static void use_blocks(const message *m)
{
    void *p[BLOCKS], *again;
    cudaEvent_t event;
    OK(cudaIpcOpenEventHandle(&event, m->event));
    OK(cudaStreamWaitEvent(NULL, event, 0));
    for (unsigned i = 0; i < BLOCKS; i++) {
        OK(cudaIpcOpenMemHandle(&p[i], m->block[i], 1));
        holds(p[i], 10 + i, "memory of the first process");
        add(p[i], 100);
    }
    OK(cudaIpcOpenMemHandle(&again, m->block[1], 1));
    expect(again == p[1], "memory that is opened twice");
    OK(cudaIpcCloseMemHandle(p[1]));
    holds(p[1], 111, "memory that is still open");
    OK(cudaEventRecord(event, NULL));
    OK(cudaEventDestroy(event));
    for (unsigned i = 0; i < BLOCKS; i++) {
        expect(cudaFree(p[i]) != cudaSuccess, "cudaFree of another process's memory");
        OK(cudaIpcCloseMemHandle(p[i]));
    }
    expect(cudaIpcCloseMemHandle(p[0]) != cudaSuccess, "closed twice");
}

static void refuse_bad_handles(const message *m)
{
    void *p;
    cudaEvent_t event;
    for (size_t i = 0; i < 48; i++) {
        cudaIpcMemHandle_t memory = m->block[0];
        cudaIpcEventHandle_t other = m->event;
        memory.reserved[i] ^= 1;
        other.reserved[i] ^= 1;
        expect(cudaIpcOpenMemHandle(&p, memory, 1) != cudaSuccess, "a handle with a wrong bit");
        expect(cudaIpcOpenEventHandle(&event, other) != cudaSuccess, "an event with a wrong bit");
    }
    cudaIpcMemHandle_t kind;
    memcpy(&kind, &m->event, sizeof kind);
    expect(cudaIpcOpenMemHandle(&p, kind, 1) != cudaSuccess, "an event as memory");
    expect(cudaIpcOpenMemHandle(&p, m->block[0], 7) != cudaSuccess, "flags that do not exist");
}

static void use_pool(const message *m)
{
    cudaMemPool_t pool;
    cudaMemPoolPtrExportData changed = m->in_pool;
    void *p, *again;
    int access = 0;
    OK(cudaMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)POOL_FD, FD_HANDLES, 0));
    OK(cudaMemPoolGetAccess(&access, pool, &(cudaMemLocation){1, 0}));
    expect(access == 3, "access to a pool");
    expect(cudaMallocFromPoolAsync(&p, 4096, pool, NULL) != cudaSuccess,
           "allocation in a pool of another process");
    expect(cudaMemPoolImportPointer(
               &p, pool, (cudaMemPoolPtrExportData *)(uintptr_t)&m->other_pool) != cudaSuccess,
           "memory of another pool");
    changed.reserved[40] ^= 1;
    expect(cudaMemPoolImportPointer(&p, pool, &changed) != cudaSuccess, "a pointer that is none");
    changed = m->in_pool;
    OK(cudaMemPoolImportPointer(&p, pool, &changed));
    OK(cudaMemPoolImportPointer(&again, pool, &changed));
    expect(p == again, "memory of a pool that is imported twice");
    holds(p, 20, "memory of a pool");
    add(p, 200);
    OK(cudaFreeAsync(p, NULL));
    expect(cudaFree(p) != cudaSuccess, "freed twice");
    OK(cudaMemPoolDestroy(pool));
    expect(cudaMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)0, FD_HANDLES, 0) !=
               cudaSuccess,
           "standard input as a pool");
}

static void use_mapped(void)
{
    CUmemGenericAllocationHandle memory;
    CUdeviceptr p;
    OK(cuMemImportFromShareableHandle(&memory, (void *)(intptr_t)MEMORY_FD, FD_HANDLES));
    OK(cuMemAddressReserve(&p, CHUNK, 0, 0, 0));
    OK(cuMemMap(p, CHUNK, 0, memory, 0));
    OK(cuMemRelease(memory));
    holds((void *)(uintptr_t)p, 30, "mapped memory");
    add((void *)(uintptr_t)p, 300);
    OK(cuMemUnmap(p, CHUNK));
    holds((void *)(uintptr_t)p, 0, "addresses without memory");
    OK(cuMemAddressFree(p, CHUNK));
    expect(cuMemImportFromShareableHandle(&memory, (void *)(intptr_t)1, FD_HANDLES) != 0,
           "standard output as memory");
}

static int second(int fd)
{
    message m;
    if (pread(fd, &m, sizeof m, 0) != (ssize_t)sizeof m) {
        return 1;
    }
    prepare();
    refuse_bad_handles(&m);
    use_blocks(&m);
    use_pool(&m);
    use_mapped();
    return failures != 0;
}

/* ---- the first process ---- */

static void *make_pool(cudaMemPoolPtrExportData *data, int *fd)
{
    cudaMemPool_t pool;
    cudaMemPoolProps props = {.allocType = 1, .handleTypes = FD_HANDLES, .location = {.type = 1}};
    void *p, *unused;
    OK(cudaMemPoolCreate(&pool, &props));
    OK(cudaMallocFromPoolAsync(&unused, 700, pool, NULL));
    OK(cudaMallocFromPoolAsync(&p, WORDS * 4, pool, NULL));
    OK(cudaMemPoolExportToShareableHandle(fd, pool, FD_HANDLES, 0));
    OK(cudaMemPoolExportPointer(data, p));
    add(p, 20);
    return p;
}

/* Mapped twice, so that both addresses are one memory. */
static CUdeviceptr make_mapped(int *fd)
{
    CUmemGenericAllocationHandle memory, other;
    CUdeviceptr p;
    OK(cuMemCreate(&memory, CHUNK, &shared_memory, 0));
    OK(cuMemExportToShareableHandle(fd, memory, FD_HANDLES, 0));
    OK(cuMemAddressReserve(&p, 3 * CHUNK, 0, 0, 0));
    OK(cuMemMap(p, CHUNK, 0, memory, 0));
    OK(cuMemMap(p + 2 * CHUNK, CHUNK, 0, memory, 0));
    expect(cuMemMap(p, CHUNK, 0, memory, 0) != 0, "mapping over a mapping");
    expect(cuMemMap(p + CHUNK, 2 * CHUNK, 0, memory, 0) != 0, "more than there is");
    expect(cuMemAddressFree(p, 3 * CHUNK) != 0, "addresses that are mapped");
    expect(cuMemUnmap(p + CHUNK / 2, CHUNK) != 0, "half a mapping");
    OK(cuMemRelease(memory));
    expect(cuMemRelease(memory) != 0, "released twice");
    OK(cuMemRetainAllocationHandle(&other, (void *)(uintptr_t)(p + 8)));
    OK(cuMemRelease(other));
    const CUmemAllocationProp own = {.type = 1, .location = {.type = 1}};
    OK(cuMemCreate(&other, CHUNK, &own, 0));
    expect(cuMemExportToShareableHandle(fd + 0, other, FD_HANDLES, 0) != 0,
           "memory that was not meant to be shared");
    OK(cuMemMap(p + CHUNK, CHUNK, 0, other, 0));
    OK(cuMemRelease(other));
    add((void *)(uintptr_t)p, 30);
    holds((void *)(uintptr_t)(p + 2 * CHUNK), 30, "the second address of mapped memory");
    holds((void *)(uintptr_t)(p + CHUNK), 0, "other memory");
    return p;
}

static int run_second(const char *program, int file, int pool_fd, int memory_fd)
{
    char number[16];
    int state = 0;
    snprintf(number, sizeof number, "%d", file);
    pid_t child = fork();
    if (child == 0) {
        if (dup2(pool_fd, POOL_FD) == POOL_FD && dup2(memory_fd, MEMORY_FD) == MEMORY_FD) {
            execl(program, program, number, (char *)NULL);
        }
        _exit(127);
    }
    return child > 0 && waitpid(child, &state, 0) == child && WIFEXITED(state) ? WEXITSTATUS(state)
                                                                               : 126;
}

static void get_handles(void *const *p, message *m)
{
    cudaEvent_t event;
    cudaIpcMemHandle_t inner;
    cudaIpcEventHandle_t none;
    void *out;
    int host;
    for (unsigned i = 0; i < BLOCKS; i++) {
        OK(cudaIpcGetMemHandle(&m->block[i], p[i]));
        holds(p[i], 10 + i, "memory that has become shared");
    }
    OK(cudaIpcGetMemHandle(&inner, (char *)p[2] + 512));
    expect(memcmp(&inner, &m->block[2], sizeof inner) == 0, "a pointer into an allocation");
    expect(cudaIpcGetMemHandle(&inner, &host) != cudaSuccess, "memory of the host");
    expect(cudaIpcOpenMemHandle(&out, m->block[0], 1) == cudaErrorDeviceUninitialized,
           "a process's own memory");
    expect(cudaEventCreateWithFlags(&event, INTERPROCESS) == cudaErrorInvalidValue,
           "an event with time for other processes");
    OK(cudaEventCreate(&event));
    expect(cudaIpcGetEventHandle(&none, event) != cudaSuccess, "an event of this process alone");
    OK(cudaEventCreateWithFlags(&event, INTERPROCESS | NO_TIMING));
    OK(cudaIpcGetEventHandle(&m->event, event));
    OK(cudaEventRecord(event, NULL));
}

static int first(const char *program)
{
    message m;
    void *p[BLOCKS], *late;
    int pool_fd = -1, other_fd = -1, memory_fd = -1;
    char path[] = "/tmp/warpwatt-ipc-XXXXXX";
    int file = mkstemp(path);
    prepare();
    for (unsigned i = 0; i < BLOCKS; i++) { /* before anything is shared */
        OK(cudaMalloc(&p[i], WORDS * 4));
        add(p[i], 10 + i);
    }
    memset(&m, 0, sizeof m);
    get_handles(p, &m);
    void *in_pool = make_pool(&m.in_pool, &pool_fd);
    (void)make_pool(&m.other_pool, &other_fd);
    CUdeviceptr mapped = make_mapped(&memory_fd);
    OK(cudaMalloc(&late, WORDS * 4));
    add(late, 1);
    holds(late, 1, "memory that was allocated later");
    expect(file >= 0 && unlink(path) == 0 && pwrite(file, &m, sizeof m, 0) == (ssize_t)sizeof m,
           "the message");
    expect(run_second(program, file, pool_fd, memory_fd) == 0, "the second process");
    for (unsigned i = 0; i < BLOCKS; i++) {
        holds(p[i], 110 + i, "what the second process wrote");
        OK(cudaFree(p[i]));
    }
    holds(in_pool, 220, "what it wrote to a pool");
    holds((void *)(uintptr_t)mapped, 330, "what it wrote to mapped memory");
    holds((void *)(uintptr_t)(mapped + 2 * CHUNK), 330, "the same at the other address");
    OK(cuMemUnmap(mapped, 3 * CHUNK));
    OK(cuMemAddressFree(mapped, 3 * CHUNK));
    OK(cudaFree(in_pool));
    return failures != 0;
}

int main(int argc, char **argv)
{
    int wrong = argc > 1 ? second(atoi(argv[1])) : first(argv[0]);
    printf("%s: %s\n", argc > 1 ? "second" : "first", wrong == 0 ? "PASSED" : "FAILED");
    return wrong;
}
