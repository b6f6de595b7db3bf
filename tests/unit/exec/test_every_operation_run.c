/* Do those who prepare kernels for execution keep to what the table says of operations, whichever
 * it is? */
#include "perf/exec/code.h"
#include "perf/exec/memcheck/shadow.h"
#include "tests/unit/ptx/every_operation.h"

static void run_at_once(body *b)
{
    ww_effects e = effects_of(b);
    const ww_kernel k = kernel_of(b);
    bool meets = (e.meets & (WW_MEETS_CLUSTER | WW_MEETS_GRID)) != 0;
    if ((meets || e.goes == WW_GOES_ABORTS) && ww__ctas_independent(&k)) {
        fail_msg("CTAs with %s run in any order", name_of(b));
    }
    assert_true(ww__ctas_independent(&k) || !ww_effects_compute(&e));
}

static void ctas_that_meet_run_in_order(void **state)
{
    (void)state;
    of_each(run_at_once);
}

static ww_status run_unchecked(ww_exec_ctx *x, const ww_uop *u)
{
    (void)x;
    (void)u;
    return WW_OK;
}

/* An access without a check is refused: silence would pass for soundness. */
static void check_memory(body *b)
{
    ww_error err = {0};
    ww_effects e = effects_of(b);
    const ww_kernel k = kernel_of(b);
    const ww_launch launch = {.kernel = &k};
    ww_uop uop[] = {{.run = run_unchecked}, {.run = run_unchecked}, {.run = run_unchecked}};
    struct ww_exec_code code = {.launch = &launch, .uop = uop};
    ww_status status = ww__shadow_wrap(&code, &err);
    bool loads = (e.reads & WW_AT_GENERIC) != 0 && (e.writes & WW_AT_VALUES) != 0;
    bool orders = (e.writes & (WW_AT_OBJECTS | WW_AT_GROUPS)) != 0;
    bool accesses = loads || (e.writes & WW_AT_GENERIC) != 0 || orders || e.completes != 0;
    if (accesses && status == WW_OK && uop[0].run == run_unchecked) {
        fail_msg("what %s does to %s memory goes unchecked", name_of(b), ww_space_name(b->space));
    }
    /* Refused: what is no operation, and what belongs to clusters, goes on after its issue or
     * changes tensor maps. */
    bool beyond =
        b->op == WW_OP_TENSORMAP_REPLACE || b->op == WW_OP_TENSORMAP_COPY ||
        (e.meets & (WW_MEETS_CLUSTER | WW_MEETS_WARP_GROUP)) != 0 || e.completes != 0 ||
        ((e.reads | e.writes) & (WW_AT_CLUSTER_SHARED | WW_AT_POOL | WW_AT_DEPENDENTS)) != 0;
    assert_true(status == WW_EUNSUP || (status == WW_OK && b->op != WW_OP_COUNT));
    if (status == WW_EUNSUP && b->op != WW_OP_COUNT && !beyond) {
        fail_msg("%s of %s memory is refused", name_of(b), ww_space_name(b->space));
    }
    assert_true(uop[0].run == run_unchecked || !ww_effects_compute(&e));
    ww_arena_fini(&code.arena);
}

static void every_access_is_checked_or_refused(void **state)
{
    (void)state;
    of_each(check_memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ctas_that_meet_run_in_order),
        cmocka_unit_test(every_access_is_checked_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
