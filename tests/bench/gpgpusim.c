/* gpgpusim.c - our workloads and launch files on GPGPU-Sim: the part of perf/api/device.h that
 * their drivers call, done by the libcudart.so of a build of that simulator (4.0, for CUDA 11).
 * Both simulators thus see the same PTX, inputs, copies and launches. It finds its own PTX and the
 * files it needs in the current folder; gpgpusim.py lays them there. Usage: gpgpusim LIBCUDART
 * WORKLOAD:SIZE, or gpgpusim LIBCUDART FILE.ptx LAUNCH.xml */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "run/launch_file.h"
#include "workloads/workload.h"

enum { FROM_HOST = 1, TO_HOST = 2, MOST_NAMES = 64 };

/* The symbols of a module have no addresses there: a copy names the variable. An address is one of
 * these, which no allocation has, with the variable's number above bit 32. */
#define SYMBOLS (UINT64_C(1) << 60)

struct ww_module {
    void **handle;
    char *kernels[MOST_NAMES], *variables[MOST_NAMES]; /* those registered; NULL: no more */
};

struct ww_device {
    ww_module module;
    int (*allocate)(void **, size_t);
    int (*release)(void *);
    int (*copy)(void *, const void *, size_t, int);
    int (*copy_to_symbol)(const char *, const void *, size_t, size_t, int);
    int (*set)(void *, int, size_t);
    int (*configure)(ww_dim3, ww_dim3, size_t, void *);
    int (*launch)(const char *, ww_dim3, ww_dim3, const void *const *, size_t, void *);
    int (*synchronize)(void);
    void **(*register_binary)(void *);
    void (*register_function)(void **, const char *, const char *, const char *, int, void *,
                              void *, void *, void *, void *);
    void (*register_variable)(void **, char *, char *, const char *, int, int, int, int);
};

static void *pointer_of(ww_devptr p)
{
    return (void *)(uintptr_t)p;
}

static ww_status checked(int code, const char *what, ww_error *err)
{
    return code == 0 ? WW_OK : ww_fail(err, WW_EINTERNAL, "%s returned %d", what, code);
}

static ww_status check_room(uint32_t count, const char *what, ww_error *err)
{
    return count < MOST_NAMES ? WW_OK
                              : ww_fail(err, WW_ERANGE, "more than %d %s", MOST_NAMES - 1, what);
}

/* The number of a name in a list, which it joins when it is not there; *is_new tells. */
static ww_status number_of(char **names, const char *name, unsigned *number, bool *is_new,
                           ww_error *err)
{
    unsigned i = 0;
    while (names[i] != NULL && strcmp(names[i], name) != 0) {
        i++;
    }
    WW_TRY(check_room(i + 1, "names", err)); /* the list ends with none */
    *number = i;
    *is_new = names[i] == NULL;
    if (*is_new) {
        names[i] = strdup(name);
    }
    return *is_new && names[i] == NULL ? ww_no_memory(err) : WW_OK;
}

ww_status ww_device_load_ptx(ww_device *device, const char *name, const char *text, size_t length,
                             ww_module **out, ww_error *err)
{
    (void)name;
    WW_TRY(ww_write_file("kernel.1.sm_75.ptx", text, length, err));
    device->module.handle = device->register_binary(NULL);
    *out = &device->module;
    return WW_OK;
}

ww_status ww_device_malloc(ww_device *device, size_t bytes, ww_devptr *out, ww_error *err)
{
    void *p = NULL;
    WW_TRY(checked(device->allocate(&p, bytes), "cudaMalloc", err));
    *out = (ww_devptr)(uintptr_t)p;
    return WW_OK;
}

ww_status ww_device_free(ww_device *device, ww_devptr p, ww_error *err)
{
    return checked(device->release(pointer_of(p)), "cudaFree", err);
}

ww_status ww_device_write(ww_device *device, ww_devptr dst, const void *src, size_t bytes,
                          ww_error *err)
{
    if (dst >= SYMBOLS) {
        const char *variable = device->module.variables[(dst - SYMBOLS) >> 32];
        return checked(device->copy_to_symbol(variable, src, bytes, dst & UINT32_MAX, FROM_HOST),
                       "cudaMemcpyToSymbol", err);
    }
    return checked(device->copy(pointer_of(dst), src, bytes, FROM_HOST), "cudaMemcpy", err);
}

ww_status ww_device_read(ww_device *device, void *dst, ww_devptr src, size_t bytes, ww_error *err)
{
    return checked(device->copy(dst, pointer_of(src), bytes, TO_HOST), "cudaMemcpy", err);
}

ww_status ww_device_memset(ww_device *device, ww_devptr dst, int value, size_t bytes, ww_error *err)
{
    return checked(device->set(pointer_of(dst), value, bytes), "cudaMemset", err);
}

ww_status ww_device_symbol(ww_device *device, ww_module *module, const char *name,
                           ww_devptr *address, size_t *bytes, ww_error *err)
{
    bool is_new;
    unsigned i;
    WW_TRY(number_of(module->variables, name, &i, &is_new, err));
    if (is_new) {
        char *variable = module->variables[i];
        device->register_variable(module->handle, variable, variable, variable, 0, 1, 1, 0);
    }
    *address = SYMBOLS + ((ww_devptr)i << 32);
    *bytes = UINT32_MAX;
    return WW_OK;
}

ww_status ww_device_texture_create(ww_device *device, const ww_texture *texture, uint64_t *handle,
                                   ww_error *err)
{
    (void)device, (void)texture, (void)handle;
    return ww_fail(err, WW_EUNSUP, "texture objects");
}

ww_status ww_device_texture_destroy(ww_device *device, uint64_t handle, ww_error *err)
{
    (void)device, (void)handle, (void)err;
    return WW_OK;
}

ww_device_shape ww_device_shape_of(const ww_device *device)
{
    (void)device;
    return (ww_device_shape){.sms = 15, .l2_bytes = 768 << 10};
}

ww_status ww_device_launch(ww_device *device, ww_module *module, const char *kernel, ww_dim3 grid,
                           ww_dim3 block, size_t dynamic_shared, const void *const *args,
                           size_t arg_count, ww_error *err)
{
    (void)arg_count;
    bool is_new;
    unsigned i;
    WW_TRY(number_of(module->kernels, kernel, &i, &is_new, err));
    const char *name = module->kernels[i];
    if (is_new) {
        device->register_function(module->handle, name, name, name, -1, NULL, NULL, NULL, NULL,
                                  NULL);
    }
    WW_TRY(checked(device->configure(grid, block, dynamic_shared, NULL), "cudaConfigureCall", err));
    WW_TRY(checked(device->launch(name, grid, block, args, dynamic_shared, NULL),
                   "cudaLaunchKernel", err));
    return checked(device->synchronize(), "cudaThreadSynchronize", err);
}

static ww_status run_step(ww_device *device, ww_module *module, const ww_launch_step *step,
                          const ww_devptr *address, ww_error *err)
{
    const void *args[MOST_NAMES];
    WW_TRY(check_room(step->argument_count, "arguments", err));
    for (uint32_t i = 0; i < step->argument_count; i++) {
        const ww_launch_argument *a = &step->arguments[i];
        args[i] = a->buffer != UINT32_MAX ? (const void *)&address[a->buffer] : a->value;
    }
    for (uint32_t n = 0; n < step->repeat; n++) {
        WW_TRY(ww_device_launch(device, module, step->kernel, step->grid, step->block,
                                step->shared_bytes, args, step->argument_count, err));
    }
    return WW_OK;
}

static ww_status run_plan(ww_device *device, const char *ptx, const ww_launch_plan *plan,
                          ww_error *err)
{
    ww_module *module;
    ww_devptr address[MOST_NAMES];
    char *text;
    size_t length;
    WW_TRY(check_room(plan->buffer_count, "buffers", err));
    WW_TRY(ww_read_file(ptx, SIZE_MAX, &text, &length, err));
    ww_status status = ww_device_load_ptx(device, ptx, text, length, &module, err);
    ww_free(text);
    WW_TRY(status);
    for (uint32_t i = 0; i < plan->buffer_count; i++) {
        const ww_launch_buffer *b = &plan->buffers[i];
        size_t bytes = b->count * ww_scalar_bytes(b->type);
        WW_TRY(ww_device_malloc(device, bytes, &address[i], err));
        WW_TRY(b->from_host ? ww_device_write(device, address[i], b->data, bytes, err)
                            : ww_device_memset(device, address[i], 0, bytes, err));
    }
    for (uint32_t i = 0; i < plan->step_count; i++) {
        WW_TRY(run_step(device, module, &plan->steps[i], address, err));
    }
    return WW_OK;
}

static ww_status run_workload(ww_device *device, char *item, ww_error *err)
{
    ww_workload_size size;
    char *colon = strchr(item, ':');
    if (colon == NULL) {
        return ww_fail(err, WW_EUSAGE, "%s: expected WORKLOAD:SIZE", item);
    }
    *colon = '\0';
    WW_TRY(ww_workload_size_parse(colon + 1, &size, err));
    const ww_workload *workload = ww_workload_find(item);
    return workload == NULL ? ww_fail(err, WW_ENOTFOUND, "no workload %s", item)
                            : workload->run(device, size, err);
}

static ww_status run_files(ww_device *device, const char *ptx, const char *launches, ww_error *err)
{
    ww_launch_plan *plan;
    WW_TRY(ww_launch_plan_load(launches, &plan, err));
    ww_status status = run_plan(device, ptx, plan, err);
    ww_launch_plan_destroy(plan);
    return status;
}

static void find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    if (symbol == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    memcpy(function, &symbol, sizeof symbol);
}

static void find_all(ww_device *device, void *library)
{
    find(library, "cudaMalloc", &device->allocate);
    find(library, "cudaFree", &device->release);
    find(library, "cudaMemcpy", &device->copy);
    find(library, "cudaMemcpyToSymbol", &device->copy_to_symbol);
    find(library, "cudaMemset", &device->set);
    find(library, "cudaConfigureCall", &device->configure);
    find(library, "cudaLaunchKernel", &device->launch);
    find(library, "cudaThreadSynchronize", &device->synchronize);
    find(library, "__cudaRegisterFatBinary", &device->register_binary);
    find(library, "__cudaRegisterFunction", &device->register_function);
    find(library, "__cudaRegisterVar", &device->register_variable);
}

int main(int argc, char **argv)
{
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: gpgpusim LIBCUDART WORKLOAD:SIZE | FILE.ptx LAUNCH.xml\n");
        return 2;
    }
    void *library = dlopen(argv[1], RTLD_NOW);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    ww_device device = {0};
    find_all(&device, library);
    ww_error err = {0};
    ww_status status = argc == 3 ? run_workload(&device, argv[2], &err)
                                 : run_files(&device, argv[2], argv[3], &err);
    if (status != WW_OK) {
        fprintf(stderr, "gpgpusim: %s\n", err.what);
    }
    fflush(stdout);
    _exit(status != WW_OK); /* the simulator's thread does not end by itself */
}
