// mars-km.cu - k-means as map and reduce: the map stage assigns points to centres, the reduce stage
// makes each centre the mean of its points.

#include "../mars/mars.cuh"

// Every record emits a centre's number and a point's number.
extern "C" __global__ void MapperCount(int records, int *key_bytes, int *value_bytes, int *counts)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < records) {
        key_bytes[i] = sizeof(int);
        value_bytes[i] = sizeof(int);
        counts[i] = 1;
    }
}

static __device__ inline int distance(const int *a, const int *b, int dimensions)
{
    int sum = 0;
#pragma unroll 1
    for (int d = 0; d < dimensions; d++) {
        sum += (a[d] - b[d]) * (a[d] - b[d]);
    }
    return sum;
}

// The input's key is a point's number, its value the number of its centre, which is replaced.
extern "C" __global__ void Mapper(const entry *input, const char *input_keys, char *input_values,
                                  int records, const int *points, const int *centres,
                                  int dimensions, int centre_count, const int *key_places,
                                  const int *value_places, const int *places, entry *directory,
                                  char *keys, char *values, int *changed)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= records) {
        return;
    }
    const entry e = input[i];
    const int point = *(const int *)(input_keys + e.x);
    int *const centre = (int *)(input_values + e.z);
    const int *const own = points + point * dimensions;

    const int before = *centre;
    int nearest = before;
    int least = distance(own, centres + before * dimensions, dimensions);
#pragma unroll 1
    for (int c = 0; c < centre_count; c++) {
        const int there = distance(own, centres + c * dimensions, dimensions);
        if (there < least) {
            least = there;
            nearest = c;
        }
    }
    if (nearest != before) {
        *centre = nearest;
        *changed = 1;
    }
    const entry out = {key_places[i], (int)sizeof(int), value_places[i], (int)sizeof(int)};
    *(int *)(keys + out.x) = nearest;
    *(int *)(values + out.z) = point;
    directory[places[i]] = out;
}

// A thread per group of equal keys, with entries from starts[g] to the next start.
extern "C" __global__ void ReducerCount(int groups, int dimensions, int *key_bytes,
                                        int *value_bytes, int *counts)
{
    const int g = blockIdx.x * THREADS + threadIdx.x;
    if (g < groups) {
        key_bytes[g] = sizeof(int);
        value_bytes[g] = dimensions * (int)sizeof(int);
        counts[g] = 1;
    }
}

// Emits the group's centre and the mean of its points.
extern "C" __global__ void Reducer(const entry *directory, const char *keys, const char *values,
                                   const int *starts, int groups, int records, const int *points,
                                   int dimensions, const int *key_places, const int *value_places,
                                   char *out_keys, char *out_values)
{
    const int g = blockIdx.x * THREADS + threadIdx.x;
    if (g >= groups) {
        return;
    }
    const int first = starts[g];
    const int end = g + 1 < groups ? starts[g + 1] : records;
    int *const mean = (int *)(out_values + value_places[g]);
#pragma unroll 1
    for (int d = 0; d < dimensions; d++) {
        mean[d] = 0;
    }
#pragma unroll 1
    for (int i = first; i < end; i++) {
        const int point = *(const int *)(values + directory[i].z);
#pragma unroll 1
        for (int d = 0; d < dimensions; d++) {
            mean[d] += points[point * dimensions + d];
        }
    }
#pragma unroll 1
    for (int d = 0; d < dimensions; d++) {
        mean[d] /= end - first;
    }
    *(int *)(out_keys + key_places[g]) = key_of(directory[first], keys);
}
