/* overhead.c - UV's structures in an SM: one bit per register and warp that says whether it is
 * uniform, and the reuse buffer, whose ways are read and compared at once. Operands that are
 * compared come from the register file and are charged there. */
#include "power/overhead.h"

enum {
    PREDICATES = 7, /* per thread, as in machine code since Fermi */
    PC_BITS = 32,
    SOURCE_BITS = 3 * 32, /* operand words of an entry (hooks.c) */
    RESULT_BITS = 2 * 32,
    STATE_BITS = 2, /* valid, result written */
    ENTRY_BITS = PC_BITS + SOURCE_BITS + RESULT_BITS + STATE_BITS
};

static void add_uniform_table(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    uint32_t row = arch->sm.max_thread_registers + PREDICATES;
    ww_array_spec spec = ww_array_table(arch->sm.max_warps, row, 1, 1);
    ww_array_result table = ww__array(b, "uniform-register table", &spec);
    ww__structure(b, 2, "uniform-register table", arch->sm.count, table.area_m2, table.leak_w,
                  "a bit per register and warp; %s", ww__array_text(b, &spec));
    ww__event(b, "check operands", WW_C_UV_CHECK, table.read_j, "array model: a warp's row");
    ww__event(b, "mark result", WW_C_UV_MARK, table.write_j, "array model: a warp's row");
}

static void add_reuse_buffer(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    uint32_t ways = arch->uv.ways;
    ww_array_spec spec = ww_array_table(arch->uv.entries / ways, ENTRY_BITS, 1, 1);
    ww_array_result way = ww__array(b, "reuse buffer", &spec);
    ww_cost compare = ww_logic_comparator(b->node, PC_BITS + SOURCE_BITS);
    ww__structure(b, 2, "reuse buffer", arch->sm.count * ways, way.area_m2 + compare.area_m2,
                  way.leak_w + compare.leak_w, "%u ways, each with a comparator of %d bits; %s",
                  (unsigned)ways, PC_BITS + SOURCE_BITS, ww__array_text(b, &spec));
    ww__event(b, "search", WW_C_UV_LOOKUP, ways * (way.read_j + compare.energy_j),
              "array model: one entry of each of %u ways; logic model: comparators",
              (unsigned)ways);
    ww__event(b, "enter result", WW_C_UV_WRITE, way.write_j, "array model: one entry");
}

void ww__overhead_uv(ww__builder *b)
{
    add_uniform_table(b);
    add_reuse_buffer(b);
}
