// random.cu - cuRAND's device headers as nvcc compiles them, beside the library's host interface: part t of a generator's sequence is what
// curand_init(seed, t, 0) begins, and number i of the library's is of part i % parts. And cuFFT and cuSPARSE as their headers declare them.
#include <cmath>
#include <cstdio>
#include <cufft.h>
#include <curand.h>
#include <curand_kernel.h>
#include <cusparse.h>

enum { THREADS = 128, EACH = 4 };

template <typename State> __global__ void draw(unsigned *bits, float *normals, unsigned long long seed)
{
    unsigned t = threadIdx.x;
    State state;
    curand_init(seed, t, 0, &state);
    for (int i = 0; i < EACH; i++) {
        bits[i * THREADS + t] = curand(&state);
    }
    curand_init(seed, t, 0, &state);
    float2 pair = curand_normal2(&state);
    normals[2 * t] = pair.x;
    normals[2 * t + 1] = pair.y;
}

static int failures;

static void expect(bool condition, const char *what)
{
    if (!condition) {
        std::printf("wrong: %s\n", what);
        failures++;
    }
}

// philox: four numbers of each part before the next's
template <typename State> static void compare(curandRngType_t type, size_t parts, bool philox)
{
    unsigned *device, *library;
    float *normals, *library_normals;
    curandGenerator_t g;
    cudaMallocManaged(&device, THREADS * EACH * sizeof *device);
    cudaMallocManaged(&library, parts * EACH * sizeof *library);
    cudaMallocManaged(&normals, 2 * THREADS * sizeof *normals);
    cudaMallocManaged(&library_normals, 4 * THREADS * sizeof *library_normals);
    draw<State><<<1, THREADS>>>(device, normals, 4321);
    expect(curandCreateGenerator(&g, type) == 0 && curandSetPseudoRandomGeneratorSeed(g, 4321) == 0, "a generator");
    expect(curandGenerate(g, library, parts * EACH) == 0, "curandGenerate");
    curandSetPseudoRandomGeneratorSeed(g, 4321);
    expect(curandGenerateNormal(g, library_normals, 4 * THREADS, 0, 1) == 0, "curandGenerateNormal");
    cudaDeviceSynchronize();
    bool same = true, close = true;
    for (int t = 0; t < THREADS; t++) {
        for (int i = 0; i < EACH; i++) {
            same = same && device[i * THREADS + t] == library[philox ? EACH * t + i : i * parts + t];
        }
        for (int i = 0; i < 2; i++) {
            close = close && std::fabs(normals[2 * t + i] - library_normals[(philox ? 4 : 2) * t + i]) < 1e-5f;
        }
    }
    expect(same, "numbers of the headers and of the library");
    expect(close, "normal numbers of the headers and of the library");
    curandDestroyGenerator(g);
}

// The transform of a wave has one peak; a matrix with ones beside its diagonal moves a vector.
static void others()
{
    enum { N = 64 };
    cufftComplex *wave;
    float *x, *y, *ones, alpha = 1, beta = 0;
    int *offsets, *columns;
    cudaMallocManaged(&wave, N * sizeof *wave);
    cudaMallocManaged(&x, N * sizeof *x);
    cudaMallocManaged(&y, N * sizeof *y);
    cudaMallocManaged(&ones, N * sizeof *ones);
    cudaMallocManaged(&offsets, (N + 1) * sizeof *offsets);
    cudaMallocManaged(&columns, N * sizeof *columns);
    for (int i = 0; i <= N; i++) {
        offsets[i] = i;
    }
    for (int i = 0; i < N; i++) {
        wave[i] = {std::cos(2 * 3.14159265f * 5 * i / N), std::sin(2 * 3.14159265f * 5 * i / N)};
        x[i] = (float)i;
        ones[i] = 1;
        columns[i] = (i + 1) % N;
    }
    cufftHandle plan;
    expect(cufftPlan1d(&plan, N, CUFFT_C2C, 1) == CUFFT_SUCCESS, "cufftPlan1d");
    expect(cufftExecC2C(plan, wave, wave, CUFFT_FORWARD) == CUFFT_SUCCESS, "cufftExecC2C");
    cusparseHandle_t handle;
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t vx, vy;
    size_t bytes;
    void *buffer;
    expect(cusparseCreate(&handle) == 0, "cusparseCreate");
    cusparseCreateCsr(&a, N, N, N, offsets, columns, ones, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                      CUDA_R_32F);
    cusparseCreateDnVec(&vx, N, x, CUDA_R_32F);
    cusparseCreateDnVec(&vy, N, y, CUDA_R_32F);
    expect(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, a, vx, &beta, vy, CUDA_R_32F,
                                   CUSPARSE_SPMV_ALG_DEFAULT, &bytes) == 0, "cusparseSpMV_bufferSize");
    cudaMalloc(&buffer, bytes);
    expect(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, a, vx, &beta, vy, CUDA_R_32F,
                        CUSPARSE_SPMV_ALG_DEFAULT, buffer) == 0, "cusparseSpMV");
    cudaDeviceSynchronize();
    for (int i = 0; i < N; i++) {
        expect(std::fabs(wave[i].x - (i == 5 ? N : 0)) + std::fabs(wave[i].y) < 1e-3f, "a peak");
        expect(y[i] == (float)((i + 1) % N), "a vector that moved");
    }
}

int main()
{
    compare<curandStateXORWOW_t>(CURAND_RNG_PSEUDO_XORWOW, 4096, false);
    compare<curandStateMRG32k3a_t>(CURAND_RNG_PSEUDO_MRG32K3A, 81920, false);
    compare<curandStatePhilox4_32_10_t>(CURAND_RNG_PSEUDO_PHILOX4_32_10, 65536, true);
    others();
    std::printf(failures == 0 ? "random: PASSED\n" : "random: FAILED\n");
    return failures != 0;
}
