/* environment.h - the names of environment variables, once. `warpwatt run -- PROGRAM` sets those of
 * the first group for the CUDA runtime that the program loads; a user may set all. */
#ifndef WW_BASE_ENVIRONMENT_H
#define WW_BASE_ENVIRONMENT_H

/* ---- what a program's run is to be ---- */
#define WW_ENV_GPU        "WARPWATT_GPU"        /* name or file of a description */
#define WW_ENV_SET        "WARPWATT_SET"        /* KEY=VALUE, a line each */
#define WW_ENV_ISA        "WARPWATT_ISA"        /* lowered, gt200, ptx */
#define WW_ENV_REGISTERS  "WARPWATT_REGISTERS"  /* KERNEL=COUNT, a line each */
#define WW_ENV_SAMPLE     "WARPWATT_SAMPLE"     /* c, t, k (CTAs, time, kernels), error */
#define WW_ENV_NO_TIMING  "WARPWATT_NO_TIMING"  /* 1 */
#define WW_ENV_INTERVAL   "WARPWATT_INTERVAL"   /* core cycles */
#define WW_ENV_MAX_CYCLES "WARPWATT_MAX_CYCLES" /* core cycles */
#define WW_ENV_THREADS    "WARPWATT_THREADS"
#define WW_ENV_MEMCHECK   "WARPWATT_MEMCHECK"   /* 1 */
#define WW_ENV_MEMORY     "WARPWATT_MEMORY"     /* bytes of device memory */
#define WW_ENV_PROFILE    "WARPWATT_PROFILE"    /* 1 */
#define WW_ENV_TIMELINE   "WARPWATT_TIMELINE"   /* linear number of a CTA */
#define WW_ENV_TOGGLES    "WARPWATT_TOGGLES"    /* 1 */
#define WW_ENV_CONCURRENT "WARPWATT_CONCURRENT" /* 1 */
#define WW_ENV_PROGRESS   "WARPWATT_PROGRESS"   /* 1: how far a launch is, on a terminal */
#define WW_ENV_REDIRECT   "WARPWATT_REDIRECT" /* 1: programs that the library path does not reach */
#define WW_ENV_RESULT     "WARPWATT_RESULT"   /* folder for what processes report */

/* ---- where things lie ---- */
#define WW_ENV_CONFIGS   "WARPWATT_CONFIGS"   /* folder with gpu, tech, schema */
#define WW_ENV_CACHE     "WARPWATT_CACHE"     /* folder of what infer has simulated, or off */
#define WW_ENV_RUNTIME   "WARPWATT_RUNTIME"   /* folder of the CUDA runtime */
#define WW_ENV_NVRTC     "WARPWATT_NVRTC"     /* NVIDIA's library, */
#define WW_ENV_NVJITLINK "WARPWATT_NVJITLINK" /* and that of its linker */

#endif
