#include "BlendKernels.h"
#include "planar.h"

ALWAYS_INLINE void compose(
    const void *source, const void *backdrop, void *out, size_t count, const float *factors, float opacity,
    bool is_wide) {
    const float scale = 1 / largest_sample(is_wide);
    const float above = factors[0] * opacity, above_slope = factors[1] * opacity * scale;
    const float below = factors[2], below_slope = factors[3] * opacity * scale;
    PIXELS_ARE_INDEPENDENT
    for (size_t i = 0; i < count; i++) {
        const pixel s = load_pixel(source, i, is_wide), b = load_pixel(backdrop, i, is_wide);
        const float fs = above + above_slope * b.alpha, fb = below + below_slope * s.alpha;
        const pixel sum = {
            s.red * fs + b.red * fb, s.green * fs + b.green * fb, s.blue * fs + b.blue * fb,
            s.alpha * fs + b.alpha * fb};
        store_pixel(sum, out, i, is_wide);
    }
}

HALCYON_CLONES
void halcyon_compose(
    const uint8_t *source, const uint8_t *backdrop, uint8_t *out, size_t count, const float *factors, float opacity) {
    compose(source, backdrop, out, count, factors, opacity, false);
}

HALCYON_CLONES
void halcyon_compose_16(
    const void *source, const void *backdrop, void *out, size_t count, const float *factors, float opacity) {
    compose(source, backdrop, out, count, factors, opacity, true);
}

// Section 10.1, "separable blend modes". Straight colours are s and b, the premultiplied ones with their alphas tell
// exactly where a colour is 0 or 1, and how far it is from 1.
ALWAYS_INLINE float hard_light(float above, float below) {
    return above <= 0.5f ? 2 * above * below : 1 - 2 * (1 - above) * (1 - below);
}

ALWAYS_INLINE float soft_light(float s, float b) {
    const float curve = b <= 0.25f ? ((16 * b - 12) * b + 4) * b : __builtin_elementwise_sqrt(b);
    return s <= 0.5f ? b - (1 - 2 * s) * b * (1 - b) : b + (2 * s - 1) * (curve - b);
}

ALWAYS_INLINE float color_dodge(float source, float source_alpha, float backdrop, float backdrop_alpha) {
    const float rest = backdrop_alpha * (source_alpha - source);
    const float quotient = rest > 0 ? lesser(1, backdrop * source_alpha / rest) : 1;
    return backdrop > 0 ? quotient : 0;
}

ALWAYS_INLINE float color_burn(float source, float source_alpha, float backdrop, float backdrop_alpha) {
    const float divisor = backdrop_alpha * source;
    const float rest = backdrop_alpha - backdrop;
    const float quotient = divisor > 0 ? lesser(1, rest * source_alpha / divisor) : 1;
    return rest > 0 ? 1 - quotient : 1;
}

ALWAYS_INLINE float blend_channel(
    float source, float source_alpha, float s, float backdrop, float backdrop_alpha, float b, int32_t mode) {
    switch (mode) {
    case halcyon_blend_multiply: return s * b;
    case halcyon_blend_screen: return s + b - s * b;
    case halcyon_blend_overlay: return hard_light(b, s);
    case halcyon_blend_darken: return lesser(s, b);
    case halcyon_blend_lighten: return greater(s, b);
    case halcyon_blend_color_dodge: return color_dodge(source, source_alpha, backdrop, backdrop_alpha);
    case halcyon_blend_color_burn: return color_burn(source, source_alpha, backdrop, backdrop_alpha);
    case halcyon_blend_hard_light: return hard_light(s, b);
    case halcyon_blend_soft_light: return soft_light(s, b);
    case halcyon_blend_difference: return s > b ? s - b : b - s;
    default: return s + b - 2 * s * b;
    }
}

// Section 10.2, "non-separable blend modes".
ALWAYS_INLINE float luminosity(pixel color) { return 0.3f * color.red + 0.59f * color.green + 0.11f * color.blue; }
ALWAYS_INLINE float least(pixel color) { return lesser(color.red, lesser(color.green, color.blue)); }
ALWAYS_INLINE float most(pixel color) { return greater(color.red, greater(color.green, color.blue)); }

// SetLum of the specification, with its ClipColor.
ALWAYS_INLINE pixel with_luminosity(pixel color, float target) {
    const float difference = target - luminosity(color);
    const pixel moved = {color.red + difference, color.green + difference, color.blue + difference, 0};
    const float middle = luminosity(moved), low = least(moved), high = most(moved);
    const float from_below = low < 0 ? middle / (middle - low) : 1;
    const float from_above = high > 1 ? (1 - middle) / (high - middle) : 1;
    const float factor = from_below * from_above;
    return (pixel){
        middle + (moved.red - middle) * factor, middle + (moved.green - middle) * factor,
        middle + (moved.blue - middle) * factor, 0};
}

// SetSat of the specification. The colour may be premultiplied, whose differences are exact: alpha cancels.
ALWAYS_INLINE pixel with_saturation(pixel color, float target) {
    const float low = least(color), range = most(color) - low;
    const float factor = range > 0 ? target / range : 0;
    return (pixel){(color.red - low) * factor, (color.green - low) * factor, (color.blue - low) * factor, 0};
}

ALWAYS_INLINE pixel blend_colors(pixel source, pixel s, pixel backdrop, pixel b, int32_t mode) {
    switch (mode) {
    case halcyon_blend_hue: return with_luminosity(with_saturation(source, most(b) - least(b)), luminosity(b));
    case halcyon_blend_saturation:
        return with_luminosity(with_saturation(backdrop, most(s) - least(s)), luminosity(b));
    case halcyon_blend_color: return with_luminosity(s, luminosity(b));
    default: return with_luminosity(b, luminosity(s));
    }
}

ALWAYS_INLINE pixel straight(pixel color) {
    // A divisor of at least 1, the least alpha that is not 0.
    const float scale = 1 / greater(color.alpha, 1);
    return (pixel){
        lesser(color.red * scale, 1), lesser(color.green * scale, 1), lesser(color.blue * scale, 1), color.alpha};
}

ALWAYS_INLINE pixel blended(pixel source, pixel backdrop, int32_t mode, float opacity, float scale) {
    const pixel s = straight(source), b = straight(backdrop);
    pixel mixed;
    if (mode >= halcyon_blend_hue) {
        mixed = blend_colors(source, s, backdrop, b, mode);
    } else {
        mixed.red = blend_channel(source.red, source.alpha, s.red, backdrop.red, backdrop.alpha, b.red, mode);
        mixed.green = blend_channel(source.green, source.alpha, s.green, backdrop.green, backdrop.alpha, b.green, mode);
        mixed.blue = blend_channel(source.blue, source.alpha, s.blue, backdrop.blue, backdrop.alpha, b.blue, mode);
    }
    // Section 5.8: the mixed colour where both are, and each of the two where the other is not.
    const float source_alpha = source.alpha * opacity;
    const float both = source_alpha * backdrop.alpha * scale;
    const float source_alone = opacity * (1 - backdrop.alpha * scale), backdrop_alone = 1 - source_alpha * scale;
    return (pixel){
        source.red * source_alone + backdrop.red * backdrop_alone + mixed.red * both,
        source.green * source_alone + backdrop.green * backdrop_alone + mixed.green * both,
        source.blue * source_alone + backdrop.blue * backdrop_alone + mixed.blue * both,
        source_alpha + backdrop.alpha * backdrop_alone,
    };
}

ALWAYS_INLINE pixel added(pixel source, pixel backdrop, int32_t mode, float opacity, float limit) {
    const float alpha = lesser(source.alpha * opacity + backdrop.alpha, limit);
    // Darker: the sum of how far each colour is from its alpha is taken from the alpha of the result.
    const float missing =
        mode == halcyon_blend_plus_darker ? alpha - (source.alpha * opacity + backdrop.alpha) : 0;
    return (pixel){
        source.red * opacity + backdrop.red + missing, source.green * opacity + backdrop.green + missing,
        source.blue * opacity + backdrop.blue + missing, alpha};
}

ALWAYS_INLINE void blend_in_mode(
    const void *source, const void *backdrop, void *out, size_t count, int32_t mode, float opacity, bool is_wide) {
    const float limit = largest_sample(is_wide);
    PIXELS_ARE_INDEPENDENT
    for (size_t i = 0; i < count; i++) {
        const pixel s = load_pixel(source, i, is_wide), b = load_pixel(backdrop, i, is_wide);
        const bool adds = mode <= halcyon_blend_plus_darker;
        const pixel result =
            adds ? added(s, b, mode, opacity, limit) : blended(s, b, mode, opacity, 1 / limit);
        store_pixel(result, out, i, is_wide);
    }
}

// A loop for each mode, in which it is a constant.
#define CASE(mode) \
    case mode: blend_in_mode(source, backdrop, out, count, mode, opacity, is_wide); break;

ALWAYS_INLINE void blend(
    const void *source, const void *backdrop, void *out, size_t count, int32_t mode, float opacity, bool is_wide) {
    switch (mode) {
        CASE(halcyon_blend_plus_lighter)
        CASE(halcyon_blend_plus_darker)
        CASE(halcyon_blend_multiply)
        CASE(halcyon_blend_screen)
        CASE(halcyon_blend_overlay)
        CASE(halcyon_blend_darken)
        CASE(halcyon_blend_lighten)
        CASE(halcyon_blend_color_dodge)
        CASE(halcyon_blend_color_burn)
        CASE(halcyon_blend_hard_light)
        CASE(halcyon_blend_soft_light)
        CASE(halcyon_blend_difference)
        CASE(halcyon_blend_exclusion)
        CASE(halcyon_blend_hue)
        CASE(halcyon_blend_saturation)
        CASE(halcyon_blend_color)
        CASE(halcyon_blend_luminosity)
    default: __builtin_trap();
    }
}

HALCYON_CLONES
void halcyon_blend(
    const uint8_t *source, const uint8_t *backdrop, uint8_t *out, size_t count, int32_t mode, float opacity) {
    blend(source, backdrop, out, count, mode, opacity, false);
}

HALCYON_CLONES
void halcyon_blend_16(
    const void *source, const void *backdrop, void *out, size_t count, int32_t mode, float opacity) {
    blend(source, backdrop, out, count, mode, opacity, true);
}
