/* evaluate.h - what an integer operation makes of two numbers, for passes that know both. The
 * executor is perf/exec, which a test holds this to. */
#ifndef WW_ISA_EVALUATE_H
#define WW_ISA_EVALUATE_H

#include "isa/isa.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Of 4 or 8 bytes, operands and result zero-extended; no modifiers. False: not known here, as for
 * upper halves of products and shifts by 32 and more. */
bool ww_op_evaluate(ww_op op, ww_sub sub, unsigned bytes, uint64_t a, uint64_t b, uint64_t *out);

#ifdef __cplusplus
}
#endif
#endif
