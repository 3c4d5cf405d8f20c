// One image put over another by a mode of Compositing and Blending Level 1 (https://www.w3.org/TR/compositing-1/), or
// one of Porter and Duff (1984).

#ifndef HALCYON_RASTER_BLEND_KERNELS_H
#define HALCYON_RASTER_BLEND_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// The modes of halcyon_blend that are not Porter and Duff's.
enum {
    halcyon_blend_plus_lighter,
    halcyon_blend_plus_darker,
    halcyon_blend_multiply,
    halcyon_blend_screen,
    halcyon_blend_overlay,
    halcyon_blend_darken,
    halcyon_blend_lighten,
    halcyon_blend_color_dodge,
    halcyon_blend_color_burn,
    halcyon_blend_hard_light,
    halcyon_blend_soft_light,
    halcyon_blend_difference,
    halcyon_blend_exclusion,
    halcyon_blend_hue,
    halcyon_blend_saturation,
    halcyon_blend_color,
    halcyon_blend_luminosity,
};

/// out pixel i = source pixel i, multiplied by `opacity` (from 0 to 1), over backdrop pixel i. Each of the three may be
/// another, but none may overlap another in part.
void halcyon_blend(
    const uint8_t *source, const uint8_t *backdrop, uint8_t *out, size_t count, int32_t mode, float opacity);
void halcyon_blend_16(
    const void *source, const void *backdrop, void *out, size_t count, int32_t mode, float opacity);

/// The operators of Porter and Duff: out = source * (factors[0] + factors[1] * backdrop alpha)
/// + backdrop * (factors[2] + factors[3] * source alpha), where alphas are from 0 to 1, and the source is multiplied by
/// `opacity` first.
void halcyon_compose(
    const uint8_t *source, const uint8_t *backdrop, uint8_t *out, size_t count, const float *factors, float opacity);
void halcyon_compose_16(
    const void *source, const void *backdrop, void *out, size_t count, const float *factors, float opacity);

#pragma clang assume_nonnull end

#endif
