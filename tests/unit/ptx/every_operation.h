/* every_operation.h - one instruction of every operation of the table, in each state space that an
 * address can name, and of one that the table does not have, for those who treat operations
 * differently. */
#ifndef WW_TESTS_UNIT_PTX_EVERY_OPERATION_H
#define WW_TESTS_UNIT_PTX_EVERY_OPERATION_H

#include "perf/ptx/ir.h"
#include "tests/support/machine_fixture.h"
#include "tests/support/test.h"

enum { WORD = 10, FIRST_PAIR = 20, FIRST_PREDICATE = 30, REGISTERS = 40, SOURCES = 4 };

static const ww_space every_space[] = {WW_SPACE_GENERIC, WW_SPACE_GLOBAL, WW_SPACE_SHARED,
                                       WW_SPACE_LOCAL};

/* A function under construction, and the instruction that is put to the consumers. */
typedef struct body {
    ww_arena arena;
    ww_arch arch;
    ww_vreg reg[REGISTERS];
    ww_function f;
    ww_op op;
    ww_space space;
} body;

static inline void begin(body *b, unsigned op, ww_space space)
{
    *b = (body){.op = (ww_op)op, .space = space, .arch = fixture_machine(75)};
    for (unsigned r = 0; r < REGISTERS; r++) {
        b->reg[r] = r >= FIRST_PREDICATE ? (ww_vreg){.type = WW_T_PRED}
                    : r >= FIRST_PAIR    ? (ww_vreg){.type = WW_T_B64, .words = 2}
                                         : (ww_vreg){.type = WW_T_B32, .words = 1};
    }
    b->f = (ww_function){.name = "k",
                         .is_kernel = true,
                         .vreg = b->reg,
                         .vreg_count = REGISTERS,
                         .vreg_capacity = REGISTERS};
}

static inline void end(body *b)
{
    ww_arena_fini(&b->arena);
}

static inline ww_inst *add(body *b, unsigned op, unsigned dsts, unsigned srcs)
{
    ww_inst *inst = ww_function_append(&b->f, &b->arena, (ww_op)op, WW_T_U32, dsts, srcs);
    assert_non_null(inst);
    inst->line = b->f.inst_count;
    inst->target = inst->reconv = WW_NO_TARGET;
    for (unsigned k = 0; k < srcs; k++) {
        inst->src[k] = ww_opd_reg(k + 1, 1);
    }
    return inst;
}

static inline ww_effects effects_of(const body *b)
{
    return ww_op_effects(b->op, b->space, WW_SUB_NONE, 0);
}

static inline ww_inst *add_subject(body *b)
{
    ww_effects e = effects_of(b);
    bool results = (e.writes & WW_AT_VALUES) != 0;
    bool predicate = results && (e.writes & WW_AT_REGISTERS) == 0;
    ww_inst *inst = add(b, b->op, results ? 1 : 0, SOURCES);
    inst->space = (uint8_t)b->space;
    inst->src[0] = ww_opd_reg(FIRST_PAIR, 2);
    if (results) {
        inst->dst[0] = predicate ? ww_opd_pred(FIRST_PREDICATE + 1, false) : ww_opd_reg(WORD, 1);
    }
    return inst;
}

/* A load into, or a store from, register `word` at a constant address. */
static inline void add_access(body *b, bool store, ww_space space, uint32_t word, int64_t offset)
{
    ww_inst *inst = add(b, store ? WW_OP_ST : WW_OP_LD, store ? 0 : 1, store ? 2 : 1);
    inst->space = (uint8_t)space;
    inst->src[0] = (ww_operand){0};
    inst->offset = offset;
    *(store ? &inst->src[1] : &inst->dst[0]) = ww_opd_reg(word, 1);
}

static inline void add_exit(body *b)
{
    (void)add(b, WW_OP_EXIT, 0, 0);
}

static inline const char *name_of(const body *b)
{
    return b->op < WW_OP_COUNT ? ww_op_name(b->op) : "an unknown operation";
}

/* Asks a question about every operation in every space; `asked` begins and ends its body. */
static inline void of_each(void (*asked)(body *b))
{
    for (unsigned op = 0; op <= WW_OP_COUNT; op++) {
        for (size_t s = 0; s < sizeof every_space / sizeof *every_space; s++) {
            body b;
            begin(&b, op, every_space[s]);
            asked(&b);
            end(&b);
        }
    }
}

/* That instruction and an exit behind what there is already. */
static inline ww_kernel kernel_of(body *b)
{
    ww_inst *subject = add_subject(b);
    subject->target = b->f.inst_count; /* where it has one */
    add_exit(b);
    return (ww_kernel){.name = "k",
                       .file = "k.ptx",
                       .code = b->f.inst,
                       .code_count = b->f.inst_count,
                       .registers = FIRST_PAIR + 2,
                       .predicates = 2,
                       .shared_bytes = 1024,
                       .local_bytes = 16,
                       .lowered = true};
}

#endif
