// The variants of the resampling kernels; CRasterKernels.h describes them.

#ifndef HALCYON_RASTER_RESAMPLE_H
#define HALCYON_RASTER_RESAMPLE_H

#include "CRasterKernels.h"

#define HALCYON_SUM_ROWS(variant)                                                                                   \
    void halcyon_sum_rows_##variant(                                                                                \
        const uint8_t *rows, ptrdiff_t bytes_per_row, const int16_t *weights, size_t taps, int shift, int16_t *out, \
        size_t count)

#define HALCYON_SUM_PIXELS(variant)                                                                                    \
    void halcyon_sum_pixels_##variant(                                                                                 \
        const int16_t *source, const int32_t *starts, const int16_t *weights, size_t taps, int shift, uint8_t *out,    \
        size_t count)

HALCYON_SUM_ROWS(portable);
HALCYON_SUM_PIXELS(portable);

#if defined(__x86_64__)
HALCYON_SUM_ROWS(avx2);
HALCYON_SUM_ROWS(avx512);
HALCYON_SUM_PIXELS(avx2);
#endif

#endif
