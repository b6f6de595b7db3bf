/* structure.h - a part of a power model by its path. */
#ifndef WW_TESTS_POWER_STRUCTURE_H
#define WW_TESTS_POWER_STRUCTURE_H

#include <string.h>

#include "power/power.h"
#include "tests/support/test.h"

static inline const ww_power_structure *structure_of(const ww_power_model *model, const char *path)
{
    size_t count;
    const ww_power_structure *s = ww_power_structures(model, &count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(s[i].path, path) == 0) {
            return &s[i];
        }
    }
    fail_msg("no structure %s", path);
    return NULL;
}

#endif
