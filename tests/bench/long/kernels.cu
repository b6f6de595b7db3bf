/* kernels.cu - launches of at least 20 million warp instructions, for sampling.py: of few and many
 * waves of CTAs, that compute, stream, gather, or whose CTAs have unequal work. kernels.ptx:
 * nvcc -ptx -O2 -arch=compute_75. */
extern "C" {
__global__ void gemm(const float *a, const float *b, float *c, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0;
    for (int k = 0; k < n; k++)
        s += a[y * n + k] * b[k * n + x];
    c[y * n + x] = s;
}
__global__ void tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[16][16], bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
    float s = 0;
    for (int m = 0; m < n; m += 16) {
        as[ty][tx] = a[y * n + m + tx];
        bs[ty][tx] = b[(m + ty) * n + x];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            s += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[y * n + x] = s;
}
__global__ void conv2d(const float *a, float *b, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > 0 && j > 0 && i < n - 1 && j < n - 1) {
        float s = 0;
        for (int d = -1; d <= 1; d++)
            for (int e = -1; e <= 1; e++)
                s += (0.1f * (d * 3 + e)) * a[(i + d) * n + j + e];
        b[i * n + j] = s;
    }
}
__global__ void stream(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] * 3.0f + b[i];
}
__global__ void options(const float *s, const float *x, const float *t, float *call, float *put,
                        int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float sq = sqrtf(t[i]),
          d1 = (__logf(s[i] / x[i]) + (0.02f + 0.5f * 0.09f) * t[i]) / (0.3f * sq),
          d2 = d1 - 0.3f * sq;
    float k1 = 1.0f / (1.0f + 0.2316419f * fabsf(d1)), k2 = 1.0f / (1.0f + 0.2316419f * fabsf(d2));
    float c1 =
        0.39894228f * __expf(-0.5f * d1 * d1) *
        (k1 *
         (0.31938153f +
          k1 * (-0.356563782f + k1 * (1.781477937f + k1 * (-1.821255978f + k1 * 1.330274429f)))));
    float c2 =
        0.39894228f * __expf(-0.5f * d2 * d2) *
        (k2 *
         (0.31938153f +
          k2 * (-0.356563782f + k2 * (1.781477937f + k2 * (-1.821255978f + k2 * 1.330274429f)))));
    if (d1 > 0)
        c1 = 1.0f - c1;
    if (d2 > 0)
        c2 = 1.0f - c2;
    float e = __expf(-0.02f * t[i]);
    call[i] = s[i] * c1 - x[i] * e * c2;
    put[i] = x[i] * e * (1.0f - c2) - s[i] * (1.0f - c1);
}
__global__ void gather(const unsigned *index, const float *v, float *out, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    unsigned x = index[i % 65536];
    for (int k = 0; k < 16; k++) {
        x = x * 1664525u + 1013904223u;
        s += v[(x >> 8) % m];
    }
    out[i] = s;
}
__global__ void nbody(const float4 *p, float4 *f, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = p[i];
    float ax = 0, ay = 0, az = 0;
    __shared__ float4 t[128];
    for (int m = 0; m < n; m += 128) {
        t[threadIdx.x] = p[m + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 128; k++) {
            float dx = t[k].x - me.x, dy = t[k].y - me.y, dz = t[k].z - me.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float w = t[k].w * r * r * r;
            ax += dx * w;
            ay += dy * w;
            az += dz * w;
        }
        __syncthreads();
    }
    f[i] = make_float4(ax, ay, az, 0);
}
__global__ void rows(const float *a, float *out, int n)
{ /* reduction of a row by a block */
    __shared__ float s[128];
    float v = 0;
    for (int k = threadIdx.x; k < n; k += 128)
        v += a[blockIdx.x * n + k];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int d = 64; d > 0; d >>= 1) {
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = s[0];
}
__global__ void lengths(const float *a, float *out, int n)
{ /* work per thread differs */
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = blockIdx.x * 2654435761u;
    int len = 8 + (h >> 26);
    float v = a[i % n];
    for (int k = 0; k < len; k++)
        v = v * 0.99f + a[(i + k * 1024) % n];
    out[i] = v;
}
__global__ void mandel(int *out, int w, int most)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    float cx = px * 3.0f / w - 2, cy = py * 3.0f / w - 1.5f, x = 0, y = 0;
    int k = 0;
    while (k < most && x * x + y * y < 4) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        k++;
    }
    out[py * w + px] = k;
}
}
