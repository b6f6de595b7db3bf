/* test_same_results.c - does a mechanism change time and energy alone? Every workload runs at its
 * smallest size without and with a mechanism, whose name is on the command line, or with several
 * and the helper warp; every byte that the host reads back must be the same, and results that a
 * mechanism supplied must be those of plain execution. A second argument is the machine: what does
 * not fit on it must be refused, with and without the mechanism, by a message that says why; a
 * third one the number of threads; a fourth a parameter of the mechanism, key=value, or "-"; the
 * workloads follow, where not all are meant. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"

#include "arch/arch.h"
#include "base/hash.h"
#include "perf/api/device_state.h"
#include "tests/mech/helper_warp.h"
#include "tests/support/totals.h"
#include "workloads/workload.h"

/* The linker sends the drivers' reads here (CMakeLists.txt). */
WW_NODISCARD ww_status __real_ww_device_read(ww_device *device, void *dst, ww_devptr src,
                                             size_t bytes, ww_error *err);
WW_NODISCARD ww_status __wrap_ww_device_read(ww_device *device, void *dst, ww_devptr src,
                                             size_t bytes, ww_error *err);

/* What one run of a workload came to. */
typedef struct outcome {
    uint64_t hash;     /* of what was read back */
    char refused[256]; /* why the machine cannot run it; "": it can */
    totals totals;
} outcome;

static outcome *current;
static const char *room;           /* on the command line; NULL: several at once */
static const char *gpu = "gtx480"; /* there too */
static unsigned threads = 1;       /* that simulate, there too */
static ww_setting further;         /* key=value, there too: of runs with the mechanism */
static char **only;                /* workloads, there too; NULL: all */

WW_NODISCARD ww_status __wrap_ww_device_read(ww_device *device, void *dst, ww_devptr src,
                                             size_t bytes, ww_error *err)
{
    WW_TRY(__real_ww_device_read(device, dst, src, bytes, err));
    current->hash = ww_hash_bytes(current->hash, dst, bytes);
    return WW_OK;
}

/* helper: with the test's own mechanism beside those that mechs names. */
static outcome run(const ww_workload *workload, const char *mechs, bool helper)
{
    const ww_setting settings[] = {{WW_MECH_KEY, mechs}, further};
    const size_t used = further.key != NULL && strcmp(mechs, "none") != 0 ? 2 : 1;
    ww_arch *arch = NULL;
    ww_device *device = NULL;
    ww_error err = {0};
    outcome o = {.hash = WW_HASH_INIT};
    const ww_device_options options = {
        .on_launch = totals_collect, .user = &o.totals, .threads = threads};
    assert_ok(ww_arch_load(gpu, settings, used, &arch, &err), err);
    assert_ok(ww_device_create(arch, &options, &device, &err), err);
    if (helper) {
        assert_ok(ww_gpu_attach(ww_device_gpu(device), &helper_warp_mech, &err), err);
    }
    current = &o;
    ww_status st = workload->run(device, WW_SIZE_SMALL, &err);
    if (st == WW_ERANGE && strcmp(gpu, "gtx480") != 0) {
        snprintf(o.refused, sizeof o.refused, "%.255s", err.what);
    } else if (st != WW_OK) {
        fail_msg("%s with %s: %s", workload->name, mechs, err.what);
    }
    ww_device_destroy(device);
    ww_arch_destroy(arch);
    return o;
}

/* Whether as many instructions are executed whatever the order of warps: a loop around a
 * compare-and-swap takes as many rounds as others come between. */
static bool fixed_work(const ww_workload *w)
{
    return w->order_independent && strcmp(w->name, "histo") != 0;
}

/* Equal, or, where registers were allocated anew, as near as the copies and spills that this leaves
 * or saves. */
static bool same_work(uint64_t with, uint64_t plain, const char *mechs)
{
    uint64_t slack = strstr(mechs, "scalar") != NULL ? plain / 10 : 0;
    return with <= plain + slack && plain <= with + slack;
}

/* Warp instructions of the program: those that its warps issued for the first time, and those that
 * a pass took out of their stream. */
static uint64_t own_work(const outcome *o)
{
    return o->totals.counter[WW_C_INST_ISSUED] + o->totals.counter[WW_C_MECH_ABSENT] +
           o->totals.counter[WW_C_MECH_SKIPPED] - o->totals.counter[WW_C_MECH_EXTRA_INST] -
           o->totals.counter[WW_C_MECH_SHADOW_INST];
}

/* What rooms say stays 0. */
static void check_zeros(const ww_workload *w, const outcome *with)
{
    static const ww_counter zero[] = {
        WW_C_MECH_MISMATCH,
#define WW_MECH_ZERO(ID, COUNTER) WW_C_##COUNTER,
#include "mech/rows.h"
    };
    for (size_t i = 0; i < WW_ARRAY_LEN(zero); i++) {
        if (with->totals.counter[zero[i]] != 0) {
            fail_msg("%s: %s is %llu", w->name, ww_counter_describe(zero[i])->name,
                     (unsigned long long)with->totals.counter[zero[i]]);
        }
    }
}

static void compare(const ww_workload *w, const outcome *plain, const outcome *with,
                    const char *mechs)
{
    if (w->order_independent && with->hash != plain->hash) {
        fail_msg("%s: %s changes results", w->name, mechs);
    }
    check_zeros(w, with);
    if (fixed_work(w) && !same_work(with->totals.counter[WW_C_INST_PROGRAM],
                                    plain->totals.counter[WW_C_INST_PROGRAM], mechs)) {
        fail_msg("%s: %llu thread instructions of the program with %s, %llu without", w->name,
                 (unsigned long long)with->totals.counter[WW_C_INST_PROGRAM], mechs,
                 (unsigned long long)plain->totals.counter[WW_C_INST_PROGRAM]);
    }
    uint64_t own = own_work(with);
    if (fixed_work(w) && !same_work(own, plain->totals.counter[WW_C_INST_ISSUED], mechs)) {
        fail_msg("%s: %llu warp instructions issued or absent with %s, %llu without", w->name,
                 (unsigned long long)own, mechs,
                 (unsigned long long)plain->totals.counter[WW_C_INST_ISSUED]);
    }
}

/* What rooms count: nothing without one of them. */
static uint64_t work_of(const outcome *o)
{
    static const ww_counter rows[] = {
#define WW_MECH_COUNTER(id, text, unit, scope, consumers, doc) WW_C_##id,
#include "mech/rows.h"
    };
    uint64_t sum = 0;
    for (size_t i = 0; i < WW_ARRAY_LEN(rows); i++) {
        sum += o->totals.counter[rows[i]];
    }
    return sum;
}

/* A launch that does not fit names what of it: threads, shared memory or registers of a CTA. */
static bool is_refused(const ww_workload *w, const outcome *plain, const outcome *with)
{
    if (plain->refused[0] == '\0' && with->refused[0] == '\0') {
        return false;
    }
    print_message("%s: refused: %s\n", w->name, plain->refused);
    assert_string_equal(with->refused, plain->refused);
    assert_true(strstr(plain->refused, "threads of a CTA") != NULL ||
                strstr(plain->refused, "of shared memory per CTA") != NULL ||
                strstr(plain->refused, "registers") != NULL);
    return true;
}

static bool is_meant(const ww_workload *w)
{
    char **name = only;
    while (name != NULL && *name != NULL && strcmp(*name, w->name) != 0) {
        name++;
    }
    return name == NULL || *name != NULL;
}

static unsigned capability_of(const char *name)
{
    ww_error err = {0};
    ww_arch *arch = NULL;
    assert_ok(ww_arch_load(name, NULL, 0, &arch, &err), err);
    const unsigned capability = arch->chip.compute_capability;
    ww_arch_destroy(arch);
    return capability;
}

static void every_workload_gives_the_same_bytes(void **state)
{
    (void)state;
    size_t count;
    const ww_workload *all = ww_workload_list(&count);
    uint64_t work = 0, locked = 0;
    size_t refused = 0;
    const unsigned capability = capability_of(gpu);
    assert_true(count >= 20);
    for (size_t i = 0; i < count; i++) {
        if (!is_meant(&all[i]) || !ww_workload_runs_on(&all[i], capability)) {
            continue;
        }
        outcome plain = run(&all[i], "none", false);
        outcome with = run(&all[i], room != NULL ? room : "nlp,uv", room == NULL);
        if (is_refused(&all[i], &plain, &with)) {
            refused++;
            continue;
        }
        compare(&all[i], &plain, &with, room != NULL ? room : "nlp, uv and the helper warp");
        assert_int_equal(work_of(&plain), 0);
        work += work_of(&with);
        locked += with.totals.counter[WW_C_MECH_LOCKED];
    }
    assert_true(work > (only == NULL ? 1000 : 100)); /* it was at work */
    assert_true(refused < count / 10);
    assert_true(room != NULL || locked > 100);
}

int main(int argc, char **argv)
{
    room = argc > 1 ? argv[1] : NULL;
    gpu = argc > 2 ? argv[2] : gpu;
    threads = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : threads;
    char *equals = argc > 4 ? strchr(argv[4], '=') : NULL;
    if (equals != NULL) {
        *equals = '\0';
        further = (ww_setting){argv[4], equals + 1};
    }
    only = argc > 5 ? argv + 5 : NULL;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_workload_gives_the_same_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
