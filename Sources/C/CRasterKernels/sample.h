#ifndef HALCYON_RASTER_SAMPLE_H
#define HALCYON_RASTER_SAMPLE_H

#include "GeometryKernels.h"
#include "pixels.h"

// The interpolation, for pixels of `bytes` bytes that `fetch` turns into floats: written once, and compiled for either
// depth into functions whose loops know both.

typedef f32x4 (*Fetch)(const uint8_t *pixel);

ALWAYS_INLINE ptrdiff_t limited(ptrdiff_t index, ptrdiff_t count) {
    return index < 0 ? 0 : index < count ? index : count - 1;
}

// The whole number at or below a position. A conversion rounds towards zero, and floor() is a call in the baseline.
ALWAYS_INLINE ptrdiff_t whole_part(double position) {
    const ptrdiff_t whole = (ptrdiff_t)position;
    return whole - (position < (double)whole);
}

ALWAYS_INLINE f32x4 bilinear(const HalcyonSampledImage *image, double x, double y, size_t bytes, Fetch fetch) {
    const ptrdiff_t column = whole_part(x), row = whole_part(y);
    const float right = (float)(x - (double)column), below = (float)(y - (double)row);
    const uint8_t *top = image->pixels + limited(row, image->height) * image->bytes_per_row;
    const uint8_t *bottom = image->pixels + limited(row + 1, image->height) * image->bytes_per_row;
    const size_t first = (size_t)limited(column, image->width) * bytes;
    const size_t second = (size_t)limited(column + 1, image->width) * bytes;
    const f32x4 upper = fetch(top + first) + (fetch(top + second) - fetch(top + first)) * right;
    const f32x4 lower = fetch(bottom + first) + (fetch(bottom + second) - fetch(bottom + first)) * right;
    return upper + (lower - upper) * below;
}

// The weights of the pixels at -1, 0, 1 and 2, for a position between 0 and 1 (Keys 1981, a = -0.5).
ALWAYS_INLINE f32x4 cubic_weights(float t) {
    const f32x4 constant = {0, 1, 0, 0}, linear = {-0.5f, 0, 0.5f, 0};
    const f32x4 square = {1, -2.5f, 2, -0.5f}, cube = {-0.5f, 1.5f, -1.5f, 0.5f};
    return constant + (linear + (square + cube * t) * t) * t;
}

ALWAYS_INLINE f32x4 bicubic(
    const HalcyonSampledImage *image, double x, double y, size_t bytes, Fetch fetch, float maximum) {
    const ptrdiff_t column = whole_part(x), row = whole_part(y);
    const f32x4 across = cubic_weights((float)(x - (double)column));
    const f32x4 down = cubic_weights((float)(y - (double)row));
    f32x4 sum = 0;
    if (column >= 1 && row >= 1 && column + 2 < image->width && row + 2 < image->height) {
        const uint8_t *pixel = image->pixels + (row - 1) * image->bytes_per_row + (column - 1) * (ptrdiff_t)bytes;
        for (int v = 0; v < 4; v++, pixel += image->bytes_per_row) {
            sum += down[v]
                * (fetch(pixel) * across[0] + fetch(pixel + bytes) * across[1] + fetch(pixel + 2 * bytes) * across[2]
                   + fetch(pixel + 3 * bytes) * across[3]);
        }
    } else {
        for (int v = 0; v < 4; v++) {
            const uint8_t *pixels = image->pixels + limited(row - 1 + v, image->height) * image->bytes_per_row;
            for (int u = 0; u < 4; u++) {
                const size_t place = (size_t)limited(column - 1 + u, image->width) * bytes;
                sum += down[v] * across[u] * fetch(pixels + place);
            }
        }
    }
    sum = __builtin_elementwise_max(sum, (f32x4)0);
    return __builtin_elementwise_min(sum, (f32x4)__builtin_elementwise_min(sum.w, maximum));
}

// The body of a kernel.
#define SAMPLE_PATH(INTERPOLATED, MAXIMUM, STORE, BYTES)                                      \
    const f32x4 behind = floats(background);                                                  \
    for (size_t i = 0; i < count; i++) {                                                      \
        const double x = path->x + (double)i * path->x_step;                                  \
        const double y = path->y + (double)i * path->y_step;                                  \
        const f32x4 above = (INTERPOLATED) * coverage[i];                                     \
        STORE(above + behind * (1 - above.w * (1 / MAXIMUM)), (uint8_t *)out + i * BYTES);    \
    }

#endif
