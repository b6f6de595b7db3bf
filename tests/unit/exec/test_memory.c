/* Do loads, stores and atomics reach the right bytes in every space, and do wrong ones end in a
 * message that says where? */
#include "machine.h"
#include "values.h"

static void set_address(machine *m, unsigned warp, unsigned reg, unsigned lane, uint64_t address)
{
    m_reg(m, warp, reg)[lane] = (uint32_t)address;
    m_reg(m, warp, reg + 1)[lane] = (uint32_t)(address >> 32);
}

static ww_inst *memory(machine *m, ww_op op, ww_type type, ww_space space, ww_operand data,
                       ww_operand address, int64_t offset)
{
    ww_inst *inst = op == WW_OP_LD ? m_add(m, op, type, 1, 1, data, address)
                                   : m_add(m, op, type, 0, 2, address, data);
    inst->space = (uint8_t)space;
    inst->offset = offset;
    return inst;
}

/* Every element size and extension, full and partial warps, scattered addresses. */
static void element_types(void **state)
{
    (void)state;
    static const struct {
        ww_type type;
        unsigned words;
    } forms[] = {{WW_T_U8, 1},  {WW_T_S8, 1},  {WW_T_B8, 2},  {WW_T_S8, 2},  {WW_T_U16, 1},
                 {WW_T_S16, 1}, {WW_T_S16, 2}, {WW_T_F16, 1}, {WW_T_B32, 1}, {WW_T_U32, 2},
                 {WW_T_S32, 2}, {WW_T_F32, 1}, {WW_T_U64, 2}, {WW_T_F64, 2}};
    for (unsigned f = 0; f < sizeof forms / sizeof forms[0]; f++) {
        machine m;
        uint64_t buffer;
        unsigned bytes = ww_type_bytes(forms[f].type);
        bool sgn = ww_type_is_signed(forms[f].type) && !ww_type_is_float(forms[f].type);
        m_init(&m);
        assert_ok(ww_devmem_alloc(m.mem, 4096, 256, &buffer, &m.err), m.err);
        unsigned char *host = ww_devmem_at(m.mem, buffer, 4096);
        for (unsigned k = 0; k < 4096; k++) {
            host[k] = (unsigned char)(k * 37 + k / 256 * 11);
        }
        memory(&m, WW_OP_LD, forms[f].type, WW_SPACE_GLOBAL, forms[f].words == 2 ? RR(0) : R(0),
               RR(2), 16);
        m.code[0].guard = P(0);
        memory(&m, WW_OP_ST, forms[f].type, WW_SPACE_GLOBAL, forms[f].words == 2 ? RR(0) : R(0),
               RR(4), 0);
        m_start(&m);
        m.cta.warp[0].preds[0] = f % 2 == 0 ? UINT32_MAX : 0x5a5a1234;
        for (unsigned i = 0; i < 32; i++) {
            set_address(&m, 0, 2, i, buffer + i * 7 % 32 * bytes);
            set_address(&m, 0, 4, i, buffer + 2048 + i * bytes);
            m_reg(&m, 0, 0)[i] = m_reg(&m, 0, 1)[i] = 0xdeadbeef;
        }
        assert_int_equal(m_step(&m, 0), WW_OK);
        assert_true(m.step.is_memory && !m.step.is_store && m.step.space == WW_SPACE_GLOBAL &&
                    m.step.lane_bytes == bytes);
        for (unsigned i = 0; i < 32; i++) {
            uint64_t v = 0;
            memcpy(&v, host + 16 + i * 7 % 32 * bytes, bytes);
            if (sgn && bytes < 8 && (v >> (bytes * 8 - 1) & 1) != 0) {
                v |= ~0ull << bytes * 8;
            }
            bool on = m.step.exec >> i & 1;
            assert_int_equal(m_reg(&m, 0, 0)[i], on ? (uint32_t)v : 0xdeadbeef);
            assert_int_equal(m_reg(&m, 0, 1)[i],
                             on && forms[f].words == 2 ? (uint32_t)(v >> 32) : 0xdeadbeef);
            if (on) {
                assert_int_equal(m.step.address[i], buffer + 16 + i * 7 % 32 * bytes);
            }
        }
        assert_int_equal(m_step(&m, 0), WW_OK);
        for (unsigned i = 0; i < 32; i++) {
            uint64_t want = (uint64_t)m_reg(&m, 0, 1)[i] << 32 | m_reg(&m, 0, 0)[i];
            assert_memory_equal(host + 2048 + i * bytes, &want, bytes);
        }
        m_fini(&m);
    }
}

/* Global memory, as the host sees it. */
static uint32_t *two_kib(machine *m, uint64_t *buffer)
{
    assert_ok(ww_devmem_alloc(m->mem, 2048, 256, buffer, &m->err), m->err);
    return ww_devmem_at(m->mem, *buffer, 2048);
}

static void vectors(void **state)
{
    (void)state;
    machine m;
    uint64_t buffer;
    m_init(&m);
    uint32_t *host = two_kib(&m, &buffer);
    for (unsigned k = 0; k < 256; k++) {
        host[k] = k;
    }
    m_add(&m, WW_OP_LD, WW_T_F32, 4, 1, R(4), NONE(), R(6), R(7), RR(2))->space = WW_SPACE_GLOBAL;
    ww_inst *st = m_add(&m, WW_OP_ST, WW_T_U64, 0, 3, RR(2), RR(6), I(0x1122334455667788));
    st->space = WW_SPACE_GLOBAL;
    st->offset = 1024;
    m.code[1].guard = P(0);
    m_start(&m);
    for (unsigned i = 0; i < 32; i++) {
        set_address(&m, 0, 2, i, buffer + 16 * i);
        m_reg(&m, 0, 5)[i] = 99;
    }
    m.cta.warp[0].preds[0] = 0x0000ffff;
    assert_int_equal(m_step(&m, 0), WW_OK);
    assert_int_equal(m.step.lane_bytes, 16);
    assert_int_equal(m_step(&m, 0), WW_OK);
    assert_true(m.step.is_store);
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(m_reg(&m, 0, 4)[i], 4 * i);
        assert_int_equal(m_reg(&m, 0, 5)[i], 99);
        assert_int_equal(m_reg(&m, 0, 7)[i], 4 * i + 3);
        if (i < 16) {
            assert_int_equal(host[256 + 4 * i], 4 * i + 2);
            assert_int_equal(host[256 + 4 * i + 1], 4 * i + 3);
            assert_int_equal(host[256 + 4 * i + 2], 0x55667788);
        }
    }
    m_fini(&m);
}

/* Vectors without gaps, of neighbours, of one place for all lanes, and of places here and there. */
static void whole_vectors(void **state)
{
    (void)state;
    static const struct {
        uint32_t step, lanes;
        bool wide; /* two elements of 64 bits; four of 32 */
    } cases[] = {{16, UINT32_MAX, false}, {16, UINT32_MAX, true},  {0, UINT32_MAX, false},
                 {16, 0x00ffff00, false}, {48, UINT32_MAX, false}, {48, 0xf0f0f0f1, true}};
    for (unsigned c = 0; c < WW_ARRAY_LEN(cases); c++) {
        machine m;
        uint64_t buffer;
        m_init(&m);
        uint32_t *host = two_kib(&m, &buffer);
        for (uint32_t k = 0; k < 512; k++) {
            host[k] = 7 * k + 1;
        }
        ww_inst *ld = cases[c].wide
                          ? m_add(&m, WW_OP_LD, WW_T_U64, 2, 1, RR(4), RR(6), RR(2))
                          : m_add(&m, WW_OP_LD, WW_T_U32, 4, 1, R(4), R(5), R(6), R(7), RR(2));
        ld->space = WW_SPACE_GLOBAL;
        ld->guard = P(0);
        m_start(&m);
        m.cta.warp[0].preds[0] = cases[c].lanes;
        for (unsigned i = 0; i < 32; i++) {
            set_address(&m, 0, 2, i, buffer + cases[c].step * i % 1536);
            for (unsigned k = 0; k < 4; k++) {
                m_reg(&m, 0, 4 + k)[i] = 99;
            }
        }
        assert_int_equal(m_step(&m, 0), WW_OK);
        for (unsigned i = 0; i < 32; i++) {
            const bool on = cases[c].lanes >> i & 1;
            for (unsigned k = 0; k < 4; k++) {
                const uint32_t word = cases[c].step * i % 1536 / 4 + k;
                assert_int_equal(m_reg(&m, 0, 4 + k)[i], on ? host[word] : 99);
            }
        }
        m_fini(&m);
    }
}

static void spaces(void **state)
{
    (void)state;
    machine m;
    m_init(&m);
    m.kernel.shared_bytes = 256;
    m.kernel.local_bytes = 8;
    m.launch.dynamic_shared = 128;
    const uint32_t word = 0xcafe0001;
    memcpy(m.params + 20, &word, 4);
    memory(&m, WW_OP_ST, WW_T_B32, WW_SPACE_SHARED, R(1), R(0),
           256); /* shared[256 + 4*lane] = lane */
    memory(&m, WW_OP_LD, WW_T_B32, WW_SPACE_GENERIC, R(4), RR(2), 0); /* through its window */
    memory(&m, WW_OP_ST, WW_T_B32, WW_SPACE_LOCAL, R(1), NONE(), 4);  /* local[4] = lane */
    memory(&m, WW_OP_LD, WW_T_B32, WW_SPACE_LOCAL, R(5), NONE(), 4);
    memory(&m, WW_OP_LD, WW_T_B32, WW_SPACE_PARAM, R(6), NONE(), 20);
    m_add(&m, WW_OP_CVTA, WW_T_U64, 1, 1, RR(8), I(4))->space = WW_SPACE_LOCAL;
    memory(&m, WW_OP_LD, WW_T_B32, WW_SPACE_GENERIC, R(7), RR(8), 0);
    m_add(&m, WW_OP_MOV, WW_T_U32, 1, 1, R(10), C(20, 1));
    m_add(&m, WW_OP_ISSPACEP, WW_T_U64, 1, 1, P(1), RR(8))->space = WW_SPACE_LOCAL;
    m_add(&m, WW_OP_EXIT, WW_T_NONE, 0, 0);
    m_start(&m);
    for (unsigned i = 0; i < 32; i++) {
        m_reg(&m, 0, 0)[i] = 4 * i;
        m_reg(&m, 0, 1)[i] = i + 100;
        set_address(&m, 0, 2, i, WW_SHARED_WINDOW + 256 + 4 * (31 - i));
    }
    for (unsigned k = 0; k < 9; k++) {
        assert_ok(m_step(&m, 0), m.err);
        if (k == 1) {
            assert_int_equal(m.step.space, WW_SPACE_SHARED);
            assert_int_equal(m.step.address[0], 256 + 4 * 31);
        }
    }
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(m_reg(&m, 0, 4)[i], 131 - i);
        assert_int_equal(m_reg(&m, 0, 5)[i], 100 + i);
        assert_int_equal(m_reg(&m, 0, 6)[i], word);
        assert_int_equal(m_reg(&m, 0, 7)[i], 100 + i);
        assert_int_equal(m_reg(&m, 0, 10)[i], word);
    }
    assert_int_equal(m.cta.warp[0].preds[1], UINT32_MAX);
    m_fini(&m);
}

/* A load of the kernel's parameters, done by one warp of lanes `active` whose predicate 0 is set.
 */
typedef struct parameter_load {
    ww_type type;
    ww_operand to, base;
    int64_t offset;
    uint32_t active;
    bool by_name; /* where lines are told: its address alone */
} parameter_load;

static ww_status load_parameter(machine *m, const parameter_load *l, bool lines)
{
    m_init(m);
    m->env.lines = lines;
    for (unsigned i = 0; i < sizeof m->params; i++) {
        m->params[i] = (unsigned char)(3 * i + 200);
    }
    memory(m, WW_OP_LD, l->type, WW_SPACE_PARAM, l->to, l->base, l->offset);
    m->code[0].guard = P(0);
    m_start(m);
    m->cta.warp[0].preds[0] = l->active;
    for (unsigned i = 0; i < 32; i++) {
        m_reg(m, 0, 8)[i] = 4 * i;
    }
    memset(m->step.address, 0xff, sizeof m->step.address);
    return m_step(m, 0);
}

static void parameters_by_name(void **state)
{
    (void)state;
    const uint32_t all = UINT32_MAX;
    const parameter_load loads[] = {
        {WW_T_U32, R(2), NONE(), 20, all, true},     {WW_T_F64, RR(2), NONE(), 24, all, true},
        {WW_T_U64, RR(2), I(16), 40, all, true},     {WW_T_B32, R(2), NONE(), 60, all, true},
        {WW_T_U32, R(2), NONE(), 20, 0xff0f, false}, {WW_T_S32, RR(2), NONE(), 20, all, false},
        {WW_T_U8, R(2), NONE(), 21, all, false},     {WW_T_S16, R(2), NONE(), 30, all, false},
        {WW_T_U32, R(2), R(8), -64, all, false},     {WW_T_U64, RR(2), NONE(), 60, all, false},
        {WW_T_U32, R(2), NONE(), 22, all, false},    {WW_T_U32, R(2), NONE(), 64, all, false},
        {WW_T_U32, R(2), NONE(), -4, all, false},    {WW_T_U64, RR(2), NONE(), 20, all, false},
    };
    for (unsigned k = 0; k < WW_ARRAY_LEN(loads); k++) {
        const parameter_load *l = &loads[k];
        machine named, addressed;
        const ww_status right = load_parameter(&addressed, l, false);
        assert_int_equal(load_parameter(&named, l, true), right);
        assert_memory_equal(m_reg(&named, 0, 0), m_reg(&addressed, 0, 0), MACHINE_REGS * 32 * 4);
        assert_string_equal(named.err.what, addressed.err.what);
        assert_int_equal(named.step.address[1] == UINT64_MAX, l->by_name);
        if (right == WW_OK) {
            const unsigned first = (unsigned)__builtin_ctz(l->active);
            assert_int_equal(named.step.address[first], addressed.step.address[first]);
            assert_int_equal(named.step.same, addressed.step.same);
            assert_int_equal(named.step.lane_bytes, addressed.step.lane_bytes);
            assert_int_equal(named.step.space, WW_SPACE_PARAM);
            assert_true(named.step.is_memory && !named.step.is_store);
        }
        m_fini(&named);
        m_fini(&addressed);
    }
}

/* One generic load whose lanes read global, shared and local memory. */
static void mixed_generic(void **state)
{
    (void)state;
    machine m;
    uint64_t buffer;
    m_init(&m);
    m.kernel.shared_bytes = 256;
    m.kernel.local_bytes = 16;
    assert_ok(ww_devmem_alloc(m.mem, 256, 256, &buffer, &m.err), m.err);
    memory(&m, WW_OP_LD, WW_T_B32, WW_SPACE_GENERIC, R(0), RR(2), 0);
    m_start(&m);
    for (unsigned i = 0; i < 32; i++) {
        uint64_t a = i % 3 == 0   ? buffer + 4 * i
                     : i % 3 == 1 ? WW_SHARED_WINDOW + 4 * i
                                  : WW_LOCAL_WINDOW + 8;
        set_address(&m, 0, 2, i, a);
        uint32_t v = 1000 + i;
        unsigned char *p = i % 3 == 0   ? ww_devmem_at(m.mem, buffer + 4 * i, 4)
                           : i % 3 == 1 ? m.cta.shared + 4 * i
                                        : m.cta.warp[0].local + 16 * i + 8;
        memcpy(p, &v, 4);
    }
    assert_ok(m_step(&m, 0), m.err);
    assert_int_equal(m.step.space, WW_SPACE_GENERIC);
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(m_reg(&m, 0, 0)[i], 1000 + i);
    }
    m_fini(&m);
}

static void expect_fault(machine *m, const char *text)
{
    m->launch.grid = (ww_dim3){4, 3, 2};
    m->launch.block = (ww_dim3){8, 4, 2};
    assert_ok(ww_exec_prepare(&m->launch, &m->err), m->err);
    assert_ok(ww_cta_init(&m->cta, &m->launch, 4 * 3 + 4 + 2, NULL, &m->err),
              m->err); /* CTA (2,1,1) */
    for (unsigned i = 0; i < 32; i++) {
        set_address(m, 1, 2, i, WW_GLOBAL_BASE + 4 * i);
    }
    assert_int_equal(m_step(m, 1), strstr(text, "misaligned") != NULL ? WW_EALIGN : WW_EFAULT);
    assert_string_equal(m->err.what, text);
    assert_string_equal(m->err.file, "k.ptx");
    assert_int_equal(m->err.line, 1);
    m_fini(m);
}

static void faults(void **state)
{
    (void)state;
    machine m;
    uint64_t buffer;
    m_init(&m);
    assert_ok(ww_devmem_alloc(m.mem, 52, 256, &buffer, &m.err), m.err);
    memory(&m, WW_OP_LD, WW_T_U32, WW_SPACE_GLOBAL, R(0), RR(2), 0);
    expect_fault(&m, "kernel k: access out of bounds by ld of 4 bytes in global memory at "
                     "0x10000034, CTA (2,1,1), "
                     "thread (5,1,1): 0 bytes after the 52-byte allocation at 0x10000000.");
    m_init(&m);
    assert_ok(ww_devmem_alloc(m.mem, 54, 256, &buffer, &m.err),
              m.err); /* the last access is half inside */
    memory(&m, WW_OP_ST, WW_T_U32, WW_SPACE_GLOBAL, R(0), RR(2), 0);
    expect_fault(&m, "kernel k: access out of bounds by st of 4 bytes in global memory at "
                     "0x10000034, CTA (2,1,1), "
                     "thread (5,1,1): 52 bytes into the 54-byte allocation at 0x10000000.");
    m_init(&m);
    assert_ok(ww_devmem_alloc(m.mem, 4096, 256, &buffer, &m.err), m.err);
    memory(&m, WW_OP_LD, WW_T_U64, WW_SPACE_GLOBAL, RR(0), RR(2), 0);
    expect_fault(
        &m,
        "kernel k: misaligned access by ld of 8 bytes in global memory at 0x10000004, CTA (2,1,1), "
        "thread (1,0,1): 4 bytes into the 4096-byte allocation at 0x10000000.");
    m_init(&m);
    m.kernel.shared_bytes = 12;
    memory(&m, WW_OP_LD, WW_T_U32, WW_SPACE_SHARED, R(0), I(0), 12);
    expect_fault(
        &m, "kernel k: access out of bounds by ld of 4 bytes in shared memory at 0xc, CTA (2,1,1), "
            "thread (0,0,1): the CTA has 12 bytes of shared memory.");
    m_init(&m);
    m.kernel.local_bytes = 8;
    memory(&m, WW_OP_ST, WW_T_U32, WW_SPACE_LOCAL, R(0), I(0), -4);
    expect_fault(
        &m,
        "kernel k: access out of bounds by st of 4 bytes in local memory at 0xfffffffffffffffc, "
        "CTA (2,1,1), thread (0,0,1): the thread has 8 bytes of local memory.");
    m_init(&m);
    memory(&m, WW_OP_LD, WW_T_U32, WW_SPACE_PARAM, R(0), NONE(), 64);
    expect_fault(
        &m, "kernel k: access out of bounds by ld of 4 bytes in param memory at 0x40, CTA (2,1,1), "
            "thread (0,0,1): the kernel has 64 bytes of parameters.");
    m_init(&m);
    memory(&m, WW_OP_LD, WW_T_U32, WW_SPACE_GLOBAL, R(0), I(0), 0);
    expect_fault(
        &m, "kernel k: access out of bounds by ld of 4 bytes in global memory at 0x0, CTA (2,1,1), "
            "thread (0,0,1): there are no allocations.");
}

/* Shared addresses are 32-bit and wrap; prefetch may point anywhere. */
static void narrow_addresses(void **state)
{
    (void)state;
    machine m;
    m_init(&m);
    m.kernel.shared_bytes = 64;
    memory(&m, WW_OP_LD, WW_T_U32, WW_SPACE_SHARED, R(1), R(0), 16);
    m_add(&m, WW_OP_PREFETCH, WW_T_NONE, 0, 1, RR(2))->space = WW_SPACE_GLOBAL;
    m_start(&m);
    for (unsigned i = 0; i < 32; i++) {
        m_reg(&m, 0, 0)[i] = 0xfffffff8u;
    }
    m.cta.shared[8] = 42;
    assert_ok(m_step(&m, 0), m.err);
    assert_int_equal(m_reg(&m, 0, 1)[31], 42);
    assert_ok(m_step(&m, 0), m.err);
    m_fini(&m);
}

/* Neighbouring allocations in one access, and lanes that store to one address. */
static void several_allocations(void **state)
{
    (void)state;
    machine m;
    uint64_t a, b;
    m_init(&m);
    assert_ok(ww_devmem_alloc(m.mem, 64, 256, &a, &m.err), m.err);
    assert_ok(ww_devmem_alloc(m.mem, 64, 256, &b, &m.err), m.err);
    memory(&m, WW_OP_ST, WW_T_U32, WW_SPACE_GLOBAL, R(0), RR(2), 0);
    m_start(&m);
    for (unsigned i = 0; i < 32; i++) {
        set_address(&m, 0, 2, i, i % 2 == 0 ? a : b + 60);
        m_reg(&m, 0, 0)[i] = i;
    }
    assert_ok(m_step(&m, 0), m.err);
    assert_int_equal(*(uint32_t *)ww_devmem_at(m.mem, a, 4),
                     30); /* the highest lane's value stays */
    assert_int_equal(*(uint32_t *)ww_devmem_at(m.mem, b + 60, 4), 31);
    m_fini(&m);
}

static void atomics(void **state)
{
    (void)state;
    static const struct {
        ww_sub sub;
        ww_type type;
        uint64_t start, operand, final,
            lane5; /* lane5: the old value lane 5 gets; operand + lane unless uniform */
        bool uniform;
    } t[] = {
        {WW_SUB_ADD, WW_T_U32, 10, 1, 42, 15, true},
        {WW_SUB_ADD, WW_T_U64, 0xffffffffull, 1, 0x10000001full, 0x100000004ull, true},
        {WW_SUB_MIN, WW_T_S32, 5, (uint32_t)-3, (uint32_t)-3, (uint32_t)-3, false},
        {WW_SUB_MIN, WW_T_U32, 5, 2, 2, 2, false},
        {WW_SUB_MAX, WW_T_S32, (uint32_t)-9, 0, 31, 4, false},
        {WW_SUB_MAX, WW_T_U64, 7, 0, 31, 7, false},
        {WW_SUB_INC, WW_T_U32, 0, 9, 2, 5, true},
        {WW_SUB_DEC, WW_T_U32, 2, 3, 2, 1, true}, /* 2 1 0 3 2 1 ... */
        {WW_SUB_AND, WW_T_B32, 0xff, 0xf0, 0xf0, 0xf0, true},
        {WW_SUB_OR, WW_T_B64, 0x100000000ull, 1, 0x100000001ull, 0x100000001ull, true},
        {WW_SUB_XOR, WW_T_B32, 0, 1, 0, 1, true},
        {WW_SUB_EXCH, WW_T_B32, 77, 0, 31, 4, false},
        {WW_SUB_ADD, WW_T_F32, 0x3f800000, 0x3f800000, 0x42040000, 0x40c00000, true}, /* 1 + 32 */
        {WW_SUB_ADD, WW_T_F64, 0, 0x3ff0000000000000ull, 0x4040000000000000ull,
         0x4014000000000000ull, true},
        {WW_SUB_ADD, WW_T_F16, 0x3c00, 0x3c00, 0x5020, 0x4600, true}, /* 33; 6 */
    };
    for (unsigned k = 0; k < sizeof t / sizeof t[0]; k++) {
        for (unsigned shared = 0; shared < 2; shared++) {
            machine m;
            uint64_t buffer;
            unsigned bytes = ww_type_bytes(t[k].type);
            m_init(&m);
            m.kernel.shared_bytes = 16;
            assert_ok(ww_devmem_alloc(m.mem, 16, 256, &buffer, &m.err), m.err);
            ww_operand value = bytes == 8 ? RR(4) : R(4), old = bytes == 8 ? RR(0) : R(0);
            ww_inst *inst =
                m_add(&m, WW_OP_ATOM, t[k].type, 1, 2, old, shared ? I(8) : I(buffer + 8), value);
            inst->sub = (uint8_t)t[k].sub;
            inst->space = shared ? WW_SPACE_SHARED : WW_SPACE_GLOBAL;
            m_start(&m);
            unsigned char *p = shared ? m.cta.shared + 8 : ww_devmem_at(m.mem, buffer + 8, 8);
            memcpy(p, &t[k].start, bytes);
            for (unsigned i = 0; i < 32; i++) {
                set_address(&m, 0, 4, i, t[k].operand + (t[k].uniform ? 0 : i));
            }
            assert_ok(m_step(&m, 0), m.err);
            uint64_t now = 0;
            memcpy(&now, p, bytes);
            uint64_t got =
                (bytes == 8 ? (uint64_t)m_reg(&m, 0, 1)[5] << 32 : 0) | m_reg(&m, 0, 0)[5];
            if (now != t[k].final || got != t[k].lane5 || !m.step.is_atomic) {
                fail_msg("row %u: memory %llx, lane 5 %llx", k, (unsigned long long)now,
                         (unsigned long long)got);
            }
            m_fini(&m);
        }
    }
}

static void compare_and_swap(void **state)
{
    (void)state;
    static const ww_type types[] = {WW_T_B16, WW_T_B32, WW_T_B64};
    for (unsigned k = 0; k < 3; k++) {
        machine m;
        uint64_t buffer;
        m_init(&m);
        assert_ok(ww_devmem_alloc(m.mem, 16, 256, &buffer, &m.err), m.err);
        ww_operand old = k == 2 ? RR(0) : R(0), want = k == 2 ? RR(4) : R(4),
                   put = k == 2 ? RR(6) : R(6);
        ww_inst *cas = m_add(&m, WW_OP_ATOM, types[k], 1, 3, old, I(buffer), want, put);
        cas->sub = WW_SUB_CAS;
        cas->space = WW_SPACE_GENERIC;
        m_start(&m);
        *(uint64_t *)ww_devmem_at(m.mem, buffer, 8) = 0xaaaa000000000000ull;
        for (unsigned i = 0; i < 32; i++) { /* lane i raises i to i + 1, except lane 9 */
            uint64_t base = k == 2 ? 0xaaaa000000000000ull : 0;
            set_address(&m, 0, 4, i, base + (i == 9 ? 100 : i));
            set_address(&m, 0, 6, i, base + i + 1);
        }
        assert_ok(m_step(&m, 0), m.err);
        assert_int_equal(*(uint64_t *)ww_devmem_at(m.mem, buffer, 8), 0xaaaa000000000009ull);
        assert_int_equal(m_reg(&m, 0, 0)[8], 8);
        assert_int_equal(m_reg(&m, 0, 0)[31], 9);
        m_fini(&m);
    }
}

/* add.f32 flushes subnormals in global memory and keeps them in shared memory. */
static void atomic_subnormals(void **state)
{
    (void)state;
    for (unsigned shared = 0; shared < 2; shared++) {
        machine m;
        uint64_t buffer;
        m_init(&m);
        m.kernel.shared_bytes = 16;
        assert_ok(ww_devmem_alloc(m.mem, 16, 256, &buffer, &m.err), m.err);
        ww_inst *red = m_add(&m, WW_OP_RED, WW_T_F32, 0, 2, shared ? I(0) : I(buffer), I(1));
        red->sub = WW_SUB_ADD;
        red->space = shared ? WW_SPACE_SHARED : WW_SPACE_GLOBAL;
        m_start(&m);
        assert_ok(m_step(&m, 0), m.err);
        uint32_t v;
        memcpy(&v, shared ? (void *)m.cta.shared : ww_devmem_at(m.mem, buffer, 4), 4);
        assert_int_equal(v, shared ? 32 : 0);
        m_fini(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(element_types),
        cmocka_unit_test(vectors),
        cmocka_unit_test(whole_vectors),
        cmocka_unit_test(spaces),
        cmocka_unit_test(parameters_by_name),
        cmocka_unit_test(mixed_generic),
        cmocka_unit_test(faults),
        cmocka_unit_test(narrow_addresses),
        cmocka_unit_test(several_allocations),
        cmocka_unit_test(atomics),
        cmocka_unit_test(compare_and_swap),
        cmocka_unit_test(atomic_subnormals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
