// cp.cu - electrostatic potential of point charges on one plane of a lattice; a thread sums two
// lattice points, 16 apart, over all charges in constant memory.

#define BLOCK_X   16
#define BLOCK_Y   8
#define MAX_ATOMS 4000 // 64,000 B, what fits constant memory

// x, y, square of the distance from the plane, charge
__constant__ float4 atominfo[MAX_ATOMS];

// Adds the potential of the charges to energygrid, whose rows are gridDim.x * 32 points.
extern "C" __global__ void cenergy(int numatoms, float gridspacing, float *energygrid)
{
    const int column = blockIdx.x * (2 * BLOCK_X) + threadIdx.x;
    const int row = blockIdx.y * BLOCK_Y + threadIdx.y;
    const int index = row * (gridDim.x * (2 * BLOCK_X)) + column;

    const float x = gridspacing * column;
    const float y = gridspacing * row;
    const float apart = gridspacing * BLOCK_X;

    float first = 0.0f;
    float second = 0.0f;
#pragma unroll 1
    for (int i = 0; i < numatoms; i++) {
        const float4 atom = atominfo[i];
        const float dy = y - atom.y;
        const float dyz2 = dy * dy + atom.z;
        const float dx = x - atom.x;
        const float dx2 = dx + apart;
        first += atom.w * rsqrtf(dx * dx + dyz2);
        second += atom.w * rsqrtf(dx2 * dx2 + dyz2);
    }
    energygrid[index] += first;
    energygrid[index + BLOCK_X] += second;
}
