/* Loads and stores of whole warps, of every variant, against a lane by lane reference: neighbours,
 * one address, strides, random places; full and partial masks; windows that start anywhere;
 * accesses of which one lane is misaligned or outside, which must leave everything alone. */
#include <stdlib.h>

#include "machine.h"
#include "perf/exec/lanes/lanes.h"

enum { MEMORY = 4096, PLANES = 4, MARGIN = 256 };

typedef struct access {
    ww_lane_access a;
    _Alignas(64) uint32_t base[64];
    _Alignas(64) uint32_t regs[PLANES * 32];
    _Alignas(64) unsigned char memory[MEMORY + 2 * MARGIN];
    unsigned bytes, words; /* bytes of an element below a word, else 0 */
    bool stores, is_signed;
} access;

/* The place of lane i in its window; false where it is not one. */
static bool place_of(const access *t, unsigned i, uint64_t *at)
{
    unsigned bytes = t->bytes != 0 ? t->bytes : 4 * t->words;
    uint64_t address = t->base[i] + t->a.offset;
    if (t->a.words == 2) {
        address += (uint64_t)t->base[i + 32] << 32;
    } else {
        address &= UINT32_MAX;
    }
    *at = address - t->a.first;
    return address % bytes == 0 && address >= t->a.first && *at + bytes <= t->a.bytes;
}

static bool reference(access *t)
{
    uint64_t at;
    for (unsigned i = 0; i < 32; i++) {
        if ((t->a.mask >> i & 1) != 0 && !place_of(t, i, &at)) {
            return false;
        }
    }
    for (unsigned i = 0; i < 32; i++) {
        if ((t->a.mask >> i & 1) == 0) {
            continue;
        }
        place_of(t, i, &at);
        unsigned char *p = t->a.host + at + (uint64_t)i * t->a.lane_stride;
        for (unsigned k = 0; k < (t->bytes != 0 ? 1 : t->words); k++) {
            uint32_t *r = &t->regs[32 * k + i];
            if (t->stores) {
                memcpy(p + 4 * k, r, t->bytes != 0 ? t->bytes : 4);
            } else if (t->bytes == 0) {
                memcpy(r, p + 4 * k, 4);
            } else {
                uint32_t v = t->bytes == 1 ? p[0] : (uint32_t)(p[0] | p[1] << 8);
                *r = !t->is_signed ? v : t->bytes == 1 ? (uint32_t)(int8_t)v : (uint32_t)(int16_t)v;
            }
        }
    }
    return true;
}

static bool perform(access *t, const ww_lane_set *set)
{
    static const ww_type narrow[2][2] = {{WW_T_U8, WW_T_S8}, {WW_T_U16, WW_T_S16}};
    uint32_t *const planes[PLANES] = {t->regs, t->regs + 32, t->regs + 64, t->regs + 96};
    ww_type type = t->bytes == 0 ? WW_T_B32 : narrow[t->bytes - 1][t->is_signed];
    return set->find_move(type, t->bytes == 0 ? t->words : 1, t->stores)(&t->a, planes);
}

static uint32_t pick(uint64_t *state, uint32_t n)
{
    return (uint32_t)(rnd(state) >> 33) % n;
}

static void invent(access *t, uint64_t *state)
{
    memset(t, 0, sizeof *t);
    for (unsigned i = 0; i < sizeof t->memory; i++) {
        t->memory[i] = (unsigned char)rnd(state);
    }
    for (unsigned i = 0; i < PLANES * 32; i++) {
        t->regs[i] = (uint32_t)rnd(state);
    }
    t->stores = pick(state, 2) == 0;
    t->is_signed = pick(state, 2) == 0;
    t->bytes = pick(state, 3) == 0 ? 1 + pick(state, 2) : 0;
    t->words = 1u << pick(state, 3);
    unsigned bytes = t->bytes != 0 ? t->bytes : 4 * t->words;
    bool wide = pick(state, 2) == 0;
    uint64_t first =
        !wide ? 0 : (7ull << 32) - pick(state, 2) * (MEMORY / 32) * 16 + 16 * pick(state, 9);
    bool apart = pick(state, 8) == 0; /* windows of lanes, as of local memory */
    uint64_t room = apart ? MEMORY / 32 : MEMORY - 16 * pick(state, 9);
    bool huge = wide && !apart && pick(state, 4) == 0; /* memory somewhere in a huge window */
    uint32_t slots = (uint32_t)room / bytes, start = pick(state, slots), step = pick(state, 4);
    uint64_t offset = rnd(state) >> pick(state, 64);
    unsigned pattern = pick(state, 4);
    t->a = (ww_lane_access){.base = t->base,
                            .words = wide ? 2 : 1,
                            .mask = pick(state, 2) == 0 ? UINT32_MAX : (uint32_t)rnd(state) | 4,
                            .offset = offset,
                            .first = first,
                            .bytes = room,
                            .host = t->memory + MARGIN,
                            .lane_stride = apart ? MEMORY / 32 : 0};
    t->a.mask = pick(state, 16) == 0 ? 1u << pick(state, 32) : t->a.mask;
    for (unsigned i = 0; i < 32; i++) {
        uint32_t slot = pattern == 0   ? start
                        : pattern == 1 ? (slots > 64 ? start % (slots - 32) : 0) + i
                        : pattern == 2 ? start + i * step
                                       : pick(state, slots);
        uint64_t base = first + (uint64_t)(slot % slots) * bytes - offset;
        base += pick(state, 500) == 0 ? 1 : !huge && pick(state, 500) == 0 ? rnd(state) : 0;
        t->base[i] = (uint32_t)base;
        t->base[i + 32] = (uint32_t)(base >> 32);
    }
    if (huge) {
        t->a.first -= 5ull << 30;
        t->a.host -= 5ull << 30;
        t->a.bytes += 11ull << 30;
    }
}

static void every_variant(void **state)
{
    (void)state;
    const ww_lane_set *sets[3];
    unsigned count = ww__lanes_all(sets);
    access *t = aligned_alloc(64, sizeof *t), *r = aligned_alloc(64, sizeof *r);
    assert_true(t != NULL && r != NULL);
    unsigned done = 0, refused = 0;
    uint64_t seed = 7;
    for (unsigned n = 0; n < 20000; n++) {
        uint64_t again = seed;
        for (unsigned k = 0; k < count; k++) {
            seed = again;
            invent(t, &seed);
            seed = again;
            invent(r, &seed);
            bool ok = reference(r);
            assert_int_equal(perform(t, sets[k]), ok);
            assert_memory_equal(t->memory, r->memory, sizeof t->memory);
            assert_memory_equal(t->regs, r->regs, sizeof t->regs);
            done += ok;
            refused += !ok;
        }
    }
    print_message("%u done, %u refused\n", done, refused);
    assert_true(done > 15000 * count && refused > 500 * count);
    free(t);
    free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_variant)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
