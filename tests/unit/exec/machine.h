/* machine.h - builds small kernels by hand and runs them, for the tests of perf/exec. */
#ifndef WW_TESTS_EXEC_MACHINE_H
#define WW_TESTS_EXEC_MACHINE_H

#include <string.h>

#include "perf/exec/exec.h"
#include "tests/support/inst.h"
#include "tests/support/test.h"

enum { CODE_MAX = 64, OPERANDS_MAX = 1024, MACHINE_REGS = 64, MACHINE_PREDS = 7 };

typedef struct machine {
    ww_kernel kernel;
    ww_inst code[CODE_MAX];
    ww_operand operands[OPERANDS_MAX];
    unsigned operand_count;
    unsigned char params[64];
    ww_launch launch;
    ww_devmem *mem;
    ww_cta cta;
    ww_exec_env env;
    ww_step step;
    ww_error err;
} machine;

static inline ww_operand R(uint32_t r)
{
    return (ww_operand){.kind = WW_OPD_REG, .reg = r, .words = 1};
}
static inline ww_operand RR(uint32_t r)
{
    return (ww_operand){.kind = WW_OPD_REG, .reg = r, .words = 2};
}
static inline ww_operand P(uint32_t p)
{
    return (ww_operand){.kind = WW_OPD_PRED, .reg = p};
}
static inline ww_operand NOT(ww_operand o)
{
    o.flags ^= WW_OPD_NOT;
    return o;
}
static inline ww_operand I(uint64_t v)
{
    return (ww_operand){.kind = WW_OPD_IMM, .imm = v};
}
static inline ww_operand C(uint32_t offset, unsigned words)
{
    return (ww_operand){.kind = WW_OPD_CONST, .imm = offset, .words = (uint8_t)words};
}
static inline ww_operand S(ww_sreg s)
{
    return (ww_operand){.kind = WW_OPD_SREG, .reg = s, .words = 1};
}
static inline ww_operand NONE(void)
{
    return (ww_operand){0};
}

static inline void m_init(machine *m)
{
    memset(m, 0, sizeof *m);
    m->kernel = (ww_kernel){.name = "k",
                            .file = "k.ptx",
                            .code = m->code,
                            .registers = MACHINE_REGS,
                            .predicates = MACHINE_PREDS,
                            .param_bytes = sizeof m->params};
    m->launch = (ww_launch){.kernel = &m->kernel,
                            .grid = {1, 1, 1},
                            .block = {32, 1, 1},
                            .params = m->params,
                            .sm_count = 1};
    assert_ok(ww_devmem_create(&m->mem, &m->err), m->err);
    m->launch.mem = m->mem;
    m->env.launch = &m->launch;
}

static inline void m_fini(machine *m)
{
    ww_cta_fini(&m->cta);
    ww_exec_release(&m->launch);
    ww_devmem_destroy(m->mem);
}

/* Appends an instruction whose line is its index + 1; operands: dsts then srcs. */
static inline ww_inst *m_add(machine *m, ww_op op, ww_type type, unsigned dsts, unsigned srcs, ...)
{
    ww_inst *inst = &m->code[m->kernel.code_count++];
    assert_true(m->kernel.code_count <= CODE_MAX && m->operand_count + dsts + srcs <= OPERANDS_MAX);
    *inst = plain_inst(op, type, dsts, srcs, m->kernel.code_count);
    inst->dst = &m->operands[m->operand_count];
    inst->src = inst->dst + dsts;
    va_list args;
    va_start(args, srcs);
    for (unsigned k = 0; k < dsts + srcs; k++) {
        m->operands[m->operand_count++] = va_arg(args, ww_operand);
    }
    va_end(args);
    return inst;
}

/* Predecodes and creates CTA 0. */
static inline void m_start(machine *m)
{
    assert_ok(ww_exec_prepare(&m->launch, &m->err), m->err);
    assert_ok(ww_cta_init(&m->cta, &m->launch, 0, NULL, &m->err), m->err);
}

static inline uint32_t *m_reg(machine *m, unsigned warp, unsigned reg)
{
    return m->cta.warp[warp].regs + reg * 32;
}

WW_NODISCARD static inline ww_status m_step(machine *m, unsigned warp)
{
    return ww_exec_step(&m->env, &m->cta.warp[warp], &m->step, &m->err);
}

/* Runs one warp to its end, a barrier or an error. */
WW_NODISCARD static inline ww_status m_run(machine *m, unsigned warp)
{
    ww_warp *w = &m->cta.warp[warp];
    for (unsigned n = 0; w->depth > 0 && !w->at_barrier; n++) {
        assert_true(n < 100000);
        ww_status status = m_step(m, warp);
        if (status != WW_OK) {
            return status;
        }
    }
    return WW_OK;
}

/* Deterministic random numbers (xorshift*), good enough for tests. */
static inline uint64_t rnd(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 2685821657736338717ull;
}

#endif
