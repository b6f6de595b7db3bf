/* std_cell.h - a typical gate of a synthesised block, from which logic is counted up. Private to
 * tech/. Areas: NanGate 45 nm Open Cell Library, NAND2_X1 0.798 um^2 and DFF_X1 4.522 um^2, in F^2
 * of 45 nm. */
#ifndef WW_TECH_STD_CELL_H
#define WW_TECH_STD_CELL_H

#include "tech/circuit.h"
#include "tech/logic.h"

#define WW_NAND2_F2 394.0
#define WW_DFF_F2   2233.0
#define WW_STD_WIDTH                                                                               \
    4.0 /* transistor width over the minimum: unit-drive cells of a performance library */
#define WW_FAN_OUT 2.0 /* mean gates on a net */
#define WW_NET_SPANS                                                                               \
    6.0 /* mean net length over the pitch of gates (Donath's rule at 10^4 gates, Rent exponent     \
           0.6) */
#define WW_UTILISATION 0.7 /* cell area over block area */

typedef struct ww_std_cell {
    ww_layout l;
    double w_n, w_p;
    double input_f, drain_f, wire_f;
    double switched_f;   /* on a typical net */
    double transition_j; /* one edge of a typical net */
    double gate_area;
    double leak_w;
    double delay_s;
} ww_std_cell;

ww_std_cell ww__std_cell(const ww_node *node);

#endif
