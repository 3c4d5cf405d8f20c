#include "sixteen.h"

HALCYON_CLONES
void halcyon_sum_rows_16(
    const void *rows, ptrdiff_t bytes_per_row, const float *weights, size_t taps, float *out, size_t count) {
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        const uint8_t *row = (const uint8_t *)rows + i * 2;
        f32x16 sum = 0;
        for (size_t k = 0; k < taps; k++, row += bytes_per_row) {
            u16x16 samples;
            memcpy(&samples, row, sizeof samples);
            sum += __builtin_convertvector(samples, f32x16) * (f32x16)weights[k];
        }
        memcpy(out + i, &sum, sizeof sum);
    }
    for (; i < count; i++) {
        const uint8_t *row = (const uint8_t *)rows + i * 2;
        float sum = 0;
        for (size_t k = 0; k < taps; k++, row += bytes_per_row) {
            uint16_t sample;
            memcpy(&sample, row, sizeof sample);
            sum += (float)sample * weights[k];
        }
        out[i] = sum;
    }
}

HALCYON_CLONES
void halcyon_sum_pixels_16(
    const float *source, const int32_t *starts, const float *weights, size_t taps, void *out, size_t count) {
    for (size_t o = 0; o < count; o++, weights += taps) {
        const float *pixel = source + (size_t)starts[o] * 4;
        f32x4 sum = 0;
        for (size_t k = 0; k < taps; k++, pixel += 4) {
            f32x4 samples;
            memcpy(&samples, pixel, sizeof samples);
            sum += samples * (f32x4)weights[k];
        }
        sum = __builtin_elementwise_min(__builtin_elementwise_max(sum, (f32x4)0.0f), (f32x4)65535.0f);
        // Filters with negative lobes can lift a colour above its alpha, where it has no meaning.
        sum = __builtin_elementwise_min(sum, (f32x4)sum.w);
        store(__builtin_convertvector(__builtin_convertvector(sum + 0.5f, i32x4), u16x4), out, o);
    }
}

HALCYON_CLONES
void halcyon_add_pixels_16(const void *pixels, size_t count, uint64_t *sums) {
    const uint8_t *samples = pixels;
    for (size_t i = 0; i < count; i++, samples += 8) {
        uint16_t pixel[4];
        memcpy(pixel, samples, sizeof pixel);
        for (size_t c = 0; c < 4; c++) {
            sums[c] += pixel[c];
        }
    }
}

void halcyon_gather_pixels_16(const void *source, const int32_t *columns, void *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        store(load(source, (size_t)columns[i]), out, i);
    }
}
