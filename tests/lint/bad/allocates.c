/* Memory beside base/mem.h, behind a macro too. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MAKE(type) ((type *)malloc(sizeof(type)))

void ww_make(const char *text);

void ww_make(const char *text)
{
    int *ours = WW_NEW(int);
    int *one = MAKE(int);                   /* refused: allocates */
    int *many = calloc(4, sizeof *many);    /* refused: allocates */
    char *copy = strdup(text);              /* refused: allocates */
    many = realloc(many, 8 * sizeof *many); /* refused: allocates */
    free(one);                              /* refused: allocates */
    (free)(many);                           /* refused: allocates */
    ww_free(copy);
    ww_free(ours);
}
