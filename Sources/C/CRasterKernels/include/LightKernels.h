// Resampling in linear light: pixels of four floats, colours in linear light and multiplied by alpha, from 0 to 1.

#ifndef HALCYON_RASTER_LIGHT_KERNELS_H
#define HALCYON_RASTER_LIGHT_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Pixels of 8 bits a sample to light. `curve` has the light of each of the 65536 straight samples of 16 bits.
void halcyon_decode_light(const uint8_t *pixels, const float *curve, float *out, size_t count);
/// Pixels of 16 bits a sample to light.
void halcyon_decode_light_16(const void *pixels, const float *curve, float *out, size_t count);

/// Light to pixels of 8 bits a sample: alpha is limited to 0...1, colours to 0...alpha. `encoding` is that of
/// halcyon_shape_colors_16.
void halcyon_encode_light(const float *light, const float *encoding, uint8_t *out, size_t count);
/// Light to pixels of 16 bits a sample.
void halcyon_encode_light_16(const float *light, const float *encoding, void *out, size_t count);

/// Output pixel o is the sum of the counts[o] pixels from starts[o] on, with the weights from weights[o * stride] on.
void halcyon_sum_light_pixels(
    const float *source, const int32_t *starts, const int32_t *counts, const float *weights, size_t stride, float *out,
    size_t count);
/// The weighted sum of rows of `count` samples, a multiple of four.
void halcyon_sum_light_rows(
    const float *_Nonnull const *_Nonnull rows, const float *weights, size_t row_count, float *out, size_t count);

#pragma clang assume_nonnull end

#endif
