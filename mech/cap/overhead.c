/* overhead.c - CAP's structures in an SM (IPDPS 2018, section V-D): PerCTA, an array of four ways
 * for each CTA whose PCs are compared and whose entries are read at once; DIST, flip-flops; the
 * generator's adder and its marks; warp numbers in the L1D's miss-status registers. Where bases are
 * bytes, each keeps the length of its run as well, which the paper's 21 bytes do not hold. The two
 * tables are those of configs/tech/structures.xml. */
#include "mech/lib/overhead.h"

enum { COUNTER_BITS = 8, LEAD_BITS = 8, LENGTH_BITS = 10 /* of 32 lanes of 16 bytes */ };

static void add_percta(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    uint32_t ways = arch->cap.entries;
    uint32_t bits = WW_PC_BITS + LEAD_BITS + arch->cap.requests * WW_ADDRESS_BITS;
    ww_structure s = ww__described(b, "caps-percta", arch->sm.max_ctas * ways, bits);
    s.spec.ways = ways;
    ww_structure_cost table = ww__described_cost(b, &s);
    ww__structure(b, 2, "PerCTA table", arch->sm.count, table.area_m2, table.leak_w,
                  "%u entries for each of %u CTAs; %s", (unsigned)ways, (unsigned)arch->sm.max_ctas,
                  ww__array_text(b, &s.spec));
    ww__event(b, "search", WW_C_CAP_LOOKUP, table.read_j, "array model: the entries of a CTA");
    ww__event(b, "search another CTA", WW_C_CAP_WALK, table.read_j,
              "array model: the entries of a CTA");
    ww__event(b, "write", WW_C_CAP_BASE_WRITE, table.write_j, "array model: one entry");
}

static void add_lengths(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    uint32_t kept = arch->cap.base == WW_CAP_BYTE ? arch->sm.max_ctas * arch->cap.entries : 0;
    ww_array_spec spec = ww_array_table(kept, arch->cap.requests * LENGTH_BITS, 1, 1);
    ww_array_result lengths = ww__array(b, "run lengths", &spec);
    ww__structure(b, 2, "run lengths", arch->sm.count, lengths.area_m2, lengths.leak_w,
                  "beside byte bases; %s", ww__array_text(b, &spec));
    ww__event(b, "write", WW_C_CAP_BASE_WRITE, lengths.write_j, "array model: one entry");
}

static void add_dist(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    uint32_t bits = WW_PC_BITS + WW_ADDRESS_BITS + COUNTER_BITS;
    ww_structure s = ww__described(b, "caps-dist", arch->cap.strides, bits);
    ww_structure_cost table = ww__described_cost(b, &s);
    ww__structure(b, 2, "DIST table", arch->sm.count, table.area_m2, table.leak_w,
                  "each entry with a comparator; %s", ww__array_text(b, &s.spec));
    ww__event(b, "search", WW_C_CAP_LOOKUP, table.read_j,
              "array model: one entry; logic model: comparators");
    ww__event(b, "write", WW_C_CAP_DIST_WRITE, table.write_j, "array model: one entry");
}

/* Verification needs the same sum as generation: an adder for each request of a load. */
static void add_generator(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    ww_cost adder = ww_logic_adder(b->node, WW_ADDRESS_BITS);
    ww_cost compare = ww_logic_comparator(b->node, WW_ADDRESS_BITS);
    ww_cost mark = ww_logic_register(b->node, 1, 1);
    uint32_t checks = arch->cap.requests;
    uint32_t marks = (arch->cap.ahead_only ? 2 : 1) * arch->cap.entries * arch->sm.max_warps;
    ww__structure(b, 2, "request generator", arch->sm.count,
                  (checks + 1) * adder.area_m2 + checks * compare.area_m2 + marks * mark.area_m2,
                  (checks + 1) * adder.leak_w + checks * compare.leak_w + marks * mark.leak_w,
                  "logic model: %u adders and comparators that verify, one adder that generates, "
                  "%u marks",
                  (unsigned)checks, (unsigned)marks);
    ww__event(b, "verify", WW_C_CAP_LOOKUP, checks * (adder.energy_j + compare.energy_j),
              "logic model: base plus distance against each address");
    ww__event(b, "generate", WW_C_PF_REQUESTED, adder.energy_j + mark.energy_j,
              "logic model: one address");
}

static void add_tags(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    uint32_t bits = ww__number_bits(arch->sm.max_warps);
    ww_array_spec spec =
        ww_array_table(arch->l1d.bytes == 0 ? 0 : arch->l1d.mshr_entries, bits, 1, 1);
    ww_array_result tags = ww__array(b, "warp tags", &spec);
    ww__structure(b, 2, "warp tags", arch->sm.count, tags.area_m2, tags.leak_w,
                  "the warp that a line is for, in each miss-status register; %s",
                  ww__array_text(b, &spec));
    ww__event(b, "write", WW_C_PF_ISSUED, tags.write_j, "array model: one tag");
    ww__event(b, "read", WW_C_CAP_WAKE, tags.read_j, "array model: one tag");
}

void ww__overhead_cap(ww__builder *b)
{
    add_percta(b);
    add_lengths(b);
    add_dist(b);
    add_generator(b);
    add_tags(b);
    ww__overhead_prefetch_l1d(b, WW_MECH_CAP);
}
