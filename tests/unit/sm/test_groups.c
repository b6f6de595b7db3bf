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
    address_in(c, 2, address);
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

/* Code that copies from the machine's memory, and what it did. */
typedef struct copies {
    uint64_t address;
    code c;
    uint32_t first; /* copy */
    machine m;
    trace t;
} copies;

static copies *copies_begin(void)
{
    static copies b;
    memset(&b, 0, sizeof b);
    b.address = first_address();
    prepare(&b.c, b.address);
    return &b;
}

static void run(copies *b)
{
    finish(&b->c);
    ww_arch arch = plain_arch(1);
    open_traced(&b->m, &arch, as_kernel(&b->c, 12), 32);
    allocate(&b->m, b->address);
    run_traced(&b->m, &b->t);
    while (b->c.inst[b->first].op != WW_OP_CP_ASYNC) {
        b->first++;
    }
}

/* Cycles from the first copy's issue to that of the n-th instruction behind it. */
static unsigned since_first(const copies *b, uint32_t n)
{
    return issued_at(&b->t, b->first + n) - issued_at(&b->t, b->first);
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
    copies *b = copies_begin();
    code *c = &b->c;
    lane_place(c, 5, 7);
    copy(c, 2, 4);
    group(c, WW_SUB_COMMIT, 0);
    copy(c, 2, 5);
    group(c, WW_SUB_COMMIT, 0);
    group(c, WW_SUB_WAIT_GROUP, 1);
    load_shared(c, 6, 4);
    group(c, WW_SUB_WAIT_GROUP, 0);
    add(c, 7, 1, 1);
    add(c, 8, 6, 1);
    run(b);
    assert_int_equal(since_first(b, 5), 3 + ROUND_TRIP + 1);
    assert_int_equal(since_first(b, 7), 3 + ROUND_TRIP + 1 + 32);
    assert_int_equal(since_first(b, 8), 3 + ROUND_TRIP + 1 + 32 + 24);
    assert_int_equal(get(&b->m, WW_C_SHARED_WRITE_WORDS), 64);
    assert_int_equal(get(&b->m, WW_C_SHARED_CYCLES), 1 + 32 + 1);
    assert_int_equal(get(&b->m, WW_C_SHARED_CONFLICT), 31);
    machine_close(&b->m);
}

/* A younger group whose data the L1 has does not let go what waits for the older one; and once that
 * has arrived, nothing is left to wait for. */
static void groups_arrive_oldest_first(void **state)
{
    (void)state;
    copies *b = copies_begin();
    code *c = &b->c;
    load_global(c, 6, 2); /* what r6, r7 lie behind: the line is in the L1 by then */
    add(c, 6, 6, (b->address & 0xffffffffu) + 4096);
    mov(c, 7, imm(b->address >> 32));
    copy(c, 6, 4);
    group(c, WW_SUB_COMMIT, 0);
    copy(c, 2, 4);
    group(c, WW_SUB_COMMIT, 0);
    group(c, WW_SUB_WAIT_GROUP, 1);
    add(c, 5, 1, 1);
    group(c, WW_SUB_WAIT_GROUP, 0);
    add(c, 8, 1, 2);
    run(b);
    assert_int_equal(get(&b->m, WW_C_L1D_READ_HIT), 1);
    assert_int_equal(get(&b->m, WW_C_L1D_READ_MISS), 2);
    assert_true(since_first(b, 5) > 200);
    assert_int_equal(since_first(b, 7), since_first(b, 5) + 2);
    machine_close(&b->m);
}

/* Copies that no group has taken in yet are none that a wait for groups waits for; a wait for all
 * is one for them too. */
static void open_copies_are_waited_for_by_wait_all(void **state)
{
    (void)state;
    copies *b = copies_begin();
    code *c = &b->c;
    copy(c, 2, 4);
    group(c, WW_SUB_WAIT_GROUP, 0);
    add(c, 7, 1, 1);
    group(c, WW_SUB_WAIT_ALL, 0);
    add(c, 7, 1, 2);
    run(b);
    assert_true(since_first(b, 2) < 20);
    assert_int_equal(since_first(b, 4), 3 + ROUND_TRIP + 1);
    machine_close(&b->m);
}

/* More groups than the machine keeps apart: a wait still ends, and not before the data are there.
 */
static void more_groups_than_are_kept_apart(void **state)
{
    (void)state;
    copies *b = copies_begin();
    code *c = &b->c;
    copy(c, 2, 4);
    for (unsigned i = 0; i < 40; i++) {
        group(c, WW_SUB_COMMIT, 0);
    }
    group(c, WW_SUB_WAIT_ALL, 0);
    add(c, 7, 1, 2);
    run(b);
    assert_true(since_first(b, 42) > 3 + ROUND_TRIP);
    machine_close(&b->m);
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
