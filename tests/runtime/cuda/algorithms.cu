// algorithms.cu - each algorithm of CUB and Thrust that programs use most, beside the C++ library's.
#include <algorithm>
#include <cstdio>
#include <cub/cub.cuh>
#include <functional>
#include <numeric>
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>
#include <vector>

constexpr int N = 5003, BINS = 16;
static int failures;

static void expect(bool condition, const char *what)
{
    if (!condition) {
        std::printf("wrong: %s\n", what);
        failures++;
    }
}

struct even {
    __host__ __device__ bool operator()(int x) const { return x % 2 == 0; }
};

template <typename T> static bool same(const thrust::device_vector<T> &a, const std::vector<T> &b)
{
    thrust::host_vector<T> h = a;
    return h.size() == b.size() && std::equal(b.begin(), b.end(), h.begin());
}

static void by_thrust(const std::vector<int> &in)
{
    thrust::device_vector<int> d(in.begin(), in.end()), e(N);
    std::vector<int> h(in), g(N);
    expect(thrust::reduce(d.begin(), d.end()) == std::accumulate(h.begin(), h.end(), 0), "reduce");
    expect(thrust::count_if(d.begin(), d.end(), even()) == std::count_if(h.begin(), h.end(), even()), "count_if");
    expect(thrust::max_element(d.begin(), d.end()) - d.begin() == std::max_element(h.begin(), h.end()) - h.begin(), "max_element");
    expect(thrust::inner_product(d.begin(), d.end(), d.begin(), 0) == std::inner_product(h.begin(), h.end(), h.begin(), 0), "inner_product");
    thrust::exclusive_scan(d.begin(), d.end(), e.begin());
    std::exclusive_scan(h.begin(), h.end(), g.begin(), 0);
    expect(same(e, g), "exclusive_scan");
    thrust::inclusive_scan(d.begin(), d.end(), e.begin(), thrust::maximum<int>());
    std::inclusive_scan(h.begin(), h.end(), g.begin(), [](int a, int b) { return std::max(a, b); });
    expect(same(e, g), "inclusive_scan");
    thrust::transform(d.begin(), d.end(), e.begin(), thrust::negate<int>());
    std::transform(h.begin(), h.end(), g.begin(), std::negate<int>());
    expect(same(e, g), "transform");
    thrust::adjacent_difference(d.begin(), d.end(), e.begin());
    std::adjacent_difference(h.begin(), h.end(), g.begin());
    expect(same(e, g), "adjacent_difference");
    auto end = thrust::copy_if(d.begin(), d.end(), e.begin(), even());
    expect(end - e.begin() == std::copy_if(h.begin(), h.end(), g.begin(), even()) - g.begin(), "copy_if");
    thrust::device_vector<int> p = d;
    std::vector<int> q = h;
    thrust::stable_partition(p.begin(), p.end(), even());
    std::stable_partition(q.begin(), q.end(), even());
    expect(same(p, q), "stable_partition");
    thrust::sort(d.begin(), d.end());
    std::sort(h.begin(), h.end());
    expect(same(d, h), "sort");
    thrust::device_vector<int> keys = d, values(N), keys_out(N), sums(N);
    thrust::fill(values.begin(), values.end(), 1);
    auto ends = thrust::reduce_by_key(keys.begin(), keys.end(), values.begin(), keys_out.begin(), sums.begin());
    std::vector<int> u = h;
    u.erase(std::unique(u.begin(), u.end()), u.end());
    expect(ends.first - keys_out.begin() == (long)u.size() && sums[0] == std::count(h.begin(), h.end(), u[0]), "reduce_by_key");
    thrust::device_vector<int> sought(u.begin(), u.end()), found(u.size());
    thrust::lower_bound(d.begin(), d.end(), sought.begin(), sought.end(), found.begin());
    expect(found[5] == std::lower_bound(h.begin(), h.end(), u[5]) - h.begin(), "lower_bound");
    thrust::device_vector<int> merged(N + u.size()), both(N);
    thrust::merge(d.begin(), d.end(), sought.begin(), sought.end(), merged.begin());
    std::vector<int> m(N + u.size()), b(N);
    std::merge(h.begin(), h.end(), u.begin(), u.end(), m.begin());
    expect(same(merged, m), "merge");
    auto last = thrust::set_intersection(d.begin(), d.end(), sought.begin(), sought.end(), both.begin());
    expect(last - both.begin() == std::set_intersection(h.begin(), h.end(), u.begin(), u.end(), b.begin()) - b.begin(), "set_intersection");
    d.erase(thrust::unique(d.begin(), d.end()), d.end());
    expect(same(d, u), "unique");
    thrust::device_vector<int> map(N), moved(N);
    thrust::sequence(map.rbegin(), map.rend());
    thrust::gather(map.begin(), map.end(), keys.begin(), moved.begin());
    std::vector<int> reversed(h.rbegin(), h.rend());
    expect(same(moved, reversed), "gather");
    thrust::scatter(keys.begin(), keys.end(), map.begin(), moved.begin());
    expect(same(moved, reversed), "scatter");
    thrust::sequence(values.begin(), values.end());
    thrust::device_vector<float> floats(N);
    for (int i = 0; i < N; i++) {
        floats[i] = (float)in[i] / 7;
    }
    thrust::stable_sort_by_key(floats.begin(), floats.end(), values.begin(), thrust::greater<float>());
    std::vector<int> order(N);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int x, int y) { return in[x] > in[y]; });
    expect(same(values, order), "stable_sort_by_key");
}

template <typename F> static void with_space(F call, const char *what)
{
    size_t bytes = 0;
    void *space = nullptr;
    expect(call(nullptr, bytes) == cudaSuccess && cudaMalloc(&space, bytes + 1) == cudaSuccess && call(space, bytes) == cudaSuccess &&
               cudaDeviceSynchronize() == cudaSuccess, what);
    cudaFree(space);
}

static void by_cub(const std::vector<int> &in)
{
    int *d, *out, *other, *count, offsets[] = {0, 1000, 1000, N}, *segments;
    cudaMallocManaged(&d, N * sizeof *d);
    cudaMallocManaged(&out, N * sizeof *out);
    cudaMallocManaged(&other, N * sizeof *other);
    cudaMallocManaged(&count, 4 * sizeof *count);
    cudaMallocManaged(&segments, sizeof offsets);
    std::copy(in.begin(), in.end(), d);
    std::copy(offsets, offsets + 4, segments);
    with_space([&](void *p, size_t &n) { return cub::DeviceReduce::Sum(p, n, d, count, N); }, "DeviceReduce");
    expect(*count == std::accumulate(in.begin(), in.end(), 0), "DeviceReduce's sum");
    with_space([&](void *p, size_t &n) { return cub::DeviceSegmentedReduce::Max(p, n, d, count, 3, segments, segments + 1); }, "DeviceSegmentedReduce");
    expect(count[2] == *std::max_element(in.begin() + 1000, in.end()), "DeviceSegmentedReduce's largest");
    with_space([&](void *p, size_t &n) { return cub::DeviceScan::InclusiveSum(p, n, d, out, N); }, "DeviceScan");
    expect(out[N - 1] == std::accumulate(in.begin(), in.end(), 0), "DeviceScan's last");
    with_space([&](void *p, size_t &n) { return cub::DeviceRadixSort::SortKeys(p, n, d, out, N); }, "DeviceRadixSort");
    std::vector<int> sorted(in);
    std::sort(sorted.begin(), sorted.end());
    expect(std::equal(sorted.begin(), sorted.end(), out), "DeviceRadixSort's order");
    with_space([&](void *p, size_t &n) { return cub::DeviceRunLengthEncode::Encode(p, n, out, d, other, count, N); }, "DeviceRunLengthEncode");
    expect(*count == std::unique(sorted.begin(), sorted.end()) - sorted.begin(), "DeviceRunLengthEncode's runs");
    std::copy(in.begin(), in.end(), d);
    with_space([&](void *p, size_t &n) { return cub::DeviceSelect::If(p, n, d, out, count, N, even()); }, "DeviceSelect");
    expect(*count == std::count_if(in.begin(), in.end(), even()), "DeviceSelect's count");
    with_space([&](void *p, size_t &n) { return cub::DevicePartition::If(p, n, d, out, count, N, even()); }, "DevicePartition");
    with_space([&](void *p, size_t &n) { return cub::DeviceHistogram::HistogramEven(p, n, d, out, BINS + 1, -1000, 1000, N); }, "DeviceHistogram");
    expect(std::accumulate(out, out + BINS, 0) == N, "DeviceHistogram's counts");
    with_space([&](void *p, size_t &n) { return cub::DeviceMergeSort::SortKeys(p, n, d, N, ::cuda::std::less<int>()); }, "DeviceMergeSort");
    expect(std::is_sorted(d, d + N), "DeviceMergeSort's order");
}

int main()
{
    std::vector<int> in(N);
    unsigned state = 1;
    for (int &x : in) {
        state = state * 1664525u + 1013904223u;
        x = (int)(state >> 16) % 2000 - 1000;
    }
    by_thrust(in);
    by_cub(in);
    std::printf(failures == 0 ? "algorithms: PASSED\n" : "algorithms: FAILED\n");
    return failures != 0;
}
