/* Effects on global memory that are kept back until the edge of a window: who sees what when, in
 * which order they happen, and what waits. One warp plays several SMs, each with a list. */
#include "machine.h"

enum { SMS = 3 };

typedef struct window {
    machine m;
    ww_pending *sm[SMS];
    uint64_t buffer;
    uint32_t *host;
} window;

static void open_window(window *w)
{
    m_init(&w->m);
    assert_ok(ww_devmem_alloc(w->m.mem, 4096, 256, &w->buffer, &w->m.err), w->m.err);
    w->host = ww_devmem_at(w->m.mem, w->buffer, 4096);
    for (unsigned i = 0; i < SMS; i++) {
        assert_ok(ww_pending_create(&w->sm[i], &w->m.err), w->m.err);
    }
}

static void close_window(window *w)
{
    for (unsigned i = 0; i < SMS; i++) {
        ww_pending_destroy(w->sm[i]);
    }
    m_fini(&w->m);
}

static void edge(window *w)
{
    assert_ok(ww_pending_commit(w->sm, SMS, &w->m.err), w->m.err);
    for (unsigned i = 0; i < SMS; i++) {
        assert_true(ww_pending_empty(w->sm[i]));
    }
}

/* Instruction `index` of the kernel, on an SM in a cycle, by some lanes. */
static const ww_step *issue(window *w, unsigned sm, uint64_t cycle, uint32_t index, uint32_t lanes)
{
    ww_warp *warp = &w->m.cta.warp[0];
    warp->stack[0].pc = index;
    warp->stack[0].mask = lanes;
    w->m.env.pending = w->sm[sm];
    w->m.env.cycle = cycle;
    assert_int_equal(m_step(&w->m, 0), WW_OK);
    assert_int_equal(warp->stack[0].pc, w->m.step.again ? index : index + 1);
    return &w->m.step;
}

static ww_inst *access_by(window *w, ww_op op, unsigned data, unsigned address, int64_t offset)
{
    ww_inst *inst = op == WW_OP_LD ? m_add(&w->m, op, WW_T_U32, 1, 1, R(data), RR(address))
                                   : m_add(&w->m, op, WW_T_U32, 0, 2, RR(address), R(data));
    inst->space = WW_SPACE_GLOBAL;
    inst->offset = offset;
    return inst;
}

static ww_inst *atomic_by(window *w, ww_sub sub, unsigned result, unsigned address, unsigned data)
{
    ww_inst *inst = m_add(&w->m, WW_OP_ATOM, WW_T_U32, 1, 2, R(result), RR(address), R(data));
    inst->space = WW_SPACE_GLOBAL;
    inst->sub = (uint8_t)sub;
    return inst;
}

/* Register pair `reg` := buffer + 4 * (first + step * lane). */
static void point(window *w, unsigned reg, uint32_t first, uint32_t step)
{
    for (unsigned i = 0; i < 32; i++) {
        uint64_t a = w->buffer + 4ull * (first + step * i);
        m_reg(&w->m, 0, reg)[i] = (uint32_t)a;
        m_reg(&w->m, 0, reg + 1)[i] = (uint32_t)(a >> 32);
    }
}

static void fill(window *w, unsigned reg, uint32_t first, uint32_t step)
{
    for (unsigned i = 0; i < 32; i++) {
        m_reg(&w->m, 0, reg)[i] = first + step * i;
    }
}

static void stores_wait_for_the_edge(void **state)
{
    (void)state;
    window w;
    open_window(&w);
    access_by(&w, WW_OP_ST, 0, 2, 0);
    access_by(&w, WW_OP_LD, 1, 2, 0);
    m_start(&w.m);
    for (unsigned step = 1; step <= 3; step++) { /* neighbouring words, and scattered ones */
        memset(w.host, 0, 4096);
        point(&w, 2, 0, step);
        fill(&w, 0, 100, 1);
        assert_false(issue(&w, 0, 1, 0, 0xffffffff)->wait);
        assert_int_equal(w.host[0], 0);
        assert_false(ww_pending_empty(w.sm[0]));
        /* Another SM reads what was there before, at once; the own one waits. */
        assert_false(issue(&w, 1, 2, 1, 0xffffffff)->again);
        assert_int_equal(m_reg(&w.m, 0, 1)[5], 0);
        assert_true(issue(&w, 0, 2, 1, 1u << 5)->again);
        assert_true(w.m.step.wait);
        edge(&w);
        assert_false(issue(&w, 0, 4, 1, 0xffffffff)->again);
        for (unsigned i = 0; i < 32; i++) {
            assert_int_equal(w.host[step * i], 100 + i);
            assert_int_equal(m_reg(&w.m, 0, 1)[i], 100 + i);
        }
    }
    close_window(&w);
}

/* Between and beside the stored words nothing waits. */
static void only_overlapping_loads_wait(void **state)
{
    (void)state;
    window w;
    open_window(&w);
    access_by(&w, WW_OP_ST, 0, 2, 0);
    access_by(&w, WW_OP_LD, 1, 2, 0);
    access_by(&w, WW_OP_LD, 1, 2, 4);
    ww_inst *narrow = access_by(&w, WW_OP_LD, 1, 2, 3);
    narrow->type = WW_T_U8;
    m_start(&w.m);
    point(&w, 2, 0, 2);
    issue(&w, 0, 1, 0, 0x0000ff00);
    assert_true(issue(&w, 0, 1, 1, 0xffffffff)->again);
    assert_false(issue(&w, 0, 1, 1, 0xffff00ff)->again);
    assert_false(issue(&w, 0, 1, 2, 0xffffffff)->again);
    assert_true(issue(&w, 0, 1, 3, 0x00000100)->again);
    close_window(&w);
}

/* By cycle, then by SM, then in the order of issue. */
static void the_order_at_the_edge(void **state)
{
    (void)state;
    window w;
    open_window(&w);
    access_by(&w, WW_OP_ST, 0, 2, 0);
    m_start(&w.m);
    point(&w, 2, 0, 1);
    static const struct {
        unsigned sm;
        uint64_t cycle;
        uint32_t value;
        uint32_t lanes;
    } stores[] = {
        {2, 1, 10, 0xf}, {2, 2, 20, 0x1}, {1, 1, 30, 0xf}, {1, 3, 40, 0x2}, {0, 2, 50, 0x3},
        {0, 3, 60, 0x2}, {0, 3, 70, 0x4}, {1, 3, 80, 0x4}, {1, 3, 90, 0x4},
    };
    for (unsigned k = 0; k < sizeof stores / sizeof stores[0]; k++) {
        fill(&w, 0, stores[k].value, 0);
        issue(&w, stores[k].sm, stores[k].cycle, 0, stores[k].lanes);
    }
    edge(&w);
    assert_int_equal(w.host[0], 20); /* cycle 2: SM 0, then SM 2 */
    assert_int_equal(w.host[1], 40); /* cycle 3: SM 0, then SM 1 */
    assert_int_equal(w.host[2], 90); /* cycle 3: SM 0, then SM 1 twice */
    assert_int_equal(w.host[3], 10); /* cycle 1: SM 1, then SM 2 */
    close_window(&w);
}

static void atomics_happen_at_the_edge(void **state)
{
    (void)state;
    window w;
    open_window(&w);
    atomic_by(&w, WW_SUB_ADD, 1, 2, 0);
    access_by(&w, WW_OP_LD, 5, 2, 0);
    m_start(&w.m);
    point(&w, 2, 7, 0);
    w.host[7] = 1000;
    fill(&w, 0, 1, 0);
    fill(&w, 1, 9, 0);
    assert_true(issue(&w, 1, 2, 0, 0x0000000f)->is_atomic);
    assert_false(w.m.step.wait);
    fill(&w, 0, 100, 0); /* operands are those of the issue */
    issue(&w, 0, 2, 0, 0x00000010);
    fill(&w, 0, 0, 0);
    assert_int_equal(w.host[7], 1000);
    assert_int_equal(m_reg(&w.m, 0, 1)[0], 9);
    assert_true(issue(&w, 1, 3, 1, 1)->again);
    assert_false(issue(&w, 2, 3, 1, 1)->again);
    assert_int_equal(m_reg(&w.m, 0, 5)[0], 1000);
    edge(&w);
    assert_int_equal(w.host[7], 1104);
    assert_int_equal(m_reg(&w.m, 0, 1)[4], 1000); /* SM 0 first */
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(m_reg(&w.m, 0, 1)[i], 1100 + i);
    }
    assert_int_equal(m_reg(&w.m, 0, 1)[5], 9);
    close_window(&w);
}

/* Shared memory belongs to the SM: nothing is kept back. Nor is anything without a list. */
static void other_memory_is_not_concerned(void **state)
{
    (void)state;
    window w;
    open_window(&w);
    w.m.kernel.shared_bytes = 256;
    ww_inst *st = access_by(&w, WW_OP_ST, 0, 2, 0);
    st->space = WW_SPACE_SHARED;
    access_by(&w, WW_OP_ST, 0, 4, 0);
    m_start(&w.m);
    for (unsigned i = 0; i < 32; i++) {
        m_reg(&w.m, 0, 2)[i] = 4 * i;
        m_reg(&w.m, 0, 3)[i] = 0;
    }
    point(&w, 4, 0, 1);
    fill(&w, 0, 5, 0);
    issue(&w, 0, 1, 0, 0xffffffff);
    assert_true(ww_pending_empty(w.sm[0]));
    uint32_t word;
    memcpy(&word, w.m.cta.shared + 8, sizeof word);
    assert_int_equal(word, 5);
    w.m.env.pending = NULL;
    w.m.cta.warp[0].stack[0].pc = 1;
    assert_int_equal(m_step(&w.m, 0), WW_OK);
    assert_int_equal(w.host[3], 5);
    close_window(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stores_wait_for_the_edge),
        cmocka_unit_test(only_overlapping_loads_wait),
        cmocka_unit_test(the_order_at_the_edge),
        cmocka_unit_test(atomics_happen_at_the_edge),
        cmocka_unit_test(other_memory_is_not_concerned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
