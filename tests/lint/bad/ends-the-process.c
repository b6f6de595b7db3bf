/* Ends of the process. */
#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

void ww_end(int how);

void ww_end(int how)
{
    assert(how >= 0); /* refused: ends-the-process */
    if (how == 0) {
        exit(0); /* refused: ends-the-process */
    }
    if (how == 1) {
        _exit(1); /* refused: ends-the-process */
    }
    how == 2 ? abort() : (void)0; /* refused: ends-the-process */
}
