/* components.h - the components that a machine's power is told by: the power model's
 * (power/power.h), and what a line of a kernel costs in each (lines.h). Depends on: nothing. */
#ifndef WW_COUNTERS_COMPONENTS_H
#define WW_COUNTERS_COMPONENTS_H

/* X(id, name, meaning): components in the order of D5.5.3, Table 7; their dynamic powers sum to TP.
 */
#define WW_COMPONENTS(X)                                                                           \
    X(RF, "RF", "register file: banks, arbiters, crossbar, operand collectors")                    \
    X(EU, "EU", "execution units: integer, floating point, special functions, conversion, matrix") \
    X(WCU, "WCU",                                                                                  \
      "warp control unit: instruction cache and buffer, decoder, warp status, stack, scoreboard, " \
      "schedulers")                                                                                \
    X(BP, "BP", "base power: activation of streaming multiprocessors")                             \
    X(LDSTU, "LDSTU",                                                                              \
      "load/store unit: address generation, coalescer, shared memory, L1 caches, L2")              \
    X(CP, "CP", "cluster power: activation of clusters")                                           \
    X(NOC, "NOC", "network on chip")                                                               \
    X(MC, "MC", "memory controllers and their physical interface")                                 \
    X(GM, "GM", "global memory: DRAM devices")                                                     \
    X(REST, "REST",                                                                                \
      "what no structure stands for: rest of the die, card, what neither idles nor works; absent " \
      "where neither die nor constant power is known")                                             \
    X(MECH, "MECH", "what active mechanisms add; absent without any")

#endif
