/* overhead.c - DARSIE's structures in an SM (section 6.3): PC skip table behind the coalescer,
 * majority-path masks, rename and version tables banked by block (as configs/tech/structures.xml
 * has them), the freelist, an adder for every program counter that can move in a cycle. Reads and
 * writes of registers by copies are charged in the register file. */
#include "power/overhead.h"

enum {
    PC_BITS = 48,
    BLOCK_WARPS = 32,                       /* of the largest block */
    ENTRY_BITS = PC_BITS + BLOCK_WARPS + 2, /* waiting mask, IsLoad, LeaderWB */
    RENAME_BITS = 8 + 8 + 5,                /* named register, physical register, version */
};

static void add_table(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    const ww_darsie_params *p = &arch->darsie;
    ww_structure s =
        ww__described(b, "darsie-skip-table", p->entries * arch->sm.max_ctas, ENTRY_BITS);
    s.spec.read_ports = p->lookups;
    ww_structure_cost a = ww__described_cost(b, &s);
    ww__structure(b, 2, "PC skip table", arch->sm.count, a.area_m2, a.leak_w,
                  "%u bits per SM: %u entries for each of %u blocks; %s",
                  (unsigned)(p->entries * arch->sm.max_ctas * ENTRY_BITS), (unsigned)p->entries,
                  (unsigned)arch->sm.max_ctas, ww__array_text(b, &s.spec));
    ww__event(b, "look up", WW_C_DARSIE_LOOKUP, a.read_j, "array model: one entry");
    ww__event(b, "write", WW_C_DARSIE_TABLE_WRITE, a.write_j, "array model: one entry");
}

static void add_masks(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    ww_structure s = ww__described(b, "darsie-majority-mask", arch->sm.max_ctas, BLOCK_WARPS);
    ww_structure_cost a = ww__described_cost(b, &s);
    ww__structure(b, 2, "majority-path masks", arch->sm.count, a.area_m2, a.leak_w,
                  "%u bits per SM: one for each block; %s",
                  (unsigned)(arch->sm.max_ctas * BLOCK_WARPS), ww__array_text(b, &s.spec));
    ww__event(b, "read", WW_C_DARSIE_MASK_READ, a.read_j, "array model: one mask");
    ww__event(b, "write", WW_C_DARSIE_MASK_WRITE, a.write_j, "array model: one mask");
}

static void add_renaming(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    ww_structure s = ww__described(b, "darsie-rename", arch->darsie.registers, RENAME_BITS);
    ww_structure_cost a = ww__described_cost(b, &s);
    ww__structure(b, 2, "rename and version tables", arch->sm.count * arch->sm.max_ctas, a.area_m2,
                  a.leak_w, "%u bits per SM: one for each of %u blocks; %s",
                  (unsigned)(arch->darsie.registers * arch->sm.max_ctas * RENAME_BITS),
                  (unsigned)arch->sm.max_ctas, ww__array_text(b, &s.spec));
    ww__event(b, "look up", WW_C_DARSIE_RENAME_READ, a.read_j, "array model: one entry");
    ww__event(b, "rename", WW_C_DARSIE_RENAME_WRITE, a.write_j, "array model: one entry");
    ww__event(b, "find version", WW_C_DARSIE_VERSION_READ, a.read_j, "array model: one entry");
    ww__event(b, "make version", WW_C_DARSIE_VERSION_WRITE, a.write_j, "array model: one entry");
}

static void add_freelist(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    ww_array_spec spec = ww_array_table(arch->sm.max_ctas, arch->darsie.registers, 1, 1);
    ww_array_result a = ww__array(b, "freelist", &spec);
    ww__structure(b, 2, "freelist", arch->sm.count, a.area_m2, a.leak_w,
                  "a bit for each register of a block; %s", ww__array_text(b, &spec));
    ww__event(b, "take or return", WW_C_DARSIE_FREELIST, a.read_j + a.write_j,
              "array model: a block's bits, read and written");
}

static void add_adders(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    ww_cost adder = ww_logic_adder(b->node, PC_BITS);
    ww_cost compare = ww_logic_comparator(b->node, PC_BITS);
    const uint32_t warps = arch->sm.count * arch->sm.max_warps;
    ww__structure(b, 2, "adders", warps, adder.area_m2, adder.leak_w, "%d bits for each warp",
                  PC_BITS);
    ww__event(b, "move a program counter", WW_C_DARSIE_ADD, adder.energy_j, "logic model");
    ww__structure(b, 2, "PC coalescer", warps, compare.area_m2, compare.leak_w,
                  "a comparator of %d bits for each warp", PC_BITS);
    ww__event(b, "compare", WW_C_DARSIE_LOOKUP, arch->sm.max_warps * compare.energy_j,
              "logic model: every warp with the one that asks");
}

void ww__overhead_darsie(ww__builder *b)
{
    add_table(b);
    add_masks(b);
    add_renaming(b);
    add_freelist(b);
    add_adders(b);
}
