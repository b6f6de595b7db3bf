/* test_darsie_ends.c - does every block come to its end, with no wrong value, however its warps
 * part, exit and meet, and however little there is of registers, entries, look-ups and cache?
 * Kernels are drawn by a fixed sequence of numbers. Among them: the warp that ends a gathering
 * leads it, a warp waits for a leader while the cache cannot take what it has been let pass, a warp
 * exits at a branch where others wait. */
#include "tests/support/test.h"

#include "mech/mechanisms.h"
#include "tests/unit/sm/kernels.h"

enum { CTAS = 8, REGISTERS = 6, KERNELS = 400, MOST_CYCLES = 60000 };

static ww_arch darsie_arch(uint32_t registers, uint32_t entries, uint32_t lookups)
{
    ww_arch a = small_arch();
    a.sm.max_ctas = CTAS;
    a.darsie = (ww_darsie_params){
        .variant = WW_DARSIE_PLAIN, .entries = entries, .lookups = lookups, .registers = registers};
    return a;
}

/* p = a compared with v */
static void compare(code *c, uint32_t p, ww_cmp cmp, ww_operand a, uint64_t v)
{
    ww_operand dst = pred(p), src[2] = {a, imm(v)};
    put(c, WW_OP_SETP, WW_T_U32, 1, &dst, 2, src)->cmp = (uint8_t)cmp;
}

static ww_inst *branch(code *c, uint32_t target)
{
    ww_inst *i = put(c, WW_OP_BRA, WW_T_NONE, 0, NULL, 0, NULL);
    i->target = i->reconv = target;
    return i;
}

static void open_block(machine *m, const ww_arch *arch, code *c, uint32_t rows)
{
    finish(c);
    machine_open_block(m, arch, as_kernel(c, 16), (ww_dim3){32, rows, 1}, &ww_mech_darsie);
}

/* Whether the block ends; what it skipped was right. */
static bool ends(machine *m)
{
    start_cta(m);
    while (ww_sm_pulse_of(m->sm)->ctas > 0 && m->now < MOST_CYCLES) {
        cycle(m);
    }
    assert_int_equal(get(m, WW_C_MECH_MISMATCH), 0);
    return ww_sm_pulse_of(m->sm)->ctas == 0;
}

/* ---- drawn kernels ---- */

static uint32_t draw(uint64_t *seed, uint32_t below)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33) % below;
}

/* A result of a constant, of a thread's index, of other registers. */
static void compute(code *c, uint64_t *seed)
{
    const uint32_t d = draw(seed, REGISTERS), a = draw(seed, REGISTERS);
    switch (draw(seed, 5)) {
    case 0:
        mov(c, d, imm(draw(seed, 100)));
        break;
    case 1:
        mov(c, d, sreg(draw(seed, 3) > 0 ? WW_SREG_TID_X : WW_SREG_TID_Y));
        break;
    case 2:
        add3(c, d, a, draw(seed, REGISTERS));
        break;
    default:
        add(c, d, a, draw(seed, 100));
    }
}

/* Some warps, or some lanes of all, go round a few results; whole warps perhaps round a barrier, so
 * that the block's warps meet at two places. */
static void part(code *c, uint64_t *seed, uint32_t rows)
{
    const bool lanes = draw(seed, 3) == 0;
    const ww_operand by = sreg(lanes ? WW_SREG_TID_X : WW_SREG_TID_Y);
    compare(c, 0, draw(seed, 2) > 0 ? WW_CMP_EQ : WW_CMP_LT, by, draw(seed, lanes ? 32 : rows));
    const uint32_t inside = 1 + draw(seed, 4);
    branch(c, c->count + 1 + inside)->guard = pred(0);
    const uint32_t meeting = lanes ? inside : draw(seed, 2 * inside);
    for (uint32_t i = 0; i < inside; i++) {
        if (i == meeting) {
            bar(c);
        } else {
            compute(c, seed);
        }
    }
}

static void drawn_kernel(code *c, uint64_t *seed, uint32_t rows)
{
    for (uint32_t steps = 4 + draw(seed, 12); steps > 0; steps--) {
        switch (draw(seed, 9)) {
        case 0:
            part(c, seed, rows);
            break;
        case 1:
            bar(c);
            break;
        case 2: /* a warp, or a half of each, ends here */
            compare(c, 1, WW_CMP_EQ, sreg(WW_SREG_TID_Y), draw(seed, 2 * rows));
            finish(c)->guard = pred(1);
            break;
        default:
            compute(c, seed);
        }
    }
}

/* Few registers, few entries, a cache with room for one miss. */
static void drawn_kernels_end(void **state)
{
    (void)state;
    uint64_t seed = 1, skipped = 0, gathered = 0;
    for (unsigned k = 0; k < KERNELS; k++) {
        const uint64_t first = seed;
        const uint32_t rows = 2 + draw(&seed, 5);
        code c = {0};
        drawn_kernel(&c, &seed, rows);
        ww_arch arch = darsie_arch(1 + draw(&seed, 3), 1 + draw(&seed, 8), 1 + draw(&seed, 2));
        if (draw(&seed, 2) > 0) {
            arch.l1i.mshr_entries = 1;
            arch.l1i.mshr_merge = 1;
        }
        machine m;
        open_block(&m, &arch, &c, rows);
        if (!ends(&m)) {
            fail_msg("kernel %u, drawn from %llu, stands still", k, (unsigned long long)first);
        }
        skipped += get(&m, WW_C_MECH_SKIPPED);
        gathered += get(&m, WW_C_DARSIE_SYNC_REGISTER);
        machine_close(&m);
    }
    assert_true(skipped > KERNELS && gathered > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawn_kernels_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
