/* shipped.h - each description that ships with WarpWatt, for tests that hold for all of them. */
#ifndef WW_TESTS_SUPPORT_SHIPPED_H
#define WW_TESTS_SUPPORT_SHIPPED_H

#include "arch/arch.h"
#include "tests/support/test.h"

static inline void for_each_shipped(void (*check)(const char *name))
{
    ww_error err = {0};
    ww_arena arena = {0};
    ww_arch_entry *entries;
    size_t count;
    assert_ok(ww_arch_list(&arena, &entries, &count, &err), err);
    assert_true(count >= 5);
    for (size_t i = 0; i < count; i++) {
        check(entries[i].name);
    }
    ww_arena_fini(&arena);
}

#endif
