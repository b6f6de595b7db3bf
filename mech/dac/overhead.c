/* overhead.c - DAC's structures in an SM (Wang and Lin, ISCA 2017, table 1 and section 4.8): the
 * queues, the Affine SIMT Stack and the Divergent Condition Register File with one part for all
 * warps and one for each, an ALU for addresses and one for predicates, lock counters beside the
 * L1D's tags, and a register for each warp in which it returns masks (section 4.5; its size is not
 * printed). Queues, stacks and ALUs are those of configs/tech/structures.xml. Lanes that a
 * comparison takes are charged as work of the execution units. */
#include "power/overhead.h"

enum {
    TUPLE_BITS = 131,    /* 24 entries in 393 bytes */
    RECORD_BITS = 65,    /* 192 in 1560: line, word mask, last of its access */
    MASK_BITS = 32,      /* 192 in 768 */
    PLACE_BITS = 2 * 64, /* PC and reconvergence PC */
    LOCK_BITS = 8,       /* records of 48 warps that may hold one line */
};

/* Which structure of configs/tech/structures.xml, and how often and under which name it is here. */
typedef struct table {
    const char *described, *name;
    uint32_t instances, entries, bits;
} table;

static ww_structure_cost add_table(ww__builder *b, const table *t)
{
    ww_structure s = ww__described(b, t->described, t->entries, t->bits);
    ww_structure_cost cost = ww__described_cost(b, &s);
    ww__structure(b, 2, t->name, t->instances, cost.area_m2, cost.leak_w, "%s",
                  ww__array_text(b, &s.spec));
    return cost;
}

static void add_queue(ww__builder *b, const table *t, ww_counter write, ww_counter read)
{
    ww_structure_cost a = add_table(b, t);
    ww__event(b, "write", write, a.write_j, "array model: one entry");
    ww__event(b, "read", read, a.read_j, "array model: one entry");
}

/* One level of masks; the cost of one of its tables. */
static ww_structure_cost add_level(ww__builder *b, const table *t, ww_counter accesses)
{
    ww_structure_cost a = add_table(b, t);
    ww__event(b, "access", accesses, (a.read_j + a.write_j) / 2, "array model: mean of both");
    return a;
}

/* Masks in two levels: two bits for each warp, and lanes of those that are mixed. */
static void add_stack(ww__builder *b, uint32_t entries)
{
    const ww_sm_params *sm = &b->arch->sm;
    add_level(b,
              &(table){"dac-stack-warp-level", "affine SIMT stack", sm->count, entries,
                       2 * sm->max_warps + PLACE_BITS},
              WW_C_DAC_STACK);
    add_level(b,
              &(table){"dac-stack-per-warp", "affine SIMT stacks per warp",
                       sm->count * sm->max_warps, entries, MASK_BITS},
              WW_C_DAC_STACK_LANES);
}

static void add_conditions(ww__builder *b, uint32_t entries)
{
    const ww_sm_params *sm = &b->arch->sm;
    add_level(b,
              &(table){"dac-dcrf-warp-level", "divergent condition registers", sm->count, entries,
                       2 * sm->max_warps + PLACE_BITS},
              WW_C_DAC_DCRF_WRITE);
    ww_structure_cost lanes =
        add_level(b,
                  &(table){"dac-dcrf-per-warp", "divergent conditions per warp",
                           sm->count * sm->max_warps, entries, MASK_BITS},
                  WW_C_DAC_DCRF_LANES);
    ww__event(b, "expansion", WW_C_DAC_DCRF_READ, lanes.read_j,
              "array model: the mask of one warp");
}

static void add_alus(ww__builder *b)
{
    ww_structure_cost alu = ww__described_unit(b, "dac-alu");
    ww__structure(b, 2, "expansion ALUs", 2 * b->arch->sm.count, alu.area_m2, alu.leak_w,
                  "one for addresses, one for predicates: integer adders");
    ww__event(b, "address", WW_C_DAC_AEU, alu.read_j, "integer add");
    ww__event(b, "comparison", WW_C_DAC_PEU, alu.read_j, "integer add");
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
    const uint32_t sms = b->arch->sm.count;
    add_queue(b, &(table){"dac-atq", "affine tuple queue", sms, p->atq, TUPLE_BITS},
              WW_C_DAC_ATQ_WRITE, WW_C_DAC_ATQ_READ);
    add_queue(b, &(table){"dac-pwaq", "per-warp address queues", sms, p->pwaq, RECORD_BITS},
              WW_C_DAC_PWAQ_WRITE, WW_C_DAC_PWAQ_READ);
    add_queue(b, &(table){"dac-pwpq", "per-warp predicate queues", sms, p->pwpq, MASK_BITS},
              WW_C_DAC_PWPQ_WRITE, WW_C_DAC_PWPQ_READ);
    add_stack(b, p->stack);
    add_conditions(b, p->conditions > 0 ? p->conditions : 1);
    add_alus(b);
    add_locks(b);
    add_returns(b);
}
