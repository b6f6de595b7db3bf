/* Do accesses of shared memory that are told in lines leave what those told by their addresses
 * leave, in registers and memory, and do the lines say where they were? */
#include "machine.h"
#include "perf/exec/lanes/lanes.h"

enum { SHARED = 1024, DATA = 8, BASE = 10, ROUNDS = 4000 };

static uint32_t pick(uint64_t *state, uint32_t n)
{
    return (uint32_t)(rnd(state) >> 33) % n;
}

typedef struct access {
    uint32_t base[64], data[32];
    unsigned char memory[SHARED];
    int64_t offset;
    bool stores, wide;
} access;

/* Lines of half-warps and of warps, now and then with a lane elsewhere, some of them outside. */
static void invent(access *a, uint64_t *state)
{
    const uint32_t step = pick(state, 3) * 4, apart = pick(state, 2) == 0 ? 16 * step : 4;
    const uint32_t first = 4 * pick(state, SHARED / 4 + 4) + (pick(state, 20) == 0),
                   second = pick(state, 2) == 0 ? first + apart : 4 * pick(state, SHARED / 4);
    a->stores = pick(state, 2) == 0;
    a->wide = pick(state, 2) == 0;
    a->offset = 4 * (int64_t)pick(state, 32) - 64;
    for (unsigned i = 0; i < 32; i++) {
        const uint64_t place = (i < 16 ? first : second) + i % 16 * step;
        const uint64_t base = place - (uint64_t)a->offset;
        a->base[i] = (uint32_t)base;
        a->base[i + 32] = a->wide ? (uint32_t)(base >> 32) : (uint32_t)rnd(state);
        a->data[i] = (uint32_t)rnd(state);
    }
    if (pick(state, 8) == 0) {
        a->base[pick(state, a->wide ? 64 : 32)] ^= 4u << pick(state, 28);
    }
    for (unsigned i = 0; i < SHARED; i++) {
        a->memory[i] = (unsigned char)rnd(state);
    }
}

static ww_status perform(machine *m, const access *a, const ww_lane_set *lanes, bool in_lines)
{
    const ww_operand base = a->wide ? RR(BASE) : R(BASE);
    m_init(m);
    m->kernel.shared_bytes = SHARED;
    m->launch.lanes = lanes;
    m->env.lines = in_lines;
    ww_inst *inst = a->stores ? m_add(m, WW_OP_ST, WW_T_B32, 0, 2, base, R(DATA))
                              : m_add(m, WW_OP_LD, WW_T_B32, 1, 1, R(DATA), base);
    inst->space = WW_SPACE_SHARED;
    inst->offset = a->offset;
    m_start(m);
    memcpy(m_reg(m, 0, BASE), a->base, sizeof a->base);
    memcpy(m_reg(m, 0, DATA), a->data, sizeof a->data);
    memcpy(m->cta.shared, a->memory, SHARED);
    memset(m->step.address, 0, sizeof m->step.address);
    return m_step(m, 0);
}

static void same(machine *told, machine *by_address)
{
    assert_memory_equal(m_reg(told, 0, 0), m_reg(by_address, 0, 0), MACHINE_REGS * 32 * 4);
    assert_memory_equal(told->cta.shared, by_address->cta.shared, SHARED);
    assert_string_equal(told->err.what, by_address->err.what);
    for (unsigned i = 0; i < 32; i++) {
        const uint32_t at = told->step.line[i / 16] + i % 16 * told->step.line_step;
        assert_int_equal(told->step.in_lines ? at : told->step.address[i],
                         by_address->step.address[i]);
    }
    assert_int_equal(told->step.is_store, by_address->step.is_store);
    assert_int_equal(told->step.is_memory, by_address->step.is_memory);
    assert_int_equal(told->step.space, by_address->step.space);
    assert_int_equal(told->step.lane_bytes, by_address->step.lane_bytes);
}

static void lines_are_what_addresses_are(void **state)
{
    (void)state;
    const ww_lane_set *sets[3];
    const unsigned count = ww__lanes_all(sets);
    static machine told, by_address;
    static access a;
    uint64_t seed = 5;
    unsigned in_lines = 0, wrong = 0;
    for (unsigned n = 0; n < ROUNDS; n++) {
        invent(&a, &seed);
        const ww_lane_set *lanes = sets[n % count];
        const ww_status right = perform(&by_address, &a, lanes, false);
        assert_false(by_address.step.in_lines);
        assert_int_equal(perform(&told, &a, lanes, true), right);
        same(&told, &by_address);
        in_lines += told.step.in_lines;
        wrong += right != WW_OK;
        m_fini(&told);
        m_fini(&by_address);
    }
    assert_true(in_lines > ROUNDS / 3 && in_lines < ROUNDS * 3 / 4 && wrong > ROUNDS / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_are_what_addresses_are)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
