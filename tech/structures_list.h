/* structures_list.h - the list behind tech/structures.h, for its reader. */
#ifndef WW_TECH_STRUCTURES_LIST_H
#define WW_TECH_STRUCTURES_LIST_H

#include "base/mem.h"
#include "tech/structures.h"

enum { WW_MAX_STRUCTURES = 128, WW_MAX_FIGURES = 256 };

struct ww_structures {
    ww_arena arena; /* strings */
    size_t count, figures;
    ww_structure list[WW_MAX_STRUCTURES];
    ww_figure figure[WW_MAX_FIGURES];
};

#endif
