/* overhead.c - DAC's structures in an SM (Wang and Lin, ISCA 2017, table 1 and section 4.8): the
 * queues, the Affine SIMT Stack and the Divergent Condition Register File with one part for all
 * warps and one for each, an ALU for addresses and one for predicates, lock counters beside the
 * L1D's tags, and a register for each warp in which it returns masks (section 4.5; its size is not
 * printed). Lanes that a comparison takes are charged as work of the execution units. */
#include "power/overhead.h"

enum {
    TUPLE_BITS = 131,    /* 24 entries in 393 bytes */
    RECORD_BITS = 65,    /* 192 in 1560: line, word mask, last of its access */
    MASK_BITS = 32,      /* 192 in 768 */
    PLACE_BITS = 2 * 64, /* PC and reconvergence PC */
    LOCK_BITS = 8,       /* records of 48 warps that may hold one line */
};

static void add_queue(ww__builder *b, const char *name, uint32_t entries, uint32_t bits,
                      ww_counter write, ww_counter read)
{
    ww_array_spec spec = ww_array_table(entries, bits, 1, 1);
    ww_array_result a = ww__array(b, name, &spec);
    ww__structure(b, 2, name, b->arch->sm.count, a.area_m2, a.leak_w, "%s",
                  ww__array_text(b, &spec));
    ww__event(b, "write", write, a.write_j, "array model: one entry");
    ww__event(b, "read", read, a.read_j, "array model: one entry");
}

/* Masks in two levels: two bits for each warp, and lanes of those that are mixed. */
static void add_levels(ww__builder *b, const char *name, const char *per_warp, uint32_t entries,
                       ww_counter writes, ww_counter lanes)
{
    const ww_arch *arch = b->arch;
    ww_array_spec spec = ww_array_table(entries, 2 * arch->sm.max_warps + PLACE_BITS, 1, 1);
    ww_array_result a = ww__array(b, name, &spec);
    ww__structure(b, 2, name, arch->sm.count, a.area_m2, a.leak_w,
                  "two bits per warp, PC, reconvergence PC; %s", ww__array_text(b, &spec));
    ww__event(b, "access", writes, (a.read_j + a.write_j) / 2, "array model: mean of both");
    ww_array_spec lane = ww_array_table(entries, MASK_BITS, 1, 1);
    ww_array_result l = ww__array(b, per_warp, &lane);
    ww__structure(b, 2, per_warp, arch->sm.count * arch->sm.max_warps, l.area_m2, l.leak_w,
                  "one for each warp; %s", ww__array_text(b, &lane));
    ww__event(b, "access", lanes, (l.read_j + l.write_j) / 2, "array model: mean of both");
}

static void add_conditions(ww__builder *b, uint32_t entries)
{
    add_levels(b, "divergent condition registers", "divergent conditions per warp", entries,
               WW_C_DAC_DCRF_WRITE, WW_C_DAC_DCRF_LANES);
    ww_array_spec lane = ww_array_table(entries, MASK_BITS, 1, 1);
    ww__event(b, "expansion", WW_C_DAC_DCRF_READ,
              ww__array(b, "divergent conditions", &lane).read_j,
              "array model: the mask of one warp");
}

static void add_alus(ww__builder *b)
{
    ww_fu_cost alu = ww_fu_at(b->fu, b->node, WW_FU_INT_ADD, WW_FU_DATAPATH);
    ww__structure(b, 2, "expansion ALUs", 2 * b->arch->sm.count, alu.area_m2, alu.leak_w,
                  "one for addresses, one for predicates; %s", alu.source);
    ww__event(b, "address", WW_C_DAC_AEU, alu.energy_j, "integer add");
    ww__event(b, "comparison", WW_C_DAC_PEU, alu.energy_j, "integer add");
}

static void add_locks(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    uint32_t lines = (uint32_t)(arch->l1d.bytes / arch->l1d.line_bytes);
    ww_array_spec spec = ww_array_table(lines > 0 ? lines : 1, LOCK_BITS, 1, 1);
    ww_array_result a = ww__array(b, "lock counters", &spec);
    ww__structure(b, 2, "lock counters", arch->sm.count, a.area_m2, a.leak_w,
                  "one for each line of the L1D; %s", ww__array_text(b, &spec));
    ww__event(b, "lock", WW_C_DAC_LOCK, a.read_j + a.write_j, "array model: read and write");
    ww__event(b, "unlock", WW_C_DAC_UNLOCK, a.read_j + a.write_j, "array model: read and write");
}

static void add_returns(ww__builder *b)
{
    ww_array_spec spec = ww_array_table(b->arch->sm.max_warps, MASK_BITS, 1, 1);
    ww_array_result a = ww__array(b, "return registers", &spec);
    ww__structure(b, 2, "return registers", b->arch->sm.count, a.area_m2, a.leak_w,
                  "one mask for each warp; %s", ww__array_text(b, &spec));
    ww__event(b, "return", WW_C_DAC_RETURNED, a.read_j + a.write_j,
              "array model: written by the warp, read by the affine warp");
}

void ww__overhead_dac(ww__builder *b)
{
    const ww_dac_params *p = &b->arch->dac;
    add_queue(b, "affine tuple queue", p->atq, TUPLE_BITS, WW_C_DAC_ATQ_WRITE, WW_C_DAC_ATQ_READ);
    add_queue(b, "per-warp address queues", p->pwaq, RECORD_BITS, WW_C_DAC_PWAQ_WRITE,
              WW_C_DAC_PWAQ_READ);
    add_queue(b, "per-warp predicate queues", p->pwpq, MASK_BITS, WW_C_DAC_PWPQ_WRITE,
              WW_C_DAC_PWPQ_READ);
    add_levels(b, "affine SIMT stack", "affine SIMT stacks per warp", p->stack, WW_C_DAC_STACK,
               WW_C_DAC_STACK_LANES);
    add_conditions(b, p->conditions > 0 ? p->conditions : 1);
    add_alus(b);
    add_locks(b);
    add_returns(b);
}
