// fft-shoc.cu - many complex Fourier transforms of 512 points, a CTA of 64 threads each: three
// passes of 8 points per thread with exchanges through shared memory between them.
//
// With point n = 64 a + 8 b + c and frequency k = p + 8 q + 64 r, every digit 0 to 7, the passes
// sum over a, b and c in turn. The result lies at 64 r + 8 p + q.

#define POINTS  512
#define THREADS 64
#define RADIX   8
#define ROW     (RADIX + 1) // padded
#define PLANE   (RADIX * ROW)

static __device__ inline float2 operator+(float2 a, float2 b)
{
    return make_float2(a.x + b.x, a.y + b.y);
}

static __device__ inline float2 operator-(float2 a, float2 b)
{
    return make_float2(a.x - b.x, a.y - b.y);
}

static __device__ inline float2 operator*(float2 a, float2 b)
{
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// e^(-2 pi i turn), or its conjugate.
template <bool forward> static __device__ inline float2 unit(float turn)
{
    const float angle = (forward ? -6.28318530717958648f : 6.28318530717958648f) * turn;
    return make_float2(__cosf(angle), __sinf(angle));
}

// By -i, or i.
template <bool forward> static __device__ inline float2 quarter_turn(float2 v)
{
    return forward ? make_float2(v.y, -v.x) : make_float2(-v.y, v.x);
}

template <bool forward>
static __device__ inline void transform4(float2 a, float2 b, float2 c, float2 d, float2 *out)
{
    const float2 even = a + c;
    const float2 even_difference = a - c;
    const float2 odd = b + d;
    const float2 odd_difference = quarter_turn<forward>(b - d);
    out[0] = even + odd;
    out[1] = even_difference + odd_difference;
    out[2] = even - odd;
    out[3] = even_difference - odd_difference;
}

template <bool forward> static __device__ inline void transform8(float2 *v)
{
    const float half_root = 0.70710678118654752f;
    float2 even[4], odd[4];
    transform4<forward>(v[0], v[2], v[4], v[6], even);
    transform4<forward>(v[1], v[3], v[5], v[7], odd);
    odd[1] = odd[1] * make_float2(half_root, forward ? -half_root : half_root);
    odd[2] = quarter_turn<forward>(odd[2]);
    odd[3] = odd[3] * make_float2(-half_root, forward ? -half_root : half_root);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        v[i] = even[i] + odd[i];
        v[i + 4] = even[i] - odd[i];
    }
}

// Each thread's values go to `to`, `to_step` apart, and come from `from`, `from_step` apart; x and
// y one after the other, so that half the shared memory suffices.
static __device__ inline void exchange(float2 *v, float *to, int to_step, const float *from,
                                       int from_step, bool last)
{
#pragma unroll
    for (int i = 0; i < RADIX; i++) {
        to[i * to_step] = v[i].x;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < RADIX; i++) {
        v[i].x = from[i * from_step];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < RADIX; i++) {
        to[i * to_step] = v[i].y;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < RADIX; i++) {
        v[i].y = from[i * from_step];
    }
    if (!last) {
        __syncthreads();
    }
}

extern "C" __global__ void FFT512_device(float2 *work)
{
    __shared__ float shared[RADIX * PLANE];
    const int tid = threadIdx.x;
    const int high = tid / RADIX;
    const int low = tid % RADIX;
    float2 v[RADIX];
    work += blockIdx.x * POINTS + tid;
#pragma unroll
    for (int i = 0; i < RADIX; i++) {
        v[i] = work[i * THREADS];
    }
    transform8<true>(v); // thread (b, c), value p
#pragma unroll
    for (int i = 1; i < RADIX; i++) {
        v[i] = v[i] * unit<true>((float)(i * tid) / POINTS);
    }
    exchange(v, shared + low * ROW + high, PLANE, shared + high * PLANE + low * ROW, 1, false);
    transform8<true>(v); // thread (p, c), value q
#pragma unroll
    for (int i = 1; i < RADIX; i++) {
        v[i] = v[i] * unit<true>((float)(i * low) / (RADIX * RADIX));
    }
    exchange(v, shared + high * PLANE + low, ROW, shared + high * PLANE + low * ROW, 1, true);
    transform8<true>(v); // thread (p, q), value r
#pragma unroll
    for (int i = 0; i < RADIX; i++) {
        work[i * THREADS] = v[i];
    }
}

// The same passes backwards, from where FFT512_device leaves its result.
extern "C" __global__ void IFFT512_device(float2 *work)
{
    __shared__ float shared[RADIX * PLANE];
    const int tid = threadIdx.x;
    const int high = tid / RADIX;
    const int low = tid % RADIX;
    float2 v[RADIX];
    work += blockIdx.x * POINTS + tid;
#pragma unroll
    for (int i = 0; i < RADIX; i++) {
        v[i] = work[i * THREADS];
    }
    transform8<false>(v); // thread (p, q), value c
#pragma unroll
    for (int i = 1; i < RADIX; i++) {
        v[i] = v[i] * unit<false>((float)(i * low) / (RADIX * RADIX));
    }
    exchange(v, shared + high * PLANE + low, ROW, shared + high * PLANE + low * ROW, 1, false);
    transform8<false>(v); // thread (p, c), value b
    exchange(v, shared + high * PLANE + low * ROW, 1, shared + low * ROW + high, PLANE, true);
#pragma unroll
    for (int i = 1; i < RADIX; i++) { // thread (b, c), value p
        v[i] = v[i] * unit<false>((float)(i * tid) / POINTS);
    }
    transform8<false>(v);
#pragma unroll
    for (int i = 0; i < RADIX; i++) {
        work[i * THREADS] = make_float2(v[i].x * (1.0f / POINTS), v[i].y * (1.0f / POINTS));
    }
}

// Does the second half of the data equal the first?
extern "C" __global__ void chk512_device(const float2 *work, int half, char *differs)
{
    const int i = blockIdx.x * POINTS + threadIdx.x;
#pragma unroll
    for (int k = 0; k < RADIX; k++) {
        const float2 a = work[i + k * THREADS];
        const float2 b = work[i + k * THREADS + half];
        if (a.x != b.x || a.y != b.y) {
            *differs = 1;
        }
    }
}
