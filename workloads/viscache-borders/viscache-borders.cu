// viscache-borders.cu - the borders of what can be seen from cells of a game's map, for a
// visibility cache: a thread per source cell and sector. A reconstruction: the original is not
// public.
//
// Octant coordinates of a cell: its steps along the octant's major axis, 0..range, and along the
// minor axis. Ray k of an octant, 0..range, has at step s the minor coordinate s * k / range,
// rounded.

#define COARSE 8 // every such ray is cast; those between only where the distance changes

typedef unsigned char byte;

struct view {
    const byte *map; // not 0: an obstacle
    int width, height;
    int x, y; // the source
    int octant;
    int range;
};

// The map's cell at octant coordinates, or -1 outside the map.
static __device__ int cell_at(const view &v, int major, int minor)
{
    int x, y;
    switch (v.octant) {
    case 0:
        x = v.x + major;
        y = v.y + minor;
        break;
    case 1:
        x = v.x + minor;
        y = v.y + major;
        break;
    case 2:
        x = v.x - minor;
        y = v.y + major;
        break;
    case 3:
        x = v.x - major;
        y = v.y + minor;
        break;
    case 4:
        x = v.x - major;
        y = v.y - minor;
        break;
    case 5:
        x = v.x - minor;
        y = v.y - major;
        break;
    case 6:
        x = v.x + minor;
        y = v.y - major;
        break;
    default:
        x = v.x + major;
        y = v.y - minor;
        break;
    }
    return x >= 0 && x < v.width && y >= 0 && y < v.height ? y * v.width + x : -1;
}

// Steps along a ray before the first obstacle.
static __device__ int cast(const view &v, int ray)
{
    int minor = 0;
    int error = v.range / 2;
    for (int step = 1; step <= v.range; step++) {
        error += ray;
        if (error >= v.range) {
            error -= v.range;
            minor++;
        }
        const int cell = cell_at(v, step, minor);
        if (cell < 0 || v.map[cell] != 0) {
            return step - 1;
        }
    }
    return v.range;
}

struct output {
    unsigned *bits; // of the source: a bit per cell of the map
    int *list;      // of the thread: the first cells that it marked, in order
    int capacity;
    int count;
};

static __device__ void mark(output &out, int cell)
{
    atomicOr(&out.bits[cell / 32], 1u << cell % 32);
    if (out.count < out.capacity) {
        out.list[out.count] = cell;
    }
    out.count++;
}

static __device__ void mark_on_ray(const view &v, output &out, int ray, int step)
{
    mark(out, cell_at(v, step, (step * ray + v.range / 2) / v.range));
}

// Marks the border between two rays with these distances, which are neighbours or nearly agree.
static __device__ void trace(const view &v, output &out, int ray0, int ray1, int distance0,
                             int distance1)
{
    const int nearer = min(distance0, distance1);
    const int farther = max(distance0, distance1);
    if (nearer == v.range) { // nothing in the way
        mark_on_ray(v, out, ray0, v.range);
    } else if (farther - nearer <= 1) { // a wall
        mark_on_ray(v, out, ray0, distance0);
    } else { // a gap: the border follows the longer ray
        const int ray = distance0 > distance1 ? ray0 : ray1;
        for (int step = nearer + 1; step <= farther; step++) {
            mark_on_ray(v, out, ray, step);
        }
    }
}

// Two rays and their distances, a byte each.
static __device__ unsigned pack(int ray0, int ray1, int distance0, int distance1)
{
    return (unsigned)(ray0 | ray1 << 8 | distance0 << 16 | distance1 << 24);
}

// sectors: of all octants together, a multiple of 8; neighbouring threads have different octants.
// range: below 256, a multiple of COARSE * sectors / 8.
extern "C" __global__ void viscache_borders(const byte *map, int width, int height,
                                            const int2 *sources, int threads, int sectors,
                                            int range, unsigned *bits, int words, int *lists,
                                            int capacity, int *counts)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= threads) {
        return;
    }
    const int source = t / sectors;
    const int sector = t % sectors;
    const int rays = range * 8 / sectors; // of this sector
    const int first = sector / 8 * rays;
    const view v = {map, width, height, sources[source].x, sources[source].y, sector % 8, range};
    output out = {&bits[source * words], &lists[t * capacity], capacity, 0};

    int distance0 = cast(v, first);
    for (int ray = first; ray < first + rays; ray += COARSE) {
        const int distance1 = cast(v, ray + COARSE);
        unsigned stack[4]; // as deep as COARSE can be halved
        int depth = 0;
        stack[depth++] = pack(ray, ray + COARSE, distance0, distance1);
        while (depth > 0) {
            const unsigned top = stack[--depth];
            const int ray0 = top & 255;
            const int ray1 = top >> 8 & 255;
            const int d0 = top >> 16 & 255;
            const int d1 = top >> 24;
            if (ray1 - ray0 > 1 && abs(d0 - d1) > 1) {
                const int middle = (ray0 + ray1) / 2;
                const int d = cast(v, middle);
                stack[depth++] = pack(middle, ray1, d, d1);
                stack[depth++] = pack(ray0, middle, d0, d);
            } else {
                trace(v, out, ray0, ray1, d0, d1);
            }
        }
        distance0 = distance1;
    }
    counts[t] = out.count;
}
