/* program.c - a user's program of thirty lines: y = 2 x + y on a GTX 580, checked, with its joules.
 */
#include <stdio.h>

#include <warpwatt.h>

#define TRY(call)                                                                                  \
    if ((call) != WARPWATT_OK) {                                                                   \
        return fprintf(stderr, "%s\n", err.message), 1;                                            \
    }

int main(int argc, char **argv)
{
    enum { N = 1000 };
    static float x[N], y[N];
    warpwatt_device *gpu;
    warpwatt_module *module;
    warpwatt_ptr dx, dy;
    warpwatt_result result = {.size = sizeof result};
    warpwatt_error err;
    for (int i = 0; i < N; i++) {
        x[i] = (float)i, y[i] = 1;
    }
    const float a = 2;
    const unsigned n = N;
    const void *args[] = {&dy, &dx, &a, &n};
    TRY(warpwatt_open("gtx580", NULL, &gpu, &err))
    TRY(warpwatt_load_file(gpu, argc > 1 ? argv[1] : "saxpy.ptx", &module, &err))
    TRY(warpwatt_malloc(gpu, sizeof x, &dx, &err))
    TRY(warpwatt_malloc(gpu, sizeof y, &dy, &err))
    TRY(warpwatt_write(gpu, dx, x, sizeof x, &err))
    TRY(warpwatt_write(gpu, dy, y, sizeof y, &err))
    TRY(warpwatt_launch(gpu, module, "saxpy", (uint32_t[]){4, 1, 1}, (uint32_t[]){256, 1, 1}, 0,
                        args, 4, &err))
    TRY(warpwatt_read(gpu, y, dy, sizeof y, &err))
    TRY(warpwatt_result_at(gpu, WARPWATT_ALL, &result, &err))
    printf("y[999] = %g, %llu cycles, %g J\n", (double)y[N - 1], (unsigned long long)result.cycles,
           result.energy_j);
    warpwatt_close(gpu);
    return y[N - 1] == 1999 && result.energy_j > 0 ? 0 : 1;
}
