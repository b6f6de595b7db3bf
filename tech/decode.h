/* decode.h - address decoding inside a mat: drivers, predecoders, row decoders with wordlines,
 * multiplexer decoders. Private to tech/. Structure after Wilton & Jouppi, WRL 93/5, s. 5, and
 * CACTI 5.1, HPL-2008-20, s. 6. */
#ifndef WW_TECH_DECODE_H
#define WW_TECH_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "tech/circuit.h"

/* Cost of a decoding stage that selects one output. */
typedef struct ww_decode_cost {
    double delay_s;
    double ramp_s; /* of the output */
    double energy_j;
    double area_m2;
    ww_leak leak;
} ww_decode_cost;

/* What a predecoder drives: through a wire, NAND gates at the decoders, or the decoded load itself.
 */
typedef struct ww_decode_load {
    double load_f;           /* of the decoded line */
    double r_ohm;            /* of the decoded line's wire */
    double height_m;         /* height of the decoder's cells */
    double wire_f, wire_ohm; /* predecode wires */
    double gates;  /* decoders each predecode line reaches, per combination of the other block */
    double v_load; /* swing of the decoded line */
    bool first_blocks_gates; /* ww_tool_faults, D9 */
} ww_decode_load;

/** Address bits of a decoder with that many outputs: rounded up, or down (ww_tool_faults, D8). */
uint32_t ww__address_bits(uint32_t outputs, bool down);

/** A row decoder is needed from this many address bits on; below, the predecoder drives the lines.
 */
enum { WW_DECODER_MIN_BITS = 4 };

/** Predecoder of `bits` address bits, its input drivers included; of one mat. */
ww_decode_cost ww__predecode(const ww_node *n, const ww_layout *l, uint32_t bits,
                             const ww_decode_load *load);

/** The NAND gate and driver chain of one decoded line, the line included in the energy. inputs: 2
 * or 3. */
ww_decode_cost ww__decode_line(const ww_node *n, const ww_layout *l, int inputs,
                               const ww_decode_load *load, double ramp_s);

#endif
