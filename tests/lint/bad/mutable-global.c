/* State of the process, in each place where it hides. */
#include <stdint.h>

struct pair {
    int a, b;
};
enum { WAYS = 2 };

static const int primes[] = {2, 3, 5};
static const char *const names[] = {"a", "b"};
static const struct pair origin = {0, 0};

static int launches;                        /* refused: mutable-global */
static struct pair last = {1, 2};           /* refused: mutable-global */
static const char *kept_name = "none";      /* refused: mutable-global */
static uint64_t table[WAYS];                /* refused: mutable-global */
static _Thread_local int depth;             /* refused: mutable-global */
static const char *messages[] = {"a", "b"}; /* refused: mutable-global */
static void (*handler)(int);                /* refused: mutable-global */

int ww_next(void);

int ww_next(void)
{
    static int next; /* refused: mutable-global */
    static const int step = 2;
    int here = primes[0] + origin.a + last.a + depth + launches + (int)table[0];
    return next += step + here + (handler != 0) + names[0][0] + kept_name[0] + messages[0][0];
}
