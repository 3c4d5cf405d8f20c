// Sharpening by an unsharp mask.

#ifndef HALCYON_RASTER_SHARPEN_KERNELS_H
#define HALCYON_RASTER_SHARPEN_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Adds `amount` times the difference between each colour and its blurred one to it where that difference, of straight
/// samples, is greater than `threshold` parts of the largest sample. Alpha stays, and colours stay from 0 to alpha.
///
/// `source` has samples of 8 bits, `blurred` those of 16 of BlurKernels.h.
void halcyon_sharpen(
    const uint8_t *source, const void *blurred, float amount, float threshold, uint8_t *out, size_t count);
/// The same for samples of 16 bits.
void halcyon_sharpen_16(
    const void *source, const void *blurred, float amount, float threshold, void *out, size_t count);

#pragma clang assume_nonnull end

#endif
