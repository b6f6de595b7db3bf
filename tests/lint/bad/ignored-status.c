/* Errors that nobody looks at. */
#include <stddef.h>

#include "base/status.h"

typedef struct door {
    ww_status (*open)(int key, ww_error *err);
} door;

static ww_status turn(int key, ww_error *err)
{
    return key > 0 ? WW_OK : ww_fail(err, WW_ERANGE, "%d", key);
}

WW_NODISCARD ww_status ww_enter(const door *d, int key, ww_error *err);

WW_NODISCARD ww_status ww_enter(const door *d, int key, ww_error *err)
{
    turn(key, err);       /* refused: ignored-status */
    (void)turn(key, err); /* refused: ignored-status */
    d->open(key, err);    /* refused: ignored-status */
    switch (key) {
    case 1:
        turn(2, err); /* refused: ignored-status */
        break;
    default:
        break;
    }
    WW_DROP(turn(key, NULL)); /* it was asked before */
    WW_CERTAIN(turn(1, err));
    ww_status status = turn(key, err);
    return status != WW_OK ? status : d->open(key, err);
}
