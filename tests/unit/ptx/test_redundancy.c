/* test_redundancy.c - are DARSIE's marks right (ASPLOS 2020, section 4.2), on code small enough to
 * mark by hand? */
#include "module.h"
#include "perf/ptx/analysis/redundancy.h"

/* Marks of a kernel's PTX instructions, as a string of one letter each: D, C, V. */
static void assert_marks(const char *text, const char *expected)
{
    ww_ptx_module *module = parse(text);
    ww_error err = {0};
    ww_arena arena = {0};
    ww_kernel *kernel = NULL;
    ww_view view;
    uint8_t *mark = NULL;
    char got[256] = "";
    assert_ok(ww_ptx_build_kernel(module, "k", false, NULL, &kernel, &err), err);
    assert_ok(ww_view_of_kernel(kernel, &arena, &view, &err), err);
    assert_ok(ww_redundancy_build(&view, kernel->local_bytes > 0, &arena, &mark, &err), err);
    for (uint32_t i = 0; i < kernel->code_count; i++) {
        got[i] = ww_mark_name((ww_mark)mark[i])[0];
    }
    assert_string_equal(got, expected);
    ww_arena_fini(&arena);
    ww_ptx_destroy(module);
}

static void sources_decide(void **state)
{
    (void)state;
    assert_marks(KERNEL("mov.u32 %r1, %ctaid.x;\n"       /* D */
                        "mov.u32 %r2, %tid.x;\n"         /* C */
                        "mov.u32 %r3, %tid.y;\n"         /* V */
                        "mov.u32 %r4, %laneid;\n"        /* V */
                        "ld.param.u32 %r5, [n];\n"       /* D */
                        "add.u32 %r6, %r1, %r5;\n"       /* D */
                        "mad.lo.u32 %r7, %r2, 4, %r6;\n" /* C */
                        "add.u32 %r8, %r7, %r3;\n"       /* V */
                        "setp.lt.u32 %p1, %r7, %r5;\n"   /* C */
                        "selp.u32 %r9, %r6, %r5, %p1;\n" /* C */
                        "ret;"),                         /* V */
                 "DCVVDDCVCCV");
}

static void loads_are_as_their_addresses(void **state)
{
    (void)state;
    assert_marks(KERNEL("ld.param.u64 %rd1, [out];\n"           /* D */
                        "mov.u32 %r2, %tid.x;\n"                /* C */
                        "mul.wide.u32 %rd2, %r2, 4;\n"          /* C */
                        "add.u64 %rd3, %rd1, %rd2;\n"           /* C */
                        "ld.global.u32 %r3, [%rd1];\n"          /* D */
                        "ld.global.u32 %r4, [%rd3];\n"          /* C */
                        "ld.volatile.global.u32 %r5, [%rd1];\n" /* V */
                        "ld.u32 %r6, [%rd1];\n"                 /* D: no local memory */
                        "atom.global.add.u32 %r7, [%rd1], 1;\n" /* V */
                        "st.global.u32 [%rd3], %r4;\n"          /* V */
                        "ret;"),
                 "DCCCDCVDVVV");
    assert_marks(KERNEL(".local .align 4 .b8 own[16];\n"
                        "mov.u64 %rd2, own;\n"        /* D */
                        "ld.param.u64 %rd1, [out];\n" /* D */
                        "st.local.u32 [%rd2], 1;\n"   /* V */
                        "ld.local.u32 %r1, [%rd2];\n" /* D: all threads have left the same there */
                        "ld.u32 %r2, [%rd1];\n"       /* D: may be local */
                        "ret;"),
                 "DDVDDV");
    assert_marks(KERNEL(".local .align 4 .b8 own[16];\n"
                        "mov.u64 %rd2, own;\n"         /* D */
                        "ld.param.u64 %rd1, [out];\n"  /* D */
                        "ld.local.u32 %r1, [%rd2];\n"  /* D: nothing has been left there yet */
                        "mov.u32 %r3, %tid.x;\n"       /* C */
                        "st.local.u32 [%rd2], %r3;\n"  /* V */
                        "st.local.u32 [%rd2], 1;\n"    /* V: which of them, is not told apart */
                        "ld.local.u32 %r1, [%rd2];\n"  /* C: each thread's own */
                        "ld.u32 %r2, [%rd1];\n"        /* C: may be local */
                        "ld.global.u32 %r2, [%rd1];\n" /* D */
                        "ret;"),
                 "DDDCVVCCDV");
}

/* A guarded write keeps what was there. */
static void guards_and_old_values_count(void **state)
{
    (void)state;
    assert_marks(KERNEL("mov.u32 %r1, %tid.x;\n"     /* C */
                        "mov.u32 %r2, %tid.y;\n"     /* V */
                        "setp.eq.u32 %p1, %r1, 0;\n" /* C */
                        "setp.eq.u32 %p2, %r2, 0;\n" /* V */
                        "mov.u32 %r3, 5;\n"          /* D */
                        "@%p1 mov.u32 %r3, 6;\n"     /* C: the guard */
                        "add.u32 %r4, %r3, 1;\n"     /* C */
                        "mov.u32 %r5, %r2;\n"        /* V */
                        "@%p1 mov.u32 %r5, 6;\n"     /* V: the old value */
                        "mov.u32 %r6, 7;\n"          /* D */
                        "@%p2 mov.u32 %r6, 8;\n"     /* V: the guard */
                        "mov.u32 %r6, 9;\n"          /* D: overwritten */
                        "add.u32 %r7, %r6, 1;\n"     /* D */
                        "ret;"),
                 "CVCVDCCVVDVDDV");
}

/* The weakest definition that reaches: in the loop, %r2 is what it was or a sum with %r1. */
static void the_weakest_definition_counts(void **state)
{
    (void)state;
    assert_marks(KERNEL("mov.u32 %r1, %tid.x;\n" /* C */
                        "mov.u32 %r2, 0;\n"      /* D */
                        "mov.u32 %r3, 0;\n"      /* D */
                        "again:\n"
                        "add.u32 %r2, %r2, %r1;\n"   /* C */
                        "add.u32 %r3, %r3, 1;\n"     /* D */
                        "setp.lt.u32 %p1, %r3, 8;\n" /* D */
                        "@%p1 bra again;\n"          /* V */
                        "add.u32 %r4, %r2, %r3;\n"   /* C */
                        "ret;"),
                 "CDDCDDVCV");
}

/* One warp takes 5, another 7: those that stay together agree on %r3, but behind the barrier all
 * go on. What did not change on the way is as it was. */
static void a_barrier_brings_ways_together(void **state)
{
    (void)state;
    assert_marks(KERNEL("mov.u32 %r1, %tid.y;\n"     /* V */
                        "mov.u32 %r2, %ctaid.x;\n"   /* D */
                        "setp.eq.u32 %p1, %r1, 0;\n" /* V */
                        "mov.u32 %r3, 5;\n"          /* D */
                        "@%p1 bra over;\n"           /* V */
                        "mov.u32 %r3, 7;\n"          /* D */
                        "over:\n"
                        "add.u32 %r4, %r3, 1;\n" /* D: of those that came this way */
                        "bar.sync 0;\n"          /* V */
                        "add.u32 %r5, %r3, 1;\n" /* V: of all */
                        "add.u32 %r6, %r2, 1;\n" /* D */
                        "add.u32 %r7, %r4, 1;\n" /* V: made of %r3 */
                        "ret;"),
                 "VDVDVDDVVDVV");
    /* a branch that all warps decide alike divides none */
    assert_marks(KERNEL("mov.u32 %r2, %ctaid.x;\n"
                        "setp.eq.u32 %p1, %r2, 0;\n"
                        "mov.u32 %r3, 5;\n"
                        "@%p1 bra over;\n"
                        "mov.u32 %r3, 7;\n"
                        "over:\n"
                        "bar.sync 0;\n"
                        "add.u32 %r5, %r3, 1;\n"
                        "ret;"),
                 "DDDVDVDV");
}

/* Of the branch on %tid.y one side holds a return that nobody may ever take: what it does to %r3 is
 * still one warp's and not another's behind the barrier. */
static void a_return_does_not_hide_where_sides_meet(void **state)
{
    (void)state;
    assert_marks(KERNEL("mov.u32 %r1, %tid.y;\n"     /* V */
                        "ld.param.u32 %r2, [n];\n"   /* D */
                        "setp.lt.s32 %p1, %r1, 6;\n" /* V */
                        "setp.lt.s32 %p2, %r2, 0;\n" /* D */
                        "mov.u32 %r3, 5;\n"          /* D */
                        "@%p1 bra over;\n"           /* V */
                        "@%p2 bra leave;\n"          /* V */
                        "mov.u32 %r3, 7;\n"          /* D */
                        "over:\n"
                        "bar.sync 0;\n"          /* V */
                        "add.u32 %r5, %r3, 1;\n" /* V */
                        "add.u32 %r6, %r2, 1;\n" /* D */
                        "leave:\n"
                        "ret;"),
                 "VDVDDVVDVVDV");
}

/* Who leaves by its index meets nobody again: those that stay are as they were. So they are behind
 * a loop that some have left, where no barrier comes any more, and behind its own barrier, for all
 * that come there have gone the same way. */
static void those_that_leave_for_good_part_nobody(void **state)
{
    (void)state;
    assert_marks(KERNEL("mov.u32 %r1, %tid.y;\n"     /* V */
                        "setp.lt.s32 %p1, %r1, 6;\n" /* V */
                        "mov.u32 %r3, 5;\n"          /* D */
                        "@%p1 ret;\n"                /* V */
                        "mov.u32 %r3, 7;\n"          /* D */
                        "bar.sync 0;\n"              /* V */
                        "add.u32 %r5, %r3, 1;\n"     /* D */
                        "ret;"),
                 "VVDVDVDV");
    assert_marks(KERNEL("mov.u32 %r1, %tid.y;\n" /* V */
                        "mov.u32 %r3, 0;\n"      /* D */
                        "again:\n"
                        "setp.eq.s32 %p1, %r1, %r3;\n" /* V */
                        "@%p1 bra behind;\n"           /* V */
                        "add.u32 %r3, %r3, 1;\n"       /* D */
                        "bar.sync 0;\n"                /* V */
                        "add.u32 %r4, %r3, 1;\n"       /* D */
                        "setp.lt.s32 %p2, %r3, 9;\n"   /* D */
                        "@%p2 bra again;\n"            /* V */
                        "behind:\n"
                        "add.u32 %r5, %r3, 1;\n" /* D: of those that left in one round */
                        "ret;"),
                 "VDVVDVDDVDV");
    /* with a barrier there, those of all rounds meet */
    assert_marks(KERNEL("mov.u32 %r1, %tid.y;\n" /* V */
                        "mov.u32 %r3, 0;\n"      /* D */
                        "again:\n"
                        "setp.eq.s32 %p1, %r1, %r3;\n" /* V */
                        "@%p1 bra behind;\n"           /* V */
                        "add.u32 %r3, %r3, 1;\n"       /* D */
                        "setp.lt.s32 %p2, %r3, 9;\n"   /* D */
                        "@%p2 bra again;\n"            /* V */
                        "behind:\n"
                        "bar.sync 0;\n"          /* V */
                        "add.u32 %r5, %r3, 1;\n" /* V */
                        "ret;"),
                 "VDVVDDVVVV");
}

/* One side has a barrier more: its warps meet the others in the loop a round later. %r3 counts
 * rounds and is one thing for all that came the same way, but not for those that meet; %r2 is older
 * than the branch. */
static void a_barrier_on_one_side_puts_warps_out_of_step(void **state)
{
    (void)state;
    assert_marks(KERNEL("mov.u32 %r1, %tid.y;\n"     /* V */
                        "mov.u32 %r2, %ctaid.x;\n"   /* D */
                        "setp.lt.s32 %p1, %r1, 6;\n" /* V */
                        "@%p1 bra over;\n"           /* V */
                        "bar.sync 0;\n"              /* V */
                        "over:\n"
                        "mov.u32 %r3, 0;\n" /* D */
                        "again:\n"
                        "bar.sync 0;\n"              /* V */
                        "add.u32 %r3, %r3, 1;\n"     /* V */
                        "add.u32 %r4, %r2, 1;\n"     /* D */
                        "setp.lt.s32 %p2, %r3, 9;\n" /* V */
                        "@%p2 bra again;\n"          /* V */
                        "ret;"),
                 "VDVVVDVVDVVV");
}

/* Where warps may hand each other values between barriers, two of them may find different ones at
 * one place. What nobody writes is as it was. */
static void what_talking_warps_load_is_their_own(void **state)
{
    (void)state;
    assert_marks(KERNEL("ld.param.u64 %rd1, [out];\n"     /* D */
                        "ld.global.u32 %r3, [%rd1];\n"    /* V */
                        "ld.global.nc.u32 %r4, [%rd1];\n" /* D */
                        "membar.gl;\n"                    /* V */
                        "ret;"),
                 "DVDVV");
    assert_marks(KERNEL("ld.param.u64 %rd1, [out];\n"  /* D */
                        "ld.global.u32 %r3, [%rd1];\n" /* V */
                        "bar.sync 1, 64;\n"            /* V */
                        "ret;"),
                 "DVVV");
}

/* Figure 3: R1, R2 and R3 from %tid.x. */
static void figure_3(void **state)
{
    (void)state;
    assert_marks(KERNEL("mov.u32 %r9, %tid.x;\n"
                        "mul.lo.u32 %r1, %r9, 4;\n"
                        "add.u32 %r2, %r1, 10;\n"
                        "ld.shared.u32 %r3, [%r2];\n"
                        "ret;"),
                 "CCCCV");
}

/* Figure 6, the unrolled loop of matrix multiplication on virtual registers: of each step, the move
 * from shared memory and the address are conditionally redundant, the multiplication is not. */
static void figure_6(void **state)
{
    (void)state;
    assert_marks(KERNEL("mov.u32 %r4, %tid.x;\n"           /* C */
                        "mov.u32 %r5, %tid.y;\n"           /* V */
                        "shl.b32 %r10, %r4, 2;\n"          /* C: $ofs3 */
                        "shl.b32 %r11, %r5, 7;\n"          /* V: $ofs2 */
                        "ld.shared.f32 %f1, [%r10];\n"     /* C: mov $r0, s[$ofs3] */
                        "add.u32 %r12, %r10, 128;\n"       /* C: add $ofs4, $ofs3, 0x80 */
                        "ld.shared.f32 %f2, [%r11];\n"     /* V: the shared operand of mad */
                        "fma.rn.f32 %f3, %f2, %f1, %f3;\n" /* V */
                        "ld.shared.f32 %f1, [%r12];\n"     /* C */
                        "ret;"),
                 "CVCVCCVVCV");
}

static void shapes_that_promote(void **state)
{
    (void)state;
    const uint32_t yes[][2] = {{16, 16}, {8, 8}, {32, 32}, {16, 8}, {2, 64}};
    const uint32_t no[][2] = {{64, 4}, {24, 8}, {256, 1}, {32, 1}};
    for (size_t i = 0; i < 5; i++) {
        assert_true(ww_redundancy_promotes(yes[i][0], yes[i][1], 1));
    }
    for (size_t i = 0; i < 4; i++) {
        assert_false(ww_redundancy_promotes(no[i][0], no[i][1], 1));
    }
    assert_true(ww_redundancy_promotes(8, 4, 2));
    assert_true(ww_redundancy_promotes(32, 1, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sources_decide),
        cmocka_unit_test(loads_are_as_their_addresses),
        cmocka_unit_test(guards_and_old_values_count),
        cmocka_unit_test(the_weakest_definition_counts),
        cmocka_unit_test(a_barrier_brings_ways_together),
        cmocka_unit_test(a_return_does_not_hide_where_sides_meet),
        cmocka_unit_test(those_that_leave_for_good_part_nobody),
        cmocka_unit_test(a_barrier_on_one_side_puts_warps_out_of_step),
        cmocka_unit_test(what_talking_warps_load_is_their_own),
        cmocka_unit_test(figure_3),
        cmocka_unit_test(figure_6),
        cmocka_unit_test(shapes_that_promote),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
