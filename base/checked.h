/* checked.h - sums and products of sizes that come from outside: of a program's calls, a file's
 * fields, a description's counts. What does not fit is for the caller to refuse. */
#ifndef WW_BASE_CHECKED_H
#define WW_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

_Static_assert(sizeof(size_t) == sizeof(uint64_t), "sizes of files and of devices are the host's");

/** a * b; false, and *out is of no use: it does not fit. */
WW_NODISCARD static inline bool ww_mul_fits(size_t a, size_t b, size_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

/** a + b; as ww_mul_fits. */
WW_NODISCARD static inline bool ww_add_fits(size_t a, size_t b, size_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

/** The least multiple of `unit` > 0 that is not below n; as ww_mul_fits. */
WW_NODISCARD static inline bool ww_align_up_fits(size_t n, size_t unit, size_t *out)
{
    const size_t rest = n % unit;
    return ww_add_fits(n, rest > 0 ? unit - rest : 0, out);
}

#ifdef __cplusplus
}
#endif

#endif
