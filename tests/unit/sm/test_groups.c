/* test_groups.c - do groups of asynchronous copies arrive when their data does, oldest first, and
 * do the copies' writes take the port of shared memory? Timelines by hand: a copy that issues at t
 * makes its access at t + 3; a miss's line is there 273 later (test_memory_path.c), and is then
 * written in as many cycles as the places of its words in the banks ask for. */
#include "tests/support/test.h"

#include "tests/unit/sm/trace.h"

enum { ROUND_TRIP = 273 };

static ww_operand pair(uint32_t r)
{
    return (ww_operand){.kind = WW_OPD_REG, .words = 2, .reg = r};
}

/* 4 bytes a lane, from the address in that pair of registers to the place in r`to`. */
static void copy(code *c, uint32_t from, uint32_t to)
{
    ww_operand src[3] = {pair(from), reg(to), imm(4)};
    put(c, WW_OP_CP_ASYNC, WW_T_B32, 0, NULL, 3, src)->space = WW_SPACE_GLOBAL;
}

static void group(code *c, ww_sub sub, unsigned left)
{
    ww_inst *i = put(c, WW_OP_CP_WAIT, WW_T_NONE, 0, NULL, 0, NULL);
    i->sub = (uint8_t)sub;
    i->offset = left;
}

/* r`r` = lane << shift */
static void lane_place(code *c, uint32_t r, unsigned shift)
{
    ww_operand dst = reg(r), src[2] = {reg(1), imm(shift)};
    put(c, WW_OP_SHL, WW_T_B32, 1, &dst, 2, src);
}

/* r2, r3: the address; r1 = lane, r4 = 4 * lane. All code of a test lies in a line of the
 * instruction cache, 16 instructions. */
static void prepare(code *c, uint64_t address)
{
    mov(c, 2, imm(address & 0xffffffffu));
    mov(c, 3, imm(address >> 32));
    mov(c, 1, sreg(WW_SREG_TID_X));
    lane_place(c, 4, 2);
}

static unsigned issued_at(const trace *t, uint32_t pc)
{
    for (unsigned i = 0; i < t->count; i++) {
        if (t->issue[i].pc == pc) {
            return t->issue[i].at;
        }
    }
    fail_msg("instruction %u was not issued", pc);
    return 0;
}

static void run(code *c, uint64_t address, machine *m, trace *t)
{
    finish(c);
    ww_arch arch = plain_arch(1);
    open_traced(m, &arch, as_kernel(c, 12), 32);
    allocate(m, address);
    run_traced(m, t);
}

/* Two copies of one line, each a group: the first writes 32 banks in a cycle, the second 32 words
 * of one bank. Relative to the first copy's issue:
 *     3 + 273 = 276   the line is there; the first group's write, done at 277
 *     277             what waits for all but one group goes on; the second group's write begins
 *     277 + 32 = 309  and is done: what waits for both goes on
 *     277             a load of shared memory issues; its access, due at 280, finds the port free
 *                     at 309, its result is there 24 later */
static void groups_arrive_with_their_data(void **state)
{
    (void)state;
    code c = {0};
    trace t;
    machine m;
    uint64_t address = first_address();
    prepare(&c, address);
    lane_place(&c, 5, 7);
    uint32_t first = c.count;
    copy(&c, 2, 4);
    group(&c, WW_SUB_COMMIT, 0);
    copy(&c, 2, 5);
    group(&c, WW_SUB_COMMIT, 0);
    group(&c, WW_SUB_WAIT_GROUP, 1);
    load_shared(&c, 6, 4);
    group(&c, WW_SUB_WAIT_GROUP, 0);
    add(&c, 7, 1, 1);
    add(&c, 8, 6, 1);
    run(&c, address, &m, &t);
    unsigned begin = issued_at(&t, first);
    assert_int_equal(issued_at(&t, first + 5) - begin, 3 + ROUND_TRIP + 1);
    assert_int_equal(issued_at(&t, first + 7) - begin, 3 + ROUND_TRIP + 1 + 32);
    assert_int_equal(issued_at(&t, first + 8) - begin, 3 + ROUND_TRIP + 1 + 32 + 24);
    assert_int_equal(get(&m, WW_C_SHARED_WRITE_WORDS), 64);
    assert_int_equal(get(&m, WW_C_SHARED_CYCLES), 1 + 32 + 1);
    assert_int_equal(get(&m, WW_C_SHARED_CONFLICT), 31);
    machine_close(&m);
}

/* A younger group whose data the L1 has does not let go what waits for the older one; and once that
 * has arrived, nothing is left to wait for. */
static void groups_arrive_oldest_first(void **state)
{
    (void)state;
    code c = {0};
    trace t;
    machine m;
    uint64_t address = first_address();
    prepare(&c, address);
    load_global(&c, 6, 2); /* what r6, r7 lie behind: the line is in the L1 by then */
    add(&c, 6, 6, (address & 0xffffffffu) + 4096);
    mov(&c, 7, imm(address >> 32));
    uint32_t first = c.count;
    copy(&c, 6, 4);
    group(&c, WW_SUB_COMMIT, 0);
    copy(&c, 2, 4);
    group(&c, WW_SUB_COMMIT, 0);
    group(&c, WW_SUB_WAIT_GROUP, 1);
    add(&c, 5, 1, 1);
    group(&c, WW_SUB_WAIT_GROUP, 0);
    add(&c, 8, 1, 2);
    run(&c, address, &m, &t);
    assert_int_equal(get(&m, WW_C_L1D_READ_HIT), 1);
    assert_int_equal(get(&m, WW_C_L1D_READ_MISS), 2);
    unsigned begin = issued_at(&t, first), released = issued_at(&t, first + 5);
    assert_true(released - begin > 200);
    assert_int_equal(issued_at(&t, first + 7), released + 2);
    machine_close(&m);
}

/* Copies that no group has taken in yet are none that a wait for groups waits for; a wait for all
 * is one for them too. */
static void open_copies_are_waited_for_by_wait_all(void **state)
{
    (void)state;
    code c = {0};
    trace t;
    machine m;
    uint64_t address = first_address();
    prepare(&c, address);
    uint32_t first = c.count;
    copy(&c, 2, 4);
    group(&c, WW_SUB_WAIT_GROUP, 0);
    add(&c, 7, 1, 1);
    group(&c, WW_SUB_WAIT_ALL, 0);
    add(&c, 7, 1, 2);
    run(&c, address, &m, &t);
    unsigned begin = issued_at(&t, first);
    assert_true(issued_at(&t, first + 2) - begin < 20);
    assert_int_equal(issued_at(&t, first + 4) - begin, 3 + ROUND_TRIP + 1);
    machine_close(&m);
}

/* More groups than the machine keeps apart: a wait still ends, and not before the data are there.
 */
static void more_groups_than_are_kept_apart(void **state)
{
    (void)state;
    code c = {0};
    trace t;
    machine m;
    uint64_t address = first_address();
    prepare(&c, address);
    uint32_t first = c.count;
    copy(&c, 2, 4);
    for (unsigned i = 0; i < 40; i++) {
        group(&c, WW_SUB_COMMIT, 0);
    }
    group(&c, WW_SUB_WAIT_ALL, 0);
    add(&c, 7, 1, 2);
    run(&c, address, &m, &t);
    assert_true(issued_at(&t, first + 42) - issued_at(&t, first) > 3 + ROUND_TRIP);
    machine_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_arrive_with_their_data),
        cmocka_unit_test(groups_arrive_oldest_first),
        cmocka_unit_test(open_copies_are_waited_for_by_wait_all),
        cmocka_unit_test(more_groups_than_are_kept_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
