/* draw.h - what launches of kernels.cu are told, in both languages. */
#ifndef WW_RUNTIME_MATH_RAND_DRAW_H
#define WW_RUNTIME_MATH_RAND_DRAW_H

/* A generator made of many, each a part of its sequence far from the others': number i of what is
 * drawn is of part i % parts. */
typedef struct rand_part {
    unsigned word[6];
} rand_part;

typedef struct rand_draw {
    void *out;
    unsigned long long units; /* numbers; of normal ones of pseudo-random generators, pairs */
    unsigned long long first; /* number in the sequence, where its place is enough to find it */
    unsigned long long seed;
    double a, b;          /* mean and deviation, or the mean of Poisson's */
    rand_part *states;    /* one for each part */
    unsigned parts, next; /* the part that is next */
    const void
        *directions; /* of quasi-random generators, as many words for each dimension as bits */
    unsigned dimensions;
} rand_draw;

#endif
