/* program.h - private to perf/ptx: a kernel (or function) with everything it calls, laid out and
 * translated together. */
#ifndef WW_PERF_PTX_PROGRAM_H
#define WW_PERF_PTX_PROGRAM_H

#include "perf/ptx/parse/ast.h"

/* Collects what cannot be executed instead of stopping at the first. */
typedef struct ptx_problems {
    ww_ptx_problem *list;
    size_t count, capacity;
} ptx_problems;

/** Adds what err says about a function. */
WW_NODISCARD ww_status ww__problems_add(ptx_problems *problems, ww_arena *arena,
                                        const char *function, ww_error *err);

typedef struct ptx_program {
    ww_ptx_module *module;
    ww_arena *arena; /* results: the module's */
    ww_arena scratch;
    ptx_function **function; /* root first, callers before callees */
    ww_function **code;      /* [function], after translation */
    uint32_t count;
    uint32_t *
        position; /* [function index in the module]: place in function[], UINT32_MAX: not reached */
    uint64_t *shared_offset; /* [shared variable] */
    uint64_t shared_bytes;
    bool uses_dynamic_shared;
    uint64_t **local_offset;  /* [function][local variable]: callees' above their callers' */
    uint64_t local_bytes;     /* per thread, the deepest; framed: the kernel's own */
    ptx_function **candidate; /* what an indirect call may reach; none if there is no such call */
    uint32_t candidate_count;
    uint32_t
        *component; /* [function index in the module]: functions that call each other share one */
    bool
        framed; /* there is recursion: device functions keep local variables in frames on a stack */
    uint64_t *frame_bytes;  /* [function]: framed: of local variables */
    uint64_t *param_offset; /* [formal of the root, when it is a kernel] */
    uint64_t param_bytes;
    ptx_problems *problems; /* NULL: stop at the first */
    bool as_written;        /* an instruction of the PTX stays one */
} ptx_program;

/**
 * Finds all functions that `name` calls and lays out their variables.
 * @param problems  NULL, or: link the function alone, and collect what is wrong while translating
 * @error ENOTFOUND, EUNSUP (recursion; too much memory)
 */
WW_NODISCARD ww_status ww__program_link(ww_ptx_module *module, const char *name,
                                        ptx_problems *problems, ptx_program *out, ww_error *err);
/** The same of a function that has a body. */
WW_NODISCARD ww_status ww__program_link_function(ww_ptx_module *module, ptx_function *root,
                                                 ptx_problems *problems, ptx_program *out,
                                                 ww_error *err);
/** Translates every function of the program. */
WW_NODISCARD ww_status ww__program_translate(ptx_program *program, ww_error *err);
/** Releases scratch memory; results stay in the module's arena. */
void ww__program_fini(ptx_program *program);

/** An indirect call. */
static inline bool ww__is_indirect_call(const ptx_inst *inst)
{
    if (inst->form->op != WW_OP_CALL) {
        return false;
    }
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        if (inst->operand[i].kind == PTX_OPD_REG) {
            return true;
        }
        if (inst->operand[i].kind == PTX_OPD_FUNC) {
            return false;
        }
    }
    return false;
}

#endif
