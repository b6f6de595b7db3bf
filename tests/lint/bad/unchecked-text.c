/* Text without a length, numbers without an error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ww_copy(char *to, const char *from);

int ww_copy(char *to, const char *from)
{
    snprintf(to, 8, "%s", from);
    strcpy(to, from);        /* refused: unchecked-text */
    strcat(to, from);        /* refused: unchecked-text */
    sprintf(to, "%s", from); /* refused: unchecked-text */
    strtok(to, ",");         /* refused: unchecked-text */
    return atoi(from) +      /* refused: unchecked-text */
           (int)atof(from);  /* refused: unchecked-text */
}
