/* hotspot.c - driver of the thermal simulation; the reference steps the same equation in double
 * precision. */
#include "workloads/support.h"

#define EDGE    16 /* of a CTA */
#define PYRAMID 2  /* most steps per launch */
#define AMBIENT 80.0

/* Coefficients of T += step / capacity * (P + ... / resistances); see coefficients(). */
typedef struct model {
    int32_t columns, rows;
    float step;     /* s */
    float capacity; /* J/K */
    float x, y, z;  /* thermal resistances to the neighbours and to ambient [K/W] */
} model;

/* The chip and material of HotSpot (Huang et al., IEEE TVLSI 14(5), 2006), as the benchmark sets
 * them. */
static model coefficients(int32_t columns, int32_t rows)
{
    const double chip_edge = 0.016;      /* m */
    const double thickness = 0.0005;     /* m */
    const double conductivity = 100.0;   /* W/(m K) */
    const double specific_heat = 1.75e6; /* J/(m3 K) */
    const double factor = 0.5;           /* fitted share of the capacity */
    const double max_power_density = 3.0e6;
    const double precision = 0.001; /* K per step */

    const double width = chip_edge / columns;
    const double height = chip_edge / rows;
    const double capacity = factor * specific_heat * thickness * width * height;
    const double max_slope = max_power_density / (factor * thickness * specific_heat);
    return (model){
        .columns = columns,
        .rows = rows,
        .step = (float)(precision / max_slope),
        .capacity = (float)capacity,
        .x = (float)(width / (2.0 * conductivity * thickness * height)),
        .y = (float)(height / (2.0 * conductivity * thickness * width)),
        .z = (float)(thickness / (conductivity * height * width)),
    };
}

static void step_reference(const model *m, const float *power, const double *t, double *next)
{
    for (int32_t y = 0; y < m->rows; y++) {
        for (int32_t x = 0; x < m->columns; x++) {
            const int32_t i = y * m->columns + x;
            const double here = t[i];
            const double north = y > 0 ? t[i - m->columns] : here;
            const double south = y < m->rows - 1 ? t[i + m->columns] : here;
            const double west = x > 0 ? t[i - 1] : here;
            const double east = x < m->columns - 1 ? t[i + 1] : here;
            next[i] = here + (double)m->step / (double)m->capacity *
                                 ((double)power[i] + (north + south - 2.0 * here) / (double)m->y +
                                  (west + east - 2.0 * here) / (double)m->x +
                                  (AMBIENT - here) / (double)m->z);
        }
    }
}

/* Steps on the device, PYRAMID per launch and the rest in the last; *result is where they end. */
static ww_status simulate(ww__bench *bench, const model *m, int32_t steps, ww_devptr power,
                          ww_devptr source, ww_devptr target, ww_devptr *result)
{
    const int32_t border = PYRAMID;
    const size_t kept = EDGE - 2 * PYRAMID;
    const ww_dim3 grid =
        ww__dim(ww__pieces((size_t)m->columns, kept), ww__pieces((size_t)m->rows, kept));

    for (int32_t done = 0; done < steps; done += PYRAMID) {
        const int32_t now = steps - done < PYRAMID ? steps - done : PYRAMID;
        WW_TRY(WW__LAUNCH(bench, "calculate_temp", grid, ww__dim(EDGE, EDGE), 0, &now, &power,
                          &source, &target, &m->columns, &m->rows, &border, &border, &m->capacity,
                          &m->x, &m->y, &m->z, &m->step));
        const ww_devptr swap = source;
        source = target;
        target = swap;
    }
    *result = source;
    return WW_OK;
}

static ww_status run(ww__bench *bench, ww_workload_size size)
{
    static const struct {
        int32_t columns, rows, steps;
    } inputs[] = {{37, 34, 3}, {144, 144, 4}, {384, 384, 4}, {512, 512, 2}};
    const model m = coefficients(inputs[size].columns, inputs[size].rows);
    const size_t count = (size_t)m.columns * (size_t)m.rows;
    const size_t bytes = count * sizeof(float);

    float *temperature, *power, *actual;
    double *expected, *next;
    WW_TRY(ww__random_floats(bench, count, 323.0f, 343.0f, &temperature));
    WW_TRY(ww__random_floats(bench, count, 0.0f, 1.0f, &power));
    WW_TRY(ww__host_array(bench, count, sizeof *expected, &expected));
    WW_TRY(ww__host_array(bench, count, sizeof *next, &next));

    ww_devptr device_power, first, second, result;
    WW_TRY(ww__upload(bench, power, bytes, &device_power));
    WW_TRY(ww__upload(bench, temperature, bytes, &first));
    WW_TRY(ww__buffer(bench, bytes, &second));
    WW_TRY(simulate(bench, &m, inputs[size].steps, device_power, first, second, &result));
    WW_TRY(ww__download(bench, result, bytes, &actual));

    for (size_t i = 0; i < count; i++) {
        expected[i] = (double)temperature[i];
    }
    for (int32_t i = 0; i < inputs[size].steps; i++) {
        step_reference(&m, power, expected, next);
        double *swap = expected;
        expected = next;
        next = swap;
    }
    /* A step changes a cell by up to 1 K at the default size and by up to 0.01 K at the small one;
     * rounding is half of 3e-5 K per step. */
    return ww__verify_floats(bench, "temperature", actual, expected, count, 0.0, 2e-4);
}

ww_status ww_hotspot_run(ww_device *device, ww_workload_size size, ww_error *err)
{
    return ww__bench_run(device, "hotspot", &ww__ptx_hotspot, size, run, err);
}
