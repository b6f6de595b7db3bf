/* base has no word of the field. */
#include "counters/counters.h" /* refused: floors */
