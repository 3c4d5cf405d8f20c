#include "color.h"

#include <ProcessorClones.h>

#include <string.h>

typedef uint8_t u8x16 __attribute__((ext_vector_type(16)));
typedef uint8_t u8x32 __attribute__((ext_vector_type(32)));
typedef uint8_t u8x64 __attribute__((ext_vector_type(64)));
typedef int32_t i32x16 __attribute__((ext_vector_type(16)));

#define LIMITED(sums)                                                                                              \
    __builtin_convertvector(                                                                                       \
        __builtin_elementwise_max(__builtin_elementwise_min(sums, (i32x16)255), (i32x16)0), u8x16)

ALWAYS_INLINE void convert_16(const uint8_t *y, const uint8_t *cb, const uint8_t *cr, uint8_t *out) {
    u8x16 bytes[3];
    memcpy(&bytes[0], y, sizeof(u8x16));
    memcpy(&bytes[1], cb, sizeof(u8x16));
    memcpy(&bytes[2], cr, sizeof(u8x16));
    const i32x16 light = __builtin_convertvector(bytes[0], i32x16);
    const i32x16 blue = __builtin_convertvector(bytes[1], i32x16) - 128;
    const i32x16 red = __builtin_convertvector(bytes[2], i32x16) - 128;
    // 1.402, 0.344136, 0.714136 and 1.772 with 16 fractional bits.
    const u8x16 r = LIMITED(light + ((red * 91881 + 32768) >> 16));
    const u8x16 g = LIMITED(light + ((blue * -22554 + red * -46802 + 32768) >> 16));
    const u8x16 b = LIMITED(light + ((blue * 116130 + 32768) >> 16));
    const u8x32 rg = __builtin_shufflevector(
        r, g, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14,
        30, 15, 31);
    const u8x32 ba = __builtin_shufflevector(
        b, (u8x16)255, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13,
        29, 14, 30, 15, 31);
    const u8x64 pixels = __builtin_shufflevector(
        rg, ba, 0, 1, 32, 33, 2, 3, 34, 35, 4, 5, 36, 37, 6, 7, 38, 39, 8, 9, 40, 41, 10, 11, 42, 43, 12, 13, 44, 45,
        14, 15, 46, 47, 16, 17, 48, 49, 18, 19, 50, 51, 20, 21, 52, 53, 22, 23, 54, 55, 24, 25, 56, 57, 26, 27, 58, 59,
        28, 29, 60, 61, 30, 31, 62, 63);
    memcpy(out, &pixels, sizeof pixels);
}

HALCYON_CLONES
void color_convert_row(const uint8_t *y, const uint8_t *cb, const uint8_t *cr, uint8_t *out, size_t count) {
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        convert_16(y + i, cb + i, cr + i, out + i * 4);
    }
    if (i < count) {
        uint8_t samples[3][16] = {{0}};
        uint8_t pixels[64];
        memcpy(samples[0], y + i, count - i);
        memcpy(samples[1], cb + i, count - i);
        memcpy(samples[2], cr + i, count - i);
        convert_16(samples[0], samples[1], samples[2], pixels);
        memcpy(out + i * 4, pixels, (count - i) * 4);
    }
}

HALCYON_CLONES
void color_expand_row(const uint8_t *y, uint8_t *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const uint32_t pixel = y[i] * 0x010101u | 0xFF000000u;
        memcpy(out + i * 4, &pixel, sizeof pixel);
    }
}

void color_smooth_row(const uint8_t *source, uint8_t *out, size_t count) {
    const size_t last = count - 1;
    out[0] = source[0];
    out[1] = (uint8_t)((source[0] * 3 + source[1] + 2) >> 2);
    for (size_t i = 1; i < last; i++) {
        out[i * 2] = (uint8_t)((source[i] * 3 + source[i - 1] + 1) >> 2);
        out[i * 2 + 1] = (uint8_t)((source[i] * 3 + source[i + 1] + 2) >> 2);
    }
    out[last * 2] = (uint8_t)((source[last] * 3 + source[last - 1] + 1) >> 2);
    out[last * 2 + 1] = source[last];
}

void color_double_row(const uint8_t *source, uint8_t *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        out[i * 2] = out[i * 2 + 1] = source[i];
    }
}

void color_quadruple_row(const uint8_t *source, uint8_t *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        memset(out + i * 4, source[i], 4);
    }
}

void color_halve_row(const uint8_t *source, uint8_t *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        out[i] = (uint8_t)((source[i * 2] + source[i * 2 + 1] + 1) >> 1);
    }
}
