/* build.h - private to perf/ptx: a kernel under construction. */
#ifndef WW_PERF_PTX_BUILD_H
#define WW_PERF_PTX_BUILD_H

#include "perf/ptx/program.h"

/* What one function takes, and where its share begins. */
typedef struct ptx_share {
    uint32_t registers, predicates, spill_bytes;
    uint32_t register_base, predicate_base, spill_base;
    uint32_t *slot;  /* ptx mode: [virtual register] register or predicate number; NULL: already
                        allocated */
    uint32_t *where; /* [instruction]: index in the kernel's code; [inst_count]: the end */
} ptx_share;

typedef struct ptx_builder {
    ptx_program *program;
    ww_kernel *kernel;
    ptx_share *shares; /* [function] */
    uint32_t stage;    /* first of the registers that pass arguments where callee and caller cannot
                          use each other's */
    uint32_t stage_slots; /* of two registers each; two more registers follow */
    uint32_t stack;       /* local address of the first frame of a recursive program */
    ww_code code;
    const unsigned *varying; /* scalarize for such warps (scalar.h); NULL: do not */
    ww_error *err;
} ptx_builder;

WW_NODISCARD ww_status ww__build_no_memory(const ptx_builder *b);
/** Place of a function in the program. */
uint32_t ww__build_position(const ptx_builder *b, const ww_function *f);
/** An operand of a function in the kernel's register numbers. */
ww_operand ww__build_operand(const ptx_share *s, ww_operand o);

/* ---- calls (build_call.c) ---- */
/** Registers for staging and the stack of frames; after all shares are final. */
void ww__build_stage(ptx_builder *b);
/** Code of a call in function `caller`, its operands in the kernel's registers. With out NULL
 * counts its instructions only, operands as the function has them. */
WW_NODISCARD ww_status ww__build_call(ptx_builder *b, uint32_t caller, const ww_inst *call,
                                      ww_inst *out, uint32_t *count);
/** Code through which indirect calls enter candidate k, likewise. */
WW_NODISCARD ww_status ww__build_entry(ptx_builder *b, uint32_t k, ww_inst *out, uint32_t *count);

#endif
