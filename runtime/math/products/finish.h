/* finish.h - what a product's last kernel is told; finish.cu and products.c share it. */
#ifndef WW_RUNTIME_MATH_FINISH_H
#define WW_RUNTIME_MATH_FINISH_H

/* cudaDataType_t. */
enum {
    WW_R_32F = 0,
    WW_R_64F = 1,
    WW_R_16F = 2,
    WW_R_8I = 3,
    WW_R_32I = 10,
    WW_R_16BF = 14,
    WW_R_8F_E4M3 = 28
};

enum { WW_FINISH_NONE, WW_FINISH_RELU, WW_FINISH_GELU, WW_FINISH_DGELU };

/* D = function(alpha sums + beta C + bias), m by n, column by column; sums are f32, in columns
 * `pitch` apart, `splits` parts of `part` numbers, and matrices behind each other. */
typedef struct ww_finish {
    const float *sums;
    const void *c, *bias;
    void *d, *aux; /* aux: what the function takes is written, or of DGELU read */
    const float *scale_a, *scale_b, *scale_c, *scale_d; /* null: 1 */
    long long m, part, pitch, ldc, ldd, ld_aux;
    long long stride_c, stride_d, stride_bias, stride_aux; /* between matrices */
    float alpha, beta;
    int splits, function, type_c, type_d, type_bias, type_aux;
    int bias_columns; /* rows and columns changed places: bias goes along columns, aux lies by rows
                       */
} ww_finish;

#endif
