// streamcluster.cu - online k-median: what each point would gain if a candidate became a centre.

struct point {
    float weight;
    float *coordinates; // of the host; not used here
    long long assigned; // the point that is its centre
    float cost;         // weighted squared distance to it
};

// Coordinate d of point i at coordinates[d * points + i]. A row of work per point: what its centre
// could save by closing, by the centre's number, and what the candidate saves, behind them.
extern "C" __global__ void kernel_compute_cost(int points, int dimensions, long long candidate,
                                               const point *p, int centres, int stride,
                                               const float *coordinates, float *work,
                                               const int *centre_numbers, char *switched)
{
    const int block = gridDim.x * blockIdx.y + blockIdx.x;
    const int i = block * blockDim.x + threadIdx.x;
    if (i >= points) {
        return;
    }
    float *const row = &work[i * stride];

    float distance = 0.0f;
#pragma unroll 1
    for (int d = 0; d < dimensions; d++) {
        const float difference = coordinates[d * points + i] - coordinates[d * points + candidate];
        distance += difference * difference;
    }
    const float cost = distance * p[i].weight;
    const float current = p[i].cost;
    if (cost < current) {
        switched[i] = 1;
        row[centres] += cost - current;
    } else {
        row[centre_numbers[p[i].assigned]] += current - cost;
    }
}
