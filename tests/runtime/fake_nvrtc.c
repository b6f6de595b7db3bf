/* fake_nvrtc.c - a library with NVRTC's names that compiles nothing: its log is the options that it
 * was given, its PTX is what the source says, its machine code is not to be asked for. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef struct program {
    const char *source;
    char log[1024];
} program;

#define API __attribute__((visibility("default")))

API int nvrtcVersion(int *major, int *minor);
API int nvrtcGetNumSupportedArchs(int *count);
API int nvrtcGetSupportedArchs(int *archs);
API const char *nvrtcGetErrorString(int code);
API int nvrtcCreateProgram(program **out, const char *source, const char *name, int headers,
                           const char *const *texts, const char *const *names);
API int nvrtcDestroyProgram(program **p);
API int nvrtcCompileProgram(program *p, int count, const char *const *options);
API int nvrtcGetProgramLogSize(const program *p, size_t *bytes);
API int nvrtcGetProgramLog(const program *p, char *log);
API int nvrtcGetPTXSize(const program *p, size_t *bytes);
API int nvrtcGetPTX(const program *p, char *ptx);
API int nvrtcGetCUBINSize(const program *p, size_t *bytes);
API int nvrtcGetCUBIN(const program *p, char *code);

static program only;

int nvrtcVersion(int *major, int *minor)
{
    *major = 13;
    *minor = 77;
    return 0;
}

int nvrtcGetNumSupportedArchs(int *count)
{
    *count = 3;
    return 0;
}

int nvrtcGetSupportedArchs(int *archs)
{
    archs[0] = 80;
    archs[1] = 75;
    archs[2] = 90;
    return 0;
}

const char *nvrtcGetErrorString(int code)
{
    return code == 6 ? "the fake's sixth" : "the fake's";
}

int nvrtcCreateProgram(program **out, const char *source, const char *name, int headers,
                       const char *const *texts, const char *const *names)
{
    if (headers != 1 || strcmp(name, "six.cu") != 0 || strcmp(texts[0], "text") != 0 ||
        strcmp(names[0], "name") != 0) {
        return 3;
    }
    only.source = source;
    *out = &only;
    return 0;
}

int nvrtcDestroyProgram(program **p)
{
    *p = NULL;
    return 0;
}

int nvrtcCompileProgram(program *p, int count, const char *const *options)
{
    p->log[0] = '\0';
    for (int i = 0; i < count; i++) {
        size_t n = strlen(p->log);
        snprintf(p->log + n, sizeof p->log - n, "[%s]", options[i]);
    }
    return 0;
}

int nvrtcGetProgramLogSize(const program *p, size_t *bytes)
{
    *bytes = strlen(p->log) + 1;
    return 0;
}

int nvrtcGetProgramLog(const program *p, char *log)
{
    memcpy(log, p->log, strlen(p->log) + 1);
    return 0;
}

int nvrtcGetPTXSize(const program *p, size_t *bytes)
{
    *bytes = strlen(p->source) + 1;
    return 0;
}

int nvrtcGetPTX(const program *p, char *ptx)
{
    memcpy(ptx, p->source, strlen(p->source) + 1);
    return 0;
}

int nvrtcGetCUBINSize(const program *p, size_t *bytes)
{
    (void)p;
    *bytes = 4;
    return 0;
}

int nvrtcGetCUBIN(const program *p, char *code)
{
    (void)p;
    memcpy(code, "\177ELF", 4);
    return 0;
}
