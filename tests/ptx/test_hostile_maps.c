/* test_hostile_maps.c - is a copy by a tensor map or a product by a descriptor that nobody should
 * make an error that says where, with and without time, and never a crash? */
#include "isa/tensor_map.h"
#include "tests/support/hopper_fixture.h"

enum { THREADS = 128, BYTES = 4096, DATA = 1024 };

/* %q0: the buffer, with a map at its start; %r1: s; the copy stands in line 10. */
#define HEAD                                                                                       \
    ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"        \
    ".shared .align 1024 .b8 s[4096]; .shared .align 8 .b64 bar;\n"                                \
    ".reg .b32 %r<9>; .reg .b64 %q<9>; .reg .f32 %f<5>; .reg .pred %p;\n"                          \
    "mov.u32 %r0, %tid.x; setp.ne.u32 %p, %r0, 0; mov.u32 %r1, s; ld.param.u64 %q0, [p];\n"        \
    "mov.u32 %r2, 0; mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, "   \
    "%f0;\n"
#define TAIL "\nret;\n}\n"
#define LOAD(rank, to, map, at)                                                                    \
    "@!%p cp.async.bulk.tensor." rank "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes" \
    " [" to "], [" map ", " at "], [bar];"
#define STORE(from)                                                                                \
    "@!%p cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%q0, {%r2, %r2}], [" from "];"
#define PRODUCT(a, b)                                                                              \
    "mov.u64 %q1, " a "; mov.u64 %q2, " b "; wgmma.fence.sync.aligned; "                           \
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %q1, %q2, 1, 1, 1, "  \
    "0, 0;"
#define LOAD_2D LOAD("2", "s", "%q0", "{%r2, %r2}")

typedef struct hostile_case {
    const char *name, *body, *found;
    void (*spoil)(ww_tensor_map *map);
} hostile_case;

static void keep(ww_tensor_map *m)
{
    (void)m;
}

static void turn_back(ww_tensor_map *m)
{
    m->stride[1] = (uint64_t)-64;
}

static void stride_askew(ww_tensor_map *m)
{
    m->stride[1] = 72;
}

static void address_askew(ww_tensor_map *m)
{
    m->address += 8;
}

static void empty_box(ww_tensor_map *m)
{
    m->box[1] = 0;
}

static void large_box(ww_tensor_map *m)
{
    m->box[1] = 257;
}

static void more_dimensions(ww_tensor_map *m)
{
    m->rank = 9;
}

static void past_the_end(ww_tensor_map *m)
{
    m->address += BYTES - DATA - 128;
}

static void nowhere(ww_tensor_map *m)
{
    m->address = 0x7000000000;
}

static void far_rows(ww_tensor_map *m)
{
    m->stride[1] = (UINT64_C(1) << 40) - 16;
}

static void too_many_bytes(ww_tensor_map *m)
{
    m->dim[1] = m->box[1] = 256;
    m->stride[1] = 0; /* rows one over the other */
}

static const hostile_case cases[] = {
    {"a map", LOAD_2D, NULL, keep},
    {"not there", LOAD("2", "s", "%q0+3072", "{%r2, %r2}"), "there is no tensor map at", keep},
    {"askew", LOAD("2", "s", "%q0+8", "{%r2, %r2}"), "is no multiple of 64", keep},
    {"its end is missing", LOAD("2", "s", "%q0+4032", "{%r2, %r2}"), "has not 128 bytes there",
     keep},
    {"of another rank", LOAD("3", "s", "%q0", "{%r2, %r2, %r2}"),
     "of rank 3 by a tensor map of rank 2", keep},
    {"to an odd place", LOAD("2", "s+16", "%q0", "{%r2, %r2}"), "multiple", keep},
    {"to the end of shared memory", LOAD("2", "s+4096", "%q0", "{%r2, %r2}"),
     "access out of bounds", keep},
    {"from the end of shared memory", STORE("s+4096"), "access out of bounds", keep},
    {"negative stride", LOAD_2D, "by the tensor map at", turn_back},
    {"stride of no sixteen bytes", LOAD_2D, "by the tensor map at", stride_askew},
    {"address of no sixteen bytes", LOAD_2D, "by the tensor map at", address_askew},
    {"empty box", LOAD_2D, "by the tensor map at", empty_box},
    {"large box", LOAD_2D, "by the tensor map at", large_box},
    {"nine dimensions", LOAD_2D, "by the tensor map at", more_dimensions},
    {"tensor past its buffer", LOAD_2D, "access out of bounds", past_the_end},
    {"store past its buffer", STORE("s"), "access out of bounds", past_the_end},
    {"tensor nowhere", LOAD_2D, "access out of bounds", nowhere},
    {"rows far away", LOAD_2D, "access out of bounds", far_rows},
    {"more than shared memory", LOAD_2D, "access out of bounds", too_many_bytes},
    {"descriptors", PRODUCT("0x1000080000", "0x1000080080"), NULL, keep},
    {"descriptor past the end", PRODUCT("0x1000080000", "0x1000083f00"), "wgmma", keep},
    {"steps past the end", PRODUCT("0x1000080000", "0x3fff00003fff0080"), "wgmma", keep},
    {"bits that mean nothing", PRODUCT("0x1000080000", "0x0100001000080080"), "wgmma", keep},
};

/* 8 rows of 16 words. */
static ww_tensor_map legal(ww_devptr p)
{
    return (ww_tensor_map){.address = p + DATA,
                           .type = WW_TENSOR_F32,
                           .rank = 2,
                           .dim = {16, 8},
                           .stride = {4, 64},
                           .box = {16, 8},
                           .step = {1, 1}};
}

static void check(const hostile_case *c, ww_device_options options)
{
    hopper m;
    ww_devptr p;
    char ptx[3000];
    unsigned char bytes[WW_TENSOR_MAP_BYTES];
    snprintf(ptx, sizeof ptx, "%s%s%s", HEAD, c->body, TAIL);
    hopper_open_with(&m, ptx, options);
    assert_ok(ww_device_malloc(m.device, BYTES, &p, &m.err), m.err);
    ww_tensor_map map = legal(p);
    c->spoil(&map);
    ww_tensor_map_encode(&map, bytes);
    assert_ok(ww_device_write(m.device, p, bytes, sizeof bytes, &m.err), m.err);
    const ww_status st = hopper_launch(&m, "k", 1, THREADS, 0, p);
    if ((st == WW_OK) != (c->found == NULL)) {
        fail_msg("%s: %s", c->name, st == WW_OK ? "no error" : m.err.what);
    }
    if (c->found != NULL && strstr(m.err.what, c->found) == NULL) {
        fail_msg("%s: no '%s' in: %s", c->name, c->found, m.err.what);
    }
    if (c->found != NULL && (m.err.line != 10 || strcmp(m.err.file, "c.ptx") != 0)) {
        fail_msg("%s: in %s:%d? %s", c->name, m.err.file, m.err.line, m.err.what);
    }
    hopper_close(&m);
}

static void without_time(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        check(&cases[k], (ww_device_options){.functional_only = true});
    }
}

static void with_time(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        check(&cases[k], (ww_device_options){.threads = 1});
    }
}

/* xorshift64*, George Marsaglia, "Xorshift RNGs", 2003. */
static uint64_t any(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * 0x2545f4914f6cdd1d;
}

/* Whatever stands in a map and wherever its box lies, there is a result or an error. */
static void any_map(void **state)
{
    (void)state;
    uint64_t seed = 1;
    unsigned errors = 0;
    for (unsigned n = 0; n < 60; n++) {
        hopper m;
        ww_devptr p;
        unsigned char bytes[WW_TENSOR_MAP_BYTES];
        hopper_open_with(&m,
                         HEAD "ld.global.u32 %r2, [%q0+128]; ld.global.u32 %r3, [%q0+132];\n" LOAD(
                             "2", "s", "%q0", "{%r2, %r3}") TAIL,
                         (ww_device_options){.functional_only = true});
        assert_ok(ww_device_malloc(m.device, BYTES, &p, &m.err), m.err);
        ww_tensor_map map = legal(p);
        for (unsigned k = 0; k < 3; k++) {
            const uint64_t value = any(&seed) >> any(&seed) % 64;
            (void)ww_tensor_map_replace(
                &map,
                (ww_tensor_field)(WW_TENSOR_FIELD_GLOBAL_ADDRESS +
                                  any(&seed) %
                                      (WW_TENSOR_FIELD_COUNT - WW_TENSOR_FIELD_GLOBAL_ADDRESS)),
                (unsigned)(any(&seed) % 2), value / 16 * 16);
        }
        const uint64_t at = any(&seed) >> any(&seed) % 64;
        ww_tensor_map_encode(&map, bytes);
        assert_ok(ww_device_write(m.device, p, bytes, sizeof bytes, &m.err), m.err);
        assert_ok(ww_device_write(m.device, p + sizeof bytes, &at, sizeof at, &m.err), m.err);
        errors += hopper_launch(&m, "k", 1, THREADS, 0, p) != WW_OK;
        hopper_close(&m);
    }
    assert_in_range(errors, 15, 59);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_time),
        cmocka_unit_test(with_time),
        cmocka_unit_test(any_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
