/* kernels.h - the PTX of kernels.cu, in the libraries that launch it. */
#ifndef WW_RUNTIME_MATH_KERNELS_H
#define WW_RUNTIME_MATH_KERNELS_H

extern const char ww_math_kernels[];

#endif
