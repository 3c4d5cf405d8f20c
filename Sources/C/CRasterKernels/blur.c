#include "BlurKernels.h"
#include "blur_vectors.h"

// Sums over 8-bit images keep the upper half of each product only: an instruction multiplies 16 samples so. A sample
// is 256 units, each product up to one unit too small, half of one on average, which `bias` makes good. With a radius
// of 64, a sum is at most 33 units off; half a level is 128.
//
// Sums over 16-bit images are exact: 65535 * 65536 + 32768 fits 32 bits.

static const size_t step = 32;

ALWAYS_INLINE uint16_t bias(size_t radius) {
    return (uint16_t)((radius + 1) / 2);
}

HALCYON_CLONES
void halcyon_blur_columns(
    const uint8_t *const *rows, const uint16_t *weights, size_t radius, uint16_t *out, size_t count) {
    const uint8_t *const *middle = rows + radius;
    size_t i = 0;
    for (; i + step <= count; i += step) {
        u16x32 sum = UPPER_PRODUCT(LOAD_BYTES(middle[0] + i) << 8, weights[0]) + bias(radius);
        for (ptrdiff_t k = 1; k <= (ptrdiff_t)radius; k++) {
            const u16x32 pair = LOAD_BYTES(middle[-k] + i) + LOAD_BYTES(middle[k] + i);
            sum += UPPER_PRODUCT(pair << 7, weights[k] * 2);
        }
        memcpy(out + i, &sum, sizeof sum);
    }
    for (; i < count; i++) {
        uint32_t sum = (((uint32_t)middle[0][i] << 8) * weights[0] >> 16) + bias(radius);
        for (ptrdiff_t k = 1; k <= (ptrdiff_t)radius; k++) {
            const uint32_t pair = (uint32_t)middle[-k][i] + middle[k][i];
            sum += (pair << 7) * weights[k] >> 15;
        }
        out[i] = (uint16_t)sum;
    }
}

HALCYON_CLONES
void halcyon_blur_columns_16(
    const uint8_t *const *rows, const uint16_t *weights, size_t radius, uint16_t *out, size_t count) {
    size_t i = 0;
    for (; i + step <= count; i += step) {
        u32x32 sum = WIDENED(LOAD_WORDS(rows[radius] + i * 2)) * weights[0] + 32768;
        for (size_t k = 1; k <= radius; k++) {
            const u32x32 above = WIDENED(LOAD_WORDS(rows[radius - k] + i * 2));
            sum += (above + WIDENED(LOAD_WORDS(rows[radius + k] + i * 2))) * weights[k];
        }
        const u16x32 result = __builtin_convertvector(sum >> 16, u16x32);
        memcpy(out + i, &result, sizeof result);
    }
    for (; i < count; i++) {
        uint32_t sum = LOAD(uint16_t, rows[radius] + i * 2) * (uint32_t)weights[0] + 32768;
        for (size_t k = 1; k <= radius; k++) {
            const uint32_t above = LOAD(uint16_t, rows[radius - k] + i * 2);
            sum += (above + LOAD(uint16_t, rows[radius + k] + i * 2)) * weights[k];
        }
        out[i] = (uint16_t)(sum >> 16);
    }
}

HALCYON_CLONES
void halcyon_blur_rows(
    const uint16_t *samples, const uint16_t *weights, size_t radius, uint8_t *out, size_t count) {
    const uint16_t start = (uint16_t)(bias(radius) + 128);
    size_t i = 0;
    for (; i + step <= count; i += step) {
        const uint16_t *middle = samples + i;
        u16x32 sum = UPPER_PRODUCT(LOAD_WORDS(middle), weights[0]) + start;
        for (size_t k = 1; k <= radius; k++) {
            sum += UPPER_PRODUCT(MEAN(LOAD_WORDS(middle - 4 * k), LOAD_WORDS(middle + 4 * k)), weights[k] * 2);
        }
        const u8x32 result = __builtin_convertvector(sum >> 8, u8x32);
        memcpy(out + i, &result, sizeof result);
    }
    for (; i < count; i++) {
        const uint16_t *middle = samples + i;
        uint32_t sum = ((uint32_t)middle[0] * weights[0] >> 16) + start;
        for (size_t k = 1; k <= radius; k++) {
            const uint32_t pair = ((uint32_t)*(middle - 4 * k) + middle[4 * k] + 1) >> 1;
            sum += pair * weights[k] >> 15;
        }
        out[i] = (uint8_t)(sum >> 8);
    }
}

HALCYON_CLONES
void halcyon_blur_rows_16(const uint16_t *samples, const uint16_t *weights, size_t radius, void *out, size_t count) {
    size_t i = 0;
    for (; i + step <= count; i += step) {
        const uint16_t *middle = samples + i;
        u32x32 sum = WIDENED(LOAD_WORDS(middle)) * weights[0] + 32768;
        for (size_t k = 1; k <= radius; k++) {
            sum += (WIDENED(LOAD_WORDS(middle - 4 * k)) + WIDENED(LOAD_WORDS(middle + 4 * k))) * weights[k];
        }
        const u16x32 result = __builtin_convertvector(sum >> 16, u16x32);
        memcpy((uint8_t *)out + i * 2, &result, sizeof result);
    }
    for (; i < count; i++) {
        const uint16_t *middle = samples + i;
        uint32_t sum = (uint32_t)middle[0] * weights[0] + 32768;
        for (size_t k = 1; k <= radius; k++) {
            sum += ((uint32_t)*(middle - 4 * k) + middle[4 * k]) * weights[k];
        }
        const uint16_t result = (uint16_t)(sum >> 16);
        memcpy((uint8_t *)out + i * 2, &result, sizeof result);
    }
}
