/* arith.c - comparators, adders, multipliers and shifters counted in gates. */
#include <math.h>

#include "tech/std_cell.h"

/* Gates in NAND2 equivalents and transitions per gate and operation for random operands: Weste &
 * Harris, CMOS VLSI Design, 4th ed., ch. 11; activities after Callaway & Swartzlander, ARITH 1993
 * (adders settle with few glitches, multiplier arrays with many). */
#define XOR_GATES        3.0
#define FULL_ADDER_GATES 6.0
#define MUX2_GATES       1.75
#define COMPARE_ACTIVITY 0.25
#define ADDER_ACTIVITY   0.20
#define ARRAY_ACTIVITY   0.25
#define SHIFT_ACTIVITY   0.25

ww_cost ww_logic_comparator(const ww_node *n, uint32_t bits)
{
    double b = bits;
    ww_cost cost = ww_logic_gates(n, b * XOR_GATES + fmax(b - 1, 0), COMPARE_ACTIVITY);
    cost.delay_s *= 2 + (bits > 1 ? ceil(log2(b)) : 0);
    return cost;
}

ww_cost ww_logic_adder(const ww_node *n, uint32_t bits)
{
    double b = bits;
    double levels = bits > 1 ? ceil(log2(b)) : 0;
    /* Generate and propagate 2+3, Brent-Kung's 2b - 2 - log2 b prefix cells of 2.5, sum XOR 3. */
    double cells = fmax(2 * b - 2 - levels, 0);
    ww_cost cost = ww_logic_gates(n, b * 5 + cells * 2.5 + b * XOR_GATES, ADDER_ACTIVITY);
    cost.delay_s *= bits > 0 ? 3 + 2 * levels : 0;
    return cost;
}

ww_cost ww_logic_multiplier(const ww_node *n, uint32_t bits_a, uint32_t bits_b)
{
    double a = bits_a, b = bits_b;
    ww_cost array = ww_logic_gates(n, a * b * (1 + FULL_ADDER_GATES), ARRAY_ACTIVITY);
    double rows = fmin(a, b);
    array.delay_s *= rows > 1 ? 4 * ceil(log(rows) / log(1.5)) : 1; /* 3:2 compressors */
    if (bits_a == 0 || bits_b == 0) {
        return (ww_cost){0};
    }
    return ww_cost_add(array, ww_logic_adder(n, bits_a + bits_b), 1);
}

ww_cost ww_logic_shifter(const ww_node *n, uint32_t bits)
{
    double levels = bits > 1 ? ceil(log2(bits)) : 0;
    ww_cost cost = ww_logic_gates(n, bits * levels * MUX2_GATES, SHIFT_ACTIVITY);
    /* Every level crosses half of the word on average. */
    ww_std_cell c = ww__std_cell(n);
    double span = bits * sqrt(c.gate_area) / 2;
    cost.energy_j += 0.5 * SHIFT_ACTIVITY * bits * levels * span *
                     n->wire[WW_WIRE_LOCAL].c_f_per_m * n->vdd_v * n->vdd_v;
    cost.delay_s *= levels;
    return cost;
}
