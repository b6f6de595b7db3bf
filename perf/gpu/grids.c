/* grids.c - launches that run at the same time: which of them may begin, and which SM takes CTAs of
 * which. An SM holds CTAs of one launch at a time, as in GPGPU-Sim (gpgpu_concurrent_kernel_sm 0).
 * Everything here happens at the edges of windows. */
#include <string.h>

#include "base/arith.h"
#include "base/assert.h"
#include "base/mem.h"
#include "perf/gpu/gpu.h"

void ww_grids_clear(ww_gpu *gpu)
{
    for (uint32_t g = 0; g < gpu->grids; g++) {
        ww_free(gpu->grid[g].profile);
    }
    ww_free(gpu->grid);
    gpu->grid = NULL;
    gpu->grids = 0;
}

/* Whether a grid before it has not ended. */
static bool depends(const ww_gpu *gpu, const ww_grid *grid)
{
    for (uint32_t k = 0; k < grid->after_count; k++) {
        if (gpu->grid[grid->after[k]].end == UINT64_MAX) {
            return true;
        }
    }
    return false;
}

static ww_status give(ww_gpu *gpu, uint32_t sm, uint32_t g, ww_error *err)
{
    ww_grid *grid = &gpu->grid[g];
    gpu->grid_of[sm] = g;
    grid->sms++;
    ww_sm_count_into(gpu->sm[sm], grid->profile);
    gpu->work[sm].counts_for = 0;
    WW_TRY(ww_sm_begin(gpu->sm[sm], grid->program, grid->launch, grid->cta_limit, err));
    ww_sm_set_depends(gpu->sm[sm], depends(gpu, grid), gpu->start);
    return WW_OK;
}

static ww_status begin_grid(ww_gpu *gpu, ww_grid *grid, ww_error *err)
{
    const ww_dim3 shape = grid->launch->grid;
    grid->ctas = (uint64_t)shape.x * shape.y * shape.z;
    grid->next_cta = 0;
    grid->clustered = ww_cluster_size(grid->launch) > 1;
    grid->sms = 0;
    grid->last = gpu->start;
    grid->first = gpu->start + gpu->arch->sm.kernel_launch_cycles;
    if (grid->after_count > 0) {
        grid->first = UINT64_MAX;
    }
    grid->end = UINT64_MAX;
    grid->profile = NULL;
    if (gpu->profiling) {
        grid->profiles = gpu->team != NULL ? ww_team_members(gpu->team) : 1;
        grid->profile =
            WW_NEW_ARRAY(ww_profile_count, (size_t)grid->profiles * ww_profile_rows(grid->program));
        if (grid->profile == NULL) {
            return ww_no_memory_for(err, "a profile");
        }
    }
    return WW_OK;
}

ww_status ww_grids_begin(ww_gpu *gpu, const ww_grid *grids, uint32_t n, ww_error *err)
{
    ww_grids_clear(gpu);
    gpu->grid = WW_NEW_ARRAY(ww_grid, n);
    if (gpu->grid == NULL) {
        return ww_no_memory_for(err, "%u launches", n);
    }
    memcpy(gpu->grid, grids, n * sizeof *grids);
    for (uint32_t g = 0; g < n; g++) {
        gpu->grid[g].profile = NULL; /* until it has one of its own */
    }
    gpu->grids = n;
    for (uint32_t g = 0; g < n; g++) {
        WW_TRY(begin_grid(gpu, &gpu->grid[g], err));
    }
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        gpu->grid_of[i] = WW_NO_GRID;
        if (n == 1) {
            WW_TRY(give(gpu, i, 0, err));
        } else {
            ww_sm_end(gpu->sm[i]);
        }
    }
    return WW_OK;
}

static uint64_t left(const ww_grid *grid)
{
    WW_ASSERT(grid->next_cta <= grid->ctas);
    return grid->ctas - grid->next_cta;
}

/* No CTA is on the SM or on its way to it, and nothing of theirs is under way. */
static bool is_empty(const ww_gpu *gpu, uint32_t sm)
{
    const ww_sm_pulse *pulse = gpu->pulse[sm];
    return pulse->ctas == 0 && pulse->outgoing == 0 && pulse->awaited == 0 &&
           gpu->work[sm].orders == 0;
}

/* What the threads have counted comes together in the first one's rows. */
static void add_profiles(ww_grid *grid)
{
    const size_t rows = grid->profile != NULL ? ww_profile_rows(grid->program) : 0;
    for (size_t i = rows; i < grid->profiles * rows; i++) {
        const ww_profile_count *from = &grid->profile[i];
        ww_profile_count *to = &grid->profile[i % rows];
        for (int c = 0; c < WW_LINE_COUNT; c++) {
            to->v[c] += from->v[c];
        }
        for (int c = 0; c < WW_SM_CHARGES; c++) {
            to->charged[c] += from->charged[c];
        }
    }
    grid->profiles = 1;
}

/* Takes an SM away from its grid. */
static void release(ww_gpu *gpu, uint32_t sm)
{
    WW_ASSERT(gpu->grid_of[sm] < gpu->grids);
    ww_grid *grid = &gpu->grid[gpu->grid_of[sm]];
    WW_ASSERT(grid->sms > 0);
    uint64_t idle_at = gpu->pulse[sm]->idle_at;
    grid->last = idle_at > grid->last ? idle_at : grid->last;
    ww_sm_end(gpu->sm[sm]);
    ww_sm_count_into(gpu->sm[sm], NULL);
    gpu->grid_of[sm] = WW_NO_GRID;
    grid->sms--;
}

static void note_ends(ww_gpu *gpu)
{
    for (uint32_t g = 0; g < gpu->grids; g++) {
        ww_grid *grid = &gpu->grid[g];
        if (grid->end == UINT64_MAX && grid->sms == 0 && left(grid) == 0) {
            grid->end = grid->last + 1;
        }
    }
}

/* Whether all CTAs of a grid are placed, and each has ended or lets dependents begin. */
static bool lets_begin(const ww_gpu *gpu, uint32_t g)
{
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        const ww_sm_pulse *pulse = gpu->pulse[i];
        if (gpu->grid_of[i] == g && (pulse->willing < pulse->ctas || gpu->work[i].orders > 0)) {
            return false;
        }
    }
    return left(&gpu->grid[g]) == 0;
}

/* When those before a grid have let it begin; UINT64_MAX: they have not. */
static uint64_t let_at(const ww_gpu *gpu, const ww_grid *grid, uint64_t edge)
{
    uint64_t at = gpu->start;
    for (uint32_t k = 0; k < grid->after_count; k++) {
        WW_ASSERT(grid->after[k] < gpu->grids && grid != &gpu->grid[grid->after[k]]);
        const uint64_t end = gpu->grid[grid->after[k]].end;
        const bool early = grid->early && end == UINT64_MAX && lets_begin(gpu, grid->after[k]);
        at = ww_max_u64(at, early ? edge : end);
    }
    return at;
}

/* Lets the grids begin that those before them allow. */
static void open_grids(ww_gpu *gpu, uint64_t edge)
{
    for (uint32_t g = 0; g < gpu->grids; g++) {
        ww_grid *grid = &gpu->grid[g];
        const uint64_t at = grid->first == UINT64_MAX ? let_at(gpu, grid, edge) : UINT64_MAX;
        if (at != UINT64_MAX) {
            grid->first = at + (grid->early ? gpu->arch->async.early_launch
                                            : gpu->arch->sm.kernel_launch_cycles);
        }
    }
}

/* What waits for grids that have ended goes on. */
static void wake_dependents(ww_gpu *gpu, uint64_t edge)
{
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        const uint32_t g = gpu->grid_of[i];
        if (g != WW_NO_GRID && gpu->grid[g].early) {
            ww_sm_set_depends(gpu->sm[i], depends(gpu, &gpu->grid[g]), edge);
        }
    }
}

/* SMs that have been given to a grid and wait for their first CTA of it. */
static uint64_t promised(const ww_gpu *gpu, uint32_t g)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        n += gpu->grid_of[i] == g && is_empty(gpu, i);
    }
    return n;
}

/* The first grid that has CTAs for one more SM. */
static uint32_t wanting(const ww_gpu *gpu, uint32_t from)
{
    for (uint32_t g = from; g < gpu->grids; g++) {
        const ww_grid *grid = &gpu->grid[g];
        if (grid->first != UINT64_MAX && left(grid) > 0 && left(grid) > promised(gpu, g)) {
            return g;
        }
    }
    return WW_NO_GRID;
}

ww_status ww_grids_advance(ww_gpu *gpu, uint64_t edge, ww_error *err)
{
    uint32_t free = 0;
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        uint32_t g = gpu->grid_of[i];
        if (g != WW_NO_GRID && left(&gpu->grid[g]) == 0 && is_empty(gpu, i)) {
            release(gpu, i);
        }
        free += gpu->grid_of[i] == WW_NO_GRID;
    }
    if (free == 0) {
        return WW_OK;
    }
    note_ends(gpu);
    open_grids(gpu, edge);
    wake_dependents(gpu, edge);
    uint32_t g = 0;
    for (uint32_t i = 0; i < gpu->arch->sm.count && g != WW_NO_GRID; i++) {
        if (gpu->grid_of[i] == WW_NO_GRID && (g = wanting(gpu, g)) != WW_NO_GRID) {
            WW_TRY(give(gpu, i, g, err));
        }
    }
    return WW_OK;
}

void ww_grids_end(ww_gpu *gpu)
{
    for (uint32_t i = 0; i < gpu->arch->sm.count; i++) {
        if (gpu->grid_of[i] != WW_NO_GRID) {
            release(gpu, i);
        }
    }
    for (uint32_t g = 0; g < gpu->grids; g++) {
        add_profiles(&gpu->grid[g]);
    }
    note_ends(gpu);
}

uint64_t ww_grids_placed(const ww_gpu *gpu)
{
    uint64_t n = 0;
    for (uint32_t g = 0; g < gpu->grids; g++) {
        n += gpu->grid[g].next_cta;
    }
    return n;
}

uint64_t ww_grids_left(const ww_gpu *gpu)
{
    uint64_t n = 0;
    for (uint32_t g = 0; g < gpu->grids; g++) {
        n += left(&gpu->grid[g]);
    }
    return n;
}

const ww_grid *ww_grids_current(const ww_gpu *gpu)
{
    uint32_t g = 0;
    while (g + 1 < gpu->grids && gpu->grid[g].end != UINT64_MAX) {
        g++;
    }
    return &gpu->grid[g];
}
