// heartwall.cu - follows sample points of a moving wall through the frames of a film, a CTA per
// point: normalised cross-correlation of each point's template with a window about its first
// location.
//
// Matrices are column-major, as in the original: element (row, column) at column * rows + row.

#define MAX_TEMPLATE  51
#define MAX_CONVOLVED 131

struct settings {
    int frame_rows;
    int template_edge; // t, odd
    int window_edge;   // s, odd
    int mask_edge;     // squares of this edge about the last location may be the next one
    int blend_period;  // every so many frames the template follows the picture
    float keep;        // share of the old template then
};

__constant__ settings c;

// The scratch matrices of a point, one after the other; n = s + t - 1 and p = s + 2 t.
struct matrices {
    float *window;      // s x s
    float *convolved;   // n x n
    float *padded;      // p x p
    float *columns;     // n x p: sums over t rows
    float *sums;        // n x n: sums over the template's area
    float *squares;     // n x n
    float *impulse;     // n x n
    float *correlation; // n x n, zero outside the mask
};

static __device__ matrices find_matrices(float *scratch, int s, int n, int p)
{
    matrices m;
    m.window = scratch;
    m.convolved = m.window + s * s;
    m.padded = m.convolved + n * n;
    m.columns = m.padded + p * p;
    m.sums = m.columns + n * p;
    m.squares = m.sums + n * n;
    m.impulse = m.squares + n * n;
    m.correlation = m.impulse + n * n;
    return m;
}

// The full convolution of the window with the rotated template.
static __device__ void convolve(float *out, const float *window, const float *rotated, int s, int t)
{
    const int n = s + t - 1;
    for (int e = threadIdx.x; e < n * n; e += blockDim.x) {
        const int row = e % n;
        const int column = e / n;
        const int first_row = max(0, row - t + 1);
        const int last_row = min(s - 1, row);
        const int first_column = max(0, column - t + 1);
        const int last_column = min(s - 1, column);
        const int rows = last_row - first_row + 1;
        float sum = 0.0f;
        for (int j = first_column; j <= last_column; j++) {
            const float *w = &window[j * s + first_row];
            const float *r = &rotated[(column - j) * t + row - first_row];
#pragma unroll 1
            for (int i = 0; i < rows; i++) {
                sum += *w++ * *r--;
            }
        }
        out[e] = sum;
    }
}

// Sums of the window's elements (or their squares) over every place of the template, by differences
// of running sums of the window with a border of zeros.
static __device__ void sum_areas(float *out, const matrices &m, bool squared, int s, int t)
{
    const int n = s + t - 1;
    const int p = s + 2 * t;
    const int tx = threadIdx.x;
    for (int e = tx; e < p * p; e += blockDim.x) {
        const int row = e % p - t;
        const int column = e / p - t;
        float value = 0.0f;
        if (row >= 0 && row < s && column >= 0 && column < s) {
            value = m.window[column * s + row];
        }
        m.padded[e] = squared ? value * value : value;
    }
    __syncthreads();
    for (int column = tx; column < p; column += blockDim.x) {
        float sum = 0.0f;
        for (int row = 0; row < p; row++) {
            sum += m.padded[column * p + row];
            m.padded[column * p + row] = sum;
        }
    }
    __syncthreads();
    for (int e = tx; e < n * p; e += blockDim.x) {
        const int row = e % n;
        const int column = e / n;
        m.columns[e] = m.padded[column * p + row + t] - m.padded[column * p + row];
    }
    __syncthreads();
    for (int row = tx; row < n; row += blockDim.x) {
        float sum = 0.0f;
        for (int column = 0; column < p; column++) {
            sum += m.columns[column * n + row];
            m.columns[column * n + row] = sum;
        }
    }
    __syncthreads();
    for (int e = tx; e < n * n; e += blockDim.x) {
        out[e] = m.columns[e + t * n] - m.columns[e];
    }
    __syncthreads();
}

// 1 where the point may have moved to: the impulse at its last location convolved with a square.
static __device__ float mask_at(const float *impulse, int row, int column, int n)
{
    const int after = c.mask_edge / 2;
    float sum = 0.0f;
    for (int j = column + after - c.mask_edge + 1; j <= column + after; j++) {
#pragma unroll 1
        for (int i = row + after - c.mask_edge + 1; i <= row + after; i++) {
            if (i >= 0 && i < n && j >= 0 && j < n) {
                sum += impulse[j * n + i];
            }
        }
    }
    return sum;
}

// frame: this frame's picture. origin, location: row and column of each point, first and now.
// Frame 0 only fills the templates.
extern "C" __global__ void kernel(const float *frame, int frame_number, const int2 *origin,
                                  int2 *location, float *templates, float *scratch,
                                  int scratch_elements, float *peaks)
{
    __shared__ float rotated[MAX_TEMPLATE * MAX_TEMPLATE];
    __shared__ float partial[MAX_CONVOLVED];
    __shared__ int partial_at[MAX_CONVOLVED];
    __shared__ float partial_square[MAX_TEMPLATE];
    __shared__ float template_sum, template_deviation;
    __shared__ int2 found;
    const int tx = threadIdx.x;
    const int t = c.template_edge;
    const int s = c.window_edge;
    const int n = s + t - 1;
    const matrices m = find_matrices(&scratch[blockIdx.x * scratch_elements], s, n, s + 2 * t);
    float *pattern = &templates[blockIdx.x * t * t];
    const int2 first = origin[blockIdx.x]; // .x is the row
    const int2 last = location[blockIdx.x];

    if (frame_number == 0) {
        for (int e = tx; e < t * t; e += blockDim.x) {
            const int row = first.x - t / 2 + e % t;
            const int column = first.y - t / 2 + e / t;
            pattern[e] = frame[column * c.frame_rows + row];
        }
        return;
    }

    for (int e = tx; e < s * s; e += blockDim.x) {
        const int row = first.x - s / 2 + e % s;
        const int column = first.y - s / 2 + e / s;
        m.window[e] = frame[column * c.frame_rows + row];
    }
    for (int e = tx; e < t * t; e += blockDim.x) {
        rotated[e] = pattern[t * t - 1 - e];
    }
    // Where the template's centre would be without any movement, in the convolution's coordinates.
    const int still_row = s / 2 + t / 2 + last.x - first.x;
    const int still_column = s / 2 + t / 2 + last.y - first.y;
    for (int e = tx; e < n * n; e += blockDim.x) {
        m.impulse[e] = e == still_column * n + still_row ? 1.0f : 0.0f;
    }
    __syncthreads();

    convolve(m.convolved, m.window, rotated, s, t);
    __syncthreads();
    sum_areas(m.sums, m, false, s, t);
    sum_areas(m.squares, m, true, s, t);

    // The template's sum and deviation: a thread per column, then one for all.
    if (tx < t) {
        float sum = 0.0f;
        float square = 0.0f;
        for (int row = 0; row < t; row++) {
            const float value = rotated[tx * t + row];
            sum += value;
            square += value * value;
        }
        partial[tx] = sum;
        partial_square[tx] = square;
    }
    __syncthreads();
    if (tx == 0) {
        float sum = 0.0f;
        float square = 0.0f;
        for (int column = 0; column < t; column++) {
            sum += partial[column];
            square += partial_square[column];
        }
        template_sum = sum;
        template_deviation = sqrtf(square - sum * sum / (float)(t * t));
    }
    __syncthreads();

    const float area = (float)(t * t);
    for (int e = tx; e < n * n; e += blockDim.x) {
        const float sum = m.sums[e];
        const float variance = fmaxf(m.squares[e] - sum * sum / area, 0.0f);
        const float deviation = sqrtf(variance) * template_deviation;
        const float numerator = m.convolved[e] - sum * template_sum / area;
        const float value = deviation > 0.0f ? numerator / deviation : 0.0f;
        m.correlation[e] = value * mask_at(m.impulse, e % n, e / n, n);
    }
    __syncthreads();

    // The greatest: a thread per column, then one for all.
    for (int column = tx; column < n; column += blockDim.x) {
        int best = 0;
        for (int row = 1; row < n; row++) {
            if (m.correlation[column * n + row] > m.correlation[column * n + best]) {
                best = row;
            }
        }
        partial[column] = m.correlation[column * n + best];
        partial_at[column] = best;
    }
    __syncthreads();
    if (tx == 0) {
        int best = 0;
        for (int column = 1; column < n; column++) {
            if (partial[column] > partial[best]) {
                best = column;
            }
        }
        found.x = first.x + partial_at[best] - s / 2 - t / 2;
        found.y = first.y + best - s / 2 - t / 2;
        location[blockIdx.x] = found;
        peaks[blockIdx.x] = partial[best];
    }
    __syncthreads();

    if (frame_number % c.blend_period == 0) {
        for (int e = tx; e < t * t; e += blockDim.x) {
            const int row = found.x - t / 2 + e % t;
            const int column = found.y - t / 2 + e / t;
            pattern[e] = c.keep * pattern[e] + (1.0f - c.keep) * frame[column * c.frame_rows + row];
        }
    }
}
