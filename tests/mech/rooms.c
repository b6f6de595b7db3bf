/* rooms.c - see rooms.h. */
#include "tests/support/test.h"

#include "base/str.h"
#include "tests/mech/rooms.h"

void with_every_room(ww_arch *arch)
{
    ww_str names = {0};
    ww_error err = {0};
    ww_arch *shipped = NULL;
    for (int id = 0; id < WW_MECH_COUNT; id++) {
        ww_str_addf(&names, "%s%s", id > 0 ? "," : "", ww_mech_name((ww_mech_id)id));
    }
    const ww_setting settings[] = {{WW_MECH_KEY, ww_str_text(&names)}};
    assert_ok(ww_arch_load("gtx480", settings, 1, &shipped, &err), err);
    arch->mechs = shipped->mechs;
#define WW_MECH(ID, name, doc) arch->name = shipped->name;
#include "mech/rows.h"
    ww_arch_destroy(shipped);
    ww_str_fini(&names);
}
