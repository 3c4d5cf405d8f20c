#include "SharpenKernels.h"
#include "sixteen.h"

// One pixel, samples of any unit. The blurred colours are taken at the alpha of the pixel: at the edge of a shape of
// one colour, straight colours are all the same, and nothing is to be sharpened.
#define SHARPENED(pixel, blurred)                                                               \
    __extension__({                                                                             \
        const float alpha = (pixel).w;                                                          \
        const f32x4 mask = (pixel) - (blurred) * (alpha / ((blurred).w > 0 ? (blurred).w : 1)); \
        const i32x4 counts = __builtin_elementwise_abs(mask) > (f32x4)(threshold * alpha);      \
        const f32x4 sharpened = (pixel) + (counts ? mask : (f32x4)0.0f) * amount;               \
        f32x4 limited = __builtin_elementwise_max(sharpened, (f32x4)0.0f);                      \
        limited = __builtin_elementwise_min(limited, (f32x4)alpha);                             \
        limited.w = alpha;                                                                      \
        limited;                                                                                \
    })

HALCYON_CLONES
void halcyon_sharpen(
    const uint8_t *source, const void *blurred, float amount, float threshold, uint8_t *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        u8x4 samples;
        memcpy(&samples, source + i * 4, sizeof samples);
        const f32x4 pixel = __builtin_convertvector(samples, f32x4) * 256.0f;
        const f32x4 mean = __builtin_convertvector(load(blurred, i), f32x4);
        const i32x4 result = __builtin_convertvector(SHARPENED(pixel, mean) + 128.0f, i32x4) >> 8;
        samples = __builtin_convertvector(result, u8x4);
        memcpy(out + i * 4, &samples, sizeof samples);
    }
}

HALCYON_CLONES
void halcyon_sharpen_16(
    const void *source, const void *blurred, float amount, float threshold, void *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const f32x4 pixel = __builtin_convertvector(load(source, i), f32x4);
        const f32x4 mean = __builtin_convertvector(load(blurred, i), f32x4);
        store(__builtin_convertvector(__builtin_convertvector(SHARPENED(pixel, mean) + 0.5f, i32x4), u16x4), out, i);
    }
}
