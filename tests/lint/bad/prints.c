/* Ways to the terminal. */
#include <stdio.h>

void ww_say(FILE *to, const char *text);

void ww_say(FILE *to, const char *text)
{
    fprintf(to, "%s\n", text);
    printf("%s\n", text);          /* refused: prints */
    puts(text);                    /* refused: prints */
    perror(text);                  /* refused: prints */
    fprintf(stderr, "%s\n", text); /* refused: prints */
    fputs(text, stderr);           /* refused: prints */
    FILE *other = stdout;          /* refused: prints */
    fflush(other);
}
