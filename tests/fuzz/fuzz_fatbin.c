/* fuzz_fatbin.c - does the fat binary reader survive any bytes, staying within them and its bounds?
 */
#include <stdlib.h>

#include "base/mem.h"
#include "runtime/core/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ww_fatbin_entry entry;
    ww_error err = {0};
    size_t offset = 0;
    for (size_t before = 0; ww_fatbin_next(data, size, &offset, &entry, &err) == WW_OK;
         before = offset) {
        require(offset > before && offset <= size);
        require(entry.payload >= data && entry.payload + entry.payload_bytes <= data + size);
        char *text = NULL;
        size_t length;
        if (entry.bytes <= 64 * size && ww_fatbin_unpack(&entry, &text, &length, &err) == WW_OK) {
            require(length == entry.bytes && text[length] == '\0');
            ww_free(text);
        }
    }
    if (ww_fatbin_find_ptx(data, size, 75, &entry, &err) == WW_OK) {
        require(entry.kind == WW_FATBIN_PTX && entry.target > 0);
    }
    return 0;
}
