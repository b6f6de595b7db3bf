/* static_hook.c - a library for LD_PRELOAD, for programs that nvcc linked with its static runtime,
 * its default. The functions of that runtime keep their names in the program's symbol table as long
 * as the program is not stripped: before the program's constructors run, this library writes a jump
 * to ours over each of those that libcudart.so here has. Nothing of NVIDIA's runtime then runs. In
 * any other program it does nothing. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { JUMP_BYTES = 14 };
/* jmp *0(%rip), and the address behind it */
static void make_jump(unsigned char code[JUMP_BYTES], uint64_t to)
{
    static const unsigned char jump[6] = {0xff, 0x25, 0, 0, 0, 0};
    memcpy(code, jump, sizeof jump);
    memcpy(code + sizeof jump, &to, sizeof to);
}
#elif defined(__aarch64__)
enum { JUMP_BYTES = 16 };
/* ldr x16, +8; br x16, and the address behind it */
static void make_jump(unsigned char code[JUMP_BYTES], uint64_t to)
{
    static const uint32_t jump[2] = {0x58000050, 0xd61f0200};
    memcpy(code, jump, sizeof jump);
    memcpy(code + sizeof jump, &to, sizeof to);
}
#else
#error "the jump instruction of this machine is needed"
#endif

/* The program's own file. */
typedef struct image {
    const char *data;
    size_t size;
} image;

static void say(const char *what)
{
    fprintf(stderr, "warpwatt: %s\n", what);
}

static const void *part(const image *file, uint64_t offset, uint64_t size)
{
    return offset <= file->size && size <= file->size - offset ? file->data + offset : NULL;
}

static bool open_image(image *file)
{
    struct stat st;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    void *p = MAP_FAILED;
    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
        p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        *file = (image){p, (size_t)st.st_size};
    }
    if (fd >= 0) {
        close(fd);
    }
    return p != MAP_FAILED;
}

/* A section of a type, from *from on, which moves behind it. */
static const Elf64_Shdr *next_section(const image *file, const Elf64_Ehdr *header, uint32_t type,
                                      unsigned *from)
{
    for (; *from < header->e_shnum; (*from)++) {
        const Elf64_Shdr *s = part(file, header->e_shoff + (uint64_t)*from * sizeof *s, sizeof *s);
        if (s != NULL && s->sh_type == type) {
            (*from)++;
            return s;
        }
    }
    return NULL;
}

/* The symbols of the program, and their names. */
typedef struct symbols {
    const Elf64_Sym *symbol;
    size_t count;
    const char *names;
    size_t names_size;
} symbols;

static bool find_symbols(const image *file, symbols *out)
{
    const Elf64_Ehdr *header = part(file, 0, sizeof *header);
    unsigned at = 0;
    if (header == NULL || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof(Elf64_Shdr)) {
        return false;
    }
    const Elf64_Shdr *table = next_section(file, header, SHT_SYMTAB, &at);
    if (table == NULL) {
        return false;
    }
    const Elf64_Shdr *strings =
        part(file, header->e_shoff + (uint64_t)table->sh_link * sizeof *strings, sizeof *strings);
    if (strings == NULL) {
        return false;
    }
    *out =
        (symbols){part(file, table->sh_offset, table->sh_size), table->sh_size / sizeof(Elf64_Sym),
                  part(file, strings->sh_offset, strings->sh_size), strings->sh_size};
    return out->symbol != NULL && out->names != NULL && out->names_size > 0 &&
           out->names[out->names_size - 1] == '\0';
}

static const char *name_of(const symbols *s, size_t i)
{
    bool function = ELF64_ST_TYPE(s->symbol[i].st_info) == STT_FUNC &&
                    s->symbol[i].st_shndx != SHN_UNDEF && s->symbol[i].st_name < s->names_size;
    const char *name = function ? s->names + s->symbol[i].st_name : "";
    bool cuda = strncmp(name, "cuda", 4) == 0 || strncmp(name, "__cuda", 6) == 0;
    return cuda ? name : NULL;
}

static bool has(const symbols *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++) {
        const char *have = name_of(s, i);
        if (have != NULL && strcmp(have, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Which runtime was linked: by functions that came and went. */
static const char *library_of(const symbols *s)
{
    return has(s, "cudaGetDeviceProperties_v2") ? "libcudart.so.12"
           : has(s, "cudaThreadSynchronize")    ? "libcudart.so.11.0"
                                                : "libcudart.so.13";
}

/* Where the program lies, less where it was linked to lie. */
static int first_object(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    *(uint64_t *)user = info->dlpi_addr;
    return 1; /* the program comes first */
}

static bool set_protection(const unsigned char *code, int protection)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)code / page * page;
    uintptr_t end = ((uintptr_t)code + JUMP_BYTES + page - 1) / page * page;
    return mprotect((void *)first, end - first, protection) == 0;
}

static bool write_jump(uint64_t at, uint64_t to)
{
    unsigned char *code = (unsigned char *)(uintptr_t)at, jump[JUMP_BYTES];
    make_jump(jump, to);
    if (!set_protection(code, PROT_READ | PROT_WRITE)) {
        return false;
    }
    memcpy(code, jump, sizeof jump);
    __builtin___clear_cache((char *)code, (char *)code + sizeof jump);
    return set_protection(code, PROT_READ | PROT_EXEC);
}

/* Bytes from a function to the next symbol: short ones end in padding. */
static uint64_t room_of(const symbols *s, const Elf64_Sym *symbol)
{
    uint64_t room = symbol->st_size;
    if (room >= JUMP_BYTES) {
        return room;
    }
    room = UINT64_MAX;
    for (size_t i = 0; i < s->count; i++) {
        const Elf64_Sym *other = &s->symbol[i];
        uint64_t away = other->st_value - symbol->st_value;
        if (other->st_shndx == symbol->st_shndx && other->st_value > symbol->st_value &&
            away < room) {
            room = away;
        }
    }
    return room != UINT64_MAX ? room : symbol->st_size;
}

static void *open_runtime(const char *name)
{
    char path[PATH_MAX];
    Dl_info here;
    if (dladdr((void *)(uintptr_t)&open_image, &here) == 0 ||
        strrchr(here.dli_fname, '/') == NULL ||
        (size_t)snprintf(path, sizeof path, "%.*s/%s",
                         (int)(strrchr(here.dli_fname, '/') - here.dli_fname), here.dli_fname,
                         name) >= sizeof path) {
        return NULL;
    }
    return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
}

static void redirect(const symbols *s)
{
    uint64_t base = 0;
    void *runtime = open_runtime(library_of(s));
    if (runtime == NULL) {
        say(dlerror());
        return;
    }
    (void)dl_iterate_phdr(first_object, &base);
    for (size_t i = 0; i < s->count; i++) {
        const char *name = name_of(s, i);
        void *ours = name != NULL ? dlsym(runtime, name) : NULL;
        if (ours == NULL) {
            continue; /* the program's own, or private to NVIDIA's runtime */
        }
        if (room_of(s, &s->symbol[i]) < JUMP_BYTES ||
            !write_jump(base + s->symbol[i].st_value, (uint64_t)(uintptr_t)ours)) {
            fprintf(stderr, "warpwatt: %s of the program's own CUDA runtime cannot be replaced\n",
                    name);
        }
    }
}

__attribute__((constructor)) static void take_over(void)
{
    image file;
    symbols s;
    if (!open_image(&file)) {
        return;
    }
    if (find_symbols(&file, &s) && has(&s, "__cudaRegisterFatBinary")) {
        redirect(&s);
    }
    (void)munmap((void *)(uintptr_t)file.data, file.size);
}
