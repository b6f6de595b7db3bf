// divergence-ubench.cu - microbenchmark whose warps split into 1 to 32 control flows.
// A balanced tree of branches leads every flow to its own body of 64 multiply-adds in four
// independent chains; all bodies cost the same and differ in their constants. With one flow no
// branch diverges. Nothing but one store per thread touches memory.

#define WARP        32
#define CHAIN_STEPS 16 // times four chains

// Bodies 0 .. 31. The empty asm keeps the compiler from merging what is common to the bodies' ends.
template <int BODY> struct Body {
    static __device__ __forceinline__ void run(float (&x)[4], float offset)
    {
        const float factor = 0.5f + BODY / 128.0f;
#pragma unroll
        for (int i = 0; i < CHAIN_STEPS; i++) {
#pragma unroll
            for (int chain = 0; chain < 4; chain++) {
                x[chain] = fmaf(x[chain], factor, offset);
            }
        }
        asm volatile("// body %4" : "+f"(x[0]), "+f"(x[1]), "+f"(x[2]), "+f"(x[3]) : "n"(BODY));
    }

    static __device__ __forceinline__ void run(unsigned (&x)[4], unsigned offset)
    {
        const unsigned factor = 1664525u + 8u * BODY;
#pragma unroll
        for (int i = 0; i < CHAIN_STEPS; i++) {
#pragma unroll
            for (int chain = 0; chain < 4; chain++) {
                x[chain] = x[chain] * factor + offset;
            }
        }
        asm volatile("// body %4" : "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3]) : "n"(BODY));
    }
};

template <int FIRST, int COUNT> struct Dispatch {
    template <typename T> static __device__ __forceinline__ void run(int flow, T (&x)[4], T offset)
    {
        if (flow < FIRST + COUNT / 2) {
            Dispatch<FIRST, COUNT / 2>::run(flow, x, offset);
        } else {
            Dispatch<FIRST + COUNT / 2, COUNT / 2>::run(flow, x, offset);
        }
    }
};

template <int FIRST> struct Dispatch<FIRST, 1> {
    template <typename T> static __device__ __forceinline__ void run(int, T (&x)[4], T offset)
    {
        Body<FIRST>::run(x, offset);
    }
};

// Flow of a lane: neighbouring lanes differ (interleaved) or go together (blocked).
__device__ __forceinline__ int flow_of(int lane, int flows, int blocked)
{
    return blocked ? lane * flows / WARP : lane % flows;
}

template <typename T>
__device__ __forceinline__ void diverge(T *output, T offset, int flows, int blocked,
                                        int repetitions)
{
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int flow = flow_of(threadIdx.x % WARP, flows, blocked);

    T x[4];
    for (int chain = 0; chain < 4; chain++) {
        x[chain] = (T)(thread + chain);
    }
#pragma unroll 1
    for (int i = 0; i < repetitions; i++) {
        Dispatch<0, WARP>::run(flow, x, offset);
    }
    output[thread] = (x[0] + x[1]) + (x[2] + x[3]);
}

extern "C" __global__ void divergence_f32(float *output, float offset, int flows, int blocked,
                                          int repetitions)
{
    diverge(output, offset, flows, blocked, repetitions);
}

extern "C" __global__ void divergence_u32(unsigned *output, unsigned offset, int flows, int blocked,
                                          int repetitions)
{
    diverge(output, offset, flows, blocked, repetitions);
}
