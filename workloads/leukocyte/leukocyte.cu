// leukocyte.cu - detection of cells in a video frame by the coefficient of variation of gradients
// along circles, dilation of that score, and the gradient vector flow that tracks each cell.
//
// The frame and the score are column-major, the dilated score and the cells' images row-major, as in the original.

#define MAX_RADII     7
#define MAX_ANGLES    150
#define MAX_ELEMENT   25
#define MAX_CELL      (41 * 81)
#define IMGVF_THREADS 320

__constant__ float c_sin[MAX_ANGLES];
__constant__ float c_cos[MAX_ANGLES];
__constant__ int c_x[MAX_RADII * MAX_ANGLES]; // of the circles' points about their centre
__constant__ int c_y[MAX_RADII * MAX_ANGLES];
__constant__ float c_element[MAX_ELEMENT * MAX_ELEMENT]; // dilation's neighbourhood

// Scores every pixel at least margin away from the frame's border: a CTA per column, a thread per
// row. The score is the greatest squared mean over variance, of all circles about the pixel, of the
// gradient's outward component.
extern "C" __global__ void GICOV_kernel(int rows, int margin, int radii, int angles,
                                        const float *gradient_x, const float *gradient_y,
                                        float *score)
{
    const int column = blockIdx.x + margin;
    const int row = threadIdx.x + margin;
    float best = 0.0f;
    for (int k = 0; k < radii; k++) {
        // Welford's running mean and sum of squared deviations, and the sum itself, as in the original
        float sum = 0.0f;
        float mean = 0.0f;
        float deviations = 0.0f;
#pragma unroll 1
        for (int n = 0; n < angles; n++) {
            const int x = column + c_x[k * angles + n];
            const int y = row + c_y[k * angles + n];
            const int at = x * rows + y;
            const float outward =
                __ldg(&gradient_x[at]) * c_cos[n] + __ldg(&gradient_y[at]) * c_sin[n];
            sum += outward;
            const float delta = outward - mean;
            mean += delta / (float)(n + 1);
            deviations += delta * (outward - mean);
        }
        mean = sum / (float)angles;
        const float variance = deviations / (float)(angles - 1);
        best = fmaxf(best, mean * mean / variance);
    }
    score[column * rows + row] = best;
}

// Grey-scale dilation: the greatest value in the neighbourhood that the element's ones mark.
extern "C" __global__ void dilate_kernel(int rows, int columns, int element_edge,
                                         const float *image, float *dilated)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= rows * columns) {
        return;
    }
    const int row = t % rows;
    const int column = t / rows;
    const int reach = element_edge / 2;
    float greatest = 0.0f;
    for (int i = 0; i < element_edge; i++) {
        const int y = row - reach + i;
        if (y < 0 || y >= rows) {
            continue;
        }
#pragma unroll 1
        for (int j = 0; j < element_edge; j++) {
            const int x = column - reach + j;
            if (x >= 0 && x < columns && c_element[i * element_edge + j] != 0.0f) {
                greatest = fmaxf(greatest, __ldg(&image[x * rows + y]));
            }
        }
    }
    dilated[row * columns + column] = greatest; // across the columns: neighbouring lanes lie a row apart
}

struct cell {
    int rows, columns; // at most IMGVF_THREADS - 1 columns
    int first;         // of its pixels in images and fields
};

// The constants have no f, as in the original: what they touch is in double precision.
#define PI     3.14159
#define MU     0.5
#define LAMBDA (8.0 * MU + 1.0)

// A smooth step from 0 to 1.
static __device__ float heaviside(float x)
{
    return atanf(x) * (1.0 / PI) + 0.5;
}

// What the neighbour in direction (dx, dy) adds to the flow at a pixel.
static __device__ float pull(const float *field, const cell &c, int row, int column, int dy, int dx,
                             float value, float vx, float vy)
{
    const float one_over_e = 1e10f;
    const int y = min(max(row + dy, 0), c.rows - 1);
    const int x = min(max(column + dx, 0), c.columns - 1);
    const float difference = field[y * c.columns + x] - value;
    return difference * heaviside(difference * (vx * (float)dx + vy * (float)dy) * one_over_e);
}

// Iterates the flow of one cell per CTA in shared memory, until the mean change is below cutoff.
extern "C" __global__ void IMGVF_kernel(const cell *cells, const float *images, float *fields,
                                        float vx, float vy, float cutoff, int max_iterations,
                                        int *iterations)
{
    __shared__ float field[MAX_CELL];
    __shared__ float changes[IMGVF_THREADS];
    const int tx = threadIdx.x;
    const cell c = cells[blockIdx.x];
    const int pixels = c.rows * c.columns;
    const float *image = &images[c.first];

    for (int e = tx; e < pixels; e += IMGVF_THREADS) {
        field[e] = fields[c.first + e];
    }
    __syncthreads();

    int iteration = 0;
    bool converged = false;
    while (!converged && iteration < max_iterations) {
        // A piece of the new field is stored when the next one has been computed: neighbours reach
        // back no further than one piece.
        float pending = 0.0f;
        float change = 0.0f;
        int base = 0;
        for (; base < pixels; base += IMGVF_THREADS) {
            const int e = base + tx;
            float next = 0.0f;
            if (e < pixels) {
                const int row = e / c.columns;
                const int column = e % c.columns;
                const float value = field[e];
                const float flow = ((pull(field, c, row, column, -1, 0, value, vx, vy) +
                                     pull(field, c, row, column, 1, 0, value, vx, vy)) +
                                    (pull(field, c, row, column, 0, -1, value, vx, vy) +
                                     pull(field, c, row, column, 0, 1, value, vx, vy))) +
                                   ((pull(field, c, row, column, -1, -1, value, vx, vy) +
                                     pull(field, c, row, column, -1, 1, value, vx, vy)) +
                                    (pull(field, c, row, column, 1, -1, value, vx, vy) +
                                     pull(field, c, row, column, 1, 1, value, vx, vy)));
                const float smooth = value + (MU / LAMBDA) * flow;
                const float edge = image[e];
                next = smooth - (1.0 / LAMBDA) * edge * (smooth - edge);
                change += fabsf(next - value);
            }
            __syncthreads();
            if (base > 0) {
                field[e - IMGVF_THREADS] = pending;
            }
            pending = next;
        }
        __syncthreads();
        if (base - IMGVF_THREADS + tx < pixels) {
            field[base - IMGVF_THREADS + tx] = pending;
        }

        changes[tx] = change;
        for (int active = IMGVF_THREADS; active > 1;) {
            const int half = (active + 1) / 2;
            __syncthreads();
            if (tx + half < active) {
                changes[tx] += changes[tx + half];
            }
            active = half;
        }
        __syncthreads();
        converged = changes[0] / (float)pixels < cutoff;
        iteration++;
        __syncthreads();
    }

    for (int e = tx; e < pixels; e += IMGVF_THREADS) {
        fields[c.first + e] = field[e];
    }
    if (tx == 0) {
        iterations[blockIdx.x] = iteration;
    }
}
