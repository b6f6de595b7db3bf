/* test_darsie_operations.c - does DARSIE know of every operation whether loads that it has skipped
 * may be out of date behind it, and what belongs to a thread alone? */
#include "mech/darsie/darsie.h"
#include "perf/ptx/analysis/redundancy.h"
#include "tests/unit/ptx/every_operation.h"

static void ask(body *b)
{
    ww_error err = {0};
    const ww_effects e = effects_of(b);
    const ww_kernel k = kernel_of(b), *other = NULL;
    const void *made = NULL;
    const ww_mech_build build = {.kernel = &k, .arch = &b->arch, .arena = &b->arena};
    assert_ok(ds_pass(&build, &other, &made, &err), err);
    const ds_note *note = &((const ds_notes *)made)->inst[0];
    const uint32_t written = WW_AT_GLOBAL | WW_AT_SHARED | WW_AT_CLUSTER_SHARED | WW_AT_SURFACE;
    const bool waits_for_copies = (e.writes & WW_AT_GROUPS) != 0 && e.completes == 0;
    if ((e.writes & written) != 0 && !waits_for_copies && (note->kind & DS_STORE) == 0) {
        fail_msg("%s stores, unnoticed", name_of(b));
    }
    if ((e.meets & (WW_MEETS_CLUSTER | WW_MEETS_GRID)) != 0 && (note->kind & DS_GLOBAL) == 0) {
        fail_msg("%s meets other blocks, unnoticed", name_of(b));
    }
    if (((e.meets != 0 && e.goes == WW_GOES_ON) || b->op == WW_OP_COUNT) &&
        note->mark != WW_MARK_V) {
        fail_msg("%s is shared among warps", name_of(b));
    }
    assert_true(note->kind == 0 || !ww_effects_compute(&e));
}

static void stores_and_meetings_are_known(void **state)
{
    (void)state;
    of_each(ask);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stores_and_meetings_are_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
