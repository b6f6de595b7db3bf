// texture.cu - linear filtering with normalized coordinates, layered arrays and surfaces against the same on the host.
#include <cmath>
#include <cstdio>

static __global__ void blur(float *out, cudaTextureObject_t t, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    out[y * n + x] = tex2D<float>(t, (x + 1.0f) / n, (y + 1.0f) / n);
}

static __global__ void layers(cudaSurfaceObject_t out, cudaTextureObject_t in)
{
    int x = threadIdx.x, layer = blockIdx.x;
    float v = tex2DLayered<float>(in, x + 0.5f, 0.5f, layer);
    surf2Dwrite(v + 1000.0f, out, x * (int)sizeof(float), layer);
}

static float at(const float *p, int n, int x, int y)
{
    x = x < n ? x : n - 1;
    y = y < n ? y : n - 1;
    return p[y * n + x];
}

static int filtering(void)
{
    const int n = 64;
    float in[n * n], out[n * n], *d;
    for (int i = 0; i < n * n; i++) {
        in[i] = (float)((i * 37) % 101);
    }
    cudaArray_t array;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &desc, n, n);
    cudaMemcpy2DToArray(array, 0, 0, in, n * sizeof(float), n * sizeof(float), n, cudaMemcpyHostToDevice);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    cudaTextureDesc t = {};
    t.addressMode[0] = t.addressMode[1] = cudaAddressModeClamp;
    t.filterMode = cudaFilterModeLinear;
    t.normalizedCoords = 1;
    cudaTextureObject_t object;
    cudaCreateTextureObject(&object, &r, &t, nullptr);
    cudaMalloc(&d, sizeof out);
    blur<<<dim3(n / 32, n), 32>>>(d, object, n);
    cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int y = 0; y < n; y++) {
        for (int x = 0; x < n; x++) { // coordinates on corners of elements: the mean of four
            float mean = (at(in, n, x, y) + at(in, n, x + 1, y) + at(in, n, x, y + 1) + at(in, n, x + 1, y + 1)) / 4;
            wrong += fabsf(out[y * n + x] - mean) > 1e-3f;
        }
    }
    cudaDestroyTextureObject(object);
    cudaFreeArray(array);
    cudaFree(d);
    return wrong;
}

static int layered(void)
{
    const int n = 32, count = 4;
    float in[count * n], out[count * n];
    for (int i = 0; i < count * n; i++) {
        in[i] = (float)i;
    }
    cudaArray_t source, target;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaMalloc3DArray(&source, &desc, make_cudaExtent(n, 1, count), cudaArrayLayered);
    cudaMallocArray(&target, &desc, n, count, cudaArraySurfaceLoadStore);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(in, n * sizeof(float), n, 1);
    copy.dstArray = source;
    copy.extent = make_cudaExtent(n, 1, count);
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy);
    cudaResourceDesc r = {}, s = {};
    r.resType = s.resType = cudaResourceTypeArray;
    r.res.array.array = source;
    s.res.array.array = target;
    cudaTextureDesc t = {};
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    cudaCreateTextureObject(&texture, &r, &t, nullptr);
    cudaCreateSurfaceObject(&surface, &s);
    layers<<<count, n>>>(surface, texture);
    cudaMemcpy2DFromArray(out, n * sizeof(float), target, 0, 0, n * sizeof(float), count, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < count * n; i++) {
        wrong += out[i] != in[i] + 1000.0f;
    }
    return wrong;
}

int main()
{
    int wrong = filtering() + layered();
    wrong += cudaGetLastError() != cudaSuccess;
    printf("texture: %s\n", wrong == 0 ? "PASSED" : "FAILED");
    return wrong != 0;
}
