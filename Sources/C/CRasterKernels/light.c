#include "ColorKernels.h"
#include "LightKernels.h"
#include "sixteen.h"

// `scale` is what makes 65535 of the largest sample. A straight sample is the nearest of 65536, which cannot be told
// from the exact one in a pixel of fewer bits.
#define DECODED(pixel, scale)                                                            \
    __extension__({                                                                      \
        const uint32_t alpha = (pixel).w * (uint32_t)(scale);                            \
        f32x4 decoded = 0;                                                               \
        if (alpha > 0) {                                                                 \
            const float opacity = (float)alpha / 65535;                                  \
            decoded.x = curve[straight((pixel).x * (uint32_t)(scale), alpha)] * opacity; \
            decoded.y = curve[straight((pixel).y * (uint32_t)(scale), alpha)] * opacity; \
            decoded.z = curve[straight((pixel).z * (uint32_t)(scale), alpha)] * opacity; \
            decoded.w = opacity;                                                         \
        }                                                                                \
        decoded;                                                                         \
    })

ALWAYS_INLINE uint32_t straight(uint32_t sample, uint32_t alpha) {
    if (alpha == 65535) {
        return sample;
    }
    return sample >= alpha ? 65535 : (sample * 65535u + alpha / 2) / alpha;
}

HALCYON_CLONES
void halcyon_decode_light(const uint8_t *pixels, const float *curve, float *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        u8x4 pixel;
        memcpy(&pixel, pixels + i * 4, sizeof pixel);
        const f32x4 light = DECODED(pixel, 257);
        memcpy(out + i * 4, &light, sizeof light);
    }
}

HALCYON_CLONES
void halcyon_decode_light_16(const void *pixels, const float *curve, float *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const u16x4 pixel = load(pixels, i);
        const f32x4 light = DECODED(pixel, 1);
        memcpy(out + i * 4, &light, sizeof light);
    }
}

ALWAYS_INLINE float encoded(const float *encoding, float light) {
    const float place = light * halcyon_encoding_steps;
    const int step = place >= halcyon_encoding_steps ? halcyon_encoding_steps - 1 : (int)place;
    return encoding[step] + (encoding[step + 1] - encoding[step]) * (place - (float)step);
}

// Samples from 0 to 65535. An alpha that the sums have left a third of a level of 16 bits below 1 counts as 1: an opaque
// image stays one.
#define ENCODED(light)                                                                 \
    __extension__({                                                                    \
        const float alpha = (light).w < 0 ? 0 : (light).w > 0.999995f ? 1 : (light).w; \
        const float inverse = alpha > 0 ? 1 / alpha : 0;                               \
        const f32x4 color = __builtin_elementwise_min(                                 \
            __builtin_elementwise_max((light) * inverse, (f32x4)0.0f), (f32x4)1.0f);   \
        f32x4 samples = 65535;                                                         \
        samples.x = encoded(encoding, color.x);                                        \
        samples.y = encoded(encoding, color.y);                                        \
        samples.z = encoded(encoding, color.z);                                        \
        samples * alpha;                                                               \
    })

HALCYON_CLONES
void halcyon_encode_light(const float *light, const float *encoding, uint8_t *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        f32x4 pixel;
        memcpy(&pixel, light + i * 4, sizeof pixel);
        const f32x4 samples = ENCODED(pixel) * (1.0f / 257) + 0.5f;
        const u8x4 result = __builtin_convertvector(__builtin_convertvector(samples, i32x4), u8x4);
        memcpy(out + i * 4, &result, sizeof result);
    }
}

HALCYON_CLONES
void halcyon_encode_light_16(const float *light, const float *encoding, void *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        f32x4 pixel;
        memcpy(&pixel, light + i * 4, sizeof pixel);
        store(__builtin_convertvector(__builtin_convertvector(ENCODED(pixel) + 0.5f, i32x4), u16x4), out, i);
    }
}

HALCYON_CLONES
void halcyon_sum_light_pixels(
    const float *source, const int32_t *starts, const int32_t *counts, const float *weights, size_t stride, float *out,
    size_t count) {
    for (size_t o = 0; o < count; o++, weights += stride) {
        const float *pixel = source + (size_t)starts[o] * 4;
        f32x4 sum = 0;
        for (int32_t k = 0; k < counts[o]; k++, pixel += 4) {
            f32x4 light;
            memcpy(&light, pixel, sizeof light);
            sum += light * (f32x4)weights[k];
        }
        memcpy(out + o * 4, &sum, sizeof sum);
    }
}

HALCYON_CLONES
void halcyon_sum_light_rows(
    const float *const *rows, const float *weights, size_t row_count, float *out, size_t count) {
    for (size_t i = 0; i < count; i += 4) {
        f32x4 sum = 0;
        for (size_t k = 0; k < row_count; k++) {
            f32x4 light;
            memcpy(&light, rows[k] + i, sizeof light);
            sum += light * (f32x4)weights[k];
        }
        memcpy(out + i, &sum, sizeof sum);
    }
}
