/* regalloc.h - private to register allocation: the interference graph, its coloring, spilling. */
#ifndef WW_PERF_PTX_REGALLOC_REGALLOC_H
#define WW_PERF_PTX_REGALLOC_REGALLOC_H

#include "perf/ptx/analysis/scalar.h"
#include "perf/ptx/lower/lower.h"

enum { WW_MACHINE_PREDICATES = 7 }; /* P0-P6; the eighth encoding means "true" */

/* Which virtual registers are live at the same time. Predicates and general registers never
 * interfere. */
typedef struct ww_interference {
    uint32_t n;      /* virtual registers */
    uint32_t words;  /* 64-bit words per row */
    uint64_t *row;   /* [n][words] */
    uint32_t *first; /* first instruction that defines the register; UINT32_MAX: none */
    double *cost;    /* spill cost: accesses weighted by 10^loop depth */
    uint32_t *hint;  /* register it is copied to or from; UINT32_MAX: none */
} ww_interference;

static inline bool ww__interferes(const ww_interference *g, uint32_t a, uint32_t b)
{
    return (g->row[(size_t)a * g->words + b / 64] >> (b % 64) & 1) != 0;
}

/** Builds the graph of f; heap memory, released by ww__interference_fini. */
WW_NODISCARD ww_status ww__interference_build(ww_function *f, ww_interference *out, ww_error *err);
void ww__interference_fini(ww_interference *g);
/** Keeps apart scalar registers that clash (scalar.h), though no thread has both live. */
void ww__interference_separate(ww_interference *g, const ww_function *f, const ww_scalars *scalars);

/* Registers of a function, numbered: those with a slot per thread first. */
typedef struct ww_allocation {
    uint32_t registers;        /* all numbers in use, scalars' included */
    uint32_t vector_registers; /* with a slot per thread */
    uint32_t scalar_base;      /* first scalar; 0: there is none */
    uint32_t predicates, spill_bytes;
    uint32_t rounds; /* of spilling that it took */
} ww_allocation;

/** As ww_allocate_registers, with scalars in numbers of their own; instructions that one thread may
 * execute keep WW_MOD_ONCE only where all that they name is scalar. @param scalars NULL: none
 * @param arch machine for which loads of spilled registers are scheduled; NULL: they are not */
WW_NODISCARD ww_status ww__allocate_classes(ww_function *f, ww_arena *arena,
                                            uint32_t register_limit, const ww_scalars *scalars,
                                            const ww_arch *arch, ww_allocation *out, ww_error *err);

/** Finds the registers below `count` that are the sign of another word, which is read elsewhere too
 * and has its value still wherever they are read. @param sign_of [count] that word, set for those
 * alone */
WW_NODISCARD ww_status ww__find_signs(const ww_function *f, uint32_t count, ww_operand *sign_of,
                                      ww_error *err);

/** Rewrites f so that the marked registers live in local memory (predicates: in general registers,
 * which are marked as their homes; signs: nowhere). @param spill [spill_count]
 * @param sign_of [spill_count] as of ww__find_signs */
WW_NODISCARD ww_status ww__spill(ww_function *f, ww_arena *arena, const bool *spill,
                                 uint32_t spill_count, const ww_operand *sign_of, ww_error *err);

#endif
