/* kernels.h - hand-made kernels and a one-SM machine, for timelines that can be computed by hand.
 */
#ifndef WW_TESTS_UNIT_SM_KERNELS_H
#define WW_TESTS_UNIT_SM_KERNELS_H

#include <string.h>

#include "perf/exec/exec.h"
#include "perf/sm/seam.h"
#include "perf/sm/sm.h"
#include "tests/support/arch_fixture.h"
#include "tests/support/inst.h"

enum { MOST_CODE = 256, MOST_OPERANDS = 2048 };

typedef struct code {
    ww_inst inst[MOST_CODE];
    ww_operand operand[MOST_OPERANDS];
    uint32_t count, operands;
    ww_kernel kernel;
} code;

static inline ww_operand reg(uint32_t r)
{
    return (ww_operand){.kind = WW_OPD_REG, .words = 1, .reg = r};
}
static inline ww_operand imm(uint64_t v)
{
    return (ww_operand){.kind = WW_OPD_IMM, .words = 1, .imm = v};
}
static inline ww_operand pred(uint32_t p)
{
    return (ww_operand){.kind = WW_OPD_PRED, .reg = p};
}
static inline ww_operand sreg(ww_sreg s)
{
    return (ww_operand){.kind = WW_OPD_SREG, .words = 1, .reg = s};
}

static inline ww_operand *put_operands(code *c, const ww_operand *from, unsigned count)
{
    ww_operand *at = &c->operand[c->operands];
    assert_true(c->operands + count <= MOST_OPERANDS);
    for (unsigned i = 0; i < count; i++) {
        at[i] = from[i];
    }
    c->operands += count;
    return at;
}

static inline ww_inst *put(code *c, ww_op op, ww_type type, unsigned dsts, const ww_operand *dst,
                           unsigned srcs, const ww_operand *src)
{
    assert_true(c->count < MOST_CODE);
    ww_inst *i = &c->inst[c->count++];
    *i = plain_inst(op, type, dsts, srcs, c->count);
    i->dst = put_operands(c, dst, dsts);
    i->src = put_operands(c, src, srcs);
    return i;
}

/* d = a + word of shared memory at r[base]; base < 0: at 0. */
static inline ww_inst *add_word(code *c, uint32_t d, uint32_t a, int base)
{
    ww_operand dst = reg(d), src[2] = {reg(a), {.kind = WW_OPD_SHARED}};
    if (base >= 0) {
        src[1].words = 1;
        src[1].reg = (uint32_t)base;
    }
    ww_inst *i = put(c, WW_OP_ADD, WW_T_U32, 1, &dst, 2, src);
    i->folded_line = i->line;
    return i;
}

/* d = a + immediate */
static inline ww_inst *add(code *c, uint32_t d, uint32_t a, uint64_t v)
{
    ww_operand dst = reg(d), src[2] = {reg(a), imm(v)};
    return put(c, WW_OP_ADD, WW_T_U32, 1, &dst, 2, src);
}
/* d = a + b */
static inline ww_inst *add3(code *c, uint32_t d, uint32_t a, uint32_t b)
{
    ww_operand dst = reg(d), src[2] = {reg(a), reg(b)};
    return put(c, WW_OP_ADD, WW_T_U32, 1, &dst, 2, src);
}
/* count adds, each into a register of its own from `first` on, of r0: none waits for another. */
static inline void adds(code *c, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        add(c, first + i, 0, 1);
    }
}
static inline ww_inst *mov(code *c, uint32_t d, ww_operand v)
{
    ww_operand dst = reg(d);
    return put(c, WW_OP_MOV, WW_T_U32, 1, &dst, 1, &v);
}
static inline ww_inst *finish(code *c)
{
    return put(c, WW_OP_EXIT, WW_T_NONE, 0, NULL, 0, NULL);
}
static inline ww_inst *bar(code *c)
{
    ww_operand src = imm(0);
    ww_inst *i = put(c, WW_OP_BAR, WW_T_NONE, 0, NULL, 1, &src);
    i->sub = WW_SUB_SYNC;
    return i;
}
static inline ww_inst *load_shared(code *c, uint32_t d, uint32_t address)
{
    ww_operand dst = reg(d), src = reg(address);
    ww_inst *i = put(c, WW_OP_LD, WW_T_U32, 1, &dst, 1, &src);
    i->space = WW_SPACE_SHARED;
    return i;
}
/* Address in the register pair a, a+1. */
static inline ww_inst *load_global(code *c, uint32_t d, uint32_t a)
{
    ww_operand dst = reg(d), src = {.kind = WW_OPD_REG, .words = 2, .reg = a};
    ww_inst *i = put(c, WW_OP_LD, WW_T_U32, 1, &dst, 1, &src);
    i->space = WW_SPACE_GLOBAL;
    return i;
}
static inline ww_inst *store_global(code *c, uint32_t a, uint32_t v)
{
    ww_operand src[2] = {{.kind = WW_OPD_REG, .words = 2, .reg = a}, reg(v)};
    ww_inst *i = put(c, WW_OP_ST, WW_T_U32, 0, NULL, 2, src);
    i->space = WW_SPACE_GLOBAL;
    return i;
}

/* The address, in the register pair r, r+1. */
static inline void address_in(code *c, uint32_t r, uint64_t address)
{
    mov(c, r, imm(address & 0xffffffffu));
    mov(c, r + 1, imm(address >> 32));
}

/* if (tid < 8) r`taken` += 1; else r1 += 2. Eight instructions with a last one that the caller puts
 * behind the join, and the exit. */
static inline void diverge(code *c, uint32_t taken)
{
    ww_operand p = pred(0), cmp[2] = {reg(0), imm(8)};
    mov(c, 0, sreg(WW_SREG_TID_X));
    put(c, WW_OP_SETP, WW_T_U32, 1, &p, 2, cmp)->cmp = WW_CMP_LO;
    ww_inst *branch = put(c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL);
    branch->guard = pred(0);
    add(c, 1, 1, 2);
    ww_inst *jump = put(c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL);
    branch->target = c->count;
    add(c, taken, taken, 1);
    branch->reconv = jump->target = jump->reconv = c->count;
}

/* Chains of adds with barriers between, then a load of shared memory and its use: slots lost for
 * every reason that a small kernel has. Of six registers. */
static inline void mix(code *c)
{
    mov(c, 0, sreg(WW_SREG_TID_X));
    for (unsigned i = 0; i < 20; i++) {
        add(c, 1 + i % 3, 1 + i % 3, i);
        if (i % 7 == 0) {
            bar(c);
        }
    }
    load_shared(c, 5, 4);
    add(c, 5, 5, 1);
}

static inline const ww_kernel *as_kernel(code *c, uint32_t registers)
{
    c->kernel = (ww_kernel){.name = "hand",
                            .file = "hand.ptx",
                            .code = c->inst,
                            .code_count = c->count,
                            .registers = registers,
                            .predicates = 4,
                            .shared_bytes = 4096,
                            .lowered = true};
    return &c->kernel;
}

/* A small Fermi: latencies chosen so that sums are easy to follow. */
static inline ww_arch small_arch(void)
{
    ww_arch a = fixture_arch();
    a.chip.compute_capability = 20;
    a.sm.count = 1;
    a.sm.clusters = 1;
    a.sm.max_warps = 48;
    a.sm.max_threads = 1536;
    a.sm.max_ctas = 8;
    a.sm.max_cta_threads = 1024;
    a.sm.registers = 32768;
    a.sm.max_thread_registers = 63;
    a.sm.register_unit = 64;
    a.sm.shared_bytes = 49152;
    a.sm.shared_unit_bytes = 128;
    a.sm.schedulers = 2;
    a.sm.scheduler = WW_SCHED_LRR;
    a.sm.two_level_active = 6;
    a.sm.issue_width = 1;
    a.sm.fetch_warps = 1;
    a.sm.fetch_instructions = 2;
    a.sm.instruction_bytes = 8;
    a.sm.ibuffer_entries = 4;
    a.sm.code_align = 4096;
    a.sm.cta_launch_cycles = 1;
    a.sm.kernel_launch_cycles = 10;
    a.regfile = (ww_regfile_params){.banks = 16,
                                    .collectors = 8,
                                    .sp_collectors = 8,
                                    .sfu_collectors = 4,
                                    .ldst_collectors = 4,
                                    .collector_ports = 2,
                                    .collector_operands = 3};
    a.units.sp_count = 2;
    a.units.sfu_count = 1;
    a.units.ldst_count = 1;
    a.units.int_latency = 10;
    a.units.int_interval = 1;
    a.units.imul_latency = 10;
    a.units.imul_interval = 2;
    a.units.fp32_latency = 10;
    a.units.fp32_interval = 1;
    a.units.sfu_latency = 20;
    a.units.sfu_interval = 8;
    a.units.cvt_latency = 10;
    a.units.cvt_interval = 2;
    a.units.logic_latency = a.units.minmax_latency = a.units.int_latency;
    a.units.logic_interval = a.units.minmax_interval = a.units.int_interval;
    a.units.imad_latency = a.units.imul_latency;
    a.units.imad_interval = a.units.imul_interval;
    a.units.fma_latency = a.units.fp32_latency;
    a.units.fma_interval = a.units.fp32_interval;
    a.units.adiv_latency = a.units.root_latency = a.units.sfu_latency;
    a.units.adiv_interval = a.units.root_interval = a.units.sfu_interval;
    a.units.shuffle_latency = a.units.int_latency;
    a.ldst.queue_entries = 8;
    a.ldst.shared_latency = 24;
    a.ldst.l1_sectors = 1;
    a.l1i = fixture_l1d();
    a.l1i.bytes = 4096;
    a.l1i.hit_latency = 1;
    a.l1i.write_policy = WW_WRITE_NONE;
    a.l1c = a.l1i;
    a.l1c.line_bytes = a.l1c.sector_bytes = 64;
    a.l1t = a.l1i;
    return a;
}

/* One SM with its memory system, driven cycle by cycle. */
typedef struct machine {
    ww_arch arch;
    ww_counter_set counters;
    ww_memsys *memory;
    ww_ports *ports;
    ww_sm *sm;
    ww_devmem *mem;
    ww_launch launch;
    ww_program program;
    ww_arena arena, sm_room; /* of a mechanism's pass */
    const void *notes[2];    /* what each has left */
    uint64_t now;
} machine;

/* Mechanisms on the SM, at most two, their passes run over the kernel. */
static inline void machine_open_mechs(machine *m, const ww_arch *arch, const ww_kernel *kernel,
                                      ww_dim3 block, const ww_mech *const *mech, unsigned mechs)
{
    static const unsigned char no_params[64];
    ww_error err = {0};
    memset(m, 0, sizeof *m);
    m->arch = *arch;
    for (unsigned i = 0; i < mechs; i++) {
        const ww_mech_build build = {.arch = &m->arch, .kernel = kernel, .arena = &m->arena};
        if (mech[i]->pass != NULL) {
            assert_ok(mech[i]->pass(&build, &kernel, &m->notes[i], &err), err);
        }
    }
    assert_ok(ww_counter_set_init(&m->counters, 1, ww_arch_slices(arch), arch->mem.channels, &err),
              err);
    assert_ok(ww_memsys_create(&m->arch, &m->counters, &m->memory, &err), err);
    assert_ok(ww_ports_create(&m->arch, m->memory, false, &m->ports, &err), err);
    assert_ok(ww_devmem_create(&m->mem, &err), err);
    m->launch = (ww_launch){.kernel = kernel,
                            .grid = {1, 1, 1},
                            .block = block,
                            .mem = m->mem,
                            .sm_count = 1,
                            .params = no_params};
    assert_ok(ww_exec_prepare(&m->launch, &err), err);
    assert_ok(ww_program_init(&m->program, kernel, &m->arch, 0, &err), err);
    assert_ok(ww_sm_create(&m->arch, 0, ww_ports_of(m->ports, 0),
                           &m->counters.block[WW_SCOPE_SM][0], &m->sm_room, &m->sm, &err),
              err);
    m->program.notes = m->notes;
    for (unsigned i = 0; i < mechs; i++) {
        assert_ok(ww_sm_attach(m->sm, mech[i], &err), err);
    }
    assert_ok(ww_sm_begin(m->sm, &m->program, &m->launch, 8, &err), err);
}

/* mech: NULL: none. */
static inline void machine_open_block(machine *m, const ww_arch *arch, const ww_kernel *kernel,
                                      ww_dim3 block, const ww_mech *mech)
{
    machine_open_mechs(m, arch, kernel, block, &mech, mech != NULL);
}

static inline void machine_open_with(machine *m, const ww_arch *arch, const ww_kernel *kernel,
                                     uint32_t threads, const ww_mech *mech)
{
    machine_open_block(m, arch, kernel, (ww_dim3){threads, 1, 1}, mech);
}

static inline void machine_open(machine *m, const ww_arch *arch, const ww_kernel *kernel,
                                uint32_t threads)
{
    machine_open_with(m, arch, kernel, threads, NULL);
}

/* The code, ended, on that machine. */
static inline void open_on(machine *m, const ww_arch *arch, code *c, uint32_t registers,
                           uint32_t threads)
{
    finish(c);
    machine_open(m, arch, as_kernel(c, registers), threads);
}

/* The code, ended, on a small_arch. */
static inline void open_small(machine *m, code *c, uint32_t registers, uint32_t threads)
{
    const ww_arch arch = small_arch();
    open_on(m, &arch, c, registers, threads);
}

static inline void machine_close(machine *m)
{
    ww_sm_destroy(m->sm);
    ww_arena_fini(&m->sm_room);
    ww_program_fini(&m->program);
    ww_arena_fini(&m->arena);
    ww_exec_release(&m->launch);
    ww_ports_destroy(m->ports);
    ww_memsys_destroy(m->memory);
    ww_devmem_destroy(m->mem);
    ww_counter_set_fini(&m->counters);
}

static inline uint64_t get(const machine *m, ww_counter c)
{
    return m->counters.block[WW_SCOPE_SM][0].v[c];
}

static inline void cycle(machine *m)
{
    ww_error err = {0};
    ww_pending *effects = ww_sm_pending(m->sm);
    uint64_t stopped;
    assert_ok(ww_sm_run(m->sm, m->now, m->now + 1, true, NULL, 0, &stopped, &err), err);
    m->now++;
    assert_ok(ww_pending_commit(&effects, 1, &err), err);
    ww_ports_collect(m->ports);
    ww_ports_run(m->ports, m->now, true);
    ww_ports_grant_credits(m->ports);
    ww_ports_deliver(m->ports);
    ww_memsys_sync(m->memory);
}

/* Where the first allocation of a machine lies. */
static inline uint64_t first_address(void)
{
    ww_devmem *probe;
    ww_error err = {0};
    uint64_t address;
    assert_ok(ww_devmem_create(&probe, &err), err);
    assert_ok(ww_devmem_alloc(probe, 65536, 256, &address, &err), err);
    ww_devmem_destroy(probe);
    return address;
}

/* The same as code that begins with it, in r and r + 1. */
static inline uint64_t first_address_in(code *c, uint32_t r)
{
    uint64_t address = first_address();
    address_in(c, r, address);
    return address;
}

static inline void allocate(machine *m, uint64_t expected)
{
    ww_error err = {0};
    uint64_t address;
    assert_ok(ww_devmem_alloc(m->mem, 65536, 256, &address, &err), err);
    assert_int_equal(address, expected);
}

/* Ticks until the counter reaches value; the cycle in which it did. */
static inline uint64_t until(machine *m, ww_counter c, uint64_t value)
{
    for (unsigned i = 0; i < 100000; i++) {
        if (get(m, c) >= value) {
            return m->now - 1;
        }
        cycle(m);
    }
    fail_msg("%s stays at %llu", ww_counter_describe(c)->name, (unsigned long long)get(m, c));
    return 0;
}

/* Ticks until `count` instructions have issued; cycles from the first issue to the last. */
static inline uint64_t issues_take(machine *m, uint64_t count)
{
    const uint64_t first = until(m, WW_C_INST_ISSUED, 1);
    return until(m, WW_C_INST_ISSUED, count) - first;
}

static inline void start_cta(machine *m)
{
    ww_error err = {0};
    assert_ok(ww_sm_launch_cta(m->sm, 0, m->now, &err), err);
    m->now++;
}

/* Runs what has been started to its end. */
static inline void run_out(machine *m)
{
    for (unsigned i = 0; ww_sm_pulse_of(m->sm)->ctas > 0; i++) {
        assert_true(i < 100000);
        cycle(m);
    }
}

/* Runs the CTA to its end; cycles of activity. */
static inline uint64_t run_cta(machine *m)
{
    start_cta(m);
    run_out(m);
    return get(m, WW_C_SM_ACTIVE);
}

#endif
