/* curand.h - private to the thin cuRAND: its codes, generators, and where their sequences begin. */
#ifndef WW_RUNTIME_MATH_RAND_CURAND_H
#define WW_RUNTIME_MATH_RAND_CURAND_H

#include "base/compiler.h"
#include "runtime/math/math.h"
#include "runtime/math/rand/draw.h"

enum {
    SUCCESS = 0,
    NOT_INITIALIZED = 101,
    ALLOCATION_FAILED = 102,
    TYPE_ERROR = 103,
    OUT_OF_RANGE = 104,
    LENGTH_NOT_MULTIPLE = 105,
    LAUNCH_FAILURE = 201
};

enum { SOBOL_DIMENSIONS = 20 }; /* that have directions here, of NVIDIA's 20000 */

/** sequence.c: states of all parts of XORWOW, 2^67 numbers apart, each `skip` numbers on; the first
 * `more` of them one more. */
void rand_seed_xorwow(rand_part *parts, unsigned count, uint64_t seed, uint64_t skip,
                      unsigned more);

/** sequence.c: the same of MRG32k3a, 2^76 numbers apart. */
void rand_seed_mrg(rand_part *parts, unsigned count, uint64_t seed, uint64_t skip, unsigned more);

/** sobol.c: directions of a dimension, from 0 to SOBOL_DIMENSIONS - 1, as numbers of 64 bits whose
 * first 32 are those of 32. @param out  64 */
void rand_sobol_directions(unsigned dimension, uint64_t *out);

#endif
