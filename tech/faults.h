/* faults.h - which of the tools' faults a style of array repeats: one member each, numbered as in
 * tests/validation/DEVIATIONS.md, where it says what the tools do and what WarpWatt does instead.
 * Private to tech/. */
#ifndef WW_TECH_FAULTS_H
#define WW_TECH_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "tech/array.h"

typedef struct ww_tool_faults {
    bool write_bitlines_twice;   /* D1: bitlines of a write times the active mats, twice */
    bool write_pays_output_tree; /* D2 */
    bool leakage_as_published;   /* D3: with the misprints of the tables (ww_node_point) */
    bool wires_half_as_wide;     /* D4 */
    bool inner_tree_leaks_not;   /* D5 */
    bool output_wires_fast;      /* D7 */
    bool address_bits_down;      /* D8: rounded down between powers of two */
    bool first_blocks_gates;     /* D9: multiply the second predecode block's energy */
    bool all_ports_switch;       /* D10 */
    bool unwritten_columns_free; /* D11 */
    bool compares_in_no_time;    /* D12 */
    bool part_of_the_tags;       /* D13 */
    bool stack_of_three;         /* D14: two over two comes out as three */
    bool rows_stay_short;        /* D17: no sub-array is filled up, none is lower than the least */
    uint8_t least_cuts;          /* D17: of rows and of columns */
    bool cam_by_plain_read;      /* D18: partitioned for it, and always cut */
    bool stages_by_effort;       /* D20 */
    bool tree_gates_unclamped;   /* D21 */
} ww_tool_faults;

/** What a style repeats. */
const ww_tool_faults *ww__tool_faults(ww_array_style style);

#endif
