// unroll.cuh - loops whose variable is a constant, as an operand of an instruction must be.
#pragma once

namespace unrolled {

template <int V> struct index {
    static constexpr int value = V;
};

// f(index<I>()) ... f(index<N - 1>())
template <int I, int N, typename F> __device__ __forceinline__ void unroll(F f)
{
    if constexpr (I < N) {
        f(index<I>());
        unroll<I + 1, N>(f);
    }
}

} // namespace unrolled
