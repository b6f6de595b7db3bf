/* lengths.c - how the thin cuFFT transforms a length, and the tables of roots of one that this
 * takes. Roots are worked out here, without the C library's sine, whose last bit differs between
 * machines. */
#include <stdlib.h>

#include "base/assert.h"
#include "runtime/math/fft/cufft.h"

/* A prime beyond this one is dearer by its definition than by a chirp. */
enum { LARGEST_DIRECT = 127 };

static int longest_in_shared(bool is_double)
{
    return FFT_SHARED / 2 / (is_double ? 16 : 8);
}

/* All its primes are small enough to be factors of a pass. */
static bool is_smooth(int64_t n)
{
    for (int64_t p = 2; p <= LARGEST_DIRECT; p++) {
        while (n % p == 0) {
            n /= p;
        }
    }
    return n == 1;
}

/* The d with d^levels about n. */
static int64_t even_share(int64_t n, int levels)
{
    int64_t d = 1;
    for (bool below = true; below; d += below) {
        int64_t power = 1;
        for (int i = 0; i < levels; i++) {
            power *= d;
        }
        below = power < n && d < 4096;
    }
    return d;
}

/* n as a product of so many levels that fit, as even as may be. */
static bool divide(int64_t n, int levels, int longest, int *level)
{
    if (levels == 1) {
        level[0] = (int)n;
        return n <= longest;
    }
    int64_t even = even_share(n, levels);
    for (int64_t away = 0; away < longest; away++) {
        const int64_t tries[] = {even - away, even + away};
        for (size_t i = 0; i < WW_ARRAY_LEN(tries); i++) {
            int64_t d = tries[i];
            if (d > 1 && d <= longest && n % d == 0 &&
                divide(n / d, levels - 1, longest, level + 1)) {
                level[0] = (int)d;
                return true;
            }
        }
    }
    return false;
}

static bool find_levels(fft_length *out, int64_t n, int longest)
{
    for (int levels = 1; levels <= LEVELS; levels++) {
        if (divide(n, levels, longest, out->level)) {
            out->levels = levels;
            return true;
        }
    }
    return false;
}

static size_t take(size_t *tables, size_t count)
{
    size_t at = *tables;
    *tables += count;
    return at;
}

bool fft_length_init(fft_length *out, int64_t n, bool is_double, size_t *tables)
{
    const int longest = longest_in_shared(is_double);
    const int64_t most = (int64_t)1 << 30; /* of a convolution: longest^3 for the longer type */
    *out = (fft_length){.n = n};
    int64_t inner = n;
    if (!is_smooth(n) || !find_levels(out, n, longest)) {
        if (n > most / 2) {
            return false;
        }
        for (out->padded = 1; out->padded < 2 * n - 1;) {
            out->padded *= 2;
        }
        inner = out->padded;
        if (!find_levels(out, inner, longest)) {
            return false;
        }
        out->chirp = take(tables, (size_t)n);
        out->chirp_scaled = take(tables, (size_t)n);
        out->spectrum = take(tables, (size_t)inner);
    }
    for (int i = 0; i < out->levels; i++) {
        out->roots[i] = take(tables, (size_t)out->level[i]);
        out->turns_low[i] = i + 1 < out->levels ? take(tables, FFT_TURN_LOW) : 0;
        out->turns_high[i] =
            i + 1 < out->levels ? take(tables, (size_t)(inner / FFT_TURN_LOW + 1)) : 0;
        inner /= out->level[i];
    }
    return true;
}

/* sin and cos of 0 <= x <= pi / 4, by their series: the terms left out are below 2e-17. */
static double sine(double x)
{
    double s = x * x, sum = 1;
    for (int k = 18; k > 0; k -= 2) {
        sum = 1 - s / (k * (k + 1)) * sum;
    }
    return x * sum;
}

static double cosine(double x)
{
    double s = x * x, sum = 1;
    for (int k = 17; k > 0; k -= 2) {
        sum = 1 - s / (k * (k + 1)) * sum;
    }
    return sum;
}

/* exp(-2 pi i k / n), k < n < 2^32: angles are fractions of 8 n, folded into an eighth of a turn.
 */
static void root_of_one(uint64_t n, uint64_t k, double *root)
{
    static const double pi = 3.14159265358979323846;
    WW_ASSERT(k < n && n <= (uint64_t)1 << 33);
    uint64_t a = 8 * k;
    bool below = a > 4 * n;
    a = below ? 8 * n - a : a;
    bool left = a > 2 * n;
    a = left ? 4 * n - a : a;
    bool steep = a > n;
    a = steep ? 2 * n - a : a;
    double x = pi / 4 * ((double)a / (double)n);
    double c = steep ? sine(x) : cosine(x), s = steep ? cosine(x) : sine(x);
    root[0] = left ? -c : c;
    root[1] = below ? s : -s;
}

/* The table being filled: doubles, or singles rounded from them. */
typedef struct table {
    void *numbers;
    bool is_double;
} table;

static void put(const table *t, size_t at, const double *number)
{
    for (size_t i = 0; i < 2; i++) {
        if (t->is_double) {
            ((double *)t->numbers)[2 * at + i] = number[i];
        } else {
            ((float *)t->numbers)[2 * at + i] = (float)number[i];
        }
    }
}

static void put_roots(const table *t, size_t at, uint64_t n, uint64_t step, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        double root[2];
        root_of_one(n, k * step % n, root);
        put(t, at + k, root);
    }
}

/* The transform of m numbers, a power of two, in place, by halves: for a plan's tables alone. */
static void transform(double *v, size_t m)
{
    for (size_t i = 1, j = 0; i < m; i++) {
        size_t bit = m >> 1;
        for (; j & bit; bit >>= 1) {
            j ^= bit;
        }
        j ^= bit;
        for (size_t c = 0; i < j && c < 2; c++) {
            double old = v[2 * i + c];
            v[2 * i + c] = v[2 * j + c];
            v[2 * j + c] = old;
        }
    }
    for (size_t span = 2; span <= m; span *= 2) {
        for (size_t k = 0; k < span / 2; k++) {
            double w[2];
            root_of_one(span, k, w);
            for (size_t i = k; i < m; i += span) {
                double *a = v + 2 * i, *b = a + span;
                double x = b[0] * w[0] - b[1] * w[1], y = b[0] * w[1] + b[1] * w[0];
                b[0] = a[0] - x;
                b[1] = a[1] - y;
                a[0] += x;
                a[1] += y;
            }
        }
    }
}

/* The chirp exp(-pi i k^2 / n), and the spectrum of its conjugate, which lies on both sides of 0.
 */
static bool put_chirp(const table *t, const fft_length *l)
{
    const uint64_t n = (uint64_t)l->n, m = (uint64_t)l->padded;
    double *conjugate = calloc(m, 2 * sizeof *conjugate);
    if (conjugate == NULL) {
        return false;
    }
    uint64_t square = 0; /* of k, less multiples of 2 n */
    for (uint64_t k = 0; k < n; k++) {
        double c[2];
        root_of_one(2 * n, square, c);
        put(t, l->chirp + k, c);
        const double scaled[] = {c[0] / (double)m, c[1] / (double)m};
        put(t, l->chirp_scaled + k, scaled);
        for (int side = 0; side < 2; side++) {
            double *to = conjugate + 2 * (side == 0 ? k : (m - k) % m);
            to[0] = c[0];
            to[1] = -c[1];
        }
        square = (square + 2 * k + 1) % (2 * n);
    }
    transform(conjugate, m);
    for (uint64_t k = 0; k < m; k++) {
        put(t, l->spectrum + k, conjugate + 2 * k);
    }
    free(conjugate);
    return true;
}

bool fft_tables_fill(const fft_plan *p, void *out)
{
    const table t = {out, fft_is_double(p->type)};
    for (int axis = 0; axis < RANK; axis++) {
        const fft_length *l = &p->length[axis];
        uint64_t inner = (uint64_t)(l->padded != 0 ? l->padded : l->n);
        if (l->padded != 0 && !put_chirp(&t, l)) {
            return false;
        }
        for (int i = 0; i < l->levels; i++) {
            put_roots(&t, l->roots[i], (uint64_t)l->level[i], 1, (size_t)l->level[i]);
            if (i + 1 < l->levels) {
                put_roots(&t, l->turns_low[i], inner, 1, FFT_TURN_LOW);
                put_roots(&t, l->turns_high[i], inner, FFT_TURN_LOW, inner / FFT_TURN_LOW + 1);
            }
            inner /= (uint64_t)l->level[i];
        }
    }
    return true;
}
