/* Assertions that change what runs. */
#include <stdbool.h>

#include "base/assert.h"

int ww_count(int n);

int ww_count(int n)
{
    bool seen = false;
    WW_ASSERT(n >= 0 && !seen);
    WW_ASSERT(n++ < 8);       /* refused: assertion-with-effect */
    WW_ASSERT((seen = true)); /* refused: assertion-with-effect */
    WW_ASSERT((n += 2) > 2);  /* refused: assertion-with-effect */
    return seen ? n : 0;
}
