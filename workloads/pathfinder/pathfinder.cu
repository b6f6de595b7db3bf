// pathfinder.cu - cheapest path through a grid of weights, row by row; a CTA advances its strip
// many rows at once and loses one column on each side per row (ghost zones).

template <int THREADS>
__device__ __forceinline__ void advance(int steps, const int *wall, const int *source, int *result,
                                        int columns, int start, int border)
{
    __shared__ int previous[THREADS];
    __shared__ int current[THREADS];
    const int tx = threadIdx.x;

    // The strip's first column; it may lie outside the grid by up to the border.
    const int strip = (THREADS - 2 * border) * blockIdx.x - border;
    const int x = strip + tx;
    const int first = strip < 0 ? -strip : 0;
    const int last = strip + THREADS > columns ? columns - 1 - strip : THREADS - 1;
    const int west = max(tx - 1, first);
    const int east = min(tx + 1, last);
    const bool on_grid = tx >= first && tx <= last;

    if (on_grid) {
        previous[tx] = source[x];
    }
    __syncthreads();

    bool computed = false;
    for (int i = 0; i < steps; i++) {
        computed = on_grid && tx >= i + 1 && tx <= THREADS - 2 - i;
        if (computed) {
            const int shortest = min(previous[tx], min(previous[west], previous[east]));
            current[tx] = shortest + wall[columns * (start + i) + x];
        }
        __syncthreads();
        if (i == steps - 1) {
            break;
        }
        if (computed) {
            previous[tx] = current[tx];
        }
        __syncthreads();
    }
    if (computed) {
        result[x] = current[tx];
    }
}

extern "C" __global__ void dynproc_kernel(int steps, const int *wall, const int *source,
                                          int *result, int columns, int rows, int start, int border)
{
    advance<256>(steps, wall, source, result, columns, start, border);
}

extern "C" __global__ void dynproc_kernel1024(int steps, const int *wall, const int *source,
                                              int *result, int columns, int rows, int start,
                                              int border)
{
    advance<1024>(steps, wall, source, result, columns, start, border);
}
