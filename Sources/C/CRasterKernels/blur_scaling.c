#include "BlurKernels.h"
#include "blur_vectors.h"
#include "sixteen.h"

static const size_t step = 32;

// The weights of a triangle fall from `factor` to 1 over a block of rows or pixels and rise from 0 to `factor - 1` over
// the block before it. The running sum of running sums has the falling weights, without a multiplication; the rising
// ones are what is missing to `factor` times the plain sum.

HALCYON_CLONES
void halcyon_reduce_columns(
    const uint8_t *const *rows, size_t factor, uint32_t *rest, uint32_t *out, size_t count) {
    size_t i = 0;
    for (; i + step <= count; i += step) {
        // 255 * 16 * 17 / 2 fits 16 bits.
        u16x32 sum = 0, falling = 0;
        for (size_t k = 0; k < factor; k++) {
            sum += LOAD_BYTES(rows[k] + i);
            falling += sum;
        }
        const u32x32 result = LOAD(u32x32, rest + i) + WIDENED(falling);
        const u32x32 rising = WIDENED(sum * (uint16_t)factor - falling);
        memcpy(out + i, &result, sizeof result);
        memcpy(rest + i, &rising, sizeof rising);
    }
    for (; i < count; i++) {
        uint32_t sum = 0, falling = 0;
        for (size_t k = 0; k < factor; k++) {
            sum += rows[k][i];
            falling += sum;
        }
        out[i] = rest[i] + falling;
        rest[i] = sum * (uint32_t)factor - falling;
    }
}

HALCYON_CLONES
void halcyon_reduce_columns_16(
    const uint8_t *const *rows, size_t factor, uint32_t *rest, uint32_t *out, size_t count) {
    for (size_t i = 0; i < count; i += 4) {
        u32x4 sum = 0, falling = 0;
        for (size_t k = 0; k < factor; k++) {
            sum += __builtin_convertvector(load(rows[k], i / 4), u32x4);
            falling += sum;
        }
        const u32x4 result = LOAD(u32x4, rest + i) + falling, rising = sum * (uint32_t)factor - falling;
        memcpy(out + i, &result, sizeof result);
        memcpy(rest + i, &rising, sizeof rising);
    }
}

HALCYON_CLONES
void halcyon_reduce_pixels(const uint32_t *sums, size_t factor, float scale, void *out, size_t count) {
    u32x4 rising = 0;
    for (size_t block = 0; block <= count; block++) {
        // 65535 * 16 to the fourth fits 32 bits.
        u32x4 sum = 0, falling = 0;
        for (size_t k = 0; k < factor; k++, sums += 4) {
            sum += LOAD(u32x4, sums);
            falling += sum;
        }
        if (block > 0) {
            const f32x4 result = __builtin_convertvector(rising + falling, f32x4) * scale + 0.5f;
            store(__builtin_convertvector(__builtin_convertvector(result, i32x4), u16x4), out, block - 1);
        }
        rising = sum * (uint32_t)factor - falling;
    }
}

HALCYON_CLONES
void halcyon_enlarge_pixels(
    const void *source, size_t factor, const uint16_t *weights, uint16_t *out, size_t count) {
    u32x4 pixels[4];
    for (size_t k = 1; k < 4; k++) {
        pixels[k] = __builtin_convertvector(load(source, k - 1), u32x4);
    }
    for (size_t first = 0, i = 0; i < count; first++) {
        memmove(pixels, pixels + 1, 3 * sizeof *pixels);
        pixels[3] = __builtin_convertvector(load(source, first + 3), u32x4);
        const size_t end = count - i < factor ? count : i + factor;
        for (const uint16_t *weight = weights; i < end; i++, weight += 4) {
            const u32x4 sum =
                pixels[0] * weight[0] + pixels[1] * weight[1] + pixels[2] * weight[2] + pixels[3] * weight[3];
            store(__builtin_convertvector((sum + 32768) >> 16, u16x4), out, i);
        }
    }
}

HALCYON_CLONES
void halcyon_mix_rows(const uint16_t *const *rows, const uint16_t *weights, uint8_t *out, size_t count) {
    // Half a level, and half of what four products lack at most; see blur.c.
    const uint16_t start = 128 + 2;
    size_t i = 0;
    for (; i + step <= count; i += step) {
        const u16x32 upper =
            UPPER_PRODUCT(LOAD_WORDS(rows[0] + i), weights[0]) + UPPER_PRODUCT(LOAD_WORDS(rows[1] + i), weights[1]);
        const u16x32 lower =
            UPPER_PRODUCT(LOAD_WORDS(rows[2] + i), weights[2]) + UPPER_PRODUCT(LOAD_WORDS(rows[3] + i), weights[3]);
        const u8x32 result = __builtin_convertvector((upper + lower + start) >> 8, u8x32);
        memcpy(out + i, &result, sizeof result);
    }
    for (; i < count; i++) {
        uint32_t sum = start;
        for (size_t k = 0; k < 4; k++) {
            sum += (uint32_t)rows[k][i] * weights[k] >> 16;
        }
        out[i] = (uint8_t)(sum >> 8);
    }
}

HALCYON_CLONES
void halcyon_mix_rows_16(const uint16_t *const *rows, const uint16_t *weights, void *out, size_t count) {
    for (size_t i = 0; i < count; i += 4) {
        u32x4 sum = 32768;
        for (size_t k = 0; k < 4; k++) {
            sum += __builtin_convertvector(LOAD(u16x4, rows[k] + i), u32x4) * weights[k];
        }
        store(__builtin_convertvector(sum >> 16, u16x4), out, i / 4);
    }
}
