// spmv.cu - product of a sparse matrix with a vector; rows are sorted by length and stored by
// jagged diagonals, so that lanes read neighbouring words.

#define MAX_DIAGONALS 5000
#define MAX_WARPS     5000 // of 32 rows

__constant__ int jds_ptr_int[MAX_DIAGONALS];  // where each diagonal starts
__constant__ int sh_zcnt_int[MAX_WARPS]; // length of the longest row of each 32

// y[perm[row]] = sum of data * x over the row; the data of the next turn are under way while those
// of this one are multiplied.
extern "C" __global__ void spmv_jds(float *dst_vector, const float *d_data, const int *d_index,
                                    const int *d_perm, const float *x_vec, int dim)
{
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= dim) {
        return;
    }
    const int bound = sh_zcnt_int[row / 32]; // rows are padded to that of their warp
    float sum = 0.0f;
    int at = jds_ptr_int[0] + row;
    float data = d_data[at];
    int index = d_index[at];
    float x = x_vec[index];
    if (bound > 1) {
        at = jds_ptr_int[1] + row;
        float next_data = d_data[at];
        int next_index = d_index[at];
#pragma unroll 1
        for (int k = 2; k < bound; k++) {
            const float next_x = x_vec[next_index];
            at = jds_ptr_int[k] + row;
            sum += data * x;
            data = next_data;
            x = next_x;
            next_data = d_data[at];
            next_index = d_index[at];
        }
        sum += data * x;
        data = next_data;
        x = x_vec[next_index];
    }
    sum += data * x;
    dst_vector[d_perm[row]] = sum;
}
