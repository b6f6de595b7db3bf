/* wcu.c - WCU, the warp control unit: instruction cache, instruction buffers, decoders, warp status
 * table, reconvergence stacks, scoreboard, scheduler selection, and the clocked front-end pipeline
 * around them.
 *
 * Table formats follow the public descriptions of Fermi (Lindholm et al., IEEE Micro 28(2), 2008;
 * NVIDIA's Fermi white paper) and of GPGPU-Sim's front end; where a format is not public the entry
 * below says what is assumed. One copy of each table serves one scheduler and its share of the
 * warps. */
#include <math.h>

#include "power/component.h"

enum {
    PC_BITS = 32,
    MASK_BITS = WW_WARP_SIZE,
    STATUS_BITS =
        PC_BITS + MASK_BITS + 16, /* program counter, active mask, CTA slot, barrier and state */
    STACK_BITS = PC_BITS + PC_BITS + MASK_BITS,
    STACK_ENTRIES = 16,     /* assumed: entries per warp held in the array */
    SCOREBOARD_ENTRIES = 6, /* pending destinations per warp, as in GPGPU-Sim's Fermi */
    REGISTER_BITS = 8,
    SOURCES = 4, /* registers a look-up compares: three sources and the destination */
    DECODED_BITS = WW__DECODED_BITS,
    FRONT_STAGES = 6,   /* fetch 2, decode 2, schedule, issue */
    DECODE_GATES = 4000 /* assumed: random logic of one decoder beside its opcode decoders */
};

static uint32_t warps_per_scheduler(const ww_arch *arch)
{
    return (arch->sm.max_warps + arch->sm.schedulers - 1) / arch->sm.schedulers;
}

/* Tables exist once per scheduler. */
static uint32_t copies(const ww_arch *arch)
{
    return arch->sm.count * arch->sm.schedulers;
}

static ww_array_result add_table(ww__builder *b, const char *name, uint32_t entries, uint32_t bits)
{
    ww_array_spec spec = ww_array_table(entries, bits, 1, 1);
    ww_array_result table = ww__array(b, name, &spec);
    ww__structure(b, 1, name, copies(b->arch), table.area_m2, table.leak_w, "%u entries; %s",
                  (unsigned)entries, ww__array_text(b, &spec));
    return table;
}

static void add_l1i(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    const ww_cache_params *l1i = &arch->l1i;
    ww_array_spec spec = ww_array_cache(l1i->bytes, l1i->line_bytes, l1i->ways);
    spec.word_bits = arch->sm.fetch_instructions * arch->sm.instruction_bytes * 8;
    ww_array_result fetch = ww__array(b, "instruction cache", &spec);
    ww_array_result line = ww__cache(b, "instruction cache", l1i);
    const char *text = ww__array_text(b, &spec);
    ww__structure(b, 1, "instruction cache", arch->sm.count, fetch.area_m2, fetch.leak_w, "%s",
                  text);
    ww__event(b, "hit", WW_C_L1I_READ_HIT, fetch.read_j, "tags and %u b; %s",
              (unsigned)spec.word_bits, text);
    ww__event(b, "miss", WW_C_L1I_READ_MISS, fetch.tag.read_j, "tags only; %s", text);
    ww__event(b, "fill", WW_C_L1I_FILL, line.write_j, "one line; %s", text);
}

static void add_buffer(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    ww_array_result buffer =
        add_table(b, "instruction buffer", warps_per_scheduler(arch) * arch->sm.ibuffer_entries,
                  arch->sm.instruction_bytes * 8 + 2);
    ww__event(b, "write", WW_C_INST_DECODED, buffer.write_j, "array model: one instruction");
    ww__event(b, "read", WW_C_INST_ISSUED, buffer.read_j, "array model: one instruction");
}

/* Opcode, operands and the rest are decoded by three row decoders with a load of 1024 gates each,
 * as in McPAT's instruction decoder (Li et al., TACO 10(1) 2013), and random logic. */
enum { OPCODE_BITS = 8, OPERAND_BITS = 6, MISC_BITS = 6, LOAD_GATES = 1024 };

static ww_cost decoder_of(const ww__builder *b)
{
    const ww_device *device = &b->node->peri;
    double gate_w_m = b->node->min_w_m * (1 + device->n_to_p);
    double load_f = LOAD_GATES * gate_w_m * (device->c_gate_f_per_m + 3 * device->c_fringe_f_per_m);
    ww_cost logic = ww_logic_decoder(b->node, OPCODE_BITS, load_f);
    logic = ww_cost_add(logic, ww_logic_decoder(b->node, OPERAND_BITS, load_f), 1);
    logic = ww_cost_add(logic, ww_logic_decoder(b->node, MISC_BITS, load_f), 1);
    return ww_cost_add(logic, ww_logic_gates(b->node, DECODE_GATES, 0.2), 1);
}

static void add_decoder(ww__builder *b)
{
    ww_cost logic = decoder_of(b);
    ww__structure(b, 1, "decoder", b->arch->sm.count * b->arch->sm.fetch_instructions,
                  logic.area_m2, logic.leak_w,
                  "logic model: decoders of %d, %d, %d bits and %d gates", OPCODE_BITS,
                  OPERAND_BITS, MISC_BITS, DECODE_GATES);
    ww__event(b, "decode", WW_C_INST_DECODED, logic.energy_j,
              "logic model: one instruction, a fifth of the gates switch");
}

/* A taken branch drops what the warp's buffer holds, and fetches and decodes it anew. */
static void add_redirect(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    ww_array_spec spec = ww_array_cache(arch->l1i.bytes, arch->l1i.line_bytes, arch->l1i.ways);
    spec.word_bits = arch->sm.fetch_instructions * arch->sm.instruction_bytes * 8;
    ww_array_result fetch = ww__array(b, "instruction cache", &spec);
    double fetches = ceil((double)arch->sm.ibuffer_entries / arch->sm.fetch_instructions);
    ww_cost target = ww_logic_adder(b->node, PC_BITS), decoder = decoder_of(b);
    ww__group(b, WW_GROUP_BRANCH, arch->power.branch_factor);
    ww__structure(b, 2, "redirection", copies(arch), 0, 0, "the integer lanes' adder");
    ww__event(b, "control transfer", WW_C_BRANCHES,
              target.energy_j + fetches * fetch.read_j +
                  arch->sm.ibuffer_entries * decoder.energy_j,
              "%g fetches and %u instructions decoded to fill the warp's buffer again; %s", fetches,
              (unsigned)arch->sm.ibuffer_entries, ww__array_text(b, &spec));
    ww__group(b, WW_GROUP_WCU, 1);
}

static void add_status(ww__builder *b)
{
    ww_array_result table =
        add_table(b, "warp status table", warps_per_scheduler(b->arch), STATUS_BITS);
    ww__event(b, "read", WW_C_WARP_STATUS_READ, table.read_j, "array model: one entry");
    ww__event(b, "write", WW_C_WARP_STATUS_WRITE, table.write_j, "array model: one entry");
    ww__event(b, "warp launch", WW_C_WARPS, table.write_j, "array model: entry initialised");
    /* A CTA takes a slot and its warps' entries are found: one read and write beside the warps'
     * own. */
    ww__event(b, "CTA launch", WW_C_CTAS, table.read_j + table.write_j, "array model: slot taken");
}

static void add_stack(ww__builder *b)
{
    ww_array_result stack = add_table(b, "reconvergence stack",
                                      warps_per_scheduler(b->arch) * STACK_ENTRIES, STACK_BITS);
    ww__event(b, "read top", WW_C_STACK_READ, stack.read_j, "array model: one entry");
    ww__event(b, "push", WW_C_STACK_PUSH, stack.write_j, "array model: one entry");
    ww__event(b, "pop", WW_C_STACK_POP, stack.read_j, "array model: the entry below is read");
}

static void add_scoreboard(ww__builder *b)
{
    ww_array_result table = add_table(b, "scoreboard", warps_per_scheduler(b->arch),
                                      SCOREBOARD_ENTRIES * (REGISTER_BITS + 1));
    ww_cost compare = ww_logic_comparator(b->node, REGISTER_BITS);
    int comparators = SOURCES * SCOREBOARD_ENTRIES;
    ww__event(b, "look up", WW_C_SCOREBOARD_READ, table.read_j + comparators * compare.energy_j,
              "array model: a warp's entries; logic model: %d comparators of %d bits", comparators,
              REGISTER_BITS);
    ww__event(b, "reserve, release", WW_C_SCOREBOARD_WRITE, table.write_j,
              "array model: a warp's entries");
    ww__structure(b, 2, "comparators", copies(b->arch), comparators * compare.area_m2,
                  comparators * compare.leak_w, "logic model: %d of %d bits", comparators,
                  REGISTER_BITS);
}

static void add_selection(ww__builder *b)
{
    uint32_t warps = warps_per_scheduler(b->arch);
    ww_cost select = ww_logic_select(b->node, warps, 1);
    ww__structure(b, 1, "scheduler selection", copies(b->arch), select.area_m2, select.leak_w,
                  "logic model: tree of four-input arbiters over %u warps (Palacharla)",
                  (unsigned)warps);
    ww__event(b, "select", WW_C_SCHED_SELECT, select.energy_j, "logic model: one grant");
}

/* The control word travels to the lanes on wires as long as the side of an SM's registers and
 * lanes. To a core whose lanes take an instruction each, it travels to one of them
 * (mech/dart/overhead.c). */
static void add_broadcast(ww__builder *b)
{
    double side_m = sqrt((b->regfile_m2 + b->arithmetic_m2) / b->arch->sm.count);
    ww_cost wire = ww_logic_wire(b->node, WW_WIRE_SEMIGLOBAL, side_m, DECODED_BITS);
    if (b->arch->sm.core == WW_CORE_LANES) {
        return;
    }
    ww__structure(b, 2, "control distribution", copies(b->arch), wire.area_m2, wire.leak_w,
                  "wire model: %d b over %.3g mm, the side of an SM's registers and lanes",
                  DECODED_BITS, side_m * 1e3);
    ww__event(b, "broadcast", WW_C_INST_ISSUED, wire.energy_j * WW__RANDOM_TOGGLE,
              "wire model: half of the wires toggle");
}

/* Stage registers and their clock tree toggle while the SM is active, at the front end's rate,
 * which may be a fraction of the core clock; an issued instruction also changes their content.
 * Tables are clock-gated. */
static void add_pipeline(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    uint32_t interval = arch->sm.issue_interval > 0 ? arch->sm.issue_interval : 1;
    uint32_t bits = FRONT_STAGES * (PC_BITS + DECODED_BITS) * arch->sm.schedulers;
    double wcu_m2 = ww_power_area(b->model, WW_COMPONENT_WCU) / arch->sm.count;
    ww_cost latch = ww_logic_register(b->node, bits, 0.25);
    ww_cost clock = ww_logic_clock_tree(b->node, wcu_m2 + latch.area_m2, bits);
    ww__structure(b, 1, "front-end pipeline", arch->sm.count, latch.area_m2 + clock.area_m2,
                  latch.leak_w + clock.leak_w,
                  "logic model: %d stages of %d flip-flops per scheduler", FRONT_STAGES,
                  PC_BITS + DECODED_BITS);
    ww__background(b, "clock", WW_C_SM_ACTIVE, WW_POWER_PER_COUNT,
                   (clock.energy_j + latch.idle_j) / interval, b->factor,
                   "logic model: %u flip-flops and their clock tree over %.3g mm2, SM active%s",
                   (unsigned)bits, wcu_m2 * 1e6,
                   interval > 1 ? ww__text(b, ", once in %u cycles", (unsigned)interval) : "");
    double step_j = latch.energy_j > latch.idle_j ? latch.energy_j - latch.idle_j : 0;
    ww__event(b, "advance", WW_C_INST_ISSUED, step_j / arch->sm.schedulers,
              "logic model: a quarter of the bits of one scheduler's stages change");
    add_broadcast(b);
}

void ww__build_wcu(ww__builder *b)
{
    ww__component(b, WW_COMPONENT_WCU, b->arch->power.wcu_factor);
    add_l1i(b);
    add_buffer(b);
    add_decoder(b);
    add_redirect(b);
    add_status(b);
    add_stack(b);
    add_scoreboard(b);
    add_selection(b);
    add_pipeline(b);
    ww__placement(b);
}
