// Gaussian blur: sums along columns and rows with symmetric weights, and the reduction and enlargement by a whole
// factor between which wide Gaussians are applied.
//
// Between these functions a sample has 16 bits: one of 8 bits is multiplied by 256, one of 16 is as it is. Every sum is
// monotone in its samples, so that no colour gets above its alpha, and an even area stays exactly as it is.

#ifndef HALCYON_RASTER_BLUR_KERNELS_H
#define HALCYON_RASTER_BLUR_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Sums. `weights` are `radius + 1` fractions of 65536, the centre's first; the centre's and twice all others add up to
// 65536, and none but the centre's is above 32767. `radius` is at most 64.

/// Sums down columns: the middle one of `2 * radius + 1` rows and those around it, samples of 8 bits.
void halcyon_blur_columns(
    const uint8_t *_Nonnull const *_Nonnull rows, const uint16_t *weights, size_t radius, uint16_t *out, size_t count);
/// The same for samples of 16 bits.
void halcyon_blur_columns_16(
    const uint8_t *_Nonnull const *_Nonnull rows, const uint16_t *weights, size_t radius, uint16_t *out, size_t count);

/// Sums along a row: of each of `count` samples and those `4 * k` samples to both sides, for k up to `radius`, which
/// must exist. The result has 8 bits.
void halcyon_blur_rows(
    const uint16_t *samples, const uint16_t *weights, size_t radius, uint8_t *out, size_t count);
/// The same with a result of 16 bits.
void halcyon_blur_rows_16(const uint16_t *samples, const uint16_t *weights, size_t radius, void *out, size_t count);

// Reduction by a whole factor from 2 to 16, with a triangle that reaches to the neighbouring results.

/// Adds `factor` rows, the first weighted by `factor`, the last by 1, to `rest`, and replaces that by the sums with the
/// weights 0 to `factor - 1`, which belong to the next result.
void halcyon_reduce_columns(
    const uint8_t *_Nonnull const *_Nonnull rows, size_t factor, uint32_t *rest, uint32_t *out, size_t count);
/// The same for samples of 16 bits, whose number is a multiple of four.
void halcyon_reduce_columns_16(
    const uint8_t *_Nonnull const *_Nonnull rows, size_t factor, uint32_t *rest, uint32_t *out, size_t count);

/// Adds up pixels of such sums: `count` results, of which result i stands at pixel (i + 1) * factor of `sums`,
/// multiplied by `scale` and rounded. `sums` has (count + 1) * factor pixels.
void halcyon_reduce_pixels(const uint32_t *sums, size_t factor, float scale, void *out, size_t count);

// Enlargement by a whole factor, with cubic B-splines. Four weights are fractions of 65536 and add up to it.

/// Pixel i of `out` is the sum of four pixels of `source` from i / factor on, with the weights i % factor of `weights`.
void halcyon_enlarge_pixels(
    const void *source, size_t factor, const uint16_t *weights, uint16_t *out, size_t count);

/// The sum of four rows. The result has 8 bits.
void halcyon_mix_rows(
    const uint16_t *_Nonnull const *_Nonnull rows, const uint16_t *weights, uint8_t *out, size_t count);
/// The same with a result of 16 bits. The number of samples is a multiple of four.
void halcyon_mix_rows_16(
    const uint16_t *_Nonnull const *_Nonnull rows, const uint16_t *weights, void *out, size_t count);

#pragma clang assume_nonnull end

#endif
