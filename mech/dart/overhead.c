/* overhead.c - what a core of lanes has beside what a SIMD core has: the wires that bring an
 * instruction to a lane, its instruction register with a buffer for each operand that all threads
 * share, the finder of the next thread, the address collector, and an arbiter per bank of shared
 * memory. The slices of the register file are in RF, the front end is WCU's and paid per
 * instruction. */
#include <math.h>

#include "power/overhead.h"

enum {
    CONTROL_BITS = WW__DECODED_BITS, /* as the SIMD core's front end broadcasts to its lanes */
    MASK_BITS = WW_WARP_SIZE,        /* the threads that execute it */
    SOURCES = 3,
    WORD_BITS = 32,
    REGISTER_BITS = CONTROL_BITS + MASK_BITS + SOURCES * WORD_BITS
};

static uint32_t lanes_of(const ww_arch *arch)
{
    return arch->units.sp_count * arch->units.sp_lanes;
}

static void add_control(ww__builder *b)
{
    /* To any lane: as far as the SIMD core's broadcast goes (power/wcu.c), whose place it takes. */
    double length_m = sqrt((b->regfile_m2 + b->arithmetic_m2) / b->arch->sm.count);
    uint32_t bits = CONTROL_BITS + MASK_BITS;
    ww_cost wire = ww_logic_wire(b->node, WW_WIRE_SEMIGLOBAL, length_m, bits);
    ww__structure(b, 2, "control wires", b->arch->sm.count, wire.area_m2, wire.leak_w,
                  "wire model: %u b over %.3g mm, the side of an SM's registers and lanes",
                  (unsigned)bits, length_m * 1e3);
    ww__event(b, "drive instruction", WW_C_DART_CONTROL, wire.energy_j * WW__RANDOM_TOGGLE,
              "wire model, half the wires toggle: once per warp instruction");
}

static void add_instruction_registers(ww__builder *b)
{
    ww_array_spec spec = {.kind = WW_ARRAY_LATCH,
                          .bits = REGISTER_BITS,
                          .word_bits = REGISTER_BITS,
                          .read_ports = 1,
                          .write_ports = 1};
    ww_array_result array = ww__array(b, "instruction register", &spec);
    ww_cost finder = ww_logic_arbiter(b->node, b->arch->dart.skip_width);
    ww__structure(
        b, 2, "instruction registers", b->arch->sm.count * lanes_of(b->arch),
        array.area_m2 + finder.area_m2, array.leak_w + finder.leak_w,
        "per lane: %d b of control, a mask, %d operands; finder of the next of %u threads",
        CONTROL_BITS, SOURCES, (unsigned)b->arch->dart.skip_width);
    ww__event(b, "enter instruction", WW_C_DART_CONTROL, array.write_j, "%s",
              ww__array_text(b, &spec));
    ww__event(b, "next thread", WW_C_DART_THREAD, array.read_j + finder.energy_j,
              "register read; logic model: arbiter of %u requesters (Orion)",
              (unsigned)b->arch->dart.skip_width);
}

static void add_address_collectors(ww__builder *b)
{
    ww_array_spec spec = ww_array_table(WW_WARP_SIZE, WORD_BITS, 1, 1);
    ww_array_result array = ww__array(b, "address collector", &spec);
    ww__structure(b, 2, "address collectors", b->arch->sm.count * lanes_of(b->arch), array.area_m2,
                  array.leak_w, "per lane: %d addresses; %s", WW_WARP_SIZE,
                  ww__array_text(b, &spec));
    ww__event(b, "collect address", WW_C_DART_ADDRESS, array.write_j + array.read_j,
              "array model: in and out");
}

static void add_bank_arbiters(ww__builder *b)
{
    ww_cost arbiter = ww_logic_arbiter(b->node, lanes_of(b->arch));
    ww__structure(b, 2, "shared-memory arbiters", b->arch->sm.count * b->arch->ldst.shared_banks,
                  arbiter.area_m2, arbiter.leak_w, "matrix arbiter per bank, %u lanes (Orion)",
                  (unsigned)lanes_of(b->arch));
    ww__event(b, "request a bank", WW_C_DART_REQUEST, arbiter.energy_j,
              "logic model: matrix arbiter, %u requesters", (unsigned)lanes_of(b->arch));
}

void ww__overhead_dart(ww__builder *b)
{
    add_control(b);
    add_instruction_registers(b);
    add_address_collectors(b);
    add_bank_arbiters(b);
}
