#include "ResamplingVariants.h"
#include "vectors.h"

// Fixed point throughout. The rows between the passes have six fractional bits: a Lanczos filter lifts a sample by
// about 27 % at most, 255 * 1.27 * 64 = 20,726, which leaves room in 16 bits, and 1/64 of a level is far below what
// rounding to 8 bits costs.
//
// Between the passes lie four rows at a time, woven into each other by pairs of pixels: so that one vector holds the
// same two pixels of all four rows, and the same two weights count for all its lanes.
//
// Whole vectors rather than loops over their lanes, because a debug build compiles C without optimisation: there a
// vector operation is still a few instructions, and a loop over lanes is dozens.

void halcyon_sum_rows_portable(
    const uint8_t *rows, ptrdiff_t bytes_per_row, const int16_t *weights, size_t taps, int shift, int16_t *out,
    size_t count) {
    const int32_t half = 1 << (shift - 1);
    size_t i = 0;
    for (; i + 4 <= count; i += 4, rows += 16, out += 2 * HALCYON_WOVEN_PAIR) {
        const uint8_t *row = rows;
        i32x16 sum = half;
        for (size_t k = 0; k < taps; k++, row += bytes_per_row) {
            u8x16 samples;
            memcpy(&samples, row, sizeof samples);
            sum += __builtin_convertvector(samples, i32x16) * (i32x16)(int32_t)weights[k];
        }
        const i16x16 sums = __builtin_convertvector(sum >> shift, i16x16);
        const i16x8 first = __builtin_shufflevector(sums, sums, 0, 4, 1, 5, 2, 6, 3, 7);
        const i16x8 second = __builtin_shufflevector(sums, sums, 8, 12, 9, 13, 10, 14, 11, 15);
        memcpy(out, &first, sizeof first);
        memcpy(out + HALCYON_WOVEN_PAIR, &second, sizeof second);
    }
    for (; i < count; i++, rows += 4) {
        const uint8_t *row = rows;
        i32x4 sum = half;
        for (size_t k = 0; k < taps; k++, row += bytes_per_row) {
            u8x4 samples;
            memcpy(&samples, row, sizeof samples);
            sum += __builtin_convertvector(samples, i32x4) * (i32x4)(int32_t)weights[k];
        }
        const i16x4 sums = __builtin_convertvector(sum >> shift, i16x4);
        for (size_t channel = 0; channel < 4; channel++) {
            out[2 * channel] = sums[channel];
        }
        // To the second pixel of the pair, or from it to the next pair.
        out += i % 2 == 0 ? 1 : HALCYON_WOVEN_PAIR - 1;
    }
}

void halcyon_sum_pixels_portable(
    const int16_t *source, const int32_t *starts, const int16_t *weights, size_t taps, int shift, uint8_t *out,
    ptrdiff_t out_bytes_per_row, size_t row_count, size_t count) {
    for (size_t o = 0; o < count; o++, weights += taps, out += 4) {
        const int16_t *pair = source + (size_t)(starts[o] / 2) * HALCYON_WOVEN_PAIR;
        i32x16 sum = 1 << (shift - 1);
        for (size_t k = 0; k < taps; k += 2, pair += HALCYON_WOVEN_PAIR) {
            i16x32 samples;
            memcpy(&samples, pair, sizeof samples);
            const i16x16 first = __builtin_shufflevector(
                samples, samples, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
            const i16x16 second = __builtin_shufflevector(
                samples, samples, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
            sum += __builtin_convertvector(first, i32x16) * (i32x16)(int32_t)weights[k] +
                __builtin_convertvector(second, i32x16) * (i32x16)(int32_t)weights[k + 1];
        }
        sum >>= shift;
        sum = __builtin_elementwise_min(__builtin_elementwise_max(sum, (i32x16)0), (i32x16)255);
        const u8x16 samples = __builtin_convertvector(sum, u8x16);
        // Filters with negative lobes can lift a colour above its alpha, where it has no meaning.
        const u32x4 pixels = (u32x4)__builtin_elementwise_min(samples, ALPHAS(samples));
        for (size_t row = 0; row < row_count; row++) {
            const uint32_t pixel = pixels[row];
            memcpy(out + (ptrdiff_t)row * out_bytes_per_row, &pixel, sizeof pixel);
        }
    }
}
