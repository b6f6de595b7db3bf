// srad_v2.cu - speckle reducing anisotropic diffusion on a row-major image, tile by tile in shared
// memory; the host tells the statistics of a region without structure.

#define EDGE 16

// Differences to the four neighbours and the diffusion coefficient of each pixel. Rows and columns
// are multiples of EDGE.
extern "C" __global__ void srad_cuda_1(float *de, float *dw, float *dn, float *ds,
                                       const float *image, float *c, int columns, float q0_squared)
{
    __shared__ float centre[EDGE][EDGE];
    __shared__ float result[EDGE][EDGE];
    __shared__ float north[EDGE][EDGE];
    __shared__ float south[EDGE][EDGE];
    __shared__ float east[EDGE][EDGE];
    __shared__ float west[EDGE][EDGE];
    const int bx = blockIdx.x;
    const int by = blockIdx.y;
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int tile = columns * EDGE * by + EDGE * bx;
    const int index = tile + columns * ty + tx;

    // Strips beside the tile; at the image's edge, the tile's own outermost row or column.
    north[ty][tx] = image[by == 0 ? EDGE * bx + tx : tile - columns + tx];
    south[ty][tx] =
        image[by == gridDim.y - 1 ? tile + columns * (EDGE - 1) + tx : tile + columns * EDGE + tx];
    __syncthreads();
    west[ty][tx] = image[bx == 0 ? tile + columns * ty : tile + columns * ty - 1];
    east[ty][tx] =
        image[bx == gridDim.x - 1 ? tile + columns * ty + EDGE - 1 : tile + columns * ty + EDGE];
    __syncthreads();
    centre[ty][tx] = image[index];
    __syncthreads();

    const float here = centre[ty][tx];
    float n, s, w, e;
    if (ty == 0 && tx == 0) {
        n = north[ty][tx] - here;
        s = centre[ty + 1][tx] - here;
        w = west[ty][tx] - here;
        e = centre[ty][tx + 1] - here;
    } else if (ty == 0 && tx == EDGE - 1) {
        n = north[ty][tx] - here;
        s = centre[ty + 1][tx] - here;
        w = centre[ty][tx - 1] - here;
        e = east[ty][tx] - here;
    } else if (ty == EDGE - 1 && tx == EDGE - 1) {
        n = centre[ty - 1][tx] - here;
        s = south[ty][tx] - here;
        w = centre[ty][tx - 1] - here;
        e = east[ty][tx] - here;
    } else if (ty == EDGE - 1 && tx == 0) {
        n = centre[ty - 1][tx] - here;
        s = south[ty][tx] - here;
        w = west[ty][tx] - here;
        e = centre[ty][tx + 1] - here;
    } else if (ty == 0) {
        n = north[ty][tx] - here;
        s = centre[ty + 1][tx] - here;
        w = centre[ty][tx - 1] - here;
        e = centre[ty][tx + 1] - here;
    } else if (tx == EDGE - 1) {
        n = centre[ty - 1][tx] - here;
        s = centre[ty + 1][tx] - here;
        w = centre[ty][tx - 1] - here;
        e = east[ty][tx] - here;
    } else if (ty == EDGE - 1) {
        n = centre[ty - 1][tx] - here;
        s = south[ty][tx] - here;
        w = centre[ty][tx - 1] - here;
        e = centre[ty][tx + 1] - here;
    } else if (tx == 0) {
        n = centre[ty - 1][tx] - here;
        s = centre[ty + 1][tx] - here;
        w = west[ty][tx] - here;
        e = centre[ty][tx + 1] - here;
    } else {
        n = centre[ty - 1][tx] - here;
        s = centre[ty + 1][tx] - here;
        w = centre[ty][tx - 1] - here;
        e = centre[ty][tx + 1] - here;
    }

    const float gradient = (n * n + s * s + w * w + e * e) / (here * here);
    const float laplacian = (n + s + w + e) / here;
    const float numerator = 0.5f * gradient - (1.0f / 16.0f) * (laplacian * laplacian);
    const float root = 1.0f + 0.25f * laplacian;
    const float q_squared = numerator / (root * root);
    const float excess = (q_squared - q0_squared) / (q0_squared * (1.0f + q0_squared));
    const float coefficient = 1.0f / (1.0f + excess);
    if (coefficient < 0.0f) {
        result[ty][tx] = 0.0f;
    } else if (coefficient > 1.0f) {
        result[ty][tx] = 1.0f;
    } else {
        result[ty][tx] = coefficient;
    }
    __syncthreads();

    c[index] = result[ty][tx];
    de[index] = e;
    dw[index] = w;
    dn[index] = n;
    ds[index] = s;
}

// The step itself: a pixel takes the coefficients of itself and of its south and east neighbours.
extern "C" __global__ void srad_cuda_2(const float *de, const float *dw, const float *dn,
                                       const float *ds, float *image, const float *c, int columns,
                                       float lambda)
{
    __shared__ float south[EDGE][EDGE];
    __shared__ float east[EDGE][EDGE];
    __shared__ float centre[EDGE][EDGE];
    __shared__ float result[EDGE][EDGE];
    __shared__ float pixel[EDGE][EDGE];
    const int bx = blockIdx.x;
    const int by = blockIdx.y;
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    const int tile = columns * EDGE * by + EDGE * bx;
    const int index = tile + columns * ty + tx;

    pixel[ty][tx] = image[index];
    __syncthreads();
    south[ty][tx] =
        c[by == gridDim.y - 1 ? tile + columns * (EDGE - 1) + tx : tile + columns * EDGE + tx];
    __syncthreads();
    east[ty][tx] =
        c[bx == gridDim.x - 1 ? tile + columns * ty + EDGE - 1 : tile + columns * ty + EDGE];
    __syncthreads();
    centre[ty][tx] = c[index];
    __syncthreads();

    const float cc = centre[ty][tx];
    float cs, ce;
    if (ty == EDGE - 1 && tx == EDGE - 1) {
        cs = south[ty][tx];
        ce = east[ty][tx];
    } else if (tx == EDGE - 1) {
        cs = centre[ty + 1][tx];
        ce = east[ty][tx];
    } else if (ty == EDGE - 1) {
        cs = south[ty][tx];
        ce = centre[ty][tx + 1];
    } else {
        cs = centre[ty + 1][tx];
        ce = centre[ty][tx + 1];
    }
    const float divergence = cc * dn[index] + cs * ds[index] + cc * dw[index] + ce * de[index];
    result[ty][tx] = pixel[ty][tx] + 0.25f * lambda * divergence;
    __syncthreads();
    image[index] = result[ty][tx];
}
