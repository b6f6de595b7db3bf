// binomialoptions.cu - prices of European calls by backward induction on a binomial tree, a CTA per
// option.

#define TILE        256            // tree nodes that a CTA works on at once, one per thread
#define DELTA       32             // steps back in time per visit of a tile
#define STRIDE      (TILE - DELTA) // nodes of a tile that are still right afterwards
#define MAX_OPTIONS 1024

struct option {
    float stock, strike;
    float move; // logarithm of the stock's move per step
    float up;   // probability of moving up, discounted by one step
    float down;
};

__constant__ option c_options[MAX_OPTIONS];

static __device__ float payoff(const option &o, int node, int steps)
{
    const float value = o.stock * expf(o.move * (float)(2 * node - steps)) - o.strike;
    return value > 0.0f ? value : 0.0f;
}

// steps is a multiple of DELTA. A row of pitch values per option holds the tree's current level.
extern "C" __global__ void binomialOptionsKernel(float *prices, float *levels, int steps, int pitch)
{
    __shared__ float even[TILE + 1];
    __shared__ float odd[TILE + 1];
    const int tx = threadIdx.x;
    const option o = c_options[blockIdx.x];
    float *level = &levels[blockIdx.x * pitch];

#pragma unroll 1
    for (int i = tx; i <= steps; i += TILE) {
        level[i] = payoff(o, i, steps);
    }
    // Node i of a level needs nodes i and i + 1 of the level after it, so that a tile loses one
    // node per step at its upper end; the next tile begins at the first node lost.
    for (int top = steps; top > 0; top -= DELTA) {
#pragma unroll 1
        for (int base = 0; base < top; base += STRIDE) {
            const int last = min(TILE - 1, top - base);
            const int valid = last - DELTA; // the last node of the tile that survives
            __syncthreads();
            if (tx <= last) {
                even[tx] = level[base + tx];
            }
            __syncthreads();
            // All threads compute; what those above the valid nodes get is never used.
#pragma unroll 1
            for (int k = last; k > valid; k -= 2) {
                odd[tx] = o.up * even[tx + 1] + o.down * even[tx];
                __syncthreads();
                even[tx] = o.up * odd[tx + 1] + o.down * odd[tx];
                __syncthreads();
            }
            if (tx <= valid) {
                level[base + tx] = even[tx];
            }
        }
    }
    if (tx == 0) {
        prices[blockIdx.x] = even[0];
    }
}
