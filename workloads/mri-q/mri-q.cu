// mri-q.cu - the vector Q of a non-Cartesian MRI reconstruction: a sum over samples in k-space of
// |phi|^2 exp(i 2 pi k.x) for every voxel.

#define TWO_PI 6.2831853071795864769f
#define CHUNK  1024 // samples per launch, what the constant array holds

// kx, ky, kz, |phi|^2
__constant__ float4 ck[CHUNK];

extern "C" __global__ void ComputePhiMag_GPU(const float *phiR, const float *phiI, float *phiMag,
                                             int numK)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < numK) {
        phiMag[k] = phiR[k] * phiR[k] + phiI[k] * phiI[k];
    }
}

__device__ __forceinline__ void add_sample(float4 k, float x, float y, float z, float *real,
                                           float *imaginary)
{
    const float angle = TWO_PI * (k.x * x + k.y * y + k.z * z);
    *real += k.w * cosf(angle);
    *imaginary += k.w * sinf(angle);
}

// Adds numK <= CHUNK samples, two per turn of the loop.
extern "C" __global__ void ComputeQ_GPU(int numK, const float *x, const float *y, const float *z,
                                        float *Qr, float *Qi)
{
    const int voxel = blockIdx.x * blockDim.x + threadIdx.x;
    const float px = x[voxel];
    const float py = y[voxel];
    const float pz = z[voxel];
    float real = Qr[voxel];
    float imaginary = Qi[voxel];

    int k = 0;
    if (numK % 2) {
        add_sample(ck[0], px, py, pz, &real, &imaginary);
        k = 1;
    }
#pragma unroll 1
    for (; k < numK; k += 2) {
        add_sample(ck[k], px, py, pz, &real, &imaginary);
        add_sample(ck[k + 1], px, py, pz, &real, &imaginary);
    }
    Qr[voxel] = real;
    Qi[voxel] = imaginary;
}
