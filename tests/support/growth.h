/* How the time of some work grows with its size. A bound in seconds asks how fast the machine is,
 * and whether a sanitizer is on; the ratio of two sizes asks only whether the work is linear. */
#pragma once
#include <time.h>

/* What a bound in seconds that a user was promised is multiplied by in a build with sanitizers. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_SLOWDOWN 10
#else
#define TEST_SLOWDOWN 1
#endif

/* Processor seconds of work(size, data): the least of three, since a busy machine only adds. */
static inline double test_seconds(void (*work)(int size, void *data), int size, void *data)
{
    double least = 0;
    for (int i = 0; i < 3; i++) {
        clock_t start = clock();
        work(size, data);
        double spent = (double)(clock() - start) / CLOCKS_PER_SEC;
        least = i == 0 || spent < least ? spent : least;
    }
    return least;
}

/* Does eight times the size take less than 24 times the time? Quadratic work takes 64; caches and
 * allocators, which are not linear either, stay below. */
static inline int test_is_linear(void (*work)(int size, void *data), int size, void *data)
{
    double small = test_seconds(work, size, data), large = test_seconds(work, 8 * size, data);
    return large < 24 * small + 0.01;
}
