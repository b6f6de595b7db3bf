// aes.cu - AES-128 encryption by tables (FIPS-197); a thread owns one of the four columns of a
// block, and columns are exchanged through shared memory.

#define THREADS 256 // 64 blocks of 16 bytes
#define ROUNDS  10

// S-box and MixColumns in one, for each row of a column: table t is table 0 rotated by t bytes.
__constant__ unsigned T_boxes[4][256];
// ShiftRows: the column from which row r of column c comes is at 4 * c + r.
__constant__ unsigned char shifted_column[16];

__device__ __forceinline__ unsigned substituted(const unsigned *table, unsigned char byte)
{
    return table[byte] >> 24; // byte 3 of table 1 is the S-box itself
}

extern "C" __global__ void aesEncrypt128(unsigned *result, const unsigned *input,
                                         cudaTextureObject_t expanded_key)
{
    __shared__ unsigned tables[4][256];
    __shared__ unsigned state[2][THREADS];
    const int t = threadIdx.x;
    const int column = t & 3;

#pragma unroll
    for (int i = 0; i < 4; i++) {
        tables[i][t] = T_boxes[i][t];
    }
    int from[4]; // byte of the state that goes to each row
#pragma unroll
    for (int row = 0; row < 4; row++) {
        from[row] = 4 * ((t & ~3) + shifted_column[4 * column + row]) + row;
    }
    const int word = blockIdx.x * THREADS + t;
    __syncthreads();

    state[0][t] = input[word] ^ tex1Dfetch<unsigned>(expanded_key, column);
    __syncthreads();

#pragma unroll
    for (int round = 1; round < ROUNDS; round++) {
        const unsigned char *bytes = (const unsigned char *)state[(round + 1) % 2];
        state[round % 2][t] = tables[0][bytes[from[0]]] ^ tables[1][bytes[from[1]]] ^
                              tables[2][bytes[from[2]]] ^ tables[3][bytes[from[3]]] ^
                              tex1Dfetch<unsigned>(expanded_key, 4 * round + column);
        __syncthreads();
    }

    const unsigned char *bytes = (const unsigned char *)state[(ROUNDS + 1) % 2];
    const unsigned last = substituted(tables[1], bytes[from[0]]) |
                          substituted(tables[1], bytes[from[1]]) << 8 |
                          substituted(tables[1], bytes[from[2]]) << 16 |
                          substituted(tables[1], bytes[from[3]]) << 24;
    state[ROUNDS % 2][t] = last ^ tex1Dfetch<unsigned>(expanded_key, 4 * ROUNDS + column);
    __syncthreads();
    result[word] = state[ROUNDS % 2][t];
}
