/* affine.h - which values of a kernel are the same for all threads, or a linear combination of
 * thread and block indices: the compile-time analysis of Wang and Lin, "Decoupled Affine
 * Computation for SIMT GPUs" (ISCA 2017, sections 4.4, 4.6, 4.7), on built kernels.
 *
 * Values are classed scalar < affine < non-affine; where several definitions reach a read, the most
 * general class holds. A value has a divergent condition where threads may hold different
 * definitions of it: at the point where a divergent branch comes together again, at a guarded
 * write, a selection, a minimum, maximum or absolute value, a word masked by another one's sign.
 * More than two conditions, and one that a loop carries, make it non-affine.
 *
 * 64-bit integers are pairs of 32-bit words in the code. A word with a carry or the upper half of a
 * product has a class of its own, HIGH, and together with its low word makes an affine pair: sums
 * with carries, wide products, sign extension and funnel shifts are followed as the one 64-bit
 * operation they come from.
 * Depends on: analysis.h. Everything lies in the caller's arena. */
#ifndef WW_PERF_PTX_ANALYSIS_AFFINE_H
#define WW_PERF_PTX_ANALYSIS_AFFINE_H

#include "perf/ptx/analysis/analysis.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ww_affine_class {
    WW_AFFINE_NOTHING, /* not defined on any path */
    WW_AFFINE_SCALAR,  /* the same for all threads of the grid */
    WW_AFFINE_CTA,     /* affine in block indices alone: the same for a CTA */
    WW_AFFINE_THREAD,  /* affine; of a predicate: a comparison of affine values */
    WW_AFFINE_MOD,     /* what a remainder by a scalar leaves of one */
    WW_AFFINE_HIGH,    /* upper word of an affine 64-bit value */
    WW_AFFINE_SIGN,    /* HIGH of a sign-extended word: 0 or all ones */
    WW_AFFINE_CARRY,   /* predicate: carry from the lower words */
    WW_AFFINE_RAISED,  /* HIGH << n, and */
    WW_AFFINE_SPILL,   /* low word >> (32 - n): their OR is the upper word of a shift by n */
    WW_AFFINE_EITHER,  /* a | b: 0 where both are, negative where one is; no more may be asked */
    WW_AFFINE_NON,
} ww_affine_class;

enum { WW_AFFINE_CONDITIONS = 2 }; /* divergent conditions of a value (section 4.6) */

typedef struct ww_affine_value {
    uint16_t kind;                            /* ww_affine_class */
    uint16_t count;                           /* divergent conditions */
    uint32_t condition[WW_AFFINE_CONDITIONS]; /* ascending: an instruction, where control comes
                                                 together or that writes under a predicate */
} ww_affine_value;

typedef struct ww_affine {
    const ww_view *view;
    ww_affine_value *access; /* [access_count] the value read or written there */
    bool supported;          /* false (calls, indirect branches): everything is non-affine */
} ww_affine;

/** Classifies every value of a built kernel. @error ENOMEM */
WW_NODISCARD ww_status ww_affine_build(const ww_view *view, const ww_chains *chains,
                                       ww_arena *arena, ww_affine *out, ww_error *err);

/** The value of a source operand: immediates, parameters, special registers, registers (two words:
 * as one 64-bit value), predicates. */
ww_affine_value ww_affine_source(const ww_affine *affine, uint32_t inst, uint32_t index);
/** The guard's; SCALAR where there is none. */
ww_affine_value ww_affine_guard(const ww_affine *affine, uint32_t inst);
/** Whether comparisons of affine values, and nothing else, tell which lanes pass the guard. */
bool ww_affine_guard_known(const ww_affine *affine, uint32_t inst);
/** Most general class of the results; NOTHING where there are none. */
ww_affine_class ww_affine_result(const ww_affine *affine, uint32_t inst);

/** The comparison of a remainder's divisor with 0, where instruction `inst` ends the sequence that
 * lowering makes of a remainder; WW_NO_TARGET: it does not. */
uint32_t ww_affine_divisor(const ww_view *view, const ww_chains *chains, uint32_t inst);

/** Anything but NOTHING and NON. */
static inline bool ww_affine_known(ww_affine_value v)
{
    return v.kind != WW_AFFINE_NOTHING && v.kind != WW_AFFINE_NON;
}
/** An address or an operand of a comparison: a value by itself, not a part of one. */
static inline bool ww_affine_expands(ww_affine_value v)
{
    return v.kind >= WW_AFFINE_SCALAR && v.kind <= WW_AFFINE_MOD;
}
/** "scalar", "affine" or "non-affine", the paper's three types. */
const char *ww_affine_class_name(ww_affine_class kind);

#ifdef __cplusplus
}
#endif
#endif
