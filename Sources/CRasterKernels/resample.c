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

void halcyon_gather_pixels(const uint8_t *source, const int32_t *columns, uint8_t *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        memcpy(out + i * 4, source + (size_t)columns[i] * 4, 4);
    }
}
