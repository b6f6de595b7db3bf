/* test_pmode.c - U1 to U5: what P-mode executes, skips, pre-loads and reuses, in which cycles. The
 * machine is kernels.h's: an instruction behind an emptied buffer is decoded one cycle after its
 * fetch and issues in the cycle behind that; what needs an arithmetic result follows in 12. */
#include "mech/pmode/test_room.h"

enum {
    OVERWRITTEN_AFTER = 12
}; /* cycles from an issue until the result is written and its register can be had */

/* ---- U1: the paper's figure 5 ---- */

enum { LOAD = 4, ADD, MUL, SUB, SET, BRANCH, LOOP_END };

/* ld r0; add r2; mul r3 <- r0; sub r1 (here the address r8); set; br to the load. Two rounds. */
static void figure_5(code *c)
{
    address_in(c, 8, first_address());
    mov(c, 2, imm(0));
    mov(c, 3, imm(0));
    load_global(c, 0, 8);
    add(c, 2, 2, 1);
    add3(c, 3, 3, 0);
    add(c, 8, 8, 4096);
    less(c, 0, 2, 2);
    branch_if(c, 0, LOAD);
}

/* The load issues in T, the add in T + 1; the multiplication is then known to wait. P-mode fetches
 * two cycles later, in T + 3, drops it in T + 5 and issues the subtraction in T + 6; the
 * comparison, which needs the add, in T + 13, the branch in T + 25, the second load in T + 27, the
 * second add in T + 28, and the second multiplication is dropped in T + 29. */
static void p_mode_runs_figure_5(void **state)
{
    (void)state;
    code c = {0};
    machine m;
    figure_5(&c);
    open_pmode(&m, &c, &defaults);
    uint64_t load = until(&m, WW_C_INST_ISSUED, LOAD + 1);
    assert_int_equal(until(&m, WW_C_PMODE_SWITCH, 1) - load, 1);
    assert_int_equal(until(&m, WW_C_PMODE_SKIPPED, 1) - load, 4); /* decided when it is decoded */
    assert_int_equal(until(&m, WW_C_MECH_SHADOW_DROPPED, 1) - load, 5);
    const uint64_t issues[] = {6, 13, 25, 27, 28};
    for (unsigned k = 0; k < 5; k++) {
        assert_int_equal(until(&m, WW_C_MECH_SHADOW_INST, k + 1) - load, issues[k]);
    }
    assert_int_equal(until(&m, WW_C_MECH_SHADOW_DROPPED, 2) - load, 29);
    assert_int_equal(get(&m, WW_C_PMODE_PREEXECUTED), 4);
    assert_int_equal(get(&m, WW_C_PMODE_PRELOAD), 1);
    assert_int_equal(get(&m, WW_C_PMODE_QUEUE_WRITE), 3);
    assert_int_equal(get(&m, WW_C_PMODE_RENAME_WRITE), 3);
    finish_cta(&m);
    machine_close(&m);
}

/* Back in W, the cycle in which the load's value is written: the multiplication is fetched in W and
 * issues in W + 2; subtraction and comparison come out of the queue in W + 1 and issue in W + 3 and
 * W + 4; the branch in W + 5, the load in W + 7, the add out of the queue in W + 8, when the second
 * multiplication is known to wait and the queue is emptied. */
static void n_mode_reuses_figure_5(void **state)
{
    (void)state;
    code c = {0};
    machine m;
    figure_5(&c);
    open_pmode(&m, &c, &defaults);
    *memory(&m, 0) = 5;
    *memory(&m, 4096) = 6;
    until(&m, WW_C_PMODE_HALTED, 1); /* at the exit */
    uint64_t before = get(&m, WW_C_INST_ISSUED), queued = get(&m, WW_C_PMODE_QUEUE_WRITE);
    assert_int_equal(queued, 5);
    uint64_t mul = until(&m, WW_C_INST_ISSUED, before + 1);
    const uint64_t issues[] = {1, 2, 3, 5, 6};
    for (unsigned k = 0; k < 5; k++) {
        assert_int_equal(until(&m, WW_C_INST_ISSUED, before + 2 + k) - mul, issues[k]);
    }
    assert_int_equal(until(&m, WW_C_PMODE_SWITCH, 2) - mul, 6);
    assert_int_equal(get(&m, WW_C_PMODE_REUSED), 3);
    assert_int_equal(get(&m, WW_C_MECH_SUPPLIED), 5); /* two of which leave with the buffer */
    assert_int_equal(get(&m, WW_C_PMODE_N_PRELOADED), 1);
    finish_cta(&m);
    assert_int_equal(get(&m, WW_C_PMODE_N_HIT), 1);
    assert_int_equal(get(&m, WW_C_PMODE_N_READ), 2);
    assert_int_equal(value(&m, 3), 11);
    assert_int_equal(value(&m, 2), 2);
    machine_close(&m);
}

/* ---- U2: poison, and a write after a write ---- */

static void poison_is_lifted_by_a_new_value(void **state)
{
    (void)state;
    enum { FIRST = 5, TRIGGER, MOVE, PLUS, STORE, AHEAD, LAST };
    code c = {0};
    machine m;
    address_in(&c, 8, first_address());
    mov(&c, 5, imm(0));
    mov(&c, 2, imm(0));
    mov(&c, 3, imm(0));
    load_global(&c, 0, 8);
    add(&c, 2, 0, 1);
    mov(&c, 2, imm(7));
    add(&c, 4, 2, 1);
    store_global(&c, 8, 4);
    load_global(&c, 10, 4)->offset = (int64_t)first_address() + 4096;
    add3(&c, 6, 10, 0);
    open_pmode(&m, &c, &defaults);
    *memory(&m, 0) = 5;
    *memory(&m, 4096 + 8) = 30;
    until(&m, WW_C_PMODE_HALTED, 1);
    assert_int_equal(get(&m, WW_C_PMODE_SKIPPED), 3);
    assert_int_equal(get(&m, WW_C_PMODE_PREEXECUTED), 2);
    assert_int_equal(get(&m, WW_C_PMODE_PRELOAD), 1);
    assert_int_equal(*memory(&m, 0), 5); /* not stored */
    uint64_t before = get(&m, WW_C_INST_ISSUED);
    uint64_t trigger = until(&m, WW_C_INST_ISSUED, before + 1);
    /* the move's renaming waits for the add's write */
    assert_int_equal(until(&m, WW_C_PMODE_REUSED, 1) - trigger, 12);
    finish_cta(&m);
    assert_int_equal(get(&m, WW_C_PMODE_REUSED), 2);
    assert_int_equal(get(&m, WW_C_PMODE_N_PRELOADED), 1);
    assert_int_equal(value(&m, 2), 7);
    assert_int_equal(value(&m, 6), 35);
    assert_int_equal(*memory(&m, 0), 8);
    machine_close(&m);
}

/* ---- U3: memory ---- */

/* Behind the load that starts it: ld.shared, st.shared (or not), ld.shared, bar, ld.global,
 * ld.shared. */
static void rules_of_memory(bool stores, uint64_t executed, uint64_t skipped)
{
    code c = {0};
    machine m;
    address_in(&c, 8, first_address());
    mov(&c, 12, imm(16));
    load_global(&c, 0, 8);
    add(&c, 2, 0, 1);
    load_shared(&c, 3, 12);
    if (stores) {
        store_shared(&c, 12, 12);
    }
    load_shared(&c, 4, 12);
    bar(&c);
    load_global(&c, 5, 8)->offset = 4096;
    load_shared(&c, 6, 12);
    open_pmode(&m, &c, &defaults);
    until(&m, WW_C_PMODE_HALTED, 1);
    assert_int_equal(get(&m, WW_C_PMODE_PREEXECUTED), executed);
    assert_int_equal(get(&m, WW_C_PMODE_SKIPPED), skipped);
    assert_int_equal(get(&m, WW_C_PMODE_PRELOAD), 1);
    finish_cta(&m);
    assert_int_equal(get(&m, WW_C_PMODE_REUSED), executed);
    assert_int_equal(value(&m, 4), stores ? 16 : 0);
    machine_close(&m);
}

static void load_local(code *c, uint32_t d, uint32_t address, int32_t offset)
{
    ww_operand dst = reg(d), src = reg(address);
    ww_inst *i = put(c, WW_OP_LD, WW_T_U32, 1, &dst, 1, &src);
    i->space = WW_SPACE_LOCAL;
    i->offset = offset;
}

static ww_inst *store_local(code *c, uint32_t address, int32_t offset, uint32_t v)
{
    ww_operand src[2] = {reg(address), reg(v)};
    ww_inst *i = put(c, WW_OP_ST, WW_T_U32, 0, NULL, 2, src);
    i->space = WW_SPACE_LOCAL;
    i->offset = offset;
    return i;
}

/* What a skipped local store keeps from three later loads, of the word before, the same and the
 * next one: nothing but the same one where its address is known, all of them where it depends on
 * the missing value, or where stores are not remembered. Results of the others are reused. */
typedef struct own_case {
    bool lost; /* the store's address depends on the load that is missing */
    uint32_t remembered;
    ww_pmode_local rule;
    uint64_t executed, skipped, preloads;
} own_case;

static void run_own(const own_case *k)
{
    code c = {0};
    machine m;
    ww_pmode_params params = defaults;
    params.local_stores = k->remembered;
    params.local_loads = k->rule;
    address_in(&c, 8, first_address());
    mov(&c, 12, imm(16));
    mov(&c, 13, imm(7));
    store_local(&c, 12, -4, 13);
    store_local(&c, 12, 4, 13);
    load_global(&c, 0, 8);
    add(&c, 2, 0, 16);
    store_local(&c, k->lost ? 2 : 12, 0, 12);
    load_local(&c, 3, 12, -4);
    load_local(&c, 4, 12, 0);
    load_local(&c, 5, 12, 4);
    open_pmode(&m, &c, &params);
    until(&m, WW_C_PMODE_HALTED, 1);
    assert_int_equal(get(&m, WW_C_PMODE_PREEXECUTED), k->executed);
    assert_int_equal(get(&m, WW_C_PMODE_SKIPPED), k->skipped);
    assert_int_equal(get(&m, WW_C_PMODE_PRELOAD), k->preloads);
    finish_cta(&m);
    assert_int_equal(get(&m, WW_C_PMODE_REUSED), k->executed);
    assert_int_equal(value(&m, 3), 7);
    assert_int_equal(value(&m, 4), 16);
    assert_int_equal(value(&m, 5), 7);
    machine_close(&m);
}

/* A local load is reused, and what consumes it, which the queue has no room for, comes right
 * behind: there is nothing to wait for, so that P-mode is entered once, for the global load. */
static void a_reused_load_is_not_waited_for(void **state)
{
    (void)state;
    code c = {0};
    machine m;
    ww_pmode_params params = defaults;
    params.queue_entries = 1;
    address_in(&c, 8, first_address());
    mov(&c, 12, imm(16));
    store_local(&c, 12, 0, 12);
    load_global(&c, 0, 8);
    add(&c, 2, 0, 16);
    load_local(&c, 3, 12, 0);
    add(&c, 4, 3, 1);
    open_pmode(&m, &c, &params);
    finish_cta(&m);
    assert_int_equal(get(&m, WW_C_PMODE_REUSED), 1);
    assert_int_equal(get(&m, WW_C_PMODE_SWITCH), 1);
    assert_int_equal(value(&m, 4), 17);
    machine_close(&m);
}

static void local_loads_pass_skipped_stores_elsewhere(void **state)
{
    (void)state;
    /* skipped: the consumer, the store, and loads as said */
    static const own_case cases[] = {{false, 8, WW_PMODE_LOCAL_EXECUTE, 2, 3, 0},
                                     {true, 8, WW_PMODE_LOCAL_EXECUTE, 0, 5, 0},
                                     {false, 0, WW_PMODE_LOCAL_EXECUTE, 0, 5, 0},
                                     {false, 8, WW_PMODE_LOCAL_SKIP, 0, 5, 0},
                                     {false, 8, WW_PMODE_LOCAL_PRELOAD, 0, 2, 3}};
    for (unsigned i = 0; i < WW_ARRAY_LEN(cases); i++) {
        run_own(&cases[i]);
    }
}

static void shared_loads_are_executed_while_memory_stands_still(void **state)
{
    (void)state;
    rules_of_memory(true, 1, 5);
    rules_of_memory(false, 2, 3);
}

/* ---- U4: limits ---- */

static void limited(uint32_t pool, uint32_t queue, uint64_t executed, uint64_t waited)
{
    code c = {0};
    machine m;
    ww_pmode_params params = defaults;
    params.pool_registers = pool;
    params.queue_entries = queue;
    address_in(&c, 8, first_address());
    load_global(&c, 0, 8);
    add(&c, 2, 0, 1);
    for (uint32_t k = 0; k < 3; k++) {
        add(&c, 3 + k, 12 + k, 1);
    }
    open_pmode(&m, &c, &params);
    uint64_t load = until(&m, WW_C_INST_ISSUED, 3);
    while (m.now < load + 60) {
        cycle(&m);
    }
    assert_int_equal(get(&m, WW_C_PMODE_PREEXECUTED), executed);
    assert_int_equal(get(&m, WW_C_PMODE_NO_REGISTER), waited);
    assert_int_equal(get(&m, WW_C_PMODE_QUEUE_WRITE), 2);
    finish_cta(&m);
    assert_int_equal(get(&m, WW_C_PMODE_REUSED), 2);
    assert_int_equal(value(&m, 5), 1);
    machine_close(&m);
}

static void pool_and_queue_have_their_limits(void **state)
{
    (void)state;
    limited(2, 8, 2, 1);
    limited(8, 2, 3, 0);
}

/* Four results for one register, of which a pool of two has two at a time, no queue: the third
 * finds none until the second is written, 12 cycles after its issue; the fourth waits for the
 * third. */
static void overwritten(bool releases, uint64_t executed, uint64_t waited)
{
    code c = {0};
    machine m;
    ww_pmode_params params = defaults;
    params.pool_registers = 2;
    params.queue_entries = 0;
    params.release_in_p_mode = releases;
    address_in(&c, 8, first_address());
    load_global(&c, 0, 8);
    add(&c, 2, 0, 1);
    for (uint32_t k = 0; k < 4; k++) {
        add(&c, 3, 12 + k, k + 1);
    }
    open_pmode(&m, &c, &params);
    const uint64_t load = until(&m, WW_C_INST_ISSUED, 3);
    const uint64_t second = until(&m, WW_C_PMODE_PREEXECUTED, 2);
    if (releases) {
        assert_int_equal(until(&m, WW_C_PMODE_PREEXECUTED, 3) - second, OVERWRITTEN_AFTER);
        assert_int_equal(until(&m, WW_C_PMODE_PREEXECUTED, 4) - second, 2 * OVERWRITTEN_AFTER);
    }
    while (m.now < load + 60) {
        cycle(&m);
    }
    assert_int_equal(get(&m, WW_C_PMODE_PREEXECUTED), executed);
    assert_int_equal(get(&m, WW_C_PMODE_NO_REGISTER), waited);
    const uint64_t cycles = until(&m, WW_C_PMODE_CYCLES, 1) - load;
    finish_cta(&m);
    assert_int_equal(get(&m, WW_C_PMODE_CYCLES), cycles); /* begun when the load left the buffer */
    assert_int_equal(value(&m, 3), 4);
    machine_close(&m);
}

static void a_register_is_free_when_its_next_write_has_come(void **state)
{
    (void)state;
    overwritten(false, 2, 1);
    overwritten(true, 4, 2);
}

/* ---- U5: the place of an entry ---- */

/* Two rounds of: r2 = r0 + 1; r0 = 7, r0 being unknown in the first. */
static void the_second_round_does_not_stand_in_for_the_first(void **state)
{
    (void)state;
    enum { ROUND = 4 };
    code c = {0};
    machine m;
    address_in(&c, 8, first_address());
    mov(&c, 11, imm(0));
    load_global(&c, 0, 8);
    add(&c, 2, 0, 1);
    mov(&c, 0, imm(7));
    add(&c, 11, 11, 1);
    less(&c, 0, 11, 2);
    branch_if(&c, 0, ROUND);
    open_pmode(&m, &c, &defaults);
    *memory(&m, 0) = 40;
    until(&m, WW_C_PMODE_HALTED, 1);
    assert_int_equal(get(&m, WW_C_PMODE_SKIPPED), 1);
    assert_int_equal(get(&m, WW_C_PMODE_QUEUE_WRITE), 3 + 4);
    finish_cta(&m);
    assert_int_equal(get(&m, WW_C_PMODE_REUSED), 7);
    assert_int_equal(value(&m, 2), 8);
    machine_close(&m);
}

/* The same with a predicate: r2 counts the rounds in which p1 holds, p1 unknown in the first. */
static void nor_with_a_predicate(void **state)
{
    (void)state;
    enum { ROUND = 5 };
    code c = {0};
    machine m;
    address_in(&c, 8, first_address());
    mov(&c, 11, imm(0));
    load_global(&c, 0, 8);
    less(&c, 1, 0, 5);
    add(&c, 2, 2, 1)->guard = pred(1);
    less(&c, 1, 11, 100);
    add(&c, 11, 11, 1);
    less(&c, 0, 11, 2);
    branch_if(&c, 0, ROUND);
    open_pmode(&m, &c, &defaults);
    *memory(&m, 0) = 40;
    until(&m, WW_C_PMODE_HALTED, 1);
    finish_cta(&m);
    assert_int_equal(value(&m, 2), 1);
    machine_close(&m);
}

/* ---- more than one warp, and the rules that parameters choose ---- */

/* A branch that needs the missing value ends what P-mode can do. */
static void an_unknown_branch_halts_p_mode(void **state)
{
    (void)state;
    code c = {0};
    machine m;
    address_in(&c, 8, first_address());
    load_global(&c, 0, 8);
    less(&c, 1, 0, 5);
    branch_if(&c, 1, 6);
    add(&c, 2, 2, 1);
    add(&c, 3, 3, 1);
    open_pmode(&m, &c, &defaults);
    finish_cta(&m);
    assert_int_equal(get(&m, WW_C_PMODE_HALTED), 1);
    assert_int_equal(get(&m, WW_C_PMODE_PREEXECUTED), 0);
    assert_int_equal(get(&m, WW_C_PMODE_REUSED), 0);
    machine_close(&m);
}

/* A hit is back soon: with on_miss it starts nothing, else a short stay. */
static void a_hit_may_start_it(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        code c = {0};
        machine m;
        ww_pmode_params params = defaults;
        params.on_miss = k == 1;
        address_in(&c, 8, first_address());
        load_global(&c, 0, 8);
        add(&c, 2, 0, 1);
        load_global(&c, 0, 8);
        add(&c, 2, 0, 1);
        open_pmode(&m, &c, &params);
        finish_cta(&m);
        assert_int_equal(get(&m, WW_C_PMODE_SWITCH), 2 - k);
        assert_int_equal(get(&m, WW_C_PMODE_SHORT), 1 - k);
        machine_close(&m);
    }
}

/* What waits for a local load, and for a global one: both start P-mode, or the latter alone. */
static void a_local_load_may_start_it(void **state)
{
    (void)state;
    static const ww_pmode_long rule[] = {WW_PMODE_LONG_OFF_CHIP, WW_PMODE_LONG_GLOBAL};
    for (unsigned k = 0; k < WW_ARRAY_LEN(rule); k++) {
        for (unsigned local = 0; local < 2; local++) {
            code c = {0};
            machine m;
            ww_pmode_params params = defaults;
            params.long_loads = rule[k];
            address_in(&c, 8, local != 0 ? 0 : first_address());
            if (local != 0) {
                load_local(&c, 0, 8, 0);
            } else {
                load_global(&c, 0, 8);
            }
            add(&c, 2, 0, 1);
            open_pmode(&m, &c, &params);
            finish_cta(&m);
            assert_int_equal(get(&m, WW_C_PMODE_SWITCH),
                             local == 0 || rule[k] == WW_PMODE_LONG_OFF_CHIP);
            machine_close(&m);
        }
    }
}

/* A register that a global load has written, and then a local one does: what waits for the latter
 * does not wait for the former, which would never end its P-mode. */
static void an_earlier_load_of_the_register_starts_nothing(void **state)
{
    (void)state;
    code c = {0};
    machine m;
    ww_pmode_params params = defaults;
    params.long_loads = WW_PMODE_LONG_GLOBAL;
    address_in(&c, 8, first_address());
    load_global(&c, 0, 8);
    add(&c, 8, 0, 16);
    load_local(&c, 0, 8, 0); /* skipped in P-mode, as its address is not known */
    add(&c, 2, 0, 1);
    open_pmode(&m, &c, &params);
    finish_cta(&m);
    assert_int_equal(get(&m, WW_C_PMODE_SWITCH), 1);
    machine_close(&m);
}

/* Behind the load and its consumer: a load of a constant, and an addition to it. Both are executed,
 * or the load is skipped and what depends on it too. */
static void constants_are_loaded_or_skipped(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        code c = {0};
        machine m;
        ww_pmode_params params = defaults;
        params.constants = k == 0;
        address_in(&c, 8, first_address());
        load_global(&c, 6, 8)->space = WW_SPACE_CONST; /* its line is there */
        add(&c, 7, 6, 1);
        load_global(&c, 0, 8);
        add(&c, 2, 0, 1);
        load_global(&c, 4, 8)->space = WW_SPACE_CONST;
        add(&c, 5, 4, 1);
        open_pmode(&m, &c, &params);
        finish_cta(&m);
        assert_int_equal(get(&m, WW_C_PMODE_SWITCH), 1);
        assert_int_equal(get(&m, WW_C_PMODE_PREEXECUTED), k == 0 ? 2 : 0);
        assert_int_equal(get(&m, WW_C_PMODE_SKIPPED), k == 0 ? 1 : 3);
        assert_int_equal(get(&m, WW_C_PMODE_REUSED), k == 0 ? 2 : 0);
        machine_close(&m);
    }
}

/* ---- ceilings ---- */

/* Figure 5 with what P-mode executes there at once; with the data of its second load, too; without
 * that load's line. Each is faster than the one before, results are the same, and nothing enters a
 * shadow context. What P-mode skips is executed: both multiplications, and the branches. */
static void ceilings_are_in_order(void **state)
{
    (void)state;
    static const ww_pmode_oracle oracle[] = {WW_PMODE_ORACLE_FREE, WW_PMODE_ORACLE_AHEAD,
                                             WW_PMODE_ORACLE_PERFECT};
    uint64_t before = UINT64_MAX;
    for (unsigned k = 0; k < WW_ARRAY_LEN(oracle); k++) {
        code c = {0};
        machine m;
        ww_pmode_params params = defaults;
        params.oracle = oracle[k];
        params.queue_entries = 0;
        figure_5(&c);
        open_pmode(&m, &c, &params);
        *memory(&m, 0) = 5;
        *memory(&m, 4096) = 6;
        const uint64_t start = m.now;
        until(&m, WW_C_L1D_FILL, 1); /* the first load's */
        const uint64_t asked = get(&m, WW_C_ICNT_REQ_PACKETS);
        finish_cta(&m);
        const uint64_t took = m.now - start;
        assert_int_equal(get(&m, WW_C_MECH_SHADOWS), 0);
        assert_int_equal(value(&m, 3), 11);
        assert_int_equal(value(&m, 2), 2);
        assert_int_equal(get(&m, WW_C_PMODE_N_PRELOADED), 1);
        assert_int_equal(get(&m, WW_C_PMODE_N_COVERED), 7); /* three, two, and the branches */
        assert_int_equal(get(&m, WW_C_ICNT_REQ_PACKETS) > asked,
                         oracle[k] != WW_PMODE_ORACLE_PERFECT);
        assert_true(oracle[k] == WW_PMODE_ORACLE_PERFECT ? took <= before : took < before);
        before = took;
        machine_close(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p_mode_runs_figure_5),
        cmocka_unit_test(n_mode_reuses_figure_5),
        cmocka_unit_test(poison_is_lifted_by_a_new_value),
        cmocka_unit_test(a_reused_load_is_not_waited_for),
        cmocka_unit_test(local_loads_pass_skipped_stores_elsewhere),
        cmocka_unit_test(shared_loads_are_executed_while_memory_stands_still),
        cmocka_unit_test(pool_and_queue_have_their_limits),
        cmocka_unit_test(a_register_is_free_when_its_next_write_has_come),
        cmocka_unit_test(the_second_round_does_not_stand_in_for_the_first),
        cmocka_unit_test(nor_with_a_predicate),
        cmocka_unit_test(an_unknown_branch_halts_p_mode),
        cmocka_unit_test(a_hit_may_start_it),
        cmocka_unit_test(a_local_load_may_start_it),
        cmocka_unit_test(an_earlier_load_of_the_register_starts_nothing),
        cmocka_unit_test(constants_are_loaded_or_skipped),
        cmocka_unit_test(ceilings_are_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
