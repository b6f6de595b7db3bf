// driver.cu - the driver API: a module from PTX text, its variables and kernels, packed arguments, entry points by name.
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                          ".visible .global .align 4 .u32 factor = 3;\n"
                          ".visible .entry scale(.param .u64 p, .param .u32 n)\n{\n"
                          ".reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %q;\n"
                          "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n];\n"
                          "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
                          "mad.lo.u32 %r5, %r2, %r3, %r4; setp.ge.u32 %q, %r5, %r1; @%q bra END;\n"
                          "mul.wide.u32 %rd2, %r5, 4; add.u64 %rd3, %rd1, %rd2; ld.global.u32 %r6, [%rd3];\n"
                          "ld.global.u32 %r7, [factor]; mul.lo.u32 %r6, %r6, %r7; st.global.u32 [%rd3], %r6;\n"
                          "END: ret;\n}\n";

static int wrong;

static void ok(CUresult code, const char *what)
{
    if (code != CUDA_SUCCESS) {
        const char *name = "?";
        cuGetErrorName(code, &name);
        printf("%s: %s\n", what, name);
        wrong++;
    }
}
#define OK(call) ok((call), #call)

int main()
{
    enum { N = 100 };
    unsigned data[N], factor = 5, n = N;
    CUcontext context;
    CUmodule module;
    CUfunction f;
    CUdeviceptr p, g;
    size_t bytes;
    int count = 0;
    char name[64];
    OK(cuInit(0));
    OK(cuDeviceGetCount(&count));
    wrong += count != 1;
    OK(cuDeviceGetName(name, sizeof name, 0));
    OK(cuCtxCreate(&context, nullptr, 0, 0));
    OK(cuModuleLoadData(&module, ptx));
    OK(cuModuleGetFunction(&f, module, "scale"));
    CUfunction none;
    wrong += cuModuleGetFunction(&none, module, "scales") != CUDA_ERROR_NOT_FOUND;
    OK(cuModuleGetGlobal(&g, &bytes, module, "factor"));
    wrong += bytes != 4;
    for (unsigned i = 0; i < N; i++) {
        data[i] = i;
    }
    OK(cuMemAlloc(&p, sizeof data));
    OK(cuMemcpyHtoD(p, data, sizeof data));
    void *args[] = {&p, &n};
    OK(cuLaunchKernel(f, 4, 1, 1, 32, 1, 1, 0, nullptr, args, nullptr));
    OK(cuMemcpyHtoD(g, &factor, sizeof factor));
    struct {
        CUdeviceptr p;
        unsigned n;
    } packed = {p, n};
    size_t size = 12;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    OK(cuLaunchKernel(f, 4, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra));
    OK(cuMemcpyDtoH(data, p, sizeof data));
    for (unsigned i = 0; i < N; i++) {
        wrong += data[i] != 15 * i;
    }
    void *entry = nullptr;
    cudaDriverEntryPointQueryResult found;
    wrong += cudaGetDriverEntryPointByVersion("cuMemGetInfo", &entry, 13000, cudaEnableDefault, &found) != cudaSuccess;
    size_t spare = 0, total = 0;
    wrong += entry == nullptr || ((CUresult(*)(size_t *, size_t *))entry)(&spare, &total) != CUDA_SUCCESS || spare >= total;
    OK(cuMemsetD32(p, 0x01020304, N));
    OK(cuMemcpyDtoH(data, p, sizeof data));
    wrong += data[N - 1] != 0x01020304;
    OK(cuMemFree(p));
    OK(cuModuleUnload(module));
    OK(cuCtxDestroy(context));
    printf("driver: %s\n", wrong == 0 ? "PASSED" : "FAILED");
    return wrong != 0;
}
