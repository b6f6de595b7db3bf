/* make_fatbins.c - writes the corpus of fuzz_fatbin: one container per packing, and one of
 * everything. */
#include <stdio.h>

#include "base/file.h"
#include "base/mem.h"
#include "tests/support/fatbin_builder.h"

static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry kernel(.param .u64 p)\n{\n"
    "\t.reg .b64 %rd<4>;\n\tld.param.u64 %rd1, [p];\n\tld.param.u64 %rd2, [p];\n\tret;\n}\n";

static int save(const char *dir, const char *name, const fatbin_builder *box)
{
    ww_arena arena = {0};
    ww_error err = {0};
    char *path = ww_path_join(&arena, dir, name);
    int failed = path == NULL || ww_make_dirs(dir, &err) != WW_OK ||
                 ww_write_file(path, (const char *)box->bytes, box->size, &err) != WW_OK;
    if (failed) {
        fprintf(stderr, "%s: %s\n", name, err.what);
    }
    ww_arena_fini(&arena);
    return failed;
}

int main(int argc, char **argv)
{
    static fatbin_builder box, all;
    static const struct {
        const char *name;
        unsigned packing;
    } kinds[] = {{"stored", 0}, {"lz4", FATBIN_LZ4}, {"zstd", FATBIN_ZSTD}};
    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    int failed = 0;
    fatbin_begin(&all);
    fatbin_add(&all, 2, 75, 0, "machine code", 12);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        fatbin_begin(&box);
        fatbin_add(&box, 1, 75, kinds[i].packing, ptx, sizeof ptx);
        fatbin_add(&all, 1, 70 + (unsigned)i, kinds[i].packing, ptx, sizeof ptx);
        failed |= save(argv[1], kinds[i].name, &box);
    }
    return failed | save(argv[1], "all", &all);
}
