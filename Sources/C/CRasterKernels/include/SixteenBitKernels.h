// The loops over pixels of four native-endian 16-bit samples, 8 bytes a pixel. Each is the counterpart of the function
// of the same name without "_16" in CRasterKernels.h. Pointers need no alignment.

#ifndef HALCYON_RASTER_SIXTEEN_BIT_KERNELS_H
#define HALCYON_RASTER_SIXTEEN_BIT_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// Resampling. Sums in single precision: its 24 bits leave eight below a sample's last.

/// out[i] = sum(weights[k] * sample i of row k), for i in 0..<count.
void halcyon_sum_rows_16(
    const void *rows, ptrdiff_t bytes_per_row, const float *weights, size_t taps, float *out, size_t count);

/// Weighted sums along one row of pixels of four floats. Output pixel o is the sum of `taps` pixels from starts[o] on,
/// with the weights from weights[o * taps] on, rounded, limited to 0...65535, and its colours to its alpha. All pixels
/// named by starts and taps must exist.
void halcyon_sum_pixels_16(
    const float *source, const int32_t *starts, const float *weights, size_t taps, void *out, size_t count);

void halcyon_add_pixels_16(const void *pixels, size_t count, uint64_t *sums);
void halcyon_gather_pixels_16(const void *source, const int32_t *columns, void *out, size_t count);

// Orientation

void halcyon_reverse_pixels_16(const void *source, void *out, size_t count);
void halcyon_transpose_pixels_16(
    const void *source, ptrdiff_t source_bytes_per_row, void *out, ptrdiff_t out_bytes_per_row, size_t width,
    size_t height);

// Compositing

void halcyon_source_over_16(const void *source, void *out, size_t count);
void halcyon_fill_pixels_16(void *out, const void *pixel, size_t count);

// Conversion. `source` and `out` may be the same where a pixel has as many bytes in both.

/// Returns whether every alpha was 65535.
bool halcyon_premultiply_16(const void *straight, void *out, size_t count);
/// round(colour * 65535 / alpha), and 0 where alpha is 0.
void halcyon_unpremultiply_16(const void *pixels, void *straight, size_t count);
bool halcyon_is_opaque_16(const void *pixels, size_t count);
/// Samples of 16 bits to samples of 8: round(sample / 257).
void halcyon_narrow_samples(const void *source, uint8_t *out, size_t count);
/// Samples of 8 bits to samples of 16: sample * 257.
void halcyon_widen_samples(const uint8_t *source, void *out, size_t count);
/// Exchanges the two bytes of each sample: between the order of this machine and that of files.
void halcyon_swap_sample_bytes(const void *source, void *out, size_t count);

#pragma clang assume_nonnull end

#endif
