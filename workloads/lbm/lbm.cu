// lbm.cu - one time step of a lattice Boltzmann fluid (D3Q19): every cell collides its 19
// distributions and streams them to its neighbours in another grid.

#define DIRECTIONS  19
#define PADDED_X    128 // words per row
#define OBSTACLE    1
#define ACCELERATED 2
#define OMEGA       1.95f

// c.u for the components of a direction, which are constants once the loops are unrolled.
__device__ __forceinline__ float along(int x, int y, int z, float ux, float uy, float uz)
{
    const float px = x > 0 ? ux : -ux;
    const float py = y > 0 ? uy : -uy;
    const float pz = z > 0 ? uz : -uz;
    if (x != 0) {
        return y != 0 ? px + py : z != 0 ? px + pz : px;
    }
    return y == 0 ? (z != 0 ? pz : 0.0f) : z != 0 ? py + pz : py;
}

// The grids point at cell 0 of direction 0; directions are entry_stride words apart, planes
// plane_stride words. The last entry of a cell holds its flags.
extern "C" __global__ void performStreamCollide_kernel(const float *srcGrid, float *dstGrid,
                                                       int plane_stride, int entry_stride)
{
    // Opposite directions follow each other, but for the one at rest.
    const int cx[DIRECTIONS] = {0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1};
    const int cy[DIRECTIONS] = {0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0};
    const int cz[DIRECTIONS] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1};
    const int cell = threadIdx.x + blockIdx.x * PADDED_X + blockIdx.y * plane_stride;

    float f[DIRECTIONS];
#pragma unroll
    for (int q = 0; q < DIRECTIONS; q++) {
        f[q] = srcGrid[cell + q * entry_stride];
    }
    const int flags = __float_as_int(srcGrid[cell + DIRECTIONS * entry_stride]);

    if (flags & OBSTACLE) { // everything goes back where it came from
#pragma unroll
        for (int q = 1; q < DIRECTIONS; q += 2) {
            const float swap = f[q];
            f[q] = f[q + 1];
            f[q + 1] = swap;
        }
    } else {
        float density = f[0], ux = 0.0f, uy = 0.0f, uz = 0.0f;
#pragma unroll
        for (int q = 1; q < DIRECTIONS; q += 2) {
            const float difference = f[q] - f[q + 1];
            density += f[q] + f[q + 1];
            ux = cx[q] > 0 ? ux + difference : cx[q] < 0 ? ux - difference : ux;
            uy = cy[q] > 0 ? uy + difference : cy[q] < 0 ? uy - difference : uy;
            uz = cz[q] > 0 ? uz + difference : cz[q] < 0 ? uz - difference : uz;
        }
        ux /= density;
        uy /= density;
        uz /= density;
        if (flags & ACCELERATED) {
            ux = 0.005f;
            uy = 0.002f;
            uz = 0.0f;
        }
        const float u2 = 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
        for (int q = 0; q < DIRECTIONS; q++) {
            const float weight = q == 0 ? 1.0f / 3.0f : q < 7 ? 1.0f / 18.0f : 1.0f / 36.0f;
            const float cu = along(cx[q], cy[q], cz[q], ux, uy, uz);
            const float equilibrium = weight * density * (1.0f + cu * (3.0f + 4.5f * cu) - u2);
            f[q] = (1.0f - OMEGA) * f[q] + OMEGA * equilibrium;
        }
    }
#pragma unroll
    for (int q = 0; q < DIRECTIONS; q++) {
        dstGrid[cell + cx[q] + cy[q] * PADDED_X + cz[q] * plane_stride + q * entry_stride] = f[q];
    }
}
