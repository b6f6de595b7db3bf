// mars-pvr.cu - Page View Rank: a map stage that emits every page's rank and the place of its
// record, and their order by rank.

#include "../mars/mars.cuh"

// Bytes that every record's task will emit.
extern "C" __global__ void MapperCount(const entry *input, int records, int *key_bytes,
                                       int *value_bytes, int *counts)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < records) {
        const entry e = input[i];
        key_bytes[i] = e.y;
        value_bytes[i] = e.w;
        counts[i] = 1;
    }
}

// Emits them, byte by byte, where the prefix sums tell.
extern "C" __global__ void Mapper(const entry *input, const char *input_keys,
                                  const char *input_values, int records, const int *key_places,
                                  const int *value_places, const int *places, entry *directory,
                                  char *keys, char *values)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= records) {
        return;
    }
    const entry from = input[i];
    const entry to = {key_places[i], from.y, value_places[i], from.w};
#pragma unroll 1
    for (int k = 0; k < from.y; k++) {
        keys[to.x + k] = input_keys[from.x + k];
    }
#pragma unroll 1
    for (int k = 0; k < from.w; k++) {
        values[to.z + k] = input_values[from.z + k];
    }
    directory[places[i]] = to;
}
