// fdtd3d.cu - one step of a symmetric star stencil of radius 4 in a volume: a CTA marches through
// the planes, neighbours in a plane come from shared memory, those before and behind it from
// registers.

#define RADIUS 4
#define TILE_X 32
#define TILE_Y 16

__constant__ float stencil[RADIUS + 1];

// The volume has RADIUS cells of halo on every side; both pointers are to the first cell with it.
extern "C" __global__ void FiniteDifferencesKernel(float *output, const float *input, int size_x,
                                                   int size_y, int size_z)
{
    __shared__ float tile[TILE_Y + 2 * RADIUS][TILE_X + 2 * RADIUS];
    const int x = blockIdx.x * TILE_X + threadIdx.x;
    const int y = blockIdx.y * TILE_Y + threadIdx.y;
    const int tx = threadIdx.x + RADIUS;
    const int ty = threadIdx.y + RADIUS;
    const int row = size_x + 2 * RADIUS;
    const int plane = row * (size_y + 2 * RADIUS);
    const bool reads = x < size_x + RADIUS && y < size_y + RADIUS;
    const bool writes = x < size_x && y < size_y;

    int in = (y + RADIUS) * row + x + RADIUS; // of the plane that is read next
    int out = in + RADIUS * plane;            // of the plane that is computed
    float behind[RADIUS], ahead[RADIUS], current = 0.0f;
#pragma unroll
    for (int i = 0; i < RADIUS; i++) {
        behind[i] = 0.0f;
        ahead[i] = 0.0f;
    }
    if (reads) {
#pragma unroll
        for (int i = RADIUS - 2; i >= 0; i--) {
            behind[i] = input[in];
            in += plane;
        }
        current = input[in];
        in += plane;
#pragma unroll
        for (int i = 0; i < RADIUS; i++) {
            ahead[i] = input[in];
            in += plane;
        }
    }

#pragma unroll 1
    for (int z = 0; z < size_z; z++) {
#pragma unroll
        for (int i = RADIUS - 1; i > 0; i--) {
            behind[i] = behind[i - 1];
        }
        behind[0] = current;
        current = ahead[0];
#pragma unroll
        for (int i = 0; i < RADIUS - 1; i++) {
            ahead[i] = ahead[i + 1];
        }
        if (reads) {
            ahead[RADIUS - 1] = input[in];
        }
        in += plane;
        __syncthreads();

        if (threadIdx.y < RADIUS && reads) {
            tile[threadIdx.y][tx] = input[out - RADIUS * row];
            if (y + TILE_Y < size_y + RADIUS) {
                tile[threadIdx.y + TILE_Y + RADIUS][tx] = input[out + TILE_Y * row];
            }
        }
        if (threadIdx.x < RADIUS && reads) {
            tile[ty][threadIdx.x] = input[out - RADIUS];
            if (x + TILE_X < size_x + RADIUS) {
                tile[ty][threadIdx.x + TILE_X + RADIUS] = input[out + TILE_X];
            }
        }
        tile[ty][tx] = current;
        __syncthreads();

        if (writes) {
            float sum = stencil[0] * current;
#pragma unroll
            for (int i = 1; i <= RADIUS; i++) {
                sum += stencil[i] * (ahead[i - 1] + behind[i - 1] + tile[ty - i][tx] +
                                     tile[ty + i][tx] + tile[ty][tx - i] + tile[ty][tx + i]);
            }
            output[out] = sum;
        }
        out += plane;
    }
}
