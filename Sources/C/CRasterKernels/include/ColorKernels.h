// Colours of one RGB colour space turned into those of another: a curve for each channel, a matrix, the inverse curve.

#ifndef HALCYON_RASTER_COLOR_KERNELS_H
#define HALCYON_RASTER_COLOR_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// The last index of a table of encoded samples, whose first belongs to linear 0 and whose last to linear 1.
enum { halcyon_encoding_steps = 16384 };
/// The last index of a curve for samples of 16 bits.
enum { halcyon_curve_steps = 4096 };

/// Straight pixels of 8 bits a sample; alpha is copied, and `source` may be `out`.
///
/// `curves` are three tables of 256 linear values; `columns` the matrix by columns, four floats each of which the last
/// is ignored, multiplied by halcyon_encoding_steps; `encoding` a table of halcyon_encoding_steps + 1 samples. Nothing
/// may be infinite or not a number.
void halcyon_shape_colors(
    const uint8_t *source, uint8_t *out, size_t count, const float *curves, const float *columns,
    const uint8_t *encoding);

/// The same for samples of 16 bits: curves of halcyon_curve_steps + 1 values each, and an encoding from 0 to 65535.
/// Both are interpolated.
void halcyon_shape_colors_16(
    const void *source, void *out, size_t count, const float *curves, const float *columns, const float *encoding);

/// Returns whether red, green and blue are equal in every pixel.
bool halcyon_is_gray(const uint8_t *pixels, size_t count);
bool halcyon_is_gray_16(const void *pixels, size_t count);

#pragma clang assume_nonnull end

#endif
