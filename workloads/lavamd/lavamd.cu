// lavamd.cu - forces between particles in neighbouring boxes of a grid, one CTA per box, in double
// precision.

#define MAX_PARTICLES  100 // of a box; a CTA has at least as many threads
#define MAX_NEIGHBOURS 26

struct particle {
    double v, x, y, z;
};

struct box {
    int neighbours;
    int neighbour[MAX_NEIGHBOURS]; // numbers of boxes
};

// Adds to force[i] what every particle of the box itself and of its neighbours exerts on particle
// i. particles is the number in each box; box b's are positions[b * particles ...].
extern "C" __global__ void kernel_gpu_cuda(double alpha, int particles, const box *boxes,
                                           const particle *positions, const double *charges,
                                           particle *force)
{
    __shared__ particle home[MAX_PARTICLES];
    __shared__ particle other[MAX_PARTICLES];
    __shared__ double charge[MAX_PARTICLES];
    const int tx = threadIdx.x;
    const int first = blockIdx.x * particles;
    const double a2 = 2.0 * alpha * alpha;

    for (int i = tx; i < particles; i += blockDim.x) {
        home[i] = positions[first + i];
    }
    const box &here = boxes[blockIdx.x];
    for (int k = 0; k <= here.neighbours; k++) {
        const int from = (k == 0 ? blockIdx.x : here.neighbour[k - 1]) * particles;
        for (int i = tx; i < particles; i += blockDim.x) {
            other[i] = positions[from + i];
            charge[i] = charges[from + i];
        }
        __syncthreads();

        for (int i = tx; i < particles; i += blockDim.x) {
            particle *f = &force[first + i];
#pragma unroll 1
            for (int j = 0; j < particles; j++) {
                const double r2 =
                    home[i].v + other[j].v -
                    (home[i].x * other[j].x + home[i].y * other[j].y + home[i].z * other[j].z);
                const double vij = exp(-a2 * r2);
                const double fs = 2.0 * vij;
                f->v += charge[j] * vij;
                f->x += charge[j] * (fs * (home[i].x - other[j].x));
                f->y += charge[j] * (fs * (home[i].y - other[j].y));
                f->z += charge[j] * (fs * (home[i].z - other[j].z));
                // The sums are in global memory after every pair, as in the original program;
                // today's compilers would keep them in registers.
                asm volatile("" : : : "memory");
            }
        }
        __syncthreads();
    }
}
