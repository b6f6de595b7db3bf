/* compiler.h - the few compiler extensions WarpWatt relies on, under portable names. */
#ifndef WW_BASE_COMPILER_H
#define WW_BASE_COMPILER_H

#if defined(__GNUC__) || defined(__clang__)
#define WW_PRINTF(fmt_index, arg_index) __attribute__((format(printf, fmt_index, arg_index)))
#define WW_NODISCARD                    __attribute__((warn_unused_result))
/* The same for a type: whoever returns it, by a pointer too, is asked. GCC knows no such thing. */
#ifdef __clang__
#define WW_NODISCARD_TYPE __attribute__((warn_unused_result))
#else
#define WW_NODISCARD_TYPE
#endif
#define WW_LIKELY(x)     __builtin_expect(!!(x), 1)
#define WW_UNLIKELY(x)   __builtin_expect(!!(x), 0)
#define WW_ALWAYS_INLINE inline __attribute__((always_inline))
/* A function apart from a hot one that calls it in rare modes. */
#define WW_NOINLINE __attribute__((noinline))
/* A static function that only some builds call, such as those with WW_ASSERTS. */
#define WW_MAYBE_UNUSED __attribute__((unused))
#else
#error "WarpWatt needs GCC or Clang (vector extensions)"
#endif

#define WW_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#endif
