/* overhead.c - scalarization needs no structure of its own: scalar registers lie in the register
 * file, and what a scalar operand of a vector instruction is kept in belongs to DART's instruction
 * register. */
#include "power/overhead.h"

void ww__overhead_scalar(ww__builder *b)
{
    ww__structure(b, 2, "marks", b->arch->sm.count, 0, 0, "bits of the instruction");
}
