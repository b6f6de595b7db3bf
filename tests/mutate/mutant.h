/* What plant.py puts into a copy of the source: which of the planted faults acts, by the
 * environment. */
#ifndef WW_TESTS_MUTATE_MUTANT_H
#define WW_TESTS_MUTATE_MUTANT_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { WW_MUTANTS = 1024 };

static int ww_mutant_acting;
static const char *ww_mutants_met; /* a file that takes the numbers of those come by, or NULL */
static bool ww_mutant_known[WW_MUTANTS];

__attribute__((constructor)) static void ww_mutant_choose(void)
{
    const char *number = getenv("WW_MUTANT");
    ww_mutant_acting = number != NULL ? atoi(number) : 0;
    ww_mutants_met = getenv("WW_MUTANTS_MET");
}

static void ww_mutant_note(int number)
{
    if (!ww_mutant_known[number]) {
        ww_mutant_known[number] = true;
        FILE *file = fopen(ww_mutants_met, "a");
        if (file != NULL) {
            fprintf(file, "%d\n", number);
            fclose(file);
        }
    }
}

/* Whether this fault acts. */
static inline bool ww_mutant(int number)
{
    if (__builtin_expect(ww_mutants_met != NULL, 0)) {
        ww_mutant_note(number);
    }
    return __builtin_expect(number == ww_mutant_acting, 0);
}

#endif
