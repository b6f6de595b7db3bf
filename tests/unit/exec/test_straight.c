/* Runs of instructions executed at once do what single steps do: random programs with guards,
 * divergence, reconvergence within a run, loops, barriers, clocks, all kinds of accesses and faults
 * leave the same registers, predicates, memory, stacks, clocks, counts and messages, for turns of
 * any length. */
#include <stdlib.h>

#include "machine.h"

enum {
    WARPS = 3,
    THREADS = 2 * 32 + 21, /* the last warp is not full */
    BUFFER = 8192,
    SHARED = 1024,
    LOCAL = 64,
    VALUES = 12, /* registers that programs compute with */
    INDEX = 20,
    POINTER = 22,
    TURNS = 26,
    PAIR = 28, /* pairs: POINTER, PAIR and the next */
};

typedef struct program {
    machine m;
    uint64_t state;
    uint64_t buffer;
    ww_pc_count pc[CODE_MAX + 1];
    ww_functional_stats stats;
} program;

static uint32_t pick(program *p, uint32_t n)
{
    return (uint32_t)(rnd(&p->state) >> 33) % n;
}

static ww_operand value(program *p)
{
    switch (pick(p, 8)) {
    case 0:
        return I(pick(p, 4) == 0 ? rnd(&p->state) & UINT32_MAX : pick(p, 64));
    case 1:
        return C(8 + 4 * pick(p, 4), 1);
    default:
        return R(pick(p, VALUES));
    }
}

static void guard(program *p, ww_inst *inst)
{
    if (pick(p, 4) == 0) {
        ww_operand by = P(pick(p, MACHINE_PREDS));
        inst->guard = pick(p, 2) == 0 ? by : NOT(by);
    }
}

static void compute(program *p)
{
    static const ww_op ops[] = {WW_OP_ADD, WW_OP_SUB, WW_OP_AND, WW_OP_XOR, WW_OP_MIN, WW_OP_MAX};
    machine *m = &p->m;
    ww_operand d = R(pick(p, VALUES));
    ww_operand carry = P(pick(p, MACHINE_PREDS)), in = P(pick(p, MACHINE_PREDS));
    switch (pick(p, 8)) {
    case 0:
        guard(p, m_add(m, WW_OP_ADD, WW_T_U32, 2, 2, d, carry, value(p), value(p)));
        return;
    case 1:
        guard(p, m_add(m, WW_OP_ADDC, WW_T_U32, 2, 3, d, carry, value(p), value(p), in));
        return;
    case 2:
        guard(p, m_add(m, WW_OP_SUBC, WW_T_U32, 2, 3, d, carry, value(p), value(p), in));
        return;
    case 3: {
        ww_inst *mad =
            m_add(m, WW_OP_MADC, WW_T_S32, 2, 4, d, carry, value(p), value(p), value(p), in);
        mad->sub = pick(p, 2) == 0 ? WW_SUB_HI : WW_SUB_LO;
        guard(p, mad);
        return;
    }
    case 4:
        guard(p, m_add(m, WW_OP_SELP, WW_T_B32, 1, 3, d, value(p), value(p), in));
        return;
    case 5: {
        ww_inst *setp = m_add(m, WW_OP_SETP, WW_T_S32, 1, 2, carry, value(p), value(p));
        setp->cmp = (uint8_t)(WW_CMP_EQ + pick(p, 6));
        guard(p, setp);
        return;
    }
    case 6:
        guard(p, m_add(m, WW_OP_MOV, WW_T_U32, 1, 1, d,
                       S(pick(p, 3) == 0 ? WW_SREG_CLOCK : WW_SREG_TID_X)));
        return;
    default:
        guard(p, m_add(m, ops[pick(p, WW_ARRAY_LEN(ops))], WW_T_S32, 1, 2, d, value(p), value(p)));
        return;
    }
}

/* An index of some pattern over the lanes, times the width of the access. */
static void index_lanes(program *p, uint32_t bytes, uint32_t limit)
{
    machine *m = &p->m;
    switch (pick(p, 4)) {
    case 0:
        m_add(m, WW_OP_MOV, WW_T_U32, 1, 1, R(INDEX), S(WW_SREG_LANEID));
        break;
    case 1:
        m_add(m, WW_OP_MOV, WW_T_U32, 1, 1, R(INDEX), I(pick(p, 32)));
        break;
    case 2:
        m_add(m, WW_OP_SUB, WW_T_U32, 1, 2, R(INDEX), I(31 + pick(p, 4)), S(WW_SREG_LANEID));
        break;
    default:
        m_add(m, WW_OP_MOV, WW_T_U32, 1, 1, R(INDEX), R(pick(p, VALUES)));
        break;
    }
    m_add(m, WW_OP_AND, WW_T_B32, 1, 2, R(INDEX), R(INDEX), I(limit / bytes - 1));
    m_add(m, WW_OP_MUL, WW_T_U32, 1, 2, R(INDEX), R(INDEX), I(bytes))->sub = WW_SUB_LO;
}

static void access_memory(program *p)
{
    static const ww_type types[] = {WW_T_U8,  WW_T_S8,  WW_T_U16, WW_T_S16, WW_T_U32,
                                    WW_T_F32, WW_T_B32, WW_T_F32, WW_T_U64};
    static const ww_space spaces[] = {WW_SPACE_GLOBAL, WW_SPACE_GLOBAL, WW_SPACE_GENERIC,
                                      WW_SPACE_SHARED, WW_SPACE_LOCAL};
    machine *m = &p->m;
    ww_type type = types[pick(p, WW_ARRAY_LEN(types))];
    ww_space space = spaces[pick(p, WW_ARRAY_LEN(spaces))];
    bool global = space == WW_SPACE_GLOBAL || space == WW_SPACE_GENERIC;
    bool pair = ww_type_bytes(type) == 4 && pick(p, 4) == 0;
    uint32_t bytes = ww_type_bytes(type) * (pair ? 2 : 1);
    index_lanes(p, bytes, global ? BUFFER / 4 : space == WW_SPACE_SHARED ? SHARED : LOCAL);
    if (global) {
        m_add(m, WW_OP_ADD, WW_T_U32, 2, 2, R(POINTER), P(0), R(INDEX), C(0, 1));
        m_add(m, WW_OP_ADDC, WW_T_U32, 1, 3, R(POINTER + 1), I(0), C(4, 1), P(0));
    }
    ww_operand address = global ? RR(POINTER) : R(INDEX);
    bool wide = ww_type_bytes(type) == 8;
    ww_operand first = wide ? RR(PAIR) : R(pick(p, VALUES));
    ww_operand second = R(pick(p, VALUES));
    bool loads = pick(p, 2) == 0;
    ww_inst *inst = loads && pair ? m_add(m, WW_OP_LD, type, 2, 1, first, second, address)
                    : loads       ? m_add(m, WW_OP_LD, type, 1, 1, first, address)
                    : pair        ? m_add(m, WW_OP_ST, type, 0, 3, address, first, second)
                                  : m_add(m, WW_OP_ST, type, 0, 2, address, first);
    inst->space = (uint8_t)space;
    inst->vec = pair ? 2 : 1;
    guard(p, inst);
    if (pick(p, 40) == 0) {
        inst->offset =
            pick(p, 2) == 0 ? 1 : BUFFER; /* misaligned, perhaps; out of bounds, perhaps */
    }
}

static ww_inst *branch(program *p)
{
    ww_inst *bra = m_add(&p->m, WW_OP_BRA, WW_T_NONE, 0, 0);
    ww_operand by = P(pick(p, MACHINE_PREDS));
    bra->guard = pick(p, 2) == 0 ? by : NOT(by);
    return bra;
}

/* Branches over some instructions, nested, in a loop of a few turns. */
static void generate(program *p)
{
    enum { OPEN = 4, BODY = 44 };
    machine *m = &p->m;
    ww_inst *open[OPEN];
    unsigned depth = 0;
    for (uint32_t r = 0; r < VALUES; r++) {
        m_add(m, WW_OP_MUL, WW_T_U32, 1, 2, R(r), S(r % 3 == 0 ? WW_SREG_LANEID : WW_SREG_TID_X),
              I(rnd(&p->state) & (r < 4 ? 63 : UINT32_MAX)))
            ->sub = WW_SUB_LO;
    }
    uint32_t begin = m->kernel.code_count;
    while (m->kernel.code_count < BODY) {
        uint32_t what = pick(p, 16);
        if (what == 0 && depth < OPEN) {
            open[depth++] = branch(p);
        } else if (what == 1 && depth > 0) {
            depth--;
            open[depth]->target = open[depth]->reconv = m->kernel.code_count;
        } else if (what == 2 && depth == 0 && pick(p, 3) == 0) {
            m_add(m, WW_OP_BAR, WW_T_NONE, 0, 1, I(0));
        } else if (what < 6) {
            access_memory(p);
        } else {
            compute(p);
        }
    }
    while (depth > 0) {
        depth--;
        open[depth]->target = open[depth]->reconv = m->kernel.code_count;
    }
    m_add(m, WW_OP_ADD, WW_T_S32, 1, 2, R(TURNS), R(TURNS), I(1));
    m_add(m, WW_OP_SETP, WW_T_S32, 1, 2, P(1), R(TURNS), I(3))->cmp = WW_CMP_LT;
    ww_inst *again = m_add(m, WW_OP_BRA, WW_T_NONE, 0, 0);
    again->guard = P(1);
    again->target = begin;
    again->reconv = m->kernel.code_count;
    m_add(m, WW_OP_EXIT, WW_T_NONE, 0, 0);
}

static void start(program *p, uint64_t seed)
{
    machine *m = &p->m;
    memset(p, 0, sizeof *p);
    m_init(m);
    p->state = seed;
    m->kernel.shared_bytes = SHARED;
    m->kernel.local_bytes = LOCAL;
    m->launch.block.x = THREADS;
    assert_ok(ww_devmem_alloc(m->mem, BUFFER / 4, 256, &p->buffer, &m->err), m->err);
    memcpy(m->params, &p->buffer, sizeof p->buffer);
    for (unsigned i = sizeof p->buffer; i < sizeof m->params; i++) {
        m->params[i] = (unsigned char)pick(p, 7);
    }
    unsigned char *bytes = ww_devmem_at(m->mem, p->buffer, BUFFER / 4);
    for (unsigned i = 0; i < BUFFER / 4; i++) {
        bytes[i] = (unsigned char)pick(p, 256);
    }
    generate(p);
    p->stats.pc = p->pc;
    m_start(m);
    m->env.cycle = 1000;
}

/* One turn, instruction by instruction, counted from what each step reports. */
static ww_status steps(program *p, ww_warp *w, unsigned most)
{
    machine *m = &p->m;
    for (unsigned n = 0; n < most && w->depth > 0 && !w->at_barrier; n++) {
        ww_status status = ww_exec_step(&m->env, w, &m->step, &m->err);
        if (status != WW_OK) {
            return status;
        }
        ww_pc_count *pc = &p->pc[m->step.pc];
        pc->issued++;
        pc->active += m->step.exec != 0;
        pc->lanes += (unsigned)__builtin_popcount(m->step.exec);
        pc->scheduled += (unsigned)__builtin_popcount(m->step.active);
        p->stats.pushed += m->step.pushed;
        p->stats.popped += m->step.popped;
        p->stats.divergent += m->step.divergent;
        m->env.cycle++;
    }
    return WW_OK;
}

static void compare(const program *a, const program *b)
{
    assert_int_equal(a->m.env.cycle, b->m.env.cycle);
    assert_memory_equal(a->pc, b->pc, sizeof a->pc);
    assert_int_equal(a->stats.pushed, b->stats.pushed);
    assert_int_equal(a->stats.popped, b->stats.popped);
    assert_int_equal(a->stats.divergent, b->stats.divergent);
    assert_string_equal(a->m.err.what, b->m.err.what);
    assert_memory_equal(ww_devmem_at(a->m.mem, a->buffer, BUFFER / 4),
                        ww_devmem_at(b->m.mem, b->buffer, BUFFER / 4), BUFFER / 4);
    assert_memory_equal(a->m.cta.shared, b->m.cta.shared, SHARED);
    for (unsigned k = 0; k < WARPS; k++) {
        const ww_warp *v = &a->m.cta.warp[k], *w = &b->m.cta.warp[k];
        assert_memory_equal(v->regs, w->regs, MACHINE_REGS * 32 * sizeof *v->regs);
        assert_memory_equal(v->preds, w->preds, MACHINE_PREDS * sizeof *v->preds);
        assert_memory_equal(v->local, w->local, LOCAL * 32);
        assert_int_equal(v->depth, w->depth);
        assert_memory_equal(v->stack, w->stack, v->depth * sizeof *v->stack);
        assert_int_equal(v->at_barrier, w->at_barrier);
    }
}

/* Both ways side by side; returns whether the program ended without an error. */
static bool run_both(uint64_t seed)
{
    program *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);
    assert_true(a != NULL && b != NULL);
    start(a, seed);
    start(b, seed);
    ww_status status = WW_OK;
    for (unsigned turn = 0; status == WW_OK && a->m.cta.live_warps > 0; turn++) {
        assert_true(turn < 100000);
        unsigned k = turn % WARPS, most = 1 + pick(a, seed % 3 == 0 ? 1 : 64);
        ww_warp *v = &a->m.cta.warp[k], *w = &b->m.cta.warp[k];
        status = steps(a, v, most);
        assert_int_equal(ww_exec_straight_run(&b->m.env, w, most, &b->stats, &b->m.err), status);
        if (seed % 8 == 0 || status != WW_OK) {
            compare(a, b);
        }
    }
    compare(a, b);
    bool ended = status == WW_OK;
    m_fini(&a->m);
    m_fini(&b->m);
    free(a);
    free(b);
    return ended;
}

static void random_programs(void **state)
{
    (void)state;
    unsigned ended = 0, failed = 0;
    for (uint64_t seed = 1; seed <= 600; seed++) {
        bool ok = run_both(seed * 0x9e3779b97f4a7c15ull);
        ended += ok;
        failed += !ok;
    }
    print_message("%u programs ended, %u failed\n", ended, failed);
    assert_true(ended >= 200 && failed >= 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
