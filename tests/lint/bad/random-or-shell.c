/* What makes two runs differ, and what runs programs. */
#include <stdio.h>
#include <stdlib.h>

int ww_dice(const char *name);

int ww_dice(const char *name)
{
    srand(1);                      /* refused: random-or-shell */
    FILE *pipe = popen(name, "r"); /* refused: random-or-shell */
    return rand() +                /* refused: random-or-shell */
           system(name) +          /* refused: random-or-shell */
           (pipe != NULL);
}
