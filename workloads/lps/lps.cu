// lps.cu - one Jacobi sweep of Laplace's equation on a 3-D grid; a CTA marches in z through a column
// of 32 x 4 points and keeps three planes of it with their halo in shared memory.

#define BLOCK_X 32
#define BLOCK_Y 4
#define ROW     (BLOCK_X + 2)
#define PLANE   (ROW * (BLOCK_Y + 2))

// u2 = mean of the six neighbours in u1, or u1 on the boundary. Rows are pitch words apart.
extern "C" __global__ void GPU_laplace3d(int NX, int NY, int NZ, int pitch, const float *d_u1,
                                         float *d_u2)
{
    __shared__ float u1[3 * PLANE];
    const int thread = threadIdx.x + threadIdx.y * BLOCK_X;

    // Two rows and two columns of halo: the first 2 * ROW threads take a row each of its words, the
    // next 2 * BLOCK_Y one of a column.
    const bool halo = thread < 2 * (BLOCK_X + BLOCK_Y + 2);
    int halo_x = 0, halo_y = 0; // in the tile
    if (halo) {
        if (thread < 2 * ROW) {
            halo_x = thread % ROW;
            halo_y = thread < ROW ? 0 : BLOCK_Y + 1;
        } else {
            halo_x = (thread % 2) * (BLOCK_X + 1);
            halo_y = (thread - 2 * ROW) / 2 + 1;
        }
    }
    const int first_x = blockIdx.x * BLOCK_X;
    const int first_y = blockIdx.y * BLOCK_Y;
    int halo_from = first_x + halo_x - 1 + (first_y + halo_y - 1) * pitch;
    const bool halo_there = halo && first_x + halo_x >= 1 && first_x + halo_x <= NX &&
                            first_y + halo_y >= 1 && first_y + halo_y <= NY;
    const int halo_to = halo_x + halo_y * ROW;

    const int x = first_x + threadIdx.x;
    const int y = first_y + threadIdx.y;
    int from = x + y * pitch;
    const bool there = x < NX && y < NY;
    const bool boundary = x == 0 || x == NX - 1 || y == 0 || y == NY - 1;
    const int stride = NY * pitch;
    const int to = threadIdx.x + 1 + (threadIdx.y + 1) * ROW;

    // Planes 0 and 1 of the ring are z - 1 and z; 2 is filled in the loop.
    if (there) {
        u1[to + PLANE] = d_u1[from];
    }
    if (halo_there) {
        u1[halo_to + PLANE] = d_u1[halo_from];
    }
    int below = 0, here = PLANE, above = 2 * PLANE;
#pragma unroll 1
    for (int z = 0; z < NZ; z++) {
        if (z + 1 < NZ) {
            if (there) {
                u1[to + above] = d_u1[from + stride];
            }
            if (halo_there) {
                u1[halo_to + above] = d_u1[halo_from + stride];
            }
        }
        __syncthreads();
        if (there) {
            const float *c = &u1[to + here];
            float result = c[0];
            if (!boundary && z > 0 && z < NZ - 1) {
                result = (c[-1] + c[1] + c[-ROW] + c[ROW] + u1[to + below] + u1[to + above]) *
                         (1.0f / 6.0f);
            }
            d_u2[from] = result;
        }
        const int oldest = below;
        below = here;
        here = above;
        above = oldest;
        from += stride;
        halo_from += stride;
        __syncthreads();
    }
}
