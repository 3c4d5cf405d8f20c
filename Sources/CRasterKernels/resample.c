#include "CRasterKernels.h"
#include "vectors.h"
#include "ResamplingVariants.h"

// Fixed point throughout. The row between the passes has six fractional bits: a Lanczos filter lifts a sample by
// about 27 % at most, 255 * 1.27 * 64 = 20,726, which leaves room in 16 bits, and 1/64 of a level is far below what
// rounding to 8 bits costs.
//
// Whole vectors rather than loops over their lanes, because a debug build compiles C without optimisation: there a
// vector operation is still a few instructions, and a loop over lanes is dozens.

// MARK: Any processor

void halcyon_sum_rows_portable(
    const uint8_t *rows, ptrdiff_t bytes_per_row, const int16_t *weights, size_t taps, int shift, int16_t *out,
    size_t count) {
    const int32_t half = 1 << (shift - 1);
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        const uint8_t *row = rows + i;
        i32x16 sum = half;
        for (size_t k = 0; k < taps; k++, row += bytes_per_row) {
            u8x16 samples;
            memcpy(&samples, row, sizeof samples);
            sum += __builtin_convertvector(samples, i32x16) * (i32x16)(int32_t)weights[k];
        }
        i16x16 sums = __builtin_convertvector(sum >> shift, i16x16);
        memcpy(out + i, &sums, sizeof sums);
    }
    for (; i < count; i++) {
        const uint8_t *row = rows + i;
        int32_t sum = half;
        for (size_t k = 0; k < taps; k++, row += bytes_per_row) {
            sum += *row * weights[k];
        }
        out[i] = (int16_t)(sum >> shift);
    }
}

void halcyon_sum_pixels_portable(
    const int16_t *source, const int32_t *starts, const int16_t *weights, size_t taps, int shift, uint8_t *out,
    size_t count) {
    const int32_t half = 1 << (shift - 1);
    for (size_t o = 0; o < count; o++, weights += taps, out += 4) {
        const int16_t *pixel = source + (size_t)starts[o] * 4;
        i32x4 even = half, odd = 0;
        for (size_t k = 0; k < taps; k += 2, pixel += 8) {
            i16x4 first, second;
            memcpy(&first, pixel, sizeof first);
            memcpy(&second, pixel + 4, sizeof second);
            even += __builtin_convertvector(first, i32x4) * (i32x4)(int32_t)weights[k];
            odd += __builtin_convertvector(second, i32x4) * (i32x4)(int32_t)weights[k + 1];
        }
        i32x4 sum = (even + odd) >> shift;
        sum = __builtin_elementwise_min(__builtin_elementwise_max(sum, (i32x4)0), (i32x4)255);
        // Filters with negative lobes can lift a colour above its alpha, where it has no meaning.
        sum = __builtin_elementwise_min(sum, (i32x4)sum.w);
        u8x4 samples = __builtin_convertvector(sum, u8x4);
        memcpy(out, &samples, sizeof samples);
    }
}

// MARK: The choice

void halcyon_sum_rows(
    const uint8_t *rows, ptrdiff_t bytes_per_row, const int16_t *weights, size_t taps, int shift, int16_t *out,
    size_t count) {
#if defined(__x86_64__)
    // Processors with VNNI are those that run 512-bit code without lowering their clock much.
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni")) {
        halcyon_sum_rows_avx512(rows, bytes_per_row, weights, taps, shift, out, count);
        return;
    }
    if (halcyon_has_avx2()) {
        halcyon_sum_rows_avx2(rows, bytes_per_row, weights, taps, shift, out, count);
        return;
    }
#endif
    halcyon_sum_rows_portable(rows, bytes_per_row, weights, taps, shift, out, count);
}

void halcyon_sum_pixels(
    const int16_t *source, const int32_t *starts, const int16_t *weights, size_t taps, int shift, uint8_t *out,
    size_t count) {
#if defined(__x86_64__)
    if (halcyon_has_avx2()) {
        halcyon_sum_pixels_avx2(source, starts, weights, taps, shift, out, count);
        return;
    }
#endif
    halcyon_sum_pixels_portable(source, starts, weights, taps, shift, out, count);
}

void halcyon_gather_pixels(const uint8_t *source, const int32_t *columns, uint8_t *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        memcpy(out + i * 4, source + (size_t)columns[i] * 4, 4);
    }
}
