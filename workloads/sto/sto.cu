// sto.cu - content-based chunking by SHA-1: every thread hashes a window of 52 bytes, which overlaps
// the next thread's by 48, and keeps the first word of the digest.

#define THREADS 128
#define WARP    32
#define WINDOW  52 // bytes; with the padding one block of 64
#define STEP    4  // bytes between windows
#define WORDS   16
#define SHARED  16256 // bytes, as the original reserves; the rings take half

// Word i of lane l lies at 32 i + l of the warp's part, so that lanes never meet in a bank.
#define W(i) w[(i) % WORDS * WARP]

__device__ __forceinline__ unsigned rotated(unsigned x, int bits)
{
    return x << bits | x >> (32 - bits);
}

__device__ __forceinline__ unsigned big_endian(unsigned x)
{
    return __byte_perm(x, 0, 0x0123);
}

// The message word of a round; the ring holds the last sixteen.
__device__ __forceinline__ unsigned scheduled(unsigned *w, int t)
{
    if (t >= WORDS) {
        W(t) = rotated(W(t - 3) ^ W(t - 8) ^ W(t - 14) ^ W(t - 16), 1);
    }
    return W(t);
}

__device__ __forceinline__ unsigned mixed(int t, unsigned b, unsigned c, unsigned d)
{
    return t < 20   ? (b & c) | (~b & d)
           : t < 40 ? b ^ c ^ d
           : t < 60 ? (b & c) | (b & d) | (c & d)
                    : b ^ c ^ d;
}

__device__ __forceinline__ unsigned round_constant(int t)
{
    return t < 20 ? 0x5a827999u : t < 40 ? 0x6ed9eba1u : t < 60 ? 0x8f1bbcdcu : 0xca62c1d6u;
}

// First word of the digest of a message of one block (FIPS 180-4, 6.1.2).
__device__ __forceinline__ unsigned sha1(unsigned *w)
{
    unsigned a = 0x67452301u, b = 0xefcdab89u, c = 0x98badcfeu, d = 0x10325476u, e = 0xc3d2e1f0u;
#pragma unroll
    for (int t = 0; t < 80; t++) {
        const unsigned next =
            rotated(a, 5) + mixed(t, b, c, d) + e + round_constant(t) + scheduled(w, t);
        e = d;
        d = c;
        c = rotated(b, 30);
        b = a;
        a = next;
    }
    return 0x67452301u + a;
}

// data: STEP bytes per thread, and what the last window needs beyond, as words; padding: what
// follows the message in its block. Windows that would pass the end are cut off there.
extern "C" __global__ void sha1_overlap(const unsigned *data, int bytes, const unsigned *padding,
                                        unsigned *digests)
{
    __shared__ unsigned ring[SHARED / 4];
    const int thread = blockIdx.x * THREADS + threadIdx.x;
    unsigned *w = &ring[threadIdx.x / WARP * (WARP * WORDS) + threadIdx.x % WARP];

    const int first = thread * STEP;
    const int length = min(WINDOW, bytes - first);
    const int words = length / 4;
    if (words == WINDOW / 4) {
#pragma unroll
        for (int i = 0; i < WINDOW / 4; i++) {
            W(i) = big_endian(data[thread + i]);
        }
#pragma unroll
        for (int i = WINDOW / 4; i < WORDS - 1; i++) {
            W(i) = big_endian(padding[i - WINDOW / 4]);
        }
    } else {
        for (int i = 0; i < words; i++) {
            W(i) = big_endian(data[thread + i]);
        }
        for (int i = words; i < WORDS - 1; i++) {
            W(i) = big_endian(padding[i - words]);
        }
    }
    W(WORDS - 1) = length * 8; // bits
    digests[thread] = big_endian(sha1(w));
}
