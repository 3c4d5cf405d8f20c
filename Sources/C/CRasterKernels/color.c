#include "ColorKernels.h"
#include "vectors.h"

typedef uint16_t u16x4 __attribute__((ext_vector_type(4)));
typedef float f32x4 __attribute__((ext_vector_type(4)));

ALWAYS_INLINE f32x4 load_column(const float *columns, size_t index) {
    f32x4 column;
    memcpy(&column, columns + index * 4, sizeof column);
    column.w = 0;
    return column;
}

ALWAYS_INLINE f32x4 limited_to_steps(f32x4 values) {
    const f32x4 limit = halcyon_encoding_steps;
    return __builtin_elementwise_min(__builtin_elementwise_max(values, (f32x4)0.0f), limit);
}

HALCYON_CLONES
void halcyon_shape_colors(
    const uint8_t *source, uint8_t *out, size_t count, const float *curves, const float *columns,
    const uint8_t *encoding) {
    const f32x4 red = load_column(columns, 0), green = load_column(columns, 1), blue = load_column(columns, 2);
    for (size_t i = 0; i < count; i++, source += 4, out += 4) {
        const f32x4 sum =
            red * curves[source[0]] + green * curves[256 + source[1]] + blue * curves[512 + source[2]];
        const i32x4 step = __builtin_convertvector(limited_to_steps(sum) + 0.5f, i32x4);
        const uint8_t alpha = source[3];
        out[0] = encoding[step.x];
        out[1] = encoding[step.y];
        out[2] = encoding[step.z];
        out[3] = alpha;
    }
}

ALWAYS_INLINE float interpolated_curve(const float *curve, uint16_t sample) {
    const float place = sample * ((float)halcyon_curve_steps / 65535);
    // The largest sample lies on the last entry, which has none behind it.
    const int step = sample == 65535 ? halcyon_curve_steps - 1 : (int)place;
    return curve[step] + (curve[step + 1] - curve[step]) * (place - (float)step);
}

ALWAYS_INLINE uint16_t interpolated_encoding(const float *encoding, float place) {
    const int step = place >= halcyon_encoding_steps ? halcyon_encoding_steps - 1 : (int)place;
    return (uint16_t)(encoding[step] + (encoding[step + 1] - encoding[step]) * (place - (float)step) + 0.5f);
}

HALCYON_CLONES
void halcyon_shape_colors_16(
    const void *source, void *out, size_t count, const float *curves, const float *columns, const float *encoding) {
    const f32x4 red = load_column(columns, 0), green = load_column(columns, 1), blue = load_column(columns, 2);
    const size_t curve_length = halcyon_curve_steps + 1;
    for (size_t i = 0; i < count; i++) {
        u16x4 pixel;
        memcpy(&pixel, (const uint8_t *)source + i * sizeof pixel, sizeof pixel);
        const f32x4 sum = limited_to_steps(
            red * interpolated_curve(curves, pixel.x) + green * interpolated_curve(curves + curve_length, pixel.y) +
            blue * interpolated_curve(curves + 2 * curve_length, pixel.z));
        pixel.x = interpolated_encoding(encoding, sum.x);
        pixel.y = interpolated_encoding(encoding, sum.y);
        pixel.z = interpolated_encoding(encoding, sum.z);
        memcpy((uint8_t *)out + i * sizeof pixel, &pixel, sizeof pixel);
    }
}

bool halcyon_is_gray(const uint8_t *pixels, size_t count) {
    for (size_t i = 0; i < count; i++, pixels += 4) {
        if (pixels[0] != pixels[1] || pixels[1] != pixels[2]) {
            return false;
        }
    }
    return true;
}

bool halcyon_is_gray_16(const void *pixels, size_t count) {
    for (size_t i = 0; i < count; i++) {
        u16x4 pixel;
        memcpy(&pixel, (const uint8_t *)pixels + i * sizeof pixel, sizeof pixel);
        if (pixel.x != pixel.y || pixel.y != pixel.z) {
            return false;
        }
    }
    return true;
}
