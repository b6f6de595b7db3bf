/* mech.c - MECH, what active mechanisms add to the chip: each has an overhead model of its own.
 * Work that a mechanism makes others do (more lines filled, fewer operands read) is charged where
 * it is done. */
#include "power/overhead.h"

void ww__build_mech(ww__builder *b)
{
    static void (*const build[WW_MECH_COUNT])(ww__builder *) = {
#define WW_MECH(ID, name, doc) [WW_MECH_##ID] = ww__overhead_##name,
#include "mech/rows.h"
    };
    if (b->arch->mechs == 0 && b->overhead == NULL) {
        return;
    }
    ww__component(b, WW_COMPONENT_MECH, 1);
    for (int id = 0; id < WW_MECH_COUNT; id++) {
        if ((b->arch->mechs >> id & 1) != 0) {
            ww__structure(b, 1, ww_mech_name((ww_mech_id)id), b->arch->sm.count, 0, 0, "%s",
                          ww_mech_about((ww_mech_id)id));
            build[id](b);
        }
    }
    if (b->overhead != NULL) {
        ww__structure(b, 1, b->overhead->name, b->arch->sm.count, 0, 0, "%s", b->overhead->about);
        b->overhead->build(b);
    }
}
