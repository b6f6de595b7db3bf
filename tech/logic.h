/* logic.h - what blocks of logic and wires cost: decoders, arbiters, crossbars, comparators,
 * arithmetic, registers, clock, links. Every function is pure and cannot fail; a width or count of
 * 0 costs nothing. Energies are per operation with every signal that the operation may move
 * switching once; `activity` arguments say where a smaller share is meant. Depends on: tech/node.h.
 */
#ifndef WW_TECH_LOGIC_H
#define WW_TECH_LOGIC_H

#include <stdint.h>

#include "tech/node.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ww_cost {
    double energy_j; /* per operation */
    double leak_w;   /* sub-threshold and gate */
    double area_m2;
    double delay_s;
    double idle_j; /* per clock cycle without operation (clock pins); 0 for combinational logic */
} ww_cost;

/** a + n * b, for building blocks of blocks (delay adds once). */
ww_cost ww_cost_add(ww_cost a, ww_cost b, double n);

/** n-to-2^n decoder that drives load_f on the selected output. Predecode by NAND2/3 groups (Wilton
 * & Jouppi 1996 s. 4). */
ww_cost ww_logic_decoder(const ww_node *node, uint32_t address_bits, double load_f);

/** Matrix arbiter over that many requesters: one grant (Wang, Peh, Malik, MICRO-35 2002: Orion). */
ww_cost ww_logic_arbiter(const ww_node *node, uint32_t requesters);

/** Selects `issue` of `entries` ready requests by a tree of four-input arbiters (Palacharla,
 * Jouppi, Smith, ISCA 1997). */
ww_cost ww_logic_select(const ww_node *node, uint32_t entries, uint32_t issue);

/** Matrix crossbar: one transfer of `bits` from one input to one output (Orion). Leakage and area
 * of the whole crossbar. */
ww_cost ww_logic_crossbar(const ww_node *node, uint32_t inputs, uint32_t outputs, uint32_t bits);

/** Equality of two words: XOR per bit and an AND tree. */
ww_cost ww_logic_comparator(const ww_node *node, uint32_t bits);

/** Multiplexer that picks one of `ways` words. */
ww_cost ww_logic_mux(const ww_node *node, uint32_t ways, uint32_t bits);

/** Parallel-prefix (Brent-Kung) adder with random operands. */
ww_cost ww_logic_adder(const ww_node *node, uint32_t bits);

/** Array of carry-save adders (bits_a x bits_b) and a final adder, random operands. */
ww_cost ww_logic_multiplier(const ww_node *node, uint32_t bits_a, uint32_t bits_b);

/** Logarithmic shifter. */
ww_cost ww_logic_shifter(const ww_node *node, uint32_t bits);

/** Register of flip-flops. energy_j: one clocked load of which `activity` of the bits change;
 * idle_j: one clock cycle, no change. */
ww_cost ww_logic_register(const ww_node *node, uint32_t bits, double activity);

/** H-tree clock over a square of area_m2 with `sinks` flip-flops: energy_j per cycle (one full
 * swing of the tree and the pins). */
ww_cost ww_logic_clock_tree(const ww_node *node, double area_m2, double sinks);

/** Delay of a wire between blocks over the least that repeaters give. Assumption: such wires are no
 * critical path, so that repeaters are those of least energy in the slowest class of repeated wires
 * that CACTI knows, 30 % behind the fastest (Muralimanohar, Balasubramonian and Jouppi, "Optimizing
 * NUCA Organizations and Wiring Alternatives for Large Caches with CACTI 6.0", MICRO 2007). */
#define WW_LOGIC_WIRE_SLACK 0.3
/** Bus of `bits` wires with repeaters: energy_j of one transition of every wire. */
ww_cost ww_logic_wire(const ww_node *node, ww_wire_layer layer, double length_m, uint32_t bits);

/** Synthesised random logic of that many two-input gates, of which `activity` switch per operation.
 */
ww_cost ww_logic_gates(const ww_node *node, double gates, double activity);

#ifdef __cplusplus
}
#endif
#endif
