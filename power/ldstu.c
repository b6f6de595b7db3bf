/* ldstu.c - LDSTU, the load/store unit of each SM: address generation, coalescer, bank-conflict
 * checker, shared memory, L1 data, constant and texture caches; and, as in Table 6 of D5.5.3, the
 * L2 cache. */
#include <math.h>

#include "base/arith.h"
#include "power/component.h"

enum {
    ADDRESS_BITS = 40,
    WORD_BITS = 32,
    LINE_ADDRESS_BITS = 33,                             /* of 128-byte lines */
    OFFSET_BITS = 7,                                    /* of a byte in a line */
    PENDING_BITS = 16 + 6 + WW_WARP_SIZE * OFFSET_BITS, /* pending-request entry: warp and register,
                                                           requests to come, a lane's offset each */
    CONTROL_BITS = 96 /* assumed: opcode, mask, destination of a warp instruction in the unit */
};

static void add_agu(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    uint32_t lanes = arch->units.ldst_count * WW_WARP_SIZE / 2; /* half a warp per cycle */
    ww_cost adder = ww_logic_adder(b->node, ADDRESS_BITS);
    ww_cost latch = ww_logic_register(b->node, ADDRESS_BITS, WW__RANDOM_TOGGLE);
    ww_cost control = ww_logic_register(b->node, CONTROL_BITS, 0.25);
    ww__structure(b, 1, "address generation", arch->sm.count * lanes, adder.area_m2 + latch.area_m2,
                  adder.leak_w + latch.leak_w,
                  "logic model: %d-bit adder and register, %u lanes per SM", ADDRESS_BITS,
                  (unsigned)lanes);
    ww__event(b, "address", WW_C_AGU_LANES, adder.energy_j + latch.energy_j,
              "logic model: %d-bit adder and register", ADDRESS_BITS);
    ww__event(b, "start", WW_C_PIPE_LDST, control.energy_j * 4,
              "logic model: %d control bits through 4 stages", CONTROL_BITS);
}

/* The coalescer compares the line addresses of all lanes with one leader's per round. Its table of
 * pending requests has an entry per instruction, with each lane's offset in its line: a request
 * carries the lanes that it serves, and its data are routed by their offsets (US patent 8086806).
 */
static void add_coalescer(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    ww_cost compare = ww_logic_comparator(b->node, LINE_ADDRESS_BITS);
    ww_array_spec spec = ww_array_table(arch->ldst.queue_entries, PENDING_BITS, 1, 1);
    ww_array_result table = ww__array(b, "coalescer", &spec);
    double compare_j = WW_WARP_SIZE * compare.energy_j;
    ww__structure(b, 1, "coalescer", arch->sm.count, WW_WARP_SIZE * compare.area_m2 + table.area_m2,
                  WW_WARP_SIZE * compare.leak_w + table.leak_w,
                  "%d comparators of %d bits; pending requests: %s", WW_WARP_SIZE,
                  LINE_ADDRESS_BITS, ww__array_text(b, &spec));
    ww__event(b, "instruction", WW_C_COALESCE, table.write_j,
              "array model: pending request entered");
    ww__event(b, "transaction", WW_C_GMEM_TRANSACTION, compare_j + table.read_j,
              "logic model: %d comparators of %d bits; array model: entry read", WW_WARP_SIZE,
              LINE_ADDRESS_BITS);
    ww__event(b, "texture hit", WW_C_L1T_READ_HIT, compare_j + table.read_j, "as a transaction");
    ww__event(b, "texture miss", WW_C_L1T_READ_MISS, compare_j + table.read_j, "as a transaction");
    ww__event(b, "atomic", WW_C_ATOMICS, compare_j,
              "logic model: lanes compared for equal addresses");
}

static void add_shared(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    uint32_t banks = arch->ldst.shared_banks, sms = arch->sm.count;
    ww_array_spec spec = ww_array_ram(arch->sm.shared_bytes / banks, WORD_BITS);
    ww_array_result bank = ww__array(b, "shared memory", &spec);
    const char *text = ww__array_text(b, &spec);

    uint32_t row_bits = ww_log2_ceil(arch->sm.shared_bytes / banks / 4),
             bank_bits = ww_log2_ceil(banks);
    ww_cost compare = ww_logic_comparator(b->node, row_bits + bank_bits);
    ww__structure(b, 1, "bank conflict checker", sms, WW_WARP_SIZE * compare.area_m2,
                  WW_WARP_SIZE * compare.leak_w, "logic model: %d comparators of %u bits",
                  WW_WARP_SIZE, (unsigned)(row_bits + bank_bits));
    ww__event(b, "check", WW_C_SHARED_INST, WW_WARP_SIZE * compare.energy_j,
              "logic model: one pass of the comparators");

    ww__group(b, WW_GROUP_SHARED, arch->power.shared_factor);
    ww__structure(b, 1, "shared memory", sms * banks, bank.area_m2, bank.leak_w,
                  "%u banks per SM; %s", (unsigned)banks, text);
    ww__event(b, "read word", WW_C_SHARED_READ_WORDS, bank.read_j, "%s", text);
    ww__values(b, WW_C_SWITCHED_SHARED_READ, WORD_BITS, ww__data_share(&bank.read), "%s",
               WW__ARRAY_DATA);
    ww__event(b, "write word", WW_C_SHARED_WRITE_WORDS, bank.write_j, "%s", text);
    ww__values(b, WW_C_SWITCHED_SHARED_WRITE, WORD_BITS, ww__data_share(&bank.write), "%s",
               WW__ARRAY_DATA);
    ww__build_operand_rows(b, bank.read_j, text);

    ww_cost data = ww_logic_crossbar(b->node, banks, WW_WARP_SIZE, WORD_BITS);
    ww_cost address = ww_logic_crossbar(b->node, WW_WARP_SIZE, banks, row_bits);
    ww__group(b, WW_GROUP_CROSSBAR, arch->power.crossbar_factor);
    ww__structure(b, 2, "lane crossbar", sms, data.area_m2 + address.area_m2,
                  data.leak_w + address.leak_w,
                  "logic model: %u x %d x %d b for data, %u b for addresses (Orion)",
                  (unsigned)banks, WW_WARP_SIZE, WORD_BITS, (unsigned)row_bits);
    /* Half of the energy lies in the lines of the banks, half in those of the lanes: a broadcast
     * drives one of the former and all of the latter. */
    double line_j = data.energy_j * WW__RANDOM_TOGGLE / 2;
    ww__event_sum(
        b, "word",
        (ww__sum){.terms = 3,
                  .counter = {WW_C_SHARED_READ_WORDS, WW_C_SHARED_WRITE_WORDS, WW_C_GMEM_WORDS},
                  .weight = {1, 1, 1}},
        line_j,
        "logic model: one %d-bit value on the line of its bank, half the wires toggle; of "
        "global, local and texture accesses, too",
        WORD_BITS);
    ww__values(b, WW_C_SWITCHED_CROSSBAR_WORD, WORD_BITS, 1, "wires");
    ww__event_sum(
        b, "lane",
        (ww__sum){.terms = 2, .counter = {WW_C_SHARED_LANES, WW_C_GMEM_WORDS}, .weight = {1, 1}},
        line_j, "logic model: one %d-bit value on the line of its lane", WORD_BITS);
    ww__values(b, WW_C_SWITCHED_CROSSBAR_LANE, WORD_BITS, 1, "wires");
    ww__event(b, "cycle", WW_C_SHARED_CYCLES, address.energy_j * WW__RANDOM_TOGGLE * banks / 2,
              "logic model: row addresses to half of the banks");
}

/* Counters of a cache; WW_COUNTER_COUNT where it has no such event. Tags go with hits and misses,
 * data with what is read and kept: a store that misses may be kept, one that hits may only
 * invalidate. Reads of an L1 that miss take their data from the array too, once it is filled: a
 * texture cache queues its accesses behind the tags until their lines are there (Igehy et al.,
 * Graphics Hardware 1998), Fermi replays the instruction (CUDA Profiler User's Guide,
 * global_cache_replay_overhead). The L2 passes data on as they come from the DRAM. */
typedef struct cache_counters {
    ww_counter read_hit, read_miss, merged, write_hit, write_miss, fill, writeback;
    ww_counter read_data, late_data, write_data; /* in units of unit_bytes, or sectors where 0 */
    uint32_t unit_bytes;
    bool whole_lines;                         /* is what write-backs move, not sectors */
    ww_counter switched_read, switched_write; /* bits, write-backs and fills among them; 0: none */
} cache_counters;

/* What one unit of data costs. */
typedef struct cache_cost {
    double read_j, write_j;
} cache_cost;

static void maybe_event(ww__builder *b, const char *name, ww_counter counter, double energy_j,
                        const char *text)
{
    if (counter != WW_COUNTER_COUNT) {
        ww__event(b, name, counter, energy_j, "%s", text);
    }
}

/* A unit or a sector is moved by as many accesses of the data port as that takes. */
static cache_cost add_cache(ww__builder *b, const char *name, uint32_t instances,
                            const ww_cache_params *cache, cache_counters c)
{
    uint32_t unit = c.unit_bytes == 0 ? cache->sector_bytes : c.unit_bytes;
    uint32_t port = ww_min_u32(ww_min_u32(cache->data_port_bytes, cache->sector_bytes), unit);
    double accesses = ceil((double)unit / port);
    double sector_accesses = ceil((double)cache->sector_bytes / port);
    ww_array_spec spec = ww_array_cache(cache->bytes, cache->line_bytes, cache->ways);
    spec.word_bits = port * 8;
    ww_array_result array = ww__array(b, name, &spec);
    cache_cost cost = {.read_j = array.data.read_j * accesses,
                       .write_j = array.data.write_j * accesses};
    double tag_j = array.tag.read_j;
    double fill_j = array.tag.write_j + array.data.write_j * sector_accesses;
    double back = c.whole_lines ? ceil((double)cache->line_bytes / port) : sector_accesses;
    double writeback_j = tag_j + array.data.read_j * back;
    const char *text = cache->bytes == 0 ? "absent"
                                         : ww__text(b, "%u B per access; %s", (unsigned)port,
                                                    ww__array_text(b, &spec));
    const char *tags = ww__text(b, "tags only; %s", text);
    ww__structure(b, 1, name, cache->bytes == 0 ? 0 : instances, array.area_m2, array.leak_w, "%s",
                  text);
    maybe_event(b, "read hit", c.read_hit, tag_j, tags);
    maybe_event(b, "read miss", c.read_miss, tag_j, tags);
    maybe_event(b, "read data", c.read_data, cost.read_j, text);
    if (c.switched_read != 0) {
        ww__values(b, c.switched_read, unit * 8, ww__data_share(&array.data.read), "%s",
                   WW__ARRAY_DATA);
    }
    maybe_event(b, "read after fill", c.late_data, cost.read_j, text);
    maybe_event(b, "write hit", c.write_hit, tag_j, tags);
    maybe_event(b, "write miss", c.write_miss, tag_j, tags);
    maybe_event(b, "write data", c.write_data, cost.write_j, text);
    if (c.switched_write != 0) {
        ww__values(b, c.switched_write, unit * 8, ww__data_share(&array.data.write), "%s",
                   WW__ARRAY_DATA);
    }
    maybe_event(b, "fill", c.fill, fill_j, text);
    maybe_event(b, "write-back", c.writeback, writeback_j, text);
    return cost;
}

/* Miss-status holding registers: searched by every miss, read out by a fill. */
static void add_mshr(ww__builder *b, uint32_t instances, const ww_cache_params *cache,
                     cache_counters c)
{
    enum { TARGET_BITS = 48 }; /* assumed: warp, lanes and register of one waiting request */
    ww_array_spec spec = {.kind = WW_ARRAY_CAM,
                          .bits = (uint64_t)cache->mshr_entries * LINE_ADDRESS_BITS,
                          .word_bits = LINE_ADDRESS_BITS,
                          .rw_ports = 1,
                          .search_ports = 1};
    ww_array_spec targets_spec = ww_array_table(cache->mshr_entries, TARGET_BITS, 1, 1);
    if (cache->bytes == 0) {
        spec.bits = targets_spec.bits = 0;
    }
    ww_array_result keys = ww__array(b, "miss-status registers", &spec);
    ww_array_result targets = ww__array(b, "miss-status registers", &targets_spec);
    ww__structure(b, 2, "miss-status registers", cache->bytes == 0 ? 0 : instances,
                  keys.area_m2 + targets.area_m2, keys.leak_w + targets.leak_w, "%s",
                  ww__array_text(b, &spec));
    maybe_event(b, "miss", c.read_miss, keys.search_j + keys.write_j + targets.write_j,
                "array model: search and entry");
    maybe_event(b, "merge", c.merged, targets.write_j, "array model: one more target");
    maybe_event(b, "fill", c.fill, keys.search_j + targets.read_j,
                "array model: search and target");
}

static void add_caches(ww__builder *b)
{
    enum { L2_BLOCK = 32 }; /* bytes of a block counter */
    static const cache_counters l1d = {.read_hit = WW_C_L1D_READ_HIT,
                                       .read_miss = WW_C_L1D_READ_MISS,
                                       .merged = WW_C_L1D_READ_MERGED,
                                       .write_hit = WW_C_L1D_WRITE_HIT,
                                       .write_miss = WW_C_L1D_WRITE_MISS,
                                       .fill = WW_C_L1D_FILL,
                                       .writeback = WW_C_L1D_WRITEBACK,
                                       .read_data = WW_C_L1D_READ_HIT,
                                       .late_data = WW_C_L1D_READ_MISS,
                                       .write_data = WW_C_L1D_WRITE_KEPT,
                                       .whole_lines = true,
                                       .switched_read = WW_C_SWITCHED_L1D_READ,
                                       .switched_write = WW_C_SWITCHED_L1D_WRITE};
    static const cache_counters l1c = {.read_hit = WW_C_L1C_READ_HIT,
                                       .read_miss = WW_C_L1C_READ_MISS,
                                       .merged = WW_COUNTER_COUNT,
                                       .write_hit = WW_COUNTER_COUNT,
                                       .write_miss = WW_COUNTER_COUNT,
                                       .fill = WW_C_L1C_FILL,
                                       .writeback = WW_COUNTER_COUNT,
                                       .read_data = WW_C_L1C_READ_HIT,
                                       .late_data = WW_C_L1C_READ_MISS,
                                       .write_data = WW_COUNTER_COUNT};
    static const cache_counters l1t = {.read_hit = WW_C_L1T_READ_HIT,
                                       .read_miss = WW_C_L1T_READ_MISS,
                                       .merged = WW_COUNTER_COUNT,
                                       .write_hit = WW_COUNTER_COUNT,
                                       .write_miss = WW_COUNTER_COUNT,
                                       .fill = WW_C_L1T_FILL,
                                       .writeback = WW_COUNTER_COUNT,
                                       .read_data = WW_C_L1T_READ_HIT,
                                       .late_data = WW_C_L1T_READ_MISS,
                                       .write_data = WW_COUNTER_COUNT};
    static const cache_counters l2 = {.read_hit = WW_C_L2_READ_HIT,
                                      .read_miss = WW_C_L2_READ_MISS,
                                      .merged = WW_C_L2_READ_MERGED,
                                      .write_hit = WW_C_L2_WRITE_HIT,
                                      .write_miss = WW_C_L2_WRITE_MISS,
                                      .fill = WW_C_L2_FILL,
                                      .writeback = WW_C_L2_WRITEBACK,
                                      .read_data = WW_C_L2_READ_BLOCKS,
                                      .late_data = WW_COUNTER_COUNT,
                                      .write_data = WW_C_L2_WRITE_BLOCKS,
                                      .unit_bytes = L2_BLOCK,
                                      .switched_read = WW_C_SWITCHED_L2_READ,
                                      .switched_write = WW_C_SWITCHED_L2_WRITE};
    const ww_arch *arch = b->arch;
    const ww_power_params *power = &arch->power;
    ww__group(b, WW_GROUP_L1, power->l1_factor);
    add_cache(b, "L1 data cache", arch->sm.count, &arch->l1d, l1d);
    add_mshr(b, arch->sm.count, &arch->l1d, l1d);
    ww__group(b, WW_GROUP_CONST, power->const_factor);
    add_cache(b, "constant cache", arch->sm.count, &arch->l1c, l1c);
    ww__group(b, WW_GROUP_TEX, power->tex_factor);
    add_cache(b, "texture cache", arch->sm.count, &arch->l1t, l1t);
    ww__placement(b);
    b->in_sm = false;
    ww__group(b, WW_GROUP_L2, power->l2_factor);
    cache_cost slice = add_cache(b, "L2 cache", ww_arch_slices(arch), &arch->l2, l2);
    /* An atomic reads and writes its sector and passes an adder, lane by lane. */
    ww_cost adder = ww_logic_adder(b->node, WORD_BITS);
    ww__group(b, WW_GROUP_ATOMIC, power->atomic_factor);
    ww__event(b, "atomic lane", WW_C_L2_ATOMIC, slice.read_j + slice.write_j + adder.energy_j,
              "array model: read and write of a block; logic model: %d-bit adder", WORD_BITS);
    ww__group(b, WW_GROUP_L2, power->l2_factor);
    add_mshr(b, ww_arch_slices(arch), &arch->l2, l2);
    ww__placement(b);
}

void ww__build_ldstu(ww__builder *b)
{
    ww__component(b, WW_COMPONENT_LDSTU, b->arch->power.ldst_factor);
    add_agu(b);
    add_coalescer(b);
    add_shared(b);
    ww__build_copy_engine(b);
    add_caches(b);
}
