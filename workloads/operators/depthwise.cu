// depthwise.cu - depthwise convolutions of channels-last tensors on the FP32 lanes: a thread has a vector of channels of one output pixel.
#include "types.cuh"

template <typename T>
__device__ __forceinline__ void depthwise(const T *x, const T *weights, T *y, int images, int c, int hw, int rs, int stride,
                                          int padding, int out)
{
    enum { N = 16 / sizeof(T) };
    typedef vec<T, N> chunk;
    const long long id = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const int chunks = c / N, at_c = (int)(id % chunks), column = (int)(id / chunks % out);
    const int row = (int)(id / chunks / out % out), image = (int)(id / chunks / out / out);
    if (image >= images) {
        return;
    }
    float sum[N] = {};
    for (int r = 0; r < rs; r++) {
        const int at_y = row * stride - padding + r;
        if (at_y < 0 || at_y >= hw) {
            continue;
        }
        for (int s = 0; s < rs; s++) {
            const int at_x = column * stride - padding + s;
            if (at_x < 0 || at_x >= hw) {
                continue;
            }
            const chunk v = ((const chunk *)x)[(((long long)image * hw + at_y) * hw + at_x) * chunks + at_c];
            const chunk w = ((const chunk *)weights)[(r * rs + s) * chunks + at_c];
#pragma unroll
            for (int e = 0; e < N; e++) {
                sum[e] = fmaf(to_float(v.v[e]), to_float(w.v[e]), sum[e]);
            }
        }
    }
    chunk result;
#pragma unroll
    for (int e = 0; e < N; e++) {
        result.v[e] = from_float<T>(sum[e]);
    }
    ((chunk *)y)[id] = result;
}

#define DEPTHWISE(NAME, T)                                                                                                 \
    extern "C" __global__ void __launch_bounds__(256)                                                                      \
        NAME(const T *x, const T *weights, T *y, int images, int c, int hw, int rs, int stride, int padding, int out)       \
    {                                                                                                                      \
        depthwise<T>(x, weights, y, images, c, hw, rs, stride, padding, out);                                              \
    }
DEPTHWISE(depthwise_bf16, bf16)
DEPTHWISE(depthwise_f16, f16)
DEPTHWISE(depthwise_fp32, float)
