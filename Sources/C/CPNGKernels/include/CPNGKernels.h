#ifndef CPNGKERNELS_H
#define CPNGKERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// The innermost loops of PNG and GIF, on whole rows. They are C because the same loops in Swift are about one and a
// half times slower in release builds (its vector operations stay calls) and some 50 times slower in debug builds.
//
// Every length is that of the caller's own buffers; nothing here reads a length from a file. Where a function takes
// rows of 3 or 4 bytes a pixel, up to 4 bytes behind the row's end are read and never used, so a row must be followed
// by that much memory.

/// Undoes filter type 1 (PNG, 9.2) in place.
void halcyon_png_unfilter_sub(uint8_t *row, size_t byteCount, size_t bytesPerPixel);
/// Undoes filter type 2 in place.
void halcyon_png_unfilter_up(uint8_t *row, const uint8_t *previous, size_t byteCount);
/// Undoes filter type 3 in place.
void halcyon_png_unfilter_average(uint8_t *row, const uint8_t *previous, size_t byteCount, size_t bytesPerPixel);
/// Undoes filter type 4 in place.
void halcyon_png_unfilter_paeth(uint8_t *row, const uint8_t *previous, size_t byteCount, size_t bytesPerPixel);
/// Undoes filter type 4 in two adjacent rows at once; `bytesPerPixel` is 3 or 4.
void halcyon_png_unfilter_paeth_pair(
    uint8_t *row, uint8_t *next, const uint8_t *previous, size_t pixelCount, size_t bytesPerPixel);

/// Applies filter type 0...4 to a row and says how large the result is, as the sum of its absolute signed values.
uint64_t halcyon_png_filter(
    int type, uint8_t *output, const uint8_t *row, const uint8_t *previous, size_t byteCount, size_t bytesPerPixel);

/// RGBA to RGB, dropping alpha.
void halcyon_png_drop_alpha(uint8_t *output, const uint8_t *row, size_t pixelCount);
/// RGBA of native-endian 16-bit samples to RGB of big-endian ones, dropping alpha.
void halcyon_png_drop_alpha_16(uint8_t *output, const uint8_t *row, size_t pixelCount);
/// Big-endian samples of 16 bits, 1 to 4 a pixel (grey, grey and alpha, RGB, RGBA), to native-endian RGBA, straight.
/// Pixels equal to `key`, as many samples as a pixel has, become transparent black. Says whether every alpha is 65535.
bool halcyon_png_expand_16(
    uint8_t *output, const uint8_t *row, size_t pixelCount, size_t channelCount, const uint16_t *_Nullable key);

/// Writes table[indices[i]] as pixel i of a row of RGBA; the table has 256 entries.
void halcyon_gif_expand(uint8_t *output, const uint8_t *indices, const uint32_t *table, size_t pixelCount);
/// The same, except that entries of 0 leave the pixel as it is; all others must be opaque.
void halcyon_gif_draw(uint8_t *output, const uint8_t *indices, const uint32_t *table, size_t pixelCount);

#pragma clang assume_nonnull end

#endif
