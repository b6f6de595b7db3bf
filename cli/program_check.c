/* program_check.c - looks into a program's ELF file: does it load the CUDA runtime, or contain one?
 */
#define _GNU_SOURCE
#include <elf.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/program.h"

#define MOST_PROGRAM_BYTES ((size_t)1 << 30)

typedef struct image {
    const char *data;
    size_t size;
} image;

/* The range [offset, offset + bytes) of the file, or NULL. */
static const void *part(const image *file, uint64_t offset, uint64_t bytes)
{
    return offset <= file->size && bytes <= file->size - offset ? file->data + offset : NULL;
}

/* A zero-terminated string of a table within the file, or "". */
static const char *string_at(const image *file, uint64_t table, uint64_t table_bytes,
                             uint64_t offset)
{
    const char *text = offset < table_bytes ? part(file, table, table_bytes) : NULL;
    return text != NULL && memchr(text + offset, '\0', table_bytes - offset) != NULL ? text + offset
                                                                                     : "";
}

static bool read_header(const image *file, Elf64_Ehdr *header)
{
    const void *p = part(file, 0, sizeof *header);
    if (p == NULL || memcmp(p, ELFMAG, SELFMAG) != 0) {
        return false;
    }
    memcpy(header, p, sizeof *header);
    return header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_shentsize == sizeof(Elf64_Shdr);
}

static bool read_section(const image *file, const Elf64_Ehdr *header, unsigned i, Elf64_Shdr *out)
{
    const void *p = part(file, header->e_shoff + (uint64_t)i * sizeof *out, sizeof *out);
    if (p != NULL) {
        memcpy(out, p, sizeof *out);
    }
    return p != NULL;
}

static bool has_section(const image *file, const Elf64_Ehdr *header, const char *name)
{
    Elf64_Shdr names, s;
    if (!read_section(file, header, header->e_shstrndx, &names)) {
        return false;
    }
    for (unsigned i = 0; i < header->e_shnum && read_section(file, header, i, &s); i++) {
        if (strcmp(string_at(file, names.sh_offset, names.sh_size, s.sh_name), name) == 0) {
            return true;
        }
    }
    return false;
}

/* Does the file ask for a shared library whose name begins so? */
static bool needs_library(const image *file, const Elf64_Ehdr *header, const char *prefix)
{
    Elf64_Shdr s, strings;
    for (unsigned i = 0; i < header->e_shnum && read_section(file, header, i, &s); i++) {
        if (s.sh_type != SHT_DYNAMIC || !read_section(file, header, s.sh_link, &strings)) {
            continue;
        }
        for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= s.sh_size; at += sizeof(Elf64_Dyn)) {
            Elf64_Dyn entry;
            const void *p = part(file, s.sh_offset + at, sizeof entry);
            if (p == NULL) {
                break;
            }
            memcpy(&entry, p, sizeof entry);
            const char *name =
                string_at(file, strings.sh_offset, strings.sh_size, entry.d_un.d_val);
            if (entry.d_tag == DT_NEEDED && strncmp(name, prefix, strlen(prefix)) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* NVIDIA's runtime names its entry points for profilers; a program of the driver API knows nothing
 * of this one. */
static bool has_runtime(const image *file)
{
    static const char name[] = "cudaLaunchKernel";
    return memmem(file->data, file->size, name, sizeof name) != NULL;
}

/* The functions of a runtime that was linked statically keep their names where nobody stripped
 * them: then they can be replaced (runtime/core/static_hook.c). */
static bool names_runtime(const image *file, const Elf64_Ehdr *header)
{
    static const char name[] = "\0__cudaRegisterFatBinary"; /* between two terminators */
    Elf64_Shdr s, strings;
    for (unsigned i = 0; i < header->e_shnum && read_section(file, header, i, &s); i++) {
        if (s.sh_type == SHT_SYMTAB && read_section(file, header, s.sh_link, &strings)) {
            const void *text = part(file, strings.sh_offset, strings.sh_size);
            return text != NULL && memmem(text, strings.sh_size, name, sizeof name) != NULL;
        }
    }
    return false;
}

static bool is_clock(const char *name)
{
    static const char *const clocks[] = {"clock_gettime",
                                         "gettimeofday",
                                         "clock",
                                         "times",
                                         "ftime",
                                         "omp_get_wtime",
                                         "_ZNSt6chrono3_V212system_clock3nowEv",
                                         "_ZNSt6chrono3_V212steady_clock3nowEv"};
    for (size_t i = 0; i < WW_ARRAY_LEN(clocks); i++) {
        if (strcmp(clocks[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* Does the file import a function that reads the host's clock? */
static bool imports_clock(const image *file, const Elf64_Ehdr *header)
{
    Elf64_Shdr s, strings;
    for (unsigned i = 0; i < header->e_shnum && read_section(file, header, i, &s); i++) {
        if (s.sh_type != SHT_DYNSYM || !read_section(file, header, s.sh_link, &strings)) {
            continue;
        }
        for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= s.sh_size; at += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol;
            const void *p = part(file, s.sh_offset + at, sizeof symbol);
            if (p == NULL) {
                break;
            }
            memcpy(&symbol, p, sizeof symbol);
            if (symbol.st_shndx == SHN_UNDEF &&
                is_clock(string_at(file, strings.sh_offset, strings.sh_size, symbol.st_name))) {
                return true;
            }
        }
    }
    return false;
}

ww_status ww_program_check(const char *path, bool *hook, bool *reads_clock, ww_error *err)
{
    char *text;
    size_t size;
    Elf64_Ehdr header;
    WW_TRY(ww_read_file(path, MOST_PROGRAM_BYTES, &text, &size, err));
    const image file = {text, size};
    ww_status status = WW_OK;
    bool program = read_header(&file, &header);
    *hook = !program; /* a script may start one */
    *reads_clock = program && imports_clock(&file, &header);
    bool cuda = program && has_section(&file, &header, ".nv_fatbin");
    if (cuda && !has_section(&file, &header, ".interp") && header.e_type == ET_EXEC) {
        status = ww_fail(err, WW_EUNSUP,
                         "%s is linked statically as a whole: no loader could put another CUDA "
                         "runtime in place of its own; link it without -static",
                         path);
    } else if (cuda && !needs_library(&file, &header, "libcudart.so") && has_runtime(&file)) {
        *hook = names_runtime(&file, &header);
        status = *hook ? WW_OK
                       : ww_fail(err, WW_EUNSUP,
                                 "%s contains NVIDIA's CUDA runtime (it was linked statically, "
                                 "nvcc's default) and was stripped of its names, so that it cannot "
                                 "be replaced; do not strip it, or build it with: nvcc -cudart "
                                 "shared",
                                 path);
    }
    ww_free(text);
    return status;
}
