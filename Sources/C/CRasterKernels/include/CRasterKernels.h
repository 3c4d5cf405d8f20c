// The innermost loops over pixels, in C because Swift (6.3) emits the baseline instruction set only and cannot choose
// a faster one while running, and because the same loops are some hundred times slower in a debug build of Swift.
//
// A pixel is four bytes (the loops over eight are in SixteenBitKernels.h): red, green, blue, alpha, colours multiplied
// by alpha unless a name says "straight". No function reads or writes beyond the counts it is given, and none needs its
// pointers aligned.

#ifndef HALCYON_RASTER_KERNELS_H
#define HALCYON_RASTER_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "BlendKernels.h"
#include "BlurKernels.h"
#include "ColorKernels.h"
#include "GeometryKernels.h"
#include "LightKernels.h"
#include "ProcessorClones.h"
#include "ResamplingVariants.h"
#include "SharpenKernels.h"
#include "SixteenBitKernels.h"
#include "TransformKernels.h"

#pragma clang assume_nonnull begin

// Resampling

/// Weighted sum of `taps` rows of pixels, `count` of them: each sample = sum(weights[k] * row k) >> shift, rounded.
/// `out` is the first sample of one of four woven rows. Every sum must fit 32 bits, and every result 16; `shift` is at
/// least 1.
void halcyon_sum_rows(
    const uint8_t *rows, ptrdiff_t bytes_per_row, const int16_t *weights, size_t taps, int shift, int16_t *out,
    size_t count);

/// Weighted sums along four woven rows. Output pixel o of each is the sum of `taps` pixels from starts[o] on, with the
/// weights from weights[o * taps] on, shifted right by `shift` (at least 1), rounded, limited to 0...255, and its
/// colours to its alpha. `taps` and the starts must be even, and all pixels named by starts and taps must exist. Writes
/// the first `row_count` rows, at most four.
void halcyon_sum_pixels(
    const int16_t *source, const int32_t *starts, const int16_t *weights, size_t taps, int shift, uint8_t *out,
    ptrdiff_t out_bytes_per_row, size_t row_count, size_t count);

/// Adds the samples of `count` pixels to four sums.
void halcyon_add_pixels(const uint8_t *pixels, size_t count, uint64_t *sums);

/// out pixel i = source pixel columns[i].
void halcyon_gather_pixels(const uint8_t *source, const int32_t *columns, uint8_t *out, size_t count);

// Orientation

/// The pixels of a row in the opposite order. The two must not overlap.
void halcyon_reverse_pixels(const uint8_t *source, uint8_t *out, size_t count);

/// Row x of `out` becomes column x of `source`, which has `width` columns and `height` rows. The bytes per row may be
/// negative, which together with a pointer to the last row mirrors top to bottom. The two must not overlap.
void halcyon_transpose_pixels(
    const uint8_t *source, ptrdiff_t source_bytes_per_row, uint8_t *out, ptrdiff_t out_bytes_per_row, size_t width,
    size_t height);

// Compositing

/// Puts `source` over `out` (Porter and Duff 1984): out = source + out * (1 - source alpha).
void halcyon_source_over(const uint8_t *source, uint8_t *out, size_t count);

/// Writes one pixel `count` times.
void halcyon_fill_pixels(uint8_t *out, const uint8_t *pixel, size_t count);

// Conversion. Those that take an alpha return whether all of it was 255.

bool halcyon_premultiply(const uint8_t *straight, uint8_t *out, size_t count);
bool halcyon_premultiply_gray_alpha(const uint8_t *gray_alpha, uint8_t *out, size_t count);
void halcyon_expand_rgb(const uint8_t *rgb, uint8_t *out, size_t count);
void halcyon_expand_gray(const uint8_t *gray, uint8_t *out, size_t count);

/// round(colour * 255 / alpha), and 0 where alpha is 0.
void halcyon_unpremultiply(const uint8_t *pixels, uint8_t *straight, size_t count);

/// Returns whether every pixel has alpha 255; stops soon after the first that has not.
bool halcyon_is_opaque(const uint8_t *pixels, size_t count);

#pragma clang assume_nonnull end

#endif
