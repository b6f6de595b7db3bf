// kmeans.cu - assignment step of k-means: each thread finds the nearest of a few centres for a
// point.

#define THREADS      256
#define MAX_CLUSTERS 32
#define MAX_FEATURES 34

__constant__ float c_clusters[MAX_CLUSTERS * MAX_FEATURES]; // centre i at c_clusters[i * features]

// Point-major to feature-major, so that kmeansPoint's lanes read neighbouring words.
extern "C" __global__ void invert_mapping(const float *input, float *output, int points,
                                          int features)
{
    const int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < points) {
#pragma unroll 1
        for (int f = 0; f < features; f++) {
            output[p + points * f] = input[p * features + f];
        }
    }
}

// Assigns every point to the nearest centre.
extern "C" __global__ void kmeansPoint(const float *features_by_point, int features, int points,
                                       int clusters, int *membership)
{
    const int block = blockIdx.y * gridDim.x + blockIdx.x;
    const int p = block * THREADS + threadIdx.x;
    int nearest = -1;
    if (p < points) {
        float least = 3.402823466e38f;
#pragma unroll 1
        for (int i = 0; i < clusters; i++) {
            float distance = 0.0f;
#pragma unroll 1
            for (int f = 0; f < features; f++) {
                // Through the read-only path, where the original used a texture.
                const float d =
                    __ldg(&features_by_point[p + f * points]) - c_clusters[i * features + f];
                distance += d * d;
            }
            if (distance < least) {
                least = distance;
                nearest = i;
            }
        }
        membership[p] = nearest;
    }
}
