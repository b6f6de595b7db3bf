/* transform.c - an execution of a plan of the thin cuFFT, as launches: an axis after another; of an
 * axis, one pass where a line fits shared memory, one for each level where it does not (the
 * "four-step" order of Bailey, Supercomputing 1989, whose transpositions are the strides of loads
 * and stores here), and products with a chirp around two transforms where it has large primes. */
#include "base/assert.h"
#include "base/checked.h"
#include "runtime/math/fft/cufft.h"

/* Lines to transform, and what runs them. */
typedef struct lines {
    const fft_plan *plan;
    const fft_length *length;
    char *work[2]; /* two buffers of all lines, one behind the other each */
    unsigned count[FFT_AXES];
    int axes;
    bool inverse;
} lines;

static const char *number_at(const fft_plan *p, size_t at)
{
    return (const char *)(uintptr_t)p->tables + at * fft_number_bytes(p);
}

static unsigned line_count(const lines *l)
{
    unsigned all = 1;
    for (int axis = 0; axis < l->axes; axis++) {
        all *= l->count[axis];
    }
    return all;
}

/* Lines of `length` numbers one behind the other. */
static fft_end packed(const lines *l, void *data, int64_t length)
{
    fft_end end = {.data = data, .stride = 1, .hop = 1, .whole = length, .kind = FFT_COMPLEX};
    long long step = length;
    for (int axis = l->axes - 1; axis >= 0; axis--) {
        end.step[axis] = step;
        step *= l->count[axis];
    }
    return end;
}

static void find_factors(fft_pass *pass)
{
    static const int most_first[] = {4, 2, 3, 5, 7};
    int rest = pass->length;
    for (size_t i = 0; i < WW_ARRAY_LEN(most_first); i++) {
        for (; rest % most_first[i] == 0; rest /= most_first[i]) {
            pass->factor[pass->factors++] = most_first[i];
        }
    }
    for (int p = 11; rest > 1; p += 2) {
        for (; rest % p == 0; rest /= p) {
            pass->factor[pass->factors++] = p;
        }
    }
    WW_ASSERT(pass->factors <= FFT_FACTORS);
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* Neighbours in memory are those on the last axis. */
static int lies_across(const fft_pass *pass, const fft_end *end)
{
    int last = pass->axes - 1;
    long long along = end->hop * end->stride;
    long long across = end->step[last] + end->first[last] * end->stride;
    return pass->count[last] > 1 && across < along;
}

/* A block has about 1024 numbers, and four neighbours of each where lines lie across. */
static bool launch_pass(const lines *l, fft_pass *pass)
{
    enum { WANTED = 1024, NEIGHBOURS = 4, LEAST = FFT_LINES, MOST = 256 };
    const int bytes = (int)fft_number_bytes(l->plan);
    find_factors(pass);
    pass->in.across = lies_across(pass, &pass->in);
    pass->out.across = lies_across(pass, &pass->out);
    const int most = smaller(FFT_LINES, FFT_SHARED / 2 / bytes / pass->length);
    const int wanted = larger(WANTED / pass->length,
                              pass->in.across != 0 || pass->out.across != 0 ? NEIGHBOURS : 1);
    pass->lines_per_block = larger(1, smaller(smaller(wanted, most), (int)pass->lines));
    const int numbers = pass->lines_per_block * pass->length;
    const unsigned grid[3] = {(pass->lines - 1) / (unsigned)pass->lines_per_block + 1, 1, 1};
    const unsigned block[3] = {(unsigned)smaller(MOST, larger(LEAST, (numbers / 2 + 31) / 32 * 32)),
                               1, 1};
    void *arguments[] = {pass};
    return math_launch_shared(fft_is_double(l->plan->type) ? "ww_fft_double" : "ww_fft", grid,
                              block, (unsigned)(2 * numbers * bytes), arguments, l->plan->stream);
}

static bool launch_product(const lines *l, const fft_end *in, const fft_end *out, size_t table,
                           int64_t used, int64_t length)
{
    enum { BLOCK = 256, MOST = 4096 };
    fft_product product = {.in = *in,
                           .out = *out,
                           .lines = line_count(l),
                           .axes = l->axes,
                           .inverse = l->inverse,
                           .used = used,
                           .length = length,
                           .table = number_at(l->plan, table)};
    for (int axis = 0; axis < l->axes; axis++) {
        product.count[axis] = l->count[axis];
    }
    const uint64_t blocks = ((uint64_t)product.lines * (uint64_t)length + BLOCK - 1) / BLOCK;
    const unsigned grid[3] = {(unsigned)(blocks < MOST ? blocks : MOST), 1, 1};
    const unsigned block[3] = {BLOCK, 1, 1};
    void *arguments[] = {&product};
    return math_launch(fft_is_double(l->plan->type) ? "ww_fft_product_double" : "ww_fft_product",
                       grid, block, arguments, l->plan->stream);
}

/* Neighbours become lines of an axis, and elements of a line lie `along` further apart. */
static void spread(fft_end *end, int axis, int64_t along)
{
    end->first[axis] = end->hop;
    end->hop *= along;
}

/* All levels from `in` to `out`; all but the last stay in `between` of packed lines, which may be
 * `in`, but not `out`. Index j1 n2 + j2 becomes k2 n1 + k1: n1 first, for each j2; what comes out
 * is turned by its k1 and that j2, and n2 follows, for each k1. */
static bool run_levels(const lines *l, const fft_end *in, const fft_end *out, char *between,
                       bool inverse)
{
    const fft_length *length = l->length;
    int64_t n = length->padded != 0 ? length->padded : length->n;
    lines now = *l;
    fft_end from = *in, to = *out, middle = packed(l, between, n);
    for (int i = 0; i < length->levels; i++) {
        bool last = i + 1 == length->levels;
        int64_t here = length->level[i], rest = n / here;
        fft_pass pass = {.in = from,
                         .out = last ? to : middle,
                         .axes = now.axes + !last,
                         .length = (int)here,
                         .inverse = inverse,
                         .roots = number_at(l->plan, length->roots[i])};
        if (!last) {
            now.count[now.axes] = (unsigned)rest;
            spread(&pass.in, now.axes, rest);
            spread(&pass.out, now.axes, rest);
            pass.turns_low = number_at(l->plan, length->turns_low[i]);
            pass.turns_high = number_at(l->plan, length->turns_high[i]);
        }
        pass.lines = 1;
        for (int axis = 0; axis < pass.axes; axis++) {
            pass.count[axis] = now.count[axis];
            pass.lines *= now.count[axis];
        }
        WW_ASSERT(pass.axes <= FFT_AXES);
        if (!launch_pass(l, &pass)) {
            return false;
        }
        if (last) {
            break;
        }
        /* What is left: for each k1, which is an axis now, sequences of n2. */
        now.count[now.axes] = (unsigned)here;
        middle.first[now.axes] = rest;
        spread(&to, now.axes, here);
        now.axes++;
        from = middle;
        n = rest;
    }
    return true;
}

/* The lines' transform as a convolution with a chirp. */
static bool run_chirp(const lines *l, const fft_end *in, const fft_end *out)
{
    const fft_length *length = l->length;
    const fft_end first = packed(l, l->work[0], length->padded);
    const fft_end second = packed(l, l->work[1], length->padded);
    const bool one = length->levels == 1; /* in place */
    const fft_end *middle = one ? &first : &second;
    return launch_product(l, in, &first, length->chirp, length->n, length->padded) &&
           run_levels(l, &first, middle, l->work[0], l->inverse) &&
           launch_product(l, middle, middle, length->spectrum, length->padded, length->padded) &&
           run_levels(l, middle, &first, l->work[1], !l->inverse) &&
           launch_product(l, &first, out, length->chirp_scaled, length->n, length->n);
}

static bool run_lines(const lines *l, const fft_end *in, const fft_end *out)
{
    return l->length->padded != 0 ? run_chirp(l, in, out)
                                  : run_levels(l, in, out, l->work[0], l->inverse);
}

/* A side of the plan as the end of lines along an axis. */
static fft_end end_of(const fft_plan *p, const fft_layout *layout, void *data, int axis, int kind)
{
    fft_end end = {
        .data = data, .stride = layout->step[axis], .hop = 1, .whole = p->n[axis], .kind = kind};
    int at = 0;
    end.step[at++] = layout->distance;
    for (int other = 0; other < RANK; other++) {
        if (other != axis) {
            end.step[at++] = layout->step[other];
        }
    }
    return end;
}

static bool run_axis(const fft_plan *p, int axis, const fft_end *in, const fft_end *out, char *work,
                     bool inverse)
{
    lines l = {.plan = p,
               .length = &p->length[axis],
               .count = {(unsigned)p->batch},
               .axes = RANK,
               .inverse = inverse};
    for (int other = 0, at = 1; other < RANK; other++) {
        if (other != axis) {
            l.count[at++] = (unsigned)fft_extent(p, other);
        }
    }
    const fft_length *length = l.length;
    size_t one =
        (size_t)line_count(&l) * (size_t)(length->padded != 0 ? length->padded : length->n);
    l.work[0] = work;
    l.work[1] = work + one * fft_number_bytes(p);
    return run_lines(&l, in, out);
}

/* Packed copies of the complex side. */
static fft_layout packed_layout(const fft_plan *p)
{
    fft_layout layout;
    layout.distance = 1;
    for (int axis = RANK - 1; axis >= 0; axis--) {
        layout.step[axis] = layout.distance;
        layout.distance *= fft_extent(p, axis);
    }
    return layout;
}

/* The spectrum of real numbers of several dimensions goes through a copy of its own: the program's
 * stays as it was. */
static bool has_copy(const fft_plan *p)
{
    return (p->type == C2R || p->type == Z2D) && p->n[0] * p->n[1] > 1;
}

static bool work_of_axis(const fft_plan *p, int axis, size_t *numbers)
{
    const fft_length *length = &p->length[axis];
    *numbers = 0;
    if (length->padded == 0 && length->levels == 1) {
        return true;
    }
    size_t all = (size_t)p->batch;
    for (int other = 0; other < RANK; other++) {
        if (other != axis && !ww_mul_fits(all, (size_t)fft_extent(p, other), &all)) {
            return false;
        }
    }
    const bool two = length->padded != 0 && length->levels > 1;
    return ww_mul_fits(all, (size_t)(length->padded != 0 ? length->padded : length->n), &all) &&
           ww_mul_fits(all, two ? 2 : 1, numbers);
}

static bool copy_size(const fft_plan *p, size_t *numbers)
{
    *numbers = has_copy(p) ? (size_t)p->batch : 0;
    for (int axis = 0; axis < RANK; axis++) {
        if (!ww_mul_fits(*numbers, (size_t)fft_extent(p, axis), numbers)) {
            return false;
        }
    }
    return true;
}

bool fft_work_size(const fft_plan *p, size_t *bytes)
{
    size_t most = 0, copy, all;
    for (int axis = 0; axis < RANK; axis++) {
        size_t numbers;
        if (!work_of_axis(p, axis, &numbers)) {
            return false;
        }
        most = numbers > most ? numbers : most;
    }
    return copy_size(p, &copy) && ww_add_fits(most, copy, &all) &&
           ww_mul_fits(all, fft_number_bytes(p), bytes);
}

/* All axes but the last, in place; the first of them may come from elsewhere. */
static bool run_outer_axes(const fft_plan *p, const fft_layout *from_layout, void *from,
                           const fft_layout *layout, void *data, char *work, bool inverse)
{
    for (int axis = RANK - 2; axis >= 0; axis--) {
        if (p->n[axis] == 1) {
            continue;
        }
        const fft_end in = end_of(p, from_layout, from, axis, FFT_COMPLEX);
        const fft_end out = end_of(p, layout, data, axis, FFT_COMPLEX);
        if (!run_axis(p, axis, &in, &out, work, inverse)) {
            return false;
        }
        from_layout = layout;
        from = data;
    }
    return true;
}

static bool to_real(const fft_plan *p, void *in, void *out, char *work)
{
    const fft_layout copy = packed_layout(p);
    const fft_layout *real = p->basic && in == out ? &p->padded_real : &p->out;
    const fft_layout *spectrum = &p->in;
    size_t numbers;
    if (has_copy(p)) {
        char *to = work;
        if (!copy_size(p, &numbers)) {
            return false;
        }
        work += numbers * fft_number_bytes(p);
        if (!run_outer_axes(p, &p->in, in, &copy, to, work, true)) {
            return false;
        }
        spectrum = &copy;
        in = to;
    }
    const fft_end from = end_of(p, spectrum, in, RANK - 1, FFT_HALF);
    const fft_end to = end_of(p, real, out, RANK - 1, FFT_REAL);
    return run_axis(p, RANK - 1, &from, &to, work, true);
}

bool fft_execute(const fft_plan *p, void *in, void *out, int direction)
{
    const bool inverse = direction == INVERSE, from_real = p->type == R2C || p->type == D2Z;
    if (fft_is_real(p->type) && !from_real) {
        return to_real(p, in, out, p->work);
    }
    const fft_layout *layout = from_real && p->basic && in == out ? &p->padded_real : &p->in;
    const fft_end from = end_of(p, layout, in, RANK - 1, from_real ? FFT_REAL : FFT_COMPLEX);
    const fft_end to = end_of(p, &p->out, out, RANK - 1, from_real ? FFT_HALF : FFT_COMPLEX);
    return run_axis(p, RANK - 1, &from, &to, p->work, inverse) &&
           run_outer_axes(p, &p->out, out, &p->out, out, p->work, inverse);
}
