/* test_darsie.c - does DARSIE skip what it may, when it may, and nothing else? Figures 3 and 5 of
 * the paper, and timelines by hand. */
#include "mech/darsie/test_room.h"

/* DS-X01, figure 3, with warps of 32: addresses from tid.x, loads from them. In a row of 64 threads
 * the warps differ, in two rows of 32 the second skips what the first has executed, and holds the
 * same. The first four values at 10, 14, 18, 22 are the figure's. */
static void figure_3(void **state)
{
    (void)state;
    const uint32_t value[8] = {7, 3, 0, 90, 55, 8, 22, 1};
    const uint64_t address = first_address();
    for (uint32_t rows = 1; rows <= 2; rows++) {
        code c = {0};
        mov(&c, 1, sreg(WW_SREG_TID_X));
        add3(&c, 1, 1, 1);
        add3(&c, 1, 1, 1);                   /* R1 = 4 tid.x */
        add(&c, 2, 1, address & UINT32_MAX); /* R2 = R1 + base */
        mov(&c, 3, imm(address >> 32));
        load_global(&c, 4, 2); /* R3 = [R2] */
        const ww_arch arch = darsie_arch();
        machine m;
        begin(&m, &arch, &c, 64 / rows, rows);
        allocate(&m, address);
        uint32_t *memory = ww_devmem_at(m.mem, address, 256);
        for (uint32_t i = 0; i < 64; i++) {
            memory[i] = value[i % 8] + 100 * (i / 8);
        }
        start_cta(&m);
        until(&m, WW_C_INST_PROGRAM, 2 * 32 * 7 - 32); /* before the last exit */
        for (uint32_t l = 0; l < 32; l++) {
            const uint32_t second = rows == 2 ? l : 32 + l;
            if ((ww_mech_live(m.sm).word[0] & 1) != 0) {
                assert_int_equal(lanes(&m, 0, 4)[l], memory[l]);
            } else {
                assert_int_equal(lanes(&m, 1, 4)[l], memory[second]);
                assert_int_equal(lanes(&m, 1, 1)[l], 4 * second);
            }
        }
        run_out(&m);
        /* a row: the constant alone is shared */
        assert_int_equal(get(&m, WW_C_MECH_SKIPPED), rows == 2 ? 6 : 1);
        assert_int_equal(get(&m, WW_C_INST_ISSUED), rows == 2 ? 8 : 13);
        assert_int_equal(get(&m, WW_C_DARSIE_LOADS), rows == 2 ? 1 : 0);
        assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
        machine_close(&m);
    }
}

/* DS-X02, figure 5: three warps; R1 is written twice, alike, and used with tid.y between. Of 12
 * instructions 8 execute and 4 are skipped; two versions of R1 live at most, and the first ends
 * before the block does. Nobody passes the branch before all have executed it. */
static void figure_5(void **state)
{
    (void)state;
    code c = {0};
    mov(&c, 1, sreg(WW_SREG_TID_X));
    add_sreg(&c, 2, 1, WW_SREG_TID_Y);
    add(&c, 1, 1, 1);
    branch(&c, 4, WW_NO_TARGET);
    const ww_arch arch = darsie_arch();
    machine m;
    begin(&m, &arch, &c, 32, 3);
    start_cta(&m);
    while (ww_sm_pulse_of(m.sm)->ctas > 0) {
        cycle(&m);
        if (ww_mech_live(m.sm).word[0] != 7) { /* a warp has passed the branch */
            assert_true(get(&m, WW_C_BRANCHES) > 3);
        }
    }
    assert_int_equal(get(&m, WW_C_INST_ISSUED), 8 + 3);
    assert_int_equal(get(&m, WW_C_MECH_SKIPPED), 4);
    assert_int_equal(get(&m, WW_C_DARSIE_LEADER), 2);
    assert_int_equal(get(&m, WW_C_DARSIE_VERSION_WRITE), 2);
    assert_true(get(&m, WW_C_DARSIE_LIVE) <= 1 + 2);
    assert_int_equal(get(&m, WW_C_DARSIE_FREELIST), 4); /* both taken, both returned */
    assert_int_equal(get(&m, WW_C_DARSIE_SYNC), 1);
    assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
    machine_close(&m);
}

/* The second warp exits where the others go on: they do, and share what follows. */
static void an_exit_lets_the_others_go_on(void **state)
{
    (void)state;
    code c = {0};
    ww_operand dst = pred(0), src[2] = {sreg(WW_SREG_TID_Y), imm(1)};
    put(&c, WW_OP_SETP, WW_T_U32, 1, &dst, 2, src)->cmp = WW_CMP_EQ;
    finish(&c)->guard = pred(0);
    mov(&c, 1, sreg(WW_SREG_TID_X));
    const ww_arch arch = darsie_arch();
    machine m;
    run(&m, &arch, &c, 32, 3);
    assert_int_equal(get(&m, WW_C_MECH_SKIPPED), 1);
    assert_int_equal(get(&m, WW_C_DARSIE_SYNC), 1);
    machine_close(&m);
}

/* Warp 0's lanes divide at the branch: it leaves the path, with two copies, and executes the next
 * move itself; behind the barrier it takes part again. */
static void a_warp_that_divides_leaves_until_a_barrier(void **state)
{
    (void)state;
    code c = {0};
    mov(&c, 1, sreg(WW_SREG_TID_X));
    add(&c, 2, 1, 1);
    mov(&c, 3, sreg(WW_SREG_TID_Y));
    for (unsigned i = 0; i < 5; i++) {
        add3(&c, 3, 3, 3); /* 32 tid.y */
    }
    add3(&c, 3, 3, 1);
    less(&c, 0, 3, 16); /* lanes 0 to 15 of warp 0 */
    branch(&c, c.count + 2, c.count + 2)->guard = pred(0);
    add(&c, 4, 3, 1); /* a vector */
    mov(&c, 5, imm(7));
    bar(&c);
    for (uint32_t i = 6; i < 14; i++) { /* more than its buffer holds already */
        mov(&c, i, imm(i));
    }
    const ww_arch arch = darsie_arch();
    finish(&c);
    for (uint32_t rows = 2; rows <= 3; rows++) {
        machine m;
        machine_open_block(&m, &arch, as_kernel(&c, 16), (ww_dim3){32, rows, 1}, &ww_mech_darsie);
        run_cta(&m);
        assert_int_equal(get(&m, WW_C_DARSIE_LEFT), 1);
        assert_int_equal(get(&m, WW_C_DARSIE_COPY), 2);
        assert_int_equal(get(&m, WW_C_DARSIE_REJOINED), 1);
        /* of three warps two skip r1 and r2, one r5, then one or two what follows: more than if
         * one alone still did */
        assert_true(rows != 3 || get(&m, WW_C_MECH_SKIPPED) > 4 + 1 + 8);
        assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
        if (rows == 2) { /* warp 0 is alone with its scheduler: of two cycles one issues nothing */
            assert_int_equal(get(&m, WW_C_DARSIE_STALL_COPY), 1);
        }
        machine_close(&m);
    }
}

/* Warps go where they will: with one look-up in a cycle as many skip at most as come to one
 * instruction, and none skips twice. */
static void skips_have_a_bandwidth(void **state)
{
    (void)state;
    for (uint32_t rows = 2; rows <= 4; rows++) {
        code c = {0};
        for (uint32_t i = 0; i < 8; i++) {
            mov(&c, i, imm(i));
        }
        ww_arch arch = darsie_arch();
        arch.darsie.entries = 16;
        arch.darsie.lookups = 1;
        machine m;
        begin(&m, &arch, &c, 32, rows);
        start_cta(&m);
        uint64_t before = 0, lookups = 0;
        while (ww_sm_pulse_of(m.sm)->ctas > 0) {
            cycle(&m);
            assert_true(get(&m, WW_C_DARSIE_ADD) - before <= rows - 1);
            assert_true(get(&m, WW_C_DARSIE_LOOKUP) - lookups <= 1);
            before = get(&m, WW_C_DARSIE_ADD);
            lookups = get(&m, WW_C_DARSIE_LOOKUP);
        }
        assert_int_equal(get(&m, WW_C_MECH_SKIPPED), 8 * (rows - 1));
        machine_close(&m);
    }
}

/* What has been skipped is neither fetched nor decoded, and costs no turn of fetch. */
static void what_is_skipped_is_not_fetched(void **state)
{
    (void)state;
    code c = {0};
    for (uint32_t i = 0; i < 8; i++) {
        mov(&c, i, imm(i));
    }
    ww_arch arch = darsie_arch();
    arch.darsie.entries = 16;
    machine m;
    run(&m, &arch, &c, 32, 2);
    assert_int_equal(get(&m, WW_C_MECH_SKIPPED), 8);
    assert_int_equal(get(&m, WW_C_INST_DECODED), 8 + 2);
    machine_close(&m);
}

/* The whole second warp goes another way at the branch than the first and third: it is alone and
 * executes what they share. */
static void the_majority_goes_on(void **state)
{
    (void)state;
    code c = {0};
    ww_operand dst = pred(0), src[2] = {sreg(WW_SREG_TID_Y), imm(1)};
    put(&c, WW_OP_SETP, WW_T_U32, 1, &dst, 2, src)->cmp = WW_CMP_EQ;
    branch(&c, 3, 3)->guard = pred(0);
    mov(&c, 1, imm(5)); /* warps 0 and 2 */
    mov(&c, 2, imm(6)); /* all, but warp 1 is not on the path */
    const ww_arch arch = darsie_arch();
    machine m;
    run(&m, &arch, &c, 32, 3);
    assert_int_equal(get(&m, WW_C_MECH_SKIPPED), 2);
    assert_int_equal(get(&m, WW_C_DARSIE_LEFT), 1);
    machine_close(&m);
}

/* A branch with a loop behind it: without synchronization each warp takes what others of its
 * history have computed, whenever it comes. */
static void without_synchronization_histories_decide(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        code c = {0};
        mov(&c, 1, imm(0));
        add(&c, 1, 1, 1);
        less(&c, 0, 1, 4);
        branch(&c, 1, 4)->guard = pred(0);
        ww_arch arch = darsie_arch();
        arch.darsie.variant = k == 0 ? WW_DARSIE_PLAIN : WW_DARSIE_NO_CF_SYNC;
        machine m;
        run(&m, &arch, &c, 32, 3);
        assert_int_equal(get(&m, WW_C_MECH_SKIPPED), 2 * (1 + 2 * 4));
        assert_int_equal(get(&m, WW_C_DARSIE_SYNC), k == 0 ? 4 : 0);
        assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
        machine_close(&m);
    }
}

/* As above: with stores ignored the second and third warp skip a load whose word the first has
 * written meanwhile. The check sees it at each skip, and again wherever one of them reads the
 * register, until it writes it itself. */
static void what_is_stale_is_seen_where_it_is_read(void **state)
{
    (void)state;
    const uint64_t address = first_address();
    for (uint32_t reads = 0; reads <= 3; reads++) {
        for (unsigned ignores = 0; ignores <= 1; ignores++) {
            code c = {0};
            mov(&c, 2, imm(address & UINT32_MAX));
            mov(&c, 3, imm(address >> 32));
            mov(&c, 6, sreg(WW_SREG_TID_Y));
            load_global(&c, 4, 2);
            store_global(&c, 2, 2);
            for (uint32_t i = 0; i < reads; i++) {
                add3(&c, 7, 4, 6); /* a vector: executed by each warp */
            }
            add3(&c, 4, 6, 6);
            add3(&c, 7, 4, 6);
            ww_arch arch = darsie_arch();
            arch.darsie.variant = ignores ? WW_DARSIE_IGNORE_STORE : WW_DARSIE_PLAIN;
            machine m;
            begin(&m, &arch, &c, 32, 3);
            allocate(&m, address);
            memset(ww_devmem_at(m.mem, address, 4), 0, 4);
            run_cta(&m);
            assert_int_equal(get(&m, WW_C_MECH_MISMATCH), ignores ? 2 + 2 * reads : 0);
            machine_close(&m);
        }
    }
}

/* A vector written over a shared register is the warp's own from then on, whole or in part. */
static void a_vector_written_over_what_is_shared_is_its_own(void **state)
{
    (void)state;
    for (unsigned part = 0; part <= 1; part++) {
        code c = {0};
        ww_operand dst = pred(0), src[2] = {sreg(WW_SREG_TID_X), imm(16)};
        mov(&c, 1, imm(7));
        put(&c, WW_OP_SETP, WW_T_U32, 1, &dst, 2, src)->cmp = WW_CMP_LT;
        ww_inst *own = add_sreg(&c, 1, 1, WW_SREG_TID_Y);
        if (part > 0) {
            own->guard = pred(0);
        }
        add_sreg(&c, 2, 1, WW_SREG_TID_Y);
        const ww_arch arch = darsie_arch();
        machine m;
        run(&m, &arch, &c, 32, 3);
        assert_int_equal(get(&m, WW_C_MECH_SKIPPED), 2 * 2);
        assert_int_equal(get(&m, WW_C_DARSIE_COPY), part * 3); /* lanes that the guard leaves out */
        assert_int_equal(get(&m, WW_C_MECH_MISMATCH), 0);
        machine_close(&m);
    }
}

/* From the last warp's branch to the last warp's exit behind it. */
static uint64_t from_branch_to_exit(const ww_mech *mech)
{
    code c = {0};
    mov(&c, 1, imm(7)); /* or nothing could be skipped, and nobody would wait */
    branch(&c, 2, WW_NO_TARGET);
    finish(&c);
    const ww_arch arch = darsie_arch();
    machine m;
    machine_open_block(&m, &arch, as_kernel(&c, 16), (ww_dim3){32, 2, 1}, mech);
    start_cta(&m);
    const uint64_t branched = until(&m, WW_C_BRANCHES, 2);
    const uint64_t before = get(&m, WW_C_INST_ISSUED);
    const uint64_t exited = until(&m, WW_C_INST_ISSUED, before + 2);
    machine_close(&m);
    return exited - branched;
}

/* Section 4.3.3: warps that meet at a branch go on together, in the cycle behind the one in which
 * the last of them has come. Without the mechanism the last one's fetch goes on in that cycle; with
 * it, a cycle later, and the other warp's, which would have been ahead, takes another one's turn.
 */
static void warps_go_on_in_the_cycle_behind_their_meeting(void **state)
{
    (void)state;
    assert_int_equal(from_branch_to_exit(&ww_mech_darsie), from_branch_to_exit(NULL) + 2);
}

/* Two warps of four go one way, two the other: the path is that of the lowest warp, which shares
 * what the branch leads round, and what lies behind. */
static void of_equal_numbers_the_lowest_goes_on(void **state)
{
    (void)state;
    code c = {0};
    ww_operand dst = pred(0), src[2] = {sreg(WW_SREG_TID_Y), imm(1)};
    put(&c, WW_OP_SETP, WW_T_U32, 1, &dst, 2, src)->cmp = WW_CMP_GT;
    branch(&c, 3, 3)->guard = pred(0);
    mov(&c, 1, imm(5)); /* warps 0 and 1 */
    mov(&c, 2, imm(6)); /* all, but warps 2 and 3 are not on the path */
    const ww_arch arch = darsie_arch();
    machine m;
    run(&m, &arch, &c, 32, 4);
    assert_int_equal(get(&m, WW_C_DARSIE_LEFT), 2);
    assert_int_equal(get(&m, WW_C_MECH_SKIPPED), 2);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_3),
        cmocka_unit_test(figure_5),
        cmocka_unit_test(what_is_stale_is_seen_where_it_is_read),
        cmocka_unit_test(a_vector_written_over_what_is_shared_is_its_own),
        cmocka_unit_test(warps_go_on_in_the_cycle_behind_their_meeting),
        cmocka_unit_test(of_equal_numbers_the_lowest_goes_on),
        cmocka_unit_test(an_exit_lets_the_others_go_on),
        cmocka_unit_test(a_warp_that_divides_leaves_until_a_barrier),
        cmocka_unit_test(skips_have_a_bandwidth),
        cmocka_unit_test(what_is_skipped_is_not_fetched),
        cmocka_unit_test(the_majority_goes_on),
        cmocka_unit_test(without_synchronization_histories_decide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
