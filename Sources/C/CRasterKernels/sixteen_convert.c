#include "sixteen.h"

HALCYON_CLONES
bool halcyon_premultiply_16(const void *straight, void *out, size_t count) {
    uint16_t all = 0xFFFF;
    for (size_t i = 0; i < count; i++) {
        const u16x4 pixel = load(straight, i);
        u16x4 factors = pixel.wwww;
        factors.w = 0xFFFF;
        all &= pixel.w;
        store(multiply_by_65535ths(pixel, factors), out, i);
    }
    return all == 0xFFFF;
}

void halcyon_unpremultiply_16(const void *pixels, void *straight, size_t count) {
    for (size_t i = 0; i < count; i++) {
        u16x4 pixel = load(pixels, i);
        const uint32_t alpha = pixel.w;
        if (alpha == 0) {
            pixel = 0;
        } else if (alpha != 0xFFFF) {
            // The largest dividend, 65535² + 32767, fits 32 bits.
            const u32x4 quotient = (__builtin_convertvector(pixel, u32x4) * 65535 + alpha / 2) / alpha;
            pixel = __builtin_convertvector(__builtin_elementwise_min(quotient, (u32x4)65535), u16x4);
            pixel.w = (uint16_t)alpha;
        }
        store(pixel, straight, i);
    }
}

HALCYON_CLONES
bool halcyon_is_opaque_16(const void *pixels, size_t count) {
    size_t i = 0;
    while (i < count) {
        // 512 pixels, 4 KiB, between two looks at what was gathered.
        const size_t end = count - i < 512 ? count : i + 512;
        u16x4 all = 0xFFFF;
        for (; i < end; i++) {
            all &= load(pixels, i);
        }
        if (all.w != 0xFFFF) {
            return false;
        }
    }
    return true;
}

HALCYON_CLONES
void halcyon_narrow_samples(const void *source, uint8_t *out, size_t count) {
    // round(v / 257) for all 16-bit v: 255 * v / 65535, with an addend that makes up for dividing by 65536.
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        u16x16 samples;
        memcpy(&samples, (const uint8_t *)source + i * 2, sizeof samples);
        const u8x16 narrow =
            __builtin_convertvector((__builtin_convertvector(samples, u32x16) * 255 + 32895) >> 16, u8x16);
        memcpy(out + i, &narrow, sizeof narrow);
    }
    for (; i < count; i++) {
        uint16_t sample;
        memcpy(&sample, (const uint8_t *)source + i * 2, sizeof sample);
        out[i] = (uint8_t)((sample * 255u + 32895) >> 16);
    }
}

HALCYON_CLONES
void halcyon_widen_samples(const uint8_t *source, void *out, size_t count) {
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        u8x16 samples;
        memcpy(&samples, source + i, sizeof samples);
        const u16x16 wide = __builtin_convertvector(samples, u16x16) * 257;
        memcpy((uint8_t *)out + i * 2, &wide, sizeof wide);
    }
    for (; i < count; i++) {
        const uint16_t wide = (uint16_t)(source[i] * 257);
        memcpy((uint8_t *)out + i * 2, &wide, sizeof wide);
    }
}

HALCYON_CLONES
void halcyon_swap_sample_bytes(const void *source, void *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint16_t sample;
        memcpy(&sample, (const uint8_t *)source + i * 2, sizeof sample);
        sample = (uint16_t)(sample << 8 | sample >> 8);
        memcpy((uint8_t *)out + i * 2, &sample, sizeof sample);
    }
}
