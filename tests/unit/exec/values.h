/* values.h - operand values that tests draw from: corner cases of every format, and random bits. */
#ifndef WW_TESTS_EXEC_VALUES_H
#define WW_TESTS_EXEC_VALUES_H

#include <stdint.h>

#include "machine.h"
#include "tests/support/bits.h"

static const uint32_t corner32[] = {
    0,          1,          2,          0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 0x0000ffff,
    0x00010000, 31,         32,         33,         63,         64,         0x007fffff, 0x00800000,
    0x00800001, 0x807fffff, 0x80800000, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x3f000000,
    0xbf000000, 0x40200000, 0x40000000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
    0xffc00001, 0x7f800001, 0x4b000000, 0x4b800001, 0x4f000000, 0xcf000000, 0x4effffff, 0x4f800000,
    0x5f000000, 0x5f800000, 0x7e800000, 0x7e800001, 0x00400000, 0x34000000, 0x33800000, 0x477fe000,
    0x477ff000, 0x38800000, 0x387fffff, 0x33000000, 0x33000001, 0x3c00,     0x7c00,     0x7bff,
};
static const uint64_t corner64[] = {
    0,
    1,
    0x7fffffffffffffff,
    0x8000000000000000,
    0xffffffffffffffff,
    0x00000000ffffffff,
    0x0000000100000000,
    0x3ff0000000000000,
    0xbff0000000000000,
    0x3fefffffffffffff,
    0x3ff0000000000001,
    0x3fe0000000000000,
    0x4004000000000000,
    0x7fefffffffffffff,
    0xffefffffffffffff,
    0x7ff0000000000000,
    0xfff0000000000000,
    0x7ff8000000000000,
    0xfff8000000000001,
    0x7ff0000000000001,
    0x0010000000000000,
    0x000fffffffffffff,
    0x8000000000000001,
    0x41dfffffffc00000,
    0x41e0000000000000,
    0xc1e0000000000000,
    0xc1e0000000200000,
    0x41efffffffe00000,
    0x43e0000000000000,
    0xc3e0000000000000,
    0x43f0000000000000,
    0x47efffffe0000000,
    0x47efffffefffffff,
    0x47effffff0000000,
    0x36a0000000000000,
    0x3690000000000000,
    0x380fffffe0000000,
    0x4330000000000001,
    0x4340000000000000,
};

/* Corner value, random bits, or a float of moderate exponent. */
static inline uint32_t any32(uint64_t *state)
{
    uint64_t r = rnd(state);
    uint32_t bits = (uint32_t)(r >> 32);
    switch (r & 3) {
    case 0:
        return corner32[(r >> 8) % (sizeof corner32 / sizeof corner32[0])];
    case 1:
        return (bits & 0x807fffff) | (uint32_t)(112 + (r >> 8) % 32) << 23;
    default:
        return bits;
    }
}
static inline uint64_t any64(uint64_t *state)
{
    uint64_t r = rnd(state);
    uint64_t bits = rnd(state);
    switch (r & 3) {
    case 0:
        return corner64[(r >> 8) % (sizeof corner64 / sizeof corner64[0])];
    case 1:
        return (bits & 0x800fffffffffffff) | (uint64_t)(1008 + (r >> 8) % 32) << 52;
    default:
        return bits;
    }
}

#endif
