/* bench_sm.c - warp instructions per second of the timing model on hand-made kernels that fill a
 * GTX 480: arithmetic alone, streaming memory, and shared memory with barriers. `bench_sm [NAME]`
 * runs one. */
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "perf/gpu/gpu.h"
#include "tests/unit/sm/kernels.h"

enum { THREADS = 256, CTAS = 480 };

static ww_operand pair(uint32_t r)
{
    return (ww_operand){.kind = WW_OPD_REG, .words = 2, .reg = r};
}

/* r2:r3 = base + 4 * global thread */
static void address(code *c, uint64_t base)
{
    ww_operand d = reg(4), d8 = pair(8), a2 = pair(2);
    mov(c, 5, sreg(WW_SREG_CTAID_X));
    mov(c, 6, sreg(WW_SREG_NTID_X));
    mov(c, 7, sreg(WW_SREG_TID_X));
    ww_operand mad[3] = {reg(5), reg(6), reg(7)}, wide[2] = {reg(4), imm(4)},
               sum[2] = {pair(2), pair(8)};
    put(c, WW_OP_MAD, WW_T_U32, 1, &d, 3, mad)->sub = WW_SUB_LO;
    mov(c, 2, imm(base & 0xffffffffu));
    mov(c, 3, imm(base >> 32));
    put(c, WW_OP_MUL, WW_T_U32, 1, &d8, 2, wide)->sub = WW_SUB_WIDE;
    put(c, WW_OP_ADD, WW_T_U64, 1, &a2, 2, sum);
}

static void loop_end(code *c, uint32_t counter, uint32_t start)
{
    ww_operand p = pred(0), cmp[2] = {reg(counter), imm(0)};
    add(c, counter, counter, UINT32_MAX);
    put(c, WW_OP_SETP, WW_T_U32, 1, &p, 2, cmp)->cmp = WW_CMP_NE;
    ww_inst *back = put(c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL);
    back->guard = pred(0);
    back->target = start;
    back->reconv = c->count;
}

static void arithmetic(code *c, uint64_t base)
{
    (void)base;
    mov(c, 0, imm(30));
    uint32_t start = c->count;
    for (uint32_t i = 0; i < 12; i++) {
        ww_operand d = reg(1 + i % 6), src[3] = {reg(1 + i % 6), reg(7 + i % 3), reg(10)};
        put(c, WW_OP_FMA, WW_T_F32, 1, &d, 3, src);
    }
    loop_end(c, 0, start);
    finish(c);
}

static void streaming(code *c, uint64_t base)
{
    address(c, base);
    for (uint32_t i = 0; i < 4; i++) {
        ww_inst *ld = load_global(c, 10 + i, 2);
        ld->offset = (int64_t)i * THREADS * CTAS * 4;
    }
    add3(c, 10, 10, 11);
    add3(c, 12, 12, 13);
    add3(c, 10, 10, 12);
    store_global(c, 2, 10);
    finish(c);
}

static void shared(code *c, uint64_t base)
{
    (void)base;
    ww_operand d = reg(1), src[2] = {reg(7), imm(2)};
    mov(c, 7, sreg(WW_SREG_TID_X));
    put(c, WW_OP_SHL, WW_T_B32, 1, &d, 2, src);
    mov(c, 0, imm(16));
    uint32_t start = c->count;
    load_shared(c, 2, 1);
    load_shared(c, 3, 1);
    add3(c, 2, 2, 3);
    ww_operand st[2] = {reg(1), reg(2)};
    put(c, WW_OP_ST, WW_T_U32, 0, NULL, 2, st)->space = WW_SPACE_SHARED;
    bar(c);
    loop_end(c, 0, start);
    finish(c);
}

static void bench(const char *name, void (*make)(code *, uint64_t), unsigned repeat)
{
    code *c = WW_NEW(code);
    ww_error err = {0};
    ww_arch *arch = NULL;
    ww_devmem *mem;
    ww_gpu *gpu;
    uint64_t data;
    ww_program program;
    assert_ok(ww_arch_load(WW_SOURCE_DIR "/configs/gpu/gtx480.xml", NULL, 0, &arch, &err), err);
    assert_ok(ww_devmem_create(&mem, &err), err);
    assert_ok(ww_devmem_alloc(mem, 4ull * THREADS * CTAS * 4, 256, &data, &err), err);
    assert_ok(ww_gpu_create(arch, &gpu, &err), err);
    make(c, data);
    const ww_kernel *kernel = as_kernel(c, 16);
    ww_launch launch = {.kernel = kernel,
                        .grid = {CTAS, 1, 1},
                        .block = {THREADS, 1, 1},
                        .mem = mem,
                        .sm_count = arch->sm.count,
                        .params = (const unsigned char *)""};
    assert_ok(ww_exec_prepare(&launch, &err), err);
    assert_ok(ww_program_init(&program, kernel, arch, 0, &err), err);
    uint32_t limit = ww_occupancy_of(arch, THREADS, 16, kernel->shared_bytes).ctas;
    const ww_gpu_run_options options = {0};
    uint64_t inst = 0, cycles = 0;
    clock_t start = clock();
    for (unsigned i = 0; i < repeat; i++) {
        assert_ok(ww_gpu_run(gpu, &launch, &program, limit, &options, &err), err);
        inst += ww_counter_total(&gpu->counters, WW_C_INST_ISSUED);
        cycles += ww_counter_total(&gpu->counters, WW_C_CORE_CYCLES);
    }
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("%-12s %10.0f warp inst/s  %10.0f cycles/s  IPC %.2f warp inst/cycle\n", name,
           (double)inst / seconds, (double)cycles / seconds, (double)inst / (double)cycles);
    ww_program_fini(&program);
    ww_exec_release(&launch);
    ww_gpu_destroy(gpu);
    ww_devmem_destroy(mem);
    ww_arch_destroy(arch);
    ww_free(c);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*make)(code *, uint64_t);
        unsigned repeat;
    } rows[] = {{"arithmetic", arithmetic, 1}, {"streaming", streaming, 10}, {"shared", shared, 4}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (argc < 2 || strcmp(argv[1], rows[i].name) == 0) {
            bench(rows[i].name, rows[i].make, rows[i].repeat);
        }
    }
    return 0;
}
