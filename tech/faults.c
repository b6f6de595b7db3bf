/* faults.c - the one table of faults by style; see faults.h. */
#include "tech/faults.h"

/* What both tools do. */
#define BOTH                                                                                       \
    .write_bitlines_twice = true, .write_pays_output_tree = true, .leakage_as_published = true,    \
    .address_bits_down = true, .first_blocks_gates = true, .all_ports_switch = true,               \
    .unwritten_columns_free = true, .compares_in_no_time = true, .part_of_the_tags = true,         \
    .stack_of_three = true, .rows_stay_short = true, .cam_by_plain_read = true,                    \
    .stages_by_effort = true, .tree_gates_unclamped = true

static const ww_tool_faults table[] = {
    [WW_STYLE_WARPWATT] = {.least_cuts = 1},
    [WW_STYLE_CACTI7] = {BOTH, .wires_half_as_wide = true, .inner_tree_leaks_not = true,
                         .least_cuts = 2},
    [WW_STYLE_CACTIP] = {BOTH, .output_wires_fast = true, .least_cuts = 1},
};

const ww_tool_faults *ww__tool_faults(ww_array_style style)
{
    return &table[style];
}

bool ww_array_style_as_published(ww_array_style style)
{
    return table[style].leakage_as_published;
}
