// dwt2d.cu - forward wavelet transform of JPEG 2000, reversible 5/3, of one colour component: a CTA
// slides down a strip of columns, lifting columns and then rows of a window of eight rows.

#define WINDOW 8            // rows per step
#define LINES  (WINDOW + 3) // with two rows before them and one behind
#define BEFORE 2            // columns of the strip on its left that it needs
#define GAP    37  // words between even and odd columns, so that neighbours fall in different banks
#define COPY   256 // pixels per CTA of the copy
#define WORDS  (COPY * 3 / 4) // that they take

// Splits pixels of three bytes into components around zero.
extern "C" __global__ void c_CopySrcToComponents(int *red, int *green, int *blue,
                                                 const unsigned *bytes, int pixels)
{
    __shared__ unsigned words[WORDS];
    const int tx = threadIdx.x;
    const int i = blockIdx.x * COPY + tx;
    if (tx < WORDS) {
        words[tx] = bytes[blockIdx.x * WORDS + tx];
    }
    __syncthreads();
    if (i < pixels) {
        const unsigned char *const pixel = (const unsigned char *)words + tx * 3;
        red[i] = pixel[0] - 128;
        green[i] = pixel[1] - 128;
        blue[i] = pixel[2] - 128;
    }
}

// Place beyond the edge -> its mirror image.
static __device__ inline int mirror(int i, int n)
{
    i = i < 0 ? -i : i;
    i = i >= n ? 2 * (n - 1) - i : i;
    return max(i, 0); // of places so far outside that nobody uses them
}

// One column: reads rows in order, checked or not, and carries what the next window needs.
template <bool checked> struct column {
    const int *source;
    int stride, row, rows;
    int high; // the transformed row before the window
    int even; // the first row of the window, as read

    __device__ void start(const int *image, int x, int width, int height, int first_row)
    {
        source = image + (checked ? mirror(x, width) : x);
        stride = width;
        rows = height;
        row = first_row - BEFORE;
        const int above = read();
        const int between = read();
        even = read();
        high = between - ((above + even) >> 1);
    }
    __device__ int read()
    {
        const int y = checked ? mirror(row, rows) : row;
        row++;
        return source[y * stride];
    }
    // Lifts the column and puts it into lines 2 to 9, `at` and further lines `line` words apart.
    __device__ void lift(int *at, int line)
    {
        int *p = at + 2 * line;
#pragma unroll
        for (int i = 0; i < WINDOW; i += 2) {
            const int odd = read();
            const int next = read();
            const int now = odd - ((even + next) >> 1);
            p[i * line] = even + ((high + now + 2) >> 2);
            p[(i + 1) * line] = now;
            high = now;
            even = next;
        }
    }
};

template <int WIDTH> struct strip {
    static const int EVENS = WIDTH / 2 + 2; // columns -2, 0, .., WIDTH
    static const int ODDS = WIDTH / 2 + 1;  // columns -1, 1, .., WIDTH - 1
    static const int WORDS_OF_IT = LINES * (EVENS + ODDS) + GAP;

    // Of column c from -2 on: its place in the first line, and the words from line to line.
    static __device__ int place(int c)
    {
        const int i = c + BEFORE;
        return i % 2 == 0 ? i / 2 : LINES * EVENS + GAP + i / 2;
    }
    static __device__ int line(int c)
    {
        return c % 2 == 0 ? EVENS : ODDS;
    }
};

// Lifts the rows of the window in place: first every odd column, then the even ones.
template <int WIDTH> static __device__ void lift_rows(int *buffer)
{
    typedef strip<WIDTH> s;
    int *const evens = buffer;
    int *const odds = buffer + LINES * s::EVENS + GAP;
    const int k = threadIdx.x % (WIDTH / 2);
    const int first = 2 + threadIdx.x / (WIDTH / 2);

    if (threadIdx.x < WINDOW) { // the odd column before the strip
        const int y = 2 + threadIdx.x;
        odds[y * s::ODDS] -= (evens[y * s::EVENS] + evens[y * s::EVENS + 1]) >> 1;
    }
#pragma unroll
    for (int y = first; y < 2 + WINDOW; y += 2) {
        odds[y * s::ODDS + k + 1] -=
            (evens[y * s::EVENS + k + 1] + evens[y * s::EVENS + k + 2]) >> 1;
    }
    __syncthreads();
#pragma unroll
    for (int y = first; y < 2 + WINDOW; y += 2) {
        evens[y * s::EVENS + k + 1] += (odds[y * s::ODDS + k] + odds[y * s::ODDS + k + 1] + 2) >> 2;
    }
    __syncthreads();
}

// The four sub-bands lie one behind the other: low, high in x, high in y, high in both.
static __device__ inline int *band(int *out, int width, int height, int x, int y)
{
    const int low_columns = (width + 1) / 2;
    const int high_columns = width / 2;
    const int low_rows = (height + 1) / 2;
    if (y % 2 != 0) {
        out += low_rows * width + (x % 2 != 0 ? height / 2 * low_columns : 0);
    } else if (x % 2 != 0) {
        out += low_rows * low_columns;
    }
    return out + y / 2 * (x % 2 != 0 ? high_columns : low_columns) + x / 2;
}

template <int WIDTH, bool checked>
static __device__ void slide(int *buffer, const int *image, int *out, int width, int height,
                             int steps)
{
    typedef strip<WIDTH> s;
    const int tx = threadIdx.x;
    const int x = blockIdx.x * WIDTH + tx;
    const int first = blockIdx.y * WINDOW * steps;
    // Threads 0, 1 and 2 take the columns beside the strip as well.
    const int beside = tx < BEFORE ? tx - BEFORE : WIDTH;
    const bool takes = tx < BEFORE + 1;

    column<checked> own, other;
    own.start(image, x, width, height, first);
    if (takes) {
        other.start(image, blockIdx.x * WIDTH + beside, width, height, first);
    }
#pragma unroll 1
    for (int y = first; y < min(first + steps * WINDOW, height); y += WINDOW) {
        own.lift(&buffer[s::place(tx)], s::line(tx));
        if (takes) {
            other.lift(&buffer[s::place(beside)], s::line(beside));
        }
        __syncthreads();
        lift_rows<WIDTH>(buffer);
#pragma unroll
        for (int i = 0; i < WINDOW; i++) {
            if (!checked || (x < width && y + i < height)) {
                *band(out, width, height, x, y + i) = buffer[s::place(tx) + (2 + i) * s::line(tx)];
            }
        }
        __syncthreads();
    }
}

template <int WIDTH>
static __device__ void fdwt53(const int *image, int *out, int width, int height, int steps)
{
    __shared__ int buffer[strip<WIDTH>::WORDS_OF_IT];
    const bool inside = blockIdx.x > 0 && (blockIdx.x + 1) * WIDTH < width && blockIdx.y > 0 &&
                        (blockIdx.y + 1) * steps * WINDOW < height;
    if (inside) {
        slide<WIDTH, false>(buffer, image, out, width, height, steps);
    } else {
        slide<WIDTH, true>(buffer, image, out, width, height, steps);
    }
}

extern "C" __global__ void fdwt53Kernel192(const int *image, int *out, int width, int height,
                                           int steps)
{
    fdwt53<192>(image, out, width, height, steps);
}

extern "C" __global__ void fdwt53Kernel128(const int *image, int *out, int width, int height,
                                           int steps)
{
    fdwt53<128>(image, out, width, height, steps);
}

extern "C" __global__ void fdwt53Kernel64(const int *image, int *out, int width, int height,
                                          int steps)
{
    fdwt53<64>(image, out, width, height, steps);
}
