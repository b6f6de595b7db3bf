// sobelfilter.cu - edges of an image: from nine texture fetches per pixel, and from a tile in
// shared memory.

#define RADIUS 1

typedef unsigned char byte;

static __device__ byte edge(byte ul, byte um, byte ur, byte ml, byte mr, byte ll, byte lm, byte lr,
                            float scale)
{
    const short across = ur + 2 * mr + lr - ul - 2 * ml - ll;
    const short down = ul + 2 * um + ur - ll - 2 * lm - lr;
    const short sum = (short)(scale * (abs(across) + abs(down)));
    return sum < 0 ? 0 : sum > 255 ? 255 : (byte)sum;
}

// A CTA per row.
extern "C" __global__ void SobelTex(byte *edges, int pitch, int width, float scale,
                                    cudaTextureObject_t image)
{
    const float y = (float)blockIdx.x;
    byte *const row = edges + blockIdx.x * pitch;
    for (int i = threadIdx.x; i < width; i += blockDim.x) {
        const float x = (float)i;
        const byte ul = tex2D<byte>(image, x - 1, y - 1);
        const byte um = tex2D<byte>(image, x, y - 1);
        const byte ur = tex2D<byte>(image, x + 1, y - 1);
        const byte ml = tex2D<byte>(image, x - 1, y);
        const byte mr = tex2D<byte>(image, x + 1, y);
        const byte ll = tex2D<byte>(image, x - 1, y + 1);
        const byte lm = tex2D<byte>(image, x, y + 1);
        const byte lr = tex2D<byte>(image, x + 1, y + 1);
        row[i] = edge(ul, um, ur, ml, mr, ll, lm, lr, scale);
    }
}

// A CTA of 16x4 threads stages tile_words * 4 pixels by 4 and their neighbours; a thread makes four
// pixels at a time.
extern "C" __global__ void SobelShared(uchar4 *edges, int pitch, int tile_words, int tile_pitch,
                                       int width, int height, float scale,
                                       cudaTextureObject_t image)
{
    extern __shared__ byte tile[];
    const int left = 4 * blockIdx.x * tile_words; // first pixel of the tile
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    byte *line = tile + threadIdx.y * tile_pitch;

#pragma unroll 1
    for (int i = threadIdx.x; i < tile_words + 2 * RADIUS; i += blockDim.x) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            line[4 * i + k] =
                tex2D<byte>(image, (float)(left + 4 * i + k - RADIUS), (float)(y - RADIUS));
        }
    }
    if (threadIdx.y < 2 * RADIUS) { // the rows below
        byte *const below = line + blockDim.y * tile_pitch;
#pragma unroll 1
        for (int i = threadIdx.x; i < tile_words + 2 * RADIUS; i += blockDim.x) {
#pragma unroll
            for (int k = 0; k < 4; k++) {
                below[4 * i + k] = tex2D<byte>(image, (float)(left + 4 * i + k - RADIUS),
                                               (float)(y + (int)blockDim.y - RADIUS));
            }
        }
    }
    __syncthreads();

#pragma unroll 1
    for (int i = threadIdx.x; i < tile_words; i += blockDim.x) {
        const byte *const top = line + 4 * i;
        const byte *const middle = top + tile_pitch;
        const byte *const bottom = middle + tile_pitch;
        uchar4 out;
        out.x = edge(top[0], top[1], top[2], middle[0], middle[2], bottom[0], bottom[1], bottom[2],
                     scale);
        out.y = edge(top[1], top[2], top[3], middle[1], middle[3], bottom[1], bottom[2], bottom[3],
                     scale);
        out.z = edge(top[2], top[3], top[4], middle[2], middle[4], bottom[2], bottom[3], bottom[4],
                     scale);
        out.w = edge(top[3], top[4], top[5], middle[3], middle[5], bottom[3], bottom[4], bottom[5],
                     scale);
        const int word = left / 4 + i;
        if (word < width / 4 && y < height) {
            edges[y * (pitch / 4) + word] = out;
        }
    }
}
