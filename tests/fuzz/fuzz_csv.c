/* fuzz_csv.c - does the CSV reader survive any bytes, and give a rectangular table? */
#include <stdint.h>
#include <stdlib.h>

#include "base/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ww_csv *csv = NULL;
    ww_error err = {0};
    if (ww_csv_parse("fuzz.csv", (const char *)(const void *)data, size, &csv, &err) != WW_OK) {
        if (csv != NULL || err.what[0] == '\0') {
            abort();
        }
        return 0;
    }
    for (size_t r = 0; r < ww_csv_rows(csv); r++) {
        for (size_t c = 0; c < ww_csv_columns(csv); c++) {
            double value;
            if (ww_csv_text(csv, r, c) == NULL) {
                abort();
            }
            WW_DROP(ww_csv_double(csv, r, c, &value, NULL)); /* a field may be no number */
        }
    }
    ww_csv_destroy(csv);
    return 0;
}
