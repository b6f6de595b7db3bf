/* singles.h - the operands of a form that computes singles, as given and with subnormals flushed.
 */
#ifndef WW_TESTS_PTX_FORMS_SINGLES_H
#define WW_TESTS_PTX_FORMS_SINGLES_H

#include "ieee.h"

#define A  a.f32
#define B  b.f32
#define C  c.f32
#define FA ieee_flush(a.f32)
#define FB ieee_flush(b.f32)
#define FC ieee_flush(c.f32)

#endif
