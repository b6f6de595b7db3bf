/* test_folded.c - what does a word of shared memory cost that arithmetic reads as an operand? Both
 * readings of its time (ldst.folded), by timelines that are worked out by hand, and what it counts,
 * which energy follows. */
#include "tests/support/test.h"

#include "tests/unit/sm/kernels.h"

typedef struct cost {
    uint64_t after_base, to_reader;       /* cycles between issues */
    uint64_t words, lanes, cycles, extra; /* of shared memory */
    uint64_t insts, folds, fold_lanes, reads, memory;
} cost;

/* Thread i reads word i * 2^(shift - 2); its base comes from a shift just before, its result goes
 * to an addition just behind. */
static cost cost_of(ww_arch arch, unsigned shift)
{
    code c = {0};
    ww_operand dst = reg(1), src[2] = {reg(0), imm(shift)};
    cost out;
    mov(&c, 0, sreg(WW_SREG_TID_X));
    put(&c, WW_OP_SHL, WW_T_B32, 1, &dst, 2, src);
    add_word(&c, 2, 0, 1);
    add(&c, 3, 2, 1);
    finish(&c);
    machine m;
    machine_open(&m, &arch, as_kernel(&c, 8), 32);
    start_cta(&m);
    const uint64_t base = until(&m, WW_C_INST_ISSUED, 2);
    const uint64_t reader = until(&m, WW_C_INST_ISSUED, 3);
    out.after_base = reader - base;
    out.to_reader = until(&m, WW_C_INST_ISSUED, 4) - reader;
    out.words = get(&m, WW_C_SHARED_READ_WORDS);
    out.lanes = get(&m, WW_C_SHARED_LANES);
    out.cycles = get(&m, WW_C_SHARED_CYCLES);
    out.extra = get(&m, WW_C_SHARED_CONFLICT);
    out.insts = get(&m, WW_C_SHARED_INST);
    out.folds = get(&m, WW_C_FOLD_INST);
    out.fold_lanes = get(&m, WW_C_FOLD_LANES);
    out.reads = get(&m, WW_C_RF_READ);
    out.memory = get(&m, WW_C_PIPE_LDST) + get(&m, WW_C_THREAD_MEMORY);
    assert_int_equal(get(&m, WW_C_STALL_RAW_LONG), 0); /* it is on the chip */
    assert_true(get(&m, WW_C_STALL_RAW_SHORT) > 0);
    machine_close(&m);
    return out;
}

static ww_arch arch_with(ww_folded reading)
{
    ww_arch arch = small_arch();
    arch.ldst.folded = reading;
    return arch;
}

/* A CTA of one warp that runs the code, on the one reading or the other. */
static void begin_reading(machine *m, code *c, unsigned reading)
{
    finish(c);
    const ww_arch arch = arch_with(reading == 0 ? WW_FOLDED_FREE : WW_FOLDED_OPERAND);
    machine_open(m, &arch, as_kernel(c, 8), 32);
    start_cta(m);
}

/* Issue t, operands t+1, dispatch t+2, result 10 later: as of any addition, whatever the banks say.
 */
static void free_operands_cost_no_time(void **state)
{
    (void)state;
    static const unsigned shifts[] = {2, 3, 7, 31};
    for (size_t k = 0; k < WW_ARRAY_LEN(shifts); k++) {
        const cost c = cost_of(arch_with(WW_FOLDED_FREE), shifts[k] == 31 ? 2 : shifts[k]);
        assert_int_equal(c.after_base, 12); /* the scoreboard knows the base */
        assert_int_equal(c.to_reader, 12);
        assert_int_equal(c.cycles, 0);
        assert_int_equal(c.extra, 0);
    }
}

/* The banks serve it from t+2 on, a cycle a pass; 24 later it goes to its pipeline. */
static void operands_through_the_banks_wait(void **state)
{
    (void)state;
    static const struct {
        unsigned shift, passes;
    } rows[] = {{2, 1}, {3, 2}, {4, 4}, {7, 32}};
    for (size_t k = 0; k < WW_ARRAY_LEN(rows); k++) {
        const cost c = cost_of(arch_with(WW_FOLDED_OPERAND), rows[k].shift);
        assert_int_equal(c.after_base, 12);
        assert_int_equal(c.to_reader, 12 + 24 + rows[k].passes - 1);
        assert_int_equal(c.cycles, rows[k].passes);
        assert_int_equal(c.extra, rows[k].passes - 1);
    }
}

/* 32 lanes, each with a word of its own; registers: the shift's, and the word's two, of which its
 * base is one (when the last addition issues, it has not read yet). */
static void counts_follow_the_lanes(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        const cost c = cost_of(arch_with(k == 0 ? WW_FOLDED_FREE : WW_FOLDED_OPERAND), 2);
        assert_int_equal(c.words, 32);
        assert_int_equal(c.lanes, 32);
        assert_int_equal(c.folds, 1);
        assert_int_equal(c.fold_lanes, 32);
        assert_int_equal(c.reads, 1 + 2);
        assert_int_equal(c.insts, 0); /* no instruction of the load/store unit's */
        assert_int_equal(c.memory, 0);
    }
}

/* All lanes name one word: it is read once, and takes a pass. Without a base there is no register
 * to read for it. */
static void a_broadcast_reads_one_word(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        code c = {0};
        mov(&c, 0, sreg(WW_SREG_TID_X));
        add_word(&c, 2, 0, -1);
        add(&c, 3, 2, 1);
        machine m;
        begin_reading(&m, &c, k);
        const uint64_t reader = until(&m, WW_C_INST_ISSUED, 2);
        assert_int_equal(until(&m, WW_C_INST_ISSUED, 3) - reader, k == 0 ? 12 : 36);
        assert_int_equal(get(&m, WW_C_SHARED_READ_WORDS), 1);
        assert_int_equal(get(&m, WW_C_SHARED_LANES), 32);
        assert_int_equal(get(&m, WW_C_SHARED_CYCLES), k);
        assert_int_equal(get(&m, WW_C_RF_READ), 1);
        machine_close(&m);
    }
}

static void the_other_simulators_energy_is_none(void **state)
{
    (void)state;
    ww_arch arch = arch_with(WW_FOLDED_FREE);
    arch.peer.folded_free_energy = true;
    const cost c = cost_of(arch, 2);
    assert_int_equal(c.words + c.lanes + c.cycles, 0);
    assert_int_equal(c.folds, 1);
}

/* A load issued just before meets it at the banks: access at t+3, when the operand, issued at t+1,
 * has its registers at t+2 and takes the port for t+3. The load's word is there a cycle later. */
static void loads_and_operands_share_the_port(void **state)
{
    (void)state;
    uint64_t took[2];
    for (unsigned k = 0; k < 2; k++) {
        code c = {0};
        mov(&c, 1, imm(0));
        mov(&c, 5, imm(0));
        load_shared(&c, 4, 1);
        add_word(&c, 2, 5, 1);
        add(&c, 3, 4, 1);
        machine m;
        begin_reading(&m, &c, k);
        const uint64_t load = until(&m, WW_C_INST_ISSUED, 3);
        assert_int_equal(until(&m, WW_C_INST_ISSUED, 4) - load, 1);
        took[k] = until(&m, WW_C_INST_ISSUED, 5) - load;
        machine_close(&m);
    }
    assert_int_equal(took[0], 3 + 24);
    assert_int_equal(took[1], 3 + 24 + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_operands_cost_no_time),
        cmocka_unit_test(operands_through_the_banks_wait),
        cmocka_unit_test(counts_follow_the_lanes),
        cmocka_unit_test(a_broadcast_reads_one_word),
        cmocka_unit_test(the_other_simulators_energy_is_none),
        cmocka_unit_test(loads_and_operands_share_the_port),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
