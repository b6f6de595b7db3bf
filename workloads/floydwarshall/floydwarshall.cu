// floydwarshall.cu - all shortest paths of a graph; a launch per node that paths may go through.
// Lanes lie along the rows, so that they read words a row apart.

extern "C" __global__ void floydwarshall(int *distance, int *next, int n, int k)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        const int through = distance[i * n + k] + distance[k * n + j];
        if (through < distance[i * n + j]) {
            distance[i * n + j] = through;
            next[i * n + j] = k;
        }
    }
}
