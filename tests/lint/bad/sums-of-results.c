/* A command that adds results up, as a file of cli/ would. */
double ww_total(const double *joules, int count);

double ww_total(const double *joules, int count)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < count; i++) {
        sum += joules[i]; /* refused: sums-of-results */
        n += 1;
    }
    sum /= n; /* refused: sums-of-results */
    return sum;
}
