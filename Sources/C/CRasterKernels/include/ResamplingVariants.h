// The variants of the resampling kernels, of which halcyon_sum_rows and halcyon_sum_pixels choose one by the processor.
// They are visible so that tests can hold them against each other: all give the same results to the last bit.

#ifndef HALCYON_RASTER_RESAMPLING_VARIANTS_H
#define HALCYON_RASTER_RESAMPLING_VARIANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// 16-bit samples of a pair of pixels in each of four woven rows: sample c of pixel x in row r stands at
/// [x / 2 * HALCYON_WOVEN_PAIR + r * 8 + c * 2 + x % 2].
enum { HALCYON_WOVEN_PAIR = 32 };

void halcyon_sum_rows_portable(
    const uint8_t *rows, ptrdiff_t bytes_per_row, const int16_t *weights, size_t taps, int shift, int16_t *out,
    size_t count);
void halcyon_sum_pixels_portable(
    const int16_t *source, const int32_t *starts, const int16_t *weights, size_t taps, int shift, uint8_t *out,
    ptrdiff_t out_bytes_per_row, size_t row_count, size_t count);

#if defined(__x86_64__)
/// Returns whether this processor can run the AVX2 variants.
bool halcyon_has_avx2(void);
/// Returns whether this processor can run the AVX-512 variants, and is the faster for it.
bool halcyon_prefers_avx512(void);
void halcyon_sum_rows_avx2(
    const uint8_t *rows, ptrdiff_t bytes_per_row, const int16_t *weights, size_t taps, int shift, int16_t *out,
    size_t count);
void halcyon_sum_rows_avx512(
    const uint8_t *rows, ptrdiff_t bytes_per_row, const int16_t *weights, size_t taps, int shift, int16_t *out,
    size_t count);
void halcyon_sum_pixels_avx2(
    const int16_t *source, const int32_t *starts, const int16_t *weights, size_t taps, int shift, uint8_t *out,
    ptrdiff_t out_bytes_per_row, size_t row_count, size_t count);
void halcyon_sum_pixels_avx512(
    const int16_t *source, const int32_t *starts, const int16_t *weights, size_t taps, int shift, uint8_t *out,
    ptrdiff_t out_bytes_per_row, size_t row_count, size_t count);
#endif

#pragma clang assume_nonnull end

#endif
