/* warpgroup.c - D = A B + D of a warp's sixteen rows. The order and the width of wgmma's sums are
 * not documented. Here, of floats: k ascending, each product rounded to binary32 (exact for f16 and
 * narrower; for bf16 and tf32 but where it leaves binary32's normal numbers), then added, rounded
 * to nearest even. NaN is 0x7fffffff. Integers: exact modulo 2^32, or exact and then clamped.
 *
 * A plane of D holds, for a half of the rows (eight), every second one of eight columns: four lanes
 * to a row. Sums stay in that order: each element of A is held four times, and B's columns are
 * sorted so that the four of a plane are neighbours. */
#include "perf/exec/lanes/warpgroup.h"

#include "perf/exec/lanes/half.h"
#include "perf/exec/lanes/lanes.h"

enum {
    ROWS = WW_WARPGROUP_WARP_M,
    HALVES = 2,
    TILE = 8,    /* columns that four planes hold */
    QUARTET = 4, /* lanes of a row in a plane: columns of it there */
    PARITIES = 2,
    MOST_DEPTH = 32,
    ITS_COLUMNS = WW_WARPGROUP_MOST_N,
#ifdef __AVX512F__
    VECTOR = 16,
    TOGETHER = HALVES, /* halves of the rows whose sums are in registers */
#elif defined __AVX__
    VECTOR = 8,
    TOGETHER = 1,
#else
    VECTOR = 4,
    TOGETHER = 1,
#endif
    PARTS = WW_LANES / VECTOR,
};

typedef float floats __attribute__((vector_size(4 * VECTOR)));
typedef uint32_t words __attribute__((vector_size(4 * VECTOR)));
typedef uint32_t quartet __attribute__((vector_size(4 * QUARTET)));
typedef uint32_t octet __attribute__((vector_size(4 * TILE)));

/* The factors as words: binary32, s32, u32 or 32 single bits. */
typedef struct factors {
    uint32_t a[MOST_DEPTH][HALVES][WW_LANES]; /* the lane's row */
    uint32_t b[MOST_DEPTH][ITS_COLUMNS];      /* of each tile the even columns, then the odd */
} factors;

/* Sums of a tile: [half of the rows][parity of the column]. */
typedef struct tile_sums {
    uint32_t at[HALVES][PARITIES][WW_LANES];
} tile_sums;

/* ---- elements ---- */

static WW_ALWAYS_INLINE float e4m3_to_f32(uint32_t bits)
{
    float scaled = lanes_f32((bits & 127) << 20) * 0x1p120f;
    uint32_t value = (bits & 127) == 127 ? 0x7fffffffu : lanes_bits32(scaled);
    return lanes_f32(value | (bits & 128) << 24);
}

static WW_ALWAYS_INLINE uint32_t element(ww_type type, const unsigned char *bytes, unsigned i)
{
    uint16_t half;
    uint32_t word;
    switch (type) {
    case WW_T_F16:
        memcpy(&half, bytes + (size_t)2 * i, sizeof half);
        return lanes_bits32(ww__f16_to_f32(half));
    case WW_T_BF16:
        memcpy(&half, bytes + (size_t)2 * i, sizeof half);
        return (uint32_t)half << 16;
    case WW_T_TF32: /* the lowest places do not count */
        memcpy(&word, bytes + (size_t)4 * i, sizeof word);
        return word & 0xffffe000u;
    case WW_T_E4M3:
        return lanes_bits32(e4m3_to_f32(bytes[i]));
    case WW_T_E5M2: /* the upper half of an f16 */
        return lanes_bits32(ww__f16_to_f32((uint16_t)(bytes[i] << 8)));
    case WW_T_S8:
        return (uint32_t)(int32_t)(int8_t)bytes[i];
    case WW_T_U8:
        return bytes[i];
    default: /* single bits */
        memcpy(&word, bytes + (size_t)4 * i, sizeof word);
        return word;
    }
}

static WW_ALWAYS_INLINE void widen_as(ww_type type, const unsigned char *bytes, unsigned n,
                                      uint32_t flips, uint32_t *out)
{
    for (unsigned i = 0; i < n; i++) {
        out[i] = element(type, bytes, i) ^ flips;
    }
}

/* n elements, a multiple of TILE. One loop for each type. */
static void widen(const ww_factor *f, const unsigned char *bytes, unsigned n, uint32_t *out)
{
    const uint32_t flips = f->negate ? 0x80000000u : 0;
    switch (f->type) {
    case WW_T_F16:
#ifdef __F16C__
        for (unsigned i = 0; i < n; i += TILE) {
            __m128i halves;
            memcpy(&halves, bytes + (size_t)2 * i, sizeof halves);
            const __m256 floats_of = _mm256_cvtph_ps(halves);
            octet bits;
            memcpy(&bits, &floats_of, sizeof bits);
            bits ^= flips;
            memcpy(out + i, &bits, sizeof bits);
        }
#else
        widen_as(WW_T_F16, bytes, n, flips, out);
#endif
        break;
    case WW_T_BF16:
        widen_as(WW_T_BF16, bytes, n, flips, out);
        break;
    case WW_T_TF32:
        widen_as(WW_T_TF32, bytes, n, flips, out);
        break;
    case WW_T_E4M3:
        widen_as(WW_T_E4M3, bytes, n, flips, out);
        break;
    case WW_T_E5M2:
        widen_as(WW_T_E5M2, bytes, n, flips, out);
        break;
    case WW_T_S8:
        widen_as(WW_T_S8, bytes, n, 0, out);
        break;
    case WW_T_U8:
        widen_as(WW_T_U8, bytes, n, 0, out);
        break;
    default:
        widen_as(WW_T_B1, bytes, n, 0, out);
        break;
    }
}

/* ---- factors ---- */

static void spread_a(uint32_t out[HALVES][WW_LANES], unsigned row, uint32_t value)
{
    const quartet four = {value, value, value, value};
    memcpy(&out[row / 8][row % 8 * QUARTET], &four, sizeof four);
}

static void prepare_a(const ww_factor *a, unsigned depth, factors *f)
{
    uint32_t line[MOST_DEPTH];
    if (a->across) {
        for (unsigned k = 0; k < depth; k++) {
            widen(a, a->bytes + (size_t)2 * ROWS * k, ROWS, line);
            for (unsigned row = 0; row < ROWS; row++) {
                spread_a(f->a[k], row, line[row]);
            }
        }
        return;
    }
    for (unsigned row = 0; row < ROWS; row++) {
        widen(a, a->bytes + (size_t)WW_FACTOR_BYTES * row, depth, line);
        for (unsigned k = 0; k < depth; k++) {
            spread_a(f->a[k], row, line[k]);
        }
    }
}

static WW_ALWAYS_INLINE quartet load_quartet(const uint32_t *from)
{
    quartet q;
    memcpy(&q, from, sizeof q);
    return q;
}

/* Four columns, two apart, of a tile: the lines of a 4 by 4 square become its columns. */
static WW_ALWAYS_INLINE void turn(uint32_t line[TILE][MOST_DEPTH], unsigned parity, unsigned k,
                                  uint32_t (*out)[ITS_COLUMNS], unsigned column)
{
    const quartet l0 = load_quartet(&line[parity][k]), l1 = load_quartet(&line[parity + 2][k]);
    const quartet l2 = load_quartet(&line[parity + 4][k]), l3 = load_quartet(&line[parity + 6][k]);
    const quartet low01 = __builtin_shufflevector(l0, l1, 0, 4, 1, 5);
    const quartet low23 = __builtin_shufflevector(l2, l3, 0, 4, 1, 5);
    const quartet high01 = __builtin_shufflevector(l0, l1, 2, 6, 3, 7);
    const quartet high23 = __builtin_shufflevector(l2, l3, 2, 6, 3, 7);
    const quartet turned[QUARTET] = {__builtin_shufflevector(low01, low23, 0, 1, 4, 5),
                                     __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
                                     __builtin_shufflevector(high01, high23, 0, 1, 4, 5),
                                     __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
    for (unsigned i = 0; i < QUARTET; i++) {
        memcpy(&out[k + i][column + QUARTET * parity], &turned[i], sizeof turned[i]);
    }
}

static void prepare_b(const ww_factor *b, unsigned columns, unsigned depth, factors *f)
{
    if (b->across) {
        for (unsigned k = 0; k < depth; k++) {
            widen(b, b->bytes + (size_t)2 * columns * k, columns, f->b[k]);
            for (unsigned column = 0; column < columns; column += TILE) {
                octet eight;
                memcpy(&eight, &f->b[k][column], sizeof eight);
                eight = __builtin_shufflevector(eight, eight, 0, 2, 4, 6, 1, 3, 5, 7);
                memcpy(&f->b[k][column], &eight, sizeof eight);
            }
        }
        return;
    }
    for (unsigned column = 0; column < columns; column += TILE) {
        uint32_t line[TILE][MOST_DEPTH];
        for (unsigned i = 0; i < TILE; i++) {
            widen(b, b->bytes + (size_t)WW_FACTOR_BYTES * (column + i), depth, line[i]);
        }
        for (unsigned k = 0; k < depth; k += QUARTET) {
            turn(line, 0, k, f->b, column);
            turn(line, 1, k, f->b, column);
        }
    }
}

/* ---- sums ---- */

/* Registers of D that hold a tile's sums of that half of the rows and that parity. */
static unsigned plane_of(const ww_warpgroup_job *m, unsigned column, unsigned half, unsigned parity)
{
    unsigned pair = column / TILE * HALVES + half;
    return m->half_d ? pair : pair * PARITIES + parity;
}

static void load_sums(const ww_warpgroup_job *m, unsigned column, tile_sums *sums)
{
    if (m->begins) {
        memset(sums, 0, sizeof *sums);
        return;
    }
    for (unsigned half = 0; half < HALVES; half++) {
        for (unsigned parity = 0; parity < PARITIES; parity++) {
            const uint32_t *from = m->d[plane_of(m, column, half, parity)];
            uint32_t *to = sums->at[half][parity];
            if (!m->half_d) {
                memcpy(to, from, sizeof sums->at[half][parity]);
                continue;
            }
            for (unsigned lane = 0; lane < WW_LANES; lane++) {
                uint16_t narrow = (uint16_t)(from[lane] >> 16 * parity);
                to[lane] = ww__half_bits32(ww__f16_to_f32(narrow));
            }
        }
    }
}

static void store_sums(const ww_warpgroup_job *m, unsigned column, const tile_sums *sums)
{
    for (unsigned half = 0; half < HALVES; half++) {
        const uint32_t *even = sums->at[half][0], *odd = sums->at[half][1];
        if (!m->half_d) {
            memcpy(m->d[plane_of(m, column, half, 0)], even, sizeof sums->at[half][0]);
            memcpy(m->d[plane_of(m, column, half, 1)], odd, sizeof sums->at[half][1]);
            continue;
        }
        uint32_t *to = m->d[plane_of(m, column, half, 0)];
        for (unsigned lane = 0; lane < WW_LANES; lane++) {
            to[lane] = ww__f16_from_f32(ww__half_f32(even[lane])) |
                       (uint32_t)ww__f16_from_f32(ww__half_f32(odd[lane])) << 16;
        }
    }
}

/* Four columns for as many rows as a vector has quartets. */
static WW_ALWAYS_INLINE floats repeat(const uint32_t *columns)
{
    const quartet q = load_quartet(columns);
#if defined __AVX512F__
    const words repeated =
        __builtin_shufflevector(q, q, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3);
#elif defined __AVX__
    const words repeated = __builtin_shufflevector(q, q, 0, 1, 2, 3, 0, 1, 2, 3);
#else
    const words repeated = q;
#endif
    return (floats)repeated;
}

/* c + a b; exact products may be fused. */
static WW_ALWAYS_INLINE floats multiply_add(floats a, floats b, floats c, bool exact)
{
#if defined __AVX512F__
    if (exact) {
        return (floats)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
    }
#elif defined __FMA__
    if (exact) {
        return (floats)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
    }
#else
    (void)exact;
#endif
    return c + a * b;
}

/* The sums of a tile, of TOGETHER halves of the rows at a time, stay in registers over the depth.
 */
static WW_ALWAYS_INLINE void add_tile(const factors *f, unsigned column, unsigned depth, bool exact,
                                      tile_sums *sums)
{
    for (unsigned first = 0; first < HALVES; first += TOGETHER) {
        floats sum[TOGETHER][PARITIES][PARTS];
        memcpy(sum, sums->at[first], sizeof sum);
        for (unsigned k = 0; k < depth; k++) {
            const floats even = repeat(&f->b[k][column]);
            const floats odd = repeat(&f->b[k][column + QUARTET]);
            for (unsigned half = 0; half < TOGETHER; half++) {
                for (unsigned part = 0; part < PARTS; part++) {
                    floats rows;
                    memcpy(&rows, &f->a[k][first + half][part * VECTOR], sizeof rows);
                    sum[half][0][part] = multiply_add(rows, even, sum[half][0][part], exact);
                    sum[half][1][part] = multiply_add(rows, odd, sum[half][1][part], exact);
                }
            }
        }
        for (unsigned half = 0; half < TOGETHER; half++) {
            for (unsigned parity = 0; parity < PARITIES; parity++) {
                for (unsigned part = 0; part < PARTS; part++) {
                    const floats value = sum[half][parity][part];
                    const words nan = (words)(value != value);
                    sum[half][parity][part] = (floats)(((words)value & ~nan) | (nan & 0x7fffffffu));
                }
            }
        }
        memcpy(sums->at[first], sum, sizeof sum);
    }
}

static WW_ALWAYS_INLINE void add_floats(const ww_warpgroup_job *m, const factors *f, unsigned depth,
                                        bool exact)
{
    for (unsigned column = 0; column < m->columns; column += TILE) {
        tile_sums sums;
        load_sums(m, column, &sums);
        add_tile(f, column, depth, exact, &sums);
        store_sums(m, column, &sums);
    }
}

static WW_ALWAYS_INLINE uint32_t add_clamped(uint32_t c, uint32_t sum)
{
    uint32_t r = c + sum;
    uint32_t limit = 0x7fffffffu + (c >> 31);
    return ((c ^ r) & (sum ^ r)) >> 31 != 0 ? limit : r;
}

/* Products of a tile, then the sums before them. */
static void add_counts(const ww_warpgroup_job *m, const factors *f, unsigned depth)
{
    const bool bits = m->a.type == WW_T_B1;
    for (unsigned column = 0; column < m->columns; column += TILE) {
        tile_sums sums;
        load_sums(m, column, &sums);
        for (unsigned half = 0; half < HALVES; half++) {
            for (unsigned parity = 0; parity < PARITIES; parity++) {
                uint32_t total[WW_LANES] = {0}, *sum = sums.at[half][parity];
                for (unsigned k = 0; k < depth; k++) {
                    const uint32_t *b = &f->b[k][column + QUARTET * parity];
                    for (unsigned lane = 0; lane < WW_LANES; lane++) {
                        uint32_t x = f->a[k][half][lane], y = b[lane % QUARTET];
                        total[lane] += bits ? (uint32_t)__builtin_popcount(x & y) : x * y;
                    }
                }
                for (unsigned lane = 0; lane < WW_LANES; lane++) {
                    sum[lane] = m->saturates ? add_clamped(sum[lane], total[lane])
                                             : sum[lane] + total[lane];
                }
            }
        }
        store_sums(m, column, &sums);
    }
}

void LANES_NAME(ww__lanes_warpgroup)(const ww_warpgroup_job *m)
{
    factors f;
    const unsigned bytes = m->a.type == WW_T_B1 ? 4 : ww_type_bytes(m->a.type);
    const unsigned depth = WW_FACTOR_BYTES / bytes;
    prepare_a(&m->a, depth, &f);
    prepare_b(&m->b, m->columns, depth, &f);
    switch (m->a.type) {
    case WW_T_F16:
    case WW_T_E4M3:
    case WW_T_E5M2:
        add_floats(m, &f, depth, true);
        break;
    case WW_T_BF16:
    case WW_T_TF32:
        add_floats(m, &f, depth, false);
        break;
    default:
        add_counts(m, &f, depth);
        break;
    }
}
