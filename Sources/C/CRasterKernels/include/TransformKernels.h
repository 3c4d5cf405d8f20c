// Affine changes of colours: products with a matrix, and sums.

#ifndef HALCYON_RASTER_TRANSFORM_KERNELS_H
#define HALCYON_RASTER_TRANSFORM_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Premultiplied pixels: out = red * columns[0..<4] + green * columns[4..<8] + blue * columns[8..<12]
/// + alpha * columns[12..<16] + columns[16..<20], with samples from 0 to 255, or to 65535. Alpha is limited to these,
/// and colours to alpha. Every column must be finite. `source` may be `out`.
void halcyon_transform_pixels(const uint8_t *source, uint8_t *out, size_t count, const float *columns);
void halcyon_transform_pixels_16(const void *source, void *out, size_t count, const float *columns);

/// Premultiplied pixels in linear light: straight colours from 0 to 1 are decoded by the transfer function of sRGB
/// (IEC 61966-2-1), become red * columns[0..<3] + green * columns[3..<6] + blue * columns[6..<9] + columns[9..<12],
/// limited to 0...1, and are encoded again. Alpha stays. `source` may be `out`.
void halcyon_transform_light(const uint8_t *source, uint8_t *out, size_t count, const float *columns);
void halcyon_transform_light_16(const void *source, void *out, size_t count, const float *columns);

#pragma clang assume_nonnull end

#endif
