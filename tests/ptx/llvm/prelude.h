/* prelude.h - what the programs of programs.py are written in: types, operations without undefined
 * cases, a checksum; and, for the host, the program around the kernel. */
typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned u32;
typedef long long i64;
typedef unsigned long long u64;
typedef __int128 i128;
typedef unsigned __int128 u128;
typedef float f32;
typedef double f64;

#define INLINE static inline __attribute__((always_inline))
#define START  14695981039346656037ull
#define INPUTS                                                                                     \
    u32 x0 = in[id * 4], x1 = in[id * 4 + 1];                                                      \
    i32 x2 = (i32)in[id * 4 + 2];                                                                  \
    u64 x3 = (u64)in[id * 4 + 3] << 32 | x0;                                                       \
    f32 x4 = (f32)(i32)x1 * 0.001f;                                                                \
    f64 x5 = (f64)(i64)x3

#ifdef __NVPTX__
#define KERNEL
#define GLOBAL __attribute__((address_space(1)))
#define THREAD                                                                                     \
    (__nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + __nvvm_read_ptx_sreg_tid_x())
/* LLVM 14 makes rotates of some shifts, and PTX of rotates by a variable that is right for amounts
 * below the width alone: what is shifted is hidden from it. */
#define HIDE(x, how) __asm__("" : "+" how(x))
#else
#define KERNEL static
#define GLOBAL
#define THREAD       host_thread
#define HIDE(x, how) (void)(x)
static u32 host_thread;
#endif

typedef struct all_types {
    u8 u8[8];
    i8 i8[8];
    u16 u16[8];
    i16 i16[8];
    u64 u64[8];
    f32 f32[8];
    f64 f64[8];
} all_types;

INLINE void fill(u32 *words, all_types *mixed)
{
    for (int i = 0; i < 16; i++) {
        words[i] = (u32)i * 2654435761u;
    }
    for (int i = 0; i < 8; i++) {
        mixed->u8[i] = (unsigned char)i;
        mixed->i8[i] = (signed char)-i;
        mixed->u16[i] = (unsigned short)(i * 9);
        mixed->i16[i] = (short)(-i * 77);
        mixed->u64[i] = (unsigned long long)i << 40;
        mixed->f32[i] = (float)i;
        mixed->f64[i] = i * 0.5;
    }
}

/* Every NaN is one. */
INLINE u64 bits_f32(f32 f)
{
    u32 bits = 0x7fc00000u;
    if (f == f) {
        __builtin_memcpy(&bits, &f, sizeof f);
    }
    return bits;
}

INLINE u64 bits_f64(f64 f)
{
    u64 bits = 0x7ff8000000000000ull;
    if (f == f) {
        __builtin_memcpy(&bits, &f, sizeof f);
    }
    return bits;
}

INLINE f64 within(f64 f)
{
    return f != f ? 0 : f > 2e9 ? 2e9 : f < -2e9 ? -2e9 : f;
}

/* Neither NaN nor a zero, of whose signs minima may give either. */
INLINE f32 number_f32(f32 f)
{
    return f != f ? 0.25f : f == 0 ? 0.5f : f;
}

INLINE f64 number_f64(f64 f)
{
    return f != f ? 0.25 : f == 0 ? 0.5 : f;
}

INLINE u64 mix(u64 h, u64 v)
{
    h = (h ^ v) * 1099511628211ull;
    return h ^ h >> 29;
}

INLINE u64 mix_all(u64 h, const u32 *words, const all_types *mixed)
{
    for (u32 i = 0; i < 16; i++) {
        h = mix(h, words[i]);
    }
    for (u32 i = 0; i < 8; i++) {
        h = mix(h, mixed->u8[i]);
        h = mix(h, (unsigned long long)(long long)mixed->i16[i]);
        h = mix(h, mixed->u64[i]);
        h = mix(h, bits_f32(mixed->f32[i]));
        h = mix(h, bits_f64(mixed->f64[i]));
    }
    return h;
}

#define OPERATIONS(t, unsigned_t, bits, wide_t, how)                                               \
    INLINE t opaque_##t(t x)                                                                       \
    {                                                                                              \
        HIDE(x, how);                                                                              \
        return x;                                                                                  \
    }                                                                                              \
    INLINE t quotient_##t(t a, t b)                                                                \
    {                                                                                              \
        return b == 0 || b == (t)-1 ? a : (t)(a / b);                                              \
    }                                                                                              \
    INLINE t remainder_##t(t a, t b)                                                               \
    {                                                                                              \
        return b == 0 || b == (t)-1 ? b : (t)(a % b);                                              \
    }                                                                                              \
    INLINE t least_##t(t a, t b)                                                                   \
    {                                                                                              \
        return a < b ? a : b;                                                                      \
    }                                                                                              \
    INLINE t most_##t(t a, t b)                                                                    \
    {                                                                                              \
        return a > b ? a : b;                                                                      \
    }                                                                                              \
    INLINE t distance_##t(t a, t b)                                                                \
    {                                                                                              \
        return a > b ? (t)((unsigned_t)a - (unsigned_t)b) : (t)((unsigned_t)b - (unsigned_t)a);    \
    }                                                                                              \
    INLINE t sum_##t(t a, t b)                                                                     \
    {                                                                                              \
        t r;                                                                                       \
        return __builtin_add_overflow(a, b, &r) ? (t)(b > 0 ? 77 : 33) : r;                        \
    }                                                                                              \
    INLINE t rest_##t(t a, t b)                                                                    \
    {                                                                                              \
        t r;                                                                                       \
        return __builtin_sub_overflow(a, b, &r) ? (t)(b > 0 ? 79 : 35) : r;                        \
    }                                                                                              \
    INLINE t upper_##t(t a, t b)                                                                   \
    {                                                                                              \
        return (t)((wide_t)a * (wide_t)b >> bits);                                                 \
    }

OPERATIONS(i8, u8, 8, i32, "h")
OPERATIONS(u8, u8, 8, u32, "h")
OPERATIONS(i16, u16, 16, i32, "h")
OPERATIONS(u16, u16, 16, u32, "h")
OPERATIONS(i32, u32, 32, i64, "r")
OPERATIONS(u32, u32, 32, u64, "r")
OPERATIONS(i64, u64, 64, i128, "l")
OPERATIONS(u64, u64, 64, u128, "l")

INLINE i128 opaque_i128(i128 x)
{
    return x;
}

INLINE u128 opaque_u128(u128 x)
{
    return x;
}

#ifdef HOST
#include <stdio.h>

KERNEL void k(const u32 *in, u32 *out, u32 n);

static int keep(const char *name, const u32 *words, size_t count)
{
    FILE *file = fopen(name, "wb");
    return file == NULL || fwrite(words, sizeof *words, count, file) != count || fclose(file) != 0;
}

int main(void)
{
    static u32 in[512], out[256];
    u64 state = 12345; /* SplitMix64 */
    for (int i = 0; i < 512; i++) {
        u64 z = state += 0x9e3779b97f4a7c15ull;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ z >> 27) * 0x94d049bb133111ebull;
        in[i] = (u32)(z ^ z >> 31) & (i % 7 == 0 ? 15 : ~0u);
    }
    for (host_thread = 0; host_thread < 120; host_thread++) {
        k(in, out, 120);
    }
    return keep("in.bin", in, 512) || keep("host.bin", out, 256);
}
#endif
