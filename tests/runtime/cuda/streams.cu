// streams.cu - kernels of several streams: with --concurrent they overlap, and keep the order that
// streams and events give them, as the events' times tell; without, they follow each other.
// streams OVERLAP: 1 when they must.
#include <cstdio>
#include <cstdlib>

static const int STREAMS = 4, THREADS = 64;

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t code_ = (call);                                                                \
        if (code_ != cudaSuccess) {                                                                \
            printf("line %d: %s\n", __LINE__, cudaGetErrorString(code_));                          \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

__global__ void spin(unsigned *out, unsigned loops, unsigned add)
{
    unsigned x = threadIdx.x;
    for (unsigned i = 0; i < loops; i++) {
        x = x * 1664525u + 1013904223u;
    }
    out[threadIdx.x] += add + (x == 0x12345678u);
}

// out = a + b, which other streams have written.
__global__ void sum(unsigned *out, const unsigned *a, const unsigned *b)
{
    out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}

static float ms(cudaEvent_t from, cudaEvent_t to)
{
    float t;
    CHECK(cudaEventElapsedTime(&t, from, to));
    return t;
}

static int failures;

static void expect(bool what, const char *text)
{
    if (!what) {
        printf("not so: %s\n", text);
        failures++;
    }
}

int main(int argc, char **argv)
{
    const bool overlap = argc > 1 && atoi(argv[1]) == 1;
    const unsigned loops = 20000;
    unsigned *data[STREAMS], *total, host[THREADS];
    cudaStream_t stream[STREAMS];
    cudaEvent_t start, stop, done[STREAMS], added;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventCreate(&added));
    CHECK(cudaMalloc(&total, sizeof host));
    for (int s = 0; s < STREAMS; s++) {
        CHECK(cudaMalloc(&data[s], sizeof host));
        CHECK(cudaMemset(data[s], 0, sizeof host));
        CHECK(cudaStreamCreate(&stream[s]));
        CHECK(cudaEventCreate(&done[s]));
    }

    // One of them, then all: as long as one, or as all of them one by one.
    CHECK(cudaEventRecord(start));
    spin<<<1, THREADS>>>(data[0], loops, 1);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    const float one = ms(start, stop);
    CHECK(cudaEventRecord(start));
    for (int s = 0; s < STREAMS; s++) {
        spin<<<1, THREADS, 0, stream[s]>>>(data[s], loops * (s + 1) / STREAMS, 1);
        CHECK(cudaEventRecord(done[s], stream[s]));
    }
    // Stream 0 goes on when streams 1 and 3 have got so far.
    CHECK(cudaStreamWaitEvent(stream[0], done[1], 0));
    CHECK(cudaStreamWaitEvent(stream[0], done[3], 0));
    sum<<<1, THREADS, 0, stream[0]>>>(total, data[1], data[3]);
    CHECK(cudaEventRecord(added, stream[0]));
    CHECK(cudaEventRecord(stop));
    CHECK(cudaDeviceSynchronize());
    const float all = ms(start, stop);
    const float each = one * (1 + 2 + 3 + 4) / 4;
    printf("one %g ms, all %g ms\n", one, all);
    expect(overlap ? all < 1.3f * one : all > 0.9f * each, "the time of all streams");
    for (int s = 0; s < STREAMS; s++) {
        const float t = ms(start, done[s]), alone = one * (s + 1) / STREAMS;
        expect(!overlap || (t > 0.7f * alone && t < 1.3f * alone), "the time of one stream");
    }
    expect(ms(done[3], added) > 0 && ms(added, stop) >= 0, "the order of events");
    CHECK(cudaMemcpy(host, total, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < THREADS; i++) {
        expect(host[i] == 2, "the sum of what other streams wrote");
    }

    // A launch that cannot be is refused where it is issued; arguments are those of the launch.
    spin<<<1, 4096, 0, stream[1]>>>(data[1], 1, 1);
    expect(cudaGetLastError() == cudaErrorInvalidConfiguration, "a block of 4096 threads is refused");
    for (unsigned k = 0; k < 100; k++) { // more than are kept at a time
        spin<<<1, THREADS, 0, stream[k % 2]>>>(data[k % 2], 1, k);
    }
    CHECK(cudaStreamSynchronize(stream[1]));
    CHECK(cudaMemcpy(host, data[1], sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < THREADS; i++) {
        expect(host[i] == 1 + 2500, "what a hundred launches added");
    }
    printf("%s\n", failures == 0 ? "passed" : "failed");
    return failures != 0;
}
