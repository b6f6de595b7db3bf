/* lower.h - private to the lowering passes: rewriting context, instruction builders, 64-bit halves,
 * def counts. */
#ifndef WW_PERF_PTX_LOWER_LOWER_H
#define WW_PERF_PTX_LOWER_LOWER_H

#include "arch/arch.h"
#include "perf/ptx/ir.h"
#include "perf/ptx/ptx.h"

/* One rewriting pass over a function: reads f->inst, writes `out`, then takes its place. */
typedef struct ww_rewriter {
    ww_function *f;
    ww_arena *arena;
    const ww_arch *arch;
    ww_inst *out;
    uint32_t count, capacity;
    const ww_inst *cur; /* instruction being rewritten: gives line and guard to what is emitted */
    bool out_of_memory; /* emission failed; the pass ends with WW_ENOMEM */
    ww_inst scratch;    /* takes the writes of a failed emission */
    ww_operand scratch_operand[16];
} ww_rewriter;

/* Rewrites the current instruction: emits its replacement, or returns false to keep it as it is. */
typedef bool ww_lower_rule(ww_rewriter *l, const ww_inst *inst);

/** Applies a rule to every instruction and remaps branch targets. */
WW_NODISCARD ww_status ww__lower_rewrite(ww_function *f, ww_arena *arena, const ww_arch *arch,
                                         ww_lower_rule *rule, ww_error *err);
/** Marks an instruction that ww__lower_drop_rule leaves out: a nop of no elements, which no program
 * has. */
static inline void ww__lower_mark_dropped(ww_inst *inst)
{
    inst->op = WW_OP_NOP;
    inst->vec = 0;
}
ww_lower_rule ww__lower_drop_rule;
/* Forms that no machine has: division, 64-bit integers. */
ww_lower_rule ww__lower_expand;

/** Ends a pass: remaps branch targets by where[old index] = new index and installs the new
 * instructions. */
WW_NODISCARD ww_status ww__rewriter_finish(ww_rewriter *l, const uint32_t *where, ww_error *err);

/* ---- emission; the result is valid until the next emission and never NULL ---- */
ww_inst *ww__emit(ww_rewriter *l, ww_op op, ww_type type, unsigned dsts, unsigned srcs);
ww_inst *ww__emit_copy(ww_rewriter *l, const ww_inst *inst);
ww_inst *ww__emit1(ww_rewriter *l, ww_op op, ww_type type, ww_operand d, ww_operand a);
ww_inst *ww__emit2(ww_rewriter *l, ww_op op, ww_type type, ww_operand d, ww_operand a,
                   ww_operand b);
ww_inst *ww__emit3(ww_rewriter *l, ww_op op, ww_type type, ww_operand d, ww_operand a, ww_operand b,
                   ww_operand c);
/** New virtual register as an operand. */
ww_operand ww__new_reg(ww_rewriter *l, ww_type type);
ww_operand ww__new_pred(ww_rewriter *l);

/** Low or high 32-bit word of a 64-bit operand (register, immediate or constant). */
ww_operand ww__lo(ww_operand o);
ww_operand ww__hi(ww_operand o);

/** True when the operand names a virtual register, general or predicate, if only as the base of an
 * address. */
static inline bool ww__is_register(ww_operand o)
{
    return o.kind == WW_OPD_REG || o.kind == WW_OPD_PRED ||
           (o.kind == WW_OPD_SHARED && o.words > 0);
}
/* Whether one of its results is the virtual register; predicates are numbered among them. */
static inline bool ww__writes(const ww_inst *inst, uint32_t reg)
{
    for (unsigned k = 0; k < inst->dst_count; k++) {
        if (ww__is_register(inst->dst[k]) && inst->dst[k].reg == reg) {
            return true;
        }
    }
    return false;
}

static inline ww_operand ww__neg(ww_operand o)
{
    o.flags ^= WW_OPD_NEG;
    return o;
}
static inline ww_operand ww__f32(uint32_t bits)
{
    return ww_opd_imm(bits);
}

/* ---- definitions and values ---- */
/* Counts and known values are kept per (register, part): index 3*reg + part. */
typedef struct ww_defs {
    uint32_t *count; /* definitions of the part; a whole definition counts for all three */
    uint32_t *inst;  /* the last defining instruction */
    bool *breaks;    /* [instruction]: control enters here, or the instruction before may leave */
    uint32_t once;   /* instructions [0, once) run exactly once */
    uint32_t *uses;  /* reads of the part; a whole read counts for all three */
} ww_defs;

static inline size_t ww__part_index(ww_operand o)
{
    return (size_t)o.reg * 3 + o.part;
}
WW_NODISCARD ww_status ww__defs_build(const ww_function *f, ww_arena *arena, ww_defs *out,
                                      ww_error *err);
/** True when the register part is defined exactly once, by an unguarded instruction. */
bool ww__single_def(const ww_function *f, const ww_defs *defs, ww_operand o);

/** True when, wherever the value that instruction `at` computes from o is read, o itself still
 * holds what `at` read: o is defined once, either in code that runs once, or in the same straight
 * stretch as `at` and before it. (A register that is only defined under a condition inside a loop
 * may be read iterations later, when its source has moved on.) */
bool ww__keeps_step(const ww_function *f, const ww_defs *defs, ww_operand o, uint32_t at);

/* ---- liveness rules (liveness.c) ---- */
/** Definitions of each register, by register number. The value that a guarded definition may leave
 * in place counts as one more, unless nothing reads the register outside the stretch under that
 * guard. */
WW_NODISCARD ww_status ww__count_definitions(const ww_function *f, ww_arena *arena, uint32_t *count,
                                             ww_error *err);
/** True when nothing of the register's former value survives the definition: it is unguarded, or
 * the only one counted; of a pair, the low word is always written first, so that the low word ends
 * the old value and the high word does not. */
bool ww__definition_kills(const ww_inst *inst, ww_operand d, uint32_t definitions);
/** From what is live behind an instruction, in 64-bit words, to what is before it. */
void ww__live_before(const ww_inst *inst, const uint32_t *definitions, uint64_t *live);

/* ---- passes, in their order ---- */
WW_NODISCARD ww_status ww__lower_loads_of_params(ww_function *f, ww_arena *arena,
                                                 const ww_arch *arch, ww_error *err);
WW_NODISCARD ww_status ww__lower_propagate(ww_function *f, ww_arena *arena, ww_error *err);
WW_NODISCARD ww_status ww__lower_addresses(ww_function *f, ww_arena *arena, const ww_arch *arch,
                                           ww_error *err);
WW_NODISCARD ww_status ww__lower_fuse(ww_function *f, ww_arena *arena, const ww_arch *arch,
                                      ww_error *err);
/** Lays out loops of one block with a known number of rounds; *changed: there were some. */
WW_NODISCARD ww_status ww__unroll(ww_function *f, ww_arena *arena, const ww_arch *arch,
                                  bool *changed, ww_error *err);
/** Computes what depends on constants alone. */
WW_NODISCARD ww_status ww__fold_constants(ww_function *f, ww_arena *arena, ww_error *err);
/** Joins loads of neighbouring words of shared memory; after addresses are folded. */
WW_NODISCARD ww_status ww__widen_shared_loads(ww_function *f, ww_arena *arena, const ww_arch *arch,
                                              ww_error *err);
/** Loads of shared memory do not move across this: what writes there, orders accesses, waits, reads
 * the time, or is where threads meet, which may have written before. */
bool ww__holds_shared_loads(const ww_inst *inst);
bool ww__lower_int64(ww_rewriter *l, const ww_inst *inst);
bool ww__lower_division(ww_rewriter *l, const ww_inst *inst);
WW_NODISCARD ww_status ww__lower_legalize(ww_function *f, ww_arena *arena, const ww_arch *arch,
                                          ww_error *err);
/** Products of warp groups that begin a sum read none, and what they would have read is not set. */
WW_NODISCARD ww_status ww__lower_unread_sums(ww_function *f, ww_arena *arena, ww_error *err);
/** Pairs of one half are operands of what reads them. */
WW_NODISCARD ww_status ww__lower_halves(ww_function *f, ww_arena *arena, ww_error *err);
/** Numbers are not set where their registers hold them already. */
WW_NODISCARD ww_status ww__lower_held(ww_function *f, ww_arena *arena, ww_error *err);
WW_NODISCARD ww_status ww__if_convert(ww_function *f, ww_arena *arena, const ww_arch *arch,
                                      ww_error *err);
WW_NODISCARD ww_status ww__remove_dead(ww_function *f, ww_arena *arena, ww_error *err);

/* ---- passes of gt200 alone, in their order (gt200.c) ---- */
WW_NODISCARD ww_status ww__lower_gt200(ww_function *f, ww_arena *arena, const ww_arch *arch,
                                       ww_error *err);
/** The fusion of a machine without scaled sums: what is shifted stays where it is. */
WW_NODISCARD ww_status ww__lower_fuse_products(ww_function *f, ww_arena *arena, const ww_arch *arch,
                                               ww_error *err);
/** Leaves the low words of addresses alone: what their high words take is dead then. */
WW_NODISCARD ww_status ww__narrow(ww_function *f, ww_arena *arena, ww_error *err);
/** Results that carry out of a sum where nobody takes the carry: only the sum is left. */
WW_NODISCARD ww_status ww__drop_carries(ww_function *f, ww_arena *arena, ww_error *err);
/** Takes apart what the machine has no instruction for. */
ww_lower_rule ww__gt200_rule;
/** Constant summands move into the displacement of accesses to shared and local memory. */
WW_NODISCARD ww_status ww__lower_near_addresses(ww_function *f, ww_arena *arena, ww_error *err);
/** Displacements of accesses to global memory, which that machine does not have, become sums. */
WW_NODISCARD ww_status ww__undo_displacements(ww_function *f, ww_arena *arena, ww_error *err);
/** Bases of shared and local memory go to offset registers. */
WW_NODISCARD ww_status ww__offset_registers(ww_function *f, ww_arena *arena, ww_error *err);
/** Whether an operand at that distance from `base` is within reach of an offset register that holds
 * it: 31 words (envytools: 5 bits, counted in words). */
static inline bool ww__in_window(int64_t base, int64_t offset)
{
    return offset >= base && offset - base <= 31 * 4 && (offset - base) % 4 == 0;
}
/** Loads of shared memory move into the instructions that read them; volatile ones if asked. */
WW_NODISCARD ww_status ww__fold_operands(ww_function *f, ww_arena *arena, bool volatiles,
                                         ww_error *err);

/** What the ptxas of newer machines is seen to do (compute capability 7.5, CUDA 13; 7.0,
 * CUDA 11.8); what that of older ones did could not be checked. */
bool ww__is_recent(const ww_arch *arch);

/** Loads the sizes of parameter + index * size into registers, once per block. */
WW_NODISCARD ww_status ww__lower_scales(ww_function *f, ww_arena *arena, const ww_arch *arch,
                                        ww_error *err);

/** True when source i of the instruction may be an immediate or constant-bank operand o in machine
 * code. */
bool ww__source_may_be(const ww_inst *inst, unsigned i, ww_operand o);

#endif
