// reduce.cu - the second kernel of a product whose K was split: sums partial results, then what an epilogue does.
#include "gemm.cuh"

template <typename T>
__device__ __forceinline__ void reduce(const float *partial, typename gemm::number<T>::out *c,
                                       const typename gemm::number<T>::out *bias, long long each, int n, int ldc,
                                       long long stride_c, int splits, int act, float alpha)
{
    typedef typename gemm::number<T>::out out_t;
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= each) {
        return;
    }
    const float *from = partial + (long long)blockIdx.y * splits * each + i;
    float sum = 0.0f;
    for (int s = 0; s < splits; s++) {
        sum += from[s * each];
    }
    sum *= alpha;
    int column = (int)(i % n);
    sum += bias != nullptr ? to_float(bias[column]) : 0.0f;
    c[blockIdx.y * stride_c + i / n * ldc + column] = from_float<out_t>(activate(sum, act));
}

#define REDUCE(NAME, T, OUT)                                                                                               \
    extern "C" __global__ void NAME(const float *partial, OUT *c, const OUT *bias, long long each, int n, int ldc,         \
                                    long long stride_c, int splits, int act, float alpha)                                  \
    {                                                                                                                      \
        reduce<T>(partial, c, bias, each, n, ldc, stride_c, splits, act, alpha);                                           \
    }
REDUCE(reduce_bf16, bf16, bf16)
REDUCE(reduce_f16, f16, f16)
REDUCE(reduce_fp32, gemm::tf32, float)
