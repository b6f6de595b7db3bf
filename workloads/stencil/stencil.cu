// stencil.cu - one step of a seven-point stencil in three dimensions; a CTA marches in z through a
// column of 64 x 4 points, a thread holding two of them, 32 apart, and shares the current plane.

#define WIDTH  32 // threads
#define HEIGHT 4

struct column {
    float below, here, above; // planes z - 1, z, z + 1
};

// The neighbours in the plane of a tile's point: from the tile where they lie in it, else from
// memory.
__device__ __forceinline__ float plane_sum(const float *tile, const float *centre, int tx, int ty,
                                           int nx)
{
    const float west = tx > 0 ? tile[ty * (2 * WIDTH) + tx - 1] : centre[-1];
    const float east = tx < 2 * WIDTH - 1 ? tile[ty * (2 * WIDTH) + tx + 1] : centre[1];
    const float north = ty > 0 ? tile[(ty - 1) * (2 * WIDTH) + tx] : centre[-nx];
    const float south = ty < HEIGHT - 1 ? tile[(ty + 1) * (2 * WIDTH) + tx] : centre[nx];
    return west + east + north + south;
}

// Anext = c1 * (sum of the six neighbours) - c0 * A0, but on the boundary, which stays.
extern "C" __global__ void block2D_hybrid_coarsen_x(float c0, float c1, const float *A0,
                                                    float *Anext, int nx, int ny, int nz)
{
    extern __shared__ float tile[]; // HEIGHT rows of 2 * WIDTH
    const int ty = threadIdx.y;
    const int y = blockIdx.y * HEIGHT + ty;
    const int tx[2] = {(int)threadIdx.x, (int)threadIdx.x + WIDTH};
    const int plane = nx * ny;

    int at[2];      // of the points in plane 0
    bool inside[2]; // not on the boundary of the plane
    column c[2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int x = blockIdx.x * (2 * WIDTH) + tx[i];
        at[i] = x + nx * y;
        inside[i] = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;
        c[i].below = A0[at[i]];
        c[i].here = A0[at[i] + plane];
        tile[ty * (2 * WIDTH) + tx[i]] = c[i].here;
    }
    __syncthreads();

#pragma unroll 1
    for (int z = 1; z < nz - 1; z++) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const float *centre = &A0[at[i] + z * plane];
            c[i].above = centre[plane];
            if (inside[i]) {
                const float sum =
                    c[i].above + c[i].below + plane_sum(tile, centre, tx[i], ty, nx);
                Anext[at[i] + z * plane] = sum * c1 - c[i].here * c0;
            }
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 2; i++) {
            c[i].below = c[i].here;
            c[i].here = c[i].above;
            tile[ty * (2 * WIDTH) + tx[i]] = c[i].above;
        }
        __syncthreads();
    }
}
