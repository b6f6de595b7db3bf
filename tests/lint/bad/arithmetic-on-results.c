/* A command that works results out, as a file of cli/ would. */
#include <math.h>

double ww_total(const double *joules, int count);
double ww_error_percent(double ours, double reference);
double ww_correlation(double covariance, double variance);
double ww_microjoules(double joules, double scale);

double ww_total(const double *joules, int count)
{
    double sum = 0;
    int n = 0;
    for (int i = 0; i < count; i++) {
        sum += joules[i]; /* refused: arithmetic-on-results */
        n += 1;
    }
    sum /= n; /* refused: arithmetic-on-results */
    return sum;
}

double ww_error_percent(double ours, double reference)
{
    double error = ours - reference; /* refused: arithmetic-on-results */
    error = error / reference;       /* refused: arithmetic-on-results */
    return 100 * error;
}

double ww_correlation(double covariance, double variance)
{
    const double sigma = sqrt(variance); /* refused: arithmetic-on-results */
    return covariance / sigma;           /* refused: arithmetic-on-results */
}

double ww_microjoules(double joules, double scale)
{
    return 1e6 * joules * scale;
}
