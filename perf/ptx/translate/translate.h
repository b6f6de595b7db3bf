/* translate.h - private to perf/ptx: state of the translation of one function, and what its files
 * share. */
#ifndef WW_PERF_PTX_TRANSLATE_TRANSLATE_H
#define WW_PERF_PTX_TRANSLATE_TRANSLATE_H

#include "perf/ptx/program.h"

enum { PTX_MAX_VECTOR = 8 };

/* The virtual registers that carry a .param variable of a device function or of a call. */
typedef struct ptx_pieces {
    uint32_t *vreg; /* scalar: one; array: one per 32-bit word */
    uint32_t count; /* 0: not laid out yet */
    bool is_array;
} ptx_pieces;

/* A destination wider than its instruction's result: the result goes to `from` first. */
typedef struct ptx_widening {
    ww_operand to, from;
    ww_type type;
} ptx_widening;

typedef struct ptx_translator {
    ptx_program *program;
    const ptx_function *func;
    uint32_t position; /* of the function in the program */
    ww_function *out;
    const ptx_inst *inst; /* being translated */
    bool skipped;      /* where its guard is false, by a branch: what it becomes needs no guard */
    uint32_t *vreg;    /* [register]: virtual register, UINT32_MAX: not used yet */
    ptx_pieces *param; /* [.param variable] */
    ww_operand frame;  /* register with the address of the function's frame; NONE: there is none */
    uint32_t carry;    /* virtual predicate of the condition code, UINT32_MAX: none yet */
    ww_op carry_from;  /* what wrote it last in the text; 0: nothing yet */
    uint32_t *start;   /* [instruction]: index of its first translated instruction */
    ptx_widening widening[PTX_MAX_VECTOR];
    uint32_t widening_count;
    ww_error *err;
} ptx_translator;

/* ---- messages: located at the operand or, with NULL, at the instruction ---- */
WW_NODISCARD ww_status ww__translate_unsupported(ptx_translator *t, const ptx_operand *o,
                                                 const char *fmt, ...) WW_PRINTF(3, 4);
WW_NODISCARD ww_status ww__translate_malformed(ptx_translator *t, const ptx_operand *o,
                                               const char *fmt, ...) WW_PRINTF(3, 4);
WW_NODISCARD ww_status ww__translate_no_memory(ptx_translator *t);
WW_NODISCARD ww_status ww__translate_report(ptx_translator *t, ww_status code, const ptx_operand *o,
                                            const char *text);

/* ---- emission (emit.c) ---- */
/** Appends an instruction with the current guard and line; the pointer is valid until the next one.
 */
WW_NODISCARD ww_status ww__translate_emit(ptx_translator *t, ww_op op, ww_type type, unsigned dsts,
                                          unsigned srcs, ww_inst **out);
/** The same with everything the current form says. */
WW_NODISCARD ww_status ww__translate_emit_form(ptx_translator *t, unsigned dsts, unsigned srcs,
                                               ww_inst **out);
WW_NODISCARD ww_status ww__translate_new(ptx_translator *t, ww_type type, ww_operand *out);

/* ---- operands (operand.c) ---- */
/** Checks that the instruction has from `least` to `most` operands. */
WW_NODISCARD ww_status ww__translate_count(ptx_translator *t, uint32_t least, uint32_t most);
WW_NODISCARD ww_status ww__translate_source(ptx_translator *t, const ptx_operand *o, ww_type type,
                                            ww_operand *out);
WW_NODISCARD ww_status ww__translate_predicate(ptx_translator *t, const ptx_operand *o,
                                               ww_operand *out);
/** Destination of a type; a wider register is filled by an instruction after the current one. */
WW_NODISCARD ww_status ww__translate_destination(ptx_translator *t, const ptx_operand *o,
                                                 ww_type type, ww_operand *out);
WW_NODISCARD ww_status ww__translate_predicate_destination(ptx_translator *t, const ptx_operand *o,
                                                           ww_operand *out);
/** Base and displacement of "[…]" in that space. */
WW_NODISCARD ww_status ww__translate_address(ptx_translator *t, const ptx_operand *o,
                                             ww_space *space, ww_operand *base, int64_t *offset);
/** The elements of a vector operand; an operand without braces is one element. */
WW_NODISCARD ww_status ww__translate_elements(ptx_translator *t, const ptx_operand *o,
                                              const ptx_operand **list, uint32_t *count);
/** Base and displacement of a memory operand into src[0], offset and space of inst. */
WW_NODISCARD ww_status ww__translate_set_address(ptx_translator *t, const ptx_operand *o,
                                                 ww_inst *inst);
/** Address of a variable as a number, in the variable's own space. */
WW_NODISCARD ww_status ww__translate_variable(ptx_translator *t, const ptx_operand *o,
                                              uint64_t *out);
/** The condition code of .cc and addc. */
WW_NODISCARD ww_status ww__translate_carry(ptx_translator *t, ww_operand *out);

/* ---- instructions ---- */
WW_NODISCARD ww_status ww__translate_mov(ptx_translator *t);
WW_NODISCARD ww_status ww__translate_memory(ptx_translator *t); /* ld, st, atom, red, prefetch */
WW_NODISCARD ww_status ww__translate_call(ptx_translator *t);
WW_NODISCARD ww_status ww__translate_barrier(ptx_translator *t); /* bar, barrier */
WW_NODISCARD ww_status ww__translate_vote(ptx_translator *t);
WW_NODISCARD ww_status ww__translate_shuffle(ptx_translator *t);
WW_NODISCARD ww_status ww__translate_match(ptx_translator *t);
WW_NODISCARD ww_status ww__translate_copy(ptx_translator *t); /* cp.async, ldmatrix */
WW_NODISCARD ww_status ww__translate_mbarrier(ptx_translator *t);
WW_NODISCARD ww_status ww__translate_copy_arrive(ptx_translator *t); /* cp.async.mbarrier.arrive */
WW_NODISCARD ww_status ww__translate_texture(ptx_translator *t);     /* tex, suld, sust, txq, suq */
WW_NODISCARD ww_status ww__translate_matrix(ptx_translator *t);      /* wmma, mma */
WW_NODISCARD ww_status
ww__translate_bulk(ptx_translator *t); /* cp.async.bulk, st.async, red.async */
WW_NODISCARD ww_status ww__translate_cluster(ptx_translator *t); /* mapa, elect, createpolicy, … */
WW_NODISCARD ww_status ww__translate_pending_count(ptx_translator *t);
WW_NODISCARD ww_status
ww__translate_tensor(ptx_translator *t); /* cp.async.bulk.tensor and its like */
WW_NODISCARD ww_status
ww__translate_tensormap(ptx_translator *t); /* tensormap.replace, .cp_fenceproxy */
WW_NODISCARD ww_status ww__translate_wgmma(ptx_translator *t);
/** A shared address as one 32-bit value. */
WW_NODISCARD ww_status ww__translate_shared_address(ptx_translator *t, const ptx_operand *o,
                                                    ww_operand *out);
/** Checks the number of operands, *count; with .L2::cache_hint there is one more, a policy. */
WW_NODISCARD ww_status ww__translate_count_policy(ptx_translator *t, uint32_t least, uint32_t most,
                                                  uint32_t *count);
WW_NODISCARD ww_status ww__translate_video(ptx_translator *t); /* vadd and its like, cvt.pack */
/** ld.param and st.param on what is not a kernel parameter. *taken: it was one. */
WW_NODISCARD ww_status ww__translate_param_access(ptx_translator *t, bool *taken);
WW_NODISCARD ww_status ww__translate_formals(ptx_translator *t);

#endif
