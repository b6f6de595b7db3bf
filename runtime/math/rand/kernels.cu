/* kernels.cu - what the thin cuRAND runs: numbers of XORWOW (Marsaglia, "Xorshift RNGs", J. Stat. Softw. 8(14), 2003),
 * MRG32k3a (L'Ecuyer, Oper. Res. 47(1), 1999), Philox 4x32-10 (Salmon et al., SC 2011) and Sobol's sequence, in the
 * order of NVIDIA's library, and distributions made of them. Compile: see runtime/math/CMakeLists.txt. */
#include "draw.h"

namespace {

struct xorwow {
    rand_part s;

    __device__ unsigned bits()
    {
        unsigned t = s.word[0] ^ (s.word[0] >> 2);
        for (int i = 0; i < 4; i++) {
            s.word[i] = s.word[i + 1];
        }
        s.word[4] = (s.word[4] ^ (s.word[4] << 4)) ^ (t ^ (t << 1));
        s.word[5] += 362437;
        return s.word[4] + s.word[5];
    }
};

struct mrg {
    rand_part s;

    /* 1 … 4294967087 */
    __device__ unsigned value()
    {
        const unsigned m1 = 4294967087u, m2 = 4294944443u;
        unsigned p = (unsigned)((1403580ull * s.word[1] + 810728ull * (m1 - s.word[0])) % m1);
        unsigned q = (unsigned)((527612ull * s.word[5] + 1370589ull * (m2 - s.word[3])) % m2);
        s.word[0] = s.word[1];
        s.word[1] = s.word[2];
        s.word[2] = p;
        s.word[3] = s.word[4];
        s.word[4] = s.word[5];
        s.word[5] = q;
        return p <= q ? p - q + m1 : p - q;
    }

    __device__ unsigned bits() { return (unsigned)(value() * 1.000000048662); }
};

/* Four words of 32 bits at a time, of 65536 sequences by turns: a number of 32 bits each, or, of two words each, two
 * fours of one sequence before the next's. */
struct philox {
    unsigned four[4], at;

    __device__ philox(unsigned long long number, bool wide, unsigned long long seed)
    {
        unsigned long long turn = number / 4 / 65536;
        unsigned long long counter = wide ? 2 * turn + number % 4 / 2 : turn;
        unsigned x = (unsigned)counter, y = (unsigned)(counter >> 32), z = (unsigned)(number / 4 % 65536), w = 0;
        unsigned k0 = (unsigned)seed, k1 = (unsigned)(seed >> 32);
        for (int round = 0; round < 10; round++) {
            unsigned high0 = __umulhi(0xd2511f53u, x), low0 = 0xd2511f53u * x;
            unsigned high1 = __umulhi(0xcd9e8d57u, z), low1 = 0xcd9e8d57u * z;
            x = high1 ^ y ^ k0;
            y = low1;
            z = high0 ^ w ^ k1;
            w = low0;
            k0 += 0x9e3779b9u;
            k1 += 0xbb67ae85u;
        }
        four[0] = x, four[1] = y, four[2] = z, four[3] = w;
        at = (unsigned)(wide ? 2 * (number % 2) : number % 4);
    }

    __device__ unsigned bits()
    {
        unsigned k = at++ % 4;
        return k == 0 ? four[0] : k == 1 ? four[1] : k == 2 ? four[2] : four[3];
    }
};

/* (0, 1] */
__device__ float single_of(unsigned x) { return x * 2.3283064e-10f + 1.1641532e-10f; }
__device__ double double_of(unsigned x, unsigned y)
{
    unsigned long long z = x ^ (unsigned long long)y << 21;
    return z * 1.1102230246251565e-16 + 5.5511151231257827e-17;
}

template <typename G>
__device__ float uniform(G &g)
{
    return single_of(g.bits());
}
__device__ float uniform(mrg &g) { return (float)(g.value() * 2.3283065498378288e-10); }

template <typename G>
__device__ double uniform_double(G &g)
{
    unsigned x = g.bits();
    return double_of(x, g.bits());
}
__device__ double uniform_double(mrg &g) { return g.value() * 2.3283065498378288e-10; }

/* Poisson's number where the sum of probabilities reaches u; above 4000 the normal one nearest, as NVIDIA's. */
__device__ unsigned poisson(double u, double mean)
{
    double deviation = sqrt(mean);
    if (mean > 4000) {
        double x = normcdfinv(u) * deviation + mean + 0.5;
        return x > 0 ? (unsigned)min(x, 4294967295.0) : 0;
    }
    double k = floor(mean - 10 * deviation), most = mean + 12 * deviation + 40;
    k = k > 0 ? k : 0;
    double p = exp(k * log(mean) - mean - lgamma(k + 1)), sum = p;
#pragma unroll 1
    while (sum < u && k < most) {
        k += 1;
        p *= mean / k;
        sum += p;
    }
    return (unsigned)k;
}

struct as_bits {
    typedef unsigned number;
    enum { EACH = 1, WIDE = 0 };
    template <typename G>
    static __device__ void draw(G &g, number *out, double, double)
    {
        out[0] = g.bits();
    }
};
struct as_uniform {
    typedef float number;
    enum { EACH = 1, WIDE = 0 };
    template <typename G>
    static __device__ void draw(G &g, number *out, double, double)
    {
        out[0] = uniform(g);
    }
};
struct as_uniform_double {
    typedef double number;
    enum { EACH = 1, WIDE = 1 };
    template <typename G>
    static __device__ void draw(G &g, number *out, double, double)
    {
        out[0] = uniform_double(g);
    }
};
struct as_poisson {
    typedef unsigned number;
    enum { EACH = 1, WIDE = 0 };
    template <typename G>
    static __device__ void draw(G &g, number *out, double mean, double)
    {
        out[0] = poisson((g.bits() + 0.5) * 2.3283064365386963e-10, mean);
    }
};

/* Box and Muller's two of two. */
template <typename G>
__device__ void normal_pair(G &g, float *out)
{
    float u = uniform(g), v = uniform(g), r = sqrtf(-2 * logf(u));
    out[0] = r * sinpif(2 * v);
    out[1] = r * cospif(2 * v);
}
template <typename G>
__device__ void normal_pair(G &g, double *out)
{
    double u = uniform_double(g), v = uniform_double(g), r = sqrt(-2 * log(u));
    out[0] = r * sinpi(2 * v);
    out[1] = r * cospi(2 * v);
}

__device__ float power(float x) { return expf(x); }
__device__ double power(double x) { return exp(x); }

template <typename T, bool LOG>
struct as_normal {
    typedef T number;
    enum { EACH = 2, WIDE = sizeof(T) == 8 };
    template <typename G>
    static __device__ void draw(G &g, number *out, double mean, double deviation)
    {
        normal_pair(g, out);
        for (int i = 0; i < 2; i++) {
            T x = (T)mean + (T)deviation * out[i];
            out[i] = LOG ? power(x) : x;
        }
    }
};

/* Of generators in parts: a thread for each part, which keeps its state. */
template <typename G, typename D>
__device__ void draw_parts(const rand_draw &p)
{
    unsigned part = blockIdx.x * blockDim.x + threadIdx.x;
    if (part >= p.parts) {
        return;
    }
    G g;
    g.s = p.states[part];
    typename D::number *out = (typename D::number *)p.out, two[2];
    unsigned long long from = part >= p.next ? part - p.next : part + p.parts - p.next;
#pragma unroll 1
    for (unsigned long long i = from; i < p.units; i += p.parts) {
        D::draw(g, two, p.a, p.b);
        for (int k = 0; k < D::EACH; k++) {
            out[i * D::EACH + k] = two[k];
        }
    }
    p.states[part] = g.s;
}

template <typename D>
__device__ void draw_philox(const rand_draw &p)
{
    typename D::number *out = (typename D::number *)p.out, two[2];
    unsigned long long threads = (unsigned long long)gridDim.x * blockDim.x;
#pragma unroll 1
    for (unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x; i < p.units; i += threads) {
        philox g(p.first + i * D::EACH, D::WIDE, p.seed);
        D::draw(g, two, p.a, p.b);
        for (int k = 0; k < D::EACH; k++) {
            out[i * D::EACH + k] = two[k];
        }
    }
}

/* Number i of a dimension: the directions that the bits of i's Gray code choose, together. */
template <typename W>
__device__ W sobol(const W *directions, unsigned long long i)
{
    W x = 0;
#pragma unroll 1
    for (unsigned long long gray = i ^ i >> 1; gray != 0; gray &= gray - 1) {
        x ^= directions[__ffsll((long long)gray) - 1];
    }
    return x;
}

__device__ float quasi_single(unsigned x) { return single_of(x); }
__device__ float quasi_single(unsigned long long x) { return single_of((unsigned)(x >> 32)); }
__device__ double quasi_double(unsigned x) { return x * 2.3283064365386963e-10 + 2.3283064365386963e-10; }
__device__ double quasi_double(unsigned long long x)
{
    return (x >> 11) * 1.1102230246251565e-16 + 5.5511151231257827e-17;
}
__device__ double quasi_middle(unsigned x) { return x * 2.3283064365386963e-10 + 1.1641532182693481e-10; }
__device__ double quasi_middle(unsigned long long x) { return quasi_double(x); }
__device__ unsigned quasi_upper(unsigned x) { return x; }
__device__ unsigned quasi_upper(unsigned long long x) { return (unsigned)(x >> 32); }

/* By the inverse, from whichever end is nearer. */
__device__ float quasi_normal(unsigned x)
{
    bool upper = x >= 0x80000000u;
    float z = normcdfinvf(single_of(upper ? ~x : x));
    return upper ? -z : z;
}

template <typename W>
struct quasi_bits {
    typedef W number;
    static __device__ number of(W x, double, double) { return x; }
};
template <typename W>
struct quasi_uniform {
    typedef float number;
    static __device__ number of(W x, double, double) { return quasi_single(x); }
};
template <typename W>
struct quasi_uniform_double {
    typedef double number;
    static __device__ number of(W x, double, double) { return quasi_double(x); }
};
template <typename W>
struct quasi_poisson {
    typedef unsigned number;
    static __device__ number of(W x, double mean, double) { return poisson(quasi_middle(x), mean); }
};
template <typename W, bool LOG>
struct quasi_normal_single {
    typedef float number;
    static __device__ number of(W x, double mean, double deviation)
    {
        float z = (float)mean + (float)deviation * quasi_normal(quasi_upper(x));
        return LOG ? expf(z) : z;
    }
};
template <typename W, bool LOG>
struct quasi_normal_double {
    typedef double number;
    static __device__ number of(W x, double mean, double deviation)
    {
        double z = mean + deviation * normcdfinv(quasi_middle(x));
        return LOG ? exp(z) : z;
    }
};

/* Dimension after dimension. */
template <typename W, typename D>
__device__ void draw_sobol(const rand_draw &p)
{
    unsigned long long each = p.units / p.dimensions, threads = (unsigned long long)gridDim.x * blockDim.x;
#pragma unroll 1
    for (unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x; i < p.units; i += threads) {
        unsigned long long dimension = i / each;
        const W *directions = (const W *)p.directions + dimension * (8 * sizeof(W));
        W x = sobol(directions, p.first + i - dimension * each);
        ((typename D::number *)p.out)[i] = D::of(x, p.a, p.b);
    }
}

} // namespace

#define KERNEL(name, call)                                                                                           \
    extern "C" __global__ void name(const __grid_constant__ rand_draw p) { call(p); }
#define PSEUDO(suffix, D)                                                                                            \
    KERNEL(ww_xorwow##suffix, (draw_parts<xorwow, D>))                                                               \
    KERNEL(ww_mrg32k3a##suffix, (draw_parts<mrg, D>))                                                                \
    KERNEL(ww_philox##suffix, draw_philox<D>)
PSEUDO(_bits, as_bits)
PSEUDO(_uniform, as_uniform)
PSEUDO(_uniform_double, as_uniform_double)
typedef as_normal<float, false> normal_single;
typedef as_normal<double, false> normal_double;
typedef as_normal<float, true> log_normal_single;
typedef as_normal<double, true> log_normal_double;
PSEUDO(_normal, normal_single)
PSEUDO(_normal_double, normal_double)
PSEUDO(_log_normal, log_normal_single)
PSEUDO(_log_normal_double, log_normal_double)
PSEUDO(_poisson, as_poisson)

#define QUASI(prefix, W)                                                                                             \
    KERNEL(prefix##_bits, (draw_sobol<W, quasi_bits<W>>))                                                            \
    KERNEL(prefix##_uniform, (draw_sobol<W, quasi_uniform<W>>))                                                      \
    KERNEL(prefix##_uniform_double, (draw_sobol<W, quasi_uniform_double<W>>))                                        \
    KERNEL(prefix##_normal, (draw_sobol<W, quasi_normal_single<W, false>>))                                          \
    KERNEL(prefix##_normal_double, (draw_sobol<W, quasi_normal_double<W, false>>))                                   \
    KERNEL(prefix##_log_normal, (draw_sobol<W, quasi_normal_single<W, true>>))                                       \
    KERNEL(prefix##_log_normal_double, (draw_sobol<W, quasi_normal_double<W, true>>))                                \
    KERNEL(prefix##_poisson, (draw_sobol<W, quasi_poisson<W>>))
QUASI(ww_sobol32, unsigned)
QUASI(ww_sobol64, unsigned long long)
