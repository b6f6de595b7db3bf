/* A choice that reads as a riddle; four in a row are still read at a glance. */
const char *ww_size(int n);

const char *ww_size(int n)
{
    const char *more = n == 3 ? "three" : n == 4 ? "four" : n == 5 ? "five" : n == 6 ? "six" : "";
    return n < -1    ? "debts" /* refused: chain-of-conditions */
           : n == -1 ? "a debt"
           : n == 0  ? "none"
           : n == 1  ? "one"
           : n == 2  ? "two"
                     : more;
}
