/* ir.h - the instruction form that parser, lowering, executor and timing share, and the kernels
 * made of it. The same struct serves virtual registers (after translation) and allocated ones
 * (after encoding): PTX text -> ww_ptx_module (parse) -> ww_function with virtual registers
 * (translate)
 *            -> [lowering passes] -> ww_kernel with 32-bit register numbers (encode)
 * Depends on: base, isa. Everything lives in the module's arena. */
#ifndef WW_PERF_PTX_IR_H
#define WW_PERF_PTX_IR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/status.h"
#include "isa/effects.h"
#include "isa/isa.h"
#include "isa/sreg.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ww_operand_kind {
    WW_OPD_NONE,   /* absent, or the "_" sink as destination */
    WW_OPD_REG,    /* general register(s): `words` consecutive 32-bit registers from `reg` */
    WW_OPD_PRED,   /* predicate register `reg`; WW_OPD_NOT inverts */
    WW_OPD_IMM,    /* immediate: `imm` holds the bit pattern, sign- or zero-extended to 64 bits as
                      written */
    WW_OPD_CONST,  /* constant-bank operand: kernel parameter block, byte offset `imm`, `words`
                      32-bit words */
    WW_OPD_SREG,   /* special register `reg` (ww_sreg) */
    WW_OPD_SHARED, /* word of shared memory at register `reg` (words = 1), or at 0 (words = 0), +
                      `imm`: a load folded into the instruction that reads it */
} ww_operand_kind;

enum {
    WW_OPD_NOT = 1, /* predicate inverted */
    WW_OPD_NEG = 2, /* arithmetic negation of the value before use (lowered FP/int operands) */
    WW_OPD_ABS = 4, /* absolute value before use; applied before NEG */
    /* Of packed halves: both are this half of the word; before ABS and NEG. */
    WW_OPD_LOWER = 8,
    WW_OPD_UPPER = 16,
};

typedef struct ww_operand {
    uint8_t kind;  /* ww_operand_kind */
    uint8_t flags; /* WW_OPD_* */
    uint8_t words; /* REG, CONST: 1 (<= 32 bit), 2 (64 bit) or 4 (128 bit) */
    uint8_t part;  /* before register allocation, of a 64-bit REG: 0 whole, 1 low word, 2 high word
                      (then words = 1) */
    uint32_t
        reg; /* virtual id, later 32-bit register number; PRED: predicate number; SREG: ww_sreg */
    uint64_t imm;
} ww_operand;

#define WW_NO_TARGET UINT32_MAX

/* One instruction. Memory address = src[0] + offset (src[0].kind NONE: offset alone). */
typedef struct ww_inst {
    uint16_t op;       /* ww_op */
    uint8_t type;      /* ww_type of the operation (destination type for cvt, set) */
    uint8_t type2;     /* ww_type of the source where it differs (cvt, set, slct), else NONE */
    uint32_t mods;     /* WW_MOD_* */
    uint8_t sub;       /* ww_sub */
    uint8_t cmp;       /* ww_cmp for setp, set */
    uint8_t bool_op;   /* ww_bool_op for setp, set: combined with predicate src[2] */
    uint8_t round;     /* ww_round */
    uint8_t space;     /* ww_space for memory operations, cvta, isspacep */
    uint8_t vec;       /* elements of a vector ld/st (1, 2, 4, 8); 1 otherwise */
    uint8_t dst_count; /* operands in dst */
    uint8_t src_count; /* operands in src */
    uint32_t target;   /* bra: instruction index; call: instruction index of the callee's first
                          instruction */
    uint32_t reconv;   /* bra: index of the immediate post-dominator; WW_NO_TARGET: function exit */
    uint32_t line;     /* PTX line, 1-based */
    uint32_t folded_line;  /* of the load that its WW_OPD_SHARED was; 0: it has none */
    ww_operand guard;      /* PRED or NONE */
    ww_operand *dst;       /* arena */
    ww_operand *src;       /* arena */
    int64_t offset;        /* displacement of memory operations */
    const uint32_t *table; /* brx: target instruction indices */
    uint32_t table_count;
    uint8_t tile, layout;   /* matrix operations: ww_tile, WW_LAYOUT_* */
    uint8_t type_b, type_c; /* mma: types of B and C (type: D, type2: A) */
} ww_inst;

/** Whether a product of a warp group is known to begin a sum (scale-d is false): it reads no D. */
static inline bool ww_inst_begins_sum(const ww_inst *inst)
{
    if (inst->op != WW_OP_WGMMA) {
        return false;
    }
    const ww_operand *scale = &inst->src[inst->src_count - 1];
    return scale->kind == WW_OPD_IMM && scale->imm == 0;
}

/** The source that is a word of shared memory; NULL: none is. There is one at most. */
static inline const ww_operand *ww_inst_folded(const ww_inst *inst)
{
    for (unsigned k = 0; inst->folded_line != 0 && k < inst->src_count; k++) {
        if (inst->src[k].kind == WW_OPD_SHARED) {
            return &inst->src[k];
        }
    }
    return NULL;
}

/** 32-bit registers that an operand names, from o->reg on: its own, or the base of its address. */
static inline uint32_t ww_operand_registers(const ww_operand *o)
{
    return o->kind == WW_OPD_REG || o->kind == WW_OPD_SHARED ? o->words : 0;
}

/** A call that the host answers: sub says which, dst and src are its results and arguments. */
static inline bool ww_inst_is_builtin(const ww_inst *inst)
{
    return inst->op == WW_OP_CALL && ww_sub_is_builtin((ww_sub)inst->sub);
}

/** What the instruction does besides its meaning: ww_op_effects with what its operands change. A
 * result that nobody takes is not written; reading the time is to stay where it stands. */
static inline ww_effects ww_inst_effects(const ww_inst *inst)
{
    ww_effects e =
        ww_op_effects((ww_op)inst->op, (ww_space)inst->space, (ww_sub)inst->sub, inst->mods);
    if (inst->dst_count == 0) {
        e.writes &= ~(uint32_t)WW_AT_VALUES;
    }
    for (unsigned k = 0; k < inst->src_count; k++) {
        if (inst->src[k].kind == WW_OPD_SHARED) {
            e.reads |= WW_AT_SHARED;
        }
        if (inst->src[k].kind == WW_OPD_SREG &&
            ww_sreg_kind_of((ww_sreg)inst->src[k].reg) == WW_SREG_KIND_TIME) {
            e.reads |= WW_AT_CLOCK;
            e.may &= WW_MAY_GUARDED;
        }
    }
    return e;
}

/* A virtual register. */
typedef struct ww_vreg {
    uint8_t type;  /* declared ww_type; PRED for predicates */
    uint8_t words; /* 32-bit registers it needs; 0 for predicates */
    bool home;     /* holds a spilled predicate */
    bool brief;    /* computed to be saved at once, under the same condition */
} ww_vreg;

/* A kernel or device function in virtual registers. Branch targets are indices into inst[]. */
typedef struct ww_function {
    const char *name;
    bool is_kernel;
    ww_inst *inst;
    uint32_t inst_count, inst_capacity;
    ww_vreg *vreg;
    uint32_t vreg_count, vreg_capacity;
    uint32_t local_bytes;   /* .local variables of this function, per thread */
    ww_operand *formal_in;  /* device function: virtual registers that receive the arguments, in
                               order of (param, word) */
    ww_operand *formal_out; /* virtual registers that hold the results at ret */
    uint32_t formal_in_count, formal_out_count;
    struct ww_function *
        *callee; /* functions that its CALLs name; CALL.target indexes this before encoding */
    uint32_t callee_count;
    uint32_t line;
} ww_function;

typedef struct ww_param {
    const char *name;
    uint32_t offset, bytes, align; /* within the parameter block */
} ww_param;

/* A device function that an indirect call may reach. */
typedef struct ww_entry {
    uint64_t address; /* as kernels see it */
    uint32_t pc;
} ww_entry;

/* Where PTX comes from, as its .file and .loc directives say. */
typedef struct ww_source_line {
    uint32_t ptx_line;   /* from here to the next entry */
    uint32_t file, line; /* file 0: not known */
    uint32_t column;
    const char *label; /* in .debug_str, of the function that was inlined; NULL: the kernel's own */
    uint32_t offset;   /* from the label */
    uint32_t at_file, at_line, at_column; /* the call that was replaced; of an inlined one */
} ww_source_line;

/* Bytes behind a label of .debug_str: texts that each end in a 0. */
typedef struct ww_debug_text {
    const char *label, *text;
    size_t length;
} ww_debug_text;

typedef struct ww_source_file {
    uint32_t number;
    const char *name;
} ww_source_file;

typedef struct ww_source_map {
    ww_source_line *line; /* by ascending ptx_line */
    ww_source_file *file;
    uint32_t line_count, line_capacity;
    uint32_t file_count, file_capacity;
    ww_debug_text *name; /* of .debug_str */
    uint32_t name_count, name_capacity;
} ww_source_map;

/* What a mechanism's pass makes of an instruction in time. What it computes stays as it is. */
typedef struct ww_inst_shape {
    bool absent;     /* takes no place in the code: no fetch, no issue, no time */
    bool addressed;  /* its addresses come from elsewhere: no address generation, no coalescing */
    uint16_t unread; /* bit i: src[i] is not read from registers; WW_UNREAD_GUARD: the guard */
} ww_inst_shape;
#define WW_UNREAD_GUARD 0x8000u

/* A kernel ready to execute: its code and that of the functions it calls in one array. */
typedef struct ww_kernel {
    const char *name;
    const char *file; /* PTX source name for messages */
    ww_inst *code;    /* registers are 32-bit register numbers; entry at 0 */
    uint32_t code_count;
    uint32_t registers;        /* 32-bit registers per thread */
    uint32_t scalar_base;      /* registers from here on hold one value per warp; 0: none does */
    uint32_t vector_registers; /* of those below, used ones; the others have a slot per thread */
    uint32_t pool_registers;   /* of a thread at launch, where setmaxnreg gives back and takes; 0:
                                  it does nothing */
    uint32_t plain_registers;  /* of a scalarized kernel: registers per thread without that */
    uint32_t predicates;       /* predicate registers per thread */
    uint32_t spill_bytes;      /* of local_bytes, what register allocation spilled, */
    uint32_t spill_at;         /* and where that begins, behind the program's variables */
    uint32_t local_bytes;      /* per thread, spills included */
    uint32_t shared_bytes;     /* static shared memory */
    bool uses_dynamic_shared;  /* extern .shared: dynamic part starts at shared_bytes */
    uint32_t param_bytes;
    ww_param *params;
    uint32_t param_count;
    uint32_t max_threads;   /* .maxntid product; 0: none */
    uint32_t cluster[3];    /* .reqnctapercluster: CTAs of a cluster; 0: the launch says */
    uint32_t max_cluster;   /* .maxclusterrank: most CTAs of a cluster; 0: none */
    uint32_t ptx_registers; /* of the unlowered stream, for comparison */
    bool lowered;
    bool narrow;           /* global addresses are 32 bits: what lies above 4 GiB cannot be named */
    const ww_entry *entry; /* by ascending address */
    uint32_t entry_count;
    const ww_source_map *source; /* of its module; NULL: none */
    const ww_inst_shape *shape;  /* [code_count]; NULL: every instruction as it stands */
} ww_kernel;

/* ---- building instructions (ir.c) ---- */
ww_operand ww_opd_reg(uint32_t reg, unsigned words);
ww_operand ww_opd_pred(uint32_t reg, bool inverted);
ww_operand ww_opd_imm(uint64_t bits);
ww_operand ww_opd_const(uint32_t offset, unsigned words);
ww_operand ww_opd_sreg(ww_sreg sreg);
/** A word of shared memory: base is a register of one word, or of no kind. */
ww_operand ww_opd_shared(ww_operand base, int64_t offset);
/** New virtual register; UINT32_MAX when out of memory. */
uint32_t ww_function_new_vreg(ww_function *f, ww_arena *arena, ww_type type);
/** A blank instruction with room for operands in the arena; false when out of memory. */
bool ww__inst_init(ww_inst *inst, ww_arena *arena, ww_op op, ww_type type, unsigned dsts,
                   unsigned srcs);
/** Appends a zeroed instruction with room for operands; NULL when out of memory. Valid until the
 * next append. */
ww_inst *ww_function_append(ww_function *f, ww_arena *arena, ww_op op, ww_type type, unsigned dsts,
                            unsigned srcs);
/** True for instructions whose src[0] and offset form a memory address. */
bool ww_inst_has_address(const ww_inst *inst);
/** One instruction as text ("@!p1 ld.global.f32 r4, [r2+16]"), for listings and messages. Returns
 * buf. */
char *ww_inst_format(const ww_inst *inst, char *buf, size_t size);

#ifdef __cplusplus
}
#endif
#endif
