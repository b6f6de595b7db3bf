// srad_v1.cu - speckle reducing anisotropic diffusion on a column-major image; statistics of the
// whole image come from repeated reductions on the device.

#define THREADS 512

// From pixel values of 0 to 255 to the exponential domain, in which the diffusion works.
extern "C" __global__ void extract(int pixels, float *image)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < pixels) {
        image[i] = expf(image[i] / 255.0f);
    }
}

extern "C" __global__ void prepare(int pixels, const float *image, float *sums, float *squares)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < pixels) {
        sums[i] = image[i];
        squares[i] = image[i] * image[i];
    }
}

// One level: every CTA replaces THREADS values, `stride` words apart, by their sum, in the place of
// the first. The last CTA may have fewer.
extern "C" __global__ void reduce(int values, int stride, float *sums, float *squares)
{
    __shared__ float sum[THREADS];
    __shared__ float square[THREADS];
    const int tx = threadIdx.x;
    const int i = blockIdx.x * THREADS + tx;

    if (i < values) {
        sum[tx] = sums[i * stride];
        square[tx] = squares[i * stride];
    }
    __syncthreads();

    const int rest = values - blockIdx.x * THREADS;
    const int here = rest < THREADS ? rest : THREADS;
    int tree = THREADS; // the largest power of two that the values fill
    while (tree > here) {
        tree /= 2;
    }
#pragma unroll 1
    for (int width = 2; width <= tree; width *= 2) {
        if ((tx + 1) % width == 0 && tx < tree) {
            sum[tx] += sum[tx - width / 2];
            square[tx] += square[tx - width / 2];
        }
        __syncthreads();
    }
    if (tx == tree - 1) {
        float total = sum[tx];
        float total_square = square[tx];
#pragma unroll 1
        for (int j = tree; j < here; j++) { // what does not fill a tree
            total += sum[j];
            total_square += square[j];
        }
        sums[blockIdx.x * THREADS * stride] = total;
        squares[blockIdx.x * THREADS * stride] = total_square;
    }
}

// Differences to the four neighbours and the diffusion coefficient of each pixel.
extern "C" __global__ void srad(int rows, int columns, int pixels, const int *north,
                                const int *south, const int *east, const int *west, float *dn,
                                float *ds, float *dw, float *de, float q0_squared, float *c,
                                const float *image)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= pixels) {
        return;
    }
    const int row = i % rows;
    const int column = i / rows;
    const float here = image[i];
    const float n = image[north[row] + rows * column] - here;
    const float s = image[south[row] + rows * column] - here;
    const float w = image[row + rows * west[column]] - here;
    const float e = image[row + rows * east[column]] - here;

    const float gradient = (n * n + s * s + w * w + e * e) / (here * here);
    const float laplacian = (n + s + w + e) / here;
    const float numerator = 0.5f * gradient - (1.0f / 16.0f) * (laplacian * laplacian);
    const float root = 1.0f + 0.25f * laplacian;
    const float q_squared = numerator / (root * root);
    const float excess = (q_squared - q0_squared) / (q0_squared * (1.0f + q0_squared));
    float coefficient = 1.0f / (1.0f + excess);
    if (coefficient < 0.0f) {
        coefficient = 0.0f;
    } else if (coefficient > 1.0f) {
        coefficient = 1.0f;
    }
    dn[i] = n;
    ds[i] = s;
    dw[i] = w;
    de[i] = e;
    c[i] = coefficient;
}

// The step itself: a pixel takes the coefficients of itself and of its south and east neighbours.
extern "C" __global__ void srad2(float lambda, int rows, int columns, int pixels, const int *south,
                                 const int *east, const float *dn, const float *ds, const float *dw,
                                 const float *de, const float *c, float *image)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= pixels) {
        return;
    }
    const int row = i % rows;
    const int column = i / rows;
    const float cn = c[i];
    const float cs = c[south[row] + rows * column];
    const float cw = c[i];
    const float ce = c[row + rows * east[column]];
    const float divergence = cn * dn[i] + cs * ds[i] + cw * dw[i] + ce * de[i];
    image[i] += 0.25f * lambda * divergence;
}

extern "C" __global__ void compress(int pixels, float *image)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    if (i < pixels) {
        image[i] = logf(image[i]) * 255.0f;
    }
}
