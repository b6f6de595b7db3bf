// cfd.cu - explicit finite-volume solver of the Euler equations on an unstructured grid of
// tetrahedra, an element per thread.

#define GAMMA     1.4f
#define SMOOTHING 0.2f
#define FACES     4
#define WING      (-1) // no neighbour: a wall
#define FAR_FIELD (-2) // no neighbour: the free stream
#define RK        3    // stages of a step

enum { DENSITY, MOMENTUM, ENERGY = MOMENTUM + 3, VARIABLES };

__constant__ float ff_variable[VARIABLES];
__constant__ float3 ff_flux_contribution_momentum_x[1];
__constant__ float3 ff_flux_contribution_momentum_y[1];
__constant__ float3 ff_flux_contribution_momentum_z[1];
__constant__ float3 ff_flux_contribution_density_energy[1];

struct state {
    float density;
    float3 momentum;
    float energy;
};

static __device__ inline state load(const float *variables, int i, int elements)
{
    state s;
    s.density = variables[i + DENSITY * elements];
    s.momentum.x = variables[i + (MOMENTUM + 0) * elements];
    s.momentum.y = variables[i + (MOMENTUM + 1) * elements];
    s.momentum.z = variables[i + (MOMENTUM + 2) * elements];
    s.energy = variables[i + ENERGY * elements];
    return s;
}

static __device__ inline float3 velocity_of(const state &s)
{
    return make_float3(s.momentum.x / s.density, s.momentum.y / s.density,
                       s.momentum.z / s.density);
}

static __device__ inline float square(const float3 &v)
{
    return v.x * v.x + v.y * v.y + v.z * v.z;
}

static __device__ inline float pressure_of(const state &s, float speed_squared)
{
    return (GAMMA - 1.0f) * (s.energy - 0.5f * s.density * speed_squared);
}

static __device__ inline float speed_of_sound(float density, float pressure)
{
    return sqrtf(GAMMA * pressure / density);
}

// What momentum and energy a flow carries along, in each direction.
struct contribution {
    float3 x, y, z, energy;
};

static __device__ inline contribution contribution_of(const state &s, const float3 &v,
                                                      float pressure)
{
    contribution c;
    c.x = make_float3(v.x * s.momentum.x + pressure, v.x * s.momentum.y, v.x * s.momentum.z);
    c.y = make_float3(c.x.y, v.y * s.momentum.y + pressure, v.y * s.momentum.z);
    c.z = make_float3(c.x.z, c.y.z, v.z * s.momentum.z + pressure);
    const float enthalpy = s.energy + pressure;
    c.energy = make_float3(v.x * enthalpy, v.y * enthalpy, v.z * enthalpy);
    return c;
}

extern "C" __global__ void cuda_initialize_variables(int elements, float *variables)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    for (int v = 0; v < VARIABLES; v++) {
        variables[i + v * elements] = ff_variable[v];
    }
}

extern "C" __global__ void cuda_compute_step_factor(int elements, const float *variables,
                                                    const float *areas, float *step_factors)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    const state s = load(variables, i, elements);
    const float speed_squared = square(velocity_of(s));
    const float sound = speed_of_sound(s.density, pressure_of(s, speed_squared));
    step_factors[i] = 0.5f / (sqrtf(areas[i]) * (sqrtf(speed_squared) + sound));
}

// Sums over the faces, whose normals point inwards.
extern "C" __global__ void cuda_compute_flux(int elements, const int *neighbours,
                                             const float *normals, const float *variables,
                                             float *fluxes)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    const state here = load(variables, i, elements);
    const float3 velocity = velocity_of(here);
    const float speed_squared = square(velocity);
    const float speed = sqrtf(speed_squared);
    const float pressure = pressure_of(here, speed_squared);
    const float sound = speed_of_sound(here.density, pressure);
    const contribution c = contribution_of(here, velocity, pressure);

    state flux = {0.0f, {0.0f, 0.0f, 0.0f}, 0.0f};
#pragma unroll
    for (int j = 0; j < FACES; j++) {
        const int neighbour = neighbours[i + j * elements];
        const float3 normal =
            make_float3(normals[i + (j * 3 + 0) * elements], normals[i + (j * 3 + 1) * elements],
                        normals[i + (j * 3 + 2) * elements]);
        const float area = sqrtf(square(normal));

        if (neighbour >= 0) {
            const state there = load(variables, neighbour, elements);
            const float3 velocity_there = velocity_of(there);
            const float speed_squared_there = square(velocity_there);
            const float pressure_there = pressure_of(there, speed_squared_there);
            const float sound_there = speed_of_sound(there.density, pressure_there);
            const contribution d = contribution_of(there, velocity_there, pressure_there);

            // Artificial viscosity.
            float factor = -area * SMOOTHING * 0.5f *
                           (speed + sqrtf(speed_squared_there) + sound + sound_there);
            flux.density += factor * (here.density - there.density);
            flux.energy += factor * (here.energy - there.energy);
            flux.momentum.x += factor * (here.momentum.x - there.momentum.x);
            flux.momentum.y += factor * (here.momentum.y - there.momentum.y);
            flux.momentum.z += factor * (here.momentum.z - there.momentum.z);

            factor = 0.5f * normal.x;
            flux.density += factor * (there.momentum.x + here.momentum.x);
            flux.energy += factor * (d.energy.x + c.energy.x);
            flux.momentum.x += factor * (d.x.x + c.x.x);
            flux.momentum.y += factor * (d.y.x + c.y.x);
            flux.momentum.z += factor * (d.z.x + c.z.x);

            factor = 0.5f * normal.y;
            flux.density += factor * (there.momentum.y + here.momentum.y);
            flux.energy += factor * (d.energy.y + c.energy.y);
            flux.momentum.x += factor * (d.x.y + c.x.y);
            flux.momentum.y += factor * (d.y.y + c.y.y);
            flux.momentum.z += factor * (d.z.y + c.z.y);

            factor = 0.5f * normal.z;
            flux.density += factor * (there.momentum.z + here.momentum.z);
            flux.energy += factor * (d.energy.z + c.energy.z);
            flux.momentum.x += factor * (d.x.z + c.x.z);
            flux.momentum.y += factor * (d.y.z + c.y.z);
            flux.momentum.z += factor * (d.z.z + c.z.z);
        } else if (neighbour == WING) {
            flux.momentum.x += normal.x * pressure;
            flux.momentum.y += normal.y * pressure;
            flux.momentum.z += normal.z * pressure;
        } else if (neighbour == FAR_FIELD) {
            float factor = 0.5f * normal.x;
            flux.density += factor * (ff_variable[MOMENTUM + 0] + here.momentum.x);
            flux.energy += factor * (ff_flux_contribution_density_energy[0].x + c.energy.x);
            flux.momentum.x += factor * (ff_flux_contribution_momentum_x[0].x + c.x.x);
            flux.momentum.y += factor * (ff_flux_contribution_momentum_y[0].x + c.y.x);
            flux.momentum.z += factor * (ff_flux_contribution_momentum_z[0].x + c.z.x);

            factor = 0.5f * normal.y;
            flux.density += factor * (ff_variable[MOMENTUM + 1] + here.momentum.y);
            flux.energy += factor * (ff_flux_contribution_density_energy[0].y + c.energy.y);
            flux.momentum.x += factor * (ff_flux_contribution_momentum_x[0].y + c.x.y);
            flux.momentum.y += factor * (ff_flux_contribution_momentum_y[0].y + c.y.y);
            flux.momentum.z += factor * (ff_flux_contribution_momentum_z[0].y + c.z.y);

            factor = 0.5f * normal.z;
            flux.density += factor * (ff_variable[MOMENTUM + 2] + here.momentum.z);
            flux.energy += factor * (ff_flux_contribution_density_energy[0].z + c.energy.z);
            flux.momentum.x += factor * (ff_flux_contribution_momentum_x[0].z + c.x.z);
            flux.momentum.y += factor * (ff_flux_contribution_momentum_y[0].z + c.y.z);
            flux.momentum.z += factor * (ff_flux_contribution_momentum_z[0].z + c.z.z);
        }
    }
    fluxes[i + DENSITY * elements] = flux.density;
    fluxes[i + (MOMENTUM + 0) * elements] = flux.momentum.x;
    fluxes[i + (MOMENTUM + 1) * elements] = flux.momentum.y;
    fluxes[i + (MOMENTUM + 2) * elements] = flux.momentum.z;
    fluxes[i + ENERGY * elements] = flux.energy;
}

extern "C" __global__ void cuda_time_step(int stage, int elements, const float *old_variables,
                                          float *variables, const float *step_factors,
                                          const float *fluxes)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    const float factor = step_factors[i] / (float)(RK + 1 - stage);
    for (int v = 0; v < VARIABLES; v++) {
        variables[i + v * elements] =
            old_variables[i + v * elements] + factor * fluxes[i + v * elements];
    }
}
