/* generate_schema.c - the program behind the target generate-schema: writes the XSD to the file
 * named. */
#include <stdio.h>
#include <string.h>

#include "arch/schema.h"
#include "base/file.h"

int main(int argc, char **argv)
{
    if (argc != 3 || (strcmp(argv[1], "gpu") != 0 && strcmp(argv[1], "mech") != 0)) {
        fprintf(stderr, "usage: %s gpu|mech FILE.xsd\n", argv[0]);
        return 2;
    }
    ww_str xsd = {0};
    ww_error err = {0};
    if (strcmp(argv[1], "mech") == 0) {
        ww_mech_schema(&xsd);
    } else {
        ww_arch_schema(&xsd);
    }
    ww_status status = ww_write_text(argv[2], &xsd, &err);
    ww_str_fini(&xsd);
    if (status != WW_OK) {
        char text[4096];
        fprintf(stderr, "%s\n", ww_error_format(&err, text, sizeof text));
        return 1;
    }
    return 0;
}
