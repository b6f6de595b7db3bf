/* Calls of which nobody can say what they ask for. */
#include <stdbool.h>

int ww_send(int port, int bytes, bool write, bool held, bool last, int warp);
int ww_ask(void);

int ww_ask(void)
{
    enum { PORT = 1, BYTES = 32, WARP = 7 };
    int a = ww_send(0, 32, true, false, true, 7);           /* refused: nameless-arguments */
    int b = ww_send(PORT, BYTES, true, false, true, false); /* refused: nameless-arguments */
    int c = ww_send(PORT, BYTES, true, false, true, WARP);
    return a + b + c;
}
