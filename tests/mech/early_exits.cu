/* Kernels whose threads leave before barriers, each of a kind: blocks of 16 by 16 threads, n = 1024.
 * early_exits.ptx: nvcc -ptx -O2 -arch=compute_75 early_exits.cu (CUDA 13). */

/* Rows leave in the loop, one warp after the other: the others meet at barriers that these never
 * reach. */
extern "C" __global__ void rows_leave(float *out, const float *a, int n)
{
    int tx = threadIdx.x, ty = threadIdx.y, g = blockIdx.x * 256 + ty * 16 + tx, x = tx * 3 + 1;
    float s = a[tx % n];
    for (int i = 0; i < 2; i++) {
        if (ty > 9 + i * 2) {
            out[g] = s;
            return;
        }
        x = (x * 2 + tx * 2 + i) & 1023;
        __syncthreads();
    }
    out[g] = s + a[(x + blockIdx.x * 7) % n];
}

/* Lanes of every warp leave the loop; a warp is whole again behind its last barrier, its lanes having
 * come different ways. */
extern "C" __global__ void lanes_break(float *out, const float *a, int n)
{
    int tx = threadIdx.x, ty = threadIdx.y, g = blockIdx.x * 256 + ty * 16 + tx, x = tx * 3 + 1;
    float s = a[tx % n];
    for (int i = 0; i < 2; i++) {
        s += a[(x + i * 3) % n];
        if (tx < 4)
            break;
        if (tx + ty > 12)
            break;
        if (tx == 15)
            s = s * 1.5f + a[(tx * 2 + blockIdx.x * 7) % n];
        else
            x += 2;
        __syncthreads();
    }
    out[g] = s + a[(x + blockIdx.x * 7) % n];
}

/* Nobody takes the return, but because of it the sides of the outer branch join only at the kernel's
 * end, behind the barrier. */
extern "C" __global__ void never_leaves(float *out, const float *a, int n)
{
    int tx = threadIdx.x, ty = threadIdx.y, g = blockIdx.x * 256 + ty * 16 + tx, x = tx * 3 + 1;
    __syncthreads();
    if (ty < 6) {
        if (n < 0)
            return;
        x += 5;
    }
    __syncthreads();
    out[g] = a[(x + blockIdx.x * 7) % n];
}

/* Half of the warps pass one barrier more before the loop, and so meet the others there a round
 * later: the loop's count is the same for all that come the same way, and not for those that meet.
 * Legal for bar.sync, which counts arrivals wherever they come from. */
extern "C" __global__ void rows_part(float *out, const float *a, int n)
{
    int tx = threadIdx.x, ty = threadIdx.y, g = blockIdx.x * 256 + ty * 16 + tx, x = tx;
    float s = 0;
    if (ty < 8)
        asm volatile("bar.sync 0;");
#pragma unroll 1
    for (int i = 0; i < n / 256; i++) {
        asm volatile("bar.sync 0;");
        x += i * 5;
        s += a[x & 1023];
    }
    if (ty >= 8)
        asm volatile("bar.sync 0;");
    out[g] = s;
}
