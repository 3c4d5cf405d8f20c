#include "CRasterKernels.h"
#include "vectors.h"

// Remainders of less than a vector are copied into one, so that every pixel takes the same path. Whole vectors are
// handled apart from them, with sizes the compiler knows: else each is a call of memcpy, at five times the cost.

static const size_t step = 4;

ALWAYS_INLINE void premultiply_step(const uint8_t *straight, uint8_t *out, size_t byte_count, u8x16 *all) {
    u8x16 pixels = 0xFF;
    memcpy(&pixels, straight, byte_count);
    *all &= pixels;
    const u8x16 product = MULTIPLY_BY_255THS(pixels, ALPHAS(pixels) | ALPHA_MASK);
    memcpy(out, &product, byte_count);
}

HALCYON_CLONES
bool halcyon_premultiply(const uint8_t *straight, uint8_t *out, size_t count) {
    u8x16 all = 0xFF;
    size_t i = 0;
    for (; i + step <= count; i += step) {
        premultiply_step(straight + i * 4, out + i * 4, sizeof(u8x16), &all);
    }
    premultiply_step(straight + i * 4, out + i * 4, (count - i) * 4, &all);
    return __builtin_reduce_and(all | ~ALPHA_MASK) == 0xFF;
}

ALWAYS_INLINE void premultiply_gray_alpha_step(const uint8_t *gray_alpha, uint8_t *out, size_t count, u8x8 *all) {
    u8x8 grays = 0xFF;
    memcpy(&grays, gray_alpha, count * 2);
    *all &= grays;
    const u8x16 pixels = __builtin_shufflevector(grays, grays, 0, 0, 0, 1, 2, 2, 2, 3, 4, 4, 4, 5, 6, 6, 6, 7);
    const u8x16 product = MULTIPLY_BY_255THS(pixels, ALPHAS(pixels) | ALPHA_MASK);
    memcpy(out, &product, count * 4);
}

HALCYON_CLONES
bool halcyon_premultiply_gray_alpha(const uint8_t *gray_alpha, uint8_t *out, size_t count) {
    u8x8 all = 0xFF;
    size_t i = 0;
    for (; i + step <= count; i += step) {
        premultiply_gray_alpha_step(gray_alpha + i * 2, out + i * 4, step, &all);
    }
    premultiply_gray_alpha_step(gray_alpha + i * 2, out + i * 4, count - i, &all);
    return (all[1] & all[3] & all[5] & all[7]) == 0xFF;
}

HALCYON_CLONES
void halcyon_expand_rgb(const uint8_t *rgb, uint8_t *out, size_t count) {
    size_t i = 0;
    // A vector holds four pixels and a third, so the last ones are not read this way.
    for (; i * 3 + 16 <= count * 3; i += 4) {
        u8x16 samples;
        memcpy(&samples, rgb + i * 3, sizeof samples);
        const u8x16 pixels = ALPHA_MASK | __builtin_shufflevector(
            samples, (u8x16)0, 0, 1, 2, 16, 3, 4, 5, 16, 6, 7, 8, 16, 9, 10, 11, 16);
        memcpy(out + i * 4, &pixels, sizeof pixels);
    }
    for (; i < count; i++) {
        memcpy(out + i * 4, rgb + i * 3, 3);
        out[i * 4 + 3] = 0xFF;
    }
}

ALWAYS_INLINE void expand_gray_step(const uint8_t *gray, uint8_t *out, size_t count) {
    u8x4 grays = 0;
    memcpy(&grays, gray, count);
    const u8x16 pixels =
        ALPHA_MASK | __builtin_shufflevector(grays, grays, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    memcpy(out, &pixels, count * 4);
}

HALCYON_CLONES
void halcyon_expand_gray(const uint8_t *gray, uint8_t *out, size_t count) {
    size_t i = 0;
    for (; i + step <= count; i += step) {
        expand_gray_step(gray + i, out + i * 4, step);
    }
    expand_gray_step(gray + i, out + i * 4, count - i);
}

void halcyon_unpremultiply(const uint8_t *pixels, uint8_t *straight, size_t count) {
    for (size_t i = 0; i < count; i++, pixels += 4, straight += 4) {
        const uint32_t alpha = pixels[3];
        if (alpha == 255) {
            memcpy(straight, pixels, 4);
        } else if (alpha == 0) {
            memset(straight, 0, 4);
        } else {
            // One division a pixel. The factor is too large by less than 2^-24 of a level, and no quotient lies so
            // closely below a half, since fractions are multiples of 1 / alpha.
            const uint64_t factor = (255u << 24) / alpha + 1;
            for (int k = 0; k < 3; k++) {
                const uint64_t colour = (pixels[k] * factor + (1u << 23)) >> 24;
                straight[k] = (uint8_t)(colour < 255 ? colour : 255);
            }
            straight[3] = (uint8_t)alpha;
        }
    }
}

HALCYON_CLONES
bool halcyon_is_opaque(const uint8_t *pixels, size_t count) {
    size_t i = 0;
    while (i + 16 <= count) {
        // 64 vectors, 4 KiB, between two looks at what was gathered.
        u32x16 all = 0xFFFFFFFFu;
        for (int k = 0; k < 64 && i + 16 <= count; k++, i += 16) {
            u32x16 vector;
            memcpy(&vector, pixels + i * 4, sizeof vector);
            all &= vector;
        }
        if (__builtin_reduce_and(all) < 0xFF000000u) {
            return false;
        }
    }
    for (; i < count; i++) {
        if (pixels[i * 4 + 3] != 0xFF) {
            return false;
        }
    }
    return true;
}
