/* test_register_pool.c - do warp groups that ask for registers (setmaxnreg) wait for those that
 * others of their CTA give back, and no longer? Three warp groups of 168 registers, as the bounds
 * of a CTA of 384 threads allow: the producer's 128 threads give 128 each back, which are as many
 * as two groups need to go from 168 to 232, and too few for 240. */
#include <string.h>

#include "base/str.h"
#include "tests/support/hopper_fixture.h"

enum { THREADS = 384, CHANGE = 10 /* async.registers_change */ };

/* Each group's cycle when it goes on, and the one before it asks: groups 0 (gives, n cycles after
 * the start) to 2. */
static void text_of(ww_str *ptx, unsigned wanted, unsigned cycles, const char *bounds)
{
    ww_str_addf(ptx,
                ".version 8.0\n.target sm_90a\n.address_size 64\n"
                ".visible .entry k(.param .u64 out) %s {\n"
                ".reg .pred %%p<4>; .reg .b32 %%r<12>; .reg .b64 %%q<4>;\n"
                "ld.param.u64 %%q0, [out]; mov.u32 %%r0, %%tid.x; shr.u32 %%r1, %%r0, 7;\n"
                "and.b32 %%r2, %%r0, 127; setp.ne.u32 %%p1, %%r2, 0; setp.eq.u32 %%p0, %%r1, 0;\n"
                "mul.wide.u32 %%q1, %%r1, 8; add.u64 %%q0, %%q0, %%q1;\n"
                "bar.sync 0; mov.u32 %%r3, %%clock; @%%p0 bra GIVE;\n"
                "mov.u32 %%r4, %%clock; setmaxnreg.inc.sync.aligned.u32 %u; bra DONE;\n"
                "GIVE: mov.u32 %%r4, %%clock; sub.u32 %%r5, %%r4, %%r3;\n"
                "setp.lt.u32 %%p2, %%r5, %u; @%%p2 bra GIVE;\n"
                "setmaxnreg.dec.sync.aligned.u32 40;\n"
                "DONE: mov.u32 %%r6, %%clock; @%%p1 bra END; st.global.v2.u32 [%%q0], {%%r4, "
                "%%r6};\nEND: ret;\n}\n",
                bounds, wanted, cycles);
}

static ww_status run(hopper *m, unsigned wanted, unsigned cycles, const char *bounds,
                     uint32_t got[6])
{
    ww_str ptx = {0};
    ww_devptr out;
    text_of(&ptx, wanted, cycles, bounds);
    hopper_open(m, ww_str_text(&ptx), true, false, 1);
    assert_ok(ww_device_malloc(m->device, 64, &out, &m->err), m->err);
    const ww_status st = hopper_launch(m, "k", 1, THREADS, 0, out);
    if (st == WW_OK) {
        assert_ok(ww_device_read(m->device, got, out, 24, &m->err), m->err);
    }
    hopper_close(m);
    ww_str_fini(&ptx);
    return st;
}

#define BOUNDS ".maxntid 384 .minnctapersm 1"

enum { AROUND = 25 }; /* the clock, the loop's end and the branch around a change */

/* Whoever asks waits until the last warp of the producer has given. */
static void groups_wait_for_what_others_give_back(void **state)
{
    (void)state;
    for (unsigned cycles = 500; cycles <= 2000; cycles += 500) {
        uint32_t got[6];
        hopper m;
        assert_ok(run(&m, 232, cycles, BOUNDS, got), m.err);
        assert_in_range(got[1] - got[0], CHANGE, CHANGE + AROUND);
        for (unsigned group = 1; group < 3; group++) {
            assert_in_range(got[2 * group + 1], got[0] + CHANGE, got[0] + CHANGE + 2 * AROUND);
            assert_true(got[2 * group] < got[0] - cycles / 2);
        }
    }
}

/* ptxas passes over setmaxnreg where nothing bounds the kernel's registers. */
static void without_bounds_nothing_waits(void **state)
{
    (void)state;
    uint32_t got[6];
    hopper m;
    assert_ok(run(&m, 240, 1000, "", got), m.err);
    assert_true(got[3] - got[2] < CHANGE && got[5] - got[4] < CHANGE);
}

/* 2 x 128 x 72 = 18432 of 16384: one group gets its share, the other never. */
static void too_much_is_a_deadlock(void **state)
{
    (void)state;
    uint32_t got[6];
    hopper m;
    assert_int_equal(run(&m, 240, 100, BOUNDS, got), WW_EDEADLOCK);
    if (strstr(m.err.what,
               "9216 registers of its CTA, which has 7168 free; held: 40 by warps 0-3") == NULL) {
        fail_msg("%s", m.err.what);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_wait_for_what_others_give_back),
        cmocka_unit_test(without_bounds_nothing_waits),
        cmocka_unit_test(too_much_is_a_deadlock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
