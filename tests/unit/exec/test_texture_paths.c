/* Do textures that are fetched 32 lanes at once, by each extension of the host, give the bits and
 * the addresses that fetching lane by lane gives? Random textures of every form, coordinates
 * inside, at the edges, far away, infinite and NaN. */
#include "perf/exec/lanes/lanes.h"
#include "values.h"

enum { TEXTURES = 4, BYTES = 1 << 14 };

/* Registers 4 to 9: handles and coordinates. */
typedef struct inputs {
    uint32_t plane[6][WW_LANES];
} inputs;

/* What a fetch did. */
typedef struct outcome {
    uint32_t result[4][WW_LANES];
    uint64_t address[WW_LANES];
} outcome;

static uint32_t up_to(uint64_t *seed, uint32_t n)
{
    return 1 + (uint32_t)(rnd(seed) % n);
}

static ww_texture any_texture(uint64_t *seed, uint64_t address)
{
    static const uint8_t channels[3] = {1, 2, 4}, bits[3] = {8, 16, 32};
    ww_texture t = {.address = address,
                    .width = up_to(seed, 20),
                    .height = up_to(seed, 9),
                    .depth = up_to(seed, 5),
                    .channels = channels[rnd(seed) % 3],
                    .channel = (uint8_t)(rnd(seed) % 3),
                    .blocks = (rnd(seed) & 1) != 0,
                    .linear = (rnd(seed) & 1) != 0,
                    .normalized_coordinates = (rnd(seed) & 1) != 0,
                    .normalized_read = (rnd(seed) & 1) != 0};
    t.channel_bits = t.channel == WW_TEX_FLOAT ? bits[1 + (rnd(seed) & 1)] : bits[rnd(seed) % 3];
    t.pitch = t.width * t.channels * t.channel_bits / 8u + rnd(seed) % 3 * 4;
    t.slice = t.height * t.pitch + rnd(seed) % 3 * 8;
    for (unsigned d = 0; d < 3; d++) {
        t.mode[d] = (uint8_t)(rnd(seed) % 4);
    }
    for (unsigned c = 0; c < 4; c++) {
        t.border[c] = f32_of(any32(seed));
    }
    return t;
}

/* Bits of a coordinate along so many elements. */
static uint32_t any_coordinate(uint64_t *seed, bool integer, bool normalized, uint32_t size)
{
    unsigned kind = (unsigned)(rnd(seed) % 8);
    if (kind == 0) {
        return any32(seed);
    }
    if (integer) {
        return (uint32_t)(rnd(seed) % (size + 6u)) - 3;
    }
    float scale = normalized ? 1.0f : (float)size;
    float at = (float)(rnd(seed) % 4096) / 1024.0f * scale - 1.5f * scale;
    float half = (float)(int)(rnd(seed) % 64) / 2.0f - 8.0f; /* whole elements, and between them */
    at = kind == 1 ? half / (normalized ? (float)size : 1.0f) : at;
    at = kind == 2 ? (float)(rnd(seed) >> 20) * 1e-3f : at;
    return bits_of(kind == 3 ? -at : at);
}

/* tex of one warp: registers 0-3 results, 4-5 handle, 6-9 coordinates. */
static void build(machine *m, ww_sub geometry, bool integer, unsigned coordinates, unsigned wanted)
{
    m_init(m);
    ww_inst *tex = m_add(m, WW_OP_TEX, WW_T_F32, 4, 1 + coordinates, R(0), R(1), R(2), R(3), RR(4),
                         R(6), R(7), R(8), R(9));
    tex->sub = (uint8_t)geometry;
    tex->type2 = integer ? WW_T_S32 : WW_T_F32;
    for (unsigned c = 0; c < 4; c++) {
        m->operands[c] = (wanted >> c & 1) != 0 ? R(c) : NONE();
    }
    m_add(m, WW_OP_EXIT, WW_T_NONE, 0, 0);
}

static void run(machine *m, const ww_lane_set *set, const inputs *in, uint32_t active, outcome *out)
{
    ww_cta_fini(&m->cta);
    ww_exec_release(&m->launch);
    m->cta = (ww_cta){0};
    m->launch.lanes = set;
    m_start(m);
    memset(m_reg(m, 0, 0), 0xa5, sizeof out->result);
    memcpy(m_reg(m, 0, 4), in, sizeof *in);
    m->cta.warp[0].stack[0].mask = active;
    memset(&m->step, 0, sizeof m->step);
    assert_ok(m_step(m, 0), m->err);
    assert_true(m->step.is_memory && m->step.space == WW_SPACE_TEX);
    memcpy(out->result, m_reg(m, 0, 0), sizeof out->result);
    for (unsigned i = 0; i < WW_LANES; i++) {
        out->address[i] = (active >> i & 1) != 0 ? m->step.address[i] : 0;
    }
}

static void compare(const outcome *want, const outcome *got, const ww_lane_set *set,
                    const ww_texture *t, const inputs *in)
{
    for (unsigned i = 0; i < WW_LANES; i++) {
        bool same = want->address[i] == got->address[i];
        for (unsigned c = 0; c < 4; c++) {
            same &= want->result[c][i] == got->result[c][i];
        }
        if (!same) {
            fail_msg(
                "%s: %ux%ux%u, %u of %u bits, type %u, modes %u %u %u, linear %d normalized %d, "
                "at %08x %08x %08x: %08x %08x %08x %08x at %llx, lane by lane %08x %08x %08x "
                "%08x at %llx",
                set->name, t->width, t->height, t->depth, t->channels, t->channel_bits, t->channel,
                t->mode[0], t->mode[1], t->mode[2], t->linear, t->normalized_coordinates,
                in->plane[2][i], in->plane[3][i], in->plane[4][i], got->result[0][i],
                got->result[1][i], got->result[2][i], got->result[3][i],
                (unsigned long long)got->address[i], want->result[0][i], want->result[1][i],
                want->result[2][i], want->result[3][i], (unsigned long long)want->address[i]);
        }
    }
}

typedef struct form {
    ww_sub geometry;
    unsigned dimensions, layered;
} form;

/* Adds textures of the machine's memory; returns the last. */
static ww_texture add_textures(machine *m, uint64_t *seed, uint64_t handle[TEXTURES])
{
    uint64_t address;
    ww_texture t = {0};
    assert_ok(ww_devmem_alloc(m->mem, BYTES, 256, &address, &m->err), m->err);
    uint32_t *memory = (uint32_t *)(void *)ww_devmem_at(m->mem, address, BYTES);
    for (unsigned i = 0; i < BYTES / 4; i++) {
        memory[i] = any32(seed);
    }
    assert_ok(ww_textures_create(&m->launch.textures, &m->err), m->err);
    for (unsigned i = 0; i < TEXTURES; i++) {
        t = any_texture(seed, address);
        assert_ok(ww_texture_add(m->launch.textures, &t, &handle[i], &m->err), m->err);
    }
    return t;
}

/* Coordinates that suit the texture t, the last of the handles; `mixed`: lanes have different ones.
 */
static inputs any_inputs(uint64_t *seed, const form *f, bool integer, const ww_texture *t,
                         const uint64_t handle[TEXTURES], bool mixed)
{
    inputs in = {{{0}}};
    const uint32_t size[3] = {t->width, t->height, t->depth};
    for (unsigned i = 0; i < WW_LANES; i++) {
        in.plane[0][i] = (uint32_t)handle[mixed ? rnd(seed) % TEXTURES : TEXTURES - 1];
        in.plane[2][i] = (uint32_t)(rnd(seed) % 8); /* the layer, where there are layers */
        for (unsigned d = 0; d < f->dimensions; d++) {
            in.plane[2 + f->layered + d][i] =
                any_coordinate(seed, integer, t->normalized_coordinates, size[d]);
        }
    }
    return in;
}

static void lane_by_lane(void **state)
{
    (void)state;
    static const form forms[5] = {{WW_SUB_1D, 1, 0},
                                  {WW_SUB_2D, 2, 0},
                                  {WW_SUB_3D, 3, 0},
                                  {WW_SUB_A1D, 1, 1},
                                  {WW_SUB_A2D, 2, 1}};
    const ww_lane_set *sets[3];
    unsigned count = ww__lanes_all(sets);
    ww_lane_set general = *sets[0];
    general.texture = NULL;
    uint64_t seed = 20;
    for (unsigned n = 0; n < 6000; n++) {
        const form *f = &forms[n % 5];
        bool integer = n % 7 == 0;
        unsigned wanted = n % 3 == 0 ? (unsigned)(rnd(&seed) % 16) : 15;
        uint32_t active = n % 4 == 0 ? (uint32_t)rnd(&seed) | 1u : UINT32_MAX;
        uint64_t handle[TEXTURES];
        outcome want;
        outcome got;
        machine m;
        build(&m, f->geometry, integer, ww_texture_coordinates(f->geometry), wanted);
        const ww_texture t = add_textures(&m, &seed, handle);
        const inputs in = any_inputs(&seed, f, integer, &t, handle, n % 11 == 0);
        run(&m, &general, &in, active, &want);
        for (unsigned v = 0; v < count; v++) {
            run(&m, sets[v], &in, active, &got);
            compare(&want, &got, sets[v], &t, &in);
        }
        ww_textures_destroy(m.launch.textures);
        m_fini(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lane_by_lane)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
