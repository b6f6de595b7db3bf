/* Functions whose error may be lost. */
#include "base/status.h"

WW_NODISCARD ww_status ww_marked(int x, ww_error *err);
ww_status ww_unmarked(int x, ww_error *err); /* refused: unmarked-status */
ww_status *ww_place(int x);

WW_NODISCARD ww_status ww_marked(int x, ww_error *err)
{
    return x > 0 ? WW_OK : ww_fail(err, WW_ERANGE, "%d", x);
}
