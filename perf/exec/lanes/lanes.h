/* lanes.h - lane functions: one operation applied to the 32 lanes of a warp, without regard to
 * masks. A 32-bit operand is a plane of 32 words; a 64-bit one is two planes, low words first. The
 * files lanes_*.c are compiled once per instruction-set extension of the host (WW_LANES_SUFFIX
 * tells them apart) and are written as plain loops over lanes, which the compiler turns into vector
 * code. Every variant gives the same bits: no contraction, no libm, no host-dependent rounding.
 *
 * A lane function reads everything of lane i before it writes lane i, so that destination and
 * source planes may overlap in any way (registers are whole planes). Lanes that are not to be
 * written are the caller's business (it blends). */
#ifndef WW_PERF_EXEC_LANES_LANES_H
#define WW_PERF_EXEC_LANES_LANES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "perf/exec/lanes/warpgroup.h"
#include "perf/types.h"
#include "perf/ptx/ir.h"

enum { WW_LANES = 32 };

/**
 * @param d  destination planes
 * @param s  source planes, one pointer per operand
 * @param x  a constant of the form (lop3 table, rounding mode, …) or a lane mask (predicate
 * operand, carry in)
 * @return   lane mask of functions that yield a predicate (comparison, carry out), else 0
 */
typedef uint32_t ww_lane_fn(uint32_t *d, const uint32_t *const *s, uint32_t x);

/* A chosen lane function. */
typedef struct ww_lane_op {
    ww_lane_fn *fn;    /* NULL: the family does not have this form */
    uint32_t x;        /* constant argument, unless pred_source */
    bool pred_source;  /* x is the mask of the predicate among the sources */
    uint8_t out_words; /* planes written to d: 0 (predicate only), 1 or 2 */
} ww_lane_op;

/* What address generation found out about a warp's addresses. */
typedef struct ww_address_summary {
    uint64_t lowest, highest; /* over the lanes of the mask */
    uint64_t bits;            /* all addresses ored: alignment */
    bool consecutive;         /* every lane of a full mask is `stride` after its neighbour */
    bool same;                /* all lanes of the mask have one address */
} ww_address_summary;

/* C += A B, C of [rows][columns]. Factors are raw, packed along the depth into words, of which
 * there are [words][rows] and [words][columns]; those of 64 bits, one a word, lie in wide_a as
 * [rows][words]. */
typedef struct ww_matrix_job {
    const uint32_t *a, *b;
    uint32_t *c;
    const uint64_t *wide_a, *wide_b;
    uint64_t *wide_c;
    unsigned rows, columns, words;
    ww_type type_a, type_b;
    bool half_c, half_d; /* f16 instead of binary32, before and after */
    bool saturates;
} ww_matrix_job;

typedef struct ww_matrix_lanes {
    /* f16, bf16 or tf32 factors. False, c spoiled: values that are neither zero nor of middling
     * size. */
    bool (*multiply_float)(const ww_matrix_job *m);
    /* s8 or u8 factors; c modulo 2^32 or clamped. */
    void (*multiply_int)(const ww_matrix_job *m);
    /* f64; NULL: the host has no fused multiply-add. */
    void (*multiply_double)(const ww_matrix_job *m);
} ww_matrix_lanes;

/* A texture fetch of 32 lanes from one texture, of less than 2 GiB and at most 2^30 elements along
 * each dimension. All lanes have coordinates; those of lanes that do not fetch mean nothing. */
typedef struct ww_tex_job {
    const ww_texture *texture;
    const unsigned char *base; /* host address of its first element */
    unsigned element_bytes;
    uint32_t size[3]; /* at least 1 each */
    unsigned dimensions;
    const uint32_t *coordinate[3]; /* planes, one for each dimension */
    const uint32_t *layer;         /* plane; NULL: not layered */
    bool integer;                  /* coordinates are s32, else f32 */
    unsigned wanted;               /* bit c: results of channel c */
} ww_tex_job;

/** @param result   wanted channels of all lanes; the others are left as they are
 *  @param address  device addresses that the caches see */
typedef void ww_tex_fn(const ww_tex_job *job, uint32_t result[4][WW_LANES],
                       uint64_t address[WW_LANES]);

/* A load or store of the lanes in `mask`, at base + offset, into a window of memory. */
typedef struct ww_lane_access {
    const uint32_t *base; /* planes */
    unsigned words;       /* planes of base: 1 (addresses modulo 2^32) or 2 */
    uint32_t mask;        /* not empty */
    uint64_t offset;
    uint64_t first, bytes; /* addresses of the window */
    unsigned char *host; /* where lane 0's window begins; those of the others each lane_stride on */
    uint32_t lane_stride;
} ww_lane_access;

/* Address of the lowest lane. */
static inline uint64_t ww_lane_access_first(const ww_lane_access *a)
{
    unsigned lane = (unsigned)__builtin_ctz(a->mask);
    uint64_t base = a->base[lane];
    return a->words == 2 ? (base | (uint64_t)a->base[lane + WW_LANES] << 32) + a->offset
                         : (uint32_t)(base + a->offset);
}

/* Moves elements between memory and planes, in the lanes of the mask. False, and nothing is done,
 * when a lane lies outside the window or is misaligned, or the window is not one that can be dealt
 * with. */
typedef bool ww_lane_move(const ww_lane_access *a, uint32_t *const *planes);

/* The lane functions of one host instruction set. */
typedef struct ww_lane_set {
    const char *name;
    ww_lane_op (*find)(const ww_inst *inst);
    /* set on packed pairs: comparison of the upper halves; NULL for other types. */
    ww_lane_fn *(*compare_upper)(const ww_inst *inst, ww_type type);
    /* Blends 32 lanes: d = mask ? s : d, for each plane. */
    void (*blend)(uint32_t *d, const uint32_t *s, unsigned planes, uint32_t mask);
    /* address[i] = (base + offset), base of 1 or 2 planes; words 1: modulo 2^32. */
    void (*addresses)(ww_address_summary *out, uint64_t *address, const uint32_t *base,
                      unsigned words, uint64_t offset, uint32_t mask, unsigned stride);
    /* Whether the lanes of each half-warp lie in a line: every base the same number of bytes after
     * the one before, upper words alike. The number, 0 or `step`; UINT32_MAX: they do not. */
    uint32_t (*find_lines)(const uint32_t *base, unsigned words, uint32_t step);
    /* Operand modifiers NEG, ABS, NOT for a value of that type. */
    void (*modify)(uint32_t *d, const uint32_t *s, ww_type type, unsigned flags);
    const ww_matrix_lanes *matrix;
    ww_warpgroup_fn *warpgroup;
    ww_tex_fn *texture; /* NULL: textures are fetched lane by lane */
    /* What loads, or stores, so many planes of elements of a type: whole words, or one narrower
     * element, which is extended. NULL: nothing does. */
    ww_lane_move *(*find_move)(ww_type element, unsigned planes, bool stores);
} ww_lane_set;

extern const ww_lane_set ww__lanes_generic;
#ifdef WW_HAVE_X86_LANES
extern const ww_lane_set ww__lanes_avx2, ww__lanes_avx512;
#endif

/** The fastest set that the host supports. */
const ww_lane_set *ww__lanes_select(void);
/** All sets that the host supports, for tests; returns their number (at most 3). */
unsigned ww__lanes_all(const ww_lane_set *sets[3]);

/* ---- for lanes_*.c only ---- */
#ifdef WW_LANES_SUFFIX
#if defined __AVX512F__ || defined __AVX2__
#include <immintrin.h>
#endif

#define LANES_CAT2(a, b) a##b
#define LANES_CAT(a, b)  LANES_CAT2(a, b)
/* Name of an external symbol of this variant. */
#define LANES_NAME(name) LANES_CAT(name, WW_LANES_SUFFIX)

/* Families: each answers for its own operations, fn NULL otherwise. */
ww_lane_op LANES_NAME(ww__lanes_int)(const ww_inst *inst);
ww_lane_op LANES_NAME(ww__lanes_muldiv)(const ww_inst *inst);
ww_lane_op LANES_NAME(ww__lanes_bits)(const ww_inst *inst);
ww_lane_op LANES_NAME(ww__lanes_f32)(const ww_inst *inst);
ww_lane_op LANES_NAME(ww__lanes_f64)(const ww_inst *inst);
ww_lane_op LANES_NAME(ww__lanes_half)(const ww_inst *inst);
ww_lane_op LANES_NAME(ww__lanes_sfu)(const ww_inst *inst);
ww_lane_op LANES_NAME(ww__lanes_compare)(const ww_inst *inst);
ww_lane_fn *LANES_NAME(ww__lanes_compare_upper)(const ww_inst *inst, ww_type type);
ww_lane_op LANES_NAME(ww__lanes_cvt_int)(const ww_inst *inst);
ww_lane_op LANES_NAME(ww__lanes_cvt_float)(const ww_inst *inst);
ww_lane_op LANES_NAME(ww__lanes_cvt_narrow)(const ww_inst *inst);
ww_lane_op LANES_NAME(ww__lanes_video)(const ww_inst *inst);
ww_lane_op LANES_NAME(ww__lanes_move)(const ww_inst *inst);
extern const ww_matrix_lanes LANES_NAME(ww__lanes_matrix);
ww_warpgroup_fn LANES_NAME(ww__lanes_warpgroup);
ww_tex_fn LANES_NAME(ww__lanes_texture);
ww_lane_move *LANES_NAME(ww__lanes_find_move)(ww_type element, unsigned planes, bool stores);

/* Iterations are independent: see the overlap rule above. */
#if defined(__clang__)
#define EACH_LANE      for (unsigned i = 0; i < WW_LANES; i++)
#define EACH_COLUMN(n) for (unsigned j = 0; j < (n); j++)
#else
#define EACH_LANE      _Pragma("GCC ivdep") for (unsigned i = 0; i < WW_LANES; i++)
#define EACH_COLUMN(n) _Pragma("GCC ivdep") for (unsigned j = 0; j < (n); j++)
#endif

/* Defines a lane function whose statements run per lane i. */
#define LANE_FN(name, ...)                                                                         \
    static uint32_t name(uint32_t *d, const uint32_t *const *s, uint32_t x)                        \
    {                                                                                              \
        (void)x;                                                                                   \
        EACH_LANE                                                                                  \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
        return 0;                                                                                  \
    }

/* Mask of the lanes whose word is not zero. Compilers do not find these instructions. */
static WW_ALWAYS_INLINE uint32_t lanes_mask(const uint32_t *word)
{
#if defined(__AVX512F__)
    __m512i low = _mm512_loadu_si512(word);
    __m512i high = _mm512_loadu_si512(word + 16);
    return (uint32_t)_mm512_test_epi32_mask(low, low) | (uint32_t)_mm512_test_epi32_mask(high, high)
                                                            << 16;
#else
    uint32_t mask = 0;
    for (unsigned i = 0; i < WW_LANES; i++) {
        mask |= word[i] != 0 ? 1u << i : 0u;
    }
    return mask;
#endif
}

/* Defines a lane function that returns the mask of lanes where `p`, set by its statements, is true.
 */
#define LANE_PRED_FN(name, ...)                                                                    \
    static uint32_t name(uint32_t *d, const uint32_t *const *s, uint32_t x)                        \
    {                                                                                              \
        uint32_t yes[WW_LANES];                                                                    \
        (void)d;                                                                                   \
        (void)s;                                                                                   \
        (void)x;                                                                                   \
        EACH_LANE                                                                                  \
        {                                                                                          \
            bool p;                                                                                \
            __VA_ARGS__                                                                            \
            yes[i] = p ? UINT32_MAX : 0;                                                           \
        }                                                                                          \
        return lanes_mask(yes);                                                                    \
    }

/* Operand k of lane i in a given type. */
#define B32(k) (s[k][i])
#define U32(k) (s[k][i])
#define S32(k) ((int32_t)s[k][i])
#define B64(k) ((uint64_t)s[k][i + WW_LANES] << 32 | s[k][i])
#define U64(k) B64(k)
#define S64(k) ((int64_t)B64(k))
#define U16(k) ((uint16_t)s[k][i])
#define S16(k) ((int16_t)s[k][i])
#define U8(k)  ((uint8_t)s[k][i])
#define S8(k)  ((int8_t)s[k][i])
#define F32(k) lanes_f32(s[k][i])
#define F64(k) lanes_f64(B64(k))
/* Lane i of the mask x. */
#define X_LANE ((x >> i & 1) != 0)

/* Results. 16-bit values occupy the low half of a register; the high half is zero. */
#define OUT32(v) d[i] = (uint32_t)(v)
#define OUT16(v) d[i] = (uint16_t)(v)
#define OUT8(v)  d[i] = (uint8_t)(v)
#define OUT64(v)                                                                                   \
    do {                                                                                           \
        uint64_t out_ = (uint64_t)(v);                                                             \
        d[i] = (uint32_t)out_;                                                                     \
        d[i + WW_LANES] = (uint32_t)(out_ >> 32);                                                  \
    } while (0)
#define OUTF32(v) OUT32(lanes_canonical32(v))
#define OUTF64(v) OUT64(lanes_canonical64(v))

static WW_ALWAYS_INLINE float lanes_f32(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}
static WW_ALWAYS_INLINE uint32_t lanes_bits32(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}
static WW_ALWAYS_INLINE double lanes_f64(uint64_t bits)
{
    double f;
    memcpy(&f, &bits, sizeof f);
    return f;
}
static WW_ALWAYS_INLINE uint64_t lanes_bits64(double f)
{
    uint64_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* NaN results are 0x7fffffff (f32) and 0xfff8000000000000 (f64), whatever came in. */
#define WW_NAN32 0x7fffffffu
#define WW_NAN64 0xfff8000000000000ull
static WW_ALWAYS_INLINE uint32_t lanes_canonical32(float f)
{
    return f != f ? WW_NAN32 : lanes_bits32(f);
}
static WW_ALWAYS_INLINE uint64_t lanes_canonical64(double f)
{
    return f != f ? WW_NAN64 : lanes_bits64(f);
}

/* .ftz: subnormals become zero of the same sign. */
static WW_ALWAYS_INLINE uint32_t lanes_flush_bits32(uint32_t bits)
{
    return (bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits;
}
static WW_ALWAYS_INLINE float lanes_flush32(float f)
{
    return lanes_f32(lanes_flush_bits32(lanes_bits32(f)));
}
/* .sat: clamp to [+0, 1]; NaN becomes +0. */
static WW_ALWAYS_INLINE float lanes_sat32(float f)
{
    float g = f > 0.0f ? f : 0.0f;
    return g < 1.0f ? g : 1.0f;
}
static WW_ALWAYS_INLINE double lanes_sat64(double f)
{
    double g = f > 0.0 ? f : 0.0;
    return g < 1.0 ? g : 1.0;
}

/* Hosts with a fused multiply-add instruction; others compute it exactly without. */
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define LANES_HAVE_FMA 1
#endif

static inline ww_lane_op lane_op(ww_lane_fn *fn, unsigned out_words)
{
    return (ww_lane_op){.fn = fn, .out_words = (uint8_t)out_words};
}
static inline ww_lane_op lane_op_x(ww_lane_fn *fn, unsigned out_words, uint32_t x)
{
    return (ww_lane_op){.fn = fn, .out_words = (uint8_t)out_words, .x = x};
}
static inline ww_lane_op lane_op_pred(ww_lane_fn *fn, unsigned out_words)
{
    return (ww_lane_op){.fn = fn, .out_words = (uint8_t)out_words, .pred_source = true};
}
static inline ww_lane_op lane_none(void)
{
    return (ww_lane_op){0};
}
/* The function for the type's 16, 32 or 64 bits. */
static inline ww_lane_op lane_by_width(ww_type type, ww_lane_fn *f16, ww_lane_fn *f32,
                                       ww_lane_fn *f64)
{
    switch (ww_type_bytes(type)) {
    case 2:
        return lane_op(f16, 1);
    case 4:
        return lane_op(f32, 1);
    case 8:
        return lane_op(f64, 2);
    default:
        return lane_none();
    }
}

/* Untyped types as the unsigned ones of their width. */
static inline ww_type lane_int_type(uint8_t type)
{
    switch ((ww_type)type) {
    case WW_T_B8:
        return WW_T_U8;
    case WW_T_B16:
        return WW_T_U16;
    case WW_T_B32:
        return WW_T_U32;
    case WW_T_B64:
        return WW_T_U64;
    default:
        return (ww_type)type;
    }
}

#endif /* WW_LANES_SUFFIX */
#endif
