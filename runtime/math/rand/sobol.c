/* sobol.c - directions of Sobol's sequence by primitive polynomials and first numbers of Joe and
 * Kuo, "Constructing Sobol sequences with better two-dimensional projections", SIAM J. Sci. Comput.
 * 30(5), 2008: their table new-joe-kuo-6, whose first rows these are. */
#include "runtime/math/rand/curand.h"

enum { LONGEST = 7 };

/* Of dimensions from the second on: degree, inner coefficients as bits, first numbers. */
static const struct {
    unsigned char degree, coefficients, first[LONGEST];
} rows[SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
};

void rand_sobol_directions(unsigned dimension, uint64_t *out)
{
    for (unsigned i = 0; dimension == 0 && i < 64; i++) {
        out[i] = (uint64_t)1 << (63 - i);
    }
    if (dimension == 0) {
        return;
    }
    const unsigned degree = rows[dimension - 1].degree;
    for (unsigned i = 0; i < 64; i++) {
        if (i < degree) {
            out[i] = (uint64_t)rows[dimension - 1].first[i] << (63 - i);
            continue;
        }
        out[i] = out[i - degree] ^ (out[i - degree] >> degree);
        for (unsigned k = 1; k < degree; k++) {
            bool has = (rows[dimension - 1].coefficients >> (degree - 1 - k) & 1) != 0;
            out[i] ^= has ? out[i - k] : 0;
        }
    }
}
