#include "TransformKernels.h"
#include "planar.h"

ALWAYS_INLINE void transform(const void *source, void *out, size_t count, const float *columns, bool is_wide) {
    // Copied, because `out` might otherwise be taken for the columns.
    float c[20];
    memcpy(c, columns, sizeof c);
    PIXELS_ARE_INDEPENDENT
    for (size_t i = 0; i < count; i++) {
        const pixel p = load_pixel(source, i, is_wide);
        const pixel sum = {
            p.red * c[0] + p.green * c[4] + p.blue * c[8] + p.alpha * c[12] + c[16],
            p.red * c[1] + p.green * c[5] + p.blue * c[9] + p.alpha * c[13] + c[17],
            p.red * c[2] + p.green * c[6] + p.blue * c[10] + p.alpha * c[14] + c[18],
            p.red * c[3] + p.green * c[7] + p.blue * c[11] + p.alpha * c[15] + c[19],
        };
        store_pixel(sum, out, i, is_wide);
    }
}

HALCYON_CLONES
void halcyon_transform_pixels(const uint8_t *source, uint8_t *out, size_t count, const float *columns) {
    transform(source, out, count, columns, false);
}

HALCYON_CLONES
void halcyon_transform_pixels_16(const void *source, void *out, size_t count, const float *columns) {
    transform(source, out, count, columns, true);
}

// The binary logarithm of a normal number greater than 0, with an error below 2e-7: the exponent, and the series of the
// area tangent of the mantissa, which lies between the roots of 1/2 and 2.
ALWAYS_INLINE float binary_logarithm(float value) {
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int32_t root_of_half = 0x3F3504F3;
    const int32_t exponent = (bits - root_of_half) >> 23;
    bits -= (int32_t)((uint32_t)exponent << 23);
    float mantissa;
    memcpy(&mantissa, &bits, sizeof mantissa);
    const float ratio = (mantissa - 1) / (mantissa + 1), square = ratio * ratio;
    const float series = 1 + square * (1.0f / 3 + square * (1.0f / 5 + square * (1.0f / 7)));
    return (float)exponent + 2.885390082f * ratio * series;
}

// 2 to the power of a number between -100 and 100, with a relative error below 3e-7: Taylor's series around the nearest
// whole number.
ALWAYS_INLINE float binary_power(float exponent) {
    const float shifted = exponent + (exponent < 0 ? -0.5f : 0.5f);
    const int32_t whole = (int32_t)shifted;
    const float x = (exponent - (float)whole) * 0.693147181f;
    const float series =
        1 + x * (1 + x * (1.0f / 2 + x * (1.0f / 6 + x * (1.0f / 24 + x * (1.0f / 120 + x * (1.0f / 720))))));
    const int32_t bits = (int32_t)((uint32_t)(whole + 127) << 23);
    float power;
    memcpy(&power, &bits, sizeof power);
    return power * series;
}

ALWAYS_INLINE float decoded(float sample) {
    // At least a number whose logarithm exists; the smaller ones lie on the straight part.
    const float base = (greater(sample, 0.04f) + 0.055f) * (1 / 1.055f);
    return sample <= 0.04045f ? sample * (1 / 12.92f) : binary_power(2.4f * binary_logarithm(base));
}

ALWAYS_INLINE float encoded(float light) {
    const float power = binary_power((1 / 2.4f) * binary_logarithm(greater(light, 0.003f)));
    return light <= 0.0031308f ? light * 12.92f : 1.055f * power - 0.055f;
}

ALWAYS_INLINE void transform_light(const void *source, void *out, size_t count, const float *columns, bool is_wide) {
    float c[12];
    memcpy(c, columns, sizeof c);
    PIXELS_ARE_INDEPENDENT
    for (size_t i = 0; i < count; i++) {
        const pixel p = load_pixel(source, i, is_wide);
        const float scale = 1 / greater(p.alpha, 1);
        const float red = decoded(lesser(p.red * scale, 1)), green = decoded(lesser(p.green * scale, 1));
        const float blue = decoded(lesser(p.blue * scale, 1));
        const pixel result = {
            p.alpha * encoded(limited(red * c[0] + green * c[3] + blue * c[6] + c[9], 1)),
            p.alpha * encoded(limited(red * c[1] + green * c[4] + blue * c[7] + c[10], 1)),
            p.alpha * encoded(limited(red * c[2] + green * c[5] + blue * c[8] + c[11], 1)),
            p.alpha,
        };
        store_pixel(result, out, i, is_wide);
    }
}

HALCYON_CLONES
void halcyon_transform_light(const uint8_t *source, uint8_t *out, size_t count, const float *columns) {
    transform_light(source, out, count, columns, false);
}

HALCYON_CLONES
void halcyon_transform_light_16(const void *source, void *out, size_t count, const float *columns) {
    transform_light(source, out, count, columns, true);
}
