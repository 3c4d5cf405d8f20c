#include "CRasterKernels.h"
#include "ResamplingVariants.h"

#include <string.h>

// The choice among the variants of ResamplingVariants.h, by the processor.

void halcyon_sum_rows(
    const uint8_t *rows, ptrdiff_t bytes_per_row, const int16_t *weights, size_t taps, int shift, int16_t *out,
    size_t count) {
#if defined(__x86_64__)
    if (halcyon_prefers_avx512()) {
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
    ptrdiff_t out_bytes_per_row, size_t row_count, size_t count) {
#if defined(__x86_64__)
    if (halcyon_prefers_avx512()) {
        halcyon_sum_pixels_avx512(
            source, starts, weights, taps, shift, out, out_bytes_per_row, row_count, count);
        return;
    }
    if (halcyon_has_avx2()) {
        halcyon_sum_pixels_avx2(source, starts, weights, taps, shift, out, out_bytes_per_row, row_count, count);
        return;
    }
#endif
    halcyon_sum_pixels_portable(source, starts, weights, taps, shift, out, out_bytes_per_row, row_count, count);
}

HALCYON_CLONES
void halcyon_add_pixels(const uint8_t *pixels, size_t count, uint64_t *sums) {
    while (count > 0) {
        // The sum of so many samples of 8 bits fits 32.
        size_t run = count < 1 << 20 ? count : 1 << 20;
        uint32_t run_sums[4] = {0, 0, 0, 0};
        for (size_t i = 0; i < run; i++) {
            for (size_t c = 0; c < 4; c++) {
                run_sums[c] += pixels[i * 4 + c];
            }
        }
        for (size_t c = 0; c < 4; c++) {
            sums[c] += run_sums[c];
        }
        pixels += run * 4;
        count -= run;
    }
}

void halcyon_gather_pixels(const uint8_t *source, const int32_t *columns, uint8_t *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        memcpy(out + i * 4, source + (size_t)columns[i] * 4, 4);
    }
}
