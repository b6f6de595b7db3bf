/* What a result may not depend on. */
#include <locale.h>
#include <stdlib.h>

const char *ww_where(void);

const char *ww_where(void)
{
    setlocale(LC_ALL, "");      /* refused: environment */
    setenv("WARPWATT", "1", 1); /* refused: environment */
    return getenv("WARPWATT");  /* refused: environment */
}
