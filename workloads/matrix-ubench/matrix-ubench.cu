// matrix-ubench.cu - microbenchmarks of the matrix units, a kernel per operand format: every warp keeps CHAINS sums and adds
// the same product of registers to them again and again. All elements of A and B are one, so that a sum grows by the depth of
// the tile per product and is exact.

#define CHAINS 4

// D += A B, each of its registers holding ones.
#define FLOAT_KERNEL(NAME, PTX, ...)                                                                            \
    extern "C" __global__ void NAME(float *output, unsigned one, int repetitions)                                                \
    {                                                                                                                            \
        float d[CHAINS][4] = {};                                                                                                 \
        _Pragma("unroll 1") for (int r = 0; r < repetitions; r++)                                                                \
        {                                                                                                                        \
            _Pragma("unroll") for (int c = 0; c < CHAINS; c++)                                                                   \
            {                                                                                                                    \
                asm volatile(PTX : "+f"(d[c][0]), "+f"(d[c][1]), "+f"(d[c][2]), "+f"(d[c][3]) : __VA_ARGS__);                    \
            }                                                                                                                    \
        }                                                                                                                        \
        output[blockIdx.x * blockDim.x + threadIdx.x] = (d[0][0] + d[1][1]) + (d[2][2] + d[3][3]);                               \
    }
#define INTEGER_KERNEL(NAME, PTX, ...)                                                                                           \
    extern "C" __global__ void NAME(int *output, unsigned one, int repetitions)                                                  \
    {                                                                                                                            \
        int d[CHAINS][4] = {};                                                                                                   \
        _Pragma("unroll 1") for (int r = 0; r < repetitions; r++)                                                                \
        {                                                                                                                        \
            _Pragma("unroll") for (int c = 0; c < CHAINS; c++)                                                                   \
            {                                                                                                                    \
                asm volatile(PTX : "+r"(d[c][0]), "+r"(d[c][1]), "+r"(d[c][2]), "+r"(d[c][3]) : __VA_ARGS__);                    \
            }                                                                                                                    \
        }                                                                                                                        \
        output[blockIdx.x * blockDim.x + threadIdx.x] = (d[0][0] + d[1][1]) + (d[2][2] + d[3][3]);                               \
    }

#define ONE  "r"(one)
#define TWO  ONE, ONE
#define FOUR TWO, TWO
#define REGISTERS "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"

FLOAT_KERNEL(mm_f16, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " REGISTERS, FOUR, TWO)
FLOAT_KERNEL(mm_bf16, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 " REGISTERS, FOUR, TWO)
FLOAT_KERNEL(mm_tf32, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 " REGISTERS, FOUR, TWO)
FLOAT_KERNEL(mm_f8, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 " REGISTERS, FOUR, TWO)
INTEGER_KERNEL(mm_i8, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 " REGISTERS, FOUR, TWO)
INTEGER_KERNEL(mm_i4, "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 " REGISTERS, FOUR, TWO)
INTEGER_KERNEL(mm_b1, "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc " REGISTERS, FOUR, TWO)

extern "C" __global__ void mm_f64(double *output, double one, int repetitions)
{
    double d[CHAINS][2] = {};
#pragma unroll 1
    for (int r = 0; r < repetitions; r++) {
#pragma unroll
        for (int c = 0; c < CHAINS; c++) {
            asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                         : "+d"(d[c][0]), "+d"(d[c][1])
                         : "d"(one), "d"(one));
        }
    }
    output[blockIdx.x * blockDim.x + threadIdx.x] = (d[0][0] + d[1][1]) + (d[2][0] + d[3][1]);
}
