/* array_kinds.h - the arrays that are not plain SRAM, and what array.c shares with them. Private to
 * tech/. */
#ifndef WW_TECH_ARRAY_KINDS_H
#define WW_TECH_ARRAY_KINDS_H

#include "tech/mat.h"

enum {
    WW_FLIPFLOP_MAX_BITS = 4096 /* above, WW_ARRAY_AUTO does not try flip-flops */
};

/** Ports, wires and cell of a request. */
void ww__mat_site(const ww_array_spec *spec, const ww_node *node, ww_mat_site *out);
/** Adds an array's terms to the result's. */
void ww__add_part(ww_array_result *result, const ww_array_part *part);
/** Sums the terms into the totals. */
void ww__finish_result(ww_array_result *result);

/** CAM and fully associative arrays; spec resolved and checked. */
WW_NODISCARD ww_status ww__solve_cam(const ww_array_spec *spec, const ww_node *node,
                                     ww_array_result *result, ww_error *err);

/** Table of flip-flops or latches; spec resolved and checked. */
void ww__solve_flipflops(const ww_array_spec *spec, const ww_node *node, ww_array_result *result);
/** The flip-flop table costs less than the SRAM: product of mean access energy, leakage and area.
 */
bool ww__table_is_better(const ww_array_result *table, const ww_array_result *sram);

#endif
