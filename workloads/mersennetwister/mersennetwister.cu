// mersennetwister.cu - many small Mersenne twisters side by side, and the Box-Muller transform of
// their numbers.

#define TWISTERS 4096 // most
#define STATES   19   // words of a twister's state
#define MIDDLE   9

struct parameters {
    unsigned matrix_a, mask_b, mask_c, seed;
};

__device__ parameters ds_MT[TWISTERS];

// Number k of a twister lies k times the twisters behind its first.
extern "C" __global__ void RandomGPU(float *random, int per_twister)
{
    const int twisters = blockDim.x * gridDim.x;
    const int tid = blockDim.x * blockIdx.x + threadIdx.x;
    const parameters p = ds_MT[tid];
    unsigned state[STATES];

    state[0] = p.seed;
#pragma unroll 1
    for (int i = 1; i < STATES; i++) {
        state[i] = 1812433253u * (state[i - 1] ^ (state[i - 1] >> 30)) + i;
    }
    int now = 0;
    unsigned word = state[0];
#pragma unroll 1
    for (int i = 0; i < per_twister; i++) {
        int next = now + 1;
        int middle = now + MIDDLE;
        if (next >= STATES) {
            next -= STATES;
        }
        if (middle >= STATES) {
            middle -= STATES;
        }
        const unsigned following = state[next];
        unsigned x = (word & 0xfffffffeu) | (following & 1u);
        x = state[middle] ^ (x >> 1) ^ (x & 1u ? p.matrix_a : 0u);
        state[now] = x;
        word = following;
        now = next;

        x ^= x >> 12; // tempering
        x ^= (x << 7) & p.mask_b;
        x ^= (x << 15) & p.mask_c;
        x ^= x >> 18;
        random[tid + i * twisters] = ((float)x + 1.0f) / 4294967296.0f;
    }
}

// Every two numbers of a twister become two of the normal distribution.
extern "C" __global__ void BoxMullerGPU(float *random, int per_twister)
{
    const int twisters = blockDim.x * gridDim.x;
    const int tid = blockDim.x * blockIdx.x + threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < per_twister; i += 2) {
        float *const first = &random[tid + i * twisters];
        float *const second = &random[tid + (i + 1) * twisters];
        const float radius = sqrtf(-2.0f * logf(*first));
        const float angle = 2.0f * 3.14159265358979f * *second;
        *first = radius * __cosf(angle);
        *second = radius * __sinf(angle);
    }
}
