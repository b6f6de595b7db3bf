// hotspot.cu - explicit heat equation on a chip's grid; a CTA advances its tile several steps at
// once and keeps only the part that its halo has not yet spoilt (ghost zones).

#define EDGE    16
#define AMBIENT 80.0f

extern "C" __global__ void calculate_temp(int steps, const float *power, const float *source,
                                          float *result, int columns, int rows, int border_columns,
                                          int border_rows, float capacity, float x_resistance,
                                          float y_resistance, float z_resistance, float step)
{
    __shared__ float temperature[EDGE][EDGE];
    __shared__ float heat[EDGE][EDGE];
    __shared__ float next[EDGE][EDGE];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;

    // As in the original, every thread divides for itself.
    const float step_over_capacity = step / capacity;
    const float x_conductance = 1.0f / x_resistance;
    const float y_conductance = 1.0f / y_resistance;
    const float z_conductance = 1.0f / z_resistance;

    // The tile's origin on the grid; it may lie outside by up to the border.
    const int tile_y = (EDGE - 2 * border_rows) * blockIdx.y - border_rows;
    const int tile_x = (EDGE - 2 * border_columns) * blockIdx.x - border_columns;
    const int y = tile_y + ty;
    const int x = tile_x + tx;
    const int index = y * columns + x;
    const bool on_grid = y >= 0 && y < rows && x >= 0 && x < columns;

    if (on_grid) {
        temperature[ty][tx] = source[index];
        heat[ty][tx] = power[index];
    }
    __syncthreads();

    // The part of the tile that lies on the grid, and this cell's neighbours clamped to it.
    const int first_y = tile_y < 0 ? -tile_y : 0;
    const int last_y = tile_y + EDGE > rows ? rows - 1 - tile_y : EDGE - 1;
    const int first_x = tile_x < 0 ? -tile_x : 0;
    const int last_x = tile_x + EDGE > columns ? columns - 1 - tile_x : EDGE - 1;
    const int north = max(ty - 1, first_y);
    const int south = min(ty + 1, last_y);
    const int west = max(tx - 1, first_x);
    const int east = min(tx + 1, last_x);

    bool computed = false;
    for (int i = 1; i <= steps; i++) {
        computed = on_grid && tx >= i && tx <= EDGE - 1 - i && ty >= i && ty <= EDGE - 1 - i;
        if (computed) {
            const float t = temperature[ty][tx]; // the constant 2.0 makes the sum double, as in the original
            next[ty][tx] =
                t +
                step_over_capacity *
                    (heat[ty][tx] +
                     (temperature[south][tx] + temperature[north][tx] - 2.0 * t) * y_conductance +
                     (temperature[ty][east] + temperature[ty][west] - 2.0 * t) * x_conductance +
                     (AMBIENT - t) * z_conductance);
        }
        __syncthreads();
        if (i == steps) {
            break;
        }
        if (computed) {
            temperature[ty][tx] = next[ty][tx];
        }
        __syncthreads();
    }
    if (computed) {
        result[index] = next[ty][tx];
    }
}
