/* affine_rules.h - private to the affine analysis: joins, and what each operation makes of the
 * classes of its operands. */
#ifndef WW_PERF_PTX_ANALYSIS_AFFINE_RULES_H
#define WW_PERF_PTX_ANALYSIS_AFFINE_RULES_H

#include "perf/ptx/analysis/affine.h"

enum { WW_AFFINE_SOURCES = 12 }; /* operands that rules look at; more are non-affine */

ww_affine_value ww__affine_of_kind(ww_affine_class kind);
/** Most general class, both sets of conditions; too many of them: NON. */
ww_affine_value ww__affine_join(ww_affine_value a, ww_affine_value b);
ww_affine_value ww__affine_add_condition(ww_affine_value v, uint32_t condition);
/** Two words as one 64-bit value. */
ww_affine_value ww__affine_pair(ww_affine_value low, ww_affine_value high);
/** A value that is no register or predicate. */
ww_affine_value ww__affine_constant(const ww_operand *o);
/** Class of the first result word and of dst[1]; a pair's upper word follows by ww__affine_upper.
 * @param src [inst->src_count] */
void ww__affine_transfer(const ww_inst *inst, uint32_t at, const ww_affine_value *src,
                         ww_affine_value *first, ww_affine_value *second);
/** Upper word of a 64-bit result of that class. */
ww_affine_value ww__affine_upper(ww_affine_value whole);

#endif
