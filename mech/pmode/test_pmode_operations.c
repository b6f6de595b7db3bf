/* test_pmode_operations.c - does P-mode execute ahead, or pass over, only what leaves nothing that
 * the kernel could see, whichever operation it is? */
#include "mech/pmode/pmode.h"
#include "tests/unit/ptx/every_operation.h"

static const uint32_t unseen = WW_AT_VALUES | WW_AT_ORDER;

static void ask(body *b)
{
    ww_error err = {0};
    const ww_effects e = effects_of(b);
    const ww_kernel k = kernel_of(b), *other = NULL;
    const void *made = NULL;
    const ww_mech_build build = {.kernel = &k, .arch = &b->arch, .arena = &b->arena};
    assert_ok(pm_pass(&build, &other, &made, &err), err);
    const pm_action action = (pm_action)((const pm_notes *)made)->inst[0].action;
    bool waits = e.waits != 0 || e.completes != 0;
    switch (action) {
    case PM_EXECUTE:
    case PM_PRELOAD:
    case PM_SHARED_LOAD:
    case PM_LOCAL_LOAD:
        assert_true((e.writes & ~unseen) == 0 && !waits && e.goes == WW_GOES_ON);
        break;
    case PM_BRANCH:
        assert_true(e.goes == WW_GOES_JUMPS || e.goes == WW_GOES_CALLS);
        break;
    case PM_SKIP: /* lanes of a warp wait for nobody else */
        assert_true((e.writes & WW_AT_SHARED) == 0 && e.goes == WW_GOES_ON);
        assert_true(!waits || e.meets == WW_MEETS_LANES);
        break;
    case PM_SHARED_STORE:
        assert_true((e.writes & WW_AT_SHARED) != 0 && !waits);
        break;
    default: /* barriers have their rule; the rest ends the stream */
        assert_true(action == PM_HALT || b->op == WW_OP_BAR);
    }
    if (ww_effects_compute(&e)) {
        assert_int_equal(action, PM_EXECUTE);
    }
    if (b->op == WW_OP_COUNT) {
        assert_int_equal(action, PM_HALT);
    }
}

static void only_what_leaves_nothing_runs_ahead(void **state)
{
    (void)state;
    of_each(ask);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_what_leaves_nothing_runs_ahead)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
