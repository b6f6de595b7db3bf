/* fake_jitlink.c - a library with nvJitLink's names that links nothing: its log is the options that
 * it was given; with -ptx it gives its last input as PTX, else four bytes of machine code. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct link {
    char log[256];
    const char *input;
    int makes_ptx;
} link;

#define API __attribute__((visibility("default")))

API int nvJitLinkVersion(unsigned *major, unsigned *minor);
API int __nvJitLinkCreate_13_0(link **out, uint32_t count, const char **options);
API int __nvJitLinkDestroy_13_0(link **p);
API int __nvJitLinkAddData_13_0(link *p, int type, const void *data, size_t bytes,
                                const char *name);
API int __nvJitLinkComplete_13_0(link *p);
API int __nvJitLinkGetInfoLogSize_13_0(link *p, size_t *bytes);
API int __nvJitLinkGetInfoLog_13_0(link *p, char *log);
API int __nvJitLinkGetLinkedPtxSize_13_0(link *p, size_t *bytes);
API int __nvJitLinkGetLinkedPtx_13_0(link *p, char *text);
API int __nvJitLinkGetLinkedCubinSize_13_0(link *p, size_t *bytes);
API int __nvJitLinkGetLinkedCubin_13_0(link *p, void *code);

static link only;

int nvJitLinkVersion(unsigned *major, unsigned *minor)
{
    *major = 13;
    *minor = 0;
    return 0;
}

int __nvJitLinkCreate_13_0(link **out, uint32_t count, const char **options)
{
    memset(&only, 0, sizeof only);
    for (uint32_t i = 0; i < count; i++) {
        size_t n = strlen(only.log);
        snprintf(only.log + n, sizeof only.log - n, "[%s]", options[i]);
        only.makes_ptx |= strcmp(options[i], "-ptx") == 0;
    }
    *out = &only;
    return 0;
}

int __nvJitLinkDestroy_13_0(link **p)
{
    *p = NULL;
    return 0;
}

int __nvJitLinkAddData_13_0(link *p, int type, const void *data, size_t bytes, const char *name)
{
    p->input = data;
    return type == 4 && bytes == strlen(data) + 1 && strcmp(name, "unit") == 0 ? 0 : 3;
}

int __nvJitLinkComplete_13_0(link *p)
{
    return p->input != NULL ? 0 : 2;
}

int __nvJitLinkGetInfoLogSize_13_0(link *p, size_t *bytes)
{
    *bytes = strlen(p->log) + 1;
    return 0;
}

int __nvJitLinkGetInfoLog_13_0(link *p, char *log)
{
    memcpy(log, p->log, strlen(p->log) + 1);
    return 0;
}

int __nvJitLinkGetLinkedPtxSize_13_0(link *p, size_t *bytes)
{
    *bytes = p->makes_ptx ? strlen(p->input) + 1 : 0;
    return p->makes_ptx ? 0 : 6;
}

int __nvJitLinkGetLinkedPtx_13_0(link *p, char *text)
{
    memcpy(text, p->input, strlen(p->input) + 1);
    return 0;
}

int __nvJitLinkGetLinkedCubinSize_13_0(link *p, size_t *bytes)
{
    *bytes = 4;
    return p->makes_ptx ? 6 : 0;
}

int __nvJitLinkGetLinkedCubin_13_0(link *p, void *code)
{
    (void)p;
    memcpy(code, "\177ELF", 4);
    return 0;
}
