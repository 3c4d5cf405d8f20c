// Pixels at the edges of shapes, and pixels between those of a turned image. Sums in single precision, whose 24 bits
// leave eight below the last of a sample of 16 bits; each sample is rounded once.

#ifndef HALCYON_RASTER_GEOMETRY_KERNELS_H
#define HALCYON_RASTER_GEOMETRY_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Pixel i becomes image[i] * pixel i + line[i] * `border` + the rest of it * `background`, where the rest is what the
/// alphas of the first two leave of the largest sample. `border` and `background` are four samples, not limited to whole
/// numbers; no colour of theirs is above its alpha. All shares are from 0 to 1, and image[i] + line[i] at most 1.
void halcyon_frame_pixels(
    uint8_t *pixels, const float *image, const float *line, const float *border, const float *background,
    size_t count);
void halcyon_frame_pixels_16(
    void *pixels, const float *image, const float *line, const float *border, const float *background, size_t count);

/// An image as it is read between its pixels: positions (x, y) are counted from the middle of the first pixel, and the
/// pixels of the edges go on beyond them.
typedef struct {
    const uint8_t *pixels;
    ptrdiff_t bytes_per_row;
    /// At least 1 each.
    ptrdiff_t width, height;
} HalcyonSampledImage;

/// A walk over an image: the position of output pixel i is x + i * x_step, y + i * y_step, every one of them finite and
/// below 2^30.
typedef struct {
    double x, y, x_step, y_step;
} HalcyonSamplePath;

/// Writes the pixels of a path: the interpolated pixel * coverage[i] + the rest of it * `background`, as above. Bilinear
/// from 2 × 2 pixels.
void halcyon_sample_bilinear(
    const HalcyonSampledImage *image, const HalcyonSamplePath *path, const float *coverage, const float *background,
    uint8_t *out, size_t count);
void halcyon_sample_bilinear_16(
    const HalcyonSampledImage *image, const HalcyonSamplePath *path, const float *coverage, const float *background,
    void *out, size_t count);

/// The same with the cubic of Catmull and Rom, from 4 × 4 pixels; samples are limited to the range, and colours to
/// their alpha, before they are covered.
void halcyon_sample_bicubic(
    const HalcyonSampledImage *image, const HalcyonSamplePath *path, const float *coverage, const float *background,
    uint8_t *out, size_t count);
void halcyon_sample_bicubic_16(
    const HalcyonSampledImage *image, const HalcyonSamplePath *path, const float *coverage, const float *background,
    void *out, size_t count);

#pragma clang assume_nonnull end

#endif
