/* sequence.c - where the parts of XORWOW's and MRG32k3a's sequences begin. Both are linear: many
 * steps are a power of the matrix of one. */
#include "runtime/math/rand/curand.h"

#include <string.h>

enum { BITS = 160, WORDS = 5 };

/* What becomes of each bit of a state, Weyl's counter aside. */
typedef struct bit_matrix {
    uint32_t image[BITS][WORDS];
} bit_matrix;

static void xorwow_step(uint32_t *v)
{
    uint32_t t = v[0] ^ (v[0] >> 2);
    memmove(v, v + 1, (WORDS - 1) * sizeof *v);
    v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}

static void bits_apply(const bit_matrix *m, uint32_t *v)
{
    uint32_t out[WORDS] = {0};
    for (unsigned bit = 0; bit < BITS; bit++) {
        uint32_t mask = 0U - (v[bit / 32] >> bit % 32 & 1);
        for (unsigned w = 0; w < WORDS; w++) {
            out[w] ^= m->image[bit][w] & mask;
        }
    }
    memcpy(v, out, sizeof out);
}

static void bits_square(bit_matrix *m)
{
    const bit_matrix once = *m;
    for (unsigned bit = 0; bit < BITS; bit++) {
        bits_apply(&once, m->image[bit]);
    }
}

static bit_matrix bits_of_step(void)
{
    bit_matrix m = {{{0}}};
    for (unsigned bit = 0; bit < BITS; bit++) {
        m.image[bit][bit / 32] = 1U << bit % 32;
        xorwow_step(m.image[bit]);
    }
    return m;
}

static const uint32_t weyl = 362437;

void rand_seed_xorwow(rand_part *parts, unsigned count, uint64_t seed, uint64_t skip, unsigned more)
{
    const uint32_t low = (uint32_t)seed ^ 0xaad26b49U, high = (uint32_t)(seed >> 32) ^ 0xf7dcefddU;
    const uint32_t t0 = 1099087573U * low, t1 = 2591861531U * high;
    uint32_t v[WORDS] = {123456789U + t0, 362436069U ^ t0, 521288629U + t1, 88675123U ^ t1,
                         5783321U + t0};
    uint32_t counter = 6615241U + t1 + t0 + weyl * (uint32_t)skip;
    bit_matrix jump = bits_of_step();
    for (unsigned bit = 0; bit < 67; bit++, skip >>= 1) {
        if ((skip & 1) != 0) {
            bits_apply(&jump, v);
        }
        bits_square(&jump);
    }
    for (unsigned i = 0; i < count; i++) {
        uint32_t own[WORDS];
        memcpy(own, v, sizeof own);
        if (i < more) {
            xorwow_step(own);
        }
        memcpy(parts[i].word, own, sizeof own);
        parts[i].word[WORDS] = counter + (i < more ? weyl : 0);
        bits_apply(&jump, v);
    }
}

/* A matrix of one of MRG32k3a's two recurrences. */
typedef struct matrix {
    uint64_t at[3][3], modulus;
} matrix;

static void apply(const matrix *m, uint64_t *v)
{
    uint64_t out[3] = {0};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            out[i] = (out[i] + m->at[i][k] * v[k] % m->modulus) % m->modulus;
        }
    }
    memcpy(v, out, sizeof out);
}

static void square(matrix *m)
{
    const matrix once = *m;
    for (int column = 0; column < 3; column++) {
        uint64_t v[3] = {once.at[0][column], once.at[1][column], once.at[2][column]};
        apply(&once, v);
        for (int row = 0; row < 3; row++) {
            m->at[row][column] = v[row];
        }
    }
}

static void seed_recurrence(rand_part *parts, unsigned count, unsigned at, const matrix *one,
                            const uint64_t *start, uint64_t skip, unsigned more)
{
    matrix jump = *one;
    uint64_t v[3] = {start[0] % one->modulus, start[1] % one->modulus, start[2] % one->modulus};
    for (unsigned bit = 0; bit < 76; bit++, skip >>= 1) {
        if ((skip & 1) != 0) {
            apply(&jump, v);
        }
        square(&jump);
    }
    for (unsigned i = 0; i < count; i++) {
        uint64_t own[3] = {v[0], v[1], v[2]};
        if (i < more) {
            apply(one, own);
        }
        for (unsigned k = 0; k < 3; k++) {
            parts[i].word[at + k] = (uint32_t)own[k];
        }
        apply(&jump, v);
    }
}

void rand_seed_mrg(rand_part *parts, unsigned count, uint64_t seed, uint64_t skip, unsigned more)
{
    static const uint64_t m1 = 4294967087U, m2 = 4294944443U;
    const matrix first = {{{0, 1, 0}, {0, 0, 1}, {m1 - 810728, 1403580, 0}}, m1};
    const matrix second = {{{0, 1, 0}, {0, 0, 1}, {m2 - 1370589, 0, 527612}}, m2};
    const uint64_t low = (seed != 0 ? (uint32_t)seed ^ 0x55555555U : 1) * (uint64_t)12345;
    const uint64_t high = (seed != 0 ? (uint32_t)(seed >> 32) ^ 0xaaaaaaaaU : 1) * (uint64_t)12345;
    const uint64_t start_first[3] = {low, high, low}, start_second[3] = {high, low, high};
    seed_recurrence(parts, count, 0, &first, start_first, skip, more);
    seed_recurrence(parts, count, 3, &second, start_second, skip, more);
}
