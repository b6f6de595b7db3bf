// mars.cuh - what the MapReduce workloads share on the device: prefix sums that place the records
// of a stage, the bitonic sort of a directory by the records' keys, and the boundaries of groups.

#define THREADS 256
#define SCANNED (2 * THREADS) // counters per CTA
#define BANKS   32

// An entry of a directory: x offset and y size of the key, z offset and w size of the value, in
// bytes. An entry whose key has no bytes is none, and greater than all.
typedef int4 entry;

static __device__ inline int key_of(const entry &e, const char *keys)
{
    return *(const int *)(keys + e.x);
}

// Is a's key greater than b's?
static __device__ inline bool behind(const entry &a, const entry &b, const char *keys)
{
    if (a.y == 0 || b.y == 0) {
        return b.y != 0;
    }
    return key_of(a, keys) > key_of(b, keys);
}

// A word more per row of banks, so that strides of powers of two spread over the banks.
static __device__ inline int padded(int i)
{
    return i + i / BANKS;
}

// Exclusive prefix sums within blocks of SCANNED out of n values (Blelloch, "Prefix sums and their
// applications", 1990), and each block's total.
extern "C" __global__ void prescan(const int *in, int *out, int *totals, int n)
{
    __shared__ int values[SCANNED + SCANNED / BANKS];
    const int tx = threadIdx.x;
    const int first = blockIdx.x * SCANNED + tx;
    const int second = first + THREADS;
    values[padded(tx)] = first < n ? in[first] : 0;
    values[padded(tx + THREADS)] = second < n ? in[second] : 0;

    int offset = 1;
#pragma unroll 1
    for (int active = THREADS; active > 0; active /= 2) {
        __syncthreads();
        if (tx < active) {
            const int left = padded(offset * (2 * tx + 1) - 1);
            const int right = padded(offset * (2 * tx + 2) - 1);
            values[right] += values[left];
        }
        offset *= 2;
    }
    __syncthreads();
    if (tx == 0) {
        totals[blockIdx.x] = values[padded(SCANNED - 1)];
        values[padded(SCANNED - 1)] = 0;
    }
#pragma unroll 1
    for (int active = 1; active <= THREADS; active *= 2) {
        offset /= 2;
        __syncthreads();
        if (tx < active) {
            const int left = padded(offset * (2 * tx + 1) - 1);
            const int right = padded(offset * (2 * tx + 2) - 1);
            const int before = values[left];
            values[left] = values[right];
            values[right] += before;
        }
    }
    __syncthreads();
    if (first < n) {
        out[first] = values[padded(tx)];
    }
    if (second < n) {
        out[second] = values[padded(tx + THREADS)];
    }
}

// Adds to every block of SCANNED values what lies before it.
extern "C" __global__ void uniformAdd(int *values, const int *before, int n)
{
    __shared__ int sum;
    const int first = blockIdx.x * SCANNED + threadIdx.x;
    if (threadIdx.x == 0) {
        sum = before[blockIdx.x];
    }
    __syncthreads();
    if (first < n) {
        values[first] += sum;
    }
    if (first + THREADS < n) {
        values[first + THREADS] += sum;
    }
}

// One step within a chunk of THREADS entries; a pair's first thread exchanges it. Runs of `size`
// entries are sorted upwards and downwards in turn.
static __device__ inline void exchange_in_chunk(entry *chunk, const char *keys, int i, int size,
                                                int stride)
{
    const int tx = threadIdx.x;
    const int partner = tx ^ stride;
    if (partner > tx) {
        const entry a = chunk[tx];
        const entry b = chunk[partner];
        const bool upwards = (i & size) == 0;
        if (upwards ? behind(a, b, keys) : behind(b, a, keys)) {
            chunk[tx] = b;
            chunk[partner] = a;
        }
    }
    __syncthreads();
}

// Sorts every chunk of THREADS entries.
extern "C" __global__ void bitonicSortShared(entry *directory, const char *keys)
{
    __shared__ entry chunk[THREADS];
    const int i = blockIdx.x * THREADS + threadIdx.x;
    chunk[threadIdx.x] = directory[i];
    __syncthreads();
#pragma unroll 1
    for (int size = 2; size <= THREADS; size *= 2) {
#pragma unroll 1
        for (int stride = size / 2; stride > 0; stride /= 2) {
            exchange_in_chunk(chunk, keys, i, size, stride);
        }
    }
    directory[i] = chunk[threadIdx.x];
}

// One step with partners at least THREADS entries apart, a pair per thread.
extern "C" __global__ void bitonicMergeGlobal(entry *directory, const char *keys, int size,
                                              int stride)
{
    const int pair = blockIdx.x * THREADS + threadIdx.x;
    const int i = (pair & ~(stride - 1)) * 2 + (pair & (stride - 1));
    const entry a = directory[i];
    const entry b = directory[i + stride];
    const bool upwards = (i & size) == 0;
    if (upwards ? behind(a, b, keys) : behind(b, a, keys)) {
        directory[i] = b;
        directory[i + stride] = a;
    }
}

// All further steps of the same merge.
extern "C" __global__ void bitonicMergeShared(entry *directory, const char *keys, int size)
{
    __shared__ entry chunk[THREADS];
    const int i = blockIdx.x * THREADS + threadIdx.x;
    chunk[threadIdx.x] = directory[i];
    __syncthreads();
#pragma unroll 1
    for (int stride = THREADS / 2; stride > 0; stride /= 2) {
        exchange_in_chunk(chunk, keys, i, size, stride);
    }
    directory[i] = chunk[threadIdx.x];
}

// 1 for every entry of a sorted directory whose key is not the one before it.
extern "C" __global__ void markBoundaries(const entry *directory, const char *keys, int *marks,
                                          int n)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n) {
        marks[i] = i == 0 || key_of(directory[i], keys) != key_of(directory[i - 1], keys) ? 1 : 0;
    }
}

// The first entry of every group; numbers are the marks' prefix sums.
extern "C" __global__ void writeBoundaries(const int *marks, const int *numbers, int *starts, int n)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < n && marks[i] != 0) {
        starts[numbers[i]] = i;
    }
}
