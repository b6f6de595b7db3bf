/* tags.h - private to the room: values of one base and stride. */
#ifndef WW_MECH_CAE_TAGS_H
#define WW_MECH_CAE_TAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "perf/ptx/ir.h"

enum { CAE_SOURCES = 4 };

/* What a register holds: lane l has base + l * stride. A predicate: base 0 or 1 and no stride. */
typedef struct cae_tag {
    bool known; /* false: a vector */
    uint32_t base, stride;
} cae_tag;

cae_tag cae_uniform(uint32_t value);

/** Whether the affine unit has the operation at all. */
bool cae_computes(const ww_inst *inst, bool floats);
/** The base and stride of a result of known sources (section 3, equations 2 and 3); false: it has
 * none, though its sources do.
 * @param source  of the operands, NEG applied
 * @param carry   of a second destination, a predicate; not known where lanes differ */
bool cae_result(const ww_inst *inst, const cae_tag source[CAE_SOURCES], cae_tag *out,
                cae_tag *carry);

#endif
