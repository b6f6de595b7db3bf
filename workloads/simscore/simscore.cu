// simscore.cu - cosine similarity of all pairs of documents, and the block-wise prefix sums that
// place the map stage's records. A reconstruction after the MapReduce benchmark Similarity Score.

#define THREADS 256
#define SCANNED (2 * THREADS) // counters per CTA
#define BANKS   32

struct record {
    float score;
    int first, second; // numbers of the documents
};

// A thread per pair of documents. A record's size is counted where the score is high enough.
extern "C" __global__ void Mapper(const float4 *documents, int quarter_features, int pairs,
                                  float threshold, record *records, int *sizes)
{
    const int pair = blockIdx.x * blockDim.x + threadIdx.x;
    if (pair >= pairs) {
        return;
    }
    // Document i has i pairs with earlier ones, after i * (i - 1) / 2 pairs of those before it.
    int second = (int)((1.0f + sqrtf(1.0f + 8.0f * (float)pair)) * 0.5f);
    while (second * (second - 1) / 2 > pair) { // rounding may be off by one
        second--;
    }
    while ((second + 1) * second / 2 <= pair) {
        second++;
    }
    const int first = pair - second * (second - 1) / 2;

    const float4 *a = &documents[first * quarter_features];
    const float4 *b = &documents[second * quarter_features];
    float product = 0.0f;
    float length_a = 0.0f;
    float length_b = 0.0f;
    for (int i = 0; i < quarter_features; i++) {
        const float4 x = a[i];
        const float4 y = b[i];
        product += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
        length_a += x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w;
        length_b += y.x * y.x + y.y * y.y + y.z * y.z + y.w * y.w;
    }
    const float score = product / (sqrtf(length_a) * sqrtf(length_b));
    records[pair].score = score;
    records[pair].first = first;
    records[pair].second = second;
    sizes[pair] = score >= threshold ? (int)sizeof(record) : 0;
}

// A word more per row of banks, so that strides of powers of two spread over the banks.
static __device__ int padded(int i)
{
    return i + i / BANKS;
}

// Exclusive prefix sums of SCANNED values in shared memory (Blelloch, "Prefix sums and their
// applications", 1990); returns their total.
static __device__ int scan(int *values)
{
    const int tx = threadIdx.x;
    int offset = 1;
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
    const int total = values[padded(SCANNED - 1)];
    __syncthreads();
    if (tx == 0) {
        values[padded(SCANNED - 1)] = 0;
    }
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
    return total;
}

// Prefix sums within every full block of counters, and each block's total.
extern "C" __global__ void prescan(const int *input, int *output, int *totals)
{
    __shared__ int values[SCANNED + SCANNED / BANKS];
    const int tx = threadIdx.x;
    const int first = blockIdx.x * SCANNED;
    values[padded(tx)] = input[first + tx];
    values[padded(tx + THREADS)] = input[first + tx + THREADS];
    const int total = scan(values);
    output[first + tx] = values[padded(tx)];
    output[first + tx + THREADS] = values[padded(tx + THREADS)];
    if (tx == 0) {
        totals[blockIdx.x] = total;
    }
}

// The same for a last block of fewer counters, which starts at `first`.
extern "C" __global__ void prescan_last(const int *input, int *output, int *total_out, int first,
                                        int count)
{
    __shared__ int values[SCANNED + SCANNED / BANKS];
    const int tx = threadIdx.x;
    values[padded(tx)] = tx < count ? input[first + tx] : 0;
    values[padded(tx + THREADS)] = tx + THREADS < count ? input[first + tx + THREADS] : 0;
    const int total = scan(values);
    if (tx < count) {
        output[first + tx] = values[padded(tx)];
    }
    if (tx + THREADS < count) {
        output[first + tx + THREADS] = values[padded(tx + THREADS)];
    }
    if (tx == 0) {
        *total_out = total;
    }
}
