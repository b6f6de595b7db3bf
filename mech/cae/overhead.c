/* overhead.c - CAE's structures in an SM: two bits for each warp register that tell vectors,
 * uniform and affine values apart, a base and a stride for each, and an affine unit for each
 * scheduler of an ALU for bases and one for strides. Wang and Lin (ISCA 2017) print no cost of it.
 * Passes of the lanes that expand a value are charged as work of the execution units. */
#include "power/overhead.h"

enum { TAG_BITS = 2, VALUE_BITS = 64, SOURCES = 3 };

void ww__overhead_cae(ww__builder *b)
{
    const ww_arch *arch = b->arch;
    uint32_t registers = arch->sm.registers / 32;
    ww_array_spec tag_spec = ww_array_table(registers, TAG_BITS, SOURCES, 1);
    ww_array_result tags = ww__array(b, "tags", &tag_spec);
    ww__structure(b, 2, "tags", arch->sm.count, tags.area_m2, tags.leak_w,
                  "vector, uniform or affine, for each warp register; %s",
                  ww__array_text(b, &tag_spec));
    ww__event(b, "check operands", WW_C_CAE_CHECK, SOURCES * tags.read_j, "array model: %d entries",
              SOURCES);
    ww__event(b, "mark result", WW_C_CAE_MARK, tags.write_j, "array model: one entry");
    ww_array_spec value_spec = ww_array_table(registers, VALUE_BITS, 1, 1);
    ww_array_result values = ww__array(b, "affine registers", &value_spec);
    ww__structure(b, 2, "affine registers", arch->sm.count, values.area_m2, values.leak_w,
                  "base and stride for each warp register; %s", ww__array_text(b, &value_spec));
    ww__event(b, "read", WW_C_CAE_READ, values.read_j, "array model: one entry");
    ww__event(b, "write", WW_C_CAE_WRITE, values.write_j, "array model: one entry");
    ww_fu_cost alu = ww_fu_at(b->fu, b->node, WW_FU_INT_MUL, WW_FU_DATAPATH);
    ww__structure(b, 2, "affine units", 2 * arch->sm.schedulers * arch->sm.count, alu.area_m2,
                  alu.leak_w, "an ALU for bases and one for strides, one unit per scheduler; %s",
                  alu.source);
    ww__event(b, "operation", WW_C_CAE_OP, alu.energy_j, "integer multiply-add");
}
